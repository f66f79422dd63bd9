/*
 * The channel DFT's variant "tf32x3": what "gemm" does, through NVIDIA's matrix units, by name
 * alone. Parameters and launch; the kernel is cl/dft_tf32.cl. EMULATED=1 is the same in plain C,
 * for tests.
 */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>

enum { TAPS, HALF, WARPS, BLOCKS, EMULATED, PATHS, PARAMETERS };
enum { LEAST_TAPS = 4, WARP = 32, ROWS = 8 };

static const clr_parameter parameters[PARAMETERS] = {
    [TAPS] = { "TAPS", 8, 32 },     [HALF] = { "HALF", 4, 64 },        [WARPS] = { "WARPS", 1, 8 },
    [BLOCKS] = { "BLOCKS", 1, 64 }, [EMULATED] = { "EMULATED", 0, 1 }, [PATHS] = { "PATHS", 1, 64 },
};

static clradio_status tf32_supported(clradio_device *device, const clradio_dft_config *config)
{
    (void)device;
    if (config->type != CLRADIO_CF32 || config->frequencies_hz || config->rates ||
        (config->delay != CLRADIO_DELAY_CONSECUTIVE && config->delays != CLRADIO_PER_LINK))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant tf32x3 takes cf32, delays that the paths of a "
                        "link share, without Doppler, and a uniform grid");
    return CLRADIO_OK;
}

static int tf32_preset(const clradio_device *device, const clradio_dft_config *config,
                       int64_t *values)
{
    (void)device;
    values[TAPS] = config->taps > 32 ? 32 : config->taps < 8 ? 8 : (config->taps + 7) / 8 * 8;
    values[HALF] = clr_dft_values(config) > 32 ? 32 : 16;
    values[WARPS] = 4;
    values[BLOCKS] = 20;
    values[EMULATED] = 0;
    values[PATHS] = 16;
    return 0; /* by name only */
}

static clradio_status tf32_settle(const clradio_device_info *device,
                                  const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    const uint64_t taps = (uint64_t)values[TAPS], half = (uint64_t)values[HALF];
    const uint64_t warps = (uint64_t)values[WARPS];
    const uint64_t local = 16 * (half / 4) * (taps / 8) * WARP +
                           8 * ((uint64_t)values[BLOCKS] * taps + warps * ROWS * (taps + 4)) +
                           28 * taps;
    if (!values[EMULATED] && device->matrix_unit != 1)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant tf32x3 is for NVIDIA's matrix units, which %s "
                        "has not (EMULATED=1 computes the same without them)",
                        device->name);
    if (taps % 8 || half % 4)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "TAPS=%" PRId64 " HALF=%" PRId64 ": multiples of 8 and of 4 are possible",
                        values[TAPS], values[HALF]);
    if (device->max_group_size && warps * WARP > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "WARPS=%" PRId64 ": %s runs in work-groups of at most %" PRIu64,
                        values[WARPS], device->name, device->max_group_size);
    return clr_dft_check_local(device, local);
}

static size_t tf32_macros(const clradio_dft_config *config, const int64_t *values,
                          clr_macro *macros)
{
    (void)config;
    for (size_t p = 0; p < PATHS; p++)
        macros[p] = (clr_macro){ parameters[p].name, values[p] };
    return PATHS;
}

static uint64_t tf32_most_taps(const int64_t *values)
{
    return (uint64_t)values[TAPS];
}

static uint32_t tf32_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    return (uint32_t)values[PATHS];
}

static clradio_status tf32_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const int64_t *values = plan->candidate.values;
    const uint64_t columns = (uint64_t)(2 * values[HALF] * values[BLOCKS]);
    return clr_dft_launch_rows(plan, chain, call, plan->grid.values, columns,
                               (uint64_t)values[WARPS] * WARP);
}

/* What the matrix units cut off in four sums of eight products of the high parts, and the rest:
 * doc/dft.md. */
static double tf32_bound(const clradio_dft_config *config, const int64_t *values)
{
    (void)config, (void)values;
    return 1.5e-6;
}

const clr_dft_variant clr_dft_tf32 = {
    .name = "tf32x3",
    .source = "dft_tf32.cl",
    .entry = "dft_tf32",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .supported = tf32_supported,
    .preset = tf32_preset,
    .settle = tf32_settle,
    .macros = tf32_macros,
    .least_taps = LEAST_TAPS,
    .most_taps = tf32_most_taps,
    .tile_paths = tf32_tile_paths,
    .merges_links = clr_dft_links_are_rows,
    .launch = tf32_launch,
    .error_bound = tf32_bound,
};
