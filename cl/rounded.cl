/*
 * Products and sums of floats that are each rounded by themselves, on every device and whatever a compiler would join: what pairs of
 * floats and random numbers of the same bits everywhere are made of. Included after common.cl. Not a kernel by itself.
 */
#if defined(CLR_CUDA)

INLINE float FMUL(float a, float b) { return __fmul_rn(a, b); }
INLINE float FADD(float a, float b) { return __fadd_rn(a, b); }

#else

#pragma OPENCL FP_CONTRACT OFF
#if defined(__NV_CL_C_VERSION)
/* .rn is never contracted, whatever the options are. */
INLINE float FMUL(float a, float b)
{
    float product;
    __asm__("mul.rn.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
    return product;
}
INLINE float FADD(float a, float b)
{
    float sum;
    __asm__("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    return sum;
}
#else
INLINE float FMUL(float a, float b) { return a * b; }
INLINE float FADD(float a, float b) { return a + b; }
#endif

#endif
