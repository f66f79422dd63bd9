/* The simulated array: phases, powers and polarisation of its voltages, and that they do not depend
 * on how they are cut into calls. */
#include "support.h"

#include "model/array.h"
#include "model/geometry.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double origin_and_one[2][3] = { { 0, 0, 0 }, { 180, -75, 12 } };

static clr_array_config two_antennas(const clr_sky_source *sources, size_t n_sources)
{
    return (clr_array_config){ .stations = 2,
                               .polarisations = 1,
                               .enu_m = origin_and_one,
                               .sample_rate_hz = 1e6,
                               .frequency_hz = 150.3e6,
                               .complex_samples = 1,
                               .sources = sources,
                               .n_sources = n_sources,
                               .scale = 1,
                               .seed = 5 };
}

static double *voltages_of(const clr_array_config *config, int64_t first, size_t count)
{
    clr_array *array;
    size_t numbers =
        (size_t)config->stations * config->polarisations * (config->complex_samples ? 2 : 1);
    double *voltages = malloc(count * numbers * sizeof *voltages);
    assert_ok(clr_array_create(config, &array));
    assert_ok(clr_array_voltages(array, first, count, voltages));
    clr_array_destroy(array);
    return voltages;
}

/* One channel's exp(-2 pi i k t / n) transform of one input under a Hann window. */
static double complex transform(const clr_array_config *config, const double *voltages, size_t n,
                                size_t input, size_t inputs, size_t k)
{
    double complex sum = 0;
    for (size_t t = 0; t < n; t++) {
        double window = 0.5 - 0.5 * cos(2 * CLR_PI * (double)t / (double)n);
        double complex x = config->complex_samples ? voltages[2 * (t * inputs + input)] +
                                                         I * voltages[2 * (t * inputs + input) + 1]
                                                   : voltages[t * inputs + input];
        sum += window * x * cexp(-2 * CLR_PI * I * (double)(k * t % n) / (double)n);
    }
    return sum;
}

/*
 * DESIGN.md, section 6: x_1 conj(x_0) has phase 2 pi f (r_1 - r_0).s/c at the sky frequency f; a
 * lower sideband reverses the frequencies and conjugates. Averaged over 24 neighbouring channels of
 * 1024 after the expected phase is taken away; the delay (at most 0.7 samples) shifts the window by
 * 0.7/1024 of itself, which is an error of the order of 0.7 pi/1024/sqrt(24) = 5e-4 rad a group;
 * 5e-3 is asked. A wrong sign, sideband or half-sample would be off by 0.3 rad or more at one end.
 */
static void phases_follow_the_delay_at_every_frequency(void **state)
{
    (void)state;
    enum { N = 1024, GROUP = 24 };
    const clr_sky_source source = { 70, 35, 1, 0, 0 };
    double direction[3];
    clr_direction(source.azimuth_deg, source.elevation_deg, direction);
    double delay = clr_dot(origin_and_one[1], direction) / CLR_SPEED_OF_LIGHT;
    for (int form = 0; form < 4; form++) {
        clr_array_config config = two_antennas(&source, 1);
        config.complex_samples = form & 1;
        config.lower_sideband = form >> 1;
        config.sample_rate_hz = config.complex_samples ? 1e6 : 2e6; /* the band is 1 MHz */
        double *voltages = voltages_of(&config, 12345, N);
        size_t channels = config.complex_samples ? N : N / 2;
        double step = config.sample_rate_hz / N;
        for (size_t first = 0; first + GROUP <= channels; first += GROUP) {
            double complex sum = 0;
            double power = 0;
            double off = 0;
            for (size_t k = first; k < first + GROUP; k++) {
                /* offset of the channel from the band's middle, before the sideband */
                off = config.complex_samples ? (k < N / 2 ? (double)k : (double)k - N) * step
                                             : (double)k * step - 0.5e6;
                double sky = config.frequency_hz + (config.lower_sideband ? -off : off);
                double phase = 2 * CLR_PI * sky * delay * (config.lower_sideband ? -1 : 1);
                double complex a = transform(&config, voltages, N, 0, 2, k);
                double complex b = transform(&config, voltages, N, 1, 2, k);
                sum += b * conj(a) * cexp(-I * phase);
                power += cabs(a) * cabs(b);
            }
            if (fabs(off) > 0.42e6)
                continue; /* outside the band that the source fills */
            assert_true(fabs(carg(sum)) < 5e-3);
            assert_true(cabs(sum) > 0.999 * power);
        }
        free(voltages);
    }
}

/* A whole number of samples and of turns: the same numbers, later. A wave along the horizon from
 * the east reaches an antenna 3 samples of light east 3 samples early. */
static void a_whole_delay_only_shifts(void **state)
{
    (void)state;
    enum { N = 500 };
    const clr_sky_source source = { 90, 0, 1, 0, 0 };
    const double positions[2][3] = { { 0, 0, 0 }, { 3 * CLR_SPEED_OF_LIGHT / 1e6, 0, 0 } };
    for (int complex_samples = 0; complex_samples < 2; complex_samples++) {
        clr_array_config config = two_antennas(&source, 1);
        config.enu_m = positions;
        config.complex_samples = complex_samples;
        /* Real: 3 us are 6 samples of 2 MHz; the middle of the band turns by 450.75 of the carrier
         * and 1.5 of the 500 kHz below it, 449.25 + 1.5: choose the edge so that both are whole. */
        config.sample_rate_hz = complex_samples ? 1e6 : 2e6;
        config.frequency_hz = complex_samples ? 150e6 : 150.5e6;
        double *v = voltages_of(&config, 0, N);
        size_t shift = complex_samples ? 3 : 6, parts = complex_samples ? 2 : 1;
        for (size_t t = 0; t + shift < N; t++)
            for (size_t p = 0; p < parts; p++)
                assert_true(fabs(v[(t * 2 + 1) * parts + p] - v[((t + shift) * 2) * parts + p]) <
                            1e-6);
        free(v);
    }
}

/* 40,000 samples: a power has a relative error of 1/200 (complex) or 1/141 (real), and the source's
 * band of 0.9 makes it a little more; 5 sigma is 0.04. */
static void powers_and_polarisation_are_those_asked_for(void **state)
{
    (void)state;
    enum { N = 40000 };
    const clr_sky_source source = { 10, 50, 2.5, 0.6, 40 };
    for (int complex_samples = 0; complex_samples < 2; complex_samples++) {
        const double gain[4] = { 1, 1, 0.5, 0 };
        clr_array_config config = two_antennas(&source, 1);
        config.polarisations = 2;
        config.complex_samples = complex_samples;
        config.noise = 1.5;
        config.gain = gain;
        double *v = voltages_of(&config, 0, N);
        double power[4] = { 0 };
        double complex cross = 0;
        for (size_t t = 0; t < N; t++) {
            double complex x[4];
            for (size_t k = 0; k < 4; k++) {
                x[k] = complex_samples ? v[2 * (t * 4 + k)] + I * v[2 * (t * 4 + k) + 1]
                                       : v[t * 4 + k];
                power[k] += creal(x[k] * conj(x[k])) / N;
            }
            cross += x[1] * conj(x[0]) / N;
        }
        const double want[4] = { 4, 4, 1.5 + 2.5 / 4, 1.5 };
        for (size_t k = 0; k < 4; k++)
            assert_true(fabs(power[k] / want[k] - 1) < 0.04);
        /* <Y conj(X)> = 2.5 x 0.6 exp(i 40 degrees) = 1.149 + 0.964 i; real voltages keep its real
         * part. Error sqrt(4 x 4 / N) = 0.02 (real: x sqrt 2). */
        assert_true(fabs(creal(cross) - 1.149) < 0.12);
        if (complex_samples)
            assert_true(fabs(cimag(cross) - 0.964) < 0.12);
        free(v);
    }
}

static void any_cutting_gives_the_same_numbers(void **state)
{
    (void)state;
    enum { N = 10000 };
    const clr_sky_source sources[2] = { { 10, 50, 1, 0.3, 20 }, { 200, 70, 3, 0, 0 } };
    for (int form = 0; form < 4; form++) {
        clr_array_config config = two_antennas(sources, 2);
        config.polarisations = 2;
        config.noise = 1;
        config.complex_samples = form & 1;
        config.lower_sideband = form >> 1;
        size_t numbers = 4 * (config.complex_samples ? 2 : 1);
        double *whole = voltages_of(&config, 1000, N);
        clr_array *array;
        assert_ok(clr_array_create(&config, &array));
        double *part = malloc(N * numbers * sizeof *part);
        uint64_t seed = 3;
        for (size_t done = 0; done < N;) {
            size_t count = (size_t)test_random_between(&seed, 1, 5000);
            count = count < N - done ? count : N - done;
            assert_ok(
                clr_array_voltages(array, 1000 + (int64_t)done, count, part + done * numbers));
            done += count;
        }
        assert_memory_equal(whole, part, N * numbers * sizeof *part);
        config.seed++;
        double *other = voltages_of(&config, 1000, N);
        assert_true(memcmp(whole, other, N * numbers * sizeof *part) != 0);
        clr_array_destroy(array);
        free(whole);
        free(part);
        free(other);
    }
}

/* The rms of what comes out at a scale is the level asked for: 4 sigma of 40,000 real numbers. */
static void the_scale_brings_inputs_to_their_level(void **state)
{
    (void)state;
    enum { N = 20000 };
    const clr_sky_source source = { 10, 50, 3, 0, 0 };
    static const unsigned bits[] = { 2, 4, 8, 16 };
    for (size_t k = 0; k < 4; k++)
        for (int complex_samples = 0; complex_samples < 2; complex_samples++) {
            clr_array_config config = two_antennas(&source, 1);
            config.noise = 7;
            config.complex_samples = complex_samples;
            config.scale = clr_array_scale(&config, bits[k]);
            double *v = voltages_of(&config, 0, N), sum = 0;
            size_t n = N * 2 * (complex_samples ? 2 : 1);
            for (size_t at = 0; at < n; at++)
                sum += v[at] * v[at] / (double)n;
            assert_true(fabs(sqrt(sum) / clr_array_level(bits[k]) - 1) < 0.02);
            free(v);
        }
}

static void impossible_arrays_are_refused(void **state)
{
    (void)state;
    clr_sky_source source = { 10, 50, 3, 0, 0 };
    clr_array_config bad[8];
    const double far_away[2][3] = { { 0, 0, 0 }, { 1e20, 0, 0 } };
    clr_array *array;
    for (int k = 0; k < 8; k++)
        bad[k] = two_antennas(&source, 1);
    bad[0].stations = 0;
    bad[1].polarisations = 3;
    bad[2].sample_rate_hz = 0;
    bad[3].frequency_hz = NAN;
    bad[4].noise = -1;
    bad[5].enu_m = far_away;
    bad[6].scale = INFINITY;
    bad[7].sources = &(clr_sky_source){ 10, 95, 1, 0, 0 };
    for (int k = 0; k < 8; k++) {
        assert_int_equal(clr_array_create(&bad[k], &array), CLRADIO_ERROR_ARGUMENT);
        assert_null(array);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_follow_the_delay_at_every_frequency),
        cmocka_unit_test(a_whole_delay_only_shifts),
        cmocka_unit_test(powers_and_polarisation_are_those_asked_for),
        cmocka_unit_test(any_cutting_gives_the_same_numbers),
        cmocka_unit_test(the_scale_brings_inputs_to_their_level),
        cmocka_unit_test(impossible_arrays_are_refused),
    };
    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
