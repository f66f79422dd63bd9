/* What the files of clradio detect share: the request, the vectors with their channels, the run. */
#ifndef CLR_TOOL_DETECT_H
#define CLR_TOOL_DETECT_H

#include "io/arrays.h"
#include "tool/say.h"

#include <clradio/detector.h>

typedef struct clr_detect_request {
    const char *output, *received, *channel, *noise, *prior, *truth, *modulation, *alphabet;
    const char *antennas, *capture, *device, *variant, *parameters;
    int format, method, ordering, radius, precision, llr_type, whiten, soft, bits;
    int odd_integer, noise_per_real, llr_one, last_bit_first, device_only;
    uint64_t vectors_per_channel, node_budget, final_budget, candidates, full_streams;
    uint64_t memory_limit;
    double noise_variance, snr_db, radius_factor, llr_clip, llr_scale;
} clr_detect_request;

/* Everything that goes to the engine, and what is known of the answer. Arrays are malloc'ed. */
typedef struct clr_detect_job {
    const clr_detect_request *request;
    uint64_t vectors, vectors_per_channel;
    uint32_t receive, transmit;
    float *y, *h;    /* cf32 [vector][rx], [channel][rx][tx] */
    float *noise;    /* as kind says; NULL: noise_variance */
    float *prior;    /* [vector][bit], or NULL */
    float *alphabet; /* cf32 [alphabet_size], or NULL */
    int64_t *truth;  /* [vector][tx] labels, or NULL */
    uint32_t alphabet_size;
    clradio_detector_noise noise_kind;
    double noise_variance;
    clradio_modulation *modulations; /* [tx] */
    clradio_detector_config config;
} clr_detect_job;

/* Each says what is wrong. detect_input.c */
clr_exit clr_detect_read(clr_detect_job *job, char *const *files, size_t n_files);
/* detect_capture.c: "RX.bin,TX.bin" of libapsm: the channel by least squares from the training, and
 * its residuals' covariance. */
clr_exit clr_detect_read_capture(clr_detect_job *job);
/* "0:16:2", "0,3,5": which of n antennas; malloc'ed, at least one. */
clr_exit clr_detect_choose_antennas(const char *text, uint32_t n, uint32_t **chosen,
                                    uint32_t *count);
void clr_detect_job_free(clr_detect_job *job);
/* detect_plan.c: modulations, noise and the engine's configuration. */
clr_exit clr_detect_configure(clr_detect_job *job);
/* detect_run.c */
clr_exit clr_detect_run(clr_detect_job *job);

#endif
