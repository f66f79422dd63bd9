/* What the variants that call a library share: launches of cl/dft_library.cl for a run of tiles. */
#ifndef CLR_ENGINE_DFT_LIBRARY_H
#define CLR_ENGINE_DFT_LIBRARY_H

#include "engine/dft_plan.h"

/* A launch for tiles first_tile .. first_tile + tiles - 1 at one time step: the kernels' arrays
 * `gains` and `response` with their steps, and `columns`. */
typedef struct clr_dft_piece {
    clr_kernel *kernel;
    uint64_t first_tile, tiles, groups_y;
    clradio_span gains, response;
    uint64_t gains_step, response_step;
    uint32_t columns;
} clr_dft_piece;
clradio_status clr_dft_launch_piece(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                                    const clr_dft_piece *piece);
/* The caller's gains and response at a time step. */
clradio_span clr_dft_gains_at(const clr_dft_call *call, uint64_t time);
clradio_span clr_dft_response_at(const clr_dft_call *call, uint64_t time);

/* For i < batch: C_i = A_i B_i, row-major; A_i is m x k, B_i k x n; places in complex values from
 * the buffers' starts. */
typedef struct clr_dft_gemm_batch {
    size_t m, n, k, batch;
    clradio_buffer *a, *b, *c;
    const size_t *a_at, *b_at, *c_at;
} clr_dft_gemm_batch;

/* A library that the variant blas calls, by the back end of the device. */
typedef struct clr_dft_blas_library {
    const char *back_end, *name;
    /* CLRADIO_OK, or UNSUPPORTED with a sentence that names the library that is missing. */
    clradio_status (*available)(void);
    /* The library's state for a device; NULL is a state too. */
    clradio_status (*create)(clradio_device *device, void **state);
    clradio_status (*cgemm)(void *state, clr_chain *chain, const clr_dft_gemm_batch *gemm);
    void (*destroy)(clradio_device *device, void *state);
} clr_dft_blas_library;
extern const clr_dft_blas_library clr_dft_clblast; /* dft_blas_opencl.c */
extern const clr_dft_blas_library clr_dft_cublas;  /* dft_blas_cuda.c */
/* dft_blas.c */
const clr_dft_blas_library *clr_dft_blas_library_of(const clradio_device *device);

#endif
