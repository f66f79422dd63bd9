/*
 * From our order of visibilities to the rows of a UVH5 file: which element a label is, what fits a
 * type, means, flags and sample fractions. Needs no HDF5.
 */
#include "io/uvh5_internal.h"

#include <math.h>

/* AIPS memo 117: XX, YY, XY, YX. */
const int64_t clr_uvh5_label_number[4] = { -5, -6, -7, -8 };

/* A label is (pol of ant_1 = j, pol of ant_2 = i); an element is [pol_i][pol_j]. */
unsigned clr_uvh5_label_element(unsigned polarisations, unsigned label)
{
    static const unsigned pol_j[4] = { 0, 1, 0, 1 }, pol_i[4] = { 0, 1, 1, 0 };
    return pol_i[label] * polarisations + pol_j[label];
}

clradio_type clr_uvh5_choose_type(int integer_sums, double bound)
{
    if (!integer_sums)
        return CLRADIO_CF32;
    return bound <= (double)INT32_MAX ? CLRADIO_CI32 : CLRADIO_CF64;
}

static int is_integer(clradio_type type)
{
    return type == CLRADIO_CI32 || type == CLRADIO_CI64;
}

static int64_t integer_at(const void *from, clradio_type type, size_t at)
{
    return type == CLRADIO_CI32 ? ((const int32_t *)from)[at] : ((const int64_t *)from)[at];
}

static double number_at(const void *from, clradio_type type, size_t at)
{
    switch (type) {
    case CLRADIO_CF32: return (double)((const float *)from)[at];
    case CLRADIO_CF64: return ((const double *)from)[at];
    default: return (double)integer_at(from, type, at);
    }
}

static clradio_status fail_range(const clr_uvh5_rows *rows, size_t at, double value)
{
    size_t element = at / 2, elements = clr_uvh5_labels(rows);
    size_t channel = element / elements / clr_uvh5_baselines(rows);
    size_t baseline = element / elements % clr_uvh5_baselines(rows);
    size_t i = 0;
    while ((i + 1) * (i + 2) / 2 <= baseline)
        i++;
    return clr_fail(CLRADIO_ERROR_OVERFLOW,
                    "a visibility of stations %zu and %zu in channel %zu is %.0f, which does not "
                    "fit the file's %s: use a wider output type, shorter integrations or means",
                    i, baseline - i * (i + 1) / 2, channel, value,
                    rows->type == CLRADIO_CI32 ? "32-bit integers" : "exact range of 2^53");
}

clradio_status clr_uvh5_check_range(const clr_uvh5_rows *rows,
                                    const clr_uvh5_integration *integration)
{
    size_t n = (size_t)rows->channels * clr_uvh5_baselines(rows) * clr_uvh5_labels(rows) * 2;
    const void *from = integration->visibilities;
    if (rows->type == CLRADIO_CI32 && is_integer(integration->type)) {
        for (size_t at = 0; at < n && integration->type == CLRADIO_CI64; at++) {
            int64_t value = integer_at(from, CLRADIO_CI64, at);
            if (value < INT32_MIN || value > INT32_MAX)
                return fail_range(rows, at, (double)value);
        }
    } else if (rows->type == CLRADIO_CI32) {
        for (size_t at = 0; at < n; at++) {
            double value = number_at(from, integration->type, at);
            if (!(rint(value) >= INT32_MIN && rint(value) <= INT32_MAX))
                return fail_range(rows, at, value);
        }
    } else if (rows->type == CLRADIO_CF64 && integration->type == CLRADIO_CI64 &&
               !rows->normalise) {
        const int64_t most = (int64_t)1 << 53;
        for (size_t at = 0; at < n; at++) {
            int64_t value = integer_at(from, CLRADIO_CI64, at);
            if (value < -most || value > most)
                return fail_range(rows, at, (double)value);
        }
    }
    return CLRADIO_OK;
}

/* One component; divisor 1 keeps the sum, 0 means that nothing was there. */
static void convert_value(const void *from, clradio_type from_type, size_t at, double divisor,
                          void *to, clradio_type to_type, size_t to_at)
{
    if (to_type == CLRADIO_CI32) {
        ((int32_t *)to)[to_at] = is_integer(from_type)
                                     ? (int32_t)integer_at(from, from_type, at)
                                     : (int32_t)rint(number_at(from, from_type, at));
        return;
    }
    double value = number_at(from, from_type, at);
    if (divisor != 1)
        value = divisor > 0 ? value / divisor : 0;
    if (to_type == CLRADIO_CF32)
        ((float *)to)[to_at] = (float)value;
    else
        ((double *)to)[to_at] = value;
}

void clr_uvh5_convert(const clr_uvh5_rows *rows, const clr_uvh5_integration *integration,
                      size_t first, size_t count, void *to)
{
    size_t baselines = clr_uvh5_baselines(rows), labels = clr_uvh5_labels(rows);
    size_t element[4];
    for (unsigned label = 0; label < labels; label++)
        element[label] = clr_uvh5_label_element(rows->polarisations, label);
    for (size_t channel = 0; channel < rows->channels; channel++)
        for (size_t b = 0; b < count; b++)
            for (size_t label = 0; label < labels; label++) {
                size_t product = (first + b) * labels + element[label];
                size_t at = channel * baselines * labels + product;
                size_t to_at = (b * rows->channels + channel) * labels + label;
                double divisor = 1;
                if (rows->normalise)
                    divisor = (double)(integration->present ? integration->present[product]
                                                            : integration->spectra);
                convert_value(integration->visibilities, integration->type, 2 * at, divisor, to,
                              rows->type, 2 * to_at);
                convert_value(integration->visibilities, integration->type, 2 * at + 1, divisor, to,
                              rows->type, 2 * to_at + 1);
            }
}

void clr_uvh5_convert_present(const clr_uvh5_rows *rows, const clr_uvh5_integration *integration,
                              size_t first, size_t count, int8_t *flags, float *nsamples)
{
    size_t labels = clr_uvh5_labels(rows);
    for (size_t b = 0; b < count; b++)
        for (size_t label = 0; label < labels; label++) {
            uint64_t present = integration->spectra;
            if (integration->present)
                present =
                    integration
                        ->present[(first + b) * labels +
                                  clr_uvh5_label_element(rows->polarisations, (unsigned)label)];
            float fraction = (float)((double)present / (double)integration->spectra);
            for (size_t channel = 0; channel < rows->channels; channel++) {
                size_t at = (b * rows->channels + channel) * labels + label;
                flags[at] = present == 0;
                nsamples[at] = fraction;
            }
        }
}
