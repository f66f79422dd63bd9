/* What the HDF5 files of arrays share, reading and writing. Internal to the room io. */
#ifndef CLR_IO_ARRAYS_HDF_H
#define CLR_IO_ARRAYS_HDF_H

#include "io/arrays_internal.h"

#if HAVE_HDF5
#include <hdf5.h>

/* The type in memory; complex: a compound with these member names. Negative on failure; H5Tclose
 * it. */
hid_t clr_arrays_hdf_type(clr_element element, const char *re, const char *im);
/* The largest box of C-ordered elements that begins at element first and has at most count of
 * them, all in one piece. */
int clr_arrays_hdf_block(const uint64_t *size, unsigned rank, uint64_t first, uint64_t count,
                         hsize_t *start, hsize_t *block, uint64_t *elements);
/* Axis names from DIMENSION_LABELS and DIMENSION_LIST, where they are. */
void clr_arrays_hdf_axes(hid_t dataset, clr_arrays_info *info);
/* Whether MATLAB calls the data set an array of numbers (not text, not empty); *turned: its axes
 * stand in the other order (MATLAB_class is there). */
int clr_arrays_hdf_is_matlab_number(hid_t dataset, int *turned);
#endif

#endif
