/*
 * A unit of dft_bf16.cl, whose macros this takes: a path at a block. A lane makes the parts of its b, multiplies them with the cosines that it has from
 * registers or local memory, and writes the unit's values; with REMAINDER what is left over behind the last whole block.
 */
#if PLAIN
#define PARTS_OF_B LOCAL_PTR const uint *
#else
#define PARTS_OF_B const uint *
#endif
/* Adds nothing, each time, to where a lane reads its cosines: it keeps the compiler from loading all parts beforehand. */
#if KEEP
#define KEEP_READING(x) (void)0
#else
#define KEEP_READING(x) ((x).slot += flags >> 31)
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
    LOCAL_PTR const staged *l;
    uint slot;
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
    of->l = l;
    of->slot = PLAIN ? 0 : SLOT(lane);
#endif
}

/* The sums of the i-th tile: C and S of a unit's real part and of the imaginary one, at both of a lane's pairs. */
INLINE void multiply_tile(real *sums, const cosines *of, const uint i, PARTS_OF_B y, const uint lane)
{
#if KEEP && !PLAIN
    multiply_all(sums, of->quads + i * (PARTS * QUADS), of->odd[i], of->odd_low[i], y);
#else
    LOCAL_PTR const uint4 *quads = of->l->quads + of->slot, *odd = of->l->odd + of->slot;
    LOCAL_PTR const uint2 *odd_low = of->l->odd_low + of->slot;
#if PLAIN
    multiply_all(sums, quads + i * (PARTS * QUADS * WARP), odd + STEPS % 2 * i * WARP, odd_low + STEPS % 2 * i * WARP, y, lane);
#else
    uint4 x[PARTS * QUADS + 1];
    UNROLL
    for (uint k = 0; k < PARTS * QUADS; k++)
        x[k] = quads[(i * (PARTS * QUADS) + k) * WARP];
    multiply_all(sums, x, odd[STEPS % 2 * i * WARP], odd_low[STEPS % 2 * i * WARP], y);
#endif
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
        put_two(of, above, below, 8 * i, values, apart);
    }
}

#if REMAINDER
/* What is left over behind the m-th block, a value or two: C + i S below their middle, C - i S above. */
INLINE void put_tail(const unit *of, const float4 *two, LOCAL_PTR staged *l, const uint m, const uint id, const uint values,
                     const ulong apart)
{
    const uint lane = id % WARP;
    real sums[4] = { 0, 0, 0, 0 }; /* C and S of the real part, then of the imaginary one */
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        float4 turn;
        const float4 nearest = l->nearest[4 * k + lane % 4];
        middles_of_two(&turn, l, 0, m, 4 * k + lane % 4);
        const real re_0 = RFMA(two[k].x, turn.x, two[k].y * turn.y), re_1 = RFMA(two[k].z, turn.z, two[k].w * turn.w);
        const real im_0 = RFMA(two[k].y, turn.x, -(two[k].x * turn.y)), im_1 = RFMA(two[k].w, turn.z, -(two[k].z * turn.w));
        sums[0] = RFMA(re_0, nearest.x, RFMA(re_1, nearest.z, sums[0]));
        sums[1] = RFMA(re_0, nearest.y, RFMA(re_1, nearest.w, sums[1]));
        sums[2] = RFMA(im_0, nearest.x, RFMA(im_1, nearest.z, sums[2]));
        sums[3] = RFMA(im_0, nearest.y, RFMA(im_1, nearest.w, sums[3]));
    }
    add_of_unit(l, id, sums);
    if (of->inside) {
        complex_t below, above;
        below.x = sums[0] - sums[3];
        below.y = sums[2] + sums[1];
        above.x = sums[0] + sums[3];
        above.y = sums[2] - sums[1];
        if (of->plain) { /* there are two, as rows have an even number */
            float4 both;
            both.x = below.x;
            both.y = below.y;
            both.z = above.x;
            both.w = above.y;
            *(GLOBAL float4 *)(of->to + of->down) = both;
        } else {
            put(of->to, below, of->down, values, apart, of->lifted);
            put(of->to, above, of->down + 1, values, apart, of->lifted);
        }
    }
}
#endif

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
