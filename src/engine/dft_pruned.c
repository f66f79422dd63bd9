/* The channel DFT's variant "pruned": parameters and launch. The kernel is cl/dft_pruned.cl. */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TAPS, POINTS, LANES, ROWS, STAGED, KEEP, STREAM, RESIDENT, FIXED, LOOPS, PARAMETERS };
enum { LEAST_TAPS = 4, LEAST_COLUMNS = 4 };

static const clr_parameter parameters[PARAMETERS] = {
    [TAPS] = { "TAPS", 8, 128 },   [POINTS] = { "POINTS", 8, 16 },
    [LANES] = { "LANES", 1, 256 }, [ROWS] = { "ROWS", 1, 256 },
    [STAGED] = { "STAGED", 0, 1 }, [KEEP] = { "KEEP", 0, 1 },
    [STREAM] = { "STREAM", 0, 1 }, [RESIDENT] = { "RESIDENT", 0, 16 },
    [FIXED] = { "FIXED", 0, 1 },   [LOOPS] = { "LOOPS", 1, 64 },
};

/* The points of a transform that a work-item does. In double every sum is there twice: eight leave
 * registers for more work-items. */
static const uint32_t points_single[] = { 16, 12, 10, 8 }, points_double[] = { 8, 12, 10, 16 };
enum { POINTS_CHOICES = sizeof points_single / sizeof *points_single };

/* N of the transform that the grid is part of; 0 when there is none. spacing x period may miss 1 /
 * N by what two roundings to double do, no more: cl/dft_pruned.cl counts on that. */
static uint32_t transform_of(const clradio_dft_config *config)
{
    const double product = config->spacing_hz * config->sample_period_s, whole = rint(1 / product);
    if (!(whole >= 1 && whole <= CLR_DFT_MOST_SUBCARRIERS * 16.0))
        return 0;
    const double rounded = fma(config->spacing_hz, config->sample_period_s, -product);
    const double missing = fma(whole, product, -1) + whole * rounded;
    return fabs(missing) <= 0x1p-51 && config->subcarriers <= whole ? (uint32_t)whole : 0;
}

/* The first of the choices that divides N into columns enough; 0 when there is none. */
static uint32_t points_of(const clradio_dft_config *config)
{
    const uint32_t n = transform_of(config);
    const uint32_t *choices = config->type == CLRADIO_CF64 ? points_double : points_single;
    for (size_t i = 0; i < POINTS_CHOICES; i++)
        if (n % choices[i] == 0 && n / choices[i] >= LEAST_COLUMNS)
            return choices[i];
    return 0;
}

static clradio_status pruned_supported(clradio_device *device, const clradio_dft_config *config)
{
    (void)device;
    const int shared =
        config->delay == CLRADIO_DELAY_CONSECUTIVE ||
        (config->delay == CLRADIO_DELAY_SAMPLES && config->delays == CLRADIO_PER_LINK);
    if (!shared || config->frequencies_hz || config->average > 1 || config->rates)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant pruned takes delays in samples that the paths "
                        "of a link share, without Doppler, and a uniform grid without means");
    if (!points_of(config))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant pruned needs 1 / (spacing_hz x "
                        "sample_period_s) = %.17g to be a multiple of 16, 12, 10 or 8, four times "
                        "that or more, and no less than the subcarriers",
                        1 / (config->spacing_hz * config->sample_period_s));
    return CLRADIO_OK;
}

/* Whether a column's factors can lie in registers: of a sample each, and of those POINTS further.
 */
static int can_keep(const clradio_dft_config *config, const int64_t *values)
{
    return config->type == CLRADIO_CF32 && config->delay == CLRADIO_DELAY_CONSECUTIVE &&
           values[TAPS] <= 2 * values[POINTS];
}

static uint64_t local_bytes(const clradio_dft_config *config, const int64_t *values)
{
    const uint64_t element = clradio_type_bytes(config->type);
    const uint64_t taps = (uint64_t)values[TAPS], rows = (uint64_t)values[ROWS];
    const uint64_t group = (uint64_t)(values[LANES] * values[ROWS]);
    const uint64_t points = (uint64_t)values[POINTS];
    const uint64_t factors = !values[KEEP] || !can_keep(config, values) ? taps
                             : taps > points                            ? points + 1
                                                                        : points;
    uint64_t bytes =
        element * (factors * (uint64_t)values[LANES] + 2 * rows * (taps + 2)) + 8 * rows;
    if (values[STAGED])
        bytes +=
            element * (group + (values[FIXED] ? rows * clr_dft_values(config) : group * points)) +
            15;
    if (config->type == CLRADIO_CF64)
        bytes += 8 * taps;
    if (config->delay == CLRADIO_DELAY_SAMPLES)
        bytes += 4 * (2 * taps + (uint64_t)values[POINTS] + 2);
    return bytes;
}

/* Smaller work-groups, or narrower ones, where local memory is less. */
static void fit_local_memory(const clradio_device_info *device, const clradio_dft_config *config,
                             int64_t *values)
{
    while (device->local_memory_bytes && local_bytes(config, values) > device->local_memory_bytes) {
        if (values[STAGED] && values[ROWS] > 1) {
            values[ROWS] /= 2;
        } else if (!values[STAGED] && values[LANES] > 8) {
            values[LANES] = (values[LANES] + 1) / 2;
            values[ROWS] *= 2;
        } else {
            return;
        }
    }
}

/* How the columns of a grid, and paths beside them, are given to work-groups of `group`. */
static void shape_for(int64_t columns, int64_t group, int64_t most_lanes, int64_t *values)
{
    values[STAGED] = columns < 32 && columns <= group;
    values[LANES] = columns;
    if (!values[STAGED]) {
        const uint64_t groups =
            clr_ceil_div((uint64_t)columns, (uint64_t)(most_lanes < group ? most_lanes : group));
        values[LANES] = groups ? (int64_t)clr_ceil_div((uint64_t)columns, groups) : 1;
    }
    if (values[LANES] < 1)
        values[LANES] = 1;
    values[ROWS] = (values[STAGED] && group > 128 ? 128 : group) / values[LANES];
    if (values[ROWS] < 1)
        values[ROWS] = 1;
    values[LOOPS] = values[STAGED] ? 1 : 8;
}

/* What an H200 was faster with: a program for each grid (4 %); groups that write whole rows (1200
 * subcarriers 3.7 TB/s, halves of them 3.2) of 16 paths, past the cache; through CUDA, whose
 * compiler then leaves room for three groups, factors in registers. */
static void nvidia_preset(const clradio_device_info *device, const clradio_dft_config *config,
                          int64_t *values)
{
    const int is_cuda = !strcmp(device->back_end, "cuda");
    values[FIXED] = 1;
    values[KEEP] = is_cuda && !values[STAGED] && can_keep(config, values);
    /* values of a path that lie apart wait in the cache for their neighbours */
    values[STREAM] = !values[STAGED] && config->order == CLRADIO_DFT_PATH_SUBCARRIER;
    values[RESIDENT] = values[KEEP] && values[LANES] * values[ROWS] > 128 ? 3 : 0;
    values[LOOPS] = values[STAGED] ? 2 : values[ROWS] < 16 ? 16 / values[ROWS] : 1;
    if (values[KEEP] && values[ROWS] == 2)
        values[LOOPS] = 6; /* 1200 subcarriers: twice 2 % faster */
}

static int pruned_preset(const clradio_device *device, const clradio_dft_config *config,
                         int64_t *values)
{
    const uint32_t points = points_of(config) ? points_of(config) : points_single[0];
    const clradio_device_info *info = clr_device_info(device);
    const int single = config->type == CLRADIO_CF32;
    const int nvidia = single && !strncmp(info->architecture, "sm_", 3);
    const int64_t group =
        info->max_group_size >= 256 || !info->max_group_size ? (single ? 256 : 128) : 64;
    values[TAPS] = config->taps > 64 ? 64 : config->taps < 8 ? 8 : (config->taps + 7) / 8 * 8;
    values[POINTS] = points;
    values[KEEP] = values[STREAM] = values[RESIDENT] = values[FIXED] = 0;
    shape_for(transform_of(config) / points, group, nvidia ? 256 : 64, values);
    if (nvidia)
        nvidia_preset(info, config, values);
    fit_local_memory(info, config, values);
    return info->kind != CLRADIO_DEVICE_CPU && !pruned_supported(NULL, config) &&
           config->taps >= LEAST_TAPS && config->taps <= 64;
}

static int are_points(int64_t points)
{
    for (size_t i = 0; i < POINTS_CHOICES; i++)
        if (points_single[i] == points)
            return 1;
    return 0;
}

static clradio_status pruned_settle(const clradio_device_info *device,
                                    const clradio_dft_config *config, int64_t *values)
{
    const uint64_t group = (uint64_t)(values[LANES] * values[ROWS]);
    const uint32_t n = transform_of(config);
    const uint64_t local = local_bytes(config, values);
    if (values[TAPS] % 8)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "TAPS=%" PRId64 " is no multiple of 8",
                        values[TAPS]);
    if (!are_points(values[POINTS]) || n % values[POINTS])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "POINTS=%" PRId64 " is none of 16, 12, 10 and 8 that divides %u",
                        values[POINTS], n);
    if (values[STREAM] && (config->type != CLRADIO_CF32 || strncmp(device->architecture, "sm_", 3)))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "STREAM=1 is for cf32 on NVIDIA's devices");
    const uint64_t columns = n / (uint64_t)values[POINTS];
    if (values[STAGED] && (uint64_t)values[LANES] != columns)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "STAGED=1 needs LANES=%" PRIu64 ", the columns of this grid", columns);
    if (device->max_group_size && group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "LANES=%" PRId64 " ROWS=%" PRId64 ": %s runs in work-groups of at most "
                        "%" PRIu64,
                        values[LANES], values[ROWS], device->name, device->max_group_size);
    return clr_dft_check_local(device, local);
}

static size_t pruned_macros(const clradio_dft_config *config, const int64_t *values,
                            clr_macro *macros)
{
    size_t n = 0;
    for (; n < LOOPS; n++)
        macros[n] = (clr_macro){ parameters[n].name, values[n] };
    /* with other POINTS or TAPS than the preset's, say, that it was made for */
    macros[KEEP].value = values[KEEP] && can_keep(config, values);
    if (values[FIXED]) {
        macros[n++] = (clr_macro){ "COLUMNS", transform_of(config) / values[POINTS] };
        macros[n++] = (clr_macro){ "VALUES", clr_dft_values(config) };
        macros[n++] = (clr_macro){ "TRANSPOSED", config->order != CLRADIO_DFT_PATH_SUBCARRIER };
    }
    return n;
}

static uint32_t pruned_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    return (uint32_t)(values[ROWS] * values[LOOPS]);
}

static uint64_t pruned_most_taps(const int64_t *values)
{
    return (uint64_t)values[TAPS];
}

static clradio_status pruned_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const int64_t *values = plan->candidate.values;
    clr_dft_call with_columns = *call;
    with_columns.columns = transform_of(&plan->config) / (uint32_t)values[POINTS];
    /* columns beyond the subcarriers have nothing to write */
    const uint64_t columns = clr_min_u64(with_columns.columns, plan->grid.values);
    return clr_dft_launch_rows(plan, chain, &with_columns, columns, (uint64_t)values[LANES],
                               (uint64_t)(values[LANES] * values[ROWS]));
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
    .merges_links = clr_dft_links_are_rows,
    .launch = pruned_launch,
    .error_bound = clr_dft_factors_bound,
};
