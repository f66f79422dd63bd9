/*
 * The whole chain against the F-engine's double reference and plain sums: types, bands, masks,
 * sidebands, integrations over several calls, memory limits; and exactness without a transform.
 */
#include "fengine_support.h"

#include "device/plan.h"
#include "engine/fengine_reference.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex complex_double;

static clradio_correlator_config config_of(clradio_type input, uint32_t channels, uint32_t taps)
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

static clradio_fengine_config fengine_of(const clradio_correlator_config *config)
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

/* A correlator with its arrays on the device; blocks: of the voltages that are there. */
typedef struct bench {
    clradio_correlator_config config;
    clradio_correlator *plan;
    clradio_queue *queue;
    clradio_buffer *voltages, *valid, *visibilities;
    clradio_correlator_info info;
    uint64_t block_bytes, inputs;
} bench;

enum { GUARD_BYTES = 64 };

static bench start(clradio_device *device, const clradio_correlator_config *config,
                   const void *voltages, const uint8_t *valid, uint64_t blocks)
{
    bench b = { .config = *config, .info = CLRADIO_CORRELATOR_INFO_INIT };
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

/* One call of blocks first .. first + count - 1; out: how many spectra it added. */
static uint64_t call(bench *b, uint64_t first, uint64_t count, uint64_t spectra_before, int masked,
                     unsigned flags)
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

static void *read_visibilities(bench *b)
{
    unsigned char *all = malloc(b->info.visibilities_bytes + GUARD_BYTES);
    assert_ok(clradio_buffer_read(b->queue, (clradio_span){ b->visibilities, 0 }, all,
                                  b->info.visibilities_bytes + GUARD_BYTES, 0, NULL, NULL));
    for (size_t i = 0; i < GUARD_BYTES; i++)
        assert_int_equal(all[b->info.visibilities_bytes + i], 0xff);
    return all;
}

static void stop(bench *b)
{
    clradio_buffer_destroy(b->voltages);
    clradio_buffer_destroy(b->valid);
    clradio_buffer_destroy(b->visibilities);
    clradio_queue_destroy(b->queue);
    clradio_correlator_destroy(b->plan);
}

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
    bench b = start(device, config, voltages, valid, blocks);
    for (size_t i = 0; i < calls; i++) {
        unsigned flags = (i ? CLRADIO_ACCUMULATE : 0) | (i + 1 == calls ? CLRADIO_DUMP : 0);
        spectra += call(&b, first, counts[i], spectra, valid != NULL, flags);
        first += counts[i];
    }
    assert_int_equal(spectra, out);
    float *got = read_visibilities(&b);
    complex_double *expected = sums_of(&f, reference, 0, out);
    assert_sums(&f, got, expected, out, rms_of(reference, values_of(&f, out)));
    free(voltages);
    free(reference);
    free(expected);
    free(got);
    stop(&b);
}

static void voltages_of_any_type_become_the_visibilities_of_the_double_reference(void **state)
{
    static const clradio_type types[] = { CLRADIO_I8,  CLRADIO_I16,  CLRADIO_F32,
                                          CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF32 };
    const uint64_t counts[] = { 13 };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        clradio_correlator_config config = config_of(types[i], 8, 1 + 3 * (i & 1));
        config.reversed = (int)(i / 2 & 1);
        config.bands = 1 + (i & 2);
        check_chain(device_under_test(state), &config, counts, 1, NULL);
    }
}

static void an_integration_may_come_in_any_number_of_calls(void **state)
{
    const uint64_t counts[] = { 2, 0, 1, 7, 40, 0, 3, 1 };
    clradio_correlator_config config = config_of(CLRADIO_CI8, 6, 5);
    check_chain(device_under_test(state), &config, counts, 8, NULL);
}

static void masked_spectra_add_nothing(void **state)
{
    uint8_t valid[40 * 6];
    uint64_t seed = 3;
    const uint64_t counts[] = { 3, 17, 20 };
    for (size_t i = 0; i < sizeof valid; i++)
        valid[i] = test_random(&seed) % 4 != 0;
    clradio_correlator_config config = config_of(CLRADIO_CI8, 6, 3);
    config.bands = 2;
    check_chain(device_under_test(state), &config, counts, 3, valid);
}

static void history_goes_on_over_a_dump_and_ends_at_a_reset(void **state)
{
    clradio_correlator_config config = config_of(CLRADIO_CI16, 5, 4);
    clradio_fengine_config f = fengine_of(&config);
    uint64_t blocks = 20;
    void *voltages = random_voltages(&f, blocks, 8);
    complex_double *reference = malloc(values_of(&f, 17) * sizeof *reference);
    assert_ok(clr_fengine_reference(&f, voltages, blocks, NULL, (double *)reference));
    double rms = rms_of(reference, values_of(&f, 17));
    bench b = start(device_under_test(state), &config, voltages, NULL, blocks);
    const uint64_t counts[] = { 8, 12 };
    for (int round = 0; round < 2; round++) {
        uint64_t spectra = 0, first = 0;
        for (size_t i = 0; i < 2; i++) {
            uint64_t out = call(&b, first, counts[i], 0, 0, CLRADIO_DUMP);
            float *got = read_visibilities(&b);
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
    stop(&b);
}

static void total_power_depends_neither_on_channels_nor_on_the_transform(void **state)
{
    /* Parseval: with one rectangular tap the powers of the channels add up to that of the samples.
     */
    static const uint32_t lengths[] = { 1, 2, 12, 60 };
    for (size_t l = 0; l < 4; l++) {
        clradio_correlator_config config = config_of(CLRADIO_CI8, lengths[l], 1);
        config.spectra = 120 / lengths[l];
        config.output = lengths[l] == 1 ? CLRADIO_CI64 : CLRADIO_CF32;
        clradio_fengine_config f = fengine_of(&config);
        int8_t *voltages = random_voltages(&f, config.spectra, 44);
        bench b = start(device_under_test(state), &config, voltages, NULL, config.spectra);
        call(&b, 0, config.spectra, 0, 0, CLRADIO_DUMP);
        void *got = read_visibilities(&b);
        double power = 0.0, expected = 0.0;
        for (uint64_t c = 0; c < lengths[l]; c++) /* station 0, polarisation 0 */
            power += lengths[l] == 1 ? (double)((int64_t *)got)[0] : ((float *)got)[c * 6 * 4 * 2];
        for (uint64_t n = 0; n < 120; n++)
            expected +=
                voltages[12 * n] * voltages[12 * n] + voltages[12 * n + 1] * voltages[12 * n + 1];
        assert_true(fabs(power / expected - 1.0) < 2e-6);
        free(voltages);
        free(got);
        stop(&b);
    }
}

/* ---- without a transform ---- */

/* x_i conj(x_j) of a band's 6 inputs over 40 samples, where both are valid. */
static void sum_valid(const int8_t *v, const uint8_t *valid, uint32_t bands, uint32_t band,
                      uint32_t i, uint32_t j, int64_t *sum)
{
    sum[0] = sum[1] = 0;
    for (uint32_t t = 0; t < 40; t++) {
        const int8_t *x = v + 2 * ((t * bands + band) * 6 + i), *y = x + 2 * ((int)j - (int)i);
        const int both = valid[t * 6 + i] && valid[t * 6 + j];
        sum[0] += both * (x[0] * y[0] + x[1] * y[1]);
        sum[1] += both * (x[1] * y[0] - x[0] * y[1]);
    }
}

/* With 2 or 4 bands a third of the samples is not valid, in two calls that add up. */
static void integers_without_a_transform_are_summed_exactly(void **state)
{
    uint64_t seed = 11;
    for (int reversed = 0; reversed < 2; reversed++)
        for (uint32_t bands = 1; bands <= 5; bands++) {
            const int masked = bands % 2 == 0;
            uint8_t valid[40 * 6];
            clradio_correlator_config config = config_of(CLRADIO_CI8, 1, 1);
            config.bands = bands;
            config.reversed = reversed;
            config.valid = masked;
            clradio_fengine_config f = fengine_of(&config);
            int8_t *v = random_voltages(&f, 40, bands);
            for (size_t i = 0; i < 12; i++)
                v[i] = -128;
            for (size_t i = 0; i < sizeof valid; i++)
                valid[i] = !masked || test_random(&seed) % 3 != 0;
            bench b = start(device_under_test(state), &config, v, valid, 40);
            call(&b, 0, 15, 0, masked, 0);
            call(&b, 15, 25, 15, masked, CLRADIO_ACCUMULATE | CLRADIO_DUMP);
            int64_t *got = read_visibilities(&b), *at = got;
            for (uint32_t c = 0; c < bands; c++)
                for (uint32_t i = 0; i < 3; i++)
                    for (uint32_t j = 0; j <= i; j++)
                        for (uint32_t e = 0; e < 4; e++, at += 2) {
                            int64_t sum[2];
                            sum_valid(v, valid, bands, reversed ? bands - 1 - c : c, 2 * i + e / 2,
                                      2 * j + e % 2, sum);
                            assert_int_equal(at[0], sum[0]);
                            assert_int_equal(at[1], reversed ? -sum[1] : sum[1]);
                        }
            free(v);
            free(got);
            stop(&b);
        }
}

static void reversed_bands_are_the_same_in_every_order_of_the_output(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int order = CLRADIO_ORDER_BASELINE; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE; order++) {
        clradio_correlator_config config = config_of(CLRADIO_CI8, 1, 1);
        config.bands = 5;
        config.order = (clradio_order)order;
        config.reversed = 1;
        clradio_fengine_config f = fengine_of(&config);
        int8_t *v = random_voltages(&f, 10, 2), *turned = malloc(10 * 5 * 12);
        for (size_t t = 0; t < 10; t++)
            for (size_t band = 0; band < 5; band++)
                memcpy(turned + (t * 5 + 4 - band) * 12, v + (t * 5 + band) * 12, 12);
        bench b = start(device, &config, v, NULL, 10);
        call(&b, 0, 10, 0, 0, CLRADIO_DUMP);
        void *got = read_visibilities(&b);
        clradio_xengine_config x = CLRADIO_XENGINE_CONFIG_INIT;
        x.stations = 3;
        x.polarisations = 2;
        x.channels = 5;
        x.spectra = 10;
        x.order = (clradio_order)order;
        x.conjugate = 1;
        clradio_xengine *plan;
        clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
        assert_ok(clradio_xengine_create(device, &x, &plan));
        assert_ok(clradio_buffer_write(b.queue, (clradio_span){ b.voltages, 0 }, turned, 600, 0,
                                       NULL, NULL));
        io.spectra.buffer = b.voltages;
        io.visibilities.buffer = b.visibilities;
        io.spectra_count = 10;
        assert_ok(clradio_xengine_enqueue(plan, b.queue, &io, 0, NULL, NULL));
        void *expected = read_visibilities(&b);
        assert_memory_equal(got, expected, b.info.visibilities_bytes);
        clradio_xengine_destroy(plan);
        free(v);
        free(turned);
        free(got);
        free(expected);
        stop(&b);
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
        DEVICE_TEST(integers_without_a_transform_are_summed_exactly),
        DEVICE_TEST(reversed_bands_are_the_same_in_every_order_of_the_output),
    };
#if !HAVE_CLFFT && !HAVE_VKFFT
    printf("1..0 # SKIP built without clFFT and VkFFT\n");
    return 0;
#endif
    return run_device_tests("correlator", NULL, 0, tests, sizeof tests / sizeof *tests);
}
