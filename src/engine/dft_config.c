/* The channel DFT's configuration: what is allowed, and the grid that follows from it. */
#include "engine/dft_internal.h"

#include <math.h>

static clradio_status check_names(const clradio_dft_config *config)
{
    if (config->type != CLRADIO_CF32 && config->type != CLRADIO_CF64)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.type is %s; the channel DFT takes cf32 and "
                        "cf64",
                        clradio_type_name(config->type));
    if ((unsigned)config->delay > CLRADIO_DELAY_CONSECUTIVE)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.delay has no meaning %d",
                        (int)config->delay);
    if (config->delay != CLRADIO_DELAY_CONSECUTIVE && config->delays != CLRADIO_PER_LINK &&
        config->delays != CLRADIO_PER_PATH)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.delays is neither CLRADIO_PER_LINK nor CLRADIO_PER_PATH");
    if ((unsigned)config->rates > CLRADIO_PER_PATH)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.rates has no meaning %d",
                        (int)config->rates);
    if ((unsigned)config->origin > CLRADIO_ORIGIN_ZERO)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.origin has no meaning %d",
                        (int)config->origin);
    if ((unsigned)config->normalisation > CLRADIO_NORMALISE_LINK)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.normalisation has no meaning %d",
                        (int)config->normalisation);
    if ((unsigned)config->launch > CLRADIO_LAUNCH_EMULATED)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.launch has no meaning %d",
                        (int)config->launch);
    if ((unsigned)config->order > CLRADIO_DFT_SUBCARRIER_PATH)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.order has no meaning %d",
                        (int)config->order);
    return CLRADIO_OK;
}

static clradio_status check_numbers(const clradio_dft_config *config)
{
    if (!isfinite(config->carrier_hz) || !isfinite(config->spacing_hz) ||
        !isfinite(config->first_hz) || !isfinite(config->carrier_hz + config->first_hz))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.carrier_hz, spacing_hz and first_hz must be finite");
    for (uint32_t k = 0; config->frequencies_hz && k < config->subcarriers; k++)
        if (!isfinite(config->frequencies_hz[k]))
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.frequencies_hz[%u] is not finite", k);
    if (config->origin != CLRADIO_ORIGIN_FIRST && config->first_hz != 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.first_hz is for CLRADIO_ORIGIN_FIRST; elsewhere it must be 0");
    if (config->delay != CLRADIO_DELAY_SECONDS &&
        (!isfinite(config->sample_period_s) || config->sample_period_s <= 0))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.sample_period_s is %g; delays in samples need one above 0",
                        config->sample_period_s);
    if (config->rates && !isfinite(config->time_step_s))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.time_step_s is not finite");
    return CLRADIO_OK;
}

clradio_status clr_dft_check_config(const clradio_dft_config *config)
{
    if (!config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config is NULL");
    if (config->struct_size != sizeof *config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.struct_size is %zu: start from CLRADIO_DFT_CONFIG_INIT",
                        config->struct_size);
    clradio_status status = check_names(config);
    if (status)
        return status;
    if (!config->subcarriers)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.subcarriers is 0");
    if (config->subcarriers > CLR_DFT_MOST_SUBCARRIERS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.subcarriers is %u; the most is %d",
                        config->subcarriers, CLR_DFT_MOST_SUBCARRIERS);
    if (!config->average || config->subcarriers % config->average)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.average is %u, which does not divide the %u subcarriers",
                        config->average, config->subcarriers);
    if (config->average > 1 && config->frequencies_hz)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.average is for a uniform grid, not for a list of frequencies");
    return check_numbers(config);
}

uint32_t clr_dft_values(const clradio_dft_config *config)
{
    return config->subcarriers / config->average;
}

clr_dft_grid clr_dft_grid_of(const clradio_dft_config *config)
{
    const int64_t average = config->average;
    clr_dft_grid grid = { .values = clr_dft_values(config),
                          .listed = config->frequencies_hz != NULL,
                          .base_hz = config->carrier_hz + config->first_hz,
                          .half_spacing_hz = config->spacing_hz / 2,
                          .step = 2 * average };
    grid.first = average - 1;
    if (config->origin == CLRADIO_ORIGIN_CENTRE)
        grid.first -= 2 * (int64_t)(config->subcarriers / 2);
    return grid;
}

double clr_dft_scale(const clradio_dft_config *config)
{
    return config->normalisation == CLRADIO_NORMALISE_SUBCARRIERS
               ? 1 / sqrt((double)config->subcarriers)
               : 1;
}

double clradio_dft_frequency(const clradio_dft_config *config, uint32_t subcarrier)
{
    if (clr_dft_check_config(config) || subcarrier >= config->subcarriers)
        return 0;
    const clr_dft_grid grid = clr_dft_grid_of(config);
    if (grid.listed)
        return config->frequencies_hz[subcarrier] + grid.base_hz;
    const int64_t offset =
        config->origin == CLRADIO_ORIGIN_CENTRE ? (int64_t)(config->subcarriers / 2) : 0;
    return grid.base_hz + (double)((int64_t)subcarrier - offset) * config->spacing_hz;
}
