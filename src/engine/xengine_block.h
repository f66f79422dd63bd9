/*
 * What the variants with register blocks (fma, dot4) share: the shape of cl/xengine_block.cl. Their
 * tables of parameters begin with those of enum clr_block_parameter.
 */
#ifndef CLR_ENGINE_XENGINE_BLOCK_H
#define CLR_ENGINE_XENGINE_BLOCK_H

#include "engine/xengine_internal.h"

enum clr_block_parameter {
    CLR_BLOCK_W, /* stations of a block's edge; follows from the others */
    CLR_BLOCK_GX,
    CLR_BLOCK_GY,
    CLR_BLOCK_DX,
    CLR_BLOCK_DY,
    CLR_BLOCK_T_STAGE,
    CLR_BLOCK_ASYNC,
    CLR_BLOCK_READ,   /* 1: every layout as it lies; 0: others than the default are reordered */
    CLR_BLOCK_DIRECT, /* 1: visibilities are written by the kernel where one call is all */
    CLR_BLOCK_SPLIT_T,
    CLR_BLOCK_PARAMETERS
};

#define CLR_BLOCK_TABLE                                                                            \
    [CLR_BLOCK_W] = { "W", 1, 1024 }, [CLR_BLOCK_GX] = { "Gx", 1, 8 },                             \
    [CLR_BLOCK_GY] = { "Gy", 1, 8 }, [CLR_BLOCK_DX] = { "Dx", 2, 16 },                             \
    [CLR_BLOCK_DY] = { "Dy", 2, 16 }, [CLR_BLOCK_T_STAGE] = { "T_STAGE", 1, 64 },                  \
    [CLR_BLOCK_ASYNC] = { "ASYNC", 0, 2 }, [CLR_BLOCK_READ] = { "READ", 0, 1 },                    \
    [CLR_BLOCK_DIRECT] = { "DIRECT", 0, 1 }, [CLR_BLOCK_SPLIT_T] = { "SPLIT_T", 0, 4096 }

/* Inputs along a block's edge, and work-items of its group. */
static inline uint64_t clr_block_edge(const int64_t *values)
{
    return (uint64_t)(8 * values[CLR_BLOCK_GX] * values[CLR_BLOCK_DX]);
}

static inline uint64_t clr_block_group(const int64_t *values)
{
    return (uint64_t)(32 * values[CLR_BLOCK_GX] * values[CLR_BLOCK_GY]);
}

/* Whether cp.async may be asked for: sm_80 and later. */
int clr_block_has_async(const clradio_device_info *device);

/* Whether somebody asks for the variant by its name: processors, whose registers hold no such
 * block, are given it only then. */
int clr_block_wanted(const clradio_device_info *device, const clradio_xengine_config *config,
                     const char *name);

/* The default shape, with stages of that many spectra on graphics processors; and why. */
void clr_block_preset(const clradio_device_info *device, const clradio_xengine_config *config,
                      int64_t stage, int64_t *values);
void clr_block_reason(const clradio_device_info *device, char reason[128]);

/* Completes W and checks the shape, and the local memory of local_bytes, against the device. */
clradio_status clr_block_settle(const clradio_device_info *device,
                                const clradio_xengine_config *config, int64_t *values,
                                const int *given);
clradio_status clr_block_check_local(const clradio_device_info *device, uint64_t local_bytes);
/* RUN must be whole stages. */
clradio_status clr_block_check_run(const int64_t *values, int64_t run);

/* All parameters but W and SPLIT_T, and what the kernels take besides. */
size_t clr_block_macros(const clr_parameter *table, size_t parameters,
                        const clradio_xengine_config *config, const int64_t *values,
                        clr_macro *macros);

/* Loops that a work-item may run in the parts of a kernel, none unrolled (see tile_most_spectra).
 */
typedef struct clr_block_loops {
    uint64_t before, of_stage, of_run;
} clr_block_loops;
uint64_t clr_block_most_spectra(const clradio_xengine *plan, clr_block_loops loops);

/* Members of a clr_xengine_variant. */
void clr_block_layout(const clradio_xengine_config *config, const int64_t *values,
                      clradio_layout *layout, uint32_t *block_times);
clradio_status clr_block_prepare(clradio_xengine *plan);
uint64_t clr_block_groups(const clradio_xengine *plan);
clradio_status clr_block_sum(clradio_xengine *plan, clr_chain *chain, const clr_xengine_work *work);

#endif
