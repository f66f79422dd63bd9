/*
 * Turns the channels of visibilities around in place: row r changes places with row rows - 1 - r, in one plane or in two
 * (real and imaginary parts apart). A row is everything of one channel, counted in 32-bit words whatever the type is.
 *
 * A work-group owns 256 words of a pair of rows; every work-item swaps one pair of words through registers.
 */
#include "common.cl"

KERNEL REQD_GROUP(256, 1, 1)
correlator_reverse(SPAN(uint, visibilities), const uint rows, const ulong row_words, const ulong groups_per_row)
{
    GLOBAL uint *words = SPAN_AT(uint, visibilities);
    const ulong group = GROUP_ID(0);
    /* Remainders by a product: LLVM's pair of division and remainder stops Oclgrind. */
    const ulong pair = group / groups_per_row, half_rows = rows / 2;
    const ulong word = (group - pair * groups_per_row) * 256 + LOCAL_ID(0);
    const ulong plane = pair / half_rows, row = pair - plane * half_rows;
    if (word < row_words) {
        const ulong upper = (plane * rows + row) * row_words + word;
        const ulong lower = (plane * rows + (rows - 1 - row)) * row_words + word;
        const uint kept = words[upper];
        words[upper] = words[lower];
        words[lower] = kept;
    }
}
