/* The F-engine's prototype filter, and where its channels lie. Host arithmetic in double, no
 * device. */
#include "engine/fengine.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* The modified Bessel function of the first kind, order 0: sum of ((x/2)^k / k!)^2. Every term is
 * positive, so nothing cancels. */
static double bessel_i0(double x)
{
    double sum = 1.0, term = 1.0;
    for (int k = 1; k < 10000 && term > sum * 1e-18; k++) {
        double factor = x / (2.0 * k);
        term *= factor * factor;
        sum += term;
    }
    return sum;
}

/* u runs from 0 to 1 over the filter, 1/2 in its middle. */
static double window_at(clradio_window window, double beta, double u)
{
    switch (window) {
    case CLRADIO_WINDOW_HANN: return 0.5 - 0.5 * cos(2.0 * pi * u);
    case CLRADIO_WINDOW_HAMMING: return 0.54 - 0.46 * cos(2.0 * pi * u);
    case CLRADIO_WINDOW_BLACKMAN: return 0.42 - 0.5 * cos(2.0 * pi * u) + 0.08 * cos(4.0 * pi * u);
    case CLRADIO_WINDOW_KAISER: {
        double v = 2.0 * u - 1.0;
        return bessel_i0(beta * sqrt(1.0 - v * v)) / bessel_i0(beta);
    }
    default: return 1.0;
    }
}

static double sinc(double x)
{
    return x == 0.0 ? 1.0 : sin(pi * x) / (pi * x);
}

clradio_status clradio_fengine_prototype(const clradio_fengine_config *config, double *coefficients)
{
    clr_fengine_sizes sizes;
    clradio_status status = clr_fengine_sizes_of(config, &sizes);
    if (status)
        return status;
    if (!coefficients)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "coefficients is NULL");
    uint64_t points = (uint64_t)config->taps * sizes.length;
    int plain = config->taps == 1 && config->window == CLRADIO_WINDOW_RECTANGULAR;
    double beta = config->kaiser_beta != 0.0 ? config->kaiser_beta : 8.6;
    double power = 0.0;
    for (uint64_t i = 0; i < points; i++) {
        /* Sampled at the middles of its points: symmetric, and no window is zero everywhere even
         * when there is only one point. */
        double u = ((double)i + 0.5) / (double)points;
        double x = (u - 0.5) * (double)config->taps;
        coefficients[i] = plain ? 1.0 : sinc(x) * window_at(config->window, beta, u);
        power += coefficients[i] * coefficients[i];
    }
    double scale = 1.0 / sqrt(power);
    for (uint64_t i = 0; i < points; i++)
        coefficients[i] *= scale;
    return CLRADIO_OK;
}

double clradio_fengine_channel_offset(const clradio_fengine_config *config, uint32_t channel)
{
    clr_fengine_sizes sizes;
    if (clr_fengine_sizes_of(config, &sizes) || channel >= config->channels)
        return NAN;
    uint32_t in_order = config->reversed ? config->channels - 1 - channel : channel;
    double bin = sizes.real ? (double)in_order : (double)in_order - (double)(config->channels / 2);
    double offset = bin / (double)sizes.length;
    return config->reversed ? -offset : offset;
}
