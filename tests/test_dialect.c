/*
 * Every kernel file is written in the dialect of cl/common.cl, so NVIDIA's run-time compiler takes
 * it as CUDA C too, for each architecture that it knows of 7.5, 8.0 and 9.0. Needs libnvrtc and no
 * device; the cases are skipped where the library is absent.
 */
#include "support.h"

#include "device/flatten.h"
#include "device/kernels.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Our own declarations: no toolkit is needed to build this. */
typedef struct nvrtc_program *nvrtc_program;
static struct {
    int (*create)(nvrtc_program *program, const char *source, const char *name, int headers,
                  const char *const *texts, const char *const *names);
    int (*compile)(nvrtc_program program, int n, const char *const *options);
    int (*log_size)(nvrtc_program program, size_t *bytes);
    int (*log)(nvrtc_program program, char *log);
    int (*cubin_size)(nvrtc_program program, size_t *bytes);
    int (*destroy)(nvrtc_program *program);
    int (*archs_count)(int *n);
    int (*archs)(int *numbers);
} nvrtc;

static const int wanted_archs[] = { 75, 80, 90 };
enum { ARCHS = sizeof wanted_archs / sizeof *wanted_archs };

enum { MOST_MACROS = 4 };

/* Besides every file with its defaults: what else of the preprocessor's branches is used. */
static const struct {
    const char *file;
    clr_macro macros[MOST_MACROS];
} settings[] = {
    { "xengine_tile.cl", { { "NPOL", 1 }, { "INPUT", 1 } } },
    { "xengine_tile.cl", { { "NPOL", 2 }, { "INPUT", 1 } } },
    { "xengine_tile.cl", { { "NPOL", 1 }, { "INPUT", 6 } } },
    { "xengine_tile.cl", { { "NPOL", 2 }, { "INPUT", 8 }, { "STRIDED", 0 } } },
    { "xengine_tile.cl", { { "NPOL", 2 }, { "INPUT", 7 }, { "FLOAT", 1 } } },
    { "xengine_tile.cl", { { "NPOL", 2 }, { "INPUT", 3 }, { "TOGETHER", 0 } } },
    { "bench_peak.cl", { { "KIND", 3 }, { "CHAINS", 64 } } },
    { "xengine_layout.cl", { { "SAMPLE_BYTES", 1 } } },
    { "xengine_layout.cl", { { "SAMPLE_BYTES", 4 } } },
    { "xengine_layout.cl", { { "SAMPLE_BYTES", 8 } } },
    { "xengine_finish.cl", { { "NPOL", 1 }, { "INPUT", 1 }, { "OUTPUT", 1 } } },
    { "xengine_finish.cl", { { "NPOL", 2 }, { "INPUT", 1 }, { "OUTPUT", 2 } } },
    { "xengine_finish.cl", { { "NPOL", 1 }, { "INPUT", 8 }, { "OUTPUT", 4 } } },
    { "xengine_finish.cl", { { "NPOL", 2 }, { "INPUT", 7 }, { "OUTPUT", 2 } } },
    { "xengine_finish.cl", { { "NPOL", 2 }, { "INPUT", 6 }, { "OUTPUT", 1 } } },
    { "fengine_pfb.cl", { { "INPUT_BITS", 8 }, { "INPUT_COMPLEX", 0 } } },
    { "fengine_pfb.cl", { { "INPUT_BITS", 16 }, { "INPUT_COMPLEX", 1 } } },
    { "fengine_pfb.cl", { { "INPUT_BITS", 32 }, { "INPUT_COMPLEX", 0 } } },
    { "fengine_order.cl", { { "INPUT_COMPLEX", 0 } } },
    { "montecarlo_generate.cl", { { "SYMBOL_BYTES", 2 }, { "TAPS", 1 } } },
    { "montecarlo_count.cl", { { "SYMBOL_BYTES", 2 } } },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

typedef struct compile_case {
    const char *file;
    int arch, fp64;
    const clr_macro *more;
    char name[160];
} compile_case;

static void *open_library(void)
{
    static const char *const names[] = {
        "libnvrtc.so.13",
        "libnvrtc.so.12",
        "libnvrtc.so.11.2",
        "libnvrtc.so",
        "/usr/local/cuda/lib64/libnvrtc.so",
    };
    const char *own = getenv("CLRADIO_NVRTC");
    void *library = own && *own ? dlopen(own, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* ISO C has no cast from an object pointer to a function pointer. */
static int find_symbol(void *library, const char *name, void *to)
{
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int open_nvrtc(void)
{
    void *library = open_library();
    return library && find_symbol(library, "nvrtcCreateProgram", &nvrtc.create) &&
           find_symbol(library, "nvrtcCompileProgram", &nvrtc.compile) &&
           find_symbol(library, "nvrtcGetProgramLogSize", &nvrtc.log_size) &&
           find_symbol(library, "nvrtcGetProgramLog", &nvrtc.log) &&
           find_symbol(library, "nvrtcGetCUBINSize", &nvrtc.cubin_size) &&
           find_symbol(library, "nvrtcDestroyProgram", &nvrtc.destroy) &&
           find_symbol(library, "nvrtcGetNumSupportedArchs", &nvrtc.archs_count) &&
           find_symbol(library, "nvrtcGetSupportedArchs", &nvrtc.archs);
}

static int supported(int arch)
{
    int n = 0, found = 0;
    if (nvrtc.archs_count(&n) || n < 1)
        return 0;
    int *numbers = calloc((size_t)n, sizeof *numbers);
    if (numbers && !nvrtc.archs(numbers))
        for (int i = 0; i < n; i++)
            found |= numbers[i] == arch;
    free(numbers);
    return found;
}

static void print_log(nvrtc_program program)
{
    size_t bytes = 0;
    nvrtc.log_size(program, &bytes);
    char *log = calloc(bytes + 1, 1);
    if (log && !nvrtc.log(program, log))
        for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
            fprintf(stderr, "# %s\n", line);
    free(log);
}

static void compiles_as_cuda(void **state)
{
    const compile_case *c = *state;
    clr_macro macros[2 + MOST_MACROS] = { { "CLR_CUDA", 1 }, { "HAVE_FP64", c->fp64 } };
    size_t n_macros = 2;
    for (size_t i = 0; c->more && i < MOST_MACROS && c->more[i].name; i++)
        macros[n_macros++] = c->more[i];
    char arch[16];
    snprintf(arch, sizeof arch, "-arch=sm_%d", c->arch);
    const char *const options[] = { arch, "--device-as-default-execution-space" };
    clr_text source = { 0 };
    assert_ok(clr_flatten(c->file, macros, n_macros, &source));
    nvrtc_program program = NULL;
    assert_int_equal(nvrtc.create(&program, source.bytes, c->file, 0, NULL, NULL), 0);
    int failed = nvrtc.compile(program, 2, options);
    size_t bytes = 0;
    if (failed)
        print_log(program);
    else
        nvrtc.cubin_size(program, &bytes);
    nvrtc.destroy(&program);
    clr_text_free(&source);
    assert_int_equal(failed, 0);
    assert_true(bytes > 0);
}

static void skipped(void **state)
{
    (void)state;
    skip();
}

static void describe(compile_case *c, int there, int known)
{
    clr_text text = { 0 };
    clr_text_add(&text, "%s", c->file);
    for (size_t i = 0; c->more && i < MOST_MACROS && c->more[i].name; i++)
        clr_text_add(&text, " %s=%d", c->more[i].name, (int)c->more[i].value);
    clr_text_add(&text, " compiles as CUDA for sm_%d %s fp64%s", c->arch,
                 c->fp64 ? "with" : "without",
                 known   ? ""
                 : there ? " (this NVRTC does not know it)"
                         : " (no libnvrtc)");
    clr_copy_text(c->name, sizeof c->name, text.bytes);
    clr_text_free(&text);
}

int main(void)
{
    size_t plain = (size_t)clr_kernel_source_count * ARCHS * 2, room = plain + 2 * SETTINGS;
    struct CMUnitTest *tests = calloc(room, sizeof *tests);
    compile_case *cases = calloc(room, sizeof *cases);
    if (!tests || !cases)
        return 1;
    int there = open_nvrtc();
    for (size_t i = 0; i < room; i++) {
        compile_case *c = &cases[i];
        c->fp64 = (int)(i % 2);
        if (i < plain) {
            c->file = clr_kernel_sources[i / (2 * ARCHS)].name;
            c->arch = wanted_archs[i / 2 % ARCHS];
        } else {
            c->file = settings[(i - plain) / 2].file;
            c->more = settings[(i - plain) / 2].macros;
            c->arch = 80;
        }
        int known = there && supported(c->arch);
        describe(c, there, known);
        tests[i] =
            (struct CMUnitTest){ c->name, known ? compiles_as_cuda : skipped, NULL, NULL, c };
    }
    int failures = _cmocka_run_group_tests("dialect", tests, room, NULL, NULL);
    free(tests);
    free(cases);
    return failures;
}
