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
 *   KEEP     1: the factors of a column lie in registers: for consecutive samples, at most 2 POINTS taps, not REAL64 (the host sees to that)
 *   RESIDENT work-groups that a multiprocessor's registers have to hold at once, 0: as the compiler likes
 *   STREAM   1: responses are written as what nobody will read soon
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
#ifndef KEEP
#define KEEP 0
#endif
#ifndef STREAM
#define STREAM 0
#endif
#ifndef RESIDENT
#define RESIDENT 0
#endif
#ifndef FIXED
#define FIXED 0
#endif
#ifndef DELAY
#define DELAY 2
#endif

#define GROUP (LANES * ROWS)
#define PITCH (TAPS + 2) /* of a path's staged taps, against bank conflicts */
#define FAR (1 << 21)
#define CHAIN 4 /* the most taps of a remainder that are added up without keeping what rounding loses */

#include "dft_tile.cl"
#include "dft_points.cl"
#include "dft_pruned_taps.cl"

/* Of a column's outputs, those that some column of the grid has, and those that all have; how far apart they lie in a path. */
#if FIXED
#define OUTPUTS ((VALUES + COLUMNS - 1) / COLUMNS)
#define ALWAYS (VALUES / COLUMNS)
#define APART COLUMNS
#define ROW_VALUES (ROWS * VALUES) /* the most that are staged */
#define IS_TRANSPOSED TRANSPOSED
#else
#define OUTPUTS POINTS
#define ALWAYS 0
#define APART columns
#define ROW_VALUES (GROUP * POINTS)
#define IS_TRANSPOSED (flags & FLAG_TRANSPOSED)
#endif

/* A value, and with PUT_TWO two neighbours, at their place in the response. */
#if STREAM && defined(CLR_CUDA)
#define PUT(to, value) __stcs(&(to), value)
#define PUT_TWO(to, value) __stcs(&(to), value)
#elif STREAM
#define PUT(to, value) ASM("st.global.cs.v2.f32 [%0], {%1,%2};" : : "l"((ulong)&(to)), "f"((value).x), "f"((value).y) : "memory")
#define PUT_TWO(to, value)                                                                                                     \
    ASM("st.global.cs.v4.f32 [%0], {%1,%2,%3,%4};"                                                                             \
        :                                                                                                                      \
        : "l"((ulong)&(to)), "f"((value).x), "f"((value).y), "f"((value).z), "f"((value).w)                                           \
        : "memory")
#else
#define PUT(to, value) ((to) = (value))
#define PUT_TWO(to, value) ((to) = (value))
#endif

/* Rows that are staged, to their place. */
INLINE void write_rows(GLOBAL complex_t *to, GLOBAL complex_t *of_rows, LOCAL_PTR const complex_t *rows, const tile *t, const uint row_0,
                       const uint here, const uint values, const uint flags)
{
    const uint id = (uint)LOCAL_ID(0), count = here * values;
    if (IS_TRANSPOSED) {
        for (uint i = id; i < count; i += GROUP) {
            const uint m = i / here, r = i - m * here;
            PUT(to[place_of(t, row_0 + r, m, values, flags)], rows[r * values + m]);
        }
        return;
    }
#if !REAL64
    if (count % 2 == 0 && ((ulong)of_rows & 15) == 0) {
        for (uint i = id; i < count / 2; i += GROUP)
            PUT_TWO(((GLOBAL float4 *)of_rows)[i], ((LOCAL_PTR const float4 *)rows)[i]);
        return;
    }
#endif
    for (uint i = id; i < count; i += GROUP)
        PUT(of_rows[i], rows[i]);
}

#if REAL64
/* What a turn of a whole number of columns misses, for each tap. */
INLINE void make_missing(LOCAL_PTR real *missing, LOCAL_PTR const uint *place, GLOBAL const delay_t *delay, const tile *t,
                         const ulong unit_a, const ulong unit_b, const dlong columns_step, const uint padded, const uint flags)
{
    for (uint n = (uint)LOCAL_ID(0); n < padded; n += GROUP) {
        const delay_t d = delay_at(delay, t, 0, n, flags);
        const ulong whole = (ulong)remainder_of(d) * (0xffffffffffffffffUL / POINTS + 1);
        const dlong rest = (dlong)(delay_turns_times(d, unit_a, unit_b, columns_step) - whole);
        missing[PLACE(n)] = (real)rest * (ROTATION * REAL(0x1p-64));
    }
}
#endif

/* Where a work-item's outputs go: to rows that are staged, those that the grid has not to a place for nothing, so that there are no
 * branches; or to the response. */
#if STAGED
#define OUTPUT_TO LOCAL_PTR complex_t *to, const uint apart, LOCAL_PTR complex_t *nowhere
#define PUT_OUTPUT(k, value) *((k) < ALWAYS || (k) < wanted ? to + (k)*apart : nowhere) = value
#else
#define OUTPUT_TO GLOBAL complex_t *to, const ulong apart
#define PUT_OUTPUT(k, value)                                                                                                   \
    if ((k) < ALWAYS || (k) < wanted)                                                                                          \
    PUT(to[(k)*apart], value)
#endif

/* A path's column: its taps, turned, folded and transformed; zeros where they are not `there`. */
INLINE void transform_column(OUTPUT_TO, LOCAL_PTR const complex_t *a, TURNED_BY, const uint there, const uint wanted)
{
    real re[POINTS], im[POINTS];
#if REAL64
    real less_re[POINTS], less_im[POINTS];
#else
    real *less_re = 0, *less_im = 0;
#endif
    UNROLL
    for (uint i = 0; i < POINTS; i++) {
        re[i] = im[i] = 0;
#if REAL64
        less_re[i] = less_im[i] = 0;
#endif
    }
    if (there)
        fold_taps(re, im, less_re, less_im, a, TURNS);
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
        PUT_OUTPUT(k, value);
    }
}

/* A work-group's local memory. */
typedef struct group_memory {
#if REAL64
    complex_t staged[2 * ROWS * PITCH];
    real missing[TAPS];
#else
    float4 staged[ROWS * PITCH]; /* of two rounds */
#endif
#if STAGED
    float4 rows[((ROW_VALUES + GROUP) * sizeof(complex_t) + 15) / 16];
#endif
    complex_t turn[FACTORS * LANES];
    uint bad[2 * ROWS];
#if DELAY == 1
    uint place[TAPS + POINTS + 1], remainder[TAPS], any_far;
#endif
} group_memory;

#if REAL64
#define MISSING_IN(l) (l)->missing
#else
#define MISSING_IN(l) 0
#endif
#if DELAY == 1
#define PLACE_IN(l) (l)->place
#define PADDED(taps) (taps)
#else
#define PLACE_IN(l) 0
#define PADDED(taps) (((taps) + 7) / 8 * 8)
#endif

/* What a work-group's rows have in common: its taps' order, their factors at a work-item's column, whose sample is given; 1 where a delay is too
 * long for the transform. All of the group take part. */
INLINE uint make_columns(LOCAL_PTR group_memory *l, GLOBAL const delay_t *delay, const tile *t, const dlong sample,
                         const dlong columns_step, const ulong unit_a, const ulong unit_b, const ulong base_a, const ulong base_b,
                         const real scale, const uint flags)
{
    uint far = 0;
    turns of_sample;
#if DELAY == 1
    order_taps(l->place, l->remainder, &l->any_far, delay, t, flags);
    far = l->any_far;
#endif
    turns_of_index(&of_sample, sample, unit_a, unit_b, base_a, base_b);
    make_factors(l->turn, PLACE_IN(l), delay, t, &of_sample, KEEP ? FACTORS : PADDED(t->taps), scale, flags);
#if REAL64
    make_missing(l->missing, PLACE_IN(l), delay, t, unit_a, unit_b, columns_step, PADDED(t->taps), flags);
#endif
    for (uint i = (uint)LOCAL_ID(0); i < 2 * ROWS; i += GROUP)
        l->bad[i] = 0;
    BARRIER();
    return far;
}

/* A round's gains to their place, from what was loaded ahead or is loaded now; the next round's are on their way then. Returns those. */
INLINE GLOBAL const complex_t *stage_round(LOCAL_PTR complex_t *taps_of, LOCAL_PTR uint *bad_of, load_t *own, LOCAL_PTR const uint *place,
                                           GLOBAL const complex_t *gain, const tile *t, const uint row_0, const uint here,
                                           const uint whole)
{
    if (!AHEAD)
        load_rows(own, gain, here, t->taps, whole);
    stage_gains(taps_of, bad_of, own, place, row_0 + 1, t->taps);
    BARRIER();
    gain += ROWS * (ulong)t->taps;
    if (AHEAD)
        load_rows(own, gain, t->paths - row_0 < 2 * ROWS ? t->paths - row_0 - here : ROWS, t->taps, whole);
    return gain;
}

#if DELAY == 1
/* A path's column where a delay is too long for the transform: each value by itself. */
INLINE void sum_far_column(OUTPUT_TO, LOCAL_PTR const complex_t *a, LOCAL_PTR const uint *place, GLOBAL const delay_t *delay,
                           const tile *t, dlong sample, const dlong columns_step, const ulong unit_a, const ulong unit_b,
                           const ulong base_a, const ulong base_b, const real scale, const uint wanted, const uint flags)
{
    for (uint k = 0; k < wanted; k++, sample += columns_step) {
        turns of_far;
        complex_t value;
        turns_of_index(&of_far, sample, unit_a, unit_b, base_a, base_b);
        sum_far(&value, a, place, delay, t, &of_far, scale, flags);
        to[k * apart] = value;
    }
}
#endif

#if STAGED
#define OUTPUT_HERE at, APART, rows + ROW_VALUES + id
#else
#define OUTPUT_HERE at, apart
#endif

KERNEL RESIDENT_GROUPS(GROUP, RESIDENT)
dft_pruned(DFT_ARGUMENTS)
{
    LOCAL group_memory l;
    LOCAL_PTR const real *const missing = MISSING_IN(&l);
    LOCAL_PTR uint *const place = PLACE_IN(&l);
    const uint id = (uint)LOCAL_ID(0), time = first_time + (uint)GROUP_ID(2);
    const uint row = id / LANES, lane = id - row * LANES, column = (uint)GROUP_ID(1) * LANES + lane;
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + t.first_gain;
    GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;
    const uint whole = t.taps == TAPS && ((ulong)gain & 15) == 0, padded = PADDED(t.taps);
    const dlong sample = first + (dlong)column * step, columns_step = (dlong)columns * step;
    load_t own[OWN];
    if (AHEAD)
        load_rows(own, gain, t.paths < ROWS ? t.paths : ROWS, t.taps, whole);
    const uint far = make_columns(&l, delay, &t, sample, columns_step, unit_a, unit_b, base_a, base_b, AS_REAL(scale_bits), flags);
#if KEEP
    complex_t kept[FACTORS];
    keep_factors(kept, l.turn + lane);
#else
    LOCAL_PTR const complex_t *const w = l.turn + lane;
#endif
    /* of its values, those that the grid has; where they lie moves from row to row, so that no address is made anew */
    const uint wanted = column < values ? (values - column + columns - 1) / columns : 0;
#if STAGED
    LOCAL_PTR complex_t *const rows = (LOCAL_PTR complex_t *)l.rows, *const at = rows + row * values + column;
    GLOBAL complex_t *of_rows = to + t.first_path * values;
#else
    GLOBAL complex_t *at = to + place_of(&t, row, column, values, flags);
    const ulong apart = IS_TRANSPOSED ? (ulong)APART * t.link_paths : APART;
    const ulong to_next_row = IS_TRANSPOSED ? 1 : values;
#endif
    /* Rounds of ROWS paths take turns with two places for their taps, so that one barrier a round is enough. */
    for (uint row_0 = 0, turn_of = 0; row_0 < t.paths; row_0 += ROWS, turn_of ^= 1) {
        const uint here = t.paths - row_0 < ROWS ? t.paths - row_0 : ROWS, mark = row_0 + 1;
        LOCAL_PTR complex_t *const taps_of = (LOCAL_PTR complex_t *)l.staged + turn_of * (ROWS * PITCH), *const a = taps_of + row * PITCH;
        LOCAL_PTR uint *const bad_of = l.bad + turn_of * ROWS;
        gain = stage_round(taps_of, bad_of, own, place, gain, &t, row_0, here, whole);
        if (row < here && column < columns) {
            const uint good = bad_of[row] != mark; /* zeros for a path whose input is not finite */
            transform_column(OUTPUT_HERE, a, TURNS, good && !far, wanted);
#if DELAY == 1
            if (far && good)
                sum_far_column(OUTPUT_HERE, a, place, delay, &t, sample, columns_step, unit_a, unit_b, base_a, base_b,
                               AS_REAL(scale_bits), wanted, flags);
#endif
        }
#if STAGED
        BARRIER();
        write_rows(to, of_rows, rows, &t, row_0, here, values, flags);
        of_rows += ROWS * values;
#else
        at += ROWS * to_next_row;
#endif
        if (id < here && bad_of[id] == mark && GROUP_ID(1) == 0)
            report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + row_0 + id);
    }
}
