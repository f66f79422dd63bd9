/*
 * One call of an X-engine: checks the arrays, then sums a chunk of channels at a time and, when
 * asked, writes the visibilities. All commands are one chain; calls of a plan follow one another.
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <inttypes.h>

typedef struct call {
    clradio_xengine *plan;
    const clradio_xengine_io *io;
    clr_chain chain;
    uint32_t slices;
    uint64_t slice_length;
    int add; /* to the accumulators */
} call;

static clradio_status check_span(const clradio_xengine *plan, const char *name, clradio_span span,
                                 uint64_t bytes, uint64_t alignment)
{
    uint64_t end;
    if (!span.buffer)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.%s has no buffer", name);
    if (clr_buffer_device(span.buffer) != plan->device)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the buffer of io.%s belongs to another device",
                        name);
    if (span.offset % alignment)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the offset of io.%s is %" PRIu64 ", no multiple of %" PRIu64 " bytes",
                        name, span.offset, alignment);
    if (!clr_add_u64(span.offset, bytes, &end) || end > clradio_buffer_bytes(span.buffer))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.%s needs %" PRIu64 " bytes from offset %" PRIu64
                        "; its buffer has %" PRIu64,
                        name, bytes, span.offset, clradio_buffer_bytes(span.buffer));
    return CLRADIO_OK;
}

static clradio_status check_flags(const clradio_xengine *plan, const clradio_xengine_io *io)
{
    if (io->flags & ~(unsigned)(CLRADIO_ACCUMULATE | CLRADIO_DUMP))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.flags has bits that mean nothing: 0x%x",
                        io->flags);
    if (plan->config.flags & CLRADIO_XENGINE_SINGLE_CALL) {
        if (io->flags & CLRADIO_ACCUMULATE)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "a plan with CLRADIO_XENGINE_SINGLE_CALL cannot accumulate");
        if (!(io->flags & CLRADIO_DUMP))
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "a plan with CLRADIO_XENGINE_SINGLE_CALL "
                                                    "keeps nothing: CLRADIO_DUMP is needed");
    }
    if ((io->flags & CLRADIO_ACCUMULATE) && plan->state == CLR_SUMS_LOST)
        return clr_fail(CLRADIO_ERROR_STATE, "an earlier call of this integration failed; start a "
                                             "new one without CLRADIO_ACCUMULATE");
    return CLRADIO_OK;
}

static clradio_status check_apart(const clradio_xengine *plan, const clradio_xengine_io *io,
                                  uint64_t spectra_bytes)
{
    uint64_t dumped = io->flags & CLRADIO_DUMP ? plan->plan.output_bytes : 0;
    clradio_status status = clr_spans_apart(io->visibilities, dumped, "visibilities", io->spectra,
                                            spectra_bytes, "spectra");
    if (!status)
        status = clr_spans_apart(io->overflow, sizeof(uint32_t), "overflow", io->visibilities,
                                 dumped, "visibilities");
    if (!status)
        status = clr_spans_apart(io->overflow, sizeof(uint32_t), "overflow", io->spectra,
                                 spectra_bytes, "spectra");
    return status;
}

static clradio_status check_io(const clradio_xengine *plan, clradio_queue *queue,
                               const clradio_xengine_io *io)
{
    uint64_t bytes;
    clradio_status status;
    if (!plan || !queue || !io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL",
                        !plan    ? "plan"
                        : !queue ? "queue"
                                 : "io");
    if (io->struct_size != sizeof *io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.struct_size is %zu, not %zu", io->struct_size,
                        sizeof *io);
    if (clr_queue_device(queue) != plan->device)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the queue belongs to another device");
    status = check_flags(plan, io);
    if (!status)
        status = plan->plan.input_used(plan->plan.engine, io->spectra_count, &bytes);
    if (!status && io->spectra_count)
        status = check_span(plan, "spectra", io->spectra, bytes,
                            clradio_type_bytes(plan->config.input) *
                                clr_max_u64(1, plan->config.block_times));
    if (!status && (io->flags & CLRADIO_DUMP))
        status = check_span(plan, "visibilities", io->visibilities, plan->plan.output_bytes,
                            clradio_type_bytes(plan->config.output));
    if (!status && io->overflow.buffer)
        status = check_span(plan, "overflow", io->overflow, sizeof(uint32_t), sizeof(uint32_t));
    return status ? status : check_apart(plan, io, bytes);
}

/* Sums all spectra of the call into work->sums, in as many commands as the device needs. */
static clradio_status sum_spectra(call *call, clr_xengine_work *work)
{
    clradio_xengine *plan = call->plan;
    const uint64_t all = call->io->spectra_count;
    const size_t element = clradio_type_bytes(plan->config.input);
    const clr_xengine_layout layout = clr_xengine_layout_of_config(&plan->config, all);
    uint64_t done = 0;
    clradio_status status = CLRADIO_OK;
    /* slices of the last command may be fewer: the others keep what they have */
    while (!status && done < all) {
        work->slice_length = call->slice_length;
        work->spectra_count = clr_min_u64(all - done, work->slice_length * call->slices);
        work->slices = (uint32_t)clr_ceil_div(work->spectra_count, work->slice_length);
        work->layout = layout;
        work->spectra = call->io->spectra;
        work->skip =
            plan->reorder.scratch && plan->config.block_times ? done % plan->config.block_times : 0;
        work->spectra.offset +=
            clr_xengine_sample_at(&layout, done - work->skip, work->first_channel, 0) * element;
        done += work->spectra_count;
        if (plan->reorder.scratch)
            status = clr_xengine_reorder_work(plan, &call->chain, work);
        if (!status)
            status = plan->candidate.variant->sum(plan, &call->chain, work);
        work->add = 1;
    }
    return status;
}

/* The sums of a chunk of channels into `to`: one slice there directly, several through partials. */
static clradio_status sum_channels(call *call, uint32_t first, uint32_t channels, clradio_span to)
{
    clradio_xengine *plan = call->plan;
    const uint64_t bytes = plan->channel_sums_bytes * channels;
    const int sliced = call->slices > 1;
    clr_xengine_work work = { .first_channel = first,
                              .channels = channels,
                              .sums = sliced ? (clradio_span){ plan->partials, 0 } : to,
                              .add = sliced ? 0 : call->add };
    if (!call->io->spectra_count)
        return call->add ? CLRADIO_OK : clr_chain_fill(&call->chain, to, 0, bytes);
    clradio_status status = sum_spectra(call, &work);
    if (status || !sliced)
        return status;
    const uint64_t reals = bytes / 8;
    clr_launch launch = { .groups = { clr_ceil_div(reals, 64), 1, 1 }, .group = { 64, 1, 1 } };
    clr_launch_span(&launch, work.sums);
    clr_launch_span(&launch, to);
    clr_launch_u64(&launch, reals);
    clr_launch_u32(&launch, call->slices);
    clr_launch_u64(&launch, reals);
    clr_launch_u32(&launch, (uint32_t)call->add);
    return clr_chain_launch(&call->chain, plan->reduce_kernel, &launch);
}

static clradio_status dump_channels(call *call, uint32_t first, uint32_t channels,
                                    clradio_span from)
{
    clradio_xengine *plan = call->plan;
    const uint32_t stations = plan->config.stations;
    const uint32_t rows = plan->config.order == CLRADIO_ORDER_XGPU_REGISTER_TILE
                              ? stations / 2 + stations % 2
                              : stations;
    clr_launch launch = { .groups = { rows, channels, 1 }, .group = { 64, 1, 1 } };
    clr_launch_span(&launch, from);
    clr_launch_span(&launch, call->io->visibilities);
    clr_launch_span(&launch, call->io->overflow);
    clr_launch_u32(&launch, stations);
    clr_launch_u32(&launch, first);
    clr_launch_u64(&launch, plan->channel_output_values * plan->config.channels);
    clr_launch_u32(&launch, plan->config.order);
    clr_launch_u32(&launch, (uint32_t)plan->config.conjugate);
    clr_launch_u32(&launch, call->io->overflow.buffer != NULL);
    return clr_chain_launch(&call->chain, plan->dump_kernel, &launch);
}

/* Where the sums of a channel are kept: in an accumulator, or only for now. */
static clradio_span sums_of(const clradio_xengine *plan, uint32_t channel)
{
    if (!plan->accumulator_count)
        return (clradio_span){ plan->partials, 0 };
    return (clradio_span){ plan->accumulators[channel / plan->accumulator_channels],
                           channel % plan->accumulator_channels * plan->channel_sums_bytes };
}

static clradio_status enqueue_chunks(call *call)
{
    const clradio_xengine *plan = call->plan;
    clradio_status status = CLRADIO_OK;
    uint32_t first = 0;
    while (!status && first < plan->config.channels) {
        uint64_t channels = clr_min_u64(plan->chunk_channels, plan->config.channels - first);
        if (plan->reorder.scratch)
            channels = clr_min_u64(channels, plan->reorder.channels);
        if (plan->accumulator_count) /* no chunk lies in two accumulators */
            channels = clr_min_u64(channels,
                                   plan->accumulator_channels - first % plan->accumulator_channels);
        const clradio_span sums = sums_of(plan, first);
        status = sum_channels(call, first, (uint32_t)channels, sums);
        if (!status && (call->io->flags & CLRADIO_DUMP))
            status = dump_channels(call, first, (uint32_t)channels, sums);
        first += (uint32_t)channels;
    }
    return status;
}

/* What one command may sum of a slice: what the device allows, whole blocks, room in scratch. */
static uint64_t longest_slice(const clradio_xengine *plan, uint64_t slices)
{
    uint64_t most = plan->candidate.variant->most_spectra(plan);
    const uint64_t times = plan->reorder.scratch ? plan->reorder.times : plan->config.block_times;
    if (plan->reorder.scratch)
        most = clr_min_u64(most, plan->reorder.spectra / slices);
    /* a variant that reads blocks allows one at least */
    return times > 1 && most != UINT64_MAX ? clr_max_u64(most / times, 1) * times : most;
}

/* Equal slices of whole blocks, none shorter than is worth it unless the caller asked for their
 * number. */
static void slice_time(call *call)
{
    const clradio_xengine *plan = call->plan;
    const clr_xengine_variant *variant = plan->candidate.variant;
    const uint64_t count = call->io->spectra_count;
    uint64_t slices = plan->slices;
    const int is_explicit = variant->split_parameter < variant->n_parameters &&
                            plan->candidate.values[variant->split_parameter];
    if (slices > 1 && !is_explicit)
        slices = clr_min_u64(slices, count / variant->least_slice(plan));
    const uint64_t times =
        clr_max_u64(1, plan->reorder.scratch ? plan->reorder.times : plan->config.block_times);
    if (plan->reorder.scratch)
        slices = clr_min_u64(slices, plan->reorder.spectra / times);
    slices = clr_max_u64(1, clr_min_u64(slices, clr_ceil_div(count, times)));
    call->slice_length = count ? clr_ceil_div(clr_ceil_div(count, slices), times) * times : 1;
    call->slices = count ? (uint32_t)clr_ceil_div(count, call->slice_length) : 1;
    call->slice_length = clr_min_u64(call->slice_length, longest_slice(plan, call->slices));
}

clradio_status clradio_xengine_enqueue(clradio_xengine *plan, clradio_queue *queue,
                                       const clradio_xengine_io *io, size_t n_wait,
                                       clradio_event *const *wait, clradio_event **done)
{
    clradio_event *event = NULL;
    if (done)
        *done = NULL;
    clradio_status status = check_io(plan, queue, io);
    if (status)
        return status;
    call call = { .plan = plan, .io = io };
    call.add = (io->flags & CLRADIO_ACCUMULATE) && plan->state == CLR_SUMS_THERE;
    slice_time(&call);
    status = clr_chain_begin(&call.chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    status = clr_chain_end(&call.chain, enqueue_chunks(&call), &event);
    if (status) {
        plan->state = CLR_SUMS_LOST;
        return status;
    }
    plan->state = CLR_SUMS_THERE;
    clradio_event_destroy(plan->last);
    plan->last = event;
    if (done)
        *done = clr_event_retain(event);
    return CLRADIO_OK;
}

clradio_status clr_xengine_plan_enqueue(void *engine, clradio_queue *queue,
                                        const clr_plan_call *call, size_t n_wait,
                                        clradio_event *const *wait, clradio_event **done)
{
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    if (call->valid.buffer)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "the X-engine takes no array of valid samples");
    io.spectra = call->input;
    io.visibilities = call->output;
    io.overflow = call->overflow;
    io.spectra_count = call->count;
    io.flags = call->flags;
    return clradio_xengine_enqueue(engine, queue, &io, n_wait, wait, done);
}
