/*
 * X-engine, 8-bit and 4-bit integers on AMD's matrix units: v_mfma_i32_16x16x16_i8 of CDNA (gfx908, gfx90a; gfx940 and gfx942
 * take twice the spectra) and v_wmma_i32_16x16x16_iu8 of RDNA 3 (gfx11).
 *
 * Data flow:
 *   a work-group owns one EDGE x EDGE block of inputs of one channel and one slice of the time;
 *   local memory holds two stages of T_STAGE spectra of the block's rows and columns, four spectra of a real or an imaginary part to
 *   a word (xengine_quads.cl), which is what the instructions take; one barrier a stage;
 *   registers of a wave hold the sums of FY x FX fragments of 16 x 16 inputs over at most RUN spectra, which then go to the wide
 *   sums. Waves of which no sum is asked for skip the arithmetic.
 *
 * Arithmetic: rows and columns are as they come, so that no operand is ever negated and -128 is as good as any value: re = rr + ii
 * in one sum, im = ir - ri from two.
 *
 * Parameters (allowed values; default):
 *   WAVE    work-items of a wave: 64 for CDNA, 32 for RDNA 3 (64)
 *   Gx, Gy  waves of a work-group in x and y (1..4; 2, 2)
 *   FX, FY  fragments of a wave in x and y (1..4; 2, 2), with 16 Gx FX = 16 Gy FY = EDGE, which divides WAVE Gx Gy
 *   T_STAGE spectra of a stage (a multiple of 32 and of 4 WAVE Gx Gy / EDGE; 32)
 *   RUN     spectra summed in registers, at most what 32 bits hold whatever RUN says (a multiple of T_STAGE, or 0: that; 0)
 *
 * Host macros:
 *   NPOL      1 or 2 polarisations
 *   INPUT     the input's clradio_type: 7 ci8, 8 ci4
 *   EMULATED  1: no matrix unit; a work-item makes the sums that its lane would hold, one by one (1 where the target is none of
 *             those above)
 */
#ifndef WAVE
#define WAVE 64
#endif
#ifndef EMULATED
#if WAVE == 64 && (defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx942__))
#define EMULATED 0
#elif WAVE == 32 && (defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) || defined(__gfx1103__))
#define EMULATED 0
#else
#define EMULATED 1
#endif
#endif
#if defined(__gfx940__) || defined(__gfx942__)
#define FRAGMENT_WORDS 2
#endif

#include "amd_fragments.cl"

#ifndef Gx
#define Gx 2
#endif
#ifndef Gy
#define Gy 2
#endif
#ifndef FX
#define FX 2
#endif
#ifndef FY
#define FY 2
#endif
#ifndef T_STAGE
#define T_STAGE 32
#endif
#ifndef RUN
#define RUN 0
#endif

#define GROUP (WAVE * Gx * Gy)
#define EDGE (16 * Gx * FX)
#define MIXED 0

#include "xengine_triangle.cl"
#include "xengine_quads.cl"

#define SUMS (FX * FY * FRAGMENT_SUMS) /* complex ones of a work-item */

/* (2^31 - 1) / (2 128^2) and (2^31 - 1) / (2 8^2); whole stages of it */
#define LIMIT (INPUT == CI8 ? 65535 : 16777215)
#define RUN_LENGTH ((RUN > 0 && RUN < LIMIT ? RUN : LIMIT) / T_STAGE * T_STAGE)

#if EMULATED
/* c + the element (row, column) of a product of the words of `quads` quads: what the instruction does for one sum. */
INLINE int one_sum(LOCAL_PTR const uint *rows, LOCAL_PTR const uint *columns, int c)
{
    for (uint quad = 0; quad < FRAGMENT_QUADS; quad++)
        c = packed_dot(rows[quad * EDGE * 4], columns[quad * EDGE * 4], c);
    return c;
}
#else
typedef int words_4 __attribute__((ext_vector_type(4)));
typedef int words_8 __attribute__((ext_vector_type(8)));

#if WAVE == 64
typedef words_4 sums_t;
#if FRAGMENT_WORDS == 2
#define MULTIPLY(a, b, c) __builtin_amdgcn_mfma_i32_16x16x32_i8(as_long((uint2)(a[0], a[1])), as_long((uint2)(b[0], b[1])), c, 0, 0, 0)
#else
#define MULTIPLY(a, b, c) __builtin_amdgcn_mfma_i32_16x16x16i8((int)(a)[0], (int)(b)[0], c, 0, 0, 0)
#endif
#else
typedef words_8 sums_t;
#define FOUR_WORDS(a) ((words_4)((int)(a)[0], (int)(a)[1], (int)(a)[2], (int)(a)[3]))
#define MULTIPLY(a, b, c) __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, FOUR_WORDS(a), true, FOUR_WORDS(b), c, false)
#endif
#endif

/* The word of part 0 (re) or 1 (im) of an input of the block's rows, in a stage's first quad; columns lie EDGE inputs further. */
#define WORD_OF(input, part) (((input) / 2 * 2 + (input) % 2) * 2 + (part))

#if EMULATED
#define SUM(of, f, v) (of)[(f) * FRAGMENT_SUMS + (v)]
typedef int part_t; /* what an array of a wave's sums is made of */
#else
#define SUM(of, f, v) (of)[f][v]
typedef sums_t part_t;
#endif

/* A wave's sums: [FY][FX][FRAGMENT_SUMS] of rr + ii, ir, ri. */
#if EMULATED
INLINE void add_products(LOCAL_PTR const uint *stage, const uint y_first, const uint x_first, const uint lane, int *re, int *plus,
                         int *minus)
{
    for (uint from = 0; from < QUADS; from += FRAGMENT_QUADS)
        for (uint f = 0; f < FY; f++)
            for (uint g = 0; g < FX; g++)
                for (uint v = 0; v < FRAGMENT_SUMS; v++) {
                    const uint n = (f * FX + g) * FRAGMENT_SUMS + v;
                    LOCAL_PTR const uint *y = stage + from * EDGE * 4 + WORD_OF(y_first + f * 16 + FRAGMENT_ROW(lane, v), 0);
                    LOCAL_PTR const uint *x = stage + from * EDGE * 4 + WORD_OF(EDGE + x_first + g * 16 + FRAGMENT_COLUMN(lane), 0);
                    re[n] = one_sum(y + 1, x + 1, one_sum(y, x, re[n]));
                    plus[n] = one_sum(y + 1, x, plus[n]);
                    minus[n] = one_sum(y, x + 1, minus[n]);
                }
}
#else
/* The words that a lane holds of the line `line` (row or column) of a fragment. */
INLINE void load_fragment(LOCAL_PTR const uint *stage, const uint from, const uint line, const uint lane, uint *re, uint *im)
{
    UNROLL for (uint w = 0; w < FRAGMENT_WORDS; w++) {
        LOCAL_PTR const uint *const at = stage + (from + FRAGMENT_QUAD(lane, w)) * EDGE * 4 + WORD_OF(line, 0);
        const uint2 both = *(LOCAL_PTR const uint2 *)at;
        re[w] = both.x;
        im[w] = both.y;
    }
}

INLINE void add_products(LOCAL_PTR const uint *stage, const uint y_first, const uint x_first, const uint lane, sums_t *re,
                         sums_t *plus, sums_t *minus)
{
    UNROLL for (uint from = 0; from < QUADS; from += FRAGMENT_QUADS) {
        uint y_re[FY][FRAGMENT_WORDS], y_im[FY][FRAGMENT_WORDS];
        UNROLL for (uint f = 0; f < FY; f++)
            load_fragment(stage, from, y_first + f * 16 + FRAGMENT_LINE(lane), lane, y_re[f], y_im[f]);
        UNROLL for (uint g = 0; g < FX; g++) {
            uint x_re[FRAGMENT_WORDS], x_im[FRAGMENT_WORDS];
            load_fragment(stage, from, EDGE + x_first + g * 16 + FRAGMENT_LINE(lane), lane, x_re, x_im);
            UNROLL for (uint f = 0; f < FY; f++) {
                const uint n = f * FX + g;
                re[n] = MULTIPLY(y_re[f], x_re, re[n]);
                plus[n] = MULTIPLY(y_im[f], x_re, plus[n]);
                minus[n] = MULTIPLY(y_re[f], x_im, minus[n]);
                re[n] = MULTIPLY(y_im[f], x_im, re[n]);
            }
        }
    }
}
#endif

/* A wave's sums to wide ones, through places in local memory, so that a short loop takes no registers from the sums. */
INLINE void keep_sums(GLOBAL wide_t *to, LOCAL_PTR int *places, const part_t *re, const part_t *plus, const part_t *minus,
                      const uint y_first, const uint x_first, const uint inputs, const uint item, const uint keep)
{
    const uint lane = item % WAVE;
    UNROLL for (uint f = 0; f < FX * FY; f++) {
        UNROLL for (uint v = 0; v < FRAGMENT_SUMS; v++) {
            places[(3 * v) * GROUP + item] = SUM(re, f, v);
            places[(3 * v + 1) * GROUP + item] = SUM(plus, f, v);
            places[(3 * v + 2) * GROUP + item] = SUM(minus, f, v);
        }
        NOUNROLL for (uint v = 0; v < FRAGMENT_SUMS; v++) {
            LOCAL_PTR const int *const of = places + 3 * v * GROUP + item;
            keep_sum_of(to, y_first + f / FX * 16 + FRAGMENT_ROW(lane, v), x_first + f % FX * 16 + FRAGMENT_COLUMN(lane), inputs,
                        widen(of[0]), widen(of[GROUP]) - widen(of[2 * GROUP]), keep);
        }
    }
}

/*
 * Grid: x blocks, y channels of the chunk, z slices of the time.
 * spectra: sample (time, channel, input) at time spectrum_stride + channel channel_stride + input; sums: [slice][channel of the
 * chunk] of wide sums (xengine_sums.cl). Slice z takes the spectra z slice_length and on, slice_length (at most 2^30) of them.
 * add = 1: added to what is in sums; 0: written. coding: clradio_ci4_coding.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_mfma(SPAN(const uchar, spectra), SPAN(wide_t, sums), const uint stations, const ulong spectrum_stride,
             const ulong channel_stride, const ulong spectra_count, const ulong slice_length, const uint add,
             const uint coding)
{
    LOCAL uint4 stages[2 * STAGE_PAIRS];
    LOCAL uint2 mixed[1];
    LOCAL int places[3 * FRAGMENT_SUMS * GROUP];
    const uint inputs = stations * NPOL, item = LOCAL_ID(0), lane = item % WAVE, wave = item / WAVE;
    const uint row = block_row(GROUP_ID(0), (inputs + EDGE - 1) / EDGE);
    const uint y_block = row * EDGE, x_block = (GROUP_ID(0) - row * (row + 1) / 2) * EDGE;
    const uint y_first = wave / Gx * (16 * FY), x_first = wave % Gx * (16 * FX);
    const int useful = y_block + y_first < inputs && x_block + x_first < inputs &&
                       (x_block + x_first) / NPOL <= (y_block + y_first + 16 * FY - 1) / NPOL;
    const ulong begin = GROUP_ID(2) * slice_length;
    const uint count = (uint)(spectra_count - begin < slice_length ? spectra_count - begin : slice_length);
    copy_place c = copies_of(y_block, x_block, inputs,
                             SPAN_AT(const uchar, spectra) + (begin * spectrum_stride + GROUP_ID(1) * channel_stride) * SAMPLE,
                             spectrum_stride, 1, item);
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *const to =
        SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * baselines * (2 * NPOL * NPOL);
    /* what stands for zero where no sample is: nibbles of 8 in offset binary */
    const uint nothing = coding & 2 ? 0x8888u : 0u;
    uint loaded[4 * COPIES];
    uint keep = add, stage = 0, time = 0, staged = count < T_STAGE ? count : T_STAGE;

    load_stage(&c, count, nothing, loaded);
    store_stage(stages, mixed, &c, loaded, coding);
    while (time < count) {
        const uint run_end = count - time < RUN_LENGTH ? count : time + RUN_LENGTH;
#if EMULATED
        int re[SUMS], plus[SUMS], minus[SUMS];
        for (uint n = 0; n < SUMS; n++)
            re[n] = plus[n] = minus[n] = 0;
#else
        sums_t re[FX * FY], plus[FX * FY], minus[FX * FY];
        UNROLL for (uint n = 0; n < FX * FY; n++)
            re[n] = plus[n] = minus[n] = (sums_t)(0);
#endif
        NOUNROLL for (; time < run_end; time += T_STAGE) {
            BARRIER(); /* the stage is whole, and the other one is no longer read */
            load_stage(&c, count - staged, nothing, loaded);
            staged = count - staged < T_STAGE ? count : staged + T_STAGE;
            if (useful)
                add_products((LOCAL_PTR const uint *)(stages + stage), y_first, x_first, lane, re, plus, minus);
            stage ^= STAGE_PAIRS;
            store_stage(stages + stage, mixed, &c, loaded, coding);
        }
        if (useful)
            keep_sums(to, places, re, plus, minus, y_block + y_first, x_block + x_first, inputs, item, keep);
        keep = 1;
    }
}
