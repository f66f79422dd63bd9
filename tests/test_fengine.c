/* The F-engine against its double reference: types, windows, taps, lengths, history, masks. */
#include "fengine_support.h"

#include "engine/fengine_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const clradio_type types[] = { CLRADIO_I8,  CLRADIO_I16,  CLRADIO_F32,
                                      CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF32 };
enum { TYPES = sizeof types / sizeof *types };

static clradio_fengine_config config_of(clradio_type input, uint32_t channels, uint32_t taps)
{
    clradio_fengine_config config = CLRADIO_FENGINE_CONFIG_INIT;
    config.stations = 3;
    config.polarisations = 2;
    config.channels = channels;
    config.taps = taps;
    config.window = CLRADIO_WINDOW_HAMMING;
    config.input = input;
    config.spectra = 40;
    return config;
}

static void assert_close(clradio_device *device, const clradio_fengine_config *config,
                         uint64_t blocks)
{
    double error = error_of(device, config, blocks, config->channels * 31 + config->taps);
    if (!(error <= error_bound(config)))
        fail_msg("%s, %u channels, %u taps, %u bands, window %d: error %g above %g",
                 clradio_type_name(config->input), config->channels, config->taps, config->bands,
                 (int)config->window, error, error_bound(config));
}

static void every_type_of_voltage_agrees_with_the_double_reference(void **state)
{
    for (size_t i = 0; i < TYPES; i++) {
        clradio_fengine_config config = config_of(types[i], 16, 4);
        assert_close(device_under_test(state), &config, 12);
    }
}

static void every_window_with_1_to_16_taps_agrees_with_the_double_reference(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_fengine_config config = config_of(CLRADIO_CI8, 8, 1);
    clradio_fengine *keeper; /* keeps clFFT's programs alive over the many plans */
    assert_ok(clradio_fengine_create(device, &config, &keeper));
    for (uint32_t taps = 1; taps <= 16; taps += test_small() ? 5 : 1)
        for (int window = CLRADIO_WINDOW_RECTANGULAR; window <= CLRADIO_WINDOW_KAISER; window++) {
            config.taps = taps;
            config.window = (clradio_window)window;
            assert_close(device, &config, taps + 3);
        }
    clradio_fengine_destroy(keeper);
}

static int smooth(uint32_t n)
{
    for (uint32_t p = 2; p <= 13; p++)
        while (n % p == 0)
            n /= p;
    return n == 1;
}

static void check_length(clradio_device *device, clradio_type input, uint32_t channels)
{
    clradio_fengine_config config = config_of(input, channels, 2);
    config.stations = 1;
    /* cuFFT and VkFFT take every length. */
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    if (smooth(channels) || !HAVE_CLFFT || !strcmp(info.back_end, "cuda")) {
        assert_close(device, &config, 5);
        return;
    }
    clradio_fengine *plan = (clradio_fengine *)&config; /* must be overwritten with NULL */
    assert_int_equal(clradio_fengine_create(device, &config, &plan), CLRADIO_ERROR_UNSUPPORTED);
    assert_null(plan);
    assert_non_null(strstr(clradio_last_error(), "2, 3, 5, 7, 11 and 13"));
}

static void every_number_of_channels_up_to_32_works_or_is_refused_with_a_sentence(void **state)
{
    for (uint32_t channels = 1; channels <= (test_small() ? 8 : 32); channels++)
        check_length(device_under_test(state), CLRADIO_CI8, channels);
    check_length(device_under_test(state), CLRADIO_CI16, 37);
}

static void real_voltages_take_odd_even_and_single_channels(void **state)
{
    for (uint32_t channels = 1; channels <= (test_small() ? 5 : 14); channels++)
        check_length(device_under_test(state), CLRADIO_I8, channels);
}

static void long_and_odd_lengths_agree_with_the_double_reference(void **state)
{
    /* 2310 and 8192 are done by clFFT in several steps with a second buffer. */
    static const uint32_t lengths[] = { 45, 91, 121, 169, 343, 1000, 1024, 1001, 1200, 2310, 8192 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_length(device_under_test(state), CLRADIO_CI8, lengths[i]);
    check_length(device_under_test(state), CLRADIO_I16, 1000);
    check_length(device_under_test(state), CLRADIO_F32, 4096);
}

static void any_number_of_stations_polarisations_and_bands_works(void **state)
{
    static const uint32_t shapes[][3] = { { 1, 1, 1 },  { 1, 2, 3 },  { 2, 1, 5 },  { 5, 2, 1 },
                                          { 7, 1, 3 },  { 16, 2, 1 }, { 17, 2, 2 }, { 33, 1, 3 },
                                          { 65, 2, 1 }, { 1, 1, 40 } };
    clradio_device *device = device_under_test(state);
    for (int real = 0; real < 2; real++) {
        clradio_fengine_config config = config_of(real ? CLRADIO_I8 : CLRADIO_CI8, 6, 3);
        clradio_fengine *keeper;
        assert_ok(clradio_fengine_create(device, &config, &keeper));
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            config.stations = shapes[i][0];
            config.polarisations = shapes[i][1];
            config.bands = shapes[i][2];
            config.reversed = (int)(i & 1);
            assert_close(device, &config, test_small() ? 4 : 9);
        }
        clradio_fengine_destroy(keeper);
    }
}

static void many_short_calls_give_the_bits_of_one_long_call(void **state)
{
    static const uint64_t one[] = { 29 };
    static const uint64_t singles[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    static const uint64_t mixed[] = { 2, 0, 1, 7, 3, 0, 11, 1, 4 };
    clradio_device *device = device_under_test(state);
    for (uint32_t taps = 1; taps <= 9; taps += 4) {
        clradio_fengine_config config = config_of(taps == 5 ? CLRADIO_I16 : CLRADIO_CI8, 12, taps);
        config.bands = 2;
        uint64_t out, out_singles, out_mixed;
        void *voltages = random_voltages(&config, 29, taps);
        float *long_call = run_calls(device, &config, voltages, NULL, one, 1, &out);
        float *by_ones = run_calls(device, &config, voltages, NULL, singles, 29, &out_singles);
        float *by_some = run_calls(device, &config, voltages, NULL, mixed, 9, &out_mixed);
        assert_int_equal(out, 29 - (taps - 1));
        assert_memory_equal(long_call, by_ones, values_of(&config, out) * 8);
        assert_memory_equal(long_call, by_some, values_of(&config, out) * 8);
        free(voltages);
        free(long_call);
        free(by_ones);
        free(by_some);
    }
}

static void a_masked_spectrum_is_exactly_zero_and_the_others_keep_their_bits(void **state)
{
    clradio_fengine_config config = config_of(CLRADIO_CF32, 10, 3);
    config.bands = 2;
    uint64_t blocks = 9, out, seed = 5, inputs = 6, values = values_of(&config, 1);
    float *voltages = random_voltages(&config, blocks, 77);
    uint8_t valid[9 * 6];
    for (size_t i = 0; i < sizeof valid; i++)
        valid[i] = test_random(&seed) % 3 ? (uint8_t)(test_random(&seed) | 1) : 0;
    float *plain = run_calls(device_under_test(state), &config, voltages, NULL, &blocks, 1, &out);
    /* Input 0 of the first spectrum is not a number; that spectrum is masked. */
    valid[0] = 0;
    voltages[0] = NAN;
    const uint64_t counts[] = { 4, 5 };
    float *masked = run_calls(device_under_test(state), &config, voltages, valid, counts, 2, &out);
    static const float zero[2] = { 0.0f, 0.0f };
    for (uint64_t i = 0; i < out * values; i++) {
        int good = valid[i / values * inputs + i % inputs] != 0;
        assert_memory_equal(&masked[2 * i], good ? &plain[2 * i] : zero, 8);
    }
    free(voltages);
    free(plain);
    free(masked);
}

static void a_call_of_nothing_gives_nothing_and_a_reset_forgets_the_history(void **state)
{
    clradio_fengine_config config = config_of(CLRADIO_CI8, 4, 3);
    clradio_fengine *plan;
    clradio_queue *queue;
    clradio_fengine_io io = CLRADIO_FENGINE_IO_INIT;
    clradio_event *done;
    clradio_fengine_info info = CLRADIO_FENGINE_INFO_INIT;
    assert_ok(clradio_fengine_create(device_under_test(state), &config, &plan));
    assert_ok(clradio_queue_create(device_under_test(state), 0, &queue));
    assert_ok(clradio_fengine_enqueue(plan, queue, &io, 0, NULL, &done));
    assert_ok(clradio_event_wait(done));
    clradio_event_destroy(done);
    assert_ok(clradio_buffer_create(device_under_test(state), 4 * 6 * 2 * 4, &io.voltages.buffer));
    assert_ok(clradio_buffer_fill(queue, io.voltages, 1, 4 * 6 * 2 * 4, 0, NULL, NULL));
    assert_int_equal(clradio_fengine_spectra_out(plan, 1), 0);
    io.spectra_count = 1;
    assert_ok(clradio_fengine_enqueue(plan, queue, &io, 0, NULL, NULL));
    assert_int_equal(clradio_fengine_spectra_out(plan, 2), 1);
    assert_ok(clradio_fengine_get_info(plan, &info));
    assert_int_equal(info.history_spectra, 1);
    assert_int_equal(info.transform_length, 4);
    assert_ok(clradio_fengine_reset(plan));
    assert_int_equal(clradio_fengine_spectra_out(plan, 2), 0);
    assert_ok(clradio_queue_finish(queue));
    clradio_buffer_destroy(io.voltages.buffer);
    clradio_queue_destroy(queue);
    clradio_fengine_destroy(plan);
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(every_type_of_voltage_agrees_with_the_double_reference),
        DEVICE_TEST(every_window_with_1_to_16_taps_agrees_with_the_double_reference),
        DEVICE_TEST(every_number_of_channels_up_to_32_works_or_is_refused_with_a_sentence),
        DEVICE_TEST(real_voltages_take_odd_even_and_single_channels),
        DEVICE_TEST_SLOW(long_and_odd_lengths_agree_with_the_double_reference),
        DEVICE_TEST(any_number_of_stations_polarisations_and_bands_works),
        DEVICE_TEST(many_short_calls_give_the_bits_of_one_long_call),
        DEVICE_TEST(a_masked_spectrum_is_exactly_zero_and_the_others_keep_their_bits),
        DEVICE_TEST(a_call_of_nothing_gives_nothing_and_a_reset_forgets_the_history),
    };
#if !HAVE_CLFFT && !HAVE_VKFFT
    printf("1..0 # SKIP built without clFFT and VkFFT\n");
    return 0;
#endif
    return run_device_tests("fengine", NULL, 0, tests, sizeof tests / sizeof *tests);
}
