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

/* A work-group's local memory: STAGE taps of all paths. */
typedef struct staged {
    real gain_re[PATHS * STAGE], gain_im[PATHS * STAGE];
    ulong base_turns[STAGE];
#if LISTED
    delay_t tap_delays[STAGE];
#else
    ulong unit_high[STAGE];
#if REAL64
    ulong unit_low[STAGE];
#endif
#endif
    uint bad[PATHS];
} staged;

/* Gains times their weights; zero where a tap is not there or anything of it is not finite, which marks its path. */
INLINE void stage_gains(LOCAL_PTR staged *l, const tile *t, GLOBAL const real *gain, GLOBAL const delay_t *delay,
                        GLOBAL const ulong *rate, const uint tap_0, const uint here, const real scale, const ulong unit_a,
                        const ulong unit_b, const uint average, const uint flags)
{
    for (uint i = (uint)LOCAL_ID(0); i < PATHS * STAGE; i += GROUP) {
        const uint p = i / STAGE, n = i - p * STAGE;
        real a_re = 0, a_im = 0;
        if (p < t->paths && n < here) {
            const delay_t d = delay_at(delay, t, p, tap_0 + n, flags);
            const uint state = delay_state(d, flags);
            const ulong at = t->first_gain + (ulong)p * t->taps + tap_0 + n;
            uint wrong = state == 2;
            real weight = scale;
            if (average > 1)
                weight *= mean_weight(delay_turns_high(d, unit_a, unit_b), average);
            a_re = gain[2 * at];
            a_im = gain[2 * at + 1];
            wrong |= not_finite(a_re) | not_finite(a_im);
            if (flags & FLAG_RATES) {
                const ulong r = rate[tap_index(t, p, tap_0 + n, flags & FLAG_PATH_RATES)];
                wrong |= (r & 0x7ff0000000000000UL) == 0x7ff0000000000000UL;
            }
            if (wrong && state != 1)
                l->bad[p] = 1;
            a_re = state || wrong ? 0 : a_re * weight;
            a_im = state || wrong ? 0 : a_im * weight;
        }
        l->gain_re[i] = a_re;
        l->gain_im[i] = a_im;
    }
}

/* What taps turn by at the base and its rate's time, and what their turns at a frequency are made of. */
INLINE void stage_turns(LOCAL_PTR staged *l, const tile *t, GLOBAL const delay_t *delay, GLOBAL const ulong *rate, const uint tap_0,
                        const uint here, const ulong unit_a, const ulong unit_b, const ulong base_a, const ulong base_b,
                        const ulong time_a, const ulong time_b, const uint time, const uint flags)
{
    for (uint n = (uint)LOCAL_ID(0); n < here; n += GROUP) {
        const delay_t d = delay_at(delay, t, 0, tap_0 + n, flags);
        ulong base = delay_turns_high(d, base_a, base_b);
        if (flags & FLAG_RATES) {
            const ulong r = rate[tap_index(t, 0, tap_0 + n, flags & FLAG_PATH_RATES)];
            base -= turns_at_time(r, time_a, time_b, time);
        }
        l->base_turns[n] = base;
#if LISTED
        l->tap_delays[n] = d;
#else
        turns unit;
        delay_turns(&unit, d, unit_a, unit_b);
        l->unit_high[n] = unit.high;
#if REAL64
        l->unit_low[n] = unit.low;
#endif
#endif
    }
}

/* A frequency: a listed one's factor for delays, or an index of half spacings. */
#if LISTED
#define FREQUENCY const ulong a, const ulong b
#define AT_FREQUENCY frequency[0], frequency[1]
#else
#define FREQUENCY const dlong index
#define AT_FREQUENCY first + (dlong)m * step
#endif

/* Adds the staged taps to the sums of one value of each path, CHAIN of them by themselves. */
INLINE void add_taps(real *re, real *im, real *lost_re, real *lost_im, LOCAL_PTR const staged *l, const uint here, FREQUENCY)
{
    real part_re[PATHS], part_im[PATHS];
    for (uint chain = 0; chain < here; chain += CHAIN) {
        for (uint p = 0; p < PATHS; p++)
            part_re[p] = part_im[p] = 0;
        for (uint n = chain; n < chain + CHAIN && n < here; n++) {
            real c, s;
#if LISTED
            turns_cos_sin(l->base_turns[n] + delay_turns_high(l->tap_delays[n], a, b), &c, &s);
#else
            turns unit;
            unit.high = l->unit_high[n];
#if REAL64
            unit.low = l->unit_low[n];
#else
            unit.low = 0; /* matters only to doubles */
#endif
            turns_cos_sin(l->base_turns[n] + turns_times(&unit, index), &c, &s);
#endif
            UNROLL
            for (uint p = 0; p < PATHS; p++) {
                part_re[p] = RFMA(l->gain_re[p * STAGE + n], c, RFMA(l->gain_im[p * STAGE + n], s, part_re[p]));
                part_im[p] = RFMA(l->gain_im[p * STAGE + n], c, RFMA(-l->gain_re[p * STAGE + n], s, part_im[p]));
            }
        }
        UNROLL
        for (uint p = 0; p < PATHS; p++) {
            add_pair(&re[p], &lost_re[p], part_re[p]);
            add_pair(&im[p], &lost_im[p], part_im[p]);
        }
    }
}

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_direct(DFT_ARGUMENTS)
{
    LOCAL staged l;
    const uint id = (uint)LOCAL_ID(0), m = (uint)GROUP_ID(1) * GROUP + id, time = first_time + (uint)GROUP_ID(2);
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const real *gain = SPAN_AT(const real, gains) + 2 * (time * gains_step);
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const ulong *rate = SPAN_AT(const ulong, rates);
#if LISTED
    GLOBAL const ulong *frequency = SPAN_AT(const ulong, frequencies) + 2 * (ulong)m;
#endif
    real re[PATHS], im[PATHS], lost_re[PATHS], lost_im[PATHS];

    for (uint p = 0; p < PATHS; p++)
        re[p] = im[p] = lost_re[p] = lost_im[p] = 0;
    if (id < PATHS)
        l.bad[id] = 0;
    BARRIER();
    for (uint tap_0 = 0; tap_0 < t.taps; tap_0 += STAGE) {
        const uint here = t.taps - tap_0 < STAGE ? t.taps - tap_0 : STAGE;
        stage_gains(&l, &t, gain, delay, rate, tap_0, here, AS_REAL(scale_bits), unit_a, unit_b, average, flags);
        stage_turns(&l, &t, delay, rate, tap_0, here, unit_a, unit_b, base_a, base_b, time_a, time_b, time, flags);
        BARRIER();
        if (m < values)
            add_taps(re, im, lost_re, lost_im, &l, here, AT_FREQUENCY);
        BARRIER();
    }
    if (m < values) {
        GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;
        UNROLL
        for (uint p = 0; p < PATHS; p++) {
            complex_t value;
            value.x = l.bad[p] ? 0 : re[p] + lost_re[p];
            value.y = l.bad[p] ? 0 : im[p] + lost_im[p];
            if (p < t.paths)
                to[place_of(&t, p, m, values, flags)] = value;
        }
    }
    if (GROUP_ID(1) == 0 && id < t.paths && l.bad[id])
        report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + id);
}
