/*
 * Channel DFT, variant "bf16x6": a uniform grid and delays that the paths of a link share, as dft_fold.cl has them, through NVIDIA's matrix
 * units and as exact as it is. With b = gain x exp(-i middle) of a unit (path, block of 2 HALF values), C = sum b cos(x) and S = sum b sin(x)
 * for the pairs of values at the distance x from the block's middle are one real product:
 *     [pair, cos | sin][tap] x [tap][unit, re | im].
 * Each factor is three numbers of bf16 (8 bits) whose sum it is: high, middle and low. The high parts are multiples of 2^-8 of what no
 * factor exceeds, so that the sums of their products are whole numbers below 2^24, which the units, who cut off where an FMA rounds, add up
 * without any error. The five products that matter beside it, high x middle and smaller, go to sums of their own, where what is cut off is
 * below 2^-30.
 *
 * Host macros, beside those of dft_phase.cl (REAL64 is 0):
 *   TAPS      a multiple of 8, at most 32: the most taps of a link
 *   HALF      a multiple of 16: pairs of values of a block
 *   WARPS     of a work-group
 *   BLOCKS    the most blocks of a work-group
 *   PATHS     the most paths of a tile; 1 also for delays of a path's own
 *   KEEP      1: the parts of cosines and sines lie in registers; 0: they are read for each product
 *   CIRCLE    1: cosines and sines from points of the circle, dft_circle.cl
 *   PLAIN     1: the same sums in plain C, with the same places
 *
 * A work-group owns BLOCKS blocks of all paths of a tile at one time step. In local memory: the phasors of the middles, as they make b's real
 * and its imaginary part, the gains, the parts of cosines and sines in the order in which lanes take them. A warp does four units at a time,
 * paths at one block or, where a tile has fewer than four, blocks; a lane makes the parts of b that it gives to the products, and gets from them the values of one unit at two pairs' distances.
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
#ifndef PATHS
#define PATHS 16
#endif
#ifndef KEEP
#define KEEP 1
#endif
#ifndef PLAIN
#define PLAIN 1
#endif

#define WARP 32
#define GROUP (WARP * WARPS)
#define UNITS 4                  /* of a product: its columns are their real and imaginary parts */
#define STEPS (TAPS / 8)         /* eights of taps; a product takes two of them, one that is left over by itself */
#define QUADS (STEPS / 2)
#define TILES (HALF / 8)         /* of eight pairs: a product's rows are their cosines and sines */
#define PARTS 3
#define OWN ((PATHS * TAPS + GROUP - 1) / GROUP) /* gains that a work-item stages */
#define USUAL_LEAST (40u << 23)  /* largest gains whose parts neither vanish nor pass all bounds */
#define USUAL_RANGE (180u << 23)

#include "dft_tile.cl"
#include "dft_circle.cl"

#if defined(CLR_CUDA)
#define LOCAL_MAX(pointer, value) atomicMax(pointer, value)
#define MUL_HIGH_32(a, b) __umulhi(a, b)
#define UPPER_HALVES(first, second) __byte_perm(first, second, 0x7632)
#else
#define LOCAL_MAX(pointer, value) atomic_max(pointer, value)
#define MUL_HIGH_32(a, b) mul_hi(a, b)
#define UPPER_HALVES(first, second) ((first) >> 16 | ((second) & 0xffff0000u))
#endif

#include "dft_bf16_product.cl"

/*
 * The bits of 1.5 x 2^(E + 15), 2^E more than a path's |b| can be, from the larger parts of its gains and the scale. Gains so large or small
 * that parts of b would pass all bounds or vanish are divided by a power of two first.
 */
INLINE uint magic_of_path(LOCAL_PTR real *lift, LOCAL_PTR complex_t *gains, const real most, const real scale)
{
    const real above_root_2 = 1.4143f;
    uint bits = AS_UINT(most * scale * above_root_2);
    *lift = 1;
    if (most != 0 && bits - USUAL_LEAST >= USUAL_RANGE) {
        const real factor = bits < USUAL_LEAST ? 0x1p100f : 0x1p-100f;
        *lift = bits < USUAL_LEAST ? 0x1p-100f : 0x1p100f;
        for (uint n = 0; n < TAPS; n++) {
            gains[n].x *= factor;
            gains[n].y *= factor;
        }
        bits = AS_UINT(most * factor * scale * above_root_2);
    }
    return ((bits & 0x7f800000u) + (16u << 23)) | 0x400000u;
}

/* A value at its place in the response; zero where the path's input is not finite. */
INLINE void put(GLOBAL complex_t *of_path, complex_t value, const uint m, const uint values, const ulong apart, const real lifted)
{
    value.x *= lifted;
    value.y *= lifted;
    if (value.x != value.x)
        value.x = value.y = 0;
    if (m < values)
        of_path[m * apart] = value;
}

/* A work-group's local memory, in one piece: one address, from which all others are so far away. */
typedef struct staged {
    uint4 quads[TILES * PARTS * QUADS * WARP + 1];     /* cosines and sines of sixteen taps, */
    float4 middles[BLOCKS * TAPS], gains[PATHS * TAPS / 2]; /* two taps each */
    uint2 odd[STEPS % 2 * TILES * PARTS * WARP + 1];   /* of eight */
    uint4 of_tap[TAPS]; /* the first middle's turn (2^32 is one), the turn of a block in two, the weight's bits */
    uint2 half_turns[TAPS]; /* half of what one value is from the next, in two */
    uint most[PATHS]; /* bits of a path's largest real or imaginary part, then of what splits its b */
    real lift[PATHS]; /* 1, or what its gains were divided by */
#if PLAIN
    uint y[WARPS * PARTS * STEPS * WARP];
#endif
} staged;

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_bf16(DFT_ARGUMENTS)
{
    LOCAL staged l;
#if CIRCLE
    CIRCLE_IN_LOCAL_MEMORY;
#endif
    const uint id = (uint)LOCAL_ID(0), warp = id / WARP, lane = id % WARP, time = first_time + (uint)GROUP_ID(2);
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + t.first_gain;
    LOCAL_PTR complex_t *middle = (LOCAL_PTR complex_t *)l.middles, *gain_of = (LOCAL_PTR complex_t *)l.gains;
    const uint first_block = (uint)GROUP_ID(1) * BLOCKS, all_blocks = (values + 2 * HALF - 1) / (2 * HALF);
    const uint blocks = all_blocks - first_block < BLOCKS ? all_blocks - first_block : BLOCKS;
    complex_t own[OWN]; /* on their way while the phases are made */
    UNROLL
    for (uint k = 0; k < OWN; k++) {
        const uint i = id + k * GROUP, p = i / TAPS, n = i - p * TAPS;
        own[k].x = own[k].y = 0;
        if (p < t.paths && n < t.taps)
            own[k] = gain[(ulong)p * t.taps + n];
    }
    for (uint n = id; n < TAPS; n += GROUP) {
        turns unit;
        ulong first_turn = 0;
        real weight = ABSENT;
        unit.high = unit.low = 0;
        if (n < t.taps) {
            const delay_t d = delay_at(delay, &t, 0, n, flags);
            const uint state = delay_state(d, flags);
            delay_turns(&unit, d, unit_a, unit_b);
            first_turn = (base_a ? delay_turns_high(d, base_a, base_b) : 0) +
                         turns_times(&unit, first + ((dlong)first_block * (2 * HALF) + HALF) * step - step / 2);
            weight = state == 1 ? ABSENT : state ? WRONG : AS_REAL(scale_bits);
            if (average > 1 && !state)
                weight *= mean_weight(unit.high, average);
        }
        const ulong block_turn = turns_times(&unit, (dlong)(2 * HALF) * step), half_turn = turns_times(&unit, step / 2);
        uint4 of;
        of.x = (uint)(first_turn >> 32);
        of.y = (uint)(block_turn >> 32);
        of.z = (uint)block_turn;
        of.w = AS_UINT(weight);
        l.of_tap[n] = of;
        l.half_turns[n].x = (uint)(half_turn >> 32);
        l.half_turns[n].y = (uint)half_turn;
    }
    FILL_CIRCLE(id, GROUP);
    for (uint p = id; p < PATHS; p += GROUP)
        l.most[p] = 0;
    BARRIER();
    UNROLL
    for (uint k = 0; k < OWN; k++) {
        const uint i = id + k * GROUP, p = i / TAPS, n = i - p * TAPS;
        if (p < t.paths) {
            const uint x = AS_UINT(own[k].x) & 0x7fffffffu, y = AS_UINT(own[k].y) & 0x7fffffffu;
            const real w = AS_FLOAT(l.of_tap[n].w);
            if (w == ABSENT) {
                own[k].x = own[k].y = 0;
            } else if (w == WRONG || (not_finite(own[k].x) | not_finite(own[k].y))) {
                own[k].x = own[k].y = NOT_A_NUMBER;
                if (first_block == 0)
                    report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p);
            } else {
                LOCAL_MAX(l.most + p, x > y ? x : y);
            }
            gain_of[i] = own[k];
        }
    }
    for (uint i = id; i < blocks * TAPS; i += GROUP) {
        const uint m = i / TAPS, n = i - m * TAPS;
        const uint4 of = l.of_tap[n];
        const real w = AS_FLOAT(of.w);
        complex_t for_re, for_im;
        real cosine, sine;
        TURNED_32(of.x + TIMES(m, of.y, of.z), &cosine, &sine);
        for_re.x = for_im.y = cosine * w;
        for_re.y = sine * w;
        for_im.x = -for_re.y;
        middle[i + m * TAPS] = for_re;
        middle[i + m * TAPS + TAPS] = for_im;
    }
    /* The places of a product's rows: row r of tile i is pair 16 (i / 2) + 2 r + i % 2, so that a lane has neighbours. */
    for (uint i = warp; i < TILES; i += WARPS) {
        const uint odd_pair = 2 * (i / 2 * 16 + lane / 4 * 2 + i % 2) + 1;
        UNROLL
        for (uint k = 0; k < STEPS; k++) {
            const uint2 half_0 = l.half_turns[8 * k + lane % 4 * 2], half_1 = l.half_turns[8 * k + lane % 4 * 2 + 1];
            real c[2], s[2];
            uint c_parts[PARTS], s_parts[PARTS];
            TURNED_32(TIMES(odd_pair, half_0.x, half_0.y), &c[0], &s[0]);
            TURNED_32(TIMES(odd_pair, half_1.x, half_1.y), &c[1], &s[1]);
            split(c_parts, c[0], c[1], 49152.0f, 96.0f);
            split(s_parts, s[0], s[1], 49152.0f, 96.0f);
            UNROLL
            for (uint part = 0; part < PARTS; part++) {
                uint2 both;
                both.x = c_parts[part];
                both.y = s_parts[part];
                if (k / 2 < QUADS)
                    ((LOCAL_PTR uint2 *)l.quads)[2 * (((i * PARTS + part) * QUADS + k / 2) * WARP + lane) + k % 2] = both;
                else
                    l.odd[(i * PARTS + part) * WARP + lane] = both;
            }
        }
    }
    BARRIER();
    for (uint p = id; p < t.paths; p += GROUP)
        l.most[p] = magic_of_path(&l.lift[p], gain_of + p * TAPS, AS_FLOAT(l.most[p]), AS_FLOAT((uint)scale_bits & 0x7fffffffu));
    BARRIER();
#if KEEP && !PLAIN
    uint4 x[TILES * PARTS * QUADS + 1];
    uint2 x_odd[TILES * PARTS];
    UNROLL
    for (uint i = 0; i < TILES * PARTS * QUADS; i++)
        x[i] = l.quads[i * WARP + lane];
    UNROLL
    for (uint i = 0; i < STEPS % 2 * TILES * PARTS; i++)
        x_odd[i] = l.odd[i * WARP + lane];
#elif !PLAIN
    LOCAL_PTR const uint4 *quads_of_lane = l.quads + lane;
    LOCAL_PTR const uint2 *odd_of_lane = l.odd + lane;
    const uint nothing = flags >> 31; /* added each time, it keeps the compiler from loading all parts beforehand */
#endif
    const uint transposed = flags & FLAG_TRANSPOSED;
    const ulong apart = transposed ? t.link_paths : 1, rows_apart = transposed ? 1 : values;
    GLOBAL complex_t *of_tile = SPAN_AT(complex_t, response) + time * response_step + place_of(&t, 0, 0, values, flags);
    const uint plain = !transposed && values % 2 == 0 && ((ulong)of_tile & 15) == 0;
    const uint row = lane / 4 * 2;
    /* units are four blocks of one path where paths are few, else four paths at one block */
    const uint along = PATHS == 1 || t.paths < UNITS, places = along ? (blocks + UNITS - 1) / UNITS : blocks;
    for (uint q = 0; q * (along ? 1 : UNITS) < t.paths; q++) {
        const uint of_b = along ? q : q * UNITS + lane / 8, p = along ? q : q * UNITS + lane % 4, there = p < t.paths;
        const uint p_b = of_b < t.paths ? of_b : 0, p_c = there ? p : 0;
        const real high_magic = AS_FLOAT(l.most[p_b]), mid_magic = AS_FLOAT(l.most[p_b] - (9u << 23)), lifted = l.lift[p_c];
        const uint fast = plain && lifted == 1;
        GLOBAL complex_t *of_path = of_tile + p_c * rows_apart;
        float4 two[STEPS];
        UNROLL
        for (uint k = 0; k < STEPS; k++)
            two[k] = l.gains[p_b * (TAPS / 2) + lane % 4 + 4 * k];
        /* A warp goes on where the one before it left the paths before. All do the same number of rounds. */
        uint at = (warp + WARPS - q * places % WARPS) % WARPS;
        for (uint round = 0; round <= places / WARPS; round++, at += WARPS) {
            const uint m_b = along ? at * UNITS + lane / 8 : at, m = along ? at * UNITS + lane % 4 : at;
            const uint mid = (first_block + m) * (2 * HALF) + HALF, inside = there && m < blocks;
            LOCAL_PTR const float4 *e = l.middles + (m_b < blocks ? m_b : 0) * TAPS + lane / 4 % 2 * (TAPS / 2) + lane % 4;
            uint y[PARTS * STEPS];
            UNROLL
            for (uint k = 0; k < STEPS; k++) {
                const float4 turn = e[4 * k];
                uint parts[PARTS];
                split(parts, RFMA(two[k].x, turn.x, two[k].y * turn.y), RFMA(two[k].z, turn.z, two[k].w * turn.w), high_magic,
                      mid_magic);
                UNROLL
                for (uint part = 0; part < PARTS; part++)
                    y[part * STEPS + k] = parts[part];
            }
#if PLAIN
            LOCAL_PTR uint *of_warp = l.y + warp * (PARTS * STEPS * WARP);
            BARRIER(); /* those of the units before are read */
            UNROLL
            for (uint i = 0; i < PARTS * STEPS; i++)
                of_warp[i * WARP + lane] = y[i];
            BARRIER();
#endif
            if (at >= places)
                continue;
#if !KEEP && !PLAIN
            quads_of_lane += nothing;
            odd_of_lane += nothing;
#endif
            GLOBAL complex_t *up = of_path + (mid + row), *down = of_path + (mid - 2 - row);
            UNROLL
            for (uint i = 0; i < TILES; i += 2) {
                complex_t above[2], below[2];
                UNROLL
                for (uint side = 0; side < 2; side++) {
                    real sums[4] = { 0, 0, 0, 0 }, small[4] = { 0, 0, 0, 0 };
#if PLAIN
                    multiply_all(sums, small, l.quads + (i + side) * (PARTS * QUADS * WARP), l.odd + (i + side) * (PARTS * WARP),
                                 of_warp, lane);
#elif KEEP
                    multiply_all(sums, small, x + (i + side) * (PARTS * QUADS), x_odd + (i + side) * PARTS, y);
#else
                    uint4 x[PARTS * QUADS + 1];
                    uint2 x_odd[PARTS];
                    UNROLL
                    for (uint k = 0; k < PARTS * QUADS; k++)
                        x[k] = quads_of_lane[((i + side) * (PARTS * QUADS) + k) * WARP];
                    UNROLL
                    for (uint k = 0; k < STEPS % 2 * PARTS; k++)
                        x_odd[k] = odd_of_lane[((i + side) * PARTS + k) * WARP];
                    multiply_all(sums, small, x, x_odd, y);
#endif
                    const real c_re = sums[0] + small[0], c_im = sums[1] + small[1];
                    const real s_re = sums[2] + small[2], s_im = sums[3] + small[3];
                    above[side].x = c_re + s_im;
                    above[side].y = c_im - s_re;
                    below[side].x = c_re - s_im;
                    below[side].y = c_im + s_re;
                }
                const uint j = 8 * i + row;
                if (fast && inside && above[0].x == above[0].x) {
                    float4 high, low;
                    high.x = above[0].x;
                    high.y = above[0].y;
                    high.z = above[1].x;
                    high.w = above[1].y;
                    low.x = below[1].x;
                    low.y = below[1].y;
                    low.z = below[0].x;
                    low.w = below[0].y;
                    if (mid + j < values)
                        *(GLOBAL float4 *)(up + 8 * i) = high;
                    if (mid - 2 - j < values)
                        *(GLOBAL float4 *)(down - 8 * i) = low;
                } else if (inside) {
                    for (uint side = 0; side < 2; side++) {
                        put(of_path, below[side], mid - 1 - j - side, values, apart, lifted);
                        put(of_path, above[side], mid + j + side, values, apart, lifted);
                    }
                }
            }
        }
    }
}
