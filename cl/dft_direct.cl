/*
 * Channel DFT, variant "direct": a cosine and a sine for each tap and frequency, for any delays and frequencies.
 *
 * Host macros, beside those of dft_phase.cl:
 *   PATHS    1 to 8: paths of a tile; above 1 they share delays and rates
 *   LISTED   1: frequencies come from a list
 *
 * A work-group owns GROUP values of the paths of a tile at one time step. Taps are staged in local memory, STAGE at a time,
 * as gains and fractions of a turn. A work-item keeps the sums of one value of each path in registers: of CHAIN taps, and of
 * those in a pair with what rounding lost, so that the error does not grow with the taps.
 * Grid: x tiles, y values / GROUP, z time steps.
 */
#ifndef PATHS
#define PATHS 1
#endif
#ifndef LISTED
#define LISTED 0
#endif

#define GROUP 64
#define STAGE 16
#define CHAIN 2

#include "dft_tile.cl"

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_direct(DFT_ARGUMENTS)
{
    LOCAL real gain_re[PATHS * STAGE], gain_im[PATHS * STAGE];
    LOCAL ulong base_turns[STAGE];
#if LISTED
    LOCAL delay_t tap_delays[STAGE];
#else
    LOCAL ulong unit_high[STAGE], unit_low[STAGE];
#endif
    LOCAL uint bad[PATHS];
    const uint id = (uint)LOCAL_ID(0), m = (uint)GROUP_ID(1) * GROUP + id, time = first_time + (uint)GROUP_ID(2);
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const real *gain = SPAN_AT(const real, gains) + 2 * (time * gains_step);
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const ulong *rate = SPAN_AT(const ulong, rates);
    const real scale = AS_REAL(scale_bits);
    real re[PATHS], im[PATHS], lost_re[PATHS], lost_im[PATHS], part_re[PATHS], part_im[PATHS];

    for (uint p = 0; p < PATHS; p++)
        re[p] = im[p] = lost_re[p] = lost_im[p] = 0;
    if (id < PATHS)
        bad[id] = 0;
    BARRIER();
    for (uint tap_0 = 0; tap_0 < t.taps; tap_0 += STAGE) {
        const uint staged = t.taps - tap_0 < STAGE ? t.taps - tap_0 : STAGE;
        for (uint i = id; i < PATHS * STAGE; i += GROUP) {
            const uint p = i / STAGE, n = i - p * STAGE;
            real a_re = 0, a_im = 0;
            if (p < t.paths && n < staged) {
                const delay_t d = delay_at(delay, &t, p, tap_0 + n, flags);
                const uint state = delay_state(d, flags);
                const ulong at = t.first_gain + (ulong)p * t.taps + tap_0 + n;
                uint wrong = state == 2;
                real weight = scale;
                if (average > 1)
                    weight *= mean_weight(delay_turns_high(d, unit_a, unit_b), average);
                a_re = gain[2 * at];
                a_im = gain[2 * at + 1];
                wrong |= not_finite(a_re) | not_finite(a_im);
                if (flags & FLAG_RATES) {
                    const ulong r = rate[tap_index(&t, p, tap_0 + n, flags & FLAG_PATH_RATES)];
                    wrong |= (r & 0x7ff0000000000000UL) == 0x7ff0000000000000UL;
                }
                if (wrong && state != 1)
                    bad[p] = 1;
                a_re = state || wrong ? 0 : a_re * weight;
                a_im = state || wrong ? 0 : a_im * weight;
            }
            gain_re[i] = a_re;
            gain_im[i] = a_im;
        }
        for (uint n = id; n < staged; n += GROUP) {
            const delay_t d = delay_at(delay, &t, 0, tap_0 + n, flags);
            ulong base = delay_turns_high(d, base_a, base_b);
            if (flags & FLAG_RATES) {
                const ulong r = rate[tap_index(&t, 0, tap_0 + n, flags & FLAG_PATH_RATES)];
                base -= turns_at_time(r, time_a, time_b, time);
            }
            base_turns[n] = base;
#if LISTED
            tap_delays[n] = d;
#else
            turns unit;
            delay_turns(&unit, d, unit_a, unit_b);
            unit_high[n] = unit.high;
            unit_low[n] = unit.low;
#endif
        }
        BARRIER();
        if (m < values) {
#if LISTED
            GLOBAL const ulong *frequency = SPAN_AT(const ulong, frequencies) + 2 * (ulong)m;
            const ulong a = frequency[0], b = frequency[1];
#else
            const dlong index = first + (dlong)m * step;
#endif
            for (uint chain = 0; chain < staged; chain += CHAIN) {
                for (uint p = 0; p < PATHS; p++)
                    part_re[p] = part_im[p] = 0;
                for (uint n = chain; n < chain + CHAIN && n < staged; n++) {
                    real c, s;
#if LISTED
                    turns_cos_sin(base_turns[n] + delay_turns_high(tap_delays[n], a, b), &c, &s);
#else
                    turns unit;
                    unit.high = unit_high[n];
                    unit.low = unit_low[n];
                    turns_cos_sin(base_turns[n] + turns_times(&unit, index), &c, &s);
#endif
                    UNROLL
                    for (uint p = 0; p < PATHS; p++) {
                        part_re[p] = RFMA(gain_re[p * STAGE + n], c, RFMA(gain_im[p * STAGE + n], s, part_re[p]));
                        part_im[p] = RFMA(gain_im[p * STAGE + n], c, RFMA(-gain_re[p * STAGE + n], s, part_im[p]));
                    }
                }
                UNROLL
                for (uint p = 0; p < PATHS; p++) {
                    add_pair(&re[p], &lost_re[p], part_re[p]);
                    add_pair(&im[p], &lost_im[p], part_im[p]);
                }
            }
        }
        BARRIER();
    }
    if (m < values) {
        GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;
        UNROLL
        for (uint p = 0; p < PATHS; p++) {
            complex_t value;
            value.x = bad[p] ? 0 : re[p] + lost_re[p];
            value.y = bad[p] ? 0 : im[p] + lost_im[p];
            if (p < t.paths)
                to[place_of(&t, p, m, values, flags)] = value;
        }
    }
    if (GROUP_ID(1) == 0 && id < t.paths && bad[id])
        report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + id);
}
