/*
 * For tests/test_oclgrind.sh. As a library, loaded before Oclgrind: clEnqueueFillBuffer by
 * clEnqueueWriteBuffer, because Oclgrind 21.10 takes memory that was filled for uninitialised.
 * With -DPROGRAM, a program whose kernel reads what was filled, or, with an argument, what was not.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>

#ifndef PROGRAM

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                           size_t pattern_bytes, size_t offset, size_t bytes, cl_uint n,
                           const cl_event *wait, cl_event *event)
{
    unsigned char *host = malloc(bytes + 1);
    if (!host)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < bytes; i++)
        host[i] = ((const unsigned char *)pattern)[i % pattern_bytes];
    cl_int code = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, bytes, host, n, wait, event);
    free(host);
    return code;
}

#else

int main(int argc, char **argv)
{
    (void)argv;
    const char *source = "__kernel void copy(__global const int *a, __global int *b)"
                         "{ b[get_global_id(0)] = a[get_global_id(0)] + 1; }";
    cl_platform_id platform;
    cl_device_id device;
    cl_int numbers[16], zero = 0;
    size_t items = 16;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    cl_kernel kernel = clCreateKernel(program, "copy", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, NULL);
    if (argc == 1)
        clEnqueueFillBuffer(queue, a, &zero, 4, 0, sizeof numbers, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof b, &b);
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) ||
           clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL);
}

#endif
