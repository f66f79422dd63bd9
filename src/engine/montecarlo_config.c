/* Checks a Monte-Carlo configuration and makes the tables of its link. Knows no device. */
#include "base/checked.h"
#include "engine/montecarlo_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static clradio_status check_detector(const clradio_detector_config *config)
{
    if (config->struct_size != sizeof *config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.detector.struct_size is %zu, not %zu: start from "
                        "CLRADIO_MONTECARLO_CONFIG_INIT",
                        config->struct_size, sizeof *config);
    if (!config->transmit || config->transmit > CLR_MONTECARLO_STREAMS || !config->receive ||
        config->receive > CLR_MONTECARLO_ANTENNAS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "transmit is %u and receive %u: they must be 1 to %d and 1 to %d",
                        config->transmit, config->receive, CLR_MONTECARLO_STREAMS,
                        CLR_MONTECARLO_ANTENNAS);
    if (!config->vectors)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "detector.vectors is 0, it must be at least 1");
    if (config->vectors_per_channel != 1)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "detector.vectors_per_channel is %" PRIu64
                        ": each vector has a channel of its own here, so it must be 1",
                        config->vectors_per_channel);
    if (config->noise != CLRADIO_NOISE_VARIANCE)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "detector.noise is %d: the noise is white here, one variance for all",
                        (int)config->noise);
    const unsigned refused =
        CLRADIO_DETECTOR_ODD_INTEGER | CLRADIO_DETECTOR_NOISE_PER_REAL | CLRADIO_DETECTOR_SOFT;
    if (config->flags & refused)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "detector.flags is 0x%x: alphabets have unit energy here, N0 is of a "
                        "complex sample, and decisions are hard",
                        config->flags);
    return CLRADIO_OK;
}

static int is_number(double value, double least, double most)
{
    return value >= least && value <= most; /* not a number is not */
}

static clradio_status check(const clradio_montecarlo_config *config)
{
    if (!config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config is NULL");
    if (config->struct_size != sizeof *config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.struct_size is %zu, not %zu: start from "
                        "CLRADIO_MONTECARLO_CONFIG_INIT of the library's own headers",
                        config->struct_size, sizeof *config);
    const unsigned known = CLRADIO_MONTECARLO_GENERATE_ONLY | CLRADIO_MONTECARLO_DEVICE_ONLY;
    if (config->flags & ~known)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.flags has bits that mean nothing: 0x%x",
                        config->flags);
    if (!is_number(config->estimation_error, 0.0, 1e6))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "estimation_error is %g, it must be 0 to 1e6",
                        config->estimation_error);
    if (config->taps && (!config->tap_count || config->tap_count > CLR_MONTECARLO_TAPS))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "tap_count is %u, it must be 1 to %d",
                        config->tap_count, CLR_MONTECARLO_TAPS);
    if (config->taps && (!config->subcarriers || config->subcarriers > 65536))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "subcarriers is %u, it must be 1 to 65536",
                        config->subcarriers);
    if (config->taps && !is_number(config->subcarrier_spacing_hz, 1e-3, 1e12))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "subcarrier_spacing_hz is %g, it must be 1e-3 to 1e12",
                        config->subcarrier_spacing_hz);
    return check_detector(&config->detector);
}

/* ---- alphabets ---- */

static clradio_status stream_bits(const clradio_detector_config *config, uint32_t tx,
                                  uint32_t *bits)
{
    clradio_modulation modulation =
        config->stream_modulations ? config->stream_modulations[tx] : config->modulation;
    if (modulation != CLRADIO_ALPHABET) {
        *bits = clradio_modulation_bits(modulation);
        if (!*bits)
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "%d is not a modulation", (int)modulation);
        return CLRADIO_OK;
    }
    for (*bits = 1; *bits < 10 && (1u << *bits) < config->alphabet_size;)
        ++*bits;
    if (!config->alphabet || config->alphabet_size != 1u << *bits)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "an alphabet of %u points: its size must be a power of two from 2 to 1024, "
                        "or labels are not equally likely",
                        config->alphabet ? config->alphabet_size : 0);
    double energy = 0.0;
    for (uint32_t i = 0; i < 2 * config->alphabet_size; i++)
        energy += (double)config->alphabet[i] * (double)config->alphabet[i];
    energy /= config->alphabet_size;
    if (!is_number(energy, 0.999, 1.001))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the alphabet's mean energy is %g, it must be 1: SNR means that", energy);
    return CLRADIO_OK;
}

static clradio_status stream_points(const clradio_detector_config *config, uint32_t tx,
                                    uint32_t count, float *points)
{
    clradio_modulation modulation =
        config->stream_modulations ? config->stream_modulations[tx] : config->modulation;
    for (uint32_t label = 0; label < count; label++) {
        double point[2] = { 0.0, 0.0 };
        if (modulation == CLRADIO_ALPHABET) {
            points[2 * label] = config->alphabet[2 * label];
            points[2 * label + 1] = config->alphabet[2 * label + 1];
            continue;
        }
        clradio_status status = clradio_modulation_point(modulation, label, 0, point);
        if (status)
            return status;
        points[2 * label] = (float)point[0];
        points[2 * label + 1] = (float)point[1];
    }
    return CLRADIO_OK;
}

static clradio_status make_alphabets(const clradio_detector_config *config,
                                     clr_montecarlo_link *link)
{
    uint32_t most = 0;
    clradio_status status = CLRADIO_OK;
    for (uint32_t tx = 0; tx < link->transmit && !status; tx++) {
        status = stream_bits(config, tx, &link->stream_bits[tx]);
        link->bits += link->stream_bits[tx];
        most = link->stream_bits[tx] > most ? link->stream_bits[tx] : most;
    }
    if (status)
        return status;
    link->symbol_bytes = most > 8 ? 2 : 1;
    link->point_room = 1u << most;
    link->points =
        calloc((size_t)CLR_MONTECARLO_STREAMS * link->point_room, 2 * sizeof *link->points);
    if (!link->points)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for alphabets");
    for (uint32_t tx = 0; tx < link->transmit && !status; tx++)
        status = stream_points(config, tx, 1u << link->stream_bits[tx],
                               link->points + 2 * (size_t)tx * link->point_room);
    return status;
}

/* ---- taps ---- */

static clradio_status make_taps(const clradio_montecarlo_config *config, clr_montecarlo_link *link)
{
    double power = 0.0;
    if (!config->taps)
        return CLRADIO_OK;
    link->taps = config->tap_count;
    link->carriers = config->subcarriers;
    link->amplitudes = calloc(link->taps, 2 * sizeof *link->amplitudes);
    link->steps = calloc(link->taps, sizeof *link->steps);
    if (!link->amplitudes || !link->steps)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %u taps", link->taps);
    for (uint32_t i = 0; i < link->taps; i++) {
        const clradio_montecarlo_tap *tap = &config->taps[i];
        if (!is_number(tap->delay_s, 0.0, 1.0) || !is_number(tap->diffuse, 0.0, 1e30) ||
            !is_number(tap->specular, 0.0, 1e30))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "tap %u: delay %g s, powers %g and %g; a delay is 0 to 1 s, a power 0 "
                            "to 1e30",
                            i, tap->delay_s, tap->diffuse, tap->specular);
        power += tap->diffuse + tap->specular;
    }
    if (!(power > 0.0))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the taps have no power");
    for (uint32_t i = 0; i < link->taps; i++) {
        const clradio_montecarlo_tap *tap = &config->taps[i];
        double whole, turns = modf(tap->delay_s * config->subcarrier_spacing_hz, &whole);
        link->amplitudes[2 * i] = (float)sqrt(tap->diffuse / power);
        link->amplitudes[2 * i + 1] = (float)sqrt(tap->specular / power);
        link->steps[i] = (uint64_t)(turns * 0x1p64);
        link->specular |= tap->specular > 0.0;
    }
    return CLRADIO_OK;
}

/* ---- all of it ---- */

clradio_status clr_montecarlo_link_of(const clradio_montecarlo_config *config,
                                      clr_montecarlo_link *link)
{
    *link = (clr_montecarlo_link){ 0 };
    clradio_status status = check(config);
    if (status)
        return status;
    link->transmit = config->detector.transmit;
    link->receive = config->detector.receive;
    link->elements = link->transmit * link->receive;
    link->seed = config->seed;
    link->estimation_error = config->estimation_error;
    link->estimate_deviation = clr_montecarlo_deviation(config->estimation_error);
    status = make_alphabets(&config->detector, link);
    if (!status)
        status = make_taps(config, link);
    if (!status && config->receive_correlation)
        status = clr_montecarlo_factor(config->receive_correlation, link->receive,
                                       "receive_correlation", &link->receive_factor);
    if (!status && config->transmit_correlation)
        status = clr_montecarlo_factor(config->transmit_correlation, link->transmit,
                                       "transmit_correlation", &link->transmit_factor);
    if (status)
        clr_montecarlo_link_free(link);
    return status;
}

void clr_montecarlo_link_free(clr_montecarlo_link *link)
{
    free(link->points);
    free(link->receive_factor);
    free(link->transmit_factor);
    free(link->amplitudes);
    free(link->steps);
    *link = (clr_montecarlo_link){ 0 };
}
