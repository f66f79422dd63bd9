/*
 * The public functions of clradio/opencl.h: the caller's context, queue, memory and events as
 * clradio's objects, and the way back. Each is retained once, and released when its wrapper goes.
 */
#include "device/opencl_internal.h"

#include <stdio.h>
#include <stdlib.h>

static int is_opencl(const clradio_device *device)
{
    return device && device->backend == &clr_backend_opencl;
}

static clradio_status needs_opencl(const clradio_device *device)
{
    return is_opencl(device)
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_ARGUMENT, "the device is %s, not an OpenCL device",
                          device ? device->info.id : "NULL");
}

/* 1 when the context holds the device. */
static int context_has(cl_context context, cl_device_id id)
{
    size_t size = 0;
    int found = 0;
    if (clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size) || !size)
        return 0;
    cl_device_id *ids = malloc(size);
    if (ids && !clGetContextInfo(context, CL_CONTEXT_DEVICES, size, ids, NULL))
        for (size_t i = 0; i < size / sizeof *ids; i++)
            found |= ids[i] == id;
    free(ids);
    return found;
}

/* "opencl:P.D" as it is listed; a sub-device is not listed and has the name "opencl:given". */
static void name_given(cl_platform_id platform, cl_device_id id, clradio_device_info *info)
{
    cl_platform_id platforms[64];
    cl_device_id ids[64];
    cl_uint n = 0, n_ids = 0;
    clr_copy_text(info->id, sizeof info->id, "opencl:given");
    if (clGetPlatformIDs(64, platforms, &n))
        return;
    for (cl_uint p = 0; p < n && p < 64; p++) {
        if (platforms[p] != platform ||
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, ids, &n_ids))
            continue;
        for (cl_uint d = 0; d < n_ids && d < 64; d++)
            if (ids[d] == id)
                snprintf(info->id, sizeof info->id, "opencl:%u.%u", (unsigned)p, (unsigned)d);
    }
}

clradio_status clradio_device_from_opencl(cl_context context, cl_device_id id,
                                          clradio_device **device)
{
    cl_platform_id platform = NULL;
    clradio_device_info info;
    if (device)
        *device = NULL;
    if (!device || !context || !id)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "context, id or device is NULL");
    if (!context_has(context, id))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the context does not hold this device");
    cl_int code = clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (code)
        return clr_opencl_fail(code, "clGetDeviceInfo(CL_DEVICE_PLATFORM)");
    clr_opencl_describe(platform, id, &info);
    name_given(platform, id, &info);
    if (info.unusable[0])
        return clr_fail(CLRADIO_ERROR_DRIVER, "%s (%s) cannot be used: %s", info.id, info.name,
                        info.unusable);
    clr_opencl_device *opencl = calloc(1, sizeof *opencl);
    if (!opencl)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a device");
    *opencl = (clr_opencl_device){ context, id, platform };
    clRetainContext(context);
    clRetainDevice(id);
    return clr_device_adopt(&clr_backend_opencl, &info, opencl, device);
}

clradio_status clradio_queue_from_opencl(clradio_device *device, cl_command_queue queue,
                                         clradio_queue **wrapped)
{
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_command_queue_properties has = 0;
    if (wrapped)
        *wrapped = NULL;
    if (!wrapped || !queue)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "queue or wrapped is NULL");
    clradio_status status = needs_opencl(device);
    if (status)
        return status;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!code)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
    if (!code)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof has, &has, NULL);
    if (code)
        return clr_opencl_fail(code, "clGetCommandQueueInfo");
    if (context != clr_opencl_of(device)->context || id != clr_opencl_of(device)->id)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the queue is of another context or device than %s was made from",
                        device->info.id);
    clRetainCommandQueue(queue);
    return clr_queue_wrap(
        device, queue,
        (has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? CLRADIO_QUEUE_OUT_OF_ORDER : 0) |
            (has & CL_QUEUE_PROFILING_ENABLE ? CLRADIO_QUEUE_PROFILING : 0),
        wrapped);
}

clradio_status clradio_buffer_from_opencl(clradio_device *device, cl_mem memory,
                                          clradio_buffer **buffer)
{
    cl_context context = NULL;
    cl_mem_object_type type = 0;
    size_t bytes = 0;
    if (buffer)
        *buffer = NULL;
    if (!buffer || !memory)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "memory or buffer is NULL");
    clradio_status status = needs_opencl(device);
    if (status)
        return status;
    cl_int code = clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (!code)
        code = clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (!code)
        code = clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (code)
        return clr_opencl_fail(code, "clGetMemObjectInfo");
    if (context != clr_opencl_of(device)->context)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the memory is of another context than %s's",
                        device->info.id);
    if (type != CL_MEM_OBJECT_BUFFER)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the memory object is not a buffer");
    clRetainMemObject(memory);
    return clr_buffer_wrap(device, memory, bytes, 0, buffer);
}

clradio_status clradio_event_from_opencl(clradio_device *device, cl_event event,
                                         clradio_event **wrapped)
{
    cl_context context = NULL;
    if (wrapped)
        *wrapped = NULL;
    if (!wrapped || !event)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "event or wrapped is NULL");
    clradio_status status = needs_opencl(device);
    if (status)
        return status;
    cl_int code = clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL);
    if (code)
        return clr_opencl_fail(code, "clGetEventInfo");
    if (context != clr_opencl_of(device)->context)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the event is of another context than %s's",
                        device->info.id);
    clRetainEvent(event);
    return clr_event_wrap(device, event, wrapped);
}

cl_context clradio_device_opencl_context(const clradio_device *device)
{
    return is_opencl(device) ? clr_opencl_of(device)->context : NULL;
}

cl_device_id clradio_device_opencl_id(const clradio_device *device)
{
    return is_opencl(device) ? clr_opencl_of(device)->id : NULL;
}

cl_command_queue clradio_queue_opencl(const clradio_queue *queue)
{
    return queue && is_opencl(queue->device) ? queue->handle : NULL;
}

cl_mem clradio_buffer_opencl(const clradio_buffer *buffer)
{
    return buffer && is_opencl(buffer->device) ? buffer->handle : NULL;
}

cl_event clradio_event_opencl(const clradio_event *event)
{
    return event && is_opencl(event->device) ? event->handle : NULL;
}
