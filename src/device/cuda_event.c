/* Events and pinned host memory of the CUDA back end. */
#include "device/cuda_internal.h"

#include <stdlib.h>

clradio_status clr_cuda_event_create(clr_cuda_device *device, clr_cuda_event **event)
{
    clr_cuda_event *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for an event");
    made->device = device;
    made->references = 1;
    *event = made;
    return CLRADIO_OK;
}

clradio_status clr_cuda_event_wait(void *event)
{
    clr_cuda_event *of = event;
    clradio_status status = clr_cuda_enter(of->device);
    if (status)
        return status;
    CUresult result = of->device->driver->cuEventSynchronize(of->end);
    clr_cuda_leave(of->device);
    return result ? clr_cuda_fail(of->device->driver, result, "waiting for an event") : CLRADIO_OK;
}

int clr_cuda_event_complete(void *event)
{
    clr_cuda_event *of = event;
    clradio_status status = clr_cuda_enter(of->device);
    if (status)
        return status;
    CUresult result = of->device->driver->cuEventQuery(of->end);
    clr_cuda_leave(of->device);
    if (result == CUDA_ERROR_NOT_READY)
        return 0;
    return result ? (int)clr_cuda_fail(of->device->driver, result, "asking an event") : 1;
}

/* CUDA measures differences only, as float milliseconds: here from the opening of the device, a
 * second later than that to 60 ns. The origin of the clock is 1 ms, since 0 means that there is no
 * time. */
clradio_status clr_cuda_event_times(void *event, uint64_t *start, uint64_t *end)
{
    clr_cuda_event *of = event;
    if (!of->begin)
        return clr_fail(CLRADIO_ERROR_STATE, "this event keeps no times");
    clradio_status status = clr_cuda_enter(of->device);
    if (status)
        return status;
    const clr_cuda_driver *driver = of->device->driver;
    float begun = 0, ended = 0;
    CUresult result = driver->cuEventElapsedTime(&begun, of->device->zero, of->begin);
    if (!result)
        result = driver->cuEventElapsedTime(&ended, of->begin, of->end);
    clr_cuda_leave(of->device);
    if (result)
        return clr_cuda_fail(driver, result, "reading an event's times");
    *start = 1000000 + (begun > 0 ? (uint64_t)((double)begun * 1e6) : 0);
    *end = *start + (ended > 0 ? (uint64_t)((double)ended * 1e6) : 0);
    return CLRADIO_OK;
}

clradio_status clr_cuda_event_elapsed(void *first, void *last, uint64_t *nanoseconds)
{
    clr_cuda_event *from = first, *to = last;
    if (!from->begin)
        return clr_fail(CLRADIO_ERROR_STATE,
                        "this event keeps no times: create its queue with CLRADIO_QUEUE_PROFILING");
    clradio_status status = clr_cuda_enter(from->device);
    if (status)
        return status;
    float milliseconds = 0;
    CUresult result = from->device->driver->cuEventElapsedTime(&milliseconds, from->begin, to->end);
    clr_cuda_leave(from->device);
    if (result)
        return clr_cuda_fail(from->device->driver, result, "reading an event's times");
    *nanoseconds = milliseconds > 0 ? (uint64_t)((double)milliseconds * 1e6) : 0;
    return CLRADIO_OK;
}

void *clr_cuda_event_retain(void *event)
{
    clr_cuda_event *of = event;
    __atomic_add_fetch(&of->references, 1, __ATOMIC_RELAXED);
    return event;
}

void clr_cuda_event_release(void *event)
{
    clr_cuda_event *gone = event;
    if (__atomic_sub_fetch(&gone->references, 1, __ATOMIC_ACQ_REL))
        return;
    if (!clr_cuda_enter(gone->device)) {
        if (gone->begin)
            gone->device->driver->cuEventDestroy_v2(gone->begin);
        if (gone->end && !gone->foreign)
            gone->device->driver->cuEventDestroy_v2(gone->end);
        clr_cuda_leave(gone->device);
    }
    free(gone);
}

clradio_status clr_cuda_host_memory_create(clradio_device *device, uint64_t bytes, void **memory,
                                           void **handle)
{
    clr_cuda_device *cuda = device->handle;
    *handle = NULL;
    clradio_status status = clr_cuda_enter(cuda);
    if (status)
        return status;
    CUresult result = cuda->driver->cuMemHostAlloc(memory, bytes ? bytes : 1, CLR_CU_HOST_PORTABLE);
    clr_cuda_leave(cuda);
    return result ? clr_cuda_fail(cuda->driver, result, "allocating pinned host memory")
                  : CLRADIO_OK;
}

void clr_cuda_host_memory_destroy(clradio_device *device, void *memory, void *handle)
{
    (void)handle;
    clr_cuda_device *cuda = device->handle;
    if (!memory || clr_cuda_enter(cuda))
        return;
    cuda->driver->cuMemFreeHost(memory);
    clr_cuda_leave(cuda);
}
