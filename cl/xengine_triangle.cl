/*
 * What the X-engine's kernels with square blocks of EDGE x EDGE inputs share: the blocks of the lower triangle.
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
