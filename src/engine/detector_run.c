/*
 * The detector on host arrays: cut into calls that go through a pipeline; what the device left
 * uncertified is finished here by the reference.
 *
 * A slot's input is received, channel, noise, prior one behind the other, as long as the call has
 * vectors; its output has room for a full call in each array that was asked for, and the status.
 */
#include "base/checked.h"
#include "engine/detector_reference.h"

#include <clradio/pipeline.h>
#include <inttypes.h>
#include <string.h>

enum { DEPTH = 3, ALIGNMENT = 256 };

static uint64_t aligned(uint64_t bytes)
{
    return clr_ceil_div(bytes, ALIGNMENT) * ALIGNMENT;
}

/* Bytes of each input array for that many vectors; 0 for those that are not there. */
static void input_bytes(const clradio_detector *plan, uint64_t count, uint64_t bytes[4])
{
    const clradio_detector_config *config = &plan->config;
    const uint64_t rx = config->receive, tx = config->transmit;
    const uint64_t channels = clradio_detector_channels(config, count), matrix = 8 * rx * rx;
    bytes[0] = 8 * count * rx;
    bytes[1] = 8 * channels * rx * tx;
    bytes[2] = config->noise == CLRADIO_NOISE_PER_VECTOR ? 4 * count
               : !plan->shape.whitened                   ? 0
               : plan->shape.factors_for == 2            ? count * matrix
               : plan->shape.factors_for == 1            ? channels * matrix
                                                         : matrix;
    bytes[3] = plan->host.prior ? 4 * count * plan->shape.bits : 0;
}

static void output_bytes(const clradio_detector *plan, uint64_t bytes[CLR_HOST_OUTPUTS])
{
    const uint64_t n = plan->host.vectors, bits = plan->shape.bits;
    const uint64_t all[CLR_HOST_OUTPUTS] = {
        n * plan->config.transmit * plan->shape.symbol_bytes,
        n * bits,
        n * bits * (plan->config.llr_type == CLRADIO_I8 ? 1 : 4),
        4 * n,
        n,
        4 * n,
        sizeof(clradio_detector_statistics),
        CLR_DETECTOR_REPORT_BYTES,
    };
    for (int i = 0; i < CLR_HOST_OUTPUTS; i++)
        bytes[i] = plan->host.outputs >> i & 1 ? all[i] : 0;
}

static uint64_t whole(const uint64_t *bytes, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += aligned(bytes[i]);
    return all ? all : ALIGNMENT;
}

static clradio_status plan_input_used(void *engine, uint64_t count, uint64_t *bytes)
{
    uint64_t each[4];
    input_bytes(engine, count, each);
    *bytes = whole(each, 4);
    return CLRADIO_OK;
}

static clradio_status plan_enqueue(void *engine, clradio_queue *queue, const clr_plan_call *call,
                                   size_t n_wait, clradio_event *const *wait, clradio_event **done)
{
    clradio_detector *plan = engine;
    clradio_detector_io io = CLRADIO_DETECTOR_IO_INIT;
    clradio_span *const in[4] = { &io.received, &io.channel, &io.noise, &io.prior };
    clradio_span *const out[CLR_HOST_OUTPUTS] = { &io.symbols,    &io.bits,         &io.llr,
                                                  &io.metric,     &io.status,       &io.nodes,
                                                  &io.statistics, &io.launch_report };
    uint64_t bytes[CLR_HOST_OUTPUTS], offset = 0;
    input_bytes(plan, call->count, bytes);
    for (int i = 0; i < 4; offset += aligned(bytes[i++]))
        if (bytes[i])
            *in[i] = (clradio_span){ call->input.buffer, call->input.offset + offset };
    output_bytes(plan, bytes);
    offset = 0;
    for (int i = 0; i < CLR_HOST_OUTPUTS; offset += aligned(bytes[i++]))
        if (bytes[i])
            *out[i] = (clradio_span){ call->output.buffer, call->output.offset + offset };
    io.noise_variance = plan->host.noise_variance;
    io.vectors_count = call->count;
    return clradio_detector_enqueue(plan, queue, &io, n_wait, wait, done);
}

clradio_plan *clr_detector_plan(clradio_detector *plan, const clr_detector_host *host)
{
    uint64_t in[4], out[CLR_HOST_OUTPUTS];
    plan->host = *host;
    input_bytes(plan, host->vectors, in);
    output_bytes(plan, out);
    plan->plan = (clradio_plan){ .device = plan->device,
                                 .engine = plan,
                                 .input_bytes = whole(in, 4),
                                 .output_bytes = whole(out, CLR_HOST_OUTPUTS),
                                 .input_used = plan_input_used,
                                 .enqueue = plan_enqueue };
    return &plan->plan;
}

/* ---- one run ---- */

typedef struct host_run {
    clradio_detector *plan;
    const clradio_detector_host_io *io;
    clradio_pipeline *pipeline;
    clradio_detector_statistics statistics;
    uint64_t first[DEPTH]; /* of the calls in flight, in order */
    uint64_t in_flight, budget, failed_launches;
} host_run;

/* The vectors of the next call: whole channels where that is possible. */
static uint64_t next_count(const host_run *run, uint64_t done)
{
    const uint64_t per = run->plan->config.vectors_per_channel, most = run->plan->host.vectors;
    const uint64_t left = run->io->vectors_count - done;
    if (per <= 1 || left <= most)
        return per > 1 && done % per ? clr_min_u64(left, per - done % per)
                                     : clr_min_u64(left, most);
    if (done % per || most < per) /* inside one channel's vectors */
        return clr_min_u64(most, per - done % per);
    return most / per * per;
}

static void fill_slot(const host_run *run, clradio_slot *slot, uint64_t first, uint64_t count)
{
    const clradio_detector *plan = run->plan;
    const clradio_detector_config *config = &plan->config;
    const uint64_t rx = config->receive, tx = config->transmit;
    const uint64_t channel = config->vectors_per_channel ? first / config->vectors_per_channel : 0;
    const uint64_t noise = config->noise == CLRADIO_NOISE_PER_VECTOR ? first
                           : plan->shape.factors_for == 2            ? first * 2 * rx * rx
                           : plan->shape.factors_for == 1            ? channel * 2 * rx * rx
                                                                     : 0;
    const float *const from[4] = { run->io->received + first * 2 * rx,
                                   run->io->channel + channel * 2 * rx * tx,
                                   run->io->noise ? run->io->noise + noise : NULL,
                                   run->io->prior ? run->io->prior + first * plan->shape.bits
                                                  : NULL };
    uint64_t bytes[4];
    unsigned char *to = slot->input;
    input_bytes(plan, count, bytes);
    for (int i = 0; i < 4; to += aligned(bytes[i++]))
        if (bytes[i] && from[i])
            memcpy(to, from[i], bytes[i]);
}

/* Vectors that are not certified, once more, by the host: that takes no memory, and so cannot fail.
 */
static void finish_on_host(host_run *run, const uint8_t *status, uint64_t first, uint64_t count)
{
    for (uint64_t n = 0; n < count; n++) {
        if (status[n] != CLRADIO_DETECTED_BUDGET && status[n] != CLRADIO_DETECTED_THIN)
            continue;
        const clradio_detected decided =
            clr_detector_reference_at(&run->plan->config, run->io, first + n, run->budget);
        run->statistics.by_status[status[n]]--;
        run->statistics.by_status[decided]++;
    }
}

static clradio_status collect(host_run *run)
{
    clradio_slot *slot;
    const clradio_detector *plan = run->plan;
    const clradio_detector_host_io *io = run->io;
    const uint64_t first = run->first[0];
    clradio_status status = clradio_pipeline_wait_next(run->pipeline, &slot);
    memmove(run->first, run->first + 1, (DEPTH - 1) * sizeof *run->first);
    run->in_flight--;
    if (status)
        return status;
    uint64_t bytes[CLR_HOST_OUTPUTS];
    const uint64_t n = plan->host.vectors;
    unsigned char *const to[CLR_HOST_OUTPUTS] = {
        io->symbols, io->bits,
        io->llr,     (unsigned char *)io->metric,
        io->status,  (unsigned char *)io->nodes,
        NULL,        NULL,
    };
    const unsigned char *from = slot->output, *marks = NULL;
    output_bytes(plan, bytes);
    for (int i = 0; i < CLR_HOST_OUTPUTS; from += aligned(bytes[i++])) {
        if (i == CLR_HOST_STATUS)
            marks = from;
        if (i == CLR_HOST_STATISTICS && bytes[i])
            clradio_detector_statistics_add(
                &run->statistics, (const clradio_detector_statistics *)(const void *)from);
        else if (i == CLR_HOST_REPORT && bytes[i])
            run->failed_launches += *(const uint32_t *)(const void *)from;
        else if (bytes[i] && to[i])
            memcpy(to[i] + bytes[i] / n * first, from, bytes[i] / n * slot->count);
    }
    if (plan->config.method == CLRADIO_DETECTOR_SPHERE &&
        !(io->flags & CLRADIO_DETECTOR_DEVICE_ONLY))
        finish_on_host(run, marks, first, slot->count);
    return clradio_pipeline_release(run->pipeline, slot);
}

static clradio_status run_calls(host_run *run)
{
    clradio_status status = CLRADIO_OK;
    uint64_t count;
    for (uint64_t done = 0; !status && done < run->io->vectors_count; done += count) {
        clradio_slot *slot;
        count = next_count(run, done);
        if (run->in_flight == DEPTH)
            status = collect(run);
        if (!status)
            status = clradio_pipeline_acquire(run->pipeline, &slot);
        if (status)
            break;
        fill_slot(run, slot, done, count);
        slot->count = count;
        slot->flags = CLRADIO_DUMP;
        status = clradio_pipeline_submit(run->pipeline, slot);
        if (!status)
            run->first[run->in_flight++] = done;
    }
    while (!status && run->in_flight)
        status = collect(run);
    return status;
}

static clradio_status check(const clradio_detector *plan, const clradio_detector_host_io *io)
{
    if (!plan || !io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", plan ? "io" : "plan");
    if (io->struct_size != sizeof *io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.struct_size is %zu, not %zu", io->struct_size,
                        sizeof *io);
    if (io->flags & ~(unsigned)CLRADIO_DETECTOR_DEVICE_ONLY)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.flags has bits that mean nothing: 0x%x",
                        io->flags);
    if (io->vectors_count > UINT64_MAX / (8 * CLR_MOST_RECEIVE * CLR_MOST_RECEIVE))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%" PRIu64 " vectors do not fit 64 bits",
                        io->vectors_count);
    if (io->vectors_count && (!io->received || !io->channel))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.%s is NULL",
                        io->received ? "channel" : "received");
    if (io->vectors_count && !io->noise && plan->config.noise != CLRADIO_NOISE_VARIANCE)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.noise is NULL");
    return CLRADIO_OK;
}

clradio_status clradio_detector_run(clradio_detector *plan, const clradio_detector_host_io *io)
{
    host_run run = { .plan = plan, .io = io };
    clradio_status status = check(plan, io);
    if (status)
        return status;
    const int cpu = clr_device_info(plan->device)->kind == CLRADIO_DEVICE_CPU;
    const clr_detector_host host = {
        .vectors = clr_min_u64(plan->config.vectors, cpu ? 1 << 14 : 1 << 18),
        .noise_variance = io->noise_variance,
        .prior = io->prior != NULL,
        .outputs = (io->symbols ? 1u : 0) | (io->bits ? 2u : 0) | (io->llr ? 4u : 0) |
                   (io->metric ? 8u : 0) | 1u << CLR_HOST_STATUS | (io->nodes ? 32u : 0) |
                   (io->statistics ? 1u << CLR_HOST_STATISTICS : 0) |
                   (plan->parent ? 1u << CLR_HOST_REPORT : 0),
    };
    run.budget = clr_detector_host_budget(&plan->config);
    status = clradio_pipeline_create(clr_detector_plan(plan, &host), DEPTH, &run.pipeline);
    if (!status)
        status = run_calls(&run);
    clradio_pipeline_destroy(run.pipeline);
    if (!status && io->statistics)
        *io->statistics = run.statistics;
    if (!status && io->failed_launches)
        *io->failed_launches = run.failed_launches;
    if (!status && run.failed_launches)
        clr_log(CLRADIO_LOG_WARNING, "launch",
                "detector: %" PRIu64 " launches on the device failed; what they would have done "
                "was done by a launch from the host",
                run.failed_launches);
    return status;
}
