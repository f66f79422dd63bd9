/*
 * The F-engine's Fourier transform by cuFFT, found at run time: the only file that knows it. Our
 * own prototypes, so that nothing of CUDA is needed to build.
 */
#include "device/cuda_foreign.h"
#include "device/cuda_library.h"
#include "engine/fengine_fft.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUFFT_C2C = 0x29, CUFFT_FORWARD = -1 };

static struct {
    int (*cufftGetVersion)(int *version);
    int (*cufftCreate)(int *plan);
    int (*cufftSetAutoAllocation)(int plan, int automatic);
    int (*cufftMakePlanMany64)(int plan, int rank, long long *n, long long *inembed,
                               long long istride, long long idist, long long *onembed,
                               long long ostride, long long odist, int type, long long batch,
                               size_t *work_bytes);
    int (*cufftSetWorkArea)(int plan, void *area);
    int (*cufftSetStream)(int plan, void *stream);
    int (*cufftExecC2C)(int plan, void *in, void *out, int direction);
    int (*cufftDestroy)(int plan);
} cufft;

static char missing[256] = "cuFFT (libcufft.so) was not found: install CUDA's libraries; without "
                           "it only channels = 1 works on a CUDA device";
static char version_text[32] = "none";
static int found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

typedef struct cufft_transform {
    clr_fft common;
    clradio_device *device;
    int plan;
    int planned;
    size_t temporary_bytes;
} cufft_transform;

static void load(void)
{
    static const char *const names[] = { "libcufft.so.12", "libcufft.so.11", "libcufft.so.10",
                                         "libcufft.so" };
    void *library = clr_cuda_open_library(names, sizeof names / sizeof *names);
    if (!library)
        return;
#define LOOK_UP(name) clr_cuda_look_up(library, #name, &cufft.name)
    found = LOOK_UP(cufftGetVersion) && LOOK_UP(cufftCreate) && LOOK_UP(cufftSetAutoAllocation) &&
            LOOK_UP(cufftMakePlanMany64) && LOOK_UP(cufftSetWorkArea) && LOOK_UP(cufftSetStream) &&
            LOOK_UP(cufftExecC2C) && LOOK_UP(cufftDestroy);
    int version = 0;
    if (!found)
        snprintf(missing, sizeof missing, "this cuFFT is too old: a function is missing in it");
    else if (!cufft.cufftGetVersion(&version))
        snprintf(version_text, sizeof version_text, "cuFFT %d.%d.%d", version / 1000,
                 version % 1000 / 100, version % 100);
}

static clradio_status need(void)
{
    pthread_once(&once, load);
    return found ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_UNSUPPORTED, "%s", missing);
}

static const char *name(void)
{
    pthread_once(&once, load);
    return version_text;
}

/* cuFFT takes every length (Bluestein's method where the primes are large). */
static clradio_status check_length(uint32_t length)
{
    return length == 1 ? CLRADIO_OK : need();
}

static void destroy(clr_fft *fft)
{
    cufft_transform *gone = (cufft_transform *)fft;
    if (gone->planned && !clr_cuda_make_current(gone->device)) {
        cufft.cufftDestroy(gone->plan);
        clr_cuda_make_uncurrent(gone->device);
    }
    free(gone);
}

static clradio_status create(clradio_device *device, clradio_queue *queue, uint32_t length,
                             uint64_t batch, clr_fft **fft)
{
    (void)queue;
    clradio_status status = need();
    cufft_transform *made = status ? NULL : calloc(1, sizeof *made);
    if (!made)
        return status ? status : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a transform");
    made->common.library = &clr_fft_cufft;
    made->device = device;
    status = clr_cuda_make_current(device);
    if (!status) {
        long long points = length;
        int code = cufft.cufftCreate(&made->plan);
        made->planned = !code;
        if (!code)
            code = cufft.cufftSetAutoAllocation(made->plan, 0);
        if (!code)
            code =
                cufft.cufftMakePlanMany64(made->plan, 1, &points, NULL, 1, points, NULL, 1, points,
                                          CUFFT_C2C, (long long)batch, &made->temporary_bytes);
        clr_cuda_make_uncurrent(device);
        if (code)
            status = clr_fail(CLRADIO_ERROR_DRIVER,
                              "cuFFT cannot plan %llu transforms of %u points: code %d",
                              (unsigned long long)batch, length, code);
    }
    if (status)
        destroy(&made->common);
    else
        *fft = &made->common;
    return status;
}

static uint64_t temporary_bytes(const clr_fft *fft)
{
    return ((const cufft_transform *)fft)->temporary_bytes;
}

static clradio_status enqueue(clr_fft *fft, clr_chain *chain, clradio_buffer *data,
                              clradio_buffer *temporary)
{
    const cufft_transform *of = (const cufft_transform *)fft;
    void *stream;
    clradio_status status = clr_cuda_foreign_begin(chain, &stream);
    if (status)
        return status;
    int code = cufft.cufftSetStream(of->plan, stream);
    if (!code && of->temporary_bytes)
        code = cufft.cufftSetWorkArea(of->plan, clr_cuda_address(temporary));
    if (!code)
        code = cufft.cufftExecC2C(of->plan, clr_cuda_address(data), clr_cuda_address(data),
                                  CUFFT_FORWARD);
    if (code)
        status = clr_fail(CLRADIO_ERROR_DRIVER, "cuFFT failed with code %d", code);
    return clr_cuda_foreign_end(chain, status);
}

const clr_fft_library clr_fft_cufft = {
    .back_end = "cuda",
    .name = name,
    .check_length = check_length,
    .create = create,
    .temporary_bytes = temporary_bytes,
    .enqueue = enqueue,
    .destroy = destroy,
};
