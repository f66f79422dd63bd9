/*
 * The variant "wgmma": Hopper's matrix units (compute capability 9.0) for ci8 and ci4, exact, and
 * for cf16. The kernel is cl/xengine_wgmma.cl; EMULATED=1 is the same in plain C, for tests.
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"
#include "engine/xengine_mma.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WARPGROUPS, COLUMNS, PRODUCT, T_STAGE, STAGES, RESIDENT };
enum {
    COPIERS = RESIDENT + 1,
    RUN,
    SKIP,
    EXTRA,
    LAST,
    OWN_LOCAL,
    EMULATED,
    READ,
    SPLIT_T,
    PARAMETERS
};

enum {
    WARP = 32,
    WARPGROUP = 128,
    WARPGROUP_ROWS = 64,
    PRODUCT_STEP = 64,
    OPERAND_SPECTRA = 64,
    HALF_SPECTRA = 16, /* of cf16, multiplied at a time */
    LEAST_OF_ONE = 4,  /* stages that are multiplied at once */
    HALF_RUN = 256, /* of cf16 in one sum of the hardware, which cuts off: 1,024 miss the bound */
    MOST_RUNS = 256,
    FACTOR_BYTES = 2, /* of a sample in an operand that is rewritten */
    OPERANDS = 3,
    ALIGNMENT = 256,
    EXTRA_STEP = 16,
    MOST_COPIERS = 4, /* a warpgroup */
    COPIER_REGISTERS = 40,
    ROW_GAP = 64,
    REGISTER_FILE = 65536,
    MOST_REGISTERS = 255,
    OTHER_REGISTERS = 64, /* of a work-item, besides two sums for every column */
    MOST_LOCAL_BYTES = 227 * 1024
};

static const clr_parameter parameters[PARAMETERS] = {
    { "WARPGROUPS", 1, 4 }, { "COLUMNS", 64, 128 }, { "PRODUCT", 64, 128 }, { "T_STAGE", 16, 128 },
    { "STAGES", 3, 8 },     { "RESIDENT", 1, 4 },   { "COPIERS", 0, 4 },    { "RUN", 0, 65536 },
    { "SKIP", 0, 1 },       { "EXTRA", 0, 32 },     { "LAST", 0, 64 },      { "OWN_LOCAL", 0, 1 },
    { "EMULATED", 0, 1 },   { "READ", 0, 1 },       { "SPLIT_T", 0, 4096 },
};

/* Measured on an H200 (doc/performance.md): columns that are rewritten; blocks of ci8 through CUDA,
 * where a warpgroup that only copies is faster, and through OpenCL; and devices that emulate the
 * products as little as there is. */
static const int rewritten[PARAMETERS] = { 2, 128, 128, 64, 5, 1, 0, 0, 1 };
static const int blocks_apart[PARAMETERS] = { 2, 128, 128, 128, 3, 1, 4, 0, 1 };
static const int blocks[PARAMETERS] = { 2, 128, 128, 64, 6, 1, 0, 0, 1 };
/* cf16 has a work-item's own sums beside those of the hardware. */
static const int halves[PARAMETERS] = { 2, 64, 64, 64, 4, 1, 0, HALF_RUN, 1 };
static const int emulated[PARAMETERS] = { 1, 64, 64, 64, 3, 1 };
static const int emulated_halves[PARAMETERS] = { 1, 64, 64, 32, 3, 1, 0, HALF_RUN };
enum { FEW_INPUTS = 64, FEW_HALVES = 256 };

static int is_half(const clradio_xengine_config *config)
{
    return config->input == CLRADIO_CF16;
}

/* cf16 in blocks unless READ says so: a transposing load tears its parts apart. */
static clradio_layout layout_of(const clradio_xengine_config *config, const int64_t *values)
{
    return is_half(config) && !values[READ] ? CLRADIO_LAYOUT_BLOCKED
                                            : clr_xengine_mma_layout(config);
}

/* Whether the columns are rewritten: blocks of ci8 and cf16 lie as the products want them. */
static int is_rewritten(const clradio_xengine_config *config, const int64_t *values)
{
    return config->input == CLRADIO_CI4 || layout_of(config, values) != CLRADIO_LAYOUT_BLOCKED;
}

static int has_instructions(const clradio_device_info *device)
{
    return !strcmp(device->architecture, "sm_90");
}

static uint64_t local_bytes(const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t spectra = (uint64_t)values[T_STAGE], columns = (uint64_t)values[COLUMNS];
    const uint64_t extra = (uint64_t)values[EXTRA];
    const uint64_t rows = (uint64_t)values[WARPGROUPS] * WARPGROUP_ROWS;
    /* in an edge that is an operand they lie in front of its own, in one that is not behind both */
    const uint64_t inputs = rows + columns + (is_rewritten(config, values) ? extra : 2 * extra);
    const uint64_t stages = (uint64_t)values[STAGES] * inputs * clradio_type_bytes(config->input);
    const uint64_t number = OPERANDS + (spectra == HALF_SPECTRA), parts = is_half(config) ? 2 : 1;
    const uint64_t operands =
        is_rewritten(config, values) ? number * (columns + extra) * parts * FACTOR_BYTES : 0;
    const uint64_t own = values[OWN_LOCAL] ? rows * columns * 2 * sizeof(float) : 0;
    /* sums on their way out take the place of all that */
    const uint64_t passed = rows * ((columns + extra) * 2 * sizeof(int32_t) + ROW_GAP) +
                            (columns + extra) * 5 * sizeof(int32_t);
    return clr_max_u64((stages + operands) * spectra + own, passed) + ALIGNMENT;
}

/* Columns beyond a tile's, for inputs that fill none. */
static int takes_extra(const clradio_xengine_config *config, const int64_t *values)
{
    return values[SKIP] && values[COLUMNS] == values[WARPGROUPS] * WARPGROUP_ROWS &&
           (config->input == CLRADIO_CI8 ||
            (config->input == CLRADIO_CI4 && layout_of(config, values) == CLRADIO_LAYOUT_BLOCKED));
}

/* Inputs that fill no tile, where there is a full one. */
static uint64_t inputs_beyond(const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    return inputs > (uint64_t)values[COLUMNS] ? inputs % (uint64_t)values[COLUMNS] : 0;
}

static int64_t extra_for(const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t more = inputs_beyond(config, values);
    return more && more <= EXTRA_STEP && takes_extra(config, values) ? EXTRA_STEP : 0;
}

static int wgmma_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                        unsigned number, int64_t *values, char reason[128])
{
    const int named = config->variant && strcmp(config->variant, "wgmma") == 0;
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const int is_cuda = !strcmp(device->back_end, "cuda");
    const int *const preset = !has_instructions(device)
                                  ? (is_half(config) ? emulated_halves : emulated)
                              : is_half(config)              ? halves
                              : is_rewritten(config, values) ? rewritten
                              : is_cuda                      ? blocks_apart
                                                             : blocks;
    const int many =
        has_instructions(device) && inputs > (is_half(config) ? FEW_HALVES : FEW_INPUTS);
    if (number || !(named || many))
        return 0;
    for (int i = 0; i < PARAMETERS; i++)
        values[i] = preset[i];
    values[EXTRA] = extra_for(config, values);
    snprintf(reason, 128, "%s",
             many ? "default measured on an H200, for its matrix units" : "named");
    return 1;
}

static int hands_over(const int64_t *values)
{
    return values[COPIERS] == MOST_COPIERS && values[WARPGROUPS] > 1;
}

/* Of a work-item. Warps that only copy have those of a whole warpgroup, which leaves them to the
 * others where it is one (cl/xengine_wgmma_product.cl). */
static int64_t registers_of(const int64_t *values)
{
    const int64_t all = REGISTER_FILE / WARPGROUP / values[RESIDENT];
    if (hands_over(values))
        return (all - COPIER_REGISTERS) / values[WARPGROUPS] / 8 * 8;
    return all / (values[WARPGROUPS] + (values[COPIERS] != 0));
}

static clradio_status check_shape(const clradio_xengine_config *config, const int64_t *values)
{
    const int64_t step = is_half(config) ? HALF_SPECTRA : OPERAND_SPECTRA;
    const int64_t room = registers_of(values), most = room < MOST_REGISTERS ? room : MOST_REGISTERS;
    const int64_t needed = values[COLUMNS] * (is_half(config) && !values[OWN_LOCAL] ? 2 : 1) +
                           values[EXTRA] + OTHER_REGISTERS;
    if (values[PRODUCT] % PRODUCT_STEP || values[COLUMNS] % values[PRODUCT])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "PRODUCT=%" PRId64 " COLUMNS=%" PRId64
                        ": PRODUCT must be 64 or 128 and divide COLUMNS",
                        values[PRODUCT], values[COLUMNS]);
    if (values[T_STAGE] % step)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "T_STAGE=%" PRId64 " is not a multiple of %" PRId64,
                        values[T_STAGE], step);
    if (values[T_STAGE] == HALF_SPECTRA && values[STAGES] < LEAST_OF_ONE)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "T_STAGE=%d needs STAGES=%d or more", HALF_SPECTRA,
                        LEAST_OF_ONE);
    const int64_t whole = values[T_STAGE] == HALF_SPECTRA ? 2 * HALF_SPECTRA : values[T_STAGE];
    if (is_half(config) ? !values[RUN] || values[RUN] % whole : values[RUN] != 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "RUN=%" PRId64 " is not a multiple of %" PRId64
                        " (T_STAGE) for cf16, or not 0 for integers",
                        values[RUN], whole);
    if (values[EXTRA] % EXTRA_STEP || (values[EXTRA] && !takes_extra(config, values)))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "columns beyond a tile's, EXTRA, are 0, 16 or 32, of ci8 or blocks of ci4 "
                        "in square tiles (COLUMNS = 64 WARPGROUPS) with SKIP=1");
    if ((values[OWN_LOCAL] || values[READ]) && !is_half(config))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "OWN_LOCAL=1 and READ=1 are for cf16 alone");
    if (values[COPIERS] && values[EMULATED])
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "COPIERS, warps that only copy, are not emulated");
    if (needed > most)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "COLUMNS=%" PRId64 " needs about %" PRId64
                        " registers a work-item; WARPGROUPS=%" PRId64 " RESIDENT=%" PRId64
                        " leave %" PRId64,
                        values[COLUMNS], needed, values[WARPGROUPS], values[RESIDENT], most);
    return CLRADIO_OK;
}

static clradio_status check_local(const clradio_device_info *device,
                                  const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t local = local_bytes(config, values);
    const uint64_t there = values[EMULATED] ? device->local_memory_bytes : MOST_LOCAL_BYTES;
    const uint64_t most = there / (uint64_t)(values[EMULATED] ? 1 : values[RESIDENT]);
    if (local > most)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "T_STAGE=%" PRId64 " STAGES=%" PRId64 " need %" PRIu64
                        " bytes of local memory; RESIDENT=%" PRId64 " leaves %" PRIu64,
                        values[T_STAGE], values[STAGES], local, values[RESIDENT], most);
    return CLRADIO_OK;
}

static clradio_status wgmma_settle(const clradio_device_info *device,
                                   const clradio_xengine_config *config, int64_t *values,
                                   const int *given)
{
    if (!values[EMULATED] && !has_instructions(device))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the X-engine's variant wgmma is for NVIDIA's compute capability 9.0, "
                        "which %s is not (EMULATED=1 computes the same without it)",
                        device->name);
    const uint64_t group =
        (uint64_t)values[WARPGROUPS] * WARPGROUP + (uint64_t)values[COPIERS] * WARP;
    /* they are of the default's shape */
    if (!given[EXTRA] && (given[WARPGROUPS] || given[COLUMNS] || given[SKIP]))
        values[EXTRA] = extra_for(config, values);
    if (!given[EXTRA] && values[EXTRA] && check_local(device, config, values))
        values[EXTRA] = 0;
    if (!given[COPIERS] && (values[EMULATED] || given[WARPGROUPS] || given[COLUMNS] ||
                            given[T_STAGE] || given[STAGES]))
        values[COPIERS] = 0;
    /* as many work-groups of another shape as fit, where their number was not given */
    while (!given[RESIDENT] && values[RESIDENT] > 1 &&
           (check_shape(config, values) || check_local(device, config, values)))
        values[RESIDENT]--;
    clradio_status status = check_shape(config, values);
    if (status)
        return status;
    if (group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "WARPGROUPS=%" PRId64 " makes %" PRIu64 " work-items; %s has at most %zu",
                        values[WARPGROUPS], group, device->name, (size_t)device->max_group_size);
    return check_local(device, config, values);
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
        if (i <= RESIDENT || i == EMULATED || (i == RUN ? is_half(config) : values[i] != 0))
            macros[n++] = (clr_macro){ parameters[i].name, values[i] };
    /* equal shares to begin with, which OpenCL's compiler does not draw from the group's size */
    const int64_t share = REGISTER_FILE / WARPGROUP / (values[WARPGROUPS] + 1) / values[RESIDENT];
    if (hands_over(values))
        macros[n++] = (clr_macro){ "REGISTERS", share / 8 * 8 };
    macros[n++] = (clr_macro){ "ARCHITECTURE_SPECIFIC", !values[EMULATED] };
    macros[n++] = (clr_macro){ "NPOL", config->polarisations };
    macros[n++] = (clr_macro){ "INPUT", config->input };
    macros[n++] = (clr_macro){ "OUTPUT", config->output };
    macros[n++] = (clr_macro){ "LAYOUT", layout_of(config, values) };
    return n;
}

static void wgmma_layout(const clradio_xengine_config *config, const int64_t *values,
                         clradio_layout *layout, uint32_t *block_times)
{
    *layout = layout_of(config, values);
    *block_times =
        *layout == CLRADIO_LAYOUT_BLOCKED ? clr_xengine_usual_block_times(config->input) : 0;
}

/* The peak that clradio bench measures is that of mma.sync, which wgmma may pass. */
static const char *wgmma_unit(const clradio_xengine_config *config, const int64_t *values)
{
    if (is_half(config))
        return values[EMULATED] ? "fp32" : "mma-fp16";
    return values[EMULATED] ? "int32" : "mma-int8";
}

static clradio_status wgmma_supported(clradio_device *device, const clradio_xengine_config *config)
{
    (void)device;
    if (config->input != CLRADIO_CI8 && config->input != CLRADIO_CI4 && !is_half(config))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the X-engine's variant wgmma takes ci8, ci4 and cf16 input, not %s",
                        clradio_type_name(config->input));
    return CLRADIO_OK;
}

/* With EXTRA, inputs that fill no tile: their columns are beyond those of the tiles on the
 * diagonal, and one more tile has their rows. */
static uint64_t inputs_in_front(const clradio_xengine *plan)
{
    const uint64_t more = inputs_beyond(&plan->config, plan->candidate.values);
    return more <= (uint64_t)plan->candidate.values[EXTRA] ? more : 0;
}

static uint64_t wgmma_groups(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    if (inputs_in_front(plan)) {
        const uint64_t rows = (uint64_t)plan->config.stations * plan->config.polarisations /
                              (uint64_t)values[COLUMNS];
        return rows * (rows + 1) / 2 + 1;
    }
    return clr_xengine_mma_tiles(plan, (uint64_t)values[WARPGROUPS] * WARPGROUP_ROWS,
                                 (uint64_t)values[COLUMNS]);
}

static size_t group_of(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    return (size_t)values[WARPGROUPS] * WARPGROUP + (size_t)values[COPIERS] * WARP;
}

static clradio_status wgmma_prepare(clradio_xengine *plan)
{
    return clr_xengine_mma_check_group(plan, group_of(plan));
}

static uint64_t wgmma_least_slice(const clradio_xengine *plan)
{
    return 16 * (uint64_t)plan->candidate.values[T_STAGE];
}

static uint64_t wgmma_most_spectra(const clradio_xengine *plan)
{
    return is_half(&plan->config) ? MOST_RUNS * (uint64_t)plan->candidate.values[RUN]
                                  : CLR_XENGINE_MMA_MOST_SPECTRA;
}

/* More than a stage, and sums of halves that move on. */
static uint64_t wgmma_test_spectra(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    return (uint64_t)(is_half(&plan->config) ? values[RUN] : 0) + 3 * (uint64_t)values[T_STAGE] + 5;
}

static uint32_t wgmma_test_stations(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    if (values[EXTRA]) /* all are beyond a tile; in blocks there may be any number */
        return (uint32_t)((values[COLUMNS] + values[EXTRA]) / plan->config.polarisations) -
               (clr_xengine_mma_layout(&plan->config) == CLRADIO_LAYOUT_BLOCKED);
    return clr_xengine_mma_test_stations(plan, (uint64_t)values[WARPGROUPS] * WARPGROUP_ROWS,
                                         (uint64_t)values[COLUMNS]);
}

static size_t wgmma_large_local(const clradio_xengine *plan)
{
    return (size_t)local_bytes(&plan->config, plan->candidate.values);
}

static clradio_status wgmma_sum(clradio_xengine *plan, clr_chain *chain,
                                const clr_xengine_work *work)
{
    return clr_xengine_mma_launch(plan, chain, work, group_of(plan));
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
    .supported = wgmma_supported,
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
    .sum = wgmma_sum,
};
