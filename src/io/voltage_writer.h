/*
 * Writers of the voltage formats that the readers read: for `clradio simulate array` and for the
 * tests. Samples go in as the readers give them out: [time][channel][input] of the natural type (I8
 * or CI8 up to 8 bits, I16 or CI16 for 16, F32 or CF32 for 32). Every value must be one that the
 * coding holds (clr_quantise gives such a value); another one is an error, nothing saturates
 * silently. A file stands under its name only after the close that succeeds.
 */
#ifndef CLR_IO_VOLTAGE_WRITER_H
#define CLR_IO_VOLTAGE_WRITER_H

#include "io/source.h"

/* The legal level nearest to value: 1 bit -1/1, 2 bits -3/-1/1/3, wider codes -2^(bits-1) ..
 * 2^(bits-1)-1. */
int32_t clr_quantise(double value, unsigned bits);

typedef struct clr_vdif_writer clr_vdif_writer;

typedef struct clr_vdif_writer_config {
    const char *path;
    double
        sample_rate_hz; /* of one channel: complex rate, or real samples a second; whole number */
    clr_time start;     /* of the first sample; must fall on a frame */
    uint32_t threads;   /* inputs, 1 .. 1024; thread ids 0, 1, ... */
    uint32_t channels;  /* a power of two */
    unsigned bits;      /* of a component: 1, 2, 4, 8, 16, 32 */
    int complex_samples;
    unsigned edv;                /* extended data version 0, 1 or 3 */
    int legacy;                  /* 16-byte headers (then edv is 0) */
    uint32_t samples_per_frame;  /* 0: chosen */
    const char *const *stations; /* [threads] two letters or a number below 65536; NULL: all "0".
                                    Threads of one station are its polarisations */
    int twos_complement;         /* against the standard */
    int real_high;               /* 4-bit complex: the real part in the high nibble */
} clr_vdif_writer_config;

/* Errors: ARGUMENT (the sentence says which rule of the format is broken), IO, MEMORY. */
clradio_status clr_vdif_writer_open(const clr_vdif_writer_config *config, clr_vdif_writer **writer);
/* Time samples in one frame: the whole of what is written must be a multiple of it. */
uint32_t clr_vdif_writer_samples_per_frame(const clr_vdif_writer *writer);
/* count time samples, [count][channels][threads]. */
clradio_status clr_vdif_writer_write(clr_vdif_writer *writer, const void *samples, uint64_t count);
/* Ends the file and frees the writer, also on failure. */
clradio_status clr_vdif_writer_close(clr_vdif_writer *writer);
/* Frees the writer and leaves no file. NULL is fine. */
void clr_vdif_writer_abandon(clr_vdif_writer *writer);

typedef struct clr_dada_writer clr_dada_writer;

typedef struct clr_dada_writer_config {
    const char *path;
    double sample_rate_hz; /* of one channel */
    clr_time start;        /* of the first sample of this file */
    uint32_t channels, polarisations;
    unsigned bits; /* 8 and 16: two's complement; 32: IEEE float */
    int complex_samples;
    double frequency_mhz;    /* of the middle of the band; 0: left out */
    double bandwidth_mhz;    /* negative: channels run from high to low; 0: left out */
    uint64_t offset_samples; /* OBS_OFFSET: this file starts that many samples after UTC_START */
    uint32_t header_bytes;   /* 0: 4096 */
    const char *telescope, *object; /* NULL: left out */
} clr_dada_writer_config;

clradio_status clr_dada_writer_open(const clr_dada_writer_config *config, clr_dada_writer **writer);
/* count time samples, [count][channels][polarisations]. */
clradio_status clr_dada_writer_write(clr_dada_writer *writer, const void *samples, uint64_t count);
clradio_status clr_dada_writer_close(clr_dada_writer *writer);
void clr_dada_writer_abandon(clr_dada_writer *writer);

typedef struct clr_tbn_writer clr_tbn_writer;

typedef struct clr_tbn_writer_config {
    const char *path;
    uint32_t inputs;          /* 1 .. 1024: stand 1 X, stand 1 Y, stand 2 X, ... */
    uint32_t tags_per_sample; /* decimation of the 196 MHz clock: 1960 is 100 kHz */
    uint64_t first_tag;       /* of the first sample, in ticks of 196 MHz since 1970 */
    uint32_t tuning_word;     /* frequency x 2^32 / 196 MHz */
} clr_tbn_writer_config;

clradio_status clr_tbn_writer_open(const clr_tbn_writer_config *config, clr_tbn_writer **writer);
/* count time samples of CI8, [count][inputs]; the whole must be a multiple of 512. */
clradio_status clr_tbn_writer_write(clr_tbn_writer *writer, const void *samples, uint64_t count);
clradio_status clr_tbn_writer_close(clr_tbn_writer *writer);
void clr_tbn_writer_abandon(clr_tbn_writer *writer);

#endif
