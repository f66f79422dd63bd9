/* HDF5 by the handful of calls that the UVH5 files need; each small dataset in one line. */
#include "io/uvh5_internal.h"

#if HAVE_HDF5

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Of the last call that failed: the next good one clears HDF5's own stack of errors. */
static _Thread_local char reason[256];
static _Thread_local int of_the_system; /* the reason: a system call failed */

/* Of a failed read or write HDF5 tells everything; what the system said of it is enough. */
static herr_t keep_innermost(unsigned depth, const H5E_error2_t *error, void *user)
{
    static const char mark[] = "error message = '";
    (void)depth, (void)user;
    const char *text = error->desc ? error->desc : "no reason given";
    const char *message = strstr(text, mark);
    of_the_system = message != NULL;
    text = message ? message + sizeof mark - 1 : text;
    const size_t length = message ? strcspn(text, "'") : strlen(text);
    if (!message && strstr(text, "file signature not found"))
        clr_copy_text(reason, sizeof reason,
                      "it has no HDF5 signature, so it is another kind of "
                      "file");
    else
        clr_copy_text(reason, length < sizeof reason ? length + 1 : sizeof reason, text);
    return 1; /* the innermost alone */
}

static herr_t keep_reason(hid_t stack, void *user)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, user) < 0 ? -1 : 0;
}

void clr_hdf_quiet(void)
{
    /* At the end of the process HDF5 would close once more, and crash on, a file that could not be
     * closed because the disk was full. Every file is closed here, so nothing is lost. */
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, keep_reason, NULL);
    reason[0] = '\0';
    of_the_system = 0;
}

clradio_status clr_hdf_fail(const char *doing, const char *path)
{
    return clr_fail(CLRADIO_ERROR_IO, "cannot %s '%s': %s", doing, path,
                    reason[0] ? reason : "HDF5 gives no reason");
}

clradio_status clr_hdf_unreadable(const char *path)
{
    if (of_the_system)
        return clr_hdf_fail("read", path);
    if (strstr(reason, "signature"))
        return clr_fail(CLRADIO_ERROR_FORMAT, "cannot read '%s': %s", path, reason);
    return clr_fail(CLRADIO_ERROR_FORMAT,
                    "cannot read '%s': it is damaged or cut short; HDF5 says: %s", path,
                    reason[0] ? reason : "nothing");
}

hid_t clr_hdf_boolean(void)
{
    hid_t type = H5Tenum_create(H5T_STD_I8LE);
    int8_t value = 0;
    if (type >= 0 && H5Tenum_insert(type, "FALSE", &value) >= 0) {
        value = 1;
        if (H5Tenum_insert(type, "TRUE", &value) >= 0)
            return type;
    }
    if (type >= 0)
        H5Tclose(type);
    return -1;
}

static int write_dataset(hid_t group, const char *name, hid_t type, hid_t space, const void *values)
{
    hid_t dataset = -1;
    int done = 0;
    if (type >= 0 && space >= 0)
        dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (dataset >= 0) {
        done = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
        done = H5Dclose(dataset) >= 0 && done;
    }
    if (space >= 0)
        H5Sclose(space);
    return done;
}

int clr_hdf_integer(hid_t group, const char *name, int64_t value)
{
    return write_dataset(group, name, H5T_NATIVE_INT64, H5Screate(H5S_SCALAR), &value);
}

int clr_hdf_number(hid_t group, const char *name, double value)
{
    return write_dataset(group, name, H5T_NATIVE_DOUBLE, H5Screate(H5S_SCALAR), &value);
}

int clr_hdf_boolean_value(hid_t group, const char *name, int value)
{
    int8_t byte = value != 0;
    hid_t type = clr_hdf_boolean();
    int done = write_dataset(group, name, type, H5Screate(H5S_SCALAR), &byte);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

static int write_texts(hid_t group, const char *name, const char *const *texts, size_t count,
                       int scalar)
{
    size_t longest = 1;
    for (size_t i = 0; i < count; i++)
        longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    char *bytes = calloc(count ? count : 1, longest);
    hid_t type = H5Tcopy(H5T_C_S1);
    int done = 0;
    if (bytes && type >= 0 && H5Tset_size(type, longest) >= 0 &&
        H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0) {
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; texts[i][k]; k++)
                bytes[i * longest + k] = (unsigned char)texts[i][k] < 128 ? texts[i][k] : '?';
        hsize_t size = count;
        hid_t space = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
        done = write_dataset(group, name, type, space, bytes);
    }
    if (type >= 0)
        H5Tclose(type);
    free(bytes);
    return done;
}

int clr_hdf_text(hid_t group, const char *name, const char *text)
{
    return write_texts(group, name, &text, 1, 1);
}

int clr_hdf_texts(hid_t group, const char *name, const char *const *texts, size_t count)
{
    return write_texts(group, name, texts, count, 0);
}

int clr_hdf_array(hid_t group, const char *name, hid_t memory_type, const void *values,
                  size_t count, size_t columns)
{
    hsize_t size[2] = { count, columns };
    return write_dataset(group, name, memory_type, H5Screate_simple(columns ? 2 : 1, size, NULL),
                         values);
}

#else
typedef int clr_no_hdf5_here; /* a file may not be empty */
#endif
