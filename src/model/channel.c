/* Channel models: the profile's taps with their powers and delays, and what both kinds share. */
#include "model/channel.h"

#include "base/text.h"
#include "model/channel_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const clr_profile *clr_profile_find(const char *name)
{
    for (size_t i = 0; clr_profile_get(i); i++) {
        const char *a = clr_profile_get(i)->name, *b = name;
        while (*a && (tolower((unsigned char)*a) == tolower((unsigned char)*b) || *a == '-')) {
            b += *a != '-' || *b == '-';
            a++;
        }
        if (!*a && !*b)
            return clr_profile_get(i);
    }
    return NULL;
}

uint32_t clr_antenna_array_count(const clr_antenna_array *array)
{
    return array->rows * array->columns * array->polarisations;
}

static int array_is_good(const clr_antenna_array *array)
{
    return array->rows >= 1 && array->rows <= 1024 && array->columns >= 1 &&
           array->columns <= 1024 && array->polarisations >= 1 && array->polarisations <= 2 &&
           isfinite(array->row_spacing) && isfinite(array->column_spacing) &&
           isfinite(array->slant_deg[0]) && isfinite(array->slant_deg[1]) &&
           isfinite(array->bearing_deg);
}

static clradio_status check_config(const clr_channel_config *config)
{
    const clr_profile *profile = config->profile;
    if (!profile)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "a channel needs a profile");
    if (profile->scaled && !(config->delay_spread_s > 0 && config->delay_spread_s < 1))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the delays of %s are in units of the delay spread: give one above 0 s",
                        profile->name);
    if (!profile->scaled && config->delay_spread_s != 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the delays of %s are fixed (TS 38.101-4): it takes no delay spread",
                        profile->name);
    if (!array_is_good(&config->transmit) || !array_is_good(&config->receive))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "an array has 1 to 1024 rows and columns, 1 or 2 "
                                                "polarisations and finite spacings");
    if (!(config->doppler_hz >= 0) || !isfinite(config->doppler_hz) ||
        !isfinite(config->time_step_s))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the Doppler frequency must be at least 0 Hz");
    for (int a = 0; a < CLR_ANGLES; a++) {
        if (!profile->clustered &&
            (!isnan(config->angle_spread_deg[a]) || !isnan(config->angle_mean_deg[a])))
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s has no angles", profile->name);
        if (config->angle_spread_deg[a] < 0 || isinf(config->angle_spread_deg[a]) ||
            isinf(config->angle_mean_deg[a]))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "an angle spread is at least 0 degrees, and it and a mean are finite");
    }
    return CLRADIO_OK;
}

/* Table 7.5-3: the offsets of 20 rays whose spread is 1. */
static const double ray_offset[CLR_RAYS / 2] = { 0.0447, 0.1413, 0.2492, 0.3715, 0.5129,
                                                 0.6797, 0.8844, 1.1481, 1.5195, 2.1551 };

static void set_angles(clr_channel *channel)
{
    const clr_profile *profile = channel->config.profile;
    for (size_t n = 0; n < profile->taps; n++)
        for (int m = 0; m < CLR_RAYS; m++)
            for (int a = 0; a < CLR_ANGLES; a++) {
                double offset = profile->spread_deg[a] * ray_offset[m / 2] * (m % 2 ? -1 : 1);
                if (profile->tap[n].line_of_sight)
                    offset = 0;
                channel->angle[n][m][a] = (profile->tap[n].angle_deg[a] + offset) * (M_PI / 180);
            }
    clr_channel_scale_angles(channel);
}

clradio_status clr_channel_create(const clr_channel_config *config, clr_channel **result)
{
    *result = NULL;
    clradio_status status = check_config(config);
    if (status)
        return status;
    const clr_profile *profile = config->profile;
    clr_channel *channel = calloc(1, sizeof *channel);
    if (channel) {
        channel->config = *config;
        channel->delay = malloc(profile->taps * sizeof *channel->delay);
        channel->power = malloc(profile->taps * sizeof *channel->power);
        channel->angle = malloc(profile->taps * sizeof *channel->angle);
        channel->field =
            malloc(clr_antenna_array_count(&config->transmit) * sizeof *channel->field);
    }
    if (!channel || !channel->delay || !channel->power || !channel->angle || !channel->field) {
        clr_channel_destroy(channel);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a channel");
    }
    double sum = 0;
    for (size_t n = 0; n < profile->taps; n++)
        sum += pow(10, profile->tap[n].power_db / 10);
    for (size_t n = 0; n < profile->taps; n++) {
        channel->power[n] = pow(10, profile->tap[n].power_db / 10) / sum;
        channel->delay[n] = profile->tap[n].delay * (profile->scaled ? config->delay_spread_s : 1);
    }
    if (profile->clustered)
        set_angles(channel);
    *result = channel;
    return CLRADIO_OK;
}

size_t clr_channel_taps(const clr_channel *channel)
{
    return channel->config.profile->taps;
}

size_t clr_channel_paths(const clr_channel *channel)
{
    return (size_t)clr_antenna_array_count(&channel->config.receive) *
           clr_antenna_array_count(&channel->config.transmit);
}

const double *clr_channel_delays(const clr_channel *channel)
{
    return channel->delay;
}

const double *clr_channel_powers(const clr_channel *channel)
{
    return channel->power;
}

void clr_channel_gains(clr_channel *channel, uint64_t link, uint64_t first, uint64_t count,
                       double *gains)
{
    if (channel->config.profile->clustered)
        clr_channel_cdl_gains(channel, link, first, count, gains);
    else
        clr_channel_tdl_gains(channel, link, first, count, gains);
}

void clr_channel_destroy(clr_channel *channel)
{
    if (!channel)
        return;
    free(channel->delay);
    free(channel->power);
    free(channel->angle);
    free(channel->field);
    free(channel);
}
