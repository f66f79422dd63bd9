/* clradio dft: the engine's configuration from the request and the taps. */
#include "tool/dft.h"

#include "base/text.h"
#include "tool/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const clr_dft_launch_names[] = { "flat", "host", "children", "emulated", NULL };

void clr_dft_job_free(clr_dft_job *job)
{
    clr_taps_free(&job->taps);
    free(job->samples);
    free(job->frequency_hz);
    job->samples = NULL;
    job->frequency_hz = NULL;
}

/* "1e6,2e6" or a file of one array. */
static clr_exit read_frequencies(clr_dft_job *job, uint64_t *count)
{
    const char *text = job->request->frequencies;
    char number[64];
    double first;
    size_t length = strcspn(text, ",");
    clr_copy_text(number, length + 1 < sizeof number ? length + 1 : sizeof number, text);
    if (length >= sizeof number || !clr_parse_hertz(number, &first)) {
        clr_arrays_file *file;
        clradio_status status = clr_arrays_open(text, &file);
        if (!status && clr_arrays_count(file) != 1)
            status =
                clr_fail(CLRADIO_ERROR_FORMAT, "'%s' must hold one array of frequencies", text);
        else if (!status)
            status = clr_arrays_read_all(file, 0, CLR_ELEMENT_F64, (void **)&job->frequency_hz);
        *count = status ? 0 : clr_arrays_get(file, 0)->count;
        clr_arrays_close(file);
        return status ? clr_say_input(status) : CLR_EXIT_CARRY_ON;
    }
    uint64_t n = 1;
    for (const char *p = text; *p; p++)
        n += *p == ',';
    job->frequency_hz = malloc(n * sizeof *job->frequency_hz);
    if (!job->frequency_hz)
        return clr_say(CLR_EXIT_FAILED, "no memory for the frequencies");
    for (*count = 0; *count < n; ++*count, text += length + 1) {
        length = strcspn(text, ",");
        clr_copy_text(number, length + 1 < sizeof number ? length + 1 : sizeof number, text);
        if (length >= sizeof number || !clr_parse_hertz(number, &job->frequency_hz[*count]))
            return clr_say(CLR_EXIT_USAGE, "dft: --frequencies: '%s' is no number of hertz",
                           number);
    }
    return CLR_EXIT_CARRY_ON;
}

/* The mean over the subcarriers of |1 - exp(-2 pi i f moved)|^2, of a tap that is moved by so many
 * seconds; of a list at most 64 of its frequencies. */
static double error_of_move(const clradio_dft_config *config, double moved_s)
{
    const uint32_t n = config->subcarriers;
    double mean = 0, turned = M_PI * config->spacing_hz * moved_s;
    if (!config->frequencies_hz) {
        double middle =
            (clradio_dft_frequency(config, 0) + clradio_dft_frequency(config, n - 1)) / 2;
        mean = fabs(sin(turned)) < 1e-12 ? 1 : sin(n * turned) / (n * sin(turned));
        return 2 - 2 * mean * cos(2 * M_PI * middle * moved_s);
    }
    for (uint32_t k = 0; k < n && k < 64; k++) {
        uint32_t at = n <= 64 ? k : (uint32_t)((uint64_t)k * (n - 1) / 63);
        mean += cos(2 * M_PI * clradio_dft_frequency(config, at) * moved_s) / (n < 64 ? n : 64);
    }
    return 2 - 2 * mean;
}

static double power_of(const clr_dft_job *job, uint64_t gain)
{
    const float *single = (const float *)job->taps.gains + 2 * gain;
    const double *twice = (const double *)job->taps.gains + 2 * gain;
    return job->request->type ? twice[0] * twice[0] + twice[1] * twice[1]
                              : (double)single[0] * single[0] + (double)single[1] * single[1];
}

/* What rounding the delays costs, in dB of the response's power: taps' phases taken as independent,
 * so that their errors add up as powers. */
static double rounding_error_db(const clr_dft_job *job)
{
    const clr_taps *taps = &job->taps;
    double power = 0, error = 0;
    for (uint64_t link = 0, gain = 0, delay = 0; link < taps->links; link++) {
        const uint64_t paths = clr_taps_link_paths(taps, link), n = clr_taps_link_taps(taps, link);
        for (uint64_t at = 0; at < (taps->per_path ? paths * n : n); at++) {
            double exact = taps->delays[delay + at], sum = 0;
            if (job->request->delay_unit)
                exact *= job->request->sample_period_s;
            for (uint64_t p = 0; p < (taps->per_path ? 1 : paths); p++)
                sum += power_of(job, gain + p * n + at);
            if (!isfinite(sum) || (taps->absent_negative && exact < 0))
                continue;
            power += sum;
            error += sum * error_of_move(&job->config,
                                         job->samples[delay + at] * job->request->sample_period_s -
                                             exact);
        }
        gain += paths * n;
        delay += taps->per_path ? paths * n : n;
    }
    return power > 0 ? 10 * log10(error / power) : -INFINITY;
}

/* Whether tap n of every list of delays lies at n samples: then variants need no delays. */
static int are_consecutive(const clr_dft_job *job)
{
    const clr_taps *taps = &job->taps;
    for (uint64_t link = 0, delay = 0; link < taps->links; link++) {
        const uint64_t lists = taps->per_path ? clr_taps_link_paths(taps, link) : 1;
        const uint64_t n = clr_taps_link_taps(taps, link);
        for (uint64_t at = 0; at < lists * n; at++)
            if (job->samples[delay + at] < 0 || (uint64_t)job->samples[delay + at] != at % n)
                return 0;
        delay += lists * n;
    }
    return 1;
}

/* Delays in whole samples. What is not whole is rounded, and that is said. */
static clr_exit make_samples(clr_dft_job *job)
{
    const clr_dft_request *request = job->request;
    clr_taps *taps = &job->taps;
    double period = request->sample_period_s, worst = 0;
    job->samples =
        malloc((size_t)(taps->delay_count ? taps->delay_count : 1) * sizeof *job->samples);
    if (!job->samples)
        return clr_say(CLR_EXIT_FAILED, "no memory for the delays");
    for (uint64_t i = 0; i < taps->delay_count; i++) {
        double delay = request->delay_unit ? taps->delays[i] : taps->delays[i] / period;
        double whole = nearbyint(delay);
        if (!(fabs(whole) < INT32_MAX))
            return clr_say(CLR_EXIT_DAMAGED,
                           "dft: a delay of %.9g samples is no whole number of "
                           "32 bits",
                           delay);
        if (!taps->absent_negative || delay >= 0)
            worst = fmax(worst, fabs(delay - whole));
        job->samples[i] = delay < 0 && whole == 0 && taps->absent_negative ? -1 : (int32_t)whole;
    }
    if (worst > 1e-6)
        clr_note("delays were rounded to samples of %.9g s, by up to %.3g of one: an error of "
                 "%.1f dB, which taking them as they are has not",
                 period, worst, rounding_error_db(job));
    if (are_consecutive(job)) {
        job->config.delay = CLRADIO_DELAY_CONSECUTIVE;
        job->config.absent_negative = 0;
    }
    return CLR_EXIT_CARRY_ON;
}

static clr_exit set_subcarriers(clr_dft_job *job)
{
    const clr_dft_request *request = job->request;
    clradio_dft_config *config = &job->config;
    uint64_t count = request->subcarriers ? request->subcarriers : request->scenario ? 50 : 1200;
    if (request->frequencies) {
        clr_exit answer = read_frequencies(job, &count);
        if (answer != CLR_EXIT_CARRY_ON)
            return answer;
        config->frequencies_hz = job->frequency_hz;
    }
    if (!count || count > UINT32_MAX)
        return clr_say(CLR_EXIT_USAGE, "dft: there are no frequencies, or more than 2^32");
    config->subcarriers = (uint32_t)count;
    config->spacing_hz = request->spacing_hz;
    config->origin = (clradio_origin)request->origin;
    config->carrier_hz = request->carrier_hz;
    if (!isnan(request->first_hz)) {
        if (request->origin == CLRADIO_ORIGIN_ZERO)
            return clr_say(CLR_EXIT_USAGE, "dft: --first cannot go with --origin zero");
        config->origin = CLRADIO_ORIGIN_FIRST;
        config->first_hz = request->first_hz;
    }
    if (count % request->average)
        return clr_say(CLR_EXIT_USAGE, "dft: --average %llu does not divide %llu subcarriers",
                       (unsigned long long)request->average, (unsigned long long)count);
    config->average = (uint32_t)request->average;
    job->values = count / request->average;
    return CLR_EXIT_CARRY_ON;
}

static void set_sizes(clr_dft_job *job)
{
    const clr_taps *taps = &job->taps;
    job->sizes = (clradio_dft_sizes)CLRADIO_DFT_SIZES_INIT;
    job->sizes.beams = taps->beams;
    job->sizes.beam_links = taps->beam_links;
    job->sizes.link_paths = taps->link_paths;
    job->sizes.link_taps = taps->link_taps;
    job->sizes.links_per_beam = taps->links_per_beam;
    job->sizes.paths_per_link = taps->paths_per_link;
    job->sizes.taps_per_link = taps->taps_per_link;
}

clr_exit clr_dft_configure(clr_dft_job *job)
{
    const clr_dft_request *request = job->request;
    const clr_taps *taps = &job->taps;
    clradio_dft_config *config = &job->config;
    int turned = taps->rank && taps->subcarrier_first && !request->order;
    *config = (clradio_dft_config)CLRADIO_DFT_CONFIG_INIT;
    config->type = request->type ? CLRADIO_CF64 : CLRADIO_CF32;
    config->delays = taps->per_path ? CLRADIO_PER_PATH : CLRADIO_PER_LINK;
    config->absent_negative = taps->absent_negative;
    config->normalisation = (clradio_normalisation)request->normalise;
    config->order =
        turned || request->order == 2 ? CLRADIO_DFT_SUBCARRIER_PATH : CLRADIO_DFT_PATH_SUBCARRIER;
    config->taps = (uint32_t)(taps->taps > UINT32_MAX ? UINT32_MAX : taps->taps);
    config->memory_limit = request->memory_limit;
    config->variant = request->variant;
    config->parameters = request->parameters;
    config->launch = (clradio_dft_launch)request->launch;
    config->launch_parameters = request->launch_parameters;
    if (config->order == CLRADIO_DFT_SUBCARRIER_PATH && taps->link_paths)
        return clr_say(CLR_EXIT_USAGE, "dft: --order subcarrier-path needs links of equal size");
    job->time_steps = 1;
    if (taps->rates) {
        job->time_steps = request->time_steps ? request->time_steps : 1;
        config->rates = taps->rates_per_path ? CLRADIO_PER_PATH : CLRADIO_PER_LINK;
        config->time_step_s = request->time_step_s;
    }
    clr_exit answer = set_subcarriers(job);
    set_sizes(job);
    if (answer != CLR_EXIT_CARRY_ON || isnan(request->sample_period_s))
        return answer;
    config->delay = CLRADIO_DELAY_SAMPLES;
    config->sample_period_s = request->sample_period_s;
    return make_samples(job);
}
