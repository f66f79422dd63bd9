/*
 * Staging of 8-bit and 4-bit integers for packed products: four spectra of a real or an imaginary part to a word, in local memory
 * [quad of spectra][pair of inputs: rows, then columns] of {re, im, re, im}; with MIXED also {r + i, r + i} of the rows and
 * {r - i, r - i} of the columns, which for ci4 fit a byte.
 *
 * The including kernel defines EDGE (inputs of its block's edge), GROUP (work-items), T_STAGE (spectra), NPOL, INPUT (7 ci8,
 * 8 ci4), MIXED; BLOCK_TIMES, with four times together where it is not 1 (xengine_times.cl).
 */
#include "packed_dot.cl"
#include "xengine_times.cl"

#define CI8 7
#define CI4 8

#define EDGE_PAIRS (EDGE / 2)
#define QUADS (T_STAGE / 4)
#define STAGE_PAIRS (QUADS * EDGE)   /* of inputs of a row or a column, four spectra each */
#define COPIES (STAGE_PAIRS / GROUP) /* of them that a work-item stages */
#define COPY_STEP (GROUP / EDGE)     /* quads from one to the next */
#define SAMPLE (INPUT == CI8 ? 2 : 1) /* bytes */

#if INPUT == CI8
typedef ushort sample_t;
typedef uint pair_t;
#else
typedef uchar sample_t;
typedef ushort pair_t;
#endif

/* What a work-item stages: the same pair of inputs of every COPY_STEP-th quad of spectra. */
typedef struct copy_place {
    GLOBAL const uchar *from; /* of the next stage */
    ulong stride;             /* samples from spectrum, or block of times, to the next */
    ulong second;             /* samples from the pair's first input to its second */
    uint within;              /* xengine_times.cl */
    uint quad, pair;          /* the first that it stages, and where that goes */
    uint there;               /* inputs of the pair that the array has: 0, 1, 2 */
    int whole;                /* what is read as one number is there as a whole or not at all, and aligned, in every spectrum */
} copy_place;

INLINE copy_place copies_of(const uint y_first, const uint x_first, const uint inputs, GLOBAL const uchar *spectra,
                            const ulong stride, const ulong input_stride, const uint item)
{
    copy_place c;
    c.pair = item % EDGE;
    c.quad = item / EDGE;
    const uint input = c.pair < EDGE_PAIRS ? y_first + 2 * c.pair : x_first + 2 * (c.pair - EDGE_PAIRS);
    c.there = input >= inputs ? 0 : inputs - input < 2 ? 1 : 2;
    c.stride = stride;
    c.second = BLOCK_TIMES == 1 ? 1 : input_stride;
    c.within = 0;
    c.from = spectra + ((c.there ? input * c.second : 0) + time_offset(4 * c.quad, stride)) * SAMPLE;
#if BLOCK_TIMES == 1
    c.whole = stride % 2 == 0 && (ulong)spectra % (2 * SAMPLE) == 0 && c.there != 1;
#else
    c.whole = (BLOCK_TIMES == 0 || stride % 4 == 0) && input_stride % 4 == 0 && (ulong)spectra % (4 * SAMPLE) == 0;
#endif
    return c;
}

#if BLOCK_TIMES != 1
/* Four times of an input, of which `there` are; ci8: two words. */
INLINE void load_times(GLOBAL const uchar *from, const uint there, const int whole, const uint nothing, uint *words)
{
    GLOBAL const sample_t *const samples = (GLOBAL const sample_t *)from;
    if (there == 4 && whole) {
#if INPUT == CI8
        const uint2 both = *(GLOBAL const uint2 *)from;
        words[0] = both.x;
        words[1] = both.y;
#else
        words[0] = *(GLOBAL const uint *)from;
#endif
        return;
    }
    words[0] = words[SAMPLE - 1] = 0;
    UNROLL for (uint s = 0; s < 4; s++)
        words[s * SAMPLE / 4] |= (s < there ? samples[s] : nothing & (INPUT == CI8 ? 0xffff : 0xff)) << 8 * SAMPLE * s % 32;
}
#endif

/* Reads a work-item's share of a stage, of which `left` spectra are there: those behind, and inputs beyond the array, are zero.
 * loaded: [COPIES][4] pairs of samples; where times lie together [COPIES][2 inputs][2 pairs of times] (ci4: four times, nothing). */
INLINE void load_stage(copy_place *c, const uint left, const uint nothing, uint *loaded)
{
    GLOBAL const uchar *from = c->from;
#if BLOCK_TIMES != 1
    UNROLL for (uint k = 0; k < COPIES; k++) {
        const uint time = 4 * (c->quad + k * COPY_STEP);
        const uint there = left <= time ? 0 : left - time < 4 ? left - time : 4;
        UNROLL for (uint n = 0; n < 2; n++)
            load_times(from + (time_offset(4 * k * COPY_STEP, c->stride) + n * c->second) * SAMPLE, n < c->there ? there : 0,
                       c->whole, nothing, loaded + 4 * k + 2 * n);
    }
#else
    if (c->whole) {
        UNROLL for (uint n = 0; n < 4 * COPIES; n++) {
            const uint s = n / 4 * COPY_STEP * 4 + n % 4;
            loaded[n] = c->there && 4 * c->quad + s < left ? *(GLOBAL const pair_t *)(from + s * c->stride * SAMPLE) : nothing;
        }
    } else {
        UNROLL for (uint n = 0; n < 4 * COPIES; n++) {
            const uint s = n / 4 * COPY_STEP * 4 + n % 4;
            const uint there = 4 * c->quad + s < left ? c->there : 0;
            GLOBAL const sample_t *const pair = (GLOBAL const sample_t *)(from + s * c->stride * SAMPLE);
            loaded[n] = (there ? pair[0] : nothing & 255) | (there > 1 ? (uint)pair[1] : nothing & 255) << (8 * SAMPLE);
        }
    }
#endif
    c->from += stage_offset(&c->within, c->stride) * SAMPLE;
}

#if INPUT == CI4
/* The nibbles of a word's bytes as signed bytes: low or high ones. flip: 8 for two's complement. */
INLINE uint widen_nibbles(const uint bytes, const uint high, const uint flip)
{
    const uint nibbles = (bytes >> 4 * high & 0x0f0f0f0fu) ^ flip * 0x01010101u;
    return ((nibbles | 0x80808080u) - 0x08080808u) ^ 0x80808080u;
}
#endif

/* Turns what was read round and writes it to local memory: {re, im, re, im} of the pair's two inputs; with MIXED also
 * the sums (rows) or differences (columns) of re and im. */
INLINE void store_stage(LOCAL_PTR uint4 *stage, LOCAL_PTR uint2 *mixed, const copy_place *c, const uint *loaded,
                        const uint coding)
{
    UNROLL for (uint k = 0; k < COPIES; k++) {
        const uint *const w = loaded + 4 * k;
        const uint at = (c->quad + k * COPY_STEP) * EDGE + c->pair;
        uint4 words;
#if INPUT == CI8
        (void)coding;
#if BLOCK_TIMES == 1
        const uint first = interleave_low(w[0], w[1]), second = interleave_low(w[2], w[3]);
        const uint third = interleave_high(w[0], w[1]), fourth = interleave_high(w[2], w[3]);
        words.x = low_halves(first, second);
        words.y = high_halves(first, second);
        words.z = low_halves(third, fourth);
        words.w = high_halves(third, fourth);
#else
        words.x = even_bytes(w[0], w[1]);
        words.y = even_bytes(w[0] >> 8, w[1] >> 8);
        words.z = even_bytes(w[2], w[3]);
        words.w = even_bytes(w[2] >> 8, w[3] >> 8);
#endif
#else
#if BLOCK_TIMES == 1
        const uint low = interleave_low(w[0], w[1]), high = interleave_low(w[2], w[3]);
        const uint a = low_halves(low, high), b = high_halves(low, high);
#else
        const uint a = w[0], b = w[2];
#endif
        const uint real_high = coding & 1, flip = coding & 2 ? 0 : 8;
        words.x = widen_nibbles(a, real_high, flip);
        words.y = widen_nibbles(a, real_high ^ 1, flip);
        words.z = widen_nibbles(b, real_high, flip);
        words.w = widen_nibbles(b, real_high ^ 1, flip);
#endif
#if MIXED
        uint2 mix;
        if (c->pair < EDGE_PAIRS) {
            mix.x = add_bytes(words.x, words.y);
            mix.y = add_bytes(words.z, words.w);
        } else {
            mix.x = subtract_bytes(words.x, words.y);
            mix.y = subtract_bytes(words.z, words.w);
        }
        mixed[at] = mix;
#else
        (void)mixed;
#endif
        stage[at] = words;
    }
}
