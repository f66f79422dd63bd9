/*
 * Detector: the first descent of the search, by the work-item that has just decomposed the channel. More than half of all trees
 * at a usual SNR are that descent and nothing else: the nearest child of each level, and no level's next child within the
 * radius of the leaf. Such a vector is finished here, in step with its neighbours; the others are numbered on, so that their
 * work lies closely, and are listed for detector_lane.cl. Included after detector_common.cl and detector_output.cl. Not a
 * kernel by itself.
 *
 * Parameter:
 *   DESCENT  0: no descent; 1: each vector that is left takes its place in the list by itself; 2: a work-group takes the places
 *            of its vectors together (0)
 *
 * The list: how many there are, then their items.
 */

#if DESCENT
/* 1 when the tree is one descent, and its answer is stored. With anything doubtful (a diagonal of zero, input that is not
 * finite, a sibling of the leaf that is too near) the search has the vector. */
INLINE int descend(const real *r, const real *y, const uint *order, GLOBAL const float *model, const outputs_t *to,
                   ulong item, real radius, real error, real rest, real scale)
{
    real chosen[LEVELS], before = 0, nearest = LARGE;
    uint labels[LEVELS];
    int plain = error >= 0 && radius == radius;
    UNROLL_SMALL
    for (int n = 0; n < LEVELS; n++) {
        const int level = LEVELS - 1 - n;
        const real diagonal = r[R_AT(level, level)], most = POINTS_OF(order[level]) - 1;
        real target = y[level];
        UNROLL_SMALL
        for (int j = PART_BEGIN(level + 1); j < LEVELS; j++)
            if (j > level)
                target -= r[R_AT(level, j)] * chosen[j];
        const real centre = diagonal > 0 ? target / diagonal : 0;
        const real index = fmin(fmax(rint((centre + most) * (real)0.5), (real)0), most);
        const real next = 2 * index - most, step = centre < next ? -2 : 2;
        const real other = fabs(next + step) <= most ? next + step : next - step;
        const real apart = target - diagonal * next, beside = target - diagonal * other;
        nearest = fmin(nearest, FMA(beside, beside, before));
        before = FMA(apart, apart, before);
        chosen[level] = next;
        plain &= diagonal > 0;
    }
    const real first = radius < LARGE ? radius + slack_of(radius, rest, error) : (real)LARGE;
    if (!plain || !(before <= first) || !(nearest > before + slack_of(before, rest, error)))
        return 0;
    UNROLL_SMALL
    for (int level = 0; level < LEVELS; level++) {
        const uint points = POINTS_OF(order[level]);
        const uint label = axis_label(points, (uint)((chosen[level] + points - 1) * (real)0.5));
        UNROLL_SMALL
        for (int c = 0; c < LEVELS; c++)
            if (c == (int)order[level])
                labels[c] = label;
    }
    store_symbols(to, item, model, labels);
    if (to->metric)
        to->metric[item] = (float)((before + rest) / scale / scale);
    if (to->status)
        to->status[item] = EXACT;
    if (to->nodes)
        to->nodes[item] = 2 * LEVELS - 1;
    return 1;
}
#endif

/* A work-item's own item. With DESCENT 2 nobody leaves before the group has counted: those beyond the last do it once more. */
#if DESCENT == 2
#define OWN_ITEM()                                                                                                     \
    const ulong raw_item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0), item = raw_item < items ? raw_item : items - 1
#define IS_THERE (raw_item < items)
#else
#define OWN_ITEM()                                                                                                     \
    const ulong item = (ulong)GROUP_ID(0) * CTA_SIZE + LOCAL_ID(0);                                                    \
    if (item >= items)                                                                                                 \
    return
#define IS_THERE 1
#endif

/* left: what the search has to do. */
#if DESCENT
#define TRY_DESCENT(r, y, order, radius, error, rest, scale)                                                           \
    TAKE_OUTPUTS(to);                                                                                                  \
    const int left = IS_THERE && !descend(r, y, order, model, &to, item, radius, error, rest, scale)
#else
#define TRY_DESCENT(r, y, order, radius, error, rest, scale) const int left = 1
#endif

/* Where the work of an item goes that is left: `place`, the item's own where there is no descent. Nobody leaves here: PoCL 5.0
 * loses a value of those that go on. */
#if DESCENT == 1
#define TAKE_PLACE(left)                                                                                               \
    const ulong place = (left) ? ATOMIC_ADD(SPAN_AT(uint, list), 1u) : 0;                                              \
    if (left)                                                                                                          \
        SPAN_AT(uint, list)[1 + place] = (uint)item
#elif DESCENT == 2
#define TAKE_PLACE(left)                                                                                               \
    LOCAL uint places[2];                                                                                              \
    if (LOCAL_ID(0) == 0)                                                                                              \
        places[0] = 0;                                                                                                 \
    BARRIER();                                                                                                         \
    const uint own = (left) ? ATOMIC_ADD(&places[0], 1u) : 0;                                                          \
    BARRIER();                                                                                                         \
    if (LOCAL_ID(0) == 0)                                                                                              \
        places[1] = ATOMIC_ADD(SPAN_AT(uint, list), places[0]);                                                        \
    BARRIER();                                                                                                         \
    const ulong place = places[1] + own;                                                                               \
    if (left)                                                                                                          \
        SPAN_AT(uint, list)[1 + place] = (uint)item
#else
#define TAKE_PLACE(left) const ulong place = item
#endif
