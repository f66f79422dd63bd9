/*
 * The UVH5 writer: a temporary HDF5 file whose three data sets grow by one integration at a time,
 * renamed when it is whole. An integration that cannot be written is taken back, so that a commit
 * always leaves a valid file.
 */
#include "io/uvh5_internal.h"

#if HAVE_HDF5

#include "base/checked.h"
#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 18, BLOCK_BYTES = 1 << 23 };

static clradio_status check_layout(const clr_uvh5_layout *layout)
{
    uint64_t factors[] = { layout->stations, layout->stations + 1ull, layout->channels, 4 * 16 };
    uint64_t bytes;
    if (!layout->stations || !layout->channels)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "a UVH5 file needs at least one station and one channel");
    if (layout->polarisations != 1 && layout->polarisations != 2)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "a UVH5 file has 1 or 2 polarisations, not %u",
                        layout->polarisations);
    if (layout->type != CLRADIO_CI32 && layout->type != CLRADIO_CF32 &&
        layout->type != CLRADIO_CF64)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "a UVH5 file holds ci32, cf32 or cf64 visibilities, not %s",
                        clradio_type_name(layout->type));
    if (layout->normalise && layout->type == CLRADIO_CI32)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "means do not fit an integer output type");
    if (!clr_product_u64(factors, 4, &bytes) || bytes > SIZE_MAX / 2 || layout->stations > 1u << 20)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%u stations and %u channels are too many",
                        layout->stations, layout->channels);
    if (!layout->frequency_hz || !layout->channel_width_hz || layout->compression > 9)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "a UVH5 layout lacks its frequencies or asks for gzip level %u of 9",
                        layout->compression);
    if (!layout->antenna_enu_m != !layout->antenna_ecef_m)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "antenna positions are needed in both frames, or in none");
    for (uint32_t c = 0; c < layout->channels; c++)
        if (!isfinite(layout->frequency_hz[c]) || !(layout->channel_width_hz[c] > 0))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "channel %u has no finite frequency and positive width", c);
    for (size_t k = 0; k < layout->n_keywords; k++)
        if (!layout->keywords[k].name || !*layout->keywords[k].name ||
            strchr(layout->keywords[k].name, '/'))
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "an extra keyword has no usable name");
    return CLRADIO_OK;
}

/* The compound {r, i} of a type, or the types of the two companions. Negative on failure. */
static hid_t dataset_type(int which, clradio_type type)
{
    if (which == CLR_UVH5_FLAGS)
        return clr_hdf_boolean();
    if (which == CLR_UVH5_NSAMPLES)
        return H5Tcopy(H5T_NATIVE_FLOAT);
    hid_t member = type == CLRADIO_CI32   ? H5T_NATIVE_INT32
                   : type == CLRADIO_CF32 ? H5T_NATIVE_FLOAT
                                          : H5T_NATIVE_DOUBLE;
    size_t half = clradio_type_bytes(type) / 2;
    hid_t compound = H5Tcreate(H5T_COMPOUND, 2 * half);
    if (compound >= 0 &&
        (H5Tinsert(compound, "r", 0, member) < 0 || H5Tinsert(compound, "i", half, member) < 0)) {
        H5Tclose(compound);
        return -1;
    }
    return compound;
}

/* Chunks of about CHUNK_BYTES of visdata; whole rows while a row is small enough. */
static void choose_chunk(const clr_uvh5_rows *rows, hsize_t chunk[3])
{
    size_t value = clradio_type_bytes(rows->type);
    size_t labels = clr_uvh5_labels(rows);
    size_t most_channels = CHUNK_BYTES / (value * labels);
    chunk[1] = rows->channels < most_channels ? rows->channels : most_channels;
    chunk[2] = labels;
    size_t most_rows = CHUNK_BYTES / (value * labels * chunk[1]);
    size_t baselines = clr_uvh5_baselines(rows);
    /* Small integrations share a chunk, but one integration alone should not take a large one. */
    if (baselines < most_rows)
        most_rows = baselines > most_rows / 8 ? baselines : most_rows / 8;
    chunk[0] = most_rows ? most_rows : 1;
}

static int create_dataset(clr_uvh5 *file, hid_t group, int which, unsigned compression)
{
    static const char *const names[] = { "visdata", "flags", "nsamples" };
    const clr_uvh5_rows *rows = &file->rows;
    hsize_t size[3] = { 0, rows->channels, clr_uvh5_labels(rows) }, chunk[3];
    hsize_t most[3] = { H5S_UNLIMITED, size[1], size[2] };
    choose_chunk(rows, chunk);
    /* Flags and fractions are nearly constant: a thousandth of their size. */
    if (which != CLR_UVH5_VISDATA)
        compression = 1;
    hid_t space = H5Screate_simple(3, size, most);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    file->memory_type[which] = dataset_type(which, rows->type);
    int done = space >= 0 && properties >= 0 && file->memory_type[which] >= 0 &&
               H5Pset_chunk(properties, 3, chunk) >= 0;
    if (done && compression && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        done = H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, compression) >= 0;
    if (done)
        file->dataset[which] = H5Dcreate2(group, names[which], file->memory_type[which], space,
                                          H5P_DEFAULT, properties, H5P_DEFAULT);
    if (properties >= 0)
        H5Pclose(properties);
    if (space >= 0)
        H5Sclose(space);
    return done && file->dataset[which] >= 0;
}

static clradio_status create_data(clr_uvh5 *file, unsigned compression)
{
    hid_t group = H5Gcreate2(file->file, "Data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int done = group >= 0;
    for (int which = 0; done && which < CLR_UVH5_DATASETS; which++)
        done = create_dataset(file, group, which, compression);
    clradio_status status = done ? CLRADIO_OK : clr_hdf_fail("write", file->path);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

static clradio_status take_layout(clr_uvh5 *file, const clr_uvh5_layout *layout)
{
    size_t baselines = clr_uvh5_baselines(&file->rows), at = 0;
    file->uvw_m = calloc(baselines, 3 * sizeof *file->uvw_m);
    if (!file->uvw_m)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu baselines", baselines);
    file->latitude_deg = layout->location_known ? layout->latitude_deg : 0;
    for (size_t i = 0; layout->antenna_enu_m && i < layout->stations; i++)
        for (size_t j = 0; j <= i; j++)
            for (size_t axis = 0; axis < 3; axis++)
                file->uvw_m[at++] = layout->antenna_enu_m[i][axis] - layout->antenna_enu_m[j][axis];
    return CLRADIO_OK;
}

clradio_status clr_uvh5_create(const char *path, const clr_uvh5_layout *layout, clr_uvh5 **result)
{
    *result = NULL;
    clradio_status status = check_layout(layout);
    if (status)
        return status;
    clr_uvh5 *file = calloc(1, sizeof *file);
    if (!file)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a UVH5 file");
    file->file = -1;
    for (int which = 0; which < CLR_UVH5_DATASETS; which++)
        file->dataset[which] = file->memory_type[which] = -1;
    file->rows = (clr_uvh5_rows){ layout->stations, layout->polarisations, layout->channels,
                                  layout->type, layout->normalise };
    status = take_layout(file, layout);
    if (!status)
        status = clr_final_name(path, &file->path);
    if (!status)
        status = clr_temporary_name(file->path, 0644, &file->temporary);
    if (!status) {
        clr_hdf_quiet();
        file->file = H5Fcreate(file->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        status = file->file < 0 ? clr_hdf_fail("create", path) : CLRADIO_OK;
    }
    if (!status)
        status = clr_uvh5_write_layout(file, layout);
    if (!status)
        status = create_data(file, layout->compression);
    if (status) {
        clr_uvh5_abandon(file);
        return status;
    }
    *result = file;
    return CLRADIO_OK;
}

static int write_rows(const clr_uvh5 *file, int which, size_t row, size_t count, const void *values)
{
    hsize_t start[3] = { row, 0, 0 };
    hsize_t size[3] = { count, file->rows.channels, clr_uvh5_labels(&file->rows) };
    hid_t memory = H5Screate_simple(3, size, NULL);
    hid_t space = H5Dget_space(file->dataset[which]);
    int done = memory >= 0 && space >= 0 &&
               H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
               H5Dwrite(file->dataset[which], file->memory_type[which], memory, space, H5P_DEFAULT,
                        values) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    return done;
}

static int set_rows(clr_uvh5 *file, size_t rows)
{
    hsize_t size[3] = { rows, file->rows.channels, clr_uvh5_labels(&file->rows) };
    int done = 1;
    for (int which = 0; which < CLR_UVH5_DATASETS; which++)
        done = H5Dset_extent(file->dataset[which], size) >= 0 && done;
    return done;
}

static clradio_status write_integration(clr_uvh5 *file, const clr_uvh5_integration *integration)
{
    const clr_uvh5_rows *rows = &file->rows;
    size_t baselines = clr_uvh5_baselines(rows);
    size_t values = (size_t)rows->channels * clr_uvh5_labels(rows);
    size_t bytes = values * clradio_type_bytes(rows->type);
    size_t block = bytes < BLOCK_BYTES ? BLOCK_BYTES / bytes : 1;
    if (block > baselines)
        block = baselines;
    void *visdata = malloc(block * bytes);
    int8_t *flags = malloc(block * values);
    float *nsamples = malloc(block * values * sizeof *nsamples);
    clradio_status status = CLRADIO_OK;
    if (!visdata || !flags || !nsamples)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory to write '%s'", file->path);
    size_t row = file->integrations * baselines;
    if (!status && !set_rows(file, row + baselines))
        status = clr_hdf_fail("extend", file->path);
    for (size_t first = 0; !status && first < baselines; first += block) {
        size_t count = baselines - first < block ? baselines - first : block;
        clr_uvh5_convert(rows, integration, first, count, visdata);
        clr_uvh5_convert_present(rows, integration, first, count, flags, nsamples);
        if (!write_rows(file, CLR_UVH5_VISDATA, row + first, count, visdata) ||
            !write_rows(file, CLR_UVH5_FLAGS, row + first, count, flags) ||
            !write_rows(file, CLR_UVH5_NSAMPLES, row + first, count, nsamples))
            status = clr_hdf_fail("write", file->path);
    }
    free(visdata);
    free(flags);
    free(nsamples);
    return status;
}

static int make_room(double **values, size_t room)
{
    double *larger = realloc(*values, room * sizeof *larger);
    if (larger)
        *values = larger;
    return larger != NULL;
}

static clradio_status check_integration(const clr_uvh5 *file,
                                        const clr_uvh5_integration *integration)
{
    clradio_type type = integration->type;
    if (!integration->visibilities || !integration->spectra)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "an integration needs visibilities and at least one spectrum");
    if (type != CLRADIO_CI32 && type != CLRADIO_CI64 && type != CLRADIO_CF32 &&
        type != CLRADIO_CF64)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "visibilities are ci32, ci64, cf32 or cf64, not %s",
                        clradio_type_name(type));
    if (!isfinite(integration->julian_date) || !(integration->seconds > 0) ||
        !isfinite(integration->seconds) || !isfinite(integration->lst_rad))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "an integration needs a finite time and a length above 0");
    size_t products = clr_uvh5_baselines(&file->rows) * clr_uvh5_labels(&file->rows);
    for (size_t k = 0; integration->present && k < products; k++)
        if (integration->present[k] > integration->spectra)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "more spectra are said to be present than the integration has");
    return clr_uvh5_check_range(&file->rows, integration);
}

clradio_status clr_uvh5_append(clr_uvh5 *file, const clr_uvh5_integration *integration)
{
    clr_hdf_quiet();
    if (file->damaged)
        return clr_fail(CLRADIO_ERROR_STATE, "'%s' could not be written before", file->path);
    clradio_status status = check_integration(file, integration);
    if (status)
        return status;
    if (file->integrations == file->room) {
        size_t room = file->room * 2 + 16;
        if (!make_room(&file->julian_date, room) || !make_room(&file->seconds, room) ||
            !make_room(&file->lst_rad, room))
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to write '%s'", file->path);
        file->room = room;
    }
    status = write_integration(file, integration);
    if (status) {
        file->damaged = !set_rows(file, file->integrations * clr_uvh5_baselines(&file->rows));
        return status;
    }
    file->julian_date[file->integrations] = integration->julian_date;
    file->seconds[file->integrations] = integration->seconds;
    file->lst_rad[file->integrations] = integration->lst_rad;
    file->integrations++;
    return CLRADIO_OK;
}

uint64_t clr_uvh5_integrations(const clr_uvh5 *file)
{
    return file->integrations;
}

/* 1 when everything is closed and HDF5 saw no failure. */
static int close_all(clr_uvh5 *file)
{
    int done = 1;
    for (int which = 0; which < CLR_UVH5_DATASETS; which++) {
        if (file->dataset[which] >= 0)
            done = H5Dclose(file->dataset[which]) >= 0 && done;
        if (file->memory_type[which] >= 0)
            H5Tclose(file->memory_type[which]);
        file->dataset[which] = file->memory_type[which] = -1;
    }
    if (file->file >= 0)
        done = H5Fclose(file->file) >= 0 && done;
    file->file = -1;
    return done;
}

clradio_status clr_uvh5_commit(clr_uvh5 *file)
{
    clr_hdf_quiet();
    clradio_status status = CLRADIO_OK;
    if (file->damaged)
        status = clr_fail(CLRADIO_ERROR_IO, "'%s' could not be written", file->path);
    else if (!file->integrations)
        status =
            clr_fail(CLRADIO_ERROR_STATE, "there is no integration to write to '%s'", file->path);
    else
        status = clr_uvh5_write_times(file);
    if (!status && !close_all(file))
        status = clr_hdf_fail("finish", file->path);
    if (!status)
        status = clr_temporary_keep(&file->temporary, file->path);
    clr_uvh5_abandon(file);
    return status;
}

void clr_uvh5_abandon(clr_uvh5 *file)
{
    if (!file)
        return;
    clr_hdf_quiet();
    close_all(file);
    clr_temporary_drop(&file->temporary);
    free(file->path);
    free(file->uvw_m);
    free(file->julian_date);
    free(file->seconds);
    free(file->lst_rad);
    free(file);
}

#else
typedef int clr_no_hdf5_here; /* a file may not be empty; uvh5_absent.c answers */
#endif
