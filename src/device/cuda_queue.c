/*
 * Streams and what is enqueued on them. A stream is in-order, so an out-of-order queue is one that
 * does not use its freedom. Waits become cuStreamWaitEvent, and every command that must be seen
 * from outside records an event behind itself.
 */
#include "device/cuda_foreign.h"
#include "device/cuda_internal.h"

#include <stdlib.h>

void *clr_cuda_address(const clradio_buffer *buffer)
{
    if (!buffer || buffer->device->backend != &clr_backend_cuda)
        return NULL;
    return (void *)(uintptr_t)((const clr_cuda_buffer *)buffer->handle)->pointer;
}

static CUdeviceptr address_of(clradio_span span)
{
    const clr_cuda_buffer *buffer = span.buffer ? span.buffer->handle : NULL;
    return buffer ? buffer->pointer + span.offset : 0;
}

clradio_status clr_cuda_queue_create(clradio_device *device, unsigned *flags, void **queue)
{
    *flags &= ~(unsigned)CLRADIO_QUEUE_OUT_OF_ORDER;
    clr_cuda_queue *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a queue");
    made->device = device->handle;
    made->owned = 1;
    clradio_status status = clr_cuda_enter(made->device);
    if (!status) {
        CUresult result =
            made->device->driver->cuStreamCreate(&made->stream, CLR_CU_STREAM_NON_BLOCKING);
        if (result)
            status = clr_cuda_fail(made->device->driver, result, "creating a stream");
        clr_cuda_leave(made->device);
    }
    if (status)
        free(made);
    else
        *queue = made;
    return status;
}

clradio_status clr_cuda_queue_finish(void *queue)
{
    clr_cuda_queue *of = queue;
    clradio_status status = clr_cuda_enter(of->device);
    if (status)
        return status;
    CUresult result = of->device->driver->cuStreamSynchronize(of->stream);
    clr_cuda_leave(of->device);
    return result ? clr_cuda_fail(of->device->driver, result, "finishing a stream") : CLRADIO_OK;
}

clradio_status clr_cuda_queue_flush(void *queue)
{
    (void)queue; /* a stream starts what it is given at once */
    return CLRADIO_OK;
}

void clr_cuda_queue_release(void *queue)
{
    clr_cuda_queue *gone = queue;
    if (gone->owned && !clr_cuda_enter(gone->device)) {
        gone->device->driver->cuStreamDestroy_v2(gone->stream);
        clr_cuda_leave(gone->device);
    }
    free(gone);
}

clradio_status clr_cuda_buffer_create(clradio_device *device, uint64_t bytes, void **buffer)
{
    clr_cuda_buffer *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a buffer");
    made->device = device->handle;
    made->owned = 1;
    clradio_status status = clr_cuda_enter(made->device);
    if (!status) {
        CUresult result = made->device->driver->cuMemAlloc_v2(&made->pointer, bytes);
        if (result)
            status = clr_cuda_fail(made->device->driver, result, "allocating a buffer");
        clr_cuda_leave(made->device);
    }
    if (status)
        free(made);
    else
        *buffer = made;
    return status;
}

void clr_cuda_buffer_release(void *buffer)
{
    clr_cuda_buffer *gone = buffer;
    if (gone->owned && !clr_cuda_enter(gone->device)) {
        gone->device->driver->cuMemFree_v2(gone->pointer);
        clr_cuda_leave(gone->device);
    }
    free(gone);
}

/*
 * One command: enter the context, wait, mark the beginning where times are wanted, do it, mark the
 * end. begin() is called before the command and end() behind it with its result.
 */
typedef struct command {
    clr_cuda_queue *queue;
    const clr_cuda_driver *driver;
    clr_cuda_event *event; /* NULL when nobody asked */
    CUresult result;
} command;

static CUresult record(command *of, CUevent *event, unsigned flags)
{
    CUresult result = of->driver->cuEventCreate(event, flags);
    return result ? result : of->driver->cuEventRecord(*event, of->queue->stream);
}

static clradio_status begin(command *of, clradio_queue *queue, size_t n, void *const *wait,
                            int want_event)
{
    *of = (command){ .queue = queue->handle };
    of->driver = of->queue->device->driver;
    clradio_status status =
        want_event ? clr_cuda_event_create(of->queue->device, &of->event) : CLRADIO_OK;
    if (!status)
        status = clr_cuda_enter(of->queue->device);
    if (status) {
        if (of->event)
            clr_cuda_event_release(of->event);
        return status;
    }
    for (size_t i = 0; i < n && !of->result; i++)
        of->result = of->driver->cuStreamWaitEvent(of->queue->stream,
                                                   ((const clr_cuda_event *)wait[i])->end, 0);
    if (!of->result && of->event && queue->profiling)
        of->result = record(of, &of->event->begin, 0);
    return CLRADIO_OK;
}

static clradio_status end(command *of, clradio_queue *queue, const char *doing, void **event)
{
    if (!of->result && of->event)
        of->result = record(of, &of->event->end, queue->profiling ? 0u : CLR_CU_EVENT_NO_TIMING);
    clr_cuda_leave(of->queue->device);
    if (of->result) {
        if (of->event)
            clr_cuda_event_release(of->event);
        return clr_cuda_fail(of->driver, of->result, doing);
    }
    if (event)
        *event = of->event;
    return CLRADIO_OK;
}

clradio_status clr_cuda_launch(clradio_queue *queue, void *kernel, const clr_launch *launch,
                               size_t n, void *const *wait, void **event)
{
    clr_cuda_kernel *of = kernel;
    CUdeviceptr bases[CLR_MOST_ARGUMENTS];
    uint64_t offsets[CLR_MOST_ARGUMENTS];
    void *parameters[2 * CLR_MOST_ARGUMENTS];
    size_t p = 0;
    for (size_t i = 0; i < launch->n_arguments; i++) {
        const clr_argument *argument = &launch->arguments[i];
        if (argument->kind == CLR_ARGUMENT_SPAN) {
            bases[i] = address_of((clradio_span){ argument->span.buffer, 0 });
            offsets[i] = argument->span.offset;
            parameters[p++] = &bases[i];
            parameters[p++] = &offsets[i];
        } else {
            parameters[p++] = (void *)(uintptr_t)argument->value;
        }
    }
    if (launch->groups[0] > 0x7fffffff || launch->groups[1] > 65535 || launch->groups[2] > 65535)
        return clr_fail(CLRADIO_ERROR_INTERNAL,
                        "a grid of %zu x %zu x %zu work-groups is larger than CUDA's",
                        launch->groups[0], launch->groups[1], launch->groups[2]);
    command now;
    clradio_status status = begin(&now, queue, n, wait, event != NULL);
    if (status)
        return status;
    /* more than the usual 48 KiB has to be asked for */
    if (!now.result && launch->large_local_bytes > of->large_local_bytes) {
        now.result = now.driver->cuFuncSetAttribute(of->function, CLR_CU_FUNC_MAX_DYNAMIC_SHARED,
                                                    (int)launch->large_local_bytes);
        if (!now.result)
            of->large_local_bytes = launch->large_local_bytes;
    }
    if (!now.result)
        now.result = now.driver->cuLaunchKernel(
            of->function, (unsigned)launch->groups[0], (unsigned)launch->groups[1],
            (unsigned)launch->groups[2], (unsigned)launch->group[0], (unsigned)launch->group[1],
            (unsigned)launch->group[2], (unsigned)launch->large_local_bytes, now.queue->stream,
            parameters, NULL);
    return end(&now, queue, "launching a kernel", event);
}

/* A copy that nobody gets an event of has ended when the call returns. */
static clradio_status end_copy(command *of, clradio_queue *queue, const char *doing, void **event)
{
    if (!of->result && !event)
        of->result = of->driver->cuStreamSynchronize(of->queue->stream);
    return end(of, queue, doing, event);
}

clradio_status clr_cuda_write(clradio_queue *queue, clradio_span to, const void *host,
                              uint64_t bytes, size_t n, void *const *wait, void **event)
{
    command now;
    clradio_status status = begin(&now, queue, n, wait, event != NULL);
    if (status)
        return status;
    if (!now.result && bytes)
        now.result =
            now.driver->cuMemcpyHtoDAsync_v2(address_of(to), host, bytes, now.queue->stream);
    return end_copy(&now, queue, "copying to the device", event);
}

clradio_status clr_cuda_read(clradio_queue *queue, clradio_span from, void *host, uint64_t bytes,
                             size_t n, void *const *wait, void **event)
{
    command now;
    clradio_status status = begin(&now, queue, n, wait, event != NULL);
    if (status)
        return status;
    if (!now.result && bytes)
        now.result =
            now.driver->cuMemcpyDtoHAsync_v2(host, address_of(from), bytes, now.queue->stream);
    return end_copy(&now, queue, "copying from the device", event);
}

clradio_status clr_cuda_copy(clradio_queue *queue, clradio_span from, clradio_span to,
                             uint64_t bytes, size_t n, void *const *wait, void **event)
{
    command now;
    clradio_status status = begin(&now, queue, n, wait, event != NULL);
    if (status)
        return status;
    if (!now.result && bytes)
        now.result = now.driver->cuMemcpyDtoDAsync_v2(address_of(to), address_of(from), bytes,
                                                      now.queue->stream);
    return end(&now, queue, "copying on the device", event);
}

clradio_status clr_cuda_fill(clradio_queue *queue, clradio_span to, unsigned char value,
                             uint64_t bytes, size_t n, void *const *wait, void **event)
{
    command now;
    clradio_status status = begin(&now, queue, n, wait, event != NULL);
    if (status)
        return status;
    if (!now.result && bytes)
        now.result = now.driver->cuMemsetD8Async(address_of(to), value, bytes, now.queue->stream);
    return end(&now, queue, "filling a buffer", event);
}

clradio_status clr_cuda_marker(clradio_queue *queue, size_t n, void *const *wait, void **event)
{
    command now;
    clradio_status status = begin(&now, queue, n, wait, event != NULL);
    return status ? status : end(&now, queue, "marking a stream", event);
}
