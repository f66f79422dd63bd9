/* What the tests of the UVH5 writer share: a small array, and values that say where they stand. */
#ifndef CLR_TESTS_UVH5_SUPPORT_H
#define CLR_TESTS_UVH5_SUPPORT_H

#include "support.h"

#include "io/uvh5.h"
#include "io/uvh5_read.h"

enum { STATIONS = 3, CHANNELS = 5, BASELINES = 6 };

/* Everything known, no two values alike. The arrays are static. */
clr_uvh5_layout small_layout(clradio_type type, uint32_t polarisations);

/* folder/name (static). */
char *path_in(const char *folder, const char *name);
/* Files and folders in it. */
int entries_in(const char *folder);

/* The value of [channel][baseline][pol_i][pol_j] says where it stands: re = 1000 channel + 10
 * baseline + 2 pol_i + pol_j + salt, im = -re - 1. */
int64_t expected(size_t channel, size_t baseline, size_t pol_i, size_t pol_j, int64_t salt);
/* All of them as pairs re, im; malloc'ed. */
int64_t *numbered(size_t pols, int64_t salt);

/* 8 spectra, 2 s. */
clr_uvh5_integration integration_of(const void *values, clradio_type type);

#endif
