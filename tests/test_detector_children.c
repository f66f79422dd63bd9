/*
 * Detector, the second pass started by a grid on the device (CUDA), or emulated on every device:
 * the bits of the flat one, whatever a unit is, however few may wait, and whichever launches fail.
 */
#include "detector_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const clradio_launch ways[] = { CLRADIO_LAUNCH_EMULATED, CLRADIO_LAUNCH_CHILDREN };
enum { WAYS = sizeof ways / sizeof *ways };

static int is_there(clradio_device *device, clradio_launch launch)
{
    return launch != CLRADIO_LAUNCH_CHILDREN || has_children(device);
}

/* A budget that some vectors in three pass, so that a list of hundreds goes to the second pass. */
static clradio_detector_config link_with_a_list(void)
{
    clradio_detector_config config = detector_config(4, 4, CLRADIO_QAM16, test_small() ? 40 : 1000);
    config.node_budget = 30;
    return config;
}

static void expect_flat(clradio_device *device, clradio_detector_config *config, double snr_db)
{
    static const char *const all[] = { NULL, "VECTORS=1 PENDING=7", "VECTORS=5 PENDING=1 WALKERS=1",
                                       "VECTORS=3 TAIL=0 FORGET=0 PENDING=3 FAIL=2" };
    const int soft = (config->flags & CLRADIO_DETECTOR_SOFT) != 0;
    detector_data *data = detector_random(config, snr_db, 3);
    config->launch = CLRADIO_LAUNCH_FLAT;
    config->launch_parameters = NULL;
    detector_answers *flat = detector_answers_of(device, config, data, soft);
    for (size_t w = 0; w < WAYS; w++)
        for (size_t n = 0; n < (test_small() ? 2 : 4); n++) {
            if (!is_there(device, ways[w]))
                continue;
            config->launch = ways[w];
            config->launch_parameters = all[n];
            detector_answers *got = detector_answers_of(device, config, data, soft);
            detector_assert_same(data, got, flat);
            detector_answers_free(got);
        }
    detector_answers_free(flat);
    detector_data_free(data);
}

/* Lists from budgets, from thin margins of half tables, of all vectors in double; channels and
 * noise in several forms; batches, in turn and beside one another; LLRs beside. */
static void every_way_gives_the_flat_bits(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = link_with_a_list();
    expect_flat(device, &config, 15);
    config.parameters = "HALVES=2 SETS=2";
    expect_flat(device, &config, 15);
    config = link_with_a_list();
    config.memory_limit = (1 << 20) + 20000;
    config.vectors_per_channel = 7;
    config.noise = CLRADIO_NOISE_COVARIANCE_CHANNEL;
    config.flags = CLRADIO_DETECTOR_SOFT;
    expect_flat(device, &config, 15);
    config = link_with_a_list();
    config.variant = "group";
    expect_flat(device, &config, 15);
    if (!clr_device_info(device)->fp64)
        return;
    config = detector_config(3, 3, CLRADIO_QAM16, test_small() ? 10 : 300);
    config.precision = CLRADIO_PRECISION_DOUBLE;
    expect_flat(device, &config, 15);
}

static uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/*
 * Units of `each` vectors, every fail-th of which fails. The last unit has what is left of the
 * list.
 */
static void expect_report(clradio_device *device, clradio_launch launch, uint32_t each,
                          uint32_t pending, uint32_t fail, int tail)
{
    char parameters[96];
    clradio_detector_config config = link_with_a_list();
    detector_data *data = detector_random(&config, 15, 3);
    detector_answers *flat = detector_answers_of(device, &config, data, 0);
    snprintf(parameters, sizeof parameters, "VECTORS=%u PENDING=%u FAIL=%u TAIL=%d", each, pending,
             fail, tail);
    config.launch = launch;
    config.launch_parameters = parameters;
    detector_answers *got = detector_answers_of(device, &config, data, 0);
    detector_assert_same(data, got, flat);
    const uint32_t listed = (uint32_t)flat->statistics.again, units = ceil_div(listed, each);
    const uint32_t left = listed - (units - 1) * each; /* in the last unit */
    uint32_t failed = fail ? units / fail : 0, started = units - failed;
    uint32_t chunks = ceil_div(units, pending);
    uint32_t vectors = failed * each - (fail && units % fail == 0 ? each - left : 0);
    assert_true(listed > 5);
    if (tail == 2 && units > pending) { /* no chunk but the first */
        failed = units - pending + (fail ? pending / fail : 0);
        started = units - failed;
        chunks = 1;
        vectors = listed - pending * each + (fail ? pending / fail : 0) * each;
    }
    assert_int_equal(got->report[0], failed);
    assert_int_equal(got->report[1], started);
    assert_int_equal(got->report[2], chunks);
    assert_int_equal(got->report[3], vectors);
    detector_answers_free(got);
    detector_answers_free(flat);
    detector_data_free(data);
}

static void failed_launches_are_made_up_for_and_reported(void **state)
{
    static const uint32_t fails[] = { 0, 1, 2, 7 }, pending[] = { 1, 4, 1024 };
    clradio_device *device = device_under_test(state);
    for (size_t w = 0; w < WAYS; w++)
        for (size_t f = 0; f < (test_small() ? 2 : 4) && is_there(device, ways[w]); f++)
            for (size_t n = 0; n < 3; n++)
                expect_report(device, ways[w], n == 2 ? 1 : 3, pending[n], fails[f],
                              (int)(f + n) % 2);
}

static void a_failed_tail_launch_loses_nothing(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t w = 0; w < WAYS; w++)
        if (is_there(device, ways[w])) {
            expect_report(device, ways[w], 2, 2, 0, 2);
            expect_report(device, ways[w], 1, 3, 2, 2);
        }
}

/* An empty list starts nothing; no vectors at all neither. */
static void nothing_uncertified_starts_nothing(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(2, 2, CLRADIO_QPSK, 50);
    detector_data *data = detector_random(&config, 40, 3);
    for (size_t w = 0; w < WAYS; w++) {
        if (!is_there(device, ways[w]))
            continue;
        config.launch = ways[w];
        for (int none = 0; none < 2; none++) {
            data->count = none ? 0 : 50;
            detector_answers *got = detector_answers_of(device, &config, data, 0);
            if (is_exact_everywhere(device))
                assert_int_equal(got->statistics.by_status[CLRADIO_DETECTED_EXACT], data->count);
            for (int i = 0; i < 4; i++)
                assert_int_equal(got->report[i], 0);
            detector_answers_free(got);
        }
    }
    data->count = 50;
    detector_data_free(data);
}

/* From host arrays, in calls of 100 vectors: failures of all calls are counted. */
static void host_arrays_count_failures(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = link_with_a_list();
    detector_data *data = detector_random(&config, 15, 3);
    detector_answers *flat = detector_answers_of(device, &config, data, 0);
    uint8_t *symbols = malloc(data->count * 4);
    uint64_t failed = 99;
    clradio_detector *plan;
    clradio_detector_host_io io = CLRADIO_DETECTOR_HOST_IO_INIT;
    assert_non_null(symbols);
    config.vectors = 100;
    config.launch = CLRADIO_LAUNCH_EMULATED;
    config.launch_parameters = "VECTORS=1 FAIL=1";
    assert_ok(clradio_detector_create(device, &config, &plan));
    io.received = data->received;
    io.channel = data->channel;
    io.noise_variance = data->noise_variance;
    io.symbols = symbols;
    io.vectors_count = data->count;
    io.failed_launches = &failed;
    io.flags = CLRADIO_DETECTOR_DEVICE_ONLY;
    assert_ok(clradio_detector_run(plan, &io));
    assert_int_equal(failed, flat->statistics.again);
    for (uint64_t n = 0; n < data->count * 4; n++)
        assert_int_equal(symbols[n], flat->labels[n]);
    clradio_detector_destroy(plan);
    free(symbols);
    detector_answers_free(flat);
    detector_data_free(data);
}

static void expect_refused(clradio_device *device, const clradio_detector_config *config,
                           clradio_status status, const char *text)
{
    clradio_detector *plan = NULL;
    assert_int_equal(clradio_detector_create(device, config, &plan), status);
    assert_null(plan);
    if (!strstr(clradio_last_error(), text))
        fail_msg("'%s' is not in: %s", text, clradio_last_error());
}

static void what_cannot_be_launched_so_is_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(2, 2, CLRADIO_QPSK, 16);
    config.launch_parameters = "VECTORS=2";
    expect_refused(device, &config, CLRADIO_ERROR_ARGUMENT, "a flat launch has no parameters");
    config.launch = CLRADIO_LAUNCH_EMULATED;
    config.launch_parameters = "PENDING=4000";
    expect_refused(device, &config, CLRADIO_ERROR_ARGUMENT, "PENDING");
    config.launch_parameters = "LINKS=4";
    expect_refused(device, &config, CLRADIO_ERROR_ARGUMENT, "LINKS");
    config.launch_parameters = NULL;
    config.launch = CLRADIO_LAUNCH_HOST;
    expect_refused(device, &config, CLRADIO_ERROR_UNSUPPORTED, "known on the device alone");
    config.launch = (clradio_launch)4;
    expect_refused(device, &config, CLRADIO_ERROR_ARGUMENT, "launch is 4");
    if (is_opencl(device)) {
        config.launch = CLRADIO_LAUNCH_CHILDREN;
        expect_refused(device, &config, CLRADIO_ERROR_UNSUPPORTED, "cannot launch kernels");
    }
    config.launch = CLRADIO_LAUNCH_EMULATED;
    config.method = CLRADIO_DETECTOR_MMSE;
    expect_refused(device, &config, CLRADIO_ERROR_UNSUPPORTED, "mmse has no second pass");
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(every_way_gives_the_flat_bits),
        DEVICE_TEST(failed_launches_are_made_up_for_and_reported),
        DEVICE_TEST(a_failed_tail_launch_loses_nothing),
        DEVICE_TEST(nothing_uncertified_starts_nothing),
        DEVICE_TEST(host_arrays_count_failures),
        DEVICE_TEST(what_cannot_be_launched_so_is_refused),
    };
    return run_device_tests("detector children", NULL, 0, tests, sizeof tests / sizeof *tests);
}
