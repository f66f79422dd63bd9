/*
 * FFTW on the processor, all cores, as a peer of the channel DFT on grids: transforms of rows that
 * are padded with zeros already. The library is opened only here, when a benchmark asks for it.
 */
#include "base/progress.h"
#include "tool/bench.h"

#include <stdio.h>

#if HAVE_FFTW

#include <dlfcn.h>
#include <fftw3.h>
#include <pthread.h>
#include <unistd.h>

enum { MOST_WORKERS = 256 };

typedef fftwf_plan plan_function(int, fftwf_complex *, fftwf_complex *, int, unsigned);
typedef void execute_function(const fftwf_plan, fftwf_complex *, fftwf_complex *);
typedef void destroy_function(fftwf_plan);

typedef struct worker {
    pthread_t thread;
    execute_function *execute;
    fftwf_plan plan;
    fftwf_complex *in, *out;
    size_t first, end, points;
} worker;

static void *work(void *argument)
{
    const worker *w = argument;
    for (size_t row = w->first; row < w->end; row++)
        w->execute(w->plan, w->in + row * w->points, w->out + row * w->points);
    return NULL;
}

/* All rows once; what no thread could be had for is done here. */
static void transform(const worker *model, size_t rows)
{
    worker workers[MOST_WORKERS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t n = cores < 1 ? 1 : cores > MOST_WORKERS ? MOST_WORKERS : (size_t)cores;
    size_t started = 0;
    for (size_t k = 0; k < n; k++) {
        workers[k] = *model;
        workers[k].first = rows * k / n;
        workers[k].end = rows * (k + 1) / n;
    }
    while (started + 1 < n &&
           !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
        started++;
    for (size_t k = started; k < n; k++)
        work(&workers[k]);
    for (size_t k = 0; k < started; k++)
        pthread_join(workers[k].thread, NULL);
}

int clr_bench_fftw(const float *taps, float *rows_of, float *out, size_t rows, size_t n_taps,
                   size_t points, double *seconds, size_t repeats, char why_not[128])
{
    void *library = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
    plan_function *make = NULL;
    destroy_function *destroy = NULL;
    worker model = { .in = (fftwf_complex *)rows_of,
                     .out = (fftwf_complex *)out,
                     .points = points };
    if (library) { /* POSIX: an object pointer from dlsym is a function's address */
        *(void **)(void *)&make = dlsym(library, "fftwf_plan_dft_1d");
        *(void **)(void *)&model.execute = dlsym(library, "fftwf_execute_dft");
        *(void **)(void *)&destroy = dlsym(library, "fftwf_destroy_plan");
    }
    if (!make || !model.execute || !destroy) {
        snprintf(why_not, 128, "libfftw3f.so.3 cannot be opened, or is no FFTW");
        return 0;
    }
    model.plan =
        make((int)points, model.in, model.out, FFTW_FORWARD, FFTW_MEASURE | FFTW_UNALIGNED);
    if (!model.plan) {
        snprintf(why_not, 128, "FFTW makes no plan of %zu points", points);
        return 0;
    }
    for (size_t row = 0; row < rows; row++)
        for (size_t n = 0; n < 2 * points; n++)
            rows_of[2 * points * row + n] = n < 2 * n_taps ? taps[2 * n_taps * row + n] : 0;
    for (size_t r = 0; r <= repeats; r++) { /* the first warms up */
        const double start = clr_steady_seconds();
        transform(&model, rows);
        if (r)
            seconds[r - 1] = clr_steady_seconds() - start;
    }
    destroy(model.plan);
    return 1;
}

#else

int clr_bench_fftw(const float *taps, float *rows_of, float *out, size_t rows, size_t n_taps,
                   size_t points, double *seconds, size_t repeats, char why_not[128])
{
    (void)taps, (void)rows_of, (void)out, (void)rows, (void)n_taps, (void)points;
    (void)seconds, (void)repeats;
    snprintf(why_not, 128, "this build has no FFTW");
    return 0;
}

#endif
