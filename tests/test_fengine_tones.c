/*
 * What the F-engine does to known signals: the prototype filter, impulses, tones in and between
 * channels, noise. Frequencies are in units of a channel's width unless said otherwise.
 */
#include "fengine_support.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static clradio_fengine_config one_input(clradio_type input, uint32_t channels, uint32_t taps,
                                        clradio_window window)
{
    clradio_fengine_config config = CLRADIO_FENGINE_CONFIG_INIT;
    config.channels = channels;
    config.taps = taps;
    config.window = window;
    config.input = input;
    config.spectra = 64;
    return config;
}

/* |H|: the filter's answer, in a channel's middle, to a tone so many channels away. */
static double response(const clradio_fengine_config *config, double distance)
{
    uint32_t length = length_of(config);
    double *h = malloc((size_t)config->taps * length * sizeof *h);
    assert_ok(clradio_fengine_prototype(config, h));
    double complex sum = 0.0;
    for (uint32_t n = 0; n < config->taps * length; n++)
        sum += h[n] * cexp(-2.0 * pi * I * distance * (double)n / (double)length);
    free(h);
    return cabs(sum);
}

/* cf32 voltages of amplitude * exp(2 pi i offset n), offset in cycles a sample. */
static float *complex_tone(const clradio_fengine_config *config, uint64_t blocks, double offset,
                           double amplitude)
{
    float *voltages = malloc(elements_of(config, blocks) * 8);
    for (uint64_t n = 0; n < elements_of(config, blocks); n++) {
        double cycles = offset * (double)n;
        double angle = 2.0 * pi * (cycles - floor(cycles));
        set_voltage(CLRADIO_CF32, voltages, n, amplitude * cos(angle), amplitude * sin(angle));
    }
    return voltages;
}

static double magnitude(const float *spectra, uint64_t value)
{
    return hypot((double)spectra[2 * value], (double)spectra[2 * value + 1]);
}

/* ---- the prototype ---- */

static void the_prototype_is_symmetric_and_has_unit_energy(void **state)
{
    (void)state;
    for (uint32_t channels = 1; channels <= 9; channels++)
        for (uint32_t taps = 1; taps <= 5; taps++)
            for (int window = CLRADIO_WINDOW_RECTANGULAR; window <= CLRADIO_WINDOW_KAISER;
                 window++) {
                clradio_fengine_config config =
                    one_input(CLRADIO_CF32, channels, taps, (clradio_window)window);
                double h[45], energy = 0.0;
                uint32_t points = channels * taps;
                assert_ok(clradio_fengine_prototype(&config, h));
                for (uint32_t i = 0; i < points; i++) {
                    energy += h[i] * h[i];
                    assert_true(fabs(h[i] - h[points - 1 - i]) < 1e-14);
                }
                assert_true(fabs(energy - 1.0) < 1e-14);
            }
}

static void one_rectangular_tap_is_the_plain_transform(void **state)
{
    (void)state;
    clradio_fengine_config config = one_input(CLRADIO_F32, 8, 1, CLRADIO_WINDOW_RECTANGULAR);
    double h[16];
    assert_ok(clradio_fengine_prototype(&config, h));
    for (size_t i = 0; i < 16; i++)
        assert_true(fabs(h[i] - 0.25) < 1e-16); /* 1/sqrt(16) */
}

/* Two points of a filter are in the ratio of window times sinc at those points. */
static void check_ratio(clradio_window window, double beta, double at_end, double at_middle)
{
    clradio_fengine_config config = one_input(CLRADIO_CF32, 1, 3, window);
    config.kaiser_beta = beta;
    double h[3];
    assert_ok(clradio_fengine_prototype(&config, h));
    /* P = 1, three taps: x = -1, 0, 1 and sinc(+-1) = 0, so only the middle is left. */
    assert_true(fabs(h[0]) < 1e-16 && fabs(h[1] - 1.0) < 1e-15);
    config.channels = 2; /* six points: x/P = -5/4, -3/4, -1/4, ... */
    double six[6];
    assert_ok(clradio_fengine_prototype(&config, six));
    double sinc_end = sin(pi * 1.25) / (pi * 1.25), sinc_middle = sin(pi * 0.25) / (pi * 0.25);
    assert_true(fabs(six[0] / six[2] - at_end * sinc_end / (at_middle * sinc_middle)) < 1e-6);
}

static void windows_have_their_textbook_values(void **state)
{
    (void)state;
    /* The first and third of six points lie at u = 1/12 and 5/12, where cos(2 pi u) = +-sqrt(3)/2
     * and cos(4 pi u) = 1/2. */
    double c = sqrt(3.0) / 2.0;
    check_ratio(CLRADIO_WINDOW_RECTANGULAR, 0.0, 1.0, 1.0);
    check_ratio(CLRADIO_WINDOW_HANN, 0.0, 0.5 - 0.5 * c, 0.5 + 0.5 * c);
    check_ratio(CLRADIO_WINDOW_HAMMING, 0.0, 0.54 - 0.46 * c, 0.54 + 0.46 * c);
    check_ratio(CLRADIO_WINDOW_BLACKMAN, 0.0, 0.42 - 0.5 * c + 0.04, 0.42 + 0.5 * c + 0.04);
    /* Abramowitz and Stegun, table 9.8: exp(-x) I0(x) at 3 and 5: 0.2430003542, 0.1835408126. At
     * u = 1/12, v = -5/6, sqrt(1 - v^2) = sqrt(11)/6; at u = 5/12, v = -1/6: sqrt(35)/6. beta is
     * chosen so that the arguments are 3 and 3 sqrt(35/11). */
    double beta = 18.0 / sqrt(11.0), i0_3 = 0.2430003542 * exp(3.0);
    double x = 3.0 * sqrt(35.0 / 11.0);
    /* I0 as the mean of exp(x cos t) over the circle: the trapezoid rule converges geometrically.
     */
    double i0_x = 0.0;
    for (int k = 0; k < 64; k++)
        i0_x += exp(x * cos(2.0 * pi * k / 64.0)) / 64.0;
    check_ratio(CLRADIO_WINDOW_KAISER, beta, i0_3, i0_x);
}

/* ---- impulses and tones ---- */

static void an_impulse_fills_all_channels_with_a_phase_ramp(void **state)
{
    clradio_fengine_config config = one_input(CLRADIO_CI8, 10, 1, CLRADIO_WINDOW_RECTANGULAR);
    for (uint64_t at = 0; at < 10; at++) {
        int8_t voltages[20] = { 0 };
        uint64_t blocks = 1, out;
        voltages[2 * at] = -128;
        float *spectra =
            run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
        for (uint32_t c = 0; c < 10; c++) {
            double f = clradio_fengine_channel_offset(&config, c);
            double complex expected = -128.0 / sqrt(10.0) * cexp(-2.0 * pi * I * f * (double)at);
            assert_true(fabs(spectra[2 * c] - creal(expected)) < 128.0 * 1e-6);
            assert_true(fabs(spectra[2 * c + 1] - cimag(expected)) < 128.0 * 1e-6);
        }
        free(spectra);
    }
}

static void a_tone_in_the_middle_of_a_channel_is_in_that_channel_alone(void **state)
{
    for (uint32_t channels = 1; channels <= 16; channels += channels < 5 ? 1 : 11)
        for (uint32_t c = 0; c < channels; c++)
            for (int reversed = 0; reversed < 2; reversed++) {
                clradio_fengine_config config =
                    one_input(CLRADIO_CF32, channels, 1, CLRADIO_WINDOW_RECTANGULAR);
                config.reversed = reversed;
                double offset = clradio_fengine_channel_offset(&config, c);
                /* A lower sideband shows a sky frequency above the reference as a negative one. */
                float *voltages = complex_tone(&config, 2, reversed ? -offset : offset, 100.0);
                uint64_t blocks = 2, out;
                float *spectra =
                    run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
                double expected = 100.0 * sqrt(channels);
                for (uint32_t i = 0; i < 2 * channels; i++)
                    assert_true(fabs(magnitude(spectra, i) - (i % channels == c ? expected : 0.0)) <
                                1e-6 * expected);
                free(voltages);
                free(spectra);
            }
}

static void real_tones_land_in_their_channel_and_nyquist_is_dropped(void **state)
{
    clradio_fengine_config config = one_input(CLRADIO_F32, 6, 1, CLRADIO_WINDOW_RECTANGULAR);
    for (uint32_t k = 0; k <= 6; k++) {
        float voltages[12];
        uint64_t blocks = 1, out;
        for (uint32_t n = 0; n < 12; n++)
            voltages[n] = (float)(10.0 * cos(2.0 * pi * k * n / 12.0 + 0.4 * (k % 6 != 0)));
        float *spectra =
            run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
        /* Half of a cosine is at the positive frequency, all of a constant is at zero. */
        double expected = 10.0 * sqrt(12.0) * (k ? 0.5 : 1.0);
        for (uint32_t c = 0; c < 6; c++) {
            assert_true(fabs(magnitude(spectra, c) - (c == k ? expected : 0.0)) < 3e-5);
            if (c == k && k)
                assert_true(fabs(atan2((double)spectra[2 * c + 1], (double)spectra[2 * c]) - 0.4) <
                            1e-5);
        }
        free(spectra);
    }
}

/* The worst of the channels that are more than `away` from the tone, as a fraction of the tone's
 * amplitude in a channel's middle; every channel is compared with the filter's response. */
static double leakage(clradio_device *device, uint32_t taps, clradio_window window, double away)
{
    enum { CHANNELS = 32 };
    clradio_fengine_config config = one_input(CLRADIO_CF32, CHANNELS, taps, window);
    uint64_t blocks = taps + 1, out;
    double at = 10.5, peak = 100.0 * response(&config, 0.0), worst = 0.0;
    float *voltages = complex_tone(&config, blocks, (at - 16.0) / CHANNELS, 100.0);
    float *spectra = run_calls(device, &config, voltages, NULL, &blocks, 1, &out);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        double got = magnitude(spectra, c), distance = fabs(c - at);
        assert_true(fabs(got - 100.0 * response(&config, c - at)) < 1e-6 * peak);
        distance = fmin(distance, CHANNELS - distance);
        if (distance > away)
            worst = fmax(worst, got / peak);
    }
    free(voltages);
    free(spectra);
    return worst;
}

static void taps_remove_the_leakage_of_a_tone_between_channels(void **state)
{
    clradio_device *device = device_under_test(state);
    /* The plain transform: |sin(pi d) / (32 sin(pi d / 32))| at d = 1.5 is 0.2129: -13.4 dB. */
    double plain = leakage(device, 1, CLRADIO_WINDOW_RECTANGULAR, 1.0);
    assert_true(fabs(plain - 1.0 / (32.0 * sin(pi * 1.5 / 32.0))) < 1e-5);
    /* The window method (Oppenheim and Schafer, Discrete-Time Signal Processing, table of windows):
     * peak error Hann -44 dB, Hamming -53 dB, Blackman -74 dB, once the distance from the band's
     * edge (half a channel) passes half the window's main lobe, 2/taps channels, 3/taps for
     * Blackman. 8 taps are past it at 0.5 + 0.375, 4 taps of Hann or Hamming at 1. */
    double hann_4 = leakage(device, 4, CLRADIO_WINDOW_HANN, 1.0);
    double hamming_4 = leakage(device, 4, CLRADIO_WINDOW_HAMMING, 1.0);
    double hamming_8 = leakage(device, 8, CLRADIO_WINDOW_HAMMING, 1.0);
    double blackman_8 = leakage(device, 8, CLRADIO_WINDOW_BLACKMAN, 1.0);
    print_message("# tone between two channels, worst channel beyond the two: 1 tap %.1f dB, "
                  "4 taps Hann %.1f dB, 4 taps Hamming %.1f dB, 8 taps Hamming %.1f dB, 8 taps "
                  "Blackman %.1f dB\n",
                  20 * log10(plain), 20 * log10(hann_4), 20 * log10(hamming_4),
                  20 * log10(hamming_8), 20 * log10(blackman_8));
    assert_true(hann_4 < pow(10.0, -44.0 / 20.0));
    assert_true(hamming_4 < pow(10.0, -53.0 / 20.0));
    assert_true(hamming_8 < pow(10.0, -53.0 / 20.0));
    assert_true(blackman_8 < pow(10.0, -74.0 / 20.0));
}

static void a_tone_swept_over_two_channels_in_44_steps_follows_the_response(void **state)
{
    for (uint32_t taps = 1; taps <= 4; taps += 3) {
        clradio_fengine_config config = one_input(CLRADIO_CF32, 16, taps, CLRADIO_WINDOW_HAMMING);
        clradio_fengine *keeper;
        assert_ok(clradio_fengine_create(device_under_test(state), &config, &keeper));
        for (int step = 0; step <= 44; step++) {
            double at = 6.0 + 2.0 * step / 44.0; /* from the middle of channel 6 to that of 8 */
            uint64_t blocks = taps, out;
            float *voltages = complex_tone(&config, blocks, (at - 8.0) / 16.0, 1000.0);
            float *spectra =
                run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
            for (uint32_t c = 5; c <= 9; c++)
                assert_true(fabs(magnitude(spectra, c) - 1000.0 * response(&config, c - at)) <
                            2e-6 * 1000.0 * response(&config, 0.0));
            free(voltages);
            free(spectra);
        }
        clradio_fengine_destroy(keeper);
    }
}

/* ---- noise ---- */

static void noise_power_depends_neither_on_length_nor_on_taps(void **state)
{
    static const uint32_t lengths[] = { 1, 4, 15, 64 };
    enum { SAMPLES = 1 << 15 };
    for (size_t l = 0; l < 4; l++)
        for (uint32_t taps = 1; taps <= 4; taps += 3)
            for (int real = 0; real < 2; real++) {
                clradio_fengine_config config = one_input(real ? CLRADIO_I8 : CLRADIO_CI8,
                                                          lengths[l], taps, CLRADIO_WINDOW_HANN);
                uint64_t blocks = SAMPLES / length_of(&config), out;
                if (lengths[l] == 1 && taps > 1)
                    continue; /* sinc(x) at whole x: one tap is left, nothing to see */
                config.spectra = blocks;
                void *voltages = random_voltages(&config, blocks, lengths[l] + taps);
                float *spectra =
                    run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
                double power = 0.0, count = (double)values_of(&config, out);
                for (uint64_t i = 0; i < values_of(&config, out); i++)
                    power += magnitude(spectra, i) * magnitude(spectra, i) / count;
                /* Uniform on -128..127: E x^2 = (65536 - 1)/12 + 1/4 = 5461.5 for each of re and
                 * im. The zero-frequency channel also holds the mean of -1/2, which is nothing
                 * here. The mean of count squared moduli scatters by at most 1/sqrt(count), and
                 * overlapping taps make it up to twice that: five deviations. */
                double expected = real ? 5461.5 : 2 * 5461.5;
                assert_true(fabs(power / expected - 1.0) < 10.0 / sqrt(count));
                free(voltages);
                free(spectra);
            }
}

int main(void)
{
    const struct CMUnitTest plain[] = {
        cmocka_unit_test(the_prototype_is_symmetric_and_has_unit_energy),
        cmocka_unit_test(one_rectangular_tap_is_the_plain_transform),
        cmocka_unit_test(windows_have_their_textbook_values),
    };
    const device_test tests[] = {
        DEVICE_TEST(an_impulse_fills_all_channels_with_a_phase_ramp),
        DEVICE_TEST(a_tone_in_the_middle_of_a_channel_is_in_that_channel_alone),
        DEVICE_TEST(real_tones_land_in_their_channel_and_nyquist_is_dropped),
        DEVICE_TEST(taps_remove_the_leakage_of_a_tone_between_channels),
        DEVICE_TEST_SLOW(a_tone_swept_over_two_channels_in_44_steps_follows_the_response),
        DEVICE_TEST_SLOW(noise_power_depends_neither_on_length_nor_on_taps),
    };
#if !HAVE_CLFFT && !HAVE_VKFFT
    printf("1..0 # SKIP built without clFFT and VkFFT\n");
    return 0;
#endif
    return run_device_tests("fengine tones", plain, sizeof plain / sizeof *plain, tests,
                            sizeof tests / sizeof *tests);
}
