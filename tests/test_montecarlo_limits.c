/*
 * The Monte-Carlo engine's manners: bad input refused with a sentence, memory counted, programs
 * built once, wait lists and events, calls that follow one another.
 */
#include "montecarlo_support.h"

#include <clradio/opencl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static clradio_montecarlo_config usual(void)
{
    return generate_only(4, 4, CLRADIO_QAM16, 256);
}

/* ---- configurations ---- */

static void refuse(clradio_device *device, const clradio_montecarlo_config *config,
                   clradio_status expected, const char *word)
{
    clradio_montecarlo *plan = (clradio_montecarlo *)config; /* must become NULL */
    const clradio_status status = clradio_montecarlo_create(device, config, &plan);
    if (status != expected || plan || !strstr(clradio_last_error(), word))
        fail_msg("%s, '%s' instead of %s and '%s'", clradio_status_name(status),
                 clradio_last_error(), clradio_status_name(expected), word);
}

#define REFUSE(change, status, word)                                                               \
    do {                                                                                           \
        clradio_montecarlo_config config = usual();                                                \
        change;                                                                                    \
        refuse(device, &config, status, word);                                                     \
    } while (0)

static void a_bad_link_is_refused_with_a_sentence(void **state)
{
    clradio_device *device = device_under_test(state);
    REFUSE(config.struct_size = 0, CLRADIO_ERROR_ARGUMENT, "struct_size");
    REFUSE(config.detector.struct_size = 8, CLRADIO_ERROR_ARGUMENT, "detector.struct_size");
    REFUSE(config.detector.transmit = 0, CLRADIO_ERROR_ARGUMENT, "transmit");
    REFUSE(config.detector.transmit = 17, CLRADIO_ERROR_ARGUMENT, "transmit");
    REFUSE(config.detector.receive = 65, CLRADIO_ERROR_ARGUMENT, "receive");
    REFUSE(config.detector.vectors = 0, CLRADIO_ERROR_ARGUMENT, "vectors");
    REFUSE(config.detector.vectors = UINT64_MAX, CLRADIO_ERROR_LIMIT, "too many");
    REFUSE(config.detector.vectors_per_channel = 2, CLRADIO_ERROR_UNSUPPORTED, "channel");
    REFUSE(config.detector.noise = CLRADIO_NOISE_COVARIANCE, CLRADIO_ERROR_UNSUPPORTED, "white");
    REFUSE(config.detector.flags = CLRADIO_DETECTOR_SOFT, CLRADIO_ERROR_UNSUPPORTED, "hard");
    REFUSE(config.detector.flags = CLRADIO_DETECTOR_ODD_INTEGER, CLRADIO_ERROR_UNSUPPORTED,
           "energy");
    REFUSE(config.detector.modulation = CLRADIO_MODULATION_NONE, CLRADIO_ERROR_ARGUMENT,
           "modulation");
    REFUSE(config.detector.modulation = (clradio_modulation)99, CLRADIO_ERROR_ARGUMENT,
           "modulation");
    REFUSE(config.flags = 8, CLRADIO_ERROR_ARGUMENT, "flags");
    REFUSE(config.estimation_error = -0.1, CLRADIO_ERROR_ARGUMENT, "estimation_error");
    REFUSE(config.estimation_error = NAN, CLRADIO_ERROR_ARGUMENT, "estimation_error");
    REFUSE(config.detector.memory_limit = 100, CLRADIO_ERROR_LIMIT, "memory_limit");
    refuse(device, NULL, CLRADIO_ERROR_ARGUMENT, "config is NULL");
}

static void bad_alphabets_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    static const float three[6] = { 1, 0, 0, 1, -1, 0 };
    static const float loud[4] = { 2, 0, -2, 0 };
    static const float broken[4] = { NAN, 0, -1, 0 };
#define ALPHABET(points, size)                                                                     \
    config.detector.modulation = CLRADIO_ALPHABET;                                                 \
    config.detector.alphabet = points;                                                             \
    config.detector.alphabet_size = size
    REFUSE(ALPHABET(three, 3), CLRADIO_ERROR_UNSUPPORTED, "power of two");
    REFUSE(ALPHABET(NULL, 4), CLRADIO_ERROR_UNSUPPORTED, "power of two");
    REFUSE(ALPHABET(three, 0), CLRADIO_ERROR_UNSUPPORTED, "power of two");
    REFUSE(ALPHABET(three, 1), CLRADIO_ERROR_UNSUPPORTED, "power of two");
    REFUSE(ALPHABET(three, UINT32_MAX), CLRADIO_ERROR_UNSUPPORTED, "power of two");
    REFUSE(ALPHABET(loud, 2), CLRADIO_ERROR_ARGUMENT, "energy");
    REFUSE(ALPHABET(broken, 2), CLRADIO_ERROR_ARGUMENT, "energy");
}

static void bad_taps_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_tap tap = { 1e-7, 1, 0 };
#define TAPS(count, carriers, spacing)                                                             \
    config.taps = &tap;                                                                            \
    config.tap_count = count;                                                                      \
    config.subcarriers = carriers;                                                                 \
    config.subcarrier_spacing_hz = spacing
    REFUSE(TAPS(0, 12, 15e3), CLRADIO_ERROR_ARGUMENT, "tap_count");
    REFUSE(TAPS(1025, 12, 15e3), CLRADIO_ERROR_ARGUMENT, "tap_count");
    REFUSE(TAPS(1, 0, 15e3), CLRADIO_ERROR_ARGUMENT, "subcarriers");
    REFUSE(TAPS(1, 65537, 15e3), CLRADIO_ERROR_ARGUMENT, "subcarriers");
    REFUSE(TAPS(1, 12, 0), CLRADIO_ERROR_ARGUMENT, "spacing");
    REFUSE(TAPS(1, 12, NAN), CLRADIO_ERROR_ARGUMENT, "spacing");
    tap.delay_s = -1e-9;
    REFUSE(TAPS(1, 12, 15e3), CLRADIO_ERROR_ARGUMENT, "tap 0");
    tap = (clradio_montecarlo_tap){ 0, -1, 0 };
    REFUSE(TAPS(1, 12, 15e3), CLRADIO_ERROR_ARGUMENT, "tap 0");
    tap = (clradio_montecarlo_tap){ 0, 0, INFINITY };
    REFUSE(TAPS(1, 12, 15e3), CLRADIO_ERROR_ARGUMENT, "tap 0");
    tap = (clradio_montecarlo_tap){ 0, 0, 0 };
    REFUSE(TAPS(1, 12, 15e3), CLRADIO_ERROR_ARGUMENT, "no power");
}

static void bad_correlations_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    double matrix[2 * 16];
    for (int broken = 0; broken < 5; broken++) {
        assert_ok(clradio_exponential_correlation(4, 0.5, matrix));
        if (broken == 0)
            matrix[2 * 1] = 0.4; /* [0][1] is no longer conj [1][0] */
        if (broken == 1)
            matrix[2 * 5] = 1.5; /* [1][1] */
        if (broken == 2)
            matrix[2 * 0 + 1] = 0.5; /* a diagonal that is not real */
        if (broken == 3)
            matrix[2 * 7] = NAN;
        if (broken == 4)
            matrix[2 * 1] = matrix[2 * 4] = 1.2; /* not positive definite */
        static const char *const words[5] = { "not Hermitian", "diagonal", "not Hermitian",
                                              "not Hermitian", "positive definite" };
        REFUSE(config.receive_correlation = matrix, CLRADIO_ERROR_ARGUMENT, words[broken]);
        REFUSE(config.transmit_correlation = matrix, CLRADIO_ERROR_ARGUMENT, words[broken]);
    }
}

/* ---- calls ---- */

static void bad_calls_are_refused_with_a_sentence(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = usual();
    clradio_montecarlo *plan;
    clradio_queue *queue;
    clradio_buffer *buffer;
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    /* 256 vectors: 1,024 bytes of symbols, 32,768 of channel, 8,192 received */
    assert_ok(clradio_buffer_create(device, 100000, &buffer));
#define REFUSE_CALL(change, word)                                                                  \
    do {                                                                                           \
        clradio_montecarlo_io io = CLRADIO_MONTECARLO_IO_INIT;                                     \
        clradio_event *done = (clradio_event *)&io;                                                \
        io.symbols = (clradio_span){ buffer, 0 };                                                  \
        io.channel = (clradio_span){ buffer, 1024 };                                               \
        io.received = (clradio_span){ buffer, 40000 };                                             \
        io.vectors_count = 256;                                                                    \
        change;                                                                                    \
        assert_int_equal(clradio_montecarlo_enqueue(plan, queue, &io, 0, NULL, &done),             \
                         CLRADIO_ERROR_ARGUMENT);                                                  \
        assert_null(done);                                                                         \
        assert_non_null(strstr(clradio_last_error(), word));                                       \
    } while (0)
    REFUSE_CALL(io.struct_size = 1, "struct_size");
    REFUSE_CALL(io.vectors_count = 257, "at most 256");
    REFUSE_CALL(io.first_vector = UINT64_MAX - 100, "64 bits");
    REFUSE_CALL(io.noise_variance = -1, "noise_variance");
    REFUSE_CALL(io.noise_variance = NAN, "noise_variance");
    REFUSE_CALL(io.channel.buffer = NULL, "needs");
    REFUSE_CALL(io.symbols.buffer = NULL, "needs");
    REFUSE_CALL((io.channel.buffer = io.received.buffer = NULL, io.estimate.buffer = buffer),
                "needs io.channel");
    REFUSE_CALL(io.received.offset = 40001, "multiple");
    REFUSE_CALL(io.received.offset = 96000, "its buffer has");
    REFUSE_CALL(io.received.offset = 30000, "received");
    REFUSE_CALL(io.symbols.offset = 2048, "symbols");
    REFUSE_CALL(io.estimate = io.channel, "estimate");
    assert_int_equal(clradio_montecarlo_enqueue(NULL, queue, NULL, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    clradio_montecarlo_point point = CLRADIO_MONTECARLO_POINT_INIT;
    assert_int_equal(clradio_montecarlo_run(plan, &point), CLRADIO_ERROR_STATE);
    assert_non_null(strstr(clradio_last_error(), "GENERATE_ONLY"));
    clradio_buffer_destroy(buffer);
    clradio_queue_destroy(queue);
    clradio_montecarlo_destroy(plan);
}

static void memory_is_counted_and_given_back(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = usual();
    uint64_t before, now, peak;
    clradio_device_memory_used(device, &before, &peak);
    clradio_montecarlo *plan;
    clradio_montecarlo_info info = CLRADIO_MONTECARLO_INFO_INIT;
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
    assert_ok(clradio_montecarlo_get_info(plan, &info));
    clradio_device_memory_used(device, &now, &peak);
    assert_int_equal(now - before, info.memory_bytes);
    clradio_montecarlo_destroy(plan);
    clradio_device_memory_used(device, &now, &peak);
    assert_int_equal(now, before);
    config.detector.memory_limit = info.memory_bytes;
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
    clradio_montecarlo_destroy(plan);
    config.detector.memory_limit = info.memory_bytes - 1;
    refuse(device, &config, CLRADIO_ERROR_LIMIT, "memory_limit");
    clradio_montecarlo_destroy(NULL);
}

/* Whole blocks, or a power of two below one. */
static void vectors_are_rounded_down(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t asked[] = { 1, 3, 256, 300, 65535, 65536, 65537, 200000 };
    static const uint64_t given[] = { 1, 2, 256, 256, 32768, 65536, 65536, 196608 };
    for (int i = 0; i < 8; i++) {
        clradio_montecarlo_config config = usual();
        config.detector.vectors = asked[i];
        clradio_montecarlo *plan;
        clradio_montecarlo_info info = CLRADIO_MONTECARLO_INFO_INIT;
        assert_ok(clradio_montecarlo_create(device, &config, &plan));
        assert_ok(clradio_montecarlo_get_info(plan, &info));
        assert_int_equal(info.vectors, given[i]);
        info.struct_size = 3;
        assert_int_equal(clradio_montecarlo_get_info(plan, &info), CLRADIO_ERROR_ARGUMENT);
        clradio_montecarlo_destroy(plan);
    }
}

static void a_second_plan_of_other_sizes_builds_nothing(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = usual();
    clradio_montecarlo *first, *second;
    uint64_t built, loaded, built_then, loaded_then;
    assert_ok(clradio_montecarlo_create(device, &config, &first));
    clradio_device_build_count(device, &built, &loaded);
    config = generate_only(7, 9, CLRADIO_QAM256, 64);
    config.estimation_error = 0.5;
    assert_ok(clradio_montecarlo_create(device, &config, &second));
    clradio_device_build_count(device, &built_then, &loaded_then);
    assert_int_equal(built_then + loaded_then, built + loaded);
    clradio_montecarlo_destroy(first);
    clradio_montecarlo_destroy(second);
}

/* On an out-of-order queue a call waits for what it is told to and its event covers all of it. */
static void wait_list_and_event_frame_the_call(void **state)
{
    only_on_opencl(state);
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = usual();
    clradio_montecarlo *plan;
    clradio_queue *queue;
    clradio_buffer *buffer;
    clradio_event *filled, *done;
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
    assert_ok(clradio_queue_create(device, CLRADIO_QUEUE_OUT_OF_ORDER, &queue));
    assert_ok(clradio_buffer_create(device, 1024 + 32768 + 8192, &buffer));
    float *received = malloc(8192);
    made_vectors expected = make_on_host(plan, 5, 0.5, 99, 256);
    for (int repeat = 0; repeat < 5; repeat++) {
        const clradio_span whole = { buffer, 0 };
        assert_ok(clradio_buffer_fill(queue, whole, 0xff, 1024 + 32768 + 8192, 0, NULL, &filled));
        clradio_montecarlo_io io = CLRADIO_MONTECARLO_IO_INIT;
        io.symbols = (clradio_span){ buffer, 0 };
        io.channel = (clradio_span){ buffer, 1024 };
        io.received = (clradio_span){ buffer, 1024 + 32768 };
        io.point = 5;
        io.noise_variance = 0.5;
        io.first_vector = 99;
        io.vectors_count = 256;
        assert_ok(clradio_montecarlo_enqueue(plan, queue, &io, 1, &filled, &done));
        assert_ok(clradio_buffer_read(queue, io.received, received, 8192, 1, &done, NULL));
        assert_memory_equal(received, expected.received, 8192);
        clradio_event_destroy(filled);
        clradio_event_destroy(done);
    }
    free(received);
    free_vectors(&expected);
    clradio_buffer_destroy(buffer);
    clradio_queue_destroy(queue);
    clradio_montecarlo_destroy(plan);
}

static void one_vector_by_itself_is_refused_when_it_cannot_be(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_montecarlo_config config = usual();
    clradio_montecarlo *plan;
    float received[8];
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
    assert_ok(clradio_montecarlo_vector(plan, 1, 0, 2, NULL, NULL, NULL, received));
    assert_ok(clradio_montecarlo_vector(plan, 1, 0, 2, NULL, NULL, NULL, NULL));
    assert_int_equal(clradio_montecarlo_vector(NULL, 1, 0, 2, NULL, NULL, NULL, received),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_montecarlo_vector(plan, 1, -1, 2, NULL, NULL, NULL, received),
                     CLRADIO_ERROR_ARGUMENT);
    clradio_montecarlo_destroy(plan);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(a_bad_link_is_refused_with_a_sentence),
        DEVICE_TEST(bad_alphabets_are_refused),
        DEVICE_TEST(bad_taps_are_refused),
        DEVICE_TEST(bad_correlations_are_refused),
        DEVICE_TEST(bad_calls_are_refused_with_a_sentence),
        DEVICE_TEST(memory_is_counted_and_given_back),
        DEVICE_TEST(vectors_are_rounded_down),
        DEVICE_TEST(a_second_plan_of_other_sizes_builds_nothing),
        DEVICE_TEST(wait_list_and_event_frame_the_call),
        DEVICE_TEST(one_vector_by_itself_is_refused_when_it_cannot_be),
    };
    return run_device_tests("montecarlo_limits", NULL, 0, tests, sizeof tests / sizeof *tests);
}
