/*
 * The correlator without a transform: integers are summed exactly whatever the bands, masks and
 * calls, and reversed bands come out the same in every order of the output.
 */
#include "correlator_support.h"

#include <stdlib.h>
#include <string.h>

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
            clradio_correlator_config config = correlator_config_of(CLRADIO_CI8, 1, 1);
            config.bands = bands;
            config.reversed = reversed;
            config.valid = masked;
            clradio_fengine_config f = fengine_of(&config);
            int8_t *v = random_voltages(&f, 40, bands);
            for (size_t i = 0; i < 12; i++)
                v[i] = -128;
            for (size_t i = 0; i < sizeof valid; i++)
                valid[i] = !masked || test_random(&seed) % 3 != 0;
            correlator_bench b = correlator_start(device_under_test(state), &config, v, valid, 40);
            correlator_call(&b, 0, 15, 0, masked, 0);
            correlator_call(&b, 15, 25, 15, masked, CLRADIO_ACCUMULATE | CLRADIO_DUMP);
            int64_t *got = correlator_visibilities(&b), *at = got;
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
            correlator_stop(&b);
        }
}

static void reversed_bands_are_the_same_in_every_order_of_the_output(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int order = CLRADIO_ORDER_BASELINE; order <= CLRADIO_ORDER_XGPU_REGISTER_TILE; order++) {
        clradio_correlator_config config = correlator_config_of(CLRADIO_CI8, 1, 1);
        config.bands = 5;
        config.order = (clradio_order)order;
        config.reversed = 1;
        clradio_fengine_config f = fengine_of(&config);
        int8_t *v = random_voltages(&f, 10, 2), *turned = malloc(10 * 5 * 12);
        for (size_t t = 0; t < 10; t++)
            for (size_t band = 0; band < 5; band++)
                memcpy(turned + (t * 5 + 4 - band) * 12, v + (t * 5 + band) * 12, 12);
        correlator_bench b = correlator_start(device, &config, v, NULL, 10);
        correlator_call(&b, 0, 10, 0, 0, CLRADIO_DUMP);
        void *got = correlator_visibilities(&b);
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
        void *expected = correlator_visibilities(&b);
        assert_memory_equal(got, expected, b.info.visibilities_bytes);
        clradio_xengine_destroy(plan);
        free(v);
        free(turned);
        free(got);
        free(expected);
        correlator_stop(&b);
    }
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(integers_without_a_transform_are_summed_exactly),
        DEVICE_TEST(reversed_bands_are_the_same_in_every_order_of_the_output),
    };
    return run_device_tests("correlator_exact", NULL, 0, tests, sizeof tests / sizeof *tests);
}
