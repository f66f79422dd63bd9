/* CLBlast behind the channel DFT's variant blas. It takes no wait list, so a barrier carries the
 * chain's; it allocates scratch memory of its own in each call. */
#include "engine/dft_library.h"

#include <clradio/opencl.h>
#include <string.h>

#if HAVE_CLBLAST

#include <clblast_c.h>
#include <stdlib.h>

static clradio_status available(void)
{
    return CLRADIO_OK;
}

/* Holds back what follows in the queue until the chain's events are complete. */
static clradio_status hold_back(clr_chain *chain, cl_command_queue queue)
{
    clradio_event *const *wait;
    cl_event events[64];
    size_t n;
    clradio_status status = clr_chain_foreign_begin(chain, &wait, &n);
    if (status || !n)
        return status;
    for (size_t i = 0; i < n; i++)
        events[i] = clradio_event_opencl(wait[i]);
    const cl_int code = clEnqueueBarrierWithWaitList(queue, (cl_uint)n, events, NULL);
    return code ? clr_fail(CLRADIO_ERROR_DRIVER, "clEnqueueBarrierWithWaitList failed with %d",
                           (int)code)
                : CLRADIO_OK;
}

static clradio_status cgemm(void *state, clr_chain *chain, const clr_dft_gemm_batch *gemm)
{
    (void)state;
    cl_command_queue queue = clradio_queue_opencl(chain->queue);
    cl_event event = NULL;
    clradio_event *wrapped = NULL;
    clradio_status status = hold_back(chain, queue);
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
    if (code != CLBlastSuccess)
        return clr_fail(CLRADIO_ERROR_DRIVER, "CLBlastCgemm failed with %d", (int)code);
    status = clradio_event_from_opencl(clr_queue_device(chain->queue), event, &wrapped);
    clReleaseEvent(event);
    return status ? status : clr_chain_foreign_end(chain, wrapped);
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
