/* Writing array files: what all formats share. A file appears under its name when it is whole. */
#include "base/checked.h"
#include "base/text.h"
#include "io/arrays_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const clr_arrays_writer_format *const formats[] = { &clr_npy_writer, &clr_npz_writer,
                                                           &clr_hdf5_writer, &clr_mat_writer,
                                                           &clr_mat73_writer };
enum { FORMATS = sizeof formats / sizeof *formats };

static const clr_arrays_writer_format *by_suffix(const char *path)
{
    static const struct {
        const char *suffix;
        const clr_arrays_writer_format *format;
    } suffixes[] = {
        { ".npy", &clr_npy_writer },   { ".npz", &clr_npz_writer },   { ".h5", &clr_hdf5_writer },
        { ".hdf5", &clr_hdf5_writer }, { ".mat", &clr_mat73_writer },
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (!strcasecmp(dot, suffixes[i].suffix))
            return suffixes[i].format;
    return NULL;
}

clradio_status clr_arrays_create(const char *path, const char *format, clr_arrays_writer **result)
{
    const clr_arrays_writer_format *chosen = format ? NULL : by_suffix(path);
    *result = NULL;
    for (size_t i = 0; format && i < FORMATS; i++)
        if (!strcasecmp(format, formats[i]->name))
            chosen = formats[i];
    if (!chosen && format)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "'%s' is no format of arrays; there are npy, npz, hdf5, mat and mat7.3",
                        format);
    if (!chosen)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "'%s' does not say its format: a name ends in .npy, .npz, .h5, .hdf5 or "
                        ".mat",
                        path);
    clr_arrays_writer *writer = calloc(1, sizeof *writer);
    if (!writer || !(writer->path = strdup(path))) {
        free(writer);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to write '%s'", path);
    }
    writer->format = chosen;
    clradio_status status = chosen->create(writer);
    if (status) {
        clr_arrays_abandon(writer);
        return status;
    }
    *result = writer;
    return CLRADIO_OK;
}

/* MATLAB's names; the other formats take what can be read again. */
static int name_is_good(const clr_arrays_writer *writer, const char *name)
{
    int matlab = writer->format == &clr_mat_writer || writer->format == &clr_mat73_writer;
    size_t length = strlen(name);
    if (!length || length >= CLR_ARRAYS_NAME_BYTES - 8 || (matlab && length > 63))
        return 0;
    for (const char *p = name; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (matlab ? !isalnum(c) && c != '_' : c <= ' ' || c == 127 || strchr("/.\\", c) != NULL)
            return 0;
    }
    return !matlab || isalpha((unsigned char)*name);
}

static clradio_status finish_array(clr_arrays_writer *writer)
{
    if (!writer->open)
        return CLRADIO_OK;
    if (writer->done != writer->count)
        return clr_fail(CLRADIO_ERROR_STATE, "'%s' has %llu elements, only %llu were given",
                        writer->name, (unsigned long long)writer->count,
                        (unsigned long long)writer->done);
    writer->open = 0;
    return writer->format->end(writer);
}

/* The first axis fastest is the last one slowest. */
static void turn_axes(clr_arrays_writer *writer)
{
    clr_arrays_layout *layout = &writer->layout;
    for (unsigned k = 0; k < layout->rank / 2; k++) {
        unsigned other = layout->rank - 1 - k;
        uint64_t size = layout->size[k];
        const char *axis = layout->axis[k];
        layout->size[k] = layout->size[other];
        layout->axis[k] = layout->axis[other];
        layout->size[other] = size;
        layout->axis[other] = axis;
    }
    layout->fortran = 0;
}

clradio_status clr_arrays_begin(clr_arrays_writer *writer, const clr_arrays_layout *layout)
{
    clr_arrays_info info = { .element = layout->element, .rank = layout->rank };
    clradio_status status = finish_array(writer);
    if (status)
        return status;
    if (writer->arrays && writer->format == &clr_npy_writer)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "'%s': a .npy file holds one array; .npz, .h5 and .mat files hold several",
                        writer->path);
    if (!layout->element || layout->element == CLR_ELEMENT_F16 ||
        layout->rank > CLR_ARRAYS_MOST_RANK || !layout->name || !name_is_good(writer, layout->name))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' cannot hold an array like '%s'", writer->path,
                        layout->name ? layout->name : "");
    memcpy(info.size, layout->size, layout->rank * sizeof *info.size);
    if (!clr_arrays_set_count(&info))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the size of '%s' cannot be counted", layout->name);
    writer->layout = *layout;
    clr_copy_text(writer->name, sizeof writer->name, layout->name);
    writer->layout.name = writer->name;
    for (unsigned k = 0; k < layout->rank; k++) {
        clr_copy_text(writer->axis[k], sizeof *writer->axis,
                      layout->axis[k] ? layout->axis[k] : "");
        writer->layout.axis[k] = writer->axis[k];
    }
    if (layout->fortran && writer->format == &clr_hdf5_writer)
        turn_axes(writer);
    writer->count = info.count;
    writer->done = 0;
    status = writer->format->begin(writer);
    writer->open = !status;
    writer->arrays += !status;
    return status;
}

clradio_status clr_arrays_append(clr_arrays_writer *writer, const void *elements, uint64_t count)
{
    if (!writer->open || count > writer->count - writer->done)
        return clr_fail(CLRADIO_ERROR_STATE, "'%s': more elements were given than '%s' has",
                        writer->path, writer->name);
    clradio_status status = count ? writer->format->append(writer, elements, count) : CLRADIO_OK;
    if (!status)
        writer->done += count;
    return status;
}

clradio_status clr_arrays_add(clr_arrays_writer *writer, const clr_arrays_layout *layout,
                              const void *elements)
{
    clradio_status status = clr_arrays_begin(writer, layout);
    return status ? status : clr_arrays_append(writer, elements, writer->count);
}

static clradio_status close_writer(clr_arrays_writer *writer, int keep)
{
    clradio_status status = keep ? finish_array(writer) : CLRADIO_OK;
    if (!status && keep && !writer->arrays)
        status = clr_fail(CLRADIO_ERROR_STATE, "'%s' would hold no array", writer->path);
    clradio_status closed = writer->format->close(writer, keep && !status);
    free(writer->path);
    free(writer);
    return status ? status : closed;
}

clradio_status clr_arrays_commit(clr_arrays_writer *writer)
{
    return close_writer(writer, 1);
}

void clr_arrays_abandon(clr_arrays_writer *writer)
{
    if (writer)
        close_writer(writer, 0);
}
