/* clradio dft: the taps, from files or from a model of TR 38.901. */
#include "tool/dft.h"

#include "base/checked.h"
#include "base/text.h"
#include "model/channel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTORS = 57, USERS = 570 };

/* Options of the rays' directions, which the delay lines have not. */
static int of_angles(const clr_dft_request *request)
{
    return request->element || request->travel || request->antenna_spacing != 0.5;
}

/* Options of a model beside files, and the other way round, would do nothing. */
clr_exit clr_dft_check_source(const clr_dft_request *request, size_t files)
{
    int of_model = request->links || request->transmit || request->receive ||
                   !isnan(request->delay_spread_s) || request->doppler_hz > 0 ||
                   of_angles(request) || request->seed != 1 || request->angle_spread ||
                   request->angle_mean;
    int of_files = request->layout || request->gain || request->delay || request->absent ||
                   request->delay_unit;
    if (files && of_model)
        return clr_say(CLR_EXIT_USAGE,
                       "dft: links, antennas, delay spread, Doppler, angles and seed "
                       "are options of a model; these taps come from files");
    if (!files && of_files)
        return clr_say(CLR_EXIT_USAGE, "dft: --layout, --gain, --delay, --absent and --delay-unit "
                                       "are about files; these taps come from a model");
    return CLR_EXIT_CARRY_ON;
}

clr_exit clr_dft_read_taps(clr_dft_job *job, char *const *files, size_t n_files)
{
    const clr_dft_request *request = job->request;
    static const int absent[] = { -1, 1, 0 };
    clr_taps_options how = { .layout = request->layout,
                             .gain = request->gain,
                             .delay = request->delay,
                             .absent_negative = absent[request->absent],
                             .cf64 = request->type == 1,
                             .whole_links = request->normalise == CLRADIO_NORMALISE_LINK,
                             .note = clr_note };
    static const char *const layouts[] = { "sionna", "quadriga", "deepmimo", "clradio", "rays" };
    if (request->layout) {
        int known = 0;
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
            known |= !strcmp(request->layout, layouts[k]);
        if (!known)
            return clr_say(CLR_EXIT_USAGE,
                           "dft: --layout cannot be '%s'; it is one of sionna, quadriga, deepmimo, "
                           "clradio, rays",
                           request->layout);
    }
    clradio_status status = clr_taps_read(files, n_files, &how, &job->taps);
    if (status)
        return clr_say_input(status);
    if (!job->taps.gain_count)
        return clr_say(CLR_EXIT_DAMAGED, "the files hold no taps");
    if (request->time_steps > 1 && !job->taps.rates)
        return clr_say(CLR_EXIT_USAGE, "dft: --time-steps needs Doppler rates, and the files have "
                                       "none (an array 'rate' or 'doppler')");
    return CLR_EXIT_CARRY_ON;
}

/* "2x4x2", "4": rows, columns, polarisations; a number alone is that of columns. */
static clr_exit read_antennas(const char *option, const char *text, const clr_dft_request *request,
                              clr_antenna_array *array)
{
    uint64_t number[3] = { 1, 1, 1 };
    unsigned n = 0;
    int good = 1;
    *array = (clr_antenna_array)CLR_ANTENNA_ARRAY_INIT;
    array->row_spacing = array->column_spacing = request->antenna_spacing;
    for (const char *word = text; word && good; n++) {
        char digits[16];
        size_t length = strcspn(word, "x");
        good = n < 3 && length && length < sizeof digits;
        if (!good)
            break;
        clr_copy_text(digits, length + 1, word);
        good = clr_parse_u64(digits, &number[n]) && number[n] >= 1 && number[n] <= 1024;
        word = word[length] ? word + length + 1 : NULL;
    }
    if (!good || number[2] > 2)
        return clr_say(CLR_EXIT_USAGE,
                       "dft: --%s takes a number of antennas such as 4, or rows x columns x "
                       "polarisations such as 2x4x2, not '%s'",
                       option, text);
    array->rows = n > 1 ? (uint32_t)number[0] : 1;
    array->columns = n > 1 ? (uint32_t)number[1] : (uint32_t)number[0];
    array->polarisations = (uint32_t)number[2];
    if (array->polarisations == 2) {
        array->slant_deg[0] = 45;
        array->slant_deg[1] = -45;
    }
    return CLR_EXIT_CARRY_ON;
}

/* n numbers with commas between; "-" keeps what is there. */
static clr_exit read_numbers(const char *option, const char *text, double *number, size_t n)
{
    const char *word = text;
    for (size_t k = 0; word && k < n; k++) {
        char digits[32];
        size_t length = strcspn(word, ",");
        int last = !word[length];
        if (length < sizeof digits && last == (k + 1 == n)) {
            clr_copy_text(digits, length + 1, word);
            if (strcmp(digits, "-") == 0 || clr_parse_double(digits, &number[k])) {
                word += length + 1;
                continue;
            }
        }
        return clr_say(CLR_EXIT_USAGE, "dft: --%s takes %zu numbers with commas between, not '%s'",
                       option, n, text);
    }
    return CLR_EXIT_CARRY_ON;
}

static clr_exit set_model(const clr_dft_request *request, clr_channel_config *config)
{
    double travel[2] = { 0, 90 };
    const char *name = request->profile ? request->profile : "TDL-C";
    *config = (clr_channel_config){ .profile = clr_profile_find(name), .seed = request->seed };
    if (!config->profile) {
        clr_text all = { 0 };
        for (size_t i = 0; clr_profile_get(i); i++)
            clr_text_add(&all, "%s%s", i ? ", " : "", clr_profile_get(i)->name);
        clr_say(CLR_EXIT_USAGE, "dft: there is no profile '%s'; there are %s", name,
                all.bytes ? all.bytes : "");
        clr_text_free(&all);
        return CLR_EXIT_USAGE;
    }
    if (!config->profile->clustered && of_angles(request))
        return clr_say(CLR_EXIT_USAGE,
                       "dft: %s has no angles: --element, --travel and --antenna-spacing are for "
                       "CDL-A to CDL-E",
                       name);
    config->delay_spread_s = !isnan(request->delay_spread_s) ? request->delay_spread_s
                             : !config->profile->scaled      ? 0
                             : request->scenario             ? 300e-9
                                                             : 100e-9;
    config->doppler_hz = request->doppler_hz;
    config->time_step_s = request->time_step_s;
    for (int a = 0; a < CLR_ANGLES; a++)
        config->angle_spread_deg[a] = config->angle_mean_deg[a] = NAN;
    const char *tx = request->transmit ? request->transmit : request->scenario ? "4" : "1";
    const char *rx = request->receive ? request->receive : request->scenario ? "2" : "1";
    clr_exit answer = read_antennas("tx", tx, request, &config->transmit);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = read_antennas("rx", rx, request, &config->receive);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = read_numbers("angle-spread", request->angle_spread, config->angle_spread_deg,
                              CLR_ANGLES);
    if (answer == CLR_EXIT_CARRY_ON)
        answer =
            read_numbers("angle-mean", request->angle_mean, config->angle_mean_deg, CLR_ANGLES);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = read_numbers("travel", request->travel, travel, 2);
    config->travel_azimuth_deg = travel[0];
    config->travel_zenith_deg = travel[1];
    config->transmit.element = request->element ? CLR_ANTENNA_TR38901 : CLR_ANTENNA_ISOTROPIC;
    return answer;
}

static void add_axis(clr_taps *taps, const char *name, uint64_t size)
{
    clr_copy_text(taps->axis[taps->rank], sizeof *taps->axis, name);
    taps->size[taps->rank++] = size;
}

/* Links, then [rx][tx] and, where there are several, times as paths of their own. */
static clradio_status set_shape(clr_dft_job *job, const clr_channel_config *config, uint64_t times)
{
    const clr_dft_request *request = job->request;
    clr_taps *taps = &job->taps;
    uint64_t rx = clr_antenna_array_count(&config->receive);
    uint64_t tx = clr_antenna_array_count(&config->transmit);
    uint64_t factors[4], delays;
    *taps = (clr_taps){ .response = "response", .links_per_beam = 1 };
    clr_copy_text(taps->layout, sizeof taps->layout, "model");
    taps->links = taps->beams = request->links ? request->links : 1;
    if (request->scenario) {
        taps->links_per_beam = SECTORS;
        taps->beams = request->links ? request->links : USERS;
        taps->links = taps->beams * SECTORS;
        add_axis(taps, "user", taps->beams);
        add_axis(taps, "sector", SECTORS);
    } else {
        add_axis(taps, "link", taps->links);
    }
    taps->link_axes = taps->rank;
    add_axis(taps, "rx", rx);
    add_axis(taps, "tx", tx);
    if (times > 1)
        add_axis(taps, "time", times);
    taps->taps = taps->taps_per_link = config->profile->taps;
    taps->paths_per_link = rx * tx * times;
    factors[0] = taps->links;
    factors[1] = taps->paths_per_link;
    factors[2] = taps->taps;
    factors[3] = request->type == 1 ? 16 : 8;
    if (!clr_product_u64(factors, 3, &taps->gain_count) ||
        !clr_mul_u64(taps->gain_count, factors[3], &delays) || delays > SIZE_MAX / 2)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "that many links, antennas and times cannot be "
                                                "counted");
    taps->paths = taps->links * taps->paths_per_link;
    taps->delay_count = taps->links * taps->taps;
    taps->gains = malloc((size_t)delays);
    taps->delays = malloc((size_t)taps->delay_count * sizeof *taps->delays);
    return taps->gains && taps->delays
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the taps of %llu links",
                          (unsigned long long)taps->links);
}

/* The model's [time][rx][tx][tap] of one link to [rx][tx][time][tap]. */
static void place_gains(clr_taps *taps, uint64_t link, uint64_t times, int cf64, const double *from)
{
    uint64_t pairs = taps->paths_per_link / times, n = taps->taps;
    uint64_t to = link * taps->paths_per_link * n;
    for (uint64_t p = 0; p < pairs; p++)
        for (uint64_t t = 0; t < times; t++)
            for (uint64_t e = 0; e < 2 * n; e++) {
                double value = from[2 * n * (t * pairs + p) + e];
                uint64_t at = 2 * (to + (p * times + t) * n) + e;
                if (cf64)
                    ((double *)taps->gains)[at] = value;
                else
                    ((float *)taps->gains)[at] = (float)value;
            }
}

clr_exit clr_dft_make_taps(clr_dft_job *job)
{
    const clr_dft_request *request = job->request;
    clr_channel_config config;
    clr_channel *channel = NULL;
    double *gains = NULL;
    uint64_t times = request->time_steps ? request->time_steps : 1;
    clr_exit answer = set_model(request, &config);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clradio_status status = clr_channel_create(&config, &channel);
    if (!status)
        status = set_shape(job, &config, times);
    if (!status) {
        size_t each = (size_t)(job->taps.paths_per_link * job->taps.taps * 2);
        gains = malloc(each * sizeof *gains);
        if (!gains)
            status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the taps of a link");
    }
    for (uint64_t l = 0; !status && l < job->taps.links && !clr_interrupted(); l++) {
        clr_channel_gains(channel, l, 0, times, gains);
        place_gains(&job->taps, l, times, request->type == 1, gains);
        memcpy(job->taps.delays + l * job->taps.taps, clr_channel_delays(channel),
               (size_t)job->taps.taps * sizeof *job->taps.delays);
    }
    free(gains);
    clr_channel_destroy(channel);
    if (status)
        return clr_say_status(status);
    return clr_interrupted() ? clr_say(CLR_EXIT_INTERRUPTED, "interrupted; nothing was written")
                             : CLR_EXIT_CARRY_ON;
}
