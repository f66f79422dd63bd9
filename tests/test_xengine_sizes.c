/* X-engine: sizes, types, orders, all against the plain reference. */
#include "xengine_support.h"

#include <stdio.h>
#include <stdlib.h>

/* Tiles of 1 to 32 stations' edge: every count up to 65 puts the edge at every place in a tile. */
static void every_number_of_stations_up_to_65_is_right(void **state)
{
    const uint32_t most = test_small() ? 9 : 65;
    for (uint32_t polarisations = 1; polarisations <= 2; polarisations++)
        for (uint32_t stations = 1; stations <= most; stations++) {
            clradio_xengine_config config =
                xengine_config(CLRADIO_CI8, stations, polarisations, 1, test_small() ? 2 : 5);
            xengine_expect_reference(device_under_test(state), &config, stations);
        }
}

static void larger_arrays_are_right(void **state)
{
    static const uint32_t stations[] = { 80, 97, 100, 200, 256 };
    for (size_t s = 0; s < sizeof stations / sizeof *stations; s++)
        for (uint32_t polarisations = 1; polarisations <= 2; polarisations++) {
            clradio_xengine_config config =
                xengine_config(CLRADIO_CI8, stations[s], polarisations, 1, 3);
            xengine_expect_reference(device_under_test(state), &config, s);
        }
}

/* The same with the shape that graphics processors get, whatever the device. */
static void the_shape_for_graphics_processors_is_right_at_every_size(void **state)
{
    const uint32_t most = test_small() ? 5 : 35;
    for (uint32_t polarisations = 1; polarisations <= 2; polarisations++)
        for (uint32_t stations = 1; stations <= most; stations++) {
            clradio_xengine_config config =
                xengine_config(CLRADIO_CI8, stations, polarisations, 2, 9);
            config.parameters = "W=16 Bx=8 By=8 Dx=2 Dy=2 T_STAGE=8 FLOAT=0 STRIDED=1";
            if (!xengine_expect_reference(device_under_test(state), &config, stations + 1000))
                skip(); /* work-groups of 64 are too many for the device */
        }
}

static void odd_numbers_of_spectra_and_channels_are_right(void **state)
{
    static const uint64_t spectra[] = { 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 129 };
    static const uint32_t channels[] = { 1, 2, 3, 7, 65 };
    const size_t spectra_counts = test_small() ? 6 : sizeof spectra / sizeof *spectra;
    for (size_t s = 0; s < spectra_counts; s++)
        for (size_t c = 0; c < (test_small() ? 2 : 5); c++) {
            clradio_xengine_config config =
                xengine_config(CLRADIO_CI8, 5, 2, channels[c], spectra[s]);
            xengine_expect_reference(device_under_test(state), &config, s * 10 + c);
        }
}

/* Every order and conjugation of one input and output type, on an odd and an even array. */
static void expect_orders(clradio_device *device, clradio_xengine_config config)
{
    for (int order = CLRADIO_ORDER_BASELINE; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE; order++)
        for (int conjugate = 0; conjugate < 2; conjugate++)
            for (uint32_t stations = 4; stations <= 5; stations++) {
                config.stations = stations;
                config.order = (clradio_order)order;
                config.conjugate = conjugate;
                xengine_expect_reference(device, &config, (uint64_t)order);
            }
}

static void every_type_order_and_conjugation_is_right(void **state)
{
    static const struct {
        clradio_type input, outputs[5];
    } pairs[] = {
        { CLRADIO_CI8, { CLRADIO_CI32, CLRADIO_CI64, CLRADIO_CF32, CLRADIO_CF64 } },
        { CLRADIO_CI4, { CLRADIO_CI32, CLRADIO_CI64 } },
        { CLRADIO_CI16, { CLRADIO_CI64, CLRADIO_CF32 } },
        { CLRADIO_CF32, { CLRADIO_CF32, CLRADIO_CF64 } },
    };
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    for (uint32_t polarisations = 1; polarisations <= 2; polarisations++)
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
            for (size_t o = 0; pairs[p].outputs[o]; o++) {
                const unsigned codings = pairs[p].input == CLRADIO_CI4 ? 4 : 1;
                if (pairs[p].outputs[o] == CLRADIO_CF64 && !info.fp64)
                    continue;
                for (unsigned coding = 0; coding < codings; coding++) {
                    clradio_xengine_config config =
                        xengine_config(pairs[p].input, 5, polarisations, 3, 7);
                    config.output = pairs[p].outputs[o];
                    config.ci4_coding = coding;
                    expect_orders(device, config);
                }
            }
}

/* A few shapes, so that random configurations share programs. */
static const char *const shapes[] = {
    NULL,
    NULL,
    "SPLIT_T=3",
    "W=8 Bx=4 By=4 Dx=2 Dy=2 T_STAGE=4 STRIDED=1 RUN=0 FLOAT=0",
    "Bx=2 By=4 Dx=4 Dy=1 T_STAGE=3 STRIDED=0 RUN=9 FLOAT=0 SPLIT_T=2",
    "W=16 Bx=8 By=8 Dx=2 Dy=2 T_STAGE=8 FLOAT=0 STRIDED=1 RUN=16",
};

static clradio_xengine_config random_config(uint64_t *seed, int fp64)
{
    static const clradio_type inputs[] = { CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CI16, CLRADIO_CF32 };
    static const clradio_type outputs[] = { CLRADIO_CF32, CLRADIO_CF64, CLRADIO_CI64,
                                            CLRADIO_CI32 };
    const uint32_t stations =
        (uint32_t)test_random_between(seed, 1, test_random(seed) % 4 ? 20 : 70);
    clradio_xengine_config config = xengine_config(
        inputs[test_random(seed) % 4], stations, (uint32_t)test_random_between(seed, 1, 2),
        (uint32_t)test_random_between(seed, 1, 9), (uint64_t)test_random_between(seed, 1, 90));
    config.output = outputs[test_random(seed) % (config.input == CLRADIO_CF32 ? 2 : 4)];
    if (config.output == CLRADIO_CF64 && !fp64)
        config.output = CLRADIO_CF32;
    config.ci4_coding = config.input == CLRADIO_CI4 ? (unsigned)(test_random(seed) % 4) : 0;
    config.order = (clradio_order)(test_random(seed) % 6);
    config.conjugate = (int)(test_random(seed) % 2);
    config.flags = test_random(seed) % 3 ? 0 : CLRADIO_XENGINE_SINGLE_CALL;
    config.parameters = shapes[test_random(seed) % (sizeof shapes / sizeof *shapes)];
    return config;
}

static void random_configurations_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    const int count = test_small() ? 4 : test_long() ? 3000 : 100;
    assert_ok(clradio_device_describe(device, &info));
    for (int n = 0; n < count; n++) {
        uint64_t seed = 20261129u + (uint64_t)n;
        clradio_xengine_config config = random_config(&seed, info.fp64);
        if (test_small())
            config.stations = config.stations % 7 + 1, config.spectra = config.spectra % 11 + 1;
        xengine_expect_reference(device, &config, seed);
    }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_number_of_stations_up_to_65_is_right),
        DEVICE_TEST_SLOW(larger_arrays_are_right),
        DEVICE_TEST(the_shape_for_graphics_processors_is_right_at_every_size),
        DEVICE_TEST(odd_numbers_of_spectra_and_channels_are_right),
        DEVICE_TEST_SLOW(every_type_order_and_conjugation_is_right),
        DEVICE_TEST(random_configurations_are_right),
    };
    return run_device_tests("xengine_sizes", NULL, 0, tests, sizeof tests / sizeof *tests);
}
