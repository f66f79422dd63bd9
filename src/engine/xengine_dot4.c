/* The variant "dot4": ci8 and ci4 by packed dot products of four spectra, cl/xengine_dot4.cl. */
#include "engine/xengine_block.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

enum { RUN = CLR_BLOCK_PARAMETERS, PARAMETERS };

/* Spectra that 32 bits hold the sums of: LIMIT of the kernel. */
enum { MOST_CI8 = 65535, MOST_CI4 = 5000000 };

static const clr_parameter parameters[PARAMETERS] = {
    CLR_BLOCK_TABLE,
    [RUN] = { "RUN", 0, 1 << 30 },
};

/* Without having named it nobody is offered it for other types, on a processor, or where the device
 * has no packed dot product (the plain code in its place is right everywhere). */
static int dot4_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                       unsigned number, int64_t *values, char reason[128])
{
    const int named = config->variant && strcmp(config->variant, "dot4") == 0;
    const int serves = device->packed_dot &&
                       (config->input == CLRADIO_CI8 || config->input == CLRADIO_CI4) &&
                       clr_block_wanted(device, config, "dot4");
    if (number || !(named || serves))
        return 0;
    memset(values, 0, PARAMETERS * sizeof *values);
    clr_block_preset(device, config, 32, values);
    /* measured on an H200: 6 to 14 % faster than by wide sums of reordered input */
    values[CLR_BLOCK_READ] = values[CLR_BLOCK_DIRECT] = device->packed_dot == 1;
    if (strncmp(device->architecture, "gfx11", 5) == 0) { /* compilers give 128 registers there */
        values[CLR_BLOCK_GY] = values[CLR_BLOCK_DY] = 4;
        values[CLR_BLOCK_T_STAGE] = 16;
    }
    clr_block_reason(device, reason);
    return 1;
}

static clradio_status dot4_settle(const clradio_device_info *device,
                                  const clradio_xengine_config *config, int64_t *values,
                                  const int *given)
{
    const int64_t stage = values[CLR_BLOCK_T_STAGE];
    const uint64_t edge = clr_block_edge(values), group = clr_block_group(values);
    if (values[CLR_BLOCK_ASYNC])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "ASYNC=1: the variant dot4 turns its input round in registers");
    clradio_status status = clr_block_settle(device, config, values, given);
    if (status)
        return status;
    if (stage % (int64_t)(4 * group / edge))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "T_STAGE=%" PRId64
                        " is not a multiple of 4 Gy 32 Gx / (8 Gx Dx) = %" PRIu64,
                        stage, 4 * group / edge);
    status = clr_block_check_run(values, values[RUN]);
    if (status)
        return status;
    const uint64_t bytes = config->input == CLRADIO_CI4 ? 24 : 16;
    const uint64_t places = values[CLR_BLOCK_DX] * values[CLR_BLOCK_DY] % 8 ? 12 : 24;
    return clr_block_check_local(device, (uint64_t)stage / 2 * edge * bytes +
                                             places * group * sizeof(int32_t));
}

static void dot4_describe(const int64_t *values, char *text, size_t room)
{
    clr_parameters_write(parameters, PARAMETERS, values, NULL, text, room);
}

static const char *dot4_unit(const clradio_xengine_config *config, const int64_t *values)
{
    (void)config, (void)values;
    return "dot4";
}

static size_t dot4_macros(const clradio_xengine_config *config, const int64_t *values,
                          clr_macro *macros)
{
    return clr_block_macros(parameters, PARAMETERS, config, values, macros);
}

static uint64_t dot4_least_slice(const clradio_xengine *plan)
{
    return 4 * (uint64_t)plan->candidate.values[CLR_BLOCK_T_STAGE];
}

static uint64_t dot4_most_spectra(const clradio_xengine *plan)
{
    const int64_t *v = plan->candidate.values;
    const uint64_t dx = (uint64_t)v[CLR_BLOCK_DX], dy = (uint64_t)v[CLR_BLOCK_DY];
    const uint64_t stage = (uint64_t)v[CLR_BLOCK_T_STAGE];
    const uint64_t copies = stage / 4 * clr_block_edge(v) / clr_block_group(v) + 1;
    return clr_block_most_spectra(
        plan,
        (clr_block_loops){ .before = 36 + 12 * copies,
                           .of_stage = 12 * copies + stage / 4 * (dx + dy + 6 + dy * (dx + 2)) + 4,
                           .of_run = 4 * dx * dy + 8 });
}

/* What its registers hold: RUN_LENGTH of the kernel. */
static uint64_t run_length(const clradio_xengine *plan)
{
    const int64_t *v = plan->candidate.values;
    const int64_t limit = plan->config.input == CLRADIO_CI8 ? MOST_CI8 : MOST_CI4;
    const int64_t run = v[RUN] && v[RUN] < limit ? v[RUN] : limit;
    return (uint64_t)(run / v[CLR_BLOCK_T_STAGE] * v[CLR_BLOCK_T_STAGE]);
}

static int dot4_can_write(const clradio_xengine *plan)
{
    return plan->candidate.values[CLR_BLOCK_DIRECT] && plan->config.spectra <= run_length(plan);
}

/* A second run; not where the plain code would take its time, nor millions of spectra. */
static uint64_t dot4_test_spectra(const clradio_xengine *plan)
{
    const uint64_t run = run_length(plan);
    const int slow = clr_device_info(plan->device)->kind == CLRADIO_DEVICE_CPU;
    return run > (slow ? 4096 : MOST_CI8) ? 0 : run + 3;
}

const clr_xengine_variant clr_xengine_dot4 = {
    .name = "dot4",
    .source = "xengine_dot4.cl",
    .entry = "xengine_dot4",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .split_parameter = CLR_BLOCK_SPLIT_T,
    .writes_visibilities = 1,
    .can_write = dot4_can_write,
    .test_spectra = dot4_test_spectra,
    .takes = { CLRADIO_CI8, CLRADIO_CI4 },
    .preset = dot4_preset,
    .settle = dot4_settle,
    .describe = dot4_describe,
    .unit = dot4_unit,
    .macros = dot4_macros,
    .layout = clr_block_layout,
    .prepare = clr_block_prepare,
    .groups = clr_block_groups,
    .least_slice = dot4_least_slice,
    .most_spectra = dot4_most_spectra,
    .sum = clr_block_sum,
};
