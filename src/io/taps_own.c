/*
 * Our own layout: gain [..][tap] with delay of the same axes, fewer, or the tap's alone; axes by
 * the names in the file, or else by their number:
 *
 *   [tap]; [path][tap]; [link][path][tap]; [link][rx][tx][tap]; [link][rx][tx][time][tap]
 *
 * Ragged links: gain and delay are lists, link_paths and link_taps (and beam_links) the offsets.
 */
#include "base/checked.h"
#include "base/text.h"
#include "io/taps_internal.h"

#include <stdlib.h>
#include <string.h>

/* Offsets that begin at 0 and never fall; *last: the number of what they count. */
static clradio_status read_offsets(const clr_named_files *files, const char *name,
                                   uint64_t **offsets, uint64_t *n, uint64_t *last)
{
    clr_named_array array;
    int64_t *whole = NULL;
    if (!clr_named_find(files, name, &array))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "ragged links need the array '%s' too", name);
    uint64_t count = clr_arrays_get(array.file, array.index)->count;
    clradio_status status =
        clr_arrays_read_all(array.file, array.index, CLR_ELEMENT_I64, (void **)&whole);
    if (status)
        return status;
    int good = count > 0 && whole[0] == 0;
    for (uint64_t i = 1; i < count && good; i++)
        good = whole[i] >= whole[i - 1];
    if (!good || (*n && count != *n)) {
        free(whole);
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "'%s' must hold offsets: from 0, never falling, one more than there are",
                        name);
    }
    *n = count;
    *last = (uint64_t)whole[count - 1];
    *offsets = (uint64_t *)(void *)whole; /* none is negative: the same bits */
    return CLRADIO_OK;
}

static uint64_t sum_of_gains(const clr_taps *taps)
{
    uint64_t sum = 0, product;
    for (uint64_t l = 0; l < taps->links; l++)
        if (!clr_mul_u64(taps->link_paths[l + 1] - taps->link_paths[l],
                         taps->link_taps[l + 1] - taps->link_taps[l], &product) ||
            !clr_add_u64(sum, product, &sum))
            return UINT64_MAX;
    return sum;
}

static clradio_status read_ragged(const clr_named_files *files, const clr_named_array *gain,
                                  const clr_named_array *delay, int cf64, clr_taps *taps)
{
    clr_named_array beams;
    uint64_t n = 0, all_taps = 0, beam_count = 0, beam_last = 0;
    clradio_status status = read_offsets(files, "link_paths", &taps->link_paths, &n, &taps->paths);
    if (!status)
        status = read_offsets(files, "link_taps", &taps->link_taps, &n, &all_taps);
    if (status)
        return status;
    taps->links = taps->beams = n - 1;
    if (clr_named_find(files, "beam_links", &beams)) {
        status = read_offsets(files, "beam_links", &taps->beam_links, &beam_count, &beam_last);
        if (!status && beam_last != taps->links)
            status = clr_fail(CLRADIO_ERROR_FORMAT, "'beam_links' ends with %llu of %llu links",
                              (unsigned long long)beam_last, (unsigned long long)taps->links);
        taps->beams = beam_count ? beam_count - 1 : 0;
    }
    for (uint64_t l = 0; l < taps->links; l++)
        taps->taps = clr_max_u64(taps->taps, taps->link_taps[l + 1] - taps->link_taps[l]);
    taps->gain_count = clr_arrays_get(gain->file, gain->index)->count;
    taps->delay_count = clr_arrays_get(delay->file, delay->index)->count;
    uint64_t sum = sum_of_gains(taps);
    taps->per_path = taps->delay_count != all_taps;
    if (!status && (taps->gain_count != sum || (taps->per_path && taps->delay_count != sum)))
        status =
            clr_fail(CLRADIO_ERROR_FORMAT,
                     "link_paths and link_taps make %llu gains and %llu or %llu delays; there "
                     "are %llu and %llu",
                     (unsigned long long)sum, (unsigned long long)all_taps, (unsigned long long)sum,
                     (unsigned long long)taps->gain_count, (unsigned long long)taps->delay_count);
    if (!status)
        status = clr_arrays_read_all(gain->file, gain->index,
                                     cf64 ? CLR_ELEMENT_CF64 : CLR_ELEMENT_CF32, &taps->gains);
    if (!status)
        status =
            clr_arrays_read_all(delay->file, delay->index, CLR_ELEMENT_F64, (void **)&taps->delays);
    taps->rank = 1;
    taps->size[0] = taps->paths;
    clr_copy_text(taps->axis[0], sizeof taps->axis[0], "path");
    return status;
}

/* The file's own names when it has one for every axis, one of them "tap"; else by the number. */
static int name_gain(clr_named_array *gain)
{
    static const char *const by_rank[] = { "tap", "path tap", "link path tap", "link rx tx tap",
                                           "link rx tx time tap" };
    int named = 0, tap = 0;
    for (unsigned k = 0; k < gain->rank; k++) {
        named += *gain->axis[k] != '\0';
        tap |= !strcmp(gain->axis[k], "tap");
    }
    if (named == (int)gain->rank && tap)
        return 1;
    return gain->rank >= 1 && gain->rank <= 5 && clr_taps_name_axes(gain, by_rank[gain->rank - 1]);
}

/* The delay's axes are the gain's, or leading ones of them, and the tap's. */
static int name_delay(const clr_named_array *gain, clr_named_array *delay)
{
    int named = 1;
    for (unsigned k = 0; k < delay->rank; k++)
        named &= *delay->axis[k] != '\0';
    if (named)
        return 1;
    const char *axes[CLR_ARRAYS_MOST_RANK];
    unsigned n = 0;
    for (unsigned k = 0; k < gain->rank; k++)
        if (strcmp(gain->axis[k], "tap") != 0)
            axes[n++] = gain->axis[k];
    if (delay->rank > gain->rank)
        return 0;
    for (unsigned k = 0; k + 1 < delay->rank; k++)
        delay->axis[k] = k < n ? axes[k] : NULL;
    if (delay->rank)
        delay->axis[delay->rank - 1] = "tap";
    return delay->rank >= 1;
}

clradio_status clr_taps_read_own(const clr_named_files *files, const clr_taps_options *options,
                                 clr_taps *taps)
{
    clr_named_array gain, delay, rate, ragged;
    const char *gain_name = options->gain ? options->gain : "gain";
    const char *delay_name = options->delay ? options->delay : "delay";
    if (!clr_named_find(files, gain_name, &gain) || !clr_named_find(files, delay_name, &delay))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the arrays '%s' and '%s' are needed", gain_name,
                        delay_name);
    if (clr_named_find(files, "link_paths", &ragged))
        return read_ragged(files, &gain, &delay, options->cf64, taps);
    if (!name_gain(&gain) || !name_delay(&gain, &delay))
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "'%s' has %u axes and '%s' %u: gains are [tap], [path][tap], "
                        "[link][path][tap], [link][rx][tx][tap] or [link][rx][tx][time][tap], or "
                        "name their axes; delays have no more axes",
                        gain_name, gain.rank, delay_name, delay.rank);
    const char *out[CLR_ARRAYS_MOST_RANK];
    unsigned n = 0;
    for (unsigned k = 0; k < gain.rank; k++)
        if (strcmp(gain.axis[k], "tap") != 0)
            out[n++] = gain.axis[k];
    unsigned links = options->whole_links && n && !strcmp(out[0], "link") ? 1 : 0;
    clradio_status status = clr_taps_join(&gain, &delay, out, n, links, options->cf64, taps);
    if (status || !clr_named_find(files, "rate", &rate))
        return status;
    if (!name_delay(&gain, &rate))
        return clr_fail(CLRADIO_ERROR_FORMAT, "'rate' has more axes than the gains");
    taps->rates_per_path = 1; /* repeated where it has fewer axes */
    return clr_taps_arrange(&rate, out, taps->size, n, taps->taps, CLR_ELEMENT_F64,
                            (void **)&taps->rates);
}
