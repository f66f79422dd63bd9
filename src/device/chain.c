/* Chains of commands that look like one, and the filling in of a launch's arguments. */
#include "device/backend.h"

#include <string.h>

static void drop_waits(clr_chain *chain)
{
    for (size_t i = 0; i < chain->n_wait; i++)
        clradio_event_destroy(chain->wait[i]);
    chain->n_wait = 0;
}

/* The command enqueued last is now the one with this event (taken over). */
static void follow(clr_chain *chain, clradio_event *event)
{
    drop_waits(chain);
    /* An engine's call inside another's chain counts from its own first command. */
    if (!chain->commands++)
        chain->first =
            event->device->backend->event_retain(event->first ? event->first : event->handle);
    if (chain->last)
        clradio_event_destroy(chain->last);
    chain->last = event;
    if (chain->queue->out_of_order)
        chain->wait[chain->n_wait++] = clr_event_retain(event);
}

static clradio_status follow_handle(clr_chain *chain, clradio_status status, void *handle)
{
    clradio_event *event;
    if (!status)
        status = clr_event_wrap(chain->queue->device, handle, &event);
    if (status)
        return status;
    event->untimed = !chain->queue->profiling;
    follow(chain, event);
    return CLRADIO_OK;
}

/* Gathers a wait list that the chain has no room for. */
static clradio_status gather(clr_chain *chain, size_t n_wait, clradio_event *const *wait)
{
    void *handle = NULL;
    clr_waits waits;
    clradio_device *device = chain->queue->device;
    clradio_status status = clr_waits_begin(&waits, device, n_wait, wait);
    if (!status)
        status = device->backend->marker(chain->queue, waits.n, waits.handles, &handle);
    clr_waits_end(&waits);
    if (!status)
        status = clr_event_wrap(device, handle, &chain->wait[chain->n_wait]);
    if (status)
        return status;
    chain->wait[chain->n_wait++]->untimed = !chain->queue->profiling;
    return CLRADIO_OK;
}

clradio_status clr_chain_begin(clr_chain *chain, clradio_queue *queue, clradio_event *after,
                               size_t n_wait, clradio_event *const *wait)
{
    enum { ROOM = sizeof chain->wait / sizeof *chain->wait };
    clr_waits waits;
    memset(chain, 0, sizeof *chain);
    if (!queue)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "queue is NULL");
    chain->queue = queue;
    clradio_status status = clr_waits_begin(&waits, queue->device, n_wait, wait);
    clr_waits_end(&waits);
    if (status)
        return status;
    if (after)
        chain->wait[chain->n_wait++] = clr_event_retain(after);
    if (n_wait > ROOM - 1)
        status = gather(chain, n_wait, wait);
    else
        for (size_t i = 0; i < n_wait; i++)
            chain->wait[chain->n_wait++] = clr_event_retain(wait[i]);
    if (status)
        drop_waits(chain);
    return status;
}

void clr_chain_wait(clr_chain *chain, clradio_event *event)
{
    chain->wait[chain->n_wait++] = clr_event_retain(event);
}

clradio_status clr_chain_launch(clr_chain *chain, clr_kernel *kernel, const clr_launch *launch)
{
    void *handle = NULL;
    clr_waits waits;
    clradio_device *device = chain->queue->device;
    clradio_status status = clr_waits_begin(&waits, device, chain->n_wait, chain->wait);
    if (!status)
        status = device->backend->launch(chain->queue, kernel->handle, launch, waits.n,
                                         waits.handles, &handle);
    clr_waits_end(&waits);
    if (!status)
        kernel->launched = 1;
    return follow_handle(chain, status, handle);
}

clradio_status clr_chain_launch_quiet(clr_chain *chain, clr_kernel *kernel,
                                      const clr_launch *launch)
{
    if (chain->queue->out_of_order || !chain->commands)
        return clr_chain_launch(chain, kernel, launch);
    const clradio_status status =
        chain->queue->device->backend->launch(chain->queue, kernel->handle, launch, 0, NULL, NULL);
    if (!status)
        kernel->launched = 1;
    return status;
}

clradio_status clr_chain_copy(clr_chain *chain, clradio_span from, clradio_span to, uint64_t bytes)
{
    void *handle = NULL;
    clr_waits waits;
    clradio_device *device = chain->queue->device;
    if (!bytes)
        return CLRADIO_OK;
    clradio_status status = clr_span_check(device, from, bytes, "the source of a copy");
    if (!status)
        status = clr_span_check(device, to, bytes, "the target of a copy");
    if (status)
        return status;
    status = clr_waits_begin(&waits, device, chain->n_wait, chain->wait);
    if (!status)
        status =
            device->backend->copy(chain->queue, from, to, bytes, waits.n, waits.handles, &handle);
    clr_waits_end(&waits);
    return follow_handle(chain, status, handle);
}

clradio_status clr_chain_fill(clr_chain *chain, clradio_span to, unsigned char value,
                              uint64_t bytes)
{
    void *handle = NULL;
    clr_waits waits;
    clradio_device *device = chain->queue->device;
    if (!bytes)
        return CLRADIO_OK;
    clradio_status status = clr_span_check(device, to, bytes, "the target of a fill");
    if (status)
        return status;
    status = clr_waits_begin(&waits, device, chain->n_wait, chain->wait);
    if (!status)
        status =
            device->backend->fill(chain->queue, to, value, bytes, waits.n, waits.handles, &handle);
    clr_waits_end(&waits);
    return follow_handle(chain, status, handle);
}

clradio_status clr_chain_foreign_begin(clr_chain *chain, clradio_event *const **wait,
                                       size_t *n_wait)
{
    *wait = chain->n_wait ? chain->wait : NULL;
    *n_wait = chain->n_wait;
    return CLRADIO_OK;
}

clradio_status clr_chain_foreign_end(clr_chain *chain, clradio_event *event)
{
    if (!event)
        return clr_fail(CLRADIO_ERROR_INTERNAL, "a foreign command gave no event");
    if (event->device->backend != chain->queue->device->backend) {
        clradio_event_destroy(event);
        return clr_fail(CLRADIO_ERROR_INTERNAL, "a foreign command's event is of another back end");
    }
    follow(chain, event);
    return CLRADIO_OK;
}

/* An event around the last command of a chain, or around a marker where there was none. */
static clradio_status event_of(clr_chain *chain, clradio_event **event)
{
    const clr_backend *backend = chain->queue->device->backend;
    if (!chain->commands) {
        clradio_status status = gather(chain, chain->n_wait, chain->wait);
        if (!status)
            *event = clr_event_retain(chain->wait[chain->n_wait - 1]);
        return status;
    }
    clradio_status status =
        clr_event_wrap(chain->queue->device, backend->event_retain(chain->last->handle), event);
    if (status)
        return status;
    (*event)->untimed = !chain->queue->profiling;
    if (chain->commands > 1 || chain->first != chain->last->handle)
        (*event)->first = backend->event_retain(chain->first);
    return CLRADIO_OK;
}

clradio_status clr_chain_end(clr_chain *chain, clradio_status status, clradio_event **event)
{
    if (event)
        *event = NULL;
    if (!chain->queue)
        return status;
    const clr_backend *backend = chain->queue->device->backend;
    if (!status && event)
        status = event_of(chain, event);
    drop_waits(chain);
    if (chain->first)
        backend->event_release(chain->first);
    if (chain->last)
        clradio_event_destroy(chain->last);
    chain->first = NULL;
    chain->last = NULL;
    if (!status) {
        status = backend->queue_flush(chain->queue->handle);
        if (status && event) {
            clradio_event_destroy(*event);
            *event = NULL;
        }
    }
    return status;
}

clradio_status clr_chain_end_call(clr_chain *chain, clradio_status status, clradio_event **last,
                                  clradio_event **done)
{
    clradio_event *event = NULL;
    status = clr_chain_end(chain, status, &event);
    if (status)
        return status;
    clradio_event_destroy(*last);
    *last = event;
    if (done)
        *done = clr_event_retain(event);
    return CLRADIO_OK;
}

static clr_argument *next_argument(clr_launch *launch)
{
    /* One too many is a bug of an engine; the kernel then misses an argument and the launch is
     * refused. */
    static _Thread_local clr_argument spilled;
    return launch->n_arguments < CLR_MOST_ARGUMENTS ? &launch->arguments[launch->n_arguments++]
                                                    : &spilled;
}

void clr_launch_span(clr_launch *launch, clradio_span span)
{
    *next_argument(launch) = (clr_argument){ .kind = CLR_ARGUMENT_SPAN, .span = span };
}

static void add_value(clr_launch *launch, const void *value, size_t bytes)
{
    clr_argument argument = { .kind = CLR_ARGUMENT_VALUE, .value_bytes = bytes };
    memcpy(argument.value, value, bytes);
    *next_argument(launch) = argument;
}

void clr_launch_u32(clr_launch *launch, uint32_t value)
{
    add_value(launch, &value, sizeof value);
}

void clr_launch_u64(clr_launch *launch, uint64_t value)
{
    add_value(launch, &value, sizeof value);
}

void clr_launch_i32(clr_launch *launch, int32_t value)
{
    add_value(launch, &value, sizeof value);
}

void clr_launch_f32(clr_launch *launch, float value)
{
    add_value(launch, &value, sizeof value);
}
