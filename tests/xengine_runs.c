/* Runs of the X-engine with integrations, flags and counts, and their comparison. */
#include "xengine_runs.h"

#include <stdlib.h>
#include <string.h>

void flagged_run_make(flagged_run *run, clradio_device *device, clradio_xengine_config config,
                      uint64_t count, uint64_t integration_spectra, uint64_t seed)
{
    xengine_small_tiles(&config);
    if (!config.valid_times)
        config.valid_times = 1;
    *run = (flagged_run){ .config = config,
                          .count = count,
                          .integration_spectra = integration_spectra,
                          .integrations = 1,
                          .overflowed = -1 };
    if (integration_spectra && count)
        run->integrations = (count + integration_spectra - 1) / integration_spectra;
    assert_ok(clradio_xengine_create(device, &config, &run->plan));
    clradio_xengine_info info = CLRADIO_XENGINE_INFO_INIT;
    assert_ok(clradio_xengine_get_info(run->plan, &info));
    run->config.block_times = info.block_times;
    run->values = info.visibilities_count;
    run->inputs = (uint64_t)config.stations * config.polarisations * config.channels;
    run->spectra = xengine_random(&run->config, count, seed);
    const uint64_t bytes = clradio_xengine_valid_bytes(&config, count);
    run->valid = config.valid ? malloc(bytes + 1) : NULL;
    run->visibilities = malloc(run->integrations * info.visibilities_bytes);
    run->counts = malloc(run->integrations * run->values * 8);
    run->input_counts = malloc(run->integrations * run->inputs * 8);
    assert_true((run->valid || !config.valid) && run->visibilities && run->counts &&
                run->input_counts);
    for (uint64_t n = 0; run->valid && n < bytes;
         n++) { /* bits: half of them; bytes: three quarters */
        run->valid[n] = (unsigned char)(test_random(&seed) >> 40);
        if ((config.valid & CLRADIO_VALID_BYTES) && run->valid[n] < 64)
            run->valid[n] = 0;
    }
    memset(run->visibilities, 0x5a, run->integrations * info.visibilities_bytes);
    memset(run->counts, 0x5a, run->integrations * run->values * 8);
    memset(run->input_counts, 0x5a, run->integrations * run->inputs * 8);
}

void flagged_run_drop(flagged_run *run)
{
    clradio_xengine_destroy(run->plan);
    free(run->spectra);
    free(run->visibilities);
    free(run->valid);
    free(run->counts);
    free(run->input_counts);
}

/* The part of one integration, as arrays of its own, against the reference. Returns how many values
 * do not fit. */
static uint64_t expect_part(const flagged_run *run, uint64_t n)
{
    const clradio_xengine_config *config = &run->config;
    const uint64_t each = run->integration_spectra ? run->integration_spectra : run->count;
    const uint64_t begin = n * each, left = run->count - begin, here = left < each ? left : each;
    const uint64_t element = clradio_type_bytes(config->output);
    void *spectra = malloc(clradio_xengine_spectra_bytes(config, here) + 1);
    unsigned char *valid = NULL;
    clr_xengine_verdict verdict;
    assert_non_null(spectra);
    clr_xengine_copy_times(config, run->spectra, run->count, begin, here, spectra);
    if (run->valid) { /* entry by entry: a byte each, whatever the form */
        const clr_xengine_valid_form form = clr_xengine_valid_form_of(config);
        clradio_xengine_config plain = *config;
        plain.valid = CLRADIO_VALID_BYTES | CLRADIO_VALID_PER_CHANNEL | CLRADIO_VALID_PER_INPUT;
        plain.valid_times = 1;
        const uint64_t inputs = run->inputs / config->channels;
        valid = malloc(here * run->inputs + 1);
        assert_non_null(valid);
        for (uint64_t t = 0; t < here; t++)
            for (uint64_t m = 0; m < run->inputs; m++)
                valid[t * run->inputs + m] = (unsigned char)clr_xengine_is_valid(
                    &form, run->valid, begin + t, m / inputs, m % inputs);
        for (uint64_t m = 0; m < run->inputs; m++) {
            uint64_t expected = 0;
            for (uint64_t t = 0; t < here; t++)
                expected += valid[t * run->inputs + m];
            assert_int_equal(run->input_counts[n * run->inputs + m], expected);
        }
        clr_xengine_check_valid(&plain, spectra, valid, here,
                                (char *)run->visibilities + n * run->values * element,
                                run->counts + n * run->values, 0, 0, &verdict);
    } else {
        clr_xengine_check_valid(config, spectra, NULL, here,
                                (char *)run->visibilities + n * run->values * element, NULL, 0, 0,
                                &verdict);
    }
    if (verdict.wrong)
        fail_msg("valid 0x%x x %u, layout %d, order %d, %s, integration %llu: %s", config->valid,
                 config->valid_times, (int)config->layout, (int)config->order,
                 clradio_type_name(config->input), (unsigned long long)n, verdict.sentence);
    free(spectra);
    free(valid);
    return verdict.misfits;
}

/* One call on the device, its arrays at odd places. */
void flagged_run_on_device(const flagged_run *run, clradio_device *device)
{
    const clradio_xengine_config *config = &run->config;
    const uint64_t bytes[] = { clradio_xengine_spectra_bytes(config, run->count),
                               clradio_xengine_valid_bytes(config, run->count),
                               run->integrations * clradio_xengine_visibilities_bytes(config),
                               run->integrations * run->values * 8,
                               run->integrations * run->inputs * 8 };
    void *const host[] = { run->spectra, run->valid, run->visibilities, run->counts,
                           run->input_counts };
    clradio_buffer *buffers[5];
    clradio_queue *queue;
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    assert_ok(clradio_queue_create(device, 0, &queue));
    for (int n = 0; n < 5; n++) {
        assert_ok(clradio_buffer_create(device, bytes[n] + 64, &buffers[n]));
        if (bytes[n] && host[n])
            assert_ok(clradio_buffer_write(queue, (clradio_span){ buffers[n], 0 }, host[n],
                                           bytes[n], 0, NULL, NULL));
    }
    io.spectra.buffer = buffers[0];
    io.valid.buffer = run->valid ? buffers[1] : NULL;
    io.visibilities.buffer = buffers[2];
    if (config->valid) {
        io.counts.buffer = buffers[3];
        io.input_counts.buffer = buffers[4];
    }
    io.spectra_count = run->count;
    io.integration_spectra = run->integration_spectra;
    assert_ok(clradio_xengine_enqueue(run->plan, queue, &io, 0, NULL, NULL));
    for (int n = 2; n < 5; n++)
        if (bytes[n])
            assert_ok(clradio_buffer_read(queue, (clradio_span){ buffers[n], 0 }, host[n], bytes[n],
                                          0, NULL, NULL));
    for (int n = 0; n < 5; n++)
        clradio_buffer_destroy(buffers[n]);
    clradio_queue_destroy(queue);
}

void flagged_run_on_host(flagged_run *run)
{
    clradio_xengine_host_io io = CLRADIO_XENGINE_HOST_IO_INIT;
    io.spectra = run->spectra;
    io.valid = run->valid;
    io.visibilities = run->visibilities;
    io.counts = run->valid ? run->counts : NULL;
    io.input_counts = run->valid ? run->input_counts : NULL;
    io.spectra_count = run->count;
    io.integration_spectra = run->integration_spectra;
    const clradio_status status = clradio_xengine_run(run->plan, &io);
    run->overflowed = status == CLRADIO_ERROR_OVERFLOW;
    assert_ok(run->overflowed ? CLRADIO_OK : status);
}

void flagged_run_expect(const flagged_run *run)
{
    uint64_t misfits = 0;
    for (uint64_t n = 0; n < run->integrations; n++)
        misfits += expect_part(run, n);
    if (run->overflowed >= 0)
        assert_int_equal(run->overflowed, misfits > 0);
}
