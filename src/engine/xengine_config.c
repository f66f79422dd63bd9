/* The X-engine's configuration: what is allowed, and the sizes that follow from it. */
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <inttypes.h>

enum { MOST_BLOCK_TIMES = 65536 };

int clr_xengine_spectra_bytes(const clradio_xengine_config *config, uint64_t count, uint64_t *bytes)
{
    const uint64_t times = config->layout == CLRADIO_LAYOUT_BLOCKED ? config->block_times : 1;
    const uint64_t factors[] = { clr_ceil_div(count, times), times,
                                 config->channels,           config->stations,
                                 config->polarisations,      clradio_type_bytes(config->input) };
    return clr_product_u64(factors, 6, bytes);
}

uint32_t clr_xengine_rows(const clradio_xengine_config *config)
{
    return config->order == CLRADIO_ORDER_XGPU_REGISTER_TILE
               ? config->stations / 2 + config->stations % 2
               : config->stations;
}

int clr_xengine_is_float(clradio_type input)
{
    return input == CLRADIO_CF32 || input == CLRADIO_CF16;
}

uint64_t clradio_xengine_spectra_bytes(const clradio_xengine_config *config, uint64_t count)
{
    clradio_xengine_config checked;
    uint64_t bytes;
    if (clr_xengine_check_config(NULL, config, &checked) ||
        !clr_xengine_spectra_bytes(&checked, count, &bytes))
        return 0;
    return bytes;
}

uint64_t clr_xengine_channel_values(const clradio_xengine_config *config)
{
    const uint64_t stations = config->stations;
    const uint64_t products = (uint64_t)config->polarisations * config->polarisations;
    const uint64_t halves = stations / 2 + stations % 2;
    uint64_t pairs, values, bytes;
    switch (config->order) {
    case CLRADIO_ORDER_FULL: pairs = stations * stations; break;
    case CLRADIO_ORDER_XGPU_REGISTER_TILE: pairs = 2 * halves * (halves + 1); break;
    default: pairs = stations % 2 ? (stations + 1) / 2 * stations : stations / 2 * (stations + 1);
    }
    if (!clr_mul_u64(pairs, products, &values) || !clr_mul_u64(values, CLR_WIDE_BYTES, &bytes))
        return 0;
    return values;
}

uint64_t clradio_xengine_visibilities_bytes(const clradio_xengine_config *config)
{
    clradio_xengine_config checked;
    uint64_t bytes;
    if (clr_xengine_check_config(NULL, config, &checked))
        return 0;
    const uint64_t factors[] = { clr_xengine_channel_values(&checked), checked.channels,
                                 clradio_type_bytes(checked.output) };
    return clr_product_u64(factors, 3, &bytes) ? bytes : 0;
}

static clradio_status check_sizes(const clradio_xengine_config *config)
{
    uint64_t bytes;
    if (config->stations == 0 || config->stations > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "stations is %" PRIu32 "; it must be 1 to %d",
                        config->stations, INT32_MAX);
    if (config->polarisations != 1 && config->polarisations != 2)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "polarisations is %" PRIu32 "; it must be 1 or 2",
                        config->polarisations);
    if (config->channels == 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "channels is 0; it must be at least 1");
    if (config->spectra == 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "spectra is 0; it must be at least 1");
    const uint64_t factors[] = { clr_xengine_channel_values(config), config->channels,
                                 CLR_WIDE_BYTES };
    if (!factors[0] || !clr_product_u64(factors, 3, &bytes) || bytes > INT64_MAX)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the visibilities of %" PRIu32 " stations and %" PRIu32
                        " channels do not fit 64 bits",
                        config->stations, config->channels);
    if (!clr_xengine_spectra_bytes(config, config->spectra, &bytes) || bytes > INT64_MAX ||
        (config->valid && !clr_xengine_valid_size(config, config->spectra, &bytes)))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%" PRIu64 " spectra of %" PRIu32 " stations and %" PRIu32
                        " channels do not fit 64 bits",
                        config->spectra, config->stations, config->channels);
    return CLRADIO_OK;
}

static clradio_status check_types(clradio_device *device, const clradio_xengine_config *config)
{
    const int is_float = clr_xengine_is_float(config->input);
    switch (config->input) {
    case CLRADIO_CI4:
    case CLRADIO_CI8:
    case CLRADIO_CI16:
    case CLRADIO_CF16:
    case CLRADIO_CF32: break;
    default:
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "input type %s: the X-engine takes ci4, ci8, ci16, cf16 and cf32",
                        clradio_type_name(config->input));
    }
    if (config->ci4_coding > (CLRADIO_CI4_REAL_HIGH | CLRADIO_CI4_OFFSET_BINARY))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "ci4_coding is %u; it must be 0 to 3",
                        config->ci4_coding);
    switch (config->output) {
    case CLRADIO_CI32:
    case CLRADIO_CI64:
        if (is_float)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "output type %s does not go with %s input; it is cf32 or cf64",
                            clradio_type_name(config->output), clradio_type_name(config->input));
        break;
    case CLRADIO_CF32:
    case CLRADIO_CF64: break;
    default:
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "output type %s: the X-engine gives ci32, ci64, cf32 and cf64",
                        clradio_type_name(config->output));
    }
    if (device && config->output == CLRADIO_CF64 && !clr_device_info(device)->fp64)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "cf64 output: %s has no double precision",
                        clr_device_info(device)->name);
    return CLRADIO_OK;
}

/* Also fills in valid_times. */
static clradio_status check_valid(clradio_xengine_config *config)
{
    const unsigned axes = CLRADIO_VALID_PER_INPUT | CLRADIO_VALID_PER_CHANNEL;
    const unsigned form = config->valid & ~axes;
    if (config->valid && form != CLRADIO_VALID_BYTES && form != CLRADIO_VALID_BITS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.valid is 0x%x; it must hold CLRADIO_VALID_BYTES or "
                        "CLRADIO_VALID_BITS, and axes",
                        config->valid);
    if (!config->valid_times)
        config->valid_times = 1;
    return CLRADIO_OK;
}

/* Also fills in block_times. */
static clradio_status check_layout(clradio_xengine_config *config)
{
    if ((unsigned)config->layout > CLRADIO_LAYOUT_BLOCKED)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "layout is %d; it must be 0 to %d",
                        (int)config->layout, (int)CLRADIO_LAYOUT_BLOCKED);
    if (config->block_times > MOST_BLOCK_TIMES)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "block_times is %" PRIu32 "; it must be 0 to %d",
                        config->block_times, MOST_BLOCK_TIMES);
    if (config->layout != CLRADIO_LAYOUT_BLOCKED)
        config->block_times = 0;
    else if (!config->block_times)
        config->block_times = clr_xengine_usual_block_times(config->input);
    return CLRADIO_OK;
}

clradio_status clr_xengine_check_config(clradio_device *device,
                                        const clradio_xengine_config *config,
                                        clradio_xengine_config *checked)
{
    if (!config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the configuration is NULL");
    if (config->struct_size != sizeof *config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.struct_size is %zu, not %zu: start from "
                        "CLRADIO_XENGINE_CONFIG_INIT of this version's header",
                        config->struct_size, sizeof *config);
    *checked = *config;
    if (checked->output == CLRADIO_TYPE_NONE)
        checked->output = clr_xengine_is_float(config->input) ? CLRADIO_CF32 : CLRADIO_CI64;
    if (checked->input != CLRADIO_CI4)
        checked->ci4_coding = 0;
    checked->conjugate = config->conjugate != 0;
    if ((unsigned)config->order > CLRADIO_ORDER_XGPU_REGISTER_TILE)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "order is %d; it must be 0 to %d",
                        (int)config->order, (int)CLRADIO_ORDER_XGPU_REGISTER_TILE);
    if (config->flags & ~(unsigned)CLRADIO_XENGINE_SINGLE_CALL)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.flags has bits that mean nothing: 0x%x",
                        config->flags);
    clradio_status status = check_types(device, checked);
    if (!status)
        status = check_layout(checked);
    if (!status)
        status = check_valid(checked);
    return status ? status : check_sizes(checked);
}
