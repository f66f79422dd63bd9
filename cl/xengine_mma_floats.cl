/*
 * The variant mma's floats, where samples are read from local memory one by one: cf16 from [time][channel][input], and cf32, each part of
 * which is split into two of tf32 (10 bits behind the point), high and low: x y = high high + high low + low high, and what is left out
 * is below 2^-22 of the product. Included by xengine_mma_products.cl.
 */
#include "tf32.cl"

#if LOADS && !EMULATED
/* The word of an edge in which a sample begins; its time is k_time, a multiple of 8, and time. */
INLINE uint word_of(const uint input, const uint k_time, const uint time, const uint width)
{
#if LAYOUT == 0
    return 4 * ((k_time + time) * ROW_UNITS(width) + (input / UNIT_SAMPLES ^ (TURN(time, width)))) +
           input % UNIT_SAMPLES * (SAMPLE / 4);
#else
    const uint unit = ((k_time + time) / BLOCK * width + input) * 2 + time / UNIT_SAMPLES % 2;
    return 4 * (unit ^ (input >> 2 & 1)) + time % UNIT_SAMPLES * (SAMPLE / 4);
#endif
}

/* A fragment's words as they lie. A lane takes the times that keep the eight inputs and four lanes of a read in different banks. */
INLINE void load_samples(fragment *to, LOCAL_PTR const unit_t *edge, const uint width, const uint input, const uint k, const uint lane)
{
    LOCAL_PTR const uint *const words = (LOCAL_PTR const uint *)edge;
#if INPUT == CF16
    const uint time = 2 * (lane % 4);
    const uint a = words[word_of(input, k * K_TIMES, time, width)], b = words[word_of(input, k * K_TIMES, time + 1, width)];
    const uint c = words[word_of(input, k * K_TIMES + 8, time, width)], d = words[word_of(input, k * K_TIMES + 8, time + 1, width)];
    to->word[0] = pick(a, b, 0x5410);
    to->word[1] = pick(a, b, 0x7632);
    to->word[2] = pick(c, d, 0x5410);
    to->word[3] = pick(c, d, 0x7632);
#else
    const uint time = LAYOUT == 0 ? lane % 2 * 4 + lane % 4 / 2 : lane % 4;
    const uint2 first = *(LOCAL_PTR const uint2 *)(words + word_of(input, k * K_TIMES, time, width));
    const uint2 last = *(LOCAL_PTR const uint2 *)(words + word_of(input, k * K_TIMES, time + (LAYOUT == 0 ? 2 : 4), width));
    to->word[0] = first.x;
    to->word[1] = first.y;
    to->word[2] = last.x;
    to->word[3] = last.y;
#endif
}

/* Leaves the high parts in place and takes out the low ones. */
INLINE void split(fragment *high, fragment *low)
{
    UNROLL for (uint w = 0; w < 4; w++) {
        const uint bits = high->word[w];
        high->word[w] = high_part(bits);
        low->word[w] = low_part(bits, high->word[w]);
    }
}

INLINE void multiply_parts(sum_t *to, const fragment *y, const fragment *x)
{
    multiply(to, y, x->word[0], x->word[2]);
    multiply(to + 4, y, x->word[1], x->word[3]);
}

INLINE void add_stage(sum_t *sums, LOCAL_PTR const unit_t *stage, const uint y_first, const uint x_first, const uint lane,
                      const uint flip, const uint real_low)
{
    (void)flip, (void)real_low;
    UNROLL for (uint k = 0; k < T_STAGE / K_TIMES; k++) {
        fragment y[FRAGMENTS_Y], x;
        UNROLL for (uint f = 0; f < FRAGMENTS_Y; f++)
            load_samples(&y[f], stage, Wy, y_first + 8 * f + lane / 4, k, lane);
#if INPUT == CF32
        fragment y_low[FRAGMENTS_Y], x_low;
        UNROLL for (uint f = 0; f < FRAGMENTS_Y; f++)
            split(&y[f], &y_low[f]);
#endif
        UNROLL for (uint g = 0; g < FRAGMENTS_X; g++) {
            load_samples(&x, stage + UNITS(Wy), Wx, x_first + 8 * g + lane / 4, k, lane);
#if INPUT == CF32
            split(&x, &x_low); /* the small products first */
            UNROLL for (uint f = 0; f < FRAGMENTS_Y; f++)
                multiply_parts(sums + (f * FRAGMENTS_X + g) * 8, &y_low[f], &x);
            UNROLL for (uint f = 0; f < FRAGMENTS_Y; f++)
                multiply_parts(sums + (f * FRAGMENTS_X + g) * 8, &y[f], &x_low);
#endif
            UNROLL for (uint f = 0; f < FRAGMENTS_Y; f++)
                multiply_parts(sums + (f * FRAGMENTS_X + g) * 8, &y[f], &x);
        }
    }
}
#endif
