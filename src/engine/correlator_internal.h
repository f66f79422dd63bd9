/* What the correlator's files share. */
#ifndef CLR_ENGINE_CORRELATOR_INTERNAL_H
#define CLR_ENGINE_CORRELATOR_INTERNAL_H

#include "device/plan.h"
#include "engine/fengine.h"

#include <clradio/correlator.h>

struct clradio_correlator {
    clradio_device *device;
    clradio_correlator_config config; /* variant and parameters not kept */
    clr_fengine_sizes sizes;          /* with a transform */
    uint64_t block_bytes;             /* voltages of one spectrum's worth of samples */
    uint64_t element_bytes;
    clradio_fengine *fengine; /* NULL without a transform */
    clradio_xengine *xengine;
    clradio_xengine_info xengine_info;
    uint64_t batch;          /* spectra that the two engines hand over at a time */
    clradio_buffer *spectra; /* NULL without a transform */
    clr_program *reverse_program;
    clr_kernel *reverse; /* NULL when no bands are to be reversed */
    uint64_t memory_bytes;
    clradio_event *last; /* of the previous call */
    clradio_plan plan;
};

/* Inputs of the X-engine, each with its byte of a spectrum's valid. */
static inline uint64_t clr_correlator_inputs(const clradio_correlator *plan)
{
    return (uint64_t)plan->config.stations * plan->config.polarisations;
}

/* correlator_memory.c: makes both engines and the spectra between them, within the limits. */
clradio_status clr_correlator_take_engines(clradio_correlator *plan,
                                           const clradio_correlator_config *config);

#endif
