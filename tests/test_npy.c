/*
 * .npy files as NumPy and others write them: every version, byte order, order of axes and type, and
 * headers that cannot be.
 */
#include "support.h"

#include "io/arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[4200];

static void store_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static size_t npy(unsigned char *to, unsigned major, const char *header, const void *data, size_t n)
{
    size_t length = strlen(header), at = major == 1 ? 10 : 12;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)major;
    to[7] = 0;
    memset(to + 8, 0, 4);
    to[8] = (unsigned char)(length & 255);
    to[9] = (unsigned char)(length >> 8);
    memcpy(to + at, header, length);
    if (n)
        memcpy(to + at + length, data, n);
    return at + length + n;
}

static clradio_status open_npy(unsigned major, const char *header, const void *data, size_t n,
                               clr_arrays_file **file)
{
    static unsigned char bytes[70000];
    snprintf(path, sizeof path, "%s/foreign.npy", group_folder);
    store_bytes(bytes, npy(bytes, major, header, data, n));
    return clr_arrays_open(path, file);
}

/* Headers as NumPy and others write them, and what the last element is. */
static const struct {
    unsigned major;
    const char *header;
    const char *data;
    size_t n;
    double value[2]; /* of the last element */
} written[] = {
    { 1,
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n",
      "\1\0\xfe\xff",
      4,
      { -2, 0 } },
    { 2,
      "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }\n",
      "\0\1\xff\xfe",
      4,
      { -2, 0 } },
    { 3,
      "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 1), }",
      "\x40\x20\0\0",
      4,
      { 2.5, 0 } },
    { 1,
      "{'shape': (), 'fortran_order': True, 'descr': '<f8'}   \n",
      "\0\0\0\0\0\0\xf8\x3f",
      8,
      { 1.5, 0 } },
    { 1, "{\"descr\":\"|b1\",\"fortran_order\":False,\"shape\":(3L,)}", "\1\0\1", 3, { 1, 0 } },
    { 1,
      "{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}",
      "\x3f\x80\0\0\xc0\0\0\0",
      8,
      { 1, -2 } },
    { 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", "\0\0\0\xc1", 4, { -2.5, 0 } },
    { 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", "\1\0", 2, { 0x1p-24, 0 } },
    { 1,
      "{'descr': '<u4', 'fortran_order': False, 'shape': (1,)}",
      "\0\0\0\x80",
      4,
      { 2147483648.0, 0 } },
    { 1,
      "{'descr': '>i8', 'fortran_order': False, 'shape': (1,)}",
      "\xff\xff\xff\xff\xff\xff\xff\0",
      8,
      { -256, 0 } },
    { 1, "{'descr': '=i1', 'fortran_order': False, 'shape': (1,)}", "\x80", 1, { -128, 0 } },
};

static void headers_of_all_versions_orders_and_types_are_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        clr_arrays_file *file;
        double *values;
        assert_ok(
            open_npy(written[i].major, written[i].header, written[i].data, written[i].n, &file));
        assert_ok(clr_arrays_read_all(file, 0, CLR_ELEMENT_CF64, (void **)&values));
        uint64_t last = clr_arrays_get(file, 0)->count - 1;
        assert_true(values[2 * last] == written[i].value[0]);
        assert_true(values[2 * last + 1] == written[i].value[1]);
        free(values);
        clr_arrays_close(file);
    }
}

/* Column-major: element [i][j][k] of 2 x 3 x 4 lies at i + 2 (j + 3 k). */
static void fortran_order_is_turned(void **state)
{
    (void)state;
    int16_t data[24];
    for (int at = 0; at < 24; at++)
        data[at] = (int16_t)(at % 2 * 100 + at / 2 % 3 * 10 + at / 6);
    clr_arrays_file *file;
    int64_t values[24];
    assert_ok(open_npy(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4), }\n", data,
                       sizeof data, &file));
    assert_ok(clr_arrays_read(file, 0, 0, 2, CLR_ELEMENT_I64, values));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                assert_int_equal(values[(i * 3 + j) * 4 + k], i * 100 + j * 10 + k);
    assert_ok(clr_arrays_read(file, 0, 1, 1, CLR_ELEMENT_I64, values));
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 4; k++)
            assert_int_equal(values[j * 4 + k], 100 + j * 10 + k);
    clr_arrays_close(file);
}

static void wrong_headers_are_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        unsigned major;
        const char *header;
        clradio_status status;
        const char *says;
    } cases[] = {
        { 4, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", CLRADIO_ERROR_UNSUPPORTED,
          "version 4" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", CLRADIO_ERROR_FORMAT,
          "cut short" },
        { 1, "{'descr': '<f4', 'fortran_order': False}", CLRADIO_ERROR_FORMAT, "dictionary" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", CLRADIO_ERROR_FORMAT,
          "dictionary" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", CLRADIO_ERROR_FORMAT,
          "shape" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
          CLRADIO_ERROR_FORMAT, "counted" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0)}",
          CLRADIO_ERROR_FORMAT, "counted" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          CLRADIO_ERROR_FORMAT, "shape" },
        { 1,
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
          CLRADIO_ERROR_FORMAT, "16 axes" },
        { 1, "{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", CLRADIO_ERROR_UNSUPPORTED,
          "<f16" },
        { 1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", CLRADIO_ERROR_UNSUPPORTED,
          "|O" },
        { 1, "{'descr': [('re', '<f4')], 'fortran_order': False, 'shape': (1,)}",
          CLRADIO_ERROR_UNSUPPORTED, "structured" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clr_arrays_file *file;
        clradio_status status = open_npy(cases[i].major, cases[i].header, "\0\0\0\0", 4, &file);
        assert_int_equal(status, cases[i].status);
        assert_null(file);
        if (!strstr(clradio_last_error(), cases[i].says))
            fail_msg("'%s' does not say '%s'", clradio_last_error(), cases[i].says);
    }
}

static void conversions_that_lose_the_number_are_refused(void **state)
{
    (void)state;
    clr_arrays_file *file;
    double value[2];
    assert_ok(open_npy(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
                       "\0\0\0\0\0\0\0\0", 8, &file));
    assert_int_equal(clr_arrays_read(file, 0, 0, 1, CLR_ELEMENT_F64, value),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clr_arrays_read(file, 0, 1, 1, CLR_ELEMENT_CF64, value),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clr_arrays_read(file, 1, 0, 1, CLR_ELEMENT_CF64, value),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clr_arrays_read(file, 0, 0, UINT64_MAX, CLR_ELEMENT_CF64, value),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clr_arrays_read(file, 0, 0, 1, CLR_ELEMENT_I8, value), CLRADIO_ERROR_ARGUMENT);
    clr_arrays_close(file);
    static const struct {
        const char *descr, *data;
    } cases[] = { { "<u8", "\0\0\0\0\0\0\0\x80" },
                  { "<f8", "\0\0\0\0\0\0\xf8\x3f" },
                  { "<f8", "\0\0\0\0\0\0\xf8\x7f" },
                  { "<f8", "\0\0\0\0\0\0\xe0\x43" } };
    for (size_t i = 0; i < 4; i++) { /* 2^63, 1.5, NaN, 2^63 */
        char header[100];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,)}",
                 cases[i].descr);
        assert_ok(open_npy(1, header, cases[i].data, 8, &file));
        assert_int_equal(clr_arrays_read(file, 0, 0, 1, CLR_ELEMENT_I64, value),
                         CLRADIO_ERROR_OVERFLOW);
        clr_arrays_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_all_versions_orders_and_types_are_understood),
        cmocka_unit_test(fortran_order_is_turned),
        cmocka_unit_test(wrong_headers_are_refused_with_a_sentence),
        cmocka_unit_test(conversions_that_lose_the_number_are_refused),
    };
    return cmocka_run_group_tests_name("npy", tests, make_group_folder, remove_group_folder);
}
