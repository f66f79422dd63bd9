/* OpenCL queues, launches, markers and events. Handles of events are cl_event. */
#include "device/opencl_internal.h"

#include "base/checked.h"

#include <stdio.h>

clradio_status clr_opencl_queue_create(clradio_device *device, unsigned *flags, void **queue)
{
    clr_opencl_device *opencl = clr_opencl_of(device);
    cl_command_queue_properties can = 0, wanted = 0;
    cl_int code;
    clGetDeviceInfo(opencl->id, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, NULL);
    if (*flags & CLRADIO_QUEUE_OUT_OF_ORDER)
        wanted |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE & can;
    if (*flags & CLRADIO_QUEUE_PROFILING)
        wanted |= CL_QUEUE_PROFILING_ENABLE; /* every OpenCL device has it */
    cl_command_queue made = clCreateCommandQueue(opencl->context, opencl->id, wanted, &code);
    if (code == CL_INVALID_QUEUE_PROPERTIES && wanted & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        wanted &= ~(cl_command_queue_properties)CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        made = clCreateCommandQueue(opencl->context, opencl->id, wanted, &code);
    }
    if (!made || code)
        return clr_opencl_fail(code, "clCreateCommandQueue on %s", device->info.id);
    if (*flags & CLRADIO_QUEUE_OUT_OF_ORDER && !(wanted & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        clr_log(CLRADIO_LOG_INFO, "device", "%s has no out-of-order queues: this one is in-order",
                device->info.id);
        *flags &= ~(unsigned)CLRADIO_QUEUE_OUT_OF_ORDER;
    }
    *queue = made;
    return CLRADIO_OK;
}

clradio_status clr_opencl_queue_finish(void *queue)
{
    cl_int code = clFinish(queue);
    return code ? clr_opencl_fail(code, "clFinish") : CLRADIO_OK;
}

clradio_status clr_opencl_queue_flush(void *queue)
{
    cl_int code = clFlush(queue);
    return code ? clr_opencl_fail(code, "clFlush") : CLRADIO_OK;
}

void clr_opencl_queue_release(void *queue)
{
    if (queue)
        clReleaseCommandQueue(queue);
}

/* A span is a cl_mem and a byte offset: nothing has to be aligned to the device's sub-buffer
 * alignment. */
static cl_int set_arguments(cl_kernel kernel, const clr_launch *launch, cl_uint *at)
{
    cl_uint index = 0;
    for (size_t i = 0; i < launch->n_arguments; i++) {
        const clr_argument *argument = &launch->arguments[i];
        cl_int code;
        *at = index;
        if (argument->kind == CLR_ARGUMENT_VALUE) {
            code = clSetKernelArg(kernel, index++, argument->value_bytes, argument->value);
        } else {
            cl_mem memory = argument->span.buffer ? argument->span.buffer->handle : NULL;
            cl_ulong offset = argument->span.offset;
            code = clSetKernelArg(kernel, index++, sizeof memory, &memory);
            if (!code) {
                *at = index;
                code = clSetKernelArg(kernel, index++, sizeof offset, &offset);
            }
        }
        if (code)
            return code;
    }
    return CL_SUCCESS;
}

static clradio_status launch_failed(cl_int code, cl_kernel kernel, const char *what)
{
    char name[128] = "?";
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    return clr_opencl_fail_memory(code, "%s of kernel %s", what, name);
}

clradio_status clr_opencl_launch(clradio_queue *queue, void *kernel, const clr_launch *launch,
                                 size_t n, void *const *wait, void **event)
{
    size_t global[3];
    for (int d = 0; d < 3; d++) {
        uint64_t items;
        if (!launch->groups[d] || !launch->group[d] ||
            !clr_mul_u64(launch->groups[d], launch->group[d], &items) || items > SIZE_MAX)
            return clr_fail(CLRADIO_ERROR_INTERNAL, "a launch of %zu groups of %zu",
                            launch->groups[d], launch->group[d]);
        global[d] = (size_t)items;
    }
    cl_uint at = 0;
    cl_int code = set_arguments(kernel, launch, &at);
    if (code) {
        char what[64];
        snprintf(what, sizeof what, "clSetKernelArg of argument %u", (unsigned)at);
        return launch_failed(code, kernel, what);
    }
    code = clEnqueueNDRangeKernel(queue->handle, kernel, 3, NULL, global, launch->group, (cl_uint)n,
                                  n ? (const cl_event *)wait : NULL, (cl_event *)event);
    return code ? launch_failed(code, kernel, "clEnqueueNDRangeKernel") : CLRADIO_OK;
}

clradio_status clr_opencl_marker(clradio_queue *queue, size_t n, void *const *wait, void **event)
{
    cl_int code = clEnqueueMarkerWithWaitList(queue->handle, (cl_uint)n,
                                              n ? (const cl_event *)wait : NULL, (cl_event *)event);
    return code ? clr_opencl_fail(code, "clEnqueueMarkerWithWaitList") : CLRADIO_OK;
}

clradio_status clr_opencl_event_wait(void *event)
{
    cl_event waited = event;
    cl_int status = CL_COMPLETE;
    cl_int code = clWaitForEvents(1, &waited);
    /* The event's own code says more than "an event failed". */
    if (!clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) &&
        status < 0)
        code = status;
    return code ? clr_opencl_fail(code, "a command failed on the device") : CLRADIO_OK;
}

int clr_opencl_event_complete(void *event)
{
    cl_int status = CL_COMPLETE;
    cl_int code =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (code)
        return clr_opencl_fail(code, "clGetEventInfo");
    if (status < 0)
        return clr_opencl_fail(status, "a command failed on the device");
    return status == CL_COMPLETE;
}

clradio_status clr_opencl_event_times(void *event, uint64_t *start, uint64_t *end)
{
    cl_ulong from = 0, to = 0;
    cl_int code =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
    if (!code)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    if (code)
        return clr_opencl_fail(code, "clGetEventProfilingInfo");
    *start = from;
    *end = to;
    return CLRADIO_OK;
}

clradio_status clr_opencl_event_elapsed(void *first, void *last, uint64_t *nanoseconds)
{
    uint64_t from = 0, to = 0, unused;
    clradio_status status = clr_opencl_event_times(first, &from, &unused);
    if (!status)
        status = clr_opencl_event_times(last, &unused, &to);
    if (!status)
        *nanoseconds = to > from ? to - from : 0;
    return status;
}

void *clr_opencl_event_retain(void *event)
{
    if (event)
        clRetainEvent(event);
    return event;
}

void clr_opencl_event_release(void *event)
{
    if (event)
        clReleaseEvent(event);
}
