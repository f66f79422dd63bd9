/* The channel DFT's variant "direct": parameters and launch. The kernel is cl/dft_direct.cl. */
#include "base/checked.h"
#include "engine/dft_plan.h"

enum { PATHS, PARAMETERS, GROUP = 64 };

static const clr_parameter parameters[PARAMETERS] = { [PATHS] = { "PATHS", 1, 8 } };

/* Paths of a tile may share phases when nothing of these is a path's own. */
static int shares(const clradio_dft_config *config)
{
    return (config->delay == CLRADIO_DELAY_CONSECUTIVE || config->delays == CLRADIO_PER_LINK) &&
           config->rates != CLRADIO_PER_PATH;
}

static clradio_status direct_supported(clradio_device *device, const clradio_dft_config *config)
{
    (void)device, (void)config;
    return CLRADIO_OK;
}

static int direct_preset(const clradio_device *device, const clradio_dft_config *config,
                         int64_t *values)
{
    (void)device;
    values[PATHS] = shares(config) ? 8 : 1;
    return 1;
}

static clradio_status direct_settle(const clradio_device_info *device,
                                    const clradio_dft_config *config, int64_t *values)
{
    (void)device;
    return values[PATHS] == 1 || shares(config)
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_ARGUMENT,
                          "PATHS=%d needs delays and rates that the paths of a link share",
                          (int)values[PATHS]);
}

static size_t direct_macros(const clradio_dft_config *config, const int64_t *values,
                            clr_macro *macros)
{
    macros[0] = (clr_macro){ "PATHS", values[PATHS] };
    macros[1] = (clr_macro){ "LISTED", config->frequencies_hz != NULL };
    return 2;
}

static uint32_t direct_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    return (uint32_t)values[PATHS];
}

static int direct_merges_links(const clradio_dft_config *config)
{
    return clr_dft_links_are_rows(config) && !config->rates;
}

static clradio_status direct_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    return clr_dft_launch_rows(plan, chain, call, plan->grid.values, GROUP, GROUP);
}

double clr_dft_usual_bound(const clradio_dft_config *config, const int64_t *values)
{
    (void)values;
    return config->type == CLRADIO_CF64 ? 1e-15 : 2.2e-7;
}

double clr_dft_factors_bound(const clradio_dft_config *config, const int64_t *values)
{
    (void)values;
    return config->type == CLRADIO_CF64 ? 1e-15 : 2.7e-7;
}

double clr_dft_transform_bound(const clradio_dft_config *config, const int64_t *values)
{
    (void)config, (void)values;
    return 5e-7;
}

const clr_dft_variant clr_dft_direct = {
    .name = "direct",
    .source = "dft_direct.cl",
    .inner = 1,
    .entry = "dft_direct",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .supported = direct_supported,
    .preset = direct_preset,
    .settle = direct_settle,
    .macros = direct_macros,
    .tile_paths = direct_tile_paths,
    .merges_links = direct_merges_links,
    .launch = direct_launch,
    .error_bound = clr_dft_usual_bound,
};
