/* CLBlast behind the X-engine's variant blas. */
#include "engine/clblast_opencl.h"
#include "engine/xengine_blas.h"

#if HAVE_CLBLAST

#include <clblast_c.h>

static clradio_status available(void)
{
    return CLRADIO_OK;
}

static clradio_status cherk(void *state, clr_chain *chain, uint64_t n, uint64_t k, clradio_span a,
                            uint64_t first, uint64_t leading, clradio_buffer *product)
{
    (void)state;
    cl_command_queue queue;
    cl_event event = NULL;
    clradio_status status = clr_clblast_begin(chain, &queue);
    if (status)
        return status;
    const CLBlastStatusCode code = CLBlastCherk(
        CLBlastLayoutColMajor, CLBlastTriangleLower, CLBlastTransposeNo, (size_t)n, (size_t)k, 1.0f,
        clradio_buffer_opencl(a.buffer), (size_t)(a.offset / 8 + first), (size_t)leading, 0.0f,
        clradio_buffer_opencl(product), 0, (size_t)n, &queue, &event);
    return clr_clblast_end(chain, "CLBlastCherk", (int)code, event);
}

#else

static clradio_status available(void)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "the X-engine's variant blas needs CLBlast, which this build is without");
}

static clradio_status cherk(void *state, clr_chain *chain, uint64_t n, uint64_t k, clradio_span a,
                            uint64_t first, uint64_t leading, clradio_buffer *product)
{
    (void)state, (void)chain, (void)n, (void)k, (void)a, (void)first, (void)leading, (void)product;
    return available();
}

#endif

static clradio_status create(clradio_device *device, void **state)
{
    (void)device;
    *state = NULL;
    return available();
}

static void destroy(clradio_device *device, void *state)
{
    (void)device, (void)state;
}

const clr_blas_library clr_blas_clblast = {
    .back_end = "opencl",
    .available = available,
    .create = create,
    .cherk = cherk,
    .destroy = destroy,
};
