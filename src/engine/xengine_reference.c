/* The X-engine in plain C: int64 for integers, double for floats, one visibility at a time. */
#include "engine/xengine_reference.h"

#include "engine/xengine_layout.h"

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

/* An IEEE half by its definition. */
static double half_value(unsigned bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 0    ? ldexp(fraction, -24)
                        : exponent == 31 ? (fraction ? (double)NAN : HUGE_VAL)
                                         : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

static void read_real(const clradio_xengine_config *config, const void *spectra, uint64_t n,
                      double x[2])
{
    for (uint64_t part = 0; part < 2; part++)
        x[part] = config->input == CLRADIO_CF16
                      ? half_value(((const uint16_t *)spectra)[2 * n + part])
                      : ((const float *)spectra)[2 * n + part];
}

static void sum_whole(const clradio_xengine_config *config, const clr_xengine_layout *layout,
                      const void *spectra, uint64_t count, uint32_t channel, uint32_t input_a,
                      uint32_t input_b, clr_xengine_product *product)
{
    int64_t a[2], b[2];
    for (uint64_t t = 0; t < count; t++) {
        read_whole(config, spectra, clr_xengine_sample_at(layout, t, channel, input_a), a);
        read_whole(config, spectra, clr_xengine_sample_at(layout, t, channel, input_b), b);
        product->whole[0] += a[0] * b[0] + a[1] * b[1];
        product->whole[1] += a[1] * b[0] - a[0] * b[1];
    }
    product->value[0] = (double)product->whole[0];
    product->value[1] = (double)product->whole[1];
}

static void sum_float(const clradio_xengine_config *config, const clr_xengine_layout *layout,
                      const void *spectra, uint64_t count, uint32_t channel, uint32_t input_a,
                      uint32_t input_b, clr_xengine_product *product)
{
    double power_a = 0, power_b = 0, a[2], b[2];
    for (uint64_t t = 0; t < count; t++) {
        read_real(config, spectra, clr_xengine_sample_at(layout, t, channel, input_a), a);
        read_real(config, spectra, clr_xengine_sample_at(layout, t, channel, input_b), b);
        product->value[0] += a[0] * b[0] + a[1] * b[1];
        product->value[1] += a[1] * b[0] - a[0] * b[1];
        power_a += a[0] * a[0] + a[1] * a[1];
        power_b += b[0] * b[0] + b[1] * b[1];
    }
    product->power = sqrt(power_a) * sqrt(power_b);
}

void clr_xengine_reference(const clradio_xengine_config *config, const void *spectra,
                           uint64_t count, uint32_t channel, uint32_t a, uint32_t b,
                           clr_xengine_product *product)
{
    const clr_xengine_layout layout = clr_xengine_layout_of_config(config, count);
    memset(product, 0, sizeof *product);
    if (config->input == CLRADIO_CF32 || config->input == CLRADIO_CF16)
        sum_float(config, &layout, spectra, count, channel, a, b, product);
    else
        sum_whole(config, &layout, spectra, count, channel, a, b, product);
}
