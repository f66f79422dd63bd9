/*
 * Array files on a full disk: in every format the failure is noticed and said, nothing is left, and
 * the process ends as usual.
 */
#include "support.h"

#include "io/arrays.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 1000, COLUMNS = 130 };

/* An array of a million bytes with no more room than limit: 0 when that failed with a sentence and
 * left no file, 1 when it was written, 2 otherwise. */
static int write_within(const char *path, const char *format, rlim_t limit)
{
    static double values[ROWS * COLUMNS];
    struct rlimit sizes = { limit, RLIM_INFINITY };
    clr_arrays_layout layout = {
        .name = "a", .element = CLR_ELEMENT_F64, .rank = 2, .size = { ROWS, COLUMNS }
    };
    clr_arrays_writer *writer;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &sizes);
    for (size_t n = 0; n < ROWS * COLUMNS; n++)
        values[n] = (double)n;
    clradio_status status = clr_arrays_create(path, format, &writer);
    if (!status) {
        status = clr_arrays_add(writer, &layout, values);
        if (status)
            clr_arrays_abandon(writer);
        else
            status = clr_arrays_commit(writer);
    }
    const int there = access(path, F_OK) == 0;
    if ((status == CLRADIO_OK) == there &&
        (there || (status == CLRADIO_ERROR_IO && strstr(clradio_last_error(), path))))
        return there;
    sizes.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &sizes); /* where the message may go */
    fprintf(stderr, "%s, %s file: %s\n", clradio_status_name(status), there ? "a" : "no",
            clradio_last_error());
    return 2;
}

static void a_full_disk_is_noticed_in_every_format(void **state)
{
    (void)state;
    static const struct {
        const char *name, *file;
        int present;
    } formats[] = { { "npy", "a.npy", 1 },
                    { "npz", "a.npz", HAVE_ZLIB },
                    { "hdf5", "a.h5", HAVE_HDF5 },
                    { "mat7.3", "a.mat", HAVE_HDF5 },
                    { "mat", "a.mat", HAVE_MATIO } };
    /* In the header, early, in the middle, near the end; and enough. */
    static const rlim_t limits[] = { 0, 100, 5000, 500000, 1040000, 64000000 };
    enum { LIMITS = sizeof limits / sizeof *limits };
    char *folder = scratch_folder(), path[4200];
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t k = 0; k < LIMITS && formats[f].present; k++) {
            int result;
            snprintf(path, sizeof path, "%s/%s", folder, formats[f].file);
            fflush(NULL);
            pid_t child = fork();
            if (!child)
                exit(write_within(path, formats[f].name, limits[k]));
            assert_int_equal(waitpid(child, &result, 0), child);
            if (!WIFEXITED(result) || WEXITSTATUS(result) != (k + 1 == LIMITS))
                fail_msg("%s within %llu bytes: the process ended with %d", formats[f].name,
                         (unsigned long long)limits[k], result);
            unlink(path);
        }
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_is_noticed_in_every_format),
    };
    return cmocka_run_group_tests_name("arrays_full", tests, NULL, NULL);
}
