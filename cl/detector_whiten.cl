/*
 * Detector: factors of noise covariances, C = L L^H, in double where the device has it.
 *
 * Data flow: a work-item owns one covariance; L is written by rows, packed, (re, im) in each place, the diagonal's
 * imaginary part 0; what is not positive definite gets a diagonal of NaN, which marks its vectors.
 *
 * Parameters: CTA_SIZE work-items of a work-group (1..1024; 64). Host macros: those of detector_common.cl.
 */
#include "detector_common.cl"

#define L_AT(i, j) (2 * ((i) * ((i) + 1) / 2 + (j)))

KERNEL REQD_GROUP(CTA_SIZE, 1, 1)
    detector_whiten(SPAN(const float, covariance), SPAN(wide, factor), const ulong first, const ulong items)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    if (item >= items)
        return;
    GLOBAL const float *c = SPAN_AT(const float, covariance) + (first + item) * (2 * RX * RX);
    GLOBAL wide *l = SPAN_AT(wide, factor) + item * ((ulong)RX * (RX + 1));
    for (int i = 0; i < RX; i++)
        for (int j = 0; j <= i; j++) {
            wide re = c[2 * (i * RX + j)], im = c[2 * (i * RX + j) + 1];
            for (int k = 0; k < j; k++) {
                const wide a = l[L_AT(i, k)], b = l[L_AT(i, k) + 1], p = l[L_AT(j, k)], q = l[L_AT(j, k) + 1];
                re -= a * p + b * q;
                im -= b * p - a * q;
            }
            if (i == j) {
                l[L_AT(i, i)] = re > 0 && re < (wide)LARGE ? sqrt(re) : (wide)LARGE - (wide)LARGE;
                l[L_AT(i, i) + 1] = 0;
            } else {
                l[L_AT(i, j)] = re / l[L_AT(j, j)];
                l[L_AT(i, j) + 1] = im / l[L_AT(j, j)];
            }
        }
}
