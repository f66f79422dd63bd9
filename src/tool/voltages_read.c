/* Samples out of several files into the correlator's layout. */
#include "tool/voltages.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* Copies [rows][inputs] elements of n components into [rows][slots], each input to its slot. */
#define SCATTER(name, from_type, to_type)                                                          \
    static void scatter_##name(const void *from, void *to, uint64_t rows, uint32_t inputs,         \
                               uint32_t slots, const uint32_t *slot, unsigned components)          \
    {                                                                                              \
        const from_type *source = from;                                                            \
        for (uint64_t row = 0; row < rows; row++) {                                                \
            to_type *line = (to_type *)to + row * slots * components;                              \
            for (uint32_t k = 0; k < inputs; k++, source += components) {                          \
                if (slot[k] == CLR_NO_SLOT)                                                        \
                    continue;                                                                      \
                for (unsigned c = 0; c < components; c++)                                          \
                    line[(size_t)slot[k] * components + c] = (to_type)source[c];                   \
            }                                                                                      \
        }                                                                                          \
    }
SCATTER(8_8, int8_t, int8_t)
SCATTER(8_16, int8_t, int16_t)
SCATTER(8_f, int8_t, float)
SCATTER(16_16, int16_t, int16_t)
SCATTER(16_f, int16_t, float)
SCATTER(f_f, float, float)

typedef void scatter_function(const void *, void *, uint64_t, uint32_t, uint32_t, const uint32_t *,
                              unsigned);

/* Bytes of a component tell its type: 1 int8, 2 int16, 4 float. */
static scatter_function *scatter_for(size_t from, size_t to)
{
    if (from == 1)
        return to == 1 ? scatter_8_8 : to == 2 ? scatter_8_16 : scatter_8_f;
    if (from == 2)
        return to == 2 ? scatter_16_16 : scatter_16_f;
    return scatter_f_f;
}

static int is_real(clradio_type type)
{
    return type == CLRADIO_I8 || type == CLRADIO_I16 || type == CLRADIO_F32;
}

static size_t component_bytes(clradio_type type)
{
    return clradio_type_bytes(type) / (is_real(type) ? 1 : 2);
}

static clradio_status need_scratch(clr_voltages *voltages, uint64_t bytes, uint64_t words)
{
    if (bytes > SIZE_MAX || words > SIZE_MAX / 8)
        return clr_fail(CLRADIO_ERROR_MEMORY, "a batch of voltages does not fit the memory");
    if (bytes > voltages->scratch_bytes) {
        free(voltages->scratch);
        voltages->scratch = malloc((size_t)bytes);
        voltages->scratch_bytes = voltages->scratch ? (size_t)bytes : 0;
    }
    if (words > voltages->scratch_words) {
        free(voltages->scratch_present);
        voltages->scratch_present = malloc((size_t)words * sizeof(uint64_t));
        voltages->scratch_words = voltages->scratch_present ? (size_t)words : 0;
    }
    if (!voltages->scratch || !voltages->scratch_present)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a batch of %llu bytes of voltages",
                        (unsigned long long)bytes);
    return CLRADIO_OK;
}

/* Samples [first, first + count) of the grid out of one operand. */
static clradio_status read_operand(clr_voltages *voltages, const clr_operand *operand,
                                   uint64_t first, uint64_t count, void *to, uint64_t *present)
{
    const clr_source_info *info = operand->info;
    unsigned components = is_real(voltages->type) ? 1 : 2;
    size_t from_component = component_bytes(info->natural);
    uint64_t rows, bytes, words = (count + 63) / 64;
    uint64_t factors[] = { count, info->channels, info->inputs, components * from_component };
    if (!clr_product_u64(factors, 4, &bytes) || !clr_mul_u64(count, info->channels, &rows))
        return clr_fail(CLRADIO_ERROR_MEMORY, "a batch of voltages does not fit 64 bits");
    clradio_status status = need_scratch(voltages, bytes, words * info->inputs);
    if (!status)
        status = clr_source_read(operand->source, first + operand->skip, count, components == 2,
                                 voltages->scratch, voltages->scratch_present);
    if (status)
        return status;
    const uint32_t *slot = voltages->map.slot + operand->first_input;
    uint32_t slots = voltages->map.stations * voltages->map.polarisations;
    scatter_for(from_component, component_bytes(voltages->type))(
        voltages->scratch, to, rows, info->inputs, slots, slot, components);
    for (uint32_t k = 0; k < info->inputs; k++)
        if (slot[k] != CLR_NO_SLOT)
            memcpy(present + slot[k] * words, voltages->scratch_present + k * words,
                   (size_t)words * sizeof *present);
    return CLRADIO_OK;
}

/* One file whose inputs are the slots in order needs no detour. */
static int is_direct(const clr_voltages *voltages)
{
    const clr_operand *operand = voltages->operands;
    uint32_t slots = voltages->map.stations * voltages->map.polarisations;
    if (voltages->n_operands != 1 || operand->info->inputs != slots ||
        component_bytes(operand->info->natural) != component_bytes(voltages->type))
        return 0;
    for (uint32_t k = 0; k < slots; k++)
        if (voltages->map.slot[k] != k)
            return 0;
    return 1;
}

clradio_status clr_voltages_read(clr_voltages *voltages, uint64_t first, uint64_t count, void *to,
                                 uint64_t *present)
{
    if (is_direct(voltages))
        return clr_source_read(voltages->operands->source, first + voltages->operands->skip, count,
                               !is_real(voltages->type), to, present);
    uint32_t slots = voltages->map.stations * voltages->map.polarisations;
    uint64_t words = (count + 63) / 64;
    memset(to, 0, (size_t)count * voltages->channels * slots * clradio_type_bytes(voltages->type));
    memset(present, 0, (size_t)words * slots * sizeof *present);
    clradio_status status = CLRADIO_OK;
    for (size_t o = 0; o < voltages->n_operands && !status; o++)
        status = read_operand(voltages, &voltages->operands[o], first, count, to, present);
    return status;
}
