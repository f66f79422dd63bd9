/*
 * What the X-engine's files share: the plan, its variants, the layout of the wide sums.
 *
 * Wide sums are what every variant adds to and the finishing kernels read: a lower triangle by rows
 * for each channel, 16 bytes a complex value (cl/xengine_sums.cl). The plan keeps its accumulators
 * in that form, in several buffers when one would pass the device's largest; slices of the time go
 * to a buffer of partial sums, a chunk of channels at a time.
 */
#ifndef CLR_ENGINE_XENGINE_INTERNAL_H
#define CLR_ENGINE_XENGINE_INTERNAL_H

#include "device/device.h"
#include "device/plan.h"
#include "engine/parameters.h"
#include "engine/xengine_layout.h"
#include "engine/xengine_valid.h"

#include <clradio/xengine.h>

enum { CLR_WIDE_BYTES = 16, CLR_MOST_GRID_CHANNELS = 65535 };

typedef struct clr_xengine_variant clr_xengine_variant;

/* Where a candidate comes from, and all that tells it from others. */
typedef struct clr_xengine_candidate {
    const clr_xengine_variant *variant;
    int64_t values[CLR_MOST_PARAMETERS];
    char reason[128];
} clr_xengine_candidate;

/* The input brought into a layout that the variant reads, zeroed where it is not valid: a chunk of
 * channels and times goes to scratch memory of the plan first. */
typedef struct clr_xengine_reorder {
    int always; /* 0: only for calls with an array of what is valid */
    clradio_layout to;
    uint32_t times;       /* T of the target's blocks */
    clr_program *program; /* NULL: nothing ever needs it */
    clr_kernel *kernel;
    clr_kernel *units; /* the same in units of 16 bytes, where that can be; else NULL */
    clradio_buffer *scratch;
    uint32_t channels; /* the most of a chunk */
    uint64_t spectra;  /* the most of a chunk, a multiple of times */
} clr_xengine_reorder;

/* What of the input is valid: bitmaps of a chunk, and counts (cl/xengine_valid.cl). Unused where
 * config.valid is NONE. */
typedef struct clr_xengine_validity {
    clr_program *program;
    clr_kernel *pack, *count, *dump, *inputs;
    clr_xengine_valid_form form;
    int one_pair;         /* all inputs have the same counts */
    uint64_t pairs;       /* counts of a channel */
    clradio_buffer *bits; /* as large as the reordered chunk asks for */
    clradio_buffer **counts;
    uint32_t buffer_channels, buffers; /* channels of each of `counts`, and their number */
} clr_xengine_validity;

typedef enum clr_sums_state {
    CLR_SUMS_EMPTY, /* nothing was summed: an accumulating call starts at zero */
    CLR_SUMS_THERE,
    CLR_SUMS_LOST /* a call failed half-way */
} clr_sums_state;

struct clradio_xengine {
    clradio_device *device;
    clradio_xengine_config config; /* output filled in; variant and parameters not kept */
    clr_xengine_candidate candidate;
    uint64_t baselines, channel_sums_bytes, channel_output_values, visibilities_bytes;

    clr_program *sum_program, *finish_program;
    clr_kernel *sum_kernel, *reduce_kernel, *dump_kernel;
    void *variant_state;

    uint32_t slices; /* of the time, the most in a call */
    uint32_t accumulator_channels, accumulator_count;
    clradio_buffer **accumulators; /* none with SINGLE_CALL */
    uint32_t chunk_channels;       /* that a command sums at a time */

    clr_xengine_reorder reorder;
    clr_xengine_validity validity;

    clradio_buffer *partials; /* NULL when nothing needs them */
    int direct;               /* the variant writes the visibilities; there are no sums */
    uint64_t memory_bytes;

    clradio_event *last; /* of the latest call: calls follow one another */
    clr_sums_state state;
    clradio_plan plan;
};

/*
 * One launch's worth, summed into `sums`. Blocks begin at `spectra` and at each slice; the last
 * one's times beyond spectra_count hold zero where the plan reordered the input, anything else
 * where it did not.
 */
typedef struct clr_xengine_work {
    clradio_span spectra; /* the first time of the first channel of this work */
    uint64_t skip;        /* times of the first block in front of that; 0 for a variant */
    clr_xengine_layout layout;
    uint64_t spectra_count, slice_length;
    uint32_t slices;        /* slice s goes to sums + s * channels * channel_sums_bytes */
    uint32_t first_channel; /* of the work, in the visibilities */
    uint32_t channels;
    clradio_span sums;
    int add; /* to what is in sums */
    /* With a buffer: the variant writes these visibilities (the whole array), not sums. */
    clradio_span visibilities;
} clr_xengine_work;

enum { CLR_XENGINE_MOST_TAKEN = 3 };

struct clr_xengine_variant {
    const char *name;
    const char *source, *entry; /* NULL: no kernel of ours */
    const clr_parameter *parameters;
    size_t n_parameters;
    size_t split_parameter; /* index of SPLIT_T, n_parameters when there is none */
    uint32_t unit_groups;   /* work-groups that keep a compute unit busy; fewer, and the time is cut
                               into slices; 0: some small ones */
    double more_error;      /* of a coarser arithmetic, added to the bound of sums of floats: times
                               sqrt(V_ii V_jj); doc/xengine.md */
    int writes_visibilities; /* sum can write them itself, in any order and type, when one call of
                                one slice is the whole integration */
    /* Whether this plan's kernel may write them, of at most config.spectra; NULL: it may. */
    int (*can_write)(const clradio_xengine *plan);
    /* Local memory of the kernel's LOCAL_LARGE array; NULL: it has none. */
    size_t (*large_local_bytes)(const clradio_xengine *plan);
    /* The types of input that it takes; none: all. */
    clradio_type takes[CLR_XENGINE_MOST_TAKEN];
    /* UNSUPPORTED with a sentence when the variant cannot serve that for another reason; NULL:
     * there is none. */
    clradio_status (*supported)(clradio_device *device, const clradio_xengine_config *config);
    /* The default with that number (0: the best for this kind of device), or 0 when there are no
     * more; sets reason. */
    int (*preset)(const clradio_device_info *device, const clradio_xengine_config *config,
                  unsigned number, int64_t *values, char reason[128]);
    /* Completes values from those given (others hold a default) and checks every constraint. */
    clradio_status (*settle)(const clradio_device_info *device,
                             const clradio_xengine_config *config, int64_t *values,
                             const int *given);
    void (*describe)(const int64_t *values, char *text, size_t room);
    /* The arithmetic that decides its speed: "fp32", "int32", "dot4", "mma-int8", "mma-fp16" (what
     * clradio bench measures the peak of). NULL: fp32 for float input, else int32. */
    const char *(*unit)(const clradio_xengine_config *config, const int64_t *values);
    size_t (*macros)(const clradio_xengine_config *config, const int64_t *values,
                     clr_macro *macros);
    /* The layout that sum reads: puts it and T of its blocks in place of the configuration's own.
     * NULL: the variant reads CLRADIO_LAYOUT_TIME_CHANNEL_INPUT only; clr_xengine_layout_own: it
     * reads any. */
    void (*layout)(const clradio_xengine_config *config, const int64_t *values,
                   clradio_layout *layout, uint32_t *block_times);
    /* After the programs are there: checks the kernel's own limits, takes scratch memory. */
    clradio_status (*prepare)(clradio_xengine *plan);
    /* Work-groups that one channel gives; 0 when the time cannot be sliced. */
    uint64_t (*groups)(const clradio_xengine *plan);
    /* The shortest slice worth a work-group, in spectra. */
    uint64_t (*least_slice)(const clradio_xengine *plan);
    /* The most spectra of a slice that one command may sum on this device. */
    uint64_t (*most_spectra)(const clradio_xengine *plan);
    /* Stations of the self-test, so that tiles are left partly empty; NULL: from the W's. */
    uint32_t (*test_stations)(const clradio_xengine *plan);
    /* Its channels, where what the program reads depends on their number; 0 or NULL: a few. */
    uint32_t (*test_channels)(const clradio_xengine *plan);
    /* Spectra of a second problem of the self-test, with few stations, that reaches what the first
     * does not (sums that move on); 0 or NULL: none. */
    uint64_t (*test_spectra)(const clradio_xengine *plan);
    clradio_status (*sum)(clradio_xengine *plan, clr_chain *chain, const clr_xengine_work *work);
    /* Of a plan's variant_state; NULL where the variant has none. */
    void (*release)(clradio_xengine *plan);
};

/* The variants, best first. */
extern const clr_xengine_variant *const clr_xengine_variants[];
extern const size_t clr_xengine_variant_count;
extern const clr_xengine_variant clr_xengine_wgmma, clr_xengine_mma, clr_xengine_tf32,
    clr_xengine_mfma, clr_xengine_wmma, clr_xengine_dot4, clr_xengine_fma, clr_xengine_panel,
    clr_xengine_tile, clr_xengine_blas, clr_xengine_bf16;

/* xengine.c, for prepare: UNSUPPORTED where the kernel does not run in work-groups of so many,
 * tiles pass a grid, or a stage takes longer loops than the driver lets run. */
clradio_status clr_xengine_check_shape(clradio_xengine *plan, size_t group);
/* xengine_tile.c, for sum: a kernel that reads any layout, in such work-groups. */
clradio_status clr_xengine_sum_any_layout(clradio_xengine *plan, clr_chain *chain,
                                          const clr_xengine_work *work, size_t group);
void clr_xengine_layout_own(const clradio_xengine_config *config, const int64_t *values,
                            clradio_layout *layout, uint32_t *block_times);

/* xengine_config.c: checks a configuration and fills in the output type. */
clradio_status clr_xengine_check_config(clradio_device *device,
                                        const clradio_xengine_config *config,
                                        clradio_xengine_config *checked);
/* Complex values of a channel in the configuration's order; 0 when 64 bits do not hold the bytes.
 */
uint64_t clr_xengine_channel_values(const clradio_xengine_config *config);
/* Rows of a channel as the finishing kernels take them. */
uint32_t clr_xengine_rows(const clradio_xengine_config *config);
/* Sums of such input are floats, not integers. */
int clr_xengine_is_float(clradio_type input);
/* Bytes of count spectra; 0 return: does not fit. */
int clr_xengine_spectra_bytes(const clradio_xengine_config *config, uint64_t count,
                              uint64_t *bytes);

/* xengine_choice.c: the candidate with that number for a configuration, 0 when there are no more.
 * With explicit variant or parameters there is one. *status: why a candidate cannot be. */
int clr_xengine_candidate_at(clradio_device *device, const clradio_xengine_config *config,
                             unsigned number, clr_xengine_candidate *candidate,
                             clradio_status *status);

/* What partial sums or scratch memory take where nothing limits them, at least what one channel
 * needs. A launch less is worth more than memory where there is much: 32 channels of 512 stations
 * have sums of 269 MB, and one of them in a launch of its own took 7 % of an H200's time. */
uint64_t clr_xengine_usual_bytes(const clradio_device_info *device);

/* xengine_memory.c: decides slices and chunks, takes the buffers. */
clradio_status clr_xengine_take_memory(clradio_xengine *plan);

/* xengine_reorder.c */
clradio_status clr_xengine_get_reorder(clradio_xengine *plan);
/* Bytes of the smallest scratch memory; 0 when none is needed. */
uint64_t clr_xengine_least_scratch(const clradio_xengine *plan);
clradio_status clr_xengine_take_scratch(clradio_xengine *plan, uint64_t room);
void clr_xengine_release_reorder(clradio_xengine *plan);
/* Brings a work's samples into scratch memory, and lets the work read them there. masked: what the
 * bitmaps say is not valid becomes zero. */
clradio_status clr_xengine_reorder_work(clradio_xengine *plan, clr_chain *chain,
                                        clr_xengine_work *work, int masked);

/* xengine_count.c */
clradio_status clr_xengine_get_validity(clradio_xengine *plan);
uint64_t clr_xengine_counts_bytes(const clradio_xengine *plan);
clradio_status clr_xengine_take_counts(clradio_xengine *plan, uint64_t largest);
/* Of the bitmaps of so many channels and times. */
uint64_t clr_xengine_bits_bytes(const clradio_xengine *plan, uint32_t channels, uint64_t times);
void clr_xengine_release_validity(clradio_xengine *plan);
/* Bitmaps of a work; begin: its first time in the call. */
clradio_status clr_xengine_pack_valid(clradio_xengine *plan, clr_chain *chain, clradio_span valid,
                                      uint64_t begin, const clr_xengine_work *work);
/* Counts what the bitmaps say is valid, and `plain` spectra in which all is. */
clradio_status clr_xengine_count_valid(clradio_xengine *plan, clr_chain *chain, uint32_t first,
                                       uint32_t channels, uint64_t words, uint64_t plain, int add);
/* Spans without a buffer are left out. */
clradio_status clr_xengine_dump_counts(clradio_xengine *plan, clr_chain *chain, clradio_span counts,
                                       clradio_span input_counts, uint32_t first,
                                       uint32_t channels);

/* xengine_arguments.c: checks a call; *integrations: how many it holds. */
clradio_status clr_xengine_check_io(const clradio_xengine *plan, clradio_queue *queue,
                                    const clradio_xengine_io *io, uint64_t *integrations);

/* xengine.c: a plan of one candidate, untested. */
clradio_status clr_xengine_make(clradio_device *device, const clradio_xengine_config *config,
                                const clr_xengine_candidate *candidate, clradio_xengine **plan);

/* xengine_self_test.c: SELF_TEST when the plan's kernels give wrong sums on this device. */
clradio_status clr_xengine_self_test(clradio_xengine *plan);

/* xengine_enqueue.c */
clradio_status clr_xengine_plan_enqueue(void *engine, clradio_queue *queue,
                                        const clr_plan_call *call, size_t n_wait,
                                        clradio_event *const *wait, clradio_event **done);

#endif
