/*
 * One call of an X-engine: for each integration sums a chunk of channels at a time and, when asked,
 * writes the visibilities. All commands are one chain; calls of a plan follow one another.
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"

typedef struct call {
    clradio_xengine *plan;
    const clradio_xengine_io *io;
    clr_chain chain;
    /* of one integration: its spectra, and where its parts of the output arrays are */
    uint64_t begin, count;
    clradio_span visibilities, counts, input_counts;
    int through_scratch, masked;
    uint32_t slices;
    uint64_t slice_length;
    int add; /* to the accumulators */
} call;

/* Where the work finds its spectra, which begin `done` spectra behind the integration's begin: in
 * the caller's array, or in scratch memory without what is not valid, which is counted. */
static clradio_status bring_spectra(call *call, clr_xengine_work *work, uint64_t done)
{
    clradio_xengine *plan = call->plan;
    const uint64_t time = call->begin + done, blocks = plan->config.block_times;
    const size_t element = clradio_type_bytes(plan->config.input);
    clradio_status status = CLRADIO_OK;
    work->layout = clr_xengine_layout_of_config(&plan->config, call->io->spectra_count);
    work->skip = call->through_scratch && blocks ? time % blocks : 0;
    work->spectra = call->io->spectra;
    work->spectra.offset +=
        clr_xengine_sample_at(&work->layout, time - work->skip, work->first_channel, 0) * element;
    if (call->masked) {
        const uint64_t words = clr_ceil_div(work->spectra_count, 32);
        status = clr_xengine_pack_valid(plan, &call->chain, call->io->valid, time, work);
        if (!status)
            status = clr_xengine_count_valid(plan, &call->chain, work->first_channel,
                                             work->channels, words, 0, call->add || done);
    }
    if (!status && call->through_scratch)
        status = clr_xengine_reorder_work(plan, &call->chain, work, call->masked);
    return status;
}

/* Spectra that nothing is flagged in (none at all, too) are counted at once. */
static clradio_status count_plain(call *call, uint32_t first, uint32_t channels)
{
    if (!call->plan->config.valid || (call->masked && call->count))
        return CLRADIO_OK;
    return clr_xengine_count_valid(call->plan, &call->chain, first, channels, 0, call->count,
                                   call->add);
}

/* Sums all spectra of the call into work->sums, in as many commands as the device needs. */
static clradio_status sum_spectra(call *call, clr_xengine_work *work)
{
    clradio_xengine *plan = call->plan;
    uint64_t done = 0;
    clradio_status status = CLRADIO_OK;
    /* slices of the last command may be fewer: the others keep what they have */
    while (!status && done < call->count) {
        work->slice_length = call->slice_length;
        work->spectra_count = clr_min_u64(call->count - done, work->slice_length * call->slices);
        work->slices = (uint32_t)clr_ceil_div(work->spectra_count, work->slice_length);
        status = bring_spectra(call, work, done);
        if (!status)
            status = plan->candidate.variant->sum(plan, &call->chain, work);
        work->add = 1;
        done += work->spectra_count;
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
    if (!call->count)
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
    clr_launch launch = { .groups = { clr_xengine_rows(&plan->config), channels, 1 },
                          .group = { 64, 1, 1 } };
    clr_launch_span(&launch, from);
    clr_launch_span(&launch, call->visibilities);
    clr_launch_span(&launch, call->io->overflow);
    clr_launch_u32(&launch, plan->config.stations);
    clr_launch_u32(&launch, first);
    clr_launch_u64(&launch, plan->channel_output_values * plan->config.channels);
    clr_launch_u32(&launch, plan->config.order);
    clr_launch_u32(&launch, (uint32_t)plan->config.conjugate);
    clr_launch_u32(&launch, call->io->overflow.buffer != NULL);
    return clr_chain_launch(&call->chain, plan->dump_kernel, &launch);
}

/* The visibilities of a chunk of channels in one command, by a variant that writes them itself. */
static clradio_status write_channels(call *call, uint32_t first, uint32_t channels)
{
    clradio_xengine *plan = call->plan;
    clr_xengine_work work = { .spectra_count = call->count,
                              .slice_length = clr_max_u64(1, call->count),
                              .slices = 1,
                              .first_channel = first,
                              .channels = channels,
                              .visibilities = call->visibilities };
    clradio_status status = call->count ? bring_spectra(call, &work, 0) : CLRADIO_OK;
    return status ? status : plan->candidate.variant->sum(plan, &call->chain, &work);
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
        if (call->through_scratch)
            channels = clr_min_u64(channels, plan->reorder.channels);
        if (plan->accumulator_count) /* no chunk lies in two accumulators */
            channels = clr_min_u64(channels,
                                   plan->accumulator_channels - first % plan->accumulator_channels);
        const clradio_span sums = sums_of(plan, first);
        status = count_plain(call, first, (uint32_t)channels);
        if (!status && plan->direct) {
            status = write_channels(call, first, (uint32_t)channels);
        } else if (!status) {
            status = sum_channels(call, first, (uint32_t)channels, sums);
            if (!status && (call->io->flags & CLRADIO_DUMP))
                status = dump_channels(call, first, (uint32_t)channels, sums);
        }
        if (!status && (call->counts.buffer || call->input_counts.buffer))
            status = clr_xengine_dump_counts(call->plan, &call->chain, call->counts,
                                             call->input_counts, first, (uint32_t)channels);
        first += (uint32_t)channels;
    }
    return status;
}

/* What one command may sum of a slice: what the device allows, whole blocks, room in scratch. */
static uint64_t longest_slice(const call *call, uint64_t slices)
{
    const clradio_xengine *plan = call->plan;
    uint64_t most = plan->candidate.variant->most_spectra(plan);
    const uint64_t times = call->through_scratch ? plan->reorder.times : plan->config.block_times;
    if (call->through_scratch)
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
    const uint64_t count = call->count;
    uint64_t slices = plan->slices;
    const int is_explicit = variant->split_parameter < variant->n_parameters &&
                            plan->candidate.values[variant->split_parameter];
    if (slices > 1 && !is_explicit)
        slices = clr_min_u64(slices, count / variant->least_slice(plan));
    const uint64_t times =
        clr_max_u64(1, call->through_scratch ? plan->reorder.times : plan->config.block_times);
    if (call->through_scratch)
        slices = clr_min_u64(slices, plan->reorder.spectra / times);
    slices = clr_max_u64(1, clr_min_u64(slices, clr_ceil_div(count, times)));
    call->slice_length = count ? clr_ceil_div(clr_ceil_div(count, slices), times) * times : 1;
    call->slices = count ? (uint32_t)clr_ceil_div(count, call->slice_length) : 1;
    call->slice_length = clr_min_u64(call->slice_length, longest_slice(call, call->slices));
}

/* Moves an array on to the next integration's part. */
static void next_part(clradio_span *span, uint64_t bytes)
{
    span->offset += span->buffer ? bytes : 0;
}

static clradio_status enqueue_integrations(call *call, uint64_t integrations)
{
    const clradio_xengine *plan = call->plan;
    const clradio_xengine_config *config = &plan->config;
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const uint64_t all = call->io->spectra_count;
    const uint64_t each = call->io->integration_spectra ? call->io->integration_spectra : all;
    clradio_status status = CLRADIO_OK;
    for (uint64_t n = 0; n < integrations && !status; n++) {
        call->begin = n * each;
        call->count = clr_min_u64(each, all - call->begin);
        slice_time(call);
        status = enqueue_chunks(call);
        call->add = 0;
        next_part(&call->visibilities, plan->visibilities_bytes);
        next_part(&call->counts, plan->channel_output_values * config->channels * 8);
        next_part(&call->input_counts, inputs * config->channels * 8);
    }
    return status;
}

clradio_status clradio_xengine_enqueue(clradio_xengine *plan, clradio_queue *queue,
                                       const clradio_xengine_io *io, size_t n_wait,
                                       clradio_event *const *wait, clradio_event **done)
{
    if (done)
        *done = NULL;
    uint64_t integrations;
    clradio_status status = clr_xengine_check_io(plan, queue, io, &integrations);
    if (status)
        return status;
    call call = { .plan = plan, .io = io, .visibilities = io->visibilities };
    call.add = (io->flags & CLRADIO_ACCUMULATE) && plan->state == CLR_SUMS_THERE;
    call.masked = io->valid.buffer != NULL;
    call.through_scratch = plan->reorder.always || call.masked;
    if (io->flags & CLRADIO_DUMP) {
        call.counts = io->counts;
        call.input_counts = io->input_counts;
    }
    status = clr_chain_begin(&call.chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    status = clr_chain_end_call(&call.chain, enqueue_integrations(&call, integrations), &plan->last,
                                done);
    plan->state = status ? CLR_SUMS_LOST : CLR_SUMS_THERE;
    return status;
}

clradio_status clr_xengine_plan_enqueue(void *engine, clradio_queue *queue,
                                        const clr_plan_call *call, size_t n_wait,
                                        clradio_event *const *wait, clradio_event **done)
{
    const clradio_xengine *plan = engine;
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    if (plan->config.valid && (call->flags & CLRADIO_DUMP)) { /* behind the visibilities */
        io.counts = io.input_counts = call->output;
        io.counts.offset += plan->visibilities_bytes;
        io.input_counts.offset +=
            plan->visibilities_bytes + plan->channel_output_values * plan->config.channels * 8;
    }
    io.valid = call->valid;
    io.spectra = call->input;
    io.visibilities = call->output;
    io.overflow = call->overflow;
    io.spectra_count = call->count;
    io.flags = call->flags;
    return clradio_xengine_enqueue(engine, queue, &io, n_wait, wait, done);
}
