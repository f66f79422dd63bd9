/*
 * The F-engine: voltages to spectra by a polyphase filter bank and a Fourier transform.
 *
 * Transform length P = channels for complex voltages, 2 channels for real ones (Nyquist dropped).
 * The prototype filter is sinc(x/P) times a window over taps P points with sum h^2 = 1; taps = 1
 * with a rectangular window is the plain transform (scaled by 1/sqrt(P)). Sinc and window are
 * sampled at the middles of the points, (i + 1/2)/(taps P) of their length. Channels come out in
 * order of rising sky frequency: complex voltages put their zero frequency at channel floor(P/2),
 * real ones at channel 0. A reversed sideband reverses the channels of a band and conjugates.
 */
#ifndef CLRADIO_FENGINE_H
#define CLRADIO_FENGINE_H

#include <clradio/device.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_fengine clradio_fengine;

typedef enum clradio_window {
    CLRADIO_WINDOW_RECTANGULAR = 0,
    CLRADIO_WINDOW_HANN = 1,
    CLRADIO_WINDOW_HAMMING = 2,
    CLRADIO_WINDOW_BLACKMAN = 3,
    CLRADIO_WINDOW_KAISER = 4
} clradio_window;

typedef struct clradio_fengine_config {
    size_t struct_size;
    uint32_t stations;      /**< >= 1 */
    uint32_t polarisations; /**< 1 or 2 */
    uint32_t
        bands; /**< channels that the voltages already have, each transformed by itself; >= 1 */
    uint32_t channels; /**< N of each band, any length that the FFT library takes; >= 1 */
    uint32_t taps;     /**< >= 1 */
    clradio_window window;
    double kaiser_beta; /**< for CLRADIO_WINDOW_KAISER; 0 means 8.6 */
    int reversed;       /**< 1: lower sideband, negative bandwidth, or an even Nyquist zone */
    clradio_type
        input; /**< I8, I16, F32 (real); CI8, CI16, CF32 (complex); [time][band][station][pol] */
    uint64_t
        spectra; /**< the most spectra in one call, >= 1: a call takes up to spectra P samples */
    uint64_t memory_limit; /**< bytes; 0: no limit of ours */
} clradio_fengine_config;
#define CLRADIO_FENGINE_CONFIG_INIT                                                                \
    {                                                                                              \
        sizeof(clradio_fengine_config), 1, 1, 1, 1024, 1, CLRADIO_WINDOW_RECTANGULAR, 0.0, 0,      \
            CLRADIO_CI8, 1, 0                                                                      \
    }

typedef struct clradio_fengine_io {
    size_t struct_size;
    clradio_span voltages; /**< [spectra_count P][bands][stations][polarisations] of config.input */
    clradio_span valid;    /**< optional uint8 [spectra out][stations][polarisations]: 0 makes that
                              spectrum exactly zero */
    clradio_span spectra;  /**< cf32 [spectra out][bands channels][stations][polarisations] */
    uint64_t spectra_count; /**< transforms' worth of new samples in this call */
} clradio_fengine_io;
#define CLRADIO_FENGINE_IO_INIT                                                                    \
    {                                                                                              \
        sizeof(clradio_fengine_io), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, 0                       \
    }

typedef struct clradio_fengine_info {
    size_t struct_size;
    uint32_t transform_length; /**< P */
    uint64_t history_spectra;  /**< whole transforms' worth of samples kept from earlier calls, <=
                                  taps - 1 */
    uint64_t voltages_bytes;   /**< of a full call */
    uint64_t spectra_bytes;    /**< of a full call */
    uint64_t memory_bytes;
    char library[64]; /**< the FFT library and version */
} clradio_fengine_info;
#define CLRADIO_FENGINE_INFO_INIT                                                                  \
    {                                                                                              \
        .struct_size = sizeof(clradio_fengine_info)                                                \
    }

/** Errors: ARGUMENT, UNSUPPORTED (no FFT library, or a length that it does not take), LIMIT, BUILD,
 * DEVICE_MEMORY. */
CLRADIO_API clradio_status clradio_fengine_create(clradio_device *device,
                                                  const clradio_fengine_config *config,
                                                  clradio_fengine **plan);
/** How many spectra the next call gives for that many transforms' worth of samples: fewer while the
 * history fills. */
CLRADIO_API uint64_t clradio_fengine_spectra_out(const clradio_fengine *plan,
                                                 uint64_t spectra_count);
/**
 * Enqueues one call and returns at once. The wait list holds back the first command, done (may be
 * NULL) covers the last; calls of one plan are serialised on the device in the order of enqueueing.
 * After a call that failed half-way, reset the plan.
 * Arrays that the call writes must not overlap any other of its arrays (ARGUMENT when they do in
 * one buffer object).
 */
CLRADIO_API clradio_status clradio_fengine_enqueue(clradio_fengine *plan, clradio_queue *queue,
                                                   const clradio_fengine_io *io, size_t n_wait,
                                                   clradio_event *const *wait,
                                                   clradio_event **done);
CLRADIO_API clradio_status clradio_fengine_get_info(const clradio_fengine *plan,
                                                    clradio_fengine_info *info);
/** Forgets the history: the next sample is the first. */
CLRADIO_API clradio_status clradio_fengine_reset(clradio_fengine *plan);
CLRADIO_API void clradio_fengine_destroy(clradio_fengine *plan);

/**
 * The frequency of an output channel of a band relative to the band's reference, in units of the
 * sample rate. The reference is the band's centre for complex voltages and its zero-frequency edge
 * for real ones; reversed bands included.
 */
CLRADIO_API double clradio_fengine_channel_offset(const clradio_fengine_config *config,
                                                  uint32_t channel);
/** The prototype filter: writes taps P coefficients (double). */
CLRADIO_API clradio_status clradio_fengine_prototype(const clradio_fengine_config *config,
                                                     double *coefficients);

CLRADIO_END_DECLS

#endif
