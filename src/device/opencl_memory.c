/* OpenCL buffers, copies, and host memory that copies fast. */
#include "device/opencl_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096 };

clradio_status clr_opencl_buffer_create(clradio_device *device, uint64_t bytes, void **buffer)
{
    cl_int code;
    cl_mem memory =
        clCreateBuffer(clr_opencl_of(device)->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!memory || code)
        return clr_opencl_fail_memory(code, "clCreateBuffer of %" PRIu64 " bytes on %s", bytes,
                                      device->info.id);
    *buffer = memory;
    return CLRADIO_OK;
}

void clr_opencl_buffer_release(void *buffer)
{
    if (buffer)
        clReleaseMemObject(buffer);
}

static void CL_CALLBACK free_host(cl_mem buffer, void *memory)
{
    (void)buffer;
    free(memory);
}

clradio_status clr_opencl_buffer_on_host(clradio_device *device, void *memory, uint64_t bytes,
                                         void **buffer)
{
    cl_int code;
    cl_mem made = clCreateBuffer(clr_opencl_of(device)->context,
                                 CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, &code);
    if (!made || code)
        return clr_opencl_fail_memory(code,
                                      "clCreateBuffer of %" PRIu64 " bytes of host memory on %s",
                                      bytes, device->info.id);
    code = clSetMemObjectDestructorCallback(made, free_host, memory);
    if (code) {
        clReleaseMemObject(made);
        return clr_opencl_fail(code, "clSetMemObjectDestructorCallback");
    }
    *buffer = made;
    return CLRADIO_OK;
}

clradio_status clr_opencl_map(clradio_queue *queue, void *buffer, void *memory, uint64_t bytes,
                              int to_write, size_t n, void *const *wait, void **event)
{
    cl_int code;
    void *mapped = clEnqueueMapBuffer(queue->handle, buffer, event ? CL_FALSE : CL_TRUE,
                                      to_write ? CL_MAP_WRITE : CL_MAP_READ, 0, bytes, (cl_uint)n,
                                      n ? (const cl_event *)wait : NULL, (cl_event *)event, &code);
    if (code)
        return clr_opencl_fail(code, "clEnqueueMapBuffer");
    if (mapped != memory)
        return clr_fail(CLRADIO_ERROR_DRIVER,
                        "the driver maps a host buffer to another address than its own");
    return CLRADIO_OK;
}

clradio_status clr_opencl_unmap(clradio_queue *queue, void *buffer, void *memory, size_t n,
                                void *const *wait, void **event)
{
    cl_int code = clEnqueueUnmapMemObject(queue->handle, buffer, memory, (cl_uint)n,
                                          n ? (const cl_event *)wait : NULL, (cl_event *)event);
    return code ? clr_opencl_fail(code, "clEnqueueUnmapMemObject") : CLRADIO_OK;
}

clradio_status clr_opencl_write(clradio_queue *queue, clradio_span to, const void *host,
                                uint64_t bytes, size_t n, void *const *wait, void **event)
{
    cl_int code = clEnqueueWriteBuffer(queue->handle, to.buffer->handle, event ? CL_FALSE : CL_TRUE,
                                       to.offset, bytes, host, (cl_uint)n,
                                       n ? (const cl_event *)wait : NULL, (cl_event *)event);
    return code ? clr_opencl_fail_memory(code, "clEnqueueWriteBuffer of %" PRIu64 " bytes", bytes)
                : CLRADIO_OK;
}

clradio_status clr_opencl_read(clradio_queue *queue, clradio_span from, void *host, uint64_t bytes,
                               size_t n, void *const *wait, void **event)
{
    cl_int code = clEnqueueReadBuffer(
        queue->handle, from.buffer->handle, event ? CL_FALSE : CL_TRUE, from.offset, bytes, host,
        (cl_uint)n, n ? (const cl_event *)wait : NULL, (cl_event *)event);
    return code ? clr_opencl_fail_memory(code, "clEnqueueReadBuffer of %" PRIu64 " bytes", bytes)
                : CLRADIO_OK;
}

clradio_status clr_opencl_copy(clradio_queue *queue, clradio_span from, clradio_span to,
                               uint64_t bytes, size_t n, void *const *wait, void **event)
{
    cl_int code = clEnqueueCopyBuffer(queue->handle, from.buffer->handle, to.buffer->handle,
                                      from.offset, to.offset, bytes, (cl_uint)n,
                                      n ? (const cl_event *)wait : NULL, (cl_event *)event);
    return code ? clr_opencl_fail_memory(code, "clEnqueueCopyBuffer of %" PRIu64 " bytes", bytes)
                : CLRADIO_OK;
}

/* The widest pattern that offset and length are multiples of: drivers store it at a time. */
clradio_status clr_opencl_fill(clradio_queue *queue, clradio_span to, unsigned char value,
                               uint64_t bytes, size_t n, void *const *wait, void **event)
{
    unsigned char pattern[16];
    memset(pattern, value, sizeof pattern);
    size_t width = sizeof pattern;
    while ((to.offset | bytes) % width)
        width /= 2;
    cl_int code =
        clEnqueueFillBuffer(queue->handle, to.buffer->handle, pattern, width, to.offset, bytes,
                            (cl_uint)n, n ? (const cl_event *)wait : NULL, (cl_event *)event);
    return code ? clr_opencl_fail_memory(code, "clEnqueueFillBuffer of %" PRIu64 " bytes", bytes)
                : CLRADIO_OK;
}

/* What pinned memory keeps: the buffer that owns it and the queue that unmaps it. */
typedef struct pinned {
    cl_mem memory;
    cl_command_queue queue;
} pinned;

static void pinned_free(pinned *pin)
{
    if (pin->memory)
        clReleaseMemObject(pin->memory);
    if (pin->queue)
        clReleaseCommandQueue(pin->queue);
    free(pin);
}

static clradio_status pinned_create(clradio_device *device, uint64_t bytes, void **memory,
                                    void **handle)
{
    clr_opencl_device *opencl = clr_opencl_of(device);
    cl_int code;
    pinned *pin = calloc(1, sizeof *pin);
    if (!pin)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory");
    pin->queue = clCreateCommandQueue(opencl->context, opencl->id, 0, &code);
    if (!code)
        pin->memory = clCreateBuffer(opencl->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                     bytes, NULL, &code);
    if (!code)
        *memory = clEnqueueMapBuffer(pin->queue, pin->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                     0, bytes, 0, NULL, NULL, &code);
    if (code) {
        pinned_free(pin);
        return clr_opencl_fail_memory(code, "pinning %" PRIu64 " bytes of host memory", bytes);
    }
    *handle = pin;
    return CLRADIO_OK;
}

/* Pinned for a device across a link; where host and device share memory, whole pages of it. */
clradio_status clr_opencl_host_memory_create(clradio_device *device, uint64_t bytes, void **memory,
                                             void **handle)
{
    *handle = NULL;
    if (bytes > SIZE_MAX - PAGE_BYTES)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no %" PRIu64 " bytes of host memory", bytes);
    if (!device->info.unified_memory && bytes <= device->info.max_allocation_bytes) {
        if (!pinned_create(device, bytes, memory, handle))
            return CLRADIO_OK;
        clr_log(CLRADIO_LOG_INFO, "device", "%s; pageable memory instead", clradio_last_error());
    }
    size_t whole = ((size_t)bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    *memory = aligned_alloc(PAGE_BYTES, whole ? whole : PAGE_BYTES);
    if (!*memory)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no %" PRIu64 " bytes of host memory", bytes);
    return CLRADIO_OK;
}

void clr_opencl_host_memory_destroy(clradio_device *device, void *memory, void *handle)
{
    (void)device;
    pinned *pin = handle;
    if (!pin) {
        free(memory);
        return;
    }
    clEnqueueUnmapMemObject(pin->queue, pin->memory, memory, 0, NULL, NULL);
    clFinish(pin->queue);
    pinned_free(pin);
}
