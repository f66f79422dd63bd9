/* The variant "fma": cf32 and cf16 in register blocks, cl/xengine_fma.cl. */
#include "engine/xengine_block.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFERS = CLR_BLOCK_PARAMETERS,
    RUN,
    RUNS,
    ORDER,
    WHOLE_STAGES,
    PRODUCTS,
    KEPT,
    LANES,
    UNROLLED,
    PARAMETERS
};

_Static_assert((int)PARAMETERS <= (int)CLR_MOST_PARAMETERS, "a candidate has room for all");

/* With which smaller blocks were measured to be faster (doc/performance.md). */
enum { FEW_INPUTS = 128 };

/* What the largest of NVIDIA's devices has; a driver that has less refuses the build or the launch.
 */
enum { MOST_LOCAL_BYTES = 227 * 1024 };

/* A float sum holds at most 1,024 terms (doc/design.md). */
enum { MOST_TERMS = 1024 };

/* With three products a chain of more may pass the bound of the error, and with the shorter runs
 * one of calls of fewer spectra; with the longest, of fewer than 1,024 (FEW_SPECTRA of the kernel).
 */
enum { MOST_OF_THREE = 128, SHORT_RUN = 64, LEAST_OF_THREE = 256, MANY_SPECTRA = 1024 };

/* Spectra of a stage: half as many meetings and starts of copies, 3 % faster; and of its loop,
 * whose code is half as long then: 0.5 %. */
enum { LONG_STAGE = 16, LOOP_SPECTRA = 8 };

/* Orders of the multiply-adds of three products. */
enum { BY_ROWS = 1, BY_PAIRS = 4 };

/* Sums of a work-item with which three products find room in its registers. */
enum { MOST_SUMS_OF_THREE = 32 };

/* What a kernel may declare by itself in CUDA. */
enum { MOST_DECLARED_BYTES = 48 * 1024 };

static const clr_parameter parameters[PARAMETERS] = {
    CLR_BLOCK_TABLE,
    [BUFFERS] = { "BUFFERS", 2, 4 },
    [RUN] = { "RUN", 1, MOST_TERMS },
    [RUNS] = { "RUNS", 0, MOST_TERMS },
    [ORDER] = { "ORDER", 0, 5 },
    [WHOLE_STAGES] = { "WHOLE_STAGES", 0, 1 },
    [PRODUCTS] = { "PRODUCTS", 3, 4 },
    [KEPT] = { "KEPT", 1, 16 },
    [LANES] = { "LANES", 0, 1 },
    [UNROLLED] = { "UNROLLED", 1, 64 },
};

/* Nobody is offered it for integers, or on a processor, without having named it. */
static int fma_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                      unsigned number, int64_t *values, char reason[128])
{
    const int named = config->variant && strcmp(config->variant, "fma") == 0;
    if (number || !clr_block_wanted(device, config, "fma") ||
        (!clr_xengine_is_float(config->input) && !named))
        return 0;
    memset(values, 0, PARAMETERS * sizeof *values);
    clr_block_preset(device, config, 8, values);
    if ((uint64_t)config->stations * config->polarisations <= FEW_INPUTS) {
        values[CLR_BLOCK_GX] = values[CLR_BLOCK_GY] =
            1; /* blocks of 32 inputs: 19 % faster there */
        values[CLR_BLOCK_W] = (int64_t)clr_block_edge(values) / config->polarisations;
    }
    values[CLR_BLOCK_ASYNC] = config->input == CLRADIO_CF32 && clr_block_has_async(device);
    values[LANES] = values[CLR_BLOCK_ASYNC];        /* 1 % faster, of 64 stations 2 % */
    values[WHOLE_STAGES] = values[CLR_BLOCK_ASYNC]; /* 4 % faster in CUDA, as fast in OpenCL */
    values[BUFFERS] = 2;
    values[RUNS] = 8;
    values[KEPT] = 1;
    values[PRODUCTS] = values[CLR_BLOCK_ASYNC] && config->spectra >= LEAST_OF_THREE ? 3 : 4;
    clr_block_reason(device, reason);
    return 1;
}

/* Local memory for three work-groups with LONG_STAGE, 64 KB each: sm_90 has it, sm_86 and sm_120
 * have less than half. */
static int has_room(const clradio_device_info *device)
{
    const int architecture =
        strncmp(device->architecture, "sm_", 3) == 0 ? atoi(device->architecture + 3) : 0;
    return architecture >= 90 && architecture < 120;
}

/* What was measured with three products in blocks of 64 inputs: longer stages, eight wide sums read
 * together; in CUDA copies past the first level of the cache (in OpenCL they are slower) and an
 * order of the multiply-adds with which registers of one bank meet less often. */
static void settle_large_blocks(const clradio_device_info *device, int64_t *values,
                                const int *given)
{
    if (!values[CLR_BLOCK_ASYNC] || values[BUFFERS] != 2 || clr_block_edge(values) != 64 ||
        clr_block_group(values) != 128 || values[RUN] % LONG_STAGE || !has_room(device))
        return;
    if (!given[CLR_BLOCK_T_STAGE])
        values[CLR_BLOCK_T_STAGE] = LONG_STAGE;
    if (!given[UNROLLED] && values[CLR_BLOCK_T_STAGE] % LOOP_SPECTRA == 0)
        values[UNROLLED] = LOOP_SPECTRA;
    if (!given[KEPT])
        values[KEPT] = 8;
    if (strcmp(device->back_end, "cuda") != 0)
        return;
    if (!given[CLR_BLOCK_ASYNC])
        values[CLR_BLOCK_ASYNC] = 2;
    if (!given[ORDER])
        values[ORDER] = BY_PAIRS;
}

/* How many products, and the runs, the stages and the order of the multiply-adds that were measured
 * with them. */
static clradio_status settle_products(const clradio_device_info *device,
                                      const clradio_xengine_config *config, int64_t *values,
                                      const int *given)
{
    const int64_t sums = values[CLR_BLOCK_DX] * values[CLR_BLOCK_DY];
    if (!given[PRODUCTS] && (!values[CLR_BLOCK_ASYNC] || sums > MOST_SUMS_OF_THREE ||
                             (given[RUN] && values[RUN] > MOST_OF_THREE)))
        values[PRODUCTS] = 4;
    if (!given[ORDER])
        values[ORDER] = values[PRODUCTS] == 3 ? BY_ROWS : 0;
    if (!given[RUN])
        values[RUN] = values[PRODUCTS] == 3 && config->spectra < MANY_SPECTRA ? SHORT_RUN : 128;
    if (values[PRODUCTS] == 3)
        settle_large_blocks(device, values, given);
    if (values[PRODUCTS] == 4 && values[ORDER] >= BY_PAIRS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "ORDER=%" PRId64 " is one of PRODUCTS=3",
                        values[ORDER]);
    if (values[PRODUCTS] == 4 || values[RUN] <= MOST_OF_THREE)
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_ARGUMENT,
                    "PRODUCTS=3 sums at most %d spectra in registers, not RUN=%" PRId64,
                    MOST_OF_THREE, values[RUN]);
}

/* Sums of runs in local memory; with RUNS=0 pairs of floats. */
static uint64_t sums_bytes(const int64_t *values)
{
    return (uint64_t)(values[CLR_BLOCK_DX] * values[CLR_BLOCK_DY]) * clr_block_group(values) *
           (values[RUNS] ? sizeof(float[2]) : sizeof(float[4]));
}

/* Whether the kernel reads times that lie together, BY_TIME of cl/xengine_fma_copies.cl. */
static unsigned reads_by_time(const clradio_xengine_config *config, const int64_t *values)
{
    clradio_layout layout;
    uint32_t times;
    clr_block_layout(config, values, &layout, &times);
    return layout != CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
}

static clradio_status fma_settle(const clradio_device_info *device,
                                 const clradio_xengine_config *config, int64_t *values,
                                 const int *given)
{
    clradio_status status = clr_block_settle(device, config, values, given);
    if (status)
        return status;
    if (values[CLR_BLOCK_ASYNC] && config->input != CLRADIO_CF32)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "ASYNC=1 copies cf32 input as it is; %s is widened in registers",
                        clradio_type_name(config->input));
    status = settle_products(device, config, values, given);
    if (status)
        return status;
    if (!values[UNROLLED])
        values[UNROLLED] = values[CLR_BLOCK_T_STAGE];
    if (values[CLR_BLOCK_T_STAGE] % values[UNROLLED])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "UNROLLED=%" PRId64 " is no divisor of T_STAGE=%" PRId64, values[UNROLLED],
                        values[CLR_BLOCK_T_STAGE]);
    if ((values[KEPT] > 1 && values[KEPT] % 2) ||
        values[CLR_BLOCK_DX] * values[CLR_BLOCK_DY] % values[KEPT])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "KEPT=%" PRId64 " is neither 1 nor an even divisor of Dx Dy=%" PRId64,
                        values[KEPT], values[CLR_BLOCK_DX] * values[CLR_BLOCK_DY]);
    const int64_t stage = values[CLR_BLOCK_T_STAGE];
    if (values[RUN] % stage && !given[RUN])
        values[RUN] = clr_max_u64(1, (uint64_t)(values[RUN] / stage)) * (uint64_t)stage;
    status = clr_block_check_run(values, values[RUN]);
    if (status)
        return status;
    if (values[RUNS] && !given[RUNS])
        values[RUNS] = MOST_TERMS / values[RUN];
    if (values[RUN] * values[RUNS] > MOST_TERMS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "RUN=%" PRId64 " RUNS=%" PRId64 " are %" PRId64
                        " terms in a float sum; at most %d",
                        values[RUN], values[RUNS], values[RUN] * values[RUNS], MOST_TERMS);
    const uint64_t stages = (uint64_t)(values[BUFFERS] * stage) *
                            (clr_block_edge(values) + reads_by_time(config, values)) *
                            sizeof(float[4]);
    /* the sums are in an array that may be larger than NVIDIA's drivers say */
    if (!strncmp(device->architecture, "sm_", 3) && stages <= MOST_DECLARED_BYTES &&
        stages + sums_bytes(values) <= MOST_LOCAL_BYTES)
        return CLRADIO_OK;
    return clr_block_check_local(device, stages + sums_bytes(values));
}

static void fma_describe(const int64_t *values, char *text, size_t room)
{
    clr_parameters_write(parameters, PARAMETERS, values, NULL, text, room);
}

static size_t fma_macros(const clradio_xengine_config *config, const int64_t *values,
                         clr_macro *macros)
{
    return clr_block_macros(parameters, PARAMETERS, config, values, macros);
}

static uint64_t fma_least_slice(const clradio_xengine *plan)
{
    return 8 * (uint64_t)plan->candidate.values[CLR_BLOCK_T_STAGE];
}

static uint64_t fma_most_spectra(const clradio_xengine *plan)
{
    const int64_t *v = plan->candidate.values;
    const uint64_t dx = (uint64_t)v[CLR_BLOCK_DX], dy = (uint64_t)v[CLR_BLOCK_DY];
    const uint64_t stage = (uint64_t)v[CLR_BLOCK_T_STAGE];
    const uint64_t copies = stage * clr_block_edge(v) / clr_block_group(v) + 1;
    /* PRODUCTS=3 with few spectra: four passes over the patch */
    const uint64_t passes = v[PRODUCTS] == 3 ? 4 : 1;
    return clr_block_most_spectra(
        plan, (clr_block_loops){ .before = 36 + passes * dx * dy + 8 * copies,
                                 .of_stage = 2 * copies +
                                             stage * (dx + dy + 4 + passes * dy * (dx + 2)) + 2,
                                 .of_run = 2 * passes * dx * dy + 4 });
}

/* What one float sum holds, or any number as pairs. */
static int fma_can_write(const clradio_xengine *plan)
{
    const int64_t *v = plan->candidate.values;
    return v[CLR_BLOCK_DIRECT] &&
           (!v[RUNS] || plan->config.spectra <= (uint64_t)(v[RUN] * v[RUNS]));
}

/* A second sum of 1,024 terms, or a third run; and what begins with many spectra. */
static uint64_t fma_test_spectra(const clradio_xengine *plan)
{
    const int64_t *v = plan->candidate.values;
    const uint64_t runs = (uint64_t)(v[RUN] * (v[RUNS] ? v[RUNS] + 1 : 2));
    return clr_max_u64(runs, v[PRODUCTS] == 3 ? MANY_SPECTRA : 0) + 3;
}

/* With the stages they may pass what a kernel declares by itself. */
static size_t fma_large_local(const clradio_xengine *plan)
{
    return (size_t)sums_bytes(plan->candidate.values);
}

const clr_xengine_variant clr_xengine_fma = {
    .name = "fma",
    .source = "xengine_fma.cl",
    .entry = "xengine_fma",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .split_parameter = CLR_BLOCK_SPLIT_T,
    .writes_visibilities = 1,
    .can_write = fma_can_write,
    .large_local_bytes = fma_large_local,
    .test_spectra = fma_test_spectra,
    .takes = { CLRADIO_CF32, CLRADIO_CF16 },
    .preset = fma_preset,
    .settle = fma_settle,
    .describe = fma_describe,
    .macros = fma_macros,
    .layout = clr_block_layout,
    .prepare = clr_block_prepare,
    .groups = clr_block_groups,
    .least_slice = fma_least_slice,
    .most_spectra = fma_most_spectra,
    .sum = clr_block_sum,
};
