/*
 * Detector: metrics in pairs of floats (compensated arithmetic), for a second pass on devices without double. Part of
 * detector_group.cl with COMPENSATED.
 *
 * The search goes by floats and sees every leaf that could be the best (doc/detector.md); of each that it reaches the metric is
 * calculated again, from the call's input and without any decomposition, with some 44 bits. A pair is the sum of two floats, the
 * second at most half a unit of the first's last place.
 */
#include "rounded.cl"

typedef struct fine_t {
    float high, low;
} fine_t;

/* |sqrt(metric) - sqrt(true metric)| is at most this times the float search's bound; the proof is in doc/detector.md. */
#define FINE_SHARE 9.5367431640625e-7f /* 2^-20 */

INLINE fine_t fine_sum_of(float a, float b)
{
    fine_t sum;
    sum.high = FADD(a, b);
    const float of_b = FADD(sum.high, -a), of_a = FADD(sum.high, -of_b);
    sum.low = FADD(FADD(a, -of_a), FADD(b, -of_b));
    return sum;
}

/* |a| >= |b|. */
INLINE fine_t fine_joined(float a, float b)
{
    fine_t sum;
    sum.high = FADD(a, b);
    sum.low = FADD(b, -FADD(sum.high, -a));
    return sum;
}

INLINE fine_t fine_sum(fine_t a, fine_t b)
{
    const fine_t sum = fine_sum_of(a.high, b.high);
    return fine_sum_of(sum.high, FADD(sum.low, FADD(a.low, b.low)));
}

INLINE fine_t fine_product(fine_t a, float b)
{
    const float high = FMUL(a.high, b), rounding = FMA(a.high, b, -high);
    return fine_joined(high, FMA(a.low, b, rounding));
}

INLINE fine_t fine_square(fine_t a)
{
    const float high = FMUL(a.high, a.high), rounding = FMA(a.high, a.high, -high);
    return fine_joined(high, FMA(FMUL(2, a.high), a.low, rounding));
}

INLINE fine_t fine_negative(fine_t a)
{
    const fine_t turned = { -a.high, -a.low };
    return turned;
}

INLINE int fine_is_less(fine_t a, fine_t b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* How much a is more than b; infinite where there is no a. */
INLINE float fine_excess(fine_t a, fine_t b)
{
    return a.high < LARGE ? FADD(FADD(a.high, -b.high), FADD(a.low, -b.low)) : LARGE;
}

/* The symbols of a path, times their alphabets' scale: re and im of each stream. */
INLINE void fine_symbols(NEAR_PTR const tree_t *tree, GLOBAL const float *model, const real *chosen, fine_t *symbols)
{
    for (int n = 0; n < 2 * TX; n++)
        symbols[n].high = symbols[n].low = 0;
    for (int level = 0; level < LEVELS; level++) {
        const uint c = tree->column[level];
        const fine_t re = { MODEL_FACTOR(c, 0), model[c * MODEL_WORDS + 8] };
        const fine_t im = { MODEL_FACTOR(c, 1), model[c * MODEL_WORDS + 9] };
        fine_t *symbol = symbols + 2 * MODEL_STREAM(c);
        const float a = chosen[level];
        const fine_t x = fine_product(re, a), y = fine_product(im, a);
        const int turned = MODEL_AXIS(c) == 1; /* times i */
        symbol[0] = fine_sum(symbol[0], turned ? fine_negative(y) : x);
        symbol[1] = fine_sum(symbol[1], turned ? x : y);
    }
}

/* |y - H s|^2 of the path that the lane has chosen, scaled like the tree's. */
INLINE fine_t fine_metric(const input_t *in, NEAR_PTR const tree_t *tree, GLOBAL const float *model, const real *chosen)
{
    const ulong vector = in->first + tree->item, c = in->per_channel ? vector / in->per_channel : 0;
    GLOBAL const float *h = in->channel + c * (2 * RX * TX), *received = in->received + vector * (2 * RX);
    fine_t symbols[2 * TX], metric = { 0, 0 };
    fine_symbols(tree, model, chosen, symbols);
    for (int i = 0; i < RX; i++) {
        fine_t re = { FMUL(received[2 * i], tree->scale), 0 }, im = { FMUL(received[2 * i + 1], tree->scale), 0 };
        for (int s = 0; s < TX; s++) {
            GLOBAL const float *of = h + 2 * (i * TX + s);
            const float x = FMUL(of[0], tree->scale), y = FMUL(of[1], tree->scale);
            const fine_t a = symbols[2 * s], b = symbols[2 * s + 1];
            re = fine_sum(re, fine_product(a, -x));
            re = fine_sum(re, fine_product(b, y));
            im = fine_sum(im, fine_product(a, -y));
            im = fine_sum(im, fine_product(b, -x));
        }
        metric = fine_sum(metric, fine_square(re));
        metric = fine_sum(metric, fine_square(im));
    }
    return metric;
}
