/*
 * The X-engine: visibilities V_ij = sum over spectra of x_i conj(x_j), i >= j, autocorrelations
 * included.
 *
 * Sizes are maxima; a call may use fewer spectra. Integer input is summed exactly (in int64 beyond
 * one call), the most negative value included; cf32 and cf16 input is summed in runs of at most
 * 1,024 terms that go into fp64 or a two-float pair, so that |error| <= 2e-7 sqrt(min(terms, 1024))
 * sqrt(V_ii V_jj).
 */
#ifndef CLRADIO_XENGINE_H
#define CLRADIO_XENGINE_H

#include <clradio/device.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_xengine clradio_xengine;

/**
 * Orders of the visibilities. N stations, P polarisations, channels F; a baseline (i, j), i >= j,
 * has the index B(i, j) = i(i+1)/2 + j, and there are NB = N(N+1)/2. Autocorrelations hold all P^2
 * products. "At n" is the n-th complex value of the array (parts 2n and 2n + 1), except where real
 * and imaginary parts have planes of their own: then the parts are the real numbers n and
 * values-in-all + n. Any N is taken; config.conjugate conjugates what is written here.
 */
typedef enum clradio_order {
    /** [channel][baseline][pol_i][pol_j]: x_i conj(x_j) at ((f NB + B(i, j)) P + p_i) P + p_j. */
    CLRADIO_ORDER_BASELINE = 0,
    /** [channel][baseline][pol_j][pol_i]: x_j conj(x_i) at ((f NB + B(i, j)) P + p_j) P + p_i. */
    CLRADIO_ORDER_TRANSPOSED = 1,
    /** [channel][input_a][input_b], the whole Hermitian matrix: x_a conj(x_b) at (f NP + a) NP + b,
     * input = station P + polarisation. */
    CLRADIO_ORDER_FULL = 2,
    /** xGPU's TRIANGULAR_ORDER, the same as CLRADIO_ORDER_BASELINE. */
    CLRADIO_ORDER_XGPU_TRIANGULAR = 3,
    /** xGPU's REAL_IMAG_TRIANGULAR_ORDER: as CLRADIO_ORDER_BASELINE, a plane of all real parts and
     * then a plane of all imaginary parts. */
    CLRADIO_ORDER_XGPU_REAL_IMAG = 4,
    /**
     * xGPU's REGISTER_TILE_TRIANGULAR_ORDER: pairs of stations (I, J), I >= J, I < H = ceil(N/2),
     * each a tile of 2 x 2 stations, whose four places are quadrants of the array. x_a conj(x_b)
     * with a = 2I + rx and b = 2J + ry is at ((f 4 + 2 ry + rx) H(H+1)/2 + B(I, J)) P^2 + p_a P +
     * p_b, in two planes. A place with b > a (in the tiles I = J) holds that product too; one whose
     * station is N (N odd) holds zero. For N a multiple of 16 this is xGPU's array.
     */
    CLRADIO_ORDER_XGPU_REGISTER_TILE = 5
} clradio_order;

/**
 * Orders of the input. F channels, M = N P inputs (input = station P + polarisation), S spectra in
 * the call. The array of a call has just that call's spectra: where the time is not the slowest
 * axis, the strides follow io.spectra_count, not config.spectra. "At n" counts samples.
 */
typedef enum clradio_layout {
    /** [time][channel][input]: at (t F + f) M + m. */
    CLRADIO_LAYOUT_TIME_CHANNEL_INPUT = 0,
    /** [channel][input][time]: at (f M + m) S + t. */
    CLRADIO_LAYOUT_CHANNEL_INPUT_TIME = 1,
    /**
     * [channel][time / T][input][time % T], T = config.block_times: at ((f K + t / T) M + m) T +
     * t % T with K = ceil(S / T) blocks. The last block is always whole; its times from S on may
     * hold anything. The offset of io.spectra is a multiple of T samples. With the T that 0 stands
     * for this is the order of the Tensor-Core Correlator. A ci4 sample is a byte in every layout.
     */
    CLRADIO_LAYOUT_BLOCKED = 2
} clradio_layout;

/**
 * The form of io.valid, which tells what of the input is there. One of the first two, or-ed with
 * the axes it has: [spectra / valid_times, rounded up][channel][input], the last two where named.
 * What is not valid is excluded exactly, whatever its samples hold (a NaN too), and the sums that
 * are left are counted.
 */
typedef enum clradio_valid {
    CLRADIO_VALID_NONE = 0,
    CLRADIO_VALID_BYTES = 1,      /**< a byte an entry; not 0: valid */
    CLRADIO_VALID_BITS = 2,       /**< a bit an entry; 1: valid. The last axis is packed, the lowest
                                     bit first, each of its rows in whole bytes */
    CLRADIO_VALID_PER_INPUT = 4,  /**< e.g. lost packets */
    CLRADIO_VALID_PER_CHANNEL = 8 /**< e.g. interference */
} clradio_valid;

enum {
    CLRADIO_XENGINE_SINGLE_CALL =
        1 /**< each call is a whole integration: no accumulators are allocated */
};

typedef struct clradio_xengine_config {
    size_t struct_size;
    uint32_t stations;      /**< >= 1 */
    uint32_t polarisations; /**< 1 or 2 */
    uint32_t channels;      /**< >= 1 */
    uint64_t spectra;       /**< the most in one call, >= 1 */
    clradio_type input;     /**< CLRADIO_CI4, CI8, CI16, CF16 or CF32 */
    unsigned ci4_coding;    /**< clradio_ci4_coding, for CI4 */
    clradio_layout layout;
    uint32_t block_times; /**< T of CLRADIO_LAYOUT_BLOCKED, 1 to 65536; 0: 16 bytes of parts, which
                             are 32 samples of ci4, 16 of ci8, 8 of ci16 and cf16, 4 of cf32 */
    clradio_type output;  /**< CI32, CI64, CF32, CF64; NONE: CI64 for integer input, else CF32 */
    clradio_order order;
    int conjugate;          /**< 1: the conjugate of what the order says */
    unsigned flags;         /**< CLRADIO_XENGINE_SINGLE_CALL */
    unsigned valid;         /**< clradio_valid: the form of io.valid, which calls may then have */
    uint32_t valid_times;   /**< spectra that an entry of io.valid covers; 0: 1 */
    uint64_t memory_limit;  /**< device memory that the plan may hold, bytes; 0: no limit of ours */
    const char *variant;    /**< "tile", "blas"; NULL: chosen */
    const char *parameters; /**< "W=16 Dx=2 SPLIT_T=4"; NULL: chosen */
} clradio_xengine_config;
#define CLRADIO_XENGINE_CONFIG_INIT                                                                \
    {                                                                                              \
        sizeof(clradio_xengine_config), 1, 1, 1, 1, CLRADIO_CI8, 0,                                \
            CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 0, CLRADIO_TYPE_NONE, CLRADIO_ORDER_BASELINE, 0, 0, \
            0, 0, 0, NULL, NULL                                                                    \
    }

enum {
    CLRADIO_ACCUMULATE =
        1, /**< add to what earlier calls summed; without it a call starts a new integration */
    CLRADIO_DUMP =
        2 /**< write the visibilities at the end of the call; without it they stay in the plan */
};

typedef struct clradio_xengine_io {
    size_t struct_size;
    clradio_span spectra;      /**< spectra_count spectra of config.input, in config.layout */
    clradio_span visibilities; /**< in config.order, of config.output; needed with CLRADIO_DUMP */
    clradio_span overflow; /**< optional: one uint32, to which the number of complex values that did
                              not fit the output type is added; such a part is written as the
                              nearest value that fits */
    uint64_t spectra_count; /**< <= config.spectra; 0 is allowed (with ACCUMULATE a dump of what is
                               there, else zeros) */
    unsigned flags;
    uint64_t integration_spectra; /**< 0: the call is (part of) one integration. Else it holds
                                     several, each of that many spectra but the last, which may be
                                     shorter: every output array has one part after another for
                                     each. Needs CLRADIO_DUMP; ACCUMULATE is for the first. With
                                     CLRADIO_LAYOUT_BLOCKED a multiple of block_times */
    clradio_span valid;  /**< optional, in the form of config.valid; without it all is valid */
    clradio_span counts; /**< optional, with config.valid and CLRADIO_DUMP: uint64, of each complex
                            value of the visibilities (in their order) the number of spectra that
                            were summed: those where both inputs were valid */
    clradio_span input_counts; /**< optional, likewise: uint64 [channel][input], valid samples */
} clradio_xengine_io;
#define CLRADIO_XENGINE_IO_INIT                                                                    \
    {                                                                                              \
        sizeof(clradio_xengine_io), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, 0, CLRADIO_DUMP, 0,     \
            { NULL, 0 }, { NULL, 0 },                                                              \
        {                                                                                          \
            NULL, 0                                                                                \
        }                                                                                          \
    }

/** The same with host arrays. */
typedef struct clradio_xengine_host_io {
    size_t struct_size;
    const void *spectra; /**< in config.layout, whose strides follow this spectra_count */
    void *visibilities;
    uint64_t spectra_count; /**< any number: the plan cuts it into calls */
    unsigned flags;
    uint64_t integration_spectra; /**< as in clradio_xengine_io; any number */
    const void *valid;
    uint64_t *counts, *input_counts; /**< as in clradio_xengine_io; may be NULL */
} clradio_xengine_host_io;
#define CLRADIO_XENGINE_HOST_IO_INIT                                                               \
    {                                                                                              \
        sizeof(clradio_xengine_host_io), NULL, NULL, 0, CLRADIO_DUMP, 0, NULL, NULL, NULL          \
    }

typedef struct clradio_xengine_info {
    size_t struct_size;
    char variant[32];
    char parameters[256]; /**< as config.parameters takes them */
    char reason[128];     /**< which rule chose them */
    char unit[16];        /**< arithmetic that decides the speed: "fp32", "int32", "dot4",
                             "mma-int8", "mma-fp16" */
    uint64_t operations;  /**< useful operations of a full call: 8 a complex multiply-accumulate */
    uint64_t input_bytes; /**< of a full call, the last block's padding included */
    uint64_t visibilities_bytes;
    uint64_t visibilities_count; /**< complex values a dump writes */
    uint64_t memory_bytes;       /**< device memory the plan holds */
    uint64_t valid_bytes;        /**< of io.valid of a full call */
    clradio_type output;         /**< what NONE became */
    uint32_t block_times;        /**< T of CLRADIO_LAYOUT_BLOCKED; 0 in the other layouts */
    uint32_t registers;          /**< of a work-item of the kernel that sums; 0: the driver does not
                                    say (OpenCL has no question for it) */
    uint64_t private_bytes;      /**< memory outside of the registers of a work-item of that kernel:
                                    arrays and spills, as its compiler reports them */
    uint64_t local_bytes;        /**< local memory of a work-group of that kernel */
} clradio_xengine_info;
#define CLRADIO_XENGINE_INFO_INIT                                                                  \
    {                                                                                              \
        .struct_size = sizeof(clradio_xengine_info)                                                \
    }

/**
 * Makes a plan. Errors: ARGUMENT, UNSUPPORTED, LIMIT (memory_limit or the device is too small),
 * BUILD, SELF_TEST, DEVICE_MEMORY.
 */
CLRADIO_API clradio_status clradio_xengine_create(clradio_device *device,
                                                  const clradio_xengine_config *config,
                                                  clradio_xengine **plan);
/**
 * Enqueues one call and returns at once. The wait list holds back the first command, done (may be
 * NULL) covers the last. queue may be in-order or out-of-order; calls of one plan are serialised on
 * the device in the order of enqueueing.
 * Arrays that the call writes must not overlap any other of its arrays (ARGUMENT when they do in
 * one buffer object).
 */
CLRADIO_API clradio_status clradio_xengine_enqueue(clradio_xengine *plan, clradio_queue *queue,
                                                   const clradio_xengine_io *io, size_t n_wait,
                                                   clradio_event *const *wait,
                                                   clradio_event **done);
/** Host arrays through a pipeline; returns when the result is there. OVERFLOW when a value did not
 * fit the output type. */
CLRADIO_API clradio_status clradio_xengine_run(clradio_xengine *plan,
                                               const clradio_xengine_host_io *io);
CLRADIO_API clradio_status clradio_xengine_get_info(const clradio_xengine *plan,
                                                    clradio_xengine_info *info);
/** Forgets what was accumulated. */
CLRADIO_API clradio_status clradio_xengine_reset(clradio_xengine *plan);
CLRADIO_API void clradio_xengine_destroy(clradio_xengine *plan);

/** Bytes of the visibilities of a configuration; 0 when it is not valid or does not fit 64 bits. */
CLRADIO_API uint64_t clradio_xengine_visibilities_bytes(const clradio_xengine_config *config);
/** Bytes of io.valid for that many spectra; 0 when the configuration is not valid, takes no such
 * array, or the bytes do not fit 64 bits. */
CLRADIO_API uint64_t clradio_xengine_valid_bytes(const clradio_xengine_config *config,
                                                 uint64_t spectra_count);
/** Bytes of an array of that many spectra (any number) in the configuration's type and layout; 0
 * when the configuration is not valid or the bytes do not fit 64 bits. */
CLRADIO_API uint64_t clradio_xengine_spectra_bytes(const clradio_xengine_config *config,
                                                   uint64_t spectra_count);

CLRADIO_END_DECLS

#endif
