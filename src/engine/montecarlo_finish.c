/*
 * What the device left uncertified in a batch (a spent budget; a thin margin where there is no
 * double precision), decided on the host: the vector is made again by its index, searched by the
 * detector's reference, and its errors take the place of those that were counted.
 */
#include "engine/detector_reference.h"
#include "engine/montecarlo_internal.h"

#include <stdlib.h>

/* A batch's decisions on the host, and room for one vector. */
typedef struct finish_work {
    unsigned char *decided; /* labels as the device gives them */
    uint8_t *status;
    float *channel, *estimate, *received;
} finish_work;

static void free_work(finish_work *work)
{
    free(work->decided);
    free(work->status);
    free(work->channel);
    *work = (finish_work){ 0 };
}

/* What was decided of `vectors` vectors of the batch, from `first` on. */
static clradio_status read_batch(clradio_montecarlo *plan, const clr_montecarlo_batch *batch,
                                 uint64_t first, uint64_t vectors, finish_work *work)
{
    const clr_montecarlo_link *link = &plan->link;
    const clr_montecarlo_buffers *b = &plan->buffers;
    const uint64_t each = (uint64_t)link->transmit * link->symbol_bytes;
    const size_t elements = link->elements;
    work->decided = malloc((size_t)(vectors * each));
    work->status = malloc((size_t)vectors);
    work->channel = malloc((4 * elements + 2 * link->receive) * sizeof(float));
    if (!work->decided || !work->status || !work->channel)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the decisions of a batch");
    work->estimate = work->channel + 2 * elements;
    work->received = work->estimate + 2 * elements;
    clradio_status status =
        clradio_buffer_read(plan->queue, (clradio_span){ b->decided[batch->slot], first * each },
                            work->decided, vectors * each, 0, NULL, NULL);
    if (!status)
        status = clradio_buffer_read(plan->queue, (clradio_span){ b->status[batch->slot], first },
                                     work->status, vectors, 0, NULL, NULL);
    return status;
}

/* Adds (sign 1) or takes away (-1) the errors of one vector. */
static void count_vector(uint64_t *row, uint64_t sign, const clr_montecarlo_link *link,
                         const uint16_t *sent, const uint32_t *decided)
{
    uint64_t bits = 0, symbols = 0;
    for (uint32_t tx = 0; tx < link->transmit; tx++) {
        symbols += sent[tx] != decided[tx];
        for (uint32_t different = sent[tx] ^ decided[tx]; different; different &= different - 1)
            bits++;
    }
    row[0] += sign * bits; /* modulo 2^64: a sum that was added can be taken away */
    row[1] += sign * symbols;
    row[2] += sign * (bits > 0);
    row[3] += sign * bits * bits;
}

/* Vector v of what was read, whose index is that. */
static void finish_vector(clradio_montecarlo *plan, const clr_montecarlo_batch *batch, uint64_t v,
                          uint64_t index, finish_work *work, uint64_t *row)
{
    const clr_montecarlo_link *link = &plan->link;
    const clradio_detector_config *config = &plan->detector->config;
    uint16_t sent[CLR_MONTECARLO_STREAMS];
    uint32_t before[CLR_MONTECARLO_STREAMS];
    clr_detector_result result;
    clr_montecarlo_make_vector(link, batch->point, clr_montecarlo_deviation(batch->noise_variance),
                               index, sent, work->channel, work->estimate, work->received);
    const clr_detector_vector vector = {
        .received = work->received,
        .channel = link->estimation_error > 0.0 ? work->estimate : work->channel,
        .noise_variance = batch->noise_variance + link->transmit * link->estimation_error,
    };
    clr_detector_reference(config, &vector, clr_detector_host_budget(config), &result, NULL);
    for (uint32_t tx = 0; tx < link->transmit; tx++) {
        const size_t at = (size_t)v * link->transmit + tx;
        before[tx] = link->symbol_bytes == 1 ? work->decided[at]
                                             : ((const uint16_t *)(const void *)work->decided)[at];
    }
    count_vector(row, UINT64_MAX, link, sent, before);
    count_vector(row, 1, link, sent, result.labels);
    row[4] += result.nodes;
    row[5 + work->status[v]]--;
    row[5 + (unsigned)result.status]++;
}

/* A row whose every vector is certified, or that another method than sphere decided, is done. */
static int is_done(const clradio_montecarlo *plan, const uint64_t *row)
{
    return plan->device_only || plan->detector->config.method != CLRADIO_DETECTOR_SPHERE ||
           !(row[5 + CLRADIO_DETECTED_BUDGET] + row[5 + CLRADIO_DETECTED_THIN]);
}

clradio_status clr_montecarlo_finish(clradio_montecarlo *plan, const clr_montecarlo_batch *batch,
                                     uint64_t first, uint64_t vectors, uint64_t *row,
                                     clr_montecarlo_go *go, void *user, int *cut)
{
    finish_work work = { 0 };
    uint64_t finished = 0;
    *cut = 0;
    if (is_done(plan, row))
        return CLRADIO_OK;
    clradio_status status = read_batch(plan, batch, first, vectors, &work);
    for (uint64_t v = 0; !status && v < vectors; v++) {
        if (work.status[v] != CLRADIO_DETECTED_BUDGET && work.status[v] != CLRADIO_DETECTED_THIN)
            continue;
        *cut = finished > 0 && !go(user);
        if (*cut)
            break;
        finish_vector(plan, batch, v, batch->first + first + v, &work, row);
        finished++;
    }
    free_work(&work);
    return status;
}
