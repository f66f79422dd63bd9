/*
 * Writing UVH5 files (the HDF5 layout of pyuvdata, version 1.2): create, append an integration as
 * often as there are any, commit. Until the commit nothing stands under the final name.
 *
 * Our visibilities V_ij = x_i conj(x_j), i >= j, are stored unconjugated as ant_1 = j, ant_2 = i,
 * with uvw = r_i - r_j in east, north, up, and a polarisation label (pol of j, pol of i): XY is the
 * element [Y][X]. Antenna numbers are 0-based in input order.
 */
#ifndef CLR_IO_UVH5_H
#define CLR_IO_UVH5_H

#include "base/error.h"

#include <clradio/types.h>
#include <stddef.h>

/* An item of /Header/extra_keywords: the first member that is set (text, then is_number) is what is
 * written, else the integer. */
typedef struct clr_uvh5_keyword {
    const char *name;
    const char *text;
    int is_number;
    double number;
    int64_t integer;
} clr_uvh5_keyword;

typedef struct clr_uvh5_layout {
    uint32_t stations;              /* >= 1 */
    uint32_t polarisations;         /* 1 (XX) or 2 (XX, YY, XY, YX) */
    uint32_t channels;              /* >= 1 */
    const double *frequency_hz;     /* [channels] centres */
    const double *channel_width_hz; /* [channels] > 0 */
    clradio_type type;              /* of the file's visdata: CI32, CF32 or CF64 */
    int normalise; /* store the mean over the spectra present, not their sum: CF32 or CF64 only */

    const char *const *antenna_names;  /* [stations]; NULL: the numbers */
    const double (*antenna_enu_m)[3];  /* [stations] relative to the telescope; NULL: not known,
                                          zeros are written and the history says so */
    const double (*antenna_ecef_m)[3]; /* the same vectors along the earth-centred axes */
    int location_known;                /* else zeros, and the history says so */
    double latitude_deg, longitude_deg, altitude_m;
    const char *telescope_name; /* NULL: "unknown" */
    const char *instrument;     /* NULL: "clradio" */
    const char *history;        /* NULL: empty; a line about the writer is added */

    const clr_uvh5_keyword *keywords; /* [n_keywords], beside those that the writer sets itself */
    size_t n_keywords;
    unsigned compression; /* gzip level of visdata, 0 (none) to 9 */
} clr_uvh5_layout;

typedef struct clr_uvh5_integration {
    const void *visibilities; /* [channel][baseline][pol_i][pol_j]: sums */
    clradio_type type;        /* of them: CI32, CI64, CF32 or CF64 */
    uint64_t spectra;         /* that a whole integration would have had, >= 1 */
    const uint64_t *present;  /* [baseline][pol_i][pol_j] spectra that were there, each <= spectra;
                                 NULL: all of them. 0 is flagged */
    double julian_date;       /* UTC, of the middle of the integration */
    double seconds;           /* its length, > 0 */
    double lst_rad;           /* local apparent sidereal time of the middle */
} clr_uvh5_integration;

typedef struct clr_uvh5 clr_uvh5;

/* The type that holds sums with |component| <= bound without a loss: CI32, or CF64. For floating
 * point sums CF32. */
clradio_type clr_uvh5_choose_type(int integer_sums, double bound);

/* Makes a temporary file beside path. The layout is copied. Errors: ARGUMENT, IO, MEMORY,
 * UNSUPPORTED (built without HDF5). */
clradio_status clr_uvh5_create(const char *path, const clr_uvh5_layout *layout, clr_uvh5 **file);
/* Adds one integration, or fails and leaves the earlier ones as they were. OVERFLOW: a value does
 * not fit the type (CI32: int32; CF64 from integers: 2^53); the sentence names it. */
clradio_status clr_uvh5_append(clr_uvh5 *file, const clr_uvh5_integration *integration);
/* Integrations in the file so far. */
uint64_t clr_uvh5_integrations(const clr_uvh5 *file);
/* Writes what depends on the number of integrations and renames the file into place; frees. STATE
 * when nothing was appended (then nothing is left). */
clradio_status clr_uvh5_commit(clr_uvh5 *file);
/* Deletes the temporary file; frees. NULL is allowed. */
void clr_uvh5_abandon(clr_uvh5 *file);

#endif
