/*
 * The F-engine's Fourier transform by clFFT: the only file that knows it. clFFT keeps its kernels
 * in one table for the whole process, without a lock, and kernel objects are shared by plans: every
 * call into it is made under one lock here. Its table holds references to contexts until
 * clfftTeardown, so that is called when the last of our transforms goes. A program that uses clFFT
 * itself beside us must know that.
 */
#include "engine/fengine_fft.h"

#include <clradio/opencl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#if HAVE_CLFFT

#include <clFFT.h>

typedef struct clfft_transform {
    clr_fft common;
    clradio_device *device;
    clfftPlanHandle plan;
    uint64_t temporary_bytes;
} clfft_transform;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* transforms alive; guarded by lock */

static const char *library_name(void)
{
#define NAME_OF(major, minor, patch) "clFFT " #major "." #minor "." #patch
#define NAME(major, minor, patch) NAME_OF(major, minor, patch)
    return NAME(clfftVersionMajor, clfftVersionMinor, clfftVersionPatch);
}

static clradio_status fail(clfftStatus code, const char *call, uint32_t length)
{
    const char *name = "";
    switch (code) {
    case CLFFT_BUGCHECK: name = " (CLFFT_BUGCHECK)"; break;
    case CLFFT_NOTIMPLEMENTED: name = " (CLFFT_NOTIMPLEMENTED)"; break;
    case CLFFT_INVALID_PLAN: name = " (CLFFT_INVALID_PLAN)"; break;
    case CLFFT_DEVICE_NO_DOUBLE: name = " (CLFFT_DEVICE_NO_DOUBLE)"; break;
    case CLFFT_DEVICE_MISMATCH: name = " (CLFFT_DEVICE_MISMATCH)"; break;
    case CLFFT_OUT_OF_RESOURCES: name = " (CL_OUT_OF_RESOURCES)"; break;
    case CLFFT_OUT_OF_HOST_MEMORY: name = " (CL_OUT_OF_HOST_MEMORY)"; break;
    case CLFFT_MEM_OBJECT_ALLOCATION_FAILURE: name = " (CL_MEM_OBJECT_ALLOCATION_FAILURE)"; break;
    case CLFFT_BUILD_PROGRAM_FAILURE: name = " (CL_BUILD_PROGRAM_FAILURE)"; break;
    case CLFFT_INVALID_PROGRAM:
        /* clFFT bakes a plan whose code did not compile, and notices at the first transform. */
        name = " (CL_INVALID_PROGRAM: this driver's compiler refuses clFFT's code; with VkFFT in "
               "the build CLRADIO_FFT=vkfft takes its place)";
        break;
    default: break;
    }
    clradio_status status = code == CLFFT_NOTIMPLEMENTED          ? CLRADIO_ERROR_UNSUPPORTED
                            : code == CLFFT_OUT_OF_HOST_MEMORY    ? CLRADIO_ERROR_MEMORY
                            : code == CLFFT_BUILD_PROGRAM_FAILURE ? CLRADIO_ERROR_BUILD
                                                                  : CLRADIO_ERROR_DRIVER;
    return clr_fail(status, "%s failed with %d%s for a transform of %u points", call, (int)code,
                    name, length);
}

static int taken(uint32_t length)
{
    static const uint32_t primes[] = { 2, 3, 5, 7, 11, 13 };
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        while (length && length % primes[i] == 0)
            length /= primes[i];
    return length == 1;
}

static clradio_status check_length(uint32_t length)
{
    if (taken(length))
        return CLRADIO_OK;
    uint32_t below = length, above = length;
    while (!taken(below))
        below--;
    while (above < UINT32_MAX && !taken(above))
        above++;
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "%u channels: clFFT takes lengths that are products of 2, 3, 5, 7, 11 and 13, "
                    "the nearest are %u and %u",
                    length, below, above);
}

/* Under the lock. */
static clradio_status make(clfft_transform *fft, clradio_queue *queue, uint32_t length,
                           uint64_t batch)
{
    size_t points = length, temporary = 0;
    cl_command_queue command_queue = clradio_queue_opencl(queue);
    clfftStatus code = CLFFT_SUCCESS;
    if (!users) {
        /* Not by clfftInitSetupData: an inline function of the header that C does not emit. */
        clfftSetupData setup = { clfftVersionMajor, clfftVersionMinor, clfftVersionPatch, 0 };
        code = clfftSetup(&setup);
        if (code)
            return fail(code, "clfftSetup", length);
    }
    code = clfftCreateDefaultPlan(&fft->plan, clradio_device_opencl_context(fft->device), CLFFT_1D,
                                  &points);
    if (code) {
        if (!users)
            clfftTeardown();
        return fail(code, "clfftCreateDefaultPlan", length);
    }
    users++;
    const char *call = "clfftSetPlan...";
    if (!(code = clfftSetPlanPrecision(fft->plan, CLFFT_SINGLE)) &&
        !(code = clfftSetLayout(fft->plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED)) &&
        !(code = clfftSetResultLocation(fft->plan, CLFFT_INPLACE)) &&
        !(code = clfftSetPlanBatchSize(fft->plan, (size_t)batch))) {
        call = "clfftBakePlan";
        code = clfftBakePlan(fft->plan, 1, &command_queue, NULL, NULL);
    }
    if (!code) {
        call = "clfftGetTmpBufSize";
        code = clfftGetTmpBufSize(fft->plan, &temporary);
    }
    fft->temporary_bytes = temporary;
    return code ? fail(code, call, length) : CLRADIO_OK;
}

static void destroy(clr_fft *transform)
{
    clfft_transform *fft = (clfft_transform *)transform;
    pthread_mutex_lock(&lock);
    if (fft->plan) {
        clfftDestroyPlan(&fft->plan);
        if (--users == 0)
            clfftTeardown();
    }
    pthread_mutex_unlock(&lock);
    free(fft);
}

static clradio_status create(clradio_device *device, clradio_queue *queue, uint32_t length,
                             uint64_t batch, clr_fft **fft)
{
    *fft = NULL;
    clradio_status status = check_length(length);
    if (status)
        return status;
    if (!clradio_queue_opencl(queue))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the F-engine's transform needs an OpenCL device");
    clfft_transform *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a transform");
    made->common.library = &clr_fft_clfft;
    made->device = device;
    pthread_mutex_lock(&lock);
    status = make(made, queue, length, batch);
    pthread_mutex_unlock(&lock);
    if (status) {
        destroy(&made->common);
        return status;
    }
    *fft = &made->common;
    return CLRADIO_OK;
}

static uint64_t temporary_bytes(const clr_fft *fft)
{
    return ((const clfft_transform *)fft)->temporary_bytes;
}

static clradio_status enqueue(clr_fft *transform, clr_chain *chain, clradio_buffer *data,
                              clradio_buffer *temporary)
{
    const clfft_transform *fft = (const clfft_transform *)transform;
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
    cl_command_queue queue = clradio_queue_opencl(chain->queue);
    cl_mem memory = clradio_buffer_opencl(data);
    pthread_mutex_lock(&lock);
    clfftStatus code = clfftEnqueueTransform(fft->plan, CLFFT_FORWARD, 1, &queue, (cl_uint)n_wait,
                                             n_wait ? raw : NULL, &done, &memory, NULL,
                                             temporary ? clradio_buffer_opencl(temporary) : NULL);
    pthread_mutex_unlock(&lock);
    if (code)
        return clr_fail(CLRADIO_ERROR_DRIVER, "clfftEnqueueTransform failed with %d", (int)code);
    clradio_event *event;
    status = clradio_event_from_opencl(fft->device, done, &event);
    clReleaseEvent(done);
    return status ? status : clr_chain_foreign_end(chain, event);
}

#else

static clradio_status absent(void)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "this clradio was built without clFFT: only channels = 1 works");
}

static const char *library_name(void)
{
    return "none";
}

static clradio_status check_length(uint32_t length)
{
    return length == 1 ? CLRADIO_OK : absent();
}

static clradio_status create(clradio_device *device, clradio_queue *queue, uint32_t length,
                             uint64_t batch, clr_fft **fft)
{
    (void)device, (void)queue, (void)length, (void)batch;
    *fft = NULL;
    return absent();
}

static uint64_t temporary_bytes(const clr_fft *fft)
{
    (void)fft;
    return 0;
}

static clradio_status enqueue(clr_fft *fft, clr_chain *chain, clradio_buffer *data,
                              clradio_buffer *temporary)
{
    (void)fft, (void)chain, (void)data, (void)temporary;
    return absent();
}

static void destroy(clr_fft *fft)
{
    (void)fft;
}

#endif

const clr_fft_library clr_fft_clfft = {
    .back_end = "opencl",
    .name = library_name,
    .check_length = check_length,
    .create = create,
    .temporary_bytes = temporary_bytes,
    .enqueue = enqueue,
    .destroy = destroy,
};
