/* One random vector on the host: the same numbers, operations and order of roundings as the kernels
 * of cl/montecarlo_generate.cl, written as plain loops over a vector. */
#include "engine/montecarlo_internal.h"
#include "engine/montecarlo_random.h"

#include <math.h>
#include <stdlib.h>

float clr_montecarlo_deviation(double variance)
{
    return (float)sqrt(variance);
}

static void store(float *to, random_complex value)
{
    to[0] = value.re;
    to[1] = value.im;
}

static random_complex load(const float *from)
{
    return (random_complex){ from[0], from[1] };
}

static random_complex scaled(float scale, random_complex value)
{
    return (random_complex){ FMUL(scale, value.re), FMUL(scale, value.im) };
}

/* The n-th complex Gaussian number of a purpose, two to a block. */
static random_complex gaussian(random_stream stream, uint32_t purpose, uint32_t first_block,
                               uint32_t n)
{
    const uint32_t block = first_block + n / 2, half = n % 2;
    const random_words words = random_draw(stream, purpose, block);
    return random_gaussian(stream, purpose, block, half, half ? words.w2 : words.w0,
                           half ? words.w3 : words.w1);
}

static void make_symbols(const clr_montecarlo_link *link, random_stream stream, uint16_t *symbols)
{
    for (uint32_t tx = 0; tx < link->transmit; tx++) {
        const random_words words = random_draw(stream, RANDOM_SYMBOLS, tx / 4);
        const uint32_t word = tx % 4 == 0   ? words.w0
                              : tx % 4 == 1 ? words.w1
                              : tx % 4 == 2 ? words.w2
                                            : words.w3;
        symbols[tx] = (uint16_t)(word >> (32 - link->stream_bits[tx]));
    }
}

/* What a delay turns the phase by at a subcarrier, in 2^-32 turns. */
static uint32_t turns_of(const clr_montecarlo_link *link, uint32_t carrier, uint32_t tap)
{
    return (uint32_t)((carrier * link->steps[tap]) >> 32);
}

static void make_diffuse(const clr_montecarlo_link *link, random_stream stream, uint32_t carrier,
                         float *channel)
{
    const uint32_t blocks = (link->elements + 1) / 2;
    for (uint32_t e = 0; e < link->elements; e++) {
        random_complex sum = { 0.0f, 0.0f };
        for (uint32_t tap = 0; tap < link->taps; tap++) {
            const random_complex unit =
                scaled(link->amplitudes[2 * tap], random_unit(0u - turns_of(link, carrier, tap)));
            sum = random_add(
                sum, random_multiply(unit, gaussian(stream, RANDOM_CHANNEL, tap * blocks, e)));
        }
        store(channel + 2 * e, link->taps ? sum : gaussian(stream, RANDOM_CHANNEL, 0, e));
    }
}

static void make_channel(const clr_montecarlo_link *link, random_stream stream, float *channel)
{
    const random_words words = random_draw(stream, RANDOM_CARRIER, 0);
    const uint32_t carrier = link->taps ? random_below(link->carriers, words.w0) : 0;
    make_diffuse(link, stream, carrier, channel);
    for (uint32_t tx = 0; tx < link->transmit && link->receive_factor; tx++)
        clr_montecarlo_correlate_line(link->receive_factor, link->receive, channel + 2 * tx,
                                      link->transmit);
    for (uint32_t rx = 0; rx < link->receive && link->transmit_factor; rx++)
        clr_montecarlo_correlate_line(link->transmit_factor, link->transmit,
                                      channel + 2 * rx * link->transmit, 1);
    for (uint32_t e = 0; e < link->elements && link->specular; e++)
        for (uint32_t tap = 0; tap < link->taps; tap++) {
            const uint32_t turn = words.w1 - turns_of(link, carrier, tap);
            store(channel + 2 * e,
                  random_add(load(channel + 2 * e),
                             scaled(link->amplitudes[2 * tap + 1], random_unit(turn))));
        }
}

static void make_received(const clr_montecarlo_link *link, random_stream stream, float deviation,
                          const uint16_t *symbols, const float *channel, float *received)
{
    for (uint32_t rx = 0; rx < link->receive; rx++) {
        random_complex sum = { 0.0f, 0.0f };
        for (uint32_t tx = 0; tx < link->transmit; tx++) {
            const float *point = link->points + 2 * ((size_t)tx * link->point_room + symbols[tx]);
            sum = random_add(
                sum, random_multiply(load(channel + 2 * (rx * link->transmit + tx)), load(point)));
        }
        const random_complex noise = gaussian(stream, RANDOM_NOISE, 0, rx);
        store(received + 2 * rx, random_add(sum, scaled(deviation, noise)));
    }
}

void clr_montecarlo_make_vector(const clr_montecarlo_link *link, uint32_t point, float deviation,
                                uint64_t vector, uint16_t *symbols, float *channel, float *estimate,
                                float *received)
{
    const random_stream stream = { (uint32_t)link->seed, (uint32_t)(link->seed >> 32), point,
                                   (uint32_t)vector, (uint32_t)(vector >> 32) };
    make_symbols(link, stream, symbols);
    make_channel(link, stream, channel);
    for (uint32_t e = 0; e < link->elements && estimate; e++)
        store(estimate + 2 * e,
              random_add(load(channel + 2 * e), scaled(link->estimate_deviation,
                                                       gaussian(stream, RANDOM_ESTIMATE, 0, e))));
    if (received)
        make_received(link, stream, deviation, symbols, channel, received);
}

clradio_status clradio_montecarlo_vector(const clradio_montecarlo *plan, uint32_t point,
                                         double noise_variance, uint64_t vector, uint16_t *symbols,
                                         float *channel, float *estimate, float *received)
{
    uint16_t own_symbols[CLR_MONTECARLO_STREAMS];
    if (!plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan is NULL");
    if (!(noise_variance >= 0.0 && noise_variance <= 1e30))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "noise_variance is %g, it must be 0 to 1e30",
                        noise_variance);
    float *own = channel ? NULL : malloc((size_t)plan->link.elements * 2 * sizeof *own);
    if (!channel && !own)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a channel");
    clr_montecarlo_make_vector(&plan->link, point, clr_montecarlo_deviation(noise_variance), vector,
                               symbols ? symbols : own_symbols, channel ? channel : own, estimate,
                               received);
    free(own);
    return CLRADIO_OK;
}
