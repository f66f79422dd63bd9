/* cuBLAS behind the channel DFT's variant blas. */
#include "device/cuda_foreign.h"
#include "engine/cublas_cuda.h"
#include "engine/dft_library.h"

/* How many of the matrices from `first` on lie at even distances. */
static size_t even_run(const clr_dft_gemm_batch *gemm, size_t first, size_t step[3])
{
    const size_t *const places[] = { gemm->a_at, gemm->b_at, gemm->c_at };
    size_t end = first + 1;
    step[0] = step[1] = step[2] = 0;
    if (end == gemm->batch)
        return 1;
    for (size_t i = 0; i < 3; i++)
        step[i] = places[i][end] - places[i][first];
    for (; end < gemm->batch; end++)
        for (size_t i = 0; i < 3; i++)
            if (places[i][end] - places[i][end - 1] != step[i])
                return end - first;
    return end - first;
}

/* Row-major C = A B is column-major C^T = B^T A^T. */
static int multiply(void *state, const clr_dft_gemm_batch *gemm, size_t first, size_t count,
                    const size_t step[3])
{
    static const float one[2] = { 1, 0 }, zero[2] = { 0, 0 };
    const char *a = (const char *)clr_cuda_address(gemm->a) + 8 * gemm->a_at[first];
    const char *b = (const char *)clr_cuda_address(gemm->b) + 8 * gemm->b_at[first];
    char *c = (char *)clr_cuda_address(gemm->c) + 8 * gemm->c_at[first];
    return clr_cublas_functions()->cublasCgemmStridedBatched(
        state, CLR_CUBLAS_OP_N, CLR_CUBLAS_OP_N, (int)gemm->n, (int)gemm->m, (int)gemm->k, one, b,
        (int)gemm->n, (long long)step[1], a, (int)gemm->k, (long long)step[0], zero, c,
        (int)gemm->n, (long long)step[2], (int)count);
}

static clradio_status cgemm(void *state, clr_chain *chain, const clr_dft_gemm_batch *gemm)
{
    void *stream;
    clradio_status status = clr_cuda_foreign_begin(chain, &stream);
    if (status)
        return status;
    int code = clr_cublas_functions()->cublasSetStream_v2(state, stream);
    for (size_t first = 0, count; !code && first < gemm->batch; first += count) {
        size_t step[3];
        count = even_run(gemm, first, step);
        code = multiply(state, gemm, first, count, step);
    }
    if (code)
        status =
            clr_fail(CLRADIO_ERROR_DRIVER, "cublasCgemmStridedBatched failed with code %d", code);
    return clr_cuda_foreign_end(chain, status);
}

const clr_dft_blas_library clr_dft_cublas = {
    .back_end = "cuda",
    .name = "cuBLAS",
    .available = clr_cublas_available,
    .create = clr_cublas_create,
    .cgemm = cgemm,
    .destroy = clr_cublas_destroy,
};
