/* Where the integrations of a correlation go: a UVH5 file, a matrix file, standard output. */
#include "tool/correlate.h"

#include "base/text.h"
#include "io/uvh5.h"
#include "model/antennas.h"
#include "tool/matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct clr_correlate_output {
    const clr_correlate_plan *plan;
    clr_antennas antennas;
    clr_uvh5 *uvh5;
    clr_matrix_file matrix;
    int print;
    uint64_t count;
};

/* A name that can be written without harm: no input, no directory, no device node (a rename would
 * replace it). */
static clr_exit check_name(const clr_correlate_plan *plan, const char *path)
{
    struct stat facts;
    if (!path || strcmp(path, "-") == 0 || stat(path, &facts))
        return CLR_EXIT_CARRY_ON;
    if (clr_voltages_reads(&plan->voltages, path))
        return clr_say(CLR_EXIT_USAGE, "correlate: '%s' is an input, it is not overwritten", path);
    if (S_ISDIR(facts.st_mode))
        return clr_say(CLR_EXIT_INPUT_OUTPUT, "cannot write '%s': it is a directory", path);
    if (!S_ISREG(facts.st_mode))
        return clr_say(CLR_EXIT_INPUT_OUTPUT, "cannot write '%s': it is not a regular file", path);
    return CLR_EXIT_CARRY_ON;
}

/* "wide.vdif correlated: 256 channels, ..." with everything that was assumed. */
static void write_history(const clr_correlate_plan *plan, clr_text *text)
{
    const clr_voltages *voltages = &plan->voltages;
    static const char *const windows[] = { "rectangular", "Hann", "Hamming", "Blackman", "Kaiser" };
    clr_text_add(text, "clradio correlate");
    for (size_t o = 0; o < voltages->n_operands; o++)
        clr_text_add(text, " %s", voltages->operands[o].info->path);
    clr_text_add(text, "\nsamples %llu to %llu of each input; ", (unsigned long long)plan->first,
                 (unsigned long long)(plan->first + plan->transforms * plan->length));
    if (plan->length > 1)
        clr_text_add(text, "%u channels a band by %u taps, %s window; ", plan->config.channels,
                     plan->config.taps, windows[plan->config.window]);
    else
        clr_text_add(text, "no transform; ");
    clr_text_add(text, "%llu spectra an integration\n", (unsigned long long)plan->integration);
    if (plan->config.reversed)
        clr_text_add(text, "lower sideband: channels reversed and conjugated\n");
    if (!voltages->rate_known)
        clr_text_add(text, "sample rate unknown, 1 Hz assumed\n");
    if (!voltages->frequency_known)
        clr_text_add(text, "frequency unknown, 0 Hz assumed\n");
    if (!voltages->start_known)
        clr_text_add(text, "start time unknown, MJD 0 written\n");
}

/* The header's ids: a station's name when the file has one, else what its first input is called. */
static char **make_names(const clr_correlate_plan *plan)
{
    char **names = calloc(plan->config.stations, sizeof *names);
    for (uint32_t s = 0; names && s < plan->config.stations; s++) {
        const clr_source_input *input = NULL;
        for (uint32_t p = 0; p < plan->config.polarisations && !input; p++)
            input = clr_voltages_input(&plan->voltages, s * plan->config.polarisations + p);
        const char *from = input && *input->station ? input->station : input ? input->name : "";
        names[s] = strdup(from);
        size_t length = names[s] ? strlen(names[s]) : 0;
        if (length > 2 && input && from == input->name && names[s][length - 2] == ' ' &&
            strchr("XYRL", names[s][length - 1]))
            names[s][length - 2] = '\0'; /* "stand 5 X" is the stand's name and a polarisation */
    }
    return names;
}

static clradio_status open_uvh5(clr_correlate_output *output)
{
    const clr_correlate_plan *plan = output->plan;
    const clr_correlate_request *request = plan->request;
    const clr_antennas *antennas = &output->antennas;
    clr_text history = { 0 };
    write_history(plan, &history);
    char **names = make_names(plan);
    clr_uvh5_keyword keywords[] = {
        { .name = "sratehz", .is_number = 1, .number = plan->voltages.sample_rate_hz },
        { .name = "rateknwn", .integer = plan->voltages.rate_known },
        { .name = "freqknwn", .integer = plan->voltages.frequency_known },
    };
    clr_uvh5_layout layout = {
        .stations = plan->config.stations,
        .polarisations = plan->config.polarisations,
        .channels = plan->out_channels,
        .frequency_hz = plan->frequency_hz,
        .channel_width_hz = plan->channel_width_hz,
        .type = plan->file_type,
        .normalise = request->normalise,
        .antenna_names =
            antennas->name ? (const char *const *)antennas->name : (const char *const *)names,
        .antenna_enu_m = (const double(*)[3])antennas->enu_m,
        .antenna_ecef_m = (const double(*)[3])antennas->ecef_m,
        .location_known = antennas->count > 0,
        .latitude_deg = antennas->place.latitude_deg,
        .longitude_deg = antennas->place.longitude_deg,
        .altitude_m = antennas->place.altitude_m,
        .telescope_name = *antennas->telescope_name ? antennas->telescope_name
                          : *plan->voltages.operands[0].info->telescope
                              ? plan->voltages.operands[0].info->telescope
                              : NULL,
        .history = history.bytes,
        .keywords = keywords,
        .n_keywords = sizeof keywords / sizeof keywords[0],
        .compression = (unsigned)request->compression,
    };
    clradio_status status = names && !history.failed
                                ? clr_uvh5_create(request->output, &layout, &output->uvh5)
                                : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the header");
    for (uint32_t s = 0; names && s < plan->config.stations; s++)
        free(names[s]);
    free(names);
    clr_text_free(&history);
    return status;
}

static clr_exit decide_print(clr_correlate_output *output)
{
    const clr_correlate_plan *plan = output->plan;
    const clr_correlate_request *request = plan->request;
    int small = plan->slots <= 20 && plan->out_channels == 1;
    output->print = request->print || (small && !request->output && !request->matrix);
    if (!output->print && !request->output && !request->matrix && !request->verify)
        return clr_say(CLR_EXIT_USAGE,
                       "correlate: say where to: -o FILE.uvh5, --matrix FILE.json or --print (%u "
                       "inputs, %u channels)",
                       plan->slots, plan->out_channels);
    return CLR_EXIT_CARRY_ON;
}

static clradio_status open_files(clr_correlate_output *output)
{
    const clr_correlate_request *request = output->plan->request;
    clradio_status status = CLRADIO_OK;
    if (request->antennas)
        status = clr_antennas_read(request->antennas, &output->antennas);
    if (!status && request->antennas && output->antennas.count != output->plan->config.stations)
        status = clr_fail(CLRADIO_ERROR_ARGUMENT,
                          "'%s' lists %zu antennas, but there are %u "
                          "stations",
                          request->antennas, output->antennas.count, output->plan->config.stations);
    if (!status && request->output)
        status = open_uvh5(output);
    if (!status && request->matrix)
        status = clr_matrix_file_begin(output->plan, request->matrix, &output->matrix);
    return status;
}

clr_exit clr_correlate_output_begin(const clr_correlate_plan *plan, clr_correlate_output **made)
{
    clr_correlate_output *output = calloc(1, sizeof *output);
    if (!output)
        return clr_say(CLR_EXIT_FAILED, "no memory for the output");
    output->plan = plan;
    clr_exit answer = decide_print(output);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_name(plan, plan->request->output);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = check_name(plan, plan->request->matrix);
    if (answer == CLR_EXIT_CARRY_ON) {
        clradio_status status = open_files(output);
        answer = status ? clr_say_status(status) : CLR_EXIT_CARRY_ON;
    }
    if (answer != CLR_EXIT_CARRY_ON) {
        clr_correlate_output_end(output, 0);
        output = NULL;
    }
    *made = output;
    return answer;
}

clradio_status clr_correlate_output_add(clr_correlate_output *output,
                                        const clr_integration *integration)
{
    const clr_correlate_plan *plan = output->plan;
    clradio_status status = CLRADIO_OK;
    if (output->uvh5) {
        double when = clr_time_julian_date(clr_correlate_middle(plan, integration->index));
        clr_uvh5_integration row = {
            .visibilities = integration->visibilities,
            .type = integration->type,
            .spectra = plan->integration,
            .present = integration->present,
            .julian_date = when,
            .seconds = plan->integration_s,
            .lst_rad = clr_lst_rad(when, output->antennas.place.longitude_deg),
        };
        status = clr_uvh5_append(output->uvh5, &row);
    }
    if (!status && output->matrix.stream)
        status = clr_matrix_file_add(plan, &output->matrix, integration);
    if (!status && output->print) {
        clr_matrix_print(plan, integration, stdout);
        if (ferror(stdout))
            status =
                clr_fail(CLRADIO_ERROR_IO, "cannot write to standard output: %s", strerror(errno));
    }
    output->count += !status;
    return status;
}

uint64_t clr_correlate_output_count(const clr_correlate_output *output)
{
    return output->count;
}

clradio_status clr_correlate_output_end(clr_correlate_output *output, int keep)
{
    clradio_status status = CLRADIO_OK;
    keep = keep && output->count > 0;
    if (output->uvh5 && keep)
        status = clr_uvh5_commit(output->uvh5);
    else
        clr_uvh5_abandon(output->uvh5);
    clradio_status other = clr_matrix_file_end(&output->matrix, keep && !status);
    clr_antennas_free(&output->antennas);
    free(output);
    return status ? status : other;
}
