/* The timed runs of clradio bench lte57. */
#include "tool/bench_lte57.h"

#include "base/checked.h"
#include "base/progress.h"

/* What is done with finished batches. */
typedef enum work {
    NOTHING,
    CHECKSUM,    /* FNV-1a over 64-bit words, in order */
    SUM_OF_POWER /* the caller's own work: the sum of |H|^2 */
} work;

typedef struct gathered {
    const clr_dft_job *job;
    work work;
    uint64_t sum;
    double power;
} gathered;

uint64_t clr_lte57_checksum(uint64_t sum, const void *response, uint64_t bytes)
{
    const uint64_t *word = response;
    for (uint64_t i = 0; i < bytes / 8; i++)
        sum = (sum ^ word[i]) * UINT64_C(1099511628211);
    return sum;
}

void clr_lte57_compare(clr_lte57 *bench, uint64_t sum)
{
    if (bench->sum && sum != bench->sum)
        bench->wrong++;
    bench->sum = sum;
}

static int finished(void *user, const clradio_dft_batch *batch)
{
    gathered *g = user;
    if (g->work == CHECKSUM)
        g->sum = clr_lte57_checksum(g->sum, batch->response, batch->response_bytes);
    double power = 0;
    if (g->work == SUM_OF_POWER && g->job->config.type == CLRADIO_CF32) {
        const float *value = batch->response;
        for (uint64_t i = 0; i < batch->response_bytes / 4; i++)
            power += value[i] * value[i];
    } else if (g->work == SUM_OF_POWER) {
        const double *value = batch->response;
        for (uint64_t i = 0; i < batch->response_bytes / 8; i++)
            power += value[i] * value[i];
    }
    g->power += power;
    return 0;
}

static clradio_status run_once(clr_lte57 *bench, const clr_dft_job *job, clradio_dft *plan,
                               uint64_t batches, unsigned streams, work kind, gathered *g,
                               double *seconds)
{
    clradio_dft_host_io io = CLRADIO_DFT_HOST_IO_INIT;
    uint64_t bad = 0, failed = 0;
    *g = (gathered){ .job = job, .sum = CLR_LTE57_NO_SUM, .work = kind };
    io.sizes = &job->sizes;
    io.gains = job->taps.gains;
    io.delays = job->taps.delays;
    io.finished = finished;
    io.user = g;
    io.bad_paths = &bad;
    io.streams = streams;
    io.replay = bench->replay;
    io.failed_launches = &failed;
    io.batch_beams = batches ? clr_ceil_div(job->sizes.beams, batches) : 0;
    double started = clr_steady_seconds();
    clradio_status status = clradio_dft_run(plan, &io);
    *seconds = clr_steady_seconds() - started;
    bench->failed_launches += failed;
    return !status && bad ? clr_fail(CLRADIO_ERROR_INTERNAL, "%llu paths are not finite",
                                     (unsigned long long)bad)
                          : status;
}

/* Median of the repeats; the checksum of every working run must be that of the job. */
clradio_status clr_lte57_measure(clr_lte57 *bench, const clr_dft_job *job, uint64_t batches,
                                 unsigned streams, int works, clr_bench_times *times)
{
    double seconds[101];
    gathered g;
    clradio_dft *plan = NULL;
    clradio_status status = clradio_dft_create(bench->device, &job->config, &plan);
    if (!status) /* warms up, and is checked */
        status = run_once(bench, job, plan, batches, streams, CHECKSUM, &g, seconds);
    if (!status)
        clr_lte57_compare(bench, g.sum);
    for (uint64_t k = 0; k < bench->repeats && !status; k++)
        status = run_once(bench, job, plan, batches, streams, works ? SUM_OF_POWER : NOTHING, &g,
                          &seconds[k]);
    clradio_dft_destroy(plan);
    if (!status)
        clr_bench_summarise(seconds, bench->repeats, times);
    return status;
}
