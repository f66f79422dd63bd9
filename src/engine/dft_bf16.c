/*
 * The channel DFT's variant "bf16x6": what "gemm" does, through NVIDIA's matrix units and as exact.
 * Parameters and launch; the kernel is cl/dft_bf16.cl. EMULATED=1 is the same in plain C, for
 * tests.
 */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAPS,
    HALF,
    WARPS,
    BLOCKS,
    KEEP,
    CIRCLE,
    EMULATED,
    PATHS,
    RESIDENT,
    OWN_MIDDLES,
    REMAINDER,
    PARAMETERS
};
enum { LEAST_TAPS = 4, WARP = 32 };
enum { LEAST_VALUES = 8, LEAST_OPENCL = 50, FEW_VALUES = 128, LEAST_OF_PATHS = 600 };

static const clr_parameter parameters[PARAMETERS] = {
    [TAPS] = { "TAPS", 8, 32 },          [HALF] = { "HALF", 8, 64 },
    [WARPS] = { "WARPS", 1, 8 },         [BLOCKS] = { "BLOCKS", 1, 64 },
    [KEEP] = { "KEEP", 0, 1 },           [CIRCLE] = { "CIRCLE", 0, 2 },
    [EMULATED] = { "EMULATED", 0, 1 },   [PATHS] = { "PATHS", 1, 64 },
    [RESIDENT] = { "RESIDENT", 0, 32 },  [OWN_MIDDLES] = { "OWN_MIDDLES", 0, 1 },
    [REMAINDER] = { "REMAINDER", 0, 1 },
};

static clradio_status bf16_supported(clradio_device *device, const clradio_dft_config *config)
{
    (void)device;
    return config->type == CLRADIO_CF32 && !config->frequencies_hz && !config->rates
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                          "the channel DFT's variant bf16x6 takes cf32, without Doppler, and a "
                          "uniform grid");
}

/* NVIDIA's, 90 for compute capability 9.0; 0 of others. */
static long architecture_of(const clradio_device_info *device)
{
    return strncmp(device->architecture, "sm_", 3) ? 0 : strtol(device->architecture + 3, NULL, 10);
}

/* mma.sync has bf16 from compute capability 8.0 on. */
static int has_units(const clradio_device_info *device)
{
    return device->matrix_unit == 1 && architecture_of(device) >= 80;
}

static int of_paths(const clradio_dft_config *config)
{
    return config->delay != CLRADIO_DELAY_CONSECUTIVE && config->delays == CLRADIO_PER_PATH;
}

/* What an H200 was faster at: than with gemm, 8 values and more (of two paths a link 8 and 12 are 7
 * % slower, of eight a third faster; through OpenCL measured from 50 on); and, where each path has
 * delays of its own, than with recurrence, 600 and more. */
static int is_faster(const clradio_device_info *device, const clradio_dft_config *config,
                     uint32_t m)
{
    const int is_cuda = !strcmp(device->back_end, "cuda");
    return m >= (of_paths(config) ? LEAST_OF_PATHS : is_cuda ? LEAST_VALUES : LEAST_OPENCL);
}

static int bf16_preset(const clradio_device *device, const clradio_dft_config *config,
                       int64_t *values)
{
    const uint32_t m = clr_dft_values(config);
    const int is_cuda = !strcmp(clr_device_info(device)->back_end, "cuda");
    values[TAPS] = config->taps > 32 ? 32 : config->taps < 8 ? 8 : (config->taps + 7) / 8 * 8;
    values[HALF] = of_paths(config) ? 16 : m > FEW_VALUES ? 32 : 8;
    values[WARPS] = m > FEW_VALUES && !of_paths(config) ? 2 : 1;
    values[BLOCKS] = m > 640 ? 20 : m > FEW_VALUES ? 10 : m > 64 ? 8 : 4;
    if (of_paths(config)) /* all of 2000 values: cosines are made once a work-group */
        values[BLOCKS] = 64;
    values[KEEP] = 0;
    /* what an H200 was fastest with; nothing is spilt */
    const int told = values[TAPS] == 24 && architecture_of(clr_device_info(device)) >= 90;
    values[RESIDENT] = !told || of_paths(config) ? 0 : values[HALF] == 32 ? 12 : 28;
    values[CIRCLE] = is_cuda && values[HALF] != 32 ? 2 : 1;
    values[EMULATED] = 0;
    values[OWN_MIDDLES] = of_paths(config);
    values[REMAINDER] = is_cuda && values[HALF] == 8 && (m - 1) % 16 < 2;
    values[PATHS] = of_paths(config) ? 1 : 8;
    return has_units(clr_device_info(device)) && bf16_supported(NULL, config) == CLRADIO_OK &&
           is_faster(clr_device_info(device), config, m) && config->taps >= LEAST_TAPS &&
           config->taps <= 32;
}

static uint64_t local_bytes(const int64_t *values)
{
    const uint64_t taps = (uint64_t)values[TAPS], blocks = (uint64_t)values[BLOCKS];
    const uint64_t parts = 3 * taps / 8 * WARP; /* words of the three parts of eight rows */
    uint64_t bytes = (uint64_t)values[HALF] * parts +
                     (values[OWN_MIDDLES] ? 0 : 8 * blocks * taps) + 24 * taps +
                     48; /* and ends of arrays */
    if (values[REMAINDER])
        bytes += 16 * taps;
    if (values[CIRCLE])
        bytes += CLR_DFT_CIRCLE_BYTES;
    if (values[EMULATED])
        bytes += (uint64_t)values[WARPS] * (8 * parts + 4 * WARP);
    return bytes;
}

static clradio_status bf16_settle(const clradio_device_info *device,
                                  const clradio_dft_config *config, int64_t *values)
{
    if (values[OWN_MIDDLES]) /* what is left over has its middle among those that lanes share */
        values[REMAINDER] = 0;
    const uint64_t local = local_bytes(values), group = (uint64_t)values[WARPS] * WARP;
    if (!values[EMULATED] && !has_units(device))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant bf16x6 is for NVIDIA's matrix units, from "
                        "compute capability 8.0 on, which %s has not (EMULATED=1 computes the same "
                        "without them)",
                        device->name);
    if (values[PATHS] > 1 && of_paths(config))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "PATHS=%" PRId64 " needs delays that the paths of a link share",
                        values[PATHS]);
    if (values[CIRCLE] == 2 && strcmp(device->back_end, "cuda"))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "CIRCLE=2 is for CUDA, not for %s",
                        device->back_end);
    if (values[TAPS] % 8 || values[HALF] % 8)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "TAPS=%" PRId64 " HALF=%" PRId64 ": multiples of 8 are possible",
                        values[TAPS], values[HALF]);
    if (device->max_group_size && group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "WARPS=%" PRId64 ": %s runs in work-groups of at most %" PRIu64,
                        values[WARPS], device->name, device->max_group_size);
    return clr_dft_check_local(device, local);
}

static size_t bf16_macros(const clradio_dft_config *config, const int64_t *values,
                          clr_macro *macros)
{
    (void)config;
    for (size_t p = 0; p < PARAMETERS; p++)
        macros[p] = (clr_macro){ parameters[p].name, values[p] };
    macros[EMULATED].name = "PLAIN"; /* cl/children.cl has another EMULATED */
    return PARAMETERS;
}

static uint64_t bf16_most_taps(const int64_t *values)
{
    return (uint64_t)values[TAPS];
}

static uint32_t bf16_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    return (uint32_t)values[PATHS];
}

static clradio_status bf16_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const int64_t *values = plan->candidate.values;
    const uint64_t columns = (uint64_t)(2 * values[HALF] * values[BLOCKS]);
    return clr_dft_launch_rows(plan, chain, call, plan->grid.values, columns,
                               (uint64_t)values[WARPS] * WARP);
}

const clr_dft_variant clr_dft_bf16 = {
    .name = "bf16x6",
    .source = "dft_bf16.cl",
    .inner = 4,
    .entry = "dft_bf16",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .supported = bf16_supported,
    .preset = bf16_preset,
    .settle = bf16_settle,
    .macros = bf16_macros,
    .least_taps = LEAST_TAPS,
    .most_taps = bf16_most_taps,
    .tile_paths = bf16_tile_paths,
    .merges_links = clr_dft_links_are_rows,
    .launch = bf16_launch,
    .error_bound = clr_dft_factors_bound,
};
