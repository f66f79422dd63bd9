/* What the tests of the Monte-Carlo engine share: made vectors read back from a device. */
#ifndef CLR_TESTS_MONTECARLO_SUPPORT_H
#define CLR_TESTS_MONTECARLO_SUPPORT_H

#include "support.h"

#include "engine/montecarlo_internal.h"

/* Vectors on the host; labels widened to 16 bits. */
typedef struct made_vectors {
    uint64_t count;
    uint16_t *symbols;                    /* [vector][tx] */
    float *channel, *estimate, *received; /* cf32 */
} made_vectors;

/* A configuration that makes vectors and needs no detector. */
clradio_montecarlo_config generate_only(uint32_t transmit, uint32_t receive,
                                        clradio_modulation modulation, uint64_t vectors);
/* Makes vectors on the device in one call, each array between bytes that must stay. */
made_vectors make_on_device(clradio_device *device, clradio_montecarlo *plan, uint32_t point,
                            double noise_variance, uint64_t first, uint64_t count);
/* The same on the host. */
made_vectors make_on_host(clradio_montecarlo *plan, uint32_t point, double noise_variance,
                          uint64_t first, uint64_t count);
void free_vectors(made_vectors *vectors);
/* Fails unless both hold the same bits. */
void assert_same_vectors(const clradio_montecarlo *plan, const made_vectors *a,
                         const made_vectors *b);

#endif
