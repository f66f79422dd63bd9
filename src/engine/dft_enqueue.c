/*
 * One call of the channel DFT: checks the arrays, clears the status, lets the variant launch its
 * kernels, and scales links where that was asked for. All commands are one chain.
 */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>
#include <string.h>

typedef struct named_span {
    const char *name;
    clradio_span span;
    uint64_t bytes, alignment;
    int written;
} named_span;

static clradio_status check_spans(const clradio_dft *plan, const named_span *spans, size_t n)
{
    clradio_status status = CLRADIO_OK;
    for (size_t i = 0; !status && i < n; i++)
        status = clr_call_span_used(plan->device, spans[i].name, spans[i].span, spans[i].bytes,
                                    spans[i].alignment);
    for (size_t i = 0; !status && i < n; i++)
        for (size_t j = 0; !status && spans[i].written && j < n; j++)
            if (j != i)
                status = clr_spans_apart(spans[i].span, spans[i].bytes, spans[i].name,
                                         spans[j].span, spans[j].bytes, spans[j].name);
    return status;
}

static uint64_t per_elements(clradio_per per, const clradio_dft_counts *counts)
{
    return per == CLRADIO_PER_PATH ? counts->gains : per == CLRADIO_PER_LINK ? counts->taps : 0;
}

static clradio_status check_arrays(const clradio_dft *plan, const clradio_dft_io *io)
{
    const clradio_dft_config *config = &plan->config;
    const clradio_dft_counts *counts = &io->layout->counts;
    const uint64_t element = clradio_type_bytes(config->type);
    const uint64_t delay_bytes = config->delay == CLRADIO_DELAY_SECONDS   ? 8
                                 : config->delay == CLRADIO_DELAY_SAMPLES ? 4
                                                                          : 0;
    const uint64_t gain_steps = config->rates ? 1 : io->time_steps;
    uint64_t gains, response;
    if (!clr_mul_u64(counts->gains * element, gain_steps, &gains) ||
        !clr_mul_u64(counts->response * element, io->time_steps, &response))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%" PRIu64 " time steps do not fit 64 bits",
                        io->time_steps);
    const int with_status = io->status.buffer != NULL, with_count = io->bad_paths.buffer != NULL;
    const int with_report = io->launch_report.buffer && clr_dft_walks(plan);
    const named_span spans[] = {
        { "response", io->response, response, element, 1 },
        { "status", io->status, with_status ? counts->paths * 4 : 0, 4, with_status },
        { "bad_paths", io->bad_paths, with_count ? 4 : 0, 4, with_count },
        { "gains", io->gains, gains, element, 0 },
        { "delays", io->delays, per_elements(config->delays, counts) * delay_bytes,
          delay_bytes ? delay_bytes : 1, 0 },
        { "rates", io->rates, per_elements(config->rates, counts) * 8, 8, 0 },
        { "launch_report", io->launch_report, with_report ? (3 + counts->links) * 4 : 0, 4,
          with_report },
    };
    return check_spans(plan, spans, sizeof spans / sizeof *spans);
}

static clradio_status check_io(const clradio_dft *plan, clradio_queue *queue,
                               const clradio_dft_io *io)
{
    clradio_status status =
        clr_call_check(plan ? plan->device : NULL, queue, io ? &io->struct_size : NULL, sizeof *io);
    if (status)
        return status;
    if (!io->layout || io->layout->plan != plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.layout is %s",
                        io->layout ? "of another plan" : "NULL");
    if (!io->time_steps || io->time_steps > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.time_steps is %" PRIu64 ": 1 to %d are possible", io->time_steps,
                        INT32_MAX);
    return check_arrays(plan, io);
}

static uint32_t flags_of(const clradio_dft_config *config)
{
    uint32_t flags = 0;
    if (config->absent_negative)
        flags |= CLR_DFT_ABSENT;
    if (config->order == CLRADIO_DFT_SUBCARRIER_PATH)
        flags |= CLR_DFT_TRANSPOSED;
    if (config->delays == CLRADIO_PER_PATH)
        flags |= CLR_DFT_PATH_DELAYS;
    if (config->rates)
        flags |= CLR_DFT_RATES;
    if (config->rates == CLRADIO_PER_PATH)
        flags |= CLR_DFT_PATH_RATES;
    return flags;
}

static void add_arguments(clr_launch *launch, const clradio_dft *plan, const clr_dft_call *call,
                          uint64_t first_time, uint64_t end_time, uint64_t first_tap)
{
    const clradio_dft_io *io = call->io;
    const double scale = clr_dft_scale(&plan->config);
    const float scale_float = (float)scale;
    uint64_t scale_bits = 0;
    if (plan->config.type == CLRADIO_CF64)
        memcpy(&scale_bits, &scale, sizeof scale);
    else
        memcpy(&scale_bits, &scale_float, sizeof scale_float);
    clr_launch_span(launch, call->tiles);
    clr_launch_span(launch, io->gains);
    clr_launch_span(launch, io->delays);
    clr_launch_span(launch, io->rates);
    clr_launch_span(launch, (clradio_span){ plan->frequencies, 0 });
    clr_launch_span(launch, io->response);
    clr_launch_span(launch, call->status);
    clr_launch_span(launch, call->bad_paths);
    const uint64_t factors[] = { plan->unit[0], plan->unit[1], plan->base[0],
                                 plan->base[1], plan->time[0], plan->time[1] };
    for (size_t i = 0; i < 6; i++)
        clr_launch_u64(launch, factors[i]);
    clr_launch_u64(launch, call->gains_step);
    clr_launch_u64(launch, call->response_step);
    clr_launch_u64(launch, scale_bits);
    clr_launch_u64(launch, (uint64_t)plan->grid.first);
    clr_launch_u32(launch, (uint32_t)plan->grid.step);
    clr_launch_u32(launch, plan->grid.values);
    clr_launch_u32(launch, plan->config.average);
    clr_launch_u32(launch, flags_of(&plan->config) | (first_tap ? (uint32_t)CLR_DFT_ADD : 0));
    clr_launch_u32(launch, (uint32_t)first_time);
    clr_launch_u32(launch, (uint32_t)end_time);
    clr_launch_u32(launch, (uint32_t)first_tap);
    clr_launch_u32(launch, call->columns);
}

clradio_status clr_dft_launch_times(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                                    const clr_launch *shape, uint64_t times_a_launch,
                                    uint64_t first_tap)
{
    const uint64_t steps = call->io->time_steps;
    clradio_status status = CLRADIO_OK;
    for (uint64_t time = 0; !status && time < steps; time += times_a_launch) {
        clr_launch launch = *shape;
        const uint64_t end = clr_min_u64(steps, time + times_a_launch);
        launch.groups[2] = (size_t)clr_min_u64(shape->groups[2], end - time);
        add_arguments(&launch, plan, call, time, end, first_tap);
        status = clr_dft_launch_units(plan, chain, call, &launch);
    }
    return status;
}

clradio_status clr_dft_launch_rows(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                                   uint64_t values, uint64_t each, uint64_t group)
{
    const uint64_t times = clr_min_u64(call->io->time_steps, CLR_DFT_MOST_GRID);
    const clr_launch shape = { .groups = { (size_t)call->tile_count,
                                           (size_t)clr_ceil_div(values, each), (size_t)times },
                               .group = { (size_t)group, 1, 1 } };
    return clr_dft_launch_times(plan, chain, call, &shape, times, 0);
}

static clradio_status normalise_links(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const clradio_dft_layout *layout = call->io->layout;
    clr_launch launch = { .groups = { (size_t)layout->link_count, 1, 1 }, .group = { 128, 1, 1 } };
    if (plan->config.normalisation != CLRADIO_NORMALISE_LINK || !layout->link_count)
        return CLRADIO_OK;
    clr_launch_span(&launch, (clradio_span){ layout->links, 0 });
    clr_launch_span(&launch, call->io->response);
    clr_launch_u64(&launch, call->response_step);
    clr_launch_u32(&launch, plan->grid.values);
    clr_launch_u32(&launch, (uint32_t)call->io->time_steps);
    return clr_chain_launch(chain, plan->link_kernel, &launch);
}

static clradio_status enqueue_call(clradio_dft *plan, clr_chain *chain, const clradio_dft_io *io)
{
    const clradio_dft_layout *layout = io->layout;
    clr_dft_call call = { .io = io,
                          .status = io->status,
                          .bad_paths = io->bad_paths,
                          .report = io->launch_report,
                          .gains_step = plan->config.rates ? 0 : layout->counts.gains,
                          .response_step = layout->counts.response };
    if (!call.status.buffer)
        call.status = (clradio_span){ layout->status, 0 };
    if (!call.bad_paths.buffer)
        call.bad_paths = (clradio_span){ layout->bad_paths, 0 };
    if (!call.report.buffer)
        call.report = (clradio_span){ layout->report, 0 };
    clradio_status status = CLRADIO_OK;
    if (clr_dft_walks(plan))
        status = clr_chain_fill(chain, call.report, 0, (3 + layout->counts.links) * 4);
    if (status || !layout->counts.paths)
        return status;
    /* where nobody looks at the marks, those of the calls before may stay in them */
    if (io->status.buffer || io->bad_paths.buffer)
        status = clr_chain_fill(chain, call.status, 0, layout->counts.paths * 4);
    const int flat = plan->config.launch == CLRADIO_LAUNCH_FLAT;
    call.kernel = plan->kernel;
    call.walk = flat ? NULL : &layout->walk;
    call.parent = plan->parent.kernel;
    call.tiles.buffer = layout->tiles;
    call.tile_count = layout->tile_count;
    if (!status && call.tile_count)
        status = plan->candidate.variant->launch(plan, chain, &call);
    call.kernel = plan->small_kernel;
    call.walk = flat ? NULL : &layout->small_walk;
    call.parent = plan->small_parent.kernel;
    call.tiles.buffer = layout->small_tiles;
    call.tile_count = layout->small_count;
    if (!status && call.tile_count)
        status = clr_dft_direct.launch(plan, chain, &call);
    return status ? status : normalise_links(plan, chain, &call);
}

clradio_status clradio_dft_enqueue(clradio_dft *plan, clradio_queue *queue,
                                   const clradio_dft_io *io, size_t n_wait,
                                   clradio_event *const *wait, clradio_event **done)
{
    clr_chain chain;
    if (done)
        *done = NULL;
    clradio_status status = check_io(plan, queue, io);
    if (status)
        return status;
    status = clr_chain_begin(&chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    return clr_chain_end_call(&chain, enqueue_call(plan, &chain, io), &plan->last, done);
}

clradio_status clr_dft_enqueue_apart(clradio_dft *plan, clradio_queue *queue,
                                     const clradio_dft_io *io)
{
    clr_chain chain;
    /* a library's work space, and how many children wait, are the plan's */
    if (plan->candidate.variant->prepare || clr_dft_walks(plan))
        return clradio_dft_enqueue(plan, queue, io, 0, NULL, NULL);
    clradio_status status = check_io(plan, queue, io);
    if (!status)
        status = clr_chain_begin(&chain, queue, NULL, 0, NULL);
    return status ? status : clr_chain_end(&chain, enqueue_call(plan, &chain, io), NULL);
}
