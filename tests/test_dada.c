/*
 * DADA headers as they are found: long ones, keywords inside words and comments, wrong sizes, start
 * times from offsets and from days with 28 digits, parts, floats that are no numbers.
 */
#include "voltage_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[4200];

/* A file of that header text in header_bytes and n bytes 0, 1, 2, ... behind it. */
static void store(const char *name, const char *text, size_t header_bytes, size_t n)
{
    unsigned char *bytes = calloc(1, header_bytes + n + 1);
    memcpy(bytes, text, strlen(text));
    for (size_t i = 0; i < n; i++)
        bytes[header_bytes + i] = (unsigned char)i;
    snprintf(path, sizeof path, "%s/%s", group_folder, name);
    store_file(path, bytes, header_bytes + n);
    free(bytes);
}

#define SHAPE "NBIT 8\nNDIM 2\nNPOL 2\nNCHAN 1\nTSAMP 0.0625\n"

static clr_source *open_it(void)
{
    clr_source *source;
    assert_ok(clr_source_open(path, NULL, &source));
    return source;
}

static void assert_start(const char *expected)
{
    char text[40];
    clr_source *source = open_it();
    assert_int_equal(clr_source_get_info(source)->start_known, expected != NULL);
    if (expected)
        assert_string_equal(clr_time_text(clr_source_get_info(source)->start, text), expected);
    clr_source_close(source);
}

/* 64 MB/s: 6400000000 bytes are 100 s; 1 byte is 15.625 ns. */
static void the_start_is_exact(void **state)
{
    (void)state;
    store("utc", "HEADER DADA\n" SHAPE "UTC_START 2013-07-02-01:37:40\nOBS_OFFSET 6400000000\n",
          4096, 64);
    assert_start("2013-07-02T01:39:20.000000000");
    store("byte", "HEADER DADA\n" SHAPE "UTC_START 2013-07-02-01:37:40.5\nOBS_OFFSET 64\n", 4096,
          64);
    assert_start("2013-07-02T01:37:40.500001000");
    store("mjd", "HEADER DADA\n" SHAPE "MJD_START 56475.0678240740740740740739736849\n", 4096, 64);
    assert_start("2013-07-02T01:37:40.000000000");
    /* 2^61 bytes are 36028797018.963968 s, 1141 years: whole seconds and the rest stay exact. */
    store("far",
          "HEADER DADA\n" SHAPE "UTC_START 2020-01-01-00:00:00\nOBS_OFFSET 2305843009213693952\n",
          4096, 64);
    assert_start("3161-09-15T23:10:18.963968000");
    store("unset", "HEADER DADA\n" SHAPE "UTC_START unset\n", 4096, 64);
    assert_start(NULL);
    store("pico", "HEADER DADA\n" SHAPE "UTC_START 2020-01-01-00:00:00\nPICOSECONDS 250000000000\n",
          4096, 64);
    assert_start("2020-01-01T00:00:00.250000000");
}

static void the_header_may_be_long_or_short(void **state)
{
    (void)state;
    static const size_t sizes[] = { 512, 4096, 8192, 1 << 20 };
    for (size_t i = 0; i < 4; i++) {
        char text[512];
        snprintf(text, sizeof text, "HEADER DADA\nHDR_SIZE %zu\n" SHAPE, sizes[i]);
        store("long", text, sizes[i], 64);
        clr_source *source = open_it();
        signed char read[64];
        assert_int_equal(clr_source_get_info(source)->samples, 16);
        assert_ok(clr_source_read(source, 0, 16, 0, read, NULL));
        for (int k = 0; k < 64; k++)
            assert_int_equal(read[k], k);
        clr_source_close(source);
    }
    clr_source *source;
    store("lie", "HEADER DADA\nHDR_SIZE 1000000\n" SHAPE, 4096, 64);
    assert_int_equal(clr_source_open(path, NULL, &source), CLRADIO_ERROR_FORMAT);
    assert_non_null(strstr(clradio_last_error(), "HDR_SIZE"));
}

static void keywords_begin_lines(void **state)
{
    (void)state;
    store(
        "words",
        "HEADER DADA\n# NBIT 99 in a comment\nMY_NBIT 77\nNBITS 55\nNOTE a NBIT 33 in a value\n"
        "  NBIT\t8 # bits\nNDIM 2\r\nNPOL 2\nNCHAN 1\nSOURCE J0437 # NCHAN 5\nFREQ 1e3\nBW -1.6E1\n"
        "TSAMP 0.0625",
        4096, 64);
    clr_source *source = open_it();
    const clr_source_info *info = clr_source_get_info(source);
    assert_int_equal(info->bits, 8);
    assert_int_equal(info->channels, 1);
    assert_string_equal(info->object, "J0437");
    assert_true(info->frequency_hz == 1e9 && info->reversed && info->sample_rate_hz == 16e6);
    clr_source_close(source);
}

static void open_sized(const char *file_size, size_t n, uint64_t samples, uint64_t lost)
{
    char text[512];
    snprintf(text, sizeof text, "HEADER DADA\n" SHAPE "FILE_SIZE %s\n", file_size);
    store("size", text, 4096, n);
    clr_source *source = open_it();
    assert_int_equal(clr_source_get_info(source)->samples, samples);
    assert_int_equal(clr_source_get_info(source)->bytes_lost, lost);
    clr_source_close(source);
    clr_source_options strict = { .strict = 1 };
    clradio_status status = clr_source_open(path, &strict, &source);
    assert_int_equal(status, lost || strtoull(file_size, NULL, 10) > 4096 + n ? CLRADIO_ERROR_FORMAT
                                                                              : CLRADIO_OK);
    if (!status)
        clr_source_close(source);
}

/* 4 bytes a sample. */
static void a_wrong_file_size_loses_no_samples(void **state)
{
    (void)state;
    open_sized("64", 64, 16, 0);
    open_sized("4160", 64, 16, 0); /* with the header */
    open_sized("999999999", 64, 16, 0);
    open_sized("unset", 64, 16, 0);
    open_sized("64", 164, 16, 100); /* junk behind */
    open_sized("64", 63, 15, 3);    /* cut inside a sample */
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "HEADER DADA\nNDIM 2\n",
        "HEADER DADA\nNBIT 0\n",
        "HEADER DADA\nNBIT 4\n",
        "HEADER DADA\nNBIT eight\n",
        "HEADER DADA\nNBIT 8\nNDIM 3\n",
        "HEADER DADA\nNBIT 8\nNPOL 0\n",
        "HEADER DADA\nNBIT 8\nNCHAN 18446744073709551615\n",
        "HEADER DADA\nNBIT 8\nNCHAN -1\n",
        "HEADER DADA\nNBIT 8\nNCHAN 1000\n",
        "HEADER DADA\nNBIT 8\nNPOL 2\nORDER FTP\n",
        "HEADER DADA\nNBIT 16\nENDIAN BIG\n",
        "HEADER DADA\nNBIT 8\nTSAMP fast\n",
        "HEADER DADA\nNBIT 8\nOBS_OFFSET 9999999999999999999\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        store("bad", bad[i], 4096, 64);
        clr_source *source;
        clradio_status status = clr_source_open(path, NULL, &source);
        assert_true(status == CLRADIO_ERROR_FORMAT || status == CLRADIO_ERROR_UNSUPPORTED);
        assert_true(strlen(clradio_last_error()) > 10);
    }
}

/* Part 2 begins 20 samples after part 1 (16 samples long): 4 are missing. */
static void parts_are_placed_by_their_starts(void **state)
{
    (void)state;
    char list[9000], first[4200];
    const char *text = "HEADER DADA\n" SHAPE "UTC_START 2013-07-02-01:37:40\nOBS_OFFSET %d\n";
    char header[512];
    snprintf(header, sizeof header, text, 0);
    store("part0", header, 4096, 64);
    snprintf(first, sizeof first, "%s", path);
    snprintf(header, sizeof header, text, 80);
    store("part1", header, 4096, 64);
    snprintf(list, sizeof list, "%s,%s", first, path);
    clr_source *source;
    assert_ok(clr_source_open(list, NULL, &source));
    const clr_source_info *info = clr_source_get_info(source);
    assert_int_equal(info->samples, 36);
    assert_int_equal(info->samples_present, 64);
    signed char read[36 * 4];
    uint64_t present[2];
    assert_ok(clr_source_read(source, 0, 36, 0, read, present));
    assert_true(present[0] == 0xffff0ffffull && present[1] == present[0]);
    for (int k = 0; k < 64; k++) {
        assert_int_equal(read[k], k);
        assert_int_equal(read[80 + k], k);
    }
    for (int k = 64; k < 80; k++)
        assert_int_equal(read[k], 0);
    clr_source_close(source);
    snprintf(list, sizeof list, "%s,%s", path, first); /* the wrong way round */
    assert_int_equal(clr_source_open(list, NULL, &source), CLRADIO_ERROR_FORMAT);
    snprintf(header, sizeof header, text, 40); /* into the first part */
    store("part1", header, 4096, 64);
    snprintf(list, sizeof list, "%s,%s", first, path);
    assert_int_equal(clr_source_open(list, NULL, &source), CLRADIO_ERROR_FORMAT);
    /* A header that says that 6 samples are repeated may do so: 10 + 16 samples. */
    snprintf(header, sizeof header,
             "HEADER DADA\n" SHAPE "UTC_START 2013-07-02-01:37:40\n"
             "OBS_OFFSET 40\nOBS_OVERLAP 24\n");
    store("part1", header, 4096, 64);
    assert_ok(clr_source_open(list, NULL, &source));
    assert_int_equal(clr_source_get_info(source)->samples, 26);
    assert_int_equal(clr_source_get_info(source)->samples_present, 52);
    assert_ok(clr_source_read(source, 0, 26, 0, read, present));
    for (int k = 64; k < 104; k++)
        assert_int_equal(read[k], k - 40);
    clr_source_close(source);
}

static void floats_that_are_no_numbers_are_missing(void **state)
{
    (void)state;
    float values[4][2][2] = { { { 1, 2 }, { 3, 4 } },
                              { { NAN, 6 }, { 7, 8 } },
                              { { 9, 10 }, { 11, INFINITY } },
                              { { 13, 14 }, { 15, 16 } } };
    clr_dada_writer *writer;
    snprintf(path, sizeof path, "%s/float", group_folder);
    clr_dada_writer_config config = { .path = path,
                                      .sample_rate_hz = 1e6,
                                      .start = { 60000, 0, 0 },
                                      .channels = 1,
                                      .polarisations = 2,
                                      .bits = 32,
                                      .complex_samples = 1 };
    assert_ok(clr_dada_writer_open(&config, &writer));
    assert_ok(clr_dada_writer_write(writer, values, 4));
    assert_ok(clr_dada_writer_close(writer));
    float read[4][2][2];
    uint64_t present[2];
    clr_source *source = open_it();
    assert_ok(clr_source_read(source, 0, 4, 0, read, present));
    values[1][0][0] = values[1][0][1] = values[2][1][0] = values[2][1][1] = 0;
    assert_memory_equal(read, values, sizeof read);
    assert_true(present[0] == 13 && present[1] == 11);
    clr_source_close(source);
}

/* [time][polarisation][channel] comes out as [time][channel][polarisation]; real samples. */
static void the_other_order_is_turned(void **state)
{
    (void)state;
    store("tpf", "HEADER DADA\nNBIT 8\nNDIM 1\nNPOL 2\nNCHAN 3\nORDER TPF\n", 4096, 120);
    clr_source *source = open_it();
    signed char read[120];
    assert_ok(clr_source_read(source, 0, 20, 0, read, NULL));
    for (int t = 0; t < 20; t++)
        for (int c = 0; c < 3; c++)
            for (int p = 0; p < 2; p++)
                assert_int_equal(read[t * 6 + c * 2 + p], t * 6 + p * 3 + c);
    clr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_is_exact),
        cmocka_unit_test(the_header_may_be_long_or_short),
        cmocka_unit_test(keywords_begin_lines),
        cmocka_unit_test(a_wrong_file_size_loses_no_samples),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(parts_are_placed_by_their_starts),
        cmocka_unit_test(floats_that_are_no_numbers_are_missing),
        cmocka_unit_test(the_other_order_is_turned),
    };
    return cmocka_run_group_tests_name("dada", tests, make_group_folder, remove_group_folder);
}
