/* OpenCL programs and kernels: building from source, loading and fetching binaries. */
#include "device/opencl_internal.h"

#include <stdlib.h>
#include <string.h>

/* Without -cl-std the language version differs between drivers (PoCL: 3.0, NVIDIA: 1.2). */
static char *with_language(const char *options)
{
    if (!options)
        options = "";
    const char *language = strstr(options, "-cl-std=") ? "" : "-cl-std=CL1.2 ";
    size_t room = strlen(language) + strlen(options) + 1;
    char *whole = malloc(room);
    if (whole) {
        strcpy(whole, language);
        strcat(whole, options);
        clr_opencl_take_specific(whole);
    }
    return whole;
}

/* The build log without trailing white space; NULL when it is empty. */
static char *build_log(cl_program program, cl_device_id id)
{
    size_t size = 0;
    if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || size < 2)
        return NULL;
    char *log = calloc(size + 1, 1);
    if (!log)
        return NULL;
    if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log, NULL)) {
        free(log);
        return NULL;
    }
    size_t length = strlen(log);
    while (length && strchr(" \t\r\n", log[length - 1]))
        log[--length] = '\0';
    if (!length) {
        free(log);
        return NULL;
    }
    return log;
}

/* Builds for this device only: a context of the caller's may hold others. */
static cl_int build_for(clr_opencl_device *opencl, cl_program program, const char *options)
{
    char *whole = with_language(options);
    if (!whole)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int code = clBuildProgram(program, 1, &opencl->id, whole, NULL, NULL);
    free(whole);
    return code;
}

/* A program from a binary. *log (NULL: not wanted) is what the driver said of it. */
static clradio_status load(clr_opencl_device *opencl, const clr_binary *binary, const char *options,
                           void **program, char **log)
{
    const unsigned char *bytes = binary->bytes;
    cl_int code, of_binary = CL_SUCCESS;
    if (!binary->count)
        return clr_opencl_fail(CL_INVALID_BINARY, "an empty program binary");
    cl_program made = clCreateProgramWithBinary(opencl->context, 1, &opencl->id, &binary->count,
                                                &bytes, &of_binary, &code);
    if (!made || code)
        return clr_opencl_fail(code, "clCreateProgramWithBinary");
    code = of_binary ? of_binary : build_for(opencl, made, options);
    if (log)
        *log = build_log(made, opencl->id);
    if (code) {
        clReleaseProgram(made);
        return clr_opencl_fail(code, "clBuildProgram of a binary");
    }
    *program = made;
    return CLRADIO_OK;
}

/* The same program with the architecture's own instructions, in its place. */
static clradio_status make_specific(clradio_device *device, const char *options, void **program,
                                    char **log)
{
    clr_binary binary;
    void *made = NULL;
    clradio_status status = clr_opencl_fetch(device, *program, &binary);
    if (!status)
        status = clr_opencl_make_specific(&binary);
    if (!status && log) {
        free(*log);
        *log = NULL;
    }
    if (!status)
        status = load(clr_opencl_of(device), &binary, options, &made, log);
    free(binary.bytes);
    clr_opencl_program_release(*program);
    *program = made;
    return status;
}

clradio_status clr_opencl_build(clradio_device *device, const char *source, size_t bytes,
                                const char *options, void **program, char **log)
{
    clr_opencl_device *opencl = clr_opencl_of(device);
    cl_int code;
    if (log)
        *log = NULL;
    cl_program made = clCreateProgramWithSource(opencl->context, 1, &source, &bytes, &code);
    if (!made || code)
        return clr_opencl_fail(code, "clCreateProgramWithSource");
    code = build_for(opencl, made, options);
    if (log)
        *log = build_log(made, opencl->id);
    if (code) {
        clReleaseProgram(made);
        return clr_opencl_fail(code, "clBuildProgram");
    }
    *program = made;
    return options && strstr(options, CLR_OPENCL_SPECIFIC)
               ? make_specific(device, options, program, log)
               : CLRADIO_OK;
}

clradio_status clr_opencl_load(clradio_device *device, const clr_binary *binary,
                               const char *options, void **program)
{
    return load(clr_opencl_of(device), binary, options, program, NULL);
}

/*
 * CL_PROGRAM_BINARIES wants an array of as many pointers as the program has devices. A NULL pointer
 * asks to leave that one out, but not every driver knows: all are fetched, ours is kept.
 */
static cl_int binaries_of(cl_program program, cl_uint n, size_t *sizes, unsigned char **binaries)
{
    cl_int code =
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, n * sizeof *sizes, sizes, NULL);
    for (cl_uint i = 0; !code && i < n; i++) {
        binaries[i] = malloc(sizes[i] + 1);
        if (!binaries[i])
            code = CL_OUT_OF_HOST_MEMORY;
    }
    if (!code)
        code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, n * sizeof *binaries, binaries, NULL);
    return code;
}

clradio_status clr_opencl_fetch(clradio_device *device, void *program, clr_binary *binary)
{
    clr_opencl_device *opencl = clr_opencl_of(device);
    cl_uint n = 0;
    *binary = (clr_binary){ NULL, 0 };
    cl_int code = clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL);
    if (code || !n)
        return clr_opencl_fail(code, "clGetProgramInfo(CL_PROGRAM_NUM_DEVICES)");
    cl_device_id *ids = calloc(n, sizeof *ids);
    size_t *sizes = calloc(n, sizeof *sizes);
    unsigned char **binaries = calloc(n, sizeof *binaries);
    code = CL_OUT_OF_HOST_MEMORY;
    if (ids && sizes && binaries)
        code = clGetProgramInfo(program, CL_PROGRAM_DEVICES, n * sizeof *ids, ids, NULL);
    if (!code)
        code = binaries_of(program, n, sizes, binaries);
    for (cl_uint i = 0; binaries && i < n; i++) {
        if (!code && ids[i] == opencl->id && sizes[i] && !binary->bytes)
            *binary = (clr_binary){ binaries[i], sizes[i] };
        else
            free(binaries[i]);
    }
    free(ids);
    free(sizes);
    free(binaries);
    if (code)
        return clr_opencl_fail(code, "clGetProgramInfo(CL_PROGRAM_BINARIES)");
    if (!binary->bytes)
        return clr_fail(CLRADIO_ERROR_DRIVER, "the driver has no binary of the program");
    return CLRADIO_OK;
}

void clr_opencl_program_release(void *program)
{
    if (program)
        clReleaseProgram(program);
}

clradio_status clr_opencl_kernel_create(void *program, const char *entry, void **kernel)
{
    cl_int code;
    cl_kernel made = clCreateKernel(program, entry, &code);
    if (!made || code)
        return clr_opencl_fail(code, "clCreateKernel of %s", entry);
    *kernel = made;
    return CLRADIO_OK;
}

size_t clr_opencl_most_of_group(size_t answered, const size_t required[3])
{
    const int is_power_of_two = !(answered & (answered - 1));
    size_t items = 1;
    for (int i = 0; i < 3; i++) {
        if (!required[i] || required[i] >= 2 * answered)
            return answered;
        items *= required[i];
    }
    return is_power_of_two && items > answered && items < 2 * answered ? items : answered;
}

clradio_status clr_opencl_kernel_limits(clradio_device *device, void *kernel,
                                        size_t *max_group_size, uint64_t *local_bytes,
                                        uint64_t *private_bytes)
{
    cl_device_id id = clr_opencl_of(device)->id;
    size_t group = 0, required[3] = { 0 };
    cl_ulong local = 0, private = 0;
    cl_int code =
        clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (code)
        return clr_opencl_fail(code, "clGetKernelWorkGroupInfo");
    /* These only inform: a driver that does not tell gives 0. */
    clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required,
                             required, NULL);
    clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private,
                             NULL);
    if (max_group_size)
        *max_group_size = clr_opencl_most_of_group(group, required);
    if (local_bytes)
        *local_bytes = local;
    if (private_bytes)
        *private_bytes = private;
    return CLRADIO_OK;
}

void clr_opencl_kernel_release(void *kernel)
{
    if (kernel)
        clReleaseKernel(kernel);
}
