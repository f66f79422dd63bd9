/* The sphere decoder on devices: vectors called exact against exhaustion and the double reference,
 * the same bits for every batch and run, budgets. */
#include "detector_support.h"

#include <stdlib.h>
#include <string.h>

typedef struct exact_case {
    uint32_t tx, rx;
    clradio_modulation modulation;
    double snr_db;
    uint64_t vectors;
    clradio_detector_method against;
} exact_case;

static void expect_exact(clradio_device *device, const clradio_detector_config *config,
                         double snr_db, clradio_detector_method against)
{
    clradio_detector *plan;
    assert_ok(clradio_detector_create(device, config, &plan));
    detector_data *data = detector_random(config, snr_db, 1 + config->transmit);
    detector_answers *got = detector_device_answers(device, plan, data, 0);
    data->config.method = against;
    detector_answers *wanted = detector_reference_answers(data, 0);
    const uint64_t exact = detector_compare_exact(data, got, wanted);
    const int whole = is_exact_everywhere(device);
    assert_true(whole ? exact == data->count : exact * 2 >= data->count);
    for (uint64_t n = 0; n < data->count; n++)
        if (got->status[n] == CLRADIO_DETECTED_EXACT)
            assert_float_equal(got->metric[n], wanted->metric[n],
                               2e-4 * (double)wanted->metric[n] + 1e-6);
    assert_int_equal(got->statistics.vectors, data->count);
    assert_int_equal(got->statistics.by_status[CLRADIO_DETECTED_EXACT], exact);
    clradio_detector_destroy(plan);
    detector_answers_free(got);
    detector_answers_free(wanted);
    detector_data_free(data);
}

static void exact_vectors_equal_those_of_exhaustion(void **state)
{
    const uint64_t many = test_vectors(test_small() ? 20 : 300, 1000000);
    const exact_case cases[] = {
        { 2, 2, CLRADIO_QAM64, 16, many, CLRADIO_DETECTOR_ML },
        { 2, 2, CLRADIO_QPSK, 8, many, CLRADIO_DETECTOR_ML },
        { 2, 2, CLRADIO_QAM16, 12, many, CLRADIO_DETECTOR_ML },
        { 4, 4, CLRADIO_QAM16, 16, test_small() ? 2 : test_vectors(20, 1000000),
          CLRADIO_DETECTOR_ML },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clradio_detector_config config =
            detector_config(cases[i].tx, cases[i].rx, cases[i].modulation, cases[i].vectors);
        expect_exact(device_under_test(state), &config, cases[i].snr_db, cases[i].against);
    }
}

static void exact_vectors_equal_those_of_the_double_reference(void **state)
{
    const uint64_t many = test_vectors(6000, 1000000);
    const exact_case cases[] = {
        { 4, 4, CLRADIO_QAM64, 22, many, CLRADIO_DETECTOR_SPHERE },
        { 4, 4, CLRADIO_QAM256, 30, many, CLRADIO_DETECTOR_SPHERE },
        { 8, 8, CLRADIO_QAM16, 20, test_vectors(1500, 1000000), CLRADIO_DETECTOR_SPHERE },
        { 8, 8, CLRADIO_QAM64, 27, test_vectors(60, 1000000), CLRADIO_DETECTOR_SPHERE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clradio_detector_config config =
            detector_config(cases[i].tx, cases[i].rx, cases[i].modulation, cases[i].vectors);
        expect_exact(device_under_test(state), &config, cases[i].snr_db, cases[i].against);
    }
}

/* The same vectors in one batch, in batches of a few, and again: every byte alike. */
static void every_batch_size_and_every_run_give_the_same_bits(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(4, 4, CLRADIO_QAM16, test_small() ? 50 : 3001);
    detector_data *data = detector_random(&config, 15, 5);
    detector_answers *first = NULL;
    for (int run = 0; run < 3; run++) {
        clradio_detector *plan;
        clradio_detector_info info = CLRADIO_DETECTOR_INFO_INIT;
        config.memory_limit = run == 2 ? (1 << 20) + 20000 : 0;
        assert_ok(clradio_detector_create(device, &config, &plan));
        assert_ok(clradio_detector_get_info(plan, &info));
        if (run == 2 && !test_small())
            assert_true(info.batch < 200);
        detector_answers *answers = detector_device_answers(device, plan, data, 0);
        clradio_detector_destroy(plan);
        if (!first) {
            first = answers;
            continue;
        }
        assert_memory_equal(answers->labels, first->labels, data->count * 4 * sizeof(uint32_t));
        assert_memory_equal(answers->bits, first->bits, data->count * 16);
        assert_memory_equal(answers->metric, first->metric, data->count * sizeof(float));
        assert_memory_equal(answers->nodes, first->nodes, data->count * sizeof(uint32_t));
        assert_memory_equal(answers->status, first->status, data->count);
        assert_memory_equal(answers->statistics.histogram, first->statistics.histogram,
                            sizeof first->statistics.histogram);
        detector_answers_free(answers);
    }
    detector_answers_free(first);
    detector_data_free(data);
}

/* bits are those of the labels, whichever end they begin at. */
static void bits_are_those_of_the_labels(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(4, 4, CLRADIO_QAM16, 40);
    for (int last_first = 0; last_first < 2; last_first++) {
        clradio_detector *plan;
        config.flags = last_first ? CLRADIO_DETECTOR_LAST_BIT_FIRST : 0;
        assert_ok(clradio_detector_create(device, &config, &plan));
        detector_data *data = detector_random(&config, 18, 5);
        detector_answers *answers = detector_device_answers(device, plan, data, 0);
        for (uint64_t n = 0; n < data->count * 16; n++) {
            const uint64_t b = n % 4;
            assert_int_equal(answers->bits[n],
                             answers->labels[n / 4] >> (last_first ? b : 3 - b) & 1);
        }
        clradio_detector_destroy(plan);
        detector_answers_free(answers);
        detector_data_free(data);
    }
}

/* A budget that is too small shows in the status, never in silence; the second pass certifies. */
static void budgets_are_certified_or_said(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(4, 4, CLRADIO_QAM16, test_small() ? 20 : 1000);
    detector_data *data = detector_random(&config, 15, 41);
    detector_answers *wanted = detector_reference_answers(data, 0);
    config.node_budget = 30;
    for (int second = 0; second < 2; second++) {
        clradio_detector *plan;
        uint64_t budget = 0;
        config.final_budget = second ? 0 : 1;
        config.parameters = second ? NULL : "ROUND=1"; /* looks at the budget after each node */
        assert_ok(clradio_detector_create(device, &config, &plan));
        detector_answers *got = detector_device_answers(device, plan, data, 0);
        const uint64_t exact = detector_compare_exact(data, got, wanted);
        for (uint64_t n = 0; n < data->count; n++)
            budget += got->status[n] == CLRADIO_DETECTED_BUDGET;
        assert_int_equal(got->statistics.by_status[CLRADIO_DETECTED_BUDGET], budget);
        if (second && is_exact_everywhere(device))
            assert_int_equal(exact, data->count);
        if (!second)
            assert_true(budget > 0);
        detector_answers_free(got);
        clradio_detector_destroy(plan);
    }
    detector_answers_free(wanted);
    detector_data_free(data);
}

/*
 * Two best leaves whose metrics differ by 5e-9 of each other, found among 1e5 vectors: with the
 * alphabet's scale, 1/sqrt(170), rounded to float in the second pass the wrong one was called
 * exact.
 */
static void a_margin_below_the_rounding_of_the_alphabet_is_decided_right(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(4, 4, CLRADIO_QAM256, 100000);
    detector_data *many = detector_random(&config, 30, 5);
    config.vectors = 1;
    detector_data *one = detector_random(&config, 30, 5);
    one->noise_variance = many->noise_variance;
    memcpy(one->received, many->received + 75474 * 8, 8 * sizeof(float));
    memcpy(one->channel, many->channel + 75474 * 32, 32 * sizeof(float));
    detector_answers *wanted = detector_reference_answers(one, 0);
    for (int precision = 0; precision < 3; precision++) {
        clradio_detector *plan;
        config.precision = (clradio_detector_precision)precision;
        const clradio_status status = clradio_detector_create(device, &config, &plan);
        if (status == CLRADIO_ERROR_UNSUPPORTED) /* no double precision */
            continue;
        assert_ok(status);
        detector_answers *got = detector_device_answers(device, plan, one, 0);
        detector_compare_exact(one, got, wanted);
        if (precision == CLRADIO_PRECISION_FLOAT)
            assert_int_equal(got->status[0], CLRADIO_DETECTED_THIN);
        else if (is_exact_everywhere(device))
            assert_int_equal(got->status[0], CLRADIO_DETECTED_EXACT);
        clradio_detector_destroy(plan);
        detector_answers_free(got);
    }
    detector_answers_free(wanted);
    detector_data_free(one);
    detector_data_free(many);
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(exact_vectors_equal_those_of_exhaustion),
        DEVICE_TEST_SLOW(exact_vectors_equal_those_of_the_double_reference),
        DEVICE_TEST(every_batch_size_and_every_run_give_the_same_bits),
        DEVICE_TEST_SLOW(a_margin_below_the_rounding_of_the_alphabet_is_decided_right),
        DEVICE_TEST(bits_are_those_of_the_labels),
        DEVICE_TEST(budgets_are_certified_or_said),
    };
    return run_device_tests("detector", NULL, 0, tests, sizeof tests / sizeof *tests);
}
