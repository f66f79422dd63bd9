/*
 * X-engine, fp32 at the rate of the multiply-adders: register blocks of complex inputs.
 *
 * Data flow:
 *   a work-group owns one EDGE x EDGE block of inputs of one channel and one slice of the time (xengine_block.cl);
 *   local memory holds BUFFERS stages of T_STAGE spectra of the block's rows and columns as they lie in memory, re and im
 *   together (cf16 widened), copied by the asynchronous unit or through registers while the stage before is used: one barrier a stage;
 *   registers of a work-item hold Dx x Dy complex sums of at most RUN spectra (xengine_fma_products.cl). RUNS of those are summed in
 *   local memory, where each work-item has places of its own, and only then go to the wide sums in global memory.
 *
 * Parameters (allowed values; default), besides those of xengine_block.cl:
 *   T_STAGE  spectra of a stage (a multiple of GROUP / EDGE; 8)
 *   BUFFERS  stages in local memory (2..4; 2)
 *   RUN      spectra summed in registers (a multiple of T_STAGE; 128); at most 32 where a call has few (FEW_SPECTRA)
 *   RUNS     runs summed in local memory (RUN RUNS is at most 1,024; 8); 0: all of a slice, as pairs of floats whose sum is the
 *            value, so that the wide sums are touched once
 *   PRODUCTS  real ones that a complex one takes: 4 or 3 (4)
 *   ORDER    of the multiply-adds of a spectrum: by rows, a row's real parts with all columns, then its imaginary parts, with PRODUCTS=3
 *            then its sums (0); 1: the same, columns forth and back; 2: a pass over all for each product, columns forth and back; 3: the
 *            products of an element together; with PRODUCTS=3 also: 4: those of two rows of a column, forth and back; 5: of all its rows (0)
 *   KEPT     wide sums that are read together, before one is added to (1, or even and a divisor of Dx Dy; with RUNS=0 or DIRECT=1 it does
 *            nothing; 1)
 *   UNROLLED spectra of a stage that its loop has code for (a divisor of T_STAGE; T_STAGE)
 *   WHOLE_STAGES  1: stages that are there as a whole are copied with fewer instructions, for more code (ASYNC=1, BLOCK_TIMES=1; 0)
 *   BLOCK_TIMES  xengine_times.cl
 *
 * Host macros:
 *   NPOL    1 or 2 polarisations
 *   INPUT   the input's clradio_type: 1 cf32, 3 cf16 (with ASYNC=0)
 *   DIRECT  1: the kernel can write visibilities itself; OUTPUT: xengine_output.cl (0)
 */
#ifndef INPUT
#define INPUT 1
#endif
#ifndef DIRECT
#define DIRECT 0
#endif
#ifndef T_STAGE
#define T_STAGE 8
#endif
#include "xengine_block.cl"
#include "xengine_times.cl"

#ifndef WHOLE_STAGES
#define WHOLE_STAGES 0
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
#ifndef KEPT
#define KEPT 1
#endif

#include "xengine_fma_copies.cl"
#include "xengine_fma_products.cl"

/* Sums of runs in local memory: [SUMS / 2][GROUP] of two complex ones; with RUNS=0 as many low parts behind them. */
#define RUN_VECTORS (SUMS / 2 * GROUP)

#if RUNS
INLINE void add_to_run(LOCAL_PTR float4 *at, const float4 sum)
{
    float4 all = *at;
    all.x += sum.x;
    all.y += sum.y;
    all.z += sum.z;
    all.w += sum.w;
    *at = all;
}
#else
/* What a + b lacks when it is rounded: Knuth's exact sum. */
INLINE float rounding(const float a, const float b)
{
    const float sum = a + b, of_b = sum - a;
    return (a - (sum - of_b)) + (b - of_b);
}

INLINE void add_to_run(LOCAL_PTR float4 *at, const float4 sum)
{
    float4 high = *at, low = at[RUN_VECTORS];
    low.x += rounding(high.x, sum.x);
    high.x += sum.x;
    low.y += rounding(high.y, sum.y);
    high.y += sum.y;
    low.z += rounding(high.z, sum.z);
    high.z += sum.z;
    low.w += rounding(high.w, sum.w);
    high.w += sum.w;
    *at = high;
    at[RUN_VECTORS] = low;
}
#endif

INLINE void clear_sums(float *sums)
{
    UNROLL for (uint n = 0; n < SUM_PARTS * SUMS; n++)
        sums[n] = 0.0f;
}

/* Moves the sums of a run to local memory, where those of the runs before are (first = 1: none are), and clears them. */
INLINE void add_run(LOCAL_PTR float4 *runs, float *sums, const uint first, const float mixed)
{
    UNROLL for (uint n = 0; n < SUMS; n += 2) {
        LOCAL_PTR float4 *at = runs + n / 2 * GROUP;
        float4 sum;
        sum.x = sum_re(sums, n);
        sum.y = sum_im(sums, n, mixed);
        sum.z = sum_re(sums, n + 1);
        sum.w = sum_im(sums, n + 1, mixed);
        if (!first) {
            add_to_run(at, sum);
        } else {
            *at = sum;
#if !RUNS
            sum.x = sum.y = sum.z = sum.w = 0.0f;
            at[RUN_VECTORS] = sum;
#endif
        }
    }
    clear_sums(sums);
}

/* Whether a row and a column are the same input, whose power has no imaginary part: that of three products would be rounding. */
#define IS_POWER(p, r, c) (PRODUCTS == 3 && BLOCK_ROW(p, r) == BLOCK_COLUMN(p, c))

#if KEPT > 1 && RUNS && !DIRECT
/* Moves a work-item's sums from local memory to the wide ones, of which KEPT are read before one is added to. */
INLINE void keep_runs(GLOBAL wide_t *to, const block_output *out, const block_place *p, LOCAL_PTR const float4 *runs,
                      const uint keep)
{
    (void)out;
    NOUNROLL for (uint n = 0; n < SUMS; n += KEPT) {
        GLOBAL wide_t *at[KEPT];
        wide_t re[KEPT], im[KEPT];
        UNROLL for (uint k = 0; k < KEPT; k++) {
            at[k] = place_of_sum(to, BLOCK_ROW(p, (n + k) / Dx), BLOCK_COLUMN(p, (n + k) % Dx), p->inputs);
            re[k] = im[k] = wide_zero();
            if (at[k] && keep) {
                re[k] = at[k][0];
                im[k] = at[k][1];
            }
        }
        UNROLL for (uint k = 0; k < KEPT; k++) {
            const float4 pair = runs[(n + k) / 2 * GROUP];
            const int power = IS_POWER(p, (n + k) / Dx, (n + k) % Dx);
            if (at[k]) {
                at[k][0] = wide_add(re[k], widen(k % 2 ? pair.z : pair.x));
                at[k][1] = wide_add(im[k], widen(power ? 0.0f : k % 2 ? pair.w : pair.y));
            }
        }
    }
}
#else
/* One sum of a work-item's row r and column c, whose low parts count with RUNS=0, to the wide ones or into the output. */
INLINE void keep_pair(GLOBAL wide_t *to, const block_output *out, const block_place *p, const uint r, const uint c,
                      const float re, const float im_of_sum, const float re_low, const float im_low_of_sum, const uint keep)
{
    const int power = IS_POWER(p, r, c);
    const float im = power ? 0.0f : im_of_sum, im_low = power ? 0.0f : im_low_of_sum;
#if DIRECT
    if (out->direct) {
        put_sum(out, p, r, c, (out_t)re + (out_t)re_low, (out_t)im + (out_t)im_low);
        return;
    }
#else
    (void)out;
#endif
#if RUNS
    (void)re_low, (void)im_low;
    keep_sum(to, p, r, c, widen(re), widen(im), keep);
#else
    keep_sum(to, p, r, c, widen_pair(re, re_low), widen_pair(im, im_low), keep);
#endif
}

/* Moves a work-item's sums from local memory to the wide ones. A loop: the registers are another run's. */
INLINE void keep_runs(GLOBAL wide_t *to, const block_output *out, const block_place *p, LOCAL_PTR const float4 *runs,
                      const uint keep)
{
    NOUNROLL for (uint n = 0; n < SUMS; n += 2) {
        const float4 sum = runs[n / 2 * GROUP];
#if RUNS
        keep_pair(to, out, p, n / Dx, n % Dx, sum.x, sum.y, 0.0f, 0.0f, keep);
        keep_pair(to, out, p, n / Dx, n % Dx + 1, sum.z, sum.w, 0.0f, 0.0f, keep);
#else
        const float4 low = runs[n / 2 * GROUP + RUN_VECTORS];
        keep_pair(to, out, p, n / Dx, n % Dx, sum.x, sum.y, low.x, low.y, keep);
        keep_pair(to, out, p, n / Dx, n % Dx + 1, sum.z, sum.w, low.z, low.w, keep);
#endif
    }
}
#endif

/*
 * Grid: x blocks, y channels of the chunk, z slices of the time.
 * spectra: the first sample of the chunk's first channel; samples from one spectrum (or block of times, run_stride), channel and input
 * to the next; sums: [slice][channel of the chunk] of wide sums (xengine_sums.cl). Slice z takes the spectra z slice_length and on
 * (whole blocks), slice_length (at most 2^31) of them. add = 1: added to what is in sums; 0: written. With direct = 1 (for DIRECT=1, one
 * slice, no more spectra than RUN RUNS or RUNS=0) visibilities is the whole output, written in the order given; sums is not used.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_fma(BLOCK_ARGUMENTS(sample_t))
{
    LOCAL float4 stages[BUFFERS * STAGE_PAIRS];
    LOCAL_LARGE(float4, run_sums, (RUNS ? 1 : 2) * RUN_VECTORS);
    LOCAL_PTR float4 *const own_sums = run_sums + LOCAL_ID(0);
    const uint inputs = stations * NPOL;
    const block_place p = block_of(GROUP_ID(0), LOCAL_ID(0), inputs);
    const ulong begin = GROUP_ID(2) * slice_length;
    const uint count = (uint)(spectra_count - begin < slice_length ? spectra_count - begin : slice_length);
    copy_place c = copies_of(&p, SPAN_AT(const sample_t, spectra) + time_offset(begin, run_stride) + GROUP_ID(1) * channel_stride,
                             run_stride, input_stride, LOCAL_ID(0));
    GLOBAL wide_t *const to = BLOCK_SUMS;
    BLOCK_OUTPUT(out);
    copied_t copied[2 * COPIES];
    float sums_of_run[SUM_PARTS * SUMS];
    const int few = spectra_count < FEW_SPECTRA;
    const uint run = few ? FEW_RUN : RUN, most_runs = few ? (RUN * RUNS + FEW_RUN - 1) / FEW_RUN : RUNS;
    uint keep = add, buffer = 0, runs = 0;
    uint time = 0, copied_to = 0;

    clear_sums(sums_of_run);
    UNROLL for (uint b = 0; b < BUFFERS - 1; b++) {
        start_copies(stages + b * STAGE_PAIRS, &c, count - copied_to, copied);
        copied_to = count - copied_to < T_STAGE ? count : copied_to + T_STAGE;
        END_COPIES(stages + b * STAGE_PAIRS, &c, copied);
    }
    do { /* once at least: without spectra zeros may be written */
        const uint run_end = count - time < run ? count : time + run;
        NOUNROLL for (; time < run_end; time += T_STAGE) {
            const uint next = buffer == 0 ? BUFFERS - 1 : buffer - 1; /* the stage used last: free behind the barrier */
            COPY_WAIT(BUFFERS - 2);
            BARRIER();
            start_copies(stages + next * STAGE_PAIRS, &c, count - copied_to, copied);
            copied_to = count - copied_to < T_STAGE ? count : copied_to + T_STAGE;
            if (p.useful)
                ADD_STAGE(stages + buffer * STAGE_PAIRS, &p, sums_of_run, few);
            END_COPIES(stages + next * STAGE_PAIRS, &c, copied);
            buffer = buffer == BUFFERS - 1 ? 0 : buffer + 1;
        }
        if (p.useful) {
            add_run(own_sums, sums_of_run, runs == 0, few ? 0.0f : 1.0f);
            runs++;
            if (runs == most_runs || time >= count) {
                keep_runs(to, &out, &p, own_sums, keep);
                keep = 1;
                runs = 0;
            }
        }
    } while (time < count);
}
