/*
 * Detector: depth-first search in Schnorr and Euchner's order, a tree a lane.
 *
 * Data flow:
 *   a work-group owns the vectors of a block, CTA_SIZE * REFILL of them; lanes whose trees are finished take the
 *   block's next vectors;
 *   local or private memory (STACK) holds, for each lane, the triangle, Q^T y, and the stack: a level's partial
 *   distance, target, chosen amplitude, and where its to and fro goes on;
 *   registers hold the level that the lane is at, the limit, the best leaf's path.
 *
 * Parameters (allowed values; default):
 *   CTA_SIZE  work-items of a work-group (1..1024; 64)
 *   REFILL    vectors a lane, on average (1..1024; 16)
 *   STEPS     steps between the looks for finished trees: taking a new one is dear, and lanes that take together share the
 *             cost (1..65536; 16)
 *   QUEUE     1: lanes take the next vector of the block; 0: lane i takes vectors i, i + CTA_SIZE, ... (1)
 *   STACK     where a lane's words are: 0 private memory, 1 local memory, 2 the triangle in local memory, the stack in
 *             private, 3 the other way round (1)
 *   FLAT      1: a level's interference is one row of LEVELS - 1 products, those below it with zero, and a mask tells which
 *             levels have a child left: no loops whose lengths differ from lane to lane (1)
 *   HALVES    1: chosen amplitudes and the to and fro are halves, which hold them exactly; 2: the triangle too, rounded, with
 *             what that can move a metric added to the bound: more margins are thin (0)
 *   LISTED    1: the vectors of a list, which detector_prepare has left, are shared out among all work-groups alike; their work
 *             lies at their place in it (0)
 *   WAVE      lanes that run in step, for the count of busy lanes (1..1024; 32)
 *
 * Host macros: those of detector_common.cl; RADIUS as in detector_prepare.cl.
 *
 * A step is one partial distance. Amplitudes are odd integers, exactly, of at most 7 bits: halves hold them.
 */
#include "detector_common.cl"
#include "detector_output.cl"

#ifndef REFILL
#define REFILL 16
#endif
#ifndef STEPS
#define STEPS 16
#endif
#ifndef QUEUE
#define QUEUE 1
#endif
#ifndef STACK
#define STACK 1
#endif
#ifndef FLAT
#define FLAT 1
#endif
#ifndef HALVES
#define HALVES 0
#endif
#ifndef LISTED
#define LISTED 0
#endif
#ifndef WAVE
#define WAVE 32
#endif
#ifndef RADIUS
#define RADIUS 0
#endif

#include "detector_memory.cl"

/* The best path, 5 bits a level, 12 levels a word. */
#define PATH_WORDS ((LEVELS + 11) / 12)

typedef struct tree_t {
    ulong item;
#if LISTED
    ulong place; /* of its work */
#endif
    int level;
    float before, target, diagonal, next, step, most; /* of the level */
    float limit, best, second, radius, error, rest;
    uint nodes, order[ORDER_WORDS];
#if FLAT
    uint left; /* bit l: level l, where an amplitude is chosen, has a child after that */
#endif
    ulong path[PATH_WORDS];
    int found;
} tree_t;

#if POINTS
#define MOST(tree, l) (float)(POINTS - 1)
#else
#define MOST(tree, l) (float)(POINTS_OF((tree)->order[(l) / 6] >> (5 * ((l) % 6)) & 31) - 1)
#endif

/* To the next child of the to and fro: `next` beyond the last amplitude means that there is none. */
INLINE void advance(tree_t *t)
{
    t->next += t->step;
    t->step = t->step > 0 ? -t->step - 2 : 2 - t->step;
    if (!(fabs(t->next) <= t->most)) { /* one side has ended: the other goes on */
        t->next += t->step;
        t->step = t->step > 0 ? -t->step - 2 : 2 - t->step;
    }
}

/* A stream of which nothing is received. */
INLINE int is_nothing(memory_t memory, int level)
{
    for (int i = 0; i <= level; i++)
        if (R(R_AT(i, level)) != 0)
            return 0;
    return 1;
}

/* Enters a level below those whose amplitudes are chosen. */
INLINE void enter(tree_t *t, memory_t memory, GLOBAL const float *model, int level, float before)
{
    const int row = R_AT(level, level);
    float target = Y(level);
#if FLAT
    UNROLL
    for (int j = 1; j < LEVELS; j++) { /* up to the level: elements of rows above, times zero */
        const float chosen = SMALL(IN_CHOSEN + j);
        target -= R(row + j - level) * (j > level ? chosen : 0.0f);
    }
#else
    for (int j = level + 1; j < LEVELS; j++)
        target -= R(row + j - level) * SMALL(IN_CHOSEN + j);
#endif
    t->level = level;
    t->before = before;
    t->target = target;
    t->diagonal = R(row);
    t->most = MOST(t, level);
    const float centre = t->diagonal > 0 ? target / t->diagonal : 0;
    const float index = fmin(fmax(rint((centre + t->most) * 0.5f), 0.0f), t->most);
    t->next = 2 * index - t->most;
    t->step = centre < t->next ? -2.0f : 2.0f;
    if (!(t->diagonal > 0) && is_nothing(memory, level)) { /* any symbol is as good: the one with label 0 */
        t->next = 2.0f * axis_index((uint)t->most + 1, 0) - t->most;
        t->step = LARGE;
    }
    AT(IN_BEFORE + level) = before;
    AT(IN_TARGET + level) = target;
}

/* Up to the next level that has a child left; beyond the root the tree is finished. */
INLINE void leave(tree_t *t, memory_t memory, GLOBAL const float *model)
{
#if FLAT
    const uint above = t->left & (0xfffffffeu << t->level);
    t->level = above ? LOWEST_BIT(above) : LEVELS;
    if (t->level >= LEVELS)
        return;
    t->next = SMALL(IN_NEXT + t->level);
    t->step = SMALL(IN_STEP + t->level);
    t->most = MOST(t, t->level);
#else
    do {
        const int level = ++t->level;
        if (level >= LEVELS)
            return;
        t->next = SMALL(IN_NEXT + level);
        t->step = SMALL(IN_STEP + level);
        t->most = MOST(t, level);
    } while (!(fabs(t->next) <= t->most));
#endif
    t->before = AT(IN_BEFORE + t->level);
    t->target = AT(IN_TARGET + t->level);
    t->diagonal = R(R_AT(t->level, t->level));
}

INLINE void set_radius(tree_t *t, float squared)
{
    t->limit = squared < LARGE ? squared + slack_of(squared, t->rest, t->error) : LARGE;
}

/* A new tree from the work arrays. */
INLINE void take(tree_t *t, memory_t memory, GLOBAL const float *model, GLOBAL const float *channel, ulong channel_stride,
                 GLOBAL const float *vector, ulong vector_stride)
{
    for (int n = 0; n < TRIANGLE; n++)
        SET_R(n, channel[n * channel_stride]);
    for (int i = 0; i < LEVELS; i++)
        Y(i) = vector[i * vector_stride];
    UNROLL
    for (int w = 0; w < ORDER_WORDS; w++)
        t->order[w] = AS_UINT(channel[(CHANNEL_ORDER + w) * channel_stride]);
    t->radius = vector[VECTOR_RADIUS * vector_stride];
    t->error = vector[VECTOR_ERROR * vector_stride];
#if HALVES == 2
    /* (R - half R) s is at most 2^-11 |R| |s|, and 2^-25 |s| of each element too small for that */
    t->error += 5e-4f * channel[CHANNEL_LENGTH * channel_stride];
#endif
    t->rest = vector[VECTOR_REST * vector_stride];
    t->best = t->second = LARGE;
    t->nodes = 0;
    t->found = 0;
    set_radius(t, t->radius);
    enter(t, memory, model, LEVELS - 1, 0);
}

INLINE void keep_path(tree_t *t, memory_t memory)
{
    UNROLL
    for (int w = 0; w < PATH_WORDS; w++) {
        ulong packed = 0;
        for (int i = 0; i < 12; i++)
            if (12 * w + i < LEVELS)
                packed |= (ulong)((int)SMALL(IN_CHOSEN + 12 * w + i) + 31) >> 1 << (5 * i);
        t->path[w] = packed;
    }
}

/* One partial distance, and where it leads. */
INLINE void step(tree_t *t, memory_t memory, GLOBAL const float *model)
{
    const float apart = t->target - t->diagonal * t->next;
    const float partial = FMA(apart, apart, t->before);
    t->nodes++;
    if (!(partial <= t->limit)) {
        leave(t, memory, model);
        return;
    }
    SET_SMALL(IN_CHOSEN + t->level, t->next);
    if (t->level > 0) {
        advance(t);
        SET_SMALL(IN_NEXT + t->level, t->next);
        SET_SMALL(IN_STEP + t->level, t->step);
#if FLAT
        t->left = (t->left & ~(1u << t->level)) | (uint)(fabs(t->next) <= t->most) << t->level;
#endif
        enter(t, memory, model, t->level - 1, partial);
        return;
    }
    /* a leaf; the next best of its siblings cannot be better, but may be too near to tell */
    if (partial < t->best) {
        t->second = t->best;
        t->best = partial;
        t->found = 1;
        set_radius(t, partial);
        keep_path(t, memory);
    } else {
        t->second = fmin(t->second, partial);
    }
    advance(t);
    if (fabs(t->next) <= t->most) {
        const float sibling = t->target - t->diagonal * t->next;
        t->second = fmin(t->second, FMA(sibling, sibling, t->before));
    }
    leave(t, memory, model);
}

/* Nothing was found before the budget was spent: the nearest child of each level, from the root down. */
INLINE void descend(tree_t *t, memory_t memory, GLOBAL const float *model)
{
    float sum = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
        enter(t, memory, model, level, sum);
        SET_SMALL(IN_CHOSEN + level, t->next);
        sum += (t->target - t->diagonal * t->next) * (t->target - t->diagonal * t->next);
    }
    t->best = sum;
    keep_path(t, memory);
}

/* The finished tree's answer. Returns 1 when the vector is to be searched again. */
INLINE int finish(tree_t *t, memory_t memory, GLOBAL const float *model, const outputs_t *to, ulong place,
                  float scale, int spent)
{
    uint labels[LEVELS];
    const int thin = !spent && !(t->second > t->limit);
    if (!t->found)
        descend(t, memory, model);
    UNROLL_SMALL
    for (int level = 0; level < LEVELS; level++) {
        const uint column = t->order[level / 6] >> (5 * (level % 6)) & 31;
        const uint place_in_path = (uint)(t->path[level / 12] >> (5 * (level % 12))) & 31;
        const uint points = POINTS_OF(column);
        const uint label = axis_label(points, place_in_path - (32 - points) / 2);
#if LEVELS <= 8
        for (int c = 0; c < LEVELS; c++) /* no hint: Oclgrind's compiler drops labels with one here */
            if (c == (int)column)
                labels[c] = label;
#else
        labels[column] = label;
#endif
    }
    store_symbols(to, place, model, labels);
    if (to->metric)
        to->metric[place] = (t->best + t->rest) / scale / scale;
    if (to->status)
        to->status[place] = (uchar)(spent ? BUDGET : thin ? THIN : EXACT);
    if (to->nodes)
        to->nodes[place] = t->nodes;
    return spent || thin;
}

/* Where a tree's vector and channel lie in the work arrays: a channel of its own at the vector's place. */
#if LISTED
#define PLACE_OF(tree) (tree).place
#else
#define PLACE_OF(tree) (tree).item
#endif
#define CHANNEL_OF(tree)                                                                                               \
    (per_channel == 1 ? PLACE_OF(tree) : (per_channel ? (first + (tree).item) / per_channel : 0) - first_channel)

/* The given radius was too small: the search begins anew with twice of it, while that is a radius. */
INLINE int widen_radius(tree_t *t, const memory_t memory, GLOBAL const float *model)
{
    t->radius = t->radius > 0 ? 2 * t->radius : t->error;
    const int wider = t->radius < LARGE;
    if (wider) {
        set_radius(t, t->radius);
        enter(t, memory, model, LEVELS - 1, 0);
    }
    return wider;
}

/* One more for the second pass; of those, the thin ones are counted too. */
INLINE void search_again(GLOBAL uint *again, GLOBAL uint *counters, const uint item, const int spent)
{
    again[ATOMIC_ADD(&counters[0], 1u)] = item;
    if (!spent)
        ATOMIC_ADD(&counters[1], 1u);
}

/*
 * items vectors from `first` on; vectors that are not exact go to the list `again`, whose count is counters[0]; of
 * these counters[1] are thin. Outputs begin with the first of these vectors.
 */
KERNEL REQD_GROUP(CTA_SIZE, 1, 1)
    detector_lane(SPAN(const float, model), SPAN(const float, channel_work), const ulong channel_stride,
                  SPAN(const float, vector_work), const ulong vector_stride, OUTPUTS, SPAN(uint, again),
                  SPAN(uint, counters), SPAN(uint, steps), const ulong first, const ulong items,
                  const ulong per_channel, const ulong first_channel, const uint budget, SPAN(const uint, list))
{
    const int lane = LOCAL_ID(0);
#if LISTED
    const uint listed = SPAN_AT(const uint, list)[0], share = (listed + (uint)GROUPS(0) - 1) / (uint)GROUPS(0);
    const ulong end = listed;
#else
    const uint share = CTA_SIZE * REFILL;
    const ulong end = items;
#endif
    const ulong block = (ulong)GROUP_ID(0) * share;
    GLOBAL const float *model = SPAN_AT(const float, model);
    tree_t t;
    uint taken = 0, all_steps = 0;
    TAKE_OUTPUTS(to);
    DECLARE_MEMORY(memory, lane);
#if QUEUE
    LOCAL uint queue[1];
    if (lane == 0)
        queue[0] = 0;
    BARRIER();
#endif
    t.level = LEVELS;
    for (;;) {
        if (t.level >= LEVELS) {
#if QUEUE
            const uint n = ATOMIC_ADD(&queue[0], 1u);
#else
            const uint n = lane + taken * CTA_SIZE;
            taken++;
#endif
            if (n >= share || block + n >= end)
                break;
#if LISTED
            t.place = block + n;
            t.item = SPAN_AT(const uint, list)[1 + t.place];
#else
            t.item = block + n;
#endif
            take(&t, memory, model, SPAN_AT(const float, channel_work) + CHANNEL_OF(t), channel_stride,
                 SPAN_AT(const float, vector_work) + PLACE_OF(t), vector_stride);
            if (!(t.error >= 0) || t.radius != t.radius) {
                store_invalid(&to, t.item);
                t.level = LEVELS;
                continue;
            }
        }
        for (int n = 0; n < STEPS && t.level < LEVELS && t.nodes < budget; n++)
            step(&t, memory, model);
        const int spent = t.nodes >= budget && t.level < LEVELS;
        if (spent || t.level >= LEVELS) {
            if (RADIUS == 2 && !spent && !t.found && widen_radius(&t, memory, model))
                continue;
            const float scale = SPAN_AT(const float, channel_work)[CHANNEL_SCALE * channel_stride + CHANNEL_OF(t)];
            all_steps += t.nodes;
            if (finish(&t, memory, model, &to, t.item, scale, spent))
                search_again(SPAN_AT(uint, again), SPAN_AT(uint, counters), (uint)t.item, spent);
            t.level = LEVELS;
        }
    }
    SPAN_AT(uint, steps)[GROUP_ID(0) * CTA_SIZE + lane] = all_steps;
}
