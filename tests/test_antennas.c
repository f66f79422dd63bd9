/* The antenna file: what it says comes back, and what is wrong is named with its line. */
#include "support.h"

#include "base/file.h"
#include "model/antennas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[4200];

static int set_up(void **state)
{
    int failed = make_group_folder(state);
    snprintf(path, sizeof path, "%s/antennas.txt", group_folder);
    return failed;
}

static void write_text(const char *text, size_t count)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fwrite(text, 1, count, stream);
    fclose(stream);
}

static void names_places_and_positions_are_read(void **state)
{
    (void)state;
    static const char text[] = "# an array\n"
                               "telescope: my array # two words\r\n"
                               "latitude: -30.5 degrees\n"
                               "longitude:21.25\n"
                               "altitude: 1000\n"
                               "\n"
                               "\tnorth 1 2.5 -3e1 # a remark\n"
                               "s 0 0 0";
    clr_antennas antennas;
    write_text(text, sizeof text - 1);
    assert_ok(clr_antennas_read(path, &antennas));
    assert_int_equal(antennas.count, 2);
    assert_string_equal(antennas.telescope_name, "my array");
    assert_true(antennas.place.latitude_deg == -30.5 && antennas.place.longitude_deg == 21.25 &&
                antennas.place.altitude_m == 1000);
    assert_string_equal(antennas.name[0], "north");
    assert_string_equal(antennas.name[1], "s");
    assert_true(antennas.enu_m[0][0] == 1 && antennas.enu_m[0][1] == 2.5 &&
                antennas.enu_m[0][2] == -30);
    double turned[3];
    clr_ecef_offset_to_enu(&antennas.place, antennas.ecef_m[0], turned);
    for (int axis = 0; axis < 3; axis++)
        assert_true(fabs(turned[axis] - antennas.enu_m[0][axis]) < 1e-12);
    clr_antennas_free(&antennas);
}

/* Two antennas 10 m up and down of a place: their mean is the place. */
static void earth_centred_positions_are_read(void **state)
{
    (void)state;
    clr_geodetic high = { 40, -121, 1010 }, low = { 40, -121, 990 };
    double a[3], b[3];
    char text[400];
    clr_geodetic_to_ecef(&high, a);
    clr_geodetic_to_ecef(&low, b);
    int length =
        snprintf(text, sizeof text, "frame: ecef\nhigh %.9f %.9f %.9f\nlow %.9f %.9f %.9f\n", a[0],
                 a[1], a[2], b[0], b[1], b[2]);
    write_text(text, (size_t)length);
    clr_antennas antennas;
    assert_ok(clr_antennas_read(path, &antennas));
    assert_true(fabs(antennas.place.latitude_deg - 40) < 1e-10);
    assert_true(fabs(antennas.place.longitude_deg + 121) < 1e-10);
    assert_true(fabs(antennas.place.altitude_m - 1000) < 1e-6);
    assert_true(fabs(antennas.enu_m[0][2] - 10) < 1e-6 && fabs(antennas.enu_m[1][2] + 10) < 1e-6);
    assert_true(fabs(antennas.enu_m[0][0]) < 1e-6 && fabs(antennas.enu_m[0][1]) < 1e-6);
    clr_antennas_free(&antennas);
}

static void a_written_file_reads_back_the_same(void **state)
{
    (void)state;
    clr_geodetic place = { -30.7215, 21.4283, 1051.69 };
    for (int arrangement = CLR_ARRANGEMENT_RING; arrangement <= CLR_ARRANGEMENT_RANDOM;
         arrangement++) {
        clr_antennas made, read;
        assert_ok(clr_antennas_create(7, &place, &made));
        clr_antennas_arrange(&made, (clr_arrangement)arrangement, 14.6, 3);
        assert_ok(clr_antennas_write(path, &made));
        assert_ok(clr_antennas_read(path, &read));
        assert_int_equal(read.count, 7);
        for (size_t i = 0; i < 7; i++)
            for (int axis = 0; axis < 3; axis++) {
                assert_true(fabs(read.enu_m[i][axis] - made.enu_m[i][axis]) < 1e-6);
                assert_true(fabs(read.ecef_m[i][axis] - made.ecef_m[i][axis]) < 1e-6);
            }
        for (size_t i = 1; i < 7 && arrangement != CLR_ARRANGEMENT_RANDOM; i++)
            assert_true(fabs(hypot(made.enu_m[i][0] - made.enu_m[i - 1][0],
                                   made.enu_m[i][1] - made.enu_m[i - 1][1]) -
                             14.6) < 1e-9);
        clr_antennas_free(&made);
        clr_antennas_free(&read);
    }
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        { "", "names no antenna" },
        { "latitude: 1\nlongitude: 2\n", "names no antenna" },
        { "a 1 2 3\n", "no latitude and longitude" },
        { "latitude: 1\na 1 2 3\n", "only a part" },
        { "altitude: 1\nframe: ecef\na 1 2 3\n", "only a part" },
        { "latitude: 91\n", "line 1: this is no angle" },
        { "\nlongitude: east\n", "line 2: this is no angle" },
        { "altitude: nan\n", "line 1: this is no altitude" },
        { "frame: galactic\n", "line 1: the frame is enu or ecef" },
        { "lattitude: 1\n", "line 1: the keys are" },
        { ": 1\n", "line 1: the keys are" },
        { "a 1 2\n", "line 1: an antenna is a name" },
        { "a 1 2 3 4\n", "line 1: an antenna is a name" },
        { "a 1 2 3\nb 1 2 inf\n", "line 2: this is no coordinate" },
        { "a 1 2 3x\n", "line 1: this is no coordinate" },
        { "a 1 2 1e9\n", "line 1: this is no coordinate" },
        { "a 1 2 3\n\na 4 5 6\n", "line 3: there is already an antenna 'a'" },
        { "latitude: 1\nlongitude: 2\nlatitude: 3\na 1 2 3\n",
          "line 3: this is given for the second time: 'latitude'" },
        { "abcdefghijklmnopqrstuvwxyzabcdefg 1 2 3\n", "line 1: this name has more" },
        { "a\x01 1 2 3\n", "line 1: this is no text" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        clr_antennas antennas;
        write_text(cases[k].text, strlen(cases[k].text));
        assert_int_equal(clr_antennas_read(path, &antennas), CLRADIO_ERROR_FORMAT);
        if (!strstr(clradio_last_error(), cases[k].sentence))
            fail_msg("case %zu: %s", k, clradio_last_error());
        assert_int_equal(antennas.count, 0);
    }
    write_text("a 1 2 3\0", 8);
    clr_antennas antennas;
    assert_int_equal(clr_antennas_read(path, &antennas), CLRADIO_ERROR_FORMAT);
    remove(path);
    assert_int_equal(clr_antennas_read(path, &antennas), CLRADIO_ERROR_IO);
}

static void rubbish_is_refused_without_a_crash(void **state)
{
    (void)state;
    static const char sample[] = "telescope: t\nlatitude: 1\nlongitude: 2\naltitude: 3\n"
                                 "frame: enu\na 1 2 3\nb 4 5 6\nc 7 8 9\n";
    uint64_t seed = 1;
    int read = 0;
    for (int k = 0; k < 5000; k++) {
        char text[sizeof sample];
        memcpy(text, sample, sizeof sample);
        for (int change = 0; change <= k % 5; change++)
            text[test_random(&seed) % (sizeof sample - 1)] = (char)test_random(&seed);
        write_text(text, k % 3 ? sizeof sample - 1 : test_random(&seed) % sizeof sample);
        clr_antennas antennas;
        clradio_status status = clr_antennas_read(path, &antennas);
        assert_true(status == CLRADIO_OK || status == CLRADIO_ERROR_FORMAT);
        read += status == CLRADIO_OK;
        clr_antennas_free(&antennas);
    }
    print_message("# %d of 5000 were still readable\n", read);
    assert_true(read > 20 && read < 4900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_places_and_positions_are_read),
        cmocka_unit_test(earth_centred_positions_are_read),
        cmocka_unit_test(a_written_file_reads_back_the_same),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(rubbish_is_refused_without_a_crash),
    };
    return cmocka_run_group_tests_name("antennas", tests, set_up, remove_group_folder);
}
