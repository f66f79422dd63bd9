/* Reads correlations as an observer would: coefficients, delays, and a source's place. */
#include "tool/demo_look.h"

#include "model/geometry.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PAIRS = 3 };

typedef struct look {
    clr_uvh5_reader *reader;
    const clr_uvh5_info *info;
    double *values;           /* one row: [channel][label][re, im] */
    double *nsamples;         /* of that row: [channel][label], the part that was there */
    double *power;            /* [antennas][2][channels]: autocorrelations, first integration */
    double complex *spectrum; /* [channels] of one label */
} look;

typedef struct pair {
    uint64_t row;
    uint32_t label;
    double coefficient, delay_s;
    double limit;    /* what noise alone gives, see noise_limit */
    double strength; /* coefficient over limit: what pairs are ordered by */
} pair;

static clradio_status begin(look *l, clr_uvh5_reader *reader)
{
    const clr_uvh5_info *info = clr_uvh5_get_info(reader);
    *l = (look){ .reader = reader, .info = info };
    l->values = malloc((size_t)info->channels * info->labels * 2 * sizeof *l->values);
    l->nsamples = malloc((size_t)info->channels * info->labels * sizeof *l->nsamples);
    l->power = calloc((size_t)info->antennas * 2 * info->channels, sizeof *l->power);
    l->spectrum = malloc(info->channels * sizeof *l->spectrum);
    if (l->values && l->nsamples && l->power && l->spectrum)
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to look at the correlations");
}

static void end(look *l)
{
    free(l->values);
    free(l->nsamples);
    free(l->power);
    free(l->spectrum);
}

static uint32_t antenna_index(const clr_uvh5_info *info, int64_t number)
{
    for (uint32_t i = 0; i < info->antennas; i++)
        if (info->antenna_number[i] == number)
            return i;
    return 0;
}

/* Polarisation of ant_1 and of ant_2 in a label, 0 or 1. */
static void label_polarisations(int64_t label, uint32_t *first, uint32_t *second)
{
    *first = label == -6 || label == -8;
    *second = label == -6 || label == -7;
}

/* Rows of the first integration: they come first. */
static uint64_t first_rows(const clr_uvh5_info *info)
{
    return info->times ? info->rows / info->times : 0;
}

/* The autocorrelation spectrum of an antenna's polarisation. */
static double *power_of(const look *l, uint32_t antenna, uint32_t polarisation)
{
    return l->power + ((size_t)antenna * 2 + polarisation) * l->info->channels;
}

static clradio_status read_powers(look *l)
{
    const clr_uvh5_info *info = l->info;
    for (uint64_t row = 0; row < first_rows(info); row++) {
        if (info->antenna_1[row] != info->antenna_2[row])
            continue;
        clradio_status status = clr_uvh5_read_row(l->reader, row, l->values, NULL, NULL);
        if (status)
            return status;
        uint32_t antenna = antenna_index(info, info->antenna_1[row]);
        for (uint32_t label = 0; label < info->labels; label++) {
            uint32_t p, q;
            label_polarisations(info->label[label], &p, &q);
            for (uint32_t c = 0; c < info->channels && p == q; c++)
                power_of(l, antenna, p)[c] = l->values[2 * ((size_t)c * info->labels + label)];
        }
    }
    return CLRADIO_OK;
}

static void take_label(look *l, uint32_t label)
{
    for (uint32_t c = 0; c < l->info->channels; c++) {
        const double *v = l->values + 2 * ((size_t)c * l->info->labels + label);
        l->spectrum[c] = v[0] + I * v[1];
    }
}

/* |sum over the band| with a delay taken out. */
static double at_delay(const look *l, double delay_s)
{
    double complex sum = 0;
    for (uint32_t c = 0; c < l->info->channels; c++)
        sum += l->spectrum[c] * cexp(-2 * I * CLR_PI * l->info->frequency_hz[c] * delay_s);
    return cabs(sum);
}

/* The delay that lines the band up: a scan, then thirds of the best step. */
static double best_delay(const look *l, double *height)
{
    uint32_t n = l->info->channels;
    *height = at_delay(l, 0);
    if (n < 2)
        return 0;
    double step_hz = fabs(l->info->frequency_hz[1] - l->info->frequency_hz[0]);
    double step = 1 / (4 * step_hz * n), best = 0;
    for (int64_t k = -2 * (int64_t)n; k <= 2 * (int64_t)n; k++) {
        double got = at_delay(l, (double)k * step);
        if (got > *height) {
            *height = got;
            best = (double)k * step;
        }
    }
    double low = best - step, high = best + step;
    for (int i = 0; i < 60; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (at_delay(l, a) < at_delay(l, b))
            low = a;
        else
            high = b;
    }
    best = (low + high) / 2;
    *height = at_delay(l, best);
    return best;
}

static void keep_strongest(pair *pairs, size_t *count, pair found)
{
    size_t at = *count < MOST_PAIRS ? (*count)++ : MOST_PAIRS;
    for (; at > 0 && pairs[at - 1].strength < found.strength; at--)
        if (at < MOST_PAIRS)
            pairs[at] = pairs[at - 1];
    if (at < MOST_PAIRS)
        pairs[at] = found;
}

/* The sum over the band of the powers' products. */
static double overlap(const look *l, const double *one, const double *other)
{
    double sum = 0;
    for (uint32_t c = 0; c < l->info->channels; c++)
        sum += one[c] * other[c];
    return sum;
}

static double total(const look *l, const double *spectrum)
{
    double sum = 0;
    for (uint32_t c = 0; c < l->info->channels; c++)
        sum += spectrum[c];
    return sum;
}

/*
 * What the coefficient of a pair of noises stays below: in all `tries` of a search together it is
 * passed with a probability of at most 1 %. Independent Gaussian noises of spectra A and B have a
 * coefficient r of mean square 1 / N, N = spectra (sum A)(sum B) / sum AB (`spectra` of them summed
 * in each channel), and P(|r| > x) = exp(-N x^2); the chances of all tries add up at most.
 */
static double noise_limit(const look *l, const pair *found, const double *a, const double *b,
                          double tries)
{
    const clr_uvh5_info *info = l->info;
    double there = 0;
    for (uint32_t c = 0; c < info->channels; c++)
        there += l->nsamples[(size_t)c * info->labels + found->label] / info->channels;
    double spectra = fabs(info->channel_width_hz[0]) * info->integration_time_s[found->row] * there;
    double n = spectra * total(l, a) * total(l, b) / overlap(l, a, b);
    return sqrt(log(tries / 0.01) / n);
}

/* One label of the row that was read; 0 when it is no pair or one of them is silent. */
static int measure(look *l, uint64_t row, uint32_t label, double tries, pair *found)
{
    const clr_uvh5_info *info = l->info;
    uint32_t a = antenna_index(info, info->antenna_1[row]);
    uint32_t b = antenna_index(info, info->antenna_2[row]);
    uint32_t p, q;
    label_polarisations(info->label[label], &p, &q);
    if (a == b && p >= q)
        return 0;
    const double *one = power_of(l, a, p), *other = power_of(l, b, q);
    double scale = sqrt(total(l, one) * total(l, other));
    if (!(scale > 0) || !(overlap(l, one, other) > 0))
        return 0;
    take_label(l, label);
    *found = (pair){ .row = row, .label = label };
    double height;
    found->delay_s = best_delay(l, &height);
    found->coefficient = height / scale;
    found->limit = noise_limit(l, found, one, other, tries);
    found->strength = found->coefficient / found->limit;
    return isfinite(found->strength);
}

typedef struct search_result {
    pair strongest[MOST_PAIRS];
    size_t kept;
    uint64_t compared, above; /* pairs of inputs; those above their limit */
} search_result;

/* Every pair of inputs of the first integration. */
static clradio_status search(look *l, search_result *result)
{
    const clr_uvh5_info *info = l->info;
    uint64_t rows = first_rows(info);
    /* Each pair is tried at four delays a channel, see best_delay. */
    double tries =
        (double)rows * info->labels * (info->channels > 1 ? 4.0 * info->channels + 1 : 1);
    for (uint64_t row = 0; row < rows; row++) {
        clradio_status status = clr_uvh5_read_row(l->reader, row, l->values, NULL, l->nsamples);
        if (status)
            return status;
        for (uint32_t label = 0; label < info->labels; label++) {
            pair found;
            if (!measure(l, row, label, tries, &found))
                continue;
            keep_strongest(result->strongest, &result->kept, found);
            result->above += found.strength > 1;
            result->compared++;
        }
    }
    return CLRADIO_OK;
}

static void say_pair(const look *l, const pair *found)
{
    const clr_uvh5_info *info = l->info;
    uint32_t a = antenna_index(info, info->antenna_1[found->row]);
    uint32_t b = antenna_index(info, info->antenna_2[found->row]);
    uint32_t p, q;
    label_polarisations(info->label[found->label], &p, &q);
    printf("  %s %c and %s %c: coefficient %.4f, by noise at most %.4f", info->antenna_name[a],
           p ? 'Y' : 'X', info->antenna_name[b], q ? 'Y' : 'X', found->coefficient, found->limit);
    if (info->channels > 1)
        printf(", delay %.4g s", found->delay_s);
    printf("\n");
}

clradio_status clr_demo_say_pairs(clr_uvh5_reader *reader)
{
    look l;
    search_result result = { .kept = 0 };
    clradio_status status = begin(&l, reader);
    if (!status)
        status = read_powers(&l);
    if (!status)
        status = search(&l, &result);
    if (!status && result.compared) {
        unsigned long long above = result.above, compared = result.compared;
        if (above)
            printf("Seen: %llu of %llu pairs of inputs %s more than noise alone would%s:\n", above,
                   compared, above == 1 ? "correlates" : "correlate",
                   above > MOST_PAIRS ? "; the most do" : "");
        else
            printf("Seen: no pair of inputs, of %llu, correlates more than noise alone would; the "
                   "most do:\n",
                   compared);
        for (size_t i = 0; i < result.kept && (!above || i < above); i++)
            say_pair(&l, &result.strongest[i]);
        printf("  (noise that is white within a channel passes these limits in at most 1 of 100 "
               "such files)\n");
    }
    end(&l);
    return status;
}

clradio_status clr_demo_say_source(clr_uvh5_reader *reader, double azimuth_deg,
                                   double elevation_deg, int *agrees)
{
    look l;
    double towards[3], longest = -1, delay_s = 0, expected_s = 0;
    clr_direction(azimuth_deg, elevation_deg, towards);
    double complex sum = 0;
    double amplitude = 0;
    uint64_t used = 0;
    clradio_status status = begin(&l, reader);
    for (uint64_t row = 0; !status && row < l.info->rows; row++) {
        if (l.info->antenna_1[row] == l.info->antenna_2[row])
            continue;
        status = clr_uvh5_read_row(reader, row, l.values, NULL, NULL);
        double geometry_s = clr_dot(l.info->uvw_m[row], towards) / CLR_SPEED_OF_LIGHT;
        double length = sqrt(clr_dot(l.info->uvw_m[row], l.info->uvw_m[row]));
        for (uint32_t label = 0; !status && label < l.info->labels; label++) {
            uint32_t p, q;
            label_polarisations(l.info->label[label], &p, &q);
            if (p != q)
                continue;
            take_label(&l, label);
            double complex left = 0;
            for (uint32_t c = 0; c < l.info->channels; c++)
                left +=
                    l.spectrum[c] * cexp(-2 * I * CLR_PI * l.info->frequency_hz[c] * geometry_s);
            sum += left;
            amplitude += cabs(left);
            used++;
            if (length > longest) {
                double height;
                longest = length;
                expected_s = geometry_s;
                delay_s = best_delay(&l, &height);
            }
        }
    }
    *agrees = 0;
    if (!status && used && amplitude > 0) {
        double phase_deg = carg(sum) * 180 / CLR_PI;
        double coherence = cabs(sum) / amplitude;
        *agrees = fabs(phase_deg) < 5 && coherence > 0.95;
        printf("Seen: with the delays to azimuth %g, elevation %g degrees taken out, the %llu "
               "cross-correlations\nhave phase %.2f degrees and a coherence of %.4f (0 and 1: the "
               "source is %s).\n",
               azimuth_deg, elevation_deg, (unsigned long long)used, phase_deg, coherence,
               *agrees ? "where it was put" : "NOT where it was put");
        printf("Seen: the slope of the phase of the longest baseline, %.1f m, is a delay of %.2f "
               "ns; its geometry says %.2f ns.\n",
               longest, delay_s * 1e9, expected_s * 1e9);
    }
    end(&l);
    return status;
}
