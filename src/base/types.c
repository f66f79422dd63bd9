/* Names and sizes of element types; the version. */
#include <clradio/types.h>
#include <clradio/version.h>

#include <string.h>

static const struct {
    clradio_type type;
    const char *name;
    size_t bytes;
} types[] = {
    { CLRADIO_CF32, "cf32", 8 }, { CLRADIO_CF64, "cf64", 16 }, { CLRADIO_CF16, "cf16", 4 },
    { CLRADIO_CI32, "ci32", 8 }, { CLRADIO_CI64, "ci64", 16 }, { CLRADIO_CI16, "ci16", 4 },
    { CLRADIO_CI8, "ci8", 2 },   { CLRADIO_CI4, "ci4", 1 },    { CLRADIO_I8, "i8", 1 },
    { CLRADIO_I16, "i16", 2 },   { CLRADIO_F32, "f32", 4 },
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

size_t clradio_type_bytes(clradio_type type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].type == type)
            return types[i].bytes;
    return 0;
}

const char *clradio_type_name(clradio_type type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].type == type)
            return types[i].name;
    return "none";
}

clradio_type clradio_type_from_name(const char *name)
{
    for (size_t i = 0; name && i < TYPE_COUNT; i++)
        if (!strcmp(types[i].name, name))
            return types[i].type;
    return CLRADIO_TYPE_NONE;
}

const char *clradio_version(void)
{
    return CLRADIO_VERSION;
}

int clradio_version_matches(int major, int minor)
{
    return major == CLRADIO_VERSION_MAJOR && minor == CLRADIO_VERSION_MINOR;
}

#if HAVE_CLFFT
#define CLFFT_TEXT "yes"
#else
#define CLFFT_TEXT "no"
#endif
#if HAVE_CLBLAST
#define CLBLAST_TEXT "yes"
#else
#define CLBLAST_TEXT "no"
#endif
#if HAVE_HDF5
#define HDF5_TEXT "yes"
#else
#define HDF5_TEXT "no"
#endif
#if HAVE_JANSSON
#define JANSSON_TEXT "yes"
#else
#define JANSSON_TEXT "no"
#endif

const char *clradio_build_configuration(void)
{
    return "version=" CLRADIO_VERSION " clfft=" CLFFT_TEXT " clblast=" CLBLAST_TEXT
           " hdf5=" HDF5_TEXT " jansson=" JANSSON_TEXT;
}
