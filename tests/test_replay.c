/*
 * Recorded commands do nothing while they are recorded, and the same each time they are played,
 * with what then lies in the memory that they read. On devices without such a thing the reason is
 * said. tests/test_cuda.sh runs this against the stand-in for the driver.
 */
#include "support.h"

#include "device/device.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 256 };

typedef struct recording {
    clradio_queue *queue;
    void *in, *out, *handles[2]; /* memory that the device copies from and to by itself */
    clradio_span from, to;
    clr_replay *replay;
} recording;

/* to = from with 16 bytes of 9 behind it; copies both ways. */
static clradio_status commands(recording *r)
{
    clradio_event *done[4] = { NULL };
    clr_chain chain;
    clradio_status status =
        clradio_buffer_write(r->queue, r->from, r->in, BYTES, 0, NULL, &done[0]);
    if (!status)
        status = clr_chain_begin(&chain, r->queue, NULL, 0, NULL);
    if (!status) {
        status = clr_chain_copy(&chain, r->from, r->to, BYTES);
        if (!status)
            status = clr_chain_fill(&chain, (clradio_span){ r->to.buffer, BYTES - 16 }, 9, 16);
        status = clr_chain_end(&chain, status, &done[1]);
    }
    if (!status)
        status = clradio_buffer_read(r->queue, r->to, r->out, BYTES, 0, NULL, &done[2]);
    for (size_t i = 0; i < 3; i++)
        clradio_event_destroy(done[i]);
    return status;
}

static void open_recording(clradio_device *device, recording *r)
{
    memset(r, 0, sizeof *r);
    assert_ok(clradio_queue_create(device, 0, &r->queue));
    assert_ok(clr_host_memory_create(device, BYTES, &r->in, &r->handles[0]));
    assert_ok(clr_host_memory_create(device, BYTES, &r->out, &r->handles[1]));
    assert_ok(clradio_buffer_create(device, BYTES, &r->from.buffer));
    assert_ok(clradio_buffer_create(device, BYTES, &r->to.buffer));
}

static void close_recording(clradio_device *device, recording *r)
{
    assert_ok(clradio_queue_finish(r->queue));
    clr_replay_destroy(r->replay);
    clradio_buffer_destroy(r->from.buffer);
    clradio_buffer_destroy(r->to.buffer);
    clr_host_memory_destroy(device, r->in, r->handles[0]);
    clr_host_memory_destroy(device, r->out, r->handles[1]);
    clradio_queue_destroy(r->queue);
}

static void expect_output(const recording *r, int value)
{
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(((unsigned char *)r->out)[i], i < BYTES - 16 ? value : 9);
}

static void recorded_commands_are_done_each_time_they_are_played(void **state)
{
    clradio_device *device = device_under_test(state);
    recording r;
    if (clr_device_replays(device))
        skip();
    open_recording(device, &r);
    memset(r.in, 1, BYTES);
    memset(r.out, 0xa5, BYTES);
    assert_ok(clr_replay_begin(r.queue));
    assert_ok(commands(&r));
    assert_ok(clr_replay_end(r.queue, &r.replay));
    assert_ok(clradio_queue_finish(r.queue));
    for (int i = 0; i < BYTES; i++) /* not yet */
        assert_int_equal(((unsigned char *)r.out)[i], 0xa5);
    for (int value = 2; value < 5; value++) {
        clradio_event *done = NULL;
        memset(r.in, value, BYTES);
        memset(r.out, 0xa5, BYTES);
        assert_ok(clr_replay_enqueue(r.replay, r.queue, &done));
        assert_ok(clradio_event_wait(done));
        assert_int_equal(clradio_event_complete(done), 1);
        clradio_event_destroy(done);
        expect_output(&r, value);
    }
    close_recording(device, &r);
}

static void a_record_that_is_thrown_away_leaves_the_queue_as_it_was(void **state)
{
    clradio_device *device = device_under_test(state);
    recording r;
    if (clr_device_replays(device))
        skip();
    open_recording(device, &r);
    assert_ok(clr_replay_begin(r.queue));
    assert_ok(commands(&r));
    assert_ok(clr_replay_end(r.queue, NULL));
    memset(r.in, 7, BYTES);
    memset(r.out, 0xa5, BYTES);
    assert_ok(commands(&r));
    assert_ok(clradio_queue_finish(r.queue));
    expect_output(&r, 7);
    close_recording(device, &r);
}

static void where_nothing_is_recorded_it_is_said(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_queue *queue;
    if (!is_opencl(device))
        skip();
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_int_equal(clr_replay_begin(queue), CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "CUDA's graphs can"));
    clradio_queue_destroy(queue);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(recorded_commands_are_done_each_time_they_are_played),
        DEVICE_TEST(a_record_that_is_thrown_away_leaves_the_queue_as_it_was),
        DEVICE_TEST(where_nothing_is_recorded_it_is_said),
    };
    return run_device_tests("replay", NULL, 0, tests, sizeof tests / sizeof *tests);
}
