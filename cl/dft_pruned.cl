/*
 * Channel DFT, variant "pruned": consecutive samples, and a grid that is part of a transform of N = 16 `columns` points. With
 * m = m1 + columns m2,
 *     H[m] = sum over n of (a_n exp(-i n (phase of m1))) exp(-2 pi i n m2 / 16):
 * the taps, turned for their column m1 and folded modulo 16, through one transform of 16 points in registers.
 *
 * Host macros, beside REAL64 (DELAY is 2):
 *   TAPS     a multiple of 8: the most taps
 *   LANES    columns of a work-group, one a work-item
 *   ROWS     paths done at a time: the work-group is LANES x ROWS
 *   STAGED   1: LANES = columns, and rows leave through local memory, since neighbours lie too far apart to be written so
 *
 * A work-group owns LANES columns of all paths of a tile at one time step. In local memory: the factors of its columns, the
 * taps of ROWS paths, with STAGED their responses. A work-item keeps 16 complex sums in registers, and its gains of the next rows.
 * Grid: x tiles, y columns / LANES, z time steps.
 */
#ifndef TAPS
#define TAPS 24
#endif
#ifndef LANES
#define LANES 64
#endif
#ifndef ROWS
#define ROWS 4
#endif
#ifndef STAGED
#define STAGED 0
#endif
#ifndef DELAY
#define DELAY 2
#endif

#define GROUP (LANES * ROWS)
#define POINTS 16
#define PITCH (TAPS / 2 + 1) /* of staged pairs of taps, against bank conflicts */
#define OWN ((TAPS + LANES - 1) / LANES) /* gains that a work-item stages */
#define AHEAD (OWN <= 2)                 /* 1: those of the next rows are on their way during a transform */

#include "dft_tile.cl"

/* Two taps, loaded together. */
#if REAL64
typedef double4 pair_t;
#else
typedef float4 pair_t;
#endif

#define SUM_DIFFERENCE(a, b)                                                                                                   \
    do {                                                                                                                       \
        const real keep_re = re[a], keep_im = im[a];                                                                           \
        re[a] = keep_re + re[b];                                                                                               \
        im[a] = keep_im + im[b];                                                                                               \
        re[b] = keep_re - re[b];                                                                                               \
        im[b] = keep_im - im[b];                                                                                               \
    } while (0)

/* Four points in place: a, b, c, d become the outputs 0, 2, 1, 3. */
#define FOUR(a, b, c, d)                                                                                                       \
    do {                                                                                                                       \
        SUM_DIFFERENCE(a, c);                                                                                                  \
        SUM_DIFFERENCE(b, d);                                                                                                  \
        SUM_DIFFERENCE(a, b);                                                                                                  \
        const real turned_re = im[d], turned_im = -re[d]; /* times -i */                                                       \
        re[d] = re[c] - turned_re;                                                                                             \
        im[d] = im[c] - turned_im;                                                                                             \
        re[c] += turned_re;                                                                                                    \
        im[c] += turned_im;                                                                                                    \
    } while (0)

/* Times cosine - i sine. */
#define TURN(a, cosine, sine)                                                                                                  \
    do {                                                                                                                       \
        const real before = re[a];                                                                                             \
        re[a] = RFMA(im[a], sine, before * (cosine));                                                                          \
        im[a] = RFMA(im[a], cosine, -before * (sine));                                                                         \
    } while (0)

/* Adds eight taps, from the first of sixteen or the middle on, times their factors. */
#define ADD_TAPS(from)                                                                                                         \
    UNROLL                                                                                                                     \
    for (uint i = from; i < from + 8; i += 2) {                                                                                \
        const pair_t two = a[i / 2];                                                                                           \
        const complex_t w_0 = w[i * LANES], w_1 = w[(i + 1) * LANES];                                                          \
        re[i] = RFMA(two.x, w_0.x, RFMA(-two.y, w_0.y, re[i]));                                                                \
        im[i] = RFMA(two.x, w_0.y, RFMA(two.y, w_0.x, im[i]));                                                                 \
        re[i + 1] = RFMA(two.z, w_1.x, RFMA(-two.w, w_1.y, re[i + 1]));                                                        \
        im[i + 1] = RFMA(two.z, w_1.y, RFMA(two.w, w_1.x, im[i + 1]));                                                         \
    }

#define C1 REAL(0.92387953251128675613)
#define S1 REAL(0.38268343236508977173)
#define C2 REAL(0.70710678118654752440)

/* Where output k of the sixteen lies after the transform below: k = c + 4 d, place by bit reversal of both. */
#define OUTPUT_AT(k) ((((k) & 1) << 3) | (((k) & 2) << 1) | (((k) & 4) >> 1) | (((k) & 8) >> 3))

/* The i-th gain of some rows of at most TAPS; zero where there is none. */
INLINE void load_gain(complex_t *value, GLOBAL const complex_t *from, const uint i, const uint rows_left, const uint taps)
{
    const uint r = i / TAPS, n = i - r * TAPS;
    value->x = value->y = 0;
    if (r < rows_left && n < taps)
        *value = from[r * taps + n];
}

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_pruned(DFT_ARGUMENTS)
{
    LOCAL complex_t turn[TAPS * LANES];
    LOCAL pair_t taps_of[ROWS * PITCH];
    LOCAL uint bad[ROWS];
#if STAGED
    LOCAL complex_t rows[GROUP * POINTS + 1]; /* the last for outputs that the grid has not: no branches around stores */
#endif
    const uint id = (uint)LOCAL_ID(0), time = first_time + (uint)GROUP_ID(2);
    const uint row = id / LANES, lane = id - row * LANES;
    const uint first_column = (uint)GROUP_ID(1) * LANES, column = first_column + lane;
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    const uint padded = (t.taps + 7) / 8 * 8;
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + t.first_gain;
    GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;

    turns of_sample; /* at the work-item's column: GROUP is a multiple of LANES */
    turns_of_index(&of_sample, first + (dlong)column * step, unit_a, unit_b, base_a, base_b);
    for (uint n = row; n < padded; n += ROWS) {
        complex_t value;
        real cosine, sine;
        turns_cos_sin(delay_turns_high((int)n, of_sample.high, of_sample.low), &cosine, &sine);
        value.x = cosine * AS_REAL(scale_bits);
        value.y = -sine * AS_REAL(scale_bits);
        turn[n * LANES + lane] = value;
    }
    /* of the sixteen, those that the grid has; where they lie moves from row to row, so that no address is made anew */
    const uint wanted = column < values ? (values - column + columns - 1) / columns : 0;
#if STAGED
    const uint at = row * values + column;
#else
    GLOBAL complex_t *at = to + place_of(&t, row, column, values, flags);
    const ulong apart = flags & FLAG_TRANSPOSED ? (ulong)columns * t.link_paths : columns;
    const ulong to_next_row = flags & FLAG_TRANSPOSED ? 1 : values;
#endif
    complex_t own[OWN];
#if AHEAD
    UNROLL
    for (uint k = 0; k < OWN; k++)
        load_gain(&own[k], gain, id + k * GROUP, t.paths < ROWS ? t.paths : ROWS, t.taps);
#endif
    for (uint row_0 = 0; row_0 < t.paths; row_0 += ROWS) {
        const uint here = t.paths - row_0 < ROWS ? t.paths - row_0 : ROWS;
#if !AHEAD
        UNROLL
        for (uint k = 0; k < OWN; k++)
            load_gain(&own[k], gain, id + k * GROUP, here, t.taps);
#endif
        if (id < ROWS)
            bad[id] = 0;
        BARRIER();
        UNROLL
        for (uint k = 0; k < OWN; k++) {
            const uint i = id + k * GROUP, r = i / TAPS;
            if (not_finite(own[k].x) | not_finite(own[k].y))
                bad[r] = 1;
            if (i < ROWS * TAPS)
                ((LOCAL_PTR complex_t *)taps_of)[i + r * (2 * PITCH - TAPS)] = own[k];
        }
        BARRIER();
        gain += ROWS * (ulong)t.taps;
#if AHEAD
        UNROLL
        for (uint k = 0; k < OWN; k++)
            load_gain(&own[k], gain, id + k * GROUP, t.paths - row_0 < 2 * ROWS ? t.paths - row_0 - here : ROWS, t.taps);
#endif
        if (row < here && column < columns) {
            real re[POINTS], im[POINTS];
            UNROLL
            for (uint i = 0; i < POINTS; i++)
                re[i] = im[i] = 0;
            const uint good = bad[row] ? 0 : padded; /* zeros for a path whose input is not finite */
            for (uint n = 0; n < good; n += POINTS) {
                LOCAL_PTR const pair_t *a = taps_of + row * PITCH + n / 2;
                LOCAL_PTR const complex_t *w = turn + n * LANES + lane;
                ADD_TAPS(0);
                if (n + 8 < good)
                    ADD_TAPS(8);
            }
            FOUR(0, 4, 8, 12);
            FOUR(1, 5, 9, 13);
            FOUR(2, 6, 10, 14);
            FOUR(3, 7, 11, 15);
            /* the first four's outputs c = 0, 2, 1, 3 lie at b, b + 4, b + 8, b + 12: times exp(-2 pi i b c / 16) */
            TURN(5, C2, C2);
            {
                const real before = re[6]; /* b = 2, c = 2: times -i */
                re[6] = im[6];
                im[6] = -before;
            }
            TURN(7, -C2, C2);
            TURN(9, C1, S1);
            TURN(10, C2, C2);
            TURN(11, S1, C1);
            TURN(13, S1, C1);
            TURN(14, -C2, C2);
            TURN(15, -C1, -S1);
            FOUR(0, 1, 2, 3);
            FOUR(4, 5, 6, 7);
            FOUR(8, 9, 10, 11);
            FOUR(12, 13, 14, 15);
            UNROLL
            for (uint k = 0; k < POINTS; k++) {
                complex_t value;
                value.x = re[OUTPUT_AT(k)];
                value.y = im[OUTPUT_AT(k)];
#if STAGED
                rows[k < wanted ? at + k * columns : GROUP * POINTS] = value;
#else
                if (k < wanted)
                    at[k * apart] = value;
#endif
            }
        }
#if !STAGED
        at += ROWS * to_next_row;
#endif
#if STAGED
        BARRIER();
        for (uint i = id; i < here * values; i += GROUP) {
            if (flags & FLAG_TRANSPOSED) {
                const uint m = i / here, r = i - m * here;
                to[place_of(&t, row_0 + r, m, values, flags)] = rows[r * values + m];
            } else {
                to[(t.first_path + row_0) * values + i] = rows[i];
            }
        }
#endif
        if (id < here && bad[id] && GROUP_ID(1) == 0)
            report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + row_0 + id);
        BARRIER();
    }
}
