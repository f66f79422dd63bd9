/* Where the samples of the X-engine's input lie. Knows no device. */
#ifndef CLR_ENGINE_XENGINE_LAYOUT_H
#define CLR_ENGINE_XENGINE_LAYOUT_H

#include <clradio/xengine.h>

/*
 * The sample of (time, channel, input) is the one at
 *     channel * channel_stride + time / run * run_stride + input * input_stride + time % run.
 * Strides count samples. A run is the times that lie together: 1, a block, or all.
 */
typedef struct clr_xengine_layout {
    clradio_layout kind;
    uint64_t run, run_stride, channel_stride, input_stride;
} clr_xengine_layout;

/* An array of `count` spectra. times: T of CLRADIO_LAYOUT_BLOCKED. */
clr_xengine_layout clr_xengine_layout_of(clradio_layout kind, uint32_t times, uint32_t channels,
                                         uint64_t inputs, uint64_t count);
/* The configuration's own; config.block_times must be filled in. */
clr_xengine_layout clr_xengine_layout_of_config(const clradio_xengine_config *config,
                                                uint64_t count);
/* T that 0 stands for: 16 bytes of one part. */
uint32_t clr_xengine_usual_block_times(clradio_type input);

static inline uint64_t clr_xengine_sample_at(const clr_xengine_layout *layout, uint64_t time,
                                             uint64_t channel, uint64_t input)
{
    return channel * layout->channel_stride + time / layout->run * layout->run_stride +
           input * layout->input_stride + time % layout->run;
}

/* Copies the times first .. first + count - 1 of an array of `all` spectra to one of `count`, both
 * in the configuration's layout. Padding is left as it is. */
void clr_xengine_copy_times(const clradio_xengine_config *config, const void *from, uint64_t all,
                            uint64_t first, uint64_t count, void *to);

#endif
