/* What a device's arithmetic units reach: launches of cl/bench_peak.cl, with a check. */
#include "base/progress.h"
#include "device/device.h"
#include "tool/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = 64, MOST_RESULT_BYTES = 8 };

/* A unit: what its chains are fed, and what a link of one chain does in one work-item. */
typedef struct unit {
    const char *name;
    int kind, chains, sums, nvidia; /* sums of a chain; nvidia: inline PTX */
    double operations;
    size_t number_bytes;
    unsigned char numbers[16]; /* factor and addend, in the unit's type */
} unit;

/* 1.0f is 0x3f800000, half 1.0 is 0x3c00; little-endian, as every device here is. */
static const unit units[] = {
    { "fp32", 0, 64, 1, 0, 2, 4, { 0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f } }, /* 0.5, 1 */
    { "int32", 1, 64, 1, 0, 2, 4, { 3, 0, 0, 0, 1 } },
    { "fp64", 2, 64, 1, 0, 2, 8, { 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f } },
    { "dot4", 3, 64, 1, 1, 8, 4, { 1, 1, 1, 1, 1, 1, 1, 1 } },
    { "mma-int8", 4, 16, 4, 1, 2.0 * 16 * 8 * 32 / 32, 4, { 1, 1, 1, 1, 1, 1, 1, 1 } },
    { "mma-fp16", 5, 16, 4, 1, 2.0 * 16 * 8 * 16 / 32, 4, { 0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c } },
};
enum { UNITS = sizeof units / sizeof *units };

/* The sum of work-item 0's chains after `rounds` links, in C. Integers wrap as the device's do. */
static double expected_sum(const unit *unit, uint32_t rounds)
{
    double sum = 0;
    uint32_t whole = 0;
    for (unsigned c = 0; c < (unsigned)(unit->chains * unit->sums); c++) {
        double x = c;
        uint32_t z = c;
        for (uint32_t n = 0; n < rounds; n++) {
            x = unit->kind == 5 ? x + 16 : fma(x, 0.5, 1.0);
            z = unit->kind == 1 ? z * 3u + 1u : z + (unit->kind == 3 ? 4u : 32u);
        }
        sum += x;
        whole += z;
    }
    return unit->kind == 1 || unit->kind == 3 || unit->kind == 4 ? (double)whole : sum;
}

static int right(const unit *unit, const void *result, uint32_t rounds)
{
    const double expected = expected_sum(unit, rounds);
    double f64;
    float f32;
    uint32_t whole;
    memcpy(&f64, result, sizeof f64);
    memcpy(&f32, result, sizeof f32);
    memcpy(&whole, result, sizeof whole);
    switch (unit->kind) {
    case 0:
    case 5: return fabs((double)f32 - expected) <= 1e-3 * fabs(expected);
    case 2: return fabs(f64 - expected) <= 1e-3 * fabs(expected);
    default: return (double)whole == expected;
    }
}

typedef struct peak_run {
    const unit *unit;
    clr_kernel *kernel;
    clradio_queue *queue;
    clradio_buffer *numbers, *results;
    size_t groups;
} peak_run;

static clradio_status launch(const peak_run *run, uint32_t rounds, double *seconds)
{
    clr_chain chain;
    clradio_event *event = NULL;
    clr_launch launch = { .groups = { run->groups, 1, 1 }, .group = { GROUP, 1, 1 } };
    clr_launch_span(&launch, (clradio_span){ run->numbers, 0 });
    clr_launch_span(&launch, (clradio_span){ run->results, 0 });
    clr_launch_u32(&launch, rounds);
    const double start = clr_steady_seconds();
    clradio_status status = clr_chain_begin(&chain, run->queue, NULL, 0, NULL);
    if (!status)
        status = clr_chain_end(&chain, clr_chain_launch(&chain, run->kernel, &launch), &event);
    return clr_bench_wait(status, event, start, seconds);
}

/* Doubles the work until a launch lasts 20 ms; the best of ten then counts. */
static clradio_status time_it(const peak_run *run, double *rate)
{
    uint32_t rounds = 64;
    double seconds = 0, best = 0;
    unsigned char result[MOST_RESULT_BYTES];
    const double per_round =
        run->unit->operations * run->unit->chains * GROUP * (double)run->groups;
    clradio_status status = launch(run, rounds, &seconds);
    while (!status && seconds < 0.02 && rounds < 1u << 19) {
        rounds *= 2;
        status = launch(run, rounds, &seconds);
    }
    for (int n = 0; !status && n < 10; n++) {
        status = launch(run, rounds, &seconds);
        best = fmax(best, per_round * rounds / seconds);
    }
    if (!status)
        status = clradio_buffer_read(run->queue, (clradio_span){ run->results, 0 }, result,
                                     sizeof result, 0, NULL, NULL);
    if (!status && !right(run->unit, result, rounds))
        return clr_fail(CLRADIO_ERROR_SELF_TEST, "the peak's kernel gives a wrong result");
    *rate = best;
    return status;
}

static clradio_status measure(clradio_device *device, const unit *unit, double *rate)
{
    const clr_macro macros[] = { { "KIND", unit->kind }, { "CHAINS", unit->chains } };
    const size_t bytes = 2 * unit->number_bytes;
    peak_run run = { .unit = unit, .groups = clr_device_info(device)->compute_units * (size_t)64 };
    clr_program *program = NULL;
    clradio_status status = clr_program_get(device, "bench_peak.cl", macros, 2, &program);
    if (!status)
        status = clr_kernel_create(program, "bench_peak", &run.kernel);
    if (!status)
        status = clradio_queue_create(device, CLRADIO_QUEUE_PROFILING, &run.queue);
    if (!status)
        status = clradio_buffer_create(device, bytes, &run.numbers);
    if (!status)
        status =
            clradio_buffer_create(device, run.groups * GROUP * MOST_RESULT_BYTES, &run.results);
    if (!status)
        status = clradio_buffer_write(run.queue, (clradio_span){ run.numbers, 0 }, unit->numbers,
                                      bytes, 0, NULL, NULL);
    if (!status)
        status = time_it(&run, rate);
    if (!status)
        clr_program_proved(program);
    clr_kernel_release(run.kernel);
    clr_program_release(program);
    clradio_buffer_destroy(run.numbers);
    clradio_buffer_destroy(run.results);
    clradio_queue_destroy(run.queue);
    return status;
}

static double *place_of(clr_bench_peak *peak, size_t unit)
{
    double *const places[UNITS] = { &peak->fp32, &peak->int32,    &peak->fp64,
                                    &peak->dot4, &peak->mma_int8, &peak->mma_fp16 };
    return places[unit];
}

double clr_bench_peak_of(const clr_bench_peak *peak, const char *unit)
{
    clr_bench_peak copy = *peak;
    for (size_t u = 0; u < UNITS; u++)
        if (!strcmp(units[u].name, unit))
            return *place_of(&copy, u);
    return 0;
}

/* A unit that the device lacks (no build), or whose long loops go wrong (llvmpipe), has no peak. */
static int has_no_peak(const unit *unit, clradio_status status)
{
    return status == CLRADIO_ERROR_SELF_TEST || (unit->nvidia && status == CLRADIO_ERROR_BUILD);
}

clradio_status clr_bench_measure_peak(clradio_device *device, clr_bench_peak *peak)
{
    const clradio_device_info *info = clr_device_info(device);
    const int nvidia = strstr(info->vendor, "NVIDIA") != NULL;
    clradio_status status = CLRADIO_OK;
    memset(peak, 0, sizeof *peak);
    for (size_t u = 0; u < UNITS && !status; u++) {
        if ((units[u].kind == 2 && !info->fp64) || (units[u].nvidia && !nvidia))
            continue;
        status = measure(device, &units[u], place_of(peak, u));
        if (has_no_peak(&units[u], status)) {
            *place_of(peak, u) = 0;
            status = CLRADIO_OK;
        }
    }
    return status;
}

void clr_bench_say_resources(uint32_t registers, uint64_t private_bytes, uint64_t local_bytes,
                             clr_json *to)
{
    if (registers)
        printf("         %u registers, %llu bytes of private and %llu of local memory\n", registers,
               (unsigned long long)private_bytes, (unsigned long long)local_bytes);
    if (!to)
        return;
    clr_json_add_whole(to, "registers", registers);
    clr_json_add_whole(to, "private_bytes", (int64_t)private_bytes);
    clr_json_add_whole(to, "local_bytes", (int64_t)local_bytes);
}

void clr_bench_say_device(const clradio_device_info *info, const clr_bench_peak *peak,
                          clr_json *json)
{
    clr_bench_peak copy = *peak;
    printf("device    %s %s (%u compute units)\n", info->id, info->name, info->compute_units);
    printf("platform  %s, driver %s, %s\n", info->platform, info->driver, info->version);
    printf("peak      measured, TOP/s (2 a multiply-add):");
    for (size_t u = 0, said = 0; u < UNITS; u++)
        if (*place_of(&copy, u) > 0)
            printf("%s %s %.4g", said++ ? "," : "", units[u].name, *place_of(&copy, u) * 1e-12);
    printf("\n");
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
    clr_json_add_real(to, "peak_dot4_per_s", peak->dot4);
    clr_json_add_real(to, "peak_mma_int8_per_s", peak->mma_int8);
    clr_json_add_real(to, "peak_mma_fp16_per_s", peak->mma_fp16);
}
