/*
 * Our kernels of the F-engine alone, with the Fourier transform left out between them: small enough
 * for a simulator that watches every access, and without the FFT library's kernels in its way.
 */
#include "fengine_support.h"

#include "engine/fengine.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex complex_double;

/* The filter's output n of a spectrum and signal, in double. */
static complex_double line_value(const clradio_fengine_config *config, const double *h,
                                 const int8_t *voltages, uint64_t spectrum, uint64_t signal,
                                 uint64_t n)
{
    uint64_t length = length_of(config), signals = signals_of(config);
    complex_double sum = 0.0;
    for (uint64_t tap = 0; tap < config->taps; tap++) {
        uint64_t at = ((spectrum + tap) * length + n) * signals + signal;
        double x = h[tap * length + n];
        sum += config->input == CLRADIO_CI8 ? x * (voltages[2 * at] + I * voltages[2 * at + 1])
                                            : x * voltages[at];
    }
    return sum;
}

/* What the ordering makes of untransformed lines: complex ones by rising frequency; real ones, read
 * in pairs as Z, as X[k] = (Z[k] + Z*[N - k])/2 - i exp(-i pi k/N) (Z[k] - Z*[N - k])/2. */
static complex_double expected_value(const clradio_fengine_config *config, const double *h,
                                     const int8_t *voltages, uint64_t spectrum, uint64_t signal,
                                     uint64_t channel)
{
    uint64_t channels = config->channels;
    uint64_t k = config->reversed ? channels - 1 - channel : channel;
    complex_double value;
    if (config->input == CLRADIO_CI8) {
        uint64_t bin = (k + channels - channels / 2) % channels;
        value = line_value(config, h, voltages, spectrum, signal, bin);
    } else {
        uint64_t m = (channels - k) % channels;
        complex_double z = line_value(config, h, voltages, spectrum, signal, 2 * k) +
                           I * line_value(config, h, voltages, spectrum, signal, 2 * k + 1);
        complex_double y = conj(line_value(config, h, voltages, spectrum, signal, 2 * m) +
                                I * line_value(config, h, voltages, spectrum, signal, 2 * m + 1));
        complex_double root = cexp(-I * 3.14159265358979323846 * (double)k / (double)channels);
        value = 0.5 * (z + y) - 0.5 * I * root * (z - y);
    }
    return config->reversed ? conj(value) : value;
}

static void leave_out_the_transform(clradio_fengine *plan)
{
    for (unsigned i = 0; i < plan->rung_count; i++) {
        clr_fft_destroy(plan->rungs[i].fft);
        plan->rungs[i].fft = NULL;
    }
}

/* Two calls, the second with history from the first, spectrum by spectrum masked where s + t is a
 * multiple of 4. */
static void check(clradio_device *device, const clradio_fengine_config *config)
{
    uint64_t blocks = config->spectra, out = blocks - config->taps + 1, first = blocks / 2;
    uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    uint64_t in_bytes = elements_of(config, blocks) * clradio_type_bytes(config->input);
    uint64_t values = values_of(config, out), signals = signals_of(config);
    int8_t *voltages = random_voltages(config, blocks, config->channels);
    double *h = malloc((size_t)config->taps * length_of(config) * sizeof *h);
    uint8_t *valid = malloc(out * inputs);
    float *got = malloc(values * 8);
    clradio_fengine *plan;
    clradio_queue *queue;
    clradio_fengine_io io = CLRADIO_FENGINE_IO_INIT;
    assert_ok(clradio_fengine_prototype(config, h));
    for (uint64_t i = 0; i < out * inputs; i++)
        valid[i] = (i / inputs + i % inputs) % 4 != 0;
    assert_ok(clr_fengine_make(device, config, 0, &plan));
    leave_out_the_transform(plan);
    assert_ok(clradio_queue_create(device, 0, &queue));
    /* A line that nobody wrote would show as not a number. */
    assert_ok(clradio_buffer_fill(queue, (clradio_span){ plan->work, 0 }, 0xff, plan->work_bytes, 0,
                                  NULL, NULL));
    assert_ok(clradio_buffer_create(device, in_bytes, &io.voltages.buffer));
    assert_ok(clradio_buffer_create(device, values * 8, &io.spectra.buffer));
    assert_ok(clradio_buffer_create(device, out * inputs, &io.valid.buffer));
    assert_ok(clradio_buffer_write(queue, io.voltages, voltages, in_bytes, 0, NULL, NULL));
    assert_ok(clradio_buffer_write(queue, io.valid, valid, out * inputs, 0, NULL, NULL));
    for (uint64_t at = 0, done = 0; at < blocks; at += io.spectra_count) {
        io.spectra_count = at ? blocks - first : first;
        io.voltages.offset = at * plan->sizes.block_bytes;
        io.spectra.offset = done * plan->sizes.spectrum_bytes;
        io.valid.offset = done * inputs;
        done += clradio_fengine_spectra_out(plan, io.spectra_count);
        assert_ok(clradio_fengine_enqueue(plan, queue, &io, 0, NULL, NULL));
    }
    assert_ok(clradio_buffer_read(queue, (clradio_span){ io.spectra.buffer, 0 }, got, values * 8, 0,
                                  NULL, NULL));
    for (uint64_t i = 0; i < values; i++) {
        uint64_t input = i % inputs, channel = i / inputs % config->channels;
        uint64_t band = i / inputs / config->channels % config->bands;
        uint64_t t = i / (signals * config->channels);
        complex_double expected = 0.0;
        if (valid[t * inputs + input])
            expected = expected_value(config, h, voltages, t, band * inputs + input, channel);
        /* At most 4 samples of up to 128 sqrt(2), coefficients up to 1, rounded a few times. */
        assert_true(cabs(got[2 * i] + I * got[2 * i + 1] - expected) < 4 * 181.0 * 6e-7);
    }
    clradio_buffer_destroy(io.voltages.buffer);
    clradio_buffer_destroy(io.spectra.buffer);
    clradio_buffer_destroy(io.valid.buffer);
    clradio_queue_destroy(queue);
    clradio_fengine_destroy(plan);
    free(voltages);
    free(h);
    free(valid);
    free(got);
}

static void filter_and_order_are_right_for_every_shape_of_tile(void **state)
{
    /* stations, polarisations, bands, channels, taps */
    static const uint32_t shapes[][5] = {
        { 1, 1, 1, 300, 1 }, { 1, 2, 1, 5, 2 }, { 3, 1, 2, 7, 4 },
        { 5, 2, 1, 1, 1 },   { 9, 2, 2, 4, 3 }, { 33, 1, 1, 6, 2 }
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int real = 0; real < 2; real++) {
            clradio_fengine_config config = CLRADIO_FENGINE_CONFIG_INIT;
            config.stations = shapes[i][0];
            config.polarisations = shapes[i][1];
            config.bands = shapes[i][2];
            config.channels = shapes[i][3];
            config.taps = shapes[i][4];
            config.window = CLRADIO_WINDOW_HAMMING;
            config.input = real ? CLRADIO_I8 : CLRADIO_CI8;
            config.reversed = (int)(i & 1);
            config.spectra = config.taps + 3;
            check(device_under_test(state), &config);
        }
}

static void pieces_of_some_signals_are_put_in_their_place(void **state)
{
    clradio_fengine_config config = CLRADIO_FENGINE_CONFIG_INIT;
    config.stations = 7;
    config.polarisations = 2;
    config.bands = 3;
    config.channels = 4;
    config.taps = 2;
    config.spectra = 5;
    clr_fengine_sizes sizes;
    assert_ok(clr_fengine_sizes_of(&config, &sizes));
    /* Room for the lines of 10 of the 42 signals: 32 bytes each. */
    config.memory_limit = clr_fengine_fixed_bytes(&config, &sizes) + 10 * 32;
    check(device_under_test(state), &config);
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(filter_and_order_are_right_for_every_shape_of_tile),
        DEVICE_TEST(pieces_of_some_signals_are_put_in_their_place),
    };
#if !HAVE_CLFFT && !HAVE_VKFFT
    printf("1..0 # SKIP built without clFFT and VkFFT\n");
    return 0;
#endif
    return run_device_tests("fengine kernels", NULL, 0, tests, sizeof tests / sizeof *tests);
}
