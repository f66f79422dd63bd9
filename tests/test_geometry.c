/* Places, directions and sidereal time against published numbers. */
#include "support.h"

#include "model/geometry.h"

#include <math.h>

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* ERFA's test of eraGd2gc (WGS84, longitude 3.1, latitude -0.5 rad, 2500 m), and the ellipsoid's
 * published semi-minor axis 6356752.3142 m. */
static void geodetic_coordinates_become_earth_centred_ones(void **state)
{
    (void)state;
    double ecef[3];
    clr_geodetic place = { -0.5 * 180 / CLR_PI, 3.1 * 180 / CLR_PI, 2500 };
    clr_geodetic_to_ecef(&place, ecef);
    assert_near(ecef[0], -5599000.5577049947, 1e-7);
    assert_near(ecef[1], 233011.67223479203, 1e-7);
    assert_near(ecef[2], -3040909.4706983363, 1e-7);
    clr_geodetic pole = { 90, 0, 0 };
    clr_geodetic_to_ecef(&pole, ecef);
    assert_near(ecef[0], 0, 1e-8);
    assert_near(ecef[2], 6356752.3142, 1e-4);
}

/* ERFA's test of eraGc2gd: (2e6, 3e6, 5.244e6) is 0.9827937232473290680, 0.97160184819075459 rad,
 * 331.4172461426059892 m. */
static void earth_centred_coordinates_become_geodetic_ones(void **state)
{
    (void)state;
    clr_geodetic place;
    clr_ecef_to_geodetic((const double[3]){ 2e6, 3e6, 5.244e6 }, &place);
    assert_near(place.longitude_deg * CLR_PI / 180, 0.9827937232473290680, 1e-14);
    assert_near(place.latitude_deg * CLR_PI / 180, 0.97160184819075459, 1e-14);
    assert_near(place.altitude_m, 331.4172461426059892, 1e-6);
    for (int latitude = -90; latitude <= 90; latitude += 15)
        for (int altitude = -1000; altitude < 1000000; altitude = altitude * 3 + 4000) {
            clr_geodetic from = { latitude, 33, altitude };
            double ecef[3];
            clr_geodetic_to_ecef(&from, ecef);
            clr_ecef_to_geodetic(ecef, &place);
            assert_near(place.latitude_deg, latitude, 1e-11);
            assert_near(place.altitude_m, altitude, 1e-6);
        }
    clr_ecef_to_geodetic((const double[3]){ 0, 0, 0 }, &place);
    assert_true(isfinite(place.altitude_m) && place.latitude_deg == 0);
}

/* East, north and up are the directions in which longitude, latitude and altitude grow. */
static void east_north_and_up_are_what_their_names_say(void **state)
{
    (void)state;
    const double step = 1e-3; /* m */
    clr_geodetic place = { 52.9, 6.6, 40 };
    double here[3], there[3], offset[3], metre[3];
    clr_geodetic_to_ecef(&place, here);
    for (int axis = 0; axis < 3; axis++) {
        clr_geodetic moved = place;
        if (axis == 0)
            moved.longitude_deg += 1e-6;
        else if (axis == 1)
            moved.latitude_deg += 1e-6;
        else
            moved.altitude_m += 0.1;
        clr_geodetic_to_ecef(&moved, there);
        for (int k = 0; k < 3; k++)
            offset[k] = there[k] - here[k];
        clr_ecef_offset_to_enu(&place, offset, metre);
        for (int k = 0; k < 3; k++)
            assert_true(k == axis ? metre[k] > 50 * step : fabs(metre[k]) < 1e-6);
        clr_enu_to_ecef_offset(&place, metre, metre); /* in place, and back */
        for (int k = 0; k < 3; k++)
            assert_near(metre[k], offset[k], 1e-9);
    }
    double direction[3];
    clr_direction(90, 0, direction);
    assert_near(direction[0], 1, 1e-15);
    clr_direction(0, 0, direction);
    assert_near(direction[1], 1, 1e-15);
    clr_direction(123, 90, direction);
    assert_near(direction[2], 1, 1e-15);
}

/* Meeus, Astronomical Algorithms, examples 12.a and 12.b: 1987 April 10, 0h UT: mean 13h 10m
 * 46.3668s, apparent 46.1351s; 19h 21m 00s UT: mean 8h 34m 57.0896s. ERFA's test of eraGmst06: MJD
 * 53736 is 1.754174971870091203. A second of time is 7.27e-5 rad; the book's expression of 1982 and
 * that of 2006 differ by 3 ms in 1987 (their rates of precession by 0.3 arc seconds a century). */
static void sidereal_time_agrees_with_the_almanac(void **state)
{
    (void)state;
    const double second = 2 * CLR_PI / 86400;
    double hours = 13 + 10 / 60.0;
    assert_near(clr_gmst_rad(2446895.5), hours * 3600 * second + 46.3668 * second, 5e-3 * second);
    assert_near(clr_gast_rad(2446895.5), hours * 3600 * second + 46.1351 * second, 0.03 * second);
    assert_near(clr_gmst_rad(2446896.30625), (8 + 34 / 60.0) * 3600 * second + 57.0896 * second,
                5e-3 * second);
    assert_near(clr_gmst_rad(2453736.5), 1.754174971870091203, 1e-9);
    assert_near(clr_lst_rad(2446895.5, 360 - 77.0655) - clr_gast_rad(2446895.5),
                -77.0655 * CLR_PI / 180, 1e-12);
    assert_true(clr_lst_rad(2446895.5, -359) >= 0 && clr_lst_rad(2446895.5, 359) < 2 * CLR_PI);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geodetic_coordinates_become_earth_centred_ones),
        cmocka_unit_test(earth_centred_coordinates_become_geodetic_ones),
        cmocka_unit_test(east_north_and_up_are_what_their_names_say),
        cmocka_unit_test(sidereal_time_agrees_with_the_almanac),
    };
    return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
