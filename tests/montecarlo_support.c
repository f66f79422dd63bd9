/* What the tests of the Monte-Carlo engine share. */
#include "montecarlo_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, POISON = 0xa7 };

clradio_montecarlo_config generate_only(uint32_t transmit, uint32_t receive,
                                        clradio_modulation modulation, uint64_t vectors)
{
    clradio_montecarlo_config config = CLRADIO_MONTECARLO_CONFIG_INIT;
    config.flags = CLRADIO_MONTECARLO_GENERATE_ONLY;
    config.seed = 0x123456789abcdef0u;
    config.detector.transmit = transmit;
    config.detector.receive = receive;
    config.detector.modulation = modulation;
    config.detector.vectors = vectors;
    return config;
}

static void *taken(uint64_t bytes)
{
    void *memory = malloc((size_t)bytes + 1);
    assert_non_null(memory);
    memset(memory, POISON, (size_t)bytes + 1);
    return memory;
}

static made_vectors room_for(const clradio_montecarlo *plan, uint64_t count)
{
    const clr_montecarlo_link *link = &plan->link;
    return (made_vectors){ count, taken(count * link->transmit * 2),
                           taken(count * link->elements * 8), taken(count * link->elements * 8),
                           taken(count * link->receive * 8) };
}

/* A poisoned buffer with a guard on both sides of the array. */
static clradio_span guarded(clradio_device *device, clradio_queue *queue, uint64_t bytes)
{
    clradio_span span = { NULL, GUARD };
    assert_ok(clradio_buffer_create(device, bytes + 2 * GUARD, &span.buffer));
    assert_ok(clradio_buffer_fill(queue, (clradio_span){ span.buffer, 0 }, POISON,
                                  bytes + 2 * GUARD, 0, NULL, NULL));
    return span;
}

static void read_guarded(clradio_queue *queue, clradio_span span, void *to, uint64_t bytes)
{
    unsigned char guards[2 * GUARD];
    assert_ok(
        clradio_buffer_read(queue, (clradio_span){ span.buffer, 0 }, guards, GUARD, 0, NULL, NULL));
    assert_ok(clradio_buffer_read(queue, (clradio_span){ span.buffer, GUARD + bytes },
                                  guards + GUARD, GUARD, 0, NULL, NULL));
    for (int i = 0; i < 2 * GUARD; i++)
        assert_int_equal(guards[i], POISON);
    if (bytes)
        assert_ok(clradio_buffer_read(queue, span, to, bytes, 0, NULL, NULL));
    clradio_buffer_destroy(span.buffer);
}

made_vectors make_on_device(clradio_device *device, clradio_montecarlo *plan, uint32_t point,
                            double noise_variance, uint64_t first, uint64_t count)
{
    const clr_montecarlo_link *link = &plan->link;
    made_vectors made = room_for(plan, count);
    const uint64_t labels = count * link->transmit, elements = count * link->elements;
    clradio_queue *queue;
    assert_ok(clradio_queue_create(device, 0, &queue));
    clradio_montecarlo_io io = CLRADIO_MONTECARLO_IO_INIT;
    io.symbols = guarded(device, queue, labels * link->symbol_bytes);
    io.channel = guarded(device, queue, elements * 8);
    io.estimate = guarded(device, queue, elements * 8);
    io.received = guarded(device, queue, count * link->receive * 8);
    io.point = point;
    io.noise_variance = noise_variance;
    io.first_vector = first;
    io.vectors_count = count;
    assert_ok(clradio_montecarlo_enqueue(plan, queue, &io, 0, NULL, NULL));
    read_guarded(queue, io.symbols, made.symbols, labels * link->symbol_bytes);
    read_guarded(queue, io.channel, made.channel, elements * 8);
    read_guarded(queue, io.estimate, made.estimate, elements * 8);
    read_guarded(queue, io.received, made.received, count * link->receive * 8);
    for (uint64_t i = labels; link->symbol_bytes == 1 && i-- > 0;)
        made.symbols[i] = ((const uint8_t *)made.symbols)[i];
    clradio_queue_destroy(queue);
    return made;
}

made_vectors make_on_host(clradio_montecarlo *plan, uint32_t point, double noise_variance,
                          uint64_t first, uint64_t count)
{
    const clr_montecarlo_link *link = &plan->link;
    made_vectors made = room_for(plan, count);
    for (uint64_t v = 0; v < count; v++)
        assert_ok(clradio_montecarlo_vector(
            plan, point, noise_variance, first + v, made.symbols + v * link->transmit,
            made.channel + 2 * v * link->elements, made.estimate + 2 * v * link->elements,
            made.received + 2 * v * link->receive));
    return made;
}

void free_vectors(made_vectors *vectors)
{
    free(vectors->symbols);
    free(vectors->channel);
    free(vectors->estimate);
    free(vectors->received);
    *vectors = (made_vectors){ 0 };
}

void assert_same_vectors(const clradio_montecarlo *plan, const made_vectors *a,
                         const made_vectors *b)
{
    const clr_montecarlo_link *link = &plan->link;
    const size_t n = (size_t)a->count;
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->symbols, b->symbols, n * link->transmit * 2);
    assert_memory_equal(a->channel, b->channel, n * link->elements * 8);
    assert_memory_equal(a->estimate, b->estimate, n * link->elements * 8);
    assert_memory_equal(a->received, b->received, n * link->receive * 8);
}

clradio_montecarlo *montecarlo_plan(clradio_device *device, const clradio_montecarlo_config *config)
{
    clradio_montecarlo *plan;
    assert_ok(clradio_montecarlo_create(device, config, &plan));
    return plan;
}

/* ---- measured points ---- */

/* Not on Mesa's rusticl: this program ends in its allocator there (22.3.6, a corrupted list inside
 * of clEnqueueNDRangeKernel) after some plans. The cause is not known; single runs of clradio ber
 * are right there.
 */
clradio_device *montecarlo_runs_on(void **state)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    clradio_device *device = device_under_test(state);
    assert_ok(clradio_device_describe(device, &info));
    if (strstr(info.platform, "rusticl"))
        skip();
    return device;
}

clradio_montecarlo_config montecarlo_link(uint32_t transmit, uint32_t receive,
                                          clradio_modulation modulation, uint64_t vectors)
{
    clradio_montecarlo_config config = generate_only(transmit, receive, modulation, vectors);
    config.flags = 0;
    config.seed = 7;
    return config;
}

clradio_montecarlo_point montecarlo_point(const clradio_montecarlo_config *config, double rx_db)
{
    clradio_montecarlo_point point = CLRADIO_MONTECARLO_POINT_INIT;
    clradio_snr snr;
    assert_ok(clradio_snr_from(CLRADIO_SNR_RX, rx_db, config->detector.transmit, 1, &snr));
    point.point = (uint32_t)(int32_t)lrint(rx_db * 1000);
    point.noise_variance = snr.noise_variance;
    point.max_seconds = 0;
    return point;
}

clradio_montecarlo_point montecarlo_measured(clradio_device *device,
                                             const clradio_montecarlo_config *config,
                                             clradio_montecarlo_point point)
{
    clradio_montecarlo *plan;
    assert_ok(clradio_montecarlo_create(device, config, &plan));
    assert_ok(clradio_montecarlo_run(plan, &point));
    clradio_montecarlo_destroy(plan);
    return point;
}
