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
    uint64_t overflow, in_flight;
    uint64_t dumped; /* integrations that are in the caller's arrays */
} host_run;

/* The parts of a dump: the visibilities, and behind them counts where the plan has them. */
static void take_dump(host_run *run, const unsigned char *output)
{
    const clradio_xengine *plan = run->plan;
    const clradio_xengine_host_io *io = run->io;
    const uint64_t inputs = (uint64_t)plan->config.stations * plan->config.polarisations;
    const uint64_t bytes = plan->visibilities_bytes;
    const uint64_t values = plan->channel_output_values * plan->config.channels;
    memcpy((unsigned char *)io->visibilities + run->dumped * bytes, output, bytes);
    if (io->counts)
        memcpy(io->counts + run->dumped * values, output + bytes, values * sizeof(uint64_t));
    if (io->input_counts)
        memcpy(io->input_counts + run->dumped * inputs * plan->config.channels,
               output + bytes + values * sizeof(uint64_t),
               inputs * plan->config.channels * sizeof(uint64_t));
    run->dumped++;
}

/* Takes the oldest finished call; the last one of an integration brings the visibilities. */
static clradio_status collect(host_run *run)
{
    clradio_slot *slot;
    clradio_status status = clradio_pipeline_wait_next(run->pipeline, &slot);
    run->in_flight--;
    if (status)
        return status;
    if (slot->flags & CLRADIO_DUMP) {
        take_dump(run, slot->output);
        run->overflow += slot->overflow;
    }
    return clradio_pipeline_release(run->pipeline, slot);
}

static clradio_status submit(host_run *run, uint64_t done, uint64_t count, unsigned flags)
{
    clradio_slot *slot;
    const clradio_xengine_config *config = &run->plan->config;
    clradio_status status = CLRADIO_OK;
    if (run->in_flight == DEPTH)
        status = collect(run);
    if (!status)
        status = clradio_pipeline_acquire(run->pipeline, &slot);
    if (status)
        return status;
    if (count)
        clr_xengine_copy_times(config, run->io->spectra, run->io->spectra_count, done, count,
                               slot->input);
    if (count && run->io->valid)
        clr_xengine_copy_valid(config, run->io->valid, done, count, slot->valid);
    slot->count = count;
    slot->flags = flags;
    slot->use_valid = count && run->io->valid;
    status = clradio_pipeline_submit(run->pipeline, slot);
    run->in_flight += !status;
    return status;
}

/* The spectra of the next call, of `left` of the integration: as many as the plan takes, and no
 * entry of the array of what is valid in two calls unless one alone is longer. */
static uint64_t next_count(const host_run *run, uint64_t done, uint64_t left)
{
    const uint64_t most = clr_min_u64(left, run->plan->config.spectra);
    const uint64_t times = run->plan->config.valid_times, inside = done % times;
    if (!run->io->valid || times == 1)
        return most;
    if (inside)
        return clr_min_u64(most, times - inside);
    return most >= times && most < left ? most / times * times : most;
}

static clradio_status run_integration(host_run *run, uint64_t begin, uint64_t count, unsigned flags)
{
    uint64_t done = 0;
    clradio_status status = CLRADIO_OK;
    do {
        const uint64_t here = next_count(run, begin + done, count - done);
        unsigned now = done ? CLRADIO_ACCUMULATE : flags & (unsigned)CLRADIO_ACCUMULATE;
        if (done + here == count)
            now |= flags & (unsigned)CLRADIO_DUMP;
        status = submit(run, begin + done, here, now);
        done += here;
    } while (!status && done < count);
    return status;
}

static clradio_status run_calls(host_run *run)
{
    const clradio_xengine_host_io *io = run->io;
    const uint64_t each = io->integration_spectra ? io->integration_spectra : io->spectra_count;
    uint64_t begin = 0;
    unsigned flags = io->flags;
    clradio_status status = CLRADIO_OK;
    do {
        const uint64_t count = clr_min_u64(each, io->spectra_count - begin);
        status = run_integration(run, begin, count, flags);
        flags &= ~(unsigned)CLRADIO_ACCUMULATE;
        begin += count;
    } while (!status && begin < io->spectra_count);
    while (!status && run->in_flight)
        status = collect(run);
    return status;
}

static clradio_status check_integrations(const clradio_xengine *plan,
                                         const clradio_xengine_host_io *io)
{
    const uint64_t whole = io->integration_spectra
                               ? clr_min_u64(io->integration_spectra, io->spectra_count)
                               : io->spectra_count;
    if (io->integration_spectra && !(io->flags & CLRADIO_DUMP))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.integration_spectra needs CLRADIO_DUMP in io.flags");
    if (!plan->config.valid && (io->valid || io->counts || io->input_counts))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.valid and counts need a plan that was made with config.valid");
    /* an entry of io.valid that ends inside an integration cuts it into two calls */
    const uint64_t times = io->valid && plan->config.valid_times > 1 ? plan->config.valid_times : 0;
    const int is_cut =
        times && io->integration_spectra % times && io->spectra_count > io->integration_spectra;
    if ((plan->config.flags & CLRADIO_XENGINE_SINGLE_CALL) &&
        (whole > plan->config.spectra || is_cut))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%" PRIu64 " spectra are several calls of %" PRIu64
                        "; a plan with CLRADIO_XENGINE_SINGLE_CALL cannot add them",
                        whole, plan->config.spectra);
    return CLRADIO_OK;
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
    return check_integrations(plan, io);
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
