/*
 * The sums of real files: $CLRADIO_DATA/voltages/expected.json, exact integers made with an
 * independent decoder. Skipped where CLRADIO_DATA is not set. The numbers that stand here come from
 * that file or from the headers of the samples.
 */
#include "voltage_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_JANSSON
#include <jansson.h>

static json_t *expected_of(const char *name)
{
    const char *path = data_file("expected.json");
    json_error_t error;
    json_t *all = path ? json_load_file(path, 0, &error) : NULL;
    json_t *one = all ? json_deep_copy(json_object_get(all, name)) : NULL;
    json_decref(all);
    return one;
}

/* Integer sums over times and channels [first, end) of x_i conj(x_j), in [i][j][re, im]. */
static int64_t *sums(clr_source *source, uint64_t samples, uint32_t first, uint32_t end)
{
    const clr_source_info *info = clr_source_get_info(source);
    size_t n = info->inputs;
    int8_t *x = malloc((size_t)samples * info->channels * n * 2);
    assert_ok(clr_source_read(source, 0, samples, 1, x, NULL));
    int64_t *v = calloc(n * n * 2, sizeof *v);
    for (size_t t = 0; t < samples; t++)
        for (size_t c = first; c < end; c++)
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    const int8_t *row = x + (t * info->channels + c) * n * 2;
                    int64_t a = row[2 * i], b = row[2 * i + 1], e = row[2 * j], f = row[2 * j + 1];
                    v[(i * n + j) * 2] += a * e + b * f;
                    v[(i * n + j) * 2 + 1] += b * e - a * f;
                }
    free(x);
    return v;
}

static int64_t at(const json_t *array, size_t i)
{
    return json_integer_value(json_array_get(array, i));
}

static clr_source *open_sample(const char *name, json_t **expected)
{
    clr_source *source;
    *expected = expected_of(name);
    if (!*expected)
        skip();
    assert_ok(clr_source_open(data_file(name), NULL, &source));
    return source;
}

/* A complex matrix of the file under key, or a real one. */
static void assert_matrix(clr_source *source, uint64_t samples, const json_t *matrix)
{
    size_t n = clr_source_get_info(source)->inputs;
    int64_t *v = sums(source, samples, 0, clr_source_get_info(source)->channels);
    assert_int_equal(json_array_size(matrix), n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const json_t *element = json_array_get(json_array_get(matrix, i), j);
            int real = json_is_integer(element);
            assert_int_equal(v[(i * n + j) * 2],
                             real ? json_integer_value(element) : at(element, 0));
            assert_int_equal(v[(i * n + j) * 2 + 1], real ? 0 : at(element, 1));
        }
    free(v);
}

static void vdif_of_eight_threads(void **state)
{
    (void)state;
    json_t *expected;
    clr_source *source = open_sample("sample.vdif", &expected);
    const clr_source_info *info = clr_source_get_info(source);
    char text[40];
    assert_int_equal(info->samples, json_integer_value(json_object_get(expected, "nsamp")));
    assert_true(info->sample_rate_hz == 32e6);
    assert_string_equal(clr_time_text(info->start, text), "2014-06-16T05:56:07.000000000");
    assert_matrix(source, info->samples, json_object_get(expected, "R_ij=sum x_i x_j"));
    clr_source_close(source);
    json_decref(expected);
}

/* Seconds of the epoch of 2000 hold four leap seconds; frame 308109 of 390625 is 0.78875904 s. */
static void vdif_of_a_channelised_telescope(void **state)
{
    (void)state;
    json_t *expected;
    clr_source *source = open_sample("sample_arochime.vdif", &expected);
    clr_source_close(source);
    clr_source_options options = { .sample_rate_hz = 390625 };
    assert_ok(clr_source_open(data_file("sample_arochime.vdif"), &options, &source));
    const clr_source_info *info = clr_source_get_info(source);
    char text[40];
    assert_string_equal(clr_time_text(info->start, text), "2016-04-22T08:45:31.788759040");
    assert_int_equal(info->stations, 1);
    assert_int_equal(info->polarisations, 2);
    assert_int_equal(info->channels, 1024);
    json_t *total = json_object_get(expected, "sum_over_chan");
    json_t *eight = json_object_get(expected, "chan0..7");
    for (uint32_t c = 0; c <= 8; c++) {
        int64_t *v = sums(source, 5, c < 8 ? c : 0, c < 8 ? c + 1 : 1024);
        json_t *xx = json_object_get(c < 8 ? eight : total, "XX");
        json_t *yy = json_object_get(c < 8 ? eight : total, "YY");
        json_t *xy = json_object_get(c < 8 ? eight : total, "XY");
        assert_int_equal(v[0], c < 8 ? at(xx, c) : json_integer_value(xx));
        assert_int_equal(v[6], c < 8 ? at(yy, c) : json_integer_value(yy));
        const json_t *cross = c < 8 ? json_array_get(xy, c) : xy;
        assert_int_equal(v[2], at(cross, 0));
        assert_int_equal(v[3], at(cross, 1));
        free(v);
    }
    clr_source_close(source);
    json_decref(expected);
}

/* 6400000000 bytes at 64 MB/s after 01:37:40. */
static void dada_of_two_polarisations(void **state)
{
    (void)state;
    json_t *expected;
    clr_source *source = open_sample("sample.dada", &expected);
    const clr_source_info *info = clr_source_get_info(source);
    char text[40];
    assert_int_equal(info->samples, 16000);
    assert_true(info->sample_rate_hz == 16e6 && info->frequency_hz == 320e6);
    assert_string_equal(clr_time_text(info->start, text), "2013-07-02T01:39:20.000000000");
    assert_matrix(source, 16000, json_object_get(expected, "V_ij=sum x_i conj(x_j)"));
    clr_source_close(source);
    json_decref(expected);
}

/* Two time tags, 1003520 ticks apart: 196 MHz x 512 / 1003520 = 100 kHz. 29 frames of 40 are there.
 */
static void tbn_of_ten_stands(void **state)
{
    (void)state;
    json_t *expected;
    clr_source *source = open_sample("tbn-test.dat", &expected);
    const clr_source_info *info = clr_source_get_info(source);
    assert_int_equal(info->inputs, 20);
    assert_int_equal(info->samples, 1024);
    assert_int_equal(info->samples_present, 29 * 512);
    assert_true(info->sample_rate_hz == 100000);
    assert_matrix(source, 512,
                  json_object_get(expected, "V_ij=sum_512 x_i conj(x_j) at first timetag"));
    clr_source_close(source);
    json_decref(expected);
}

#else
static void sums_need_jansson(void **state)
{
    (void)state;
    skip();
}
#endif

static void vdif_whose_threads_disagree_is_refused(void **state)
{
    (void)state;
    const char *path = data_file("sample_vlbi.vdif");
    if (!path)
        skip();
    clr_source *source;
    assert_int_equal(clr_source_open(path, NULL, &source), CLRADIO_ERROR_FORMAT);
    assert_non_null(strstr(clradio_last_error(), "disagree"));
}

/* 1 bit is -1 or 1: each of 2 x 4000 times of 16 channels has the square 1. */
static void vdif_of_one_bit(void **state)
{
    (void)state;
    const char *path = data_file("sample_bps1.vdif");
    if (!path)
        skip();
    clr_source *source;
    assert_ok(clr_source_open(path, NULL, &source));
    const clr_source_info *info = clr_source_get_info(source);
    assert_int_equal(info->samples, 8000);
    assert_int_equal(info->channels, 16);
    assert_string_equal(info->input[0].station, "wz");
    int8_t *read = malloc(8000 * 16);
    assert_ok(clr_source_read(source, 0, 8000, 0, read, NULL));
    for (size_t i = 0; i < 8000 * 16; i++)
        assert_int_equal(read[i] * read[i], 1);
    free(read);
    clr_source_close(source);
}

static void formats_of_others_are_refused_with_a_sentence(void **state)
{
    (void)state;
    static const char *const names[][2] = { { "tbf-test.dat", "LWA TBF data" },
                                            { "sample_puppi.raw", "GUPPI RAW data" },
                                            { "sample_blc.raw", "GUPPI RAW data" } };
    for (size_t i = 0; i < 3; i++) {
        const char *path = data_file(names[i][0]);
        if (!path)
            skip();
        clr_source *source;
        assert_int_equal(clr_source_open(path, NULL, &source), CLRADIO_ERROR_FORMAT);
        assert_non_null(strstr(clradio_last_error(), names[i][1]));
        assert_non_null(strstr(clradio_last_error(), "VDIF, DADA or TBN"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if HAVE_JANSSON
        cmocka_unit_test(vdif_of_eight_threads),
        cmocka_unit_test(vdif_of_a_channelised_telescope),
        cmocka_unit_test(dada_of_two_polarisations),
        cmocka_unit_test(tbn_of_ten_stands),
#else
        cmocka_unit_test(sums_need_jansson),
#endif
        cmocka_unit_test(vdif_whose_threads_disagree_is_refused),
        cmocka_unit_test(vdif_of_one_bit),
        cmocka_unit_test(formats_of_others_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests_name("readers_data", tests, NULL, NULL);
}
