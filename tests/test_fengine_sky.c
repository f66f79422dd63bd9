/*
 * Sideband rules: a wave of a known sky frequency F that reaches each station early by its delay
 * must come out in the channel whose frequency is F, with the phase 2 pi F (delay_i - delay_j) on
 * x_i conj(x_j), whatever way it was brought to baseband. Frequencies are in cycles a sample.
 */
#include "fengine_support.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double delays[] = { 0.0, 0.31, -1.7 };
enum { STATIONS = sizeof delays / sizeof *delays, CHANNELS = 12 };

/* The four ways a band comes to the voltages. reference: the sky frequency of the band's
 * reference, as clradio_fengine_channel_offset means it. */
typedef struct band {
    const char *name;
    clradio_type type;
    int reversed;
    double reference;
} band;

static const band bands[] = {
    { "complex, upper sideband", CLRADIO_CF32, 0, 7.25 },
    { "complex, lower sideband", CLRADIO_CF32, 1, 7.25 },
    { "real, first Nyquist zone", CLRADIO_F32, 0, 0.0 },
    { "real, second Nyquist zone", CLRADIO_F32, 1, 1.0 },
    { "real, third Nyquist zone", CLRADIO_F32, 0, 1.0 },
    { "real, eighth Nyquist zone", CLRADIO_F32, 1, 4.0 },
};
enum { BANDS = sizeof bands / sizeof *bands };

static double angle_of(double cycles)
{
    return 2.0 * pi * (cycles - floor(cycles));
}

/* Adds the wave amplitude cos(2 pi F (t + delay) + phase) as the band's receiver samples it. */
static void add_wave(const band *from, float *voltages, uint64_t samples, double sky_frequency,
                     double amplitude, double phase)
{
    for (uint64_t n = 0; n < samples; n++)
        for (size_t s = 0; s < STATIONS; s++) {
            uint64_t at = n * STATIONS + s;
            double time = (double)n + delays[s];
            if (from->type == CLRADIO_F32) {
                /* A sampler takes the wave as it is: zones alias by themselves. */
                double wave = cos(angle_of(sky_frequency * time) + phase);
                voltages[at] += (float)(amplitude * wave);
                continue;
            }
            /* A mixer at the reference: x exp(-2 pi i F0 t), low-pass filtered; the lower sideband
             * comes from a mixer that turns the other way. */
            double mixed =
                angle_of(sky_frequency * time) - angle_of(from->reference * (double)n) + phase;
            voltages[2 * at] += (float)(amplitude * cos(mixed));
            voltages[2 * at + 1] += (float)(amplitude * sin(from->reversed ? -mixed : mixed));
        }
}

static clradio_fengine_config config_of(const band *from, uint32_t taps)
{
    clradio_fengine_config config = CLRADIO_FENGINE_CONFIG_INIT;
    config.stations = STATIONS;
    config.channels = CHANNELS;
    config.taps = taps;
    config.window = taps > 1 ? CLRADIO_WINDOW_HAMMING : CLRADIO_WINDOW_RECTANGULAR;
    config.input = from->type;
    config.reversed = from->reversed;
    config.spectra = 8;
    return config;
}

static double complex value_at(const float *spectra, uint64_t spectrum, uint32_t c, size_t station)
{
    uint64_t at = (spectrum * CHANNELS + c) * STATIONS + station;
    return spectra[2 * at] + I * spectra[2 * at + 1];
}

static void check_wave(const band *from, const float *spectra, uint64_t out, uint32_t c,
                       double sky_frequency)
{
    for (uint64_t t = 0; t < out; t++)
        for (size_t i = 0; i < STATIONS; i++)
            for (size_t j = 0; j <= i; j++) {
                double complex v = value_at(spectra, t, c, i) * conj(value_at(spectra, t, c, j));
                double expected = 2.0 * pi * sky_frequency * (delays[i] - delays[j]);
                double off = carg(v * cexp(-I * expected));
                if (!(fabs(off) < 1e-4 && cabs(v) > 1.0))
                    fail_msg("%s, channel %u, stations %zu %zu: phase off by %g, amplitude %g",
                             from->name, c, i, j, off, cabs(v));
            }
}

static void a_tone_of_any_sideband_is_at_its_sky_frequency_with_the_phase_of_its_delay(void **state)
{
    for (size_t b = 0; b < BANDS; b++) {
        clradio_fengine_config config = config_of(&bands[b], 1);
        clradio_fengine *keeper;
        assert_ok(clradio_fengine_create(device_under_test(state), &config, &keeper));
        for (uint32_t c = 0; c < CHANNELS; c++) {
            double offset = clradio_fengine_channel_offset(&config, c);
            if (offset == 0.0 && bands[b].type == CLRADIO_F32)
                continue; /* a real wave at the band's very edge has no phase of its own */
            uint64_t blocks = 2, out;
            float *voltages = calloc(elements_of(&config, blocks), 8);
            double frequency = bands[b].reference + offset;
            add_wave(&bands[b], voltages, blocks * length_of(&config), frequency, 50.0, 1.1);
            float *spectra =
                run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
            check_wave(&bands[b], spectra, out, c, frequency);
            for (uint32_t other = 0; other < CHANNELS; other++)
                if (other != c)
                    assert_true(cabs(value_at(spectra, 0, other, 0)) < 1e-2);
            free(voltages);
            free(spectra);
        }
        clradio_fengine_destroy(keeper);
    }
}

static void a_delayed_source_with_many_frequencies_has_a_phase_slope_of_its_delay(void **state)
{
    for (size_t b = 0; b < BANDS; b++) {
        clradio_fengine_config config = config_of(&bands[b], 4);
        uint64_t blocks = 6, out, seed = 9;
        float *voltages = calloc(elements_of(&config, blocks), 8);
        for (uint32_t c = 0; c < CHANNELS; c++) {
            double offset = clradio_fengine_channel_offset(&config, c);
            double phase = (double)test_random_between(&seed, 0, 6283) / 1000.0;
            if (offset != 0.0 || bands[b].type == CLRADIO_CF32)
                add_wave(&bands[b], voltages, blocks * length_of(&config),
                         bands[b].reference + offset, 20.0, phase);
        }
        float *spectra =
            run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
        for (uint32_t c = 0; c < CHANNELS; c++) {
            double offset = clradio_fengine_channel_offset(&config, c);
            /* Neighbours leak into a channel with their own phases: compare where they cannot.
             * Every wave is in a channel's middle, where the filter of a neighbour has its first
             * zero only about; so take the tolerance from the response at distance one. */
            double *h = malloc((size_t)4 * length_of(&config) * sizeof *h);
            double complex at_0 = 0.0, at_1 = 0.0;
            assert_ok(clradio_fengine_prototype(&config, h));
            for (uint32_t n = 0; n < 4 * length_of(&config); n++) {
                at_0 += h[n];
                at_1 += h[n] * cexp(-2.0 * pi * I * n / length_of(&config));
            }
            free(h);
            double leak = 2.0 * cabs(at_1) / cabs(at_0);
            for (uint64_t t = 0; t < out && (offset != 0.0 || bands[b].type == CLRADIO_CF32); t++)
                for (size_t i = 1; i < STATIONS; i++) {
                    double complex v =
                        value_at(spectra, t, c, i) * conj(value_at(spectra, t, c, 0));
                    double expected =
                        2.0 * pi * (bands[b].reference + offset) * (delays[i] - delays[0]);
                    assert_true(leak < 0.1);
                    /* Each factor is off by at most asin(leak) and what lies further out. */
                    assert_true(fabs(carg(v * cexp(-I * expected))) < 2.0 * asin(leak) + 0.02);
                }
        }
        free(voltages);
        free(spectra);
    }
}

static void all_sidebands_give_the_same_sky_spectrum(void **state)
{
    /* Waves with amplitudes 10, 20, ... rising in sky frequency, around or above each reference. */
    for (size_t b = 0; b < BANDS; b++) {
        clradio_fengine_config config = config_of(&bands[b], 1);
        uint64_t blocks = 1, out;
        float *voltages = calloc(elements_of(&config, blocks), 8);
        for (uint32_t c = 0; c < CHANNELS; c++)
            if (clradio_fengine_channel_offset(&config, c) != 0.0)
                add_wave(&bands[b], voltages, length_of(&config),
                         bands[b].reference + clradio_fengine_channel_offset(&config, c),
                         10.0 * (c + 1), 0.3 * c);
        float *spectra =
            run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
        double scale = bands[b].type == CLRADIO_F32 ? 0.5 * sqrt(2.0 * CHANNELS) : sqrt(CHANNELS);
        for (uint32_t c = 0; c < CHANNELS; c++) {
            int empty = clradio_fengine_channel_offset(&config, c) == 0.0;
            double expected = empty ? 0.0 : 10.0 * (c + 1);
            assert_true(fabs(cabs(value_at(spectra, 0, c, 0)) / scale - expected) < 1e-3);
            /* Rising sky frequency, one channel apart. */
            if (c)
                assert_true(fabs(clradio_fengine_channel_offset(&config, c) -
                                 clradio_fengine_channel_offset(&config, c - 1) -
                                 1.0 / length_of(&config)) < 1e-12);
            if (!empty)
                assert_true(fabs(carg(value_at(spectra, 0, c, 0) * cexp(-0.3 * I * c))) < 1e-3);
        }
        free(voltages);
        free(spectra);
    }
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(a_tone_of_any_sideband_is_at_its_sky_frequency_with_the_phase_of_its_delay),
        DEVICE_TEST(a_delayed_source_with_many_frequencies_has_a_phase_slope_of_its_delay),
        DEVICE_TEST(all_sidebands_give_the_same_sky_spectrum),
    };
#if !HAVE_CLFFT && !HAVE_VKFFT
    printf("1..0 # SKIP built without clFFT and VkFFT\n");
    return 0;
#endif
    return run_device_tests("fengine sky", NULL, 0, tests, sizeof tests / sizeof *tests);
}
