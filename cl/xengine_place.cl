/*
 * Where the elements of the visibilities' orders lie (clradio_order in clradio/xengine.h). NPOL: 1 or 2 polarisations.
 */
#include "xengine_orders.cl"

#ifndef NPOL
#define NPOL 2
#endif
#define PRODUCTS (NPOL * NPOL)

/* The elements of a row (a station; a pair of stations in register-tile order) of a channel. */
INLINE ulong row_elements(const uint row, const uint stations, const uint order)
{
    if (order == ORDER_FULL)
        return (ulong)stations * PRODUCTS;
    return ((ulong)row + 1) * (order == ORDER_REGISTER_TILE ? 4 * PRODUCTS : PRODUCTS);
}

/* The place of an output element: the array's index, and the inputs (a, pol_a) and (b, pol_b) of x_a conj(x_b). */
typedef struct place {
    ulong at;
    uint a, b, pol_a, pol_b;
} place;

/* The element e of a row of a channel; */
INLINE place place_of(const ulong e, const uint row, const ulong channel, const uint stations, const uint order)
{
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    place p;
    p.pol_b = (uint)(e % NPOL);
    if (order == ORDER_FULL) {
        p.a = row;
        p.pol_a = (uint)(e / ((ulong)stations * NPOL));
        p.b = (uint)(e / NPOL % stations);
        p.at = (channel * stations + row) * stations * PRODUCTS + e;
    } else if (order == ORDER_REGISTER_TILE) {
        const ulong halves = ((ulong)stations + 1) / 2, cells = halves * (halves + 1) / 2;
        const uint of_quadrant = (row + 1) * PRODUCTS, quadrant = (uint)(e / of_quadrant);
        const uint inside = (uint)(e % of_quadrant);
        p.a = 2 * row + quadrant % 2;
        p.b = 2 * (inside / PRODUCTS) + quadrant / 2;
        p.pol_a = inside / NPOL % NPOL;
        p.at = ((channel * 4 + quadrant) * cells + (ulong)row * (row + 1) / 2) * PRODUCTS + inside;
    } else {
        p.a = row;
        p.b = (uint)(e / PRODUCTS);
        p.pol_a = (uint)(e / NPOL % NPOL);
        p.at = (channel * baselines + (ulong)row * (row + 1) / 2) * PRODUCTS + e;
        if (order == ORDER_TRANSPOSED) { /* x_j conj(x_i), [pol_j][pol_i] */
            p.a = p.b;
            p.b = row;
        }
    }
    return p;
}
