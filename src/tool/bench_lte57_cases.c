/*
 * The experiments of clradio bench lte57: against the amount of work, the number of batches, the
 * number of streams, and the processor; the lines of their tables.
 */
#include "tool/bench_lte57.h"

#include "base/checked.h"
#include "base/progress.h"
#include "tool/options.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- jobs ---- */

clr_exit clr_lte57_make_job(clr_lte57 *bench, uint64_t users, uint64_t subcarriers,
                            clr_dft_job *job)
{
    clr_dft_request *request = &bench->request;
    request->links = users;
    request->subcarriers = subcarriers;
    *job = (clr_dft_job){ .request = request };
    clr_exit answer = clr_dft_make_taps(job);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_dft_configure(job);
    bench->sum = 0;
    if (answer != CLR_EXIT_CARRY_ON)
        clr_dft_job_free(job);
    return answer;
}

double clr_lte57_outputs(const clr_dft_job *job)
{
    return (double)job->taps.paths * job->config.subcarriers;
}

void clr_lte57_keep(clr_lte57 *bench, int experiment, double x, double seconds, double outputs)
{
    clr_lte57_series *series = &bench->series[experiment];
    if (series->count < CLR_LTE57_POINTS) {
        series->x[series->count] = x;
        series->seconds[series->count] = seconds;
        series->outputs[series->count++] = outputs;
    }
}

clr_json *clr_lte57_json(clr_lte57 *bench, int experiment, const char *what,
                         const clr_bench_times *times, double outputs)
{
    static const char *const names[] = { "size",     "batches", "streams",     "processor",
                                         "launches", "memory",  "link streams" };
    if (!bench->json)
        return NULL;
    clr_json *row = clr_json_add_object(bench->json_rows, NULL);
    clr_json_add_text(row, "experiment", names[experiment]);
    clr_json_add_text(row, "case", what);
    clr_json_add_real(row, "outputs", outputs);
    clr_json_add_real(row, "seconds", times->median);
    clr_json_add_real(row, "gsubcarriers_per_second", outputs / times->median / 1e9);
    return row;
}

void clr_lte57_say(clr_lte57 *bench, int experiment, const char *what, double x,
                   const clr_bench_times *times, double outputs)
{
    printf("%16s %10.3f %10.3f %10.3f %14.4g\n", what, times->median * 1e3, times->least * 1e3,
           times->most * 1e3, outputs / times->median / 1e9);
    fflush(stdout);
    clr_lte57_keep(bench, experiment, x, times->median, outputs);
    clr_lte57_json(bench, experiment, what, times, outputs);
}

void clr_lte57_say_head(const char *title, const char *first)
{
    printf("\n%s\n%16s %10s %10s %10s %14s\n", title, first, "median ms", "least", "most",
           "Gsubcarriers/s");
}

/* ---- the experiments ---- */

static clr_exit against_size(clr_lte57 *bench)
{
    static const uint64_t parts[] = { 16, 8, 4, 2, 1 };
    clr_lte57_say_head("1. amount of work: 50 subcarriers, more and more users", "outputs");
    for (size_t k = 0; k < CLR_COUNT_OF(parts); k++) {
        clr_dft_job job;
        clr_bench_times times;
        char what[32];
        const uint64_t users = clr_ceil_div(bench->users, parts[k]);
        if (k && users == clr_ceil_div(bench->users, parts[k - 1]))
            continue; /* so few that the parts are the same */
        clr_exit answer = clr_lte57_make_job(bench, users, 50, &job);
        if (answer != CLR_EXIT_CARRY_ON)
            return answer;
        clradio_status status = clr_lte57_measure(bench, &job, 0, bench->streams, 0, &times);
        snprintf(what, sizeof what, "%.0f", clr_lte57_outputs(&job));
        if (!status)
            clr_lte57_say(bench, CLR_LTE57_SIZE, what, clr_lte57_outputs(&job), &times,
                          clr_lte57_outputs(&job));
        clr_dft_job_free(&job);
        if (status)
            return clr_say_engine(status);
    }
    return CLR_EXIT_CARRY_ON;
}

static clr_exit against_batches(clr_lte57 *bench, const clr_dft_job *job)
{
    char title[96];
    snprintf(title, sizeof title, "2. batches: %u subcarriers, %.0f outputs, %u streams",
             job->config.subcarriers, clr_lte57_outputs(job), bench->streams);
    clr_lte57_say_head(title, "batches");
    for (uint64_t batches = 1; batches <= 64 && batches <= bench->users; batches *= 2) {
        clr_bench_times times;
        char what[32];
        clradio_status status = clr_lte57_measure(bench, job, batches, bench->streams, 0, &times);
        snprintf(what, sizeof what, "%llu", (unsigned long long)batches);
        if (status == CLRADIO_ERROR_LIMIT || status == CLRADIO_ERROR_DEVICE_MEMORY) {
            printf("%16s does not fit: %s\n", what, clradio_last_error());
            continue;
        }
        if (status)
            return clr_say_engine(status);
        clr_lte57_say(bench, CLR_LTE57_BATCHES, what, (double)batches, &times,
                      clr_lte57_outputs(job));
    }
    return CLR_EXIT_CARRY_ON;
}

static clr_exit against_streams(clr_lte57 *bench, const clr_dft_job *job)
{
    char title[120];
    uint64_t batches = clr_min_u64(32, bench->users);
    snprintf(title, sizeof title,
             "3. streams: %u subcarriers in %llu batches, the processor sums |H|^2 of each",
             job->config.subcarriers, (unsigned long long)batches);
    clr_lte57_say_head(title, "streams");
    for (unsigned streams = 1; streams <= 32; streams *= 2) {
        clr_bench_times times;
        char what[32];
        clradio_status status = clr_lte57_measure(bench, job, batches, streams, 1, &times);
        snprintf(what, sizeof what, "%u", streams);
        if (status)
            return clr_say_engine(status);
        clr_lte57_say(bench, CLR_LTE57_STREAMS, what, streams, &times, clr_lte57_outputs(job));
    }
    return CLR_EXIT_CARRY_ON;
}

/* The plain reference on one core over the first users, and the largest error of the device on
 * them. */
static clr_exit against_processor(clr_lte57 *bench)
{
    clr_dft_job job;
    clr_bench_times times, device;
    uint64_t users = clr_min_u64(bench->users, bench->quick ? 2 : 8);
    clr_exit answer = clr_lte57_make_job(bench, users, 50, &job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_lte57_say_head("4. processor against device: 50 subcarriers", "who");
    double seconds[3], *response = malloc((size_t)clr_lte57_outputs(&job) * 16);
    clradio_dft_host_io io = CLRADIO_DFT_HOST_IO_INIT;
    io.sizes = &job.sizes;
    io.gains = job.taps.gains;
    io.delays = job.taps.delays;
    io.response = response;
    clradio_status status =
        response ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the reference");
    for (int k = 0; k < 3 && !status; k++) {
        double started = clr_steady_seconds();
        status = clradio_dft_reference(&job.config, &io);
        seconds[k] = clr_steady_seconds() - started;
    }
    double outputs = clr_lte57_outputs(&job);
    if (!status) {
        clr_bench_summarise(seconds, 3, &times);
        clr_lte57_say(bench, CLR_LTE57_PROCESSOR, "C, one core", 0, &times, outputs);
    }
    free(response);
    clr_dft_job_free(&job);
    if (status)
        return clr_say_engine(status);
    answer = clr_lte57_make_job(bench, bench->users, 50, &job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    status = clr_lte57_measure(bench, &job, 0, bench->streams, 0, &device);
    if (!status) {
        clr_lte57_say(bench, CLR_LTE57_PROCESSOR, "device", 1, &device, clr_lte57_outputs(&job));
        printf("the device is %.3g times as fast as one core (measured on %llu of %llu users)\n",
               clr_lte57_outputs(&job) / device.median / (outputs / times.median),
               (unsigned long long)users, (unsigned long long)bench->users);
    }
    clr_dft_job_free(&job);
    return status ? clr_say_engine(status) : CLR_EXIT_CARRY_ON;
}

/* The first users through clradio dft --verify's comparison. */
static clr_exit check_values(clr_lte57 *bench)
{
    clr_dft_job job;
    clr_exit answer = clr_lte57_make_job(bench, clr_min_u64(bench->users, 4), 50, &job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    bench->request.verify = 1;
    printf("\nthe first users again: ");
    fflush(stdout);
    answer = clr_dft_run(&job);
    clr_dft_job_free(&job);
    return answer;
}

/* Batches, streams or both of the large job. */
static clr_exit against_large(clr_lte57 *bench, int batches, int streams)
{
    clr_dft_job large;
    clr_exit answer = clr_lte57_make_job(bench, bench->users, bench->quick ? 300 : 1200, &large);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    if (batches)
        answer = against_batches(bench, &large);
    if (streams && answer == CLR_EXIT_CARRY_ON)
        answer = against_streams(bench, &large);
    clr_dft_job_free(&large);
    return answer;
}

clr_exit clr_lte57_experiments(clr_lte57 *bench, int experiment)
{
    clr_exit answer = CLR_EXIT_CARRY_ON;
    const int batches = !experiment || experiment == 1 + CLR_LTE57_BATCHES;
    const int streams = !experiment || experiment == 1 + CLR_LTE57_STREAMS;
    if (!experiment || experiment == 1 + CLR_LTE57_SIZE)
        answer = against_size(bench);
    if (answer == CLR_EXIT_CARRY_ON && (batches || streams))
        answer = against_large(bench, batches, streams);
    if (answer == CLR_EXIT_CARRY_ON && (!experiment || experiment == 1 + CLR_LTE57_PROCESSOR))
        answer = against_processor(bench);
    if (answer == CLR_EXIT_CARRY_ON && (!experiment || experiment == 1 + CLR_LTE57_LAUNCHES))
        answer = clr_lte57_launches(bench);
    if (answer == CLR_EXIT_CARRY_ON && experiment == 1 + CLR_LTE57_MEMORY)
        answer = clr_lte57_memory(bench);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_values(bench);
    if (bench->wrong)
        return clr_say(CLR_EXIT_FAILED, "%u runs gave another response than the first of their job",
                       bench->wrong);
    if (bench->over_limit)
        return clr_say(CLR_EXIT_FAILED, "more device memory was taken than --memory-limit allows");
    if (answer == CLR_EXIT_OK)
        printf("every response of a job was the same, bit for bit\n");
    if (bench->failed_launches)
        printf("%llu launches on the device failed and were made up for\n",
               (unsigned long long)bench->failed_launches);
    return answer;
}
