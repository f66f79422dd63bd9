/*
 * Detector: what the lanes of a finished tree tell each other, and the tree's answer. Part of detector_group.cl.
 */

/* In local memory, by lane. */
typedef struct leaves_t {
    ulong path[CTA_SIZE * PATH_WORDS];
    real second[CTA_SIZE];
#if COMPENSATED
    fine_t fine[2 * CTA_SIZE]; /* best and second */
#endif
} leaves_t;

INLINE void tell_leaves(const lane_t *lane, NEAR_PTR leaves_t *leaves, int id)
{
    for (int w = 0; w < PATH_WORDS; w++)
        leaves->path[id * PATH_WORDS + w] = lane->path[w];
    leaves->second[id] = lane->second;
#if COMPENSATED
    leaves->fine[2 * id] = lane->fine_best;
    leaves->fine[2 * id + 1] = lane->fine_second;
#endif
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

/* The winner among the lanes' best leaves, by a tree's first lane: its path to `lane`. 1 when another leaf is within the margin. */
INLINE int merge(lane_t *lane, NEAR_PTR const tree_t *tree, NEAR_PTR const board_t *board, NEAR_PTR const leaves_t *leaves,
                 GLOBAL const float *model, int first)
{
    const real margin = slack(tree, tree->best);
    int winner = -1, near = 0;
    for (int other = first; other < first + LANES; other++) {
        ulong path[PATH_WORDS];
        near += board->best[other] <= tree->best + margin;
        near += leaves->second[other] <= tree->best + margin;
        if (!(board->best[other] <= tree->best + (DOUBLE ? margin : 0)) || !(board->best[other] < LARGE))
            continue;
        for (int w = 0; w < PATH_WORDS; w++)
            path[w] = leaves->path[other * PATH_WORDS + w];
        if (winner < 0 || is_smaller(tree, model, path, lane->path)) {
            winner = other;
            for (int w = 0; w < PATH_WORDS; w++)
                lane->path[w] = path[w];
        }
    }
    return near > 1;
}

#if COMPENSATED
/* The same by the finer metrics. */
INLINE int merge_fine(lane_t *lane, NEAR_PTR tree_t *tree, NEAR_PTR const leaves_t *leaves, int first)
{
    NEAR_PTR const fine_t *fine = leaves->fine;
    int winner = first, near = 0;
    for (int other = first + 1; other < first + LANES; other++)
        winner = fine_is_less(fine[2 * other], fine[2 * winner]) ? other : winner;
    const fine_t best = fine[2 * winner];
    const float error = FINE_SHARE * tree->error, margin = 4 * error * (sqrt(best.high) + error);
    for (int leaf = 2 * first; leaf < 2 * (first + LANES); leaf++)
        near += fine_excess(fine[leaf], best) <= margin;
    for (int w = 0; w < PATH_WORDS; w++)
        lane->path[w] = leaves->path[winner * PATH_WORDS + w];
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

/* By a finished tree's first lane; what the first pass cannot certify goes to the second's list. */
INLINE void answer(lane_t *lane, NEAR_PTR tree_t *tree, NEAR_PTR const board_t *board, NEAR_PTR const leaves_t *leaves,
                   GLOBAL const float *model, const outputs_t *to, GLOBAL uint *again, GLOBAL uint *counters, int id)
{
#if COMPENSATED
    const int near = merge_fine(lane, tree, leaves, id);
#else
    const int near = merge(lane, tree, board, leaves, model, id);
#endif
    store_tree(lane, tree, model, to, near);
#if !LIST
    if (to->status[tree->item] != EXACT) {
        again[ATOMIC_ADD(&counters[0], 1u)] = tree->item;
        if (to->status[tree->item] == THIN)
            ATOMIC_ADD(&counters[1], 1u);
    }
#endif
    tree->active = 0;
}
