/*
 * The antennas of an array: names and positions, and the text file that holds them.
 *
 *     # a comment runs to the end of its line
 *     telescope: my array
 *     latitude: -30.7215        degrees, north positive (WGS84)
 *     longitude: 21.4283        degrees, east positive
 *     altitude: 1051.7          metres above the ellipsoid; 0 when it is left out
 *     frame: enu                or ecef; enu when it is left out
 *     a0   0.0   0.0  0.0       name and three coordinates in metres, one antenna a line
 *     a1  14.6  -3.2  0.1
 *
 * enu: metres east, north and up of the place given, which must be given. ecef: absolute
 * earth-centred coordinates; the place is the mean of the antennas when it is not given. The order
 * of the lines is the order of the stations.
 */
#ifndef CLR_MODEL_ANTENNAS_H
#define CLR_MODEL_ANTENNAS_H

#include "base/error.h"
#include "model/geometry.h"

#include <stddef.h>
#include <stdint.h>

typedef struct clr_antennas {
    char telescope_name[64]; /* "" when the file does not say */
    clr_geodetic place;
    size_t count;
    char **name;         /* [count] */
    double (*enu_m)[3];  /* [count] relative to place */
    double (*ecef_m)[3]; /* [count] the same vectors along the earth-centred axes */
} clr_antennas;

/* Errors: IO, FORMAT ("'FILE', line 7: ..."), MEMORY. antennas is empty after a failure. */
clradio_status clr_antennas_read(const char *path, clr_antennas *antennas);
/* count antennas "a0", "a1", ... at the place's origin. Errors: ARGUMENT, MEMORY. */
clradio_status clr_antennas_create(size_t count, const clr_geodetic *place, clr_antennas *antennas);
/* ecef_m from enu_m. */
void clr_antennas_turn(clr_antennas *antennas);
/* A file that clr_antennas_read reads back to the same positions within a micrometre. */
clradio_status clr_antennas_write(const char *path, const clr_antennas *antennas);
void clr_antennas_free(clr_antennas *antennas);

typedef enum clr_arrangement {
    CLR_ARRANGEMENT_RING,  /* evenly on a circle, neighbours spacing apart */
    CLR_ARRANGEMENT_LINE,  /* from west to east, spacing apart */
    CLR_ARRANGEMENT_RANDOM /* in a disc with one antenna in spacing x spacing, up and down by a
                              tenth of it */
} clr_arrangement;
void clr_antennas_arrange(clr_antennas *antennas, clr_arrangement arrangement, double spacing_m,
                          uint64_t seed);

#endif
