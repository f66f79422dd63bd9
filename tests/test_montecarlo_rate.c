/*
 * SNR on its axes, confidence limits and closed-form error rates: numbers from tables, and from
 * integrals done another way. No device.
 */
#include "support.h"

#include "model/fading.h"

#include <math.h>
#include <string.h>

static void assert_near(double got, double right, double tolerance)
{
    if (!(fabs(got - right) <= tolerance))
        fail_msg("%.12g instead of %.12g +- %g", got, right, tolerance);
}

/* ---- SNR ---- */

/* 4 streams of 6 bits: Es/N0 is 6.0206 dB below the SNR per receive antenna, Eb/N0 7.7815 dB below
 * Es/N0; N0 = 10^(-Es/N0 / 10) for Es = 1. */
static void one_snr_has_three_names(void **state)
{
    (void)state;
    static const double values[3] = { 20.0, 13.979400086720376, 6.1978875828839395 };
    for (int axis = 0; axis < 3; axis++) {
        clradio_snr snr;
        assert_ok(clradio_snr_from((clradio_snr_axis)axis, values[axis], 4, 24, &snr));
        assert_near(snr.rx_db, 20.0, 1e-12);
        assert_near(snr.es_n0_db, values[1], 1e-12);
        assert_near(snr.eb_n0_db, values[2], 1e-12);
        assert_near(snr.noise_variance, 0.04, 1e-15);
    }
}

static void snr_that_cannot_be_is_refused(void **state)
{
    (void)state;
    clradio_snr snr;
    assert_int_equal(clradio_snr_from(CLRADIO_SNR_RX, NAN, 4, 24, &snr), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_snr_from(CLRADIO_SNR_RX, 301, 4, 24, &snr), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_snr_from((clradio_snr_axis)3, 1, 4, 24, &snr), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_snr_from(CLRADIO_SNR_RX, 1, 0, 24, &snr), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_snr_from(CLRADIO_SNR_RX, 1, 4, 0, &snr), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_snr_from(CLRADIO_SNR_RX, 1, 4, 24, NULL), CLRADIO_ERROR_ARGUMENT);
}

/* ---- limits ---- */

/* Exact 95 % limits of a Poisson number: Garwood (1936), as tabulated widely. Each vector with an
 * error has one, and vectors are so many that E^2/V is E. */
static void limits_of_rare_errors_are_garwoods(void **state)
{
    (void)state;
    static const double table[][3] = { { 0, 0.0, 3.6889 },     { 1, 0.025318, 5.5716 },
                                       { 2, 0.24221, 7.2247 }, { 5, 1.6235, 11.668 },
                                       { 10, 4.7954, 18.390 }, { 50, 37.111, 65.919 },
                                       { 100, 81.364, 121.63 } };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const uint64_t errors = (uint64_t)table[i][0];
        clradio_montecarlo_counts counts = { .vectors = 1000000000000u, .bits = 1000000000000u };
        counts.bit_errors = counts.symbol_errors = counts.vector_errors = counts.squares = errors;
        double rate, low, high;
        assert_ok(clradio_montecarlo_rate(&counts, 0.95, &rate, &low, &high));
        assert_near(rate * 1e12, table[i][0], 1e-6);
        assert_near(low * 1e12, table[i][1], 1e-4 * (1 + table[i][1]));
        assert_near(high * 1e12, table[i][2], 1e-4 * table[i][2]);
    }
}

/* Errors that come 4 to a vector are a quarter as many events: 40 errors like 10. */
static void errors_of_one_vector_count_as_one_event(void **state)
{
    (void)state;
    const clradio_montecarlo_counts counts = { .vectors = 1000000000000u,
                                               .bits = 8000000000000u,
                                               .bit_errors = 40,
                                               .vector_errors = 10,
                                               .squares = 160 };
    double rate, low, high;
    assert_ok(clradio_montecarlo_rate(&counts, 0.95, &rate, &low, &high));
    assert_near(rate * 8e12, 40, 1e-6);
    assert_near(low * 8e12, 4 * 4.7954, 1e-2);
    assert_near(high * 8e12, 4 * 18.390, 1e-2);
}

/* Many frequent errors: the limits become rate +- 1.96 standard errors of the mean over vectors. */
static void limits_of_frequent_errors_are_those_of_the_mean(void **state)
{
    (void)state;
    const double n = 65536, mean = 2.71, variance = 1.74;
    const clradio_montecarlo_counts counts = { .vectors = 65536,
                                               .bits = 65536 * 8,
                                               .bit_errors = (uint64_t)(mean * n),
                                               .vector_errors = 62000,
                                               .squares =
                                                   (uint64_t)((variance + mean * mean) * n) };
    double rate, low, high;
    assert_ok(clradio_montecarlo_rate(&counts, 0.95, &rate, &low, &high));
    const double width = 1.95996 * sqrt(variance / n) / 8;
    assert_near((high - low) / 2, width, 0.01 * width);
    assert_near((high + low) / 2, rate, 0.02 * width);
}

static void hostile_counts_give_limits_in_order(void **state)
{
    (void)state;
    static const clradio_montecarlo_counts all[] = {
        { 0 },
        { .vectors = 1, .bits = 24, .bit_errors = 24, .squares = 576, .vector_errors = 1 },
        { .vectors = 1, .bits = 1, .bit_errors = 1, .squares = 1, .vector_errors = 1 },
        { .vectors = 3, .bits = 72, .bit_errors = 36, .squares = 432, .vector_errors = 3 },
        { .vectors = 1000000000000u,
          .bits = 24000000000000u,
          .bit_errors = 7000000000000u,
          .squares = 60000000000000u,
          .vector_errors = 1000000000000u },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double rate = -1, low = -1, high = -1;
        assert_ok(clradio_montecarlo_rate(&all[i], 0.95, &rate, &low, &high));
        assert_true(low >= 0 && low <= rate && rate <= high && high <= 1);
    }
    double x;
    assert_int_equal(clradio_montecarlo_rate(&all[0], 1.0, &x, &x, &x), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_montecarlo_rate(&all[0], NAN, &x, &x, &x), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_montecarlo_rate(NULL, 0.9, &x, &x, &x), CLRADIO_ERROR_ARGUMENT);
}

static void every_end_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(clradio_montecarlo_end_name(CLRADIO_MONTECARLO_RUNNING), "running");
    assert_string_equal(clradio_montecarlo_end_name(CLRADIO_MONTECARLO_ERRORS), "errors");
    assert_string_equal(clradio_montecarlo_end_name(CLRADIO_MONTECARLO_VECTORS), "vectors");
    assert_string_equal(clradio_montecarlo_end_name(CLRADIO_MONTECARLO_SECONDS), "seconds");
    assert_string_equal(clradio_montecarlo_end_name(CLRADIO_MONTECARLO_STOPPED), "stopped");
}

static void exponential_correlation_is_a_power_of_rho(void **state)
{
    (void)state;
    double matrix[2 * 9];
    assert_ok(clradio_exponential_correlation(3, -0.5, matrix));
    assert_near(matrix[0], 1, 0);
    assert_near(matrix[2 * 2], 0.25, 0);
    assert_near(matrix[2 * 3], -0.5, 0);
    assert_near(matrix[2 * 3 + 1], 0, 0);
    assert_int_equal(clradio_exponential_correlation(3, 1.0, matrix), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_exponential_correlation(3, NAN, matrix), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_exponential_correlation(3, 0.5, NULL), CLRADIO_ERROR_ARGUMENT);
}

/* ---- closed form ---- */

/* Bit error rate of Gray-labelled PAM at distance d / sqrt(N0) by adding up, for every level sent
 * and decided, the probability and the bits that differ. */
static double pam_rate(unsigned bits, double distance)
{
    const int levels = 1 << bits;
    double sum = 0;
    for (int sent = 0; sent < levels; sent++)
        for (int decided = 0; decided < levels; decided++) {
            const double from = 2 * (decided - sent) - 1, to = from + 2;
            const double below = decided ? erfc(-from * distance) / 2 : 0;
            const double above = decided < levels - 1 ? erfc(-to * distance) / 2 : 1;
            unsigned difference = (unsigned)((sent ^ sent >> 1) ^ (decided ^ decided >> 1));
            for (; difference; difference &= difference - 1)
                sum += (above - below) / levels / bits;
        }
    return sum;
}

/* The mean of that over a sum g of `branches` exponential gains, by Simpson's rule in g. */
static double faded_rate(unsigned points, unsigned branches, double es_n0)
{
    const unsigned bits = points == 4     ? 1
                          : points == 16  ? 2
                          : points == 64  ? 3
                          : points == 256 ? 4
                                          : 5;
    enum { STEPS = 400000 };
    const double last = 60 + 4.0 * branches, step = last / STEPS;
    double sum = 0;
    for (int i = 1; i <= STEPS; i++) { /* in r with g = r^2 / last: smooth at 0 */
        const double r = step * i, g = r * r / last;
        const double density = exp((branches - 1) * log(g) - g - lgamma(branches));
        sum += (i == STEPS ? 1
                : i % 2    ? 4
                           : 2) *
               pam_rate(bits, sqrt(1.5 * es_n0 * g / (points - 1.0))) * density * 2 * r / last;
    }
    return sum * step / 3;
}

static void rayleigh_rates_agree_with_the_integral(void **state)
{
    (void)state;
    static const unsigned points[] = { 4, 16, 64, 256, 1024 };
    for (int p = 0; p < 5; p++)
        for (unsigned branches = 1; branches <= 4; branches += 3)
            for (int db = 0; db <= 40; db += 20) {
                const double es_n0 = pow(10, db / 10.0);
                const double right = faded_rate(points[p], branches, es_n0);
                assert_near(clr_rayleigh_qam_ber(points[p], branches, es_n0) / right, 1, 1e-5);
            }
    /* QPSK without diversity: (1 - sqrt(g/(1 + g)))/2 with g = Eb/N0 (Proakis 14.3-7). */
    assert_near(clr_rayleigh_qam_ber(4, 1, 2.0), 0.5 * (1 - sqrt(0.5)), 1e-15);
}

static void alphabets_without_a_closed_form_are_said(void **state)
{
    (void)state;
    assert_true(clr_rayleigh_qam_ber(8, 1, 1) < 0);
    assert_true(clr_rayleigh_qam_ber(2, 1, 1) < 0);
    assert_true(clr_rayleigh_qam_ber(4096, 1, 1) < 0);
    assert_true(clr_rayleigh_qam_ber(16, 0, 1) < 0);
    assert_true(clr_rayleigh_qam_ber(16, 1, NAN) < 0);
    assert_near(clr_rayleigh_qam_ber(16, 1, 0), 0.5, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_snr_has_three_names),
        cmocka_unit_test(snr_that_cannot_be_is_refused),
        cmocka_unit_test(limits_of_rare_errors_are_garwoods),
        cmocka_unit_test(errors_of_one_vector_count_as_one_event),
        cmocka_unit_test(limits_of_frequent_errors_are_those_of_the_mean),
        cmocka_unit_test(hostile_counts_give_limits_in_order),
        cmocka_unit_test(every_end_has_a_name),
        cmocka_unit_test(exponential_correlation_is_a_power_of_rho),
        cmocka_unit_test(rayleigh_rates_agree_with_the_integral),
        cmocka_unit_test(alphabets_without_a_closed_form_are_said),
    };
    return cmocka_run_group_tests_name("montecarlo_rate", tests, NULL, NULL);
}
