/* See nvrtc_support.h. */
#include "nvrtc_support.h"

#include "device/cuda_internal.h"
#include "device/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int has_kernel(unsigned file)
{
    static const char word[] = "\nKERNEL ";
    const clr_kernel_source *source = &clr_kernel_sources[file];
    for (size_t at = 0; at + sizeof word - 1 <= source->count; at++)
        if (!memcmp(source->bytes + at, word, sizeof word - 1))
            return 1;
    return 0;
}

const clr_nvrtc *nvrtc_for_test(void)
{
    return clr_nvrtc_get();
}

int nvrtc_takes(const char *architecture, int *number)
{
    const clr_nvrtc *nvrtc = nvrtc_for_test();
    *number = atoi(architecture);
    for (int i = 0; nvrtc && i < nvrtc->n_architectures; i++)
        if (nvrtc->architectures[i] == *number)
            return 1;
    return 0;
}

/* The words of text, which is cut at them, as macros behind the first n. */
static size_t read_macros(char *text, clr_macro *macros, size_t n)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word && n < MOST_SETTING_MACROS;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value = '\0';
        macros[n++] = (clr_macro){ word, strtoll(value + 1, NULL, 0) };
    }
    return n;
}

/* Relocatable code with the device's run-time library; what the linker says goes to stderr. */
static int links(const clr_nvrtc *nvrtc, nvrtcProgram program, size_t count,
                 const char *architecture)
{
    clr_binary image = { 0 }, object = { malloc(count), count };
    int done = object.bytes && !nvrtc->nvrtcGetCUBIN(program, (char *)object.bytes) &&
               !clr_cuda_link(architecture, &object, &image) && image.count > count;
    if (!done)
        fprintf(stderr, "# %s\n", clradio_last_error());
    free(object.bytes);
    free(image.bytes);
    return done;
}

static int compile(const clr_text *source, const char *file, const char *architecture,
                   int relocatable, char **log)
{
    const clr_nvrtc *nvrtc = nvrtc_for_test();
    char target[32];
    snprintf(target, sizeof target, "-arch=sm_%s", architecture);
    const char *const options[] = { target, "--device-as-default-execution-space",
                                    "--ptxas-options=-v", "--std=c++17", CLR_CUDA_RELOCATABLE };
    nvrtcProgram program = NULL;
    if (nvrtc->nvrtcCreateProgram(&program, source->bytes, file, 0, NULL, NULL))
        return 0;
    size_t cubin = 0, bytes = 0;
    if (!nvrtc->nvrtcCompileProgram(program, relocatable ? 5 : 4, options))
        nvrtc->nvrtcGetCUBINSize(program, &cubin);
    if (!nvrtc->nvrtcGetProgramLogSize(program, &bytes) && (*log = calloc(bytes + 1, 1)))
        nvrtc->nvrtcGetProgramLog(program, *log);
    if (cubin && relocatable && clr_nvjitlink_get() && !links(nvrtc, program, cubin, architecture))
        cubin = 0;
    nvrtc->nvrtcDestroyProgram(&program);
    return cubin > 0;
}

int nvrtc_compiles(const char *file, const char *macros, int fp64, const char *architecture,
                   char **log)
{
    *log = NULL;
    char *text = strdup(macros);
    if (!text)
        return 0;
    clr_macro list[MOST_SETTING_MACROS] = { { "CLR_CUDA", 1 }, { "HAVE_FP64", fp64 } };
    size_t n = read_macros(text, list, 2);
    clr_text source = { 0 };
    int done = !clr_flatten(file, list, n, &source) &&
               compile(&source, file, architecture, strstr(macros, "CHILDREN=1") != NULL, log);
    clr_text_free(&source);
    free(text);
    return done;
}
