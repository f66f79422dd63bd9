/*
 * JSON lines of ray tracers (qd-realization): one line a pair of nodes, with Delay (s), Gain (dB)
 * and Phase (rad) as [time][ray]; the number of rays differs from time to time. Each time of each
 * pair becomes a link with one path.
 */
#include "base/checked.h"
#include "base/file.h"
#include "base/text.h"
#include "io/taps_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int clr_rays_recognise(const char *path)
{
    unsigned char first[64];
    FILE *stream = fopen(path, "rb");
    size_t n = stream ? fread(first, 1, sizeof first, stream) : 0, at = 0;
    if (stream)
        fclose(stream);
    while (at < n && isspace(first[at]))
        at++;
    return at < n && first[at] == '{';
}

#if HAVE_JANSSON

#include <jansson.h>

enum { MOST_FILE = 1 << 30 };

/* The taps so far. */
typedef struct rays {
    uint64_t *link_taps; /* offsets, links + 1 */
    uint64_t links, room;
    double *value; /* re, im, delay of each ray */
    uint64_t count, value_room;
} rays;

static int grow(void **place, uint64_t *room, uint64_t needed, size_t bytes)
{
    if (needed <= *room)
        return 1;
    uint64_t more = clr_max_u64(needed, 2 * *room + 64);
    void *larger = more < SIZE_MAX / bytes ? realloc(*place, (size_t)more * bytes) : NULL;
    if (!larger)
        return 0;
    *place = larger;
    *room = more;
    return 1;
}

/* One time of one pair. */
static clradio_status add_link(rays *r, const json_t *delay, const json_t *gain,
                               const json_t *phase)
{
    size_t n = json_array_size(delay);
    if (!json_is_array(delay) || json_array_size(gain) != n || json_array_size(phase) != n)
        return clr_fail(CLRADIO_ERROR_FORMAT, "Delay, Gain and Phase have different lengths");
    if (!grow((void **)&r->link_taps, &r->room, r->links + 2, sizeof *r->link_taps) ||
        !grow((void **)&r->value, &r->value_room, 3 * (r->count + n), sizeof *r->value) ||
        (n && !r->value))
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the rays");
    for (size_t k = 0; k < n; k++) {
        const json_t *d = json_array_get(delay, k), *g = json_array_get(gain, k);
        const json_t *p = json_array_get(phase, k);
        if (!json_is_number(d) || !json_is_number(g) || !json_is_number(p))
            return clr_fail(CLRADIO_ERROR_FORMAT, "a ray's Delay, Gain or Phase is no number");
        double amplitude = pow(10, json_number_value(g) / 20), angle = json_number_value(p);
        double *to = r->value + 3 * r->count++;
        to[0] = amplitude * cos(angle);
        to[1] = amplitude * sin(angle);
        to[2] = json_number_value(d);
    }
    r->link_taps[0] = 0;
    r->link_taps[++r->links] = r->count;
    return CLRADIO_OK;
}

/* A list of times, or one time alone. */
static clradio_status add_line(rays *r, const json_t *line)
{
    const json_t *delay = json_object_get(line, "Delay"), *gain = json_object_get(line, "Gain");
    const json_t *phase = json_object_get(line, "Phase");
    size_t times = json_array_size(delay);
    if (!json_is_array(delay) || !json_is_array(gain) || !json_is_array(phase))
        return clr_fail(CLRADIO_ERROR_FORMAT, "Delay, Gain and Phase are not all there as lists");
    if (times && !json_is_array(json_array_get(delay, 0)))
        return add_link(r, delay, gain, phase);
    if (json_array_size(gain) != times || json_array_size(phase) != times)
        return clr_fail(CLRADIO_ERROR_FORMAT, "Delay, Gain and Phase have different lengths");
    clradio_status status = CLRADIO_OK;
    for (size_t t = 0; t < times && !status; t++)
        status = add_link(r, json_array_get(delay, t), json_array_get(gain, t),
                          json_array_get(phase, t));
    return status;
}

static clradio_status fill(const rays *r, int cf64, clr_taps *taps)
{
    taps->links = taps->paths = taps->beams = r->links;
    taps->paths_per_link = 1;
    taps->gain_count = taps->delay_count = r->count;
    taps->gains = malloc((size_t)(r->count + 1) * (cf64 ? 16 : 8));
    taps->delays = malloc((size_t)(r->count + 1) * sizeof *taps->delays);
    taps->rank = 1;
    taps->size[0] = r->links;
    clr_copy_text(taps->axis[0], sizeof taps->axis[0], "link");
    if (!taps->gains || !taps->delays)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the rays");
    for (uint64_t k = 0; k < r->count; k++) {
        taps->delays[k] = r->value[3 * k + 2];
        for (int part = 0; part < 2; part++)
            if (cf64)
                ((double *)taps->gains)[2 * k + (uint64_t)part] = r->value[3 * k + (uint64_t)part];
            else
                ((float *)taps->gains)[2 * k + (uint64_t)part] =
                    (float)r->value[3 * k + (uint64_t)part];
    }
    for (uint64_t l = 0; l < r->links; l++)
        taps->taps = clr_max_u64(taps->taps, r->link_taps[l + 1] - r->link_taps[l]);
    return CLRADIO_OK;
}

clradio_status clr_rays_read(const char *path, int cf64, clr_taps *taps)
{
    unsigned char *bytes;
    size_t count, number = 0;
    rays r = { 0 };
    clradio_status status = clr_file_read(path, MOST_FILE, &bytes, &count);
    for (size_t at = 0; !status && at < count;) {
        const unsigned char *end = memchr(bytes + at, '\n', count - at);
        size_t length = end ? (size_t)(end - bytes) - at : count - at, first = at;
        number++;
        while (first < at + length && isspace(bytes[first]))
            first++;
        json_error_t error;
        json_t *line = first == at + length
                           ? NULL
                           : json_loadb((char *)bytes + at, length, JSON_REJECT_DUPLICATES, &error);
        if (line)
            status = add_line(&r, line);
        else if (first < at + length)
            status = clr_fail(CLRADIO_ERROR_FORMAT, "%s", error.text);
        json_decref(line);
        at += length + 1;
    }
    if (!status && !r.links)
        status = clr_fail(CLRADIO_ERROR_FORMAT, "there are no rays in it");
    if (!status)
        status = fill(&r, cf64, taps);
    if (status && status != CLRADIO_ERROR_IO)
        clr_fail_in(status, "'%s', line %zu", path, number);
    taps->link_taps = r.link_taps;
    free(r.value);
    free(bytes);
    return status;
}

#else

clradio_status clr_rays_read(const char *path, int cf64, clr_taps *taps)
{
    (void)cf64, (void)taps;
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot read '%s': this clradio was built without Jansson, which JSON lines "
                    "need",
                    path);
}

#endif
