/*
 * One call of a detector: checks the arrays, then a batch at a time whitens, decomposes, searches,
 * searches again what was not certified, and counts. All commands are one chain.
 */
#include "base/checked.h"
#include "engine/detector_launch.h"

/* The first pass of hard decisions. */
static clradio_status first_pass(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    switch (plan->variant) {
    case CLR_DETECTOR_LANE: return clr_detector_search(call);
    case CLR_DETECTOR_GROUP: return clr_detector_search_groups(call);
    case CLR_DETECTOR_WIDE: return clr_detector_list_all(call);
    default: return clr_detector_other_method(call);
    }
}

static clradio_status enqueue_batch(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    const int soft = plan->soft && (io->llr.buffer || io->prior.buffer);
    clradio_status status = CLRADIO_OK;
    call->lanes = 0;
    if (plan->shape.whitened)
        status = clr_detector_whiten(call);
    if (!status && plan->prepare)
        status = clr_detector_prepare(call);
    if (plan->only_prepare)
        return status;
    if (!status)
        status = clr_chain_fill(&call->chain, clr_start_of(plan->counters), 0, 16);
    /* with a prior the single tree search gives the symbols too */
    if (!status && !(soft && io->prior.buffer)) {
        status = first_pass(call);
        if (!status)
            status = clr_detector_search_again(call);
    }
    if (!status && soft)
        status = clr_detector_over_work(call, plan->soft, plan->soft_budget);
    return !status && io->statistics.buffer ? clr_detector_count(call) : status;
}

static clradio_status enqueue_all(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    clradio_status status = CLRADIO_OK;
    if (!io->vectors_count && io->statistics.buffer)
        return clr_chain_fill(&call->chain, io->statistics, 0, sizeof(clradio_detector_statistics));
    for (uint64_t done = 0; !status && done < io->vectors_count; done += call->items) {
        call->first = done;
        call->items = clr_min_u64(plan->batch, io->vectors_count - done);
        call->status = io->status.buffer ? clr_moved(io->status, done) : clr_start_of(plan->status);
        call->nodes = io->nodes.buffer ? clr_moved(io->nodes, 4 * done) : clr_start_of(plan->nodes);
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
    clr_detector_call call = { .plan = plan, .io = io };
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
