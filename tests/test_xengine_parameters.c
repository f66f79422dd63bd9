/* X-engine: parameter strings, their constraints and sentences, the parameter space, bad calls. */
#include "xengine_support.h"

#include "engine/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void strings_are_read_strictly(void **state)
{
    static const clr_parameter table[] = { { "W", 1, 64 }, { "SPLIT_T", 0, 100 } };
    static const struct {
        const char *text, *sentence;
    } bad[] = {
        { "SPLITT=1", "did you mean 'SPLIT_T'" },
        { "W", "needs a value" },
        { "W=", "not a whole number" },
        { "W=4x", "not a whole number" },
        { "W=0", "out of range" },
        { "W=65", "out of range" },
        { "W=1 W=1", "given twice" },
        { "Completely_different=1", "there are W, SPLIT_T" },
    };
    int64_t values[2] = { 7, 8 };
    int given[2];
    char text[64];
    (void)state;
    assert_ok(clr_parameters_read(table, 2, " SPLIT_T=3,  ", values, given));
    assert_int_equal(values[0], 7);
    assert_int_equal(values[1], 3);
    assert_false(given[0]);
    assert_true(given[1]);
    assert_string_equal(clr_parameters_write(table, 2, values, NULL, text, sizeof text),
                        "W=7 SPLIT_T=3");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(clr_parameters_read(table, 2, bad[i].text, values, given),
                         CLRADIO_ERROR_ARGUMENT);
        assert_non_null(strstr(clradio_last_error(), bad[i].sentence));
    }
}

static void expect_refusal(clradio_device *device, const clradio_xengine_config *config,
                           clradio_status status, const char *sentence)
{
    clradio_xengine *plan = NULL;
    assert_int_equal(clradio_xengine_create(device, config, &plan), status);
    assert_null(plan);
    if (!strstr(clradio_last_error(), sentence))
        fprintf(stderr, "# '%s' lacks '%s'\n", clradio_last_error(), sentence);
    assert_non_null(strstr(clradio_last_error(), sentence));
}

static void constraints_have_their_sentences(void **state)
{
    static const struct {
        const char *text, *sentence;
    } bad[] = {
        { "Q=1", "there is no parameter 'Q'" },
        { "T_STAG=8", "did you mean 'T_STAGE'" },
        { "W=20 Dx=8", "W=20 is not a multiple of Dx=8" },
        { "W=16 Bx=4 Dx=2", "W=16 is not Bx Dx = 4 x 2" },
        { "Bx=3 Dx=2 By=2 Dy=2", "one must be a multiple of the other" },
        { "Dx=32 Dy=32 Bx=1 By=1", "sums a work-item" },
        { "RUN=7 T_STAGE=4", "RUN=7 is not a multiple of T_STAGE=4" },
        { "Bx=64 By=64 Dx=16 Dy=8 T_STAGE=64 STRIDED=0", "bytes of local memory|a work-group of" },
        { "W=2048 Dx=32 Dy=1", "out of range" },
        { "T_STAGE=-1", "out of range" },
        { "FLOAT=2", "out of range" },
    };
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 4, 2, 1, 8);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        config.parameters = bad[i].text;
        const char *either = strchr(bad[i].sentence, '|');
        clradio_xengine *plan = NULL;
        assert_int_equal(clradio_xengine_create(device, &config, &plan), CLRADIO_ERROR_ARGUMENT);
        assert_null(plan);
        char first[64];
        snprintf(first, sizeof first, "%.*s",
                 (int)(either ? either - bad[i].sentence : (long)strlen(bad[i].sentence)),
                 bad[i].sentence);
        if (!strstr(clradio_last_error(), first) &&
            !(either && strstr(clradio_last_error(), either + 1)))
            fail_msg("%s: '%s'", bad[i].text, clradio_last_error());
    }
    config.input = CLRADIO_CI16;
    config.parameters = "FLOAT=1";
    expect_refusal(device, &config, CLRADIO_ERROR_ARGUMENT, "FLOAT=1 is for ci8 and ci4");
    config.parameters = NULL;
    config.variant = "tiel";
    expect_refusal(device, &config, CLRADIO_ERROR_ARGUMENT, "did you mean 'tile'");
}

static void configurations_that_cannot_be_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    const clradio_xengine_config good = xengine_config(CLRADIO_CI8, 4, 2, 1, 8);
#define REFUSED(change, sentence)                                                                  \
    do {                                                                                           \
        clradio_xengine_config config = good;                                                      \
        config.change;                                                                             \
        expect_refusal(device, &config, CLRADIO_ERROR_ARGUMENT, sentence);                         \
    } while (0)
    REFUSED(stations = 0, "stations is 0");
    REFUSED(polarisations = 3, "polarisations is 3");
    REFUSED(channels = 0, "channels is 0");
    REFUSED(spectra = 0, "spectra is 0");
    REFUSED(input = CLRADIO_CF64, "input type cf64");
    REFUSED(output = CLRADIO_CI8, "output type ci8");
    REFUSED(order = (clradio_order)6, "order is 6");
    REFUSED(flags = 8, "config.flags");
    REFUSED(struct_size = 3, "config.struct_size is 3");
    REFUSED(spectra = UINT64_MAX, "do not fit 64 bits");
    REFUSED(stations = 4000000000u, "stations is 4000000000");
    REFUSED(ci4_coding = 0; config.input = CLRADIO_CF32;
            config.output = CLRADIO_CI32, "does not go with cf32 input");
    REFUSED(input = CLRADIO_CI4; config.ci4_coding = 4, "ci4_coding is 4");
#undef REFUSED
    assert_int_equal(clradio_xengine_create(NULL, &good, NULL), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_xengine_visibilities_bytes(&good), 10 * 4 * 16);
}

static void calls_that_cannot_be_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 4, 1, 1, 8);
    clradio_xengine *plan;
    clradio_queue *queue;
    clradio_buffer *input, *output;
    assert_ok(clradio_xengine_create(device, &config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, 8 * 4 * 2, &input));
    assert_ok(clradio_buffer_create(device, 10 * 16, &output));
    clradio_xengine_io good = CLRADIO_XENGINE_IO_INIT;
    good.spectra.buffer = input;
    good.visibilities.buffer = output;
    good.spectra_count = 8;
#define REFUSED(change, sentence)                                                                  \
    do {                                                                                           \
        clradio_xengine_io io = good;                                                              \
        clradio_event *event = (clradio_event *)&io;                                               \
        io.change;                                                                                 \
        assert_int_equal(clradio_xengine_enqueue(plan, queue, &io, 0, NULL, &event),               \
                         CLRADIO_ERROR_ARGUMENT);                                                  \
        assert_null(event);                                                                        \
        assert_non_null(strstr(clradio_last_error(), sentence));                                   \
    } while (0)
    REFUSED(struct_size = 0, "io.struct_size");
    REFUSED(spectra_count = 9, "9 spectra in one call");
    REFUSED(spectra.buffer = NULL, "io.spectra has no buffer");
    REFUSED(visibilities.buffer = NULL, "io.visibilities has no buffer");
    REFUSED(spectra.offset = 2, "io.spectra needs 64 bytes");
    REFUSED(spectra.offset = 1, "no multiple");
    REFUSED(spectra.offset = UINT64_MAX - 1, "io.spectra needs");
    REFUSED(visibilities.offset = 16, "io.visibilities needs 160 bytes");
    REFUSED(flags = 16, "io.flags");
    REFUSED(spectra = io.visibilities, "io.visibilities and io.spectra overlap");
    REFUSED(overflow = ((clradio_span){ output, 156 }), "io.visibilities and io.overflow overlap");
    REFUSED(overflow = ((clradio_span){ input, 60 }), "io.overflow and io.spectra overlap");
#undef REFUSED
    assert_ok(clradio_xengine_enqueue(plan, queue, &good, 0, NULL, NULL));
    assert_ok(clradio_queue_finish(queue));
    clradio_xengine_destroy(plan);
    config.flags = CLRADIO_XENGINE_SINGLE_CALL;
    assert_ok(clradio_xengine_create(device, &config, &plan));
    good.flags = CLRADIO_ACCUMULATE | CLRADIO_DUMP;
    assert_int_equal(clradio_xengine_enqueue(plan, queue, &good, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    good.flags = 0;
    assert_int_equal(clradio_xengine_enqueue(plan, queue, &good, 0, NULL, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    clradio_xengine_destroy(plan);
    clradio_buffer_destroy(input);
    clradio_buffer_destroy(output);
    clradio_queue_destroy(queue);
}

/* The legal shapes among small edges, each built and compared; all of them in the long test. */
static void shapes_of_the_parameter_space_are_right(void **state)
{
    static const int edges[] = { 1, 2, 3, 4, 8, 16 };
    clradio_device *device = device_under_test(state);
    uint64_t seed = 77;
    int legal = 0, tried = 0;
    for (int n = 0; n < 6 * 6 * 6 * 6 * 2; n++) {
        const int bx = edges[n % 6], by = edges[n / 6 % 6], dx = edges[n / 36 % 6],
                  dy = edges[n / 216 % 6], strided = n / 1296;
        const int wx = bx * dx, wy = by * dy;
        if ((wx % wy && wy % wx) || dx * dy * 4 > (strided ? 128 : 512) || wx + wy > 96)
            continue;
        legal++;
        if (!test_long() && test_random(&seed) % 110)
            continue;
        char text[128];
        const int stage = (int)test_random_between(&seed, 1, 9);
        snprintf(text, sizeof text,
                 "Bx=%d By=%d Dx=%d Dy=%d STRIDED=%d T_STAGE=%d RUN=%d FLOAT=%d SPLIT_T=%d", bx, by,
                 dx, dy, strided, stage, stage * (int)test_random_between(&seed, 0, 3),
                 (int)(test_random(&seed) % 2), (int)test_random_between(&seed, 0, 3));
        clradio_xengine_config config =
            xengine_config(CLRADIO_CI8, (uint32_t)(wx > wy ? wx : wy) + 2, 2, 2, 13);
        config.parameters = text;
        tried += xengine_expect_reference(device, &config, seed);
    }
    assert_true(legal > 1000);
    assert_true(tried > 2);
}

int main(void)
{
    static const struct CMUnitTest plain[] = { cmocka_unit_test(strings_are_read_strictly) };
    static const device_test tests[] = {
        DEVICE_TEST(constraints_have_their_sentences),
        DEVICE_TEST(configurations_that_cannot_be_are_refused),
        DEVICE_TEST(calls_that_cannot_be_are_refused),
        DEVICE_TEST_SLOW(shapes_of_the_parameter_space_are_right),
    };
    return run_device_tests("xengine_parameters", plain, 1, tests, sizeof tests / sizeof *tests);
}
