/* Where the samples of the X-engine's input lie, for each layout. */
#include "engine/xengine_layout.h"

#include "base/checked.h"

#include <string.h>

uint32_t clr_xengine_usual_block_times(clradio_type input)
{
    return input == CLRADIO_CI4 ? 32 : (uint32_t)(32 / clradio_type_bytes(input));
}

clr_xengine_layout clr_xengine_layout_of(clradio_layout kind, uint32_t times, uint32_t channels,
                                         uint64_t inputs, uint64_t count)
{
    clr_xengine_layout layout = { .kind = kind };
    switch (kind) {
    case CLRADIO_LAYOUT_CHANNEL_INPUT_TIME:
        layout.run = clr_max_u64(count, 1);
        layout.input_stride = count;
        layout.channel_stride = inputs * count;
        break;
    case CLRADIO_LAYOUT_BLOCKED:
        layout.run = times;
        layout.input_stride = times;
        layout.run_stride = inputs * times;
        layout.channel_stride = clr_ceil_div(count, times) * layout.run_stride;
        break;
    default:
        layout.run = 1;
        layout.input_stride = 1;
        layout.run_stride = inputs * channels;
        layout.channel_stride = inputs;
    }
    return layout;
}

clr_xengine_layout clr_xengine_layout_of_config(const clradio_xengine_config *config,
                                                uint64_t count)
{
    return clr_xengine_layout_of(config->layout, config->block_times, config->channels,
                                 (uint64_t)config->stations * config->polarisations, count);
}

void clr_xengine_copy_times(const clradio_xengine_config *config, const void *from, uint64_t all,
                            uint64_t first, uint64_t count, void *to)
{
    const clr_xengine_layout source = clr_xengine_layout_of_config(config, all);
    const clr_xengine_layout target = clr_xengine_layout_of_config(config, count);
    const size_t element = clradio_type_bytes(config->input);
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const unsigned char *bytes = from;
    unsigned char *into = to;
    if (config->layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT) {
        memcpy(into, bytes + first * source.run_stride * element,
               count * source.run_stride * element);
        return;
    }
    for (uint64_t channel = 0; channel < config->channels; channel++)
        for (uint64_t input = 0; input < inputs; input++)
            for (uint64_t time = 0, together; time < count; time += together) {
                /* as far as neither array jumps */
                together = clr_min_u64(source.run - (first + time) % source.run,
                                       target.run - time % target.run);
                together = clr_min_u64(together, count - time);
                memcpy(into + clr_xengine_sample_at(&target, time, channel, input) * element,
                       bytes +
                           clr_xengine_sample_at(&source, first + time, channel, input) * element,
                       together * element);
            }
}
