/* The request of clradio ber made into a configuration and a list of points. */
#include "tool/ber.h"

#include "tool/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of numbers ---- */

/* "A", or "A:STEP:B" with B taken in when it is on the grid within a thousandth of a step. */
static int add_range(char *word, double *values, size_t capacity, size_t *count)
{
    double part[3];
    size_t parts = 0;
    for (char *at = word; at; parts++) {
        char *end = strchr(at, ':');
        if (end)
            *end++ = '\0';
        if (parts == 3 || !clr_parse_double(at, &part[parts]))
            return 0;
        at = end;
    }
    if (parts == 2)
        return 0;
    const double first = part[0], step = parts == 3 ? part[1] : 1.0;
    const double last = parts == 3 ? part[2] : first;
    if (step == 0.0 || (last - first) / step < 0.0 || (last - first) / step > 1e6)
        return 0;
    const size_t n = (size_t)floor((last - first) / step + 1e-3) + 1;
    if (n > capacity - *count)
        return 0;
    for (size_t i = 0; i < n; i++)
        values[(*count)++] = first + step * (double)i;
    return 1;
}

size_t clr_ber_list(const char *text, double *values, size_t capacity)
{
    size_t count = 0;
    char *copy = strdup(text);
    int good = copy != NULL;
    for (char *at = copy; at && good;) {
        char *end = strchr(at, ',');
        if (end)
            *end++ = '\0';
        good = add_range(at, values, capacity, &count);
        at = end;
    }
    free(copy);
    return good ? count : 0;
}

/* The number of a point's random numbers: its SNR per receive antenna in thousandths of a dB, so
 * that it does not depend on the other points. */
static uint32_t point_number(double rx_db)
{
    return (uint32_t)(int32_t)lrint(rx_db * 1e3);
}

static clr_exit make_points(clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    double *values = calloc(CLR_BER_MOST_POINTS, sizeof *values);
    ber->points = calloc(CLR_BER_MOST_POINTS, sizeof *ber->points);
    if (!values || !ber->points) {
        free(values);
        return clr_say(CLR_EXIT_FAILED, "ber: no memory for the points");
    }
    ber->count = clr_ber_list(request->snr, values, CLR_BER_MOST_POINTS);
    clr_exit answer = CLR_EXIT_OK;
    if (!ber->count)
        answer =
            clr_say(CLR_EXIT_USAGE,
                    "ber: --snr '%s' is no list of at most %d values such as 0:2:30 or 10,12.5",
                    request->snr, CLR_BER_MOST_POINTS);
    for (size_t i = 0; i < ber->count && !answer; i++) {
        clr_ber_point *point = &ber->points[i];
        point->state = (clradio_montecarlo_point)CLRADIO_MONTECARLO_POINT_INIT;
        if (clradio_snr_from((clradio_snr_axis)request->axis, values[i],
                             (uint32_t)request->transmit, ber->bits, &point->snr))
            answer = clr_say_status(CLRADIO_ERROR_ARGUMENT);
        point->state.point = point_number(point->snr.rx_db);
        point->state.noise_variance = point->snr.noise_variance;
        point->state.min_errors = request->min_errors;
        point->state.max_vectors = request->max_vectors;
        point->state.max_seconds = request->max_seconds;
        for (size_t j = 0; j < i && !answer; j++)
            if (ber->points[j].state.point == point->state.point)
                answer = clr_say(CLR_EXIT_USAGE, "ber: --snr has %g dB twice", values[i]);
    }
    free(values);
    return answer;
}

/* ---- alphabets ---- */

static clr_exit one_alphabet(clr_ber *ber, const char *name, clradio_modulation *modulation)
{
    *modulation = clradio_modulation_from_name(name);
    if (!clradio_modulation_bits(*modulation))
        return clr_say(CLR_EXIT_USAGE, "ber: there is no modulation '%s'", name);
    const size_t length = strlen(ber->alphabet);
    snprintf(ber->alphabet + length, sizeof ber->alphabet - length, "%s%s", length ? "," : "",
             clradio_modulation_name(*modulation));
    return CLR_EXIT_OK;
}

static clr_exit make_alphabets(clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, request->qam);
    char *copy = strdup(request->modulation ? request->modulation : number);
    size_t count = 0;
    clr_exit answer = copy ? CLR_EXIT_OK : clr_say(CLR_EXIT_FAILED, "ber: no memory");
    for (char *at = copy; at && !answer;) {
        char *end = strchr(at, ',');
        if (end)
            *end++ = '\0';
        if (count == request->transmit)
            answer =
                clr_say(CLR_EXIT_USAGE, "ber: --modulation names more than the %" PRIu64 " streams",
                        request->transmit);
        else
            answer = one_alphabet(ber, at, &ber->streams[count++]);
        at = end;
    }
    free(copy);
    if (!answer && count != 1 && count != request->transmit)
        answer = clr_say(CLR_EXIT_USAGE,
                         "ber: --modulation names %zu streams of %" PRIu64
                         ": give one for all or one for each",
                         count, request->transmit);
    for (size_t i = 0; i < request->transmit && !answer; i++) {
        ber->streams[i] = ber->streams[count == 1 ? 0 : i];
        ber->bits += clradio_modulation_bits(ber->streams[i]);
    }
    return answer;
}

/* ---- the detector ---- */

static clr_exit make_detector(clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    clradio_detector_config *detector = &ber->config.detector;
    if (!clradio_detector_method_from_name(request->method, &detector->method))
        return clr_say(
            CLR_EXIT_USAGE,
            "ber: there is no method '%s'; there are sphere, kbest, fsd, mmse, zf and ml",
            request->method);
    if (request->candidates && detector->method != CLRADIO_DETECTOR_KBEST)
        return clr_say(CLR_EXIT_USAGE, "ber: --candidates is of --method kbest");
    if (request->full_streams && detector->method != CLRADIO_DETECTOR_FSD)
        return clr_say(CLR_EXIT_USAGE, "ber: --full-streams is of --method fsd");
    detector->transmit = (uint32_t)request->transmit;
    detector->receive = (uint32_t)request->receive;
    detector->modulation = ber->streams[0];
    detector->stream_modulations = ber->streams;
    detector->ordering = (clradio_detector_ordering)request->ordering;
    ber->config.flags |= request->device_only ? CLRADIO_MONTECARLO_DEVICE_ONLY : 0;
    detector->precision = (clradio_detector_precision)request->precision;
    detector->radius_factor = request->radius_factor;
    detector->node_budget = request->node_budget;
    detector->final_budget = request->final_budget;
    detector->candidates = (uint32_t)request->candidates;
    detector->full_streams = (uint32_t)request->full_streams;
    detector->memory_limit = request->memory_limit;
    detector->variant = request->variant;
    detector->parameters = request->parameters;
    return CLR_EXIT_OK;
}

/* Everything that a count depends on, device, variant and batch left out. */
static void describe(clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    clr_text *about = &ber->about;
    clr_text_add(about, "tx=%" PRIu64 " rx=%" PRIu64 " modulation=%s seed=%" PRIu64,
                 request->transmit, request->receive, ber->alphabet, request->seed);
    clr_text_add(about, " method=%s candidates=%" PRIu64 " full-streams=%" PRIu64 " ordering=%d",
                 request->method, request->candidates, request->full_streams, request->ordering);
    clr_text_add(about, " radius-factor=%.17g node-budget=%" PRIu64 " final-budget=%" PRIu64,
                 request->radius_factor, request->node_budget, request->final_budget);
    if (request->device_only)
        clr_text_add(about, " device-only");
    clr_text_add(about, " precision=%d estimation-error=%.17g", request->precision,
                 request->estimation_error);
    for (uint32_t i = 0; i < ber->config.tap_count; i++)
        clr_text_add(about, " tap=%.17g/%.17g/%.17g", ber->taps[i].delay_s, ber->taps[i].diffuse,
                     ber->taps[i].specular);
    if (ber->config.tap_count)
        clr_text_add(about, " subcarriers=%" PRIu64 " spacing=%.17g", request->subcarriers,
                     request->spacing_hz);
    for (size_t i = 0; ber->receive_correlation && i < 2 * request->receive * request->receive; i++)
        clr_text_add(about, "%s%.17g", i ? "," : " rx-correlation=", ber->receive_correlation[i]);
    for (size_t i = 0; ber->transmit_correlation && i < 2 * request->transmit * request->transmit;
         i++)
        clr_text_add(about, "%s%.17g", i ? "," : " tx-correlation=", ber->transmit_correlation[i]);
}

clr_exit clr_ber_setup(clr_ber *ber, const clr_ber_request *request)
{
    *ber = (clr_ber){ .request = request };
    ber->config = (clradio_montecarlo_config)CLRADIO_MONTECARLO_CONFIG_INIT;
    ber->config.seed = request->seed;
    ber->config.estimation_error = request->estimation_error;
    clr_exit answer = make_alphabets(ber);
    if (!answer)
        answer = make_detector(ber);
    if (!answer)
        answer = clr_ber_channel(ber);
    if (!answer)
        answer = make_points(ber);
    describe(ber);
    if (!answer && ber->about.failed)
        answer = clr_say(CLR_EXIT_FAILED, "ber: no memory");
    return answer;
}

void clr_ber_free(clr_ber *ber)
{
    free(ber->receive_correlation);
    free(ber->transmit_correlation);
    free(ber->taps);
    free(ber->points);
    clr_text_free(&ber->about);
    clr_text_free(&ber->kept);
}
