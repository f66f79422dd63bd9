/* Detector: noise in every form, shared channels, sizes at the ends, input without sense, calls
 * that are refused. */
#include "detector_support.h"

#include <clradio/pipeline.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_exact(clradio_device *device, const clradio_detector_config *config,
                         double snr_db)
{
    if (!detector_expect_exact(device, config, snr_db, 9 + config->transmit))
        assert_false(is_exact_everywhere(device)); /* its loops end too soon */
}

/* Variances of vectors; covariances of the call, of channels that vectors share, of vectors. */
static void noise_in_every_form_and_shared_channels_agree(void **state)
{
    static const struct {
        clradio_detector_noise noise;
        uint64_t per_channel;
    } cases[] = { { CLRADIO_NOISE_PER_VECTOR, 7 },
                  { CLRADIO_NOISE_COVARIANCE, 0 },
                  { CLRADIO_NOISE_COVARIANCE_CHANNEL, 7 },
                  { CLRADIO_NOISE_COVARIANCE_VECTOR, 7 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clradio_detector_config config =
            detector_config(3, 4, CLRADIO_QAM16, test_small() ? 20 : 300);
        config.noise = cases[i].noise;
        config.vectors_per_channel = cases[i].per_channel;
        config.flags = CLRADIO_DETECTOR_NOISE_PER_REAL;
        /* batches that begin and end inside a channel's vectors */
        config.memory_limit = (1 << 20) + 30000;
        expect_exact(device_under_test(state), &config, 14);
    }
}

static void the_smallest_and_the_largest_sizes_agree(void **state)
{
    static const struct {
        uint32_t tx, rx;
        clradio_modulation modulation;
        double snr_db;
        uint64_t vectors;
    } cases[] = { { 1, 1, CLRADIO_QAM1024, 40, 50 },
                  { 1, 64, CLRADIO_QPSK, -15, 20 },
                  { 16, 64, CLRADIO_QPSK, 12, 5 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clradio_detector_config config = detector_config(
            cases[i].tx, cases[i].rx, cases[i].modulation, test_small() ? 2 : cases[i].vectors);
        expect_exact(device_under_test(state), &config, cases[i].snr_db);
    }
}

/*
 * Vector by vector: NaN in y, infinity in H, everything zero, one stream of zeros, two equal
 * columns, numbers near the ends of float's range. Each has its status, and no other feels it.
 */
static void input_without_sense_has_defined_results(void **state)
{
    clradio_device *device = device_under_test(state);
    const clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 8);
    clradio_detector *plan;
    assert_ok(clradio_detector_create(device, &config, &plan));
    detector_data *data = detector_random(&config, 30, 3);
    float *y = data->received, *h = data->channel; /* 4 and 8 floats a vector */
    data->noise_variance = 0;
    y[0 * 4 + 1] = NAN;
    h[1 * 8 + 5] = -INFINITY;
    memset(y + 8, 0, 4 * sizeof *y);
    memset(h + 16, 0, 8 * sizeof *h);
    for (int i = 0; i < 2; i++) {
        memset(h + 24 + 4 * i + 2, 0, 2 * sizeof *h);              /* nothing of stream 1 */
        memcpy(h + 32 + 4 * i + 2, h + 32 + 4 * i, 2 * sizeof *h); /* stream 1 as stream 0 */
    }
    for (int i = 0; i < 8; i++) {
        h[40 + i] *= 1e-30f;
        h[48 + i] *= 1e30f;
    }
    for (int i = 0; i < 4; i++) {
        y[20 + i] *= 1e-30f;
        y[24 + i] *= 1e30f;
    }
    detector_answers *got = detector_device_answers(device, plan, data, 0);
    detector_answers *wanted = detector_reference_answers(data, 0);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(got->status[n], CLRADIO_DETECTED_INVALID);
        assert_int_equal(got->labels[2 * n], 0);
        assert_int_equal(got->labels[2 * n + 1], 0);
        assert_true(got->metric[n] != got->metric[n]);
    }
    const uint64_t exact = detector_compare_exact(data, got, wanted);
    if (is_exact_everywhere(device))
        assert_int_equal(exact, 6);
    if (got->status[2] == CLRADIO_DETECTED_EXACT)
        assert_true(got->labels[4] == 0 && got->labels[5] == 0);
    if (got->status[3] == CLRADIO_DETECTED_EXACT)
        assert_int_equal(got->labels[7], 0);
    for (int n = 5; n < 8; n++) { /* without noise what was sent is found, whatever the scale */
        assert_int_equal(got->labels[2 * n], data->sent[2 * n]);
        assert_int_equal(got->labels[2 * n + 1], data->sent[2 * n + 1]);
    }
    clradio_detector_destroy(plan);
    detector_answers_free(got);
    detector_answers_free(wanted);
    detector_data_free(data);
}

/*
 * The same for every method, with LLRs: what is not finite is invalid, its symbols 0, its LLRs 0;
 * an all-zero vector and channel, a stream of zeros, two equal columns give finite answers.
 */
static void every_method_survives_input_without_sense(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int method = 0; method <= CLRADIO_DETECTOR_ML; method++) {
        clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 6);
        clradio_detector *plan;
        config.method = (clradio_detector_method)method;
        config.flags = CLRADIO_DETECTOR_SOFT;
        assert_ok(clradio_detector_create(device, &config, &plan));
        detector_data *data = detector_random(&config, 20, 3);
        float *y = data->received, *h = data->channel; /* 4 and 8 floats a vector */
        y[0 * 4 + 1] = NAN;
        h[1 * 8 + 5] = -INFINITY;
        memset(y + 8, 0, 4 * sizeof *y);
        memset(h + 16, 0, 8 * sizeof *h);
        for (int i = 0; i < 2; i++) {
            memset(h + 24 + 4 * i + 2, 0, 2 * sizeof *h);
            memcpy(h + 32 + 4 * i + 2, h + 32 + 4 * i, 2 * sizeof *h);
        }
        detector_answers *got = detector_device_answers(device, plan, data, 1);
        for (int n = 0; n < 6; n++) {
            assert_true(n < 2 ? got->status[n] == CLRADIO_DETECTED_INVALID
                              : got->status[n] != CLRADIO_DETECTED_INVALID);
            assert_true(n < 2 ? isnan(got->metric[n]) : isfinite(got->metric[n]));
            for (int s = 0; s < 2; s++)
                assert_true(n < 2 ? got->labels[2 * n + s] == 0 : got->labels[2 * n + s] < 16);
            for (int b = 8 * n; b < 8 * n + 8; b++)
                assert_true(n < 2 ? got->llr[b] == 0 : fabsf(got->llr[b]) <= 100);
        }
        /* nothing is known of vector 2, nor of stream 1 of vector 3 */
        for (int b = 16; b < 32; b += b == 23 ? 5 : 1)
            assert_true(fabsf(got->llr[b]) < 1e-9f || method == CLRADIO_DETECTOR_KBEST ||
                        method == CLRADIO_DETECTOR_FSD); /* clipped: no counter-hypothesis */
        clradio_detector_destroy(plan);
        detector_answers_free(got);
        detector_data_free(data);
    }
}

/*
 * Of all-zero channels and of a stream of zeros mmse's estimate has no share of the signal, but for
 * what rounding leaves, and that depends on N0: LLRs of 0 for each of many, on every device,
 * however well it divides.
 */
static void mmse_tells_nothing_of_streams_without_channel(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, test_small() ? 16 : 400);
    config.method = CLRADIO_DETECTOR_MMSE;
    config.flags = CLRADIO_DETECTOR_SOFT;
    config.noise = CLRADIO_NOISE_PER_VECTOR;
    clradio_detector *plan;
    assert_ok(clradio_detector_create(device, &config, &plan));
    detector_data *data = detector_random(&config, 20, 5);
    for (uint64_t n = 0; n < data->count; n++) {
        float *h = data->channel + 8 * n; /* [receive][transmit] */
        if (n % 2)
            memset(h, 0, 8 * sizeof *h);
        for (int i = 0; i < 2; i++)
            memset(h + 4 * i + 2, 0, 2 * sizeof *h); /* nothing of stream 1 */
        data->noise[n] = 0.01f + 0.0173f * (float)n;
    }
    detector_answers *got = detector_device_answers(device, plan, data, 1);
    for (uint64_t n = 0; n < data->count; n++)
        for (uint64_t b = n % 2 ? 0 : 4; b < 8; b++)
            assert_true(got->llr[8 * n + b] == 0);
    clradio_detector_destroy(plan);
    detector_answers_free(got);
    detector_data_free(data);
}

/* A covariance that is no covariance: its vectors are invalid, others are not. */
static void covariances_that_are_not_positive_definite_are_said(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector *plan;
    clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 3);
    config.noise = CLRADIO_NOISE_COVARIANCE_VECTOR;
    assert_ok(clradio_detector_create(device, &config, &plan));
    detector_data *data = detector_random(&config, 20, 3);
    data->noise[8 * 1 + 0] = -1; /* vector 1: a negative variance */
    data->noise[8 * 2 + 6] = NAN;
    detector_answers *got = detector_device_answers(device, plan, data, 0);
    assert_int_not_equal(got->status[0], CLRADIO_DETECTED_INVALID);
    assert_int_equal(got->status[1], CLRADIO_DETECTED_INVALID);
    assert_int_equal(got->status[2], CLRADIO_DETECTED_INVALID);
    clradio_detector_destroy(plan);
    detector_answers_free(got);
    detector_data_free(data);
}

/* Host arrays through a pipeline, in calls that do not divide the vectors: what one call gives; the
 * host certifies what the device's budget left. */
static void host_arrays_give_what_one_call_gives(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(3, 4, CLRADIO_QAM16, test_small() ? 30 : 500);
    config.vectors_per_channel = 7;
    config.noise = CLRADIO_NOISE_COVARIANCE_CHANNEL;
    detector_data *data = detector_random(&config, 10, 3);
    detector_answers *wanted = detector_reference_answers(data, 0);
    config.vectors = test_small() ? 9 : 100;
    config.node_budget = 20;
    config.final_budget = 10; /* no second pass */
    clradio_detector *plan;
    assert_ok(clradio_detector_create(device, &config, &plan));
    uint8_t *symbols = malloc(data->count * 3), *status = malloc(data->count);
    clradio_detector_statistics statistics;
    clradio_detector_host_io io = CLRADIO_DETECTOR_HOST_IO_INIT;
    io.received = data->received;
    io.channel = data->channel;
    io.noise = data->noise;
    io.symbols = symbols;
    io.status = status;
    io.statistics = &statistics;
    io.vectors_count = data->count;
    assert_ok(clradio_detector_run(plan, &io));
    for (uint64_t n = 0; n < data->count; n++) {
        assert_int_equal(status[n], CLRADIO_DETECTED_EXACT);
        for (int s = 0; s < 3; s++)
            assert_int_equal(symbols[3 * n + s], wanted->labels[3 * n + s]);
    }
    assert_int_equal(statistics.vectors, data->count);
    assert_int_equal(statistics.by_status[CLRADIO_DETECTED_EXACT], data->count);
    clradio_detector_destroy(plan);
    free(symbols);
    free(status);
    detector_answers_free(wanted);
    detector_data_free(data);
}

/* Each mistake of a configuration: its own status, and a sentence. */
static void configurations_without_sense_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    static const clradio_modulation mixed[] = { CLRADIO_QPSK, CLRADIO_ALPHABET };
    for (int mistake = 0; mistake < 16; mistake++) {
        clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 10);
        clradio_detector *plan = (clradio_detector *)&config;
        clradio_status wanted = CLRADIO_ERROR_ARGUMENT;
        switch (mistake) {
        case 0: config.transmit = 0; break;
        case 1: config.transmit = 17; break;
        case 2: config.receive = 65; break;
        case 3: config.vectors = 0; break;
        case 4: config.modulation = CLRADIO_MODULATION_NONE; break;
        case 5: config.radius_factor = 0.5; break;
        case 6: config.radius_factor = NAN; break;
        case 7: config.struct_size = 8; break;
        case 8: config.flags = 0x1000; break;
        case 9: config.parameters = "CTA_SISE=64"; break;
        case 10: config.variant = "lan"; break;
        case 11:
            config.method = CLRADIO_DETECTOR_ZF;
            config.receive = 1;
            wanted = CLRADIO_ERROR_UNSUPPORTED;
            break;
        case 12:
            config.stream_modulations = mixed;
            wanted = CLRADIO_ERROR_UNSUPPORTED;
            break;
        case 13:
            config.method = CLRADIO_DETECTOR_ML;
            config.transmit = 8;
            wanted = CLRADIO_ERROR_LIMIT;
            break;
        case 14:
            config.memory_limit = 100;
            wanted = CLRADIO_ERROR_LIMIT;
            break;
        default: config.candidates = 65;
        }
        assert_int_equal(clradio_detector_create(device, &config, &plan), wanted);
        assert_null(plan);
        assert_true(strlen(clradio_last_error()) > 10);
    }
    clradio_detector *plan;
    assert_int_equal(clradio_detector_create(device, NULL, &plan), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_detector_create(NULL, NULL, &plan), CLRADIO_ERROR_ARGUMENT);
}

static void calls_without_sense_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    const clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 10);
    clradio_detector *plan;
    clradio_queue *queue;
    clradio_buffer *buffer;
    assert_ok(clradio_detector_create(device, &config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, 10 * (16 + 32) + 20, &buffer));
    for (int mistake = 0; mistake < 9; mistake++) {
        clradio_detector_io io = CLRADIO_DETECTOR_IO_INIT;
        io.received.buffer = io.channel.buffer = io.symbols.buffer = buffer;
        io.channel.offset = 160;
        io.symbols.offset = 480;
        io.vectors_count = 10;
        switch (mistake) {
        case 0: io.vectors_count = 11; break;
        case 1: io.received.buffer = NULL; break;
        case 2: io.symbols.offset = 482; break;
        case 3: io.received.offset = 4; break;
        case 4: io.symbols.offset = 470; break; /* over the channel */
        case 5: io.noise_variance = -1; break;
        case 6: io.llr = (clradio_span){ buffer, 0 }; break;
        case 7: io.noise_variance = NAN; break;
        default: io.struct_size = 1;
        }
        assert_int_equal(clradio_detector_enqueue(plan, queue, &io, 0, NULL, NULL),
                         CLRADIO_ERROR_ARGUMENT);
    }
    clradio_detector_io io = CLRADIO_DETECTOR_IO_INIT; /* nothing to do is no mistake */
    assert_ok(clradio_detector_enqueue(plan, queue, &io, 0, NULL, NULL));
    assert_ok(clradio_queue_finish(queue));
    clradio_buffer_destroy(buffer);
    clradio_queue_destroy(queue);
    clradio_detector_destroy(plan);
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(noise_in_every_form_and_shared_channels_agree),
        DEVICE_TEST(the_smallest_and_the_largest_sizes_agree),
        DEVICE_TEST(input_without_sense_has_defined_results),
        DEVICE_TEST(every_method_survives_input_without_sense),
        DEVICE_TEST(mmse_tells_nothing_of_streams_without_channel),
        DEVICE_TEST(covariances_that_are_not_positive_definite_are_said),
        DEVICE_TEST(host_arrays_give_what_one_call_gives),
        DEVICE_TEST(configurations_without_sense_are_refused),
        DEVICE_TEST(calls_without_sense_are_refused),
    };
    return run_device_tests("detector hostile", NULL, 0, tests, sizeof tests / sizeof *tests);
}
