/*
 * The Monte-Carlo engine's known-answer test: some vectors of the plan's own link, made by the
 * device, bit for bit against the host's twin, before the device makes any for a measurement.
 */
#include "engine/montecarlo_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS = 96 };

typedef struct outputs {
    uint64_t bytes[4]; /* symbols, channel, estimate, received of VECTORS vectors */
    void *host[4];
    clradio_buffer *buffers[4];
} outputs;

static clradio_status read_device(clradio_montecarlo *tested, outputs *out)
{
    clradio_montecarlo_io io = CLRADIO_MONTECARLO_IO_INIT;
    clradio_span *spans[4] = { &io.symbols, &io.channel, &io.estimate, &io.received };
    clradio_status status = CLRADIO_OK;
    for (int i = 0; i < 4 && !status; i++) {
        out->host[i] = malloc((size_t)out->bytes[i]);
        if (!out->host[i])
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the self-test");
        status = clradio_buffer_create(tested->device, out->bytes[i], &out->buffers[i]);
        spans[i]->buffer = out->buffers[i];
    }
    io.point = 0x41200000u;
    io.noise_variance = 0.25;
    io.first_vector = 0xfffffff0u; /* the index passes 32 bits */
    io.vectors_count = VECTORS;
    if (!status)
        status = clradio_montecarlo_enqueue(tested, tested->queue, &io, 0, NULL, NULL);
    for (int i = 0; i < 4 && !status; i++)
        status = clradio_buffer_read(tested->queue, (clradio_span){ out->buffers[i], 0 },
                                     out->host[i], out->bytes[i], 0, NULL, NULL);
    return status;
}

/* Compares vector v; scratch has room for two channels and what is received. */
static int same_vector(const clr_montecarlo_link *link, const outputs *out, uint64_t v,
                       float *scratch)
{
    uint16_t symbols[CLR_MONTECARLO_STREAMS];
    const size_t elements = link->elements;
    float *channel = scratch, *estimate = scratch + 2 * elements,
          *received = estimate + 2 * elements;
    clr_montecarlo_make_vector(link, 0x41200000u, clr_montecarlo_deviation(0.25), 0xfffffff0u + v,
                               symbols, channel, estimate, received);
    int same = 1;
    for (uint32_t tx = 0; tx < link->transmit; tx++) {
        const size_t at = (size_t)v * link->transmit + tx;
        const unsigned label = link->symbol_bytes == 1 ? ((const uint8_t *)out->host[0])[at]
                                                       : ((const uint16_t *)out->host[0])[at];
        same &= label == symbols[tx];
    }
    same &= !memcmp((const float *)out->host[1] + v * 2 * elements, channel, elements * 8);
    same &= !memcmp((const float *)out->host[2] + v * 2 * elements, estimate, elements * 8);
    same &= !memcmp((const float *)out->host[3] + v * 2 * link->receive, received,
                    link->receive * (size_t)8);
    return same;
}

static clradio_status compare(clradio_montecarlo *tested, int *passed)
{
    const clr_montecarlo_link *link = &tested->link;
    outputs out = { { VECTORS * (uint64_t)link->transmit * link->symbol_bytes,
                      VECTORS * (uint64_t)link->elements * 8,
                      VECTORS * (uint64_t)link->elements * 8,
                      VECTORS * (uint64_t)link->receive * 8 },
                    { NULL },
                    { NULL } };
    clradio_status status = read_device(tested, &out);
    float *scratch = malloc((4 * (size_t)link->elements + 2 * link->receive) * sizeof *scratch);
    if (!status && !scratch)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the self-test");
    *passed = !status && scratch;
    for (uint64_t v = 0; v < VECTORS && *passed; v++)
        *passed = same_vector(link, &out, v, scratch);
    free(scratch);
    for (int i = 0; i < 4; i++) {
        free(out.host[i]);
        clradio_buffer_destroy(out.buffers[i]);
    }
    return status;
}

clradio_status clr_montecarlo_self_test(clradio_montecarlo *plan,
                                        const clradio_montecarlo_config *config)
{
    char key[256];
    int known = 0, passed = 0;
    const clr_montecarlo_link *link = &plan->link;
    snprintf(key, sizeof key, "montecarlo/%ux%u/%d%d%d/%.16s/%.16s", link->transmit, link->receive,
             link->receive_factor != NULL, link->transmit_factor != NULL, link->specular,
             clr_program_hash(plan->generate_program), clr_program_hash(plan->count_program));
    clr_self_test_lookup(plan->device, key, &known, &passed);
    if (!known) {
        clradio_montecarlo_config small = *config;
        clradio_montecarlo *tested = NULL;
        small.flags = CLRADIO_MONTECARLO_GENERATE_ONLY;
        small.detector.vectors = 2 * VECTORS; /* rounded to a power of two, not less than VECTORS */
        small.detector.memory_limit = 0;
        clradio_status status = clr_montecarlo_make(plan->device, &small, 0, &tested);
        if (!status)
            status = compare(tested, &passed);
        clradio_montecarlo_destroy(tested);
        if (status)
            return clr_fail_in(status, "the Monte-Carlo engine's self-test");
        clr_self_test_record(plan->device, key, passed);
        if (passed)
            clr_program_proved(plan->generate_program);
    }
    if (passed)
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_SELF_TEST,
                    "%s does not make the host's bits of symbols, channel and noise",
                    clr_device_info(plan->device)->name);
}
