/*
 * What the files of the F-engine share: the sizes that follow from a configuration, the plan, and
 * the Fourier transform behind it. Only src/engine/fengine*.c and correlator*.c include this.
 */
#ifndef CLR_ENGINE_FENGINE_H
#define CLR_ENGINE_FENGINE_H

#include "device/device.h"

#include <clradio/fengine.h>

/* ---- sizes ------------------------------------------------------------------------------------
 */

typedef struct clr_fengine_sizes {
    int real;                /* real voltages: two samples a channel */
    uint32_t length;         /* P, samples of a transform */
    uint32_t ring;           /* blocks of P samples kept from earlier calls: taps - 1 */
    uint64_t inputs;         /* stations x polarisations */
    uint64_t signals;        /* bands x inputs: streams transformed side by side */
    uint64_t element_bytes;  /* of one voltage */
    uint64_t block_bytes;    /* P samples of all signals as they come in */
    uint64_t spectrum_bytes; /* one spectrum of all signals as it goes out */
    uint64_t voltages_bytes, spectra_bytes; /* of a full call */
} clr_fengine_sizes;

/* Checks a configuration and derives its sizes. Errors: ARGUMENT, UNSUPPORTED. */
clradio_status clr_fengine_sizes_of(const clradio_fengine_config *config, clr_fengine_sizes *sizes);

/* ---- the Fourier transform (fengine_fft.c) ------------------------------------------------------
 */

/* `batch` forward complex transforms of one length, in place, one after another in a buffer. */
typedef struct clr_fft clr_fft;

/* Name and version of the library that serves the device, "none" when there is none. */
const char *clr_fft_library_name(const clradio_device *device);
/* UNSUPPORTED with a sentence that names the lengths that are taken. */
clradio_status clr_fft_check_length(const clradio_device *device, uint32_t length);
/* queue: any queue of the device, used while building only. */
clradio_status clr_fft_create(clradio_device *device, clradio_queue *queue, uint32_t length,
                              uint64_t batch, clr_fft **fft);
/* Bytes of a second buffer that the transform needs; often 0. */
uint64_t clr_fft_temporary_bytes(const clr_fft *fft);
/* Adds the transform to a chain. temporary: NULL when none is needed. */
clradio_status clr_fft_enqueue(clr_fft *fft, clr_chain *chain, clradio_buffer *data,
                               clradio_buffer *temporary);
void clr_fft_destroy(clr_fft *fft);

/* ---- the plan ---------------------------------------------------------------------------------
 */

enum { CLR_FENGINE_RUNGS = 24, CLR_FENGINE_GROUP = 256 };

/*
 * A call is done in pieces of `spectra` spectra of `signals` signals. A transform is built for a
 * fixed number of pieces, so there are several sizes, each a quarter of the one before; the last
 * piece of a call overlaps the one before it rather than transform what nobody wrote.
 */
typedef struct clr_fengine_rung {
    uint64_t spectra;
    clr_fft *fft; /* NULL when channels = 1: nothing to transform */
} clr_fengine_rung;

struct clradio_fengine {
    clradio_device *device;
    clradio_fengine_config config;
    clr_fengine_sizes sizes;
    clr_program *pfb_program, *order_program;
    clr_kernel *pfb, *order;
    clr_fengine_rung rungs[CLR_FENGINE_RUNGS];
    unsigned rung_count;
    uint64_t piece_signals; /* signals of a piece; all of them unless one spectrum is too large */
    clradio_buffer *prototype, *twiddles, *history, *work, *temporary;
    uint64_t work_bytes, temporary_bytes, memory_bytes;
    uint32_t ring_start, ring_count; /* where the oldest kept block is, and how many there are */
    clradio_event *last;             /* of the previous call */
};

/* The program macros of an input type. Returns how many. */
size_t clr_fengine_macros(clradio_type input, clr_macro macros[2]);
/* log2 of the signals along a tile's edge: as many as there are, up to 32. */
uint32_t clr_fengine_tile_log2(uint64_t signals);
/* Chooses the pieces under the limits and builds the transforms. queue: any of the device. */
clradio_status clr_fengine_choose_pieces(clradio_fengine *plan, clradio_queue *queue);
/* Allocates everything that the plan works in. */
clradio_status clr_fengine_allocate(clradio_fengine *plan);
/* tested: whether a self-test comes before the memory is taken. */
clradio_status clr_fengine_make(clradio_device *device, const clradio_fengine_config *config,
                                int tested, clradio_fengine **plan);
/* Compares a small plan like this one with the double reference, once per device. */
clradio_status clr_fengine_self_test(const clradio_fengine *plan, clradio_queue *queue);
/* Bytes that a plan holds whatever its pieces are: history, prototype, twiddles. */
uint64_t clr_fengine_fixed_bytes(const clradio_fengine_config *config,
                                 const clr_fengine_sizes *sizes);

#endif
