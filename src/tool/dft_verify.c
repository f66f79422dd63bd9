/* clradio dft --verify: every batch through the double reference on the processor, and every value
 * compared within the engine's bound. */
#include "tool/dft.h"

#include "base/checked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 64 << 20 };

struct clr_dft_verify {
    const clr_dft_job *job;
    double error_bound;     /* times sqrt(taps) and the gains' root-sum-square */
    uint64_t gain, delay;   /* where the next link's begin */
    double *reference;      /* [time] of a piece's links */
    uint32_t *status;       /* [path] of a piece */
    uint64_t *paths, *taps; /* offsets of a piece */
    uint64_t room, link_room;
    uint64_t checked, wrong, bad;
    double worst, largest; /* error over bound; error */
    char first_wrong[160];
};

clradio_status clr_dft_verify_create(const clr_dft_job *job, double error_bound,
                                     clr_dft_verify **result)
{
    clr_dft_verify *verify = calloc(1, sizeof *verify);
    *result = verify;
    if (!verify)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the verification");
    verify->job = job;
    verify->error_bound = error_bound;
    return CLRADIO_OK;
}

/* values: also enough for a status of each path. */
static clradio_status make_room(clr_dft_verify *v, uint64_t values, uint64_t links)
{
    if (values > v->room) {
        free(v->reference);
        free(v->status);
        v->reference = malloc((size_t)values * 16);
        v->status = malloc((size_t)values * sizeof *v->status);
        v->room = values;
    }
    if (links + 1 > v->link_room) {
        free(v->paths);
        free(v->taps);
        v->paths = malloc((size_t)(links + 1) * sizeof *v->paths);
        v->taps = malloc((size_t)(links + 1) * sizeof *v->taps);
        v->link_room = links + 1;
    }
    return v->reference && v->status && v->paths && v->taps
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the verification");
}

/* The piece's links through the reference, not scaled. */
static clradio_status compute(clr_dft_verify *v, uint64_t links)
{
    const clr_dft_job *job = v->job;
    const clr_taps *taps = &job->taps;
    clradio_dft_config config = job->config;
    clradio_dft_sizes sizes = CLRADIO_DFT_SIZES_INIT;
    clradio_dft_host_io io = CLRADIO_DFT_HOST_IO_INIT;
    config.normalisation = CLRADIO_NORMALISE_NONE;
    sizes.beams = 1;
    sizes.links_per_beam = links;
    sizes.link_paths = v->paths;
    sizes.link_taps = v->taps;
    io.sizes = &sizes;
    io.time_steps = job->time_steps;
    io.gains = (const char *)taps->gains + v->gain * (config.type == CLRADIO_CF64 ? 16 : 8);
    io.delays = job->samples ? (const void *)(job->samples + v->delay)
                             : (const void *)(taps->delays + v->delay);
    if (taps->rates)
        io.rates = taps->rates + (taps->rates_per_path ? v->gain : v->delay);
    io.response = v->reference;
    io.status = v->status;
    return clradio_dft_reference(&config, &io);
}

static double device_value(const clr_dft_verify *v, const void *response, uint64_t at)
{
    return v->job->config.type == CLRADIO_CF64 ? ((const double *)response)[at]
                                               : (double)((const float *)response)[at];
}

/* The gains' root-sum-square of a path. */
static double path_gain(const clr_dft_verify *v, uint64_t gain, uint64_t taps)
{
    double sum = 0;
    for (uint64_t e = 2 * gain; e < 2 * (gain + taps); e++) {
        double part = device_value(v, v->job->taps.gains, e);
        sum += part * part;
    }
    return sqrt(sum);
}

/* What the device's values were multiplied by. */
static double link_scale(const clr_dft_verify *v, uint64_t first, uint64_t count, uint64_t step)
{
    const clr_dft_job *job = v->job;
    if (job->config.normalisation == CLRADIO_NORMALISE_SUBCARRIERS)
        return 1 / sqrt((double)job->config.subcarriers);
    if (job->config.normalisation != CLRADIO_NORMALISE_LINK)
        return 1;
    double sum = 0;
    for (uint64_t t = 0; t < job->time_steps; t++)
        for (uint64_t e = 2 * (t * step + first); e < 2 * (t * step + first + count); e++)
            sum += v->reference[e] * v->reference[e];
    return sum > 0 ? 1 / sqrt(sum / (double)(count * job->time_steps)) : 0;
}

static void compare_value(clr_dft_verify *v, const double *wanted, const void *response,
                          uint64_t at, double scale, double bound, uint64_t path)
{
    double re = device_value(v, response, 2 * at), im = device_value(v, response, 2 * at + 1);
    double error = hypot(re - scale * wanted[0], im - scale * wanted[1]);
    double share = error == 0 ? 0 : bound > 0 ? error / bound : INFINITY;
    v->checked++;
    v->largest = fmax(v->largest, error);
    v->worst = !(share <= v->worst) ? share : v->worst;
    if (share <= 1)
        return;
    if (!v->wrong++)
        snprintf(v->first_wrong, sizeof v->first_wrong,
                 "path %llu is %.9g%+.9gi, the reference %.9g%+.9gi", (unsigned long long)path, re,
                 im, scale * wanted[0], scale * wanted[1]);
}

/* One link of a piece: at: its first value in the piece, in the batch. */
static void compare_link(clr_dft_verify *v, const clradio_dft_batch *batch, uint64_t link,
                         uint64_t path, uint64_t gain, uint64_t in_piece, uint64_t piece_step)
{
    const clr_dft_job *job = v->job;
    uint64_t paths = clr_taps_link_paths(&job->taps, link),
             taps = clr_taps_link_taps(&job->taps, link);
    uint64_t values = job->values, in_batch = (path - batch->first_path) * values;
    int turned = job->config.order == CLRADIO_DFT_SUBCARRIER_PATH;
    double scale = link_scale(v, in_piece, paths * values, piece_step);
    double slack = job->config.normalisation == CLRADIO_NORMALISE_LINK ? 2 : 1;
    for (uint64_t p = 0; p < paths; p++) {
        double bound = slack * scale * v->error_bound * sqrt((double)taps) *
                       path_gain(v, gain + p * taps, taps);
        for (uint64_t k = 0; k < values; k++)
            for (uint64_t t = 0; t < job->time_steps; t++) {
                uint64_t e = turned ? k * paths + p : p * values + k;
                const double *wanted = v->reference + 2 * (t * piece_step + in_piece + e);
                compare_value(v, wanted, batch->response, t * batch->paths * values + in_batch + e,
                              scale, isfinite(bound) ? bound : 0, path + p);
            }
    }
}

/* How many links from `link` on make a piece. */
static uint64_t piece_links(const clr_dft_verify *v, uint64_t link, uint64_t end, uint64_t *paths)
{
    const clr_taps *taps = &v->job->taps;
    uint64_t most = PIECE_BYTES / 16 / v->job->values / v->job->time_steps, n = 0;
    *paths = 0;
    while (link + n < end && (!n || *paths + clr_taps_link_paths(taps, link + n) <= most))
        *paths += clr_taps_link_paths(taps, link + n++);
    return n;
}

clradio_status clr_dft_verify_batch(clr_dft_verify *v, const clradio_dft_batch *batch)
{
    const clr_dft_job *job = v->job;
    const clr_taps *taps = &job->taps;
    uint64_t end = batch->first_link + batch->links, path = batch->first_path, paths;
    for (uint64_t link = batch->first_link; link < end;) {
        uint64_t links = piece_links(v, link, end, &paths);
        uint64_t step = paths * job->values;
        clradio_status status = make_room(v, clr_max_u64(step * job->time_steps, paths + 1), links);
        if (status)
            return status;
        v->paths[0] = v->taps[0] = 0;
        for (uint64_t l = 0; l < links; l++) {
            v->paths[l + 1] = v->paths[l] + clr_taps_link_paths(taps, link + l);
            v->taps[l + 1] = v->taps[l] + clr_taps_link_taps(taps, link + l);
        }
        status = compute(v, links);
        if (status)
            return status;
        for (uint64_t l = 0; l < links; l++) {
            uint64_t n = clr_taps_link_paths(taps, link + l),
                     t = clr_taps_link_taps(taps, link + l);
            compare_link(v, batch, link + l, path, v->gain, v->paths[l] * job->values, step);
            v->gain += n * t;
            v->delay += taps->per_path ? n * t : t;
            path += n;
        }
        for (uint64_t p = 0; p < paths; p++)
            v->bad += !v->status[p] != !batch->status[path - paths - batch->first_path + p];
        link += links;
    }
    return CLRADIO_OK;
}

int clr_dft_verify_passed(const clr_dft_verify *v, char *text, size_t room)
{
    if (v->wrong || v->bad)
        snprintf(text, room,
                 "%llu of %llu values are off by more than the bound, and %llu paths have another "
                 "status; the first: %s",
                 (unsigned long long)v->wrong, (unsigned long long)v->checked,
                 (unsigned long long)v->bad, v->first_wrong);
    else
        snprintf(text, room, "%llu values, the largest error %.3g, at most %.3g of its bound",
                 (unsigned long long)v->checked, v->largest, v->worst);
    return !v->wrong && !v->bad && v->checked > 0;
}

void clr_dft_verify_destroy(clr_dft_verify *v)
{
    if (!v)
        return;
    free(v->reference);
    free(v->status);
    free(v->paths);
    free(v->taps);
    free(v);
}
