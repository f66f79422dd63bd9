/* Random numbers by index: the n-th number of a stream is a function of seed, stream and n alone,
 * so that any piece of a signal can be made without the pieces in front of it. */
#ifndef CLR_MODEL_RANDOM_H
#define CLR_MODEL_RANDOM_H

#include <math.h>
#include <stdint.h>

/* The output function of splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t clr_random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t clr_random_key(uint64_t seed, uint64_t stream)
{
    return clr_random_mix(clr_random_mix(seed + 0x9e3779b97f4a7c15u) +
                          (stream + 1) * 0x9e3779b97f4a7c15u);
}

/* Uniform in (0, 1]. */
static inline double clr_random_uniform(uint64_t key, uint64_t index)
{
    return (double)((clr_random_mix(key + index * 0x9e3779b97f4a7c15u) >> 11) + 1) * 0x1p-53;
}

/* Two independent numbers of mean 0 and variance 1 (Box and Muller). */
static inline void clr_random_gaussian_pair(uint64_t key, int64_t index, double pair[2])
{
    double radius = sqrt(-2 * log(clr_random_uniform(key, 2 * (uint64_t)index)));
    double angle = 6.28318530717958647692 * clr_random_uniform(key, 2 * (uint64_t)index + 1);
    pair[0] = radius * cos(angle);
    pair[1] = radius * sin(angle);
}

#endif
