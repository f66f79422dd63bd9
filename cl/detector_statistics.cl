/*
 * Detector: what a call did, from the status and the nodes of its vectors.
 *
 * Data flow:
 *   detector_count: a work-group owns every GROUPS-th piece of the vectors of a batch; its histogram is in local memory,
 *   its sums go to a place of their own, so that no atomic operation orders anything but integer additions;
 *   detector_sum: one work-group adds the groups' sums to the call's statistics.
 *
 * Parameters: CTA_SIZE work-items of a work-group (1..1024; 64).
 *
 * A group's partial sums are 16 ulong (statuses 0..4, nodes, the most nodes of one vector) and then BINS uint.
 */
#include "common.cl"

#ifndef CTA_SIZE
#define CTA_SIZE 64
#endif
#define BINS 1024
#define PARTIAL_BYTES (16 * 8 + BINS * 4)

/* As clr_detector_bin. */
INLINE uint bin_of(uint nodes)
{
    uint octave = 0;
    if (nodes < 256)
        return nodes;
    while (octave < 23 && nodes >> (octave + 9))
        octave++;
    return 256 + 32 * octave + (nodes >> (octave + 3) & 31);
}

KERNEL REQD_GROUP(CTA_SIZE, 1, 1)
    detector_count(SPAN(const uchar, status), SPAN(const uint, nodes), SPAN(uchar, partials), const ulong items)
{
    LOCAL uint histogram[BINS];
    LOCAL ulong sums[CTA_SIZE * 7];
    const uint id = LOCAL_ID(0);
    GLOBAL uchar *mine = SPAN_AT(uchar, partials) + (ulong)GROUP_ID(0) * PARTIAL_BYTES;
    GLOBAL ulong *out = (GLOBAL ulong *)mine;
    GLOBAL uint *bins = (GLOBAL uint *)(mine + 16 * 8);
    ulong own[7] = { 0, 0, 0, 0, 0, 0, 0 };
    for (uint bin = id; bin < BINS; bin += CTA_SIZE)
        histogram[bin] = 0;
    BARRIER();
    for (ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + id; item < items; item += (ulong)GROUPS(0) * CTA_SIZE) {
        const uint count = SPAN_AT(const uint, nodes)[item], kind = SPAN_AT(const uchar, status)[item];
        for (uint k = 0; k < 5; k++)
            own[k] += kind == k;
        own[5] += count;
        own[6] = count > own[6] ? count : own[6];
        ATOMIC_ADD(&histogram[bin_of(count)], 1u);
    }
    for (uint k = 0; k < 7; k++)
        sums[k * CTA_SIZE + id] = own[k];
    BARRIER();
    for (uint k = id; k < 7; k += CTA_SIZE) {
        ulong all = 0;
        for (uint n = 0; n < CTA_SIZE; n++) {
            const ulong one = sums[k * CTA_SIZE + n];
            all = k < 6 ? all + one : one > all ? one : all;
        }
        out[k] = all;
    }
    for (uint bin = id; bin < BINS; bin += CTA_SIZE)
        bins[bin] = histogram[bin];
}

/*
 * The statistics are ulong: vectors, by_status[5], again, thin, nodes, nodes_most, lane_steps, lane_slots, histogram.
 * `lanes` entries of steps, `wave` of which run together. clear: the call's first batch.
 */
KERNEL REQD_GROUP(CTA_SIZE, 1, 1)
    detector_sum(SPAN(const uchar, partials), SPAN(const uint, counters), SPAN(const uint, steps),
                 SPAN(ulong, statistics), const ulong items, const ulong lanes, const uint wave, const uint groups,
                 const uint clear, const uint twice)
{
    LOCAL ulong sums[2 * CTA_SIZE];
    const uint id = LOCAL_ID(0);
    GLOBAL const uchar *all = SPAN_AT(const uchar, partials);
    GLOBAL ulong *to = SPAN_AT(ulong, statistics);
    GLOBAL const uint *step = SPAN_AT(const uint, steps);
    ulong taken = 0, slots = 0;
    for (ulong first = (ulong)id * wave; first < lanes; first += (ulong)CTA_SIZE * wave) {
        uint most = 0;
        for (ulong lane = first; lane < first + wave && lane < lanes; lane++) {
            taken += step[lane];
            most = step[lane] > most ? step[lane] : most;
        }
        slots += (ulong)most * wave;
    }
    sums[id] = taken;
    sums[CTA_SIZE + id] = slots;
    for (uint bin = id; bin < BINS; bin += CTA_SIZE) {
        ulong sum = clear ? 0 : to[12 + bin];
        for (uint g = 0; g < groups; g++)
            sum += ((GLOBAL const uint *)(all + (ulong)g * PARTIAL_BYTES + 16 * 8))[bin];
        to[12 + bin] = sum;
    }
    BARRIER();
    if (id)
        return;
    ulong values[12];
    for (uint k = 0; k < 12; k++)
        values[k] = clear ? 0 : to[k];
    for (uint g = 0; g < groups; g++) {
        GLOBAL const ulong *from = (GLOBAL const ulong *)(all + (ulong)g * PARTIAL_BYTES);
        for (uint k = 0; k < 5; k++)
            values[1 + k] += from[k];
        values[8] += from[5];
        values[9] = from[6] > values[9] ? from[6] : values[9];
    }
    values[0] += items;
    values[6] += twice ? SPAN_AT(const uint, counters)[0] : 0;
    values[7] += SPAN_AT(const uint, counters)[1];
    for (uint n = 0; n < CTA_SIZE; n++) {
        values[10] += sums[n];
        values[11] += sums[CTA_SIZE + n];
    }
    for (uint k = 0; k < 12; k++)
        to[k] = values[k];
}

/* The list of all items. */
KERNEL REQD_GROUP(CTA_SIZE, 1, 1)
    detector_list_all(SPAN(uint, list), SPAN(uint, counters), SPAN(uchar, status), SPAN(uint, nodes), const ulong items)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    if (item == 0)
        SPAN_AT(uint, counters)[0] = (uint)items;
    if (item >= items)
        return;
    SPAN_AT(uint, list)[item] = (uint)item;
    SPAN_AT(uchar, status)[item] = 1;
    SPAN_AT(uint, nodes)[item] = 0;
}
