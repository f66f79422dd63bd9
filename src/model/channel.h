/*
 * Channels of 3GPP TR 38.901, clause 7.7: tapped delay lines (TDL) and clustered delay lines (CDL),
 * as taps of every antenna pair of a link. The powers of a profile are scaled so that their sum is
 * 1, its delays to the delay spread that is wanted.
 *
 * TDL: each tap of each antenna pair is a complex Gaussian number of its power (Rayleigh), or has
 * its amplitude and a random phase (line of sight). With Doppler the former is the sum of 64 waves
 * of complex Gaussian amplitude from uniform directions, whose spectrum is Jakes's, and the latter
 * turns by 0.7 of the Doppler frequency (clause 7.7.2).
 *
 * CDL: clause 7.7.1: 20 rays a cluster about the tabulated angles, coupled at random within their
 * cluster, each with its cross-polarisation and four random phases (7.5-22), a line of sight with
 * one (7.5-29), between two described arrays.
 *
 * Everything is a function of the seed and the link's number.
 */
#ifndef CLR_MODEL_CHANNEL_H
#define CLR_MODEL_CHANNEL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* The angles of a ray: azimuth and zenith, of departure and arrival. */
enum { CLR_AOD, CLR_AOA, CLR_ZOD, CLR_ZOA, CLR_ANGLES };
enum { CLR_RAYS = 20 };

typedef struct clr_profile_tap {
    double delay; /* in delay spreads, or seconds where the profile is not scaled */
    double power_db;
    int line_of_sight;
    double angle_deg[CLR_ANGLES]; /* CDL */
} clr_profile_tap;

typedef struct clr_profile {
    const char *name; /* "TDL-A", "TDL-A30", "CDL-D" */
    size_t taps;
    const clr_profile_tap *tap;
    int scaled;                    /* delays are in delay spreads */
    int clustered;                 /* CDL */
    double spread_deg[CLR_ANGLES]; /* of the rays in a cluster: c_ASD and so on */
    double cross_polar_db;
} clr_profile;

/* NULL behind the last. */
const clr_profile *clr_profile_get(size_t index);
/* By name, letters compared without case, with or without the hyphen; NULL when there is none. */
const clr_profile *clr_profile_find(const char *name);

typedef enum clr_antenna_element {
    CLR_ANTENNA_ISOTROPIC,
    CLR_ANTENNA_TR38901 /* table 7.3-1: 65 degrees, 8 dBi */
} clr_antenna_element;

/*
 * A uniform planar array in the plane y, z, that faces along x (azimuth 0) when its bearing is 0.
 * Antenna = (row x columns + column) x polarisations + polarisation; rows go up, columns along y.
 * Polarisation: model 2 of clause 7.3.2.
 */
typedef struct clr_antenna_array {
    uint32_t rows, columns, polarisations; /* polarisations 1 or 2 */
    double row_spacing, column_spacing;    /* wavelengths */
    double slant_deg[2];                   /* from vertical, of each polarisation */
    double bearing_deg;                    /* turned about z */
    clr_antenna_element element;
} clr_antenna_array;
#define CLR_ANTENNA_ARRAY_INIT                                                                     \
    {                                                                                              \
        .rows = 1, .columns = 1, .polarisations = 1, .row_spacing = 0.5, .column_spacing = 0.5     \
    }

uint32_t clr_antenna_array_count(const clr_antenna_array *array);

typedef struct clr_channel_config {
    const clr_profile *profile;
    double delay_spread_s; /* > 0 for a scaled profile */
    clr_antenna_array transmit, receive;
    double doppler_hz; /* the largest, speed / wavelength; 0: nothing moves */
    double travel_azimuth_deg, travel_zenith_deg; /* of the receiver; CDL */
    double time_step_s;
    /* CDL: the spread and mean that the rays' angles are scaled to (clause 7.7.5.1); NAN: as they
     * are. */
    double angle_spread_deg[CLR_ANGLES], angle_mean_deg[CLR_ANGLES];
    uint64_t seed;
} clr_channel_config;

typedef struct clr_channel clr_channel;

/* Errors: ARGUMENT, MEMORY. */
clradio_status clr_channel_create(const clr_channel_config *config, clr_channel **channel);
size_t clr_channel_taps(const clr_channel *channel);
/* Receive antennas x transmit antennas. */
size_t clr_channel_paths(const clr_channel *channel);
const double *clr_channel_delays(const clr_channel *channel); /* [tap], s */
const double *clr_channel_powers(const clr_channel *channel); /* [tap], their sum is 1 */
/* Link `link` at time steps [first, first + count): [time][rx][tx][tap], re and im. Not by two
 * threads at once with one channel. */
void clr_channel_gains(clr_channel *channel, uint64_t link, uint64_t first, uint64_t count,
                       double *gains);
/*
 * CDL: the mean of h h^H over all phases and couplings of rays, of the antennas of one end
 * (receive or transmit) as seen by antenna `other` of the other, all taps together:
 * [antenna][antenna], re and im. A sum over rays.
 */
void clr_channel_correlation(const clr_channel *channel, int receive, uint32_t other,
                             double *matrix);
void clr_channel_destroy(clr_channel *channel);

#endif
