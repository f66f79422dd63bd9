/*
 * clradio bench lte57 --experiment memory: a response that is larger than the device memory it may
 * have streams through it. Beside its rate stands that of the link, measured in the same run by
 * copies of the same size from buffers of its own to pinned memory; and its bits are those of a run
 * without a limit, and of the whole response on the device where that has room for it.
 */
#include "tool/bench_lte57.h"

#include "base/checked.h"
#include "base/progress.h"
#include "device/device.h"

#include <math.h>
#include <stdio.h>

enum { COPIES = 24, QUEUES = 2, TRIES = 3, SUBCARRIERS = 1272 };
static const uint64_t copy_bytes = (uint64_t)64 << 20;

/* One direction of the link, several copies in flight. */
typedef struct lane {
    clradio_queue *queue;
    clradio_buffer *buffer;
    void *host, *handle;
} lane;

static clradio_status make_lane(clradio_device *device, lane *l)
{
    clradio_status status = clradio_queue_create(device, 0, &l->queue);
    if (!status)
        status = clradio_buffer_create(device, copy_bytes, &l->buffer);
    if (!status)
        status = clr_host_memory_create(device, copy_bytes, &l->host, &l->handle);
    if (!status) /* pages that are there, on both sides */
        status = clradio_buffer_fill(l->queue, (clradio_span){ l->buffer, 0 }, 1, copy_bytes, 0,
                                     NULL, NULL);
    return status;
}

static void free_lane(clradio_device *device, lane *l)
{
    if (l->queue)
        clradio_queue_finish(l->queue);
    if (l->host)
        clr_host_memory_destroy(device, l->host, l->handle);
    clradio_buffer_destroy(l->buffer);
    clradio_queue_destroy(l->queue);
}

static clradio_status copy_all(lane *lanes, unsigned copies)
{
    clradio_status status = CLRADIO_OK;
    for (unsigned n = 0; n < copies && !status; n++) {
        lane *l = &lanes[n % QUEUES];
        clradio_event *event = NULL;
        status = clradio_buffer_read(l->queue, (clradio_span){ l->buffer, 0 }, l->host, copy_bytes,
                                     0, NULL, &event);
        clradio_event_destroy(event);
        if (!status)
            status = clradio_queue_flush(l->queue);
    }
    for (unsigned n = 0; n < QUEUES && !status; n++)
        status = clradio_queue_finish(lanes[n].queue);
    return status;
}

/* Bytes a second from the device to pinned memory, the best of some tries. */
static clradio_status measure_link(clradio_device *device, double *rate)
{
    lane lanes[QUEUES] = { { 0 } };
    clradio_status status = CLRADIO_OK;
    *rate = 0;
    for (unsigned n = 0; n < QUEUES && !status; n++)
        status = make_lane(device, &lanes[n]);
    if (!status)
        status = copy_all(lanes, QUEUES);
    for (unsigned n = 0; n < TRIES && !status; n++) {
        const double started = clr_steady_seconds();
        status = copy_all(lanes, COPIES);
        *rate = fmax(*rate, COPIES * (double)copy_bytes / (clr_steady_seconds() - started));
    }
    for (unsigned n = 0; n < QUEUES; n++)
        free_lane(device, &lanes[n]);
    return status;
}

/* Runs with that limit (0: none) on a device object of their own, whose peak is theirs. */
static clradio_status run_limited(clr_lte57 *bench, const clr_dft_job *job, uint64_t limit,
                                  double link)
{
    clr_dft_job one = *job;
    clradio_device *shared = bench->device, *own = NULL;
    clr_bench_times times;
    uint64_t peak = 0;
    const double bytes = clr_lte57_outputs(job) * (double)clradio_type_bytes(job->config.type);
    one.config.memory_limit = limit;
    clradio_status status = clradio_device_open(clr_device_info(shared)->id, &own);
    bench->device = own;
    if (!status) /* the plan's own test runs without the limit: its verdict is known behind it */
        status = clr_lte57_measure(bench, &one, 0, bench->streams, 0, &times);
    bench->device = shared;
    if (!status)
        clradio_device_memory_used(own, NULL, &peak);
    clradio_device_close(own);
    if (status)
        return status;
    const char *what = limit ? "limited" : "unlimited";
    printf("%16s %10.1f %10.3f %10.3f %10.3f %10.3f %8.0f%%\n", what, (double)peak * 0x1p-20,
           times.median, times.least, times.most, bytes / times.median * 1e-9,
           100 * bytes / times.median / link);
    fflush(stdout);
    if (limit && peak > limit) {
        printf("%16s more than the limit of %.1f MiB was taken\n", "WRONG",
               (double)limit * 0x1p-20);
        bench->over_limit = 1;
    }
    clr_lte57_keep(bench, CLR_LTE57_MEMORY, limit ? 0 : 1, times.median, clr_lte57_outputs(job));
    clr_json *row = clr_lte57_json(bench, CLR_LTE57_MEMORY, what, &times, clr_lte57_outputs(job));
    if (row) {
        clr_json_add_whole(row, "memory_limit_bytes", (int64_t)limit);
        clr_json_add_whole(row, "memory_peak_bytes", (int64_t)peak);
        clr_json_add_real(row, "response_bytes_per_s", bytes / times.median);
        clr_json_add_real(row, "link_bytes_per_s", link);
        clr_json_add_real(row, "fraction_of_link", bytes / times.median / link);
    }
    return CLRADIO_OK;
}

/* The whole response on the device, where there is room. */
static clradio_status run_whole(clr_lte57 *bench, const clr_dft_job *job)
{
    clr_bench_times times;
    const double bytes = clr_lte57_outputs(job) * (double)clradio_type_bytes(job->config.type);
    clradio_status status = clr_lte57_resident(bench, job, &times);
    if (status == CLRADIO_ERROR_DEVICE_MEMORY || status == CLRADIO_ERROR_LIMIT) {
        printf("%16s does not fit: %s\n", "on the device", clradio_last_error());
        return CLRADIO_OK;
    }
    if (!status)
        printf("%16s %10.1f %10.3f %10.3f %10.3f %10.3f   whole, not copied out\n", "on the device",
               bytes * 0x1p-20, times.median, times.least, times.most, bytes / times.median * 1e-9);
    return status;
}

clr_exit clr_lte57_memory(clr_lte57 *bench)
{
    clr_dft_job job;
    double link;
    bench->request.transmit = bench->quick ? "4" : "64";
    clr_exit answer = clr_lte57_make_job(bench, bench->users, SUBCARRIERS, &job);
    bench->request.transmit = NULL;
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clradio_status status = measure_link(bench->device, &link);
    if (!status) {
        printf(
            "\n7. memory: %llu paths x %u subcarriers, %.2f GB of response through %.0f MiB; the "
            "link to the host alone: %.2f GB/s\n%16s %10s %10s %10s %10s %10s %9s\n",
            (unsigned long long)job.taps.paths, job.config.subcarriers,
            clr_lte57_outputs(&job) * (double)clradio_type_bytes(job.config.type) * 1e-9,
            (double)bench->memory_limit * 0x1p-20, link * 1e-9, "", "peak MiB", "median s", "least",
            "most", "GB/s", "of link");
        fflush(stdout);
        status = run_limited(bench, &job, bench->memory_limit, link);
    }
    if (!status)
        status = run_limited(bench, &job, 0, link);
    if (!status)
        status = run_whole(bench, &job);
    clr_dft_job_free(&job);
    return status ? clr_say_engine(status) : CLR_EXIT_CARRY_ON;
}
