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

#ifndef CTA_SIZE
#define CTA_SIZE 64
#endif
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
#if LIST
#include "detector_group_qr.cl"
#endif

/* The triangle of a vector that detector_prepare has decomposed, by a tree's lanes. */
INLINE void take_prepared(NEAR_PTR tree_t *tree, int sub, GLOBAL const float *channel, ulong channel_stride,
                          GLOBAL const float *vector, ulong vector_stride)
{
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

/* Lanes of a tree begin the next round with what was dealt. */
INLINE void begin_round(lane_t *lane, NEAR_PTR const tree_t *tree, NEAR_PTR const board_t *board,
                        GLOBAL const float *model, int id)
{
    if (board->prefix[id] != ~0u)
        lane->busy = start_prefix(lane, tree, model, board->prefix[id], tree->limit);
    if (lane->busy) {
        real limit = tree->limit;
        search_round(lane, tree, model, &limit);
    }
}

INLINE void report(const lane_t *lane, NEAR_PTR board_t *board, int id)
{
    board->best[id] = lane->best;
    board->nodes[id] = lane->nodes;
    board->idle[id] = !lane->busy;
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

/* Nothing was found before the budget was spent: the nearest child of each level, from the root down. */
INLINE real descend(lane_t *lane, NEAR_PTR const tree_t *tree, GLOBAL const float *model)
{
    real sum = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
        enter(lane, tree, model, level, sum);
        sum = partial_of(lane, tree, level);
        lane->chosen[level] = lane->next[level];
    }
    pack_path(lane, lane->path);
    return sum;
}

/* The winner among the lanes' best leaves, by a tree's first lane; paths of all lanes are in `paths`. */
INLINE int merge(lane_t *lane, NEAR_PTR const tree_t *tree, NEAR_PTR const board_t *board, NEAR_PTR const ulong *paths,
                 NEAR_PTR const real *seconds, GLOBAL const float *model, int first)
{
    const real margin = slack(tree, tree->best);
    int winner = -1, near = 0;
    for (int other = first; other < first + LANES; other++) {
        ulong path[PATH_WORDS];
        near += board->best[other] <= tree->best + margin;
        near += seconds[other] <= tree->best + margin;
        if (!(board->best[other] <= tree->best + (DOUBLE ? margin : 0)) || !(board->best[other] < LARGE))
            continue;
        for (int w = 0; w < PATH_WORDS; w++)
            path[w] = paths[other * PATH_WORDS + w];
        if (winner < 0 || is_smaller(tree, model, path, lane->path)) {
            winner = other;
            for (int w = 0; w < PATH_WORDS; w++)
                lane->path[w] = path[w];
        }
    }
    return near > 1;
}

#if COMPENSATED
/* The same by the finer metrics: a lane's best and second at [2 lane]. */
INLINE int merge_fine(lane_t *lane, NEAR_PTR tree_t *tree, NEAR_PTR const ulong *paths, NEAR_PTR const fine_t *fine, int first)
{
    int winner = first, near = 0;
    for (int other = first + 1; other < first + LANES; other++)
        winner = fine_is_less(fine[2 * other], fine[2 * winner]) ? other : winner;
    const fine_t best = fine[2 * winner];
    const float error = FINE_SHARE * tree->error, margin = 4 * error * (sqrt(best.high) + error);
    for (int leaf = 2 * first; leaf < 2 * (first + LANES); leaf++)
        near += fine_excess(fine[leaf], best) <= margin;
    for (int w = 0; w < PATH_WORDS; w++)
        lane->path[w] = paths[winner * PATH_WORDS + w];
    tree->best = fmax(best.high - tree->rest, 0.0f);
    return near > 1;
}
#endif

/* A finished tree's answer, by its first lane. */
INLINE void store_tree(lane_t *lane, NEAR_PTR const tree_t *tree, GLOBAL const float *model, const outputs_t *to,
                       int near)
{
    uint labels[LEVELS];
    real best = tree->best;
    const int thin_before = to->status[tree->item] == THIN;
    if (!tree->found)
        best = descend(lane, tree, model);
    for (int level = 0; level < LEVELS; level++)
        labels[tree->column[level]] = label_at(tree, model, lane->path, level);
    store_symbols(to, tree->item, model, labels);
    if (to->metric)
        to->metric[tree->item] = (float)((best + tree->rest) / tree->scale / tree->scale);
    to->status[tree->item] = tree->spent ? BUDGET : (near & !DOUBLE) ? THIN : EXACT;
    if (to->nodes && !(LIST && thin_before)) /* deciding a thin margin again is no part of the search */
        to->nodes[tree->item] = tree->nodes + (LIST ? to->nodes[tree->item] : 0);
}

#define GROUP_ARGUMENTS                                                                                                        \
    SPAN(const float, model), SPAN(const float, channel_work), const ulong channel_stride, SPAN(const float, vector_work),     \
        const ulong vector_stride, OUTPUTS, SPAN(uint, again), SPAN(uint, counters), const ulong first, const ulong items,     \
        const ulong per_channel, const ulong first_channel, const uint budget, SPAN(const float, received),                    \
        SPAN(const float, channel), SPAN(const float, noise), SPAN(const wide, factor), const uint factor_for,                 \
        const float noise_variance, const float noise_factor, const float radius_factor

/*
 * LIST: vectors of the list `again`, counted by counters[0] and at most items; else all items. `first` is the call's index of
 * item 0; outputs begin there.
 */
KERNEL REQD_GROUP(CTA_SIZE, 1, 1) detector_group(GROUP_ARGUMENTS)
{
    NEAR tree_t trees[TREES_PER_CTA];
    NEAR board_t board[1];
    NEAR ulong paths[CTA_SIZE * PATH_WORDS];
    NEAR real seconds[CTA_SIZE];
#if COMPENSATED
    NEAR fine_t fine[2 * CTA_SIZE];
#endif
    NEAR uint running[2];
#if LIST
    NEAR matrix_t matrices[TREES_PER_CTA];
    NEAR_PTR matrix_t *matrix = &matrices[LOCAL_ID(0) / LANES];
    const input_t in = { SPAN_AT(const float, received), SPAN_AT(const float, channel),
                         noise_base ? SPAN_AT(const float, noise) : 0, SPAN_AT(const wide, factor), first, per_channel,
                         factor_for, first_channel, noise_variance, noise_factor, radius_factor };
    const ulong listed = SPAN_AT(uint, counters)[0], count = listed < items ? listed : items;
#else
    const ulong count = items;
#endif
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
            tree->loading = turn < count;
            tree->active = turn < count ? 0 : 3;
            if (tree->loading)
                tree->item = LIST ? SPAN_AT(uint, again)[turn] : (uint)turn;
            turn += (ulong)GROUPS(0) * TREES_PER_CTA;
        }
        MEET();
        if (id == 0) {
            running[0] = running[1] = 0;
            for (int t = 0; t < TREES_PER_CTA; t++) {
                running[0] |= trees[t].loading || trees[t].active == 1;
                running[1] |= trees[t].loading;
            }
        }
        MEET();
        if (!running[0])
            break;
        if (running[1]) {
            const int loading = tree->loading;
#if LIST
            if (loading)
                load_matrix(matrix, sub, &in, model, tree->item);
            MEET();
            if (loading && sub == 0)
                begin_matrix(tree, matrix);
            MEET();
            if (loading)
                scale_matrix(tree, matrix, sub);
            MEET();
            if (loading && sub == 0)
                bound_matrix(tree, matrix, model);
            MEET();
            for (int k = 0; k < LEVELS && k < ROWS; k++) {
                if (loading)
                    measure_columns(tree, matrix, sub, k);
                MEET();
                if (loading && sub == 0)
                    choose_column(tree, matrix, k);
                MEET();
                if (loading)
                    reflect_columns(tree, matrix, sub, k);
                MEET();
            }
            if (loading && sub == 0)
                end_matrix(tree, matrix, &in, model);
#else
            if (loading) {
                const ulong v = tree->item;
                const ulong c = per_channel == 1 ? v : (per_channel ? (first + v) / per_channel : 0) - first_channel;
                take_prepared(tree, sub, SPAN_AT(const float, channel_work) + c, channel_stride,
                              SPAN_AT(const float, vector_work) + v, vector_stride);
            }
#endif
            MEET();
            if (loading) {
                clear_lane(&lane);
                report(&lane, board, id);
                if (sub == 0)
                    begin_tree(tree, model);
            }
            MEET();
            if (loading && sub == 0) {
                tree->loading = 0;
                if (tree->error >= 0 && tree->radius == tree->radius) {
                    deal(tree, board, id, budget);
                } else {
                    store_invalid(&to, tree->item);
                    tree->active = 0;
                }
            }
            MEET();
        }
        if (tree->active == 1) {
            begin_round(&lane, tree, board, model, id);
            report(&lane, board, id);
        }
        MEET();
        if (sub == 0 && tree->active == 1)
            deal(tree, board, id, budget);
        MEET();
        if (tree->active == 2) {
            for (int w = 0; w < PATH_WORDS; w++)
                paths[id * PATH_WORDS + w] = lane.path[w];
            seconds[id] = lane.second;
#if COMPENSATED
            fine[2 * id] = lane.fine_best;
            fine[2 * id + 1] = lane.fine_second;
#endif
        }
        MEET();
        if (sub == 0 && tree->active == 2) {
#if COMPENSATED
            const int near = merge_fine(&lane, tree, paths, fine, id);
#else
            const int near = merge(&lane, tree, board, paths, seconds, model, id);
#endif
            store_tree(&lane, tree, model, &to, near);
#if !LIST
            if (to.status[tree->item] != EXACT) {
                SPAN_AT(uint, again)[ATOMIC_ADD(&SPAN_AT(uint, counters)[0], 1u)] = tree->item;
                if (to.status[tree->item] == THIN)
                    ATOMIC_ADD(&SPAN_AT(uint, counters)[1], 1u);
            }
#endif
            tree->active = 0;
        }
        MEET();
    }
}
