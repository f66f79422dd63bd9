/*
 * Detector: depth-first search with several lanes to a tree; also the second pass, over a list of vectors, from their
 * input on, in double where the device has it.
 *
 * Data flow:
 *   a work-group advances TREES_PER_CTA trees together, each with LANES = CTA_SIZE / TREES_PER_CTA lanes; the points of
 *   the uppermost levels are prefixes, and a lane searches below one prefix after the other;
 *   local memory holds a tree's triangle, Q^T y, and what its lanes tell each other between rounds;
 *   private memory holds a lane's stack and its best leaf.
 *
 * A round is at most ROUND steps. Between rounds the first lane of a tree takes the least metric of all lanes for the
 * common radius and deals prefixes to idle lanes in order, so that counts and answers are the same in every run.
 *
 * Parameters (allowed values; default):
 *   CTA_SIZE       work-items of a work-group (1..1024; 64)
 *   TREES_PER_CTA  1..CTA_SIZE, a divisor of it (4)
 *   ROUND          steps between exchanges (1..65536; 64)
 *
 * Host macros, beside those of detector_common.cl:
 *   COMPENSATED  1: with LIST and without DOUBLE and WHITEN: leaves are told apart by pairs of floats, detector_fine.cl (0)
 *   LIST      1: the vectors of a list, decomposed here; 0: all vectors, from the work arrays (0)
 *   ORDERING, RADIUS, WHITEN  as in detector_prepare.cl
 *   PREFIXES  how many prefixes a lane should find at least (4)
 */
#include "detector_common.cl"
#include "detector_output.cl"

#ifndef TREES_PER_CTA
#define TREES_PER_CTA 4
#endif
#ifndef ROUND
#define ROUND 64
#endif
#ifndef LIST
#define LIST 0
#endif
#ifndef ORDERING
#define ORDERING 0
#endif
#ifndef RADIUS
#define RADIUS 0
#endif
#ifndef WHITEN
#define WHITEN 0
#endif
#ifndef PREFIXES
#define PREFIXES 4
#endif

#ifndef COMPENSATED
#define COMPENSATED 0
#endif

#include "detector_tree.cl"
#include "detector_group_answer.cl"
#if LIST
#include "detector_group_qr.cl"
#endif

/* A tree without a vector takes the next, by its first lane. */
INLINE void take_vector(NEAR_PTR tree_t *tree, GLOBAL const uint *again, ulong turn, ulong count)
{
    tree->loading = turn < count;
    tree->active = turn < count ? 0 : 3;
    if (tree->loading)
        tree->item = LIST ? again[turn] : (uint)turn;
}

/* running[0]: a tree of the group has a vector; running[1]: a new one. */
INLINE void look_at_trees(NEAR_PTR uint *running, NEAR_PTR const tree_t *trees)
{
    running[0] = running[1] = 0;
    for (int t = 0; t < TREES_PER_CTA; t++) {
        running[0] |= trees[t].loading || trees[t].active == 1;
        running[1] |= trees[t].loading;
    }
}

/* The triangle of a vector that detector_prepare has decomposed, by a tree's lanes. */
INLINE void take_prepared(NEAR_PTR tree_t *tree, int sub, GLOBAL const float *channels, ulong channel_stride,
                          GLOBAL const float *vectors, ulong vector_stride, ulong first, ulong per_channel, ulong first_channel)
{
    const ulong v = tree->item;
    GLOBAL const float *vector = vectors + v;
    GLOBAL const float *channel =
        channels + (per_channel == 1 ? v : (per_channel ? (first + v) / per_channel : 0) - first_channel);
    for (int n = sub; n < TRIANGLE; n += LANES)
        tree->r[n] = channel[n * channel_stride];
    for (int i = sub; i < LEVELS; i += LANES) {
        tree->y[i] = vector[i * vector_stride];
        tree->column[i] = AS_UINT(channel[(CHANNEL_ORDER + i / 6) * channel_stride]) >> (5 * (i % 6)) & 31;
    }
    if (sub == 0) {
        tree->scale = channel[CHANNEL_SCALE * channel_stride];
        tree->radius = vector[VECTOR_RADIUS * vector_stride];
        tree->error = vector[VECTOR_ERROR * vector_stride];
        tree->rest = vector[VECTOR_REST * vector_stride];
    }
}

INLINE void set_limit(NEAR_PTR tree_t *tree)
{
    const real from = tree->found ? tree->best : tree->radius;
    tree->limit = from < LARGE ? from + slack(tree, from) : LARGE;
}

/* By a tree's first lane, when its triangle is there. */
INLINE void begin_tree(NEAR_PTR tree_t *tree, GLOBAL const float *model)
{
    tree->best = LARGE;
    tree->found = tree->spent = tree->dealt = tree->nodes = 0;
    tree->prefixes = 1;
    tree->split = LEVELS;
    while (LANES > 1 && tree->split > 1 && tree->prefixes < LANES * PREFIXES) {
        tree->split--;
        tree->prefixes *= (uint)MOST(tree, tree->split) + 1;
    }
    set_limit(tree);
}

/* Between rounds, by a tree's first lane: the common radius, prefixes for idle lanes, the end. */
INLINE void deal(NEAR_PTR tree_t *tree, NEAR_PTR board_t *board, int first, uint budget)
{
    int busy = 0;
    uint nodes = 0;
    for (int lane = first; lane < first + LANES; lane++) {
        nodes += board->nodes[lane];
        if (board->best[lane] < tree->best) {
            tree->best = board->best[lane];
            tree->found = 1;
        }
    }
    tree->nodes = nodes;
    set_limit(tree);
    for (int lane = first; lane < first + LANES; lane++) {
        board->prefix[lane] = board->idle[lane] && tree->dealt < tree->prefixes ? tree->dealt++ : ~0u;
        busy |= !board->idle[lane] || board->prefix[lane] != ~0u;
    }
#if RADIUS == 2
    if (!busy && !tree->found && tree->radius < LARGE) { /* the given radius was too small */
        tree->radius = tree->radius > 0 ? 2 * tree->radius : tree->error;
        tree->dealt = 0;
        set_limit(tree);
        for (int lane = first; lane < first + LANES; lane++)
            board->prefix[lane] = tree->dealt < tree->prefixes ? tree->dealt++ : ~0u;
        busy = tree->radius < LARGE;
    }
#endif
    tree->spent = busy && nodes >= budget; /* a tree that ended in this round was searched whole */
    tree->active = busy && !tree->spent ? 1 : 2; /* 2: finished, to be stored */
}

INLINE void report(const lane_t *lane, NEAR_PTR board_t *board, int id)
{
    board->best[id] = lane->best;
    board->nodes[id] = lane->nodes;
    board->idle[id] = !lane->busy;
}

/* A lane's round, which begins with what was dealt. */
INLINE void play_round(lane_t *lane, NEAR_PTR const tree_t *tree, NEAR_PTR board_t *board, GLOBAL const float *model, int id)
{
    if (board->prefix[id] != ~0u)
        lane->busy = start_prefix(lane, tree, model, board->prefix[id], tree->limit);
    if (lane->busy) {
        real limit = tree->limit;
        search_round(lane, tree, model, &limit);
    }
    report(lane, board, id);
}

INLINE void clear_lane(lane_t *lane)
{
    lane->best = lane->second = LARGE;
    lane->busy = lane->found = 0;
    lane->nodes = 0;
#if COMPENSATED
    lane->fine_best.high = lane->fine_second.high = LARGE;
    lane->fine_best.low = lane->fine_second.low = 0;
#endif
    for (int w = 0; w < PATH_WORDS; w++) /* a lane that finds nothing tells its path too */
        lane->path[w] = 0;
}

/* Trees that were loaded get their first prefixes; what is not finite is answered at once. All of the group take part. */
INLINE void begin_trees(lane_t *lane, NEAR_PTR tree_t *tree, NEAR_PTR board_t *board, GLOBAL const float *model,
                        const outputs_t *to, int id, int sub, int loading, uint budget)
{
    if (loading) {
        clear_lane(lane);
        report(lane, board, id);
        if (sub == 0)
            begin_tree(tree, model);
    }
    MEET();
    if (loading && sub == 0) {
        tree->loading = 0;
        if (tree->error >= 0 && tree->radius == tree->radius) {
            deal(tree, board, id, budget);
        } else {
            store_invalid(to, tree->item);
            tree->active = 0;
        }
    }
    MEET();
}

#define GROUP_ARGUMENTS                                                                                                        \
    SPAN(const float, model), SPAN(const float, channel_work), const ulong channel_stride, SPAN(const float, vector_work),     \
        const ulong vector_stride, OUTPUTS, SPAN(uint, again), SPAN(uint, counters), const ulong first, const ulong items,     \
        const ulong per_channel, const ulong first_channel, const uint budget, SPAN(const float, received),                    \
        SPAN(const float, channel), SPAN(const float, noise), SPAN(const wide, factor), const uint factor_for,                 \
        const float noise_variance, const float noise_factor, const float radius_factor

#define TAKEN_INPUT                                                                                                            \
    { SPAN_AT(const float, received), SPAN_AT(const float, channel), noise_base ? SPAN_AT(const float, noise) : 0,             \
      SPAN_AT(const wide, factor), first, per_channel, factor_for, first_channel, noise_variance, noise_factor, radius_factor }

/*
 * LIST: vectors of the list `again`, counted by counters[0] and at most items; else all items. `first` is the call's index of
 * item 0; outputs begin there.
 */
KERNEL REQD_GROUP(CTA_SIZE, 1, 1) detector_group(GROUP_ARGUMENTS)
{
    NEAR tree_t trees[TREES_PER_CTA];
    NEAR board_t board[1];
    NEAR leaves_t leaves[1];
    NEAR uint running[2];
#if LIST
    NEAR matrix_t matrices[TREES_PER_CTA];
    const input_t in = TAKEN_INPUT;
#endif
    const ulong listed = LIST ? SPAN_AT(uint, counters)[0] : items, count = listed < items ? listed : items;
    const int id = LOCAL_ID(0), sub = id % LANES;
    NEAR_PTR tree_t *tree = &trees[id / LANES];
    GLOBAL const float *model = SPAN_AT(const float, model);
    ulong turn = (ulong)GROUP_ID(0) * TREES_PER_CTA + id / LANES;
    lane_t lane;
    TAKE_OUTPUTS(to);
#if COMPENSATED
    lane.in = &in;
#endif
    if (sub == 0)
        tree->active = tree->loading = 0;
    for (;;) {
        if (sub == 0 && tree->active == 0) {
            take_vector(tree, SPAN_AT(uint, again), turn, count);
            turn += (ulong)GROUPS(0) * TREES_PER_CTA;
        }
        MEET();
        if (id == 0)
            look_at_trees(running, trees);
        MEET();
        if (!running[0])
            break;
        if (running[1]) {
            const int loading = tree->loading;
#if LIST
            decompose(tree, &matrices[id / LANES], &in, model, sub, loading);
#else
            if (loading)
                take_prepared(tree, sub, SPAN_AT(const float, channel_work), channel_stride, SPAN_AT(const float, vector_work),
                              vector_stride, first, per_channel, first_channel);
#endif
            MEET();
            begin_trees(&lane, tree, board, model, &to, id, sub, loading, budget);
        }
        if (tree->active == 1)
            play_round(&lane, tree, board, model, id);
        MEET();
        if (sub == 0 && tree->active == 1)
            deal(tree, board, id, budget);
        MEET();
        if (tree->active == 2)
            tell_leaves(&lane, leaves, id);
        MEET();
        if (sub == 0 && tree->active == 2)
            answer(&lane, tree, board, leaves, model, &to, SPAN_AT(uint, again), SPAN_AT(uint, counters), id);
        MEET();
    }
}
