/*
 * Which variant and parameters a configuration gets: explicit ones before the measured default of
 * the kind of device, and that before the portable default.
 */
#include "base/text.h"
#include "engine/xengine_internal.h"

#include <stdio.h>
#include <string.h>

static const clr_xengine_variant *variant_named(const char *name, clradio_status *status)
{
    const char *names[16] = { NULL };
    for (size_t i = 0; i < clr_xengine_variant_count; i++) {
        names[i] = clr_xengine_variants[i]->name;
        if (strcmp(names[i], name) == 0)
            return clr_xengine_variants[i];
    }
    size_t closest = clr_closest(name, names, clr_xengine_variant_count);
    char all[128] = "";
    for (size_t i = 0; i < clr_xengine_variant_count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    if (closest < clr_xengine_variant_count)
        *status =
            clr_fail(CLRADIO_ERROR_ARGUMENT, "the X-engine has no variant '%s'; did you mean '%s'?",
                     name, names[closest]);
    else
        *status = clr_fail(CLRADIO_ERROR_ARGUMENT, "the X-engine has no variant '%s'; it has %s",
                           name, all);
    return NULL;
}

/* "ci8, ci4 and cf16" */
static const char *types_named(const clradio_type *types, char text[64])
{
    *text = 0;
    for (int n = 0; n < CLR_XENGINE_MOST_TAKEN && types[n]; n++) {
        const int last = n + 1 == CLR_XENGINE_MOST_TAKEN || !types[n + 1];
        const char *const between = last ? " and " : ", ";
        snprintf(text + strlen(text), 64 - strlen(text), "%s%s", n ? between : "",
                 clradio_type_name(types[n]));
    }
    return text;
}

static clradio_status check_supported(clradio_device *device, const clradio_xengine_config *config,
                                      const clr_xengine_variant *variant)
{
    char types[64];
    int taken = !variant->takes[0];
    for (int n = 0; n < CLR_XENGINE_MOST_TAKEN; n++)
        taken |= variant->takes[n] == config->input;
    if (!taken)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the X-engine's variant %s takes %s input, not %s", variant->name,
                        types_named(variant->takes, types), clradio_type_name(config->input));
    return variant->supported ? variant->supported(device, config) : CLRADIO_OK;
}

/* The one candidate that parameters describe: the variant's first default, with these put in. */
static clradio_status explicit_candidate(clradio_device *device,
                                         const clradio_xengine_config *config,
                                         const clr_xengine_variant *variant,
                                         clr_xengine_candidate *candidate)
{
    int given[CLR_MOST_PARAMETERS];
    candidate->variant = variant;
    variant->preset(clr_device_info(device), config, 0, candidate->values, candidate->reason);
    clradio_status status = clr_parameters_read(variant->parameters, variant->n_parameters,
                                                config->parameters, candidate->values, given);
    if (!status) /* first: the constraints are those of input that it takes */
        status = check_supported(device, config, variant);
    if (!status)
        status = variant->settle(clr_device_info(device), config, candidate->values, given);
    snprintf(candidate->reason, sizeof candidate->reason, "explicit parameters");
    return status;
}

int clr_xengine_candidate_at(clradio_device *device, const clradio_xengine_config *config,
                             unsigned number, clr_xengine_candidate *candidate,
                             clradio_status *status)
{
    static const int nothing_given[CLR_MOST_PARAMETERS];
    const clr_xengine_variant *only = NULL;
    *status = CLRADIO_OK;
    if (clr_parameters_given(config->variant)) {
        only = variant_named(config->variant, status);
        if (!only)
            return number == 0;
    }
    if (clr_parameters_given(config->parameters)) {
        if (number)
            return 0;
        *status = explicit_candidate(device, config, only ? only : &clr_xengine_tile, candidate);
        return 1;
    }
    for (size_t v = 0; v < clr_xengine_variant_count; v++) {
        const clr_xengine_variant *variant = clr_xengine_variants[v];
        unsigned presets = 0;
        if (only && variant != only)
            continue;
        while (variant->preset(clr_device_info(device), config, presets, candidate->values,
                               candidate->reason)) {
            if (number == 0) {
                candidate->variant = variant;
                *status = check_supported(device, config, variant);
                if (!*status)
                    *status = variant->settle(clr_device_info(device), config, candidate->values,
                                              nothing_given);
                return 1;
            }
            presets++;
            number--;
        }
    }
    return 0;
}

void clr_xengine_layout_own(const clradio_xengine_config *config, const int64_t *values,
                            clradio_layout *layout, uint32_t *block_times)
{
    (void)config, (void)values, (void)layout, (void)block_times;
}
