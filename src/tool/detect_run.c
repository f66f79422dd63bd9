/* clradio detect: the engine, the answer into a file, errors counted where the truth is known. */
#include "tool/detect.h"

#include "base/checked.h"
#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    clr_detect_job *job;
    clradio_device *device;
    clradio_detector *plan;
    uint32_t symbol_bytes, bits; /* of a label; of a vector */
    clradio_detector_host_io io;
    clradio_detector_statistics *statistics;
    double seconds;
} run;

static void *room(uint64_t count, uint64_t each, size_t bytes)
{
    uint64_t all;
    return clr_mul_u64(count, each, &all) && clr_mul_u64(all, bytes, &all) && all < SIZE_MAX / 2
               ? malloc(all ? (size_t)all : 1)
               : NULL;
}

static clradio_status make_arrays(run *r)
{
    const clr_detect_job *job = r->job;
    const clr_detect_request *request = job->request;
    clradio_detector_host_io *io = &r->io;
    uint64_t n = job->vectors;
    *io = (clradio_detector_host_io)CLRADIO_DETECTOR_HOST_IO_INIT;
    r->symbol_bytes = clradio_detector_symbol_bytes(&job->config);
    r->bits = clradio_detector_bits(&job->config);
    io->received = job->y;
    io->channel = job->h;
    io->noise = job->noise;
    io->prior = job->prior;
    io->noise_variance = job->noise_kind == CLRADIO_NOISE_VARIANCE ? job->noise_variance : 0;
    io->vectors_count = n;
    io->flags = request->device_only ? CLRADIO_DETECTOR_DEVICE_ONLY : 0;
    io->symbols = room(n, job->transmit, r->symbol_bytes);
    io->status = room(n, 1, 1);
    io->metric = room(n, 1, sizeof(float));
    io->nodes = room(n, 1, sizeof(uint32_t));
    io->bits = request->bits ? room(n, r->bits, 1) : NULL;
    io->llr = request->soft ? room(n, r->bits, request->llr_type ? 1 : sizeof(float)) : NULL;
    io->statistics = r->statistics = calloc(1, sizeof *r->statistics);
    if (io->symbols && io->status && io->metric && io->nodes && io->statistics &&
        (io->bits || !request->bits) && (io->llr || !request->soft))
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the answer of %" PRIu64 " vectors", n);
}

static clradio_status compute(run *r)
{
    clradio_status status = clradio_device_open(r->job->request->device, &r->device);
    if (!status)
        status = clradio_detector_create(r->device, &r->job->config, &r->plan);
    if (!status)
        status = make_arrays(r);
    double started = clr_steady_seconds();
    if (!status)
        status = clradio_detector_run(r->plan, &r->io);
    r->seconds = clr_steady_seconds() - started;
    return status;
}

static clradio_status add(clr_arrays_writer *writer, const char *name, clr_element element,
                          uint64_t vectors, uint64_t columns, const char *axis, const void *values)
{
    clr_arrays_layout layout = { .name = name,
                                 .element = element,
                                 .rank = axis ? 2 : 1,
                                 .size = { vectors, columns },
                                 .axis = { "vector", axis } };
    return clr_arrays_add(writer, &layout, values);
}

/* A .npy file holds the symbols, or the LLRs where they were asked for; others everything. */
static clradio_status write_answer(const run *r)
{
    const clr_detect_job *job = r->job;
    const clr_detect_request *request = job->request;
    static const char *const formats[] = { NULL, "npy", "npz", "hdf5", "mat", "mat7.3" };
    const char *dot = strrchr(request->output, '.');
    int alone = request->format ? request->format == 1 : dot && !strcmp(dot, ".npy");
    clr_element symbol = r->symbol_bytes == 1 ? CLR_ELEMENT_U8 : CLR_ELEMENT_U16;
    clr_element llr = request->llr_type ? CLR_ELEMENT_I8 : CLR_ELEMENT_F32;
    clr_arrays_writer *writer;
    clradio_status status = clr_arrays_create(request->output, formats[request->format], &writer);
    if (status)
        return status;
    uint64_t n = job->vectors;
    if (!alone || !request->soft)
        status = add(writer, "symbols", symbol, n, job->transmit, "stream", r->io.symbols);
    if (!status && request->soft)
        status = add(writer, "llr", llr, n, r->bits, "bit", r->io.llr);
    if (!status && !alone && request->bits)
        status = add(writer, "bits", CLR_ELEMENT_U8, n, r->bits, "bit", r->io.bits);
    if (!status && !alone)
        status = add(writer, "metric", CLR_ELEMENT_F32, n, 1, NULL, r->io.metric);
    if (!status && !alone)
        status = add(writer, "status", CLR_ELEMENT_U8, n, 1, NULL, r->io.status);
    if (!status && !alone)
        status = add(writer, "nodes", CLR_ELEMENT_U32, n, 1, NULL, r->io.nodes);
    if (!status)
        return clr_arrays_commit(writer);
    clr_arrays_abandon(writer);
    return status;
}

static uint64_t label_at(const run *r, uint64_t at)
{
    return r->symbol_bytes == 1 ? ((const uint8_t *)r->io.symbols)[at]
                                : ((const uint16_t *)r->io.symbols)[at];
}

static void print_errors(const run *r)
{
    const clr_detect_job *job = r->job;
    uint64_t symbols = 0, bits = 0, vectors = 0;
    for (uint64_t v = 0; v < job->vectors; v++) {
        uint64_t before = symbols;
        for (uint64_t i = v * job->transmit; i < (v + 1) * job->transmit; i++) {
            uint64_t wrong = label_at(r, i) ^ (uint64_t)job->truth[i];
            symbols += wrong != 0;
            bits += (uint64_t)__builtin_popcountll(wrong);
        }
        vectors += symbols > before;
    }
    double n = (double)job->vectors;
    printf("errors: symbols %.4f (%" PRIu64 "), bits %.4g (%" PRIu64 "), vectors %.4f (%" PRIu64
           ")\n",
           (double)symbols / n / job->transmit, symbols, (double)bits / n / r->bits, bits,
           (double)vectors / n, vectors);
}

static void print_summary(const run *r)
{
    const clr_detect_job *job = r->job;
    const clradio_detector_statistics *s = r->statistics;
    const char *output = job->request->output;
    clradio_detector_info info = CLRADIO_DETECTOR_INFO_INIT;
    clradio_detector_get_info(r->plan, &info);
    double n = (double)s->vectors;
    printf("%" PRIu64 " vectors of %u streams at %u antennas, %s, %.3f s, %.4g vectors/s, "
           "%s%s%s (%s)%s%s\n",
           s->vectors, job->transmit, job->receive,
           clradio_detector_method_name(job->config.method), r->seconds,
           r->seconds > 0 ? n / r->seconds : 0, info.variant, *info.parameters ? " " : "",
           info.parameters, info.reason, output ? " -> " : "", output ? output : "");
    if (job->config.method == CLRADIO_DETECTOR_SPHERE || job->config.method == CLRADIO_DETECTOR_ML)
        printf("exact: %.6g %%; searched again: %.4g %%, of these for a thin margin: %.4g %%\n",
               100 * (double)s->by_status[CLRADIO_DETECTED_EXACT] / n, 100 * (double)s->again / n,
               100 * (double)s->thin / n);
    if (s->nodes)
        printf("nodes: mean %.4g, median %" PRIu64 ", 99 %% %" PRIu64 ", 99.9 %% %" PRIu64
               ", most %" PRIu64 "\n",
               (double)s->nodes / n, clradio_detector_percentile(s, 0.5),
               clradio_detector_percentile(s, 0.99), clradio_detector_percentile(s, 0.999),
               s->nodes_most);
    if (job->truth)
        print_errors(r);
}

/* What is not as it should be. */
static clr_exit conclude(const run *r)
{
    const clradio_detector_statistics *s = r->statistics;
    uint64_t budget = s->by_status[CLRADIO_DETECTED_BUDGET];
    uint64_t thin = s->by_status[CLRADIO_DETECTED_THIN];
    uint64_t invalid = s->by_status[CLRADIO_DETECTED_INVALID];
    if (budget)
        clr_note("%" PRIu64
                 " vectors spent their node budget: their symbols are the best found, not "
                 "certified (status 1)",
                 budget);
    if (thin)
        clr_note("%" PRIu64 " vectors have a margin below the rounding (status 2)", thin);
    if (invalid)
        return clr_say(CLR_EXIT_DAMAGED,
                       "%" PRIu64 " of %" PRIu64 " vectors have input that is not finite, or a "
                       "covariance that is not positive definite (status 4); the others are whole",
                       invalid, s->vectors);
    return CLR_EXIT_OK;
}

/* Labels beyond the alphabet cannot be counted against. */
static clr_exit check_truth(const clr_detect_job *job)
{
    for (uint64_t i = 0; job->truth && i < job->vectors * job->transmit; i++) {
        uint32_t points = job->alphabet
                              ? job->alphabet_size
                              : 1u << clradio_modulation_bits(job->modulations[i % job->transmit]);
        if (job->truth[i] < 0 || job->truth[i] >= points)
            return clr_say(CLR_EXIT_DAMAGED,
                           "detect: the label %lld that was sent is not one of %u",
                           (long long)job->truth[i], points);
    }
    return CLR_EXIT_CARRY_ON;
}

clr_exit clr_detect_run(clr_detect_job *job)
{
    run r = { .job = job };
    clr_exit answer = check_truth(job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clradio_status status = compute(&r);
    if (!status && job->request->output)
        status = write_answer(&r);
    if (!status)
        print_summary(&r);
    answer = status ? clr_say_engine(status) : conclude(&r);
    void *owned[] = { r.io.symbols, r.io.status, r.io.metric, r.io.nodes,
                      r.io.bits,    r.io.llr,    r.statistics };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        free(owned[k]);
    clradio_detector_destroy(r.plan);
    clradio_device_close(r.device);
    return answer;
}
