/*
 * X-engine: what the variants fma and dot4 do by parameters: read every layout as it lies (READ=1),
 * keep sums as pairs of floats (RUNS=0), write visibilities themselves (DIRECT=1).
 */
#include "xengine_support.h"

#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    const char *variant, *parameters;
    clradio_type inputs[2];
} shape;

/* Small blocks; two inputs a time step of four spectra, and one. */
static const shape shapes[] = {
    { "fma",
      "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4 ASYNC=0 RUN=8 RUNS=0 READ=1 DIRECT=1",
      { CLRADIO_CF32, CLRADIO_CF16 } },
    { "dot4", "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=8 READ=1 DIRECT=1", { CLRADIO_CI8, CLRADIO_CI4 } },
    { "fma",
      "Gx=1 Gy=2 Dx=4 Dy=4 T_STAGE=8 ASYNC=0 BUFFERS=3 RUN=24 RUNS=2 READ=1 DIRECT=1",
      { CLRADIO_CF32, CLRADIO_CF16 } },
    { "dot4",
      "Gx=2 Gy=2 Dx=2 Dy=4 T_STAGE=16 RUN=32 READ=1 DIRECT=1",
      { CLRADIO_CI8, CLRADIO_CI4 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* All times together, blocks shorter and longer than a stage and some that fit none (they are
 * reordered), with whole and cut runs of times, aligned and not; visibilities by the kernel itself.
 */
static void layouts_are_read_as_they_lie(void **state)
{
    static const uint32_t blocks[] = { 0, 4, 16, 3, 12 }; /* 0: [channel][input][time] */
    static const uint64_t spectra[] = { 1, 7, 16, 41, 64, 96 };
    const size_t shapes_run = test_small() ? 2 : SHAPES, blocks_run = test_small() ? 2 : 5;
    clradio_device *device = device_under_test(state);
    if (xengine_loops_end(device))
        skip();
    for (size_t s = 0; s < shapes_run; s++)
        for (size_t b = 0; b < blocks_run; b++)
            for (size_t n = 0; n < (test_small() ? 2 : 6); n++) {
                const clradio_type input = shapes[s].inputs[(s / 2 + b) % 2];
                clradio_xengine_config config =
                    xengine_config_of(shapes[s].variant, shapes[s].parameters, input,
                                      9 + (uint32_t)(n % 3), 1 + (uint32_t)b % 2, 2, spectra[n]);
                config.ci4_coding = input == CLRADIO_CI4 ? n % 4 : 0;
                config.layout =
                    blocks[b] ? CLRADIO_LAYOUT_BLOCKED : CLRADIO_LAYOUT_CHANNEL_INPUT_TIME;
                config.block_times = blocks[b];
                config.flags = n % 3 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
                xengine_input_offset = n % 2 ? 0 : n + 1;
                xengine_expect_reference(device, &config, n);
            }
    xengine_input_offset = 3;
}

/* Every order and type of the output, from the kernel itself. */
static void visibilities_are_written_directly(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    if (xengine_loops_end(device))
        skip();
    for (int order = 0; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE; order++)
        for (unsigned n = 0; n < (test_small() ? 2 : 8); n++) {
            const unsigned is_float = n % 2;
            clradio_xengine_config config = xengine_config(is_float ? CLRADIO_CF32 : CLRADIO_CI8,
                                                           13 + n % 3, 1 + is_float, 2, 40);
            config.variant = is_float ? "fma" : "dot4";
            config.parameters = is_float
                                    ? "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4 ASYNC=0 RUN=8 RUNS=0 DIRECT=1"
                                    : "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=8 DIRECT=1";
            config.order = (clradio_order)order;
            config.output = is_float ? (n / 2 % 2 && info.fp64 ? CLRADIO_CF64 : CLRADIO_CF32)
                            : n % 4  ? CLRADIO_CI32
                                     : CLRADIO_CI64;
            config.conjugate = n / 4;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            xengine_expect_reference(device, &config, n);
        }
}

/* However the multiply-adds stand; the second problem of the self-test sees sums move on. */
static void every_order_of_the_multiply_adds_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    if (xengine_loops_end(device))
        skip();
    for (int order = 1; order <= 3; order++) {
        char parameters[96];
        snprintf(parameters, sizeof parameters,
                 "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4 RUN=32 RUNS=%d ORDER=%d", order - 1, order);
        clradio_xengine_config config =
            xengine_config(CLRADIO_CF32, 11, 1 + (uint32_t)order % 2, 1, 100);
        config.variant = "fma";
        config.parameters = parameters;
        xengine_expect_reference(device, &config, (uint64_t)order);
    }
}

/* A call of no spectra gives zeros, also from the kernel itself. */
static void no_spectra_give_zeros(void **state)
{
    static const uint64_t none = 0;
    clradio_device *device = device_under_test(state);
    for (size_t s = 0; s < (test_small() ? 2 : SHAPES); s++) {
        clradio_xengine_config config = xengine_config_of(shapes[s].variant, shapes[s].parameters,
                                                          shapes[s].inputs[0], 5, 2, 2, 20);
        clradio_xengine *plan;
        config.flags = CLRADIO_XENGINE_SINGLE_CALL;
        const clradio_status status = clradio_xengine_create(device, &config, &plan);
        if (status == CLRADIO_ERROR_UNSUPPORTED)
            continue; /* loops too short for it */
        assert_ok(status);
        void *spectra = xengine_random(&config, 20, s);
        unsigned char *sums = xengine_calls(device, plan, &config, spectra, &none, 1, NULL);
        for (size_t n = 0; n < clradio_xengine_visibilities_bytes(&config); n++)
            assert_int_equal(sums[n] & 0x7f, 0); /* -0 is zero */
        free(sums);
        free(spectra);
        clradio_xengine_destroy(plan);
    }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(layouts_are_read_as_they_lie),
        DEVICE_TEST(visibilities_are_written_directly),
        DEVICE_TEST(every_order_of_the_multiply_adds_is_right),
        DEVICE_TEST(no_spectra_give_zeros),
    };
    return run_device_tests("xengine_direct", NULL, 0, tests, sizeof tests / sizeof *tests);
}
