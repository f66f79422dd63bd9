/*
 * CLBlast behind the X-engine's variant blas: the only file that knows it. CLBlast takes no wait
 * list, so a barrier carries the chain's. It allocates scratch memory of its own in each call.
 */
#include "engine/xengine_blas.h"

#include <clradio/opencl.h>

#if HAVE_CLBLAST

#include <clblast_c.h>

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

static clradio_status cherk(void *state, clr_chain *chain, uint64_t n, uint64_t k, clradio_span a,
                            uint64_t first, uint64_t leading, clradio_buffer *product)
{
    (void)state;
    cl_command_queue queue = clradio_queue_opencl(chain->queue);
    cl_event event = NULL;
    clradio_event *wrapped = NULL;
    clradio_status status = hold_back(chain, queue);
    if (status)
        return status;
    const CLBlastStatusCode code = CLBlastCherk(
        CLBlastLayoutColMajor, CLBlastTriangleLower, CLBlastTransposeNo, (size_t)n, (size_t)k, 1.0f,
        clradio_buffer_opencl(a.buffer), (size_t)(a.offset / 8 + first), (size_t)leading, 0.0f,
        clradio_buffer_opencl(product), 0, (size_t)n, &queue, &event);
    if (code != CLBlastSuccess)
        return clr_fail(CLRADIO_ERROR_DRIVER, "CLBlastCherk failed with %d", (int)code);
    status = clradio_event_from_opencl(clr_queue_device(chain->queue), event, &wrapped);
    clReleaseEvent(event);
    return status ? status : clr_chain_foreign_end(chain, wrapped);
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
