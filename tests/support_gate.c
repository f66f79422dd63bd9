/*
 * An event that stays incomplete until a test opens the gate: a user event of OpenCL; on CUDA
 * devices the event behind a function of the host's in a stream of its own, which stands still
 * until then.
 */
#include "support.h"

#include "device/cuda_api.h"

#include <clradio/cuda.h>
#include <clradio/opencl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct test_gate {
    cl_event user; /* OpenCL's */
    const clr_cuda_driver *driver;
    CUcontext context;
    CUstream stream;
    CUevent event;
    pthread_mutex_t shut;
};

static void hold(void *shut)
{
    pthread_mutex_lock(shut);
    pthread_mutex_unlock(shut);
}

static void shut_on_cuda(test_gate *gate, clradio_device *device, clradio_event **event)
{
    CUresult (*launch_host)(CUstream, void (*)(void *), void *);
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    assert_non_null(library);
    void *address = dlsym(library, "cuLaunchHostFunc");
    assert_non_null(address);
    memcpy(&launch_host, &address, sizeof address);
    gate->driver = clr_cuda_driver_get();
    gate->context = clradio_device_cuda_context(device);
    assert_non_null(gate->driver);
    assert_int_equal(gate->driver->cuCtxPushCurrent_v2(gate->context), 0);
    assert_int_equal(gate->driver->cuStreamCreate(&gate->stream, CLR_CU_STREAM_NON_BLOCKING), 0);
    assert_int_equal(gate->driver->cuEventCreate(&gate->event, 0), 0);
    assert_int_equal(pthread_mutex_init(&gate->shut, NULL), 0);
    pthread_mutex_lock(&gate->shut);
    assert_int_equal(launch_host(gate->stream, hold, &gate->shut), 0);
    assert_int_equal(gate->driver->cuEventRecord(gate->event, gate->stream), 0);
    assert_int_equal(gate->driver->cuCtxPopCurrent_v2(&gate->context), 0);
    dlclose(library);
    assert_ok(clradio_event_from_cuda(device, gate->event, event));
}

test_gate *test_gate_shut(clradio_device *device, clradio_event **event)
{
    test_gate *gate = calloc(1, sizeof *gate);
    assert_non_null(gate);
    if (!is_opencl(device)) {
        shut_on_cuda(gate, device, event);
        return gate;
    }
    cl_int code;
    gate->user = clCreateUserEvent(clradio_device_opencl_context(device), &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_ok(clradio_event_from_opencl(device, gate->user, event));
    return gate;
}

void test_gate_open(test_gate *gate)
{
    if (gate->user)
        assert_int_equal(clSetUserEventStatus(gate->user, CL_COMPLETE), CL_SUCCESS);
    else
        assert_int_equal(pthread_mutex_unlock(&gate->shut), 0);
}

void test_gate_free(test_gate *gate)
{
    if (gate->user) {
        clReleaseEvent(gate->user);
    } else {
        assert_int_equal(gate->driver->cuCtxPushCurrent_v2(gate->context), 0);
        gate->driver->cuStreamSynchronize(gate->stream);
        gate->driver->cuEventDestroy_v2(gate->event);
        gate->driver->cuStreamDestroy_v2(gate->stream);
        gate->driver->cuCtxPopCurrent_v2(&gate->context);
        pthread_mutex_destroy(&gate->shut);
    }
    free(gate);
}
