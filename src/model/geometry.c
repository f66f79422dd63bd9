/* Places, directions and sidereal time, from the defining constants. Knows nothing else. */
#include "model/geometry.h"

#include <math.h>

/* WGS84 (NIMA TR8350.2, table 3.1): semi-major axis in metres and flattening. */
static const double semi_major_m = 6378137.0;
static const double flattening = 1.0 / 298.257223563;

static double radians(double degrees)
{
    return degrees * (CLR_PI / 180.0);
}

static double wrapped(double angle)
{
    angle = fmod(angle, 2 * CLR_PI);
    return angle < 0 ? angle + 2 * CLR_PI : angle;
}

void clr_geodetic_to_ecef(const clr_geodetic *place, double ecef_m[3])
{
    double latitude = radians(place->latitude_deg), longitude = radians(place->longitude_deg);
    double e2 = flattening * (2 - flattening);
    double normal = semi_major_m / sqrt(1 - e2 * sin(latitude) * sin(latitude));
    ecef_m[0] = (normal + place->altitude_m) * cos(latitude) * cos(longitude);
    ecef_m[1] = (normal + place->altitude_m) * cos(latitude) * sin(longitude);
    ecef_m[2] = (normal * (1 - e2) + place->altitude_m) * sin(latitude);
}

void clr_ecef_to_geodetic(const double ecef_m[3], clr_geodetic *place)
{
    double e2 = flattening * (2 - flattening);
    double axis = hypot(ecef_m[0], ecef_m[1]);
    double latitude = atan2(ecef_m[2], axis * (1 - e2));
    double normal = semi_major_m;
    /* Each turn shrinks the error by about e2 = 0.0067 near the ground. */
    for (int turn = 0; turn < 12; turn++) {
        normal = semi_major_m / sqrt(1 - e2 * sin(latitude) * sin(latitude));
        latitude = atan2(ecef_m[2] + e2 * normal * sin(latitude), axis);
    }
    if (axis == 0 && ecef_m[2] == 0)
        latitude = 0;
    normal = semi_major_m / sqrt(1 - e2 * sin(latitude) * sin(latitude));
    place->latitude_deg = latitude * (180.0 / CLR_PI);
    place->longitude_deg = atan2(ecef_m[1], ecef_m[0]) * (180.0 / CLR_PI);
    /* The distance along the normal, in a form that is good at the poles as well. */
    place->altitude_m =
        axis * cos(latitude) + ecef_m[2] * sin(latitude) - semi_major_m * semi_major_m / normal;
}

void clr_enu_to_ecef_offset(const clr_geodetic *place, const double from_enu[3], double to_ecef[3])
{
    double sl = sin(radians(place->latitude_deg)), cl = cos(radians(place->latitude_deg));
    double so = sin(radians(place->longitude_deg)), co = cos(radians(place->longitude_deg));
    double e = from_enu[0], n = from_enu[1], u = from_enu[2];
    to_ecef[0] = -so * e - sl * co * n + cl * co * u;
    to_ecef[1] = co * e - sl * so * n + cl * so * u;
    to_ecef[2] = cl * n + sl * u;
}

void clr_ecef_offset_to_enu(const clr_geodetic *place, const double from_ecef[3], double to_enu[3])
{
    double sl = sin(radians(place->latitude_deg)), cl = cos(radians(place->latitude_deg));
    double so = sin(radians(place->longitude_deg)), co = cos(radians(place->longitude_deg));
    double x = from_ecef[0], y = from_ecef[1], z = from_ecef[2];
    to_enu[0] = -so * x + co * y;
    to_enu[1] = -sl * co * x - sl * so * y + cl * z;
    to_enu[2] = cl * co * x + cl * so * y + sl * z;
}

void clr_direction(double azimuth_deg, double elevation_deg, double direction_enu[3])
{
    double azimuth = radians(azimuth_deg), elevation = radians(elevation_deg);
    direction_enu[0] = cos(elevation) * sin(azimuth);
    direction_enu[1] = cos(elevation) * cos(azimuth);
    direction_enu[2] = sin(elevation);
}

double clr_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double clr_gmst_rad(double julian_date_ut1)
{
    double days = julian_date_ut1 - 2451545.0;
    double t = days / 36525.0;
    /* Earth rotation angle, IAU 2000 resolution B1.8; the whole turns of the days are left out
     * before they can cost digits. */
    double era =
        2 * CLR_PI * (fmod(days, 1.0) + 0.7790572732640 + fmod(0.00273781191135448 * days, 1.0));
    double arc_seconds =
        0.014506 +
        t * (4612.156534 + t * (1.3915817 - t * (0.00000044 + t * (0.000029956 + t * 3.68e-8))));
    return wrapped(era + radians(arc_seconds / 3600.0));
}

double clr_gast_rad(double julian_date_ut1)
{
    double t = (julian_date_ut1 - 2451545.0) / 36525.0;
    double node = radians(125.04452 - 1934.136261 * t);
    double sun = radians(280.4665 + 36000.7698 * t);
    double moon = radians(218.3165 + 481267.8813 * t);
    double nutation = -17.20 * sin(node) - 1.32 * sin(2 * sun) - 0.23 * sin(2 * moon) +
                      0.21 * sin(2 * node); /* arc seconds */
    double obliquity = radians(23.4392911 - 0.0130042 * t);
    return wrapped(clr_gmst_rad(julian_date_ut1) + radians(nutation / 3600.0) * cos(obliquity));
}

double clr_lst_rad(double julian_date_ut1, double longitude_deg)
{
    return wrapped(clr_gast_rad(julian_date_ut1) + radians(longitude_deg));
}
