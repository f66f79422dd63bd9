/*
 * What a device's arithmetic units reach when nothing else is in the way: the denominator of the benchmarks' "fraction of
 * peak". Every work-item runs CHAINS independent multiply-add chains of `rounds` links (a multiple of 16); their sum is written, and checked
 * by the host against the same chain in C, so that nothing can be optimised away.
 *
 * Host macros:
 *   KIND    0 fp32 fused multiply-add, 1 int32 multiply-add, 2 fp64 fused multiply-add; on NVIDIA's devices also
 *           3 packed int8 dot product of four (dp4a), 4 int8 and 5 fp16 products on the matrix units (mma.sync)
 *   CHAINS  independent chains of a work-item (8..64; 64). A chain of the matrix units is four sums
 */
#include "common.cl"

#ifndef KIND
#define KIND 0
#endif
#ifndef CHAINS
#define CHAINS 64
#endif

#define LINKS 16 /* of a chain, unrolled */

#if KIND == 0
typedef float number_t;
#define MULTIPLY_ADD(a, b, c) FMA(a, b, c)
#elif KIND == 1
typedef uint number_t;
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#elif KIND == 2
typedef double number_t;
#define MULTIPLY_ADD(a, b, c) FMA(a, b, c)
#elif KIND == 3
typedef int number_t;
INLINE int dot(const int a, const int b, int sum)
{
    ASM("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
    return sum;
}
#define MULTIPLY_ADD(sum, a, b) dot(a, b, sum)
#elif KIND == 4
/* 16 x 8 sums over 32 products of a group of 32 work-items, which hold four sums each. Every part of the operands is the
 * same number, so the fragments' layout does not matter. */
typedef int number_t;
INLINE void product(int *d, const int a, const int b)
{
    ASM("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a), "r"(b));
}
#else
/* The same with 16 products of halves and sums in fp32. */
typedef float number_t;
INLINE void product(float *d, const float a, const float b)
{
    ASM("{ .reg .b32 a, b; mov.b32 a, %4; mov.b32 b, %5;"
        " mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {a,a,a,a}, {b,b}, {%0,%1,%2,%3}; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "f"(a), "f"(b));
}
#endif

#if KIND < 4
#define SUMS 1 /* of a chain */
#define ADVANCE(chain, factor, addend) (chain)[0] = MULTIPLY_ADD((chain)[0], factor, addend)
#else
#define SUMS 4
#define ADVANCE(chain, factor, addend) product(chain, factor, addend)
#endif

/* factor and addend come from memory, so that no compiler knows them. */
KERNEL REQD_GROUP(64, 1, 1)
bench_peak(SPAN(const number_t, numbers), SPAN(number_t, results), const uint rounds)
{
    const number_t factor = SPAN_AT(const number_t, numbers)[0], addend = SPAN_AT(const number_t, numbers)[1];
    number_t chain[CHAINS * SUMS];
    UNROLL for (uint c = 0; c < CHAINS * SUMS; c++)
        chain[c] = (number_t)(c + LOCAL_ID(0));
    for (uint n = 0; n < rounds; n += LINKS) {
        UNROLL for (uint link = 0; link < LINKS; link++) {
            UNROLL for (uint c = 0; c < CHAINS; c++)
                ADVANCE(chain + c * SUMS, factor, addend);
        }
    }
    number_t sum = 0;
    UNROLL for (uint c = 0; c < CHAINS * SUMS; c++)
        sum += chain[c];
    SPAN_AT(number_t, results)[(ulong)GROUP_ID(0) * 64 + LOCAL_ID(0)] = sum;
}
