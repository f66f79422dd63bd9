/* Measured points: error rates against closed forms and another program's. */
#include "montecarlo_support.h"

#include "model/fading.h"

#include <math.h>
#include <stdio.h>

/* Fails unless the measured rate lies within 3 standard errors (of both, when right has one). */
static void assert_rate(const clradio_montecarlo_point *point, double right, double right_error,
                        const char *what)
{
    const clradio_montecarlo_counts *c = &point->counts;
    const double errors = (double)c->bit_errors, bits = (double)c->bits;
    const double own = sqrt((double)c->squares - errors * errors / (double)c->vectors) / bits;
    const double distance =
        fabs(errors / bits - right) / sqrt(own * own + right_error * right_error);
    print_message("# %s: %.4e, expected %.4e, %.2f standard errors off\n", what, errors / bits,
                  right, distance);
    assert_true(c->bit_errors >= 100);
    assert_true(distance < 3);
}

static void one_stream_has_the_rate_of_maximum_ratio_combining(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    static const struct {
        uint32_t receive;
        clradio_modulation modulation;
        unsigned points;
        double db;
        clradio_detector_method method;
    } cases[] = { { 1, CLRADIO_QPSK, 4, 10, CLRADIO_DETECTOR_SPHERE },
                  { 1, CLRADIO_QAM64, 64, 25, CLRADIO_DETECTOR_SPHERE },
                  { 2, CLRADIO_QAM16, 16, 15, CLRADIO_DETECTOR_MMSE },
                  { 4, CLRADIO_QAM256, 256, 20, CLRADIO_DETECTOR_ZF },
                  { 3, CLRADIO_QAM1024, 1024, 25, CLRADIO_DETECTOR_ML } };
    for (int i = 0; i < 5; i++) {
        char name[64];
        clradio_montecarlo_config config =
            montecarlo_link(1, cases[i].receive, cases[i].modulation, 65536);
        config.detector.method = cases[i].method;
        clradio_montecarlo_point point = montecarlo_point(&config, cases[i].db);
        point = montecarlo_measured(device, &config, point);
        snprintf(name, sizeof name, "1 x %u, %u points, %g dB", cases[i].receive, cases[i].points,
                 cases[i].db);
        assert_rate(
            &point,
            clr_rayleigh_qam_ber(cases[i].points, cases[i].receive, 1 / point.noise_variance), 0,
            name);
    }
}

/* Two correlated branches have the eigenvalues 1 +- rho, and QPSK the rate
 * sum_k l_k / (l_k - l_j) (1 - sqrt(x_k / (1 + x_k))) / 2, x_k = l_k Es / (2 N0). */
static void correlated_branches_have_the_rate_of_their_eigenvalues(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    double correlation[8];
    assert_ok(clradio_exponential_correlation(2, 0.8, correlation));
    clradio_montecarlo_config config = montecarlo_link(1, 2, CLRADIO_QPSK, 65536);
    config.receive_correlation = correlation;
    clradio_montecarlo_point point = montecarlo_point(&config, 10);
    point = montecarlo_measured(device, &config, point);
    double right = 0;
    for (int k = 0; k < 2; k++) {
        const double l = k ? 0.2 : 1.8, other = 2 - l, x = l / (2 * point.noise_variance);
        right += l / (l - other) * (1 - sqrt(x / (1 + x))) / 2;
    }
    assert_rate(&point, right, 0, "1 x 2 QPSK, correlation 0.8, 10 dB");
}

/* Diffuse taps alone are Rayleigh fading at any subcarrier; one specular tap is no fading at all.
 */
static void taps_have_the_rates_of_their_fading(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    const clradio_montecarlo_tap diffuse[] = { { 0, 0.5, 0 }, { 2e-7, 0.3, 0 }, { 9e-7, 0.2, 0 } };
    const clradio_montecarlo_tap specular[] = { { 3e-7, 0, 1 } };
    clradio_montecarlo_config config = montecarlo_link(1, 1, CLRADIO_QPSK, 65536);
    config.subcarriers = 1200;
    config.subcarrier_spacing_hz = 15e3;
    config.taps = diffuse;
    config.tap_count = 3;
    clradio_montecarlo_point point =
        montecarlo_measured(device, &config, montecarlo_point(&config, 10));
    assert_rate(&point, clr_rayleigh_qam_ber(4, 1, 10), 0, "1 x 1 QPSK, diffuse taps, 10 dB");
    config.taps = specular;
    config.tap_count = 1;
    point = montecarlo_measured(device, &config, montecarlo_point(&config, 8));
    assert_rate(&point, erfc(sqrt(pow(10, 0.8) / 2)) / 2, 0, "1 x 1 QPSK, specular tap, 8 dB");
}

/* Without noise, errors of the estimate alone: more of them with a larger error, none without. */
static void a_wrong_estimate_has_errors_without_noise(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    uint64_t before = 0;
    for (int i = 0; i < 3; i++) {
        clradio_montecarlo_config config = montecarlo_link(2, 2, CLRADIO_QPSK, 16384);
        config.estimation_error = i == 2 ? 0.2 : i == 1 ? 0.05 : 0;
        clradio_montecarlo_point point = montecarlo_point(&config, 100);
        point.noise_variance = 0;
        point.max_vectors = 16384;
        point.min_errors = 1000000;
        point = montecarlo_measured(device, &config, point);
        assert_true(i ? point.counts.bit_errors > 2 * before + 50 : point.counts.bit_errors == 0);
        before = point.counts.bit_errors;
    }
}

/*
 * Rows of a table of exact joint maximum-likelihood detection made by another program in double,
 * independent CN(0, 1) channels, TS 38.211's labels: bit errors, vectors, and the rate. That
 * table's own error is estimated with our variance per error.
 */
static void exact_detection_has_the_rates_of_another_program(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    static const struct {
        uint32_t antennas, bits;
        clradio_modulation modulation;
        double db, vectors, errors;
    } rows[] = {
        { 2, 4, CLRADIO_QPSK, 0, 4608, 4044 },    { 2, 4, CLRADIO_QPSK, 10, 34304, 4025 },
        { 2, 4, CLRADIO_QPSK, 15, 223744, 4005 }, { 2, 8, CLRADIO_QAM16, 10, 3328, 4177 },
        { 2, 8, CLRADIO_QAM16, 20, 38400, 4007 }, { 4, 8, CLRADIO_QPSK, 5, 4864, 4049 },
        { 4, 8, CLRADIO_QPSK, 10, 30464, 4008 },  { 4, 16, CLRADIO_QAM16, 20, 55808, 4026 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        clradio_montecarlo_config config =
            montecarlo_link(rows[i].antennas, rows[i].antennas, rows[i].modulation, 65536);
        clradio_montecarlo_point point =
            montecarlo_measured(device, &config, montecarlo_point(&config, rows[i].db));
        const clradio_montecarlo_counts *c = &point.counts;
        const double errors = (double)c->bit_errors;
        const double each = ((double)c->squares - errors * errors / (double)c->vectors) / errors;
        const double right = rows[i].errors / rows[i].vectors / rows[i].bits;
        snprintf(name, sizeof name, "%u x %u %s, %g dB", rows[i].antennas, rows[i].antennas,
                 clradio_modulation_name(rows[i].modulation), rows[i].db);
        assert_int_equal(c->by_status[CLRADIO_DETECTED_EXACT], c->vectors);
        assert_rate(&point, right, right * sqrt(each / rows[i].errors), name);
    }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(one_stream_has_the_rate_of_maximum_ratio_combining),
        DEVICE_TEST_SLOW(correlated_branches_have_the_rate_of_their_eigenvalues),
        DEVICE_TEST_SLOW(taps_have_the_rates_of_their_fading),
        DEVICE_TEST_SLOW(a_wrong_estimate_has_errors_without_noise),
        DEVICE_TEST_SLOW(exact_detection_has_the_rates_of_another_program),
    };
    return run_device_tests("montecarlo_curves", NULL, 0, tests, sizeof tests / sizeof *tests);
}
