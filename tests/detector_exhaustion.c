/*
 * Every symbol vector tried, in double, without any decomposition, so that nothing is shared with
 * what is tested: |y - H s|^2 = |y|^2 - 2 Re(s^H z) + s^H G s, z = H^H y, G = H^H H. A stream adds
 * G_kk |s_k|^2 - 2 Re(conj(s_k) c_k), c_k = z_k less what G brings of the streams before it. For
 * streams of one QAM alphabet and one noise variance.
 */
#include "detector_support.h"

#include <math.h>
#include <string.h>

enum { MOST_STREAMS = 4, MOST_POINTS = 256 };

typedef struct pair {
    double re, im;
} pair;

typedef struct attempt {
    uint32_t streams, points;
    double re[MOST_POINTS], im[MOST_POINTS];
    pair gram[MOST_STREAMS][MOST_STREAMS];
    uint32_t labels[MOST_STREAMS];
    double metric; /* the least, and where it was */
    uint32_t best[MOST_STREAMS];
    double noise_variance;
    double (*sums)[2]; /* of each bit: sum of exp(-metric / N0) with it 0 and 1, or NULL */
} attempt;

static pair times_conjugate(const float *a, const float *b) /* conj(a) b */
{
    return (pair){ (double)a[0] * b[0] + (double)a[1] * b[1],
                   (double)a[0] * b[1] - (double)a[1] * b[0] };
}

/* z into `towards`; returns |y|^2. */
static double begin(attempt *t, const detector_data *data, uint64_t n, pair *towards)
{
    const uint32_t tx = data->config.transmit, rx = data->config.receive;
    const float *y = data->received + 2 * n * rx, *h = data->channel + 2 * n * rx * tx;
    double power = 0;
    memset(t->gram, 0, sizeof t->gram);
    memset(towards, 0, MOST_STREAMS * sizeof *towards);
    for (uint32_t i = 0; i < rx; i++) {
        power += (double)y[2 * i] * y[2 * i] + (double)y[2 * i + 1] * y[2 * i + 1];
        for (uint32_t k = 0; k < tx; k++) {
            const pair z = times_conjugate(h + 2 * (i * tx + k), y + 2 * i);
            towards[k].re += z.re;
            towards[k].im += z.im;
            for (uint32_t j = 0; j < tx; j++) {
                const pair g = times_conjugate(h + 2 * (i * tx + k), h + 2 * (i * tx + j));
                t->gram[k][j].re += g.re;
                t->gram[k][j].im += g.im;
            }
        }
    }
    return power;
}

static double with(const attempt *t, uint32_t stream, uint32_t label, const pair *towards)
{
    const double re = t->re[label], im = t->im[label];
    return t->gram[stream][stream].re * (re * re + im * im) -
           2 * (re * towards[stream].re + im * towards[stream].im);
}

static void weigh(attempt *t, double metric)
{
    const uint32_t bits = (uint32_t)lround(log2(t->points));
    const double weight = exp(-metric / t->noise_variance);
    for (uint32_t s = 0; s < t->streams; s++)
        for (uint32_t b = 0; b < bits; b++)
            t->sums[s * bits + b][t->labels[s] >> (bits - 1 - b) & 1] += weight;
}

/* Labels rise, stream 0's slowest, so that the smaller label vector wins a tie. */
static void try_all(attempt *t, uint32_t stream, double before, const pair *towards)
{
    for (uint32_t label = 0; label < t->points; label++) {
        const double metric = before + with(t, stream, label, towards);
        t->labels[stream] = label;
        if (stream + 1 < t->streams) {
            pair next[MOST_STREAMS] = { { 0 } };
            for (uint32_t k = stream + 1; k < t->streams; k++) {
                const pair g = t->gram[k][stream];
                next[k].re = towards[k].re - g.re * t->re[label] + g.im * t->im[label];
                next[k].im = towards[k].im - g.re * t->im[label] - g.im * t->re[label];
            }
            try_all(t, stream + 1, metric, next);
            continue;
        }
        if (metric < t->metric) {
            t->metric = metric;
            memcpy(t->best, t->labels, sizeof t->best);
        }
        if (t->sums)
            weigh(t, metric);
    }
}

static void set_up(attempt *t, const detector_data *data)
{
    double point[2];
    memset(t, 0, sizeof *t);
    t->streams = data->config.transmit;
    t->points = clr_detector_stream_points(&data->config, 0);
    t->noise_variance = data->noise_variance;
    assert_true(t->streams <= MOST_STREAMS && t->points <= MOST_POINTS);
    for (uint32_t label = 0; label < t->points; label++) {
        assert_ok(clradio_modulation_point(data->config.modulation, label, 0, point));
        t->re[label] = point[0];
        t->im[label] = point[1];
    }
}

detector_answers *detector_exhausted_answers(const detector_data *data)
{
    attempt t;
    pair towards[MOST_STREAMS];
    detector_answers *answers = detector_new_answers(data);
    set_up(&t, data);
    for (uint64_t n = 0; n < data->count; n++) {
        const double power = begin(&t, data, n, towards);
        t.metric = INFINITY;
        try_all(&t, 0, 0, towards);
        memcpy(answers->labels + n * t.streams, t.best, t.streams * sizeof *t.best);
        answers->metric[n] = (float)fmax(power + t.metric, 0);
        answers->status[n] = CLRADIO_DETECTED_EXACT;
    }
    return answers;
}

void detector_log_map(const detector_data *data, uint64_t n, double *llr)
{
    attempt t;
    pair towards[MOST_STREAMS];
    double sums[MOST_STREAMS * 8][2] = { { 0 } };
    set_up(&t, data);
    t.metric = INFINITY;
    t.sums = sums;
    const double power = begin(&t, data, n, towards);
    try_all(&t, 0, power, towards);
    for (uint32_t b = 0; b < clradio_detector_bits(&data->config); b++)
        llr[b] = log(sums[b][0] / sums[b][1]);
}
