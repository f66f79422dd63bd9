/* What answers in place of the UVH5 writer and reader when clradio is built without HDF5. */
#include "io/uvh5.h"
#include "io/uvh5_read.h"

#if !HAVE_HDF5

clradio_status clr_uvh5_create(const char *path, const clr_uvh5_layout *layout, clr_uvh5 **file)
{
    (void)layout;
    *file = NULL;
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot write '%s': this clradio was built without HDF5, which UVH5 files need",
                    path);
}

clradio_status clr_uvh5_append(clr_uvh5 *file, const clr_uvh5_integration *integration)
{
    (void)file;
    (void)integration;
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "this clradio was built without HDF5");
}

uint64_t clr_uvh5_integrations(const clr_uvh5 *file)
{
    (void)file;
    return 0;
}

clradio_status clr_uvh5_commit(clr_uvh5 *file)
{
    return clr_uvh5_append(file, NULL);
}

void clr_uvh5_abandon(clr_uvh5 *file)
{
    (void)file;
}

clradio_status clr_uvh5_open(const char *path, clr_uvh5_reader **reader)
{
    *reader = NULL;
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot read '%s': this clradio was built without HDF5, which UVH5 files need",
                    path);
}

const clr_uvh5_info *clr_uvh5_get_info(const clr_uvh5_reader *reader)
{
    (void)reader;
    return NULL;
}

clradio_status clr_uvh5_read_row(clr_uvh5_reader *reader, uint64_t row, double *visibilities,
                                 unsigned char *flags, double *nsamples)
{
    (void)reader;
    (void)row;
    (void)visibilities;
    (void)flags;
    (void)nsamples;
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "this clradio was built without HDF5");
}

void clr_uvh5_close(clr_uvh5_reader *reader)
{
    (void)reader;
}

#else
typedef int clr_hdf5_is_here; /* a file may not be empty */
#endif
