/*
 * Factors in three parts of bf16 and their products: what dft_bf16.cl, whose macros it takes, does eight and sixteen taps at a time.
 */
/* A multiple of a turn in two numbers, high and low: 2^32 is one turn, the low one counts its 2^-32ths. */
#define TIMES(k, high, low) ((k) * (high) + MUL_HIGH_32(k, low))

/*
 * The parts of two numbers below 2^E, side by side; magic 1.5 x 2^(E + 15), whose last place is 2^(E - 8). The high part is the nearest
 * multiple of that, the middle one what is left, cut off behind its 8 bits, the low one what is left of that: together they are the
 * number, but for what is below 2^(E - 25).
 */
INLINE void split(uint *parts, const real first, const real second, const real magic)
{
    const real high[2] = { (first + magic) - magic, (second + magic) - magic };
    const real rest[2] = { first - high[0], second - high[1] };
    parts[0] = UPPER_HALVES(AS_UINT(high[0]), AS_UINT(high[1]));
    parts[1] = UPPER_HALVES(AS_UINT(rest[0]), AS_UINT(rest[1]));
    parts[2] = UPPER_HALVES(AS_UINT(rest[0] - AS_FLOAT(AS_UINT(rest[0]) & 0xffff0000u)),
                            AS_UINT(rest[1] - AS_FLOAT(AS_UINT(rest[1]) & 0xffff0000u)));
}

/* Products of parts, the small ones first and high x high last: the part of the cosines and that of b of each. */
#define KINDS 6
#define COSINE_PART(kind) ((kind) == 0 ? 2 : (kind) == 2 || (kind) == 3 ? 1 : 0)
#define B_PART(kind) ((kind) == 1 ? 2 : (kind) == 2 || (kind) == 4 ? 1 : 0)

/* The four numbers of a lane: C and S of its unit's real part, then of the imaginary one, at a pair; of two products, for neighbouring pairs. */
#if PLAIN
/* Adds eight taps' products; x: one word of those that a lane gives, `apart` from lane to lane. */
INLINE void multiply(real *sums, LOCAL_PTR const uint *x, const uint apart, LOCAL_PTR const uint *y, const uint lane)
{
    for (uint k = 0; k < 4; k++) {
        UNROLL
        for (uint e = 0; e < 4; e++) {
            const uint a = y[e / 2 * WARP + lane / 4 * 4 + k], b = x[SLOT((2 * (lane % 4) + e % 2) * 4 + k) * apart];
            sums[e] = RFMA(AS_FLOAT(a << 16), AS_FLOAT(b << 16), sums[e]);
            sums[e] = RFMA(AS_FLOAT(a & 0xffff0000u), AS_FLOAT(b & 0xffff0000u), sums[e]);
        }
    }
}

INLINE void multiply_all(real *sums, LOCAL_PTR const uint4 *quads, LOCAL_PTR const uint4 *odd, LOCAL_PTR const uint2 *odd_low,
                         LOCAL_PTR const uint *y, const uint lane)
{
    real small[2 * 4];
    for (uint e = 0; e < 8; e++)
        sums[e] = small[e] = 0;
    for (uint side = 0; side < 2; side++)
        for (uint kind = 0; kind < KINDS; kind++)
            for (uint k = 0; k < STEPS; k++) {
                LOCAL_PTR const uint *of_b = y + 2 * (B_PART(kind) * STEPS + k) * WARP;
                real *to = (kind + 1 < KINDS ? small : sums) + 4 * side;
                if (k / 2 < QUADS)
                    multiply(to, (LOCAL_PTR const uint *)(quads + (COSINE_PART(kind) * QUADS + k / 2) * WARP) + 2 * side + k % 2, 4,
                             of_b, lane);
                else if (COSINE_PART(kind) < 2)
                    multiply(to, (LOCAL_PTR const uint *)odd + 2 * side + COSINE_PART(kind), 4, of_b, lane);
                else
                    multiply(to, (LOCAL_PTR const uint *)odd_low + side, 2, of_b, lane);
            }
    for (uint e = 0; e < 8; e++)
        sums[e] += small[e];
}
#else
/* Sixteen taps, in two eights from anywhere, and eight. */
#define MMA(to, first_of_b, second_of_b, x0, x1)                                                                               \
    ASM_PURE("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"       \
             : "+f"((to)[0]), "+f"((to)[1]), "+f"((to)[2]), "+f"((to)[3])                                                           \
             : "r"((first_of_b)[0]), "r"((first_of_b)[1]), "r"((second_of_b)[0]), "r"((second_of_b)[1]), "r"(x0), "r"(x1))
#define MMA_8(to, of_b, x0)                                                                                                   \
    ASM_PURE("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                 \
             : "+f"((to)[0]), "+f"((to)[1]), "+f"((to)[2]), "+f"((to)[3])                                                           \
             : "r"((of_b)[0]), "r"((of_b)[1]), "r"(x0))
/* A part of b of an eight of taps. */
#define EIGHT_OF_B(part, step) (y + 2 * ((part) * STEPS + (step)))

/*
 * The products of both sides by turns, so that one does not wait for the one before it. Where an eight of taps is left over, those of two
 * kinds, whose sums are the same, are one product of sixteen: twice high and middle cosines, with the middle and high parts of b, and with the
 * low and middle ones.
 */
INLINE void multiply_all(real *sums, const uint4 *quads, const uint4 odd, const uint2 odd_low, const uint *y)
{
    real small[2 * 4];
    UNROLL
    for (uint e = 0; e < 8; e++)
        sums[e] = small[e] = 0;
    UNROLL
    for (uint kind = 0; kind < KINDS; kind++) {
        real *to = kind + 1 < KINDS ? small : sums;
        UNROLL
        for (uint k = 0; k < QUADS; k++) {
            const uint4 of_x = quads[COSINE_PART(kind) * QUADS + k];
            MMA(to, EIGHT_OF_B(B_PART(kind), 2 * k), EIGHT_OF_B(B_PART(kind), 2 * k + 1), of_x.x, of_x.y);
            MMA((to + 4), EIGHT_OF_B(B_PART(kind), 2 * k), EIGHT_OF_B(B_PART(kind), 2 * k + 1), of_x.z, of_x.w);
        }
#if STEPS % 2
        if (kind == 0) {
            MMA_8(to, EIGHT_OF_B(0, STEPS - 1), odd_low.x);
            MMA_8((to + 4), EIGHT_OF_B(0, STEPS - 1), odd_low.y);
        } else if (kind <= 2) {
            MMA(to, EIGHT_OF_B(3 - kind, STEPS - 1), EIGHT_OF_B(2 - kind, STEPS - 1), odd.x, odd.y);
            MMA((to + 4), EIGHT_OF_B(3 - kind, STEPS - 1), EIGHT_OF_B(2 - kind, STEPS - 1), odd.z, odd.w);
        } else if (kind + 1 == KINDS) {
            MMA_8(to, EIGHT_OF_B(0, STEPS - 1), odd.x);
            MMA_8((to + 4), EIGHT_OF_B(0, STEPS - 1), odd.z);
        }
#endif
    }
    UNROLL
    for (uint e = 0; e < 8; e++)
        sums[e] += small[e];
}
#endif
