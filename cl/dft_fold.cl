/*
 * Channel DFT, variants "gemm" (delays shared by the paths of a link) and "recurrence" (a tile is one path): a uniform grid
 * and any delays, folded about the middles of blocks of 2 HALF values. With b = gain x exp(-i middle), the values at the
 * distance x above and below a middle are C - i S and C + i S, C = sum b cos(x), S = sum b sin(x): two multiply-adds a tap
 * and value instead of four, and the cosines serve all blocks, paths and time steps of the tile.
 *
 * Host macros, beside those of dft_phase.cl:
 *   TAPS     a multiple of 4: taps done at a time; a link with more takes several launches, which add up
 *   HALF     pairs of values of a block
 *   PAIRS    1, 2: of them a work-item has; divides HALF
 *   TEAMS    teams of HALF / PAIRS work-items, each at a (path, block) of its own: the work-group is all teams
 *   BLOCKS   the most blocks of a work-group
 *   UNITS    (path, block) prepared in local memory at a time
 *   ROTATE   1: cosines and sines by turning one on in double, where that is fast (needs HAVE_FP64): no worse, being rounded once
 *   KEEP     1: cosines and sines lie in registers; 0: they are read for each sum, so that more work-groups have room at a time:
 *            for tiles that do few sums
 *   PATHS    the most paths of a tile
 *   CIRCLE   1: cosines and sines from points of the circle, dft_circle.cl, where ROTATE is 0
 *   ITEM     1: the form for processors, dft_item.cl; PAIRS, TEAMS, UNITS, ROTATE, KEEP, PATHS and CIRCLE mean nothing there
 *
 * A work-group owns BLOCKS blocks of all paths of a tile, and the time steps of its third index in turn. In local memory:
 * what the phases of each tap are made of, the cosines and sines of a pair's distance (with one team each makes its own), the
 * phasors of the middles, the paths' gains, b of UNITS units. A work-item keeps the cosines and sines of its distances in
 * registers, and two complex sums a pair. A path whose input is not finite has a b that is not a number, and so all of its values.
 * Grid: x tiles, y blocks / BLOCKS, z shares of the time steps.
 */
#ifndef TAPS
#define TAPS 24
#endif
#ifndef HALF
#define HALF 32
#endif
#ifndef TEAMS
#define TEAMS 4
#endif
#ifndef PAIRS
#define PAIRS 1
#endif
#ifndef BLOCKS
#define BLOCKS 20
#endif
#ifndef UNITS
#define UNITS 16
#endif
#ifndef PATHS
#define PATHS 16
#endif
#ifndef ROTATE
#define ROTATE 0
#endif
#ifndef KEEP
#define KEEP 1
#endif

#ifndef ITEM
#define ITEM 0
#endif

#define LANES (HALF / PAIRS)
#define CHAIN 6 /* taps added up by themselves, even: a sum of many alike would lose more than the bound */
#define GROUP (LANES * TEAMS)
#define SHARED (TEAMS > 1 || ROTATE || !KEEP) /* distances go through local memory */
#define PITCH (HALF | 1)             /* of a tap's distances there, odd against bank conflicts */
#define WALKS (GROUP < TAPS ? 1 : GROUP / TAPS) /* work-items that turn on a tap's cosines, each a part of them */

#include "dft_tile.cl"
#include "dft_circle.cl"

#if ITEM

#include "dft_item.cl"

#else

#define LOAD_ALONE 0
#include "dft_loads.cl"

/* Products of what is loaded together. */
INLINE void product(load_t *to, const load_t a, const load_t e)
{
    to->x = RFMA(a.x, e.x, -(a.y * e.y));
    to->y = RFMA(a.x, e.y, a.y * e.x);
#if TOGETHER == 2
    to->z = RFMA(a.z, e.z, -(a.w * e.w));
    to->w = RFMA(a.z, e.w, a.w * e.z);
#endif
}

#if defined(CLR_CUDA)
#define QUOTIENT(a, magic) __umulhi(a, magic)
#else
#define QUOTIENT(a, magic) mul_hi(a, magic)
#endif

/* A unit's path, by the rounded-up 2^32 / blocks (0: one block): exact, since units are fewer than 2^16. */
INLINE uint path_of(const uint unit, const uint magic)
{
    return magic ? QUOTIENT(unit, magic) : unit;
}

#include "dft_turns.cl"

#if KEEP
#define COSINES const real *cosines, const real *sines
#define COSINE(q, n) cosines[(q) * TAPS + (n)]
#define SINE(q, n) sines[(q) * TAPS + (n)]
#define KEPT c, s /* what fold_unit is given for them */
#define NEXT_UNIT (void)0
#else
#define COSINES LOCAL_PTR const complex_t *of_lane
#define COSINE(q, n) of_lane[(n) * PITCH + (q) * LANES].x
#define SINE(q, n) of_lane[(n) * PITCH + (q) * LANES].y
#define KEPT of_lane
#define NEXT_UNIT of_lane += nothing
#endif

/* The sums of a unit: C = sum b cos, S = sum b sin, of CHAIN taps, of two such sums, of all. */
INLINE void fold_unit(LOCAL_PTR const load_t *b, COSINES, real *c_re, real *c_im, real *s_re, real *s_im)
{
    real keep_a[PAIRS], keep_d[PAIRS], keep_e[PAIRS], keep_f[PAIRS];
    UNROLL
    for (uint first_of = 0; first_of < TAPS; first_of += CHAIN) {
        real a[PAIRS], d[PAIRS], e[PAIRS], f[PAIRS];
        UNROLL
        for (uint q = 0; q < PAIRS; q++)
            a[q] = d[q] = e[q] = f[q] = 0;
#if REAL64
        UNROLL
        for (uint n = first_of; n < first_of + CHAIN && n < TAPS; n++) {
            const load_t one = b[n];
            UNROLL
            for (uint q = 0; q < PAIRS; q++) {
                const real c = COSINE(q, n), s = SINE(q, n);
                a[q] = RFMA(one.x, c, a[q]);
                d[q] = RFMA(one.y, c, d[q]);
                e[q] = RFMA(one.x, s, e[q]);
                f[q] = RFMA(one.y, s, f[q]);
            }
        }
#else
        UNROLL
        for (uint n = first_of; n < first_of + CHAIN && n < TAPS; n += 2) {
            const load_t two = b[n / 2];
            UNROLL
            for (uint q = 0; q < PAIRS; q++) {
                const real c = COSINE(q, n), s = SINE(q, n), next_c = COSINE(q, n + 1), next_s = SINE(q, n + 1);
                a[q] = RFMA(two.x, c, a[q]);
                d[q] = RFMA(two.y, c, d[q]);
                e[q] = RFMA(two.x, s, e[q]);
                f[q] = RFMA(two.y, s, f[q]);
                a[q] = RFMA(two.z, next_c, a[q]);
                d[q] = RFMA(two.w, next_c, d[q]);
                e[q] = RFMA(two.z, next_s, e[q]);
                f[q] = RFMA(two.w, next_s, f[q]);
            }
        }
#endif
        UNROLL
        for (uint q = 0; q < PAIRS; q++) {
            const uint second = first_of / CHAIN % 2;
            a[q] = second ? keep_a[q] + a[q] : a[q];
            d[q] = second ? keep_d[q] + d[q] : d[q];
            e[q] = second ? keep_e[q] + e[q] : e[q];
            f[q] = second ? keep_f[q] + f[q] : f[q];
            keep_a[q] = a[q];
            keep_d[q] = d[q];
            keep_e[q] = e[q];
            keep_f[q] = f[q];
            if (second || first_of + CHAIN >= TAPS) {
                c_re[q] = first_of >= 2 * CHAIN ? c_re[q] + a[q] : a[q];
                c_im[q] = first_of >= 2 * CHAIN ? c_im[q] + d[q] : d[q];
                s_re[q] = first_of >= 2 * CHAIN ? s_re[q] + e[q] : e[q];
                s_im[q] = first_of >= 2 * CHAIN ? s_im[q] + f[q] : f[q];
            }
        }
    }
}

#include "dft_fold_stage.cl"

/* The values of a unit's pairs: side by side in the tile's rows, or where that is not all, to where they lie in the response. */
INLINE void put_pairs(const uint fast, GLOBAL complex_t *of_tile, GLOBAL complex_t *response, const tile *t, const uint p, const uint mid,
                      const uint lane, const real *c_re, const real *c_im, const real *s_re, const real *s_im, const uint values,
                      const uint flags, const uint last)
{
    UNROLL
    for (uint q = 0; q < PAIRS; q++) {
        const uint above = mid + lane + q * LANES, below = mid - 1 - lane - q * LANES;
        complex_t high, low;
        high.x = c_re[q] + s_im[q];
        high.y = c_im[q] - s_re[q];
        low.x = c_re[q] - s_im[q];
        low.y = c_im[q] + s_re[q];
        if (fast) {
            if (above < values)
                of_tile[p * values + above] = high;
            if (below < values)
                of_tile[p * values + below] = low;
        } else {
            store(&low, response, t, p, below, values, flags, last);
            store(&high, response, t, p, above, values, flags, last);
        }
    }
}

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_fold(DFT_ARGUMENTS)
{
    LOCAL staged l;
    CIRCLE_IN_LOCAL_MEMORY;
    const uint id = (uint)LOCAL_ID(0), team = id / LANES, lane = id - team * LANES;
    GLOBAL const ulong *rate = SPAN_AT(const ulong, rates);
    share own;
    take_share(&own, SPAN_AT(const ulong, tiles), values, first_tap);
    const uint plain = own.last && !(flags & (FLAG_ADD | FLAG_TRANSPOSED));
#if KEEP
    real c[PAIRS * TAPS], s[PAIRS * TAPS];
#else
    LOCAL_PTR const complex_t *of_lane = l.distance + lane;
    const uint nothing = flags >> 31; /* added each time, it keeps the compiler from loading them all beforehand */
#endif

    if (own.t.taps <= first_tap && (flags & FLAG_ADD))
        return; /* all of the group: nothing is left to add */
    FILL_CIRCLE(id, GROUP);
    stage_taps(&l, &own, SPAN_AT(const delay_t, delays), rate, unit_a, unit_b, base_a, base_b, scale_bits,
               first + ((dlong)own.first_block * (2 * HALF) + HALF) * step - step / 2, step, average, flags, first_tap);
    BARRIER();
    make_distances(&l, CIRCLE_POINTER);
#if KEEP
    keep_distances(c, s, &l, CIRCLE_POINTER, lane);
#endif
    /* Where the tile's values lie moves from step to step, so that no address is made anew from its parts. */
    const uint time_0 = first_time + (uint)GROUP_ID(2);
    GLOBAL complex_t *of_tile = SPAN_AT(complex_t, response) + time_0 * response_step + own.t.first_path * values;
    for (uint time = time_0; time < end_time; time += (uint)GROUPS(2), of_tile += GROUPS(2) * response_step) {
        GLOBAL const complex_t *gain =
            (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + own.t.first_gain + first_tap;
        if (flags & FLAG_RATES)
            turn_rates(&l, &own, rate, time_a, time_b, time, flags, first_tap);
        if (time == time_0 || (flags & FLAG_RATES))
            make_middles(&l, CIRCLE_POINTER, own.blocks, own.taps, flags);
        for (uint i = id; i < own.t.paths * TAPS; i += GROUP)
            if (stage_gain(&l, gain, i, own.t.taps) && own.first_block == 0)
                report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), own.t.first_path + i / TAPS);
        for (uint unit_0 = 0; unit_0 < own.units; unit_0 += UNITS) {
            const uint here = own.units - unit_0 < UNITS ? own.units - unit_0 : UNITS;
            BARRIER(); /* middles and gains are there; the units before are done */
            stage_units(&l, unit_0, here, own.first_block, own.blocks, own.magic);
            BARRIER();
            for (uint u = team; u < here; u += TEAMS) {
                const uint2 place = l.place_of_unit[u];
                real c_re[PAIRS], c_im[PAIRS], s_re[PAIRS], s_im[PAIRS];
                fold_unit(l.b + u * LOADS, KEPT, c_re, c_im, s_re, s_im);
                put_pairs(plain && c_re[0] == c_re[0], of_tile, SPAN_AT(complex_t, response) + time * response_step, &own.t, place.x,
                          place.y, lane, c_re, c_im, s_re, s_im, values, flags, own.last);
                NEXT_UNIT;
            }
        }
        BARRIER(); /* before the next time step's middles */
    }
}

#endif
