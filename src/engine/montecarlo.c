/* The Monte-Carlo engine's plan: created, asked, destroyed. */
#include "base/checked.h"
#include "engine/montecarlo_internal.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- kernels ---- */

static clradio_status get_kernels(clradio_montecarlo *plan)
{
    clr_macro macros[2] = { { "SYMBOL_BYTES", plan->link.symbol_bytes },
                            { "TAPS", plan->link.taps > 0 } };
    const struct {
        clr_kernel **kernel;
        const char *entry;
        int counts, wanted;
    } entries[] = {
        { &plan->make_symbols, "montecarlo_symbols", 0, 1 },
        { &plan->make_channel, "montecarlo_channel", 0, 1 },
        { &plan->add_specular, "montecarlo_specular", 0, plan->link.specular },
        { &plan->correlate, "montecarlo_correlate", 0, 1 },
        { &plan->make_estimate, "montecarlo_estimate", 0, 1 },
        { &plan->make_received, "montecarlo_received", 0, 1 },
        { &plan->count, "montecarlo_count", 1, 1 },
        { &plan->sum_rows, "montecarlo_rows", 1, 1 },
    };
    clradio_status status =
        clr_program_get(plan->device, "montecarlo_generate.cl", macros, 2, &plan->generate_program);
    if (!status)
        status =
            clr_program_get(plan->device, "montecarlo_count.cl", macros, 1, &plan->count_program);
    for (size_t i = 0; i < sizeof entries / sizeof *entries && !status; i++)
        if (entries[i].wanted)
            status =
                clr_kernel_create(entries[i].counts ? plan->count_program : plan->generate_program,
                                  entries[i].entry, entries[i].kernel);
    return status;
}

/* ---- memory ---- */

/* A buffer of the plan: with_detector ones are left out of a plan that only makes vectors. */
typedef struct wanted_buffer {
    clradio_buffer **buffer;
    uint64_t bytes;
    const void *content; /* written once, or NULL */
    int with_detector;
} wanted_buffer;

enum { MOST_BUFFERS = 18 };

static size_t list_buffers(clradio_montecarlo *plan, wanted_buffer list[MOST_BUFFERS])
{
    clr_montecarlo_buffers *b = &plan->buffers;
    const clr_montecarlo_link *link = &plan->link;
    const uint64_t n = plan->vectors, tx = link->transmit, rx = link->receive;
    const uint64_t groups = clr_ceil_div(n, CLR_MONTECARLO_GROUP_VECTORS);
    const uint64_t rows = clr_ceil_div(n, CLRADIO_MONTECARLO_BLOCK);
    const uint64_t sums = CLR_MONTECARLO_SUMS * sizeof(uint64_t);
    const uint64_t estimates = link->estimation_error > 0.0 ? n * link->elements * 8 : 0;
    const wanted_buffer all[] = {
        { &b->points, tx * link->point_room * 8, link->points, 0 },
        { &b->stream_bits, tx * sizeof(uint32_t), link->stream_bits, 0 },
        { &b->receive_factor, link->receive_factor ? rx * rx * 8 : 0, link->receive_factor, 0 },
        { &b->transmit_factor, link->transmit_factor ? tx * tx * 8 : 0, link->transmit_factor, 0 },
        { &b->amplitudes, link->taps * 2 * sizeof(float), link->amplitudes, 0 },
        { &b->steps, link->taps * sizeof(uint64_t), link->steps, 0 },
        { &b->symbols, n * tx * link->symbol_bytes, NULL, 1 },
        { &b->channel, n * link->elements * 8, NULL, 1 },
        { &b->estimate, estimates, NULL, 1 },
        { &b->received, n * rx * 8, NULL, 1 },
        { &b->decided[0], n * tx * link->symbol_bytes, NULL, 1 },
        { &b->decided[1], n * tx * link->symbol_bytes, NULL, 1 },
        { &b->status[0], n, NULL, 1 },
        { &b->status[1], n, NULL, 1 },
        { &b->nodes, n * sizeof(uint32_t), NULL, 1 },
        { &b->partial, groups * sums, NULL, 0 },
        { &b->rows[0], rows * sums, NULL, 1 },
        { &b->rows[1], rows * sums, NULL, 1 },
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].bytes && !(all[i].with_detector && plan->generate_only))
            list[count++] = all[i];
    return count;
}

static clradio_status check_memory(const wanted_buffer *list, size_t n,
                                   const clradio_montecarlo *plan, uint64_t limit)
{
    const uint64_t most = clr_device_info(plan->device)->max_allocation_bytes;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += list[i].bytes;
        if (most && list[i].bytes > most)
            return clr_fail(CLRADIO_ERROR_LIMIT,
                            "%" PRIu64 " vectors a call need a buffer of %" PRIu64
                            " bytes, the device's largest is %" PRIu64,
                            plan->vectors, list[i].bytes, most);
    }
    if (limit && sum > limit)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "memory_limit is %" PRIu64 " bytes; vectors of %" PRIu64
                        " a call need %" PRIu64 " without the detector",
                        limit, plan->vectors, sum);
    return CLRADIO_OK;
}

static clradio_status allocate(clradio_montecarlo *plan, uint64_t limit)
{
    wanted_buffer list[MOST_BUFFERS];
    const size_t n = list_buffers(plan, list);
    clradio_status status = check_memory(list, n, plan, limit);
    for (size_t i = 0; i < n && !status; i++) {
        status = clradio_buffer_create(plan->device, list[i].bytes, list[i].buffer);
        if (!status)
            plan->memory_bytes += list[i].bytes;
        if (!status && list[i].content)
            status = clradio_buffer_write(plan->queue, (clradio_span){ *list[i].buffer, 0 },
                                          list[i].content, list[i].bytes, 0, NULL, NULL);
    }
    const uint64_t rows = clr_ceil_div(plan->vectors, CLRADIO_MONTECARLO_BLOCK);
    for (size_t i = 0; i < CLR_MONTECARLO_IN_FLIGHT && !status; i++) {
        plan->host_rows[i] = calloc((size_t)rows, CLR_MONTECARLO_SUMS * sizeof(uint64_t));
        if (!plan->host_rows[i])
            status = clr_fail(CLRADIO_ERROR_MEMORY,
                              "no memory for the counts of %" PRIu64 " blocks", rows);
    }
    return status;
}

/* Whole blocks, or below one block a power of two. */
static uint64_t rounded_vectors(uint64_t vectors)
{
    uint64_t rounded = 1;
    if (vectors >= CLRADIO_MONTECARLO_BLOCK)
        return vectors - vectors % CLRADIO_MONTECARLO_BLOCK;
    while (2 * rounded <= vectors)
        rounded *= 2;
    return rounded;
}

/* ---- create ---- */

clradio_status clr_montecarlo_make(clradio_device *device, const clradio_montecarlo_config *config,
                                   int tested, clradio_montecarlo **plan)
{
    *plan = NULL;
    clradio_montecarlo *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a Monte-Carlo plan");
    made->device = clr_device_retain(device);
    clradio_status status = clr_montecarlo_link_of(config, &made->link);
    if (!status) {
        made->generate_only = (config->flags & (unsigned)CLRADIO_MONTECARLO_GENERATE_ONLY) != 0;
        made->device_only = (config->flags & (unsigned)CLRADIO_MONTECARLO_DEVICE_ONLY) != 0;
        made->vectors = rounded_vectors(config->detector.vectors);
        /* A work-item's index is 32 bits. */
        if (made->vectors > UINT32_MAX / 2 / made->link.elements)
            status = clr_fail(CLRADIO_ERROR_LIMIT,
                              "%" PRIu64 " vectors of %u elements are too many for one call",
                              made->vectors, made->link.elements);
    }
    if (!status)
        status = clradio_queue_create(device, 0, &made->queue);
    if (!status)
        status = get_kernels(made);
    if (!status && tested)
        status = clr_montecarlo_self_test(made, config);
    if (!status)
        status = allocate(made, config->detector.memory_limit);
    if (status) {
        clradio_montecarlo_destroy(made);
        return status;
    }
    *plan = made;
    return CLRADIO_OK;
}

static clradio_status add_detector(clradio_montecarlo *plan,
                                   const clradio_montecarlo_config *config)
{
    clradio_detector_config detector = config->detector;
    detector.vectors = plan->vectors;
    if (detector.memory_limit)
        detector.memory_limit -= plan->memory_bytes; /* allocate() kept to it */
    if (config->detector.memory_limit && !detector.memory_limit)
        return clr_fail(CLRADIO_ERROR_LIMIT, "memory_limit leaves nothing for the detector");
    return clradio_detector_create(plan->device, &detector, &plan->detector);
}

clradio_status clradio_montecarlo_create(clradio_device *device,
                                         const clradio_montecarlo_config *config,
                                         clradio_montecarlo **plan)
{
    if (!device || !plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "device or plan is NULL");
    clradio_status status = clr_montecarlo_make(device, config, 1, plan);
    if (*plan && !(*plan)->generate_only)
        status = add_detector(*plan, config);
    if (status) {
        clradio_montecarlo_destroy(*plan);
        *plan = NULL;
    }
    return status;
}

clradio_status clradio_montecarlo_get_info(const clradio_montecarlo *plan,
                                           clradio_montecarlo_info *info)
{
    if (!plan || !info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan or info is NULL");
    if (info->struct_size != sizeof *info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "info.struct_size is %zu: start from CLRADIO_MONTECARLO_INFO_INIT",
                        info->struct_size);
    info->bits = plan->link.bits;
    info->symbol_bytes = plan->link.symbol_bytes;
    info->vectors = plan->vectors;
    info->memory_bytes = plan->memory_bytes;
    info->detector = (clradio_detector_info)CLRADIO_DETECTOR_INFO_INIT;
    return plan->detector ? clradio_detector_get_info(plan->detector, &info->detector) : CLRADIO_OK;
}

static void release_kernels(clradio_montecarlo *plan)
{
    clr_kernel_release(plan->make_symbols);
    clr_kernel_release(plan->make_channel);
    clr_kernel_release(plan->add_specular);
    clr_kernel_release(plan->correlate);
    clr_kernel_release(plan->make_estimate);
    clr_kernel_release(plan->make_received);
    clr_kernel_release(plan->count);
    clr_kernel_release(plan->sum_rows);
    clr_program_release(plan->generate_program);
    clr_program_release(plan->count_program);
}

void clradio_montecarlo_destroy(clradio_montecarlo *plan)
{
    if (!plan)
        return;
    clradio_detector_destroy(plan->detector);
    clradio_event_destroy(plan->last);
    release_kernels(plan);
    clr_montecarlo_buffers *b = &plan->buffers;
    clradio_buffer *all[MOST_BUFFERS] = { b->points,          b->stream_bits, b->receive_factor,
                                          b->transmit_factor, b->amplitudes,  b->steps,
                                          b->symbols,         b->channel,     b->estimate,
                                          b->received,        b->decided[0],  b->decided[1],
                                          b->status[0],       b->status[1],   b->nodes,
                                          b->partial,         b->rows[0],     b->rows[1] };
    for (size_t i = 0; i < MOST_BUFFERS; i++)
        clradio_buffer_destroy(all[i]);
    for (size_t i = 0; i < CLR_MONTECARLO_IN_FLIGHT; i++)
        free(plan->host_rows[i]);
    clr_montecarlo_link_free(&plan->link);
    clradio_queue_destroy(plan->queue);
    clradio_device_close(plan->device);
    free(plan);
}
