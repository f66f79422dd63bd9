/* Recording what goes into a stream as a CUDA graph, and playing it with one call. */
#include "device/cuda_internal.h"

#include <stdlib.h>

typedef struct cuda_replay {
    clr_cuda_device *device;
    CUgraphExec graph;
} cuda_replay;

static clradio_status need_graphs(const clr_cuda_driver *driver)
{
    return driver->has_graphs
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                          "this CUDA driver (%d.%d) has no graphs: commands cannot be replayed",
                          driver->version / 1000, driver->version % 1000 / 10);
}

clradio_status clr_cuda_capture_begin(clradio_queue *queue)
{
    clr_cuda_queue *of = queue->handle;
    const clr_cuda_driver *driver = of->device->driver;
    clradio_status status = need_graphs(driver);
    if (!status)
        status = clr_cuda_enter(of->device);
    if (status)
        return status;
    const CUresult result = driver->cuStreamBeginCapture_v2(of->stream, CLR_CU_CAPTURE_RELAXED);
    clr_cuda_leave(of->device);
    return result ? clr_cuda_fail(driver, result, "beginning to record a stream") : CLRADIO_OK;
}

clradio_status clr_cuda_capture_end(clradio_queue *queue, void **replay)
{
    clr_cuda_queue *of = queue->handle;
    const clr_cuda_driver *driver = of->device->driver;
    CUgraph graph = NULL;
    cuda_replay *made = replay ? calloc(1, sizeof *made) : NULL;
    clradio_status status = clr_cuda_enter(of->device);
    if (status) {
        free(made);
        return status;
    }
    CUresult result = driver->cuStreamEndCapture(of->stream, &graph);
    if (!result && made)
        result = driver->cuGraphInstantiateWithFlags(&made->graph, graph, 0);
    if (graph)
        driver->cuGraphDestroy(graph);
    clr_cuda_leave(of->device);
    if (result)
        status = clr_cuda_fail(driver, result, "recording a stream");
    else if (replay && !made)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a record of commands");
    if (status) {
        free(made);
        return status;
    }
    if (made)
        made->device = of->device;
    if (replay)
        *replay = made;
    return CLRADIO_OK;
}

clradio_status clr_cuda_replay_launch(clradio_queue *queue, void *replay, void **event)
{
    clr_cuda_queue *of = queue->handle;
    const cuda_replay *played = replay;
    const clr_cuda_driver *driver = of->device->driver;
    clradio_status status = clr_cuda_enter(of->device);
    if (status)
        return status;
    const CUresult result = driver->cuGraphLaunch(played->graph, of->stream);
    clr_cuda_leave(of->device);
    return result ? clr_cuda_fail(driver, result, "playing recorded commands")
                  : clr_cuda_marker(queue, 0, NULL, event);
}

void clr_cuda_replay_release(void *replay)
{
    cuda_replay *gone = replay;
    if (!clr_cuda_enter(gone->device)) {
        gone->device->driver->cuGraphExecDestroy(gone->graph);
        clr_cuda_leave(gone->device);
    }
    free(gone);
}
