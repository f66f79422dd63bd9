/* The X-engine's pipeline from host memory: its rate beside those of the link and of the kernels.
 */
#include "base/progress.h"
#include "device/device.h"
#include "tool/bench_xengine.h"

#include <clradio/pipeline.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 7, LEAST_BATCHES = 16, MOST_BATCHES = 4096 };

/* Seconds of one call's copies, each direction alone, from and to pinned memory. */
typedef struct copies {
    double in, out;
} copies;

static clradio_status time_copy(bench *bench, clradio_buffer *buffer, void *host, uint64_t bytes,
                                int reads, double *best)
{
    clradio_status status = CLRADIO_OK;
    *best = HUGE_VAL;
    for (int n = 0; n < COPIES && !status; n++) {
        double seconds;
        clradio_event *event = NULL;
        const double start = clr_steady_seconds();
        status = reads ? clradio_buffer_read(bench->queue, (clradio_span){ buffer, 0 }, host, bytes,
                                             0, NULL, &event)
                       : clradio_buffer_write(bench->queue, (clradio_span){ buffer, 0 }, host,
                                              bytes, 0, NULL, &event);
        status = clr_bench_wait(status, event, start, &seconds);
        *best = fmin(*best, seconds);
    }
    return status;
}

static clradio_status measure_link(bench *bench, const bench_case *c, copies *copies)
{
    const uint64_t in = c->info.input_bytes, out = c->info.visibilities_bytes;
    void *host = NULL, *handle = NULL;
    copies->in = copies->out = 0;
    if (bench->info->unified_memory) /* slots are mapped, nothing is copied */
        return CLRADIO_OK;
    clradio_status status =
        clr_host_memory_create(bench->device, in > out ? in : out, &host, &handle);
    if (status)
        return status;
    memcpy(host, c->spectra, in);
    status = time_copy(bench, c->in, host, in, 0, &copies->in);
    if (!status)
        status = time_copy(bench, c->out, host, out, 1, &copies->out);
    clr_host_memory_destroy(bench->device, host, handle);
    return status;
}

/* A run of batches whose input lies in the slots already, as a receiver's does. */
typedef struct pipeline_run {
    clradio_pipeline *pipeline;
    const bench_case *c;
    unsigned depth, in_flight;
    int differs; /* from the visibilities that were checked */
} pipeline_run;

static clradio_status take_one(pipeline_run *run, int compares)
{
    clradio_slot *slot;
    clradio_status status = clradio_pipeline_wait_next(run->pipeline, &slot);
    if (status)
        return status;
    run->in_flight--;
    if (compares)
        run->differs |=
            memcmp(slot->output, run->c->visibilities, run->c->info.visibilities_bytes) != 0;
    return clradio_pipeline_release(run->pipeline, slot);
}

static clradio_status send_one(pipeline_run *run, int fills)
{
    clradio_slot *slot;
    clradio_status status = run->in_flight == run->depth ? take_one(run, 0) : CLRADIO_OK;
    if (!status)
        status = clradio_pipeline_acquire(run->pipeline, &slot);
    if (status)
        return status;
    if (fills)
        memcpy(slot->input, run->c->spectra, run->c->info.input_bytes);
    slot->use_valid = run->c->valid != NULL;
    if (fills && slot->use_valid)
        memcpy(slot->valid, run->c->valid, run->c->info.valid_bytes);
    slot->count = run->c->config.spectra;
    slot->flags = CLRADIO_DUMP;
    status = clradio_pipeline_submit(run->pipeline, slot);
    run->in_flight += !status;
    return status;
}

/* Seconds a batch while the pipeline is full: from the end of one batch to that of a later one. */
static clradio_status run_batches(pipeline_run *run, double expected, double *seconds)
{
    const double wanted = fmin(MOST_BATCHES, 0.5 / expected);
    const unsigned batches = wanted > LEAST_BATCHES ? (unsigned)wanted : LEAST_BATCHES;
    clradio_status status = CLRADIO_OK;
    for (unsigned n = 0; n < 2 * run->depth && !status; n++)
        status = send_one(run, n < run->depth);
    if (!status)
        status = take_one(run, 1);
    const double start = clr_steady_seconds();
    for (unsigned n = 0; n < batches && !status; n++) {
        status = send_one(run, 0);
        if (!status && run->in_flight == run->depth)
            status = take_one(run, 0);
    }
    *seconds = (clr_steady_seconds() - start) / batches;
    while (!status && run->in_flight)
        status = take_one(run, 1);
    return status;
}

static void say(bench *bench, const bench_case *c, unsigned depth, const copies *copies,
                double seconds, const char *bound, int right)
{
    const double link = fmax(copies->in, copies->out), kernel = c->times.median;
    const double bytes = (double)c->info.input_bytes;
    const double rate = (double)c->info.operations / seconds;
    const double share = fmax(link, kernel) / seconds;
    char link_text[48] = "memory is shared";
    if (link > 0)
        snprintf(link_text, sizeof link_text, "link %.2f GB/s", bytes / link * 1e-9);
    printf("         from host memory, %u slots: %.4f TOP/s, %.2f GB/s of input (%s, kernels %.2f "
           "GB/s): %.0f%% of the smaller, bound by %s; %s\n",
           depth, rate * 1e-12, bytes / seconds * 1e-9, link_text, bytes / kernel * 1e-9,
           100 * share, bound, right ? "right" : "WRONG");
    bench->faults.wrong += !right;
    if (!bench->cases)
        return;
    clr_json *to = clr_json_add_object(bench->cases, NULL);
    clr_json_add_text(to, "who", "pipeline");
    clr_json_add_whole(to, "stations", c->config.stations);
    clr_json_add_whole(to, "channels", c->config.channels);
    clr_json_add_whole(to, "spectra", (int64_t)c->config.spectra);
    clr_json_add_text(to, "input", clradio_type_name(c->config.input));
    clr_json_add_text(to, "layout", clr_bench_layout_name(c->config.layout));
    clr_json_add_text(to, "variant", c->info.variant);
    clr_json_add_whole(to, "slots", depth);
    clr_json_add_real(to, "seconds_a_batch", seconds);
    clr_json_add_real(to, "useful_operations_per_s", rate);
    clr_json_add_real(to, "input_bytes_per_s", bytes / seconds);
    clr_json_add_real(to, "link_in_s", copies->in);
    clr_json_add_real(to, "link_out_s", copies->out);
    clr_json_add_real(to, "kernel_s", kernel);
    clr_json_add_real(to, "fraction_of_smaller_rate", share);
    clr_json_add_text(to, "bound", bound);
    clr_json_add_text(to, "verdict", right ? "right" : "wrong");
}

clradio_status clr_bench_case_pipeline(bench *bench, bench_case *c, unsigned depth)
{
    pipeline_run run = { .c = c, .depth = depth };
    clradio_pipeline_info info = CLRADIO_PIPELINE_INFO_INIT;
    copies copies;
    double seconds = 0;
    clradio_status status = measure_link(bench, c, &copies);
    if (!status)
        status = clradio_pipeline_create(clradio_xengine_plan(c->plan), depth, &run.pipeline);
    if (!status)
        status = run_batches(&run, fmax(c->times.median, copies.in), &seconds);
    if (!status)
        status = clradio_pipeline_get_info(run.pipeline, &info);
    if (!status) {
        say(bench, c, depth, &copies, seconds, info.bound, !run.differs);
        c->chain_seconds = run.differs ? 0 : seconds; /* what is wrong is not drawn */
        c->link_seconds = fmax(copies.in, copies.out);
    }
    clradio_pipeline_destroy(run.pipeline);
    return status;
}
