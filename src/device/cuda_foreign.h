/*
 * Another CUDA library's work in a chain (cuFFT, cuBLAS): its stream, addresses, and the event
 * behind it. The engines' *_cuda.c files use this; it names no CUDA type.
 */
#ifndef CLR_DEVICE_CUDA_FOREIGN_H
#define CLR_DEVICE_CUDA_FOREIGN_H

#include "device/device.h"

/*
 * Enters the device's context, and makes the chain's stream wait for what the chain waits for.
 * *stream is the CUstream. Call end in any case when this succeeded.
 */
clradio_status clr_cuda_foreign_begin(clr_chain *chain, void **stream);
/* Leaves the context; when status is OK, what was put in the stream becomes the chain's last
 * command. Returns status, or a failure of its own. */
clradio_status clr_cuda_foreign_end(clr_chain *chain, clradio_status status);

/* The device address of a buffer as the libraries take it; NULL for a buffer of another back end.
 */
void *clr_cuda_address(const clradio_buffer *buffer);

/* Runs with the device's context current, for creating a library's plans. */
clradio_status clr_cuda_make_current(clradio_device *device);
void clr_cuda_make_uncurrent(clradio_device *device);

#endif
