/*
 * Places and directions: WGS84 geodetic and earth-centred coordinates, the local east-north-up
 * frame, sidereal time. Angles are radians unless the name says degrees.
 */
#ifndef CLR_MODEL_GEOMETRY_H
#define CLR_MODEL_GEOMETRY_H

#define CLR_PI 3.14159265358979323846
/* m/s, exact (SI). */
#define CLR_SPEED_OF_LIGHT 299792458.0

/* A place on or above the WGS84 ellipsoid. */
typedef struct clr_geodetic {
    double latitude_deg;  /* geodetic, north positive */
    double longitude_deg; /* east positive */
    double altitude_m;    /* above the ellipsoid */
} clr_geodetic;

void clr_geodetic_to_ecef(const clr_geodetic *place, double ecef_m[3]);
/* Good to a micrometre from the ground to orbit. At the earth's centre latitude is 0. */
void clr_ecef_to_geodetic(const double ecef_m[3], clr_geodetic *place);

/* Rotations between east-north-up at a place and earth-centred differences from that place. from
 * and to may be the same array. */
void clr_enu_to_ecef_offset(const clr_geodetic *place, const double from_enu[3], double to_ecef[3]);
void clr_ecef_offset_to_enu(const clr_geodetic *place, const double from_ecef[3], double to_enu[3]);

/* The unit vector (east, north, up) towards azimuth (from north through east) and elevation. */
void clr_direction(double azimuth_deg, double elevation_deg, double direction_enu[3]);
double clr_dot(const double a[3], const double b[3]);

/* Greenwich mean sidereal time, 0 <= value < 2 pi, of a UT1 Julian date: the earth rotation angle
 * and the precession polynomial of IAU 2006 (Capitaine, Wallace and Chapront, A&A 412 (2003) 567,
 * equation 42), with TT taken as UT1. */
double clr_gmst_rad(double julian_date_ut1);
/* The same with the equation of the equinoxes (four largest terms of the nutation in longitude,
 * Meeus, Astronomical Algorithms, chapter 22): Greenwich apparent sidereal time to about 0.03 s. */
double clr_gast_rad(double julian_date_ut1);
/* Local apparent sidereal time; with UTC in place of UT1 it is off by UT1 - UTC (below 0.9 s). */
double clr_lst_rad(double julian_date_ut1, double longitude_deg);

#endif
