/* What a correlation will do: which samples, how many spectra and integrations, which types and
 * frequencies. Everything assumed is said. Knows no device. */
#include "tool/correlate.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>

void clr_correlate_plan_free(clr_correlate_plan *plan)
{
    clr_voltages_close(&plan->voltages);
    free(plan->frequency_hz);
    free(plan->channel_width_hz);
    *plan = (clr_correlate_plan){ 0 };
}

static clradio_status open_voltages(const clr_correlate_request *request, char *const *files,
                                    size_t n_files, clr_voltages *voltages)
{
    clr_voltages_options how = {
        .source = { .strict = request->strict,
                    .sample_rate_hz = isnan(request->sample_rate_hz) ? 0 : request->sample_rate_hz,
                    .frequency_hz = isnan(request->frequency_hz) ? 0 : request->frequency_hz,
                    .format = request->format,
                    .twos_complement = request->twos_complement,
                    .real_high = request->real_high },
        .inputs = request->inputs,
        .sideband = (clr_sideband)request->sideband,
        .complex_output = request->channels ? request->channels == 1 : -1,
        .note = clr_note,
    };
    clradio_status status = clr_voltages_open(files, n_files, &how, voltages);
    if (!status && !isnan(request->frequency_hz)) {
        voltages->frequency_hz = request->frequency_hz;
        voltages->frequency_known = 1;
    }
    return status;
}

static void set_config(clr_correlate_plan *plan)
{
    const clr_correlate_request *request = plan->request;
    const clr_voltages *voltages = &plan->voltages;
    plan->config = (clradio_correlator_config)CLRADIO_CORRELATOR_CONFIG_INIT;
    plan->config.stations = voltages->map.stations;
    plan->config.polarisations = voltages->map.polarisations;
    plan->config.bands = voltages->channels;
    plan->config.channels = (uint32_t)request->channels;
    if (!request->channels)
        plan->config.channels = voltages->channels > 1 ? 1 : 1024;
    plan->config.taps = (uint32_t)request->taps;
    plan->config.window = (clradio_window)request->window;
    plan->config.kaiser_beta = request->kaiser_beta;
    plan->config.reversed = voltages->reversed;
    plan->config.input = voltages->type;
    plan->config.memory_limit = request->memory_limit;
    plan->config.variant = request->variant;
    plan->config.parameters = request->parameters;
    int real = voltages->type == CLRADIO_I8 || voltages->type == CLRADIO_I16 ||
               voltages->type == CLRADIO_F32;
    plan->length =
        plan->config.channels == 1 ? 1 : (uint64_t)plan->config.channels * (real ? 2 : 1);
    plan->slots = plan->config.stations * plan->config.polarisations;
    plan->integers = plan->length == 1 && voltages->type != CLRADIO_CF32;
}

/* Without a transform there is nothing for taps and windows to do. */
static clr_exit check_filter(const clr_correlate_plan *plan)
{
    if (plan->length > 1 || (plan->config.taps == 1 && !plan->config.window))
        return CLR_EXIT_CARRY_ON;
    return clr_say(CLR_EXIT_USAGE, "correlate: --%s needs a transform, but there is 1 channel %s",
                   plan->config.taps > 1 ? "taps" : "window",
                   plan->request->channels ? "(--channels 1)"
                                           : "for each of the file's (give --channels)");
}

/* Which samples: --start, --samples, and as many whole transforms as they hold. */
static clr_exit set_extent(clr_correlate_plan *plan)
{
    const clr_correlate_request *request = plan->request;
    clr_voltages *voltages = &plan->voltages;
    double skip = nearbyint(request->start_s * voltages->sample_rate_hz);
    if (skip >= (double)voltages->samples)
        return clr_say(CLR_EXIT_USAGE,
                       "correlate: --start %.9g leaves nothing: there are only %.9g seconds",
                       request->start_s, (double)voltages->samples / voltages->sample_rate_hz);
    plan->first = (uint64_t)skip;
    uint64_t samples = voltages->samples - plan->first;
    if (request->samples > samples)
        clr_note("--samples %llu: there are only %llu", (unsigned long long)request->samples,
                 (unsigned long long)samples);
    else if (request->samples)
        samples = request->samples;
    plan->transforms = samples / plan->length;
    plan->unused_samples = samples % plan->length;
    if (plan->transforms < plan->config.taps)
        return clr_say(CLR_EXIT_USAGE,
                       "correlate: %llu samples are too few: a spectrum takes %llu (%llu a "
                       "transform, %u taps); give fewer --channels",
                       (unsigned long long)samples,
                       (unsigned long long)plan->length * plan->config.taps,
                       (unsigned long long)plan->length, plan->config.taps);
    plan->spectra = plan->transforms - (plan->config.taps - 1);
    return CLR_EXIT_CARRY_ON;
}

static clr_exit set_integrations(clr_correlate_plan *plan)
{
    double spectrum_s = (double)plan->length / plan->voltages.sample_rate_hz;
    double asked = plan->request->integration_s;
    plan->integration = plan->spectra;
    if (!isnan(asked)) {
        double spectra = nearbyint(asked / spectrum_s);
        if (spectra < 1)
            return clr_say(CLR_EXIT_USAGE,
                           "correlate: --integration %.9g s is shorter than a spectrum (%.9g s)",
                           asked, spectrum_s);
        if (fabs(spectra * spectrum_s - asked) > 1e-9 * asked)
            clr_note("an integration is rounded to %.0f spectra, %.12g s", spectra,
                     spectra * spectrum_s);
        /* An integration longer than the data is one partial integration. */
        if (spectra * (double)plan->length > 1e18)
            return clr_say(CLR_EXIT_USAGE, "correlate: --integration %.9g s is too long", asked);
        plan->integration = (uint64_t)spectra;
    }
    plan->integrations = clr_ceil_div(plan->spectra, plan->integration);
    plan->integration_s = (double)plan->integration * spectrum_s;
    return CLR_EXIT_CARRY_ON;
}

static clr_exit set_types(clr_correlate_plan *plan)
{
    double q = plan->voltages.largest;
    double bound = 2 * q * q * (double)plan->integration;
    int asked = plan->request->output_type;
    int fits = plan->integers && bound <= INT32_MAX;
    if (!plan->integers && asked == CLR_OUTPUT_INT32)
        return clr_say(CLR_EXIT_USAGE, "correlate: spectra are no integers: --output-type int32 "
                                       "needs integer samples and --channels 1");
    if (asked == CLR_OUTPUT_INT32)
        plan->file_type = CLRADIO_CI32;
    else if (asked == CLR_OUTPUT_FLOAT32)
        plan->file_type = CLRADIO_CF32;
    else if (asked == CLR_OUTPUT_FLOAT64)
        plan->file_type = CLRADIO_CF64;
    else if (plan->integers && plan->request->normalise)
        plan->file_type = CLRADIO_CF64;
    else if (plan->integers)
        plan->file_type = fits ? CLRADIO_CI32 : CLRADIO_CF64;
    else
        plan->file_type = CLRADIO_CF32;
    /* The device sums integers in the narrowest type that cannot overflow; the writer checks what
     * it narrows. */
    if (plan->integers)
        plan->config.output = fits ? CLRADIO_CI32 : CLRADIO_CI64;
    else
        plan->config.output = plan->file_type == CLRADIO_CF64 ? CLRADIO_CF64 : CLRADIO_CF32;
    return CLR_EXIT_CARRY_ON;
}

/* The sky frequency of each output channel. */
static void fill_frequencies(clr_correlate_plan *plan)
{
    const clr_voltages *voltages = &plan->voltages;
    const clradio_correlator_config *config = &plan->config;
    double rate = voltages->sample_rate_hz;
    clradio_fengine_config bank = CLRADIO_FENGINE_CONFIG_INIT;
    bank.channels = config->channels;
    bank.reversed = config->reversed;
    bank.input = config->input;
    for (uint32_t band = 0; band < config->bands; band++) {
        /* Without a transform a reversed order of bands is undone by the correlator. */
        uint32_t from = config->reversed && plan->length == 1 ? config->bands - 1 - band : band;
        double reference = voltages->frequency_hz + from * voltages->channel_step_hz;
        for (uint32_t c = 0; c < config->channels; c++) {
            double offset;
            if (plan->length > 1)
                offset = rate * clradio_fengine_channel_offset(&bank, c);
            else if (voltages->complex_file)
                offset = 0;
            else /* the middle of a real band, on the side that it is on */
                offset = config->reversed ? -rate / 4 : rate / 4;
            size_t at = (size_t)band * config->channels + c;
            plan->frequency_hz[at] = reference + offset;
            plan->channel_width_hz[at] = rate / (voltages->complex_file ? 1 : 2) / config->channels;
        }
    }
}

static clr_exit set_frequencies(clr_correlate_plan *plan)
{
    uint64_t channels = (uint64_t)plan->config.bands * plan->config.channels;
    if (channels > UINT32_MAX / 2)
        return clr_say(CLR_EXIT_USAGE, "correlate: %llu channels are too many",
                       (unsigned long long)channels);
    plan->out_channels = (uint32_t)channels;
    plan->frequency_hz = malloc((size_t)channels * sizeof(double));
    plan->channel_width_hz = malloc((size_t)channels * sizeof(double));
    if (!plan->frequency_hz || !plan->channel_width_hz)
        return clr_say(CLR_EXIT_FAILED, "no memory for %llu channels",
                       (unsigned long long)channels);
    fill_frequencies(plan);
    return CLR_EXIT_CARRY_ON;
}

static void say_assumptions(const clr_correlate_plan *plan)
{
    if (!plan->voltages.rate_known)
        clr_note("the sample rate is not known: 1 Hz is assumed; give --sample-rate");
    if (!plan->voltages.frequency_known)
        clr_note("the frequency is not known: 0 Hz is assumed; give --frequency");
    if (plan->unused_samples)
        clr_note("the last %llu samples do not fill a transform and are left out",
                 (unsigned long long)plan->unused_samples);
}

clr_exit clr_correlate_plan_make(const clr_correlate_request *request, char *const *files,
                                 size_t n_files, clr_correlate_plan *plan)
{
    *plan = (clr_correlate_plan){ .request = request };
    clradio_status status = open_voltages(request, files, n_files, &plan->voltages);
    if (status)
        return clr_say_input(status);
    set_config(plan);
    clr_exit answer = check_filter(plan);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = set_extent(plan);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = set_integrations(plan);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = set_types(plan);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = set_frequencies(plan);
    if (answer == CLR_EXIT_CARRY_ON)
        say_assumptions(plan);
    else
        clr_correlate_plan_free(plan);
    return answer;
}

clr_time clr_correlate_middle(const clr_correlate_plan *plan, uint64_t integration)
{
    /* A spectrum is in the middle of the taps transforms it comes from; half samples are kept by
     * counting at twice the rate. */
    uint64_t twice = 2 * plan->first + plan->length * (2 * integration * plan->integration +
                                                       plan->integration + plan->config.taps - 1);
    return clr_time_add_samples(plan->voltages.start, (int64_t)twice,
                                2 * plan->voltages.sample_rate_hz);
}
