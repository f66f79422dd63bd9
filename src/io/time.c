/*
 * Times: UTC days and seconds with leap seconds, exact sums, calendar text. Nothing here goes
 * through one double that holds both days and nanoseconds.
 */
#include "io/source.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MJD_2000 = 51544, DAY_S = 86400, LEAPS_BEFORE_2000 = 22, MJD_LARGEST = 100000000 };

/* Days that begin right after a leap second (IERS Bulletin C): 1972-07-01 .. 2017-01-01. */
static const int32_t after_leap[] = {
    41499, 41683, 42048, 42413, 42778, 43144, 43509, 43874, 44239,
    44786, 45151, 45516, 46247, 47161, 47892, 48257, 48804, 49169,
    49534, 50083, 50630, 51179, 53736, 54832, 56109, 57204, 57754
};

static int64_t elapsed_at_day(int64_t mjd)
{
    int64_t leaps = 0;
    for (size_t i = 0; i < sizeof after_leap / sizeof *after_leap; i++)
        leaps += after_leap[i] <= mjd;
    return (mjd - MJD_2000) * DAY_S + leaps - LEAPS_BEFORE_2000;
}

int64_t clr_time_elapsed(clr_time time)
{
    return elapsed_at_day(time.mjd) + (int64_t)time.seconds;
}

clr_time clr_time_from_elapsed(int64_t seconds, double fraction)
{
    int64_t day = seconds / DAY_S - (seconds % DAY_S < 0);
    int64_t mjd = MJD_2000 + day;
    while (elapsed_at_day(mjd) > seconds)
        mjd--;
    while (elapsed_at_day(mjd + 1) <= seconds)
        mjd++;
    return (clr_time){ mjd, (double)(seconds - elapsed_at_day(mjd)), fraction };
}

/* The same for a fraction that rounding may have lifted to 1. */
static clr_time from_parts(int64_t seconds, double fraction)
{
    return fraction < 1 ? clr_time_from_elapsed(seconds, fraction)
                        : clr_time_from_elapsed(seconds + 1, 0);
}

/* samples / rate as whole seconds and a rest of 0 <= rest < 1 up to rounding. Each piece is below
 * 2^53 in magnitude after its division, so that fma gives its remainder exactly. */
static void divide_samples(int64_t samples, double rate_hz, int64_t *whole, double *rest)
{
    int64_t low = samples % (1 << 20);
    double parts[2] = { (double)(samples - low), (double)low };
    *whole = 0;
    *rest = 0;
    for (int i = 0; i < 2; i++) {
        double quotient = floor(parts[i] / rate_hz);
        if (!(fabs(quotient) < 9e15))
            return;
        *whole += (int64_t)quotient;
        *rest += fma(-quotient, rate_hz, parts[i]) / rate_hz;
    }
}

clr_time clr_time_add_samples(clr_time time, int64_t samples, double rate_hz)
{
    if (!(rate_hz > 0))
        return time;
    int64_t whole;
    double rest;
    divide_samples(samples, rate_hz, &whole, &rest);
    double fraction = time.fraction + rest;
    double carry = floor(fraction);
    fraction -= carry;
    /* 100 million days around 2000 bound what a file can ask for. */
    int64_t limit = (int64_t)MJD_LARGEST * DAY_S;
    int64_t seconds = clr_time_elapsed(time);
    if (whole > limit || whole < -limit)
        whole = whole > 0 ? limit : -limit;
    return from_parts(seconds + whole + (int64_t)carry, fraction);
}

double clr_time_difference(clr_time a, clr_time b)
{
    return (double)(clr_time_elapsed(a) - clr_time_elapsed(b)) + (a.fraction - b.fraction);
}

double clr_time_julian_date(clr_time time)
{
    double day = (double)(elapsed_at_day(time.mjd + 1) - elapsed_at_day(time.mjd));
    return (double)time.mjd + 2400000.5 + (time.seconds + time.fraction) / day;
}

/* Howard Hinnant's days-from-civil arithmetic: years that begin in March have their leap day last.
 */
int64_t clr_time_mjd(int64_t year, unsigned month, unsigned day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (int64_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 678881;
}

static void calendar(int64_t mjd, int64_t *year, unsigned *month, unsigned *day)
{
    int64_t days = mjd + 678881;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t of_era = days - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * of_year + 2) / 153;
    *day = (unsigned)(of_year - (153 * shifted + 2) / 5 + 1);
    *month = (unsigned)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

char *clr_time_text(clr_time time, char *text)
{
    int64_t nanoseconds = (int64_t)floor(time.fraction * 1e9 + 0.5);
    if (nanoseconds >= 1000000000) {
        nanoseconds -= 1000000000;
        time = clr_time_from_elapsed(clr_time_elapsed(time) + 1, 0);
    }
    int64_t year;
    unsigned month, day;
    calendar(time.mjd, &year, &month, &day);
    int second = (int)time.seconds;
    int of_minute = second < DAY_S ? second % 60 : 60 + second - DAY_S;
    int minutes = second < DAY_S ? second / 60 : 1439;
    snprintf(text, 40, "%04d-%02u-%02uT%02d:%02d:%02d.%09d", (int)year, month % 100, day % 100,
             minutes / 60 % 100, minutes % 60, of_minute % 100, (int)nanoseconds);
    return text;
}

/* Digits of one field; 0 when there are fewer than least or more than most. */
static int field(const char **at, int least, int most, int64_t *value)
{
    int digits = 0;
    *value = 0;
    while (digits < most && isdigit((unsigned char)**at)) {
        *value = *value * 10 + (*(*at)++ - '0');
        digits++;
    }
    return digits >= least;
}

static int fraction_field(const char **at, double *fraction)
{
    *fraction = 0;
    if (**at != '.')
        return 1;
    double scale = 1, value = 0;
    for ((*at)++; isdigit((unsigned char)**at); (*at)++)
        if (scale < 1e15) {
            value = value * 10 + (**at - '0');
            scale *= 10;
        }
    *fraction = value / scale;
    return *fraction < 1;
}

int clr_time_parse_utc(const char *text, clr_time *time)
{
    int64_t year, month, day, hour, minute, second;
    const char *at = text;
    double fraction;
    if (!field(&at, 4, 4, &year) || *at++ != '-' || !field(&at, 1, 2, &month) || *at++ != '-' ||
        !field(&at, 1, 2, &day) || !*at || !strchr("-T /", *at++) || !field(&at, 1, 2, &hour) ||
        *at++ != ':' || !field(&at, 1, 2, &minute) || *at++ != ':' || !field(&at, 1, 2, &second) ||
        !fraction_field(&at, &fraction))
        return 0;
    at += *at == 'Z';
    if (*at || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 ||
        second > 60)
        return 0;
    int64_t mjd = clr_time_mjd(year, (unsigned)month, (unsigned)day);
    int64_t seconds = hour * 3600 + minute * 60 + second;
    *time = clr_time_from_elapsed(elapsed_at_day(mjd) + seconds, fraction);
    return 1;
}

int clr_time_parse_mjd(const char *text, clr_time *time)
{
    enum { MOST = 64 };
    unsigned char digit[MOST];
    int64_t mjd;
    const char *at = text;
    if (!field(&at, 1, 8, &mjd) || isdigit((unsigned char)*at))
        return 0;
    int n = 0;
    if (*at == '.')
        for (at++; isdigit((unsigned char)*at); at++)
            if (n < MOST)
                digit[n++] = (unsigned char)(*at - '0');
    if (*at)
        return 0;
    /* The decimal fraction times 86400, in decimal: what is carried out is the whole seconds. */
    uint32_t carry = 0;
    for (int i = n; i-- > 0;) {
        uint32_t value = digit[i] * (uint32_t)DAY_S + carry;
        digit[i] = (unsigned char)(value % 10);
        carry = value / 10;
    }
    double fraction = 0;
    for (int i = n; i-- > 0;)
        fraction = (fraction + digit[i]) / 10;
    *time = from_parts(elapsed_at_day(mjd) + carry, fraction);
    return 1;
}
