/*
 * Detector: breadth-first search with K survivors a level of the real-valued tree. LLRs come from the last survivors.
 *
 * Data flow:
 *   a work-item owns one vector; all work-items of a group are at the same level;
 *   the triangle is read where detector_prepare wrote it, each word once a level;
 *   registers and private memory hold the survivors' metrics and paths, and of each the nearest child not yet taken.
 *
 * Of all children of all survivors the K nearest are taken one after the other: each time the nearest of the survivors'
 * next children, whose parent then moves on by its to and fro. No more than 2 K children are looked at.
 *
 * Parameters: CTA_SIZE work-items of a work-group (1..1024; 64). Host macros, beside those of detector_common.cl and
 * detector_llr.cl:
 *   K         survivors (1..64; 16)
 *   OWN       points of the caller's alphabet, which is searched by streams, or 0 (0)
 */
#include "detector_common.cl"
#include "detector_output.cl"
#include "detector_llr.cl"
#include "detector_work.cl"

#ifndef CTA_SIZE
#define CTA_SIZE 64
#endif
#ifndef K
#define K 16
#endif
#ifndef OWN
#define OWN 0
#endif
#if OWN
#define PATH_BITS 10
#else
#define PATH_BITS 5
#endif
#define PATH_PLACES (60 / PATH_BITS)
#define PATH_LENGTH (OWN ? LEVELS / 2 : LEVELS)
#define PATH_WORDS ((PATH_LENGTH + PATH_PLACES - 1) / PATH_PLACES)
#define PATH_MASK ((1u << PATH_BITS) - 1)

/* Survivors: metrics in rising order, paths by place. */
typedef struct list_t {
    float metric[K];
    ulong path[PATH_WORDS * K];
    int count;
} list_t;

INLINE uint path_at(const ulong *path, int place)
{
    return (uint)(path[place / PATH_PLACES] >> (PATH_BITS * (place % PATH_PLACES))) & PATH_MASK;
}

INLINE void extend_path(list_t *to, int at, const list_t *from, int parent, int place, uint index)
{
    for (int word = 0; word < PATH_WORDS; word++)
        to->path[at * PATH_WORDS + word] = from->path[parent * PATH_WORDS + word];
    to->path[at * PATH_WORDS + place / PATH_PLACES] |= (ulong)index << (PATH_BITS * (place % PATH_PLACES));
}

#if !OWN
/* One level: from's survivors to to's. */
INLINE void next_level(const work_t *w, GLOBAL const float *model, int level, const list_t *from, list_t *to)
{
    float target[K], front[K], next[K], step[K];
    const float diagonal = R_OF(w, level, level), y = Y_OF(w, level);
    const float most = POINTS_OF(column_of(w, level)) - 1;
    const float inverse = diagonal > 0 ? 1 / diagonal : 0;
    for (int k = 0; k < K; k++)
        target[k] = y;
    for (int j = level + 1; j < LEVELS; j++) {
        const float r = R_OF(w, level, j), edge = POINTS_OF(column_of(w, j)) - 1;
        for (int k = 0; k < from->count; k++)
            target[k] -= r * (2.0f * path_at(from->path + k * PATH_WORDS, j) - edge);
    }
    for (int k = 0; k < K; k++) {
        const float centre = target[k] * inverse;
        next[k] = 2 * fmin(fmax(rint((centre + most) * 0.5f), 0.0f), most) - most;
        step[k] = centre < next[k] ? -2.0f : 2.0f;
        const float apart = target[k] - diagonal * next[k];
        front[k] = k < from->count ? from->metric[k] + apart * apart : LARGE;
    }
    to->count = 0;
    for (int n = 0; n < K; n++) {
        int nearest = 0;
        float least = front[0];
        UNROLL
        for (int k = 1; k < K; k++)
            if (front[k] < least) {
                least = front[k];
                nearest = k;
            }
        if (!(least < LARGE))
            break;
        to->metric[n] = least;
        extend_path(to, n, from, nearest, level, (uint)((next[nearest] + most) * 0.5f));
        to->count = n + 1;
        float a = next[nearest], s = step[nearest];
        for (int tries = 0; tries < 2; tries++) {
            a += s;
            s = s > 0 ? -s - 2 : 2 - s;
            if (fabs(a) <= most)
                break;
        }
        next[nearest] = a;
        step[nearest] = s;
        const float apart = target[nearest] - diagonal * a;
        front[nearest] = fabs(a) <= most ? from->metric[nearest] + apart * apart : LARGE;
    }
}
#else
/* One stream: levels 2 place + 1 and 2 place, every point of the alphabet below every survivor. */
INLINE void next_stream(const work_t *w, GLOBAL const float *model, int place, const list_t *from, list_t *to)
{
    const int high = 2 * place + 1, low = 2 * place;
    const uint high_axis = MODEL_AXIS(column_of(w, high));
    to->count = 0;
    for (int k = 0; k < from->count; k++) {
        float target[2] = { Y_OF(w, low), Y_OF(w, high) };
        for (int j = high + 1; j < LEVELS; j++) {
            const uint label = path_at(from->path + k * PATH_WORDS, j / 2);
            const float value = OWN_POINT(label, MODEL_AXIS(column_of(w, j)));
            target[0] -= R_OF(w, low, j) * value;
            target[1] -= R_OF(w, high, j) * value;
        }
        for (uint label = 0; label < OWN; label++) {
            const float a = OWN_POINT(label, high_axis), b = OWN_POINT(label, 1 - high_axis);
            const float x = target[1] - R_OF(w, high, high) * a;
            const float z = target[0] - R_OF(w, low, high) * a - R_OF(w, low, low) * b;
            const float metric = from->metric[k] + x * x + z * z;
            int at = to->count;
            if (at == K && !(metric < to->metric[K - 1]))
                continue;
            if (at < K)
                to->count++;
            else
                at = K - 1;
            for (; at > 0 && to->metric[at - 1] > metric; at--) {
                to->metric[at] = to->metric[at - 1];
                for (int word = 0; word < PATH_WORDS; word++)
                    to->path[at * PATH_WORDS + word] = to->path[(at - 1) * PATH_WORDS + word];
            }
            to->metric[at] = metric;
            extend_path(to, at, from, k, place, label);
        }
    }
}
#endif

/* The label of a column's axis, or the whole label of an alphabet of one's own. */
INLINE uint label_of(const work_t *w, GLOBAL const float *model, const ulong *path, int level)
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
            for (int k = 0; k < list->count; k++) {
                const uint value = AXIS_BIT(label_of(w, model, list->path + k * PATH_WORDS, level), bits, b);
                least[value] = fmin(least[value], list->metric[k]);
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
    for (int level = 0; level < LEVELS; level++)
        labels[column_of(w, level)] = label_of(w, model, list->path, level);
    store_symbols(to, item, model, labels);
#endif
    if (to->metric)
        to->metric[item] = (list->metric[0] + w->rest) / w->scale / w->scale;
}

KERNEL REQD_GROUP(CTA_SIZE, 1, 1) detector_kbest(WORK_ARGUMENTS)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    GLOBAL const float *model = SPAN_AT(const float, model);
    list_t one, two;
    uint nodes = 0;
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
    one.count = 1;
    one.metric[0] = 0;
    for (int word = 0; word < PATH_WORDS; word++)
        one.path[word] = 0;
#if OWN
    for (int place = LEVELS / 2 - 1; place >= 0; place--) {
        nodes += one.count * OWN;
        next_stream(&w, model, place, &one, &two);
        one = two;
    }
#else
    for (int level = LEVELS - 1; level >= 0; level--) {
        nodes += one.count * POINTS_OF(column_of(&w, level));
        next_level(&w, model, level, &one, &two);
        one = two;
    }
#endif
    store_best(&w, model, &one, &to, item);
    to.status[item] = METHOD;
    to.nodes[item] = nodes;
    if (llr.to)
        store_list_llrs(&w, model, &one, &llr, item);
}
