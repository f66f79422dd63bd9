/*
 * Signal to interference and noise ratios, one work-item an (outer, inner). A work-item keeps R (its Cholesky factor in the
 * same place) and the whitened serving matrix in private memory; nothing is staged.
 *
 * Host macros:
 *   REAL64   0: float; 1: double
 *   RECEIVE  receive antennas
 *   STREAMS  streams
 *   MRC      0: MMSE; 1: MRC
 *
 * MMSE: R = L L^H, W = L^-1 H, and with A = I + W^H W the ratio of stream k is the last pivot of A's Cholesky factor, k
 * ordered last, without the 1 that stands in it: nothing cancels at low ratios.
 * Grid: x problems / GROUP.
 */
#include "common.cl"

#ifndef REAL64
#define REAL64 0
#endif
#ifndef RECEIVE
#define RECEIVE 2
#endif
#ifndef STREAMS
#define STREAMS 2
#endif
#ifndef MRC
#define MRC 0
#endif

#define GROUP 64

#if REAL64
typedef double real;
typedef double2 complex_t;
#else
typedef float real;
typedef float2 complex_t;
#endif

/* sum -= a conj(b) */
INLINE complex_t minus_product(complex_t sum, const complex_t a, const complex_t b)
{
    sum.x -= a.x * b.x + a.y * b.y;
    sum.y -= a.y * b.x - a.x * b.y;
    return sum;
}

INLINE complex_t plus_product(complex_t sum, const complex_t a, const complex_t b)
{
    sum.x += a.x * b.x + a.y * b.y;
    sum.y += a.y * b.x - a.x * b.y;
    return sum;
}

INLINE real power(const complex_t a)
{
    return a.x * a.x + a.y * a.y;
}

/* R = G G^H + N0 I, lower triangle. */
INLINE void covariance(complex_t *r, GLOBAL const complex_t *g, const ulong receive_stride, const ulong stream_stride,
                       const uint interferers, const real noise)
{
    for (uint i = 0; i < RECEIVE; i++)
        for (uint j = 0; j <= i; j++) {
            complex_t sum;
            sum.x = i == j ? noise : 0;
            sum.y = 0;
            for (uint s = 0; s < interferers; s++)
                sum = plus_product(sum, g[i * receive_stride + s * stream_stride], g[j * receive_stride + s * stream_stride]);
            r[i * RECEIVE + j] = sum;
        }
}

#if MRC

/* u^H R u for the lower triangle of a Hermitian matrix. */
INLINE real form(const complex_t *r, const complex_t *u)
{
    real sum = 0;
    for (uint i = 0; i < RECEIVE; i++) {
        const complex_t a = u[i];
        sum += r[i * RECEIVE + i].x * power(a);
        for (uint j = 0; j < i; j++) {
            const complex_t b = u[j], m = r[i * RECEIVE + j];
            /* 2 Re(conj(a) m b) */
            const real re = m.x * b.x - m.y * b.y, im = m.x * b.y + m.y * b.x;
            sum += 2 * (a.x * re + a.y * im);
        }
    }
    return sum;
}

/* |h|^2 / (u^H R u + sum of the other streams' |u^H h|^2), u = h / |h|: a product with h in u's place passes the range of
 * fp32 where |h|^4 does, and channels with path loss in them are small. */
INLINE real combined(const complex_t *r, const complex_t *h, const uint k)
{
    complex_t u[RECEIVE];
    real wanted = 0;
    for (uint a = 0; a < RECEIVE; a++)
        wanted += power(h[a * STREAMS + k]);
    if (!(wanted > 0))
        return wanted;
    const real scale = 1 / sqrt(wanted);
    for (uint a = 0; a < RECEIVE; a++) {
        u[a].x = h[a * STREAMS + k].x * scale;
        u[a].y = h[a * STREAMS + k].y * scale;
    }
    real rest = form(r, u);
    for (uint l = 0; l < STREAMS; l++) {
        complex_t sum;
        sum.x = sum.y = 0;
        for (uint a = 0; a < RECEIVE; a++)
            sum = plus_product(sum, h[a * STREAMS + l], u[a]);
        if (l != k)
            rest += power(sum);
    }
    return wanted / rest;
}

#else

/* The Cholesky factor in place of the lower triangle; 0 when a pivot is not positive. */
INLINE uint factor(complex_t *r)
{
    for (uint j = 0; j < RECEIVE; j++) {
        real pivot = r[j * RECEIVE + j].x;
        for (uint k = 0; k < j; k++)
            pivot -= power(r[j * RECEIVE + k]);
        if (!(pivot > 0))
            return 0;
        const real inverse = 1 / sqrt(pivot);
        r[j * RECEIVE + j].x = inverse; /* its inverse, as it is used */
        for (uint i = j + 1; i < RECEIVE; i++) {
            complex_t sum = r[i * RECEIVE + j];
            for (uint k = 0; k < j; k++)
                sum = minus_product(sum, r[i * RECEIVE + k], r[j * RECEIVE + k]);
            sum.x *= inverse;
            sum.y *= inverse;
            r[i * RECEIVE + j] = sum;
        }
    }
    return 1;
}

/* h becomes L^-1 h. */
INLINE void whiten(const complex_t *r, complex_t *h)
{
    for (uint k = 0; k < STREAMS; k++)
        for (uint i = 0; i < RECEIVE; i++) {
            complex_t sum = h[i * STREAMS + k];
            for (uint j = 0; j < i; j++) {
                const complex_t m = r[i * RECEIVE + j], b = h[j * STREAMS + k];
                sum.x -= m.x * b.x - m.y * b.y;
                sum.y -= m.x * b.y + m.y * b.x;
            }
            sum.x *= r[i * RECEIVE + i].x;
            sum.y *= r[i * RECEIVE + i].x;
            h[i * STREAMS + k] = sum;
        }
}

/* The last pivot less 1 of I + W^H W with stream `last` ordered last. */
INLINE real last_pivot(const complex_t *w, const uint last)
{
    complex_t m[STREAMS * STREAMS];
    real inverse[STREAMS];
    real pivot = 0;
    for (uint j = 0; j < STREAMS; j++) {
        const uint at_j = j == STREAMS - 1 ? last : j == last ? STREAMS - 1 : j;
        for (uint i = j; i < STREAMS; i++) {
            const uint at_i = i == STREAMS - 1 ? last : i == last ? STREAMS - 1 : i;
            complex_t sum;
            sum.x = i == j && j < STREAMS - 1 ? 1 : 0;
            sum.y = 0;
            for (uint r = 0; r < RECEIVE; r++) /* conj(w_i) w_j */
                sum = plus_product(sum, w[r * STREAMS + at_j], w[r * STREAMS + at_i]);
            for (uint k = 0; k < j; k++)
                sum = minus_product(sum, m[i * STREAMS + k], m[j * STREAMS + k]);
            if (i == j) {
                pivot = sum.x;
                inverse[j] = j < STREAMS - 1 ? 1 / sqrt(sum.x) : 0;
            } else {
                sum.x *= inverse[j];
                sum.y *= inverse[j];
            }
            m[i * STREAMS + j] = sum;
        }
    }
    return pivot > 0 ? pivot : pivot != pivot ? pivot : 0;
}

#endif

KERNEL REQD_GROUP(GROUP, 1, 1)
sinr(SPAN(const complex_t, serving), SPAN(const complex_t, interfering), SPAN(real, ratios), SPAN(uint, bad),
     const ulong outer, const ulong inner, const ulong h_outer, const ulong h_inner, const ulong h_receive,
     const ulong h_stream, const ulong g_outer, const ulong g_inner, const ulong g_receive, const ulong g_stream,
     const uint interferers, const uint count_bad, SPAN(const real, noise))
{
    const ulong problem = (ulong)GROUP_ID(0) * GROUP + LOCAL_ID(0);
    complex_t r[RECEIVE * RECEIVE], h[RECEIVE * STREAMS];
    if (problem >= outer * inner)
        return;
    const ulong o = problem / inner, i = problem - o * inner;
    GLOBAL const complex_t *from = SPAN_AT(const complex_t, serving) + o * h_outer + i * h_inner;
    GLOBAL real *to = SPAN_AT(real, ratios) + problem * STREAMS;
    real all = 0;
    for (uint a = 0; a < RECEIVE; a++)
        for (uint k = 0; k < STREAMS; k++) {
            const complex_t value = from[a * h_receive + k * h_stream];
            h[a * STREAMS + k] = value;
            all += power(value);
        }
    covariance(r, SPAN_AT(const complex_t, interfering) + o * g_outer + i * g_inner, g_receive, g_stream, interferers,
               SPAN_AT(const real, noise)[0]);
    for (uint a = 0; a < RECEIVE; a++)
        all += r[a * RECEIVE + a].x;
    uint right = all - all == 0;
#if !MRC
    right = right && factor(r);
    if (right)
        whiten(r, h);
#endif
    for (uint k = 0; right && k < STREAMS; k++) {
#if MRC
        const real ratio = combined(r, h, k);
#else
        const real ratio = last_pivot(h, k);
#endif
        right = ratio - ratio == 0; /* h against the noise passes the range where h does not */
        to[k] = ratio;
    }
    if (!right)
        for (uint k = 0; k < STREAMS; k++)
            to[k] = (all - all) / (all - all); /* 0 / 0 */
    if (!right && count_bad)
        ATOMIC_ADD(SPAN_AT(uint, bad), 1u);
}
