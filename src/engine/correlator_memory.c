/*
 * How the correlator shares memory between its engines: the X-engine's sums have a fixed size, the
 * spectra that are handed over and the F-engine's pieces take what is left, in smaller batches when
 * that is little.
 */
#include "base/checked.h"
#include "engine/correlator_internal.h"

/* What the spectra between the engines should take: long enough for the X-engine to be busy. */
static uint64_t wanted_bytes(const clradio_device_info *info)
{
    return info->kind == CLRADIO_DEVICE_CPU ? (uint64_t)16 << 20 : (uint64_t)256 << 20;
}

static clradio_xengine_config xengine_config(const clradio_correlator_config *config)
{
    clradio_xengine_config x = CLRADIO_XENGINE_CONFIG_INIT;
    x.stations = config->stations;
    x.polarisations = config->polarisations;
    x.channels = config->bands * config->channels;
    x.spectra = config->spectra;
    x.input = config->channels > 1 ? CLRADIO_CF32 : config->input;
    x.ci4_coding = config->ci4_coding;
    x.output = config->output;
    x.order = config->order;
    x.conjugate = config->channels == 1 && config->reversed;
    if (config->channels == 1 && config->valid)
        x.valid = CLRADIO_VALID_BYTES | CLRADIO_VALID_PER_INPUT;
    x.memory_limit = config->memory_limit;
    x.variant = config->variant;
    x.parameters = config->parameters;
    return x;
}

static clradio_fengine_config fengine_config(const clradio_correlator_config *config)
{
    clradio_fengine_config f = CLRADIO_FENGINE_CONFIG_INIT;
    f.stations = config->stations;
    f.polarisations = config->polarisations;
    f.bands = config->bands;
    f.channels = config->channels;
    f.taps = config->taps;
    f.window = config->window;
    f.kaiser_beta = config->kaiser_beta;
    f.reversed = config->reversed;
    f.input = config->input;
    f.spectra = config->spectra;
    return f;
}

static void drop_engines(clradio_correlator *plan)
{
    clradio_fengine_destroy(plan->fengine);
    clradio_xengine_destroy(plan->xengine);
    clradio_buffer_destroy(plan->spectra);
    plan->fengine = NULL;
    plan->xengine = NULL;
    plan->spectra = NULL;
    plan->memory_bytes = 0;
}

static clradio_status limit_is_small(const clradio_correlator_config *config, uint64_t needed)
{
    return clr_fail(CLRADIO_ERROR_LIMIT,
                    "memory_limit is %llu bytes: the filter and one spectrum alone need %llu",
                    (unsigned long long)config->memory_limit, (unsigned long long)needed);
}

/* Both engines for batches of that many spectra, `reserve` bytes kept for the F-engine's pieces. */
static clradio_status try_batch(clradio_correlator *plan, const clradio_correlator_config *config,
                                uint64_t batch, uint64_t reserve)
{
    clradio_fengine_config f = fengine_config(config);
    clradio_xengine_config x = xengine_config(config);
    clradio_fengine_info f_info = CLRADIO_FENGINE_INFO_INIT;
    clradio_xengine_info x_info = CLRADIO_XENGINE_INFO_INIT;
    uint64_t spectra_bytes = batch * plan->sizes.spectrum_bytes, limit = config->memory_limit;
    uint64_t kept = spectra_bytes + clr_fengine_fixed_bytes(&f, &plan->sizes) + reserve;
    f.spectra = x.spectra = batch;
    if (limit && limit <= kept)
        return limit_is_small(config, kept);
    x.memory_limit = limit ? limit - kept : 0;
    clradio_status status = clradio_xengine_create(plan->device, &x, &plan->xengine);
    if (!status)
        status = clradio_xengine_get_info(plan->xengine, &x_info);
    if (status)
        return status;
    f.memory_limit = limit ? limit - spectra_bytes - x_info.memory_bytes : 0;
    status = clradio_fengine_create(plan->device, &f, &plan->fengine);
    if (!status)
        status = clradio_fengine_get_info(plan->fengine, &f_info);
    if (!status)
        status = clradio_buffer_create(plan->device, spectra_bytes, &plan->spectra);
    plan->batch = batch;
    plan->memory_bytes = spectra_bytes + x_info.memory_bytes + f_info.memory_bytes;
    return status;
}

static clradio_status take_both(clradio_correlator *plan, const clradio_correlator_config *config)
{
    const clradio_device_info *info = clr_device_info(plan->device);
    uint64_t spectrum = plan->sizes.spectrum_bytes, limit = config->memory_limit;
    if (info->max_allocation_bytes && spectrum > info->max_allocation_bytes)
        return clr_fail(
            CLRADIO_ERROR_LIMIT,
            "one spectrum of all inputs is %llu bytes, the device's largest buffer %llu",
            (unsigned long long)spectrum, (unsigned long long)info->max_allocation_bytes);
    uint64_t bytes = wanted_bytes(info);
    if (info->max_allocation_bytes)
        bytes = clr_min_u64(bytes, info->max_allocation_bytes);
    if (limit)
        bytes = clr_min_u64(bytes, limit / 4);
    uint64_t batch = clr_max_u64(1, clr_min_u64(bytes / spectrum, config->spectra));
    /* A line and the transform's second buffer, for a tile of signals; at the last for one. */
    uint64_t least = (uint64_t)config->channels * 2 * sizeof(float) / 16 * 33 + 256;
    uint64_t tile = least * clr_min_u64(plan->sizes.signals, 32);
    for (;;) {
        clradio_status status = try_batch(plan, config, batch, tile);
        if (status != CLRADIO_ERROR_LIMIT)
            return status;
        drop_engines(plan);
        if (batch == 1 && tile == least)
            return status;
        if (batch == 1)
            tile = least;
        else
            batch = batch / 4 ? batch / 4 : 1;
    }
}

clradio_status clr_correlator_take_engines(clradio_correlator *plan,
                                           const clradio_correlator_config *config)
{
    clradio_status status;
    if (config->channels > 1) {
        clradio_fengine_config f = fengine_config(config);
        status = clr_fengine_sizes_of(&f, &plan->sizes);
        /* Before the X-engine is built in vain. */
        if (!status)
            status = clr_fft_check_length(plan->device, config->channels);
        if (!status)
            status = take_both(plan, config);
    } else {
        clradio_xengine_config x = xengine_config(config);
        status = clradio_xengine_create(plan->device, &x, &plan->xengine);
    }
    plan->xengine_info = (clradio_xengine_info)CLRADIO_XENGINE_INFO_INIT;
    if (!status)
        status = clradio_xengine_get_info(plan->xengine, &plan->xengine_info);
    if (!status && config->channels == 1)
        plan->memory_bytes = plan->xengine_info.memory_bytes;
    return status;
}
