/*
 * Channel DFT with the tapped delay lines of TR 38.901, on and off the sample grid: the device
 * against the double reference, and what rounding delays to samples costs. That error vector's
 * magnitude follows from the tables alone: a tap that is moved by d leaves 4 sin^2(pi f d) of its
 * power, averaged over the subcarriers; the decibels expected here were computed so, apart from
 * this library.
 */
#include "dft_support.h"

#include "model/channel.h"

#include <math.h>
#include <stdlib.h>

typedef struct grid {
    uint32_t points, subcarriers;
    double spacing_hz;
} grid;
static const grid grids[] = { { 2048, 1200, 15e3 }, { 4096, 3276, 30e3 } };

static const struct {
    const char *profile;
    double delay_spread_s, error_db[2]; /* on the two grids */
} cases[] = {
    { "TDL-A", 30e-9, { -8.3, -6.4 } },
    { "TDL-A", 300e-9, { -8.5, -10.9 } },
    { "TDL-B", 100e-9, { -10.8, -6.9 } },
    { "TDL-C", 300e-9, { -16.1, -7.8 } },
};

static dft_problem make_problem(const grid *g, clradio_delay delay, clradio_per per)
{
    dft_problem p = { .config = dft_config(CLRADIO_CF32, g->subcarriers) };
    p.config.spacing_hz = g->spacing_hz;
    p.config.sample_period_s = 1 / (g->spacing_hz * g->points);
    p.config.delay = delay;
    p.config.delays = per;
    return p;
}

static double delay_of(const clr_profile *profile, size_t tap, double spread)
{
    return profile->tap[tap].delay * spread;
}

static double amplitude_of(const clr_profile *profile, size_t tap)
{
    return pow(10, profile->tap[tap].power_db / 20);
}

/* A link of four paths with the profile's powers and random phases. */
static void profiles_are_right_on_and_off_the_grid(void **state)
{
    clradio_device *device = device_under_test(state);
    const size_t n_cases = test_small() ? 1 : sizeof cases / sizeof *cases;
    for (size_t n = 0; n < n_cases; n++)
        for (size_t g = 0; g < (test_small() ? 1 : 2); g++)
            for (int rounded = 0; rounded < 2; rounded++) {
                const clr_profile *profile = clr_profile_find(cases[n].profile);
                dft_problem p =
                    make_problem(&grids[g], rounded ? CLRADIO_DELAY_SAMPLES : CLRADIO_DELAY_SECONDS,
                                 CLRADIO_PER_LINK);
                dft_uniform(&p, 1, 1, 4, profile->taps);
                dft_fill(&p, 1, n);
                for (size_t tap = 0; tap < profile->taps; tap++) {
                    const double seconds = delay_of(profile, tap, cases[n].delay_spread_s);
                    if (rounded)
                        ((int32_t *)p.delays)[tap] =
                            (int32_t)lrint(seconds / p.config.sample_period_s);
                    else
                        ((double *)p.delays)[tap] = seconds;
                    for (size_t path = 0; path < 4; path++)
                        for (size_t part = 0; part < 2; part++)
                            ((float *)p.gains)[2 * (path * profile->taps + tap) + part] *=
                                (float)amplitude_of(profile, tap);
                }
                dft_expect_reference(device, &p);
                dft_free(&p);
            }
}

/* The response of each tap by itself (a path a tap); the caller frees it. */
static float *tap_responses(clradio_device *device, const grid *g, const clr_profile *profile,
                            double spread, int rounded)
{
    dft_problem p = make_problem(g, CLRADIO_DELAY_SECONDS, CLRADIO_PER_PATH);
    clradio_dft *plan;
    dft_uniform(&p, 1, 1, profile->taps, 1);
    dft_fill(&p, 1, 1);
    for (size_t tap = 0; tap < profile->taps; tap++) {
        const double seconds = delay_of(profile, tap, spread);
        ((double *)p.delays)[tap] =
            rounded ? rint(seconds / p.config.sample_period_s) * p.config.sample_period_s : seconds;
        ((float *)p.gains)[2 * tap] = (float)amplitude_of(profile, tap);
        ((float *)p.gains)[2 * tap + 1] = 0;
    }
    assert_ok(clradio_dft_create(device, &p.config, &plan));
    dft_call(device, plan, &p);
    clradio_dft_destroy(plan);
    float *response = p.io.response;
    p.io.response = NULL;
    dft_free(&p);
    return response;
}

static void rounding_delays_to_samples_costs_what_the_tables_say(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (size_t g = 0; g < 2; g++) {
            const clr_profile *profile = clr_profile_find(cases[n].profile);
            const size_t reals = 2 * profile->taps * grids[g].subcarriers;
            float *exact = tap_responses(device, &grids[g], profile, cases[n].delay_spread_s, 0);
            float *moved = tap_responses(device, &grids[g], profile, cases[n].delay_spread_s, 1);
            double error = 0, power = 0;
            for (size_t i = 0; i < reals; i++) {
                error += pow((double)moved[i] - (double)exact[i], 2);
                power += pow((double)exact[i], 2);
            }
            const double decibels = 10 * log10(error / power);
            free(exact);
            free(moved);
            if (fabs(decibels - cases[n].error_db[g]) > 0.051)
                fail_msg("%s %g s: %.2f dB, expected %.1f", cases[n].profile,
                         cases[n].delay_spread_s, decibels, cases[n].error_db[g]);
        }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(profiles_are_right_on_and_off_the_grid),
        DEVICE_TEST_SLOW(rounding_delays_to_samples_costs_what_the_tables_say),
    };
    return run_device_tests("dft_tdl", NULL, 0, tests, sizeof tests / sizeof *tests);
}
