/* Alphabets: names, bits and points of the modulations of 3GPP TS 38.211, clause 5.1, and of PAM.
 */
#include "engine/modulation.h"

#include "base/error.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct modulation_entry {
    const char *name;
    uint32_t bits, real_points, imaginary_points;
} modulation_entry;

/* By clradio_modulation. BPSK is a real alphabet turned by 45 degrees. */
static const modulation_entry entries[] = {
    [CLRADIO_MODULATION_NONE] = { "none", 0, 0, 0 },
    [CLRADIO_BPSK] = { "bpsk", 1, 2, 1 },
    [CLRADIO_QPSK] = { "qpsk", 2, 2, 2 },
    [CLRADIO_QAM16] = { "qam16", 4, 4, 4 },
    [CLRADIO_QAM64] = { "qam64", 6, 8, 8 },
    [CLRADIO_QAM256] = { "qam256", 8, 16, 16 },
    [CLRADIO_QAM1024] = { "qam1024", 10, 32, 32 },
    [CLRADIO_PAM2] = { "pam2", 1, 2, 1 },
    [CLRADIO_PAM4] = { "pam4", 2, 4, 1 },
    [CLRADIO_PAM8] = { "pam8", 3, 8, 1 },
    [CLRADIO_PAM16] = { "pam16", 4, 16, 1 },
    [CLRADIO_PAM32] = { "pam32", 5, 32, 1 },
    [CLRADIO_ALPHABET] = { "alphabet", 0, 0, 0 },
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static const modulation_entry *entry_of(clradio_modulation modulation)
{
    return &entries[(unsigned)modulation < ENTRIES ? (unsigned)modulation : 0];
}

uint32_t clradio_modulation_bits(clradio_modulation modulation)
{
    return entry_of(modulation)->bits;
}

const char *clradio_modulation_name(clradio_modulation modulation)
{
    return entry_of(modulation)->name;
}

/* "64qam", "64-qam", "qam-64" and "64" become "qam64"; capitals become small. */
static void tidy_name(const char *name, char tidy[24])
{
    char digits[8] = "", letters[12] = "";
    size_t n_digits = 0, n_letters = 0, turns = 0;
    for (const char *at = name; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        turns += at > name && !isdigit(c) != !isdigit((unsigned char)at[-1]) && c != '-';
        if (isdigit(c) && n_digits + 1 < sizeof digits)
            digits[n_digits++] = (char)c;
        else if (isalpha(c) && n_letters + 1 < sizeof letters)
            letters[n_letters++] = (char)tolower(c);
        else if (c != '-' || at == name)
            turns = 9; /* no modulation's */
    }
    if (!n_letters)
        memcpy(letters, "qam", 4);
    if (turns > 2)
        memcpy(letters, "?", 2);
    snprintf(tidy, 24, "%s%s", letters, digits);
}

clradio_modulation clradio_modulation_from_name(const char *name)
{
    char tidy[24];
    if (!name || !*name)
        return CLRADIO_MODULATION_NONE;
    tidy_name(name, tidy);
    if (strcmp(tidy, "qam4") == 0)
        return CLRADIO_QPSK;
    for (int i = 1; i < ENTRIES; i++)
        if (strcmp(entries[i].name, tidy) == 0)
            return (clradio_modulation)i;
    return CLRADIO_MODULATION_NONE;
}

void clr_modulation_axes(clradio_modulation modulation, uint32_t *real_points,
                         uint32_t *imaginary_points)
{
    *real_points = entry_of(modulation)->real_points;
    *imaginary_points = entry_of(modulation)->imaginary_points;
}

double clr_modulation_scale(clradio_modulation modulation, int odd_integer)
{
    const double p = entry_of(modulation)->real_points, q = entry_of(modulation)->imaginary_points;
    if (odd_integer)
        return modulation == CLRADIO_BPSK ? sqrt(2) : 1;
    return 1 / sqrt((p * p - 1 + q * q - 1) / 3);
}

/*
 * The clause's (1 - 2 c0)(P/2 - (1 - 2 c1)(P/4 - ...)) is a Gray code over the points from the
 * largest down, with all bits but the first inverted.
 */
uint32_t clr_axis_label(uint32_t points, uint32_t index)
{
    const uint32_t down = points - 1 - index;
    return points < 2 ? 0 : (down ^ (down >> 1)) ^ (points / 2 - 1);
}

uint32_t clr_axis_index(uint32_t points, uint32_t label)
{
    for (uint32_t index = 0; index < points; index++)
        if (clr_axis_label(points, index) == label)
            return index;
    return 0;
}

void clr_modulation_split(clradio_modulation modulation, uint32_t label, uint32_t *real_index,
                          uint32_t *imaginary_index)
{
    const modulation_entry *entry = entry_of(modulation);
    uint32_t real_label = label, imaginary_label = 0;
    if (entry->imaginary_points > 1) {
        real_label = 0;
        for (uint32_t bit = entry->bits; bit > 0; bit -= 2) {
            real_label = real_label << 1 | (label >> (bit - 1) & 1);
            imaginary_label = imaginary_label << 1 | (label >> (bit - 2) & 1);
        }
    }
    *real_index = clr_axis_index(entry->real_points, real_label);
    *imaginary_index = clr_axis_index(entry->imaginary_points, imaginary_label);
}

uint32_t clr_modulation_join(clradio_modulation modulation, uint32_t real_index,
                             uint32_t imaginary_index)
{
    const modulation_entry *entry = entry_of(modulation);
    const uint32_t real_label = clr_axis_label(entry->real_points, real_index);
    const uint32_t imaginary_label = clr_axis_label(entry->imaginary_points, imaginary_index);
    uint32_t label = 0;
    if (entry->imaginary_points < 2)
        return real_label;
    for (uint32_t bit = entry->bits / 2; bit-- > 0;)
        label = label << 2 | (real_label >> bit & 1) << 1 | (imaginary_label >> bit & 1);
    return label;
}

clradio_status clradio_modulation_point(clradio_modulation modulation, uint32_t label,
                                        int odd_integer, double point[2])
{
    const modulation_entry *entry = entry_of(modulation);
    uint32_t real_index, imaginary_index;
    if (!point)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "point is NULL");
    if (!entry->bits)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "modulation %d has no points of its own",
                        (int)modulation);
    if (label >> entry->bits)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "label %u: %s has %u points", label, entry->name,
                        1u << entry->bits);
    clr_modulation_split(modulation, label, &real_index, &imaginary_index);
    const double scale = clr_modulation_scale(modulation, odd_integer);
    point[0] = (2.0 * real_index + 1 - entry->real_points) * scale;
    point[1] = (2.0 * imaginary_index + 1 - entry->imaginary_points) * scale;
    if (modulation == CLRADIO_BPSK)
        point[0] = point[1] = point[0] / sqrt(2);
    return CLRADIO_OK;
}
