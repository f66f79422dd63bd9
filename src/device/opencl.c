/*
 * The OpenCL back end: its table of functions, and the names of OpenCL's error codes. The functions
 * stand in opencl_device.c, opencl_program.c, opencl_queue.c and opencl_memory.c.
 *
 * Written against OpenCL 1.2, so that Oclgrind and old drivers serve; what is newer is asked for by
 * extension. Nothing here is trusted further than a call's return code.
 */
#include "device/opencl_internal.h"
#undef clr_opencl_fail

#include <stdio.h>
#include <string.h>

#define CODE(name)                                                                                 \
    {                                                                                              \
        name, #name                                                                                \
    }
static const struct {
    cl_int code;
    const char *name;
} code_names[] = {
    CODE(CL_DEVICE_NOT_FOUND),
    CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),
    CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    CODE(CL_MEM_COPY_OVERLAP),
    CODE(CL_IMAGE_FORMAT_MISMATCH),
    CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_COMPILE_PROGRAM_FAILURE),
    CODE(CL_LINKER_NOT_AVAILABLE),
    CODE(CL_LINK_PROGRAM_FAILURE),
    CODE(CL_DEVICE_PARTITION_FAILED),
    CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE_TYPE),
    CODE(CL_INVALID_PLATFORM),
    CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT),
    CODE(CL_INVALID_QUEUE_PROPERTIES),
    CODE(CL_INVALID_COMMAND_QUEUE),
    CODE(CL_INVALID_HOST_PTR),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    CODE(CL_INVALID_IMAGE_SIZE),
    CODE(CL_INVALID_SAMPLER),
    CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL_DEFINITION),
    CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_DIMENSION),
    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE),
    CODE(CL_INVALID_GLOBAL_OFFSET),
    CODE(CL_INVALID_EVENT_WAIT_LIST),
    CODE(CL_INVALID_EVENT),
    CODE(CL_INVALID_OPERATION),
    CODE(CL_INVALID_GL_OBJECT),
    CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_INVALID_MIP_LEVEL),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    CODE(CL_INVALID_PROPERTY),
    CODE(CL_INVALID_IMAGE_DESCRIPTOR),
    CODE(CL_INVALID_COMPILER_OPTIONS),
    CODE(CL_INVALID_LINKER_OPTIONS),
    CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
    { -1001, "CL_PLATFORM_NOT_FOUND_KHR" },
    { -9999, "illegal memory access (NVIDIA)" },
};

const char *clr_opencl_code_name(cl_int code)
{
    for (size_t i = 0; i < sizeof code_names / sizeof *code_names; i++)
        if (code_names[i].code == code)
            return code_names[i].name;
    return "unknown OpenCL code";
}

static clradio_status status_of(cl_int code)
{
    switch (code) {
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE: return CLRADIO_ERROR_NO_DEVICE;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return CLRADIO_ERROR_DEVICE_MEMORY;
    case CL_OUT_OF_HOST_MEMORY: return CLRADIO_ERROR_MEMORY;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE: return CLRADIO_ERROR_BUILD;
    default: return CLRADIO_ERROR_DRIVER;
    }
}

clradio_status clr_opencl_fail(cl_int code, const char *what, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return clr_fail(status_of(code), "%s: %s (%d)", text, clr_opencl_code_name(code), (int)code);
}

clradio_status clr_opencl_fail_memory(cl_int code, const char *what, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    clradio_status status = status_of(code);
    if (code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE)
        status = CLRADIO_ERROR_DEVICE_MEMORY;
    return clr_fail(status, "%s: %s (%d)", text, clr_opencl_code_name(code), (int)code);
}

static const char *register_option(clradio_device *device)
{
    return strstr(clr_device_info(device)->vendor, "NVIDIA") ? "-cl-nv-maxrregcount" : NULL;
}

const clr_backend clr_backend_opencl = {
    .name = "opencl",
    .macro = "CLR_OPENCL",
    .options = "-cl-std=CL1.2",
    .list = clr_opencl_list,
    .open = clr_opencl_open,
    .close = clr_opencl_close,
    .key_lines = clr_opencl_key_lines,
    .may_have = clr_opencl_may_have,
    .register_option = register_option,
    .specific_option = CLR_OPENCL_SPECIFIC,
    .trivial = "__kernel void probe(__global uint *a, const ulong offset)\n"
               "{ a[get_global_id(0)] = (uint)offset; }\n",
    .build = clr_opencl_build,
    .load = clr_opencl_load,
    .fetch = clr_opencl_fetch,
    .program_release = clr_opencl_program_release,
    .kernel_create = clr_opencl_kernel_create,
    .kernel_limits = clr_opencl_kernel_limits,
    .kernel_release = clr_opencl_kernel_release,
    .queue_create = clr_opencl_queue_create,
    .queue_finish = clr_opencl_queue_finish,
    .queue_flush = clr_opencl_queue_flush,
    .queue_release = clr_opencl_queue_release,
    .buffer_create = clr_opencl_buffer_create,
    .buffer_release = clr_opencl_buffer_release,
    .buffer_on_host = clr_opencl_buffer_on_host,
    .map = clr_opencl_map,
    .unmap = clr_opencl_unmap,
    .launch = clr_opencl_launch,
    .write = clr_opencl_write,
    .read = clr_opencl_read,
    .copy = clr_opencl_copy,
    .fill = clr_opencl_fill,
    .marker = clr_opencl_marker,
    .event_wait = clr_opencl_event_wait,
    .event_complete = clr_opencl_event_complete,
    .event_times = clr_opencl_event_times,
    .event_elapsed = clr_opencl_event_elapsed,
    .event_retain = clr_opencl_event_retain,
    .event_release = clr_opencl_event_release,
    .host_memory_create = clr_opencl_host_memory_create,
    .host_memory_destroy = clr_opencl_host_memory_destroy,
};
