/* X-engine: inputs whose visibilities are known by arithmetic. */
#include "xengine_support.h"

#include <stdio.h>
#include <stdlib.h>

/* Runs integer spectra through a new plan; int64 visibilities in the default order. */
static int64_t *sums_of(clradio_device *device, const clradio_xengine_config *config,
                        const void *spectra)
{
    clradio_xengine *plan;
    assert_ok(clradio_xengine_create(device, config, &plan));
    void *sums = xengine_calls(device, plan, config, spectra, &config->spectra, 1, NULL);
    clradio_xengine_destroy(plan);
    return sums;
}

/*
 * Cobalt's four numbers: one sample, station 0 X = 2+3i and station 1 Y = 4+5i. |2+3i|^2 = 13,
 * (4+5i)(2-3i) = 23-2i, |4+5i|^2 = 41; everything else is zero.
 */
static void one_sample_of_two_stations_gives_13_23_minus_2_and_41(void **state)
{
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 2, 2, 5, 9);
    void *spectra = xengine_zeros(&config, config.spectra);
    xengine_set(&config, spectra, 4, 3, 0, 2, 3); /* station 0, polarisation X */
    xengine_set(&config, spectra, 4, 3, 3, 4, 5); /* station 1, polarisation Y */
    int64_t *sums = sums_of(device_under_test(state), &config, spectra);
    for (int n = 0; n < 5 * 3 * 4; n++) {
        int64_t re = 0, im = 0;
        if (n == (3 * 3 + 0) * 4 + 0) /* channel 3, baseline 0-0, XX */
            re = 13;
        if (n == (3 * 3 + 1) * 4 + 2) /* baseline 1-0, Y of station 1 and X of station 0 */
            re = 23, im = -2;
        if (n == (3 * 3 + 2) * 4 + 3) /* baseline 1-1, YY */
            re = 41;
        assert_int_equal(sums[2 * n], re);
        assert_int_equal(sums[2 * n + 1], im);
    }
    free(sums);
    free(spectra);
}

/* Input k is k + 1 at time k and zero else: V_kk = (k + 1)^2, all others exactly zero. */
static void identity_code_gives_squares_on_the_diagonal_only(void **state)
{
    const uint32_t stations = test_small() ? 5 : 37;
    clradio_xengine_config config = xengine_config(CLRADIO_CI16, stations, 2, 2, 2 * stations);
    void *spectra = xengine_zeros(&config, config.spectra);
    for (uint32_t k = 0; k < 2 * stations; k++)
        for (uint32_t channel = 0; channel < 2; channel++)
            xengine_set(&config, spectra, k, channel, k, (int)k + 1, 0);
    int64_t *sums = sums_of(device_under_test(state), &config, spectra);
    const int64_t *at = sums;
    for (uint32_t channel = 0; channel < 2; channel++)
        for (uint32_t i = 0; i < stations; i++)
            for (uint32_t j = 0; j <= i; j++)
                for (uint32_t p = 0; p < 4; p++, at += 2) {
                    const int64_t k = 2 * i + p / 2, l = 2 * j + p % 2;
                    assert_int_equal(at[0], k == l ? (k + 1) * (k + 1) : 0);
                    assert_int_equal(at[1], 0);
                }
    free(sums);
    free(spectra);
}

/* x = a + b i everywhere: every visibility is spectra (a^2 + b^2), without imaginary part. */
static void constants_of_either_sign_give_their_power(void **state)
{
    static const int values[][2] = { { 3, 4 }, { -3, -4 }, { -128, 127 }, { 127, -128 } };
    for (size_t v = 0; v < 4; v++) {
        const int re = values[v][0], im = values[v][1];
        clradio_xengine_config config = xengine_config(CLRADIO_CI8, 5, 2, 3, 33);
        int8_t *spectra = xengine_zeros(&config, config.spectra);
        for (int n = 0; n < 33 * 3 * 10; n++) {
            spectra[2 * n] = (int8_t)re;
            spectra[2 * n + 1] = (int8_t)im;
        }
        int64_t *sums = sums_of(device_under_test(state), &config, spectra);
        for (int n = 0; n < 3 * 15 * 4; n++) {
            assert_int_equal(sums[2 * n], 33 * (re * re + im * im));
            assert_int_equal(sums[2 * n + 1], 0);
        }
        free(sums);
        free(spectra);
    }
}

/* Input k is the real ramp s (k - 5): V_kl = spectra (k - 5)(l - 5), whatever the sign s. */
static void ramps_of_either_sign_give_the_product_of_their_slopes(void **state)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        clradio_xengine_config config = xengine_config(CLRADIO_CI4, 11, 1, 1, 20);
        void *spectra = xengine_zeros(&config, config.spectra);
        for (uint32_t t = 0; t < 20; t++)
            for (uint32_t k = 0; k < 11; k++)
                xengine_set(&config, spectra, t, 0, k, sign * ((int)k - 5), 0);
        int64_t *sums = sums_of(device_under_test(state), &config, spectra);
        const int64_t *at = sums;
        for (int i = 0; i < 11; i++)
            for (int j = 0; j <= i; j++, at += 2) {
                assert_int_equal(at[0], 20 * (i - 5) * (j - 5));
                assert_int_equal(at[1], 0);
            }
        free(sums);
        free(spectra);
    }
}

/* q = the most negative value in both parts: x conj(x) = 2 q^2, exactly, with no imaginary part. */
static void expect_most_negative(clradio_device *device, clradio_type type, unsigned coding, int q,
                                 uint32_t stations, uint64_t count, const char *parameters)
{
    clradio_xengine_config config = xengine_config(type, stations, 1, 1, count);
    config.ci4_coding = coding;
    config.parameters = parameters;
    void *spectra = xengine_zeros(&config, count);
    for (uint64_t t = 0; t < count; t++)
        for (uint32_t k = 0; k < stations; k++)
            xengine_set(&config, spectra, t, 0, k, q, q);
    int64_t *sums = sums_of(device, &config, spectra);
    const int64_t expected = (int64_t)count * 2 * q * q;
    for (uint32_t n = 0; n < stations * (stations + 1) / 2; n++) {
        assert_int_equal(sums[2 * n], expected);
        assert_int_equal(sums[2 * n + 1], 0);
    }
    free(sums);
    free(spectra);
}

static void the_most_negative_value_is_legal_in_every_integer_type(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint64_t count = test_small() ? 20 : 1000;
    expect_most_negative(device, CLRADIO_CI8, 0, -128, 18, count, NULL);
    for (unsigned coding = 0; coding < 4; coding++)
        expect_most_negative(device, CLRADIO_CI4, coding, -8, 18, count, NULL);
    expect_most_negative(device, CLRADIO_CI16, 0, -32768, 18, count, NULL);
}

/* 2^31 - 1 = 65535 * 32768 + 32767: the int32 sums of -128-128i are full after 65535 spectra. */
static void sums_go_on_where_int32_ends(void **state)
{
    for (uint64_t count = 65535; count <= 65537; count++) {
        expect_most_negative(device_under_test(state), CLRADIO_CI8, 0, -128, 2, count,
                             "W=2 Dx=1 Dy=1 FLOAT=0 SPLIT_T=1");
        expect_most_negative(device_under_test(state), CLRADIO_CI8, 0, -128, 2, count, NULL);
    }
    /* and far beyond: 200,000 spectra of a single work-group */
    expect_most_negative(device_under_test(state), CLRADIO_CI8, 0, -128, 2, 200000,
                         "W=2 Dx=1 Dy=1 FLOAT=0 SPLIT_T=1");
}

/* 2^24 / 32768 = 512: fp32 sums of -128-128i are exact up to there. */
static void fp32_sums_of_integers_are_exact(void **state)
{
    for (uint64_t count = 511; count <= 513; count++)
        expect_most_negative(device_under_test(state), CLRADIO_CI8, 0, -128, 3, count,
                             "W=4 Dx=2 Dy=2 FLOAT=1 SPLIT_T=1");
    expect_most_negative(device_under_test(state), CLRADIO_CI8, 0, -128, 3,
                         test_small() ? 600 : 5000, "W=4 Dx=2 Dy=2 FLOAT=1 SPLIT_T=1");
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(one_sample_of_two_stations_gives_13_23_minus_2_and_41),
        DEVICE_TEST(identity_code_gives_squares_on_the_diagonal_only),
        DEVICE_TEST(constants_of_either_sign_give_their_power),
        DEVICE_TEST(ramps_of_either_sign_give_the_product_of_their_slopes),
        DEVICE_TEST(the_most_negative_value_is_legal_in_every_integer_type),
        DEVICE_TEST_SLOW(sums_go_on_where_int32_ends),
        DEVICE_TEST(fp32_sums_of_integers_are_exact),
    };
    return run_device_tests("xengine", NULL, 0, tests, sizeof tests / sizeof *tests);
}
