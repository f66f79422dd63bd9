/* One case of the channel DFT's benchmark. */
#include "base/progress.h"
#include "device/device.h"
#include "tool/bench_dft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_LINKS = 12 };

const char *const clr_bench_dft_kind_names[] = { "grid", "samples", "shared", "path", NULL };

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32;
}

uint32_t clr_bench_dft_points(uint32_t subcarriers)
{
    uint32_t length = 1;
    while (length < subcarriers)
        length *= 2;
    return length;
}

static clradio_status configure(dft_bench *bench, dft_case *c)
{
    c->config = (clradio_dft_config)CLRADIO_DFT_CONFIG_INIT;
    c->config.type = c->type;
    c->config.subcarriers = c->subcarriers;
    c->config.taps = (uint32_t)c->taps;
    c->config.delay = c->kind == CLR_BENCH_DFT_GRID      ? CLRADIO_DELAY_CONSECUTIVE
                      : c->kind == CLR_BENCH_DFT_SAMPLES ? CLRADIO_DELAY_SAMPLES
                                                         : CLRADIO_DELAY_SECONDS;
    c->delay_bytes = c->kind == CLR_BENCH_DFT_SAMPLES ? sizeof(int32_t) : sizeof(double);
    c->config.delays = c->kind == CLR_BENCH_DFT_PATH ? CLRADIO_PER_PATH : CLRADIO_PER_LINK;
    c->config.sample_period_s = 1 / (c->config.spacing_hz * clr_bench_dft_points(c->subcarriers));
    c->config.variant = bench->variant;
    c->config.parameters = bench->parameters;
    c->sizes = (clradio_dft_sizes)CLRADIO_DFT_SIZES_INIT;
    c->sizes.beams = c->links;
    c->sizes.paths_per_link = c->paths_per_link;
    c->sizes.taps_per_link = c->taps;
    c->counts = (clradio_dft_counts)CLRADIO_DFT_COUNTS_INIT;
    return clradio_dft_count(&c->config, &c->sizes, &c->counts);
}

static clradio_status fill(dft_case *c)
{
    uint64_t state = 1;
    const uint64_t delays = c->kind == CLR_BENCH_DFT_PATH ? c->counts.gains : c->counts.taps;
    c->gains = malloc(c->counts.gains * clradio_type_bytes(c->type));
    c->delays = malloc(delays * sizeof(double));
    if (!c->gains || !c->delays)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the taps of %llu paths",
                        (unsigned long long)c->counts.paths);
    for (uint64_t n = 0; n < 2 * c->counts.gains; n++) {
        const double x = (double)(int32_t)(uint32_t)next(&state) * 0x1p-31;
        if (c->type == CLRADIO_CF64)
            ((double *)c->gains)[n] = x;
        else
            ((float *)c->gains)[n] = (float)x;
    }
    for (uint64_t n = 0; n < delays; n++) {
        const double delay = (double)next(&state) * 0x1p-32 * 5e-6;
        if (c->kind == CLR_BENCH_DFT_SAMPLES)
            ((int32_t *)c->delays)[n] = (int32_t)rint(delay / c->config.sample_period_s);
        else
            ((double *)c->delays)[n] = delay;
    }
    return CLRADIO_OK;
}

static clradio_status to_device(dft_bench *bench, const void *from, uint64_t bytes,
                                clradio_span *span)
{
    clradio_status status = clradio_buffer_create(bench->device, bytes, &span->buffer);
    if (!status && from)
        status = clradio_buffer_write(bench->queue, *span, from, bytes, 0, NULL, NULL);
    return status;
}

static clradio_status set_up(dft_bench *bench, dft_case *c)
{
    const uint64_t element = clradio_type_bytes(c->type);
    const uint64_t delays = c->kind == CLR_BENCH_DFT_PATH ? c->counts.gains : c->counts.taps;
    c->info = (clradio_dft_info)CLRADIO_DFT_INFO_INIT;
    c->io = (clradio_dft_io)CLRADIO_DFT_IO_INIT;
    clradio_status status = clradio_dft_create(bench->device, &c->config, &c->plan);
    if (!status)
        status = clradio_dft_get_info(c->plan, &c->info);
    if (!status)
        status = clradio_dft_layout_create(c->plan, &c->sizes, &c->layout);
    c->io.layout = c->layout;
    if (!status)
        status = fill(c);
    if (!status)
        status = to_device(bench, c->gains, c->counts.gains * element, &c->io.gains);
    if (!status && c->kind != CLR_BENCH_DFT_GRID)
        status = to_device(bench, c->delays, delays * c->delay_bytes, &c->io.delays);
    if (!status)
        status = to_device(bench, NULL, c->counts.response * element, &c->io.response);
    return status;
}

typedef struct timed_call {
    dft_bench *bench;
    dft_case *what;
} timed_call;

static clradio_status enqueue(void *call, clradio_event **event)
{
    const timed_call *timed = call;
    return clradio_dft_enqueue(timed->what->plan, timed->bench->queue, &timed->what->io, 0, NULL,
                               event);
}

/* One link against the reference. */
static clradio_status check_link(dft_bench *bench, dft_case *c, uint64_t link, void *response)
{
    const uint64_t element = clradio_type_bytes(c->type);
    const uint64_t values = c->paths_per_link * c->info.values;
    const uint64_t gains = c->paths_per_link * c->taps;
    const uint64_t delays = c->kind == CLR_BENCH_DFT_PATH ? gains : c->taps;
    clradio_dft_host_io io = CLRADIO_DFT_HOST_IO_INIT;
    clradio_dft_sizes sizes = c->sizes;
    clr_dft_verdict verdict;
    sizes.beams = 1;
    io.sizes = &sizes;
    io.gains = (const char *)c->gains + link * gains * element;
    io.delays = (const char *)c->delays + link * delays * c->delay_bytes;
    io.response = response;
    const clradio_span from = { c->io.response.buffer, link * values * element };
    clradio_status status =
        clradio_buffer_read(bench->queue, from, response, values * element, 0, NULL, NULL);
    if (!status)
        status = clr_dft_check(&c->config, &io, c->info.error_bound, &verdict);
    if (status)
        return status;
    c->verdict.checked += verdict.checked;
    if (verdict.wrong && !c->verdict.wrong)
        memcpy(c->verdict.sentence, verdict.sentence, sizeof verdict.sentence);
    c->verdict.wrong += verdict.wrong;
    c->verdict.worst = verdict.worst > c->verdict.worst ? verdict.worst : c->verdict.worst;
    return CLRADIO_OK;
}

static clradio_status check_links(dft_bench *bench, dft_case *c)
{
    uint64_t state = 20261130;
    void *response = malloc(c->paths_per_link * c->info.values * sizeof(double[2]));
    clradio_status status =
        response ? CLRADIO_OK : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a link's response");
    for (unsigned n = 0; !status && n < CHECKED_LINKS; n++) {
        const uint64_t link = n == 0 ? 0 : n == 1 ? c->links - 1 : next(&state) % c->links;
        status = check_link(bench, c, link, response);
    }
    free(response);
    bench->faults.wrong += c->verdict.wrong != 0;
    return status;
}

clradio_status clr_bench_dft_measure(dft_bench *bench, dft_case *c)
{
    clradio_status status = configure(bench, c);
    if (!status)
        status = set_up(bench, c);
    if (!status)
        status = clr_bench_time(enqueue, &(timed_call){ bench, c }, 2, bench->repeats, &c->times);
    return status ? status : check_links(bench, c);
}

void clr_bench_dft_release(dft_case *c)
{
    clradio_dft_layout_destroy(c->layout);
    clradio_dft_destroy(c->plan);
    clradio_buffer_destroy(c->io.gains.buffer);
    clradio_buffer_destroy(c->io.delays.buffer);
    clradio_buffer_destroy(c->io.response.buffer);
    free(c->gains);
    free(c->delays);
}

void clr_bench_dft_say(dft_bench *bench, const dft_case *c, const char *who,
                       const clr_bench_times *times, int checked)
{
    const double element = (double)clradio_type_bytes(c->type);
    const double bytes = ((double)c->counts.gains + (double)c->counts.response) * element;
    const double values = (double)c->counts.response;
    const double operations = 8 * values * (double)c->taps;
    const double peak = c->type == CLRADIO_CF64 ? bench->peak.fp64 : bench->peak.fp32;
    const char *result = !checked ? "-" : c->verdict.wrong ? "WRONG" : "right";
    printf("%-7s %-5s %8llu %6u %5llu  %-11s %9.4f %9.4f %9.4f %8.4f %9.2f %7.1f%%  %s\n",
           clr_bench_dft_kind_names[c->kind], clradio_type_name(c->type),
           (unsigned long long)c->counts.paths, c->subcarriers, (unsigned long long)c->taps, who,
           times->median * 1e3, times->least * 1e3, times->most * 1e3,
           bytes / times->median * 1e-12, values / times->median * 1e-9,
           peak > 0 ? 100 * operations / times->median / peak : 0.0, result);
    if (checked && c->verdict.wrong)
        printf("        %s\n", c->verdict.sentence);
    clr_json *to = bench->cases ? clr_json_add_object(bench->cases, NULL) : NULL;
    if (!strcmp(who, c->info.variant)) /* and no peer */
        clr_bench_say_resources(c->info.registers, c->info.private_bytes, c->info.local_bytes, to);
    if (!to)
        return;
    clr_json_add_text(to, "delays", clr_bench_dft_kind_names[c->kind]);
    clr_json_add_text(to, "type", clradio_type_name(c->type));
    clr_json_add_whole(to, "paths", (int64_t)c->counts.paths);
    clr_json_add_whole(to, "paths_per_link", (int64_t)c->paths_per_link);
    clr_json_add_whole(to, "subcarriers", c->subcarriers);
    clr_json_add_whole(to, "taps", (int64_t)c->taps);
    clr_json_add_text(to, "who", who);
    clr_json_add_text(to, "parameters", checked ? c->info.parameters : "");
    clr_json_add_real(to, "median_s", times->median);
    clr_json_add_real(to, "least_s", times->least);
    clr_json_add_real(to, "most_s", times->most);
    clr_json_add_real(to, "mad_s", times->mad);
    clr_json_add_whole(to, "repeats", (int64_t)times->count);
    clr_json_add_real(to, "bytes_per_s", bytes / times->median);
    clr_json_add_real(to, "subcarriers_per_s", values / times->median);
    clr_json_add_real(to, "fraction_of_peak", peak > 0 ? operations / times->median / peak : 0);
    clr_json_add_text(to, "verdict", checked ? result : "not checked");
    clr_json_add_real(to, "worst_over_bound", checked ? c->verdict.worst : 0);
}
