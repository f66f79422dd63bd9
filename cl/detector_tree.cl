/*
 * Detector: a tree that several lanes search, and what one lane does below a prefix. Part of detector_group.cl, whose
 * parameters it takes.
 */

#define LANES (CTA_SIZE / TREES_PER_CTA)
/* A work-item by itself shares nothing and waits for nobody: processors take it for a plain function. */
#if CTA_SIZE == 1
#define MEET()
#define NEAR
#define NEAR_PTR
#else
#define MEET() BARRIER()
#define NEAR LOCAL
#define NEAR_PTR LOCAL_PTR
#endif
#define PATH_WORDS ((LEVELS + 11) / 12)
#define FACTOR_REALS ((ulong)RX * (RX + 1))

/* A tree, in local memory. */
typedef struct tree_t {
    real r[TRIANGLE], y[LEVELS];
    uint column[LEVELS];
    real radius, error, rest, scale, best, limit;
    uint item, loading, active, spent, prefixes, dealt, nodes, found; /* active: 0 no tree, 1 searching, 2 finished,
                                                                          3 no more vectors */
    int split; /* levels from here up are a prefix's */
} tree_t;

/* Where a call's input is. */
typedef struct input_t {
    GLOBAL const float *received, *channel, *noise;
    GLOBAL const wide *factor;
    ulong first, per_channel;
    uint factor_for;  /* 0 one for all, 1 for each channel, 2 for each vector */
    ulong first_channel;
    float noise_variance, noise_factor, radius_factor;
} input_t;

#if COMPENSATED
#include "detector_fine.cl"
#endif

/* What lanes tell each other. */
typedef struct board_t {
    real best[CTA_SIZE];
    uint nodes[CTA_SIZE], idle[CTA_SIZE], prefix[CTA_SIZE];
} board_t;

/* A lane, in private memory. */
typedef struct lane_t {
    real before[LEVELS], target[LEVELS], chosen[LEVELS], next[LEVELS], step[LEVELS];
    real best, second;
    ulong path[PATH_WORDS];
    int level, busy, found, fresh; /* fresh: no leaf of this parent was seen yet */
    uint nodes;
#if COMPENSATED
    const input_t *in;
    fine_t fine_best, fine_second; /* of the path, and of the best other leaf */
#endif
} lane_t;

#define MOST(tree, l) (real)(POINTS_OF((tree)->column[l]) - 1)

INLINE real slack(NEAR_PTR const tree_t *tree, real metric)
{
    return slack_of(metric, tree->rest, tree->error);
}

INLINE int has_child(const lane_t *lane, NEAR_PTR const tree_t *tree, GLOBAL const float *model, int level)
{
    return fabs(lane->next[level]) <= MOST(tree, level);
}

INLINE void advance(lane_t *lane, NEAR_PTR const tree_t *tree, GLOBAL const float *model, int level)
{
    for (int tries = 0; tries < 2; tries++) {
        lane->next[level] += lane->step[level];
        lane->step[level] = lane->step[level] > 0 ? -lane->step[level] - 2 : 2 - lane->step[level];
        if (has_child(lane, tree, model, level))
            return;
    }
}

INLINE int is_nothing(NEAR_PTR const tree_t *tree, int level)
{
    for (int i = 0; i <= level; i++)
        if (tree->r[R_AT(i, level)] != 0)
            return 0;
    return 1;
}

INLINE void enter(lane_t *lane, NEAR_PTR const tree_t *tree, GLOBAL const float *model, int level, real before)
{
    const int row = R_AT(level, level);
    const real diagonal = tree->r[row], most = MOST(tree, level);
    real target = tree->y[level];
    for (int j = level + 1; j < LEVELS; j++)
        target -= tree->r[row + j - level] * lane->chosen[j];
    const real centre = diagonal > 0 ? target / diagonal : 0;
    const real index = fmin(fmax(rint((centre + most) * (real)0.5), (real)0), most);
    lane->before[level] = before;
    lane->target[level] = target;
    lane->next[level] = 2 * index - most;
    lane->step[level] = centre < lane->next[level] ? -2 : 2;
    lane->fresh = 1;
    if (!(diagonal > 0) && is_nothing(tree, level)) { /* any symbol is as good: the one with label 0 */
        lane->next[level] = 2 * (real)axis_index((uint)most + 1, 0) - most;
        lane->step[level] = LARGE;
    }
}

INLINE real partial_of(const lane_t *lane, NEAR_PTR const tree_t *tree, int level)
{
    const real apart = lane->target[level] - tree->r[R_AT(level, level)] * lane->next[level];
    return lane->before[level] + apart * apart;
}

INLINE uint label_at(NEAR_PTR const tree_t *tree, GLOBAL const float *model, const ulong *path, int level)
{
    const uint points = POINTS_OF(tree->column[level]);
    const uint index = ((uint)(path[level / 12] >> (5 * (level % 12))) & 31) - (32 - points) / 2;
    return axis_label(points, index);
}

/* 1 when path a's label vector is smaller than b's. */
INLINE int is_smaller(NEAR_PTR const tree_t *tree, GLOBAL const float *model, const ulong *a, const ulong *b)
{
    for (int s = 0; s < TX; s++) {
        uint one[2] = { 0, 0 }, other[2] = { 0, 0 };
        int axes = 0;
        for (int level = 0; level < LEVELS; level++)
            if ((int)MODEL_STREAM(tree->column[level]) == s) {
                one[MODEL_AXIS(tree->column[level])] = label_at(tree, model, a, level);
                other[MODEL_AXIS(tree->column[level])] = label_at(tree, model, b, level);
                axes++;
            }
        const uint p = join_label(one[0], one[1], axes < 2), q = join_label(other[0], other[1], axes < 2);
        if (p != q)
            return p < q;
    }
    return 0;
}

INLINE void pack_path(const lane_t *lane, ulong *path)
{
    for (int w = 0; w < PATH_WORDS; w++)
        path[w] = 0;
    for (int i = 0; i < LEVELS; i++)
        path[i / 12] |= (ulong)((int)lane->chosen[i] + 31) >> 1 << (5 * (i % 12));
}

/* A leaf inside the limit. Compensated, what wins is the finer metric; in double, leaves that cannot be told apart are a tie: the smaller label vector wins. */
INLINE void take_leaf(lane_t *lane, NEAR_PTR const tree_t *tree, GLOBAL const float *model, real metric, real *limit)
{
    ulong path[PATH_WORDS];
    const real margin = slack(tree, fmin(metric, lane->best));
    int wins = !lane->found || metric < lane->best - margin;
    pack_path(lane, path);
#if COMPENSATED
    const fine_t fine = fine_metric(lane->in, tree, model, lane->chosen);
    wins = !lane->found || fine_is_less(fine, lane->fine_best);
    const fine_t loser = wins ? lane->fine_best : fine;
    lane->fine_second = fine_is_less(loser, lane->fine_second) ? loser : lane->fine_second;
    lane->fine_best = wins ? fine : lane->fine_best;
#elif DOUBLE
    if (!wins && metric <= lane->best + margin)
        wins = is_smaller(tree, model, path, lane->path);
#else
    wins = metric < lane->best;
#endif
    lane->second = fmin(lane->second, fmax(metric, lane->best));
    if (wins)
        for (int w = 0; w < PATH_WORDS; w++)
            lane->path[w] = path[w];
    lane->found = 1;
    if (metric < lane->best) {
        lane->best = metric;
        *limit = fmin(*limit, metric + slack(tree, metric));
    }
}

/* The prefix with that number: ranks of the to and fro, the root's the slowest. 0 when it ends outside the limit. */
INLINE int start_prefix(lane_t *lane, NEAR_PTR const tree_t *tree, GLOBAL const float *model, uint prefix, real limit)
{
    uint below = tree->prefixes;
    real before = 0;
    for (int level = LEVELS - 1; level >= tree->split; level--) {
        below /= (uint)MOST(tree, level) + 1;
        uint rank = prefix / below;
        prefix %= below;
        enter(lane, tree, model, level, before);
        for (; rank > 0 && has_child(lane, tree, model, level); rank--)
            advance(lane, tree, model, level);
        if (!has_child(lane, tree, model, level))
            return 0;
        before = partial_of(lane, tree, level);
        lane->nodes++;
        lane->chosen[level] = lane->next[level];
        if (!(before <= limit))
            return 0;
    }
    lane->level = tree->split - 1;
    enter(lane, tree, model, lane->level, before);
    return 1;
}

/* At most ROUND partial distances below the lane's prefix. */
INLINE void search_round(lane_t *lane, NEAR_PTR const tree_t *tree, GLOBAL const float *model, real *limit)
{
    const int top = tree->split - 1;
    for (uint n = 0; n < ROUND; n++) {
        int level = lane->level;
        while (level <= top && !has_child(lane, tree, model, level))
            level++;
        if (level > top) {
            lane->busy = 0;
            return;
        }
        const real partial = partial_of(lane, tree, level);
        lane->nodes += level > 0 || lane->fresh; /* siblings of a leaf matter for ties alone */
        if (level == 0)
            lane->fresh = 0;
        if (!(partial <= *limit)) {
            lane->next[level] = LARGE; /* its later siblings are farther */
            lane->step[level] = 0;
            lane->level = level + 1;
            continue;
        }
        lane->chosen[level] = lane->next[level];
        advance(lane, tree, model, level);
        lane->level = level;
        if (level > 0) {
            lane->level = level - 1;
            enter(lane, tree, model, level - 1, partial);
        } else {
            take_leaf(lane, tree, model, partial, limit);
        }
    }
}
