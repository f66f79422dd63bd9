/*
 * Detector, first step: the channel's sorted QR decomposition, the received vector turned by Q^T, the first radius.
 *
 * Data flow:
 *   a work-item owns one channel (and its vector, where each vector has a channel of its own), or one vector;
 *   nothing is staged in local memory;
 *   registers hold the matrix by columns; the results go to the work arrays as structures of arrays.
 *
 * Parameters (allowed values; default):
 *   CTA_SIZE  work-items of a work-group (1..1024; 64)
 *
 * Host macros, beside those of detector_common.cl:
 *   SHARED    1: several vectors share a channel: kernels for channels and for vectors; 0: one kernel for both (0)
 *   FULL      streams that fsd expands in full, 0: another method (0)
 *   ORDERING  clradio_detector_ordering: 0 sorted, 1 by norm, 2 none (0)
 *   RADIUS    clradio_detector_radius: 0 MMSE, 1 infinite, 2 given (0)
 *   PAIRED    1: columns 2s and 2s + 1 stay together, as an alphabet of points needs them (0)
 *   WHITEN    1: a factor of the noise covariance comes with each channel or vector (0)
 *   COLUMNS   1: without SHARED, FULL, PAIRED and DESCENT: a lane for each column, detector_columns.cl (0)
 *   DESCENT   as in detector_descent.cl
 */
#include "detector_common.cl"
#include "detector_output.cl"

#ifndef SHARED
#define SHARED 0
#endif
#ifndef FULL
#define FULL 0
#endif
#ifndef ORDERING
#define ORDERING 0
#endif
#ifndef RADIUS
#define RADIUS 0
#endif
#ifndef DESCENT
#define DESCENT 0
#endif
#include "detector_descent.cl"

#define HEIGHT ROWS
#include "detector_qr.cl"

#define FACTOR_REALS ((ulong)RX * (RX + 1))
#define WORK(w) work[(ulong)(w) * stride + place]

#define SPACE
#include "detector_mmse.cl"

/* The squared radius that the search starts with. */
INLINE real first_radius(const real *r, const real *y, const uint *order, GLOBAL const float *model, real received,
                         real noise_variance, float radius_factor)
{
#if RADIUS == 0
    return radius_factor * mmse_metric(r, y, model, order, noise_variance);
#elif RADIUS == 1
    return received * 0 + LARGE;
#else
    return radius_factor * noise_variance;
#endif
}

/* A vector's work. */
INLINE void store_vector(GLOBAL float *work, ulong stride, ulong place, const real *y, real radius, real error, real rest,
                         real noise_variance)
{
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++)
        WORK(i) = (float)y[i];
    WORK(VECTOR_RADIUS) = (float)radius;
    WORK(VECTOR_ERROR) = (float)error;
    WORK(VECTOR_REST) = (float)rest;
    WORK(VECTOR_NOISE) = (float)noise_variance;
}

/* A channel's work after triangularise. */
INLINE void store_channel(GLOBAL float *work, ulong stride, ulong place, const real *r, const uint *order, real scale,
                          real reach)
{
    UNROLL_SMALL
    for (int n = 0; n < TRIANGLE; n++)
        WORK(n) = (float)r[n];
    UNROLL_SMALL
    for (int w = 0; w < ORDER_WORDS; w++) {
        uint packed = 0;
        UNROLL_SMALL
        for (int i = 0; i < 6; i++)
            if (6 * w + i < LEVELS)
                packed |= order[6 * w + i] << (5 * i);
        WORK(CHANNEL_ORDER + w) = AS_FLOAT(packed);
    }
    WORK(CHANNEL_SCALE) = (float)scale;
    WORK(CHANNEL_LENGTH) = (float)reach;
}

#if FULL
/* The streams that an inverse of the channel enhances the noise of most come last; returns the columns before them. */
INLINE int full_streams_last(real *a, uint *order, GLOBAL const float *model)
{
    real q[(LEVELS + 1) * HEIGHT], diagonal[LEVELS], factors[LEVELS], weakness[TX];
    uint unused[LEVELS];
    int end = LEVELS;
    for (int n = 0; n < LEVELS * HEIGHT; n++)
        q[n] = a[n];
    for (int s = 0; s < TX; s++)
        weakness[s] = 0;
    for (int c = 0; c < LEVELS; c++)
        unused[c] = 0;
    triangularise(q, unused, diagonal, factors, 0, LEVELS);
    for (int c = 0; c < LEVELS; c++) {
        real x[LEVELS];
        for (int i = c; i >= 0; i--) {
            real sum = i == c;
            for (int j = i + 1; j <= c; j++)
                sum -= i < HEIGHT ? q[j * HEIGHT + i] * x[j] : 0;
            x[i] = sum / fmax(diagonal[i], (real)1e-12);
            weakness[MODEL_STREAM(order[i])] += x[i] * x[i];
        }
    }
    for (int f = 0; f < FULL; f++) {
        int weakest = 0;
        for (int s = 1; s < TX; s++)
            if (weakness[s] > weakness[weakest])
                weakest = s;
        weakness[weakest] = -1;
        for (int c = end - 1; c >= 0; c--)
            if (MODEL_STREAM(order[c]) == weakest)
                exchange(a, order, c, --end);
    }
    return end;
}
#endif

/* Orders and triangularises; r by rows. Returns |H| |longest s| or NaN. */
INLINE real decompose(real *a, uint *order, real *factors, GLOBAL const float *model, int columns, real *r)
{
    real diagonal[LEVELS], frobenius = 0;
    int last = ORDERING == 0 ? LEVELS : 0;
    UNROLL_SMALL
    for (int c = 0; c < LEVELS; c++) {
        order[c] = c;
        frobenius += norm_from(a + c * HEIGHT, 0);
    }
#if FULL
    last = full_streams_last(a, order, model);
#elif ORDERING == 1
    for (int k = 0; k + 1 < LEVELS; k++)
        sort_next(a, order, k, LEVELS, 0);
#endif
    triangularise(a, order, diagonal, factors, last, columns);
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++) {
        r[R_AT(i, i)] = diagonal[i];
        UNROLL_SMALL
        for (int j = PART_BEGIN(i + 1); j < LEVELS; j++)
            if (j > i)
                r[R_AT(i, j)] = i < HEIGHT ? a[j * HEIGHT + i] : 0;
    }
    return sqrt(frobenius) * longest_symbols(model);
}

/* N0 of a vector; NaN when it is none. */
INLINE real noise_of(GLOBAL const float *noise, ulong vector, float noise_variance, float noise_factor, real scale)
{
    const real n0 = noise ? noise[vector] * noise_factor : noise_variance;
    return n0 >= 0 && n0 < LARGE ? n0 * scale * scale : (n0 - n0) * 0 + (real)LARGE - (real)LARGE;
}

#define PREPARE_KERNEL                                                                                                         \
    KERNEL REQD_GROUP(CTA_SIZE, 1, 1)                                                                                          \
    detector_prepare(SPAN(const float, received), SPAN(const float, channel), SPAN(const float, noise),                        \
                     SPAN(const wide, factor), SPAN(const float, model), SPAN(float, channel_work), SPAN(float, vector_work),  \
                     const ulong stride, const ulong first, const ulong items, const ulong per_channel,                        \
                     const uint factor_for_each, const float noise_variance, const float noise_factor,                         \
                     const float radius_factor, OUTPUTS, SPAN(uint, list))

#if COLUMNS
#include "detector_columns.cl"
#elif !SHARED
/* items vectors from `first` on, each decomposed with its channel; whitening factors one for each, or one for all. */
PREPARE_KERNEL
{
    OWN_ITEM();
    GLOBAL const float *model = SPAN_AT(const float, model);
    real a[(LEVELS + 1) * HEIGHT], r[TRIANGLE], y[LEVELS], factors[LEVELS], scale, rest = 0, received_norm;
    uint order[LEVELS];
    const ulong vector = first + item, c = per_channel ? vector / per_channel : 0;
    GLOBAL const wide *l = SPAN_AT(const wide, factor) + (factor_for_each ? item * FACTOR_REALS : 0);
    const real bad = load_model(SPAN_AT(const float, channel) + c * (2 * RX * TX),
                                SPAN_AT(const float, received) + vector * (2 * RX), l, model, a, &scale);
    received_norm = sqrt(norm_from(a + LEVELS * HEIGHT, 0)) + bad;
    const real reach = decompose(a, order, factors, model, LEVELS + 1, r);
    UNROLL_SMALL
    for (int i = 0; i < HEIGHT; i++)
        if (i < LEVELS)
            y[i] = a[LEVELS * HEIGHT + i];
        else
            rest += a[LEVELS * HEIGHT + i] * a[LEVELS * HEIGHT + i];
    UNROLL_SMALL
    for (int i = HEIGHT; i < LEVELS; i++)
        y[i] = 0;
    const real n0 = noise_of(noise_base ? SPAN_AT(const float, noise) : 0, vector, noise_variance, noise_factor, scale);
    received_norm += n0 * 0;
    const real error = ROUNDINGS * UNIT_ROUNDOFF * (received_norm + reach);
    const real radius = first_radius(r, y, order, model, received_norm, n0, radius_factor);
    TRY_DESCENT(r, y, order, radius, error, rest, scale);
    TAKE_PLACE(left);
    if (left) {
        store_channel(SPAN_AT(float, channel_work), stride, place, r, order, scale, reach);
        store_vector(SPAN_AT(float, vector_work), stride, place, y, radius, error, rest, n0);
    }
}
#else
/* items channels from `first` on. */
KERNEL REQD_GROUP(CTA_SIZE, 1, 1)
    detector_prepare_channels(SPAN(const float, channel), SPAN(const wide, factor), SPAN(const float, model),
                              SPAN(float, channel_work), const ulong stride, const ulong first, const ulong items,
                              const uint factor_for_each)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    GLOBAL const float *model = SPAN_AT(const float, model);
    GLOBAL float *work = SPAN_AT(float, channel_work);
    real a[(LEVELS + 1) * HEIGHT], r[TRIANGLE], factors[LEVELS], scale;
    uint order[LEVELS];
    if (item >= items)
        return;
    GLOBAL const wide *l = SPAN_AT(const wide, factor) + (factor_for_each ? item * FACTOR_REALS : 0);
    const real bad =
        load_model(SPAN_AT(const float, channel) + (first + item) * (2 * RX * TX), 0, l, model, a, &scale);
    const real reach = decompose(a, order, factors, model, LEVELS, r) + bad;
    const ulong place = item;
    store_channel(work, stride, place, r, order, scale, reach);
    for (int row = 0; row < ROWS; row++) { /* Q^T of a unit vector is a column of Q^T */
        real t[HEIGHT];
        for (int i = 0; i < HEIGHT; i++)
            t[i] = i == row;
        for (int k = 0; k < LEVELS && k < HEIGHT; k++) {
            const real *v = a + k * HEIGHT;
            real sum = 0;
            for (int i = k; i < HEIGHT; i++)
                sum += v[i] * t[i];
            sum *= factors[k];
            for (int i = k; i < HEIGHT; i++)
                t[i] -= v[i] * sum;
            /* the reflection's vector has the sign of its first part, which made the diagonal negative */
            t[k] *= factors[k] > 0 && v[k] >= 0 ? -1 : 1;
        }
        for (int i = 0; i < LEVELS; i++)
            WORK(CHANNEL_Q + i * ROWS + row) = i < HEIGHT ? (float)t[i] : 0;
    }
}

/* items vectors from `first` on; channels from first_channel on are in channel_work. */
KERNEL REQD_GROUP(CTA_SIZE, 1, 1)
    detector_prepare_vectors(SPAN(const float, received), SPAN(const float, noise), SPAN(const wide, factor),
                             SPAN(const float, model), SPAN(const float, channel_work), const ulong channel_stride,
                             SPAN(float, vector_work), const ulong stride, const ulong first, const ulong items,
                             const ulong per_channel, const ulong first_channel, const uint factor_for_each,
                             const float noise_variance, const float noise_factor, const float radius_factor, OUTPUTS,
                             SPAN(uint, list))
{
    OWN_ITEM();
    GLOBAL const float *model = SPAN_AT(const float, model);
    real r[TRIANGLE], y[LEVELS], raw[ROWS], norm = 0, inside = 0;
    uint order[LEVELS];
    const ulong vector = first + item, c = (per_channel ? vector / per_channel : 0) - first_channel;
    GLOBAL const float *from = SPAN_AT(const float, channel_work) + c;
    GLOBAL const wide *l = SPAN_AT(const wide, factor) + (factor_for_each ? c * FACTOR_REALS : 0);
    const real scale = from[CHANNEL_SCALE * channel_stride];
    norm = load_column(SPAN_AT(const float, received) + vector * (2 * RX), 2, l, raw);
    for (int i = 0; i < ROWS; i++) {
        raw[i] *= scale;
        norm += raw[i] * raw[i];
    }
    for (int n = 0; n < TRIANGLE; n++)
        r[n] = from[n * channel_stride];
    for (int i = 0; i < LEVELS; i++) {
        order[i] = AS_UINT(from[(CHANNEL_ORDER + i / 6) * channel_stride]) >> (5 * (i % 6)) & 31;
        y[i] = 0;
        for (int k = 0; k < ROWS; k++)
            y[i] += from[(CHANNEL_Q + i * ROWS + k) * channel_stride] * raw[k];
        inside += y[i] * y[i];
    }
    const real n0 = noise_of(noise_base ? SPAN_AT(const float, noise) : 0, vector, noise_variance, noise_factor, scale);
    const real received_norm = sqrt(norm) + n0 * 0, rest = LEVELS < ROWS ? fmax(norm - inside, (real)0) : 0;
    const real error = ROUNDINGS * UNIT_ROUNDOFF * (received_norm + from[CHANNEL_LENGTH * channel_stride]);
    const real radius = first_radius(r, y, order, model, received_norm, n0, radius_factor);
    TRY_DESCENT(r, y, order, radius, error, rest, scale);
    TAKE_PLACE(left);
    if (left)
        store_vector(SPAN_AT(float, vector_work), stride, place, y, radius, error, rest, n0);
}
#endif
