/* The X-engine on host arrays: cuts them into calls. */
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <inttypes.h>

typedef struct host_run {
    clradio_xengine *plan;
    const clradio_xengine_host_io *io;
    clradio_queue *queue;
    clradio_buffer *spectra, *visibilities, *overflow;
    uint32_t misfits;
} host_run;

static clradio_status take(host_run *run)
{
    clradio_device *device = run->plan->device;
    clradio_status status = clradio_queue_create(device, 0, &run->queue);
    if (!status)
        status = clradio_buffer_create(device, run->plan->plan.input_bytes, &run->spectra);
    if (!status && (run->io->flags & CLRADIO_DUMP))
        status = clradio_buffer_create(device, run->plan->plan.output_bytes, &run->visibilities);
    if (!status)
        status = clradio_buffer_create(device, sizeof run->misfits, &run->overflow);
    if (status)
        return status;
    return clradio_buffer_fill(run->queue, (clradio_span){ run->overflow, 0 }, 0,
                               sizeof run->misfits, 0, NULL, NULL);
}

static clradio_status run_calls(host_run *run)
{
    uint64_t done = 0;
    clradio_status status = take(run);
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    io.spectra.buffer = run->spectra;
    io.visibilities.buffer = run->visibilities;
    io.overflow.buffer = run->overflow;
    do {
        uint64_t from, bytes;
        io.spectra_count = clr_min_u64(run->io->spectra_count - done, run->plan->config.spectra);
        io.flags = done ? CLRADIO_ACCUMULATE : run->io->flags & (unsigned)CLRADIO_ACCUMULATE;
        clr_xengine_spectra_bytes(&run->plan->config, done, &from);
        clr_xengine_spectra_bytes(&run->plan->config, io.spectra_count, &bytes);
        done += io.spectra_count;
        if (done == run->io->spectra_count)
            io.flags |= run->io->flags & (unsigned)CLRADIO_DUMP;
        if (!status && bytes)
            status = clradio_buffer_write(run->queue, io.spectra,
                                          (const unsigned char *)run->io->spectra + from, bytes, 0,
                                          NULL, NULL);
        if (!status)
            status = clradio_xengine_enqueue(run->plan, run->queue, &io, 0, NULL, NULL);
    } while (!status && done < run->io->spectra_count);
    if (!status)
        status = clradio_queue_finish(run->queue);
    if (!status)
        status = clradio_buffer_read(run->queue, io.overflow, &run->misfits, sizeof run->misfits, 0,
                                     NULL, NULL);
    if (!status && (run->io->flags & CLRADIO_DUMP))
        status = clradio_buffer_read(run->queue, io.visibilities, run->io->visibilities,
                                     run->plan->plan.output_bytes, 0, NULL, NULL);
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
    status = run_calls(&run);
    clradio_buffer_destroy(run.spectra);
    clradio_buffer_destroy(run.visibilities);
    clradio_buffer_destroy(run.overflow);
    clradio_queue_destroy(run.queue);
    if (!status && run.misfits)
        return clr_fail(CLRADIO_ERROR_OVERFLOW,
                        "%" PRIu32 " visibilities do not fit %s; they hold the nearest value "
                        "that does",
                        run.misfits, clradio_type_name(plan->config.output));
    return status;
}
