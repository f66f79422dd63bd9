/* clradio detect: its options, and the steps in order. */
#include "tool/detect.h"

#include "tool/commands.h"
#include "tool/options.h"
#include "tool/same_file.h"

#include <math.h>
#include <string.h>

#define FIELD(member) .offset = offsetof(clr_detect_request, member)

static const char *const method_names[] = { "sphere", "kbest", "fsd", "mmse", "zf", "ml", NULL };
static const char *const ordering_names[] = { "sorted", "norm", "none", NULL };
static const char *const radius_names[] = { "mmse", "infinite", "given", NULL };
static const char *const precision_names[] = { "auto", "float", "double", NULL };
static const char *const llr_names[] = { "f32", "i8", NULL };

static const clr_option options[] = {
    { .kind = CLR_OPTION_HEADING, .help = "Output" },
    { .name = "output",
      .letter = 'o',
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      FIELD(output),
      .help =
          "the file of the answer: .npz, .h5, .hdf5 or .mat with the arrays symbols, status, "
          "metric, nodes (and bits, llr); .npy with the symbols alone, or the LLRs with --soft" },
    CLR_OPTION_ARRAY_FORMAT(offsetof(clr_detect_request, format)),
    { .name = "bits", .kind = CLR_OPTION_FLAG, FIELD(bits), .help = "also write the bits" },
    { .name = "soft",
      .kind = CLR_OPTION_FLAG,
      FIELD(soft),
      .help = "also write max-log LLRs, ln P(0)/P(1)" },
    { .name = "llr-type",
      .kind = CLR_OPTION_CHOICE,
      .value = "TYPE",
      FIELD(llr_type),
      .choices = llr_names,
      .help = "of the LLRs",
      .normally = "f32" },
    { .name = "llr-clip",
      .kind = CLR_OPTION_NUMBER,
      .value = "L",
      FIELD(llr_clip),
      .least = 1e-6,
      .most = 1e9,
      .help = "the largest |LLR|",
      .normally = "100" },
    { .name = "llr-scale",
      .kind = CLR_OPTION_NUMBER,
      .value = "S",
      FIELD(llr_scale),
      .least = 1e-9,
      .most = 1e9,
      .help = "LLRs are multiplied by this",
      .normally = "1; 127 / clip for i8" },
    { .name = "llr-one",
      .kind = CLR_OPTION_FLAG,
      FIELD(llr_one),
      .help = "LLRs are ln P(1)/P(0), in and out" },
    { .name = "last-bit-first",
      .kind = CLR_OPTION_FLAG,
      FIELD(last_bit_first),
      .help = "bits and LLRs of a symbol begin with the least significant one" },
    { .kind = CLR_OPTION_HEADING, .help = "Input" },
    { .name = "received",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(received),
      .help = "the array of received vectors, [vector][rx]",
      .normally = "y or received" },
    { .name = "channel",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(channel),
      .help = "the array of channels, [rx][tx] for all, or [channel][rx][tx]",
      .normally = "h, H or channel" },
    { .name = "noise",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(noise),
      .help = "the array of the noise: a variance for each vector, or a covariance [rx][rx], for "
              "all, for each channel or for each vector; then vectors are whitened",
      .normally = "noise, if it is there" },
    { .name = "noise-variance",
      .kind = CLR_OPTION_NUMBER,
      .value = "N0",
      FIELD(noise_variance),
      .least = 0,
      .most = 1e30,
      .help = "E|n|^2 of a receive antenna" },
    { .name = "snr",
      .kind = CLR_OPTION_NUMBER,
      .value = "DB",
      FIELD(snr_db),
      .least = -200,
      .most = 300,
      .help = "in its place: the SNR of a receive antenna, transmit Es / N0, in dB" },
    { .name = "noise-per-real",
      .kind = CLR_OPTION_FLAG,
      FIELD(noise_per_real),
      .help = "noise variances are of a real dimension, N0/2" },
    { .name = "modulation",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME,...",
      FIELD(modulation),
      .help = "bpsk, qpsk, qam16 to qam1024, pam2 to pam32, 64 (points of a QAM), or one for each "
              "stream",
      .normally = "qam16" },
    { .name = "alphabet",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      FIELD(alphabet),
      .help = "points of an alphabet of one's own, label by label (ml and kbest)" },
    { .name = "odd-integer",
      .kind = CLR_OPTION_FLAG,
      FIELD(odd_integer),
      .help = "points are odd integers instead of having unit energy" },
    { .name = "vectors-per-channel",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(vectors_per_channel),
      .least = 1,
      .most = 1e15,
      .help = "consecutive vectors that share a channel",
      .normally = "what the sizes say" },
    { .name = "antennas",
      .kind = CLR_OPTION_TEXT,
      .value = "FIRST:END:STEP",
      FIELD(antennas),
      .help = "use these receive antennas only; also a list such as 0,3,5",
      .normally = "all" },
    { .name = "prior",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(prior),
      .help = "an array of a priori LLRs, [vector][bit] (sphere and ml)" },
    { .name = "truth",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME",
      FIELD(truth),
      .help = "an array of the labels that were sent, [vector][tx]: error rates are printed" },
    { .name = "capture",
      .kind = CLR_OPTION_TEXT,
      .value = "RX,TX",
      FIELD(capture),
      .help = "two files of libapsm (symbols are odd integers) in place of arrays: the channel is "
              "estimated by least squares "
              "from the training, the noise from its residuals, and error rates are printed" },
    { .name = "whiten",
      .kind = CLR_OPTION_FLAG,
      FIELD(whiten),
      .help = "of a capture: use the residuals' covariance, not only their mean power" },
    { .kind = CLR_OPTION_HEADING, .help = "Method" },
    { .name = "method",
      .kind = CLR_OPTION_CHOICE,
      .value = "METHOD",
      FIELD(method),
      .choices = method_names,
      .help = "sphere is exact joint maximum likelihood, ml the same by enumeration",
      .normally = "sphere" },
    { .name = "candidates",
      .kind = CLR_OPTION_COUNT,
      .value = "K",
      FIELD(candidates),
      .least = 1,
      .most = 64,
      .help = "survivors of kbest",
      .normally = "16" },
    { .name = "full-streams",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(full_streams),
      .least = 1,
      .most = 16,
      .help = "streams that fsd searches in full",
      .normally = "1" },
    { .name = "ordering",
      .kind = CLR_OPTION_CHOICE,
      .value = "ORDER",
      FIELD(ordering),
      .choices = ordering_names,
      .help = "in which streams are decided",
      .normally = "sorted" },
    { .name = "radius",
      .kind = CLR_OPTION_CHOICE,
      .value = "RADIUS",
      FIELD(radius),
      .choices = radius_names,
      .help = "that the search starts with; given: --radius-factor is the squared radius in N0",
      .normally = "mmse" },
    { .name = "radius-factor",
      .kind = CLR_OPTION_NUMBER,
      .value = "ALPHA",
      FIELD(radius_factor),
      .least = 1e-9,
      .most = 1e12,
      .help = "times the metric of the MMSE point",
      .normally = "1.2" },
    { .name = "node-budget",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(node_budget),
      .least = 1,
      .most = 9e18,
      .help = "nodes of the first pass",
      .normally = "chosen" },
    { .name = "final-budget",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(final_budget),
      .least = 1,
      .most = 9e18,
      .help = "nodes of the second pass, for the vectors that the first did not certify",
      .normally = "4194304" },
    { .name = "precision",
      .kind = CLR_OPTION_CHOICE,
      .value = "P",
      FIELD(precision),
      .choices = precision_names,
      .help = "of distances",
      .normally = "auto" },
    { .name = "device-only",
      .kind = CLR_OPTION_FLAG,
      FIELD(device_only),
      .help = "do not finish on the processor what the device left uncertified" },
    { .kind = CLR_OPTION_HEADING, .help = "Device" },
    CLR_OPTION_DEVICE(offsetof(clr_detect_request, device)),
    CLR_OPTION_VARIANT(offsetof(clr_detect_request, variant), "NAME", "the variant"),
    CLR_OPTION_PARAMETERS(offsetof(clr_detect_request, parameters), "P=.."),
    CLR_OPTION_MEMORY_LIMIT(offsetof(clr_detect_request, memory_limit)),
};

static const clr_usage usage = {
    .command = "detect",
    .operands = "[FILE...]",
    .most_operands = 16,
    .about =
        "Detects which symbols were sent over a MIMO channel, y = H s + n. Vectors and channels "
        "come from array files (.npy, .npz, .h5, .mat); 'sphere' gives the exact joint "
        "maximum-likelihood answer and says so for every vector.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
    .notes = "Examples:\n"
             "  clradio detect link.npz --modulation 64 --snr 25 -o answer.npz\n"
             "  clradio detect y.npy h.npy --noise-variance 0.05 --soft -o llr.npy\n"
             "  clradio detect --capture rx.bin,tx.bin --modulation 64 --whiten",
};

static clr_exit check_request(const clr_detect_request *request, size_t files)
{
    if (!files == !request->capture)
        return clr_say(CLR_EXIT_USAGE,
                       files ? "detect: a capture takes no other files"
                             : "detect needs files of arrays, or --capture; 'clradio help detect' "
                               "says more");
    if (!request->output && !request->truth && !request->capture)
        return clr_say(CLR_EXIT_USAGE, "detect: say where to: -o FILE, or --truth to have errors "
                                       "counted");
    if (request->output && !strcmp(request->output, "-"))
        return clr_say(CLR_EXIT_USAGE, "detect: an array file cannot go to standard output");
    if (!isnan(request->noise_variance) && !isnan(request->snr_db))
        return clr_say(CLR_EXIT_USAGE,
                       "detect: --noise-variance and --snr say the same thing twice");
    if (request->whiten && !request->capture)
        return clr_say(CLR_EXIT_USAGE, "detect: --whiten goes with --capture; arrays bring their "
                                       "covariance by --noise");
    if (request->capture &&
        (request->received || request->channel || request->noise || request->prior ||
         request->truth || request->alphabet || request->vectors_per_channel ||
         request->noise_per_real || !isnan(request->noise_variance) || !isnan(request->snr_db)))
        return clr_say(CLR_EXIT_USAGE, "detect: a capture brings its channel, its noise and what "
                                       "was sent; nothing else of the input goes with it but "
                                       "--antennas, --modulation and --whiten");
    if (request->alphabet && request->modulation)
        return clr_say(CLR_EXIT_USAGE, "detect: --alphabet stands in place of --modulation");
    if (request->radius == CLRADIO_RADIUS_GIVEN && !(request->radius_factor > 0))
        return clr_say(CLR_EXIT_USAGE, "detect: --radius given needs --radius-factor");
    if ((request->llr_type || request->llr_clip > 0 || request->llr_scale > 0) && !request->soft)
        return clr_say(CLR_EXIT_USAGE, "detect: options of LLRs need --soft");
    return CLR_EXIT_CARRY_ON;
}

clr_exit clr_command_detect(int argc, char **argv)
{
    clr_detect_request request = { .noise_variance = NAN, .snr_db = NAN };
    clr_operands files;
    clr_exit answer = clr_options_read(&usage, argc, argv, &request, &files);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_request(&request, files.count);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_refuse_input_as_output("detect", request.output, files.items, files.count);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_writable(request.output);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    request.odd_integer |= request.capture != NULL; /* its symbols are, and no estimate is scaled */
    clr_detect_job job = { .request = &request };
    answer = request.capture ? clr_detect_read_capture(&job)
                             : clr_detect_read(&job, files.items, files.count);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_detect_configure(&job);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_detect_run(&job);
    clr_detect_job_free(&job);
    return answer;
}
