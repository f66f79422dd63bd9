/* What a format of array files gives to arrays.c and arrays_write.c. Internal to the room io. */
#ifndef CLR_IO_ARRAYS_INTERNAL_H
#define CLR_IO_ARRAYS_INTERNAL_H

#include "base/file.h"
#include "io/arrays.h"

#include <stdio.h>

/* Deflate expands by at most 1,032. */
enum { CLR_ARRAYS_MOST_EXPANSION = 1032, CLR_ARRAYS_MOST_ENTRIES = 4096 };

typedef struct clr_arrays_entry {
    clr_arrays_info info;
    int fortran;     /* the first axis varies fastest in the file */
    int swapped;     /* the bytes of a number stand in the other order */
    uint64_t offset; /* npy, npz: of the first element in the file or in the member */
    uint64_t packed_at, packed_bytes, bytes; /* npz: the member in the file; its size inflated */
    int deflated;
    unsigned char *content; /* npz: the member inflated; mat: all elements */
    int64_t handle;         /* hdf5: the data set; mat: the variable's place in the file */
} clr_arrays_entry;

typedef struct clr_arrays_format {
    const char *name;
    /* Adds the entries. On failure close is called all the same. */
    clradio_status (*open)(clr_arrays_file *file);
    /* Elements [first, first + count) in the file's order, of the entry's type. */
    clradio_status (*read)(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                           uint64_t count, void *to);
    void (*close)(clr_arrays_file *file);
} clr_arrays_format;

struct clr_arrays_file {
    char *path;
    FILE *stream;
    uint64_t bytes; /* of the file */
    const clr_arrays_format *format;
    clr_arrays_entry *entry;
    size_t entries, room;
    int64_t handle; /* hdf5: the file */
    int matlab;     /* hdf5: written by MATLAB */
    void *state;    /* mat */
    size_t visited; /* hdf5: links looked at */
};

extern const clr_arrays_format clr_npy_format, clr_npz_format, clr_hdf5_format, clr_mat_format,
    clr_apsm_format;
/* Whether a file that begins with these bytes may be one. */
int clr_apsm_recognise(const unsigned char *first, size_t count);

/* "'path' is damaged: ..." */
clradio_status clr_arrays_damaged(const clr_arrays_file *file, const char *format, ...)
    CLR_PRINTF(2, 3);
/* A zeroed entry behind the last; NULL: no memory, or too many (the sentence is kept). */
clr_arrays_entry *clr_arrays_new_entry(clr_arrays_file *file);
/* info.count from rank and sizes; 0 when it or the bytes of the elements cannot be counted. */
int clr_arrays_set_count(clr_arrays_info *info);
/* Bytes [at, at + count) of the file; the caller has checked that they are there. */
clradio_status clr_arrays_read_bytes(clr_arrays_file *file, uint64_t at, uint64_t count, void *to);

/*
 * The header of .npy data: fills the entry's type, order, sizes and offset. bytes: the beginning of
 * the data, count of them, all in all total. what: "" or "member 'x': " for the sentence.
 */
clradio_status clr_npy_parse(const clr_arrays_file *file, const unsigned char *bytes, size_t count,
                             uint64_t total, const char *what, clr_arrays_entry *entry);
enum { CLR_NPY_MOST_HEADER = 65536 };

/* n elements of type from into type to; swapped: those of from. Status and sentence as
 * clr_arrays_read. */
clradio_status clr_arrays_convert(const void *from, clr_element from_type, int swapped, size_t n,
                                  void *to, clr_element to_type);

/* ---- writing ---- */

typedef struct clr_arrays_writer_format {
    const char *name;
    clradio_status (*create)(clr_arrays_writer *writer);
    clradio_status (*begin)(clr_arrays_writer *writer);
    clradio_status (*append)(clr_arrays_writer *writer, const void *elements, uint64_t count);
    clradio_status (*end)(clr_arrays_writer *writer); /* of one array; it is whole */
    /* keep 0: away with it. Frees state. */
    clradio_status (*close)(clr_arrays_writer *writer, int keep);
} clr_arrays_writer_format;

struct clr_arrays_writer {
    char *path; /* as it was given */
    const clr_arrays_writer_format *format;
    clr_arrays_layout layout; /* of the array being written; name and axes are copies */
    char name[CLR_ARRAYS_NAME_BYTES];
    char axis[CLR_ARRAYS_MOST_RANK][CLR_ARRAYS_AXIS_BYTES];
    uint64_t count, done; /* elements of it */
    int open;             /* an array was begun */
    size_t arrays;
    clr_new_file file; /* npy, npz */
    void *state;
};

extern const clr_arrays_writer_format clr_npy_writer, clr_npz_writer, clr_hdf5_writer,
    clr_mat_writer, clr_mat73_writer;

/* The header that NumPy expects in front of an array, a multiple of 64 bytes; malloc'ed. */
clradio_status clr_npy_header(const clr_arrays_layout *layout, unsigned char **bytes,
                              size_t *count);
/* C order to the order in which the first axis varies fastest, rows of the first axis alone:
 * [rows][rest] becomes the file's piece. */
void clr_arrays_to_fortran(const clr_arrays_layout *layout, uint64_t rows, const void *from,
                           void *to);

#endif
