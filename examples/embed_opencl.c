/*
 * A program that owns its OpenCL context, queue, buffers and events, and lets clradio's X-engine
 * work on them. Two stations send constant samples; the visibility of their baseline is known.
 *
 *     x_0 = 1 + 2i, x_1 = 3 - i, 100 spectra:
 *     V_10 = 100 x_1 conj(x_0) = 100 (3 - i)(1 - 2i) = 100 - 700i
 *
 * Exit code: 0 right, 1 wrong or failed, 77 no OpenCL device.
 */
#include <clradio/clradio.h>
#include <clradio/opencl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATIONS = 2, SPECTRA = 100, BASELINES = 3 }; /* (0,0), (1,0), (1,1) */

static void check_opencl(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL code %d\n", what, (int)code);
        exit(1);
    }
}

static void check(clradio_status status, const char *what)
{
    if (status != CLRADIO_OK) {
        fprintf(stderr, "%s: %s\n", what, clradio_last_error());
        exit(1);
    }
}

/* The first device of the first platform that has one. */
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint n = 0;
    if (clGetPlatformIDs(16, platforms, &n))
        exit(77);
    for (cl_uint i = 0; i < n && i < 16; i++)
        if (!clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            return device;
    exit(77);
}

/* One call of the X-engine between a write and a read of the caller's own. */
static void correlate(clradio_device *device, clradio_xengine *plan, cl_command_queue queue,
                      cl_mem samples, cl_mem sums, const int8_t *host, int64_t *result)
{
    clradio_queue *our_queue;
    clradio_buffer *our_samples, *our_sums;
    clradio_event *our_written, *done;
    cl_event written;
    size_t bytes = (size_t)SPECTRA * STATIONS * 2;

    check_opencl(clEnqueueWriteBuffer(queue, samples, CL_FALSE, 0, bytes, host, 0, NULL, &written),
                 "write");
    check(clradio_queue_from_opencl(device, queue, &our_queue), "queue");
    check(clradio_buffer_from_opencl(device, samples, &our_samples), "samples");
    check(clradio_buffer_from_opencl(device, sums, &our_sums), "sums");
    check(clradio_event_from_opencl(device, written, &our_written), "event");

    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT; /* flags: DUMP */
    io.spectra.buffer = our_samples;
    io.visibilities.buffer = our_sums;
    io.spectra_count = SPECTRA;
    check(clradio_xengine_enqueue(plan, our_queue, &io, 1, &our_written, &done), "enqueue");

    cl_event computed = clradio_event_opencl(done); /* covers all of the call's kernels */
    check_opencl(clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, sizeof(int64_t) * 2 * BASELINES,
                                     result, 1, &computed, NULL),
                 "read");

    clradio_event_destroy(done);
    clradio_event_destroy(our_written);
    clradio_buffer_destroy(our_sums);
    clradio_buffer_destroy(our_samples);
    clradio_queue_destroy(our_queue);
    clReleaseEvent(written);
}

int main(void)
{
    cl_int code;
    cl_device_id id = find_device();
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    check_opencl(code, "context");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, id, NULL, &code);
    check_opencl(code, "queue");
    cl_mem samples =
        clCreateBuffer(context, CL_MEM_READ_ONLY, (size_t)SPECTRA * STATIONS * 2, NULL, &code);
    check_opencl(code, "samples");
    cl_mem sums =
        clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int64_t) * 2 * BASELINES, NULL, &code);
    check_opencl(code, "sums");

    int8_t host[SPECTRA][STATIONS][2];
    for (int t = 0; t < SPECTRA; t++) {
        host[t][0][0] = 1, host[t][0][1] = 2;
        host[t][1][0] = 3, host[t][1][1] = -1;
    }

    clradio_device *device;
    clradio_xengine *plan;
    clradio_xengine_config config = CLRADIO_XENGINE_CONFIG_INIT;
    config.stations = STATIONS;
    config.spectra = SPECTRA;
    config.input = CLRADIO_CI8;
    config.output = CLRADIO_CI64;
    check(clradio_device_from_opencl(context, id, &device), "device");
    check(clradio_xengine_create(device, &config, &plan), "plan");

    int64_t result[BASELINES][2];
    correlate(device, plan, queue, samples, sums, &host[0][0][0], &result[0][0]);
    printf("V_10 = %lld %+lldi, expected 100 -700i\n", (long long)result[1][0],
           (long long)result[1][1]);

    clradio_xengine_destroy(plan);
    clradio_device_close(device);
    clReleaseMemObject(sums);
    clReleaseMemObject(samples);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return result[1][0] == 100 && result[1][1] == -700 ? 0 : 1;
}
