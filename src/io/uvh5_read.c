/*
 * The UVH5 reader: opening a file, its rows. Sizes come from the data sets themselves, are compared
 * with each other, and nothing is allocated that the file's size cannot account for. Old files with
 * an axis of spectral windows are read when there is one window.
 */
#include "io/uvh5_read.h"

#include <stdlib.h>
#include <string.h>

#if HAVE_HDF5

#include "io/uvh5_lzf.h"
#include "io/uvh5_read_internal.h"

#include <sys/stat.h>

/* Deflate expands by at most 1,032. */
enum { MOST_EXPANSION = 1032, LEAST_LIMIT = 1 << 20 };

/* What visdata's members are; NONE when it is no compound of r and i. */
static clradio_type visdata_type(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset), member = -1;
    clradio_type found = CLRADIO_TYPE_NONE;
    int index = -1;
    if (type >= 0 && H5Tget_class(type) == H5T_COMPOUND && H5Tget_member_index(type, "i") >= 0 &&
        (index = H5Tget_member_index(type, "r")) >= 0)
        member = H5Tget_member_type(type, (unsigned)index);
    if (member >= 0 && H5Tget_class(member) == H5T_INTEGER)
        found = H5Tget_size(member) <= 4 ? CLRADIO_CI32 : CLRADIO_CF64;
    else if (member >= 0 && H5Tget_class(member) == H5T_FLOAT)
        found = H5Tget_size(member) <= 4 ? CLRADIO_CF32 : CLRADIO_CF64;
    if (member >= 0)
        H5Tclose(member);
    if (type >= 0)
        H5Tclose(type);
    return found;
}

static clradio_status open_data(clr_uvh5_reader *reader)
{
    static const char *const names[] = { "Data/visdata", "Data/flags", "Data/nsamples" };
    clr_uvh5_info *info = &reader->info;
    for (int which = 0; which < CLR_UVH5_DATASETS; which++) {
        hid_t dataset = H5Dopen2(reader->file, names[which], H5P_DEFAULT);
        if (dataset < 0)
            return clr_uvh5_fail_item(reader, names[which], "is missing");
        reader->data[which] = dataset;
        hsize_t size[CLR_UVH5_MOST_RANK] = { 0 };
        int rank = clr_uvh5_extent(dataset, size);
        if (rank != 3 && !(rank == 4 && size[1] == 1))
            return clr_uvh5_fail_item(reader, names[which], "does not have 3 axes");
        uint64_t channels = size[rank - 2], labels = size[rank - 1];
        if (which == CLR_UVH5_VISDATA) {
            info->type = visdata_type(dataset);
            if (!info->type)
                return clr_uvh5_fail_item(reader, names[which], "is not a pair of numbers r and i");
            if (!size[0] || !channels || !labels || channels > UINT32_MAX || labels > 64 ||
                !clr_uvh5_within_limit(reader, channels * labels, 16) ||
                !clr_uvh5_within_limit(reader, size[0], 8))
                return clr_uvh5_fail_item(reader, names[which], "has an impossible size");
            info->rows = size[0];
            info->channels = (uint32_t)channels;
            info->labels = (uint32_t)labels;
            reader->windows = rank == 4;
        } else if (size[0] != info->rows || channels != info->channels || labels != info->labels ||
                   (rank == 4) != reader->windows) {
            return clr_uvh5_fail_item(reader, names[which], "has another size than visdata");
        }
    }
    return CLRADIO_OK;
}

static int make_memory_types(clr_uvh5_reader *reader)
{
    hid_t pair = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
    reader->memory_type[CLR_UVH5_VISDATA] = pair;
    reader->memory_type[CLR_UVH5_FLAGS] = clr_hdf_boolean();
    reader->memory_type[CLR_UVH5_NSAMPLES] = H5Tcopy(H5T_NATIVE_DOUBLE);
    return pair >= 0 && H5Tinsert(pair, "r", 0, H5T_NATIVE_DOUBLE) >= 0 &&
           H5Tinsert(pair, "i", sizeof(double), H5T_NATIVE_DOUBLE) >= 0 &&
           reader->memory_type[CLR_UVH5_FLAGS] >= 0 && reader->memory_type[CLR_UVH5_NSAMPLES] >= 0;
}

clradio_status clr_uvh5_open(const char *path, clr_uvh5_reader **result)
{
    *result = NULL;
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return clr_fail(CLRADIO_ERROR_IO, "cannot open '%s': it is not a readable file", path);
    clr_uvh5_reader *reader = calloc(1, sizeof *reader);
    if (!reader || !(reader->path = strdup(path))) {
        free(reader);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", path);
    }
    reader->header = -1;
    for (int which = 0; which < CLR_UVH5_DATASETS; which++)
        reader->data[which] = reader->memory_type[which] = -1;
    reader->limit = LEAST_LIMIT + (uint64_t)about.st_size * MOST_EXPANSION;
    clr_hdf_quiet();
    clr_hdf_register_lzf();
    reader->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    clradio_status status = CLRADIO_OK;
    if (reader->file < 0)
        status = clr_hdf_unreadable(path);
    else if ((reader->header = H5Gopen2(reader->file, "Header", H5P_DEFAULT)) < 0)
        status = clr_uvh5_fail_item(reader, "the group Header", "is missing");
    if (!status)
        status = open_data(reader);
    if (!status && !make_memory_types(reader))
        status = clr_hdf_unreadable(path);
    if (!status)
        status = clr_uvh5_read_header(reader);
    if (status) {
        clr_uvh5_close(reader);
        return status;
    }
    *result = reader;
    return CLRADIO_OK;
}

const clr_uvh5_info *clr_uvh5_get_info(const clr_uvh5_reader *reader)
{
    return &reader->info;
}

static int read_values(const clr_uvh5_reader *reader, int which, uint64_t row, void *to)
{
    const clr_uvh5_info *info = &reader->info;
    hsize_t start[4] = { row, 0, 0, 0 };
    hsize_t size[4] = { 1, info->channels, info->labels, 0 };
    if (reader->windows) {
        size[3] = size[2];
        size[2] = size[1];
        size[1] = 1;
    }
    int rank = reader->windows ? 4 : 3;
    hid_t memory = H5Screate_simple(rank, size, NULL);
    hid_t space = H5Dget_space(reader->data[which]);
    int done = memory >= 0 && space >= 0 &&
               H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
               H5Dread(reader->data[which], reader->memory_type[which], memory, space, H5P_DEFAULT,
                       to) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    return done;
}

clradio_status clr_uvh5_read_row(clr_uvh5_reader *reader, uint64_t row, double *visibilities,
                                 unsigned char *flags, double *nsamples)
{
    void *to[CLR_UVH5_DATASETS] = { visibilities, flags, nsamples };
    if (row >= reader->info.rows)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' has %llu rows, there is no row %llu",
                        reader->path, (unsigned long long)reader->info.rows,
                        (unsigned long long)row);
    clr_hdf_quiet();
    for (int which = 0; which < CLR_UVH5_DATASETS; which++)
        if (to[which] && !read_values(reader, which, row, to[which]))
            return clr_hdf_unreadable(reader->path);
    return CLRADIO_OK;
}

void clr_uvh5_close(clr_uvh5_reader *reader)
{
    if (!reader)
        return;
    clr_hdf_quiet();
    for (int which = 0; which < CLR_UVH5_DATASETS; which++) {
        if (reader->data[which] >= 0)
            H5Dclose(reader->data[which]);
        if (reader->memory_type[which] >= 0)
            H5Tclose(reader->memory_type[which]);
    }
    if (reader->header >= 0)
        H5Gclose(reader->header);
    if (reader->file >= 0)
        H5Fclose(reader->file);
    clr_uvh5_info *info = &reader->info;
    for (uint32_t i = 0; info->antenna_name && i < info->antennas; i++)
        free(info->antenna_name[i]);
    void *owned[] = {
        info->antenna_name, info->history,        info->frequency_hz,   info->channel_width_hz,
        info->label,        info->antenna_number, info->antenna_ecef_m, info->antenna_1,
        info->antenna_2,    info->uvw_m,          info->julian_date,    info->integration_time_s,
        reader->path
    };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        free(owned[k]);
    free(reader);
}

#else
typedef int clr_no_hdf5_here; /* a file may not be empty; uvh5_absent.c answers */
#endif
