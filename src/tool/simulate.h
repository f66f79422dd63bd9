/* clradio simulate array, in two steps: simulate.c (with simulate_sky.c) reads the options,
 * simulate_array.c writes the files. */
#ifndef CLR_TOOL_SIMULATE_H
#define CLR_TOOL_SIMULATE_H

#include "model/antennas.h"
#include "model/array.h"
#include "tool/options.h"
#include "tool/say.h"

enum { CLR_SIMULATE_VDIF, CLR_SIMULATE_DADA };

/* A whole simulation: the array and the files that it goes to. */
typedef struct clr_simulation {
    clr_array_config array;
    clr_antennas antennas;
    clr_sky_source *sources; /* what array.sources points to */
    double *gain;            /* what array.gain points to */
    unsigned bits;
    int format;
    int64_t mjd;              /* the first sample is at its midnight, UTC */
    uint64_t samples;         /* of each input */
    const char *output;       /* with %d: one file a station */
    const char *antenna_file; /* read from there; NULL: written beside the output */
} clr_simulation;

/* 1 when the output's name holds %d, 0 when it holds no %, else -1. */
int clr_simulate_per_station(const char *output);
/* The sky and the gains of the options given so far; the array's size is known. */
clr_exit clr_simulate_sources(const clr_option_list *list, clr_simulation *simulation);
clr_exit clr_simulate_gains(const clr_option_list *list, clr_simulation *simulation);
clr_exit clr_simulate_array_run(clr_simulation *simulation);

#endif
