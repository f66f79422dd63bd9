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
 *   ITEM     1: the form for processors, dft_item.cl; PAIRS, TEAMS and UNITS mean nothing there
 *
 * A work-group owns BLOCKS blocks of all paths of a tile, and the time steps of its third index in turn. In local memory:
 * fractions of a turn a tap, the cosines and sines of a pair's distance (with one team each makes its own), the phasors of
 * the middles, b of UNITS units. A work-item keeps the cosines and sines of its distances in registers, and two complex
 * sums a pair. A path whose input is not finite has a b that is not a number, and so all of its values.
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

#ifndef ITEM
#define ITEM 0
#endif

#define LANES (HALF / PAIRS)
#define CHAIN 4 /* taps added up by themselves: a sum of many alike would lose more than the bound */
#define GROUP (LANES * TEAMS)

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

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_fold(DFT_ARGUMENTS)
{
#if TEAMS > 1
    LOCAL complex_t distance[TAPS * HALF];
#endif
    LOCAL complex_t middle[BLOCKS * TAPS];
    LOCAL load_t staged[UNITS * TAPS * sizeof(complex_t) / sizeof(load_t)];
    LOCAL ulong unit_high[TAPS], unit_low[TAPS], base_turns[TAPS];
    LOCAL real weight[TAPS];
    const uint id = (uint)LOCAL_ID(0);
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const ulong *rate = SPAN_AT(const ulong, rates);
    LOCAL_PTR complex_t *b = (LOCAL_PTR complex_t *)staged;
    const uint first_block = (uint)GROUP_ID(1) * BLOCKS;
    const uint all_blocks = (values + 2 * HALF - 1) / (2 * HALF);
    const uint blocks = all_blocks - first_block < BLOCKS ? all_blocks - first_block : BLOCKS;
    const uint taps = t.taps - first_tap < TAPS ? t.taps - first_tap : TAPS;
    const uint team = id / LANES, lane = id - team * LANES;
    const uint units = t.paths * blocks, last = t.taps <= first_tap + TAPS;
    const uint magic = blocks > 1 ? 0xffffffffu / blocks + 1 : 0;
    const uint plain = last && !(flags & (FLAG_ADD | FLAG_TRANSPOSED));
    real c[PAIRS][TAPS], s[PAIRS][TAPS];

    if (t.taps <= first_tap && (flags & FLAG_ADD))
        return; /* all of the group: nothing is left to add */
    for (uint n = id; n < TAPS; n += GROUP) {
        turns unit;
        unit.high = unit.low = 0;
        ulong base = 0;
        real w = ABSENT;
        if (t.taps > first_tap && n < taps) {
            const delay_t d = delay_at(delay, &t, 0, first_tap + n, flags);
            const uint state = delay_state(d, flags);
            delay_turns(&unit, d, unit_a, unit_b);
            if (base_a)
                base = delay_turns_high(d, base_a, base_b);
            w = AS_REAL(scale_bits);
            if (average > 1)
                w *= mean_weight(unit.high, average);
            if (state)
                w = state == 1 ? ABSENT : WRONG;
        }
        unit_high[n] = unit.high;
        unit_low[n] = unit.low;
        base_turns[n] = base;
        weight[n] = w;
    }
    BARRIER();
#if TEAMS > 1
    for (uint i = id; i < TAPS * HALF; i += GROUP) {
        const uint n = i / HALF, j = i - n * HALF;
        turns unit;
        complex_t value;
        real cosine, sine;
        unit.high = unit_high[n];
        unit.low = unit_low[n];
        turns_cos_sin(turns_times(&unit, (dlong)(2 * j + 1) * (step / 2)), &cosine, &sine);
        value.x = cosine;
        value.y = sine;
        distance[i] = value;
    }
    BARRIER();
#endif
    UNROLL
    for (uint n = 0; n < TAPS; n++) {
        UNROLL
        for (uint q = 0; q < PAIRS; q++) {
            const uint j = lane + q * LANES;
#if TEAMS > 1
            c[q][n] = distance[n * HALF + j].x;
            s[q][n] = distance[n * HALF + j].y;
#else
            turns unit;
            unit.high = unit_high[n];
            unit.low = unit_low[n];
            turns_cos_sin(turns_times(&unit, (dlong)(2 * j + 1) * (step / 2)), &c[q][n], &s[q][n]);
#endif
        }
    }
    for (uint time = first_time + (uint)GROUP_ID(2); time < end_time; time += (uint)GROUPS(2)) {
        GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + t.first_gain;
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
                ulong turn = base_turns[n] + turns_times(&unit, index);
                if ((flags & FLAG_RATES) && n < taps) {
                    const ulong r = rate[tap_index(&t, 0, first_tap + n, flags & FLAG_PATH_RATES)];
                    if ((r & 0x7ff0000000000000UL) == 0x7ff0000000000000UL && w != ABSENT)
                        w = WRONG;
                    turn -= turns_at_time(r, time_a, time_b, time);
                }
                turns_cos_sin(turn, &cosine, &sine);
                value.x = w == WRONG || w == ABSENT ? w : cosine * w;
                value.y = -sine * w;
                middle[i] = value;
            }
        }
        for (uint unit_0 = 0; unit_0 < units; unit_0 += UNITS) {
            const uint here = units - unit_0 < UNITS ? units - unit_0 : UNITS;
            BARRIER(); /* middles are there; the units before are done */
            for (uint i = id; i < here * TAPS; i += GROUP) {
                const uint u = i / TAPS, n = i - u * TAPS, p = path_of(unit_0 + u, magic), m = unit_0 + u - p * blocks;
                const complex_t e = middle[m * TAPS + n];
                complex_t value;
                value.x = value.y = 0;
                if (e.x != ABSENT) {
                    const complex_t a = gain[(ulong)p * t.taps + first_tap + n];
                    value.x = RFMA(a.x, e.x, -(a.y * e.y));
                    value.y = RFMA(a.x, e.y, a.y * e.x);
                    if (e.x == WRONG || (not_finite(a.x) | not_finite(a.y)))
                        value.x = value.y = NOT_A_NUMBER;
                }
                b[i] = value;
            }
            BARRIER();
            for (uint u = team; u < here; u += TEAMS) {
                const uint p = path_of(unit_0 + u, magic), m = unit_0 + u - p * blocks;
                const uint mid = (first_block + m) * (2 * HALF) + HALF;
                GLOBAL complex_t *row = to + (t.first_path + p) * values + mid;
                real c_re[PAIRS], c_im[PAIRS], s_re[PAIRS], s_im[PAIRS];
                real keep_a[PAIRS], keep_d[PAIRS], keep_e[PAIRS], keep_f[PAIRS];
                UNROLL
                for (uint first_of = 0; first_of < TAPS; first_of += CHAIN) { /* sums of CHAIN taps, of two of them, of all */
                    real a[PAIRS], d[PAIRS], e[PAIRS], f[PAIRS];
                    UNROLL
                    for (uint q = 0; q < PAIRS; q++)
                        a[q] = d[q] = e[q] = f[q] = 0;
#if REAL64
                    UNROLL
                    for (uint n = first_of; n < first_of + CHAIN && n < TAPS; n++) {
                        const load_t one = staged[u * TAPS + n];
                        UNROLL
                        for (uint q = 0; q < PAIRS; q++) {
                            a[q] = RFMA(one.x, c[q][n], a[q]);
                            d[q] = RFMA(one.y, c[q][n], d[q]);
                            e[q] = RFMA(one.x, s[q][n], e[q]);
                            f[q] = RFMA(one.y, s[q][n], f[q]);
                        }
                    }
#else
                    UNROLL
                    for (uint n = first_of; n < first_of + CHAIN && n < TAPS; n += 2) {
                        const load_t two = staged[(u * TAPS + n) / 2];
                        UNROLL
                        for (uint q = 0; q < PAIRS; q++) {
                            a[q] = RFMA(two.x, c[q][n], a[q]);
                            d[q] = RFMA(two.y, c[q][n], d[q]);
                            e[q] = RFMA(two.x, s[q][n], e[q]);
                            f[q] = RFMA(two.y, s[q][n], f[q]);
                            a[q] = RFMA(two.z, c[q][n + 1], a[q]);
                            d[q] = RFMA(two.w, c[q][n + 1], d[q]);
                            e[q] = RFMA(two.z, s[q][n + 1], e[q]);
                            f[q] = RFMA(two.w, s[q][n + 1], f[q]);
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
                const uint right = c_re[0] == c_re[0];
                if (!right && mid == HALF && lane == 0)
                    report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p);
                UNROLL
                for (uint q = 0; q < PAIRS; q++) {
                    const uint j = lane + q * LANES;
                    complex_t high, low;
                    high.x = c_re[q] + s_im[q];
                    high.y = c_im[q] - s_re[q];
                    low.x = c_re[q] - s_im[q];
                    low.y = c_im[q] + s_re[q];
                    if (plain && right) {
                        if (mid + j < values)
                            row[j] = high;
                        if (mid - 1 - j < values)
                            row[-1 - (int)j] = low;
                    } else {
                        store(&low, to, &t, p, mid - 1 - j, values, flags, last);
                        store(&high, to, &t, p, mid + j, values, flags, last);
                    }
                }
            }
        }
        BARRIER(); /* before the next time step's middles */
    }
}

#endif
