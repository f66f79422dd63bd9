/*
 * The F-engine's filter bank: takes voltages as they come, filters them with the prototype over `taps` blocks of `length`
 * samples, and writes one line of `length` samples for each spectrum and signal, ready for the Fourier transform.
 *
 *   INPUT_BITS      8, 16 (signed integers) or 32 (float)
 *   INPUT_COMPLEX   0 or 1
 *
 * voltages [time][signal], signal = band x inputs + input; the blocks of earlier calls stand in a ring of taps - 1 blocks,
 * `history`, of which `history_blocks` are filled from `ring_start` on. Block b of the call is history while
 * b < history_blocks; spectrum t is made of the blocks t to t + taps - 1.
 *
 * A work-group owns a tile of 256 values: 2^tile_log2 signals by 2^(8 - tile_log2) samples in time. Neighbours read along
 * the signals, as the voltages lie, and write along time, as the transform wants it; the tile is turned in local memory.
 * Each work-item keeps one sum in registers.
 */
#include "fengine_tile.cl"

#ifndef INPUT_BITS
#define INPUT_BITS 8
#endif
#ifndef INPUT_COMPLEX
#define INPUT_COMPLEX 1
#endif

#if INPUT_BITS == 8
typedef signed char voltage_type;
#elif INPUT_BITS == 16
typedef short voltage_type;
#else
typedef float voltage_type;
#endif

/* Adds a sample times its coefficient to re and im. */
#if INPUT_COMPLEX
#define ADD_SAMPLE(from, at, h)                                                                                                \
    do {                                                                                                                       \
        re = FMA(h, (float)(from)[2 * (at)], re);                                                                              \
        im = FMA(h, (float)(from)[2 * (at) + 1], im);                                                                          \
    } while (0)
#else
#define ADD_SAMPLE(from, at, h) re = FMA(h, (float)(from)[at], re)
#endif

KERNEL REQD_GROUP(256, 1, 1)
fengine_pfb(SPAN(const voltage_type, history), SPAN(const voltage_type, voltages), SPAN(const float, prototype),
            SPAN(float, lines), const uint length, const uint taps, const uint signals, const uint first_signal,
            const uint piece_signals, const uint piece_spectra, const ulong first_spectrum, const uint history_blocks,
            const uint ring_start, const uint tile_log2)
{
    LOCAL float tile_re[TILE_VALUES];
#if INPUT_COMPLEX
    LOCAL float tile_im[TILE_VALUES];
#endif
    GLOBAL const voltage_type *past = SPAN_AT(const voltage_type, history);
    GLOBAL const voltage_type *now = SPAN_AT(const voltage_type, voltages);
    GLOBAL const float *filter = SPAN_AT(const float, prototype);
    GLOBAL float *out = SPAN_AT(float, lines);
    const tile_place tile = tile_of_group(piece_signals, tile_log2);
    const uint samples = piece_spectra * length;

    const tile_item from = tile_along_signals(tile);
    if (from.signal < piece_signals && from.point < samples) {
        const uint t = from.point / length, n = from.point - t * length;
        const ulong signal = first_signal + from.signal;
        const ulong block = first_spectrum + t;
        /* The taps that lie in the history come first. */
        uint old_taps = block < history_blocks ? history_blocks - (uint)block : 0;
        old_taps = old_taps < taps ? old_taps : taps;
        float re = 0.0f;
#if INPUT_COMPLEX
        float im = 0.0f;
#endif
        for (uint tap = 0; tap < old_taps; tap++) {
            const uint ring = (ring_start + (uint)block + tap) % (taps - 1);
            ADD_SAMPLE(past, ((ulong)ring * length + n) * signals + signal, filter[(ulong)tap * length + n]);
        }
        for (uint tap = old_taps; tap < taps; tap++) {
            const ulong sample = (block + tap - history_blocks) * length + n;
            ADD_SAMPLE(now, sample * signals + signal, filter[(ulong)tap * length + n]);
        }
        tile_re[from.at] = re;
#if INPUT_COMPLEX
        tile_im[from.at] = im;
#endif
    }
    BARRIER();
    const tile_item to = tile_along_points(tile);
    if (to.signal < piece_signals && to.point < samples) {
        const uint t = to.point / length, n = to.point - t * length;
        const ulong at = ((ulong)t * piece_signals + to.signal) * length + n;
#if INPUT_COMPLEX
        out[2 * at] = tile_re[to.at];
        out[2 * at + 1] = tile_im[to.at];
#else
        out[at] = tile_re[to.at];
#endif
    }
}
