/* clradio correlate: its options, and the steps in order. */
#include "tool/correlate.h"

#include "tool/commands.h"
#include "tool/options.h"
#include "tool/same_file.h"

#include <math.h>
#include <string.h>

#define FIELD(member) .offset = offsetof(clr_correlate_request, member)

static const char *const window_names[] = { "rectangular", "hann",   "hamming",
                                            "blackman",    "kaiser", NULL };
static const char *const sideband_names[] = { "file", "upper", "lower", NULL };
static const char *const output_type_names[] = { "auto", "int32", "float32", "float64", NULL };

static const clr_option options[] = {
    { .kind = CLR_OPTION_HEADING, .help = "Output" },
    { .name = "output",
      .letter = 'o',
      .kind = CLR_OPTION_TEXT,
      .value = "FILE.uvh5",
      FIELD(output),
      .help = "the UVH5 file to write; it appears when it is whole" },
    { .name = "matrix",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE.json",
      FIELD(matrix),
      .help = "write the whole Hermitian matrix of inputs, for each integration and channel, as "
              "JSON; - is standard output" },
    { .name = "print",
      .kind = CLR_OPTION_FLAG,
      FIELD(print),
      .help = "print the matrix as text, also beside a file",
      .normally = "when there is no -o and no --matrix, and at most 20 inputs and 1 channel" },
    { .name = "normalise",
      .kind = CLR_OPTION_FLAG,
      FIELD(normalise),
      .help = "store the mean over the spectra present instead of their sum" },
    { .name = "output-type",
      .kind = CLR_OPTION_CHOICE,
      .value = "TYPE",
      FIELD(output_type),
      .choices = output_type_names,
      .help = "of the visibilities in the file",
      .normally = "auto: int32 when every possible sum fits, else float64; float32 for "
                  "floating-point spectra and for means" },
    { .name = "compression",
      .kind = CLR_OPTION_COUNT,
      .value = "LEVEL",
      FIELD(compression),
      .least = 0,
      .most = 9,
      .help = "gzip level of the visibilities in the file",
      .normally = "0: none" },
    { .kind = CLR_OPTION_HEADING, .help = "Spectra and integrations" },
    { .name = "channels",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(channels),
      .least = 1,
      .most = 1 << 26,
      .help = "channels made of each channel of the file; 1: no transform (real samples then count "
              "as complex ones without an imaginary part)",
      .normally = "1 when the file has several channels, else 1024" },
    { .name = "taps",
      .kind = CLR_OPTION_COUNT,
      .value = "T",
      FIELD(taps),
      .least = 1,
      .most = 1024,
      .help = "taps of the polyphase filter bank",
      .normally = "1" },
    { .name = "window",
      .kind = CLR_OPTION_CHOICE,
      .value = "W",
      FIELD(window),
      .choices = window_names,
      .help = "window over the taps",
      .normally = "rectangular" },
    { .name = "kaiser-beta",
      .kind = CLR_OPTION_NUMBER,
      .value = "BETA",
      FIELD(kaiser_beta),
      .least = 1e-3,
      .most = 100,
      .help = "shape of the Kaiser window",
      .normally = "8.6" },
    { .name = "integration",
      .kind = CLR_OPTION_SECONDS,
      .value = "SECONDS",
      FIELD(integration_s),
      .least = 1e-12,
      .most = 1e15,
      .help = "length of an integration, rounded to whole spectra; a partial last one is kept and "
              "weighted by its nsamples",
      .normally = "one integration over everything" },
    { .kind = CLR_OPTION_HEADING, .help = "Input" },
    { .name = "start",
      .kind = CLR_OPTION_SECONDS,
      .value = "SECONDS",
      FIELD(start_s),
      .least = 0,
      .most = 1e15,
      .help = "leave out this much at the beginning",
      .normally = "0" },
    { .name = "samples",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(samples),
      .least = 1,
      .most = 9e18,
      .help = "use at most this many samples of each input",
      .normally = "all" },
    { .name = "sample-rate",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(sample_rate_hz),
      .least = 1e-6,
      .most = 1e15,
      .help = "samples a second of one channel (complex samples when they are complex)",
      .normally = "the file's; 1 Hz when it does not say" },
    { .name = "frequency",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(frequency_hz),
      .least = -1e15,
      .most = 1e15,
      .help = "centre of the first channel for complex samples, edge of the band at zero baseband "
              "frequency for real ones",
      .normally = "the file's; 0 when it does not say" },
    { .name = "sideband",
      .kind = CLR_OPTION_CHOICE,
      .value = "S",
      FIELD(sideband),
      .choices = sideband_names,
      .help = "lower: rising baseband frequency is falling sky frequency",
      .normally = "file" },
    { .name = "inputs",
      .kind = CLR_OPTION_TEXT,
      .value = "MAP",
      FIELD(inputs),
      .help = "station and polarisation of each input in the order of 'clradio info', such as "
              "0X,0Y,1X,- (- leaves an input out, ,... at the end the rest)",
      .normally = "what the files say, stations of later files behind those of earlier ones" },
    { .name = "antennas",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      FIELD(antennas),
      .help = "text file with the positions of the array and its antennas (clradio(1) has the "
              "format)",
      .normally = "unknown positions" },
    { .name = "format",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(format),
      .help = "VDIF, DADA or TBN",
      .normally = "recognised by content" },
    { .name = "twos-complement",
      .kind = CLR_OPTION_FLAG,
      FIELD(twos_complement),
      .help = "VDIF samples are two's complement, against the standard" },
    { .name = "real-high",
      .kind = CLR_OPTION_FLAG,
      FIELD(real_high),
      .help = "4-bit complex samples have the real part in the high half of the byte" },
    { .name = "strict",
      .kind = CLR_OPTION_FLAG,
      FIELD(strict),
      .help = "refuse damaged files, and files a fraction of a sample apart" },
    { .kind = CLR_OPTION_HEADING, .help = "Device" },
    CLR_OPTION_DEVICE(offsetof(clr_correlate_request, device)),
    CLR_OPTION_MEMORY_LIMIT(offsetof(clr_correlate_request, memory_limit)),
    { .name = "variant",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(variant),
      .help = "of the X-engine",
      .normally = "chosen" },
    { .name = "parameters",
      .kind = CLR_OPTION_TEXT,
      .value = "TEXT",
      FIELD(parameters),
      .help = "of the X-engine's kernel, such as \"W=16 Dx=2\"",
      .normally = "chosen" },
    { .name = "verify",
      .kind = CLR_OPTION_FLAG,
      FIELD(verify),
      .help = "compare everything with a plain reference on the processor (slow), say the largest "
              "error and its bound, exit with 1 when it is beyond" },
};

static const clr_usage usage = {
    .command = "correlate",
    .operands = "FILE...",
    .least_operands = 1,
    .most_operands = 100000,
    .about = "Correlates voltage files (VDIF, DADA, LWA TBN): every pair of inputs, "
             "autocorrelations included, V_ij = sum of x_i conj(x_j). Several FILEs are stations "
             "aligned to the sample by their time stamps; a,b are consecutive parts of one. What "
             "is missing is left out and counted in nsamples.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
    .notes = "Examples:\n"
             "  clradio correlate array.vdif -o array.uvh5 --channels 256 --integration 10ms\n"
             "  clradio correlate tbn-test.dat --channels 1 --samples 512\n"
             "SIGINT ends the run with a valid file of the integrations so far (exit code 130).",
};

static clr_exit check_request(clr_correlate_request *request)
{
    if (request->kaiser_beta > 0 && request->window != CLRADIO_WINDOW_KAISER)
        return clr_say(CLR_EXIT_USAGE, "correlate: --kaiser-beta goes with --window kaiser");
    if (request->normalise && request->output_type == CLR_OUTPUT_INT32)
        return clr_say(CLR_EXIT_USAGE, "correlate: means are no integers: --normalise cannot go "
                                       "with --output-type int32");
    if (request->output && !strcmp(request->output, "-"))
        return clr_say(CLR_EXIT_USAGE, "correlate: a UVH5 file cannot go to standard output; "
                                       "--matrix - can");
    if (!HAVE_HDF5 && request->output)
        return clr_say(CLR_EXIT_FAILED, "this build writes no UVH5 files: it was configured "
                                        "without HDF5; --matrix writes JSON");
    const char *const outputs[] = { request->output, request->matrix };
    return clr_refuse_one_output("correlate", outputs, CLR_COUNT_OF(outputs));
}

clr_exit clr_command_correlate(int argc, char **argv)
{
    clr_correlate_request request = {
        .taps = 1, .integration_s = NAN, .sample_rate_hz = NAN, .frequency_hz = NAN
    };
    clr_operands files;
    clr_exit answer = clr_options_read(&usage, argc, argv, &request, &files);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_request(&request);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_interrupt_watch();
    clr_correlate_plan plan;
    answer = clr_correlate_plan_make(&request, files.items, files.count, &plan);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_correlate_output *output = NULL;
    answer = clr_correlate_output_begin(&plan, &output);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_correlate_run(&plan, output);
    clr_correlate_plan_free(&plan);
    return answer;
}
