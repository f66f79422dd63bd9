/*
 * Channel DFT, variant "bf16x6": a uniform grid and delays that the paths of a link share, as dft_fold.cl has them, through NVIDIA's matrix
 * units and as exact as it is. With b = gain x exp(-i middle) of a unit (path, block of 2 HALF values), C = sum b cos(x) and S = sum b sin(x)
 * for the pairs of values at the distance x from the block's middle are one real product:
 *     [unit, re | im][tap] x [tap][pair, cos | sin].
 * Each factor is three numbers of bf16 (8 bits) whose sum it is: high, middle and low. The high parts are multiples of 2^-8 of what no
 * factor exceeds, so that the sums of their products are whole numbers below 2^24, which the units, who cut off where an FMA rounds, add up
 * without any error. The five products that matter beside it, high x middle and smaller, go to sums of their own, where what is cut off is
 * below 2^-30.
 *
 * Host macros, beside those of dft_phase.cl (REAL64 is 0):
 *   TAPS      a multiple of 8, at most 32: the most taps of a link
 *   HALF      a multiple of 8: pairs of values of a block
 *   WARPS     of a work-group
 *   BLOCKS    the most blocks of a work-group
 *   PATHS     the most paths of a tile; 1 also for delays of a path's own
 *   KEEP      1: the parts of cosines and sines lie in registers; 0: they are read for each product
 *   CIRCLE    1: cosines and sines from points of the circle, dft_circle.cl
 *   RESIDENT  work-groups that a multiprocessor's registers have to hold at once, 0: as the compiler likes
 *   OWN_MIDDLES 1: lanes make the middles of their units as they need them, which no two units share where a tile is one path; 0: they
 *             are made once a work-group
 *   PLAIN     1: the same sums in plain C, with the same places
 *
 * A work-group owns BLOCKS blocks of all paths of a tile at one time step. In local memory: the phasors of the middles (without
 * OWN_MIDDLES), the parts of cosines and sines in the order in which lanes take them. A warp does eight units at a time, paths at one block or, where a tile has fewer than
 * five, paths at several; a lane has a quarter of its unit's gains in registers, makes of them the parts of b that it gives to the products,
 * and gets from them the unit's values at two pairs' distances.
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
#ifndef RESIDENT
#define RESIDENT 0
#endif
#ifndef OWN_MIDDLES
#define OWN_MIDDLES 0
#endif
#ifndef PLAIN
#define PLAIN 1
#endif

#define WARP 32
#define GROUP (WARP * WARPS)
#define UNITS 8                  /* of a product: its rows are their real parts, then their imaginary ones */
#define STEPS (TAPS / 8)         /* eights of taps; a product takes two of them, one that is left over by itself */
#define QUADS (STEPS / 2)
#define SLOT(lane) ((lane) ^ (lane) / 8 % 2 * 4) /* where a lane's parts lie: those who write them meet in no bank, two at a time */
#define AT_ONCE ((PATHS + UNITS - 1) / UNITS) /* eights of paths, the most of a tile */
#define TILES (HALF / 8)         /* of eight pairs: the columns of two products are their cosines and sines, of every second pair each */
#define PARTS 3
#define USUAL_LEAST (40u << 23)  /* largest gains whose parts neither vanish nor pass all bounds */
#define USUAL_RANGE (180u << 23)
#define INFINITE AS_FLOAT(0x7f800000u)

#include "dft_tile.cl"
#include "dft_circle.cl"

#if defined(CLR_CUDA)
#define MUL_HIGH_32(a, b) __umulhi(a, b)
#define UPPER_HALVES(first, second) __byte_perm(first, second, 0x7632)
#else
#define MUL_HIGH_32(a, b) mul_hi(a, b)
#define UPPER_HALVES(first, second) ((first) >> 16 | ((second) & 0xffff0000u))
#endif

#include "dft_bf16_product.cl"

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
    uint4 quads[TILES * PARTS * QUADS * WARP + 1]; /* of sixteen taps, for both products of a tile, */
#if !OWN_MIDDLES
    float4 middles[BLOCKS * TAPS / 2]; /* two taps each */
#endif
    uint4 odd[STEPS % 2 * TILES * WARP + 1]; /* of eight: high and middle ones of both, */
    uint2 odd_low[STEPS % 2 * TILES * WARP + 1]; /* and low ones */
    uint4 of_tap[TAPS]; /* the first middle's turn (2^32 is one), the turn of a block in two, the weight's bits */
    uint2 half_turns[TAPS]; /* half of what one value is from the next, in two */
#if PLAIN
    uint y[WARPS * 2 * PARTS * STEPS * WARP];
    real most[GROUP];
#endif
} staged;

#include "dft_bf16_stage.cl"

/* What a lane knows of its unit. */
typedef struct unit {
    GLOBAL complex_t *to; /* its path's first value */
    real lifted;
    uint plain, inside, mid; /* whether values are written as they are; whether path and block are there; its middle */
} unit;

/* A lane's values of its unit at two neighbouring pairs: the first at the distance `beyond` + `pair`. */
INLINE void put_two(const unit *of, const complex_t *above, const complex_t *below, const uint beyond, const uint pair, const uint values,
                    const ulong apart)
{
    GLOBAL complex_t *up = of->to + (of->mid + pair), *down = of->to + (of->mid - 2 - pair);
    const uint mid = of->mid, j = beyond + pair;
    if (of->plain && of->inside) {
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
            *(GLOBAL float4 *)(up + beyond) = high;
        if (mid - 2 - j < values)
            *(GLOBAL float4 *)(down - beyond) = low;
    } else if (of->inside) {
        for (uint side = 0; side < 2; side++) {
            put(of->to, below[side], mid - 1 - j - side, values, apart, of->lifted);
            put(of->to, above[side], mid + j + side, values, apart, of->lifted);
        }
    }
}

#if PLAIN
#define PARTS_OF_B LOCAL_PTR const uint *
#else
#define PARTS_OF_B const uint *
#endif
/* Adds nothing, each time, to where a lane reads its cosines: it keeps the compiler from loading all parts beforehand. */
#if KEEP
#define KEEP_READING(x) (void)0
#else
#define KEEP_READING(x) ((x).quads += flags >> 31, (x).odd += flags >> 31, (x).odd_low += flags >> 31)
#endif

/* The parts of b that a lane gives at the m-th middle: of each step real parts, then imaginary ones. */
INLINE void make_b(uint *y, const float4 *two, LOCAL_PTR const staged *l, CIRCLE_ARGUMENT, const uint m, const uint lane, const real magic)
{
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        float4 turn;
        middles_of_two(&turn, l, circle, m, 4 * k + lane % 4);
        uint re[PARTS], im[PARTS];
        split(re, RFMA(two[k].x, turn.x, two[k].y * turn.y), RFMA(two[k].z, turn.z, two[k].w * turn.w), magic);
        split(im, RFMA(two[k].y, turn.x, -(two[k].x * turn.y)), RFMA(two[k].w, turn.z, -(two[k].z * turn.w)), magic);
        UNROLL
        for (uint part = 0; part < PARTS; part++) {
            y[2 * (part * STEPS + k)] = re[part];
            y[2 * (part * STEPS + k) + 1] = im[part];
        }
    }
}

/* Where a lane has the parts of cosines and sines from: registers, or its places in local memory. */
typedef struct cosines {
#if KEEP && !PLAIN
    uint4 quads[TILES * PARTS * QUADS + 1], odd[TILES];
    uint2 odd_low[TILES];
#else
    LOCAL_PTR const uint4 *quads, *odd;
    LOCAL_PTR const uint2 *odd_low;
#endif
} cosines;

INLINE void find_cosines(cosines *of, LOCAL_PTR const staged *l, const uint lane)
{
#if KEEP && !PLAIN
    UNROLL
    for (uint i = 0; i < TILES * PARTS * QUADS; i++)
        of->quads[i] = l->quads[i * WARP + SLOT(lane)];
    UNROLL
    for (uint i = 0; i < STEPS % 2 * TILES; i++) {
        of->odd[i] = l->odd[i * WARP + SLOT(lane)];
        of->odd_low[i] = l->odd_low[i * WARP + SLOT(lane)];
    }
#else
    const uint slot = PLAIN ? 0 : SLOT(lane);
    of->quads = l->quads + slot;
    of->odd = l->odd + slot;
    of->odd_low = l->odd_low + slot;
#endif
}

/* The sums of the i-th tile: C and S of a unit's real part and of the imaginary one, at both of a lane's pairs. */
INLINE void multiply_tile(real *sums, const cosines *of, const uint i, PARTS_OF_B y, const uint lane)
{
#if PLAIN
    multiply_all(sums, of->quads + i * (PARTS * QUADS * WARP), of->odd + i * WARP, of->odd_low + i * WARP, y, lane);
#elif KEEP
    multiply_all(sums, of->quads + i * (PARTS * QUADS), of->odd[i], of->odd_low[i], y);
#else
    uint4 x[PARTS * QUADS + 1];
    UNROLL
    for (uint k = 0; k < PARTS * QUADS; k++)
        x[k] = of->quads[(i * (PARTS * QUADS) + k) * WARP];
    multiply_all(sums, x, of->odd[STEPS % 2 * i * WARP], of->odd_low[STEPS % 2 * i * WARP], y);
#endif
}

/* All values of a lane's unit: C - i S above its middle, C + i S below. */
INLINE void put_unit(const unit *of, const cosines *x, PARTS_OF_B y, const uint lane, const uint values, const ulong apart)
{
    UNROLL
    for (uint i = 0; i < TILES; i++) {
        complex_t above[2], below[2];
        real sums[2 * 4];
        multiply_tile(sums, x, i, y, lane);
        UNROLL
        for (uint side = 0; side < 2; side++) {
            const real c_re = sums[4 * side], s_re = sums[4 * side + 1], c_im = sums[4 * side + 2], s_im = sums[4 * side + 3];
            above[side].x = c_re + s_im;
            above[side].y = c_im - s_re;
            below[side].x = c_re - s_im;
            below[side].y = c_im + s_re;
        }
        put_two(of, above, below, 8 * i, lane % 4 * 2, values, apart);
    }
}

#if PLAIN
/* A warp's parts of b in local memory, where all of its work-items see them. */
INLINE void share_b(LOCAL_PTR uint *of_warp, const uint *y, const uint lane)
{
    BARRIER(); /* those of the units before are read */
    UNROLL
    for (uint i = 0; i < 2 * PARTS * STEPS; i++)
        of_warp[i * WARP + lane] = y[i];
    BARRIER();
}
#endif

/* The taps' phases, then what is made of them for all of the group. */
INLINE void stage(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const tile *t, GLOBAL const delay_t *delay, const uint blocks, const ulong unit_a,
                  const ulong unit_b, const ulong base_a, const ulong base_b, const dlong first_middle, const uint step,
                  const real scale, const uint average, const uint flags)
{
    const uint id = (uint)LOCAL_ID(0);
    for (uint n = id; n < TAPS; n += GROUP)
        make_turns(l, t, delay, n, unit_a, unit_b, base_a, base_b, first_middle, step, scale, average, flags);
    BARRIER(); /* the circle's points are there too */
#if !OWN_MIDDLES
    for (uint m = id / 8; m < blocks; m += GROUP / 8)
        make_middle(l, circle, m, id % 8);
#endif
    for (uint i = id / WARP; i < TILES; i += WARPS)
        make_cosines(l, circle, i, id % WARP);
    BARRIER();
}

KERNEL RESIDENT_GROUPS(GROUP, RESIDENT)
dft_bf16(DFT_ARGUMENTS)
{
    LOCAL staged l;
    CIRCLE_IN_LOCAL_MEMORY;
    const uint id = (uint)LOCAL_ID(0), warp = id / WARP, lane = id % WARP, time = first_time + (uint)GROUP_ID(2);
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + t.first_gain;
    const uint first_block = (uint)GROUP_ID(1) * BLOCKS, all_blocks = (values + 2 * HALF - 1) / (2 * HALF);
    const uint blocks = all_blocks - first_block < BLOCKS ? all_blocks - first_block : BLOCKS;
    /* the units of a product: 2^wide paths at neighbouring blocks */
    const uint wide = PATHS == 1 || t.paths == 1 ? 0 : t.paths == 2 ? 1 : t.paths <= 4 ? 2 : 3;
    const uint blocks_at_once = UNITS >> wide, places = (blocks + blocks_at_once - 1) >> (3 - wide);
    const uint of_unit = lane / 4, path_of_unit = of_unit & ((1u << wide) - 1);
    float4 two[STEPS]; /* gains of two taps each; the first ones are on their way while the phases are made */
    load_gains(two, gain + (path_of_unit < t.paths ? path_of_unit : 0) * t.taps, t.taps, lane);
    FILL_CIRCLE(id, GROUP);
    stage(&l, CIRCLE_POINTER, &t, SPAN_AT(const delay_t, delays), blocks, unit_a, unit_b, base_a, base_b,
          first + ((dlong)first_block * (2 * HALF) + HALF) * step - step / 2, step, AS_REAL(scale_bits), average, flags);
    cosines x;
    find_cosines(&x, &l, lane);
    const uint transposed = flags & FLAG_TRANSPOSED;
    const ulong apart = transposed ? t.link_paths : 1, rows_apart = transposed ? 1 : values;
    GLOBAL complex_t *of_tile = SPAN_AT(complex_t, response) + time * response_step + place_of(&t, 0, 0, values, flags);
    const uint plain = !transposed && values % 2 == 0 && ((ulong)of_tile & 15) == 0;
    for (uint q = 0; q < AT_ONCE && q << wide < t.paths; q++) {
        const uint p = (q << wide) + path_of_unit, p_in = p < t.paths ? p : 0;
        unit of;
        if (q)
            load_gains(two, gain + (ulong)p_in * t.taps, t.taps, lane);
        const real most_of_lane = check_gains(two, &l, lane), most = most_of_unit(&l, id, most_of_lane);
        if (most_of_lane == INFINITE && first_block == 0)
            report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p_in);
        two[0].x = most == INFINITE ? NOT_A_NUMBER : two[0].x;
        const real magic = magic_of_path(&of.lifted, two, most, AS_FLOAT((uint)scale_bits & 0x7fffffffu));
        of.to = of_tile + p_in * rows_apart;
        of.plain = plain && of.lifted == 1 && most < INFINITE;
        /* A warp goes on where the one before it left the paths before. Where a barrier is met, all do the same number of rounds. */
        uint at = (warp + WARPS - q * places % WARPS) % WARPS;
        for (uint round = 0; PLAIN ? round <= places / WARPS : at < places; round++, at += WARPS) {
            const uint m = at * blocks_at_once + (of_unit >> wide);
            uint y[2 * PARTS * STEPS];
            of.mid = (first_block + m) * (2 * HALF) + HALF;
            of.inside = p < t.paths && m < blocks;
            make_b(y, two, &l, CIRCLE_POINTER, m < blocks ? m : 0, lane, magic);
#if PLAIN
            LOCAL_PTR uint *of_warp = l.y + warp * (2 * PARTS * STEPS * WARP);
            share_b(of_warp, y, lane);
            if (at < places)
                put_unit(&of, &x, of_warp, lane, values, apart);
#else
            KEEP_READING(x);
            put_unit(&of, &x, y, lane, values, apart);
#endif
        }
    }
}
