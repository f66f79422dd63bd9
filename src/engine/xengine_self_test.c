/*
 * The known-answer test of a variant on a device before it serves there: random full-range input,
 * the most negative values among it, stations that fill no tile, two calls that add up (the second
 * one's input aligned to no more than it must be), compared with the plain reference. A variant may
 * ask for a second problem, of few stations and many spectra.
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"
#include "engine/xengine_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEST_SPECTRA = 37,
    SECOND_SPECTRA = 2,
    TEST_CHANNELS = 2,
    MOST_STATIONS = 67,
    LONG_STATIONS = 16
};

static clradio_layout layout_for(const clradio_xengine *plan, uint32_t stations, uint32_t channels)
{
    clradio_xengine_config config = plan->config;
    clradio_layout layout = config.layout;
    uint32_t times;
    config.stations = stations;
    config.channels = channels;
    if (plan->candidate.variant->layout)
        plan->candidate.variant->layout(&config, plan->candidate.values, &layout, &times);
    return layout;
}

/* A variant may read whole units of bytes where the inputs of a spectrum fill them: the problem has
 * rows like the plan's, whose program it would not test otherwise. */
static uint32_t long_stations(const clradio_xengine *plan, uint32_t channels)
{
    return !channels && layout_for(plan, LONG_STATIONS, 1) ==
                            layout_for(plan, plan->config.stations, plan->config.channels)
               ? LONG_STATIONS
               : LONG_STATIONS - 1;
}

static void fill_input(const clradio_xengine_config *config, void *bytes, uint64_t count)
{
    uint64_t state = 12345;
    unsigned char *at = bytes;
    for (uint64_t n = 0; n < count; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        at[n] = (unsigned char)(state >> 56);
    }
    /* halves below 2 in size: not and the infinite are left out */
    if (config->input == CLRADIO_CF16)
        for (uint64_t n = 0; n < count / 2; n++)
            at[2 * n + 1] &= 0xbf;
    if (config->input == CLRADIO_CF32)
        for (uint64_t n = 0; n < count / 4; n++)
            ((float *)bytes)[n] = (float)((int)at[4 * n] - 128) * 0.37f;
    /* the most negative value, in both parts, now and then */
    const int most_negative = config->input == CLRADIO_CI8                     ? 0x80
                              : config->input != CLRADIO_CI4                   ? -1
                              : config->ci4_coding & CLRADIO_CI4_OFFSET_BINARY ? 0
                                                                               : 0x88;
    for (uint64_t n = 0; most_negative >= 0 && n + 1 < count; n += 6)
        at[n] = at[n + 1] = (unsigned char)most_negative;
    if (config->input == CLRADIO_CI16)
        for (uint64_t n = 0; n < count / 2; n += 5)
            ((int16_t *)bytes)[n] = INT16_MIN;
}

/* Stations that leave the last tile partly empty, small enough for a simulator. */
static uint32_t test_stations(const clradio_xengine *plan)
{
    uint64_t edge = 1;
    if (plan->candidate.variant->test_stations)
        return plan->candidate.variant->test_stations(plan);
    const uint64_t groups = plan->candidate.variant->groups(plan);
    for (size_t p = 0; groups && p < plan->candidate.variant->n_parameters; p++)
        if (plan->candidate.variant->parameters[p].name[0] == 'W')
            edge = clr_max_u64(edge, (uint64_t)plan->candidate.values[p]);
    return (uint32_t)clr_min_u64(edge + 3, MOST_STATIONS);
}

static clradio_status call(clradio_xengine *plan, clradio_queue *queue, clradio_buffer *spectra,
                           uint64_t offset, clradio_buffer *visibilities, uint64_t count,
                           unsigned flags)
{
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    io.spectra = (clradio_span){ spectra, offset };
    io.visibilities = (clradio_span){ visibilities, 0 };
    io.spectra_count = count;
    io.flags = flags;
    return clradio_xengine_enqueue(plan, queue, &io, 0, NULL, NULL);
}

/* The input as the calls take it: one, or two behind one another, each laid out by itself. */
static void cut_input(const clradio_xengine_config *config, const void *input, uint64_t second_at,
                      unsigned char *cut)
{
    const uint64_t all = config->spectra, first = all - SECOND_SPECTRA;
    if (config->flags & CLRADIO_XENGINE_SINGLE_CALL) {
        clr_xengine_copy_times(config, input, all, 0, all, cut + second_at);
        return;
    }
    clr_xengine_copy_times(config, input, all, 0, first, cut);
    clr_xengine_copy_times(config, input, all, first, SECOND_SPECTRA, cut + second_at);
}

/* As little as an array may be shifted by, but at least 4 bytes: whole samples, or whole runs of
 * block_times of them. */
static uint64_t gap_of(const clradio_xengine_config *config)
{
    const uint64_t unit = clradio_type_bytes(config->input) * clr_max_u64(config->block_times, 1);
    return clr_ceil_div(4, unit) * unit;
}

/* shift: of the input of a plan that takes one call. */
static clradio_status run(clradio_xengine *test, const void *input, uint64_t shift, void *output)
{
    const clradio_span start = { NULL, 0 };
    const int single = test->config.flags & CLRADIO_XENGINE_SINGLE_CALL;
    const uint64_t all = test->config.spectra;
    clradio_queue *queue = NULL;
    clradio_buffer *spectra = NULL, *visibilities = NULL;
    clradio_span in = start, out = start;
    uint64_t first = 0, second;
    if (!single)
        clr_xengine_spectra_bytes(&test->config, all - SECOND_SPECTRA, &first);
    clr_xengine_spectra_bytes(&test->config, single ? all : SECOND_SPECTRA, &second);
    uint64_t second_at = single ? shift : first + gap_of(&test->config);
    if (!single && second_at % 16 == 0) /* where a layout allows it, to less than the first */
        second_at += gap_of(&test->config);
    const uint64_t bytes = second_at + second;
    void *cut = malloc(bytes);
    clradio_status status =
        cut ? clradio_queue_create(test->device, 0, &queue)
            : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the X-engine's self-test");
    if (!status) {
        memset(cut, 0xa5, bytes); /* padding must not matter */
        cut_input(&test->config, input, second_at, cut);
        status = clradio_buffer_create(test->device, bytes, &spectra);
    }
    if (!status)
        status = clradio_buffer_create(test->device, test->plan.output_bytes, &visibilities);
    in.buffer = spectra;
    out.buffer = visibilities;
    if (!status) /* what is not written shows */
        status = clradio_buffer_fill(queue, out, 0xa5, test->plan.output_bytes, 0, NULL, NULL);
    if (!status)
        status = clradio_buffer_write(queue, in, cut, bytes, 0, NULL, NULL);
    if (!status && !single)
        status = call(test, queue, spectra, 0, visibilities, all - SECOND_SPECTRA, 0);
    if (!status)
        status = call(test, queue, spectra, second_at, visibilities, single ? all : SECOND_SPECTRA,
                      single ? CLRADIO_DUMP : CLRADIO_ACCUMULATE | CLRADIO_DUMP);
    if (!status)
        status = clradio_queue_finish(queue);
    if (!status)
        status = clradio_buffer_read(queue, out, output, test->plan.output_bytes, 0, NULL, NULL);
    free(cut);
    clradio_buffer_destroy(spectra);
    clradio_buffer_destroy(visibilities);
    clradio_queue_destroy(queue);
    return status;
}

static clradio_status wrong_sums(const clradio_xengine *test, const clr_xengine_verdict *verdict)
{
    return clr_fail(CLRADIO_ERROR_SELF_TEST, "the X-engine's variant %s gives wrong sums on %s: %s",
                    test->candidate.variant->name, clr_device_info(test->device)->name,
                    verdict->sentence);
}

/* The same input with a third of it flagged: sums and counts. */
static clradio_status compare_valid(clradio_xengine *test, const void *input, void *output)
{
    const uint64_t all = test->config.spectra;
    const uint64_t values = test->channel_output_values * test->config.channels;
    clradio_xengine_host_io io = CLRADIO_XENGINE_HOST_IO_INIT;
    clr_xengine_verdict verdict;
    uint64_t state = 54321, bytes = 0;
    clr_xengine_valid_size(&test->config, all, &bytes);
    unsigned char *valid = malloc(bytes);
    uint64_t *counts = malloc(values * sizeof *counts);
    clradio_status status =
        valid && counts ? CLRADIO_OK
                        : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the X-engine's self-test");
    for (uint64_t n = 0; !status && n < bytes; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        valid[n] = (unsigned char)(state >> 56);
        if (test->config.valid & CLRADIO_VALID_BYTES)
            valid[n] = valid[n] < 85 ? 0 : valid[n];
    }
    io.spectra = input;
    io.spectra_count = all;
    io.visibilities = output;
    io.valid = valid;
    io.counts = counts;
    if (!status)
        status = clradio_xengine_run(test, &io);
    if (status == CLRADIO_ERROR_OVERFLOW) /* ci16 into ci32: saturated, as the check expects */
        status = CLRADIO_OK;
    if (!status) {
        clr_xengine_check_valid(&test->config, input, valid, all, output, counts, 0, 0, &verdict);
        if (verdict.wrong)
            status = wrong_sums(test, &verdict);
    }
    free(valid);
    free(counts);
    return status;
}

/* One run against the reference. */
static clradio_status compare_run(clradio_xengine *test, const void *input, uint64_t shift,
                                  void *output)
{
    clr_xengine_verdict verdict;
    clradio_xengine_config config = test->config;
    config.variant = test->candidate.variant->name; /* whose bound it is */
    memset(output, 0x5a, test->plan.output_bytes);
    clradio_status status = run(test, input, shift, output);
    if (status)
        return status;
    clr_xengine_check(&config, input, test->config.spectra, output, 0, 0, &verdict);
    return verdict.wrong ? wrong_sums(test, &verdict) : CLRADIO_OK;
}

static clradio_status compare(clradio_xengine *test)
{
    uint64_t bytes;
    clr_xengine_spectra_bytes(&test->config, test->config.spectra, &bytes);
    void *input = malloc(bytes), *output = malloc(test->plan.output_bytes);
    clradio_status status =
        input && output ? CLRADIO_OK
                        : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the X-engine's self-test");
    if (!status) {
        fill_input(&test->config, input, bytes);
        status = compare_run(test, input, 0, output);
    }
    if (!status && test->config.flags & CLRADIO_XENGINE_SINGLE_CALL)
        status = compare_run(test, input, gap_of(&test->config), output);
    if (!status && test->config.valid && test->config.spectra == TEST_SPECTRA)
        status = compare_valid(test, input, output);
    free(input);
    free(output);
    return status;
}

/* A plan like the one under test for a problem of that size, and what it gives. */
static clradio_status solve(const clradio_xengine *plan, uint32_t stations, uint32_t channels,
                            uint64_t spectra)
{
    clradio_xengine *test = NULL;
    clradio_xengine_config config = plan->config;
    config.stations = stations;
    config.channels = channels;
    config.spectra = spectra;
    config.memory_limit = 0;
    /* the way that the plan takes: by sums, or written at once */
    config.flags = plan->direct ? CLRADIO_XENGINE_SINGLE_CALL : 0;
    clradio_status status = clr_xengine_make(plan->device, &config, &plan->candidate, &test);
    /* more spectra than are written at once: the plan has not so many */
    if (!status && test->direct == plan->direct)
        status = compare(test);
    clradio_xengine_destroy(test);
    return status;
}

static void make_key(const clradio_xengine *plan, char *key, size_t room)
{
    /* order, conjugation, coding and layout are arguments of the kernels, not part of their hashes
     */
    snprintf(key, room, "xengine/%s%s/%d%d%u/%d.%u/%x.%u/%s/%s/%s", plan->candidate.variant->name,
             plan->direct ? "-direct" : "", (int)plan->config.order, plan->config.conjugate,
             plan->config.ci4_coding, (int)plan->config.layout, plan->config.block_times,
             plan->config.valid, plan->config.valid_times,
             plan->reorder.program ? clr_program_hash(plan->reorder.program) : "direct",
             plan->sum_program ? clr_program_hash(plan->sum_program) : "library",
             clr_program_hash(plan->finish_program));
}

clradio_status clr_xengine_self_test(clradio_xengine *plan)
{
    char key[384];
    int known, passed;
    make_key(plan, key, sizeof key);
    clr_self_test_lookup(plan->device, key, &known, &passed);
    if (known)
        return passed
                   ? CLRADIO_OK
                   : clr_fail(CLRADIO_ERROR_SELF_TEST,
                              "the X-engine's variant %s failed its self-test on %s before",
                              plan->candidate.variant->name, clr_device_info(plan->device)->name);
    const clr_xengine_variant *variant = plan->candidate.variant;
    const uint32_t channels = variant->test_channels ? variant->test_channels(plan) : 0;
    clradio_status status =
        solve(plan, test_stations(plan), channels ? channels : TEST_CHANNELS, TEST_SPECTRA);
    const uint64_t many = variant->test_spectra ? variant->test_spectra(plan) : 0;
    if (!status && many > TEST_SPECTRA)
        status = solve(plan, long_stations(plan, channels), channels ? channels : 1, many);
    if (!status || status == CLRADIO_ERROR_SELF_TEST)
        clr_self_test_record(plan->device, key, !status);
    if (!status) {
        if (plan->sum_program)
            clr_program_proved(plan->sum_program);
        if (plan->reorder.program)
            clr_program_proved(plan->reorder.program);
        if (plan->validity.program)
            clr_program_proved(plan->validity.program);
        clr_program_proved(plan->finish_program);
    }
    return status;
}
