/* The channel DFT's plan: create, information, destroy. */
#include "engine/choice.h"
#include "engine/dft_stream.h"

#include "base/checked.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A factor as mantissa (53 bits), exponent and sign. */
static void split_double(double value, uint64_t factor[2])
{
    int exponent;
    const double fraction = frexp(fabs(value), &exponent);
    factor[0] = (uint64_t)ldexp(fraction, 53);
    factor[1] = (uint32_t)(exponent - 53) | (uint64_t)(value < 0) << 32;
}

/* (high:low) shifted left by `shift` bits, right where it is negative; bits that leave are lost. */
static void shift_128(uint64_t *high, uint64_t *low, int shift)
{
    for (; shift > 0; shift--) {
        *high = *high << 1 | *low >> 63;
        *low <<= 1;
    }
    for (; shift < 0; shift++) {
        *low = *low >> 1 | *high << 63;
        *high >>= 1;
    }
}

/* The fraction of a x b, 128 bits below the point, high part first. */
static void split_turns(double a, double b, uint64_t factor[2])
{
    uint64_t fa[2], fb[2];
    split_double(a, fa);
    split_double(b, fb);
    const int exponent = (int)(int32_t)(uint32_t)fa[1] + (int)(int32_t)(uint32_t)fb[1];
    const uint64_t a_high = fa[0] >> 32, a_low = (uint32_t)fa[0];
    const uint64_t b_high = fb[0] >> 32, b_low = (uint32_t)fb[0];
    /* 53 bits each: the two middle products, below 2^53, do not overflow */
    const uint64_t middle = a_high * b_low + a_low * b_high;
    uint64_t low = a_low * b_low;
    uint64_t high = a_high * b_high + (middle >> 32);
    low += middle << 32;
    high += low < middle << 32;
    const int shift = exponent + 128;
    if (shift >= 128 || shift <= -128)
        high = low = 0;
    else
        shift_128(&high, &low, shift);
    if ((a < 0) != (b < 0)) {
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    factor[0] = high;
    factor[1] = low;
}

/* A frequency as the kernels multiply it with a delay. */
static void split_frequency(const clradio_dft_config *config, double hz, uint64_t factor[2])
{
    if (config->delay == CLRADIO_DELAY_SECONDS)
        split_double(hz, factor);
    else
        split_turns(hz, config->sample_period_s, factor);
}

size_t clr_dft_common_macros(const clradio_dft_config *config, clr_macro *macros)
{
    macros[0] = (clr_macro){ "REAL64", config->type == CLRADIO_CF64 };
    macros[1] = (clr_macro){ "DELAY", config->delay };
    return 2;
}

int clr_dft_links_are_rows(const clradio_dft_config *config)
{
    return config->delay == CLRADIO_DELAY_CONSECUTIVE &&
           config->order == CLRADIO_DFT_PATH_SUBCARRIER;
}

clradio_status clr_dft_check_local(const clradio_device_info *device, uint64_t bytes)
{
    if (device->local_memory_bytes && bytes > device->local_memory_bytes)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "these parameters need %" PRIu64 " bytes of local memory; %s has %" PRIu64,
                        bytes, device->name, device->local_memory_bytes);
    return CLRADIO_OK;
}

static clradio_status get_programs(clradio_dft *plan)
{
    const clr_dft_variant *variant = plan->candidate.variant;
    clr_macro macros[CLR_MOST_PARAMETERS + 8];
    size_t n = clr_dft_common_macros(&plan->config, macros);
    clradio_status status = CLRADIO_OK;
    if (plan->config.normalisation == CLRADIO_NORMALISE_LINK) {
        status = clr_program_get(plan->device, "dft_link.cl", macros, 1, &plan->link_program);
        if (!status)
            status =
                clr_kernel_create(plan->link_program, "dft_link_normalise", &plan->link_kernel);
    }
    if (status || !variant->source)
        return status;
    n += variant->macros(&plan->config, plan->candidate.values, macros + n);
    status = clr_program_get(plan->device, variant->source, macros, n, &plan->program);
    if (!status)
        status = clr_kernel_create(plan->program, variant->entry, &plan->kernel);
    return status ? status : clr_dft_get_parent(plan, macros, n, variant->inner, &plan->parent);
}

clradio_status clr_dft_get_small_kernel(clradio_dft *plan)
{
    clr_macro macros[CLR_MOST_PARAMETERS + 8];
    if (plan->small_kernel)
        return CLRADIO_OK;
    size_t n = clr_dft_common_macros(&plan->config, macros);
    n += clr_dft_direct.macros(&plan->config, plan->small_values, macros + n);
    clradio_status status =
        clr_program_get(plan->device, clr_dft_direct.source, macros, n, &plan->small_program);
    if (!status)
        status = clr_kernel_create(plan->small_program, clr_dft_direct.entry, &plan->small_kernel);
    return status ? status
                  : clr_dft_get_parent(plan, macros, n, clr_dft_direct.inner, &plan->small_parent);
}

static clradio_status upload_frequencies(clradio_dft *plan, const clradio_dft_config *config)
{
    const size_t bytes = config->subcarriers * sizeof(uint64_t[2]);
    uint64_t(*factors)[2] = malloc(bytes);
    clradio_queue *queue = NULL;
    if (!factors)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %u frequencies", config->subcarriers);
    for (uint32_t k = 0; k < config->subcarriers; k++)
        split_frequency(config, config->frequencies_hz[k], factors[k]);
    clradio_status status = clradio_queue_create(plan->device, 0, &queue);
    if (!status)
        status = clradio_buffer_create(plan->device, bytes, &plan->frequencies);
    if (!status)
        status = clradio_buffer_write(queue, (clradio_span){ plan->frequencies, 0 }, factors, bytes,
                                      0, NULL, NULL);
    plan->memory_bytes += bytes;
    clradio_queue_destroy(queue);
    free(factors);
    return status;
}

clradio_status clr_dft_make(clradio_device *device, const clradio_dft_config *config,
                            const clr_dft_candidate *candidate, clradio_dft **made)
{
    clradio_dft *plan = calloc(1, sizeof *plan);
    if (!plan)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a channel DFT's plan");
    plan->device = clr_device_retain(device);
    plan->config = *config;
    plan->config.variant = plan->config.parameters = plan->config.launch_parameters = NULL;
    plan->grid = clr_dft_grid_of(config);
    plan->candidate = *candidate;
    clr_dft_direct.preset(device, config, plan->small_values);
    split_frequency(config, plan->grid.half_spacing_hz, plan->unit);
    split_frequency(config, plan->grid.base_hz, plan->base);
    split_double(config->time_step_s, plan->time);
    clradio_status status = clr_dft_launch_settle(plan, config);
    if (!status)
        status = get_programs(plan);
    if (!status && plan->grid.listed)
        status = upload_frequencies(plan, config);
    if (!status && candidate->variant->prepare)
        status = candidate->variant->prepare(plan);
    plan->config.frequencies_hz = NULL;
    if (status) {
        clradio_dft_destroy(plan);
        return status;
    }
    *made = plan;
    return CLRADIO_OK;
}

static clradio_status check(clradio_device *device, const clradio_dft_config *config)
{
    clradio_status status = clr_dft_check_config(config);
    if (!status && config->type == CLRADIO_CF64 && !clr_device_info(device)->fp64)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "%s has no double precision: cf64 cannot be",
                        clr_device_info(device)->name);
    return status;
}

clradio_status clradio_dft_create(clradio_device *device, const clradio_dft_config *config,
                                  clradio_dft **plan)
{
    clr_dft_candidate candidate = { 0 };
    clradio_status status, first = CLRADIO_OK;
    clr_set_aside better = { NULL, CLRADIO_OK };
    char sentence[512] = "";
    if (!device || !plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", device ? "plan" : "device");
    *plan = NULL;
    status = check(device, config);
    if (status)
        return status;
    for (unsigned n = 0; clr_dft_candidate_at(device, config, n, &candidate, &status); n++) {
        if (!status)
            status = clr_dft_make(device, config, &candidate, plan);
        if (!status) {
            status = clr_dft_self_test(*plan, config);
            if (!status) {
                clr_explain_set_aside(&better, (*plan)->candidate.reason, sizeof candidate.reason);
                return CLRADIO_OK;
            }
            clradio_dft_destroy(*plan);
            *plan = NULL;
        }
        if (!first) {
            first = status;
            snprintf(sentence, sizeof sentence, "%s", clradio_last_error());
        }
        if (!clr_next_may_serve(status))
            return status;
        if (candidate.variant)
            clr_note_set_aside(&better, candidate.variant->name, status);
        clr_log(CLRADIO_LOG_WARNING, "tune", "channel DFT: a candidate is set aside: %s",
                clradio_last_error());
    }
    /* The best candidate's failure tells more than the last one's. */
    return sentence[0] ? clr_fail(first, "%s", sentence)
                       : clr_fail(CLRADIO_ERROR_INTERNAL, "the channel DFT has no variant to try");
}

clradio_status clradio_dft_get_info(const clradio_dft *plan, clradio_dft_info *info)
{
    if (!plan || !info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", plan ? "info" : "plan");
    if (info->struct_size != sizeof *info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "info.struct_size is %zu, not %zu",
                        info->struct_size, sizeof *info);
    const clr_dft_variant *variant = plan->candidate.variant;
    *info = (clradio_dft_info)CLRADIO_DFT_INFO_INIT;
    snprintf(info->variant, sizeof info->variant, "%s", variant->name);
    clr_parameters_write(variant->parameters, variant->n_parameters, plan->candidate.values, NULL,
                         info->parameters, sizeof info->parameters);
    snprintf(info->reason, sizeof info->reason, "%s", plan->candidate.reason);
    snprintf(info->launch, sizeof info->launch, "%s", clr_launch_name(plan->config.launch));
    clr_dft_launch_write(plan, info->launch_parameters, sizeof info->launch_parameters);
    info->values = plan->grid.values;
    info->memory_bytes = plan->memory_bytes;
    info->error_bound = variant->error_bound(&plan->config, plan->candidate.values);
    if (!plan->kernel)
        return CLRADIO_OK;
    info->registers = clr_kernel_registers(plan->kernel);
    return clr_kernel_limits(plan->kernel, NULL, &info->local_bytes, &info->private_bytes);
}

void clradio_dft_destroy(clradio_dft *plan)
{
    if (!plan)
        return;
    /* What is in flight keeps its memory and kernels alive by itself. */
    clradio_event_destroy(plan->last);
    clr_dft_streams_destroy(plan->streams);
    if (plan->variant_state)
        plan->candidate.variant->release(plan);
    clradio_buffer_destroy(plan->frequencies);
    clr_kernel_release(plan->kernel);
    clr_kernel_release(plan->link_kernel);
    clr_kernel_release(plan->small_kernel);
    clr_kernel_release(plan->parent.kernel);
    clr_kernel_release(plan->small_parent.kernel);
    clr_program_release(plan->parent.program);
    clr_program_release(plan->small_parent.program);
    clr_program_release(plan->small_program);
    clr_program_release(plan->program);
    clr_program_release(plan->link_program);
    clradio_device_close(plan->device);
    free(plan);
}
