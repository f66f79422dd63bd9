/* What the embedding tests share: a caller with an OpenCL context of its own, and an X-engine's
 * expected sums. */
#ifndef CLR_TESTS_EMBED_SUPPORT_H
#define CLR_TESTS_EMBED_SUPPORT_H

#include "support.h"

#include <clradio/opencl.h>

/* One correlation of ci8 samples into ci64 sums, on objects of the caller's own. The input begins
 * at an odd multiple of 2 bytes, the output at an odd multiple of 16. */
enum { EMBED_INPUT_OFFSET = 2 * 13, EMBED_OUTPUT_OFFSET = 16 * 7, EMBED_POISON = 0xee };

typedef struct embed_job {
    clradio_xengine_config config;
    cl_command_queue queue;
    cl_mem input, output;
    size_t input_bytes, output_bytes;
    int8_t *samples; /* [spectra][channels][stations][polarisations][re, im] */
    /* clradio's wrappers */
    clradio_device *device;
    clradio_queue *our_queue;
    clradio_buffer *our_input, *our_output;
    clradio_xengine *plan;
} embed_job;

/* A context with the device under test in it, not the one that clradio opened. */
cl_context embed_context(void **state, cl_device_id *id);

/* Fills everything but the wrappers: random samples on the device, a poisoned output. properties:
 * of the queue; one that the device does not have gives an in-order queue. */
void embed_own(embed_job *job, cl_context context, cl_device_id id,
               cl_command_queue_properties properties, uint32_t stations, uint32_t polarisations,
               uint32_t channels, uint64_t spectra);
void embed_disown(embed_job *job);
/* The wrappers and the plan; the first failing status. */
clradio_status embed_wrap(embed_job *job, clradio_device *device);
void embed_unwrap(embed_job *job);

/* `count` spectra from spectrum `first` on. */
clradio_status embed_enqueue(embed_job *job, uint64_t first, uint64_t count, unsigned flags,
                             size_t n_wait, clradio_event *const *wait, clradio_event **done);

/* Values of the output that differ from the int64 sums over `count` spectra from `first` on, or
 * from the poison when count is 0; what is touched outside the output counts too. Read through the
 * given queue, after `wait` (may be NULL). */
size_t embed_wrong(embed_job *job, cl_command_queue queue, cl_event wait, uint64_t first,
                   uint64_t count);

#endif
