/*
 * X-engine, 8-bit and 4-bit integers by packed dot products of four spectra.
 *
 * Data flow:
 *   a work-group owns one EDGE x EDGE block of inputs of one channel and one slice of the time (xengine_block.cl);
 *   local memory holds two stages of T_STAGE spectra of the block's rows and columns, four spectra of a real or an imaginary part
 *   to a word; a stage is read and turned round in registers while the one before is used: one barrier a stage;
 *   registers of a work-item hold Dx x Dy complex sums of at most RUN spectra, which then go to the wide sums.
 *
 * Arithmetic: no operand is ever negated, so -128 is as good as any value.
 *   ci8: four dots for four spectra of a product, into three sums: re = rr + ii, and the halves ir and ri of im = ir - ri.
 *   ci4 (widened on load): three dots into three sums, p = rr, q = ii, s = (r + i)(r' - i'), whose factors fit a byte:
 *   re = p + q, im = s - p + q.
 *
 * Parameters (allowed values; default), besides those of xengine_block.cl (ASYNC is 0):
 *   T_STAGE  spectra of a stage (a multiple of 4 GROUP / EDGE; 32)
 *   RUN      spectra summed in registers, at most what 32 bits hold whatever RUN says (a multiple of T_STAGE, or 0: that; 0)
 *   BLOCK_TIMES  xengine_times.cl (1, 0 or a multiple of 4)
 *
 * Host macros:
 *   NPOL             1 or 2 polarisations
 *   INPUT            the input's clradio_type: 7 ci8, 8 ci4
 *   DIRECT           1: the kernel can write visibilities itself; OUTPUT: xengine_output.cl (0)
 *   HAVE_PACKED_DOT  packed_dot.cl
 */
#ifndef DIRECT
#define DIRECT 0
#endif
#include "xengine_block.cl"

#ifndef T_STAGE
#define T_STAGE 32
#endif
#ifndef RUN
#define RUN 0
#endif

#define MIXED (INPUT == CI4)

#include "xengine_quads.cl"

#define AT_ONCE (SUMS % 8 == 0 ? 8 : 4) /* sums that pass through local memory together */

/* (2^31 - 1) / (2 128^2), and / (16 15 + 2 8^2): what the largest sum, or difference of sums, takes; whole stages of it */
#define LIMIT (INPUT == CI8 ? 65535 : 5000000)
#define RUN_LENGTH ((RUN > 0 && RUN < LIMIT ? RUN : LIMIT) / T_STAGE * T_STAGE)

/* Adds the products of a stage to the three sums of a work-item: each [Dy][Dx]. */
INLINE void add_products(LOCAL_PTR const uint4 *stage, LOCAL_PTR const uint2 *mixed, const block_place *p, int *first,
                         int *second, int *third)
{
    UNROLL for (uint q = 0; q < QUADS; q++) {
        const uint y_at = q * EDGE + p->y_pair, x_at = q * EDGE + EDGE_PAIRS + p->x_pair;
        uint y_re[Dy], y_im[Dy], x_re[Dx], x_im[Dx];
        UNROLL for (uint v = 0; v < Dx / 2; v++) {
            const uint4 pair = stage[x_at + v * PATCH_X];
            x_re[2 * v] = pair.x;
            x_im[2 * v] = pair.y;
            x_re[2 * v + 1] = pair.z;
            x_im[2 * v + 1] = pair.w;
        }
        UNROLL for (uint v = 0; v < Dy / 2; v++) {
            const uint4 pair = stage[y_at + v * PATCH_Y];
            y_re[2 * v] = pair.x;
            y_im[2 * v] = pair.y;
            y_re[2 * v + 1] = pair.z;
            y_im[2 * v + 1] = pair.w;
        }
#if INPUT == CI8
        (void)mixed;
        UNROLL for (uint r = 0; r < Dy; r++) {
            UNROLL for (uint c = 0; c < Dx; c++) {
                first[r * Dx + c] = packed_dot(y_re[r], x_re[c], first[r * Dx + c]);
                second[r * Dx + c] = packed_dot(y_im[r], x_re[c], second[r * Dx + c]);
                first[r * Dx + c] = packed_dot(y_im[r], x_im[c], first[r * Dx + c]);
                third[r * Dx + c] = packed_dot(y_re[r], x_im[c], third[r * Dx + c]);
            }
        }
#else
        uint y_mix[Dy], x_mix[Dx];
        UNROLL for (uint v = 0; v < Dx / 2; v++) {
            const uint2 pair = mixed[x_at + v * PATCH_X];
            x_mix[2 * v] = pair.x;
            x_mix[2 * v + 1] = pair.y;
        }
        UNROLL for (uint v = 0; v < Dy / 2; v++) {
            const uint2 pair = mixed[y_at + v * PATCH_Y];
            y_mix[2 * v] = pair.x;
            y_mix[2 * v + 1] = pair.y;
        }
        UNROLL for (uint r = 0; r < Dy; r++) {
            UNROLL for (uint c = 0; c < Dx; c++) {
                first[r * Dx + c] = packed_dot(y_re[r], x_re[c], first[r * Dx + c]);
                second[r * Dx + c] = packed_dot(y_im[r], x_im[c], second[r * Dx + c]);
                third[r * Dx + c] = packed_dot(y_mix[r], x_mix[c], third[r * Dx + c]);
            }
        }
#endif
    }
}

/* Adds a work-item's sums to the wide ones, a few at a time by way of its places in local memory: a short loop, which takes
 * no registers from the sums. */
INLINE void keep_sums(GLOBAL wide_t *to, const block_output *out, const block_place *p, LOCAL_PTR int *places, const int *first,
                      const int *second, const int *third, const uint keep)
{
    UNROLL for (uint from = 0; from < SUMS; from += AT_ONCE) {
        UNROLL for (uint n = 0; n < AT_ONCE; n++) {
            places[(3 * n) * GROUP] = first[from + n];
            places[(3 * n + 1) * GROUP] = second[from + n];
            places[(3 * n + 2) * GROUP] = third[from + n];
        }
        NOUNROLL for (uint n = 0; n < AT_ONCE; n++) {
            const dlong a = places[(3 * n) * GROUP], b = places[(3 * n + 1) * GROUP], c = places[(3 * n + 2) * GROUP];
            const dlong re = INPUT == CI8 ? a : a + b, im = INPUT == CI8 ? b - c : c - a + b;
#if DIRECT
            if (out->direct) {
                put_sum(out, p, (from + n) / Dx, (from + n) % Dx, (out_t)re, (out_t)im);
                continue;
            }
#else
            (void)out;
#endif
            keep_sum(to, p, (from + n) / Dx, (from + n) % Dx, re, im, keep);
        }
    }
}

/*
 * Grid: x blocks, y channels of the chunk, z slices of the time.
 * spectra: the first sample of the chunk's first channel; samples from one spectrum (or block of times, run_stride), channel and input
 * to the next; sums: [slice][channel of the chunk] of wide sums (xengine_sums.cl). Slice z takes the spectra z slice_length and on
 * (whole blocks), slice_length (at most 2^30) of them. add = 1: added to what is in sums; 0: written. coding: clradio_ci4_coding.
 * With direct = 1 (for DIRECT=1, one slice, no more spectra than RUN_LENGTH) visibilities is the whole output, written in the order given;
 * sums is not used.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_dot4(BLOCK_ARGUMENTS(uchar))
{
    LOCAL uint4 stages[2 * STAGE_PAIRS];
#if INPUT == CI4
    LOCAL uint2 mixed[2 * STAGE_PAIRS];
#else
    LOCAL uint2 mixed[1];
#endif
    LOCAL int places[3 * AT_ONCE * GROUP];
    const uint inputs = stations * NPOL, item = LOCAL_ID(0);
    const block_place p = block_of(GROUP_ID(0), item, inputs);
    const ulong begin = GROUP_ID(2) * slice_length;
    const uint count = (uint)(spectra_count - begin < slice_length ? spectra_count - begin : slice_length);
    copy_place c = copies_of(p.y_first, p.x_first, inputs,
                             SPAN_AT(const uchar, spectra) +
                                 (time_offset(begin, run_stride) + GROUP_ID(1) * channel_stride) * SAMPLE,
                             run_stride, input_stride, item);
    GLOBAL wide_t *const to = BLOCK_SUMS;
    BLOCK_OUTPUT(out);
    /* what stands for zero where no sample is: nibbles of 8 in offset binary */
    const uint nothing = coding & 2 ? 0x8888u : 0u;
    uint loaded[4 * COPIES];
    int first[SUMS], second[SUMS], third[SUMS];
    uint keep = add, stage = 0, time = 0, staged = count < T_STAGE ? count : T_STAGE;

    load_stage(&c, count, nothing, loaded);
    store_stage(stages, mixed, &c, loaded, coding);
    do { /* once at least: without spectra zeros may be written */
        const uint run_end = count - time < RUN_LENGTH ? count : time + RUN_LENGTH;
        UNROLL for (uint n = 0; n < SUMS; n++)
            first[n] = second[n] = third[n] = 0;
        NOUNROLL for (; time < run_end; time += T_STAGE) {
            BARRIER(); /* the stage is whole, and the other one is no longer read */
            load_stage(&c, count - staged, nothing, loaded);
            staged = count - staged < T_STAGE ? count : staged + T_STAGE;
            if (p.useful)
                add_products(stages + stage, mixed + (INPUT == CI4 ? stage : 0), &p, first, second, third);
            stage ^= STAGE_PAIRS;
            store_stage(stages + stage, mixed + (INPUT == CI4 ? stage : 0), &c, loaded, coding);
        }
        if (p.useful)
            keep_sums(to, &out, &p, places + item, first, second, third, keep);
        keep = 1;
    } while (time < count);
}
