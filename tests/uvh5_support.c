/* A small array's UVH5 files for the tests, and values that say where they stand. */
#include "uvh5_support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double frequency_hz[CHANNELS] = { 100e6, 101e6, 102e6, 103e6, 104e6 };
static const double width_hz[CHANNELS] = { 1e6, 1e6, 1e6, 1e6, 1e6 };
static const double enu_m[STATIONS][3] = { { 1, 2, 3 }, { 10, 20, 31 }, { -5, 7, 0.5 } };
/* Not the same vectors turned; the writer stores them as they are. */
static const double ecef_m[STATIONS][3] = { { 4, 5, 6 }, { 7, 8, 9 }, { -1, -2, -3 } };
static const char *const names[STATIONS] = { "north", "s", "thread 12" };

clr_uvh5_layout small_layout(clradio_type type, uint32_t polarisations)
{
    return (clr_uvh5_layout){
        .stations = STATIONS,
        .polarisations = polarisations,
        .channels = CHANNELS,
        .frequency_hz = frequency_hz,
        .channel_width_hz = width_hz,
        .type = type,
        .antenna_names = names,
        .antenna_enu_m = enu_m,
        .antenna_ecef_m = ecef_m,
        .location_known = 1,
        .latitude_deg = -30.5,
        .longitude_deg = 21.25,
        .altitude_m = 1051,
        .telescope_name = "test array",
        .history = "a test",
    };
}

char *path_in(const char *folder, const char *name)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

int entries_in(const char *folder)
{
    DIR *open_folder = opendir(folder);
    int n = 0;
    for (struct dirent *entry; (entry = readdir(open_folder));)
        n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(open_folder);
    return n;
}

int64_t expected(size_t channel, size_t baseline, size_t pol_i, size_t pol_j, int64_t salt)
{
    return (int64_t)(1000 * channel + 10 * baseline + 2 * pol_i + pol_j) + salt;
}

int64_t *numbered(size_t pols, int64_t salt)
{
    int64_t *values = malloc(CHANNELS * BASELINES * pols * pols * 2 * sizeof *values);
    size_t at = 0;
    for (size_t c = 0; c < CHANNELS; c++)
        for (size_t b = 0; b < BASELINES; b++)
            for (size_t p = 0; p < pols; p++)
                for (size_t q = 0; q < pols; q++) {
                    values[at++] = expected(c, b, p, q, salt);
                    values[at++] = -expected(c, b, p, q, salt) - 1;
                }
    return values;
}

clr_uvh5_integration integration_of(const void *values, clradio_type type)
{
    return (clr_uvh5_integration){ .visibilities = values,
                                   .type = type,
                                   .spectra = 8,
                                   .julian_date = 2460000.5,
                                   .seconds = 2,
                                   .lst_rad = 1.25 };
}
