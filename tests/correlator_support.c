#include "correlator_support.h"

#include <stdlib.h>

enum { GUARD_BYTES = 64 };

clradio_correlator_config correlator_config_of(clradio_type input, uint32_t channels, uint32_t taps)
{
    clradio_correlator_config config = CLRADIO_CORRELATOR_CONFIG_INIT;
    config.stations = 3;
    config.polarisations = 2;
    config.channels = channels;
    config.taps = taps;
    config.input = input;
    config.spectra = 40;
    config.window = taps == 1 ? CLRADIO_WINDOW_RECTANGULAR : CLRADIO_WINDOW_HANN;
    return config;
}

clradio_fengine_config fengine_of(const clradio_correlator_config *config)
{
    clradio_fengine_config f = CLRADIO_FENGINE_CONFIG_INIT;
    f.stations = config->stations;
    f.polarisations = config->polarisations;
    f.bands = config->bands;
    f.channels = config->channels;
    f.taps = config->taps;
    f.window = config->window;
    f.reversed = config->reversed;
    f.input = config->input;
    f.spectra = config->spectra;
    return f;
}

correlator_bench correlator_start(clradio_device *device, const clradio_correlator_config *config,
                                  const void *voltages, const uint8_t *valid, uint64_t blocks)
{
    correlator_bench b = { .config = *config, .info = CLRADIO_CORRELATOR_INFO_INIT };
    assert_ok(clradio_correlator_create(device, config, &b.plan));
    assert_ok(clradio_correlator_get_info(b.plan, &b.info));
    assert_ok(clradio_queue_create(device, 0, &b.queue));
    b.block_bytes = b.info.voltages_bytes / config->spectra;
    b.inputs = (uint64_t)config->stations * config->polarisations;
    uint64_t bytes = blocks * b.block_bytes;
    assert_ok(clradio_buffer_create(device, bytes, &b.voltages));
    assert_ok(clradio_buffer_create(device, blocks * b.inputs, &b.valid));
    assert_ok(
        clradio_buffer_create(device, b.info.visibilities_bytes + GUARD_BYTES, &b.visibilities));
    assert_ok(clradio_buffer_write(b.queue, (clradio_span){ b.voltages, 0 }, voltages, bytes, 0,
                                   NULL, NULL));
    if (valid)
        assert_ok(clradio_buffer_write(b.queue, (clradio_span){ b.valid, 0 }, valid,
                                       blocks * b.inputs, 0, NULL, NULL));
    return b;
}

uint64_t correlator_call(correlator_bench *b, uint64_t first, uint64_t count,
                         uint64_t spectra_before, int masked, unsigned flags)
{
    clradio_correlator_io io = CLRADIO_CORRELATOR_IO_INIT;
    io.voltages = (clradio_span){ b->voltages, first * b->block_bytes };
    if (masked)
        io.valid = (clradio_span){ b->valid, spectra_before * b->inputs };
    io.visibilities = (clradio_span){ b->visibilities, 0 };
    io.spectra_count = count;
    io.flags = flags;
    uint64_t out = clradio_correlator_spectra_out(b->plan, count);
    if (flags & CLRADIO_DUMP)
        assert_ok(clradio_buffer_fill(b->queue, io.visibilities, 0xff,
                                      b->info.visibilities_bytes + GUARD_BYTES, 0, NULL, NULL));
    assert_ok(clradio_correlator_enqueue(b->plan, b->queue, &io, 0, NULL, NULL));
    return out;
}

void *correlator_visibilities(correlator_bench *b)
{
    unsigned char *all = malloc(b->info.visibilities_bytes + GUARD_BYTES);
    assert_ok(clradio_buffer_read(b->queue, (clradio_span){ b->visibilities, 0 }, all,
                                  b->info.visibilities_bytes + GUARD_BYTES, 0, NULL, NULL));
    for (size_t i = 0; i < GUARD_BYTES; i++)
        assert_int_equal(all[b->info.visibilities_bytes + i], 0xff);
    return all;
}

void correlator_stop(correlator_bench *b)
{
    clradio_buffer_destroy(b->voltages);
    clradio_buffer_destroy(b->valid);
    clradio_buffer_destroy(b->visibilities);
    clradio_queue_destroy(b->queue);
    clradio_correlator_destroy(b->plan);
}
