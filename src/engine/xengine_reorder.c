/*
 * The X-engine's input brought into the layout that a variant reads, zeroed where it is not valid:
 * scratch memory for a chunk of channels and times, and the launch of cl/xengine_layout.cl that
 * fills it.
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"

/* A chunk that fills the device: with 32 MiB an H200 summed 5 channels of 512 stations at a time
 * and took a third longer. A processor has no more work-groups at once than its caches hold. */
static uint64_t usual_scratch_bytes(const clradio_xengine *plan)
{
    return clr_device_info(plan->device)->kind == CLRADIO_DEVICE_CPU ? (uint64_t)32 << 20
                                                                     : (uint64_t)256 << 20;
}

enum { TILE = 32, GROUP = 64 };

static uint64_t inputs_of(const clradio_xengine *plan)
{
    return (uint64_t)plan->config.stations * plan->config.polarisations;
}

clradio_status clr_xengine_get_reorder(clradio_xengine *plan)
{
    const clradio_xengine_config *config = &plan->config;
    const clr_xengine_variant *variant = plan->candidate.variant;
    clr_xengine_reorder *reorder = &plan->reorder;
    const clr_macro macros[] = { { "SAMPLE_BYTES", (int64_t)clradio_type_bytes(config->input) } };
    reorder->to = CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
    reorder->times = 0;
    if (variant->layout) {
        reorder->to = config->layout;
        reorder->times = config->block_times;
        variant->layout(config, plan->candidate.values, &reorder->to, &reorder->times);
    }
    reorder->always = reorder->to != config->layout || reorder->times != config->block_times;
    if (!reorder->always && !config->valid)
        return CLRADIO_OK;
    reorder->times = reorder->to == CLRADIO_LAYOUT_BLOCKED ? reorder->times : 1;
    clradio_status status =
        clr_program_get(plan->device, "xengine_layout.cl", macros, 1, &reorder->program);
    return status ? status
                  : clr_kernel_create(reorder->program, "xengine_layout", &reorder->kernel);
}

/* The smallest piece: one block of times of one channel, with whole words of bitmaps. */
static uint64_t piece_times(const clradio_xengine *plan)
{
    const uint64_t times = plan->reorder.times;
    return plan->config.valid ? times * clr_ceil_div(32, times) : times;
}

static uint64_t piece_bytes(const clradio_xengine *plan)
{
    const uint64_t times = piece_times(plan);
    return inputs_of(plan) * clradio_type_bytes(plan->config.input) * times +
           clr_xengine_bits_bytes(plan, 1, times);
}

uint64_t clr_xengine_least_scratch(const clradio_xengine *plan)
{
    return plan->reorder.program ? piece_bytes(plan) : 0;
}

clradio_status clr_xengine_take_scratch(clradio_xengine *plan, uint64_t room)
{
    clr_xengine_reorder *reorder = &plan->reorder;
    const uint64_t piece = piece_bytes(plan);
    const uint64_t times = piece_times(plan);
    const uint64_t pieces = clr_ceil_div(plan->config.spectra, times);
    const uint64_t fitting =
        clr_min_u64(room, clr_max_u64(usual_scratch_bytes(plan), piece)) / piece;
    uint64_t channels = 1, taken = fitting;
    if (fitting >= pieces) {
        channels = clr_min_u64(fitting / pieces, clr_min_u64(plan->config.channels, 65535));
        taken = pieces;
    }
    if (!fitting)
        return clr_fail(CLRADIO_ERROR_LIMIT, "one spectrum passes the largest buffer of %s",
                        clr_device_info(plan->device)->name);
    reorder->channels = (uint32_t)channels;
    reorder->spectra = taken * times;
    const uint64_t bits = clr_xengine_bits_bytes(plan, reorder->channels, reorder->spectra);
    const uint64_t bytes =
        channels * reorder->spectra * inputs_of(plan) * clradio_type_bytes(plan->config.input);
    clradio_status status = clradio_buffer_create(plan->device, bytes, &reorder->scratch);
    if (!status && bits)
        status = clradio_buffer_create(plan->device, bits, &plan->validity.bits);
    if (!status)
        plan->memory_bytes += bytes + bits;
    return status;
}

void clr_xengine_release_reorder(clradio_xengine *plan)
{
    clradio_buffer_destroy(plan->reorder.scratch);
    clr_kernel_release(plan->reorder.kernel);
    clr_program_release(plan->reorder.program);
}

static void launch_layout(clr_launch *launch, const clr_xengine_layout *layout)
{
    /* a run that holds all times is as good as one of 2^32 - 1 */
    clr_launch_u32(launch, (uint32_t)clr_min_u64(layout->run, UINT32_MAX));
    clr_launch_u64(launch, layout->run_stride);
    clr_launch_u64(launch, layout->channel_stride);
    clr_launch_u64(launch, layout->input_stride);
}

/* The byte whose repetition is a sample of value zero. */
static uint32_t zero_byte(const clradio_xengine_config *config)
{
    return config->input == CLRADIO_CI4 && (config->ci4_coding & CLRADIO_CI4_OFFSET_BINARY) ? 0x88
                                                                                            : 0;
}

clradio_status clr_xengine_reorder_work(clradio_xengine *plan, clr_chain *chain,
                                        clr_xengine_work *work, int masked)
{
    const clr_xengine_validity *validity = &plan->validity;
    const clr_xengine_reorder *reorder = &plan->reorder;
    const uint64_t inputs = inputs_of(plan), times = work->spectra_count;
    const uint64_t padded = clr_ceil_div(times, reorder->times) * reorder->times;
    const clradio_span scratch = { reorder->scratch, 0 };
    const clr_xengine_layout to = clr_xengine_layout_of(reorder->to, reorder->times, work->channels,
                                                        inputs, work->spectra_count);
    clr_launch launch = { .groups = { (size_t)(clr_ceil_div(inputs, TILE) *
                                               clr_ceil_div(padded, TILE)),
                                      work->channels, 1 },
                          .group = { GROUP, 1, 1 } };
    clr_launch_span(&launch, work->spectra);
    clr_launch_span(&launch, scratch);
    clr_launch_span(&launch, (clradio_span){ validity->bits, 0 });
    clr_launch_u32(&launch, (uint32_t)masked);
    clr_launch_u32(&launch, validity->form.inputs);
    clr_launch_u64(&launch, validity->form.channels == 1
                                ? 0
                                : validity->form.inputs * clr_ceil_div(times, 32));
    clr_launch_u32(&launch, (uint32_t)inputs);
    clr_launch_u32(&launch, (uint32_t)work->skip);
    clr_launch_u32(&launch, (uint32_t)times);
    clr_launch_u32(&launch, (uint32_t)padded);
    clr_launch_u32(&launch, zero_byte(&plan->config));
    launch_layout(&launch, &work->layout);
    launch_layout(&launch, &to);
    work->spectra = scratch;
    work->skip = 0;
    work->layout = to;
    return clr_chain_launch(chain, reorder->kernel, &launch);
}
