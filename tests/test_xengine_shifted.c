/*
 * X-engine: the variant wgmma on spectra of [time][channel][input] that are no whole lines of 128
 * bytes, read as they lie (SHIFTED=1): each channel begins at another place of a line and of a unit
 * of 16 bytes, the last inputs come round in front of the others, and tiles hold inputs of the
 * channel's neighbours, which must never show. With the instructions where the device has them,
 * elsewhere with plain C in their place.
 */
#include "xengine_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char tiles[] = "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 SHIFTED=1";
static const char halves[] =
    "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=3 RUN=64 READ=1 SHIFTED=1";

static const char grams[] =
    "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=3 RUN=64 READ=2 SHIFTED=1";

static const char large_tiles[] =
    "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=64 STAGES=4 SKIP=1 LAST=6 SHIFTED=1";
static const char large_halves[] = "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=4 "
                                   "COPIERS=4 RUN=256 SKIP=1 OWN_LOCAL=1 READ=1 SHIFTED=1";

static const char *small(clradio_type input, size_t number)
{
    return input != CLRADIO_CF16 ? tiles : number % 2 ? halves : grams;
}

static int has_instructions(clradio_device *device)
{
    return xengine_serves(device, "wgmma", CLRADIO_CI8);
}

/* The fewest channels that are whole units, whatever the number of stations. */
static uint32_t channels_of(clradio_type input, uint32_t polarisations)
{
    return 16 / (polarisations * (uint32_t)clradio_type_bytes(input));
}

static int is_whole(const clradio_xengine_config *config)
{
    return (uint64_t)config->stations * config->polarisations * clradio_type_bytes(config->input) %
               16 ==
           0;
}

/* Returns 0 where local memory, work-groups or registers are too small. */
static int take_shape(clradio_device *device, clradio_xengine_config *config, const char *shape,
                      char parameters[256])
{
    clradio_xengine *plan = NULL;
    snprintf(parameters, 256, "%s%s", shape,
             !has_instructions(device) ? " EMULATED=1"
             : shape == grams          ? " COPIERS=4"
                                       : "");
    config->variant = "wgmma";
    config->parameters = parameters;
    const clradio_status status = clradio_xengine_create(device, config, &plan);
    clradio_xengine_destroy(plan);
    if (status == CLRADIO_ERROR_UNSUPPORTED && (!has_instructions(device) || is_opencl(device)))
        return 0;
    assert_ok(status);
    return 1;
}

static int expect(clradio_device *device, clradio_xengine_config config, const char *shape,
                  uint64_t seed)
{
    char parameters[256];
    return take_shape(device, &config, shape, parameters) &&
           xengine_expect_reference(device, &config, seed);
}

/* Around units and tiles of 64 inputs, all orders, in one call that writes the visibilities itself
 * and through wide sums, from arrays that begin with a unit and from others. */
static void every_number_of_stations_is_right(void **state)
{
    static const uint32_t stations[] = { 1,  2,  3,  4,  5,  7,  8,  9,  15, 17, 29,  30, 31,
                                         33, 47, 49, 61, 62, 63, 65, 66, 95, 97, 127, 129 };
    static const clradio_type types[] = { CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CF16 };
    clradio_device *device = device_under_test(state);
    const size_t offset = xengine_input_offset;
    for (size_t n = 0; n < 6 * sizeof stations / sizeof *stations; n++) {
        const uint32_t polarisations = 1 + n / 3 % 2;
        clradio_xengine_config config =
            xengine_config(types[n % 3], stations[n / 6], polarisations,
                           channels_of(types[n % 3], polarisations) * (1 + n % 2), 35);
        config.ci4_coding = config.input == CLRADIO_CI4 ? n / 6 % 4 : 0;
        config.flags = n / 6 % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
        config.order = (clradio_order)(n / 12 % 6);
        config.conjugate = n % 5 == 0;
        if (is_whole(&config))
            continue;
        xengine_input_offset = n / 6 % 4 == 3 ? n % 7 : 0;
        const int served = expect(device, config, small(config.input, n / 4), n);
        xengine_input_offset = offset;
        if (!served)
            skip();
    }
}

/* Some channels' inputs fill whole tiles and others' pass them; those that pass come first, with
 * inputs of the channel in front of theirs. */
static void inputs_beyond_a_tile_are_right(void **state)
{
    static const char *const shapes[] = {
        "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 SKIP=1 EXTRA=16 LAST=2 SHIFTED=1",
        "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 SKIP=1 EXTRA=32 LAST=3 SHIFTED=1",
        "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 SKIP=1 SHIFTED=1",
        "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=64 STAGES=3 SKIP=1 EXTRA=16 SHIFTED=1",
    };
    static const struct {
        uint32_t stations, polarisations;
        int shape;
        clradio_type input;
    } cases[] = {
        { 63, 1, 0, CLRADIO_CI8 },  { 31, 2, 0, CLRADIO_CI8 },  { 61, 1, 0, CLRADIO_CI8 },
        { 65, 1, 0, CLRADIO_CI8 },  { 33, 2, 0, CLRADIO_CI8 },  { 127, 1, 0, CLRADIO_CI8 },
        { 63, 2, 0, CLRADIO_CI8 },  { 65, 2, 0, CLRADIO_CI8 },  { 95, 2, 0, CLRADIO_CI8 },
        { 97, 2, 0, CLRADIO_CI8 },  { 73, 1, 0, CLRADIO_CI8 },  { 49, 1, 0, CLRADIO_CI8 },
        { 63, 1, 0, CLRADIO_CI4 },  { 31, 2, 0, CLRADIO_CI4 },  { 65, 1, 0, CLRADIO_CI4 },
        { 33, 2, 0, CLRADIO_CI4 },  { 127, 1, 0, CLRADIO_CI4 }, { 63, 2, 0, CLRADIO_CI4 },
        { 65, 2, 0, CLRADIO_CI4 },  { 57, 1, 0, CLRADIO_CI4 },  { 81, 1, 1, CLRADIO_CI8 },
        { 41, 2, 1, CLRADIO_CI4 },  { 63, 2, 2, CLRADIO_CI8 },  { 65, 2, 2, CLRADIO_CI4 },
        { 191, 1, 2, CLRADIO_CI8 }, { 63, 2, 3, CLRADIO_CI8 },  { 129, 1, 3, CLRADIO_CI4 },
    };
    clradio_device *device = device_under_test(state);
    const size_t offset = xengine_input_offset;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int single = 0; single < 2; single++) {
            clradio_xengine_config config = xengine_config(
                cases[c].input, cases[c].stations, cases[c].polarisations,
                channels_of(cases[c].input, cases[c].polarisations), single ? 130 : 75);
            config.flags = single ? CLRADIO_XENGINE_SINGLE_CALL : 0;
            config.ci4_coding = cases[c].input == CLRADIO_CI4 ? c % 4 : 0;
            config.order = single ? (clradio_order)(c % 6) : CLRADIO_ORDER_BASELINE;
            xengine_input_offset = c % 5 == 4 ? 1 : 0;
            const int served = expect(device, config, shapes[cases[c].shape], c);
            xengine_input_offset = offset;
            if (!served)
                skip();
        }
}

/* Fills all of an array but one channel with that byte: of cf16 0xff is not a number. */
static void poison(const clradio_xengine_config *config, unsigned char *spectra, uint32_t kept,
                   int byte)
{
    const size_t row =
        (size_t)config->stations * config->polarisations * clradio_type_bytes(config->input);
    for (uint64_t n = 0; n < config->spectra * config->channels; n++)
        if (n % config->channels != kept)
            memset(spectra + n * row, byte, row);
}

/* Bit for bit what it is among others: infinite, not a number, the most negative. */
static void a_channel_s_neighbours_never_show(void **state)
{
    static const clradio_type types[] = { CLRADIO_CF16, CLRADIO_CI8, CLRADIO_CI4 };
    static const int bytes[] = { 0xff, 0x7c, 0x88, 0x00 };
    clradio_device *device = device_under_test(state);
    const size_t offset = xengine_input_offset;
    char parameters[256];
    xengine_input_offset = 0;
    for (size_t c = 0; c < 6; c++) {
        const uint32_t channels = channels_of(types[c % 3], 2);
        clradio_xengine_config config =
            xengine_config(types[c % 3], c < 3 ? 31 : 33, 2, channels, 40);
        clradio_xengine *plan = NULL;
        config.flags = CLRADIO_XENGINE_SINGLE_CALL;
        if (!take_shape(device, &config, small(config.input, c / 3), parameters)) {
            xengine_input_offset = offset;
            skip();
        }
        assert_ok(clradio_xengine_create(device, &config, &plan));
        unsigned char *spectra = xengine_random(&config, config.spectra, c);
        const size_t input = clradio_xengine_spectra_bytes(&config, config.spectra);
        const size_t bytes_of_one = clradio_xengine_visibilities_bytes(&config) / channels;
        char *plain = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
        xengine_compare(&config, spectra, config.spectra, plain, 0);
        for (uint32_t kept = 0; kept < channels; kept++)
            for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
                unsigned char *poisoned = malloc(input);
                assert_non_null(poisoned);
                memcpy(poisoned, spectra, input);
                poison(&config, poisoned, kept, bytes[b]);
                char *sums =
                    xengine_calls(device, plan, &config, poisoned, &config.spectra, 1, NULL);
                assert_memory_equal(sums + kept * bytes_of_one, plain + kept * bytes_of_one,
                                    bytes_of_one);
                free(sums);
                free(poisoned);
            }
        free(plain);
        free(spectra);
        clradio_xengine_destroy(plan);
    }
    xengine_input_offset = offset;
}

/* Calls that add up, slices of the time, chunks of channels that begin anywhere in a unit,
 * integrations of one call, a pipeline. */
static void calls_slices_chunks_and_integrations_are_right(void **state)
{
    static const uint64_t lengths[] = { 5, 33, 1, 40 };
    clradio_device *device = device_under_test(state);
    char parameters[256], shape[256];
    /* 7 stations: 28 bytes a channel, sums of 28 * 4 * 16 bytes; three channels a chunk */
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 7, 2, 8, 79);
    clradio_xengine *plan = NULL;
    const uint64_t each = 28 * 4 * 16;
    snprintf(shape, sizeof shape, "%s SPLIT_T=2", tiles);
    config.memory_limit = each * 8 + each * 2 * 3;
    if (!take_shape(device, &config, shape, parameters))
        skip();
    assert_ok(clradio_xengine_create(device, &config, &plan));
    assert_int_equal(plan->chunk_channels, 3);
    void *spectra = xengine_random(&config, config.spectra, 7);
    void *sums = xengine_calls(device, plan, &config, spectra, lengths, 4, NULL);
    xengine_compare(&config, spectra, config.spectra, sums, 0);
    free(sums);
    free(spectra);
    clradio_xengine_destroy(plan);
    config.memory_limit = 0;
    for (int single = 0; single < 2; single++)
        for (uint64_t integration = 9; integration < 90; integration += 40) {
            flagged_run run;
            config.flags = single ? CLRADIO_XENGINE_SINGLE_CALL : 0;
            assert_true(take_shape(device, &config, tiles, parameters));
            flagged_run_make(&run, device, config, config.spectra, integration, integration);
            flagged_run_on_device(&run, device);
            flagged_run_expect(&run);
            flagged_run_on_host(&run);
            flagged_run_expect(&run);
            flagged_run_drop(&run);
        }
}

/* What a plan's parameters say, with or without those given. */
static int says_shifted(clradio_device *device, const clradio_xengine_config *config)
{
    clradio_xengine_info info = CLRADIO_XENGINE_INFO_INIT;
    clradio_xengine *plan = NULL;
    assert_ok(clradio_xengine_create(device, config, &plan));
    assert_ok(clradio_xengine_get_info(plan, &info));
    assert_int_equal(plan->reorder.always, !strstr(info.parameters, "SHIFTED=1"));
    clradio_xengine_destroy(plan);
    return strstr(info.parameters, "SHIFTED=1") != NULL;
}

/* Where all channels together are no whole lines, or anything is flagged, blocks are made. */
static void it_is_the_default_where_it_can_be(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 5, 2, 32, 40);
    clradio_xengine *plan = NULL;
    char parameters[256];
    if (!take_shape(device, &config, "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3",
                    parameters))
        skip();
    assert_true(says_shifted(device, &config));
    assert_true(xengine_expect_reference(device, &config, 1));
    config.stations = 12; /* whole units, no whole lines */
    assert_true(expect(device, config, tiles, 1));
    for (config.channels = 4; config.channels < 7; config.channels += 2) {
        config.stations = 5;
        assert_false(says_shifted(device, &config));
        assert_true(xengine_expect_reference(device, &config, 1));
    }
    config.channels = 32;
    config.valid = CLRADIO_VALID_BYTES;
    config.valid_times = 1;
    assert_false(says_shifted(device, &config));
    assert_true(take_shape(device, &config,
                           "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3 SHIFTED=0",
                           parameters));
    config.valid = 0;
    assert_false(says_shifted(device, &config));
    assert_true(xengine_expect_reference(device, &config, 1));
    snprintf(parameters, sizeof parameters, "SHIFTED=1%s",
             has_instructions(device) ? "" : " EMULATED=1");
    for (int n = 0; n < 4; n++) {
        clradio_xengine_config other = config;
        other.channels = n == 0 ? 6 : 4;
        other.stations = n == 1 ? 32 : 5;
        other.layout =
            n == 2 ? CLRADIO_LAYOUT_CHANNEL_INPUT_TIME : CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
        other.valid = n == 3 ? CLRADIO_VALID_BYTES : 0;
        assert_int_equal(clradio_xengine_create(device, &other, &plan), CLRADIO_ERROR_ARGUMENT);
        assert_non_null(strstr(clradio_last_error(), "no whole lines of 128 bytes"));
    }
}

/* As it is where it is chosen on a card: tiles of 128 inputs, those beyond them, copies of whole
 * stages. */
static void large_tiles_are_right(void **state)
{
    static const uint32_t stations[] = { 63, 65, 127, 257, 513 };
    static const clradio_type types[] = { CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CF16 };
    clradio_device *device = device_under_test(state);
    const size_t offset = xengine_input_offset;
    if (!has_instructions(device))
        skip();
    for (size_t s = 0; s < sizeof stations / sizeof *stations; s++)
        for (int type = 0; type < 3; type++) {
            const int single = (s + (size_t)type) % 2;
            const uint32_t whole = channels_of(types[type], 2);
            clradio_xengine_config config = xengine_config(
                types[type], stations[s], 2, stations[s] < 128 ? 8 * whole : whole, 150);
            config.flags = single ? CLRADIO_XENGINE_SINGLE_CALL : 0;
            xengine_input_offset = (size_t)(single * type);
            const int served = expect(device, config, type == 2 ? large_halves : large_tiles, s);
            assert_true(served || is_opencl(device));
            xengine_input_offset = offset;
        }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_number_of_stations_is_right),
        DEVICE_TEST(inputs_beyond_a_tile_are_right),
        DEVICE_TEST(a_channel_s_neighbours_never_show),
        DEVICE_TEST(calls_slices_chunks_and_integrations_are_right),
        DEVICE_TEST(it_is_the_default_where_it_can_be),
        DEVICE_TEST(large_tiles_are_right),
    };
    return run_device_tests("xengine_shifted", NULL, 0, tests, sizeof tests / sizeof *tests);
}
