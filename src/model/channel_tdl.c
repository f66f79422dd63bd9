/* Tapped delay lines: one independent process for each tap of each antenna pair. */
#include "model/channel_internal.h"
#include "model/random.h"

#include <math.h>

enum { WAVES = 64 };

/* One tap of one antenna pair at count times, step apart in `gains`. */
static void fill_tap(const clr_channel *channel, size_t tap, uint64_t key, uint64_t first,
                     uint64_t count, size_t step, double *gains)
{
    const clr_channel_config *config = &channel->config;
    double amplitude = sqrt(channel->power[tap]), pair[2];
    double turn = 2 * M_PI * config->doppler_hz * config->time_step_s; /* rad a time step */
    if (config->profile->tap[tap].line_of_sight) {
        double phase = 2 * M_PI * clr_random_uniform(key, 0);
        for (uint64_t t = 0; t < count; t++) {
            double angle = phase + fmod(0.7 * turn * (double)(first + t), 2 * M_PI);
            gains[2 * t * step] = amplitude * cos(angle);
            gains[2 * t * step + 1] = amplitude * sin(angle);
        }
        return;
    }
    if (turn == 0) {
        clr_random_gaussian_pair(key, 0, pair);
        for (uint64_t t = 0; t < count; t++)
            for (int part = 0; part < 2; part++)
                gains[2 * t * step + (size_t)part] = amplitude * M_SQRT1_2 * pair[part];
        return;
    }
    for (uint64_t t = 0; t < count; t++)
        gains[2 * t * step] = gains[2 * t * step + 1] = 0;
    for (int w = 0; w < WAVES; w++) {
        clr_random_gaussian_pair(key, 1 + w, pair);
        double rate =
            turn * cos(2 * M_PI * clr_random_uniform(key, UINT64_C(1) << 32 | (uint64_t)w));
        double scale = amplitude * M_SQRT1_2 / sqrt(WAVES);
        for (uint64_t t = 0; t < count; t++) {
            double angle = fmod(rate * (double)(first + t), 2 * M_PI);
            double c = cos(angle), s = sin(angle);
            gains[2 * t * step] += scale * (pair[0] * c - pair[1] * s);
            gains[2 * t * step + 1] += scale * (pair[0] * s + pair[1] * c);
        }
    }
}

void clr_channel_tdl_gains(const clr_channel *channel, uint64_t link, uint64_t first,
                           uint64_t count, double *gains)
{
    size_t taps = clr_channel_taps(channel), paths = clr_channel_paths(channel);
    uint64_t of_link = clr_random_key(channel->config.seed, link);
    for (size_t p = 0; p < paths; p++)
        for (size_t n = 0; n < taps; n++)
            fill_tap(channel, n, clr_random_key(of_link, p * taps + n), first, count, paths * taps,
                     gains + 2 * (p * taps + n));
}
