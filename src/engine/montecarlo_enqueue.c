/* One call that makes vectors, and one that counts errors, as chains of launches. */
#include "base/checked.h"
#include "engine/fengine.h"
#include "engine/montecarlo_internal.h"

#include <inttypes.h>

/* ---- launches ---- */

static clr_launch launch_of(uint64_t items, uint64_t group)
{
    clr_launch launch = { .groups = { (size_t)clr_ceil_div(items, group), 1, 1 },
                          .group = { (size_t)group, 1, 1 } };
    return launch;
}

/* seed, point, first vector, vectors: what every kernel that draws is told. */
static void tell_stream(clr_launch *launch, const clradio_montecarlo *plan,
                        const clradio_montecarlo_io *io)
{
    clr_launch_u64(launch, plan->link.seed);
    clr_launch_u32(launch, io->point);
    clr_launch_u64(launch, io->first_vector);
    clr_launch_u32(launch, (uint32_t)io->vectors_count);
}

static clradio_status symbols(clradio_montecarlo *plan, clr_chain *chain,
                              const clradio_montecarlo_io *io)
{
    const uint32_t blocks = (plan->link.transmit + 3) / 4;
    clr_launch launch = launch_of(io->vectors_count * blocks, CLR_MONTECARLO_GROUP);
    clr_launch_span(&launch, (clradio_span){ plan->buffers.stream_bits, 0 });
    clr_launch_span(&launch, io->symbols);
    tell_stream(&launch, plan, io);
    clr_launch_u32(&launch, plan->link.transmit);
    return clr_chain_launch(chain, plan->make_symbols, &launch);
}

/* Elements of H, or its specular part: one kernel's arguments with taps. */
static clradio_status elements(clradio_montecarlo *plan, clr_chain *chain,
                               const clradio_montecarlo_io *io, clr_kernel *kernel,
                               uint64_t items_a_vector)
{
    clr_launch launch = launch_of(io->vectors_count * items_a_vector, CLR_MONTECARLO_GROUP);
    if (plan->link.taps) {
        clr_launch_span(&launch, (clradio_span){ plan->buffers.amplitudes, 0 });
        clr_launch_span(&launch, (clradio_span){ plan->buffers.steps, 0 });
    }
    clr_launch_span(&launch, io->channel);
    tell_stream(&launch, plan, io);
    clr_launch_u32(&launch, plan->link.elements);
    if (plan->link.taps) {
        clr_launch_u32(&launch, plan->link.taps);
        clr_launch_u32(&launch, plan->link.carriers);
    }
    return clr_chain_launch(chain, kernel, &launch);
}

/* Lines of H times a factor: columns for the receive side, rows for the transmit side. */
static clradio_status correlate(clradio_montecarlo *plan, clr_chain *chain,
                                const clradio_montecarlo_io *io, int receive_side)
{
    const clr_montecarlo_link *link = &plan->link;
    const uint32_t lines = receive_side ? link->transmit : link->receive;
    clr_launch launch = launch_of(io->vectors_count * lines, CLR_MONTECARLO_GROUP);
    clr_launch_span(&launch, (clradio_span){ receive_side ? plan->buffers.receive_factor
                                                          : plan->buffers.transmit_factor,
                                             0 });
    clr_launch_span(&launch, io->channel);
    clr_launch_u32(&launch, (uint32_t)io->vectors_count);
    clr_launch_u32(&launch, link->elements);
    clr_launch_u32(&launch, lines);
    clr_launch_u32(&launch, receive_side ? 1 : link->transmit);
    clr_launch_u32(&launch, receive_side ? link->receive : link->transmit);
    clr_launch_u32(&launch, receive_side ? link->transmit : 1);
    return clr_chain_launch(chain, plan->correlate, &launch);
}

static clradio_status channel(clradio_montecarlo *plan, clr_chain *chain,
                              const clradio_montecarlo_io *io)
{
    const clr_montecarlo_link *link = &plan->link;
    clradio_status status = elements(plan, chain, io, plan->make_channel, (link->elements + 1) / 2);
    if (!status && link->receive_factor)
        status = correlate(plan, chain, io, 1);
    if (!status && link->transmit_factor)
        status = correlate(plan, chain, io, 0);
    if (!status && link->specular)
        status = elements(plan, chain, io, plan->add_specular, link->elements);
    return status;
}

static clradio_status estimate(clradio_montecarlo *plan, clr_chain *chain,
                               const clradio_montecarlo_io *io)
{
    const uint64_t blocks = (plan->link.elements + 1) / 2;
    clr_launch launch = launch_of(io->vectors_count * blocks, CLR_MONTECARLO_GROUP);
    clr_launch_span(&launch, io->channel);
    clr_launch_span(&launch, io->estimate);
    tell_stream(&launch, plan, io);
    clr_launch_u32(&launch, plan->link.elements);
    clr_launch_f32(&launch, plan->link.estimate_deviation);
    return clr_chain_launch(chain, plan->make_estimate, &launch);
}

static clradio_status received(clradio_montecarlo *plan, clr_chain *chain,
                               const clradio_montecarlo_io *io)
{
    const clr_montecarlo_link *link = &plan->link;
    clr_launch launch = launch_of(io->vectors_count * link->receive, CLR_MONTECARLO_GROUP);
    clr_launch_span(&launch, (clradio_span){ plan->buffers.points, 0 });
    clr_launch_span(&launch, io->symbols);
    clr_launch_span(&launch, io->channel);
    clr_launch_span(&launch, io->received);
    tell_stream(&launch, plan, io);
    clr_launch_u32(&launch, link->receive);
    clr_launch_u32(&launch, link->transmit);
    clr_launch_u32(&launch, link->point_room);
    clr_launch_f32(&launch, clr_montecarlo_deviation(io->noise_variance));
    return clr_chain_launch(chain, plan->make_received, &launch);
}

/* ---- the call ---- */

typedef struct call_span {
    clradio_span span;
    uint64_t bytes, element;
    const char *name;
} call_span;

static clradio_status check_spans(const clradio_montecarlo *plan, const clradio_montecarlo_io *io)
{
    const clr_montecarlo_link *link = &plan->link;
    const uint64_t n = io->vectors_count;
    const call_span all[4] = {
        { io->symbols, n * link->transmit * link->symbol_bytes, link->symbol_bytes, "symbols" },
        { io->channel, n * link->elements * 8, 8, "channel" },
        { io->estimate, n * link->elements * 8, 8, "estimate" },
        { io->received, n * link->receive * 8, 8, "received" },
    };
    clradio_status status = CLRADIO_OK;
    for (size_t i = 0; i < 4 && !status; i++) {
        if (!all[i].span.buffer)
            continue;
        status = clr_call_span_used(plan->device, all[i].name, all[i].span, all[i].bytes,
                                    all[i].element);
        for (size_t j = 0; j < i && !status; j++)
            if (all[j].span.buffer)
                status = clr_spans_apart(all[i].span, all[i].bytes, all[i].name, all[j].span,
                                         all[j].bytes, all[j].name);
    }
    return status;
}

static clradio_status check_call(const clradio_montecarlo *plan, const clradio_montecarlo_io *io)
{
    if (io->vectors_count > plan->vectors)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.vectors_count is %" PRIu64 ", the plan takes at most %" PRIu64
                        " a call",
                        io->vectors_count, plan->vectors);
    if (io->vectors_count > UINT64_MAX - io->first_vector)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "vectors from %" PRIu64 " pass 64 bits",
                        io->first_vector);
    if (!(io->noise_variance >= 0.0 && io->noise_variance <= 1e30))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.noise_variance is %g, it must be 0 to 1e30",
                        io->noise_variance);
    if (io->estimate.buffer && !io->channel.buffer)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.estimate needs io.channel");
    if (io->received.buffer && (!io->channel.buffer || !io->symbols.buffer))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.received needs io.symbols and io.channel");
    return check_spans(plan, io);
}

clradio_status clradio_montecarlo_enqueue(clradio_montecarlo *plan, clradio_queue *queue,
                                          const clradio_montecarlo_io *io, size_t n_wait,
                                          clradio_event *const *wait, clradio_event **done)
{
    if (done)
        *done = NULL;
    clradio_status status =
        clr_call_check(plan ? plan->device : NULL, queue, io ? &io->struct_size : NULL, sizeof *io);
    if (status)
        return status;
    status = check_call(plan, io);
    if (status)
        return status;
    clr_chain chain;
    status = clr_chain_begin(&chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    if (io->vectors_count && io->symbols.buffer)
        status = symbols(plan, &chain, io);
    if (!status && io->vectors_count && io->channel.buffer)
        status = channel(plan, &chain, io);
    if (!status && io->vectors_count && io->estimate.buffer)
        status = estimate(plan, &chain, io);
    if (!status && io->vectors_count && io->received.buffer)
        status = received(plan, &chain, io);
    return clr_chain_end_call(&chain, status, &plan->last, done);
}

/* ---- counting ---- */

clradio_status clr_montecarlo_enqueue_count(clradio_montecarlo *plan, clradio_span sent,
                                            clradio_span decided, clradio_span status,
                                            clradio_span nodes, clradio_span rows, uint64_t vectors)
{
    const uint64_t groups = clr_ceil_div(vectors, CLR_MONTECARLO_GROUP_VECTORS);
    const uint64_t row_groups = CLRADIO_MONTECARLO_BLOCK / CLR_MONTECARLO_GROUP_VECTORS;
    const clradio_span partial = { plan->buffers.partial, 0 };
    clr_chain chain;
    clradio_status result = clr_chain_begin(&chain, plan->queue, NULL, 0, NULL);
    if (result)
        return result;
    clr_launch count = launch_of(groups, 1);
    count.group[0] = CLR_MONTECARLO_GROUP;
    clr_launch_span(&count, sent);
    clr_launch_span(&count, decided);
    clr_launch_span(&count, status);
    clr_launch_span(&count, nodes);
    clr_launch_span(&count, partial);
    clr_launch_u32(&count, (uint32_t)vectors);
    clr_launch_u32(&count, plan->link.transmit);
    result = clr_chain_launch(&chain, plan->count, &count);
    clr_launch sum = launch_of(clr_ceil_div(groups, row_groups) * CLR_MONTECARLO_SUMS, 64);
    clr_launch_span(&sum, partial);
    clr_launch_span(&sum, rows);
    clr_launch_u32(&sum, (uint32_t)groups);
    clr_launch_u32(&sum, (uint32_t)row_groups);
    if (!result)
        result = clr_chain_launch(&chain, plan->sum_rows, &sum);
    return clr_chain_end(&chain, result, NULL);
}
