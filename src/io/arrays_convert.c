/* Elements of arrays: their names and sizes, and the way from one type to another. */
#include "io/arrays_internal.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned char bytes, part; /* part: of a complex element */
    char is_float, is_complex, is_signed;
} kinds[] = {
    [CLR_ELEMENT_NONE] = { "nothing", 0, 0, 0, 0, 0 },
    [CLR_ELEMENT_I8] = { "int8", 1, 1, 0, 0, 1 },
    [CLR_ELEMENT_I16] = { "int16", 2, 2, 0, 0, 1 },
    [CLR_ELEMENT_I32] = { "int32", 4, 4, 0, 0, 1 },
    [CLR_ELEMENT_I64] = { "int64", 8, 8, 0, 0, 1 },
    [CLR_ELEMENT_U8] = { "uint8", 1, 1, 0, 0, 0 },
    [CLR_ELEMENT_U16] = { "uint16", 2, 2, 0, 0, 0 },
    [CLR_ELEMENT_U32] = { "uint32", 4, 4, 0, 0, 0 },
    [CLR_ELEMENT_U64] = { "uint64", 8, 8, 0, 0, 0 },
    [CLR_ELEMENT_F16] = { "float16", 2, 2, 1, 0, 1 },
    [CLR_ELEMENT_F32] = { "float32", 4, 4, 1, 0, 1 },
    [CLR_ELEMENT_F64] = { "float64", 8, 8, 1, 0, 1 },
    [CLR_ELEMENT_CF32] = { "complex64", 8, 4, 1, 1, 1 },
    [CLR_ELEMENT_CF64] = { "complex128", 16, 8, 1, 1, 1 },
};

size_t clr_element_bytes(clr_element element)
{
    return kinds[element].bytes;
}

const char *clr_element_name(clr_element element)
{
    return kinds[element].name;
}

int clr_element_is_complex(clr_element element)
{
    return kinds[element].is_complex;
}

/* IEEE 754 binary16. */
static double from_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double value = exponent == 31  ? (fraction > 0 ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* The bytes of one number, in this machine's order. */
static uint64_t load(const unsigned char *from, unsigned bytes, int swapped)
{
    unsigned char turned[8];
    for (unsigned b = 0; b < bytes; b++)
        turned[b] = from[swapped ? bytes - 1 - b : b];
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (bytes) {
    case 1: memcpy(&one, turned, 1); return one;
    case 2: memcpy(&two, turned, 2); return two;
    case 4: memcpy(&four, turned, 4); return four;
    default: memcpy(&eight, turned, 8); return eight;
    }
}

static double as_double(uint64_t bits, unsigned bytes, int is_float, int is_signed)
{
    if (is_float) {
        float single;
        double value;
        uint32_t four = (uint32_t)bits;
        memcpy(&single, &four, sizeof single);
        memcpy(&value, &bits, sizeof value);
        return bytes == 2 ? from_half((uint16_t)bits) : bytes == 4 ? (double)single : value;
    }
    if (!is_signed)
        return (double)bits;
    unsigned unused = 64 - 8 * bytes;
    return (double)((int64_t)(bits << unused) >> unused);
}

static clradio_status as_whole(uint64_t bits, unsigned bytes, int is_float, int is_signed,
                               int64_t *value)
{
    if (is_float) {
        double number = as_double(bits, bytes, 1, 1);
        if (!(number >= -0x1p63 && number < 0x1p63) || number != floor(number))
            return clr_fail(CLRADIO_ERROR_OVERFLOW,
                            "%.9g is no whole number of 64 bits, and one is needed", number);
        *value = (int64_t)number;
    } else if (is_signed) {
        unsigned unused = 64 - 8 * bytes;
        *value = (int64_t)(bits << unused) >> unused;
    } else {
        if (bits > INT64_MAX)
            return clr_fail(CLRADIO_ERROR_OVERFLOW, "%llu does not fit a signed number of 64 bits",
                            (unsigned long long)bits);
        *value = (int64_t)bits;
    }
    return CLRADIO_OK;
}

static void store(void *to, clr_element type, size_t at, double re, double im)
{
    switch (type) {
    case CLR_ELEMENT_F32: ((float *)to)[at] = (float)re; break;
    case CLR_ELEMENT_F64: ((double *)to)[at] = re; break;
    case CLR_ELEMENT_CF32:
        ((float *)to)[2 * at] = (float)re;
        ((float *)to)[2 * at + 1] = (float)im;
        break;
    default:
        ((double *)to)[2 * at] = re;
        ((double *)to)[2 * at + 1] = im;
        break;
    }
}

clradio_status clr_arrays_convert(const void *from, clr_element from_type, int swapped, size_t n,
                                  void *to, clr_element to_type)
{
    const unsigned char *bytes = from;
    unsigned size = kinds[from_type].bytes, part = kinds[from_type].part;
    int is_float = kinds[from_type].is_float, is_signed = kinds[from_type].is_signed;
    clradio_status status = CLRADIO_OK;
    for (size_t i = 0; i < n && !status; i++, bytes += size) {
        uint64_t bits = load(bytes, part, swapped);
        if (to_type == CLR_ELEMENT_I64) {
            status = as_whole(bits, part, is_float, is_signed, (int64_t *)to + i);
            continue;
        }
        double im = 0;
        if (kinds[from_type].is_complex)
            im = as_double(load(bytes + part, part, swapped), part, is_float, is_signed);
        store(to, to_type, i, as_double(bits, part, is_float, is_signed), im);
    }
    return status;
}

void clr_arrays_to_fortran(const clr_arrays_layout *layout, uint64_t rows, const void *from,
                           void *to)
{
    size_t bytes = clr_element_bytes(layout->element);
    uint64_t index[CLR_ARRAYS_MOST_RANK] = { 0 }, step[CLR_ARRAYS_MOST_RANK];
    uint64_t count = rows, place = 0;
    for (unsigned axis = 0; axis < layout->rank; axis++) {
        step[axis] = axis ? step[axis - 1] * (axis == 1 ? rows : layout->size[axis - 1]) : 1;
        count *= axis ? layout->size[axis] : 1;
    }
    for (uint64_t e = 0; e < count; e++) {
        memcpy((char *)to + place * bytes, (const char *)from + e * bytes, bytes);
        for (unsigned axis = layout->rank; axis-- > 0;) {
            place += step[axis];
            if (++index[axis] < (axis ? layout->size[axis] : rows))
                break;
            place -= index[axis] * step[axis];
            index[axis] = 0;
        }
    }
}
