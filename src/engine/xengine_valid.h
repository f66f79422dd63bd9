/* The forms of the array that tells what of the X-engine's input is valid. Knows no device. */
#ifndef CLR_ENGINE_XENGINE_VALID_H
#define CLR_ENGINE_XENGINE_VALID_H

#include <clradio/xengine.h>

/*
 * The entry of (time, channel, input) is number
 *     time / times * time_stride + channel * channel_stride + (inputs == 1 ? 0 : input),
 * a byte or (packed) a bit. An axis that the form lacks has the length 1.
 */
typedef struct clr_xengine_valid_form {
    int packed;
    uint32_t times, channels, inputs;
    uint64_t time_stride, channel_stride;
} clr_xengine_valid_form;

/* config.valid must be checked and not NONE; config.valid_times filled in. */
clr_xengine_valid_form clr_xengine_valid_form_of(const clradio_xengine_config *config);
/* Bytes for count spectra; 0 return: does not fit. */
int clr_xengine_valid_size(const clradio_xengine_config *config, uint64_t count, uint64_t *bytes);
int clr_xengine_is_valid(const clr_xengine_valid_form *form, const void *valid, uint64_t time,
                         uint64_t channel, uint64_t input);
/* Copies the entries of `count` spectra from `first` on; the first of them begins at that entry's
 * begin, or the entry holds all of them. */
void clr_xengine_copy_valid(const clradio_xengine_config *config, const void *from, uint64_t first,
                            uint64_t count, void *to);

#endif
