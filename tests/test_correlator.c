/*
 * The whole chain against the F-engine's double reference and plain sums: types, bands, masks,
 * sidebands, integrations over several calls, memory limits.
 */
#include "correlator_support.h"

#include "engine/fengine_reference.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex complex_double;

/* Plain sums over reference spectra first .. last - 1, in the default order. */
static complex_double *sums_of(const clradio_fengine_config *f, const complex_double *spectra,
                               uint64_t first, uint64_t last)
{
    uint64_t pols = f->polarisations, inputs = f->stations * pols;
    uint64_t channels = (uint64_t)f->bands * f->channels;
    uint64_t baselines = (uint64_t)f->stations * (f->stations + 1) / 2;
    complex_double *sums = calloc(channels * baselines * pols * pols, sizeof *sums), *at = sums;
    for (uint64_t c = 0; c < channels; c++)
        for (uint64_t i = 0; i < f->stations; i++)
            for (uint64_t j = 0; j <= i; j++)
                for (uint64_t p = 0; p < pols; p++)
                    for (uint64_t q = 0; q < pols; q++, at++)
                        for (uint64_t t = first; t < last; t++) {
                            const complex_double *x = spectra + (t * channels + c) * inputs;
                            *at += x[i * pols + p] * conj(x[j * pols + q]);
                        }
    return sums;
}

/*
 * The X-engine's bound is 2e-7 sqrt(min(terms, 1024)) sqrt(V_ii V_jj). Before it, a spectrum's
 * value is off by e = error_bound times the rms, which moves the sum by at most e sum(|x_i| +
 * |x_j|) <= e sqrt(terms) (sqrt(V_ii) + sqrt(V_jj)).
 */
static void assert_sums(const clradio_fengine_config *f, const float *got,
                        const complex_double *expected, uint64_t terms, double rms)
{
    uint64_t pols = f->polarisations, n = (uint64_t)f->stations * (f->stations + 1) / 2;
    double own = 2e-7 * sqrt(fmin((double)terms, 1024.0));
    double before = error_bound(f) * rms * sqrt((double)terms);
    for (uint64_t c = 0; c < (uint64_t)f->bands * f->channels; c++)
        for (uint64_t i = 0; i < f->stations; i++)
            for (uint64_t j = 0; j <= i; j++)
                for (uint64_t e = 0; e < pols * pols; e++) {
                    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): pols is 1 or 2 */
                    uint64_t p = e / pols, q = e % pols, base = c * n;
                    uint64_t at = (base + i * (i + 1) / 2 + j) * pols * pols + e;
                    uint64_t ii = (base + i * (i + 1) / 2 + i) * pols * pols + p * pols + p;
                    uint64_t jj = (base + j * (j + 1) / 2 + j) * pols * pols + q * pols + q;
                    double vi = sqrt(creal(expected[ii])), vj = sqrt(creal(expected[jj]));
                    double bound = own * vi * vj + before * (vi + vj);
                    double error = cabs(got[2 * at] + I * got[2 * at + 1] - expected[at]);
                    if (!(error <= bound))
                        fail_msg("channel %llu, baseline %llu %llu, element %llu: off by %g, bound "
                                 "%g",
                                 (unsigned long long)c, (unsigned long long)i,
                                 (unsigned long long)j, (unsigned long long)e, error, bound);
                }
}

static double rms_of(const complex_double *spectra, uint64_t values)
{
    double power = 0.0;
    for (uint64_t i = 0; i < values; i++)
        power += creal(spectra[i] * conj(spectra[i]));
    return sqrt(power / (double)values);
}

/* Calls of `counts` blocks that make one integration, against the reference. */
static void check_chain(clradio_device *device, const clradio_correlator_config *config,
                        const uint64_t *counts, size_t calls, const uint8_t *valid)
{
    clradio_fengine_config f = fengine_of(config);
    uint64_t blocks = 0, first = 0, spectra = 0;
    for (size_t i = 0; i < calls; i++)
        blocks += counts[i];
    uint64_t out = blocks - config->taps + 1;
    void *voltages = random_voltages(&f, blocks, config->channels + config->taps);
    complex_double *reference = malloc(values_of(&f, out) * sizeof *reference);
    assert_ok(clr_fengine_reference(&f, voltages, blocks, valid, (double *)reference));
    correlator_bench b = correlator_start(device, config, voltages, valid, blocks);
    for (size_t i = 0; i < calls; i++) {
        unsigned flags = (i ? CLRADIO_ACCUMULATE : 0) | (i + 1 == calls ? CLRADIO_DUMP : 0);
        spectra += correlator_call(&b, first, counts[i], spectra, valid != NULL, flags);
        first += counts[i];
    }
    assert_int_equal(spectra, out);
    float *got = correlator_visibilities(&b);
    complex_double *expected = sums_of(&f, reference, 0, out);
    assert_sums(&f, got, expected, out, rms_of(reference, values_of(&f, out)));
    free(voltages);
    free(reference);
    free(expected);
    free(got);
    correlator_stop(&b);
}

static void voltages_of_any_type_become_the_visibilities_of_the_double_reference(void **state)
{
    static const clradio_type types[] = { CLRADIO_I8,  CLRADIO_I16,  CLRADIO_F32,
                                          CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF32 };
    const uint64_t counts[] = { 13 };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        clradio_correlator_config config = correlator_config_of(types[i], 8, 1 + 3 * (i & 1));
        config.reversed = (int)(i / 2 & 1);
        config.bands = 1 + (i & 2);
        check_chain(device_under_test(state), &config, counts, 1, NULL);
    }
}

static void an_integration_may_come_in_any_number_of_calls(void **state)
{
    const uint64_t counts[] = { 2, 0, 1, 7, 40, 0, 3, 1 };
    clradio_correlator_config config = correlator_config_of(CLRADIO_CI8, 6, 5);
    check_chain(device_under_test(state), &config, counts, 8, NULL);
}

static void masked_spectra_add_nothing(void **state)
{
    uint8_t valid[40 * 6];
    uint64_t seed = 3;
    const uint64_t counts[] = { 3, 17, 20 };
    for (size_t i = 0; i < sizeof valid; i++)
        valid[i] = test_random(&seed) % 4 != 0;
    clradio_correlator_config config = correlator_config_of(CLRADIO_CI8, 6, 3);
    config.bands = 2;
    check_chain(device_under_test(state), &config, counts, 3, valid);
}

static void history_goes_on_over_a_dump_and_ends_at_a_reset(void **state)
{
    clradio_correlator_config config = correlator_config_of(CLRADIO_CI16, 5, 4);
    clradio_fengine_config f = fengine_of(&config);
    uint64_t blocks = 20;
    void *voltages = random_voltages(&f, blocks, 8);
    complex_double *reference = malloc(values_of(&f, 17) * sizeof *reference);
    assert_ok(clr_fengine_reference(&f, voltages, blocks, NULL, (double *)reference));
    double rms = rms_of(reference, values_of(&f, 17));
    correlator_bench b =
        correlator_start(device_under_test(state), &config, voltages, NULL, blocks);
    const uint64_t counts[] = { 8, 12 };
    for (int round = 0; round < 2; round++) {
        uint64_t spectra = 0, first = 0;
        for (size_t i = 0; i < 2; i++) {
            uint64_t out = correlator_call(&b, first, counts[i], 0, 0, CLRADIO_DUMP);
            float *got = correlator_visibilities(&b);
            complex_double *expected = sums_of(&f, reference, spectra, spectra + out);
            assert_sums(&f, got, expected, out, rms);
            free(got);
            free(expected);
            first += counts[i];
            spectra += out;
        }
        assert_int_equal(spectra, 17);
        assert_ok(clradio_correlator_reset(b.plan));
    }
    free(voltages);
    free(reference);
    correlator_stop(&b);
}

static void total_power_depends_neither_on_channels_nor_on_the_transform(void **state)
{
    /* Parseval: with one rectangular tap the powers of the channels add up to that of the samples.
     */
    static const uint32_t lengths[] = { 1, 2, 12, 60 };
    for (size_t l = 0; l < 4; l++) {
        clradio_correlator_config config = correlator_config_of(CLRADIO_CI8, lengths[l], 1);
        config.spectra = 120 / lengths[l];
        config.output = lengths[l] == 1 ? CLRADIO_CI64 : CLRADIO_CF32;
        clradio_fengine_config f = fengine_of(&config);
        int8_t *voltages = random_voltages(&f, config.spectra, 44);
        correlator_bench b =
            correlator_start(device_under_test(state), &config, voltages, NULL, config.spectra);
        correlator_call(&b, 0, config.spectra, 0, 0, CLRADIO_DUMP);
        void *got = correlator_visibilities(&b);
        double power = 0.0, expected = 0.0;
        for (uint64_t c = 0; c < lengths[l]; c++) /* station 0, polarisation 0 */
            power += lengths[l] == 1 ? (double)((int64_t *)got)[0] : ((float *)got)[c * 6 * 4 * 2];
        for (uint64_t n = 0; n < 120; n++)
            expected +=
                voltages[12 * n] * voltages[12 * n] + voltages[12 * n + 1] * voltages[12 * n + 1];
        assert_true(fabs(power / expected - 1.0) < 2e-6);
        free(voltages);
        free(got);
        correlator_stop(&b);
    }
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(voltages_of_any_type_become_the_visibilities_of_the_double_reference),
        DEVICE_TEST(an_integration_may_come_in_any_number_of_calls),
        DEVICE_TEST(masked_spectra_add_nothing),
        DEVICE_TEST(history_goes_on_over_a_dump_and_ends_at_a_reset),
        DEVICE_TEST(total_power_depends_neither_on_channels_nor_on_the_transform),
    };
#if !HAVE_CLFFT && !HAVE_VKFFT
    printf("1..0 # SKIP built without clFFT and VkFFT\n");
    return 0;
#endif
    return run_device_tests("correlator", NULL, 0, tests, sizeof tests / sizeof *tests);
}
