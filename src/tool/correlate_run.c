/* The loop of a correlation: fills slots of the pipeline, counts what is there, takes integrations
 * out in order. Uses the device through the pipeline only. */
#include "tool/correlate.h"

#include "base/checked.h"
#include "base/progress.h"

#include <clradio/pipeline.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 3 };

/* What was put into a slot, kept until it comes back. */
typedef struct batch {
    uint64_t index;   /* of its integration */
    uint64_t spectra; /* of the integration when it ends with this batch */
    int ends;         /* the integration ends with this batch */
    int incomplete;   /* present holds the counts */
    uint64_t *present;
} batch;

typedef struct run {
    clr_correlate_plan *plan;
    clr_correlate_output *output;
    clradio_device *device;
    clradio_correlator *correlator;
    clradio_pipeline *pipeline;
    unsigned depth;
    uint64_t most; /* transforms of a batch */
    clr_presence presence;
    uint64_t *samples_present; /* [slots][words] of a batch */
    batch batches[DEPTH];
    uint64_t submitted, taken;
    uint64_t position;     /* transforms read */
    uint64_t spectra_done; /* put into the pipeline */
    uint64_t index;        /* of the integration being filled */
    double lost;           /* input spectra that were not there */
    int stopping;
    clr_verify *verify;
    clr_progress progress;
    double started;
} run;

/* ---- sizes ---- */

static uint64_t transform_bytes(const clr_correlate_plan *plan)
{
    return plan->length * plan->config.bands * plan->slots * clradio_type_bytes(plan->config.input);
}

/* Transforms of a batch to begin with: 32 MiB of voltages, no more than there are. The reference of
 * --verify takes seconds for so much, and nothing interrupts a batch. */
static uint64_t wanted_batch(const clr_correlate_plan *plan)
{
    const uint64_t bytes = plan->request->verify ? 4 << 20 : 32 << 20;
    uint64_t most = bytes / clr_max_u64(transform_bytes(plan), 1);
    uint64_t whole = clr_min_u64(plan->transforms, plan->integration + plan->config.taps - 1);
    return clr_max_u64(1, clr_min_u64(most, whole));
}

static void close_engines(run *r)
{
    clradio_pipeline_destroy(r->pipeline);
    clradio_correlator_destroy(r->correlator);
    r->pipeline = NULL;
    r->correlator = NULL;
}

/* Correlator and pipeline for a batch size within the memory limit. */
static clradio_status try_batch(run *r, uint64_t most, unsigned depth)
{
    clradio_correlator_config config = r->plan->config;
    config.spectra = most;
    if (config.memory_limit) {
        /* What the pipeline's slots take comes off the engine's part. */
        uint64_t pairs =
            (uint64_t)r->plan->slots * (r->plan->slots + r->plan->config.polarisations);
        uint64_t visibilities =
            pairs / 2 * r->plan->out_channels * clradio_type_bytes(config.output);
        uint64_t slot = most * (transform_bytes(r->plan) + r->plan->slots) + visibilities + 4096;
        if (slot >= config.memory_limit / depth)
            return clr_fail(CLRADIO_ERROR_LIMIT,
                            "--memory-limit %" PRIu64
                            " is too small: a batch of one spectrum takes "
                            "%" PRIu64 " bytes in flight",
                            config.memory_limit, slot * depth);
        config.memory_limit -= slot * depth;
    }
    clradio_status status = clradio_correlator_create(r->device, &config, &r->correlator);
    if (!status)
        status =
            clradio_pipeline_create(clradio_correlator_plan(r->correlator), depth, &r->pipeline);
    if (status)
        close_engines(r);
    r->most = most;
    r->depth = depth;
    return status;
}

static clradio_status make_engines(run *r)
{
    uint64_t most = wanted_batch(r->plan);
    unsigned depth = DEPTH;
    for (;;) {
        clradio_status status = try_batch(r, most, depth);
        if (status != CLRADIO_ERROR_LIMIT && status != CLRADIO_ERROR_DEVICE_MEMORY)
            return status;
        if (most > 1)
            most /= 2;
        else if (depth > 1)
            depth--;
        else
            return status;
    }
}

/* Engines that cannot be made fail for what an option asked, or for what is there. */
static clr_exit exit_of_engines(const clr_correlate_request *request, clradio_status status)
{
    int asked = 0;
    if (status == CLRADIO_ERROR_LIMIT)
        asked = request->memory_limit || request->taps > 1;
    else if (status == CLRADIO_ERROR_UNSUPPORTED)
        asked = request->channels > 1 || request->variant || request->output_type;
    return asked ? CLR_EXIT_USAGE : clr_exit_of(status);
}

static clradio_status make_tables(run *r)
{
    const clr_correlate_plan *plan = r->plan;
    uint64_t words = (r->most * plan->length + 63) / 64;
    uint64_t pairs = (uint64_t)plan->config.stations * (plan->config.stations + 1) / 2 *
                     plan->config.polarisations * plan->config.polarisations;
    r->samples_present = malloc((size_t)(words * plan->slots) * sizeof(uint64_t));
    clradio_status status =
        clr_presence_create(plan->slots, plan->length, plan->config.taps, r->most, &r->presence);
    for (unsigned i = 0; i < DEPTH && !status; i++) {
        r->batches[i].present = malloc((size_t)pairs * sizeof(uint64_t));
        if (!r->batches[i].present || !r->samples_present)
            status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the counts of %" PRIu64 " pairs",
                              pairs);
    }
    if (!status && plan->request->verify)
        status = clr_verify_create(plan, r->most, &r->verify);
    return status;
}

/* ---- one batch in ---- */

/* The counts of an integration that has ended, in the order of the visibilities. */
static void keep_counts(run *r, batch *b)
{
    const clr_correlate_plan *plan = r->plan;
    uint32_t pols = plan->config.polarisations;
    b->incomplete = r->presence.complete != plan->integration;
    b->spectra = r->presence.spectra;
    for (uint32_t slot = 0; slot < plan->slots; slot++)
        if (clr_voltages_input(&plan->voltages, slot))
            r->lost += (double)(r->presence.spectra - clr_presence_joint(&r->presence, slot, slot));
    uint64_t *to = b->present;
    for (uint32_t i = 0; i < plan->config.stations && b->incomplete; i++)
        for (uint32_t j = 0; j <= i; j++)
            for (uint32_t pi = 0; pi < pols; pi++)
                for (uint32_t pj = 0; pj < pols; pj++)
                    *to++ = clr_presence_joint(&r->presence, i * pols + pi, j * pols + pj);
}

/* Ends the integration early when SIGINT came and it would still take long. */
static int stops_here(run *r, uint64_t left)
{
    if (!clr_interrupted())
        return 0;
    double elapsed = clr_steady_seconds() - r->started;
    double rate = elapsed > 0 ? (double)r->position / elapsed : 0;
    r->stopping = 1;
    return rate <= 0 || (double)left / rate > 2.0;
}

static clradio_status fill(run *r, clradio_slot *slot, batch *b)
{
    clr_correlate_plan *plan = r->plan;
    uint64_t filling = plan->config.taps - 1 - r->presence.seen; /* no spectrum from these */
    uint64_t left = clr_min_u64(plan->integration - r->presence.spectra + filling,
                                plan->transforms - r->position);
    uint64_t count = clr_min_u64(r->most, left);
    int begins = r->presence.spectra == 0;
    clradio_status status =
        clr_voltages_read(&plan->voltages, plan->first + r->position * plan->length,
                          count * plan->length, slot->input, r->samples_present);
    if (status)
        return status;
    int missing = 0;
    uint8_t *valid = plan->length > 1 || plan->config.taps > 1 ? slot->valid : NULL;
    r->spectra_done += clr_presence_add(&r->presence, r->samples_present, count, valid, &missing);
    r->position += count;
    *b = (batch){ .index = r->index, .present = b->present };
    b->ends = count == left || stops_here(r, left - count);
    slot->count = count;
    slot->use_valid = valid && missing;
    slot->flags = (begins ? 0u : (unsigned)CLRADIO_ACCUMULATE) | (b->ends ? CLRADIO_DUMP : 0u);
    if (r->verify)
        status = clr_verify_batch(r->verify, slot->input, slot->use_valid ? valid : NULL, count);
    if (!b->ends)
        return status;
    keep_counts(r, b);
    clr_presence_next(&r->presence);
    r->index++;
    if (r->verify && !status)
        status = clr_verify_close_integration(r->verify);
    return status;
}

/* ---- one batch out ---- */

static clradio_status take(run *r)
{
    clradio_slot *slot;
    clradio_status status = clradio_pipeline_wait_next(r->pipeline, &slot);
    if (status)
        return status;
    batch *b = &r->batches[r->taken++ % DEPTH];
    if (b->ends && b->spectra) {
        clr_integration integration = {
            .index = b->index,
            .spectra = b->spectra,
            .visibilities = slot->output,
            .type = r->plan->config.output,
            .present = b->incomplete ? b->present : NULL,
        };
        if (slot->overflow)
            status =
                clr_fail(CLRADIO_ERROR_OVERFLOW, "%u sums of integration %" PRIu64 " do not fit",
                         slot->overflow, b->index);
        if (!status && r->verify)
            status = clr_verify_compare(r->verify, &integration);
        if (!status)
            status = clr_correlate_output_add(r->output, &integration);
    }
    clradio_status released = clradio_pipeline_release(r->pipeline, slot);
    return status ? status : released;
}

static clradio_status loop(run *r)
{
    clradio_status status = CLRADIO_OK;
    while (!status && r->position < r->plan->transforms) {
        if (clr_interrupted() && r->presence.spectra == 0)
            r->stopping = 1;
        if (r->stopping && r->presence.spectra == 0)
            break;
        if (r->submitted - r->taken == r->depth)
            status = take(r);
        clradio_slot *slot = NULL;
        if (!status)
            status = clradio_pipeline_acquire(r->pipeline, &slot);
        if (!status)
            status = fill(r, slot, &r->batches[r->submitted % DEPTH]);
        if (!status)
            status = clradio_pipeline_submit(r->pipeline, slot);
        if (!status)
            r->submitted++;
        clr_progress_update(&r->progress, r->spectra_done);
    }
    while (!status && r->taken < r->submitted)
        status = take(r);
    return status;
}

/* ---- the end ---- */

/* Where the report goes: not among JSON on standard output. */
static FILE *report_stream(const clr_correlate_request *request)
{
    return request->matrix && strcmp(request->matrix, "-") == 0 ? stderr : stdout;
}

/* Beside a matrix as text a report is a comment. */
static const char *report_mark(const clr_correlate_request *request)
{
    int alone = !request->output && !request->matrix && !request->verify;
    return request->print || alone ? "# " : "";
}

static void print_summary(const run *r, uint64_t count, double seconds)
{
    const clr_correlate_plan *plan = r->plan;
    const clr_correlate_request *request = plan->request;
    FILE *to = report_stream(request);
    uint32_t inputs = 0;
    for (uint32_t slot = 0; slot < plan->slots; slot++)
        inputs += clr_voltages_input(&plan->voltages, slot) != NULL;
    double all = (double)r->spectra_done * inputs;
    double rate = seconds > 0 ? (double)r->spectra_done / seconds : 0;
    fprintf(to,
            "%s%" PRIu64 " spectra of %u channels and %u inputs in %" PRIu64
            " integration%s, %.3f s, %.4g spectra/s, %.4g %% lost%s%s\n",
            report_mark(request), r->spectra_done, plan->out_channels, inputs, count,
            count == 1 ? "" : "s", seconds, rate, all > 0 ? 100 * r->lost / all : 0,
            request->output && count ? " -> " : "",
            request->output && count ? request->output : "");
}

static clr_exit conclude(run *r, clradio_status status, double seconds)
{
    /* After an overflow what came before is whole; any other failure leaves nothing. */
    int keep = !status || status == CLRADIO_ERROR_OVERFLOW;
    clr_exit answer = status ? clr_say_status(status) : CLR_EXIT_OK;
    uint64_t count = clr_correlate_output_count(r->output);
    if (keep && r->plan->request->verify && count) {
        char sentence[512];
        int passed = clr_verify_passed(r->verify, sentence, sizeof sentence);
        if (passed)
            fprintf(report_stream(r->plan->request), "%sverified, %s\n",
                    report_mark(r->plan->request), sentence);
        if (!passed)
            answer = clr_say(CLR_EXIT_FAILED, "the verification failed: %s", sentence);
    }
    clradio_status ended = clr_correlate_output_end(r->output, keep);
    if (ended)
        return clr_say_status(ended);
    if (keep)
        print_summary(r, count, seconds);
    if (status == CLRADIO_ERROR_OVERFLOW)
        clr_note("the output holds the %" PRIu64 " integrations before it", count);
    if (answer == CLR_EXIT_OK && r->stopping)
        answer = clr_say(CLR_EXIT_INTERRUPTED, "interrupted after %" PRIu64 " integration%s%s",
                         count, count == 1 ? "" : "s",
                         count > 1 ? "; they are kept"
                         : count   ? "; it is kept"
                                   : "; nothing was written");
    /* Damage outside of what was asked for does not count. */
    int untouched = r->plan->request->samples && r->lost == 0;
    if (answer == CLR_EXIT_OK && r->plan->voltages.bytes_lost && !untouched)
        answer = CLR_EXIT_DAMAGED;
    return answer;
}

clr_exit clr_correlate_run(clr_correlate_plan *plan, clr_correlate_output *output)
{
    run r = { .plan = plan, .output = output };
    clr_exit failed = CLR_EXIT_OK; /* of the engines */
    clradio_status status = clradio_device_open(plan->request->device, &r.device);
    if (!status) {
        status = make_engines(&r);
        failed = exit_of_engines(plan->request, status);
    }
    if (!status)
        status = make_tables(&r);
    r.started = clr_steady_seconds();
    clr_progress_begin(&r.progress, "correlating", "spectra", plan->spectra);
    if (!status)
        status = loop(&r);
    clr_progress_end(&r.progress);
    double seconds = clr_steady_seconds() - r.started;
    close_engines(&r); /* waits for what is in flight */
    clr_exit answer = conclude(&r, status, seconds);
    if (failed)
        answer = failed;
    clr_verify_destroy(r.verify);
    clr_presence_free(&r.presence);
    free(r.samples_present);
    for (unsigned i = 0; i < DEPTH; i++)
        free(r.batches[i].present);
    clradio_device_close(r.device);
    return answer;
}
