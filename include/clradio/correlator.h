/*
 * The FX correlator: an F-engine and an X-engine on one device, spectra never leaving it. With
 * channels = 1 there is no transform: already channelised complex voltages go straight into the
 * X-engine, exactly when they are integers.
 *
 * reversed (lower sideband, negative bandwidth, even Nyquist zone): with a transform the channels
 * of each band are reversed and conjugated and the bands keep their order. Without one there is
 * nothing to reverse inside a band: the visibilities are conjugated, which is what conjugated
 * voltages give, exactly and without touching an integer, and the bands come out in reverse.
 */
#ifndef CLRADIO_CORRELATOR_H
#define CLRADIO_CORRELATOR_H

#include <clradio/fengine.h>
#include <clradio/pipeline.h>
#include <clradio/xengine.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_correlator clradio_correlator;

typedef struct clradio_correlator_config {
    size_t struct_size;
    uint32_t stations, polarisations;
    uint32_t bands;    /**< channels of the voltages */
    uint32_t channels; /**< of each band; 1: no transform (the input must then be complex) */
    uint32_t taps;
    clradio_window window;
    double kaiser_beta;
    int reversed; /**< with channels = 1: the voltages are conjugated and the bands reversed on
                     output */
    clradio_type input; /**< with a transform: as the F-engine; without: as the X-engine */
    unsigned ci4_coding;
    uint64_t spectra;    /**< the most in one call */
    clradio_type output; /**< as the X-engine */
    clradio_order order;
    uint64_t memory_limit; /**< for the whole chain, bytes; 0: no limit of ours */
    const char *variant;   /**< of the X-engine; NULL: chosen */
    const char *parameters;
    int valid; /**< with channels = 1: 1 lets calls have io.valid, for which the X-engine takes
                  scratch memory; with a transform they may in any case */
} clradio_correlator_config;
#define CLRADIO_CORRELATOR_CONFIG_INIT                                                             \
    {                                                                                              \
        sizeof(clradio_correlator_config), 1, 1, 1, 1024, 1, CLRADIO_WINDOW_RECTANGULAR, 0.0, 0,   \
            CLRADIO_CI8, 0, 1, CLRADIO_TYPE_NONE, CLRADIO_ORDER_BASELINE, 0, NULL, NULL, 0         \
    }

typedef struct clradio_correlator_io {
    size_t struct_size;
    clradio_span voltages; /**< [spectra_count P][bands][stations][polarisations] */
    clradio_span valid;    /**< optional uint8 [spectra out][stations][polarisations]: 0 leaves that
                              spectrum of that input out, whatever the samples hold; without a
                              transform with config.valid */
    clradio_span visibilities; /**< needed with CLRADIO_DUMP; channels = bands x channels */
    clradio_span overflow;     /**< optional uint32 */
    uint64_t spectra_count;
    unsigned flags; /**< CLRADIO_ACCUMULATE, CLRADIO_DUMP */
} clradio_correlator_io;
#define CLRADIO_CORRELATOR_IO_INIT                                                                 \
    {                                                                                              \
        sizeof(clradio_correlator_io), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, 0,      \
            CLRADIO_DUMP                                                                           \
    }

typedef struct clradio_correlator_info {
    size_t struct_size;
    uint32_t transform_length; /**< samples a spectrum; 1 without a transform */
    uint64_t voltages_bytes;   /**< of a full call */
    uint64_t visibilities_bytes;
    uint64_t memory_bytes;
    clradio_xengine_info xengine;
} clradio_correlator_info;
#define CLRADIO_CORRELATOR_INFO_INIT                                                               \
    {                                                                                              \
        .struct_size = sizeof(clradio_correlator_info)                                             \
    }

/**
 * Makes a plan. A call is cut into batches whose spectra fit the memory left beside the X-engine's
 * sums. Errors: ARGUMENT, UNSUPPORTED, LIMIT, BUILD, SELF_TEST, DEVICE_MEMORY.
 */
CLRADIO_API clradio_status clradio_correlator_create(clradio_device *device,
                                                     const clradio_correlator_config *config,
                                                     clradio_correlator **plan);
/** Spectra that the next call adds to the integration for that many transforms' worth of samples.
 */
CLRADIO_API uint64_t clradio_correlator_spectra_out(const clradio_correlator *plan,
                                                    uint64_t spectra_count);
/**
 * Enqueues one call and returns at once; events and queues as in the X-engine. After a call that
 * failed half-way, reset the plan.
 * Arrays that the call writes must not overlap any other of its arrays (ARGUMENT when they do in
 * one buffer object).
 */
CLRADIO_API clradio_status clradio_correlator_enqueue(clradio_correlator *plan,
                                                      clradio_queue *queue,
                                                      const clradio_correlator_io *io,
                                                      size_t n_wait, clradio_event *const *wait,
                                                      clradio_event **done);
CLRADIO_API clradio_status clradio_correlator_get_info(const clradio_correlator *plan,
                                                       clradio_correlator_info *info);
/** Forgets history and sums. */
CLRADIO_API clradio_status clradio_correlator_reset(clradio_correlator *plan);
CLRADIO_API void clradio_correlator_destroy(clradio_correlator *plan);

/** The plan as a pipeline takes it; belongs to the engine. */
CLRADIO_API clradio_plan *clradio_correlator_plan(clradio_correlator *plan);

CLRADIO_END_DECLS

#endif
