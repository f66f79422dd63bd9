/*
 * Detector: where a lane of detector_lane.cl keeps its tree, and how its numbers are read and written there. Part of that
 * kernel, whose parameters STACK, HALVES and CTA_SIZE it takes.
 */

/* The triangle and Q^T y, and the stack, in floats and in halves: element e of lane l at [e * CTA_SIZE + l] in local memory,
 * at [e] in private. */
#define IN_BEFORE 0
#define IN_TARGET LEVELS
#define IN_CHOSEN 0
#define IN_NEXT LEVELS
#define IN_STEP (2 * LEVELS)
#define TRIANGLE_FLOATS ((HALVES == 2 ? 0 : TRIANGLE) + LEVELS)
#define TRIANGLE_HALVES (HALVES == 2 ? TRIANGLE : 0)
#define STACK_FLOATS (2 * LEVELS + (HALVES ? 0 : 3 * LEVELS))
#define STACK_HALVES (HALVES ? 3 * LEVELS : 0)

#if STACK == 1 || STACK == 2
#define TRIANGLE_SPACE LOCAL_PTR
#define TRIANGLE_PITCH CTA_SIZE
#else
#define TRIANGLE_SPACE
#define TRIANGLE_PITCH 1
#endif
#if STACK == 1 || STACK == 3
#define STACK_SPACE LOCAL_PTR
#define STACK_PITCH CTA_SIZE
#else
#define STACK_SPACE
#define STACK_PITCH 1
#endif
typedef struct memory_t {
    TRIANGLE_SPACE float *triangle; /* Q^T y, then, but for HALVES == 2, R */
    STACK_SPACE float *stack;
#if HALVES == 2
    TRIANGLE_SPACE ushort *half_triangle;
#endif
#if HALVES
    STACK_SPACE ushort *half_stack;
#endif
} memory_t;

#if defined(CLR_CUDA)
#define LOWEST_BIT(x) (__ffs((int)(x)) - 1)
INLINE void set_half(ushort *to, float value)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(*to) : "f"(value));
}
#define HALF_AT(space, from) load_half(from)
#define SET_HALF(space, to, value) set_half(to, value)
#else
#define LOWEST_BIT(x) (31 - (int)clz((x) & (0u - (x))))
#define HALF_AT(space, from) vload_half(0, (space const half *)(from))
#define SET_HALF(space, to, value) vstore_half_rte(value, 0, (space half *)(to))
#endif

#define Y(level) memory.triangle[(level) * TRIANGLE_PITCH]
#if HALVES == 2
#define R(place) HALF_AT(TRIANGLE_SPACE, memory.half_triangle + (place) * TRIANGLE_PITCH)
#define SET_R(place, value) SET_HALF(TRIANGLE_SPACE, memory.half_triangle + (place) * TRIANGLE_PITCH, value)
#else
#define R(place) memory.triangle[(LEVELS + (place)) * TRIANGLE_PITCH]
#define SET_R(place, value) R(place) = (value)
#endif
#define AT(word) memory.stack[(word) * STACK_PITCH]
#if HALVES
#define SMALL(word) HALF_AT(STACK_SPACE, memory.half_stack + (word) * STACK_PITCH)
#define SET_SMALL(word, value) SET_HALF(STACK_SPACE, memory.half_stack + (word) * STACK_PITCH, value)
#else
#define SMALL(word) AT(2 * LEVELS + (word))
#define SET_SMALL(word, value) SMALL(word) = (value)
#endif

/* A kernel's arrays, and the lane's part of them. */
#if STACK == 1 || STACK == 2
#define DECLARE_TRIANGLE(type, name, count) LOCAL type name[(count) * CTA_SIZE]
#define TRIANGLE_OF(name, lane) ((name) + (lane))
#else
#define DECLARE_TRIANGLE(type, name, count) type name[count]
#define TRIANGLE_OF(name, lane) (name)
#endif
#if STACK == 1 || STACK == 3
#define DECLARE_STACK(type, name, count) LOCAL type name[(count) * CTA_SIZE]
#define STACK_OF(name, lane) ((name) + (lane))
#else
#define DECLARE_STACK(type, name, count) type name[count]
#define STACK_OF(name, lane) (name)
#endif

/* Declares `memory`, and what it points to, of a lane; in a kernel. */
#if HALVES == 2
#define DECLARE_HALF_TRIANGLE(memory, lane)                                                                            \
    DECLARE_TRIANGLE(ushort, half_triangles, TRIANGLE_HALVES);                                                         \
    memory.half_triangle = TRIANGLE_OF(half_triangles, lane)
#else
#define DECLARE_HALF_TRIANGLE(memory, lane)
#endif
#if HALVES
#define DECLARE_HALF_STACK(memory, lane)                                                                               \
    DECLARE_STACK(ushort, half_stacks, STACK_HALVES);                                                                  \
    memory.half_stack = STACK_OF(half_stacks, lane)
#else
#define DECLARE_HALF_STACK(memory, lane)
#endif
#define DECLARE_MEMORY(memory, lane)                                                                                   \
    memory_t memory;                                                                                                   \
    DECLARE_TRIANGLE(float, triangles, TRIANGLE_FLOATS);                                                               \
    DECLARE_STACK(float, stacks, STACK_FLOATS);                                                                        \
    memory.triangle = TRIANGLE_OF(triangles, lane);                                                                    \
    memory.stack = STACK_OF(stacks, lane);                                                                             \
    DECLARE_HALF_TRIANGLE(memory, lane);                                                                               \
    DECLARE_HALF_STACK(memory, lane)
