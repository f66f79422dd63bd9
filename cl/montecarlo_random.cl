/*
 * Random numbers by counter, and complex Gaussian numbers of them, with the same bits on every device and on the host:
 * src/engine/montecarlo_random.h compiles this same file as C.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Key: the seed.
 * Counter: vector (2 words), point, purpose and block. So any number of any vector is made without those before it.
 *
 * Bits stay the same because the floating-point work is additions and products alone, each rounded by itself (FMUL, FADD):
 * no contraction, no division, no function of a library. A conversion from int is rounded to nearest in both languages.
 *
 * The host defines nothing; CLR_HOST is defined where this is compiled as C.
 */
#if !defined(CLR_HOST)
#include "common.cl"
#include "rounded.cl"
#endif

#if defined(CLR_CUDA)

INLINE uint bits_of_float(float a) { return __float_as_uint(a); }
INLINE float float_of_bits(uint a) { return __uint_as_float(a); }
INLINE uint leading_zeros(uint a) { return (uint)__clz((int)a); }

#elif !defined(CLR_HOST)

INLINE uint bits_of_float(float a) { return as_uint(a); }
INLINE float float_of_bits(uint a) { return as_float(a); }
INLINE uint leading_zeros(uint a) { return clz(a); }

#endif

/* What a number is for: the upper 8 bits of the counter's last word. */
#define RANDOM_SYMBOLS 0u
#define RANDOM_CHANNEL 1u
#define RANDOM_NOISE 2u
#define RANDOM_ESTIMATE 3u
#define RANDOM_CARRIER 4u
#define RANDOM_FINER 0x80u /* or-ed: more bits of a radius that came out large */

typedef struct random_words {
    uint w0, w1, w2, w3;
} random_words;

typedef struct random_stream {
    uint key0, key1; /* the seed, low and high half */
    uint point;
    uint vector0, vector1; /* the vector's index, low and high half */
} random_stream;

typedef struct random_complex {
    float re, im;
} random_complex;

INLINE uint random_product_high(uint a, uint b)
{
    return (uint)(((ulong)a * b) >> 32);
}

INLINE random_words random_philox(random_words counter, uint key0, uint key1)
{
    for (uint round = 0; round < 10; round++) {
        const uint high0 = random_product_high(0xD2511F53u, counter.w0), low0 = 0xD2511F53u * counter.w0;
        const uint high2 = random_product_high(0xCD9E8D57u, counter.w2), low2 = 0xCD9E8D57u * counter.w2;
        counter.w0 = high2 ^ counter.w1 ^ key0;
        counter.w1 = low2;
        counter.w2 = high0 ^ counter.w3 ^ key1;
        counter.w3 = low0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/* Four words of a vector: block < 2^24 of a purpose. */
INLINE random_words random_draw(random_stream stream, uint purpose, uint block)
{
    random_words counter;
    counter.w0 = stream.vector0;
    counter.w1 = stream.vector1;
    counter.w2 = stream.point;
    counter.w3 = purpose << 24 | block;
    return random_philox(counter, stream.key0, stream.key1);
}

/* ln(1 + f) for -0.293 <= f <= 0.415, relative error below 1.3e-7: f + f^2 q(f), q a Chebyshev fit of degree 9. */
INLINE float random_log1p(float f)
{
    float q = 0.06957153f;
    q = FADD(FMUL(q, f), -0.11670209f);
    q = FADD(FMUL(q, f), 0.11789706f);
    q = FADD(FMUL(q, f), -0.12400799f);
    q = FADD(FMUL(q, f), 0.142327f);
    q = FADD(FMUL(q, f), -0.16668667f);
    q = FADD(FMUL(q, f), 0.20001467f);
    q = FADD(FMUL(q, f), -0.2499999f);
    q = FADD(FMUL(q, f), 0.33333322f);
    q = FADD(FMUL(q, f), -0.5f);
    return FADD(f, FMUL(FMUL(f, f), q));
}

/* -ln(u), u = top 2^-32 2^-zeros, the highest bit of top set. Relatively accurate near u = 1 too. */
INLINE float random_minus_log(uint top, uint zeros)
{
    const int above = top < 0xB504F334u; /* top 2^-32 < 1/sqrt(2) */
    const float f = above ? FMUL((float)(int)(top - 0x80000000u), 4.656612873077393e-10f)
                          : FMUL((float)(int)(0u - top), -2.3283064365386963e-10f);
    const float exponent = (float)(int)(zeros + (above ? 1u : 0u));
    return FADD(FMUL(exponent, 0.69314718f), -random_log1p(f));
}

/* sqrt(x) for a positive x: Newton's steps for 1/sqrt(x) from a guess by the exponent, then times x. */
INLINE float random_root(float x)
{
    const float half_x = FMUL(-0.5f, x);
    float y = float_of_bits(0x5F3759DFu - (bits_of_float(x) >> 1));
    for (uint step = 0; step < 3; step++)
        y = FADD(y, FMUL(y, FADD(0.5f, FMUL(half_x, FMUL(y, y)))));
    return FMUL(x, y);
}

/* exp(2 pi i turn 2^-32): quarter turns exact, the rest by Chebyshev fits within an eighth of a turn. */
INLINE random_complex random_unit(uint turn)
{
    const uint quarter = (turn + 0x20000000u) >> 30;
    const float t = FMUL((float)(int)(turn - (quarter << 30)), 9.313225746154785e-10f);
    const float t2 = FMUL(t, t);
    float sine = -0.0046021314f, cosine = 0.0009036237f;
    sine = FADD(FMUL(sine, t2), 0.07968021f);
    sine = FADD(FMUL(sine, t2), -0.6459635f);
    sine = FADD(FMUL(sine, t2), 1.5707964f);
    sine = FMUL(sine, t);
    cosine = FADD(FMUL(cosine, t2), -0.020860069f);
    cosine = FADD(FMUL(cosine, t2), 0.2536692f);
    cosine = FADD(FMUL(cosine, t2), -1.2337005f);
    cosine = FADD(FMUL(cosine, t2), 1.0f);
    random_complex unit;
    unit.re = quarter & 1u ? sine : cosine;
    unit.im = quarter & 1u ? cosine : sine;
    if (quarter == 1u || quarter == 2u)
        unit.re = -unit.re;
    if (quarter == 2u || quarter == 3u)
        unit.im = -unit.im;
    return unit;
}

/*
 * A circular complex Gaussian number g with E|g|^2 = 1 (Box and Muller): |g|^2 = -ln u, u an odd multiple of 2^-32. The
 * smallest 2^-12 of u are drawn finer, in odd multiples of 2^-63, so that tails are right to |g|^2 = 43.
 * second: 0 or 1, which half of the block the two words are.
 */
INLINE random_complex random_gaussian(random_stream stream, uint purpose, uint block, uint second, uint radius_word,
                                      uint angle_word)
{
    uint top = radius_word | 1u;
    uint zeros = leading_zeros(top);
    top <<= zeros;
    if (zeros >= 12u) {
        const random_words more = random_draw(stream, purpose | RANDOM_FINER, block);
        const uint high = radius_word >> 1, low = (second ? more.w2 : more.w0) | 1u;
        if (high) {
            zeros = leading_zeros(high);
            top = high << zeros | low >> (32u - zeros);
            zeros = zeros - 1u;
        } else {
            zeros = leading_zeros(low);
            top = low << zeros;
            zeros = zeros + 31u;
        }
    }
    const float radius = random_root(random_minus_log(top, zeros));
    random_complex g = random_unit(angle_word);
    g.re = FMUL(radius, g.re);
    g.im = FMUL(radius, g.im);
    return g;
}

/* A whole number in [0, n), n < 2^31; its bias is below n 2^-32. */
INLINE uint random_below(uint n, uint word)
{
    return random_product_high(n, word);
}

INLINE random_complex random_multiply(random_complex a, random_complex b)
{
    random_complex product;
    product.re = FADD(FMUL(a.re, b.re), -FMUL(a.im, b.im));
    product.im = FADD(FMUL(a.re, b.im), FMUL(a.im, b.re));
    return product;
}

INLINE random_complex random_add(random_complex a, random_complex b)
{
    random_complex sum;
    sum.re = FADD(a.re, b.re);
    sum.im = FADD(a.im, b.im);
    return sum;
}
