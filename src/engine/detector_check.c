/* What a call of a detector may be: its numbers, and where its arrays lie. */
#include "engine/detector_internal.h"

#include <inttypes.h>

enum { SPANS = 12 };

/* An array of the call: how many bytes, and whether it is written. */
typedef struct array {
    const char *name;
    clradio_span span;
    uint64_t bytes, alignment;
    int needed, written;
} array;

static size_t list_arrays(const clradio_detector *plan, const clradio_detector_io *io, array *list)
{
    const clradio_detector_config *config = &plan->config;
    const uint64_t n = io->vectors_count, rx = config->receive, tx = config->transmit;
    const uint64_t channels = clradio_detector_channels(config, n), bits = plan->shape.bits;
    const uint64_t covariances = plan->shape.factors_for == 2   ? n
                                 : plan->shape.factors_for == 1 ? channels
                                                                : 1;
    const int noise = config->noise != CLRADIO_NOISE_VARIANCE;
    const uint64_t llr = config->llr_type == CLRADIO_I8 ? 1 : 4;
    const array all[SPANS] = {
        { "received", io->received, 8 * n * rx, 8, 1, 0 },
        { "channel", io->channel, 8 * channels * rx * tx, 8, 1, 0 },
        { "noise", io->noise, plan->shape.whitened ? 8 * covariances * rx * rx : 4 * n, 4, noise,
          0 },
        { "prior", io->prior, 4 * n * bits, 4, 0, 0 },
        { "symbols", io->symbols, n * tx * plan->shape.symbol_bytes, plan->shape.symbol_bytes, 0,
          1 },
        { "bits", io->bits, n * bits, 1, 0, 1 },
        { "llr", io->llr, n * bits * llr, llr, 0, 1 },
        { "metric", io->metric, 4 * n, 4, 0, 1 },
        { "status", io->status, n, 1, 0, 1 },
        { "nodes", io->nodes, 4 * n, 4, 0, 1 },
        { "statistics", io->statistics, sizeof(clradio_detector_statistics), 8, 0, 1 },
        { "launch_report", io->launch_report, CLR_DETECTOR_REPORT_BYTES, 4, 0, 1 },
    };
    for (size_t i = 0; i < SPANS; i++)
        list[i] = all[i];
    return SPANS;
}

static clradio_status check_arrays(const clradio_detector *plan, const clradio_detector_io *io)
{
    array list[SPANS];
    const size_t n = list_arrays(plan, io, list);
    clradio_status status = CLRADIO_OK;
    for (size_t i = 0; !status && i < n; i++)
        if (list[i].needed || list[i].span.buffer)
            status = clr_call_span(plan->device, list[i].name, list[i].span, list[i].bytes,
                                   list[i].alignment);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; !status && list[i].written && j < n; j++)
            if (j < i || !list[j].written)
                status = clr_spans_apart(list[i].span, list[i].bytes, list[i].name, list[j].span,
                                         list[j].bytes, list[j].name);
    return status;
}

clradio_status clr_detector_check_io(const clradio_detector *plan, clradio_queue *queue,
                                     const clradio_detector_io *io)
{
    clradio_status status =
        clr_call_check(plan ? plan->device : NULL, queue, io ? &io->struct_size : NULL, sizeof *io);
    if (status)
        return status;
    if (io->vectors_count > plan->config.vectors)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%" PRIu64 " vectors in one call; the plan was made for %" PRIu64,
                        io->vectors_count, plan->config.vectors);
    if (plan->config.noise == CLRADIO_NOISE_VARIANCE &&
        !(io->noise_variance >= 0 && io->noise_variance <= 1e30))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "noise_variance is %g; it must be 0 to 1e30",
                        io->noise_variance);
    if (io->llr.buffer && !(plan->config.flags & CLRADIO_DETECTOR_SOFT))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.llr: the plan was made without CLRADIO_DETECTOR_SOFT");
    if (io->prior.buffer && (!(plan->config.flags & CLRADIO_DETECTOR_SOFT) ||
                             (plan->config.method != CLRADIO_DETECTOR_SPHERE &&
                              plan->config.method != CLRADIO_DETECTOR_ML)))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.prior needs a plan of method sphere or ml with "
                                                "CLRADIO_DETECTOR_SOFT");
    return io->vectors_count || io->statistics.buffer || io->launch_report.buffer
               ? check_arrays(plan, io)
               : CLRADIO_OK;
}
