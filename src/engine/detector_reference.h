/*
 * The detector in plain C and double, one vector at a time: what tests and the benchmark compare
 * with, and what finishes on the host the vectors that a device left uncertified.
 *
 * Everything happens in the real-valued model: a row for the real and one for the imaginary part of
 * each antenna, a column for each axis of a stream that its alphabet uses, columns scaled so that
 * symbols are odd integers (and BPSK's turned by 45 degrees). A column is a level of the tree.
 */
#ifndef CLR_ENGINE_DETECTOR_REFERENCE_H
#define CLR_ENGINE_DETECTOR_REFERENCE_H

#include "engine/detector_internal.h"

/* One vector's input as the arrays hold it. */
typedef struct clr_detector_vector {
    const float *received, *channel;
    const float *covariance; /* or NULL */
    const float *prior;      /* or NULL */
    double noise_variance;   /* as the interface takes it */
} clr_detector_vector;

typedef struct clr_detector_result {
    uint32_t labels[CLR_MOST_TRANSMIT];
    double metric;
    uint64_t nodes;
    int ties; /* leaves that double cannot tell from the best */
    clradio_detected status;
} clr_detector_result;

enum { CLR_MOST_LEVELS = 2 * CLR_MOST_TRANSMIT };

/* After whitening and QR. Level l of the tree (the last is the root's) is one axis of a stream. */
typedef struct clr_prepared {
    const clradio_detector_config *config;
    uint32_t levels;
    uint32_t stream[CLR_MOST_LEVELS], axis[CLR_MOST_LEVELS]; /* 0 real, 1 imaginary */
    uint32_t points[CLR_MOST_LEVELS];                        /* 0: an alphabet of one's own */
    double energy[CLR_MOST_LEVELS];                          /* of the odd integers */
    double r[CLR_MOST_LEVELS][CLR_MOST_LEVELS], y[CLR_MOST_LEVELS];
    double rest;           /* of |y|^2 that no symbol reaches */
    double noise_variance; /* N0 */
    double error;          /* bound on the rounding of sqrt(metric) */
    const float *prior;
} clr_prepared;

/* 0 for input that is INVALID. */
int clr_reference_prepare(const clradio_detector_config *config, const clr_detector_vector *vector,
                          clr_prepared *prepared);
/* What two metrics must differ by to be told apart, the smaller one (rest not in it) given. */
double clr_reference_slack(const clr_prepared *prepared, double metric);
/* The metric of a point an index a level, without the rest. */
double clr_reference_metric(const clr_prepared *prepared, const uint32_t *index);
typedef enum clr_linear { CLR_LINEAR_ZF, CLR_LINEAR_MMSE, CLR_LINEAR_MMSE_BIASED } clr_linear;

/*
 * Linear estimates (in odd integers) and their noise variances, by level. The filter of least mean
 * square error shrinks its estimates; only the biased kind leaves them so, which gives the smaller
 * start radius, while unbiased ones give fewer errors.
 */
void clr_reference_linear(const clr_prepared *prepared, clr_linear kind, double *estimate,
                          double *variance);
/* The estimates' nearest points. */
void clr_reference_slice(const clr_prepared *prepared, const double *estimate, uint32_t *index);
/* The squared radius that config asks to start with. */
double clr_reference_start(const clr_prepared *prepared);

/*
 * Depth-first search in the order of Schnorr and Euchner below a squared radius that grows by
 * doubling while nothing is inside. allowed: a mask of points a level, or NULL. At most budget
 * nodes (0: any number).
 */
void clr_reference_search(const clr_prepared *prepared, double radius, const uint32_t *allowed,
                          uint64_t budget, clr_detector_result *result);

/* The labels of every stream from the indices of every level. */
void clr_reference_labels(const clr_prepared *prepared, const uint32_t *index, uint32_t *labels);

/* Nodes of a search on the host for what the device left uncertified: 64 final budgets. */
static inline uint64_t clr_detector_host_budget(const clradio_detector_config *config)
{
    return config->final_budget > UINT32_MAX / 64 ? UINT32_MAX : config->final_budget * 64;
}

/*
 * One vector by config's method (check_config has filled it in). llr: one double a bit as the
 * interface orders them, clipped and scaled, not rounded; or NULL. budget of nodes for sphere, 0:
 * any number.
 */
void clr_detector_reference(const clradio_detector_config *config,
                            const clr_detector_vector *vector, uint64_t budget,
                            clr_detector_result *result, double *llr);
/* The same of vector n of host arrays, and its status; arrays that are NULL are not written. */
clradio_detected clr_detector_reference_at(const clradio_detector_config *config,
                                           const clradio_detector_host_io *io, uint64_t n,
                                           uint64_t budget);
/* The same of vectors first .. first + count - 1. */
void clr_detector_reference_run(const clradio_detector_config *config,
                                const clradio_detector_host_io *io, uint64_t first, uint64_t count,
                                uint64_t budget);

#endif
