/*
 * The variant "bf16x6", by name alone: cf32 on Hopper's matrix units (compute capability 9.0), each
 * part of a sample as the sum of three numbers of bf16, six products for one. Its parameters, their
 * constraints and defaults; the kernel is the variant wgmma's, cl/xengine_wgmma.cl. EMULATED=1 is
 * the same in plain C, for tests.
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"
#include "engine/xengine_mma.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WARPGROUPS, T_STAGE, STAGES, RESIDENT, SKIP, EMULATED, SPLIT_T, PARAMETERS };

enum {
    WARPGROUP = 128,
    WARPGROUP_ROWS = 64,
    COLUMNS = 64,
    STAGE_STEP = 8,   /* a key; all work-items have as many columns to part */
    MOST_RUNS = 256,  /* stages, in a work-item's own sums */
    PARTS_BYTES = 12, /* of a sample in an operand */
    OPERANDS = 2,
    ALIGNMENT = 256,
    PASSED_ROW = COLUMNS * 2 * 4 + 64, /* of sums on their way out */
    MOST_WARPGROUPS = 2,               /* whose registers a multiprocessor holds: 256 a work-item */
    MOST_LOCAL_BYTES = 227 * 1024      /* an operand's descriptor has room for 256 */
};

static const clr_parameter parameters[PARAMETERS] = {
    { "WARPGROUPS", 1, 2 }, { "T_STAGE", 16, 48 }, { "STAGES", 3, 8 },     { "RESIDENT", 1, 2 },
    { "SKIP", 0, 1 },       { "EMULATED", 0, 1 },  { "SPLIT_T", 0, 4096 },
};

/* Measured on an H200 (doc/performance.md): few inputs fill no large tile; and devices that emulate
 * the products as little as there is. */
static const int many_inputs[PARAMETERS] = { 2, 32, 3, 1, 1, 0, 0 };
static const int few_inputs[PARAMETERS] = { 1, 16, 4, 2, 0, 0, 0 };
static const int few_in_blocks[PARAMETERS] = { 1, 24, 3, 2, 0, 0, 0 };
static const int emulated[PARAMETERS] = { 1, 16, 3, 1, 0, 0, 0 };
enum { FEW_INPUTS = 256 };

static uint64_t rows_of(const int64_t *values)
{
    return (uint64_t)values[WARPGROUPS] * WARPGROUP_ROWS;
}

static uint64_t local_bytes(const int64_t *values)
{
    const uint64_t spectra = (uint64_t)values[T_STAGE], rows = rows_of(values);
    const uint64_t stages =
        (uint64_t)values[STAGES] * (rows + COLUMNS) * spectra * 2 * sizeof(float);
    const uint64_t operands = OPERANDS * COLUMNS * spectra * PARTS_BYTES;
    /* sums on their way out take the place of the stages */
    const uint64_t passed = rows * PASSED_ROW + COLUMNS * 5 * sizeof(int32_t);
    return clr_max_u64(stages + operands, passed) + ALIGNMENT;
}

static int bf16_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                       unsigned number, int64_t *values, char reason[128])
{
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const int blocked = clr_xengine_mma_layout(config) == CLRADIO_LAYOUT_BLOCKED;
    const int *const preset = !clr_xengine_has_wgmma(device) ? emulated
                              : inputs > FEW_INPUTS          ? many_inputs
                              : blocked                      ? few_in_blocks
                                                             : few_inputs;
    if (number || !config->variant || strcmp(config->variant, "bf16x6") != 0)
        return 0;
    for (int i = 0; i < PARAMETERS; i++)
        values[i] = preset[i];
    snprintf(reason, 128, "%s", preset == emulated ? "named" : "named; measured on an H200");
    return 1;
}

static clradio_status check_room(const clradio_device_info *device, const int64_t *values)
{
    const uint64_t there = MOST_LOCAL_BYTES / (uint64_t)values[RESIDENT];
    const uint64_t local = local_bytes(values);
    const uint64_t most = values[EMULATED] ? clr_min_u64(there, device->local_memory_bytes) : there;
    if (values[WARPGROUPS] * values[RESIDENT] > MOST_WARPGROUPS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "WARPGROUPS=%" PRId64 " RESIDENT=%" PRId64
                        " are more than %d warpgroups on a multiprocessor, whose registers the "
                        "sums need",
                        values[WARPGROUPS], values[RESIDENT], MOST_WARPGROUPS);
    return clr_xengine_mma_check_local(local, most, values[T_STAGE], values[STAGES],
                                       values[RESIDENT]);
}

static clradio_status bf16_settle(const clradio_device_info *device,
                                  const clradio_xengine_config *config, int64_t *values,
                                  const int *given)
{
    const uint64_t group = (uint64_t)values[WARPGROUPS] * WARPGROUP;
    (void)config;
    clradio_status status = clr_xengine_check_wgmma(device, "bf16x6", (int)values[EMULATED]);
    if (status)
        return status;
    if (!given[T_STAGE])
        values[T_STAGE] -= values[T_STAGE] % (STAGE_STEP * values[WARPGROUPS]);
    if (values[T_STAGE] % (STAGE_STEP * values[WARPGROUPS]))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "T_STAGE=%" PRId64 " is not a multiple of %d WARPGROUPS", values[T_STAGE],
                        STAGE_STEP);
    /* as many work-groups of another shape as fit, where their number was not given */
    if (!given[RESIDENT] && values[RESIDENT] > 1 && check_room(device, values))
        values[RESIDENT] = 1;
    status = clr_xengine_check_warpgroups(device, values[WARPGROUPS], group);
    return status ? status : check_room(device, values);
}

static void bf16_describe(const int64_t *values, char *text, size_t room)
{
    int shown[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        shown[i] = i != EMULATED || values[EMULATED];
    clr_parameters_write(parameters, PARAMETERS, values, shown, text, room);
}

static size_t bf16_macros(const clradio_xengine_config *config, const int64_t *values,
                          clr_macro *macros)
{
    size_t n = 0;
    for (int i = 0; i <= EMULATED; i++)
        macros[n++] = (clr_macro){ parameters[i].name, values[i] };
    macros[n++] = (clr_macro){ "COLUMNS", COLUMNS };
    macros[n++] = (clr_macro){ "PRODUCT", COLUMNS };
    macros[n++] = (clr_macro){ "ARCHITECTURE_SPECIFIC", !values[EMULATED] };
    macros[n++] = (clr_macro){ "NPOL", config->polarisations };
    macros[n++] = (clr_macro){ "INPUT", config->input };
    macros[n++] = (clr_macro){ "OUTPUT", config->output };
    macros[n++] = (clr_macro){ "LAYOUT", clr_xengine_mma_layout(config) };
    return n;
}

static uint64_t bf16_groups(const clradio_xengine *plan)
{
    return clr_xengine_mma_tiles((uint64_t)plan->config.stations * plan->config.polarisations,
                                 rows_of(plan->candidate.values), COLUMNS);
}

static size_t group_of(const clradio_xengine *plan)
{
    return (size_t)plan->candidate.values[WARPGROUPS] * WARPGROUP;
}

static clradio_status bf16_prepare(clradio_xengine *plan)
{
    return clr_xengine_check_shape(plan, group_of(plan));
}

static uint64_t bf16_least_slice(const clradio_xengine *plan)
{
    return 16 * (uint64_t)plan->candidate.values[T_STAGE];
}

static uint64_t bf16_most_spectra(const clradio_xengine *plan)
{
    return MOST_RUNS * (uint64_t)plan->candidate.values[T_STAGE];
}

/* More stages than there are places for. */
static uint64_t bf16_test_spectra(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    return (uint64_t)(values[STAGES] + 1) * (uint64_t)values[T_STAGE] + 5;
}

static uint32_t bf16_test_stations(const clradio_xengine *plan)
{
    return clr_xengine_mma_test_stations(plan, rows_of(plan->candidate.values), COLUMNS);
}

static size_t bf16_large_local(const clradio_xengine *plan)
{
    return (size_t)local_bytes(plan->candidate.values);
}

static clradio_status bf16_sum(clradio_xengine *plan, clr_chain *chain,
                               const clr_xengine_work *work)
{
    return clr_xengine_mma_launch(plan, chain, work, group_of(plan));
}

const clr_xengine_variant clr_xengine_bf16 = {
    .name = "bf16x6",
    .source = "xengine_wgmma.cl",
    .entry = "xengine_wgmma",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .split_parameter = SPLIT_T,
    .unit_groups = 1, /* as for wgmma */
    .more_error = 1e-6,
    .writes_visibilities = 1,
    .large_local_bytes = bf16_large_local,
    .takes = { CLRADIO_CF32 },
    .preset = bf16_preset,
    .settle = bf16_settle,
    .describe = bf16_describe,
    .macros = bf16_macros,
    .layout = clr_xengine_mma_reads,
    .prepare = bf16_prepare,
    .groups = bf16_groups,
    .least_slice = bf16_least_slice,
    .most_spectra = bf16_most_spectra,
    .test_spectra = bf16_test_spectra,
    .test_stations = bf16_test_stations,
    .sum = bf16_sum,
};
