/*
 * cl/montecarlo_random.cl as C: the host's twin of what the kernels draw. FMUL and FADD are
 * functions, so that no compiler contracts a product and a sum into one rounding.
 */
#ifndef CLR_ENGINE_MONTECARLO_RANDOM_H
#define CLR_ENGINE_MONTECARLO_RANDOM_H

#include <stdint.h>
#include <string.h>

#define CLR_HOST 1
#define INLINE static inline
#define uint uint32_t
#define ulong uint64_t

static inline float FMUL(float a, float b)
{
    return a * b;
}

static inline float FADD(float a, float b)
{
    return a + b;
}

static inline uint32_t bits_of_float(float a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline float float_of_bits(uint32_t a)
{
    float value;
    memcpy(&value, &a, sizeof value);
    return value;
}

/* Of a number that is not 0. */
static inline uint32_t leading_zeros(uint32_t a)
{
    uint32_t zeros = 0;
    for (; !(a & 0x80000000u); a <<= 1)
        zeros++;
    return zeros;
}

#include "../cl/montecarlo_random.cl"

#undef uint
#undef ulong
#undef INLINE
#undef CLR_HOST

#endif
