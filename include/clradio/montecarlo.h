/*
 * Monte-Carlo measurement of a MIMO link's error rates: random symbols, channels and noise are made
 * on the device, detected there and counted there.
 *
 * Model: y = H s + n. Labels are uniform; alphabets have unit mean energy, Es = 1. E|H_ij|^2 = 1.
 * n is circular complex Gaussian, N0 = E|n|^2 for a complex receive sample. SNR per receive antenna
 * = transmit Es / N0, so Es/N0 in dB is 10 log10(transmit) less, and Eb/N0 a further
 * 10 log10(bits of a symbol) less (streams of different alphabets: their mean number of bits).
 *
 * Every number is a function of seed, point, vector index and purpose (Philox4x32-10), made by
 * additions and products that are rounded one by one: symbols, H and y have the same bits on every
 * device, and any vector can be made again alone (clradio_montecarlo_vector).
 *
 * Vectors are counted in blocks of 65,536 in the order of their index, and the stop rule looks at
 * whole blocks only, so that a result does not depend on how many vectors a call takes.
 */
#ifndef CLRADIO_MONTECARLO_H
#define CLRADIO_MONTECARLO_H

#include <clradio/detector.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_montecarlo clradio_montecarlo;

/** Vectors of a block. */
enum { CLRADIO_MONTECARLO_BLOCK = 65536 };

/**
 * A tap of the channel's impulse response. Powers are normalised to sum 1. diffuse: the mean power
 * of its Rayleigh part, independent in every element of H. specular: the power of a part that has
 * magnitude and phase in common in all elements; the phase of all specular parts is drawn anew for
 * each vector.
 */
typedef struct clradio_montecarlo_tap {
    double delay_s; /**< >= 0 */
    double diffuse; /**< linear, >= 0 */
    double specular;
} clradio_montecarlo_tap;

enum {
    CLRADIO_MONTECARLO_GENERATE_ONLY = 1, /**< no detector: enqueue works, run does not */
    /** sphere: what the device did not certify stays so. Without it run finishes those vectors on
     * the host, in double and with 64 final budgets of nodes, before it counts them. */
    CLRADIO_MONTECARLO_DEVICE_ONLY = 2
};

typedef struct clradio_montecarlo_config {
    size_t struct_size;
    /** Link and detector. Used of it here: transmit, receive, the modulations (an alphabet of the
     * caller's must have unit mean energy and a power of two of points), and vectors, the most in
     * one call: rounded down to whole blocks, or below one block to a power of two. Must be:
     * vectors_per_channel 1, noise CLRADIO_NOISE_VARIANCE, none of ODD_INTEGER, NOISE_PER_REAL and
     * SOFT. */
    clradio_detector_config detector;
    unsigned flags;
    uint64_t seed;
    /** Taps of the channel; NULL: H is flat, its elements independent CN(0, 1). With taps each
     * vector has a realisation of its own, seen at one subcarrier drawn from `subcarriers` that are
     * subcarrier_spacing_hz apart, the first at frequency 0. */
    const clradio_montecarlo_tap *taps;
    uint32_t tap_count;           /**< 1 to 1024 */
    uint32_t subcarriers;         /**< 1 to 65536 */
    double subcarrier_spacing_hz; /**< > 0 */
    /** Kronecker correlation of the diffuse part: E[H_ij conj(H_kl)] = R_rx[i][k] R_tx[j][l].
     * Hermitian, positive definite, unit diagonal; cf64 [rx][rx] and [tx][tx], or NULL: none. */
    const double *receive_correlation;
    const double *transmit_correlation;
    /** Variance of the error of each element of the H that the detector is given, >= 0; the
     * detector is told N0 + transmit x this. */
    double estimation_error;
} clradio_montecarlo_config;
#define CLRADIO_MONTECARLO_CONFIG_INIT                                                             \
    {                                                                                              \
        .struct_size = sizeof(clradio_montecarlo_config), .detector = CLRADIO_DETECTOR_CONFIG_INIT \
    }

/** One call that makes vectors. Spans without a buffer are not written. */
typedef struct clradio_montecarlo_io {
    size_t struct_size;
    clradio_span symbols;  /**< labels sent [vector][tx], clradio_detector_symbol_bytes each */
    clradio_span channel;  /**< H, cf32 [vector][rx][tx] */
    clradio_span estimate; /**< H with its estimation error, cf32 [vector][rx][tx]; needs channel */
    clradio_span received; /**< cf32 [vector][rx]; needs symbols and channel */
    uint32_t point;        /**< any number; other points have independent numbers */
    double noise_variance; /**< N0 >= 0 */
    uint64_t first_vector; /**< index of the first vector */
    uint64_t vectors_count; /**< <= config.detector.vectors as rounded; 0 is allowed */
} clradio_montecarlo_io;
#define CLRADIO_MONTECARLO_IO_INIT                                                                 \
    {                                                                                              \
        .struct_size = sizeof(clradio_montecarlo_io)                                               \
    }

/** Exact sums over vectors. */
typedef struct clradio_montecarlo_counts {
    uint64_t vectors;
    uint64_t bits;
    uint64_t bit_errors;
    uint64_t symbol_errors;
    uint64_t vector_errors;
    uint64_t squares; /**< sum over vectors of (bit errors of the vector)^2 */
    uint64_t nodes;
    uint64_t by_status[5]; /**< vectors of each clradio_detected */
} clradio_montecarlo_counts;

/** Why a point ended. */
typedef enum clradio_montecarlo_end {
    CLRADIO_MONTECARLO_RUNNING = 0,
    CLRADIO_MONTECARLO_ERRORS = 1,  /**< min_errors bit errors were counted */
    CLRADIO_MONTECARLO_VECTORS = 2, /**< max_vectors were sent */
    CLRADIO_MONTECARLO_SECONDS = 3, /**< max_seconds had passed: another run may count more */
    CLRADIO_MONTECARLO_STOPPED = 4  /**< the caller's function said so */
} clradio_montecarlo_end;

/** "errors", "vectors", "seconds", "stopped", "running". */
CLRADIO_API const char *clradio_montecarlo_end_name(clradio_montecarlo_end end);

/** One point of a curve. In: the rule. In and out: counts and seconds, zero to begin, or those of a
 * point that did not end, which then goes on as if it had never stopped. */
typedef struct clradio_montecarlo_point {
    size_t struct_size;
    uint32_t point;
    double noise_variance;
    uint64_t min_errors;  /**< bit errors, >= 1 */
    uint64_t max_vectors; /**< >= 1 */
    double max_seconds;   /**< 0: no limit */
    clradio_montecarlo_counts counts;
    double seconds;
    clradio_montecarlo_end end; /**< out */
    /** Called between batches; another value than 0 stops. May be NULL. */
    int (*stop)(void *user, const clradio_montecarlo_counts *counts);
    void *user;
} clradio_montecarlo_point;
#define CLRADIO_MONTECARLO_POINT_INIT                                                              \
    {                                                                                              \
        .struct_size = sizeof(clradio_montecarlo_point), .min_errors = 1000,                       \
        .max_vectors = 1000000000, .max_seconds = 60                                               \
    }

typedef struct clradio_montecarlo_info {
    size_t struct_size;
    uint32_t bits;                  /**< of a vector, all streams */
    uint32_t symbol_bytes;          /**< of a label in io.symbols */
    uint64_t vectors;               /**< the most in one call, as rounded */
    uint64_t memory_bytes;          /**< without the detector's */
    clradio_detector_info detector; /**< all 0 with GENERATE_ONLY */
} clradio_montecarlo_info;
#define CLRADIO_MONTECARLO_INFO_INIT                                                               \
    {                                                                                              \
        .struct_size = sizeof(clradio_montecarlo_info), .detector = CLRADIO_DETECTOR_INFO_INIT     \
    }

/** Makes a plan, its detector included. Errors: ARGUMENT, UNSUPPORTED, LIMIT, BUILD, SELF_TEST (the
 * device does not give the host's bits), DEVICE_MEMORY, and the detector's. */
CLRADIO_API clradio_status clradio_montecarlo_create(clradio_device *device,
                                                     const clradio_montecarlo_config *config,
                                                     clradio_montecarlo **plan);
/** Enqueues the making of vectors and returns at once. The wait list holds back the first command,
 * done (may be NULL) covers the last. Arrays of one call must not overlap. */
CLRADIO_API clradio_status clradio_montecarlo_enqueue(clradio_montecarlo *plan,
                                                      clradio_queue *queue,
                                                      const clradio_montecarlo_io *io,
                                                      size_t n_wait, clradio_event *const *wait,
                                                      clradio_event **done);
/** Measures one point: makes, detects and counts vectors until the rule ends it. Also after a
 * failure counts hold whole blocks. */
CLRADIO_API clradio_status clradio_montecarlo_run(clradio_montecarlo *plan,
                                                  clradio_montecarlo_point *point);
CLRADIO_API clradio_status clradio_montecarlo_get_info(const clradio_montecarlo *plan,
                                                       clradio_montecarlo_info *info);
CLRADIO_API void clradio_montecarlo_destroy(clradio_montecarlo *plan);

/**
 * Makes one vector on the host, with the device's bits. symbols: uint16 [tx] whatever the plan's
 * symbol_bytes; channel, estimate: cf32 [rx][tx]; received: cf32 [rx]; each may be NULL. Errors:
 * ARGUMENT, MEMORY.
 */
CLRADIO_API clradio_status clradio_montecarlo_vector(const clradio_montecarlo *plan, uint32_t point,
                                                     double noise_variance, uint64_t vector,
                                                     uint16_t *symbols, float *channel,
                                                     float *estimate, float *received);

/** The axes on which SNR is given. */
typedef enum clradio_snr_axis {
    CLRADIO_SNR_RX = 0, /**< per receive antenna: transmit Es / N0 */
    CLRADIO_SNR_ES = 1, /**< Es/N0 of a stream */
    CLRADIO_SNR_EB = 2  /**< Eb/N0 of a stream */
} clradio_snr_axis;

/** One SNR on the three axes, in dB, and the N0 that belongs to it. */
typedef struct clradio_snr {
    double rx_db, es_n0_db, eb_n0_db;
    double noise_variance;
} clradio_snr;

/** bits: of a vector, all streams. Errors: ARGUMENT (a value that is not finite, or beyond +-300
 * dB). */
CLRADIO_API clradio_status clradio_snr_from(clradio_snr_axis axis, double value_db,
                                            uint32_t transmit, uint32_t bits, clradio_snr *snr);

/**
 * Bit error rate with limits that hold the true one with probability `confidence` (0.95). Errors of
 * one vector are not independent: the limits are those of a Poisson number (Garwood, Biometrika 28,
 * 1936) of E^2/V events, with E bit errors and V = sum of squares - E^2/vectors the variance of
 * that sum. Without an error the upper limit takes a wrong vector to have one wrong bit. All 0 and
 * 1 when there are no vectors.
 */
CLRADIO_API clradio_status clradio_montecarlo_rate(const clradio_montecarlo_counts *counts,
                                                   double confidence, double *rate, double *low,
                                                   double *high);

/** Exponential correlation, R_ij = rho^|i - j|: writes cf64 [n][n]. -1 < rho < 1. Errors:
 * ARGUMENT. */
CLRADIO_API clradio_status clradio_exponential_correlation(uint32_t n, double rho, double *matrix);

CLRADIO_END_DECLS

#endif
