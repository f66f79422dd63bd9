/* What the benchmarks share: statistics of repeated runs, and the device's own peak. */
#include "base/progress.h"
#include "base/text.h"
#include "device/device.h"
#include "tool/bench.h"
#include "tool/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double clr_bench_seconds(uint64_t nanoseconds, double waited)
{
    const double seconds = (double)nanoseconds * 1e-9;
    return seconds > 0.01 * waited ? seconds : waited;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

void clr_bench_summarise(double *seconds, size_t count, clr_bench_times *times)
{
    memset(times, 0, sizeof *times);
    if (!count)
        return;
    qsort(seconds, count, sizeof *seconds, compare);
    times->count = count;
    times->median = median_of(seconds, count);
    times->least = seconds[0];
    times->most = seconds[count - 1];
    for (size_t i = 0; i < count; i++)
        seconds[i] = fabs(seconds[i] - times->median);
    qsort(seconds, count, sizeof *seconds, compare);
    times->mad = median_of(seconds, count);
}

size_t clr_bench_list(const char *text, int (*take)(const char *word, void *to), void *to,
                      size_t item_bytes, size_t capacity)
{
    for (size_t n = 0; n < capacity;) {
        char word[32];
        const size_t length = strcspn(text, ",");
        if (!length || length >= sizeof word)
            return 0;
        memcpy(word, text, length);
        word[length] = 0;
        if (!take(word, (char *)to + n * item_bytes))
            return 0;
        n++;
        if (!text[length])
            return n;
        text += length + 1;
    }
    return 0;
}

static int take_number(const char *word, void *to)
{
    uint64_t *number = to;
    return clr_parse_u64(word, number) && *number;
}

size_t clr_bench_numbers(const char *text, uint64_t *numbers, size_t capacity)
{
    return clr_bench_list(text, take_number, numbers, sizeof *numbers, capacity);
}

/* ---- the peak ---- */

enum { CHAINS = 64, GROUP = 64, FP32 = 0, INT32 = 1, FP64 = 2 };

/* The chain c of work-item 0 after `rounds` links, in C. */
static double expected_sum(int kind, uint32_t rounds)
{
    double sum = 0;
    float sum_float = 0;
    uint32_t sum_whole = 0;
    for (unsigned c = 0; c < CHAINS; c++) {
        double x = c;
        float y = (float)c;
        uint32_t z = c;
        for (uint32_t n = 0; n < rounds; n++) {
            x = fma(x, 0.5, 1.0);
            y = fmaf(y, 0.5f, 1.0f);
            z = z * 3u + 1u;
        }
        sum += x;
        sum_float += y;
        sum_whole += z;
    }
    return kind == FP32 ? (double)sum_float : kind == INT32 ? (double)sum_whole : sum;
}

static int right(int kind, const void *result, uint32_t rounds)
{
    const double expected = expected_sum(kind, rounds);
    const double got = kind == FP32    ? (double)*(const float *)result
                       : kind == INT32 ? (double)*(const uint32_t *)result
                                       : *(const double *)result;
    return kind == INT32 ? got == expected : fabs(got - expected) <= 1e-3 * fabs(expected);
}

typedef struct peak_run {
    clr_kernel *kernel;
    clradio_queue *queue;
    clradio_buffer *numbers, *results;
    size_t groups;
} peak_run;

static clradio_status launch(const peak_run *run, uint32_t rounds, double *seconds)
{
    clr_chain chain;
    clradio_event *event = NULL;
    uint64_t nanoseconds = 0;
    clr_launch launch = { .groups = { run->groups, 1, 1 }, .group = { GROUP, 1, 1 } };
    clr_launch_span(&launch, (clradio_span){ run->numbers, 0 });
    clr_launch_span(&launch, (clradio_span){ run->results, 0 });
    clr_launch_u32(&launch, rounds);
    const double start = clr_steady_seconds();
    clradio_status status = clr_chain_begin(&chain, run->queue, NULL, 0, NULL);
    if (!status)
        status = clr_chain_end(&chain, clr_chain_launch(&chain, run->kernel, &launch), &event);
    if (!status)
        status = clradio_event_wait(event);
    const double waited = clr_steady_seconds() - start;
    if (!status)
        status = clradio_event_duration(event, &nanoseconds);
    clradio_event_destroy(event);
    *seconds = clr_bench_seconds(nanoseconds, waited);
    return status;
}

/* Doubles the work until a launch lasts 20 ms; the best of ten then counts. */
static clradio_status time_it(const peak_run *run, int kind, double *rate)
{
    uint32_t rounds = 64;
    double seconds = 0, best = 0;
    unsigned char result[8];
    clradio_status status = launch(run, rounds, &seconds);
    while (!status && seconds < 0.02 && rounds < 1u << 19) {
        rounds *= 2;
        status = launch(run, rounds, &seconds);
    }
    for (int n = 0; !status && n < 10; n++) {
        status = launch(run, rounds, &seconds);
        const double here = 2.0 * CHAINS * GROUP * (double)run->groups * rounds / seconds;
        if (here > best)
            best = here;
    }
    if (!status)
        status = clradio_buffer_read(run->queue, (clradio_span){ run->results, 0 }, result,
                                     sizeof result, 0, NULL, NULL);
    if (!status && !right(kind, result, rounds))
        return clr_fail(CLRADIO_ERROR_SELF_TEST, "the peak's kernel gives a wrong result");
    *rate = best;
    return status;
}

static clradio_status measure(clradio_device *device, int kind, double *rate)
{
    const clr_macro macros[] = { { "KIND", kind }, { "CHAINS", CHAINS } };
    const float floats[] = { 0.5f, 1.0f };
    const uint32_t wholes[] = { 3, 1 };
    const double doubles[] = { 0.5, 1.0 };
    const void *numbers = kind == FP32    ? (const void *)floats
                          : kind == INT32 ? (const void *)wholes
                                          : (const void *)doubles;
    const uint64_t bytes = kind == FP64 ? 16 : 8;
    peak_run run = { .groups = clr_device_info(device)->compute_units * (size_t)64 };
    clr_program *program = NULL;
    clradio_status status = clr_program_get(device, "bench_peak.cl", macros, 2, &program);
    if (!status)
        status = clr_kernel_create(program, "bench_peak", &run.kernel);
    if (!status)
        status = clradio_queue_create(device, CLRADIO_QUEUE_PROFILING, &run.queue);
    if (!status)
        status = clradio_buffer_create(device, bytes, &run.numbers);
    if (!status)
        status = clradio_buffer_create(device, run.groups * GROUP * 8, &run.results);
    if (!status)
        status = clradio_buffer_write(run.queue, (clradio_span){ run.numbers, 0 }, numbers, bytes,
                                      0, NULL, NULL);
    if (!status)
        status = time_it(&run, kind, rate);
    if (!status)
        clr_program_proved(program);
    clr_kernel_release(run.kernel);
    clr_program_release(program);
    clradio_buffer_destroy(run.numbers);
    clradio_buffer_destroy(run.results);
    clradio_queue_destroy(run.queue);
    return status;
}

/* A device whose long loops go wrong (llvmpipe) has no peak: 0, and no failure of the benchmark. */
static clradio_status measure_or_none(clradio_device *device, int kind, double *rate)
{
    clradio_status status = measure(device, kind, rate);
    if (status == CLRADIO_ERROR_SELF_TEST) {
        *rate = 0;
        return CLRADIO_OK;
    }
    return status;
}

clradio_status clr_bench_measure_peak(clradio_device *device, clr_bench_peak *peak)
{
    memset(peak, 0, sizeof *peak);
    clradio_status status = measure_or_none(device, FP32, &peak->fp32);
    if (!status)
        status = measure_or_none(device, INT32, &peak->int32);
    if (!status && clr_device_info(device)->fp64)
        status = measure_or_none(device, FP64, &peak->fp64);
    return status;
}

void clr_bench_say_device(const clradio_device_info *info, const clr_bench_peak *peak,
                          clr_json *json)
{
    printf("device    %s %s (%u compute units)\n", info->id, info->name, info->compute_units);
    printf("platform  %s, driver %s, %s\n", info->platform, info->driver, info->version);
    printf("peak      measured: fp32 %.4g, int32 %.4g, fp64 %.4g TOP/s (2 a multiply-add)\n",
           peak->fp32 * 1e-12, peak->int32 * 1e-12, peak->fp64 * 1e-12);
    if (!json)
        return;
    clr_json *to = clr_json_add_object(json, "device");
    clr_json_add_text(to, "id", info->id);
    clr_json_add_text(to, "name", info->name);
    clr_json_add_text(to, "platform", info->platform);
    clr_json_add_text(to, "driver", info->driver);
    clr_json_add_text(to, "version", info->version);
    clr_json_add_whole(to, "compute_units", info->compute_units);
    clr_json_add_real(to, "peak_fp32_per_s", peak->fp32);
    clr_json_add_real(to, "peak_int32_per_s", peak->int32);
    clr_json_add_real(to, "peak_fp64_per_s", peak->fp64);
}
