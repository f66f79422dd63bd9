/*
 * Channels as quadriga-lib keeps them in HDF5: a group for each channel, and in it one for each
 * snapshot where there are several, with coeff_re, coeff_im and delay. Their first axis here is the
 * path's, then tx, then rx, since the library's matrices begin with rx and lie columns first. Paths
 * differ in number from snapshot to snapshot; each snapshot of each channel becomes a link.
 */
#include "base/checked.h"
#include "base/text.h"
#include "io/taps_internal.h"

#include <stdlib.h>
#include <string.h>

/* One link: where its arrays are. */
typedef struct snapshot {
    const char *name; /* of coeff_re */
    size_t re, im, delay;
    uint64_t taps;
    int own; /* delays of its own for each pair of antennas */
} snapshot;

typedef struct channels {
    clr_arrays_file *file;
    snapshot *at;
    uint64_t count, rx, tx;
} channels;

static const char coefficient[] = "coeff_re";

/* The names' order with numbers as numbers: channel_2 before channel_10. */
static int by_name(const void *left, const void *right)
{
    const char *a = ((const snapshot *)left)->name, *b = ((const snapshot *)right)->name;
    while (*a && *b) {
        size_t m = strspn(a, "0123456789"), n = strspn(b, "0123456789");
        if (m && n) {
            int difference = m != n ? (m < n ? -1 : 1) : strncmp(a, b, m);
            if (difference)
                return difference;
            a += m;
            b += n;
        } else if (*a++ != *b++) {
            return (unsigned char)a[-1] < (unsigned char)b[-1] ? -1 : 1;
        }
    }
    return !*b - !*a;
}

/* The array `name` of the group in which coeff_re is. */
static int find_beside(const channels *c, const char *beside, const char *name, size_t *index)
{
    char whole[CLR_ARRAYS_NAME_BYTES];
    size_t group = strlen(beside) - (sizeof coefficient - 1);
    if (group + strlen(name) >= sizeof whole)
        return 0;
    clr_copy_text(whole, group + 1, beside);
    clr_copy_text(whole + group, sizeof whole - group, name);
    return clr_arrays_find(c->file, whole, index) &&
           !strcmp(clr_arrays_get(c->file, *index)->name, whole);
}

static int is_coefficient(const char *name)
{
    size_t length = strlen(name), tail = sizeof coefficient - 1;
    return length >= tail && !strcmp(name + length - tail, coefficient) &&
           (length == tail || name[length - tail - 1] == '/');
}

static clradio_status check_snapshot(channels *c, snapshot *s)
{
    const clr_arrays_info *re = clr_arrays_get(c->file, s->re), *im, *delay;
    if (!find_beside(c, s->name, "coeff_im", &s->im) ||
        !find_beside(c, s->name, "delay", &s->delay))
        return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' has no coeff_im or no delay beside it",
                        s->name);
    im = clr_arrays_get(c->file, s->im);
    delay = clr_arrays_get(c->file, s->delay);
    if (re->rank != 3 || im->rank != 3 || memcmp(re->size, im->size, 3 * sizeof *re->size) != 0)
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "'%s' and coeff_im beside it must be [path][tx][rx], of one size", s->name);
    if (!c->rx) {
        c->tx = re->size[1];
        c->rx = re->size[2];
    }
    if (re->size[1] != c->tx || re->size[2] != c->rx)
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "'%s' is of %llu x %llu antennas (rx x tx), channels before it of %llu x "
                        "%llu: read them from files of their own",
                        s->name, (unsigned long long)re->size[2], (unsigned long long)re->size[1],
                        (unsigned long long)c->rx, (unsigned long long)c->tx);
    s->taps = re->size[0];
    s->own = delay->count != s->taps;
    if (delay->count != re->count && s->own)
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "the delays beside '%s' are %llu; there are %llu paths of %llu x %llu "
                        "antennas",
                        s->name, (unsigned long long)delay->count, (unsigned long long)s->taps,
                        (unsigned long long)c->rx, (unsigned long long)c->tx);
    return CLRADIO_OK;
}

static clradio_status collect(channels *c)
{
    clradio_status status = CLRADIO_OK;
    c->at = malloc((clr_arrays_count(c->file) + 1) * sizeof *c->at);
    if (!c->at)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a list of channels");
    for (size_t i = 0; i < clr_arrays_count(c->file); i++)
        if (is_coefficient(clr_arrays_get(c->file, i)->name))
            c->at[c->count++] = (snapshot){ .name = clr_arrays_get(c->file, i)->name, .re = i };
    qsort(c->at, c->count, sizeof *c->at, by_name);
    for (uint64_t l = 0; l < c->count && !status; l++)
        status = check_snapshot(c, &c->at[l]);
    return status;
}

/* [path][tx][rx] or [path] to [rx][tx][path], every `step`-th number of `to`. */
static void turn(const channels *c, const snapshot *s, const double *from, int each, double *to,
                 unsigned step)
{
    for (uint64_t r = 0; r < c->rx; r++)
        for (uint64_t t = 0; t < c->tx; t++)
            for (uint64_t p = 0; p < s->taps; p++) {
                *to = from[each ? (p * c->tx + t) * c->rx + r : p];
                to += step;
            }
}

static clradio_status fill(const channels *c, const snapshot *s, int per_path, double *gains,
                           double *delays)
{
    double *re = NULL, *im = NULL, *delay = NULL;
    clradio_status status = clr_arrays_read_all(c->file, s->re, CLR_ELEMENT_F64, (void **)&re);
    if (!status)
        status = clr_arrays_read_all(c->file, s->im, CLR_ELEMENT_F64, (void **)&im);
    if (!status)
        status = clr_arrays_read_all(c->file, s->delay, CLR_ELEMENT_F64, (void **)&delay);
    if (!status) {
        turn(c, s, re, 1, gains, 2);
        turn(c, s, im, 1, gains + 1, 2);
        if (per_path)
            turn(c, s, delay, s->own, delays, 1);
        else
            memcpy(delays, delay, (size_t)s->taps * sizeof *delays);
    }
    free(re);
    free(im);
    free(delay);
    return status;
}

/* Sizes, offsets and memory. */
static clradio_status set_taps(const channels *c, clr_taps *taps)
{
    uint64_t all = 0;
    taps->links = taps->beams = c->count;
    taps->link_taps = malloc((size_t)(c->count + 1) * sizeof *taps->link_taps);
    if (!taps->link_taps)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %llu channels",
                        (unsigned long long)c->count);
    for (uint64_t l = 0; l < c->count; l++) {
        taps->link_taps[l] = all;
        all += c->at[l].taps;
        taps->taps = clr_max_u64(taps->taps, c->at[l].taps);
        taps->per_path |= c->at[l].own;
    }
    taps->link_taps[c->count] = all;
    taps->rank = 3;
    taps->link_axes = 1;
    static const char *const axes[] = { "link", "rx", "tx" };
    const uint64_t size[] = { c->count, c->rx, c->tx };
    for (unsigned k = 0; k < 3; k++) {
        taps->size[k] = size[k];
        clr_copy_text(taps->axis[k], sizeof taps->axis[k], axes[k]);
    }
    /* The arrays are in the file, so that their sizes were counted. */
    taps->paths_per_link = c->rx * c->tx;
    taps->paths = c->count * taps->paths_per_link;
    taps->gain_count = all * taps->paths_per_link;
    taps->delay_count = taps->per_path ? taps->gain_count : all;
    taps->gains = malloc((size_t)(taps->gain_count + 1) * 2 * sizeof(double));
    taps->delays = malloc((size_t)(taps->delay_count + 1) * sizeof(double));
    if (!taps->gains || !taps->delays)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %llu taps",
                        (unsigned long long)taps->gain_count);
    return CLRADIO_OK;
}

int clr_taps_are_channels(const clr_named_files *files)
{
    if (files->count != 1 || strcmp(clr_arrays_format_name(files->file[0]), "hdf5") != 0)
        return 0;
    for (size_t i = 0; i < clr_arrays_count(files->file[0]); i++)
        if (is_coefficient(clr_arrays_get(files->file[0], i)->name))
            return 1;
    return 0;
}

clradio_status clr_taps_read_channels(const clr_named_files *files, int cf64, clr_taps *taps)
{
    channels c = { .file = files->file[0] };
    clradio_status status = collect(&c);
    if (!status)
        status = set_taps(&c, taps);
    double *gains = taps->gains, *delays = taps->delays;
    for (uint64_t l = 0; l < c.count && !status; l++) {
        status = fill(&c, &c.at[l], taps->per_path, gains, delays);
        gains += 2 * c.at[l].taps * taps->paths_per_link;
        delays += c.at[l].taps * (taps->per_path ? taps->paths_per_link : 1);
    }
    if (!status && !cf64) /* in place: a float lies before the double that it is made of */
        for (uint64_t g = 0; g < 2 * taps->gain_count; g++) {
            const float single = (float)((const double *)taps->gains)[g];
            memcpy((char *)taps->gains + g * sizeof single, &single, sizeof single);
        }
    free(c.at);
    return status;
}
