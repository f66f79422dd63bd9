/*
 * Signal to interference and noise at a receiver, for each stream and frequency, from frequency
 * responses as the channel DFT leaves them (clradio/dft.h).
 *
 * With H the receive x streams matrix of the serving link, G that of all interfering streams,
 * powers in both, and R = G G^H + N0 I:
 *
 * MMSE SINR_k = 1 / [(I + H^H R^-1 H)^-1]_kk - 1
 *
 * MRC  SINR_k = |h_k|^4 / (h_k^H (R + sum over l != k of h_l h_l^H) h_k)
 */
#ifndef CLRADIO_SINR_H
#define CLRADIO_SINR_H

#include <clradio/device.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_sinr clradio_sinr;

typedef enum clradio_sinr_method {
    CLRADIO_SINR_MMSE = 0,
    CLRADIO_SINR_MRC = 1
} clradio_sinr_method;

/** Where an array's element lies: outer (a link), inner (a frequency), receive antenna, stream; in
 * complex elements from the span's start. All 0: [outer][inner][receive][stream]. The response of a
 * link of the channel DFT, [path][subcarrier] with path = stream x receive antennas + antenna and v
 * subcarriers: outer = paths x v, inner = 1, receive = v, stream = receive antennas x v. */
typedef struct clradio_sinr_strides {
    uint64_t outer, inner, receive, stream;
} clradio_sinr_strides;

typedef struct clradio_sinr_config {
    size_t struct_size;
    clradio_type type; /**< CF32, CF64: of the responses; results are the real type */
    clradio_sinr_method method;
    uint32_t receive;     /**< antennas, 1 to 16 */
    uint32_t streams;     /**< 1 to 16 */
    uint32_t interferers; /**< interfering streams, 0 or more */
    clradio_sinr_strides serving, interfering;
    double noise; /**< N0 > 0, per complex receive sample; with CF32 1e-30 to 1e36 */
} clradio_sinr_config;
#define CLRADIO_SINR_CONFIG_INIT                                                                   \
    {                                                                                              \
        .struct_size = sizeof(clradio_sinr_config), .type = CLRADIO_CF32, .receive = 1,            \
        .streams = 1, .noise = 1                                                                   \
    }

typedef struct clradio_sinr_io {
    size_t struct_size;
    uint64_t outer, inner;    /**< how many of each */
    clradio_span serving;     /**< H */
    clradio_span interfering; /**< G; none without interferers */
    clradio_span sinr;        /**< real [outer][inner][stream], linear */
    /** optional: one uint32, to which the number of (outer, inner) is added whose input is not
     * finite or whose R is not positive in this arithmetic: their results are not a number */
    clradio_span bad;
} clradio_sinr_io;
#define CLRADIO_SINR_IO_INIT                                                                       \
    {                                                                                              \
        .struct_size = sizeof(clradio_sinr_io)                                                     \
    }

/** The same with host arrays, of any size: they are cut along the outer index into calls that
 * overlap with their copies. */
typedef struct clradio_sinr_host_io {
    size_t struct_size;
    uint64_t outer, inner;
    const void *serving, *interfering; /**< of config.type; interfering NULL without interferers */
    void *sinr;                        /**< real [outer][inner][stream], linear */
    uint32_t *bad; /**< optional, out: the (outer, inner) that io.bad of a call counts */
} clradio_sinr_host_io;
#define CLRADIO_SINR_HOST_IO_INIT                                                                  \
    {                                                                                              \
        .struct_size = sizeof(clradio_sinr_host_io)                                                \
    }

/** Errors: ARGUMENT, UNSUPPORTED (cf64 without fp64), BUILD. */
CLRADIO_API clradio_status clradio_sinr_create(clradio_device *device,
                                               const clradio_sinr_config *config,
                                               clradio_sinr **plan);
/** Enqueues one call and returns at once; as clradio_dft_enqueue. */
CLRADIO_API clradio_status clradio_sinr_enqueue(clradio_sinr *plan, clradio_queue *queue,
                                                const clradio_sinr_io *io, size_t n_wait,
                                                clradio_event *const *wait, clradio_event **done);
/** Computes host arrays and returns when all is there. Errors: ARGUMENT, DEVICE_MEMORY. */
CLRADIO_API clradio_status clradio_sinr_run(clradio_sinr *plan, const clradio_sinr_host_io *io);
CLRADIO_API void clradio_sinr_destroy(clradio_sinr *plan);

/** The same in plain C, in double: serving and interfering of config.type, sinr double
 * [outer][inner][stream]. Errors: ARGUMENT. */
CLRADIO_API clradio_status clradio_sinr_reference(const clradio_sinr_config *config, uint64_t outer,
                                                  uint64_t inner, const void *serving,
                                                  const void *interfering, double *sinr);

CLRADIO_END_DECLS

#endif
