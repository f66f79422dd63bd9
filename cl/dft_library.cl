/*
 * Channel DFT, what stands around the libraries of the variants "blas" and "fft". Each kernel owns one tile a work-group in x,
 * from tile `first_tap` of the layout on (that argument counts tiles here), and one time step.
 *
 * dft_phases: the matrix [tile][tap][value] of exp(-i phase) that a tile's gains are multiplied with, into `response`.
 * dft_pad:    gains, turned for the grid's first value, as rows of `columns` points with zeros behind, into `response`;
 *             rows count from path `response_step`. A path whose input is not finite becomes zeros, and is reported.
 * dft_pick:   the first `values` points of such rows, from `gains`, to the response.
 * dft_blank:  zeros for the paths whose input is not finite, and reports them.
 *
 * Host macros: those of dft_phase.cl, and LISTED.
 */
#ifndef LISTED
#define LISTED 0
#endif

#define GROUP 64

#include "dft_tile.cl"

/* Grid: x tiles, y values / GROUP. */
KERNEL REQD_GROUP(GROUP, 1, 1)
dft_phases(DFT_ARGUMENTS)
{
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), first_tap + (uint)GROUP_ID(0));
    const uint m = (uint)GROUP_ID(1) * GROUP + (uint)LOCAL_ID(0);
    GLOBAL complex_t *to = SPAN_AT(complex_t, response) + (ulong)GROUP_ID(0) * t.taps * values;
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
#if LISTED
    GLOBAL const ulong *frequency = SPAN_AT(const ulong, frequencies) + 2 * (ulong)m;
#endif
    if (m >= values)
        return;
    for (uint n = 0; n < t.taps; n++) {
        const delay_t d = delay_at(delay, &t, 0, n, flags);
        turns unit;
        delay_turns(&unit, d, unit_a, unit_b);
        real cosine, sine, weight = AS_REAL(scale_bits);
        complex_t value;
#if LISTED
        const ulong turn = delay_turns_high(d, frequency[0], frequency[1]);
#else
        const ulong turn = turns_times(&unit, first + (dlong)m * step);
#endif
        if (average > 1)
            weight *= mean_weight(unit.high, average);
        turns_cos_sin(turn + delay_turns_high(d, base_a, base_b), &cosine, &sine);
        value.x = cosine * weight;
        value.y = -sine * weight;
        to[(ulong)n * values + m] = value;
    }
}

/* Sets *bad (in local memory) where a path's gains or delays are not finite; all of the group take part. */
INLINE uint path_is_bad(LOCAL_PTR uint *bad, GLOBAL const complex_t *gain, GLOBAL const delay_t *delay, const tile *t,
                        const uint path, const uint flags)
{
    const uint id = (uint)LOCAL_ID(0);
    BARRIER();
    if (id == 0)
        *bad = 0;
    BARRIER();
    for (uint n = id; n < t->taps; n += GROUP) {
        const complex_t a = gain[(ulong)path * t->taps + n];
        if ((not_finite(a.x) | not_finite(a.y)) || delay_state(delay_at(delay, t, path, n, flags), flags) == 2)
            *bad = 1;
    }
    BARRIER();
    return *bad;
}

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_pad(DFT_ARGUMENTS)
{
    LOCAL uint bad;
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), first_tap + (uint)GROUP_ID(0));
    const uint id = (uint)LOCAL_ID(0);
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + first_time * gains_step + t.first_gain;
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    for (uint p = 0; p < t.paths; p++) {
        GLOBAL complex_t *to = SPAN_AT(complex_t, response) + (t.first_path + p - response_step) * columns;
        const uint is_bad = path_is_bad(&bad, gain, delay, &t, p, flags);
        for (uint n = id; n < columns; n += GROUP) {
            complex_t value;
            value.x = value.y = 0;
            if (n < t.taps && !is_bad) {
                const delay_t d = delay_at(delay, &t, p, n, flags);
                const complex_t a = gain[(ulong)p * t.taps + n];
                const real scale = AS_REAL(scale_bits);
                real cosine, sine;
                turns_cos_sin(delay_turns_times(d, unit_a, unit_b, first) + delay_turns_high(d, base_a, base_b), &cosine,
                              &sine);
                value.x = (a.x * cosine + a.y * sine) * scale;
                value.y = (a.y * cosine - a.x * sine) * scale;
            }
            to[n] = value;
        }
        if (is_bad && id == 0)
            report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p);
    }
}

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_pick(DFT_ARGUMENTS)
{
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), first_tap + (uint)GROUP_ID(0));
    for (uint p = 0; p < t.paths; p++) {
        GLOBAL const complex_t *from =
            (GLOBAL const complex_t *)SPAN_AT(const real, gains) + (t.first_path + p - gains_step) * columns;
        GLOBAL complex_t *to = SPAN_AT(complex_t, response) + first_time * response_step;
        for (uint m = (uint)LOCAL_ID(0); m < values; m += GROUP)
            to[place_of(&t, p, m, values, flags)] = from[m];
    }
}

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_blank(DFT_ARGUMENTS)
{
    LOCAL uint bad;
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), first_tap + (uint)GROUP_ID(0));
    const uint id = (uint)LOCAL_ID(0);
    GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + first_time * gains_step + t.first_gain;
    GLOBAL complex_t *to = SPAN_AT(complex_t, response) + first_time * response_step;
    for (uint p = 0; p < t.paths; p++) {
        if (!path_is_bad(&bad, gain, SPAN_AT(const delay_t, delays), &t, p, flags))
            continue;
        for (uint m = id; m < values; m += GROUP) {
            complex_t zero;
            zero.x = zero.y = 0;
            to[place_of(&t, p, m, values, flags)] = zero;
        }
        if (id == 0)
            report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p);
    }
}
