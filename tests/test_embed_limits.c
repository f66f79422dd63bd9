/*
 * How much device memory clradio takes, seen from below: this program stands between the library
 * and OpenCL (clCreateBuffer, clRetainMemObject, clReleaseMemObject), counts, and can make a device
 * claim a small allocation limit.
 */
#include "embed_support.h"

#include "device/device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t live, peak, largest, claimed_limit; /* claimed_limit 0: what the driver says */
} seen;

/* The driver's function of that name; a function pointer by way of memory, as POSIX shows it. */
#define NEXT(type, variable, name)                                                                 \
    type variable;                                                                                 \
    *(void **)&variable = dlsym(RTLD_NEXT, name)

/* The buffers there are, with the references that passed through here (drivers hold more of their
 * own). */
static struct {
    cl_mem memory;
    uint64_t bytes;
    int references;
} table[256];

/* Adds to the references of a buffer; a new one has a size. Returns quietly for what it does not
 * know. */
static void count_reference(cl_mem memory, uint64_t bytes, int change)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (bytes ? table[i].references != 0 : table[i].memory != memory || !table[i].references)
            continue;
        if (bytes) {
            table[i].memory = memory;
            table[i].bytes = bytes;
            seen.live += bytes;
        }
        table[i].references += change;
        if (!table[i].references)
            seen.live -= table[i].bytes;
        break;
    }
    seen.peak = seen.live > seen.peak ? seen.live : seen.peak;
    seen.largest = bytes > seen.largest ? bytes : seen.largest;
    pthread_mutex_unlock(&lock);
}

typedef cl_mem (*create_function)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    NEXT(create_function, next, "clCreateBuffer");
    cl_mem memory = next(context, flags, size, host, code);
    if (memory)
        count_reference(memory, size, 1);
    return memory;
}

typedef cl_int (*memory_function)(cl_mem);
cl_int clRetainMemObject(cl_mem memory)
{
    NEXT(memory_function, next, "clRetainMemObject");
    count_reference(memory, 0, 1);
    return next(memory);
}

cl_int clReleaseMemObject(cl_mem memory)
{
    NEXT(memory_function, next, "clReleaseMemObject");
    count_reference(memory, 0, -1);
    return next(memory);
}

typedef cl_int (*info_function)(cl_device_id, cl_device_info, size_t, void *, size_t *);
cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *size)
{
    NEXT(info_function, next, "clGetDeviceInfo");
    cl_int code = next(id, what, room, value, size);
    if (!code && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && value && seen.claimed_limit)
        *(cl_ulong *)value = seen.claimed_limit;
    return code;
}

static void start_counting(void)
{
    seen.peak = seen.live;
    seen.largest = 0;
}

/* The plan of a configuration on a device of its own; what it takes and how it does is put in *peak
 * and *wrong. */
typedef struct trial {
    clradio_status status;
    uint64_t peak, largest, reported, now, wrong;
    clradio_device_info device;
} trial;

static trial try_limits(cl_context context, cl_device_id id, uint64_t memory_limit,
                        uint64_t claimed_limit)
{
    trial t;
    embed_job job;
    clradio_device *device;
    clradio_event *done = NULL;
    clradio_xengine_info info = CLRADIO_XENGINE_INFO_INIT;
    memset(&t, 0, sizeof t);
    embed_own(&job, context, id, 0, 6, 2, 40, 300); /* sums of 40 x 21 x 4 x 16 = 53,760 bytes */
    job.config.memory_limit = memory_limit;
    seen.claimed_limit = claimed_limit;
    assert_ok(clradio_device_from_opencl(context, id, &device));
    t.device = *clr_device_info(device);
    uint64_t before = seen.live;
    start_counting();
    t.status = embed_wrap(&job, device);
    t.peak = seen.peak - before;
    t.largest = seen.largest;
    clradio_device_memory_used(device, &t.now, NULL);
    if (!t.status) {
        assert_ok(clradio_xengine_get_info(job.plan, &info));
        t.reported = info.memory_bytes;
        assert_int_equal(seen.live - before, info.memory_bytes);
        for (int repeat = 0; repeat < 2; repeat++) {
            clradio_event_destroy(done);
            assert_ok(embed_enqueue(&job, 0, 300, CLRADIO_DUMP, 0, NULL, &done));
        }
        t.wrong = embed_wrong(&job, job.queue, clradio_event_opencl(done), 0, 300);
        clradio_event_destroy(done);
        /* Nothing was taken by the calls. */
        assert_int_equal(seen.live - before, info.memory_bytes);
    }
    embed_unwrap(&job);
    assert_int_equal(seen.live, before);
    clradio_device_close(device);
    seen.claimed_limit = 0;
    embed_disown(&job);
    return t;
}

/* What a plan says it holds is what OpenCL was asked for; with a limit at exactly that it still
 * works, and down to the least it stays within and is right; below it says so and takes nothing.
 * The known-answer self-test before a first use has buffers of its own, which go before create
 * returns: the plan is made once before. */
static void the_memory_limit_is_kept_as_measured_below_the_library(void **state)
{
    cl_device_id id;
    cl_context context = embed_context(state, &id);
    try_limits(context, id, 0, 0);
    trial free_choice = try_limits(context, id, 0, 0);
    assert_ok(free_choice.status);
    assert_int_equal(free_choice.wrong, 0);
    assert_int_equal(free_choice.now, free_choice.reported);
    int kept = 0, refused = 0;
    for (uint64_t limit = free_choice.reported; limit > 16; limit = limit * 7 / 8) {
        trial t = try_limits(context, id, limit, 0);
        if (t.status) {
            assert_int_equal(t.status, CLRADIO_ERROR_LIMIT);
            assert_int_equal(t.now, 0);
            refused++;
        } else {
            assert_int_equal(refused,
                             0); /* a smaller limit never works where a larger one did not */
            assert_true(t.reported <= limit);
            assert_int_equal(t.wrong, 0);
            kept++;
        }
        assert_true(t.peak <= limit);
    }
    assert_true(kept >= 1 && refused >= 1);
    clReleaseContext(context);
}

/* A device that allows no buffer above 9,000, then 5,400 bytes (one channel's sums are 1,344): the
 * plan splits, no larger buffer is asked for, and the sums are right. */
static void no_buffer_is_above_what_the_device_allows(void **state)
{
    static const uint64_t limits[] = { 9000, 5400, 1344 };
    cl_device_id id;
    cl_context context = embed_context(state, &id);
    try_limits(context, id, 0, 0);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        trial t = try_limits(context, id, 0, limits[i]);
        assert_int_equal(t.device.max_allocation_bytes, limits[i]);
        assert_ok(t.status);
        assert_true(t.largest <= limits[i]);
        assert_int_equal(t.wrong, 0);
    }
    trial t = try_limits(context, id, 0, 1343);
    assert_int_not_equal(t.status, CLRADIO_OK);
    assert_true(t.largest <= 1343);
    clReleaseContext(context);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(the_memory_limit_is_kept_as_measured_below_the_library),
        DEVICE_TEST_SLOW(no_buffer_is_above_what_the_device_allows),
    };
    return run_device_tests("embed_limits", NULL, 0, tests, sizeof tests / sizeof *tests);
}
