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
 *
 * Sizes, the order (clradio_order) and the conjugation are arguments.
 */
#include "common.cl"

#ifndef NPOL
#define NPOL 2
#endif
#ifndef INPUT
#define INPUT 7
#endif

#define GROUP 64

#include "xengine_sums.cl"
#include "xengine_place.cl"

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

/*
 * Grid: x rows, y channels of the chunk. sums: [channel of the chunk] of wide sums; visibilities: the whole output
 * array, of which the channels first_channel and on are written; plane: real numbers in front of the imaginary parts in
 * the orders that keep them apart. overflow: one uint, used when count_overflow.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_dump(SPAN(const wide_t, sums), SPAN(out_t, visibilities), SPAN(uint, overflow), const uint stations,
             const uint first_channel, const ulong plane, const uint order, const uint conjugate,
             const uint count_overflow)
{
    const uint row = GROUP_ID(0);
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL const wide_t *from = SPAN_AT(const wide_t, sums) + GROUP_ID(1) * baselines * (2 * PRODUCTS);
    GLOBAL out_t *to = SPAN_AT(out_t, visibilities);
    const ulong elements = row_elements(row, stations, order);
    const int planes = order == ORDER_REAL_IMAG || order == ORDER_REGISTER_TILE;
    uint misfits = 0;

    for (ulong e = LOCAL_ID(0); e < elements; e += GROUP) {
        const place p = place_of(e, row, (ulong)first_channel + GROUP_ID(1), stations, order);
        wide_t re = wide_zero(), im = wide_zero();
        if (p.a < stations && p.b < stations) {
            /* only i >= j is summed: the other half is its conjugate */
            const uint swap = p.b > p.a, i = swap ? p.b : p.a, j = swap ? p.a : p.b;
            const uint pol_i = swap ? p.pol_b : p.pol_a, pol_j = swap ? p.pol_a : p.pol_b;
            GLOBAL const wide_t *sum = from + 2 * (row_of_input(i, pol_i) + (ulong)j * NPOL + pol_j);
            re = sum[0];
            im = swap ^ conjugate ? wide_negative(sum[1]) : sum[1];
        }
        uint fits = 1;
        to[planes ? p.at : 2 * p.at] = convert_sum(re, &fits);
        to[planes ? plane + p.at : 2 * p.at + 1] = convert_sum(im, &fits);
        misfits += !fits;
    }
    if (count_overflow && misfits)
        ATOMIC_ADD(SPAN_AT(uint, overflow), misfits);
}
