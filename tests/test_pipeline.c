/*
 * The pipeline with a plan that is one small kernel: output = 3 x (valid ? input : 0) + 1, values
 * above 1000 counted; it accumulates nothing. Errors are injected by the plan.
 */
#include "support.h"

#include "device/device.h"
#include "device/plan.h"

#include <clradio/clradio.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };

typedef struct fake {
    clradio_plan plan;
    clr_program *program;
    clr_kernel *kernel;
    clradio_event *last;
    uint64_t calls, fail_at; /* fail_at: the call that fails, counted from 1; 0: none */
    int fail_late;           /* after the kernel was enqueued */
    clradio_event *gate;     /* when set, every call waits for it too */
} fake;

static clradio_status used(void *engine, uint64_t count, uint64_t *bytes)
{
    (void)engine;
    *bytes = 4 * count;
    return count <= MOST ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_ARGUMENT, "too many");
}

static clradio_status enqueue(void *engine, clradio_queue *queue, const clr_plan_call *call,
                              size_t n_wait, clradio_event *const *wait, clradio_event **done)
{
    fake *f = engine;
    clr_chain chain;
    clradio_event *all[2] = { n_wait ? wait[0] : NULL, NULL };
    clr_launch launch = { .groups = { call->count / 64 + 1, 1, 1 }, .group = { 64, 1, 1 } };
    *done = NULL;
    if (++f->calls == f->fail_at && !f->fail_late)
        return clr_fail(CLRADIO_ERROR_DRIVER, "injected");
    if (f->gate)
        all[1] = f->gate;
    clr_launch_span(&launch, call->input);
    clr_launch_span(&launch, call->valid);
    clr_launch_span(&launch, call->output);
    clr_launch_span(&launch, call->overflow);
    clr_launch_u64(&launch, call->output.buffer ? call->count : 0);
    clradio_status status = clr_chain_begin(&chain, queue, f->last, f->gate ? 2 : 1, all);
    if (!status)
        status = clr_chain_launch(&chain, f->kernel, &launch);
    if (!status && f->calls == f->fail_at)
        status = clr_fail(CLRADIO_ERROR_DRIVER, "injected late");
    status = clr_chain_end(&chain, status, done);
    clradio_event_destroy(f->last);
    f->last = status ? NULL : clr_event_retain(*done);
    return status;
}

static void fake_make(fake *f, clradio_device *device)
{
    *f = (fake){ .plan = { device, f, 4 * MOST, MOST, 4 * MOST, used, enqueue } };
    assert_ok(clr_program_get(device, "test_device.cl", NULL, 0, &f->program));
    assert_ok(clr_kernel_create(f->program, "test_masked", &f->kernel));
}

static void fake_end(fake *f)
{
    clradio_event_destroy(f->last);
    clr_kernel_release(f->kernel);
    clr_program_release(f->program);
}

/* Batch b holds b x 100 + i at place i; every third sample is marked absent in odd batches. */
static uint64_t batch_count(uint64_t b)
{
    return b % 7 == 3 ? 0 : (b * 977) % MOST + 1;
}

static int masked(uint64_t b)
{
    return b % 2 == 1;
}

static void fill_batch(clradio_slot *slot, uint64_t b)
{
    uint32_t *numbers = slot->input;
    assert_int_equal(slot->input_bytes, 4 * MOST);
    assert_int_equal(slot->valid_bytes, MOST);
    assert_null(slot->output);
    slot->count = batch_count(b);
    slot->flags = b % 5 == 4 ? 0 : CLRADIO_DUMP;
    slot->use_valid = masked(b);
    slot->user = (void *)(uintptr_t)b;
    for (uint32_t i = 0; i < slot->count; i++) {
        numbers[i] = (uint32_t)b * 100 + i;
        slot->valid[i] = i % 3 != 0;
    }
}

static void expect_batch(const clradio_slot *slot, uint64_t b)
{
    assert_int_equal((uintptr_t)slot->user, b);
    if (b % 5 == 4) {
        assert_null(slot->output);
        return;
    }
    const uint32_t *out = slot->output;
    uint32_t large = 0;
    assert_int_equal(slot->output_bytes, 4 * MOST);
    for (uint32_t i = 0; i < batch_count(b); i++) {
        uint32_t value = masked(b) && i % 3 == 0 ? 0 : (uint32_t)b * 100 + i;
        large += value > 1000;
        if (out[i] != value * 3 + 1)
            assert_int_equal(out[i], value * 3 + 1);
    }
    assert_int_equal(slot->overflow, large);
}

static void take_one(clradio_pipeline *pipeline, uint64_t *taken)
{
    clradio_slot *slot;
    assert_ok(clradio_pipeline_wait_next(pipeline, &slot));
    expect_batch(slot, (*taken)++);
    assert_ok(clradio_pipeline_release(pipeline, slot));
}

static void run_batches(clradio_pipeline *pipeline, uint64_t batches)
{
    uint64_t taken = 0;
    clradio_slot *slot;
    for (uint64_t b = 0; b < batches; b++) {
        clradio_status status;
        while ((status = clradio_pipeline_acquire(pipeline, &slot)) == CLRADIO_ERROR_STATE)
            take_one(pipeline, &taken);
        assert_ok(status);
        fill_batch(slot, b);
        assert_ok(clradio_pipeline_submit(pipeline, slot));
    }
    while (taken < batches)
        take_one(pipeline, &taken);
    assert_int_equal(clradio_pipeline_wait_next(pipeline, &slot), CLRADIO_ERROR_STATE);
}

static void results_come_back_in_order_at_every_depth(void **state)
{
    enum { BATCHES = 40 };
    clradio_device *device = device_under_test(state);
    fake f;
    fake_make(&f, device);
    for (unsigned depth = 1; depth <= 8; depth++) {
        clradio_pipeline *pipeline;
        clradio_pipeline_info info = CLRADIO_PIPELINE_INFO_INIT;
        uint64_t bytes = 0, dumps = 0;
        assert_ok(clradio_pipeline_create(&f.plan, depth, &pipeline));
        run_batches(pipeline, BATCHES);
        assert_ok(clradio_pipeline_get_info(pipeline, &info));
        for (uint64_t b = 0; b < BATCHES; b++) {
            bytes += 4 * batch_count(b);
            dumps += b % 5 != 4;
        }
        assert_int_equal(info.submitted, BATCHES);
        assert_int_equal(info.finished, BATCHES);
        assert_int_equal(info.input_bytes, bytes);
        assert_int_equal(info.output_bytes, dumps * 4 * MOST);
        assert_true(info.seconds > 0 && info.host_seconds >= 0 && info.link_seconds >= 0 &&
                    info.compute_seconds >= 0);
        assert_true(!strcmp(info.bound, "host") || !strcmp(info.bound, "link") ||
                    !strcmp(info.bound, "compute"));
        clradio_pipeline_destroy(pipeline);
    }
    fake_end(&f);
    uint64_t now;
    clradio_device_memory_used(device, &now, NULL);
    assert_int_equal(now, 0);
}

/* Three slots behind a gate: a fourth is refused, nothing has finished, then all come in order. */
static void slots_in_flight_hold_the_caller_back(void **state)
{
    enum { DEPTH = 3 };
    clradio_device *device = device_under_test(state);
    fake f;
    clradio_pipeline *pipeline;
    clradio_slot *slot, *held[DEPTH];
    uint64_t taken = 0;
    fake_make(&f, device);
    assert_ok(clradio_pipeline_create(&f.plan, DEPTH, &pipeline));
    test_gate *gate = test_gate_shut(device, &f.gate);
    for (uint64_t b = 0; b < DEPTH; b++) {
        assert_ok(clradio_pipeline_acquire(pipeline, &held[b]));
        fill_batch(held[b], b);
        assert_ok(clradio_pipeline_submit(pipeline, held[b]));
        assert_int_equal(clradio_pipeline_submit(pipeline, held[b]), CLRADIO_ERROR_STATE);
        assert_int_equal(clradio_pipeline_release(pipeline, held[b]), CLRADIO_ERROR_STATE);
    }
    assert_int_equal(clradio_pipeline_acquire(pipeline, &slot), CLRADIO_ERROR_STATE);
    assert_null(slot);
    assert_int_equal(clradio_event_complete(f.last), 0);
    test_gate_open(gate);
    for (uint64_t b = 0; b < DEPTH; b++) {
        assert_ok(clradio_pipeline_wait_next(pipeline, &slot));
        assert_ptr_equal(slot, held[b]);
        expect_batch(slot, taken++);
        assert_ok(clradio_pipeline_release(pipeline, slot));
        assert_int_equal(clradio_pipeline_release(pipeline, slot), CLRADIO_ERROR_STATE);
    }
    clradio_pipeline_destroy(pipeline);
    clradio_event_destroy(f.gate);
    test_gate_free(gate);
    fake_end(&f);
}

/* The failing submit says why and leaves the slot with the caller, its input intact; what was in
 * flight comes back, and the same slot then goes through. */
static void a_call_that_fails_loses_nothing_else(void **state)
{
    clradio_device *device = device_under_test(state);
    for (uint64_t fail_at = 1; fail_at <= 3; fail_at++)
        for (int late = 0; late < 2; late++) {
            fake f;
            clradio_pipeline *pipeline;
            clradio_slot *slot;
            uint64_t taken = 0;
            fake_make(&f, device);
            f.fail_at = fail_at;
            f.fail_late = late;
            assert_ok(clradio_pipeline_create(&f.plan, 3, &pipeline));
            for (uint64_t b = 0; b < 3; b++) {
                assert_ok(clradio_pipeline_acquire(pipeline, &slot));
                fill_batch(slot, b);
                if (b + 1 == fail_at) {
                    assert_int_equal(clradio_pipeline_submit(pipeline, slot), CLRADIO_ERROR_DRIVER);
                    assert_non_null(strstr(clradio_last_error(), "injected"));
                    assert_int_equal(slot->count, batch_count(b));
                }
                assert_ok(clradio_pipeline_submit(pipeline, slot));
            }
            while (taken < 3)
                take_one(pipeline, &taken);
            clradio_pipeline_destroy(pipeline);
            fake_end(&f);
        }
    uint64_t now;
    clradio_device_memory_used(device, &now, NULL);
    assert_int_equal(now, 0);
}

static void a_pipeline_may_go_with_work_in_flight(void **state)
{
    clradio_device *device = device_under_test(state);
    for (int held = 0; held < 2; held++) {
        fake f;
        clradio_pipeline *pipeline;
        clradio_slot *slot;
        fake_make(&f, device);
        assert_ok(clradio_pipeline_create(&f.plan, 4, &pipeline));
        for (uint64_t b = 0; b < 3; b++) {
            assert_ok(clradio_pipeline_acquire(pipeline, &slot));
            fill_batch(slot, b);
            assert_ok(clradio_pipeline_submit(pipeline, slot));
        }
        if (held)
            assert_ok(clradio_pipeline_acquire(pipeline, &slot));
        clradio_pipeline_destroy(pipeline);
        fake_end(&f);
    }
    clradio_pipeline_destroy(NULL);
}

static void what_a_pipeline_cannot_take_is_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    fake f;
    clradio_pipeline *pipeline, *other;
    clradio_slot *slot, *foreign;
    fake_make(&f, device);
    assert_int_equal(clradio_pipeline_create(&f.plan, 0, &pipeline), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_pipeline_create(&f.plan, 9, &pipeline), CLRADIO_ERROR_ARGUMENT);
    assert_null(pipeline);
    assert_int_equal(clradio_pipeline_create(NULL, 1, &pipeline), CLRADIO_ERROR_ARGUMENT);
    f.plan.output_bytes = clr_device_info(device)->max_allocation_bytes + 1;
    assert_int_not_equal(clradio_pipeline_create(&f.plan, 1, &pipeline), CLRADIO_OK);
    f.plan.output_bytes = 4 * MOST;
    f.plan.valid_bytes = 0;
    assert_ok(clradio_pipeline_create(&f.plan, 1, &pipeline));
    assert_ok(clradio_pipeline_create(&f.plan, 1, &other));
    assert_ok(clradio_pipeline_acquire(pipeline, &slot));
    assert_ok(clradio_pipeline_acquire(other, &foreign));
    assert_null(slot->valid);
    assert_int_equal(clradio_pipeline_submit(pipeline, foreign), CLRADIO_ERROR_ARGUMENT);
    slot->count = MOST + 1;
    assert_int_equal(clradio_pipeline_submit(pipeline, slot), CLRADIO_ERROR_ARGUMENT);
    slot->count = 1;
    slot->use_valid = 1;
    assert_int_equal(clradio_pipeline_submit(pipeline, slot), CLRADIO_ERROR_ARGUMENT);
    assert_ok(clradio_pipeline_release(pipeline, slot)); /* acquired, not used */
    assert_ok(clradio_pipeline_acquire(pipeline, &slot));
    clradio_pipeline_destroy(pipeline);
    clradio_pipeline_destroy(other);
    fake_end(&f);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(results_come_back_in_order_at_every_depth),
        DEVICE_TEST_SLOW(slots_in_flight_hold_the_caller_back),
        DEVICE_TEST(a_call_that_fails_loses_nothing_else),
        DEVICE_TEST(a_pipeline_may_go_with_work_in_flight),
        DEVICE_TEST(what_a_pipeline_cannot_take_is_refused),
    };
    return run_device_tests("pipeline", NULL, 0, tests, sizeof tests / sizeof *tests);
}
