/*
 * The known-answer test of a detector's kernels on a device before they serve there: random
 * channels and symbols, compared with the double reference. Vectors that are called exact must be
 * equal; another method's may differ where rounding decides.
 */
#include "engine/detector_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS = 40 };

typedef struct known {
    clradio_detector_config config;
    uint64_t vectors;
    float *received, *channel, *noise;
    uint8_t *symbols, *wanted, status[VECTORS], wanted_status[VECTORS];
} known;

static float uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)((double)(*state >> 40) * 0x1p-23 - 1);
}

static void fill(known *k)
{
    const clradio_detector_config *config = &k->config;
    const uint32_t rx = config->receive, tx = config->transmit;
    uint64_t state = 20261130;
    for (uint64_t n = 0; n < 2 * k->vectors * rx * tx; n++)
        k->channel[n] = uniform(&state);
    for (uint64_t n = 0; n < k->vectors; n++) {
        const uint64_t c = config->vectors_per_channel ? n / config->vectors_per_channel : 0;
        for (uint32_t i = 0; i < rx; i++) {
            float re = 0.05f * uniform(&state), im = 0.05f * uniform(&state);
            for (uint32_t s = 0; s < tx; s++) {
                const float *h = k->channel + 2 * ((c * rx + i) * tx + s);
                const float a = (n + s) % 3 ? 0.7f : -0.7f, b = (n + 2 * s) % 5 ? -0.7f : 0.7f;
                re += h[0] * a - h[1] * b;
                im += h[0] * b + h[1] * a;
            }
            k->received[2 * (n * rx + i)] = re;
            k->received[2 * (n * rx + i) + 1] = im;
        }
    }
    for (uint64_t n = 0; n < k->vectors * rx * rx; n++) /* the covariances: all 1 on the diagonal */
        k->noise[2 * n] = config->noise == CLRADIO_NOISE_PER_VECTOR ? 0.01f
                          : n % (rx * rx) % (rx + 1) == 0           ? 0.01f
                                                                    : 0;
    for (uint64_t n = 0; config->noise == CLRADIO_NOISE_PER_VECTOR && n < k->vectors; n++)
        k->noise[n] = 0.01f;
}

static clradio_status run_both(clradio_detector *test, known *k)
{
    clradio_detector_host_io io = CLRADIO_DETECTOR_HOST_IO_INIT;
    io.received = k->received;
    io.channel = k->channel;
    io.noise = k->noise;
    io.noise_variance = 0.01;
    io.vectors_count = k->vectors;
    io.flags = CLRADIO_DETECTOR_DEVICE_ONLY;
    io.symbols = k->symbols;
    io.status = k->status;
    clradio_status status = clradio_detector_run(test, &io);
    if (status)
        return status;
    io.symbols = k->wanted;
    io.status = k->wanted_status;
    clr_detector_reference_run(&test->config, &io, 0, k->vectors, 1 << 16);
    return CLRADIO_OK;
}

static clradio_status judge(const clradio_detector *test, const known *k)
{
    const size_t bytes = (size_t)test->config.transmit * test->shape.symbol_bytes;
    uint64_t differ = 0;
    for (uint64_t n = 0; n < k->vectors; n++) {
        const int same = memcmp(k->symbols + n * bytes, k->wanted + n * bytes, bytes) == 0;
        const int exact =
            k->status[n] == CLRADIO_DETECTED_EXACT && k->wanted_status[n] == CLRADIO_DETECTED_EXACT;
        if ((exact && !same) || k->status[n] > CLRADIO_DETECTED_METHOD)
            return clr_fail(CLRADIO_ERROR_SELF_TEST,
                            "the detector's variant %s gives wrong symbols on %s (vector %d)",
                            clr_detector_variant_name(test), clr_device_info(test->device)->name,
                            (int)n);
        differ += !same && k->status[n] == CLRADIO_DETECTED_METHOD;
    }
    return differ * 8 <= k->vectors
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_SELF_TEST,
                          "method %s gives symbols on %s that differ from the reference in %d of "
                          "%d vectors",
                          clr_detector_variant_name(test), clr_device_info(test->device)->name,
                          (int)differ, (int)k->vectors);
}

/* The reference tries every symbol vector one by one: few vectors where there are many. */
static uint64_t vectors_of(const clradio_detector *plan)
{
    double candidates = 1;
    for (uint32_t s = 0; s < plan->config.transmit; s++)
        candidates *= clr_detector_stream_points(&plan->config, s);
    return plan->config.method == CLRADIO_DETECTOR_ML && candidates > 1 << 14 ? 1 : VECTORS;
}

/* With node_budget 1 the second pass has most of the vectors. */
static clradio_status test_plan(clradio_detector *plan, uint64_t node_budget)
{
    known k = { .config = plan->config, .vectors = vectors_of(plan) };
    clradio_detector *test = NULL;
    const size_t rx = k.config.receive, tx = k.config.transmit, n = k.vectors;
    k.config.vectors = k.vectors;
    k.config.memory_limit = 0;
    k.config.node_budget = node_budget;
    char parameters[256], launch_parameters[128];
    clr_parameters_write(clr_detector_parameters, CLR_DETECTOR_PARAMETERS, plan->values, NULL,
                         parameters, sizeof parameters);
    clr_detector_launch_write(plan, launch_parameters, sizeof launch_parameters);
    k.config.parameters = parameters;
    k.config.launch_parameters = launch_parameters;
    k.config.variant = clr_detector_variant_name(plan);
    k.received = calloc(2 * n * rx, sizeof *k.received);
    k.channel = calloc(2 * n * rx * tx, sizeof *k.channel);
    k.noise = calloc(2 * n * rx * rx, sizeof *k.noise);
    k.symbols = malloc(n * tx * 2);
    k.wanted = malloc(n * tx * 2);
    clradio_status status = CLRADIO_OK;
    if (!k.received || !k.channel || !k.noise || !k.symbols || !k.wanted)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the detector's self-test");
    if (!status)
        status = clr_detector_make(plan->device, &k.config, &test);
    if (!status) {
        fill(&k);
        status = run_both(test, &k);
    }
    if (!status)
        status = judge(test, &k);
    clradio_detector_destroy(test);
    free(k.received);
    free(k.channel);
    free(k.noise);
    free(k.symbols);
    free(k.wanted);
    return status;
}

static const char *hash_of(const clr_program *program)
{
    return program ? clr_program_hash(program) : "none";
}

clradio_status clr_detector_self_test(clradio_detector *plan)
{
    char key[512], launch[128];
    int known, passed;
    clr_detector_launch_write(plan, launch, sizeof launch);
    snprintf(key, sizeof key, "detector/%s/%d/%.16s/%.16s/%.16s/%.16s/%s",
             clr_detector_variant_name(plan), (int)plan->config.noise,
             hash_of(plan->prepare_program), hash_of(plan->search_program),
             hash_of(plan->again_program), hash_of(plan->whiten_program), launch);
    clr_self_test_lookup(plan->device, key, &known, &passed);
    if (known)
        return passed
                   ? CLRADIO_OK
                   : clr_fail(CLRADIO_ERROR_SELF_TEST,
                              "the detector's variant %s failed its self-test on %s before",
                              clr_detector_variant_name(plan), clr_device_info(plan->device)->name);
    clradio_status status = test_plan(plan, plan->config.node_budget);
    if (!status && plan->parent)
        status = test_plan(plan, 1);
    if (!status || status == CLRADIO_ERROR_SELF_TEST)
        clr_self_test_record(plan->device, key, !status);
    if (!status)
        clr_detector_programs_proved(plan);
    return status;
}
