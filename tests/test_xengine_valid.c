/* X-engine: input that is not valid left out and counted, several integrations in a call. */
#include "xengine_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned axes[] = { 0, CLRADIO_VALID_PER_INPUT, CLRADIO_VALID_PER_CHANNEL,
                                 CLRADIO_VALID_PER_INPUT | CLRADIO_VALID_PER_CHANNEL };

static void expect_right(clradio_device *device, const clradio_xengine_config *config,
                         uint64_t count, uint64_t integration_spectra, uint64_t seed)
{
    flagged_run run;
    flagged_run_make(&run, device, *config, count, integration_spectra, seed);
    flagged_run_on_device(&run, device);
    flagged_run_expect(&run);
    flagged_run_drop(&run);
}

/* Every form, with every layout and each size of a sample. */
static void every_form_of_flags_is_right(void **state)
{
    static const clradio_type types[] = { CLRADIO_CI4, CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF16,
                                          CLRADIO_CF32 };
    clradio_device *device = device_under_test(state);
    for (unsigned packed = 0; packed < 2; packed++)
        for (size_t a = 0; a < 4; a++)
            for (int layout = 0; layout < 3; layout++) {
                const size_t t = (a + packed + (size_t)layout) % 5;
                if (test_small() && (packed != a % 2 || (size_t)layout != a % 3))
                    continue;
                clradio_xengine_config config = xengine_config(types[t], 5, 2, 3, 70);
                config.layout = (clradio_layout)layout;
                config.valid = (packed ? CLRADIO_VALID_BITS : CLRADIO_VALID_BYTES) | axes[a];
                config.valid_times = a % 2 ? 1 : 7;
                config.ci4_coding = types[t] == CLRADIO_CI4 ? CLRADIO_CI4_OFFSET_BINARY : 0;
                expect_right(device, &config, test_small() ? 35 : 70, 0, a);
            }
}

/* Into blocks from each layout, and spectra as they lie without what is flagged: inputs that are
 * no whole words, units or rows of 128 bytes, times around those of a tile, arrays at odd places.
 */
static void input_is_brought_over_right(void **state)
{
    static const clradio_type types[] = { CLRADIO_CI4, CLRADIO_CI8, CLRADIO_CF16 };
    static const uint32_t stations[] = { 1, 2, 3, 8, 15, 31, 33, 64, 65, 66, 129 };
    static const uint64_t counts[] = { 1, 16, 31, 32, 33, 95, 100 };
    enum { STATIONS = sizeof stations / sizeof *stations };
    clradio_device *device = device_under_test(state);
    const size_t offset = xengine_input_offset;
    for (unsigned n = 0; n < 9 * STATIONS; n++) {
        if (test_small() && n % 9 != n / 9 % 9)
            continue;
        const uint64_t count = counts[(n + n / 9) % 7];
        clradio_xengine_config config =
            xengine_config(types[n % 3], stations[n / 9], 1 + n / 9 % 2, 2, count);
        config.layout = (clradio_layout)(n / 3 % 3);
        config.valid = CLRADIO_VALID_BYTES | axes[1 + n % 3];
        config.ci4_coding = config.input == CLRADIO_CI4 ? n / 2 % 4 : 0;
        config.variant = "mma";
        config.parameters = "WARPS_Y=1 WARPS_X=1 FRAGMENTS_Y=2 FRAGMENTS_X=2 T_STAGE=32 STAGES=2 "
                            "REGISTERS=0 EMULATED=1";
        xengine_input_offset = n % 5;
        expect_right(device, &config, count, 0, n);
        xengine_input_offset = offset;
    }
}

/* Sizes around words of 32 times and tiles, orders, conjugation, one polarisation. */
static void counts_follow_the_order_of_the_visibilities(void **state)
{
    static const uint64_t counts[] = { 1, 31, 32, 33, 64, 65 };
    clradio_device *device = device_under_test(state);
    for (int order = 0; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE; order++)
        for (uint32_t polarisations = 1; polarisations <= 2; polarisations++) {
            clradio_xengine_config config =
                xengine_config(CLRADIO_CI8, test_small() ? 3 : 17, polarisations, 2, 65);
            if (test_small() && (polarisations == 1 || order % 5))
                continue;
            config.order = (clradio_order)order;
            config.conjugate = order % 2;
            config.valid = CLRADIO_VALID_BYTES | axes[1 + order % 3];
            config.flags = order % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
            expect_right(device, &config, counts[order], 0, (uint64_t)order);
        }
}

/* Nothing that is flagged comes through: not a number, infinite, the most negative. */
static void what_is_flagged_may_hold_anything(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int half = 0; half < 2; half++) {
        flagged_run run;
        clradio_xengine_config config =
            xengine_config(half ? CLRADIO_CF16 : CLRADIO_CF32, 4, 1, 2, 40);
        config.valid = CLRADIO_VALID_BYTES | CLRADIO_VALID_PER_INPUT | CLRADIO_VALID_PER_CHANNEL;
        flagged_run_make(&run, device, config, 40, 0, 3);
        for (uint64_t n = 0; n < 40 * 8; n++)
            for (uint64_t part = 2 * n; !run.valid[n] && part < 2 * n + 2; part++)
                if (half)
                    ((uint16_t *)run.spectra)[part] = n % 2 ? 0x7e00 : 0xfc00; /* nan, -infinity */
                else
                    ((float *)run.spectra)[part] = n % 2 ? NAN : -HUGE_VALF;
        flagged_run_on_device(&run, device);
        flagged_run_expect(&run);
        flagged_run_drop(&run);
    }
}

/* All flagged: zero sums, zero counts. None flagged: as without the array. */
static void all_and_nothing_flagged(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int all = 0; all < 2; all++) {
        flagged_run run;
        clradio_xengine_config config = xengine_config(CLRADIO_CI8, 3, 2, 2, 45);
        config.valid = CLRADIO_VALID_BITS | CLRADIO_VALID_PER_INPUT;
        flagged_run_make(&run, device, config, 45, 0, 9);
        memset(run.valid, all ? 0 : 0xff, 45);
        flagged_run_on_device(&run, device);
        flagged_run_expect(&run);
        assert_int_equal(run.counts[0], all ? 0 : 45);
        assert_int_equal(((int64_t *)run.visibilities)[0] == 0, all);
        flagged_run_drop(&run);
    }
}

/* Calls with and without flags add up in one integration. */
static void counts_add_up_over_calls(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t a = 0; a < 4; a++) {
        flagged_run run;
        clradio_xengine_config config = xengine_config(CLRADIO_CI8, 4, 2, 3, 20);
        config.valid = CLRADIO_VALID_BYTES | axes[a];
        flagged_run_make(&run, device, config, 60, 0, a);
        clr_xengine_valid_form form = clr_xengine_valid_form_of(&run.config);
        memset(run.valid + 20 * form.time_stride, 1, 20 * form.time_stride);
        clradio_xengine_host_io io = CLRADIO_XENGINE_HOST_IO_INIT;
        for (int part = 0; part < 3; part++) {
            io.spectra = (char *)run.spectra + part * 20 * 3 * 8 * 2;
            io.valid = part == 1 ? NULL : run.valid + (uint64_t)part * 20 * form.time_stride;
            io.spectra_count = 20;
            io.flags = part == 2 ? CLRADIO_ACCUMULATE | CLRADIO_DUMP
                       : part    ? CLRADIO_ACCUMULATE
                                 : 0;
            io.visibilities = run.visibilities;
            io.counts = run.counts;
            io.input_counts = run.input_counts;
            assert_ok(clradio_xengine_run(run.plan, &io));
        }
        flagged_run_expect(&run);
        /* a dump of nothing new is the same; a new integration of nothing counts nothing */
        memset(run.counts, 0x5a, run.values * 8);
        io.spectra_count = 0;
        assert_ok(clradio_xengine_run(run.plan, &io));
        flagged_run_expect(&run);
        io.flags = CLRADIO_DUMP;
        assert_ok(clradio_xengine_run(run.plan, &io));
        for (uint64_t n = 0; n < run.values; n++)
            assert_int_equal(run.counts[n], 0);
        flagged_run_drop(&run);
    }
}

/* Several integrations in one call, the last one shorter, with flags and without. */
static void integrations_of_one_call_are_right(void **state)
{
    static const uint64_t lengths[] = { 1, 16, 48, 100, 200 };
    clradio_device *device = device_under_test(state);
    for (size_t n = test_small() ? 2 : 0; n < 5; n++)
        for (int layout = 0; layout < 3; layout++)
            for (unsigned flags = 0; flags < 2; flags++) {
                clradio_xengine_config config = xengine_config(CLRADIO_CI8, 3, 2, 2, 100);
                flagged_run run;
                config.layout = (clradio_layout)layout;
                config.flags = flags;
                config.valid = layout ? CLRADIO_VALID_BYTES | CLRADIO_VALID_PER_INPUT : 0;
                if (layout == CLRADIO_LAYOUT_BLOCKED && lengths[n] % 16)
                    continue;
                if (test_small() && (n > 2 || flags))
                    continue;
                flagged_run_make(&run, device, config, 100, lengths[n], n);
                flagged_run_on_device(&run, device);
                flagged_run_expect(&run);
                flagged_run_drop(&run);
            }
}

/* Host arrays: entries of seven spectra, integrations and calls that begin inside one. */
static void host_arrays_with_flags_are_cut_right(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint32_t times[] = { 1, 7, 40 };
    for (size_t t = 0; t < 3; t++)
        for (unsigned form = 1; form <= 2; form++)
            for (size_t a = 0; a < 4; a++) {
                clradio_xengine_config config = xengine_config(CLRADIO_CI8, 3, 1, 3, 16);
                flagged_run run;
                config.valid = form | axes[a];
                config.valid_times = times[t];
                config.layout = (clradio_layout)(a % 2);
                flagged_run_make(&run, device, config, 103, a == 3 ? 0 : 33, t);
                flagged_run_on_host(&run);
                flagged_run_expect(&run);
                flagged_run_drop(&run);
            }
}

/* Scratch memory, bitmaps and counts are within the limit, and small pieces are right. */
static void a_memory_limit_holds_with_flags(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t a = 0; a < 4; a++)
        for (uint64_t limit = 30000; limit < 60000; limit += 9999) {
            clradio_xengine_info info = CLRADIO_XENGINE_INFO_INIT;
            flagged_run run;
            uint64_t before, now, peak;
            clradio_xengine_config config = xengine_config(CLRADIO_CI8, 6, 2, 5, 150);
            config.valid = CLRADIO_VALID_BITS | axes[a];
            config.memory_limit = limit;
            clradio_device_memory_used(device, &before, &peak);
            flagged_run_make(&run, device, config, 150, 0, limit);
            clradio_device_memory_used(device, &now, &peak);
            assert_ok(clradio_xengine_get_info(run.plan, &info));
            assert_int_equal(now - before, info.memory_bytes);
            assert_true(info.memory_bytes <= limit);
            flagged_run_on_device(&run, device);
            flagged_run_expect(&run);
            flagged_run_drop(&run);
        }
}

static void expect_argument(clradio_xengine *plan, clradio_queue *queue,
                            const clradio_xengine_io *io, const char *words)
{
    assert_int_equal(clradio_xengine_enqueue(plan, queue, io, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), words));
}

static void calls_that_make_no_sense_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 2, 1, 1, 20);
    clradio_xengine *plan;
    clradio_queue *queue;
    clradio_buffer *buffer;
    config.valid = CLRADIO_VALID_PER_INPUT; /* neither bytes nor bits */
    assert_int_equal(clradio_xengine_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    config.valid = 16 | CLRADIO_VALID_BYTES;
    assert_int_equal(clradio_xengine_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_xengine_valid_bytes(&config, 3), 0);
    config.valid = CLRADIO_VALID_BYTES | CLRADIO_VALID_PER_INPUT;
    assert_int_equal(clradio_xengine_valid_bytes(&config, 3), 6);
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, 4096, &buffer));
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    io.spectra = (clradio_span){ buffer, 0 };
    io.visibilities = (clradio_span){ buffer, 1024 };
    io.spectra_count = 20;
    xengine_small_tiles(&config);
    assert_ok(clradio_xengine_create(device, &config, &plan));
    io.counts = (clradio_span){ buffer, 1024 + 16 };
    expect_argument(plan, queue, &io, "overlap");
    io.counts = (clradio_span){ buffer, 4096 - 8 };
    expect_argument(plan, queue, &io, "io.counts needs 24 bytes");
    io.counts = (clradio_span){ NULL, 0 };
    io.valid = (clradio_span){ buffer, 4096 - 39 };
    expect_argument(plan, queue, &io, "io.valid needs 40 bytes");
    io.valid = (clradio_span){ buffer, 1024 };
    expect_argument(plan, queue, &io, "overlap");
    io.valid = (clradio_span){ NULL, 0 };
    io.integration_spectra = 1; /* 20 integrations of 48 bytes */
    io.visibilities.offset = 4096 - 20 * 48 + 16;
    expect_argument(plan, queue, &io, "io.visibilities needs 960 bytes");
    io.flags = 0;
    expect_argument(plan, queue, &io, "needs CLRADIO_DUMP");
    clradio_xengine_destroy(plan);
    config.valid = 0;
    config.layout = CLRADIO_LAYOUT_BLOCKED;
    assert_ok(clradio_xengine_create(device, &config, &plan));
    io.flags = CLRADIO_DUMP;
    expect_argument(plan, queue, &io, "no multiple of the 16 spectra of a block");
    io.integration_spectra = 0;
    io.counts = (clradio_span){ buffer, 0 };
    expect_argument(plan, queue, &io, "made with config.valid");
    clradio_xengine_destroy(plan);
    clradio_buffer_destroy(buffer);
    clradio_queue_destroy(queue);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_form_of_flags_is_right),
        DEVICE_TEST(input_is_brought_over_right),
        DEVICE_TEST(counts_follow_the_order_of_the_visibilities),
        DEVICE_TEST(what_is_flagged_may_hold_anything),
        DEVICE_TEST(all_and_nothing_flagged),
        DEVICE_TEST(counts_add_up_over_calls),
        DEVICE_TEST(integrations_of_one_call_are_right),
        DEVICE_TEST_SLOW(host_arrays_with_flags_are_cut_right),
        DEVICE_TEST_SLOW(a_memory_limit_holds_with_flags),
        DEVICE_TEST(calls_that_make_no_sense_are_refused),
    };
    return run_device_tests("xengine_valid", NULL, 0, tests, sizeof tests / sizeof *tests);
}
