/*
 * The one BLAS routine that the X-engine's variant blas uses, on a device: a table a library, which
 * xengine_blas.c chooses by the device's back end.
 */
#ifndef CLR_ENGINE_XENGINE_BLAS_H
#define CLR_ENGINE_XENGINE_BLAS_H

#include "device/device.h"

typedef struct clr_blas_library {
    const char *back_end; /* "opencl", "cuda" */
    /* CLRADIO_OK, or UNSUPPORTED with a sentence that names the library that is missing. */
    clradio_status (*available)(void);
    /* The library's state for a device; NULL is a state too. */
    clradio_status (*create)(clradio_device *device, void **state);
    /*
     * Enqueues product = A A^H, the lower triangle in column-major order, A being n x k,
     * column-major, its first element `first` complex numbers behind the span, columns `leading`
     * apart.
     */
    clradio_status (*cherk)(void *state, clr_chain *chain, uint64_t n, uint64_t k, clradio_span a,
                            uint64_t first, uint64_t leading, clradio_buffer *product);
    void (*destroy)(clradio_device *device, void *state);
} clr_blas_library;

extern const clr_blas_library clr_blas_clblast; /* xengine_blas_opencl.c */
extern const clr_blas_library clr_blas_cublas;  /* xengine_blas_cuda.c */

#endif
