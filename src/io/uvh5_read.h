/*
 * Reading UVH5 files, our own and others': the header, and the data of one row (one baseline at one
 * time). Enough for plotting and checking.
 */
#ifndef CLR_IO_UVH5_READ_H
#define CLR_IO_UVH5_READ_H

#include "base/error.h"

#include <clradio/types.h>
#include <stddef.h>

typedef struct clr_uvh5_info {
    char telescope_name[64];
    char version[16]; /* "" in old files */
    char *history;
    clradio_type type;                   /* of visdata: CI32, CF32 or CF64 */
    uint64_t rows;                       /* baseline times (Nblts) */
    uint32_t channels, labels, antennas; /* labels: polarisation products (Npols) */
    uint64_t times;                      /* Ntimes */
    double latitude_deg, longitude_deg, altitude_m;
    double *frequency_hz;           /* [channels] */
    double *channel_width_hz;       /* [channels] */
    int64_t *label;                 /* [labels] AIPS numbers: -5 XX, -6 YY, -7 XY, -8 YX */
    int64_t *antenna_number;        /* [antennas] */
    char **antenna_name;            /* [antennas] */
    double (*antenna_ecef_m)[3];    /* [antennas] from the telescope's position */
    int64_t *antenna_1, *antenna_2; /* [rows] antenna numbers */
    double (*uvw_m)[3];             /* [rows] */
    double *julian_date;            /* [rows] */
    double *integration_time_s;     /* [rows] */
} clr_uvh5_info;

typedef struct clr_uvh5_reader clr_uvh5_reader;

/* Errors: IO, FORMAT (what is missing or of the wrong shape), MEMORY, UNSUPPORTED (no HDF5). */
clradio_status clr_uvh5_open(const char *path, clr_uvh5_reader **reader);
const clr_uvh5_info *clr_uvh5_get_info(const clr_uvh5_reader *reader);
/* One row: visibilities [channel][label][re, im], flags and nsamples [channel][label]; each may be
 * NULL. */
clradio_status clr_uvh5_read_row(clr_uvh5_reader *reader, uint64_t row, double *visibilities,
                                 unsigned char *flags, double *nsamples);
/* The rows of a pair of antenna numbers in either order, ascending: writes the first at most room
 * of them and returns how many there are. reversed: set when the file holds the pair the other way
 * round. */
size_t clr_uvh5_find_rows(const clr_uvh5_info *info, int64_t antenna_1, int64_t antenna_2,
                          uint64_t *rows, size_t room, int *reversed);
/* "XX", "YX", "RL", "pI", ...; "?" for a number without a name. */
const char *clr_uvh5_label_name(int64_t label);
void clr_uvh5_close(clr_uvh5_reader *reader);

#endif
