/* Correlation between antennas: the exponential model, Cholesky's factor, one line correlated as
 * the kernel does it. */
#include "engine/montecarlo_internal.h"
#include "engine/montecarlo_random.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

clradio_status clradio_exponential_correlation(uint32_t n, double rho, double *matrix)
{
    if (!matrix)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "matrix is NULL");
    if (!(rho > -1.0 && rho < 1.0))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "rho is %g, it must lie between -1 and 1", rho);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            matrix[2 * ((size_t)i * n + j)] = pow(rho, i > j ? i - j : j - i);
            matrix[2 * ((size_t)i * n + j) + 1] = 0.0;
        }
    return CLRADIO_OK;
}

static double complex at(const double *matrix, uint32_t n, uint32_t i, uint32_t j)
{
    const double *value = matrix + 2 * ((size_t)i * n + j);
    return value[0] + value[1] * I;
}

static clradio_status check_matrix(const double *matrix, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double complex upper = at(matrix, n, j, i), lower = at(matrix, n, i, j);
            if (!(cabs(lower - conj(upper)) <= 1e-9))
                return clr_fail(CLRADIO_ERROR_ARGUMENT,
                                "%s is not Hermitian: elements [%u][%u] and [%u][%u]", name, i, j,
                                j, i);
            if (i == j && !(cabs(lower - 1.0) <= 1e-6))
                return clr_fail(CLRADIO_ERROR_ARGUMENT,
                                "%s has %g on its diagonal at %u, it must have 1: SNR means that",
                                name, creal(lower), i);
        }
    return CLRADIO_OK;
}

clradio_status clr_montecarlo_factor(const double *matrix, uint32_t n, const char *name,
                                     float **factor)
{
    clradio_status status = check_matrix(matrix, n, name);
    if (status)
        return status;
    double complex *f = calloc((size_t)n * n, sizeof *f);
    *factor = calloc((size_t)n * n, 2 * sizeof **factor);
    if (!f || !*factor) {
        free(f);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a correlation of %u antennas", n);
    }
    for (uint32_t i = 0; i < n && !status; i++)
        for (uint32_t j = 0; j <= i && !status; j++) {
            double complex sum = at(matrix, n, i, j);
            for (uint32_t k = 0; k < j; k++)
                sum -= f[i * n + k] * conj(f[j * n + k]);
            if (i == j && !(creal(sum) > 1e-12))
                status = clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is not positive definite", name);
            else
                f[i * n + j] = i == j ? sqrt(creal(sum)) : sum / f[j * n + j];
            if (!status) {
                (*factor)[2 * (i * n + j)] = (float)creal(f[i * n + j]);
                (*factor)[2 * (i * n + j) + 1] = (float)cimag(f[i * n + j]);
            }
        }
    free(f);
    return status;
}

void clr_montecarlo_correlate_line(const float *factor, uint32_t n, float *x, uint32_t stride)
{
    for (uint32_t i = n; i-- > 0;) {
        random_complex sum = { 0.0f, 0.0f };
        for (uint32_t k = 0; k <= i; k++) {
            const float *f = factor + 2 * ((size_t)i * n + k), *h = x + 2 * (size_t)k * stride;
            sum = random_add(sum, random_multiply((random_complex){ f[0], f[1] },
                                                  (random_complex){ h[0], h[1] }));
        }
        x[2 * (size_t)i * stride] = sum.re;
        x[2 * (size_t)i * stride + 1] = sum.im;
    }
}
