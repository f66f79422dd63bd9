/* clradio bench xengine: rates of the X-engine on a device, each with a check of the result. */
#include "tool/bench_xengine.h"
#include "base/text.h"
#include "device/device.h"
#include "tool/options.h"
#include "tool/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 32 };

struct values {
    const char *stations, *channels, *spectra, *input, *variant, *parameters, *device, *json;
    uint64_t polarisations, repeat;
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
      .help = "input types: ci4, ci8, ci16, cf32",
      .normally = "ci8,cf32" },
    { .name = "variant",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      .offset = offsetof(struct values, variant),
      .help = "the variant",
      .normally = "chosen" },
    { .name = "parameters",
      .kind = CLR_OPTION_TEXT,
      .value = "W=..",
      .offset = offsetof(struct values, parameters),
      .help = "parameters of the variant",
      .normally = "chosen" },
    { .name = "device",
      .kind = CLR_OPTION_TEXT,
      .value = "D",
      .offset = offsetof(struct values, device),
      .help = "the device",
      .normally = "auto" },
    { .name = "repeat",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = CLR_BENCH_MOST_REPEATS,
      .offset = offsetof(struct values, repeat),
      .help = "timed runs of each case, after two that "
              "warm up",
      .normally = "11" },
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
             "the repeats. Useful work is counted: 8 operations a complex multiply-accumulate, "
             "baselines with autocorrelations once. Each result is checked against the plain "
             "reference on values drawn by a fixed seed. 10 stations with 1 and with 16 channels "
             "show what slicing the time (SPLIT_T) gains. On a processor OpenBLAS cherk runs on "
             "the same data.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

/* Measures and says one case; seconds may be NULL. A case that cannot be is said, and no failure.
 */
static void run_case(bench *bench, const struct values *values, clradio_type input,
                     uint32_t stations, uint32_t channels, uint64_t spectra, const char *parameters,
                     double *seconds)
{
    bench_case c = { .plan = NULL };
    c.config = (clradio_xengine_config)CLRADIO_XENGINE_CONFIG_INIT;
    c.config.input = input;
    c.config.stations = stations;
    c.config.polarisations = (uint32_t)values->polarisations;
    c.config.channels = channels;
    c.config.spectra = spectra;
    c.config.variant = values->variant;
    c.config.parameters = parameters;
    clradio_status status = clr_bench_case_measure(bench, &c);
    if (status) {
        printf("%8u %8u %8llu  %-5s %s: %s\n", stations, channels, (unsigned long long)spectra,
               clradio_type_name(input),
               status == CLRADIO_ERROR_UNSUPPORTED ? "unsupported" : "failed",
               clradio_last_error());
        bench->wrong += status != CLRADIO_ERROR_UNSUPPORTED;
    } else {
        clr_bench_case_say(bench, &c, c.info.variant);
        if (bench->info->kind == CLRADIO_DEVICE_CPU && input == CLRADIO_CF32)
            clr_bench_case_openblas(bench, &c);
    }
    if (seconds)
        *seconds = status ? 0 : c.times.median;
    clr_bench_case_release(&c);
    fflush(stdout);
}

/* What slicing the time gains where tiles and channels do not fill the device. */
static void run_split_cases(bench *bench, const struct values *values, clradio_type input)
{
    const char *given = values->parameters ? values->parameters : "";
    static const uint32_t channels[] = { 1, 16 };
    if (strstr(given, "SPLIT_T") || (values->variant && strcmp(values->variant, "blas") == 0))
        return;
    for (size_t n = 0; n < 2; n++) {
        double one, several;
        char parameters[320];
        snprintf(parameters, sizeof parameters, "%s SPLIT_T=1", given);
        run_case(bench, values, input, 10, channels[n], 16384, parameters, &one);
        run_case(bench, values, input, 10, channels[n], 16384, given, &several);
        if (one > 0 && several > 0)
            printf("         10 stations, %u channel%s: slices of the time gain a factor %.2f\n",
                   channels[n], channels[n] > 1 ? "s" : "", one / several);
    }
}

static clr_exit run_all(bench *bench, const struct values *v, const clradio_type *inputs,
                        size_t n_inputs)
{
    const int cpu = bench->info->kind == CLRADIO_DEVICE_CPU;
    uint64_t stations[MOST_NUMBERS], channels[MOST_NUMBERS], spectra[MOST_NUMBERS];
    const size_t n_stations = clr_bench_numbers(v->stations ? v->stations
                                                : cpu       ? "16,64,128"
                                                            : "64,128,256,512,1024",
                                                stations, MOST_NUMBERS);
    size_t n_channels = v->channels ? clr_bench_numbers(v->channels, channels, MOST_NUMBERS) : 1;
    const size_t n_spectra = clr_bench_numbers(v->spectra ? v->spectra
                                               : cpu      ? "1024"
                                                          : "3072",
                                               spectra, MOST_NUMBERS);
    if (!n_stations || !n_channels || !n_spectra)
        return clr_say(CLR_EXIT_USAGE, "--stations, --channels and --spectra are numbers above "
                                       "zero with commas between them");
    printf("%8s %8s %8s  %-5s %-8s %9s %9s %9s %8s %10s %10s %7s %-5s %8s  %s\n", "stations",
           "channels", "spectra", "input", "who", "median ms", "least", "most", "MAD", "TOP/s",
           "GcMAC/s", "of peak", "", "GB/s", "result");
    for (size_t i = 0; i < n_inputs; i++) {
        for (size_t s = 0; s < n_stations; s++)
            for (size_t c = 0; c < n_channels; c++)
                for (size_t t = 0; t < n_spectra; t++) {
                    const uint64_t fill = 16384 / stations[s] > 8 ? 16384 / stations[s] : 8;
                    run_case(bench, v, inputs[i], (uint32_t)stations[s],
                             (uint32_t)(v->channels ? channels[c]
                                        : cpu       ? 4
                                                    : fill),
                             spectra[t], v->parameters, NULL);
                }
        run_split_cases(bench, v, inputs[i]);
    }
    return bench->wrong ? CLR_EXIT_FAILED : CLR_EXIT_OK;
}

static int take_input(const char *word, void *to)
{
    clradio_type *input = to;
    *input = clradio_type_from_name(word);
    return *input == CLRADIO_CI4 || *input == CLRADIO_CI8 || *input == CLRADIO_CI16 ||
           *input == CLRADIO_CF32;
}

static clr_exit write_json(const char *path, clr_json *json)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return clr_say(CLR_EXIT_INPUT_OUTPUT, "cannot write %s", path);
    clr_exit answer = clr_json_print(json, file);
    if (fclose(file) && answer == CLR_EXIT_OK)
        answer = clr_say(CLR_EXIT_INPUT_OUTPUT, "cannot write %s", path);
    return answer;
}

clr_exit clr_bench_xengine(int argc, char **argv)
{
    struct values values = { .polarisations = 2, .repeat = 11, .input = "ci8,cf32" };
    clradio_type inputs[MOST_NUMBERS];
    bench bench = { .wrong = 0 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
    if (answer == CLR_EXIT_CARRY_ON && values.json)
        answer = clr_json_ready();
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    const size_t n_inputs =
        clr_bench_list(values.input, take_input, inputs, sizeof *inputs, MOST_NUMBERS);
    if (!n_inputs)
        return clr_say(CLR_EXIT_USAGE,
                       "--input %s: types are ci4, ci8, ci16 and cf32, with commas "
                       "between them",
                       values.input);
    clradio_status status = clradio_device_open(values.device, &bench.device);
    if (!status)
        status = clradio_queue_create(bench.device, CLRADIO_QUEUE_PROFILING, &bench.queue);
    if (!status)
        status = clr_bench_measure_peak(bench.device, &bench.peak);
    if (status) {
        answer = clr_say_status(status);
    } else {
        bench.repeats = (size_t)values.repeat;
        bench.info = clr_device_info(bench.device);
        bench.json = values.json ? clr_json_object() : NULL;
        clr_bench_say_device(bench.info, &bench.peak, bench.json);
        bench.cases = bench.json ? clr_json_add_array(bench.json, "xengine") : NULL;
        answer = run_all(&bench, &values, inputs, n_inputs);
        if (bench.json) {
            clr_exit written = write_json(values.json, bench.json);
            answer = answer == CLR_EXIT_OK ? written : answer;
        }
    }
    clradio_queue_destroy(bench.queue);
    clradio_device_close(bench.device);
    return answer;
}
