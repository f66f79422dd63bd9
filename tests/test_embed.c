/*
 * An X-engine inside a program that owns everything: context, in-order and out-of-order queues,
 * buffers, events. What comes out is compared with the definition; what was given is as it was
 * before.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "embed_support.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cl_command_queue_properties out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

static cl_event user_event(cl_context context)
{
    cl_int code;
    cl_event event = clCreateUserEvent(context, &code);
    assert_int_equal(code, CL_SUCCESS);
    return event;
}

static cl_command_queue plain_queue(cl_context context, cl_device_id id)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(context, id, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    return queue;
}

/*
 * Behind a user event: the call returns while the event is incomplete (or this test would hang),
 * the output stays poisoned, and once the event is set, waiting for the one returned event is
 * enough to see every sum.
 */
static void behind_a_user_event(void **state, cl_command_queue_properties properties)
{
    embed_job job;
    cl_device_id id;
    cl_context context = embed_context(state, &id);
    cl_command_queue reader = plain_queue(context, id);
    clradio_device *device;
    clradio_event *gate, *done;
    cl_event user = user_event(context);
    embed_own(&job, context, id, properties, 5, 2, 3, 200);
    assert_ok(clradio_device_from_opencl(context, id, &device));
    assert_ok(embed_wrap(&job, device));
    assert_ok(clradio_event_from_opencl(device, user, &gate));
    assert_ok(embed_enqueue(&job, 0, 200, CLRADIO_DUMP, 1, &gate, &done));
    usleep(20000); /* in which a call that did not wait would have written */
    assert_int_equal(clradio_event_complete(done), 0);
    assert_int_equal(embed_wrong(&job, reader, NULL, 0, 0), 0);
    assert_int_equal(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(embed_wrong(&job, reader, clradio_event_opencl(done), 0, 200), 0);
    clradio_event_destroy(done);
    clradio_event_destroy(gate);
    embed_unwrap(&job);
    clradio_device_close(device);
    embed_disown(&job);
    clReleaseEvent(user);
    clReleaseCommandQueue(reader);
    clReleaseContext(context);
}

static void a_user_event_holds_back_a_call_on_an_in_order_queue(void **state)
{
    behind_a_user_event(state, 0);
}

static void a_user_event_holds_back_a_call_on_an_out_of_order_queue(void **state)
{
    behind_a_user_event(state, out_of_order);
}

/* Two plans of different shape, each integrating over three calls, in turn on one context; nothing
 * but the plans themselves keeps the calls of one in order. */
static void two_plans(void **state, cl_command_queue_properties properties)
{
    static const uint64_t cuts[] = { 0, 77, 130, 200 };
    embed_job jobs[2];
    cl_device_id id;
    cl_context context = embed_context(state, &id);
    cl_command_queue reader = plain_queue(context, id);
    clradio_device *device;
    clradio_event *done[2];
    embed_own(&jobs[0], context, id, properties, 5, 2, 3, 200);
    embed_own(&jobs[1], context, id, properties, 3, 1, 4, 200);
    assert_ok(clradio_device_from_opencl(context, id, &device));
    for (int j = 0; j < 2; j++)
        assert_ok(embed_wrap(&jobs[j], device));
    for (int call = 0; call < 3; call++)
        for (int j = 0; j < 2; j++) {
            unsigned flags = (call ? CLRADIO_ACCUMULATE : 0) | (call == 2 ? CLRADIO_DUMP : 0);
            assert_ok(embed_enqueue(&jobs[j], cuts[call], cuts[call + 1] - cuts[call], flags, 0,
                                    NULL, call == 2 ? &done[j] : NULL));
        }
    for (int j = 0; j < 2; j++) {
        assert_int_equal(embed_wrong(&jobs[j], reader, clradio_event_opencl(done[j]), 0, 200), 0);
        clradio_event_destroy(done[j]);
        embed_unwrap(&jobs[j]);
        embed_disown(&jobs[j]);
    }
    clradio_device_close(device);
    clReleaseCommandQueue(reader);
    clReleaseContext(context);
}

static void two_plans_in_turn_do_not_mix_in_order(void **state)
{
    two_plans(state, 0);
}

static void two_plans_in_turn_do_not_mix_out_of_order(void **state)
{
    two_plans(state, out_of_order);
}

typedef struct worker {
    embed_job job;
    clradio_device *device;
    size_t wrong;
} worker;

/* Creates its plan too, so that two threads want the same program at once. */
static void *work(void *argument)
{
    worker *w = argument;
    clradio_status status = embed_wrap(&w->job, w->device);
    for (uint64_t repeat = 0; !status && repeat < 8; repeat++) {
        clradio_event *done;
        status = embed_enqueue(&w->job, repeat, 150, CLRADIO_DUMP, 0, NULL, &done);
        if (!status)
            w->wrong += embed_wrong(&w->job, w->job.queue, clradio_event_opencl(done), repeat, 150);
        clradio_event_destroy(done);
    }
    w->wrong += status != CLRADIO_OK;
    embed_unwrap(&w->job);
    return NULL;
}

static void two_threads_with_a_plan_each_are_right(void **state)
{
    worker workers[2];
    pthread_t threads[2];
    cl_device_id id;
    cl_context context = embed_context(state, &id);
    clradio_device *device;
    assert_ok(clradio_device_from_opencl(context, id, &device));
    for (int i = 0; i < 2; i++) {
        embed_own(&workers[i].job, context, id, i ? out_of_order : 0, 4 + (uint32_t)i, 2, 3, 200);
        workers[i].device = device;
        workers[i].wrong = 0;
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(workers[i].wrong, 0);
        embed_disown(&workers[i].job);
    }
    clradio_device_close(device);
    clReleaseContext(context);
}

/* ---- reference counts ---- */

typedef struct counts {
    cl_uint context, device, queue, input, output, event;
} counts;

static counts count_all(cl_context context, cl_device_id id, const embed_job *job, cl_event event)
{
    counts n;
    memset(&n, 0, sizeof n);
    clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(cl_uint), &n.context, NULL);
    clGetDeviceInfo(id, CL_DEVICE_REFERENCE_COUNT, sizeof(cl_uint), &n.device, NULL);
    clGetCommandQueueInfo(job->queue, CL_QUEUE_REFERENCE_COUNT, sizeof(cl_uint), &n.queue, NULL);
    clGetMemObjectInfo(job->input, CL_MEM_REFERENCE_COUNT, sizeof(cl_uint), &n.input, NULL);
    clGetMemObjectInfo(job->output, CL_MEM_REFERENCE_COUNT, sizeof(cl_uint), &n.output, NULL);
    clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(cl_uint), &n.event, NULL);
    return n;
}

/* Drivers drop their own references of finished commands a little later: counts that did not change
 * for a tenth of a second, and those that are wanted within two. */
static counts settled(cl_context context, cl_device_id id, const embed_job *job, cl_event event,
                      const counts *wanted)
{
    counts n = count_all(context, id, job, event), next;
    for (int i = 0, quiet = 0; i < 200 && (wanted ? memcmp(&n, wanted, sizeof n) : quiet < 10);
         i++) {
        usleep(10000);
        next = count_all(context, id, job, event);
        quiet = memcmp(&n, &next, sizeof n) ? 0 : quiet + 1;
        n = next;
    }
    return n;
}

static void expect_counts(const counts *n, const counts *wanted)
{
    assert_int_equal(n->context, wanted->context);
    assert_int_equal(n->device, wanted->device);
    assert_int_equal(n->queue, wanted->queue);
    assert_int_equal(n->input, wanted->input);
    assert_int_equal(n->output, wanted->output);
    assert_int_equal(n->event, wanted->event);
}

/* PoCL keeps the last command of a buffer, and its queue and context with it, until the next: the
 * caller's own use of both buffers comes before either count. */
static void use_both(embed_job *job)
{
    char byte;
    assert_int_equal(
        clEnqueueReadBuffer(job->queue, job->input, CL_TRUE, 0, 1, &byte, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(
        clEnqueueReadBuffer(job->queue, job->output, CL_TRUE, 0, 1, &byte, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clFinish(job->queue), CL_SUCCESS);
}

/* Wrapped, used with an event in the wait list, refused once, destroyed: every count is what it
 * was. */
static void what_was_given_is_released_as_often_as_retained(void **state)
{
    embed_job job;
    cl_device_id id;
    cl_context context = embed_context(state, &id);
    clradio_device *device;
    clradio_event *wait, *done;
    clradio_buffer *foreign;
    cl_event user = user_event(context);
    embed_own(&job, context, id, out_of_order, 5, 2, 3, 200);
    use_both(&job);
    assert_int_equal(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    counts before = settled(context, id, &job, user, NULL);
    assert_ok(clradio_device_from_opencl(context, id, &device));
    assert_ok(embed_wrap(&job, device));
    counts wrapped = count_all(context, id, &job, user);
    assert_true(wrapped.queue > before.queue && wrapped.input > before.input &&
                wrapped.output > before.output);
    assert_ok(clradio_event_from_opencl(device, user, &wait));
    assert_int_equal(embed_enqueue(&job, 0, 201, CLRADIO_DUMP, 1, &wait, NULL),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_buffer_from_opencl(device_under_test(state), job.input, &foreign),
                     CLRADIO_ERROR_ARGUMENT); /* another context's */
    assert_ok(embed_enqueue(&job, 0, 100, 0, 1, &wait, NULL));
    assert_ok(embed_enqueue(&job, 100, 100, CLRADIO_ACCUMULATE | CLRADIO_DUMP, 1, &wait, &done));
    cl_event ours = clradio_event_opencl(done);
    clRetainEvent(ours);
    assert_int_equal(embed_wrong(&job, job.queue, ours, 0, 200), 0);
    clradio_event_destroy(done);
    clradio_event_destroy(wait);
    embed_unwrap(&job);
    clradio_device_close(device);
    cl_uint left = 0;
    for (int i = 0; i < 200 && left != 1; i++) {
        clGetEventInfo(ours, CL_EVENT_REFERENCE_COUNT, sizeof left, &left, NULL);
        usleep(left == 1 ? 0 : 10000);
    }
    assert_int_equal(left, 1); /* the returned event is the caller's alone */
    clReleaseEvent(ours);
    use_both(&job);
    counts after = settled(context, id, &job, user, &before);
    expect_counts(&after, &before);
    embed_disown(&job);
    clReleaseEvent(user);
    clReleaseContext(context);
}

/* ---- silence ---- */

typedef struct capture {
    int out, err;
    FILE *file;
} capture;

static void capture_begin(capture *c)
{
    fflush(stdout);
    fflush(stderr);
    c->file = tmpfile();
    assert_non_null(c->file);
    c->out = dup(STDOUT_FILENO);
    c->err = dup(STDERR_FILENO);
    dup2(fileno(c->file), STDOUT_FILENO);
    dup2(fileno(c->file), STDERR_FILENO);
}

/* Puts both back and returns how many bytes were written; shows them. */
static long capture_end(capture *c)
{
    char text[512] = "";
    fflush(stdout);
    fflush(stderr);
    dup2(c->out, STDOUT_FILENO);
    dup2(c->err, STDERR_FILENO);
    close(c->out);
    close(c->err);
    fseek(c->file, 0, SEEK_END);
    long bytes = ftell(c->file);
    rewind(c->file);
    if (bytes && fgets(text, sizeof text, c->file))
        fprintf(stderr, "# printed: %s\n", text);
    fclose(c->file);
    return bytes;
}

/* A whole life with refusals in it: a wrong name, a wrong configuration, parameters that do not
 * build, a good call. No assertion while the output is captured. */
static size_t whole_life(cl_context context, cl_device_id id, embed_job *job)
{
    size_t wrong = 0;
    clradio_device *device = NULL, *none;
    clradio_xengine *plan;
    clradio_event *done = NULL;
    clradio_xengine_config bad = job->config;
    wrong += clradio_device_open("no such device", &none) != CLRADIO_ERROR_NO_DEVICE;
    wrong += clradio_device_from_opencl(context, id, &device) != CLRADIO_OK;
    bad.stations = 0;
    wrong += clradio_xengine_create(device, &bad, &plan) == CLRADIO_OK;
    bad = job->config;
    bad.parameters = "W=0";
    wrong += clradio_xengine_create(device, &bad, &plan) == CLRADIO_OK;
    wrong += embed_wrap(job, device) != CLRADIO_OK;
    wrong += embed_enqueue(job, 0, 1000, CLRADIO_DUMP, 0, NULL, NULL) == CLRADIO_OK;
    wrong += embed_enqueue(job, 0, 200, CLRADIO_DUMP, 0, NULL, &done) != CLRADIO_OK;
    wrong += clradio_event_wait(done) != CLRADIO_OK;
    wrong += embed_wrong(job, job->queue, NULL, 0, 200);
    clradio_event_destroy(done);
    embed_unwrap(job);
    clradio_device_close(device);
    return wrong;
}

static void nothing_is_printed(void **state)
{
    embed_job job;
    capture c;
    cl_device_id id;
    cl_context context = embed_context(state, &id);
    const char *debug_now = getenv("CLRADIO_DEBUG");
    char *debug = debug_now ? strdup(debug_now) : NULL;
    embed_own(&job, context, id, 0, 5, 2, 3, 200);
    unsetenv("CLRADIO_DEBUG");
    capture_begin(&c);
    size_t wrong = whole_life(context, id, &job);
    long printed = capture_end(&c);
    if (debug)
        setenv("CLRADIO_DEBUG", debug, 1);
    free(debug);
    assert_int_equal(wrong, 0);
    assert_int_equal(printed, 0);
    embed_disown(&job);
    clReleaseContext(context);
}

int main(void)
{
    /* Not on Oclgrind: incomplete user events (its clFlush finishes the queue), threads (it asserts
     * that one kernel runs at a time), its own messages. */
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(a_user_event_holds_back_a_call_on_an_in_order_queue),
        DEVICE_TEST_SLOW(a_user_event_holds_back_a_call_on_an_out_of_order_queue),
        DEVICE_TEST_SLOW(two_plans_in_turn_do_not_mix_in_order),
        DEVICE_TEST_SLOW(two_plans_in_turn_do_not_mix_out_of_order),
        DEVICE_TEST_SLOW(two_threads_with_a_plan_each_are_right),
        DEVICE_TEST_SLOW(what_was_given_is_released_as_often_as_retained),
        DEVICE_TEST_SLOW(nothing_is_printed),
    };
    return run_device_tests("embed", NULL, 0, tests, sizeof tests / sizeof *tests);
}
