/* Commands recorded once and done as often as wanted. */
#include "device/backend.h"

#include <stdlib.h>

struct clr_replay {
    clradio_device *device; /* retained */
    void *handle;
};

clradio_status clr_device_replays(clradio_device *device)
{
    return device->backend->capture_begin
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                          "commands cannot be recorded and replayed on %s: CUDA's graphs can",
                          device->info.id);
}

clradio_status clr_replay_begin(clradio_queue *queue)
{
    clradio_status status = clr_device_replays(queue->device);
    return status ? status : queue->device->backend->capture_begin(queue);
}

clradio_status clr_replay_end(clradio_queue *queue, clr_replay **replay)
{
    const clr_backend *backend = queue->device->backend;
    if (!replay)
        return backend->capture_end(queue, NULL);
    *replay = NULL;
    clr_replay *made = calloc(1, sizeof *made);
    clradio_status status = backend->capture_end(queue, made ? &made->handle : NULL);
    if (!status && !made)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a record of commands");
    if (status) {
        free(made);
        return status;
    }
    made->device = clr_device_retain(queue->device);
    *replay = made;
    return CLRADIO_OK;
}

clradio_status clr_replay_enqueue(clr_replay *replay, clradio_queue *queue, clradio_event **event)
{
    void *handle = NULL;
    clradio_status status = replay->device->backend->replay_launch(queue, replay->handle, &handle);
    if (!status)
        status = clr_event_wrap(queue->device, handle, event);
    if (!status)
        (*event)->untimed = !queue->profiling;
    return status;
}

void clr_replay_destroy(clr_replay *replay)
{
    if (!replay)
        return;
    clradio_device *device = replay->device;
    device->backend->replay_release(replay->handle);
    free(replay);
    clradio_device_close(device);
}
