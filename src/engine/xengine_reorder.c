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
    const clradio_device_info *device = clr_device_info(plan->device);
    return device->kind == CLRADIO_DEVICE_CPU ? (uint64_t)32 << 20
                                              : clr_xengine_usual_bytes(device);
}

enum { TILE = 32, GROUP = 64 };
/* cl/xengine_units.cl */
enum { BLOCK_BYTES = 32, UNITS_ROW_BYTES = 128, UNITS_GROUP = 128, UNITS_MOST_SAMPLE = 4 };
enum { BY_SAMPLES = -1, SPECTRA_TO_BLOCKS, RUNS_TO_BLOCKS, SPECTRA_TO_SPECTRA };

static uint64_t inputs_of(const clradio_xengine *plan)
{
    return (uint64_t)plan->config.stations * plan->config.polarisations;
}

/* What cl/xengine_units.cl makes of it. */
static int form_of(const clradio_xengine *plan)
{
    const clradio_xengine_config *config = &plan->config;
    const uint64_t sample = clradio_type_bytes(config->input);
    const int from_spectra = config->layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
    if (sample > UNITS_MOST_SAMPLE)
        return BY_SAMPLES;
    if (plan->reorder.to == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT)
        return from_spectra && inputs_of(plan) * sample % 4 == 0 ? SPECTRA_TO_SPECTRA : BY_SAMPLES;
    if (plan->reorder.to != CLRADIO_LAYOUT_BLOCKED || plan->reorder.times * sample != BLOCK_BYTES)
        return BY_SAMPLES;
    if (config->layout == CLRADIO_LAYOUT_BLOCKED && config->block_times != plan->reorder.times)
        return BY_SAMPLES;
    return from_spectra ? SPECTRA_TO_BLOCKS : RUNS_TO_BLOCKS;
}

clradio_status clr_xengine_get_reorder(clradio_xengine *plan)
{
    const clradio_xengine_config *config = &plan->config;
    const clr_xengine_variant *variant = plan->candidate.variant;
    clr_xengine_reorder *reorder = &plan->reorder;
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
    const int form = form_of(plan);
    const clr_macro macros[] = { { "SAMPLE_BYTES", (int64_t)clradio_type_bytes(config->input) },
                                 { "FORM", form } };
    clradio_status status = clr_program_get(plan->device, "xengine_layout.cl", macros,
                                            form == BY_SAMPLES ? 1 : 2, &reorder->program);
    if (!status)
        status = clr_kernel_create(reorder->program, "xengine_layout", &reorder->kernel);
    if (!status && form != BY_SAMPLES)
        status = clr_kernel_create(reorder->program, "xengine_units", &reorder->units);
    return status;
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
    clr_kernel_release(plan->reorder.units);
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

/* The bitmaps of what is valid, as both kernels take them. */
static void launch_validity(clr_launch *launch, const clradio_xengine *plan,
                            const clr_xengine_work *work, int masked)
{
    const clr_xengine_validity *validity = &plan->validity;
    const uint64_t words = clr_ceil_div(work->spectra_count, 32);
    clr_launch_span(launch, (clradio_span){ validity->bits, 0 });
    clr_launch_u32(launch, (uint32_t)masked);
    clr_launch_u32(launch, validity->form.inputs);
    clr_launch_u64(launch, validity->form.channels == 1 ? 0 : validity->form.inputs * words);
}

/* Bytes that all of them are multiples of: 16, 4, 2 or 1. */
static uint32_t pieces_of(uint64_t bytes)
{
    return bytes % 16 == 0 ? 16 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

static clradio_status by_units(const clradio_xengine *plan, clr_chain *chain,
                               const clr_xengine_work *work, const clr_xengine_layout *to,
                               int masked)
{
    const uint64_t inputs = inputs_of(plan), sample = clradio_type_bytes(plan->config.input);
    const clr_xengine_layout *from = &work->layout;
    const int spectra = from->kind == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
    /* a run of all times is one of blocks, one behind the other */
    const uint64_t step =
        from->kind == CLRADIO_LAYOUT_CHANNEL_INPUT_TIME ? BLOCK_BYTES : from->run_stride * sample;
    const uint64_t channel = from->channel_stride * sample;
    const uint64_t input = spectra ? 0 : from->input_stride * sample;
    clr_launch launch = { .groups = { (size_t)(clr_ceil_div(inputs * sample, UNITS_ROW_BYTES) *
                                               clr_ceil_div(work->spectra_count, TILE)),
                                      work->channels, 1 },
                          .group = { UNITS_GROUP, 1, 1 } };
    clr_launch_span(&launch, work->spectra);
    clr_launch_span(&launch, (clradio_span){ plan->reorder.scratch, 0 });
    launch_validity(&launch, plan, work, masked);
    clr_launch_u32(&launch, (uint32_t)inputs);
    clr_launch_u32(&launch, (uint32_t)work->spectra_count);
    clr_launch_u32(&launch, zero_byte(&plan->config) * 0x01010101u);
    clr_launch_u32(&launch, pieces_of(work->spectra.offset | step | channel | input));
    clr_launch_u64(&launch, step);
    clr_launch_u64(&launch, channel);
    clr_launch_u64(&launch, input);
    clr_launch_u64(&launch, to->run_stride * sample);
    clr_launch_u64(&launch, to->channel_stride * sample);
    return clr_chain_launch(chain, plan->reorder.units, &launch);
}

static clradio_status by_samples(const clradio_xengine *plan, clr_chain *chain,
                                 const clr_xengine_work *work, const clr_xengine_layout *to,
                                 int masked)
{
    const uint64_t inputs = inputs_of(plan), times = work->spectra_count;
    const uint64_t padded = clr_ceil_div(times, plan->reorder.times) * plan->reorder.times;
    clr_launch launch = { .groups = { (size_t)(clr_ceil_div(inputs, TILE) *
                                               clr_ceil_div(padded, TILE)),
                                      work->channels, 1 },
                          .group = { GROUP, 1, 1 } };
    clr_launch_span(&launch, work->spectra);
    clr_launch_span(&launch, (clradio_span){ plan->reorder.scratch, 0 });
    launch_validity(&launch, plan, work, masked);
    clr_launch_u32(&launch, (uint32_t)inputs);
    clr_launch_u32(&launch, (uint32_t)work->skip);
    clr_launch_u32(&launch, (uint32_t)times);
    clr_launch_u32(&launch, (uint32_t)padded);
    clr_launch_u32(&launch, zero_byte(&plan->config));
    launch_layout(&launch, &work->layout);
    launch_layout(&launch, to);
    return clr_chain_launch(chain, plan->reorder.kernel, &launch);
}

clradio_status clr_xengine_reorder_work(clradio_xengine *plan, clr_chain *chain,
                                        clr_xengine_work *work, int masked)
{
    const clr_xengine_reorder *reorder = &plan->reorder;
    const clr_xengine_layout to = clr_xengine_layout_of(reorder->to, reorder->times, work->channels,
                                                        inputs_of(plan), work->spectra_count);
    /* in units a block begins where one of the source does */
    clradio_status status = reorder->units && !work->skip
                                ? by_units(plan, chain, work, &to, masked)
                                : by_samples(plan, chain, work, &to, masked);
    work->spectra = (clradio_span){ reorder->scratch, 0 };
    work->skip = 0;
    work->layout = to;
    return status;
}
