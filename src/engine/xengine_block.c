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
    const char *name = clr_device_info(plan->device)->name;
    const size_t group = (size_t)clr_block_group(plan->candidate.values);
    size_t most;
    uint64_t local, private;
    clradio_status status = clr_kernel_limits(plan->sum_kernel, &most, &local, &private);
    if (status)
        return status;
    if (group > most)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the kernel runs in work-groups of at most %zu on %s, not of %zu", most,
                        name, group);
    if (clr_block_groups(plan) > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "%" PRIu32 " stations make more than 2^31 blocks", plan->config.stations);
    if (!plan->candidate.variant->most_spectra(plan))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the blocks need longer loops than the driver of %s lets run", name);
    return CLRADIO_OK;
}

uint64_t clr_block_groups(const clradio_xengine *plan)
{
    const uint64_t inputs = (uint64_t)plan->config.stations * plan->config.polarisations;
    const uint64_t rows = clr_ceil_div(inputs, clr_block_edge(plan->candidate.values));
    return rows * (rows + 1) / 2;
}

void clr_block_release(clradio_xengine *plan)
{
    (void)plan;
}

void clr_block_launch(const clradio_xengine *plan, const clr_xengine_work *work, clr_launch *launch)
{
    *launch = (clr_launch){
        .groups = { (size_t)clr_block_groups(plan), work->channels, work->slices },
        .group = { (size_t)clr_block_group(plan->candidate.values), 1, 1 },
    };
    clr_launch_span(launch, work->spectra);
    clr_launch_span(launch, work->sums);
    clr_launch_u32(launch, plan->config.stations);
    clr_launch_u64(launch, work->layout.run_stride);
    clr_launch_u64(launch, work->layout.channel_stride);
    clr_launch_u64(launch, work->spectra_count);
    clr_launch_u64(launch, work->slice_length);
    clr_launch_u32(launch, (uint32_t)work->add);
}
