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
 *   CIRCLE    1, 2: cosines and sines from points of the circle, dft_circle.cl
 *   RESIDENT  work-groups that a multiprocessor's registers have to hold at once, 0: as the compiler likes
 *   OWN_MIDDLES 1: lanes make the middles of their units as they need them, which no two units share where a tile is one path; 0: they
 *             are made once a work-group
 *   REMAINDER 1: where the last block has one value or two, those are summed by multiply-adds about a middle of their own (not
 *             with OWN_MIDDLES)
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
#ifndef REMAINDER
#define REMAINDER 0
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

#if WARPS == 1 && !PLAIN && defined(CLR_CUDA)
#define GROUP_BARRIER() __syncwarp()
#else
#define GROUP_BARRIER() BARRIER()
#endif

#if PLAIN /* for tests; unrolled, the LLVM 15 of PoCL 3.1 ends itself over it with 32 taps */
#undef UNROLL
#define UNROLL
#endif
#include "dft_bf16_product.cl"
#include "dft_rows.cl"

/* A work-group's local memory, in one piece: one address, from which all others are so far away. */
typedef struct staged {
    uint4 quads[TILES * PARTS * QUADS * WARP + 1]; /* of sixteen taps, for both products of a tile, */
#if !OWN_MIDDLES
    float4 middles[(BLOCKS + REMAINDER) * TAPS / 2]; /* two taps each */
#endif
    uint4 odd[STEPS % 2 * TILES * WARP + 1]; /* of eight: high and middle ones of both, */
    uint2 odd_low[STEPS % 2 * TILES * WARP + 1]; /* and low ones */
    uint4 of_tap[TAPS]; /* the first middle's turn (2^32 is one), the turn of a block in two, the weight's bits */
    uint2 half_turns[TAPS]; /* half of what one value is from the next, in two */
#if REMAINDER
    float4 nearest[TAPS / 2]; /* cosine and sine of a middle's nearest pair, of two taps */
#endif
#if PLAIN
    uint y[WARPS * 2 * PARTS * STEPS * WARP];
    real most[GROUP];
#endif
} staged;

#include "dft_bf16_stage.cl"

#include "dft_bf16_unit.cl"

/* What tiles are done with: the kernel's arguments, and what all of them have in common. */
typedef struct work {
    GLOBAL const complex_t *gains; /* of the time step */
    GLOBAL const delay_t *delays;
    GLOBAL complex_t *response;
    GLOBAL const ulong *tiles;
    GLOBAL uint *status, *bad_paths;
    ulong unit_a, unit_b, base_a, base_b;
    dlong first_middle;
    uint first_block, blocks, tail, step, values, average, flags;
    real scale;
} work;

/* The taps' phases, then what is made of them for all of the group. */
INLINE void stage(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const work *w, const tile *t, const delay_t delay)
{
    const uint id = (uint)LOCAL_ID(0);
    if (id < TAPS)
        make_turns(l, t, delay, id, w->unit_a, w->unit_b, w->base_a, w->base_b, w->first_middle, w->step, w->scale, w->average,
                   w->flags);
    GROUP_BARRIER(); /* the circle's points are there too */
#if !OWN_MIDDLES
    for (uint first = 0; first < w->blocks + (REMAINDER && w->tail); first += GROUP / 8)
        if (first + id / 8 < w->blocks + (REMAINDER && w->tail))
            make_middle(l, circle, first + id / 8, id % 8, REMAINDER && first + id / 8 == w->blocks);
#endif
    for (uint first = 0; first < TILES; first += WARPS)
        if (first + id / WARP < TILES)
            make_cosines(l, circle, first + id / WARP, id % WARP);
    GROUP_BARRIER();
}

/* The values of eight paths, or of fewer at several blocks at a time. */
INLINE void do_paths(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const work *w, const tile *t, float4 *two, const uint q, const uint wide,
                     const cosines *cosines_of_lane)
{
    const uint id = (uint)LOCAL_ID(0), warp = id / WARP, lane = id % WARP, of_unit = lane / 4;
    const uint blocks_at_once = UNITS >> wide, places = (w->blocks + blocks_at_once - 1) >> (3 - wide);
    const uint flags = w->flags, values = w->values, transposed = flags & FLAG_TRANSPOSED;
    const ulong apart = transposed ? t->link_paths : 1, rows_apart = transposed ? 1 : values;
    GLOBAL complex_t *of_tile = w->response + place_of(t, 0, 0, values, flags);
    const uint p = (q << wide) + (of_unit & ((1u << wide) - 1)), p_in = p < t->paths ? p : 0;
    cosines x = *cosines_of_lane;
    unit of;
    const real most_of_lane = check_gains(two, l, lane, flags), most = most_of_unit(l, id, most_of_lane);
    if (most_of_lane == INFINITE && w->first_block == 0)
        report_bad(w->status, w->bad_paths, t->first_path + p_in);
    two[0].x = most == INFINITE ? NOT_A_NUMBER : two[0].x;
    const real magic = magic_of_path(&of.lifted, two, most, AS_FLOAT(AS_UINT(w->scale) & 0x7fffffffu));
    of.to = of_tile + p_in * rows_apart;
    of.plain = !transposed && values % 2 == 0 && ((ulong)of_tile & 15) == 0 && of.lifted == 1 && most < INFINITE;
    KEEP_POINTER(of.to);
    /* A warp goes on where the one before it left the paths before. Where a barrier is met, all do the same number of rounds. */
    uint at = (warp + WARPS - q * places % WARPS) % WARPS, m = at * blocks_at_once + (of_unit >> wide);
    const uint pair = lane % 4 * 2, middle = (w->first_block + m) * (2 * HALF) + HALF;
    of.up = middle + pair;
    of.down = middle - 2 - pair;
    for (uint round = 0; PLAIN ? round <= places / WARPS : at < places; round++) {
        uint y[2 * PARTS * STEPS];
        of.inside = p < t->paths && m < w->blocks;
        make_b(y, two, l, circle, m < w->blocks ? m : 0, lane, magic);
#if PLAIN
        LOCAL_PTR uint *of_warp = l->y + warp * (2 * PARTS * STEPS * WARP);
        share_b(of_warp, y, lane);
        if (at < places)
            put_unit(&of, &x, of_warp, lane, values, apart);
#else
        KEEP_READING(x);
        put_unit(&of, &x, y, lane, values, apart);
#endif
        at += WARPS;
        m += WARPS * blocks_at_once;
        of.up += 2 * HALF * WARPS * blocks_at_once;
        of.down += 2 * HALF * WARPS * blocks_at_once;
    }
#if REMAINDER
    if (w->tail) {
        of.inside = p < t->paths && lane % 4 == 0 && of_unit >> wide == 0 && (warp == places % WARPS);
        of.down = (w->first_block + w->blocks) * (2 * HALF);
        if (!PLAIN ? warp == places % WARPS : 1)
            put_tail(&of, two, l, w->blocks, id, values, apart);
    }
#endif
}

/* The n-th tile. */
INLINE void do_tile(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const work *w, const uint n)
{
    const uint id = (uint)LOCAL_ID(0), lane = id % WARP;
    tile t;
#if CIRCLE != 2
    FILL_CIRCLE(id, GROUP);
#endif
    tile_at(&t, w->tiles, n);
    GLOBAL const complex_t *gain = w->gains + t.first_gain;
    /* the units of a product: 2^wide paths at neighbouring blocks */
    const uint wide = PATHS == 1 || t.paths == 1 ? 0 : t.paths == 2 ? 1 : t.paths <= 4 ? 2 : 3;
    const uint path_of_unit = lane / 4 & ((1u << wide) - 1);
    const uint together = t.taps % 2 == 0 && ((ulong)gain & 15) == 0;
    float4 two[STEPS]; /* gains of two taps each; the first ones are on their way while the phases are made */
    load_gains(two, gain + (path_of_unit < t.paths ? path_of_unit : 0) * t.taps, t.taps, lane, together);
    /* a warp, the least of a group, has as many work-items as there can be taps */
    const delay_t delay = id < t.taps ? delay_at(w->delays, &t, 0, id, w->flags) : 0;
#if CIRCLE == 2 /* what it waits for comes behind what is farther away */
    FILL_CIRCLE(id, GROUP);
#endif
    stage(l, circle, w, &t, delay);
    cosines x;
    find_cosines(&x, l, lane);
    for (uint q = 0; q < AT_ONCE && q << wide < t.paths; q++) {
        const uint p = (q << wide) + path_of_unit;
        if (q)
            load_gains(two, gain + (ulong)(p < t.paths ? p : 0) * t.taps, t.taps, lane, together);
        do_paths(l, circle, w, &t, two, q, wide, &x);
    }
}

KERNEL RESIDENT_GROUPS(GROUP, RESIDENT)
dft_bf16(DFT_ARGUMENTS)
{
    LOCAL staged l;
    CIRCLE_IN_LOCAL_MEMORY;
    const uint time = first_time + (uint)GROUP_ID(2);
    const uint all_blocks = (values + 2 * HALF - 1) / (2 * HALF);
    work w;
    w.gains = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step;
    w.delays = SPAN_AT(const delay_t, delays);
    w.response = SPAN_AT(complex_t, response) + time * response_step;
    w.tiles = SPAN_AT(const ulong, tiles);
    w.status = SPAN_AT(uint, status);
    w.bad_paths = SPAN_AT(uint, bad_paths);
    w.unit_a = unit_a;
    w.unit_b = unit_b;
    w.base_a = base_a;
    w.base_b = base_b;
    w.first_block = (uint)GROUP_ID(1) * BLOCKS;
    w.blocks = all_blocks - w.first_block < BLOCKS ? all_blocks - w.first_block : BLOCKS;
    w.tail = 0;
#if REMAINDER
    w.tail = values - (all_blocks - 1) * (2 * HALF) <= 2 && w.first_block + w.blocks == all_blocks;
    w.blocks -= w.tail;
#endif
    w.first_middle = first + ((dlong)w.first_block * (2 * HALF) + HALF) * step - step / 2;
    w.step = step;
    w.values = values;
    w.average = average;
    w.flags = flags;
    w.scale = AS_REAL(scale_bits);
    do_tile(&l, CIRCLE_POINTER, &w, (uint)GROUP_ID(0));
}
