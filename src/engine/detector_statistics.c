/* What the detector counts: sums over calls, percentiles of the histogram of nodes. */
#include "engine/detector_internal.h"

#include <math.h>

void clradio_detector_statistics_add(clradio_detector_statistics *sum,
                                     const clradio_detector_statistics *more)
{
    sum->vectors += more->vectors;
    for (int i = 0; i < 5; i++)
        sum->by_status[i] += more->by_status[i];
    sum->again += more->again;
    sum->thin += more->thin;
    sum->nodes += more->nodes;
    if (more->nodes_most > sum->nodes_most)
        sum->nodes_most = more->nodes_most;
    sum->lane_steps += more->lane_steps;
    sum->lane_slots += more->lane_slots;
    for (int bin = 0; bin < CLRADIO_DETECTOR_BINS; bin++)
        sum->histogram[bin] += more->histogram[bin];
}

uint32_t clr_detector_bin(uint64_t nodes)
{
    uint32_t octave = 0;
    if (nodes < 256)
        return (uint32_t)nodes;
    if (nodes > UINT32_MAX)
        nodes = UINT32_MAX;
    while (nodes >> (octave + 9))
        octave++;
    return 256 + 32 * octave + (uint32_t)(nodes >> (octave + 3) & 31);
}

static uint64_t last_of_bin(uint32_t bin)
{
    if (bin < 256)
        return bin;
    const uint32_t octave = (bin - 256) / 32;
    return ((uint64_t)((bin - 256) % 32 + 33) << (octave + 3)) - 1;
}

uint64_t clradio_detector_percentile(const clradio_detector_statistics *statistics, double share)
{
    uint64_t all = 0, so_far = 0;
    for (int bin = 0; bin < CLRADIO_DETECTOR_BINS; bin++)
        all += statistics->histogram[bin];
    const double wanted = ceil(share * (double)all);
    for (uint32_t bin = 0; bin < CLRADIO_DETECTOR_BINS; bin++) {
        so_far += statistics->histogram[bin];
        if (statistics->histogram[bin] && (double)so_far >= wanted) {
            const uint64_t last = last_of_bin(bin);
            return last < statistics->nodes_most ? last : statistics->nodes_most;
        }
    }
    return 0;
}
