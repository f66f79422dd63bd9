/*
 * The voltages of an array, from any number of files: each operand of the command line is a station
 * (or several), one file or consecutive parts "a,b"; operands are aligned by their time
 * stamps, and samples come out in the correlator's layout on one common grid of times. Knows no
 * device.
 */
#ifndef CLR_TOOL_VOLTAGES_H
#define CLR_TOOL_VOLTAGES_H

#include "io/source.h"
#include "tool/input_map.h"

typedef enum clr_sideband {
    CLR_SIDEBAND_FILE,
    CLR_SIDEBAND_UPPER,
    CLR_SIDEBAND_LOWER
} clr_sideband;

typedef struct clr_voltages_options {
    clr_source_options source;
    const char *inputs; /* a map as clr_input_map_parse takes it, or NULL: the files' own */
    clr_sideband sideband;
    int complex_output; /* real samples are given as complex ones with zero imaginary part: 1 yes,
                           0 no, -1 when the files have several channels */
    void (*note)(const char *format, ...) CLR_PRINTF(1, 2); /* for remarks; not NULL */
} clr_voltages_options;

typedef struct clr_operand {
    clr_source *source;
    const clr_source_info *info;
    uint64_t skip; /* samples in front of the common grid */
    size_t first_input;
} clr_operand;

typedef struct clr_voltages {
    clr_operand *operands;
    size_t n_operands;
    clr_input_map map;
    uint32_t channels;      /* per sample time */
    int complex_file;       /* what the files hold */
    clradio_type type;      /* what clr_voltages_read gives */
    double largest;         /* largest |component| of it */
    double sample_rate_hz;  /* 1 when not known */
    double frequency_hz;    /* 0 when not known */
    double channel_step_hz; /* the sample rate when not known */
    int rate_known, frequency_known;
    int reversed;
    clr_time start; /* of sample 0 of the common grid; MJD 0 when not known */
    int start_known;
    uint64_t samples;    /* of the common grid */
    uint64_t bytes_lost; /* in all files */
    void *scratch;
    size_t scratch_bytes;
    uint64_t *scratch_present;
    size_t scratch_words;
} clr_voltages;

/* Opens and aligns. Errors: as clr_source_open, and ARGUMENT: files that do not fit together. */
clradio_status clr_voltages_open(char *const *operands, size_t n,
                                 const clr_voltages_options *options, clr_voltages *voltages);
/*
 * Samples [first, first + count) of the grid into to, [time][channel][station][polarisation] of
 * voltages->type, zeros where missing; present: [station][polarisation][(count + 63) / 64] bits.
 */
clradio_status clr_voltages_read(clr_voltages *voltages, uint64_t first, uint64_t count, void *to,
                                 uint64_t *present);
void clr_voltages_close(clr_voltages *voltages);

/* The input in a slot, or NULL where none is. */
const clr_source_input *clr_voltages_input(const clr_voltages *voltages, uint32_t slot);
/* 1 when path is one of the files read. */
int clr_voltages_reads(const clr_voltages *voltages, const char *path);

#endif
