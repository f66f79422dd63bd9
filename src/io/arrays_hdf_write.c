/* Writing arrays to HDF5 files, and to those that MATLAB calls version 7.3: HDF5 behind a block of
 * 512 bytes, the axes in the other order. */
#include "io/arrays_hdf.h"

#if HAVE_HDF5

#include "base/checked.h"
#include "base/text.h"
#include "io/uvh5_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { USER_BLOCK = 512, PIECE_BYTES = 1 << 20 };

typedef struct hdf_state {
    char *final, *temporary;
    hid_t file, dataset, memory_type;
    int matlab;
    unsigned char *piece, *turned; /* matlab: rows that are not written yet; the same, turned */
    uint64_t piece_rows, row, held, rows_done; /* rows of a piece; elements of one; held elements */
} hdf_state;

static clradio_status create(clr_arrays_writer *writer, int matlab)
{
    hdf_state *state = calloc(1, sizeof *state);
    writer->state = state;
    if (!state)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to write '%s'", writer->path);
    *state = (hdf_state){ .file = -1, .dataset = -1, .memory_type = -1, .matlab = matlab };
    clradio_status status = clr_final_name(writer->path, &state->final);
    if (!status)
        status = clr_temporary_name(state->final, 0644, &state->temporary);
    if (status)
        return status;
    clr_hdf_quiet();
    hid_t how = H5Pcreate(H5P_FILE_CREATE);
    if (how >= 0 && (!matlab || H5Pset_userblock(how, USER_BLOCK) >= 0))
        state->file = H5Fcreate(state->temporary, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    if (how >= 0)
        H5Pclose(how);
    return state->file < 0 ? clr_hdf_fail("create", writer->path) : CLRADIO_OK;
}

static clradio_status hdf5_create(clr_arrays_writer *writer)
{
    return create(writer, 0);
}

static clradio_status mat73_create(clr_arrays_writer *writer)
{
    return create(writer, 1);
}

static int put_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *value)
{
    hid_t attribute = type >= 0 && space >= 0
                          ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                          : -1;
    int done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

/* A text of fixed length. */
static int put_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    int done = type >= 0 && H5Tset_size(type, strlen(text)) >= 0 &&
               H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
               put_attribute(object, name, type, H5Screate(H5S_SCALAR), text);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

/* The names of the axes: as one text, and as H5DSset_label writes them for other readers. */
static int put_labels(const clr_arrays_writer *writer, hid_t dataset)
{
    const clr_arrays_layout *layout = &writer->layout;
    hsize_t size = layout->rank;
    const char *labels[CLR_ARRAYS_MOST_RANK];
    char text[CLR_ARRAYS_MOST_RANK * CLR_ARRAYS_AXIS_BYTES + 1] = "";
    size_t length = 0;
    int named = 0;
    for (unsigned k = 0; k < layout->rank; k++) {
        labels[k] = layout->axis[k];
        named |= *labels[k] != '\0';
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s", k ? "," : "", labels[k]);
    }
    if (!named)
        return 1;
    hid_t type = H5Tcopy(H5T_C_S1);
    int done =
        type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 &&
        put_attribute(dataset, "DIMENSION_LABELS", type, H5Screate_simple(1, &size, NULL), labels);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

static int put_matlab_class(clr_element element, hid_t dataset)
{
    const char *name = element == CLR_ELEMENT_F32 || element == CLR_ELEMENT_CF32   ? "single"
                       : element == CLR_ELEMENT_F64 || element == CLR_ELEMENT_CF64 ? "double"
                                                                                   : NULL;
    name = name ? name : clr_element_name(element); /* int8 and its like are called the same */
    return put_text(dataset, "MATLAB_class", name);
}

/* MATLAB has no array of fewer than two axes: a number is 1 x 1, a list a column. */
static unsigned file_size(const hdf_state *state, const clr_arrays_layout *layout, uint64_t *size)
{
    unsigned rank = layout->rank;
    for (unsigned k = 0; k < rank; k++)
        size[k] = layout->size[state->matlab ? rank - 1 - k : k];
    if (state->matlab && rank < 2) {
        size[1] = rank ? size[0] : 1;
        size[0] = 1;
        rank = 2;
    }
    return rank;
}

/* Rows of the first axis are columns in the file: chunks keep a piece of them together. */
static int set_chunks(hid_t how, const uint64_t *size, unsigned rank, uint64_t rows, size_t bytes)
{
    hsize_t chunk[CLR_ARRAYS_MOST_RANK];
    uint64_t room = PIECE_BYTES / bytes;
    for (unsigned k = rank; k-- > 0;) {
        uint64_t most = k == rank - 1 ? rows : room;
        chunk[k] = clr_max_u64(1, clr_min_u64(size[k], clr_max_u64(most, 1)));
        room = clr_max_u64(1, room / chunk[k]);
    }
    return H5Pset_chunk(how, (int)rank, chunk) >= 0;
}

static clradio_status begin_pieces(clr_arrays_writer *writer)
{
    hdf_state *state = writer->state;
    size_t bytes = clr_element_bytes(writer->layout.element);
    uint64_t rows = writer->layout.rank ? writer->layout.size[0] : 1;
    state->row = writer->count ? writer->count / rows : 1;
    state->piece_rows = clr_max_u64(1, PIECE_BYTES / bytes / state->row);
    state->piece_rows = clr_min_u64(state->piece_rows, clr_max_u64(rows, 1));
    state->held = state->rows_done = 0;
    size_t piece = (size_t)(state->piece_rows * state->row * bytes);
    free(state->piece);
    free(state->turned);
    state->piece = malloc(piece);
    state->turned = malloc(piece);
    if (state->piece && state->turned)
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a row of '%s'", writer->name);
}

static clradio_status hdf_begin(clr_arrays_writer *writer)
{
    hdf_state *state = writer->state;
    const clr_arrays_layout *layout = &writer->layout;
    uint64_t size[CLR_ARRAYS_MOST_RANK] = { 0 };
    hsize_t extent[CLR_ARRAYS_MOST_RANK];
    unsigned rank = file_size(state, layout, size);
    int turns = state->matlab && !layout->fortran;
    clradio_status status = turns ? begin_pieces(writer) : CLRADIO_OK;
    if (status)
        return status;
    for (unsigned k = 0; k < rank; k++)
        extent[k] = size[k];
    clr_hdf_quiet();
    hid_t space = rank ? H5Screate_simple((int)rank, extent, NULL) : H5Screate(H5S_SCALAR);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    int chunked = turns && writer->count > state->piece_rows * state->row;
    state->memory_type = clr_arrays_hdf_type(layout->element, state->matlab ? "real" : "r",
                                             state->matlab ? "imag" : "i");
    int done = space >= 0 && how >= 0 && state->memory_type >= 0 &&
               (!chunked ||
                set_chunks(how, size, rank, state->piece_rows, clr_element_bytes(layout->element)));
    if (done)
        state->dataset = H5Dcreate2(state->file, writer->name, state->memory_type, space,
                                    H5P_DEFAULT, how, H5P_DEFAULT);
    done = done && state->dataset >= 0 && put_labels(writer, state->dataset) &&
           (!state->matlab || put_matlab_class(layout->element, state->dataset));
    if (how >= 0)
        H5Pclose(how);
    if (space >= 0)
        H5Sclose(space);
    return done ? CLRADIO_OK : clr_hdf_fail("write", writer->path);
}

static int put_block(hdf_state *state, unsigned rank, const hsize_t *start, const hsize_t *block,
                     const void *elements)
{
    hid_t space = H5Dget_space(state->dataset);
    hid_t memory = rank ? H5Screate_simple((int)rank, block, NULL) : H5Screate(H5S_SCALAR);
    int done =
        space >= 0 && memory >= 0 &&
        (!rank || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL) >= 0) &&
        H5Dwrite(state->dataset, state->memory_type, memory, space, H5P_DEFAULT, elements) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

/* Elements in the order in which they lie in the file. */
static clradio_status append_straight(clr_arrays_writer *writer, const void *elements,
                                      uint64_t count)
{
    hdf_state *state = writer->state;
    const clr_arrays_layout *layout = &writer->layout;
    uint64_t first = writer->done, size[CLR_ARRAYS_MOST_RANK] = { 0 };
    unsigned rank = file_size(state, layout, size);
    clr_hdf_quiet();
    while (count) {
        hsize_t start[CLR_ARRAYS_MOST_RANK], block[CLR_ARRAYS_MOST_RANK];
        uint64_t n = 1;
        if (rank)
            clr_arrays_hdf_block(size, rank, first, count, start, block, &n);
        if (!put_block(state, rank, start, block, elements))
            return clr_hdf_fail("write", writer->path);
        first += n;
        count -= n;
        elements = (const char *)elements + n * clr_element_bytes(layout->element);
    }
    return CLRADIO_OK;
}

/* The rows that are held, turned, to their columns. */
static clradio_status put_piece(clr_arrays_writer *writer)
{
    hdf_state *state = writer->state;
    const clr_arrays_layout *layout = &writer->layout;
    hsize_t start[CLR_ARRAYS_MOST_RANK] = { 0 }, block[CLR_ARRAYS_MOST_RANK];
    uint64_t size[CLR_ARRAYS_MOST_RANK] = { 0 };
    unsigned rank = file_size(state, layout, size);
    uint64_t rows = state->held / state->row;
    if (!rows)
        return CLRADIO_OK;
    for (unsigned k = 0; k < rank; k++)
        block[k] = size[k];
    if (layout->rank) {
        start[rank - 1] = state->rows_done;
        block[rank - 1] = rows;
    }
    if (layout->rank > 1)
        clr_arrays_to_fortran(layout, rows, state->piece, state->turned);
    if (!put_block(state, rank, start, block, layout->rank > 1 ? state->turned : state->piece))
        return clr_hdf_fail("write", writer->path);
    state->rows_done += rows;
    state->held = 0;
    return CLRADIO_OK;
}

static clradio_status mat73_append(clr_arrays_writer *writer, const void *elements, uint64_t count)
{
    hdf_state *state = writer->state;
    size_t bytes = clr_element_bytes(writer->layout.element);
    uint64_t room = state->piece_rows * state->row;
    clradio_status status = CLRADIO_OK;
    if (writer->layout.fortran)
        return append_straight(writer, elements, count);
    clr_hdf_quiet();
    while (count && !status) {
        uint64_t n = clr_min_u64(count, room - state->held);
        memcpy(state->piece + state->held * bytes, elements, (size_t)n * bytes);
        elements = (const char *)elements + n * bytes;
        state->held += n;
        count -= n;
        if (state->held == room)
            status = put_piece(writer);
    }
    return status;
}

static clradio_status hdf_end(clr_arrays_writer *writer)
{
    hdf_state *state = writer->state;
    clr_hdf_quiet();
    clradio_status status =
        state->matlab && !writer->layout.fortran ? put_piece(writer) : CLRADIO_OK;
    if (H5Dclose(state->dataset) < 0 && !status)
        status = clr_hdf_fail("write", writer->path);
    H5Tclose(state->memory_type);
    state->dataset = state->memory_type = -1;
    return status;
}

/* The text and the two marks by which MATLAB knows its files. */
static clradio_status put_user_block(clr_arrays_writer *writer)
{
    hdf_state *state = writer->state;
    unsigned char block[USER_BLOCK] = { 0 };
    static const char text[] = "MATLAB 7.3 MAT-file, Platform: clradio, Created by: clradio "
                               "HDF5 schema 1.00 .";
    memset(block, ' ', 116);
    memcpy(block, text, sizeof text - 1);
    memcpy(block + 124, "\0\2IM", 4);
    FILE *stream = fopen(state->temporary, "r+b");
    int done = stream && fwrite(block, 1, sizeof block, stream) == sizeof block;
    if (stream)
        done = fclose(stream) == 0 && done;
    return done
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->path, strerror(errno));
}

static clradio_status hdf_close(clr_arrays_writer *writer, int keep)
{
    hdf_state *state = writer->state;
    if (!state)
        return CLRADIO_OK;
    clradio_status status = CLRADIO_OK;
    clr_hdf_quiet();
    if (state->dataset >= 0)
        H5Dclose(state->dataset);
    if (state->memory_type >= 0)
        H5Tclose(state->memory_type);
    if (state->file >= 0 && H5Fclose(state->file) < 0 && keep)
        status = clr_hdf_fail("write", writer->path);
    if (!status && keep && state->matlab)
        status = put_user_block(writer);
    if (!status && keep)
        status = clr_temporary_keep(&state->temporary, state->final);
    clr_temporary_drop(&state->temporary);
    free(state->final);
    free(state->piece);
    free(state->turned);
    free(state);
    return status;
}

#else

static clradio_status hdf5_create(clr_arrays_writer *writer)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot write '%s': this clradio was built without HDF5", writer->path);
}

static clradio_status hdf_begin(clr_arrays_writer *writer)
{
    return hdf5_create(writer);
}

static clradio_status append_straight(clr_arrays_writer *writer, const void *elements,
                                      uint64_t count)
{
    (void)elements, (void)count;
    return hdf5_create(writer);
}

static clradio_status hdf_close(clr_arrays_writer *writer, int keep)
{
    (void)writer, (void)keep;
    return CLRADIO_OK;
}

#define mat73_create hdf5_create
#define mat73_append append_straight
#define hdf_end hdf_begin
#endif

const clr_arrays_writer_format clr_hdf5_writer = { "hdf5",          hdf5_create, hdf_begin,
                                                   append_straight, hdf_end,     hdf_close };
const clr_arrays_writer_format clr_mat73_writer = { "mat7.3",     mat73_create, hdf_begin,
                                                    mat73_append, hdf_end,      hdf_close };
