/* clradio bench dft: rates of the channel DFT on a device, each with a check of the result. */
#include "tool/bench_dft.h"
#include "base/text.h"
#include "device/device.h"
#include "tool/options.h"
#include "tool/say.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = 32, MOST_SETTING = 320, MOST_PATHS = 65536, MOST_SUBCARRIERS = 1 << 24 };

struct values {
    const char *subcarriers, *delays, *type, *paths, *variant, *parameters, *device, *json;
    uint64_t links, taps, repeat, host;
    int quick, alone;
};

static const clr_option options[] = {
    { .name = "quick",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, quick),
      .help = "a hundredth of the links, three repeats" },
    { .name = "subcarriers",
      .kind = CLR_OPTION_TEXT,
      .value = "N,...",
      .offset = offsetof(struct values, subcarriers),
      .help = "numbers of subcarriers",
      .normally = "50,600,1200" },
    { .name = "delays",
      .kind = CLR_OPTION_TEXT,
      .value = "KIND,...",
      .offset = offsetof(struct values, delays),
      .help =
          "grid: consecutive samples; samples: of the same grid, in any order, shared by the paths "
          "of a link; shared: any, shared so; path: any, of each path",
      .normally = "grid,shared,path" },
    { .name = "type",
      .kind = CLR_OPTION_TEXT,
      .value = "TYPE,...",
      .offset = offsetof(struct values, type),
      .help = "cf32, cf64",
      .normally = "cf32" },
    { .name = "links",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = 1e8,
      .offset = offsetof(struct values, links),
      .help = "links",
      .normally = "32490 (57 sectors x 570 users); from 1000 subcarriers on half of them with half "
                  "the paths; on a processor a tenth" },
    { .name = "paths",
      .kind = CLR_OPTION_TEXT,
      .value = "N,...",
      .offset = offsetof(struct values, paths),
      .help = "numbers of paths a link",
      .normally = "8" },
    { .name = "taps",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = 100000,
      .offset = offsetof(struct values, taps),
      .help = "taps a path",
      .normally = "24" },
    CLR_OPTION_VARIANT(offsetof(struct values, variant), "NAME", "the variant"),
    { .name = "parameters",
      .kind = CLR_OPTION_TEXT,
      .value = "HALF=..;..",
      .offset = offsetof(struct values, parameters),
      .help = "parameters of the variant; several such settings, with ; between them, are measured "
              "one after the other",
      .normally = "chosen" },
    CLR_OPTION_DEVICE(offsetof(struct values, device)),
    { .name = "repeat",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = CLR_BENCH_MOST_REPEATS,
      .offset = offsetof(struct values, repeat),
      .help = "timed runs of each case, after two that warm up",
      .normally = "11" },
    { .name = "host",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = 32,
      .offset = offsetof(struct values, host),
      .help = "also from host memory, with N batches in flight" },
    { .name = "alone",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, alone),
      .help = "without the peers: BLAS and FFT library on the device, OpenBLAS and FFTW on "
              "a processor" },
    { .name = "json",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      .offset = offsetof(struct values, json),
      .help = "also write the figures to FILE" },
};

static const clr_usage usage = {
    .command = "bench dft",
    .operands = "",
    .about = "Measures the channel DFT: kernel time by events, median of the repeats. TB/s counts "
             "the least traffic, gains once and response once; of peak counts 8 operations a tap "
             "and subcarrier. Some links of each result are checked against the plain reference. "
             "The peers that are there run on the same data.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

static int take_kind(const char *word, void *to)
{
    clr_bench_dft_kind *kind = to;
    for (int k = 0; k < CLR_BENCH_DFT_KINDS; k++)
        if (strcmp(word, clr_bench_dft_kind_names[k]) == 0) {
            *kind = (clr_bench_dft_kind)k;
            return 1;
        }
    return 0;
}

static int take_type(const char *word, void *to)
{
    clradio_type *type = to;
    *type = clradio_type_from_name(word);
    return *type == CLRADIO_CF32 || *type == CLRADIO_CF64;
}

static void say_peers(dft_bench *bench, const dft_case *c)
{
    clr_bench_dft_libraries(bench, c);
    if (bench->info->kind != CLRADIO_DEVICE_CPU || c->type != CLRADIO_CF32)
        return;
    clr_bench_dft_openblas(bench, c);
    if (c->kind == CLR_BENCH_DFT_GRID)
        clr_bench_dft_fftw(bench, c);
}

/* A case that cannot be is said, and no failure. */
static void run_case(dft_bench *bench, const struct values *values, clr_bench_dft_kind kind,
                     clradio_type type, uint32_t subcarriers, uint64_t paths)
{
    const int cpu = bench->info->kind == CLRADIO_DEVICE_CPU, halved = subcarriers >= 1000;
    const uint64_t usual = halved ? 32490 / 2 : 32490;
    dft_case c = { .kind = kind,
                   .type = type,
                   .taps = values->taps,
                   .subcarriers = subcarriers,
                   .links = values->links ? values->links
                            : cpu         ? usual / 10
                                          : usual,
                   .paths_per_link = paths    ? paths
                                     : halved ? 4
                                              : 8 };
    if (values->quick)
        c.links = c.links / 100 + 1;
    clradio_status status = clr_bench_dft_measure(bench, &c);
    if (status) {
        printf("%-7s %-5s %8llu %6u  ", clr_bench_dft_kind_names[kind], clradio_type_name(type),
               (unsigned long long)c.counts.paths, subcarriers);
        clr_bench_say_fault(&bench->faults, status);
    } else {
        clr_bench_dft_say(bench, &c, c.info.variant, &c.times, 1);
        if (bench->streams && clr_bench_dft_host(bench, &c)) {
            printf("        from host memory: %s\n", clradio_last_error());
            bench->faults.wrong++;
        }
        if (!values->alone)
            say_peers(bench, &c);
    }
    clr_bench_dft_release(&c);
    fflush(stdout);
}

/* A case with each of the settings of parameters that were given. */
static void run_settings(dft_bench *bench, const struct values *values, clr_bench_dft_kind kind,
                         clradio_type type, uint32_t subcarriers, uint64_t paths)
{
    const char *rest = values->parameters ? values->parameters : "";
    const int several = strchr(rest, ';') != NULL;
    do {
        char setting[MOST_SETTING];
        const size_t length = strcspn(rest, ";");
        snprintf(setting, sizeof setting, "%.*s", (int)length, rest);
        bench->parameters = setting;
        if (several)
            printf("with %s:\n", *setting ? setting : "what is chosen");
        run_case(bench, values, kind, type, subcarriers, paths);
        rest += length;
    } while (*rest++);
    bench->parameters = NULL;
}

/* The numbers and names of one run. */
typedef struct lists {
    uint64_t subcarriers[MOST_NUMBERS], paths[MOST_NUMBERS]; /* paths 0: as is usual */
    clr_bench_dft_kind kinds[MOST_NUMBERS];
    clradio_type types[MOST_NUMBERS];
    size_t n_subcarriers, n_paths, n_kinds, n_types;
} lists;

static clr_exit take_lists(const struct values *v, lists *of)
{
    const char *delays = v->delays ? v->delays : "grid,shared,path";
    const char *type = v->type ? v->type : "cf32";
    of->n_kinds = clr_bench_list(delays, take_kind, of->kinds, sizeof *of->kinds, MOST_NUMBERS);
    if (!of->n_kinds)
        return clr_say(CLR_EXIT_USAGE,
                       "--delays %s: kinds are grid, samples, shared and path, with commas between "
                       "them",
                       delays);
    of->n_types = clr_bench_list(type, take_type, of->types, sizeof *of->types, MOST_NUMBERS);
    if (!of->n_types)
        return clr_say(CLR_EXIT_USAGE,
                       "--type %s: types are cf32 and cf64, with a comma between them", type);
    of->n_subcarriers =
        clr_bench_numbers("subcarriers", v->subcarriers ? v->subcarriers : "50,600,1200",
                          MOST_SUBCARRIERS, of->subcarriers, MOST_NUMBERS);
    of->n_paths = 1;
    if (of->n_subcarriers && v->paths)
        of->n_paths = clr_bench_numbers("paths", v->paths, MOST_PATHS, of->paths, MOST_NUMBERS);
    return of->n_subcarriers && of->n_paths ? CLR_EXIT_CARRY_ON : CLR_EXIT_USAGE;
}

static clr_exit run_all(dft_bench *bench, const struct values *v, const lists *of)
{
    printf("%-7s %-5s %8s %6s %5s  %-11s %9s %9s %9s %8s %9s %8s  %s\n", "delays", "type", "paths",
           "subc.", "taps", "who", "median ms", "least", "most", "TB/s", "Gsubc./s", "of peak",
           "result");
    for (size_t p = 0; p < of->n_paths; p++) {
        if (of->n_paths > 1)
            printf("with %llu paths a link:\n", (unsigned long long)of->paths[p]);
        for (size_t t = 0; t < of->n_types; t++)
            for (size_t k = 0; k < of->n_kinds; k++)
                for (size_t s = 0; s < of->n_subcarriers; s++)
                    run_settings(bench, v, of->kinds[k], of->types[t], (uint32_t)of->subcarriers[s],
                                 of->paths[p]);
    }
    return clr_bench_answer(&bench->faults);
}

clr_exit clr_bench_dft(int argc, char **argv)
{
    struct values values = { .taps = 24 };
    dft_bench bench = { .streams = 0 };
    lists lists = { .n_kinds = 0 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = take_lists(&values, &lists);
    if (answer == CLR_EXIT_CARRY_ON && values.json)
        answer = clr_json_writable(values.json);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clradio_status status = clradio_device_open(values.device, &bench.device);
    if (!status)
        status = clradio_queue_create(bench.device, CLRADIO_QUEUE_PROFILING, &bench.queue);
    if (!status)
        status = clr_bench_measure_peak(bench.device, &bench.peak);
    if (status) {
        answer = clr_say_status(status);
    } else {
        bench.repeats = values.repeat ? (size_t)values.repeat : values.quick ? 3 : 11;
        bench.info = clr_device_info(bench.device);
        bench.variant = values.variant;
        bench.streams = values.host;
        bench.json = values.json ? clr_json_object() : NULL;
        clr_bench_say_device(bench.info, &bench.peak, bench.json);
        bench.cases = bench.json ? clr_json_add_array(bench.json, "dft") : NULL;
        answer = clr_bench_write(bench.json, values.json, run_all(&bench, &values, &lists));
    }
    clradio_queue_destroy(bench.queue);
    clradio_device_close(bench.device);
    return answer;
}
