/*
 * The processor's yardstick: OpenBLAS cherk on the same data. The library is opened only here, when
 * a benchmark asks for it, so that the tool does not start its threads otherwise.
 */
#include "base/progress.h"
#include "tool/bench.h"

#include <stdio.h>
#include <stdlib.h>

#if HAVE_OPENBLAS

#include <cblas.h>
#include <dlfcn.h>
#include <unistd.h>

typedef void cherk_function(const enum CBLAS_ORDER, const enum CBLAS_UPLO,
                            const enum CBLAS_TRANSPOSE, const blasint, const blasint, const float,
                            const void *, const blasint, const float, void *, const blasint);
typedef void cgemm_function(const enum CBLAS_ORDER, const enum CBLAS_TRANSPOSE,
                            const enum CBLAS_TRANSPOSE, const blasint, const blasint, const blasint,
                            const void *, const void *, const blasint, const void *, const blasint,
                            const void *, void *, const blasint);
typedef void threads_function(int);

int clr_bench_cgemm(const float *a, const float *b, float *out, size_t m, size_t n, size_t k,
                    double *seconds, size_t repeats, char why_not[128])
{
    static const float one[2] = { 1, 0 }, zero[2] = { 0, 0 };
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    cgemm_function *cgemm = NULL;
    threads_function *set_threads = NULL;
    if (library) {
        *(void **)(void *)&cgemm = dlsym(library, "cblas_cgemm");
        *(void **)(void *)&set_threads = dlsym(library, "openblas_set_num_threads");
    }
    if (!cgemm || !set_threads) {
        snprintf(why_not, 128, "libopenblas.so.0 cannot be opened, or has no cblas_cgemm");
        return 0;
    }
    set_threads((int)sysconf(_SC_NPROCESSORS_ONLN));
    for (size_t r = 0; r <= repeats; r++) { /* the first warms up */
        const double start = clr_steady_seconds();
        cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, one, a,
              (blasint)k, b, (blasint)n, zero, out, (blasint)n);
        if (r)
            seconds[r - 1] = clr_steady_seconds() - start;
    }
    return 1;
}

int clr_bench_cherk(const float *spectra, size_t inputs, size_t channels, size_t spectra_count,
                    double *seconds, size_t repeats, char why_not[128])
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    float *out = NULL;
    if (!library) {
        snprintf(why_not, 128, "libopenblas.so.0 cannot be opened");
        return 0;
    }
    /* POSIX: an object pointer from dlsym is a function's address */
    cherk_function *cherk;
    threads_function *set_threads;
    *(void **)(void *)&cherk = dlsym(library, "cblas_cherk");
    *(void **)(void *)&set_threads = dlsym(library, "openblas_set_num_threads");
    out = calloc(2 * inputs * inputs, sizeof *out);
    if (!cherk || !set_threads || !out) {
        snprintf(why_not, 128, "%s", out ? "libopenblas.so.0 has no cblas_cherk" : "no memory");
        free(out);
        return 0;
    }
    set_threads((int)sysconf(_SC_NPROCESSORS_ONLN));
    for (size_t n = 0; n <= repeats; n++) { /* the first warms up */
        const double start = clr_steady_seconds();
        for (size_t c = 0; c < channels; c++)
            cherk(CblasColMajor, CblasLower, CblasNoTrans, (blasint)inputs, (blasint)spectra_count,
                  1.0f, spectra + 2 * c * inputs, (blasint)(channels * inputs), 0.0f, out,
                  (blasint)inputs);
        if (n)
            seconds[n - 1] = clr_steady_seconds() - start;
    }
    free(out);
    return 1; /* the library stays: its threads do not survive being unloaded */
}

#else

int clr_bench_cherk(const float *spectra, size_t inputs, size_t channels, size_t spectra_count,
                    double *seconds, size_t repeats, char why_not[128])
{
    (void)spectra, (void)inputs, (void)channels, (void)spectra_count, (void)seconds, (void)repeats;
    snprintf(why_not, 128, "this build has no OpenBLAS");
    return 0;
}

int clr_bench_cgemm(const float *a, const float *b, float *out, size_t m, size_t n, size_t k,
                    double *seconds, size_t repeats, char why_not[128])
{
    (void)a, (void)b, (void)out, (void)m, (void)n, (void)k, (void)seconds, (void)repeats;
    snprintf(why_not, 128, "this build has no OpenBLAS");
    return 0;
}

#endif
