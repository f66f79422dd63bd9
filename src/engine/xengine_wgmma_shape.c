/*
 * What follows from the values of wgmma's parameters: layout, local memory, registers, columns
 * beyond a tile's, and which values do not go together.
 */
#include "base/checked.h"
#include "engine/xengine_mma.h"
#include "engine/xengine_wgmma.h"

#include <inttypes.h>
#include <string.h>

enum {
    LINE_BYTES = 128, /* of global memory */
    TILE = 128,
    PRODUCT_STEP = 64,
    OPERAND_SPECTRA = 64,
    HALF_SPECTRA = 16, /* of cf16, multiplied at a time */
    LEAST_OF_ONE = 4,  /* stages that are multiplied at once */
    FACTOR_BYTES = 2,  /* of a sample in an operand that is rewritten */
    OPERANDS = 3,
    ALIGNMENT = 256,
    GRAM_ALIGNMENT = 1024,
    WARPGROUP_ROWS = 64,
    GRAM_ROWS = 32,
    GRAM_SPECTRA = 32, /* that stages are a multiple of */
    EXTRA_STEP = 16,
    EXTRA_PARTS = 256, /* of sums of columns beyond a tile's */
    MOST_EXTRA = 32,
    MOST_COPIERS = 4, /* a warpgroup */
    COPIER_REGISTERS = 40,
    ROW_GAP = 64,
    MOST_REGISTERS = 255,
    OTHER_REGISTERS = 64, /* of a work-item, besides two sums for every column */
    GRAM_REGISTERS = 32,  /* besides three, with nothing to multiply among them */
    MOST_LOCAL_BYTES = 227 * 1024
};

int clr_wgmma_is_half(const clradio_xengine_config *config)
{
    return config->input == CLRADIO_CF16;
}

int clr_wgmma_is_gram(const int64_t *values)
{
    return values[READ] == 2;
}

uint64_t clr_wgmma_rows(const int64_t *values)
{
    return (uint64_t)values[WARPGROUPS] * (clr_wgmma_is_gram(values) ? GRAM_ROWS : WARPGROUP_ROWS);
}

static uint64_t inputs_of(const clradio_xengine_config *config)
{
    return (uint64_t)config->stations * config->polarisations;
}

/* What is flagged is brought into scratch memory, where a chunk's channels are no whole units. */
int clr_wgmma_can_shift(const clradio_xengine_config *config)
{
    const uint64_t row = inputs_of(config) * clradio_type_bytes(config->input);
    return config->layout == CLRADIO_LAYOUT_TIME_CHANNEL_INPUT && !config->valid &&
           row % LINE_BYTES && row % UNIT_BYTES * (config->channels % UNIT_BYTES) % UNIT_BYTES == 0;
}

int clr_wgmma_is_shifted(const clradio_xengine_config *config, const int64_t *values)
{
    return values[SHIFTED] && (values[READ] || !clr_wgmma_is_half(config)) &&
           clr_wgmma_can_shift(config);
}

/* A channel begins at any multiple of what rows and units have in common. */
static uint64_t covered_when_shifted(const clradio_xengine_config *config)
{
    const uint64_t inputs = inputs_of(config),
                   unit = UNIT_BYTES / clradio_type_bytes(config->input);
    return inputs + (inputs % unit ? unit - (inputs & (0 - inputs)) : 0);
}

/* Measured: faster where the spectra of all channels are whole lines, so that a channel's begin at
 * the same place each time; of ci8 with 17 to 32 columns beyond tiles of 128 by nothing. Of cf16
 * with READ=2. */
void clr_wgmma_take_shift(const clradio_xengine_config *config, int64_t *values)
{
    const uint64_t row = inputs_of(config) * clradio_type_bytes(config->input),
                   covered = covered_when_shifted(config),
                   beyond = covered > TILE ? covered % TILE : 0;
    const int is_line = row % LINE_BYTES * (config->channels % LINE_BYTES) % LINE_BYTES == 0,
              is_known =
                  clr_wgmma_is_half(config)
                      ? clr_wgmma_is_gram(values)
                      : config->input == CLRADIO_CI4 || beyond <= EXTRA_STEP || beyond > MOST_EXTRA;
    values[SHIFTED] = is_known && is_line && clr_wgmma_can_shift(config);
}

static uint64_t covered(const clradio_xengine_config *config, const int64_t *values)
{
    return clr_wgmma_is_shifted(config, values) ? covered_when_shifted(config) : inputs_of(config);
}

/* Those beyond whole tiles may come first; else tiles end with a line. */
uint64_t clr_wgmma_tiled(const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t inputs = covered(config, values),
                   line = LINE_BYTES / clradio_type_bytes(config->input),
                   beyond = clr_wgmma_inputs_beyond(config, values);
    if (beyond && beyond <= (uint64_t)values[EXTRA])
        return inputs - beyond;
    return clr_wgmma_is_shifted(config, values) ? clr_ceil_div(inputs, line) * line : inputs;
}

/* cf16 in blocks unless READ says so: a transposing load tears its parts apart. */
clradio_layout clr_wgmma_layout(const clradio_xengine_config *config, const int64_t *values)
{
    if (clr_wgmma_is_shifted(config, values))
        return CLRADIO_LAYOUT_TIME_CHANNEL_INPUT;
    return clr_wgmma_is_half(config) && !values[READ] ? CLRADIO_LAYOUT_BLOCKED
                                                      : clr_xengine_mma_layout(config);
}

int clr_wgmma_is_rewritten(const clradio_xengine_config *config, const int64_t *values)
{
    return config->input == CLRADIO_CI4 ||
           (clr_wgmma_layout(config, values) != CLRADIO_LAYOUT_BLOCKED &&
            !clr_wgmma_is_gram(values));
}

uint64_t clr_wgmma_local_bytes(const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t spectra = (uint64_t)values[T_STAGE], columns = (uint64_t)values[COLUMNS];
    const uint64_t extra = (uint64_t)values[EXTRA];
    const uint64_t rows = clr_wgmma_rows(values);
    /* in an edge that is an operand they lie in front of its own, in one that is not behind both */
    const uint64_t inputs =
        rows + columns + (clr_wgmma_is_rewritten(config, values) ? extra : 2 * extra);
    const uint64_t stages = (uint64_t)values[STAGES] * inputs * clradio_type_bytes(config->input);
    const uint64_t number = OPERANDS + (spectra == HALF_SPECTRA),
                   parts = clr_wgmma_is_half(config) ? 2 : 1;
    const uint64_t operands = clr_wgmma_is_rewritten(config, values)
                                  ? number * (columns + extra) * parts * FACTOR_BYTES
                                  : 0;
    const uint64_t own = values[OWN_LOCAL] ? rows * columns * 2 * sizeof(float) : 0;
    /* sums on their way out take the place of all that */
    const uint64_t passed = rows * ((columns + extra) * 2 * sizeof(int32_t) + ROW_GAP) +
                            (columns * 5 + (extra ? extra + EXTRA_PARTS : 0)) * sizeof(int32_t);
    return clr_max_u64((stages + operands) * spectra + own, passed) +
           (clr_wgmma_is_gram(values) ? GRAM_ALIGNMENT : ALIGNMENT);
}

/* Columns beyond a tile's, for inputs that fill none. */
static int takes_extra(const clradio_xengine_config *config, const int64_t *values)
{
    return values[SKIP] && values[COLUMNS] == (int64_t)clr_wgmma_rows(values) &&
           (!clr_wgmma_is_half(config) ||
            (values[OWN_LOCAL] && clr_wgmma_layout(config, values) == CLRADIO_LAYOUT_BLOCKED));
}

uint64_t clr_wgmma_inputs_beyond(const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t inputs = covered(config, values);
    return inputs > (uint64_t)values[COLUMNS] ? inputs % (uint64_t)values[COLUMNS] : 0;
}

void clr_wgmma_take_extra(const clradio_xengine_config *config, int64_t *values)
{
    const int64_t more = (int64_t)clr_wgmma_inputs_beyond(config, values);
    const int64_t most = clr_wgmma_is_half(config) ? EXTRA_STEP : MOST_EXTRA;
    /* not measured for ci4 whose spectra are whole units: by name */
    const int is_measured = config->input != CLRADIO_CI4 || clr_wgmma_is_shifted(config, values) ||
                            clr_wgmma_layout(config, values) == CLRADIO_LAYOUT_BLOCKED;
    values[EXTRA] = is_measured && more && more <= most && takes_extra(config, values)
                        ? (more + EXTRA_STEP - 1) / EXTRA_STEP * EXTRA_STEP
                        : 0;
}

void clr_wgmma_make_room(const clradio_xengine_config *config, int64_t *values)
{
    const uint64_t most = MOST_LOCAL_BYTES / (uint64_t)values[RESIDENT];
    if (values[T_STAGE] > OPERAND_SPECTRA && clr_wgmma_local_bytes(config, values) > most) {
        values[T_STAGE] /= 2;
        values[STAGES] *= 2;
    }
    while (values[STAGES] > LEAST_OF_ONE && clr_wgmma_local_bytes(config, values) > most)
        values[STAGES]--;
}

int clr_wgmma_hands_over(const int64_t *values)
{
    return values[COPIERS] == MOST_COPIERS && values[WARPGROUPS] > 1;
}

/* Of a work-item. Warps that only copy have those of a whole warpgroup, which leaves them to the
 * others where it is one (cl/xengine_wgmma_product.cl). */
static int64_t registers_of(const int64_t *values)
{
    const int64_t all = REGISTER_FILE / WARPGROUP / values[RESIDENT];
    if (clr_wgmma_hands_over(values))
        return (all - COPIER_REGISTERS) / values[WARPGROUPS] / 8 * 8;
    return all / (values[WARPGROUPS] + (values[COPIERS] != 0));
}

static int64_t registers_needed(const clradio_xengine_config *config, const int64_t *values)
{
    if (clr_wgmma_is_gram(values)) /* four sums and, half as many, its own */
        return values[COLUMNS] * 3 / 2 + GRAM_REGISTERS;
    return values[COLUMNS] * (clr_wgmma_is_half(config) && !values[OWN_LOCAL] ? 2 : 1) +
           values[EXTRA] + OTHER_REGISTERS;
}

/* What READ asks for. */
static clradio_status check_reading(const clradio_xengine_config *config, const int64_t *values)
{
    if ((values[OWN_LOCAL] || values[READ]) && !clr_wgmma_is_half(config))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "OWN_LOCAL=1 and READ are for cf16 alone");
    if (clr_wgmma_is_gram(values) &&
        (clr_wgmma_layout(config, values) == CLRADIO_LAYOUT_BLOCKED || values[OWN_LOCAL] ||
         values[COPIERS] != (values[EMULATED] ? 0 : MOST_COPIERS)))
        return clr_fail(
            CLRADIO_ERROR_ARGUMENT,
            "READ=2 is for [time][channel][input] with spectra of each channel that "
            "are whole units of 16 bytes, with COPIERS=4 (EMULATED: 0) and OWN_LOCAL=0");
    return CLRADIO_OK;
}

clradio_status clr_wgmma_check_shape(const clradio_xengine_config *config, const int64_t *values)
{
    const int64_t step = clr_wgmma_is_gram(values)   ? GRAM_SPECTRA
                         : clr_wgmma_is_half(config) ? HALF_SPECTRA
                                                     : OPERAND_SPECTRA;
    const int64_t room = registers_of(values), most = room < MOST_REGISTERS ? room : MOST_REGISTERS;
    const int64_t needed = registers_needed(config, values);
    if (values[PRODUCT] % PRODUCT_STEP || values[COLUMNS] % values[PRODUCT])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "PRODUCT=%" PRId64 " COLUMNS=%" PRId64
                        ": PRODUCT must be 64 or 128 and divide COLUMNS",
                        values[PRODUCT], values[COLUMNS]);
    if (values[T_STAGE] % step)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "T_STAGE=%" PRId64 " is not a multiple of %" PRId64,
                        values[T_STAGE], step);
    if (values[T_STAGE] == HALF_SPECTRA && values[STAGES] < LEAST_OF_ONE)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "T_STAGE=%d needs STAGES=%d or more", HALF_SPECTRA,
                        LEAST_OF_ONE);
    const int64_t whole = values[T_STAGE] == HALF_SPECTRA ? 2 * HALF_SPECTRA : values[T_STAGE];
    if (clr_wgmma_is_half(config) ? !values[RUN] || values[RUN] % whole : values[RUN] != 0)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "RUN=%" PRId64 " is not a multiple of %" PRId64
                        " (T_STAGE) for cf16, or not 0 for integers",
                        values[RUN], whole);
    if (values[EXTRA] % EXTRA_STEP || (values[EXTRA] > EXTRA_STEP && clr_wgmma_is_half(config)) ||
        (values[EXTRA] && !takes_extra(config, values)))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "columns beyond a tile's, EXTRA, are 0, 16 or 32, of ci8 or ci4 "
                        "in square tiles (COLUMNS = 64 WARPGROUPS) with SKIP=1");
    if (values[SHIFTED] && !clr_wgmma_is_shifted(config, values))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "SHIFTED=1 is for unflagged [time][channel][input] with spectra of each "
                        "channel that are no whole lines of 128 bytes and of all channels that "
                        "are whole units of 16, of cf16 with READ=1 or 2");
    if (values[COPIERS] && values[EMULATED])
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "COPIERS, warps that only copy, are not emulated");
    const clradio_status status = check_reading(config, values);
    if (status)
        return status;
    if (needed > most)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "COLUMNS=%" PRId64 " needs about %" PRId64
                        " registers a work-item; WARPGROUPS=%" PRId64 " RESIDENT=%" PRId64
                        " leave %" PRId64,
                        values[COLUMNS], needed, values[WARPGROUPS], values[RESIDENT], most);
    return CLRADIO_OK;
}

clradio_status clr_wgmma_check_local(const clradio_device_info *device,
                                     const clradio_xengine_config *config, const int64_t *values)
{
    const uint64_t local = clr_wgmma_local_bytes(config, values);
    const uint64_t there = values[EMULATED] ? device->local_memory_bytes : MOST_LOCAL_BYTES;
    const uint64_t most = there / (uint64_t)(values[EMULATED] ? 1 : values[RESIDENT]);
    return clr_xengine_mma_check_local(local, most, values[T_STAGE], values[STAGES],
                                       values[RESIDENT]);
}
