/*
 * Detector: what methods that work on a prepared triangle share, one work-item a vector. Not a kernel by itself.
 */
#include "detector_common.cl"
#include "detector_output.cl"
#include "detector_llr.cl"

/* The arguments of such a kernel. */
#define WORK_ARGUMENTS                                                                                                 \
    SPAN(const float, model), SPAN(const float, channel_work), const ulong channel_stride,                             \
        SPAN(const float, vector_work), const ulong vector_stride, OUTPUTS, SPAN(uchar, llr), SPAN(const float, prior), \
        SPAN(uint, again), SPAN(uint, counters), const ulong first, const ulong items, const ulong per_channel,        \
        const ulong first_channel, const uint budget, const float clip, const float llr_scale, const uint flags

/* A vector's triangle, where it lies. */
typedef struct work_t {
    GLOBAL const float *channel, *vector;
    ulong channel_stride, vector_stride;
    float error, rest, noise_variance, scale;
} work_t;

#define TAKE_WORK(w, item)                                                                                             \
    work_t w;                                                                                                          \
    w.channel = SPAN_AT(const float, channel_work) +                                                                   \
                (per_channel == 1 ? item : (per_channel ? (first + item) / per_channel : 0) - first_channel);          \
    w.vector = SPAN_AT(const float, vector_work) + item;                                                               \
    w.channel_stride = channel_stride;                                                                                 \
    w.vector_stride = vector_stride;                                                                                   \
    w.error = w.vector[VECTOR_ERROR * vector_stride];                                                                  \
    w.rest = w.vector[VECTOR_REST * vector_stride];                                                                    \
    w.noise_variance = w.vector[VECTOR_NOISE * vector_stride];                                                         \
    w.scale = w.channel[CHANNEL_SCALE * channel_stride]

#define R_OF(w, i, j) (w)->channel[R_AT(i, j) * (w)->channel_stride]
#define Y_OF(w, i) (w)->vector[(i) * (w)->vector_stride]

INLINE uint column_of(const work_t *w, int level)
{
    return AS_UINT(w->channel[(CHANNEL_ORDER + level / 6) * w->channel_stride]) >> (5 * (level % 6)) & 31;
}

INLINE int is_invalid(const work_t *w)
{
    return !(w->error >= 0) || w->noise_variance != w->noise_variance;
}

/* Points of an axis of one's own alphabet: label and axis. */
#define OWN_POINT(label, axis) model[LEVELS * MODEL_WORDS + 2 * (label) + (axis)]

/* Bits of a level's axis, and the value of its bit b for a label. */
#define AXIS_BIT(label, bits, b) ((label) >> ((bits) - 1 - (b)) & 1)
