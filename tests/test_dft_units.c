/* Channel DFT, the variants that go through matrix units, bf16x6 and dmma: against the plain
 * reference within their bound, by the units where they are, and emulated on every device. */
#include "dft_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES = 9, OF_ONE = 4 };

/* Shapes: tiles of as many paths as a product has units, of more, of fewer, of one; the last two
 * with what is left over behind the last whole block by itself. of_one: where a tile is one path.
 */
static const struct {
    const char *name;
    const char *shapes[SHAPES], *of_one[OF_ONE];
} variants[] = {
    { "bf16x6",
      { "", "HALF=16 WARPS=2 BLOCKS=3 PATHS=5 KEEP=1", "HALF=48 WARPS=1",
        "HALF=8 WARPS=1 BLOCKS=64", "HALF=24 WARPS=3 BLOCKS=5 PATHS=13 KEEP=1",
        "WARPS=4 BLOCKS=9 PATHS=2", "HALF=8 WARPS=1 BLOCKS=4 OWN_MIDDLES=1",
        "HALF=8 WARPS=1 BLOCKS=4 REMAINDER=1", "HALF=16 WARPS=2 BLOCKS=3 PATHS=5 REMAINDER=1" },
      { "", "HALF=8 WARPS=2", "OWN_MIDDLES=1 WARPS=2", "HALF=24 OWN_MIDDLES=1 BLOCKS=64" } },
    { "dmma",
      { "", "HALF=16 BLOCKS=3 PATHS=5 FIXED=0", "HALF=48 REMAINDER=0", "BLOCKS=2 PATHS=4 KEEP=1",
        "HALF=24 BLOCKS=5 PATHS=13", "BLOCKS=9 PATHS=2", "PATHS=1 BLOCKS=64",
        "BLOCKS=4 REMAINDER=1", "HALF=16 BLOCKS=3 PATHS=5 REMAINDER=1" },
      { "", "HALF=16 BLOCKS=5", "HALF=24", "BLOCKS=1" } },
};
enum { BF16, DMMA, VARIANTS };
_Static_assert(sizeof variants / sizeof *variants == VARIANTS, "each has its number");

/* NVIDIA's that has matrix units; 0 of others. */
static long architecture_of(clradio_device *device)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    return info.matrix_unit != 1 || strncmp(info.architecture, "sm_", 3)
               ? 0
               : strtol(info.architecture + 3, NULL, 10);
}

static int has_units(clradio_device *device, int variant)
{
    return architecture_of(device) >= (variant == BF16 ? 80 : 90);
}

/* A variant by the units that it has, then emulated, then the next one. */
typedef struct run {
    int variant, emulated;
} run;

static int first_run(clradio_device *device, run *r)
{
    *r = (run){ BF16, !has_units(device, BF16) };
    return 1;
}

static int next_run(clradio_device *device, run *r)
{
    if (!r->emulated) {
        r->emulated = 1;
        return 1;
    }
    r->variant++;
    if (r->variant == DMMA && !dft_has_fp64(device))
        r->variant++;
    if (r->variant < VARIANTS)
        r->emulated = !has_units(device, r->variant);
    return r->variant < VARIANTS;
}

#define FOR_EACH_RUN(device, r)                                                                    \
    for (int more = first_run(device, &(r)); more; more = next_run(device, &(r)))

static void expect(clradio_device *device, dft_problem *p, uint64_t seed, const run *r,
                   uint64_t bad_paths)
{
    char parameters[96];
    const int of_path = p->config.delays == CLRADIO_PER_PATH;
    const char *const shape = of_path ? variants[r->variant].of_one[seed % OF_ONE]
                                      : variants[r->variant].shapes[seed % SHAPES];
    /* a program for each number of values takes long to build and, emulated, is the same loop: so
     * for a third of the problems there */
    const int fixed = r->variant != DMMA || !r->emulated || seed % 3 == 0 || strstr(shape, "FIXED");
    snprintf(parameters, sizeof parameters, "EMULATED=%d %s%s", r->emulated, shape,
             fixed ? "" : " FIXED=0");
    p->config.variant = variants[r->variant].name;
    p->config.parameters = parameters;
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
    run r;
    FOR_EACH_RUN(device, r)
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
        expect(device, &p, n, &r, 0);
    }
}

/* One value and two, three, four behind whole blocks, or with none before them, in either order of
 * the array, of rows that lie at multiples of 16 bytes and others; by the last two shapes. */
static void what_is_left_over_is_within_the_bound(void **state)
{
    static const uint32_t values[] = { 50, 1, 17, 2, 20, 129, 67, 130 };
    clradio_device *device = device_under_test(state);
    run r;
    FOR_EACH_RUN(device, r)
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
        expect(device, &p, n % 5 == 4 ? 8 : 7, &r, n == 0);
    }
}

/* A tile is one path, units are its blocks. */
static void delays_of_a_path_are_within_the_bound(void **state)
{
    static const uint32_t values[] = { 1, 33, 64, 130, 300, 1300 };
    clradio_device *device = device_under_test(state);
    run r;
    FOR_EACH_RUN(device, r)
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
        expect(device, &p, n, &r, 0);
    }
}

/* All taps alike: every sum that is cut off is cut off the same way. */
static void taps_that_are_alike_stay_within_the_bound(void **state)
{
    clradio_device *device = device_under_test(state);
    run r;
    FOR_EACH_RUN(device, r)
    for (uint64_t n = 0; n < (test_small() ? 1 : 12); n++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 100) };
        p.config.delays = CLRADIO_PER_LINK;
        dft_uniform(&p, 1, 4, 8, n % 2 ? 32 : 24);
        dft_fill(&p, 1, n);
        for (uint64_t i = 0; i < 2 * p.counts.gains; i++)
            ((float *)p.gains)[i] = (float)(i % 2 ? -0.3 - 0.07 * (double)n : 0.7);
        for (uint64_t i = 0; i < p.counts.taps; i++)
            ((double *)p.delays)[i] = 1e-7 * (double)(n + 1);
        expect(device, &p, n, &r, 0);
    }
}

/* Gains near both ends of what a float can hold, and links of silence, beside usual ones. */
static void gains_of_any_size_keep_their_precision(void **state)
{
    static const float sizes[] = { 1, 1e-30f, 1e33f, 0, 1e-20f, 3e36f };
    clradio_device *device = device_under_test(state);
    run r;
    FOR_EACH_RUN(device, r)
    for (uint64_t n = 0; n < 3; n++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 90) };
        p.config.delays = CLRADIO_PER_LINK;
        dft_uniform(&p, 1, 3, 7, 9 + n);
        dft_fill(&p, 1, n);
        for (uint64_t i = 0; i < 2 * p.counts.gains; i++)
            ((float *)p.gains)[i] *= sizes[i / (2 * (9 + n)) % 6];
        expect(device, &p, n, &r, 0);
    }
}

/* Delays of a few turns, of thousands, and of more than a double counts one by one. */
static void delays_of_any_size_keep_their_precision(void **state)
{
    static const double sizes[] = { 1e-6, 3e-2, 1e9, 1e14 };
    clradio_device *device = device_under_test(state);
    run r;
    FOR_EACH_RUN(device, r)
    for (uint64_t n = 0; n < (test_small() ? 2 : 4); n++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 90) };
        p.config.delays = n % 2 ? CLRADIO_PER_PATH : CLRADIO_PER_LINK;
        p.config.carrier_hz = n > 1 ? 3.5e9 : 0;
        dft_uniform(&p, 1, 3, 5, 9 + n);
        dft_fill(&p, 1, n);
        const uint64_t delays = n % 2 ? p.counts.gains : p.counts.taps;
        for (uint64_t i = 0; i < delays; i++)
            ((double *)p.delays)[i] *= sizes[(i + n) % 4] * 1e6;
        expect(device, &p, n, &r, 0);
    }
}

static void what_is_not_finite_stays_where_it_is(void **state)
{
    clradio_device *device = device_under_test(state);
    run r;
    FOR_EACH_RUN(device, r)
    for (uint64_t n = 0; n < 3; n++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 90) };
        p.config.delays = CLRADIO_PER_LINK;
        dft_uniform(&p, 1, 3, 9, 17);
        dft_fill(&p, 1, n);
        ((float *)p.gains)[2 * (17 * 4 + 3) + 1] = n == 1 ? INFINITY : NAN;
        if (n == 2)
            ((double *)p.delays)[17 + 5] = NAN; /* all paths of the second link */
        expect(device, &p, n, &r, n == 2 ? 10 : 1);
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

/* For what they were found to be the fastest, of bf16x6 by the back end; what they have not is
 * another's, and names are names. */
static void devices_with_units_take_them(void **state)
{
    static const struct {
        uint32_t values;
        clradio_per delays;
        int bf16_cuda, bf16_opencl, dmma;
        const char *otherwise;
    } cases[] = {
        { 7, CLRADIO_PER_LINK, 0, 0, 0, "direct" },
        { 8, CLRADIO_PER_LINK, 1, 0, 1, "gemm" },
        { 50, CLRADIO_PER_LINK, 1, 1, 1, "gemm" },
        { 300, CLRADIO_PER_LINK, 1, 1, 1, "gemm" },
        { 301, CLRADIO_PER_LINK, 1, 1, 0, "gemm" },
        { 999, CLRADIO_PER_LINK, 1, 1, 0, "gemm" },
        { 1000, CLRADIO_PER_LINK, 1, 1, 1, "gemm" },
        { 49, CLRADIO_PER_PATH, 0, 0, 0, "recurrence" },
        { 599, CLRADIO_PER_PATH, 0, 0, 1, "recurrence" },
        { 600, CLRADIO_PER_PATH, 1, 1, 1, "recurrence" },
    };
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    char variant[32];
    assert_ok(clradio_device_describe(device, &info));
    const int cuda = !strcmp(info.back_end, "cuda");
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        clradio_dft_config config = dft_config(CLRADIO_CF32, cases[n].values);
        const int bf16 =
            has_units(device, BF16) && (cuda ? cases[n].bf16_cuda : cases[n].bf16_opencl);
        const int dmma = architecture_of(device) == 90 && cases[n].dmma;
        config.delays = cases[n].delays;
        config.taps = 24;
        chosen(device, &config, variant, sizeof variant);
        assert_string_equal(variant, dmma ? "dmma" : bf16 ? "bf16x6" : cases[n].otherwise);
        config.rates = CLRADIO_PER_LINK;
        config.time_step_s = 1e-3;
        chosen(device, &config, variant, sizeof variant);
        assert_string_equal(variant, cases[n].otherwise);
        config.rates = CLRADIO_PER_NONE;
        config.variant = cases[n].otherwise;
        chosen(device, &config, variant, sizeof variant);
        assert_string_equal(variant, cases[n].otherwise);
        for (int v = 0; v < (dft_has_fp64(device) ? VARIANTS : DMMA); v++) {
            config.variant = variants[v].name;
            config.parameters = "EMULATED=1";
            chosen(device, &config, variant, sizeof variant);
            assert_string_equal(variant, variants[v].name);
        }
    }
}

/* What has no effect beside others reads back as what it is. */
static void what_is_left_over_has_no_middle_of_a_lane_s_own(void **state)
{
    clradio_dft *plan;
    clradio_dft_info info = CLRADIO_DFT_INFO_INIT;
    clradio_dft_config config = dft_config(CLRADIO_CF32, 50);
    config.variant = "bf16x6";
    config.parameters = "EMULATED=1 HALF=8 OWN_MIDDLES=1 REMAINDER=1";
    assert_ok(clradio_dft_create(device_under_test(state), &config, &plan));
    assert_ok(clradio_dft_get_info(plan, &info));
    clradio_dft_destroy(plan);
    assert_non_null(strstr(info.parameters, "OWN_MIDDLES=1 REMAINDER=0"));
}

static void what_it_cannot_is_said(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_dft *plan;
    for (int v = 0; v < VARIANTS; v++) {
        clradio_dft_config config = dft_config(CLRADIO_CF32, 50);
        if (v == DMMA && !dft_has_fp64(device))
            continue;
        config.variant = variants[v].name;
        if (!has_units(device, v)) {
            assert_int_equal(clradio_dft_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
            assert_non_null(strstr(clradio_last_error(), "matrix units"));
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
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(responses_are_within_the_bound),
        DEVICE_TEST(what_is_left_over_is_within_the_bound),
        DEVICE_TEST(delays_of_a_path_are_within_the_bound),
        DEVICE_TEST(taps_that_are_alike_stay_within_the_bound),
        DEVICE_TEST(gains_of_any_size_keep_their_precision),
        DEVICE_TEST(delays_of_any_size_keep_their_precision),
        DEVICE_TEST(what_is_not_finite_stays_where_it_is),
        DEVICE_TEST(devices_with_units_take_them),
        DEVICE_TEST(what_is_left_over_has_no_middle_of_a_lane_s_own),
        DEVICE_TEST(what_it_cannot_is_said),
    };
    return run_device_tests("dft_units", NULL, 0, tests, sizeof tests / sizeof *tests);
}
