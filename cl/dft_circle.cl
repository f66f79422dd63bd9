/*
 * Cosine and sine of a fraction of a turn, of its 32 high bits, from 32 points of the circle in local memory: the nearest point, each of its numbers in two floats,
 * turned on by what is left, at most a 64th of a turn, for which short polynomials do. About 20 operations and a load where turns_cos_sin
 * (dft_phase.cl) has 50, and no less exact: within 0.8 of a last place of 1. For devices whose local memory is fast.
 *
 * Host macros: CIRCLE   1: so; 2: with the points from CUDA's global memory, whose neighbours a warp reads at once, where constant memory gives it one after another;
 * 0 (and with REAL64): as turns_cos_sin. A kernel declares CIRCLE_IN_LOCAL_MEMORY and lets FILL_CIRCLE come
 * before a barrier; TURNED is what it calls, and functions that have CIRCLE_ARGUMENT, to which CIRCLE_POINTER is given.
 */
#ifndef CIRCLE
#define CIRCLE 0
#endif

#if CIRCLE && !REAL64
#define CIRCLE_POINTS 32
#define CIRCLE_IN_LOCAL_MEMORY LOCAL float4 circle[CIRCLE_POINTS]
#define CIRCLE_ARGUMENT LOCAL_PTR const float4 *circle
#define CIRCLE_POINTER circle
#define FILL_CIRCLE(id, group) fill_circle((LOCAL_PTR float4 *)circle, id, group)
#define TURNED_32(turn, cosine, sine) turned_from_circle(circle, turn, cosine, sine)
#define TURNED(fraction, cosine, sine) turned_from_circle(circle, (uint)((fraction) >> 32), cosine, sine)

/* The cosines of 0 to 7 points, of the eight of a quarter, and what they lack. */
#define EIGHTHS FROM_EIGHTHS(1.0f, 0.980785251f, 0.923879504f, 0.831469595f, 0.707106769f, 0.555570245f, 0.382683426f, 0.195090324f)
#define EIGHTHS_LESS                                                                                                           \
    FROM_EIGHTHS(0.0f, 2.97394731e-08f, 2.83074897e-08f, 1.68702634e-08f, 1.21016175e-08f, -1.17695214e-08f, 6.22335072e-09f, \
                 -1.67047143e-09f)

#if CIRCLE == 2
/* Of all points. */
#define FROM_EIGHTHS(a, b, c, d, e, f, g, h)                                                                                   \
    a, b, c, d, e, f, g, h, 0.0f, -(h), -(g), -(f), -(e), -(d), -(c), -(b), -(a), -(b), -(c), -(d), -(e), -(f), -(g), -(h),   \
        0.0f, h, g, f, e, d, c, b
static __device__ const float circle_cosines[CIRCLE_POINTS] = { EIGHTHS }, circle_less[CIRCLE_POINTS] = { EIGHTHS_LESS };

INLINE void cosine_of_point(const uint point, float *most, float *less)
{
    *most = circle_cosines[point % CIRCLE_POINTS];
    *less = circle_less[point % CIRCLE_POINTS];
}
#else
#define FROM_EIGHTHS(a, b, c, d, e, f, g, h) a, b, c, d, e, f, g, h, 0.0f
CONSTANT float eighths[9] = { EIGHTHS }, eighths_less[9] = { EIGHTHS_LESS };

INLINE void cosine_of_point(const uint point, float *most, float *less)
{
    const uint from_0 = point % 32, of_half = from_0 <= 16 ? from_0 : 32 - from_0;
    const uint at = of_half <= 8 ? of_half : 16 - of_half;
    *most = of_half <= 8 ? eighths[at] : -eighths[at];
    *less = of_half <= 8 ? eighths_less[at] : -eighths_less[at];
}
#endif

INLINE void fill_circle(LOCAL_PTR float4 *circle, const uint id, const uint group)
{
    for (uint point = id; point < CIRCLE_POINTS; point += group) {
        float4 of;
        float most, less;
        cosine_of_point(point, &most, &less);
        of.x = most;
        of.z = less;
        cosine_of_point(point + 24, &most, &less); /* the sine: a quarter before */
        of.y = most;
        of.w = less;
        circle[point] = of;
    }
}

INLINE void turned_from_circle(LOCAL_PTR const float4 *circle, const uint turn, float *cosine, float *sine)
{
    const float4 of = circle[(turn + 0x04000000u) >> 27];
    const float x = (float)(int)(turn << 5) * 4.571619e-11f, y = x * x; /* 2 pi 2^-37 */
    const float s = FMA(x * y, FMA(y, 8.33333377e-3f, -0.166666672f), x), c = y * FMA(y, 4.16666679e-2f, -0.5f);
    *cosine = of.x + FMA(-of.y, s, FMA(of.x, c, of.z));
    *sine = of.y + FMA(of.x, s, FMA(of.y, c, of.w));
}
#else
#define CIRCLE_IN_LOCAL_MEMORY (void)0
#define CIRCLE_ARGUMENT const uint circle
#define CIRCLE_POINTER 0
#define FILL_CIRCLE(id, group) (void)0
#define TURNED_32(turn, cosine, sine) turns_cos_sin((ulong)(turn) << 32, cosine, sine)
#define TURNED(fraction, cosine, sine) turns_cos_sin(fraction, cosine, sine)
#endif
