/* The detector's kernels whose work-items share local memory, small enough for a simulator that
 * looks for races: trees taken from a queue, trees of several lanes, the second pass. */
#include "detector_support.h"

static void expect_exact(clradio_device *device, const char *variant, const char *parameters)
{
    clradio_detector_config config = detector_config(2, 2, CLRADIO_QPSK, 9);
    config.variant = variant;
    config.parameters = parameters;
    config.node_budget = 9; /* some trees go to the second pass */
    if (!detector_expect_exact(device, &config, 6, 3))
        skip(); /* a processor's tree has one lane */
}

static void lanes_take_trees_from_a_queue_in_local_memory(void **state)
{
    expect_exact(device_under_test(state), "lane", "CTA_SIZE=4 REFILL=2 QUEUE=1 STACK=1 STEPS=3");
}

static void lanes_share_trees(void **state)
{
    expect_exact(device_under_test(state), "group", "CTA_SIZE=4 TREES_PER_CTA=2 ROUND=5 AGAIN=2");
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(lanes_take_trees_from_a_queue_in_local_memory),
        DEVICE_TEST(lanes_share_trees),
    };
    return run_device_tests("detector races", NULL, 0, tests, sizeof tests / sizeof *tests);
}
