/* Writing MATLAB's .mat files of version 5 through matio, which takes a variable at once: it is
 * gathered in memory first. */
#include "base/checked.h"
#include "io/arrays_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if HAVE_MATIO

#include <matio.h>

typedef struct mat_state {
    char *final, *temporary;
    mat_t *mat;
    unsigned char *content; /* of the array being written */
    uint64_t least_bytes;   /* of the file so far */
} mat_state;

enum { FILE_HEADER = 128, TAG = 8 };

/* What a variable takes at least: tags of the whole, the flags (and 8 bytes of them), sizes, name
 * and each part, and the parts themselves. */
static uint64_t least_bytes_of(uint64_t bytes, int parts)
{
    return 4 * TAG + 8 + bytes + (bytes > 8 ? (uint64_t)parts * TAG : 0);
}

static clradio_status mat_create(clr_arrays_writer *writer)
{
    mat_state *state = calloc(1, sizeof *state);
    writer->state = state;
    if (!state)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to write '%s'", writer->path);
    clradio_status status = clr_final_name(writer->path, &state->final);
    if (!status)
        status = clr_temporary_name(state->final, 0644, &state->temporary);
    if (status)
        return status;
    state->least_bytes = FILE_HEADER;
    state->mat =
        Mat_CreateVer(state->temporary, "MATLAB 5.0 MAT-file, Created by: clradio", MAT_FT_MAT5);
    return state->mat ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_IO, "cannot create '%s'", writer->path);
}

static clradio_status mat_begin(clr_arrays_writer *writer)
{
    mat_state *state = writer->state;
    uint64_t bytes = writer->count * clr_element_bytes(writer->layout.element);
    if (bytes > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "'%s' takes %llu bytes; a .mat file of version 5 holds 2 GiB a variable: "
                        "write version 7.3",
                        writer->name, (unsigned long long)bytes);
    state->content = malloc(bytes ? (size_t)bytes : 1);
    return state->content ? CLRADIO_OK
                          : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for '%s'", writer->name);
}

static clradio_status mat_append(clr_arrays_writer *writer, const void *elements, uint64_t count)
{
    mat_state *state = writer->state;
    size_t bytes = clr_element_bytes(writer->layout.element);
    memcpy(state->content + writer->done * bytes, elements, (size_t)count * bytes);
    return CLRADIO_OK;
}

static enum matio_classes class_of(clr_element element, enum matio_types *type)
{
    switch (element) {
    case CLR_ELEMENT_I8: return *type = MAT_T_INT8, MAT_C_INT8;
    case CLR_ELEMENT_U8: return *type = MAT_T_UINT8, MAT_C_UINT8;
    case CLR_ELEMENT_I16: return *type = MAT_T_INT16, MAT_C_INT16;
    case CLR_ELEMENT_U16: return *type = MAT_T_UINT16, MAT_C_UINT16;
    case CLR_ELEMENT_I32: return *type = MAT_T_INT32, MAT_C_INT32;
    case CLR_ELEMENT_U32: return *type = MAT_T_UINT32, MAT_C_UINT32;
    case CLR_ELEMENT_I64: return *type = MAT_T_INT64, MAT_C_INT64;
    case CLR_ELEMENT_U64: return *type = MAT_T_UINT64, MAT_C_UINT64;
    case CLR_ELEMENT_F32:
    case CLR_ELEMENT_CF32: return *type = MAT_T_SINGLE, MAT_C_SINGLE;
    default: return *type = MAT_T_DOUBLE, MAT_C_DOUBLE;
    }
}

/* Interleaved to split, in place of turned. */
static void split(const unsigned char *pairs, size_t n, size_t part, unsigned char *re,
                  unsigned char *im)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(re + i * part, pairs + 2 * i * part, part);
        memcpy(im + i * part, pairs + (2 * i + 1) * part, part);
    }
}

static clradio_status mat_end(clr_arrays_writer *writer)
{
    mat_state *state = writer->state;
    const clr_arrays_layout *layout = &writer->layout;
    size_t n = (size_t)writer->count, bytes = clr_element_bytes(layout->element);
    int pair = clr_element_is_complex(layout->element);
    size_t dims[CLR_ARRAYS_MOST_RANK] = { 1, 1 };
    enum matio_types type;
    enum matio_classes kind = class_of(layout->element, &type);
    for (unsigned k = 0; k < layout->rank; k++)
        dims[k] = (size_t)layout->size[k];
    unsigned char *turned = malloc(n ? n * bytes : 1), *parts = malloc(n ? n * bytes : 1);
    clradio_status status = CLRADIO_OK;
    if (!turned || !parts)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for '%s'", writer->name);
    if (!status && layout->rank > 1 && !layout->fortran)
        clr_arrays_to_fortran(layout, layout->size[0], state->content, turned);
    else if (!status)
        memcpy(turned, state->content, n * bytes);
    if (!status) {
        mat_complex_split_t halves = { parts, parts + n * bytes / 2 };
        if (pair)
            split(turned, n, bytes / 2, halves.Re, halves.Im);
        int flags = MAT_F_DONT_COPY_DATA | (pair ? MAT_F_COMPLEX : 0);
        matvar_t *variable =
            Mat_VarCreate(writer->name, kind, type, layout->rank < 2 ? 2 : (int)layout->rank, dims,
                          pair ? (void *)&halves : turned, flags);
        if (!variable || Mat_VarWrite(state->mat, variable, MAT_COMPRESSION_NONE))
            status =
                clr_fail(CLRADIO_ERROR_IO, "cannot write '%s' to '%s'", writer->name, writer->path);
        state->least_bytes += least_bytes_of((uint64_t)n * bytes, pair ? 2 : 1);
        Mat_VarFree(variable);
    }
    free(turned);
    free(parts);
    free(state->content);
    state->content = NULL;
    return status;
}

/* matio does not tell that a write failed, as on a full disk; what is missing tells. */
static clradio_status check_size(const clr_arrays_writer *writer)
{
    const mat_state *state = writer->state;
    struct stat facts;
    if (stat(state->temporary, &facts))
        return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->path, strerror(errno));
    if ((uint64_t)facts.st_size < state->least_bytes)
        return clr_fail(CLRADIO_ERROR_IO,
                        "cannot write '%s': only %llu of %llu bytes arrived; is the disk full?",
                        writer->path, (unsigned long long)facts.st_size,
                        (unsigned long long)state->least_bytes);
    return CLRADIO_OK;
}

static clradio_status mat_close(clr_arrays_writer *writer, int keep)
{
    mat_state *state = writer->state;
    clradio_status status = CLRADIO_OK;
    if (!state)
        return status;
    if (state->mat && Mat_Close(state->mat) && keep)
        status = clr_fail(CLRADIO_ERROR_IO, "cannot write '%s'", writer->path);
    if (keep && !status)
        status = check_size(writer);
    if (keep && !status)
        status = clr_temporary_keep(&state->temporary, state->final);
    clr_temporary_drop(&state->temporary);
    free(state->final);
    free(state->content);
    free(state);
    return status;
}

#else

static clradio_status mat_create(clr_arrays_writer *writer)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot write '%s': this clradio was built without matio, which .mat files of "
                    "version 5 need",
                    writer->path);
}

static clradio_status mat_append(clr_arrays_writer *writer, const void *elements, uint64_t count)
{
    (void)elements, (void)count;
    return mat_create(writer);
}

static clradio_status mat_close(clr_arrays_writer *writer, int keep)
{
    (void)writer, (void)keep;
    return CLRADIO_OK;
}

#define mat_begin mat_create
#define mat_end mat_create
#endif

const clr_arrays_writer_format clr_mat_writer = { "mat",      mat_create, mat_begin,
                                                  mat_append, mat_end,    mat_close };
