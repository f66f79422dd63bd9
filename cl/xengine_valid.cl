/*
 * X-engine, what of the input is valid: the caller's array brought into one form, and the spectra counted that each product
 * sums.
 *
 * xengine_valid_pack: the caller's form to bitmaps [channel][word][input] of 32 times a word. A work-item owns a word.
 * xengine_valid_count: adds to the counts of each pair of inputs the times at which both are valid. A work-group owns the row
 * of one input; what is read together lies together.
 * xengine_valid_dump: writes the counts in the order of the visibilities. A work-group owns one row of a channel.
 * xengine_valid_inputs: writes the counts of each channel and input, which are those of the autocorrelations.
 *
 * Counts are ulong, a channel as xengine_sums.cl has the sums: a lower triangle by rows. Where validity has no axis of
 * channels there is one channel of them for all, and where it has none of inputs there is one input and one pair.
 *
 * Parameters: none.
 *
 * Host macros:
 *   NPOL   1 or 2 polarisations
 */
#include "common.cl"

#ifndef NPOL
#define NPOL 2
#endif

#include "xengine_sums.cl"
#include "xengine_place.cl"

#define GROUP 64

#if defined(CLR_CUDA)
#define COUNT_BITS(word) ((uint)__popc(word))
#else
#define COUNT_BITS(word) popcount(word)
#endif

/*
 * Grid: x words and inputs, inputs fastest; y channels. valid: the entry of (time, channel, input) is number time /
 * valid_times time_stride + channel channel_stride + input, counted in bytes or (packed) in bits. The words begin at the
 * time `begin`, the channels at first_channel; times beyond `times` are not valid.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_valid_pack(SPAN(const uchar, valid), SPAN(uint, bits), const uint inputs, const uint words, const ulong begin,
                   const uint times, const uint first_channel, const uint valid_times, const ulong time_stride,
                   const ulong channel_stride, const uint packed)
{
    const ulong n = (ulong)GROUP_ID(0) * GROUP + LOCAL_ID(0);
    if (n >= (ulong)inputs * words)
        return;
    const uint input = (uint)(n % inputs), first = (uint)(n / inputs) * 32;
    const ulong row = ((ulong)first_channel + GROUP_ID(1)) * channel_stride + input;
    GLOBAL const uchar *entries = SPAN_AT(const uchar, valid);
    ulong entry = (begin + first) / valid_times;
    uint of_entry = (uint)((begin + first) % valid_times), word = 0;
    for (uint bit = 0; bit < 32 && first + bit < times; bit++) {
        const ulong at = entry * time_stride + row;
        const uint is_valid = packed ? entries[at / 8] >> (at % 8) & 1u : entries[at] != 0;
        word |= is_valid << bit;
        if (++of_entry == valid_times) {
            of_entry = 0;
            entry++;
        }
    }
    SPAN_AT(uint, bits)[(ulong)GROUP_ID(1) * inputs * words + n] = word;
}

/* The pair of inputs (i, pol_i) and (j, pol_j), j <= i, in a channel of counts. */
INLINE ulong pair_of(const uint i, const uint pol_i, const uint j, const uint pol_j, const uint one_pair)
{
    return one_pair ? 0 : row_of_input(i, pol_i) + (ulong)j * NPOL + pol_j;
}

/*
 * Grid: x inputs (one_pair: one), y channels. plain: spectra in which everything was valid. add = 1: added to what is in
 * counts; 0: written. counts: [channel] of `pairs`.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_valid_count(SPAN(const uint, bits), SPAN(ulong, counts), const uint inputs, const uint words, const ulong plain,
                    const ulong pairs, const uint one_pair, const uint add)
{
    const uint input = GROUP_ID(0), columns = one_pair ? 1 : (input / NPOL + 1) * NPOL;
    GLOBAL const uint *channel = SPAN_AT(const uint, bits) + (ulong)GROUP_ID(1) * inputs * words;
    GLOBAL ulong *row = SPAN_AT(ulong, counts) + GROUP_ID(1) * pairs + pair_of(input / NPOL, input % NPOL, 0, 0, one_pair);
    for (uint b = LOCAL_ID(0); b < columns; b += GROUP) {
        ulong count = plain;
        for (uint w = 0; w < words; w++)
            count += COUNT_BITS(channel[(ulong)w * inputs + input] & channel[(ulong)w * inputs + b]);
        row[b] = add ? row[b] + count : count;
    }
}

/* Grid: x rows, y channels of the chunk. counts_stride: pairs, or 0 where one channel of counts holds for all. to: the whole
 * array, of which the channels first_channel and on are written. */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_valid_dump(SPAN(const ulong, counts), SPAN(ulong, to), const uint stations, const uint first_channel,
                   const ulong counts_stride, const uint one_pair, const uint order)
{
    const uint row = GROUP_ID(0);
    GLOBAL const ulong *from = SPAN_AT(const ulong, counts) + GROUP_ID(1) * counts_stride;
    const ulong elements = row_elements(row, stations, order);
    for (ulong e = LOCAL_ID(0); e < elements; e += GROUP) {
        const place p = place_of(e, row, (ulong)first_channel + GROUP_ID(1), stations, order);
        const int swap = p.b > p.a;
        ulong count = 0;
        if (p.a < stations && p.b < stations)
            count = from[pair_of(swap ? p.b : p.a, swap ? p.pol_b : p.pol_a, swap ? p.a : p.b, swap ? p.pol_a : p.pol_b,
                                 one_pair)];
        SPAN_AT(ulong, to)[p.at] = count;
    }
}

/* Grid: x inputs, y channels of the chunk. As xengine_valid_dump. */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_valid_inputs(SPAN(const ulong, counts), SPAN(ulong, to), const uint inputs, const uint first_channel,
                     const ulong counts_stride, const uint one_pair)
{
    const uint input = GROUP_ID(0) * GROUP + LOCAL_ID(0), i = input / NPOL;
    if (input < inputs)
        SPAN_AT(ulong, to)[((ulong)first_channel + GROUP_ID(1)) * inputs + input] =
            SPAN_AT(const ulong, counts)[GROUP_ID(1) * counts_stride + pair_of(i, input % NPOL, i, input % NPOL, one_pair)];
}
