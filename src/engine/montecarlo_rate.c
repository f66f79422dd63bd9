/* SNR on its three axes, and confidence limits of an error rate. Knows no device. */
#include "base/error.h"

#include <clradio/montecarlo.h>
#include <math.h>

const char *clradio_montecarlo_end_name(clradio_montecarlo_end end)
{
    switch (end) {
    case CLRADIO_MONTECARLO_ERRORS: return "errors";
    case CLRADIO_MONTECARLO_VECTORS: return "vectors";
    case CLRADIO_MONTECARLO_SECONDS: return "seconds";
    case CLRADIO_MONTECARLO_STOPPED: return "stopped";
    default: return "running";
    }
}

clradio_status clradio_snr_from(clradio_snr_axis axis, double value_db, uint32_t transmit,
                                uint32_t bits, clradio_snr *snr)
{
    if (!snr)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "snr is NULL");
    if (axis != CLRADIO_SNR_RX && axis != CLRADIO_SNR_ES && axis != CLRADIO_SNR_EB)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%d is not an axis of SNR", (int)axis);
    if (!(fabs(value_db) <= 300.0))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "an SNR of %g dB: it must be -300 to 300",
                        value_db);
    if (!transmit || !bits)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%u streams with %u bits", transmit, bits);
    const double streams_db = 10.0 * log10(transmit);
    const double bits_db = 10.0 * log10((double)bits / transmit);
    const double es_n0_db = axis == CLRADIO_SNR_RX   ? value_db - streams_db
                            : axis == CLRADIO_SNR_EB ? value_db + bits_db
                                                     : value_db;
    *snr = (clradio_snr){ es_n0_db + streams_db, es_n0_db, es_n0_db - bits_db,
                          pow(10.0, -es_n0_db / 10.0) };
    if (axis == CLRADIO_SNR_RX)
        snr->rx_db = value_db;
    if (axis == CLRADIO_SNR_EB)
        snr->eb_n0_db = value_db;
    return CLRADIO_OK;
}

/* The regularised lower incomplete gamma function P(a, x): its series below a + 1, Lentz's
 * continued fraction above (Abramowitz and Stegun, 6.5.29 and 6.5.31). */
static double gamma_below(double a, double x)
{
    if (x <= 0.0)
        return 0.0;
    const double factor = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1.0) {
        double term = 1.0 / a, sum = term;
        for (int n = 1; term > sum * 1e-16; n++) {
            term *= x / (a + n);
            sum += term;
        }
        return factor * sum;
    }
    double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;
    for (int i = 1; i < 10000000; i++) {
        const double an = -(double)i * (i - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return 1.0 - factor * h;
}

/* x with P(a, x) = probability, by bisection. */
static double gamma_quantile(double a, double probability)
{
    double low = 0.0, high = a + 40.0 * sqrt(a) + 100.0;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (gamma_below(a, middle) < probability)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

clradio_status clradio_montecarlo_rate(const clradio_montecarlo_counts *counts, double confidence,
                                       double *rate, double *low, double *high)
{
    if (!counts || !rate || !low || !high)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "counts or a result is NULL");
    if (!(confidence > 0.0 && confidence < 1.0))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "a confidence of %g: it must lie between 0 and 1",
                        confidence);
    *rate = *low = 0.0;
    *high = 1.0;
    if (!counts->vectors || !counts->bits)
        return CLRADIO_OK;
    const double errors = (double)counts->bit_errors, bits = (double)counts->bits;
    const double variance = (double)counts->squares - errors * errors / (double)counts->vectors;
    const double tail = (1.0 - confidence) / 2.0;
    *rate = errors / bits;
    if (errors == 0.0) {
        *high = fmin(1.0, gamma_quantile(1.0, 1.0 - tail) / bits);
        return CLRADIO_OK;
    }
    /* Fewer than two vectors, or all alike: nothing is known of the variance, Poisson's is taken.
     */
    const double events =
        variance > 0.0 ? errors * errors / variance : errors * errors / (double)counts->squares;
    *low = *rate * gamma_quantile(events, tail) / events;
    *high = fmin(1.0, *rate * gamma_quantile(events + 1.0, 1.0 - tail) / events);
    return CLRADIO_OK;
}
