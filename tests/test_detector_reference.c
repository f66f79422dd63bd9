/* The detector's double reference: against exhaustive search, published counts, closed forms. */
#include "detector_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/*
 * Nodes of the exact search with sorted QR and 1.2 times the MMSE point's metric, as
 * ordering_radius_nodes.csv has them (2e5 and 5e4 vectors): mean within 3 %, 99th percentile within
 * 15 %. Fewer vectors unless CLRADIO_TEST_LONG: the mean's own deviation is then about 1.5 %.
 */
static void nodes_match(uint32_t antennas, clradio_modulation modulation, double snr_db,
                        uint64_t vectors, double mean, double p99)
{
    const clradio_detector_config config = detector_config(antennas, antennas, modulation, vectors);
    detector_data *data = detector_random(&config, snr_db, 7);
    detector_answers *answers = detector_reference_answers(data, 0);
    double sum = 0;
    uint32_t least = UINT32_MAX;
    for (uint64_t n = 0; n < vectors; n++) {
        sum += answers->nodes[n];
        least = answers->nodes[n] < least ? answers->nodes[n] : least;
        assert_int_equal(answers->status[n], CLRADIO_DETECTED_EXACT);
    }
    qsort(answers->nodes, vectors, sizeof *answers->nodes, by_value);
    assert_int_equal(least, 4 * antennas - 1);
    const double p99_seen = answers->nodes[vectors * 99 / 100];
    printf("# %ux%u: mean %.2f (%.1f), p99 %.0f (%.0f)\n", antennas, antennas,
           sum / (double)vectors, mean, p99_seen, p99);
    assert_true(fabs(sum / (double)vectors / mean - 1) < 0.03);
    assert_true(fabs(p99_seen / p99 - 1) < 0.15);
    detector_answers_free(answers);
    detector_data_free(data);
}

static void nodes_of_4x4_64qam_at_25_db_are_those_published(void **state)
{
    (void)state;
    nodes_match(4, CLRADIO_QAM64, 25, 200000, 28.7, 209);
}

static void nodes_of_8x8_16qam_at_20_db_are_those_published(void **state)
{
    (void)state;
    nodes_match(8, CLRADIO_QAM16, 20, test_long() ? 200000 : 50000, 144.4, 1668);
}

/* The search finds what trying everything finds, whatever ordering and first radius. */
static void search_equals_exhaustion(void **state)
{
    (void)state;
    static const struct {
        uint32_t tx, rx;
        clradio_modulation modulation;
        double snr_db;
        uint64_t vectors;
    } cases[] = { { 2, 2, CLRADIO_QAM64, 12, 60 },  { 4, 4, CLRADIO_QPSK, 3, 200 },
                  { 3, 2, CLRADIO_QAM16, 15, 40 },  { 2, 5, CLRADIO_QAM16, 5, 100 },
                  { 3, 3, CLRADIO_BPSK, 0, 200 },   { 2, 1, CLRADIO_PAM8, 20, 200 },
                  { 1, 1, CLRADIO_QAM256, 20, 200 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int way = 0; way < 9; way++) {
            clradio_detector_config config =
                detector_config(cases[i].tx, cases[i].rx, cases[i].modulation, cases[i].vectors);
            config.ordering = (clradio_detector_ordering)(way / 3);
            config.radius = (clradio_detector_radius)(way % 3);
            config.radius_factor = way % 3 == 2 ? 0.01 : 0;
            detector_data *data = detector_random(&config, cases[i].snr_db, 3 + i);
            detector_answers *found = detector_reference_answers(data, 0);
            data->config.method = CLRADIO_DETECTOR_ML;
            detector_answers *best = detector_reference_answers(data, 0);
            assert_int_equal(detector_compare_exact(data, found, best), cases[i].vectors);
            for (uint64_t n = 0; n < cases[i].vectors; n++)
                assert_float_equal(found->metric[n], best->metric[n],
                                   1e-5 * (1 + (double)best->metric[n]));
            detector_answers_free(found);
            detector_answers_free(best);
            detector_data_free(data);
        }
}

/* One stream on n antennas: maximum-ratio combining, the point nearest to h^H y / |h|^2. */
static void one_stream_is_maximum_ratio_combining(void **state)
{
    (void)state;
    const uint32_t rx = 6;
    clradio_detector_config config = detector_config(1, rx, CLRADIO_QAM16, 300);
    for (int method = CLRADIO_DETECTOR_SPHERE; method <= CLRADIO_DETECTOR_ML; method++) {
        config.method = (clradio_detector_method)method;
        detector_data *data = detector_random(&config, 5, 11);
        detector_answers *answers = detector_reference_answers(data, 0);
        for (uint64_t n = 0; n < data->count; n++) {
            double re = 0, im = 0, power = 0, least = INFINITY, point[2];
            uint32_t nearest = 0;
            for (uint32_t i = 0; i < rx; i++) {
                const float *h = data->channel + 2 * (n * rx + i);
                const float *y = data->received + 2 * (n * rx + i);
                re += h[0] * y[0] + h[1] * y[1];
                im += h[0] * y[1] - h[1] * y[0];
                power += h[0] * h[0] + h[1] * h[1];
            }
            for (uint32_t label = 0; label < 16; label++) {
                assert_ok(clradio_modulation_point(CLRADIO_QAM16, label, 0, point));
                const double d = pow(re / power - point[0], 2) + pow(im / power - point[1], 2);
                if (d < least) {
                    least = d;
                    nearest = label;
                }
            }
            assert_int_equal(answers->labels[n], nearest);
        }
        detector_answers_free(answers);
        detector_data_free(data);
    }
}

/* Other methods give a leaf, which is never better than the best; with enough survivors the best.
 */
static void no_method_finds_better_than_the_best(void **state)
{
    (void)state;
    clradio_detector_config config = detector_config(3, 3, CLRADIO_QAM16, 300);
    detector_data *data = detector_random(&config, 14, 17);
    detector_answers *best = detector_reference_answers(data, 0);
    for (int method = CLRADIO_DETECTOR_KBEST; method <= CLRADIO_DETECTOR_ZF; method++) {
        data->config.method = (clradio_detector_method)method;
        detector_answers *answers = detector_reference_answers(data, 0);
        for (uint64_t n = 0; n < data->count; n++)
            assert_true(answers->metric[n] >= best->metric[n] * (1 - 1e-5f));
        assert_true(detector_bit_errors(data, answers) >= detector_bit_errors(data, best) * 9 / 10);
        detector_answers_free(answers);
    }
    data->config.method = CLRADIO_DETECTOR_FSD;
    data->config.full_streams = 3; /* everything in full */
    detector_answers *full = detector_reference_answers(data, 0);
    for (uint64_t n = 0; n < data->count * 3; n++)
        assert_int_equal(full->labels[n], best->labels[n]);
    detector_answers_free(full);
    detector_answers_free(best);
    detector_data_free(data);
}

/* LLRs by a search for each bit are those by trying everything, a priori LLRs included. */
static void llrs_equal_those_by_exhaustion(void **state)
{
    (void)state;
    for (int with_prior = 0; with_prior < 2; with_prior++) {
        clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 60);
        config.flags = CLRADIO_DETECTOR_SOFT;
        detector_data *data = detector_random(&config, 12, 23);
        const uint64_t bits = data->count * 8;
        uint64_t seed = 5;
        if (with_prior) {
            data->prior = calloc(bits, sizeof *data->prior);
            for (uint64_t b = 0; b < bits; b++)
                data->prior[b] = (float)test_random_between(&seed, -40, 40) / 10;
        }
        detector_answers *searched = detector_reference_answers(data, 1);
        data->config.method = CLRADIO_DETECTOR_ML;
        detector_answers *tried = detector_reference_answers(data, 1);
        for (uint64_t b = 0; b < bits; b++) {
            assert_float_equal(searched->llr[b], tried->llr[b], 1e-4);
            if (fabsf(tried->llr[b]) > 1e-4f)
                assert_int_equal(tried->llr[b] < 0, searched->bits[b]);
        }
        detector_answers_free(searched);
        detector_answers_free(tried);
        detector_data_free(data);
    }
}

/* Nothing received of a stream: its label is 0; of any: all labels are 0. Two equal columns: the
 * smaller label vector of those that explain y alike. */
static void ties_take_the_smaller_label_vector(void **state)
{
    (void)state;
    clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 1);
    detector_data *data = detector_random(&config, 300, 29);
    for (int equal = 0; equal < 2; equal++) {
        for (int i = 0; i < 4; i++) /* [rx][tx]: the second column is 0, or the first */
            data->channel[2 * (i / 2 * 2 + 1) + i % 2] =
                equal ? data->channel[2 * (i / 2 * 2) + i % 2] : 0;
        for (uint32_t label = 0; label < 16; label++) {
            double point[2], other[2];
            assert_ok(clradio_modulation_point(CLRADIO_QAM16, label, 0, point));
            assert_ok(clradio_modulation_point(CLRADIO_QAM16, 9, 0, other));
            for (int i = 0; i < 2; i++) {
                const float *h = data->channel + 4 * i;
                const double re = point[0] + equal * other[0], im = point[1] + equal * other[1];
                data->received[2 * i] = (float)(h[0] * re - h[1] * im);
                data->received[2 * i + 1] = (float)(h[0] * im + h[1] * re);
            }
            detector_answers *answers = detector_reference_answers(data, 0);
            data->config.method = CLRADIO_DETECTOR_ML;
            detector_answers *tried = detector_reference_answers(data, 0);
            data->config.method = CLRADIO_DETECTOR_SPHERE;
            if (!equal) {
                assert_int_equal(answers->labels[0], label);
                assert_int_equal(answers->labels[1], 0);
            }
            assert_true(answers->labels[0] <= (equal ? label : 16));
            assert_float_equal(answers->metric[0], tried->metric[0], 1e-6);
            detector_answers_free(answers);
            detector_answers_free(tried);
        }
    }
    detector_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_4x4_64qam_at_25_db_are_those_published),
        cmocka_unit_test(nodes_of_8x8_16qam_at_20_db_are_those_published),
        cmocka_unit_test(search_equals_exhaustion),
        cmocka_unit_test(one_stream_is_maximum_ratio_combining),
        cmocka_unit_test(no_method_finds_better_than_the_best),
        cmocka_unit_test(llrs_equal_those_by_exhaustion),
        cmocka_unit_test(ties_take_the_smaller_label_vector),
    };
    return cmocka_run_group_tests_name("detector reference", tests, NULL, NULL);
}
