/*
 * One call of a detector: checks the arrays, then a batch at a time whitens, decomposes, searches,
 * searches again what was not certified, and counts. All commands are one chain, but where batches
 * are decomposed in a queue of the plan's own (SETS above 1).
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

static clradio_status decompose(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    clradio_status status = CLRADIO_OK;
    if (plan->shape.whitened)
        status = clr_detector_whiten(call);
    return !status && plan->prepare ? clr_detector_prepare(call) : status;
}

static clradio_status search(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    const int soft = plan->soft && (io->llr.buffer || io->prior.buffer);
    call->lanes = 0;
    clradio_status status = clr_chain_fill(&call->chain, clr_start_of(plan->counters), 0, 16);
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

static void begin_batch(clr_detector_call *call, uint64_t first, uint64_t set)
{
    clradio_detector *plan = call->plan;
    const clradio_detector_io *io = call->io;
    call->work = &plan->work[set];
    call->first = first;
    call->items = clr_min_u64(plan->batch, io->vectors_count - first);
    call->status =
        io->status.buffer ? clr_moved(io->status, first) : clr_start_of(call->work->status);
    call->nodes =
        io->nodes.buffer ? clr_moved(io->nodes, 4 * first) : clr_start_of(call->work->nodes);
}

static clradio_status one_after_another(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    clradio_status status = CLRADIO_OK;
    call->prepare_chain = &call->chain;
    for (uint64_t n = 0; !status && n < call->io->vectors_count; n += call->items) {
        begin_batch(call, n, 0);
        status = decompose(call);
        if (!status && !plan->only_prepare)
            status = search(call);
    }
    return status;
}

/*
 * The decomposition of a batch goes to the plan's own queue, and so beside the search of the batch
 * before it. It waits for the call's beginning, and for the search that last read its set.
 */
static clradio_status beside_one_another(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const uint64_t sets = (uint64_t)plan->values[CLR_DETECTOR_SETS];
    clradio_event *searched[CLR_DETECTOR_MOST_SETS] = { NULL }, *start = NULL;
    /* a first command, for others to wait for: whatever held back the call has ended then */
    clradio_status status = clr_chain_fill(&call->chain, clr_start_of(plan->counters), 0, 16);
    if (!status)
        start = clr_event_retain(call->chain.last);
    call->prepare_chain = &call->side;
    for (uint64_t n = 0, batch = 0; !status && n < call->io->vectors_count; batch++) {
        const uint64_t set = batch % sets;
        clradio_event *prepared = NULL;
        begin_batch(call, n, set);
        status = clr_chain_begin(&call->side, plan->side, searched[set], 1, &start);
        if (!status)
            status = decompose(call);
        status = clr_chain_end(&call->side, status, &prepared);
        if (status)
            break;
        clr_chain_wait(&call->chain, prepared);
        clradio_event_destroy(prepared);
        status = search(call);
        clradio_event_destroy(searched[set]);
        searched[set] = status ? NULL : clr_event_retain(call->chain.last);
        n += call->items;
    }
    for (uint64_t set = 0; set < sets; set++)
        clradio_event_destroy(searched[set]);
    clradio_event_destroy(start);
    return status;
}

static clradio_status enqueue_all(clr_detector_call *call)
{
    const clradio_detector_io *io = call->io;
    clradio_status status = io->vectors_count || io->launch_report.buffer
                                ? clr_detector_begin_report(call)
                                : CLRADIO_OK;
    if (status)
        return status;
    if (!io->vectors_count && io->statistics.buffer)
        return clr_chain_fill(&call->chain, io->statistics, 0, sizeof(clradio_detector_statistics));
    return call->plan->side && !call->plan->only_prepare && io->vectors_count
               ? beside_one_another(call)
               : one_after_another(call);
}

clradio_status clradio_detector_enqueue(clradio_detector *plan, clradio_queue *queue,
                                        const clradio_detector_io *io, size_t n_wait,
                                        clradio_event *const *wait, clradio_event **done)
{
    if (done)
        *done = NULL;
    clradio_status status = clr_detector_check_io(plan, queue, io);
    if (status)
        return status;
    clr_detector_call call = { .plan = plan, .io = io };
    status = clr_chain_begin(&call.chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    return clr_chain_end_call(&call.chain, enqueue_all(&call), &plan->last, done);
}
