/*
 * Channel DFT, variant "dmma": the folded sums of dft_bf16.cl, a uniform grid and delays that the paths of a link share or have each, through the
 * matrix units that Hopper has for double precision. With b = gain x exp(-i middle) of a unit (path, block of 2 HALF values), C = sum b cos(x) and
 * S = sum b sin(x) for the pairs of values at the distance x from the block's middle are two real products:
 *     [unit, re | im][tap] x [tap][pair]    of cosines, and of sines.
 * Nothing is split in parts, and what is turned on from pair to pair and from block to block, in double, loses nothing that a float would show.
 *
 * Host macros, beside those of dft_phase.cl (REAL64 is 0; needs HAVE_FP64):
 *   TAPS      a multiple of 8, at most 32: the most taps of a link
 *   HALF      a multiple of 8: pairs of values of a block
 *   BLOCKS    the most blocks of a work-group
 *   PATHS     the most paths of a tile; 1 also for delays of a path's own
 *   KEEP      1: a lane may have its pairs' cosines and sines in registers; 0: it reads them for each block
 *   RESIDENT  work-groups that a multiprocessor's registers have to hold at once, 0: as the compiler likes
 *   REMAINDER 1: where the last block has at most four values, those are one product of their own
 *   FIXED     1: VALUES, the values of a path, and TRANSPOSED, the response's order, are known; 0: they come with the call
 *   PLAIN     1: the same sums in plain C, with the same places
 *
 * A work-group, one warp, owns BLOCKS blocks of all paths of a tile at one time step. A lane for each tap makes, in local memory, the cosines and sines of the
 * pairs, the phasors of the first middles, and what a unit's next block is turned by. A warp does eight units at a time, paths at one block or, where a tile has fewer than
 * five, paths at several; a lane has a quarter of its unit's b in registers, turns them on from block to block, and gets from the products the
 * unit's values at two pairs' distances.
 * Grid: x tiles, y blocks / BLOCKS, z time steps.
 */
#ifndef TAPS
#define TAPS 24
#endif
#ifndef HALF
#define HALF 8
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
#ifndef PATHS
#define PATHS 8
#endif
#ifndef KEEP
#define KEEP 0
#endif
#ifndef RESIDENT
#define RESIDENT 0
#endif
#ifndef REMAINDER
#define REMAINDER 0
#endif
#ifndef FIXED
#define FIXED 0
#endif
#ifndef PLAIN
#define PLAIN 1
#endif

#define WARP 32
#define GROUP WARP
#define UNITS 8          /* of a product: its rows are their real parts, then their imaginary ones */
#define STEPS (TAPS / 8) /* eights of taps: a product */
/* Rows of tables, of numbers and of phasors: lanes that read two neighbouring ones meet in no bank. */
#define WAVE_ROW (TAPS + (STEPS % 2 ? 0 : 8))
#define PHASOR_ROW (TAPS + 4)
#define PLACE(tap) ((tap) / 8 * 8 + (tap) % 2 * 4 + (tap) / 2 % 4) /* of a phasor: those of four lanes lie side by side */
#define SINES (HALF * WAVE_ROW + 8)
#define AT_ONCE ((PATHS + UNITS - 1) / UNITS) /* eights of paths, the most of a tile */
#define TILES (HALF / 8) /* of eight pairs: the columns of two products, cosines and sines */
#define FEW 4            /* values that one product of their own does */
#if FIXED
#define BLOCKS_OF(values) ((VALUES + 2 * HALF - 1) / (2 * HALF))
#define FLAGS_OF(flags) (((flags) & ~FLAG_TRANSPOSED) | (TRANSPOSED ? FLAG_TRANSPOSED : 0u))
#define SHORT (!PLAIN && BLOCKS_OF(VALUES) <= 4 && BLOCKS_OF(VALUES) <= BLOCKS) /* all of a work-group, one after another without a loop */
#define FIRST_BLOCK (BLOCKS_OF(VALUES) <= BLOCKS ? 0 : (uint)GROUP_ID(1) * BLOCKS)
#else
#define VALUES values
#define BLOCKS_OF(values) (((values) + 2 * HALF - 1) / (2 * HALF))
#define FLAGS_OF(flags) (flags)
#define SHORT 0
#define FIRST_BLOCK ((uint)GROUP_ID(1) * BLOCKS)
#endif

#include "dft_tile.cl"

#if PLAIN /* for tests; unrolled, the LLVM 15 of PoCL 3.1 ends itself over such loops */
#undef UNROLL
#define UNROLL
#endif
#include "dft_rows.cl"

#if defined(CLR_CUDA)
#define BITS_OF_DOUBLE(value) ((ulong)__double_as_longlong(value))
#else
#define BITS_OF_DOUBLE(value) as_ulong(value)
#endif

#if !PLAIN && defined(CLR_CUDA)
#define GROUP_BARRIER() __syncwarp()
#else
#define GROUP_BARRIER() BARRIER()
#endif

#include "dft_dmma_stage.cl"

/* Adds nothing, each time, to where a lane reads its pairs: it keeps the compiler from loading all of them beforehand. */
#if KEEP
#define KEEP_READING(slot) (void)0
#else
#define KEEP_READING(slot) ((slot) += flags >> 31)
#endif

/* Adds eight taps' products to four sums of a lane: those of its unit's real part at its two columns, then of the imaginary one. b: that
 * a lane gives, of its two taps the real and the imaginary part each; x, y: of its column. */
#define DMMA(to, b, first, second)                                                                                             \
    ASM_PURE("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"              \
             : "+d"((to)[0]), "+d"((to)[1]), "+d"((to)[2]), "+d"((to)[3])                                                           \
             : "d"((b)[0]), "d"((b)[1]), "d"((b)[2]), "d"((b)[3]), "d"(first), "d"(second))

/* The same of sixteen taps, two eights of which stand one behind the other in b. */
#define DMMA_16(to, b, first, second)                                                                                          \
    ASM_PURE("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "                   \
             "{%12,%13,%14,%15}, {%0,%1,%2,%3};"                                                                                 \
             : "+d"((to)[0]), "+d"((to)[1]), "+d"((to)[2]), "+d"((to)[3])                                                           \
             : "d"((b)[0]), "d"((b)[1]), "d"((b)[2]), "d"((b)[3]), "d"((b)[4]), "d"((b)[5]), "d"((b)[6]), "d"((b)[7]),              \
               "d"((first).x), "d"((first).y), "d"((second).x), "d"((second).y))

#if PLAIN
/* A warp's b in local memory, where all of its work-items see them. */
INLINE void share_b(LOCAL_PTR staged *l, const double *b, const uint lane)
{
    BARRIER(); /* those of the blocks before are read */
    for (uint i = 0; i < 4 * STEPS; i++)
        l->b[i * WARP + lane] = b[i];
    BARRIER();
}

/* The sum of a unit's row, of real (0) or imaginary parts, with a column of cosines (0) or sines. */
INLINE double sum_of(LOCAL_PTR const staged *l, const uint unit, const uint part, const uint pair, const uint side)
{
    double sum = 0;
    LOCAL_PTR const double *waves = (LOCAL_PTR const double *)l->waves + side * SINES + pair * WAVE_ROW;
    for (uint tap = 0; tap < TAPS; tap++) {
        const uint of_lane = tap / 8 * 4 + tap % 2 * 2 + part;
        sum = fma(l->b[of_lane * WARP + 4 * unit + tap / 2 % 4], waves[tap], sum);
    }
    return sum;
}
#endif

/* The sums of a tile of pairs: C of a unit's real part at a lane's two pairs and of its imaginary part; then S. */
INLINE void multiply_tile(double *sums, LOCAL_PTR const staged *l, const double *b, const uint i, const uint lane, const uint slot)
{
#if PLAIN
    (void)slot;
    for (uint e = 0; e < 8; e++)
        sums[e] = sum_of(l, lane / 4, e / 2 % 2, 8 * i + lane % 4 * 2 + e % 2, e / 4);
#else
    LOCAL_PTR const double2 *of_lane = l->waves + slot + 8 * i * (WAVE_ROW / 2);
    UNROLL
    for (uint e = 0; e < 8; e++)
        sums[e] = 0;
    UNROLL
    for (uint k = 0; k + 1 < STEPS; k += 2) {
        DMMA_16(sums, b + 4 * k, of_lane[4 * k], of_lane[4 * k + 4]);
        DMMA_16((sums + 4), b + 4 * k, of_lane[SINES / 2 + 4 * k], of_lane[SINES / 2 + 4 * k + 4]);
    }
    if (STEPS % 2) {
        const double2 cosines = of_lane[4 * (STEPS - 1)], sines = of_lane[SINES / 2 + 4 * (STEPS - 1)];
        DMMA(sums, b + 4 * (STEPS - 1), cosines.x, cosines.y);
        DMMA((sums + 4), b + 4 * (STEPS - 1), sines.x, sines.y);
    }
#endif
}

/* All values of a lane's unit: C - i S above its middle, C + i S below. */
INLINE void put_unit(const unit *of, LOCAL_PTR const staged *l, const double *b, const uint lane, const uint slot,
                     const uint values, const ulong apart)
{
    UNROLL
    for (uint i = 0; i < TILES; i++) {
        complex_t above[2], below[2];
        double sums[8];
        multiply_tile(sums, l, b, i, lane, slot);
        UNROLL
        for (uint e = 0; e < 2; e++) {
            const real c_re = (real)sums[e], c_im = (real)sums[2 + e], s_re = (real)sums[4 + e], s_im = (real)sums[6 + e];
            above[e].x = c_re + s_im;
            above[e].y = c_im - s_re;
            below[e].x = c_re - s_im;
            below[e].y = c_im + s_re;
        }
        put_two(of, above, below, 8 * i, values, apart);
    }
}

#if REMAINDER
/* The first values of a block, which are at the last pairs below its middle: the columns are cosine and sine of a pair each. */
INLINE void put_few(const unit *of, LOCAL_PTR const staged *l, const double *b, const uint lane, const uint first, const uint values,
                    const ulong apart)
{
    double sums[4] = { 0, 0, 0, 0 }; /* C and S of the real part, then of the imaginary one */
#if PLAIN
    for (uint e = 0; e < 4; e++)
        sums[e] = sum_of(l, lane / 4, e / 2, HALF - 1 - lane % 4, e % 2);
#else
    LOCAL_PTR const double2 *of_lane =
        l->waves + ((HALF - 1 - lane / 8) * WAVE_ROW + lane / 4 % 2 * SINES) / 2 + lane % 4;
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        const double2 wave = of_lane[4 * k];
        DMMA(sums, b + 4 * k, wave.x, wave.y);
    }
#endif
    if (of->inside) {
        complex_t value;
        value.x = (real)sums[0] - (real)sums[3];
        value.y = (real)sums[2] + (real)sums[1];
        put(of->to, value, first + lane % 4, values, apart, 1);
    }
}
#endif

/* A block of each unit, and b turned on to the next one where there is one. */
INLINE void do_blocks(LOCAL_PTR staged *l, unit *of, double *b, const uint more, const uint blocks, uint *slot, const uint values,
                      const ulong apart, const uint flags)
{
    const uint lane = (uint)LOCAL_ID(0);
#if PLAIN
    share_b(l, b, lane);
#endif
    KEEP_READING(*slot);
    put_unit(of, l, b, lane, *slot, values, apart);
    if (more) {
        LOCAL_PTR const double2 *turns = l->turns + lane % 4;
        UNROLL
        for (uint n = 0; n < 2 * STEPS; n++)
            turn_back(b + 2 * n, b + 2 * n + 1, turns[4 * n]);
    }
    of->up += 2 * HALF * blocks;
    of->down += 2 * HALF * blocks;
}

/* The values of eight paths, or of fewer at several blocks at a time. */
INLINE void do_paths(LOCAL_PTR staged *l, const work *w, const tile *t, float4 *two, const uint q, const uint wide,
                     GLOBAL complex_t *response, GLOBAL uint *status, GLOBAL uint *bad_paths)
{
    const uint lane = (uint)LOCAL_ID(0), of_unit = lane / 4;
    const uint tail = REMAINDER && wide == 3 && w->left <= FEW, blocks = w->blocks - tail;
    const uint at_once = UNITS >> wide, rounds = (blocks + at_once - 1) >> (3 - wide);
    const uint flags = w->flags, values = w->values, transposed = flags & FLAG_TRANSPOSED;
    const ulong apart = transposed ? t->link_paths : 1, rows_apart = transposed ? 1 : values;
    GLOBAL complex_t *of_tile = response + place_of(t, 0, 0, values, flags);
    const uint p = (q << wide) + (of_unit & ((1u << wide) - 1)), p_in = p < t->paths ? p : 0;
    unit of;
    double b[4 * STEPS];
    if (flags & FLAG_ABSENT)
        clear_absent(two, l, lane);
    const uint wrong = w->wrong | check_gains(two);
    if (wrong && w->first_block == 0)
        report_bad(status, bad_paths, t->first_path + p_in);
    two[0].x = wrong ? NOT_A_NUMBER : two[0].x;
    of.lifted = 1;
    of.to = of_tile + p_in * rows_apart;
    of.plain = !transposed && values % 2 == 0 && ((ulong)of_tile & 15) == 0 && !any_of_warp(l, lane, wrong);
    KEEP_POINTER(of.to);
    uint m = of_unit >> wide;
    const uint pair = lane % 4 * 2, middle = (w->first_block + m) * (2 * HALF) + HALF;
    of.up = middle + pair;
    of.down = middle - 2 - pair;
    uint slot = of_unit * (WAVE_ROW / 2) + lane % 4; /* of the pair that the lane's column is */
    LOCAL_PTR const double2 *first = l->middles + m * PHASOR_ROW + lane % 4;
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        b[4 * k] = two[k].x;
        b[4 * k + 1] = two[k].y;
        b[4 * k + 2] = two[k].z;
        b[4 * k + 3] = two[k].w;
        turn_back(b + 4 * k, b + 4 * k + 1, first[8 * k]);
        turn_back(b + 4 * k + 2, b + 4 * k + 3, first[8 * k + 4]);
    }
    of.inside = p < t->paths;
#if SHORT
    if (wide == 3) { /* one after another, without a loop */
        UNROLL
        for (uint round = 0; round < BLOCKS_OF(VALUES) - tail; round++)
            do_blocks(l, &of, b, round + 1 < rounds + tail, 1, &slot, values, apart, flags);
    } else
#endif
    {
        NOUNROLL
        for (uint round = 0; round < rounds; round++) {
            of.inside = p < t->paths && m < blocks;
            do_blocks(l, &of, b, round + 1 < rounds + tail, at_once, &slot, values, apart, flags);
            m += at_once;
        }
    }
#if REMAINDER
    if (tail) {
        of.inside = p < t->paths;
#if PLAIN
        share_b(l, b, lane);
#endif
        put_few(&of, l, b, lane, (w->first_block + blocks) * (2 * HALF), values, apart);
    }
#endif
}

KERNEL RESIDENT_GROUPS(GROUP, RESIDENT)
dft_dmma(DFT_ARGUMENTS)
{
    LOCAL staged l;
    const uint lane = (uint)LOCAL_ID(0), time = first_time + (uint)GROUP_ID(2);
    const uint all_blocks = BLOCKS_OF(values);
    tile t;
    work w;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step + t.first_gain;
    w.unit_a = unit_a;
    w.unit_b = unit_b;
    w.base_a = base_a;
    w.base_b = base_b;
    w.first_block = FIRST_BLOCK;
    w.blocks = all_blocks - w.first_block < BLOCKS ? all_blocks - w.first_block : BLOCKS;
    w.left = w.first_block + w.blocks == all_blocks ? VALUES - (all_blocks - 1) * (2 * HALF) : 2 * HALF;
    w.first_middle = first + ((dlong)w.first_block * (2 * HALF) + HALF) * step - step / 2;
    w.step = step;
    w.values = VALUES;
    w.average = average;
    w.flags = FLAGS_OF(flags);
    w.scale = AS_REAL(scale_bits);
#if DELAY == 0
    w.unit = factor_of(unit_a, unit_b);
    w.base = factor_of(base_a, base_b);
    w.few_indices = w.first_middle < 1 << 24 && w.first_middle > -(1 << 24) && step < 1 << 24;
#endif
    /* the units of a product: 2^wide paths at neighbouring blocks */
    const uint wide = PATHS == 1 || t.paths == 1 ? 0 : t.paths == 2 ? 1 : t.paths <= 4 ? 2 : 3;
    const uint path_of_unit = lane / 4 & ((1u << wide) - 1);
    const uint together = t.taps % 2 == 0 && ((ulong)gain & 15) == 0;
    float4 two[STEPS]; /* gains of two taps each; the first ones are on their way while the phasors are made */
    load_gains(two, gain + (path_of_unit < t.paths ? path_of_unit : 0) * t.taps, t.taps, lane, together);
    const delay_t delay = lane < t.taps ? delay_at(SPAN_AT(const delay_t, delays), &t, 0, lane, flags) : 0;
    uint wrong = 0;
    if (lane < TAPS)
        wrong = make_phasors(&l, &w, &t, delay, lane, UNITS >> wide);
    w.wrong = any_of_warp(&l, lane, wrong);
    GROUP_BARRIER();
    GLOBAL complex_t *response = SPAN_AT(complex_t, response) + time * response_step;
    for (uint q = 0; q < AT_ONCE && q << wide < t.paths; q++) {
        const uint p = (q << wide) + path_of_unit;
        if (q)
            load_gains(two, gain + (ulong)(p < t.paths ? p : 0) * t.taps, t.taps, lane, together);
        if (SHORT && wide == 3) /* by itself, since all is known of it */
            do_paths(&l, &w, &t, two, q, 3, response, SPAN_AT(uint, status), SPAN_AT(uint, bad_paths));
        else
            do_paths(&l, &w, &t, two, q, wide, response, SPAN_AT(uint, status), SPAN_AT(uint, bad_paths));
    }
}
