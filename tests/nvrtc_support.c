/* See nvrtc_support.h. */
#include "nvrtc_support.h"

#include "base/file.h"
#include "base/sha256.h"
#include "device/cuda_internal.h"
#include "device/cuda_library.h"
#include "device/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* The file that keeps the log of a compilation, by all that decides it; nothing without a folder.
 */
static void name_result(const clr_text *source, const char *file, const char *const *options, int n,
                        clr_text *path)
{
    const char *folder = getenv("CLRADIO_NVRTC_RESULTS");
    const clr_nvrtc *nvrtc = nvrtc_for_test();
    char compiler[1200], of[1024] = "", key[65];
    struct stat installed = { .st_mtime = 0 };
    unsigned char digest[32];
    clr_sha256 hash;
    if (!folder || !*folder || clr_make_directories(folder, 0755))
        return;
    /* NVRTC has no number for its smaller versions: where it lies, and since when */
    clr_cuda_folder_of(&nvrtc->nvrtcVersion, of, sizeof of);
    stat(of, &installed);
    snprintf(compiler, sizeof compiler, "%d.%d in %s since %lld, nvJitLink %d", nvrtc->major,
             nvrtc->minor, of, (long long)installed.st_mtime, clr_nvjitlink_get() != NULL);
    clr_sha256_begin(&hash);
    clr_sha256_add(&hash, compiler, strlen(compiler) + 1);
    clr_sha256_add(&hash, file, strlen(file) + 1);
    for (int i = 0; i < n; i++)
        clr_sha256_add(&hash, options[i], strlen(options[i]) + 1);
    clr_sha256_add(&hash, source->bytes, source->length);
    clr_sha256_end(&hash, digest);
    clr_sha256_hex(digest, key);
    clr_text_add(path, "%s/%s", folder, key);
}

static int compile_now(const clr_text *source, const char *file, const char *architecture,
                       const char *const *options, int n, char **log)
{
    const clr_nvrtc *nvrtc = nvrtc_for_test();
    const int relocatable = n == 5;
    nvrtcProgram program = NULL;
    if (nvrtc->nvrtcCreateProgram(&program, source->bytes, file, 0, NULL, NULL))
        return 0;
    size_t cubin = 0, bytes = 0;
    if (!nvrtc->nvrtcCompileProgram(program, n, options))
        nvrtc->nvrtcGetCUBINSize(program, &cubin);
    if (!nvrtc->nvrtcGetProgramLogSize(program, &bytes) && (*log = calloc(bytes + 1, 1)))
        nvrtc->nvrtcGetProgramLog(program, *log);
    if (cubin && relocatable && clr_nvjitlink_get() && !links(nvrtc, program, cubin, architecture))
        cubin = 0;
    nvrtc->nvrtcDestroyProgram(&program);
    return cubin > 0;
}

static int compile(const clr_text *source, const char *file, const char *architecture,
                   int relocatable, char **log)
{
    char target[32];
    unsigned char *kept = NULL;
    size_t count;
    clr_text path = { 0 };
    clr_new_file result;
    snprintf(target, sizeof target, "-arch=sm_%s", architecture);
    const char *const options[] = { target, "--device-as-default-execution-space",
                                    "--ptxas-options=-v", "--std=c++17", CLR_CUDA_RELOCATABLE };
    const int n = relocatable ? 5 : 4;
    name_result(source, file, options, n, &path);
    const int named = path.length > 0 && !path.failed;
    int done = named && !clr_file_read(path.bytes, (size_t)1 << 20, &kept, &count) && count > 0;
    if (done) {
        *log = (char *)kept;
    } else {
        free(kept);
        done = compile_now(source, file, architecture, options, n, log);
        if (done && named && *log && !clr_new_file_begin(path.bytes, 0644, &result)) {
            fputs(*log, result.stream);
            clr_new_file_commit(&result);
        }
    }
    clr_text_free(&path);
    return done;
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
