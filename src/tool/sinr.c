/* clradio sinr: its options, and the steps in order. */
#include "tool/sinr.h"

#include "tool/commands.h"
#include "tool/options.h"
#include "tool/same_file.h"

#include <math.h>
#include <string.h>

#define FIELD(member) .offset = offsetof(clr_sinr_request, member)

static const char *const type_names[] = { "cf32", "cf64", NULL };
static const char *const method_names[] = { "mmse", "mrc", NULL };

static const clr_option options[] = {
    { .kind = CLR_OPTION_HEADING, .help = "Output" },
    { .name = "output",
      .letter = 'o',
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      FIELD(output),
      .help = "the file of the array sinr: .npy, .npz, .h5, .hdf5 or .mat; its axes are those of "
              "the response without antennas and sectors, and behind them the streams" },
    CLR_OPTION_ARRAY_FORMAT(offsetof(clr_sinr_request, format)),
    { .name = "decibels",
      .kind = CLR_OPTION_FLAG,
      FIELD(decibels),
      .help = "write 10 log10 of the ratios" },
    { .kind = CLR_OPTION_HEADING, .help = "Response" },
    { .name = "response",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(response),
      .help = "the array",
      .normally = "response, h or channel" },
    { .name = "axes",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME,...",
      FIELD(axes),
      .help = "names of its axes, slowest first, such as user,sector,rx,tx,subcarrier",
      .normally = "those in the file; only HDF5 files have them" },
    { .name = "rx-axis",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(receive),
      .help = "the axis of receive antennas",
      .normally = "rx_ant, else rx" },
    { .name = "tx-axis",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(transmit),
      .help = "the axis of transmit antennas, each a stream",
      .normally = "tx_ant, else tx" },
    { .name = "sector-axis",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(sector),
      .help = "the axis of transmitters that a receiver hears together: one serves, the others "
              "interfere",
      .normally = "sector; tx where there is tx_ant; else there is no interference" },
    { .name = "serving",
      .kind = CLR_OPTION_TEXT,
      .value = "N",
      FIELD(serving),
      .help = "which of them serves: a number from 0, or strongest: for each receiver the one of "
              "largest power over antennas, subcarriers and times",
      .normally = "strongest" },
    { .kind = CLR_OPTION_HEADING, .help = "Noise and method" },
    { .name = "noise",
      .kind = CLR_OPTION_NUMBER,
      .value = "N0",
      FIELD(noise),
      .least = 1e-300,
      .most = 1e300,
      .help =
          "E|n|^2 of a receive antenna, in the unit of |H|^2; powers of the transmitters are in "
          "H" },
    { .name = "snr",
      .kind = CLR_OPTION_NUMBER,
      .value = "DB",
      FIELD(snr_db),
      .least = -200,
      .most = 300,
      .help = "in its place: the SNR of a receive antenna where E|H|^2 is 1, streams / N0, in dB" },
    { .name = "method",
      .kind = CLR_OPTION_CHOICE,
      .value = "NAME",
      FIELD(method),
      .choices = method_names,
      .help = "mmse: 1 / [(I + H^H R^-1 H)^-1]_kk - 1; mrc: maximum-ratio combining",
      .normally = "mmse" },
    { .name = "type",
      .kind = CLR_OPTION_CHOICE,
      .value = "TYPE",
      FIELD(type),
      .choices = type_names,
      .help = "of the arithmetic; ratios are the real type",
      .normally = "cf32" },
    { .kind = CLR_OPTION_HEADING, .help = "Device" },
    CLR_OPTION_DEVICE(offsetof(clr_sinr_request, device)),
    { .name = "verify",
      .kind = CLR_OPTION_FLAG,
      FIELD(verify),
      .help = "compare every ratio with the double-precision reference" },
};

static const clr_usage usage = {
    .command = "sinr",
    .operands = "FILE",
    .least_operands = 1,
    .most_operands = 1,
    .about = "Computes the ratio of signal to interference and noise of every stream at every "
             "subcarrier from frequency responses as 'clradio dft' writes them. With H the serving "
             "link's receive x stream matrix and G that of all interfering streams, R = G G^H + N0 "
             "I.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
    .notes = "Examples:\n"
             "  clradio dft --scenario lte57 --links 100 -o h.h5\n"
             "  clradio sinr h.h5 --snr 20 -o sinr.h5\n"
             "  clradio sinr h.npy --axes link,rx,tx,subcarrier --noise 0.01 --method mrc -o s.npy",
};

static clr_exit check_request(const clr_sinr_request *request)
{
    if (!request->output && !request->verify)
        return clr_say(CLR_EXIT_USAGE, "sinr: say where to: -o FILE, or --verify alone");
    if (request->output && !strcmp(request->output, "-"))
        return clr_say(CLR_EXIT_USAGE, "sinr: an array file cannot go to standard output");
    if (isnan(request->noise) == isnan(request->snr_db))
        return clr_say(CLR_EXIT_USAGE, "sinr: %s",
                       isnan(request->noise) ? "--noise N0 or --snr DB is needed"
                                             : "--noise and --snr both say what the noise is");
    return CLR_EXIT_CARRY_ON;
}

clr_exit clr_command_sinr(int argc, char **argv)
{
    clr_sinr_request request = { .noise = NAN, .snr_db = NAN };
    clr_sinr_job job = { .request = &request };
    clr_operands files;
    clr_exit answer = clr_options_read(&usage, argc, argv, &request, &files);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_request(&request);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_refuse_input_as_output("sinr", request.output, files.items, files.count);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_interrupt_watch();
    answer = clr_sinr_open(&job, files.items[0]);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_sinr_run(&job);
    clr_sinr_close(&job);
    return answer;
}
