/* What the detector's test programs share. */
#include "detector_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t test_vectors(uint64_t short_run, uint64_t long_run)
{
    const char *given = getenv("CLRADIO_TEST_VECTORS");
    const uint64_t vectors = given ? strtoull(given, NULL, 10) : 0;
    return !test_long() ? short_run : vectors ? vectors : long_run;
}

int is_exact_everywhere(clradio_device *device)
{
    return clr_device_info(device)->fp64 && clr_device_loop_rounds(device) == UINT64_MAX;
}

static double gaussian(uint64_t *seed)
{
    const double u = ((double)(test_random(seed) >> 11) + 1) * 0x1p-53;
    const double v = (double)(test_random(seed) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(6.28318530717958647692 * v);
}

static void *zeros(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    assert_non_null(memory);
    return memory;
}

clradio_detector_config detector_config(uint32_t transmit, uint32_t receive,
                                        clradio_modulation modulation, uint64_t vectors)
{
    clradio_detector_config config = CLRADIO_DETECTOR_CONFIG_INIT;
    config.transmit = transmit;
    config.receive = receive;
    config.modulation = modulation;
    config.vectors = vectors;
    return config;
}

static void point_of(const clradio_detector_config *config, uint32_t stream, uint32_t label,
                     double point[2])
{
    const clradio_modulation modulation = clr_detector_modulation(config, stream);
    if (modulation != CLRADIO_ALPHABET) {
        assert_ok(clradio_modulation_point(
            modulation, label, (config->flags & CLRADIO_DETECTOR_ODD_INTEGER) != 0, point));
        return;
    }
    point[0] = config->alphabet[2 * label];
    point[1] = config->alphabet[2 * label + 1];
}

/* A covariance matrix n0 (A A^H + 1/10), and a noise vector of it. */
static void colour(uint32_t rx, double n0, uint64_t *seed, float *covariance)
{
    double a[64][64][2];
    for (uint32_t i = 0; i < rx; i++)
        for (uint32_t j = 0; j < rx; j++) {
            a[i][j][0] = gaussian(seed) / sqrt(2.0 * rx);
            a[i][j][1] = gaussian(seed) / sqrt(2.0 * rx);
        }
    for (uint32_t i = 0; i < rx; i++)
        for (uint32_t j = 0; j < rx; j++) {
            double re = i == j ? 0.1 : 0, im = 0;
            for (uint32_t k = 0; k < rx; k++) {
                re += a[i][k][0] * a[j][k][0] + a[i][k][1] * a[j][k][1];
                im += a[i][k][1] * a[j][k][0] - a[i][k][0] * a[j][k][1];
            }
            covariance[2 * (i * rx + j)] = (float)(n0 * re);
            covariance[2 * (i * rx + j) + 1] = (float)(n0 * im);
        }
}

static void fill_noise(detector_data *data, uint64_t *seed)
{
    const clradio_detector_config *config = &data->config;
    const size_t matrix = 2 * (size_t)config->receive * config->receive;
    const uint64_t count = config->noise == CLRADIO_NOISE_COVARIANCE           ? 1
                           : config->noise == CLRADIO_NOISE_COVARIANCE_CHANNEL ? data->channels
                                                                               : data->count;
    const int per_real = (config->flags & CLRADIO_DETECTOR_NOISE_PER_REAL) != 0;
    if (config->noise == CLRADIO_NOISE_PER_VECTOR) {
        data->noise = zeros(data->count, sizeof *data->noise);
        for (uint64_t n = 0; n < data->count; n++)
            data->noise[n] = (float)(data->noise_variance * (per_real ? 0.5 : 1));
    }
    if (config->noise >= CLRADIO_NOISE_COVARIANCE) {
        data->noise = zeros(count, matrix * sizeof *data->noise);
        for (uint64_t n = 0; n < count; n++)
            colour(config->receive, data->noise_variance, seed, data->noise + n * matrix);
    }
    if (per_real)
        data->noise_variance /= 2;
}

detector_data *detector_random(const clradio_detector_config *config, double snr_db, uint64_t seed)
{
    detector_data *data = zeros(1, sizeof *data);
    const uint32_t rx = config->receive, tx = config->transmit;
    assert_ok(clr_detector_check_config(config, &data->config));
    data->count = config->vectors;
    data->channels = clradio_detector_channels(config, data->count);
    data->received = zeros(2 * data->count * rx, sizeof(float));
    data->channel = zeros(2 * data->channels * rx * tx, sizeof(float));
    data->sent = zeros(data->count * tx, sizeof *data->sent);
    double energy = 0;
    for (uint32_t s = 0; s < tx; s++) {
        const uint32_t points = clr_detector_stream_points(config, s);
        double point[2];
        for (uint32_t label = 0; label < points; label++) {
            point_of(config, s, label, point);
            energy += (point[0] * point[0] + point[1] * point[1]) / points;
        }
    }
    data->noise_variance = energy / pow(10, snr_db / 10);
    for (uint64_t n = 0; n < 2 * data->channels * rx * tx; n++)
        data->channel[n] = (float)(gaussian(&seed) * sqrt(0.5));
    for (uint64_t n = 0; n < data->count; n++) {
        const uint64_t c = config->vectors_per_channel ? n / config->vectors_per_channel : 0;
        for (uint32_t s = 0; s < tx; s++)
            data->sent[n * tx + s] =
                (uint32_t)test_random_between(&seed, 0, clr_detector_stream_points(config, s) - 1);
        for (uint32_t i = 0; i < rx; i++) {
            double re = gaussian(&seed) * sqrt(data->noise_variance / 2);
            double im = gaussian(&seed) * sqrt(data->noise_variance / 2), point[2];
            for (uint32_t s = 0; s < tx; s++) {
                const float *h = data->channel + 2 * ((c * rx + i) * tx + s);
                point_of(config, s, data->sent[n * tx + s], point);
                re += h[0] * point[0] - h[1] * point[1];
                im += h[0] * point[1] + h[1] * point[0];
            }
            data->received[2 * (n * rx + i)] = (float)re;
            data->received[2 * (n * rx + i) + 1] = (float)im;
        }
    }
    fill_noise(data, &seed);
    return data;
}

void detector_data_free(detector_data *data)
{
    free(data->received);
    free(data->channel);
    free(data->noise);
    free(data->prior);
    free(data->sent);
    free(data);
}

detector_answers *detector_new_answers(const detector_data *data)
{
    detector_answers *answers = zeros(1, sizeof *answers);
    const uint64_t bits = data->count * clradio_detector_bits(&data->config);
    answers->labels = zeros(data->count * data->config.transmit, sizeof *answers->labels);
    answers->bits = zeros(bits, 1);
    answers->llr = zeros(bits, sizeof *answers->llr);
    answers->status = zeros(data->count, 1);
    answers->metric = zeros(data->count, sizeof *answers->metric);
    answers->nodes = zeros(data->count, sizeof *answers->nodes);
    return answers;
}

void detector_answers_free(detector_answers *answers)
{
    free(answers->labels);
    free(answers->bits);
    free(answers->llr);
    free(answers->status);
    free(answers->metric);
    free(answers->nodes);
    free(answers);
}

/* Labels and LLRs as numbers from the interface's bytes. */
static void widen(const detector_data *data, const void *symbols, const void *llr,
                  detector_answers *answers)
{
    const uint64_t labels = data->count * data->config.transmit;
    const uint64_t bits = data->count * clradio_detector_bits(&data->config);
    const int wide = clradio_detector_symbol_bytes(&data->config) == 2;
    for (uint64_t n = 0; n < labels; n++)
        answers->labels[n] = wide ? ((const uint16_t *)symbols)[n] : ((const uint8_t *)symbols)[n];
    for (uint64_t n = 0; llr && n < bits; n++)
        answers->llr[n] = data->config.llr_type == CLRADIO_I8 ? ((const int8_t *)llr)[n]
                                                              : ((const float *)llr)[n];
}

detector_answers *detector_reference_answers(const detector_data *data, int soft)
{
    detector_answers *answers = detector_new_answers(data);
    const uint64_t bits = data->count * clradio_detector_bits(&data->config);
    clradio_detector_host_io io = CLRADIO_DETECTOR_HOST_IO_INIT;
    void *symbols = zeros(data->count * data->config.transmit, 2), *llr = zeros(bits, 4);
    io.received = data->received;
    io.channel = data->channel;
    io.noise = data->noise;
    io.prior = data->prior;
    io.noise_variance = data->noise_variance;
    io.symbols = symbols;
    io.llr = soft ? llr : NULL;
    io.bits = answers->bits;
    io.status = answers->status;
    io.metric = answers->metric;
    io.nodes = answers->nodes;
    clr_detector_reference_run(&data->config, &io, 0, data->count, 0);
    widen(data, symbols, io.llr, answers);
    free(symbols);
    free(llr);
    return answers;
}

/* ---- a call ---- */

enum { GUARD = 64, POISON = 0x5a };

typedef struct place {
    clradio_span *span;
    const void *input; /* or NULL: an output */
    void *output;
    uint64_t bytes, offset;
} place;

static void put(clradio_device *device, clradio_queue *queue, const place *p)
{
    const uint64_t all = p->offset + p->bytes + GUARD;
    if (!p->input && !p->output)
        return;
    assert_ok(clradio_buffer_create(device, all, &p->span->buffer));
    assert_ok(clradio_buffer_fill(queue, (clradio_span){ p->span->buffer, 0 }, POISON, all, 0, NULL,
                                  NULL));
    p->span->offset = p->offset;
    if (p->input && p->bytes)
        assert_ok(clradio_buffer_write(queue, *p->span, p->input, p->bytes, 0, NULL, NULL));
}

static void get(clradio_queue *queue, const place *p)
{
    const uint64_t all = p->offset + p->bytes + GUARD;
    if (p->output) {
        unsigned char *memory = zeros(all, 1);
        assert_ok(clradio_buffer_read(queue, (clradio_span){ p->span->buffer, 0 }, memory, all, 0,
                                      NULL, NULL));
        for (uint64_t n = 0; n < all; n++)
            if (n < p->offset || n >= p->offset + p->bytes)
                assert_int_equal(memory[n], POISON);
        memcpy(p->output, memory + p->offset, p->bytes);
        free(memory);
    }
    clradio_buffer_destroy(p->span->buffer);
}

static uint64_t noise_bytes(const detector_data *data)
{
    const uint64_t matrix = 8 * (uint64_t)data->config.receive * data->config.receive;
    switch (data->config.noise) {
    case CLRADIO_NOISE_PER_VECTOR: return 4 * data->count;
    case CLRADIO_NOISE_COVARIANCE: return matrix;
    case CLRADIO_NOISE_COVARIANCE_CHANNEL: return matrix * data->channels;
    case CLRADIO_NOISE_COVARIANCE_VECTOR: return matrix * data->count;
    default: return 0;
    }
}

detector_answers *detector_device_answers(clradio_device *device, clradio_detector *plan,
                                          const detector_data *data, int soft)
{
    detector_answers *answers = detector_new_answers(data);
    const uint64_t n = data->count, tx = data->config.transmit, rx = data->config.receive;
    const uint64_t bits = n * clradio_detector_bits(&data->config);
    const uint64_t symbol = clradio_detector_symbol_bytes(&data->config);
    const uint64_t llr_bytes = data->config.llr_type == CLRADIO_I8 ? 1 : 4;
    void *symbols = zeros(n * tx, 2), *llr = zeros(bits, 4);
    clradio_queue *queue;
    clradio_detector_io io = CLRADIO_DETECTOR_IO_INIT;
    const place places[] = {
        { &io.received, data->received, NULL, 8 * n * rx, 24 },
        { &io.channel, data->channel, NULL, 8 * data->channels * rx * tx, 8 },
        { &io.noise, data->noise, NULL, noise_bytes(data), 4 },
        { &io.prior, data->prior, NULL, 4 * bits, 12 },
        { &io.symbols, NULL, symbols, n * tx * symbol, symbol },
        { &io.bits, NULL, answers->bits, bits, 3 },
        { &io.llr, NULL, soft ? llr : NULL, bits * llr_bytes, 4 },
        { &io.metric, NULL, answers->metric, 4 * n, 4 },
        { &io.status, NULL, answers->status, n, 1 },
        { &io.nodes, NULL, answers->nodes, 4 * n, 8 },
        { &io.statistics, NULL, &answers->statistics, sizeof answers->statistics, 8 },
        { &io.launch_report, NULL, clr_launch_walks(plan->config.launch) ? answers->report : NULL,
          sizeof answers->report, 4 },
    };
    assert_ok(clradio_queue_create(device, 0, &queue));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        put(device, queue, &places[i]);
    io.noise_variance = data->noise_variance;
    io.vectors_count = n;
    assert_ok(clradio_detector_enqueue(plan, queue, &io, 0, NULL, NULL));
    assert_ok(clradio_queue_finish(queue));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        get(queue, &places[i]);
    widen(data, symbols, soft ? llr : NULL, answers);
    clradio_queue_destroy(queue);
    free(symbols);
    free(llr);
    return answers;
}

uint64_t detector_compare_exact_at(const detector_data *data, const detector_answers *got,
                                   const detector_answers *wanted, const char *file, int line)
{
    const uint32_t tx = data->config.transmit;
    uint64_t exact = 0;
    for (uint64_t n = 0; n < data->count; n++) {
        if (got->status[n] != CLRADIO_DETECTED_EXACT || wanted->status[n] != CLRADIO_DETECTED_EXACT)
            continue;
        exact++;
        for (uint32_t s = 0; s < tx; s++)
            if (got->labels[n * tx + s] != wanted->labels[n * tx + s]) {
                fprintf(stderr,
                        "# %ux%u %s, vector %llu, stream %u: label %u, the reference's is %u "
                        "(metrics %.9g and %.9g, nodes %u and %u)\n",
                        tx, data->config.receive,
                        clradio_modulation_name(clr_detector_modulation(&data->config, s)),
                        (unsigned long long)n, s, got->labels[n * tx + s],
                        wanted->labels[n * tx + s], (double)got->metric[n],
                        (double)wanted->metric[n], got->nodes[n], wanted->nodes[n]);
                _fail(file, line);
            }
    }
    return exact;
}

int detector_expect_exact(clradio_device *device, const clradio_detector_config *config,
                          double snr_db, uint64_t seed)
{
    clradio_detector *plan;
    const clradio_status status = clradio_detector_create(device, config, &plan);
    if (status == CLRADIO_ERROR_UNSUPPORTED)
        return 0;
    assert_ok(status);
    detector_data *data = detector_random(config, snr_db, seed);
    detector_answers *got = detector_device_answers(device, plan, data, 0);
    detector_answers *wanted = detector_reference_answers(data, 0);
    const uint64_t exact = detector_compare_exact(data, got, wanted);
    if (is_exact_everywhere(device))
        assert_int_equal(exact, data->count);
    clradio_detector_destroy(plan);
    detector_answers_free(got);
    detector_answers_free(wanted);
    detector_data_free(data);
    return 1;
}

uint64_t detector_bit_errors(const detector_data *data, const detector_answers *answers)
{
    uint64_t errors = 0;
    for (uint64_t n = 0; n < data->count * data->config.transmit; n++)
        for (uint32_t x = data->sent[n] ^ answers->labels[n]; x; x &= x - 1)
            errors++;
    return errors;
}

detector_answers *detector_answers_of(clradio_device *device, const clradio_detector_config *config,
                                      const detector_data *data, int soft)
{
    clradio_detector *plan;
    assert_ok(clradio_detector_create(device, config, &plan));
    detector_answers *answers = detector_device_answers(device, plan, data, soft);
    clradio_detector_destroy(plan);
    return answers;
}

void detector_assert_same(const detector_data *data, const detector_answers *a,
                          const detector_answers *b)
{
    const size_t count = data->count;
    assert_memory_equal(a->labels, b->labels, count * data->config.transmit * sizeof(uint32_t));
    assert_memory_equal(a->metric, b->metric, count * sizeof(float));
    assert_memory_equal(a->nodes, b->nodes, count * sizeof(uint32_t));
    assert_memory_equal(a->status, b->status, count);
    assert_memory_equal(a->statistics.by_status, b->statistics.by_status,
                        sizeof a->statistics.by_status);
    assert_int_equal(a->statistics.again, b->statistics.again);
}
