/*
 * How many times a kernel may go round its loops: some drivers guard against endless ones by ending
 * an invocation's loops, without a word, after a total of some tens of thousands. Sums then come
 * out too small, so the limit is found by running a loop that is longer.
 */
#include "device/probe.h"

enum { ROUNDS = 200000, SEED = 12345 };

/* a[0] goes a[1] steps along a generator of full period, for which no compiler has a closed form:
 * the number that comes back tells how many steps were taken. */
const char *const clr_probe_loop_source =
    "#if defined(__CUDACC_RTC__)\n"
    "extern \"C\" __global__ void probe(unsigned *a, unsigned long long offset)\n"
    "#else\n"
    "__kernel void probe(__global unsigned *a, const ulong offset)\n"
    "#endif\n"
    "{ unsigned x = a[offset]; const unsigned n = a[offset + 1];\n"
    "for (unsigned k = 0; k < n; k++) x = x * 1664525u + 1013904223u;\n"
    "a[offset] = x; }\n";

/* One work-item runs the kernel over numbers[2]. */
static clradio_status run(clradio_device *device, void *kernel, uint32_t numbers[2])
{
    const clr_backend *backend = device->backend;
    const uint64_t bytes = 2 * sizeof *numbers;
    unsigned flags = 0;
    clradio_queue queue = { .device = device };
    clradio_buffer buffer = { .device = device, .bytes = bytes };
    clradio_status status = backend->queue_create(device, &flags, &queue.handle);
    if (status)
        return status;
    status = backend->buffer_create(device, bytes, &buffer.handle);
    if (!status) {
        const clradio_span span = { &buffer, 0 };
        clr_launch launch = { .groups = { 1, 1, 1 }, .group = { 1, 1, 1 } };
        clr_launch_span(&launch, span);
        status = backend->write(&queue, span, numbers, bytes, 0, NULL, NULL);
        if (!status)
            status = backend->launch(&queue, kernel, &launch, 0, NULL, NULL);
        if (!status)
            status = backend->read(&queue, span, numbers, bytes, 0, NULL, NULL);
        backend->buffer_release(buffer.handle);
    }
    backend->queue_release(queue.handle);
    return status;
}

/* The steps from SEED to the state that came back, -1 when it lies on no way there. */
static int64_t steps_to(uint32_t state)
{
    uint32_t x = SEED;
    for (int64_t k = 0; k <= ROUNDS; k++, x = x * 1664525u + 1013904223u)
        if (x == state)
            return k;
    return -1;
}

clradio_status clr_probe_loop(clradio_device *device, void *kernel, uint32_t *limit)
{
    uint32_t numbers[2] = { SEED, ROUNDS };
    clradio_status status = run(device, kernel, numbers);
    if (status)
        return status;
    const int64_t steps = steps_to(numbers[0]);
    if (steps < 1)
        return clr_fail(CLRADIO_ERROR_DRIVER, "a kernel with a loop gives wrong numbers");
    *limit = steps == ROUNDS ? 0 : (uint32_t)steps;
    return CLRADIO_OK;
}
