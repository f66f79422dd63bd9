/*
 * The launches of clradio bench lte57: all links by one launch, by a launch each from the host, or
 * by a grid each that the device itself starts (dynamic parallelism), with the arrays on the device
 * and from host memory to host memory; and the launches from the host over more and more streams.
 */
#include "tool/bench_lte57.h"

#include "base/checked.h"
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct way {
    const char *name;
    const char *parameters;
    clradio_dft_launch launch;
    int replay; /* recorded, and so from host memory alone */
} way;

static const way ways[] = {
    { "flat", NULL, CLRADIO_LAUNCH_FLAT, 0 },
    { "host, a link", "LINKS=1", CLRADIO_LAUNCH_HOST, 0 },
    { "host, a beam", "LINKS=0", CLRADIO_LAUNCH_HOST, 0 },
    { "children, a link", "LINKS=1", CLRADIO_LAUNCH_CHILDREN, 0 },
    { "children, a beam", "LINKS=0", CLRADIO_LAUNCH_CHILDREN, 0 },
    { "replayed, a link", "LINKS=1", CLRADIO_LAUNCH_HOST, 1 },
};

/* The job with its arrays on the device. */
typedef struct resident {
    clradio_dft *plan;
    clradio_dft_layout *layout;
    clradio_queue *queue;
    clradio_dft_io io;
    uint64_t response_bytes;
} resident;

static clradio_status make_array(clradio_device *device, clradio_queue *queue, uint64_t bytes,
                                 const void *from, clradio_span *span)
{
    clradio_status status = clradio_buffer_create(device, bytes, &span->buffer);
    return status || !from ? status
                           : clradio_buffer_write(queue, *span, from, bytes, 0, NULL, NULL);
}

static clradio_status make_resident(clradio_device *device, const clr_dft_job *job, resident *r)
{
    clradio_dft_counts counts = CLRADIO_DFT_COUNTS_INIT;
    const uint64_t element = clradio_type_bytes(job->config.type);
    memset(r, 0, sizeof *r);
    r->io = (clradio_dft_io)CLRADIO_DFT_IO_INIT;
    clradio_status status = clradio_dft_create(device, &job->config, &r->plan);
    if (!status)
        status = clradio_dft_count(&job->config, &job->sizes, &counts);
    if (!status)
        status = clradio_dft_layout_create(r->plan, &job->sizes, &r->layout);
    if (!status)
        status = clradio_queue_create(device, 0, &r->queue);
    r->io.layout = r->layout;
    r->response_bytes = counts.response * element;
    if (!status)
        status =
            make_array(device, r->queue, counts.gains * element, job->taps.gains, &r->io.gains);
    const uint64_t delays = job->config.delays == CLRADIO_PER_PATH ? counts.gains : counts.taps;
    if (!status)
        status = make_array(device, r->queue, delays * 8, job->taps.delays, &r->io.delays);
    return status ? status : make_array(device, r->queue, r->response_bytes, NULL, &r->io.response);
}

static void free_resident(resident *r)
{
    if (r->queue)
        clradio_queue_finish(r->queue);
    clradio_buffer_destroy(r->io.gains.buffer);
    clradio_buffer_destroy(r->io.delays.buffer);
    clradio_buffer_destroy(r->io.response.buffer);
    clradio_dft_layout_destroy(r->layout);
    clradio_queue_destroy(r->queue);
    clradio_dft_destroy(r->plan);
}

/* One call, from its enqueueing to its end. */
static clradio_status call_once(const resident *r, double *seconds)
{
    const double started = clr_steady_seconds();
    clradio_status status = clradio_dft_enqueue(r->plan, r->queue, &r->io, 0, NULL, NULL);
    if (!status)
        status = clradio_queue_finish(r->queue);
    *seconds = clr_steady_seconds() - started;
    return status;
}

/* The response's checksum, read in pieces: it may be larger than the host's memory. */
static clradio_status check_resident(clr_lte57 *bench, const resident *r)
{
    const uint64_t most = clr_min_u64(r->response_bytes, (uint64_t)64 << 20);
    void *piece = malloc(most);
    uint64_t sum = CLR_LTE57_NO_SUM;
    clradio_status status =
        piece ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a response");
    for (uint64_t at = 0, bytes; at < r->response_bytes && !status; at += bytes) {
        bytes = clr_min_u64(most, r->response_bytes - at);
        status = clradio_buffer_read(r->queue, (clradio_span){ r->io.response.buffer, at }, piece,
                                     bytes, 0, NULL, NULL);
        sum = clr_lte57_checksum(sum, piece, bytes);
    }
    free(piece);
    if (!status)
        clr_lte57_compare(bench, sum);
    return status;
}

clradio_status clr_lte57_resident(clr_lte57 *bench, const clr_dft_job *job, clr_bench_times *times)
{
    double seconds[101];
    resident r;
    clradio_status status = make_resident(bench->device, job, &r);
    if (!status)
        status = call_once(&r, seconds);
    if (!status)
        status = check_resident(bench, &r);
    for (uint64_t k = 0; k < bench->repeats && !status; k++)
        status = call_once(&r, &seconds[k]);
    free_resident(&r);
    if (!status)
        clr_bench_summarise(seconds, bench->repeats, times);
    return status;
}

/* LINKS=1 is the usual one, 0 a beam; of several links the units are counted beam by beam. */
static double launches_of(const way *way, const clr_dft_job *job)
{
    const char *links = way->parameters ? strstr(way->parameters, "LINKS=") : NULL;
    const uint64_t each = links ? strtoull(links + strlen("LINKS="), NULL, 10) : 1;
    const uint64_t of_a_beam = job->taps.links / clr_max_u64(1, job->sizes.beams);
    if (way->launch == CLRADIO_LAUNCH_FLAT)
        return 1;
    return (double)(job->sizes.beams * (each ? (of_a_beam + each - 1) / each : 1));
}

/* What one way took: on the device (0: not measured so), from the host. */
static clradio_status measure_way(clr_lte57 *bench, const clr_dft_job *job, const way *way,
                                  clr_bench_times *resident_times, clr_bench_times *times)
{
    const int replay = bench->replay;
    clradio_status status = CLRADIO_OK;
    *resident_times = (clr_bench_times){ 0 };
    if (!way->replay)
        status = clr_lte57_resident(bench, job, resident_times);
    bench->replay = way->replay;
    if (!status)
        status = clr_lte57_measure(bench, job, 1, 1, 0, times);
    bench->replay = replay;
    return status;
}

/* One way's line. What the device cannot says so. */
static clradio_status try_way(clr_lte57 *bench, const clr_dft_job *job, const way *way,
                              size_t number)
{
    clr_dft_job one = *job;
    clr_bench_times resident_times, times;
    one.config.launch = way->launch;
    one.config.launch_parameters = way->parameters;
    clradio_status status = measure_way(bench, &one, way, &resident_times, &times);
    if (status == CLRADIO_ERROR_UNSUPPORTED) {
        printf("%16s not here: %s\n", way->name, clradio_last_error());
        return CLRADIO_OK;
    }
    if (status)
        return status;
    const double launches = launches_of(way, job), outputs = clr_lte57_outputs(job);
    const double seconds = resident_times.median;
    if (seconds > 0)
        printf("%16s %9.0f %12.4f %12.4f %12.3f %14.4g\n", way->name, launches, seconds * 1e3,
               seconds * 1e6 / launches, times.median * 1e3, outputs / seconds / 1e9);
    else
        printf("%16s %9.0f %12s %12s %12.3f %14s\n", way->name, launches, "-", "-",
               times.median * 1e3, "-");
    fflush(stdout);
    if (seconds > 0)
        clr_lte57_keep(bench, CLR_LTE57_LAUNCHES, (double)number, seconds, outputs);
    clr_json *row = clr_lte57_json(bench, CLR_LTE57_LAUNCHES, way->name, &times, outputs);
    if (row) {
        clr_json_add_real(row, "launches", launches);
        if (seconds > 0)
            clr_json_add_real(row, "device_seconds", seconds);
    }
    return CLRADIO_OK;
}

/* The settings of one way that were asked for, separated by ; and each with its own line. */
static clradio_status against_settings(clr_lte57 *bench, const clr_dft_job *job)
{
    char *settings = strdup(bench->settings), *rest = NULL;
    clradio_status status = settings ? try_way(bench, job, &ways[0], 0)
                                     : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a text");
    size_t number = 1;
    for (char *one = settings ? strtok_r(settings, ";", &rest) : NULL; one && !status;
         one = strtok_r(NULL, ";", &rest)) {
        const way asked = { one, one, (clradio_dft_launch)bench->request.launch, 0 };
        status = try_way(bench, job, &asked, number++);
    }
    free(settings);
    return status;
}

static clradio_status against_ways(clr_lte57 *bench, const clr_dft_job *job)
{
    clradio_status status = CLRADIO_OK;
    printf("\n5. launches: %u subcarriers, %.0f outputs of %llu links in one batch\n"
           "%16s %9s %12s %12s %12s %14s\n",
           job->config.subcarriers, clr_lte57_outputs(job), (unsigned long long)job->taps.links,
           "launched", "launches", "device ms", "us a launch", "host ms", "Gsubcarriers/s");
    if (bench->settings)
        return against_settings(bench, job);
    for (size_t w = 0; w < sizeof ways / sizeof *ways && !status; w++)
        status = try_way(bench, job, &ways[w], w);
    return status;
}

static clradio_status launches_over_streams(clr_lte57 *bench, const clr_dft_job *job)
{
    clr_dft_job one = *job;
    char title[120];
    clradio_status status = CLRADIO_OK;
    const uint64_t batches = clr_min_u64(32, bench->users);
    one.config.launch = CLRADIO_LAUNCH_HOST;
    one.config.launch_parameters = "LINKS=1";
    snprintf(title, sizeof title,
             "6. streams, a launch a link from the host: %u subcarriers in "
             "%llu batches",
             job->config.subcarriers, (unsigned long long)batches);
    clr_lte57_say_head(title, "streams");
    for (unsigned streams = 1; streams <= 32 && !status; streams *= 2) {
        clr_bench_times times;
        char what[32];
        snprintf(what, sizeof what, "%u", streams);
        status = clr_lte57_measure(bench, &one, batches, streams, 0, &times);
        if (!status)
            clr_lte57_say(bench, CLR_LTE57_LINK_STREAMS, what, streams, &times,
                          clr_lte57_outputs(job));
    }
    return status;
}

clr_exit clr_lte57_launches(clr_lte57 *bench)
{
    clr_dft_job job;
    clr_exit answer = clr_lte57_make_job(bench, bench->users, 50, &job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clradio_status status = against_ways(bench, &job);
    if (!status && !bench->settings)
        status = launches_over_streams(bench, &job);
    clr_dft_job_free(&job);
    return status ? clr_say_engine(status) : CLR_EXIT_CARRY_ON;
}
