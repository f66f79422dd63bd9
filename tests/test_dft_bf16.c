/* Channel DFT, variant bf16x6: against the plain reference within its bound, by the
 * matrix units where they are, and emulated on every device. */
#include "dft_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_units(clradio_device *device)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    return info.matrix_unit == 1 && !strncmp(info.architecture, "sm_", 3) &&
           strtol(info.architecture + 3, NULL, 10) >= 80; /* bf16 */
}

/* Tiles of as many paths as a product has units, of more, of fewer, of one; what is left over
 * behind the last whole block by itself. */
static const char *const shapes[] = {
    "",
    "HALF=16 WARPS=2 BLOCKS=3 PATHS=5 KEEP=1",
    "HALF=48 WARPS=1",
    "HALF=8 WARPS=1 BLOCKS=64",
    "HALF=24 WARPS=3 BLOCKS=5 PATHS=13 KEEP=1",
    "WARPS=4 BLOCKS=9 PATHS=2",
    "HALF=8 WARPS=1 BLOCKS=4 OWN_MIDDLES=1",
    "HALF=8 WARPS=1 BLOCKS=4 REMAINDER=1",
    "HALF=16 WARPS=2 BLOCKS=3 PATHS=5 REMAINDER=1",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void expect(clradio_device *device, dft_problem *p, uint64_t seed, int emulated,
                   uint64_t bad_paths)
{
    static const char *const of_one[] = { "", "HALF=8 WARPS=2", "OWN_MIDDLES=1 WARPS=2",
                                          "HALF=24 OWN_MIDDLES=1 BLOCKS=64" };
    char parameters[96], path[96];
    const int of_path = p->config.delays == CLRADIO_PER_PATH;
    snprintf(parameters, sizeof parameters, "EMULATED=%d %s", emulated, shapes[seed % SHAPES]);
    snprintf(path, sizeof path, "EMULATED=%d %s", emulated, of_one[seed % 4]);
    p->config.variant = "bf16x6";
    p->config.parameters = of_path ? path : parameters;
    dft_expect_reference(device, p);
    assert_int_equal(p->bad_paths, bad_paths);
    dft_free(p);
}

/* Every number of taps, and of values around a block and beyond one work-group; orders, origins,
 * carriers, means, normalisations, delays of every kind. */
static void responses_are_within_the_bound(void **state)
{
    static const uint64_t taps[] = { 4, 5, 8, 9, 16, 23, 24, 31, 32, 40 };
    static const uint32_t values[] = { 1, 7, 33, 64, 65, 130, 300, 1300 };
    clradio_device *device = device_under_test(state);
    const size_t count = test_small() ? 2 : 27;
    for (int emulated = !has_units(device); emulated < 2; emulated++)
        for (uint64_t n = 0; n < count; n++) {
            const uint32_t average = n % 5 == 4 ? 3 : 1;
            dft_problem p = { .config = dft_config(CLRADIO_CF32,
                                                   values[test_small() ? n : n % 8] * average) };
            p.config.average = average;
            p.config.order = (clradio_dft_order)(n / 2 % 2);
            p.config.origin = n % 3 ? CLRADIO_ORIGIN_CENTRE : CLRADIO_ORIGIN_ZERO;
            p.config.normalisation = (clradio_normalisation)(n % 3);
            p.config.carrier_hz = n % 4 ? 3.5e9 : 0;
            p.config.absent_negative = (int)(n / 3 % 2);
            p.config.delay = (clradio_delay)(n % 4 == 3 ? 0 : n % 4);
            p.config.delays = CLRADIO_PER_LINK;
            uint64_t seed = n + 1;
            if (n % 2)
                dft_ragged(&p, &seed, 2, 3, 19, taps[n % 10]);
            else
                dft_uniform(&p, 1, 2, n % 13 + 1, taps[n % 10]);
            dft_fill(&p, 1 + n % 2, n);
            expect(device, &p, n, emulated, 0);
        }
}

/* One value and two behind whole blocks, or with none before them, in either order of the array,
 * of rows that lie at multiples of 16 bytes and others; by the last two shapes. */
static void what_is_left_over_is_within_the_bound(void **state)
{
    static const uint32_t values[] = { 50, 1, 17, 2, 34, 129, 66, 130 };
    clradio_device *device = device_under_test(state);
    for (int emulated = !has_units(device); emulated < 2; emulated++)
        for (uint64_t n = 0; n < (test_small() ? 1 : 16); n++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, values[n % 8]) };
            uint64_t seed = n + 1;
            p.config.delays = CLRADIO_PER_LINK;
            p.config.order = (clradio_dft_order)(n / 8);
            p.config.absent_negative = (int)(n / 2 % 2);
            if (n % 3)
                dft_ragged(&p, &seed, 2, 3, 11, 24);
            else
                dft_uniform(&p, 1, 3, 8, n % 2 ? 23 : 24);
            dft_fill(&p, 1 + n % 2, n);
            if (n == 0) /* of no path but one */
                ((float *)p.gains)[7] = NAN;
            expect(device, &p, n % 5 == 4 ? 8 : 7, emulated, n == 0);
        }
}

/* A tile is one path, units are its blocks. */
static void delays_of_a_path_are_within_the_bound(void **state)
{
    static const uint32_t values[] = { 1, 33, 64, 130, 300, 1300 };
    clradio_device *device = device_under_test(state);
    for (int emulated = !has_units(device); emulated < 2; emulated++)
        for (uint64_t n = 0; n < (test_small() ? 1 : 12); n++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, values[n % 6]) };
            uint64_t seed = n + 1;
            p.config.delays = CLRADIO_PER_PATH;
            p.config.order = (clradio_dft_order)(n / 6);
            p.config.carrier_hz = n % 2 ? 3.5e9 : 0;
            if (n % 2)
                dft_ragged(&p, &seed, 2, 3, 5, 24);
            else
                dft_uniform(&p, 1, 3, 4, 9 + n);
            dft_fill(&p, 1 + n % 2, n);
            expect(device, &p, n, emulated, 0);
        }
}

/* All taps alike: every sum that is cut off is cut off the same way. */
static void taps_that_are_alike_stay_within_the_bound(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int emulated = !has_units(device); emulated < 2; emulated++)
        for (uint64_t n = 0; n < (test_small() ? 1 : 12); n++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, 100) };
            p.config.delays = CLRADIO_PER_LINK;
            dft_uniform(&p, 1, 4, 8, n % 2 ? 32 : 24);
            dft_fill(&p, 1, n);
            for (uint64_t i = 0; i < 2 * p.counts.gains; i++)
                ((float *)p.gains)[i] = (float)(i % 2 ? -0.3 - 0.07 * (double)n : 0.7);
            for (uint64_t i = 0; i < p.counts.taps; i++)
                ((double *)p.delays)[i] = 1e-7 * (double)(n + 1);
            expect(device, &p, n, emulated, 0);
        }
}

/* Gains near both ends of what a float can hold, and links of silence, beside usual ones. */
static void gains_of_any_size_keep_their_precision(void **state)
{
    static const float sizes[] = { 1, 1e-30f, 1e33f, 0, 1e-20f, 3e36f };
    clradio_device *device = device_under_test(state);
    for (int emulated = !has_units(device); emulated < 2; emulated++)
        for (uint64_t n = 0; n < 3; n++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, 90) };
            p.config.delays = CLRADIO_PER_LINK;
            dft_uniform(&p, 1, 3, 7, 9 + n);
            dft_fill(&p, 1, n);
            for (uint64_t i = 0; i < 2 * p.counts.gains; i++)
                ((float *)p.gains)[i] *= sizes[i / (2 * (9 + n)) % 6];
            expect(device, &p, n, emulated, 0);
        }
}

static void what_is_not_finite_stays_where_it_is(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int emulated = !has_units(device); emulated < 2; emulated++)
        for (uint64_t n = 0; n < 3; n++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, 90) };
            p.config.delays = CLRADIO_PER_LINK;
            dft_uniform(&p, 1, 3, 9, 17);
            dft_fill(&p, 1, n);
            ((float *)p.gains)[2 * (17 * 4 + 3) + 1] = n == 1 ? INFINITY : NAN;
            if (n == 2)
                ((double *)p.delays)[17 + 5] = NAN; /* all paths of the second link */
            expect(device, &p, n, emulated, n == 2 ? 10 : 1);
        }
}

/* The variant that is chosen for a configuration. */
static void chosen(clradio_device *device, const clradio_dft_config *config, char *variant,
                   size_t room)
{
    clradio_dft *plan;
    clradio_dft_info info = CLRADIO_DFT_INFO_INIT;
    assert_ok(clradio_dft_create(device, config, &plan));
    assert_ok(clradio_dft_get_info(plan, &info));
    clradio_dft_destroy(plan);
    snprintf(variant, room, "%s", info.variant);
}

/* For what it was found to be the faster one, which depends on the back end; what it has not is
 * another's, and names are names. */
static void devices_with_units_take_it(void **state)
{
    static const struct {
        uint32_t values;
        clradio_per delays;
        int cuda, opencl;
        const char *otherwise;
    } cases[] = {
        { 8, CLRADIO_PER_LINK, 1, 0, "gemm" },
        { 49, CLRADIO_PER_LINK, 1, 0, "gemm" },
        { 50, CLRADIO_PER_LINK, 1, 1, "gemm" },
        { 50, CLRADIO_PER_PATH, 0, 0, "recurrence" },
        { 599, CLRADIO_PER_PATH, 0, 0, "recurrence" },
        { 600, CLRADIO_PER_PATH, 1, 1, "recurrence" },
    };
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    char variant[32];
    assert_ok(clradio_device_describe(device, &info));
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        clradio_dft_config config = dft_config(CLRADIO_CF32, cases[n].values);
        const int taken =
            has_units(device) && (strcmp(info.back_end, "cuda") ? cases[n].opencl : cases[n].cuda);
        config.delays = cases[n].delays;
        config.taps = 24;
        chosen(device, &config, variant, sizeof variant);
        assert_string_equal(variant, taken ? "bf16x6" : cases[n].otherwise);
        config.rates = CLRADIO_PER_LINK;
        config.time_step_s = 1e-3;
        chosen(device, &config, variant, sizeof variant);
        assert_string_equal(variant, cases[n].otherwise);
        config.rates = CLRADIO_PER_NONE;
        config.variant = cases[n].otherwise;
        chosen(device, &config, variant, sizeof variant);
        assert_string_equal(variant, cases[n].otherwise);
        config.variant = "bf16x6";
        config.parameters = "EMULATED=1";
        chosen(device, &config, variant, sizeof variant);
        assert_string_equal(variant, "bf16x6");
    }
}

static void what_it_cannot_is_said(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_dft *plan;
    clradio_dft_config config = dft_config(CLRADIO_CF32, 50);
    config.variant = "bf16x6";
    if (!has_units(device)) {
        assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
        assert_non_null(strstr(clradio_last_error(), "NVIDIA's matrix units"));
    }
    config.parameters = "EMULATED=1 HALF=20";
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "multiples of 8"));
    config.delays = CLRADIO_PER_PATH;
    config.parameters = "EMULATED=1 PATHS=2";
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "paths of a link share"));
    config.type = CLRADIO_CF64;
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "takes cf32"));
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(responses_are_within_the_bound),
        DEVICE_TEST(what_is_left_over_is_within_the_bound),
        DEVICE_TEST(delays_of_a_path_are_within_the_bound),
        DEVICE_TEST(taps_that_are_alike_stay_within_the_bound),
        DEVICE_TEST(gains_of_any_size_keep_their_precision),
        DEVICE_TEST(what_is_not_finite_stays_where_it_is),
        DEVICE_TEST(devices_with_units_take_it),
        DEVICE_TEST(what_it_cannot_is_said),
    };
    return run_device_tests("dft_bf16", NULL, 0, tests, sizeof tests / sizeof *tests);
}
