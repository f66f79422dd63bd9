/* The public functions of clradio/cuda.h: the caller's context, stream, memory and events as
 * clradio's objects, and the way back. */
#include "device/cuda_foreign.h"
#include "device/cuda_internal.h"

#include <clradio/cuda.h>
#include <inttypes.h>
#include <stdlib.h>

enum { LEAST_ALIGNMENT = 16 }; /* the most that a kernel loads or copies at once, in bytes */

static int is_cuda(const clradio_device *device)
{
    return device && device->backend == &clr_backend_cuda;
}

static clradio_status needs_cuda(const clradio_device *device, const void *given, const void *out)
{
    if (!given || !out)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the CUDA object or its wrapper is NULL");
    return is_cuda(device) ? CLRADIO_OK
                           : clr_fail(CLRADIO_ERROR_ARGUMENT, "the device is %s, not a CUDA device",
                                      device ? device->info.id : "NULL");
}

/* ARGUMENT when the context is not of that device. */
static clradio_status check_context(const clr_cuda_driver *driver, CUcontext context,
                                    CUdevice device)
{
    CUdevice found = -1;
    CUcontext popped;
    CUresult result = driver->cuCtxPushCurrent_v2(context);
    if (!result) {
        result = driver->cuCtxGetDevice(&found);
        driver->cuCtxPopCurrent_v2(&popped);
    }
    if (result)
        return clr_cuda_fail(driver, result, "entering the CUDA context that was given");
    return found == device ? CLRADIO_OK
                           : clr_fail(CLRADIO_ERROR_ARGUMENT, "the context is of another device");
}

clradio_status clradio_device_from_cuda(int ordinal, void *context, clradio_device **device)
{
    if (!device)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "device is NULL");
    *device = NULL;
    const clr_cuda_driver *driver = clr_cuda_driver_get();
    if (!driver)
        return CLRADIO_ERROR_NO_DEVICE;
    CUdevice handle;
    if (ordinal < 0 || driver->cuDeviceGet(&handle, ordinal))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "there is no CUDA device %d", ordinal);
    clradio_status status = context ? check_context(driver, context, handle) : CLRADIO_OK;
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    void *opened = NULL;
    if (!status) {
        clr_cuda_describe(driver, ordinal, handle, &info);
        status = clr_cuda_open(&info, context, &opened);
    }
    return status ? status : clr_device_adopt(&clr_backend_cuda, &info, opened, device);
}

clradio_status clradio_queue_from_cuda(clradio_device *device, void *stream,
                                       clradio_queue **wrapped)
{
    if (wrapped)
        *wrapped = NULL;
    clradio_status status = needs_cuda(device, stream, wrapped);
    clr_cuda_queue *made = status ? NULL : calloc(1, sizeof *made);
    if (!made)
        return status ? status : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a queue");
    *made = (clr_cuda_queue){ .device = device->handle, .stream = stream };
    return clr_queue_wrap(device, made, CLRADIO_QUEUE_PROFILING, wrapped);
}

clradio_status clradio_buffer_from_cuda(clradio_device *device, uint64_t pointer, uint64_t bytes,
                                        clradio_buffer **buffer)
{
    if (buffer)
        *buffer = NULL;
    clradio_status status = needs_cuda(device, (void *)(uintptr_t)pointer, buffer);
    if (!status && !bytes)
        status = clr_fail(CLRADIO_ERROR_ARGUMENT, "a buffer of 0 bytes");
    if (!status && pointer % LEAST_ALIGNMENT) /* what kernels load at once they judge by offsets */
        status = clr_fail(CLRADIO_ERROR_ARGUMENT,
                          "a buffer begins at a multiple of %d bytes, not at 0x%" PRIx64
                          "; what is left goes into the offset of its use",
                          LEAST_ALIGNMENT, pointer);
    clr_cuda_buffer *made = status ? NULL : calloc(1, sizeof *made);
    if (!made)
        return status ? status : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a buffer");
    *made = (clr_cuda_buffer){ .device = device->handle, .pointer = pointer };
    return clr_buffer_wrap(device, made, bytes, 0, buffer);
}

clradio_status clradio_event_from_cuda(clradio_device *device, void *event, clradio_event **wrapped)
{
    if (wrapped)
        *wrapped = NULL;
    clr_cuda_event *made;
    clradio_status status = needs_cuda(device, event, wrapped);
    if (!status)
        status = clr_cuda_event_create(device->handle, &made);
    if (status)
        return status;
    made->end = event;
    made->foreign = 1;
    return clr_event_wrap(device, made, wrapped);
}

void *clradio_device_cuda_context(const clradio_device *device)
{
    return is_cuda(device) ? ((const clr_cuda_device *)device->handle)->context : NULL;
}

void *clradio_queue_cuda(const clradio_queue *queue)
{
    return queue && is_cuda(queue->device) ? ((const clr_cuda_queue *)queue->handle)->stream : NULL;
}

uint64_t clradio_buffer_cuda(const clradio_buffer *buffer)
{
    return (uint64_t)(uintptr_t)clr_cuda_address(buffer);
}

void *clradio_event_cuda(const clradio_event *event)
{
    return event && is_cuda(event->device) ? ((const clr_cuda_event *)event->handle)->end : NULL;
}
