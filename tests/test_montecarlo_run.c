/*
 * Measured points: the stop rule in blocks, independence of batches and interruptions, counts that
 * a recount on the host gives too, and error rates against closed forms and another program's.
 */
#include "montecarlo_support.h"

#include "model/fading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Not on Mesa's rusticl: this program ends in its allocator there (22.3.6, a corrupted list inside
 * of clEnqueueNDRangeKernel) after some plans. The cause is not known; single runs of clradio ber are right there.
 */
static clradio_device *device_for_runs(void **state)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    clradio_device *device = device_under_test(state);
    assert_ok(clradio_device_describe(device, &info));
    if (strstr(info.platform, "rusticl"))
        skip();
    return device;
}

static clradio_montecarlo_config link_of(uint32_t transmit, uint32_t receive,
                                         clradio_modulation modulation, uint64_t vectors)
{
    clradio_montecarlo_config config = generate_only(transmit, receive, modulation, vectors);
    config.flags = 0;
    config.seed = 7;
    return config;
}

static clradio_montecarlo_point point_at(const clradio_montecarlo_config *config, double rx_db)
{
    clradio_montecarlo_point point = CLRADIO_MONTECARLO_POINT_INIT;
    clradio_snr snr;
    assert_ok(clradio_snr_from(CLRADIO_SNR_RX, rx_db, config->detector.transmit, 1, &snr));
    point.point = (uint32_t)(int32_t)lrint(rx_db * 1000);
    point.noise_variance = snr.noise_variance;
    point.max_seconds = 0;
    return point;
}

static clradio_montecarlo_point measured(clradio_device *device,
                                         const clradio_montecarlo_config *config,
                                         clradio_montecarlo_point point)
{
    clradio_montecarlo *plan;
    assert_ok(clradio_montecarlo_create(device, config, &plan));
    assert_ok(clradio_montecarlo_run(plan, &point));
    clradio_montecarlo_destroy(plan);
    return point;
}

static void assert_same_counts(const clradio_montecarlo_counts *a,
                               const clradio_montecarlo_counts *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

/* ---- the rule ---- */

static void the_batch_changes_no_count(void **state)
{
    clradio_device *device = device_for_runs(state);
    static const uint64_t batches[] = { 1024, 16384, 65536, 196608 };
    clradio_montecarlo_counts first = { 0 };
    for (int i = 0; i < 4; i++) {
        clradio_montecarlo_config config = link_of(2, 2, CLRADIO_QPSK, batches[i]);
        clradio_montecarlo_point point = point_at(&config, 15);
        point.min_errors = 2500; /* 1,170 errors a block: three blocks */
        point = measured(device, &config, point);
        assert_int_equal(point.end, CLRADIO_MONTECARLO_ERRORS);
        assert_int_equal(point.counts.vectors, 3 * CLRADIO_MONTECARLO_BLOCK);
        assert_int_equal(point.counts.bits, 4 * point.counts.vectors);
        assert_int_equal(point.counts.by_status[CLRADIO_DETECTED_EXACT], point.counts.vectors);
        if (!i)
            first = point.counts;
        assert_same_counts(&point.counts, &first);
    }
}

/* One block fewer has fewer errors than were asked for. */
static void a_point_ends_after_the_first_block_that_has_the_errors(void **state)
{
    clradio_device *device = device_for_runs(state);
    clradio_montecarlo_config config = link_of(2, 2, CLRADIO_QPSK, 65536);
    clradio_montecarlo_point point = point_at(&config, 15);
    point.min_errors = 2000;
    const clradio_montecarlo_point whole = measured(device, &config, point);
    assert_int_equal(whole.end, CLRADIO_MONTECARLO_ERRORS);
    assert_true(whole.counts.bit_errors >= 2000);
    assert_int_equal(whole.counts.vectors % CLRADIO_MONTECARLO_BLOCK, 0);
    point.max_vectors = whole.counts.vectors - CLRADIO_MONTECARLO_BLOCK;
    const clradio_montecarlo_point less = measured(device, &config, point);
    assert_int_equal(less.end, CLRADIO_MONTECARLO_VECTORS);
    assert_true(less.counts.bit_errors < 2000);
}

static void the_cap_on_vectors_is_kept_to_the_vector(void **state)
{
    clradio_device *device = device_for_runs(state);
    clradio_montecarlo_config config = link_of(1, 1, CLRADIO_QPSK, 65536);
    static const uint64_t caps[] = { 1, 2, 4097, 65535, 65536, 65537, 70001 };
    for (int i = 0; i < 7; i++) {
        clradio_montecarlo_point point = point_at(&config, 30);
        point.max_vectors = caps[i];
        point = measured(device, &config, point);
        assert_int_equal(point.end, CLRADIO_MONTECARLO_VECTORS);
        assert_int_equal(point.counts.vectors, caps[i]);
    }
    /* Enough errors when the cap is reached: the errors ended it. */
    clradio_montecarlo_point point = point_at(&config, 0);
    point.min_errors = 10;
    point.max_vectors = 1000;
    point = measured(device, &config, point);
    assert_int_equal(point.end, CLRADIO_MONTECARLO_ERRORS);
    assert_int_equal(point.counts.vectors, 1000);
}

static void the_cap_on_time_ends_a_point(void **state)
{
    clradio_device *device = device_for_runs(state);
    clradio_montecarlo_config config = link_of(1, 1, CLRADIO_QPSK, 4096);
    clradio_montecarlo_point point = point_at(&config, 40);
    point.max_seconds = 1e-9;
    point = measured(device, &config, point);
    assert_int_equal(point.end, CLRADIO_MONTECARLO_SECONDS);
    assert_true(point.counts.vectors > 0 && point.counts.vectors <= 4096);
    assert_true(point.seconds >= 1e-9);
}

static int stop_after(void *user, const clradio_montecarlo_counts *counts)
{
    (void)counts;
    return --*(int *)user == 0;
}

/* Interrupted again and again, by plans with other batches, a point counts what it would have. */
static void a_stopped_point_goes_on_as_if_nothing_had_been(void **state)
{
    clradio_device *device = device_for_runs(state);
    clradio_montecarlo_config config = link_of(2, 2, CLRADIO_QPSK, 65536);
    clradio_montecarlo_point whole = point_at(&config, 15), pieces = whole;
    whole.min_errors = pieces.min_errors = 2500;
    whole = measured(device, &config, whole);
    int stops = 0;
    do {
        int left = 1 + stops % 3;
        config.detector.vectors = (uint64_t)1024 << (stops % 7);
        pieces.stop = stop_after;
        pieces.user = &left;
        pieces = measured(device, &config, pieces);
        stops++;
        assert_true(stops < 1000);
    } while (pieces.end == CLRADIO_MONTECARLO_STOPPED);
    assert_true(stops > 5);
    assert_int_equal(pieces.end, CLRADIO_MONTECARLO_ERRORS);
    assert_same_counts(&pieces.counts, &whole.counts);
    /* A point that has ended takes nothing more. */
    pieces.stop = NULL;
    pieces = measured(device, &config, pieces);
    assert_same_counts(&pieces.counts, &whole.counts);
}

static void points_that_cannot_be_are_refused(void **state)
{
    clradio_device *device = device_for_runs(state);
    clradio_montecarlo_config config = link_of(2, 2, CLRADIO_QPSK, 1024);
    clradio_montecarlo *plan;
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
#define REFUSE(change, word)                                                                       \
    do {                                                                                           \
        clradio_montecarlo_point point = point_at(&config, 10);                                    \
        change;                                                                                    \
        assert_int_equal(clradio_montecarlo_run(plan, &point), CLRADIO_ERROR_ARGUMENT);            \
        assert_non_null(strstr(clradio_last_error(), word));                                       \
    } while (0)
    REFUSE(point.struct_size = 0, "struct_size");
    REFUSE(point.min_errors = 0, "min_errors");
    REFUSE(point.max_vectors = 0, "max_vectors");
    REFUSE(point.max_seconds = NAN, "max_seconds");
    REFUSE(point.noise_variance = -1, "noise_variance");
    REFUSE(point.counts.vectors = 5, "not counts of this plan");
    assert_int_equal(clradio_montecarlo_run(NULL, NULL), CLRADIO_ERROR_ARGUMENT);
    clradio_montecarlo_destroy(plan);
}

/* ---- counts ---- */

/* The joint maximum-likelihood labels of one vector, by trying all pairs. */
static void decide_pair(const float *channel, const float *received, uint16_t labels[2])
{
    double least = INFINITY;
    for (uint32_t a = 0; a < 16; a++)
        for (uint32_t b = 0; b < 16; b++) {
            double s[2][2], metric = 0;
            clradio_modulation_point(CLRADIO_QAM16, a, 0, s[0]);
            clradio_modulation_point(CLRADIO_QAM16, b, 0, s[1]);
            for (int rx = 0; rx < 2; rx++) {
                double re = (double)received[2 * rx], im = (double)received[2 * rx + 1];
                for (int tx = 0; tx < 2; tx++) {
                    const float *h = channel + 2 * (2 * rx + tx);
                    re -= (double)h[0] * s[tx][0] - (double)h[1] * s[tx][1];
                    im -= (double)h[0] * s[tx][1] + (double)h[1] * s[tx][0];
                }
                metric += re * re + im * im;
            }
            if (metric < least) {
                least = metric;
                labels[0] = (uint16_t)a;
                labels[1] = (uint16_t)b;
            }
        }
}

static uint64_t bits_that_differ(unsigned a, unsigned b)
{
    uint64_t count = 0;
    for (unsigned difference = a ^ b; difference; difference &= difference - 1)
        count++;
    return count;
}

static void a_recount_on_the_host_gives_the_same(void **state)
{
    clradio_device *device = device_for_runs(state);
    clradio_montecarlo_config config = link_of(2, 2, CLRADIO_QAM16, 1024);
    config.estimation_error = 0.01;
    clradio_montecarlo_point point = point_at(&config, 18);
    point.max_vectors = 3000;
    point.min_errors = 1000000;
    clradio_montecarlo *plan;
    clradio_montecarlo_counts counts = { 0 };
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
    assert_ok(clradio_montecarlo_run(plan, &point));
    for (uint64_t v = 0; v < 3000; v++) {
        uint16_t sent[2], decided[2] = { 0, 0 };
        float estimate[8], received[4];
        assert_ok(clradio_montecarlo_vector(plan, point.point, point.noise_variance, v, sent, NULL,
                                            estimate, received));
        decide_pair(estimate, received, decided);
        const uint64_t a = bits_that_differ(sent[0], decided[0]),
                       b = bits_that_differ(sent[1], decided[1]);
        counts.bit_errors += a + b;
        counts.symbol_errors += (uint64_t)(a > 0) + (b > 0);
        counts.vector_errors += a + b > 0;
        counts.squares += (a + b) * (a + b);
    }
    assert_true(counts.bit_errors > 100);
    assert_int_equal(point.counts.bit_errors, counts.bit_errors);
    assert_int_equal(point.counts.symbol_errors, counts.symbol_errors);
    assert_int_equal(point.counts.vector_errors, counts.vector_errors);
    assert_int_equal(point.counts.squares, counts.squares);
    assert_true(point.counts.nodes >= 7 * 3000); /* 4 transmit - 1 at least */
    clradio_montecarlo_destroy(plan);
}

/* ---- error rates ---- */

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
    clradio_device *device = device_for_runs(state);
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
        clradio_montecarlo_config config = link_of(1, cases[i].receive, cases[i].modulation, 65536);
        config.detector.method = cases[i].method;
        clradio_montecarlo_point point = point_at(&config, cases[i].db);
        point = measured(device, &config, point);
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
    clradio_device *device = device_for_runs(state);
    double correlation[8];
    assert_ok(clradio_exponential_correlation(2, 0.8, correlation));
    clradio_montecarlo_config config = link_of(1, 2, CLRADIO_QPSK, 65536);
    config.receive_correlation = correlation;
    clradio_montecarlo_point point = point_at(&config, 10);
    point = measured(device, &config, point);
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
    clradio_device *device = device_for_runs(state);
    const clradio_montecarlo_tap diffuse[] = { { 0, 0.5, 0 }, { 2e-7, 0.3, 0 }, { 9e-7, 0.2, 0 } };
    const clradio_montecarlo_tap specular[] = { { 3e-7, 0, 1 } };
    clradio_montecarlo_config config = link_of(1, 1, CLRADIO_QPSK, 65536);
    config.subcarriers = 1200;
    config.subcarrier_spacing_hz = 15e3;
    config.taps = diffuse;
    config.tap_count = 3;
    clradio_montecarlo_point point = measured(device, &config, point_at(&config, 10));
    assert_rate(&point, clr_rayleigh_qam_ber(4, 1, 10), 0, "1 x 1 QPSK, diffuse taps, 10 dB");
    config.taps = specular;
    config.tap_count = 1;
    point = measured(device, &config, point_at(&config, 8));
    assert_rate(&point, erfc(sqrt(pow(10, 0.8) / 2)) / 2, 0, "1 x 1 QPSK, specular tap, 8 dB");
}

/* Without noise, errors of the estimate alone: more of them with a larger error, none without. */
static void a_wrong_estimate_has_errors_without_noise(void **state)
{
    clradio_device *device = device_for_runs(state);
    uint64_t before = 0;
    for (int i = 0; i < 3; i++) {
        clradio_montecarlo_config config = link_of(2, 2, CLRADIO_QPSK, 16384);
        config.estimation_error = i == 2 ? 0.2 : i == 1 ? 0.05 : 0;
        clradio_montecarlo_point point = point_at(&config, 100);
        point.noise_variance = 0;
        point.max_vectors = 16384;
        point.min_errors = 1000000;
        point = measured(device, &config, point);
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
    clradio_device *device = device_for_runs(state);
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
            link_of(rows[i].antennas, rows[i].antennas, rows[i].modulation, 65536);
        clradio_montecarlo_point point = measured(device, &config, point_at(&config, rows[i].db));
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
        DEVICE_TEST_SLOW(the_batch_changes_no_count),
        DEVICE_TEST_SLOW(a_point_ends_after_the_first_block_that_has_the_errors),
        DEVICE_TEST_SLOW(the_cap_on_vectors_is_kept_to_the_vector),
        DEVICE_TEST_SLOW(the_cap_on_time_ends_a_point),
        DEVICE_TEST_SLOW(a_stopped_point_goes_on_as_if_nothing_had_been),
        DEVICE_TEST_SLOW(points_that_cannot_be_are_refused),
        DEVICE_TEST_SLOW(a_recount_on_the_host_gives_the_same),
        DEVICE_TEST_SLOW(one_stream_has_the_rate_of_maximum_ratio_combining),
        DEVICE_TEST_SLOW(correlated_branches_have_the_rate_of_their_eigenvalues),
        DEVICE_TEST_SLOW(taps_have_the_rates_of_their_fading),
        DEVICE_TEST_SLOW(a_wrong_estimate_has_errors_without_noise),
        DEVICE_TEST_SLOW(exact_detection_has_the_rates_of_another_program),
    };
    return run_device_tests("montecarlo_run", NULL, 0, tests, sizeof tests / sizeof *tests);
}
