/* Detector: the second pass in pairs of floats, as devices without double have it. Vectors are made
 * whose two best symbol vectors are nearer to one another than floats can tell. */
#include "detector_support.h"

#include "device/backend.h"

#include <math.h>
#include <string.h>

/* A neighbour of a label: another point of the stream, the nearest to it. */
static void nearest_other(clradio_modulation modulation, uint32_t label, double point[2])
{
    double from[2], least = INFINITY;
    assert_ok(clradio_modulation_point(modulation, label, 0, from));
    for (uint32_t other = 0; other < 1u << clradio_modulation_bits(modulation); other++) {
        double to[2];
        assert_ok(clradio_modulation_point(modulation, other, 0, to));
        const double apart = hypot(to[0] - from[0], to[1] - from[1]);
        if (other != label && apart < least * 0.999) {
            least = apart;
            memcpy(point, to, sizeof to);
        }
    }
}

/*
 * What is received lies in the middle between what was sent and a neighbour of it, in one stream:
 * the two are as far from it, but for the rounding of y to float, and so is every other symbol
 * vector and its mirror image.
 */
static void receive_the_middle(detector_data *data)
{
    const uint32_t tx = data->config.transmit, rx = data->config.receive;
    for (uint64_t n = 0; n < data->count; n++) {
        double s[2 * 16];
        for (uint32_t t = 0; t < tx; t++) {
            const clradio_modulation modulation = clr_detector_modulation(&data->config, t);
            const uint32_t label = data->sent[n * tx + t];
            double other[2];
            assert_ok(clradio_modulation_point(modulation, label, 0, s + 2 * t));
            if (t != n % tx)
                continue;
            nearest_other(modulation, label, other);
            s[2 * t] = (s[2 * t] + other[0]) / 2;
            s[2 * t + 1] = (s[2 * t + 1] + other[1]) / 2;
        }
        for (uint32_t i = 0; i < rx; i++) {
            double re = 0, im = 0;
            for (uint32_t t = 0; t < tx; t++) {
                const float *h = data->channel + 2 * ((n * rx + i) * tx + t);
                re += h[0] * s[2 * t] - h[1] * s[2 * t + 1];
                im += h[0] * s[2 * t + 1] + h[1] * s[2 * t];
            }
            data->received[2 * (n * rx + i)] = (float)re;
            data->received[2 * (n * rx + i) + 1] = (float)im;
        }
    }
}

static detector_data *middles(const clradio_detector_config *config, uint64_t seed)
{
    detector_data *data = detector_random(config, 60, seed);
    receive_the_middle(data);
    return data;
}

/* Most go to the second pass; it certifies nearly all of them, and their symbols are those of the
 * double reference. */
static void expect_certified(clradio_device *device, const clradio_detector_config *config,
                             uint64_t seed)
{
    detector_data *data = middles(config, seed);
    detector_answers *got = detector_answers_of(device, config, data, 0);
    detector_answers *wanted = detector_reference_answers(data, 0);
    const uint64_t exact = detector_compare_exact(data, got, wanted);
    print_message("# %d of %d vectors decided again, %d exact\n", (int)got->statistics.again,
                  (int)data->count, (int)exact);
    assert_true(got->statistics.again * 2 > data->count);
    assert_true(exact * 100 >= data->count * 98);
    for (uint64_t n = 0; n < data->count; n++)
        assert_true(fabs(got->metric[n] - wanted->metric[n]) <= 1e-4 * wanted->metric[n] + 1e-6);
    detector_answers_free(got);
    detector_answers_free(wanted);
    detector_data_free(data);
}

static void pairs_of_floats_tell_apart_what_floats_cannot(void **state)
{
    static const clradio_modulation mixed[] = { CLRADIO_QAM64, CLRADIO_BPSK, CLRADIO_PAM4 };
    static const struct {
        uint32_t streams, receive;
        clradio_modulation modulation;
        const char *parameters;
    } cases[] = {
        { 2, 2, CLRADIO_QPSK, "COMPENSATED=1" },
        { 4, 4, CLRADIO_QAM16, "COMPENSATED=1" },
        { 4, 4, CLRADIO_QAM256, "COMPENSATED=1 DESCENT=2" },
        { 2, 3, CLRADIO_QAM1024, "COMPENSATED=1 STACK=0" },
        { 3, 5, CLRADIO_MODULATION_NONE, "COMPENSATED=1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clradio_modulation modulation = cases[i].modulation;
        clradio_detector_config config =
            detector_config(cases[i].streams, cases[i].receive,
                            modulation ? modulation : CLRADIO_QPSK, test_small() ? 20 : 400);
        config.vectors_per_channel = 1;
        config.parameters = cases[i].parameters;
        if (!modulation)
            config.stream_modulations = mixed;
        expect_certified(device_under_test(state), &config, 60 + i);
    }
}

/* Equal columns: what is a tie for any arithmetic is not called exact by pairs of floats, but left
 * to the host, which takes the smaller label vector. */
static void a_tie_is_left_to_double(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_detector_config config = detector_config(2, 2, CLRADIO_QAM16, 20);
    config.vectors_per_channel = 1;
    config.parameters = "COMPENSATED=1";
    detector_data *data = middles(&config, 70);
    int ties = 0;
    for (uint64_t n = 0; n < data->count; n++)
        for (int i = 0; i < 2; i++)
            memcpy(data->channel + 8 * n + 4 * i + 2, data->channel + 8 * n + 4 * i,
                   2 * sizeof(float));
    detector_answers *got = detector_answers_of(device, &config, data, 0);
    detector_answers *wanted = detector_reference_answers(data, 0);
    detector_compare_exact(data, got, wanted);
    for (uint64_t n = 0; n < data->count; n++) {
        const int differ = wanted->labels[2 * n] != wanted->labels[2 * n + 1];
        if (differ) /* the streams exchanged are as good */
            assert_int_equal(got->status[n], CLRADIO_DETECTED_THIN);
        ties += differ;
    }
    assert_true(ties > 5);
    detector_answers_free(got);
    detector_answers_free(wanted);
    detector_data_free(data);
}

/* Without double it is what a device does by itself, in every kernel; with a covariance, which
 * whitens in floats there, the host decides. */
static void a_device_without_double_certifies_too(void **state)
{
    clradio_device *device = device_under_test(state);
    const int had = device->info.fp64;
    device->info.fp64 = 0;
    clradio_detector_config config = detector_config(4, 4, CLRADIO_QAM64, test_small() ? 20 : 400);
    config.vectors_per_channel = 1;
    clradio_detector *plan;
    clradio_detector_info info = CLRADIO_DETECTOR_INFO_INIT;
    assert_ok(clradio_detector_create(device, &config, &plan));
    assert_ok(clradio_detector_get_info(plan, &info));
    assert_non_null(strstr(info.parameters, "COMPENSATED=1"));
    clradio_detector_destroy(plan);
    expect_certified(device, &config, 80);
    config.noise = CLRADIO_NOISE_COVARIANCE;
    assert_ok(clradio_detector_create(device, &config, &plan));
    assert_ok(clradio_detector_get_info(plan, &info));
    assert_non_null(strstr(info.parameters, "COMPENSATED=0"));
    clradio_detector_destroy(plan);
    config.parameters = "COMPENSATED=1";
    assert_int_equal(clradio_detector_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "COMPENSATED"));
    device->info.fp64 = had;
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(pairs_of_floats_tell_apart_what_floats_cannot),
        DEVICE_TEST(a_tie_is_left_to_double),
        DEVICE_TEST(a_device_without_double_certifies_too),
    };
    return run_device_tests("detector compensated", NULL, 0, tests, sizeof tests / sizeof *tests);
}
