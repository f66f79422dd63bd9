/*
 * What of an X-engine's input is valid, on the device: the caller's array packed into bitmaps for
 * the pass that zeroes what is not, and the spectra of each product counted (cl/xengine_valid.cl).
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <inttypes.h>
#include <stdlib.h>

enum { GROUP = 64 };

static uint32_t inputs_of(const clradio_xengine *plan)
{
    return plan->config.stations * plan->config.polarisations;
}

clradio_status clr_xengine_get_validity(clradio_xengine *plan)
{
    clr_xengine_validity *validity = &plan->validity;
    const clr_macro macros[] = { { "NPOL", plan->config.polarisations } };
    if (!plan->config.valid)
        return CLRADIO_OK;
    validity->form = clr_xengine_valid_form_of(&plan->config);
    validity->one_pair = !(plan->config.valid & CLRADIO_VALID_PER_INPUT);
    validity->pairs = validity->one_pair ? 1
                                         : plan->baselines * plan->config.polarisations *
                                               plan->config.polarisations;
    clradio_status status =
        clr_program_get(plan->device, "xengine_valid.cl", macros, 1, &validity->program);
    if (!status)
        status = clr_kernel_create(validity->program, "xengine_valid_pack", &validity->pack);
    if (!status)
        status = clr_kernel_create(validity->program, "xengine_valid_count", &validity->count);
    if (!status)
        status = clr_kernel_create(validity->program, "xengine_valid_dump", &validity->dump);
    if (!status)
        status = clr_kernel_create(validity->program, "xengine_valid_inputs", &validity->inputs);
    return status;
}

uint64_t clr_xengine_counts_bytes(const clradio_xengine *plan)
{
    return plan->config.valid
               ? plan->validity.pairs * plan->validity.form.channels * sizeof(uint64_t)
               : 0;
}

clradio_status clr_xengine_take_counts(clradio_xengine *plan, uint64_t largest)
{
    clr_xengine_validity *validity = &plan->validity;
    const uint64_t each = validity->pairs * sizeof(uint64_t), channels = validity->form.channels;
    if (!plan->config.valid)
        return CLRADIO_OK;
    if (each > largest)
        return clr_fail(CLRADIO_ERROR_LIMIT, "the counts of one channel pass the largest buffer");
    validity->buffer_channels = (uint32_t)clr_min_u64(largest / each, channels);
    plan->validity.counts =
        calloc(clr_ceil_div(channels, validity->buffer_channels), sizeof *plan->validity.counts);
    if (!validity->counts)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the plan's tables");
    for (uint64_t first = 0; first < channels; first += validity->buffer_channels) {
        const uint64_t bytes = clr_min_u64(validity->buffer_channels, channels - first) * each;
        clradio_status status =
            clradio_buffer_create(plan->device, bytes, &validity->counts[validity->buffers]);
        if (status)
            return clr_fail_in(status, "counts of valid spectra");
        validity->buffers++;
        plan->memory_bytes += bytes;
    }
    return CLRADIO_OK;
}

void clr_xengine_release_validity(clradio_xengine *plan)
{
    clr_xengine_validity *validity = &plan->validity;
    for (uint32_t n = 0; n < validity->buffers; n++)
        clradio_buffer_destroy(validity->counts[n]);
    free(validity->counts);
    clradio_buffer_destroy(validity->bits);
    clr_kernel_release(validity->pack);
    clr_kernel_release(validity->count);
    clr_kernel_release(validity->dump);
    clr_kernel_release(validity->inputs);
    clr_program_release(validity->program);
}

/* Channels of bitmaps or counts that those of a chunk have. */
static uint32_t own_channels(const clr_xengine_validity *validity, uint32_t channels)
{
    return validity->form.channels == 1 ? 1 : channels;
}

uint64_t clr_xengine_bits_bytes(const clradio_xengine *plan, uint32_t channels, uint64_t times)
{
    return plan->config.valid
               ? (uint64_t)own_channels(&plan->validity, channels) * plan->validity.form.inputs *
                     clr_ceil_div(times, 32) * sizeof(uint32_t)
               : 0;
}

clradio_status clr_xengine_pack_valid(clradio_xengine *plan, clr_chain *chain, clradio_span valid,
                                      uint64_t begin, const clr_xengine_work *work)
{
    const clr_xengine_validity *validity = &plan->validity;
    const clr_xengine_valid_form *form = &validity->form;
    const uint64_t words = clr_ceil_div(work->spectra_count, 32);
    clr_launch launch = { .groups = { (size_t)clr_ceil_div(words * form->inputs, GROUP),
                                      own_channels(validity, work->channels), 1 },
                          .group = { GROUP, 1, 1 } };
    clr_launch_span(&launch, valid);
    clr_launch_span(&launch, (clradio_span){ validity->bits, 0 });
    clr_launch_u32(&launch, form->inputs);
    clr_launch_u32(&launch, (uint32_t)words);
    clr_launch_u64(&launch, begin);
    clr_launch_u32(&launch, (uint32_t)work->spectra_count);
    clr_launch_u32(&launch, work->first_channel);
    clr_launch_u32(&launch, form->times);
    clr_launch_u64(&launch, form->time_stride);
    clr_launch_u64(&launch, form->channel_stride);
    clr_launch_u32(&launch, (uint32_t)form->packed);
    return clr_chain_launch(chain, validity->pack, &launch);
}

/* The counts of a channel, in a buffer that holds those of some channels. */
static clradio_span counts_of(const clr_xengine_validity *validity, uint32_t channel)
{
    const uint32_t own = validity->form.channels == 1 ? 0 : channel;
    return (clradio_span){ validity->counts[own / validity->buffer_channels],
                           own % validity->buffer_channels * validity->pairs * sizeof(uint64_t) };
}

/* Channels from `first` on, at most `channels`, whose counts lie in one buffer. */
static uint32_t together(const clr_xengine_validity *validity, uint32_t first, uint32_t channels)
{
    return validity->form.channels == 1
               ? channels
               : (uint32_t)clr_min_u64(channels, validity->buffer_channels -
                                                     first % validity->buffer_channels);
}

clradio_status clr_xengine_count_valid(clradio_xengine *plan, clr_chain *chain, uint32_t first,
                                       uint32_t channels, uint64_t words, uint64_t plain, int add)
{
    const clr_xengine_validity *validity = &plan->validity;
    const uint32_t inputs = validity->form.inputs;
    clradio_status status = CLRADIO_OK;
    if (validity->form.channels == 1 && first)
        return CLRADIO_OK; /* one channel of counts holds for all */
    channels = own_channels(validity, channels);
    for (uint32_t done = 0, n; !status && done < channels; done += n) {
        n = together(validity, first + done, channels - done);
        clr_launch launch = { .groups = { inputs, n, 1 }, .group = { GROUP, 1, 1 } };
        clr_launch_span(&launch,
                        (clradio_span){ validity->bits, done * words * inputs * sizeof(uint32_t) });
        clr_launch_span(&launch, counts_of(validity, first + done));
        clr_launch_u32(&launch, inputs);
        clr_launch_u32(&launch, (uint32_t)words);
        clr_launch_u64(&launch, plain);
        clr_launch_u64(&launch, validity->pairs);
        clr_launch_u32(&launch, (uint32_t)validity->one_pair);
        clr_launch_u32(&launch, (uint32_t)add);
        status = clr_chain_launch(chain, validity->count, &launch);
    }
    return status;
}

static clradio_status dump(clradio_xengine *plan, clr_chain *chain, clr_kernel *kernel,
                           size_t groups, clradio_span to, uint32_t first, uint32_t channels)
{
    const clr_xengine_validity *validity = &plan->validity;
    const int is_dump = kernel == validity->dump;
    clradio_status status = CLRADIO_OK;
    for (uint32_t done = 0, n; !status && done < channels; done += n) {
        n = together(validity, first + done, channels - done);
        clr_launch launch = { .groups = { groups, n, 1 }, .group = { GROUP, 1, 1 } };
        clr_launch_span(&launch, counts_of(validity, first + done));
        clr_launch_span(&launch, to);
        clr_launch_u32(&launch, is_dump ? plan->config.stations : inputs_of(plan));
        clr_launch_u32(&launch, first + done);
        clr_launch_u64(&launch, validity->form.channels == 1 ? 0 : validity->pairs);
        clr_launch_u32(&launch, (uint32_t)validity->one_pair);
        if (is_dump)
            clr_launch_u32(&launch, plan->config.order);
        status = clr_chain_launch(chain, kernel, &launch);
    }
    return status;
}

clradio_status clr_xengine_dump_counts(clradio_xengine *plan, clr_chain *chain, clradio_span counts,
                                       clradio_span input_counts, uint32_t first, uint32_t channels)
{
    clradio_status status = CLRADIO_OK;
    if (counts.buffer)
        status = dump(plan, chain, plan->validity.dump, clr_xengine_rows(&plan->config), counts,
                      first, channels);
    if (!status && input_counts.buffer)
        status = dump(plan, chain, plan->validity.inputs,
                      (size_t)clr_ceil_div(inputs_of(plan), GROUP), input_counts, first, channels);
    return status;
}
