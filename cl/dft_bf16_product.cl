/*
 * Factors in three parts of bf16 and their products: what dft_bf16.cl, whose macros it takes, does eight and sixteen taps at a time.
 */
/* A multiple of a turn in two numbers, high and low: 2^32 is one turn, the low one counts its 2^-32ths. */
#define TIMES(k, high, low) ((k) * (high) + MUL_HIGH_32(k, low))

/* The parts of two numbers below 2^E, side by side; high_magic 1.5 x 2^(E + 15), whose last place is 2^(E - 8). */
INLINE void split(uint *parts, const real first, const real second, const real high_magic, const real mid_magic)
{
    const real high[2] = { (first + high_magic) - high_magic, (second + high_magic) - high_magic };
    const real rest[2] = { first - high[0], second - high[1] };
    const real mid[2] = { (rest[0] + mid_magic) - mid_magic, (rest[1] + mid_magic) - mid_magic };
    parts[0] = UPPER_HALVES(AS_UINT(high[0]), AS_UINT(high[1]));
    parts[1] = UPPER_HALVES(AS_UINT(mid[0]), AS_UINT(mid[1]));
    parts[2] = UPPER_HALVES(AS_UINT(rest[0] - mid[0]), AS_UINT(rest[1] - mid[1]));
}

/* Products of parts, the small ones first and high x high last: the part of the cosines and that of b of each. */
#define KINDS 6
#define COSINE_PART(kind) ((kind) == 0 ? 2 : (kind) == 2 || (kind) == 3 ? 1 : 0)
#define B_PART(kind) ((kind) == 1 ? 2 : (kind) == 2 || (kind) == 4 ? 1 : 0)

/* The four numbers of a lane: real and imaginary part of C for its pair and unit, then of S. */
#if PLAIN
INLINE void multiply(real *sums, LOCAL_PTR const uint *x, const uint apart, LOCAL_PTR const uint *y, const uint lane)
{
    for (uint k = 0; k < 4; k++) {
        UNROLL
        for (uint e = 0; e < 4; e++) {
            const uint a = x[(lane / 4 * 4 + k) * apart + e / 2], b = y[(2 * (lane % 4) + e % 2) * 4 + k];
            sums[e] = RFMA(AS_FLOAT(a << 16), AS_FLOAT(b << 16), sums[e]);
            sums[e] = RFMA(AS_FLOAT(a & 0xffff0000u), AS_FLOAT(b & 0xffff0000u), sums[e]);
        }
    }
}

INLINE void multiply_all(real *sums, real *small, LOCAL_PTR const uint4 *quads, LOCAL_PTR const uint2 *odd,
                         LOCAL_PTR const uint *y, const uint lane)
{
    for (uint kind = 0; kind < KINDS; kind++)
        for (uint k = 0; k < STEPS; k++) {
            LOCAL_PTR const uint *of_b = y + (B_PART(kind) * STEPS + k) * WARP;
            if (k / 2 < QUADS)
                multiply(kind + 1 < KINDS ? small : sums,
                         (LOCAL_PTR const uint *)(quads + (COSINE_PART(kind) * QUADS + k / 2) * WARP) + k % 2 * 2, 4, of_b, lane);
            else
                multiply(kind + 1 < KINDS ? small : sums, (LOCAL_PTR const uint *)(odd + COSINE_PART(kind) * WARP), 2, of_b, lane);
        }
}
#else
/* Sixteen taps, and eight. */
#define MMA(to, of_x, y0, y1)                                                                                                  \
    ASM_PURE("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"       \
             : "+f"((to)[0]), "+f"((to)[1]), "+f"((to)[2]), "+f"((to)[3])                                                           \
             : "r"((of_x).x), "r"((of_x).y), "r"((of_x).z), "r"((of_x).w), "r"(y0), "r"(y1))
#define MMA_8(to, of_x, y0)                                                                                                   \
    ASM_PURE("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                 \
             : "+f"((to)[0]), "+f"((to)[1]), "+f"((to)[2]), "+f"((to)[3])                                                           \
             : "r"((of_x).x), "r"((of_x).y), "r"(y0))

INLINE void multiply_all(real *sums, real *small, const uint4 *quads, const uint2 *odd, const uint *y)
{
    UNROLL
    for (uint kind = 0; kind < KINDS; kind++)
        UNROLL
        for (uint k = 0; k < QUADS; k++)
            MMA((kind + 1 < KINDS ? small : sums), quads[COSINE_PART(kind) * QUADS + k], y[B_PART(kind) * STEPS + 2 * k],
                y[B_PART(kind) * STEPS + 2 * k + 1]);
#if STEPS % 2
    UNROLL
    for (uint kind = 0; kind < KINDS; kind++)
        MMA_8((kind + 1 < KINDS ? small : sums), odd[COSINE_PART(kind)], y[B_PART(kind) * STEPS + STEPS - 1]);
#endif
}
#endif
