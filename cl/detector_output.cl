/*
 * Writing of a vector's answer: labels, bits, metric, status, nodes. Included after detector_common.cl. Not a kernel by
 * itself.
 */

/* What a kernel was given to write to; null where nothing is wanted. */
typedef struct outputs_t {
    GLOBAL uchar *symbols, *bits, *status;
    GLOBAL float *metric;
    GLOBAL uint *nodes;
} outputs_t;

#define TAKE_OUTPUTS(outputs)                                                                                          \
    outputs_t outputs;                                                                                                 \
    outputs.symbols = symbols_base ? SPAN_AT(uchar, symbols) : 0;                                                      \
    outputs.bits = bits_base ? SPAN_AT(uchar, bits) : 0;                                                               \
    outputs.status = status_base ? SPAN_AT(uchar, status) : 0;                                                         \
    outputs.metric = metric_base ? SPAN_AT(float, metric) : 0;                                                         \
    outputs.nodes = nodes_base ? SPAN_AT(uint, nodes) : 0

/* A label of a stream, as the interface stores it. */
INLINE void store_label(const outputs_t *to, ulong vector, uint stream, uint label)
{
#if SYMBOL_BYTES == 1
    to->symbols[vector * TX + stream] = (uchar)label;
#else
    ((GLOBAL ushort *)to->symbols)[vector * TX + stream] = (ushort)label;
#endif
}

/* The label of a stream from the labels of its axes: axis 0's bits are the even ones, where there are two. */
INLINE uint join_label(uint real_label, uint imaginary_label, uint real_only)
{
    return real_only ? real_label : spread(real_label) << 1 | spread(imaginary_label);
}

/* labels: of axes, by column of the model. */
INLINE void store_symbols(const outputs_t *to, ulong vector, GLOBAL const float *model, const uint *labels)
{
#if LEVELS == 2 * TX
    if (to->symbols) {
#if SYMBOL_BYTES == 1 && TX == 4
        uint packed = 0; /* one store; symbols begin at a multiple of their own size only, so it may have to be four */
        UNROLL
        for (int s = 0; s < TX; s++)
            packed |= join_label(labels[2 * s], labels[2 * s + 1], 0) << (8 * s);
        if (((size_t)to->symbols & 3) == 0) {
            ((GLOBAL uint *)to->symbols)[vector] = packed;
        } else {
            for (int s = 0; s < TX; s++)
                to->symbols[vector * TX + s] = (uchar)(packed >> (8 * s));
        }
#else
        UNROLL_SMALL
        for (int s = 0; s < TX; s++)
            store_label(to, vector, s, join_label(labels[2 * s], labels[2 * s + 1], 0));
#endif
    }
#else
    for (int c = 0; to->symbols && c < LEVELS; c++) {
        const int two = c + 1 < LEVELS && MODEL_STREAM(c + 1) == MODEL_STREAM(c);
        store_label(to, vector, MODEL_STREAM(c), join_label(labels[c], two ? labels[c + 1] : 0, !two));
        c += two;
    }
#endif
    if (to->bits)
        for (int c = 0; c < LEVELS; c++) {
            const int count = (int)log2_of(POINTS_OF(c));
            GLOBAL uchar *bit = to->bits + vector * BITS + MODEL_FIRST_BIT(c);
            for (int b = 0; b < count; b++)
                bit[b * MODEL_BIT_STEP(c)] = (uchar)(labels[c] >> (count - 1 - b) & 1);
        }
}

/* What is not a number has no answer: label 0 and bit 0 everywhere. */
INLINE void store_invalid(const outputs_t *to, ulong vector)
{
    for (int s = 0; to->symbols && s < TX; s++)
        store_label(to, vector, s, 0);
    for (int b = 0; to->bits && b < BITS; b++)
        to->bits[vector * BITS + b] = 0;
    if (to->metric)
        to->metric[vector] = (float)(LARGE - LARGE);
    if (to->status)
        to->status[vector] = INVALID;
    if (to->nodes)
        to->nodes[vector] = 0;
}
