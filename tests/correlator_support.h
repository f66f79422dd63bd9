/* What the correlator's tests share: a small configuration, and a correlator with its arrays on the
 * device that is called piece by piece. */
#ifndef CLR_TESTS_CORRELATOR_SUPPORT_H
#define CLR_TESTS_CORRELATOR_SUPPORT_H

#include "fengine_support.h"

/* 3 stations of 2 polarisations, 40 spectra a call; the window is Hann with more than one tap. */
clradio_correlator_config correlator_config_of(clradio_type input, uint32_t channels,
                                               uint32_t taps);
/* The F-engine in it. */
clradio_fengine_config fengine_of(const clradio_correlator_config *config);

typedef struct correlator_bench {
    clradio_correlator_config config;
    clradio_correlator *plan;
    clradio_queue *queue;
    clradio_buffer *voltages, *valid, *visibilities;
    clradio_correlator_info info;
    uint64_t block_bytes, inputs;
} correlator_bench;

/* blocks: of the voltages that are there; valid: NULL, or [spectrum][input] for as many. */
correlator_bench correlator_start(clradio_device *device, const clradio_correlator_config *config,
                                  const void *voltages, const uint8_t *valid, uint64_t blocks);
/* One call of blocks first .. first + count - 1; out: how many spectra it added. The output is
 * poisoned before a dump. */
uint64_t correlator_call(correlator_bench *b, uint64_t first, uint64_t count,
                         uint64_t spectra_before, int masked, unsigned flags);
/* What the last dump wrote, and not past its end. malloc'ed. */
void *correlator_visibilities(correlator_bench *b);
void correlator_stop(correlator_bench *b);

#endif
