/* Signal to interference and noise ratios against the double reference, and against what a single
 * stream in white noise has. */
#include "support.h"

#include <clradio/sinr.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double real_random(uint64_t *seed)
{
    return (double)(int64_t)test_random(seed) * 0x1p-63;
}

static void *random_array(clradio_type type, uint64_t count, uint64_t *seed)
{
    void *array = malloc(count * 16 + 16);
    assert_non_null(array);
    for (uint64_t n = 0; n < 2 * count; n++)
        if (type == CLRADIO_CF64)
            ((double *)array)[n] = real_random(seed);
        else
            ((float *)array)[n] = (float)real_random(seed);
    return array;
}

static clradio_span to_device(clradio_device *device, clradio_queue *queue, const void *from,
                              uint64_t bytes)
{
    clradio_span span = { NULL, 0 };
    assert_ok(clradio_buffer_create(device, bytes ? bytes : 16, &span.buffer));
    if (from && bytes)
        assert_ok(clradio_buffer_write(queue, span, from, bytes, 0, NULL, NULL));
    if (!from)
        assert_ok(clradio_buffer_fill(queue, span, 0xa5, bytes, 0, NULL, NULL));
    return span;
}

/* The device's answer as doubles, which the caller frees. */
static double *on_device(clradio_device *device, const clradio_sinr_config *config, uint64_t outer,
                         uint64_t inner, const void *h, uint64_t h_count, const void *g,
                         uint64_t g_count, uint32_t *bad)
{
    const uint64_t element = clradio_type_bytes(config->type),
                   count = outer * inner * config->streams;
    clradio_sinr *plan;
    clradio_queue *queue;
    clradio_sinr_io io = CLRADIO_SINR_IO_INIT;
    *bad = 0;
    assert_ok(clradio_sinr_create(device, config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    io.outer = outer;
    io.inner = inner;
    io.serving = to_device(device, queue, h, h_count * element);
    io.interfering = to_device(device, queue, g, g_count * element);
    io.sinr = to_device(device, queue, NULL, count * element / 2);
    io.bad = to_device(device, queue, bad, 4);
    assert_ok(clradio_sinr_enqueue(plan, queue, &io, 0, NULL, NULL));
    assert_ok(clradio_queue_finish(queue));
    double *got = malloc(count * sizeof *got);
    float *floats = malloc(2 * count * sizeof *floats);
    assert_non_null(got);
    assert_non_null(floats);
    assert_ok(clradio_buffer_read(queue, io.sinr, floats, count * element / 2, 0, NULL, NULL));
    assert_ok(clradio_buffer_read(queue, io.bad, bad, 4, 0, NULL, NULL));
    for (uint64_t n = 0; n < count; n++)
        got[n] = config->type == CLRADIO_CF64 ? ((double *)floats)[n] : (double)floats[n];
    free(floats);
    clradio_buffer_destroy(io.serving.buffer);
    clradio_buffer_destroy(io.interfering.buffer);
    clradio_buffer_destroy(io.sinr.buffer);
    clradio_buffer_destroy(io.bad.buffer);
    clradio_queue_destroy(queue);
    clradio_sinr_destroy(plan);
    return got;
}

/* cf32 loses with the condition of R: interference over noise is at most 1000 here. */
static void expect_near(const double *got, const double *expected, uint64_t count,
                        const clradio_sinr_config *config)
{
    const double tolerance = config->type == CLRADIO_CF64 ? 1e-10 : 2e-4;
    for (uint64_t n = 0; n < count; n++)
        if (!(fabs(got[n] - expected[n]) <= tolerance * (fabs(expected[n]) + 1e-3)))
            fail_msg("method %d, %u x %u, %u interferers, value %llu: %.9g, expected %.9g",
                     (int)config->method, config->receive, config->streams, config->interferers,
                     (unsigned long long)n, got[n], expected[n]);
}

static void random_problems_agree_with_the_reference(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    static const uint32_t shapes[][3] = { { 1, 1, 0 }, { 2, 1, 1 }, { 2, 2, 3 },
                                          { 4, 2, 8 }, { 2, 4, 2 }, { 8, 4, 5 } };
    assert_ok(clradio_device_describe(device, &info));
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int variant = 0; variant < 4; variant++) {
            uint64_t seed = s * 4 + (uint64_t)variant;
            const uint64_t outer = 3, inner = 29;
            clradio_sinr_config config = CLRADIO_SINR_CONFIG_INIT;
            uint32_t bad;
            config.type = variant & 2 ? CLRADIO_CF64 : CLRADIO_CF32;
            config.method = variant & 1 ? CLRADIO_SINR_MRC : CLRADIO_SINR_MMSE;
            config.receive = shapes[s][0];
            config.streams = shapes[s][1];
            config.interferers = shapes[s][2];
            config.noise = 0.05;
            if (config.type == CLRADIO_CF64 && (!info.fp64 || s % 2))
                continue;
            const uint64_t h_count = outer * inner * config.receive * config.streams;
            const uint64_t g_count = outer * inner * config.receive * config.interferers;
            void *h = random_array(config.type, h_count, &seed);
            void *g = random_array(config.type, g_count, &seed);
            double *expected = malloc(outer * inner * config.streams * sizeof *expected);
            assert_non_null(expected);
            assert_ok(clradio_sinr_reference(&config, outer, inner, h, g, expected));
            double *got = on_device(device, &config, outer, inner, h, h_count, g, g_count, &bad);
            expect_near(got, expected, outer * inner * config.streams, &config);
            assert_int_equal(bad, 0);
            free(got);
            free(expected);
            free(h);
            free(g);
        }
}

/* One stream, white noise: |h|^2 / N0, in any order of the array; ratios from 1e-6 to 1e6. */
static void one_stream_in_white_noise_has_its_power_over_the_noise(void **state)
{
    for (int method = 0; method < 2; method++) {
        const uint64_t inner = 13;
        uint64_t seed = 3;
        clradio_sinr_config config = CLRADIO_SINR_CONFIG_INIT;
        uint32_t bad;
        config.method = (clradio_sinr_method)method;
        config.receive = 3;
        /* as the channel DFT leaves it: [path][subcarrier] */
        config.serving = (clradio_sinr_strides){ 3 * inner, 1, inner, 3 * inner };
        float *h = random_array(CLRADIO_CF32, 3 * inner, &seed);
        for (uint64_t k = 0; k < inner; k++)
            for (int a = 0; a < 3; a++) {
                h[2 * (a * inner + k)] *= powf(10, (float)k - 6) + 1e-3f;
                h[2 * (a * inner + k) + 1] *= powf(10, (float)k / 2 - 3);
            }
        double *got =
            on_device(device_under_test(state), &config, 1, inner, h, 3 * inner, NULL, 0, &bad);
        for (uint64_t k = 0; k < inner; k++) {
            double power = 0;
            for (uint64_t a = 0; a < 3; a++)
                power += pow((double)h[2 * (a * inner + k)], 2) +
                         pow((double)h[2 * (a * inner + k) + 1], 2);
            if (!(fabs(got[k] - power) <= 1e-6 * power))
                fail_msg("subcarrier %d: %.9g, expected %.9g", (int)k, got[k], power);
        }
        free(got);
        free(h);
    }
}

static void what_is_not_finite_is_counted_and_stays_where_it_is(void **state)
{
    uint64_t seed = 8;
    for (int method = 0; method < 2; method++) {
        clradio_sinr_config config = CLRADIO_SINR_CONFIG_INIT;
        uint32_t bad;
        config.method = (clradio_sinr_method)method;
        config.receive = config.streams = 2;
        float *h = random_array(CLRADIO_CF32, 3 * 4, &seed);
        h[2 * 5] = INFINITY; /* of the second problem */
        double *got = on_device(device_under_test(state), &config, 3, 1, h, 3 * 4, NULL, 0, &bad);
        assert_int_equal(bad, 1);
        for (int n = 0; n < 6; n++)
            assert_true(n / 2 == 1 ? isnan(got[n]) : isfinite(got[n]) && got[n] > 0);
        free(got);
        free(h);
    }
}

/* Channels with path loss in them are small: the ratios are those of H and N0 scaled alike. Powers
 * of 2, which round nothing: 2^-48 (a loss of 290 dB), whose fourth power fp32 does not hold. */
static void responses_and_noise_scaled_alike_have_the_same_ratios(void **state)
{
    static const int scales[] = { -48, -30, 30, 56 };
    uint64_t seed = 11;
    for (int method = 0; method < 2; method++) {
        clradio_sinr_config config = CLRADIO_SINR_CONFIG_INIT;
        uint32_t bad;
        config.method = (clradio_sinr_method)method;
        config.receive = 3;
        config.streams = config.interferers = 2;
        config.noise = 0.125;
        float *h = random_array(CLRADIO_CF32, 5 * 6, &seed);
        float *g = random_array(CLRADIO_CF32, 5 * 6, &seed);
        double *wanted =
            on_device(device_under_test(state), &config, 5, 1, h, 5 * 6, g, 5 * 6, &bad);
        assert_int_equal(bad, 0);
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            float scaled[2][60];
            for (int n = 0; n < 60; n++) {
                scaled[0][n] = ldexpf(h[n], scales[s]);
                scaled[1][n] = ldexpf(g[n], scales[s]);
            }
            config.noise = ldexp(0.125, 2 * scales[s]);
            double *got = on_device(device_under_test(state), &config, 5, 1, scaled[0], 5 * 6,
                                    scaled[1], 5 * 6, &bad);
            assert_int_equal(bad, 0);
            expect_near(got, wanted, 10, &config);
            free(got);
        }
        free(wanted);
        free(h);
        free(g);
    }
}

/* |H|^2 and N0 are within fp32, |H|^2 / N0 is not: not a number with MMSE, and counted. */
static void ratios_that_fp32_does_not_hold_are_counted(void **state)
{
    uint64_t seed = 12;
    for (int method = 0; method < 2; method++) {
        clradio_sinr_config config = CLRADIO_SINR_CONFIG_INIT;
        uint32_t bad;
        config.method = (clradio_sinr_method)method;
        config.receive = 2;
        config.noise = 1e-10;
        float *h = random_array(CLRADIO_CF32, 3 * 2, &seed);
        for (int n = 4; n < 8; n++) /* of the second problem */
            h[n] = ldexpf(h[n] < 0 ? -1.5F : 1.5F, 60);
        double *got = on_device(device_under_test(state), &config, 3, 1, h, 3 * 2, NULL, 0, &bad);
        assert_int_equal(bad, 1);
        for (int n = 0; n < 3; n++)
            assert_true(n == 1 ? isnan(got[n]) : isfinite(got[n]) && got[n] > 0);
        free(got);
        free(h);
    }
}

static void wrong_configurations_and_calls_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_sinr_config config = CLRADIO_SINR_CONFIG_INIT;
    clradio_sinr_io io = CLRADIO_SINR_IO_INIT;
    clradio_sinr *plan;
    clradio_queue *queue;
    config.noise = 0;
    assert_int_equal(clradio_sinr_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "config.noise is 0"));
    config.noise = 1e-40; /* no float but a denormal one */
    assert_int_equal(clradio_sinr_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "cf32 takes 1e-30 to 1e+36"));
    config.noise = 1;
    config.receive = 17;
    assert_int_equal(clradio_sinr_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    config.receive = 2;
    assert_ok(clradio_sinr_create(device, &config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_sinr_enqueue(plan, queue, &io, 0, NULL, NULL)); /* no problem at all */
    io.outer = io.inner = 1;
    assert_int_equal(clradio_sinr_enqueue(plan, queue, &io, 0, NULL, NULL), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "io.serving has no buffer"));
    assert_ok(clradio_buffer_create(device, 16, &io.serving.buffer));
    io.sinr = io.serving;
    assert_int_equal(clradio_sinr_enqueue(plan, queue, &io, 0, NULL, NULL), CLRADIO_ERROR_ARGUMENT);
    clradio_buffer_destroy(io.serving.buffer);
    clradio_queue_destroy(queue);
    clradio_sinr_destroy(plan);
}

/* Host arrays, larger than a call takes: each problem as a device call has it, bit for bit, with
 * the channel DFT's strides; one that is not finite is counted and spoils no other; bad calls are
 * refused. */
static void host_arrays_of_any_size_give_the_same_bits(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint64_t outer = test_small() ? 20 : 7000, inner = 50, rx = 2, streams = 4, others = 6;
    uint64_t seed = 77;
    uint32_t bad = 9, bad_of_call;
    clradio_sinr *plan;
    clradio_sinr_host_io io = CLRADIO_SINR_HOST_IO_INIT;
    clradio_sinr_config config = CLRADIO_SINR_CONFIG_INIT;
    config.receive = (uint32_t)rx;
    config.streams = (uint32_t)streams;
    config.interferers = (uint32_t)others;
    config.noise = 0.1;
    config.serving = (clradio_sinr_strides){ rx * streams * inner, 1, inner, rx * inner };
    config.interfering = (clradio_sinr_strides){ rx * others * inner, 1, inner, rx * inner };
    const uint64_t h_count = outer * inner * rx * streams, g_count = outer * inner * rx * others;
    float *h = random_array(CLRADIO_CF32, h_count, &seed);
    float *g = random_array(CLRADIO_CF32, g_count, &seed);
    h[2 * (17 * rx * streams * inner + 3)] = NAN;
    float *got = malloc(outer * inner * streams * sizeof *got);
    assert_non_null(got);
    memset(got, 0xa5, outer * inner * streams * sizeof *got);
    assert_ok(clradio_sinr_create(device, &config, &plan));
    io.outer = outer;
    io.inner = inner;
    io.serving = h;
    io.interfering = g;
    io.sinr = got;
    io.bad = &bad;
    assert_ok(clradio_sinr_run(plan, &io));
    assert_int_equal(bad, 1);
    double *wanted = on_device(device, &config, outer, inner, h, h_count, g, g_count, &bad_of_call);
    assert_int_equal(bad_of_call, 1);
    for (uint64_t n = 0; n < outer * inner * streams; n++) {
        const int spoilt = n / streams == 17 * inner + 3;
        if (spoilt ? !isnan(got[n]) : (double)got[n] != wanted[n])
            fail_msg("value %llu: %g, from a call %g", (unsigned long long)n, (double)got[n],
                     wanted[n]);
    }
    io.outer = 0;
    assert_ok(clradio_sinr_run(plan, &io));
    assert_int_equal(bad, 0);
    io.outer = 1;
    io.interfering = NULL;
    assert_int_equal(clradio_sinr_run(plan, &io), CLRADIO_ERROR_ARGUMENT);
    io.struct_size = 1;
    assert_int_equal(clradio_sinr_run(plan, &io), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_sinr_run(plan, NULL), CLRADIO_ERROR_ARGUMENT);
    clradio_sinr_destroy(plan);
    free(wanted);
    free(got);
    free(g);
    free(h);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(random_problems_agree_with_the_reference),
        DEVICE_TEST(one_stream_in_white_noise_has_its_power_over_the_noise),
        DEVICE_TEST(what_is_not_finite_is_counted_and_stays_where_it_is),
        DEVICE_TEST(responses_and_noise_scaled_alike_have_the_same_ratios),
        DEVICE_TEST(ratios_that_fp32_does_not_hold_are_counted),
        DEVICE_TEST(wrong_configurations_and_calls_are_refused),
        DEVICE_TEST(host_arrays_of_any_size_give_the_same_bits),
    };
    return run_device_tests("sinr", NULL, 0, tests, sizeof tests / sizeof *tests);
}
