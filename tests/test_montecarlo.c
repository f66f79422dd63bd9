/*
 * What the Monte-Carlo engine makes on every device: the host's bits, and the model's statistics.
 */
#include "montecarlo_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the same bits ---- */

static void assert_device_is_host(clradio_device *device, const clradio_montecarlo_config *config,
                                  double noise_variance, uint64_t first, uint64_t count)
{
    clradio_montecarlo *plan = montecarlo_plan(device, config);
    made_vectors got = make_on_device(device, plan, 0xc1200000u, noise_variance, first, count);
    made_vectors expected = make_on_host(plan, 0xc1200000u, noise_variance, first, count);
    assert_same_vectors(plan, &got, &expected);
    free_vectors(&got);
    free_vectors(&expected);
    clradio_montecarlo_destroy(plan);
}

static void every_size_has_the_hosts_bits(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint32_t sizes[][2] = { { 1, 1 }, { 1, 3 }, { 2, 2 }, { 3, 2 },
                                         { 4, 4 }, { 5, 7 }, { 8, 8 }, { 16, 64 } };
    static const clradio_modulation modulations[] = { CLRADIO_BPSK,   CLRADIO_QPSK,
                                                      CLRADIO_QAM16,  CLRADIO_QAM64,
                                                      CLRADIO_QAM256, CLRADIO_QAM1024,
                                                      CLRADIO_PAM8,   CLRADIO_PAM32 };
    for (int i = 0; i < (test_small() ? 5 : 8); i++) {
        clradio_montecarlo_config config =
            generate_only(sizes[i][0], sizes[i][1], modulations[i], 512);
        config.estimation_error = 0.01 * (i + 1);
        assert_device_is_host(device, &config, 0.1 * i, 1000003u * (uint64_t)i, i == 7 ? 40 : 300);
    }
}

static void no_vectors_and_one_vector_are_made(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = generate_only(3, 3, CLRADIO_QAM16, 1);
    assert_device_is_host(device, &config, 0.5, 12, 0);
    assert_device_is_host(device, &config, 0.5, 12, 1);
    assert_device_is_host(device, &config, 0.5, UINT64_MAX - 1, 1);
}

/* 1e4 elements hold some 3 radii below 2^-12, which are drawn finer. */
static void rare_radii_have_the_hosts_bits(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = generate_only(4, 4, CLRADIO_QAM64, 16384);
    assert_device_is_host(device, &config, 1e-3, 0, test_small() ? 600 : 16384);
}

static const clradio_montecarlo_tap some_taps[] = {
    { 0.0, 0.5, 1.5 },
    { 30e-9, 0.3, 0.0 },
    { 110e-9, 0.2, 0.25 },
    { 2.5e-6, 0.05, 0.0 },
};

static void with_taps(clradio_montecarlo_config *config)
{
    config->taps = some_taps;
    config->tap_count = 4;
    config->subcarriers = 1200;
    config->subcarrier_spacing_hz = 15e3;
}

static void taps_and_correlation_have_the_hosts_bits(void **state)
{
    clradio_device *device = device_under_test(state);
    double receive[2 * 25], transmit[2 * 9];
    assert_ok(clradio_exponential_correlation(5, 0.9, receive));
    assert_ok(clradio_exponential_correlation(3, -0.4, transmit));
    /* Complex: R_ij = rho^(i-j) turned by a phase of its own each element keeps it Hermitian. */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double phase = 0.7 * (i - j), r = transmit[2 * (3 * i + j)];
            transmit[2 * (3 * i + j)] = r * cos(phase);
            transmit[2 * (3 * i + j) + 1] = r * sin(phase);
        }
    for (int which = 1; which < 8; which++) {
        clradio_montecarlo_config config = generate_only(3, 5, CLRADIO_QAM256, 256);
        config.estimation_error = 0.25;
        if (which & 1)
            with_taps(&config);
        if (which & 2)
            config.receive_correlation = receive;
        if (which & 4)
            config.transmit_correlation = transmit;
        assert_device_is_host(device, &config, 0.02, 77, test_small() ? 20 : 256);
    }
}

static void streams_of_different_alphabets_have_the_hosts_bits(void **state)
{
    clradio_device *device = device_under_test(state);
    static const clradio_modulation each[] = { CLRADIO_QPSK, CLRADIO_QAM1024, CLRADIO_PAM4,
                                               CLRADIO_BPSK, CLRADIO_QAM64 };
    clradio_montecarlo_config config = generate_only(5, 4, CLRADIO_QPSK, 256);
    config.detector.stream_modulations = each;
    clradio_montecarlo *plan = montecarlo_plan(device, &config);
    clradio_montecarlo_info info = CLRADIO_MONTECARLO_INFO_INIT;
    assert_ok(clradio_montecarlo_get_info(plan, &info));
    assert_int_equal(info.bits, 2 + 10 + 2 + 1 + 6);
    assert_int_equal(info.symbol_bytes, 2);
    clradio_montecarlo_destroy(plan);
    assert_device_is_host(device, &config, 0.3, 5, 200);
}

/* Any vector alone, from any call: pieces of 7 give what one call of 64 gives. */
static void a_vector_does_not_depend_on_its_call(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = generate_only(4, 4, CLRADIO_QAM16, 64);
    clradio_montecarlo *plan = montecarlo_plan(device, &config);
    made_vectors whole = make_on_device(device, plan, 3, 0.1, 1000, 64);
    for (uint64_t at = 0; at < 63; at += 7) {
        made_vectors piece = make_on_device(device, plan, 3, 0.1, 1000 + at, 7);
        assert_memory_equal(piece.received, whole.received + 2 * 4 * at, 7 * 4 * 8);
        assert_memory_equal(piece.symbols, whole.symbols + 4 * at, 7 * 4 * 2);
        free_vectors(&piece);
    }
    made_vectors other = make_on_device(device, plan, 4, 0.1, 1000, 64);
    assert_memory_not_equal(other.received, whole.received, 64 * 4 * 8);
    free_vectors(&other);
    free_vectors(&whole);
    clradio_montecarlo_destroy(plan);
}

/* ---- the model, in double ---- */

/* y is H s + n: with N0 = 0 what is received is H s of double arithmetic, within float's error. */
static void received_is_h_times_s(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = generate_only(4, 6, CLRADIO_QAM64, 128);
    clradio_montecarlo *plan = montecarlo_plan(device, &config);
    made_vectors made = make_on_device(device, plan, 9, 0.0, 0, 128);
    for (uint64_t v = 0; v < 128; v++)
        for (uint32_t rx = 0; rx < 6; rx++) {
            double re = 0, im = 0;
            for (uint32_t tx = 0; tx < 4; tx++) {
                double s[2];
                const float *h = made.channel + 2 * ((v * 6 + rx) * 4 + tx);
                assert_ok(clradio_modulation_point(CLRADIO_QAM64, made.symbols[v * 4 + tx], 0, s));
                re += (double)h[0] * s[0] - (double)h[1] * s[1];
                im += (double)h[0] * s[1] + (double)h[1] * s[0];
            }
            assert_true(fabs((double)made.received[2 * (v * 6 + rx)] - re) < 1e-5);
            assert_true(fabs((double)made.received[2 * (v * 6 + rx) + 1] - im) < 1e-5);
        }
    free_vectors(&made);
    clradio_montecarlo_destroy(plan);
}

/* Mean over vectors of x conj(y) for elements a and b of H. */
static void covariance(const made_vectors *made, uint32_t elements, uint32_t a, uint32_t b,
                       double sum[2])
{
    sum[0] = sum[1] = 0;
    for (uint64_t v = 0; v < made->count; v++) {
        const float *x = made->channel + 2 * (v * elements + a);
        const float *y = made->channel + 2 * (v * elements + b);
        sum[0] += ((double)x[0] * (double)y[0] + (double)x[1] * (double)y[1]) / (double)made->count;
        sum[1] += ((double)x[1] * (double)y[0] - (double)x[0] * (double)y[1]) / (double)made->count;
    }
}

/* E[H_ij conj(H_kl)] = R_rx[i][k] R_tx[j][l]; a mean of n products has an error of about
 * 1/sqrt(n) = 0.008. */
static void kronecker_correlation_is_what_was_asked_for(void **state)
{
    clradio_device *device = device_under_test(state);
    enum { N = 16384 };
    double receive[2 * 9], transmit[2 * 4] = { 1, 0, 0.3, 0.6, 0.3, -0.6, 1, 0 };
    assert_ok(clradio_exponential_correlation(3, 0.7, receive));
    for (int taps = 0; taps < 2; taps++) {
        clradio_montecarlo_config config = generate_only(2, 3, CLRADIO_QPSK, N);
        config.receive_correlation = receive;
        config.transmit_correlation = transmit;
        const clradio_montecarlo_tap diffuse[] = { { 1e-7, 2.0, 0.0 }, { 5e-7, 1.0, 0.0 } };
        if (taps) {
            with_taps(&config);
            config.taps = diffuse;
            config.tap_count = 2;
        }
        clradio_montecarlo *plan = montecarlo_plan(device, &config);
        made_vectors made = make_on_host(plan, 1, 0.0, 0, N);
        for (uint32_t a = 0; a < 6; a++)
            for (uint32_t b = 0; b < 6; b++) {
                const uint32_t i = a / 2, j = a % 2, k = b / 2, l = b % 2;
                const double *r = receive + 2 * (3 * i + k), *t = transmit + 2 * (2 * j + l);
                double got[2];
                covariance(&made, 6, a, b, got);
                assert_true(fabs(got[0] - (r[0] * t[0] - r[1] * t[1])) < 0.04);
                assert_true(fabs(got[1] - (r[0] * t[1] + r[1] * t[0])) < 0.04);
            }
        free_vectors(&made);
        clradio_montecarlo_destroy(plan);
    }
}

/* Specular power is common to all elements: E[H_a conj(H_b)] = specular share for a != b, 1 for
 * a = b; over the carriers the mean of E[H(f)] is 0, its phase being drawn anew. */
static void specular_taps_are_common_to_all_elements(void **state)
{
    clradio_device *device = device_under_test(state);
    enum { N = 16384 };
    clradio_montecarlo_config config = generate_only(2, 2, CLRADIO_QPSK, N);
    const clradio_montecarlo_tap taps[] = { { 0.0, 1.0, 4.0 }, { 3e-7, 3.0, 0.0 } };
    with_taps(&config);
    config.taps = taps;
    config.tap_count = 2;
    clradio_montecarlo *plan = montecarlo_plan(device, &config);
    made_vectors made = make_on_host(plan, 1, 0.0, 0, N);
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++) {
            double got[2];
            covariance(&made, 4, a, b, got);
            assert_true(fabs(got[0] - (a == b ? 1.0 : 0.5)) < 0.04);
            assert_true(fabs(got[1]) < 0.04);
        }
    double mean = 0;
    for (uint64_t v = 0; v < N; v++)
        mean += (double)made.channel[8 * v] / N;
    assert_true(fabs(mean) < 0.03);
    free_vectors(&made);
    clradio_montecarlo_destroy(plan);
}

/* One tap without diffuse power at a known delay: H_a is a unit phasor, and as the carriers are
 * those asked for, f delay takes only `carriers` values: here 4 quarter turns apart. */
static void carriers_lie_on_their_grid(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = generate_only(1, 1, CLRADIO_QPSK, 512);
    const clradio_montecarlo_tap taps[] = { { 0.0, 0.0, 1.0 }, { 1e-6, 0.0, 1.0 } };
    config.taps = taps;
    config.tap_count = 2;
    config.subcarriers = 4;
    config.subcarrier_spacing_hz = 250e3;
    clradio_montecarlo *plan = montecarlo_plan(device, &config);
    made_vectors made = make_on_device(device, plan, 1, 0.0, 0, 512);
    int seen[3] = { 0 }; /* |1 + exp(-2 pi i k / 4)|^2 / 2 = 2, 1, 0, 1 */
    for (uint64_t v = 0; v < 512; v++) {
        const double re = (double)made.channel[2 * v], im = (double)made.channel[2 * v + 1];
        const double power = re * re + im * im;
        assert_true(fabs(power - round(power)) < 1e-5);
        seen[(int)round(power)]++;
    }
    assert_true(abs(seen[0] - 128) < 50 && abs(seen[1] - 256) < 60 && abs(seen[2] - 128) < 50);
    free_vectors(&made);
    clradio_montecarlo_destroy(plan);
}

/* Variances of what is added: the estimate's error and the noise. 16,384 x 16 samples: 5 standard
 * errors are 1 %. */
static void noise_and_estimation_error_have_their_variances(void **state)
{
    clradio_device *device = device_under_test(state);
    enum { N = 16384 };
    clradio_montecarlo_config config = generate_only(4, 4, CLRADIO_QAM16, N);
    config.estimation_error = 0.04;
    clradio_montecarlo *plan = montecarlo_plan(device, &config);
    made_vectors quiet = make_on_host(plan, 1, 0.0, 0, N), noisy = make_on_host(plan, 1, 0.5, 0, N);
    double error = 0, noise = 0, energy = 0;
    for (uint64_t i = 0; i < 2 * 16 * N; i++) {
        const double e = (double)quiet.estimate[i] - (double)quiet.channel[i];
        error += e * e / (16.0 * N);
        energy += (double)quiet.channel[i] * (double)quiet.channel[i] / (16.0 * N);
    }
    for (uint64_t i = 0; i < 2 * 4 * N; i++) {
        const double e = (double)noisy.received[i] - (double)quiet.received[i];
        noise += e * e / (4.0 * N);
    }
    assert_true(fabs(error / 0.04 - 1) < 0.01);
    assert_true(fabs(energy - 1) < 0.01);
    assert_true(fabs(noise / 0.5 - 1) < 0.02);
    free_vectors(&quiet);
    free_vectors(&noisy);
    clradio_montecarlo_destroy(plan);
}

static void labels_are_uniform(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = generate_only(4, 1, CLRADIO_QAM16, 16384);
    clradio_montecarlo *plan = montecarlo_plan(device, &config);
    made_vectors made = make_on_host(plan, 1, 0.0, 0, 16384);
    int seen[4][16] = { { 0 } };
    for (uint64_t v = 0; v < 16384; v++)
        for (int tx = 0; tx < 4; tx++)
            seen[tx][made.symbols[4 * v + (uint64_t)tx]]++;
    for (int tx = 0; tx < 4; tx++)
        for (int label = 0; label < 16; label++) /* 1024 expected, sd 31 */
            assert_true(abs(seen[tx][label] - 1024) < 5 * 31);
    free_vectors(&made);
    clradio_montecarlo_destroy(plan);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_size_has_the_hosts_bits),
        DEVICE_TEST(no_vectors_and_one_vector_are_made),
        DEVICE_TEST(rare_radii_have_the_hosts_bits),
        DEVICE_TEST(taps_and_correlation_have_the_hosts_bits),
        DEVICE_TEST(streams_of_different_alphabets_have_the_hosts_bits),
        DEVICE_TEST(a_vector_does_not_depend_on_its_call),
        DEVICE_TEST(received_is_h_times_s),
        DEVICE_TEST_SLOW(kronecker_correlation_is_what_was_asked_for),
        DEVICE_TEST_SLOW(specular_taps_are_common_to_all_elements),
        DEVICE_TEST(carriers_lie_on_their_grid),
        DEVICE_TEST_SLOW(noise_and_estimation_error_have_their_variances),
        DEVICE_TEST_SLOW(labels_are_uniform),
    };
    return run_device_tests("montecarlo", NULL, 0, tests, sizeof tests / sizeof *tests);
}
