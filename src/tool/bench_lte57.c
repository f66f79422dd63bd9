/*
 * clradio bench lte57: the job of a system-level simulator, 57 sectors x 570 users x 4 x 2
 * antennas, and four experiments with it: against the amount of work, the number of batches, the
 * number of streams, and the processor. Every run's response is compared by its checksum with the
 * first one of the same job, and a sample of paths with the double reference.
 */
#include "tool/bench_lte57.h"
#include "tool/bench.h"
#include "tool/options.h"

#include "base/checked.h"
#include "base/file.h"
#include "base/progress.h"
#include "device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    const char *device, *picture, *json, *profile, *variant;
    int quick, type;
    uint64_t repeat, users;
};

static const char *const type_names[] = { "cf32", "cf64", NULL };

static const clr_option options[] = {
    { .name = "users",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .offset = offsetof(struct values, users),
      .least = 1,
      .most = 100000,
      .help = "receivers; each has a link to every sector",
      .normally = "570; 38 on a processor, and with --quick" },
    { .name = "type",
      .kind = CLR_OPTION_CHOICE,
      .value = "TYPE",
      .offset = offsetof(struct values, type),
      .choices = type_names,
      .help = "of the arithmetic",
      .normally = "cf32" },
    { .name = "profile",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      .offset = offsetof(struct values, profile),
      .help = "of the taps",
      .normally = "TDL-C of 300 ns" },
    CLR_OPTION_VARIANT(offsetof(struct values, variant), "NAME", "of the channel DFT"),
    CLR_OPTION_DEVICE(offsetof(struct values, device)),
    { .name = "repeat",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .offset = offsetof(struct values, repeat),
      .least = 1,
      .most = 100,
      .help = "timed runs of each case, after one that warms up",
      .normally = "5; 3 with --quick" },
    { .name = "quick",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, quick),
      .help = "smaller jobs, fewer cases" },
    { .name = "plot",
      .kind = CLR_OPTION_TEXT,
      .value = "PICTURE",
      .offset = offsetof(struct values, picture),
      .help = "also draw the four experiments (.png or .svg)" },
    { .name = "json",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      .offset = offsetof(struct values, json),
      .help = "also write the figures to FILE" },
};

static const clr_usage usage = {
    .command = "bench lte57",
    .operands = "",
    .about = "Runs the channel DFT of a system-level simulation: 57 sectors x 570 users x 4 x 2 "
             "antennas. Four experiments: the amount of work, the number of batches, the number of "
             "streams while the processor works on each finished batch, and the processor against "
             "the device. Times are from host memory to host memory, median of the repeats. Every "
             "response must be the same, bit for bit, and agree with the double reference.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

/* ---- jobs ---- */

/* The first `users` of the scenario with that many subcarriers. */
static clr_exit make_job(clr_lte57 *bench, uint64_t users, uint64_t subcarriers, clr_dft_job *job)
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

static double outputs_of(const clr_dft_job *job)
{
    return (double)job->taps.paths * job->config.subcarriers;
}

static void keep(clr_lte57 *bench, int experiment, double x, double seconds, double outputs)
{
    clr_lte57_series *series = &bench->series[experiment];
    if (series->count < CLR_LTE57_POINTS) {
        series->x[series->count] = x;
        series->seconds[series->count] = seconds;
        series->outputs[series->count++] = outputs;
    }
}

/* One line of a table. */
static void say(clr_lte57 *bench, int experiment, const char *what, double x,
                const clr_bench_times *times, double outputs)
{
    printf("%16s %10.3f %10.3f %10.3f %14.4g\n", what, times->median * 1e3, times->least * 1e3,
           times->most * 1e3, outputs / times->median / 1e9);
    fflush(stdout);
    keep(bench, experiment, x, times->median, outputs);
    if (!bench->json)
        return;
    static const char *const names[] = { "size", "batches", "streams", "processor" };
    clr_json *row = clr_json_add_object(bench->json_rows, NULL);
    clr_json_add_text(row, "experiment", names[experiment]);
    clr_json_add_text(row, "case", what);
    clr_json_add_real(row, "outputs", outputs);
    clr_json_add_real(row, "seconds", times->median);
    clr_json_add_real(row, "gsubcarriers_per_second", outputs / times->median / 1e9);
}

static void say_head(const char *title, const char *first)
{
    printf("\n%s\n%16s %10s %10s %10s %14s\n", title, first, "median ms", "least", "most",
           "Gsubcarriers/s");
}

/* ---- the experiments ---- */

static clr_exit against_size(clr_lte57 *bench)
{
    static const uint64_t parts[] = { 16, 8, 4, 2, 1 };
    say_head("1. amount of work: 50 subcarriers, more and more users", "outputs");
    for (size_t k = 0; k < CLR_COUNT_OF(parts); k++) {
        clr_dft_job job;
        clr_bench_times times;
        char what[32];
        clr_exit answer = make_job(bench, clr_ceil_div(bench->users, parts[k]), 50, &job);
        if (answer != CLR_EXIT_CARRY_ON)
            return answer;
        clradio_status status = clr_lte57_measure(bench, &job, 0, 0, 0, &times);
        snprintf(what, sizeof what, "%.0f", outputs_of(&job));
        if (!status)
            say(bench, 0, what, outputs_of(&job), &times, outputs_of(&job));
        clr_dft_job_free(&job);
        if (status)
            return clr_say_status(status);
    }
    return CLR_EXIT_CARRY_ON;
}

static clr_exit against_batches(clr_lte57 *bench, const clr_dft_job *job)
{
    char title[96];
    snprintf(title, sizeof title, "2. batches: %u subcarriers, %.0f outputs, 4 streams",
             job->config.subcarriers, outputs_of(job));
    say_head(title, "batches");
    for (uint64_t batches = 1; batches <= 64 && batches <= bench->users; batches *= 2) {
        clr_bench_times times;
        char what[32];
        clradio_status status = clr_lte57_measure(bench, job, batches, 4, 0, &times);
        snprintf(what, sizeof what, "%llu", (unsigned long long)batches);
        if (status == CLRADIO_ERROR_LIMIT || status == CLRADIO_ERROR_DEVICE_MEMORY) {
            printf("%16s does not fit: %s\n", what, clradio_last_error());
            continue;
        }
        if (status)
            return clr_say_status(status);
        say(bench, 1, what, (double)batches, &times, outputs_of(job));
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
    say_head(title, "streams");
    for (unsigned streams = 1; streams <= 32; streams *= 2) {
        clr_bench_times times;
        char what[32];
        clradio_status status = clr_lte57_measure(bench, job, batches, streams, 1, &times);
        snprintf(what, sizeof what, "%u", streams);
        if (status)
            return clr_say_status(status);
        say(bench, 2, what, streams, &times, outputs_of(job));
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
    clr_exit answer = make_job(bench, users, 50, &job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    say_head("4. processor against device: 50 subcarriers", "who");
    double seconds[3], *response = malloc((size_t)outputs_of(&job) * 16);
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
    double outputs = outputs_of(&job);
    if (!status) {
        clr_bench_summarise(seconds, 3, &times);
        say(bench, 3, "C, one core", 0, &times, outputs);
    }
    free(response);
    clr_dft_job_free(&job);
    if (status)
        return clr_say_status(status);
    answer = make_job(bench, bench->users, 50, &job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    status = clr_lte57_measure(bench, &job, 0, 0, 0, &device);
    if (!status) {
        say(bench, 3, "device", 1, &device, outputs_of(&job));
        printf("the device is %.3g times as fast as one core (measured on %llu of %llu users)\n",
               outputs_of(&job) / device.median / (outputs / times.median),
               (unsigned long long)users, (unsigned long long)bench->users);
    }
    clr_dft_job_free(&job);
    return status ? clr_say_status(status) : CLR_EXIT_CARRY_ON;
}

/* The first users through clradio dft --verify's comparison. */
static clr_exit check_values(clr_lte57 *bench)
{
    clr_dft_job job;
    clr_exit answer = make_job(bench, clr_min_u64(bench->users, 4), 50, &job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    bench->request.verify = 1;
    printf("\nthe first users again: ");
    fflush(stdout);
    answer = clr_dft_run(&job);
    clr_dft_job_free(&job);
    return answer;
}

static clr_exit run_all(clr_lte57 *bench)
{
    clr_dft_job large;
    clr_exit answer = against_size(bench);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = make_job(bench, bench->users, bench->quick ? 300 : 1200, &large);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    answer = against_batches(bench, &large);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = against_streams(bench, &large);
    clr_dft_job_free(&large);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = against_processor(bench);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_values(bench);
    if (bench->wrong)
        return clr_say(CLR_EXIT_FAILED, "%u runs gave another response than the first of their job",
                       bench->wrong);
    if (answer == CLR_EXIT_OK)
        printf("every response of a job was the same, bit for bit\n");
    return answer;
}

static clr_exit write_json(const char *path, clr_json *json)
{
    clr_new_file file;
    clradio_status status = clr_new_file_begin(path, 0644, &file);
    if (status)
        return clr_say_status(status);
    clr_exit answer = clr_json_print(json, file.stream);
    if (answer != CLR_EXIT_OK) {
        clr_new_file_abandon(&file);
        return answer;
    }
    status = clr_new_file_commit(&file);
    return status ? clr_say_status(status) : CLR_EXIT_OK;
}

clr_exit clr_bench_lte57(int argc, char **argv)
{
    struct values values = { 0 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
    if (answer == CLR_EXIT_CARRY_ON && values.json)
        answer = clr_json_ready();
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_lte57 *bench = calloc(1, sizeof *bench);
    clradio_status status = bench ? clradio_device_open(values.device, &bench->device)
                                  : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the benchmark");
    if (status) {
        free(bench);
        return clr_say_status(status);
    }
    const clradio_device_info *info = clr_device_info(bench->device);
    int small = values.quick || info->kind == CLRADIO_DEVICE_CPU;
    bench->quick = small;
    bench->users = values.users ? values.users : small ? 38 : 570;
    bench->repeats = values.repeat ? values.repeat : small ? 3 : 5;
    bench->request = (clr_dft_request){ .scenario = "lte57",
                                        .profile = values.profile,
                                        .average = 1,
                                        .type = values.type,
                                        .spacing_hz = 15e3,
                                        .first_hz = NAN,
                                        .sample_period_s = NAN,
                                        .delay_spread_s = NAN,
                                        .time_step_s = 1e-3,
                                        .antenna_spacing = 0.5,
                                        .seed = 1,
                                        .device = values.device,
                                        .variant = values.variant };
    bench->json = values.json ? clr_json_object() : NULL;
    bench->json_rows = bench->json ? clr_json_add_array(bench->json, "lte57") : NULL;
    printf("%s: %s; %llu users x 57 sectors x 4 x 2 antennas, %s\n", info->id, info->name,
           (unsigned long long)bench->users, type_names[values.type]);
    answer = run_all(bench);
    if (values.picture && bench->series[CLR_LTE57_EXPERIMENTS - 1].count) {
        clr_exit drawn = clr_lte57_draw(bench, info->name, values.picture);
        answer = answer == CLR_EXIT_OK ? drawn : answer;
    }
    if (bench->json) {
        clr_exit written = write_json(values.json, bench->json);
        answer = answer == CLR_EXIT_OK ? written : answer;
    }
    clradio_device_close(bench->device);
    free(bench);
    return answer;
}
