/*
 * The channel DFT's error bound where it is hardest: all taps of a path alike, so that they add up
 * in step at every subcarrier and every rounding goes the same way; nearly alike; and one or two
 * taps of all phases.
 */
#include "dft_support.h"

#include <math.h>

/* Gains of a path: equal or within some percent. */
static void make_gains_alike(dft_problem *p, int nearly, uint64_t *seed)
{
    float *gains = p->gains;
    double *twice = p->gains;
    const uint64_t taps = p->counts.most_taps;
    for (uint64_t path = 0; path < p->counts.gains / taps; path++) {
        const double turn = (double)test_random(seed) * 0x1p-64 * 6.28318530717958647692;
        const double size = 0.5 + (double)test_random(seed) * 0x1p-64;
        for (uint64_t n = 0; n < 2 * taps; n++) {
            const double off = nearly ? 1 + 0.05 * ((double)test_random(seed) * 0x1p-64 - 0.5) : 1;
            const double gain = size * off * (n % 2 ? sin(turn) : cos(turn));
            if (p->config.type == CLRADIO_CF64)
                twice[2 * path * taps + n] = gain;
            else
                gains[2 * path * taps + n] = (float)gain;
        }
    }
}

/* And delays: one, or within a thousandth of it. */
static void make_alike(dft_problem *p, int nearly, uint64_t seed)
{
    double *delays = p->delays;
    const uint64_t taps = p->counts.most_taps;
    make_gains_alike(p, nearly, &seed);
    for (uint64_t link = 0; link < p->counts.taps / taps; link++) {
        const double delay = 1e-6 * (double)test_random(&seed) * 0x1p-64;
        for (uint64_t n = 0; n < taps; n++)
            delays[link * taps + n] =
                nearly ? delay * (1 + 1e-3 * (double)test_random(&seed) * 0x1p-64) : delay;
    }
}

static void taps_that_are_alike_stay_within_the_bound(void **state)
{
    static const uint64_t taps[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 33, 48, 64, 100, 300 };
    static const char *const variants[] = { "direct", "gemm", "recurrence", "bf16x6", "dmma" };
    static const char *const shapes[][4] = {
        { NULL },
        { NULL, "TAPS=24 HALF=8 TEAMS=4 BLOCKS=2 UNITS=8 CIRCLE=1 ITEM=0",
          "TAPS=24 HALF=8 TEAMS=4 BLOCKS=2 UNITS=8 CIRCLE=0 ITEM=0",
          "TAPS=24 HALF=30 TEAMS=1 UNITS=8 ROTATE=1 KEEP=0 ITEM=0" },
        { NULL, "TAPS=24 HALF=16 TEAMS=2 UNITS=8 CIRCLE=1 ITEM=0" },
        { "EMULATED=1 CIRCLE=1", "EMULATED=1 CIRCLE=0" },
        { "EMULATED=1", "EMULATED=1 HALF=32" },
    };
    static const int ways[] = { 2, 8, 4, 4, 4 };
    const int fp64 = dft_has_fp64(device_under_test(state));
    for (size_t v = 0; v < sizeof variants / sizeof *variants - !fp64; v++)
        for (size_t n = 0; n < (test_small() ? 4 : sizeof taps / sizeof *taps); n++)
            for (int way = 0; way < ways[v] - (v == 1 && !fp64 ? 2 : 0); way++) {
                dft_problem p = { .config = dft_config(CLRADIO_CF32, test_small() ? 20 : 300) };
                p.config.variant = variants[v];
                p.config.parameters = shapes[v][way / 2];
                if (taps[n] > 100) /* the bound is that of so many */
                    p.config.taps = (uint32_t)taps[n];
                p.config.delay = CLRADIO_DELAY_SECONDS;
                p.config.delays = CLRADIO_PER_LINK;
                dft_uniform(&p, 1, test_small() ? 2 : 12, 3, taps[n]);
                dft_fill(&p, 1, n);
                make_alike(&p, way % 2, 100 * n + 10 * v + (uint64_t)way);
                dft_expect_reference(device_under_test(state), &p);
                dft_free(&p);
            }
}

/* A library's product says for itself that it loses more. */
static void the_library_s_product_stays_within_its_own_bound(void **state)
{
    static const uint64_t taps[] = { 4, 24, 64, 300 };
    clradio_device *device = device_under_test(state);
    for (size_t n = 0; n < (test_small() ? 1 : sizeof taps / sizeof *taps); n++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, test_small() ? 20 : 300) };
        clradio_dft *plan;
        clradio_dft_info info = CLRADIO_DFT_INFO_INIT;
        p.config.variant = "blas";
        p.config.taps = (uint32_t)taps[n];
        p.config.delay = CLRADIO_DELAY_SECONDS;
        p.config.delays = CLRADIO_PER_LINK;
        p.config.order = CLRADIO_DFT_PATH_SUBCARRIER;
        clradio_status status = clradio_dft_create(device, &p.config, &plan);
        if (status == CLRADIO_ERROR_UNSUPPORTED)
            skip();
        assert_ok(status);
        assert_ok(clradio_dft_get_info(plan, &info));
        clradio_dft_destroy(plan);
        assert_true(info.error_bound > 4.7e-7 && info.error_bound < 2e-5);
        dft_uniform(&p, 1, test_small() ? 2 : 12, 3, taps[n]);
        dft_fill(&p, 1, n);
        make_alike(&p, n % 2, n);
        dft_expect_reference(device, &p);
        dft_free(&p);
    }
}

/* On grids: taps of one delay, of neighbouring samples, of one remainder, and far away. */
static void samples_that_are_alike_stay_within_the_bound(void **state)
{
    static const uint64_t taps[] = { 4, 8, 16, 24, 33, 32, 64 };
    static const char *const shapes[] = { NULL, "POINTS=12 STAGED=0 LANES=20 ROWS=3",
                                          "POINTS=8 STAGED=0 LANES=20 ROWS=4" };
    static const char *const kept[] = { "TAPS=32 KEEP=1",
                                        "TAPS=24 POINTS=12 STAGED=0 LANES=20 ROWS=3 KEEP=1",
                                        "TAPS=16 POINTS=8 STAGED=0 LANES=20 ROWS=4 KEEP=1" };
    clradio_device *device = device_under_test(state);
    for (int way = 0; way < (test_small() ? 3 : 30); way++)
        for (size_t n = 0; n < (test_small() ? 2 : sizeof taps / sizeof *taps); n++) {
            const int kind = way / 3 % 5, twice = way / 15;
            if (twice && !dft_has_fp64(device))
                continue;
            dft_problem p = { .config = dft_config(twice ? CLRADIO_CF64 : CLRADIO_CF32, 300) };
            p.config.variant = "pruned";
            p.config.parameters = kind == 4 && !twice && n % 2 ? kept[way % 3] : shapes[way % 3];
            p.config.sample_period_s = 1 / (480 * p.config.spacing_hz);
            p.config.taps = 64;
            p.config.delay = kind == 4 ? CLRADIO_DELAY_CONSECUTIVE : CLRADIO_DELAY_SAMPLES;
            p.config.delays = CLRADIO_PER_LINK;
            dft_uniform(&p, 1, test_small() ? 2 : 12, 3, taps[n]);
            dft_fill(&p, 1, n);
            uint64_t seed = 100 * n + (uint64_t)way;
            make_gains_alike(&p, way % 2, &seed);
            for (uint64_t tap = 0; tap < p.counts.taps; tap++) {
                const int32_t of_link = (int32_t)(tap / taps[n]), at = (int32_t)(tap % taps[n]);
                const int32_t delays[] = { of_link, of_link + at, of_link + 48 * at,
                                           -(2100000 + of_link) };
                ((int32_t *)p.delays)[tap] = delays[kind % 4];
            }
            dft_expect_reference(device, &p);
            dft_free(&p);
        }
}

int main(void)
{
    const device_test tests[] = { DEVICE_TEST(taps_that_are_alike_stay_within_the_bound),
                                  DEVICE_TEST(the_library_s_product_stays_within_its_own_bound),
                                  DEVICE_TEST(samples_that_are_alike_stay_within_the_bound) };
    return run_device_tests("dft bound", NULL, 0, tests, sizeof tests / sizeof *tests);
}
