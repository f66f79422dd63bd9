/*
 * What the variants for NVIDIA's matrix units share: the layouts that they read, their tiles, the
 * launch. cl/xengine_mma.cl and cl/xengine_wgmma.cl take the same arguments.
 */
#ifndef CLR_ENGINE_XENGINE_MMA_H
#define CLR_ENGINE_XENGINE_MMA_H

#include "engine/xengine_internal.h"

/* (2^31 - 1) / (2 128^2), rounded down to whole blocks; 4-bit parts are multiplied by 16. */
enum { CLR_XENGINE_MMA_MOST_SPECTRA = 65504 };

enum { UNIT_BYTES = 16 }; /* that an asynchronous copy takes */

/* Inputs that lie together are read as they come when asynchronous copies of 16 bytes can take
 * them, all else in blocks of 32 bytes an input. */
clradio_layout clr_xengine_mma_layout(const clradio_xengine_config *config);
/* T of the blocks of such a layout; 0 where it has none. */
uint32_t clr_xengine_mma_block_times(const clradio_xengine_config *config, clradio_layout layout);
/* Both, as a variant's `layout`. */
void clr_xengine_mma_reads(const clradio_xengine_config *config, const int64_t *values,
                           clradio_layout *layout, uint32_t *block_times);
/* Tiles of wy x wx inputs that hold a baseline: a row of tiles has the columns up to its last
 * input. */
uint64_t clr_xengine_mma_tiles(uint64_t inputs, uint64_t wy, uint64_t wx);
/* Stations of the self-test: more than a tile, so many that it reads the same layout, by the same
 * program, as the plan. */
uint32_t clr_xengine_mma_test_stations(const clradio_xengine *plan, uint64_t wy, uint64_t wx);
/* Whether the device has a warpgroup's asynchronous products: compute capability 9.0 alone. */
int clr_xengine_has_wgmma(const clradio_device_info *device);
/* UNSUPPORTED where the variant of that name would need them. */
clradio_status clr_xengine_check_wgmma(const clradio_device_info *device, const char *variant,
                                       int emulated);
/* UNSUPPORTED where so many work-items are more than a work-group has. */
clradio_status clr_xengine_check_warpgroups(const clradio_device_info *device, int64_t warpgroups,
                                            uint64_t group);
/* UNSUPPORTED where stages of that shape need more local memory than there is for a work-group. */
clradio_status clr_xengine_mma_check_local(uint64_t local, uint64_t most, int64_t t_stage,
                                           int64_t stages, int64_t resident);

/* Sums a work: one work-group of `group` work-items for each of the variant's groups. */
clradio_status clr_xengine_mma_launch(clradio_xengine *plan, clr_chain *chain,
                                      const clr_xengine_work *work, size_t group);

#endif
