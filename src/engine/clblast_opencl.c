/* Calls of CLBlast in a chain: see clblast_opencl.h. */
#include "engine/clblast_opencl.h"

clradio_status clr_clblast_begin(clr_chain *chain, cl_command_queue *queue)
{
    clradio_event *const *wait;
    cl_event events[64];
    size_t n;
    clradio_status status = clr_chain_foreign_begin(chain, &wait, &n);
    *queue = clradio_queue_opencl(chain->queue);
    if (status || !n)
        return status;
    for (size_t i = 0; i < n; i++)
        events[i] = clradio_event_opencl(wait[i]);
    const cl_int code = clEnqueueBarrierWithWaitList(*queue, (cl_uint)n, events, NULL);
    return code ? clr_fail(CLRADIO_ERROR_DRIVER, "clEnqueueBarrierWithWaitList failed with %d",
                           (int)code)
                : CLRADIO_OK;
}

clradio_status clr_clblast_end(clr_chain *chain, const char *function, int code, cl_event event)
{
    clradio_event *wrapped = NULL;
    if (code)
        return clr_fail(CLRADIO_ERROR_DRIVER, "%s failed with %d", function, code);
    clradio_status status =
        clradio_event_from_opencl(clr_queue_device(chain->queue), event, &wrapped);
    clReleaseEvent(event);
    return status ? status : clr_chain_foreign_end(chain, wrapped);
}
