/* clradio bench xengine: rates of the X-engine on a device, each with a check of the result. */
#include "tool/bench_xengine.h"
#include "base/text.h"
#include "device/device.h"
#include "engine/xengine_internal.h"
#include "tool/gnuplot.h"
#include "tool/options.h"
#include "tool/same_file.h"
#include "tool/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 32 };

struct values {
    const char *stations, *channels, *spectra, *input, *layout, *variant, *parameters, *device;
    const char *json, *picture;
    uint64_t polarisations, repeat, pipeline;
    int flagged;
};

static const clr_option options[] = {
    { .name = "stations",
      .kind = CLR_OPTION_TEXT,
      .value = "N,...",
      .offset = offsetof(struct values, stations),
      .help = "numbers of stations",
      .normally = "16,64,128 on a processor, else 64,128,256,512,1024" },
    { .name = "channels",
      .kind = CLR_OPTION_TEXT,
      .value = "N,...",
      .offset = offsetof(struct values, channels),
      .help = "numbers of channels",
      .normally = "4 on a processor, else enough to fill the device" },
    { .name = "spectra",
      .kind = CLR_OPTION_TEXT,
      .value = "N,...",
      .offset = offsetof(struct values, spectra),
      .help = "spectra a call",
      .normally = "1024 on a processor, else 3072" },
    { .name = "polarisations",
      .kind = CLR_OPTION_COUNT,
      .value = "1|2",
      .least = 1,
      .most = 2,
      .offset = offsetof(struct values, polarisations),
      .help = "polarisations",
      .normally = "2" },
    { .name = "input",
      .kind = CLR_OPTION_TEXT,
      .value = "TYPE,...",
      .offset = offsetof(struct values, input),
      .help = "input types: ci4, ci8, ci16, cf16, cf32",
      .normally = "ci8,cf32" },
    { .name = "layout",
      .kind = CLR_OPTION_TEXT,
      .value = "LAYOUT,...",
      .offset = offsetof(struct values, layout),
      .help = "layouts of the input: blocked ([channel][time/T][input][T], T such that a run "
              "of real or imaginary parts is 16 bytes), tci ([time][channel][input], the engine's "
              "default), cit ([channel][input][time])",
      .normally = "blocked,tci" },
    CLR_OPTION_VARIANT(offsetof(struct values, variant), "NAME|all",
                       "the variant; all: one after another"),
    CLR_OPTION_PARAMETERS(offsetof(struct values, parameters), "W=.."),
    CLR_OPTION_DEVICE(offsetof(struct values, device)),
    { .name = "repeat",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = CLR_BENCH_MOST_REPEATS,
      .offset = offsetof(struct values, repeat),
      .help = "timed runs of each case, after two that "
              "warm up",
      .normally = "11" },
    { .name = "flagged",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, flagged),
      .help = "with a tenth of the samples flagged, by spectrum and input, and counts written" },
    { .name = "pipeline",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = 8,
      .offset = offsetof(struct values, pipeline),
      .help = "also from host memory through a pipeline of N slots, with what bounds it" },
    { .name = "plot",
      .kind = CLR_OPTION_TEXT,
      .value = "PICTURE",
      .offset = offsetof(struct values, picture),
      .help = "also draw the rates against the number of inputs (.png, .svg or a gnuplot script, "
              ".gp)" },
    { .name = "json",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      .offset = offsetof(struct values, json),
      .help = "also write the figures to FILE" },
};

static const clr_usage usage = {
    .command = "bench xengine",
    .operands = "",
    .about = "Measures the X-engine: kernel time by events with random full-range input, median of "
             "the repeats, from each layout of the input with the transposition in it. Useful work "
             "is counted: 8 operations a complex multiply-accumulate, "
             "baselines with autocorrelations once. Each result is checked against the plain "
             "reference on values drawn by a fixed seed. 10 stations with 1 and with 16 channels "
             "show what slicing the time (SPLIT_T) gains. On a processor OpenBLAS cherk runs on "
             "the same data.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

/* Measures and says one case; seconds may be NULL. A case that cannot be is said, and no failure.
 * drawn: what its line in the picture is called besides, or NULL: it is not drawn. */
static void run_case(bench *bench, const clradio_xengine_config *config, const char *drawn,
                     double *seconds)
{
    bench_case c = { .config = *config };
    clradio_status status = clr_bench_case_measure(bench, &c);
    if (status) {
        printf("%8u %8u %8llu  %-5s %-7s %s%s", config->stations, config->channels,
               (unsigned long long)config->spectra, clradio_type_name(config->input),
               clr_bench_layout_name(config->layout), config->variant ? config->variant : "",
               config->variant ? " " : "");
        clr_bench_say_fault(&bench->faults, status);
    } else {
        clr_bench_case_say(bench, &c, c.info.variant);
        if (bench->slots && clr_bench_case_pipeline(bench, &c, bench->slots)) {
            printf("         from host memory: failed: %s\n", clradio_last_error());
            bench->faults.wrong++;
        }
        if (drawn)
            clr_bench_xengine_point(bench, &c, drawn);
        if (bench->info->kind == CLRADIO_DEVICE_CPU && config->input == CLRADIO_CF32 &&
            config->layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT)
            clr_bench_case_openblas(bench, &c);
    }
    if (seconds)
        *seconds = status ? 0 : c.times.median;
    clr_bench_case_release(&c);
    fflush(stdout);
}

/* What slicing the time gains where tiles and channels do not fill the device. */
static void run_split_cases(bench *bench, clradio_xengine_config config)
{
    const char *given = config.parameters ? config.parameters : "";
    static const uint32_t channels[] = { 1, 16 };
    if (strstr(given, "SPLIT_T") || (config.variant && strcmp(config.variant, "blas") == 0))
        return;
    config.stations = 10;
    config.spectra = 16384;
    config.layout = CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
    for (size_t n = 0; n < 2; n++) {
        double one, several;
        char parameters[320];
        snprintf(parameters, sizeof parameters, "%s SPLIT_T=1", given);
        config.channels = channels[n];
        config.parameters = parameters;
        run_case(bench, &config, NULL, &one);
        if (one <= 0) /* neither would the other be */
            continue;
        config.parameters = given;
        run_case(bench, &config, NULL, &several);
        if (several > 0)
            printf("         10 stations, %u channel%s: slices of the time gain a factor %.2f\n",
                   channels[n], channels[n] > 1 ? "s" : "", one / several);
    }
}

static void say_head(void)
{
    printf("%8s %8s %8s  %-5s %-7s %-8s %9s %9s %9s %8s %10s %10s %7s %-8s %9s %8s  %s\n",
           "stations", "channels", "spectra", "input", "layout", "who", "median ms", "least",
           "most", "MAD", "TOP/s", "GcMAC/s", "of peak", "", "MB moved", "GB/s", "result");
}

/* The numbers and names of one run. */
typedef struct lists {
    uint64_t stations[MOST_NUMBERS], channels[MOST_NUMBERS], spectra[MOST_NUMBERS];
    clradio_type inputs[MOST_NUMBERS];
    clradio_layout layouts[MOST_NUMBERS];
    const char *variants[MOST_NUMBERS]; /* NULL: chosen */
    size_t n_stations, n_channels, n_spectra, n_inputs, n_layouts, n_variants;
} lists;

/* The nearest number: sizes beside one another are compared with the same channels. */
static uint64_t channels_that_fill(uint64_t stations)
{
    const uint64_t channels = (16384 + stations / 2) / stations;
    return channels > 8 ? channels : 8;
}

/* Every layout and variant of one problem, the layouts beside one another. */
static void run_problem(bench *bench, const lists *lists, clradio_xengine_config config)
{
    char varied[64] = "";
    if (lists->n_channels > 1)
        snprintf(varied, sizeof varied, ", %u channels", config.channels);
    if (lists->n_spectra > 1)
        snprintf(varied + strlen(varied), sizeof varied - strlen(varied), ", %llu spectra",
                 (unsigned long long)config.spectra);
    for (size_t v = 0; v < lists->n_variants; v++)
        for (size_t l = 0; l < lists->n_layouts; l++) {
            config.variant = lists->variants[v];
            config.layout = lists->layouts[l];
            run_case(bench, &config, varied, NULL);
        }
}

static clr_exit run_all(bench *bench, const struct values *v, const lists *lists)
{
    const int cpu = bench->info->kind == CLRADIO_DEVICE_CPU;
    clradio_xengine_config config = CLRADIO_XENGINE_CONFIG_INIT;
    config.polarisations = (uint32_t)v->polarisations;
    config.parameters = v->parameters;
    config.flags = CLRADIO_XENGINE_SINGLE_CALL; /* one call is an integration */
    if (v->flagged) {
        config.valid = CLRADIO_VALID_BYTES | CLRADIO_VALID_PER_INPUT;
        config.valid_times = 1;
    }
    say_head();
    for (size_t i = 0; i < lists->n_inputs; i++) {
        config.input = lists->inputs[i];
        /* the exact sums of up to 65,535 spectra fit 32 bits */
        config.output = config.input == CLRADIO_CI8 || config.input == CLRADIO_CI4
                            ? CLRADIO_CI32
                            : CLRADIO_TYPE_NONE;
        for (size_t s = 0; s < lists->n_stations; s++)
            for (size_t c = 0; c < lists->n_channels; c++)
                for (size_t t = 0; t < lists->n_spectra; t++) {
                    const uint64_t fill = channels_that_fill(lists->stations[s]);
                    config.stations = (uint32_t)lists->stations[s];
                    config.channels = (uint32_t)(v->channels ? lists->channels[c] : cpu ? 4 : fill);
                    config.spectra = lists->spectra[t];
                    run_problem(bench, lists, config);
                }
        for (size_t n = 0; n < lists->n_variants; n++) {
            config.variant = lists->variants[n];
            run_split_cases(bench, config);
        }
    }
    return clr_bench_answer(&bench->faults);
}

static int take_input(const char *word, void *to)
{
    clradio_type *input = to;
    *input = clradio_type_from_name(word);
    return *input == CLRADIO_CI4 || *input == CLRADIO_CI8 || *input == CLRADIO_CI16 ||
           *input == CLRADIO_CF16 || *input == CLRADIO_CF32;
}

static const char *const layout_names[] = { "tci", "cit", "blocked" };

const char *clr_bench_layout_name(clradio_layout layout)
{
    return layout_names[layout];
}

static int take_layout(const char *word, void *to)
{
    for (int n = 0; n <= CLRADIO_LAYOUT_BLOCKED; n++)
        if (strcmp(word, layout_names[n]) == 0) {
            *(clradio_layout *)to = (clradio_layout)n;
            return 1;
        }
    return 0;
}

static clr_exit take_variants(const struct values *v, lists *lists)
{
    lists->variants[0] = v->variant;
    lists->n_variants = 1;
    if (!v->variant || strcmp(v->variant, "all") != 0)
        return CLR_EXIT_CARRY_ON;
    if (v->parameters)
        return clr_say(CLR_EXIT_USAGE, "--parameters are of one variant: they do not go with "
                                       "--variant all");
    lists->n_variants = clr_xengine_variant_count;
    for (size_t n = 0; n < lists->n_variants; n++)
        lists->variants[n] = clr_xengine_variants[n]->name;
    return CLR_EXIT_CARRY_ON;
}

static clr_exit take_lists(const struct values *v, const clradio_device_info *info, lists *lists)
{
    const int cpu = info->kind == CLRADIO_DEVICE_CPU;
    lists->n_channels = lists->n_spectra = 1;
    lists->n_stations = clr_bench_numbers("stations",
                                          v->stations ? v->stations
                                          : cpu       ? "16,64,128"
                                                      : "64,128,256,512,1024",
                                          UINT32_MAX, lists->stations, MOST_NUMBERS);
    if (lists->n_stations && v->channels)
        lists->n_channels =
            clr_bench_numbers("channels", v->channels, UINT32_MAX, lists->channels, MOST_NUMBERS);
    if (lists->n_stations && lists->n_channels)
        lists->n_spectra = clr_bench_numbers("spectra",
                                             v->spectra ? v->spectra
                                             : cpu      ? "1024"
                                                        : "3072",
                                             INT64_MAX, lists->spectra, MOST_NUMBERS);
    return lists->n_stations && lists->n_channels && lists->n_spectra ? CLR_EXIT_CARRY_ON
                                                                      : CLR_EXIT_USAGE;
}

/* What can be read without a device. */
static clr_exit take_names(const struct values *v, lists *lists)
{
    lists->n_inputs =
        clr_bench_list(v->input, take_input, lists->inputs, sizeof *lists->inputs, MOST_NUMBERS);
    if (!lists->n_inputs)
        return clr_say(CLR_EXIT_USAGE,
                       "--input %s: types are ci4, ci8, ci16, cf16 and cf32, with commas "
                       "between them",
                       v->input);
    lists->n_layouts = clr_bench_list(v->layout, take_layout, lists->layouts,
                                      sizeof *lists->layouts, MOST_NUMBERS);
    if (!lists->n_layouts)
        return clr_say(CLR_EXIT_USAGE,
                       "--layout %s: layouts are blocked, tci and cit, with commas between them",
                       v->layout);
    return take_variants(v, lists);
}

static clr_exit measure_and_write(bench *bench, const struct values *values, const lists *lists)
{
    bench->repeats = (size_t)values->repeat;
    bench->slots = (unsigned)values->pipeline;
    bench->picture = values->picture;
    bench->json = values->json ? clr_json_object() : NULL;
    clr_bench_say_device(bench->info, &bench->peak, bench->json);
    bench->cases = bench->json ? clr_json_add_array(bench->json, "xengine") : NULL;
    clr_exit answer = run_all(bench, values, lists);
    if (bench->picture) {
        const clr_exit drawn = clr_bench_xengine_draw(bench);
        answer = answer == CLR_EXIT_OK ? drawn : answer;
    }
    return clr_bench_write(bench->json, values->json, answer);
}

clr_exit clr_bench_xengine(int argc, char **argv)
{
    struct values values = {
        .polarisations = 2, .repeat = 11, .input = "ci8,cf32", .layout = "blocked,tci"
    };
    lists lists = { .n_inputs = 0 };
    bench bench = { .slots = 0 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
    const char *const outputs[] = { values.json, values.picture };
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_refuse_one_output("bench xengine", outputs, CLR_COUNT_OF(outputs));
    if (answer == CLR_EXIT_CARRY_ON && values.json)
        answer = clr_json_writable(values.json);
    if (answer == CLR_EXIT_CARRY_ON && values.picture)
        answer = clr_gnuplot_checked(values.picture);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = take_names(&values, &lists);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clradio_status status = clradio_device_open(values.device, &bench.device);
    if (!status) {
        bench.info = clr_device_info(bench.device);
        answer = take_lists(&values, bench.info, &lists);
    }
    if (!status && answer == CLR_EXIT_CARRY_ON)
        status = clradio_queue_create(bench.device, CLRADIO_QUEUE_PROFILING, &bench.queue);
    if (!status && answer == CLR_EXIT_CARRY_ON)
        status = clr_bench_measure_peak(bench.device, &bench.peak);
    if (status)
        answer = clr_say_status(status);
    else if (answer == CLR_EXIT_CARRY_ON)
        answer = measure_and_write(&bench, &values, &lists);
    free(bench.points);
    clradio_queue_destroy(bench.queue);
    clradio_device_close(bench.device);
    return answer;
}
