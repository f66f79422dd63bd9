/* What the pipeline needs to know of an engine: how much goes in and out, and how to enqueue one
 * call. */
#ifndef CLR_DEVICE_PLAN_H
#define CLR_DEVICE_PLAN_H

#include "device/device.h"

/* One call as the pipeline makes it. */
typedef struct clr_plan_call {
    clradio_span input, valid, output, overflow; /* valid.buffer is NULL when there is none */
    uint64_t count;
    unsigned flags;
} clr_plan_call;

typedef struct clradio_plan {
    clradio_device *device;
    void *engine;
    uint64_t input_bytes, valid_bytes, output_bytes; /* the most of one call */
    /* Bytes of the input for a count (<= input_bytes), ARGUMENT when count is too large. */
    clradio_status (*input_used)(void *engine, uint64_t count, uint64_t *bytes);
    clradio_status (*enqueue)(void *engine, clradio_queue *queue, const clr_plan_call *call,
                              size_t n_wait, clradio_event *const *wait, clradio_event **done);
} clradio_plan;

#endif
