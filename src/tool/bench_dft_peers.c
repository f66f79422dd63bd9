/* Who else can do a case of the channel DFT's benchmark: libraries on the device, OpenBLAS and FFTW
 * on the processor; and the same case from host memory. */
#include "base/progress.h"
#include "engine/dft_library.h"
#include "engine/fengine.h"
#include "tool/bench_dft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The variants that call a library, where they can. */
void clr_bench_dft_libraries(dft_bench *bench, const dft_case *c)
{
    static const char *const names[] = { "blas", "fft" };
    const char *const variant = bench->variant, *const parameters = bench->parameters;
    for (size_t n = 0; n < 2; n++) {
        dft_case other = { .kind = c->kind,
                           .type = c->type,
                           .links = c->links,
                           .paths_per_link = c->paths_per_link,
                           .taps = c->taps,
                           .subcarriers = c->subcarriers };
        bench->variant = names[n];
        bench->parameters = NULL;
        clradio_status status = clr_bench_dft_measure(bench, &other);
        if (!status)
            clr_bench_dft_say(bench, &other,
                              n ? clr_fft_library_name(bench->device)
                                : clr_dft_blas_library_of(bench->device)->name,
                              &other.times, 1);
        else if (status != CLRADIO_ERROR_UNSUPPORTED)
            printf("        no comparison with %s: %s\n", names[n], clradio_last_error());
        clr_bench_dft_release(&other);
    }
    bench->variant = variant;
    bench->parameters = parameters;
}

/* OpenBLAS cgemm with one matrix of phases for all paths: its best case. */
void clr_bench_dft_openblas(dft_bench *bench, const dft_case *c)
{
    double seconds[CLR_BENCH_MOST_REPEATS];
    char why_not[128] = "no memory";
    clr_bench_times times;
    const size_t taps = (size_t)c->taps, values = c->subcarriers;
    float *matrix = malloc(2 * taps * values * sizeof *matrix);
    float *out = malloc(c->counts.response * sizeof(float[2]));
    int done = 0;
    for (size_t n = 0; matrix && n < taps * values; n++) {
        const double angle = -2 * 3.14159265358979323846 * (double)(n / values) *
                             (double)(n % values) / (double)values;
        matrix[2 * n] = (float)cos(angle);
        matrix[2 * n + 1] = (float)sin(angle);
    }
    if (matrix && out)
        done = clr_bench_cgemm(c->gains, matrix, out, (size_t)c->counts.paths, values, taps,
                               seconds, bench->repeats, why_not);
    free(matrix);
    free(out);
    if (!done) {
        printf("        no comparison with OpenBLAS: %s\n", why_not);
        return;
    }
    clr_bench_summarise(seconds, bench->repeats, &times);
    clr_bench_dft_say(bench, c, "OpenBLAS", &times, 0);
    printf("        the channel DFT reaches %.2f of OpenBLAS cgemm\n",
           times.median / c->times.median);
}

/* Whether row `path` of transforms has the grid's values, by the plain sum. */
static int row_is_right(const dft_case *c, const float *row, uint64_t path, uint32_t points)
{
    const float *gain = (const float *)c->gains + 2 * path * c->taps;
    double norm = 0;
    for (uint64_t n = 0; n < 2 * c->taps; n++)
        norm += (double)gain[n] * gain[n];
    for (uint32_t k = 0; k < c->subcarriers; k++) {
        const uint32_t m = (k + points - c->subcarriers / 2) % points;
        double re = 0, im = 0;
        for (uint64_t n = 0; n < c->taps; n++) {
            const double angle = -2 * 3.14159265358979323846 * (double)(n * m % points) / points;
            re += gain[2 * n] * cos(angle) - gain[2 * n + 1] * sin(angle);
            im += gain[2 * n] * sin(angle) + gain[2 * n + 1] * cos(angle);
        }
        if (!(hypot(row[2 * m] - re, row[2 * m + 1] - im) <= 5e-7 * sqrt((double)c->taps * norm)))
            return 0;
    }
    return 1;
}

/* FFTW with rows that are padded before the clock starts, and left in the transform's order. */
void clr_bench_dft_fftw(dft_bench *bench, const dft_case *c)
{
    double seconds[CLR_BENCH_MOST_REPEATS];
    char why_not[128] = "no memory";
    const uint32_t points = clr_bench_dft_points(c->subcarriers);
    const size_t paths = (size_t)c->counts.paths;
    float *rows = malloc(paths * points * sizeof(float[2]));
    float *out = malloc(paths * points * sizeof(float[2]));
    dft_case other = *c;
    const int done = rows && out && c->taps <= points &&
                     clr_bench_fftw(c->gains, rows, out, paths, (size_t)c->taps, points, seconds,
                                    bench->repeats, why_not);
    if (done) {
        other.verdict = (clr_dft_verdict){ .sentence = "FFTW's rows are not the plain sums" };
        for (uint64_t n = 0; n < 3; n++) {
            const uint64_t path = n * (paths - 1) / 2;
            other.verdict.wrong += !row_is_right(c, out + 2 * path * points, path, points);
        }
        bench->faults.wrong += other.verdict.wrong != 0;
        clr_bench_summarise(seconds, bench->repeats, &other.times);
        other.info.parameters[0] = '\0';
        clr_bench_dft_say(bench, &other, "FFTW", &other.times, 1);
        printf("        the channel DFT reaches %.2f of FFTW, %u points, padded already\n",
               other.times.median / c->times.median, points);
    } else {
        printf("        no comparison with FFTW: %s\n", why_not);
    }
    free(rows);
    free(out);
}

static int drop(void *user, const clradio_dft_batch *batch)
{
    (void)user, (void)batch;
    return 0;
}

/* From host memory, finished batches handed to a callback that does nothing. */
clradio_status clr_bench_dft_host(dft_bench *bench, const dft_case *c)
{
    double seconds[3];
    clr_bench_times times;
    clradio_dft_host_io io = CLRADIO_DFT_HOST_IO_INIT;
    clradio_status status = CLRADIO_OK;
    io.sizes = &c->sizes;
    io.gains = c->gains;
    io.delays = c->delays;
    io.finished = drop;
    io.streams = (unsigned)bench->streams;
    for (size_t n = 0; !status && n < 3; n++) {
        const double start = clr_steady_seconds();
        status = clradio_dft_run(c->plan, &io);
        seconds[n] = clr_steady_seconds() - start;
    }
    if (status)
        return status;
    clr_bench_summarise(seconds, 3, &times);
    clr_bench_dft_say(bench, c, "from host", &times, 0);
    return CLRADIO_OK;
}
