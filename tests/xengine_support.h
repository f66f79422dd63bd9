/* What the X-engine's test programs share: random input, a run with poisoned output, comparison. */
#ifndef CLR_TESTS_XENGINE_SUPPORT_H
#define CLR_TESTS_XENGINE_SUPPORT_H

#include "support.h"

#include "engine/xengine_internal.h"
#include "engine/xengine_layout.h"
#include "engine/xengine_reference.h"
#include "engine/xengine_valid.h"

/* Spectra, host memory that the caller frees. */
void *xengine_zeros(const clradio_xengine_config *config, uint64_t count);
/* Random over the full range of config.input, the most negative value included; cf32 in [-1, 1),
 * cf16 in (-2, 2). Padding of blocks is random too. */
void *xengine_random(const clradio_xengine_config *config, uint64_t count, uint64_t seed);
/* Sets one integer sample of an array of config.spectra spectra. */
void xengine_set(const clradio_xengine_config *config, void *spectra, uint64_t time,
                 uint32_t channel, uint32_t input, int re, int im);

/* Configuration with its output type filled in, as the comparison needs it. */
clradio_xengine_config xengine_config(clradio_type input, uint32_t stations, uint32_t polarisations,
                                      uint32_t channels, uint64_t spectra);
void xengine_fill_output(clradio_xengine_config *config);
/* The same of a variant with parameters. */
clradio_xengine_config xengine_config_of(const char *variant, const char *parameters,
                                         clradio_type input, uint32_t stations,
                                         uint32_t polarisations, uint32_t channels,
                                         uint64_t spectra);
/* Whether the device takes a configuration: CLRADIO_ERROR_UNSUPPORTED alone says that it lacks
 * something. */
int xengine_takes(clradio_device *device, const clradio_xengine_config *config);
/* Whether the device has what a variant named without parameters asks for. */
int xengine_serves(clradio_device *device, const char *variant, clradio_type input);
/* Few samples of a type for a variant with parameters: refused with `status`, in these words. */
void xengine_expect_refused(clradio_device *device, const char *variant, clradio_type input,
                            const char *parameters, clradio_status status, const char *words);
/* A driver that ends long loops (llvmpipe) takes many launches, and minutes for some tests. */
int xengine_loops_end(clradio_device *device);
/* With CLRADIO_TEST_SMALL: the variant tile in a shape whose self-test is cheap in a simulator. */
void xengine_small_tiles(clradio_xengine_config *config);

/* Variants for units that a device may lack have the same tiling in plain C: the parameters that
 * ask for it, or NULL. */
const char *xengine_emulation(const clr_xengine_variant *variant);

enum { XENGINE_GUARD = 64 };
/* Samples in front of the device's input, so that it starts at an odd multiple of its element; 0
 * for one that is aligned to anything. */
extern size_t xengine_input_offset;
/*
 * Enqueues calls of the given lengths (n of them, one after the other in `spectra`) on the plan and
 * returns the visibilities of the last, in memory that the caller frees. The device's output starts
 * at an offset, is poisoned, and must be untouched before and behind.
 */
void *xengine_calls(clradio_device *device, clradio_xengine *plan,
                    const clradio_xengine_config *config, const void *spectra,
                    const uint64_t *lengths, size_t n, uint32_t *overflow);
/*
 * Creates a plan, makes one call over all spectra, compares everything with the reference. Returns
 * 0 when the device's work-groups are too small, or its loops too short, for the variant and the
 * parameters that were asked for.
 */
int xengine_expect_reference(clradio_device *device, const clradio_xengine_config *config,
                             uint64_t seed);
/*
 * The same of a variant in a shape, blocks of the usual length; with plain C in the place of the
 * instructions, by EMULATED=1, it returns 0 where local memory is too small as well.
 */
int xengine_expect_shape(clradio_device *device, clradio_xengine_config config, const char *variant,
                         const char *shape, uint64_t seed);
int xengine_expect_emulated(clradio_device *device, clradio_xengine_config config,
                            const char *variant, const char *shape, uint64_t seed);
/* Compares, and fails with the verdict's sentence. */
#define xengine_compare(config, spectra, count, visibilities, samples)                             \
    xengine_compare_at(config, spectra, count, visibilities, samples, __FILE__, __LINE__)
void xengine_compare_at(const clradio_xengine_config *config, const void *spectra, uint64_t count,
                        const void *visibilities, uint64_t samples, const char *file, int line);

#endif
