/*
 * Random vectors of a MIMO link, y = H s + n: symbols, channel, an estimate of it, what is received. Every number comes
 * from montecarlo_random.cl under the vector's own index, in a stated order of roundings, so that any vector can be made
 * alone, with the same bits on every device (src/engine/montecarlo_reference.c is the same in C).
 *
 *   SYMBOL_BYTES   1 or 2: a label's type, uchar or ushort
 *   TAPS           0: elements of H are independent. 1: each is a sum over taps at the vector's subcarrier.
 *
 * Arrays: symbols [vector][tx], channel and estimate cf32 [vector][rx][tx], received cf32 [vector][rx]. first_vector is the
 * index of the call's first vector.
 *
 * A work-item owns one Philox block: 4 symbols of a vector, 2 elements of a channel, 1 of what is received; or one line of
 * a matrix that is correlated in place. Nothing is staged in local memory.
 */
#include "common.cl"
#include "montecarlo_random.cl"

#ifndef SYMBOL_BYTES
#define SYMBOL_BYTES 1
#endif
#ifndef TAPS
#define TAPS 0
#endif
#if SYMBOL_BYTES == 1
typedef uchar symbol;
#else
typedef ushort symbol;
#endif

/* The work-item's number, its vector, and which of the vector's parts it owns; items beyond the last vector leave. */
#define TAKE_ITEM(parts, part)                                                                                         \
    const uint item = (uint)GROUP_ID(0) * 256u + (uint)LOCAL_ID(0);                                                    \
    const uint vector = item / (parts), part = item - vector * (parts);                                                \
    if (vector >= vectors)                                                                                             \
    return

INLINE random_stream vector_stream(ulong seed, uint point, ulong vector)
{
    random_stream stream;
    stream.key0 = (uint)seed;
    stream.key1 = (uint)(seed >> 32);
    stream.point = point;
    stream.vector0 = (uint)vector;
    stream.vector1 = (uint)(vector >> 32);
    return stream;
}

INLINE random_complex load_complex(GLOBAL const float *from, ulong at)
{
    random_complex value;
    value.re = from[2 * at];
    value.im = from[2 * at + 1];
    return value;
}

INLINE void store_complex(GLOBAL float *to, ulong at, random_complex value)
{
    to[2 * at] = value.re;
    to[2 * at + 1] = value.im;
}

/* Labels: the upper bits of a word each. stream_bits: uint [tx]. */
KERNEL REQD_GROUP(256, 1, 1)
montecarlo_symbols(SPAN(const uint, stream_bits), SPAN(symbol, symbols), const ulong seed, const uint point,
                   const ulong first_vector, const uint vectors, const uint transmit)
{
    GLOBAL const uint *bits = SPAN_AT(const uint, stream_bits);
    GLOBAL symbol *out = SPAN_AT(symbol, symbols);
    const uint blocks = (transmit + 3u) / 4u;
    TAKE_ITEM(blocks, block);
    const random_words words = random_draw(vector_stream(seed, point, first_vector + vector), RANDOM_SYMBOLS, block);
    const uint tx = 4u * block;
    GLOBAL symbol *to = out + (ulong)vector * transmit + tx;
    to[0] = (symbol)(words.w0 >> (32u - bits[tx]));
    if (tx + 1u < transmit)
        to[1] = (symbol)(words.w1 >> (32u - bits[tx + 1u]));
    if (tx + 2u < transmit)
        to[2] = (symbol)(words.w2 >> (32u - bits[tx + 2u]));
    if (tx + 3u < transmit)
        to[3] = (symbol)(words.w3 >> (32u - bits[tx + 3u]));
}

#if TAPS

/* The subcarrier of a vector, and the phase of its specular part in 2^-32 turns. */
INLINE uint vector_carrier(random_stream stream, uint carriers, uint *phase)
{
    const random_words words = random_draw(stream, RANDOM_CARRIER, 0u);
    *phase = words.w1;
    return random_below(carriers, words.w0);
}

/* Turns, in 2^-32, that a delay takes off at a subcarrier. step: turns a subcarrier, in 2^-64. */
INLINE uint carrier_turns(uint carrier, ulong step)
{
    return (uint)(((ulong)carrier * step) >> 32);
}

/*
 * H = sum over taps of amplitude g exp(-2 pi i f delay), two elements a work-item. amplitudes: float [tap][2], diffuse and
 * specular; steps: ulong [tap], delay x subcarrier spacing.
 */
KERNEL REQD_GROUP(256, 1, 1)
montecarlo_channel(SPAN(const float, amplitudes), SPAN(const ulong, steps), SPAN(float, channel), const ulong seed,
                   const uint point, const ulong first_vector, const uint vectors, const uint elements, const uint taps,
                   const uint carriers)
{
    GLOBAL const float *amplitude = SPAN_AT(const float, amplitudes);
    GLOBAL const ulong *step = SPAN_AT(const ulong, steps);
    GLOBAL float *out = SPAN_AT(float, channel);
    const uint blocks = (elements + 1u) / 2u;
    TAKE_ITEM(blocks, block);
    const random_stream stream = vector_stream(seed, point, first_vector + vector);
    uint phase;
    const uint carrier = vector_carrier(stream, carriers, &phase);
    random_complex h0, h1;
    h0.re = h0.im = h1.re = h1.im = 0.0f;
    for (uint tap = 0; tap < taps; tap++) {
        const uint place = tap * blocks + block;
        const random_words words = random_draw(stream, RANDOM_CHANNEL, place);
        const float scale = amplitude[2u * tap];
        random_complex unit = random_unit(0u - carrier_turns(carrier, step[tap]));
        unit.re = FMUL(unit.re, scale);
        unit.im = FMUL(unit.im, scale);
        h0 = random_add(h0, random_multiply(unit, random_gaussian(stream, RANDOM_CHANNEL, place, 0u, words.w0, words.w1)));
        h1 = random_add(h1, random_multiply(unit, random_gaussian(stream, RANDOM_CHANNEL, place, 1u, words.w2, words.w3)));
    }
    const ulong at = (ulong)vector * elements + 2u * block;
    store_complex(out, at, h0);
    if (2u * block + 1u < elements)
        store_complex(out, at + 1u, h1);
}

/* Adds the specular parts: the same to every element of a vector's channel. One work-item an element. */
KERNEL REQD_GROUP(256, 1, 1)
montecarlo_specular(SPAN(const float, amplitudes), SPAN(const ulong, steps), SPAN(float, channel), const ulong seed,
                    const uint point, const ulong first_vector, const uint vectors, const uint elements, const uint taps,
                    const uint carriers)
{
    GLOBAL const float *amplitude = SPAN_AT(const float, amplitudes);
    GLOBAL const ulong *step = SPAN_AT(const ulong, steps);
    GLOBAL float *out = SPAN_AT(float, channel);
    TAKE_ITEM(elements, element);
    (void)element; /* all of a vector's get the same */
    uint phase;
    const uint carrier = vector_carrier(vector_stream(seed, point, first_vector + vector), carriers, &phase);
    random_complex sum = load_complex(out, item);
    for (uint tap = 0; tap < taps; tap++) {
        const float scale = amplitude[2u * tap + 1u];
        random_complex unit = random_unit(phase - carrier_turns(carrier, step[tap]));
        unit.re = FMUL(unit.re, scale);
        unit.im = FMUL(unit.im, scale);
        sum = random_add(sum, unit);
    }
    store_complex(out, item, sum);
}

#else

/* Independent CN(0, 1) elements, two a work-item. */
KERNEL REQD_GROUP(256, 1, 1)
montecarlo_channel(SPAN(float, channel), const ulong seed, const uint point, const ulong first_vector, const uint vectors,
                   const uint elements)
{
    GLOBAL float *out = SPAN_AT(float, channel);
    const uint blocks = (elements + 1u) / 2u;
    TAKE_ITEM(blocks, block);
    const random_stream stream = vector_stream(seed, point, first_vector + vector);
    const random_words words = random_draw(stream, RANDOM_CHANNEL, block);
    const ulong at = (ulong)vector * elements + 2u * block;
    store_complex(out, at, random_gaussian(stream, RANDOM_CHANNEL, block, 0u, words.w0, words.w1));
    if (2u * block + 1u < elements)
        store_complex(out, at + 1u, random_gaussian(stream, RANDOM_CHANNEL, block, 1u, words.w2, words.w3));
}

#endif

/*
 * x <- F x for every line of every matrix, F lower triangular, in place from the last element up. factor: cf32
 * [length][length]. Columns of H are lines with the factor of the receive side, rows with that of the transmit side.
 */
KERNEL REQD_GROUP(256, 1, 1)
montecarlo_correlate(SPAN(const float, factor), SPAN(float, channel), const uint vectors, const uint elements,
                     const uint lines, const uint line_stride, const uint length, const uint stride)
{
    GLOBAL const float *f = SPAN_AT(const float, factor);
    GLOBAL float *h = SPAN_AT(float, channel);
    TAKE_ITEM(lines, line);
    const ulong at = (ulong)vector * elements + (ulong)line * line_stride;
    for (uint left = length; left > 0u; left--) {
        const uint i = left - 1u;
        random_complex sum;
        sum.re = sum.im = 0.0f;
        for (uint k = 0; k <= i; k++)
            sum = random_add(sum, random_multiply(load_complex(f, i * length + k), load_complex(h, at + k * stride)));
        store_complex(h, at + i * stride, sum);
    }
}

/* estimate = channel + deviation CN(0, 1), two elements a work-item. */
KERNEL REQD_GROUP(256, 1, 1)
montecarlo_estimate(SPAN(const float, channel), SPAN(float, estimate), const ulong seed, const uint point,
                    const ulong first_vector, const uint vectors, const uint elements, const float deviation)
{
    GLOBAL const float *h = SPAN_AT(const float, channel);
    GLOBAL float *out = SPAN_AT(float, estimate);
    const uint blocks = (elements + 1u) / 2u;
    TAKE_ITEM(blocks, block);
    const random_stream stream = vector_stream(seed, point, first_vector + vector);
    const random_words words = random_draw(stream, RANDOM_ESTIMATE, block);
    for (uint second = 0; second < 2u && 2u * block + second < elements; second++) {
        const ulong at = (ulong)vector * elements + 2u * block + second;
        random_complex error = random_gaussian(stream, RANDOM_ESTIMATE, block, second, second ? words.w2 : words.w0,
                                               second ? words.w3 : words.w1);
        error.re = FMUL(deviation, error.re);
        error.im = FMUL(deviation, error.im);
        store_complex(out, at, random_add(load_complex(h, at), error));
    }
}

/* y = H s + deviation CN(0, 1), one receive antenna a work-item; the sum in the order of the streams, the noise last.
 * points: cf32 [tx][point_room], a stream's alphabet by label. */
KERNEL REQD_GROUP(256, 1, 1)
montecarlo_received(SPAN(const float, points), SPAN(const symbol, symbols), SPAN(const float, channel),
                    SPAN(float, received), const ulong seed, const uint point, const ulong first_vector,
                    const uint vectors, const uint receive, const uint transmit, const uint point_room,
                    const float deviation)
{
    GLOBAL const float *alphabet = SPAN_AT(const float, points);
    GLOBAL const symbol *sent = SPAN_AT(const symbol, symbols);
    GLOBAL const float *h = SPAN_AT(const float, channel);
    GLOBAL float *out = SPAN_AT(float, received);
    TAKE_ITEM(receive, rx);
    const random_stream stream = vector_stream(seed, point, first_vector + vector);
    const random_words words = random_draw(stream, RANDOM_NOISE, rx / 2u);
    random_complex sum;
    sum.re = sum.im = 0.0f;
    for (uint tx = 0; tx < transmit; tx++) {
        const uint label = sent[(ulong)vector * transmit + tx];
        sum = random_add(sum, random_multiply(load_complex(h, (ulong)item * transmit + tx),
                                              load_complex(alphabet, tx * point_room + label)));
    }
    random_complex noise = random_gaussian(stream, RANDOM_NOISE, rx / 2u, rx & 1u, rx & 1u ? words.w2 : words.w0,
                                           rx & 1u ? words.w3 : words.w1);
    noise.re = FMUL(deviation, noise.re);
    noise.im = FMUL(deviation, noise.im);
    store_complex(out, item, random_add(sum, noise));
}
