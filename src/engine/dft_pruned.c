/* The channel DFT's variant "pruned": parameters and launch. The kernel is cl/dft_pruned.cl. */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>
#include <math.h>

enum { TAPS, LANES, ROWS, STAGED, LOOPS, PARAMETERS };
enum { POINTS = 16, LEAST_TAPS = 4, LEAST_COLUMNS = 4 };

static const clr_parameter parameters[PARAMETERS] = {
    [TAPS] = { "TAPS", 8, 128 },   [LANES] = { "LANES", 1, 256 }, [ROWS] = { "ROWS", 1, 256 },
    [STAGED] = { "STAGED", 0, 1 }, [LOOPS] = { "LOOPS", 1, 64 },
};

/* N / 16 of the transform that the grid is part of; 0 when there is none. */
static uint32_t columns_of(const clradio_dft_config *config)
{
    const double points = 1 / (config->spacing_hz * config->sample_period_s);
    const double whole = rint(points);
    if (!(points >= POINTS * LEAST_COLUMNS && points <= CLR_DFT_MOST_SUBCARRIERS * 16.0) ||
        fabs(points - whole) > 1e-14 * whole || fmod(whole, POINTS) != 0 ||
        config->subcarriers > whole)
        return 0;
    return (uint32_t)(whole / POINTS);
}

static clradio_status pruned_supported(clradio_device *device, const clradio_dft_config *config)
{
    (void)device;
    if (config->delay != CLRADIO_DELAY_CONSECUTIVE || config->frequencies_hz ||
        config->average > 1 || config->rates)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant pruned takes consecutive samples without "
                        "Doppler and a uniform grid without means");
    if (config->type != CLRADIO_CF32)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant pruned takes cf32: a spacing of one over a "
                        "whole number of samples is seldom exact in double");
    if (!columns_of(config))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant pruned needs 1 / (spacing_hz x "
                        "sample_period_s) = %g to be a multiple of 16, 64 or more, and no less "
                        "than the subcarriers",
                        1 / (config->spacing_hz * config->sample_period_s));
    return CLRADIO_OK;
}

static int pruned_preset(const clradio_device *device, const clradio_dft_config *config,
                         int64_t *values)
{
    const uint32_t columns = columns_of(config);
    const clradio_device_info *info = clr_device_info(device);
    const int64_t group = info->max_group_size >= 256 || !info->max_group_size ? 256 : 64;
    values[TAPS] = config->taps > 64 ? 64 : config->taps < 8 ? 8 : (config->taps + 7) / 8 * 8;
    values[STAGED] = columns < 32 && columns <= group;
    values[LANES] = columns;
    if (!values[STAGED]) {
        const uint64_t groups = clr_ceil_div(columns, (uint64_t)clr_min_u64(64, (uint64_t)group));
        values[LANES] = groups ? (int64_t)clr_ceil_div(columns, groups) : 1;
    }
    if (values[LANES] < 1)
        values[LANES] = 1;
    values[ROWS] = (values[STAGED] && group > 128 ? 128 : group) / values[LANES];
    if (values[ROWS] < 1)
        values[ROWS] = 1;
    values[LOOPS] = values[STAGED] ? 4 : 16;
    return info->kind != CLRADIO_DEVICE_CPU && !pruned_supported(NULL, config) &&
           config->taps >= LEAST_TAPS && config->taps <= 64;
}

static clradio_status pruned_settle(const clradio_device_info *device,
                                    const clradio_dft_config *config, const int64_t *values)
{
    const uint64_t group = (uint64_t)(values[LANES] * values[ROWS]);
    const uint64_t columns = columns_of(config);
    const uint64_t local =
        8 * (uint64_t)(values[TAPS] * values[LANES] + values[ROWS] * (values[TAPS] + 2)) +
        (values[STAGED] ? 8 * (group * POINTS + 1) : 0) + 4 * (uint64_t)values[ROWS];
    if (values[TAPS] % 8)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "TAPS=%" PRId64 " is no multiple of 8",
                        values[TAPS]);
    if (values[STAGED] && (uint64_t)values[LANES] != columns)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "STAGED=1 needs LANES=%" PRIu64 ", the columns of this grid", columns);
    if (device->max_group_size && group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "LANES=%" PRId64 " ROWS=%" PRId64 ": %s runs in work-groups of at most "
                        "%" PRIu64,
                        values[LANES], values[ROWS], device->name, device->max_group_size);
    if (device->local_memory_bytes && local > device->local_memory_bytes)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "these parameters need %" PRIu64 " bytes of local memory; %s has %" PRIu64,
                        local, device->name, device->local_memory_bytes);
    return CLRADIO_OK;
}

static size_t pruned_macros(const clradio_dft_config *config, const int64_t *values,
                            clr_macro *macros)
{
    (void)config;
    for (size_t p = 0; p < LOOPS; p++)
        macros[p] = (clr_macro){ parameters[p].name, values[p] };
    return LOOPS;
}

static uint32_t pruned_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    return (uint32_t)(values[ROWS] * values[LOOPS]);
}

static int pruned_merges_links(const clradio_dft_config *config)
{
    return config->order == CLRADIO_DFT_PATH_SUBCARRIER;
}

static uint64_t pruned_most_taps(const int64_t *values)
{
    return (uint64_t)values[TAPS];
}

static clradio_status pruned_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const int64_t *values = plan->candidate.values;
    const uint64_t times = clr_min_u64(call->io->time_steps, CLR_DFT_MOST_GRID);
    clr_dft_call with_columns = *call;
    with_columns.columns = columns_of(&plan->config);
    /* columns beyond the subcarriers have nothing to write */
    const uint64_t columns = clr_min_u64(with_columns.columns, plan->grid.values);
    const clr_launch shape = { .groups = { (size_t)call->tile_count,
                                           (size_t)clr_ceil_div(columns, (uint64_t)values[LANES]),
                                           (size_t)times },
                               .group = { (size_t)(values[LANES] * values[ROWS]), 1, 1 } };
    return clr_dft_launch_times(plan, chain, &with_columns, &shape, times, 0);
}

const clr_dft_variant clr_dft_pruned = {
    .name = "pruned",
    .source = "dft_pruned.cl",
    .inner = 3,
    .entry = "dft_pruned",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .supported = pruned_supported,
    .preset = pruned_preset,
    .settle = pruned_settle,
    .macros = pruned_macros,
    .least_taps = LEAST_TAPS,
    .most_taps = pruned_most_taps,
    .tile_paths = pruned_tile_paths,
    .merges_links = pruned_merges_links,
    .launch = pruned_launch,
    .error_bound = clr_dft_factors_bound,
};
