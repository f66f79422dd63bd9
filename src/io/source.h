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
#include "base/text.h"

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
    char name[48];    /* what the header calls it: "thread 3", "stand 5 Y" */
    char station[16]; /* the header's name, "" when it has none: the same for all inputs of one
                         station, different between stations */
    uint32_t station_index; /* default map: 0-based station */
    uint32_t polarisation;  /* default map: 0 or 1 */
} clr_source_input;

typedef struct clr_source_info {
    char path[1024];                  /* as it was given; several parts: "a,b" */
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
    int start_exact;  /* 0: only the second is known, not the place in it (VDIF without a rate) */
    uint64_t samples; /* on the common grid, gaps included */
    uint64_t samples_present; /* sum over inputs of samples really there */
    uint64_t bytes_lost;      /* of the file that could not be used (partial frame, junk) */
    clradio_type natural; /* the smallest type that holds every value exactly: CI8, CI16, CF32, I8,
                             I16, F32; (CI4 stays CI8) */
    double largest;     /* the largest |component| that this coding can hold, for the bound 2 q^2 x
                           spectra; 3.4e38 for floats */
    char telescope[64]; /* the header's, "" when it has none */
    char object[64];    /* what was observed, "" when the header does not say */
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

/*
 * Opens and indexes a file (headers only). path "a,b" names consecutive parts of one recording, if
 * no file has that name. Errors: IO, FORMAT (one sentence: what, at which byte), ARGUMENT (an
 * option that contradicts the file, or one that it needs), UNSUPPORTED (a legal coding that no
 * engine takes), MEMORY.
 */
clradio_status clr_source_open(const char *path, const clr_source_options *options,
                               clr_source **source);
const clr_source_info *clr_source_get_info(const clr_source *source);
/* Things a person should know, one sentence each ("12 of 400 frames are missing"); NULL behind the
 * last. */
const char *clr_source_remark(const clr_source *source, size_t index);
/* 1 when a remark says that the file leaves its sample rate or frequency unsaid. */
int clr_source_remark_is_absence(const char *remark);
/*
 * Samples [first, first + count) into to, [time][channel][input] of the type natural
 * (complex_output = 0), or as complex with zero imaginary part (complex_output = 1: CI8 for I8,
 * CI16 for I16, CF32 for F32). Missing samples are zeros. present: [input][words] bit masks, words
 * = (count + 63) / 64, bit t of word t / 64; may be NULL. Samples outside the file are missing, not
 * an error.
 */
clradio_status clr_source_read(clr_source *source, uint64_t first, uint64_t count,
                               int complex_output, void *to, uint64_t *present);
/* NULL is fine. */
void clr_source_close(clr_source *source);

/* A fact about the file: "sample rate", "32000000 Hz". Header fields of the format come under their
 * own names. NULL behind the last. The strings live as long as the source. */
typedef struct clr_source_row {
    const char *key;
    const char *value;
} clr_source_row;
const clr_source_row *clr_source_get_row(const clr_source *source, size_t index);
/* The text of `clradio info`: the facts, the map of inputs, the remarks. */
void clr_source_describe(const clr_source *source, clr_text *text);

/*
 * Arithmetic of times counts SI seconds: leap seconds of UTC are known from 1972-07-01 to
 * 2017-01-01, none is assumed later.
 */
/* "2014-06-16T05:56:07.000000000" (UTC). text: at least 40 bytes. */
char *clr_time_text(clr_time time, char *text);
/* time + samples / rate_hz, exact to the nanosecond over centuries (whole seconds and a remainder,
 * never one product). A rate that is not positive adds nothing. */
clr_time clr_time_add_samples(clr_time time, int64_t samples, double rate_hz);
/* a - b in seconds. */
double clr_time_difference(clr_time a, clr_time b);
/* Julian date of the time (double: about 40 us). */
double clr_time_julian_date(clr_time time);
/* The day and time of a calendar date (Gregorian), month 1 .. 12, day 1 .. 31. */
int64_t clr_time_mjd(int64_t year, unsigned month, unsigned day);
/* SI seconds since 2000-01-01T00:00:00 UTC, without the fraction, and the way back. */
int64_t clr_time_elapsed(clr_time time);
clr_time clr_time_from_elapsed(int64_t seconds, double fraction);
/* "2013-07-02-01:37:40.5", also with T or a space before the hour: 1, or 0 for anything else. */
int clr_time_parse_utc(const char *text, clr_time *time);
/* "56475.06782407407": every digit counts. 1, or 0 for anything else. */
int clr_time_parse_mjd(const char *text, clr_time *time);

#endif
