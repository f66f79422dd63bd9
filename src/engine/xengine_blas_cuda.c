/* cuBLAS behind the X-engine's variant blas. */
#include "device/cuda_foreign.h"
#include "engine/cublas_cuda.h"
#include "engine/xengine_blas.h"

#include <inttypes.h>

static clradio_status cherk(void *state, clr_chain *chain, uint64_t n, uint64_t k, clradio_span a,
                            uint64_t first, uint64_t leading, clradio_buffer *product)
{
    static const float one = 1, zero = 0;
    const clr_cublas *cublas = clr_cublas_functions();
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
    int code = cublas->cublasSetStream_v2(state, stream);
    if (!code)
        code = cublas->cublasCherk_v2(state, CLR_CUBLAS_FILL_LOWER, CLR_CUBLAS_OP_N, (int)n, (int)k,
                                      &one, from, (int)leading, &zero, clr_cuda_address(product),
                                      (int)n);
    if (code)
        status = clr_fail(CLRADIO_ERROR_DRIVER, "cublasCherk failed with code %d", code);
    return clr_cuda_foreign_end(chain, status);
}

const clr_blas_library clr_blas_cublas = {
    .back_end = "cuda",
    .available = clr_cublas_available,
    .create = clr_cublas_create,
    .cherk = cherk,
    .destroy = clr_cublas_destroy,
};
