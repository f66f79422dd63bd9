/*
 * Named arrays of N axes in files: .npy and .npz of NumPy, HDF5, and MATLAB's .mat (v5 through
 * matio, v7.3 through HDF5). A file is recognised by its content; an array is read in any piece of
 * its first axis, in C order, as the element type that the caller wants.
 *
 * Shapes are those that the program sees which wrote the file: an array that MATLAB calls 2 x 3 x 4
 * has the sizes 2, 3, 4 here, wherever its elements lie.
 *
 * Hostile input is normal input: no allocation is sized by an unchecked header field.
 */
#ifndef CLR_IO_ARRAYS_H
#define CLR_IO_ARRAYS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { CLR_ARRAYS_MOST_RANK = 16, CLR_ARRAYS_NAME_BYTES = 128, CLR_ARRAYS_AXIS_BYTES = 24 };

/* Complex elements are interleaved re, im. */
typedef enum clr_element {
    CLR_ELEMENT_NONE,
    CLR_ELEMENT_I8,
    CLR_ELEMENT_I16,
    CLR_ELEMENT_I32,
    CLR_ELEMENT_I64,
    CLR_ELEMENT_U8, /* also booleans: 0 and 1 */
    CLR_ELEMENT_U16,
    CLR_ELEMENT_U32,
    CLR_ELEMENT_U64,
    CLR_ELEMENT_F16, /* in files only */
    CLR_ELEMENT_F32,
    CLR_ELEMENT_F64,
    CLR_ELEMENT_CF32,
    CLR_ELEMENT_CF64
} clr_element;

size_t clr_element_bytes(clr_element element);
/* "float32", "complex128", ... as NumPy calls it. */
const char *clr_element_name(clr_element element);
int clr_element_is_complex(clr_element element);

typedef struct clr_arrays_info {
    char name[CLR_ARRAYS_NAME_BYTES]; /* "a", "group/a"; "" in a .npy file */
    clr_element element;              /* as stored, or the smallest that holds it */
    unsigned rank;                    /* 0: one number */
    uint64_t size[CLR_ARRAYS_MOST_RANK];
    uint64_t count;                                         /* the product of the sizes */
    char axis[CLR_ARRAYS_MOST_RANK][CLR_ARRAYS_AXIS_BYTES]; /* "" where the file names none */
} clr_arrays_info;

typedef struct clr_arrays_file clr_arrays_file;

/* Errors: IO, FORMAT (damaged, or none of the formats), UNSUPPORTED (a format that this build
 * leaves out, an element type that nothing here reads), MEMORY. */
clradio_status clr_arrays_open(const char *path, clr_arrays_file **file);
/* Whether the file begins as an array file does, damaged or not. */
int clr_arrays_is_one(const char *path);
/* NULL is fine. */
void clr_arrays_close(clr_arrays_file *file);
/* "npy", "npz", "hdf5", "mat" (v5), "mat7.3", "apsm" (libapsm's captures). */
const char *clr_arrays_format_name(const clr_arrays_file *file);
size_t clr_arrays_count(const clr_arrays_file *file);
/* NULL behind the last. Lives as long as the file. */
const clr_arrays_info *clr_arrays_get(const clr_arrays_file *file, size_t index);
/* The array of that name: the whole name, else its last part behind / or a full stop when only one
 * array has that. 1 and the index, or 0. */
int clr_arrays_find(const clr_arrays_file *file, const char *name, size_t *index);

/*
 * Rows [first, first + rows) of the first axis into to, C order, as CLR_ELEMENT_F32, F64, CF32,
 * CF64 or I64. An array of rank 0 has one row. Errors: ARGUMENT (rows outside, complex numbers as
 * real ones), OVERFLOW (a number that is no int64), FORMAT, IO, MEMORY.
 */
clradio_status clr_arrays_read(clr_arrays_file *file, size_t index, uint64_t first, uint64_t rows,
                               clr_element as, void *to);
/* Elements [first, first + count) in C order. UNSUPPORTED where the first axis varies fastest in
 * the file; else as above. */
clradio_status clr_arrays_read_elements(clr_arrays_file *file, size_t index, uint64_t first,
                                        uint64_t count, clr_element as, void *to);
/* All of it, malloc'ed. Errors: as above. */
clradio_status clr_arrays_read_all(clr_arrays_file *file, size_t index, clr_element as, void **to);

/* ---- writing ---- */

typedef struct clr_arrays_layout {
    const char *name; /* a .npy file keeps none; .mat takes letters, digits and _ only */
    clr_element element;
    unsigned rank;
    uint64_t size[CLR_ARRAYS_MOST_RANK];
    const char *axis[CLR_ARRAYS_MOST_RANK]; /* NULL where none; kept in HDF5 files */
    int fortran; /* the elements are given with the first axis fastest: .npy, .npz and .mat files
                    keep them so, HDF5 files get the axes in the other order */
} clr_arrays_layout;

typedef struct clr_arrays_writer clr_arrays_writer;

/* format: one of the names above, or NULL: by the suffix (.npy, .npz, .h5, .hdf5; .mat is v7.3).
 * Errors: ARGUMENT (another suffix), UNSUPPORTED, IO, MEMORY. */
clradio_status clr_arrays_create(const char *path, const char *format, clr_arrays_writer **writer);
/* Begins an array; the last one must be whole. A .npy file holds one. Errors: ARGUMENT, LIMIT (more
 * than the format can hold), IO, MEMORY. */
clradio_status clr_arrays_begin(clr_arrays_writer *writer, const clr_arrays_layout *layout);
/* The next count elements of the array, in C order, of the layout's type. */
clradio_status clr_arrays_append(clr_arrays_writer *writer, const void *elements, uint64_t count);
/* Begin and append at once. */
clradio_status clr_arrays_add(clr_arrays_writer *writer, const clr_arrays_layout *layout,
                              const void *elements);
/* The file appears under its name. Frees the writer, whatever the outcome. */
clradio_status clr_arrays_commit(clr_arrays_writer *writer);
/* Leaves nothing behind. NULL is fine. */
void clr_arrays_abandon(clr_arrays_writer *writer);

#endif
