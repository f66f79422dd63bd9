/*
 * The UVH5 reader on files that are not ours: damaged ones, and (with CLRADIO_DATA) what the ATA's
 * and HERA's correlators wrote. Each damaged file is read in a process of its own: the HDF5 library
 * is known to crash on some, and that is its affair; a hang or an absurd answer would be ours.
 */
#include "support.h"

#include "base/file.h"
#include "io/uvh5.h"
#include "io/uvh5_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_sample(const char *path)
{
    enum { STATIONS = 4, CHANNELS = 16, N = CHANNELS * 10 * 4 * 2 };
    double frequency[CHANNELS], width[CHANNELS];
    for (size_t c = 0; c < CHANNELS; c++)
        frequency[c] = 1e8 + 1e5 * (double)c, width[c] = 1e5;
    int32_t values[N];
    for (int k = 0; k < N; k++)
        values[k] = k;
    clr_uvh5_layout layout = { .stations = STATIONS,
                               .polarisations = 2,
                               .channels = CHANNELS,
                               .frequency_hz = frequency,
                               .channel_width_hz = width,
                               .type = CLRADIO_CI32 };
    clr_uvh5 *file;
    assert_ok(clr_uvh5_create(path, &layout, &file));
    clr_uvh5_integration integration = { .visibilities = values,
                                         .type = CLRADIO_CI32,
                                         .spectra = 1,
                                         .julian_date = 2460000,
                                         .seconds = 1 };
    assert_ok(clr_uvh5_append(file, &integration));
    assert_ok(clr_uvh5_commit(file));
}

enum { ANSWERS = 100 }; /* exit codes of the child */

/* Reads everything there is: 0 opened and read, 1 refused with a sentence, 2 refused without one.
 */
static int read_all(const char *path)
{
    clr_uvh5_reader *reader;
    if (clr_uvh5_open(path, &reader))
        return *clradio_last_error() ? 1 : 2;
    const clr_uvh5_info *info = clr_uvh5_get_info(reader);
    size_t n = (size_t)info->channels * info->labels;
    double *values = malloc(n * 16), *nsamples = malloc(n * 8);
    unsigned char *flags = malloc(n);
    int answer = 0;
    for (uint64_t row = 0; row < info->rows && row < 1000 && !answer; row++)
        if (clr_uvh5_read_row(reader, row, values, flags, nsamples))
            answer = 1;
    free(values);
    free(nsamples);
    free(flags);
    clr_uvh5_close(reader);
    return answer;
}

/* The answer of read_all, or -1 when the process ended in another way (a signal, or a sanitizer's
 * exit code), but not by the alarm. */
static int read_apart(const char *path)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        alarm(20);
        if (!freopen("/dev/null", "w", stderr)) /* for what a sanitizer says about HDF5 */
            _exit(ANSWERS + 2);
        _exit(ANSWERS + read_all(path));
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFSIGNALED(result)) {
        assert_int_not_equal(WTERMSIG(result), SIGALRM); /* it hung */
        return -1;
    }
    return WEXITSTATUS(result) < ANSWERS ? -1 : WEXITSTATUS(result) - ANSWERS;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t count)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    fclose(stream);
}

static void damaged_files_are_refused_or_read_without_a_hang(void **state)
{
    (void)state;
    char *folder = scratch_folder(), path[4200];
    snprintf(path, sizeof path, "%s/damaged.uvh5", folder);
    write_sample(path);
    unsigned char *bytes;
    size_t count;
    assert_ok(clr_file_read(path, 1 << 24, &bytes, &count));
    assert_int_equal(read_apart(path), 0);
    int answers[4] = { 0 };
    /* cut short: the end of the file is checked by HDF5 itself */
    for (int k = 0; k < 40; k++) {
        write_bytes(path, bytes, count * (size_t)k / 40);
        assert_int_equal(read_apart(path), 1);
    }
    uint64_t seed = 7;
    for (int k = 0; k < 400; k++) {
        unsigned char *mutated = malloc(count);
        memcpy(mutated, bytes, count);
        int changes = 1 << (k % 6);
        for (int c = 0; c < changes; c++)
            mutated[test_random(&seed) % count] = (unsigned char)test_random(&seed);
        write_bytes(path, mutated, count);
        int answer = read_apart(path);
        assert_int_not_equal(answer, 2);
        answers[answer + 1]++;
        free(mutated);
    }
    print_message("# 400 mutations: %d read, %d refused, %d crashed inside HDF5\n", answers[1],
                  answers[2], answers[0]);
    assert_true(answers[1] > 0 && answers[2] > 0);
    assert_true(answers[0] < 20); /* HDF5 1.10.8 under the address sanitizer: below 10 */
    free(bytes);
    remove_folder(folder);
}

static void what_is_no_uvh5_file_is_refused_with_a_sentence(void **state)
{
    (void)state;
    clr_uvh5_reader *reader;
    char *folder = scratch_folder(), path[4200];
    assert_int_equal(clr_uvh5_open(folder, &reader), CLRADIO_ERROR_IO);
    snprintf(path, sizeof path, "%s/none.uvh5", folder);
    assert_int_equal(clr_uvh5_open(path, &reader), CLRADIO_ERROR_IO);
    write_bytes(path, (const unsigned char *)"not HDF5", 8);
    assert_int_equal(clr_uvh5_open(path, &reader), CLRADIO_ERROR_FORMAT);
    assert_non_null(strstr(clradio_last_error(), "none.uvh5"));
    write_bytes(path, (const unsigned char *)"\x89HDF\r\n\x1a\n cut short", 18);
    assert_int_equal(clr_uvh5_open(path, &reader), CLRADIO_ERROR_FORMAT);
    assert_non_null(strstr(clradio_last_error(), "cut short"));
    remove_folder(folder);
}

static const char *data_path(const char *name)
{
    static char path[4200];
    const char *folder = getenv("CLRADIO_DATA");
    if (!folder)
        skip();
    snprintf(path, sizeof path, "%s/visibilities/%s", folder, name);
    if (access(path, R_OK))
        skip();
    return path;
}

/* Figures as h5dump and h5py show them. flags and nsamples of both files are LZF compressed; the
 * ATA's nsamples are no fractions. */
static void the_files_of_ata_and_hera_can_be_read(void **state)
{
    (void)state;
    const struct {
        const char *name, *telescope;
        uint64_t rows;
        uint32_t channels, antennas;
        clradio_type type;
        double nsamples; /* everywhere */
    } cases[] = {
        { "ata.LoA.C0352.uvh5_60647_62965_9760406_3c286_0001.uvh5", "ATA", 406, 16, 42,
          CLRADIO_CF32, -1.2291391e12 },
        { "zen.2458432.34569.uvh5", "HERA", 80, 64, 6, CLRADIO_CI32, 0 },
    };
    for (size_t k = 0; k < 2; k++) {
        clr_uvh5_reader *reader;
        assert_ok(clr_uvh5_open(data_path(cases[k].name), &reader));
        const clr_uvh5_info *info = clr_uvh5_get_info(reader);
        assert_string_equal(info->telescope_name, cases[k].telescope);
        assert_string_equal(info->version, "1.2");
        assert_int_equal(info->rows, cases[k].rows);
        assert_int_equal(info->channels, cases[k].channels);
        assert_int_equal(info->antennas, cases[k].antennas);
        assert_int_equal(info->labels, 4);
        assert_int_equal(info->type, cases[k].type);
        double values[64 * 4 * 2], nsamples[64 * 4];
        unsigned char flags[64 * 4];
        for (uint64_t row = 0; row < info->rows; row++) {
            assert_ok(clr_uvh5_read_row(reader, row, values, flags, nsamples));
            for (size_t at = 0; at < info->channels * 4u; at++)
                assert_true(flags[at] == 0 && fabs(nsamples[at] - cases[k].nsamples) <=
                                                  1e-6 * fabs(cases[k].nsamples));
            if (info->antenna_1[row] == info->antenna_2[row])
                assert_true(values[0] >= 0 && values[1] == 0); /* an autocorrelation XX */
        }
        clr_uvh5_close(reader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_uvh5_file_is_refused_with_a_sentence),
        cmocka_unit_test(damaged_files_are_refused_or_read_without_a_hang),
        cmocka_unit_test(the_files_of_ata_and_hera_can_be_read),
    };
#if !HAVE_HDF5
    printf("1..0 # SKIP built without HDF5\n");
    return 0;
#endif
    return cmocka_run_group_tests_name("uvh5_foreign", tests, NULL, NULL);
}
