/* The detector's plan: create, information, destroy. Enqueueing is in detector_enqueue.c. */
#include "engine/detector_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clradio_status copy_arrays(clradio_detector *plan, const clradio_detector_config *config)
{
    for (uint32_t s = 0; s < config->transmit; s++)
        plan->modulations[s] = clr_detector_modulation(config, s);
    plan->config.stream_modulations = plan->modulations;
    plan->config.variant = plan->config.parameters = plan->config.launch_parameters = NULL;
    plan->config.alphabet = NULL;
    if (plan->modulations[0] != CLRADIO_ALPHABET)
        return CLRADIO_OK;
    plan->alphabet = malloc(2 * config->alphabet_size * sizeof *plan->alphabet);
    if (!plan->alphabet)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for an alphabet");
    memcpy(plan->alphabet, config->alphabet, 2 * config->alphabet_size * sizeof *plan->alphabet);
    plan->config.alphabet = plan->alphabet;
    return CLRADIO_OK;
}

static void find_shape(clradio_detector *plan)
{
    clr_detector_shape *shape = &plan->shape;
    const clradio_detector_config *config = &plan->config;
    shape->bits = clradio_detector_bits(config);
    shape->symbol_bytes = clradio_detector_symbol_bytes(config);
    clr_modulation_axes(plan->modulations[0], &shape->points, &shape->points);
    for (uint32_t s = 0; s < config->transmit; s++) {
        uint32_t points[2];
        clr_modulation_axes(plan->modulations[s], &points[0], &points[1]);
        if (plan->modulations[s] == CLRADIO_ALPHABET)
            shape->levels += 2;
        else
            shape->levels += (points[0] > 1) + (points[1] > 1);
        if (points[0] != points[1] || points[0] != shape->points)
            shape->points = 0;
    }
    shape->whitened = config->noise >= CLRADIO_NOISE_COVARIANCE;
    shape->factors_for = config->noise == CLRADIO_NOISE_COVARIANCE_CHANNEL  ? 1
                         : config->noise == CLRADIO_NOISE_COVARIANCE_VECTOR ? 2
                                                                            : 0;
    /* a covariance for each vector makes a whitened channel for each */
    shape->shared = config->vectors_per_channel != 1 && shape->factors_for != 2;
}

clradio_status clr_detector_make(clradio_device *device, const clradio_detector_config *checked,
                                 clradio_detector **made)
{
    clradio_detector *plan = calloc(1, sizeof *plan);
    if (!plan)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a detector's plan");
    plan->device = clr_device_retain(device);
    plan->config = *checked;
    clradio_status status = copy_arrays(plan, checked);
    if (!status) {
        find_shape(plan);
        status = clr_detector_choose(plan, checked->variant, checked->parameters);
    }
    if (!status)
        status = clr_detector_launch_settle(plan, checked->launch_parameters);
    if (!status)
        status = clr_detector_get_programs(plan);
    if (!status)
        status = clr_detector_take_memory(plan);
    if (status) {
        clradio_detector_destroy(plan);
        return status;
    }
    *made = plan;
    return CLRADIO_OK;
}

clradio_status clradio_detector_create(clradio_device *device,
                                       const clradio_detector_config *config,
                                       clradio_detector **plan)
{
    clradio_detector_config checked;
    if (!device || !plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", device ? "plan" : "device");
    *plan = NULL;
    clradio_status status = clr_detector_check_config(config, &checked);
    if (!status)
        status = clr_detector_make(device, &checked, plan);
    if (!status)
        status = clr_detector_self_test(*plan);
    if (status) {
        clradio_detector_destroy(*plan);
        *plan = NULL;
    }
    return status;
}

/* Those parameters that the variant has. */
static void describe(const clradio_detector *plan, char *text, size_t room)
{
    const int lane = plan->variant == CLR_DETECTOR_LANE,
              group = plan->variant == CLR_DETECTOR_GROUP;
    const int shown[CLR_DETECTOR_PARAMETERS] = {
        [CLR_DETECTOR_CTA_SIZE] = lane || group,
        [CLR_DETECTOR_TREES] = lane || group,
        [CLR_DETECTOR_REFILL] = lane,
        [CLR_DETECTOR_QUEUE] = lane,
        [CLR_DETECTOR_STACK] = lane,
        [CLR_DETECTOR_ROUND] = plan->again || group,
        [CLR_DETECTOR_AGAIN] = plan->again != 0,
        [CLR_DETECTOR_STEPS] = lane,
        [CLR_DETECTOR_FLAT] = lane,
        [CLR_DETECTOR_HALVES] = lane,
        [CLR_DETECTOR_SETS] = plan->prepare != 0,
        [CLR_DETECTOR_DESCENT] = lane,
        [CLR_DETECTOR_PAIRS] = plan->variant != CLR_DETECTOR_WIDE,
        [CLR_DETECTOR_COMPENSATED] = plan->again && plan->variant != CLR_DETECTOR_WIDE,
        [CLR_DETECTOR_COLUMNS] = plan->prepare && !plan->shape.shared,
        [CLR_DETECTOR_FRONTS] = plan->config.method == CLRADIO_DETECTOR_KBEST && !plan->alphabet,
    };
    clr_parameters_write(clr_detector_parameters, CLR_DETECTOR_PARAMETERS, plan->values, shown,
                         text, room);
}

clradio_status clradio_detector_get_info(const clradio_detector *plan, clradio_detector_info *info)
{
    if (!plan || !info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", plan ? "info" : "plan");
    if (info->struct_size != sizeof *info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "info.struct_size is %zu, not %zu",
                        info->struct_size, sizeof *info);
    const clradio_detector_config *config = &plan->config;
    memset(info, 0, sizeof *info);
    info->struct_size = sizeof *info;
    snprintf(info->variant, sizeof info->variant, "%s", clr_detector_variant_name(plan));
    describe(plan, info->parameters, sizeof info->parameters);
    snprintf(info->reason, sizeof info->reason, "%s", plan->reason);
    info->bits = plan->shape.bits;
    info->symbol_bytes = plan->shape.symbol_bytes;
    info->batch = plan->batch;
    info->node_budget = plan->node_budget;
    info->final_budget = plan->final_budget;
    info->precision =
        plan->variant == CLR_DETECTOR_WIDE ? CLRADIO_PRECISION_DOUBLE : CLRADIO_PRECISION_FLOAT;
    const uint64_t rx = config->receive, tx = config->transmit, all = config->vectors;
    const uint64_t channels = clradio_detector_channels(config, all);
    info->input_bytes = 8 * (all * rx + channels * rx * tx);
    switch (config->noise) {
    case CLRADIO_NOISE_PER_VECTOR: info->input_bytes += 4 * all; break;
    case CLRADIO_NOISE_COVARIANCE: info->input_bytes += 8 * rx * rx; break;
    case CLRADIO_NOISE_COVARIANCE_CHANNEL: info->input_bytes += 8 * rx * rx * channels; break;
    case CLRADIO_NOISE_COVARIANCE_VECTOR: info->input_bytes += 8 * rx * rx * all; break;
    default: break;
    }
    info->output_bytes = all * tx * plan->shape.symbol_bytes;
    info->memory_bytes = plan->memory_bytes;
    snprintf(info->launch, sizeof info->launch, "%s", clr_launch_name(config->launch));
    clr_detector_launch_write(plan, info->launch_parameters, sizeof info->launch_parameters);
    if (!plan->search)
        return CLRADIO_OK;
    info->registers = clr_kernel_registers(plan->search);
    return clr_kernel_limits(plan->search, NULL, &info->local_bytes, &info->private_bytes);
}

void clradio_detector_destroy(clradio_detector *plan)
{
    if (!plan)
        return;
    clradio_buffer *const buffers[] = {
        plan->model,    plan->list,   plan->counters, plan->steps,
        plan->partials, plan->failed, plan->started,  plan->report
    };
    clradio_event_destroy(plan->last);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        clradio_buffer_destroy(buffers[i]);
    for (size_t i = 0; i < CLR_DETECTOR_MOST_SETS; i++) {
        clradio_buffer *const of_set[] = { plan->work[i].channel, plan->work[i].vector,
                                           plan->work[i].factor,  plan->work[i].left,
                                           plan->work[i].status,  plan->work[i].nodes };
        for (size_t n = 0; n < sizeof of_set / sizeof *of_set; n++)
            clradio_buffer_destroy(of_set[n]);
    }
    clradio_queue_destroy(plan->side);
    clr_detector_release_programs(plan);
    clradio_device_close(plan->device);
    free(plan->alphabet);
    free(plan);
}
