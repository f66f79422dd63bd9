/*
 * dft_fold for processors (ITEM = 1, dft_fold.cl includes this): a work-item is a work-group and owns BLOCKS blocks of all
 * paths of a tile; its innermost loops run over the pairs of a block, side by side in memory, for the compiler to
 * vectorise, STEP taps a pass over the sums, added up by themselves first.
 */
#include "dft_tile.cl"

#ifndef TAPS
#define TAPS 24
#endif
#ifndef HALF
#define HALF 16
#endif
#ifndef BLOCKS
#define BLOCKS 20
#endif

#define STEP 8
#define PADDED ((TAPS + STEP - 1) / STEP * STEP) /* taps that are not there have gain 0 */

/* The sums of a block: C = sum b cos, S = sum b sin. */
INLINE void fold_block(const real *distance_c, const real *distance_s, const real *b_re, const real *b_im, real *c_re,
                       real *c_im, real *s_re, real *s_im)
{
    for (uint j = 0; j < HALF; j++)
        c_re[j] = c_im[j] = s_re[j] = s_im[j] = 0;
    for (uint n = 0; n < PADDED; n += STEP) {
        const real *c = distance_c + n * HALF, *s = distance_s + n * HALF;
        for (uint j = 0; j < HALF; j++) {
            /* two sums of four taps, their sum, and the sum of those: less is lost than in one chain */
            real a[2], b[2], d[2], e[2];
            UNROLL
            for (uint h = 0; h < 2; h++) {
                a[h] = b[h] = d[h] = e[h] = 0;
                UNROLL
                for (uint i = h * STEP / 2; i < (h + 1) * STEP / 2; i++) {
                    a[h] = RFMA(b_re[n + i], c[i * HALF + j], a[h]);
                    b[h] = RFMA(b_im[n + i], c[i * HALF + j], b[h]);
                    d[h] = RFMA(b_re[n + i], s[i * HALF + j], d[h]);
                    e[h] = RFMA(b_im[n + i], s[i * HALF + j], e[h]);
                }
            }
            c_re[j] += a[0] + a[1];
            c_im[j] += b[0] + b[1];
            s_re[j] += d[0] + d[1];
            s_im[j] += e[0] + e[1];
        }
    }
}

/* What a tap's phases are made of; its weight says whether it is there. */
INLINE void item_tap(turns *unit, ulong *base, real *weight, const tile *t, GLOBAL const delay_t *delay, GLOBAL const ulong *rate,
                     const uint tap, const ulong unit_a, const ulong unit_b, const ulong base_a, const ulong base_b,
                     const real scale, const uint average, const uint flags)
{
    const delay_t d = delay_at(delay, t, 0, tap, flags);
    const uint state = delay_state(d, flags);
    delay_turns(unit, d, unit_a, unit_b);
    *base = delay_turns_high(d, base_a, base_b);
    *weight = scale;
    if (average > 1)
        *weight *= mean_weight(unit->high, average);
    if (state)
        *weight = state == 1 ? ABSENT : WRONG;
    if (flags & FLAG_RATES) {
        const ulong r = rate[tap_index(t, 0, tap, flags & FLAG_PATH_RATES)];
        if ((r & 0x7ff0000000000000UL) == 0x7ff0000000000000UL && *weight != ABSENT)
            *weight = WRONG;
    }
}

/* What a tap's rate has turned it by at a time step. */
INLINE ulong item_rate(const tile *t, GLOBAL const ulong *rate, const uint tap, const ulong time_a, const ulong time_b,
                       const uint time, const uint flags)
{
    return flags & FLAG_RATES ? turns_at_time(rate[tap_index(t, 0, tap, flags & FLAG_PATH_RATES)], time_a, time_b, time) : 0;
}

/* b of a path at a middle; 1 where something of it is not finite. */
INLINE uint item_gains(real *b_re, real *b_im, GLOBAL const complex_t *of_path, const real *weight, const real *e_re,
                       const real *e_im, const uint taps)
{
    uint bad = 0;
    for (uint n = 0; n < PADDED; n++) {
        b_re[n] = b_im[n] = 0;
        if (n < taps && weight[n] != ABSENT) {
            const complex_t a = of_path[n];
            bad |= weight[n] == WRONG ? 1 : not_finite(a.x) | not_finite(a.y);
            b_re[n] = RFMA(a.x, e_re[n], -(a.y * e_im[n]));
            b_im[n] = RFMA(a.x, e_im[n], a.y * e_re[n]);
        }
    }
    return bad;
}

/* The values of a whole block side by side: `above` is that of its middle. */
INLINE void item_block(GLOBAL real *above, const real *c_re, const real *c_im, const real *s_re, const real *s_im)
{
    for (uint j = 0; j < HALF; j++) {
        above[2 * j] = c_re[j] + s_im[j];
        above[2 * j + 1] = c_im[j] - s_re[j];
    }
    for (uint j = 0; j < HALF; j++) {
        above[-2 - 2 * (int)j] = c_re[j] - s_im[j];
        above[-1 - 2 * (int)j] = c_im[j] + s_re[j];
    }
}

/* Value by value, where a block is cut off, adds to what is there, or lies in another order. */
INLINE void item_values(GLOBAL complex_t *to, const tile *t, const uint p, const uint middle, const real *c_re, const real *c_im,
                        const real *s_re, const real *s_im, const uint values, const uint flags, const uint last)
{
    for (uint j = 0; j < HALF; j++) {
        complex_t high, low;
        high.x = c_re[j] + s_im[j];
        high.y = c_im[j] - s_re[j];
        low.x = c_re[j] - s_im[j];
        low.y = c_im[j] + s_re[j];
        store(&low, to, t, p, middle - 1 - j, values, flags, last);
        store(&high, to, t, p, middle + j, values, flags, last);
    }
}

KERNEL REQD_GROUP(1, 1, 1)
dft_fold(DFT_ARGUMENTS)
{
    real distance_c[PADDED * HALF], distance_s[PADDED * HALF], weight[PADDED], e_re[PADDED], e_im[PADDED], b_re[PADDED],
        b_im[PADDED];
    real c_re[HALF], c_im[HALF], s_re[HALF], s_im[HALF];
    turns unit[PADDED];
    ulong base[PADDED], rate_turns[PADDED];
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    GLOBAL const delay_t *delay = SPAN_AT(const delay_t, delays);
    GLOBAL const ulong *rate = SPAN_AT(const ulong, rates);
    const uint first_block = (uint)GROUP_ID(1) * BLOCKS;
    const uint all_blocks = (values + 2 * HALF - 1) / (2 * HALF);
    const uint end_block = all_blocks - first_block < BLOCKS ? all_blocks : first_block + BLOCKS;
    const uint last = t.taps <= first_tap + TAPS;

    if (t.taps <= first_tap && (flags & FLAG_ADD))
        return;
    const uint taps = t.taps - first_tap < TAPS ? t.taps - first_tap : TAPS; /* first_tap is 0 without FLAG_ADD */
    for (uint n = 0; n < PADDED; n++) {
        unit[n].high = unit[n].low = base[n] = 0;
        weight[n] = ABSENT;
        if (n < taps)
            item_tap(&unit[n], &base[n], &weight[n], &t, delay, rate, first_tap + n, unit_a, unit_b, base_a, base_b,
                     AS_REAL(scale_bits), average, flags);
        const turns of_tap = unit[n];
        for (uint j = 0; j < HALF; j++)
            turns_cos_sin(turns_times(&of_tap, (dlong)(2 * j + 1) * (step / 2)), &distance_c[n * HALF + j],
                          &distance_s[n * HALF + j]);
    }
    for (uint time = first_time + (uint)GROUP_ID(2); time < end_time; time += (uint)GROUPS(2)) {
        GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step;
        GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;
        for (uint n = 0; n < taps; n++)
            rate_turns[n] = base[n] - item_rate(&t, rate, first_tap + n, time_a, time_b, time, flags);
        for (uint m = first_block; m < end_block; m++) {
            const uint middle = m * (2 * HALF) + HALF;
            const dlong index = first + (dlong)middle * step - step / 2;
            for (uint n = 0; n < taps; n++) {
                real cosine, sine;
                turns_cos_sin(rate_turns[n] + turns_times(&unit[n], index), &cosine, &sine);
                e_re[n] = cosine * weight[n];
                e_im[n] = -sine * weight[n];
            }
            for (uint p = 0; p < t.paths; p++) {
                GLOBAL const complex_t *of_path = gain + t.first_gain + (ulong)p * t.taps + first_tap;
                const uint bad = item_gains(b_re, b_im, of_path, weight, e_re, e_im, taps);
                if (!bad) {
                    fold_block(distance_c, distance_s, b_re, b_im, c_re, c_im, s_re, s_im);
                } else {
                    for (uint j = 0; j < HALF; j++)
                        c_re[j] = c_im[j] = s_re[j] = s_im[j] = NOT_A_NUMBER;
                    if (m == 0)
                        report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p);
                }
                if (!bad && middle + HALF <= values && !(flags & (FLAG_ADD | FLAG_TRANSPOSED)))
                    item_block((GLOBAL real *)(to + (t.first_path + p) * values + middle), c_re, c_im, s_re, s_im);
                else
                    item_values(to, &t, p, middle, c_re, c_im, s_re, s_im, values, flags, last);
            }
        }
    }
}
