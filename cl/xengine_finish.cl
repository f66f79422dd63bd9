/*
 * X-engine, last steps, the same for every variant.
 *
 * xengine_reduce: adds the slices of the time in their order, and the plan's accumulators before them. A work-item owns
 * one real number; nothing is staged.
 * xengine_dump: writes the visibilities in the order, type and conjugation asked for. A work-group owns one row of a
 * channel: what is written together lies together.
 *
 * Host macros:
 *   NPOL       1 or 2 polarisations
 *   INPUT      the input's clradio_type (decides the wide sums, see xengine_sums.cl)
 *   OUTPUT     the output's clradio_type: 1 cf32, 2 cf64, 4 ci32, 5 ci64
 *   ORDER      clradio_order: 0 baseline, 1 transposed, 2 full, 3 xGPU triangular, 4 xGPU real and imaginary planes,
 *              5 xGPU register tile
 *   CONJUGATE  1: the conjugate of what the order says
 */
#include "common.cl"

#ifndef NPOL
#define NPOL 2
#endif
#ifndef INPUT
#define INPUT 7
#endif
#ifndef OUTPUT
#define OUTPUT 5
#endif
#ifndef ORDER
#define ORDER 0
#endif
#ifndef CONJUGATE
#define CONJUGATE 0
#endif

#define GROUP 64
#define PRODUCTS (NPOL * NPOL)

#include "xengine_sums.cl"

#define ORDER_TRANSPOSED 1
#define ORDER_FULL 2
#define ORDER_REAL_IMAG 4
#define ORDER_REGISTER_TILE 5

#if OUTPUT == 1
typedef float out_t;
#elif OUTPUT == 2
typedef double out_t;
#elif OUTPUT == 4
typedef int out_t;
#else
typedef dlong out_t;
#endif

/* Grid: x over `reals` numbers (counted by `reals`). sums: [slices][slice_stride]; to may be sums itself. */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_reduce(GLOBAL wide_t *sums_base, const ulong sums_offset, GLOBAL wide_t *to_base, const ulong to_offset,
               const ulong reals, const uint slices, const ulong slice_stride, const uint add)
{
    const ulong n = (ulong)GROUP_ID(0) * GROUP + LOCAL_ID(0);
    if (n >= reals)
        return;
    GLOBAL wide_t *to = SPAN_AT(wide_t, to) + n;
    GLOBAL const wide_t *from = SPAN_AT(const wide_t, sums) + n;
    wide_t sum = add ? *to : wide_zero();
    for (uint s = 0; s < slices; s++)
        sum = wide_add(sum, from[s * slice_stride]);
    *to = sum;
}

/* A wide sum as the output type; *fits becomes 0 when it does not fit (the nearest that does is returned). */
INLINE out_t convert_sum(const wide_t sum, uint *fits)
{
#if OUTPUT == 4
    if (sum > 2147483647) {
        *fits = 0;
        return 2147483647;
    }
    if (sum < -2147483647 - 1) {
        *fits = 0;
        return -2147483647 - 1;
    }
    return (int)sum;
#elif INPUT == 1 && !HAVE_FP64
    return sum.high + sum.low;
#elif INPUT == 1 && OUTPUT == 1
    const float value = (float)sum;
    /* a finite sum beyond the largest float */
    if (sum - sum == 0 && value - value != 0) {
        *fits = 0;
        return sum > 0 ? 3.402823466e38f : -3.402823466e38f;
    }
    return value;
#else
    return (out_t)sum;
#endif
}

INLINE wide_t wide_negative(const wide_t a)
{
#if INPUT == 1 && !HAVE_FP64
    wide_t result;
    result.high = -a.high;
    result.low = -a.low;
    return result;
#else
    return -a;
#endif
}

/* The real numbers of a row (a station; a pair of stations in register-tile order) that xengine_dump writes. */
INLINE ulong row_elements(const uint row, const uint stations)
{
#if ORDER == ORDER_FULL
    return (ulong)stations * PRODUCTS;
#elif ORDER == ORDER_REGISTER_TILE
    return (ulong)(row + 1) * (4 * PRODUCTS);
#else
    return (ulong)(row + 1) * PRODUCTS;
#endif
}

/*
 * Grid: x rows, y channels of the chunk. sums: [channel of the chunk][baseline][pol_i][pol_j]; visibilities: the whole
 * output array, of which the channels first_channel and on are written. overflow: one uint, used when count_overflow.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_dump(SPAN(const wide_t, sums), SPAN(out_t, visibilities), SPAN(uint, overflow), const uint stations,
             const uint channels, const uint first_channel, const uint count_overflow)
{
    const uint row = GROUP_ID(0);
    const ulong channel = (ulong)first_channel + GROUP_ID(1);
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL const wide_t *from = SPAN_AT(const wide_t, sums) + GROUP_ID(1) * baselines * (2 * PRODUCTS);
    GLOBAL out_t *to = SPAN_AT(out_t, visibilities);
    const ulong elements = row_elements(row, stations);
    uint misfits = 0;

    for (ulong e = LOCAL_ID(0); e < elements; e += GROUP) {
        /* the output element is that of the inputs (a, pol_a) and (b, pol_b), at index `at` of the array */
        uint a = row, b, pol_a, pol_b;
        ulong at;
#if ORDER == ORDER_FULL
        pol_a = (uint)(e / ((ulong)stations * NPOL));
        b = (uint)(e / NPOL % stations);
        pol_b = (uint)(e % NPOL);
        at = (channel * stations + row) * stations * PRODUCTS + e;
#elif ORDER == ORDER_REGISTER_TILE
        const ulong halves = (stations + 1) / 2, quadrant_cells = halves * (halves + 1) / 2;
        const uint in_quadrant = (uint)((row + 1) * PRODUCTS), quadrant = (uint)(e / in_quadrant);
        const uint place = (uint)(e % in_quadrant);
        a = 2 * row + quadrant % 2;
        b = 2 * (place / PRODUCTS) + quadrant / 2;
        pol_a = place / NPOL % NPOL;
        pol_b = place % NPOL;
        at = ((channel * 4 + quadrant) * quadrant_cells + (ulong)row * (row + 1) / 2) * PRODUCTS + place;
#else
        b = (uint)(e / PRODUCTS);
        at = (channel * baselines + (ulong)row * (row + 1) / 2) * PRODUCTS + e;
#if ORDER == ORDER_TRANSPOSED
        pol_b = (uint)(e / NPOL % NPOL);
        pol_a = (uint)(e % NPOL);
#else
        pol_a = (uint)(e / NPOL % NPOL);
        pol_b = (uint)(e % NPOL);
#endif
#endif
        wide_t re = wide_zero(), im = wide_zero();
        if (a < stations && b < stations) {
            const uint swap = b > a, i = swap ? b : a, j = swap ? a : b;
            const uint pol_i = swap ? pol_b : pol_a, pol_j = swap ? pol_a : pol_b;
            GLOBAL const wide_t *sum =
                from + ((((ulong)i * (i + 1) / 2 + j) * NPOL + pol_i) * NPOL + pol_j) * 2;
            const uint conjugate = swap ^ (ORDER == ORDER_TRANSPOSED) ^ CONJUGATE;
            re = sum[0];
            im = conjugate ? wide_negative(sum[1]) : sum[1];
        }
        uint fits = 1;
        const out_t out_re = convert_sum(re, &fits), out_im = convert_sum(im, &fits);
#if ORDER == ORDER_REAL_IMAG
        to[at] = out_re;
        to[channels * baselines * PRODUCTS + at] = out_im;
#elif ORDER == ORDER_REGISTER_TILE
        to[at] = out_re;
        to[channels * 4 * quadrant_cells * PRODUCTS + at] = out_im;
#else
        to[2 * at] = out_re;
        to[2 * at + 1] = out_im;
#endif
        misfits += !fits;
    }
    if (count_overflow && misfits)
        ATOMIC_ADD(SPAN_AT(uint, overflow), misfits);
}
