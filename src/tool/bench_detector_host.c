/* The detector's benchmark on the host's side: the plain C reference on all cores, and the rate
 * from host memory through a pipeline. */
#include "base/progress.h"
#include "tool/bench_detector.h"

#include <clradio/pipeline.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 256, DEPTH = 3, LEAST_CALLS = 12, MOST_CALLS = 2000 };

/* ---- the reference ---- */

typedef struct worker {
    pthread_t thread;
    const detector_case *c;
    const clradio_detector_host_io *io;
    uint64_t first, count;
} worker;

static void *work(void *user)
{
    const worker *w = user;
    clr_detector_reference_run(&w->c->plan->config, w->io, w->first, w->count, 0);
    return NULL;
}

/* Runs all vectors once; seconds, or 0 when no thread could be started. */
static double run_threads(const detector_case *c, const clradio_detector_host_io *io, long threads)
{
    worker workers[MOST_THREADS];
    long started = 0;
    const double start = clr_steady_seconds();
    for (; started < threads; started++) {
        const uint64_t n = c->checked, t = (uint64_t)threads, i = (uint64_t)started;
        workers[started] =
            (worker){ .c = c, .io = io, .first = n * i / t, .count = n * (i + 1) / t - n * i / t };
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]))
            break;
    }
    for (long i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    return started == threads ? clr_steady_seconds() - start : 0;
}

static void compare(detector_case *c, const uint8_t *symbols, const uint8_t *status)
{
    const size_t bytes = (size_t)c->config.transmit * c->info.symbol_bytes;
    const int other =
        c->config.method != CLRADIO_DETECTOR_SPHERE && c->config.method != CLRADIO_DETECTOR_ML;
    for (uint64_t n = 0; n < c->checked; n++) {
        const int exact =
            c->status[n] == CLRADIO_DETECTED_EXACT && status[n] == CLRADIO_DETECTED_EXACT;
        c->exact += exact;
        if (exact || other)
            c->differ += memcmp(c->symbols + n * bytes, symbols + n * bytes, bytes) != 0;
    }
}

clradio_status clr_bench_detector_reference(detector_case *c)
{
    const size_t bytes = (size_t)c->config.transmit * c->info.symbol_bytes;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long threads = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
    clradio_detector_host_io io = CLRADIO_DETECTOR_HOST_IO_INIT;
    uint8_t *symbols = calloc(c->checked, bytes), *status = calloc(c->checked, 1);
    double best = 0;
    io.received = c->received;
    io.channel = c->channel;
    io.noise_variance = c->snr.noise_variance;
    io.symbols = symbols;
    io.status = status;
    if (symbols && status)
        for (int n = 0; n < 3; n++) {
            const double seconds = run_threads(c, &io, threads);
            if (seconds > 0 && (best == 0 || seconds < best))
                best = seconds;
        }
    if (symbols && status && best > 0) {
        c->reference_rate = (double)c->checked / best;
        compare(c, symbols, status);
    }
    free(symbols);
    free(status);
    return best > 0 ? CLRADIO_OK
                    : clr_fail(CLRADIO_ERROR_MEMORY, "no memory or threads for the reference");
}

/* ---- from the host ---- */

static clradio_status send_one(clradio_pipeline *pipeline, const detector_case *c, uint64_t count,
                               int fills)
{
    clradio_slot *slot;
    const uint64_t rx = c->config.receive, tx = c->config.transmit;
    clradio_status status = clradio_pipeline_acquire(pipeline, &slot);
    if (status)
        return status;
    unsigned char *to = slot->input;
    for (uint64_t n = 0; fills && n < count; n++) /* received of all, then channels of all */
        memcpy(to + 8 * n * rx, c->received + 2 * (n % c->checked) * rx, 8 * rx);
    to += (8 * count * rx + 255) / 256 * 256;
    for (uint64_t n = 0; fills && n < count; n++)
        memcpy(to + 8 * n * rx * tx, c->channel + 2 * (n % c->checked) * rx * tx, 8 * rx * tx);
    slot->count = count;
    slot->flags = CLRADIO_DUMP;
    return clradio_pipeline_submit(pipeline, slot);
}

static clradio_status take_one(clradio_pipeline *pipeline, detector_case *c)
{
    clradio_slot *slot;
    const size_t bytes = (size_t)c->config.transmit * c->info.symbol_bytes;
    clradio_status status = clradio_pipeline_wait_next(pipeline, &slot);
    if (status)
        return status;
    const uint64_t n = c->checked < slot->count ? c->checked : slot->count;
    c->differ += memcmp(slot->output, c->symbols, n * bytes) != 0;
    return clradio_pipeline_release(pipeline, slot);
}

clradio_status clr_bench_detector_pipeline(detector_bench *bench, detector_case *c)
{
    clradio_pipeline *pipeline = NULL;
    clradio_pipeline_info info = CLRADIO_PIPELINE_INFO_INIT;
    const clr_detector_host host = { .vectors =
                                         c->config.vectors < 1 << 18 ? c->config.vectors : 1 << 18,
                                     .noise_variance = c->snr.noise_variance,
                                     .outputs = 1 };
    const double wanted = bench->quick ? 0.1 : 0.5;
    const double start = clr_steady_seconds();
    uint64_t in_flight = 0;
    clradio_status status =
        clradio_pipeline_create(clr_detector_plan(c->plan, &host), DEPTH, &pipeline);
    for (int n = 0; !status && n < MOST_CALLS; n++) {
        if (n >= LEAST_CALLS && clr_steady_seconds() - start > wanted)
            break;
        if (in_flight == DEPTH) {
            status = take_one(pipeline, c);
            in_flight--;
        }
        if (!status)
            status = send_one(pipeline, c, host.vectors, n < DEPTH);
        in_flight += !status;
    }
    while (!status && in_flight--)
        status = take_one(pipeline, c);
    if (!status)
        status = clradio_pipeline_get_info(pipeline, &info);
    if (!status && info.seconds > 0) {
        const double vectors = (double)(info.finished * host.vectors);
        const double busiest = fmax(info.link_seconds, info.compute_seconds);
        c->host_rate = vectors / info.seconds;
        c->host_limit = busiest > 0 ? vectors / busiest : 0;
        memcpy(c->bound, info.bound, sizeof c->bound);
    }
    clradio_pipeline_destroy(pipeline);
    return status;
}
