/* What attributes say about a data set: the names of its axes, and MATLAB's class. */
#include "io/arrays_hdf.h"

#if HAVE_HDF5

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* A text attribute of fixed length, shorter than room. */
static int read_text(hid_t dataset, const char *name, char *text, size_t room)
{
    hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    memset(text, 0, room);
    int done = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
               H5Tis_variable_str(type) == 0 && H5Tget_size(type) < room &&
               H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type, text) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return done;
}

/* Our own attribute: "path,tap,time". */
static int read_axes(hid_t dataset, clr_arrays_info *info)
{
    char text[CLR_ARRAYS_MOST_RANK * CLR_ARRAYS_AXIS_BYTES + 1];
    if (H5Aexists(dataset, "axes") <= 0 || !read_text(dataset, "axes", text, sizeof text))
        return 0;
    char *word = text;
    for (unsigned k = 0; k < info->rank; k++) {
        size_t length = strcspn(word, ",");
        int last = word[length] == '\0';
        word[length] = '\0';
        clr_copy_text(info->axis[k], sizeof info->axis[k], word);
        if (last)
            return k + 1 == info->rank;
        word += length + 1;
    }
    return 1;
}

/* Strings of variable length, one an axis, as H5DSset_label and h5py write them. */
static void read_labels(hid_t attribute, hid_t space, clr_arrays_info *info)
{
    char *labels[CLR_ARRAYS_MOST_RANK] = { 0 };
    hid_t stored = H5Aget_type(attribute);
    hid_t type = H5Tcopy(H5T_C_S1);
    if (stored >= 0 && type >= 0 && H5Tis_variable_str(stored) > 0 &&
        H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5Tget_cset(stored)) >= 0 &&
        H5Aread(attribute, type, labels) >= 0) {
        for (unsigned k = 0; k < info->rank; k++)
            if (labels[k])
                clr_copy_text(info->axis[k], sizeof info->axis[k], labels[k]);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, labels);
    }
    if (type >= 0)
        H5Tclose(type);
    if (stored >= 0)
        H5Tclose(stored);
}

/* The name of the first scale attached to each axis: what netCDF calls its dimensions. */
static void read_scales(hid_t dataset, hid_t attribute, hid_t space, clr_arrays_info *info)
{
    hvl_t lists[CLR_ARRAYS_MOST_RANK];
    memset(lists, 0, sizeof lists);
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
    if (type >= 0 && H5Aread(attribute, type, lists) >= 0) {
        for (unsigned k = 0; k < info->rank; k++) {
            char name[CLR_ARRAYS_NAME_BYTES] = "";
            hid_t scale =
                lists[k].len ? H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, lists[k].p) : -1;
            if (scale < 0)
                continue;
            if (!*info->axis[k] && H5Iget_name(scale, name, sizeof name) > 0) {
                const char *slash = strrchr(name, '/');
                clr_copy_text(info->axis[k], sizeof info->axis[k], slash ? slash + 1 : name);
            }
            H5Oclose(scale);
        }
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
    }
    if (type >= 0)
        H5Tclose(type);
}

void clr_arrays_hdf_axes(hid_t dataset, clr_arrays_info *info)
{
    static const char *const names[] = { "DIMENSION_LABELS", "DIMENSION_LIST" };
    /* Lists of variable length are looked at only where they are needed: in a damaged file HDF5
     * 1.10 can hang in them. */
    int found = read_axes(dataset, info);
    for (int which = 0; which < 2 && info->rank && !found; which++) {
        if (H5Aexists(dataset, names[which]) <= 0)
            continue;
        hid_t attribute = H5Aopen(dataset, names[which], H5P_DEFAULT);
        hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
        hsize_t size = 0;
        if (space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
            H5Sget_simple_extent_dims(space, &size, NULL) == 1 && size == info->rank) {
            if (which == 0)
                read_labels(attribute, space, info);
            else
                read_scales(dataset, attribute, space, info);
        }
        if (space >= 0)
            H5Sclose(space);
        if (attribute >= 0)
            H5Aclose(attribute);
    }
    for (unsigned k = 0; k < info->rank; k++)
        for (char *p = info->axis[k]; *p; p++)
            *p = (unsigned char)*p < ' ' || *p == 127 ? '?' : *p;
}

int clr_arrays_hdf_is_matlab_number(hid_t dataset, int *turned)
{
    static const char *const numbers[] = { "double", "single", "int8",   "int16",
                                           "int32",  "int64",  "uint8",  "uint16",
                                           "uint32", "uint64", "logical" };
    char name[32];
    *turned = 0;
    if (H5Aexists(dataset, "MATLAB_class") <= 0)
        return 1;
    if (H5Aexists(dataset, "MATLAB_empty") > 0 ||
        !read_text(dataset, "MATLAB_class", name, sizeof name))
        return 0;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!strcmp(name, numbers[k]))
            return *turned = 1;
    return 0;
}

#else
typedef int clr_no_hdf5_names; /* a file may not be empty */
#endif
