/*
 * Channel DFT, variant "tf32x3": a uniform grid and delays that the paths of a link share, as dft_fold.cl has them, through NVIDIA's matrix
 * units. With b = gain x exp(-i middle) of a unit (path, block of 2 HALF values), C = sum b cos(x) and S = sum b sin(x) for the pairs
 * of values at the distance x from the block's middle are one real product:
 *     [unit, re | im][tap] x [tap][pair, cos | sin].
 * Each factor is split into two of tf32 (10 bits behind the point), high and low: y x = high high + (high low + low high), the latter
 * two in sums of their own, and what is left out is below 2^-21 of a product. The units cut sums off, not round them: the error is the
 * variant's own, doc/dft.md.
 *
 * Host macros, beside those of dft_phase.cl (REAL64 is 0):
 *   TAPS      a multiple of 8: the most taps of a link
 *   HALF      a multiple of 4: pairs of values of a block
 *   WARPS     of a work-group
 *   BLOCKS    the most blocks of a work-group
 *   EMULATED  1: the same sums in plain C, with the same places
 *
 * A work-group owns BLOCKS blocks of all paths of a tile at one time step. In local memory: the phasors of the middles, the split
 * cosines and sines in the order in which lanes take them, b of eight units a warp. A lane has in registers the sums of one unit and
 * pair, so that a product's four numbers are two values of the response.
 * Grid: x tiles, y blocks / BLOCKS, z time steps.
 */
#ifndef TAPS
#define TAPS 24
#endif
#ifndef HALF
#define HALF 32
#endif
#ifndef WARPS
#define WARPS 4
#endif
#ifndef BLOCKS
#define BLOCKS 20
#endif
#ifndef EMULATED
#define EMULATED 1
#endif

#define WARP 32
#define GROUP (WARP * WARPS)
#define ROWS 8             /* units of a product */
#define STEPS (TAPS / 8)   /* products to a sum */
#define COLUMNS (HALF / 4) /* of eight: four pairs */
#define PITCH (TAPS + 4)   /* of a unit's b, against bank conflicts */

#include "dft_tile.cl"
#include "tf32.cl"

/* The four numbers of a lane: C and S of its unit's real part, then of the imaginary part. */
#if EMULATED
INLINE void multiply(real *high_sums, real *low_sums, LOCAL_PTR const complex_t *b, LOCAL_PTR const uint4 *x, const uint lane)
{
    for (uint k = 0; k < 8; k++) {
        const complex_t y = b[lane / 4 * PITCH + k];
        UNROLL
        for (uint e = 0; e < 4; e++) {
            const uint bits = AS_UINT(e < 2 ? y.x : y.y), y_high = high_part(bits);
            const uint4 of = x[(2 * (lane % 4) + e % 2) * 4 + k % 4]; /* column's lane of that tap */
            const real h = AS_FLOAT(y_high), l = AS_FLOAT(low_part(bits, y_high));
            const real x_high = AS_FLOAT(k < 4 ? of.x : of.y), x_low = AS_FLOAT(k < 4 ? of.z : of.w);
            low_sums[e] = RFMA(h, x_low, RFMA(l, x_high, low_sums[e]));
            high_sums[e] = RFMA(h, x_high, high_sums[e]);
        }
    }
}
#else
#define MMA(to, y, x0, x1)                                                                                                     \
    ASM_PURE("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"        \
             : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])                                                              \
             : "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(x0), "r"(x1))
#endif

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_tf32(DFT_ARGUMENTS)
{
    LOCAL uint4 distance[COLUMNS * STEPS * WARP];
    LOCAL complex_t middle[BLOCKS * TAPS], staged[WARPS * ROWS * PITCH];
    LOCAL ulong first_turns[TAPS], block_turns[TAPS], half_turns[TAPS];
    LOCAL real weight[TAPS];
    const uint id = (uint)LOCAL_ID(0), warp = id / WARP, lane = id % WARP, time = first_time + (uint)GROUP_ID(2);
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + t.first_gain;
    GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;
    LOCAL_PTR complex_t *b = staged + warp * (ROWS * PITCH);
    const uint first_block = (uint)GROUP_ID(1) * BLOCKS, all_blocks = (values + 2 * HALF - 1) / (2 * HALF);
    const uint blocks = all_blocks - first_block < BLOCKS ? all_blocks - first_block : BLOCKS;
    const uint units = t.paths * blocks;

    for (uint n = id; n < TAPS; n += GROUP) {
        turns unit;
        unit.high = unit.low = 0;
        weight[n] = ABSENT;
        first_turns[n] = 0;
        if (n < t.taps) {
            const delay_t d = delay_at(delay, &t, 0, n, flags);
            const uint state = delay_state(d, flags);
            delay_turns(&unit, d, unit_a, unit_b);
            first_turns[n] = delay_turns_high(d, base_a, base_b) +
                             turns_times(&unit, first + ((dlong)first_block * (2 * HALF) + HALF) * step - step / 2);
            weight[n] = state == 1 ? ABSENT : state ? WRONG : AS_REAL(scale_bits);
            if (average > 1 && !state)
                weight[n] *= mean_weight(unit.high, average);
        }
        block_turns[n] = turns_times(&unit, (dlong)(2 * HALF) * step);
        half_turns[n] = turns_times(&unit, step / 2);
    }
    BARRIER();
    for (uint i = id; i < blocks * TAPS; i += GROUP) {
        const uint m = i / TAPS, n = i - m * TAPS;
        complex_t value;
        real cosine, sine;
        turns_cos_sin(first_turns[n] + m * block_turns[n], &cosine, &sine);
        value.x = cosine * weight[n];
        value.y = -sine * weight[n];
        middle[i] = value;
    }
    for (uint i = id; i < COLUMNS * STEPS * WARP; i += GROUP) { /* column lane / 4, taps lane % 4 and four more */
        const uint of_lane = i % WARP, k = i / WARP % STEPS, column = i / (WARP * STEPS);
        const uint pair = 4 * column + of_lane / 8, n = 8 * k + of_lane % 4;
        real c[2], s[2];
        turns_cos_sin((2 * pair + 1) * half_turns[n], &c[0], &s[0]);
        turns_cos_sin((2 * pair + 1) * half_turns[n + 4], &c[1], &s[1]);
        const uint x0 = AS_UINT(of_lane & 4 ? s[0] : c[0]), x1 = AS_UINT(of_lane & 4 ? s[1] : c[1]);
        uint4 parts;
        parts.x = high_part(x0);
        parts.y = high_part(x1);
        parts.z = low_part(x0, parts.x);
        parts.w = low_part(x1, parts.y);
        distance[i] = parts;
    }
    for (uint unit_0 = 0; unit_0 < units; unit_0 += WARPS * ROWS) {
        const uint first_unit = unit_0 + warp * ROWS;
        BARRIER(); /* middles and distances are there; the units before are done */
        for (uint i = lane; i < ROWS * TAPS; i += WARP) {
            const uint u = i / TAPS, n = i - u * TAPS, p = (first_unit + u) / blocks, m = first_unit + u - p * blocks;
            complex_t value;
            value.x = value.y = 0;
            if (first_unit + u < units && weight[n] != ABSENT) {
                const complex_t a = gain[(ulong)p * t.taps + n], e = middle[m * TAPS + n];
                value.x = RFMA(a.x, e.x, -(a.y * e.y));
                value.y = RFMA(a.x, e.y, a.y * e.x);
                if (weight[n] == WRONG || (not_finite(a.x) | not_finite(a.y))) {
                    value.x = value.y = NOT_A_NUMBER;
                    if (m == 0 && first_block == 0)
                        report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p);
                }
            }
            b[u * PITCH + n] = value;
        }
        BARRIER();
        if (first_unit < units) {
            const uint unit = first_unit + lane / 4, p = unit / blocks, m = unit - p * blocks;
            const uint mid = (first_block + m) * (2 * HALF) + HALF;
#if !EMULATED
            uint y_high[STEPS][4], y_low[STEPS][4];
            UNROLL
            for (uint k = 0; k < STEPS; k++) {
                const complex_t y0 = b[lane / 4 * PITCH + 8 * k + lane % 4], y1 = b[lane / 4 * PITCH + 8 * k + lane % 4 + 4];
                const uint bits[4] = { AS_UINT(y0.x), AS_UINT(y0.y), AS_UINT(y1.x), AS_UINT(y1.y) };
                UNROLL
                for (uint e = 0; e < 4; e++) {
                    y_high[k][e] = high_part(bits[e]);
                    y_low[k][e] = low_part(bits[e], y_high[k][e]);
                }
            }
#endif
            for (uint column = 0; column < COLUMNS; column++) {
                LOCAL_PTR const uint4 *x = distance + column * (STEPS * WARP);
                real sums[4] = { 0, 0, 0, 0 }, small[4] = { 0, 0, 0, 0 };
                UNROLL
                for (uint k = 0; k < STEPS; k++) {
#if EMULATED
                    multiply(sums, small, b + 8 * k, x + k * WARP, lane);
#else
                    const uint4 parts = x[k * WARP + lane];
                    MMA(small, y_low[k], parts.x, parts.y);
                    MMA(small, y_high[k], parts.z, parts.w);
                    MMA(sums, y_high[k], parts.x, parts.y);
#endif
                }
                const real c_re = sums[0] + small[0], s_re = sums[1] + small[1];
                const real c_im = sums[2] + small[2], s_im = sums[3] + small[3];
                const uint j = 4 * column + lane % 4;
                complex_t above, below;
                above.x = c_re + s_im;
                above.y = c_im - s_re;
                below.x = c_re - s_im;
                below.y = c_im + s_re;
                if (unit < units) {
                    store(&below, to, &t, p, mid - 1 - j, values, flags, 1);
                    store(&above, to, &t, p, mid + j, values, flags, 1);
                }
            }
        }
    }
}
