/*
 * Detector: zero forcing and least mean square error, by Householder's QR of the channel, for the latter with the
 * square roots of N0/2E below it.
 *
 * Data flow:
 *   a work-item owns one vector and its channel;
 *   nothing is staged in local memory;
 *   registers hold the matrix by columns, and then the inverse of the triangle column by column.
 *
 * Parameters: CTA_SIZE work-items of a work-group (1..1024; 64). Host macros, beside those of detector_common.cl and
 * detector_llr.cl:
 *   MMSE      1: least mean square error; 0: zero forcing (1)
 *   WHITEN    1: a factor of the noise covariance comes with each channel or vector (0)
 */
#include "detector_common.cl"
#include "detector_output.cl"
#include "detector_llr.cl"

#ifndef MMSE
#define MMSE 1
#endif

#if MMSE
#define HEIGHT (ROWS + LEVELS)
/* of the rows below the channel, column k has its own, and gets those before it */
#define LAST_ROW(k) (ROWS + (k) + 1)
#else
#define HEIGHT ROWS
#endif
#include "detector_qr.cl"

#define FACTOR_REALS ((ulong)RX * (RX + 1))

INLINE void add_regularisation(real *a, GLOBAL const float *model, real noise_variance)
{
#if MMSE
    UNROLL_SMALL
    for (int c = 0; c <= LEVELS; c++) {
        UNROLL_SMALL
        for (int i = 0; i < LEVELS; i++)
            a[c * HEIGHT + ROWS + i] = i == c ? sqrt(noise_variance * (real)0.5 / MODEL_ENERGY(c)) : 0;
    }
#endif
}

/* What stands for the inverse of zero in a variance: that of a stream of which nothing is received, or which another hides, is
 * beyond all bounds, and tells nothing of its bits. The square of the number is a float. What is regularised has no zero. */
#if MMSE
#define STEEP(inverse) (inverse)
#else
#define STEEP(inverse) ((inverse) > 0 ? (inverse) : (real)1e15)
#endif

/* The share of the signal that rounding alone, divisions and roots of OpenCL's accuracy among it, may leave in the estimate of
 * a stream of which nothing is received: one below it tells nothing of the stream's bits. With four antennas that is 58 dB
 * below the noise. */
#define SURE_BIAS (ROUNDINGS * (real)UNIT_ROUNDOFF)

/* Estimates and the diagonal of (R^T R)^-1, R in a and diagonal. */
INLINE void solve(const real *a, const real *diagonal, real *x, real *spread_of)
{
    real inverse[LEVELS];
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++) {
        inverse[i] = diagonal[i] > 0 ? 1 / diagonal[i] : 0;
        spread_of[i] = 0;
    }
    UNROLL_SMALL
    for (int n = 0; n < LEVELS; n++) {
        const int i = LEVELS - 1 - n;
        x[i] = i < HEIGHT ? a[LEVELS * HEIGHT + i] : 0;
        UNROLL_SMALL
        for (int j = PART_BEGIN(i + 1); j < LEVELS; j++)
            if (j > i)
                x[i] -= a[j * HEIGHT + i] * x[j];
        x[i] *= inverse[i];
    }
    UNROLL_SMALL
    for (int c = 0; c < LEVELS; c++) {
        real e[LEVELS];
        UNROLL_SMALL
        for (int n = 0; n < LEVELS; n++) {
            const int i = LEVELS - 1 - n;
            if (i <= c) {
                e[i] = i == c;
                UNROLL_SMALL
                for (int j = PART_BEGIN(i + 1); j < LEVELS; j++)
                    if (j > i && j <= c)
                        e[i] -= a[j * HEIGHT + i] * e[j];
                e[i] *= STEEP(inverse[i]);
                spread_of[i] += e[i] * e[i];
            }
        }
    }
}

/* |y - H s|^2 of the sliced point: what the regularisation added is taken off again. */
INLINE real metric_of(const real *a, const real *diagonal, const real *s, GLOBAL const float *model, real noise_variance)
{
    real metric = 0;
    UNROLL_SMALL
    for (int i = 0; i < HEIGHT; i++) {
        real z = a[LEVELS * HEIGHT + i];
        if (i < LEVELS) {
            z -= diagonal[i] * s[i];
            UNROLL_SMALL
            for (int j = 0; j < LEVELS; j++)
                if (j > i)
                    z -= a[j * HEIGHT + i] * s[j];
        }
        metric += z * z;
    }
#if MMSE
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++)
        metric -= noise_variance * (real)0.5 / MODEL_ENERGY(i) * s[i] * s[i];
#endif
    return fmax(metric, (real)0);
}

/* Each axis by itself: max-log over its points. */
INLINE void soft_levels(const llr_t *llr, ulong vector, GLOBAL const float *model, const real *x, const real *variance)
{
    for (int c = 0; c < LEVELS; c++) {
        const uint points = POINTS_OF(c);
        const int bits = (int)log2_of(points);
        for (int b = 0; b < bits; b++) {
            float least[2] = { LARGE, LARGE };
            for (uint index = 0; index < points; index++) {
                const float apart = (float)(x[c] - (2 * (real)index + 1 - points));
                const uint value = axis_label(points, index) >> (bits - 1 - b) & 1;
                least[value] = fmin(least[value], apart * apart);
            }
            store_llr(llr, vector, model, c, b, least[0], least[1], (float)(2 * variance[c]));
        }
    }
}

/* items vectors from `first` on; outputs begin with the first of them. */
KERNEL REQD_GROUP(CTA_SIZE, 1, 1)
    detector_linear(SPAN(const float, received), SPAN(const float, channel), SPAN(const float, noise),
                    SPAN(const wide, factor), SPAN(const float, model), OUTPUTS, SPAN(uchar, llr), const ulong first,
                    const ulong items, const ulong per_channel, const ulong first_channel, const uint factor_for,
                    const float noise_variance, const float noise_factor, const float clip, const float llr_scale,
                    const uint flags)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    GLOBAL const float *model = SPAN_AT(const float, model);
    real a[(LEVELS + 1) * HEIGHT], diagonal[LEVELS], factors[LEVELS], x[LEVELS], variance[LEVELS], s[LEVELS], scale;
    uint order[LEVELS], labels[LEVELS];
    TAKE_OUTPUTS(to);
    if (item >= items)
        return;
    const llr_t llr = { llr_base ? SPAN_AT(uchar, llr) : 0, clip, llr_scale, flags };
    const ulong vector = first + item, c = per_channel ? vector / per_channel : 0;
    GLOBAL const wide *l = SPAN_AT(const wide, factor) +
                           (factor_for == 2 ? item : factor_for == 1 ? c - first_channel : 0) * FACTOR_REALS;
    real bad = load_model(SPAN_AT(const float, channel) + c * (2 * RX * TX),
                          SPAN_AT(const float, received) + vector * (2 * RX), l, model, a, &scale);
    real n0 = noise_base ? SPAN_AT(const float, noise)[vector] * noise_factor : noise_variance;
    if (bad != 0 || !(n0 >= 0 && n0 < LARGE)) {
        store_nothing(&to, &llr, item);
        return;
    }
    n0 *= scale * scale;
    add_regularisation(a, model, n0);
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++)
        order[i] = i;
    triangularise(a, order, diagonal, factors, 0, LEVELS + 1);
    solve(a, diagonal, x, variance);
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++) {
        const real most = POINTS_OF(i) - 1;
        variance[i] *= n0 * (real)0.5;
#if MMSE
        const real bias = 1 - variance[i] / MODEL_ENERGY(i);
        x[i] = bias > SURE_BIAS ? x[i] / bias : 0;
        variance[i] = bias > SURE_BIAS ? variance[i] / bias : (real)LARGE;
#endif
        const real index = fmin(fmax(rint((x[i] + most) * (real)0.5), (real)0), most);
        s[i] = 2 * index - most;
        labels[i] = axis_label(POINTS_OF(i), (uint)index);
    }
    store_symbols(&to, item, model, labels);
    if (to.metric)
        to.metric[item] = (float)(metric_of(a, diagonal, s, model, n0) / scale / scale);
    if (to.status)
        to.status[item] = METHOD;
    if (to.nodes)
        to.nodes[item] = 0;
    if (llr.to)
        soft_levels(&llr, item, model, x, variance);
}
