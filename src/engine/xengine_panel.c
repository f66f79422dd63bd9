/* The variant "panel": all input but ci16 on processors, cl/xengine_panel.cl. */
#include "engine/xengine_internal.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { W, T_STAGE, SPLIT_T, PARAMETERS };

/* Inputs of a panel of columns. */
enum { COLUMNS = 8 };

static const clr_parameter parameters[PARAMETERS] = {
    [W] = { "W", 4, 512 },
    [T_STAGE] = { "T_STAGE", 1, 256 },
    [SPLIT_T] = { "SPLIT_T", 0, 4096 },
};

static clradio_status panel_supported(clradio_device *device, const clradio_xengine_config *config)
{
    (void)device;
    if (config->input == CLRADIO_CI16)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the X-engine's variant panel multiplies in fp32, which ci16 input is too "
                        "wide for");
    return CLRADIO_OK;
}

/* Only processors are offered it without having named it: a work-group is one work-item. */
static int panel_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                        unsigned number, int64_t *values, char reason[128])
{
    const int named = config->variant && strcmp(config->variant, "panel") == 0;
    const int serves = device->kind == CLRADIO_DEVICE_CPU && config->input != CLRADIO_CI16 &&
                       device->local_memory_bytes >= 65536;
    if (number || !(named || serves))
        return 0;
    memset(values, 0, PARAMETERS * sizeof *values);
    values[W] = 64 / config->polarisations;
    values[T_STAGE] = named && !serves ? 16 : 64;
    snprintf(reason, 128, "default measured for processors");
    return 1;
}

static clradio_status panel_settle(const clradio_device_info *device,
                                   const clradio_xengine_config *config, int64_t *values,
                                   const int *given)
{
    const uint64_t edge = (uint64_t)values[W] * config->polarisations;
    const uint64_t local = 2 * edge * (uint64_t)values[T_STAGE] * sizeof(float[2]);
    (void)given;
    if (edge % COLUMNS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "W=%" PRId64 " with %" PRIu32 " polarisations is %" PRIu64
                        " inputs, not a multiple of %d",
                        values[W], config->polarisations, edge, COLUMNS);
    if (local > device->local_memory_bytes)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "W=%" PRId64 " T_STAGE=%" PRId64 " need %" PRIu64
                        " bytes of local memory; %s has %" PRIu64,
                        values[W], values[T_STAGE], local, device->name,
                        device->local_memory_bytes);
    return CLRADIO_OK;
}

static void panel_describe(const int64_t *values, char *text, size_t room)
{
    clr_parameters_write(parameters, PARAMETERS, values, NULL, text, room);
}

static const char *panel_unit(const clradio_xengine_config *config, const int64_t *values)
{
    (void)config, (void)values;
    return "fp32";
}

static size_t panel_macros(const clradio_xengine_config *config, const int64_t *values,
                           clr_macro *macros)
{
    macros[0] = (clr_macro){ "EDGE", values[W] * config->polarisations };
    macros[1] = (clr_macro){ "T_STAGE", values[T_STAGE] };
    macros[2] = (clr_macro){ "NPOL", config->polarisations };
    macros[3] = (clr_macro){ "INPUT", config->input };
    macros[4] = (clr_macro){ "TOGETHER", config->layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT };
    return 5;
}

/* It reads every layout: packing moves the samples anyway. */
static uint64_t tile_rows(const clradio_xengine *plan)
{
    return clr_ceil_div(plan->config.stations, (uint64_t)plan->candidate.values[W]);
}

static uint64_t panel_groups(const clradio_xengine *plan)
{
    const uint64_t rows = tile_rows(plan);
    return rows * (rows + 1) / 2;
}

/* See tile_most_spectra: rounds of a stage, no loop unrolled. */
static uint64_t panel_most_spectra(const clradio_xengine *plan)
{
    const uint64_t rounds = clr_device_loop_rounds(plan->device);
    const uint64_t edge = (uint64_t)plan->candidate.values[W] * plan->config.polarisations;
    const uint64_t stage = (uint64_t)plan->candidate.values[T_STAGE];
    const uint64_t packing = stage * (4 * edge + 2 * edge / 4 + 2);
    const uint64_t panels = edge / 8 * (edge / 4 + 1) * (2 + stage + 4 * 10);
    const uint64_t before = tile_rows(plan) + 2;
    if (rounds == UINT64_MAX)
        return UINT64_MAX;
    return rounds > before ? (rounds - before) / (packing + panels + 2) * stage : 0;
}

static clradio_status panel_prepare(clradio_xengine *plan)
{
    return clr_xengine_check_shape(plan, 1);
}

static uint64_t panel_least_slice(const clradio_xengine *plan)
{
    return 2 * (uint64_t)plan->candidate.values[T_STAGE];
}

static clradio_status panel_sum(clradio_xengine *plan, clr_chain *chain,
                                const clr_xengine_work *work)
{
    return clr_xengine_sum_any_layout(plan, chain, work, 1);
}

const clr_xengine_variant clr_xengine_panel = {
    .name = "panel",
    .source = "xengine_panel.cl",
    .entry = "xengine_panel",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .split_parameter = SPLIT_T,
    .supported = panel_supported,
    .preset = panel_preset,
    .settle = panel_settle,
    .describe = panel_describe,
    .unit = panel_unit,
    .macros = panel_macros,
    .layout = clr_xengine_layout_own,
    .prepare = panel_prepare,
    .groups = panel_groups,
    .least_slice = panel_least_slice,
    .most_spectra = panel_most_spectra,
    .sum = panel_sum,
};
