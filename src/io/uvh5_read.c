/*
 * The UVH5 reader. Sizes come from the data sets themselves, are compared with each other, and
 * nothing is allocated that the file's size cannot account for. Old files with an axis of spectral
 * windows are read when there is one window.
 */
#include "io/uvh5_read.h"

#include <stdlib.h>
#include <string.h>

#if HAVE_HDF5

#include "io/uvh5_internal.h"
#include "io/uvh5_lzf.h"

#include "base/checked.h"
#include "base/text.h"

#include <sys/stat.h>

/* Deflate expands by at most 1,032. */
enum { MOST_EXPANSION = 1032, LEAST_LIMIT = 1 << 20, MOST_RANK = 4 };

struct clr_uvh5_reader {
    char *path;
    hid_t file, header;
    hid_t data[CLR_UVH5_DATASETS], memory_type[CLR_UVH5_DATASETS];
    int windows; /* the data sets have an axis of spectral windows */
    uint64_t limit;
    clr_uvh5_info info;
};

static clradio_status fail_item(const clr_uvh5_reader *reader, const char *name, const char *what)
{
    H5Eclear2(H5E_DEFAULT);
    return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' is not a usable UVH5 file: %s %s", reader->path,
                    name, what);
}

/* The extent of a data set; 0 axes for a scalar, -1 on failure. */
static int extent_of(hid_t dataset, hsize_t size[MOST_RANK])
{
    hid_t space = H5Dget_space(dataset);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (rank > MOST_RANK || (rank >= 0 && H5Sget_simple_extent_dims(space, size, NULL) < 0))
        rank = -1;
    if (space >= 0)
        H5Sclose(space);
    return rank;
}

static int within_limit(const clr_uvh5_reader *reader, uint64_t count, uint64_t bytes)
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
        return fail_item(reader, name, "is missing from the header");
    hsize_t size[MOST_RANK] = { 0 };
    int rank = extent_of(dataset, size);
    uint64_t total = 1;
    clradio_status status = CLRADIO_OK;
    for (int axis = 0; axis < rank; axis++)
        if (!clr_mul_u64(total, size[axis], &total))
            rank = -1;
    if (rank < 0 || !total || (*count && total != *count) || !within_limit(reader, total, 8))
        status = fail_item(reader, name, "has an unexpected size");
    else if (!(*values = malloc(total * 8)))
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", reader->path);
    else if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
        status = fail_item(reader, name, "cannot be read as numbers");
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
               within_limit(reader, count, length) && (bytes = calloc(count, length)) != NULL &&
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
            return fail_item(reader, names[which], "is missing");
        reader->data[which] = dataset;
        hsize_t size[MOST_RANK] = { 0 };
        int rank = extent_of(dataset, size);
        if (rank != 3 && !(rank == 4 && size[1] == 1))
            return fail_item(reader, names[which], "does not have 3 axes");
        uint64_t channels = size[rank - 2], labels = size[rank - 1];
        if (which == CLR_UVH5_VISDATA) {
            info->type = visdata_type(dataset);
            if (!info->type)
                return fail_item(reader, names[which], "is not a pair of numbers r and i");
            if (!size[0] || !channels || !labels || channels > UINT32_MAX || labels > 64 ||
                !within_limit(reader, channels * labels, 16) || !within_limit(reader, size[0], 8))
                return fail_item(reader, names[which], "has an impossible size");
            info->rows = size[0];
            info->channels = (uint32_t)channels;
            info->labels = (uint32_t)labels;
            reader->windows = rank == 4;
        } else if (size[0] != info->rows || channels != info->channels || labels != info->labels ||
                   (rank == 4) != reader->windows) {
            return fail_item(reader, names[which], "has another size than visdata");
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
        status = fail_item(reader, "channel_width", "has an unexpected size");
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
        return fail_item(reader, "antenna_numbers", "has an impossible size");
    info->antennas = (uint32_t)n;
    uint64_t triples = 3 * n;
    info->antenna_name = calloc(n, sizeof *info->antenna_name);
    if (!info->antenna_name)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", reader->path);
    if (!read_texts(reader, "antenna_names", n, info->antenna_name))
        return fail_item(reader, "antenna_names", "cannot be read");
    return read_array(reader, "antenna_positions", H5T_NATIVE_DOUBLE, &triples,
                      (void **)&info->antenna_ecef_m);
}

static clradio_status read_header(clr_uvh5_reader *reader)
{
    clr_uvh5_info *info = &reader->info;
    uint64_t rows = info->rows, labels = info->labels, triples;
    double times = 0;
    if (!clr_mul_u64(rows, 3, &triples))
        return fail_item(reader, "Data/visdata", "has an impossible size");
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
        status = fail_item(reader, "Ntimes", "does not fit the data");
    info->times = status ? 0 : (uint64_t)times;
    return status;
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
        status = clr_hdf_fail("read", path);
    else if ((reader->header = H5Gopen2(reader->file, "Header", H5P_DEFAULT)) < 0)
        status = fail_item(reader, "the group Header", "is missing");
    if (!status)
        status = open_data(reader);
    if (!status && !make_memory_types(reader))
        status = clr_hdf_fail("read", path);
    if (!status)
        status = read_header(reader);
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
            return clr_hdf_fail("read", reader->path);
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
