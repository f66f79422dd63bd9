/*
 * The channel DFT in plain C, double precision, one value at a time: what self-tests, tests,
 * --verify and the benchmark compare with. Phases are products of several factors (frequency,
 * index, delay) reduced to a fraction of a turn without losing their low parts.
 */
#include "engine/dft_internal.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* The unevaluated sum of two doubles. */
typedef struct pair {
    double high, low;
} pair;

static pair product(double a, double b)
{
    const double high = a * b;
    return (pair){ high, fma(a, b, -high) };
}

/* frac(a x b), |result| <= about 1/2. */
static double turns_of(pair a, pair b)
{
    const pair main_part = product(a.high, b.high);
    const double small = main_part.low + (a.high * b.low + a.low * b.high);
    return (main_part.high - rint(main_part.high)) + (small - rint(small));
}

typedef struct reference {
    const clradio_dft_config *config;
    const clradio_dft_host_io *io;
    clr_dft_grid grid;
    double complex *tap_gains; /* of the path at hand */
    pair *tap_delays;
    double *tap_rates;
    uint64_t taps;
    int bad;
} reference;

static double complex gain_at(const reference *r, uint64_t n)
{
    if (r->config->type == CLRADIO_CF64) {
        const double *gains = r->io->gains;
        return CMPLX(gains[2 * n], gains[2 * n + 1]);
    }
    const float *gains = r->io->gains;
    return CMPLX((double)gains[2 * n], (double)gains[2 * n + 1]);
}

/* The delay of a tap in seconds; NAN marks one that is not finite; *absent by configuration. */
static pair delay_at(const reference *r, const clr_dft_link *link, uint64_t path, uint64_t tap,
                     int *absent)
{
    const clradio_dft_config *config = r->config;
    const uint64_t n = config->delays == CLRADIO_PER_PATH
                           ? link->first_gain + path * link->taps + tap
                           : link->first_tap + tap;
    *absent = 0;
    if (config->delay == CLRADIO_DELAY_CONSECUTIVE)
        return product((double)tap, config->sample_period_s);
    if (config->delay == CLRADIO_DELAY_SAMPLES) {
        const int32_t samples = ((const int32_t *)r->io->delays)[n];
        *absent = config->absent_negative && samples < 0;
        return product((double)samples, config->sample_period_s);
    }
    const double seconds = ((const double *)r->io->delays)[n];
    *absent = config->absent_negative && seconds < 0;
    return (pair){ seconds, 0 };
}

/* Gathers what a path has at a time step; absent taps are left out. */
static void gather(reference *r, const clr_dft_link *link, uint64_t path, uint64_t gains_before)
{
    r->taps = 0;
    for (uint64_t tap = 0; tap < link->taps; tap++) {
        int absent;
        const uint64_t of_path = link->first_gain + path * link->taps + tap;
        const pair delay = delay_at(r, link, path, tap, &absent);
        const double complex gain = gain_at(r, gains_before + of_path);
        double rate = 0;
        if (absent)
            continue;
        if (r->config->rates)
            rate =
                r->io
                    ->rates[r->config->rates == CLRADIO_PER_PATH ? of_path : link->first_tap + tap];
        r->bad |= !isfinite(delay.high) || !isfinite(creal(gain)) || !isfinite(cimag(gain)) ||
                  !isfinite(rate);
        r->tap_gains[r->taps] = gain;
        r->tap_delays[r->taps] = delay;
        r->tap_rates[r->taps++] = rate;
    }
}

/* H at one frequency: base plus index half spacings, or a listed one. */
static double complex value_at(const reference *r, pair frequency, uint64_t time)
{
    const pair base = { r->grid.base_hz, 0 };
    long double complex sum = 0; /* as exact as can be: doubles are compared with it too */
    for (uint64_t n = 0; n < r->taps; n++) {
        double turns = -turns_of(frequency, r->tap_delays[n]) - turns_of(base, r->tap_delays[n]);
        if (r->config->rates)
            turns += turns_of(product((double)time, r->config->time_step_s),
                              (pair){ r->tap_rates[n], 0 });
        const double angle = 2 * 3.14159265358979323846 * (turns - rint(turns));
        sum += r->tap_gains[n] * CMPLX(cos(angle), sin(angle));
    }
    return (double complex)sum;
}

static double complex mean_at(const reference *r, uint32_t value, uint64_t time)
{
    const clradio_dft_config *config = r->config;
    const int64_t offset =
        config->origin == CLRADIO_ORIGIN_CENTRE ? (int64_t)(config->subcarriers / 2) : 0;
    long double complex sum = 0;
    if (r->grid.listed)
        return value_at(r, (pair){ config->frequencies_hz[value], 0 }, time);
    for (uint32_t n = 0; n < config->average; n++) {
        const int64_t k = (int64_t)value * config->average + n - offset;
        sum += value_at(r, product((double)k, config->spacing_hz), time);
    }
    return (double complex)(sum / config->average);
}

/* Where value m of a path lies, in complex values from the start. */
static uint64_t place_of(const reference *r, const clr_dft_link *link, uint64_t path,
                         uint32_t value)
{
    const uint64_t values = r->grid.values;
    const uint64_t inside = r->config->order == CLRADIO_DFT_SUBCARRIER_PATH
                                ? value * link->paths + path
                                : path * values + value;
    return link->first_path * values + inside;
}

static void scale_link(const reference *r, const clr_dft_link *link, uint64_t step_values)
{
    double *response = r->io->response;
    const uint64_t values = link->paths * r->grid.values, first = link->first_path * r->grid.values;
    long double power = 0;
    for (uint64_t time = 0; time < r->io->time_steps; time++)
        for (uint64_t n = 0; n < 2 * values; n++)
            power += powl(response[2 * (time * step_values + first) + n], 2);
    const double mean = (double)(power / ((long double)values * (long double)r->io->time_steps));
    for (uint64_t time = 0; mean > 0 && time < r->io->time_steps; time++)
        for (uint64_t n = 0; n < 2 * values; n++)
            response[2 * (time * step_values + first) + n] /= sqrt(mean);
}

static void do_path(reference *r, const clr_dft_link *link, uint64_t path,
                    const clradio_dft_counts *counts)
{
    const double scale = clr_dft_scale(r->config);
    int any_bad = 0;
    for (uint64_t time = 0; time < r->io->time_steps; time++) {
        r->bad = 0;
        gather(r, link, path, r->config->rates ? 0 : time * counts->gains);
        any_bad |= r->bad;
        for (uint32_t m = 0; m < r->grid.values; m++) {
            const double complex value = r->bad ? 0 : scale * mean_at(r, m, time);
            double *to = (double *)r->io->response +
                         2 * (time * counts->response + place_of(r, link, path, m));
            to[0] = creal(value);
            to[1] = cimag(value);
        }
    }
    if (r->io->status)
        r->io->status[link->first_path + path] = (uint32_t)any_bad;
    if (r->io->bad_paths)
        *r->io->bad_paths += (uint64_t)any_bad;
}

static clradio_status check(const clradio_dft_config *config, const clradio_dft_host_io *io,
                            clradio_dft_counts *counts)
{
    if (!io || io->struct_size != sizeof *io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io is NULL or io.struct_size is not set: start from "
                        "CLRADIO_DFT_HOST_IO_INIT");
    clradio_status status = clradio_dft_count(config, io->sizes, counts);
    if (status)
        return status;
    if (!io->time_steps)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.time_steps is 0");
    if (counts->response && !io->response)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.response is NULL");
    if (counts->gains &&
        (!io->gains || (!io->delays && config->delay != CLRADIO_DELAY_CONSECUTIVE) ||
         (!io->rates && config->rates)))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.gains, io.delays or io.rates is NULL");
    return CLRADIO_OK;
}

clradio_status clradio_dft_reference(const clradio_dft_config *config,
                                     const clradio_dft_host_io *io)
{
    clradio_dft_counts counts = CLRADIO_DFT_COUNTS_INIT;
    clradio_status status = check(config, io, &counts);
    if (status)
        return status;
    const size_t taps = (size_t)counts.most_taps + 1;
    reference r = { .config = config, .io = io, .grid = clr_dft_grid_of(config) };
    r.tap_gains = malloc(taps * sizeof *r.tap_gains);
    r.tap_delays = malloc(taps * sizeof *r.tap_delays);
    r.tap_rates = malloc(taps * sizeof *r.tap_rates);
    if (!r.tap_gains || !r.tap_delays || !r.tap_rates)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu taps", taps);
    if (!status && io->bad_paths)
        *io->bad_paths = 0;
    clr_dft_link link;
    for (int more = !status && clr_dft_first_link(io->sizes, &link); more;
         more = clr_dft_next_link(io->sizes, &link)) {
        for (uint64_t path = 0; path < link.paths; path++)
            do_path(&r, &link, path, &counts);
        if (config->normalisation == CLRADIO_NORMALISE_LINK)
            scale_link(&r, &link, counts.response);
    }
    free(r.tap_gains);
    free(r.tap_delays);
    free(r.tap_rates);
    return status;
}
