/*
 * Which variant and parameters a configuration gets: what was asked for by name, else the first
 * variant that says it is the one for such a problem on such a device, and behind it "direct",
 * which serves everything.
 */
#include "engine/dft_plan.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

const clr_dft_variant *const clr_dft_variants[] = {
    &clr_dft_pruned,     &clr_dft_dmma,   &clr_dft_bf16, &clr_dft_gemm,
    &clr_dft_recurrence, &clr_dft_direct, &clr_dft_blas, &clr_dft_fft,
};
const size_t clr_dft_variant_count = sizeof clr_dft_variants / sizeof *clr_dft_variants;

static const clr_dft_variant *variant_named(const char *name, clradio_status *status)
{
    const char *names[16] = { NULL };
    char all[128] = "";
    for (size_t i = 0; i < clr_dft_variant_count; i++) {
        names[i] = clr_dft_variants[i]->name;
        if (strcmp(names[i], name) == 0)
            return clr_dft_variants[i];
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    }
    if (strcmp(name, "tf32x3") == 0) { /* which it once had, slower than bf16x6 and coarser */
        *status = clr_fail(CLRADIO_ERROR_ARGUMENT,
                           "the channel DFT has no variant 'tf32x3' any more; 'bf16x6' does the "
                           "same work on the same devices, faster and within gemm's error");
        return NULL;
    }
    const size_t closest = clr_closest(name, names, clr_dft_variant_count);
    if (closest < clr_dft_variant_count)
        *status = clr_fail(CLRADIO_ERROR_ARGUMENT,
                           "the channel DFT has no variant '%s'; did you mean '%s'?", name,
                           names[closest]);
    else
        *status = clr_fail(CLRADIO_ERROR_ARGUMENT, "the channel DFT has no variant '%s'; it has %s",
                           name, all);
    return NULL;
}

/* The variant with its parameters for the problem, and those of the caller put in. */
static clradio_status fill(clradio_device *device, const clradio_dft_config *config,
                           const clr_dft_variant *variant, clr_dft_candidate *candidate,
                           const char *reason)
{
    int given[CLR_MOST_PARAMETERS];
    memset(candidate, 0, sizeof *candidate);
    candidate->variant = variant;
    clradio_status status = variant->supported(device, config);
    if (status)
        return status;
    variant->preset(device, config, candidate->values);
    status = clr_parameters_read(variant->parameters, variant->n_parameters, config->parameters,
                                 candidate->values, given);
    if (!status)
        status = variant->settle(clr_device_info(device), config, candidate->values);
    snprintf(candidate->reason, sizeof candidate->reason, "%s%s", reason,
             clr_parameters_given(config->parameters) ? ", explicit parameters" : "");
    return status;
}

int clr_dft_candidate_at(clradio_device *device, const clradio_dft_config *config, unsigned number,
                         clr_dft_candidate *candidate, clradio_status *status)
{
    *status = CLRADIO_OK;
    if (clr_parameters_given(config->variant)) {
        const clr_dft_variant *only = number ? NULL : variant_named(config->variant, status);
        if (only)
            *status = fill(device, config, only, candidate, "explicit variant");
        return number == 0;
    }
    for (size_t v = 0; v < clr_dft_variant_count; v++) {
        const clr_dft_variant *variant = clr_dft_variants[v];
        int64_t unused[CLR_MOST_PARAMETERS];
        if (!variant->preset(device, config, unused) && variant != &clr_dft_direct)
            continue;
        if (number-- == 0) {
            *status = fill(device, config, variant, candidate, "default for such a problem");
            return 1;
        }
        if (clr_parameters_given(config->parameters))
            return 0; /* parameters belong to the first choice alone */
    }
    return 0;
}
