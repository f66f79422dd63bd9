/*
 * One call of a detector: checks the arrays, then a batch at a time whitens, decomposes, searches,
 * searches again what was not certified, and counts. All commands are one chain.
 */
#include "base/checked.h"
#include "engine/detector_internal.h"

#include <inttypes.h>
#include <math.h>

typedef struct call {
    clradio_detector *plan;
    const clradio_detector_io *io;
    clr_chain chain;
    uint64_t first, items; /* of the batch */
    clradio_span status, nodes;
    uint64_t lanes; /* that wrote their steps */
} call;

/* ---- a batch ---- */

static clradio_span moved(clradio_span span, uint64_t bytes)
{
    return span.buffer ? (clradio_span){ span.buffer, span.offset + bytes } : span;
}

static clradio_span start_of(clradio_buffer *buffer)
{
    return (clradio_span){ buffer, 0 };
}

static clr_launch over(uint64_t items, uint32_t threads)
{
    return (clr_launch){ .groups = { clr_ceil_div(items, threads), 1, 1 },
                         .group = { threads, 1, 1 } };
}

static uint64_t channel_of(const clradio_detector *plan, uint64_t vector)
{
    const uint64_t per = plan->config.vectors_per_channel;
    return per ? vector / per : 0;
}

static float noise_factor(const clradio_detector *plan)
{
    return plan->config.flags & CLRADIO_DETECTOR_NOISE_PER_REAL ? 2 : 1;
}

static float noise_variance(const call *call)
{
    return call->plan->shape.whitened
               ? 1
               : (float)(call->io->noise_variance * noise_factor(call->plan));
}

/* The noise of each vector, or nothing. */
static clradio_span vector_noise(const call *call)
{
    return call->plan->config.noise == CLRADIO_NOISE_PER_VECTOR ? call->io->noise : start_of(NULL);
}

static uint64_t batch_channels(const call *call)
{
    return channel_of(call->plan, call->first + call->items - 1) -
           channel_of(call->plan, call->first) + 1;
}

static clradio_status whiten(call *call)
{
    clradio_detector *plan = call->plan;
    const uint64_t kind = plan->shape.factors_for;
    if (kind == 0 && call->first > 0)
        return CLRADIO_OK;
    const uint64_t items = kind == 2 ? call->items : kind == 1 ? batch_channels(call) : 1;
    clr_launch launch = over(items, plan->threads);
    clr_launch_span(&launch, call->io->noise);
    clr_launch_span(&launch, start_of(plan->factor));
    clr_launch_u64(&launch, kind == 2   ? call->first
                            : kind == 1 ? channel_of(plan, call->first)
                                        : 0);
    clr_launch_u64(&launch, items);
    return clr_chain_launch(&call->chain, plan->whiten, &launch);
}

static clradio_status prepare_shared(call *call)
{
    clradio_detector *plan = call->plan;
    const uint64_t first_channel = channel_of(plan, call->first), channels = batch_channels(call);
    clr_launch launch = over(channels, plan->threads);
    clr_launch_span(&launch, call->io->channel);
    clr_launch_span(&launch, start_of(plan->factor));
    clr_launch_span(&launch, start_of(plan->model));
    clr_launch_span(&launch, start_of(plan->channel_work));
    clr_launch_u64(&launch, plan->batch_channels);
    clr_launch_u64(&launch, first_channel);
    clr_launch_u64(&launch, channels);
    clr_launch_u32(&launch, plan->shape.factors_for == 1);
    clradio_status status = clr_chain_launch(&call->chain, plan->prepare, &launch);
    if (status)
        return status;
    launch = over(call->items, plan->threads);
    clr_launch_span(&launch, call->io->received);
    clr_launch_span(&launch, vector_noise(call));
    clr_launch_span(&launch, start_of(plan->factor));
    clr_launch_span(&launch, start_of(plan->model));
    clr_launch_span(&launch, start_of(plan->channel_work));
    clr_launch_u64(&launch, plan->batch_channels);
    clr_launch_span(&launch, start_of(plan->vector_work));
    clr_launch_u64(&launch, plan->batch);
    clr_launch_u64(&launch, call->first);
    clr_launch_u64(&launch, call->items);
    clr_launch_u64(&launch, plan->config.vectors_per_channel);
    clr_launch_u64(&launch, first_channel);
    clr_launch_u32(&launch, plan->shape.factors_for == 1);
    clr_launch_f32(&launch, noise_variance(call));
    clr_launch_f32(&launch, noise_factor(plan));
    clr_launch_f32(&launch, (float)plan->config.radius_factor);
    return clr_chain_launch(&call->chain, plan->prepare_vectors, &launch);
}

static clradio_status prepare(call *call)
{
    clradio_detector *plan = call->plan;
    if (plan->shape.shared)
        return prepare_shared(call);
    clr_launch launch = over(call->items, plan->threads);
    clr_launch_span(&launch, call->io->received);
    clr_launch_span(&launch, call->io->channel);
    clr_launch_span(&launch, vector_noise(call));
    clr_launch_span(&launch, start_of(plan->factor));
    clr_launch_span(&launch, start_of(plan->model));
    clr_launch_span(&launch, start_of(plan->channel_work));
    clr_launch_span(&launch, start_of(plan->vector_work));
    clr_launch_u64(&launch, plan->batch);
    clr_launch_u64(&launch, call->first);
    clr_launch_u64(&launch, call->items);
    clr_launch_u64(&launch, plan->config.vectors_per_channel);
    clr_launch_u32(&launch, plan->shape.factors_for != 0);
    clr_launch_f32(&launch, noise_variance(call));
    clr_launch_f32(&launch, noise_factor(plan));
    clr_launch_f32(&launch, (float)plan->config.radius_factor);
    return clr_chain_launch(&call->chain, plan->prepare, &launch);
}

static void add_outputs(const call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    const uint64_t first = call->first;
    clr_launch_span(launch,
                    moved(io->symbols, first * plan->config.transmit * plan->shape.symbol_bytes));
    clr_launch_span(launch, moved(io->bits, first * plan->shape.bits));
    clr_launch_span(launch, moved(io->metric, 4 * first));
    clr_launch_span(launch, call->status);
    clr_launch_span(launch, call->nodes);
}

/* The arguments that all searching kernels begin with. */
static void add_work(const call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    clr_launch_span(launch, start_of(plan->model));
    clr_launch_span(launch, start_of(plan->channel_work));
    clr_launch_u64(launch, plan->batch_channels);
    clr_launch_span(launch, start_of(plan->vector_work));
    clr_launch_u64(launch, plan->batch);
    add_outputs(call, launch);
}

/* What says where an item's channel is. */
static void add_place(const call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    clr_launch_u64(launch, call->first);
    clr_launch_u64(launch, call->items);
    clr_launch_u64(launch, plan->shape.shared ? plan->config.vectors_per_channel : 1);
    clr_launch_u64(launch, plan->shape.shared ? channel_of(plan, call->first) : call->first);
}

static clradio_status search(call *call)
{
    clradio_detector *plan = call->plan;
    const uint64_t lanes = (uint64_t)plan->values[CLR_DETECTOR_CTA_SIZE];
    const uint64_t block = lanes * (uint64_t)plan->values[CLR_DETECTOR_REFILL];
    clr_launch launch = { .groups = { clr_ceil_div(call->items, block), 1, 1 },
                          .group = { lanes, 1, 1 } };
    call->lanes = launch.groups[0] * lanes;
    add_work(call, &launch);
    clr_launch_span(&launch, start_of(plan->list));
    clr_launch_span(&launch, start_of(plan->counters));
    clr_launch_span(&launch, start_of(plan->steps));
    add_place(call, &launch);
    clr_launch_u32(&launch, plan->node_budget);
    return clr_chain_launch(&call->chain, plan->search, &launch);
}

/* detector_group.cl over all items, or over the list of those that were not certified. */
static clradio_status search_groups(call *call, clr_kernel *kernel, uint64_t lanes, uint64_t trees,
                                    uint32_t budget, uint64_t most_groups)
{
    clradio_detector *plan = call->plan;
    const uint64_t groups = clr_min_u64(clr_ceil_div(call->items, trees), most_groups);
    clr_launch launch = { .groups = { groups, 1, 1 }, .group = { lanes, 1, 1 } };
    add_work(call, &launch);
    clr_launch_span(&launch, start_of(plan->list));
    clr_launch_span(&launch, start_of(plan->counters));
    clr_launch_u64(&launch, call->first);
    clr_launch_u64(&launch, call->items);
    /* the list's vectors are decomposed from the input, whose channels are the caller's */
    clr_launch_u64(&launch, kernel == plan->again || plan->shape.shared
                                ? plan->config.vectors_per_channel
                                : 1);
    clr_launch_u64(&launch, kernel == plan->again || plan->shape.shared
                                ? channel_of(plan, call->first)
                                : call->first);
    clr_launch_u32(&launch, budget);
    clr_launch_span(&launch, call->io->received);
    clr_launch_span(&launch, call->io->channel);
    clr_launch_span(&launch, vector_noise(call));
    clr_launch_span(&launch, start_of(plan->factor));
    clr_launch_u32(&launch, (uint32_t)plan->shape.factors_for);
    clr_launch_f32(&launch, noise_variance(call));
    clr_launch_f32(&launch, noise_factor(plan));
    clr_launch_f32(&launch, (float)plan->config.radius_factor);
    return clr_chain_launch(&call->chain, kernel, &launch);
}

static clradio_status search_again(call *call)
{
    clradio_detector *plan = call->plan;
    const int cpu = clr_device_info(plan->device)->kind == CLRADIO_DEVICE_CPU;
    if (!plan->again)
        return CLRADIO_OK;
    return search_groups(call, plan->again, (uint64_t)plan->values[CLR_DETECTOR_AGAIN], 1,
                         plan->final_budget, cpu ? 64 : 8192);
}

static void add_llr(const call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    const uint64_t bytes = plan->config.llr_type == CLRADIO_I8 ? 1 : 4;
    clr_launch_span(launch, moved(call->io->llr, bytes * plan->shape.bits * call->first));
}

static void add_llr_numbers(const call *call, clr_launch *launch)
{
    const clradio_detector_config *config = &call->plan->config;
    clr_launch_f32(launch, (float)config->llr_clip);
    clr_launch_f32(launch, (float)config->llr_scale);
    clr_launch_u32(launch, (config->flags & CLRADIO_DETECTOR_LLR_ONE) != 0);
}

/* A kernel of one work-item a vector over the work arrays (cl/detector_work.cl). */
static clradio_status over_work(call *call, clr_kernel *kernel, uint32_t budget)
{
    clradio_detector *plan = call->plan;
    clr_launch launch = over(call->items, plan->threads);
    add_work(call, &launch);
    add_llr(call, &launch);
    clr_launch_span(&launch, moved(call->io->prior, 4 * (uint64_t)plan->shape.bits * call->first));
    clr_launch_span(&launch, start_of(plan->list));
    clr_launch_span(&launch, start_of(plan->counters));
    add_place(call, &launch);
    clr_launch_u32(&launch, budget);
    add_llr_numbers(call, &launch);
    return clr_chain_launch(&call->chain, kernel, &launch);
}

static clradio_status linear(call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    clr_launch launch = over(call->items, plan->threads);
    clr_launch_span(&launch, io->received);
    clr_launch_span(&launch, io->channel);
    clr_launch_span(&launch, vector_noise(call));
    clr_launch_span(&launch, start_of(plan->factor));
    clr_launch_span(&launch, start_of(plan->model));
    add_outputs(call, &launch);
    add_llr(call, &launch);
    clr_launch_u64(&launch, call->first);
    clr_launch_u64(&launch, call->items);
    clr_launch_u64(&launch, plan->config.vectors_per_channel);
    clr_launch_u64(&launch, channel_of(plan, call->first));
    clr_launch_u32(&launch, (uint32_t)plan->shape.factors_for);
    clr_launch_f32(&launch, noise_variance(call));
    clr_launch_f32(&launch, noise_factor(plan));
    add_llr_numbers(call, &launch);
    return clr_chain_launch(&call->chain, plan->search, &launch);
}

static clradio_status other_method(call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_method method = plan->config.method;
    if (method == CLRADIO_DETECTOR_MMSE || method == CLRADIO_DETECTOR_ZF)
        return linear(call);
    /* with a prior the second pass, which knows none, decides nothing */
    return over_work(call, plan->search, plan->again && !call->io->prior.buffer);
}

static clradio_status list_all(call *call)
{
    clradio_detector *plan = call->plan;
    clr_launch launch = over(call->items, plan->threads);
    clr_launch_span(&launch, start_of(plan->list));
    clr_launch_span(&launch, start_of(plan->counters));
    clr_launch_span(&launch, call->status);
    clr_launch_span(&launch, call->nodes);
    clr_launch_u64(&launch, call->items);
    return clr_chain_launch(&call->chain, plan->list_all, &launch);
}

static clradio_status count(call *call)
{
    clradio_detector *plan = call->plan;
    const int cpu = clr_device_info(plan->device)->kind == CLRADIO_DEVICE_CPU;
    const uint64_t groups =
        clr_min_u64(clr_ceil_div(call->items, plan->threads), CLR_DETECTOR_COUNT_GROUPS);
    clr_launch launch = { .groups = { groups, 1, 1 }, .group = { plan->threads, 1, 1 } };
    clr_launch_span(&launch, call->status);
    clr_launch_span(&launch, call->nodes);
    clr_launch_span(&launch, start_of(plan->partials));
    clr_launch_u64(&launch, call->items);
    clradio_status status = clr_chain_launch(&call->chain, plan->count, &launch);
    if (status)
        return status;
    launch = over(1, plan->threads);
    clr_launch_span(&launch, start_of(plan->partials));
    clr_launch_span(&launch, start_of(plan->counters));
    clr_launch_span(&launch, start_of(plan->steps));
    clr_launch_span(&launch, call->io->statistics);
    clr_launch_u64(&launch, call->items);
    clr_launch_u64(&launch, call->lanes);
    clr_launch_u32(&launch, cpu ? 1 : 32);
    clr_launch_u32(&launch, (uint32_t)groups);
    clr_launch_u32(&launch, call->first == 0);
    clr_launch_u32(&launch, plan->again && plan->variant != CLR_DETECTOR_WIDE);
    return clr_chain_launch(&call->chain, plan->sum, &launch);
}

/* The first pass of hard decisions. */
static clradio_status first_pass(call *call)
{
    clradio_detector *plan = call->plan;
    switch (plan->variant) {
    case CLR_DETECTOR_LANE: return search(call);
    case CLR_DETECTOR_GROUP:
        return search_groups(call, plan->search, (uint64_t)plan->values[CLR_DETECTOR_CTA_SIZE],
                             (uint64_t)plan->values[CLR_DETECTOR_TREES], plan->node_budget,
                             1u << 20);
    case CLR_DETECTOR_WIDE: return list_all(call);
    default: return other_method(call);
    }
}

static clradio_status enqueue_batch(call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    const int soft = plan->soft && (io->llr.buffer || io->prior.buffer);
    clradio_status status = CLRADIO_OK;
    call->lanes = 0;
    if (plan->shape.whitened)
        status = whiten(call);
    if (!status && plan->prepare)
        status = prepare(call);
    if (plan->only_prepare)
        return status;
    if (!status)
        status = clr_chain_fill(&call->chain, start_of(plan->counters), 0, 16);
    /* with a prior the single tree search gives the symbols too */
    if (!status && !(soft && io->prior.buffer)) {
        status = first_pass(call);
        if (!status)
            status = search_again(call);
    }
    if (!status && soft)
        status = over_work(call, plan->soft,
                           plan->final_budget ? plan->final_budget : plan->node_budget);
    return !status && io->statistics.buffer ? count(call) : status;
}

static clradio_status enqueue_all(call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    clradio_status status = CLRADIO_OK;
    if (!io->vectors_count && io->statistics.buffer)
        return clr_chain_fill(&call->chain, io->statistics, 0, sizeof(clradio_detector_statistics));
    for (uint64_t done = 0; !status && done < io->vectors_count; done += call->items) {
        call->first = done;
        call->items = clr_min_u64(plan->batch, io->vectors_count - done);
        call->status = io->status.buffer ? moved(io->status, done) : start_of(plan->status);
        call->nodes = io->nodes.buffer ? moved(io->nodes, 4 * done) : start_of(plan->nodes);
        status = enqueue_batch(call);
    }
    return status;
}

clradio_status clradio_detector_enqueue(clradio_detector *plan, clradio_queue *queue,
                                        const clradio_detector_io *io, size_t n_wait,
                                        clradio_event *const *wait, clradio_event **done)
{
    clradio_event *event = NULL;
    if (done)
        *done = NULL;
    clradio_status status = clr_detector_check_io(plan, queue, io);
    if (status)
        return status;
    call call = { .plan = plan, .io = io };
    status = clr_chain_begin(&call.chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    status = clr_chain_end(&call.chain, enqueue_all(&call), &event);
    if (status)
        return status;
    clradio_event_destroy(plan->last);
    plan->last = event;
    if (done)
        *done = clr_event_retain(event);
    return CLRADIO_OK;
}
