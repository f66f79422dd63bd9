/* What the variants for NVIDIA's matrix units share: see xengine_mma.h. */
#include "engine/xengine_mma.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

clradio_layout clr_xengine_mma_layout(const clradio_xengine_config *config)
{
    const uint64_t row =
        (uint64_t)config->stations * config->polarisations * clradio_type_bytes(config->input);
    return config->layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT && row % UNIT_BYTES == 0
               ? CLRADIO_LAYOUT_TIME_CHANNEL_INPUT
               : CLRADIO_LAYOUT_BLOCKED;
}

uint32_t clr_xengine_mma_block_times(const clradio_xengine_config *config, clradio_layout layout)
{
    return layout == CLRADIO_LAYOUT_BLOCKED ? clr_xengine_usual_block_times(config->input) : 0;
}

void clr_xengine_mma_reads(const clradio_xengine_config *config, const int64_t *values,
                           clradio_layout *layout, uint32_t *block_times)
{
    (void)values;
    *layout = clr_xengine_mma_layout(config);
    *block_times = clr_xengine_mma_block_times(config, *layout);
}

uint64_t clr_xengine_mma_tiles(uint64_t inputs, uint64_t wy, uint64_t wx)
{
    uint64_t tiles = 0;
    for (uint64_t row = 0; row * wy < inputs; row++)
        tiles += clr_ceil_div(clr_min_u64((row + 1) * wy, inputs), wx);
    return tiles;
}

int clr_xengine_has_wgmma(const clradio_device_info *device)
{
    return !strcmp(device->architecture, "sm_90");
}

clradio_status clr_xengine_check_wgmma(const clradio_device_info *device, const char *variant,
                                       int emulated)
{
    if (!emulated && !clr_xengine_has_wgmma(device))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the X-engine's variant %s is for NVIDIA's compute capability 9.0, which "
                        "%s is not (EMULATED=1 computes the same without it)",
                        variant, device->name);
    return CLRADIO_OK;
}

clradio_status clr_xengine_check_warpgroups(const clradio_device_info *device, int64_t warpgroups,
                                            uint64_t group)
{
    if (group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "WARPGROUPS=%" PRId64 " makes %" PRIu64
                        " work-items; a work-group of %s has at most %" PRIu64,
                        warpgroups, group, device->name, device->max_group_size);
    return CLRADIO_OK;
}

clradio_status clr_xengine_mma_check_local(uint64_t local, uint64_t most, int64_t t_stage,
                                           int64_t stages, int64_t resident)
{
    if (local > most)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "T_STAGE=%" PRId64 " STAGES=%" PRId64 " need %" PRIu64
                        " bytes of local memory; RESIDENT=%" PRId64 " leaves %" PRIu64,
                        t_stage, stages, local, resident, most);
    return CLRADIO_OK;
}

uint32_t clr_xengine_mma_test_stations(const clradio_xengine *plan, uint64_t wy, uint64_t wx)
{
    const uint32_t more =
        clr_xengine_mma_layout(&plan->config) == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT ? UNIT_BYTES : 3;
    return (uint32_t)(clr_max_u64(wy, wx) / plan->config.polarisations) + more;
}

/* Bytes that every unit's address is a multiple of: asynchronous copies take 16 or 4 at a time. */
static uint32_t pieces(const clradio_xengine *plan, const clr_xengine_work *work)
{
    const uint64_t sample = clradio_type_bytes(plan->config.input);
    const uint64_t channel = work->layout.channel_stride * sample;
    /* units of [time][channel][input] begin with the array's first channel, that of the work may
     * begin in one (wgmma's SHIFTED) */
    const uint64_t units = work->layout.kind == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT
                               ? work->spectra.offset - work->first_channel * channel % UNIT_BYTES
                               : work->spectra.offset | channel;
    const uint64_t bits = units | work->layout.run_stride * sample;
    return bits % 16 == 0 ? 16 : bits % 4 == 0 ? 4 : 1;
}

clradio_status clr_xengine_mma_launch(clradio_xengine *plan, clr_chain *chain,
                                      const clr_xengine_work *work, size_t group)
{
    const int direct = work->visibilities.buffer != NULL;
    const uint64_t sample = clradio_type_bytes(plan->config.input);
    clr_launch launch = {
        .groups = { (size_t)plan->candidate.variant->groups(plan), work->channels, work->slices },
        .group = { group, 1, 1 },
        .large_local_bytes = plan->candidate.variant->large_local_bytes(plan),
    };
    clr_launch_span(&launch, work->spectra);
    clr_launch_span(&launch, work->sums);
    clr_launch_span(&launch, work->visibilities);
    clr_launch_u32(&launch, plan->config.stations);
    clr_launch_u32(&launch, work->first_channel);
    clr_launch_u64(&launch, work->layout.run_stride * sample);
    clr_launch_u64(&launch, work->layout.channel_stride * sample);
    clr_launch_u64(&launch, work->spectra_count);
    clr_launch_u64(&launch, work->slice_length);
    clr_launch_u32(&launch, (uint32_t)work->add);
    clr_launch_u32(&launch, plan->config.ci4_coding);
    clr_launch_u32(&launch, pieces(plan, work));
    clr_launch_u32(&launch, (uint32_t)direct);
    clr_launch_u64(&launch, plan->channel_output_values * plan->config.channels);
    clr_launch_u32(&launch, plan->config.order);
    clr_launch_u32(&launch, (uint32_t)plan->config.conjugate);
    return clr_chain_launch(chain, plan->sum_kernel, &launch);
}
