/*
 * Channel DFT, the ways of launching: units from the host, and units that a grid on the device
 * starts (CUDA), or emulated on every device. Each gives the bits of the flat launch, whatever a
 * unit is, however few may wait, and whichever launches fail.
 */
#include "dft_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const clradio_dft_launch ways[] = { CLRADIO_LAUNCH_HOST, CLRADIO_LAUNCH_EMULATED,
                                           CLRADIO_LAUNCH_CHILDREN };
enum { WAYS = sizeof ways / sizeof *ways };

static uint64_t bytes_of(const dft_problem *p)
{
    return p->counts.response * p->io.time_steps * clradio_type_bytes(p->config.type);
}

/* The flat response, compared with the reference; malloc'ed. */
static void *flat_response(clradio_device *device, dft_problem *p)
{
    void *flat = malloc(bytes_of(p) + 1);
    assert_non_null(flat);
    p->config.launch = CLRADIO_LAUNCH_FLAT;
    p->config.launch_parameters = NULL;
    dft_expect_reference(device, p);
    memcpy(flat, p->io.response, bytes_of(p));
    return flat;
}

/* A call by that way: the bits of the flat one. */
static void expect_flat(clradio_device *device, dft_problem *p, clradio_dft_launch launch,
                        const char *parameters, const void *flat)
{
    clradio_dft *plan;
    clradio_dft_info info = CLRADIO_DFT_INFO_INIT;
    p->config.launch = launch;
    p->config.launch_parameters = parameters;
    assert_ok(clradio_dft_create(device, &p->config, &plan));
    assert_ok(clradio_dft_get_info(plan, &info));
    /* OpenCL has no question for registers, CUDA's driver answers it for every kernel. */
    assert_int_equal(info.registers > 0, !strcmp(clr_device_info(device)->back_end, "cuda"));
    assert_true(info.local_bytes <= clr_device_info(device)->local_memory_bytes);
    for (int repeat = 0; repeat < 2; repeat++) {
        dft_call(device, plan, p);
        if (bytes_of(p) && memcmp(flat, p->io.response, bytes_of(p)) != 0)
            fail_msg("%s %s by %s %s: other bits than flat, %llu links", info.variant,
                     info.parameters, info.launch, info.launch_parameters,
                     (unsigned long long)p->counts.links);
    }
    clradio_dft_destroy(plan);
}

static void expect_all_ways(clradio_device *device, dft_problem *p)
{
    static const char *const all[] = { NULL, "LINKS=0 PENDING=2", "LINKS=3 PENDING=1 WALKERS=1",
                                       "TAIL=0 FORGET=0 PENDING=3" };
    void *flat = flat_response(device, p);
    for (size_t w = 0; w < WAYS; w++)
        for (size_t n = 0; n < (test_small() ? 2 : 4); n++) {
            if (ways[w] == CLRADIO_LAUNCH_CHILDREN && !has_children(device))
                continue;
            expect_flat(device, p, ways[w], all[n], flat);
        }
    free(flat);
}

static void every_way_gives_the_flat_bits_of_uniform_links(void **state)
{
    static const char *const variants[] = { "direct", "gemm", "recurrence", NULL };
    for (size_t v = 0; variants[v]; v++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, test_small() ? 9 : 75) };
        p.config.variant = variants[v];
        /* one tap more than a launch of the form for graphics processors does */
        p.config.parameters = v ? "TAPS=8 HALF=8 TEAMS=2 BLOCKS=2 UNITS=8 ITEM=0" : NULL;
        dft_uniform(&p, 3, 4, 5, 9);
        dft_fill(&p, 2, v);
        expect_all_ways(device_under_test(state), &p);
        dft_free(&p);
    }
}

/* Empty beams, links without paths, links of few taps that go to direct, all in one call. */
static void every_way_gives_the_flat_bits_of_ragged_links(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int n = 0; n < (test_small() ? 1 : 6); n++) {
        uint64_t seed = 77u + (uint64_t)n;
        dft_problem p = { .config = dft_config(CLRADIO_CF32, (uint32_t)(test_small() ? 7 : 40)) };
        p.config.variant = n % 3 ? NULL : n ? "recurrence" : "gemm";
        p.config.delays = n % 2 ? CLRADIO_PER_PATH : CLRADIO_PER_LINK;
        if (!n)
            p.config.delays = CLRADIO_PER_LINK;
        p.config.normalisation = n % 2 ? CLRADIO_NORMALISE_LINK : CLRADIO_NORMALISE_NONE;
        p.config.order = n % 3 == 1 ? CLRADIO_DFT_SUBCARRIER_PATH : CLRADIO_DFT_PATH_SUBCARRIER;
        p.config.type = n == 5 && dft_has_fp64(device) ? CLRADIO_CF64 : CLRADIO_CF32;
        dft_ragged(&p, &seed, (uint64_t)(n == 4 ? 1 : 9), 6, 7, 20);
        dft_fill(&p, 2, seed);
        expect_all_ways(device, &p);
        dft_free(&p);
    }
}

static void variants_by_name_too(void **state)
{
    static const char *const named[][2] = {
        { "bf16x6", "EMULATED=1 HALF=16 WARPS=2 BLOCKS=8 PATHS=8" },
        { "pruned", NULL },
        { "dmma", "EMULATED=1" },
    };
    for (int n = 0; n < (dft_has_fp64(device_under_test(state)) ? 3 : 2); n++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 50) };
        p.config.variant = named[n][0];
        p.config.parameters = named[n][1];
        p.config.delays = CLRADIO_PER_LINK;
        if (n == 1) {
            p.config.delay = CLRADIO_DELAY_CONSECUTIVE;
            p.config.sample_period_s = 1 / (128 * 15e3);
        }
        dft_uniform(&p, 3, 5, 6, 12);
        dft_fill(&p, 1, 7 + (uint64_t)n);
        expect_all_ways(device_under_test(state), &p);
        dft_free(&p);
    }
}

static void nothing_at_all_is_no_launch(void **state)
{
    for (int n = 0; n < 3; n++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 20) };
        dft_uniform(&p, n != 0, n != 1, n != 2, 3);
        dft_fill(&p, 1, 1);
        expect_all_ways(device_under_test(state), &p);
        dft_free(&p);
    }
}

/* 57 sectors x 570 users in one batch, a link a launch. */
static void all_links_of_a_network_in_one_batch(void **state)
{
    clradio_device *device = device_under_test(state);
    const int cpu = is_opencl(device); /* PoCL's launches from the host cost a while each */
    dft_problem p = { .config = dft_config(CLRADIO_CF32, 8) };
    dft_uniform(&p, 570, 57, 1, 4);
    dft_fill(&p, 1, 3);
    void *flat = flat_response(device, &p);
    expect_flat(device, &p, CLRADIO_LAUNCH_EMULATED, NULL, flat);
    expect_flat(device, &p, CLRADIO_LAUNCH_HOST, cpu ? "LINKS=19" : NULL, flat);
    if (has_children(device)) {
        expect_flat(device, &p, CLRADIO_LAUNCH_CHILDREN, NULL, flat);
        expect_flat(device, &p, CLRADIO_LAUNCH_CHILDREN, "LINKS=0", flat);
        expect_flat(device, &p, CLRADIO_LAUNCH_CHILDREN, "PENDING=100 WALKERS=256 TAIL=0", flat);
    }
    free(flat);
    dft_free(&p);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/*
 * Every fail-th of n units of one link fails. Each tile is of one unit, so n units take
 * ceil(n / pending) chunks, and what failed and what was started make n.
 */
static void expect_failures(clradio_device *device, clradio_dft_launch launch, uint32_t fail,
                            uint32_t pending, int tail, int refuse)
{
    enum { BEAMS = 5, LINKS = 6, UNITS = BEAMS * LINKS };
    char parameters[96];
    clradio_dft *plan;
    dft_problem p = { .config = dft_config(CLRADIO_CF32, 30) };
    p.config.variant = "direct";
    dft_uniform(&p, BEAMS, LINKS, 3, 5);
    dft_fill(&p, 1, fail);
    void *flat = flat_response(device, &p);
    snprintf(parameters, sizeof parameters, "FAIL=%u PENDING=%u TAIL=%d REFUSE=%d", fail, pending,
             tail, refuse);
    p.config.launch = launch;
    p.config.launch_parameters = parameters;
    p.report = malloc((3 + UNITS) * sizeof *p.report);
    assert_non_null(p.report);
    assert_ok(clradio_dft_create(device, &p.config, &plan));
    dft_call(device, plan, &p);
    assert_memory_equal(flat, p.io.response, bytes_of(&p));
    const uint32_t failed = fail ? UNITS / fail : 0;
    assert_int_equal(p.report[0], failed);
    assert_int_equal(p.report[1], UNITS - failed);
    assert_int_equal(p.report[2], (UNITS + pending - 1) / pending);
    qsort(p.report + 3, failed, sizeof *p.report, by_number);
    for (uint32_t n = 0; n < failed; n++)
        assert_int_equal(p.report[3 + n], (n + 1) * fail - 1);
    /* the same from host arrays, where what failed is counted over all batches of one beam */
    uint64_t counted = 99;
    p.io.batch_beams = 1;
    p.io.streams = 3;
    p.io.failed_launches = &counted;
    memset(p.io.response, 0xa5, bytes_of(&p));
    assert_ok(clradio_dft_run(plan, &p.io));
    assert_memory_equal(flat, p.io.response, bytes_of(&p));
    assert_int_equal(counted, fail ? BEAMS * (LINKS / fail) : 0);
    clradio_dft_destroy(plan);
    free(flat);
    dft_free(&p);
}

static void failed_launches_are_computed_and_reported(void **state)
{
    static const uint32_t fails[] = { 0, 1, 2, 7 }, pending[] = { 1, 4, 30, 1024 };
    clradio_device *device = device_under_test(state);
    for (size_t f = 0; f < (test_small() ? 2 : 4); f++)
        for (size_t n = 0; n < (test_small() ? 2 : 4); n++) {
            const int tail = (int)(f + n) % 2;
            expect_failures(device, CLRADIO_LAUNCH_EMULATED, fails[f], pending[n], tail, 0);
            if (has_children(device))
                expect_failures(device, CLRADIO_LAUNCH_CHILDREN, fails[f], pending[n], tail, 0);
        }
}

/* Of 15 units, 4 are started; the launch of the next chunk's parent fails, and 11 are made up for.
 */
static void a_failed_tail_launch_loses_nothing(void **state)
{
    clradio_device *device = device_under_test(state);
    for (size_t w = 1; w < WAYS; w++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 30) };
        if (ways[w] == CLRADIO_LAUNCH_CHILDREN && !has_children(device))
            continue;
        p.config.variant = "direct";
        dft_uniform(&p, 3, 5, 2, 5);
        dft_fill(&p, 1, 4);
        void *flat = flat_response(device, &p);
        p.report = malloc((3 + 15) * sizeof *p.report);
        assert_non_null(p.report);
        expect_flat(device, &p, ways[w], "PENDING=4 TAIL=2", flat);
        assert_int_equal(p.report[0], 11);
        assert_int_equal(p.report[1], 4);
        assert_int_equal(p.report[2], 1);
        qsort(p.report + 3, 11, sizeof *p.report, by_number);
        for (uint32_t n = 0; n < 11; n++)
            assert_int_equal(p.report[3 + n], 4 + n);
        free(flat);
        dft_free(&p);
    }
}

/* The device's own refusal of an impossible work-group. Asked for by name, since what a driver does
 * then is not known: CLRADIO_TEST_REFUSE=1. */
static void launches_that_the_device_refuses_are_computed_and_reported(void **state)
{
    clradio_device *device = device_under_test(state);
    if (!getenv("CLRADIO_TEST_REFUSE") || !has_children(device))
        skip();
    expect_failures(device, CLRADIO_LAUNCH_CHILDREN, 2, 1024, 0, 1);
}

static void batches_and_streams_change_no_bit(void **state)
{
    clradio_device *device = device_under_test(state);
    uint64_t seed = 5;
    dft_problem p = { .config = dft_config(CLRADIO_CF32, 21) };
    dft_ragged(&p, &seed, test_small() ? 4 : 23, 4, 6, 12);
    dft_fill(&p, 2, 9);
    void *flat = flat_response(device, &p);
    for (size_t w = 0; w < WAYS; w++) {
        clradio_dft *plan;
        if (ways[w] == CLRADIO_LAUNCH_CHILDREN && !has_children(device))
            continue;
        p.config.launch = ways[w];
        p.config.launch_parameters = ways[w] == CLRADIO_LAUNCH_HOST ? NULL : "PENDING=3";
        assert_ok(clradio_dft_create(device, &p.config, &plan));
        for (unsigned streams = 1; streams <= (test_small() ? 2 : 32); streams *= 4) {
            p.io.batch_beams = 2;
            p.io.streams = streams;
            memset(p.io.response, 0xa5, bytes_of(&p));
            assert_ok(clradio_dft_run(plan, &p.io));
            assert_memory_equal(flat, p.io.response, bytes_of(&p));
        }
        clradio_dft_destroy(plan);
    }
    free(flat);
    dft_free(&p);
}

/* A response of 1.5 MB through 256 KiB, tables of the walk included. */
static void a_memory_limit_holds(void **state)
{
    clradio_device *device = device_under_test(state), *fresh;
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    dft_problem p = { .config = dft_config(CLRADIO_CF32, 30) };
    clradio_dft *plan;
    uint64_t now, peak;
    dft_uniform(&p, test_small() ? 30 : 800, 2, 4, 6);
    dft_fill(&p, 1, 5);
    void *flat = flat_response(device, &p);
    p.config.launch = CLRADIO_LAUNCH_EMULATED;
    p.config.launch_parameters = "FAIL=3";
    p.config.memory_limit = test_small() ? 32768 : 1 << 18;
    assert_ok(clradio_dft_create(device, &p.config, &plan)); /* the self-test is not of the limit */
    clradio_dft_destroy(plan);
    assert_ok(clradio_device_describe(device, &info));
    assert_ok(clradio_device_open(info.id, &fresh));
    assert_ok(clradio_dft_create(fresh, &p.config, &plan));
    p.io.streams = 4;
    memset(p.io.response, 0xa5, bytes_of(&p));
    assert_ok(clradio_dft_run(plan, &p.io));
    assert_memory_equal(flat, p.io.response, bytes_of(&p));
    clradio_device_memory_used(fresh, &now, &peak);
    assert_true(peak > 0);
    assert_true(peak <= p.config.memory_limit);
    clradio_dft_destroy(plan);
    clradio_device_close(fresh);
    free(flat);
    dft_free(&p);
}

/* Batches recorded once a stream and replayed; the last one is smaller than the others. */
static void replayed_batches_are_the_same(void **state)
{
    clradio_device *device = device_under_test(state);
    dft_problem p = { .config = dft_config(CLRADIO_CF32, 21) };
    dft_uniform(&p, 23, 3, 4, 9);
    dft_fill(&p, 2, 9);
    void *flat = flat_response(device, &p);
    p.io.replay = 1;
    for (size_t w = 0; w < 2; w++) {
        clradio_dft *plan;
        p.config.launch = w ? CLRADIO_LAUNCH_HOST : CLRADIO_LAUNCH_FLAT;
        assert_ok(clradio_dft_create(device, &p.config, &plan));
        for (unsigned streams = 1; streams <= 8; streams *= 2) {
            p.io.batch_beams = 2;
            p.io.streams = streams;
            memset(p.io.response, 0xa5, bytes_of(&p));
            const clradio_status status = clradio_dft_run(plan, &p.io);
            if (clr_device_replays(device)) {
                assert_int_equal(status, CLRADIO_ERROR_UNSUPPORTED);
                continue;
            }
            assert_ok(status);
            assert_memory_equal(flat, p.io.response, bytes_of(&p));
        }
        clradio_dft_destroy(plan);
    }
    free(flat);
    dft_free(&p);
}

/* What is refused says so. */
static void expect_refused(clradio_device *device, const clradio_dft_config *config,
                           clradio_status status, const char *text)
{
    clradio_dft *plan = NULL;
    assert_int_equal(clradio_dft_create(device, config, &plan), status);
    assert_null(plan);
    if (!strstr(clradio_last_error(), text))
        fail_msg("'%s' is not in: %s", text, clradio_last_error());
}

static void what_cannot_be_launched_so_is_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_dft_config config = dft_config(CLRADIO_CF32, 16);
    config.launch_parameters = "LINKS=2";
    expect_refused(device, &config, CLRADIO_ERROR_ARGUMENT, "a flat launch has no parameters");
    config.launch = CLRADIO_LAUNCH_EMULATED;
    config.launch_parameters = "PENDING=4000";
    expect_refused(device, &config, CLRADIO_ERROR_ARGUMENT, "PENDING");
    config.launch_parameters = "PENDIN=4";
    expect_refused(device, &config, CLRADIO_ERROR_ARGUMENT, "PENDING");
    config.launch_parameters = NULL;
    config.launch = (clradio_dft_launch)4;
    expect_refused(device, &config, CLRADIO_ERROR_ARGUMENT, "config.launch has no meaning 4");
    if (is_opencl(device)) {
        config.launch = CLRADIO_LAUNCH_CHILDREN;
        expect_refused(device, &config, CLRADIO_ERROR_UNSUPPORTED, "cannot launch kernels");
    }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(every_way_gives_the_flat_bits_of_uniform_links),
        DEVICE_TEST(every_way_gives_the_flat_bits_of_ragged_links),
        DEVICE_TEST(variants_by_name_too),
        DEVICE_TEST(nothing_at_all_is_no_launch),
        DEVICE_TEST_SLOW(all_links_of_a_network_in_one_batch),
        DEVICE_TEST(failed_launches_are_computed_and_reported),
        DEVICE_TEST(a_failed_tail_launch_loses_nothing),
        DEVICE_TEST(launches_that_the_device_refuses_are_computed_and_reported),
        DEVICE_TEST(batches_and_streams_change_no_bit),
        DEVICE_TEST(a_memory_limit_holds),
        DEVICE_TEST(replayed_batches_are_the_same),
        DEVICE_TEST(what_cannot_be_launched_so_is_refused),
    };
    return run_device_tests("dft_children", NULL, 0, tests, sizeof tests / sizeof *tests);
}
