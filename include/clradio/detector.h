/*
 * MIMO detection: which symbols s were sent, given y = H s + n, the channel H and the noise.
 *
 * Method `sphere` answers the joint maximum-likelihood question, min |y - H s|^2 over all symbol
 * vectors, by a depth-first search in Schnorr and Euchner's order (Agrell et al., IEEE Trans. Inf.
 * Theory 48, 2002) over the real-valued tree of 2 transmit levels; the others are the usual
 * cheaper ones and the exhaustive one.
 *
 * Conventions. Labels are those of 3GPP TS 38.211, clause 5.1: the symbol index is the label read
 * with its first bit, bit 0, as the most significant. Alphabets have unit mean energy Es = 1 unless
 * CLRADIO_DETECTOR_ODD_INTEGER. N0 = E|n|^2 for a complex receive sample. SNR per receive antenna =
 * transmit Es / N0. LLR = ln P(bit = 0) / P(bit = 1); max-log: (min over bit = 1 of |y - H s|^2 -
 * min over bit = 0) / N0. Nodes are partial distances evaluated in the real-valued tree, the
 * sibling that closes a level included: at least 4 transmit - 1.
 *
 * Exact means exact. A float search keeps the best leaf and what came close to it; a vector whose
 * margin is below a bound on the rounding of everything before it (QR included) is searched again
 * in double, and leaves that double cannot tell apart are a tie, which the smaller label vector
 * (stream 0 first) wins. So a vector whose status is CLRADIO_DETECTED_EXACT has the same symbols on
 * every device.
 */
#ifndef CLRADIO_DETECTOR_H
#define CLRADIO_DETECTOR_H

#include <clradio/device.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_detector clradio_detector;

/** Alphabets. The label of an M-QAM symbol has its even bits on the real axis and its odd bits on
 * the imaginary one; PAM is the real axis of such an alphabet, scaled to unit energy. */
typedef enum clradio_modulation {
    CLRADIO_MODULATION_NONE = 0,
    CLRADIO_BPSK = 1, /**< TS 38.211: (1 - 2b)(1 + i)/sqrt(2) */
    CLRADIO_QPSK = 2,
    CLRADIO_QAM16 = 3,
    CLRADIO_QAM64 = 4,
    CLRADIO_QAM256 = 5,
    CLRADIO_QAM1024 = 6,
    CLRADIO_PAM2 = 7, /**< real: 1 - 2b */
    CLRADIO_PAM4 = 8,
    CLRADIO_PAM8 = 9,
    CLRADIO_PAM16 = 10,
    CLRADIO_PAM32 = 11,
    CLRADIO_ALPHABET = 12 /**< the caller's points: config.alphabet; methods ml and kbest */
} clradio_modulation;

/** Bits of a symbol, 0 for CLRADIO_MODULATION_NONE and CLRADIO_ALPHABET. */
CLRADIO_API uint32_t clradio_modulation_bits(clradio_modulation modulation);
/** "bpsk", "qpsk", "qam16", "pam4", "alphabet", ...; "none" when unknown. */
CLRADIO_API const char *clradio_modulation_name(clradio_modulation modulation);
/** The modulation of that name; also "4qam", "16qam", "64-qam", "qam-64" and the number of points
 * ("64") for QAM. CLRADIO_MODULATION_NONE when there is none. */
CLRADIO_API clradio_modulation clradio_modulation_from_name(const char *name);
/** The point of a label: point[0] real, point[1] imaginary; unit mean energy, or the odd integers
 * (BPSK: +-1 +-1 i). ARGUMENT for a label beyond the alphabet. */
CLRADIO_API clradio_status clradio_modulation_point(clradio_modulation modulation, uint32_t label,
                                                    int odd_integer, double point[2]);

typedef enum clradio_detector_method {
    CLRADIO_DETECTOR_SPHERE = 0, /**< exact joint maximum likelihood */
    CLRADIO_DETECTOR_KBEST = 1,  /**< breadth-first, `candidates` survivors a level of the
                                    real-valued tree (of the complex one for CLRADIO_ALPHABET) */
    CLRADIO_DETECTOR_FSD = 2,    /**< fixed complexity: `full_streams` streams in full, then
                                    successive cancellation */
    CLRADIO_DETECTOR_MMSE = 3,
    CLRADIO_DETECTOR_ZF = 4,
    CLRADIO_DETECTOR_ML = 5 /**< exhaustive; at most 2^24 symbol vectors */
} clradio_detector_method;

/** "sphere", "kbest", ...; NULL when there is no such method. */
CLRADIO_API const char *clradio_detector_method_name(clradio_detector_method method);
/** 1 and *method, or 0 when there is none of that name. */
CLRADIO_API int clradio_detector_method_from_name(const char *name,
                                                  clradio_detector_method *method);

/** What tells the detector of the noise. */
typedef enum clradio_detector_noise {
    CLRADIO_NOISE_VARIANCE = 0,           /**< io.noise_variance: one number a call */
    CLRADIO_NOISE_PER_VECTOR = 1,         /**< io.noise: f32 [vector] */
    CLRADIO_NOISE_COVARIANCE = 2,         /**< io.noise: cf32 [rx][rx], E[n n^H], one a call */
    CLRADIO_NOISE_COVARIANCE_CHANNEL = 3, /**< io.noise: cf32 [channel][rx][rx] */
    CLRADIO_NOISE_COVARIANCE_VECTOR = 4   /**< io.noise: cf32 [vector][rx][rx] */
} clradio_detector_noise;

/** The order in which streams are decided. */
typedef enum clradio_detector_ordering {
    CLRADIO_ORDERING_SORTED = 0, /**< sorted QR (Wuebben et al., Electron. Lett. 37, 2001) */
    CLRADIO_ORDERING_NORM = 1,   /**< columns by their norm, the strongest decided first */
    CLRADIO_ORDERING_NONE = 2    /**< the last stream decided first */
} clradio_detector_ordering;

/** The radius that the search starts with. */
typedef enum clradio_detector_radius {
    CLRADIO_RADIUS_MMSE = 0, /**< radius_factor x the metric of the sliced MMSE point */
    CLRADIO_RADIUS_INFINITE = 1,
    CLRADIO_RADIUS_GIVEN = 2 /**< radius_factor is the squared radius in units of N0; doubled until
                                a leaf is inside */
} clradio_detector_radius;

typedef enum clradio_detector_precision {
    CLRADIO_PRECISION_AUTO = 0,  /**< float; what float cannot decide is searched again in double,
                                    or in pairs of floats where the device has none */
    CLRADIO_PRECISION_FLOAT = 1, /**< float alone: thin margins stay CLRADIO_DETECTED_THIN */
    CLRADIO_PRECISION_DOUBLE = 2 /**< sphere: double for every vector; UNSUPPORTED without fp64 */
} clradio_detector_precision;

enum {
    CLRADIO_DETECTOR_ODD_INTEGER = 1,    /**< alphabets of odd integers instead of unit energy */
    CLRADIO_DETECTOR_NOISE_PER_REAL = 2, /**< noise variances are of a real dimension: N0/2 */
    CLRADIO_DETECTOR_LLR_ONE = 4,        /**< LLR = ln P(1)/P(0), in and out */
    CLRADIO_DETECTOR_LAST_BIT_FIRST = 8, /**< bits and LLRs of a symbol begin with the least
                                            significant bit, in and out */
    CLRADIO_DETECTOR_SOFT = 16           /**< the plan can give LLRs */
};

/** Status of a vector. */
typedef enum clradio_detected {
    CLRADIO_DETECTED_EXACT = 0,  /**< the maximum-likelihood answer, certified */
    CLRADIO_DETECTED_BUDGET = 1, /**< the best leaf when the node budget was spent */
    CLRADIO_DETECTED_THIN = 2,   /**< a margin below the rounding bound that no double search could
                                    decide (a device without fp64) */
    CLRADIO_DETECTED_METHOD = 3, /**< what a method that promises nothing gives */
    CLRADIO_DETECTED_INVALID = 4 /**< NaN or infinity in the received vector, its channel or its
                                    noise, or a covariance that is not positive definite: label 0
                                    for every stream, LLR 0, metric NaN */
} clradio_detected;

typedef struct clradio_detector_config {
    size_t struct_size;
    clradio_detector_method method;
    uint32_t transmit; /**< streams, 1 to 16 */
    uint32_t receive;  /**< antennas, 1 to 64. Fewer than transmit: sphere, kbest, fsd and ml search
                          the missing dimensions in full, mmse is regularised, zf is UNSUPPORTED */
    clradio_modulation modulation;                /**< of all streams */
    const clradio_modulation *stream_modulations; /**< [transmit], or NULL: all alike */
    const float *alphabet;  /**< cf32 [alphabet_size], for CLRADIO_ALPHABET; label = index */
    uint32_t alphabet_size; /**< 2 to 1024 */
    unsigned flags;
    uint64_t vectors; /**< the most in one call, >= 1 */
    uint64_t
        vectors_per_channel; /**< consecutive vectors that share a channel: 1 a channel for each, n
                                channel c serves vectors c n to c n + n - 1, 0 one for the call */
    clradio_detector_noise noise;
    clradio_detector_ordering ordering;
    clradio_detector_radius radius;
    double radius_factor; /**< alpha >= 1 for MMSE (0: 1.2), > 0 for GIVEN */
    uint64_t node_budget; /**< of the first pass; 0: chosen for the device */
    uint64_t
        final_budget;      /**< of the second pass, which takes the vectors that the first did not
                              certify; 0: 4,194,304. Not above node_budget: no second pass for them */
    uint32_t candidates;   /**< K of kbest, 1 to 64; 0: 16 */
    uint32_t full_streams; /**< of fsd, 1 to transmit, at most 4096 paths; 0: 1 */
    clradio_type llr_type; /**< F32 or I8 (rounded half to even, saturated at +-127) */
    double llr_clip;       /**< |LLR| at most this, before scaling; also for a bit that has no
                              counter-hypothesis; 0: 100 */
    double llr_scale;      /**< LLRs are multiplied by this; 0: 1, for I8 127 / llr_clip */
    clradio_detector_precision precision;
    uint64_t memory_limit;  /**< device memory that the plan may hold, bytes; 0: no limit of ours */
    const char *variant;    /**< "lane", ...; NULL: chosen */
    const char *parameters; /**< "CTA_SIZE=128 TREES_PER_CTA=128"; NULL: chosen */
    /** Of the second pass of sphere and ml, whose vectors the device alone counts: FLAT, one launch
     * whatever their number; CHILDREN, a grid that looks at it and starts grids for so many, and
     * EMULATED. HOST is UNSUPPORTED. */
    clradio_launch launch;
    /** NULL: "VECTORS=256 PENDING=1024 WALKERS=32 TAIL=1 FORGET=1 FAIL=0 REFUSE=0" but for what is
     * named: vectors of a unit; the others are those of clradio_dft_config.launch_parameters. */
    const char *launch_parameters;
} clradio_detector_config;
#define CLRADIO_DETECTOR_CONFIG_INIT                                                               \
    {                                                                                              \
        .struct_size = sizeof(clradio_detector_config), .method = CLRADIO_DETECTOR_SPHERE,         \
        .transmit = 4, .receive = 4, .modulation = CLRADIO_QAM16, .vectors = 1,                    \
        .vectors_per_channel = 1, .llr_type = CLRADIO_F32                                          \
    }

/** Spans of one call. Outputs without a buffer are not written. */
typedef struct clradio_detector_io {
    size_t struct_size;
    clradio_span received;   /**< cf32 [vector][rx] */
    clradio_span channel;    /**< cf32 [channel][rx][tx] */
    clradio_span noise;      /**< as config.noise says */
    clradio_span prior;      /**< optional, in: f32 [vector][bit] a priori LLRs; sphere and ml */
    clradio_span symbols;    /**< [vector][tx] labels of clradio_detector_symbol_bytes each */
    clradio_span bits;       /**< uint8 [vector][bit], 0 or 1 */
    clradio_span llr;        /**< config.llr_type [vector][bit]; needs CLRADIO_DETECTOR_SOFT */
    clradio_span metric;     /**< f32 [vector]: |y - H s|^2, whitened where a covariance is given;
                                with a prior plus N0 times its cost */
    clradio_span status;     /**< uint8 [vector]: clradio_detected */
    clradio_span nodes;      /**< uint32 [vector]; 0 for mmse and zf */
    clradio_span statistics; /**< one clradio_detector_statistics, overwritten */
    clradio_span launch_report; /**< uint32 [4], overwritten, with launch CHILDREN and EMULATED:
                                   units whose launch failed, units that were started, chunks of
                                   them, vectors of the failed ones (a launch behind did them) */
    double noise_variance;      /**< N0 for CLRADIO_NOISE_VARIANCE, >= 0 */
    uint64_t vectors_count;     /**< <= config.vectors; 0 is allowed */
} clradio_detector_io;
#define CLRADIO_DETECTOR_IO_INIT                                                                   \
    {                                                                                              \
        .struct_size = sizeof(clradio_detector_io)                                                 \
    }

/** The same with host arrays; NULL for what is not there. Any number of vectors: the plan cuts them
 * into calls (vectors that share a channel stay together where that is possible). Vectors that the
 * device left uncertified are finished by the host in double, unless DEVICE_ONLY. */
typedef struct clradio_detector_host_io {
    size_t struct_size;
    const float *received, *channel, *noise, *prior;
    void *symbols;
    uint8_t *bits;
    void *llr;
    float *metric;
    uint8_t *status;
    uint32_t *nodes;
    struct clradio_detector_statistics *statistics;
    double noise_variance;
    uint64_t vectors_count;
    unsigned flags;            /**< CLRADIO_DETECTOR_DEVICE_ONLY */
    uint64_t *failed_launches; /**< optional: how many units' launches failed; see launch_report */
} clradio_detector_host_io;
#define CLRADIO_DETECTOR_HOST_IO_INIT                                                              \
    {                                                                                              \
        .struct_size = sizeof(clradio_detector_host_io)                                            \
    }
enum { CLRADIO_DETECTOR_DEVICE_ONLY = 1 };

/** Bins of the histogram of nodes: one for each count below 256, then 32 an octave. */
enum { CLRADIO_DETECTOR_BINS = 1024 };

/** What a call did. Sums of several calls: clradio_detector_statistics_add. */
typedef struct clradio_detector_statistics {
    uint64_t vectors;
    uint64_t by_status[5]; /**< vectors of each clradio_detected */
    uint64_t again;      /**< searched again by the second pass (thin margins and spent budgets) */
    uint64_t thin;       /**< of these, for a margin below the rounding bound */
    uint64_t nodes;      /**< all passes together */
    uint64_t nodes_most; /**< of one vector */
    uint64_t lane_steps; /**< steps of the first pass that lanes of the device took */
    uint64_t lane_slots; /**< steps that they could have taken: 32 lanes that run together each
                            count as many as the longest of them; busy = steps / slots */
    uint64_t histogram[CLRADIO_DETECTOR_BINS]; /**< vectors by nodes */
} clradio_detector_statistics;

CLRADIO_API void clradio_detector_statistics_add(clradio_detector_statistics *sum,
                                                 const clradio_detector_statistics *more);
/** The number of nodes that a share (0.99) of the vectors did not pass: exact below 256, else the
 * upper end of a bin, at most 3.2 % too large. 0 when there are no vectors. */
CLRADIO_API uint64_t clradio_detector_percentile(const clradio_detector_statistics *statistics,
                                                 double share);

typedef struct clradio_detector_info {
    size_t struct_size;
    char variant[32];
    char parameters[256];  /**< as config.parameters takes them */
    char reason[128];      /**< which rule chose them */
    uint32_t bits;         /**< of a vector, all streams */
    uint32_t symbol_bytes; /**< of a label: 1, or 2 where an alphabet has more than 256 points */
    uint64_t batch;        /**< vectors that one set of commands takes: scratch is made for them */
    uint64_t node_budget, final_budget; /**< as chosen */
    clradio_detector_precision precision;
    uint64_t input_bytes, output_bytes; /**< of a full call: y, H and noise; symbols alone */
    uint64_t memory_bytes;              /**< device memory the plan holds */
    char launch[16];                    /**< "flat", "children" or "emulated" */
    char launch_parameters[128];        /**< empty with "flat" */
    uint32_t registers; /**< of a work-item of the kernel that searches (mmse, zf: that decides);
                           0: the driver does not say (OpenCL has no question for it) */
    uint64_t private_bytes; /**< its memory outside of registers: arrays and spills */
    uint64_t local_bytes;   /**< local memory of a work-group of that kernel */
} clradio_detector_info;
#define CLRADIO_DETECTOR_INFO_INIT                                                                 \
    {                                                                                              \
        .struct_size = sizeof(clradio_detector_info)                                               \
    }

/** Makes a plan. Errors: ARGUMENT, UNSUPPORTED, LIMIT, BUILD, SELF_TEST, DEVICE_MEMORY. */
CLRADIO_API clradio_status clradio_detector_create(clradio_device *device,
                                                   const clradio_detector_config *config,
                                                   clradio_detector **plan);
/**
 * Enqueues one call and returns at once. The wait list holds back the first command, done (may be
 * NULL) covers the last; calls of one plan are serialised on the device. Arrays that the call
 * writes must not overlap any other of its arrays (ARGUMENT when they do in one buffer object).
 */
CLRADIO_API clradio_status clradio_detector_enqueue(clradio_detector *plan, clradio_queue *queue,
                                                    const clradio_detector_io *io, size_t n_wait,
                                                    clradio_event *const *wait,
                                                    clradio_event **done);
/** Host arrays, copies and kernels overlapped; returns when the result is there. */
CLRADIO_API clradio_status clradio_detector_run(clradio_detector *plan,
                                                const clradio_detector_host_io *io);
CLRADIO_API clradio_status clradio_detector_get_info(const clradio_detector *plan,
                                                     clradio_detector_info *info);
CLRADIO_API void clradio_detector_destroy(clradio_detector *plan);

/** Bytes of a label in io.symbols; 0 when the configuration is not valid. */
CLRADIO_API uint32_t clradio_detector_symbol_bytes(const clradio_detector_config *config);
/** Bits of a vector, all streams together; ceil(log2(alphabet_size)) each for CLRADIO_ALPHABET. 0
 * when the configuration is not valid. */
CLRADIO_API uint32_t clradio_detector_bits(const clradio_detector_config *config);
/** Channel matrices that a call with that many vectors reads. */
CLRADIO_API uint64_t clradio_detector_channels(const clradio_detector_config *config,
                                               uint64_t vectors_count);

CLRADIO_END_DECLS

#endif
