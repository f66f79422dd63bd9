/* Compares responses with the plain reference. */
#ifndef CLR_ENGINE_DFT_CHECK_H
#define CLR_ENGINE_DFT_CHECK_H

#include "engine/dft_internal.h"

typedef struct clr_dft_verdict {
    uint64_t checked, wrong;
    double largest_error; /* |got - expected| */
    double worst;         /* the largest error over its bound */
    char sentence[256];   /* the first wrong value, or empty */
} clr_dft_verdict;

/*
 * io holds the host arrays of a call and the response that was got, of config.type. bound: |error|
 * <= bound x sqrt(taps) x the path's root-sum-square gain (for links that are normalised, divided
 * by what the link was divided by). Errors: ARGUMENT, MEMORY.
 */
clradio_status clr_dft_check(const clradio_dft_config *config, const clradio_dft_host_io *io,
                             double bound, clr_dft_verdict *verdict);

#endif
