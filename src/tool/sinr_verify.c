/*
 * clradio sinr --verify: the ratios of a piece against the double reference, each with a bound of
 * its own. R is summed, factored and solved with, which loses c = 4 (antennas + streams + the root
 * of the interferers) units of the last place times R's condition: so much of each W_i^H W_j, W =
 * L^-1 H, R = L L^H. A ratio is a pivot of A = I + W^H W less 1, v^H A v - 1 with v what
 * eliminates the other streams, so it is off by that times (sum of |v_i| |W_i|)^2; the reference
 * inverts A, which costs 8 streams units of double's last place of |A| |v|^2. With MRC the loss is
 * relative to the ratio.
 */
#include "tool/sinr.h"

#include "base/error.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 16 };

typedef double complex matrix[MOST][MOST];

static double complex value_at(const clradio_sinr_config *config, const void *array, uint64_t n)
{
    const double *twice = array;
    const float *single = array;
    return config->type == CLRADIO_CF64 ? CMPLX(twice[2 * n], twice[2 * n + 1])
                                        : CMPLX((double)single[2 * n], (double)single[2 * n + 1]);
}

/* a = L L^H becomes L; 0 where it is no positive matrix. */
static int factor(uint32_t n, matrix a)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            for (uint32_t k = 0; k < j; k++)
                a[i][j] -= a[i][k] * conj(a[j][k]);
            a[i][j] = i == j ? sqrt(creal(a[i][j])) : a[i][j] / a[j][j];
            if (i == j && !(creal(a[i][i]) > 0 && isfinite(creal(a[i][i]))))
                return 0;
        }
    return 1;
}

/* x becomes L^-1 x; its |x|^2. */
static double solve(uint32_t n, matrix l, double complex *x)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
        sum += pow(cabs(x[i]), 2);
    }
    return sum;
}

/* x becomes (L^H)^-1 x. */
static void solve_back(uint32_t n, matrix l, double complex *x)
{
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++)
            x[i] -= conj(l[k][i]) * x[k];
        x[i] /= conj(l[i][i]);
    }
}

/* R's condition (of Frobenius, or above), and r its triangle; 0 where R is no positive matrix.
 * *largest: what no element of R passes. */
static double condition_of(const clradio_sinr_config *config, const void *g, matrix r,
                           double *largest)
{
    const uint32_t n = config->receive;
    const uint64_t interferers = config->interferers;
    double norm = 0, inverse = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            r[i][j] = i == j ? config->noise : 0;
            for (uint64_t k = 0; k < interferers; k++)
                r[i][j] += value_at(config, g, i * interferers + k) *
                           conj(value_at(config, g, j * interferers + k));
            norm += pow(cabs(r[i][j]), 2);
        }
    *largest = sqrt(norm);
    if (!factor(n, r))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        double complex unit[MOST] = { 0 };
        unit[i] = 1;
        inverse += solve(n, r, unit); /* the trace of R^-1, which is no less than its norm */
    }
    return sqrt(norm) * inverse;
}

/* Bounds of all streams' ratios of a problem; part: what is lost of a W_i^H W_j. *largest: what
 * the powers of H and W do not pass either. */
static int bounds_of(const clradio_sinr_config *config, const void *h, matrix r, double part,
                     double *bound, double *largest)
{
    const uint32_t n = config->receive, streams = config->streams;
    double complex w[MOST][MOST];
    double size[MOST], total = 1, power = 0;
    matrix a;
    for (uint32_t k = 0; k < streams; k++) {
        for (uint32_t i = 0; i < n; i++) {
            w[k][i] = value_at(config, h, i * (uint64_t)streams + k);
            power += pow(cabs(w[k][i]), 2);
        }
        size[k] = sqrt(solve(n, r, w[k]));
        total += size[k] * size[k];
    }
    *largest = fmax(*largest, config->method == CLRADIO_SINR_MRC ? power : fmax(power, total));
    for (uint32_t i = 0; i < streams; i++)
        for (uint32_t j = 0; j < streams; j++) {
            a[i][j] = i == j;
            for (uint32_t k = 0; k < n; k++)
                a[i][j] += conj(w[i][k]) * w[j][k];
        }
    if (!isfinite(total) || !factor(streams, a))
        return 0;
    for (uint32_t k = 0; k < streams; k++) {
        double complex v[MOST] = { 0 };
        double weighted = 0, square = 0;
        v[k] = 1;
        solve(streams, a, v);
        solve_back(streams, a, v);
        for (uint32_t i = 0; i < streams; i++) {
            weighted += cabs(v[i] / v[k]) * size[i];
            square += pow(cabs(v[i] / v[k]), 2);
        }
        bound[k] = part * weighted * weighted + 8 * streams * DBL_EPSILON * total * square;
    }
    return 1;
}

static void check(const clradio_sinr_config *config, const clr_sinr_piece *piece, uint64_t problem,
                  const void *sinr, const double *expected, clr_sinr_verdict *verdict)
{
    const uint64_t n = config->receive, element = clradio_type_bytes(config->type);
    const char *h = (const char *)piece->serving + problem * n * config->streams * element;
    const char *g = (const char *)piece->interfering + problem * n * config->interferers * element;
    const double unit = (config->type == CLRADIO_CF64 ? DBL_EPSILON : (double)FLT_EPSILON) / 2;
    double bound[MOST], largest = 0;
    matrix r;
    const double part = 4 * unit * ((double)n + config->streams + sqrt(config->interferers)) *
                        condition_of(config, g, r, &largest);
    if (!(part > 0) || !bounds_of(config, h, r, part, bound, &largest)) /* counted as bad */
        return;
    const int may_overflow = config->type == CLRADIO_CF32 && !(largest < (double)FLT_MAX / 16);
    for (uint32_t k = 0; k < config->streams; k++) {
        const uint64_t at = problem * config->streams + k;
        const double got = config->type == CLRADIO_CF64 ? ((const double *)sinr)[at]
                                                        : (double)((const float *)sinr)[at];
        if (may_overflow && isnan(got)) /* counted as bad, too */
            continue;
        const double error = fabs(got - expected[at]);
        const double most = config->method == CLRADIO_SINR_MRC ? part * expected[at] : bound[k];
        verdict->checked++;
        verdict->wrong += !(error <= most);
        verdict->worst = fmax(verdict->worst, error > 0 ? error / most : 0);
        if (got > 0 && expected[at] > 0)
            verdict->difference = fmax(verdict->difference, fabs(10 * log10(got / expected[at])));
    }
}

clradio_status clr_sinr_verify(const clradio_sinr_config *config, const clr_sinr_piece *piece,
                               const void *sinr, clr_sinr_verdict *verdict)
{
    double *expected = malloc((size_t)(piece->problems * config->streams) * sizeof *expected);
    clradio_status status =
        expected ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the reference");
    if (!status)
        status = clradio_sinr_reference(config, piece->problems, 1, piece->serving,
                                        piece->interfering, expected);
    for (uint64_t p = 0; !status && p < piece->problems; p++)
        check(config, piece, p, sinr, expected, verdict);
    free(expected);
    return status;
}
