/*
 * c + the dot product of two words of four signed bytes each, in the way that was found to build on the device.
 *
 * Host macro:
 *   HAVE_PACKED_DOT  0 none: plain code; 1 NVIDIA's dp4a (sm_61 and later); 2 AMD's sdot4 (gfx906, gfx908, gfx90a, gfx103x);
 *                    3 AMD's sudot4 (gfx11); 4 cl_khr_integer_dot_product
 */
#include "common.cl"

#ifndef HAVE_PACKED_DOT
#define HAVE_PACKED_DOT 0
#endif

#define SIGNED_BYTE(word, n) ((int)((word) << (24 - 8 * (n))) >> 24)

INLINE int packed_dot(const uint a, const uint b, const int c)
{
#if HAVE_PACKED_DOT == 1
    int result;
    ASM("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
#elif HAVE_PACKED_DOT == 2
    return __builtin_amdgcn_sdot4((int)a, (int)b, c, 0);
#elif HAVE_PACKED_DOT == 3
    return __builtin_amdgcn_sudot4(1, (int)a, 1, (int)b, c, 0);
#elif HAVE_PACKED_DOT == 4
    return dot_4x8packed_ss_int(a, b) + c;
#else
    return c + SIGNED_BYTE(a, 0) * SIGNED_BYTE(b, 0) + SIGNED_BYTE(a, 1) * SIGNED_BYTE(b, 1) +
           SIGNED_BYTE(a, 2) * SIGNED_BYTE(b, 2) + SIGNED_BYTE(a, 3) * SIGNED_BYTE(b, 3);
#endif
}

/* Bytes of two words, the first word's first: {a0 b0 a1 b1}, {a2 b2 a3 b3}, {a0 a1 b0 b1}, {a2 a3 b2 b3}. */
INLINE uint interleave_low(const uint a, const uint b)
{
    return (a & 0xffu) | (b & 0xffu) << 8 | (a & 0xff00u) << 8 | (b & 0xff00u) << 16;
}

INLINE uint interleave_high(const uint a, const uint b)
{
    return (a >> 16 & 0xffu) | (b >> 8 & 0xff00u) | (a >> 8 & 0xff0000u) | (b & 0xff000000u);
}

INLINE uint low_halves(const uint a, const uint b)
{
    return (a & 0xffffu) | b << 16;
}

INLINE uint high_halves(const uint a, const uint b)
{
    return a >> 16 | (b & 0xffff0000u);
}

/* {a0 a2 b0 b2} */
INLINE uint even_bytes(const uint a, const uint b)
{
    return (a & 0xffu) | (a >> 8 & 0xff00u) | (b & 0xffu) << 16 | (b & 0xff0000u) << 8;
}

/* Four bytes added, or subtracted, each by itself; no result passes a byte's range. */
INLINE uint add_bytes(const uint a, const uint b)
{
    return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}

INLINE uint subtract_bytes(const uint a, const uint b)
{
    return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u);
}
