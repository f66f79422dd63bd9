/*
 * What the X-engine's kernels with square blocks of EDGE x EDGE inputs share: the blocks of the lower triangle, and the way of a
 * complex sum to the wide ones.
 */
#include "xengine_sums.cl"

/* Blocks are numbered along the rows of the triangle: row r holds r + 1. The row of one, by bisection. */
INLINE uint block_row(const uint block, const uint rows)
{
    uint low = 0, high = rows;
    while (high - low > 1) {
        const uint middle = low + (high - low) / 2;
        if ((ulong)middle * (middle + 1) / 2 <= block)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds one complex sum of the inputs a and b to the wide ones (keep = 0: writes it), where they make a baseline. */
INLINE void keep_sum_of(GLOBAL wide_t *to, const uint a, const uint b, const uint inputs, const wide_t re, const wide_t im,
                        const uint keep)
{
    const uint i = a / NPOL;
    if (a >= inputs || b / NPOL > i)
        return;
    GLOBAL wide_t *sum = to + 2 * (row_of_input(i, a % NPOL) + b);
    sum[0] = keep ? wide_add(sum[0], re) : re;
    sum[1] = keep ? wide_add(sum[1], im) : im;
}
