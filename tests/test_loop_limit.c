/*
 * Drivers that end a work-item's loops after a total of rounds: what the probe says holds, and sums
 * stay right under a limit. The small limits here are set by hand, so that every device splits.
 */
#include "xengine_support.h"

#include "device/backend.h"

#include <clradio/fengine.h>

#include <stdlib.h>
#include <string.h>

/* The states of the generator in cl/test_device.cl after so many rounds in two loops. */
static void a_kernel_goes_round_as_often_as_the_device_says(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint64_t most = clr_device_loop_rounds(device);
    const uint32_t rounds = (uint32_t)(most < 500000 ? most : test_small() ? 20000 : 500000);
    /* a third in a plain loop; the rest, 16 at a time, in a loop of two: 18 rounds each with the
     * exits */
    const uint32_t plain = rounds / 3, outer = (rounds - plain) / 18 - 1, inner = 16;
    clr_program *program;
    clr_kernel *kernel;
    clr_chain chain;
    clradio_queue *queue;
    clradio_buffer *buffer;
    uint32_t out = 0;
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, sizeof out, &buffer));
    assert_ok(clr_program_get(device, "test_device.cl", NULL, 0, &program));
    assert_ok(clr_kernel_create(program, "test_rounds", &kernel));
    clr_launch launch = { .groups = { 1, 1, 1 }, .group = { 1, 1, 1 } };
    clr_launch_span(&launch, (clradio_span){ buffer, 0 });
    clr_launch_u32(&launch, plain);
    clr_launch_u32(&launch, outer);
    clr_launch_u32(&launch, inner);
    assert_ok(clr_chain_begin(&chain, queue, NULL, 0, NULL));
    assert_ok(clr_chain_end(&chain, clr_chain_launch(&chain, kernel, &launch), NULL));
    assert_ok(
        clradio_buffer_read(queue, (clradio_span){ buffer, 0 }, &out, sizeof out, 0, NULL, NULL));
    uint32_t expected = 1;
    for (uint32_t k = 0; k < plain + outer * inner; k++)
        expected = expected * 1664525u + 1013904223u;
    assert_int_equal(out, expected);
    clr_kernel_release(kernel);
    clr_program_release(program);
    clradio_buffer_destroy(buffer);
    clradio_queue_destroy(queue);
}

/* By the formula of src/engine/xengine_tile.c a limit of 1,600 leaves 24 spectra a launch for
 * W=4 T_STAGE=4: one slice and several, whole and odd lengths, calls that add up. */
static void sums_are_exact_when_loops_are_short(void **state)
{
    clradio_device *device = device_under_test(state);
    static const char *const parameters[] = { "W=4 Dx=2 Dy=2 T_STAGE=4 SPLIT_T=1",
                                              "W=4 Dx=2 Dy=2 T_STAGE=4 SPLIT_T=3",
                                              "W=4 Dx=2 Dy=2 T_STAGE=4" };
    static const uint64_t lengths[][3] = { { 24, 0, 0 },   { 25, 24, 1 },  { 71, 72, 73 },
                                           { 300, 23, 9 }, { 3, 300, 48 }, { 1, 2, 3 } };
    const uint32_t found = device->loop_limit;
    device->loop_limit = 1600;
    for (size_t p = 0; p < 3; p++)
        for (size_t l = 0; l < (test_small() ? 3 : 6); l++) {
            const size_t calls = lengths[l][1] ? 3 : 1;
            const uint64_t count = lengths[l][0] + lengths[l][1] + lengths[l][2];
            clradio_xengine_config config = xengine_config(CLRADIO_CI8, 5, 2, 3, count);
            config.parameters = parameters[p];
            xengine_fill_output(&config);
            void *spectra = xengine_random(&config, count, 77 + l);
            clradio_xengine *plan;
            assert_ok(clradio_xengine_create(device, &config, &plan));
            void *sums = xengine_calls(device, plan, &config, spectra, lengths[l], calls, NULL);
            xengine_compare(&config, spectra, count, sums, 0);
            clradio_xengine_destroy(plan);
            free(sums);
            free(spectra);
        }
    device->loop_limit = found;
}

/* A tile of a few rounds serves in the place of one that would need more; what nothing serves is
 * refused with a sentence. */
static void what_needs_longer_loops_is_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint32_t found = device->loop_limit;
    clradio_xengine *x = NULL;
    clradio_fengine *f = NULL;
    clradio_xengine_config sums = xengine_config(CLRADIO_CI8, 3, 1, 1, 100);
    device->loop_limit = 200;
    sums.parameters = "W=4 Dx=2 Dy=2 T_STAGE=8";
    assert_int_equal(clradio_xengine_create(device, &sums, &x), CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "longer loops than the driver of"));
    assert_null(x);
    sums.parameters = "W=2 Dx=1 Dy=1 T_STAGE=1";
    assert_ok(clradio_xengine_create(device, &sums, &x));
    clradio_xengine_destroy(x);
    clradio_fengine_config filter = CLRADIO_FENGINE_CONFIG_INIT;
    filter.stations = filter.spectra = 1;
    filter.channels = 1;
    filter.taps = 174; /* 200 - 200 / 8 = 175 rounds; two loops have two exits */
    assert_int_equal(clradio_fengine_create(device, &filter, &f), CLRADIO_ERROR_LIMIT);
    assert_non_null(strstr(clradio_last_error(), "the largest number is 173"));
    assert_null(f);
    filter.taps = 173;
    assert_ok(clradio_fengine_create(device, &filter, &f));
    clradio_fengine_destroy(f);
    device->loop_limit = found;
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(a_kernel_goes_round_as_often_as_the_device_says),
        DEVICE_TEST(sums_are_exact_when_loops_are_short),
        DEVICE_TEST(what_needs_longer_loops_is_refused),
    };
    return run_device_tests("loop limit", NULL, 0, tests, sizeof tests / sizeof *tests);
}
