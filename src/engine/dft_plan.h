/* The channel DFT's plan, its layouts and its variants. */
#ifndef CLR_ENGINE_DFT_PLAN_H
#define CLR_ENGINE_DFT_PLAN_H

#include "engine/children.h"
#include "engine/dft_internal.h"

typedef struct clr_dft_variant clr_dft_variant;

typedef struct clr_dft_candidate {
    const clr_dft_variant *variant;
    int64_t values[CLR_MOST_PARAMETERS];
    char reason[128];
} clr_dft_candidate;

/* The program whose grid starts the variant's kernel; no kernel where nothing starts so. */
typedef struct clr_dft_parent {
    clr_program *program;
    clr_kernel *kernel;
} clr_dft_parent;

typedef struct clr_dft_streams clr_dft_streams; /* dft_stream.h */

struct clradio_dft {
    clradio_device *device;
    clradio_dft_config config; /* its pointers are not kept */
    clr_dft_grid grid;
    clr_dft_candidate candidate;
    clr_program *program, *link_program;
    clr_kernel *kernel, *link_kernel;
    clr_program *small_program; /* direct, for links of few taps; when a layout has some */
    clr_kernel *small_kernel;
    int64_t small_values[CLR_MOST_PARAMETERS];
    int64_t launch_values[CLR_CHILDREN_PARAMETERS]; /* of config.launch_parameters */
    clr_dft_parent parent, small_parent;
    clradio_buffer *frequencies;
    uint64_t memory_bytes;
    clradio_event *last;      /* calls of a plan follow one another */
    clr_dft_streams *streams; /* of clradio_dft_run, kept for the next one */
    /* Factors as the kernels take them (cl/dft_phase.cl). */
    uint64_t unit[2], base[2], time[2];
    void *variant_state;
};

/* Neighbouring paths of a link that a work-group does; cl/dft_tile.cl reads it. */
typedef struct clr_dft_tile {
    uint64_t first_path, first_gain, first_link_tap;
    uint32_t paths, taps, path_in_link, link_paths;
} clr_dft_tile;

/* The launch units of a list of tiles, when it is not launched flat: first tile and first link of
 * each, and one more. started and failed: tables of tiles as cl/dft_children.cl has them. */
typedef struct clr_dft_walk {
    uint32_t *host_units;
    uint64_t unit_count, tile_bytes;
    clradio_buffer *units, *started, *failed;
} clr_dft_walk;

struct clradio_dft_layout {
    clradio_dft *plan;
    clradio_dft_counts counts;
    uint64_t tile_count, small_count;
    clr_dft_walk walk, small_walk;
    clradio_buffer *report;
    uint64_t link_count; /* links with paths, when they are normalised */
    clr_dft_tile *host_tiles;
    clradio_buffer *tiles, *small_tiles, *links, *status, *bad_paths;
};

/* One call, checked. */
typedef struct clr_dft_call {
    const clradio_dft_io *io;
    clradio_span status, bad_paths; /* the caller's, or the layout's */
    clr_kernel *kernel;             /* and the tiles that it does */
    clradio_span tiles;
    uint64_t tile_count;
    uint64_t gains_step, response_step;
    uint32_t columns;         /* of the variant pruned */
    const clr_dft_walk *walk; /* NULL: flat */
    clr_kernel *parent;
    clradio_span report;
} clr_dft_call;

struct clr_dft_variant {
    const char *name, *source, *entry;
    const clr_parameter *parameters;
    size_t n_parameters;
    /* UNSUPPORTED with a sentence when it cannot serve that. */
    clradio_status (*supported)(clradio_device *device, const clradio_dft_config *config);
    /* 1 where it is the one to take, and the parameters for that. */
    int (*preset)(const clradio_device *device, const clradio_dft_config *config, int64_t *values);
    /* ARGUMENT when parameters do not go together; sets what has no effect beside others. */
    clradio_status (*settle)(const clradio_device_info *device, const clradio_dft_config *config,
                             int64_t *values);
    size_t (*macros)(const clradio_dft_config *config, const int64_t *values, clr_macro *macros);
    uint64_t least_taps; /* links with fewer are given to direct */
    /* As are links with more than this (NULL: there is no such number). */
    uint64_t (*most_taps)(const int64_t *values);
    /* The most paths of a tile; neighbouring links that differ in nothing may share one. */
    uint32_t (*tile_paths)(const clradio_dft_config *config, const int64_t *values);
    int (*merges_links)(const clradio_dft_config *config);
    int keeps_tiles; /* layouts have a copy of their tiles on the host */
    int inner;       /* INNER of cl/dft_children.cl; 0: its launches are flat */
    /* Optional: what a plan needs besides its kernel, in plan->variant_state. release also after a
     * failure. */
    clradio_status (*prepare)(clradio_dft *plan);
    void (*release)(clradio_dft *plan);
    clradio_status (*launch)(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call);
    double (*error_bound)(const clradio_dft_config *config, const int64_t *values);
};

extern const clr_dft_variant *const clr_dft_variants[];
extern const size_t clr_dft_variant_count;
extern const clr_dft_variant clr_dft_blas, clr_dft_direct, clr_dft_fft, clr_dft_gemm,
    clr_dft_pruned, clr_dft_recurrence, clr_dft_bf16, clr_dft_dmma;

enum { CLR_DFT_CIRCLE_BYTES = 512 }; /* local memory of cl/dft_circle.cl */

/* The error bounds of doc/dft.md: of one cosine and sine a tap and value, and of two factors. */
double clr_dft_usual_bound(const clradio_dft_config *config, const int64_t *values);
double clr_dft_factors_bound(const clradio_dft_config *config, const int64_t *values);
/* Of a library's transform in float, whose error grows with its length. */
double clr_dft_transform_bound(const clradio_dft_config *config, const int64_t *values);

/* dft_launch.c. The parameters of the plan's way of launching; UNSUPPORTED where it cannot be. */
clradio_status clr_dft_launch_settle(clradio_dft *plan, const clradio_dft_config *config);
/* "LINKS=1 ..."; nothing for flat. */
void clr_dft_launch_write(const clradio_dft *plan, char *text, size_t room);
/* What of them a self-test's verdict depends on. */
void clr_dft_launch_key(const clradio_dft *plan, char *text, size_t room);
/* Links of a unit, 0: all of a beam. */
uint64_t clr_dft_launch_links(const clradio_dft *plan);
/* Whether a grid on the device starts the units. */
int clr_dft_walks(const clradio_dft *plan);
/* Makes the parent of a kernel with these macros, unless it is there or not wanted. */
clradio_status clr_dft_get_parent(clradio_dft *plan, const clr_macro *macros, size_t n_macros,
                                  int inner, clr_dft_parent *parent);
/* The tables on the device for walk->host_units, which the layout owns. */
clradio_status clr_dft_walk_create(const clradio_dft *plan, clradio_queue *queue,
                                   clr_dft_walk *walk);
void clr_dft_walk_destroy(clr_dft_walk *walk);
/* Bytes of those, at most, for so many tiles and links. */
uint64_t clr_dft_walk_bytes(const clradio_dft *plan, uint64_t tiles, uint64_t links);
/* The launch, complete but for how the plan launches, instead of clr_chain_launch. */
clradio_status clr_dft_launch_units(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                                    const clr_launch *launch);

/* dft_choice.c: the candidate with that number, 0 when there are no more. */
int clr_dft_candidate_at(clradio_device *device, const clradio_dft_config *config, unsigned number,
                         clr_dft_candidate *candidate, clradio_status *status);

/* dft_plan.c: a plan of one candidate, untested. */
clradio_status clr_dft_make(clradio_device *device, const clradio_dft_config *config,
                            const clr_dft_candidate *candidate, clradio_dft **plan);
/* Makes plan->small_kernel unless it is there. */
clradio_status clr_dft_get_small_kernel(clradio_dft *plan);
/* Macros that every kernel of the channel DFT takes. */
size_t clr_dft_common_macros(const clradio_dft_config *config, clr_macro *macros);

/* dft_self_test.c: SELF_TEST when the plan's kernels give wrong responses on this device. */
clradio_status clr_dft_self_test(clradio_dft *plan, const clradio_dft_config *config);

/* clradio_dft_enqueue for a caller that gives status and report of its own: where nothing of the
 * plan is written, the call does not wait for those before it. */
clradio_status clr_dft_enqueue_apart(clradio_dft *plan, clradio_queue *queue,
                                     const clradio_dft_io *io);

/* dft_enqueue.c: the arguments that all kernels share, and flags of cl/dft_tile.cl. */
enum {
    CLR_DFT_ABSENT = 1,
    CLR_DFT_TRANSPOSED = 2,
    CLR_DFT_ADD = 4,
    CLR_DFT_PATH_DELAYS = 8,
    CLR_DFT_RATES = 16,
    CLR_DFT_PATH_RATES = 32
};
enum { CLR_DFT_MOST_GRID = 65535 };
clradio_status clr_dft_launch_times(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                                    const clr_launch *shape, uint64_t times_a_launch,
                                    uint64_t first_tap);
/* All time steps at once, work-groups of group work-items with each values of a tile's rows. */
clradio_status clr_dft_launch_rows(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                                   uint64_t values, uint64_t each, uint64_t group);

/* What several variants ask: whether the rows of consecutive links lie as those of one, where
 * nothing of a link itself matters; whether so much local memory is there (UNSUPPORTED). */
int clr_dft_links_are_rows(const clradio_dft_config *config);
clradio_status clr_dft_check_local(const clradio_device_info *device, uint64_t bytes);

#endif
