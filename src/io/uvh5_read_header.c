/* The UVH5 reader: the header, each item compared with the size that the data sets have. */
#include "io/uvh5_read.h"

#include <stdlib.h>
#include <string.h>

#if HAVE_HDF5

#include "io/uvh5_read_internal.h"

#include "base/checked.h"
#include "base/text.h"

clradio_status clr_uvh5_fail_item(const clr_uvh5_reader *reader, const char *name, const char *what)
{
    H5Eclear2(H5E_DEFAULT);
    return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' is not a usable UVH5 file: %s %s", reader->path,
                    name, what);
}

int clr_uvh5_extent(hid_t dataset, hsize_t size[CLR_UVH5_MOST_RANK])
{
    hid_t space = H5Dget_space(dataset);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (rank > CLR_UVH5_MOST_RANK ||
        (rank >= 0 && H5Sget_simple_extent_dims(space, size, NULL) < 0))
        rank = -1;
    if (space >= 0)
        H5Sclose(space);
    return rank;
}

int clr_uvh5_within_limit(const clr_uvh5_reader *reader, uint64_t count, uint64_t bytes)
{
    uint64_t product;
    return clr_mul_u64(count, bytes, &product) && product <= reader->limit;
}

/*
 * A numeric array of the header, converted to type (H5T_NATIVE_DOUBLE or H5T_NATIVE_INT64; both of
 * 8 bytes). *count: what is expected, or 0 to learn it. Trailing axes are counted in.
 */
static clradio_status read_array(const clr_uvh5_reader *reader, const char *name, hid_t type,
                                 uint64_t *count, void **values)
{
    hid_t dataset = H5Dopen2(reader->header, name, H5P_DEFAULT);
    if (dataset < 0)
        return clr_uvh5_fail_item(reader, name, "is missing from the header");
    hsize_t size[CLR_UVH5_MOST_RANK] = { 0 };
    int rank = clr_uvh5_extent(dataset, size);
    uint64_t total = 1;
    clradio_status status = CLRADIO_OK;
    for (int axis = 0; axis < rank; axis++)
        if (!clr_mul_u64(total, size[axis], &total))
            rank = -1;
    if (rank < 0 || !total || (*count && total != *count) ||
        !clr_uvh5_within_limit(reader, total, 8))
        status = clr_uvh5_fail_item(reader, name, "has an unexpected size");
    else if (!(*values = malloc(total * 8)))
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", reader->path);
    else if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
        status = clr_uvh5_fail_item(reader, name, "cannot be read as numbers");
    H5Dclose(dataset);
    *count = total;
    return status;
}

static clradio_status read_number(const clr_uvh5_reader *reader, const char *name, double *value)
{
    uint64_t one = 1;
    void *values = NULL;
    clradio_status status = read_array(reader, name, H5T_NATIVE_DOUBLE, &one, &values);
    if (!status)
        *value = *(double *)values;
    free(values);
    return status;
}

/* count texts of a data set of fixed or variable length, malloc'ed each. 0 on failure. */
static int read_texts(const clr_uvh5_reader *reader, const char *name, size_t count, char **texts)
{
    hid_t dataset = H5Dopen2(reader->header, name, H5P_DEFAULT);
    hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    size_t length = type < 0 ? 0 : H5Tget_size(type);
    char *bytes = NULL;
    int done = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && length > 0 &&
               H5Sget_simple_extent_npoints(space) == (hssize_t)count &&
               clr_uvh5_within_limit(reader, count, length) &&
               (bytes = calloc(count, length)) != NULL &&
               H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
    int variable = done && H5Tis_variable_str(type) > 0;
    for (size_t i = 0; done && i < count; i++) {
        const char *from = bytes + i * length;
        if (variable)
            from = ((char **)(void *)bytes)[i] ? ((char **)(void *)bytes)[i] : "";
        texts[i] = variable ? strdup(from) : strndup(from, length);
        done = texts[i] != NULL;
    }
    if (variable)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, bytes);
    free(bytes);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Eclear2(H5E_DEFAULT);
    return done;
}

static void read_short_text(const clr_uvh5_reader *reader, const char *name, char *to, size_t room)
{
    char *text = NULL;
    if (read_texts(reader, name, 1, &text))
        clr_copy_text(to, room, text);
    free(text);
}

static clradio_status read_channels(clr_uvh5_reader *reader)
{
    clr_uvh5_info *info = &reader->info;
    uint64_t n = info->channels, widths = 0;
    void *values = NULL;
    clradio_status status =
        read_array(reader, "freq_array", H5T_NATIVE_DOUBLE, &n, (void **)&info->frequency_hz);
    if (status)
        return status;
    status = read_array(reader, "channel_width", H5T_NATIVE_DOUBLE, &widths, &values);
    if (!status && widths != n && widths != 1)
        status = clr_uvh5_fail_item(reader, "channel_width", "has an unexpected size");
    if (!status && !(info->channel_width_hz = malloc(n * sizeof(double))))
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", reader->path);
    for (uint64_t c = 0; !status && c < n; c++)
        info->channel_width_hz[c] = ((double *)values)[widths == 1 ? 0 : c];
    free(values);
    return status;
}

static clradio_status read_antennas(clr_uvh5_reader *reader)
{
    clr_uvh5_info *info = &reader->info;
    uint64_t n = 0;
    clradio_status status =
        read_array(reader, "antenna_numbers", H5T_NATIVE_INT64, &n, (void **)&info->antenna_number);
    if (status)
        return status;
    if (n > UINT32_MAX)
        return clr_uvh5_fail_item(reader, "antenna_numbers", "has an impossible size");
    info->antennas = (uint32_t)n;
    uint64_t triples = 3 * n;
    info->antenna_name = calloc(n, sizeof *info->antenna_name);
    if (!info->antenna_name)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", reader->path);
    if (!read_texts(reader, "antenna_names", n, info->antenna_name))
        return clr_uvh5_fail_item(reader, "antenna_names", "cannot be read");
    return read_array(reader, "antenna_positions", H5T_NATIVE_DOUBLE, &triples,
                      (void **)&info->antenna_ecef_m);
}

clradio_status clr_uvh5_read_header(clr_uvh5_reader *reader)
{
    clr_uvh5_info *info = &reader->info;
    uint64_t rows = info->rows, labels = info->labels, triples;
    double times = 0;
    if (!clr_mul_u64(rows, 3, &triples))
        return clr_uvh5_fail_item(reader, "Data/visdata", "has an impossible size");
    read_short_text(reader, "telescope_name", info->telescope_name, sizeof info->telescope_name);
    read_short_text(reader, "version", info->version, sizeof info->version);
    if (!read_texts(reader, "history", 1, &info->history))
        info->history = strdup("");
    struct {
        const char *name;
        hid_t type;
        uint64_t count;
        void **values;
    } arrays[] = {
        { "polarization_array", H5T_NATIVE_INT64, labels, (void **)&info->label },
        { "ant_1_array", H5T_NATIVE_INT64, rows, (void **)&info->antenna_1 },
        { "ant_2_array", H5T_NATIVE_INT64, rows, (void **)&info->antenna_2 },
        { "uvw_array", H5T_NATIVE_DOUBLE, triples, (void **)&info->uvw_m },
        { "time_array", H5T_NATIVE_DOUBLE, rows, (void **)&info->julian_date },
        { "integration_time", H5T_NATIVE_DOUBLE, rows, (void **)&info->integration_time_s },
    };
    clradio_status status =
        info->history ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_MEMORY, "no memory");
    for (size_t k = 0; !status && k < sizeof arrays / sizeof *arrays; k++)
        status =
            read_array(reader, arrays[k].name, arrays[k].type, &arrays[k].count, arrays[k].values);
    if (!status)
        status = read_channels(reader);
    if (!status)
        status = read_antennas(reader);
    if (!status)
        status = read_number(reader, "latitude", &info->latitude_deg);
    if (!status)
        status = read_number(reader, "longitude", &info->longitude_deg);
    if (!status)
        status = read_number(reader, "altitude", &info->altitude_m);
    if (!status)
        status = read_number(reader, "Ntimes", &times);
    if (!status && !(times >= 1 && times <= (double)rows))
        status = clr_uvh5_fail_item(reader, "Ntimes", "does not fit the data");
    info->times = status ? 0 : (uint64_t)times;
    return status;
}

#else
typedef int clr_no_hdf5_here; /* a file may not be empty; uvh5_absent.c answers */
#endif
