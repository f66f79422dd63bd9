/*
 * What the files of the Monte-Carlo engine share: the link's tables as they lie on host and device,
 * the plan. Only src/engine/montecarlo*.c and its tests include this.
 */
#ifndef CLR_ENGINE_MONTECARLO_INTERNAL_H
#define CLR_ENGINE_MONTECARLO_INTERNAL_H

#include "device/device.h"

#include <clradio/montecarlo.h>

enum {
    CLR_MONTECARLO_STREAMS = 16,
    CLR_MONTECARLO_ANTENNAS = 64,
    CLR_MONTECARLO_TAPS = 1024,
    CLR_MONTECARLO_GROUP = 256,          /* work-items of a group, in all kernels but one */
    CLR_MONTECARLO_GROUP_VECTORS = 4096, /* GROUP_VECTORS of montecarlo_count.cl */
    CLR_MONTECARLO_SUMS = 10,            /* SUMS of montecarlo_count.cl */
    CLR_MONTECARLO_IN_FLIGHT = 2
};

/* A link in the numbers that kernels and the host's twin work with. */
typedef struct clr_montecarlo_link {
    uint32_t transmit, receive;
    uint32_t elements; /* of H */
    uint32_t bits;     /* of a vector */
    uint32_t symbol_bytes;
    uint32_t stream_bits[CLR_MONTECARLO_STREAMS];
    uint32_t point_room;                     /* points kept a stream */
    float *points;                           /* cf32 [transmit][point_room] */
    float *receive_factor, *transmit_factor; /* Cholesky, cf32 [n][n], or NULL */
    uint32_t taps, carriers;
    int specular;      /* a tap has a specular part */
    float *amplitudes; /* [tap][2]: diffuse, specular */
    uint64_t *steps;   /* [tap]: delay x spacing, in 2^-64 turns */
    float estimate_deviation;
    double estimation_error;
    uint64_t seed;
} clr_montecarlo_link;

/* Checks a configuration and makes its tables. Errors: ARGUMENT, UNSUPPORTED, MEMORY. */
clradio_status clr_montecarlo_link_of(const clradio_montecarlo_config *config,
                                      clr_montecarlo_link *link);
void clr_montecarlo_link_free(clr_montecarlo_link *link);
/* Lower triangular F with F F^H = the Hermitian matrix, as cf32; name for the sentence. */
clradio_status clr_montecarlo_factor(const double *matrix, uint32_t n, const char *name,
                                     float **factor);
/* The n correlated numbers of one line: x <- F x, elements `stride` apart. */
void clr_montecarlo_correlate_line(const float *factor, uint32_t n, float *x, uint32_t stride);
/* One vector by itself; outputs as clradio_montecarlo_vector has them, channel is needed. */
void clr_montecarlo_make_vector(const clr_montecarlo_link *link, uint32_t point, float deviation,
                                uint64_t vector, uint16_t *symbols, float *channel, float *estimate,
                                float *received);

typedef struct clr_montecarlo_buffers {
    clradio_buffer *points, *stream_bits, *receive_factor, *transmit_factor, *amplitudes, *steps;
    clradio_buffer *symbols, *channel, *estimate, *received, *nodes, *partial;
    /* of each batch in flight */
    clradio_buffer *decided[CLR_MONTECARLO_IN_FLIGHT], *status[CLR_MONTECARLO_IN_FLIGHT],
        *rows[CLR_MONTECARLO_IN_FLIGHT];
} clr_montecarlo_buffers;

struct clradio_montecarlo {
    clradio_device *device;
    clradio_queue *queue;
    clr_montecarlo_link link;
    uint64_t vectors; /* the most in one call */
    int generate_only, device_only;
    clr_program *generate_program, *count_program;
    clr_kernel *make_symbols, *make_channel, *add_specular, *correlate, *make_estimate,
        *make_received, *count, *sum_rows;
    clr_montecarlo_buffers buffers;
    uint64_t *host_rows[CLR_MONTECARLO_IN_FLIGHT];
    uint64_t memory_bytes;
    clradio_detector *detector;
    clradio_event *last;
};

/* A plan without detector; tested: the device's bits are compared with the host's first. */
clradio_status clr_montecarlo_make(clradio_device *device, const clradio_montecarlo_config *config,
                                   int tested, clradio_montecarlo **plan);
/* Compares some vectors with the host's, once per device and program. */
clradio_status clr_montecarlo_self_test(clradio_montecarlo *plan,
                                        const clradio_montecarlo_config *config);
float clr_montecarlo_deviation(double noise_variance);
/* Counts errors of `vectors` vectors into rows, one a block, in the plan's queue. */
clradio_status clr_montecarlo_enqueue_count(clradio_montecarlo *plan, clradio_span sent,
                                            clradio_span decided, clradio_span status,
                                            clradio_span nodes, clradio_span rows,
                                            uint64_t vectors);

/* A batch as the device detected it: what is in the buffers of its slot. */
typedef struct clr_montecarlo_batch {
    unsigned slot;
    uint32_t point;
    double noise_variance;
    uint64_t first; /* the first vector's index */
} clr_montecarlo_batch;

/* Asked between vectors; 0: no more. */
typedef int clr_montecarlo_go(void *user);

/*
 * Finishes on the host the uncertified ones of `vectors` vectors of a batch, from its vector
 * `first` on, and corrects their row of sums. *cut: 1 when `go` ended it before the last.
 */
clradio_status clr_montecarlo_finish(clradio_montecarlo *plan, const clr_montecarlo_batch *batch,
                                     uint64_t first, uint64_t vectors, uint64_t *row,
                                     clr_montecarlo_go *go, void *user, int *cut);

#endif
