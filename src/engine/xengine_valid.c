/* The forms of the array that tells what of the X-engine's input is valid. */
#include "engine/xengine_valid.h"

#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <string.h>

clr_xengine_valid_form clr_xengine_valid_form_of(const clradio_xengine_config *config)
{
    const int per_input = (config->valid & CLRADIO_VALID_PER_INPUT) != 0;
    const int per_channel = (config->valid & CLRADIO_VALID_PER_CHANNEL) != 0;
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    clr_xengine_valid_form form = { .packed = (config->valid & CLRADIO_VALID_BITS) != 0,
                                    .times = config->valid_times,
                                    .channels = per_channel ? config->channels : 1,
                                    .inputs = per_input ? (uint32_t)inputs : 1 };
    uint64_t row = per_input ? inputs : per_channel ? config->channels : 1;
    if (form.packed && (per_input || per_channel))
        row = clr_ceil_div(row, 8) * 8;
    form.time_stride = per_input ? row * form.channels : row;
    form.channel_stride = !per_channel ? 0 : per_input ? row : 1;
    return form;
}

int clr_xengine_valid_size(const clradio_xengine_config *config, uint64_t count, uint64_t *bytes)
{
    const clr_xengine_valid_form form = clr_xengine_valid_form_of(config);
    uint64_t entries;
    if (!clr_mul_u64(clr_ceil_div(count, form.times), form.time_stride, &entries))
        return 0;
    *bytes = form.packed ? clr_ceil_div(entries, 8) : entries;
    return 1;
}

uint64_t clradio_xengine_valid_bytes(const clradio_xengine_config *config, uint64_t count)
{
    clradio_xengine_config checked;
    uint64_t bytes;
    if (clr_xengine_check_config(NULL, config, &checked) || !checked.valid ||
        !clr_xengine_valid_size(&checked, count, &bytes))
        return 0;
    return bytes;
}

static int entry_of(const clr_xengine_valid_form *form, const unsigned char *valid, uint64_t at)
{
    return form->packed ? valid[at / 8] >> (at % 8) & 1 : valid[at] != 0;
}

int clr_xengine_is_valid(const clr_xengine_valid_form *form, const void *valid, uint64_t time,
                         uint64_t channel, uint64_t input)
{
    return entry_of(form, valid,
                    time / form->times * form->time_stride + channel * form->channel_stride +
                        (form->inputs == 1 ? 0 : input));
}

void clr_xengine_copy_valid(const clradio_xengine_config *config, const void *from, uint64_t first,
                            uint64_t count, void *to)
{
    const clr_xengine_valid_form form = clr_xengine_valid_form_of(config);
    const uint64_t begin = first / form.times * form.time_stride;
    const unsigned char *source = from;
    unsigned char *target = to;
    uint64_t bytes = 0;
    clr_xengine_valid_size(config, count, &bytes);
    if (!form.packed || form.time_stride % 8 == 0) {
        memcpy(target, source + (form.packed ? begin / 8 : begin), bytes);
        return;
    }
    memset(target, 0, bytes); /* packed along the time */
    for (uint64_t n = 0; n < clr_ceil_div(count, form.times); n++)
        if (entry_of(&form, source, begin + n))
            target[n / 8] |= (unsigned char)(1u << n % 8);
}
