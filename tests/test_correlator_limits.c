/*
 * The correlator's manners: memory limits, programs built once, bad input refused, one event for
 * the whole chain, the plan as a pipeline takes it.
 */
#include "fengine_support.h"

#include "device/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clradio_correlator_config usual(void)
{
    clradio_correlator_config config = CLRADIO_CORRELATOR_CONFIG_INIT;
    config.stations = 6;
    config.polarisations = 2;
    config.channels = 64;
    config.taps = 3;
    config.window = CLRADIO_WINDOW_HAMMING;
    config.spectra = 200;
    return config;
}

/* What every test feeds: random ci8 for one full call. */
static void *usual_voltages(const clradio_correlator_config *config)
{
    clradio_fengine_config f = CLRADIO_FENGINE_CONFIG_INIT;
    f.stations = config->stations;
    f.polarisations = config->polarisations;
    f.bands = config->bands;
    f.channels = config->channels;
    f.input = config->input;
    return random_voltages(&f, config->spectra, 21);
}

/* One integration over all voltages through clradio_correlator_plan, as a pipeline would. */
static float *integrate(clradio_device *device, const clradio_correlator_config *config,
                        const void *voltages, clradio_correlator_info *info)
{
    clradio_correlator *correlator;
    clradio_queue *queue;
    clr_plan_call call = { .count = config->spectra, .flags = CLRADIO_DUMP };
    uint64_t used;
    *info = (clradio_correlator_info)CLRADIO_CORRELATOR_INFO_INIT;
    assert_ok(clradio_correlator_create(device, config, &correlator));
    assert_ok(clradio_correlator_get_info(correlator, info));
    clradio_plan *plan = clradio_correlator_plan(correlator);
    assert_ptr_equal(plan->device, device);
    assert_int_equal(plan->input_bytes, info->voltages_bytes);
    assert_int_equal(plan->output_bytes, info->visibilities_bytes);
    assert_int_equal(plan->valid_bytes, config->spectra * 12);
    assert_ok(plan->input_used(plan->engine, 7, &used));
    assert_int_equal(used, info->voltages_bytes / config->spectra * 7);
    assert_int_equal(plan->input_used(plan->engine, config->spectra + 1, &used),
                     CLRADIO_ERROR_ARGUMENT);
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, plan->input_bytes, &call.input.buffer));
    assert_ok(clradio_buffer_create(device, plan->output_bytes, &call.output.buffer));
    assert_ok(clradio_buffer_write(queue, call.input, voltages, plan->input_bytes, 0, NULL, NULL));
    assert_ok(plan->enqueue(plan->engine, queue, &call, 0, NULL, NULL));
    float *got = malloc(plan->output_bytes);
    assert_ok(clradio_buffer_read(queue, call.output, got, plan->output_bytes, 0, NULL, NULL));
    clradio_buffer_destroy(call.input.buffer);
    clradio_buffer_destroy(call.output.buffer);
    clradio_queue_destroy(queue);
    clradio_correlator_destroy(correlator);
    return got;
}

static void a_memory_limit_holds_for_the_whole_chain(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_correlator_config config = usual();
    clradio_correlator_info info;
    uint64_t before, now, peak;
    clradio_correlator *keeper;
    assert_ok(clradio_correlator_create(device, &config, &keeper));
    void *voltages = usual_voltages(&config);
    float *expected = integrate(device, &config, voltages, &info);
    double largest = 0.0;
    uint64_t numbers = info.visibilities_bytes / sizeof(float);
    for (uint64_t i = 0; i < numbers; i++)
        largest = fmax(largest, fabs((double)expected[i]));
    clradio_status status = CLRADIO_OK;
    int kept = 0;
    for (config.memory_limit = info.memory_bytes; config.memory_limit;
         config.memory_limit = config.memory_limit * 2 / 3) {
        clradio_correlator *plan;
        clradio_device_memory_used(device, &before, &peak);
        status = clradio_correlator_create(device, &config, &plan);
        clradio_device_memory_used(device, &now, &peak);
        if (status) {
            assert_null(plan);
            assert_int_equal(now, before);
            break;
        }
        clradio_correlator_destroy(plan);
        float *got = integrate(device, &config, voltages, &info);
        assert_true(info.memory_bytes <= config.memory_limit);
        assert_true(now - before == info.memory_bytes);
        /* Other batches add in another order: off by roundings of the largest sum at most. */
        for (uint64_t i = 0; i < numbers; i++)
            assert_true(fabs((double)got[i] - expected[i]) <= 1e-6 * largest);
        free(got);
        kept++;
    }
    assert_int_equal(status, CLRADIO_ERROR_LIMIT);
    /* 200 spectra of 768 values are 1.2 MB, the sums 0.09 MB: several sizes of batch fit between.
     */
    assert_true(kept >= 4);
    free(voltages);
    free(expected);
    clradio_correlator_destroy(keeper);
}

static void a_second_correlator_of_other_sizes_builds_nothing_of_ours(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_correlator_config config = usual();
    clradio_correlator *first, *second;
    clradio_correlator_info info = CLRADIO_CORRELATOR_INFO_INIT;
    uint64_t built, loaded, built_then, loaded_then;
    assert_ok(clradio_correlator_create(device, &config, &first));
    assert_ok(clradio_correlator_get_info(first, &info));
    clradio_device_build_count(device, &built, &loaded);
    assert_true(built + loaded >= 4);
    config.stations = 5;
    config.channels = 20;
    config.taps = 2;
    config.bands = 3;
    config.variant = info.xengine.variant;
    config.parameters = info.xengine.parameters; /* a choice by size may differ: macros */
    assert_ok(clradio_correlator_create(device, &config, &second));
    clradio_device_build_count(device, &built_then, &loaded_then);
    assert_int_equal(built_then, built);
    assert_int_equal(loaded_then, loaded);
    clradio_correlator_destroy(first);
    clradio_correlator_destroy(second);
}

static void a_bad_configuration_or_call_is_refused_with_a_sentence(void **state)
{
    clradio_device *device = device_under_test(state);
#define REFUSE(change, expected, word)                                                             \
    do {                                                                                           \
        clradio_correlator_config config = usual();                                                \
        clradio_correlator *plan = (clradio_correlator *)&config;                                  \
        change;                                                                                    \
        assert_int_equal(clradio_correlator_create(device, &config, &plan), expected);             \
        assert_null(plan);                                                                         \
        assert_non_null(strstr(clradio_last_error(), word));                                       \
    } while (0)
    REFUSE(config.struct_size = 3, CLRADIO_ERROR_ARGUMENT, "struct_size");
    REFUSE(config.stations = 0, CLRADIO_ERROR_ARGUMENT, "stations");
    REFUSE(config.channels = 0, CLRADIO_ERROR_ARGUMENT, "channels");
    if (is_opencl(device) && HAVE_CLFFT) /* cuFFT and VkFFT take every length */
        REFUSE(config.channels = 34, CLRADIO_ERROR_UNSUPPORTED, "33 and 35");
    REFUSE(config.input = CLRADIO_CI4, CLRADIO_ERROR_UNSUPPORTED, "ci4");
    REFUSE((config.bands = 1u << 20, config.channels = 1u << 13), CLRADIO_ERROR_ARGUMENT, "bands");
    REFUSE(config.channels = 1, CLRADIO_ERROR_ARGUMENT, "taps");
    REFUSE((config.channels = 1, config.taps = 1, config.input = CLRADIO_I8),
           CLRADIO_ERROR_UNSUPPORTED, "complex");
    REFUSE(config.valid = 2, CLRADIO_ERROR_ARGUMENT, "valid is 2");
    REFUSE(config.memory_limit = 1000, CLRADIO_ERROR_LIMIT, "memory_limit");
    REFUSE(config.output = CLRADIO_CI32, CLRADIO_ERROR_ARGUMENT, "ci32");
#undef REFUSE
    clradio_correlator_config config = usual();
    clradio_correlator *plan;
    clradio_queue *queue;
    clradio_correlator_io io = CLRADIO_CORRELATOR_IO_INIT;
    config.channels = config.taps = 1;
    assert_ok(clradio_correlator_create(device, &config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, 4800, &io.voltages.buffer));
    io.spectra_count = 200;
    assert_int_equal(clradio_correlator_enqueue(plan, queue, &io, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "visibilities"));
    io.valid = io.visibilities = io.voltages;
    assert_int_equal(clradio_correlator_enqueue(plan, queue, &io, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "needs a plan made with config.valid = 1"));
    io.valid.buffer = NULL;
    io.spectra_count = 1;
    assert_int_equal(clradio_correlator_enqueue(plan, queue, &io, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "io.visibilities and io.voltages overlap"));
    assert_int_equal(clradio_correlator_spectra_out(NULL, 1), 0);
    io.flags = 8;
    assert_int_equal(clradio_correlator_enqueue(plan, queue, &io, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    clradio_buffer_destroy(io.voltages.buffer);
    clradio_queue_destroy(queue);
    clradio_correlator_destroy(plan);
}

static void one_event_covers_the_chain_on_an_out_of_order_queue(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_correlator_config config = usual();
    config.memory_limit = 600000; /* several batches */
    clradio_correlator_info info;
    void *voltages = usual_voltages(&config);
    float *expected = integrate(device, &config, voltages, &info);
    clradio_correlator *plan;
    clradio_queue *queue;
    clradio_event *opened, *written, *done;
    clradio_correlator_io io = CLRADIO_CORRELATOR_IO_INIT;
    assert_ok(clradio_correlator_create(device, &config, &plan));
    assert_ok(clradio_queue_create(device, CLRADIO_QUEUE_OUT_OF_ORDER, &queue));
    assert_ok(clradio_buffer_create(device, info.voltages_bytes, &io.voltages.buffer));
    assert_ok(clradio_buffer_create(device, info.visibilities_bytes, &io.visibilities.buffer));
    assert_ok(
        clradio_buffer_write(queue, io.voltages, voltages, info.voltages_bytes, 0, NULL, &written));
    io.spectra_count = config.spectra;
    assert_ok(clradio_event_wait(written));
    test_gate *gate = test_gate_shut(device, &opened);
    clradio_event *wait[] = { opened, written };
    assert_ok(clradio_correlator_enqueue(plan, queue, &io, 2, wait, &done));
    assert_int_equal(clradio_event_complete(done), 0);
    test_gate_open(gate);
    assert_ok(clradio_event_wait(done));
    float *got = malloc(info.visibilities_bytes);
    assert_ok(
        clradio_buffer_read(queue, io.visibilities, got, info.visibilities_bytes, 0, NULL, NULL));
    assert_memory_equal(got, expected, info.visibilities_bytes);
    clradio_event_destroy(opened);
    clradio_event_destroy(written);
    clradio_event_destroy(done);
    test_gate_free(gate);
    clradio_buffer_destroy(io.voltages.buffer);
    clradio_buffer_destroy(io.visibilities.buffer);
    clradio_queue_destroy(queue);
    clradio_correlator_destroy(plan);
    free(voltages);
    free(expected);
    free(got);
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST_SLOW(a_memory_limit_holds_for_the_whole_chain),
        DEVICE_TEST(a_second_correlator_of_other_sizes_builds_nothing_of_ours),
        DEVICE_TEST(a_bad_configuration_or_call_is_refused_with_a_sentence),
        DEVICE_TEST_SLOW(one_event_covers_the_chain_on_an_out_of_order_queue),
    };
#if !HAVE_CLFFT && !HAVE_VKFFT
    printf("1..0 # SKIP built without clFFT and VkFFT\n");
    return 0;
#endif
    return run_device_tests("correlator limits", NULL, 0, tests, sizeof tests / sizeof *tests);
}
