/* What the channel DFT's test programs share. */
#include "dft_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };

int dft_has_fp64(clradio_device *device)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    return info.fp64;
}

clradio_dft_config dft_config(clradio_type type, uint32_t subcarriers)
{
    clradio_dft_config config = CLRADIO_DFT_CONFIG_INIT;
    config.type = type;
    config.subcarriers = subcarriers;
    config.sample_period_s = 1 / 30.72e6;
    config.time_step_s = 1e-3;
    return config;
}

static double real_random(uint64_t *seed)
{
    return (double)(int64_t)test_random(seed) * 0x1p-63;
}

static void *room(uint64_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    assert_non_null(memory);
    return memory;
}

static void fill_tap_arrays(dft_problem *p, uint64_t *seed)
{
    const uint64_t count = p->counts.gains + p->counts.taps;
    const int seconds = p->config.delay == CLRADIO_DELAY_SECONDS;
    p->delays = room(count * 8);
    p->rates = room(count * 8);
    for (uint64_t n = 0; n < count; n++) {
        const int negative = test_random(seed) % 5 == 0;
        const double delay = fabs(real_random(seed)) * (negative ? -1 : 1);
        if (seconds)
            ((double *)p->delays)[n] = 5e-6 * delay;
        else
            ((int32_t *)p->delays)[n] = (int32_t)(150 * delay);
        p->rates[n] = 500 * real_random(seed);
    }
}

void dft_fill(dft_problem *p, uint64_t time_steps, uint64_t seed)
{
    p->counts = (clradio_dft_counts)CLRADIO_DFT_COUNTS_INIT;
    assert_ok(clradio_dft_count(&p->config, &p->sizes, &p->counts));
    const uint64_t gains = 2 * p->counts.gains * (p->config.rates ? 1 : time_steps);
    p->gains = room(gains * 8);
    for (uint64_t n = 0; n < gains; n++)
        if (p->config.type == CLRADIO_CF64)
            ((double *)p->gains)[n] = real_random(&seed);
        else
            ((float *)p->gains)[n] = (float)real_random(&seed);
    fill_tap_arrays(p, &seed);
    p->status = room(p->counts.paths * sizeof *p->status);
    p->io = (clradio_dft_host_io)CLRADIO_DFT_HOST_IO_INIT;
    p->io.sizes = &p->sizes;
    p->io.time_steps = time_steps;
    p->io.gains = p->gains;
    p->io.delays = p->delays;
    p->io.rates = p->rates;
    p->io.response = room(p->counts.response * time_steps * 16);
}

void dft_uniform(dft_problem *p, uint64_t beams, uint64_t links, uint64_t paths, uint64_t taps)
{
    p->sizes = (clradio_dft_sizes)CLRADIO_DFT_SIZES_INIT;
    p->sizes.beams = beams;
    p->sizes.links_per_beam = links;
    p->sizes.paths_per_link = paths;
    p->sizes.taps_per_link = taps;
}

static uint64_t *offsets(uint64_t *seed, uint64_t count, uint64_t most)
{
    uint64_t *sums = room((count + 1) * sizeof *sums);
    sums[0] = 0;
    for (uint64_t n = 0; n < count; n++)
        sums[n + 1] =
            sums[n] +
            (test_random(seed) % 6 ? (uint64_t)test_random_between(seed, 0, (int64_t)most) : 0);
    return sums;
}

void dft_ragged(dft_problem *p, uint64_t *seed, uint64_t beams, uint64_t most_links,
                uint64_t most_paths, uint64_t most_taps)
{
    p->sizes = (clradio_dft_sizes)CLRADIO_DFT_SIZES_INIT;
    p->sizes.beams = beams;
    p->sizes.beam_links = p->beam_links = offsets(seed, beams, most_links);
    const uint64_t links = p->beam_links[beams];
    p->sizes.link_paths = p->link_paths = offsets(seed, links, most_paths);
    p->sizes.link_taps = p->link_taps = offsets(seed, links, most_taps);
}

void dft_free(dft_problem *p)
{
    free(p->beam_links);
    free(p->link_paths);
    free(p->link_taps);
    free(p->frequencies);
    free(p->gains);
    free(p->delays);
    free(p->rates);
    free(p->status);
    free(p->report);
    free(p->io.response);
    memset(p, 0, sizeof *p);
}

/* An array at an offset in a buffer of its own. */
static clradio_span make_span(clradio_device *device, clradio_queue *queue, const void *from,
                              uint64_t bytes)
{
    clradio_span span = { NULL, GUARD };
    assert_ok(clradio_buffer_create(device, bytes + 2 * GUARD, &span.buffer));
    if (from && bytes)
        assert_ok(clradio_buffer_write(queue, span, from, bytes, 0, NULL, NULL));
    if (!from)
        assert_ok(clradio_buffer_fill(queue, (clradio_span){ span.buffer, 0 }, 0xa5,
                                      bytes + 2 * GUARD, 0, NULL, NULL));
    return span;
}

/* Reads what make_span poisoned, after checking what lies around it. */
static void read_span(clradio_queue *queue, clradio_span span, void *to, uint64_t bytes)
{
    unsigned char *all = room(bytes + 2 * GUARD);
    assert_ok(clradio_buffer_read(queue, (clradio_span){ span.buffer, 0 }, all, bytes + 2 * GUARD,
                                  0, NULL, NULL));
    for (size_t n = 0; n < GUARD; n++)
        if (all[n] != 0xa5 || all[GUARD + bytes + n] != 0xa5)
            fail_msg("something was written beside the output");
    memcpy(to, all + GUARD, bytes);
    free(all);
}

void dft_call(clradio_device *device, clradio_dft *plan, dft_problem *p)
{
    const uint64_t element = clradio_type_bytes(p->config.type);
    const uint64_t steps = p->io.time_steps;
    const uint64_t per_tap = p->counts.gains + p->counts.taps;
    clradio_dft_io io = CLRADIO_DFT_IO_INIT;
    clradio_dft_layout *layout;
    clradio_queue *queue;
    uint32_t bad = 0;
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_dft_layout_create(plan, &p->sizes, &layout));
    io.layout = layout;
    io.time_steps = steps;
    io.gains = make_span(device, queue, p->gains,
                         p->counts.gains * element * (p->config.rates ? 1 : steps));
    io.delays = make_span(device, queue, p->delays,
                          per_tap * (p->config.delay == CLRADIO_DELAY_SECONDS ? 8 : 4));
    io.rates = make_span(device, queue, p->rates, per_tap * 8);
    io.response = make_span(device, queue, NULL, p->counts.response * steps * element);
    io.status = make_span(device, queue, NULL, p->counts.paths * 4);
    io.bad_paths = make_span(device, queue, NULL, 4);
    assert_ok(clradio_buffer_write(queue, io.bad_paths, &bad, 4, 0, NULL, NULL));
    if (p->report)
        io.launch_report = make_span(device, queue, NULL, (3 + p->counts.links) * 4);
    assert_ok(clradio_dft_enqueue(plan, queue, &io, 0, NULL, NULL));
    assert_ok(clradio_queue_finish(queue));
    read_span(queue, io.response, p->io.response, p->counts.response * steps * element);
    read_span(queue, io.status, p->status, p->counts.paths * 4);
    read_span(queue, io.bad_paths, &bad, 4);
    if (p->report)
        read_span(queue, io.launch_report, p->report, (3 + p->counts.links) * 4);
    p->bad_paths = bad;
    clradio_buffer *const buffers[] = { io.gains.buffer,        io.delays.buffer,
                                        io.rates.buffer,        io.response.buffer,
                                        io.status.buffer,       io.bad_paths.buffer,
                                        io.launch_report.buffer };
    for (size_t n = 0; n < sizeof buffers / sizeof *buffers; n++)
        clradio_buffer_destroy(buffers[n]);
    clradio_dft_layout_destroy(layout);
    clradio_queue_destroy(queue);
}

static void say_problem(const dft_problem *p, const clradio_dft_info *info)
{
    const clradio_dft_config *c = &p->config;
    fprintf(stderr,
            "# %s %s (%s), delay %d per %d, rates per %d, %u subcarriers%s, average %u, origin %d, "
            "order %d, normalisation %d, %llu links, %llu paths, most taps %llu, %llu time steps\n",
            info->variant, info->parameters, clradio_type_name(c->type), (int)c->delay,
            (int)c->delays, (int)c->rates, c->subcarriers, c->frequencies_hz ? " listed" : "",
            c->average, (int)c->origin, (int)c->order, (int)c->normalisation,
            (unsigned long long)p->counts.links, (unsigned long long)p->counts.paths,
            (unsigned long long)p->counts.most_taps, (unsigned long long)p->io.time_steps);
}

void dft_expect_reference_at(clradio_device *device, dft_problem *p, const char *file, int line)
{
    const uint64_t bytes =
        p->counts.response * p->io.time_steps * clradio_type_bytes(p->config.type);
    clradio_dft *plan;
    clradio_dft_info info = CLRADIO_DFT_INFO_INIT;
    clr_dft_verdict verdict;
    assert_ok_at(clradio_dft_create(device, &p->config, &plan), "clradio_dft_create", file, line);
    assert_ok(clradio_dft_get_info(plan, &info));
    dft_call(device, plan, p);
    assert_ok(clr_dft_check(&p->config, &p->io, info.error_bound, &verdict));
    if (verdict.wrong) {
        say_problem(p, &info);
        fprintf(stderr, "# %llu of %llu wrong, worst %g times the bound: %s\n",
                (unsigned long long)verdict.wrong, (unsigned long long)verdict.checked,
                verdict.worst, verdict.sentence);
        _fail(file, line);
    }
    void *before = room(bytes);
    memcpy(before, p->io.response, bytes);
    dft_call(device, plan, p);
    if (bytes && memcmp(before, p->io.response, bytes) != 0) {
        say_problem(p, &info);
        fprintf(stderr, "# a second call gave other bits\n");
        _fail(file, line);
    }
    if (getenv("CLRADIO_TEST_WORST"))
        fprintf(stderr, "# worst %.3f of the bound: %s taps %llu\n", verdict.worst, info.variant,
                (unsigned long long)p->counts.most_taps);
    free(before);
    clradio_dft_destroy(plan);
}
