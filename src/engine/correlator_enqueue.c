/* One call of a correlator: batches of voltages to spectra to sums, on the device, as one chain. */
#include "base/checked.h"
#include "engine/correlator_internal.h"

static clradio_status check_apart(const clradio_correlator *plan, const clradio_correlator_io *io,
                                  uint64_t voltages_bytes, uint64_t valid_bytes)
{
    const struct {
        clradio_span span;
        uint64_t bytes;
        const char *name;
    } all[] = {
        { io->visibilities, io->flags & CLRADIO_DUMP ? plan->plan.output_bytes : 0,
          "visibilities" },
        { io->overflow, sizeof(uint32_t), "overflow" },
        { io->voltages, voltages_bytes, "voltages" },
        { io->valid, valid_bytes, "valid" },
    };
    clradio_status status = CLRADIO_OK;
    for (int i = 0; i < 2; i++) /* the first two are written */
        for (int j = i + 1; j < 4 && !status; j++)
            status = clr_spans_apart(all[i].span, all[i].bytes, all[i].name, all[j].span,
                                     all[j].bytes, all[j].name);
    return status;
}

static clradio_status check_call(const clradio_correlator *plan, const clradio_correlator_io *io,
                                 uint64_t out)
{
    uint64_t bytes;
    const uint64_t valid_bytes = out * clr_correlator_inputs(plan);
    if (io->flags & ~(unsigned)(CLRADIO_ACCUMULATE | CLRADIO_DUMP))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.flags has bits that mean nothing: 0x%x",
                        io->flags);
    if (io->valid.buffer && !plan->fengine && !plan->config.valid)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.valid without a transform needs a plan made with config.valid = 1");
    clradio_status status = plan->plan.input_used(plan->plan.engine, io->spectra_count, &bytes);
    if (!status)
        status =
            clr_call_span_used(plan->device, "voltages", io->voltages, bytes, plan->element_bytes);
    if (!status && (io->flags & CLRADIO_DUMP))
        status = clr_call_span_used(plan->device, "visibilities", io->visibilities,
                                    plan->plan.output_bytes,
                                    clradio_type_bytes(plan->xengine_info.output));
    if (!status && io->overflow.buffer)
        status = clr_call_span_used(plan->device, "overflow", io->overflow, sizeof(uint32_t),
                                    sizeof(uint32_t));
    if (!status && io->valid.buffer)
        status = clr_call_span_used(plan->device, "valid", io->valid, valid_bytes, 1);
    return status ? status : check_apart(plan, io, bytes, valid_bytes);
}

/* An engine's call as one command of the chain. */
static clradio_status add_fengine(clradio_correlator *plan, clr_chain *chain,
                                  const clradio_fengine_io *io)
{
    clradio_event *const *wait, *done = NULL;
    size_t n_wait;
    clradio_status status = clr_chain_foreign_begin(chain, &wait, &n_wait);
    if (!status)
        status = clradio_fengine_enqueue(plan->fengine, chain->queue, io, n_wait, wait, &done);
    return status ? status : clr_chain_foreign_end(chain, done);
}

static clradio_status add_xengine(clradio_correlator *plan, clr_chain *chain,
                                  const clradio_xengine_io *io)
{
    clradio_event *const *wait, *done = NULL;
    size_t n_wait;
    clradio_status status = clr_chain_foreign_begin(chain, &wait, &n_wait);
    if (!status)
        status = clradio_xengine_enqueue(plan->xengine, chain->queue, io, n_wait, wait, &done);
    return status ? status : clr_chain_foreign_end(chain, done);
}

/* The batches of a call: each goes through both engines before the next takes its place. */
static clradio_status add_batches(clradio_correlator *plan, clr_chain *chain,
                                  const clradio_correlator_io *io)
{
    clradio_status status = CLRADIO_OK;
    uint64_t done = 0, out = 0;
    unsigned accumulate = io->flags & CLRADIO_ACCUMULATE;
    do {
        clradio_fengine_io f = CLRADIO_FENGINE_IO_INIT;
        clradio_xengine_io x = CLRADIO_XENGINE_IO_INIT;
        f.spectra_count = clr_min_u64(plan->batch, io->spectra_count - done);
        f.voltages =
            (clradio_span){ io->voltages.buffer, io->voltages.offset + done * plan->block_bytes };
        if (io->valid.buffer)
            f.valid =
                (clradio_span){ io->valid.buffer, io->valid.offset + out * plan->sizes.inputs };
        f.spectra = x.spectra = (clradio_span){ plan->spectra, 0 };
        x.spectra_count = clradio_fengine_spectra_out(plan->fengine, f.spectra_count);
        if (f.spectra_count)
            status = add_fengine(plan, chain, &f);
        done += f.spectra_count;
        out += x.spectra_count;
        unsigned dump = done == io->spectra_count ? io->flags & CLRADIO_DUMP : 0;
        if (dump) {
            x.visibilities = io->visibilities;
            x.overflow = io->overflow;
        }
        x.flags = accumulate | dump;
        /* Without spectra a call may still start an integration or end one. */
        if (!status && (x.spectra_count || dump || !accumulate))
            status = add_xengine(plan, chain, &x);
        accumulate = CLRADIO_ACCUMULATE;
    } while (!status && done < io->spectra_count);
    return status;
}

static clradio_status add_reverse(clradio_correlator *plan, clr_chain *chain,
                                  const clradio_correlator_io *io)
{
    uint32_t rows = plan->config.bands;
    int two_planes = plan->config.order == CLRADIO_ORDER_XGPU_REAL_IMAG ||
                     plan->config.order == CLRADIO_ORDER_XGPU_REGISTER_TILE;
    uint64_t planes = two_planes ? 2 : 1;
    uint64_t row_words = plan->plan.output_bytes / sizeof(uint32_t) / (planes * rows);
    uint64_t groups_per_row = clr_ceil_div(row_words, CLR_FENGINE_GROUP);
    clr_launch launch = { .groups = { (size_t)(planes * (rows / 2) * groups_per_row), 1, 1 },
                          .group = { CLR_FENGINE_GROUP, 1, 1 } };
    clr_launch_span(&launch, io->visibilities);
    clr_launch_u32(&launch, rows);
    clr_launch_u64(&launch, row_words);
    clr_launch_u64(&launch, groups_per_row);
    return clr_chain_launch(chain, plan->reverse, &launch);
}

static clradio_status add_untransformed(clradio_correlator *plan, clr_chain *chain,
                                        const clradio_correlator_io *io)
{
    clradio_xengine_io x = CLRADIO_XENGINE_IO_INIT;
    x.spectra = io->voltages;
    x.valid = io->valid;
    x.visibilities = io->visibilities;
    x.overflow = io->overflow;
    x.spectra_count = io->spectra_count;
    x.flags = io->flags;
    clradio_status status = add_xengine(plan, chain, &x);
    if (!status && plan->reverse && (io->flags & CLRADIO_DUMP))
        status = add_reverse(plan, chain, io);
    return status;
}

clradio_status clradio_correlator_enqueue(clradio_correlator *plan, clradio_queue *queue,
                                          const clradio_correlator_io *io, size_t n_wait,
                                          clradio_event *const *wait, clradio_event **done)
{
    if (done)
        *done = NULL;
    clradio_status status =
        clr_call_check(plan ? plan->device : NULL, queue, io ? &io->struct_size : NULL, sizeof *io);
    if (status)
        return status;
    uint64_t out = clradio_correlator_spectra_out(plan, io->spectra_count);
    status = check_call(plan, io, out);
    clr_chain chain;
    if (!status)
        status = clr_chain_begin(&chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    status = plan->fengine ? add_batches(plan, &chain, io) : add_untransformed(plan, &chain, io);
    return clr_chain_end_call(&chain, status, &plan->last, done);
}
