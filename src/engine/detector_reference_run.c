/* The detector's reference over host arrays: where each vector's pieces lie. */
#include "engine/detector_reference.h"

#include <math.h>
#include <string.h>

static clr_detector_vector vector_at(const clradio_detector_config *config,
                                     const clradio_detector_host_io *io, uint64_t n)
{
    const uint64_t rx = config->receive, tx = config->transmit;
    const uint64_t channel = config->vectors_per_channel ? n / config->vectors_per_channel : 0;
    clr_detector_vector vector = { .received = io->received + 2 * n * rx,
                                   .channel = io->channel + 2 * channel * rx * tx,
                                   .noise_variance = io->noise_variance };
    switch (config->noise) {
    case CLRADIO_NOISE_PER_VECTOR: vector.noise_variance = io->noise[n]; break;
    case CLRADIO_NOISE_COVARIANCE: vector.covariance = io->noise; break;
    case CLRADIO_NOISE_COVARIANCE_CHANNEL:
        vector.covariance = io->noise + 2 * channel * rx * rx;
        break;
    case CLRADIO_NOISE_COVARIANCE_VECTOR: vector.covariance = io->noise + 2 * n * rx * rx; break;
    default: break;
    }
    if (io->prior)
        vector.prior = io->prior + n * clradio_detector_bits(config);
    return vector;
}

static void store_bits(const clradio_detector_config *config, const uint32_t *labels, uint8_t *bits)
{
    for (uint32_t s = 0; s < config->transmit; s++) {
        const uint32_t count = clr_detector_stream_bits(config, s);
        for (uint32_t b = 0; b < count; b++) {
            const int last_first = (config->flags & CLRADIO_DETECTOR_LAST_BIT_FIRST) != 0;
            *bits++ = (uint8_t)(labels[s] >> (last_first ? b : count - 1 - b) & 1);
        }
    }
}

static void store_llrs(const clradio_detector_config *config, const double *llr, uint32_t bits,
                       void *to, uint64_t n)
{
    for (uint32_t b = 0; b < bits; b++)
        if (config->llr_type == CLRADIO_I8)
            ((int8_t *)to)[n * bits + b] = (int8_t)fmin(fmax(rint(llr[b]), -127), 127);
        else
            ((float *)to)[n * bits + b] = (float)llr[b];
}

clradio_detected clr_detector_reference_at(const clradio_detector_config *config,
                                           const clradio_detector_host_io *io, uint64_t n,
                                           uint64_t budget)
{
    double llr[CLR_MOST_TRANSMIT * 10];
    const uint32_t bits = clradio_detector_bits(config), tx = config->transmit;
    const uint32_t symbol_bytes = clradio_detector_symbol_bytes(config);
    clr_detector_result result;
    const clr_detector_vector vector = vector_at(config, io, n);
    clr_detector_reference(config, &vector, budget, &result, io->llr ? llr : NULL);
    for (uint32_t s = 0; io->symbols && s < tx; s++)
        if (symbol_bytes == 1)
            ((uint8_t *)io->symbols)[n * tx + s] = (uint8_t)result.labels[s];
        else
            ((uint16_t *)io->symbols)[n * tx + s] = (uint16_t)result.labels[s];
    if (io->bits)
        store_bits(config, result.labels, io->bits + n * bits);
    if (io->llr)
        store_llrs(config, llr, bits, io->llr, n);
    if (io->metric)
        io->metric[n] = (float)result.metric;
    if (io->status)
        io->status[n] = (uint8_t)result.status;
    if (io->nodes)
        io->nodes[n] = result.nodes < UINT32_MAX ? (uint32_t)result.nodes : UINT32_MAX;
    return result.status;
}

void clr_detector_reference_run(const clradio_detector_config *config,
                                const clradio_detector_host_io *io, uint64_t first, uint64_t count,
                                uint64_t budget)
{
    for (uint64_t n = first; n < first + count; n++)
        clr_detector_reference_at(config, io, n, budget);
}
