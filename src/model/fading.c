/* Error rates over Rayleigh fading that have a closed form. */
#include "model/fading.h"

#include <math.h>

/* The mean of erfc(sqrt(x g)) / 2, g a sum of n exponential numbers of mean 1. */
static double mean_tail(double x, unsigned n)
{
    const double mu = sqrt(x / (1.0 + x));
    const double p = 0.5 / ((1.0 + x) * (1.0 + mu)); /* (1 - mu) / 2 without cancellation */
    double sum = 0.0, term = 1.0;
    for (unsigned l = 0; l < n; l++) {
        sum += term;
        term *= (1.0 - p) * (n + l) / (l + 1.0);
    }
    return pow(p, n) * sum;
}

double clr_rayleigh_qam_ber(unsigned points, unsigned branches, double es_n0)
{
    unsigned bits = 0, levels = 1;
    while (levels * levels < points && bits < 5) {
        levels *= 2;
        bits++;
    }
    if (!bits || levels * levels != points || !branches || !(es_n0 >= 0.0))
        return -1.0;
    const double unit =
        1.5 * es_n0 / (points - 1.0); /* half the distance of levels, squared, / N0 */
    double sum = 0.0;
    for (unsigned k = 1; k <= bits; k++) {
        const double step = (double)(1u << (k - 1)) / levels;
        const unsigned terms = levels - (levels >> k);
        for (unsigned i = 0; i < terms; i++) {
            const double sign = (unsigned)floor(i * step) % 2 ? -1.0 : 1.0;
            const double weight = (double)(1u << (k - 1)) - floor(i * step + 0.5);
            const double odd = 2.0 * i + 1.0;
            sum += sign * weight * 2.0 * mean_tail(odd * odd * unit, branches);
        }
    }
    return sum / (levels * (double)bits);
}
