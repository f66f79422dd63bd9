/* Events, and wait lists made of them. */
#include "device/backend.h"

#include <stdlib.h>

clradio_status clr_event_wrap(clradio_device *device, void *handle, clradio_event **event)
{
    clradio_event *made = calloc(1, sizeof *made);
    *event = NULL;
    if (!made) {
        device->backend->event_release(handle);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for an event");
    }
    made->device = clr_device_retain(device);
    made->handle = handle;
    atomic_init(&made->references, 1);
    *event = made;
    return CLRADIO_OK;
}

clradio_event *clr_event_retain(clradio_event *event)
{
    atomic_fetch_add(&event->references, 1);
    return event;
}

void clradio_event_destroy(clradio_event *event)
{
    if (!event || atomic_fetch_sub(&event->references, 1) != 1)
        return;
    clradio_device *device = event->device;
    if (event->first)
        device->backend->event_release(event->first);
    device->backend->event_release(event->handle);
    free(event);
    clradio_device_close(device);
}

clradio_status clradio_event_wait(clradio_event *event)
{
    if (!event)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "event is NULL");
    return event->device->backend->event_wait(event->handle);
}

int clradio_event_complete(clradio_event *event)
{
    if (!event)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "event is NULL");
    return event->device->backend->event_complete(event->handle);
}

clradio_status clradio_event_duration(clradio_event *event, uint64_t *nanoseconds)
{
    if (!event || !nanoseconds)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "event or nanoseconds is NULL");
    *nanoseconds = 0;
    const clr_backend *backend = event->device->backend;
    clradio_status status =
        event->untimed ? clr_fail(CLRADIO_ERROR_DRIVER, "no profiling")
                       : backend->event_elapsed(event->first ? event->first : event->handle,
                                                event->handle, nanoseconds);
    if (status)
        return clr_fail_in(status, "the event has no times: it is not complete, or its queue was "
                                   "made without CLRADIO_QUEUE_PROFILING");
    return CLRADIO_OK;
}

clradio_status clr_waits_begin(clr_waits *waits, const clradio_device *device, size_t n,
                               clradio_event *const *wait)
{
    waits->n = 0;
    waits->handles = waits->few;
    if (n && !wait)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the wait list is NULL but has %zu events", n);
    for (size_t i = 0; i < n; i++)
        if (!wait[i] || wait[i]->device->backend != device->backend)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "event %zu of the wait list is NULL or of another back end", i);
    if (n > sizeof waits->few / sizeof *waits->few) {
        waits->handles = n > UINT32_MAX ? NULL : malloc(n * sizeof *waits->handles);
        if (!waits->handles) {
            waits->handles = waits->few;
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a wait list of %zu events", n);
        }
    }
    for (size_t i = 0; i < n; i++)
        waits->handles[i] = wait[i]->handle;
    waits->n = n;
    return CLRADIO_OK;
}

void clr_waits_end(clr_waits *waits)
{
    if (waits->handles != waits->few)
        free(waits->handles);
    waits->handles = waits->few;
}
