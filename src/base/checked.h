/* Arithmetic on sizes that notices when it would wrap. Each returns 1 and writes the result, or
 * returns 0. */
#ifndef CLR_BASE_CHECKED_H
#define CLR_BASE_CHECKED_H

#include <stddef.h>
#include <stdint.h>

static inline int clr_mul_u64(uint64_t a, uint64_t b, uint64_t *product)
{
    if (a && b > UINT64_MAX / a)
        return 0;
    *product = a * b;
    return 1;
}

static inline int clr_add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
    if (b > UINT64_MAX - a)
        return 0;
    *sum = a + b;
    return 1;
}

/* The product of n factors. */
static inline int clr_product_u64(const uint64_t *factors, size_t n, uint64_t *product)
{
    *product = 1;
    for (size_t i = 0; i < n; i++)
        if (!clr_mul_u64(*product, factors[i], product))
            return 0;
    return 1;
}

static inline uint64_t clr_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0); /* b is not 0: NOLINT(clang-analyzer-core.*) */
}

static inline uint64_t clr_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t clr_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
