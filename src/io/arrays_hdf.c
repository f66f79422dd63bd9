/*
 * Array files in HDF5, MATLAB's v7.3 among them: every data set of numbers becomes an array.
 * Complex numbers are compounds of two members (h5py's r and i, MATLAB's real and imag). Axis names
 * come from dimension labels and dimension scales. MATLAB writes its axes in the other order, and
 * they are turned back.
 */
#include "io/arrays_hdf.h"

#if HAVE_HDF5

#include "base/checked.h"
#include "base/text.h"
#include "io/uvh5_internal.h"
#include "io/uvh5_lzf.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 8, MOST_LINKS = 65536, LEAST_LIMIT = 1 << 20 };

hid_t clr_arrays_hdf_type(clr_element element, const char *re, const char *im)
{
    switch (element) {
    case CLR_ELEMENT_I8: return H5Tcopy(H5T_NATIVE_INT8);
    case CLR_ELEMENT_I16: return H5Tcopy(H5T_NATIVE_INT16);
    case CLR_ELEMENT_I32: return H5Tcopy(H5T_NATIVE_INT32);
    case CLR_ELEMENT_I64: return H5Tcopy(H5T_NATIVE_INT64);
    case CLR_ELEMENT_U8: return H5Tcopy(H5T_NATIVE_UINT8);
    case CLR_ELEMENT_U16: return H5Tcopy(H5T_NATIVE_UINT16);
    case CLR_ELEMENT_U32: return H5Tcopy(H5T_NATIVE_UINT32);
    case CLR_ELEMENT_U64: return H5Tcopy(H5T_NATIVE_UINT64);
    case CLR_ELEMENT_F32: return H5Tcopy(H5T_NATIVE_FLOAT);
    case CLR_ELEMENT_F64: return H5Tcopy(H5T_NATIVE_DOUBLE);
    case CLR_ELEMENT_CF32:
    case CLR_ELEMENT_CF64: break;
    default: return -1;
    }
    hid_t part = element == CLR_ELEMENT_CF32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    size_t bytes = element == CLR_ELEMENT_CF32 ? sizeof(float) : sizeof(double);
    hid_t pair = H5Tcreate(H5T_COMPOUND, 2 * bytes);
    if (pair >= 0 && H5Tinsert(pair, re, 0, part) >= 0 && H5Tinsert(pair, im, bytes, part) >= 0)
        return pair;
    if (pair >= 0)
        H5Tclose(pair);
    return -1;
}

int clr_arrays_hdf_block(const uint64_t *size, unsigned rank, uint64_t first, uint64_t count,
                         hsize_t *start, hsize_t *block, uint64_t *elements)
{
    uint64_t step = 1, left = first;
    unsigned axis = rank;
    /* The axis along which the piece lies: all behind it are whole. */
    while (axis > 1 && first % (step * size[axis - 1]) == 0 && count >= step * size[axis - 1])
        step *= size[--axis];
    uint64_t place = first / step % size[axis - 1];
    uint64_t along = clr_min_u64(count / step, size[axis - 1] - place);
    for (unsigned k = rank; k-- > 0;) {
        start[k] = left % size[k];
        left /= size[k];
        block[k] = k < axis - 1 ? 1 : k == axis - 1 ? along : size[k];
    }
    *elements = along * step;
    return along > 0;
}

/* The names of the two members of a compound that is a complex number. */
static int complex_members(hid_t type, const char **re, const char **im)
{
    static const char *const names[][2] = { { "r", "i" }, { "real", "imag" }, { "re", "im" } };
    for (size_t k = 0; k < 3; k++)
        if (H5Tget_nmembers(type) == 2 && H5Tget_member_index(type, names[k][0]) >= 0 &&
            H5Tget_member_index(type, names[k][1]) >= 0) {
            *re = names[k][0];
            *im = names[k][1];
            return 1;
        }
    return 0;
}

static clr_element number_element(hid_t type)
{
    size_t bytes = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_FLOAT)
        return bytes <= 4 ? CLR_ELEMENT_F32 : CLR_ELEMENT_F64;
    if (H5Tget_class(type) != H5T_INTEGER || bytes > 8)
        return CLR_ELEMENT_NONE;
    int negative = H5Tget_sign(type) != H5T_SGN_NONE;
    if (bytes > 4)
        return negative ? CLR_ELEMENT_I64 : CLR_ELEMENT_U64;
    if (bytes > 2)
        return negative ? CLR_ELEMENT_I32 : CLR_ELEMENT_U32;
    if (bytes > 1)
        return negative ? CLR_ELEMENT_I16 : CLR_ELEMENT_U16;
    return negative ? CLR_ELEMENT_I8 : CLR_ELEMENT_U8;
}

/* The element type of a data set, NONE when it holds no numbers; *memory: the type to read it by.
 */
static clr_element data_type(hid_t dataset, hid_t *memory)
{
    const char *re = "r", *im = "i";
    hid_t type = H5Dget_type(dataset);
    clr_element element = CLR_ELEMENT_NONE;
    if (type >= 0 && H5Tget_class(type) == H5T_COMPOUND && complex_members(type, &re, &im)) {
        hid_t part = H5Tget_member_type(type, 0), other = H5Tget_member_type(type, 1);
        clr_element one = part >= 0 ? number_element(part) : CLR_ELEMENT_NONE;
        clr_element two = other >= 0 ? number_element(other) : CLR_ELEMENT_NONE;
        if (one && two)
            element = one == CLR_ELEMENT_F32 && two == CLR_ELEMENT_F32 ? CLR_ELEMENT_CF32
                                                                       : CLR_ELEMENT_CF64;
        if (part >= 0)
            H5Tclose(part);
        if (other >= 0)
            H5Tclose(other);
    } else if (type >= 0) {
        element = number_element(type);
    }
    if (type >= 0)
        H5Tclose(type);
    *memory = element ? clr_arrays_hdf_type(element, re, im) : -1;
    return *memory >= 0 ? element : CLR_ELEMENT_NONE;
}

/* h5py.Empty, for one: a type and no elements, not even none of them along an axis. */
static int has_no_space(hid_t dataset)
{
    hid_t space = H5Dget_space(dataset);
    int answer = space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL;
    if (space >= 0)
        H5Sclose(space);
    return answer;
}

/* Data that lie in other files are not followed. */
static int lies_elsewhere(hid_t dataset)
{
    hid_t how = H5Dget_create_plist(dataset);
    int answer = how < 0 || H5Pget_external_count(how) != 0 || H5Pget_layout(how) == H5D_VIRTUAL;
    if (how >= 0)
        H5Pclose(how);
    return answer;
}

static int set_sizes(const clr_arrays_file *file, hid_t dataset, clr_arrays_entry *entry)
{
    hsize_t size[H5S_MAX_RANK];
    hid_t space = H5Dget_space(dataset);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    int good = rank >= 0 && rank <= CLR_ARRAYS_MOST_RANK &&
               H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (!good)
        return 0;
    entry->info.rank = (unsigned)rank;
    for (int k = 0; k < rank; k++)
        entry->info.size[entry->fortran ? rank - 1 - k : k] = size[k];
    uint64_t limit = LEAST_LIMIT + file->bytes * CLR_ARRAYS_MOST_EXPANSION;
    return clr_arrays_set_count(&entry->info) &&
           entry->info.count <= limit / clr_element_bytes(entry->info.element);
}

static clradio_status add_dataset(clr_arrays_file *file, hid_t dataset, const char *name)
{
    hid_t memory;
    clr_element element = data_type(dataset, &memory);
    int turned = 0;
    if (memory >= 0)
        H5Tclose(memory);
    if (!element || has_no_space(dataset) ||
        (file->matlab && !clr_arrays_hdf_is_matlab_number(dataset, &turned)))
        return CLRADIO_OK;
    clr_arrays_entry *entry = clr_arrays_new_entry(file);
    if (!entry)
        return CLRADIO_ERROR_MEMORY;
    clr_copy_text(entry->info.name, sizeof entry->info.name, name);
    entry->info.element = element;
    entry->fortran = turned;
    if (lies_elsewhere(dataset))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "'%s': the data of '%s' lie in another file, which is not followed",
                        file->path, entry->info.name);
    if (!set_sizes(file, dataset, entry))
        return clr_arrays_damaged(file, "'%s' has an impossible size", entry->info.name);
    clr_arrays_hdf_axes(dataset, &entry->info);
    entry->handle = H5Dopen2((hid_t)file->handle, name, H5P_DEFAULT);
    return entry->handle < 0 ? clr_hdf_unreadable(file->path) : CLRADIO_OK;
}

typedef struct walk {
    clr_arrays_file *file;
    const char *name; /* of the group, "" for the root */
    unsigned depth;
    clradio_status status;
} walk;

static clradio_status walk_group(clr_arrays_file *file, hid_t group, const char *name,
                                 unsigned depth);

/* One link of a group. Soft and external ones are not followed. */
static herr_t visit(hid_t group, const char *link, const H5L_info_t *info, void *user)
{
    walk *w = user;
    char name[CLR_ARRAYS_NAME_BYTES + 64];
    int length = snprintf(name, sizeof name, "%s%s%s", w->name, *w->name ? "/" : "", link);
    if (++w->file->visited > MOST_LINKS || length >= CLR_ARRAYS_NAME_BYTES) {
        w->status = clr_arrays_damaged(w->file, "it has too many groups, or their names are too "
                                                "long");
        return 1;
    }
    if (info->type != H5L_TYPE_HARD || *link == '#')
        return 0;
    hid_t object = H5Oopen(group, link, H5P_DEFAULT);
    if (object < 0) {
        w->status = clr_hdf_unreadable(w->file->path);
        return 1;
    }
    if (H5Iget_type(object) == H5I_DATASET)
        w->status = add_dataset(w->file, object, name);
    else if (H5Iget_type(object) == H5I_GROUP && w->depth < MOST_DEPTH)
        w->status = walk_group(w->file, object, name, w->depth + 1);
    H5Oclose(object);
    return w->status != CLRADIO_OK;
}

static clradio_status walk_group(clr_arrays_file *file, hid_t group, const char *name,
                                 unsigned depth)
{
    walk w = { file, name, depth, CLRADIO_OK };
    hsize_t at = 0;
    herr_t answer = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, visit, &w);
    return w.status ? w.status : answer < 0 ? clr_hdf_unreadable(file->path) : CLRADIO_OK;
}

static clradio_status hdf5_open(clr_arrays_file *file)
{
    clr_hdf_quiet();
    clr_hdf_register_lzf();
    file->handle = H5Fopen(file->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->handle < 0 && file->matlab && H5Fis_hdf5(file->path) <= 0)
        return clr_arrays_damaged(file, "it begins as a .mat file of version 7.3 and is damaged or "
                                        "cut short: HDF5's signature is missing");
    if (file->handle < 0)
        return clr_hdf_unreadable(file->path);
    return walk_group(file, (hid_t)file->handle, "", 0);
}

static clradio_status hdf5_read(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                                uint64_t count, void *to)
{
    const clr_arrays_info *info = &entry->info;
    hid_t dataset = (hid_t)entry->handle, memory_type = -1;
    size_t bytes = clr_element_bytes(info->element);
    uint64_t size[CLR_ARRAYS_MOST_RANK] = { 1 };
    unsigned rank = info->rank ? info->rank : 1;
    for (unsigned k = 0; k < info->rank; k++)
        size[k] = info->size[entry->fortran ? info->rank - 1 - k : k];
    clr_hdf_quiet();
    clr_element element = data_type(dataset, &memory_type);
    hid_t space = H5Dget_space(dataset);
    int done = element == info->element && space >= 0;
    while (done && count) {
        hsize_t start[CLR_ARRAYS_MOST_RANK], block[CLR_ARRAYS_MOST_RANK];
        uint64_t n;
        done = clr_arrays_hdf_block(size, rank, first, count, start, block, &n);
        hid_t memory = done ? H5Screate_simple((int)rank, block, NULL) : -1;
        done = memory >= 0 &&
               (!info->rank ||
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL) >= 0) &&
               H5Dread(dataset, memory_type, memory, space, H5P_DEFAULT, to) >= 0;
        if (memory >= 0)
            H5Sclose(memory);
        first += n;
        count -= n;
        to = (char *)to + n * bytes;
    }
    if (space >= 0)
        H5Sclose(space);
    if (memory_type >= 0)
        H5Tclose(memory_type);
    return done ? CLRADIO_OK : clr_hdf_unreadable(file->path);
}

static void hdf5_close(clr_arrays_file *file)
{
    clr_hdf_quiet();
    for (size_t i = 0; i < file->entries; i++)
        if (file->entry[i].handle >= 0)
            H5Dclose((hid_t)file->entry[i].handle);
    if (file->handle >= 0)
        H5Fclose((hid_t)file->handle);
}

#else

static clradio_status hdf5_open(clr_arrays_file *file)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot read '%s': this clradio was built without HDF5", file->path);
}

static clradio_status hdf5_read(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                                uint64_t count, void *to)
{
    (void)entry, (void)first, (void)count, (void)to;
    return hdf5_open(file);
}

static void hdf5_close(clr_arrays_file *file)
{
    (void)file;
}

#endif

const clr_arrays_format clr_hdf5_format = { "hdf5", hdf5_open, hdf5_read, hdf5_close };
