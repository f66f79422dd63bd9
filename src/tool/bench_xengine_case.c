/* One case of the X-engine's benchmark. */
#include "base/progress.h"
#include "tool/bench_xengine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_VALUES = 400 };

static void fill_random(const clradio_xengine_config *config, void *spectra, uint64_t bytes)
{
    uint64_t state = 1;
    unsigned char *at = spectra;
    for (uint64_t n = 0; n < bytes; n += 4) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t word = (uint32_t)(state >> 32);
        const float real = (float)(int32_t)word * 0x1p-31f;
        const uint64_t left = bytes - n < 4 ? bytes - n : 4;
        memcpy(at + n, config->input == CLRADIO_CF32 ? (const void *)&real : (const void *)&word,
               left);
        /* halves below 2 in size: no infinite ones */
        for (uint64_t part = n; config->input == CLRADIO_CF16 && part < n + left; part += 2)
            at[part + 1] &= 0xbf;
    }
}

/* Nine in ten samples are there; the counts of every value are written. */
static clradio_status set_up_valid(bench *bench, bench_case *c)
{
    uint64_t state = 2;
    const uint64_t counts_bytes = c->info.visibilities_count * sizeof *c->counts;
    unsigned char *valid = malloc(c->info.valid_bytes);
    c->valid = valid;
    c->counts = malloc(counts_bytes);
    if (!c->valid || !c->counts)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for flags and counts");
    for (uint64_t n = 0; n < c->info.valid_bytes; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        valid[n] = (state >> 33) % 10 != 0;
    }
    clradio_status status = clradio_buffer_create(bench->device, c->info.valid_bytes, &c->valid_in);
    if (!status)
        status = clradio_buffer_create(bench->device, counts_bytes, &c->counts_out);
    if (!status)
        status = clradio_buffer_write(bench->queue, (clradio_span){ c->valid_in, 0 }, valid,
                                      c->info.valid_bytes, 0, NULL, NULL);
    return status;
}

static clradio_status set_up(bench *bench, bench_case *c)
{
    const clradio_span none = { NULL, 0 };
    clradio_span in = none;
    c->info = (clradio_xengine_info)CLRADIO_XENGINE_INFO_INIT;
    clradio_status status = clradio_xengine_create(bench->device, &c->config, &c->plan);
    if (!status)
        status = clradio_xengine_get_info(c->plan, &c->info);
    if (status)
        return status;
    c->spectra = malloc(c->info.input_bytes);
    c->visibilities = malloc(c->info.visibilities_bytes);
    if (!c->spectra || !c->visibilities)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %llu bytes of input",
                        (unsigned long long)c->info.input_bytes);
    fill_random(&c->config, c->spectra, c->info.input_bytes);
    status = clradio_buffer_create(bench->device, c->info.input_bytes, &c->in);
    if (!status)
        status = clradio_buffer_create(bench->device, c->info.visibilities_bytes, &c->out);
    in.buffer = c->in;
    if (!status)
        status =
            clradio_buffer_write(bench->queue, in, c->spectra, c->info.input_bytes, 0, NULL, NULL);
    if (!status && c->config.valid)
        status = set_up_valid(bench, c);
    return status;
}

typedef struct timed_call {
    bench *bench;
    bench_case *what;
} timed_call;

static clradio_status enqueue(void *call, clradio_event **event)
{
    const timed_call *timed = call;
    const bench_case *c = timed->what;
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    io.spectra.buffer = c->in;
    io.visibilities.buffer = c->out;
    io.spectra_count = c->config.spectra;
    io.valid.buffer = c->valid_in;
    io.counts.buffer = c->counts_out;
    return clradio_xengine_enqueue(c->plan, timed->bench->queue, &io, 0, NULL, event);
}

clradio_status clr_bench_case_measure(bench *bench, bench_case *c)
{
    clradio_status status = set_up(bench, c);
    if (!status)
        status = clr_bench_time(enqueue, &(timed_call){ bench, c }, 2, bench->repeats, &c->times);
    if (!status)
        status = clradio_buffer_read(bench->queue, (clradio_span){ c->out, 0 }, c->visibilities,
                                     c->info.visibilities_bytes, 0, NULL, NULL);
    if (!status && c->config.valid)
        status = clradio_buffer_read(bench->queue, (clradio_span){ c->counts_out, 0 }, c->counts,
                                     c->info.visibilities_count * sizeof *c->counts, 0, NULL, NULL);
    if (status)
        return status;
    c->config.output = c->info.output;
    c->config.block_times = c->info.block_times;
    clr_xengine_check_valid(&c->config, c->spectra, c->valid, c->config.spectra, c->visibilities,
                            c->counts, CHECKED_VALUES, 20261129, &c->verdict);
    bench->faults.wrong += c->verdict.wrong != 0;
    return CLRADIO_OK;
}

void clr_bench_case_release(bench_case *c)
{
    clradio_xengine_destroy(c->plan);
    clradio_buffer_destroy(c->in);
    clradio_buffer_destroy(c->out);
    free(c->spectra);
    free(c->visibilities);
    clradio_buffer_destroy(c->valid_in);
    clradio_buffer_destroy(c->counts_out);
    free(c->valid);
    free(c->counts);
}

void clr_bench_case_say(bench *bench, const bench_case *c, const char *who)
{
    const double peak = clr_bench_peak_of(&bench->peak, c->info.unit);
    const double rate = (double)c->info.operations / c->times.median;
    const double bytes = (double)(c->info.input_bytes + c->info.visibilities_bytes);
    const int checked = c->verdict.checked != 0;
    char share[16] = "-"; /* a device without the unit, where a variant emulates it */
    if (peak > 0)
        snprintf(share, sizeof share, "%.1f%%", 100 * rate / peak);
    printf("%8u %8u %8llu  %-5s %-7s %-8s %9.3f %9.3f %9.3f %8.3f %10.4f %10.3f %7s %-8s %9.3f "
           "%8.2f  %s\n",
           c->config.stations, c->config.channels, (unsigned long long)c->config.spectra,
           clradio_type_name(c->config.input), clr_bench_layout_name(c->config.layout), who,
           c->times.median * 1e3, c->times.least * 1e3, c->times.most * 1e3, c->times.mad * 1e3,
           rate * 1e-12, rate / 8 * 1e-9, share, c->info.unit, bytes * 1e-6,
           bytes / c->times.median * 1e-9,
           !checked           ? "-"
           : c->verdict.wrong ? "WRONG"
                              : "right");
    if (c->verdict.wrong)
        printf("         %s\n", c->verdict.sentence);
    clr_json *to = bench->cases ? clr_json_add_object(bench->cases, NULL) : NULL;
    clr_bench_say_resources(c->info.parameters[0] ? c->info.registers : 0, c->info.private_bytes,
                            c->info.local_bytes, to);
    if (!to)
        return;
    clr_json_add_whole(to, "stations", c->config.stations);
    clr_json_add_whole(to, "polarisations", c->config.polarisations);
    clr_json_add_whole(to, "channels", c->config.channels);
    clr_json_add_whole(to, "spectra", (int64_t)c->config.spectra);
    clr_json_add_text(to, "input", clradio_type_name(c->config.input));
    clr_json_add_text(to, "layout", clr_bench_layout_name(c->config.layout));
    clr_json_add_text(to, "who", who);
    clr_json_add_whole(to, "flagged", c->config.valid != 0);
    clr_json_add_text(to, "parameters", c->info.parameters);
    clr_json_add_text(to, "reason", c->info.reason);
    clr_json_add_real(to, "median_s", c->times.median);
    clr_json_add_real(to, "least_s", c->times.least);
    clr_json_add_real(to, "most_s", c->times.most);
    clr_json_add_real(to, "mad_s", c->times.mad);
    clr_json_add_whole(to, "repeats", (int64_t)c->times.count);
    clr_json_add_real(to, "useful_operations_per_s", rate);
    clr_json_add_real(to, "cmac_per_s", rate / 8);
    clr_json_add_real(to, "fraction_of_peak", peak > 0 ? rate / peak : 0);
    clr_json_add_text(to, "peak", c->info.unit);
    clr_json_add_real(to, "bytes", bytes);
    clr_json_add_real(to, "bytes_per_s", bytes / c->times.median);
    clr_json_add_text(to, "verdict",
                      !checked           ? "not checked"
                      : c->verdict.wrong ? "wrong"
                                         : "right");
    clr_json_add_real(to, "largest_error", c->verdict.largest_error);
}

/* OpenBLAS on the same data. */
void clr_bench_case_openblas(bench *bench, const bench_case *c)
{
    double seconds[CLR_BENCH_MOST_REPEATS];
    char why_not[128];
    bench_case other = *c;
    memset(&other.verdict, 0, sizeof other.verdict);
    other.info.parameters[0] = 0;
    const size_t repeats = bench->repeats;
    if (!clr_bench_cherk(c->spectra, (size_t)c->config.stations * c->config.polarisations,
                         c->config.channels, (size_t)c->config.spectra, seconds, repeats,
                         why_not)) {
        printf("         no comparison with OpenBLAS: %s\n", why_not);
        return;
    }
    clr_bench_summarise(seconds, repeats, &other.times);
    clr_bench_case_say(bench, &other, "OpenBLAS");
    printf("         the X-engine reaches %.2f of OpenBLAS cherk\n",
           other.times.median / c->times.median);
}
