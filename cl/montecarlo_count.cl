/*
 * Counts of errors: what was sent against what was decided, in exact whole numbers.
 *
 *   SYMBOL_BYTES   1 or 2: a label's type, uchar or ushort
 *
 * Sums, ulong each: bit errors, symbol errors, vector errors, squares of a vector's bit errors, nodes, and vectors of each
 * status 0 to 4.
 *
 * A work-group owns 4096 vectors that follow one another, 16 a work-item; local memory adds up its sums. A second launch
 * adds the groups of a row of up to 65536 vectors.
 */
#include "common.cl"

#ifndef SYMBOL_BYTES
#define SYMBOL_BYTES 1
#endif
#if SYMBOL_BYTES == 1
typedef uchar symbol;
#else
typedef ushort symbol;
#endif

#define SUMS 10
#define GROUP_VECTORS 4096u

INLINE uint bits_set(uint word)
{
    word = word - ((word >> 1) & 0x55555555u);
    word = (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0Fu;
    return (word * 0x01010101u) >> 24;
}

/* partial: ulong [group][SUMS]. */
KERNEL REQD_GROUP(256, 1, 1)
montecarlo_count(SPAN(const symbol, sent), SPAN(const symbol, decided), SPAN(const uchar, status),
                 SPAN(const uint, nodes), SPAN(ulong, partial), const uint vectors, const uint transmit)
{
    LOCAL ulong sums[SUMS][256];
    GLOBAL const symbol *a = SPAN_AT(const symbol, sent);
    GLOBAL const symbol *b = SPAN_AT(const symbol, decided);
    GLOBAL const uchar *state = SPAN_AT(const uchar, status);
    GLOBAL const uint *node = SPAN_AT(const uint, nodes);
    GLOBAL ulong *out = SPAN_AT(ulong, partial);
    const uint id = (uint)LOCAL_ID(0), group = (uint)GROUP_ID(0);
    ulong squares = 0, visited = 0;
    uint bits = 0, wrong = 0, vectors_wrong = 0, of0 = 0, of1 = 0, of2 = 0, of3 = 0, of4 = 0;
    for (uint step = 0; step < GROUP_VECTORS / 256u; step++) {
        const uint vector = group * GROUP_VECTORS + step * 256u + id;
        if (vector < vectors) {
            uint of_vector = 0;
            for (uint tx = 0; tx < transmit; tx++) {
                const ulong at = (ulong)vector * transmit + tx;
                const uint difference = (uint)a[at] ^ (uint)b[at];
                of_vector += bits_set(difference);
                wrong += difference != 0u;
            }
            bits += of_vector;
            vectors_wrong += of_vector != 0u;
            squares += of_vector * of_vector;
            visited += node[vector];
            const uint s = state[vector];
            of0 += s == 0u;
            of1 += s == 1u;
            of2 += s == 2u;
            of3 += s == 3u;
            of4 += s >= 4u;
        }
    }
    sums[0][id] = bits;
    sums[1][id] = wrong;
    sums[2][id] = vectors_wrong;
    sums[3][id] = squares;
    sums[4][id] = visited;
    sums[5][id] = of0;
    sums[6][id] = of1;
    sums[7][id] = of2;
    sums[8][id] = of3;
    sums[9][id] = of4;
    for (uint stride = 128u; stride > 0u; stride >>= 1) {
        BARRIER();
        if (id < stride)
            for (uint sum = 0; sum < SUMS; sum++)
                sums[sum][id] += sums[sum][id + stride];
    }
    BARRIER();
    if (id < SUMS)
        out[(ulong)group * SUMS + id] = sums[id][0];
}

/* rows: ulong [row][SUMS], one work-item a row and sum. row_groups: groups of a row; the last may have fewer. */
KERNEL REQD_GROUP(64, 1, 1)
montecarlo_rows(SPAN(const ulong, partial), SPAN(ulong, rows), const uint groups, const uint row_groups)
{
    GLOBAL const ulong *in = SPAN_AT(const ulong, partial);
    GLOBAL ulong *out = SPAN_AT(ulong, rows);
    const uint item = (uint)GROUP_ID(0) * 64u + (uint)LOCAL_ID(0);
    const uint row = item / SUMS, sum = item - row * SUMS;
    const uint first = row * row_groups;
    if (first >= groups)
        return;
    const uint end = first + row_groups < groups ? first + row_groups : groups;
    ulong total = 0;
    for (uint group = first; group < end; group++)
        total += in[(ulong)group * SUMS + sum];
    out[item] = total;
}
