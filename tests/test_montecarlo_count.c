/* What the Monte-Carlo engine counts on every device: errors, squares, nodes, statuses, exactly. */
#include "montecarlo_support.h"

#include <stdlib.h>
#include <string.h>

typedef struct counting {
    uint64_t vectors;
    uint32_t transmit, symbol_bytes;
    uint8_t *sent, *decided, *status;
    uint32_t *nodes;
} counting;

static unsigned label_of(const counting *c, const uint8_t *labels, uint64_t at)
{
    return c->symbol_bytes == 1 ? labels[at] : labels[2 * at] + 256u * labels[2 * at + 1];
}

static void count_on_host(const counting *c, uint64_t first, uint64_t count, uint64_t *row)
{
    memset(row, 0, CLR_MONTECARLO_SUMS * sizeof *row);
    for (uint64_t v = first; v < first + count; v++) {
        uint64_t bits = 0;
        for (uint32_t tx = 0; tx < c->transmit; tx++) {
            const uint64_t at = v * c->transmit + tx;
            unsigned difference = label_of(c, c->sent, at) ^ label_of(c, c->decided, at);
            row[1] += difference != 0;
            for (; difference; difference &= difference - 1)
                bits++;
        }
        row[0] += bits;
        row[2] += bits != 0;
        row[3] += bits * bits;
        row[4] += c->nodes[v];
        row[5 + (c->status[v] < 4 ? c->status[v] : 4)]++;
    }
}

static clradio_span written(clradio_device *device, clradio_queue *queue, const void *from,
                            uint64_t bytes)
{
    clradio_span span = { NULL, 0 };
    assert_ok(clradio_buffer_create(device, bytes, &span.buffer));
    assert_ok(clradio_buffer_write(queue, span, from, bytes, 0, NULL, NULL));
    return span;
}

static void assert_counts(clradio_device *device, clradio_montecarlo *plan, const counting *c)
{
    enum { ROWS = 4 };
    uint64_t got[ROWS + 1][CLR_MONTECARLO_SUMS], expected[CLR_MONTECARLO_SUMS];
    const uint64_t labels = c->vectors * c->transmit * c->symbol_bytes;
    const uint64_t rows = (c->vectors + CLRADIO_MONTECARLO_BLOCK - 1) / CLRADIO_MONTECARLO_BLOCK;
    memset(got, 0x5a, sizeof got);
    clradio_span sent = written(device, plan->queue, c->sent, labels);
    clradio_span decided = written(device, plan->queue, c->decided, labels);
    clradio_span status = written(device, plan->queue, c->status, c->vectors);
    clradio_span nodes = written(device, plan->queue, c->nodes, c->vectors * 4);
    clradio_span sums = written(device, plan->queue, got, sizeof got);
    assert_ok(clr_montecarlo_enqueue_count(plan, sent, decided, status, nodes, sums, c->vectors));
    assert_ok(clradio_buffer_read(plan->queue, sums, got, sizeof got, 0, NULL, NULL));
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t first = row * CLRADIO_MONTECARLO_BLOCK, left = c->vectors - first;
        count_on_host(c, first, left < CLRADIO_MONTECARLO_BLOCK ? left : CLRADIO_MONTECARLO_BLOCK,
                      expected);
        assert_memory_equal(got[row], expected, sizeof expected);
    }
    for (int i = 0; i < CLR_MONTECARLO_SUMS; i++)
        assert_true(got[rows][i] == 0x5a5a5a5a5a5a5a5au);
    clradio_buffer_destroy(sent.buffer);
    clradio_buffer_destroy(decided.buffer);
    clradio_buffer_destroy(status.buffer);
    clradio_buffer_destroy(nodes.buffer);
    clradio_buffer_destroy(sums.buffer);
}

static void errors_are_counted_exactly(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t sizes[] = { 1, 2, 255, 256, 257, 4095, 4096, 4097, 65535, 65537, 196608 };
    for (int wide = 0; wide < 2; wide++) {
        const uint32_t transmit = wide ? 3 : 5;
        clradio_montecarlo_config config =
            generate_only(transmit, 1, wide ? CLRADIO_QAM1024 : CLRADIO_QAM256, 196608);
        clradio_montecarlo *plan = montecarlo_plan(device, &config);
        for (int i = 0; i < (test_small() ? 6 : 11); i++) {
            counting c = { sizes[i], transmit, wide ? 2 : 1, NULL, NULL, NULL, NULL };
            const uint64_t labels = c.vectors * transmit * c.symbol_bytes;
            uint64_t seed = 50 + (uint64_t)i;
            c.sent = malloc(labels);
            c.decided = malloc(labels);
            c.status = malloc(c.vectors);
            c.nodes = malloc(c.vectors * 4);
            assert_true(c.sent && c.decided && c.status && c.nodes);
            for (uint64_t b = 0; b < labels; b++) {
                c.sent[b] = (uint8_t)test_random(&seed);
                const uint64_t r = test_random(&seed);
                c.decided[b] = r % 3 ? c.sent[b] : (uint8_t)(r >> 8);
            }
            for (uint64_t v = 0; v < c.vectors; v++) {
                c.status[v] = (uint8_t)(test_random(&seed) % 6);
                c.nodes[v] = (uint32_t)test_random(&seed); /* sums pass 32 bits */
            }
            assert_counts(device, plan, &c);
            free(c.sent);
            free(c.decided);
            free(c.status);
            free(c.nodes);
        }
        clradio_montecarlo_destroy(plan);
    }
}

int main(void)
{
    static const device_test tests[] = { DEVICE_TEST(errors_are_counted_exactly) };
    return run_device_tests("montecarlo_count", NULL, 0, tests, sizeof tests / sizeof *tests);
}
