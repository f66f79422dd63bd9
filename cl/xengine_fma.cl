/*
 * X-engine, fp32 at the rate of the multiply-adders: register blocks of complex inputs.
 *
 * Data flow:
 *   a work-group owns one EDGE x EDGE block of inputs of one channel and one slice of the time (xengine_block.cl);
 *   local memory holds BUFFERS stages of T_STAGE spectra of the block's rows and columns as they lie in memory, re and im
 *   together (cf16 widened), copied by the asynchronous unit or through registers while the stage before is used: one barrier a stage;
 *   registers of a work-item hold Dx x Dy complex sums of at most RUN spectra. RUNS of those are summed in local memory, where
 *   each work-item has places of its own, and only then go to the wide sums in global memory.
 *
 * Parameters (allowed values; default), besides those of xengine_block.cl:
 *   T_STAGE  spectra of a stage (a multiple of GROUP / EDGE; 8)
 *   BUFFERS  stages in local memory (2..4; 2)
 *   RUN      spectra summed in registers (a multiple of T_STAGE; 128)
 *   RUNS     runs summed in local memory (RUN RUNS is at most 1,024; 8)
 *
 * Host macros:
 *   NPOL   1 or 2 polarisations
 *   INPUT  the input's clradio_type: 1 cf32, 3 cf16 (with ASYNC=0)
 */
#ifndef INPUT
#define INPUT 1
#endif
#include "xengine_block.cl"

#ifndef T_STAGE
#define T_STAGE 8
#endif
#ifndef BUFFERS
#define BUFFERS 2
#endif
#ifndef RUN
#define RUN 128
#endif
#ifndef RUNS
#define RUNS 8
#endif

#define STAGE_PAIRS (T_STAGE * EDGE)   /* vectors of a stage: a pair of inputs of a row or a column each */
#define COPIES (STAGE_PAIRS / GROUP)   /* of them that a work-item copies */
#define COPY_STEP (GROUP / EDGE)       /* spectra from one to the next */

#if INPUT == 3
typedef uint sample_t;

/* The half whose bits those are, as a float. */
INLINE float half_bits(const uint bits)
{
#if defined(CLR_CUDA)
    float value;
    ASM("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"((ushort)bits));
    return value;
#else
    const ushort half_of = (ushort)bits;
    return vload_half(0, (const half *)&half_of);
#endif
}
#else
typedef float2 sample_t;
#endif

/* Where a work-item's copies come from and go to: the same pair of inputs of every COPY_STEP-th spectrum. */
typedef struct copy_place {
    GLOBAL const sample_t *from; /* of the next stage */
    ulong stride;                /* samples from spectrum to spectrum */
    uint spectrum, pair;         /* the first that it copies, and where that goes in a staged spectrum */
    uint there;                  /* inputs of the pair that the array has: 0, 1, 2 */
    int aligned;                 /* a pair is, in every spectrum */
} copy_place;

INLINE copy_place copies_of(const block_place *p, GLOBAL const sample_t *spectra, const ulong stride, const uint item)
{
    copy_place c;
    c.pair = item % EDGE;
    c.spectrum = item / EDGE;
    const uint input = c.pair < EDGE_PAIRS ? p->y_first + 2 * c.pair : p->x_first + 2 * (c.pair - EDGE_PAIRS);
    c.there = input >= p->inputs ? 0 : p->inputs - input < 2 ? 1 : 2;
    c.stride = stride;
    c.from = spectra + (c.there ? input : 0) + c.spectrum * stride;
    c.aligned = stride % 2 == 0 && (ulong)spectra % (2 * sizeof(sample_t)) == 0;
    return c;
}

#if ASYNC
typedef uint copied_t; /* nothing passes through registers */

/* Starts the copies of the next stage, of which `left` spectra are there: those behind, and inputs beyond the array, become
 * zeros (nothing is read where nothing is there). */
INLINE void start_copies(LOCAL_PTR float4 *stage, copy_place *c, const uint left, copied_t *copied)
{
    LOCAL_PTR float4 *const to = stage + c->spectrum * EDGE + c->pair;
    (void)copied;
    if (c->aligned) {
        UNROLL for (uint k = 0; k < COPIES; k++)
            COPY_ASYNC(to + k * COPY_STEP * EDGE, c->from + k * COPY_STEP * c->stride, 16,
                       c->spectrum + k * COPY_STEP < left ? 8 * c->there : 0);
    } else {
        UNROLL for (uint k = 0; k < COPIES; k++) {
            const uint there = c->spectrum + k * COPY_STEP < left ? c->there : 0;
            GLOBAL const sample_t *const from = c->from + k * COPY_STEP * c->stride;
            COPY_ASYNC(to + k * COPY_STEP * EDGE, from, 8, there ? 8 : 0);
            COPY_ASYNC((LOCAL_PTR float *)(to + k * COPY_STEP * EDGE) + 2, from + 1, 8, there > 1 ? 8 : 0);
        }
    }
    COPY_COMMIT();
    c->from += T_STAGE * c->stride;
}

#define END_COPIES(stage, c, copied)
#else
typedef sample_t copied_t;

INLINE void start_copies(LOCAL_PTR float4 *stage, copy_place *c, const uint left, copied_t *copied)
{
    (void)stage;
    UNROLL for (uint k = 0; k < COPIES; k++) {
        const uint there = c->spectrum + k * COPY_STEP < left ? c->there : 0;
        GLOBAL const sample_t *const from = c->from + k * COPY_STEP * c->stride;
        sample_t nothing;
#if INPUT == 3
        nothing = 0;
#else
        nothing.x = nothing.y = 0.0f;
#endif
        copied[2 * k] = there ? from[0] : nothing;
        copied[2 * k + 1] = there > 1 ? from[1] : nothing;
    }
    c->from += T_STAGE * c->stride;
}

INLINE void end_copies(LOCAL_PTR float4 *stage, const copy_place *c, const copied_t *copied)
{
    UNROLL for (uint k = 0; k < COPIES; k++) {
        float4 pair;
#if INPUT == 3
        pair.x = half_bits(copied[2 * k] & 0xffffu);
        pair.y = half_bits(copied[2 * k] >> 16);
        pair.z = half_bits(copied[2 * k + 1] & 0xffffu);
        pair.w = half_bits(copied[2 * k + 1] >> 16);
#else
        pair.x = copied[2 * k].x;
        pair.y = copied[2 * k].y;
        pair.z = copied[2 * k + 1].x;
        pair.w = copied[2 * k + 1].y;
#endif
        stage[(c->spectrum + k * COPY_STEP) * EDGE + c->pair] = pair;
    }
}

#define END_COPIES(stage, c, copied) end_copies(stage, c, copied)
#endif

/* Adds the products of a stage to the sums of a work-item: [Dy][Dx], re and im. */
INLINE void add_products(LOCAL_PTR const float4 *stage, const block_place *p, float *re, float *im)
{
    UNROLL for (uint s = 0; s < T_STAGE; s++) {
        LOCAL_PTR const float4 *y_at = stage + s * EDGE + p->y_pair, *x_at = stage + s * EDGE + EDGE_PAIRS + p->x_pair;
        float y_re[Dy], y_im[Dy], x_re[Dx], x_im[Dx];
        UNROLL for (uint v = 0; v < Dx / 2; v++) {
            const float4 pair = x_at[v * PATCH_X];
            x_re[2 * v] = pair.x;
            x_im[2 * v] = pair.y;
            x_re[2 * v + 1] = pair.z;
            x_im[2 * v + 1] = pair.w;
        }
        UNROLL for (uint v = 0; v < Dy / 2; v++) {
            const float4 pair = y_at[v * PATCH_Y];
            y_re[2 * v] = pair.x;
            y_im[2 * v] = pair.y;
            y_re[2 * v + 1] = pair.z;
            y_im[2 * v + 1] = pair.w;
        }
        /* In this order NVIDIA's compiler finds registers whose banks do not collide: 1 % of the instructions wait for
         * one, not 9 % as when a product's four stand together. */
        UNROLL for (uint r = 0; r < Dy; r++) {
            UNROLL for (uint c = 0; c < Dx; c++) {
                re[r * Dx + c] = FMA(y_re[r], x_re[c], re[r * Dx + c]);
                im[r * Dx + c] = FMA(-y_re[r], x_im[c], im[r * Dx + c]);
            }
            UNROLL for (uint c = 0; c < Dx; c++) {
                re[r * Dx + c] = FMA(y_im[r], x_im[c], re[r * Dx + c]);
                im[r * Dx + c] = FMA(y_im[r], x_re[c], im[r * Dx + c]);
            }
        }
    }
}

/* Moves the sums of a run to local memory, where those of the runs before are (first = 1: none are), and clears them. */
INLINE void add_run(LOCAL_PTR float4 *runs, float *re, float *im, const uint first)
{
    UNROLL for (uint n = 0; n < SUMS; n += 2) {
        LOCAL_PTR float4 *at = runs + n / 2 * GROUP;
        float4 sum;
        sum.x = re[n];
        sum.y = im[n];
        sum.z = re[n + 1];
        sum.w = im[n + 1];
        if (!first) {
            const float4 before = *at;
            sum.x += before.x;
            sum.y += before.y;
            sum.z += before.z;
            sum.w += before.w;
        }
        *at = sum;
        re[n] = im[n] = re[n + 1] = im[n + 1] = 0.0f;
    }
}

/* Moves a work-item's sums from local memory to the wide ones. A loop: the registers are another run's. */
INLINE void keep_runs(GLOBAL wide_t *to, const block_place *p, LOCAL_PTR const float4 *runs, const uint keep)
{
    NOUNROLL for (uint n = 0; n < SUMS; n += 2) {
        const float4 sum = runs[n / 2 * GROUP];
        keep_sum(to, p, n / Dx, n % Dx, widen(sum.x), widen(sum.y), keep);
        keep_sum(to, p, n / Dx, n % Dx + 1, widen(sum.z), widen(sum.w), keep);
    }
}

/*
 * Grid: x blocks, y channels of the chunk, z slices of the time.
 * spectra: sample (time, channel, input) at time spectrum_stride + channel channel_stride + input; sums: [slice][channel of the
 * chunk] of wide sums (xengine_sums.cl). Slice z takes the spectra z slice_length and on, slice_length (at most 2^31) of them. add = 1: added to what is in
 * sums; 0: written.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_fma(SPAN(const sample_t, spectra), SPAN(wide_t, sums), const uint stations,
            const ulong spectrum_stride, const ulong channel_stride, const ulong spectra_count, const ulong slice_length,
            const uint add)
{
    LOCAL float4 stages[BUFFERS * STAGE_PAIRS];
    LOCAL float4 run_sums[SUMS / 2 * GROUP];
    LOCAL_PTR float4 *const own_sums = run_sums + LOCAL_ID(0);
    const uint inputs = stations * NPOL;
    const block_place p = block_of(GROUP_ID(0), LOCAL_ID(0), inputs);
    const ulong begin = GROUP_ID(2) * slice_length;
    const uint count = (uint)(spectra_count - begin < slice_length ? spectra_count - begin : slice_length);
    copy_place c = copies_of(&p, SPAN_AT(const sample_t, spectra) + begin * spectrum_stride + GROUP_ID(1) * channel_stride,
                             spectrum_stride, LOCAL_ID(0));
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *const to =
        SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * baselines * (2 * NPOL * NPOL);
    copied_t copied[2 * COPIES];
    float re[SUMS], im[SUMS];
    uint keep = add, buffer = 0, runs = 0;
    uint time = 0, copied_to = 0;

    UNROLL for (uint n = 0; n < SUMS; n++)
        re[n] = im[n] = 0.0f;
    UNROLL for (uint b = 0; b < BUFFERS - 1; b++) {
        start_copies(stages + b * STAGE_PAIRS, &c, count - copied_to, copied);
        copied_to = count - copied_to < T_STAGE ? count : copied_to + T_STAGE;
        END_COPIES(stages + b * STAGE_PAIRS, &c, copied);
    }
    while (time < count) {
        const uint run_end = count - time < RUN ? count : time + RUN;
        NOUNROLL for (; time < run_end; time += T_STAGE) {
            const uint next = buffer == 0 ? BUFFERS - 1 : buffer - 1; /* the stage used last: free behind the barrier */
            COPY_WAIT(BUFFERS - 2);
            BARRIER();
            start_copies(stages + next * STAGE_PAIRS, &c, count - copied_to, copied);
            copied_to = count - copied_to < T_STAGE ? count : copied_to + T_STAGE;
            if (p.useful)
                add_products(stages + buffer * STAGE_PAIRS, &p, re, im);
            END_COPIES(stages + next * STAGE_PAIRS, &c, copied);
            buffer = buffer == BUFFERS - 1 ? 0 : buffer + 1;
        }
        if (p.useful) {
            add_run(own_sums, re, im, runs == 0);
            runs++;
            if (runs == RUNS || time >= count) {
                keep_runs(to, &p, own_sums, keep);
                keep = 1;
                runs = 0;
            }
        }
    }
}
