/*
 * X-engine, the input brought into blocks of 32 bytes of an input, or left as it lies and zeroed where it is not valid, in words of
 * 4 and units of 16 bytes. Included by xengine_layout.cl, whose SAMPLE_BYTES it takes, and which has the kernel for all else.
 *
 * Data flow:
 *   a work-group owns TILE times of INPUTS inputs, 128 bytes of a spectrum, of one channel;
 *   FORM 0, [time][channel][input] to blocks: local memory holds them as they are read, a row a time; a work-item gathers a unit of
 *   each input of a word;
 *   FORM 1, inputs whose times lie together to blocks: a unit is read as far as the source is aligned, and written;
 *   FORM 2, [time][channel][input] to the same: a word likewise.
 * Two lanes beside one another write the two units of a block, so that memory is written 32 bytes at a time; rows are padded so that
 * what they gather lies in different banks.
 */
#ifndef FORM /* alone: what xengine_layout.cl has said before */
#include "common.cl"
#define FORM 0
#define SAMPLE_BYTES 1
#define TILE 32
#endif

#define WORD_SAMPLES (4 / SAMPLE_BYTES)
#define UNIT_TIMES (16 / SAMPLE_BYTES)
#define WORDS 32 /* of a row */
#define INPUTS (WORDS * WORD_SAMPLES)
#define ROW_PITCH (WORDS + SAMPLE_BYTES)
#define UNITS_GROUP 128

/* The bytes from an address on, of which `there` (to 4) are, in pieces that it is a multiple of (4 or more, 2, 1); the others are those
 * of `otherwise`. */
INLINE uint word_at(GLOBAL const uchar *from, const uint there, const uint pieces, const uint otherwise)
{
    if (there == 4 && pieces >= 4)
        return *(GLOBAL const uint *)from;
    if (there == 4 && pieces == 2)
        return ((GLOBAL const ushort *)from)[0] | (uint)((GLOBAL const ushort *)from)[1] << 16;
    uint word = 0;
    for (uint b = 0; b < 4; b++)
        word |= (b < there ? (uint)from[b] : otherwise >> 8 * b & 0xff) << 8 * b;
    return word;
}

/* How many of the four bytes from `at` on lie in front of `end` (counted so that no compiler makes a saturating subtraction of it, which
 * Oclgrind does not know). */
#define BYTES_THERE(at, end) (((at) < (end)) + ((at) + 1 < (end)) + ((at) + 2 < (end)) + ((at) + 3 < (end)))

#if FORM != 1
#define ROWS_AT_ONCE (UNITS_GROUP / WORDS)
#define LOADS (TILE / ROWS_AT_ONCE)
/* A word of every ROWS_AT_ONCE-th row from `row` on of `times`, `step` bytes apart; all at once where all are there. */
INLINE void load_words(uint words[LOADS], GLOBAL const uchar *from, const ulong step, const uint row, const uint times,
                       const uint there, const uint pieces, const uint otherwise)
{
    if (times == TILE && there == 4 && pieces >= 2) {
        if (pieces == 2)
            UNROLL for (uint t = 0; t < LOADS; t++)
                words[t] = word_at(from + t * (ROWS_AT_ONCE * step), 4, 2, otherwise);
        else
            UNROLL for (uint t = 0; t < LOADS; t++)
                words[t] = word_at(from + t * (ROWS_AT_ONCE * step), 4, 4, otherwise);
        return;
    }
    UNROLL for (uint t = 0; t < LOADS; t++)
        words[t] = row + ROWS_AT_ONCE * t < times ? word_at(from + t * (ROWS_AT_ONCE * step), there, pieces, otherwise) : otherwise;
}
#endif

/* Samples beside one another in a word, zero where their bit is not set. */
INLINE uint valid_samples(const uint word, const uint bits, const uint nothing)
{
#if SAMPLE_BYTES == 4
    return bits & 1 ? word : nothing;
#elif SAMPLE_BYTES == 2
    const uint there = (bits & 1 ? 0xffffu : 0) | (bits & 2 ? 0xffff0000u : 0);
#else
    const uint there = (bits & 1 ? 0xffu : 0) | (bits & 2 ? 0xff00u : 0) | (bits & 4 ? 0xff0000u : 0) | (bits & 8 ? 0xff000000u : 0);
#endif
#if SAMPLE_BYTES < 4
    return (word & there) | (nothing & ~there);
#endif
}

/* A work-group's tile. */
typedef struct units_tile {
    GLOBAL const uchar *source; /* of the channel */
    GLOBAL uchar *target;
    GLOBAL const uint *valid; /* bits of the tile's times */
    uint masked, bits_inputs, nothing, pieces;
    uint first_input, first_time, inputs, times; /* inputs and times that are there */
    ulong from_step, from_input, to_step;
} units_tile;

/* What is valid of an input of the tile: a bit for each time. */
INLINE uint valid_of(const units_tile *tile, const uint input)
{
    return tile->masked ? tile->valid[tile->bits_inputs == 1 ? 0 : tile->first_input + input] : 0xffffffffu;
}

#if FORM != 2
/* Writes a unit of an input's times from `time` on, without what is not valid. */
INLINE void put_unit(const units_tile *tile, const uint input, const uint time, const uint words[4])
{
    const uint bits = valid_of(tile, input) >> time, unit = time / UNIT_TIMES;
    uint4 all;
    all.x = valid_samples(words[0], bits, tile->nothing);
    all.y = valid_samples(words[1], bits >> WORD_SAMPLES, tile->nothing);
    all.z = valid_samples(words[2], bits >> 2 * WORD_SAMPLES, tile->nothing);
    all.w = valid_samples(words[3], bits >> 3 * WORD_SAMPLES, tile->nothing);
    *(GLOBAL uint4 *)(tile->target + (tile->first_time / (2 * UNIT_TIMES) + unit / 2) * tile->to_step +
                      (ulong)(tile->first_input + input) * 32 + unit % 2 * 16) = all;
}

/* Whether a tile has the block of a unit. */
#define HAS_UNIT(tile, input, unit) ((input) < (tile)->inputs && (unit) / 2 * (2 * UNIT_TIMES) < (tile)->times)
#endif

#if FORM == 1
INLINE void move_units(const units_tile *tile, const uint item)
{
    for (uint n = item; n < INPUTS * TILE / UNIT_TIMES; n += UNITS_GROUP) {
        const uint unit = n % (TILE / UNIT_TIMES), input = n / (TILE / UNIT_TIMES), time = unit * UNIT_TIMES;
        if (!HAS_UNIT(tile, input, unit))
            continue;
        GLOBAL const uchar *const at = tile->source + (tile->first_time / (2 * UNIT_TIMES) + unit / 2) * tile->from_step +
                                       (tile->first_input + input) * tile->from_input + unit % 2 * 16;
        const uint begin = time * SAMPLE_BYTES, end = tile->times * SAMPLE_BYTES;
        uint words[4];
        if (begin + 16 <= end && tile->pieces == 16) {
            const uint4 all = *(GLOBAL const uint4 *)at;
            words[0] = all.x, words[1] = all.y, words[2] = all.z, words[3] = all.w;
        } else {
            UNROLL for (uint w = 0; w < 4; w++)
                words[w] = word_at(at + 4 * w, BYTES_THERE(begin + 4 * w, end), tile->pieces, tile->nothing);
        }
        put_unit(tile, input, time, words);
    }
}
#endif

#if FORM == 2
/* A lane's words of rows ROWS_AT_ONCE apart, of which `there` bytes are. */
INLINE void put_words(const units_tile *tile, const uint words[LOADS], const uint row, const uint word, const uint there)
{
    uint of_input[WORD_SAMPLES];
    for (uint k = 0; k < WORD_SAMPLES; k++)
        of_input[k] = k * SAMPLE_BYTES < there ? valid_of(tile, word * WORD_SAMPLES + k) : 0;
    GLOBAL uchar *const goes = tile->target + (tile->first_time + row) * tile->to_step + tile->first_input * SAMPLE_BYTES + 4 * word;
    UNROLL for (uint t = 0; t < LOADS; t++) {
        const uint time = row + ROWS_AT_ONCE * t;
        uint set = 0;
        for (uint k = 0; k < WORD_SAMPLES; k++)
            set |= (of_input[k] >> time & 1) << k;
        if (there && time < tile->times)
            *(GLOBAL uint *)(goes + t * (ROWS_AT_ONCE * tile->to_step)) = valid_samples(words[t], set, tile->nothing);
    }
}
#endif

#if FORM == 0
/* The word w of a unit of the input k of a word, from the words of consecutive times. */
INLINE uint gathered(const uint *times, const uint k, const uint w)
{
#if SAMPLE_BYTES == 4
    (void)k;
    return times[w];
#elif SAMPLE_BYTES == 2
    const uint a = times[2 * w], b = times[2 * w + 1];
    return k ? a >> 16 | (b & 0xffff0000u) : (a & 0xffffu) | b << 16;
#else
    uint word = 0;
    for (uint t = 0; t < 4; t++)
        word |= (times[4 * w + t] >> 8 * k & 0xff) << 8 * t;
    return word;
#endif
}

INLINE void put_gathered(const units_tile *tile, LOCAL_PTR const uint *rows, const uint item)
{
    for (uint n = item; n < WORDS * TILE / UNIT_TIMES; n += UNITS_GROUP) {
        const uint column = n / 2 % WORDS, unit = n / (2 * WORDS) * 2 + n % 2, time = unit * UNIT_TIMES;
        uint times[UNIT_TIMES];
        UNROLL for (uint t = 0; t < UNIT_TIMES; t++)
            times[t] = rows[(time + t) * ROW_PITCH + column];
        UNROLL for (uint k = 0; k < WORD_SAMPLES; k++) {
            uint words[4];
            if (!HAS_UNIT(tile, column * WORD_SAMPLES + k, unit))
                continue;
            UNROLL for (uint w = 0; w < 4; w++)
                words[w] = gathered(times, k, w);
            put_unit(tile, column * WORD_SAMPLES + k, time, words);
        }
    }
}
#endif

/*
 * Grid: x tiles of inputs, fastest, and of times; y channels. Times from `times` on become `nothing`, a byte repeated, up to the end
 * of their block. from_step: bytes from a spectrum (FORM 1: 32 bytes of times) of the source to the next; from_input, FORM 1: from an
 * input to the next. to_step: of a block (FORM 2: a spectrum) of the target. pieces: what all addresses of the source are multiples of,
 * 16, 4, 2 or 1. bits as for xengine_layout.
 */
KERNEL REQD_GROUP(UNITS_GROUP, 1, 1)
xengine_units(SPAN(const uchar, from), SPAN(uchar, to), SPAN(const uint, bits), const uint masked, const uint bits_inputs,
              const ulong bits_stride, const uint inputs, const uint times, const uint nothing, const uint pieces,
              const ulong from_step, const ulong from_channel, const ulong from_input, const ulong to_step, const ulong to_channel)
{
    const uint across = (inputs + INPUTS - 1) / INPUTS, item = LOCAL_ID(0);
    units_tile tile;
    tile.first_input = GROUP_ID(0) % across * INPUTS;
    tile.first_time = GROUP_ID(0) / across * TILE;
    tile.inputs = inputs - tile.first_input < INPUTS ? inputs - tile.first_input : INPUTS;
    tile.times = times - tile.first_time < TILE ? times - tile.first_time : TILE;
    tile.source = SPAN_AT(const uchar, from) + GROUP_ID(1) * from_channel;
    tile.target = SPAN_AT(uchar, to) + GROUP_ID(1) * to_channel;
    tile.valid = SPAN_AT(const uint, bits) + GROUP_ID(1) * bits_stride + (ulong)(tile.first_time / TILE) * bits_inputs;
    tile.masked = masked;
    tile.bits_inputs = bits_inputs;
    tile.nothing = nothing;
    tile.pieces = pieces;
    tile.from_step = from_step;
    tile.from_input = from_input;
    tile.to_step = to_step;
#if FORM == 1
    move_units(&tile, item);
#else
    const uint word = item % WORDS, row = item / WORDS, there = BYTES_THERE(4 * word, tile.inputs * SAMPLE_BYTES);
    GLOBAL const uchar *const at = tile.source + (tile.first_time + row) * from_step + tile.first_input * SAMPLE_BYTES + 4 * word;
    uint words[LOADS];
    load_words(words, at, from_step, row, tile.times, there, pieces, nothing);
#if FORM == 2
    put_words(&tile, words, row, word, there);
#else
    LOCAL uint rows[TILE * ROW_PITCH];
    UNROLL for (uint t = 0; t < LOADS; t++)
        rows[(row + ROWS_AT_ONCE * t) * ROW_PITCH + word] = words[t];
    BARRIER();
    put_gathered(&tile, rows, item);
#endif
#endif
}
