/*
 * Instructions that NVIDIA's OpenCL compiler does not know: those of one architecture alone
 * (".target sm_90a"), which it never aims at. Inline PTX carries them as comments. What the driver
 * gives as a program's binary is its PTX; there the comments become instructions and the target the
 * architecture's own, and the driver assembles that.
 */
#include "device/opencl_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* In kernels: SPECIFIC of cl/xengine_wgmma_product.cl. */
static const char mark[] = "//specific ";

int clr_opencl_take_specific(char *options)
{
    char *word = strstr(options, CLR_OPENCL_SPECIFIC);
    if (!word)
        return 0;
    memset(word, ' ', strlen(CLR_OPENCL_SPECIFIC));
    return 1;
}

/* Behind the number of ".target sm_90"; NULL: the text is not PTX for an architecture as such. */
static char *end_of_target(char *text)
{
    char *at = strstr(text, "\n.target sm_");
    if (!at)
        return NULL;
    at += strlen("\n.target sm_");
    char *const number = at;
    while (isdigit((unsigned char)*at))
        at++;
    return at == number || isalpha((unsigned char)*at) ? NULL : at;
}

clradio_status clr_opencl_make_specific(clr_binary *binary)
{
    const size_t count = binary->bytes ? binary->count : 0;
    char *const text = malloc(count + 2);
    if (!text)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a program");
    if (count)
        memcpy(text, binary->bytes, count);
    text[count] = text[count + 1] = '\0';
    char *const target = end_of_target(text);
    char *at = target ? strstr(target, mark) : NULL;
    if (!at) {
        free(text);
        return clr_fail(
            CLRADIO_ERROR_UNSUPPORTED,
            "the driver's program binary is not PTX text that can be given an architecture's own "
            "instructions");
    }
    for (; at; at = strstr(at, mark))
        memset(at, ' ', strlen(mark));
    memmove(target + 1, target, strlen(target) + 1);
    *target = 'a';
    free(binary->bytes);
    *binary = (clr_binary){ (unsigned char *)text, strlen(text) + 1 };
    return CLRADIO_OK;
}
