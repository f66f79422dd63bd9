/*
 * Phases of the channel DFT's kernels: products of frequency and delay reduced to a fraction of a turn, exactly, in integers,
 * so that every device has the same ones whether it has fp64 or not; and the cosine and sine of a fraction.
 *
 * Host macros:
 *   REAL64   0: gains and response are float; 1: double (needs HAVE_FP64)
 *   DELAY    0: delays are the bits of doubles; 1: int samples; 2: there is no array, tap n lies at n samples
 *
 * A fraction of a turn has 128 bits below the point, so that a multiple of it by an index of 32 bits is exact to 2^-64.
 * A constant factor comes as two numbers a, b: with DELAY 0 its mantissa (53 bits) and, in b, exponent (low half) and
 * sign (high half): |factor| = a 2^exponent; else the fraction of a turn of one sample, a the high part.
 */
#include "common.cl"

#ifndef REAL64
#define REAL64 0
#endif
#ifndef DELAY
#define DELAY 0
#endif

#if REAL64
typedef double real;
typedef double2 complex_t;
#define REAL(x) x
#define RFMA(a, b, c) fma(a, b, c)
#define AS_REAL(bits) AS_DOUBLE(bits)
#else
typedef float real;
typedef float2 complex_t;
#define REAL(x) x##f
#define RFMA(a, b, c) FMA(a, b, c)
#define AS_REAL(bits) AS_FLOAT((uint)(bits))
#endif

#if defined(CLR_CUDA)
#define MUL_HIGH(a, b) __umul64hi(a, b)
#define AS_DOUBLE(bits) __longlong_as_double((dlong)(bits))
#define ATOMIC_OR(pointer, value) atomicOr(pointer, value)
#else
#define MUL_HIGH(a, b) mul_hi((ulong)(a), (ulong)(b))
#define AS_DOUBLE(bits) as_double(bits)
#define ATOMIC_OR(pointer, value) atomic_or(pointer, value)
#endif

typedef struct turns {
    ulong high, low;
} turns;

/* Results go through pointers, not by return: inlined structures that are returned stop Oclgrind. */

/* (high:low) shifted left by s bits (right where s < 0); what leaves on the left is whole turns. */
INLINE void turns_shifted(turns *t, const ulong high, const ulong low, const int s)
{
    t->high = t->low = 0;
    if (s >= 64 && s < 128) {
        t->high = low << (s - 64);
    } else if (s > 0 && s < 64) {
        t->high = (high << s) | (low >> (64 - s));
        t->low = low << s;
    } else if (s == 0) {
        t->high = high;
        t->low = low;
    } else if (s < 0 && s > -64) {
        t->high = high >> -s;
        t->low = (low >> -s) | (high << (64 + s));
    } else if (s <= -64 && s > -128) {
        t->low = high >> (-s - 64);
    }
}

/* The fraction of a double (by its bits) times a constant. */
INLINE void turns_of_double(turns *t, const ulong bits, const ulong a, const ulong b)
{
    const uint biased = (uint)(bits >> 52) & 0x7ff;
    const ulong mantissa = (bits & 0xfffffffffffffUL) | (biased ? 0x10000000000000UL : 0);
    /* mantissa 2^(biased - 1075), a denormal's exponent being that of biased = 1 */
    const int exponent = (int)(biased ? biased : 1) - 1075 + (int)(uint)b;
    turns_shifted(t, MUL_HIGH(mantissa, a), mantissa * a, exponent + 128);
    if ((uint)(bits >> 63) ^ (uint)(b >> 32)) {
        t->low = ~t->low + 1;
        t->high = ~t->high + (t->low == 0);
    }
}

/* The high 64 bits of k times a fraction. */
INLINE ulong turns_times(const turns *t, const dlong k)
{
    ulong high = (ulong)k * t->high;
#if REAL64
    high += MUL_HIGH((ulong)k, t->low) - (k < 0 ? t->low : 0);
#else
    /* the low half matters only to doubles; k t.low is below |k| 2^-64 turns */
#endif
    return high;
}

INLINE void turns_of_samples(turns *t, const int samples, const ulong a, const ulong b)
{
    const ulong k = (ulong)(dlong)samples;
    t->low = k * b;
    t->high = k * a + MUL_HIGH(k, b) - (samples < 0 ? b : 0);
}

/* Cosine and sine of a fraction of a turn (2^64 is one turn): the nearest quarter by integers, the rest, at most an
 * eighth, by polynomials whose error is below the rounding. */
INLINE void turns_cos_sin(const ulong fraction, real *cosine, real *sine)
{
#if REAL64
    const ulong quarter = (fraction + 0x2000000000000000UL) >> 62;
    const dlong rest = (dlong)(fraction - (quarter << 62));
    const double x = (double)rest * 0x1p-64;
    const double y = x * x;
    double s = -0.7116358090781666, c = 0.279740786065750405;
    s = fma(s, y, 3.81978812016321142);
    s = fma(s, y, -15.0946404038915456);
    s = fma(s, y, 42.0586939289887834);
    s = fma(s, y, -76.7058597529981267);
    s = fma(s, y, 81.6052492760749307);
    s = fma(s, y, -41.3417022403997601);
    s = fma(s, y, 6.28318530717958648) * x;
    c = fma(c, y, -1.71433326942099208);
    c = fma(c, y, 7.90353561233896018);
    c = fma(c, y, -26.4262567778174002);
    c = fma(c, y, 60.2446413718545633);
    c = fma(c, y, -85.4568172066936846);
    c = fma(c, y, 64.9393940226682915);
    c = fma(c, y, -19.7392088021787172);
    c = fma(c, y, 1.0);
    const real flipped_c = quarter & 2 ? -c : c, flipped_s = quarter & 2 ? -s : s;
    *cosine = quarter & 1 ? -flipped_s : flipped_c;
    *sine = quarter & 1 ? flipped_c : flipped_s;
#else
    /* The rest, in 2^-34 of a turn, as a float x of its 24 high bits and 2 less for those below, and the square of both: with
     * them, and with 1 - 19.7 y in two parts, cosine and sine are within 0.79 of a last place of 1 of the true ones (of 0.5,
     * what any float can be), without them 1.25. */
    const uint turn = (uint)(fraction >> 32), moved = turn + 0x20000000u;
    const int rest = (int)(turn << 2);
    const float x = (float)(rest & ~0xff) * 0x1p-34f, twice_less = (float)(rest & 0xff) * 0x1p-33f;
    const float y = x * x, y_less = FMA(x, twice_less, FMA(x, x, -y));
    float s = -75.4016127f, c = 59.4241060f;
    s = FMA(s, y, 81.5925429f);
    s = FMA(s, y, -41.3416626f);
    c = FMA(c, y, -85.4488201f);
    c = FMA(c, y, 64.9393691f);
    const float most = FMA(y, -19.7392088f, 1.0f);
    c = most + FMA(y_less, -19.7392088f, FMA(y * y, c, FMA(y, -19.7392088f, 1.0f - most)));
    /* 2 pi x in two parts: less is rounded than by a product with the whole polynomial */
    s = FMA(x, 6.28318548f, FMA(twice_less * 3.14159274f, c, x * FMA(s, y, -1.942122e-7f)));
    /* quarters 1 and 3 exchange the two; the cosine's sign is that of quarters 1 and 2, the sine's of 2 and 3 */
    const uint odd = moved & 0x40000000u;
    *cosine = AS_FLOAT(AS_UINT(odd ? s : c) ^ ((moved + 0x40000000u) & 0x80000000u));
    *sine = AS_FLOAT(AS_UINT(odd ? c : s) ^ (moved & 0x80000000u));
#endif
}
