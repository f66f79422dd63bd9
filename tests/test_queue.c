/* The room device: what is enqueued, seen from outside: wait lists, events, chains, threads, the
 * caller's own objects. */
#include "support.h"

#include "device/backend.h"

#include <clradio/opencl.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1000, BYTES = 4 * COUNT, POISON = 0xee };

/* A device's kernel, queue and two buffers, the first holding 0, 1, 2, ... from `offset` bytes on.
 */
typedef struct bench {
    clradio_device *device;
    clradio_queue *queue, *other;
    clr_program *program;
    clr_kernel *kernel;
    clradio_buffer *from, *to;
    uint64_t offset;
} bench;

static void bench_make(bench *b, clradio_device *device, clradio_queue *queue, uint64_t offset)
{
    uint32_t numbers[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i;
    *b = (bench){ .device = device, .queue = queue, .offset = offset };
    assert_ok(clradio_queue_create(device, 0, &b->other));
    assert_ok(clr_program_get(device, "test_device.cl", NULL, 0, &b->program));
    assert_ok(clr_kernel_create(b->program, "test_scale", &b->kernel));
    assert_ok(clradio_buffer_create(device, BYTES + offset, &b->from));
    assert_ok(clradio_buffer_create(device, BYTES + offset, &b->to));
    assert_ok(clradio_buffer_write(b->other, (clradio_span){ b->from, offset }, numbers, BYTES, 0,
                                   NULL, NULL));
    assert_ok(clradio_buffer_fill(b->other, (clradio_span){ b->to, 0 }, POISON, BYTES + offset, 0,
                                  NULL, NULL));
}

static void bench_end(bench *b)
{
    clr_kernel_release(b->kernel);
    clr_program_release(b->program);
    clradio_buffer_destroy(b->from);
    clradio_buffer_destroy(b->to);
    clradio_queue_destroy(b->other);
}

static clradio_status scale(bench *b, clr_chain *chain, clradio_buffer *from, clradio_buffer *to,
                            uint32_t factor)
{
    clr_launch launch = { .groups = { (COUNT + 63) / 64, 1, 1 }, .group = { 64, 1, 1 } };
    clr_launch_span(&launch, (clradio_span){ from, b->offset });
    clr_launch_span(&launch, (clradio_span){ to, b->offset });
    clr_launch_u64(&launch, COUNT);
    clr_launch_u32(&launch, factor);
    return clr_chain_launch(chain, b->kernel, &launch);
}

/* x -> 3x + 1 -> 5(3x + 1) + 1 -> 7(...) + 1, there and back between the two buffers: out of order
 * they would be wrong. */
static clradio_status three_steps(bench *b, clradio_event *after, size_t n, clradio_event **wait,
                                  clradio_event **done)
{
    clr_chain chain;
    clradio_status status = clr_chain_begin(&chain, b->queue, after, n, wait);
    if (!status)
        status = scale(b, &chain, b->from, b->to, 3);
    if (!status)
        status = scale(b, &chain, b->to, b->from, 5);
    if (!status)
        status = scale(b, &chain, b->from, b->to, 7);
    return clr_chain_end(&chain, status, done);
}

static uint32_t after_three(uint32_t x)
{
    return ((x * 3 + 1) * 5 + 1) * 7 + 1;
}

/* The output through a queue of its own, and nothing before it touched. */
static void expect_output(bench *b, size_t n_wait, clradio_event **wait, int poison)
{
    unsigned char *bytes = malloc(BYTES + b->offset);
    uint32_t value;
    assert_ok(clradio_buffer_read(b->other, (clradio_span){ b->to, 0 }, bytes, BYTES + b->offset,
                                  n_wait, wait, NULL));
    for (uint64_t i = 0; i < b->offset; i++)
        assert_int_equal(bytes[i], POISON);
    for (uint32_t i = 0; i < COUNT; i++) {
        memcpy(&value, bytes + b->offset + 4 * i, 4);
        assert_int_equal(value, poison ? 0xeeeeeeeeu : after_three(i));
    }
    free(bytes);
}

/*
 * A chain behind an event that nobody has set: the call returns, its event stays incomplete and
 * the output poisoned; when the event is set the one returned event covers all three kernels. At an
 * odd multiple of the element's size.
 */
static void chain_behind_a_gate(clradio_device *device, unsigned flags)
{
    bench b;
    clradio_queue *queue;
    clradio_event *opened, *done;
    assert_ok(clradio_queue_create(device, flags, &queue));
    bench_make(&b, device, queue, 4 * 7);
    test_gate *gate = test_gate_shut(device, &opened);
    assert_ok(three_steps(&b, NULL, 1, &opened, &done));
    usleep(20000); /* time in which a chain that did not wait would have run */
    assert_int_equal(clradio_event_complete(done), 0);
    expect_output(&b, 0, NULL, 1);
    test_gate_open(gate);
    assert_ok(clradio_event_wait(done));
    assert_int_equal(clradio_event_complete(done), 1);
    expect_output(&b, 0, NULL, 0);
    clradio_event_destroy(opened);
    clradio_event_destroy(done);
    test_gate_free(gate);
    clradio_queue_destroy(queue);
    bench_end(&b);
}

static void a_chain_waits_for_an_incomplete_event_in_order(void **state)
{
    chain_behind_a_gate(device_under_test(state), 0);
}

static void a_chain_waits_for_an_incomplete_event_out_of_order(void **state)
{
    chain_behind_a_gate(device_under_test(state), CLRADIO_QUEUE_OUT_OF_ORDER);
}

/* Each repeat starts from what the one before left in `from`: 3 steps move from to (3x+1)*5+1
 * there. */
static void chains_follow_one_another(clradio_device *device, unsigned flags, size_t n_queues)
{
    enum { REPEATS = 20 };
    bench b;
    clradio_queue *queues[2];
    clradio_event *last = NULL, *done;
    uint32_t *out = malloc(BYTES);
    for (size_t q = 0; q < n_queues; q++)
        assert_ok(clradio_queue_create(device, flags, &queues[q]));
    bench_make(&b, device, queues[0], 0);
    for (size_t r = 0; r < REPEATS; r++) {
        b.queue = queues[r % n_queues];
        assert_ok(three_steps(&b, last, 0, NULL, &done));
        clradio_event_destroy(last);
        last = done;
    }
    assert_ok(clradio_buffer_read(b.other, (clradio_span){ b.to, 0 }, out, BYTES, 1, &last, NULL));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t x = i;
        for (int r = 0; r + 1 < REPEATS; r++)
            x = (x * 3 + 1) * 5 + 1;
        assert_int_equal(out[i], after_three(x));
    }
    clradio_event_destroy(last);
    for (size_t q = 0; q < n_queues; q++)
        clradio_queue_destroy(queues[q]);
    bench_end(&b);
    free(out);
}

static void chains_that_follow_one_another_keep_their_order(void **state)
{
    clradio_device *device = device_under_test(state);
    chains_follow_one_another(device, 0, 1);
    chains_follow_one_another(device, CLRADIO_QUEUE_OUT_OF_ORDER, 1);
    chains_follow_one_another(device, 0, 2); /* on two queues in turn */
    chains_follow_one_another(device, CLRADIO_QUEUE_OUT_OF_ORDER, 2);
}

/* A wait list of 200 events, more than a chain keeps; all but one are complete at once. */
static void a_long_wait_list_is_waited_for_as_a_whole(void **state)
{
    enum { MANY = 200 };
    clradio_device *device = device_under_test(state);
    bench b;
    clradio_queue *queue;
    clradio_event *wait[MANY], *done, *empty;
    clr_chain chain;
    test_gate *gate = NULL;
    assert_ok(clradio_queue_create(device, CLRADIO_QUEUE_OUT_OF_ORDER, &queue));
    bench_make(&b, device, queue, 0);
    for (size_t i = 0; i < MANY; i++) {
        if (i == 117)
            gate = test_gate_shut(device, &wait[i]);
        else
            assert_ok(clradio_buffer_fill(b.other, (clradio_span){ b.to, 0 }, POISON, BYTES, 0,
                                          NULL, &wait[i]));
    }
    assert_ok(three_steps(&b, NULL, MANY, wait, &done));
    /* An empty chain completes with its wait list. */
    clradio_status status = clr_chain_begin(&chain, queue, NULL, MANY, wait);
    assert_ok(clr_chain_end(&chain, status, &empty));
    usleep(20000);
    assert_int_equal(clradio_event_complete(done), 0);
    assert_int_equal(clradio_event_complete(empty), 0);
    test_gate_open(gate);
    assert_ok(clradio_event_wait(empty));
    expect_output(&b, 1, &done, 0);
    for (size_t i = 0; i < MANY; i++)
        clradio_event_destroy(wait[i]);
    clradio_event_destroy(done);
    clradio_event_destroy(empty);
    test_gate_free(gate);
    clradio_queue_destroy(queue);
    bench_end(&b);
}

/* The duration of a chain spans its commands: no shorter than that of any one of them. */
static void the_duration_is_from_the_first_start_to_the_last_end(void **state)
{
    clradio_device *device = device_under_test(state);
    bench b;
    clradio_queue *queue;
    clradio_event *done;
    cl_ulong start, end;
    uint64_t whole;
    assert_ok(clradio_queue_create(device, CLRADIO_QUEUE_PROFILING, &queue));
    bench_make(&b, device, queue, 0);
    assert_ok(three_steps(&b, NULL, 0, NULL, &done));
    assert_ok(clradio_event_wait(done));
    assert_ok(clradio_event_duration(done, &whole));
    cl_event last = clradio_event_opencl(done), first = done->first;
    assert_non_null(first);
    if (is_opencl(device)) {
        assert_int_equal(
            clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
            0);
        assert_int_equal(
            clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), 0);
        assert_int_equal(whole, end - start);
    } else {
        assert_true(whole > 0);
    }
    clradio_event_destroy(done);
    /* A queue without profiling has no times. */
    b.queue = b.other;
    assert_ok(three_steps(&b, NULL, 0, NULL, &done));
    assert_ok(clradio_event_wait(done));
    assert_int_equal(clradio_event_duration(done, &whole), CLRADIO_ERROR_DRIVER);
    clradio_event_destroy(done);
    clradio_queue_destroy(queue);
    bench_end(&b);
}

typedef struct worker {
    clradio_device *device;
    uint64_t offset;
    int wrong;
} worker;

/* cmocka's assertions belong to the main thread: this one counts. */
static void *work(void *argument)
{
    worker *w = argument;
    for (int repeat = 0; repeat < 10; repeat++) {
        bench b;
        clradio_queue *queue;
        clradio_event *done = NULL;
        uint32_t out[COUNT] = { 0 };
        w->wrong += clradio_queue_create(w->device, 0, &queue) != CLRADIO_OK;
        bench_make(&b, w->device, queue, w->offset);
        w->wrong += three_steps(&b, NULL, 0, NULL, &done) != CLRADIO_OK;
        w->wrong += clradio_buffer_read(queue, (clradio_span){ b.to, w->offset }, out, BYTES, 1,
                                        &done, NULL) != CLRADIO_OK;
        for (uint32_t i = 0; i < COUNT; i++)
            w->wrong += out[i] != after_three(i);
        clradio_event_destroy(done);
        clradio_queue_destroy(queue);
        bench_end(&b);
    }
    return NULL;
}

static void two_threads_with_a_queue_each_do_not_disturb_one_another(void **state)
{
    clradio_device *device = device_under_test(state);
    worker workers[2] = { { device, 4, 0 }, { device, 12, 0 } };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(workers[0].wrong + workers[1].wrong, 0);
}

int main(void)
{
    /* Not on Oclgrind what has an incomplete user event: its clFlush finishes the queue; nor
     * what has two threads: it asserts that one kernel runs at a time. */
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(a_chain_waits_for_an_incomplete_event_in_order),
        DEVICE_TEST_SLOW(a_chain_waits_for_an_incomplete_event_out_of_order),
        DEVICE_TEST(chains_that_follow_one_another_keep_their_order),
        DEVICE_TEST_SLOW(a_long_wait_list_is_waited_for_as_a_whole),
        DEVICE_TEST(the_duration_is_from_the_first_start_to_the_last_end),
        DEVICE_TEST_SLOW(two_threads_with_a_queue_each_do_not_disturb_one_another),
    };
    return run_device_tests("queue", NULL, 0, tests, sizeof tests / sizeof *tests);
}
