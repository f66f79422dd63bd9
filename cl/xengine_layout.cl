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
 *   FORM           what xengine_units serves, which is faster (cl/xengine_units.cl); without it that kernel is not there
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

#define TILE 32 /* the times of a word of flags */
#define GROUP 64 /* two rows of a tile */

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
    LOCAL ulong from_time[TILE], to_time[TILE];
    LOCAL uint there[TILE]; /* of an input: a bit for each time of the tile */
    const uint across = (inputs + TILE - 1) / TILE, item = LOCAL_ID(0), lane = item % TILE, row = item / TILE;
    const uint first_input = GROUP_ID(0) % across * TILE, first_time = GROUP_ID(0) / across * TILE;
    GLOBAL const sample_t *source = SPAN_AT(const sample_t, from) + GROUP_ID(1) * from_channel_stride;
    GLOBAL sample_t *target = SPAN_AT(sample_t, to) + GROUP_ID(1) * to_channel_stride;
    const sample_t nothing = (sample_t)(zero * 0x0101010101010101UL);
    const uint inputs_here = inputs - first_input < TILE ? inputs - first_input : TILE;
    const uint times_here = padded_times - first_time < TILE ? padded_times - first_time : TILE;

    if (row == 0) {
        const uint time = first_time + lane, from = skip + time;
        from_time[lane] = from / from_run * from_run_stride + from % from_run;
        to_time[lane] = time / to_run * to_run_stride + time % to_run;
    } else {
        const uint input = first_input + lane;
        uint word = 0;
        if (first_time < times)
            word = times - first_time < TILE ? (1u << (times - first_time)) - 1 : 0xffffffffu;
        if (masked && word && input < inputs)
            word &= SPAN_AT(const uint, bits)[GROUP_ID(1) * bits_stride + (ulong)(first_time / TILE) * bits_inputs +
                                              (bits_inputs == 1 ? 0 : input)];
        there[lane] = word;
    }
    BARRIER();
    if (from_input_stride == 1) {
        for (uint t = row; t < times_here; t += GROUP / TILE)
            if (lane < inputs_here)
                tile[t * (TILE + 1) + lane] =
                    there[lane] >> t & 1u ? source[from_time[t] + first_input + lane] : nothing;
    } else {
        for (uint i = row; i < inputs_here; i += GROUP / TILE)
            if (lane < times_here)
                tile[lane * (TILE + 1) + i] =
                    there[i] >> lane & 1u ? source[from_time[lane] + (first_input + i) * from_input_stride] : nothing;
    }
    BARRIER();
    if (to_input_stride == 1) {
        for (uint t = row; t < times_here; t += GROUP / TILE)
            if (lane < inputs_here)
                target[to_time[t] + first_input + lane] = tile[t * (TILE + 1) + lane];
    } else {
        for (uint i = row; i < inputs_here; i += GROUP / TILE)
            if (lane < times_here)
                target[to_time[lane] + (first_input + i) * to_input_stride] = tile[lane * (TILE + 1) + i];
    }
}

#ifdef FORM
#include "xengine_units.cl"
#endif
