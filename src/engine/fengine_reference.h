/* The F-engine in double precision, as plainly as it can be written: for tests, the self-test and
 * --verify. */
#ifndef CLR_ENGINE_FENGINE_REFERENCE_H
#define CLR_ENGINE_FENGINE_REFERENCE_H

#include <clradio/fengine.h>

/*
 * voltages: [blocks P][bands][stations][polarisations] of config->input, the first samples ever
 * seen. valid: NULL, or [blocks - taps + 1][stations][polarisations]. spectra: complex double
 * interleaved, [blocks - taps + 1][bands channels][stations][polarisations]. Nothing is written
 * when blocks < taps. Errors: ARGUMENT, MEMORY.
 */
clradio_status clr_fengine_reference(const clradio_fengine_config *config, const void *voltages,
                                     uint64_t blocks, const uint8_t *valid, double *spectra);

/*
 * The forward transform exp(-2 pi i k n / length) of any length, in place, complex double
 * interleaved. Time grows with length times the sum of its prime factors. Errors: MEMORY.
 */
clradio_status clr_reference_transform(double *data, uint64_t length);

#endif
