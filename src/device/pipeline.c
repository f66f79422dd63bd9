/*
 * The pipeline: a ring of slots that travel through three queues (in, compute, out). Results come
 * back in the order of submission; the number of slots bounds what is in flight. What bounded a run
 * is told from the times of the events. A slot's trip is pipeline_slot.c's.
 */
#include "device/pipeline_slot.h"

#include "base/progress.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SLOTS = 8 };

struct clradio_pipeline {
    clradio_plan *plan;
    clradio_device *device; /* retained: the plan may go first by mistake */
    slot_queues queues;
    unsigned depth;
    pipeline_slot slots[MOST_SLOTS];
    pipeline_slot *flying[MOST_SLOTS]; /* in order of submission */
    unsigned n_flying;
    uint64_t submitted, finished, input_bytes, output_bytes;
    double first_submit, last_finish; /* clr_steady_seconds */
    uint64_t in_ns, out_ns, compute_ns, idle_ns;
    uint64_t busy_until; /* end of the last command seen, on the device's clock; 0: none yet */
};

/* ---- life ---- */

static clradio_status make_queues(clradio_pipeline *pipeline)
{
    clradio_device *device = pipeline->device;
    slot_queues *queues = &pipeline->queues;
    queues->shared = device->info.unified_memory;
    clradio_status status = clradio_queue_create(device, CLRADIO_QUEUE_PROFILING, &queues->compute);
    if (status || queues->shared) {
        queues->in = queues->out = queues->compute;
        return status;
    }
    status = clradio_queue_create(device, CLRADIO_QUEUE_PROFILING, &queues->in);
    if (!status)
        status = clradio_queue_create(device, CLRADIO_QUEUE_PROFILING, &queues->out);
    return status;
}

clradio_status clradio_pipeline_create(clradio_plan *plan, unsigned depth,
                                       clradio_pipeline **pipeline)
{
    if (pipeline)
        *pipeline = NULL;
    if (!plan || !pipeline)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan or pipeline is NULL");
    if (depth < 1 || depth > MOST_SLOTS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "a depth of %u slots: 1 to %d are possible", depth,
                        MOST_SLOTS);
    clradio_pipeline *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a pipeline");
    made->plan = plan;
    made->device = clr_device_retain(plan->device);
    clradio_status status = make_queues(made);
    for (; !status && made->depth < depth; made->depth++)
        status = clr_slot_create(&made->slots[made->depth], plan, &made->queues);
    if (status) {
        char why[512];
        clr_copy_text(why, sizeof why, clradio_last_error());
        clradio_pipeline_destroy(made);
        return clr_fail(status, "%s", why);
    }
    *pipeline = made;
    return CLRADIO_OK;
}

void clradio_pipeline_destroy(clradio_pipeline *pipeline)
{
    if (!pipeline)
        return;
    clradio_queue *const queues[] = { pipeline->queues.in, pipeline->queues.compute,
                                      pipeline->queues.out };
    for (size_t i = 0; i < MOST_SLOTS; i++)
        clr_slot_close(&pipeline->slots[i], &pipeline->queues);
    size_t n_queues = pipeline->queues.shared ? 1 : 3;
    for (size_t q = 0; q < n_queues; q++)
        if (queues[q])
            clradio_queue_finish(queues[q]);
    for (size_t i = 0; i < MOST_SLOTS; i++)
        clr_slot_destroy(&pipeline->slots[i], pipeline->device);
    for (size_t q = 0; q < n_queues; q++)
        clradio_queue_destroy(queues[q]);
    clradio_device_close(pipeline->device);
    free(pipeline);
}

/* ---- the slots' round ---- */

/* The slot behind a caller's pointer when it is one of ours and in that state. */
static clradio_status own_slot(clradio_pipeline *pipeline, clradio_slot *slot, slot_state state,
                               pipeline_slot **own)
{
    static const char *const names[] = { "free", "held by the caller", "in flight", "finished" };
    if (!pipeline || !slot)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "pipeline or slot is NULL");
    for (unsigned i = 0; i < pipeline->depth; i++) {
        if (&pipeline->slots[i].shown != slot)
            continue;
        *own = &pipeline->slots[i];
        return (*own)->state == state
                   ? CLRADIO_OK
                   : clr_fail(CLRADIO_ERROR_STATE, "the slot is %s", names[(*own)->state]);
    }
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "the slot is not one of this pipeline");
}

clradio_status clradio_pipeline_acquire(clradio_pipeline *pipeline, clradio_slot **slot)
{
    if (slot)
        *slot = NULL;
    if (!pipeline || !slot)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "pipeline or slot is NULL");
    for (unsigned i = 0; i < pipeline->depth; i++) {
        pipeline_slot *own = &pipeline->slots[i];
        if (own->state != SLOT_FREE)
            continue;
        own->shown = (clradio_slot){ .input = own->input.host,
                                     .input_bytes = own->input.bytes,
                                     .valid = own->valid.host,
                                     .valid_bytes = own->valid.bytes };
        own->state = SLOT_HELD;
        *slot = &own->shown;
        return CLRADIO_OK;
    }
    return clr_fail(CLRADIO_ERROR_STATE,
                    "all %u slots are in flight or held: wait_next and release one first",
                    pipeline->depth);
}

clradio_status clradio_pipeline_submit(clradio_pipeline *pipeline, clradio_slot *slot)
{
    pipeline_slot *own = NULL;
    clradio_status status = own_slot(pipeline, slot, SLOT_HELD, &own);
    if (status)
        return status;
    if (slot->use_valid && !own->valid.bytes)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "this plan takes no mask of valid samples");
    status = pipeline->plan->input_used(pipeline->plan->engine, slot->count, &own->used_bytes);
    if (!status && own->used_bytes > own->input.bytes)
        status = clr_fail(CLRADIO_ERROR_INTERNAL, "a plan uses more input than it asked for");
    if (status)
        return status;
    own->dumps = (slot->flags & CLRADIO_DUMP) != 0;
    double now = clr_steady_seconds();
    status = clr_slot_send(own, pipeline->plan, &pipeline->queues);
    if (status)
        return status;
    if (!pipeline->submitted++)
        pipeline->first_submit = now;
    own->state = SLOT_IN_FLIGHT;
    pipeline->flying[pipeline->n_flying++] = own;
    return CLRADIO_OK;
}

/* Adds a trip's times. Drivers give odd ones now and then (none, or an end before the start): what
 * makes no sense counts nothing. */
static void add_times(clradio_pipeline *pipeline, const pipeline_slot *slot)
{
    const struct {
        clradio_event *first, *last;
        uint64_t *sum;
    } parts[] = {
        { slot->in_first, slot->in_last, &pipeline->in_ns },
        { slot->computed, slot->computed, &pipeline->compute_ns },
        { slot->out_first, slot->out_last, &pipeline->out_ns },
    };
    const clr_backend *backend = pipeline->device->backend;
    uint64_t begun = UINT64_MAX, ended = 0;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        uint64_t start, end, unused;
        if (!parts[p].first || !parts[p].last)
            continue;
        void *first = parts[p].first->first ? parts[p].first->first : parts[p].first->handle;
        if (backend->event_times(first, &start, &unused) ||
            backend->event_times(parts[p].last->handle, &unused, &end) || !start || end < start)
            continue;
        *parts[p].sum += end - start;
        begun = start < begun ? start : begun;
        ended = end > ended ? end : ended;
    }
    if (!ended)
        return;
    if (pipeline->busy_until && begun > pipeline->busy_until)
        pipeline->idle_ns += begun - pipeline->busy_until;
    if (ended > pipeline->busy_until)
        pipeline->busy_until = ended;
}

clradio_status clradio_pipeline_wait_next(clradio_pipeline *pipeline, clradio_slot **slot)
{
    if (slot)
        *slot = NULL;
    if (!pipeline || !slot)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "pipeline or slot is NULL");
    if (!pipeline->n_flying)
        return clr_fail(CLRADIO_ERROR_STATE, "nothing is in flight");
    pipeline_slot *own = pipeline->flying[0];
    memmove(pipeline->flying, pipeline->flying + 1,
            --pipeline->n_flying * sizeof *pipeline->flying);
    clradio_status status = clr_slot_wait(own);
    if (!status)
        add_times(pipeline, own);
    clr_slot_drop_events(own);
    if (status) {
        own->state = SLOT_FREE;
        return status;
    }
    pipeline->last_finish = clr_steady_seconds();
    pipeline->finished++;
    pipeline->input_bytes += own->used_bytes;
    own->shown.output = NULL;
    own->shown.output_bytes = 0;
    own->shown.overflow = 0;
    if (own->dumps) {
        pipeline->output_bytes += own->output.bytes;
        own->shown.output = own->output.host;
        own->shown.output_bytes = own->output.bytes;
        memcpy(&own->shown.overflow, own->overflow.host, sizeof own->shown.overflow);
    }
    own->state = SLOT_FINISHED;
    *slot = &own->shown;
    return CLRADIO_OK;
}

clradio_status clradio_pipeline_release(clradio_pipeline *pipeline, clradio_slot *slot)
{
    pipeline_slot *own = NULL;
    clradio_status status = own_slot(pipeline, slot, SLOT_FINISHED, &own);
    if (status == CLRADIO_ERROR_STATE)
        status = own_slot(pipeline, slot, SLOT_HELD, &own); /* acquired and not wanted after all */
    if (!status)
        own->state = SLOT_FREE;
    return status;
}

clradio_status clradio_pipeline_get_info(const clradio_pipeline *pipeline,
                                         clradio_pipeline_info *info)
{
    if (!pipeline || !info || info->struct_size != sizeof *info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "pipeline or info is NULL, or info.struct_size is not set");
    uint64_t link_ns = pipeline->in_ns > pipeline->out_ns ? pipeline->in_ns : pipeline->out_ns;
    *info = (clradio_pipeline_info)CLRADIO_PIPELINE_INFO_INIT;
    info->submitted = pipeline->submitted;
    info->finished = pipeline->finished;
    if (pipeline->finished)
        info->seconds = pipeline->last_finish - pipeline->first_submit;
    info->host_seconds = (double)pipeline->idle_ns * 1e-9;
    info->link_seconds = (double)link_ns * 1e-9;
    info->compute_seconds = (double)pipeline->compute_ns * 1e-9;
    info->input_bytes = pipeline->input_bytes;
    info->output_bytes = pipeline->output_bytes;
    const char *bound = "compute";
    if (pipeline->idle_ns > pipeline->compute_ns && pipeline->idle_ns > link_ns)
        bound = "host";
    else if (link_ns > pipeline->compute_ns)
        bound = "link";
    clr_copy_text(info->bound, sizeof info->bound, bound);
    return CLRADIO_OK;
}
