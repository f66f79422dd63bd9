/* The X-engine in plain C: int64 for integers, double for floats, one visibility at a time. */
#include "engine/xengine_reference.h"

#include "engine/xengine_layout.h"
#include "engine/xengine_valid.h"

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

/* What is summed: all times of two inputs in which both are valid. */
typedef struct summed {
    const clradio_xengine_config *config;
    const void *spectra, *valid;
    uint64_t count;
    uint32_t channel, a, b;
    clr_xengine_layout layout;
    clr_xengine_valid_form form;
} summed;

static int is_there(const summed *of, uint64_t time)
{
    return !of->valid || (clr_xengine_is_valid(&of->form, of->valid, time, of->channel, of->a) &&
                          clr_xengine_is_valid(&of->form, of->valid, time, of->channel, of->b));
}

static void sum_whole(const summed *of, clr_xengine_product *product)
{
    int64_t a[2], b[2];
    for (uint64_t t = 0; t < of->count; t++) {
        if (!is_there(of, t))
            continue;
        read_whole(of->config, of->spectra,
                   clr_xengine_sample_at(&of->layout, t, of->channel, of->a), a);
        read_whole(of->config, of->spectra,
                   clr_xengine_sample_at(&of->layout, t, of->channel, of->b), b);
        product->whole[0] += a[0] * b[0] + a[1] * b[1];
        product->whole[1] += a[1] * b[0] - a[0] * b[1];
        product->count++;
    }
    product->value[0] = (double)product->whole[0];
    product->value[1] = (double)product->whole[1];
}

static void sum_float(const summed *of, clr_xengine_product *product)
{
    double power_a = 0, power_b = 0, a[2], b[2];
    for (uint64_t t = 0; t < of->count; t++) {
        if (!is_there(of, t))
            continue;
        read_real(of->config, of->spectra,
                  clr_xengine_sample_at(&of->layout, t, of->channel, of->a), a);
        read_real(of->config, of->spectra,
                  clr_xengine_sample_at(&of->layout, t, of->channel, of->b), b);
        product->value[0] += a[0] * b[0] + a[1] * b[1];
        product->value[1] += a[1] * b[0] - a[0] * b[1];
        power_a += a[0] * a[0] + a[1] * a[1];
        power_b += b[0] * b[0] + b[1] * b[1];
        product->count++;
    }
    product->power = sqrt(power_a) * sqrt(power_b);
}

void clr_xengine_reference_valid(const clradio_xengine_config *config, const void *spectra,
                                 const void *valid, uint64_t count, uint32_t channel, uint32_t a,
                                 uint32_t b, clr_xengine_product *product)
{
    summed of = { .config = config,
                  .spectra = spectra,
                  .valid = valid,
                  .count = count,
                  .channel = channel,
                  .a = a,
                  .b = b,
                  .layout = clr_xengine_layout_of_config(config, count) };
    if (valid)
        of.form = clr_xengine_valid_form_of(config);
    memset(product, 0, sizeof *product);
    if (config->input == CLRADIO_CF32 || config->input == CLRADIO_CF16)
        sum_float(&of, product);
    else
        sum_whole(&of, product);
}

void clr_xengine_reference(const clradio_xengine_config *config, const void *spectra,
                           uint64_t count, uint32_t channel, uint32_t a, uint32_t b,
                           clr_xengine_product *product)
{
    clr_xengine_reference_valid(config, spectra, NULL, count, channel, a, b, product);
}
