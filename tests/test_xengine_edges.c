/*
 * X-engine: sums that reach exactly the ends of int32, and one beyond, for every integer type and
 * variant. The products that get there are worked out beside each case.
 */
#include "xengine_support.h"

#include "engine/xengine_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `count` spectra in which station 1 has a and station 0 has b: each adds a_re b_re + a_im b_im to
 * the real part and a_im b_re - a_re b_im to the imaginary one. */
typedef struct piece {
    uint64_t count;
    int a[2], b[2];
} piece;

typedef struct edge {
    const char *what;
    clradio_type type;
    piece pieces[4];
    int64_t sum, imaginary; /* the parts of x_1 conj(x_0) */
} edge;

static const edge edges[] = {
    /* 65535 x 32768 + (128 x 128 + 128 x 127) + 127 = 2^31 - 1 */
    { "ci8, 2^31 - 1",
      CLRADIO_CI8,
      { { 65535, { -128, -128 }, { -128, -128 } },
        { 1, { -128, -128 }, { -128, -127 } },
        { 1, { 127, 0 }, { 1, 0 } } },
      INT32_MAX,
      128 },
    /* one more */
    { "ci8, 2^31",
      CLRADIO_CI8,
      { { 65536, { -128, -128 }, { -128, -128 } } },
      (int64_t)INT32_MAX + 1,
      0 },
    /* 66052 x (-128 x 127 x 2) - 1024 = -2^31 */
    { "ci8, -2^31",
      CLRADIO_CI8,
      { { 66052, { -128, -128 }, { 127, 127 } }, { 1, { -128, 0 }, { 8, 0 } } },
      INT32_MIN,
      0 },
    { "ci8, -2^31 - 1",
      CLRADIO_CI8,
      { { 66052, { -128, -128 }, { 127, 127 } },
        { 1, { -128, 0 }, { 8, 0 } },
        { 1, { 1, 0 }, { -1, 0 } } },
      (int64_t)INT32_MIN - 1,
      0 },
    /* (2^30 + 32768 x 32767) + 32767 = 2^31 - 1 */
    { "ci16, 2^31 - 1",
      CLRADIO_CI16,
      { { 1, { -32768, -32768 }, { -32768, -32767 } }, { 1, { 32767, 0 }, { 1, 0 } } },
      INT32_MAX,
      32768 },
    { "ci16, 2^31",
      CLRADIO_CI16,
      { { 1, { -32768, -32768 }, { -32768, -32768 } } },
      (int64_t)INT32_MAX + 1,
      0 },
    /* -2 x 32768 x 32767 - 65536 = -2^31 */
    { "ci16, -2^31",
      CLRADIO_CI16,
      { { 1, { -32768, -32768 }, { 32767, 32767 } }, { 1, { -32768, 0 }, { 2, 0 } } },
      INT32_MIN,
      0 },
    { "ci16, -2^31 - 1",
      CLRADIO_CI16,
      { { 1, { -32768, -32768 }, { 32767, 32767 } },
        { 1, { -32768, 0 }, { 2, 0 } },
        { 1, { 1, 0 }, { -1, 0 } } },
      (int64_t)INT32_MIN - 1,
      0 },
    /* 16777215 x 128 + (64 + 56) + 7 = 2^31 - 1 */
    { "ci4, 2^31 - 1",
      CLRADIO_CI4,
      { { 16777215, { -8, -8 }, { -8, -8 } },
        { 1, { -8, -8 }, { -8, -7 } },
        { 1, { 7, 0 }, { 1, 0 } } },
      INT32_MAX,
      8 },
    { "ci4, 2^31",
      CLRADIO_CI4,
      { { 16777216, { -8, -8 }, { -8, -8 } } },
      (int64_t)INT32_MAX + 1,
      0 },
    /* 19173961 x (-8 x 7 x 2) - 16 = -2^31 */
    { "ci4, -2^31",
      CLRADIO_CI4,
      { { 19173961, { -8, -8 }, { 7, 7 } }, { 1, { -8, 0 }, { 2, 0 } } },
      INT32_MIN,
      0 },
    { "ci4, -2^31 - 1",
      CLRADIO_CI4,
      { { 19173961, { -8, -8 }, { 7, 7 } },
        { 1, { -8, 0 }, { 2, 0 } },
        { 1, { 1, 0 }, { -1, 0 } } },
      (int64_t)INT32_MIN - 1,
      0 },
};

static uint64_t spectra_of(const edge *edge)
{
    uint64_t all = 0;
    for (int p = 0; p < 4; p++)
        all += edge->pieces[p].count;
    return all;
}

/* Station 1 has a and station 0 has b, so that the baseline 1-0 sums a conj(b). */
static void *spectra_for(const clradio_xengine_config *config, const edge *edge)
{
    void *spectra = xengine_zeros(config, config->spectra);
    uint64_t t = 0;
    for (int p = 0; p < 4; p++)
        for (uint64_t n = 0; n < edge->pieces[p].count; n++, t++) {
            xengine_set(config, spectra, t, 0, 0, edge->pieces[p].b[0], edge->pieces[p].b[1]);
            xengine_set(config, spectra, t, 0, 1, edge->pieces[p].a[0], edge->pieces[p].a[1]);
        }
    return spectra;
}

static int64_t nearest(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
}

/* The value of the baseline 1-0, from both output types; calls of those lengths. */
static void expect_edge(clradio_device *device, const edge *edge, clradio_xengine_config config,
                        const uint64_t *lengths, size_t n)
{
    void *spectra = NULL;
    for (int wide = 0; wide < 2; wide++) {
        clradio_xengine *plan;
        uint32_t overflow = 0;
        config.output = wide ? CLRADIO_CI64 : CLRADIO_CI32;
        const clradio_status status = clradio_xengine_create(device, &config, &plan);
        if (status == CLRADIO_ERROR_UNSUPPORTED)
            break; /* this variant has not that type, or not on this device */
        assert_ok(status);
        if (!spectra)
            spectra = spectra_for(&config, edge);
        void *sums = xengine_calls(device, plan, &config, spectra, lengths, n, &overflow);
        const int64_t re = wide ? ((int64_t *)sums)[2] : ((int32_t *)sums)[2];
        const int64_t im = wide ? ((int64_t *)sums)[3] : ((int32_t *)sums)[3];
        if (re != (wide ? edge->sum : nearest(edge->sum)) || im != edge->imaginary)
            fail_msg("%s, variant %s, %s: %lld%+lldi", edge->what,
                     config.variant ? config.variant : "chosen", config.parameters, (long long)re,
                     (long long)im);
        if (!wide && nearest(edge->sum) != edge->sum)
            assert_true(overflow > 0);
        if (wide)
            assert_int_equal(overflow, 0);
        clradio_xengine_destroy(plan);
        free(sums);
    }
    free(spectra);
}

/* Millions of spectra: only where the time allows. */
static int is_long(const edge *edge)
{
    return spectra_of(edge) > 1000000;
}

static void every_variant_reaches_the_ends_of_int32_in_one_call(void **state)
{
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (size_t v = 0; v < clr_xengine_variant_count; v++) {
            const uint64_t all = spectra_of(&edges[e]);
            clradio_xengine_config config = xengine_config(edges[e].type, 2, 1, 1, all);
            config.variant = clr_xengine_variants[v]->name;
            if (is_long(&edges[e]) && !test_long())
                continue;
            expect_edge(device_under_test(state), &edges[e], config, &all, 1);
            config.parameters = xengine_emulation(clr_xengine_variants[v]);
            if (config.parameters)
                expect_edge(device_under_test(state), &edges[e], config, &all, 1);
        }
}

/* One slice: the sums of a single work-item go all the way. */
static void sums_of_one_work_item_reach_the_ends_of_int32(void **state)
{
    static const char *const shapes[] = { "W=2 Dx=1 Dy=1 FLOAT=0 SPLIT_T=1",
                                          "W=4 Dx=2 Dy=2 FLOAT=1 SPLIT_T=1" };
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (size_t s = 0; s < 2; s++) {
            const uint64_t all = spectra_of(&edges[e]);
            clradio_xengine_config config = xengine_config(edges[e].type, 2, 1, 1, all);
            config.variant = "tile";
            config.parameters = shapes[s];
            if ((s && edges[e].type == CLRADIO_CI16) || (is_long(&edges[e]) && !test_long() && s))
                continue;
            expect_edge(device_under_test(state), &edges[e], config, &all, 1);
        }
}

/* Two calls, the second of which takes the sum to its end; and the array that is transposed. */
static void calls_reach_the_ends_of_int32_together(void **state)
{
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
        const uint64_t all = spectra_of(&edges[e]), lengths[] = { all - all / 3, all / 3 };
        clradio_xengine_config config = xengine_config(edges[e].type, 2, 1, 1, all);
        if (is_long(&edges[e]) && !test_long())
            continue;
        expect_edge(device_under_test(state), &edges[e], config, lengths, 2);
        config.layout = CLRADIO_LAYOUT_CHANNEL_INPUT_TIME;
        expect_edge(device_under_test(state), &edges[e], config, lengths, 2);
    }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(every_variant_reaches_the_ends_of_int32_in_one_call),
        DEVICE_TEST_SLOW(sums_of_one_work_item_reach_the_ends_of_int32),
        DEVICE_TEST_SLOW(calls_reach_the_ends_of_int32_together),
    };
    return run_device_tests("xengine_edges", NULL, 0, tests, sizeof tests / sizeof *tests);
}
