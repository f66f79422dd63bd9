/*
 * The portable variant "tile": its parameters, their constraints and defaults, and its launch. The
 * kernel is cl/xengine_tile.cl.
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { W, WX, WY, BX, BY, DX, DY, T_STAGE, RUN, FLOAT, STRIDED, SPLIT_T, PARAMETERS };

/* Complex sums of a work-item: in registers when STRIDED (128 are already 256 registers), else in
 * fast memory. */
enum { MOST_REGISTER_SUMS = 128, MOST_SUMS = 512 };

static const clr_parameter parameters[PARAMETERS] = {
    [W] = { "W", 1, 2048 },          [WX] = { "Wx", 1, 2048 },
    [WY] = { "Wy", 1, 2048 },        [BX] = { "Bx", 1, 64 },
    [BY] = { "By", 1, 64 },          [DX] = { "Dx", 1, 32 },
    [DY] = { "Dy", 1, 32 },          [T_STAGE] = { "T_STAGE", 1, 64 },
    [RUN] = { "RUN", 0, 1 << 30 },   [FLOAT] = { "FLOAT", 0, 1 },
    [STRIDED] = { "STRIDED", 0, 1 }, [SPLIT_T] = { "SPLIT_T", 0, 4096 },
};

/* A default is one configuration, measured whole (doc/performance.md). */
typedef struct preset_values {
    int bx, by, dx, dy, t_stage, run, is_float, strided;
} preset_values;

static const preset_values cpu_float = { 2, 8, 16, 4, 16, 64, 0, 0 };
static const preset_values cpu_ci8 = { 2, 8, 16, 4, 16, 0, 1, 0 };
static const preset_values cpu_integer = { 2, 8, 16, 4, 16, 0, 0, 0 };
static const preset_values gpu_float = { 8, 8, 4, 4, 16, 0, 0, 1 };
static const preset_values gpu_integer = { 16, 8, 2, 4, 8, 0, 0, 1 };
static const preset_values gpu_ci16 = { 8, 8, 2, 2, 8, 0, 0, 1 }; /* its sums are twice as wide */
static const preset_values portable = { 4, 4, 2, 2, 4, 0, 0, 1 };

static int has_float_option(const clradio_xengine_config *config)
{
    return config->input == CLRADIO_CI8 || config->input == CLRADIO_CI4;
}

static int tile_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                       unsigned number, int64_t *values, char reason[128])
{
    const int cpu = device->kind == CLRADIO_DEVICE_CPU;
    const preset_values *preset = &portable;
    if (number > 1)
        return 0;
    if (number == 0 && !cpu)
        preset = clr_xengine_is_float(config->input) ? &gpu_float
                 : config->input == CLRADIO_CI16     ? &gpu_ci16
                                                     : &gpu_integer;
    else if (number == 0)
        preset = clr_xengine_is_float(config->input) ? &cpu_float
                 : config->input == CLRADIO_CI8      ? &cpu_ci8
                                                     : &cpu_integer;
    snprintf(reason, 128, "%s",
             number ? "portable default"
             : cpu  ? "default measured for processors"
                    : "default measured on an H200, for graphics processors");
    memset(values, 0, PARAMETERS * sizeof *values);
    values[BX] = preset->bx;
    values[BY] = preset->by;
    values[DX] = preset->dx;
    values[DY] = preset->dy;
    values[T_STAGE] = preset->t_stage;
    /* A float sum drifts by systematic rounding long before its 1,024 terms: doc/performance.md. */
    values[RUN] = clr_xengine_is_float(config->input) && !preset->run ? 128 : preset->run;
    values[FLOAT] = preset->is_float;
    values[STRIDED] = preset->strided;
    values[WX] = values[BX] * values[DX];
    values[WY] = values[BY] * values[DY];
    values[W] = values[WX] == values[WY] ? values[WX] : 0;
    return 1;
}

/* One edge: W = B D from whichever of the three are given; `names` are for the sentence. */
static clradio_status settle_edge(int64_t *values, const int *given, int w, int b, int d)
{
    const int w_given = given[w] || given[W];
    const int64_t edge = given[w] ? values[w] : values[W];
    const char *const name = given[w] ? parameters[w].name : "W";
    if (given[w] && given[W] && values[w] != values[W])
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "W=%" PRId64 " and %s=%" PRId64 " contradict",
                        values[W], parameters[w].name, values[w]);
    if (!w_given) {
        values[w] = values[b] * values[d];
        return CLRADIO_OK;
    }
    if (!given[b] && !given[d] && edge % values[d])
        values[d] = 1;
    if (given[d] || !given[b]) {
        if (edge % values[d])
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "%s=%" PRId64 " is not a multiple of %s=%" PRId64, name, edge,
                            parameters[d].name, values[d]);
        if (given[b] && values[b] * values[d] != edge)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "%s=%" PRId64 " is not %s %s = %" PRId64 " x %" PRId64, name, edge,
                            parameters[b].name, parameters[d].name, values[b], values[d]);
        values[b] = edge / values[d];
    } else {
        if (edge % values[b])
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "%s=%" PRId64 " is not a multiple of %s=%" PRId64, name, edge,
                            parameters[b].name, values[b]);
        values[d] = edge / values[b];
    }
    values[w] = edge;
    for (int i = 0; i < 2; i++) {
        const int p = i ? d : b;
        if (values[p] > parameters[p].most)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "%s=%" PRId64 " makes %s=%" PRId64 ", which is out of range: %" PRId64
                            " to %" PRId64,
                            name, edge, parameters[p].name, values[p], parameters[p].least,
                            parameters[p].most);
    }
    return CLRADIO_OK;
}

/* Local memory: T_STAGE spectra of both edges, each part widened to 4 bytes. */
static uint64_t local_bytes(const clradio_xengine_config *config, const int64_t *values)
{
    return (uint64_t)values[T_STAGE] * (uint64_t)(values[WX] + values[WY]) * config->polarisations *
           2 * sizeof(float);
}

static clradio_status check_device(const clradio_device_info *device,
                                   const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t group = (uint64_t)(values[BX] * values[BY]);
    const uint64_t local = local_bytes(config, values);
    if (group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Bx=%" PRId64 " By=%" PRId64 " make %" PRIu64
                        " work-items; a work-group of %s has at most %" PRIu64,
                        values[BX], values[BY], group, device->name, device->max_group_size);
    if (local > device->local_memory_bytes)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Wx=%" PRId64 " Wy=%" PRId64 " T_STAGE=%" PRId64 " need %" PRIu64
                        " bytes of local memory; %s has %" PRIu64,
                        values[WX], values[WY], values[T_STAGE], local, device->name,
                        device->local_memory_bytes);
    return CLRADIO_OK;
}

static clradio_status tile_settle(const clradio_device_info *device,
                                  const clradio_xengine_config *config, int64_t *values,
                                  const int *given)
{
    clradio_status status = settle_edge(values, given, WX, BX, DX);
    if (!status)
        status = settle_edge(values, given, WY, BY, DY);
    if (status)
        return status;
    values[W] = values[WX] == values[WY] ? values[WX] : 0;
    if (values[WX] % values[WY] && values[WY] % values[WX])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Wx=%" PRId64 " (Bx Dx) and Wy=%" PRId64
                        " (By Dy): one must be a multiple of the other",
                        values[WX], values[WY]);
    const int64_t sums = values[DX] * values[DY] * config->polarisations * config->polarisations;
    const int64_t most = values[STRIDED] ? MOST_REGISTER_SUMS : MOST_SUMS;
    if (sums > most)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Dx=%" PRId64 " Dy=%" PRId64 " with %" PRIu32 " polarisations are %" PRId64
                        " sums a work-item; with STRIDED=%" PRId64 " at most %" PRId64,
                        values[DX], values[DY], config->polarisations, sums, values[STRIDED], most);
    if (values[RUN] % values[T_STAGE] && given[RUN])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "RUN=%" PRId64 " is not a multiple of T_STAGE=%" PRId64, values[RUN],
                        values[T_STAGE]);
    if (values[RUN] % values[T_STAGE])
        values[RUN] = (values[RUN] / values[T_STAGE] + 1) * values[T_STAGE];
    if (values[FLOAT] && !has_float_option(config)) {
        if (given[FLOAT])
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "FLOAT=1 is for ci8 and ci4 input, not for %s",
                            clradio_type_name(config->input));
        values[FLOAT] = 0;
    }
    return check_device(device, config, values);
}

static void tile_describe(const int64_t *values, char *text, size_t room)
{
    int shown[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        shown[i] = i == W ? values[W] != 0 : i == WX || i == WY ? values[W] == 0 : 1;
    clr_parameters_write(parameters, PARAMETERS, values, shown, text, room);
}

static const char *tile_unit(const clradio_xengine_config *config, const int64_t *values)
{
    return values[FLOAT] || clr_xengine_is_float(config->input) ? "fp32" : "int32";
}

static size_t tile_macros(const clradio_xengine_config *config, const int64_t *values,
                          clr_macro *macros)
{
    static const int built_in[] = { BX, BY, DX, DY, T_STAGE, RUN, FLOAT, STRIDED };
    size_t n = 0;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        macros[n++] = (clr_macro){ parameters[built_in[i]].name, values[built_in[i]] };
    macros[n++] = (clr_macro){ "NPOL", config->polarisations };
    macros[n++] = (clr_macro){ "INPUT", config->input };
    macros[n++] = (clr_macro){ "TOGETHER", config->layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT };
    return n;
}

/* It reads every layout: staging widens the samples anyway. */
/* Tiles that hold a baseline: row r of tiles has the columns up to its last station. */
static uint64_t tile_groups(const clradio_xengine *plan)
{
    const uint64_t wx = (uint64_t)plan->candidate.values[WX];
    const uint64_t wy = (uint64_t)plan->candidate.values[WY];
    const uint64_t stations = plan->config.stations, rows = clr_ceil_div(stations, wy);
    const uint64_t full = rows - 1, last = clr_ceil_div(stations, wx);
    if (wx >= wy) {
        const uint64_t m = wx / wy, whole = full / m;
        return m * (whole * (whole + 1) / 2) + full % m * (whole + 1) + last;
    }
    return wy / wx * (full * (full + 1) / 2) + last;
}

/*
 * A driver may end the loops of a work-item after so many rounds: a command then sums only so many
 * spectra that the rounds of xengine_tile.cl, none of them unrolled, stay below that. 0: not even
 * T_STAGE of them.
 */
static uint64_t tile_most_spectra(const clradio_xengine *plan)
{
    const int64_t *v = plan->candidate.values;
    const uint64_t rounds = clr_device_loop_rounds(plan->device);
    const uint64_t pols = plan->config.polarisations, stage = (uint64_t)v[T_STAGE];
    const uint64_t rows = (uint64_t)v[DY] * pols, columns = (uint64_t)v[DX] * pols;
    const uint64_t edges = (uint64_t)(v[WX] + v[WY]) * pols, group = (uint64_t)(v[BX] * v[BY]);
    const uint64_t before = 36; /* row_of_tile halves a 33-bit interval */
    if (rounds == UINT64_MAX)
        return UINT64_MAX;
    uint64_t staging, sums;
    if (v[STRIDED]) {
        staging = stage * (clr_ceil_div(edges, group) + 6);
        sums = stage * (2 + rows * (2 + columns));
    } else {
        staging = clr_ceil_div(stage, group) * (edges + 6);
        sums = stage * (2 + rows * (3 + columns * 3));
    }
    const uint64_t kept = 3 * rows * (2 + columns); /* zeroing, and the wide sums, once a run */
    return rounds > before ? (rounds - before) / (staging + sums + kept + 8) * stage : 0;
}

static size_t group_of(const clradio_xengine *plan)
{
    return (size_t)(plan->candidate.values[BX] * plan->candidate.values[BY]);
}

static clradio_status tile_prepare(clradio_xengine *plan)
{
    return clr_xengine_check_shape(plan, group_of(plan));
}

static uint64_t tile_least_slice(const clradio_xengine *plan)
{
    return 4 * (uint64_t)plan->candidate.values[T_STAGE];
}

clradio_status clr_xengine_sum_any_layout(clradio_xengine *plan, clr_chain *chain,
                                          const clr_xengine_work *work, size_t group)
{
    clr_launch launch = { .groups = { (size_t)plan->candidate.variant->groups(plan), work->channels,
                                      work->slices },
                          .group = { group, 1, 1 } };
    clr_launch_span(&launch, work->spectra);
    clr_launch_span(&launch, work->sums);
    clr_launch_u32(&launch, plan->config.stations);
    clr_launch_u64(&launch, work->layout.run);
    clr_launch_u64(&launch, work->layout.run_stride);
    clr_launch_u64(&launch, work->layout.channel_stride);
    clr_launch_u64(&launch, work->layout.input_stride);
    clr_launch_u64(&launch, work->spectra_count);
    clr_launch_u64(&launch, work->slice_length);
    clr_launch_u32(&launch, (uint32_t)work->add);
    clr_launch_u32(&launch, plan->config.ci4_coding);
    return clr_chain_launch(chain, plan->sum_kernel, &launch);
}

static clradio_status tile_sum(clradio_xengine *plan, clr_chain *chain,
                               const clr_xengine_work *work)
{
    return clr_xengine_sum_any_layout(plan, chain, work, group_of(plan));
}

const clr_xengine_variant clr_xengine_tile = {
    .name = "tile",
    .source = "xengine_tile.cl",
    .entry = "xengine_tile",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .split_parameter = SPLIT_T,
    .preset = tile_preset,
    .settle = tile_settle,
    .describe = tile_describe,
    .unit = tile_unit,
    .macros = tile_macros,
    .layout = clr_xengine_layout_own,
    .prepare = tile_prepare,
    .groups = tile_groups,
    .least_slice = tile_least_slice,
    .most_spectra = tile_most_spectra,
    .sum = tile_sum,
};
