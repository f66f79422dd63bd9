/*
 * X-engine: the variant fma with three real products of a complex one (PRODUCTS=3). Its arithmetic
 * begins with 256 spectra a call, with runs beyond 64 with 1,024; fewer take four products in the
 * same kernel.
 */
#include "xengine_support.h"

#include "device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of 16 inputs, of which few stations fill several, and runs of all lengths. */
static const char *const shapes[] = {
    "PRODUCTS=3 Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4 ASYNC=0 RUN=8 KEPT=8 LANES=1 UNROLLED=2 "
    "ORDER=4",
    "PRODUCTS=3 Gx=1 Gy=2 Dx=4 Dy=4 T_STAGE=2 ASYNC=0 BUFFERS=3 RUN=64 RUNS=1 ORDER=0",
    "PRODUCTS=3 Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4 ASYNC=0 RUN=8 RUNS=0 ORDER=2 READ=1 DIRECT=1",
    "PRODUCTS=3 Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4 ASYNC=0 RUN=128 RUNS=4 ORDER=3 READ=1 DIRECT=1",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void every_number_of_stations_up_to_65_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint32_t most = test_small() ? 9 : 65;
    if (xengine_loops_end(device))
        skip();
    for (uint32_t stations = 1; stations <= most; stations += test_small() ? 4 : 1)
        for (uint32_t polarisations = 1; polarisations <= 2; polarisations++) {
            const uint32_t s = (stations + polarisations) % 3; /* two sizes of blocks, both types */
            clradio_xengine_config config = xengine_config_of("fma", shapes[s == 2 ? 0 : s],
                                                              s == 2 ? CLRADIO_CF16 : CLRADIO_CF32,
                                                              stations, polarisations, 1, 257);
            xengine_input_offset = stations % 4;
            xengine_expect_reference(device, &config, stations);
        }
    xengine_input_offset = 3;
}

/* On both sides of where three products begin, and of the ends of runs. */
static void every_number_of_spectra_is_right(void **state)
{
    static const uint64_t spectra[] = {
        1, 8, 255, 256, 257, 263, 264, 513, 1023, 1024, 1100, 2051
    };
    clradio_device *device = device_under_test(state);
    if (xengine_loops_end(device))
        skip();
    for (size_t s = 0; s < (test_small() ? 1 : SHAPES); s++)
        for (size_t n = 0; n < sizeof spectra / sizeof *spectra; n += test_small() ? 4 : 1) {
            clradio_xengine_config config =
                xengine_config_of("fma", shapes[s], n % 3 ? CLRADIO_CF32 : CLRADIO_CF16, 5, 2,
                                  1 + (uint32_t)n % 2, spectra[n]);
            config.flags = n % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
            xengine_expect_reference(device, &config, n);
        }
}

static void orders_layouts_and_slices_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    if (xengine_loops_end(device))
        skip();
    for (size_t s = 0; s < (test_small() ? 1 : SHAPES); s++)
        for (int order = CLRADIO_ORDER_BASELINE; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE;
             order += test_small() ? 3 : 1) {
            char parameters[160];
            snprintf(parameters, sizeof parameters, "%s SPLIT_T=%d", shapes[s], 1 + order % 3);
            clradio_xengine_config config =
                xengine_config_of("fma", parameters, s % 2 ? CLRADIO_CF16 : CLRADIO_CF32,
                                  10 + (uint32_t)order % 2, 1 + (uint32_t)s % 2, 2, 300);
            config.order = (clradio_order)order;
            config.conjugate = order % 2;
            config.layout = (clradio_layout)(order % 3);
            config.block_times = config.layout == CLRADIO_LAYOUT_BLOCKED ? 16 : 0;
            config.flags = order / 2 % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
            xengine_expect_reference(device, &config, (uint64_t)order);
        }
}

/* What sums of products lose most of. */
enum hostile {
    EQUAL,    /* terms: roundings that all go the same way */
    OPPOSITE, /* im as large as it gets, out of sums that are largest: x = a (1 - i), y = b (1 + i)
               */
    UNEQUAL,  /* one part 1e6 times the other, another one in each input */
    OFFSET,   /* a constant 1e3 times what varies */
    PULSES,   /* one spectrum in a hundred, 1e4 times the others */
    HOSTILE
};

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 1073741824.0 - 1;
}

/* [time][input] of one channel. */
static void fill_hostile(enum hostile kind, uint64_t seed, uint32_t inputs, uint64_t count,
                         float *spectra)
{
    for (uint32_t i = 0; i < inputs; i++) {
        const double size = 1 + fabs(uniform(&seed));
        const double tilt = 1 + 1e-3 * uniform(&seed);
        const double constant[2] = { kind == OPPOSITE ? size : uniform(&seed),
                                     kind == OPPOSITE ? (i % 2 ? -size : size) * tilt
                                                      : uniform(&seed) };
        for (uint64_t t = 0; t < count; t++)
            for (unsigned part = 0; part < 2; part++) {
                const double varies = uniform(&seed);
                const double value = kind == EQUAL || kind == OPPOSITE ? constant[part]
                                     : kind == UNEQUAL ? varies * (part == i / 2 % 2 ? 1e6 : 1)
                                     : kind == OFFSET  ? 1e3 * constant[part] + varies
                                                       : varies * (t % 100 == 7 ? 1e4 : 1);
                spectra[(t * inputs + i) * 2 + part] = (float)value;
            }
    }
}

/* The bound that every variant keeps, on every value; and of three products a power has no
 * imaginary part at all. */
static void expect_bound(clradio_device *device, const char *parameters, uint64_t count)
{
    enum { INPUTS = 24, ROUNDS = 4 };
    clradio_xengine_config config =
        xengine_config_of("fma", parameters, CLRADIO_CF32, INPUTS, 1, 1, count);
    clradio_xengine *plan;
    assert_ok(clradio_xengine_create(device, &config, &plan));
    for (unsigned k = 0; k < (test_small() ? 1 : ROUNDS) * HOSTILE; k++) {
        float *spectra = xengine_zeros(&config, count);
        fill_hostile((enum hostile)(k % HOSTILE), k + 1, INPUTS, count, spectra);
        float *sums = xengine_calls(device, plan, &config, spectra, &count, 1, NULL);
        xengine_compare(&config, spectra, count, sums, 0);
        for (size_t i = 0; strstr(parameters, "PRODUCTS=3") && i < INPUTS; i++)
            assert_true(sums[2 * (i * (i + 1) / 2 + i) + 1] == 0);
        free(sums);
        free(spectra);
    }
    clradio_xengine_destroy(plan);
}

/* Runs as long as they are by default, but with few spectra. */
static void hostile_input_keeps_the_bound(void **state)
{
    static const char *const settings[] = {
        "PRODUCTS=3 Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=8 ASYNC=0 SPLIT_T=1 RUN=64",
        "PRODUCTS=3 Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=8 ASYNC=0 SPLIT_T=1 RUN=128",
        "PRODUCTS=4 Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=8 ASYNC=0 SPLIT_T=1 RUN=128",
    };
    static const uint64_t counts[] = { 1,   2,   5,   32,  64,   128,  255,
                                       256, 320, 511, 512, 1023, 1024, 2048 };
    clradio_device *device = device_under_test(state);
    if (xengine_loops_end(device))
        skip();
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n += test_small() ? 5 : 1)
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
            expect_bound(device, settings[s], counts[n]);
}

/* Calls of few and of many spectra into the same sums; the same bits again. */
static void calls_add_up(void **state)
{
    static const uint64_t lengths[] = { 300, 1, 37, 256 };
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config_of("fma", shapes[0], CLRADIO_CF32, 9, 2, 2, 594);
    clradio_xengine *plan;
    if (xengine_loops_end(device))
        skip();
    assert_ok(clradio_xengine_create(device, &config, &plan));
    void *spectra = xengine_random(&config, 594, 3);
    void *once = xengine_calls(device, plan, &config, spectra, lengths, 4, NULL);
    xengine_compare(&config, spectra, 594, once, 0);
    void *again = xengine_calls(device, plan, &config, spectra, lengths, 4, NULL);
    assert_memory_equal(once, again, clradio_xengine_visibilities_bytes(&config));
    free(once);
    free(again);
    free(spectra);
    clradio_xengine_destroy(plan);
}

/* The shape for graphics processors, whatever the device. */
static void the_shape_for_graphics_processors_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    if (xengine_loops_end(device) || info.local_memory_bytes < 65536)
        skip();
    clradio_xengine_config config = xengine_config_of(
        "fma", "PRODUCTS=3 Gx=2 Gy=2 Dx=4 Dy=8 T_STAGE=4 ASYNC=0", CLRADIO_CF32, 35, 2, 2, 300);
    xengine_expect_reference(device, &config, 1);
    config.parameters = "PRODUCTS=3 Gx=2 Gy=2 Dx=4 Dy=8 T_STAGE=4 ASYNC=0 ORDER=4 READ=1";
    config.layout = CLRADIO_LAYOUT_BLOCKED;
    config.block_times = 4;
    xengine_expect_reference(device, &config, 2);
}

static void what_does_not_fit_is_refused(void **state)
{
    xengine_expect_refused(device_under_test(state), "fma", CLRADIO_CF32, "PRODUCTS=3 RUN=256",
                           CLRADIO_ERROR_ARGUMENT,
                           "PRODUCTS=3 sums at most 128 spectra in registers, not RUN=256");
    xengine_expect_refused(device_under_test(state), "fma", CLRADIO_CF32, "PRODUCTS=2",
                           CLRADIO_ERROR_ARGUMENT, "PRODUCTS=2 is out of range");
    xengine_expect_refused(device_under_test(state), "fma", CLRADIO_CF32,
                           "Gx=1 Gy=1 Dx=2 Dy=4 KEPT=6", CLRADIO_ERROR_ARGUMENT,
                           "KEPT=6 is neither 1 nor an even divisor of Dx Dy=8");
    xengine_expect_refused(device_under_test(state), "fma", CLRADIO_CF32, "T_STAGE=8 UNROLLED=3",
                           CLRADIO_ERROR_ARGUMENT, "UNROLLED=3 is no divisor of T_STAGE=8");
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_number_of_stations_up_to_65_is_right),
        DEVICE_TEST(every_number_of_spectra_is_right),
        DEVICE_TEST(orders_layouts_and_slices_are_right),
        DEVICE_TEST(hostile_input_keeps_the_bound),
        DEVICE_TEST(calls_add_up),
        DEVICE_TEST(the_shape_for_graphics_processors_is_right),
        DEVICE_TEST(what_does_not_fit_is_refused),
    };
    return run_device_tests("xengine_products", NULL, 0, tests, sizeof tests / sizeof *tests);
}
