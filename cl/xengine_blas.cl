/*
 * X-engine, variant blas: adds what a BLAS herk gave for one channel and one run of spectra to the wide sums. A work-group
 * owns the row of one input; nothing is staged.
 *
 * Host macros:
 *   NPOL   1 or 2 polarisations
 *   INPUT  1 (cf32)
 */
#include "common.cl"

#ifndef NPOL
#define NPOL 2
#endif
#ifndef INPUT
#define INPUT 1
#endif

#include "xengine_sums.cl"

#define GROUP 64

/*
 * Grid: x inputs. product: [column][row], complex, of which rows >= columns hold x_row conj(x_column); sums: one channel.
 * add = 1: added to what is in sums; 0: written.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_blas_add(SPAN(const float, product), SPAN(wide_t, sums), const uint stations, const uint add)
{
    const uint input = GROUP_ID(0), i = input / NPOL, inputs = stations * NPOL;
    GLOBAL const float *from = SPAN_AT(const float, product);
    GLOBAL wide_t *to = SPAN_AT(wide_t, sums) + 2 * row_of_input(i, input % NPOL);
    for (uint b = LOCAL_ID(0); b < (i + 1) * NPOL; b += GROUP) {
        /* a station's own products beyond the diagonal are conjugates of those below it */
        const uint row = b > input ? b : input, column = b > input ? input : b;
        GLOBAL const float *value = from + 2 * ((ulong)column * inputs + row);
        const wide_t re = widen(value[0]), im = widen(b > input ? -value[1] : value[1]);
        to[2 * b] = add ? wide_add(to[2 * b], re) : re;
        to[2 * b + 1] = add ? wide_add(to[2 * b + 1], im) : im;
    }
}
