/*
 * What a library for Fourier transforms gives the F-engine; one table a library. fengine_fft.c
 * chooses by the device's back end.
 */
#ifndef CLR_ENGINE_FENGINE_FFT_H
#define CLR_ENGINE_FENGINE_FFT_H

#include "device/device.h"

/* A transform of a library: its own structure begins with this. */
typedef struct clr_fft clr_fft;

typedef struct clr_fft_library {
    const char *back_end;      /* "opencl", "cuda" */
    const char *(*name)(void); /* and version; "none" when it is not there */
    clradio_status (*check_length)(uint32_t length);
    clradio_status (*create)(clradio_device *device, clradio_queue *queue, uint32_t length,
                             uint64_t batch, clr_fft **fft);
    uint64_t (*temporary_bytes)(const clr_fft *fft);
    clradio_status (*enqueue)(clr_fft *fft, clr_chain *chain, clradio_buffer *data,
                              clradio_buffer *temporary);
    void (*destroy)(clr_fft *fft);
} clr_fft_library;

struct clr_fft {
    const clr_fft_library *library;
};

extern const clr_fft_library clr_fft_clfft; /* fengine_clfft_opencl.c */
extern const clr_fft_library clr_fft_cufft; /* fengine_cufft_cuda.c */
extern const clr_fft_library clr_fft_vkfft; /* fengine_vkfft_opencl.c, with HAVE_VKFFT */

#endif
