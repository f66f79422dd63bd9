/* cuBLAS behind the variants blas of X-engine and channel DFT. Our own prototypes, so that nothing
 * of CUDA is needed to build. */
#ifndef CLR_ENGINE_CUBLAS_CUDA_H
#define CLR_ENGINE_CUBLAS_CUDA_H

#include "device/device.h"

enum { CLR_CUBLAS_FILL_LOWER = 0, CLR_CUBLAS_OP_N = 0 };

/* Each answers 0 or a cublasStatus_t; complex numbers are two floats; matrices column-major. */
typedef struct clr_cublas {
    int (*cublasCreate_v2)(void **handle);
    int (*cublasDestroy_v2)(void *handle);
    int (*cublasSetStream_v2)(void *handle, void *stream);
    int (*cublasCherk_v2)(void *handle, int triangle, int operation, int n, int k,
                          const float *alpha, const void *a, int leading, const float *beta,
                          void *c, int leading_c);
    int (*cublasCgemmStridedBatched)(void *handle, int operation_a, int operation_b, int m, int n,
                                     int k, const float alpha[2], const void *a, int leading_a,
                                     long long step_a, const void *b, int leading_b,
                                     long long step_b, const float beta[2], void *c, int leading_c,
                                     long long step_c, int batch);
} clr_cublas;

/* Found at run time. Errors: UNSUPPORTED with a sentence that names what is missing. */
clradio_status clr_cublas_available(void);
/* When that succeeded. */
const clr_cublas *clr_cublas_functions(void);
/* A handle for the device. */
clradio_status clr_cublas_create(clradio_device *device, void **handle);
/* NULL is fine. */
void clr_cublas_destroy(clradio_device *device, void *handle);

#endif
