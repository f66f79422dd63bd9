/*
 * The variant "blas", cf32 only: a herk for each channel and run of spectra, added to the wide sums
 * by cl/xengine_blas.cl. A cross-check of the others, and a baseline.
 */
#include "engine/xengine_blas.h"
#include "engine/xengine_internal.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN, PARAMETERS };

/* Spectra of one herk: a float sum holds at most 1,024 terms. */
static const clr_parameter parameters[PARAMETERS] = { [RUN] = { "RUN", 1, 1024 } };

/* The variant's state. */
typedef struct blas_state {
    const clr_blas_library *library;
    void *library_state;
    clradio_buffer *product; /* of one channel and run */
} blas_state;

static const clr_blas_library *library_of(const clradio_device *device)
{
    const char *back_end = clr_device_info(device)->back_end;
    return strcmp(back_end, clr_blas_cublas.back_end) ? &clr_blas_clblast : &clr_blas_cublas;
}

static clradio_status blas_supported(clradio_device *device, const clradio_xengine_config *config)
{
    (void)config;
    return library_of(device)->available();
}

static int blas_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                       unsigned number, int64_t *values, char reason[128])
{
    (void)device, (void)config;
    if (number)
        return 0;
    values[RUN] = 256;
    snprintf(reason, 128, "default");
    return 1;
}

static clradio_status blas_settle(const clradio_device_info *device,
                                  const clradio_xengine_config *config, int64_t *values,
                                  const int *given)
{
    (void)device, (void)config, (void)values, (void)given;
    return CLRADIO_OK;
}

static void blas_describe(const int64_t *values, char *text, size_t room)
{
    clr_parameters_write(parameters, PARAMETERS, values, NULL, text, room);
}

static size_t blas_macros(const clradio_xengine_config *config, const int64_t *values,
                          clr_macro *macros)
{
    (void)values;
    macros[0] = (clr_macro){ "NPOL", config->polarisations };
    macros[1] = (clr_macro){ "INPUT", CLRADIO_CF32 };
    return 2;
}

static uint64_t inputs_of(const clradio_xengine *plan)
{
    return (uint64_t)plan->config.stations * plan->config.polarisations;
}

static void blas_release(clradio_xengine *plan)
{
    blas_state *gone = plan->variant_state;
    if (!gone)
        return;
    gone->library->destroy(plan->device, gone->library_state);
    clradio_buffer_destroy(gone->product);
    free(gone);
    plan->variant_state = NULL;
}

static clradio_status blas_prepare(clradio_xengine *plan)
{
    const uint64_t factors[] = { inputs_of(plan), inputs_of(plan), sizeof(float[2]) };
    uint64_t bytes;
    if (!clr_product_u64(factors, 3, &bytes))
        return clr_fail(CLRADIO_ERROR_LIMIT, "the product of %" PRIu64 " inputs is too large",
                        factors[0]);
    if (plan->config.memory_limit && bytes > plan->config.memory_limit)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "memory_limit is %" PRIu64 " bytes; the variant blas needs %" PRIu64
                        " for one product",
                        plan->config.memory_limit, bytes);
    blas_state *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the X-engine's variant blas");
    made->library = library_of(plan->device);
    plan->variant_state = made;
    clradio_status status = clradio_buffer_create(plan->device, bytes, &made->product);
    if (!status)
        status = made->library->create(plan->device, &made->library_state);
    if (status)
        blas_release(plan);
    else
        plan->memory_bytes += bytes;
    return status;
}

static uint64_t blas_groups(const clradio_xengine *plan)
{
    (void)plan;
    return 0;
}

static uint64_t blas_least_slice(const clradio_xengine *plan)
{
    (void)plan;
    return 1;
}

static uint64_t blas_most_spectra(const clradio_xengine *plan)
{
    (void)plan;
    return UINT64_MAX;
}

static clradio_status add_run(clradio_xengine *plan, clr_chain *chain, const clr_xengine_work *work,
                              uint32_t channel, uint64_t first, uint64_t count)
{
    const blas_state *state = plan->variant_state;
    clradio_buffer *product = state->product;
    const uint64_t inputs = inputs_of(plan), leading = work->layout.run_stride;
    clr_launch launch = { .groups = { (size_t)inputs, 1, 1 }, .group = { 64, 1, 1 } };
    const clradio_span sums = { work->sums.buffer,
                                work->sums.offset + channel * plan->channel_sums_bytes };
    /* what an earlier herk left must not come back as nan times zero */
    clradio_status status =
        clr_chain_fill(chain, (clradio_span){ product, 0 }, 0, inputs * inputs * sizeof(float[2]));
    if (!status)
        status = state->library->cherk(state->library_state, chain, inputs, count, work->spectra,
                                       first * leading + channel * work->layout.channel_stride,
                                       leading, product);
    clr_launch_span(&launch, (clradio_span){ product, 0 });
    clr_launch_span(&launch, sums);
    clr_launch_u32(&launch, plan->config.stations);
    clr_launch_u32(&launch, work->add || first);
    return status ? status : clr_chain_launch(chain, plan->sum_kernel, &launch);
}

static clradio_status blas_sum(clradio_xengine *plan, clr_chain *chain,
                               const clr_xengine_work *work)
{
    const uint64_t run = (uint64_t)plan->candidate.values[RUN];
    clradio_status status = CLRADIO_OK;
    for (uint32_t channel = 0; !status && channel < work->channels; channel++)
        for (uint64_t first = 0; !status && first < work->spectra_count; first += run)
            status = add_run(plan, chain, work, channel, first,
                             clr_min_u64(run, work->spectra_count - first));
    return status;
}

const clr_xengine_variant clr_xengine_blas = {
    .name = "blas",
    .source = "xengine_blas.cl",
    .entry = "xengine_blas_add",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .split_parameter = PARAMETERS,
    .takes = { CLRADIO_CF32 },
    .supported = blas_supported,
    .preset = blas_preset,
    .settle = blas_settle,
    .describe = blas_describe,
    .macros = blas_macros,
    .prepare = blas_prepare,
    .groups = blas_groups,
    .least_slice = blas_least_slice,
    .most_spectra = blas_most_spectra,
    .sum = blas_sum,
    .release = blas_release,
};
