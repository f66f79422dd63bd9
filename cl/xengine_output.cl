/*
 * Visibilities written by a variant itself: xengine_finish.cl does the same from wide sums. One sum of x_i conj(x_j), i >= j by
 * stations, goes to its place (or its two places) in the order asked for.
 *
 * Host macros: NPOL, OUTPUT (xengine_orders.cl), INPUT (xengine_sums.cl)
 */
#include "xengine_orders.cl"
#include "xengine_sums.cl"

/* Where and how: plane is the number of real parts in front of the imaginary ones in the orders that keep them apart. */
typedef struct output {
    GLOBAL out_t *to;
    ulong plane;
    uint channel, stations, order, conjugate;
} output;

/* That, from the arguments of a kernel, which have the same names. */
#define TAKE_OUTPUT(out)                                                                                               \
    do {                                                                                                               \
        (out).to = SPAN_AT(out_t, visibilities);                                                                       \
        (out).plane = plane;                                                                                           \
        (out).channel = first_channel + GROUP_ID(1);                                                                   \
        (out).stations = stations;                                                                                     \
        (out).order = order;                                                                                           \
        (out).conjugate = conjugate;                                                                                   \
    } while (0)

INLINE void put_complex(const output *out, const ulong at, const out_t re, const out_t im)
{
    const int planes = out->order == ORDER_REAL_IMAG || out->order == ORDER_REGISTER_TILE;
    out->to[planes ? at : 2 * at] = re;
    out->to[planes ? out->plane + at : 2 * at + 1] = im;
}

/* The place of x_a conj(x_b) in register-tile order. */
INLINE ulong tile_place(const output *out, const uint a, const uint b)
{
    const uint station_a = a / NPOL, station_b = b / NPOL, row = station_a / 2;
    const ulong halves = ((ulong)out->stations + 1) / 2, cells = halves * (halves + 1) / 2;
    const uint quadrant = 2 * (station_b % 2) + station_a % 2;
    return (((ulong)out->channel * 4 + quadrant) * cells + (ulong)row * (row + 1) / 2 + station_b / 2) * (NPOL * NPOL) +
           a % NPOL * NPOL + b % NPOL;
}

/* In register-tile order a station that is missing (their number is odd) has zeros, which belong to the last station's row. */
INLINE void put_missing(const output *out, const uint j)
{
    const uint missing = out->stations;
    for (uint p = 0; p < NPOL; p++) {
        put_complex(out, tile_place(out, missing * NPOL + p, j), 0, 0);
        if (j / NPOL == missing - 1) { /* the diagonal tile's other places: (j, missing) and (missing, missing) */
            put_complex(out, tile_place(out, j, missing * NPOL + p), 0, 0);
            put_complex(out, tile_place(out, missing * NPOL + p, missing * NPOL + j % NPOL), 0, 0);
        }
    }
}

/* x_i conj(x_j) of the inputs i and j; the station of j is not behind that of i. */
INLINE void put_visibility(const output *out, const uint i, const uint j, const out_t re, const out_t im_plain)
{
    const uint stations = out->stations, station = i / NPOL;
    const out_t im = out->conjugate ? -im_plain : im_plain;
    if (out->order == ORDER_FULL) {
        const ulong inputs = (ulong)stations * NPOL, first = out->channel * inputs;
        put_complex(out, (first + i) * inputs + j, re, im);
        if (station != j / NPOL)
            put_complex(out, (first + j) * inputs + i, re, -im);
    } else if (out->order == ORDER_REGISTER_TILE) {
        put_complex(out, tile_place(out, i, j), re, im);
        if (station != j / NPOL && station / 2 == j / NPOL / 2)
            put_complex(out, tile_place(out, j, i), re, -im);
        if (stations % 2 && station + 1 == stations && i % NPOL == 0)
            put_missing(out, j);
    } else {
        const ulong baselines = (ulong)stations * (stations + 1) / 2;
        const ulong at = (out->channel * baselines + (ulong)station * (station + 1) / 2 + j / NPOL) * (NPOL * NPOL);
        if (out->order == ORDER_TRANSPOSED)
            put_complex(out, at + j % NPOL * NPOL + i % NPOL, re, -im);
        else
            put_complex(out, at + i % NPOL * NPOL + j % NPOL, re, im);
    }
}
