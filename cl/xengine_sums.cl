/*
 * The wide sums of the X-engine's kernels: what every variant adds its register sums to, and what the finishing kernels
 * read. A channel is the lower triangle by rows: the row of input (i, pol_i) has the (i + 1) NPOL inputs (j, pol_j), j <= i,
 * each a wide real part and a wide imaginary part of 8 bytes.
 *
 * INPUT (a clradio_type) decides: integers are summed in dlong; cf32 (1) and cf16 (3) in double with HAVE_FP64, else in a pair of
 * floats whose sum is the value (high, low).
 */
#ifndef XENGINE_SUMS
#define XENGINE_SUMS
#include "common.cl"

#ifndef NPOL
#define NPOL 2
#endif
#ifndef INPUT
#define INPUT 7
#endif

#if INPUT != 1 && INPUT != 3
typedef dlong wide_t;
#define wide_add(a, b) ((a) + (b))
#define widen(value) ((wide_t)(value))
#define wide_zero() ((wide_t)0)
#elif HAVE_FP64
typedef double wide_t;
#define wide_add(a, b) ((a) + (b))
#define widen(value) ((wide_t)(value))
#define widen_pair(high, low) ((wide_t)(high) + (wide_t)(low))
#define wide_zero() ((wide_t)0)
#else
typedef struct pair {
    float high, low;
} wide_t;

/* Knuth's exact sum of the high parts; the error and the low parts make the new low part. */
INLINE wide_t wide_add(const wide_t a, const wide_t b)
{
    const float sum = a.high + b.high;
    const float of_b = sum - a.high;
    const float error = (a.high - (sum - of_b)) + (b.high - of_b) + (a.low + b.low);
    wide_t result;
    result.high = sum + error;
    result.low = error - (result.high - sum);
    return result;
}

INLINE wide_t widen(const float value)
{
    wide_t result;
    result.high = value;
    result.low = 0.0f;
    return result;
}

INLINE wide_t widen_pair(const float high, const float low)
{
    wide_t result;
    result.high = high;
    result.low = low;
    return result;
}

INLINE wide_t wide_zero(void)
{
    return widen(0.0f);
}
#endif

/* The complex values of a channel in front of the row of input (i, pol_i). */
INLINE ulong row_of_input(const uint i, const uint pol_i)
{
    return ((ulong)i * (i + 1) / 2 * NPOL + (ulong)pol_i * (i + 1)) * NPOL;
}

/* The place of the complex sum of the inputs a and b among the wide ones; 0 where they make no baseline. */
INLINE GLOBAL wide_t *place_of_sum(GLOBAL wide_t *to, const uint a, const uint b, const uint inputs)
{
    const uint i = a / NPOL;
    return a >= inputs || b / NPOL > i ? 0 : to + 2 * (row_of_input(i, a % NPOL) + b);
}

/* Adds one complex sum of the inputs a and b to the wide ones (keep = 0: writes it), where they make a baseline. */
INLINE void keep_sum_of(GLOBAL wide_t *to, const uint a, const uint b, const uint inputs, const wide_t re, const wide_t im,
                        const uint keep)
{
    GLOBAL wide_t *sum = place_of_sum(to, a, b, inputs);
    if (!sum)
        return;
    sum[0] = keep ? wide_add(sum[0], re) : re;
    sum[1] = keep ? wide_add(sum[1], im) : im;
}
#endif
