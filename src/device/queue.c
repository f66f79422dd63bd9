/* Queues: created on a device or brought by the caller. */
#include "device/backend.h"

#include <stdlib.h>

clradio_status clr_queue_wrap(clradio_device *device, void *handle, unsigned flags,
                              clradio_queue **queue)
{
    clradio_queue *made = calloc(1, sizeof *made);
    *queue = NULL;
    if (!made) {
        device->backend->queue_release(handle);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a queue");
    }
    made->device = clr_device_retain(device);
    made->handle = handle;
    made->out_of_order = (flags & CLRADIO_QUEUE_OUT_OF_ORDER) != 0;
    made->profiling = (flags & CLRADIO_QUEUE_PROFILING) != 0;
    *queue = made;
    return CLRADIO_OK;
}

clradio_status clradio_queue_create(clradio_device *device, unsigned flags, clradio_queue **queue)
{
    void *handle = NULL;
    if (queue)
        *queue = NULL;
    if (!device || !queue)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "device or queue is NULL");
    if (flags & ~(unsigned)(CLRADIO_QUEUE_OUT_OF_ORDER | CLRADIO_QUEUE_PROFILING))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "unknown queue flags 0x%x", flags);
    clradio_status status = device->backend->queue_create(device, &flags, &handle);
    return status ? status : clr_queue_wrap(device, handle, flags, queue);
}

clradio_status clradio_queue_finish(clradio_queue *queue)
{
    if (!queue)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "queue is NULL");
    return queue->device->backend->queue_finish(queue->handle);
}

clradio_status clradio_queue_flush(clradio_queue *queue)
{
    if (!queue)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "queue is NULL");
    return queue->device->backend->queue_flush(queue->handle);
}

void clradio_queue_destroy(clradio_queue *queue)
{
    if (!queue)
        return;
    clradio_device *device = queue->device;
    device->backend->queue_release(queue->handle);
    free(queue);
    clradio_device_close(device);
}

clradio_device *clr_queue_device(const clradio_queue *queue)
{
    return queue->device;
}
