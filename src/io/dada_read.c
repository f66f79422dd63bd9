/* The samples of a DADA file: they lie as the caller wants them, but for their coding. */
#include "io/dada.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

enum { PIECE = 8192 }; /* components */

typedef union values {
    int8_t small[PIECE];
    int16_t medium[PIECE];
    float large[PIECE];
} values;

/* Floats that are no numbers are missing samples: zeros, and not present. */
static void drop_not_numbers(const clr_read *read, uint64_t time, uint64_t input, float *sample,
                             size_t parts)
{
    if (isfinite(sample[0]) && (parts == 1 || isfinite(sample[1])))
        return;
    memset(sample, 0, parts * sizeof *sample);
    if (read->present)
        read->present[input * read->words + time / 64] &= ~(1ull << (time % 64));
}

/* Where the next sample of the file belongs; slow and fast are input and channel, or the other way
 * round. */
typedef struct cursor {
    uint64_t time, slow, fast;
} cursor;

/* The samples of n components go to their places, from the cursor's on. */
static void put(const clr_read *read, const clr_dada_facts *facts, cursor *at, size_t n,
                values *from)
{
    size_t parts = facts->coding.complex_samples ? 2 : 1;
    size_t size = clr_coding_component_bytes(&facts->coding) * parts;
    size_t to_size = size * (read->complex_output ? 2 : 1);
    uint64_t channels = facts->channels, inputs = facts->polarisations;
    uint64_t fasts = facts->order_tpf ? channels : inputs;
    uint64_t slows = facts->order_tpf ? inputs : channels;
    for (size_t i = 0; i < n / parts; i++) {
        uint64_t input = facts->order_tpf ? at->slow : at->fast;
        uint64_t channel = facts->order_tpf ? at->fast : at->slow;
        if (facts->coding.kind == CLR_IEEE_FLOAT)
            drop_not_numbers(read, at->time, input, from->large + i * parts, parts);
        memcpy(read->to + ((at->time * channels + channel) * inputs + input) * to_size,
               (unsigned char *)from + i * size, size);
        if (++at->fast < fasts)
            continue;
        at->fast = 0;
        if (++at->slow < slows)
            continue;
        at->slow = 0;
        at->time++;
    }
}

/* count times at place of the file, to time index to of the read. */
static clradio_status read_run(clr_source *source, const clr_read *read,
                               const clr_dada_facts *facts, uint64_t place, uint64_t to,
                               uint64_t count)
{
    unsigned char packed[PIECE * 4];
    values unpacked;
    cursor at = { .time = to };
    const clr_coding *coding = &facts->coding;
    size_t bytes_each = coding->bits / 8;
    uint64_t each = facts->sample_bytes / bytes_each; /* components of a time */
    uint64_t component = to * each, end = component + count * each;
    int plain = !facts->order_tpf && !read->complex_output && coding->kind != CLR_IEEE_FLOAT;
    if (read->present)
        for (uint32_t i = 0; i < source->info.inputs; i++)
            clr_mask_set(read->present + i * read->words, to, count);
    while (component < end) {
        size_t n = (size_t)clr_min_u64(PIECE, end - component);
        clradio_status status = clr_bytes_read(&source->bytes, place, packed, n * bytes_each);
        if (status)
            return status;
        if (plain) {
            clr_unpack(coding, packed, 0, n,
                       read->to + component * clr_coding_component_bytes(coding));
        } else {
            clr_unpack(coding, packed, 0, n, &unpacked);
            put(read, facts, &at, n, &unpacked);
        }
        place += n * bytes_each;
        component += n;
    }
    return CLRADIO_OK;
}

clradio_status clr_dada_read(clr_source *source, const clr_read *read)
{
    const clr_dada *state = source->state;
    uint64_t done = 0; /* times before this are in earlier parts */
    for (size_t i = 0; i < state->parts; i++) {
        const clr_dada_part *part = &state->part[i];
        uint64_t from = clr_max_u64(clr_max_u64(part->first, read->first), done);
        uint64_t end = clr_min_u64(part->first + part->samples, read->first + read->count);
        done = clr_max_u64(done, part->first + part->samples);
        if (from >= end)
            continue;
        uint64_t place = part->offset + (from - part->first) * state->facts.sample_bytes;
        clradio_status status =
            read_run(source, read, &state->facts, place, from - read->first, end - from);
        if (status)
            return status;
    }
    return CLRADIO_OK;
}
