/*
 * The pipeline: overlaps the caller's work, copies to the device, kernels, and copies back. A slot
 * is pinned host memory (mapped device memory where host and device share it). acquire a slot, fill
 * its input, submit it; wait_next gives the finished slots in order; release hands the slot back.
 *
 *     for each batch
 *         while acquire says STATE     (every slot is in flight: back-pressure)
 *             wait_next, use the output, release
 *         fill slot->input, set count and flags, submit
 *     until wait_next says STATE       (nothing is in flight)
 *         use the output, release
 *
 * As every object a pipeline is used by one thread at a time, so acquire does not block while all
 * slots are taken: nobody could hand one back. The plan must outlive its pipelines.
 */
#ifndef CLRADIO_PIPELINE_H
#define CLRADIO_PIPELINE_H

#include <clradio/xengine.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_plan clradio_plan;
typedef struct clradio_pipeline clradio_pipeline;

typedef struct clradio_slot {
    void *input; /**< input_bytes of room: spectra (X-engine) or voltages (correlator) */
    uint64_t input_bytes;
    uint8_t *valid; /**< valid_bytes of room, or NULL; used when use_valid is set */
    uint64_t valid_bytes;
    const void
        *output; /**< after wait_next, when the slot was submitted with CLRADIO_DUMP: visibilities;
                    of an X-engine with config.valid also, behind them, counts and input_counts */
    uint64_t output_bytes;
    uint32_t overflow; /**< after wait_next: values that did not fit the output type */
    uint64_t count;    /**< set before submit: spectra_count */
    unsigned flags;    /**< set before submit: CLRADIO_ACCUMULATE, CLRADIO_DUMP */
    int use_valid;     /**< set before submit */
    void *user;        /**< the caller's */
} clradio_slot;

typedef struct clradio_pipeline_info {
    size_t struct_size;
    uint64_t submitted, finished;
    double seconds;         /**< from the first submit to the last finished batch */
    double host_seconds;    /**< part of it in which the device waited for the caller: nothing of
                               one batch had begun when all of those before had ended */
    double link_seconds;    /**< busy copying, by events; of the two directions the longer */
    double compute_seconds; /**< busy computing, by events */
    uint64_t input_bytes, output_bytes;
    char bound[16]; /**< what bounded it, the largest of the three: "host", "link" or "compute" */
} clradio_pipeline_info;
#define CLRADIO_PIPELINE_INFO_INIT                                                                 \
    {                                                                                              \
        .struct_size = sizeof(clradio_pipeline_info)                                               \
    }

/** depth: slots, 1 to 8. Errors: ARGUMENT, MEMORY, DEVICE_MEMORY. */
CLRADIO_API clradio_status clradio_pipeline_create(clradio_plan *plan, unsigned depth,
                                                   clradio_pipeline **pipeline);
/** A free slot, its fields cleared but for the arrays. STATE when every slot is in flight or held.
 */
CLRADIO_API clradio_status clradio_pipeline_acquire(clradio_pipeline *pipeline,
                                                    clradio_slot **slot);
/** Sends an acquired slot on its way and returns at once. On failure the caller still has the slot.
 */
CLRADIO_API clradio_status clradio_pipeline_submit(clradio_pipeline *pipeline, clradio_slot *slot);
/** The oldest submitted slot, when it has finished. STATE when nothing is in flight. When its work
 * failed on the device the slot is free again and the status tells why. */
CLRADIO_API clradio_status clradio_pipeline_wait_next(clradio_pipeline *pipeline,
                                                      clradio_slot **slot);
/** Hands back a slot that wait_next gave (its output is then gone), or one acquired and not used.
 */
CLRADIO_API clradio_status clradio_pipeline_release(clradio_pipeline *pipeline, clradio_slot *slot);
CLRADIO_API clradio_status clradio_pipeline_get_info(const clradio_pipeline *pipeline,
                                                     clradio_pipeline_info *info);
/** Waits for what is in flight, and frees everything. */
CLRADIO_API void clradio_pipeline_destroy(clradio_pipeline *pipeline);

/** An X-engine as a pipeline takes it; belongs to the engine. */
CLRADIO_API clradio_plan *clradio_xengine_plan(clradio_xengine *plan);

CLRADIO_END_DECLS

#endif
