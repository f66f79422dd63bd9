/* clradio detect: modulations, noise, and the engine's configuration. */
#include "tool/detect.h"

#include "base/text.h"
#include "io/named_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static clr_exit read_alphabet(clr_detect_job *job)
{
    const char *path = job->request->alphabet;
    clr_arrays_file *file;
    clradio_status status = clr_arrays_open(path, &file);
    if (!status && clr_arrays_count(file) != 1)
        status = clr_fail(CLRADIO_ERROR_FORMAT, "'%s' must hold one array of points", path);
    else if (!status)
        status = clr_arrays_read_all(file, 0, CLR_ELEMENT_CF32, (void **)&job->alphabet);
    uint64_t count = status ? 0 : clr_arrays_get(file, 0)->count;
    clr_arrays_close(file);
    if (status)
        return clr_say_input(status);
    if (count < 2 || count > 1024)
        return clr_say(CLR_EXIT_USAGE, "detect: an alphabet has 2 to 1024 points, '%s' has %llu",
                       path, (unsigned long long)count);
    job->alphabet_size = (uint32_t)count;
    return CLR_EXIT_CARRY_ON;
}

/* "qam64", or a name for each stream. */
static clr_exit read_modulations(clr_detect_job *job)
{
    const char *text = job->request->modulation ? job->request->modulation : "qam16";
    uint32_t n = 0;
    job->modulations = calloc(job->transmit, sizeof *job->modulations);
    if (!job->modulations)
        return clr_say(CLR_EXIT_FAILED, "no memory for the modulations");
    for (const char *word = text; word;) {
        char name[32];
        size_t length = strcspn(word, ",");
        clr_copy_text(name, length + 1 < sizeof name ? length + 1 : sizeof name, word);
        clradio_modulation modulation = clradio_modulation_from_name(name);
        if (!clradio_modulation_bits(modulation))
            return clr_say(CLR_EXIT_USAGE,
                           "detect: there is no modulation '%s'; there are bpsk, qpsk, qam16, "
                           "qam64, qam256, qam1024 and pam2 to pam32",
                           name);
        if (n < job->transmit)
            job->modulations[n] = modulation;
        n++;
        word = word[length] ? word + length + 1 : NULL;
    }
    if (n != 1 && n != job->transmit)
        return clr_say(CLR_EXIT_USAGE, "detect: --modulation names %u streams, the channel has %u",
                       n, job->transmit);
    for (uint32_t i = n; i < job->transmit; i++)
        job->modulations[i] = job->modulations[0];
    return CLR_EXIT_CARRY_ON;
}

/* Mean energy of all streams' points together. */
static double symbol_energy(const clr_detect_job *job)
{
    double sum = 0;
    for (uint32_t i = 0; i < job->transmit; i++) {
        uint32_t count =
            job->alphabet ? job->alphabet_size : 1u << clradio_modulation_bits(job->modulations[i]);
        double energy = 0;
        for (uint32_t label = 0; label < count; label++) {
            double point[2] = { 0, 0 };
            if (job->alphabet) {
                point[0] = job->alphabet[2 * label];
                point[1] = job->alphabet[2 * label + 1];
            } else {
                clradio_modulation_point(job->modulations[i], label, job->request->odd_integer,
                                         point);
            }
            energy += point[0] * point[0] + point[1] * point[1];
        }
        sum += energy / count;
    }
    return sum;
}

static clr_exit set_noise(clr_detect_job *job)
{
    const clr_detect_request *request = job->request;
    int given = !isnan(request->noise_variance) || !isnan(request->snr_db);
    if (given && job->noise_kind != CLRADIO_NOISE_VARIANCE)
        return clr_say(CLR_EXIT_USAGE, "detect: the files say the noise already: leave out "
                                       "--noise-variance and --snr");
    if (!isnan(request->noise_variance))
        job->noise_variance = request->noise_variance;
    if (!isnan(request->snr_db))
        job->noise_variance =
            symbol_energy(job) / pow(10, request->snr_db / 10) / (request->noise_per_real ? 2 : 1);
    if (job->noise_kind != CLRADIO_NOISE_VARIANCE || job->noise_variance >= 0)
        return CLR_EXIT_CARRY_ON;
    if (request->soft)
        return clr_say(CLR_EXIT_USAGE, "detect: LLRs need the noise: --noise-variance, --snr or an "
                                       "array 'noise'");
    job->noise_variance = 0;
    clr_note("the noise is not known: 0 is assumed; give --noise-variance or --snr");
    return CLR_EXIT_CARRY_ON;
}

static unsigned flags_of(const clr_detect_request *request)
{
    return (request->odd_integer ? CLRADIO_DETECTOR_ODD_INTEGER : 0u) |
           (request->noise_per_real ? CLRADIO_DETECTOR_NOISE_PER_REAL : 0u) |
           (request->llr_one ? CLRADIO_DETECTOR_LLR_ONE : 0u) |
           (request->last_bit_first ? CLRADIO_DETECTOR_LAST_BIT_FIRST : 0u) |
           (request->soft ? CLRADIO_DETECTOR_SOFT : 0u);
}

clr_exit clr_detect_configure(clr_detect_job *job)
{
    const clr_detect_request *request = job->request;
    clradio_detector_config *config = &job->config;
    clr_exit answer = request->alphabet ? read_alphabet(job) : read_modulations(job);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = set_noise(job);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    *config = (clradio_detector_config)CLRADIO_DETECTOR_CONFIG_INIT;
    config->method = (clradio_detector_method)request->method;
    config->transmit = job->transmit;
    config->receive = job->receive;
    config->modulation = request->alphabet ? CLRADIO_ALPHABET : job->modulations[0];
    config->stream_modulations = job->modulations;
    config->alphabet = job->alphabet;
    config->alphabet_size = job->alphabet_size;
    config->flags = flags_of(request);
    config->vectors = job->vectors < 1u << 20 ? job->vectors : 1u << 20;
    config->vectors_per_channel = job->vectors_per_channel;
    config->noise = job->noise_kind;
    config->ordering = (clradio_detector_ordering)request->ordering;
    config->radius = (clradio_detector_radius)request->radius;
    config->radius_factor = request->radius_factor;
    config->node_budget = request->node_budget;
    config->final_budget = request->final_budget;
    config->candidates = (uint32_t)request->candidates;
    config->full_streams = (uint32_t)request->full_streams;
    config->llr_type = request->llr_type ? CLRADIO_I8 : CLRADIO_F32;
    config->llr_clip = request->llr_clip;
    config->llr_scale = request->llr_scale;
    config->precision = (clradio_detector_precision)request->precision;
    config->memory_limit = request->memory_limit;
    config->variant = request->variant;
    config->parameters = request->parameters;
    return CLR_EXIT_CARRY_ON;
}
