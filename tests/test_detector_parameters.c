/* Parameters of the detector that change where numbers lie and what runs beside what, and no
 * answer. */
#include "detector_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Streams of which the widest has 32 points an axis, so that the to and fro passes +-60, and seven
 * levels; and the usual ones. */
static clradio_detector_config link_of(int mixed)
{
    static const clradio_modulation streams[] = { CLRADIO_QAM1024, CLRADIO_PAM4, CLRADIO_QAM16,
                                                  CLRADIO_QPSK };
    clradio_detector_config config = detector_config(4, 4, CLRADIO_QAM16, test_small() ? 20 : 600);
    if (mixed)
        config.stream_modulations = streams;
    return config;
}

/* Where a lane's words lie, whether amplitudes are halves, how a row is added up: the same bits. */
static void a_lanes_memory_changes_no_bit(void **state)
{
    static const char *const ways[] = { "STACK=0",
                                        "STACK=0 PAIRS=1",
                                        "STACK=0 FLAT=1 HALVES=1",
                                        "STACK=1 FLAT=1 CTA_SIZE=4 REFILL=3 QUEUE=1 STEPS=2",
                                        "STACK=2 HALVES=1 CTA_SIZE=2",
                                        "STACK=3 FLAT=1 HALVES=1 CTA_SIZE=2" };
    for (int mixed = 0; mixed < 2; mixed++) {
        clradio_detector_config config = link_of(mixed);
        detector_answers *first = NULL;
        detector_data *data = detector_random(&config, mixed ? 34 : 17, 11);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            config.parameters = ways[i];
            detector_answers *got = detector_answers_of(device_under_test(state), &config, data, 0);
            if (!first) {
                first = got;
                continue;
            }
            detector_assert_same(data, got, first);
            detector_answers_free(got);
        }
        detector_answers_free(first);
        detector_data_free(data);
    }
}

/* Whatever the order of streams and the first radius, one too small included: the same symbols. */
static void orders_and_radii_change_no_symbol(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int way = 0; way < 9; way++) {
        clradio_detector_config config =
            detector_config(3, 3, CLRADIO_QAM16, test_small() ? 10 : 400);
        config.ordering = (clradio_detector_ordering)(way / 3);
        config.radius = (clradio_detector_radius)(way % 3);
        config.radius_factor = way % 3 == CLRADIO_RADIUS_GIVEN ? 0.01 : 0;
        detector_data *data = detector_random(&config, 16, 13);
        detector_answers *got = detector_answers_of(device, &config, data, 0);
        detector_answers *wanted = detector_exhausted_answers(data);
        const uint64_t exact = detector_compare_exact(data, got, wanted);
        if (is_exact_everywhere(device))
            assert_int_equal(exact, data->count);
        detector_answers_free(got);
        detector_answers_free(wanted);
        detector_data_free(data);
    }
}

/* A triangle of halves is rounded: what that may have changed is decided again, so that the answers
 * are those of the reference, and more are decided again than with floats. */
static void a_triangle_of_halves_is_still_exact(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int mixed = 0; mixed < 2; mixed++) {
        clradio_detector_config config = link_of(mixed);
        detector_data *data = detector_random(&config, mixed ? 34 : 17, 12);
        detector_answers *wanted = detector_reference_answers(data, 0);
        uint64_t again[3] = { 0 };
        for (int way = 0; way < 3; way++) {
            config.parameters = way == 0   ? "STACK=0"
                                : way == 1 ? "STACK=0 HALVES=2"
                                           : "STACK=1 FLAT=1 HALVES=2 CTA_SIZE=2";
            detector_answers *got = detector_answers_of(device, &config, data, 0);
            const uint64_t exact = detector_compare_exact(data, got, wanted);
            if (is_exact_everywhere(device))
                assert_int_equal(exact, data->count);
            again[way] = got->statistics.again;
            detector_answers_free(got);
        }
        print_message("# decided again: %d with floats, %d with a triangle of halves\n",
                      (int)again[0], (int)again[1]);
        assert_int_equal(again[1], again[2]);
        assert_true(test_small() || again[1] > again[0]);
        detector_answers_free(wanted);
        detector_data_free(data);
    }
}

/* Batches decomposed in a queue of the plan's own while others are searched: every way that
 * channels and noise are given, soft and hard, and calls that follow one another. */
static void batches_beside_one_another_change_no_bit(void **state)
{
    clradio_device *device = device_under_test(state);
    static const struct {
        clradio_detector_noise noise;
        uint64_t per_channel;
        unsigned flags;
        clradio_detector_method method;
    } cases[] = { { CLRADIO_NOISE_VARIANCE, 1, 0, CLRADIO_DETECTOR_SPHERE },
                  { CLRADIO_NOISE_PER_VECTOR, 7, CLRADIO_DETECTOR_SOFT, CLRADIO_DETECTOR_SPHERE },
                  { CLRADIO_NOISE_COVARIANCE, 1, 0, CLRADIO_DETECTOR_SPHERE },
                  { CLRADIO_NOISE_COVARIANCE_CHANNEL, 9, 0, CLRADIO_DETECTOR_SPHERE },
                  { CLRADIO_NOISE_COVARIANCE_VECTOR, 1, 0, CLRADIO_DETECTOR_SPHERE },
                  { CLRADIO_NOISE_VARIANCE, 0, 0, CLRADIO_DETECTOR_KBEST } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clradio_detector_config config =
            detector_config(2, 3, CLRADIO_QAM16, test_small() ? 21 : 401);
        config.noise = cases[i].noise;
        config.vectors_per_channel = cases[i].per_channel;
        config.flags = cases[i].flags;
        config.method = cases[i].method;
        detector_data *data = detector_random(&config, 12, 20 + i);
        const int soft = (cases[i].flags & CLRADIO_DETECTOR_SOFT) != 0;
        detector_answers *first = detector_answers_of(device, &config, data, soft);
        for (int sets = 2; sets <= 4; sets++) {
            char parameters[32];
            snprintf(parameters, sizeof parameters, "SETS=%d", sets);
            config.parameters = parameters;
            clradio_detector *plan;
            clradio_detector_info info = CLRADIO_DETECTOR_INFO_INIT;
            assert_ok(clradio_detector_create(device, &config, &plan));
            assert_ok(clradio_detector_get_info(plan, &info));
            assert_true(info.batch * 7 < config.vectors);
            for (int call = 0; call < 2; call++) {
                detector_answers *got = detector_device_answers(device, plan, data, soft);
                detector_assert_same(data, got, first);
                detector_answers_free(got);
            }
            clradio_detector_destroy(plan);
        }
        detector_answers_free(first);
        detector_data_free(data);
    }
}

/*
 * Vectors whose tree is its first descent are finished by the decomposition: the answers are the
 * same, and the search takes fewer steps than there are nodes. Metrics may be rounded otherwise.
 */
static void expect_descent(clradio_device *device, clradio_detector_config *config, double snr_db)
{
    static const char *const ways[] = {
        "DESCENT=1", "DESCENT=2", "DESCENT=2 STACK=1 FLAT=1 CTA_SIZE=4 REFILL=3 QUEUE=1 STEPS=2",
        "DESCENT=1 SETS=3 PAIRS=1"
    };
    detector_data *data = detector_random(config, snr_db, 41);
    config->parameters = "DESCENT=0";
    detector_answers *first = detector_answers_of(device, config, data, 0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        config->parameters = ways[i];
        detector_answers *got = detector_answers_of(device, config, data, 0);
        for (uint64_t n = 0; n < data->count; n++) {
            const double metric = first->metric[n];
            assert_true(got->metric[n] == first->metric[n] || isnan(metric) ||
                        fabs(got->metric[n] - metric) <= 1e-4 * metric + 1e-6);
        }
        memcpy(got->metric, first->metric, data->count * sizeof(float));
        detector_assert_same(data, got, first);
        if (!test_small())
            assert_true(got->statistics.lane_steps < first->statistics.lane_steps);
        detector_answers_free(got);
    }
    detector_answers_free(first);
    detector_data_free(data);
}

static void a_first_descent_changes_no_answer(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int mixed = 0; mixed < 2; mixed++) {
        clradio_detector_config config = link_of(mixed);
        expect_descent(device, &config, mixed ? 38 : 20);
    }
    for (int radius = 0; radius < 3; radius++) {
        clradio_detector_config config =
            detector_config(3, 2, CLRADIO_PAM4, test_small() ? 9 : 301);
        config.radius = (clradio_detector_radius)radius;
        config.radius_factor = radius == CLRADIO_RADIUS_GIVEN ? 3 : 0;
        config.memory_limit = (1 << 20) + 20000;
        expect_descent(device, &config, 20);
        config = detector_config(2, 4, CLRADIO_QAM64, test_small() ? 9 : 301);
        config.radius = (clradio_detector_radius)radius;
        config.radius_factor = radius == CLRADIO_RADIUS_GIVEN ? 3 : 0;
        config.vectors_per_channel = radius == 2 ? 0 : 7;
        config.noise = radius ? CLRADIO_NOISE_COVARIANCE_CHANNEL : CLRADIO_NOISE_PER_VECTOR;
        expect_descent(device, &config, 20);
    }
}

/* How channels are read changes no bit of any method. */
static void pairs_change_no_bit(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int method = 0; method <= CLRADIO_DETECTOR_ML; method++) {
        clradio_detector_config config = detector_config(2, 3, CLRADIO_QAM16, 101);
        detector_data *data = detector_random(&config, 12, 17);
        detector_answers *answers[2];
        config.method = (clradio_detector_method)method;
        for (int pairs = 0; pairs < 2; pairs++) {
            config.parameters = pairs ? "PAIRS=1" : NULL;
            answers[pairs] = detector_answers_of(device, &config, data, 0);
        }
        detector_assert_same(data, answers[1], answers[0]);
        detector_answers_free(answers[0]);
        detector_answers_free(answers[1]);
        detector_data_free(data);
    }
}

/* Nothing received of a stream, of any, what is not finite: with a descent as without. */
static void a_descent_leaves_doubtful_vectors_to_the_search(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 6);
    detector_data *data = detector_random(&config, 30, 3);
    float *y = data->received, *h = data->channel; /* 4 and 8 floats a vector */
    y[0 * 4 + 1] = NAN;
    h[1 * 8 + 5] = INFINITY;
    memset(y + 8, 0, 4 * sizeof *y);
    memset(h + 16, 0, 8 * sizeof *h);
    for (int i = 0; i < 2; i++)
        memset(h + 24 + 4 * i + 2, 0, 2 * sizeof *h);
    memset(y + 20, 0, 4 * sizeof *y); /* four points are as near as one another */
    config.parameters = "DESCENT=0";
    detector_answers *first = detector_answers_of(device, &config, data, 0);
    for (int way = 1; way <= 2; way++) {
        config.parameters = way == 1 ? "DESCENT=1" : "DESCENT=2";
        detector_answers *got = detector_answers_of(device, &config, data, 0);
        memcpy(got->metric, first->metric, data->count * sizeof(float));
        detector_assert_same(data, got, first);
        detector_answers_free(got);
    }
    detector_answers_free(first);
    detector_data_free(data);
}

static void a_descent_is_of_the_hard_search_alone(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int mistake = 0; mistake < 3; mistake++) {
        clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 6);
        clradio_detector *plan;
        config.parameters = "DESCENT=1";
        config.variant = mistake == 0 ? "group" : NULL;
        config.flags = mistake == 1 ? CLRADIO_DETECTOR_SOFT : 0;
        config.method = mistake == 2 ? CLRADIO_DETECTOR_KBEST : CLRADIO_DETECTOR_SPHERE;
        assert_int_equal(clradio_detector_create(device, &config, &plan),
                         CLRADIO_ERROR_UNSUPPORTED);
        assert_non_null(strstr(clradio_last_error(), "DESCENT"));
    }
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(a_lanes_memory_changes_no_bit),
        DEVICE_TEST(orders_and_radii_change_no_symbol),
        DEVICE_TEST(a_triangle_of_halves_is_still_exact),
        DEVICE_TEST(pairs_change_no_bit),
        DEVICE_TEST(a_first_descent_changes_no_answer),
        DEVICE_TEST(a_descent_leaves_doubtful_vectors_to_the_search),
        DEVICE_TEST(a_descent_is_of_the_hard_search_alone),
        DEVICE_TEST(batches_beside_one_another_change_no_bit),
    };
    return run_device_tests("detector parameters", NULL, 0, tests, sizeof tests / sizeof *tests);
}
