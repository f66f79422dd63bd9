/* The X-engine's plan: create, information, reset, destroy. Enqueueing is in xengine_enqueue.c. */
#include "engine/choice.h"
#include "engine/xengine_internal.h"

#include "base/checked.h"

#include <clradio/pipeline.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

clradio_status clr_xengine_check_shape(clradio_xengine *plan, size_t group)
{
    const clr_xengine_variant *variant = plan->candidate.variant;
    const char *name = clr_device_info(plan->device)->name;
    char shape[256];
    size_t most;
    uint64_t local, private;
    clradio_status status = clr_kernel_limits(plan->sum_kernel, &most, &local, &private);
    if (status)
        return status;
    variant->describe(plan->candidate.values, shape, sizeof shape);
    if (group > most)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "%s: the kernel runs in work-groups of at most %zu on %s, not of %zu",
                        shape, most, name, group);
    if (variant->groups(plan) > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "%s: %" PRIu32 " stations make more than 2^31 tiles", shape,
                        plan->config.stations);
    if (!variant->most_spectra(plan))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "%s need longer loops than the driver of %s lets run", shape, name);
    return CLRADIO_OK;
}

static clradio_status get_programs(clradio_xengine *plan)
{
    const clradio_xengine_config *config = &plan->config;
    const clr_xengine_variant *variant = plan->candidate.variant;
    clr_macro macros[CLR_MOST_PARAMETERS + 8];
    clradio_status status = CLRADIO_OK;
    if (variant->source) {
        size_t n = variant->macros(config, plan->candidate.values, macros);
        status = clr_program_get(plan->device, variant->source, macros, n, &plan->sum_program);
        if (!status)
            status = clr_kernel_create(plan->sum_program, variant->entry, &plan->sum_kernel);
    }
    /* Integers are summed alike: one program finishes them. */
    const clr_macro finish[] = {
        { "NPOL", config->polarisations },
        { "INPUT", clr_xengine_is_float(config->input) ? CLRADIO_CF32 : CLRADIO_CI8 },
        { "OUTPUT", config->output },
    };
    if (!status)
        status = clr_program_get(plan->device, "xengine_finish.cl", finish,
                                 sizeof finish / sizeof *finish, &plan->finish_program);
    if (!status)
        status = clr_kernel_create(plan->finish_program, "xengine_reduce", &plan->reduce_kernel);
    if (!status)
        status = clr_kernel_create(plan->finish_program, "xengine_dump", &plan->dump_kernel);
    return status;
}

static clradio_status input_used(void *engine, uint64_t count, uint64_t *bytes)
{
    const clradio_xengine *plan = engine;
    if (count > plan->config.spectra || !clr_xengine_spectra_bytes(&plan->config, count, bytes))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%" PRIu64 " spectra in one call; the plan was made for %" PRIu64, count,
                        plan->config.spectra);
    return CLRADIO_OK;
}

/* What a pipeline takes in and gives out besides spectra and visibilities. */
static clradio_status describe_validity(clradio_xengine *plan)
{
    const uint64_t inputs = (uint64_t)plan->config.stations * plan->config.polarisations;
    if (!plan->config.valid)
        return CLRADIO_OK;
    clr_xengine_valid_size(&plan->config, plan->config.spectra, &plan->plan.valid_bytes);
    plan->plan.output_bytes +=
        (plan->channel_output_values + inputs) * plan->config.channels * sizeof(uint64_t);
    return clr_xengine_get_validity(plan);
}

clradio_status clr_xengine_make(clradio_device *device, const clradio_xengine_config *config,
                                const clr_xengine_candidate *candidate, clradio_xengine **made)
{
    const uint64_t stations = config->stations;
    clradio_xengine *plan = calloc(1, sizeof *plan);
    if (!plan)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for an X-engine's plan");
    plan->device = clr_device_retain(device);
    plan->config = *config;
    plan->config.variant = plan->config.parameters = NULL;
    plan->candidate = *candidate;
    plan->baselines = stations * (stations + 1) / 2;
    plan->channel_sums_bytes =
        plan->baselines * config->polarisations * config->polarisations * CLR_WIDE_BYTES;
    plan->channel_output_values = clr_xengine_channel_values(config);
    plan->visibilities_bytes = clradio_xengine_visibilities_bytes(config);
    plan->plan = (clradio_plan){ .device = device,
                                 .engine = plan,
                                 .output_bytes = plan->visibilities_bytes,
                                 .input_used = input_used,
                                 .enqueue = clr_xengine_plan_enqueue };
    clr_xengine_spectra_bytes(config, config->spectra, &plan->plan.input_bytes);
    clradio_status status = get_programs(plan);
    if (!status)
        status = describe_validity(plan);
    if (!status)
        status = clr_xengine_get_reorder(plan);
    if (!status)
        status = candidate->variant->prepare(plan);
    if (!status)
        status = clr_xengine_take_memory(plan);
    if (status) {
        clradio_xengine_destroy(plan);
        return status;
    }
    *made = plan;
    return CLRADIO_OK;
}

clradio_status clradio_xengine_create(clradio_device *device, const clradio_xengine_config *config,
                                      clradio_xengine **plan)
{
    clradio_xengine_config checked;
    clr_xengine_candidate candidate = { 0 };
    clradio_status status, first = CLRADIO_OK;
    if (!device || !plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", device ? "plan" : "device");
    *plan = NULL;
    status = clr_xengine_check_config(device, config, &checked);
    if (status)
        return status;
    clr_set_aside better = { NULL, CLRADIO_OK };
    char sentence[512] = "";
    for (unsigned n = 0; clr_xengine_candidate_at(device, &checked, n, &candidate, &status); n++) {
        if (!status)
            status = clr_xengine_make(device, &checked, &candidate, plan);
        if (!status) {
            status = clr_xengine_self_test(*plan);
            if (!status) {
                clr_explain_set_aside(&better, (*plan)->candidate.reason, sizeof candidate.reason);
                return CLRADIO_OK;
            }
            clradio_xengine_destroy(*plan);
            *plan = NULL;
        }
        /* that a variant does not take such input explains less than how another one failed */
        if (!first || (first == CLRADIO_ERROR_UNSUPPORTED && status != CLRADIO_ERROR_UNSUPPORTED)) {
            first = status;
            snprintf(sentence, sizeof sentence, "%s", clradio_last_error());
        }
        if (!clr_next_may_serve(status))
            return status;
        if (candidate.variant)
            clr_note_set_aside(&better, candidate.variant->name, status);
        clr_log(CLRADIO_LOG_WARNING, "tune", "X-engine: a candidate is set aside: %s",
                clradio_last_error());
    }
    /* The best candidate's failure tells more than the last one's. */
    return sentence[0] ? clr_fail(first, "%s", sentence)
                       : clr_fail(CLRADIO_ERROR_INTERNAL, "the X-engine has no variant to try");
}

clradio_status clradio_xengine_get_info(const clradio_xengine *plan, clradio_xengine_info *info)
{
    if (!plan || !info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", plan ? "info" : "plan");
    if (info->struct_size != sizeof *info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "info.struct_size is %zu, not %zu",
                        info->struct_size, sizeof *info);
    const clradio_xengine_config *config = &plan->config;
    const uint64_t products = (uint64_t)config->polarisations * config->polarisations;
    const uint64_t factors[] = { 8 * products, plan->baselines, config->channels, config->spectra };
    memset(info, 0, sizeof *info);
    info->struct_size = sizeof *info;
    snprintf(info->variant, sizeof info->variant, "%s", plan->candidate.variant->name);
    plan->candidate.variant->describe(plan->candidate.values, info->parameters,
                                      sizeof info->parameters);
    snprintf(info->reason, sizeof info->reason, "%s", plan->candidate.reason);
    snprintf(info->unit, sizeof info->unit, "%s",
             plan->candidate.variant->unit
                 ? plan->candidate.variant->unit(config, plan->candidate.values)
             : clr_xengine_is_float(config->input) ? "fp32"
                                                   : "int32");
    if (!clr_product_u64(factors, 4, &info->operations))
        info->operations = UINT64_MAX;
    info->input_bytes = plan->plan.input_bytes;
    info->visibilities_bytes = plan->visibilities_bytes;
    info->valid_bytes = plan->plan.valid_bytes;
    info->visibilities_count = plan->channel_output_values * config->channels;
    info->memory_bytes = plan->memory_bytes;
    info->output = config->output;
    info->block_times = config->block_times;
    if (!plan->sum_kernel)
        return CLRADIO_OK;
    info->registers = clr_kernel_registers(plan->sum_kernel);
    clradio_status status =
        clr_kernel_limits(plan->sum_kernel, NULL, &info->local_bytes, &info->private_bytes);
    /* of an array that the launch sizes CUDA's kernel knows nothing */
    if (!status && plan->candidate.variant->large_local_bytes &&
        strcmp(clr_device_info(plan->device)->back_end, "cuda") == 0)
        info->local_bytes += plan->candidate.variant->large_local_bytes(plan);
    return status;
}

clradio_status clradio_xengine_reset(clradio_xengine *plan)
{
    if (!plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan is NULL");
    plan->state = CLR_SUMS_EMPTY;
    return CLRADIO_OK;
}

clradio_plan *clradio_xengine_plan(clradio_xengine *plan)
{
    return plan ? &plan->plan : NULL;
}

void clradio_xengine_destroy(clradio_xengine *plan)
{
    if (!plan)
        return;
    /* What is in flight keeps its memory and kernels alive by itself. */
    clradio_event_destroy(plan->last);
    if (plan->variant_state)
        plan->candidate.variant->release(plan);
    for (uint32_t i = 0; i < plan->accumulator_count; i++)
        clradio_buffer_destroy(plan->accumulators[i]);
    free(plan->accumulators);
    clradio_buffer_destroy(plan->partials);
    clr_xengine_release_reorder(plan);
    clr_xengine_release_validity(plan);
    clr_kernel_release(plan->sum_kernel);
    clr_kernel_release(plan->reduce_kernel);
    clr_kernel_release(plan->dump_kernel);
    clr_program_release(plan->sum_program);
    clr_program_release(plan->finish_program);
    clradio_device_close(plan->device);
    free(plan);
}
