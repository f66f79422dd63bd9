/*
 * From the Fourier transform's lines to the X-engine's spectra: channels by rising sky frequency, all inputs of a channel
 * side by side, masked spectra exactly zero.
 *
 *   INPUT_COMPLEX   1: a line is the transform of `channels` complex samples; zero frequency goes to channel channels/2.
 *                   0: a line is the transform of 2 channels real samples, taken in pairs as complex numbers
 *                      z[m] = x[2m] + i x[2m + 1]. With E and O the transforms of the even and the odd samples,
 *                      Z[k] = E[k] + i O[k] and X[k] = E[k] + exp(-pi i k / channels) O[k]; both are taken from Z[k] and
 *                      Z[channels - k]. Only one signal is in a line, so a strong signal cannot leak into another.
 *
 * reversed: the channels of a band in reverse, conjugated. valid: NULL, or one byte a spectrum and input.
 *
 * A work-group owns a tile of 256 values: 2^tile_log2 signals by 2^(8 - tile_log2) channels. Neighbours read along the
 * lines and write along the inputs; the tile is turned in local memory.
 */
#include "fengine_tile.cl"

#ifndef INPUT_COMPLEX
#define INPUT_COMPLEX 1
#endif

KERNEL REQD_GROUP(256, 1, 1)
fengine_order(SPAN(const float, lines), SPAN(const float, twiddles), SPAN(const uchar, valid), SPAN(float, spectra),
              const uint channels, const uint bands, const uint inputs, const uint first_signal, const uint piece_signals,
              const uint piece_spectra, const ulong first_spectrum, const uint has_valid, const uint reversed,
              const uint tile_log2)
{
    LOCAL float tile_re[TILE_VALUES];
    LOCAL float tile_im[TILE_VALUES];
    GLOBAL const float *in = SPAN_AT(const float, lines);
    GLOBAL const uchar *mask = SPAN_AT(const uchar, valid);
    GLOBAL float *out = SPAN_AT(float, spectra);
    const tile_place tile = tile_of_group(piece_signals, tile_log2);
    const uint points = piece_spectra * channels;

    const tile_item from = tile_along_points(tile);
    if (from.signal < piece_signals && from.point < points) {
        const uint t = from.point / channels, c = from.point - t * channels;
        const uint ordered = reversed ? channels - 1 - c : c;
        const ulong line = ((ulong)t * piece_signals + from.signal) * channels;
        float re, im;
#if INPUT_COMPLEX
        uint bin = ordered + (channels - channels / 2);
        bin = bin >= channels ? bin - channels : bin;
        re = in[2 * (line + bin)];
        im = in[2 * (line + bin) + 1];
#else
        GLOBAL const float *root = SPAN_AT(const float, twiddles) + 2 * (ulong)ordered;
        const uint mirror = ordered ? channels - ordered : 0;
        const float z_re = in[2 * (line + ordered)], z_im = in[2 * (line + ordered) + 1];
        const float y_re = in[2 * (line + mirror)], y_im = in[2 * (line + mirror) + 1];
        const float odd_re = 0.5f * (z_im + y_im), odd_im = 0.5f * (y_re - z_re);
        re = FMA(-root[1], odd_im, FMA(root[0], odd_re, 0.5f * (z_re + y_re)));
        im = FMA(root[1], odd_re, FMA(root[0], odd_im, 0.5f * (z_im - y_im)));
#endif
        if (reversed)
            im = -im;
        if (has_valid) {
            const uint input = (first_signal + from.signal) % inputs;
            if (!mask[(first_spectrum + t) * inputs + input]) {
                re = 0.0f;
                im = 0.0f;
            }
        }
        tile_re[from.at] = re;
        tile_im[from.at] = im;
    }
    BARRIER();
    const tile_item to = tile_along_signals(tile);
    if (to.signal < piece_signals && to.point < points) {
        const uint t = to.point / channels, c = to.point - t * channels;
        const uint signal = first_signal + to.signal;
        const uint band = signal / inputs, input = signal - band * inputs;
        const ulong at = (((first_spectrum + t) * bands + band) * channels + c) * inputs + input;
        out[2 * at] = tile_re[to.at];
        out[2 * at + 1] = tile_im[to.at];
    }
}
