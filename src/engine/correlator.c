/* The correlator's plan: created, asked, reset, destroyed. Enqueueing is in correlator_enqueue.c.
 */
#include "base/checked.h"
#include "engine/correlator_internal.h"

#include <stdlib.h>

static clradio_status check_config(const clradio_correlator_config *config)
{
    uint64_t all;
    if (config->struct_size != sizeof *config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.struct_size is %zu, not %zu: start from "
                        "CLRADIO_CORRELATOR_CONFIG_INIT of the library's own headers",
                        config->struct_size, sizeof *config);
    if (!config->bands || !config->channels)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "bands and channels must be at least 1");
    if (!clr_mul_u64(config->bands, config->channels, &all) || all > UINT32_MAX)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%u bands of %u channels are more than 2^32 - 1",
                        config->bands, config->channels);
    if (config->reversed != 0 && config->reversed != 1)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "reversed is %d, it must be 0 or 1",
                        config->reversed);
    if (config->valid != 0 && config->valid != 1)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "valid is %d, it must be 0 or 1", config->valid);
    if (config->channels > 1)
        return CLRADIO_OK;
    if (config->input == CLRADIO_I8 || config->input == CLRADIO_I16 || config->input == CLRADIO_F32)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "channels = 1 means no transform: the voltages must be complex, they are "
                        "%s",
                        clradio_type_name(config->input));
    if (config->taps != 1)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "channels = 1 means no transform: taps must be 1, it is %u", config->taps);
    return CLRADIO_OK;
}

static uint64_t blocks_bytes(const clradio_correlator *plan, uint64_t count)
{
    return count * plan->block_bytes;
}

/* Sizes of the arrays that a call takes. */
static clradio_status size_arrays(clradio_correlator *plan)
{
    const clradio_correlator_config *config = &plan->config;
    const uint64_t block[] = { config->bands, config->stations, config->polarisations,
                               clradio_type_bytes(config->input) };
    uint64_t all;
    plan->element_bytes = clradio_type_bytes(config->input);
    if (config->channels > 1)
        plan->block_bytes = plan->sizes.block_bytes;
    else if (!clr_product_u64(block, 4, &plan->block_bytes))
        plan->block_bytes = UINT64_MAX;
    if (!clr_mul_u64(plan->block_bytes, config->spectra, &all))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the voltages of %llu spectra pass 2^64 bytes",
                        (unsigned long long)config->spectra);
    return CLRADIO_OK;
}

static clradio_status get_reverse(clradio_correlator *plan)
{
    if (plan->config.channels > 1 || !plan->config.reversed || plan->config.bands == 1)
        return CLRADIO_OK;
    clradio_status status =
        clr_program_get(plan->device, "correlator_reverse.cl", NULL, 0, &plan->reverse_program);
    if (!status)
        status = clr_kernel_create(plan->reverse_program, "correlator_reverse", &plan->reverse);
    return status;
}

/* ---- as the pipeline sees it ---- */

static clradio_status plan_input_used(void *engine, uint64_t count, uint64_t *bytes)
{
    const clradio_correlator *plan = engine;
    if (count > plan->config.spectra)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%llu transforms' worth of samples; the plan takes at most %llu a call",
                        (unsigned long long)count, (unsigned long long)plan->config.spectra);
    *bytes = blocks_bytes(plan, count);
    return CLRADIO_OK;
}

static clradio_status plan_enqueue(void *engine, clradio_queue *queue, const clr_plan_call *call,
                                   size_t n_wait, clradio_event *const *wait, clradio_event **done)
{
    clradio_correlator_io io = CLRADIO_CORRELATOR_IO_INIT;
    io.voltages = call->input;
    io.valid = call->valid;
    io.visibilities = call->output;
    io.overflow = call->overflow;
    io.spectra_count = call->count;
    io.flags = call->flags;
    return clradio_correlator_enqueue(engine, queue, &io, n_wait, wait, done);
}

static void describe_plan(clradio_correlator *plan)
{
    const clradio_correlator_config *config = &plan->config;
    plan->plan = (clradio_plan){ .device = plan->device,
                                 .engine = plan,
                                 .input_bytes = blocks_bytes(plan, config->spectra),
                                 .output_bytes = plan->xengine_info.visibilities_bytes,
                                 .input_used = plan_input_used,
                                 .enqueue = plan_enqueue };
    if (plan->fengine || config->valid)
        plan->plan.valid_bytes = config->spectra * clr_correlator_inputs(plan);
}

/* ---- the interface ---- */

clradio_status clradio_correlator_create(clradio_device *device,
                                         const clradio_correlator_config *config,
                                         clradio_correlator **plan)
{
    if (!device || !config || !plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "device, config or plan is NULL");
    *plan = NULL;
    clradio_status status = check_config(config);
    if (status)
        return status;
    clradio_correlator *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a correlator");
    made->device = clr_device_retain(device);
    made->config = *config;
    made->config.variant = made->config.parameters = NULL;
    status = clr_correlator_take_engines(made, config);
    if (!status)
        status = size_arrays(made);
    if (!status)
        status = get_reverse(made);
    if (status) {
        clradio_correlator_destroy(made);
        return status;
    }
    describe_plan(made);
    *plan = made;
    return CLRADIO_OK;
}

uint64_t clradio_correlator_spectra_out(const clradio_correlator *plan, uint64_t spectra_count)
{
    if (!plan)
        return 0;
    return plan->fengine ? clradio_fengine_spectra_out(plan->fengine, spectra_count)
                         : spectra_count;
}

clradio_status clradio_correlator_get_info(const clradio_correlator *plan,
                                           clradio_correlator_info *info)
{
    if (!plan || !info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan or info is NULL");
    if (info->struct_size != sizeof *info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "info.struct_size is %zu: start from CLRADIO_CORRELATOR_INFO_INIT",
                        info->struct_size);
    info->transform_length = plan->fengine ? plan->sizes.length : 1;
    info->voltages_bytes = plan->plan.input_bytes;
    info->visibilities_bytes = plan->plan.output_bytes;
    info->memory_bytes = plan->memory_bytes;
    info->xengine = plan->xengine_info;
    return CLRADIO_OK;
}

clradio_status clradio_correlator_reset(clradio_correlator *plan)
{
    if (!plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan is NULL");
    clradio_status status = plan->fengine ? clradio_fengine_reset(plan->fengine) : CLRADIO_OK;
    return status ? status : clradio_xengine_reset(plan->xengine);
}

clradio_plan *clradio_correlator_plan(clradio_correlator *plan)
{
    return plan ? &plan->plan : NULL;
}

void clradio_correlator_destroy(clradio_correlator *plan)
{
    if (!plan)
        return;
    clradio_event_destroy(plan->last);
    clradio_fengine_destroy(plan->fengine);
    clradio_xengine_destroy(plan->xengine);
    clradio_buffer_destroy(plan->spectra);
    clr_kernel_release(plan->reverse);
    clr_program_release(plan->reverse_program);
    clradio_device_close(plan->device);
    free(plan);
}
