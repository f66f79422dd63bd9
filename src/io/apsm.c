/*
 * Captures as Fraunhofer HHI's libapsm keeps them: the number of arrays, their names, then for each
 * the number of axes, the sizes and float32 elements, all little endian; the last axis is re, im.
 */
#include "base/checked.h"
#include "base/text.h"
#include "io/arrays_internal.h"

#include <string.h>

enum { MOST_ARRAYS = 64 };

static uint32_t word(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The next word at *at; 0 behind the end. */
static int take_word(clr_arrays_file *file, uint64_t *at, uint32_t *value)
{
    unsigned char bytes[4];
    if (file->bytes - *at < 4 || clr_arrays_read_bytes(file, *at, 4, bytes))
        return 0;
    *value = word(bytes);
    *at += 4;
    return 1;
}

int clr_apsm_recognise(const unsigned char *first, size_t count)
{
    uint32_t arrays = count >= 8 ? word(first) : 0, length = count >= 8 ? word(first + 4) : 0;
    if (!arrays || arrays > MOST_ARRAYS || !length || length > 64 || length > count - 8)
        return 0;
    for (uint32_t k = 0; k < length; k++)
        if (first[8 + k] <= ' ' || first[8 + k] > '~')
            return 0;
    return 1;
}

static clradio_status take_names(clr_arrays_file *file, uint64_t *at, uint32_t arrays)
{
    for (uint32_t k = 0; k < arrays; k++) {
        uint32_t length;
        if (!take_word(file, at, &length) || !length || length >= CLR_ARRAYS_NAME_BYTES ||
            length > file->bytes - *at)
            return clr_arrays_damaged(file, "the name of array %u does not fit", (unsigned)k);
        clr_arrays_entry *entry = clr_arrays_new_entry(file);
        if (!entry)
            return CLRADIO_ERROR_MEMORY;
        clradio_status status = clr_arrays_read_bytes(file, *at, length, entry->info.name);
        if (status)
            return status;
        *at += length;
    }
    return CLRADIO_OK;
}

static clradio_status take_array(clr_arrays_file *file, uint64_t *at, clr_arrays_entry *entry)
{
    static const uint16_t one = 1;
    clr_arrays_info *info = &entry->info;
    uint32_t rank;
    if (!take_word(file, at, &rank) || rank > CLR_ARRAYS_MOST_RANK)
        return clr_arrays_damaged(file, "'%s' does not say its sizes", info->name);
    info->rank = rank;
    for (uint32_t k = 0; k < rank; k++) {
        uint32_t size;
        if (!take_word(file, at, &size))
            return clr_arrays_damaged(file, "'%s' does not say its sizes", info->name);
        info->size[k] = size;
    }
    info->element = CLR_ELEMENT_F32;
    if (rank && info->size[rank - 1] == 2) {
        info->element = CLR_ELEMENT_CF32;
        info->rank--;
    }
    entry->offset = *at;
    entry->swapped = !*(const unsigned char *)&one;
    if (!clr_arrays_set_count(info) ||
        info->count > (file->bytes - *at) / clr_element_bytes(info->element))
        return clr_arrays_damaged(file, "it is cut short in '%s'", info->name);
    *at += info->count * clr_element_bytes(info->element);
    return CLRADIO_OK;
}

static clradio_status apsm_open(clr_arrays_file *file)
{
    uint64_t at = 0;
    uint32_t arrays = 0;
    if (!take_word(file, &at, &arrays) || arrays > MOST_ARRAYS)
        return clr_arrays_damaged(file, "it holds more than %d arrays", MOST_ARRAYS);
    clradio_status status = take_names(file, &at, arrays);
    for (size_t k = 0; k < file->entries && !status; k++)
        status = take_array(file, &at, &file->entry[k]);
    if (!status && at != file->bytes)
        status = clr_arrays_damaged(file, "%llu bytes follow its arrays",
                                    (unsigned long long)(file->bytes - at));
    return status;
}

static clradio_status apsm_read(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                                uint64_t count, void *to)
{
    size_t bytes = clr_element_bytes(entry->info.element);
    return clr_arrays_read_bytes(file, entry->offset + first * bytes, count * bytes, to);
}

static void apsm_close(clr_arrays_file *file)
{
    (void)file;
}

const clr_arrays_format clr_apsm_format = { "apsm", apsm_open, apsm_read, apsm_close };
