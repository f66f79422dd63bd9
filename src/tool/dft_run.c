/* clradio dft: device and plan, the run in batches, and what is said at the end. */
#include "tool/dft.h"

#include "base/checked.h"
#include "base/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    clr_dft_job *job;
    clradio_device *device;
    clradio_dft *plan;
    clr_dft_output *output;
    clr_dft_verify *verify;
    void *response; /* all of it where there are several time steps: batches hold all times */
    uint64_t bad_paths, failed_launches;
    clr_progress progress;
    clradio_status failed; /* of the callback */
    char reason[512];
} run;

/* A finished batch; anything but 0 ends the run. */
static int finished(void *user, const clradio_dft_batch *batch)
{
    run *r = user;
    if (r->verify)
        r->failed = clr_dft_verify_batch(r->verify, batch);
    if (!r->failed && !r->response)
        r->failed = clr_dft_output_add(r->output, batch->response, batch->paths * r->job->values);
    if (r->failed)
        snprintf(r->reason, sizeof r->reason, "%s", clradio_last_error());
    clr_progress_update(&r->progress, batch->first_beam + batch->beams);
    return r->failed || clr_interrupted();
}

static clradio_status open_engine(run *r)
{
    const clr_dft_request *request = r->job->request;
    clradio_dft_info info = CLRADIO_DFT_INFO_INIT;
    clradio_status status = clradio_device_open(request->device, &r->device);
    if (!status)
        status = clradio_dft_create(r->device, &r->job->config, &r->plan);
    if (!status)
        status = clradio_dft_get_info(r->plan, &info);
    if (!status && request->verify)
        status = clr_dft_verify_create(r->job, info.error_bound, &r->verify);
    if (!status)
        status = clr_dft_output_begin(r->job, &r->output);
    return status;
}

/* Several time steps come batch by batch with all their times: the file has the times outside. */
static clradio_status make_response(run *r)
{
    const clr_dft_job *job = r->job;
    uint64_t factors[] = { job->taps.paths, job->values, job->time_steps,
                           clradio_type_bytes(job->config.type) };
    uint64_t bytes;
    if (job->time_steps == 1 || !r->output)
        return CLRADIO_OK;
    if (clr_product_u64(factors, 4, &bytes) && bytes < SIZE_MAX / 2)
        r->response = malloc(bytes ? (size_t)bytes : 1);
    return r->response ? CLRADIO_OK
                       : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %" PRIu64 " time steps",
                                  job->time_steps);
}

static clradio_status compute(run *r)
{
    clr_dft_job *job = r->job;
    clradio_dft_host_io io = CLRADIO_DFT_HOST_IO_INIT;
    io.sizes = &job->sizes;
    io.time_steps = job->time_steps;
    io.gains = job->taps.gains;
    io.delays = job->samples ? (const void *)job->samples : (const void *)job->taps.delays;
    io.rates = job->taps.rates;
    io.response = r->response;
    io.bad_paths = &r->bad_paths;
    io.failed_launches = &r->failed_launches;
    io.finished = finished;
    io.user = r;
    io.batch_beams = job->request->batch;
    io.streams = (unsigned)job->request->streams;
    clradio_status status = clradio_dft_run(r->plan, &io);
    if (r->failed)
        return clr_fail(r->failed, "%s", r->reason);
    if (!status && r->response)
        status = clr_dft_output_add(r->output, r->response,
                                    job->taps.paths * job->values * job->time_steps);
    return status;
}

static void print_summary(const run *r, double seconds)
{
    const clr_dft_job *job = r->job;
    const clr_dft_request *request = job->request;
    clradio_dft_info info = CLRADIO_DFT_INFO_INIT;
    clradio_dft_get_info(r->plan, &info);
    double outputs =
        (double)job->taps.paths * (double)job->config.subcarriers * (double)job->time_steps;
    printf("%" PRIu64 " paths of %" PRIu64 " links, up to %" PRIu64 " taps, x %u subcarriers",
           job->taps.paths, job->taps.links, job->taps.taps, job->config.subcarriers);
    if (job->time_steps > 1)
        printf(" x %" PRIu64 " times", job->time_steps);
    printf(", %.3f s%s, %.4g Gsubcarriers/s, %s%s%s (%s)%s%s\n", seconds,
           r->verify ? " with the verification" : "", seconds > 0 ? outputs / seconds / 1e9 : 0,
           info.variant, *info.parameters ? " " : "", info.parameters, info.reason,
           request->output ? " -> " : "", request->output ? request->output : "");
    if (job->config.launch != CLRADIO_LAUNCH_FLAT)
        printf("launched by %s %s: %" PRIu64 " launches failed%s\n", info.launch,
               info.launch_parameters, r->failed_launches,
               r->failed_launches ? " and were made up for" : "");
}

static clr_exit conclude(run *r, clradio_status status, double seconds)
{
    clr_exit answer = CLR_EXIT_OK;
    if (status == CLRADIO_ERROR_INTERRUPTED)
        answer = clr_say(CLR_EXIT_INTERRUPTED, "interrupted%s",
                         r->output ? "; no file was written" : "");
    else if (status)
        answer = clr_say_engine(status);
    if (!status && r->verify) {
        char sentence[512];
        if (clr_dft_verify_passed(r->verify, sentence, sizeof sentence))
            printf("verified: %s\n", sentence);
        else
            answer = clr_say(CLR_EXIT_FAILED, "the verification failed: %s", sentence);
    }
    if (!status)
        print_summary(r, seconds);
    clradio_status ended = clr_dft_output_end(r->output, !status && answer == CLR_EXIT_OK);
    if (ended)
        return clr_say_status(ended);
    if (answer == CLR_EXIT_OK && r->bad_paths)
        answer =
            clr_say(CLR_EXIT_DAMAGED,
                    "%" PRIu64 " of %" PRIu64 " paths have gains, delays or rates that are not "
                    "finite: their response is zero, the others are whole",
                    r->bad_paths, r->job->taps.paths);
    return answer;
}

clr_exit clr_dft_run(clr_dft_job *job)
{
    run r = { .job = job };
    clradio_status status = open_engine(&r);
    if (!status)
        status = make_response(&r);
    double started = clr_steady_seconds();
    clr_progress_begin(&r.progress, "transforming", "receivers", job->taps.beams);
    if (!status)
        status = compute(&r);
    clr_progress_end(&r.progress);
    clr_exit answer = conclude(&r, status, clr_steady_seconds() - started);
    clr_dft_verify_destroy(r.verify);
    free(r.response);
    clradio_dft_destroy(r.plan);
    clradio_device_close(r.device);
    return answer;
}
