/* The UVH5 writer: no failure or interruption leaves anything but a valid file or none. */
#include "uvh5_support.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_value_that_does_not_fit_ends_with_a_valid_file_up_to_there(void **state)
{
    (void)state;
    const int64_t two_53 = (int64_t)1 << 53;
    const struct {
        clradio_type type;
        int64_t fits, too_large;
    } cases[] = {
        { CLRADIO_CI32, INT32_MAX, (int64_t)INT32_MAX + 1 },
        { CLRADIO_CI32, INT32_MIN, (int64_t)INT32_MIN - 1 },
        { CLRADIO_CF64, two_53, two_53 + 1 },
        { CLRADIO_CF64, -two_53, INT64_MIN },
    };
    char *folder = scratch_folder(), *path = path_in(folder, "out.uvh5");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        clr_uvh5_layout layout = small_layout(cases[k].type, 2);
        clr_uvh5 *file;
        assert_ok(clr_uvh5_create(path, &layout, &file));
        int64_t *values = numbered(2, 0);
        /* the imaginary part of the last element: channel 4, baseline (2, 2), [Y][Y] */
        int64_t *last = values + CHANNELS * BASELINES * 4 * 2 - 1;
        *last = cases[k].fits;
        clr_uvh5_integration integration = integration_of(values, CLRADIO_CI64);
        assert_ok(clr_uvh5_append(file, &integration));
        *last = cases[k].too_large;
        assert_int_equal(clr_uvh5_append(file, &integration), CLRADIO_ERROR_OVERFLOW);
        assert_non_null(strstr(clradio_last_error(), "stations 2 and 2 in channel 4"));
        assert_ok(clr_uvh5_commit(file));
        clr_uvh5_reader *reader;
        assert_ok(clr_uvh5_open(path, &reader));
        assert_int_equal(clr_uvh5_get_info(reader)->rows, BASELINES);
        double got[CHANNELS * 4 * 2];
        assert_ok(clr_uvh5_read_row(reader, BASELINES - 1, got, NULL, NULL));
        assert_true(got[2 * (4 * 4 + 1) + 1] == (double)cases[k].fits); /* label YY */
        clr_uvh5_close(reader);
        free(values);
    }
    float not_a_number[CHANNELS * BASELINES * 2] = { [7] = NAN };
    clr_uvh5_layout layout = small_layout(CLRADIO_CI32, 1);
    clr_uvh5 *file;
    assert_ok(clr_uvh5_create(path, &layout, &file));
    clr_uvh5_integration integration = integration_of(not_a_number, CLRADIO_CF32);
    assert_int_equal(clr_uvh5_append(file, &integration), CLRADIO_ERROR_OVERFLOW);
    clr_uvh5_abandon(file);
    remove_folder(folder);
}

static void nothing_is_left_when_abandoned_empty_or_refused(void **state)
{
    (void)state;
    char *folder = scratch_folder(), *path = path_in(folder, "out.uvh5");
    clr_uvh5_layout layout = small_layout(CLRADIO_CF32, 2);
    clr_uvh5 *file;
    assert_ok(clr_uvh5_create(path, &layout, &file));
    assert_int_equal(access(path, F_OK), -1);
    clr_uvh5_abandon(file);
    assert_int_equal(entries_in(folder), 0);
    assert_ok(clr_uvh5_create(path, &layout, &file));
    assert_int_equal(clr_uvh5_commit(file), CLRADIO_ERROR_STATE);
    assert_int_equal(entries_in(folder), 0);

    clr_uvh5_layout bad[7];
    for (size_t k = 0; k < 7; k++)
        bad[k] = layout;
    bad[0].stations = 0;
    bad[1].polarisations = 3;
    bad[2].type = CLRADIO_CI64;
    bad[3].type = CLRADIO_CI32;
    bad[3].normalise = 1;
    bad[4].channel_width_hz = (const double[CHANNELS]){ 0 };
    bad[5].antenna_ecef_m = NULL;
    bad[6].compression = 10;
    for (size_t k = 0; k < 7; k++) {
        assert_int_equal(clr_uvh5_create(path, &bad[k], &file), CLRADIO_ERROR_ARGUMENT);
        assert_null(file);
    }
    assert_int_equal(clr_uvh5_create(path_in(folder, "no/such/out.uvh5"), &layout, &file),
                     CLRADIO_ERROR_IO);
    assert_int_equal(entries_in(folder), 0);
    remove_folder(folder);
}

/* What a full disk does, by a limit on the size of files: appends until one fails, then commits.
 * Returns the integrations of the file that stands, 0 when none does, -1 when an unreadable one
 * does.
 */
static int fill_the_disk(const char *path, rlim_t limit)
{
    struct rlimit sizes = { limit, RLIM_INFINITY };
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &sizes);
    clr_uvh5_layout layout = small_layout(CLRADIO_CF64, 2);
    clr_uvh5 *file;
    if (clr_uvh5_create(path, &layout, &file))
        return access(path, F_OK) == 0 ? -1 : 0;
    int64_t *values = numbered(2, 0);
    clr_uvh5_integration integration = integration_of(values, CLRADIO_CI64);
    int written = 0;
    while (written < 2000 && !clr_uvh5_append(file, &integration))
        written++;
    free(values);
    clradio_status end = clr_uvh5_commit(file);
    sizes.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &sizes);
    clr_uvh5_reader *reader;
    if (access(path, F_OK))
        return end ? 0 : -1;
    if (end || clr_uvh5_open(path, &reader))
        return -1;
    int rows = (int)clr_uvh5_get_info(reader)->rows;
    clr_uvh5_close(reader);
    return rows == written * BASELINES ? written : -1;
}

static void a_full_disk_leaves_a_valid_file_or_none(void **state)
{
    (void)state;
    char *folder = scratch_folder(), *path = path_in(folder, "out.uvh5");
    /* 2,000 integrations take 8 MB; so the limits strike in the header, early, late and never. */
    static const rlim_t limits[] = { 0, 1000, 5000, 60000, 300000, 2000000, 64000000 };
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        fflush(NULL);
        pid_t child = fork();
        if (!child) {
            int found = fill_the_disk(path, limits[k]);
            exit(found < 0 ? 2 : found == 2000 ? 1 : 0); /* what libraries do at the end, too */
        }
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), limits[k] == 64000000 ? 1 : 0);
        assert_int_equal(entries_in(folder), access(path, F_OK) == 0 ? 1 : 0);
        unlink(path);
    }
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_does_not_fit_ends_with_a_valid_file_up_to_there),
        cmocka_unit_test(nothing_is_left_when_abandoned_empty_or_refused),
        cmocka_unit_test(a_full_disk_leaves_a_valid_file_or_none),
    };
#if !HAVE_HDF5
    printf("1..0 # SKIP built without HDF5\n");
    return 0;
#endif
    return cmocka_run_group_tests_name("uvh5_failures", tests, NULL, NULL);
}
