/* Files of taps for the tests of their reader: gains and delays that say where they come from. */
#include "taps_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char taps_file[4200];
clr_arrays_writer *taps_writer;
const char *taps_suffix = ".npz";

void taps_add_gains(const char *name, unsigned rank, const uint64_t *size, const char *const *axis)
{
    clr_arrays_layout layout = { .name = name, .element = CLR_ELEMENT_CF32, .rank = rank };
    uint64_t count = 1;
    for (unsigned k = 0; k < rank; k++) {
        layout.size[k] = size[k];
        layout.axis[k] = axis ? axis[k] : NULL;
        count *= size[k];
    }
    float *values = malloc(count * 8 + 1);
    for (uint64_t e = 0; e < count; e++) {
        values[2 * e] = (float)e;
        values[2 * e + 1] = 0.5f;
    }
    assert_ok(clr_arrays_add(taps_writer, &layout, values));
    free(values);
}

void taps_add_delays(const char *name, unsigned rank, const uint64_t *size)
{
    clr_arrays_layout layout = { .name = name, .element = CLR_ELEMENT_F64, .rank = rank };
    uint64_t count = 1;
    for (unsigned k = 0; k < rank; k++)
        count *= layout.size[k] = size[k];
    double *values = malloc(count * 8 + 1);
    for (uint64_t e = 0; e < count; e++)
        values[e] = (double)e * 1e-9;
    assert_ok(clr_arrays_add(taps_writer, &layout, values));
    free(values);
}

void taps_add_offsets(const char *name, uint64_t n, const int64_t *values)
{
    clr_arrays_layout layout = {
        .name = name, .element = CLR_ELEMENT_I64, .rank = 1, .size = { n }
    };
    assert_ok(clr_arrays_add(taps_writer, &layout, values));
}

void taps_begin(void)
{
    snprintf(taps_file, sizeof taps_file, "%s/taps%s", group_folder, taps_suffix);
    assert_ok(clr_arrays_create(taps_file, NULL, &taps_writer));
}

clradio_status taps_read_back(const clr_taps_options *how, clr_taps *taps)
{
    static const clr_taps_options normal = { .absent_negative = -1 };
    char *paths[] = { taps_file };
    assert_ok(clr_arrays_commit(taps_writer));
    return clr_taps_read(paths, 1, how ? how : &normal, taps);
}

float taps_gain(const clr_taps *taps, uint64_t at)
{
    assert_true(at < taps->gain_count);
    assert_true(((float *)taps->gains)[2 * at + 1] == 0.5f);
    return ((float *)taps->gains)[2 * at];
}

void assert_taps_delay(const clr_taps *taps, uint64_t at, uint64_t element)
{
    assert_true(at < taps->delay_count);
    assert_true(taps->delays[at] == (double)element * 1e-9);
}

void assert_taps_axes(const clr_taps *taps, const char *axes)
{
    char text[400] = "";
    for (unsigned k = 0; k < taps->rank; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s=%llu", k ? " " : "",
                 taps->axis[k], (unsigned long long)taps->size[k]);
    assert_string_equal(text, axes);
}
