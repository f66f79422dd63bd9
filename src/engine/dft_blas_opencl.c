/* CLBlast behind the channel DFT's variant blas. */
#include "engine/clblast_opencl.h"
#include "engine/dft_library.h"

#include <string.h>

#if HAVE_CLBLAST

#include <clblast_c.h>
#include <stdlib.h>

static clradio_status available(void)
{
    return CLRADIO_OK;
}

static clradio_status cgemm(void *state, clr_chain *chain, const clr_dft_gemm_batch *gemm)
{
    (void)state;
    cl_command_queue queue;
    cl_event event = NULL;
    clradio_status status = clr_clblast_begin(chain, &queue);
    if (status)
        return status;
    cl_float2 *factors = calloc(2 * gemm->batch, sizeof *factors);
    if (!factors)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a batch of matrix products");
    for (size_t i = 0; i < gemm->batch; i++)
        factors[i].s[0] = 1;
    const CLBlastStatusCode code =
        gemm->batch == 1
            ? CLBlastCgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, gemm->m,
                           gemm->n, gemm->k, factors[0], clradio_buffer_opencl(gemm->a),
                           gemm->a_at[0], gemm->k, clradio_buffer_opencl(gemm->b), gemm->b_at[0],
                           gemm->n, factors[1], clradio_buffer_opencl(gemm->c), gemm->c_at[0],
                           gemm->n, &queue, &event)
            : CLBlastCgemmBatched(
                  CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, gemm->m, gemm->n,
                  gemm->k, factors, clradio_buffer_opencl(gemm->a), gemm->a_at, gemm->k,
                  clradio_buffer_opencl(gemm->b), gemm->b_at, gemm->n, factors + gemm->batch,
                  clradio_buffer_opencl(gemm->c), gemm->c_at, gemm->n, gemm->batch, &queue, &event);
    free(factors);
    return clr_clblast_end(chain, "CLBlastCgemm", (int)code, event);
}

#else

static clradio_status available(void)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "the channel DFT's variant blas needs CLBlast, which this build is without");
}

static clradio_status cgemm(void *state, clr_chain *chain, const clr_dft_gemm_batch *gemm)
{
    (void)state, (void)chain, (void)gemm;
    return available();
}

#endif

static clradio_status create(clradio_device *device, void **state)
{
    (void)device;
    *state = NULL;
    return CLRADIO_OK;
}

static void destroy(clradio_device *device, void *state)
{
    (void)device, (void)state;
}

const clr_dft_blas_library clr_dft_clblast = {
    .back_end = "opencl",
    .name = "CLBlast",
    .available = available,
    .create = create,
    .cgemm = cgemm,
    .destroy = destroy,
};
