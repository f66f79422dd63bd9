/* Compares responses with the plain reference: every value against its bound. */
#include "engine/dft_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    const clradio_dft_config *config;
    const clradio_dft_host_io *io;
    const double *expected, *plain; /* plain: without the links' normalisation */
    clradio_dft_counts counts;
    double bound;
    clr_dft_verdict *verdict;
} check;

static double real_at(const check *c, const void *array, uint64_t n)
{
    return c->config->type == CLRADIO_CF64 ? ((const double *)array)[n]
                                           : (double)((const float *)array)[n];
}

static double gain_norm(const check *c, const clr_dft_link *link, uint64_t path, uint64_t time)
{
    const uint64_t first =
        (c->config->rates ? 0 : time * c->counts.gains) + link->first_gain + path * link->taps;
    double power = 0;
    for (uint64_t n = 0; n < 2 * link->taps; n++) {
        const double x = real_at(c, c->io->gains, 2 * first + n);
        power += isfinite(x) ? x * x : 0;
    }
    return sqrt(power);
}

/* By what a link was scaled: from the value of the link that is largest before. */
static double link_scale(const check *c, const clr_dft_link *link)
{
    const uint64_t values =
        link->paths * c->counts.response / (c->counts.paths ? c->counts.paths : 1);
    const uint64_t first = link->first_path * (values / link->paths);
    double largest = 0, scale = 1;
    for (uint64_t time = 0; time < c->io->time_steps; time++)
        for (uint64_t n = 0; n < values; n++) {
            const uint64_t at = 2 * (time * c->counts.response + first + n);
            const double before = hypot(c->plain[at], c->plain[at + 1]);
            if (before > largest) {
                largest = before;
                scale = hypot(c->expected[at], c->expected[at + 1]) / before;
            }
        }
    return scale;
}

static void check_value(const check *c, uint64_t at, double bound, const clr_dft_link *link,
                        uint64_t path, uint64_t value, uint64_t time)
{
    clr_dft_verdict *verdict = c->verdict;
    const double re = real_at(c, c->io->response, 2 * at) - c->expected[2 * at];
    const double im = real_at(c, c->io->response, 2 * at + 1) - c->expected[2 * at + 1];
    const double error = hypot(re, im);
    const double over = bound > 0 ? error / bound : error == 0 ? 0 : HUGE_VAL;
    verdict->checked++;
    if (error > verdict->largest_error)
        verdict->largest_error = error;
    if (over > verdict->worst)
        verdict->worst = over;
    if (error <= bound) /* false for a nan */
        return;
    if (!verdict->wrong++)
        snprintf(verdict->sentence, sizeof verdict->sentence,
                 "time %" PRIu64 ", link %" PRIu64 ", path %" PRIu64 ", value %" PRIu64
                 ": expected %.9g%+.9gi, off by %g, allowed %g",
                 time, link->link, path, value, c->expected[2 * at], c->expected[2 * at + 1], error,
                 bound);
}

static void check_link(const check *c, const clr_dft_link *link)
{
    const uint64_t values = clr_dft_values(c->config);
    const double scale = c->config->normalisation == CLRADIO_NORMALISE_LINK
                             ? link_scale(c, link)
                             : clr_dft_scale(c->config);
    for (uint64_t time = 0; time < c->io->time_steps; time++)
        for (uint64_t path = 0; path < link->paths; path++) {
            const double bound =
                c->bound * sqrt((double)link->taps) * scale * gain_norm(c, link, path, time);
            for (uint64_t m = 0; m < values; m++) {
                const uint64_t inside = c->config->order == CLRADIO_DFT_SUBCARRIER_PATH
                                            ? m * link->paths + path
                                            : path * values + m;
                check_value(c, time * c->counts.response + link->first_path * values + inside,
                            bound, link, path, m, time);
            }
        }
}

clradio_status clr_dft_check(const clradio_dft_config *config, const clradio_dft_host_io *io,
                             double bound, clr_dft_verdict *verdict)
{
    check c = { .config = config, .io = io, .bound = bound, .verdict = verdict };
    clradio_dft_config plain_config = *config;
    clradio_dft_host_io reference = *io;
    memset(verdict, 0, sizeof *verdict);
    c.counts = (clradio_dft_counts)CLRADIO_DFT_COUNTS_INIT;
    clradio_status status = clradio_dft_count(config, io->sizes, &c.counts);
    if (status)
        return status;
    const size_t reals = (size_t)(2 * c.counts.response * io->time_steps) + 1;
    double *expected = malloc(reals * sizeof *expected), *plain = malloc(reals * sizeof *plain);
    if (!expected || !plain)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a reference response");
    reference.status = NULL;
    reference.bad_paths = NULL;
    reference.response = expected;
    if (!status)
        status = clradio_dft_reference(config, &reference);
    plain_config.normalisation = CLRADIO_NORMALISE_NONE;
    reference.response = plain;
    if (!status && config->normalisation == CLRADIO_NORMALISE_LINK)
        status = clradio_dft_reference(&plain_config, &reference);
    c.expected = expected;
    c.plain = plain;
    clr_dft_link link;
    for (int more = !status && clr_dft_first_link(io->sizes, &link); more;
         more = clr_dft_next_link(io->sizes, &link))
        if (link.paths)
            check_link(&c, &link);
    free(expected);
    free(plain);
    return status;
}
