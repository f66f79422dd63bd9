/* Runs of the X-engine with integrations, flags and counts, and their comparison. */
#ifndef CLR_TESTS_XENGINE_RUNS_H
#define CLR_TESTS_XENGINE_RUNS_H

#include "xengine_support.h"

/* Host arrays; those of the output have `integrations` parts. valid is NULL where the configuration
 * has none. */
typedef struct flagged_run {
    clradio_xengine_config config;
    clradio_xengine *plan;
    uint64_t count, integration_spectra, integrations;
    void *spectra, *visibilities;
    unsigned char *valid;
    uint64_t *counts, *input_counts;
    uint64_t values, inputs;
    int overflowed; /* what clradio_xengine_run said; -1: nothing */
} flagged_run;

/* A plan and random arrays for `count` spectra, the output poisoned. integration_spectra: 0 is one
 * integration. */
void flagged_run_make(flagged_run *run, clradio_device *device, clradio_xengine_config config,
                      uint64_t count, uint64_t integration_spectra, uint64_t seed);
/* One call from buffers, or clradio_xengine_run. */
void flagged_run_on_device(const flagged_run *run, clradio_device *device);
void flagged_run_on_host(flagged_run *run);
/* Everything against the reference. */
void flagged_run_expect(const flagged_run *run);
void flagged_run_drop(flagged_run *run);

#endif
