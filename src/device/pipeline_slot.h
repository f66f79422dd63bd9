/* A slot of the pipeline: its arrays on host and device, and one trip through the device. */
#ifndef CLR_DEVICE_PIPELINE_SLOT_H
#define CLR_DEVICE_PIPELINE_SLOT_H

#include "device/backend.h"
#include "device/plan.h"

#include <clradio/pipeline.h>

/* An array on host and device: two pieces of memory, or one where they share it. */
typedef struct slot_array {
    void *host;
    void *host_handle;
    clradio_buffer *buffer;
    uint64_t bytes;
    int given;  /* the host memory belongs to the buffer */
    int mapped; /* shared memory: it is the host's turn */
} slot_array;

typedef enum slot_state { SLOT_FREE, SLOT_HELD, SLOT_IN_FLIGHT, SLOT_FINISHED } slot_state;

typedef struct pipeline_slot {
    clradio_slot shown; /* what the caller has a pointer to */
    slot_state state;
    int dumps; /* flags held CLRADIO_DUMP at submit */
    uint64_t used_bytes;
    slot_array input, valid, output, overflow;
    /* First and last command of the way in, the call, first and last of the way out (NULL over a
     * link without a dump). */
    clradio_event *in_first, *in_last, *computed, *out_first, *out_last;
} pipeline_slot;

/*
 * In-order queues. Over a link three of them, so that copies both ways and kernels overlap. Where
 * host and device share memory nothing is copied but mapped, which takes no time to overlap: there
 * all three are one queue.
 */
typedef struct slot_queues {
    clradio_queue *in, *compute, *out;
    int shared;
} slot_queues;

/* Errors: MEMORY, DEVICE_MEMORY. The slot is to be destroyed also after a failure. */
clradio_status clr_slot_create(pipeline_slot *slot, const clradio_plan *plan,
                               const slot_queues *queues);
/* Enqueues the trip. On failure nothing of it is left on the device and the host has the input. */
clradio_status clr_slot_send(pipeline_slot *slot, const clradio_plan *plan,
                             const slot_queues *queues);
/* Waits for the end of the trip. */
clradio_status clr_slot_wait(pipeline_slot *slot);
void clr_slot_drop_events(pipeline_slot *slot);
/* Takes back what is mapped, then, when the queues are finished, destroy. */
void clr_slot_close(pipeline_slot *slot, const slot_queues *queues);
void clr_slot_destroy(pipeline_slot *slot, clradio_device *device);

#endif
