/*
 * cuBLAS behind the X-engine's variant blas, found at run time: the only file that knows it. Our
 * own prototypes, so that nothing of CUDA is needed to build.
 */
#include "device/cuda_foreign.h"
#include "device/cuda_library.h"
#include "engine/xengine_blas.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CUBLAS_FILL_LOWER = 0, CUBLAS_OP_N = 0 };

static struct {
    int (*cublasCreate_v2)(void **handle);
    int (*cublasDestroy_v2)(void *handle);
    int (*cublasSetStream_v2)(void *handle, void *stream);
    int (*cublasCherk_v2)(void *handle, int triangle, int operation, int n, int k,
                          const float *alpha, const void *a, int leading, const float *beta,
                          void *c, int leading_c);
} cublas;

static char missing[160] = "the X-engine's variant blas needs cuBLAS (libcublas.so) on a CUDA "
                           "device, which was not found: install CUDA's libraries";
static int found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const char *const names[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                         "libcublas.so" };
    void *library = clr_cuda_open_library(names, sizeof names / sizeof *names);
    if (!library)
        return;
#define LOOK_UP(name) clr_cuda_look_up(library, #name, &cublas.name)
    found = LOOK_UP(cublasCreate_v2) && LOOK_UP(cublasDestroy_v2) && LOOK_UP(cublasSetStream_v2) &&
            LOOK_UP(cublasCherk_v2);
    if (!found)
        snprintf(missing, sizeof missing, "this cuBLAS is too old: a function is missing in it");
}

static clradio_status available(void)
{
    pthread_once(&once, load);
    return found ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_UNSUPPORTED, "%s", missing);
}

/* A handle belongs to the context that is current when it is made. */
static clradio_status create(clradio_device *device, void **state)
{
    *state = NULL;
    clradio_status status = available();
    if (!status)
        status = clr_cuda_make_current(device);
    if (status)
        return status;
    const int code = cublas.cublasCreate_v2(state);
    clr_cuda_make_uncurrent(device);
    if (!code)
        return CLRADIO_OK;
    *state = NULL;
    return clr_fail(CLRADIO_ERROR_DRIVER, "cuBLAS does not start: code %d", code);
}

static clradio_status cherk(void *state, clr_chain *chain, uint64_t n, uint64_t k, clradio_span a,
                            uint64_t first, uint64_t leading, clradio_buffer *product)
{
    static const float one = 1, zero = 0;
    void *stream;
    if (n > INT32_MAX || k > INT32_MAX || leading > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "cuBLAS takes matrices with less than 2^31 rows and columns; here columns "
                        "of %" PRIu64 " are %" PRIu64 " apart",
                        n, leading);
    clradio_status status = clr_cuda_foreign_begin(chain, &stream);
    if (status)
        return status;
    const char *from = (const char *)clr_cuda_address(a.buffer) + a.offset + 8 * first;
    int code = cublas.cublasSetStream_v2(state, stream);
    if (!code)
        code = cublas.cublasCherk_v2(state, CUBLAS_FILL_LOWER, CUBLAS_OP_N, (int)n, (int)k, &one,
                                     from, (int)leading, &zero, clr_cuda_address(product), (int)n);
    if (code)
        status = clr_fail(CLRADIO_ERROR_DRIVER, "cublasCherk failed with code %d", code);
    return clr_cuda_foreign_end(chain, status);
}

static void destroy(clradio_device *device, void *state)
{
    if (!state || clr_cuda_make_current(device))
        return;
    cublas.cublasDestroy_v2(state);
    clr_cuda_make_uncurrent(device);
}

const clr_blas_library clr_blas_cublas = {
    .back_end = "cuda",
    .available = available,
    .create = create,
    .cherk = cherk,
    .destroy = destroy,
};
