/*
 * The variants "mfma" (AMD's CDNA) and "wmma" (RDNA 3): ci8 and ci4 on matrix units,
 * cl/xengine_mfma.cl. No such card was at hand: their fragments are emulated in
 * tests/test_amd_fragments.c, the kernel is compiled for the cards, and like every variant they
 * serve a device only once their self-test has passed there. Elsewhere, when named, the sums of
 * each lane are made one by one.
 */
#include "engine/xengine_internal.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { W, GX, GY, FX, FY, T_STAGE, RUN, SPLIT_T, PARAMETERS };

/* Spectra of one instruction: 16, of CDNA 3 32. */
enum { FRAGMENT = 16, MOST_INSTRUCTION_SPECTRA = 32 };

/* The probe's number of the instruction (clradio_device_info.matrix_unit). */
enum { CDNA = 2, RDNA_3 = 4 };

static const clr_parameter parameters[PARAMETERS] = {
    [W] = { "W", 1, 256 },         [GX] = { "Gx", 1, 4 },
    [GY] = { "Gy", 1, 4 },         [FX] = { "FX", 1, 4 },
    [FY] = { "FY", 1, 4 },         [T_STAGE] = { "T_STAGE", 32, 256 },
    [RUN] = { "RUN", 0, 1 << 30 }, [SPLIT_T] = { "SPLIT_T", 0, 4096 },
};

static int64_t edge_of(const int64_t *values)
{
    return FRAGMENT * values[GX] * values[FX];
}

/* Offered to devices with that instruction; to others only when named. */
static int matrix_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                         unsigned number, int64_t *values, char reason[128], const char *name,
                         int unit)
{
    const int named = config->variant && strcmp(config->variant, name) == 0;
    const int serves = device->matrix_unit == unit &&
                       (config->input == CLRADIO_CI8 || config->input == CLRADIO_CI4);
    if (number || !(named || serves))
        return 0;
    memset(values, 0, PARAMETERS * sizeof *values);
    values[GX] = values[GY] = device->matrix_unit == unit ? 2 : 1;
    values[FX] = values[FY] = unit == CDNA ? 2 : 1;
    values[T_STAGE] = MOST_INSTRUCTION_SPECTRA;
    values[W] = edge_of(values) / config->polarisations;
    snprintf(reason, 128, "%s",
             device->matrix_unit == unit ? "fits the registers; measured on no card yet"
                                         : "smallest shape: the matrix unit is emulated");
    return 1;
}

static clradio_status matrix_settle(const clradio_device_info *device,
                                    const clradio_xengine_config *config, int64_t *values,
                                    const int *given, int wave)
{
    const int64_t edge = edge_of(values), group = wave * values[GX] * values[GY];
    const int64_t stage = values[T_STAGE], w = edge / config->polarisations;
    if (values[GX] * values[FX] != values[GY] * values[FY])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Gx=%" PRId64 " FX=%" PRId64 " Gy=%" PRId64 " FY=%" PRId64
                        ": Gx FX must be Gy FY",
                        values[GX], values[FX], values[GY], values[FY]);
    if (given[W] && values[W] != w)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "W=%" PRId64 " is not the %" PRId64 " stations that 16 Gx FX inputs are",
                        values[W], w);
    values[W] = w;
    if (group % edge || stage % MOST_INSTRUCTION_SPECTRA || stage % (4 * (group / edge)))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%" PRId64 " work-items must be a multiple of the %" PRId64
                        " inputs of an edge, and T_STAGE=%" PRId64
                        " of 32 and of four times the quotient",
                        group, edge, stage);
    if (values[RUN] % stage)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "RUN=%" PRId64 " is not a multiple of T_STAGE=%" PRId64, values[RUN],
                        stage);
    if ((uint64_t)group > device->max_group_size)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "Gx=%" PRId64 " Gy=%" PRId64 " make %" PRId64
                        " work-items; a work-group of %s has at most %" PRIu64,
                        values[GX], values[GY], group, device->name, device->max_group_size);
    const int64_t sums = wave == 64 ? 4 : 8;
    const uint64_t local = (uint64_t)(stage / 2 * edge * 16 + 3 * sums * group * 4);
    if (local > device->local_memory_bytes)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the blocks need %" PRIu64 " bytes of local memory; %s has %" PRIu64, local,
                        device->name, device->local_memory_bytes);
    return CLRADIO_OK;
}

static void matrix_describe(const int64_t *values, char *text, size_t room)
{
    clr_parameters_write(parameters, PARAMETERS, values, NULL, text, room);
}

static const char *matrix_unit(const clradio_xengine_config *config, const int64_t *values)
{
    (void)config, (void)values;
    return "mma-int8";
}

static size_t matrix_macros(const clradio_xengine_config *config, const int64_t *values,
                            clr_macro *macros, int wave)
{
    size_t n = 0;
    for (int i = GX; i <= RUN; i++)
        macros[n++] = (clr_macro){ parameters[i].name, values[i] };
    macros[n++] = (clr_macro){ "WAVE", wave };
    macros[n++] = (clr_macro){ "NPOL", config->polarisations };
    macros[n++] = (clr_macro){ "INPUT", config->input };
    return n;
}

static uint64_t matrix_groups(const clradio_xengine *plan)
{
    const uint64_t inputs = (uint64_t)plan->config.stations * plan->config.polarisations;
    const uint64_t rows = clr_ceil_div(inputs, (uint64_t)edge_of(plan->candidate.values));
    return rows * (rows + 1) / 2;
}

static uint64_t matrix_least_slice(const clradio_xengine *plan)
{
    return 4 * (uint64_t)plan->candidate.values[T_STAGE];
}

/* The kernel counts a slice's spectra in 32 bits. Where loops may not be long (see
 * tile_most_spectra) the emulation's take the most: every sum of every quad. */
static uint64_t matrix_most_spectra(const clradio_xengine *plan)
{
    const int64_t *v = plan->candidate.values;
    const uint64_t rounds = clr_device_loop_rounds(plan->device);
    const uint64_t stage = (uint64_t)v[T_STAGE], sums = (uint64_t)(v[FX] * v[FY]) * 8;
    if (rounds == UINT64_MAX)
        return (uint64_t)1 << 30;
    const uint64_t of_stage = stage / 4 * (5 + sums * 6) + stage * 4, of_run = sums * 12,
                   before = 64 + stage;
    return rounds > before ? (rounds - before) / (of_stage + of_run) * stage : 0;
}

static clradio_status matrix_prepare(clradio_xengine *plan, int wave)
{
    const int64_t *values = plan->candidate.values;
    return clr_xengine_check_shape(plan, (size_t)(wave * values[GX] * values[GY]));
}

static clradio_status matrix_sum(clradio_xengine *plan, clr_chain *chain,
                                 const clr_xengine_work *work, int wave)
{
    const int64_t *values = plan->candidate.values;
    clr_launch launch = { .groups = { (size_t)matrix_groups(plan), work->channels, work->slices },
                          .group = { (size_t)(wave * values[GX] * values[GY]), 1, 1 } };
    clr_launch_span(&launch, work->spectra);
    clr_launch_span(&launch, work->sums);
    clr_launch_u32(&launch, plan->config.stations);
    clr_launch_u64(&launch, work->layout.run_stride);
    clr_launch_u64(&launch, work->layout.channel_stride);
    clr_launch_u64(&launch, work->spectra_count);
    clr_launch_u64(&launch, work->slice_length);
    clr_launch_u32(&launch, (uint32_t)work->add);
    clr_launch_u32(&launch, plan->config.ci4_coding);
    return clr_chain_launch(chain, plan->sum_kernel, &launch);
}

/* The two variants differ in the width of a wave and in the instruction. */
#define MATRIX_VARIANT(variant, wave, way)                                                         \
    static int variant##_preset(const clradio_device_info *device,                                 \
                                const clradio_xengine_config *config, unsigned number,             \
                                int64_t *values, char reason[128])                                 \
    {                                                                                              \
        return matrix_preset(device, config, number, values, reason, #variant, way);               \
    }                                                                                              \
    static clradio_status variant##_settle(const clradio_device_info *device,                      \
                                           const clradio_xengine_config *config, int64_t *values,  \
                                           const int *given)                                       \
    {                                                                                              \
        return matrix_settle(device, config, values, given, wave);                                 \
    }                                                                                              \
    static size_t variant##_macros(const clradio_xengine_config *config, const int64_t *values,    \
                                   clr_macro *macros)                                              \
    {                                                                                              \
        return matrix_macros(config, values, macros, wave);                                        \
    }                                                                                              \
    static clradio_status variant##_prepare(clradio_xengine *plan)                                 \
    {                                                                                              \
        return matrix_prepare(plan, wave);                                                         \
    }                                                                                              \
    static clradio_status variant##_sum(clradio_xengine *plan, clr_chain *chain,                   \
                                        const clr_xengine_work *work)                              \
    {                                                                                              \
        return matrix_sum(plan, chain, work, wave);                                                \
    }                                                                                              \
    const clr_xengine_variant clr_xengine_##variant = {                                            \
        .name = #variant,                                                                          \
        .source = "xengine_mfma.cl",                                                               \
        .entry = "xengine_mfma",                                                                   \
        .parameters = parameters,                                                                  \
        .n_parameters = PARAMETERS,                                                                \
        .split_parameter = SPLIT_T,                                                                \
        .takes = { CLRADIO_CI8, CLRADIO_CI4 },                                                     \
        .preset = variant##_preset,                                                                \
        .settle = variant##_settle,                                                                \
        .describe = matrix_describe,                                                               \
        .unit = matrix_unit,                                                                       \
        .macros = variant##_macros,                                                                \
        .prepare = variant##_prepare,                                                              \
        .groups = matrix_groups,                                                                   \
        .least_slice = matrix_least_slice,                                                         \
        .most_spectra = matrix_most_spectra,                                                       \
        .sum = variant##_sum,                                                                      \
    }

MATRIX_VARIANT(mfma, 64, CDNA);
MATRIX_VARIANT(wmma, 32, RDNA_3);
