/*
 * What the X-engine's register-blocked kernels share (xengine_fma.cl, xengine_dot4.cl): where a work-item's inputs lie in a
 * square block of the lower triangle of the correlation matrix, and how its sums reach the wide ones.
 *
 * A block has EDGE x EDGE inputs (not stations). Its work-items form patches of 8 x 4 = 32 neighbours, which graphics
 * processors run in step: Gx x Gy patches make the work-group, and a patch owns a compact 8 Dx x 4 Dy part of the block, so
 * that whole patches above the diagonal or beyond the array skip the arithmetic. Within its patch a work-item owns pairs of
 * neighbouring inputs, 16 in x and 8 in y apart: what a patch reads together from local memory lies together.
 *
 * Parameters (allowed values; default):
 *   Gx, Gy  patches of a work-group in x and y (1..8; 2, 2)
 *   Dx, Dy  inputs of a work-item in x and y (even; 4, 8), with 8 Gx Dx = 4 Gy Dy = EDGE, which divides 32 Gx Gy
 *   ASYNC   1: copies by cp.async (NVIDIA, sm_80 and later); 2: those of 16 bytes past the first level of the cache; 0: through registers (0)
 *   LANES   1: neighbours of a patch are numbered for NVIDIA's local memory (0)
 *
 * The including kernel defines DIRECT (1: it can write visibilities itself).
 */
#include "xengine_triangle.cl"
#if DIRECT
#include "xengine_output.cl"
#else
typedef uint out_t;
#endif

#ifndef Gx
#define Gx 2
#endif
#ifndef Gy
#define Gy 2
#endif
#ifndef Dx
#define Dx 4
#endif
#ifndef Dy
#define Dy 8
#endif
#ifndef ASYNC
#define ASYNC 0
#endif
#ifndef LANES
#define LANES 0
#endif

/* Copies from global to local memory that pass no registers (cp.async), also of fewer bytes than are written: the rest
 * becomes zero. bytes: 4, 8 or 16, to which both sides are aligned. COPY_COMMIT ends a batch of a work-item's copies;
 * COPY_WAIT(n) waits until at most n batches are under way; a barrier then shows them to the group. */
#if ASYNC
#define COPY_ASYNC(to, from, bytes, there)                                                                             \
    ASM("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(LOCAL_ADDRESS(to)), "l"((ulong)(from)), "n"(bytes),      \
        "r"((uint)(there))                                                                                             \
        : "memory")
#if ASYNC == 2
#define COPY_16_ASYNC(to, from, there)                                                                                 \
    ASM("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(LOCAL_ADDRESS(to)), "l"((ulong)(from)),                  \
        "r"((uint)(there))                                                                                             \
        : "memory")
#else
#define COPY_16_ASYNC(to, from, there) COPY_ASYNC(to, from, 16, there)
#endif
#define COPY_COMMIT() ASM("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(n) ASM("cp.async.wait_group %0;" ::"n"(n) : "memory")
#else
#define COPY_WAIT(n)
#endif

#define PATCH_X 8
#define PATCH_Y 4
#define GROUP (PATCH_X * PATCH_Y * Gx * Gy)
#define EDGE (PATCH_X * Gx * Dx)
#define EDGE_PAIRS (EDGE / 2)
#define SUMS (Dx * Dy) /* complex ones of a work-item */

/* The pairs of inputs that a work-item owns: x_pair + 8 v of the block's columns, y_pair + 4 v of its rows. */
typedef struct block_place {
    uint x_pair, y_pair;
    uint x_first, y_first; /* the block's first column and row: inputs */
    uint inputs;           /* of the array */
    int useful;            /* whether any of its sums is asked for */
} block_place;

/* Where a work-item stands in its patch. NVIDIA's local memory answers a read of 16 bytes a work-item for eight of them at a time, but
 * for sixteen where each has the address of its neighbour, or of the next but one: so with LANES=1 neighbours share a column, and those
 * two apart a row. */
#if LANES
#define LANE_X(lane) ((lane) / 2 % PATCH_X)
#define LANE_Y(lane) ((lane) % 2 + (lane) / 16 * 2)
#else
#define LANE_X(lane) ((lane) % PATCH_X)
#define LANE_Y(lane) ((lane) / PATCH_X)
#endif

INLINE block_place block_of(const uint block, const uint item, const uint inputs)
{
    block_place p;
    const uint lane = item % (PATCH_X * PATCH_Y), patch = item / (PATCH_X * PATCH_Y);
    const uint row = block_row(block, (inputs + EDGE - 1) / EDGE);
    p.x_pair = patch % Gx * (PATCH_X * Dx / 2) + LANE_X(lane);
    p.y_pair = patch / Gx * (PATCH_Y * Dy / 2) + LANE_Y(lane);
    p.y_first = row * EDGE;
    p.x_first = (block - (uint)((ulong)row * (row + 1) / 2)) * EDGE;
    p.inputs = inputs;
    const uint x = p.x_first + 2 * p.x_pair, y = p.y_first + 2 * p.y_pair, last = y + PATCH_Y * (Dy - 2) + 1;
    p.useful = x < inputs && y < inputs && x / NPOL <= last / NPOL;
    return p;
}

/* The input of a work-item's row r or column c. */
#define BLOCK_ROW(p, r) ((p)->y_first + 2 * ((p)->y_pair + PATCH_Y * ((r) / 2)) + (r) % 2)
#define BLOCK_COLUMN(p, c) ((p)->x_first + 2 * ((p)->x_pair + PATCH_X * ((c) / 2)) + (c) % 2)

/* Adds the complex sum of a work-item's row r and column c to the wide ones (keep = 0: writes it). */
#define keep_sum(to, p, r, c, re, im, keep)                                                                            \
    keep_sum_of(to, BLOCK_ROW(p, r), BLOCK_COLUMN(p, c), (p)->inputs, re, im, keep)

/* The arguments of these kernels; the first channel's sums; where visibilities go. */
#define BLOCK_ARGUMENTS(sample)                                                                                        \
    SPAN(const sample, spectra), SPAN(wide_t, sums), SPAN(out_t, visibilities), const uint stations,                   \
        const uint first_channel, const ulong run_stride, const ulong channel_stride, const ulong input_stride,        \
        const ulong spectra_count, const ulong slice_length, const uint add, const uint coding, const uint direct,     \
        const ulong plane, const uint order, const uint conjugate

#define BLOCK_SUMS                                                                                                     \
    (SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * ((ulong)stations * (stations + 1) / 2) * \
                                 (2 * NPOL * NPOL))

#if DIRECT
typedef struct block_output {
    output to;
    uint direct;
} block_output;

#define BLOCK_OUTPUT(name)                                                                                             \
    block_output name;                                                                                                 \
    TAKE_OUTPUT(name.to);                                                                                              \
    name.direct = direct

INLINE void put_sum(const block_output *out, const block_place *p, const uint r, const uint c, const out_t re,
                    const out_t im)
{
    const uint i = BLOCK_ROW(p, r), j = BLOCK_COLUMN(p, c);
    if (i < p->inputs && j / NPOL <= i / NPOL)
        put_visibility(&out->to, i, j, re, im);
}
#else
typedef uint block_output;
#define BLOCK_OUTPUT(name) const block_output name = 0
#endif
