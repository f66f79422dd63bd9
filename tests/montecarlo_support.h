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

clradio_montecarlo *montecarlo_plan(clradio_device *device,
                                    const clradio_montecarlo_config *config);

/* The device of a test that measures points; skips where that is not possible. */
clradio_device *montecarlo_runs_on(void **state);
/* A link with a detector, and a point of it at an SNR per receive antenna, without limit of time.
 */
clradio_montecarlo_config montecarlo_link(uint32_t transmit, uint32_t receive,
                                          clradio_modulation modulation, uint64_t vectors);
clradio_montecarlo_point montecarlo_point(const clradio_montecarlo_config *config, double rx_db);
/* The point as a plan of its own measures it. */
clradio_montecarlo_point montecarlo_measured(clradio_device *device,
                                             const clradio_montecarlo_config *config,
                                             clradio_montecarlo_point point);

#endif
