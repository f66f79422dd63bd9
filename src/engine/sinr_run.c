/*
 * Signal to interference and noise ratios of host arrays: cut along the outer index into calls that
 * go through a pipeline. A slot's input is the serving links' part of the array, then the
 * interferers'; each reaches from its first to its last element, whatever the strides.
 */
#include "base/checked.h"
#include "engine/sinr_internal.h"

#include <clradio/pipeline.h>
#include <inttypes.h>
#include <string.h>

enum { DEPTH = 3, ALIGNMENT = 256 };
static const uint64_t slot_bytes = (uint64_t)32 << 20;

static uint64_t aligned(uint64_t bytes)
{
    return clr_ceil_div(bytes, ALIGNMENT) * ALIGNMENT;
}

/* Bytes of `outer` neighbouring problems' arrays: serving, interfering, ratios; 0: too many. */
static int call_bytes(const clradio_sinr *plan, const clradio_sinr_config *config, uint64_t outer,
                      uint64_t bytes[3])
{
    const uint64_t element = clradio_type_bytes(config->type);
    const uint64_t factors[] = { outer, plan->inner, config->streams, element / 2 };
    const uint64_t h =
        clr_sinr_reach(&config->serving, outer, plan->inner, config->receive, config->streams);
    const uint64_t g = !config->interferers
                           ? 1
                           : clr_sinr_reach(&config->interfering, outer, plan->inner,
                                            config->receive, config->interferers);
    bytes[0] = h * element;
    bytes[1] = config->interferers ? g * element : 0;
    return h && g && clr_product_u64(factors, 4, &bytes[2]);
}

static clradio_status plan_input_used(void *engine, uint64_t count, uint64_t *bytes)
{
    const clradio_sinr *plan = engine;
    uint64_t each[3];
    clradio_sinr_config checked;
    clradio_status status = clr_sinr_check(&plan->config, plan->inner, &checked);
    if (!status && !call_bytes(plan, &checked, count, each))
        status = clr_fail(CLRADIO_ERROR_ARGUMENT, "%" PRIu64 " problems are too many", count);
    if (!status)
        *bytes = aligned(each[0]) + aligned(each[1]);
    return status;
}

static clradio_status plan_enqueue(void *engine, clradio_queue *queue, const clr_plan_call *call,
                                   size_t n_wait, clradio_event *const *wait, clradio_event **done)
{
    clradio_sinr *plan = engine;
    uint64_t bytes[3] = { 0 };
    clradio_sinr_config checked;
    clradio_sinr_io io = CLRADIO_SINR_IO_INIT;
    clradio_status status = clr_sinr_check(&plan->config, plan->inner, &checked);
    if (status)
        return status;
    call_bytes(plan, &checked, call->count, bytes);
    io.outer = call->count;
    io.inner = plan->inner;
    io.serving = call->input;
    io.interfering = (clradio_span){ call->input.buffer, call->input.offset + aligned(bytes[0]) };
    io.sinr = call->output;
    io.bad.buffer = plan->bad;
    return clradio_sinr_enqueue(plan, queue, &io, n_wait, wait, done);
}

/* One run. */
typedef struct host_run {
    clradio_sinr *plan;
    const clradio_sinr_host_io *io;
    clradio_sinr_config checked;
    clradio_pipeline *pipeline;
    uint64_t outer_bytes; /* of the ratios of one outer index */
    uint64_t most;        /* outer indices of a call */
    uint64_t first[DEPTH], in_flight;
} host_run;

static clradio_status collect(host_run *run)
{
    clradio_slot *slot;
    const uint64_t first = run->first[0];
    clradio_status status = clradio_pipeline_wait_next(run->pipeline, &slot);
    memmove(run->first, run->first + 1, (DEPTH - 1) * sizeof *run->first);
    run->in_flight--;
    if (status)
        return status;
    memcpy((unsigned char *)run->io->sinr + first * run->outer_bytes, slot->output,
           (size_t)(slot->count * run->outer_bytes));
    return clradio_pipeline_release(run->pipeline, slot);
}

static clradio_status submit(host_run *run, uint64_t first, uint64_t count)
{
    clradio_slot *slot;
    uint64_t bytes[3] = { 0 };
    const clradio_sinr_config *config = &run->checked;
    const uint64_t element = clradio_type_bytes(config->type);
    clradio_status status = clradio_pipeline_acquire(run->pipeline, &slot);
    if (status)
        return status;
    call_bytes(run->plan, config, count, bytes);
    memcpy(slot->input,
           (const unsigned char *)run->io->serving + first * config->serving.outer * element,
           (size_t)bytes[0]);
    if (config->interferers)
        memcpy((unsigned char *)slot->input + aligned(bytes[0]),
               (const unsigned char *)run->io->interfering +
                   first * config->interfering.outer * element,
               (size_t)bytes[1]);
    slot->count = count;
    slot->flags = CLRADIO_DUMP;
    run->first[run->in_flight++] = first;
    return clradio_pipeline_submit(run->pipeline, slot);
}

static clradio_status run_calls(host_run *run)
{
    clradio_status status = CLRADIO_OK;
    uint64_t count;
    for (uint64_t done = 0; !status && done < run->io->outer; done += count) {
        count = clr_min_u64(run->most, run->io->outer - done);
        if (run->in_flight == DEPTH)
            status = collect(run);
        if (!status)
            status = submit(run, done, count);
    }
    while (!status && run->in_flight)
        status = collect(run);
    return status;
}

static clradio_status check(host_run *run)
{
    const clradio_sinr_host_io *io = run->io;
    uint64_t bytes[3] = { 0 }, one[3] = { 0 };
    if (io->struct_size != sizeof *io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.struct_size is %zu, not %zu", io->struct_size,
                        sizeof *io);
    run->plan->inner = io->inner;
    clradio_status status = clr_sinr_check(&run->plan->config, io->inner, &run->checked);
    if (status)
        return status;
    if (!call_bytes(run->plan, &run->checked, io->outer, bytes) || bytes[0] > SIZE_MAX / 2 ||
        bytes[1] > SIZE_MAX / 2 || bytes[2] > SIZE_MAX / 2)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%" PRIu64 " x %" PRIu64 " problems are too many",
                        io->outer, io->inner);
    if (!bytes[2])
        return CLRADIO_OK;
    if (!io->serving || !io->sinr || (run->checked.interferers && !io->interfering))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.%s is NULL",
                        !io->serving ? "serving"
                        : !io->sinr  ? "sinr"
                                     : "interfering");
    for (run->most = io->outer; run->most > 1; run->most = clr_ceil_div(run->most, 2)) {
        call_bytes(run->plan, &run->checked, run->most, bytes);
        if (bytes[0] + bytes[1] <= slot_bytes && bytes[2] <= slot_bytes)
            break;
    }
    call_bytes(run->plan, &run->checked, 1, one);
    run->outer_bytes = one[2];
    return CLRADIO_OK;
}

static clradio_status go(host_run *run, uint32_t *bad)
{
    clradio_sinr *plan = run->plan;
    clradio_queue *queue = NULL;
    uint64_t bytes[3] = { 0 };
    call_bytes(plan, &run->checked, run->most, bytes);
    plan->plan = (clradio_plan){ .device = plan->device,
                                 .engine = plan,
                                 .input_bytes = aligned(bytes[0]) + aligned(bytes[1]),
                                 .output_bytes = aligned(bytes[2]),
                                 .input_used = plan_input_used,
                                 .enqueue = plan_enqueue };
    clradio_status status = clradio_queue_create(plan->device, 0, &queue);
    if (!status && !plan->bad)
        status = clradio_buffer_create(plan->device, sizeof *bad, &plan->bad);
    const clradio_span span = { plan->bad, 0 };
    if (!status)
        status = clradio_buffer_write(queue, span, bad, sizeof *bad, 0, NULL, NULL);
    if (!status)
        status = clradio_pipeline_create(&plan->plan, DEPTH, &run->pipeline);
    if (!status)
        status = run_calls(run);
    clradio_pipeline_destroy(run->pipeline);
    if (!status)
        status = clradio_buffer_read(queue, span, bad, sizeof *bad, 0, NULL, NULL);
    clradio_queue_destroy(queue);
    return status;
}

clradio_status clradio_sinr_run(clradio_sinr *plan, const clradio_sinr_host_io *io)
{
    host_run run = { .plan = plan, .io = io };
    uint32_t bad = 0;
    if (!plan || !io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", plan ? "io" : "plan");
    clradio_status status = check(&run);
    if (!status && run.outer_bytes)
        status = go(&run, &bad);
    if (!status && io->bad)
        *io->bad = bad;
    return status;
}
