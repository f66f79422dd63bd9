/*
 * X-engine: the variant mma against the plain reference. Where the device has no matrix units that
 * it takes, its tiles, places and copies are tested with plain C in the instructions' place
 * (EMULATED=1); where it has, both ways are.
 */
#include "xengine_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small tiles, so that few stations make several; two stages, so that they are used in turn. ci8
 * has one polarisation and ci4 two wherever that does not matter: a simulator builds slowly. */
static const char small_tiles[] =
    "WARPS_Y=1 WARPS_X=1 FRAGMENTS_Y=2 FRAGMENTS_X=2 T_STAGE=32 STAGES=2 REGISTERS=0";
static const char other_tiles[] =
    "WARPS_Y=1 WARPS_X=2 FRAGMENTS_Y=2 FRAGMENTS_X=4 T_STAGE=64 STAGES=3 REGISTERS=0";

/* Of floats: the default RUN, in little local memory; sums of few terms. */
static const char wide_tiles[] =
    "WARPS_Y=1 WARPS_X=2 FRAGMENTS_Y=2 FRAGMENTS_X=4 T_STAGE=32 STAGES=2 REGISTERS=0";
static const char float_tiles[] =
    "WARPS_Y=1 WARPS_X=1 FRAGMENTS_Y=2 FRAGMENTS_X=2 T_STAGE=32 STAGES=2 REGISTERS=0 RUN=64";
static const char emulated_float_tiles[] =
    "WARPS_Y=1 WARPS_X=1 FRAGMENTS_Y=2 FRAGMENTS_X=2 T_STAGE=32 STAGES=2 REGISTERS=0 RUN=64 "
    "EMULATED=1";

static int has_instructions(clradio_device *device)
{
    return xengine_serves(device, "mma", CLRADIO_CI8);
}

/* With the instructions and without them, as the device has them. */
static void expect(clradio_device *device, clradio_xengine_config config, const char *shape,
                   uint64_t seed)
{
    char parameters[256];
    if (config.layout == CLRADIO_LAYOUT_BLOCKED)
        config.block_times = clr_xengine_usual_block_times(config.input);
    snprintf(parameters, sizeof parameters, "%s EMULATED=1", shape);
    config.variant = config.input == CLRADIO_CF32 ? "tf32x3" : "mma";
    config.parameters = parameters;
    xengine_expect_reference(device, &config, seed);
    config.parameters = shape;
    if (has_instructions(device))
        xengine_expect_reference(device, &config, seed);
}

/* Tiles of 16 inputs: 1 to 65 stations end everywhere in them, in one call that writes the
 * visibilities itself and through wide sums. */
static void every_number_of_stations_up_to_65_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint32_t most = test_small() ? 9 : 65;
    for (uint32_t stations = 1; stations <= most; stations++) {
        clradio_xengine_config config = xengine_config(stations % 2 ? CLRADIO_CI8 : CLRADIO_CI4,
                                                       stations, stations % 2 ? 1 : 2, 2, 35);
        config.layout = (clradio_layout)(stations % 3);
        config.ci4_coding = config.input == CLRADIO_CI4 ? stations / 2 % 4 : 0;
        config.flags = stations / 3 % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
        expect(device, config, small_tiles, stations);
    }
}

/* The last stage may be whole, empty but for one spectrum, or all but one; so may the last block.
 */
static void every_number_of_spectra_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t counts[] = { 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 97, 128, 200 };
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (int layout = 0; layout < 3; layout++)
            for (unsigned coding = 0; coding < (n % 2 ? 1 : 4); coding++) {
                clradio_xengine_config config = xengine_config(n % 2 ? CLRADIO_CI8 : CLRADIO_CI4, 9,
                                                               n % 2 ? 1 : 2, 1, counts[n]);
                config.layout = (clradio_layout)layout;
                config.ci4_coding = n % 2 ? 0 : coding;
                config.flags = CLRADIO_XENGINE_SINGLE_CALL;
                expect(device, config, n == 13 ? other_tiles : small_tiles, n);
            }
}

/* Floats. Products of halves are exact, those of cf32 by three of tf32 within a bound of their own
 * (the check knows it); sums hold at most RUN terms and then move on. Rows of a multiple of 16
 * bytes are read as they lie, other layouts in blocks; written at once or through wide sums, and
 * with the default RUN. */
static void floats_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t counts[] = { 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 65, 97, 128, 200 };
    const uint32_t most = test_small() ? 9 : 65;
    for (uint32_t stations = 1; stations <= most; stations += stations > 40 ? 3 : 1) {
        clradio_xengine_config config =
            xengine_config(stations / 3 % 4 < 2 ? CLRADIO_CF16 : CLRADIO_CF32, stations, 2, 2,
                           counts[stations % 14]);
        config.layout = (clradio_layout)(stations % 3);
        config.order = stations % 12 ? CLRADIO_ORDER_BASELINE : CLRADIO_ORDER_FULL;
        config.flags = stations / 3 % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
        xengine_input_offset = stations % 2 * 3;
        expect(device, config, float_tiles, stations);
    }
    xengine_input_offset = 3;
    for (size_t n = 0; n < 14; n++) {
        clradio_xengine_config config = xengine_config(CLRADIO_CF16, 19, 1, 1, counts[n]);
        config.layout = CLRADIO_LAYOUT_BLOCKED;
        config.flags = n % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
        expect(device, config, wide_tiles, n);
    }
}

/* One product, and a not-a-number: what is left out of x y is at most 2^-21 of it in a part, and
 * the bits that stand for nothing are not lost on the way. */
static void three_products_of_tf32_are_as_close_as_said(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CF32, 17, 2, 1, 1);
    clradio_xengine *plan;
    config.variant = "tf32x3";
    config.parameters = emulated_float_tiles;
    config.order = CLRADIO_ORDER_FULL; /* a matrix of inputs */
    float *spectra = xengine_random(&config, 1, 5);
    const uint32_t all_ones = 0x7fffffff;
    memcpy(&spectra[2 * 32], &all_ones, sizeof all_ones);
    assert_ok(clradio_xengine_create(device, &config, &plan));
    float *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL),
          *at = sums;
    double worst = 0;
    for (int i = 0; i < 34; i++)
        for (int j = 0; j < 34; j++, at += 2) {
            const double a = spectra[2 * i], b = spectra[2 * i + 1];
            const double c = spectra[2 * j], d = spectra[2 * j + 1];
            if (i == 32 || j == 32) {
                assert_true(isnan(at[0]) && isnan(at[1]));
                continue;
            }
            const double power = hypot(a, b) * hypot(c, d);
            worst = fmax(worst, hypot(at[0] - (a * c + b * d), at[1] - (b * c - a * d)) / power);
        }
    assert_true(worst < 0x1p-21 * 1.4143 + 2e-7);
    assert_true(worst > 1.5e-7); /* what fp32 would not leave out */
    free(sums);
    free(spectra);
    clradio_xengine_destroy(plan);
}

static void expect_halves(clradio_device *device, uint64_t count, float re, float im,
                          uint16_t bits_re, uint16_t bits_im)
{
    clradio_xengine_config config = xengine_config(CLRADIO_CF16, 2, 2, 1, count);
    clradio_xengine *plan;
    config.variant = "mma";
    config.parameters = emulated_float_tiles;
    uint16_t *spectra = xengine_zeros(&config, count);
    for (uint64_t n = 0; n < 4 * count; n++) {
        spectra[2 * n] = bits_re;
        spectra[2 * n + 1] = bits_im;
    }
    assert_ok(clradio_xengine_create(device, &config, &plan));
    float *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
    for (int v = 0; v < 12; v++) {
        assert_true(sums[2 * v] == (float)count * (re * re + im * im));
        assert_true(sums[2 * v + 1] == 0.0f);
    }
    free(sums);
    free(spectra);
    clradio_xengine_destroy(plan);
}

/* 16,384 times 32^2 + 1 passes 2^24, where a float loses ones: exact because 1,024 terms at a time
 * move on. The smallest halves and the largest. */
static void the_ends_of_halves_are_exact(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint64_t many = test_small() ? 1100 : 16384;
    expect_halves(device, many, 32.0f, 1.0f, 0x5000, 0x3c00);
    expect_halves(device, 40, 0x1p-24f, 0x1p-24f, 0x0001, 0x8001);
    expect_halves(device, 4, 65504.0f, 0.0f, 0x7bff, 0x8000);
}

/* Written by the variant itself, without sums and a second kernel. */
static void every_order_and_output_is_right(void **state)
{
    static const clradio_type outputs[] = { CLRADIO_CI32, CLRADIO_CI64, CLRADIO_CF32,
                                            CLRADIO_CF64 };
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    for (int order = 0; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE; order++)
        for (unsigned n = 0; n < (test_small() ? 2 : 8); n++) {
            clradio_xengine_config config =
                xengine_config(n % 2 ? CLRADIO_CI4 : CLRADIO_CI8, 13 + n % 3, 1 + n % 2, 2, 40);
            config.order = (clradio_order)order;
            config.output = outputs[n % 4];
            config.conjugate = n / 4;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            if (config.output == CLRADIO_CF64 && !info.fp64)
                config.output = CLRADIO_CF32;
            expect(device, config, small_tiles, n);
        }
}

/* All of them -128 - 128i, or -8 - 8i: no operand is negated on the way. */
static void the_most_negative_input_is_exact(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int is_ci4 = 0; is_ci4 < 2; is_ci4++)
        for (int emulated = 0; emulated < 2; emulated++) {
            clradio_xengine_config config =
                xengine_config(is_ci4 ? CLRADIO_CI4 : CLRADIO_CI8, 20, 2, 1, 100);
            clradio_xengine *plan;
            config.variant = "mma";
            config.parameters =
                emulated ? "WARPS_Y=1 WARPS_X=1 FRAGMENTS_Y=2 FRAGMENTS_X=2 T_STAGE=32 STAGES=2 "
                           "REGISTERS=0 EMULATED=1"
                         : NULL;
            if (!emulated && !has_instructions(device))
                continue;
            config.output = CLRADIO_CI32;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            uint64_t bytes;
            bytes = clradio_xengine_spectra_bytes(&config, config.spectra);
            unsigned char *spectra = malloc(bytes);
            assert_non_null(spectra);
            memset(spectra, is_ci4 ? 0x88 : 0x80, bytes);
            assert_ok(clradio_xengine_create(device, &config, &plan));
            int32_t *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
            /* 2 q^2 a spectrum, and no imaginary part */
            const int32_t expected = 100 * 2 * (is_ci4 ? 8 * 8 : 128 * 128);
            for (size_t v = 0; v < (size_t)210 * 4; v++) {
                assert_int_equal(sums[2 * v], expected);
                assert_int_equal(sums[2 * v + 1], 0);
            }
            free(sums);
            free(spectra);
            clradio_xengine_destroy(plan);
        }
}

/* Units of 16 bytes begin anywhere: the array starts at an odd sample, its rows are odd. */
static void arrays_at_any_offset_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    const int real = has_instructions(device);
    for (uint32_t stations = 7; stations < 10; stations++)
        for (uint64_t shift = 0; shift < 20; shift += stations == 8 ? 1 : 7) {
            clradio_xengine_config config = xengine_config(CLRADIO_CI8, stations, 1, 1, 50);
            clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
            clradio_xengine *plan;
            clradio_queue *queue;
            clradio_buffer *in, *out;
            config.variant = "mma";
            config.parameters = real ? small_tiles
                                     : "WARPS_Y=1 WARPS_X=1 FRAGMENTS_Y=2 FRAGMENTS_X=2 "
                                       "T_STAGE=32 STAGES=2 REGISTERS=0 EMULATED=1";
            config.output = CLRADIO_CI32;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            const uint64_t bytes = clradio_xengine_spectra_bytes(&config, 50);
            const uint64_t result = clradio_xengine_visibilities_bytes(&config);
            void *spectra = xengine_random(&config, 50, shift), *sums = malloc(result);
            assert_non_null(sums);
            assert_ok(clradio_xengine_create(device, &config, &plan));
            assert_ok(clradio_queue_create(device, 0, &queue));
            assert_ok(clradio_buffer_create(device, bytes + 64, &in));
            assert_ok(clradio_buffer_create(device, result, &out));
            io.spectra = (clradio_span){ in, 2 * shift };
            io.visibilities = (clradio_span){ out, 0 };
            io.spectra_count = 50;
            assert_ok(clradio_buffer_write(queue, io.spectra, spectra, bytes, 0, NULL, NULL));
            assert_ok(clradio_xengine_enqueue(plan, queue, &io, 0, NULL, NULL));
            assert_ok(clradio_queue_finish(queue));
            assert_ok(clradio_buffer_read(queue, io.visibilities, sums, result, 0, NULL, NULL));
            xengine_compare(&config, spectra, 50, sums, 0);
            clradio_buffer_destroy(in);
            clradio_buffer_destroy(out);
            clradio_queue_destroy(queue);
            clradio_xengine_destroy(plan);
            free(spectra);
            free(sums);
        }
}

static void expect_refused(clradio_device *device, clradio_type input, const char *parameters,
                           clradio_status status, const char *words)
{
    xengine_expect_refused(device, "mma", input, parameters, status, words);
}

static void what_it_cannot_do_is_said(void **state)
{
    clradio_device *device = device_under_test(state);
    expect_refused(device, CLRADIO_CI16, "EMULATED=1", CLRADIO_ERROR_UNSUPPORTED,
                   "takes ci8, ci4 and cf16");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 T_STAGE=40", CLRADIO_ERROR_ARGUMENT,
                   "multiple of 32");
    expect_refused(device, CLRADIO_CF16, "EMULATED=1 RUN=100", CLRADIO_ERROR_ARGUMENT,
                   "RUN=100 is not a multiple");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 RUN=128", CLRADIO_ERROR_ARGUMENT,
                   "not 0 for integers");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 FRAGMENTS_Y=5 FRAGMENTS_X=5",
                   CLRADIO_ERROR_ARGUMENT, "pairs of fragments");
    expect_refused(device, CLRADIO_CI4, "EMULATED=1 FRAGMENTS_Y=3", CLRADIO_ERROR_ARGUMENT,
                   "must be even");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 T_STAGE=512 STAGES=8 WARPS_X=8 FRAGMENTS_Y=4",
                   CLRADIO_ERROR_ARGUMENT, "local memory");
    if (!has_instructions(device))
        expect_refused(device, CLRADIO_CI8, NULL, CLRADIO_ERROR_UNSUPPORTED, "matrix units");
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_number_of_stations_up_to_65_is_right),
        DEVICE_TEST(every_number_of_spectra_is_right),
        DEVICE_TEST(floats_are_right),
        DEVICE_TEST(three_products_of_tf32_are_as_close_as_said),
        DEVICE_TEST(the_ends_of_halves_are_exact),
        DEVICE_TEST(every_order_and_output_is_right),
        DEVICE_TEST(the_most_negative_input_is_exact),
        DEVICE_TEST(arrays_at_any_offset_are_right),
        DEVICE_TEST(what_it_cannot_do_is_said),
    };
    return run_device_tests("xengine_mma", NULL, 0, tests, sizeof tests / sizeof *tests);
}
