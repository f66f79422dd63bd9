/* Times: leap seconds, exact sums over years, calendar text, parsing. */
#include "support.h"

#include "io/source.h"

#include <math.h>

static void assert_text(clr_time time, const char *expected)
{
    char text[40];
    assert_string_equal(clr_time_text(time, text), expected);
}

/* MJD 51544 is 2000-01-01, 40587 is 1970-01-01, 0 is 1858-11-17 (definition). */
static void days_have_their_dates(void **state)
{
    (void)state;
    assert_int_equal(clr_time_mjd(2000, 1, 1), 51544);
    assert_int_equal(clr_time_mjd(1970, 1, 1), 40587);
    assert_int_equal(clr_time_mjd(1858, 11, 17), 0);
    assert_int_equal(clr_time_mjd(2000, 3, 1) - clr_time_mjd(2000, 2, 28), 2);
    assert_int_equal(clr_time_mjd(1900, 3, 1) - clr_time_mjd(1900, 2, 28), 1);
    for (int64_t mjd = -1000; mjd < 120000; mjd += 37) {
        clr_time parsed, time = { mjd, 3723, 0.25 };
        char text[40];
        assert_int_equal(clr_time_parse_utc(clr_time_text(time, text), &parsed), 1);
        assert_int_equal(parsed.mjd, mjd);
        assert_true(parsed.seconds == 3723 && parsed.fraction == 0.25);
    }
}

/* 2016-12-31 had 86401 seconds (IERS Bulletin C 52). */
static void a_leap_second_is_a_second(void **state)
{
    (void)state;
    clr_time before = { clr_time_mjd(2016, 12, 31), 86399, 0.5 };
    assert_text(clr_time_add_samples(before, 1, 1), "2016-12-31T23:59:60.500000000");
    assert_text(clr_time_add_samples(before, 2, 1), "2017-01-01T00:00:00.500000000");
    clr_time after = { clr_time_mjd(2017, 1, 1), 0, 0.5 };
    assert_true(clr_time_difference(after, before) == 2);
    assert_text(clr_time_add_samples(after, -2, 1), "2016-12-31T23:59:59.500000000");
}

/* 27 leap seconds from 1972-07-01 to 2017-01-01: 10 s of TAI - UTC became 37. */
static void all_leap_seconds_are_there(void **state)
{
    (void)state;
    clr_time then = { clr_time_mjd(1972, 1, 1), 0, 0 }, now = { clr_time_mjd(2020, 1, 1), 0, 0 };
    double days = (double)(now.mjd - then.mjd);
    assert_true(clr_time_difference(now, then) == days * 86400 + 27);
}

/* In integers: samples = whole seconds and a rest at rates that are whole; 30 years and back. */
static void sums_are_exact_to_the_nanosecond_over_decades(void **state)
{
    (void)state;
    uint64_t seed = 3;
    clr_time start = { clr_time_mjd(2001, 5, 6), 12345, 0 };
    static const int64_t rates[] = { 1, 3, 390625, 32000000, 196000000, 4096000000 };
    for (int round = 0; round < 20000; round++) {
        int64_t rate = rates[round % 6];
        int64_t samples = test_random_between(&seed, 0, rate * 1000000000);
        clr_time time = clr_time_add_samples(start, samples, (double)rate);
        assert_int_equal(clr_time_elapsed(time) - clr_time_elapsed(start), samples / rate);
        double rest = (double)(samples % rate) / (double)rate;
        assert_true(fabs(time.fraction - rest) < 1e-12);
        clr_time back = clr_time_add_samples(time, -samples, (double)rate);
        assert_true(fabs(clr_time_difference(back, start)) < 1e-12);
    }
    /* A third of a second at a rate that is no whole number: 0.75 Hz, 2^40 + 1 samples. */
    clr_time time = clr_time_add_samples(start, (1ll << 40) + 1, 0.75);
    assert_int_equal(clr_time_elapsed(time) - clr_time_elapsed(start), 1466015503702);
    assert_true(fabs(time.fraction - 2.0 / 3) < 1e-12);
}

static void texts_round_to_the_nanosecond_and_carry(void **state)
{
    (void)state;
    clr_time late = { 51544, 86399, 0.9999999996 };
    assert_text(late, "2000-01-02T00:00:00.000000000");
    clr_time early = { 51544, 59, 0.0000000014 };
    assert_text(early, "2000-01-01T00:00:59.000000001");
    assert_true(clr_time_julian_date((clr_time){ 51544, 43200, 0 }) == 2451545.0);
}

/* 0.067824074074... of a day is 5860 s: 28 digits say it to 1e-23 s, a double only to 1e-7. */
static void every_digit_of_a_day_counts(void **state)
{
    (void)state;
    clr_time time;
    assert_int_equal(clr_time_parse_mjd("56475.0678240740740740740739736849", &time), 1);
    assert_text(time, "2013-07-02T01:37:40.000000000");
    assert_int_equal(clr_time_parse_mjd("56475.00000000000001157407407407407407", &time), 1);
    assert_text(time, "2013-07-02T00:00:00.000000001");
    assert_int_equal(clr_time_parse_mjd("51544", &time), 1);
    assert_text(time, "2000-01-01T00:00:00.000000000");
    static const char *const bad[] = { "", ".5", "-1", "1e5", "123456789012", "5 ", "x" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(clr_time_parse_mjd(bad[i], &time), 0);
}

static void dates_are_whole_or_refused(void **state)
{
    (void)state;
    clr_time time;
    assert_int_equal(clr_time_parse_utc("2013-07-02-01:37:40.125", &time), 1);
    assert_text(time, "2013-07-02T01:37:40.125000000");
    assert_int_equal(clr_time_parse_utc("2013-07-02T01:37:40Z", &time), 1);
    static const char *const bad[] = { "",
                                       "unset",
                                       "2013-07-02",
                                       "2013-13-02-01:37:40",
                                       "2013-07-02-25:37:40",
                                       "2013-07-02-01:37",
                                       "2013-07-02-01:37:40x" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(clr_time_parse_utc(bad[i], &time), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_have_their_dates),
        cmocka_unit_test(a_leap_second_is_a_second),
        cmocka_unit_test(all_leap_seconds_are_there),
        cmocka_unit_test(sums_are_exact_to_the_nanosecond_over_decades),
        cmocka_unit_test(texts_round_to_the_nanosecond_and_carry),
        cmocka_unit_test(every_digit_of_a_day_counts),
        cmocka_unit_test(dates_are_whole_or_refused),
    };
    return cmocka_run_group_tests_name("time", tests, NULL, NULL);
}
