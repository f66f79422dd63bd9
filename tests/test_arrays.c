/*
 * Array files: what is written in any format, in any pieces, is read again in any pieces, with its
 * shape, names and values.
 */
#include "support.h"

#include "io/arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[4200];
static clr_arrays_writer *writer_under_test;

typedef struct format {
    const char *name, *suffix;
    int present, several, names_axes;
} format;
static const format formats[] = {
    { "npy", ".npy", 1, 0, 0 },          { "npz", ".npz", HAVE_ZLIB, 1, 0 },
    { "hdf5", ".h5", HAVE_HDF5, 1, 1 },  { "mat7.3", ".mat", HAVE_HDF5, 1, 1 },
    { "mat", ".mat", HAVE_MATIO, 1, 0 },
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const clr_element elements[] = { CLR_ELEMENT_I8,  CLR_ELEMENT_I16,  CLR_ELEMENT_I32,
                                        CLR_ELEMENT_I64, CLR_ELEMENT_U8,   CLR_ELEMENT_U16,
                                        CLR_ELEMENT_U32, CLR_ELEMENT_U64,  CLR_ELEMENT_F32,
                                        CLR_ELEMENT_F64, CLR_ELEMENT_CF32, CLR_ELEMENT_CF64 };
enum { ELEMENTS = sizeof elements / sizeof *elements };

static void store_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/* Element e of the test's arrays: whole numbers that every type holds, re and im. */
static void value_of(clr_element element, uint64_t e, double value[2])
{
    int negative = element != CLR_ELEMENT_U8 && element != CLR_ELEMENT_U16 &&
                   element != CLR_ELEMENT_U32 && element != CLR_ELEMENT_U64;
    value[0] = (double)(e * 37 % 101) - (negative ? 50 : 0);
    value[1] = clr_element_is_complex(element) ? (double)(e * 53 % 89) - 44 : 0;
}

static void put_value(void *to, clr_element element, uint64_t e)
{
    double value[2];
    value_of(element, e, value);
    switch (element) {
    case CLR_ELEMENT_I8: ((int8_t *)to)[e] = (int8_t)value[0]; break;
    case CLR_ELEMENT_U8: ((uint8_t *)to)[e] = (uint8_t)value[0]; break;
    case CLR_ELEMENT_I16: ((int16_t *)to)[e] = (int16_t)value[0]; break;
    case CLR_ELEMENT_U16: ((uint16_t *)to)[e] = (uint16_t)value[0]; break;
    case CLR_ELEMENT_I32: ((int32_t *)to)[e] = (int32_t)value[0]; break;
    case CLR_ELEMENT_U32: ((uint32_t *)to)[e] = (uint32_t)value[0]; break;
    case CLR_ELEMENT_I64: ((int64_t *)to)[e] = (int64_t)value[0]; break;
    case CLR_ELEMENT_U64: ((uint64_t *)to)[e] = (uint64_t)value[0]; break;
    case CLR_ELEMENT_F32: ((float *)to)[e] = (float)value[0]; break;
    case CLR_ELEMENT_F64: ((double *)to)[e] = value[0]; break;
    case CLR_ELEMENT_CF32:
        ((float *)to)[2 * e] = (float)value[0];
        ((float *)to)[2 * e + 1] = (float)value[1];
        break;
    default:
        ((double *)to)[2 * e] = value[0];
        ((double *)to)[2 * e + 1] = value[1];
        break;
    }
}

static uint64_t count_of(const clr_arrays_layout *layout)
{
    uint64_t count = 1;
    for (unsigned k = 0; k < layout->rank; k++)
        count *= layout->size[k];
    return count;
}

/* Writes the array in pieces of random length. */
static void write_array(clr_arrays_writer *writer, const clr_arrays_layout *layout, uint64_t *seed)
{
    uint64_t count = count_of(layout);
    size_t bytes = clr_element_bytes(layout->element);
    char *values = malloc(count * bytes + 1);
    for (uint64_t e = 0; e < count; e++)
        put_value(values, layout->element, e);
    assert_ok(clr_arrays_begin(writer, layout));
    for (uint64_t done = 0; done < count;) {
        uint64_t n = (uint64_t)test_random_between(seed, 1, (int64_t)(count - done));
        assert_ok(clr_arrays_append(writer, values + done * bytes, n));
        done += n;
    }
    free(values);
}

/* Rows [first, first + rows) must have the values that were written, as complex and as they are. */
static void check_rows(clr_arrays_file *file, size_t index, const clr_arrays_layout *layout,
                       uint64_t first, uint64_t rows)
{
    uint64_t all = layout->rank ? layout->size[0] : 1, count = count_of(layout);
    uint64_t row = all ? count / all : 0;
    double *got = malloc((rows * row + 1) * 16);
    memset(got, 0x55, (rows * row + 1) * 16);
    assert_ok(clr_arrays_read(file, index, first, rows, CLR_ELEMENT_CF64, got));
    for (uint64_t e = 0; e < rows * row; e++) {
        double value[2];
        value_of(layout->element, first * row + e, value);
        if (got[2 * e] != value[0] || got[2 * e + 1] != value[1])
            fail_msg("%s: element %llu of rank %u is %g %g, not %g %g", path,
                     (unsigned long long)(first * row + e), layout->rank, got[2 * e],
                     got[2 * e + 1], value[0], value[1]);
    }
    unsigned char poison[16];
    memset(poison, 0x55, 16);
    assert_memory_equal(got + 2 * rows * row, poison, 16);
    if (!clr_element_is_complex(layout->element)) {
        int64_t *whole = (int64_t *)(void *)got;
        assert_ok(clr_arrays_read(file, index, first, rows, CLR_ELEMENT_I64, whole));
        for (uint64_t e = 0; e < rows * row; e++) {
            double value[2];
            value_of(layout->element, first * row + e, value);
            assert_int_equal(whole[e], (int64_t)value[0]);
        }
    }
    free(got);
}

static void check_array(clr_arrays_file *file, const format *f, const clr_arrays_layout *layout,
                        uint64_t *seed)
{
    size_t index = 0;
    assert_true(!f->several || clr_arrays_find(file, layout->name, &index));
    const clr_arrays_info *info = clr_arrays_get(file, index);
    assert_non_null(info);
    assert_string_equal(clr_element_name(info->element), clr_element_name(layout->element));
    /* MATLAB has no fewer than two axes. */
    int matlab = !strncmp(f->name, "mat", 3) && layout->rank < 2;
    assert_int_equal(info->rank, matlab ? 2 : layout->rank);
    for (unsigned k = 0; k < info->rank; k++) {
        assert_int_equal(info->size[k], k < layout->rank ? layout->size[k] : 1);
        if (f->names_axes && k < layout->rank && !matlab)
            assert_string_equal(info->axis[k], layout->axis[k]);
    }
    uint64_t all = layout->rank ? layout->size[0] : 1;
    check_rows(file, index, layout, 0, all);
    for (int round = 0; round < 3; round++) {
        uint64_t first = (uint64_t)test_random_between(seed, 0, (int64_t)all);
        check_rows(file, index, layout, first,
                   (uint64_t)test_random_between(seed, 0, (int64_t)(all - first)));
    }
}

static void random_layout(clr_arrays_layout *layout, unsigned rank, int empty, uint64_t *seed)
{
    static const char *const axes[] = { "link", "path", "tap", "time", "subcarrier", "beam" };
    layout->element = elements[test_random(seed) % ELEMENTS];
    layout->rank = rank;
    for (unsigned k = 0; k < rank; k++) {
        layout->size[k] = (uint64_t)test_random_between(seed, 1, rank > 3 ? 6 : 30);
        layout->axis[k] = axes[k];
    }
    if (empty && rank)
        layout->size[test_random(seed) % rank] = 0;
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (size_t f = 0; f < FORMATS; f++) {
        if (!formats[f].present)
            continue;
        for (int round = 0; round < 120; round++) {
            clr_arrays_layout layouts[3] = { { .name = "gain" },
                                             { .name = "b" },
                                             { .name = "c_3" } };
            unsigned arrays = formats[f].several ? 3 : 1;
            clr_arrays_writer *writer;
            clr_arrays_file *file;
            snprintf(path, sizeof path, "%s/array%s", group_folder, formats[f].suffix);
            assert_ok(clr_arrays_create(path, formats[f].name, &writer));
            for (unsigned i = 0; i < arrays; i++) {
                /* MATLAB calls what has no elements empty and keeps no numbers of it. */
                int empty = round % 10 == 9 && strncmp(formats[f].name, "mat", 3) != 0;
                random_layout(&layouts[i], (unsigned)test_random_between(&seed, 0, 6), empty,
                              &seed);
                write_array(writer, &layouts[i], &seed);
            }
            assert_ok(clr_arrays_commit(writer));
            assert_ok(clr_arrays_open(path, &file));
            assert_string_equal(clr_arrays_format_name(file), formats[f].name);
            assert_int_equal(clr_arrays_count(file), arrays);
            assert_null(clr_arrays_get(file, arrays));
            for (unsigned i = 0; i < arrays; i++)
                check_array(file, &formats[f], &layouts[i], &seed);
            clr_arrays_close(file);
        }
    }
}

/* Larger than the pieces that readers and writers work in: rows that span many, and columns. */
static void large_arrays_are_written_and_read_in_pieces(void **state)
{
    (void)state;
    uint64_t seed = 12;
    static const uint64_t sizes[][3] = { { 3, 70000, 2 }, { 90000, 3, 2 }, { 61, 59, 97 } };
    for (size_t f = 0; f < FORMATS; f++)
        for (size_t s = 0; formats[f].present && s < 3; s++) {
            clr_arrays_layout layout = { .name = "a",
                                         .element = s == 1 ? CLR_ELEMENT_CF64 : CLR_ELEMENT_CF32,
                                         .rank = 3,
                                         .axis = { "x", "y", "z" } };
            memcpy(layout.size, sizes[s], sizeof sizes[s]);
            clr_arrays_writer *writer;
            clr_arrays_file *file;
            snprintf(path, sizeof path, "%s/large%s", group_folder, formats[f].suffix);
            assert_ok(clr_arrays_create(path, formats[f].name, &writer));
            write_array(writer, &layout, &seed);
            assert_ok(clr_arrays_commit(writer));
            assert_ok(clr_arrays_open(path, &file));
            check_array(file, &formats[f], &layout, &seed);
            clr_arrays_close(file);
        }
}

/* ---- what cannot be ---- */

static void names_that_cannot_be_and_unknown_suffixes_are_refused(void **state)
{
    (void)state;
    clr_arrays_writer *writer = NULL;
    snprintf(path, sizeof path, "%s/out.txt", group_folder);
    assert_int_equal(clr_arrays_create(path, NULL, &writer), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clr_arrays_create(path, "hdf", &writer), CLRADIO_ERROR_ARGUMENT);
    snprintf(path, sizeof path, "%s/nowhere/out.npy", group_folder);
    assert_int_equal(clr_arrays_create(path, NULL, &writer), CLRADIO_ERROR_IO);
    clr_arrays_layout layout = { .name = "a b", .element = CLR_ELEMENT_F32 };
    for (size_t f = 0; f < FORMATS; f++) {
        if (!formats[f].present)
            continue;
        snprintf(path, sizeof path, "%s/out%s", group_folder, formats[f].suffix);
        unlink(path);
        assert_ok(clr_arrays_create(path, formats[f].name, &writer));
        layout.name = "a b";
        assert_int_equal(clr_arrays_begin(writer, &layout), CLRADIO_ERROR_ARGUMENT);
        layout.name = "";
        assert_int_equal(clr_arrays_begin(writer, &layout), CLRADIO_ERROR_ARGUMENT);
        layout.name = "ok";
        assert_ok(clr_arrays_begin(writer, &layout));
        float two[2] = { 1, 2 };
        assert_int_equal(clr_arrays_append(writer, two, 2), CLRADIO_ERROR_STATE);
        assert_int_equal(clr_arrays_begin(writer, &layout), CLRADIO_ERROR_STATE); /* not whole */
        assert_int_equal(clr_arrays_commit(writer), CLRADIO_ERROR_STATE);
        assert_int_equal(access(path, F_OK), -1);
    }
}

/* Given with the first axis fastest: the same array comes back; HDF5 has its axes turned. */
static void fortran_order_is_written(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMATS; f++) {
        if (!formats[f].present)
            continue;
        clr_arrays_layout layout = { .name = "h",
                                     .element = CLR_ELEMENT_CF32,
                                     .rank = 3,
                                     .size = { 2, 3, 5 },
                                     .axis = { "rx", "tx", "carrier" },
                                     .fortran = 1 };
        clr_arrays_file *file;
        float values[60], got[60];
        for (int e = 0; e < 60; e++)
            values[e] = (float)e;
        snprintf(path, sizeof path, "%s/fortran%s", group_folder, formats[f].suffix);
        assert_ok(clr_arrays_create(path, formats[f].name, &writer_under_test));
        assert_ok(clr_arrays_begin(writer_under_test, &layout));
        assert_ok(clr_arrays_append(writer_under_test, values, 7));
        assert_ok(clr_arrays_append(writer_under_test, values + 14, 23));
        assert_ok(clr_arrays_commit(writer_under_test));
        assert_ok(clr_arrays_open(path, &file));
        const clr_arrays_info *info = clr_arrays_get(file, 0);
        int turned = !strcmp(formats[f].name, "hdf5");
        assert_int_equal(info->size[0], turned ? 5 : 2);
        assert_int_equal(info->size[2], turned ? 2 : 5);
        if (formats[f].names_axes)
            assert_string_equal(info->axis[0], turned ? "carrier" : "rx");
        assert_ok(clr_arrays_read(file, 0, 0, info->size[0], CLR_ELEMENT_CF32, got));
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 5; k++)
                    assert_true(got[2 * (turned ? (k * 3 + j) * 2 + i : (i * 3 + j) * 5 + k)] ==
                                2 * (i + 2 * (j + 3 * k)));
        clr_arrays_close(file);
    }
}

/* A file that is given up leaves the old one, and nothing beside it. */
static void an_abandoned_file_leaves_nothing(void **state)
{
    (void)state;
    char *folder = scratch_folder();
    for (size_t f = 0; f < FORMATS; f++) {
        if (!formats[f].present)
            continue;
        clr_arrays_writer *writer;
        snprintf(path, sizeof path, "%s/kept%s", folder, formats[f].suffix);
        store_bytes("old", 3);
        assert_ok(clr_arrays_create(path, formats[f].name, &writer));
        clr_arrays_layout layout = {
            .name = "a", .element = CLR_ELEMENT_F32, .rank = 1, .size = { 4 }
        };
        float values[4] = { 0 };
        assert_ok(clr_arrays_begin(writer, &layout));
        assert_ok(clr_arrays_append(writer, values, 3));
        clr_arrays_abandon(writer);
        struct stat about;
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_size, 3);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    free(folder);
}

/* For tests/test_arrays_python.sh: every array of one file into another, as it is. */
static int convert(const char *from, const char *to, const char *format)
{
    clr_arrays_file *file;
    clr_arrays_writer *writer;
    assert_ok(clr_arrays_open(from, &file));
    assert_ok(clr_arrays_create(to, format, &writer));
    for (size_t i = 0; i < clr_arrays_count(file); i++) {
        const clr_arrays_info *info = clr_arrays_get(file, i);
        clr_arrays_layout layout = { .name = *info->name ? info->name : "a", .rank = info->rank };
        const char *dot = strrchr(layout.name, '.'), *slash = strrchr(layout.name, '/');
        layout.name = dot ? dot + 1 : slash ? slash + 1 : layout.name;
        memcpy(layout.size, info->size, sizeof layout.size);
        for (unsigned k = 0; k < info->rank; k++)
            layout.axis[k] = info->axis[k];
        int pair = clr_element_is_complex(info->element);
        int real = info->element == CLR_ELEMENT_F64 || info->element == CLR_ELEMENT_F32 ||
                   info->element == CLR_ELEMENT_F16;
        layout.element = pair ? CLR_ELEMENT_CF64 : real ? CLR_ELEMENT_F64 : CLR_ELEMENT_I64;
        void *values;
        assert_ok(clr_arrays_read_all(file, i, layout.element, &values));
        assert_ok(clr_arrays_add(writer, &layout, values));
        free(values);
    }
    assert_ok(clr_arrays_commit(writer));
    clr_arrays_close(file);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return convert(argv[1], argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(large_arrays_are_written_and_read_in_pieces),
        cmocka_unit_test(names_that_cannot_be_and_unknown_suffixes_are_refused),
        cmocka_unit_test(fortran_order_is_written),
        cmocka_unit_test(an_abandoned_file_leaves_nothing),
    };
    return cmocka_run_group_tests_name("arrays", tests, make_group_folder, remove_group_folder);
}
