/* What the files of clradio sinr share: the request, and the response's axes in their roles. */
#ifndef CLR_TOOL_SINR_H
#define CLR_TOOL_SINR_H

#include "io/arrays.h"
#include "tool/say.h"

#include <clradio/sinr.h>

typedef struct clr_sinr_request {
    const char *output, *response, *axes, *receive, *transmit, *sector, *serving;
    const char *device;
    int format, type, method, decibels, verify;
    double noise, snr_db;
} clr_sinr_request;

/* A response in C order: what is not an antenna or a transmitter is a problem of its own. */
typedef struct clr_sinr_job {
    const clr_sinr_request *request;
    clr_arrays_file *file;
    size_t index;
    unsigned rank;
    uint64_t size[CLR_ARRAYS_MOST_RANK], stride[CLR_ARRAYS_MOST_RANK]; /* elements */
    char axis[CLR_ARRAYS_MOST_RANK][CLR_ARRAYS_AXIS_BYTES];
    int receive, transmit, sector; /* axes; -1: none, that is one */
    unsigned kept, kept_axis[CLR_ARRAYS_MOST_RANK];
    int of_receiver[CLR_ARRAYS_MOST_RANK]; /* of a kept axis: 0 for subcarriers and times */
    uint64_t serving;                      /* of the sectors; UINT64_MAX: the strongest */
    clradio_sinr_config config;
} clr_sinr_job;

/* Some neighbouring entries of the first axis, as the engine takes them. */
typedef struct clr_sinr_piece {
    uint64_t problems;
    void *serving, *interfering; /* [problem][receive][stream], [problem][receive][interferer] */
} clr_sinr_piece;

/* sinr_input.c. Each says what is wrong. Opens the file and gives the axes their roles. */
clr_exit clr_sinr_open(clr_sinr_job *job, const char *file);
void clr_sinr_close(clr_sinr_job *job);
/* Entries of the first axis that are read together: all, unless each holds whole receivers. */
uint64_t clr_sinr_rows(const clr_sinr_job *job);
/* Entries [first, first + rows) of the first axis. */
clradio_status clr_sinr_read(const clr_sinr_job *job, uint64_t first, uint64_t rows,
                             clr_sinr_piece *piece);
void clr_sinr_piece_free(clr_sinr_piece *piece);

/* sinr_run.c */
clr_exit clr_sinr_run(clr_sinr_job *job);

/* sinr_verify.c: a piece against the double reference. */
typedef struct clr_sinr_verdict {
    uint64_t checked, wrong;
    double worst;      /* the largest error over its bound */
    double difference; /* the largest in dB */
} clr_sinr_verdict;
clradio_status clr_sinr_verify(const clradio_sinr_config *config, const clr_sinr_piece *piece,
                               const void *sinr, clr_sinr_verdict *verdict);

#endif
