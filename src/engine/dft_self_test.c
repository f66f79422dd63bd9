/*
 * The known-answer test of a variant on a device before it serves there: random gains and delays,
 * links without taps, with one and with more than a launch does, paths that fill no tile, two time
 * steps, compared with the plain reference.
 */
#include "engine/dft_check.h"
#include "engine/dft_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 150, TIMES = 2, LINKS = 5 };

static const uint64_t link_paths[LINKS + 1] = { 0, 3, 3, 4, 6, 25 };

typedef struct problem {
    clradio_dft_config config;
    clradio_dft_sizes sizes;
    clradio_dft_counts counts;
    clradio_dft_host_io io;
    uint64_t link_taps[LINKS + 1];
    void *gains, *delays, *response;
    double *rates;
} problem;

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32;
}

/* In [-1, 1). */
static double next_real(uint64_t *state)
{
    return (double)(int32_t)(uint32_t)next(state) * 0x1p-31;
}

static void fill(problem *p)
{
    uint64_t state = 12345;
    const uint64_t gains = 2 * TIMES * p->counts.gains, delays = p->counts.gains + p->counts.taps;
    for (uint64_t n = 0; n < gains; n++)
        if (p->config.type == CLRADIO_CF64)
            ((double *)p->gains)[n] = next_real(&state);
        else
            ((float *)p->gains)[n] = (float)next_real(&state);
    for (uint64_t n = 0; n < delays; n++) {
        const double x = next_real(&state);
        if (p->config.delay == CLRADIO_DELAY_SECONDS)
            ((double *)p->delays)[n] = 3e-6 * x;
        else
            ((int32_t *)p->delays)[n] = (int32_t)(40 * x);
        p->rates[n] = 200 * next_real(&state);
    }
}

static clradio_status make_problem(problem *p, const clradio_dft_config *config, uint64_t taps)
{
    memset(p, 0, sizeof *p);
    p->config = *config;
    p->config.memory_limit = 0;
    if (clr_dft_values(config) > MOST_VALUES)
        p->config.subcarriers = MOST_VALUES * config->average;
    p->sizes = (clradio_dft_sizes)CLRADIO_DFT_SIZES_INIT;
    const uint64_t link_taps[LINKS] = { taps, 3, 0, 1, taps / 2 + 1 };
    for (size_t n = 0; n < LINKS; n++)
        p->link_taps[n + 1] = p->link_taps[n] + link_taps[n];
    p->sizes.beams = 1;
    p->sizes.links_per_beam = LINKS;
    p->sizes.link_paths = link_paths;
    p->sizes.link_taps = p->link_taps;
    p->counts = (clradio_dft_counts)CLRADIO_DFT_COUNTS_INIT;
    clradio_status status = clradio_dft_count(&p->config, &p->sizes, &p->counts);
    if (status)
        return status;
    const uint64_t delays = p->counts.gains + p->counts.taps;
    p->gains = malloc(TIMES * p->counts.gains * sizeof(double[2]));
    p->delays = malloc(delays * sizeof(double));
    p->rates = malloc(delays * sizeof(double));
    p->response = malloc(TIMES * p->counts.response * sizeof(double[2]));
    if (!p->gains || !p->delays || !p->rates || !p->response)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the channel DFT's self-test");
    fill(p);
    p->io = (clradio_dft_host_io)CLRADIO_DFT_HOST_IO_INIT;
    p->io.sizes = &p->sizes;
    p->io.time_steps = TIMES;
    p->io.gains = p->gains;
    p->io.delays = p->delays;
    p->io.rates = p->rates;
    p->io.response = p->response;
    return CLRADIO_OK;
}

static void free_problem(problem *p)
{
    free(p->gains);
    free(p->delays);
    free(p->rates);
    free(p->response);
}

static clradio_status make_array(clradio_device *device, clradio_queue *queue, uint64_t bytes,
                                 const void *from, clradio_span *span)
{
    clradio_status status = clradio_buffer_create(device, bytes, &span->buffer);
    if (!status)
        status = from ? clradio_buffer_write(queue, *span, from, bytes, 0, NULL, NULL)
                      : clradio_buffer_fill(queue, *span, 0x7f, bytes, 0, NULL, NULL);
    return status;
}

static clradio_status call(clradio_dft *test, clradio_queue *queue, const problem *p,
                           clradio_dft_io *io)
{
    const uint64_t element = clradio_type_bytes(p->config.type);
    const uint64_t delays = p->counts.gains + p->counts.taps;
    const uint64_t delay_bytes = p->config.delay == CLRADIO_DELAY_SECONDS ? 8 : 4;
    const uint64_t response_bytes = TIMES * p->counts.response * element;
    clradio_dft_layout *layout = NULL;
    clradio_device *device = test->device;
    clradio_status status = clradio_dft_layout_create(test, &p->sizes, &layout);
    io->layout = layout;
    io->time_steps = TIMES;
    if (!status)
        status = make_array(device, queue, TIMES * p->counts.gains * element, p->gains, &io->gains);
    if (!status)
        status = make_array(device, queue, delays * delay_bytes, p->delays, &io->delays);
    if (!status)
        status = make_array(device, queue, delays * 8, p->rates, &io->rates);
    if (!status)
        status = make_array(device, queue, response_bytes, NULL, &io->response);
    if (!status)
        status = clradio_dft_enqueue(test, queue, io, 0, NULL, NULL);
    if (!status)
        status = clradio_queue_finish(queue);
    if (!status)
        status =
            clradio_buffer_read(queue, io->response, p->response, response_bytes, 0, NULL, NULL);
    clradio_dft_layout_destroy(layout);
    return status;
}

static clradio_status compare(clradio_dft *test, const problem *p)
{
    clradio_dft_io io = CLRADIO_DFT_IO_INIT;
    clradio_queue *queue = NULL;
    clr_dft_verdict verdict;
    clradio_status status = clradio_queue_create(test->device, 0, &queue);
    if (!status)
        status = call(test, queue, p, &io);
    if (!status)
        status = clr_dft_check(
            &p->config, &p->io,
            test->candidate.variant->error_bound(&p->config, test->candidate.values), &verdict);
    if (!status && verdict.wrong)
        status = clr_fail(
            CLRADIO_ERROR_SELF_TEST, "the channel DFT's variant %s gives wrong values on %s: %s",
            test->candidate.variant->name, clr_device_info(test->device)->name, verdict.sentence);
    clradio_buffer_destroy(io.gains.buffer);
    clradio_buffer_destroy(io.delays.buffer);
    clradio_buffer_destroy(io.rates.buffer);
    clradio_buffer_destroy(io.response.buffer);
    clradio_queue_destroy(queue);
    return status;
}

static void make_key(const clradio_dft *plan, char *key, size_t room)
{
    const clradio_dft_config *config = &plan->config;
    char launch[160];
    clr_dft_launch_key(plan, launch, sizeof launch);
    /* what is an argument of the kernels, not part of their hashes */
    snprintf(key, room, "dft/%s/%d%d%d%d%d%d/%s/%s%s", plan->candidate.variant->name,
             config->absent_negative, (int)config->delays, (int)config->rates, (int)config->order,
             config->average > 1, (int)config->normalisation,
             plan->program ? clr_program_hash(plan->program) : "library",
             plan->link_program ? clr_program_hash(plan->link_program) : "-", launch);
}

clradio_status clr_dft_self_test(clradio_dft *plan, const clradio_dft_config *config)
{
    char key[512];
    int known, passed;
    problem p;
    clradio_dft *test = NULL;
    make_key(plan, key, sizeof key);
    clr_self_test_lookup(plan->device, key, &known, &passed);
    if (known)
        return passed
                   ? CLRADIO_OK
                   : clr_fail(CLRADIO_ERROR_SELF_TEST,
                              "the channel DFT's variant %s failed its self-test on %s before",
                              plan->candidate.variant->name, clr_device_info(plan->device)->name);
    clradio_status status = make_problem(&p, config, 37);
    if (!status)
        status = clr_dft_make(plan->device, &p.config, &plan->candidate, &test);
    if (!status)
        status = compare(test, &p);
    if (!status) {
        clr_program_proved(test->small_program);
        clr_program_proved(test->small_parent.program);
    }
    clradio_dft_destroy(test);
    free_problem(&p);
    if (!status || status == CLRADIO_ERROR_SELF_TEST)
        clr_self_test_record(plan->device, key, !status);
    if (!status && plan->program)
        clr_program_proved(plan->program);
    if (!status && plan->link_program)
        clr_program_proved(plan->link_program);
    if (!status)
        clr_program_proved(plan->parent.program);
    return status;
}
