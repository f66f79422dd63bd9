/* Channel DFT: every variant, size, type and option against the plain reference. */
#include "dft_support.h"

#include "device/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = { "direct", "gemm", "recurrence" };
/* The form for graphics processors whatever the device, and the chosen one. */
static const char *const shape = "TAPS=8 HALF=8 TEAMS=4 BLOCKS=2 UNITS=8 ITEM=0";

enum { VARIANTS = sizeof variants / sizeof *variants };

static void every_number_of_subcarriers_up_to_70_is_right(void **state)
{
    const uint32_t most = test_small() ? 6 : 70;
    for (size_t v = 0; v < VARIANTS; v++)
        for (uint32_t m = 1; m <= most; m++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, m) };
            p.config.variant = variants[v];
            p.config.parameters = v ? shape : NULL;
            dft_uniform(&p, 1, 2, 3, 7);
            dft_fill(&p, 1, m);
            dft_expect_reference(device_under_test(state), &p);
            dft_free(&p);
        }
}

static void every_number_of_taps_is_right(void **state)
{
    static const uint64_t taps[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 23, 24, 25, 31, 33, 64, 65, 300 };
    const size_t count = test_small() ? 6 : sizeof taps / sizeof *taps;
    for (size_t v = 0; v < VARIANTS; v++)
        for (size_t n = 0; n < count; n++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, test_small() ? 9 : 75) };
            p.config.variant = variants[v];
            p.config.parameters = v ? shape : NULL;
            dft_uniform(&p, 1, 1, 5, taps[n]);
            dft_fill(&p, 1, n);
            dft_expect_reference(device_under_test(state), &p);
            dft_free(&p);
        }
}

static clradio_dft_config random_config(uint64_t *seed, int fp64, double **frequencies)
{
    clradio_dft_config config =
        dft_config(fp64 && test_random(seed) % 4 == 0 ? CLRADIO_CF64 : CLRADIO_CF32,
                   (uint32_t)test_random_between(seed, 1, test_small() ? 20 : 200));
    config.delay = (clradio_delay)(test_random(seed) % 3);
    config.delays = test_random(seed) % 2 ? CLRADIO_PER_LINK : CLRADIO_PER_PATH;
    config.rates = test_random(seed) % 3   ? CLRADIO_PER_NONE
                   : test_random(seed) % 2 ? CLRADIO_PER_LINK
                                           : CLRADIO_PER_PATH;
    config.absent_negative = (int)(test_random(seed) % 2);
    config.origin = (clradio_origin)(test_random(seed) % 3);
    config.spacing_hz = test_random(seed) % 2 ? 30e3 : 14999.7;
    if (config.origin == CLRADIO_ORIGIN_FIRST)
        config.first_hz = -3.1234567e6;
    config.carrier_hz = test_random(seed) % 2 ? 0 : 3.5e9;
    if (test_random(seed) % 4 == 0) {
        config.average = (uint32_t)test_random_between(seed, 1, 13);
        config.subcarriers *= config.average;
    }
    config.order = (clradio_dft_order)(test_random(seed) % 2);
    config.normalisation = (clradio_normalisation)(test_random(seed) % 3);
    const size_t v = test_random(seed) % (VARIANTS + 1);
    config.variant = v < VARIANTS ? variants[v] : NULL;
    const int shared =
        config.delay == CLRADIO_DELAY_CONSECUTIVE || config.delays == CLRADIO_PER_LINK;
    if (v == 1 && !(shared && config.rates != CLRADIO_PER_PATH))
        config.variant = "recurrence";
    if ((v == 1 || v == 2) && config.type == CLRADIO_CF32 && test_random(seed) % 2)
        config.parameters = shape;
    *frequencies = NULL;
    if ((v == 0 || v == VARIANTS) && config.average == 1 && test_random(seed) % 3 == 0) {
        *frequencies = malloc(config.subcarriers * sizeof **frequencies);
        for (uint32_t k = 0; k < config.subcarriers; k++)
            (*frequencies)[k] = (double)(int64_t)test_random(seed) * 0x1p-63 * 20e6;
        config.frequencies_hz = *frequencies;
    }
    return config;
}

static void random_problems_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    const int count = test_small() ? 4 : test_long() ? 3000 : 40;
    for (int n = 0; n < count; n++) {
        uint64_t seed = 20261130u + (uint64_t)n;
        dft_problem p = { .counts = { 0 } };
        p.config = random_config(&seed, dft_has_fp64(device), &p.frequencies);
        if (test_random(&seed) % 3)
            dft_ragged(&p, &seed, (uint64_t)test_random_between(&seed, 0, 4), 4,
                       test_small() ? 3 : 9, test_small() ? 5 : 40);
        else
            dft_uniform(&p, (uint64_t)test_random_between(&seed, 0, 3),
                        (uint64_t)test_random_between(&seed, 0, 3),
                        (uint64_t)test_random_between(&seed, 0, test_small() ? 3 : 20),
                        (uint64_t)test_random_between(&seed, 0, test_small() ? 5 : 30));
        dft_fill(&p, (uint64_t)test_random_between(&seed, 1, 3), seed);
        dft_expect_reference(device, &p);
        dft_free(&p);
    }
}

/* A path whose gain, delay or rate is not finite is zero and counted; its neighbours are right. */
static void what_is_not_finite_is_reported_and_not_spread(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t v = 0; v < VARIANTS; v++)
        for (int kind = 0; kind < 4; kind++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, 33) };
            uint64_t expected = 0;
            p.config.variant = variants[v];
            p.config.parameters = v ? shape : NULL;
            p.config.rates = kind == 3 ? CLRADIO_PER_LINK : CLRADIO_PER_NONE;
            p.config.absent_negative = 1;
            dft_uniform(&p, 1, 3, 4, 13);
            dft_fill(&p, 2, 7);
            if (kind == 0) /* link 0, path 1, tap 2; link 2, path 3, tap 12 at the second time */
                ((float *)p.gains)[2 * (13 + 2)] = NAN, expected++;
            if (kind == 1)
                ((float *)p.gains)[2 * (156 + 2 * 52 + 3 * 13 + 12) + 1] = -INFINITY, expected++;
            if (kind == 2) /* a delay of link 1: all of its paths */
                ((double *)p.delays)[13 + 9] = INFINITY, expected += 4;
            if (kind == 3)
                p.rates[13 + 9] = NAN, ((double *)p.delays)[13 + 9] = 1e-6, expected += 4;
            ((double *)p.delays)[2] = 1e-6; /* not absent */
            ((double *)p.delays)[26 + 12] = 1e-6;
            dft_expect_reference(device, &p);
            uint64_t marked = 0;
            for (uint64_t n = 0; n < p.counts.paths; n++)
                marked += p.status[n];
            assert_int_equal(p.bad_paths, expected);
            assert_int_equal(marked, expected);
            dft_free(&p);
        }
}

/* A gain that is not finite at an absent tap does no harm. */
static void absent_taps_hide_what_they_hold(void **state)
{
    for (size_t v = 0; v < VARIANTS; v++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 20) };
        p.config.variant = variants[v];
        p.config.absent_negative = 1;
        dft_uniform(&p, 1, 1, 2, 5);
        dft_fill(&p, 1, 3);
        ((double *)p.delays)[3] = -1;
        ((float *)p.gains)[2 * 3] = NAN;
        ((float *)p.gains)[2 * 8 + 1] = INFINITY;
        dft_expect_reference(device_under_test(state), &p);
        assert_int_equal(p.bad_paths, 0);
        dft_free(&p);
    }
}

static void more_time_steps_than_a_group_does_are_right(void **state)
{
    for (size_t v = 0; v < VARIANTS; v++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 10) };
        p.config.variant = variants[v];
        p.config.rates = v == 1 ? CLRADIO_PER_LINK : CLRADIO_PER_PATH;
        p.config.time_step_s = 0.123456789;
        dft_uniform(&p, 1, 2, 3, 5);
        dft_fill(&p, test_small() ? 9 : 61, 3);
        dft_expect_reference(device_under_test(state), &p);
        dft_free(&p);
    }
}

/* The transform of N points that a grid is part of, and how many of its values; taps beyond what
 * the kernel folds, and links of few or very many taps. */
static const struct {
    uint32_t points, subcarriers;
    uint64_t paths, taps;
    const char *parameters;
} grids[] = { { 64, 50, 9, 24, NULL },           { 80, 33, 3, 9, NULL },
              { 64, 50, 9, 24, "FIXED=1" },      { 512, 300, 70, 24, "FIXED=1" },
              { 512, 300, 70, 24, NULL },        { 1200, 1200, 2, 17, NULL },
              { 2048, 1200, 5, 24, NULL },       { 2048, 700, 5, 3, NULL },
              { 2048, 70, 5, 33, "TAPS=16" },    { 300, 300, 9, 24, NULL },
              { 50, 50, 30, 24, NULL },          { 40, 33, 7, 11, NULL },
              { 600, 600, 5, 31, NULL },         { 2000, 1200, 3, 30, "POINTS=10" },
              { 2048, 1200, 3, 24, "POINTS=8" }, { 2048, 70, 5, 24, "FIXED=1" } };
enum { GRIDS = sizeof grids / sizeof *grids };

/* Whether the factors of a grid's columns can lie in registers: 24 taps, at most twice the points
 * of a transform that a work-item does. */
static int can_keep(size_t n)
{
    const char *parameters = grids[n].parameters ? grids[n].parameters : "";
    return grids[n].points != 50 && grids[n].points != 40 && !strstr(parameters, "POINTS=");
}

static dft_problem grid_problem(clradio_type type, size_t n)
{
    dft_problem p = { .config = dft_config(type, grids[n].subcarriers) };
    p.config.delay = CLRADIO_DELAY_CONSECUTIVE;
    p.config.sample_period_s = 1 / (p.config.spacing_hz * grids[n].points);
    p.config.variant = "pruned";
    p.config.parameters = grids[n].parameters;
    p.config.carrier_hz = n % 2 ? 3.5e9 : 0;
    p.config.origin = n % 3 ? CLRADIO_ORIGIN_CENTRE : CLRADIO_ORIGIN_ZERO;
    p.config.normalisation = (clradio_normalisation)(n % 3);
    dft_uniform(&p, 1, 2, grids[n].paths, grids[n].taps);
    return p;
}

static void grids_of_whole_transforms_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t n = 0; n < (test_small() ? 3 : GRIDS); n++)
        for (int kind = 0; kind < 8; kind++) {
            const int twice = kind & 2, keep = kind / 4;
            char parameters[64];
            if ((twice && !dft_has_fp64(device)) || (keep && (twice || !can_keep(n))))
                continue;
            dft_problem p = grid_problem(twice ? CLRADIO_CF64 : CLRADIO_CF32, n);
            p.config.order = (clradio_dft_order)(kind & 1);
            snprintf(parameters, sizeof parameters, "%s KEEP=%d",
                     grids[n].parameters ? grids[n].parameters : "", keep);
            p.config.parameters = parameters;
            dft_fill(&p, 2, n);
            if (twice)
                ((double *)p.gains)[3] = n % 4 ? 0.5 : NAN;
            else
                ((float *)p.gains)[3] = n % 4 ? 0.5f : NAN;
            dft_expect_reference(device, &p);
            assert_int_equal(p.bad_paths, n % 4 == 0);
            dft_free(&p);
        }
}

/* Delays of a link in samples, in any order, some alike, some negative or absent, and in the second
 * link one of many seconds. A tap that is absent hides what it holds. */
static void samples_in_any_order_are_right_on_whole_transforms(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t n = 0; n < (test_small() ? 3 : GRIDS); n++)
        for (int kind = 0; kind < 4; kind++) {
            const int twice = kind & 2;
            if (twice && !dft_has_fp64(device))
                continue;
            dft_problem p = grid_problem(twice ? CLRADIO_CF64 : CLRADIO_CF32, n);
            p.config.delay = CLRADIO_DELAY_SAMPLES;
            p.config.delays = CLRADIO_PER_LINK;
            p.config.absent_negative = kind & 1;
            p.config.order = (clradio_dft_order)(n & 1);
            dft_fill(&p, 2, n);
            int32_t *delays = p.delays;
            delays[1] = -7;
            delays[2] = delays[0];
            delays[grids[n].taps] = n % 3 ? 1999999999 : -1999999999;
            if (kind & 1 && !twice)
                ((float *)p.gains)[2] = NAN; /* tap 1 of path 0 */
            else if (n % 2 && !twice)
                ((float *)p.gains)[4] = INFINITY;
            dft_expect_reference(device, &p);
            assert_int_equal(p.bad_paths, !(kind & 1) && n % 2 && !twice);
            dft_free(&p);
        }
}

/* One team, two pairs a work-item, few taps a launch; cosines read for each sum; cosines turned on
 * in double, by one and by several work-items a tap; the processors' form with blocks that are not
 * whole vectors. */
static void other_shapes_are_right(void **state)
{
    static const char *const shapes[] = {
        "TAPS=12 HALF=10 PAIRS=2 TEAMS=1 BLOCKS=3 UNITS=5 ITEM=0", "TAPS=12 HALF=5 BLOCKS=3 ITEM=1",
        "TAPS=12 HALF=10 PAIRS=2 TEAMS=2 BLOCKS=3 UNITS=5 KEEP=0 ITEM=0",
        "TAPS=12 HALF=9 TEAMS=1 BLOCKS=3 UNITS=5 ROTATE=1 ITEM=0",
        "TAPS=8 HALF=8 TEAMS=4 BLOCKS=5 UNITS=8 ROTATE=1 KEEP=0 ITEM=0"
    };
    for (size_t n = 0; n < (dft_has_fp64(device_under_test(state)) ? 5 : 3); n++)
        for (size_t v = 1; v < VARIANTS; v++) {
            dft_problem p = { .config = dft_config(CLRADIO_CF32, test_small() ? 21 : 107) };
            p.config.variant = variants[v];
            p.config.parameters = shapes[n];
            dft_uniform(&p, 1, 2, 7, 30);
            dft_fill(&p, 2, v);
            ((float *)p.gains)[2 * 30 * 3] = NAN;
            dft_expect_reference(device_under_test(state), &p);
            assert_int_equal(p.bad_paths, 1);
            dft_free(&p);
        }
}

static void what_a_variant_cannot_is_said(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_dft *plan;
    clradio_dft_config config = dft_config(CLRADIO_CF32, 50);
    config.variant = "pruned";
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "delays in samples that the paths of a link"));
    config.delay = CLRADIO_DELAY_CONSECUTIVE;
    config.sample_period_s = 1 / (51 * config.spacing_hz);
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "multiple of 16, 12, 10 or 8"));
    config.sample_period_s = 1 / (64.000000001 * config.spacing_hz);
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
    config.sample_period_s = 1 / (64 * config.spacing_hz);
    config.parameters = "POINTS=12";
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "none of 16, 12, 10 and 8 that divides 64"));
    config.parameters = NULL;
    config.delay = CLRADIO_DELAY_SECONDS;
    config.delays = CLRADIO_PER_PATH;
    config.variant = "gemm";
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
    config.variant = "gem";
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "did you mean 'gemm'"));
    config.variant = "tf32x3"; /* of before */
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "no variant 'tf32x3' any more; 'bf16x6'"));
    config.variant = NULL;
    config.parameters = "TAPS=9";
    assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_null(plan);
}

static const clr_backend *whole;

static clradio_status build_no_fold(clradio_device *device, const char *source, size_t bytes,
                                    const char *options, void **program, char **log)
{
    return strstr(source, "dft_fold(")
               ? clr_fail(CLRADIO_ERROR_BUILD, "nothing folded is built here")
               : whole->build(device, source, bytes, options, program, log);
}

static clradio_status load_nothing(clradio_device *device, const clr_binary *binary,
                                   const char *options, void **program)
{
    (void)device, (void)binary, (void)options, (void)program;
    return clr_fail(CLRADIO_ERROR_DRIVER, "nothing is loaded here");
}

/* A number of taps that no other test's programs have, since those are there already. */
static void what_does_not_build_is_told_with_the_choice(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_dft *plan;
    clradio_dft_info info = CLRADIO_DFT_INFO_INIT;
    clradio_dft_config config = dft_config(CLRADIO_CF32, 21);
    clr_backend broken = *device->backend;
    config.delays = CLRADIO_PER_LINK;
    config.taps = 51;
    whole = device->backend;
    broken.build = build_no_fold;
    broken.load = load_nothing;
    device->backend = &broken;
    const clradio_status status = clradio_dft_create(device, &config, &plan);
    config.variant = "gemm";
    clradio_dft *none = NULL;
    const clradio_status named = clradio_dft_create(device, &config, &none);
    device->backend = whole;
    assert_ok(status);
    assert_int_equal(named, CLRADIO_ERROR_BUILD);
    assert_ok(clradio_dft_get_info(plan, &info));
    assert_string_equal(info.variant, "direct");
    assert_string_equal(info.reason, "default for such a problem; gemm, which is better, does not "
                                     "build here");
    clradio_dft_destroy(plan);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_number_of_subcarriers_up_to_70_is_right),
        DEVICE_TEST(every_number_of_taps_is_right),
        DEVICE_TEST(random_problems_are_right),
        DEVICE_TEST(what_is_not_finite_is_reported_and_not_spread),
        DEVICE_TEST(absent_taps_hide_what_they_hold),
        DEVICE_TEST(more_time_steps_than_a_group_does_are_right),
        DEVICE_TEST(grids_of_whole_transforms_are_right),
        DEVICE_TEST(samples_in_any_order_are_right_on_whole_transforms),
        DEVICE_TEST(other_shapes_are_right),
        DEVICE_TEST(what_a_variant_cannot_is_said),
        DEVICE_TEST(what_does_not_build_is_told_with_the_choice),
    };
    return run_device_tests("dft", NULL, 0, tests, sizeof tests / sizeof *tests);
}
