/* clradio sinr: the engine piece by piece, the ratios into a file, and what is said of them. */
#include "tool/sinr.h"

#include "base/checked.h"
#include "base/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* How many ratios lie in each 1/20 dB, for the percentiles. */
enum { LEAST_DB = -200, MOST_DB = 300, BINS_A_DB = 20 };
enum { BINS = (MOST_DB - LEAST_DB) * BINS_A_DB };

typedef struct run {
    clr_sinr_job *job;
    clradio_device *device;
    clradio_sinr *plan;
    clr_arrays_writer *writer;
    clr_sinr_verdict verdict;
    uint64_t ratios, bad;
    uint64_t bins[BINS];
    double seconds; /* of the engine, from host memory to host memory */
} run;

static clradio_status begin_output(run *r)
{
    const clr_sinr_job *job = r->job;
    const clr_sinr_request *request = job->request;
    static const char *const formats[] = { NULL, "npy", "npz", "hdf5", "mat", "mat7.3" };
    clr_arrays_layout layout = { .name = request->decibels ? "sinr_db" : "sinr" };
    if (!request->output)
        return CLRADIO_OK;
    layout.element = job->config.type == CLRADIO_CF64 ? CLR_ELEMENT_F64 : CLR_ELEMENT_F32;
    for (unsigned k = 0; k < job->kept; k++) {
        const char *name = job->axis[job->kept_axis[k]];
        layout.axis[layout.rank] = *name ? name : NULL;
        layout.size[layout.rank++] = job->size[job->kept_axis[k]];
    }
    layout.axis[layout.rank] = "stream";
    layout.size[layout.rank++] = job->config.streams;
    clradio_status status =
        clr_arrays_create(request->output, formats[request->format], &r->writer);
    return status ? status : clr_arrays_begin(r->writer, &layout);
}

/* Counts the ratios, and makes decibels of them where they are written so. */
static void look_at(run *r, void *sinr, uint64_t count)
{
    float *single = sinr;
    double *twice = sinr;
    const int is_double = r->job->config.type == CLRADIO_CF64;
    for (uint64_t n = 0; n < count; n++) {
        const double db = 10 * log10(is_double ? twice[n] : (double)single[n]);
        if (!isnan(db)) {
            const double bin = (db - LEAST_DB) * BINS_A_DB;
            r->bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (int)bin]++;
            r->ratios++;
        }
        if (r->job->request->decibels && is_double)
            twice[n] = db;
        else if (r->job->request->decibels)
            single[n] = (float)db;
    }
}

static clradio_status do_piece(run *r, uint64_t first, uint64_t rows)
{
    const clradio_sinr_config *config = &r->job->config;
    clradio_sinr_host_io io = CLRADIO_SINR_HOST_IO_INIT;
    clr_sinr_piece piece;
    uint32_t bad = 0;
    clradio_status status = clr_sinr_read(r->job, first, rows, &piece);
    const uint64_t count = piece.problems * config->streams;
    io.outer = piece.problems;
    io.inner = 1;
    io.serving = piece.serving;
    io.interfering = config->interferers ? piece.interfering : NULL;
    io.bad = &bad;
    io.sinr = malloc((size_t)(count * clradio_type_bytes(config->type) / 2));
    if (!status && !io.sinr)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %" PRIu64 " ratios", count);
    const double started = clr_steady_seconds();
    if (!status)
        status = clradio_sinr_run(r->plan, &io);
    r->seconds += clr_steady_seconds() - started;
    r->bad += bad;
    if (!status && r->job->request->verify)
        status = clr_sinr_verify(config, &piece, io.sinr, &r->verdict);
    if (!status)
        look_at(r, io.sinr, count);
    if (!status && r->writer)
        status = clr_arrays_append(r->writer, io.sinr, count);
    free(io.sinr);
    clr_sinr_piece_free(&piece);
    return status;
}

static clradio_status do_all(run *r)
{
    const uint64_t all = r->job->size[0], each = clr_sinr_rows(r->job);
    clr_progress progress;
    clradio_status status = CLRADIO_OK;
    clr_progress_begin(&progress, "combining", "entries", all);
    for (uint64_t first = 0; first < all && !status; first += each) {
        status = do_piece(r, first, clr_min_u64(each, all - first));
        clr_progress_update(&progress, clr_min_u64(first + each, all));
        if (!status && clr_interrupted())
            status = clr_fail(CLRADIO_ERROR_INTERRUPTED, "interrupted");
    }
    clr_progress_end(&progress);
    return status;
}

/* The ratio that so many per cent are below, dB. */
static double percentile(const run *r, double percent)
{
    const double wanted = (double)r->ratios * percent / 100;
    uint64_t sum = 0;
    int bin = 0;
    for (; bin < BINS - 1; bin++)
        if ((double)(sum += r->bins[bin]) >= wanted && sum)
            break;
    return LEAST_DB + (bin + 0.5) / BINS_A_DB;
}

static void print_summary(const run *r)
{
    const clradio_sinr_config *config = &r->job->config;
    const char *output = r->job->request->output;
    printf("%" PRIu64 " ratios of %u x %u antennas, %u interfering streams, N0 %.4g, %s", r->ratios,
           config->receive, config->streams, config->interferers, config->noise,
           config->method == CLRADIO_SINR_MRC ? "MRC" : "MMSE");
    if (r->ratios)
        printf(": 5 %% below %.1f dB, half below %.1f dB, 95 %% below %.1f dB", percentile(r, 5),
               percentile(r, 50), percentile(r, 95));
    printf("; %.3f s%s%s\n", r->seconds, output ? " -> " : "", output ? output : "");
}

static clr_exit conclude(run *r, clradio_status status)
{
    const clr_sinr_verdict *v = &r->verdict;
    clr_exit answer = CLR_EXIT_OK;
    if (status == CLRADIO_ERROR_INTERRUPTED)
        answer = clr_say(CLR_EXIT_INTERRUPTED, "interrupted%s",
                         r->writer ? "; no file was written" : "");
    else if (status)
        answer = clr_say_engine(status);
    else if (v->wrong)
        answer = clr_say(CLR_EXIT_FAILED,
                         "the verification failed: %" PRIu64 " of %" PRIu64
                         " ratios are wrong, one by %.3g times its bound",
                         v->wrong, v->checked, v->worst);
    else if (r->job->request->verify)
        printf("verified: %" PRIu64 " ratios, the largest error %.3g of its bound, the largest "
               "difference %.2g dB\n",
               v->checked, v->worst, v->difference);
    if (!status)
        print_summary(r);
    if (answer != CLR_EXIT_OK) {
        clr_arrays_abandon(r->writer);
        return answer;
    }
    status = r->writer ? clr_arrays_commit(r->writer) : CLRADIO_OK;
    if (status)
        return clr_say_status(status);
    return r->bad ? clr_say(CLR_EXIT_DAMAGED,
                            "%" PRIu64 " matrices are not finite, or too large against the noise "
                            "for this arithmetic: their ratios are not a number, the others are "
                            "whole",
                            r->bad)
                  : CLR_EXIT_OK;
}

clr_exit clr_sinr_run(clr_sinr_job *job)
{
    run *r = calloc(1, sizeof *r);
    if (!r)
        return clr_say(CLR_EXIT_FAILED, "no memory");
    r->job = job;
    clradio_status status = clradio_device_open(job->request->device, &r->device);
    if (!status)
        status = clradio_sinr_create(r->device, &job->config, &r->plan);
    if (!status)
        status = begin_output(r);
    if (!status)
        status = do_all(r);
    const clr_exit answer = conclude(r, status);
    clradio_sinr_destroy(r->plan);
    clradio_device_close(r->device);
    free(r);
    return answer;
}
