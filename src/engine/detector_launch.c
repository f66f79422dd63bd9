/* Launches of the detector's searches, of the other methods, and of the counting. */
#include "engine/detector_launch.h"

#include "base/checked.h"

void clr_detector_add_outputs(const clr_detector_call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    const uint64_t first = call->first;
    clr_launch_span(
        launch, clr_moved(io->symbols, first * plan->config.transmit * plan->shape.symbol_bytes));
    clr_launch_span(launch, clr_moved(io->bits, first * plan->shape.bits));
    clr_launch_span(launch, clr_moved(io->metric, 4 * first));
    clr_launch_span(launch, call->status);
    clr_launch_span(launch, call->nodes);
}

/* The arguments that all searching kernels begin with. */
static void add_work(const clr_detector_call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    clr_launch_span(launch, clr_start_of(plan->model));
    clr_launch_span(launch, clr_start_of(call->work->channel));
    clr_launch_u64(launch, plan->batch_channels);
    clr_launch_span(launch, clr_start_of(call->work->vector));
    clr_launch_u64(launch, plan->batch);
    clr_detector_add_outputs(call, launch);
}

/* What says where an item's channel is. */
static void add_place(const clr_detector_call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    clr_launch_u64(launch, call->first);
    clr_launch_u64(launch, call->items);
    clr_launch_u64(launch, plan->shape.shared ? plan->config.vectors_per_channel : 1);
    clr_launch_u64(launch, plan->shape.shared ? clr_channel_of(plan, call->first) : call->first);
}

clradio_status clr_detector_search(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const uint64_t lanes = (uint64_t)plan->values[CLR_DETECTOR_CTA_SIZE];
    const uint64_t block = lanes * (uint64_t)plan->values[CLR_DETECTOR_REFILL];
    clr_launch launch = { .groups = { clr_ceil_div(call->items, block), 1, 1 },
                          .group = { lanes, 1, 1 } };
    call->lanes = launch.groups[0] * lanes;
    add_work(call, &launch);
    clr_launch_span(&launch, clr_start_of(plan->list));
    clr_launch_span(&launch, clr_start_of(plan->counters));
    clr_launch_span(&launch, clr_start_of(plan->steps));
    add_place(call, &launch);
    clr_launch_u32(&launch, plan->node_budget);
    clr_launch_span(&launch, clr_start_of(call->work->left));
    return clr_chain_launch(&call->chain, plan->search, &launch);
}

void clr_detector_add_group(const clr_detector_call *call, int again, clradio_span list,
                            clradio_span counters, uint64_t items, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    /* the list's vectors are decomposed from the input, whose channels are the caller's */
    const int callers = again || plan->shape.shared;
    add_work(call, launch);
    clr_launch_span(launch, list);
    clr_launch_span(launch, counters);
    clr_launch_u64(launch, call->first);
    clr_launch_u64(launch, items);
    clr_launch_u64(launch, callers ? plan->config.vectors_per_channel : 1);
    clr_launch_u64(launch, callers ? clr_channel_of(plan, call->first) : call->first);
    clr_launch_u32(launch, again ? plan->final_budget : plan->node_budget);
    clr_launch_span(launch, call->io->received);
    clr_launch_span(launch, call->io->channel);
    clr_launch_span(launch, clr_vector_noise(call));
    clr_launch_span(launch, clr_factor_of(call));
    clr_launch_u32(launch, (uint32_t)plan->shape.factors_for);
    clr_launch_f32(launch, clr_noise_variance(call));
    clr_launch_f32(launch, clr_noise_factor(plan));
    clr_launch_f32(launch, (float)plan->config.radius_factor);
}

clradio_status clr_detector_search_groups(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const uint64_t groups = clr_ceil_div(call->items, (uint64_t)plan->values[CLR_DETECTOR_TREES]);
    clr_launch launch = { .groups = { clr_min_u64(groups, 1u << 20), 1, 1 },
                          .group = { (size_t)plan->values[CLR_DETECTOR_CTA_SIZE], 1, 1 } };
    clr_detector_add_group(call, 0, clr_start_of(plan->list), clr_start_of(plan->counters),
                           call->items, &launch);
    return clr_chain_launch(&call->chain, plan->search, &launch);
}

static void add_llr(const clr_detector_call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    const uint64_t bytes = plan->config.llr_type == CLRADIO_I8 ? 1 : 4;
    clr_launch_span(launch, clr_moved(call->io->llr, bytes * plan->shape.bits * call->first));
}

static void add_llr_numbers(const clr_detector_call *call, clr_launch *launch)
{
    const clradio_detector_config *config = &call->plan->config;
    clr_launch_f32(launch, (float)config->llr_clip);
    clr_launch_f32(launch, (float)config->llr_scale);
    clr_launch_u32(launch, (config->flags & CLRADIO_DETECTOR_LLR_ONE) != 0);
}

/* A kernel of one work-item a vector over the work arrays (cl/detector_work.cl). */
clradio_status clr_detector_over_work(clr_detector_call *call, clr_kernel *kernel, uint32_t budget)
{
    clradio_detector *plan = call->plan;
    clr_launch launch = clr_over_items(call->items, plan->threads);
    add_work(call, &launch);
    add_llr(call, &launch);
    clr_launch_span(&launch,
                    clr_moved(call->io->prior, 4 * (uint64_t)plan->shape.bits * call->first));
    clr_launch_span(&launch, clr_start_of(plan->list));
    clr_launch_span(&launch, clr_start_of(plan->counters));
    add_place(call, &launch);
    clr_launch_u32(&launch, budget);
    add_llr_numbers(call, &launch);
    return clr_chain_launch(&call->chain, kernel, &launch);
}

static clradio_status linear(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    clr_launch launch = clr_over_items(call->items, plan->threads);
    clr_launch_span(&launch, io->received);
    clr_launch_span(&launch, io->channel);
    clr_launch_span(&launch, clr_vector_noise(call));
    clr_launch_span(&launch, clr_factor_of(call));
    clr_launch_span(&launch, clr_start_of(plan->model));
    clr_detector_add_outputs(call, &launch);
    add_llr(call, &launch);
    clr_launch_u64(&launch, call->first);
    clr_launch_u64(&launch, call->items);
    clr_launch_u64(&launch, plan->config.vectors_per_channel);
    clr_launch_u64(&launch, clr_channel_of(plan, call->first));
    clr_launch_u32(&launch, (uint32_t)plan->shape.factors_for);
    clr_launch_f32(&launch, clr_noise_variance(call));
    clr_launch_f32(&launch, clr_noise_factor(plan));
    add_llr_numbers(call, &launch);
    return clr_chain_launch(&call->chain, plan->search, &launch);
}

clradio_status clr_detector_other_method(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_method method = plan->config.method;
    if (method == CLRADIO_DETECTOR_MMSE || method == CLRADIO_DETECTOR_ZF)
        return linear(call);
    /* with a prior the second pass, which knows none, decides nothing */
    return clr_detector_over_work(call, plan->search, plan->again && !call->io->prior.buffer);
}

clradio_status clr_detector_list_all(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    clr_launch launch = clr_over_items(call->items, plan->threads);
    clr_launch_span(&launch, clr_start_of(plan->list));
    clr_launch_span(&launch, clr_start_of(plan->counters));
    clr_launch_span(&launch, call->status);
    clr_launch_span(&launch, call->nodes);
    clr_launch_u64(&launch, call->items);
    return clr_chain_launch(&call->chain, plan->list_all, &launch);
}

clradio_status clr_detector_count(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const int cpu = clr_device_info(plan->device)->kind == CLRADIO_DEVICE_CPU;
    const uint64_t groups =
        clr_min_u64(clr_ceil_div(call->items, plan->threads), CLR_DETECTOR_COUNT_GROUPS);
    clr_launch launch = { .groups = { groups, 1, 1 }, .group = { plan->threads, 1, 1 } };
    clr_launch_span(&launch, call->status);
    clr_launch_span(&launch, call->nodes);
    clr_launch_span(&launch, clr_start_of(plan->partials));
    clr_launch_u64(&launch, call->items);
    clradio_status status = clr_chain_launch(&call->chain, plan->count, &launch);
    if (status)
        return status;
    launch = clr_over_items(1, plan->threads);
    clr_launch_span(&launch, clr_start_of(plan->partials));
    clr_launch_span(&launch, clr_start_of(plan->counters));
    clr_launch_span(&launch, clr_start_of(plan->steps));
    clr_launch_span(&launch, call->io->statistics);
    clr_launch_u64(&launch, call->items);
    clr_launch_u64(&launch, call->lanes);
    clr_launch_u32(&launch, cpu ? 1 : 32);
    clr_launch_u32(&launch, (uint32_t)groups);
    clr_launch_u32(&launch, call->first == 0);
    clr_launch_u32(&launch, plan->again && plan->variant != CLR_DETECTOR_WIDE);
    return clr_chain_launch(&call->chain, plan->sum, &launch);
}
