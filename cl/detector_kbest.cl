/*
 * Detector: breadth-first search with K survivors a level of the real-valued tree. LLRs come from the last survivors.
 *
 * Data flow:
 *   a work-item owns one vector; all work-items of a group are at the same level;
 *   the triangle is read where detector_prepare wrote it, each word once a level;
 *   where the survivors' metrics and paths are, and of each the nearest child not yet taken: detector_kbest_fronts.cl,
 *   detector_kbest_lists.cl.
 *
 * Of all children of all survivors the K nearest are taken one after the other: each time the nearest of the survivors'
 * next children, whose parent then moves on by its to and fro. No more than 2 K children are looked at.
 *
 * Parameters: CTA_SIZE work-items of a work-group (1..1024; 64). Host macros, beside those of detector_common.cl and
 * detector_llr.cl:
 *   K         survivors (1..64; 16)
 *   FRONTS    1: the list in registers, what is read anywhere in it in local memory; 0: all in private memory (0)
 *   OWN       points of the caller's alphabet, which is searched by streams, or 0 (0)
 */
#include "detector_work.cl"

#ifndef K
#define K 16
#endif
#ifndef OWN
#define OWN 0
#endif
#ifndef FRONTS
#define FRONTS 0
#endif
#if !OWN
INLINE float turned(float step)
{
    return -step - AS_FLOAT((AS_UINT(step) & 0x80000000u) | 0x40000000u); /* 2 of its sign */
}

/* The next child of the to and fro; beyond the last its amplitude is none of the axis. */
INLINE void advance(float *next, float *step, float most)
{
    const float a = *next + *step, s = turned(*step);
    const int inside = fabs(a) <= most;
    *next = inside ? a : a + s;
    *step = inside ? s : turned(s);
}

/* One over the diagonal, and what is added to the centre: where the diagonal is zero all children are as near, and come by their
 * indices. */
#define INVERSE_OF(diagonal) ((diagonal) > 0 ? 1 / (diagonal) : 0)
#define SHIFT_OF(diagonal) ((diagonal) > 0 ? 0.0f : -LARGE)

INLINE void nearest_child(float target, float inverse, float shift, float most, float *next, float *step)
{
    const float centre = FMA(target, inverse, shift);
    *next = 2 * fmin(fmax(rint((centre + most) * 0.5f), 0.0f), most) - most;
    *step = centre < *next ? -2.0f : 2.0f;
}

INLINE float metric_of(float before, float target, float diagonal, float amplitude)
{
    const float apart = FMA(-diagonal, amplitude, target);
    return FMA(apart, apart, before);
}
#endif

#if FRONTS
#include "detector_kbest_fronts.cl"
#else
#include "detector_kbest_lists.cl"
#endif

/* The label of a column's axis, or the whole label of an alphabet of one's own. */
INLINE uint label_of(const work_t *w, GLOBAL const float *model, const path_t *path, int level)
{
#if OWN
    return path_at(path, level / 2);
#else
    return axis_label(POINTS_OF(column_of(w, level)), path_at(path, level));
#endif
}

INLINE void store_list_llrs(const work_t *w, GLOBAL const float *model, const list_t *list, const llr_t *llr, ulong item)
{
    for (int level = 0; level < LEVELS; level++) {
        const int c = column_of(w, level);
        const int bits = OWN ? BITS / TX : (int)log2_of(POINTS_OF(c));
        for (int b = OWN ? (int)MODEL_AXIS(c) : 0; b < bits; b += OWN ? 2 : 1) {
            float least[2] = { LARGE, LARGE };
            UNROLL_LIST
            for (int k = 0; k < K; k++)
                if (k < list->count) {
                    const uint value = AXIS_BIT(label_of(w, model, list->path + k * PATH_WORDS, level), bits, b);
                    least[0] = value ? least[0] : fmin(least[0], list->metric[k]);
                    least[1] = value ? fmin(least[1], list->metric[k]) : least[1];
                }
            store_llr(llr, item, model, c, OWN ? b / 2 : b, least[0], least[1], w->noise_variance);
        }
    }
}

INLINE void store_best(const work_t *w, GLOBAL const float *model, const list_t *list, const outputs_t *to, ulong item)
{
#if OWN
    for (int level = 0; level < LEVELS; level += 2) {
        const uint stream = MODEL_STREAM(column_of(w, level)), label = path_at(list->path, level / 2);
        if (to->symbols)
            store_label(to, item, stream, label);
        for (int b = 0; to->bits && b < BITS / TX; b++) {
            const int c = 2 * stream + b % 2;
            to->bits[item * BITS + MODEL_FIRST_BIT(c) + b / 2 * MODEL_BIT_STEP(c)] = AXIS_BIT(label, BITS / TX, b);
        }
    }
#else
    uint labels[LEVELS];
    UNROLL_SMALL
    for (int level = 0; level < LEVELS; level++) {
        const uint column = column_of(w, level), label = label_of(w, model, list->path, level);
#if FRONTS && LEVELS <= 8
        UNROLL
        for (int c = 0; c < LEVELS; c++) /* so that labels stay in registers */
            if (c == (int)column)
                labels[c] = label;
#else
        labels[column] = label;
#endif
    }
    store_symbols(to, item, model, labels);
#endif
    if (to->metric)
        to->metric[item] = (list->metric[0] + w->rest) / w->scale / w->scale;
}

KERNEL REQD_GROUP(CTA_SIZE, 1, 1) detector_kbest(WORK_ARGUMENTS)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    GLOBAL const float *model = SPAN_AT(const float, model);
    list_t list;
    DECLARE_ROOM(room);
    TAKE_OUTPUTS(to);
    if (item >= items)
        return;
    TAKE_WORK(w, item);
    const llr_t llr = { llr_base ? SPAN_AT(uchar, llr) : 0, clip, llr_scale, flags };
    if (is_invalid(&w)) {
        store_nothing(&to, &llr, item);
        return;
    }
    const uint nodes = search(&w, model, &list, &room, llr.to != 0);
    store_best(&w, model, &list, &to, item);
    to.status[item] = METHOD;
    to.nodes[item] = nodes;
    if (llr.to)
        store_list_llrs(&w, model, &list, &llr, item);
}
