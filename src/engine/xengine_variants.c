/* The X-engine's variants, best first. The portable one always serves. */
#include "engine/xengine_internal.h"

const clr_xengine_variant *const clr_xengine_variants[] = {
    &clr_xengine_wgmma, &clr_xengine_mma,  &clr_xengine_mfma,  &clr_xengine_wmma,
    &clr_xengine_dot4,  &clr_xengine_fma,  &clr_xengine_panel, &clr_xengine_tile,
    &clr_xengine_blas,  &clr_xengine_tf32, &clr_xengine_bf16,
};
const size_t clr_xengine_variant_count = sizeof clr_xengine_variants / sizeof *clr_xengine_variants;
