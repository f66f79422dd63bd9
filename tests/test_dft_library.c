/* Channel DFT: the variants that call a library, blas and fft, against the plain reference. Skipped
 * where the library is not there or not for the device. */
#include "dft_support.h"

#include <math.h>
#include <string.h>

static int served(clradio_device *device, const clradio_dft_config *config)
{
    clradio_dft *plan;
    const clradio_status status = clradio_dft_create(device, config, &plan);
    if (status == CLRADIO_ERROR_UNSUPPORTED)
        return 0;
    assert_ok(status);
    clradio_dft_destroy(plan);
    return 1;
}

static dft_problem problem_of(const char *variant, uint32_t points, uint32_t subcarriers)
{
    dft_problem p = { .config = dft_config(CLRADIO_CF32, subcarriers) };
    p.config.variant = variant;
    p.config.delay = CLRADIO_DELAY_CONSECUTIVE;
    p.config.sample_period_s = 1 / (p.config.spacing_hz * points);
    return p;
}

static void expect(clradio_device *device, dft_problem *p, uint64_t bad_paths)
{
    dft_expect_reference(device, p);
    assert_int_equal(p->bad_paths, bad_paths);
    dft_free(p);
}

static void consecutive_samples_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    static const char *const variants[] = { "blas", "fft" };
    for (size_t v = 0; v < 2; v++)
        for (size_t n = 0; n < (test_small() ? 1 : 3); n++) {
            dft_problem p = problem_of(variants[v], n == 1 ? 50 : 64, n == 2 ? 33 : 50);
            p.config.carrier_hz = n ? 3.5e9 : 0;
            p.config.normalisation = (clradio_normalisation)n;
            if (!served(device, &p.config))
                skip();
            dft_uniform(&p, 2, 3, n ? 4 : 1, 5 + 9 * n);
            dft_fill(&p, 2, n);
            ((float *)p.gains)[1] = n == 1 ? INFINITY : 0.5f;
            expect(device, &p, n == 1);
        }
}

/* Links of all sizes, empty ones among them: those without taps go elsewhere. */
static void ragged_links_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    static const char *const variants[] = { "blas", "fft" };
    for (size_t v = 0; v < 2; v++) {
        uint64_t seed = 5;
        dft_problem p = problem_of(variants[v], 32, 20);
        if (!served(device, &p.config))
            skip();
        dft_ragged(&p, &seed, 4, 4, 4, 40); /* some have more taps than the transform points */
        dft_fill(&p, 1, 9);
        expect(device, &p, 0);
    }
}

static void any_delays_that_a_link_shares_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int listed = 0; listed < 2; listed++) {
        double frequencies[30];
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 30) };
        for (int k = 0; k < 30; k++)
            frequencies[k] = 1e5 * k * k - 3e6;
        p.config.variant = "blas";
        p.config.frequencies_hz = listed ? frequencies : NULL;
        p.config.average = listed ? 1 : 3;
        if (!served(device, &p.config))
            skip();
        dft_uniform(&p, 3, 2, 5, 11);
        dft_fill(&p, 2, 3);
        ((double *)p.delays)[11 + 4] = NAN; /* the second link */
        expect(device, &p, 5);
    }
}

static void what_they_cannot_is_said(void **state)
{
    clradio_dft *plan;
    dft_problem p = problem_of("fft", 64, 50);
    p.config.average = 2;
    assert_int_equal(clradio_dft_create(device_under_test(state), &p.config, &plan),
                     CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "variant fft"));
    p.config.variant = "blas";
    p.config.order = CLRADIO_DFT_SUBCARRIER_PATH;
    assert_int_equal(clradio_dft_create(device_under_test(state), &p.config, &plan),
                     CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "variant blas"));
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(consecutive_samples_are_right),
        DEVICE_TEST_SLOW(ragged_links_are_right),
        DEVICE_TEST_SLOW(any_delays_that_a_link_shares_are_right),
        DEVICE_TEST(what_they_cannot_is_said),
    };
    return run_device_tests("dft_library", NULL, 0, tests, sizeof tests / sizeof *tests);
}
