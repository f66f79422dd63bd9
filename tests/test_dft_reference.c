/* The channel DFT's plain reference against answers known by hand; what configurations and sizes
 * are refused. */
#include "support.h"

#include <clradio/dft.h>
#include <math.h>
#include <string.h>

static clradio_dft_config config_of(uint32_t subcarriers)
{
    clradio_dft_config config = CLRADIO_DFT_CONFIG_INIT;
    config.type = CLRADIO_CF64;
    config.subcarriers = subcarriers;
    return config;
}

static void reference(const clradio_dft_config *config, const clradio_dft_sizes *sizes,
                      const double *gains, const void *delays, double *response)
{
    clradio_dft_host_io io = CLRADIO_DFT_HOST_IO_INIT;
    io.sizes = sizes;
    io.gains = gains;
    io.delays = delays;
    io.response = response;
    assert_ok(clradio_dft_reference(config, &io));
}

static void expect_near(const double *got, double re, double im)
{
    if (fabs(got[0] - re) > 1e-14 || fabs(got[1] - im) > 1e-14)
        fail_msg("got %.17g%+.17gi, expected %.17g%+.17gi", got[0], got[1], re, im);
}

/* 1/4 of a microsecond at multiples of a megahertz: quarter turns, clockwise. */
static void a_delay_turns_clockwise_with_frequency(void **state)
{
    (void)state;
    clradio_dft_config config = config_of(4);
    clradio_dft_sizes sizes = CLRADIO_DFT_SIZES_INIT;
    const double gain[] = { 1, 0 }, delay[] = { 0.25e-6 };
    double response[8];
    config.spacing_hz = 1e6;
    sizes.beams = 1;
    config.origin = CLRADIO_ORIGIN_ZERO;
    reference(&config, &sizes, gain, delay, response);
    expect_near(response, 1, 0);
    expect_near(response + 2, 0, -1);
    expect_near(response + 4, -1, 0);
    expect_near(response + 6, 0, 1);
    config.origin = CLRADIO_ORIGIN_CENTRE; /* from -2 MHz on */
    reference(&config, &sizes, gain, delay, response);
    expect_near(response, -1, 0);
    expect_near(response + 2, 0, 1);
    expect_near(response + 4, 1, 0);
    config.origin = CLRADIO_ORIGIN_FIRST;
    config.first_hz = 3e6;
    reference(&config, &sizes, gain, delay, response);
    expect_near(response, 0, 1);
    expect_near(response + 2, 1, 0);
    config.average = 2; /* (i + 1) / 2 and (-i - 1) / 2 */
    reference(&config, &sizes, gain, delay, response);
    expect_near(response, 0.5, 0.5);
    expect_near(response + 2, -0.5, -0.5);
    assert_true(clradio_dft_frequency(&config, 3) == 6e6);
}

/* Consecutive samples are the plain discrete transform: X[k] = 2 + 3 (-i)^k for N = 4. */
static void consecutive_samples_are_the_discrete_transform(void **state)
{
    (void)state;
    clradio_dft_config config = config_of(4);
    clradio_dft_sizes sizes = CLRADIO_DFT_SIZES_INIT;
    const double gains[] = { 2, 0, 3, 0 };
    double response[8];
    config.delay = CLRADIO_DELAY_CONSECUTIVE;
    config.origin = CLRADIO_ORIGIN_ZERO;
    config.spacing_hz = 1;
    config.sample_period_s = 0.25;
    config.normalisation = CLRADIO_NORMALISE_SUBCARRIERS;
    sizes.beams = 1;
    sizes.taps_per_link = 2;
    reference(&config, &sizes, gains, NULL, response);
    expect_near(response, 2.5, 0);
    expect_near(response + 2, 1, -1.5);
    expect_near(response + 4, -0.5, 0);
    expect_near(response + 6, 1, 1.5);
}

/* Two links of 2 paths x 1 tap and 1 path x 2 taps; all at frequency 0: sums of the gains. */
static void rows_follow_links_and_paths(void **state)
{
    (void)state;
    clradio_dft_config config = config_of(1);
    clradio_dft_sizes sizes = CLRADIO_DFT_SIZES_INIT;
    static const uint64_t beams[] = { 0, 0, 2 }, paths[] = { 0, 2, 3 }, taps[] = { 0, 1, 3 };
    const double gains[] = { 1, 0, 2, 0, 4, 0, 8, 0 }, delays[] = { 0, 0, 0 };
    double response[6];
    sizes.beams = 2;
    sizes.beam_links = beams;
    sizes.link_paths = paths;
    sizes.link_taps = taps;
    reference(&config, &sizes, gains, delays, response);
    expect_near(response, 1, 0);
    expect_near(response + 2, 2, 0);
    expect_near(response + 4, 12, 0);
    const double absent[] = { 0, -1, 0 };
    config.absent_negative = 1;
    reference(&config, &sizes, gains, absent, response);
    expect_near(response + 4, 8, 0);
}

/* Products that a double cannot hold: 3.5 GHz times 1 s + 2^-52 s is 3.5e9 turns + 3.5e9 / 2^52. */
static void large_phases_keep_their_low_parts(void **state)
{
    (void)state;
    clradio_dft_config config = config_of(1);
    clradio_dft_sizes sizes = CLRADIO_DFT_SIZES_INIT;
    const double gain[] = { 1, 0 }, delay[] = { 1 + 0x1p-52 };
    double response[2];
    config.carrier_hz = 3.5e9;
    sizes.beams = 1;
    reference(&config, &sizes, gain, delay, response);
    const double angle = -2 * 3.14159265358979323846 * 3.5e9 * 0x1p-52;
    expect_near(response, cos(angle), sin(angle));
}

static void what_is_not_finite_stays_in_its_path(void **state)
{
    (void)state;
    clradio_dft_config config = config_of(2);
    clradio_dft_sizes sizes = CLRADIO_DFT_SIZES_INIT;
    clradio_dft_host_io io = CLRADIO_DFT_HOST_IO_INIT;
    const double gains[] = { 1, 0, NAN, 0 }, delay[] = { 0 };
    double response[8];
    uint32_t status[2];
    uint64_t bad;
    sizes.beams = 1;
    sizes.paths_per_link = 2;
    io.sizes = &sizes;
    io.gains = gains;
    io.delays = delay;
    io.response = response;
    io.status = status;
    io.bad_paths = &bad;
    assert_ok(clradio_dft_reference(&config, &io));
    expect_near(response, 1, 0);
    expect_near(response + 4, 0, 0);
    assert_int_equal(status[0], 0);
    assert_int_equal(status[1], 1);
    assert_int_equal(bad, 1);
}

static void wrong_configurations_and_sizes_are_refused(void **state)
{
    (void)state;
    clradio_dft_counts counts = CLRADIO_DFT_COUNTS_INIT;
    clradio_dft_sizes sizes = CLRADIO_DFT_SIZES_INIT;
    static const uint64_t falls[] = { 0, 2, 1 };
    clradio_dft_config config = config_of(12);
    sizes.beams = 2;
    config.average = 5;
    assert_int_equal(clradio_dft_count(&config, &sizes, &counts), CLRADIO_ERROR_ARGUMENT);
    config.average = 12;
    assert_ok(clradio_dft_count(&config, &sizes, &counts));
    assert_int_equal(counts.response, 2);
    sizes.link_taps = falls;
    assert_int_equal(clradio_dft_count(&config, &sizes, &counts), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "link_taps falls from 2 to 1"));
    sizes.link_taps = NULL;
    sizes.paths_per_link = UINT64_MAX / 2;
    assert_int_equal(clradio_dft_count(&config, &sizes, &counts), CLRADIO_ERROR_ARGUMENT);
    config = config_of(1);
    config.first_hz = 1;
    sizes.paths_per_link = 1;
    assert_int_equal(clradio_dft_count(&config, &sizes, &counts), CLRADIO_ERROR_ARGUMENT);
    config = config_of(1);
    config.delay = CLRADIO_DELAY_SAMPLES; /* without a sample period */
    assert_int_equal(clradio_dft_count(&config, &sizes, &counts), CLRADIO_ERROR_ARGUMENT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delay_turns_clockwise_with_frequency),
        cmocka_unit_test(consecutive_samples_are_the_discrete_transform),
        cmocka_unit_test(rows_follow_links_and_paths),
        cmocka_unit_test(large_phases_keep_their_low_parts),
        cmocka_unit_test(what_is_not_finite_stays_in_its_path),
        cmocka_unit_test(wrong_configurations_and_sizes_are_refused),
    };
    return cmocka_run_group_tests_name("dft_reference", tests, NULL, NULL);
}
