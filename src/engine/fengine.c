/* The F-engine's plan: created, asked, reset, destroyed. */
#include "engine/fengine.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>

/* Writes floats to a buffer that nothing uses yet. */
static clradio_status fill_table(clradio_queue *queue, clradio_buffer *buffer, const double *values,
                                 uint64_t count)
{
    float *table = malloc((size_t)count * sizeof *table);
    if (!table)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a table of %llu numbers",
                        (unsigned long long)count);
    for (uint64_t i = 0; i < count; i++)
        table[i] = (float)values[i];
    clradio_status status = clradio_buffer_write(queue, (clradio_span){ buffer, 0 }, table,
                                                 count * sizeof *table, 0, NULL, NULL);
    free(table);
    return status;
}

/* The prototype, and for real voltages exp(-pi i k / channels). */
static clradio_status fill_tables(clradio_fengine *plan, clradio_queue *queue)
{
    uint64_t points = (uint64_t)plan->config.taps * plan->sizes.length;
    uint64_t channels = plan->config.channels;
    double *values =
        malloc((size_t)(points > 2 * channels ? points : 2 * channels) * sizeof *values);
    if (!values)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a filter of %llu points",
                        (unsigned long long)points);
    clradio_status status = clradio_fengine_prototype(&plan->config, values);
    if (!status)
        status = fill_table(queue, plan->prototype, values, points);
    for (uint64_t k = 0; plan->sizes.real && k < channels; k++) {
        double angle = -3.14159265358979323846 * (double)k / (double)channels;
        values[2 * k] = cos(angle);
        values[2 * k + 1] = sin(angle);
    }
    if (!status && plan->sizes.real)
        status = fill_table(queue, plan->twiddles, values, 2 * channels);
    free(values);
    return status;
}

static clradio_status get_kernels(clradio_fengine *plan)
{
    clr_macro macros[2];
    size_t n = clr_fengine_macros(plan->config.input, macros);
    clradio_status status =
        clr_program_get(plan->device, "fengine_pfb.cl", macros, n, &plan->pfb_program);
    if (!status) /* the second macro alone: INPUT_COMPLEX */
        status =
            clr_program_get(plan->device, "fengine_order.cl", macros + 1, 1, &plan->order_program);
    if (!status)
        status = clr_kernel_create(plan->pfb_program, "fengine_pfb", &plan->pfb);
    if (!status)
        status = clr_kernel_create(plan->order_program, "fengine_order", &plan->order);
    return status;
}

clradio_status clr_fengine_make(clradio_device *device, const clradio_fengine_config *config,
                                int tested, clradio_fengine **plan)
{
    *plan = NULL;
    clr_fengine_sizes sizes;
    clradio_status status = clr_fengine_sizes_of(config, &sizes);
    if (!status && config->channels > 1)
        status = clr_fft_check_length(device, config->channels);
    /* The filter's loops over the taps, of the history and of the call. */
    const uint64_t most_taps = clr_device_loop_rounds(device) - 2;
    if (!status && config->taps > most_taps)
        status =
            clr_fail(CLRADIO_ERROR_LIMIT,
                     "%u taps need longer loops than the driver of %s lets run; the largest "
                     "number is %llu",
                     config->taps, clr_device_info(device)->name, (unsigned long long)most_taps);
    if (status)
        return status;
    clradio_fengine *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for an F-engine");
    made->device = clr_device_retain(device);
    made->config = *config;
    made->sizes = sizes;
    clradio_queue *queue = NULL;
    status = clradio_queue_create(device, 0, &queue);
    if (!status)
        status = get_kernels(made);
    if (!status)
        status = clr_fengine_choose_pieces(made, queue);
    if (!status && tested)
        status = clr_fengine_self_test(made, queue);
    if (!status)
        status = clr_fengine_allocate(made);
    if (!status)
        status = fill_tables(made, queue);
    clradio_queue_destroy(queue);
    if (status) {
        clradio_fengine_destroy(made);
        return status;
    }
    *plan = made;
    return CLRADIO_OK;
}

clradio_status clradio_fengine_create(clradio_device *device, const clradio_fengine_config *config,
                                      clradio_fengine **plan)
{
    if (!device || !plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "device or plan is NULL");
    return clr_fengine_make(device, config, 1, plan);
}

uint64_t clradio_fengine_spectra_out(const clradio_fengine *plan, uint64_t spectra_count)
{
    if (!plan)
        return 0;
    uint64_t missing = plan->sizes.ring - plan->ring_count;
    return spectra_count > missing ? spectra_count - missing : 0;
}

clradio_status clradio_fengine_get_info(const clradio_fengine *plan, clradio_fengine_info *info)
{
    if (!plan || !info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan or info is NULL");
    if (info->struct_size != sizeof *info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "info.struct_size is %zu: start from CLRADIO_FENGINE_INFO_INIT",
                        info->struct_size);
    info->transform_length = plan->sizes.length;
    info->history_spectra = plan->ring_count;
    info->voltages_bytes = plan->sizes.voltages_bytes;
    info->spectra_bytes = plan->sizes.spectra_bytes;
    info->memory_bytes = plan->memory_bytes;
    clr_copy_text(info->library, sizeof info->library, clr_fft_library_name(plan->device));
    return CLRADIO_OK;
}

clradio_status clradio_fengine_reset(clradio_fengine *plan)
{
    if (!plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan is NULL");
    plan->ring_start = plan->ring_count = 0;
    return CLRADIO_OK;
}

void clradio_fengine_destroy(clradio_fengine *plan)
{
    if (!plan)
        return;
    clradio_event_destroy(plan->last);
    for (unsigned i = 0; i < plan->rung_count; i++)
        clr_fft_destroy(plan->rungs[i].fft);
    clr_kernel_release(plan->pfb);
    clr_kernel_release(plan->order);
    clr_program_release(plan->pfb_program);
    clr_program_release(plan->order_program);
    clradio_buffer_destroy(plan->prototype);
    clradio_buffer_destroy(plan->twiddles);
    clradio_buffer_destroy(plan->history);
    clradio_buffer_destroy(plan->work);
    clradio_buffer_destroy(plan->temporary);
    clradio_device_close(plan->device);
    free(plan);
}
