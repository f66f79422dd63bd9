/*
 * X-engine: the variants that multiply blocks of inputs in registers (fma, dot4) or packed panels
 * of them (panel), each in a small shape, so that few stations have every kind of block, and as it
 * comes. On devices that a variant was not made for it is slow and right.
 */
#include "xengine_support.h"

#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The smallest shapes: blocks of 16 inputs (panel: 8 or 16), runs that end within tens of spectra.
 */
typedef struct shape {
    const char *variant, *parameters;
    uint32_t stations_step; /* a second shape, and a second type, see fewer sizes */
    clradio_type inputs[5];
} shape;

static const shape shapes[] = {
    { "fma",
      "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4 ASYNC=0 RUN=8 RUNS=2",
      1,
      { CLRADIO_CF32, CLRADIO_CF16 } },
    { "fma", "Gx=1 Gy=2 Dx=4 Dy=4 T_STAGE=2 ASYNC=0 BUFFERS=3 RUN=6 RUNS=1", 7, { CLRADIO_CF32 } },
    { "fma",
      "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4 ASYNC=0 RUN=8 RUNS=0 READ=1 DIRECT=1",
      7,
      { CLRADIO_CF32, CLRADIO_CF16 } },
    { "dot4", "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=8 RUN=16", 1, { CLRADIO_CI8, CLRADIO_CI4 } },
    { "dot4", "Gx=2 Gy=2 Dx=2 Dy=4 T_STAGE=16", 7, { CLRADIO_CI8 } },
    { "dot4", "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=8 READ=1 DIRECT=1", 7, { CLRADIO_CI8, CLRADIO_CI4 } },
    { "mfma", "Gx=1 Gy=1 FX=1 FY=1 T_STAGE=32 RUN=32", 3, { CLRADIO_CI8, CLRADIO_CI4 } },
    { "wmma", "Gx=2 Gy=1 FX=1 FY=2 T_STAGE=32", 7, { CLRADIO_CI8, CLRADIO_CI4 } },
    { "panel", "W=8 T_STAGE=5", 1, { CLRADIO_CF32, CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CF16 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* A simulator takes minutes to build what is here, and such a driver to run it: they see the first
 * shape of each kernel. */
static size_t next_shape(clradio_device *device, size_t s)
{
    do
        s++;
    while (s < SHAPES && (test_small() || xengine_loops_end(device)) &&
           shapes[s].stations_step == 7);
    return s;
}

static void every_number_of_stations_up_to_65_is_right(void **state)
{
    const uint32_t most = test_small() ? 9 : 65;
    const int slow = xengine_loops_end(device_under_test(state));
    for (size_t s = 0; s < SHAPES; s = next_shape(device_under_test(state), s))
        for (uint32_t polarisations = 1; polarisations <= 2; polarisations++)
            for (size_t i = 0; i < (test_small() || slow ? 2 : 5) && shapes[s].inputs[i]; i++)
                for (uint32_t stations = 1; stations <= most;
                     stations += test_small()    ? 4
                                 : slow          ? 32
                                 : stations > 34 ? 6
                                 : i             ? 5
                                                 : shapes[s].stations_step) {
                    clradio_xengine_config config =
                        xengine_config_of(shapes[s].variant, shapes[s].parameters,
                                          shapes[s].inputs[i], stations, polarisations, 1, 5);
                    xengine_input_offset = stations % 4;
                    if (!xengine_expect_reference(device_under_test(state), &config, stations))
                        break;
                }
    xengine_input_offset = 3;
}

static void odd_numbers_of_spectra_and_channels_are_right(void **state)
{
    static const uint64_t spectra[] = { 1,  2,  3,  4,  5,  7,  8,  9,  15,
                                        16, 17, 31, 32, 33, 63, 64, 65, 101 };
    const size_t counts = test_small() ? 8 : sizeof spectra / sizeof *spectra;
    for (size_t s = 0; s < SHAPES; s = next_shape(device_under_test(state), s))
        for (size_t n = 0; n < counts;
             n += test_small() || xengine_loops_end(device_under_test(state)) ? 3 : 1) {
            clradio_xengine_config config =
                xengine_config_of(shapes[s].variant, shapes[s].parameters,
                                  shapes[s].inputs[n % 2 && shapes[s].inputs[1]], 5, 2,
                                  1 + (uint32_t)(n % 3), spectra[n]);
            xengine_input_offset = n % 4;
            if (!xengine_expect_reference(device_under_test(state), &config, n))
                break;
        }
    xengine_input_offset = 3;
}

/* Blocks are by inputs: with an odd number of them pairs are cut, rows are not aligned. */
static void orders_layouts_and_slices_are_right(void **state)
{
    for (size_t s = 0; s < SHAPES; s = next_shape(device_under_test(state), s))
        for (uint32_t stations = 10; stations <= 11; stations++)
            for (int order = CLRADIO_ORDER_BASELINE; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE;
                 order += test_small() || xengine_loops_end(device_under_test(state)) ? 3 : 1) {
                char parameters[128];
                snprintf(parameters, sizeof parameters, "%s SPLIT_T=%d", shapes[s].parameters,
                         1 + order % 3);
                clradio_xengine_config config =
                    xengine_config_of(shapes[s].variant, shapes[s].parameters, shapes[s].inputs[0],
                                      stations, 1, 3, 41);
                config.parameters = parameters;
                config.order = (clradio_order)order;
                config.conjugate = order % 2;
                config.layout = (clradio_layout)(order % 3);
                config.block_times = config.layout == CLRADIO_LAYOUT_BLOCKED ? 16 : 0;
                if (order % 2)
                    config.flags = CLRADIO_XENGINE_SINGLE_CALL;
                xengine_expect_reference(device_under_test(state), &config, (uint64_t)order);
            }
}

static void calls_add_up(void **state)
{
    static const uint64_t lengths[] = { 37, 1, 12 };
    for (size_t s = 0; s < SHAPES; s = next_shape(device_under_test(state), s)) {
        clradio_xengine_config config = xengine_config_of(shapes[s].variant, shapes[s].parameters,
                                                          shapes[s].inputs[0], 9, 2, 2, 50);
        clradio_xengine *plan;
        const clradio_status status =
            clradio_xengine_create(device_under_test(state), &config, &plan);
        if (status == CLRADIO_ERROR_UNSUPPORTED)
            continue; /* loops too short for it */
        assert_ok(status);
        void *spectra = xengine_random(&config, 50, s);
        void *once =
            xengine_calls(device_under_test(state), plan, &config, spectra, lengths, 3, NULL);
        xengine_compare(&config, spectra, 50, once, 0);
        /* and the same bits again */
        void *again =
            xengine_calls(device_under_test(state), plan, &config, spectra, lengths, 3, NULL);
        assert_memory_equal(once, again, clradio_xengine_visibilities_bytes(&config));
        free(once);
        free(again);
        free(spectra);
        clradio_xengine_destroy(plan);
    }
}

/* One plan over constant samples; NULL when the device cannot have it. */
static int64_t *sums_of(clradio_device *device, const clradio_xengine_config *config,
                        const void *spectra)
{
    clradio_xengine *plan;
    const clradio_status status = clradio_xengine_create(device, config, &plan);
    if (status == CLRADIO_ERROR_UNSUPPORTED)
        return NULL;
    assert_ok(status);
    void *sums = xengine_calls(device, plan, config, spectra, &config->spectra, 1, NULL);
    clradio_xengine_destroy(plan);
    return sums;
}

/* All 256 values of ci4 against each other: input k holds the value whose bits are k. */
static void every_product_of_two_4_bit_values_is_exact(void **state)
{
    if (xengine_loops_end(device_under_test(state)))
        skip();
    for (size_t s = 0; s < SHAPES; s = next_shape(device_under_test(state), s))
        for (unsigned coding = 0; coding < 4; coding++) {
            const int takes =
                shapes[s].inputs[1] == CLRADIO_CI4 || shapes[s].inputs[2] == CLRADIO_CI4;
            clradio_xengine_config config = xengine_config_of(
                shapes[s].variant, shapes[s].parameters, CLRADIO_CI4, 256, 1, 1, 9);
            config.ci4_coding = coding;
            if (!takes)
                continue;
            uint8_t *spectra = xengine_zeros(&config, 9);
            for (uint32_t t = 0; t < 9; t++)
                for (uint32_t k = 0; k < 256; k++)
                    xengine_set(&config, spectra, t, 0, k, (int)(k / 16) - 8, (int)(k % 16) - 8);
            int64_t *sums = sums_of(device_under_test(state), &config, spectra);
            const int64_t *at = sums;
            for (int i = 0; sums && i < 256; i++)
                for (int j = 0; j <= i; j++, at += 2) {
                    const int a = i / 16 - 8, b = i % 16 - 8, c = j / 16 - 8, d = j % 16 - 8;
                    assert_int_equal(at[0], 9 * (a * c + b * d));
                    assert_int_equal(at[1], 9 * (b * c - a * d));
                }
            free(sums);
            free(spectra);
        }
}

/*
 * The largest sums that 32 bits hold, one more and two more: two stations of q + q i and q - (q +
 * 1) i, q the most negative value, of which every product is at an end of its range.
 */
static void sums_go_on_where_32_bits_end(void **state)
{
    if (xengine_loops_end(device_under_test(state)))
        skip();
    static const char *const variants[][2] = {
        { "dot4", "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=8 SPLIT_T=1" },
        { "panel", "W=8 T_STAGE=256 SPLIT_T=1" },
        { "mfma", "Gx=1 Gy=1 FX=1 FY=1 T_STAGE=32 SPLIT_T=1" },
    };
    for (size_t v = 0; v < 3; v++)
        for (uint64_t count = 65535; count <= 65537; count++) {
            const int q = -128, p = 127;
            clradio_xengine_config config = xengine_config(CLRADIO_CI8, 2, 1, 1, count);
            config.variant = variants[v][0];
            config.parameters = variants[v][1];
            void *spectra = xengine_zeros(&config, count);
            for (uint64_t t = 0; t < count; t++) {
                xengine_set(&config, spectra, t, 0, 0, q, q);
                xengine_set(&config, spectra, t, 0, 1, q, p);
            }
            int64_t *sums = sums_of(device_under_test(state), &config, spectra);
            if (sums) {
                const int64_t n = (int64_t)count;
                const int64_t expected[] = { n * 2 * q * q,       0,
                                             n * (q * q + p * q), n * (p * q - q * q),
                                             n * (q * q + p * p), 0 };
                for (int k = 0; k < 6; k++)
                    assert_int_equal(sums[k], expected[k]);
            }
            free(sums);
            free(spectra);
        }
}

/* What a plan gets when nobody says more, and the shapes for graphics processors whatever the
 * device (with short stages, which are quicker to build). */
static void the_default_shapes_are_right(void **state)
{
    if (xengine_loops_end(device_under_test(state)))
        skip();
    static const struct {
        const char *variant;
        clradio_type input;
        const char *parameters;
    } cases[] = {
        { "fma", CLRADIO_CF32, NULL },
        { "fma", CLRADIO_CF32, "Gx=2 Gy=2 Dx=4 Dy=8 T_STAGE=4 ASYNC=0" },
        { "fma", CLRADIO_CF32, "Gx=2 Gy=2 Dx=4 Dy=8 T_STAGE=8 ASYNC=0 RUNS=0" },
        { "dot4", CLRADIO_CI8, NULL },
        { "dot4", CLRADIO_CI8, "Gx=2 Gy=2 Dx=4 Dy=8 T_STAGE=8" },
        { "dot4", CLRADIO_CI4, "Gx=2 Gy=2 Dx=4 Dy=8 T_STAGE=8" },
        { "mfma", CLRADIO_CI8, NULL },
        { "mfma", CLRADIO_CI4, "Gx=2 Gy=2 FX=2 FY=2" },
        { "wmma", CLRADIO_CI8, "Gx=2 Gy=2 FX=1 FY=1" },
        { "panel", CLRADIO_CF32, NULL },
        { "panel", CLRADIO_CI8, NULL },
    };
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device_under_test(state), &info));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        clradio_xengine_config config = xengine_config(cases[c].input, 35, 2, 2, 300);
        config.variant = cases[c].variant;
        config.parameters = cases[c].parameters;
        if (info.local_memory_bytes >= 65536)
            xengine_expect_reference(device_under_test(state), &config, c);
    }
}

static void what_a_variant_cannot_do_has_a_sentence(void **state)
{
    static const struct {
        const char *variant;
        clradio_type input;
        const char *parameters, *sentence;
    } bad[] = {
        { "fma", CLRADIO_CI8, "", "takes cf32 and cf16 input, not ci8" },
        { "dot4", CLRADIO_CF32, "", "takes ci8 and ci4 input, not cf32" },
        { "panel", CLRADIO_CI16, "", "too wide" },
        { "fma", CLRADIO_CF32, "Dx=3", "both are even" },
        { "fma", CLRADIO_CF32, "Gx=1 Gy=2 Dx=4 Dy=8", "8 Gx Dx must be 4 Gy Dy" },
        { "fma", CLRADIO_CF32, "Gx=1 Gy=1 Dx=16 Dy=16", "|sums a work-item|8 Gx Dx must" },
        { "fma", CLRADIO_CF32, "Gx=1 Gy=1 Dx=8 Dy=16", "must be a multiple of the 64 inputs" },
        { "fma", CLRADIO_CF32, "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=3", "T_STAGE=3" },
        { "fma", CLRADIO_CF32, "RUN=12 T_STAGE=8", "RUN=12 is not a multiple of T_STAGE=8" },
        { "fma", CLRADIO_CF32, "RUN=512 RUNS=3", "1536 terms in a float sum" },
        { "fma", CLRADIO_CF32, "W=5", "W=5 is not the" },
        { "fma", CLRADIO_CF32, "BUFFERS=5", "out of range" },
        { "fma", CLRADIO_CF16, "ASYNC=1", "|widened in registers|ASYNC=1 is for NVIDIA" },
        { "dot4", CLRADIO_CI8, "ASYNC=1", "turns its input round in registers" },
        { "dot4", CLRADIO_CI8, "Gx=1 Gy=1 Dx=2 Dy=4 T_STAGE=4", "T_STAGE=4 is not a multiple" },
        { "dot4", CLRADIO_CI8, "RUN=33 T_STAGE=32", "RUN=33 is not a multiple of T_STAGE=32" },
        { "mfma", CLRADIO_CF32, "", "mfma takes ci8 and ci4 input, not cf32" },
        { "mfma", CLRADIO_CI8, "Gx=2 Gy=1 FX=1 FY=1", "Gx FX must be Gy FY" },
        { "wmma", CLRADIO_CI8, "T_STAGE=48", "T_STAGE=48" },
        { "wmma", CLRADIO_CI8, "Gx=1 Gy=1 FX=4 FY=4", "must be a multiple of the 64 inputs" },
        { "mfma", CLRADIO_CI8, "RUN=40", "RUN=40 is not a multiple of T_STAGE=32" },
        { "mfma", CLRADIO_CI8, "W=5", "W=5 is not the" },
        { "panel", CLRADIO_CF32, "W=5", "not a multiple of 8" },
    };
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device_under_test(state), &info));
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        clradio_xengine *plan = NULL;
        clradio_xengine_config config = xengine_config(bad[b].input, 4, 2, 1, 8);
        config.variant = bad[b].variant;
        config.parameters = bad[b].parameters;
        assert_int_not_equal(clradio_xengine_create(device_under_test(state), &config, &plan),
                             CLRADIO_OK);
        assert_null(plan);
        char words[96];
        snprintf(words, sizeof words, "%s", bad[b].sentence);
        int found = 0;
        for (char *word = strtok(words, "|"); word; word = strtok(NULL, "|"))
            found |= strstr(clradio_last_error(), word) != NULL;
        found |= info.max_group_size < 128 && strstr(clradio_last_error(), "a work-group of");
        if (!found)
            fprintf(stderr, "# '%s' lacks '%s'\n", clradio_last_error(), bad[b].sentence);
        assert_true(found);
    }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_number_of_stations_up_to_65_is_right),
        DEVICE_TEST(odd_numbers_of_spectra_and_channels_are_right),
        DEVICE_TEST(orders_layouts_and_slices_are_right),
        DEVICE_TEST(calls_add_up),
        DEVICE_TEST_SLOW(every_product_of_two_4_bit_values_is_exact),
        DEVICE_TEST_SLOW(sums_go_on_where_32_bits_end),
        DEVICE_TEST_SLOW(the_default_shapes_are_right),
        DEVICE_TEST(what_a_variant_cannot_do_has_a_sentence),
    };
    return run_device_tests("xengine_blocks", NULL, 0, tests, sizeof tests / sizeof *tests);
}
