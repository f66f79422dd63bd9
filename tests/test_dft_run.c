/* Channel DFT on host arrays: batches, streams, memory limits, the callback; what calls refuse. */
#include "dft_support.h"

#include <stdlib.h>
#include <string.h>

/* Ragged beams with everything a batch has to cut: rates, delays of paths, time steps. */
static void make_ragged(dft_problem *p, uint64_t seed)
{
    p->config = dft_config(CLRADIO_CF32, 37);
    p->config.delays = seed % 2 ? CLRADIO_PER_PATH : CLRADIO_PER_LINK;
    p->config.rates = seed % 3 == 0 ? CLRADIO_PER_LINK : CLRADIO_PER_NONE;
    p->config.normalisation = seed % 2 ? CLRADIO_NORMALISE_LINK : CLRADIO_NORMALISE_NONE;
    dft_ragged(p, &seed, test_small() ? 5 : 23, 4, 6, 12);
    dft_fill(p, 3, seed);
}

static void run_problem(clradio_dft *plan, dft_problem *p)
{
    memset(p->io.response, 0xa5, p->counts.response * p->io.time_steps * 8);
    memset(p->status, 0xa5, p->counts.paths * 4);
    p->io.status = p->status;
    p->io.bad_paths = &p->bad_paths;
    assert_ok(clradio_dft_run(plan, &p->io));
}

static void batches_and_streams_change_no_bit(void **state)
{
    clradio_device *device = device_under_test(state);
    for (uint64_t seed = 1; seed <= (test_small() ? 1 : 3); seed++) {
        dft_problem p = { .bad_paths = 0 };
        clradio_dft *plan;
        make_ragged(&p, seed);
        const uint64_t bytes = p.counts.response * p.io.time_steps * 8;
        assert_ok(clradio_dft_create(device, &p.config, &plan));
        dft_call(device, plan, &p); /* one call with everything on the device */
        void *whole = malloc(bytes);
        assert_non_null(whole);
        memcpy(whole, p.io.response, bytes);
        for (uint64_t beams = 0; beams < 9; beams += 1 + beams)
            for (unsigned streams = 0; streams < 6; streams += 1 + streams) {
                p.io.batch_beams = beams;
                p.io.streams = streams;
                run_problem(plan, &p);
                assert_memory_equal(whole, p.io.response, bytes);
                for (uint64_t n = 0; n < p.counts.paths; n++)
                    assert_int_equal(p.status[n], 0);
                assert_int_equal(p.bad_paths, 0);
            }
        free(whole);
        clradio_dft_destroy(plan);
        dft_free(&p);
    }
}

static uint64_t memory_now(clradio_device *device, uint64_t *peak)
{
    uint64_t now;
    clradio_device_memory_used(device, &now, peak);
    return now;
}

/* A response of 12 MB through 1 MiB: the same bits, and never more than the limit on the device. */
static void a_memory_limit_holds_and_changes_no_bit(void **state)
{
    clradio_device *device = device_under_test(state);
    dft_problem p = { .config = dft_config(CLRADIO_CF32, 120) };
    clradio_device *fresh;
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    clradio_dft *plan;
    uint64_t before, peak;
    dft_uniform(&p, test_small() ? 40 : 1600, 1, 8, 10);
    dft_fill(&p, 1, 5);
    const uint64_t bytes = p.counts.response * 8;
    assert_ok(clradio_dft_create(device, &p.config, &plan));
    run_problem(plan, &p);
    void *unlimited = malloc(bytes);
    assert_non_null(unlimited);
    memcpy(unlimited, p.io.response, bytes);
    clradio_dft_destroy(plan);
    p.config.memory_limit = test_small() ? 65536 : 1 << 20;
    assert_ok(clradio_device_describe(device, &info));
    assert_ok(clradio_device_open(info.id, &fresh)); /* its peak is not yet that of other tests */
    assert_ok(clradio_dft_create(fresh, &p.config, &plan));
    before = memory_now(fresh, &peak);
    assert_true(before <= p.config.memory_limit);
    clradio_dft_destroy(plan);
    clradio_device_close(fresh);
    assert_ok(clradio_device_open(info.id, &fresh)); /* the self-test's verdict is known now */
    assert_ok(clradio_dft_create(fresh, &p.config, &plan));
    run_problem(plan, &p);
    memory_now(fresh, &peak);
    assert_true(peak > 0);
    assert_true(peak <= p.config.memory_limit);
    assert_memory_equal(unlimited, p.io.response, bytes);
    clradio_dft_destroy(plan);
    p.config.memory_limit = 2000; /* less than one beam */
    assert_ok(clradio_dft_create(fresh, &p.config, &plan));
    assert_int_equal(clradio_dft_run(plan, &p.io), CLRADIO_ERROR_LIMIT);
    assert_non_null(strstr(clradio_last_error(), "beam 0 alone needs"));
    clradio_dft_destroy(plan);
    clradio_device_close(fresh);
    free(unlimited);
    dft_free(&p);
}

/* A plan on a device object of its own, whose peak is that of this plan's runs. */
static clradio_dft *limited_plan(clradio_device *device, const clradio_dft_config *config,
                                 clradio_device **fresh)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    clradio_dft *plan;
    assert_ok(clradio_device_describe(device, &info));
    assert_ok(clradio_device_open(info.id, fresh));
    assert_ok(clradio_dft_create(*fresh, config, &plan));
    return plan;
}

/* A beam of 0.6 MB under 2 MiB: fewer streams than the usual four. And one of 84 MB, more than a
 * batch usually has, under 256 MiB. The second run uses the memory of the first. */
static void large_beams_are_fitted_into_the_limit(void **state)
{
    clradio_device *device = device_under_test(state), *fresh;
    static const struct {
        uint32_t subcarriers;
        uint64_t paths, limit;
    } cases[] = { { 1200, 64, 2 << 20 }, { 1 << 21, 5, 256 << 20 } };
    for (size_t n = 0; n < (test_small() ? 0 : 2); n++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, cases[n].subcarriers) };
        uint64_t peak, again;
        dft_uniform(&p, 5 - 3 * n, 1, cases[n].paths, 4);
        dft_fill(&p, 1, n);
        const uint64_t bytes = p.counts.response * 8;
        clradio_dft *plan;
        assert_ok(clradio_dft_create(device, &p.config, &plan));
        run_problem(plan, &p);
        clradio_dft_destroy(plan);
        void *unlimited = malloc(bytes);
        assert_non_null(unlimited);
        memcpy(unlimited, p.io.response, bytes);
        p.config.memory_limit = cases[n].limit;
        plan = limited_plan(device, &p.config, &fresh);
        run_problem(plan, &p);
        memory_now(fresh, &peak);
        assert_true(peak > p.config.memory_limit / 5 && peak <= p.config.memory_limit);
        assert_memory_equal(unlimited, p.io.response, bytes);
        memset(p.io.response, 0, bytes);
        run_problem(plan, &p);
        memory_now(fresh, &again);
        assert_int_equal(again, peak);
        assert_memory_equal(unlimited, p.io.response, bytes);
        clradio_dft_destroy(plan);
        assert_int_equal(memory_now(fresh, &peak), 0);
        clradio_device_close(fresh);
        free(unlimited);
        dft_free(&p);
    }
}

typedef struct seen {
    dft_problem *p;
    unsigned char *response; /* put together from the batches */
    uint64_t next_beam, next_link, next_path, calls, stop_after;
} seen;

static int look(void *user, const clradio_dft_batch *batch)
{
    seen *s = user;
    const uint64_t steps = s->p->io.time_steps;
    const uint64_t row = s->p->counts.paths ? s->p->counts.response / s->p->counts.paths * 8 : 0;
    assert_int_equal(batch->first_beam, s->next_beam);
    assert_int_equal(batch->first_link, s->next_link);
    assert_int_equal(batch->first_path, s->next_path);
    assert_int_equal(batch->response_bytes, batch->paths * row * steps);
    for (uint64_t time = 0; time < steps && batch->paths; time++)
        memcpy(s->response + (time * s->p->counts.paths + batch->first_path) * row,
               (const unsigned char *)batch->response + time * batch->paths * row,
               batch->paths * row);
    s->next_beam += batch->beams;
    s->next_link += batch->links;
    s->next_path += batch->paths;
    return ++s->calls == s->stop_after;
}

static void finished_batches_come_in_order(void **state)
{
    clradio_device *device = device_under_test(state);
    dft_problem p = { .bad_paths = 0 };
    clradio_dft *plan;
    make_ragged(&p, 4);
    const uint64_t bytes = p.counts.response * p.io.time_steps * 8;
    seen s = { .p = &p, .response = calloc(bytes ? bytes : 1, 1) };
    assert_non_null(s.response);
    assert_ok(clradio_dft_create(device, &p.config, &plan));
    run_problem(plan, &p);
    void *kept = p.io.response;
    p.io.response = NULL; /* the batches alone */
    p.io.finished = look;
    p.io.user = &s;
    p.io.batch_beams = 2;
    assert_ok(clradio_dft_run(plan, &p.io));
    assert_int_equal(s.next_beam, p.counts.beams);
    assert_int_equal(s.next_path, p.counts.paths);
    assert_int_equal(s.calls, (p.counts.beams + 1) / 2);
    assert_memory_equal(kept, s.response, bytes);
    s.next_beam = s.next_link = s.next_path = s.calls = 0;
    s.stop_after = 2;
    assert_int_equal(clradio_dft_run(plan, &p.io), CLRADIO_ERROR_INTERRUPTED);
    assert_int_equal(s.calls, 2);
    p.io.response = kept;
    free(s.response);
    clradio_dft_destroy(plan);
    dft_free(&p);
}

static void no_beams_and_empty_ones_are_no_failure(void **state)
{
    clradio_dft *plan;
    for (uint64_t beams = 0; beams < 3; beams++) {
        dft_problem p = { .config = dft_config(CLRADIO_CF32, 5) };
        dft_uniform(&p, beams, 0, 3, 4);
        dft_fill(&p, 1, 1);
        assert_ok(clradio_dft_create(device_under_test(state), &p.config, &plan));
        run_problem(plan, &p);
        clradio_dft_destroy(plan);
        dft_free(&p);
    }
}

static void not_finite_input_is_counted_over_batches(void **state)
{
    clradio_dft *plan;
    dft_problem p = { .config = dft_config(CLRADIO_CF32, 9) };
    dft_uniform(&p, 7, 2, 3, 5);
    dft_fill(&p, 1, 1);
    const uint32_t infinite = 0x7f800000;
    memcpy((float *)p.gains + 2 * 5 * 4, &infinite, 4);  /* path 4 */
    memcpy((float *)p.gains + 2 * 5 * 40, &infinite, 4); /* path 40 */
    assert_ok(clradio_dft_create(device_under_test(state), &p.config, &plan));
    p.io.batch_beams = 1;
    run_problem(plan, &p);
    assert_int_equal(p.bad_paths, 2);
    assert_int_equal(p.status[4], 1);
    assert_int_equal(p.status[40], 1);
    clradio_dft_destroy(plan);
    dft_free(&p);
}

static void expect_argument(clradio_status status, const char *part)
{
    assert_int_equal(status, CLRADIO_ERROR_ARGUMENT);
    if (!strstr(clradio_last_error(), part))
        fail_msg("'%s' is not in: %s", part, clradio_last_error());
}

static void wrong_calls_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    dft_problem p = { .config = dft_config(CLRADIO_CF32, 9) };
    clradio_dft *plan;
    clradio_dft_layout *layout;
    clradio_queue *queue;
    clradio_dft_io io = CLRADIO_DFT_IO_INIT;
    dft_uniform(&p, 2, 1, 3, 5);
    dft_fill(&p, 1, 1);
    assert_ok(clradio_dft_create(device, &p.config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_dft_layout_create(plan, &p.sizes, &layout));
    expect_argument(clradio_dft_enqueue(plan, queue, &io, 0, NULL, NULL), "io.layout is NULL");
    io.layout = layout;
    expect_argument(clradio_dft_enqueue(plan, queue, &io, 0, NULL, NULL), "io.response has no");
    assert_ok(clradio_buffer_create(device, 2 * 3 * 9 * 8, &io.response.buffer));
    io.gains.buffer = io.delays.buffer = io.response.buffer;
    expect_argument(clradio_dft_enqueue(plan, queue, &io, 0, NULL, NULL), "response");
    assert_ok(clradio_buffer_create(device, 2 * 3 * 5 * 8, &io.gains.buffer));
    assert_ok(clradio_buffer_create(device, 2 * 5 * 8, &io.delays.buffer));
    static const char zeros[2 * 3 * 5 * 8];
    const clradio_span gains = { io.gains.buffer, 0 }, delays = { io.delays.buffer, 0 };
    assert_ok(clradio_buffer_write(queue, gains, zeros, sizeof zeros, 0, NULL, NULL));
    assert_ok(clradio_buffer_write(queue, delays, zeros, 2 * 5 * 8, 0, NULL, NULL));
    io.time_steps = 2;
    expect_argument(clradio_dft_enqueue(plan, queue, &io, 0, NULL, NULL), "io.response needs");
    io.time_steps = 0;
    expect_argument(clradio_dft_enqueue(plan, queue, &io, 0, NULL, NULL), "io.time_steps is 0");
    io.time_steps = 1;
    io.delays.offset = 8;
    expect_argument(clradio_dft_enqueue(plan, queue, &io, 0, NULL, NULL), "io.delays needs");
    io.delays.offset = 0;
    assert_ok(clradio_dft_enqueue(plan, queue, &io, 0, NULL, NULL));
    assert_ok(clradio_queue_finish(queue));
    p.io.streams = 33;
    expect_argument(clradio_dft_run(plan, &p.io), "io.streams is 33");
    p.io.streams = 0;
    p.io.gains = NULL;
    expect_argument(clradio_dft_run(plan, &p.io), "io.gains");
    clradio_buffer_destroy(io.gains.buffer);
    clradio_buffer_destroy(io.delays.buffer);
    clradio_buffer_destroy(io.response.buffer);
    clradio_dft_layout_destroy(layout);
    clradio_queue_destroy(queue);
    clradio_dft_destroy(plan);
    dft_free(&p);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(batches_and_streams_change_no_bit),
        DEVICE_TEST(a_memory_limit_holds_and_changes_no_bit),
        DEVICE_TEST(large_beams_are_fitted_into_the_limit),
        DEVICE_TEST(finished_batches_come_in_order),
        DEVICE_TEST(no_beams_and_empty_ones_are_no_failure),
        DEVICE_TEST(not_finite_input_is_counted_over_batches),
        DEVICE_TEST(wrong_calls_are_refused),
    };
    return run_device_tests("dft_run", NULL, 0, tests, sizeof tests / sizeof *tests);
}
