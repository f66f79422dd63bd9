/* The one BLAS routine that the X-engine's variant blas uses, on a device. */
#ifndef CLR_ENGINE_XENGINE_BLAS_H
#define CLR_ENGINE_XENGINE_BLAS_H

#include "device/device.h"

/* CLRADIO_OK, or UNSUPPORTED with a sentence that names the library that is missing. */
clradio_status clr_blas_available(void);

/*
 * Enqueues product = A A^H, the lower triangle in column-major order, A being n x k, column-major,
 * its first element `first` complex numbers behind the span, columns `leading` apart.
 */
clradio_status clr_blas_cherk(clr_chain *chain, uint64_t n, uint64_t k, clradio_span a,
                              uint64_t first, uint64_t leading, clradio_buffer *product);

#endif
