/* One case of the detector's benchmark: fresh channels made on the device, kernel time by events,
 * the decomposition alone, symbols against the reference. */
#include "base/progress.h"
#include "tool/bench_detector.h"

#include <stdlib.h>
#include <string.h>

static clradio_status take(detector_bench *bench, uint64_t bytes, clradio_span *span)
{
    return clradio_buffer_create(bench->device, bytes ? bytes : 1, &span->buffer);
}

/* Symbols, channels and received vectors, each vector its own. */
static clradio_status make_vectors(detector_bench *bench, detector_case *c)
{
    clradio_montecarlo_config config = CLRADIO_MONTECARLO_CONFIG_INIT;
    clradio_montecarlo *maker = NULL;
    clradio_montecarlo_info made = CLRADIO_MONTECARLO_INFO_INIT;
    const uint64_t rx = c->config.receive, tx = c->config.transmit;
    config.detector = c->config;
    config.detector.method = CLRADIO_DETECTOR_MMSE;
    config.detector.variant = config.detector.parameters = NULL;
    config.flags = CLRADIO_MONTECARLO_GENERATE_ONLY;
    config.seed = 1;
    clradio_status status = clradio_montecarlo_create(bench->device, &config, &maker);
    if (!status)
        status = clradio_montecarlo_get_info(maker, &made);
    for (uint64_t done = 0; !status && done < c->config.vectors; done += made.vectors) {
        clradio_montecarlo_io io = CLRADIO_MONTECARLO_IO_INIT;
        const uint64_t left = c->config.vectors - done;
        io.symbols = (clradio_span){ c->io.symbols.buffer, done * tx * c->info.symbol_bytes };
        io.channel = (clradio_span){ c->io.channel.buffer, 8 * done * rx * tx };
        io.received = (clradio_span){ c->io.received.buffer, 8 * done * rx };
        io.noise_variance = c->snr.noise_variance;
        io.first_vector = done;
        io.vectors_count = left < made.vectors ? left : made.vectors;
        status = clradio_montecarlo_enqueue(maker, bench->queue, &io, 0, NULL, NULL);
    }
    if (!status)
        status = clradio_queue_finish(bench->queue);
    clradio_montecarlo_destroy(maker);
    return status;
}

static clradio_status set_up(detector_bench *bench, detector_case *c)
{
    const uint64_t n = c->config.vectors, rx = c->config.receive, tx = c->config.transmit;
    c->info = (clradio_detector_info)CLRADIO_DETECTOR_INFO_INIT;
    c->io = (clradio_detector_io)CLRADIO_DETECTOR_IO_INIT;
    clradio_status status = clradio_detector_create(bench->device, &c->config, &c->plan);
    if (!status)
        status = clradio_detector_get_info(c->plan, &c->info);
    if (!status)
        status = clradio_snr_from(CLRADIO_SNR_RX, c->snr_db, (uint32_t)tx, c->info.bits, &c->snr);
    if (!status)
        status = take(bench, 8 * n * rx, &c->io.received);
    if (!status)
        status = take(bench, 8 * n * rx * tx, &c->io.channel);
    if (!status)
        status = take(bench, n * tx * c->info.symbol_bytes, &c->io.symbols);
    if (!status)
        status = take(bench, n, &c->io.status);
    if (!status)
        status = take(bench, sizeof c->statistics, &c->io.statistics);
    c->io.noise_variance = c->snr.noise_variance;
    c->io.vectors_count = n;
    return status ? status : make_vectors(bench, c);
}

typedef struct timed_call {
    detector_bench *bench;
    detector_case *what;
    const clradio_detector_io *io;
} timed_call;

static clradio_status enqueue(void *call, clradio_event **event)
{
    const timed_call *timed = call;
    return clradio_detector_enqueue(timed->what->plan, timed->bench->queue, timed->io, 0, NULL,
                                    event);
}

/* What a call lasts with parts of it left out. */
static clradio_status time_part(detector_bench *bench, detector_case *c,
                                const clradio_detector_io *io, int *left_out, double *seconds)
{
    clr_bench_times times = { 0 };
    *left_out = 1;
    clradio_status status = clr_bench_time(enqueue, &(timed_call){ bench, c, io }, 1,
                                           bench->repeats < 3 ? bench->repeats : 3, &times);
    *left_out = 0;
    *seconds = times.median;
    return status;
}

/* Kernel time without the counting, and the shares of the decomposition and of the second pass. */
static clradio_status time_case(detector_bench *bench, detector_case *c)
{
    double part = 0;
    clradio_detector_io io = c->io;
    io.statistics = io.status = (clradio_span){ NULL, 0 };
    clradio_status status =
        clr_bench_time(enqueue, &(timed_call){ bench, c, &io }, 1, bench->repeats, &c->times);
    if (status || c->times.median <= 0)
        return status;
    c->rate = (double)c->config.vectors / c->times.median;
    if (c->plan->prepare) {
        status = time_part(bench, c, &io, &c->plan->only_prepare, &part);
        c->prepare_share = part / c->times.median;
    }
    if (!status && c->plan->again) {
        status = time_part(bench, c, &io, &c->plan->no_again, &part);
        c->again_share = part < c->times.median ? 1 - part / c->times.median : 0;
    }
    return status;
}

/* One call with everything that is looked at, and the first vectors on the host. */
static clradio_status fetch(detector_bench *bench, detector_case *c)
{
    const uint64_t n = c->checked, rx = c->config.receive, tx = c->config.transmit;
    c->received = malloc(8 * n * rx);
    c->channel = malloc(8 * n * rx * tx);
    c->symbols = malloc(n * tx * c->info.symbol_bytes);
    c->status = malloc(n);
    if (!c->received || !c->channel || !c->symbols || !c->status)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the vectors that are checked");
    const struct {
        clradio_span from;
        void *to;
        uint64_t bytes;
    } copies[] = {
        { c->io.received, c->received, 8 * n * rx },
        { c->io.channel, c->channel, 8 * n * rx * tx },
        { c->io.symbols, c->symbols, n * tx * c->info.symbol_bytes },
        { c->io.status, c->status, n },
        { c->io.statistics, &c->statistics, sizeof c->statistics },
    };
    clradio_status status = clradio_detector_enqueue(c->plan, bench->queue, &c->io, 0, NULL, NULL);
    if (!status)
        status = clradio_queue_finish(bench->queue);
    for (size_t i = 0; !status && i < sizeof copies / sizeof *copies; i++)
        status = clradio_buffer_read(bench->queue, copies[i].from, copies[i].to, copies[i].bytes, 0,
                                     NULL, NULL);
    return status;
}

clradio_status clr_bench_detector_measure(detector_bench *bench, detector_case *c)
{
    clradio_status status = set_up(bench, c);
    if (c->checked > c->config.vectors)
        c->checked = c->config.vectors;
    if (!status)
        status = fetch(bench, c);
    if (!status)
        status = time_case(bench, c);
    if (!status)
        status = clr_bench_detector_reference(c);
    if (!status)
        status = clr_bench_detector_pipeline(bench, c);
    return status;
}

void clr_bench_detector_release(detector_case *c)
{
    clradio_buffer *const buffers[] = { c->io.received.buffer, c->io.channel.buffer,
                                        c->io.symbols.buffer, c->io.status.buffer,
                                        c->io.statistics.buffer };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        clradio_buffer_destroy(buffers[i]);
    clradio_detector_destroy(c->plan);
    free(c->received);
    free(c->channel);
    free(c->symbols);
    free(c->status);
}
