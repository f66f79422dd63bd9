/*
 * The F-engine's Fourier transform by VkFFT: the only file that knows it. A header that makes its
 * kernels for the length at hand; used where clFFT was left out, or where CLRADIO_FFT=vkfft asks
 * for it. It enqueues without events, so a barrier goes before and a marker behind. Where a length
 * takes several kernels (beyond what fits local memory) nothing but an in-order queue keeps them in
 * order: other queues are refused then.
 */
#include "engine/fengine_fft.h"

#if HAVE_VKFFT

#define VKFFT_BACKEND 3
#define CL_TARGET_OPENCL_VERSION 300
#include <vkFFT.h>

#include <clradio/opencl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct vkfft_transform {
    clr_fft common;
    clradio_device *device;
    VkFFTApplication application;
    cl_device_id id; /* VkFFT keeps pointers to these */
    cl_context context;
    uint64_t bytes;
    int made;
} vkfft_transform;

static char version_text[32];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_version_text(void)
{
    int version = VkFFTGetVersion(); /* 10226 is 1.2.26 */
    snprintf(version_text, sizeof version_text, "VkFFT %d.%d.%d", version / 10000,
             version / 100 % 100, version % 100);
}

static const char *library_name(void)
{
    pthread_once(&once, make_version_text);
    return version_text;
}

static clradio_status check_length(uint32_t length)
{
    (void)length; /* every one: large primes by Bluestein's method */
    return CLRADIO_OK;
}

static void destroy(clr_fft *fft)
{
    vkfft_transform *gone = (vkfft_transform *)fft;
    if (gone->made)
        deleteVkFFT(&gone->application);
    free(gone);
}

static clradio_status create(clradio_device *device, clradio_queue *queue, uint32_t length,
                             uint64_t batch, clr_fft **fft)
{
    vkfft_transform *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a transform");
    made->common.library = &clr_fft_vkfft;
    made->device = device;
    made->id = clradio_device_opencl_id(device);
    made->context = clradio_device_opencl_context(device);
    made->bytes = batch * length * 8;
    VkFFTConfiguration configuration = { 0 };
    configuration.FFTdim = 1;
    configuration.size[0] = length;
    configuration.numberBatches = batch;
    configuration.device = &made->id;
    configuration.context = &made->context;
    configuration.bufferSize = &made->bytes;
    cl_command_queue building = clradio_queue_opencl(queue);
    configuration.commandQueue = &building;
    VkFFTResult result = initializeVkFFT(&made->application, configuration);
    made->made = result == VKFFT_SUCCESS;
    if (!made->made) {
        destroy(&made->common);
        return clr_fail(CLRADIO_ERROR_DRIVER,
                        "VkFFT cannot plan %llu transforms of %u points: code %d",
                        (unsigned long long)batch, length, (int)result);
    }
    *fft = &made->common;
    return CLRADIO_OK;
}

/* What long transforms need VkFFT takes itself, when it plans. */
static uint64_t temporary_bytes(const clr_fft *fft)
{
    (void)fft;
    return 0;
}

static int kernels_of(const vkfft_transform *transform)
{
    return (int)transform->application.localFFTPlan->numAxisUploads[0];
}

/* Behind the chain's wait list; *event covers the transform. */
static cl_int append(vkfft_transform *transform, cl_command_queue queue, cl_mem memory,
                     const cl_event *wait, cl_uint n_wait, cl_event *event, VkFFTResult *result)
{
    cl_int code = n_wait ? clEnqueueBarrierWithWaitList(queue, n_wait, wait, NULL) : CL_SUCCESS;
    if (code)
        return code;
    VkFFTLaunchParams launch = { 0 };
    launch.commandQueue = &queue;
    launch.buffer = &memory;
    *result = VkFFTAppend(&transform->application, -1, &launch);
    return *result ? CL_SUCCESS : clEnqueueMarkerWithWaitList(queue, 0, NULL, event);
}

static clradio_status enqueue(clr_fft *fft, clr_chain *chain, clradio_buffer *data,
                              clradio_buffer *temporary)
{
    (void)temporary;
    vkfft_transform *transform = (vkfft_transform *)fft;
    cl_command_queue queue = clradio_queue_opencl(chain->queue);
    cl_command_queue_properties has = 0;
    clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof has, &has, NULL);
    if (kernels_of(transform) > 1 && (has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "VkFFT does a transform of this length in %d kernels, which need an "
                        "in-order queue",
                        kernels_of(transform));
    clradio_event *const *wait;
    size_t n_wait;
    cl_event raw[64], done = NULL;
    clradio_status status = clr_chain_foreign_begin(chain, &wait, &n_wait);
    if (status)
        return status;
    if (n_wait > sizeof raw / sizeof *raw)
        return clr_fail(CLRADIO_ERROR_INTERNAL, "a chain waits for %zu events", n_wait);
    for (size_t i = 0; i < n_wait; i++)
        raw[i] = clradio_event_opencl(wait[i]);
    VkFFTResult result = VKFFT_SUCCESS;
    cl_int code =
        append(transform, queue, clradio_buffer_opencl(data), raw, (cl_uint)n_wait, &done, &result);
    if (code || result)
        return clr_fail(CLRADIO_ERROR_DRIVER, "VkFFT failed: OpenCL code %d, its own code %d",
                        (int)code, (int)result);
    clradio_event *event;
    status = clradio_event_from_opencl(transform->device, done, &event);
    clReleaseEvent(done);
    return status ? status : clr_chain_foreign_end(chain, event);
}

const clr_fft_library clr_fft_vkfft = {
    .back_end = "opencl",
    .name = library_name,
    .check_length = check_length,
    .create = create,
    .temporary_bytes = temporary_bytes,
    .enqueue = enqueue,
    .destroy = destroy,
};

#endif
