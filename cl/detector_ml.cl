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
#include "detector_work.cl"

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

/* What a stream's levels low .. end - 1 have to reach, given the values of the streams above; its labels start anew. */
INLINE void open_stream(stream_t *stream, const work_t *w, const float *values, const int low, const int end)
{
    for (int level = low; level < end; level++) {
        float target = Y_OF(w, level);
        for (int j = end; j < LEVELS; j++)
            target -= R_OF(w, level, j) * values[j];
        stream->target[level - low] = target;
    }
    stream->label = 0;
}

/* The partial distance with a label of the stream, whose values are put among the others. */
INLINE float with_label(const stream_t *stream, const work_t *w, GLOBAL const float *model, float *values, const uint label,
                        const int c, const int two_axes)
{
    float metric = stream->before, lowest = stream->target[0];
    values[c] = value_of(model, c, two_axes, label, 0);
    if (two_axes) {
        values[c + 1] = value_of(model, c + 1, 1, label, 1);
        const float apart = stream->target[1] - R_OF(w, c + 1, c + 1) * values[c + 1];
        metric += apart * apart;
        lowest -= R_OF(w, c, c + 1) * values[c + 1];
    }
    lowest -= R_OF(w, c, c) * values[c];
    return metric + lowest * lowest;
}

/* Whether the vector of the streams' labels is the better one: at ties the one whose first different label is smaller. */
INLINE int is_better(const stream_t *streams, const uint *winner, const float metric, const float best)
{
    int smaller = metric < best;
    for (int s = 0; !smaller && metric == best && s < TX; s++) {
        if (streams[s].label - 1 > winner[s])
            break;
        smaller = streams[s].label - 1 < winner[s];
    }
    return smaller;
}

/* Compares a vector with the best and the second best. */
INLINE void take_leaf(const stream_t *streams, uint *winner, const float metric, float *best, float *second)
{
    const int better = is_better(streams, winner, metric, *best);
    *second = fmin(*second, fmax(metric, *best));
    *best = fmin(*best, metric);
    for (int s = 0; better && s < TX; s++)
        winner[s] = streams[s].label - 1;
}

#if SOFT
/* A vector's bits among the least metrics with each bit 0 and 1. */
INLINE void note_least(float *least, const stream_t *streams, GLOBAL const float *model, const int *low, const float metric)
{
    for (int s = 0; s < TX; s++)
        for (int b = 0; b < bits_of(model, low[s], low[s + 1]); b++) {
            const int place = place_of(model, low[s], low[s + 1], b);
            const uint value = AXIS_BIT(streams[s].label - 1, bits_of(model, low[s], low[s + 1]), b);
            least[2 * place + value] = fmin(least[2 * place + value], metric);
        }
}

INLINE void store_llrs(const llr_t *llr, const ulong item, GLOBAL const float *model, const int *low, const float *least,
                       const float noise_variance)
{
    for (int s = 0; s < TX; s++)
        for (int b = 0; b < bits_of(model, low[s], low[s + 1]); b++) {
            const int two = low[s + 1] - low[s] > 1, place = place_of(model, low[s], low[s + 1], b);
            store_llr(llr, item, model, two ? low[s] + b % 2 : low[s], two ? b / 2 : b, least[2 * place], least[2 * place + 1],
                      noise_variance);
        }
}
#endif

/* Where the streams' levels begin, how many labels each has, and the first label of all. */
INLINE void first_labels(int *low, stream_t *streams, uint *winner, GLOBAL const float *model)
{
    low[0] = 0;
    for (int s = 0; s < TX; s++) {
        const int two_axes = low[s] + 1 < LEVELS && MODEL_STREAM(low[s] + 1) == s;
        low[s + 1] = low[s] + 1 + two_axes;
        streams[s].count = OWN ? OWN : 1u << bits_of(model, low[s], low[s + 1]);
        winner[s] = 0;
    }
}

/* A thin margin is counted, and noted where something decides it again. */
INLINE void store_certainty(const outputs_t *to, const ulong item, const int exact, GLOBAL uint *again, GLOBAL uint *counters)
{
    to->status[item] = exact ? EXACT : THIN;
    if (exact)
        return;
    if (again)
        again[ATOMIC_ADD(&counters[0], 1u)] = (uint)item;
    ATOMIC_ADD(&counters[1], 1u);
}

INLINE void store_winner(const outputs_t *to, const ulong item, GLOBAL const float *model, const int *low, const uint *winner,
                         const float metric, const uint nodes)
{
    if (to->metric)
        to->metric[item] = metric;
    to->nodes[item] = nodes;
    for (int s = 0; s < TX; s++) {
        const int bits = bits_of(model, low[s], low[s + 1]);
        if (to->symbols)
            store_label(to, item, s, winner[s]);
        for (int b = 0; to->bits && b < bits; b++)
            to->bits[item * BITS + place_of(model, low[s], low[s + 1], b)] = (uchar)AXIS_BIT(winner[s], bits, b);
    }
}

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
        store_nothing(&to, &llr, item);
        return;
    }
#if SOFT
    float least[2 * BITS];
    GLOBAL const float *known = prior_base ? SPAN_AT(const float, prior) : 0;
    for (int b = 0; b < 2 * BITS; b++)
        least[b] = LARGE;
#endif
    first_labels(low, streams, winner, model);
    int at = TX - 1, fresh = 1;
    streams[at].before = 0;
    while (at < TX) {
        const int c = low[at], two_axes = low[at + 1] - c > 1;
        stream_t *stream = &streams[at];
        if (fresh) /* the streams above have new labels */
            open_stream(stream, &w, values, c, low[at + 1]);
        fresh = 0;
        if (stream->label == stream->count) {
            at++;
            continue;
        }
        const uint label = stream->label++;
        float metric = with_label(stream, &w, model, values, label, c, two_axes);
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
        take_leaf(streams, winner, metric, &best, &second);
#if SOFT
        if (llr.to)
            note_least(least, streams, model, low, metric);
#endif
    }
    store_winner(&to, item, model, low, winner, (best + w.rest) / w.scale / w.scale, nodes);
#if SOFT
    if (llr.to)
        store_llrs(&llr, item, model, low, least, w.noise_variance);
#endif
    /* budget 0: nothing decides thin margins again */
    store_certainty(&to, item, second > best + slack_of(best, w.rest, w.error), budget ? SPAN_AT(uint, again) : 0,
                    SPAN_AT(uint, counters));
}
