/*
 * The F-engine's manners: memory limits, programs built once, bad input refused with a sentence,
 * foreign contexts and queues, wait lists, threads.
 */
#include "fengine_support.h"

#include <clradio/opencl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static clradio_fengine_config usual(void)
{
    clradio_fengine_config config = CLRADIO_FENGINE_CONFIG_INIT;
    config.stations = 5;
    config.polarisations = 2;
    config.channels = 64;
    config.taps = 3;
    config.window = CLRADIO_WINDOW_HANN;
    config.spectra = 60;
    return config;
}

static void a_memory_limit_is_kept_and_changes_no_bit(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_fengine_config config = usual();
    uint64_t blocks = 50, out, before, now, peak;
    clradio_fengine *keeper;
    clradio_fengine_info info = CLRADIO_FENGINE_INFO_INIT;
    assert_ok(clradio_fengine_create(device, &config, &keeper));
    assert_ok(clradio_fengine_get_info(keeper, &info));
    void *voltages = random_voltages(&config, blocks, 12);
    float *expected = run_calls(device, &config, voltages, NULL, &blocks, 1, &out);
    int kept = 0;
    clradio_status status = CLRADIO_OK;
    for (config.memory_limit = info.memory_bytes; config.memory_limit;
         config.memory_limit = config.memory_limit * 3 / 5) {
        clradio_fengine *plan;
        clradio_device_memory_used(device, &before, &peak);
        status = clradio_fengine_create(device, &config, &plan);
        if (status)
            break;
        clradio_device_memory_used(device, &now, &peak);
        assert_ok(clradio_fengine_get_info(plan, &info));
        assert_true(info.memory_bytes <= config.memory_limit);
        assert_int_equal(now - before, info.memory_bytes);
        clradio_fengine_destroy(plan);
        clradio_device_memory_used(device, &now, &peak);
        assert_int_equal(now, before);
        float *got = run_calls(device, &config, voltages, NULL, &blocks, 1, &out);
        assert_memory_equal(got, expected, values_of(&config, out) * 8);
        free(got);
        kept++;
    }
    assert_int_equal(status, CLRADIO_ERROR_LIMIT);
    assert_non_null(strstr(clradio_last_error(), "memory_limit"));
    /* 60 spectra of 10 signals are 307,200 bytes of lines, the rest 4,608: the whole, a few
     * spectra, one spectrum, some signals of one. */
    assert_true(kept >= 6);
    clradio_fengine_destroy(keeper);
    free(voltages);
    free(expected);
}

static void a_second_plan_of_other_sizes_builds_nothing_of_ours(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_fengine_config config = usual();
    clradio_fengine *first, *second;
    uint64_t built, loaded, built_then, loaded_then;
    assert_ok(clradio_fengine_create(device, &config, &first));
    clradio_device_build_count(device, &built, &loaded);
    assert_true(built + loaded >= 2);
    config.stations = 3;
    config.channels = 20;
    config.taps = 7;
    config.bands = 2;
    config.reversed = 1;
    assert_ok(clradio_fengine_create(device, &config, &second));
    clradio_device_build_count(device, &built_then, &loaded_then);
    assert_int_equal(built_then, built);
    assert_int_equal(loaded_then, loaded);
    clradio_fengine_destroy(first);
    clradio_fengine_destroy(second);
}

static void refuse(clradio_device *device, const clradio_fengine_config *config,
                   clradio_status expected, const char *word)
{
    clradio_fengine *plan = (clradio_fengine *)config; /* must become NULL */
    clradio_status status = clradio_fengine_create(device, config, &plan);
    if (status != expected || plan || !strstr(clradio_last_error(), word))
        fail_msg("%s, '%s' instead of %s and '%s'", clradio_status_name(status),
                 clradio_last_error(), clradio_status_name(expected), word);
}

static void a_bad_configuration_is_refused_with_a_sentence(void **state)
{
    clradio_device *device = device_under_test(state);
#define REFUSE(change, status, word)                                                               \
    do {                                                                                           \
        clradio_fengine_config config = usual();                                                   \
        change;                                                                                    \
        refuse(device, &config, status, word);                                                     \
    } while (0)
    REFUSE(config.struct_size = 0, CLRADIO_ERROR_ARGUMENT, "struct_size");
    REFUSE(config.stations = 0, CLRADIO_ERROR_ARGUMENT, "stations");
    REFUSE(config.bands = 0, CLRADIO_ERROR_ARGUMENT, "bands");
    REFUSE(config.channels = 0, CLRADIO_ERROR_ARGUMENT, "channels");
    REFUSE(config.taps = 0, CLRADIO_ERROR_ARGUMENT, "taps");
    REFUSE(config.spectra = 0, CLRADIO_ERROR_ARGUMENT, "spectra");
    REFUSE(config.polarisations = 3, CLRADIO_ERROR_ARGUMENT, "polarisations");
    REFUSE(config.window = (clradio_window)9, CLRADIO_ERROR_ARGUMENT, "window");
    REFUSE((config.window = CLRADIO_WINDOW_KAISER, config.kaiser_beta = NAN),
           CLRADIO_ERROR_ARGUMENT, "kaiser_beta");
    REFUSE((config.window = CLRADIO_WINDOW_KAISER, config.kaiser_beta = -1.0),
           CLRADIO_ERROR_ARGUMENT, "kaiser_beta");
    REFUSE(config.reversed = 2, CLRADIO_ERROR_ARGUMENT, "reversed");
    REFUSE(config.input = CLRADIO_CF64, CLRADIO_ERROR_UNSUPPORTED, "cf64");
    REFUSE(config.input = (clradio_type)77, CLRADIO_ERROR_UNSUPPORTED, "none");
    if (is_opencl(device) && HAVE_CLFFT) /* cuFFT and VkFFT take every length */
        REFUSE(config.channels = 17, CLRADIO_ERROR_UNSUPPORTED, "16 and 18");
    REFUSE(config.taps = UINT32_MAX, CLRADIO_ERROR_ARGUMENT, "taps");
    REFUSE(config.spectra = UINT64_MAX, CLRADIO_ERROR_ARGUMENT, "fit");
    REFUSE((config.stations = UINT32_MAX, config.bands = UINT32_MAX), CLRADIO_ERROR_ARGUMENT,
           "fit");
    REFUSE(config.memory_limit = 1, CLRADIO_ERROR_LIMIT, "memory_limit");
    REFUSE((config.stations = 1u << 20, config.taps = 1u << 20, config.channels = 1024),
           CLRADIO_ERROR_LIMIT, "largest");
#undef REFUSE
    assert_int_equal(clradio_fengine_create(device, NULL, &(clradio_fengine *){ NULL }),
                     CLRADIO_ERROR_ARGUMENT);
}

/* A plan with buffers for one full call. */
typedef struct stand {
    clradio_fengine_config config;
    clradio_fengine *plan;
    clradio_queue *queue;
    clradio_fengine_io io;
} stand;

static stand set_up(clradio_device *device, const clradio_fengine_config *config, unsigned flags)
{
    stand s = { .config = *config, .io = CLRADIO_FENGINE_IO_INIT };
    clradio_fengine_info info = CLRADIO_FENGINE_INFO_INIT;
    assert_ok(clradio_fengine_create(device, config, &s.plan));
    assert_ok(clradio_fengine_get_info(s.plan, &info));
    assert_ok(clradio_queue_create(device, flags, &s.queue));
    assert_ok(clradio_buffer_create(device, info.voltages_bytes, &s.io.voltages.buffer));
    assert_ok(clradio_buffer_create(device, info.spectra_bytes, &s.io.spectra.buffer));
    s.io.spectra_count = config->spectra;
    return s;
}

static void take_down(stand *s)
{
    clradio_buffer_destroy(s->io.voltages.buffer);
    clradio_buffer_destroy(s->io.spectra.buffer);
    clradio_queue_destroy(s->queue);
    clradio_fengine_destroy(s->plan);
}

static void a_bad_call_is_refused_and_leaves_the_plan_as_it_was(void **state)
{
    clradio_fengine_config config = usual();
    stand s = set_up(device_under_test(state), &config, 0);
#define REFUSE(change, word)                                                                       \
    do {                                                                                           \
        clradio_fengine_io io = s.io;                                                              \
        clradio_event *event = (clradio_event *)&io;                                               \
        change;                                                                                    \
        assert_int_equal(clradio_fengine_enqueue(s.plan, s.queue, &io, 0, NULL, &event),           \
                         CLRADIO_ERROR_ARGUMENT);                                                  \
        assert_null(event);                                                                        \
        assert_non_null(strstr(clradio_last_error(), word));                                       \
    } while (0)
    REFUSE(io.struct_size = 1, "struct_size");
    REFUSE(io.spectra_count = 61, "60");
    REFUSE(io.voltages.buffer = NULL, "voltages");
    REFUSE(io.spectra.buffer = NULL, "spectra");
    REFUSE(io.voltages.offset = 2, "its buffer has");
    REFUSE(io.voltages.offset = 1, "multiple");
    REFUSE(io.spectra.offset = UINT64_MAX - 7, "its buffer has");
    REFUSE((io.valid = io.spectra, io.valid.offset = clradio_buffer_bytes(io.spectra.buffer)),
           "valid");
    REFUSE(io.voltages = io.spectra, "io.spectra and io.voltages overlap");
    REFUSE(io.valid = io.spectra, "io.spectra and io.valid overlap");
#undef REFUSE
    assert_int_equal(clradio_fengine_enqueue(s.plan, NULL, &s.io, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_fengine_spectra_out(s.plan, 60), 58);
    assert_int_equal(clradio_fengine_spectra_out(NULL, 60), 0);
    take_down(&s);
}

/* ---- foreign objects, events ---- */

static cl_uint references(cl_context context)
{
    cl_uint count = 0;
    clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

static void on_an_out_of_order_queue_nothing_starts_before_its_wait_list(void **state)
{
    only_on_opencl(state);
    clradio_device *own = device_under_test(state), *device;
    cl_device_id id = clradio_device_opencl_id(own);
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_uint references_before = references(context);
    assert_ok(clradio_device_from_opencl(context, id, &device));
    clradio_fengine_config config = usual();
    /* Several pieces, and a length that clFFT does in several kernels with a second buffer. */
    config.channels = test_small() ? 20 : 2310;
    config.spectra = 7;
    stand s = set_up(device, &config, CLRADIO_QUEUE_OUT_OF_ORDER);
    uint64_t values = values_of(&config, 5), calls[] = { 7 }, out;
    void *voltages = random_voltages(&config, 7, 1);
    float *expected = run_calls(device, &config, voltages, NULL, calls, 1, &out);
    clradio_event *written, *poisoned, *gate, *done;
    cl_event user = clCreateUserEvent(context, &code);
    assert_ok(clradio_event_from_opencl(device, user, &gate));
    assert_ok(clradio_buffer_write(s.queue, s.io.voltages, voltages,
                                   elements_of(&config, 7) * clradio_type_bytes(config.input), 0,
                                   NULL, &written));
    assert_ok(clradio_buffer_fill(s.queue, s.io.spectra, 0xff, values * 8, 0, NULL, &poisoned));
    clradio_event *wait[] = { written, gate, poisoned };
    assert_ok(clradio_fengine_enqueue(s.plan, s.queue, &s.io, 3, wait, &done));
    assert_int_equal(clradio_event_complete(done), 0);
    float *got = malloc(values * 8);
    assert_ok(clradio_event_wait(poisoned));
    /* By a queue of its own: an out-of-order queue may work in order, and this would wait for ever.
     */
    clradio_queue *reader;
    assert_ok(clradio_queue_create(device, 0, &reader));
    assert_ok(clradio_buffer_read(reader, s.io.spectra, got, values * 8, 0, NULL, NULL));
    clradio_queue_destroy(reader);
    for (uint64_t i = 0; i < 2 * values; i++)
        assert_true(isnan(got[i]));
    assert_int_equal(clradio_event_complete(done), 0);
    clSetUserEventStatus(user, CL_COMPLETE);
    assert_ok(clradio_event_wait(done));
    assert_ok(clradio_buffer_read(s.queue, s.io.spectra, got, values * 8, 0, NULL, NULL));
    assert_memory_equal(got, expected, values * 8);
    clradio_event *events[] = { written, gate, poisoned, done };
    for (size_t i = 0; i < 4; i++)
        clradio_event_destroy(events[i]);
    free(voltages);
    free(got);
    free(expected);
    take_down(&s);
    clradio_device_close(device);
    clReleaseEvent(user);
    /* Drivers drop their own references of finished commands a little later. */
    for (int i = 0; i < 200 && references(context) != references_before; i++)
        usleep(10000);
    assert_int_equal(references(context), references_before);
    clReleaseContext(context);
}

/* ---- threads ---- */

typedef struct worker {
    clradio_device *device;
    clradio_fengine_config config;
    const void *voltages;
    const float *expected;
    int wrong;
} worker;

/* No assertions: cmocka's are for its own thread. */
static void *work(void *argument)
{
    worker *w = argument;
    uint64_t in_bytes =
        elements_of(&w->config, w->config.spectra) * clradio_type_bytes(w->config.input);
    uint64_t out_bytes = values_of(&w->config, w->config.spectra - w->config.taps + 1) * 8;
    float *got = malloc(out_bytes);
    for (int round = 0; round < 3; round++) {
        clradio_fengine *plan = NULL;
        clradio_queue *queue = NULL;
        clradio_fengine_io io = CLRADIO_FENGINE_IO_INIT;
        io.spectra_count = w->config.spectra;
        w->wrong |= clradio_fengine_create(w->device, &w->config, &plan) ||
                    clradio_queue_create(w->device, 0, &queue) ||
                    clradio_buffer_create(w->device, in_bytes, &io.voltages.buffer) ||
                    clradio_buffer_create(w->device, out_bytes, &io.spectra.buffer) ||
                    clradio_buffer_write(queue, io.voltages, w->voltages, in_bytes, 0, NULL, NULL);
        for (int repeat = 0; !w->wrong && repeat < 10; repeat++)
            w->wrong = clradio_fengine_reset(plan) ||
                       clradio_fengine_enqueue(plan, queue, &io, 0, NULL, NULL) ||
                       clradio_buffer_read(queue, io.spectra, got, out_bytes, 0, NULL, NULL) ||
                       memcmp(got, w->expected, out_bytes) != 0;
        clradio_buffer_destroy(io.voltages.buffer);
        clradio_buffer_destroy(io.spectra.buffer);
        clradio_queue_destroy(queue);
        clradio_fengine_destroy(plan);
    }
    free(got);
    return NULL;
}

static void threads_with_plans_of_their_own_do_not_disturb_each_other(void **state)
{
    enum { THREADS = 4 };
    static const uint32_t channels[THREADS] = { 30, 64, 64, 30 };
    worker workers[THREADS];
    pthread_t threads[THREADS];
    uint64_t out, blocks = 9;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){ .device = device_under_test(state), .config = usual() };
        workers[i].config.channels = channels[i];
        workers[i].config.spectra = blocks;
        workers[i].voltages = random_voltages(&workers[i].config, blocks, (uint64_t)i);
        workers[i].expected = run_calls(workers[i].device, &workers[i].config, workers[i].voltages,
                                        NULL, &blocks, 1, &out);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_false(workers[i].wrong);
        free((void *)workers[i].voltages);
        free((void *)workers[i].expected);
    }
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST_SLOW(a_memory_limit_is_kept_and_changes_no_bit),
        DEVICE_TEST(a_second_plan_of_other_sizes_builds_nothing_of_ours),
        DEVICE_TEST(a_bad_configuration_is_refused_with_a_sentence),
        DEVICE_TEST(a_bad_call_is_refused_and_leaves_the_plan_as_it_was),
        DEVICE_TEST(on_an_out_of_order_queue_nothing_starts_before_its_wait_list),
        DEVICE_TEST_SLOW(threads_with_plans_of_their_own_do_not_disturb_each_other),
    };
#if !HAVE_CLFFT && !HAVE_VKFFT
    printf("1..0 # SKIP built without clFFT and VkFFT\n");
    return 0;
#endif
    return run_device_tests("fengine limits", NULL, 0, tests, sizeof tests / sizeof *tests);
}
