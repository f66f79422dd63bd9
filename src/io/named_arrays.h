/* Arrays by name over several files. An array of a .npy file goes by the file's name without folder
 * and suffix. */
#ifndef CLR_IO_NAMED_ARRAYS_H
#define CLR_IO_NAMED_ARRAYS_H

#include "io/arrays.h"

enum { CLR_NAMED_MOST_FILES = 16 };

typedef struct clr_named_files {
    clr_arrays_file *file[CLR_NAMED_MOST_FILES];
    const char *path[CLR_NAMED_MOST_FILES]; /* of the caller */
    size_t count;
} clr_named_files;

/* An array and the names of its axes. */
typedef struct clr_named_array {
    clr_arrays_file *file;
    size_t index;
    unsigned rank;
    uint64_t size[CLR_ARRAYS_MOST_RANK], count;
    const char *axis[CLR_ARRAYS_MOST_RANK];
} clr_named_array;

/* Errors: ARGUMENT (too many) and those of the files. */
clradio_status clr_named_open(char *const *paths, size_t n, clr_named_files *files);
void clr_named_close(clr_named_files *files);
/* 1 when there is one; *array with the axis names of the file. */
int clr_named_find(const clr_named_files *files, const char *name, clr_named_array *array);
/* All of it, malloc'ed. */
clradio_status clr_named_read(const clr_named_array *array, clr_element as, void **values);
/* Fails with "there is no array 'name'; the files hold: ...". */
clradio_status clr_named_missing(const clr_named_files *files, const char *name);

#endif
