/*
 * The variant "mma": NVIDIA's matrix units for ci8 and ci4, exact, and for cf16. Its
 * parameters, their constraints and defaults, and its launch; the kernel is cl/xengine_mma.cl. It
 * can write the visibilities itself (plan->direct). EMULATED=1 is the same tiling in plain C, for
 * tests.
 */
#include "engine/xengine_mma.h"
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    WARPS_Y,
    WARPS_X,
    FRAGMENTS_Y,
    FRAGMENTS_X,
    T_STAGE,
    STAGES,
    RUN,
    REGISTERS,
    EMULATED,
    SPLIT_T,
    PARAMETERS
};

/* Complex sums of a fragment pair are 8 registers of a work-item: 24 are 192 of 255. */
enum { MOST_FRAGMENT_PAIRS = 24, WARP = 32, FRAGMENT_INPUTS = 8 };

/* What the largest of these devices has; a driver that has less refuses the build or the launch. */
enum { MOST_LOCAL_BYTES = 227 * 1024 };

static const clr_parameter parameters[PARAMETERS] = {
    [WARPS_Y] = { "WARPS_Y", 1, 8 },
    [WARPS_X] = { "WARPS_X", 1, 8 },
    [FRAGMENTS_Y] = { "FRAGMENTS_Y", 1, 16 },
    [FRAGMENTS_X] = { "FRAGMENTS_X", 1, 16 },
    [T_STAGE] = { "T_STAGE", 32, 512 },
    [STAGES] = { "STAGES", 2, 8 },
    [RUN] = { "RUN", 0, 65536 },
    [REGISTERS] = { "REGISTERS", 0, 255 },
    [EMULATED] = { "EMULATED", 0, 1 },
    [SPLIT_T] = { "SPLIT_T", 0, 4096 },
};

/* Measured whole on an H200 (doc/performance.md): few inputs need many small tiles; and one that
 * asks for less local memory than any of these devices lacks. */
static const int many_inputs[PARAMETERS] = { 2, 2, 4, 4, 128, 2, 0, 168, 0, 0 };
static const int few_inputs[PARAMETERS] = { 2, 2, 4, 2, 128, 2, 0, 128, 0, 0 };
static const int little_memory[PARAMETERS] = { 2, 2, 4, 2, 32, 2, 0, 128, 0, 0 };
enum { FEW_INPUTS = 256 };
/* Floats: cf16 as many bytes of a stage; sums of as many terms as a float may hold. */
enum { HALF_STAGE = 64, MOST_TERMS = 1024 };
/* cf32 has a stage's sums beside the sums: half as many fragments fit the registers. */
static const int floats[PARAMETERS] = { 2, 2, 4, 2, 32, 3, MOST_TERMS, 0, 0, 0 };
static const int floats_little[PARAMETERS] = { 2, 2, 4, 2, 32, 2, MOST_TERMS, 0, 0, 0 };
enum { MOST_FLOAT_PAIRS = 12 };

static uint64_t edge(const int64_t *values, int warps, int fragments)
{
    return (uint64_t)(values[warps] * values[fragments]) * FRAGMENT_INPUTS;
}

static uint64_t local_bytes(const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t inputs = edge(values, WARPS_Y, FRAGMENTS_Y) + edge(values, WARPS_X, FRAGMENTS_X);
    return inputs * (uint64_t)(values[T_STAGE] * values[STAGES]) *
           clradio_type_bytes(config->input);
}

static int has_instructions(const clradio_device_info *device)
{
    return device->matrix_unit == 1; /* NVIDIA's */
}

/* Offered to devices with the instructions; to others only when named. */
static int mma_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                      unsigned number, int64_t *values, char reason[128])
{
    const int named = config->variant && strcmp(config->variant, "mma") == 0;
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const int *const preset = number                 ? little_memory
                              : inputs <= FEW_INPUTS ? few_inputs
                                                     : many_inputs;
    const int is_float = config->input == CLRADIO_CF16;
    if (number > 1 || !(named || has_instructions(device)))
        return 0;
    for (int i = 0; i < PARAMETERS; i++)
        values[i] = preset[i];
    if (is_float) {
        values[T_STAGE] = number ? preset[T_STAGE] : HALF_STAGE;
        values[RUN] = MOST_TERMS;
        values[REGISTERS] = 0; /* none spill; 250 still let two work-groups in */
    }
    if (strcmp(device->back_end, "cuda") == 0 && preset == few_inputs)
        values[REGISTERS] = 0; /* as measured there */
    snprintf(reason, 128, "%s",
             number ? "default for matrix units with little local memory"
                    : "default measured on an H200, for matrix units");
    return 1;
}

/* Only when named. */
static int tf32_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                       unsigned number, int64_t *values, char reason[128])
{
    (void)device;
    if (number > 1 || !config->variant || strcmp(config->variant, "tf32x3") != 0)
        return 0;
    for (int i = 0; i < PARAMETERS; i++)
        values[i] = number ? floats_little[i] : floats[i];
    snprintf(reason, 128, "named; measured on an H200");
    return 1;
}

static clradio_status mma_settle(const clradio_device_info *device,
                                 const clradio_xengine_config *config, int64_t *values,
                                 const int *given)
{
    const int is_float = clr_xengine_is_float(config->input);
    const int most_pairs = config->input == CLRADIO_CF32 ? MOST_FLOAT_PAIRS : MOST_FRAGMENT_PAIRS;
    if (is_float && !given[RUN])
        values[RUN] =
            clr_max_u64(1, (uint64_t)(MOST_TERMS / values[T_STAGE])) * (uint64_t)values[T_STAGE];
    if (!values[EMULATED] && !has_instructions(device))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the X-engine's variant %s is for NVIDIA's matrix units, which %s has "
                        "not (EMULATED=1 computes the same without them)",
                        config->input == CLRADIO_CF32 ? "tf32x3" : "mma", device->name);
    const uint64_t group = (uint64_t)(values[WARPS_Y] * values[WARPS_X]) * WARP;
    const uint64_t local = local_bytes(config, values);
    const uint64_t most = values[EMULATED] ? device->local_memory_bytes : MOST_LOCAL_BYTES;
    if (values[T_STAGE] % 32)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "T_STAGE=%" PRId64 " is not a multiple of 32",
                        values[T_STAGE]);
    if (is_float ? !values[RUN] || values[RUN] % values[T_STAGE] : values[RUN] != 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "RUN=%" PRId64 " is not a multiple of T_STAGE=%" PRId64
                        " for floats, or not 0 for integers",
                        values[RUN], values[T_STAGE]);
    if (values[FRAGMENTS_Y] * values[FRAGMENTS_X] > most_pairs)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "FRAGMENTS_Y=%" PRId64 " FRAGMENTS_X=%" PRId64
                        " are more than %d pairs of fragments a warp",
                        values[FRAGMENTS_Y], values[FRAGMENTS_X], most_pairs);
    if (config->input == CLRADIO_CI4 && (values[FRAGMENTS_Y] % 2 || values[FRAGMENTS_X] % 2))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "FRAGMENTS_Y=%" PRId64 " FRAGMENTS_X=%" PRId64
                        ": both must be even for ci4 input",
                        values[FRAGMENTS_Y], values[FRAGMENTS_X]);
    if (group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "WARPS_Y=%" PRId64 " WARPS_X=%" PRId64 " make %" PRIu64
                        " work-items; a work-group of %s has at most %" PRIu64,
                        values[WARPS_Y], values[WARPS_X], group, device->name,
                        device->max_group_size);
    if (local > most)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "T_STAGE=%" PRId64 " STAGES=%" PRId64 " need %" PRIu64
                        " bytes of local memory; %" PRIu64 " are there",
                        values[T_STAGE], values[STAGES], local, most);
    return CLRADIO_OK;
}

static void mma_describe(const int64_t *values, char *text, size_t room)
{
    int shown[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        shown[i] = i != EMULATED || values[EMULATED];
    clr_parameters_write(parameters, PARAMETERS, values, shown, text, room);
}

static size_t mma_macros(const clradio_xengine_config *config, const int64_t *values,
                         clr_macro *macros)
{
    size_t n = 0;
    for (int i = 0; i <= EMULATED; i++)
        macros[n++] = (clr_macro){ parameters[i].name, values[i] };
    macros[n++] = (clr_macro){ "NPOL", config->polarisations };
    macros[n++] = (clr_macro){ "INPUT", config->input };
    macros[n++] = (clr_macro){ "OUTPUT", config->output };
    macros[n++] = (clr_macro){ "LAYOUT", clr_xengine_mma_layout(config) };
    return n;
}

static const char *mma_unit(const clradio_xengine_config *config, const int64_t *values)
{
    const int is_float = clr_xengine_is_float(config->input);
    return values[EMULATED] ? (is_float ? "fp32" : "int32") : is_float ? "mma-fp16" : "mma-int8";
}

/* No peak of tf32 is measured: three products at half of fp16's rate. */
static const char *tf32_unit(const clradio_xengine_config *config, const int64_t *values)
{
    (void)config, (void)values;
    return "fp32";
}

static uint64_t mma_groups(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    return clr_xengine_mma_tiles((uint64_t)plan->config.stations * plan->config.polarisations,
                                 edge(values, WARPS_Y, FRAGMENTS_Y),
                                 edge(values, WARPS_X, FRAGMENTS_X));
}

static clradio_status mma_prepare(clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    return clr_xengine_check_shape(plan, (size_t)(values[WARPS_Y] * values[WARPS_X]) * WARP);
}

static uint64_t mma_least_slice(const clradio_xengine *plan)
{
    return 8 * (uint64_t)plan->candidate.values[T_STAGE];
}

static uint64_t mma_most_spectra(const clradio_xengine *plan)
{
    return clr_xengine_is_float(plan->config.input) ? (uint64_t)1 << 30
                                                    : CLR_XENGINE_MMA_MOST_SPECTRA;
}

/* Float sums that are written at once are those of one run. */
static int mma_can_write(const clradio_xengine *plan)
{
    return !clr_xengine_is_float(plan->config.input) ||
           plan->config.spectra <= (uint64_t)plan->candidate.values[RUN];
}

/* Sums of floats move on. */
static uint64_t mma_test_spectra(const clradio_xengine *plan)
{
    return clr_xengine_is_float(plan->config.input) ? (uint64_t)plan->candidate.values[RUN] + 3 : 0;
}

static uint32_t mma_test_stations(const clradio_xengine *plan)
{
    const int64_t *values = plan->candidate.values;
    return clr_xengine_mma_test_stations(plan, edge(values, WARPS_Y, FRAGMENTS_Y),
                                         edge(values, WARPS_X, FRAGMENTS_X));
}

static size_t mma_large_local(const clradio_xengine *plan)
{
    return (size_t)local_bytes(&plan->config, plan->candidate.values);
}

static clradio_status mma_sum(clradio_xengine *plan, clr_chain *chain, const clr_xengine_work *work)
{
    const int64_t *values = plan->candidate.values;
    return clr_xengine_mma_launch(plan, chain, work,
                                  (size_t)(values[WARPS_Y] * values[WARPS_X]) * WARP);
}

#define MMA_VARIANT(its_name, its_preset, its_unit, its_error, ...)                                \
    {                                                                                              \
        .name = its_name, .more_error = its_error, .takes = { __VA_ARGS__ }, .preset = its_preset, \
        .unit = its_unit, .source = "xengine_mma.cl", .entry = "xengine_mma",                      \
        .parameters = parameters, .n_parameters = PARAMETERS, .split_parameter = SPLIT_T,          \
        .writes_visibilities = 1, .can_write = mma_can_write,                                      \
        .large_local_bytes = mma_large_local, .test_spectra = mma_test_spectra,                    \
        .settle = mma_settle, .describe = mma_describe, .macros = mma_macros,                      \
        .layout = clr_xengine_mma_reads, .prepare = mma_prepare, .groups = mma_groups,             \
        .least_slice = mma_least_slice, .most_spectra = mma_most_spectra,                          \
        .test_stations = mma_test_stations, .sum = mma_sum                                         \
    }

const clr_xengine_variant clr_xengine_mma =
    MMA_VARIANT("mma", mma_preset, mma_unit, 0, CLRADIO_CI8, CLRADIO_CI4, CLRADIO_CF16);
const clr_xengine_variant clr_xengine_tf32 =
    MMA_VARIANT("tf32x3", tf32_preset, tf32_unit, 1.5e-6, CLRADIO_CF32);
