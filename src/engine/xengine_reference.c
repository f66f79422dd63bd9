/* The X-engine in plain C: int64 for integers, double for floats, one visibility at a time. */
#include "engine/xengine_reference.h"

#include <math.h>
#include <string.h>

/* One half of a ci4 byte. */
static int64_t nibble(unsigned byte, int high, unsigned coding)
{
    const int64_t code = high ? byte >> 4 : byte & 15;
    if (coding & CLRADIO_CI4_OFFSET_BINARY)
        return code - 8;
    return code < 8 ? code : code - 16;
}

static void read_whole(const clradio_xengine_config *config, const void *spectra, uint64_t n,
                       int64_t x[2])
{
    int high = config->ci4_coding & CLRADIO_CI4_REAL_HIGH ? 1 : 0;
    switch (config->input) {
    case CLRADIO_CI16:
        x[0] = ((const int16_t *)spectra)[2 * n];
        x[1] = ((const int16_t *)spectra)[2 * n + 1];
        break;
    case CLRADIO_CI8:
        x[0] = ((const int8_t *)spectra)[2 * n];
        x[1] = ((const int8_t *)spectra)[2 * n + 1];
        break;
    default:
        x[0] = nibble(((const uint8_t *)spectra)[n], high, config->ci4_coding);
        x[1] = nibble(((const uint8_t *)spectra)[n], !high, config->ci4_coding);
    }
}

static void sum_whole(const clradio_xengine_config *config, const void *spectra, uint64_t count,
                      uint64_t at_a, uint64_t at_b, uint64_t stride, clr_xengine_product *product)
{
    int64_t a[2], b[2];
    for (uint64_t t = 0; t < count; t++) {
        read_whole(config, spectra, at_a + t * stride, a);
        read_whole(config, spectra, at_b + t * stride, b);
        product->whole[0] += a[0] * b[0] + a[1] * b[1];
        product->whole[1] += a[1] * b[0] - a[0] * b[1];
    }
    product->value[0] = (double)product->whole[0];
    product->value[1] = (double)product->whole[1];
}

static void sum_float(const float *spectra, uint64_t count, uint64_t at_a, uint64_t at_b,
                      uint64_t stride, clr_xengine_product *product)
{
    double power_a = 0, power_b = 0;
    for (uint64_t t = 0; t < count; t++) {
        const float *a = spectra + 2 * (at_a + t * stride), *b = spectra + 2 * (at_b + t * stride);
        const double a_re = a[0], a_im = a[1], b_re = b[0], b_im = b[1];
        product->value[0] += a_re * b_re + a_im * b_im;
        product->value[1] += a_im * b_re - a_re * b_im;
        power_a += a_re * a_re + a_im * a_im;
        power_b += b_re * b_re + b_im * b_im;
    }
    product->power = sqrt(power_a) * sqrt(power_b);
}

void clr_xengine_reference(const clradio_xengine_config *config, const void *spectra,
                           uint64_t count, uint32_t channel, uint32_t a, uint32_t b,
                           clr_xengine_product *product)
{
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const uint64_t first = channel * inputs, stride = config->channels * inputs;
    memset(product, 0, sizeof *product);
    if (config->input == CLRADIO_CF32)
        sum_float(spectra, count, first + a, first + b, stride, product);
    else
        sum_whole(config, spectra, count, first + a, first + b, stride, product);
}
