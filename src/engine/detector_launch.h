/* What the launches of a detector's kernels share: a call's batch, and where its arrays are. */
#ifndef CLR_ENGINE_DETECTOR_LAUNCH_H
#define CLR_ENGINE_DETECTOR_LAUNCH_H

#include "base/checked.h"
#include "engine/detector_internal.h"

/* A call, and the batch of it that is being enqueued. */
typedef struct clr_detector_call {
    clradio_detector *plan;
    const clradio_detector_io *io;
    clr_chain chain;
    clr_chain side;           /* of the plan's own queue; or unused */
    clr_chain *prepare_chain; /* one of the two */
    clr_detector_work *work;  /* of the batch */
    uint64_t first, items;    /* of the batch */
    clradio_span status, nodes, report;
    uint64_t lanes; /* that wrote their steps */
} clr_detector_call;

static inline clradio_span clr_moved(clradio_span span, uint64_t bytes)
{
    return span.buffer ? (clradio_span){ span.buffer, span.offset + bytes } : span;
}

static inline clradio_span clr_start_of(clradio_buffer *buffer)
{
    return (clradio_span){ buffer, 0 };
}

static inline clr_launch clr_over_items(uint64_t items, uint32_t threads)
{
    return (clr_launch){ .groups = { clr_ceil_div(items, threads), 1, 1 },
                         .group = { threads, 1, 1 } };
}

static inline uint64_t clr_channel_of(const clradio_detector *plan, uint64_t vector)
{
    const uint64_t per = plan->config.vectors_per_channel;
    return per ? vector / per : 0;
}

static inline float clr_noise_factor(const clradio_detector *plan)
{
    return plan->config.flags & CLRADIO_DETECTOR_NOISE_PER_REAL ? 2 : 1;
}

static inline float clr_noise_variance(const clr_detector_call *call)
{
    return call->plan->shape.whitened
               ? 1
               : (float)(call->io->noise_variance * clr_noise_factor(call->plan));
}

/* The factor of a covariance that all vectors share is made once a call, in the first batch. */
static inline clradio_span clr_factor_of(const clr_detector_call *call)
{
    return clr_start_of(call->plan->shape.factors_for ? call->work->factor
                                                      : call->plan->work[0].factor);
}

/* The noise of each vector, or nothing. */
static inline clradio_span clr_vector_noise(const clr_detector_call *call)
{
    return call->plan->config.noise == CLRADIO_NOISE_PER_VECTOR ? call->io->noise
                                                                : clr_start_of(NULL);
}

static inline uint64_t clr_batch_channels(const clr_detector_call *call)
{
    return clr_channel_of(call->plan, call->first + call->items - 1) -
           clr_channel_of(call->plan, call->first) + 1;
}

/* detector_launch.c: where a batch's answers go. */
void clr_detector_add_outputs(const clr_detector_call *call, clr_launch *launch);

/* detector_prepare.c */
clradio_status clr_detector_whiten(clr_detector_call *call);
clradio_status clr_detector_prepare(clr_detector_call *call);

/* detector_launch.c */
clradio_status clr_detector_search(clr_detector_call *call);
clradio_status clr_detector_search_groups(clr_detector_call *call);
/* The arguments of detector_group.cl, for the second pass (again) or the first. */
void clr_detector_add_group(const clr_detector_call *call, int again, clradio_span list,
                            clradio_span counters, uint64_t items, clr_launch *launch);
clradio_status clr_detector_over_work(clr_detector_call *call, clr_kernel *kernel, uint32_t budget);
clradio_status clr_detector_other_method(clr_detector_call *call);
clradio_status clr_detector_list_all(clr_detector_call *call);
clradio_status clr_detector_count(clr_detector_call *call);

/* detector_again.c: the second pass, where there is one; and the report of all batches. */
clradio_status clr_detector_begin_report(clr_detector_call *call);
clradio_status clr_detector_search_again(clr_detector_call *call);

#endif
