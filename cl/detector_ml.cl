/*
 * Detector: every symbol vector, one after the other.
 *
 * Data flow: a work-item owns one vector; it counts through all label vectors, the lowest stream of the triangle the
 * fastest, and takes up partial distances where they change; private memory holds them, and for LLRs the least metric
 * with each bit 0 and 1. The triangle is read where detector_prepare wrote it.
 *
 * Parameters: CTA_SIZE work-items of a work-group (1..1024; 64). Host macros, beside those of detector_common.cl and
 * detector_llr.cl:
 *   OWN       points of the caller's alphabet, or 0 (0)
 *   SOFT      1: LLRs can be asked for, a priori LLRs be given (0)
 *
 * Levels stand unsorted: level 2s and 2s + 1 (or one) are stream s.
 */
#include "detector_common.cl"
#include "detector_output.cl"
#include "detector_llr.cl"
#include "detector_work.cl"

#ifndef CTA_SIZE
#define CTA_SIZE 64
#endif
#ifndef OWN
#define OWN 0
#endif
#ifndef SOFT
#define SOFT 0
#endif

/* A stream's columns and what is known of it while its label is counted. */
typedef struct stream_t {
    float before;      /* partial distance of the streams above */
    float target[2];   /* of its levels, high and low */
    uint label, count; /* count: labels of the stream */
} stream_t;

/* Values of the two axes of a label. */
INLINE float value_of(GLOBAL const float *model, int c, int two_axes, uint label, uint axis)
{
#if OWN
    return OWN_POINT(label, axis);
#else
    uint of_axis = label;
    if (two_axes) {
        of_axis = 0;
        for (int bit = 0; bit < 5; bit++)
            of_axis |= (label >> (2 * bit + 1 - axis) & 1) << bit;
    }
    return 2 * (float)axis_index(POINTS_OF(c), of_axis) + 1 - POINTS_OF(c);
#endif
}

/* Bits of the stream whose levels are low .. end - 1, and where its bit b is among those of a vector. */
INLINE int bits_of(GLOBAL const float *model, int low, int end)
{
    return OWN ? BITS / TX : (int)log2_of(POINTS_OF(low)) * (end - low);
}

INLINE int place_of(GLOBAL const float *model, int low, int end, int b)
{
    const int column = end - low > 1 ? low + b % 2 : low;
    return MODEL_FIRST_BIT(column) + (end - low > 1 ? b / 2 : b) * MODEL_BIT_STEP(column);
}

#if SOFT
INLINE float prior_cost(GLOBAL const float *prior, ulong item, GLOBAL const float *model, int low, int end, uint label,
                        uint flags)
{
    const int bits = bits_of(model, low, end);
    float cost = 0;
    for (int b = 0; b < bits; b++) {
        float one = prior[item * BITS + place_of(model, low, end, b)];
        one = flags & LLR_ONE ? -one : one;
        cost += AXIS_BIT(label, bits, b) ? fmax(one, 0.0f) : fmax(-one, 0.0f);
    }
    return cost;
}
#endif

KERNEL REQD_GROUP(CTA_SIZE, 1, 1) detector_ml(WORK_ARGUMENTS)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    GLOBAL const float *model = SPAN_AT(const float, model);
    stream_t streams[TX];
    float values[LEVELS], best = LARGE, second = LARGE;
    uint winner[TX], nodes = 0;
    int low[TX + 1];
    TAKE_OUTPUTS(to);
    if (item >= items)
        return;
    TAKE_WORK(w, item);
    const llr_t llr = { llr_base ? SPAN_AT(uchar, llr) : 0, clip, llr_scale, flags };
    if (is_invalid(&w)) {
        store_invalid(&to, item);
        if (llr.to)
            store_no_llrs(&llr, item);
        return;
    }
#if SOFT
    float least[2 * BITS];
    GLOBAL const float *known = prior_base ? SPAN_AT(const float, prior) : 0;
    for (int b = 0; b < 2 * BITS; b++)
        least[b] = LARGE;
#endif
    low[0] = 0;
    for (int s = 0; s < TX; s++) {
        const int two_axes = low[s] + 1 < LEVELS && MODEL_STREAM(low[s] + 1) == s;
        low[s + 1] = low[s] + 1 + two_axes;
        streams[s].count = OWN ? OWN : 1u << bits_of(model, low[s], low[s + 1]);
        winner[s] = 0;
    }
    int at = TX - 1, fresh = 1;
    streams[at].before = 0;
    while (at < TX) {
        const int c = low[at], two_axes = low[at + 1] - c > 1;
        stream_t *stream = &streams[at];
        if (fresh) { /* the streams above have new labels */
            for (int level = c; level < low[at + 1]; level++) {
                float target = Y_OF(&w, level);
                for (int j = low[at + 1]; j < LEVELS; j++)
                    target -= R_OF(&w, level, j) * values[j];
                stream->target[level - c] = target;
            }
            stream->label = 0;
            fresh = 0;
        }
        if (stream->label == stream->count) {
            at++;
            continue;
        }
        const uint label = stream->label++;
        float metric = stream->before, lowest = stream->target[0];
        values[c] = value_of(model, c, two_axes, label, 0);
        if (two_axes) {
            values[c + 1] = value_of(model, c + 1, 1, label, 1);
            const float apart = stream->target[1] - R_OF(&w, c + 1, c + 1) * values[c + 1];
            metric += apart * apart;
            lowest -= R_OF(&w, c, c + 1) * values[c + 1];
        }
        lowest -= R_OF(&w, c, c) * values[c];
        metric += lowest * lowest;
#if SOFT
        if (known)
            metric += prior_cost(known, item, model, c, low[at + 1], label, flags) * w.noise_variance;
#endif
        if (at > 0) {
            streams[--at].before = metric;
            fresh = 1;
            continue;
        }
        nodes++;
        int smaller = metric < best;
        for (int s = 0; !smaller && metric == best && s < TX; s++) {
            if (streams[s].label - 1 > winner[s])
                break;
            smaller = streams[s].label - 1 < winner[s];
        }
        second = fmin(second, fmax(metric, best));
        best = fmin(best, metric);
        for (int s = 0; smaller && s < TX; s++)
            winner[s] = streams[s].label - 1;
#if SOFT
        for (int s = 0; llr.to && s < TX; s++)
            for (int b = 0; b < bits_of(model, low[s], low[s + 1]); b++) {
                const int place = place_of(model, low[s], low[s + 1], b);
                const uint value = AXIS_BIT(streams[s].label - 1, bits_of(model, low[s], low[s + 1]), b);
                least[2 * place + value] = fmin(least[2 * place + value], metric);
            }
#endif
    }
    for (int s = 0; s < TX; s++) {
        const int bits = bits_of(model, low[s], low[s + 1]);
        if (to.symbols)
            store_label(&to, item, s, winner[s]);
        for (int b = 0; to.bits && b < bits; b++)
            to.bits[item * BITS + place_of(model, low[s], low[s + 1], b)] = (uchar)AXIS_BIT(winner[s], bits, b);
#if SOFT
        for (int b = 0; llr.to && b < bits; b++) {
            const int two = low[s + 1] - low[s] > 1, place = place_of(model, low[s], low[s + 1], b);
            store_llr(&llr, item, model, two ? low[s] + b % 2 : low[s], two ? b / 2 : b, least[2 * place],
                      least[2 * place + 1], w.noise_variance);
        }
#endif
    }
    if (to.metric)
        to.metric[item] = (best + w.rest) / w.scale / w.scale;
    to.nodes[item] = nodes;
    /* budget 0: nothing decides thin margins again */
    to.status[item] = second > best + slack_of(best, w.rest, w.error) ? EXACT : THIN;
    if (to.status[item] == THIN) {
        if (budget)
            SPAN_AT(uint, again)[ATOMIC_ADD(&SPAN_AT(uint, counters)[0], 1u)] = (uint)item;
        ATOMIC_ADD(&SPAN_AT(uint, counters)[1], 1u);
    }
}
