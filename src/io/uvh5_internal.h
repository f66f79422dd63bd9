/* What the files of the UVH5 writer share: the open file, its HDF5 helpers, the conversion of rows.
 */
#ifndef CLR_IO_UVH5_INTERNAL_H
#define CLR_IO_UVH5_INTERNAL_H

#include "io/uvh5.h"

/* Rows of one integration as the file stores them: baseline, then channel, then label. */
typedef struct clr_uvh5_rows {
    uint32_t stations, polarisations, channels;
    clradio_type type;
    int normalise;
} clr_uvh5_rows;

static inline size_t clr_uvh5_baselines(const clr_uvh5_rows *rows)
{
    return (size_t)rows->stations * (rows->stations + 1u) / 2;
}

static inline unsigned clr_uvh5_labels(const clr_uvh5_rows *rows)
{
    return rows->polarisations * rows->polarisations;
}

/* AIPS numbers of the labels in the file's order, and where each stands in [pol_i][pol_j]. */
extern const int64_t clr_uvh5_label_number[4];
unsigned clr_uvh5_label_element(unsigned polarisations, unsigned label);

/* Whether every value fits the rows' type; fails with OVERFLOW and names the first that does not.
 */
clradio_status clr_uvh5_check_range(const clr_uvh5_rows *rows,
                                    const clr_uvh5_integration *integration);
/* Baselines [first, first + count): to is [count][channel][label] of the rows' type. */
void clr_uvh5_convert(const clr_uvh5_rows *rows, const clr_uvh5_integration *integration,
                      size_t first, size_t count, void *to);
/* The same baselines' flags (1 where nothing was present) and nsamples. */
void clr_uvh5_convert_present(const clr_uvh5_rows *rows, const clr_uvh5_integration *integration,
                              size_t first, size_t count, int8_t *flags, float *nsamples);

#if HAVE_HDF5
#include <hdf5.h>

enum { CLR_UVH5_VISDATA, CLR_UVH5_FLAGS, CLR_UVH5_NSAMPLES, CLR_UVH5_DATASETS };

struct clr_uvh5 {
    char *path, *temporary;
    clr_uvh5_rows rows;
    hid_t file;
    hid_t dataset[CLR_UVH5_DATASETS];
    hid_t memory_type[CLR_UVH5_DATASETS];
    double latitude_deg;
    double *uvw_m;                           /* [baselines][3] */
    double *julian_date, *seconds, *lst_rad; /* [room], integrations of them used */
    size_t integrations, room;
    int damaged; /* a write failed in a way that could not be taken back */
};

/* HDF5's own printing off, for this thread. */
void clr_hdf_quiet(void);
/* "cannot write 'path': the deepest reason that HDF5 gives"; returns IO. */
clradio_status clr_hdf_fail(const char *doing, const char *path);
/* The like of a file that could not be read: IO when the system failed, else FORMAT. */
clradio_status clr_hdf_unreadable(const char *path);
/* h5py's boolean: an enumeration FALSE, TRUE on int8. Negative on failure; H5Tclose it. */
hid_t clr_hdf_boolean(void);
/* Each writes one dataset in the group and returns 1, or 0 on failure. */
int clr_hdf_integer(hid_t group, const char *name, int64_t value);
int clr_hdf_number(hid_t group, const char *name, double value);
int clr_hdf_boolean_value(hid_t group, const char *name, int value);
/* Fixed length, NUL-padded; what is not ASCII becomes '?'. An empty text is one NUL. */
int clr_hdf_text(hid_t group, const char *name, const char *text);
int clr_hdf_texts(hid_t group, const char *name, const char *const *texts, size_t count);
/* memory_type is the native type; columns 0 for one axis. */
int clr_hdf_array(hid_t group, const char *name, hid_t memory_type, const void *values,
                  size_t count, size_t columns);

/* What is known at creation, and what the number of integrations decides. */
clradio_status clr_uvh5_write_layout(clr_uvh5 *file, const clr_uvh5_layout *layout);
clradio_status clr_uvh5_write_times(clr_uvh5 *file);
#endif

#endif
