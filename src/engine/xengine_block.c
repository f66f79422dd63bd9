/* What the variants with register blocks share on the host: their shape and its launch. */
#include "engine/xengine_block.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers that a work-item's sums may take on any device: 128 complex ones are 256. */
enum { MOST_SUMS = 128 };

int clr_block_has_async(const clradio_device_info *device)
{
    return strncmp(device->architecture, "sm_", 3) == 0 && atoi(device->architecture + 3) >= 80;
}

int clr_block_wanted(const clradio_device_info *device, const clradio_xengine_config *config,
                     const char *name)
{
    return device->kind != CLRADIO_DEVICE_CPU ||
           (config->variant && !strcmp(config->variant, name));
}

void clr_block_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                      int64_t stage, int64_t *values)
{
    const int cpu = device->kind == CLRADIO_DEVICE_CPU;
    values[CLR_BLOCK_GX] = values[CLR_BLOCK_GY] = cpu ? 1 : 2;
    values[CLR_BLOCK_DX] = cpu ? 2 : 4;
    values[CLR_BLOCK_DY] = cpu ? 4 : 8;
    values[CLR_BLOCK_T_STAGE] = cpu ? 8 : stage;
    values[CLR_BLOCK_W] = (int64_t)clr_block_edge(values) / config->polarisations;
}

void clr_block_reason(const clradio_device_info *device, char reason[128])
{
    snprintf(reason, 128, "%s",
             device->kind == CLRADIO_DEVICE_CPU
                 ? "smallest shape: a processor has not the registers for more"
                 : "default measured on an H200, for graphics processors");
}

clradio_status clr_block_settle(const clradio_device_info *device,
                                const clradio_xengine_config *config, int64_t *values,
                                const int *given)
{
    const int64_t gx = values[CLR_BLOCK_GX], gy = values[CLR_BLOCK_GY];
    const int64_t dx = values[CLR_BLOCK_DX], dy = values[CLR_BLOCK_DY];
    const uint64_t edge = clr_block_edge(values), group = clr_block_group(values);
    if (dx % 2 || dy % 2)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "Dx=%" PRId64 " Dy=%" PRId64 ": both are even", dx,
                        dy);
    if (8 * gx * dx != 4 * gy * dy)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Gx=%" PRId64 " Dx=%" PRId64 " make %" PRId64 " inputs, Gy=%" PRId64
                        " Dy=%" PRId64 " make %" PRId64 ": 8 Gx Dx must be 4 Gy Dy",
                        gx, dx, 8 * gx * dx, gy, dy, 4 * gy * dy);
    if (dx * dy > MOST_SUMS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Dx=%" PRId64 " Dy=%" PRId64 " are %" PRId64
                        " sums a work-item; at most %d",
                        dx, dy, dx * dy, MOST_SUMS);
    if (group % edge || (uint64_t)values[CLR_BLOCK_T_STAGE] % (group / edge))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%" PRIu64 " work-items (32 Gx Gy) must be a multiple of the %" PRIu64
                        " inputs of an edge (8 Gx Dx), and T_STAGE=%" PRId64
                        " one of how many times",
                        group, edge, values[CLR_BLOCK_T_STAGE]);
    const int64_t w = (int64_t)edge / config->polarisations;
    if (given[CLR_BLOCK_W] && values[CLR_BLOCK_W] != w)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "W=%" PRId64 " is not the %" PRId64 " stations that 8 Gx Dx inputs are",
                        values[CLR_BLOCK_W], w);
    values[CLR_BLOCK_W] = w;
    if (group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Gx=%" PRId64 " Gy=%" PRId64 " make %" PRIu64
                        " work-items; a work-group of %s has at most %" PRIu64,
                        gx, gy, group, device->name, device->max_group_size);
    if (values[CLR_BLOCK_ASYNC] && !clr_block_has_async(device))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "ASYNC=1 is for NVIDIA devices from sm_80 on, and %s is none",
                        device->name);
    return CLRADIO_OK;
}

clradio_status clr_block_check_local(const clradio_device_info *device, uint64_t local_bytes)
{
    if (local_bytes > device->local_memory_bytes)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the blocks need %" PRIu64 " bytes of local memory; %s has %" PRIu64,
                        local_bytes, device->name, device->local_memory_bytes);
    return CLRADIO_OK;
}

clradio_status clr_block_prepare(clradio_xengine *plan)
{
    return clr_xengine_check_shape(plan, (size_t)clr_block_group(plan->candidate.values));
}

uint64_t clr_block_groups(const clradio_xengine *plan)
{
    const uint64_t inputs = (uint64_t)plan->config.stations * plan->config.polarisations;
    const uint64_t rows = clr_ceil_div(inputs, clr_block_edge(plan->candidate.values));
    return rows * (rows + 1) / 2;
}

clradio_status clr_block_check_run(const int64_t *values, int64_t run)
{
    if (run % values[CLR_BLOCK_T_STAGE])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "RUN=%" PRId64 " is not a multiple of T_STAGE=%" PRId64, run,
                        values[CLR_BLOCK_T_STAGE]);
    return CLRADIO_OK;
}

/* One is a multiple of the other. */
static int fit(uint64_t a, uint64_t b)
{
    return a % b == 0 || b % a == 0;
}

/* Whether a stage's times can be copied from where `times` of an input lie together (0: all). Of
 * floats neighbours copy the times of an input (BY_TIME of cl/xengine_fma_copies.cl), of integers
 * one work-item those that lie four a word. */
static int stage_fits(const clradio_xengine_config *config, const int64_t *values, uint64_t times)
{
    const uint64_t group = clr_block_group(values), edge = clr_block_edge(values);
    const uint64_t stage = (uint64_t)values[CLR_BLOCK_T_STAGE];
    if (times && !fit(times, stage))
        return 0;
    if (clr_xengine_is_float(config->input))
        return group % stage == 0 && edge % (group / stage) == 0;
    return !times || (times % 4 == 0 && fit(times, 4 * (group / edge)));
}

void clr_block_layout(const clradio_xengine_config *config, const int64_t *values,
                      clradio_layout *layout, uint32_t *block_times)
{
    int reads = config->layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
    if (values[CLR_BLOCK_READ] && !reads)
        reads = stage_fits(config, values,
                           config->layout == CLRADIO_LAYOUT_BLOCKED ? config->block_times : 0);
    *layout = reads ? config->layout : CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
    *block_times = reads ? config->block_times : 0;
}

/* BLOCK_TIMES of cl/xengine_times.cl. */
static int64_t times_together(const clradio_xengine_config *config, const int64_t *values)
{
    clradio_layout layout;
    uint32_t times;
    clr_block_layout(config, values, &layout, &times);
    return layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT   ? 1
           : layout == CLRADIO_LAYOUT_CHANNEL_INPUT_TIME ? 0
                                                         : (int64_t)times;
}

size_t clr_block_macros(const clr_parameter *table, size_t parameters,
                        const clradio_xengine_config *config, const int64_t *values,
                        clr_macro *macros)
{
    size_t n = 0;
    for (size_t i = 0; i < parameters; i++)
        if (i != CLR_BLOCK_W && i != CLR_BLOCK_SPLIT_T && i != CLR_BLOCK_READ)
            macros[n++] = (clr_macro){ table[i].name, values[i] };
    macros[n++] = (clr_macro){ "NPOL", config->polarisations };
    macros[n++] = (clr_macro){ "INPUT", config->input };
    macros[n++] = (clr_macro){ "BLOCK_TIMES", times_together(config, values) };
    if (values[CLR_BLOCK_DIRECT])
        macros[n++] = (clr_macro){ "OUTPUT", config->output };
    return n;
}

uint64_t clr_block_most_spectra(const clradio_xengine *plan, clr_block_loops loops)
{
    const uint64_t stage = (uint64_t)plan->candidate.values[CLR_BLOCK_T_STAGE];
    const uint64_t rounds = clr_device_loop_rounds(plan->device);
    if (rounds == UINT64_MAX) /* the kernels count a slice's spectra in 32 bits */
        return (uint64_t)1 << 30;
    return rounds > loops.before ? (rounds - loops.before) / (loops.of_stage + loops.of_run) * stage
                                 : 0;
}

clradio_status clr_block_sum(clradio_xengine *plan, clr_chain *chain, const clr_xengine_work *work)
{
    clr_launch launch = {
        .groups = { (size_t)clr_block_groups(plan), work->channels, work->slices },
        .group = { (size_t)clr_block_group(plan->candidate.values), 1, 1 },
        .large_local_bytes = plan->candidate.variant->large_local_bytes
                                 ? plan->candidate.variant->large_local_bytes(plan)
                                 : 0,
    };
    clr_launch_span(&launch, work->spectra);
    clr_launch_span(&launch, work->sums);
    clr_launch_span(&launch, work->visibilities);
    clr_launch_u32(&launch, plan->config.stations);
    clr_launch_u32(&launch, work->first_channel);
    clr_launch_u64(&launch, work->layout.run_stride);
    clr_launch_u64(&launch, work->layout.channel_stride);
    clr_launch_u64(&launch, work->layout.input_stride);
    clr_launch_u64(&launch, work->spectra_count);
    clr_launch_u64(&launch, work->slice_length);
    clr_launch_u32(&launch, (uint32_t)work->add);
    clr_launch_u32(&launch, plan->config.ci4_coding);
    clr_launch_u32(&launch, work->visibilities.buffer != NULL);
    clr_launch_u64(&launch, plan->channel_output_values * plan->config.channels);
    clr_launch_u32(&launch, plan->config.order);
    clr_launch_u32(&launch, (uint32_t)plan->config.conjugate);
    return clr_chain_launch(chain, plan->sum_kernel, &launch);
}
