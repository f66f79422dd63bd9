/* What the channel DFT's test programs share: random problems, a call with poisoned output,
 * comparison. */
#ifndef CLR_TESTS_DFT_SUPPORT_H
#define CLR_TESTS_DFT_SUPPORT_H

#include "support.h"

#include "engine/dft_check.h"

/* A problem on the host, everything allocated. */
typedef struct dft_problem {
    clradio_dft_config config;
    clradio_dft_sizes sizes;
    clradio_dft_counts counts;
    clradio_dft_host_io io; /* its response is filled by dft_call */
    uint64_t *beam_links, *link_paths, *link_taps;
    double *frequencies;
    void *gains, *delays;
    double *rates;
    uint32_t *status;
    uint64_t bad_paths;
    uint32_t *report; /* [3 + links], or NULL: what io.launch_report gets */
} dft_problem;

clradio_dft_config dft_config(clradio_type type, uint32_t subcarriers);
/* Makes arrays for p->config and p->sizes (whose arrays may be those of p). */
void dft_fill(dft_problem *p, uint64_t time_steps, uint64_t seed);
/* Uniform sizes. */
void dft_uniform(dft_problem *p, uint64_t beams, uint64_t links, uint64_t paths, uint64_t taps);
/* Ragged sizes, empty beams and links among them. */
void dft_ragged(dft_problem *p, uint64_t *seed, uint64_t beams, uint64_t most_links,
                uint64_t most_paths, uint64_t most_taps);
void dft_free(dft_problem *p);

/* One call on a plan: arrays at offsets, the response poisoned, nothing around it touched. */
void dft_call(clradio_device *device, clradio_dft *plan, dft_problem *p);
/* Creates a plan, calls, compares everything with the reference, twice with the same bits. */
#define dft_expect_reference(device, p) dft_expect_reference_at(device, p, __FILE__, __LINE__)
void dft_expect_reference_at(clradio_device *device, dft_problem *p, const char *file, int line);

int dft_has_fp64(clradio_device *device);

#endif
