/*
 * X-engine: the variant wgmma against the plain reference. Its stages, operands, descriptors and
 * fragments are tested with plain C in the instructions' place (EMULATED=1), which finds each byte
 * by the rules of the PTX manual; where the device has the instructions, both ways are.
 */
#include "xengine_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char small_tiles[] = "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3";
/* sums move on after two stages */
static const char small_halves[] = "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=3 RUN=64";

static int has_instructions(clradio_device *device)
{
    return xengine_serves(device, "wgmma", CLRADIO_CI8);
}

/* With the instructions where the device has them, and without them where its local memory and
 * work-groups are large enough; returns 0 where neither could be. */
static int expect(clradio_device *device, clradio_xengine_config config, const char *shape,
                  uint64_t seed)
{
    const int emulated = strstr(shape, "COPIERS") || /* said to be none */
                         xengine_expect_emulated(device, config, "wgmma", shape, seed);
    if (!has_instructions(device))
        return emulated;
    /* what NVIDIA's OpenCL answers of kernels for more than 384 work-items is not known: such a
     * shape may be refused there */
    int warpgroups = 1;
    sscanf(shape, "WARPGROUPS=%d", &warpgroups);
    assert_true(xengine_expect_shape(device, config, "wgmma", shape, seed) ||
                (is_opencl(device) && 128 * warpgroups > 384));
    return 1;
}

static const char *small(clradio_type input)
{
    return input == CLRADIO_CF16 ? small_halves : small_tiles;
}

/* Tiles of 64 inputs: 1 to 65 stations and some more end everywhere in them, in one call that
 * writes the visibilities itself and through wide sums. */
static void every_number_of_stations_is_right(void **state)
{
    static const uint32_t more[] = { 66, 95, 96, 97, 127, 128, 129, 130 };
    static const clradio_type inputs[] = { CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CF16 };
    clradio_device *device = device_under_test(state);
    for (uint32_t n = 1; n <= 65 + sizeof more / sizeof *more; n++) {
        const uint32_t stations = n <= 65 ? n : more[n - 66];
        clradio_xengine_config config =
            xengine_config(inputs[n % 3], stations, n < 12 && n % 2 ? 1 : 2, 1 + n % 2, 35);
        config.layout = (clradio_layout)(n / 2 % 3);
        config.ci4_coding = config.input == CLRADIO_CI4 ? n / 4 % 4 : 0;
        config.flags = n / 3 % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
        if (!expect(device, config, small(config.input), n))
            skip();
    }
}

/* The last stage may be whole, empty but for one spectrum, or all but one; so may the last block;
 * 1,000 spectra pass through the stages and operands many times. */
static void every_number_of_spectra_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t counts[] = { 1,  15,  16,  17,  31,  32,  33,  63,  64,
                                       65, 127, 128, 129, 191, 192, 193, 1000 };
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (int kind = 0; kind < 5; kind++) {
            clradio_xengine_config config = xengine_config(kind == 4  ? CLRADIO_CF16
                                                           : kind % 2 ? CLRADIO_CI4
                                                                      : CLRADIO_CI8,
                                                           8, 2, 1, counts[n]);
            config.layout = kind < 2 ? CLRADIO_LAYOUT_TIME_CHANNEL_INPUT : CLRADIO_LAYOUT_BLOCKED;
            config.ci4_coding = config.input == CLRADIO_CI4 ? n % 4 : 0;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            if (!expect(device, config, small(config.input), n))
                skip();
        }
}

/* All that one run on a card compares: tiles, instructions, stages, each with one kind of input (a
 * processor takes seconds to build a program). */
static const struct {
    clradio_type input;
    clradio_layout layout;
    const char *parameters;
} shapes[] = {
    { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=64 STAGES=6" },
    { CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT,
      "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=128 STAGES=3" },
    { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=1 COLUMNS=128 PRODUCT=64 T_STAGE=128 STAGES=4" },
    { CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=128 STAGES=4" },
    { CLRADIO_CI4, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT,
      "WARPGROUPS=3 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=8" },
    { CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT,
      "WARPGROUPS=4 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=4" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=4 RUN=128" },
    { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=4 COPIERS=1" },
    { CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=4 COPIERS=2" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=4 RUN=256" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 RUN=256 SKIP=1" },
    { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=4 COPIERS=1 SKIP=1 EXTRA=16" },
    { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=64 STAGES=6 COPIERS=4 SKIP=1 EXTRA=16" },
    { CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT,
      "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=128 STAGES=3 COPIERS=2 SKIP=1" },
    { CLRADIO_CI4, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT,
      "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=64 STAGES=5 COPIERS=4 SKIP=1" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=4 RUN=256 COPIERS=4 SKIP=1" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=6 RUN=256 SKIP=1 OWN_LOCAL=1" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED,
      "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=5 RUN=256 COPIERS=4 SKIP=1 "
      "EXTRA=16 OWN_LOCAL=1" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT,
      "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=4 RUN=256 COPIERS=4 SKIP=1 "
      "OWN_LOCAL=1 READ=1" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT,
      "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=5 RUN=128 SKIP=1 READ=1" },
    { CLRADIO_CF16, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT,
      "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=4 RUN=32 SKIP=1 OWN_LOCAL=1 "
      "READ=1" },
};

/* 128 and 130 inputs end in the second and the third tile of 64, 700 spectra pass through all
 * stages. */
static void every_shape_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const int blocked = shapes[s].layout == CLRADIO_LAYOUT_BLOCKED;
        clradio_xengine_config config =
            xengine_config(shapes[s].input, blocked ? 130 : 128, 1, 1, blocked ? 700 : 200);
        config.layout = shapes[s].layout;
        config.flags = CLRADIO_XENGINE_SINGLE_CALL;
        if (!expect(device, config, shapes[s].parameters, s))
            skip();
    }
}

/* A few inputs more than whole tiles of 64 or 128, and fewer: what a warpgroup leaves out is not
 * needed, and what is beyond the tiles is there once, in one call and through wide sums. */
static void inputs_that_fill_no_tile_are_right(void **state)
{
    static const char *const shapes[] = {
        "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 SKIP=1 EXTRA=16 LAST=2",
        "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=64 STAGES=3 SKIP=1 EXTRA=16",
        "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 SKIP=1",
        "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 SKIP=1 EXTRA=32 LAST=3",
        "WARPGROUPS=2 COLUMNS=128 PRODUCT=64 T_STAGE=64 STAGES=3 SKIP=1 EXTRA=32",
        "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=16 STAGES=4 RUN=32 SKIP=1 EXTRA=16 "
        "OWN_LOCAL=1",
    };
    static const struct {
        uint32_t stations, polarisations;
        int shape;
        clradio_type input;
        clradio_layout layout;
    } cases[] = {
        { 65, 1, 0, CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED },
        { 33, 2, 0, CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED },
        { 40, 2, 0, CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT }, /* 80, in whole units */
        { 136, 1, 0, CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT },
        { 39, 2, 0, CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED },
        { 97, 1, 0, CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED }, /* more than are beyond a tile */
        { 128, 1, 0, CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED },
        { 7, 2, 0, CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED },
        { 65, 2, 1, CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED },
        { 144, 1, 1, CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT },
        { 257, 1, 1, CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED },
        { 91, 1, 3, CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED },
        { 77, 2, 4, CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED },
        { 67, 1, 5, CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED },
        { 70, 2, 5, CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED },
        { 69, 2, 1, CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED },
        { 65, 2, 2, CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT },
        { 100, 2, 2, CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED },
        { 191, 1, 2, CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED },
    };
    clradio_device *device = device_under_test(state);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int single = 0; single < 2; single++) {
            clradio_xengine_config config =
                xengine_config(cases[c].input, cases[c].stations, cases[c].polarisations, 1 + c % 5,
                               single ? 130 : 75);
            config.layout = cases[c].layout;
            config.flags = single ? CLRADIO_XENGINE_SINGLE_CALL : 0;
            config.ci4_coding = cases[c].input == CLRADIO_CI4 ? c % 4 : 0;
            config.order = single ? (clradio_order)(c % 3) : CLRADIO_ORDER_BASELINE;
            if (!expect(device, config, shapes[cases[c].shape], c))
                skip();
        }
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
        for (unsigned n = 0; n < 4; n++) {
            const int is_float = outputs[n] == CLRADIO_CF32 || outputs[n] == CLRADIO_CF64;
            clradio_xengine_config config = xengine_config(is_float && order % 2 ? CLRADIO_CF16
                                                           : n % 2               ? CLRADIO_CI4
                                                                                 : CLRADIO_CI8,
                                                           37 + (n + order) % 3, 2, 2, 40);
            config.order = (clradio_order)order;
            config.output = outputs[n % 4];
            config.conjugate = order % 2;
            config.flags = CLRADIO_XENGINE_SINGLE_CALL;
            if (config.output == CLRADIO_CF64 && !info.fp64)
                config.output = CLRADIO_CF32;
            if (!expect(device, config, small(config.input), n))
                skip();
        }
}

/* Every sample of a kind, in all four corners: the complement of -128 is 127, and the sums of
 * imaginary parts are as large as they get. */
static void the_most_negative_input_is_exact(void **state)
{
    static const int parts[][2] = { { -8, -8 }, { -8, 7 }, { 7, -8 }, { 7, 7 } };
    clradio_device *device = device_under_test(state);
    for (int n = 0; n < 16; n++) {
        const int is_ci4 = n % 2, corner = n / 2 % 4, layout = n / 8 * 2;
        const int scale = is_ci4 ? 1 : 16;
        clradio_xengine_config config =
            xengine_config(is_ci4 ? CLRADIO_CI4 : CLRADIO_CI8, 20, 2, 1, 100);
        clradio_xengine *plan = NULL;
        config.variant = "wgmma";
        config.parameters =
            has_instructions(device)
                ? small_tiles
                : "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 EMULATED=1";
        config.layout = (clradio_layout)layout;
        config.flags = CLRADIO_XENGINE_SINGLE_CALL;
        if (layout)
            config.block_times = clr_xengine_usual_block_times(config.input);
        const int re = parts[corner][0] < 0 ? -8 * scale : 8 * scale - 1;
        const int im = parts[corner][1] < 0 ? -8 * scale : 8 * scale - 1;
        unsigned char *spectra = xengine_zeros(&config, config.spectra);
        for (uint64_t time = 0; time < config.spectra; time++)
            for (uint32_t input = 0; input < 40; input++)
                xengine_set(&config, spectra, time, 0, input, re, im);
        const clradio_status status = clradio_xengine_create(device, &config, &plan);
        if (status == CLRADIO_ERROR_UNSUPPORTED) {
            free(spectra);
            skip();
        }
        assert_ok(status);
        int64_t *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
        for (size_t v = 0; v < (size_t)210 * 4; v++) {
            assert_int_equal(sums[2 * v], 100 * (re * re + im * im));
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
    static const clradio_type types[] = { CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CF16 };
    const size_t offset = xengine_input_offset;
    for (int n = 0; n < 18; n++) {
        clradio_xengine_config config = xengine_config(types[n % 3], 31 + n / 2 % 3, 2, 2, 70);
        config.layout = n / 3 % 2 ? CLRADIO_LAYOUT_BLOCKED : CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
        config.flags = CLRADIO_XENGINE_SINGLE_CALL;
        xengine_input_offset = (size_t)n;
        const int served = expect(device, config, small(config.input), (uint64_t)n);
        xengine_input_offset = offset;
        if (!served)
            skip();
    }
}

/* Halves whose operands are read as they lie (READ=2), in tiles of 32 to 128 rows and 64 or 128
 * columns: rows among the columns or not, runs that end at different times, a last stage of which
 * one spectrum is there or all, inputs that fill no tile and no line, words in place of units. */
static void halves_as_they_lie_are_right(void **state)
{
    static const char *const shapes[] = {
        "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=3 RUN=64 READ=2 LAST=2",
        "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=32 STAGES=8 RUN=256 COPIERS=4 SKIP=1 READ=2 "
        "LAST=16",
        "WARPGROUPS=2 COLUMNS=128 PRODUCT=64 T_STAGE=64 STAGES=4 RUN=128 COPIERS=4 READ=2",
        "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=4 RUN=64 COPIERS=4 SKIP=1 READ=2",
    };
    static const struct {
        uint32_t stations, polarisations;
        uint64_t spectra;
        size_t offset; /* samples in front of the array */
    } cases[] = {
        { 2, 2, 1, 0 },    { 32, 1, 31, 0 },  { 16, 2, 32, 4 },   { 34, 2, 33, 0 },
        { 64, 1, 70, 1 },  { 33, 2, 64, 3 },  { 66, 2, 129, 0 },  { 100, 1, 96, 8 },
        { 70, 2, 200, 0 }, { 128, 1, 65, 2 }, { 130, 2, 300, 0 }, { 98, 2, 128, 0 },
    };
    clradio_device *device = device_under_test(state);
    const size_t offset = xengine_input_offset;
    for (size_t n = 0; n < 2 * (sizeof cases / sizeof *cases); n++) {
        const size_t c = n / 2, kind = (c + 2 * (n % 2)) % 4;
        clradio_xengine_config config = xengine_config(
            CLRADIO_CF16, cases[c].stations, cases[c].polarisations, 1 + n % 3, cases[c].spectra);
        char shape[128];
        if (config.stations * config.polarisations % 4)
            config.stations++;
        config.order = (clradio_order)(n % 3);
        config.conjugate = n / 2 % 2;
        config.flags = n % 5 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
        /* warps that only copy are not emulated */
        snprintf(shape, sizeof shape, "%s", shapes[kind]);
        char *const copiers = strstr(shape, "COPIERS=4 ");
        if (copiers && !has_instructions(device))
            memmove(copiers, copiers + 10, strlen(copiers + 10) + 1);
        if (!copiers && has_instructions(device))
            continue;
        xengine_input_offset = cases[c].offset;
        const int served = expect(device, config, shape, n);
        xengine_input_offset = offset;
        if (!served)
            skip();
    }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_number_of_stations_is_right),
        DEVICE_TEST(every_number_of_spectra_is_right),
        DEVICE_TEST(every_shape_is_right),
        DEVICE_TEST(inputs_that_fill_no_tile_are_right),
        DEVICE_TEST(every_order_and_output_is_right),
        DEVICE_TEST(the_most_negative_input_is_exact),
        DEVICE_TEST(arrays_at_any_offset_are_right),
        DEVICE_TEST(halves_as_they_lie_are_right),
    };
    return run_device_tests("xengine_wgmma", NULL, 0, tests, sizeof tests / sizeof *tests);
}
