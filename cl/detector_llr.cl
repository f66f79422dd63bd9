/*
 * Detector: LLRs from the least metrics with a bit 0 and 1. Included after detector_common.cl. Not a kernel by itself.
 *
 * Host macros:
 *   LLR_BYTE  1: LLRs are int8, rounded half to even and saturated at +-127; 0: float (0)
 */
#ifndef LLR_BYTE
#define LLR_BYTE 0
#endif

/* flags of a call */
#define LLR_ONE 1 /* ln P(1)/P(0) */

typedef struct llr_t {
    GLOBAL uchar *to;
    float clip, scale;
    uint flags;
} llr_t;

/* Bit b of column c (0 the most significant of its axis); less: the metrics' difference over N0. */
INLINE void store_llr(const llr_t *llr, ulong vector, GLOBAL const float *model, int c, int b, float zero, float one,
                      float noise_variance)
{
    const ulong place = vector * BITS + MODEL_FIRST_BIT(c) + b * MODEL_BIT_STEP(c);
    float value = one == zero ? 0 : (one - zero) / noise_variance;
    value = value != value ? 0 : fmin(fmax(value, -llr->clip), llr->clip);
    value = (llr->flags & LLR_ONE ? -value : value) * llr->scale;
#if LLR_BYTE
    llr->to[place] = (uchar)(int)rint(fmin(fmax(value, -127.0f), 127.0f));
#else
    ((GLOBAL float *)llr->to)[place] = value;
#endif
}

INLINE void store_no_llrs(const llr_t *llr, ulong vector)
{
    for (int b = 0; b < BITS; b++)
#if LLR_BYTE
        llr->to[vector * BITS + b] = 0;
#else
        ((GLOBAL float *)llr->to)[vector * BITS + b] = 0;
#endif
}

/* What is given out for a vector whose input is not finite. */
INLINE void store_nothing(const outputs_t *to, const llr_t *llr, ulong vector)
{
    store_invalid(to, vector);
    if (llr->to)
        store_no_llrs(llr, vector);
}
