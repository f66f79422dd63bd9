/*
 * The variant "wgmma": its parameters, and what follows from their values (xengine_wgmma_shape.c).
 */
#ifndef CLR_ENGINE_XENGINE_WGMMA_H
#define CLR_ENGINE_XENGINE_WGMMA_H

#include "engine/xengine_internal.h"

enum { WARPGROUPS, COLUMNS, PRODUCT, T_STAGE, STAGES, RESIDENT };
enum {
    COPIERS = RESIDENT + 1,
    RUN,
    SKIP,
    EXTRA,
    LAST,
    OWN_LOCAL,
    EMULATED,
    READ,
    SHIFTED,
    SPLIT_T,
    PARAMETERS
};

enum { WARP = 32, WARPGROUP = 128, REGISTER_FILE = 65536 };
enum {
    HALF_RUN = 256
}; /* of cf16 in one sum of the hardware, which cuts off: 1,024 miss the bound */

int clr_wgmma_is_half(const clradio_xengine_config *config);
/* Whether products are of both operands as they lie in [time][channel][input] (READ=2), which is
 * what halves can have, with four sums where else there are two. */
int clr_wgmma_is_gram(const int64_t *values);
/* Inputs along the rows of a tile. */
uint64_t clr_wgmma_rows(const int64_t *values);
/* Whether spectra of [time][channel][input] that are no whole lines of 128 bytes can be read as
 * they lie: those of all channels together are whole units of 16 bytes. */
int clr_wgmma_can_shift(const clradio_xengine_config *config);
/* Whether they are. */
int clr_wgmma_is_shifted(const clradio_xengine_config *config, const int64_t *values);
/* The default. */
void clr_wgmma_take_shift(const clradio_xengine_config *config, int64_t *values);
/* What tiles cover: inputs with those in front of a channel's first in its first unit, without
 * those that come before all tiles. */
uint64_t clr_wgmma_tiled(const clradio_xengine_config *config, const int64_t *values);
/* The layout that it reads by itself. */
clradio_layout clr_wgmma_layout(const clradio_xengine_config *config, const int64_t *values);
/* Whether the columns are rewritten: blocks of ci8 and cf16 lie as the products want them. */
int clr_wgmma_is_rewritten(const clradio_xengine_config *config, const int64_t *values);
uint64_t clr_wgmma_local_bytes(const clradio_xengine_config *config, const int64_t *values);
/* Whether the warps that only copy leave their registers to the others. */
int clr_wgmma_hands_over(const int64_t *values);
/* Inputs that fill no tile, where there is a full one. */
uint64_t clr_wgmma_inputs_beyond(const clradio_xengine_config *config, const int64_t *values);
/* Columns beyond a tile's for these. */
void clr_wgmma_take_extra(const clradio_xengine_config *config, int64_t *values);
/* Stages of a default give way to them. */
void clr_wgmma_make_room(const clradio_xengine_config *config, int64_t *values);
clradio_status clr_wgmma_check_shape(const clradio_xengine_config *config, const int64_t *values);
clradio_status clr_wgmma_check_local(const clradio_device_info *device,
                                     const clradio_xengine_config *config, const int64_t *values);

#endif
