/* clradio dft: its options, and the steps in order. */
#include "tool/dft.h"

#include "tool/commands.h"
#include "tool/options.h"
#include "tool/same_file.h"

#include <math.h>
#include <string.h>

#define FIELD(member) .offset = offsetof(clr_dft_request, member)

static const char *const type_names[] = { "cf32", "cf64", NULL };
static const char *const origin_names[] = { "centre", "first", "zero", NULL };
static const char *const normalise_names[] = { "none", "subcarriers", "link", NULL };
static const char *const order_names[] = { "auto", "path-subcarrier", "subcarrier-path", NULL };
static const char *const absent_names[] = { "auto", "negative", "none", NULL };
static const char *const unit_names[] = { "seconds", "samples", NULL };
static const char *const element_names[] = { "isotropic", "tr38901", NULL };

static const clr_option options[] = {
    { .kind = CLR_OPTION_HEADING, .help = "Output" },
    { .name = "output",
      .letter = 'o',
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      FIELD(output),
      .help = "the file of the response: .npy, .npz, .h5, .hdf5 or .mat; it appears when it is "
              "whole" },
    CLR_OPTION_ARRAY_FORMAT(offsetof(clr_dft_request, format)),
    { .name = "type",
      .kind = CLR_OPTION_CHOICE,
      .value = "TYPE",
      FIELD(type),
      .choices = type_names,
      .help = "of the arithmetic and the response",
      .normally = "cf32" },
    { .name = "normalise",
      .kind = CLR_OPTION_CHOICE,
      .value = "HOW",
      FIELD(normalise),
      .choices = normalise_names,
      .help = "subcarriers: times 1/sqrt(subcarriers); link: each link to a mean |H|^2 of 1, "
              "of the values that are written",
      .normally = "none" },
    { .name = "average",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(average),
      .least = 1,
      .most = 4e9,
      .help = "write the mean over blocks of N subcarriers (12: a resource block); for every N-th "
              "alone take N times the spacing",
      .normally = "1" },
    { .name = "order",
      .kind = CLR_OPTION_CHOICE,
      .value = "ORDER",
      FIELD(order),
      .choices = order_names,
      .help = "of a link's values",
      .normally = "path-subcarrier; for QuaDRiGa its own" },
    { .name = "write-taps",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      FIELD(write_taps),
      .help = "also write the taps, as arrays gain and delay (.npz, .h5, .mat)" },
    { .kind = CLR_OPTION_HEADING, .help = "Subcarriers" },
    { .name = "subcarriers",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(subcarriers),
      .least = 1,
      .most = 16777216,
      .help = "how many",
      .normally = "1200, or the length of --frequencies" },
    { .name = "spacing",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(spacing_hz),
      .least = -1e12,
      .most = 1e12,
      .help = "from one to the next",
      .normally = "15 kHz" },
    { .name = "origin",
      .kind = CLR_OPTION_CHOICE,
      .value = "WHERE",
      FIELD(origin),
      .choices = origin_names,
      .help = "centre: subcarrier N/2 is the carrier (Sionna); zero: the first one is (DeepMIMO, "
              "QuaDRiGa); first: the first one is at --first",
      .normally = "centre" },
    { .name = "first",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(first_hz),
      .least = -1e15,
      .most = 1e15,
      .help = "the first subcarrier, from the carrier; implies --origin first" },
    { .name = "frequencies",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE|F,...",
      FIELD(frequencies),
      .help = "any frequencies in place of a grid: a list such as 1MHz,2.5e6, or a .npy file in "
              "hertz" },
    { .name = "carrier",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(carrier_hz),
      .least = -1e15,
      .most = 1e15,
      .help = "added to every frequency",
      .normally = "0: the response at baseband" },
    { .kind = CLR_OPTION_HEADING, .help = "Taps from files" },
    { .name = "layout",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(layout),
      .help = "sionna, quadriga, deepmimo, clradio or rays",
      .normally = "recognised by the names of the arrays" },
    { .name = "gain",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(gain),
      .help = "the array of gains",
      .normally = "the layout's" },
    { .name = "delay",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(delay),
      .help = "the array of delays",
      .normally = "the layout's" },
    { .name = "absent",
      .kind = CLR_OPTION_CHOICE,
      .value = "MARK",
      FIELD(absent),
      .choices = absent_names,
      .help = "negative: a negative delay marks a tap that is not there",
      .normally = "auto: as the layout has it" },
    { .name = "delay-unit",
      .kind = CLR_OPTION_CHOICE,
      .value = "UNIT",
      FIELD(delay_unit),
      .choices = unit_names,
      .help = "of the file's delays; samples needs --sample-period or --sample-rate",
      .normally = "seconds" },
    { .name = "sample-period",
      .kind = CLR_OPTION_SECONDS,
      .value = "SECONDS",
      FIELD(sample_period_s),
      .least = 1e-15,
      .most = 1e6,
      .help = "round delays to whole samples of this length; without it they are taken as they "
              "are" },
    { .name = "sample-rate",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(sample_rate_hz),
      .least = 1e-6,
      .most = 1e15,
      .help = "in its place: one over that length, such as 30.72MHz" },
    { .kind = CLR_OPTION_HEADING, .help = "Taps from a model (3GPP TR 38.901)" },
    { .name = "profile",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(profile),
      .help = "TDL-A to TDL-E, CDL-A to CDL-E, TDL-A30, TDL-B100 or TDL-C300" },
    { .name = "delay-spread",
      .kind = CLR_OPTION_SECONDS,
      .value = "SECONDS",
      FIELD(delay_spread_s),
      .least = 1e-15,
      .most = 1,
      .help = "the delay spread that the profile is scaled to",
      .normally = "100 ns" },
    { .name = "links",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(links),
      .least = 1,
      .most = 1e9,
      .help = "independent links",
      .normally = "1" },
    { .name = "tx",
      .kind = CLR_OPTION_TEXT,
      .value = "RxCxP",
      FIELD(transmit),
      .help = "transmit antennas: rows x columns x polarisations, or their number",
      .normally = "1" },
    { .name = "rx",
      .kind = CLR_OPTION_TEXT,
      .value = "RxCxP",
      FIELD(receive),
      .help = "receive antennas",
      .normally = "1" },
    { .name = "antenna-spacing",
      .kind = CLR_OPTION_NUMBER,
      .value = "WAVELENGTHS",
      FIELD(antenna_spacing),
      .least = 0,
      .most = 1e6,
      .help = "of both arrays",
      .normally = "0.5" },
    { .name = "element",
      .kind = CLR_OPTION_CHOICE,
      .value = "NAME",
      FIELD(element),
      .choices = element_names,
      .help = "pattern of the transmit antennas",
      .normally = "isotropic" },
    { .name = "doppler",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(doppler_hz),
      .least = 0,
      .most = 1e9,
      .help = "largest Doppler frequency, speed over wavelength",
      .normally = "0" },
    { .name = "time-steps",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(time_steps),
      .least = 1,
      .most = 1e9,
      .help = "responses in a row, also for files with Doppler rates",
      .normally = "1" },
    { .name = "time-step",
      .kind = CLR_OPTION_SECONDS,
      .value = "SECONDS",
      FIELD(time_step_s),
      .least = 1e-12,
      .most = 1e6,
      .help = "from one to the next",
      .normally = "1 ms" },
    { .name = "travel",
      .kind = CLR_OPTION_TEXT,
      .value = "AZ,ZEN",
      FIELD(travel),
      .help = "direction in which the receiver moves, degrees (CDL)",
      .normally = "0,90" },
    { .name = "angle-spread",
      .kind = CLR_OPTION_TEXT,
      .value = "AOD,AOA,ZOD,ZOA",
      FIELD(angle_spread),
      .help = "scale the rays' angles to these spreads in degrees; - keeps one (CDL)" },
    { .name = "angle-mean",
      .kind = CLR_OPTION_TEXT,
      .value = "AOD,AOA,ZOD,ZOA",
      FIELD(angle_mean),
      .help = "turn them to these means in degrees; - keeps one (CDL)" },
    { .name = "seed",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(seed),
      .least = 0,
      .most = 9e18,
      .help = "of the model's random numbers",
      .normally = "1" },
    { .name = "scenario",
      .kind = CLR_OPTION_TEXT,
      .value = "lte57",
      FIELD(scenario),
      .help = "57 sectors x 570 users x 4 x 2 antennas, TDL-C of 300 ns and 50 subcarriers unless "
              "other options say otherwise" },
    { .kind = CLR_OPTION_HEADING, .help = "Device" },
    CLR_OPTION_DEVICE(offsetof(clr_dft_request, device)),
    CLR_OPTION_VARIANT(offsetof(clr_dft_request, variant), "NAME",
                       "direct, recurrence, pruned, gemm, bf16x6, dmma, blas or fft"),
    CLR_OPTION_PARAMETERS(offsetof(clr_dft_request, parameters), "P=.."),
    CLR_OPTION_MEMORY_LIMIT(offsetof(clr_dft_request, memory_limit)),
    { .name = "batch",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(batch),
      .least = 1,
      .most = 1e15,
      .help = "receivers of a batch",
      .normally = "chosen" },
    { .name = "streams",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(streams),
      .least = 1,
      .most = 32,
      .help = "batches in flight",
      .normally = "chosen" },
    { .name = "launch",
      .kind = CLR_OPTION_CHOICE,
      .value = "HOW",
      FIELD(launch),
      .choices = clr_dft_launch_names,
      .help = "of links: all at once; each from the host; each from the device (CUDA); emulated",
      .normally = "flat" },
    { .name = "launch-parameters",
      .kind = CLR_OPTION_TEXT,
      .value = "P=..",
      FIELD(launch_parameters),
      .help = "such as LINKS=57 PENDING=512; clradio/dft.h has them" },
    { .name = "verify",
      .kind = CLR_OPTION_FLAG,
      FIELD(verify),
      .help = "compare every value with the double-precision reference" },
};

static const clr_usage usage = {
    .command = "dft",
    .operands = "[FILE...]",
    .most_operands = 16,
    .about = "Computes the frequency response of every antenna pair from its taps, "
             "H[k] = sum of a exp(-2 pi i f_k tau). Taps come from files (arrays that Sionna, "
             "QuaDRiGa, DeepMIMO or clradio name, JSON lines of ray tracers), or from a model of "
             "3GPP TR 38.901. Delays and frequencies are arbitrary.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
    .notes =
        "As the tools themselves count: Sionna --origin centre, normalize_channel is --normalise "
        "link; QuaDRiGa --origin zero, --spacing is its bandwidth / (subcarriers - 1); DeepMIMO "
        "--origin zero --normalise subcarriers.\n"
        "Examples:\n"
        "  clradio dft --profile TDL-C --delay-spread 300ns --tx 4 --rx 2 -o h.h5\n"
        "  clradio dft a.npy tau.npy --subcarriers 3276 --spacing 30kHz -o h.npy\n"
        "  clradio dft channel.mat --origin zero --subcarriers 64 -o response.mat\n"
        "  clradio plot h.h5",
};

static clr_exit check_request(const clr_dft_request *request, size_t files)
{
    int model = request->profile || request->scenario;
    if (!files && !model)
        return clr_say(CLR_EXIT_USAGE, "dft needs files of taps, or --profile; 'clradio help dft' "
                                       "says more");
    if (files && model)
        return clr_say(CLR_EXIT_USAGE, "dft: taps come from files or from a model, not both");
    if (!request->output && !request->verify && !request->write_taps)
        return clr_say(CLR_EXIT_USAGE, "dft: say where to: -o FILE, or --verify alone");
    if (request->scenario && strcmp(request->scenario, "lte57") != 0)
        return clr_say(CLR_EXIT_USAGE, "dft: there is no scenario '%s'; there is: lte57",
                       request->scenario);
    if (request->output && !strcmp(request->output, "-"))
        return clr_say(CLR_EXIT_USAGE, "dft: an array file cannot go to standard output");
    if (request->delay_unit && isnan(request->sample_period_s) && request->sample_rate_hz == 0)
        return clr_say(CLR_EXIT_USAGE,
                       "dft: --delay-unit samples needs --sample-period or --sample-rate");
    if (!isnan(request->sample_period_s) && request->sample_rate_hz != 0)
        return clr_say(CLR_EXIT_USAGE, "dft: --sample-period and --sample-rate say the same");
    if (request->frequencies && (request->average > 1 || request->subcarriers))
        return clr_say(CLR_EXIT_USAGE, "dft: --frequencies takes neither --subcarriers nor "
                                       "--average");
    return clr_dft_check_source(request, files);
}

clr_exit clr_command_dft(int argc, char **argv)
{
    clr_dft_request request = { .average = 1,
                                .spacing_hz = 15e3,
                                .first_hz = NAN,
                                .sample_period_s = NAN,
                                .delay_spread_s = NAN,
                                .time_step_s = 1e-3,
                                .antenna_spacing = 0.5,
                                .seed = 1 };
    clr_operands files;
    clr_exit answer = clr_options_read(&usage, argc, argv, &request, &files);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_request(&request, files.count);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_refuse_input_as_output("dft", request.output, files.items, files.count);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_refuse_input_as_output("dft", request.write_taps, files.items, files.count);
    if (answer == CLR_EXIT_CARRY_ON) {
        const char *const outputs[] = { request.output, request.write_taps };
        answer = clr_refuse_one_output("dft", outputs, CLR_COUNT_OF(outputs));
    }
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    if (request.sample_rate_hz != 0)
        request.sample_period_s = 1 / request.sample_rate_hz;
    clr_interrupt_watch();
    clr_dft_job job = { .request = &request };
    answer =
        files.count ? clr_dft_read_taps(&job, files.items, files.count) : clr_dft_make_taps(&job);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_dft_configure(&job);
    if (answer == CLR_EXIT_CARRY_ON && request.write_taps) {
        clradio_status status = clr_dft_write_taps(&job, request.write_taps);
        answer = status ? clr_say_status(status) : CLR_EXIT_CARRY_ON;
        if (answer == CLR_EXIT_CARRY_ON && !request.output && !request.verify)
            answer = CLR_EXIT_OK;
    }
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_dft_run(&job);
    clr_dft_job_free(&job);
    return answer;
}
