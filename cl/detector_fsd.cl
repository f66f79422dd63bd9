/*
 * Detector: fixed complexity. Every point of the full streams, which detector_prepare put last, and below each the
 * nearest points one after the other. LLRs come from all leaves.
 *
 * Data flow: a work-item owns one vector; the triangle is in private memory; registers hold the path, the best leaf and,
 * for LLRs, the least metric with each bit 0 and 1.
 *
 * Parameters: CTA_SIZE work-items of a work-group (1..1024; 64). Host macros, beside those of detector_common.cl and
 * detector_llr.cl:
 *   FULL      full streams (1..TX; 1)
 *   SOFT      1: LLRs can be asked for (0)
 */
#include "detector_work.cl"

#ifndef FULL
#define FULL 1
#endif
#ifndef SOFT
#define SOFT 0
#endif

/* The path's bits among the least metrics; bit b of level l at [2 (10 l + b) + value]. */
INLINE void note_bits(GLOBAL const float *model, const uint *column, const float *s, float metric, float *least)
{
    for (int level = 0; level < LEVELS; level++) {
        const uint points = POINTS_OF(column[level]);
        const int bits = (int)log2_of(points);
        const uint label = axis_label(points, (uint)((s[level] + points - 1) * 0.5f));
        for (int b = 0; b < bits; b++) {
            float *at = least + 2 * (5 * level + b) + AXIS_BIT(label, bits, b);
            *at = fmin(*at, metric);
        }
    }
}

/* The n-th combination of the points of the full streams, whose levels are sliced .. LEVELS - 1, and below each the nearest
 * points one after the other. Returns its metric. */
INLINE float path_at(uint n, const int sliced, GLOBAL const float *model, const float *r, const float *y, const uint *column,
                     float *s)
{
    float metric = 0;
    UNROLL_SMALL
    for (int m = 0; m < LEVELS; m++) {
        const int level = LEVELS - 1 - m;
        const float diagonal = r[R_AT(level, level)], most = POINTS_OF(column[level]) - 1;
        float target = y[level];
        UNROLL_SMALL
        for (int j = 0; j < LEVELS; j++)
            if (j > level)
                target -= r[R_AT(level, j)] * s[j];
        if (level >= sliced) {
            const uint points = POINTS_OF(column[level]);
            s[level] = 2 * (float)(n % points) - most;
            n /= points;
        } else {
            const float centre = diagonal > 0 ? target / diagonal : 0;
            s[level] = 2 * fmin(fmax(rint((centre + most) * 0.5f), 0.0f), most) - most;
        }
        const float apart = target - diagonal * s[level];
        metric += apart * apart;
    }
    return metric;
}

/* The best leaf among the symbols, bits and statistics. */
INLINE void store_leaf(const outputs_t *to, const ulong item, GLOBAL const float *model, const uint *column, const float *winner,
                       const float metric, const uint paths)
{
    uint labels[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        const uint points = POINTS_OF(column[level]);
        labels[column[level]] = axis_label(points, (uint)((winner[level] + points - 1) * 0.5f));
    }
    store_symbols(to, item, model, labels);
    if (to->metric)
        to->metric[item] = metric;
    to->status[item] = METHOD;
    to->nodes[item] = paths * LEVELS;
}

KERNEL REQD_GROUP(CTA_SIZE, 1, 1) detector_fsd(WORK_ARGUMENTS)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    GLOBAL const float *model = SPAN_AT(const float, model);
    float r[TRIANGLE], y[LEVELS], s[LEVELS], winner[LEVELS], best = LARGE;
    uint column[LEVELS], paths = 1;
#if SOFT
    float least[10 * LEVELS];
    for (int n = 0; n < 10 * LEVELS; n++)
        least[n] = LARGE;
#endif
    int sliced = LEVELS;
    TAKE_OUTPUTS(to);
    if (item >= items)
        return;
    TAKE_WORK(w, item);
    const llr_t llr = { llr_base ? SPAN_AT(uchar, llr) : 0, clip, llr_scale, flags };
    if (is_invalid(&w)) {
        store_nothing(&to, &llr, item);
        return;
    }
    UNROLL_SMALL
    for (int n = 0; n < TRIANGLE; n++)
        r[n] = w.channel[n * channel_stride];
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++) {
        y[i] = Y_OF(&w, i);
        column[i] = column_of(&w, i);
        winner[i] = 1 - POINTS_OF(column[i]);
    }
    for (int stream = 0; stream < FULL; stream++) {
        const uint last = MODEL_STREAM(column[sliced - 1]);
        for (; sliced > 0 && MODEL_STREAM(column[sliced - 1]) == last; sliced--)
            paths *= POINTS_OF(column[sliced - 1]);
    }
    for (uint n = 0; n < paths; n++) {
        const float metric = path_at(n, sliced, model, r, y, column, s);
#if SOFT
        if (llr.to)
            note_bits(model, column, s, metric, least);
#endif
        if (metric < best) {
            best = metric;
            UNROLL_SMALL
            for (int i = 0; i < LEVELS; i++)
                winner[i] = s[i];
        }
    }
    store_leaf(&to, item, model, column, winner, (best + w.rest) / w.scale / w.scale, paths);
#if SOFT
    for (int level = 0; llr.to && level < LEVELS; level++)
        for (int b = 0; b < (int)log2_of(POINTS_OF(column[level])); b++)
            store_llr(&llr, item, model, column[level], b, least[2 * (5 * level + b)], least[2 * (5 * level + b) + 1],
                      w.noise_variance);
#endif
}
