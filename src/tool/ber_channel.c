/* The channel of clradio ber: taps of a profile or a file, correlation of antennas. */
#include "tool/ber.h"

#include "io/arrays.h"
#include "io/csv.h"
#include "model/channel.h"
#include "tool/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- taps ---- */

static clr_exit take_room(clr_ber *ber, size_t taps)
{
    ber->taps = calloc(taps, sizeof *ber->taps);
    ber->config.taps = ber->taps;
    ber->config.tap_count = (uint32_t)taps;
    ber->config.subcarriers = (uint32_t)ber->request->subcarriers;
    ber->config.subcarrier_spacing_hz = ber->request->spacing_hz;
    return ber->taps ? CLR_EXIT_OK : clr_say(CLR_EXIT_FAILED, "ber: no memory for taps");
}

static clr_exit taps_of_profile(clr_ber *ber, const clr_profile *profile)
{
    if (profile->clustered)
        return clr_say(CLR_EXIT_USAGE,
                       "ber: %s is a clustered profile; the channel takes tapped delay lines such "
                       "as tdl-a",
                       profile->name);
    clr_exit answer = take_room(ber, profile->taps);
    for (size_t i = 0; i < profile->taps && !answer; i++) {
        const clr_profile_tap *tap = &profile->tap[i];
        const double power = pow(10.0, tap->power_db / 10.0);
        ber->taps[i].delay_s = tap->delay * (profile->scaled ? ber->request->delay_spread_s : 1.0);
        ber->taps[i].diffuse = tap->line_of_sight ? 0.0 : power;
        ber->taps[i].specular = tap->line_of_sight ? power : 0.0;
    }
    return answer;
}

static clr_exit taps_of_table(clr_ber *ber, const clr_csv *csv, const char *path)
{
    const size_t delay = clr_csv_column(csv, "delay_s"), diffuse = clr_csv_column(csv, "diffuse"),
                 specular = clr_csv_column(csv, "specular");
    if (delay == csv->columns || diffuse == csv->columns || csv->rows < 2 || csv->rows > 1025)
        return clr_say(CLR_EXIT_DAMAGED,
                       "'%s' is no table of 1 to 1024 taps with the columns delay_s, diffuse and "
                       "specular",
                       path);
    clr_exit answer = take_room(ber, csv->rows - 1);
    for (size_t row = 1; row < csv->rows && !answer; row++) {
        clradio_montecarlo_tap *tap = &ber->taps[row - 1];
        int good = clr_parse_double(clr_csv_cell(csv, row, delay), &tap->delay_s) &&
                   clr_parse_double(clr_csv_cell(csv, row, diffuse), &tap->diffuse);
        if (good && specular < csv->columns)
            good = clr_parse_double(clr_csv_cell(csv, row, specular), &tap->specular);
        if (!good)
            answer = clr_say(CLR_EXIT_DAMAGED, "'%s': tap %zu has what is no number", path, row);
    }
    return answer;
}

static clr_exit make_taps(clr_ber *ber)
{
    const char *name = ber->request->channel;
    if (strcmp(name, "iid") == 0)
        return CLR_EXIT_OK;
    const clr_profile *profile = clr_profile_find(name);
    if (profile)
        return taps_of_profile(ber, profile);
    if (!strpbrk(name, "./"))
        return clr_say(CLR_EXIT_USAGE,
                       "ber: there is no channel '%s'; there are iid, tdl-a to tdl-e and files "
                       "(with a . or / in their name)",
                       name);
    clr_csv csv;
    clradio_status status = clr_csv_read(name, &csv);
    if (status)
        return clr_say_status(status);
    clr_exit answer = taps_of_table(ber, &csv, name);
    clr_csv_free(&csv);
    return answer;
}

/* ---- correlation ---- */

static clr_exit matrix_of_file(const char *path, uint64_t n, double *matrix)
{
    clr_arrays_file *file;
    clradio_status status = clr_arrays_open(path, &file);
    if (status)
        return clr_say_input(status);
    const clr_arrays_info *info = clr_arrays_get(file, 0);
    clr_exit answer = CLR_EXIT_OK;
    if (clr_arrays_count(file) != 1 || info->rank != 2 || info->size[0] != n || info->size[1] != n)
        answer = clr_say(CLR_EXIT_USAGE, "ber: '%s' is not one array of %" PRIu64 " x %" PRIu64,
                         path, n, n);
    else if ((status = clr_arrays_read(file, 0, 0, n, CLR_ELEMENT_CF64, matrix)) != 0)
        answer = clr_say_input(status);
    clr_arrays_close(file);
    return answer;
}

/* RHO or a file; text NULL: none. */
static clr_exit make_correlation(const char *option, const char *text, uint64_t n, int rho_only,
                                 double **matrix)
{
    double rho;
    if (!text)
        return CLR_EXIT_OK;
    *matrix = calloc((size_t)(n * n), 2 * sizeof **matrix);
    if (!*matrix)
        return clr_say(CLR_EXIT_FAILED, "ber: no memory for a correlation");
    if (!clr_parse_double(text, &rho)) {
        if (rho_only)
            return clr_say(CLR_EXIT_USAGE, "ber: --%s takes a number, not '%s'", option, text);
        return matrix_of_file(text, n, *matrix);
    }
    if (clradio_exponential_correlation((uint32_t)n, rho, *matrix))
        return clr_say(CLR_EXIT_USAGE, "ber: --%s: %s", option, clradio_last_error());
    return CLR_EXIT_OK;
}

clr_exit clr_ber_channel(clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    if (request->correlation && (request->receive_correlation || request->transmit_correlation))
        return clr_say(CLR_EXIT_USAGE, "ber: --correlation is of both sides; it does not go with "
                                       "--rx-correlation or --tx-correlation");
    const char *both = request->correlation;
    clr_exit answer = make_taps(ber);
    if (!answer)
        answer = make_correlation(both ? "correlation" : "rx-correlation",
                                  both ? both : request->receive_correlation, request->receive,
                                  both != NULL, &ber->receive_correlation);
    if (!answer)
        answer = make_correlation(both ? "correlation" : "tx-correlation",
                                  both ? both : request->transmit_correlation, request->transmit,
                                  both != NULL, &ber->transmit_correlation);
    ber->config.receive_correlation = ber->receive_correlation;
    ber->config.transmit_correlation = ber->transmit_correlation;
    return answer;
}
