/*
 * X-engine: the variant bf16x6 against the plain reference, within its own bound of error (the
 * check knows it). Its stages, parts, operands and fragments are tested with plain C in the
 * instructions' place (EMULATED=1), which finds each byte by the rules of the PTX manual; where the
 * device has the instructions, both ways are.
 */
#include "xengine_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char small_tiles[] = "WARPGROUPS=1 T_STAGE=16 STAGES=3 RESIDENT=1 SKIP=0";

static int has_instructions(clradio_device *device)
{
    return xengine_serves(device, "bf16x6", CLRADIO_CF32);
}

/* With the instructions where the device has them, without them elsewhere, and with
 * CLRADIO_TEST_LONG everywhere; returns 0 where local memory or work-groups are too small. */
static int expect(clradio_device *device, clradio_xengine_config config, const char *shape,
                  uint64_t seed)
{
    if (has_instructions(device)) {
        assert_true(xengine_expect_shape(device, config, "bf16x6", shape, seed));
        if (!test_long())
            return 1;
    }
    return xengine_expect_emulated(device, config, "bf16x6", shape, seed);
}

/* Tiles of 64 inputs: 1 to 65 stations and some more end everywhere in them, in one call that
 * writes the visibilities itself and through wide sums. */
static void every_number_of_stations_is_right(void **state)
{
    static const uint32_t more[] = { 66, 95, 96, 97, 127, 128, 129, 130 };
    clradio_device *device = device_under_test(state);
    for (uint32_t n = 1; n <= 65 + sizeof more / sizeof *more; n++) {
        const uint32_t stations = n <= 65 ? n : more[n - 66];
        clradio_xengine_config config =
            xengine_config(CLRADIO_CF32, stations, n < 12 && n % 2 ? 1 : 2, 1 + n % 2, 35);
        config.layout = (clradio_layout)(n % 3);
        config.flags = n / 3 % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
        if (!expect(device, config, small_tiles, n))
            skip();
    }
}

/* The last stage may be whole, empty but for one spectrum, or all but one; so may the last block;
 * 500 spectra pass through the stages and operands many times. */
static void every_number_of_spectra_is_right(void **state)
{
    static const uint64_t counts[] = { 1,  3,  4,  5,  7,  8,  9,  15, 16,
                                       17, 31, 32, 33, 47, 48, 49, 65, 500 };
    clradio_device *device = device_under_test(state);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (int layout = 0; layout < 3; layout++) {
            clradio_xengine_config config = xengine_config(CLRADIO_CF32, 8, 2, 1, counts[n]);
            config.layout = (clradio_layout)layout;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            if (!expect(device, config, small_tiles, n))
                skip();
        }
}

/* All that a run on a card compares. 128 and 130 inputs end in the second and the third tile of
 * 64, 300 spectra pass through all stages. */
static void every_shape_is_right(void **state)
{
    static const char *const shapes[] = {
        "WARPGROUPS=2 T_STAGE=32 STAGES=3 RESIDENT=1 SKIP=1",
        "WARPGROUPS=2 T_STAGE=16 STAGES=6 RESIDENT=1 SKIP=1",
        "WARPGROUPS=2 T_STAGE=16 STAGES=4 RESIDENT=1 SKIP=0",
        "WARPGROUPS=1 T_STAGE=16 STAGES=4 RESIDENT=2 SKIP=0",
        "WARPGROUPS=1 T_STAGE=24 STAGES=3 RESIDENT=2 SKIP=0",
        "WARPGROUPS=1 T_STAGE=48 STAGES=3 RESIDENT=1 SKIP=1",
        "", /* the defaults */
    };
    clradio_device *device = device_under_test(state);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int blocked = 0; blocked < 2; blocked++) {
            clradio_xengine_config config =
                xengine_config(CLRADIO_CF32, blocked ? 130 : 128, 1, 1, blocked ? 300 : 200);
            config.layout = blocked ? CLRADIO_LAYOUT_BLOCKED : CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            if (!expect(device, config, shapes[s], s))
                skip();
        }
}

static void every_order_and_output_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    for (int order = 0; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE; order++)
        for (int n = 0; n < 2; n++) {
            clradio_xengine_config config =
                xengine_config(CLRADIO_CF32, 37 + (uint32_t)(n + order) % 3, 2, 2, 40);
            config.order = (clradio_order)order;
            config.output = n && info.fp64 ? CLRADIO_CF64 : CLRADIO_CF32;
            config.conjugate = order % 2;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            if (!expect(device, config, small_tiles, (uint64_t)n))
                skip();
        }
}

/* Units of 16 bytes begin anywhere: the array starts at an odd sample, its rows are odd. */
static void arrays_at_any_offset_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    const size_t offset = xengine_input_offset;
    for (int n = 0; n < 12; n++) {
        clradio_xengine_config config =
            xengine_config(CLRADIO_CF32, 31 + (uint32_t)n / 2 % 3, 2, 2, 70);
        config.layout = n % 2 ? CLRADIO_LAYOUT_BLOCKED : CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
        config.flags = CLRADIO_XENGINE_SINGLE_CALL;
        xengine_input_offset = (size_t)n / 2;
        const int served = expect(device, config, small_tiles, (uint64_t)n);
        xengine_input_offset = offset;
        if (!served)
            skip();
    }
}

/* The parameters of this device's tests: with the instructions where they are, else without; NULL
 * where neither can be. */
static const char *parameters_here(clradio_device *device)
{
    static const char emulated[] = "WARPGROUPS=1 T_STAGE=16 STAGES=3 RESIDENT=1 SKIP=0 EMULATED=1";
    const clradio_xengine_config config =
        xengine_config_of("bf16x6", emulated, CLRADIO_CF32, 2, 1, 1, 1);
    if (has_instructions(device))
        return small_tiles;
    return xengine_takes(device, &config) ? emulated : NULL;
}

/* Calls that add up, and whole calls with flags, which set what they leave out to zero. */
static void calls_add_up_and_flags_leave_out(void **state)
{
    static const uint64_t lengths[] = { 33, 1, 66 };
    clradio_device *device = device_under_test(state);
    const char *parameters = parameters_here(device);
    if (!parameters)
        skip();
    for (int layout = 0; layout < 3; layout++) {
        clradio_xengine_config config =
            xengine_config_of("bf16x6", parameters, CLRADIO_CF32, 21, 2, 2, 100);
        clradio_xengine *plan;
        flagged_run run;
        config.layout = (clradio_layout)layout;
        if (config.layout == CLRADIO_LAYOUT_BLOCKED)
            config.block_times = clr_xengine_usual_block_times(config.input);
        void *spectra = xengine_random(&config, 100, (uint64_t)layout);
        assert_ok(clradio_xengine_create(device, &config, &plan));
        void *sums = xengine_calls(device, plan, &config, spectra, lengths, 3, NULL);
        xengine_compare(&config, spectra, 100, sums, 0);
        clradio_xengine_destroy(plan);
        free(sums);
        free(spectra);
        config.valid = CLRADIO_VALID_BYTES | CLRADIO_VALID_PER_INPUT;
        flagged_run_make(&run, device, config, 100, layout == 1 ? 0 : 40, (uint64_t)layout);
        flagged_run_on_device(&run, device);
        flagged_run_expect(&run);
        flagged_run_drop(&run);
    }
}

typedef struct worst_of {
    double cross, own; /* of two inputs and of one with itself */
} worst_of;

/* The errors of a matrix of `inputs` inputs against the double sums, in units of sqrt(V_ii V_jj).
 */
static worst_of errors_of(const float *sums, const float *spectra, uint64_t count, int inputs)
{
    worst_of worst = { 0, 0 };
    for (int i = 0; i < inputs; i++)
        for (int j = 0; j < inputs; j++, sums += 2) {
            double re = 0, im = 0, of_i = 0, of_j = 0;
            for (uint64_t t = 0; t < count; t++) {
                const float *x = spectra + 2 * (t * (uint64_t)inputs + (uint64_t)i);
                const float *y = spectra + 2 * (t * (uint64_t)inputs + (uint64_t)j);
                re += (double)x[0] * y[0] + (double)x[1] * y[1];
                im += (double)x[1] * y[0] - (double)x[0] * y[1];
                of_i += (double)x[0] * x[0] + (double)x[1] * x[1];
                of_j += (double)y[0] * y[0] + (double)y[1] * y[1];
            }
            const double error = hypot(sums[0] - re, sums[1] - im) / sqrt(of_i * of_j);
            double *to = i == j ? &worst.own : &worst.cross;
            *to = fmax(*to, error);
        }
    return worst;
}

/* One product, and a not-a-number: what is left out of x y is at most 2^-24 of it in a part, where
 * two parts would leave 2^-16 and tf32's two 2^-21. The bits that stand for nothing are
 * not lost on the way. */
static void six_products_are_as_close_as_said(void **state)
{
    clradio_device *device = device_under_test(state);
    const char *parameters = parameters_here(device);
    if (!parameters)
        skip();
    clradio_xengine_config config =
        xengine_config_of("bf16x6", parameters, CLRADIO_CF32, 17, 2, 1, 1);
    clradio_xengine *plan;
    config.order = CLRADIO_ORDER_FULL; /* a matrix of inputs */
    float *spectra = xengine_random(&config, 1, 5);
    assert_ok(clradio_xengine_create(device, &config, &plan));
    float *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
    const worst_of worst = errors_of(sums, spectra, 1, 34);
    assert_true(worst.cross < 4e-7 && worst.own < 4e-7);
    free(sums);
    const uint32_t all_ones = 0x7fffffff;
    memcpy(&spectra[2 * 32], &all_ones, sizeof all_ones);
    sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
    for (int i = 0; i < 34; i++)
        for (int j = 0; j < 34; j++) {
            const float *at = sums + 2 * (34 * i + j);
            const int lost = i == 32 || j == 32;
            assert_int_equal(lost, isnan(at[0]) != 0);
            assert_int_equal(lost, isnan(at[1]) != 0);
        }
    free(sums);
    free(spectra);
    clradio_xengine_destroy(plan);
}

/* Matrix units cut their sums off where fp32 rounds, which shows where all terms have one sign:
 * 4,096 spectra of nothing but a strong common signal, of inputs whose amplitudes are 2^-40 to
 * 2^40, with impulses a thousand times as high. What a stage loses does not add up over stages. */
static void long_sums_stay_within_the_bound(void **state)
{
    enum { INPUTS = 24, COUNT = 4096 };
    static const char longest_stages[] = "WARPGROUPS=1 T_STAGE=48 STAGES=3 RESIDENT=1 SKIP=0";
    clradio_device *device = device_under_test(state);
    const char *parameters = parameters_here(device);
    if (!parameters)
        skip();
    for (int run = 0; run < (has_instructions(device) ? 4 : 2); run++) {
        const int kind = run % 2;
        clradio_xengine_config config = xengine_config_of(
            "bf16x6", run < 2 ? parameters : longest_stages, CLRADIO_CF32, INPUTS, 1, 1, COUNT);
        clradio_xengine *plan;
        uint64_t seed = 77;
        config.order = CLRADIO_ORDER_FULL;
        float *spectra = xengine_random(&config, COUNT, 7);
        for (size_t n = 0; n < (size_t)COUNT * INPUTS; n++) {
            const float scale = ldexpf(1, (int)(n % INPUTS) * 3 - 36);
            const float high = kind && test_random(&seed) % 512 == 0 ? 1000 : 1;
            spectra[2 * n] = (1 + 0.1F * spectra[2 * n]) * scale * high;
            spectra[2 * n + 1] = (1 + 0.1F * spectra[2 * n + 1]) * scale * high;
        }
        assert_ok(clradio_xengine_create(device, &config, &plan));
        float *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
        const worst_of worst = errors_of(sums, spectra, COUNT, INPUTS);
        print_message("# of sqrt(V_ii V_jj): %.2g between inputs, %.2g of one\n", worst.cross,
                      worst.own);
        assert_true(worst.cross < 1e-6 + 2e-7 && worst.own < 1e-6 + 2e-7);
        free(sums);
        free(spectra);
        clradio_xengine_destroy(plan);
    }
}

static void expect_refused(clradio_device *device, clradio_type input, const char *parameters,
                           clradio_status status, const char *words)
{
    xengine_expect_refused(device, "bf16x6", input, parameters, status, words);
}

static void what_it_cannot_do_is_said(void **state)
{
    clradio_device *device = device_under_test(state);
    expect_refused(device, CLRADIO_CF32, "EMULATED=1 T_STAGE=20", CLRADIO_ERROR_ARGUMENT,
                   "not a multiple of 8");
    expect_refused(device, CLRADIO_CF32, "EMULATED=1 T_STAGE=24 WARPGROUPS=2",
                   CLRADIO_ERROR_ARGUMENT, "not a multiple of 8");
    expect_refused(device, CLRADIO_CF32, "EMULATED=1 WARPGROUPS=2 RESIDENT=2",
                   CLRADIO_ERROR_ARGUMENT, "more than 2 warpgroups");
    expect_refused(device, CLRADIO_CF32, "EMULATED=1 STAGES=2", CLRADIO_ERROR_ARGUMENT, "STAGES");
    expect_refused(device, CLRADIO_CF32, "EMULATED=1 COLUMNS=64", CLRADIO_ERROR_ARGUMENT,
                   "COLUMNS");
    expect_refused(device, CLRADIO_CF16, "EMULATED=1", CLRADIO_ERROR_UNSUPPORTED, "takes cf32");
    expect_refused(device, CLRADIO_CI8, NULL, CLRADIO_ERROR_UNSUPPORTED, "takes cf32");
    expect_refused(device, CLRADIO_CF32, "EMULATED=1 T_STAGE=48 STAGES=3 WARPGROUPS=2",
                   CLRADIO_ERROR_UNSUPPORTED, "local memory");
    expect_refused(device, CLRADIO_CF32, "EMULATED=1 T_STAGE=32 RESIDENT=2",
                   CLRADIO_ERROR_UNSUPPORTED, "RESIDENT=2 leaves");
    if (!has_instructions(device))
        expect_refused(device, CLRADIO_CF32, NULL, CLRADIO_ERROR_UNSUPPORTED,
                       "compute capability 9.0");
}

/* Its bound of error is not that of cf32: nobody gets it unasked. */
static void it_is_never_chosen_unasked(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CF32, 512, 2, 1, 10);
    clr_xengine_candidate candidate;
    clradio_status status;
    for (unsigned n = 0; clr_xengine_candidate_at(device, &config, n, &candidate, &status); n++)
        assert_string_not_equal(candidate.variant->name, "bf16x6");
    config.variant = "bf16x6";
    assert_int_equal(clr_xengine_candidate_at(device, &config, 0, &candidate, &status), 1);
    assert_string_equal(candidate.variant->name, "bf16x6");
    assert_int_equal(clr_xengine_candidate_at(device, &config, 1, &candidate, &status), 0);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_number_of_stations_is_right),
        DEVICE_TEST(every_number_of_spectra_is_right),
        DEVICE_TEST(every_shape_is_right),
        DEVICE_TEST(every_order_and_output_is_right),
        DEVICE_TEST(arrays_at_any_offset_are_right),
        DEVICE_TEST(calls_add_up_and_flags_leave_out),
        DEVICE_TEST(six_products_are_as_close_as_said),
        DEVICE_TEST(long_sums_stay_within_the_bound),
        DEVICE_TEST(what_it_cannot_do_is_said),
        DEVICE_TEST(it_is_never_chosen_unasked),
    };
    return run_device_tests("xengine_bf16", NULL, 0, tests, sizeof tests / sizeof *tests);
}
