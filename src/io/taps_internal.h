/* What the readers of channel taps share. */
#ifndef CLR_IO_TAPS_INTERNAL_H
#define CLR_IO_TAPS_INTERNAL_H

#include "io/named_arrays.h"
#include "io/taps.h"

/* Gives the axes the names of a list such as "rx tx tap snapshot". Missing axes at the end are 1
 * (MATLAB drops them), 1s too many are left out. 0 when the rank cannot be. */
int clr_taps_name_axes(clr_named_array *array, const char *names);
/*
 * The array as [axes of order][tap]: axes that it lacks are repeated. order: n names. Values are of
 * type as; malloc'ed. Errors: FORMAT, MEMORY and those of the file.
 */
clradio_status clr_taps_arrange(const clr_named_array *array, const char *const *order,
                                const uint64_t *size, unsigned n, uint64_t taps, clr_element as,
                                void **values);
/*
 * Everything from a gain and a delay whose axes are named: the order of the response is out (n
 * names), its first `links` axes are the links when that is not 0.
 */
clradio_status clr_taps_join(const clr_named_array *gain, const clr_named_array *delay,
                             const char *const *out, unsigned n, unsigned links, int cf64,
                             clr_taps *taps);

/* JSON lines of ray tracers. */
int clr_rays_recognise(const char *path);
clradio_status clr_rays_read(const char *path, int cf64, clr_taps *taps);

/* QuaDRiGa's channels, one HDF5 file of quadriga-lib: whether it is one. */
int clr_taps_are_channels(const clr_named_files *files);
clradio_status clr_taps_read_channels(const clr_named_files *files, int cf64, clr_taps *taps);

/* The clradio layout. */
clradio_status clr_taps_read_own(const clr_named_files *files, const clr_taps_options *options,
                                 clr_taps *taps);

#endif
