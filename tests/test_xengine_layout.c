/* X-engine: layouts of the input, and half-precision input, against the plain reference. */
#include "xengine_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const clradio_type types[] = { CLRADIO_CI4, CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF16,
                                      CLRADIO_CF32 };
enum { TYPES = sizeof types / sizeof *types };

/* T of each type: 16 bytes of parts. */
static void block_times_are_16_bytes_of_parts_unless_given(void **state)
{
    static const uint32_t expected[TYPES] = { 32, 16, 8, 8, 4 };
    for (size_t t = 0; t < TYPES; t++) {
        clradio_xengine_config config = xengine_config(types[t], 3, 2, 2, 33);
        clradio_xengine_info info = CLRADIO_XENGINE_INFO_INIT;
        clradio_xengine *plan;
        config.layout = CLRADIO_LAYOUT_BLOCKED;
        xengine_small_tiles(&config);
        assert_ok(clradio_xengine_create(device_under_test(state), &config, &plan));
        assert_ok(clradio_xengine_get_info(plan, &info));
        assert_int_equal(info.block_times, expected[t]);
        /* 33 spectra are whole blocks in memory */
        const uint64_t blocks = (33 + expected[t] - 1) / expected[t];
        assert_int_equal(info.input_bytes,
                         blocks * expected[t] * 2 * 6 * clradio_type_bytes(types[t]));
        assert_int_equal(clradio_xengine_spectra_bytes(&config, 33), info.input_bytes);
        clradio_xengine_destroy(plan);
    }
}

static void expect(clradio_device *device, clradio_xengine_config config, clradio_layout layout,
                   uint32_t block_times, uint64_t seed)
{
    config.layout = layout;
    config.block_times = block_times;
    xengine_small_tiles(&config);
    xengine_expect_reference(device, &config, seed);
}

/* Counts of spectra below, at and above whole blocks; odd channels; every coding of ci4. */
static void every_type_and_layout_is_right(void **state)
{
    static const uint64_t spectra[] = { 1, 15, 16, 17, 31, 33, 70 };
    clradio_device *device = device_under_test(state);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t s = 0; s < (test_small() ? 4 : 7); s++) {
            clradio_xengine_config config =
                xengine_config(types[t], 5 + (uint32_t)s, 1 + s % 2, 3, spectra[s]);
            config.ci4_coding = types[t] == CLRADIO_CI4 ? s % 4 : 0;
            expect(device, config, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 0, s);
            expect(device, config, CLRADIO_LAYOUT_CHANNEL_INPUT_TIME, 0, s);
            expect(device, config, CLRADIO_LAYOUT_BLOCKED, clr_xengine_usual_block_times(types[t]),
                   s);
        }
}

static void blocks_of_any_length_are_right(void **state)
{
    static const uint32_t times[] = { 1, 2, 3, 7, 16, 64, 100 };
    for (size_t t = 0; t < sizeof times / sizeof *times; t++)
        expect(device_under_test(state), xengine_config(CLRADIO_CI8, 4, 2, 2, 45),
               CLRADIO_LAYOUT_BLOCKED, times[t], t);
}

/* The same numbers in each layout give the same bits. */
static void integers_are_the_same_from_every_layout(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 9, 2, 4, test_small() ? 21 : 205);
    const uint64_t bytes = clradio_xengine_visibilities_bytes(&config);
    int8_t *samples = xengine_random(&config, config.spectra, 3);
    void *first = NULL;
    for (int layout = 0; layout < 3; layout++) {
        clradio_xengine_config other = config;
        clradio_xengine *plan;
        xengine_small_tiles(&other);
        other.layout = (clradio_layout)layout;
        other.block_times = layout == CLRADIO_LAYOUT_BLOCKED ? 16 : 0;
        void *spectra = xengine_zeros(&other, other.spectra);
        for (uint64_t n = 0; n < config.spectra * 4 * 18; n++) /* [time][channel][input] */
            xengine_set(&other, spectra, n / 18 / 4, n / 18 % 4, n % 18, samples[2 * n],
                        samples[2 * n + 1]);
        assert_ok(clradio_xengine_create(device, &other, &plan));
        void *sums = xengine_calls(device, plan, &other, spectra, &other.spectra, 1, NULL);
        if (first)
            assert_memory_equal(first, sums, bytes);
        clradio_xengine_destroy(plan);
        free(spectra);
        if (first)
            free(sums);
        else
            first = sums;
    }
    free(first);
    free(samples);
}

/* Calls of odd lengths, each laid out by itself, add up; so do the pieces of a host array. */
static void calls_of_any_layout_add_up(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t lengths[] = { 5, 0, 33, 1, 40 }, all = 79;
    for (int layout = 1; layout < 3; layout++)
        for (size_t t = 0; t < TYPES; t++) {
            clradio_xengine_config config = xengine_config(types[t], 4, 2, 3, 40);
            config.layout = (clradio_layout)layout;
            config.block_times = layout == CLRADIO_LAYOUT_BLOCKED ? 16 : 0;
            clradio_xengine *plan;
            xengine_small_tiles(&config);
            assert_ok(clradio_xengine_create(device, &config, &plan));
            void *spectra = xengine_random(&config, all, 5);
            void *sums = xengine_calls(device, plan, &config, spectra, lengths, 5, NULL);
            xengine_compare(&config, spectra, all, sums, 0);
            clradio_xengine_host_io io = CLRADIO_XENGINE_HOST_IO_INIT;
            io.spectra = spectra;
            io.visibilities = sums;
            io.spectra_count = all;
            memset(sums, 0x5a, clradio_xengine_visibilities_bytes(&config));
            assert_ok(clradio_xengine_run(plan, &io));
            xengine_compare(&config, spectra, all, sums, 0);
            clradio_xengine_destroy(plan);
            free(sums);
            free(spectra);
        }
}

/* Scratch memory down to one block of one channel: channels and times go through it in pieces. */
static void a_small_memory_limit_only_makes_smaller_pieces(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int layout = 1; layout < 3; layout++)
        for (unsigned flags = 0; flags < 2; flags++) {
            clradio_xengine_config config = xengine_config(CLRADIO_CI8, 6, 2, 5, 50);
            const uint64_t sums_bytes = 21 * 4 * 16; /* of a channel */
            config.layout = (clradio_layout)layout;
            config.block_times = layout == CLRADIO_LAYOUT_BLOCKED ? 16 : 0;
            config.flags = flags;
            config.variant = "tile";
            const uint64_t kept = (flags ? 1 : 5) * sums_bytes;
            for (uint64_t extra = 24; extra < 4000; extra += 490) {
                clradio_xengine_info info = CLRADIO_XENGINE_INFO_INIT;
                clradio_xengine *plan;
                uint64_t before, now, peak;
                config.memory_limit = kept + extra;
                xengine_expect_reference(device, &config, extra);
                clradio_device_memory_used(device, &before, &peak);
                assert_ok(clradio_xengine_create(device, &config, &plan));
                clradio_device_memory_used(device, &now, &peak);
                assert_ok(clradio_xengine_get_info(plan, &info));
                assert_int_equal(now - before, info.memory_bytes);
                assert_true(info.memory_bytes <= config.memory_limit);
                clradio_xengine_destroy(plan);
            }
        }
}

static void expect_refused(clradio_device *device, const clradio_xengine_config *config,
                           const char *words)
{
    clradio_xengine *plan = NULL;
    assert_int_equal(clradio_xengine_create(device, config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_null(plan);
    assert_non_null(strstr(clradio_last_error(), words));
    assert_int_equal(clradio_xengine_spectra_bytes(config, 1), 0);
}

static void layouts_that_are_none_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 2, 1, 1, 20);
    config.layout = (clradio_layout)3;
    expect_refused(device, &config, "layout is 3");
    config.layout = CLRADIO_LAYOUT_BLOCKED;
    config.block_times = 65537;
    expect_refused(device, &config, "block_times is 65537");
    config.block_times = 0;
    config.spectra = UINT64_MAX / 2; /* 2 inputs of 2 bytes: does not fit */
    expect_refused(device, &config, "do not fit 64 bits");
    config = xengine_config(CLRADIO_CF16, 2, 1, 1, 20);
    config.output = CLRADIO_CI32;
    expect_refused(device, &config, "does not go with cf16");
    /* an array that starts in the middle of a block */
    config = xengine_config(CLRADIO_CI8, 2, 1, 1, 20);
    xengine_small_tiles(&config);
    config.layout = CLRADIO_LAYOUT_BLOCKED;
    clradio_xengine *plan;
    clradio_queue *queue;
    clradio_buffer *buffer;
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    assert_ok(clradio_xengine_create(device, &config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, 1024, &buffer));
    io.spectra = (clradio_span){ buffer, 16 };
    io.visibilities = (clradio_span){ buffer, 512 };
    io.spectra_count = 1;
    assert_int_equal(clradio_xengine_enqueue(plan, queue, &io, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "no multiple of 32 bytes"));
    clradio_buffer_destroy(buffer);
    clradio_queue_destroy(queue);
    clradio_xengine_destroy(plan);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(block_times_are_16_bytes_of_parts_unless_given),
        DEVICE_TEST(every_type_and_layout_is_right),
        DEVICE_TEST(blocks_of_any_length_are_right),
        DEVICE_TEST(integers_are_the_same_from_every_layout),
        DEVICE_TEST(calls_of_any_layout_add_up),
        DEVICE_TEST_SLOW(a_small_memory_limit_only_makes_smaller_pieces),
        DEVICE_TEST(layouts_that_are_none_are_refused),
    };
    return run_device_tests("xengine_layout", NULL, 0, tests, sizeof tests / sizeof *tests);
}
