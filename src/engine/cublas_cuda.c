/* cuBLAS, found at run time: the only file that knows where. */
#include "engine/cublas_cuda.h"

#include "device/cuda_foreign.h"
#include "device/cuda_library.h"

#include <pthread.h>
#include <stdio.h>

static clr_cublas cublas;
static char missing[160] = "the variant blas needs cuBLAS (libcublas.so) on a CUDA device, which "
                           "was not found: install CUDA's libraries";
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
            LOOK_UP(cublasCherk_v2) && LOOK_UP(cublasCgemmStridedBatched);
    if (!found)
        snprintf(missing, sizeof missing, "this cuBLAS is too old: a function is missing in it");
}

clradio_status clr_cublas_available(void)
{
    pthread_once(&once, load);
    return found ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_UNSUPPORTED, "%s", missing);
}

const clr_cublas *clr_cublas_functions(void)
{
    return &cublas;
}

/* A handle belongs to the context that is current when it is made. */
clradio_status clr_cublas_create(clradio_device *device, void **handle)
{
    *handle = NULL;
    clradio_status status = clr_cublas_available();
    if (!status)
        status = clr_cuda_make_current(device);
    if (status)
        return status;
    const int code = cublas.cublasCreate_v2(handle);
    clr_cuda_make_uncurrent(device);
    if (!code)
        return CLRADIO_OK;
    *handle = NULL;
    return clr_fail(CLRADIO_ERROR_DRIVER, "cuBLAS does not start: code %d", code);
}

void clr_cublas_destroy(clradio_device *device, void *handle)
{
    if (!handle || clr_cuda_make_current(device))
        return;
    cublas.cublasDestroy_v2(handle);
    clr_cuda_make_uncurrent(device);
}
