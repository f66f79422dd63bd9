/* Another CUDA library's work in a chain. */
#include "device/cuda_foreign.h"

#include "device/cuda_internal.h"

clradio_status clr_cuda_make_current(clradio_device *device)
{
    if (device->backend != &clr_backend_cuda)
        return clr_fail(CLRADIO_ERROR_INTERNAL, "%s is no CUDA device", device->info.id);
    return clr_cuda_enter(device->handle);
}

void clr_cuda_make_uncurrent(clradio_device *device)
{
    clr_cuda_leave(device->handle);
}

clradio_status clr_cuda_foreign_begin(clr_chain *chain, void **stream)
{
    clradio_event *const *wait;
    size_t n_wait;
    clradio_device *device = chain->queue->device;
    clradio_status status = clr_chain_foreign_begin(chain, &wait, &n_wait);
    if (!status)
        status = clr_cuda_make_current(device);
    if (status)
        return status;
    const clr_cuda_queue *queue = chain->queue->handle;
    const clr_cuda_driver *driver = queue->device->driver;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < n_wait && !result; i++)
        result = driver->cuStreamWaitEvent(queue->stream,
                                           ((const clr_cuda_event *)wait[i]->handle)->end, 0);
    if (result) {
        clr_cuda_leave(queue->device);
        return clr_cuda_fail(driver, result, "waiting in a stream");
    }
    *stream = queue->stream;
    return CLRADIO_OK;
}

clradio_status clr_cuda_foreign_end(clr_chain *chain, clradio_status status)
{
    void *handle = NULL;
    clradio_event *event = NULL;
    clradio_device *device = chain->queue->device;
    clr_cuda_leave(device->handle);
    if (!status)
        status = clr_cuda_marker(chain->queue, 0, NULL, &handle);
    if (!status)
        status = clr_event_wrap(device, handle, &event);
    return status ? status : clr_chain_foreign_end(chain, event);
}
