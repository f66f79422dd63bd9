/*
 * The dialect that every kernel is written in, so that one source serves OpenCL C 1.2 and CUDA C (NVRTC).
 *
 * The host defines:
 *   CLR_OPENCL or CLR_CUDA   the back end
 *   HAVE_FP64, HAVE_FP16     0 or 1, probed by a build on the device
 *
 * Rules: no vector swizzles, no vector operators, no images, no printf. ASM is volatile in both, ASM_PURE in neither. LOCAL declares local
 * memory, LOCAL_PTR points to it. LOCAL_LARGE declares an array that may pass the usual 48 KiB, aligned to 16 bytes, one in a kernel:
 * CUDA takes its size from the launch (clr_launch.large_local_bytes). RESIDENT_GROUPS is REQD_GROUP with so many work-groups of x that a
 * multiprocessor's registers have to hold at once (0: as the compiler likes; OpenCL's is not told). LOCAL_ADDRESS is what inline PTX takes. Device arrays arrive as a base and a byte
 * offset: SPAN in the parameter list, SPAN_AT in the body.
 */
#if defined(CLR_CUDA)

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong;
typedef long long dlong;
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define CONSTANT __constant__ const
#define LOCAL __shared__
#define LOCAL_PTR
#define LOCAL_LARGE(type, name, count)                                                                                     \
    extern __shared__ __align__(16) uchar clr_large_local[];                                                               \
    type *const name = (type *)clr_large_local
#define LOCAL_ADDRESS(pointer) ((uint)__cvta_generic_to_shared(pointer))
#define RESTRICT __restrict__
#define REQD_GROUP(x, y, z) __launch_bounds__((x) * (y) * (z))
#define RESIDENT_GROUPS(x, groups) __launch_bounds__(x, groups)
#define INLINE static __device__ __forceinline__
#define BARRIER() __syncthreads()
#define GROUP_ID(d) ((d) == 0 ? blockIdx.x : (d) == 1 ? blockIdx.y : blockIdx.z)
#define LOCAL_ID(d) ((d) == 0 ? threadIdx.x : (d) == 1 ? threadIdx.y : threadIdx.z)
#define GROUPS(d) ((d) == 0 ? gridDim.x : (d) == 1 ? gridDim.y : gridDim.z)
#define UNROLL _Pragma("unroll")
#define NOUNROLL _Pragma("unroll 1")
#define ASM asm volatile
#define ASM_PURE asm
#define FMA(a, b, c) fmaf(a, b, c)
#define ATOMIC_ADD(pointer, value) atomicAdd(pointer, value)

#else

#if defined(__clang__)
/* A parameter is a constant wherever it stands, so a condition on one is no slip of the pen; and UNROLL is a wish. PoCL would print
 * how many such warnings there are in front of a user who cannot do anything about them. */
#pragma clang diagnostic ignored "-Wconstant-logical-operand"
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

typedef long dlong;
#define KERNEL __kernel void
#define GLOBAL __global
#define CONSTANT __constant const
#define LOCAL __local
#define LOCAL_PTR __local
#define LOCAL_LARGE(type, name, count) __local type name[count] __attribute__((aligned(16)))
#define LOCAL_ADDRESS(pointer) ((uint)(ulong)(pointer))
#define RESTRICT restrict
#define REQD_GROUP(x, y, z) __attribute__((reqd_work_group_size(x, y, z)))
#define RESIDENT_GROUPS(x, groups) REQD_GROUP(x, 1, 1)
#define INLINE static inline
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define GROUP_ID(d) get_group_id(d)
#define LOCAL_ID(d) get_local_id(d)
#define GROUPS(d) get_num_groups(d)
#if defined(__NV_CL_C_VERSION)
#define UNROLL _Pragma("unroll")
#define NOUNROLL _Pragma("unroll 1")
#else
#define UNROLL __attribute__((opencl_unroll_hint))
#define NOUNROLL __attribute__((opencl_unroll_hint(1)))
#endif
#define ASM __asm__ volatile
#define ASM_PURE __asm__
#define FMA(a, b, c) fma(a, b, c)
#define ATOMIC_ADD(pointer, value) atomic_add(pointer, value)
#if HAVE_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if HAVE_FP16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#endif

#ifndef HAVE_FP64
#define HAVE_FP64 0
#endif
#ifndef HAVE_FP16
#define HAVE_FP16 0
#endif

/* A float and its bits. */
#if defined(CLR_CUDA)
#define AS_FLOAT(bits) __uint_as_float(bits)
#define AS_UINT(value) __float_as_uint(value)
#else
#define AS_FLOAT(bits) as_float(bits)
#define AS_UINT(value) as_uint(value)
#endif

/* dlong: 64-bit signed in both languages (OpenCL's long; CUDA's long long). */

/* The IEEE half whose bits lie at a pointer to ushort. No device has to calculate in halves for that. */
#if defined(CLR_CUDA)
INLINE float load_half(GLOBAL const ushort *from)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(*from));
    return value;
}
#else
#define load_half(from) vload_half(0, (GLOBAL const half *)(from))
#endif

/* The half whose bits those are (the low 16). Once: offline compilers include this file several times. */
#ifndef HALF_BITS
#define HALF_BITS
INLINE float half_bits(const uint bits)
{
#if defined(CLR_CUDA)
    const ushort half_of = (ushort)bits;
    return load_half(&half_of);
#else
    const ushort half_of = (ushort)bits;
    return vload_half(0, (const half *)&half_of);
#endif
}
#endif

/* A device array in a parameter list: SPAN(const float, taps) gives taps_base and taps_offset (bytes). */
#define SPAN(type, name) GLOBAL type *RESTRICT name##_base, const ulong name##_offset
#define SPAN_AT(type, name) ((GLOBAL type *)((GLOBAL const char *)(name##_base) + (name##_offset)))
