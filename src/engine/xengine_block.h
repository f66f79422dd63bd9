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
    CLR_BLOCK_SPLIT_T,
    CLR_BLOCK_PARAMETERS
};

#define CLR_BLOCK_TABLE                                                                            \
    [CLR_BLOCK_W] = { "W", 1, 1024 }, [CLR_BLOCK_GX] = { "Gx", 1, 8 },                             \
    [CLR_BLOCK_GY] = { "Gy", 1, 8 }, [CLR_BLOCK_DX] = { "Dx", 2, 16 },                             \
    [CLR_BLOCK_DY] = { "Dy", 2, 16 }, [CLR_BLOCK_T_STAGE] = { "T_STAGE", 1, 64 },                  \
    [CLR_BLOCK_ASYNC] = { "ASYNC", 0, 1 }, [CLR_BLOCK_SPLIT_T] = { "SPLIT_T", 0, 4096 }

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

/* Members of a clr_xengine_variant. */
clradio_status clr_block_prepare(clradio_xengine *plan);
uint64_t clr_block_groups(const clradio_xengine *plan);
void clr_block_release(clradio_xengine *plan);

/* The launch's shape and its first arguments: spectra, sums, sizes, slices, add. */
void clr_block_launch(const clradio_xengine *plan, const clr_xengine_work *work,
                      clr_launch *launch);

#endif
