/*
 * clradio correlate, in four steps that share what stands here: correlate.c reads the options,
 * correlate_plan.c decides what to do (no device), correlate_run.c does it through the pipeline,
 * correlate_output.c takes the integrations; correlate_verify.c looks over its shoulder.
 */
#ifndef CLR_TOOL_CORRELATE_H
#define CLR_TOOL_CORRELATE_H

#include "tool/presence.h"
#include "tool/say.h"
#include "tool/voltages.h"

#include <clradio/correlator.h>

/* What was asked for. Numbers that were not given are 0 (channels, samples) or NAN. */
typedef struct clr_correlate_request {
    uint64_t channels, taps, samples, memory_limit, compression;
    double kaiser_beta, integration_s, start_s, sample_rate_hz, frequency_hz;
    int window, sideband, output_type;
    const char *inputs, *antennas, *device, *variant, *parameters, *format;
    const char *output, *matrix;
    int print, verify, strict, normalise, twos_complement, real_high;
} clr_correlate_request;

/* Indices of --output-type's choices. */
enum { CLR_OUTPUT_AUTO, CLR_OUTPUT_INT32, CLR_OUTPUT_FLOAT32, CLR_OUTPUT_FLOAT64 };

/* ---- correlate_plan.c --------------------------------------------------------------------------
 */

typedef struct clr_correlate_plan {
    const clr_correlate_request *request;
    clr_voltages voltages;
    clradio_correlator_config config; /* all but spectra, which the memory decides */
    uint64_t length;                  /* samples a transform; 1: none */
    uint64_t first;                   /* sample of the grid at which the first transform starts */
    uint64_t transforms;              /* to read */
    uint64_t spectra;                 /* that they make */
    uint64_t integration;             /* spectra of a whole integration */
    uint64_t integrations;            /* the last one may be partial */
    uint32_t slots;                   /* stations x polarisations */
    uint32_t out_channels;
    double *frequency_hz, *channel_width_hz; /* [out_channels] */
    double integration_s;                    /* what a whole one really lasts */
    clradio_type file_type;                  /* of the visibilities in a file */
    int integers;                            /* exact sums */
    uint64_t unused_samples;                 /* behind the last transform */
} clr_correlate_plan;

/* Opens the files and decides; says what is assumed. CLR_EXIT_CARRY_ON, or the exit code after
 * saying why not. */
clr_exit clr_correlate_plan_make(const clr_correlate_request *request, char *const *files,
                                 size_t n_files, clr_correlate_plan *plan);
void clr_correlate_plan_free(clr_correlate_plan *plan);
/* The middle of an integration (0-based). */
clr_time clr_correlate_middle(const clr_correlate_plan *plan, uint64_t integration);

/* ---- correlate_output.c ------------------------------------------------------------------------
 */

/* One finished integration. */
typedef struct clr_integration {
    uint64_t index;
    uint64_t spectra;         /* that went in, present or not; fewer than a whole one at the end */
    const void *visibilities; /* [channel][baseline][pol_i][pol_j] */
    clradio_type type;
    const uint64_t *present; /* [baseline][pol_i][pol_j]; NULL: all of a whole integration */
} clr_integration;

typedef struct clr_correlate_output clr_correlate_output;

/* Opens what was asked for: UVH5 file, matrix file, matrix on standard output. */
clr_exit clr_correlate_output_begin(const clr_correlate_plan *plan, clr_correlate_output **output);
clradio_status clr_correlate_output_add(clr_correlate_output *output,
                                        const clr_integration *integration);
/* Puts the files under their names when there is an integration in them, or deletes them; frees. */
clradio_status clr_correlate_output_end(clr_correlate_output *output, int keep);
uint64_t clr_correlate_output_count(const clr_correlate_output *output);

/* ---- correlate_verify.c ------------------------------------------------------------------------
 */

typedef struct clr_verify clr_verify;

clradio_status clr_verify_create(const clr_correlate_plan *plan, uint64_t most_transforms,
                                 clr_verify **verify);
/* The same batch that the device gets: voltages of a number of transforms; valid as the F-engine
 * takes it, or NULL. first: the batch starts a new integration. */
clradio_status clr_verify_batch(clr_verify *verify, const void *voltages, const uint8_t *valid,
                                uint64_t transforms);
/* Closes the reference's integration; it waits, in order, for clr_verify_compare. */
clradio_status clr_verify_close_integration(clr_verify *verify);
clradio_status clr_verify_compare(clr_verify *verify, const clr_integration *integration);
/* One sentence, and whether everything was within its bound. */
int clr_verify_passed(const clr_verify *verify, char *sentence, size_t room);
void clr_verify_destroy(clr_verify *verify);

/* ---- correlate_run.c ---------------------------------------------------------------------------
 */

clr_exit clr_correlate_run(clr_correlate_plan *plan, clr_correlate_output *output);

#endif
