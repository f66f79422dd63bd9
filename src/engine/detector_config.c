/* The detector's configuration: what is allowed, and the sizes that follow from it. */
#include "base/checked.h"
#include "engine/detector_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const method_names[] = { "sphere", "kbest", "fsd", "mmse", "zf", "ml" };
enum { METHODS = sizeof method_names / sizeof *method_names };

const char *clradio_detector_method_name(clradio_detector_method method)
{
    return (unsigned)method < METHODS ? method_names[method] : NULL;
}

int clradio_detector_method_from_name(const char *name, clradio_detector_method *method)
{
    for (int i = 0; name && i < METHODS; i++)
        if (strcmp(name, method_names[i]) == 0) {
            *method = (clradio_detector_method)i;
            return 1;
        }
    return 0;
}

clradio_modulation clr_detector_modulation(const clradio_detector_config *config, uint32_t stream)
{
    return config->stream_modulations ? config->stream_modulations[stream] : config->modulation;
}

static uint32_t alphabet_bits(uint32_t points)
{
    uint32_t bits = 0;
    while (points > 1u << bits)
        bits++;
    return bits;
}

uint32_t clr_detector_stream_bits(const clradio_detector_config *config, uint32_t stream)
{
    const clradio_modulation modulation = clr_detector_modulation(config, stream);
    return modulation == CLRADIO_ALPHABET ? alphabet_bits(config->alphabet_size)
                                          : clradio_modulation_bits(modulation);
}

uint32_t clr_detector_stream_points(const clradio_detector_config *config, uint32_t stream)
{
    const clradio_modulation modulation = clr_detector_modulation(config, stream);
    return modulation == CLRADIO_ALPHABET ? config->alphabet_size
                                          : 1u << clradio_modulation_bits(modulation);
}

static clradio_status check_streams(const clradio_detector_config *config)
{
    double candidates = 1;
    for (uint32_t stream = 0; stream < config->transmit; stream++) {
        const clradio_modulation modulation = clr_detector_modulation(config, stream);
        if ((unsigned)modulation > CLRADIO_ALPHABET || modulation == CLRADIO_MODULATION_NONE)
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "stream %" PRIu32 ": there is no modulation %d",
                            stream, (int)modulation);
        if (modulation == CLRADIO_ALPHABET) {
            if (config->method != CLRADIO_DETECTOR_ML && config->method != CLRADIO_DETECTOR_KBEST)
                return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                                "an alphabet of one's own goes with the methods ml and kbest");
            if (clr_detector_modulation(config, 0) != CLRADIO_ALPHABET || stream == 1)
                for (uint32_t other = 0; other < config->transmit; other++)
                    if (clr_detector_modulation(config, other) != CLRADIO_ALPHABET)
                        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                                        "an alphabet of one's own is for all streams or none");
            if (!config->alphabet || config->alphabet_size < 2 || config->alphabet_size > 1024)
                return clr_fail(CLRADIO_ERROR_ARGUMENT,
                                "alphabet has %" PRIu32 " points; it must have 2 to 1024",
                                config->alphabet ? config->alphabet_size : 0);
            for (uint32_t i = 0; i < 2 * config->alphabet_size; i++)
                if (!isfinite(config->alphabet[i]))
                    return clr_fail(CLRADIO_ERROR_ARGUMENT,
                                    "point %" PRIu32 " of the alphabet is not finite", i / 2);
        }
        candidates *= clr_detector_stream_points(config, stream);
    }
    if (config->method == CLRADIO_DETECTOR_ML && candidates > 0x1p24)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "method ml tries every symbol vector: there are %.3g, more than 2^24",
                        candidates);
    return CLRADIO_OK;
}

static clradio_status check_sizes(const clradio_detector_config *config)
{
    const uint64_t factors[] = { config->vectors, CLR_MOST_RECEIVE, CLR_MOST_RECEIVE, 8 };
    uint64_t bytes;
    if (config->transmit < 1 || config->transmit > CLR_MOST_TRANSMIT)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "transmit is %" PRIu32 "; it must be 1 to %d",
                        config->transmit, CLR_MOST_TRANSMIT);
    if (config->receive < 1 || config->receive > CLR_MOST_RECEIVE)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "receive is %" PRIu32 "; it must be 1 to %d",
                        config->receive, CLR_MOST_RECEIVE);
    if (!config->vectors || config->vectors > CLR_MOST_VECTORS ||
        !clr_product_u64(factors, 4, &bytes) || bytes > INT64_MAX)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "vectors is %" PRIu64 "; it must be 1 to %" PRIu64,
                        config->vectors, (uint64_t)CLR_MOST_VECTORS);
    if (config->method == CLRADIO_DETECTOR_ZF && config->receive < config->transmit)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "method zf needs as many receive antennas as streams; there are %" PRIu32
                        " and %" PRIu32 " (mmse is regularised and takes that)",
                        config->receive, config->transmit);
    return CLRADIO_OK;
}

static clradio_status check_choices(const clradio_detector_config *config)
{
    static const struct {
        const char *name;
        size_t offset;
        unsigned most;
    } choices[] = {
        { "method", offsetof(clradio_detector_config, method), CLRADIO_DETECTOR_ML },
        { "noise", offsetof(clradio_detector_config, noise), CLRADIO_NOISE_COVARIANCE_VECTOR },
        { "ordering", offsetof(clradio_detector_config, ordering), CLRADIO_ORDERING_NONE },
        { "radius", offsetof(clradio_detector_config, radius), CLRADIO_RADIUS_GIVEN },
        { "precision", offsetof(clradio_detector_config, precision), CLRADIO_PRECISION_DOUBLE },
        { "launch", offsetof(clradio_detector_config, launch), CLRADIO_LAUNCH_EMULATED },
    };
    const unsigned known = CLRADIO_DETECTOR_ODD_INTEGER | CLRADIO_DETECTOR_NOISE_PER_REAL |
                           CLRADIO_DETECTOR_LLR_ONE | CLRADIO_DETECTOR_LAST_BIT_FIRST |
                           CLRADIO_DETECTOR_SOFT;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        unsigned value;
        memcpy(&value, (const char *)config + choices[i].offset, sizeof value);
        if (value > choices[i].most)
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is %u; it must be 0 to %u", choices[i].name,
                            value, choices[i].most);
    }
    if (config->flags & ~known)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.flags has bits that mean nothing: 0x%x",
                        config->flags);
    if (config->llr_type != CLRADIO_F32 && config->llr_type != CLRADIO_I8)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "llr_type %s: LLRs are f32 or i8",
                        clradio_type_name(config->llr_type));
    return CLRADIO_OK;
}

static clradio_status check_numbers(const clradio_detector_config *config)
{
    const double factor = config->radius_factor;
    if (!isfinite(factor) || factor < 0 ||
        (config->radius == CLRADIO_RADIUS_MMSE && factor > 0 && factor < 1))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "radius_factor is %g; it must be at least 1 for the MMSE radius, and "
                        "positive and finite for any",
                        factor);
    if (config->radius == CLRADIO_RADIUS_GIVEN && factor == 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "radius_factor is 0: it is the radius to start "
                                                "with, and must be positive");
    if (config->candidates > CLR_MOST_CANDIDATES)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "candidates is %" PRIu32 "; it must be 1 to %d",
                        config->candidates, CLR_MOST_CANDIDATES);
    if (!isfinite(config->llr_clip) || config->llr_clip < 0 || !isfinite(config->llr_scale) ||
        config->llr_scale < 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "llr_clip is %g and llr_scale %g; both must be positive and finite",
                        config->llr_clip, config->llr_scale);
    if (config->node_budget > CLR_MOST_BUDGET || config->final_budget > CLR_MOST_BUDGET)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "a budget of nodes must not pass %" PRIu64,
                        (uint64_t)CLR_MOST_BUDGET);
    return CLRADIO_OK;
}

/* What 0 stands for, and the paths of fsd, which depend on it. */
static clradio_status fill_in(clradio_detector_config *config)
{
    uint64_t paths = 1;
    uint32_t most = 0;
    if (config->radius_factor == 0)
        config->radius_factor = 1.2;
    if (!config->final_budget)
        config->final_budget = 1 << 22;
    if (!config->candidates)
        config->candidates = 16;
    if (!config->full_streams)
        config->full_streams = 1;
    if (config->llr_clip == 0)
        config->llr_clip = 100;
    if (config->llr_scale == 0)
        config->llr_scale = config->llr_type == CLRADIO_I8 ? 127 / config->llr_clip : 1;
    if (config->method != CLRADIO_DETECTOR_FSD)
        return CLRADIO_OK;
    if (config->full_streams > config->transmit)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "full_streams is %" PRIu32 "; there are %" PRIu32 " streams",
                        config->full_streams, config->transmit);
    for (uint32_t stream = 0; stream < config->transmit; stream++)
        if (clr_detector_stream_points(config, stream) > most)
            most = clr_detector_stream_points(config, stream);
    for (uint32_t stream = 0; stream < config->full_streams; stream++)
        if ((paths *= most) > CLR_MOST_PATHS)
            return clr_fail(CLRADIO_ERROR_LIMIT, "full_streams is %" PRIu32 ": more than %d paths",
                            config->full_streams, CLR_MOST_PATHS);
    return CLRADIO_OK;
}

clradio_status clr_detector_check_config(const clradio_detector_config *config,
                                         clradio_detector_config *checked)
{
    if (!config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the configuration is NULL");
    if (config->struct_size != sizeof *config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.struct_size is %zu, not %zu: start from "
                        "CLRADIO_DETECTOR_CONFIG_INIT of this version's header",
                        config->struct_size, sizeof *config);
    *checked = *config;
    clradio_status status = check_choices(config);
    if (!status)
        status = check_sizes(config);
    if (!status)
        status = check_streams(config);
    if (!status)
        status = check_numbers(config);
    return status ? status : fill_in(checked);
}

uint32_t clradio_detector_symbol_bytes(const clradio_detector_config *config)
{
    clradio_detector_config checked;
    if (clr_detector_check_config(config, &checked))
        return 0;
    for (uint32_t stream = 0; stream < config->transmit; stream++)
        if (clr_detector_stream_points(config, stream) > 256)
            return 2;
    return 1;
}

uint32_t clradio_detector_bits(const clradio_detector_config *config)
{
    clradio_detector_config checked;
    uint32_t bits = 0;
    if (clr_detector_check_config(config, &checked))
        return 0;
    for (uint32_t stream = 0; stream < config->transmit; stream++)
        bits += clr_detector_stream_bits(config, stream);
    return bits;
}

uint64_t clradio_detector_channels(const clradio_detector_config *config, uint64_t vectors_count)
{
    if (!config || !vectors_count)
        return 0;
    return config->vectors_per_channel ? clr_ceil_div(vectors_count, config->vectors_per_channel)
                                       : 1;
}
