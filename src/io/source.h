/*
 * A voltage file as the tool sees it: what it holds, and its samples by index on one common grid of
 * times. Readers (vdif.c, dada.c, tbn.c) fill a table of functions; nothing here knows a device.
 *
 * Hostile input is normal input: no allocation is sized by an unchecked header field, a damaged
 * file gives what is whole.
 */
#ifndef CLR_IO_SOURCE_H
#define CLR_IO_SOURCE_H

#include "base/error.h"

#include <clradio/types.h>

/* A time that keeps picoseconds over centuries: Modified Julian Day (UTC) and the fraction of that
 * day in seconds. */
typedef struct clr_time {
    int64_t mjd;
    double seconds;  /* whole seconds of the day, 0 .. 86400 (a leap second is 86400) */
    double fraction; /* 0 <= fraction < 1 */
} clr_time;

/* One input signal: a VDIF thread, a DADA polarisation, an LWA stand's polarisation. */
typedef struct clr_source_input {
    char name[48];          /* what the header calls it: "thread 3", "stand 5 Y" */
    char station[16];       /* the header's station, "" when it has none */
    uint32_t station_index; /* default map: 0-based station */
    uint32_t polarisation;  /* default map: 0 or 1 */
} clr_source_input;

typedef struct clr_source_info {
    char path[1024];
    char format[16];                  /* "VDIF", "DADA", "TBN" */
    int complex_samples;              /* 1 complex, 0 real */
    unsigned bits;                    /* of one component */
    uint32_t channels;                /* channels per sample time */
    uint32_t inputs;                  /* signals; order = station_index, then polarisation */
    uint32_t stations, polarisations; /* of the default map; inputs == stations * polarisations
                                         unless the map is ragged */
    clr_source_input *input;          /* [inputs] */
    double sample_rate_hz;  /* of one channel, complex rate for complex data; 0 when the file does
                               not say */
    double frequency_hz;    /* centre of the first channel (complex) or band edge (real); 0 when not
                               known */
    double channel_step_hz; /* from one channel to the next; may be negative; 0 when not known */
    int reversed;           /* the file says lower sideband / negative bandwidth */
    clr_time start;         /* of sample 0 */
    int start_known;
    uint64_t samples;         /* on the common grid, gaps included */
    uint64_t samples_present; /* sum over inputs of samples really there */
    uint64_t bytes_lost;      /* of the file that could not be used (partial frame, junk) */
    clradio_type natural; /* the smallest type that holds every value exactly: CI8, CI16, CF32, I8,
                             I16, F32; (CI4 stays CI8) */
    double largest; /* the largest |component| that this coding can hold, for the bound 2 q^2 x
                       spectra */
} clr_source_info;

typedef struct clr_source clr_source;

typedef struct clr_source_options {
    int strict;            /* refuse a damaged or truncated file */
    double sample_rate_hz; /* 0: the file's */
    double frequency_hz;   /* 0: the file's */
    const char *format;    /* NULL: recognised by content */
    int twos_complement;   /* VDIF: samples are two's complement, against the standard (MWA) */
    int real_high;         /* 4-bit complex: the real part is in the high nibble */
} clr_source_options;

/* Opens and indexes a file (headers only). Errors: IO, FORMAT (one sentence: what, at which byte),
 * MEMORY. */
clradio_status clr_source_open(const char *path, const clr_source_options *options,
                               clr_source **source);
const clr_source_info *clr_source_get_info(const clr_source *source);
/* Things a person should know, one sentence each ("12 of 400 frames are missing"); NULL behind the
 * last. */
const char *clr_source_remark(const clr_source *source, size_t index);
/*
 * Samples [first, first + count) into to, [time][channel][input] of the type natural
 * (complex_output = 0), or as complex with zero imaginary part (complex_output = 1: CI8 for I8,
 * CI16 for I16, CF32 for F32). Missing samples are zeros. present: [input][words] bit masks, words
 * = (count + 63) / 64, bit t of word t / 64; may be NULL. Samples outside the file are missing, not
 * an error.
 */
clradio_status clr_source_read(clr_source *source, uint64_t first, uint64_t count,
                               int complex_output, void *to, uint64_t *present);
void clr_source_close(clr_source *source);

/* "2014-06-16T05:56:07.000000000" (UTC). text: at least 40 bytes. */
char *clr_time_text(clr_time time, char *text);
/* time + seconds, exact to the nanosecond over a day; samples / rate is best added as whole seconds
 * and a remainder. */
clr_time clr_time_add_samples(clr_time time, int64_t samples, double rate_hz);
/* a - b in seconds. */
double clr_time_difference(clr_time a, clr_time b);
/* Julian date of the time (double: about 40 us). */
double clr_time_julian_date(clr_time time);

#endif
