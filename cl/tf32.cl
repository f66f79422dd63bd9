/*
 * A float as two numbers of tf32 (10 bits behind the point), high and low: x y = high high + high low + low high, and what is left out is
 * below 2^-21 of the product. Included behind common.cl by kernels for NVIDIA's matrix units.
 */
#ifdef AS_UINT
#define TF32_BITS 0xffffe000u

/* The nearest of tf32, of two the one further from zero, as bits of a float. Of a not-a-number that may be zero, but not what it lacks. */
INLINE uint high_part(const uint bits)
{
    return (bits + 0x1000u) & TF32_BITS;
}

/* What that lacks, cut off: at most one unit in the last place of the whole. */
INLINE uint low_part(const uint bits, const uint high)
{
    return AS_UINT(AS_FLOAT(bits) - AS_FLOAT(high)) & TF32_BITS;
}
#endif
