/* What the detector's test programs share: random channels and symbols, a call with poisoned
 * outputs, the reference's answers. */
#ifndef CLR_TESTS_DETECTOR_SUPPORT_H
#define CLR_TESTS_DETECTOR_SUPPORT_H

#include "support.h"

#include "engine/detector_reference.h"

/* Vectors, what was sent, and answers; labels as uint32 whatever the interface's bytes. */
typedef struct detector_data {
    clradio_detector_config config; /* checked and filled in */
    uint64_t count, channels;
    double noise_variance;
    float *received, *channel, *noise, *prior;
    uint32_t *sent;
} detector_data;

typedef struct detector_answers {
    uint32_t *labels; /* [vector][tx] */
    uint8_t *bits, *status;
    float *llr, *metric; /* llr: numbers, whatever their type */
    uint32_t *nodes;
    clradio_detector_statistics statistics;
    uint32_t report[4]; /* where the device starts the second pass */
} detector_answers;

clradio_detector_config detector_config(uint32_t transmit, uint32_t receive,
                                        clradio_modulation modulation, uint64_t vectors);
/* Channels of independent CN(0, 1), symbols, noise at that SNR per receive antenna; as
 * config.noise says: a variance, one a vector, or covariances of random correlation. */
detector_data *detector_random(const clradio_detector_config *config, double snr_db, uint64_t seed);
void detector_data_free(detector_data *data);

/* Answers with nothing in them yet. */
detector_answers *detector_new_answers(const detector_data *data);
/* The reference's answers; budget 0: any number of nodes. */
detector_answers *detector_reference_answers(const detector_data *data, int soft);
/* detector_exhaustion.c: labels, metric and status by trying every symbol vector. */
detector_answers *detector_exhausted_answers(const detector_data *data);
/* The LLRs ln P(0)/P(1) of a vector's bits by the sum over all symbol vectors. */
void detector_log_map(const detector_data *data, uint64_t n, double *llr);
/* A call on a device, every array at an odd place, outputs poisoned and guarded. */
detector_answers *detector_device_answers(clradio_device *device, clradio_detector *plan,
                                          const detector_data *data, int soft);
/* The same of a plan made for it. */
detector_answers *detector_answers_of(clradio_device *device, const clradio_detector_config *config,
                                      const detector_data *data, int soft);
void detector_answers_free(detector_answers *answers);
/* Fails unless every output and the counts are the same. */
void detector_assert_same(const detector_data *data, const detector_answers *a,
                          const detector_answers *b);

/* Fails unless the labels of every vector that is exact in both are equal; returns how many were.
 */
#define detector_compare_exact(data, got, wanted)                                                  \
    detector_compare_exact_at(data, got, wanted, __FILE__, __LINE__)
uint64_t detector_compare_exact_at(const detector_data *data, const detector_answers *got,
                                   const detector_answers *wanted, const char *file, int line);
/* A plan and random vectors: exact answers are the reference's, and all are exact where that can
 * be. Returns 0 where the device does not support the configuration. */
int detector_expect_exact(clradio_device *device, const clradio_detector_config *config,
                          double snr_db, uint64_t seed);
/* Bits that differ from what was sent. */
uint64_t detector_bit_errors(const detector_data *data, const detector_answers *answers);

/* Devices with double precision and no end to their loops certify every vector. */
int is_exact_everywhere(clradio_device *device);
/* Vectors of a case; of a long run those of CLRADIO_TEST_VECTORS, where it is set. */
uint64_t test_vectors(uint64_t short_run, uint64_t long_run);

#endif
