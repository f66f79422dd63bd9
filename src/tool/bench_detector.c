/* clradio bench detector: rates of the detector on a device, beside the plain C reference. */
#include "tool/bench_detector.h"

#include "base/text.h"
#include "device/device.h"
#include "tool/dft.h"
#include "tool/options.h"
#include "tool/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 64, MOST_TREES = 65536 };

struct values {
    const char *modulations, *methods, *snr, *trees, *variant, *parameters, *device, *json;
    const char *launch_parameters;
    uint64_t transmit, receive, vectors, repeat, node_budget;
    int quick, launch;
};

static const clr_option options[] = {
    { .name = "quick",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, quick),
      .help = "a sixteenth of the vectors, three repeats" },
    { .name = "tx",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = 16,
      .offset = offsetof(struct values, transmit),
      .help = "transmit antennas; with one of --tx, --qam, --method, --snr and --trees only the "
              "cases asked for are run",
      .normally = "4" },
    { .name = "rx",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = 64,
      .offset = offsetof(struct values, receive),
      .help = "receive antennas",
      .normally = "as many as --tx" },
    { .name = "qam",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME,...",
      .offset = offsetof(struct values, modulations),
      .help = "modulations: bpsk, qpsk, 16, 64, 256, 1024, pam4, ...",
      .normally = "64" },
    { .name = "method",
      .kind = CLR_OPTION_TEXT,
      .value = "NAME,...",
      .offset = offsetof(struct values, methods),
      .help = "sphere, kbest, fsd, mmse, zf, ml",
      .normally = "sphere" },
    { .name = "snr",
      .kind = CLR_OPTION_TEXT,
      .value = "DB,...",
      .offset = offsetof(struct values, snr),
      .help = "SNR per receive antenna in dB",
      .normally = "25" },
    { .name = "trees",
      .kind = CLR_OPTION_TEXT,
      .value = "N,...",
      .offset = offsetof(struct values, trees),
      .help = "TREES_PER_CTA, of the variant group",
      .normally = "a tree a lane" },
    { .name = "vectors",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = 0x7fffffff,
      .offset = offsetof(struct values, vectors),
      .help = "vectors a call, each with a channel of its own",
      .normally = "4194304; on a processor 65536; fewer for more antennas" },
    { .name = "node-budget",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = CLR_MOST_BUDGET,
      .offset = offsetof(struct values, node_budget),
      .help = "of the first pass: what is longer goes to the second",
      .normally = "4096; none on a processor" },
    { .name = "launch",
      .kind = CLR_OPTION_CHOICE,
      .value = "HOW",
      .offset = offsetof(struct values, launch),
      .choices = clr_dft_launch_names,
      .help = "of the second pass: flat; children, by the device itself (CUDA); emulated",
      .normally = "flat" },
    { .name = "launch-parameters",
      .kind = CLR_OPTION_TEXT,
      .value = "P=..",
      .offset = offsetof(struct values, launch_parameters),
      .help = "of that way, such as VECTORS=64 PENDING=512" },
    CLR_OPTION_VARIANT(offsetof(struct values, variant), "NAME", "the variant"),
    CLR_OPTION_PARAMETERS(offsetof(struct values, parameters), "CTA_SIZE=.."),
    CLR_OPTION_DEVICE(offsetof(struct values, device)),
    { .name = "repeat",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .least = 1,
      .most = CLR_BENCH_MOST_REPEATS,
      .offset = offsetof(struct values, repeat),
      .help = "timed runs of each case, after one that warms up",
      .normally = "7" },
    { .name = "json",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      .offset = offsetof(struct values, json),
      .help = "also write the figures to FILE" },
};

static const clr_usage usage = {
    .command = "bench detector",
    .operands = "",
    .about =
        "Measures the detector with a fresh channel for every vector: kernel time by events, "
        "median of the repeats, decomposition included; from host memory through a pipeline; and "
        "the plain C reference (double) on all cores in the same run. Symbols of the first vectors "
        "are checked against the reference. QR is the decomposition's share of the kernel time, "
        "2nd the second pass's; busy the share of lanes' steps that are some tree's (variant "
        "lane); again the share of vectors that a second pass searched. Without options: the usual "
        "cases, 4x4 64-QAM from 0 to 30 dB, and 1 to 16 trees a work-group.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

static uint64_t vectors_for(const detector_bench *bench, uint32_t transmit, uint32_t receive,
                            uint64_t share)
{
    uint64_t n = bench->info->kind == CLRADIO_DEVICE_CPU ? 1 << 16 : 1 << 22;
    if (bench->vectors)
        return bench->vectors;
    n = n * 16 / ((uint64_t)transmit * receive) / share / (bench->quick ? 16 : 1);
    return n < 64 ? 64 : n > 1 << 22 ? 1 << 22 : n;
}

/* Measures and says one case; trees 0: a tree a lane. share: of the usual number of vectors. */
static void run_case(detector_bench *bench, clradio_detector_method method, uint32_t transmit,
                     uint32_t receive, clradio_modulation modulation, double snr_db, uint64_t trees,
                     uint64_t share)
{
    detector_case c = { .plan = NULL };
    char parameters[320], said[24] = "-";
    c.config = (clradio_detector_config)CLRADIO_DETECTOR_CONFIG_INIT;
    c.config.method = method;
    c.config.transmit = transmit;
    c.config.receive = receive;
    c.config.modulation = modulation;
    c.config.vectors = vectors_for(bench, transmit, receive, share);
    c.config.variant = trees ? "group" : bench->variant;
    c.config.node_budget = bench->node_budget;
    if (method == CLRADIO_DETECTOR_SPHERE || method == CLRADIO_DETECTOR_ML) {
        c.config.launch = bench->launch; /* the others have no second pass */
        c.config.launch_parameters = bench->launch_parameters;
    }
    c.snr_db = snr_db;
    c.checked = (method == CLRADIO_DETECTOR_ML ? 64 : 16384) / (bench->quick ? 8 : 1) / share + 1;
    snprintf(parameters, sizeof parameters, "%s", bench->parameters ? bench->parameters : "");
    if (trees) {
        /* a processor's lanes take turns: one to a tree */
        const uint64_t lanes = bench->info->kind == CLRADIO_DEVICE_CPU ? trees : 64;
        snprintf(parameters, sizeof parameters, "%s CTA_SIZE=%llu TREES_PER_CTA=%llu",
                 bench->parameters ? bench->parameters : "", (unsigned long long)lanes,
                 (unsigned long long)trees);
        snprintf(said, sizeof said, "%llu", (unsigned long long)trees);
    }
    c.config.parameters = parameters;
    clradio_status status = clr_bench_detector_measure(bench, &c);
    if (status) {
        printf("%-6s %ux%u %s %.1f dB  ", clradio_detector_method_name(method), transmit, receive,
               clradio_modulation_name(modulation), snr_db);
        clr_bench_say_fault(&bench->faults, status);
    } else {
        clr_bench_detector_say(bench, &c, said);
    }
    clr_bench_detector_release(&c);
    fflush(stdout);
}

static void run_usual_cases(detector_bench *bench)
{
    static const struct {
        clradio_detector_method method;
        uint32_t antennas;
        clradio_modulation modulation;
        double snr_db;
    } usual[] = {
        { CLRADIO_DETECTOR_SPHERE, 4, CLRADIO_QAM64, 25 },
        { CLRADIO_DETECTOR_SPHERE, 4, CLRADIO_QAM16, 20 },
        { CLRADIO_DETECTOR_SPHERE, 8, CLRADIO_QAM16, 20 },
        { CLRADIO_DETECTOR_KBEST, 4, CLRADIO_QAM64, 25 },
        { CLRADIO_DETECTOR_FSD, 4, CLRADIO_QAM64, 25 },
        { CLRADIO_DETECTOR_MMSE, 4, CLRADIO_QAM64, 25 },
        { CLRADIO_DETECTOR_ZF, 4, CLRADIO_QAM64, 25 },
    };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        run_case(bench, usual[i].method, usual[i].antennas, usual[i].antennas, usual[i].modulation,
                 usual[i].snr_db, 0, 1);
    for (int snr_db = 0; snr_db <= 30; snr_db += 5)
        run_case(bench, CLRADIO_DETECTOR_SPHERE, 4, 4, CLRADIO_QAM64, snr_db, 0,
                 snr_db < 15 ? 64 : 4);
    for (uint64_t trees = 1; trees <= 16; trees *= 2)
        run_case(bench, CLRADIO_DETECTOR_SPHERE, 4, 4, CLRADIO_QAM64, 25, trees, 64);
}

/* ---- the cases that options name ---- */

static int take_method(const char *word, void *to)
{
    return clradio_detector_method_from_name(word, to);
}

static int take_modulation(const char *word, void *to)
{
    clradio_modulation *modulation = to;
    *modulation = clradio_modulation_from_name(word);
    return *modulation != CLRADIO_MODULATION_NONE && *modulation != CLRADIO_ALPHABET;
}

static int take_db(const char *word, void *to)
{
    double *db = to;
    return clr_parse_double(word, db) && *db > -300 && *db < 300;
}

static clr_exit run_asked(detector_bench *bench, const struct values *v)
{
    clradio_detector_method methods[MOST_NUMBERS];
    clradio_modulation modulations[MOST_NUMBERS];
    double snrs[MOST_NUMBERS];
    uint64_t trees[MOST_NUMBERS] = { 0 };
    const uint32_t tx = (uint32_t)(v->transmit ? v->transmit : 4);
    const uint32_t rx = (uint32_t)(v->receive ? v->receive : tx);
    const size_t n_methods = clr_bench_list(v->methods ? v->methods : "sphere", take_method,
                                            methods, sizeof *methods, MOST_NUMBERS);
    const size_t n_modulations =
        clr_bench_list(v->modulations ? v->modulations : "64", take_modulation, modulations,
                       sizeof *modulations, MOST_NUMBERS);
    const size_t n_snrs =
        clr_bench_list(v->snr ? v->snr : "25", take_db, snrs, sizeof *snrs, MOST_NUMBERS);
    if (!n_methods || !n_modulations || !n_snrs)
        return clr_say(CLR_EXIT_USAGE,
                       "%s: words or numbers with commas between them; 'clradio bench detector "
                       "--help' names them",
                       !n_methods       ? "--method"
                       : !n_modulations ? "--qam"
                                        : "--snr");
    const size_t n_trees =
        v->trees ? clr_bench_numbers("trees", v->trees, MOST_TREES, trees, MOST_NUMBERS) : 1;
    if (!n_trees)
        return CLR_EXIT_USAGE;
    clr_bench_detector_say_head();
    for (size_t m = 0; m < n_methods; m++)
        for (size_t q = 0; q < n_modulations; q++)
            for (size_t s = 0; s < n_snrs; s++)
                for (size_t t = 0; t < n_trees; t++)
                    run_case(bench, methods[m], tx, rx, modulations[q], snrs[s], trees[t], 1);
    return CLR_EXIT_OK;
}

static clr_exit run_all(detector_bench *bench, const struct values *values)
{
    clr_exit answer = CLR_EXIT_OK;
    clr_bench_say_device(bench->info, &bench->peak, bench->json);
    bench->cases = bench->json ? clr_json_add_array(bench->json, "detector") : NULL;
    if (values->transmit || values->receive || values->modulations || values->methods ||
        values->snr || values->trees) {
        answer = run_asked(bench, values);
    } else {
        clr_bench_detector_say_head();
        run_usual_cases(bench);
    }
    return answer == CLR_EXIT_OK ? clr_bench_answer(&bench->faults) : answer;
}

clr_exit clr_bench_detector(int argc, char **argv)
{
    struct values values = { .repeat = 0 };
    detector_bench bench = { .quick = 0 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
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
        bench.repeats = values.repeat ? (size_t)values.repeat : values.quick ? 3 : 7;
        bench.quick = values.quick;
        bench.vectors = values.vectors;
        bench.variant = values.variant;
        bench.parameters = values.parameters;
        bench.launch = (clradio_launch)values.launch;
        bench.launch_parameters = values.launch_parameters;
        bench.node_budget = values.node_budget;
        bench.info = clr_device_info(bench.device);
        bench.json = values.json ? clr_json_object() : NULL;
        answer = clr_bench_write(bench.json, values.json, run_all(&bench, &values));
    }
    clradio_queue_destroy(bench.queue);
    clradio_device_close(bench.device);
    return answer;
}
