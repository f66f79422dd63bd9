/* Checks an F-engine's configuration and derives the sizes that follow from it. Knows no device. */
#include "base/checked.h"
#include "engine/fengine.h"

#include <math.h>

static clradio_status check_numbers(const clradio_fengine_config *config)
{
    if (!config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config is NULL");
    if (config->struct_size != sizeof *config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.struct_size is %zu, not %zu: start from "
                        "CLRADIO_FENGINE_CONFIG_INIT of the library's own headers",
                        config->struct_size, sizeof *config);
    if (!config->stations || !config->bands || !config->channels || !config->taps ||
        !config->spectra)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "stations, bands, channels, taps and spectra must all be at least 1 (they "
                        "are %u, %u, %u, %u, %llu)",
                        config->stations, config->bands, config->channels, config->taps,
                        (unsigned long long)config->spectra);
    if (config->polarisations != 1 && config->polarisations != 2)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "polarisations is %u, it must be 1 or 2",
                        config->polarisations);
    if ((int)config->window < CLRADIO_WINDOW_RECTANGULAR ||
        (int)config->window > CLRADIO_WINDOW_KAISER)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%d is not a window", (int)config->window);
    /* I0(beta) overflows a double beyond 713. */
    if (config->window == CLRADIO_WINDOW_KAISER &&
        !(config->kaiser_beta >= 0.0 && config->kaiser_beta <= 700.0))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "kaiser_beta is %g, it must be from 0 to 700",
                        config->kaiser_beta);
    if (config->reversed != 0 && config->reversed != 1)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "reversed is %d, it must be 0 or 1",
                        config->reversed);
    return CLRADIO_OK;
}

static clradio_status check_type(clradio_type input, int *real)
{
    switch (input) {
    case CLRADIO_I8:
    case CLRADIO_I16:
    case CLRADIO_F32: *real = 1; return CLRADIO_OK;
    case CLRADIO_CI8:
    case CLRADIO_CI16:
    case CLRADIO_CF32: *real = 0; return CLRADIO_OK;
    default:
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the F-engine does not take %s voltages: it takes i8, i16, f32, ci8, ci16 "
                        "and cf32",
                        clradio_type_name(input));
    }
}

clradio_status clr_fengine_sizes_of(const clradio_fengine_config *config, clr_fengine_sizes *sizes)
{
    *sizes = (clr_fengine_sizes){ 0 };
    clradio_status status = check_numbers(config);
    if (!status)
        status = check_type(config->input, &sizes->real);
    if (status)
        return status;
    uint64_t length = (uint64_t)config->channels * (sizes->real ? 2 : 1), points;
    if (length > INT32_MAX || !clr_mul_u64(length, config->taps, &points) || points > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%u channels with %u taps: the filter would have more than 2^31 - 1 points",
                        config->channels, config->taps);
    sizes->length = (uint32_t)length;
    sizes->ring = config->taps - 1;
    sizes->inputs = (uint64_t)config->stations * config->polarisations;
    sizes->element_bytes = clradio_type_bytes(config->input);
    const uint64_t block[] = { sizes->length, config->bands, sizes->inputs, sizes->element_bytes };
    const uint64_t spectrum[] = { config->channels, config->bands, sizes->inputs,
                                  2 * sizeof(float) };
    if (!clr_mul_u64(config->bands, sizes->inputs, &sizes->signals) || sizes->signals > INT32_MAX ||
        !clr_product_u64(block, 4, &sizes->block_bytes) ||
        !clr_product_u64(spectrum, 4, &sizes->spectrum_bytes) ||
        !clr_mul_u64(sizes->block_bytes, config->spectra, &sizes->voltages_bytes) ||
        !clr_mul_u64(sizes->spectrum_bytes, config->spectra, &sizes->spectra_bytes))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%u stations x %u polarisations x %u bands x %u channels x %llu spectra do "
                        "not fit this library's sizes",
                        config->stations, config->polarisations, config->bands, config->channels,
                        (unsigned long long)config->spectra);
    return CLRADIO_OK;
}

size_t clr_fengine_macros(clradio_type input, clr_macro macros[2])
{
    int bits = input == CLRADIO_I8 || input == CLRADIO_CI8     ? 8
               : input == CLRADIO_I16 || input == CLRADIO_CI16 ? 16
                                                               : 32;
    int complex = input == CLRADIO_CI8 || input == CLRADIO_CI16 || input == CLRADIO_CF32;
    macros[0] = (clr_macro){ "INPUT_BITS", bits };
    macros[1] = (clr_macro){ "INPUT_COMPLEX", complex };
    return 2;
}

uint32_t clr_fengine_tile_log2(uint64_t signals)
{
    uint32_t log2 = 0;
    while (log2 < 5 && ((uint64_t)1 << log2) < signals)
        log2++;
    return log2;
}

uint64_t clr_fengine_fixed_bytes(const clradio_fengine_config *config,
                                 const clr_fengine_sizes *sizes)
{
    uint64_t history;
    if (!clr_mul_u64(sizes->ring, sizes->block_bytes, &history) || history > UINT64_MAX / 2)
        return UINT64_MAX / 2;
    uint64_t twiddles = sizes->real ? (uint64_t)config->channels * 2 * sizeof(float) : 0;
    return history + (uint64_t)config->taps * sizes->length * sizeof(float) + twiddles;
}
