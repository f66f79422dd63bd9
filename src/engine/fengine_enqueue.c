/* One call of an F-engine: pieces of filter, transform and order, then the history for the next
 * call. */
#include "base/checked.h"
#include "engine/fengine.h"

/* A piece: spectra and signals that are filtered, transformed and ordered together. */
typedef struct piece {
    uint64_t first_spectrum;
    uint64_t first_signal;
    const clr_fengine_rung *rung;
} piece;

static size_t tiles_of(uint64_t points, uint64_t signals, uint32_t tile_log2)
{
    uint64_t along = CLR_FENGINE_GROUP >> tile_log2;
    return (size_t)(clr_ceil_div(points, along) * clr_ceil_div(signals, (uint64_t)1 << tile_log2));
}

static clradio_status filter(clradio_fengine *plan, clr_chain *chain, const clradio_fengine_io *io,
                             const piece *at)
{
    uint32_t tile_log2 = clr_fengine_tile_log2(plan->piece_signals);
    uint64_t samples = at->rung->spectra * plan->sizes.length;
    clr_launch launch = { .groups = { tiles_of(samples, plan->piece_signals, tile_log2), 1, 1 },
                          .group = { CLR_FENGINE_GROUP, 1, 1 } };
    clr_launch_span(&launch, (clradio_span){ plan->history, 0 });
    clr_launch_span(&launch, io->voltages);
    clr_launch_span(&launch, (clradio_span){ plan->prototype, 0 });
    clr_launch_span(&launch, (clradio_span){ plan->work, 0 });
    clr_launch_u32(&launch, plan->sizes.length);
    clr_launch_u32(&launch, plan->config.taps);
    clr_launch_u32(&launch, (uint32_t)plan->sizes.signals);
    clr_launch_u32(&launch, (uint32_t)at->first_signal);
    clr_launch_u32(&launch, (uint32_t)plan->piece_signals);
    clr_launch_u32(&launch, (uint32_t)at->rung->spectra);
    clr_launch_u64(&launch, at->first_spectrum);
    clr_launch_u32(&launch, plan->ring_count);
    clr_launch_u32(&launch, plan->ring_start);
    clr_launch_u32(&launch, tile_log2);
    return clr_chain_launch(chain, plan->pfb, &launch);
}

static clradio_status order(clradio_fengine *plan, clr_chain *chain, const clradio_fengine_io *io,
                            const piece *at)
{
    uint32_t tile_log2 = clr_fengine_tile_log2(plan->piece_signals);
    uint64_t points = at->rung->spectra * plan->config.channels;
    clr_launch launch = { .groups = { tiles_of(points, plan->piece_signals, tile_log2), 1, 1 },
                          .group = { CLR_FENGINE_GROUP, 1, 1 } };
    clr_launch_span(&launch, (clradio_span){ plan->work, 0 });
    clr_launch_span(&launch, (clradio_span){ plan->twiddles, 0 });
    clr_launch_span(&launch, io->valid);
    clr_launch_span(&launch, io->spectra);
    clr_launch_u32(&launch, plan->config.channels);
    clr_launch_u32(&launch, plan->config.bands);
    clr_launch_u32(&launch, (uint32_t)plan->sizes.inputs);
    clr_launch_u32(&launch, (uint32_t)at->first_signal);
    clr_launch_u32(&launch, (uint32_t)plan->piece_signals);
    clr_launch_u32(&launch, (uint32_t)at->rung->spectra);
    clr_launch_u64(&launch, at->first_spectrum);
    clr_launch_u32(&launch, io->valid.buffer != NULL);
    clr_launch_u32(&launch, (uint32_t)plan->config.reversed);
    clr_launch_u32(&launch, tile_log2);
    return clr_chain_launch(chain, plan->order, &launch);
}

/* All signals of the spectra of one rung. */
static clradio_status do_spectra(clradio_fengine *plan, clr_chain *chain,
                                 const clradio_fengine_io *io, uint64_t first_spectrum,
                                 const clr_fengine_rung *rung)
{
    clradio_status status = CLRADIO_OK;
    uint64_t signals = plan->sizes.signals;
    for (uint64_t s = 0; !status && s < signals; s += plan->piece_signals) {
        piece at = { first_spectrum, clr_min_u64(s, signals - plan->piece_signals), rung };
        status = filter(plan, chain, io, &at);
        if (!status && rung->fft)
            status = clr_fft_enqueue(rung->fft, chain, plan->work, plan->temporary);
        if (!status)
            status = order(plan, chain, io, &at);
    }
    return status;
}

/* Keeps the last blocks of the call in the ring. Changes the plan only when it could enqueue. */
static clradio_status keep_history(clradio_fengine *plan, clr_chain *chain,
                                   const clradio_fengine_io *io)
{
    uint32_t ring = plan->sizes.ring;
    uint64_t bytes = plan->sizes.block_bytes;
    if (!ring || !io->spectra_count)
        return CLRADIO_OK;
    uint32_t kept = (uint32_t)clr_min_u64(io->spectra_count, ring);
    uint32_t to = (uint32_t)(((uint64_t)plan->ring_start + plan->ring_count) % ring);
    uint64_t from = io->voltages.offset + (io->spectra_count - kept) * bytes;
    uint32_t before_end = (uint32_t)clr_min_u64(kept, ring - to);
    clradio_status status =
        clr_chain_copy(chain, (clradio_span){ io->voltages.buffer, from },
                       (clradio_span){ plan->history, to * bytes }, before_end * bytes);
    if (!status && kept > before_end)
        status =
            clr_chain_copy(chain, (clradio_span){ io->voltages.buffer, from + before_end * bytes },
                           (clradio_span){ plan->history, 0 }, (kept - before_end) * bytes);
    if (status)
        return status;
    uint32_t count = (uint32_t)clr_min_u64((uint64_t)plan->ring_count + kept, ring);
    uint64_t dropped = (uint64_t)plan->ring_count + kept - count;
    plan->ring_start = (uint32_t)((plan->ring_start + dropped) % ring);
    plan->ring_count = count;
    return CLRADIO_OK;
}

static clradio_status check_call(const clradio_fengine *plan, const clradio_fengine_io *io,
                                 uint64_t out)
{
    const clr_fengine_sizes *sizes = &plan->sizes;
    if (io->spectra_count > plan->config.spectra)
        return clr_fail(
            CLRADIO_ERROR_ARGUMENT, "io.spectra_count is %llu, the plan takes at most %llu a call",
            (unsigned long long)io->spectra_count, (unsigned long long)plan->config.spectra);
    clradio_status status =
        clr_call_span_used(plan->device, "voltages", io->voltages,
                           io->spectra_count * sizes->block_bytes, sizes->element_bytes);
    if (!status)
        status = clr_call_span_used(plan->device, "spectra", io->spectra,
                                    out * sizes->spectrum_bytes, 2 * sizeof(float));
    if (!status && io->valid.buffer)
        status = clr_call_span_used(plan->device, "valid", io->valid, out * sizes->inputs, 1);
    if (!status)
        status = clr_spans_apart(io->spectra, out * sizes->spectrum_bytes, "spectra", io->voltages,
                                 io->spectra_count * sizes->block_bytes, "voltages");
    if (!status)
        status = clr_spans_apart(io->spectra, out * sizes->spectrum_bytes, "spectra", io->valid,
                                 out * sizes->inputs, "valid");
    return status;
}

clradio_status clradio_fengine_enqueue(clradio_fengine *plan, clradio_queue *queue,
                                       const clradio_fengine_io *io, size_t n_wait,
                                       clradio_event *const *wait, clradio_event **done)
{
    if (done)
        *done = NULL;
    clradio_status status =
        clr_call_check(plan ? plan->device : NULL, queue, io ? &io->struct_size : NULL, sizeof *io);
    if (status)
        return status;
    uint64_t out = clradio_fengine_spectra_out(plan, io->spectra_count);
    status = check_call(plan, io, out);
    if (status)
        return status;
    clr_chain chain;
    status = clr_chain_begin(&chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    uint64_t at = 0;
    for (unsigned i = 0; !status && at < out;) {
        const clr_fengine_rung *rung = &plan->rungs[i];
        if (rung->spectra > out) { /* the last rung is one spectrum */
            i++;
            continue;
        }
        uint64_t left = out - at;
        status = do_spectra(plan, &chain, io, clr_min_u64(at, out - rung->spectra), rung);
        at += clr_min_u64(left, rung->spectra);
    }
    if (!status)
        status = keep_history(plan, &chain, io);
    return clr_chain_end_call(&chain, status, &plan->last, done);
}
