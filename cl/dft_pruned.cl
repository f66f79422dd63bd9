/*
 * Channel DFT, variant "pruned": delays in samples that the paths of a link share, and a grid that is part of a transform of N = POINTS
 * `columns` points. With m = m1 + columns m2 and the delay d,
 *     H[m] = sum over taps of (a exp(-i d (phase of m1))) exp(-2 pi i d m2 / POINTS):
 * the taps, turned for their column m1 and folded modulo POINTS, through one transform of POINTS points in registers.
 *
 * Host macros, beside REAL64 and DELAY (2: consecutive samples, or 1):
 *   TAPS     a multiple of 8: the most taps
 *   POINTS   8, 10, 12 or 16
 *   LANES    columns of a work-group, one a work-item
 *   ROWS     paths done at a time: the work-group is LANES x ROWS
 *   FIXED    1: COLUMNS, the columns, VALUES, the values of a path, and TRANSPOSED, the
 *            order, are known to the compiler: a program for each grid
 *   STAGED   1: LANES = columns, and rows leave through local memory, since neighbours lie too far apart to be written so
 *
 * A sample times N times the spacing is a turn only as far as doubles go. What is missing turns an output by less than 2^-51 d m2 /
 * POINTS: nothing to floats while d is below FAR. With REAL64 it is made up for to first order, by a second transform, of the taps
 * times what they miss. A link with a delay of FAR samples or more is summed up value by value instead.
 *
 * With DELAY = 1 the taps are put in the order of their remainders modulo POINTS, and those with a remainder lie from `start` on;
 * absent ones lie behind them all.
 *
 * A work-group owns LANES columns of all paths of a tile at one time step. In local memory: the factors of its columns, the
 * taps of ROWS paths, with STAGED their responses. A work-item keeps POINTS complex sums in registers, with REAL64 twice, and its gains
 * of the next rows.
 * Grid: x tiles, y columns / LANES, z time steps.
 */
#ifndef TAPS
#define TAPS 24
#endif
#ifndef POINTS
#define POINTS 16
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
#ifndef FIXED
#define FIXED 0
#endif
#ifndef DELAY
#define DELAY 2
#endif

#define GROUP (LANES * ROWS)
#define PITCH (TAPS + 2) /* of a path's staged taps, against bank conflicts */
#define OWN ((TAPS + LANES - 1) / LANES) /* gains that a work-item stages */
#define AHEAD (OWN <= 2)                 /* 1: those of the next rows are on their way during a transform */
#define FAR (1 << 21)
#define CHAIN 4 /* the most taps of a remainder that are added up without keeping what rounding loses */

#include "dft_tile.cl"
#include "dft_points.cl"

/* Of a column's outputs, those that some column of the grid has, and those that all have; how far apart they lie in a path. */
#if FIXED
#define OUTPUTS ((VALUES + COLUMNS - 1) / COLUMNS)
#define ALWAYS (VALUES / COLUMNS)
#define APART COLUMNS
#define IS_TRANSPOSED TRANSPOSED
#else
#define OUTPUTS POINTS
#define ALWAYS 0
#define APART columns
#define IS_TRANSPOSED (flags & FLAG_TRANSPOSED)
#endif

#define ROTATION REAL(6.28318530717958647693)

/* Where a tap's gain and factor lie: as the taps are numbered, or by remainders. place: of TAPS taps, then the POINTS + 1 starts. */
#if DELAY == 1
#define PLACE(n) place[n]
#define START(i) place[TAPS + (i)]
#else
#define PLACE(n) (n)
#endif

INLINE uint remainder_of(const delay_t d)
{
    const int r = d % POINTS;
    return (uint)(r < 0 ? r + POINTS : r);
}

#if DELAY == 1
/* Fills place and *far; all of the group take part. */
INLINE void order_taps(LOCAL_PTR uint *place, LOCAL_PTR uint *remainder, LOCAL_PTR uint *far, GLOBAL const delay_t *delay,
                       const tile *t, const uint flags)
{
    const uint id = (uint)LOCAL_ID(0);
    if (id == 0)
        *far = 0;
    BARRIER();
    for (uint n = id; n < t->taps; n += GROUP) {
        const delay_t d = delay_at(delay, t, 0, n, flags);
        const uint absent = delay_state(d, flags) == 1;
        remainder[n] = absent ? POINTS : remainder_of(d);
        if (!absent && (d >= FAR || d <= -FAR))
            *far = 1;
    }
    BARRIER();
    for (uint n = id; n < t->taps + POINTS + 1; n += GROUP) {
        uint before = 0; /* of tap n, or of the first with that remainder */
        const uint tap = n < t->taps, r = tap ? remainder[n] : n - t->taps;
        for (uint k = 0; k < t->taps; k++)
            before += remainder[k] < r || (tap && remainder[k] == r && k < n);
        place[tap ? n : TAPS + r] = before;
    }
    BARRIER();
}
#endif

/* Tap times factor; with REAL64 also times what the tap misses, which is added. */
#define TIMES_FACTOR(i, at)                                                                                                    \
    const complex_t tap_of = a[at], w_of = w[(at) * LANES];                                                                    \
    const real b_re = RFMA(tap_of.x, w_of.x, -(tap_of.y * w_of.y)), b_im = RFMA(tap_of.x, w_of.y, tap_of.y * w_of.x);          \
    ADD_MISSING(i, at)
#if REAL64
#define ADD_MISSING(i, at)                                                                                                     \
    less_re[i] = RFMA(b_re, missing[at], less_re[i]);                                                                          \
    less_im[i] = RFMA(b_im, missing[at], less_im[i])
#define ADD_TAP(i, at)                                                                                                         \
    do {                                                                                                                       \
        TIMES_FACTOR(i, at);                                                                                                   \
        re[i] += b_re;                                                                                                         \
        im[i] += b_im;                                                                                                         \
    } while (0)
#else
#define ADD_MISSING(i, at) (void)0
#define ADD_TAP(i, at)                                                                                                         \
    do {                                                                                                                       \
        const complex_t tap_of = a[at], w_of = w[(at) * LANES];                                                                \
        re[i] = RFMA(tap_of.x, w_of.x, RFMA(-tap_of.y, w_of.y, re[i]));                                                        \
        im[i] = RFMA(tap_of.x, w_of.y, RFMA(tap_of.y, w_of.x, im[i]));                                                         \
    } while (0)
#endif

/* Adds two neighbouring taps that are loaded together. */
#define ADD_PAIR(i)                                                                                                            \
    do {                                                                                                                       \
        const float4 two = *(LOCAL_PTR const float4 *)(a + n + (i));                                                           \
        const complex_t w_0 = w[(n + (i)) * LANES], w_1 = w[(n + (i) + 1) * LANES];                                            \
        re[i] = RFMA(two.x, w_0.x, RFMA(-two.y, w_0.y, re[i]));                                                                \
        im[i] = RFMA(two.x, w_0.y, RFMA(two.y, w_0.x, im[i]));                                                                 \
        re[(i) + 1] = RFMA(two.z, w_1.x, RFMA(-two.w, w_1.y, re[(i) + 1]));                                                    \
        im[(i) + 1] = RFMA(two.z, w_1.y, RFMA(two.w, w_1.x, im[(i) + 1]));                                                     \
    } while (0)

/* Taps that end at a multiple of 8 are asked about once in so many. */
#if POINTS % 8
#define CHUNK 2
#else
#define CHUNK 8
#endif

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
#if REAL64
    LOCAL complex_t staged[ROWS * PITCH];
    LOCAL real missing[TAPS];
#else
    LOCAL float4 staged[ROWS * PITCH / 2];
#endif
    LOCAL uint bad[ROWS];
#if STAGED
    LOCAL complex_t rows[GROUP * (POINTS + 1)]; /* the last for outputs that the grid has not: no branches around stores */
#endif
#if DELAY == 1
    LOCAL uint place[TAPS + POINTS + 1], remainder[TAPS], any_far;
#endif
    const uint id = (uint)LOCAL_ID(0), time = first_time + (uint)GROUP_ID(2);
    const uint row = id / LANES, lane = id - row * LANES;
    const uint first_column = (uint)GROUP_ID(1) * LANES, column = first_column + lane;
    LOCAL_PTR complex_t *const taps_of = (LOCAL_PTR complex_t *)staged;
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + t.first_gain;
    GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;
#if DELAY == 1
    order_taps(place, remainder, &any_far, delay, &t, flags);
    const uint padded = t.taps, there = START(POINTS), far = any_far;
#else
    const uint padded = (t.taps + 7) / 8 * 8;
#endif

    turns of_sample; /* at the work-item's column: GROUP is a multiple of LANES */
    turns_of_index(&of_sample, first + (dlong)column * step, unit_a, unit_b, base_a, base_b);
    for (uint n = row; n < padded; n += ROWS) {
        complex_t value;
        real cosine, sine;
        turns_cos_sin(delay_turns_high(delay_at(delay, &t, 0, n, flags), of_sample.high, of_sample.low), &cosine, &sine);
        value.x = cosine * AS_REAL(scale_bits);
        value.y = -sine * AS_REAL(scale_bits);
        turn[PLACE(n) * LANES + lane] = value;
    }
#if REAL64
    for (uint n = id; n < padded; n += GROUP) {
        const delay_t d = delay_at(delay, &t, 0, n, flags);
        const ulong whole = (ulong)remainder_of(d) * (0xffffffffffffffffUL / POINTS + 1);
        const dlong rest = (dlong)(delay_turns_times(d, unit_a, unit_b, (dlong)columns * step) - whole);
        missing[PLACE(n)] = (real)rest * (ROTATION * REAL(0x1p-64));
    }
#endif
    /* of its values, those that the grid has; where they lie moves from row to row, so that no address is made anew */
    const uint wanted = column < values ? (values - column + columns - 1) / columns : 0;
#if STAGED
    const uint at = row * values + column;
    GLOBAL complex_t *of_rows = to + t.first_path * values;
#else
    GLOBAL complex_t *at = to + place_of(&t, row, column, values, flags);
    const ulong apart = IS_TRANSPOSED ? (ulong)APART * t.link_paths : APART;
    const ulong to_next_row = IS_TRANSPOSED ? 1 : values;
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
#if DELAY == 1
            const uint n = i - r * TAPS, place_n = n < t.taps ? place[n] : n;
            if (place_n >= there)
                own[k].x = own[k].y = 0; /* absent: what it holds is hidden */
#endif
            if (not_finite(own[k].x) | not_finite(own[k].y))
                bad[r] = 1;
#if DELAY == 1
            if (i < ROWS * TAPS)
                taps_of[r * PITCH + place_n] = own[k];
#else
            if (i < ROWS * TAPS)
                taps_of[i + r * (PITCH - TAPS)] = own[k];
#endif
        }
        BARRIER();
        gain += ROWS * (ulong)t.taps;
#if AHEAD
        UNROLL
        for (uint k = 0; k < OWN; k++)
            load_gain(&own[k], gain, id + k * GROUP, t.paths - row_0 < 2 * ROWS ? t.paths - row_0 - here : ROWS, t.taps);
#endif
        if (row < here && column < columns) {
            LOCAL_PTR const complex_t *a = taps_of + row * PITCH, *w = turn + lane;
            const uint good = !bad[row]; /* zeros for a path whose input is not finite */
            real re[POINTS], im[POINTS];
#if REAL64
            real less_re[POINTS], less_im[POINTS];
#endif
            UNROLL
            for (uint i = 0; i < POINTS; i++) {
                re[i] = im[i] = 0;
#if REAL64
                less_re[i] = less_im[i] = 0;
#endif
            }
#if DELAY == 1
            UNROLL
            for (uint i = 0; i < POINTS; i++) {
                const uint begin = START(i), end = good && !far ? START(i + 1) : begin;
                if (end - begin <= CHAIN) {
                    for (uint n = begin; n < end; n++)
                        ADD_TAP(i, n);
                } else { /* a sum of many alike would lose more than the bound */
                    real lost_re = 0, lost_im = 0, sum_re = 0, sum_im = 0;
                    for (uint n = begin; n < end; n++) {
                        TIMES_FACTOR(i, n);
                        add_pair(&sum_re, &lost_re, b_re);
                        add_pair(&sum_im, &lost_im, b_im);
                    }
                    re[i] = sum_re + lost_re;
                    im[i] = sum_im + lost_im;
                }
            }
#else
            for (uint n = 0; n < (good ? padded : 0); n += POINTS) {
                UNROLL
                for (uint chunk = 0; chunk < POINTS; chunk += CHUNK) {
                    if (n + chunk < padded) {
                        UNROLL
                        for (uint i = chunk; i < chunk + CHUNK; i += 2) {
#if REAL64
                            ADD_TAP(i, n + i);
                            ADD_TAP(i + 1, n + i + 1);
#else
                            ADD_PAIR(i);
#endif
                        }
                    }
                }
            }
#endif
            transform_points(re, im);
#if REAL64
            transform_points(less_re, less_im);
#endif
            UNROLL
            for (uint k = 0; k < OUTPUTS; k++) {
                complex_t value;
                value.x = re[OUTPUT_AT(k)];
                value.y = im[OUTPUT_AT(k)];
#if REAL64
                value.x = RFMA((real)k, less_im[OUTPUT_AT(k)], value.x);
                value.y = RFMA((real)k, -less_re[OUTPUT_AT(k)], value.y);
#endif
#if STAGED
                rows[k < ALWAYS || k < wanted ? at + k * APART : GROUP * POINTS + id] = value;
#else
                if (k < ALWAYS || k < wanted)
                    at[k * apart] = value;
#endif
            }
#if DELAY == 1
            for (uint k = 0; far && good && k < wanted; k++) {
                turns of_far;
                complex_t value;
                real sum_re = 0, sum_im = 0, lost_re = 0, lost_im = 0;
                turns_of_index(&of_far, first + (dlong)(column + k * columns) * step, unit_a, unit_b, base_a, base_b);
                for (uint n = 0; n < t.taps; n++) {
                    const complex_t b = a[PLACE(n)]; /* absent ones are zero */
                    real cosine, sine;
                    turns_cos_sin(delay_turns_high(delay_at(delay, &t, 0, n, flags), of_far.high, of_far.low), &cosine, &sine);
                    add_pair(&sum_re, &lost_re, RFMA(b.x, cosine, b.y * sine));
                    add_pair(&sum_im, &lost_im, RFMA(b.y, cosine, -(b.x * sine)));
                }
                value.x = (sum_re + lost_re) * AS_REAL(scale_bits);
                value.y = (sum_im + lost_im) * AS_REAL(scale_bits);
#if STAGED
                rows[at + k * columns] = value;
#else
                at[k * apart] = value;
#endif
            }
#endif
        }
#if !STAGED
        at += ROWS * to_next_row;
#endif
#if STAGED
        BARRIER();
        for (uint i = id; i < here * values; i += GROUP) {
            if (IS_TRANSPOSED) {
                const uint m = i / here, r = i - m * here;
                to[place_of(&t, row_0 + r, m, values, flags)] = rows[r * values + m];
            } else {
                of_rows[i] = rows[i];
            }
        }
        of_rows += ROWS * values;
#endif
        if (id < here && bad[id] && GROUP_ID(1) == 0)
            report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + row_0 + id);
        BARRIER();
    }
}
