/* What the files of the signal to interference and noise ratios share. */
#ifndef CLR_ENGINE_SINR_INTERNAL_H
#define CLR_ENGINE_SINR_INTERNAL_H

#include "device/device.h"
#include "device/plan.h"

#include <clradio/sinr.h>

enum { CLR_SINR_MOST = 16 }; /* antennas, streams */

/* N0 in cf32. */
#define CLR_SINR_LEAST_NOISE 1e-30
#define CLR_SINR_MOST_NOISE 1e36

struct clradio_sinr {
    clradio_device *device;
    clradio_sinr_config config;
    clr_program *program;
    clr_kernel *kernel;
    clradio_buffer *noise; /* one number of the real type */
    clradio_event *last;
    /* of a run from host arrays */
    uint64_t inner;
    clradio_buffer *bad;
    clradio_plan plan;
};

/* The last element that strides reach, plus one; 0: does not fit. */
uint64_t clr_sinr_reach(const clradio_sinr_strides *strides, uint64_t outer, uint64_t inner,
                        uint64_t receive, uint64_t streams);
/* Checks a configuration; checked has the strides that all 0 stand for, given the inner count. */
clradio_status clr_sinr_check(const clradio_sinr_config *config, uint64_t inner,
                              clradio_sinr_config *checked);

#endif
