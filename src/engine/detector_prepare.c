/* Launches of the detector's first steps: factors of covariances, decomposition. */
#include "engine/detector_launch.h"

clradio_status clr_detector_whiten(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const uint64_t kind = plan->shape.factors_for;
    if (kind == 0 && call->first > 0)
        return CLRADIO_OK;
    const uint64_t items = kind == 2 ? call->items : kind == 1 ? clr_batch_channels(call) : 1;
    clr_launch launch = clr_over_items(items, plan->threads);
    clr_launch_span(&launch, call->io->noise);
    clr_launch_span(&launch, clr_factor_of(call));
    clr_launch_u64(&launch, kind == 2   ? call->first
                            : kind == 1 ? clr_channel_of(plan, call->first)
                                        : 0);
    clr_launch_u64(&launch, items);
    return clr_chain_launch(call->prepare_chain, plan->whiten, &launch);
}

/* Numbers and outputs that both kernels end with. */
static void add_end(const clr_detector_call *call, clr_launch *launch)
{
    const clradio_detector *plan = call->plan;
    clr_launch_f32(launch, clr_noise_variance(call));
    clr_launch_f32(launch, clr_noise_factor(plan));
    clr_launch_f32(launch, (float)plan->config.radius_factor);
    clr_detector_add_outputs(call, launch);
    clr_launch_span(launch, clr_start_of(call->work->left));
}

static clradio_status prepare_shared(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const uint64_t first_channel = clr_channel_of(plan, call->first),
                   channels = clr_batch_channels(call);
    clr_launch launch = clr_over_items(channels, plan->threads);
    clr_launch_span(&launch, call->io->channel);
    clr_launch_span(&launch, clr_factor_of(call));
    clr_launch_span(&launch, clr_start_of(plan->model));
    clr_launch_span(&launch, clr_start_of(call->work->channel));
    clr_launch_u64(&launch, plan->batch_channels);
    clr_launch_u64(&launch, first_channel);
    clr_launch_u64(&launch, channels);
    clr_launch_u32(&launch, plan->shape.factors_for == 1);
    clradio_status status = clr_chain_launch(call->prepare_chain, plan->prepare, &launch);
    if (status)
        return status;
    launch = clr_over_items(call->items, plan->threads);
    clr_launch_span(&launch, call->io->received);
    clr_launch_span(&launch, clr_vector_noise(call));
    clr_launch_span(&launch, clr_factor_of(call));
    clr_launch_span(&launch, clr_start_of(plan->model));
    clr_launch_span(&launch, clr_start_of(call->work->channel));
    clr_launch_u64(&launch, plan->batch_channels);
    clr_launch_span(&launch, clr_start_of(call->work->vector));
    clr_launch_u64(&launch, plan->batch);
    clr_launch_u64(&launch, call->first);
    clr_launch_u64(&launch, call->items);
    clr_launch_u64(&launch, plan->config.vectors_per_channel);
    clr_launch_u64(&launch, first_channel);
    clr_launch_u32(&launch, plan->shape.factors_for == 1);
    add_end(call, &launch);
    return clr_chain_launch(call->prepare_chain, plan->prepare_vectors, &launch);
}

clradio_status clr_detector_prepare(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    if (plan->values[CLR_DETECTOR_DESCENT]) {
        const clradio_status status =
            clr_chain_fill(call->prepare_chain, clr_start_of(call->work->left), 0, 4);
        if (status)
            return status;
    }
    if (plan->shape.shared)
        return prepare_shared(call);
    const uint64_t vectors = /* of a work-group */
        plan->values[CLR_DETECTOR_COLUMNS] ? plan->threads / plan->shape.levels : plan->threads;
    clr_launch launch = { .groups = { clr_ceil_div(call->items, vectors), 1, 1 },
                          .group = { plan->threads, 1, 1 } };
    clr_launch_span(&launch, call->io->received);
    clr_launch_span(&launch, call->io->channel);
    clr_launch_span(&launch, clr_vector_noise(call));
    clr_launch_span(&launch, clr_factor_of(call));
    clr_launch_span(&launch, clr_start_of(plan->model));
    clr_launch_span(&launch, clr_start_of(call->work->channel));
    clr_launch_span(&launch, clr_start_of(call->work->vector));
    clr_launch_u64(&launch, plan->batch);
    clr_launch_u64(&launch, call->first);
    clr_launch_u64(&launch, call->items);
    clr_launch_u64(&launch, plan->config.vectors_per_channel);
    clr_launch_u32(&launch, plan->shape.factors_for != 0);
    add_end(call, &launch);
    return clr_chain_launch(call->prepare_chain, plan->prepare, &launch);
}
