/*
 * An X-engine inside a program that owns its CUDA context, streams, memory and events: the twin of
 * test_embed.c. Runs on each CUDA device found; there is none on most machines.
 */
#include "support.h"

#include "device/cuda_api.h"

#include <clradio/cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATIONS = 5, CHANNELS = 3, SPECTRA = 200, INPUTS = 2 * STATIONS };
enum { BASELINES = STATIONS * (STATIONS + 1) / 2, VALUES = CHANNELS * BASELINES * 4 * 2 };
/* The input begins at an odd multiple of 2 bytes, the output at an odd multiple of 16. */
enum { INPUT_OFFSET = 26, OUTPUT_OFFSET = 112, POISON = 0xee };
enum { INPUT_BYTES = SPECTRA * CHANNELS * INPUTS * 2, OUTPUT_BYTES = VALUES * 8 };

typedef struct job {
    const clr_cuda_driver *driver;
    CUcontext context; /* the caller's, current */
    CUstream stream;
    CUdeviceptr input, output;
    int8_t samples[SPECTRA][CHANNELS][INPUTS][2];
    clradio_device *device;
    clradio_queue *queue;
    clradio_buffer *our_input, *our_output;
    clradio_xengine *plan;
} job;

/* Leaves the test out elsewhere than on a CUDA device. Its ordinal. */
static int only_on_cuda(void **state)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device_under_test(state), &info));
    if (strcmp(info.back_end, "cuda"))
        skip();
    return atoi(strchr(info.id, ':') + 1);
}

static void own(job *j, int ordinal, uint64_t seed)
{
    CUdevice device;
    memset(j, 0, sizeof *j);
    j->driver = clr_cuda_driver_get();
    assert_non_null(j->driver);
    assert_int_equal(j->driver->cuDeviceGet(&device, ordinal), 0);
    assert_int_equal(j->driver->cuDevicePrimaryCtxRetain(&j->context, device), 0);
    assert_int_equal(j->driver->cuCtxPushCurrent_v2(j->context), 0);
    assert_int_equal(j->driver->cuStreamCreate(&j->stream, CLR_CU_STREAM_NON_BLOCKING), 0);
    assert_int_equal(j->driver->cuMemAlloc_v2(&j->input, INPUT_OFFSET + INPUT_BYTES), 0);
    assert_int_equal(j->driver->cuMemAlloc_v2(&j->output, OUTPUT_OFFSET + OUTPUT_BYTES + 64), 0);
    int8_t *sample = &j->samples[0][0][0][0];
    for (size_t i = 0; i < INPUT_BYTES; i++)
        sample[i] = (int8_t)test_random_between(&seed, -128, 127);
    assert_int_equal(
        j->driver->cuMemcpyHtoDAsync_v2(j->input + INPUT_OFFSET, sample, INPUT_BYTES, j->stream),
        0);
    assert_int_equal(
        j->driver->cuMemsetD8Async(j->output, POISON, OUTPUT_OFFSET + OUTPUT_BYTES + 64, j->stream),
        0);
    assert_int_equal(j->driver->cuStreamSynchronize(j->stream), 0);
}

static clradio_status wrap(job *j, int ordinal)
{
    clradio_xengine_config config = CLRADIO_XENGINE_CONFIG_INIT;
    config.stations = STATIONS;
    config.polarisations = 2;
    config.channels = CHANNELS;
    config.spectra = SPECTRA;
    config.input = CLRADIO_CI8;
    config.output = CLRADIO_CI64;
    clradio_status status = clradio_device_from_cuda(ordinal, j->context, &j->device);
    if (!status)
        status = clradio_queue_from_cuda(j->device, j->stream, &j->queue);
    if (!status)
        status = clradio_buffer_from_cuda(j->device, j->input, INPUT_OFFSET + INPUT_BYTES,
                                          &j->our_input);
    if (!status)
        status = clradio_buffer_from_cuda(j->device, j->output, OUTPUT_OFFSET + OUTPUT_BYTES + 64,
                                          &j->our_output);
    return status ? status : clradio_xengine_create(j->device, &config, &j->plan);
}

static void let_go(job *j)
{
    CUcontext current = NULL;
    clradio_xengine_destroy(j->plan);
    clradio_buffer_destroy(j->our_output);
    clradio_buffer_destroy(j->our_input);
    clradio_queue_destroy(j->queue);
    clradio_device_close(j->device);
    j->driver->cuMemFree_v2(j->input);
    j->driver->cuMemFree_v2(j->output);
    j->driver->cuStreamDestroy_v2(j->stream);
    CUdevice device;
    assert_int_equal(j->driver->cuCtxGetDevice(&device), 0);
    assert_int_equal(j->driver->cuCtxPopCurrent_v2(&current), 0);
    assert_ptr_equal(current, j->context); /* our calls left the caller's context current */
    j->driver->cuDevicePrimaryCtxRelease_v2(device);
}

static clradio_status enqueue(job *j, uint64_t first, uint64_t count, unsigned flags, size_t n,
                              clradio_event *const *wait, clradio_event **done)
{
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    io.spectra = (clradio_span){ j->our_input, INPUT_OFFSET + first * CHANNELS * INPUTS * 2 };
    io.visibilities = (clradio_span){ j->our_output, OUTPUT_OFFSET };
    io.spectra_count = count;
    io.flags = flags;
    return clradio_xengine_enqueue(j->plan, j->queue, &io, n, wait, done);
}

/* One sum by its definition. */
static void expected(const job *j, uint64_t count, size_t channel, size_t a, size_t b,
                     int64_t sum[2])
{
    sum[0] = sum[1] = 0;
    for (size_t t = 0; t < count; t++) {
        const int8_t *x = j->samples[t][channel][a], *y = j->samples[t][channel][b];
        sum[0] += (int64_t)x[0] * y[0] + (int64_t)x[1] * y[1];
        sum[1] += (int64_t)x[1] * y[0] - (int64_t)x[0] * y[1];
    }
}

/* Values that differ from the sums over the first `count` spectra, or from the poison when count is
 * 0; touched bytes outside count too. */
static size_t wrong_values(job *j, uint64_t count)
{
    static _Thread_local unsigned char bytes[OUTPUT_OFFSET + OUTPUT_BYTES + 64];
    size_t wrong = 0, v = 0;
    CUstream reader;
    if (j->driver->cuStreamCreate(&reader, CLR_CU_STREAM_NON_BLOCKING) ||
        j->driver->cuMemcpyDtoHAsync_v2(bytes, j->output, sizeof bytes, reader) ||
        j->driver->cuStreamSynchronize(reader) || j->driver->cuStreamDestroy_v2(reader))
        return SIZE_MAX;
    for (size_t i = 0; i < sizeof bytes; i++)
        if (i < OUTPUT_OFFSET || i >= OUTPUT_OFFSET + OUTPUT_BYTES || !count)
            wrong += bytes[i] != POISON;
    for (size_t c = 0; count && c < CHANNELS; c++)
        for (size_t i = 0; i < STATIONS; i++)
            for (size_t k = 0; k <= i; k++)
                for (size_t p = 0; p < 4; p++, v++) {
                    int64_t found[2], wanted[2];
                    memcpy(found, bytes + OUTPUT_OFFSET + v * 16, 16);
                    expected(j, count, c, 2 * i + p / 2, 2 * k + p % 2, wanted);
                    wrong += found[0] != wanted[0] || found[1] != wanted[1];
                }
    return wrong;
}

/* A stream of the caller's that stands still until the gate opens. */
static void hold(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
}

/*
 * Behind an event that is not complete: the call returns at once, the output stays poisoned, and
 * once the gate is open the one returned event covers every kernel.
 */
static void an_incomplete_event_holds_back_a_call(void **state)
{
    static job j;
    int ordinal = only_on_cuda(state);
    CUresult (*launch_host)(CUstream, void (*)(void *), void *);
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    assert_non_null(library);
    void *address = dlsym(library, "cuLaunchHostFunc");
    assert_non_null(address);
    memcpy(&launch_host, &address, sizeof address);
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    CUstream gated;
    CUevent opened;
    clradio_event *wait, *done;
    own(&j, ordinal, 1);
    assert_ok(wrap(&j, ordinal));
    assert_int_equal(j.driver->cuStreamCreate(&gated, CLR_CU_STREAM_NON_BLOCKING), 0);
    assert_int_equal(j.driver->cuEventCreate(&opened, 0), 0);
    pthread_mutex_lock(&gate);
    assert_int_equal(launch_host(gated, hold, &gate), 0);
    assert_int_equal(j.driver->cuEventRecord(opened, gated), 0);
    assert_ok(clradio_event_from_cuda(j.device, opened, &wait));
    assert_ok(enqueue(&j, 0, SPECTRA, CLRADIO_DUMP, 1, &wait, &done));
    usleep(20000); /* in which a call that did not wait would have written */
    assert_int_equal(clradio_event_complete(done), 0);
    assert_int_equal(wrong_values(&j, 0), 0);
    pthread_mutex_unlock(&gate);
    assert_ok(clradio_event_wait(done));
    assert_int_equal(wrong_values(&j, SPECTRA), 0);
    clradio_event_destroy(done);
    clradio_event_destroy(wait);
    j.driver->cuEventDestroy_v2(opened);
    j.driver->cuStreamDestroy_v2(gated);
    let_go(&j);
    dlclose(library);
}

/* Two plans, each integrating over three calls, in turn. */
static void two_plans_in_turn_do_not_mix(void **state)
{
    static job jobs[2];
    static const uint64_t cuts[] = { 0, 77, 130, SPECTRA };
    int ordinal = only_on_cuda(state);
    clradio_event *done[2];
    for (int i = 0; i < 2; i++) {
        own(&jobs[i], ordinal, 10 + (uint64_t)i);
        assert_ok(wrap(&jobs[i], ordinal));
    }
    for (int call = 0; call < 3; call++)
        for (int i = 0; i < 2; i++)
            assert_ok(enqueue(&jobs[i], cuts[call], cuts[call + 1] - cuts[call],
                              (call ? CLRADIO_ACCUMULATE : 0) | (call == 2 ? CLRADIO_DUMP : 0), 0,
                              NULL, call == 2 ? &done[i] : NULL));
    for (int i = 1; i >= 0; i--) {
        assert_ok(clradio_event_wait(done[i]));
        assert_int_equal(wrong_values(&jobs[i], SPECTRA), 0);
        clradio_event_destroy(done[i]);
        let_go(&jobs[i]);
    }
}

typedef struct worker {
    job j;
    int ordinal;
    size_t wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    clradio_status status = w->j.driver->cuCtxPushCurrent_v2(w->j.context)
                                ? CLRADIO_ERROR_DRIVER
                                : wrap(&w->j, w->ordinal);
    for (uint64_t count = SPECTRA - 7; !status && count <= SPECTRA; count++) {
        clradio_event *done;
        status = enqueue(&w->j, 0, count, CLRADIO_DUMP, 0, NULL, &done);
        if (!status && !(status = clradio_event_wait(done)))
            w->wrong += wrong_values(&w->j, count);
        clradio_event_destroy(done);
    }
    w->wrong += status != CLRADIO_OK;
    CUcontext current;
    w->j.driver->cuCtxPopCurrent_v2(&current);
    return NULL;
}

static void two_threads_with_a_plan_each_are_right(void **state)
{
    static worker workers[2];
    pthread_t threads[2];
    int ordinal = only_on_cuda(state);
    for (int i = 0; i < 2; i++) {
        own(&workers[i].j, ordinal, 20 + (uint64_t)i);
        workers[i].ordinal = ordinal;
        workers[i].wrong = 0;
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i >= 0; i--) {
        assert_int_equal(workers[i].wrong, 0);
        let_go(&workers[i].j);
    }
}

/* Nothing of CUDA's is taken for OpenCL's or the other way, and nonsense is refused. */
static void what_is_no_cuda_object_is_refused(void **state)
{
    clradio_device *device = device_under_test(state), *none;
    clradio_queue *queue;
    clradio_buffer *buffer;
    clradio_event *event;
    int dummy;
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    assert_int_equal(clradio_queue_from_cuda(device, NULL, &queue), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_buffer_from_cuda(device, 0, 8, &buffer), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_event_from_cuda(device, NULL, &event), CLRADIO_ERROR_ARGUMENT);
    if (strcmp(info.back_end, "cuda")) {
        assert_int_equal(clradio_queue_from_cuda(device, &dummy, &queue), CLRADIO_ERROR_ARGUMENT);
        assert_null(queue);
        assert_null(clradio_device_cuda_context(device));
    } else {
        assert_int_equal(clradio_device_from_cuda(1000, NULL, &none), CLRADIO_ERROR_ARGUMENT);
        assert_non_null(strstr(clradio_last_error(), "1000"));
        assert_int_equal(clradio_buffer_from_cuda(device, 0x1008, 64, &buffer),
                         CLRADIO_ERROR_ARGUMENT);
        assert_null(buffer);
        assert_non_null(strstr(clradio_last_error(), "multiple of 16 bytes"));
    }
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(an_incomplete_event_holds_back_a_call),
        DEVICE_TEST(two_plans_in_turn_do_not_mix),
        DEVICE_TEST(two_threads_with_a_plan_each_are_right),
        DEVICE_TEST(what_is_no_cuda_object_is_refused),
    };
    return run_device_tests("embedding in CUDA", NULL, 0, tests, sizeof tests / sizeof *tests);
}
