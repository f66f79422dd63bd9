/*
 * The channel DFT: from the taps of every antenna pair to its frequency response,
 *
 *     H[k] = sum over taps n of  a_n exp(-2 pi i f_k tau_n),
 *
 * for beams -> links -> paths. A beam is one receiver with all its transmitters; a link is one
 * transmitter to one receiver, with p x q paths (antenna pairs, path = transmit antenna x q +
 * receive antenna or any other order of the caller's) and a number of taps of its own. It is a sum
 * over taps, not a fast transform of samples: delays and frequencies are arbitrary. The product
 * f_k tau_n is reduced exactly, in integers, on every device.
 *
 * Error: |error| <= 2e-7 sqrt(taps) x the root-sum-square gain of the path for cf32, 1e-15
 * sqrt(taps) x that for cf64, of the double reference; for cf32 up to 2.7e-7 where the taps of a
 * path are alike in size and phase, and slowly more beyond 128 of such taps (doc/dft.md, Error),
 * which is what info.error_bound says.
 */
#ifndef CLRADIO_DFT_H
#define CLRADIO_DFT_H

#include <clradio/device.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_dft clradio_dft;
typedef struct clradio_dft_layout clradio_dft_layout;

/** What a delay is. */
typedef enum clradio_delay {
    CLRADIO_DELAY_SECONDS = 0,    /**< double, seconds */
    CLRADIO_DELAY_SAMPLES = 1,    /**< int32, in units of config.sample_period_s */
    CLRADIO_DELAY_CONSECUTIVE = 2 /**< there is no array: tap n lies at n sample periods */
} clradio_delay;

/** To what an array with one value a tap belongs. */
typedef enum clradio_per {
    CLRADIO_PER_NONE = 0, /**< there is no such array */
    CLRADIO_PER_LINK = 1, /**< link -> [tap] */
    CLRADIO_PER_PATH = 2  /**< link -> [path][tap] */
} clradio_per;

/** Where the subcarriers of a uniform grid lie, relative to the carrier; k = 0 .. subcarriers - 1.
 */
typedef enum clradio_origin {
    CLRADIO_ORIGIN_CENTRE = 0, /**< f_k = (k - floor(subcarriers / 2)) spacing_hz */
    CLRADIO_ORIGIN_FIRST = 1,  /**< f_k = first_hz + k spacing_hz */
    CLRADIO_ORIGIN_ZERO = 2    /**< f_k = k spacing_hz */
} clradio_origin;

typedef enum clradio_normalisation {
    CLRADIO_NORMALISE_NONE = 0,
    /** every value times 1 / sqrt(subcarriers) */
    CLRADIO_NORMALISE_SUBCARRIERS = 1,
    /** each link scaled so that its mean |H|^2 over paths, values (subcarriers, or the means over
     * `average` of them) and time steps of the call is 1; a link of zeros stays zero */
    CLRADIO_NORMALISE_LINK = 2
} clradio_normalisation;

/** The order of a link's values. Links follow each other, so that a link's values begin at
 * (paths of the links before it) x values. */
typedef enum clradio_dft_order {
    CLRADIO_DFT_PATH_SUBCARRIER = 0, /**< link -> [path][value] */
    CLRADIO_DFT_SUBCARRIER_PATH = 1  /**< link -> [value][path]: a matrix for each frequency */
} clradio_dft_order;

/** How the links of a call reach the device; a unit is some links of a beam (doc/dft.md). */
typedef clradio_launch clradio_dft_launch;

typedef struct clradio_dft_config {
    size_t struct_size;
    clradio_type type; /**< CF32 or CF64: of gains and response */
    clradio_delay delay;
    clradio_per delays; /**< PER_LINK or PER_PATH; ignored with CLRADIO_DELAY_CONSECUTIVE */
    /** Doppler: PER_LINK or PER_PATH: each tap turns by rate (double, Hz): at time step t the gain
     * is a exp(+2 pi i rate t time_step_s), and there is one set of gains. PER_NONE: every time
     * step has gains of its own. */
    clradio_per rates;
    double time_step_s;
    double sample_period_s; /**< > 0 unless delays are in seconds */
    int absent_negative;    /**< 1: a negative delay marks a tap that is not there; 0: delays may be
                               negative */
    uint32_t subcarriers;   /**< 1 to 2^21 */
    clradio_origin origin;
    double spacing_hz, first_hz; /**< first_hz with CLRADIO_ORIGIN_FIRST */
    const double
        *frequencies_hz; /**< NULL, or `subcarriers` frequencies instead of a grid; copied */
    double carrier_hz;   /**< added to every frequency: 0 for the response at baseband */
    /** > 1: the mean over blocks of that many neighbours of a uniform grid (12: a resource block);
     * must divide subcarriers. The response then has subcarriers / average values a path. */
    uint32_t average;
    clradio_dft_order order;
    clradio_normalisation normalisation;
    uint32_t
        taps; /**< about the most taps of a link, for the choice of variant; any number works */
    /** device memory that clradio_dft_run may hold, bytes; 0: no limit. What a run takes, and the
     * pinned host memory beside it, is kept for the next run of the same sizes, until the plan
     * goes or a run needs other. */
    uint64_t memory_limit;
    const char *variant;       /**< "direct", "recurrence", "pruned", "gemm", "bf16x6", "dmma"; by
                                 name alone "blas", "fft"; NULL: chosen */
    const char *parameters;    /**< "HALF=16"; NULL: chosen */
    clradio_dft_launch launch; /**< other than FLAT: not with the variants blas and fft */
    /** NULL: "LINKS=1 PENDING=1024 WALKERS=128 TAIL=1 FORGET=1 FAIL=0 REFUSE=0" but for what is
     * named: links of a unit (0: a whole beam), units that wait on the device at most (1 to 2000),
     * work-items that start them; doc/dft.md has the rest. */
    const char *launch_parameters;
} clradio_dft_config;
#define CLRADIO_DFT_CONFIG_INIT                                                                    \
    {                                                                                              \
        .struct_size = sizeof(clradio_dft_config), .type = CLRADIO_CF32,                           \
        .delay = CLRADIO_DELAY_SECONDS, .delays = CLRADIO_PER_LINK, .subcarriers = 1,              \
        .spacing_hz = 15e3, .average = 1, .taps = 24                                               \
    }

/**
 * How many links a beam has, paths and taps a link. Each of the offset arrays may be NULL: then the
 * number beside it holds for all. Offsets start at 0 and never fall; equal neighbours are an empty
 * beam or link. Paths of a link are numbered on after those of the links before it.
 */
typedef struct clradio_dft_sizes {
    size_t struct_size;
    uint64_t beams;
    const uint64_t
        *beam_links; /**< [beams + 1]: beam b has the links beam_links[b] .. [b + 1] - 1 */
    const uint64_t *link_paths; /**< [links + 1] */
    const uint64_t *link_taps;  /**< [links + 1] */
    uint64_t links_per_beam, paths_per_link, taps_per_link;
} clradio_dft_sizes;
#define CLRADIO_DFT_SIZES_INIT                                                                     \
    {                                                                                              \
        .struct_size = sizeof(clradio_dft_sizes), .links_per_beam = 1, .paths_per_link = 1,        \
        .taps_per_link = 1                                                                         \
    }

/** What follows from sizes; counts of elements, of one time step. */
typedef struct clradio_dft_counts {
    size_t struct_size;
    uint64_t beams, links, paths;
    uint64_t taps;      /**< of all links: elements of an array PER_LINK */
    uint64_t gains;     /**< paths x taps, summed over links: elements of an array PER_PATH */
    uint64_t most_taps; /**< of a link */
    uint64_t response;  /**< paths x values */
} clradio_dft_counts;
#define CLRADIO_DFT_COUNTS_INIT                                                                    \
    {                                                                                              \
        .struct_size = sizeof(clradio_dft_counts)                                                  \
    }

/** Device arrays of a call; those of a layout, whole. */
typedef struct clradio_dft_io {
    size_t struct_size;
    const clradio_dft_layout *layout;
    uint64_t time_steps;   /**< >= 1 */
    clradio_span gains;    /**< config.type, [time, or 1 with rates] link -> [path][tap] */
    clradio_span delays;   /**< as config.delay and config.delays say; none when CONSECUTIVE */
    clradio_span rates;    /**< double, Hz, as config.rates says */
    clradio_span response; /**< config.type, [time] link -> in config.order */
    /** optional: uint32 [path]; 1 where a gain, delay or rate is not finite at some time step: the
     * path's response at that time step is zero, others do not feel it; else 0 */
    clradio_span status;
    clradio_span bad_paths; /**< optional: one uint32, to which the number of such paths is added */
    /** optional, with CLRADIO_LAUNCH_CHILDREN and EMULATED: uint32 [3 + links of the layout]: units
     * whose launch failed, units that were started, chunks of them; then the first link of each
     * failed unit, in any order. A failed unit's response is right none the less. */
    clradio_span launch_report;
} clradio_dft_io;
#define CLRADIO_DFT_IO_INIT                                                                        \
    {                                                                                              \
        .struct_size = sizeof(clradio_dft_io), .time_steps = 1                                     \
    }

/** A finished batch of whole beams. */
typedef struct clradio_dft_batch {
    uint64_t first_beam, beams, first_link, links, first_path, paths;
    const void *response; /**< [time] link -> in config.order, of the batch's links alone; valid in
                             the call only */
    uint64_t response_bytes;
    const uint32_t *status; /**< [path of the batch] */
} clradio_dft_batch;

/** Host arrays. */
typedef struct clradio_dft_host_io {
    size_t struct_size;
    const clradio_dft_sizes *sizes;
    uint64_t time_steps;
    const void *gains;
    const void *delays;
    const double *rates;
    void *response;      /**< may be NULL when `finished` is there */
    uint32_t *status;    /**< optional, [path] */
    uint64_t *bad_paths; /**< optional: how many paths had input that is not finite */
    /** optional: called for each batch in order, while later ones are computed; anything but 0 ends
     * the run with INTERRUPTED. */
    int (*finished)(void *user, const clradio_dft_batch *batch);
    void *user;
    uint64_t batch_beams; /**< beams of a batch; 0: chosen, from memory_limit among others */
    unsigned streams;     /**< batches in flight, 1 to 32; 0: chosen */
    /** 1: CUDA: each stream records the commands of its first batch and replays them for those of
     * the same sizes (CUDA graphs). UNSUPPORTED elsewhere, for the variants blas and fft, and where
     * the device starts the links. */
    int replay;
    uint64_t *failed_launches; /**< optional: how many units' launches failed; see launch_report */
} clradio_dft_host_io;
#define CLRADIO_DFT_HOST_IO_INIT                                                                   \
    {                                                                                              \
        .struct_size = sizeof(clradio_dft_host_io), .time_steps = 1                                \
    }

typedef struct clradio_dft_info {
    size_t struct_size;
    char variant[32];
    char parameters[256];
    char reason[128];      /**< which rule chose them */
    uint64_t values;       /**< a path: subcarriers / average */
    uint64_t memory_bytes; /**< device memory that the plan itself holds */
    double error_bound;    /**< |error| <= this sqrt(taps) x root-sum-square gain, of links of up
                              to config.taps taps */
    char launch[16];       /**< "flat", "host", "children" or "emulated" */
    char launch_parameters[128]; /**< empty with "flat" */
    uint32_t registers;          /**< of a work-item of the variant's kernel; 0: the driver does not
                                    say (OpenCL has no question for it), or a library's kernel */
    uint64_t private_bytes;      /**< its memory outside of registers: arrays and spills */
    uint64_t local_bytes;        /**< local memory of a work-group of that kernel */
} clradio_dft_info;
#define CLRADIO_DFT_INFO_INIT                                                                      \
    {                                                                                              \
        .struct_size = sizeof(clradio_dft_info)                                                    \
    }

/**
 * Makes a plan: checks the configuration, chooses a variant, builds and tests it. Errors: ARGUMENT,
 * UNSUPPORTED (cf64 on a device without it; a variant that cannot serve the configuration), BUILD,
 * SELF_TEST, DEVICE_MEMORY.
 */
CLRADIO_API clradio_status clradio_dft_create(clradio_device *device,
                                              const clradio_dft_config *config, clradio_dft **plan);
/** Checks sizes and counts them. config gives the values a path. Errors: ARGUMENT (an offset array
 * that falls; what does not fit 64 bits). */
CLRADIO_API clradio_status clradio_dft_count(const clradio_dft_config *config,
                                             const clradio_dft_sizes *sizes,
                                             clradio_dft_counts *counts);
/**
 * Sizes on the device, ready for calls: made once, used for as many calls as they hold for. Must
 * go before its plan. The arrays of `sizes` are copied. Errors: ARGUMENT, LIMIT, DEVICE_MEMORY.
 */
CLRADIO_API clradio_status clradio_dft_layout_create(clradio_dft *plan,
                                                     const clradio_dft_sizes *sizes,
                                                     clradio_dft_layout **layout);
CLRADIO_API void clradio_dft_layout_destroy(clradio_dft_layout *layout);

/**
 * Enqueues one call and returns at once. The wait list holds back the first command, done (may be
 * NULL) covers the last; calls of one plan are serialised on the device in the order of enqueueing.
 * Arrays that the call writes must not overlap any other of its arrays.
 */
CLRADIO_API clradio_status clradio_dft_enqueue(clradio_dft *plan, clradio_queue *queue,
                                               const clradio_dft_io *io, size_t n_wait,
                                               clradio_event *const *wait, clradio_event **done);
/**
 * Host arrays, in batches of whole beams: copies in, kernels, copies out and the caller's own work
 * overlap. Device memory stays below config.memory_limit; the result does not depend on the
 * batches. LIMIT when one beam does not fit.
 */
CLRADIO_API clradio_status clradio_dft_run(clradio_dft *plan, const clradio_dft_host_io *io);
CLRADIO_API clradio_status clradio_dft_get_info(const clradio_dft *plan, clradio_dft_info *info);
CLRADIO_API void clradio_dft_destroy(clradio_dft *plan);

/** The frequency of a subcarrier, Hz, carrier_hz included (not that of a block's mean). */
CLRADIO_API double clradio_dft_frequency(const clradio_dft_config *config, uint32_t subcarrier);
/**
 * The same in plain C in double precision on the processor: what the device is compared with. gains
 * are of config.type; response is cf64 always. Takes io's arrays, sizes, time_steps, status and
 * bad_paths; no batches. Errors: ARGUMENT, MEMORY.
 */
CLRADIO_API clradio_status clradio_dft_reference(const clradio_dft_config *config,
                                                 const clradio_dft_host_io *io);

CLRADIO_END_DECLS

#endif
