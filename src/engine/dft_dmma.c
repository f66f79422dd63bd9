/*
 * The channel DFT's variant "dmma": what "gemm" does, through the matrix units for double precision
 * that NVIDIA's Hopper has. Parameters and launch; the kernel is cl/dft_dmma.cl. EMULATED=1 is the
 * same in plain C, for tests.
 */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS, HALF, BLOCKS, KEEP, EMULATED, PATHS, RESIDENT, REMAINDER, FIXED, PARAMETERS };
enum { LEAST_TAPS = 4, WARP = 32, UNITS = 8, HOPPER = 90 };
enum { LEAST_OF_PATHS = 50, LEAST_VALUES = 8, FEW_VALUES = 300, MANY_VALUES = 1000 };

static const clr_parameter parameters[PARAMETERS] = {
    [TAPS] = { "TAPS", 8, 32 },          [HALF] = { "HALF", 8, 64 },
    [BLOCKS] = { "BLOCKS", 1, 1024 },    [EMULATED] = { "EMULATED", 0, 1 },
    [PATHS] = { "PATHS", 1, 64 },        [RESIDENT] = { "RESIDENT", 0, 32 },
    [REMAINDER] = { "REMAINDER", 0, 1 }, [KEEP] = { "KEEP", 0, 1 },
    [FIXED] = { "FIXED", 0, 1 },
};

static clradio_status dmma_supported(clradio_device *device, const clradio_dft_config *config)
{
    (void)device;
    return config->type == CLRADIO_CF32 && !config->frequencies_hz && !config->rates
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                          "the channel DFT's variant dmma takes cf32, without Doppler, and a "
                          "uniform grid");
}

/* NVIDIA's, 90 for compute capability 9.0; 0 of others. */
static long architecture_of(const clradio_device_info *device)
{
    return strncmp(device->architecture, "sm_", 3) ? 0 : strtol(device->architecture + 3, NULL, 10);
}

/* mma.sync has products of sixteen rows in double from compute capability 9.0 on. */
static int has_units(const clradio_device_info *device)
{
    return device->matrix_unit == 1 && device->fp64 && architecture_of(device) >= HOPPER;
}

static int of_paths(const clradio_dft_config *config)
{
    return config->delay != CLRADIO_DELAY_CONSECUTIVE && config->delays == CLRADIO_PER_PATH;
}

/* What an H200 was faster at than with any other variant. */
static int is_faster(const clradio_dft_config *config, uint32_t m)
{
    return of_paths(config) ? m >= LEAST_OF_PATHS
                            : m >= LEAST_VALUES && (m <= FEW_VALUES || m >= MANY_VALUES);
}

static int dmma_preset(const clradio_device *device, const clradio_dft_config *config,
                       int64_t *values)
{
    const clradio_device_info *info = clr_device_info(device);
    const uint32_t m = clr_dft_values(config);
    values[TAPS] = config->taps > 32 ? 32 : config->taps < 8 ? 8 : (config->taps + 7) / 8 * 8;
    values[HALF] = of_paths(config) || m <= FEW_VALUES ? 8 : 16;
    values[BLOCKS] = 128; /* all of a path's 2,000 values: phasors are made once */
    values[KEEP] = 0;
    values[EMULATED] = 0;
    values[PATHS] = of_paths(config) ? 1 : UNITS;
    /* work-groups of 80 registers, of 96, of 72: as an H200 was fastest */
    values[RESIDENT] = values[TAPS] != 24   ? 0
                       : values[HALF] == 16 ? 20
                       : of_paths(config)   ? 28
                                            : 24;
    values[REMAINDER] = !of_paths(config);
    values[FIXED] = 1;
    /* what came after Hopper is slower at doubles, or was not measured */
    return has_units(info) && architecture_of(info) == HOPPER &&
           dmma_supported(NULL, config) == CLRADIO_OK && is_faster(config, m) &&
           config->taps >= LEAST_TAPS && config->taps <= 32;
}

static uint64_t local_bytes(const int64_t *values)
{
    const uint64_t taps = (uint64_t)values[TAPS], wave_row = taps / 8 % 2 ? taps : taps + 8;
    uint64_t bytes =
        16 * (uint64_t)values[HALF] * wave_row + 16 * UNITS * (taps + 4) + 20 * taps + 64;
    if (values[EMULATED])
        bytes += WARP * (4 * taps + 4);
    return bytes;
}

static clradio_status dmma_settle(const clradio_device_info *device,
                                  const clradio_dft_config *config, int64_t *values)
{
    if (!values[EMULATED] && !has_units(device))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant dmma is for NVIDIA's matrix units for double "
                        "precision, from compute capability 9.0 on, which %s has not (EMULATED=1 "
                        "computes the same without them)",
                        device->name);
    if (!device->fp64)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "%s has no double precision: the channel DFT's variant dmma cannot be",
                        device->name);
    if (values[PATHS] > 1 && of_paths(config))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "PATHS=%" PRId64 " needs delays that the paths of a link share",
                        values[PATHS]);
    if (values[TAPS] % 8 || values[HALF] % 8)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "TAPS=%" PRId64 " HALF=%" PRId64 ": multiples of 8 are possible",
                        values[TAPS], values[HALF]);
    if (device->max_group_size && device->max_group_size < WARP)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "%s runs in work-groups of at most %" PRIu64 ", which dmma's 32 pass",
                        device->name, device->max_group_size);
    return clr_dft_check_local(device, local_bytes(values));
}

static size_t dmma_macros(const clradio_dft_config *config, const int64_t *values,
                          clr_macro *macros)
{
    for (size_t p = 0; p < PARAMETERS; p++)
        macros[p] = (clr_macro){ parameters[p].name, values[p] };
    macros[EMULATED].name = "PLAIN"; /* cl/children.cl has another EMULATED */
    size_t n = PARAMETERS;
    if (values[FIXED]) {
        macros[n++] = (clr_macro){ "VALUES", clr_dft_values(config) };
        macros[n++] = (clr_macro){ "TRANSPOSED", config->order != CLRADIO_DFT_PATH_SUBCARRIER };
    }
    return n;
}

static uint64_t dmma_most_taps(const int64_t *values)
{
    return (uint64_t)values[TAPS];
}

static uint32_t dmma_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    return (uint32_t)values[PATHS];
}

static clradio_status dmma_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const int64_t *values = plan->candidate.values;
    const uint64_t columns = (uint64_t)(2 * values[HALF] * values[BLOCKS]);
    return clr_dft_launch_rows(plan, chain, call, plan->grid.values, columns, WARP);
}

const clr_dft_variant clr_dft_dmma = {
    .name = "dmma",
    .source = "dft_dmma.cl",
    .inner = 5,
    .entry = "dft_dmma",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .supported = dmma_supported,
    .preset = dmma_preset,
    .settle = dmma_settle,
    .macros = dmma_macros,
    .least_taps = LEAST_TAPS,
    .most_taps = dmma_most_taps,
    .tile_paths = dmma_tile_paths,
    .merges_links = clr_dft_links_are_rows,
    .launch = dmma_launch,
    .error_bound = clr_dft_factors_bound,
};
