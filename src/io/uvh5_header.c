/* The Header group of a UVH5 file: what the layout says, and the arrays that have a row an
 * integration and baseline. */
#include "io/uvh5_internal.h"

#if HAVE_HDF5

#include "base/text.h"

#include <clradio/version.h>
#include <stdio.h>
#include <stdlib.h>

static int write_history(hid_t group, const clr_uvh5_layout *layout)
{
    clr_text text = { 0 };
    if (layout->history && *layout->history)
        clr_text_add(&text, "%s\n", layout->history);
    clr_text_add(&text, "Written by clradio %s: visibilities are %s.", clradio_version(),
                 layout->normalise ? "means over the spectra present"
                                   : "sums over the spectra present, not divided by their number");
    if (!layout->antenna_enu_m)
        clr_text_add(&text, " The antenna positions are not known: zeros stand in their "
                            "place (pyuvdata then wants run_check_acceptability=False).");
    if (!layout->location_known)
        clr_text_add(&text, " The location of the telescope is not known: zeros stand in its "
                            "place.");
    int done = !text.failed && clr_hdf_text(group, "history", text.bytes);
    clr_text_free(&text);
    return done;
}

static int write_antennas(hid_t group, const clr_uvh5_layout *layout)
{
    size_t n = layout->stations;
    int64_t *numbers = calloc(n, sizeof *numbers);
    const char **names = calloc(n, sizeof *names);
    char(*made)[16] = calloc(n, sizeof *made);
    double(*zeros)[3] = calloc(n, sizeof *zeros);
    int done = numbers && names && made && zeros;
    for (size_t i = 0; done && i < n; i++) {
        numbers[i] = (int64_t)i;
        snprintf(made[i], sizeof made[i], "%zu", i);
        names[i] = layout->antenna_names ? layout->antenna_names[i] : made[i];
    }
    done = done && clr_hdf_integer(group, "Nants_data", (int64_t)n) &&
           clr_hdf_integer(group, "Nants_telescope", (int64_t)n) &&
           clr_hdf_array(group, "antenna_numbers", H5T_NATIVE_INT64, numbers, n, 0) &&
           clr_hdf_texts(group, "antenna_names", names, n) &&
           clr_hdf_array(group, "antenna_positions", H5T_NATIVE_DOUBLE,
                         layout->antenna_ecef_m ? (const void *)layout->antenna_ecef_m
                                                : (const void *)zeros,
                         n, 3);
    free(numbers);
    free(names);
    free(made);
    free(zeros);
    return done;
}

static int write_frequencies(hid_t group, const clr_uvh5_layout *layout)
{
    const int64_t window = 0;
    int64_t *windows = calloc(layout->channels, sizeof *windows);
    int done =
        windows && clr_hdf_integer(group, "Nfreqs", layout->channels) &&
        clr_hdf_integer(group, "Nspws", 1) && clr_hdf_boolean_value(group, "flex_spw", 0) &&
        clr_hdf_array(group, "spw_array", H5T_NATIVE_INT64, &window, 1, 0) &&
        clr_hdf_array(group, "flex_spw_id_array", H5T_NATIVE_INT64, windows, layout->channels, 0) &&
        clr_hdf_array(group, "freq_array", H5T_NATIVE_DOUBLE, layout->frequency_hz,
                      layout->channels, 0) &&
        clr_hdf_array(group, "channel_width", H5T_NATIVE_DOUBLE, layout->channel_width_hz,
                      layout->channels, 0);
    free(windows);
    return done;
}

static int write_telescope(hid_t group, const clr_uvh5_layout *layout)
{
    int known = layout->location_known;
    const char *name =
        layout->telescope_name && *layout->telescope_name ? layout->telescope_name : "unknown";
    return clr_hdf_text(group, "telescope_name", name) &&
           clr_hdf_text(group, "instrument", layout->instrument ? layout->instrument : "clradio") &&
           clr_hdf_text(group, "telescope_frame", "itrs") &&
           clr_hdf_number(group, "latitude", known ? layout->latitude_deg : 0) &&
           clr_hdf_number(group, "longitude", known ? layout->longitude_deg : 0) &&
           clr_hdf_number(group, "altitude", known ? layout->altitude_m : 0);
}

/* The phase centre of an array that follows nothing: pyuvdata's type "unprojected". */
static int write_phase_catalogue(hid_t header)
{
    hid_t group = H5Gcreate2(header, "phase_center_catalog", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t entry = group < 0 ? -1 : H5Gcreate2(group, "0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int done = entry >= 0 && clr_hdf_text(entry, "cat_name", "unprojected") &&
               clr_hdf_text(entry, "cat_type", "unprojected") &&
               clr_hdf_number(entry, "cat_lon", 0) &&
               clr_hdf_number(entry, "cat_lat", 1.57079632679489661923) &&
               clr_hdf_text(entry, "cat_frame", "altaz");
    if (entry >= 0)
        done = H5Gclose(entry) >= 0 && done;
    if (group >= 0)
        done = H5Gclose(group) >= 0 && done;
    return done && clr_hdf_integer(header, "Nphase", 1);
}

static int write_keywords(hid_t header, const clr_uvh5_layout *layout)
{
    hid_t group = H5Gcreate2(header, "extra_keywords", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int done = group >= 0 &&
               clr_hdf_text(group, "visibilities", layout->normalise ? "mean" : "sum") &&
               clr_hdf_text(group, "writer", "clradio " CLRADIO_VERSION);
    for (size_t i = 0; done && i < layout->n_keywords; i++) {
        const clr_uvh5_keyword *keyword = &layout->keywords[i];
        if (keyword->text)
            done = clr_hdf_text(group, keyword->name, keyword->text);
        else if (keyword->is_number)
            done = clr_hdf_number(group, keyword->name, keyword->number);
        else
            done = clr_hdf_integer(group, keyword->name, keyword->integer);
    }
    if (group >= 0)
        done = H5Gclose(group) >= 0 && done;
    return done;
}

clradio_status clr_uvh5_write_layout(clr_uvh5 *file, const clr_uvh5_layout *layout)
{
    hid_t group = H5Gcreate2(file->file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int labels = (int)clr_uvh5_labels(&file->rows);
    int done = group >= 0 && clr_hdf_text(group, "version", "1.2") &&
               write_telescope(group, layout) && write_history(group, layout) &&
               write_antennas(group, layout) && write_frequencies(group, layout) &&
               clr_hdf_integer(group, "Npols", labels) &&
               clr_hdf_array(group, "polarization_array", H5T_NATIVE_INT64, clr_uvh5_label_number,
                             (size_t)labels, 0) &&
               clr_hdf_integer(group, "Nbls", (int64_t)clr_uvh5_baselines(&file->rows)) &&
               clr_hdf_text(group, "vis_units", "uncalib") && write_phase_catalogue(group) &&
               clr_hdf_boolean_value(group, "blts_are_rectangular", 1) &&
               clr_hdf_boolean_value(group, "time_axis_faster_than_bls", 0) &&
               write_keywords(group, layout);
    if (group >= 0)
        done = H5Gclose(group) >= 0 && done;
    return done ? CLRADIO_OK : clr_hdf_fail("write", file->path);
}

/* values: one an integration, repeated for each baseline; NULL: constant. */
static int write_per_integration(const clr_uvh5 *file, hid_t group, const char *name,
                                 const double *values, double constant, double *rows)
{
    size_t baselines = clr_uvh5_baselines(&file->rows);
    for (size_t t = 0; t < file->integrations; t++)
        for (size_t b = 0; b < baselines; b++)
            rows[t * baselines + b] = values ? values[t] : constant;
    return clr_hdf_array(group, name, H5T_NATIVE_DOUBLE, rows, file->integrations * baselines, 0);
}

static int write_baselines(const clr_uvh5 *file, hid_t group, void *rows)
{
    size_t baselines = clr_uvh5_baselines(&file->rows), n = file->integrations * baselines;
    int64_t *number = rows;
    int done = 1;
    for (int which = 1; done && which <= 2; which++) {
        size_t at = 0;
        for (size_t t = 0; t < file->integrations; t++)
            for (int64_t i = 0; i < file->rows.stations; i++)
                for (int64_t j = 0; j <= i; j++)
                    number[at++] = which == 1 ? j : i;
        done = clr_hdf_array(group, which == 1 ? "ant_1_array" : "ant_2_array", H5T_NATIVE_INT64,
                             number, n, 0);
    }
    for (size_t at = 0; done && at < n; at++)
        number[at] = 0;
    done = done && clr_hdf_array(group, "phase_center_id_array", H5T_NATIVE_INT64, number, n, 0);
    double *uvw = rows;
    for (size_t at = 0; done && at < 3 * n; at++)
        uvw[at] = file->uvw_m[at % (3 * baselines)];
    return done && clr_hdf_array(group, "uvw_array", H5T_NATIVE_DOUBLE, uvw, n, 3);
}

clradio_status clr_uvh5_write_times(clr_uvh5 *file)
{
    const double to_radians = 3.14159265358979323846 / 180.0;
    size_t baselines = clr_uvh5_baselines(&file->rows), n = file->integrations * baselines;
    double *rows = n <= SIZE_MAX / (3 * sizeof(double)) ? malloc(3 * n * sizeof *rows) : NULL;
    if (!rows)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the header of '%s'", file->path);
    hid_t group = H5Gopen2(file->file, "Header", H5P_DEFAULT);
    int done = group >= 0 && clr_hdf_integer(group, "Ntimes", (int64_t)file->integrations) &&
               clr_hdf_integer(group, "Nblts", (int64_t)n) && write_baselines(file, group, rows) &&
               write_per_integration(file, group, "time_array", file->julian_date, 0, rows) &&
               write_per_integration(file, group, "integration_time", file->seconds, 0, rows) &&
               write_per_integration(file, group, "phase_center_app_ra", file->lst_rad, 0, rows) &&
               write_per_integration(file, group, "phase_center_app_dec", NULL,
                                     file->latitude_deg * to_radians, rows) &&
               write_per_integration(file, group, "phase_center_frame_pa", NULL, 0, rows);
    if (group >= 0)
        done = H5Gclose(group) >= 0 && done;
    free(rows);
    return done ? CLRADIO_OK : clr_hdf_fail("write", file->path);
}

#else
typedef int clr_no_hdf5_here; /* a file may not be empty */
#endif
