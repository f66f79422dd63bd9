/*
 * Channel taps from the files of other tools, in the order that the channel DFT takes: link ->
 * [path] [tap]. A layout is recognised by the names of its arrays:
 *
 *   clradio    gain, delay (and rate, link_paths, link_taps, beam_links)
 *   sionna     a, tau
 *   quadriga   coeff, delay; or coeff_re, coeff_im, delay in groups of an HDF5 file (quadriga-lib)
 *   deepmimo   power, phase, delay (and doppler)
 *   rays       JSON lines with Delay, Gain, Phase
 *
 * Links are the leading axes up to the last one that delays depend on, paths the axes behind, so
 * that the response has the gains' axes in the file's order, the tap's replaced by the subcarrier.
 */
#ifndef CLR_IO_TAPS_H
#define CLR_IO_TAPS_H

#include "io/arrays.h"

typedef struct clr_taps_options {
    const char *layout;       /* NULL: recognised */
    const char *gain, *delay; /* names of arrays in place of the layout's; NULL: those */
    int absent_negative;      /* 1, 0, or -1: as the layout has it */
    int cf64;                 /* gains as complex128, else complex64 */
    int whole_links;          /* links are the pairs of a receiver and a transmitter, even where the
                                 response then has another order of axes */
    void (*note)(const char *format, ...);
} clr_taps_options;

typedef struct clr_taps {
    char layout[16];
    uint64_t links, paths, taps; /* taps: of the link that has most */
    uint64_t gain_count, delay_count;
    /* Offsets as the channel DFT takes them, NULL where the number below holds for all. */
    uint64_t *beam_links, *link_paths, *link_taps;
    uint64_t beams, links_per_beam, paths_per_link, taps_per_link;
    void *gains;    /* link -> [path][tap] */
    double *delays; /* link -> [tap], or link -> [path][tap]; s */
    double *rates;  /* the same for Doppler in Hz, or NULL; as per_path says too */
    int per_path, rates_per_path;
    int absent_negative;
    /* The response: its axes without the subcarrier's, slowest first; the first link_axes are the
       links. Ragged input has one axis of paths, and link_axes 0. */
    unsigned rank, link_axes;
    uint64_t size[CLR_ARRAYS_MOST_RANK];
    char axis[CLR_ARRAYS_MOST_RANK][CLR_ARRAYS_AXIS_BYTES];
    const char *response; /* what the layout calls it: "response", "h", "channel" */
    int subcarrier_first; /* QuaDRiGa: link -> [subcarrier][path], and the array is to be written as
                             one whose first axis varies fastest */
} clr_taps;

/* Errors: IO, FORMAT (damaged; shapes that do not belong together), ARGUMENT (arrays that are
 * missing, an unknown layout), UNSUPPORTED, MEMORY. */
clradio_status clr_taps_read(char *const *paths, size_t n_paths, const clr_taps_options *options,
                             clr_taps *taps);
void clr_taps_free(clr_taps *taps);
/* Of one link, whether links are alike or not. */
uint64_t clr_taps_link_paths(const clr_taps *taps, uint64_t link);
uint64_t clr_taps_link_taps(const clr_taps *taps, uint64_t link);

#endif
