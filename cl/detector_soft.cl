/*
 * Detector: max-log LLRs by a single tree search (Studer and Boelcskei, IEEE Trans. Inf. Theory 56, 2010): one
 * depth-first search keeps the best leaf and, for each bit, the least metric with that bit the other way round; a node is
 * left when its distance can improve none of them.
 *
 * Data flow: a work-item owns one vector; private memory holds the stack, the counter-hypotheses' metrics and their
 * maxima by levels; the triangle is read where detector_prepare wrote it.
 *
 * Parameters: CTA_SIZE work-items of a work-group (1..1024; 64). Host macros: those of detector_common.cl and
 * detector_llr.cl.
 *
 * With a priori LLRs the cost of a point of an axis joins its distance, and children are taken in order of the sum.
 * Bit b of level l (0 the most significant of its axis) is at [5 l + b].
 */
#include "detector_work.cl"

#define MAX_BITS 5

typedef struct soft_t {
    float before[LEVELS], target[LEVELS], next[LEVELS], step[LEVELS], cost[LEVELS]; /* cost: of `next`, with prior */
    float chosen[LEVELS];
    float above[LEVELS + 1], below[LEVELS + 1]; /* largest counter-hypotheses: of bits that differ from the best leaf's
                                                   from a level up; of all bits below a level */
    float counter[MAX_BITS * LEVELS];
    float best, best_leaf[LEVELS];
    float prior[MAX_BITS * LEVELS]; /* times N0; positive: bit 0 likelier */
    uint column[LEVELS], best_label[LEVELS];
    float clip;
    uint nodes;
    int found, has_prior;
} soft_t;

#define MOST(t, l) (float)(POINTS_OF((t)->column[l]) - 1)

INLINE uint label_of(const soft_t *t, GLOBAL const float *model, int level, float a)
{
    const uint points = POINTS_OF(t->column[level]);
    return axis_label(points, (uint)((a + points - 1) * 0.5f));
}

INLINE float prior_cost(const soft_t *t, GLOBAL const float *model, int level, float a)
{
    const int bits = (int)log2_of(POINTS_OF(t->column[level]));
    const uint label = label_of(t, model, level, a);
    float cost = 0;
    for (int b = 0; b < bits; b++) {
        const float one = t->prior[MAX_BITS * level + b];
        cost += AXIS_BIT(label, bits, b) ? fmax(one, 0.0f) : fmax(-one, 0.0f);
    }
    return cost;
}

/* With prior: the child that comes after (last, a) in order of distance and cost; beyond the last: none. */
INLINE void next_in_order(soft_t *t, const work_t *w, GLOBAL const float *model, int level, float last)
{
    const float diagonal = R_OF(w, level, level), most = MOST(t, level), after = t->next[level];
    float least = LARGE, child = LARGE;
    for (float a = -most; a <= most; a += 2) {
        const float apart = t->target[level] - diagonal * a;
        const float sum = apart * apart + prior_cost(t, model, level, a);
        if ((sum > last || (sum == last && a > after)) && sum < least) {
            least = sum;
            child = a;
        }
    }
    t->next[level] = child;
    t->cost[level] = least;
}

INLINE void advance(soft_t *t, const work_t *w, GLOBAL const float *model, int level)
{
    if (t->has_prior) {
        next_in_order(t, w, model, level, t->cost[level]);
        return;
    }
    for (int tries = 0; tries < 2; tries++) {
        t->next[level] += t->step[level];
        t->step[level] = t->step[level] > 0 ? -t->step[level] - 2 : 2 - t->step[level];
        if (fabs(t->next[level]) <= MOST(t, level))
            return;
    }
    t->next[level] = LARGE;
}

INLINE void enter(soft_t *t, const work_t *w, GLOBAL const float *model, int level, float before)
{
    const float diagonal = R_OF(w, level, level), most = MOST(t, level);
    float target = Y_OF(w, level);
    for (int j = level + 1; j < LEVELS; j++)
        target -= R_OF(w, level, j) * t->chosen[j];
    t->before[level] = before;
    t->target[level] = target;
    if (t->has_prior) {
        t->next[level] = -LARGE;
        next_in_order(t, w, model, level, -1.0f);
        return;
    }
    const float centre = diagonal > 0 ? target / diagonal : 0;
    t->next[level] = 2 * fmin(fmax(rint((centre + most) * 0.5f), 0.0f), most) - most;
    t->step[level] = centre < t->next[level] ? -2.0f : 2.0f;
}

INLINE float partial_of(const soft_t *t, const work_t *w, int level)
{
    const float apart = t->target[level] - R_OF(w, level, level) * t->next[level];
    return t->before[level] + (t->has_prior ? t->cost[level] : apart * apart);
}

/* The largest counter-hypothesis among bits of a level where a label differs from the best leaf's. */
INLINE float differing(const soft_t *t, GLOBAL const float *model, int level, uint label)
{
    const int bits = (int)log2_of(POINTS_OF(t->column[level]));
    float most = -1;
    for (int b = 0; b < bits; b++)
        if (!t->found || AXIS_BIT(label ^ t->best_label[level], bits, b))
            most = fmax(most, t->counter[MAX_BITS * level + b]);
    return most;
}

/* After the best leaf or a counter-hypothesis changed: maxima of all levels; the path's from `level` up. */
INLINE void refresh(soft_t *t, GLOBAL const float *model, int level)
{
    t->below[0] = -1;
    for (int l = 0; l < LEVELS; l++) {
        const int bits = (int)log2_of(POINTS_OF(t->column[l]));
        float most = t->below[l];
        for (int b = 0; b < bits; b++)
            most = fmax(most, t->counter[MAX_BITS * l + b]);
        t->below[l + 1] = most;
    }
    t->above[LEVELS] = -1;
    for (int l = LEVELS - 1; l >= level; l--)
        t->above[l] = fmax(t->above[l + 1], differing(t, model, l, label_of(t, model, l, t->chosen[l])));
}

INLINE void take_leaf(soft_t *t, GLOBAL const float *model, float metric)
{
    const int wins = metric < t->best;
    const float old = t->best;
    for (int l = 0; l < LEVELS; l++) {
        const int bits = (int)log2_of(POINTS_OF(t->column[l]));
        const uint label = label_of(t, model, l, t->chosen[l]);
        for (int b = 0; b < bits; b++) {
            float *counter = &t->counter[MAX_BITS * l + b];
            const int differs = t->found && AXIS_BIT(label ^ t->best_label[l], bits, b);
            if (differs)
                *counter = wins ? old : fmin(*counter, metric);
            if (wins)
                *counter = fmin(*counter, metric + t->clip);
        }
        if (wins) {
            t->best_label[l] = label;
            t->best_leaf[l] = t->chosen[l];
        }
    }
    if (wins)
        t->best = metric;
    t->found = 1;
    refresh(t, model, 0);
}

/* 1 when the whole tree was searched. */
INLINE int search(soft_t *t, const work_t *w, GLOBAL const float *model, uint budget)
{
    int level = LEVELS - 1;
    enter(t, w, model, level, 0);
    while (level < LEVELS) {
        if (!(fabs(t->next[level]) <= MOST(t, level))) {
            level++;
            continue;
        }
        if (t->nodes >= budget)
            return 0;
        t->nodes++;
        const float partial = partial_of(t, w, level), a = t->next[level];
        /* no later sibling improves anything */
        if (partial > fmax(t->above[level + 1], t->below[level + 1])) {
            level++;
            continue;
        }
        advance(t, w, model, level);
        const float above = fmax(t->above[level + 1], differing(t, model, level, label_of(t, model, level, a)));
        if (partial > fmax(above, t->below[level]) && !(level == 0 && partial < t->best))
            continue;
        t->chosen[level] = a;
        t->above[level] = above;
        if (level > 0)
            enter(t, w, model, --level, partial);
        else
            take_leaf(t, model, partial);
    }
    return 1;
}

INLINE void begin(soft_t *t, const work_t *w, GLOBAL const float *model, GLOBAL const float *prior, ulong item, float clip,
                  uint flags)
{
    t->best = LARGE;
    t->nodes = 0;
    t->found = 0;
    t->has_prior = prior != 0;
    t->clip = clip * w->noise_variance;
    for (int l = 0; l < LEVELS; l++) {
        t->column[l] = column_of(w, l);
        t->best_label[l] = 0;
        t->chosen[l] = MOST(t, l);
        for (int b = 0; b < MAX_BITS; b++) {
            t->counter[MAX_BITS * l + b] = LARGE;
            if (prior && b < (int)log2_of(POINTS_OF(t->column[l]))) {
                const int c = t->column[l];
                const float one = prior[item * BITS + MODEL_FIRST_BIT(c) + b * MODEL_BIT_STEP(c)];
                t->prior[MAX_BITS * l + b] = (flags & LLR_ONE ? -one : one) * w->noise_variance;
            }
        }
    }
    refresh(t, model, 0);
}

/* With a prior also the answers: the likeliest symbols a posteriori. */
INLINE void store_answers(const soft_t *t, const work_t *w, GLOBAL const float *model, const outputs_t *to, ulong item,
                          int whole)
{
    uint labels[LEVELS];
    float second = LARGE;
    for (int l = 0; l < LEVELS; l++) {
        labels[t->column[l]] = t->best_label[l];
        for (int b = 0; b < (int)log2_of(POINTS_OF(t->column[l])); b++)
            second = fmin(second, t->counter[MAX_BITS * l + b]);
    }
    store_symbols(to, item, model, labels);
    if (to->metric)
        to->metric[item] = (t->best + w->rest) / w->scale / w->scale;
    to->status[item] = !whole ? BUDGET : second > t->best + slack_of(t->best, w->rest, w->error) ? EXACT : THIN;
    to->nodes[item] = t->nodes;
}

KERNEL REQD_GROUP(CTA_SIZE, 1, 1) detector_soft(WORK_ARGUMENTS)
{
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);
    GLOBAL const float *model = SPAN_AT(const float, model);
    GLOBAL const float *known = prior_base ? SPAN_AT(const float, prior) : 0;
    soft_t t;
    TAKE_OUTPUTS(to);
    if (item >= items)
        return;
    TAKE_WORK(w, item);
    const llr_t llr = { llr_base ? SPAN_AT(uchar, llr) : 0, clip, llr_scale, flags };
    if (is_invalid(&w)) {
        if (known)
            store_invalid(&to, item);
        if (llr.to)
            store_no_llrs(&llr, item);
        return;
    }
    begin(&t, &w, model, known, item, clip, flags);
    const int whole = search(&t, &w, model, budget);
    if (known)
        store_answers(&t, &w, model, &to, item, whole);
    else if (!whole)
        to.status[item] = BUDGET; /* the LLRs are not what they could be */
    for (int l = 0; llr.to && l < LEVELS; l++) {
        const int bits = (int)log2_of(POINTS_OF(t.column[l]));
        for (int b = 0; b < bits; b++) {
            const int value = AXIS_BIT(t.best_label[l], bits, b);
            const float counter = t.counter[MAX_BITS * l + b];
            store_llr(&llr, item, model, t.column[l], b, value ? counter : t.best, value ? t.best : counter,
                      w.noise_variance);
        }
    }
}
