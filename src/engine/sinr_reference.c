/* Signal to interference and noise in plain C, double, by the formulas of the header: matrices are
 * inverted by Gauss-Jordan elimination with pivots. */
#include "engine/sinr_internal.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { MOST = CLR_SINR_MOST };

typedef double complex matrix[MOST][MOST];

/* a becomes its inverse; what is singular gives infinities. */
static void invert(matrix a, uint32_t n)
{
    matrix b = { { 0 } };
    for (uint32_t i = 0; i < n; i++)
        b[i][i] = 1;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t best = j;
        for (uint32_t i = j + 1; i < n; i++)
            best = cabs(a[i][j]) > cabs(a[best][j]) ? i : best;
        for (uint32_t k = 0; k < n; k++) {
            const double complex x = a[j][k], y = b[j][k];
            a[j][k] = a[best][k];
            b[j][k] = b[best][k];
            a[best][k] = x;
            b[best][k] = y;
        }
        const double complex pivot = a[j][j];
        for (uint32_t k = 0; k < n; k++) {
            a[j][k] /= pivot;
            b[j][k] /= pivot;
        }
        for (uint32_t i = 0; i < n; i++) {
            const double complex factor = a[i][j];
            for (uint32_t k = 0; i != j && k < n; k++) {
                a[i][k] -= factor * a[j][k];
                b[i][k] -= factor * b[j][k];
            }
        }
    }
    memcpy(a, b, sizeof b);
}

static double complex at(const clradio_sinr_config *config, const void *array, uint64_t n)
{
    if (config->type == CLRADIO_CF64)
        return CMPLX(((const double *)array)[2 * n], ((const double *)array)[2 * n + 1]);
    return CMPLX((double)((const float *)array)[2 * n], (double)((const float *)array)[2 * n + 1]);
}

/* h_a^H m h_b */
static double complex form(matrix h, matrix m, uint32_t n, uint32_t a, uint32_t b)
{
    double complex sum = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            sum += conj(h[i][a]) * m[i][j] * h[j][b];
    return sum;
}

static void mmse(const clradio_sinr_config *config, matrix h, matrix r, double *sinr)
{
    const uint32_t n = config->receive, streams = config->streams;
    matrix a = { { 0 } };
    invert(r, n);
    for (uint32_t i = 0; i < streams; i++)
        for (uint32_t j = 0; j < streams; j++)
            a[i][j] = form(h, r, n, i, j) + (i == j ? 1 : 0);
    invert(a, streams);
    for (uint32_t k = 0; k < streams; k++)
        sinr[k] = 1 / creal(a[k][k]) - 1;
}

static void mrc(const clradio_sinr_config *config, matrix h, matrix r, double *sinr)
{
    const uint32_t n = config->receive;
    matrix one = { { 0 } };
    for (uint32_t i = 0; i < n; i++)
        one[i][i] = 1;
    for (uint32_t k = 0; k < config->streams; k++) {
        const double wanted = creal(form(h, one, n, k, k));
        double rest = creal(form(h, r, n, k, k));
        for (uint32_t l = 0; l < config->streams; l++)
            if (l != k)
                rest += pow(cabs(form(h, one, n, k, l)), 2);
        sinr[k] = wanted > 0 ? wanted * wanted / rest : 0;
    }
}

clradio_status clradio_sinr_reference(const clradio_sinr_config *config, uint64_t outer,
                                      uint64_t inner, const void *serving, const void *interfering,
                                      double *sinr)
{
    clradio_sinr_config checked;
    clradio_status status = clr_sinr_check(config, inner, &checked);
    if (status)
        return status;
    if (!serving || !sinr || (config->interferers && !interfering))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "serving, interfering or sinr is NULL");
    const clradio_sinr_strides *hs = &checked.serving, *gs = &checked.interfering;
    const uint32_t n = config->receive;
    for (uint64_t problem = 0; problem < outer * inner; problem++) {
        const uint64_t o = problem / inner, i = problem % inner;
        matrix h = { { 0 } }, r = { { 0 } };
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t k = 0; k < config->streams; k++)
                h[a][k] = at(config, serving,
                             o * hs->outer + i * hs->inner + a * hs->receive + k * hs->stream);
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                const uint64_t from = o * gs->outer + i * gs->inner;
                r[a][b] = a == b ? config->noise : 0;
                for (uint64_t s = 0; s < config->interferers; s++)
                    r[a][b] +=
                        at(config, interfering, from + a * gs->receive + s * gs->stream) *
                        conj(at(config, interfering, from + b * gs->receive + s * gs->stream));
            }
        if (config->method == CLRADIO_SINR_MRC)
            mrc(config, h, r, sinr + problem * config->streams);
        else
            mmse(config, h, r, sinr + problem * config->streams);
    }
    return CLRADIO_OK;
}
