/*
 * Channel models of 3GPP TR 38.901: the compiled tables against those in $CLRADIO_DATA, powers and
 * delays, the statistics of taps over links and time.
 */
#include "channel_support.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

static FILE *open_data(const char *name)
{
    const char *folder = getenv("CLRADIO_DATA");
    char path[4200];
    static const char *const places[] = { "%s/mimo/%s", "%s/../mimo/%s", "%s/%s" };
    FILE *file = NULL;
    for (int i = 0; folder && !file && i < 3; i++) {
        snprintf(path, sizeof path, places[i], folder, name);
        file = fopen(path, "r");
    }
    return file;
}

/* The comma-separated fields of a line, at most 16. */
static int split(char *line, char *field[16])
{
    int n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; n < 16; at++) {
        field[n++] = at;
        at += strcspn(at, ",");
        if (!*at)
            break;
        *at = '\0';
    }
    return n;
}

static void tables_are_those_of_the_documents(void **state)
{
    (void)state;
    static const char *const names[] = { "tdl.csv", "cdl.csv" };
    size_t rows = 0, expected = 0;
    for (size_t i = 0; clr_profile_get(i); i++)
        expected += clr_profile_get(i)->taps;
    for (int cdl = 0; cdl < 2; cdl++) {
        FILE *file = open_data(names[cdl]);
        char line[512], *f[16];
        if (!file)
            skip();
        assert_non_null(fgets(line, sizeof line, file));
        while (fgets(line, sizeof line, file)) {
            assert_true(split(line, f) >= 6);
            const clr_profile *profile = clr_profile_find(f[0]);
            size_t n = (size_t)atoi(f[1]) - 1;
            assert_non_null(profile);
            assert_true(n < profile->taps && profile->clustered == cdl);
            const clr_profile_tap *tap = &profile->tap[n];
            double unit = !cdl && !strcmp(f[4], "ns") ? 1e-9 : 1;
            assert_true(fabs(tap->delay - atof(f[2]) * unit) < 1e-12 * unit);
            assert_true(tap->power_db == atof(f[3]));
            for (int a = 0; cdl && a < CLR_ANGLES; a++) {
                assert_true(tap->angle_deg[a] == atof(f[4 + a]));
                assert_true(profile->spread_deg[a] == atof(f[8 + a]));
            }
            if (cdl) {
                assert_true(profile->cross_polar_db == atof(f[12]));
                assert_int_equal(tap->line_of_sight, atoi(f[13]));
            } else {
                assert_int_equal(tap->line_of_sight, !strcmp(f[5], "LOS"));
                assert_int_equal(profile->scaled, unit == 1);
            }
            rows++;
        }
        fclose(file);
    }
    assert_int_equal(rows, expected);
}

/* The tables' own sums are +5.4, +8.5, +7.7, +0.3 and +0.5 dB, and their delay spreads 1 (D:
 * 0.994): a wrong digit in a strong tap would show. */
static void sums_and_spreads_of_the_tables_are_as_known(void **state)
{
    (void)state;
    static const double sum_db[] = { 5.4, 8.5, 7.7, 0.3, 0.5 };
    for (int clustered = 0; clustered < 2; clustered++)
        for (int k = 0; k < 5; k++) {
            char name[8];
            snprintf(name, sizeof name, "%cdl-%c", clustered ? 'c' : 't', 'a' + k);
            const clr_profile *profile = clr_profile_find(name);
            double sum = 0, mean = 0, square = 0;
            for (size_t n = 0; n < profile->taps; n++) {
                double power = pow(10, profile->tap[n].power_db / 10);
                sum += power;
                mean += power * profile->tap[n].delay;
                square += power * profile->tap[n].delay * profile->tap[n].delay;
            }
            double spread = sqrt(square / sum - mean * mean / sum / sum);
            assert_true(fabs(10 * log10(sum) - sum_db[k]) < 0.06);
            assert_true(fabs(spread - (k == 3 ? 0.994 : 1)) < 0.001);
        }
}

static void names_are_found_as_people_write_them(void **state)
{
    (void)state;
    assert_string_equal(clr_profile_find("TDL-C")->name, "TDL-C");
    assert_string_equal(clr_profile_find("tdlc")->name, "TDL-C");
    assert_string_equal(clr_profile_find("TDLC300")->name, "TDL-C300");
    assert_string_equal(clr_profile_find("cdl-e")->name, "CDL-E");
    assert_null(clr_profile_find("TDL-F"));
    assert_null(clr_profile_find("TDL"));
    assert_null(clr_profile_find("TDL-C3000"));
    assert_null(clr_profile_find(""));
}

/* ---- taps ---- */

static void powers_are_one_and_delays_have_the_spread(void **state)
{
    (void)state;
    for (size_t i = 0; clr_profile_get(i); i++) {
        clr_channel_config config = channel_configuration(clr_profile_get(i)->name);
        config.delay_spread_s = config.profile->scaled ? 300e-9 : 0;
        clr_channel *channel = channel_of(&config);
        double sum = 0;
        for (size_t n = 0; n < clr_channel_taps(channel); n++) {
            sum += clr_channel_powers(channel)[n];
            double unit = config.profile->scaled ? 300e-9 : 1;
            assert_true(clr_channel_delays(channel)[n] == config.profile->tap[n].delay * unit);
        }
        assert_true(fabs(sum - 1) < 1e-14);
        clr_channel_destroy(channel);
    }
}

enum { LINKS = 8000 };

/* Mean power P within 4 sigma (P / sqrt(LINKS) for an exponential distribution), mean power
 * squared 2 P^2 (4.5 sigma of 2 sqrt(5) P^2), mean 0; a line of sight has its amplitude always. */
static void tdl_taps_are_rayleigh_or_line_of_sight(void **state)
{
    (void)state;
    static const char *const names[] = { "TDL-A", "TDL-D", "TDL-C300" };
    for (int i = 0; i < 3; i++) {
        clr_channel_config config = channel_configuration(names[i]);
        clr_channel *channel = channel_of(&config);
        size_t taps = clr_channel_taps(channel);
        double *mean = calloc(taps, sizeof *mean), *square = calloc(taps, sizeof *square);
        double complex *sum = calloc(taps, sizeof *sum), gain[64];
        for (uint64_t link = 0; link < LINKS; link++) {
            clr_channel_gains(channel, link, 0, 1, (double *)gain);
            for (size_t n = 0; n < taps; n++) {
                double power = creal(gain[n] * conj(gain[n]));
                mean[n] += power / LINKS;
                square[n] += power * power / LINKS;
                sum[n] += gain[n] / LINKS;
            }
        }
        for (size_t n = 0; n < taps; n++) {
            double p = clr_channel_powers(channel)[n];
            int los = config.profile->tap[n].line_of_sight;
            assert_true(fabs(mean[n] / p - 1) < (los ? 1e-12 : 4 / sqrt(LINKS)));
            assert_true(fabs(square[n] / p / p - (los ? 1 : 2)) <
                        (los ? 1e-12 : 4.5 * sqrt(20) / sqrt(LINKS)));
            assert_true(cabs(sum[n]) < 4 * sqrt(p / LINKS));
        }
        free(mean);
        free(square);
        free(sum);
        clr_channel_destroy(channel);
    }
}

/* J0(2 pi fd t) for a Rayleigh tap, exp(2 pi i 0.7 fd t) for a line of sight. */
static void doppler_has_the_spectrum_of_clarke_and_jakes(void **state)
{
    (void)state;
    enum { TIMES = 12, MANY = 1200 };
    clr_channel_config config = channel_configuration("TDL-E");
    config.doppler_hz = 40; /* a step of 1 ms: 0.04 turns */
    clr_channel *channel = channel_of(&config);
    size_t taps = clr_channel_taps(channel);
    double complex *gain = malloc(TIMES * taps * sizeof *gain), sum[2][TIMES] = { { 0 } };
    for (uint64_t link = 0; link < MANY; link++) {
        clr_channel_gains(channel, link, 0, TIMES, (double *)gain);
        for (int t = 0; t < TIMES; t++)
            for (int n = 0; n < 2; n++)
                sum[n][t] += gain[(size_t)t * taps + (size_t)n] * conj(gain[n]) /
                             clr_channel_powers(channel)[n] / MANY;
    }
    for (int t = 0; t < TIMES; t++) {
        assert_true(cabs(sum[0][t] - cexp(2 * M_PI * 0.7 * 0.04 * t * I)) < 1e-9);
        assert_true(cabs(sum[1][t] - j0(2 * M_PI * 0.04 * t)) < 4.5 / sqrt(MANY));
    }
    free(gain);
    clr_channel_destroy(channel);
}

static void pieces_of_time_and_seeds_are_as_promised(void **state)
{
    (void)state;
    static const char *const names[] = { "TDL-B", "CDL-D" };
    for (int i = 0; i < 2; i++) {
        clr_channel_config config = channel_configuration(names[i]);
        config.doppler_hz = 70;
        config.receive.columns = 2;
        config.transmit.rows = 3;
        clr_channel *channel = channel_of(&config);
        size_t each = clr_channel_taps(channel) * clr_channel_paths(channel) * 2;
        assert_int_equal(clr_channel_paths(channel), 6);
        double *whole = malloc(9 * each * sizeof *whole), *piece = malloc(9 * each * sizeof *piece);
        clr_channel_gains(channel, 5, 0, 9, whole);
        clr_channel_gains(channel, 5, 0, 2, piece);
        clr_channel_gains(channel, 5, 2, 6, piece + 2 * each);
        clr_channel_gains(channel, 5, 8, 1, piece + 8 * each);
        assert_memory_equal(whole, piece, 9 * each * sizeof *whole);
        clr_channel_gains(channel, 6, 0, 9, piece);
        assert_memory_not_equal(whole, piece, 9 * each * sizeof *whole);
        clr_channel_destroy(channel);
        config.seed = 8;
        channel = channel_of(&config);
        clr_channel_gains(channel, 5, 0, 9, piece);
        assert_memory_not_equal(whole, piece, 9 * each * sizeof *whole);
        free(whole);
        free(piece);
        clr_channel_destroy(channel);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    clr_channel *channel;
    clr_channel_config config = channel_configuration("TDL-A");
    config.delay_spread_s = 0;
    assert_int_equal(clr_channel_create(&config, &channel), CLRADIO_ERROR_ARGUMENT);
    config.delay_spread_s = NAN;
    assert_int_equal(clr_channel_create(&config, &channel), CLRADIO_ERROR_ARGUMENT);
    config = channel_configuration("TDL-A30");
    config.delay_spread_s = 1e-7;
    assert_int_equal(clr_channel_create(&config, &channel), CLRADIO_ERROR_ARGUMENT);
    config = channel_configuration("CDL-A");
    config.receive.polarisations = 3;
    assert_int_equal(clr_channel_create(&config, &channel), CLRADIO_ERROR_ARGUMENT);
    config = channel_configuration("TDL-A");
    config.doppler_hz = -1;
    assert_int_equal(clr_channel_create(&config, &channel), CLRADIO_ERROR_ARGUMENT);
    config = channel_configuration("TDL-A");
    config.angle_spread_deg[0] = 5;
    assert_int_equal(clr_channel_create(&config, &channel), CLRADIO_ERROR_ARGUMENT);
    assert_null(channel);
    clr_channel_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_those_of_the_documents),
        cmocka_unit_test(sums_and_spreads_of_the_tables_are_as_known),
        cmocka_unit_test(names_are_found_as_people_write_them),
        cmocka_unit_test(powers_are_one_and_delays_have_the_spread),
        cmocka_unit_test(tdl_taps_are_rayleigh_or_line_of_sight),
        cmocka_unit_test(doppler_has_the_spectrum_of_clarke_and_jakes),
        cmocka_unit_test(pieces_of_time_and_seeds_are_as_promised),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}
