/* What the F-engine's tests share: random voltages, a run over several calls, and the comparison
 * with the double reference. */
#ifndef CLR_TESTS_FENGINE_SUPPORT_H
#define CLR_TESTS_FENGINE_SUPPORT_H

#include "support.h"

uint32_t length_of(const clradio_fengine_config *config);
uint64_t signals_of(const clradio_fengine_config *config);
/* Elements (of config->input) in so many blocks of P samples, and complex values in so many
 * spectra. */
uint64_t elements_of(const clradio_fengine_config *config, uint64_t blocks);
uint64_t values_of(const clradio_fengine_config *config, uint64_t spectra);

/* Uniform random voltages over the type's whole range, the most negative value included; +-100 for
 * float. malloc'ed. */
void *random_voltages(const clradio_fengine_config *config, uint64_t blocks, uint64_t seed);
/* Writes one voltage; im is dropped for a real type. */
void set_voltage(clradio_type type, void *voltages, uint64_t element, double re, double im);

/*
 * The spectra of all calls one after another; counts: blocks of each call. The voltages lie at an
 * odd offset in their buffer; the output is poisoned with NaN and must not be written past its end.
 * valid: NULL or for all spectra. out: how many spectra. malloc'ed, complex float.
 */
float *run_calls(clradio_device *device, const clradio_fengine_config *config, const void *voltages,
                 const uint8_t *valid, const uint64_t *counts, size_t calls, uint64_t *out);

/* One call of all blocks against the double reference: the largest error over any value divided by
 * the root of the mean of |value|^2 of that reference. */
double error_of(clradio_device *device, const clradio_fengine_config *config, uint64_t blocks,
                uint64_t seed);
/*
 * What error_of may be: the filter adds `taps` rounded products, the transform's error grows with
 * log2 P stages of 6e-8 each, as a random walk over the values that meet; the largest of a million
 * normal values is 5 deviations. 3e-7 a stage covers that.
 */
double error_bound(const clradio_fengine_config *config);

#endif
