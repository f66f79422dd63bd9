/*
 * The channel DFT's variants "gemm" and "recurrence": parameters and launch of cl/dft_fold.cl. They
 * are one kernel: the first shares a link's phases between its paths, the second has a tile of one
 * path.
 */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>
#include <string.h>

enum { TAPS, HALF, PAIRS, TEAMS, BLOCKS, UNITS, ROTATE, KEEP, CIRCLE, ITEM, PATHS, PARAMETERS };
enum { LEAST_TAPS = 4 }; /* two factors with rounding of their own show in fewer */
enum { TIMES = 8 };      /* time steps of a work-group */
enum { WARP = 32 };      /* work-items that are done together, at least */

static const clr_parameter parameters[PARAMETERS] = {
    [TAPS] = { "TAPS", 4, 64 },    [HALF] = { "HALF", 1, 256 },    [PAIRS] = { "PAIRS", 1, 2 },
    [TEAMS] = { "TEAMS", 1, 64 },  [BLOCKS] = { "BLOCKS", 1, 64 }, [UNITS] = { "UNITS", 1, 64 },
    [ROTATE] = { "ROTATE", 0, 1 }, [KEEP] = { "KEEP", 0, 1 },      [CIRCLE] = { "CIRCLE", 0, 1 },
    [ITEM] = { "ITEM", 0, 1 },     [PATHS] = { "PATHS", 1, 64 },
};

static int shared_delays(const clradio_dft_config *config)
{
    return (config->delay == CLRADIO_DELAY_CONSECUTIVE || config->delays == CLRADIO_PER_LINK) &&
           config->rates != CLRADIO_PER_PATH;
}

static clradio_status uniform_grid(const clradio_dft_config *config, const char *name)
{
    return config->frequencies_hz
               ? clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                          "the channel DFT's variant %s takes a uniform grid, not a list of "
                          "frequencies",
                          name)
               : CLRADIO_OK;
}

static clradio_status gemm_supported(clradio_device *device, const clradio_dft_config *config)
{
    (void)device;
    if (!shared_delays(config))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant gemm needs delays and rates that the paths of "
                        "a link share");
    return uniform_grid(config, "gemm");
}

static clradio_status recurrence_supported(clradio_device *device, const clradio_dft_config *config)
{
    (void)device;
    return uniform_grid(config, "recurrence");
}

/* The pairs of a block: as few blocks as work-items of a warp allow, since a warp takes as long for
 * a few as for all of them, and no more pairs than those blocks need. One of a few numbers, so that
 * plans of many sizes share programs. */
static int64_t half_for(uint32_t values)
{
    static const int64_t halves[] = { 25, 30, WARP };
    const uint64_t blocks = clr_ceil_div(values, 2 * WARP);
    size_t i = 0;
    while (i + 1 < sizeof halves / sizeof *halves && blocks * 2 * (uint64_t)halves[i] < values)
        i++;
    return halves[i];
}

/* How the pairs of a block are given to work-items. A tile with few values has more to do for its
 * cosines than for its sums: short blocks have fewer of them (pairs + middles), and a warp does
 * several blocks at a time. More than a warp only where that shares the cosines of many values. */
static void shape_for(uint32_t m, int one_path, int64_t *values)
{
    values[PAIRS] = 1;
    values[BLOCKS] = 20;
    values[ROTATE] = 0;
    values[CIRCLE] = 0;
    values[KEEP] = 1;
    values[PATHS] = one_path ? 1 : 16;
    if (m <= 2 * WARP || (one_path && m <= 4 * WARP)) {
        values[HALF] = 8;
        values[BLOCKS] = 8;
        values[KEEP] = 0; /* such groups wait for one thing after another: many at a time hide it */
        values[PATHS] = one_path ? 1 : 8;
    } else if (one_path && m <= 10 * WARP) {
        values[HALF] = 16;
    } else {
        values[HALF] = half_for(m);
    }
    values[TEAMS] = values[HALF] <= 16 || one_path ? WARP / values[HALF] : 2;
    values[UNITS] = one_path ? values[BLOCKS] / 2 + 4 : values[HALF] == 8 ? 8 : 10;
}

static int fold_preset(const clradio_device *device, const clradio_dft_config *config, int one_path,
                       int64_t *values)
{
    const uint32_t m = clr_dft_values(config);
    /* one work-item does too much where drivers end long loops */
    const int cpu = clr_device_info(device)->kind == CLRADIO_DEVICE_CPU &&
                    clr_device_loop_rounds(device) == UINT64_MAX;
    shape_for(m, one_path, values);
    values[TAPS] = config->taps > 32 ? 32 : config->taps < 8 ? 8 : (config->taps + 7) / 8 * 8;
    if (config->type == CLRADIO_CF64 && values[TAPS] > 16)
        values[TAPS] = 16; /* registers */
    if (cpu) {
        values[HALF] = m > 32 ? 32 : m > 16 ? 16 : 8;
        values[TEAMS] = 1;
        values[BLOCKS] = 20;
        values[KEEP] = 1;
        values[PATHS] = one_path ? 1 : 16;
    }
    /* an H200's: 4 to 9 % where a path has cosines of its own, nothing where paths share them */
    values[CIRCLE] = one_path && !strncmp(clr_device_info(device)->architecture, "sm_", 3);
    values[ITEM] = cpu;
    /* fewer taps or values than make the cosines worth their making are direct's */
    return !config->frequencies_hz && config->taps >= LEAST_TAPS && m >= 8;
}

static int gemm_preset(const clradio_device *device, const clradio_dft_config *config,
                       int64_t *values)
{
    return fold_preset(device, config, 0, values) && shared_delays(config);
}

static int recurrence_preset(const clradio_device *device, const clradio_dft_config *config,
                             int64_t *values)
{
    return fold_preset(device, config, 1, values);
}

static clradio_status fold_settle(const clradio_device_info *device,
                                  const clradio_dft_config *config, int64_t *values)
{
    const uint64_t group = (uint64_t)(values[HALF] / values[PAIRS] * values[TEAMS]);
    const uint64_t element = clradio_type_bytes(config->type);
    const int64_t rows =
        (values[TEAMS] > 1 || values[ROTATE] || !values[KEEP] ? values[HALF] | 1 : 0) +
        values[BLOCKS] + values[UNITS] + values[PATHS];
    const uint64_t local = (uint64_t)values[TAPS] * (element * (uint64_t)rows + 40) +
                           8 * (uint64_t)values[UNITS] +
                           (values[CIRCLE] ? CLR_DFT_CIRCLE_BYTES : 0);
    if (values[TAPS] % 4)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "TAPS=%" PRId64 " is no multiple of 4",
                        values[TAPS]);
    if (values[HALF] % values[PAIRS])
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "HALF=%" PRId64 " is no multiple of PAIRS=%" PRId64,
                        values[HALF], values[PAIRS]);
    if (values[ITEM])
        return CLRADIO_OK;
    if (values[ROTATE] && !device->fp64)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "ROTATE=1 needs double arithmetic, which %s has not", device->name);
    if (device->max_group_size && group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "HALF=%" PRId64 " TEAMS=%" PRId64 ": %s runs in work-groups of at most "
                        "%" PRIu64,
                        values[HALF], values[TEAMS], device->name, device->max_group_size);
    return clr_dft_check_local(device, local);
}

static size_t fold_macros(const clradio_dft_config *config, const int64_t *values,
                          clr_macro *macros)
{
    (void)config;
    for (size_t p = 0; p < PARAMETERS; p++)
        macros[p] = (clr_macro){ parameters[p].name, values[p] };
    return PARAMETERS;
}

static uint32_t gemm_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    return (uint32_t)values[PATHS];
}

static uint32_t recurrence_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config, (void)values;
    return 1;
}

static int gemm_merges_links(const clradio_dft_config *config)
{
    return clr_dft_links_are_rows(config) && !config->rates;
}

static int recurrence_merges_links(const clradio_dft_config *config)
{
    (void)config;
    return 0;
}

static clradio_status fold_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const int64_t *values = plan->candidate.values;
    const int64_t group = values[ITEM] ? 1 : values[HALF] / values[PAIRS] * values[TEAMS];
    const uint64_t columns = (uint64_t)(2 * values[HALF] * values[BLOCKS]);
    const uint64_t each = clr_device_loop_rounds(plan->device) == UINT64_MAX ? TIMES : 1;
    const uint64_t times = clr_min_u64(clr_ceil_div(call->io->time_steps, each), CLR_DFT_MOST_GRID);
    const clr_launch shape = { .groups = { (size_t)call->tile_count,
                                           (size_t)clr_ceil_div(plan->grid.values, columns),
                                           (size_t)times },
                               .group = { (size_t)group, 1, 1 } };
    const uint64_t most_taps = call->io->layout->counts.most_taps;
    clradio_status status = CLRADIO_OK;
    uint64_t tap = 0;
    do { /* also once for no taps at all: zeros */
        status = clr_dft_launch_times(plan, chain, call, &shape, times * each, tap);
        tap += (uint64_t)values[TAPS];
    } while (!status && tap < most_taps);
    return status;
}

/* Launches of TAPS taps add up in the response, which rounds once more each: of taps alike by half
 * a unit of the last place of all on average. As many as four are within what the others leave. */
static double fold_bound(const clradio_dft_config *config, const int64_t *values)
{
    const uint64_t launches = clr_ceil_div(config->taps, (uint64_t)values[TAPS]);
    const double more = launches > 4 ? (double)(launches - 4) / 9 : 0;
    return clr_dft_factors_bound(config, values) * (1 + more);
}

const clr_dft_variant clr_dft_gemm = {
    .name = "gemm",
    .source = "dft_fold.cl",
    .inner = 2,
    .entry = "dft_fold",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .supported = gemm_supported,
    .preset = gemm_preset,
    .settle = fold_settle,
    .macros = fold_macros,
    .least_taps = LEAST_TAPS,
    .tile_paths = gemm_tile_paths,
    .merges_links = gemm_merges_links,
    .launch = fold_launch,
    .error_bound = fold_bound,
};

const clr_dft_variant clr_dft_recurrence = {
    .name = "recurrence",
    .source = "dft_fold.cl",
    .inner = 2,
    .entry = "dft_fold",
    .parameters = parameters,
    .n_parameters = PATHS, /* a tile is one path */
    .supported = recurrence_supported,
    .preset = recurrence_preset,
    .settle = fold_settle,
    .macros = fold_macros,
    .least_taps = LEAST_TAPS,
    .tile_paths = recurrence_tile_paths,
    .merges_links = recurrence_merges_links,
    .launch = fold_launch,
    .error_bound = fold_bound,
};
