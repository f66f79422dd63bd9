/*
 * X-engine: random configurations of every variant, type, layout and order, with flags, several
 * integrations and calls of any length, against the plain reference. 40 of them, from a fixed seed;
 * 10,000 with CLRADIO_TEST_LONG=1; CLRADIO_TEST_SEED=n begins with the n-th.
 */
#include "xengine_runs.h"

#include "engine/xengine_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_COUNT = 40, LONG_COUNT = 10000, SMALL_COUNT = 6 };

/* A few shapes of the variant tile, so that configurations share programs. */
static const char *const shapes[] = {
    "SPLIT_T=3",
    "W=8 Bx=4 By=4 Dx=2 Dy=2 T_STAGE=4 STRIDED=1 RUN=0 FLOAT=0",
    "Bx=2 By=4 Dx=4 Dy=1 T_STAGE=3 STRIDED=0 RUN=9 FLOAT=0 SPLIT_T=2",
};

static uint64_t up_to(uint64_t *seed, uint64_t least, uint64_t most)
{
    return (uint64_t)test_random_between(seed, (int64_t)least, (int64_t)most);
}

static int one_in(uint64_t *seed, uint64_t n)
{
    return test_random(seed) % n == 0;
}

static void random_input(uint64_t *seed, clradio_xengine_config *config)
{
    config->layout = (clradio_layout)(test_random(seed) % 3);
    if (config->layout == CLRADIO_LAYOUT_BLOCKED && one_in(seed, 3))
        config->block_times = (uint32_t)up_to(seed, 1, 70);
    if (config->input == CLRADIO_CI4)
        config->ci4_coding = (unsigned)(test_random(seed) % 4);
    if (one_in(seed, 2))
        return;
    config->valid = one_in(seed, 2) ? CLRADIO_VALID_BYTES : CLRADIO_VALID_BITS;
    config->valid |= one_in(seed, 2) ? 0 : CLRADIO_VALID_PER_INPUT;
    config->valid |= one_in(seed, 2) ? 0 : CLRADIO_VALID_PER_CHANNEL;
    config->valid_times = one_in(seed, 2) ? 1 : (uint32_t)up_to(seed, 1, 40);
}

static void random_output(uint64_t *seed, clradio_xengine_config *config, int fp64)
{
    static const clradio_type outputs[] = { CLRADIO_CF32, CLRADIO_CF64, CLRADIO_CI64,
                                            CLRADIO_CI32 };
    const int is_float = clr_xengine_is_float(config->input);
    config->output = outputs[test_random(seed) % (is_float ? 2 : 4)];
    if (config->output == CLRADIO_CF64 && !fp64)
        config->output = CLRADIO_CF32;
    config->order = (clradio_order)(test_random(seed) % 6);
    config->conjugate = one_in(seed, 2);
    config->flags = one_in(seed, 3) ? CLRADIO_XENGINE_SINGLE_CALL : 0;
}

static clradio_xengine_config random_config(uint64_t *seed, int fp64)
{
    static const clradio_type inputs[] = { CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CI16, CLRADIO_CF16,
                                           CLRADIO_CF32 };
    const int large = !test_small() && one_in(seed, 4);
    const uint32_t stations =
        (uint32_t)(large ? up_to(seed, 66, 140) : up_to(seed, 1, test_small() ? 9 : 65));
    clradio_xengine_config config = xengine_config(
        inputs[test_random(seed) % 5], stations, (uint32_t)up_to(seed, 1, 2),
        (uint32_t)up_to(seed, 1, large ? 2 : 7), up_to(seed, 1, test_small() || large ? 40 : 130));
    random_input(seed, &config);
    random_output(seed, &config, fp64);
    const uint64_t variant = test_random(seed) % (2 * clr_xengine_variant_count);
    if (variant < clr_xengine_variant_count)
        config.variant = clr_xengine_variants[variant]->name;
    if (config.variant && strcmp(config.variant, "tile") == 0 && one_in(seed, 2))
        config.parameters = shapes[test_random(seed) % 3];
    else if (config.variant && one_in(seed, 2))
        config.parameters = xengine_emulation(clr_xengine_variants[variant]);
    return config;
}

/* A variant by name may not have that type here; work-groups may be too small for a shape. */
static int is_served(clradio_device *device, const clradio_xengine_config *config)
{
    clradio_xengine *plan = NULL;
    const clradio_status status = clradio_xengine_create(device, config, &plan);
    clradio_xengine_destroy(plan);
    if (config->variant && status == CLRADIO_ERROR_UNSUPPORTED)
        return 0;
    assert_ok(status);
    return 1;
}

static void run_one(clradio_device *device, uint64_t *seed, clradio_xengine_config config)
{
    const int single = (config.flags & CLRADIO_XENGINE_SINGLE_CALL) != 0;
    const int on_host = one_in(seed, 2);
    uint64_t count = up_to(seed, 0, config.spectra), each = 0;
    flagged_run run;
    if (on_host && !single)
        count = up_to(seed, 0, 3 * config.spectra);
    if (one_in(seed, 3)) {
        each = up_to(seed, 1, config.spectra);
        if (config.layout == CLRADIO_LAYOUT_BLOCKED) {
            const uint64_t times = config.block_times ? config.block_times
                                                      : clr_xengine_usual_block_times(config.input);
            each = (each + times - 1) / times * times;
        }
        if (config.valid && single)
            each = 0; /* entries could begin in one integration and end in the next */
    }
    flagged_run_make(&run, device, config, count, each, test_random(seed));
    if (on_host)
        flagged_run_on_host(&run);
    else
        flagged_run_on_device(&run, device);
    flagged_run_expect(&run);
    flagged_run_drop(&run);
}

static void random_configurations_are_right(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    const char *first_text = getenv("CLRADIO_TEST_SEED");
    const uint64_t first = first_text ? strtoull(first_text, NULL, 10) : 0;
    const uint64_t count = test_small() ? SMALL_COUNT : test_long() ? LONG_COUNT : SHORT_COUNT;
    uint64_t served = 0;
    assert_ok(clradio_device_describe(device, &info));
    for (uint64_t n = first; n < count; n++) {
        uint64_t seed = 20261130u + n;
        const clradio_xengine_config config = random_config(&seed, info.fp64);
        if (!is_served(device, &config))
            continue;
        if (test_long() && n % 100 == 0)
            fprintf(stderr, "# configuration %llu\n", (unsigned long long)n);
        run_one(device, &seed, config);
        served++;
    }
    /* only variants by name are left out */
    assert_true(served > (count - first) / 2 || first >= count);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(random_configurations_are_right),
    };
    return run_device_tests("xengine_random", NULL, 0, tests, sizeof tests / sizeof *tests);
}
