/* What the files of the UVH5 reader share: the open file, its complaints. */
#ifndef CLR_IO_UVH5_READ_INTERNAL_H
#define CLR_IO_UVH5_READ_INTERNAL_H

#include "io/uvh5_internal.h"
#include "io/uvh5_read.h"

#if HAVE_HDF5
enum { CLR_UVH5_MOST_RANK = 4 };

struct clr_uvh5_reader {
    char *path;
    hid_t file, header;
    hid_t data[CLR_UVH5_DATASETS], memory_type[CLR_UVH5_DATASETS];
    int windows;    /* the data sets have an axis of spectral windows */
    uint64_t limit; /* bytes that one array may take */
    clr_uvh5_info info;
};

/* Fails with FORMAT: "'path' is not a usable UVH5 file: name what". */
clradio_status clr_uvh5_fail_item(const clr_uvh5_reader *reader, const char *name,
                                  const char *what);
/* The extent of a data set; 0 axes for a scalar, -1 on failure. */
int clr_uvh5_extent(hid_t dataset, hsize_t size[CLR_UVH5_MOST_RANK]);
/* Whether so many items of so many bytes are no more than the file's size can account for. */
int clr_uvh5_within_limit(const clr_uvh5_reader *reader, uint64_t count, uint64_t bytes);
/* Fills reader->info beyond what the data sets said. */
clradio_status clr_uvh5_read_header(clr_uvh5_reader *reader);
#endif

#endif
