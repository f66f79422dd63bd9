/*
 * dft_fold for processors (ITEM = 1, dft_fold.cl includes this): a work-item is a work-group and owns BLOCKS blocks of all
 * paths of a tile; its innermost loops run over the pairs of a block, side by side in memory, for the compiler to
 * vectorise, STEP taps a pass over the sums.
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

#define STEP 4

/* The sums of a block: C = sum b cos, S = sum b sin. */
INLINE void fold_block(const real *distance_c, const real *distance_s, const real *b_re, const real *b_im, real *c_re,
                       real *c_im, real *s_re, real *s_im)
{
    for (uint j = 0; j < HALF; j++)
        c_re[j] = c_im[j] = s_re[j] = s_im[j] = 0;
    for (uint n = 0; n < TAPS; n += STEP) {
        const real *c = distance_c + n * HALF, *s = distance_s + n * HALF;
        for (uint j = 0; j < HALF; j++) {
            real a = c_re[j], b = c_im[j], d = s_re[j], e = s_im[j];
            UNROLL
            for (uint i = 0; i < STEP; i++) {
                a = RFMA(b_re[n + i], c[i * HALF + j], a);
                b = RFMA(b_im[n + i], c[i * HALF + j], b);
                d = RFMA(b_re[n + i], s[i * HALF + j], d);
                e = RFMA(b_im[n + i], s[i * HALF + j], e);
            }
            c_re[j] = a;
            c_im[j] = b;
            s_re[j] = d;
            s_im[j] = e;
        }
    }
}

KERNEL REQD_GROUP(1, 1, 1)
dft_fold(DFT_ARGUMENTS)
{
    real distance_c[TAPS * HALF], distance_s[TAPS * HALF], weight[TAPS], e_re[TAPS], e_im[TAPS], b_re[TAPS], b_im[TAPS];
    real c_re[HALF], c_im[HALF], s_re[HALF], s_im[HALF];
    turns unit[TAPS];
    ulong base[TAPS], rate_turns[TAPS];
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
    for (uint n = 0; n < TAPS; n++) {
        unit[n].high = unit[n].low = base[n] = 0;
        weight[n] = ABSENT;
        if (n < taps) {
            const delay_t d = delay_at(delay, &t, 0, first_tap + n, flags);
            const uint state = delay_state(d, flags);
            delay_turns(&unit[n], d, unit_a, unit_b);
            base[n] = delay_turns_high(d, base_a, base_b);
            weight[n] = AS_REAL(scale_bits);
            if (average > 1)
                weight[n] *= mean_weight(unit[n].high, average);
            if (state)
                weight[n] = state == 1 ? ABSENT : WRONG;
            if (flags & FLAG_RATES) {
                const ulong r = rate[tap_index(&t, 0, first_tap + n, flags & FLAG_PATH_RATES)];
                if ((r & 0x7ff0000000000000UL) == 0x7ff0000000000000UL && weight[n] != ABSENT)
                    weight[n] = WRONG;
            }
        }
        const turns of_tap = unit[n];
        for (uint j = 0; j < HALF; j++)
            turns_cos_sin(turns_times(&of_tap, (dlong)(2 * j + 1) * (step / 2)), &distance_c[n * HALF + j],
                          &distance_s[n * HALF + j]);
    }
    for (uint time = first_time + (uint)GROUP_ID(2); time < end_time; time += (uint)GROUPS(2)) {
        GLOBAL const complex_t *gain = (GLOBAL const complex_t *)SPAN_AT(const real, gains) + time * gains_step;
        GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step;
        for (uint n = 0; n < taps; n++) {
            rate_turns[n] = base[n];
            if (flags & FLAG_RATES) {
                const ulong r = rate[tap_index(&t, 0, first_tap + n, flags & FLAG_PATH_RATES)];
                rate_turns[n] -= turns_at_time(r, time_a, time_b, time);
            }
        }
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
                uint bad = 0;
                for (uint n = 0; n < TAPS; n++) {
                    b_re[n] = b_im[n] = 0;
                    if (n < taps && weight[n] != ABSENT) {
                        const complex_t a = of_path[n];
                        bad |= weight[n] == WRONG ? 1 : not_finite(a.x) | not_finite(a.y);
                        b_re[n] = RFMA(a.x, e_re[n], -(a.y * e_im[n]));
                        b_im[n] = RFMA(a.x, e_im[n], a.y * e_re[n]);
                    }
                }
                if (!bad) {
                    fold_block(distance_c, distance_s, b_re, b_im, c_re, c_im, s_re, s_im);
                } else {
                    for (uint j = 0; j < HALF; j++)
                        c_re[j] = c_im[j] = s_re[j] = s_im[j] = NOT_A_NUMBER;
                    if (m == 0)
                        report_bad(SPAN_AT(uint, status), SPAN_AT(uint, bad_paths), t.first_path + p);
                }
                if (!bad && middle + HALF <= values && !(flags & (FLAG_ADD | FLAG_TRANSPOSED))) {
                    GLOBAL real *above = (GLOBAL real *)(to + (t.first_path + p) * values + middle);
                    for (uint j = 0; j < HALF; j++) {
                        above[2 * j] = c_re[j] + s_im[j];
                        above[2 * j + 1] = c_im[j] - s_re[j];
                    }
                    for (uint j = 0; j < HALF; j++) {
                        above[-2 - 2 * (int)j] = c_re[j] - s_im[j];
                        above[-1 - 2 * (int)j] = c_im[j] + s_re[j];
                    }
                    continue;
                }
                for (uint j = 0; j < HALF; j++) {
                    complex_t high, low;
                    high.x = c_re[j] + s_im[j];
                    high.y = c_im[j] - s_re[j];
                    low.x = c_re[j] - s_im[j];
                    low.y = c_im[j] + s_re[j];
                    store(&low, to, &t, p, middle - 1 - j, values, flags, last);
                    store(&high, to, &t, p, middle + j, values, flags, last);
                }
            }
        }
    }
}
