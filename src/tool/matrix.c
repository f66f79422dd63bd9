/* Matrices as text and as JSON. Integer sums are printed to the last digit. */
#include "tool/matrix.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct element {
    int64_t whole[2];
    double real[2];
} element;

/* V of two slots in a channel: the conjugate of what is stored when a < b. */
static element get(const clr_correlate_plan *plan, const clr_integration *integration,
                   uint32_t channel, uint32_t a, uint32_t b)
{
    uint32_t pols = plan->config.polarisations;
    uint64_t stations = plan->config.stations;
    int swap = a / pols < b / pols;
    uint64_t i = (swap ? b : a) / pols, j = (swap ? a : b) / pols;
    uint32_t pi = (swap ? b : a) % pols, pj = (swap ? a : b) % pols;
    uint64_t baseline = i * (i + 1) / 2 + j;
    uint64_t at = ((channel * (stations * (stations + 1) / 2) + baseline) * pols + pi) * pols + pj;
    element value = { { 0 }, { 0 } };
    for (unsigned c = 0; c < 2; c++) {
        uint64_t place = 2 * at + c;
        if (integration->type == CLRADIO_CI32)
            value.whole[c] = ((const int32_t *)integration->visibilities)[place];
        else if (integration->type == CLRADIO_CI64)
            value.whole[c] = ((const int64_t *)integration->visibilities)[place];
        else if (integration->type == CLRADIO_CF32)
            value.real[c] = ((const float *)integration->visibilities)[place];
        else
            value.real[c] = ((const double *)integration->visibilities)[place];
    }
    if (swap) {
        value.whole[1] = -value.whole[1];
        value.real[1] = 0 - value.real[1];
    }
    return value;
}

const char *clr_matrix_input_name(const clr_correlate_plan *plan, uint32_t slot)
{
    const clr_source_input *input = clr_voltages_input(&plan->voltages, slot);
    return input ? input->name : "none";
}

/* Spectra in which both inputs were there. */
static uint64_t present(const clr_correlate_plan *plan, const clr_integration *integration,
                        uint32_t a, uint32_t b)
{
    if (!integration->present)
        return integration->spectra;
    uint32_t pols = plan->config.polarisations;
    if (a < b) {
        uint32_t kept = a;
        a = b;
        b = kept;
    }
    uint64_t i = a / pols, j = b / pols;
    return integration->present[((i * (i + 1) / 2 + j) * pols + a % pols) * pols + b % pols];
}

static int element_text(const clr_correlate_plan *plan, element value, char *text, size_t room)
{
    if (plan->integers)
        return snprintf(text, room, "%" PRId64 "%+" PRId64 "j", value.whole[0], value.whole[1]);
    return snprintf(text, room, "%.7g%+.7gj", value.real[0], value.real[1]);
}

void clr_matrix_print(const clr_correlate_plan *plan, const clr_integration *integration,
                      FILE *stream)
{
    char text[96], when[64];
    if (integration->index == 0)
        for (uint32_t slot = 0; slot < plan->slots; slot++)
            fprintf(stream, "# row and column %u: %s, station %u %c\n", slot,
                    clr_matrix_input_name(plan, slot), slot / plan->config.polarisations,
                    slot % plan->config.polarisations ? 'Y' : 'X');
    for (uint32_t channel = 0; channel < plan->out_channels; channel++) {
        fprintf(stream, "# integration %" PRIu64 " of %" PRIu64 " spectra", integration->index,
                integration->spectra);
        if (plan->voltages.start_known)
            fprintf(stream, " around %s",
                    clr_time_text(clr_correlate_middle(plan, integration->index), when));
        fprintf(stream, ", channel %u at %.12g Hz: sums of x_row conj(x_column)\n", channel,
                plan->frequency_hz[channel]);
        int width = 0;
        for (uint32_t a = 0; a < plan->slots; a++) {
            for (uint32_t b = 0; b < plan->slots; b++) {
                int length =
                    element_text(plan, get(plan, integration, channel, a, b), text, sizeof text);
                width = length > width ? length : width;
            }
        }
        for (uint32_t a = 0; a < plan->slots; a++) {
            for (uint32_t b = 0; b < plan->slots; b++) {
                element_text(plan, get(plan, integration, channel, a, b), text, sizeof text);
                fprintf(stream, "%s%*s", b ? " " : "", width, text);
            }
            fputc('\n', stream);
        }
    }
}

static void print_json_text(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\')
            fprintf(stream, "\\%c", letter);
        else if (letter < 32 || letter > 126)
            fprintf(stream, "\\u%04x", letter);
        else
            fputc(letter, stream);
    }
    fputc('"', stream);
}

clradio_status clr_matrix_file_begin(const clr_correlate_plan *plan, const char *path,
                                     clr_matrix_file *file)
{
    *file = (clr_matrix_file){ .stream = stdout };
    if (strcmp(path, "-") != 0) {
        clradio_status status = clr_new_file_begin(path, 0644, &file->file);
        if (status)
            return status;
        file->stream = file->file.stream;
    }
    FILE *to = file->stream;
    fprintf(to,
            "{\"convention\": \"matrix[channel][i][j] = sum of x_i conj(x_j), as [re, im]\",\n");
    fprintf(to, "\"stations\": %u, \"polarisations\": %u, \"exact\": %s,\n", plan->config.stations,
            plan->config.polarisations, plan->integers ? "true" : "false");
    fprintf(to, "\"inputs\": [");
    for (uint32_t slot = 0; slot < plan->slots; slot++) {
        fputs(slot ? ", " : "", to);
        print_json_text(clr_matrix_input_name(plan, slot), to);
    }
    fprintf(to, "],\n\"frequency_hz\": [");
    for (uint32_t channel = 0; channel < plan->out_channels; channel++)
        fprintf(to, "%s%.17g", channel ? ", " : "", plan->frequency_hz[channel]);
    fprintf(to, "],\n\"integrations\": [");
    return CLRADIO_OK;
}

static void add_row(const clr_correlate_plan *plan, const clr_integration *integration,
                    uint32_t channel, uint32_t a, FILE *to)
{
    for (uint32_t b = 0; b < plan->slots; b++) {
        element value = get(plan, integration, channel, a, b);
        fputs(b ? ", " : "[", to);
        if (plan->integers)
            fprintf(to, "[%" PRId64 ", %" PRId64 "]", value.whole[0], value.whole[1]);
        else if (isfinite(value.real[0]) && isfinite(value.real[1]))
            fprintf(to, "[%.17g, %.17g]", value.real[0], value.real[1]);
        else
            fprintf(to, "[null, null]");
    }
    fputc(']', to);
}

clradio_status clr_matrix_file_add(const clr_correlate_plan *plan, clr_matrix_file *file,
                                   const clr_integration *integration)
{
    FILE *to = file->stream;
    char when[64];
    fprintf(to, "%s\n{\"spectra\": %" PRIu64 ", \"whole\": %" PRIu64 ", \"middle\": ",
            file->count++ ? "," : "", integration->spectra, plan->integration);
    print_json_text(plan->voltages.start_known
                        ? clr_time_text(clr_correlate_middle(plan, integration->index), when)
                        : "",
                    to);
    fprintf(to, ",\n\"present\": [");
    for (uint32_t a = 0; a < plan->slots; a++) {
        for (uint32_t b = 0; b < plan->slots; b++)
            fprintf(to, "%s%" PRIu64, b ? ", " : (a ? ",\n[" : "["),
                    present(plan, integration, a, b));
        fputc(']', to);
    }
    fprintf(to, "],\n\"matrix\": [");
    for (uint32_t channel = 0; channel < plan->out_channels; channel++) {
        fputs(channel ? ",\n[" : "[", to);
        for (uint32_t a = 0; a < plan->slots; a++) {
            fputs(a ? ",\n" : "", to);
            add_row(plan, integration, channel, a, to);
        }
        fputc(']', to);
    }
    fprintf(to, "]}");
    if (ferror(to))
        return clr_fail(CLRADIO_ERROR_IO, "cannot write the matrix: %s", strerror(errno));
    return CLRADIO_OK;
}

clradio_status clr_matrix_file_end(clr_matrix_file *file, int keep)
{
    if (!file->stream)
        return CLRADIO_OK;
    if (keep)
        fprintf(file->stream, "]}\n");
    clradio_status status = CLRADIO_OK;
    if (file->stream != stdout) {
        if (keep)
            status = clr_new_file_commit(&file->file);
        else
            clr_new_file_abandon(&file->file);
    }
    *file = (clr_matrix_file){ 0 };
    return status;
}
