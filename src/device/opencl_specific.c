/*
 * What NVIDIA's OpenCL compiler has no words for: instructions of one architecture alone
 * (".target sm_90a"), which it never aims at, and the most registers that a kernel may take. Inline
 * PTX carries both as comments. What the driver gives as a program's binary is its PTX; there the
 * comments become instructions and directives and the target the architecture's own, and the driver
 * assembles that.
 */
#include "device/opencl_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In kernels: SPECIFIC and CAP_REGISTERS of cl/xengine_wgmma_product.cl. */
static const char specific[] = "//specific ", most_registers[] = "//maxnreg ";
static const char directive[] = ".maxnreg";
enum { LEAST_CAP = 24, MOST_CAP = 255, DIRECTIVE_BYTES = sizeof ".maxnreg 255\n" - 1 };

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

/* A place in a program's text, which is read from its target on, and what is known there. */
typedef struct reader {
    char *at;
    char *body; /* the brace behind the directives of the kernel that is read; NULL: of none */
    char *cap;  /* the kernel's directive */
    int in_front;
    unsigned depth; /* of braces */
    int instructions;
} reader;

static int begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static void skip_past(reader *r, const char *end)
{
    char *const found = strstr(r->at, end);
    r->at = found ? found + strlen(end) : r->at + strlen(r->at);
}

/* The cap in front of the kernel's body: the least that was asked for. 0: there is no kernel, or it
 * is no number of registers. */
static int cap_kernel(reader *r)
{
    const char *const number = r->at + strlen(most_registers);
    char *end = NULL;
    const unsigned long cap = isdigit((unsigned char)*number) ? strtoul(number, &end, 10) : 0;
    if (!r->body || cap < LEAST_CAP || cap > MOST_CAP || (*end && !isspace((unsigned char)*end)))
        return 0;
    skip_past(r, "\n");
    if (r->cap) {
        const unsigned long before = strtoul(r->cap + strlen(directive), &end, 10);
        if (before && before <= cap)
            return 1;
        memset(r->cap, ' ', (size_t)(end - r->cap));
    }
    char line[DIRECTIVE_BYTES + 1];
    const size_t bytes = (size_t)snprintf(line, sizeof line, "%s %lu\n", directive, cap);
    memmove(r->body + bytes, r->body, strlen(r->body) + 1);
    memcpy(r->body, line, bytes);
    r->cap = r->body;
    r->body += bytes;
    r->at += bytes;
    return 1;
}

static void read_word(reader *r)
{
    if (begins(r->at, ".entry") || begins(r->at, ".func")) {
        r->in_front = r->at[1] == 'e';
        r->body = r->cap = NULL;
        r->depth = 0;
    } else if (r->in_front && begins(r->at, directive)) {
        r->cap = r->at;
    }
    r->at++;
}

static void read_brace(reader *r)
{
    if (*r->at == '}') {
        r->depth -= r->depth > 0;
        r->body = r->depth ? r->body : NULL;
    } else if (!r->depth++ && r->in_front) {
        r->body = r->at;
        r->in_front = 0;
    }
    r->at++;
}

/* One step through the text; 0: a cap that is of no kernel. */
static int read_on(reader *r)
{
    if (begins(r->at, specific)) {
        memset(r->at, ' ', strlen(specific));
        r->instructions = 1;
    } else if (begins(r->at, most_registers)) {
        return cap_kernel(r);
    } else if (begins(r->at, "//")) {
        skip_past(r, "\n");
    } else if (begins(r->at, "/*")) {
        skip_past(r, "*/");
    } else if (*r->at == '"') {
        r->at++;
        skip_past(r, "\"");
    } else if (*r->at == '{' || *r->at == '}') {
        read_brace(r);
    } else {
        read_word(r);
    }
    return 1;
}

/* The bytes as a text, with room for what is put in; NULL: no memory. */
static char *text_of(const clr_binary *binary)
{
    const size_t count = binary->bytes ? binary->count : 0;
    size_t more = 2; /* a letter of the target and the end */
    for (size_t i = 0; i + strlen(most_registers) <= count; i++)
        if (!memcmp(binary->bytes + i, most_registers, strlen(most_registers)))
            more += DIRECTIVE_BYTES;
    char *const text = calloc(count + more, 1);
    if (text && count)
        memcpy(text, binary->bytes, count);
    return text;
}

clradio_status clr_opencl_make_specific(clr_binary *binary)
{
    char *const text = text_of(binary);
    if (!text)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a program");
    char *const target = end_of_target(text);
    reader r = { .at = target };
    int understood = 1;
    while (target && understood && *r.at)
        understood = read_on(&r);
    if (!r.instructions || !understood) {
        free(text);
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        understood
                            ? "the driver's program binary is not PTX text that can be given "
                              "an architecture's own instructions"
                            : "the driver's PTX caps registers where no kernel is that they "
                              "could be of");
    }
    memmove(target + 1, target, strlen(target) + 1);
    *target = 'a';
    free(binary->bytes);
    *binary = (clr_binary){ (unsigned char *)text, strlen(text) + 1 };
    return CLRADIO_OK;
}
