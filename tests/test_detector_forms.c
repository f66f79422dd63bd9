/* Second forms of the detector's kernels, which give what the first ones do: K-best's list in
 * registers, the decomposition by columns. */
#include "detector_support.h"

#include <math.h>
#include <string.h>

/*
 * K-best's list in registers: the bits of the list in private memory, LLRs included, of lists that
 * are no multiple of four and of one, of paths of more than 32 bits, of streams that differ, of
 * zeros, where all children tie, and of what is not finite.
 */
static void fronts_change_no_bit(void **state)
{
    static const clradio_modulation mixed[] = { CLRADIO_QAM64, CLRADIO_PAM4, CLRADIO_QPSK };
    static const struct {
        uint32_t streams, receive, candidates;
        clradio_modulation modulation;
        double snr_db;
    } cases[] = {
        { 4, 4, 16, CLRADIO_QAM64, 20 }, { 4, 4, 16, CLRADIO_QAM16, 8 },
        { 2, 4, 1, CLRADIO_QAM16, 8 },   { 3, 4, 7, CLRADIO_QAM16, 3 },
        { 8, 8, 5, CLRADIO_QAM16, 14 },  { 3, 4, 10, CLRADIO_MODULATION_NONE, 10 },
        { 2, 4, 32, CLRADIO_QPSK, 0 },   { 4, 4, 4, CLRADIO_QAM256, 25 },
        { 1, 4, 9, CLRADIO_BPSK, 0 },    { 4, 2, 6, CLRADIO_QAM16, 12 },
    };
    clradio_device *device = device_under_test(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int soft = 0; soft < 2; soft++) {
            const clradio_modulation modulation = cases[i].modulation;
            const uint32_t receive = cases[i].receive;
            clradio_detector_config config =
                detector_config(cases[i].streams, receive, modulation ? modulation : CLRADIO_QPSK,
                                test_small() ? 20 : 300);
            if (!modulation)
                config.stream_modulations = mixed;
            config.method = CLRADIO_DETECTOR_KBEST;
            config.candidates = cases[i].candidates;
            config.flags = soft ? CLRADIO_DETECTOR_SOFT : 0;
            detector_data *data = detector_random(&config, cases[i].snr_db, 50 + i);
            const size_t vector = 2 * receive, matrix = vector * cases[i].streams;
            memset(data->channel + matrix, 0, matrix * sizeof(float));
            memset(data->received + vector, 0, vector * sizeof(float));
            data->channel[2 * matrix + 1] = NAN;
            data->received[3 * vector] = INFINITY;
            config.parameters = "FRONTS=0";
            detector_answers *lists = detector_answers_of(device, &config, data, soft);
            config.parameters = "FRONTS=1";
            detector_answers *fronts = detector_answers_of(device, &config, data, soft);
            detector_assert_same(data, fronts, lists);
            if (soft)
                assert_memory_equal(fronts->llr, lists->llr,
                                    data->count * clradio_detector_bits(&config) * sizeof(float));
            detector_answers_free(lists);
            detector_answers_free(fronts);
            detector_data_free(data);
        }
}

static void fronts_are_of_short_lists_alone(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int mistake = 0; mistake < 2; mistake++) {
        clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 6);
        clradio_detector *plan;
        config.parameters = "FRONTS=1";
        config.method = mistake ? CLRADIO_DETECTOR_FSD : CLRADIO_DETECTOR_KBEST;
        config.candidates = 33;
        assert_int_equal(clradio_detector_create(device, &config, &plan),
                         CLRADIO_ERROR_UNSUPPORTED);
        assert_non_null(strstr(clradio_last_error(), "FRONTS"));
    }
}

/*
 * A lane for each column of the channel: the symbols of the reference, and nearly the same number
 * of nodes: the bits of the first radius may be others. Sizes that fill a group and that do not,
 * fewer antennas than streams, orders, radii, what is not finite.
 */
static void columns_change_no_symbol(void **state)
{
    static const struct {
        uint32_t transmit, receive;
        clradio_modulation modulation;
        double snr_db;
        clradio_detector_ordering ordering;
        clradio_detector_radius radius;
        clradio_detector_noise noise;
    } cases[] = {
        { 8, 8, CLRADIO_QAM16, 22, 0, 0, CLRADIO_NOISE_VARIANCE },
        { 4, 4, CLRADIO_QAM64, 25, 0, 0, CLRADIO_NOISE_PER_VECTOR },
        { 3, 5, CLRADIO_QAM16, 14, 1, 0, CLRADIO_NOISE_COVARIANCE },
        { 5, 6, CLRADIO_QPSK, 8, 2, 1, CLRADIO_NOISE_VARIANCE },
        { 3, 2, CLRADIO_QPSK, 12, 0, 2, CLRADIO_NOISE_VARIANCE },
        { 1, 1, CLRADIO_PAM4, 12, 0, 0, CLRADIO_NOISE_COVARIANCE_VECTOR },
    };
    clradio_device *device = device_under_test(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clradio_detector_config config = detector_config(
            cases[i].transmit, cases[i].receive, cases[i].modulation, test_small() ? 20 : 303);
        config.vectors_per_channel = 1;
        config.ordering = cases[i].ordering;
        config.radius = cases[i].radius;
        config.radius_factor = config.radius == CLRADIO_RADIUS_GIVEN ? 3 : 0;
        config.noise = cases[i].noise;
        detector_data *data = detector_random(&config, cases[i].snr_db, 90 + i);
        const size_t matrix = 2 * (size_t)cases[i].transmit * cases[i].receive;
        data->channel[3 * matrix] = NAN;
        data->received[4 * 2 * cases[i].receive] = INFINITY;
        if (cases[i].transmit <= 3) /* the reference tries all that tie */
            memset(data->channel + 5 * matrix, 0, matrix * sizeof(float));
        detector_answers *wanted = detector_reference_answers(data, 0);
        config.parameters = "COLUMNS=0";
        detector_answers *items = detector_answers_of(device, &config, data, 0);
        config.parameters = "COLUMNS=1";
        detector_answers *columns = detector_answers_of(device, &config, data, 0);
        double all[2] = { 0 };
        assert_memory_equal(columns->status, items->status, data->count);
        const uint64_t exact = detector_compare_exact(data, columns, wanted);
        if (is_exact_everywhere(device))
            assert_int_equal(exact + 2, data->count);
        for (uint64_t n = 0; n < data->count; n++) {
            all[0] += items->nodes[n];
            all[1] += columns->nodes[n];
        }
        print_message("# nodes by columns: %g times those by work-items\n", all[1] / all[0]);
        assert_true(fabs(all[1] - all[0]) <= 0.01 * all[0]);
        detector_answers_free(items);
        detector_answers_free(columns);
        detector_answers_free(wanted);
        detector_data_free(data);
    }
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(fronts_change_no_bit),
        DEVICE_TEST(fronts_are_of_short_lists_alone),
        DEVICE_TEST(columns_change_no_symbol),
    };
    return run_device_tests("detector forms", NULL, 0, tests, sizeof tests / sizeof *tests);
}
