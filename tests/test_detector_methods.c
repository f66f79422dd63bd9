/* The detectors beside the exact hard one, on devices, against the double reference: symbols, LLRs,
 * a priori LLRs, alphabets of one's own, streams that differ; closed forms and bounds. */
#include "detector_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t few(uint64_t vectors)
{
    return test_small() ? vectors / 16 + 1 : vectors;
}

/* Vectors whose labels differ; LLRs of the others must agree within a part of the clip and 1e-3 of
 * themselves. */
static uint64_t differing(const detector_data *data, const detector_answers *got,
                          const detector_answers *wanted, int soft)
{
    const uint32_t tx = data->config.transmit, bits = clradio_detector_bits(&data->config);
    const double unit = data->config.llr_type == CLRADIO_I8 ? 1.01 : 2e-4;
    uint64_t count = 0;
    for (uint64_t n = 0; n < data->count; n++) {
        int differ = 0;
        if (got->status[n] == CLRADIO_DETECTED_BUDGET) /* a device that ends long loops */
            continue;
        for (uint32_t s = 0; s < tx; s++)
            differ |= got->labels[n * tx + s] != wanted->labels[n * tx + s];
        count += (uint64_t)differ;
        for (uint32_t b = 0; !differ && soft && b < bits; b++) {
            const double have = got->llr[n * bits + b], want = wanted->llr[n * bits + b];
            if (!(fabs(have - want) <= unit + 2e-4 * fabs(want)))
                fail_msg("%s, vector %llu, bit %u: LLR %.9g, the reference's is %.9g",
                         clradio_detector_method_name(data->config.method), (unsigned long long)n,
                         b, have, want);
        }
        if (!differ)
            assert_float_equal(got->metric[n], wanted->metric[n],
                               3e-4 * fabs((double)wanted->metric[n]) + 1e-5);
    }
    return count;
}

static detector_data *with_prior(detector_data *data, double most)
{
    const uint64_t bits = data->count * clradio_detector_bits(&data->config);
    uint64_t seed = 77;
    data->prior = calloc(bits + 1, sizeof *data->prior);
    for (uint64_t b = 0; b < bits; b++)
        data->prior[b] = (float)(most * (double)test_random_between(&seed, -1000, 1000) / 1000);
    return data;
}

/* Runs a configuration and expects the reference's answers, but for a hundredth of the vectors
 * where rounding decides. */
static void expect(clradio_device *device, const clradio_detector_config *config, double snr_db,
                   double prior)
{
    clradio_detector *plan;
    const int soft = (config->flags & CLRADIO_DETECTOR_SOFT) != 0;
    const clradio_status status = clradio_detector_create(device, config, &plan);
    if (status == CLRADIO_ERROR_UNSUPPORTED && !is_exact_everywhere(device))
        return; /* its loops end too soon */
    assert_ok(status);
    detector_data *data = detector_random(config, snr_db, 100 + (uint64_t)config->method);
    if (prior > 0)
        with_prior(data, prior);
    detector_answers *got = detector_device_answers(device, plan, data, soft);
    detector_answers *wanted = detector_reference_answers(data, soft);
    const uint64_t differ = differing(data, got, wanted, soft);
    if (differ * 100 > data->count)
        fail_msg("%s: %llu of %llu vectors differ", clradio_detector_method_name(config->method),
                 (unsigned long long)differ, (unsigned long long)data->count);
    clradio_detector_destroy(plan);
    detector_answers_free(got);
    detector_answers_free(wanted);
    detector_data_free(data);
}

static clradio_detector_config soft_config(clradio_detector_method method, uint32_t tx, uint32_t rx,
                                           clradio_modulation modulation, uint64_t vectors)
{
    clradio_detector_config config = detector_config(tx, rx, modulation, few(vectors));
    config.method = method;
    config.flags = CLRADIO_DETECTOR_SOFT;
    return config;
}

static void kbest_agrees_with_its_reference(void **state)
{
    clradio_detector_config config = soft_config(CLRADIO_DETECTOR_KBEST, 4, 4, CLRADIO_QAM64, 600);
    expect(device_under_test(state), &config, 25, 0);
}

static void fixed_complexity_agrees_with_its_reference(void **state)
{
    clradio_detector_config config = soft_config(CLRADIO_DETECTOR_FSD, 3, 4, CLRADIO_QAM16, 600);
    config.full_streams = 2;
    expect(device_under_test(state), &config, 15, 0);
}

static void linear_methods_agree_with_their_reference(void **state)
{
    for (int method = CLRADIO_DETECTOR_MMSE; method <= CLRADIO_DETECTOR_ZF; method++) {
        clradio_detector_config config =
            soft_config((clradio_detector_method)method, 4, 4, CLRADIO_QAM16, 600);
        expect(device_under_test(state), &config, 18, 0);
    }
}

/* 2x2 16-QAM: |LLR - LLR by exhaustion| <= 1e-4. */
static void llrs_of_the_tree_search_are_those_of_exhaustion(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector *plan;
    clradio_detector_config config = soft_config(CLRADIO_DETECTOR_SPHERE, 2, 2, CLRADIO_QAM16, 400);
    assert_ok(clradio_detector_create(device, &config, &plan));
    detector_data *data = detector_random(&config, 12, 5);
    detector_answers *got = detector_device_answers(device, plan, data, 1);
    data->config.method = CLRADIO_DETECTOR_ML;
    detector_answers *wanted = detector_reference_answers(data, 1);
    detector_compare_exact(data, got, wanted);
    for (uint64_t b = 0; b < data->count * 8; b++) {
        if (got->status[b / 8] == CLRADIO_DETECTED_BUDGET) {
            assert_false(is_exact_everywhere(device));
            continue;
        }
        assert_float_equal(got->llr[b], wanted->llr[b], 1e-4);
        if (fabsf(wanted->llr[b]) > 1e-3f) /* the LLR's sign is the hard bit */
            assert_int_equal(got->llr[b] < 0, got->bits[b]);
    }
    clradio_detector_destroy(plan);
    detector_answers_free(got);
    detector_answers_free(wanted);
    detector_data_free(data);
}

/*
 * Max-log against ln P(0)/P(1) by the sum over all symbol vectors: the hard decision of a bit is
 * the same wherever the detector's LLR is above 1. How far the two are apart is printed.
 */
static void llrs_have_the_signs_of_log_map(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector *plan;
    clradio_detector_config config = soft_config(CLRADIO_DETECTOR_SPHERE, 2, 2, CLRADIO_QAM16, 400);
    assert_ok(clradio_detector_create(device, &config, &plan));
    for (int db = 8; db <= 20; db += 4) {
        detector_data *data = detector_random(&config, db, 6);
        detector_answers *got = detector_device_answers(device, plan, data, 1);
        double sum = 0, most = 0, right[8];
        uint64_t count = 0;
        for (uint64_t n = 0; n < data->count; n++) {
            detector_log_map(data, n, right);
            for (int b = 0; b < 8 && got->status[n] == CLRADIO_DETECTED_EXACT; b++) {
                const double llr = got->llr[8 * n + (uint64_t)b];
                if (fabs(llr) > 1)
                    assert_int_equal(llr < 0, right[b] < 0);
                if (!(fabs(right[b]) < 100) || !(fabs(llr) < 100)) /* clipped */
                    continue;
                sum += fabs(llr - right[b]);
                most = fmax(most, fabs(llr - right[b]));
                count++;
            }
        }
        assert_true(count > data->count);
        print_message(
            "# 2x2 16-QAM, %d dB: max-log is %.3f from log-MAP on average, %.2f at most\n", db,
            sum / (double)count, most);
        detector_answers_free(got);
        detector_data_free(data);
    }
    clradio_detector_destroy(plan);
}

/* With everything turned round: sign, order of bits, int8, a small clip, a priori LLRs. */
static void a_priori_llrs_signs_orders_and_bytes_agree(void **state)
{
    for (int method = 0; method < 2; method++) {
        clradio_detector_config config = soft_config(
            method ? CLRADIO_DETECTOR_ML : CLRADIO_DETECTOR_SPHERE, 2, 2, CLRADIO_QAM16, 200);
        expect(device_under_test(state), &config, 10, 4);
        config.flags |= CLRADIO_DETECTOR_LLR_ONE | CLRADIO_DETECTOR_LAST_BIT_FIRST |
                        CLRADIO_DETECTOR_NOISE_PER_REAL;
        config.llr_type = CLRADIO_I8;
        config.llr_clip = 8;
        expect(device_under_test(state), &config, 10, 4);
    }
}

/* 5 points on no grid, two streams. */
static void alphabets_of_ones_own_serve_kbest_and_ml(void **state)
{
    static const float points[] = { 0, 0, 1, 0.2f, -0.9f, 0.4f, 0.1f, -1.1f, -0.3f, 1.2f };
    for (int method = 0; method < 2; method++) {
        clradio_detector_config config = soft_config(
            method ? CLRADIO_DETECTOR_ML : CLRADIO_DETECTOR_KBEST, 2, 3, CLRADIO_ALPHABET, 300);
        config.alphabet = points;
        config.alphabet_size = 5;
        config.candidates = 6;
        expect(device_under_test(state), &config, 12, 0);
    }
}

/* QPSK, BPSK and 64-QAM together: exact, with LLRs. */
static void streams_may_differ(void **state)
{
    static const clradio_modulation streams[] = { CLRADIO_QPSK, CLRADIO_BPSK, CLRADIO_QAM64 };
    clradio_detector_config config = soft_config(CLRADIO_DETECTOR_SPHERE, 3, 3, CLRADIO_QAM64, 300);
    config.stream_modulations = streams;
    config.flags |= CLRADIO_DETECTOR_ODD_INTEGER;
    expect(device_under_test(state), &config, 20, 0);
}

/* With fewer antennas than streams the missing dimensions are searched, by mmse regularised. */
static void fewer_antennas_than_streams_are_searched_whole(void **state)
{
    for (int method = 0; method <= CLRADIO_DETECTOR_ML; method++) {
        clradio_detector_config config =
            soft_config((clradio_detector_method)method, 3, 2, CLRADIO_QPSK, 100);
        config.full_streams = method == CLRADIO_DETECTOR_FSD ? 2 : 0;
        config.candidates = method == CLRADIO_DETECTOR_KBEST ? 64 : 0; /* nothing is dropped */
        if (method != CLRADIO_DETECTOR_ZF)
            expect(device_under_test(state), &config, 15, 0);
    }
}

/* Every alphabet by itself: what the search finds is the reference's. */
static void every_alphabet_is_decided_exactly(void **state)
{
    static const double snr_db[] = {
        [CLRADIO_BPSK] = 5,    [CLRADIO_QPSK] = 8,     [CLRADIO_QAM16] = 14, [CLRADIO_QAM64] = 20,
        [CLRADIO_QAM256] = 26, [CLRADIO_QAM1024] = 32, [CLRADIO_PAM2] = 5,   [CLRADIO_PAM4] = 12,
        [CLRADIO_PAM8] = 18,   [CLRADIO_PAM16] = 24,   [CLRADIO_PAM32] = 30
    };
    for (int m = CLRADIO_BPSK; m <= CLRADIO_PAM32; m++) {
        const clradio_detector_config config =
            detector_config(2, 2, (clradio_modulation)m, few(200));
        expect(device_under_test(state), &config, snr_db[m], 0);
    }
}

/* The point nearest to h^H y / |h|^2. */
static uint32_t combined(const detector_data *data, uint64_t n)
{
    const uint32_t rx = data->config.receive;
    double re = 0, im = 0, power = 0, least = INFINITY, point[2];
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < rx; i++) {
        const float *h = data->channel + 2 * (n * rx + i), *y = data->received + 2 * (n * rx + i);
        re += (double)h[0] * y[0] + (double)h[1] * y[1];
        im += (double)h[0] * y[1] - (double)h[1] * y[0];
        power += (double)h[0] * h[0] + (double)h[1] * h[1];
    }
    for (uint32_t label = 0; label < clr_detector_stream_points(&data->config, 0); label++) {
        assert_ok(clradio_modulation_point(data->config.modulation, label, 0, point));
        const double apart = hypot(re / power - point[0], im / power - point[1]);
        if (apart < least) {
            least = apart;
            nearest = label;
        }
    }
    return nearest;
}

/* One stream: whatever the method, maximum-ratio combining. */
static void one_stream_is_maximum_ratio_combining(void **state)
{
    for (int method = 0; method <= CLRADIO_DETECTOR_ML; method++) {
        clradio_detector_config config = detector_config(1, 6, CLRADIO_QAM16, few(500));
        config.method = (clradio_detector_method)method;
        detector_data *data = detector_random(&config, 5, 11);
        detector_answers *got = detector_answers_of(device_under_test(state), &config, data, 0);
        for (uint64_t n = 0; n < data->count; n++)
            assert_int_equal(got->labels[n], combined(data, n));
        detector_answers_free(got);
        detector_data_free(data);
    }
}

/* Each gives a leaf of the tree whose best the exact search finds: no metric is below the best one,
 * and in thousands of vectors no method makes fewer errors. */
static void no_method_is_below_exact_detection(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(4, 4, CLRADIO_QAM16, few(8000));
    detector_data *data = detector_random(&config, 16, 31);
    detector_answers *best = detector_answers_of(device, &config, data, 0);
    const uint64_t least = detector_bit_errors(data, best);
    for (int method = CLRADIO_DETECTOR_KBEST; method <= CLRADIO_DETECTOR_ZF; method++) {
        config.method = (clradio_detector_method)method; /* K = 16; fsd: one stream in full */
        detector_answers *got = detector_answers_of(device, &config, data, 0);
        const uint64_t errors = detector_bit_errors(data, got);
        for (uint64_t n = 0; n < data->count; n++)
            if (best->status[n] == CLRADIO_DETECTED_EXACT)
                assert_true(got->metric[n] >= best->metric[n] * (1 - 1e-4f));
        print_message("# 4x4 16-QAM, 16 dB, %s: %d bit errors, exact detection %d\n",
                      clradio_detector_method_name(config.method), (int)errors, (int)least);
        if (!test_small() && is_exact_everywhere(device))
            assert_true(errors >= least && least > 0);
        detector_answers_free(got);
    }
    detector_answers_free(best);
    detector_data_free(data);
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(kbest_agrees_with_its_reference),
        DEVICE_TEST(fixed_complexity_agrees_with_its_reference),
        DEVICE_TEST(linear_methods_agree_with_their_reference),
        DEVICE_TEST(llrs_of_the_tree_search_are_those_of_exhaustion),
        DEVICE_TEST(llrs_have_the_signs_of_log_map),
        DEVICE_TEST(a_priori_llrs_signs_orders_and_bytes_agree),
        DEVICE_TEST(alphabets_of_ones_own_serve_kbest_and_ml),
        DEVICE_TEST(streams_may_differ),
        DEVICE_TEST(fewer_antennas_than_streams_are_searched_whole),
        DEVICE_TEST_SLOW(every_alphabet_is_decided_exactly),
        DEVICE_TEST(one_stream_is_maximum_ratio_combining),
        DEVICE_TEST(no_method_is_below_exact_detection),
    };
    return run_device_tests("detector methods", NULL, 0, tests, sizeof tests / sizeof *tests);
}
