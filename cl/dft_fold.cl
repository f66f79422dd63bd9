/*
 * Channel DFT, variants "gemm" (delays shared by the paths of a link) and "recurrence" (a tile is one path): a uniform grid
 * and any delays, folded about the middles of blocks of 2 HALF values. With b = gain x exp(-i middle), the values at the
 * distance x above and below a middle are C - i S and C + i S, C = sum b cos(x), S = sum b sin(x): two multiply-adds a tap
 * and value instead of four, and the cosines serve all blocks, paths and time steps of the tile.
 *
 * Host macros, beside those of dft_phase.cl:
 *   TAPS     a multiple of 4: taps done at a time; a link with more takes several launches, which add up
 *   HALF     pairs of values of a block; a work-item has one
 *   TEAMS    teams of HALF work-items, each at a (path, block) of its own: the work-group is HALF x TEAMS
 *   BLOCKS   the most blocks of a work-group
 *   UNITS    a multiple of TEAMS: (path, block) prepared in local memory at a time
 *   ITEM     1: the form for processors, dft_item.cl; TEAMS and UNITS mean nothing there
 *
 * A work-group owns BLOCKS blocks of all paths of a tile, and the time steps of its third index in turn. In local memory:
 * fractions of a turn a tap, the cosines and sines of a pair's distance, the phasors of the middles, b of UNITS units. A
 * work-item keeps the cosines and sines of its distance in registers, and two complex sums.
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
#ifndef BLOCKS
#define BLOCKS 20
#endif
#ifndef UNITS
#define UNITS 16
#endif

#ifndef ITEM
#define ITEM 0
#endif

#define GROUP (HALF * TEAMS)

#include "dft_tile.cl"

#if ITEM

#include "dft_item.cl"

#else

/* Complex numbers as they are loaded together. */
#if REAL64
typedef double2 load_t;
#else
typedef float4 load_t;
#endif

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_fold(DFT_ARGUMENTS)
{
    LOCAL complex_t distance[TAPS * HALF];
    LOCAL complex_t middle[BLOCKS * TAPS];
    LOCAL load_t staged[UNITS * TAPS * sizeof(complex_t) / sizeof(load_t)];
    LOCAL ulong unit_high[TAPS], unit_low[TAPS], base_turns[TAPS];
    LOCAL real weight[TAPS];
    LOCAL uint bad[UNITS];
    const uint id = (uint)LOCAL_ID(0);
    const tile t = tile_at(SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const ulong *rate = SPAN_AT(const ulong, rates);
    LOCAL_PTR complex_t *b = (LOCAL_PTR complex_t *)staged;
    const uint first_block = (uint)GROUP_ID(1) * BLOCKS;
    const uint all_blocks = (values + 2 * HALF - 1) / (2 * HALF);
    const uint blocks = all_blocks - first_block < BLOCKS ? all_blocks - first_block : BLOCKS;
    const uint taps = t.taps - first_tap < TAPS ? t.taps - first_tap : TAPS;
    const uint team = id / HALF, pair = id - team * HALF;
    const uint units = t.paths * blocks, last = t.taps <= first_tap + TAPS;
    real c[TAPS], s[TAPS];

    if (t.taps <= first_tap && (flags & FLAG_ADD))
        return; /* all of the group: nothing is left to add */
    for (uint n = id; n < TAPS; n += GROUP) {
        turns unit;
        unit.high = unit.low = 0;
        ulong base = 0;
        real w = 0;
        if (t.taps > first_tap && n < taps) {
            const delay_t d = delay_at(delay, &t, 0, first_tap + n, flags);
            const uint state = delay_state(d, flags);
            unit = delay_turns(d, unit_a, unit_b);
            base = delay_turns(d, base_a, base_b).high;
            w = AS_REAL(scale_bits);
            if (average > 1)
                w *= mean_weight(unit, average);
            if (state)
                w = state == 1 ? ABSENT : WRONG;
        }
        unit_high[n] = unit.high;
        unit_low[n] = unit.low;
        base_turns[n] = base;
        weight[n] = w;
    }
    BARRIER();
    for (uint i = id; i < TAPS * HALF; i += GROUP) {
        const uint n = i / HALF, j = i - n * HALF;
        turns unit;
        complex_t value;
        real cosine, sine;
        unit.high = unit_high[n];
        unit.low = unit_low[n];
        turns_cos_sin(turns_times(unit, (dlong)(2 * j + 1) * (step / 2)), &cosine, &sine);
        value.x = cosine;
        value.y = sine;
        distance[i] = value;
    }
    BARRIER();
    UNROLL
    for (uint n = 0; n < TAPS; n++) {
        c[n] = distance[n * HALF + pair].x;
        s[n] = distance[n * HALF + pair].y;
    }
    for (uint time = first_time + (uint)GROUP_ID(2); time < end_time; time += (uint)GROUPS(2)) {
        GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step;
        GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;
        if (time == first_time + (uint)GROUP_ID(2) || (flags & FLAG_RATES)) {
            for (uint i = id; i < blocks * TAPS; i += GROUP) {
                const uint m = i / TAPS, n = i - m * TAPS;
                const dlong index = first + ((dlong)(first_block + m) * (2 * HALF) + HALF) * step - step / 2;
                turns unit;
                complex_t value;
                real cosine, sine, w = weight[n];
                unit.high = unit_high[n];
                unit.low = unit_low[n];
                ulong turn = base_turns[n] + turns_times(unit, index);
                if ((flags & FLAG_RATES) && n < taps) {
                    const ulong r = rate[tap_index(&t, 0, first_tap + n, flags & FLAG_PATH_RATES)];
                    if ((r & 0x7ff0000000000000UL) == 0x7ff0000000000000UL && w != ABSENT)
                        w = WRONG;
                    turn -= turns_times(turns_of_double(r, time_a, time_b), time);
                }
                turns_cos_sin(turn, &cosine, &sine);
                value.x = w == WRONG || w == ABSENT ? w : cosine * w;
                value.y = -sine * w;
                middle[i] = value;
            }
        }
        for (uint unit_0 = 0; unit_0 < units; unit_0 += UNITS) {
            BARRIER(); /* middles are there; the units before are done */
            for (uint i = id; i < UNITS; i += GROUP)
                bad[i] = 0;
            BARRIER();
            for (uint i = id; i < UNITS * TAPS; i += GROUP) {
                const uint u = i / TAPS, n = i - u * TAPS, unit = unit_0 + u;
                complex_t value;
                value.x = value.y = 0;
                if (unit < units && n < taps) {
                    const uint p = unit / blocks, m = unit - p * blocks;
                    const complex_t e = middle[m * TAPS + n];
                    const complex_t a = gain[t.first_gain + (ulong)p * t.taps + first_tap + n];
                    if (e.x != ABSENT && (e.x == WRONG || (not_finite(a.x) | not_finite(a.y)))) {
                        bad[u] = 1;
                    } else if (e.x != ABSENT) {
                        value.x = RFMA(a.x, e.x, -(a.y * e.y));
                        value.y = RFMA(a.x, e.y, a.y * e.x);
                    }
                }
                b[i] = value;
            }
            BARRIER();
            for (uint u = team; u < UNITS && unit_0 + u < units; u += TEAMS) {
                const uint unit = unit_0 + u, p = unit / blocks, m = unit - p * blocks;
                const uint above = (first_block + m) * (2 * HALF) + HALF + pair, below = above - 1 - 2 * pair;
                real c_re = 0, c_im = 0, s_re = 0, s_im = 0;
#if REAL64
                UNROLL
                for (uint n = 0; n < TAPS; n++) {
                    const load_t one = staged[u * TAPS + n];
                    c_re = RFMA(one.x, c[n], c_re);
                    c_im = RFMA(one.y, c[n], c_im);
                    s_re = RFMA(one.x, s[n], s_re);
                    s_im = RFMA(one.y, s[n], s_im);
                }
#else
                UNROLL
                for (uint n = 0; n < TAPS; n += 2) {
                    const load_t two = staged[(u * TAPS + n) / 2];
                    c_re = RFMA(two.x, c[n], c_re);
                    c_im = RFMA(two.y, c[n], c_im);
                    s_re = RFMA(two.x, s[n], s_re);
                    s_im = RFMA(two.y, s[n], s_im);
                    c_re = RFMA(two.z, c[n + 1], c_re);
                    c_im = RFMA(two.w, c[n + 1], c_im);
                    s_re = RFMA(two.z, s[n + 1], s_re);
                    s_im = RFMA(two.w, s[n + 1], s_im);
                }
#endif
                complex_t high, low;
                high.x = c_re + s_im;
                high.y = c_im - s_re;
                low.x = c_re - s_im;
                low.y = c_im + s_re;
                if (bad[u])
                    high.x = high.y = low.x = low.y = NOT_A_NUMBER;
                store(&low, to, &t, p, below, values, flags, last);
                store(&high, to, &t, p, above, values, flags, last);
                if (bad[u] && m == 0 && first_block == 0 && pair == 0)
                    report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p);
            }
        }
        BARRIER(); /* before the next time step's middles */
    }
}

#endif
