/* What the detector's files share. */
#ifndef CLR_ENGINE_DETECTOR_INTERNAL_H
#define CLR_ENGINE_DETECTOR_INTERNAL_H

#include "device/device.h"
#include "device/plan.h"
#include "engine/children.h"
#include "engine/modulation.h"
#include "engine/parameters.h"

#include <clradio/detector.h>

enum {
    CLR_MOST_TRANSMIT = 16,
    CLR_MOST_RECEIVE = 64,
    CLR_MOST_CANDIDATES = 64,
    CLR_MOST_COLUMN = 16, /* antennas of a channel that is decomposed by columns */
    CLR_MOST_FRONTS = 32, /* candidates whose list is in registers */
    CLR_MOST_PATHS = 4096,
    CLR_MOST_BUDGET = 0x7fffffff,
    CLR_MOST_VECTORS = 0x7fffffff
};

/* Parameters, in the order of clr_detector_parameters. */
enum {
    CLR_DETECTOR_CTA_SIZE,
    CLR_DETECTOR_TREES,
    CLR_DETECTOR_REFILL,
    CLR_DETECTOR_QUEUE,
    CLR_DETECTOR_STACK,
    CLR_DETECTOR_ROUND,
    CLR_DETECTOR_AGAIN,
    CLR_DETECTOR_STEPS,
    CLR_DETECTOR_FLAT,
    CLR_DETECTOR_HALVES,
    CLR_DETECTOR_SETS,
    CLR_DETECTOR_DESCENT,
    CLR_DETECTOR_PAIRS,
    CLR_DETECTOR_FRONTS,
    CLR_DETECTOR_COMPENSATED,
    CLR_DETECTOR_COLUMNS,
    CLR_DETECTOR_PARAMETERS
};

/* What a plan's kernels are. */
typedef enum clr_detector_variant {
    CLR_DETECTOR_LANE,  /* sphere: a tree a lane */
    CLR_DETECTOR_GROUP, /* sphere: several lanes a tree */
    CLR_DETECTOR_WIDE,  /* sphere: the second pass's kernel for all vectors, in double */
    CLR_DETECTOR_METHOD /* one work-item a vector, another method */
} clr_detector_variant;

/* What a batch's kernels know of the streams. */
typedef struct clr_detector_shape {
    uint32_t levels, bits, symbol_bytes;
    uint32_t points; /* of every axis; 0: they differ, or an alphabet */
    int shared;      /* vectors that share a channel are decomposed together */
    int whitened;
    uint64_t factors_for; /* 0 one for a call, 1 for each channel, 2 for each vector */
} clr_detector_shape;

/* Outputs of calls through a pipeline, in their order in a slot. */
enum { CLR_HOST_STATUS = 4, CLR_HOST_STATISTICS = 6, CLR_HOST_REPORT = 7, CLR_HOST_OUTPUTS = 8 };

/* What a pipeline's calls are like. */
typedef struct clr_detector_host {
    uint64_t vectors; /* the most in one call */
    double noise_variance;
    int prior;
    unsigned outputs; /* bit i: symbols, bits, llr, metric, status, nodes, statistics, report */
} clr_detector_host;

enum { CLR_DETECTOR_MOST_SETS = 4 };

/* What the decomposition of a batch leaves for its search; left: with DESCENT, the list of what it
 * did not finish; status and nodes: of calls that want none. */
typedef struct clr_detector_work {
    clradio_buffer *channel, *vector, *factor, *left, *status, *nodes;
} clr_detector_work;

struct clradio_detector {
    clradio_device *device;
    clradio_detector_config config;
    clradio_modulation modulations[CLR_MOST_TRANSMIT];
    float *alphabet;
    clr_detector_shape shape;
    clr_detector_variant variant;
    int64_t values[CLR_DETECTOR_PARAMETERS];
    char reason[128];
    uint32_t node_budget, final_budget; /* as this device can; final 0: no second pass */
    uint32_t soft_budget;               /* of the single tree search */
    int64_t launch_values[CLR_CHILDREN_PARAMETERS]; /* of config.launch_parameters */
    uint32_t threads;                               /* work-items of the groups of other kernels */

    clr_program *prepare_program, *search_program, *again_program, *whiten_program, *soft_program,
        *count_program;
    clr_kernel *prepare, *prepare_vectors, *search, *again, *whiten, *soft, *count, *sum, *list_all,
        *parent; /* of grids that do the second pass; in its program */

    uint64_t batch, batch_channels, factors;
    clradio_buffer *model, *list, *counters, *steps, *partials;
    /* of a second pass that the device starts: vectors of units that it could not start, and, for
     * the emulated one, that it would have; the report of calls that want none */
    clradio_buffer *failed, *started, *report;
    clr_detector_work work[CLR_DETECTOR_MOST_SETS]; /* batches take them in turn */
    clradio_queue *side; /* with several sets: where batches are decomposed while others are
                            searched */
    uint64_t memory_bytes;
    clradio_event *last; /* of the latest call: calls follow one another */
    clr_detector_host host;
    int only_prepare; /* a benchmark's: calls end after the decomposition */
    int no_again;     /* a benchmark's: calls have no second pass */
    clradio_plan plan;
};

/* detector_config.c: checks a configuration and fills in what 0 stands for. */
clradio_status clr_detector_check_config(const clradio_detector_config *config,
                                         clradio_detector_config *checked);
clradio_modulation clr_detector_modulation(const clradio_detector_config *config, uint32_t stream);
uint32_t clr_detector_stream_bits(const clradio_detector_config *config, uint32_t stream);
uint32_t clr_detector_stream_points(const clradio_detector_config *config, uint32_t stream);

/* detector_statistics.c: the bin of the histogram of nodes, as cl/detector_statistics.cl has it. */
uint32_t clr_detector_bin(uint64_t nodes);

/* detector_choice.c */
extern const clr_parameter clr_detector_parameters[CLR_DETECTOR_PARAMETERS];
clradio_status clr_detector_choose(clradio_detector *plan, const char *variant,
                                   const char *parameters);
const char *clr_detector_variant_name(const clradio_detector *plan);

/* detector_again.c: how the second pass is launched. */
clradio_status clr_detector_launch_settle(clradio_detector *plan, const char *parameters);
void clr_detector_launch_write(const clradio_detector *plan, char *text, size_t room);

/* detector_programs.c */
clradio_status clr_detector_get_programs(clradio_detector *plan);
void clr_detector_release_programs(clradio_detector *plan);
void clr_detector_programs_proved(clradio_detector *plan);

/* detector_memory.c: the batch and the buffers of scratch. */
clradio_status clr_detector_take_memory(clradio_detector *plan);

/* detector_check.c */
clradio_status clr_detector_check_io(const clradio_detector *plan, clradio_queue *queue,
                                     const clradio_detector_io *io);

/* detector.c: a plan that has not been tested yet. */
clradio_status clr_detector_make(clradio_device *device, const clradio_detector_config *checked,
                                 clradio_detector **plan);

/* detector_run.c: the plan as a pipeline takes it; the arrays of a slot are described there. */
clradio_plan *clr_detector_plan(clradio_detector *plan, const clr_detector_host *host);

/* detector_self_test.c */
clradio_status clr_detector_self_test(clradio_detector *plan);

enum { CLR_DETECTOR_REPORT_BYTES = 16 };
enum { CLR_DETECTOR_COUNT_GROUPS = 64, CLR_DETECTOR_PARTIAL_WORDS = 2 * 16 + 1024 };

#endif
