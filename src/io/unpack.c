/* Packed samples to integers or floats, and back: a table for codes of up to 8 bits. */
#include "io/unpack.h"

#include "io/voltage_writer.h"

#include <math.h>
#include <string.h>

size_t clr_coding_component_bytes(const clr_coding *coding)
{
    return coding->bits <= 8 ? 1 : coding->bits / 8;
}

int32_t clr_coding_value(const clr_coding *coding, uint32_t code)
{
    uint32_t half = 1u << (coding->bits - 1);
    if (coding->kind == CLR_TWOS_COMPLEMENT)
        code ^= half;
    int32_t value = (int32_t)code - (int32_t)half;
    return coding->bits <= 2 ? 2 * value + 1 : value;
}

/* The component that stands at place i of a byte. */
static unsigned place(const clr_coding *coding, unsigned i)
{
    return coding->bits == 4 && coding->complex_samples && coding->real_high ? i ^ 1u : i;
}

void clr_coding_prepare(clr_coding *coding)
{
    if (coding->bits > 8)
        return;
    unsigned per_byte = 8 / coding->bits;
    uint32_t mask = (1u << coding->bits) - 1;
    for (uint32_t byte = 0; byte < 256; byte++)
        for (unsigned i = 0; i < per_byte; i++)
            coding->table[byte][place(coding, i)] =
                (int8_t)clr_coding_value(coding, byte >> (i * coding->bits) & mask);
}

static void unpack_small(const clr_coding *coding, const unsigned char *bytes, size_t first,
                         size_t n, int8_t *to)
{
    size_t per_byte = 8 / coding->bits;
    const unsigned char *byte = bytes + first / per_byte;
    size_t i = 0;
    if (per_byte == 1) {
        for (; i < n; i++)
            to[i] = coding->table[byte[i]][0];
        return;
    }
    for (size_t at = first % per_byte; at && at < per_byte && i < n; at++)
        to[i++] = coding->table[*byte][at];
    byte += first % per_byte != 0;
    for (; n - i >= per_byte; i += per_byte)
        memcpy(to + i, coding->table[*byte++], per_byte);
    for (size_t at = 0; i < n; at++)
        to[i++] = coding->table[*byte][at];
}

static uint32_t word32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void clr_unpack(const clr_coding *coding, const unsigned char *bytes, size_t first, size_t n,
                void *to)
{
    if (coding->bits <= 8) {
        unpack_small(coding, bytes, first, n, to);
    } else if (coding->bits == 16) {
        const unsigned char *at = bytes + 2 * first;
        int16_t *values = to;
        for (size_t i = 0; i < n; i++, at += 2)
            values[i] = (int16_t)clr_coding_value(coding, (uint32_t)(at[0] | at[1] << 8));
    } else {
        const unsigned char *at = bytes + 4 * first;
        float *values = to;
        for (size_t i = 0; i < n; i++, at += 4) {
            uint32_t code = word32(at);
            if (coding->kind == CLR_IEEE_FLOAT)
                memcpy(&values[i], &code, 4);
            else
                values[i] =
                    (float)((int64_t)(coding->kind == CLR_TWOS_COMPLEMENT ? code ^ 0x80000000u
                                                                          : code) -
                            0x80000000ll);
        }
    }
}

/* The code of an integer, or -1 when it has none. */
static int64_t code_of(const clr_coding *coding, int64_t value)
{
    int64_t half = (int64_t)1 << (coding->bits - 1);
    if (coding->bits <= 2) {
        if (!(value & 1))
            return -1;
        value = (value - 1) / 2;
    }
    int64_t code = value + half;
    if (code < 0 || code >= 2 * half)
        return -1;
    return coding->kind == CLR_TWOS_COMPLEMENT ? code ^ half : code;
}

static int64_t value_at(const clr_coding *coding, const void *from, size_t i)
{
    if (coding->bits <= 8)
        return ((const int8_t *)from)[i];
    if (coding->bits == 16)
        return ((const int16_t *)from)[i];
    float value = ((const float *)from)[i];
    return fabsf(value) <= 2147483648.0f && value == rintf(value) ? (int64_t)value : INT64_MAX / 4;
}

size_t clr_pack(const clr_coding *coding, const void *from, size_t n, unsigned char *bytes)
{
    memset(bytes, 0, (n * coding->bits + 7) / 8);
    for (size_t i = 0; i < n; i++) {
        int64_t code;
        if (coding->kind == CLR_IEEE_FLOAT) {
            uint32_t word;
            memcpy(&word, (const float *)from + i, 4);
            code = word;
        } else {
            code = code_of(coding, value_at(coding, from, i));
        }
        if (code < 0)
            return i;
        if (coding->bits >= 8) {
            for (unsigned b = 0; b < coding->bits / 8; b++)
                bytes[i * (coding->bits / 8) + b] = (unsigned char)(code >> (8 * b));
        } else {
            size_t per_byte = 8 / coding->bits;
            unsigned at = place(coding, (unsigned)(i % per_byte));
            bytes[i / per_byte] |= (unsigned char)(code << (at * coding->bits));
        }
    }
    return n;
}

int32_t clr_quantise(double value, unsigned bits)
{
    if (bits < 1 || bits > 32 || isnan(value))
        return bits == 1 || bits == 2 ? 1 : 0;
    double half = ldexp(1, (int)bits - 1);
    if (bits <= 2) {
        double level = 2 * floor(value / 2) + 1;
        return (int32_t)fmax(-(2 * half - 1), fmin(2 * half - 1, level));
    }
    return (int32_t)fmax(-half, fmin(half - 1, rint(value)));
}
