/*
 * Measured points: the stop rule in blocks, independence of batches and interruptions, vectors that
 * the host finishes, and counts that a recount on the host gives too.
 */
#include "montecarlo_support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void assert_same_counts(const clradio_montecarlo_counts *a,
                               const clradio_montecarlo_counts *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

/* ---- the rule ---- */

static void the_batch_changes_no_count(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    static const uint64_t batches[] = { 1024, 16384, 65536, 196608 };
    clradio_montecarlo_counts first = { 0 };
    for (int i = 0; i < 4; i++) {
        clradio_montecarlo_config config = montecarlo_link(2, 2, CLRADIO_QPSK, batches[i]);
        clradio_montecarlo_point point = montecarlo_point(&config, 15);
        point.min_errors = 2500; /* 1,170 errors a block: three blocks */
        point = montecarlo_measured(device, &config, point);
        assert_int_equal(point.end, CLRADIO_MONTECARLO_ERRORS);
        assert_int_equal(point.counts.vectors, 3 * CLRADIO_MONTECARLO_BLOCK);
        assert_int_equal(point.counts.bits, 4 * point.counts.vectors);
        assert_int_equal(point.counts.by_status[CLRADIO_DETECTED_EXACT], point.counts.vectors);
        if (!i)
            first = point.counts;
        assert_same_counts(&point.counts, &first);
    }
}

/* One block fewer has fewer errors than were asked for. */
static void a_point_ends_after_the_first_block_that_has_the_errors(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    clradio_montecarlo_config config = montecarlo_link(2, 2, CLRADIO_QPSK, 65536);
    clradio_montecarlo_point point = montecarlo_point(&config, 15);
    point.min_errors = 2000;
    const clradio_montecarlo_point whole = montecarlo_measured(device, &config, point);
    assert_int_equal(whole.end, CLRADIO_MONTECARLO_ERRORS);
    assert_true(whole.counts.bit_errors >= 2000);
    assert_int_equal(whole.counts.vectors % CLRADIO_MONTECARLO_BLOCK, 0);
    point.max_vectors = whole.counts.vectors - CLRADIO_MONTECARLO_BLOCK;
    const clradio_montecarlo_point less = montecarlo_measured(device, &config, point);
    assert_int_equal(less.end, CLRADIO_MONTECARLO_VECTORS);
    assert_true(less.counts.bit_errors < 2000);
}

static void the_cap_on_vectors_is_kept_to_the_vector(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    clradio_montecarlo_config config = montecarlo_link(1, 1, CLRADIO_QPSK, 65536);
    static const uint64_t caps[] = { 1, 2, 4097, 65535, 65536, 65537, 70001 };
    for (int i = 0; i < 7; i++) {
        clradio_montecarlo_point point = montecarlo_point(&config, 30);
        point.max_vectors = caps[i];
        point = montecarlo_measured(device, &config, point);
        assert_int_equal(point.end, CLRADIO_MONTECARLO_VECTORS);
        assert_int_equal(point.counts.vectors, caps[i]);
    }
    /* Enough errors when the cap is reached: the errors ended it. */
    clradio_montecarlo_point point = montecarlo_point(&config, 0);
    point.min_errors = 10;
    point.max_vectors = 1000;
    point = montecarlo_measured(device, &config, point);
    assert_int_equal(point.end, CLRADIO_MONTECARLO_ERRORS);
    assert_int_equal(point.counts.vectors, 1000);
}

static void the_cap_on_time_ends_a_point(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    clradio_montecarlo_config config = montecarlo_link(1, 1, CLRADIO_QPSK, 4096);
    clradio_montecarlo_point point = montecarlo_point(&config, 40);
    point.max_seconds = 1e-9;
    point = montecarlo_measured(device, &config, point);
    assert_int_equal(point.end, CLRADIO_MONTECARLO_SECONDS);
    assert_true(point.counts.vectors > 0 && point.counts.vectors <= 4096);
    assert_true(point.seconds >= 1e-9);
}

static int stop_after(void *user, const clradio_montecarlo_counts *counts)
{
    (void)counts;
    return --*(int *)user == 0;
}

/* Interrupted again and again, by plans with other batches, a point counts what it would have. */
static void a_stopped_point_goes_on_as_if_nothing_had_been(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    clradio_montecarlo_config config = montecarlo_link(2, 2, CLRADIO_QPSK, 65536);
    clradio_montecarlo_point whole = montecarlo_point(&config, 15), pieces = whole;
    whole.min_errors = pieces.min_errors = 2500;
    whole = montecarlo_measured(device, &config, whole);
    int stops = 0;
    do {
        int left = 1 + stops % 3;
        config.detector.vectors = (uint64_t)1024 << (stops % 7);
        pieces.stop = stop_after;
        pieces.user = &left;
        pieces = montecarlo_measured(device, &config, pieces);
        stops++;
        assert_true(stops < 1000);
    } while (pieces.end == CLRADIO_MONTECARLO_STOPPED);
    assert_true(stops > 5);
    assert_int_equal(pieces.end, CLRADIO_MONTECARLO_ERRORS);
    assert_same_counts(&pieces.counts, &whole.counts);
    /* A point that has ended takes nothing more. */
    pieces.stop = NULL;
    pieces = montecarlo_measured(device, &config, pieces);
    assert_same_counts(&pieces.counts, &whole.counts);
}

static void points_that_cannot_be_are_refused(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    clradio_montecarlo_config config = montecarlo_link(2, 2, CLRADIO_QPSK, 1024);
    clradio_montecarlo *plan;
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
#define REFUSE(change, word)                                                                       \
    do {                                                                                           \
        clradio_montecarlo_point point = montecarlo_point(&config, 10);                            \
        change;                                                                                    \
        assert_int_equal(clradio_montecarlo_run(plan, &point), CLRADIO_ERROR_ARGUMENT);            \
        assert_non_null(strstr(clradio_last_error(), word));                                       \
    } while (0)
    REFUSE(point.struct_size = 0, "struct_size");
    REFUSE(point.min_errors = 0, "min_errors");
    REFUSE(point.max_vectors = 0, "max_vectors");
    REFUSE(point.max_seconds = NAN, "max_seconds");
    REFUSE(point.noise_variance = -1, "noise_variance");
    REFUSE(point.counts.vectors = 5, "not counts of this plan");
    assert_int_equal(clradio_montecarlo_run(NULL, NULL), CLRADIO_ERROR_ARGUMENT);
    clradio_montecarlo_destroy(plan);
}

/* ---- what the device leaves ---- */

/*
 * A budget that a twentieth of the vectors and more pass: the host finishes
 * them, and everything but the nodes is as without a budget, whatever the batch. Left to the
 * device, they say so, and make more errors.
 */
static void vectors_that_the_device_leaves_are_finished_on_the_host(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    clradio_montecarlo_config config = montecarlo_link(4, 4, CLRADIO_QAM16, 2048);
    clradio_montecarlo_point point = montecarlo_point(&config, 18);
    point.max_vectors = 5000;
    point.min_errors = 1000000;
    const clradio_montecarlo_point whole = montecarlo_measured(device, &config, point);
    assert_int_equal(whole.counts.by_status[CLRADIO_DETECTED_EXACT], 5000);
    config.detector.node_budget = config.detector.final_budget = 40;
    config.detector.parameters = "ROUND=8"; /* steps between looks at the budget */
    clradio_montecarlo_counts first = { 0 };
    for (int i = 0; i < 2; i++) {
        config.detector.vectors = i ? 256 : 2048;
        clradio_montecarlo_point finished = montecarlo_measured(device, &config, point);
        assert_int_equal(finished.end, CLRADIO_MONTECARLO_VECTORS);
        assert_int_equal(finished.counts.by_status[CLRADIO_DETECTED_EXACT], 5000);
        if (!i)
            first = finished.counts;
        assert_same_counts(&finished.counts, &first);
        finished.counts.nodes = whole.counts.nodes;
        assert_same_counts(&finished.counts, &whole.counts);
    }
    config.flags = CLRADIO_MONTECARLO_DEVICE_ONLY;
    const clradio_montecarlo_point left = montecarlo_measured(device, &config, point);
    assert_true(left.counts.by_status[CLRADIO_DETECTED_BUDGET] > 250);
    print_message("# %" PRIu64 " vectors left, %" PRIu64 " bit errors, %" PRIu64 " when finished\n",
                  left.counts.by_status[CLRADIO_DETECTED_BUDGET], left.counts.bit_errors,
                  whole.counts.bit_errors);
    assert_true(left.counts.bit_errors > whole.counts.bit_errors);
}

/* A host that would take long is ended by the clock, in a point that says so; a stop takes nothing
 * of the row that was being finished. */
static void finishing_on_the_host_can_be_ended(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    clradio_montecarlo_config config = montecarlo_link(4, 4, CLRADIO_QAM16, 1024);
    config.detector.node_budget = config.detector.final_budget = 40;
    config.detector.parameters = "ROUND=8";
    clradio_montecarlo_point point = montecarlo_point(&config, 10);
    point.max_vectors = 100000;
    point.min_errors = 1; /* reached in the first row, which the clock cuts */
    point.max_seconds = 1e-9;
    const clradio_montecarlo_point late = montecarlo_measured(device, &config, point);
    assert_int_equal(late.end, CLRADIO_MONTECARLO_SECONDS);
    assert_int_equal(late.counts.vectors, 1024);
    assert_true(late.counts.by_status[CLRADIO_DETECTED_BUDGET] > 0);
    int left = 1;
    point.max_seconds = 0;
    point.stop = stop_after;
    point.user = &left;
    const clradio_montecarlo_point stopped = montecarlo_measured(device, &config, point);
    assert_int_equal(stopped.end, CLRADIO_MONTECARLO_STOPPED);
    assert_int_equal(stopped.counts.vectors, 0);
}

/* ---- counts ---- */

/* The joint maximum-likelihood labels of one vector, by trying all pairs. */
static void decide_pair(const float *channel, const float *received, uint16_t labels[2])
{
    double least = INFINITY;
    for (uint32_t a = 0; a < 16; a++)
        for (uint32_t b = 0; b < 16; b++) {
            double s[2][2], metric = 0;
            clradio_modulation_point(CLRADIO_QAM16, a, 0, s[0]);
            clradio_modulation_point(CLRADIO_QAM16, b, 0, s[1]);
            for (int rx = 0; rx < 2; rx++) {
                double re = (double)received[2 * rx], im = (double)received[2 * rx + 1];
                for (int tx = 0; tx < 2; tx++) {
                    const float *h = channel + 2 * (2 * rx + tx);
                    re -= (double)h[0] * s[tx][0] - (double)h[1] * s[tx][1];
                    im -= (double)h[0] * s[tx][1] + (double)h[1] * s[tx][0];
                }
                metric += re * re + im * im;
            }
            if (metric < least) {
                least = metric;
                labels[0] = (uint16_t)a;
                labels[1] = (uint16_t)b;
            }
        }
}

static uint64_t bits_that_differ(unsigned a, unsigned b)
{
    uint64_t count = 0;
    for (unsigned difference = a ^ b; difference; difference &= difference - 1)
        count++;
    return count;
}

static void a_recount_on_the_host_gives_the_same(void **state)
{
    clradio_device *device = montecarlo_runs_on(state);
    clradio_montecarlo_config config = montecarlo_link(2, 2, CLRADIO_QAM16, 1024);
    config.estimation_error = 0.01;
    clradio_montecarlo_point point = montecarlo_point(&config, 18);
    point.max_vectors = 3000;
    point.min_errors = 1000000;
    clradio_montecarlo *plan;
    clradio_montecarlo_counts counts = { 0 };
    assert_ok(clradio_montecarlo_create(device, &config, &plan));
    assert_ok(clradio_montecarlo_run(plan, &point));
    for (uint64_t v = 0; v < 3000; v++) {
        uint16_t sent[2], decided[2] = { 0, 0 };
        float estimate[8], received[4];
        assert_ok(clradio_montecarlo_vector(plan, point.point, point.noise_variance, v, sent, NULL,
                                            estimate, received));
        decide_pair(estimate, received, decided);
        const uint64_t a = bits_that_differ(sent[0], decided[0]),
                       b = bits_that_differ(sent[1], decided[1]);
        counts.bit_errors += a + b;
        counts.symbol_errors += (uint64_t)(a > 0) + (b > 0);
        counts.vector_errors += a + b > 0;
        counts.squares += (a + b) * (a + b);
    }
    assert_true(counts.bit_errors > 100);
    assert_int_equal(point.counts.bit_errors, counts.bit_errors);
    assert_int_equal(point.counts.symbol_errors, counts.symbol_errors);
    assert_int_equal(point.counts.vector_errors, counts.vector_errors);
    assert_int_equal(point.counts.squares, counts.squares);
    assert_true(point.counts.nodes >= 7 * 3000); /* 4 transmit - 1 at least */
    clradio_montecarlo_destroy(plan);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(the_batch_changes_no_count),
        DEVICE_TEST_SLOW(a_point_ends_after_the_first_block_that_has_the_errors),
        DEVICE_TEST_SLOW(the_cap_on_vectors_is_kept_to_the_vector),
        DEVICE_TEST_SLOW(the_cap_on_time_ends_a_point),
        DEVICE_TEST_SLOW(a_stopped_point_goes_on_as_if_nothing_had_been),
        DEVICE_TEST_SLOW(points_that_cannot_be_are_refused),
        DEVICE_TEST_SLOW(vectors_that_the_device_leaves_are_finished_on_the_host),
        DEVICE_TEST_SLOW(finishing_on_the_host_can_be_ended),
        DEVICE_TEST_SLOW(a_recount_on_the_host_gives_the_same),
    };
    return run_device_tests("montecarlo_run", NULL, 0, tests, sizeof tests / sizeof *tests);
}
