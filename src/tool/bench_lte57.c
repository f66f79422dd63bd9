/*
 * clradio bench lte57: the job of a system-level simulator, 57 sectors x 570 users x 4 x 2
 * antennas, and five experiments with it: against the amount of work, the number of batches, the
 * number of streams, the processor, and the ways of launching. Every run's response is compared by
 * its checksum with the first one of the same job, and a sample of paths with the double reference.
 */
#include "tool/bench_lte57.h"
#include "tool/bench.h"
#include "tool/gnuplot.h"
#include "tool/options.h"
#include "tool/same_file.h"

#include "base/checked.h"
#include "base/file.h"
#include "base/progress.h"
#include "device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    const char *device, *picture, *json, *profile, *variant, *launch_parameters;
    int quick, type, experiment, launch, replay;
    uint64_t repeat, users, streams, memory_limit;
};

static const char *const type_names[] = { "cf32", "cf64", NULL };
static const char *const experiment_names[] = { "all",       "size",     "batches", "streams",
                                                "processor", "launches", "memory",  NULL };

static const clr_option options[] = {
    { .name = "experiment",
      .kind = CLR_OPTION_CHOICE,
      .value = "NAME",
      .offset = offsetof(struct values, experiment),
      .choices = experiment_names,
      .help = "one of them alone; memory is not one of all",
      .normally = "all" },
    { .name = "users",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .offset = offsetof(struct values, users),
      .least = 1,
      .most = 100000,
      .help = "receivers; each has a link to every sector",
      .normally = "570; 38 on a processor, and with --quick; memory: there 120" },
    { .name = "memory-limit",
      .kind = CLR_OPTION_BYTES,
      .value = "BYTES",
      .offset = offsetof(struct values, memory_limit),
      .least = 1,
      .most = 9e18,
      .help = "device memory to use at most in the experiment memory",
      .normally = "2G; 64M on a processor, and with --quick" },
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
    { .name = "streams",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .offset = offsetof(struct values, streams),
      .least = 1,
      .most = 32,
      .help = "batches in flight, where they are not what is varied",
      .normally = "4" },
    { .name = "launch",
      .kind = CLR_OPTION_CHOICE,
      .value = "HOW",
      .offset = offsetof(struct values, launch),
      .choices = clr_dft_launch_names,
      .help = "of links in the first four, as 'clradio dft' has it",
      .normally = "flat" },
    { .name = "launch-parameters",
      .kind = CLR_OPTION_TEXT,
      .value = "P=..",
      .offset = offsetof(struct values, launch_parameters),
      .help =
          "of that way, such as LINKS=57 PENDING=512; with --experiment launches that way alone, "
          "and several settings separated by ;" },
    { .name = "replay",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, replay),
      .help = "record a batch and replay it (CUDA graphs)" },
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
      .help = "also draw the experiments (.png, .svg or a gnuplot script, .gp)" },
    { .name = "json",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      .offset = offsetof(struct values, json),
      .help = "also write the figures to FILE" },
};

static const clr_usage usage = {
    .command = "bench lte57",
    .operands = "",
    .about =
        "Runs the channel DFT of a system-level simulation: 57 sectors x 570 users x 4 x 2 "
        "antennas. Five experiments: the amount of work, the number of batches, the number of "
        "streams while the processor works on each finished batch, the processor against "
        "the device, and links launched at once, each from the host or each from the device "
        "(CUDA). By its name alone: memory, 64 x 2 antennas and 1272 subcarriers (on a processor "
        "and with --quick 4 x 2), whose response of 42 GB streams through --memory-limit, "
        "beside the rate of the link in the same run. Times are from host memory to host memory, "
        "median of the repeats. Every "
        "response must be the same, bit for bit, and agree with the double reference.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

/* What does not go with what. */
static clr_exit check_values(const struct values *values)
{
    const int launches = values->experiment == 1 + CLR_LTE57_LAUNCHES;
    if (values->launch_parameters && !values->launch)
        return clr_say(CLR_EXIT_USAGE, "bench lte57: --launch-parameters needs --launch");
    if (launches && values->launch_parameters && values->picture)
        return clr_say(CLR_EXIT_USAGE, "bench lte57: --plot draws the usual ways of launching: "
                                       "leave --launch-parameters out");
    if (values->memory_limit && values->experiment != 1 + CLR_LTE57_MEMORY)
        return clr_say(CLR_EXIT_USAGE, "bench lte57: --memory-limit is for --experiment memory");
    const char *const outputs[] = { values->json, values->picture };
    clr_exit answer = clr_refuse_one_output("bench lte57", outputs, CLR_COUNT_OF(outputs));
    if (answer == CLR_EXIT_CARRY_ON && values->json)
        answer = clr_json_writable(values->json);
    if (answer == CLR_EXIT_CARRY_ON && values->picture)
        answer = clr_gnuplot_checked(values->picture);
    return answer;
}

/* What was asked for, or is usual on such a device. */
static void set_bench(clr_lte57 *bench, const struct values *values, int small)
{
    const int memory = values->experiment == 1 + CLR_LTE57_MEMORY;
    bench->quick = small;
    bench->users = values->users ? values->users : !small ? 570 : memory ? 120 : 38;
    bench->memory_limit =
        values->memory_limit ? values->memory_limit : (uint64_t)(small ? 64 : 2048) << 20;
    bench->repeats = values->repeat ? values->repeat : small ? 3 : 5;
    bench->request = (clr_dft_request){ .scenario = "lte57",
                                        .profile = values->profile,
                                        .average = 1,
                                        .type = values->type,
                                        .spacing_hz = 15e3,
                                        .first_hz = NAN,
                                        .sample_period_s = NAN,
                                        .delay_spread_s = NAN,
                                        .time_step_s = 1e-3,
                                        .antenna_spacing = 0.5,
                                        .seed = 1,
                                        .device = values->device,
                                        .launch = values->launch,
                                        .launch_parameters = values->launch_parameters,
                                        .variant = values->variant };
    if (values->experiment == 1 + CLR_LTE57_LAUNCHES) {
        bench->settings = values->launch_parameters;
        bench->request.launch_parameters = NULL; /* a list, and no setting */
    }
    bench->streams = values->streams ? (unsigned)values->streams : 4;
    bench->replay = values->replay;
    bench->json = values->json ? clr_json_object() : NULL;
    bench->json_rows = bench->json ? clr_json_add_array(bench->json, "lte57") : NULL;
}

clr_exit clr_bench_lte57(int argc, char **argv)
{
    struct values values = { 0 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_values(&values);
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
    set_bench(bench, &values, values.quick || info->kind == CLRADIO_DEVICE_CPU);
    printf("%s: %s; %llu users x 57 sectors x 4 x 2 antennas, %s\n", info->id, info->name,
           (unsigned long long)bench->users, type_names[values.type]);
    answer = clr_lte57_experiments(bench, values.experiment);
    if (values.picture && answer == CLR_EXIT_OK) {
        clr_exit drawn = clr_lte57_draw(bench, info->name, values.picture);
        answer = answer == CLR_EXIT_OK ? drawn : answer;
    }
    answer = clr_bench_write(bench->json, values.json, answer);
    clradio_device_close(bench->device);
    free(bench);
    return answer;
}
