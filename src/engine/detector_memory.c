/* What a detector keeps on the device: the model of its streams, and scratch for a batch. */
#include "base/checked.h"
#include "engine/detector_internal.h"

#include <inttypes.h>
#include <math.h>

enum { MODEL_WORDS = 12 };
enum { BATCHES = 8 }; /* of a full call, with several sets */

static clradio_status take(clradio_detector *plan, uint64_t bytes, clradio_buffer **buffer)
{
    clradio_status status = clradio_buffer_create(plan->device, bytes ? bytes : 1, buffer);
    if (!status)
        plan->memory_bytes += bytes ? bytes : 1;
    return status;
}

/* A column's place among the bits of a vector, and the distance of its bits. */
static void place_bits(const clradio_detector *plan, uint32_t stream, uint32_t axis, uint32_t axes,
                       float *words)
{
    const uint32_t bits = clr_detector_stream_bits(&plan->config, stream);
    uint32_t first = 0;
    for (uint32_t other = 0; other < stream; other++)
        first += clr_detector_stream_bits(&plan->config, other);
    const int last_first = (plan->config.flags & CLRADIO_DETECTOR_LAST_BIT_FIRST) != 0;
    words[6] = (float)(last_first ? first + bits - 1 - axis : first + axis);
    words[7] = (float)(last_first ? -(int)axes : (int)axes);
}

/* An alphabet of one's own: points whose odd integers would reach as far, for the bound on
 * rounding. */
static float own_reach(const clradio_detector_config *config)
{
    float most = 0;
    for (uint32_t i = 0; i < 2 * config->alphabet_size; i++)
        most = fmaxf(most, fabsf(config->alphabet[i]));
    return ceilf(fminf(most, 1e9f)) + 1;
}

/* A double as three floats whose sum it is. */
static void split(double value, float *high, float *middle, float *low)
{
    *high = (float)value;
    *middle = (float)(value - (double)*high);
    *low = (float)(value - (double)*high - (double)*middle);
}

/* As cl/detector_common.cl describes it; an alphabet of one's own has its points behind. */
static clradio_status make_model(clradio_detector *plan)
{
    float words[2 * CLR_MOST_TRANSMIT * MODEL_WORDS + 2 * 1024] = { 0 };
    const clradio_detector_config *config = &plan->config;
    const int odd = (config->flags & CLRADIO_DETECTOR_ODD_INTEGER) != 0;
    uint32_t n = 0;
    clradio_queue *queue = NULL;
    for (uint32_t s = 0; s < config->transmit; s++) {
        const clradio_modulation modulation = clr_detector_modulation(config, s);
        const int own = modulation == CLRADIO_ALPHABET;
        uint32_t points[2];
        clr_modulation_axes(modulation, &points[0], &points[1]);
        const double scale = own ? 1 : clr_modulation_scale(modulation, odd);
        for (uint32_t axis = 0; axis < 2; axis++) {
            float *w = words + (size_t)n * MODEL_WORDS;
            if (!own && points[axis] < 2)
                continue;
            w[0] = (float)s;
            w[1] = (float)axis;
            w[2] = own ? own_reach(config) : (float)points[axis];
            split(scale * (modulation == CLRADIO_BPSK ? sqrt(0.5) : 1), w + 3, w + 8, w + 10);
            split(scale * (modulation == CLRADIO_BPSK ? sqrt(0.5) : 0), w + 4, w + 9, w + 11);
            w[5] = ((float)points[axis] * (float)points[axis] - 1) / 3;
            place_bits(plan, s, axis, own || points[1] > 1 ? 2 : 1, w);
            n++;
        }
    }
    for (uint32_t i = 0; plan->alphabet && i < 2 * config->alphabet_size; i++)
        words[n * MODEL_WORDS + i] = plan->alphabet[i];
    clradio_status status = take(plan, sizeof words, &plan->model);
    if (!status)
        status = clradio_queue_create(plan->device, 0, &queue);
    if (!status)
        status = clradio_buffer_write(queue, (clradio_span){ plan->model, 0 }, words, sizeof words,
                                      0, NULL, NULL);
    clradio_queue_destroy(queue);
    return status;
}

static uint64_t channel_bytes(const clradio_detector *plan)
{
    const uint64_t levels = plan->shape.levels;
    const uint64_t q = plan->shape.shared ? levels * 2 * plan->config.receive : 0;
    return 4 * (levels * (levels + 1) / 2 + (levels + 5) / 6 + 2 + q);
}

static uint64_t factor_bytes(const clradio_detector *plan)
{
    const uint64_t rx = plan->config.receive;
    return rx * (rx + 1) * (clr_device_info(plan->device)->fp64 ? 8 : 4);
}

/* The channels that a batch can touch: one more where it begins inside a channel's vectors. */
static uint64_t channels_of(const clradio_detector *plan, uint64_t batch)
{
    const uint64_t per = plan->config.vectors_per_channel;
    if (!plan->shape.shared)
        return batch;
    return per ? clr_min_u64(clr_ceil_div(batch, per) + 1,
                             clradio_detector_channels(&plan->config, plan->config.vectors))
               : 1;
}

static uint64_t factors_of(const clradio_detector *plan, uint64_t batch)
{
    const uint64_t per = plan->config.vectors_per_channel;
    if (!plan->shape.whitened || plan->shape.factors_for == 0)
        return plan->shape.whitened;
    if (plan->shape.factors_for == 2 || per == 1)
        return batch;
    return per ? clr_ceil_div(batch, per) + 1 : 1;
}

static uint64_t vector_bytes(const clradio_detector *plan)
{
    return 4 * (plan->shape.levels + 4);
}

static uint64_t sets_of(const clradio_detector *plan)
{
    return plan->prepare ? (uint64_t)plan->values[CLR_DETECTOR_SETS] : 1;
}

/* The lists that detector_again.c has beside that of the second pass. */
static uint64_t lists_of(const clradio_detector *plan)
{
    return !plan->parent ? 0 : plan->config.launch == CLRADIO_LAUNCH_EMULATED ? 2 : 1;
}

static clradio_status take_lists(clradio_detector *plan)
{
    clradio_buffer **const lists[] = { &plan->failed, &plan->started };
    clradio_status status = clr_launch_walks(plan->config.launch)
                                ? take(plan, CLR_DETECTOR_REPORT_BYTES, &plan->report)
                                : CLRADIO_OK;
    for (uint64_t i = 0; !status && i < lists_of(plan); i++)
        status = take(plan, 4 * plan->batch, lists[i]);
    return status;
}

static uint64_t left_bytes(const clradio_detector *plan, uint64_t batch)
{
    return plan->values[CLR_DETECTOR_DESCENT] ? 4 * (batch + 1) : 0;
}

/* Sets of what a decomposition leaves; lists once. */
static uint64_t bytes_for(const clradio_detector *plan, uint64_t batch)
{
    const uint64_t set =
        batch * vector_bytes(plan) + channels_of(plan, batch) * channel_bytes(plan) +
        factors_of(plan, batch) * factor_bytes(plan) + left_bytes(plan, batch) + batch * (1 + 4);
    return sets_of(plan) * set + batch * (4 + 4 * lists_of(plan));
}

static uint64_t step_words(const clradio_detector *plan)
{
    const uint64_t lanes = (uint64_t)plan->values[CLR_DETECTOR_CTA_SIZE];
    const uint64_t block = lanes * (uint64_t)plan->values[CLR_DETECTOR_REFILL];
    return clr_ceil_div(plan->batch, block) * lanes;
}

/* The largest batch that the room, and the device's largest buffer, allow. */
static clradio_status choose_batch(clradio_detector *plan)
{
    const clradio_device_info *device = clr_device_info(plan->device);
    const int cpu = device->kind == CLRADIO_DEVICE_CPU;
    const uint64_t limit = plan->config.memory_limit, fixed = 1 << 20;
    const uint64_t largest = device->max_allocation_bytes ? device->max_allocation_bytes : 1 << 30;
    uint64_t room = cpu ? 16 << 20 : 2048u << 20;
    if (device->memory_bytes)
        room = clr_min_u64(room, device->memory_bytes / 8);
    if (limit && limit < fixed + bytes_for(plan, 1))
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "memory_limit is %" PRIu64 " bytes; the detector needs at least %" PRIu64,
                        limit, fixed + bytes_for(plan, 1));
    if (limit)
        room = clr_min_u64(room, limit - fixed);
    plan->batch = clr_min_u64(plan->config.vectors, 1u << 24);
    if (sets_of(plan) > 1) /* so that there are batches to overlap */
        plan->batch = clr_min_u64(plan->batch, clr_ceil_div(plan->config.vectors, BATCHES));
    while (plan->batch > 1 && (bytes_for(plan, plan->batch) > room ||
                               channels_of(plan, plan->batch) * channel_bytes(plan) > largest ||
                               factors_of(plan, plan->batch) * factor_bytes(plan) > largest))
        plan->batch = (plan->batch + 1) / 2;
    return CLRADIO_OK;
}

static clradio_status take_sets(clradio_detector *plan)
{
    const uint64_t sets = sets_of(plan);
    const uint64_t channel = !plan->prepare ? 0 : plan->batch_channels * channel_bytes(plan),
                   vector = !plan->prepare ? 0 : plan->batch * vector_bytes(plan),
                   factor = plan->factors * factor_bytes(plan);
    clradio_status status = CLRADIO_OK;
    for (uint64_t i = 0; !status && i < sets; i++) {
        clr_detector_work *work = &plan->work[i];
        const struct {
            uint64_t bytes;
            clradio_buffer **buffer;
        } buffers[] = {
            { channel, &work->channel },    { vector, &work->vector },
            { factor, &work->factor },      { left_bytes(plan, plan->batch), &work->left },
            { plan->batch, &work->status }, { plan->batch * 4, &work->nodes }
        };
        for (size_t n = 0; !status && n < sizeof buffers / sizeof *buffers; n++)
            status = take(plan, buffers[n].bytes, buffers[n].buffer);
    }
    return !status && sets > 1 ? clradio_queue_create(plan->device, 0, &plan->side) : status;
}

clradio_status clr_detector_take_memory(clradio_detector *plan)
{
    clradio_status status = make_model(plan);
    if (!status)
        status = choose_batch(plan);
    if (status)
        return status;
    plan->batch_channels = channels_of(plan, plan->batch);
    plan->factors = factors_of(plan, plan->batch);
    const struct {
        uint64_t bytes;
        clradio_buffer **buffer;
    } buffers[] = {
        { plan->batch * 4, &plan->list },
        { 16, &plan->counters },
        { step_words(plan) * 4, &plan->steps },
        { CLR_DETECTOR_COUNT_GROUPS * 4 * CLR_DETECTOR_PARTIAL_WORDS, &plan->partials },
    };
    for (size_t i = 0; !status && i < sizeof buffers / sizeof *buffers; i++)
        status = take(plan, buffers[i].bytes, buffers[i].buffer);
    if (!status)
        status = take_lists(plan);
    return status ? status : take_sets(plan);
}
