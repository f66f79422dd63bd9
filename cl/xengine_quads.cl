/*
 * Staging of 8-bit and 4-bit integers for packed products: four spectra of a real or an imaginary part to a word, in local memory
 * [quad of spectra][pair of inputs: rows, then columns] of {re, im, re, im}; with MIXED also {r + i, r + i} of the rows and
 * {r - i, r - i} of the columns, which for ci4 fit a byte.
 *
 * The including kernel defines EDGE (inputs of its block's edge), GROUP (work-items), T_STAGE (spectra), NPOL, INPUT (7 ci8,
 * 8 ci4), MIXED.
 */
#include "packed_dot.cl"

#define CI8 7
#define CI4 8

#define EDGE_PAIRS (EDGE / 2)
#define QUADS (T_STAGE / 4)
#define STAGE_PAIRS (QUADS * EDGE)   /* of inputs of a row or a column, four spectra each */
#define COPIES (STAGE_PAIRS / GROUP) /* of them that a work-item stages */
#define COPY_STEP (GROUP / EDGE)     /* quads from one to the next */
#define SAMPLE (INPUT == CI8 ? 2 : 1) /* bytes */

/* What a work-item stages: the same pair of inputs of every COPY_STEP-th quad of spectra. */
typedef struct copy_place {
    GLOBAL const uchar *from; /* of the next stage */
    ulong stride;             /* bytes from spectrum to spectrum */
    uint quad, pair;          /* the first that it stages, and where that goes */
    uint there;               /* inputs of the pair that the array has: 0, 1, 2 */
    int whole;                /* all of the pair is there or nothing, and it is aligned as one number in every spectrum */
} copy_place;

INLINE copy_place copies_of(const uint y_first, const uint x_first, const uint inputs, GLOBAL const uchar *spectra,
                            const ulong stride, const uint item)
{
    copy_place c;
    c.pair = item % EDGE;
    c.quad = item / EDGE;
    const uint input = c.pair < EDGE_PAIRS ? y_first + 2 * c.pair : x_first + 2 * (c.pair - EDGE_PAIRS);
    c.there = input >= inputs ? 0 : inputs - input < 2 ? 1 : 2;
    c.stride = stride;
    c.from = spectra + (c.there ? (ulong)input * SAMPLE : 0) + 4 * c.quad * stride;
    c.whole = stride % (2 * SAMPLE) == 0 && (ulong)spectra % (2 * SAMPLE) == 0 && c.there != 1;
    return c;
}

#if INPUT == CI8
typedef ushort sample_t;
typedef uint pair_t;
#else
typedef uchar sample_t;
typedef ushort pair_t;
#endif

/* Reads a work-item's share of a stage, of which `left` spectra are there: those behind, and inputs beyond the array, are zero.
 * loaded: [COPIES][4] pairs of samples. */
INLINE void load_stage(copy_place *c, const uint left, const uint nothing, uint *loaded)
{
    GLOBAL const uchar *from = c->from;
    if (c->whole) {
        UNROLL for (uint n = 0; n < 4 * COPIES; n++) {
            const uint s = n / 4 * COPY_STEP * 4 + n % 4;
            loaded[n] = c->there && 4 * c->quad + s < left ? *(GLOBAL const pair_t *)(from + s * c->stride) : nothing;
        }
    } else {
        UNROLL for (uint n = 0; n < 4 * COPIES; n++) {
            const uint s = n / 4 * COPY_STEP * 4 + n % 4;
            const uint there = 4 * c->quad + s < left ? c->there : 0;
            GLOBAL const sample_t *const pair = (GLOBAL const sample_t *)(from + s * c->stride);
            loaded[n] = (there ? pair[0] : nothing & 255) | (there > 1 ? (uint)pair[1] : nothing & 255) << (8 * SAMPLE);
        }
    }
    c->from += T_STAGE * c->stride;
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
        const uint first = interleave_low(w[0], w[1]), second = interleave_low(w[2], w[3]);
        const uint third = interleave_high(w[0], w[1]), fourth = interleave_high(w[2], w[3]);
        words.x = low_halves(first, second);
        words.y = high_halves(first, second);
        words.z = low_halves(third, fourth);
        words.w = high_halves(third, fourth);
        (void)coding;
#else
        const uint low = interleave_low(w[0], w[1]), high = interleave_low(w[2], w[3]);
        const uint a = low_halves(low, high), b = high_halves(low, high);
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
