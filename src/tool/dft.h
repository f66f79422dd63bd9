/* What the files of clradio dft share: the request, the taps with their sizes, and the run. */
#ifndef CLR_TOOL_DFT_H
#define CLR_TOOL_DFT_H

#include "io/taps.h"
#include "tool/say.h"

#include <clradio/dft.h>

typedef struct clr_dft_request {
    const char *output, *layout, *gain, *delay, *profile, *transmit, *receive, *frequencies;
    const char *angle_spread, *angle_mean, *travel, *scenario, *write_taps;
    const char *device, *variant, *parameters, *launch_parameters;
    int launch, format, type, origin, normalise, order, absent, delay_unit, element, verify;
    uint64_t subcarriers, average, links, time_steps, seed, memory_limit, batch, streams;
    double spacing_hz, first_hz, carrier_hz, sample_period_s, sample_rate_hz, delay_spread_s;
    double doppler_hz, time_step_s, antenna_spacing;
} clr_dft_request;

/* Taps, and how they go to the engine. */
typedef struct clr_dft_job {
    const clr_dft_request *request;
    clr_taps taps;
    int32_t *samples;     /* delays as whole samples, or NULL */
    double *frequency_hz; /* [subcarriers] of a list, or NULL */
    clradio_dft_config config;
    clradio_dft_sizes sizes;
    uint64_t time_steps, values; /* values: of a path */
} clr_dft_job;

/* Each says what is wrong. dft_input.c: options that belong to the other source of taps; taps from
 * the files, or from the profile. */
clr_exit clr_dft_check_source(const clr_dft_request *request, size_t files);
clr_exit clr_dft_read_taps(clr_dft_job *job, char *const *files, size_t n_files);
clr_exit clr_dft_make_taps(clr_dft_job *job);
/* dft_plan.c: the names of clradio_dft_launch; the configuration from the request and the taps. */
extern const char *const clr_dft_launch_names[];
clr_exit clr_dft_configure(clr_dft_job *job);
void clr_dft_job_free(clr_dft_job *job);
/* dft_run.c */
clr_exit clr_dft_run(clr_dft_job *job);

/* dft_output.c: the response goes into a file as it comes. NULL output: nowhere. */
typedef struct clr_dft_output clr_dft_output;
clradio_status clr_dft_output_begin(const clr_dft_job *job, clr_dft_output **output);
clradio_status clr_dft_output_add(clr_dft_output *output, const void *values, uint64_t count);
clradio_status clr_dft_output_end(clr_dft_output *output, int keep);
/* The taps into a file, as clradio's own layout. */
clradio_status clr_dft_write_taps(const clr_dft_job *job, const char *path);

/* dft_verify.c: batches in order against the double reference. */
typedef struct clr_dft_verify clr_dft_verify;
clradio_status clr_dft_verify_create(const clr_dft_job *job, double error_bound,
                                     clr_dft_verify **verify);
clradio_status clr_dft_verify_batch(clr_dft_verify *verify, const clradio_dft_batch *batch);
/* 1 when all was within the bound; text: what was found. */
int clr_dft_verify_passed(const clr_dft_verify *verify, char *text, size_t room);
void clr_dft_verify_destroy(clr_dft_verify *verify);

#endif
