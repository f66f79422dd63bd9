/*
 * The variant "wgmma": Hopper's matrix units (compute capability 9.0) for ci8 and ci4, exact, and
 * for cf16. The kernel is cl/xengine_wgmma.cl; EMULATED=1 is the same in plain C, for tests.
 */
#include "engine/xengine_wgmma.h"
#include "base/checked.h"
#include "engine/xengine_internal.h"
#include "engine/xengine_mma.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RUNS = 256 };

_Static_assert((int)PARAMETERS <= (int)CLR_MOST_PARAMETERS,
               "a variant has no more parameters than that");

static const clr_parameter parameters[PARAMETERS] = {
    { "WARPGROUPS", 1, 4 }, { "COLUMNS", 64, 128 }, { "PRODUCT", 64, 128 }, { "T_STAGE", 16, 128 },
    { "STAGES", 3, 8 },     { "RESIDENT", 1, 4 },   { "COPIERS", 0, 4 },    { "RUN", 0, 65536 },
    { "SKIP", 0, 1 },       { "EXTRA", 0, 32 },     { "LAST", 0, 64 },      { "OWN_LOCAL", 0, 1 },
    { "EMULATED", 0, 1 },   { "READ", 0, 2 },       { "SHIFTED", 0, 1 },    { "SPLIT_T", 0, 4096 },
};

/* Measured on an H200 (doc/performance.md): columns that are rewritten, and blocks of ci8, where
 * all warps copy and where a warpgroup does nothing else; and devices that emulate the products as
 * little as there is. */
static const int rewritten[PARAMETERS] = { 2, 128, 128, 64, 5, 1, 0, 0, 1, [LAST] = 6 };
static const int rewritten_apart[PARAMETERS] = { 2, 128, 128, 64, 5, 1, 4, 0, 1, [LAST] = 6 };
static const int blocks[PARAMETERS] = { 2, 128, 128, 64, 6, 1, 0, 0, 1, [LAST] = 6 };
static const int blocks_apart[PARAMETERS] = { 2, 128, 128, 128, 3, 1, 4, 0, 1, [LAST] = 6 };
/* cf16 has a work-item's own sums beside those of the hardware, in local memory. */
static const int halves[PARAMETERS] = { 2, 128, 128, 16, 6, 1, 4, HALF_RUN, 1, [OWN_LOCAL] = 1 };
static const int halves_read[PARAMETERS] = {
    2, 128, 128, 16, 4, 1, 4, HALF_RUN, 1, [OWN_LOCAL] = 1, [READ] = 1
};
static const int halves_gram[PARAMETERS] = { 2, 128,      128, 32,          8,         1,
                                             4, HALF_RUN, 1,   [LAST] = 16, [READ] = 2 };
static const int emulated[PARAMETERS] = { 1, 64, 64, 64, 3, 1 };
static const int emulated_halves[PARAMETERS] = { 1, 64, 64, 32, 3, 1, 0, HALF_RUN };
enum { FEW_INPUTS = 64, FEW_HALVES = 256, TILE = 128, BEYOND_APART = 16, BEYOND = 32 };

static const int *preset_of_integers(const clradio_device_info *device,
                                     const clradio_xengine_config *config, int64_t *values)
{
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const int is_rewritten = values[SHIFTED] || config->input == CLRADIO_CI4 ||
                             clr_xengine_mma_layout(config) == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
    if (!strcmp(device->back_end, "cuda"))
        return is_rewritten ? rewritten : blocks_apart;
    /* OpenCL: apart is faster but for blocks of one tile a channel; where columns beyond a tile's
     * go with it, only blocks and what is shifted were measured, of ci4 up to 16 */
    if (!is_rewritten)
        return inputs > TILE ? blocks_apart : blocks;
    values[COLUMNS] = TILE;
    const uint64_t beyond = clr_wgmma_inputs_beyond(config, values),
                   apart = config->input == CLRADIO_CI8 && !values[SHIFTED] ? 0 : BEYOND_APART;
    return beyond > apart && beyond <= BEYOND ? rewritten : rewritten_apart;
}

/* Of halves [time][channel][input] has its own products where it can be read as it lies. */
static const int *preset_of_halves(const clradio_xengine_config *config, int64_t *values)
{
    values[READ] = 2;
    clr_wgmma_take_shift(config, values);
    return values[SHIFTED] || clr_xengine_mma_layout(config) == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT
               ? halves_gram
               : halves;
}

static int wgmma_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                        unsigned number, int64_t *values, char reason[128])
{
    const int named = config->variant && strcmp(config->variant, "wgmma") == 0;
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const int *preset;
    values[READ] = 0;
    clr_wgmma_take_shift(config, values);
    if (!clr_xengine_has_wgmma(device))
        preset = clr_wgmma_is_half(config) ? emulated_halves : emulated;
    else if (clr_wgmma_is_half(config))
        preset = preset_of_halves(config, values);
    else
        preset = preset_of_integers(device, config, values);
    const int64_t is_shifted = values[SHIFTED];
    const int many = clr_xengine_has_wgmma(device) &&
                     inputs > (clr_wgmma_is_half(config) ? FEW_HALVES : FEW_INPUTS);
    if (number || !(named || many))
        return 0;
    for (int i = 0; i < PARAMETERS; i++)
        values[i] = preset[i];
    values[SHIFTED] = is_shifted;
    clr_wgmma_take_extra(config, values);
    if (values[EXTRA] && clr_xengine_has_wgmma(device))
        clr_wgmma_make_room(config, values);
    /* measured for ci8 and up to 16 columns: what fills no tile ends a launch */
    if (preset == blocks_apart && values[EXTRA] == BEYOND_APART)
        values[LAST] = 0;
    snprintf(reason, 128, "%s",
             many ? "default measured on an H200, for its matrix units" : "named");
    return 1;
}

static uint64_t work_items(const int64_t *values)
{
    return (uint64_t)values[WARPGROUPS] * WARPGROUP + (uint64_t)values[COPIERS] * WARP;
}

/* Each way of reading halves has a shape, where no other is given. */
static void take_reading(int64_t *values, const int *given)
{
    const int *const shape = values[READ] == 2   ? halves_gram
                             : values[READ] == 1 ? halves_read
                                                 : halves;
    if (!given[READ] || values[EMULATED] || given[WARPGROUPS] || given[COLUMNS])
        return;
    for (int i = 0; i < EMULATED; i++)
        if (!given[i])
            values[i] = shape[i];
}

static clradio_status wgmma_settle(const clradio_device_info *device,
                                   const clradio_xengine_config *config, int64_t *values,
                                   const int *given)
{
    clradio_status status = clr_xengine_check_wgmma(device, "wgmma", (int)values[EMULATED]);
    if (status)
        return status;
    if (clr_wgmma_is_half(config))
        take_reading(values, given);
    /* they are of the default's shape */
    if (given[WARPGROUPS] || given[COLUMNS]) {
        values[OWN_LOCAL] = given[OWN_LOCAL] ? values[OWN_LOCAL] : 0;
        values[READ] = given[READ] ? values[READ] : 0;
    }
    if (!given[SHIFTED])
        clr_wgmma_take_shift(config, values);
    if (!given[EXTRA] &&
        (given[WARPGROUPS] || given[COLUMNS] || given[SKIP] || given[READ] || given[SHIFTED]))
        clr_wgmma_take_extra(config, values);
    if (given[SHIFTED] && !given[T_STAGE] && !given[STAGES] && !values[EMULATED])
        clr_wgmma_make_room(config, values); /* the default is that of blocks */
    if (!given[EXTRA] && values[EXTRA] && clr_wgmma_check_local(device, config, values))
        values[EXTRA] = 0;
    if (!given[COPIERS] && clr_wgmma_is_gram(values) && !values[EMULATED])
        values[COPIERS] = halves_gram[COPIERS];
    else if (!given[COPIERS] && (values[EMULATED] || given[WARPGROUPS] || given[COLUMNS] ||
                                 given[T_STAGE] || given[STAGES]))
        values[COPIERS] = 0;
    /* as many work-groups of another shape as fit, where their number was not given */
    while (!given[RESIDENT] && values[RESIDENT] > 1 &&
           (clr_wgmma_check_shape(config, values) || clr_wgmma_check_local(device, config, values)))
        values[RESIDENT]--;
    status = clr_wgmma_check_shape(config, values);
    if (!status)
        status = clr_xengine_check_warpgroups(device, values[WARPGROUPS], work_items(values));
    return status ? status : clr_wgmma_check_local(device, config, values);
}

static void wgmma_describe(const int64_t *values, char *text, size_t room)
{
    int shown[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        shown[i] = i <= RESIDENT || i == SPLIT_T || values[i];
    clr_parameters_write(parameters, PARAMETERS, values, shown, text, room);
}

static size_t wgmma_macros(const clradio_xengine_config *config, const int64_t *values,
                           clr_macro *macros)
{
    size_t n = 0;
    for (int i = 0; i <= EMULATED; i++)
        if (i <= RESIDENT || i == EMULATED ||
            (i == RUN ? clr_wgmma_is_half(config) : values[i] != 0))
            macros[n++] = (clr_macro){ parameters[i].name, values[i] };
    if (clr_wgmma_is_shifted(config, values))
        macros[n++] = (clr_macro){ "SHIFTED", 1 };
    if (clr_wgmma_is_gram(values))
        macros[n++] = (clr_macro){ "GRAM", 1 };
    macros[n++] = (clr_macro){ "ARCHITECTURE_SPECIFIC", !values[EMULATED] };
    macros[n++] = (clr_macro){ "NPOL", config->polarisations };
    macros[n++] = (clr_macro){ "INPUT", config->input };
    macros[n++] = (clr_macro){ "OUTPUT", config->output };
    macros[n++] = (clr_macro){ "LAYOUT", clr_wgmma_layout(config, values) };
    return n;
}

static void wgmma_layout(const clradio_xengine_config *config, const int64_t *values,
                         clradio_layout *layout, uint32_t *block_times)
{
    *layout = clr_wgmma_layout(config, values);
    *block_times = clr_xengine_mma_block_times(config, *layout);
}

/* The peak that clradio bench measures is that of mma.sync, which wgmma may pass. */
static const char *wgmma_unit(const clradio_xengine_config *config, const int64_t *values)
{
    if (clr_wgmma_is_half(config))
        return values[EMULATED] ? "fp32" : "mma-fp16";
    return values[EMULATED] ? "int32" : "mma-int8";
}

/* With EXTRA, inputs that fill no tile: their columns are beyond those of the tiles on the
 * diagonal, and one more tile has their rows. */
static uint64_t inputs_in_front(const clradio_xengine *plan)
{
    const uint64_t more = clr_wgmma_inputs_beyond(&plan->config, plan->candidate.values);
    return more <= (uint64_t)plan->candidate.values[EXTRA] ? more : 0;
}

static uint64_t wgmma_groups(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    const uint64_t inputs = clr_wgmma_tiled(&plan->config, values);
    if (inputs_in_front(plan)) {
        const uint64_t rows = inputs / (uint64_t)values[COLUMNS];
        return rows * (rows + 1) / 2 + 1;
    }
    return clr_xengine_mma_tiles(inputs, clr_wgmma_rows(values), (uint64_t)values[COLUMNS]);
}

static clradio_status wgmma_prepare(clradio_xengine *plan)
{
    return clr_xengine_check_shape(plan, (size_t)work_items(plan->candidate.values));
}

static uint64_t wgmma_least_slice(const clradio_xengine *plan)
{
    return 16 * (uint64_t)plan->candidate.values[T_STAGE];
}

static uint64_t wgmma_most_spectra(const clradio_xengine *plan)
{
    return clr_wgmma_is_half(&plan->config) ? MOST_RUNS * (uint64_t)plan->candidate.values[RUN]
                                            : CLR_XENGINE_MMA_MOST_SPECTRA;
}

/* More than a stage, and sums of halves that move on. */
static uint64_t wgmma_test_spectra(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    return (uint64_t)(clr_wgmma_is_half(&plan->config) ? values[RUN] : 0) +
           3 * (uint64_t)values[T_STAGE] + 5;
}

static uint32_t unit_inputs(const clradio_xengine *plan)
{
    return UNIT_BYTES / (uint32_t)clradio_type_bytes(plan->config.input);
}

/* SHIFTED: spectra of an odd number of stations begin at every place that there is, so many
 * channels are whole units. */
static uint32_t wgmma_test_channels(const clradio_xengine *plan)
{
    return clr_wgmma_is_shifted(&plan->config, plan->candidate.values)
               ? unit_inputs(plan) / plan->config.polarisations
               : 0;
}

static uint32_t wgmma_test_stations(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    const uint64_t rows = clr_wgmma_rows(values);
    const uint32_t pols = plan->config.polarisations;
    /* some channels' are within one tile, others' are not; where that cannot be, all are not */
    if (clr_wgmma_is_shifted(&plan->config, values))
        return (uint32_t)clr_max_u64(rows, (uint64_t)values[COLUMNS]) / pols +
               (unit_inputs(plan) > 2 * pols ? -1u : 1);
    if (values[EXTRA]) /* all are beyond a tile; in blocks there may be any number */
        return (uint32_t)((values[COLUMNS] + values[EXTRA]) / plan->config.polarisations) -
               (clr_xengine_mma_layout(&plan->config) == CLRADIO_LAYOUT_BLOCKED);
    return clr_xengine_mma_test_stations(plan, rows, (uint64_t)values[COLUMNS]);
}

static size_t wgmma_large_local(const clradio_xengine *plan)
{
    return (size_t)clr_wgmma_local_bytes(&plan->config, plan->candidate.values);
}

static clradio_status wgmma_sum(clradio_xengine *plan, clr_chain *chain,
                                const clr_xengine_work *work)
{
    return clr_xengine_mma_launch(plan, chain, work, (size_t)work_items(plan->candidate.values));
}

const clr_xengine_variant clr_xengine_wgmma = {
    .name = "wgmma",
    .source = "xengine_wgmma.cl",
    .entry = "xengine_wgmma",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .split_parameter = SPLIT_T,
    .unit_groups = 1, /* slices cost wide sums and a second kernel */
    .writes_visibilities = 1,
    .large_local_bytes = wgmma_large_local,
    .takes = { CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CF16 },
    .preset = wgmma_preset,
    .settle = wgmma_settle,
    .describe = wgmma_describe,
    .unit = wgmma_unit,
    .macros = wgmma_macros,
    .layout = wgmma_layout,
    .prepare = wgmma_prepare,
    .groups = wgmma_groups,
    .least_slice = wgmma_least_slice,
    .most_spectra = wgmma_most_spectra,
    .test_spectra = wgmma_test_spectra,
    .test_stations = wgmma_test_stations,
    .test_channels = wgmma_test_channels,
    .sum = wgmma_sum,
};
