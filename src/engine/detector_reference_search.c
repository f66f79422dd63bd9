/* The detector's reference below the triangle: the depth-first search. */
#include "engine/detector_reference.h"

#include <math.h>
#include <string.h>

/* The children of a node in rising distance from the axis' centre: to and fro around the nearest.
 * With a prior the order is that of distance and prior together, found by sorting. */
typedef struct level_state {
    double target, diagonal; /* distance of amplitude a: |target - diagonal a| */
    double before;           /* partial distance of the levels above */
    int32_t next, step;      /* of the to and fro */
    uint32_t ranked[32], rank;
    double prior[32]; /* by index, in units of distance */
} level_state;

typedef struct search {
    const clr_prepared *p;
    const uint32_t *allowed;
    level_state levels[CLR_MOST_LEVELS];
    uint32_t index[CLR_MOST_LEVELS];
    double limit, best;
    uint32_t best_index[CLR_MOST_LEVELS];
    int found, spent;
    uint64_t budget;
    clr_detector_result *result;
} search;

static double amplitude(const search *s, uint32_t level, uint32_t index)
{
    return 2.0 * index + 1 - s->p->points[level];
}

static double distance(const search *s, uint32_t level, uint32_t index)
{
    const level_state *state = &s->levels[level];
    const double d = state->target - state->diagonal * amplitude(s, level, index);
    return d * d + state->prior[index];
}

/* N0 times the cost of the bits of a point of an axis: nothing for the likelier value of a bit. */
static double prior_cost(const clr_prepared *p, uint32_t level, uint32_t index)
{
    const clradio_detector_config *config = p->config;
    const uint32_t stream = p->stream[level];
    const uint32_t bits = clr_detector_stream_bits(config, stream);
    const uint32_t axes = 1u << bits > p->points[level] ? 2 : 1;
    const uint32_t label = clr_axis_label(p->points[level], index);
    uint32_t first = 0;
    double cost = 0;
    for (uint32_t other = 0; other < stream; other++)
        first += clr_detector_stream_bits(config, other);
    for (uint32_t b = p->axis[level]; b < bits;
         b += axes) { /* even bits real, odd ones imaginary */
        const uint32_t at = config->flags & CLRADIO_DETECTOR_LAST_BIT_FIRST ? bits - 1 - b : b;
        const uint32_t value = label >> (bits / axes - 1 - b / axes) & 1;
        double llr = p->prior[first + at];
        if (config->flags & CLRADIO_DETECTOR_LLR_ONE)
            llr = -llr;
        cost += value ? fmax(llr, 0) : fmax(-llr, 0);
    }
    return cost * p->noise_variance;
}

static void rank_children(search *s, uint32_t level)
{
    level_state *state = &s->levels[level];
    const uint32_t points = s->p->points[level];
    for (uint32_t i = 0; i < points; i++)
        state->prior[i] = prior_cost(s->p, level, i);
    for (uint32_t i = 0; i < points; i++) {
        uint32_t at = i;
        const double mine = distance(s, level, i);
        for (; at > 0 && distance(s, level, state->ranked[at - 1]) > mine; at--)
            state->ranked[at] = state->ranked[at - 1];
        state->ranked[at] = i;
    }
    state->rank = 0;
}

/* Enters a level: its target follows from the streams above, its children begin anew. */
static void enter(search *s, uint32_t level, double before)
{
    const clr_prepared *p = s->p;
    const uint32_t points = p->points[level];
    level_state *state = &s->levels[level];
    state->target = p->y[level];
    for (uint32_t above = level + 1; above < p->levels; above++)
        state->target -= p->r[level][above] * amplitude(s, above, s->index[above]);
    state->diagonal = p->r[level][level];
    state->before = before;
    if (p->prior) {
        rank_children(s, level);
        return;
    }
    const double centre = state->diagonal > 0 ? state->target / state->diagonal : 0;
    const double at = (centre + points - 1) / 2;
    const double nearest = fmin(fmax(rint(at), 0), points - 1);
    state->next = (int32_t)nearest;
    state->step = at < nearest ? -1 : 1;
}

/* The next child in order; 0 when there are no more. */
static int next_child(search *s, uint32_t level, uint32_t *child)
{
    level_state *state = &s->levels[level];
    const int32_t points = (int32_t)s->p->points[level];
    if (s->p->prior) {
        if (state->rank == (uint32_t)points)
            return 0;
        *child = state->ranked[state->rank++];
        return 1;
    }
    for (int tries = 0; tries < 2; tries++) {
        const int32_t here = state->next;
        state->next += state->step;
        state->step = state->step > 0 ? -state->step - 1 : 1 - state->step;
        if (here >= 0 && here < points) {
            *child = (uint32_t)here;
            return 1;
        }
    }
    return 0;
}

static void radius_from(search *s, double metric)
{
    s->limit = metric + clr_reference_slack(s->p, metric);
}

/* A leaf inside the limit. Among leaves that the arithmetic cannot tell apart the smaller label
 * vector wins. */
static void take_leaf(search *s, double metric)
{
    uint32_t labels[CLR_MOST_TRANSMIT];
    clr_detector_result *result = s->result;
    const double slack = clr_reference_slack(s->p, fmin(metric, s->best));
    int wins = !s->found || metric < s->best - slack;
    if (wins) {
        result->ties = 0;
    } else if (metric <= s->best + slack) {
        clr_reference_labels(s->p, s->index, labels);
        result->ties++;
        for (uint32_t k = 0; k < s->p->config->transmit; k++)
            if (labels[k] != result->labels[k]) {
                wins = labels[k] < result->labels[k];
                break;
            }
    }
    if (wins) {
        clr_reference_labels(s->p, s->index, result->labels);
        memcpy(s->best_index, s->index, sizeof s->best_index);
    }
    s->found = 1;
    if (metric < s->best) {
        s->best = metric;
        radius_from(s, metric);
    }
}

/* One descent and return through the whole tree inside the limit. */
static void search_tree(search *s)
{
    const uint32_t top = s->p->levels - 1;
    uint32_t level = top, child;
    int first_of_leaf = 1;
    enter(s, top, 0);
    while (level <= top) {
        if (!next_child(s, level, &child)) {
            level++;
            continue;
        }
        if (s->allowed && !(s->allowed[level] >> child & 1))
            continue;
        /* beyond the first leaf its siblings matter for ties alone: they are not counted */
        if (level > 0 || first_of_leaf) {
            if (s->budget && s->result->nodes >= s->budget) {
                s->spent = 1;
                return;
            }
            s->result->nodes++;
        }
        const double partial = s->levels[level].before + distance(s, level, child);
        if (!(partial <= s->limit)) {
            level++;
            continue;
        }
        s->index[level] = child;
        if (level > 0) {
            enter(s, --level, partial);
            first_of_leaf = level == 0;
        } else {
            take_leaf(s, partial);
            first_of_leaf = 0;
        }
    }
}

void clr_reference_search(const clr_prepared *p, double radius, const uint32_t *allowed,
                          uint64_t budget, clr_detector_result *result)
{
    search s;
    memset(&s, 0, sizeof s);
    s.p = p;
    s.allowed = allowed;
    s.budget = budget;
    s.result = result;
    s.best = INFINITY;
    result->nodes = 0;
    result->ties = 0;
    for (;;) {
        radius_from(&s, radius);
        search_tree(&s);
        if (s.found || s.spent || radius == INFINITY)
            break;
        radius = radius > 0 ? 2 * radius : p->error;
    }
    if (!s.found) { /* the budget was spent first: the sliced point is better than nothing */
        double estimate[CLR_MOST_LEVELS], variance[CLR_MOST_LEVELS];
        clr_reference_linear(p, CLR_LINEAR_MMSE_BIASED, estimate, variance);
        clr_reference_slice(p, estimate, s.best_index);
        clr_reference_labels(p, s.best_index, result->labels);
        s.best = clr_reference_metric(p, s.best_index);
    }
    result->metric = s.best + p->rest;
    result->status = s.spent ? CLRADIO_DETECTED_BUDGET : CLRADIO_DETECTED_EXACT;
}
