/* Arrays with named axes, brought into one order. */
#include "base/checked.h"
#include "base/text.h"
#include "io/taps_internal.h"

#include <stdlib.h>
#include <string.h>

int clr_taps_name_axes(clr_named_array *array, const char *names)
{
    /* Literals, pointed into: each word is a name of its own here. */
    static const char *const known[] = { "batch", "rx",   "rx_ant",   "tx",   "tx_ant", "tap",
                                         "time",  "user", "snapshot", "link", "path" };
    unsigned n = 0;
    for (const char *word = names; *word && n < CLR_ARRAYS_MOST_RANK; n++) {
        size_t length = strcspn(word, " ");
        array->axis[n] = NULL;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strlen(known[k]) == length && !strncmp(known[k], word, length))
                array->axis[n] = known[k];
        word += length + (word[length] == ' ');
    }
    for (unsigned k = n; k < array->rank; k++)
        if (array->size[k] != 1)
            return 0;
    for (unsigned k = array->rank; k < n; k++)
        array->size[k] = 1;
    /* A missing axis in front would shift all others: only the last two may be missing. */
    if (array->rank + 2 < n)
        return 0;
    array->rank = n;
    return 1;
}

static int axis_index(const clr_named_array *array, const char *name)
{
    for (unsigned k = 0; k < array->rank; k++)
        if (array->axis[k] && !strcmp(array->axis[k], name))
            return (int)k;
    return -1;
}

/* to[i0][i1]... = from[i0 * step0 + i1 * step1 + ...] */
static void gather(const unsigned char *from, const uint64_t *step, const uint64_t *size,
                   unsigned n, size_t bytes, unsigned char *to)
{
    uint64_t index[CLR_ARRAYS_MOST_RANK + 1] = { 0 }, place = 0, count = 1;
    for (unsigned k = 0; k < n; k++)
        count *= size[k];
    for (uint64_t e = 0; e < count; e++) {
        memcpy(to + e * bytes, from + place * bytes, bytes);
        for (unsigned k = n; k-- > 0;) {
            place += step[k];
            if (++index[k] < size[k])
                break;
            place -= size[k] * step[k];
            index[k] = 0;
        }
    }
}

clradio_status clr_taps_arrange(const clr_named_array *array, const char *const *order,
                                const uint64_t *size, unsigned n, uint64_t taps, clr_element as,
                                void **values)
{
    uint64_t stride[CLR_ARRAYS_MOST_RANK], step[CLR_ARRAYS_MOST_RANK + 1];
    uint64_t sizes[CLR_ARRAYS_MOST_RANK + 1], row = 1, bytes;
    int in_order = 1;
    unsigned used = 0;
    *values = NULL;
    for (unsigned k = array->rank; k-- > 0; row *= array->size[k]) {
        stride[k] = row;
        used += array->size[k] == 1; /* one transmitter, one antenna: nothing depends on it */
    }
    for (unsigned k = 0, last = 0; k <= n; k++) {
        int axis = axis_index(array, k < n ? order[k] : "tap");
        sizes[k] = k < n ? size[k] : taps;
        if (axis >= 0 && array->size[axis] != sizes[k])
            return clr_fail(CLRADIO_ERROR_FORMAT,
                            "the gains have %llu along the axis '%s', the delays or phases %llu",
                            (unsigned long long)sizes[k], k < n ? order[k] : "tap",
                            (unsigned long long)array->size[axis]);
        step[k] = axis >= 0 ? stride[axis] : 0;
        in_order &= axis >= 0 ? (unsigned)axis + 1 > last : sizes[k] == 1;
        last = axis >= 0 ? (unsigned)axis + 1 : last;
        used += axis >= 0 && array->size[axis] != 1;
    }
    if (used != array->rank)
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "the delays, phases or rates have an axis that the gains do not have");
    uint64_t count;
    if (!clr_product_u64(sizes, n + 1, &count) ||
        !clr_mul_u64(count, clr_element_bytes(as), &bytes) || bytes > SIZE_MAX / 2)
        return clr_fail(CLRADIO_ERROR_FORMAT, "the sizes of the taps cannot be counted");
    void *content;
    clradio_status status = clr_arrays_read_all(array->file, array->index, as, &content);
    if (status || in_order || !count) {
        *values = content;
        return status;
    }
    void *ordered = malloc((size_t)bytes);
    if (ordered)
        gather(content, step, sizes, n + 1, clr_element_bytes(as), ordered);
    else
        status =
            clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %llu numbers", (unsigned long long)count);
    free(content);
    *values = ordered;
    return status;
}

clradio_status clr_taps_join(const clr_named_array *gain, const clr_named_array *delay,
                             const char *const *out, unsigned n, unsigned links, int cf64,
                             clr_taps *taps)
{
    unsigned depends = 0;
    int tap = axis_index(gain, "tap");
    if (tap < 0)
        return clr_fail(CLRADIO_ERROR_FORMAT, "the gains have no axis of taps");
    taps->rank = n;
    taps->taps = taps->taps_per_link = gain->size[tap];
    for (unsigned k = 0; k < n; k++) {
        int axis = axis_index(gain, out[k]);
        for (unsigned other = 0; other < k; other++)
            if (!strcmp(out[other], out[k]))
                return clr_fail(CLRADIO_ERROR_FORMAT, "two axes of the gains are called '%s'",
                                out[k]);
        taps->size[k] = axis < 0 ? 1 : gain->size[axis];
        clr_copy_text(taps->axis[k], sizeof taps->axis[k], out[k]);
        if (axis_index(delay, out[k]) >= 0 && taps->size[k] > 1)
            depends = k + 1;
    }
    /* Delays that belong to every path: links are as long as they can be. */
    taps->per_path = links ? depends > links : depends == n && n > 0;
    if (!links)
        links = taps->per_path ? 1 : depends;
    taps->link_axes = links;
    uint64_t path_count, gain_count;
    if (!clr_product_u64(taps->size, links, &taps->links) ||
        !clr_product_u64(taps->size + links, n - links, &taps->paths_per_link) ||
        !clr_mul_u64(taps->links, taps->paths_per_link, &path_count) ||
        !clr_mul_u64(path_count, taps->taps, &gain_count))
        return clr_fail(CLRADIO_ERROR_FORMAT, "the sizes of the taps cannot be counted");
    taps->paths = path_count;
    taps->beams = taps->links;
    taps->gain_count = gain_count;
    taps->delay_count = taps->per_path ? gain_count : taps->links * taps->taps;
    clradio_status status =
        clr_taps_arrange(gain, out, taps->size, n, taps->taps,
                         cf64 ? CLR_ELEMENT_CF64 : CLR_ELEMENT_CF32, &taps->gains);
    if (!status)
        status = clr_taps_arrange(delay, out, taps->size, taps->per_path ? n : links, taps->taps,
                                  CLR_ELEMENT_F64, (void **)&taps->delays);
    return status;
}
