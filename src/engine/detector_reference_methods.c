/* The detector's reference: every method for one vector, LLRs, and batches of host arrays. */
#include "engine/detector_reference.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value of an axis of a stream's point by label: in odd integers, or the caller's own. */
static double value_of(const clr_prepared *p, uint32_t level, uint32_t label)
{
    uint32_t index[2];
    const clradio_modulation modulation = clr_detector_modulation(p->config, p->stream[level]);
    if (modulation == CLRADIO_ALPHABET)
        return p->config->alphabet[2 * label + p->axis[level]];
    clr_modulation_split(modulation, label, &index[0], &index[1]);
    return 2.0 * index[p->axis[level]] + 1 - p->points[level];
}

static double target_of(const clr_prepared *p, uint32_t level, const double *values)
{
    double z = p->y[level];
    for (uint32_t above = level + 1; above < p->levels; above++)
        z -= p->r[level][above] * values[above];
    return z;
}

/* The metric that a level adds when values are there from it upwards. */
static double added(const clr_prepared *p, uint32_t level, const double *values)
{
    const double d = target_of(p, level, values) - p->r[level][level] * values[level];
    return d * d;
}

/* The lowest level of the run of levels of one stream that ends at `level`. */
static uint32_t lowest_of_stream(const clr_prepared *p, uint32_t level)
{
    return level > 0 && p->stream[level - 1] == p->stream[level] ? level - 1 : level;
}

/* ---- exhaustive, and the list of leaves that soft output is made of ---- */

/* The least metric of leaves with each bit 0 and 1. */
typedef struct hypotheses {
    double least[2][CLR_MOST_TRANSMIT * 10];
} hypotheses;

static double prior_cost(const clr_prepared *p, uint32_t stream, uint32_t label)
{
    const clradio_detector_config *config = p->config;
    const uint32_t bits = clr_detector_stream_bits(config, stream);
    double cost = 0;
    uint32_t first = 0;
    for (uint32_t other = 0; other < stream; other++)
        first += clr_detector_stream_bits(config, other);
    for (uint32_t b = 0; p->prior && b < bits; b++) {
        const uint32_t at = config->flags & CLRADIO_DETECTOR_LAST_BIT_FIRST ? bits - 1 - b : b;
        const double llr =
            config->flags & CLRADIO_DETECTOR_LLR_ONE ? -p->prior[first + at] : p->prior[first + at];
        cost += label >> (bits - 1 - b) & 1 ? fmax(llr, 0) : fmax(-llr, 0);
    }
    return cost * p->noise_variance;
}

static void note_leaf(const clr_prepared *p, const uint32_t *labels, double metric,
                      clr_detector_result *result, hypotheses *seen)
{
    uint32_t first = 0;
    if (metric < result->metric ||
        (metric == result->metric &&
         memcmp(labels, result->labels, p->config->transmit * sizeof *labels) != 0)) {
        int smaller = metric < result->metric;
        for (uint32_t k = 0; !smaller && k < p->config->transmit && labels[k] <= result->labels[k];
             k++)
            smaller = labels[k] < result->labels[k];
        result->metric = metric;
        if (smaller)
            memcpy(result->labels, labels, p->config->transmit * sizeof *labels);
    }
    for (uint32_t s = 0; seen && s < p->config->transmit; s++) {
        const uint32_t bits = clr_detector_stream_bits(p->config, s);
        for (uint32_t b = 0; b < bits; b++) {
            double *least = &seen->least[labels[s] >> (bits - 1 - b) & 1][first + b];
            *least = fmin(*least, metric);
        }
        first += bits;
    }
}

/* ml's levels are not sorted: those of a stream stand side by side. */
static void exhaust(const clr_prepared *p, uint32_t level, double before, double *values,
                    uint32_t *labels, clr_detector_result *result, hypotheses *seen)
{
    const uint32_t stream = p->stream[level], lowest = lowest_of_stream(p, level);
    const uint32_t count = clr_detector_stream_points(p->config, stream);
    for (uint32_t label = 0; label < count; label++) {
        double metric = before + prior_cost(p, stream, label);
        labels[stream] = label;
        for (uint32_t l = level + 1; l-- > lowest;) {
            values[l] = value_of(p, l, label);
            metric += added(p, l, values);
        }
        if (lowest > 0) {
            exhaust(p, lowest - 1, metric, values, labels, result, seen);
        } else {
            result->nodes++;
            note_leaf(p, labels, metric, result, seen);
        }
    }
}

/* ---- breadth-first ---- */

typedef struct path {
    double metric, values[CLR_MOST_LEVELS];
    uint32_t index[CLR_MOST_LEVELS]; /* of axes; the label for an alphabet */
} path;

static void keep_candidate(path *kept, uint32_t *count, uint32_t most, const path *candidate)
{
    uint32_t at = *count < most ? (*count)++ : most;
    if (at == most && kept[--at].metric <= candidate->metric)
        return;
    for (; at > 0 && kept[at - 1].metric > candidate->metric; at--)
        kept[at] = kept[at - 1];
    kept[at] = *candidate;
}

/* Extends every path by the levels from `level` down to `lowest`, keeps the best. */
static uint32_t extend(const clr_prepared *p, uint32_t level, uint32_t lowest, const path *paths,
                       uint32_t count, uint32_t most, path *kept, uint64_t *nodes)
{
    uint32_t n = 0;
    const uint32_t points = p->points[level] ? p->points[level] : p->config->alphabet_size;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t index = 0; index < points; index++, ++*nodes) {
            path next = paths[i];
            for (uint32_t l = level + 1; l-- > lowest;) {
                next.index[l] = index;
                next.values[l] = p->points[l] ? 2.0 * index + 1 - points : value_of(p, l, index);
                next.metric += added(p, l, next.values);
            }
            keep_candidate(kept, &n, most, &next);
        }
    return n;
}

static void path_labels(const clr_prepared *p, const path *leaf, uint32_t *labels)
{
    if (p->points[0])
        clr_reference_labels(p, leaf->index, labels);
    for (uint32_t l = 0; !p->points[0] && l < p->levels; l++)
        labels[p->stream[l]] = leaf->index[l];
}

static void note_paths(const clr_prepared *p, const path *paths, uint32_t count,
                       clr_detector_result *result, hypotheses *seen)
{
    uint32_t labels[CLR_MOST_TRANSMIT];
    for (uint32_t i = 0; i < count; i++) {
        path_labels(p, &paths[i], labels);
        note_leaf(p, labels, paths[i].metric, result, seen);
    }
}

static void breadth_first(const clr_prepared *p, clr_detector_result *result, hypotheses *seen)
{
    static _Thread_local path lists[2][CLR_MOST_CANDIDATES];
    uint32_t count = 1, turn = 0, lowest;
    memset(&lists[0][0], 0, sizeof lists[0][0]);
    for (uint32_t end = p->levels; end > 0; end = lowest, turn ^= 1) {
        lowest = p->points[end - 1] ? end - 1 : lowest_of_stream(p, end - 1);
        count = extend(p, end - 1, lowest, lists[turn], count, p->config->candidates,
                       lists[turn ^ 1], &result->nodes);
    }
    note_paths(p, lists[turn], count, result, seen);
}

/* All points of the full streams, and below each the nearest points one after the other. */
static void fixed_complexity(const clr_prepared *p, clr_detector_result *result, hypotheses *seen)
{
    uint64_t paths = 1;
    uint32_t sliced = p->levels;
    for (uint32_t f = 0; f < p->config->full_streams; f++)
        for (uint32_t lowest = lowest_of_stream(p, sliced - 1); sliced > lowest;)
            paths *= p->points[--sliced];
    for (uint64_t n = 0; n < paths; n++) {
        path leaf;
        uint64_t left = n;
        memset(&leaf, 0, sizeof leaf);
        for (uint32_t l = p->levels; l-- > 0;) {
            const double r = p->r[l][l], most = p->points[l] - 1.0;
            const double centre = r > 0 ? target_of(p, l, leaf.values) / r : 0;
            if (l >= sliced) {
                leaf.index[l] = (uint32_t)(left % p->points[l]);
                left /= p->points[l];
            } else {
                leaf.index[l] = (uint32_t)fmin(fmax(rint((centre + most) / 2), 0), most);
            }
            leaf.values[l] = 2.0 * leaf.index[l] - most;
            leaf.metric += added(p, l, leaf.values);
            result->nodes++;
        }
        note_paths(p, &leaf, 1, result, seen);
    }
}

/* ---- soft output ---- */

/* The first bit of a stream among those of the vector. */
static uint32_t first_bit(const clr_prepared *p, uint32_t stream)
{
    uint32_t first = 0;
    for (uint32_t other = 0; other < stream; other++)
        first += clr_detector_stream_bits(p->config, other);
    return first;
}

/* Where bit b of the level's axis (0 the most significant) is among the bits of the vector. */
static uint32_t bit_of_level(const clr_prepared *p, uint32_t level, uint32_t b)
{
    const uint32_t bits = clr_detector_stream_bits(p->config, p->stream[level]);
    const uint32_t axes = 1u << bits > p->points[level] ? 2 : 1;
    return first_bit(p, p->stream[level]) + axes * b + p->axis[level];
}

static uint32_t axis_bits(const clr_prepared *p, uint32_t level)
{
    uint32_t bits = 0;
    while (p->points[level] > 1u << bits)
        bits++;
    return bits;
}

/* sphere: the least metric with each bit the other way round, by a search of its own. */
static void counter_hypotheses(const clr_prepared *p, const clr_detector_result *best,
                               hypotheses *seen)
{
    uint32_t allowed[CLR_MOST_LEVELS];
    for (uint32_t l = 0; l < p->levels; l++)
        allowed[l] = p->points[l] < 32 ? (1u << p->points[l]) - 1 : UINT32_MAX;
    for (uint32_t l = 0; l < p->levels; l++) {
        const uint32_t points = p->points[l], bits = axis_bits(p, l), all = allowed[l];
        uint32_t split[2];
        clr_modulation_split(clr_detector_modulation(p->config, p->stream[l]),
                             best->labels[p->stream[l]], &split[0], &split[1]);
        const uint32_t label = clr_axis_label(points, split[p->axis[l]]);
        for (uint32_t b = 0; b < bits; b++) {
            const uint32_t value = label >> (bits - 1 - b) & 1, at = bit_of_level(p, l, b);
            clr_detector_result other;
            for (uint32_t index = 0; index < points; index++)
                if ((clr_axis_label(points, index) >> (bits - 1 - b) & 1) == value)
                    allowed[l] &= ~(1u << index);
            clr_reference_search(p, INFINITY, allowed, 0, &other);
            allowed[l] = all;
            seen->least[value][at] = best->metric;
            seen->least[!value][at] = other.metric;
        }
    }
}

/* zf and mmse: each axis by itself, max-log over its own points; the noise of one dimension is
 * N0/2. */
static void linear_hypotheses(const clr_prepared *p, const double *estimate, const double *variance,
                              hypotheses *seen)
{
    for (uint32_t l = 0; l < p->levels; l++) {
        const uint32_t points = p->points[l], bits = axis_bits(p, l);
        const double factor = variance[l] > 0 ? p->noise_variance / (2 * variance[l]) : INFINITY;
        for (uint32_t index = 0; index < points; index++) {
            const double apart = estimate[l] - (2.0 * index + 1 - points);
            for (uint32_t b = 0; b < bits; b++) {
                double *least = &seen->least[clr_axis_label(points, index) >> (bits - 1 - b) & 1]
                                            [bit_of_level(p, l, b)];
                *least = fmin(*least, apart * apart * factor);
            }
        }
    }
}

static void give_llrs(const clr_prepared *p, const hypotheses *seen, double *llr)
{
    const clradio_detector_config *config = p->config;
    uint32_t first = 0;
    for (uint32_t s = 0; s < p->config->transmit; s++) {
        const uint32_t bits = clr_detector_stream_bits(config, s);
        for (uint32_t b = 0; b < bits; b++) {
            const double one = seen->least[1][first + b], zero = seen->least[0][first + b];
            double value = one == zero ? 0 : (one - zero) / p->noise_variance;
            value = value != value ? 0 : fmin(fmax(value, -config->llr_clip), config->llr_clip);
            if (config->flags & CLRADIO_DETECTOR_LLR_ONE)
                value = -value;
            llr[first + (config->flags & CLRADIO_DETECTOR_LAST_BIT_FIRST ? bits - 1 - b : b)] =
                value * config->llr_scale;
        }
        first += bits;
    }
}

/* ---- one vector ---- */

static void linear(const clr_prepared *p, clr_detector_result *result, hypotheses *seen)
{
    double estimate[CLR_MOST_LEVELS], variance[CLR_MOST_LEVELS];
    uint32_t index[CLR_MOST_LEVELS];
    clr_reference_linear(p, p->config->method == CLRADIO_DETECTOR_MMSE, estimate, variance);
    clr_reference_slice(p, estimate, index);
    clr_reference_labels(p, index, result->labels);
    result->metric = clr_reference_metric(p, index);
    if (seen)
        linear_hypotheses(p, estimate, variance, seen);
}

void clr_detector_reference(const clradio_detector_config *config,
                            const clr_detector_vector *vector, uint64_t budget,
                            clr_detector_result *result, double *llr)
{
    static _Thread_local hypotheses noted;
    clr_prepared p;
    double values[CLR_MOST_LEVELS];
    uint32_t labels[CLR_MOST_TRANSMIT] = { 0 };
    hypotheses *seen = llr ? &noted : NULL;
    memset(result, 0, sizeof *result);
    if (!clr_reference_prepare(config, vector, &p)) {
        for (uint32_t b = 0; llr && b < clradio_detector_bits(config); b++)
            llr[b] = 0;
        result->metric = NAN;
        result->status = CLRADIO_DETECTED_INVALID;
        return;
    }
    result->metric = INFINITY;
    result->status = CLRADIO_DETECTED_METHOD;
    for (uint32_t b = 0; seen && b < CLR_MOST_TRANSMIT * 10; b++)
        seen->least[0][b] = seen->least[1][b] = INFINITY;
    switch (config->method) {
    case CLRADIO_DETECTOR_SPHERE:
        clr_reference_search(&p, clr_reference_start(&p), NULL, budget, result);
        if (seen)
            counter_hypotheses(&p, result, seen);
        break;
    case CLRADIO_DETECTOR_ML:
        exhaust(&p, p.levels - 1, 0, values, labels, result, seen);
        result->status = CLRADIO_DETECTED_EXACT;
        break;
    case CLRADIO_DETECTOR_KBEST: breadth_first(&p, result, seen); break;
    case CLRADIO_DETECTOR_FSD: fixed_complexity(&p, result, seen); break;
    default: linear(&p, result, seen);
    }
    if (config->method != CLRADIO_DETECTOR_SPHERE)
        result->metric += p.rest;
    if (llr)
        give_llrs(&p, seen, llr);
}
