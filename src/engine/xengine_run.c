/* The X-engine on host arrays: cuts them into calls and sends those through a pipeline. */
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <clradio/pipeline.h>
#include <inttypes.h>
#include <string.h>

enum { DEPTH = 3 };

typedef struct host_run {
    clradio_xengine *plan;
    const clradio_xengine_host_io *io;
    clradio_pipeline *pipeline;
    uint64_t overflow;
} host_run;

/* Takes the oldest finished call; the last one of a dump brings the visibilities. */
static clradio_status collect(host_run *run)
{
    clradio_slot *slot;
    clradio_status status = clradio_pipeline_wait_next(run->pipeline, &slot);
    if (status)
        return status;
    if (slot->flags & CLRADIO_DUMP) {
        memcpy(run->io->visibilities, slot->output, run->plan->plan.output_bytes);
        run->overflow += slot->overflow;
    }
    return clradio_pipeline_release(run->pipeline, slot);
}

static clradio_status submit(host_run *run, uint64_t done, uint64_t count, unsigned flags)
{
    clradio_slot *slot;
    clradio_status status = clradio_pipeline_acquire(run->pipeline, &slot);
    if (status)
        return status;
    if (count)
        clr_xengine_copy_times(&run->plan->config, run->io->spectra, run->io->spectra_count, done,
                               count, slot->input);
    slot->count = count;
    slot->flags = flags;
    slot->use_valid = 0;
    return clradio_pipeline_submit(run->pipeline, slot);
}

static clradio_status run_calls(host_run *run)
{
    const clradio_xengine_host_io *io = run->io;
    uint64_t done = 0, in_flight = 0;
    clradio_status status = CLRADIO_OK;
    do {
        const uint64_t count = clr_min_u64(io->spectra_count - done, run->plan->config.spectra);
        unsigned flags = done ? CLRADIO_ACCUMULATE : io->flags & (unsigned)CLRADIO_ACCUMULATE;
        if (done + count == io->spectra_count)
            flags |= io->flags & (unsigned)CLRADIO_DUMP;
        if (in_flight == DEPTH) {
            status = collect(run);
            in_flight--;
        }
        if (!status) {
            status = submit(run, done, count, flags);
            in_flight++;
        }
        done += count;
    } while (!status && done < io->spectra_count);
    while (!status && in_flight--)
        status = collect(run);
    return status;
}

static clradio_status check(const clradio_xengine *plan, const clradio_xengine_host_io *io)
{
    uint64_t bytes;
    if (!plan || !io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", plan ? "io" : "plan");
    if (io->struct_size != sizeof *io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.struct_size is %zu, not %zu", io->struct_size,
                        sizeof *io);
    if (io->flags & ~(unsigned)(CLRADIO_ACCUMULATE | CLRADIO_DUMP))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.flags has bits that mean nothing: 0x%x",
                        io->flags);
    if (io->spectra_count && !io->spectra)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.spectra is NULL");
    if ((io->flags & CLRADIO_DUMP) && !io->visibilities)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.visibilities is NULL");
    if (!clr_xengine_spectra_bytes(&plan->config, io->spectra_count, &bytes))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%" PRIu64 " spectra do not fit 64 bits",
                        io->spectra_count);
    if ((plan->config.flags & CLRADIO_XENGINE_SINGLE_CALL) &&
        io->spectra_count > plan->config.spectra)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%" PRIu64 " spectra are several calls of %" PRIu64
                        "; a plan with CLRADIO_XENGINE_SINGLE_CALL cannot add them",
                        io->spectra_count, plan->config.spectra);
    return CLRADIO_OK;
}

clradio_status clradio_xengine_run(clradio_xengine *plan, const clradio_xengine_host_io *io)
{
    host_run run = { .plan = plan, .io = io };
    clradio_status status = check(plan, io);
    if (status)
        return status;
    status = clradio_pipeline_create(&plan->plan, DEPTH, &run.pipeline);
    if (!status)
        status = run_calls(&run);
    clradio_pipeline_destroy(run.pipeline);
    if (!status && run.overflow)
        return clr_fail(CLRADIO_ERROR_OVERFLOW,
                        "%" PRIu64 " visibilities do not fit %s; they hold the nearest value "
                        "that does",
                        run.overflow, clradio_type_name(plan->config.output));
    return status;
}
