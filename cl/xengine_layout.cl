/*
 * X-engine, the input brought into the layout that a variant reads.
 *
 * Data flow:
 *   a work-group owns TILE inputs x TILE times of one channel; local memory holds them, so that memory is read along what
 *   lies together in the source and written along what lies together in the target.
 *
 * Parameters: none.
 *
 * Host macros:
 *   SAMPLE_BYTES   bytes of a sample: 1, 2, 4 or 8
 *
 * What is not valid becomes zero on the way (cl/xengine_valid.cl makes the bitmaps).
 *
 * Layouts are arguments: the sample of (time, channel, input) is at
 * channel channel_stride + time / run run_stride + input input_stride + time % run.
 */
#include "common.cl"

#ifndef SAMPLE_BYTES
#define SAMPLE_BYTES 2
#endif

#define TILE 32
#define GROUP 64

#if SAMPLE_BYTES == 1
typedef uchar sample_t;
#elif SAMPLE_BYTES == 2
typedef ushort sample_t;
#elif SAMPLE_BYTES == 4
typedef uint sample_t;
#else
typedef ulong sample_t;
#endif

/*
 * Grid: x tiles of inputs, fastest, and of times; y channels. times: how many are there; the others up to padded_times
 * become `zero`, a byte repeated. The source's times begin at `skip`. Where the source's inputs lie together
 * (from_input_stride 1) it is read along them, else along the time; the target alike.
 * bits: [channel][word][input] of 32 times a word; bits_inputs 1: one for all inputs; bits_stride: words a channel, 0 where
 * one channel holds for all. Used when `masked`.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_layout(SPAN(const sample_t, from), SPAN(sample_t, to), SPAN(const uint, bits), const uint masked,
               const uint bits_inputs, const ulong bits_stride, const uint inputs, const uint skip, const uint times,
               const uint padded_times, const uint zero, const uint from_run, const ulong from_run_stride,
               const ulong from_channel_stride, const ulong from_input_stride, const uint to_run,
               const ulong to_run_stride, const ulong to_channel_stride, const ulong to_input_stride)
{
    LOCAL sample_t tile[TILE * (TILE + 1)];
    const uint across = (inputs + TILE - 1) / TILE;
    const uint first_input = GROUP_ID(0) % across * TILE, first_time = GROUP_ID(0) / across * TILE;
    GLOBAL const sample_t *source = SPAN_AT(const sample_t, from) + GROUP_ID(1) * from_channel_stride;
    GLOBAL sample_t *target = SPAN_AT(sample_t, to) + GROUP_ID(1) * to_channel_stride;
    GLOBAL const uint *valid = SPAN_AT(const uint, bits) + GROUP_ID(1) * bits_stride;
    const sample_t nothing = (sample_t)(zero * 0x0101010101010101UL);

    for (uint e = LOCAL_ID(0); e < TILE * TILE; e += GROUP) {
        const uint fast = e % TILE, slow = e / TILE;
        const uint i = from_input_stride == 1 ? fast : slow, t = from_input_stride == 1 ? slow : fast;
        const uint input = first_input + i, time = first_time + t;
        if (input < inputs && time < padded_times) {
            uint there = time < times;
            if (there && masked)
                there = valid[(ulong)(time / 32) * bits_inputs + (bits_inputs == 1 ? 0 : input)] >> (time % 32) & 1u;
            tile[t * (TILE + 1) + i] =
                there ? source[(skip + time) / from_run * from_run_stride + input * from_input_stride +
                                      (skip + time) % from_run]
                      : nothing;
        }
    }
    BARRIER();
    for (uint e = LOCAL_ID(0); e < TILE * TILE; e += GROUP) {
        const uint fast = e % TILE, slow = e / TILE;
        const uint i = to_input_stride == 1 ? fast : slow, t = to_input_stride == 1 ? slow : fast;
        const uint input = first_input + i, time = first_time + t;
        if (input < inputs && time < padded_times)
            target[time / to_run * to_run_stride + input * to_input_stride + time % to_run] = tile[t * (TILE + 1) + i];
    }
}
