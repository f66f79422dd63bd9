/*
 * A program that owns its CUDA context, stream and device memory, and lets clradio's X-engine work
 * on them. Two stations send constant samples; the visibility of their baseline is known.
 *
 *     x_0 = 1 + 2i, x_1 = 3 - i, 100 spectra:
 *     V_10 = 100 x_1 conj(x_0) = 100 (3 - i)(1 - 2i) = 100 - 700i
 *
 * The driver is opened by dlopen, so that this builds on any machine; a program that links CUDA
 * calls it as usual. Exit code: 0 right, 1 wrong or failed, 77 no CUDA device.
 */
#include <clradio/clradio.h>
#include <clradio/cuda.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATIONS = 2, SPECTRA = 100, BASELINES = 3 }; /* (0,0), (1,0), (1,1) */

static struct {
    int (*cuInit)(unsigned flags);
    int (*cuDeviceGet)(int *device, int ordinal);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuDevicePrimaryCtxRelease_v2)(int device);
    int (*cuCtxSetCurrent)(void *context);
    int (*cuStreamCreate)(void **stream, unsigned flags);
    int (*cuStreamDestroy_v2)(void *stream);
    int (*cuStreamSynchronize)(void *stream);
    int (*cuMemAlloc_v2)(unsigned long long *pointer, size_t bytes);
    int (*cuMemFree_v2)(unsigned long long pointer);
    int (*cuMemcpyHtoDAsync_v2)(unsigned long long to, const void *from, size_t bytes,
                                void *stream);
    int (*cuMemcpyDtoHAsync_v2)(void *to, unsigned long long from, size_t bytes, void *stream);
} cuda;

static void load_cuda(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        exit(77);
#define LOAD(name)                                                                                 \
    do {                                                                                           \
        void *address = dlsym(library, #name);                                                     \
        if (!address)                                                                              \
            exit(77);                                                                              \
        memcpy(&cuda.name, &address, sizeof address);                                              \
    } while (0)
    LOAD(cuInit);
    LOAD(cuDeviceGet);
    LOAD(cuDevicePrimaryCtxRetain);
    LOAD(cuDevicePrimaryCtxRelease_v2);
    LOAD(cuCtxSetCurrent);
    LOAD(cuStreamCreate);
    LOAD(cuStreamDestroy_v2);
    LOAD(cuStreamSynchronize);
    LOAD(cuMemAlloc_v2);
    LOAD(cuMemFree_v2);
    LOAD(cuMemcpyHtoDAsync_v2);
    LOAD(cuMemcpyDtoHAsync_v2);
}

static void check_cuda(int code, const char *what)
{
    if (code) {
        fprintf(stderr, "%s: CUDA code %d\n", what, code);
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

/* One call of the X-engine between a copy in and a copy out of the caller's own, all in the
 * caller's stream. */
static void correlate(clradio_device *device, clradio_xengine *plan, void *stream,
                      unsigned long long samples, unsigned long long sums, const int8_t *host,
                      int64_t *result)
{
    clradio_queue *our_queue;
    clradio_buffer *our_samples, *our_sums;
    size_t in = (size_t)SPECTRA * STATIONS * 2, out = sizeof(int64_t) * 2 * BASELINES;

    check_cuda(cuda.cuMemcpyHtoDAsync_v2(samples, host, in, stream), "copy in");
    check(clradio_queue_from_cuda(device, stream, &our_queue), "queue");
    check(clradio_buffer_from_cuda(device, samples, in, &our_samples), "samples");
    check(clradio_buffer_from_cuda(device, sums, out, &our_sums), "sums");

    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT; /* flags: DUMP */
    io.spectra.buffer = our_samples;
    io.visibilities.buffer = our_sums;
    io.spectra_count = SPECTRA;
    check(clradio_xengine_enqueue(plan, our_queue, &io, 0, NULL, NULL), "enqueue");
    check_cuda(cuda.cuMemcpyDtoHAsync_v2(result, sums, out, stream), "copy out");
    check_cuda(cuda.cuStreamSynchronize(stream), "stream");

    clradio_buffer_destroy(our_sums);
    clradio_buffer_destroy(our_samples);
    clradio_queue_destroy(our_queue);
}

int main(void)
{
    int cuda_device;
    void *context, *stream;
    unsigned long long samples, sums;
    load_cuda();
    if (cuda.cuInit(0) || cuda.cuDeviceGet(&cuda_device, 0))
        return 77;
    check_cuda(cuda.cuDevicePrimaryCtxRetain(&context, cuda_device), "context");
    check_cuda(cuda.cuCtxSetCurrent(context), "context");
    check_cuda(cuda.cuStreamCreate(&stream, 1), "stream");
    check_cuda(cuda.cuMemAlloc_v2(&samples, (size_t)SPECTRA * STATIONS * 2), "samples");
    check_cuda(cuda.cuMemAlloc_v2(&sums, sizeof(int64_t) * 2 * BASELINES), "sums");

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
    check(clradio_device_from_cuda(0, context, &device), "device");
    check(clradio_xengine_create(device, &config, &plan), "plan");

    int64_t result[BASELINES][2];
    correlate(device, plan, stream, samples, sums, &host[0][0][0], &result[0][0]);
    printf("V_10 = %lld %+lldi, expected 100 -700i\n", (long long)result[1][0],
           (long long)result[1][1]);

    clradio_xengine_destroy(plan);
    clradio_device_close(device);
    cuda.cuMemFree_v2(sums);
    cuda.cuMemFree_v2(samples);
    cuda.cuStreamDestroy_v2(stream);
    cuda.cuDevicePrimaryCtxRelease_v2(cuda_device);
    return result[1][0] == 100 && result[1][1] == -700 ? 0 : 1;
}
