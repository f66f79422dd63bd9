/*
 * `clradio correlate` as a program: files of each format with known samples go in, and the sums,
 * the counts of what was there, and the UVH5 file must be what a few lines of C get from the same
 * samples. The command line's manners are tested in test_tool.sh.
 */
#include "support.h"

#include "base/file.h"
#include "io/uvh5_read.h"
#include "io/voltage_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char output[65536]; /* of the last run, both streams */

/* Runs the tool in the scratch folder; returns its exit code. */
static int tool(const char *arguments)
{
    const char *built = getenv("top_builddir");
    char line[8192];
    snprintf(line, sizeof line, "cd '%s' && '%s/clradio' %s > out 2>&1 < /dev/null", group_folder,
             built ? built : ".", arguments);
    int state = system(line);
    char path[4200];
    snprintf(path, sizeof path, "%s/out", group_folder);
    unsigned char *bytes;
    size_t count;
    assert_ok(clr_file_read(path, 1 << 20, &bytes, &count));
    snprintf(output, sizeof output, "%s", (char *)bytes);
    free(bytes);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void expect(int code, const char *arguments)
{
    int got = tool(arguments);
    if (got != code)
        fail_msg("clradio %s ended with %d, not %d:\n%s", arguments, got, code, output);
}

static const char *in_folder(const char *name)
{
    static char paths[4][4200];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", group_folder, name);
    return path;
}

/* The whole numbers of m.json behind a member's name, the n-th time that it stands there. */
static void read_numbers(const char *member, unsigned which, int64_t *to, size_t count)
{
    unsigned char *bytes;
    size_t length;
    assert_ok(clr_file_read(in_folder("m.json"), 1 << 24, &bytes, &length));
    const char *at = (char *)bytes;
    char name[64];
    snprintf(name, sizeof name, "\"%s\": ", member);
    for (unsigned i = 0; i <= which; i++) {
        at = strstr(at, name);
        assert_non_null(at);
        at += strlen(name);
    }
    for (size_t i = 0; i < count; i++) {
        at += strcspn(at, "-0123456789");
        assert_true(*at);
        char *end;
        to[i] = strtoll(at, &end, 10);
        assert_true(*end == ',' || *end == ']'); /* no fraction, no exponent */
        at = end;
    }
    free(bytes);
}

/* ---- samples and their sums ---- */

enum { MOST_INPUTS = 6 };

/* x[time][input][2]: sums over [first, first + count) of x_i conj(x_j). */
static void sum(const int16_t *x, unsigned inputs, size_t first, size_t count, int64_t *to)
{
    for (unsigned i = 0; i < inputs; i++) {
        for (unsigned j = 0; j < inputs; j++, to += 2) {
            to[0] = to[1] = 0;
            for (size_t t = first; t < first + count; t++) {
                const int16_t *a = x + (t * inputs + i) * 2, *b = x + (t * inputs + j) * 2;
                to[0] += (int64_t)a[0] * b[0] + (int64_t)a[1] * b[1];
                to[1] += (int64_t)a[1] * b[0] - (int64_t)a[0] * b[1];
            }
        }
    }
}

static int16_t *random_samples(uint64_t seed, unsigned inputs, size_t count, int64_t most)
{
    int16_t *x = malloc(count * inputs * 2 * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count * inputs * 2; i++)
        x[i] = (int16_t)test_random_between(&seed, -most - 1, most);
    return x;
}

static int8_t *narrow(const int16_t *x, size_t count)
{
    int8_t *bytes = malloc(count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (int8_t)x[i];
    return bytes;
}

static void check_matrix(unsigned which, unsigned inputs, const int64_t *expected)
{
    int64_t got[MOST_INPUTS * MOST_INPUTS * 2];
    read_numbers("matrix", which, got, (size_t)inputs * inputs * 2);
    for (size_t i = 0; i < (size_t)inputs * inputs * 2; i++)
        if (got[i] != expected[i])
            fail_msg("row %zu, column %zu: %lld is not %lld", i / 2 / inputs, i / 2 % inputs,
                     (long long)got[i], (long long)expected[i]);
}

/* A DADA file of one station with two polarisations, 1 kHz, from sample `offset` of x. */
static void write_dada(const char *name, const int16_t *x, unsigned inputs, unsigned first_input,
                       size_t offset, size_t count, unsigned bits, double start_fraction)
{
    clr_dada_writer_config config = { .path = in_folder(name),
                                      .sample_rate_hz = 1000,
                                      .start = { 58849, 100, start_fraction },
                                      .channels = 1,
                                      .polarisations = 2,
                                      .bits = bits,
                                      .complex_samples = 1,
                                      .frequency_mhz = 100,
                                      .bandwidth_mhz = 0.001,
                                      .offset_samples = offset };
    config.start = clr_time_add_samples(config.start, (int64_t)offset, 1000);
    clr_dada_writer *writer;
    assert_ok(clr_dada_writer_open(&config, &writer));
    for (size_t t = offset; t < offset + count; t++) {
        int16_t wide[4];
        memcpy(wide, x + (t * inputs + first_input) * 2, sizeof wide);
        int8_t *bytes = narrow(wide, 4);
        assert_ok(clr_dada_writer_write(writer, bits == 8 ? (void *)bytes : (void *)wide, 1));
        free(bytes);
    }
    assert_ok(clr_dada_writer_close(writer));
}

/* ---- the tests ---- */

/* TBN, 4 inputs, 3 frames of 512 samples each; the second frame of input 2 is cut out of the file.
 * Its samples count as missing in every pair with input 2, and add nothing. */
static void a_missing_tbn_frame_is_counted_and_adds_nothing(void **state)
{
    (void)state;
    enum { N = 4, T = 1536 };
    int16_t *x = random_samples(1, N, T, 127);
    int8_t *bytes = narrow(x, (size_t)N * T * 2);
    clr_tbn_writer_config config = { .path = in_folder("a.tbn"),
                                     .inputs = N,
                                     .tags_per_sample = 1960,
                                     .first_tag = 196000000ull * 1600000000ull,
                                     .tuning_word = 1u << 30 };
    clr_tbn_writer *writer;
    assert_ok(clr_tbn_writer_open(&config, &writer));
    assert_ok(clr_tbn_writer_write(writer, bytes, T));
    assert_ok(clr_tbn_writer_close(writer));
    free(bytes);
    unsigned char *file;
    size_t length, frame = 24 + 1024;
    assert_ok(clr_file_read(config.path, 1 << 20, &file, &length));
    assert_int_equal(length, 12 * frame);
    clr_new_file shorter;
    assert_ok(clr_new_file_begin(config.path, 0644, &shorter));
    for (size_t k = 0; k < 12; k++)
        if (k != 6) /* time 1, input 2: frames stand time by time */
            assert_int_equal(fwrite(file + k * frame, 1, frame, shorter.stream), frame);
    assert_ok(clr_new_file_commit(&shorter));
    free(file);
    for (size_t t = 512; t < 1024; t++)
        x[(t * N + 2) * 2] = x[(t * N + 2) * 2 + 1] = 0;
    int64_t expected[N * N * 2], present[N * N];
    sum(x, N, 0, T, expected);
    expect(0, "correlate a.tbn --channels 1 --matrix m.json --verify");
    check_matrix(0, N, expected);
    read_numbers("present", 0, present, (size_t)N * N);
    for (unsigned i = 0; i < N; i++)
        for (unsigned j = 0; j < N; j++)
            assert_int_equal(present[i * N + j], i == 2 || j == 2 ? 1024 : 1536);
    assert_non_null(strstr(output, "8.333 % lost")); /* 512 of 6144 */
    free(x);
}

/* A VDIF file of complex 8-bit samples at 100 kHz, an input a thread. */
static void write_vdif(const char *name, const int16_t *x, unsigned inputs, size_t samples,
                       unsigned frame)
{
    int8_t *bytes = narrow(x, inputs * samples * 2);
    clr_vdif_writer_config config = { .path = in_folder(name),
                                      .sample_rate_hz = 100000,
                                      .start = { 58849, 100, 0 },
                                      .threads = inputs,
                                      .channels = 1,
                                      .bits = 8,
                                      .complex_samples = 1,
                                      .edv = 1,
                                      .samples_per_frame = frame };
    clr_vdif_writer *writer;
    assert_ok(clr_vdif_writer_open(&config, &writer));
    assert_ok(clr_vdif_writer_write(writer, bytes, samples));
    assert_ok(clr_vdif_writer_close(writer));
    free(bytes);
}

#if HAVE_HDF5
#define WITH_A_FILE " -o a.uvh5"
#else
#define WITH_A_FILE ""
#endif

/* VDIF with three threads of complex 8-bit samples, the most negative code among them. */
static void vdif_threads_give_exact_sums_in_partial_integrations(void **state)
{
    (void)state;
    enum { N = 3, T = 1000 };
    int16_t *x = random_samples(2, N, T, 127);
    for (size_t t = 0; t < 300; t++)
        for (unsigned c = 0; c < 2; c++)
            x[(t * N + 1) * 2 + c] = -128;
    write_vdif("a.vdif", x, N, T, 100);
    /* 4 ms are 400 samples: 400, 400 and 200. */
    expect(0, "correlate a.vdif --channels 1 --integration 4ms --matrix m.json "
              "--inputs 0X,1X,2X --verify" WITH_A_FILE);
    int64_t expected[N * N * 2];
    for (unsigned k = 0; k < 3; k++) {
        sum(x, N, k * 400u, k < 2 ? 400 : 200, expected);
        check_matrix(k, N, expected);
    }
    free(x);
#if HAVE_HDF5
    clr_uvh5_reader *reader;
    assert_ok(clr_uvh5_open(in_folder("a.uvh5"), &reader));
    const clr_uvh5_info *info = clr_uvh5_get_info(reader);
    assert_int_equal(info->times, 3);
    assert_int_equal(info->type, CLRADIO_CI32); /* 2 x 128^2 x 400 = 1.3e7 */
    double nsamples, values[2];
    for (uint64_t row = 0; row < info->rows; row++) {
        assert_ok(clr_uvh5_read_row(reader, row, values, NULL, &nsamples));
        assert_true(nsamples == (row / 6 < 2 ? 1.0 : 0.5));
        assert_true(fabs(info->integration_time_s[row] - 0.004) < 1e-12);
        double middle = 2458849.5 + (100 + 0.004 * (double)(row / 6) + 0.002) / 86400;
        assert_true(fabs(info->julian_date[row] - middle) < 1e-9);
    }
    clr_uvh5_close(reader);
#endif
}

/* With a filter of 3 taps of 8 samples a missing frame of 100 samples takes every spectrum that
 * reaches into it. The counts are made here sample by sample. */
static void spectra_that_reach_over_a_gap_are_left_out(void **state)
{
    (void)state;
#if !HAVE_CLFFT && !HAVE_VKFFT
    skip();
#endif
    enum { N = 2, T = 1000, FRAME = 100, P = 8, TAPS = 3 };
    int16_t *x = random_samples(3, N, T, 100);
    write_vdif("g.vdif", x, N, T, FRAME);
    free(x);
    const char *path = in_folder("g.vdif");
    unsigned char *file;
    size_t length, frame = 32 + 2 * FRAME;
    assert_ok(clr_file_read(path, 1 << 20, &file, &length));
    assert_int_equal(length, 20 * frame);
    file[7 * frame + 3] |= 0x80; /* time 3, thread 1: the invalid bit of word 0 */
    clr_new_file marked;
    assert_ok(clr_new_file_begin(path, 0644, &marked));
    assert_int_equal(fwrite(file, 1, length, marked.stream), length);
    assert_ok(clr_new_file_commit(&marked));
    free(file);
    int64_t spectra = T / P - (TAPS - 1), whole = 0;
    for (int64_t s = 0; s < spectra; s++)
        whole += (s + TAPS) * P <= 3 * FRAME || s * P >= 4 * FRAME;
    expect(0, "correlate g.vdif --inputs 0X,1X --channels 8 --taps 3 --window hamming --verify "
              "--matrix m.json");
    int64_t present[N * N];
    read_numbers("present", 0, present, N * N);
    assert_int_equal(present[0], spectra);
    for (unsigned i = 1; i < N * N; i++)
        assert_int_equal(present[i], whole);
    assert_non_null(strstr(output, "verified"));
    /* The same in small batches: the filter's history crosses their ends. */
    expect(0, "correlate g.vdif --inputs 0X,1X --channels 8 --taps 3 --window hamming --verify "
              "--matrix m.json --integration 1ms --memory-limit 48K");
}

/* Two stations in DADA files, the second starts 100 samples later: the common time counts. */
static void files_are_aligned_by_their_time_stamps(void **state)
{
    (void)state;
    enum { N = 4, T = 600 };
    int16_t *x = random_samples(4, N, T, 127);
    int64_t expected[N * N * 2];
    write_dada("a.dada", x, N, 0, 0, 500, 8, 0);
    write_dada("b.dada", x, N, 2, 100, 500, 8, 0);
    expect(0, "correlate a.dada b.dada --channels 1 --matrix m.json --verify");
    sum(x, N, 100, 400, expected);
    check_matrix(0, N, expected);
    /* 16-bit samples beside 8-bit ones are the same numbers. */
    write_dada("b.dada", x, N, 2, 100, 500, 16, 0);
    expect(0, "correlate a.dada b.dada --channels 1 --matrix m.json --verify");
    check_matrix(0, N, expected);
    /* Consecutive parts: the same file in two. */
    write_dada("b0.dada", x, N, 2, 100, 200, 8, 0);
    write_dada("b1.dada", x, N, 2, 300, 300, 8, 0);
    expect(0, "correlate a.dada b0.dada,b1.dada --channels 1 --matrix m.json --verify");
    check_matrix(0, N, expected);
    /* A quarter of a sample cannot be aligned: said, or refused. */
    write_dada("q.dada", x, N, 2, 100, 500, 8, 0.00025);
    expect(0, "correlate a.dada q.dada --channels 1 --matrix m.json");
    assert_non_null(strstr(output, "0.250 of a sample off"));
    expect(4, "correlate a.dada q.dada --channels 1 --matrix m.json --strict");
    /* No time in common. */
    write_dada("c.dada", x, N, 2, 550, 50, 8, 0);
    expect(2, "correlate a.dada c.dada --channels 1 --matrix m.json");
    assert_non_null(strstr(output, "no time in common"));
    free(x);
}

/* 16-bit samples: 300 quiet ones, then the most negative code: 2 x 2^30 x 300 passes int32. */
static void an_overflow_keeps_the_integrations_before_it(void **state)
{
    (void)state;
#if HAVE_HDF5
    enum { N = 2, T = 600 };
    int16_t *x = random_samples(5, N, T, 50);
    for (size_t i = 300 * N * 2; i < (size_t)T * N * 2; i++)
        x[i] = -32768;
    write_dada("o.dada", x, N, 0, 0, T, 16, 0);
    expect(1, "correlate o.dada --channels 1 --integration 0.3 --output-type int32 -o o.uvh5");
    clr_uvh5_reader *reader;
    assert_ok(clr_uvh5_open(in_folder("o.uvh5"), &reader));
    assert_int_equal(clr_uvh5_get_info(reader)->times, 1);
    clr_uvh5_close(reader);
    /* By itself the tool takes float64, and the sums are exact: 2 x 2^30 x 300. */
    expect(0, "correlate o.dada --channels 1 --integration 0.3 -o o.uvh5 --matrix m.json --verify");
    int64_t expected[N * N * 2];
    for (unsigned k = 0; k < 2; k++) {
        sum(x, N, k * 300u, 300, expected);
        check_matrix(k, N, expected);
    }
    assert_ok(clr_uvh5_open(in_folder("o.uvh5"), &reader));
    assert_int_equal(clr_uvh5_get_info(reader)->type, CLRADIO_CF64);
    double values[8];
    assert_ok(clr_uvh5_read_row(reader, 1, values, NULL, NULL));
    assert_true(values[0] == 644245094400.0 && values[1] == 0);
    clr_uvh5_close(reader);
    /* The mean over what is there. */
    expect(0, "correlate o.dada --channels 1 --integration 0.3 -o o.uvh5 --normalise");
    assert_ok(clr_uvh5_open(in_folder("o.uvh5"), &reader));
    assert_ok(clr_uvh5_read_row(reader, 1, values, NULL, NULL));
    assert_true(values[0] == 2147483648.0);
    clr_uvh5_close(reader);
    free(x);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_tbn_frame_is_counted_and_adds_nothing),
        cmocka_unit_test(vdif_threads_give_exact_sums_in_partial_integrations),
        cmocka_unit_test(spectra_that_reach_over_a_gap_are_left_out),
        cmocka_unit_test(files_are_aligned_by_their_time_stamps),
        cmocka_unit_test(an_overflow_keeps_the_integrations_before_it),
    };
    size_t devices = 0;
    if (clradio_device_list(NULL, 0, &devices) || !devices) {
        printf("1..0 # SKIP no OpenCL device\n");
        return 0;
    }
    return cmocka_run_group_tests_name("correlate", tests, make_group_folder, remove_group_folder);
}
