/*
 * What a device's arithmetic units reach when nothing else is in the way: the denominator of the benchmarks' "fraction of
 * peak". Every work-item runs CHAINS independent multiply-add chains of `rounds` links (a multiple of 16); their sum is written, and checked
 * by the host against the same chain in C, so that nothing can be optimised away.
 *
 * Host macros:
 *   KIND    0 fp32 fused multiply-add, 1 int32 multiply-add, 2 fp64 fused multiply-add
 *   CHAINS  independent chains of a work-item (8..64; 64)
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
#else
typedef double number_t;
#define MULTIPLY_ADD(a, b, c) FMA(a, b, c)
#endif

/* factor and addend come from memory, so that no compiler knows them. */
KERNEL REQD_GROUP(64, 1, 1)
bench_peak(SPAN(const number_t, numbers), SPAN(number_t, results), const uint rounds)
{
    const number_t factor = SPAN_AT(const number_t, numbers)[0], addend = SPAN_AT(const number_t, numbers)[1];
    number_t chain[CHAINS];
    UNROLL for (uint c = 0; c < CHAINS; c++)
        chain[c] = (number_t)(c + LOCAL_ID(0));
    for (uint n = 0; n < rounds; n += LINKS) {
        UNROLL for (uint link = 0; link < LINKS; link++) {
            UNROLL for (uint c = 0; c < CHAINS; c++)
                chain[c] = MULTIPLY_ADD(chain[c], factor, addend);
        }
    }
    number_t sum = 0;
    UNROLL for (uint c = 0; c < CHAINS; c++)
        sum += chain[c];
    SPAN_AT(number_t, results)[(ulong)GROUP_ID(0) * 64 + LOCAL_ID(0)] = sum;
}
