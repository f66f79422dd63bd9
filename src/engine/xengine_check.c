/*
 * Compares visibilities with the plain reference: where each value of an order lies (written from
 * the orders' definitions, apart from the kernels), what it must be, and how far off it may be.
 */
#include "engine/xengine_internal.h"
#include "engine/xengine_reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The row of the lower triangle that holds entry n, and its column. */
static void triangle_row(uint64_t n, uint64_t *row, uint64_t *column)
{
    uint64_t i = (uint64_t)sqrt(2.0 * (double)n);
    while (i * (i + 1) / 2 > n)
        i--;
    while ((i + 1) * (i + 2) / 2 <= n)
        i++;
    *row = i;
    *column = n - i * (i + 1) / 2;
}

void clr_xengine_element_at(const clradio_xengine_config *config, uint64_t n,
                            clr_xengine_element *element)
{
    const uint64_t pols = config->polarisations, products = pols * pols;
    const uint64_t of_channel = clr_xengine_channel_values(config),
                   all = of_channel * config->channels;
    const uint64_t inside = n % of_channel, pair = inside / products;
    const uint64_t first_pol = inside / pols % pols, second_pol = inside % pols;
    const uint64_t halves = ((uint64_t)config->stations + 1) / 2, cells = halves * (halves + 1) / 2;
    uint64_t i, j;
    element->channel = (uint32_t)(n / of_channel);
    element->conjugate = config->conjugate != 0;
    element->absent = 0;
    element->re_at = 2 * n;
    element->im_at = 2 * n + 1;
    switch (config->order) {
    case CLRADIO_ORDER_FULL:
        element->a = (uint32_t)(inside / (config->stations * pols));
        element->b = (uint32_t)(inside % (config->stations * pols));
        return;
    case CLRADIO_ORDER_TRANSPOSED: /* x_j conj(x_i), [pol_j][pol_i] */
        triangle_row(pair, &i, &j);
        element->a = (uint32_t)(j * pols + first_pol);
        element->b = (uint32_t)(i * pols + second_pol);
        return;
    case CLRADIO_ORDER_XGPU_REGISTER_TILE: /* quadrant 2 ry + rx: stations 2 i + rx and 2 j + ry */
        triangle_row(pair % cells, &i, &j);
        i = 2 * i + (pair / cells) % 2;
        j = 2 * j + (pair / cells) / 2;
        element->absent = i >= config->stations || j >= config->stations;
        break;
    default: triangle_row(pair, &i, &j);
    }
    element->a = (uint32_t)(i * pols + first_pol);
    element->b = (uint32_t)(j * pols + second_pol);
    if (config->order == CLRADIO_ORDER_XGPU_REGISTER_TILE ||
        config->order == CLRADIO_ORDER_XGPU_REAL_IMAG) {
        element->re_at = n;
        element->im_at = all + n;
    }
}

/* One part: the error, and in *misfit whether the expected value does not fit the type. */
static double part_error(const clradio_xengine_config *config, const void *visibilities,
                         uint64_t at, int64_t whole, double value, int *misfit)
{
    const int is_float = clr_xengine_is_float(config->input);
    switch (config->output) {
    case CLRADIO_CI32: {
        const int32_t got = ((const int32_t *)visibilities)[at];
        const int64_t fits = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
        *misfit |= fits != whole;
        return fabs((double)got - (double)fits);
    }
    case CLRADIO_CI64: {
        const int64_t got = ((const int64_t *)visibilities)[at];
        /* the difference of two far numbers may not fit: any non-zero number says wrong */
        return got == whole ? 0 : fmax(1.0, fabs((double)got - (double)whole));
    }
    case CLRADIO_CF32:
        return fabs((double)((const float *)visibilities)[at] -
                    (is_float ? value : (double)(float)whole));
    default: return fabs(((const double *)visibilities)[at] - (is_float ? value : (double)whole));
    }
}

/* What the named variant's arithmetic adds to the bound; one that is chosen adds nothing. */
static double more_error(const clradio_xengine_config *config)
{
    for (size_t i = 0; config->variant && i < clr_xengine_variant_count; i++)
        if (strcmp(clr_xengine_variants[i]->name, config->variant) == 0)
            return clr_xengine_variants[i]->more_error;
    return 0;
}

/* What a check compares. */
typedef struct checked {
    const clradio_xengine_config *config;
    const void *spectra, *valid;
    uint64_t count;
    const void *visibilities;
    const uint64_t *counts;
} checked;

static void check_count(const checked *of, const clr_xengine_element *element, uint64_t n,
                        uint64_t expected, clr_xengine_verdict *verdict)
{
    if (!of->counts || of->counts[n] == expected)
        return;
    if (!verdict->wrong++)
        snprintf(verdict->sentence, sizeof verdict->sentence,
                 "channel %" PRIu32 ", inputs %" PRIu32 " and %" PRIu32 " (value %" PRIu64
                 "): counts %" PRIu64 " spectra instead of %" PRIu64,
                 element->channel, element->a, element->b, n, of->counts[n], expected);
}

static void check_one(const checked *of, uint64_t n, clr_xengine_verdict *verdict)
{
    const clradio_xengine_config *config = of->config;
    const void *visibilities = of->visibilities;
    clr_xengine_element element;
    clr_xengine_product product = { .power = 0 };
    int misfit = 0;
    clr_xengine_element_at(config, n, &element);
    if (!element.absent)
        clr_xengine_reference_valid(config, of->spectra, of->valid, of->count, element.channel,
                                    element.a, element.b, &product);
    check_count(of, &element, n, product.count, verdict);
    if (element.conjugate) {
        product.whole[1] = -product.whole[1];
        product.value[1] = -product.value[1];
    }
    const double re = part_error(config, visibilities, element.re_at, product.whole[0],
                                 product.value[0], &misfit);
    const double im = part_error(config, visibilities, element.im_at, product.whole[1],
                                 product.value[1], &misfit);
    const double error = hypot(re, im), terms = (double)(of->count < 1024 ? of->count : 1024);
    const double bound = clr_xengine_is_float(config->input)
                             ? (2e-7 * sqrt(terms) + more_error(config)) * product.power
                             : 0;
    const double over = bound > 0 ? error / bound : error == 0 ? 0 : HUGE_VAL;
    verdict->checked++;
    verdict->misfits += (uint64_t)misfit;
    if (error > verdict->largest_error)
        verdict->largest_error = error;
    if (over > verdict->worst)
        verdict->worst = over;
    if (error <= bound) /* false for a nan */
        return;
    if (!verdict->wrong++)
        snprintf(verdict->sentence, sizeof verdict->sentence,
                 "channel %" PRIu32 ", inputs %" PRIu32 " and %" PRIu32 " (value %" PRIu64
                 "): expected %.17g%+.17gi, off by %g, allowed %g",
                 element.channel, element.a, element.b, n, product.value[0], product.value[1],
                 error, bound);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void clr_xengine_check(const clradio_xengine_config *config, const void *spectra, uint64_t count,
                       const void *visibilities, uint64_t samples, uint64_t seed,
                       clr_xengine_verdict *verdict)
{
    clr_xengine_check_valid(config, spectra, NULL, count, visibilities, NULL, samples, seed,
                            verdict);
}

void clr_xengine_check_valid(const clradio_xengine_config *config, const void *spectra,
                             const void *valid, uint64_t count, const void *visibilities,
                             const uint64_t *counts, uint64_t samples, uint64_t seed,
                             clr_xengine_verdict *verdict)
{
    const checked of = { config, spectra, valid, count, visibilities, counts };
    const uint64_t of_channel = clr_xengine_channel_values(config);
    const uint64_t all = of_channel * config->channels;
    memset(verdict, 0, sizeof *verdict);
    if (!samples || samples >= all) {
        for (uint64_t n = 0; n < all; n++)
            check_one(&of, n, verdict);
        return;
    }
    for (uint64_t s = 0; s < samples; s++) {
        const uint64_t channel = next_random(&seed) % config->channels;
        uint64_t place = next_random(&seed) % of_channel;
        if (s % 4 == 0) /* stations at the edges of tiles of 8 or 16: rows from 8 k - 1 on */
            place = place / 8 * 8 % of_channel;
        if (s < 4)
            place = s < 2 ? 0 : of_channel - 1;
        check_one(&of, channel * of_channel + place, verdict);
    }
}
