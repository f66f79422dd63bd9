/* The F-engine in double precision: filter, transform, order. Host only; no device, no FFT library.
 */
#include "engine/fengine_reference.h"

#include "base/checked.h"
#include "engine/fengine.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double _Complex complex_double;

static size_t smallest_factor(size_t n)
{
    for (size_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

/*
 * Decimation in time by the smallest prime factor p of n: p transforms of length m = n/p, then for
 * each k the p outputs k, k + m, ... from the p values at k. roots[j] = exp(-2 pi i j / total).
 */
static void transform(const complex_double *in, size_t stride, complex_double *out, size_t n,
                      const complex_double *roots, size_t total, complex_double *scratch)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    size_t p = smallest_factor(n), m = n / p, step = total / n;
    for (size_t r = 0; r < p; r++)
        transform(in + r * stride, stride * p, out + r * m, m, roots, total, scratch);
    for (size_t k = 0; k < m; k++) {
        for (size_t r = 0; r < p; r++)
            scratch[r] = out[r * m + k] * roots[r * k * step];
        for (size_t q = 0; q < p; q++) {
            complex_double sum = 0.0;
            for (size_t r = 0; r < p; r++)
                sum += scratch[r] * roots[r * q % p * m * step];
            out[q * m + k] = sum;
        }
    }
}

clradio_status clr_reference_transform(double *data, uint64_t length)
{
    size_t n = (size_t)length;
    if (length > SIZE_MAX / sizeof(complex_double) / 3)
        return clr_fail(CLRADIO_ERROR_MEMORY, "a transform of %llu points does not fit memory",
                        (unsigned long long)length);
    complex_double *work = malloc(3 * n * sizeof *work);
    if (!work)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a reference transform of %llu points",
                        (unsigned long long)length);
    complex_double *in = work, *roots = work + n, *scratch = work + 2 * n;
    for (size_t j = 0; j < n; j++) {
        double angle = -2.0 * 3.14159265358979323846 * (double)j / (double)n;
        roots[j] = cos(angle) + I * sin(angle);
    }
    memcpy(in, data, n * sizeof *in);
    transform(in, 1, (complex_double *)data, n, roots, n, scratch);
    free(work);
    return CLRADIO_OK;
}

/* A voltage as a complex number. */
static complex_double voltage_at(clradio_type type, const void *voltages, uint64_t i)
{
    switch (type) {
    case CLRADIO_I8: return ((const int8_t *)voltages)[i];
    case CLRADIO_I16: return ((const int16_t *)voltages)[i];
    case CLRADIO_F32: return ((const float *)voltages)[i];
    case CLRADIO_CI8:
        return ((const int8_t *)voltages)[2 * i] + I * ((const int8_t *)voltages)[2 * i + 1];
    case CLRADIO_CI16:
        return ((const int16_t *)voltages)[2 * i] + I * ((const int16_t *)voltages)[2 * i + 1];
    default: return ((const float *)voltages)[2 * i] + I * ((const float *)voltages)[2 * i + 1];
    }
}

/* One spectrum of one signal: filter into line, transform, write its channels in rising order. */
static clradio_status one_spectrum(const clradio_fengine_config *config,
                                   const clr_fengine_sizes *sizes, const double *prototype,
                                   const void *voltages, uint64_t spectrum, uint64_t signal,
                                   int valid, complex_double *line, double *spectra)
{
    uint64_t length = sizes->length, channels = config->channels, inputs = sizes->inputs;
    for (uint64_t n = 0; n < length; n++) {
        line[n] = 0.0;
        for (uint64_t tap = 0; tap < config->taps; tap++) {
            uint64_t sample = (spectrum + tap) * length + n;
            line[n] += prototype[tap * length + n] *
                       voltage_at(config->input, voltages, sample * sizes->signals + signal);
        }
    }
    clradio_status status = clr_reference_transform((double *)line, length);
    uint64_t band = signal / inputs, input = signal % inputs;
    for (uint64_t c = 0; !status && c < channels; c++) {
        uint64_t ordered = config->reversed ? channels - 1 - c : c;
        uint64_t bin = sizes->real ? ordered : (ordered + channels - channels / 2) % channels;
        complex_double value = config->reversed ? conj(line[bin]) : line[bin];
        uint64_t at = ((spectrum * config->bands + band) * channels + c) * inputs + input;
        spectra[2 * at] = valid ? creal(value) : 0.0;
        spectra[2 * at + 1] = valid ? cimag(value) : 0.0;
    }
    return status;
}

clradio_status clr_fengine_reference(const clradio_fengine_config *config, const void *voltages,
                                     uint64_t blocks, const uint8_t *valid, double *spectra)
{
    clr_fengine_sizes sizes;
    clradio_status status = clr_fengine_sizes_of(config, &sizes);
    if (status || blocks < config->taps)
        return status;
    double *prototype = malloc((size_t)config->taps * sizes.length * sizeof *prototype);
    complex_double *line = malloc((size_t)sizes.length * sizeof *line);
    if (!prototype || !line)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the F-engine's reference");
    else
        status = clradio_fengine_prototype(config, prototype);
    for (uint64_t t = 0; !status && t <= blocks - config->taps; t++)
        for (uint64_t s = 0; !status && s < sizes.signals; s++) {
            int good = !valid || valid[t * sizes.inputs + s % sizes.inputs];
            status = one_spectrum(config, &sizes, prototype, voltages, t, s, good, line, spectra);
        }
    free(prototype);
    free(line);
    return status;
}
