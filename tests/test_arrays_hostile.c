/*
 * Hostile array files: cut at every byte of their headers, with extreme values in every byte, and
 * thousands of mutations of good ones. Nothing may crash, hang, or allocate beyond a small multiple
 * of the file; every refusal has a documented status and a sentence: never IO, for the file is
 * there and can be read.
 *
 * .npy and .npz are read here, with memory counted. HDF5 and matio are others' libraries, and old
 * ones crash on damaged files: those are read in a process of its own each, with a limit on its
 * memory, and the crashes are counted.
 *
 * 2,000 mutations of each sample (of HDF5 and .mat 300); 10,000 with CLRADIO_TEST_LONG=1.
 */
#include "counted_memory.h"
#include "support.h"

#include "base/file.h"
#include "io/arrays.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[4200];

typedef struct sample {
    const char *name, *format;
    int library; /* read by another's library */
    int present;
    unsigned char *bytes;
    size_t count;
} sample;
static sample samples[] = {
    { "npy", "npy", 0, 1, NULL, 0 },           { "fortran", "npy", 0, 1, NULL, 0 },
    { "npz", "npz", 0, HAVE_ZLIB, NULL, 0 },   { "apsm", NULL, 0, 1, NULL, 0 },
    { "hdf5", "hdf5", 1, HAVE_HDF5, NULL, 0 }, { "mat7.3", "mat7.3", 1, HAVE_HDF5, NULL, 0 },
    { "mat", "mat", 1, HAVE_MATIO, NULL, 0 },
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void store_bytes(const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/* Two arrays as libapsm writes them. */
static void make_apsm(sample *s)
{
    static const unsigned char bytes[] =
        "\2\0\0\0\2\0\0\0rx\3\0\0\0tx1\3\0\0\0\2\0\0\0\3\0\0\0\2\0\0\0"
        "abcdefghijklmnopqrstuvwxabcdefghijklmnopqrstuvwx"
        "\1\0\0\0\1\0\0\0abcd";
    s->count = sizeof bytes - 1;
    s->bytes = malloc(s->count);
    memcpy(s->bytes, bytes, s->count);
}

static void make_sample(sample *s)
{
    if (!s->format) {
        make_apsm(s);
        return;
    }
    clr_arrays_writer *writer;
    float values[24] = { 1, 2, 3 };
    clr_arrays_layout a = { .name = "a",
                            .element = CLR_ELEMENT_CF32,
                            .rank = 3,
                            .size = { 2, 3, 2 },
                            .axis = { "path", "tap", "time" } };
    clr_arrays_layout tau = { .name = "tau", .element = CLR_ELEMENT_F32, .rank = 1, .size = { 3 } };
    assert_ok(clr_arrays_create(path, s->format, &writer));
    assert_ok(clr_arrays_add(writer, &a, values));
    if (strcmp(s->format, "npy") != 0)
        assert_ok(clr_arrays_add(writer, &tau, values));
    assert_ok(clr_arrays_commit(writer));
    assert_ok(clr_file_read(path, 1 << 20, &s->bytes, &s->count));
    if (!strcmp(s->name, "fortran"))
        memcpy(strstr((char *)s->bytes + 10, "False"), "True ", 5);
}

static int make_samples(void **state)
{
    make_group_folder(state);
    snprintf(path, sizeof path, "%s/file", group_folder);
    for (size_t i = 0; i < SAMPLES; i++)
        if (samples[i].present)
            make_sample(&samples[i]);
    return 0;
}

static int drop_samples(void **state)
{
    for (size_t i = 0; i < SAMPLES; i++)
        free(samples[i].bytes);
    return remove_group_folder(state);
}

/* Opens and reads everything: 0 read, 1 refused as it must be, 2 anything else. */
static int look(void)
{
    clr_arrays_file *file = NULL;
    int answer = 0;
    clradio_status status = clr_arrays_open(path, &file);
    for (size_t i = 0; !status && i < clr_arrays_count(file); i++) {
        const clr_arrays_info *info = clr_arrays_get(file, i);
        void *values = NULL;
        if (info->rank > CLR_ARRAYS_MOST_RANK || !memchr(info->name, '\0', sizeof info->name))
            return 2;
        status = clr_arrays_read_all(file, i, CLR_ELEMENT_CF64, &values);
        free(values);
        if (!status && info->rank && info->size[0] > 1 && info->count < 1000) {
            double some[2000];
            status = clr_arrays_read(file, i, 1, 1, CLR_ELEMENT_CF64, some);
        }
    }
    if (status)
        answer = (status == CLRADIO_ERROR_FORMAT || status == CLRADIO_ERROR_UNSUPPORTED ||
                  status == CLRADIO_ERROR_MEMORY) &&
                         strlen(clradio_last_error()) > 20
                     ? 1
                     : 2;
    clr_arrays_close(file);
    return answer;
}

/* 64 times the file (a number of one byte becomes a complex one of 16; deflate) and 512 KiB. */
static void look_here(const unsigned char *bytes, size_t count)
{
    size_t fair = 64 * count + (512 << 10);
    store_bytes(bytes, count);
    size_t before = counted_begin(fair);
    int answer = look();
    size_t most = counted_most();
    if (answer == 2 || most > fair)
        fail_msg("answer %d, %zu bytes for a file of %zu: %s", answer, most, count,
                 clradio_last_error());
    assert_int_equal(counted_living(), before);
}

/* The answer of look in another process; 3 when it crashed, or hung in HDF5's global heap. */
static int look_apart(const unsigned char *bytes, size_t count)
{
    store_bytes(bytes, count);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct rlimit memory = { 2ul << 30, 2ul << 30 };
        const char *sanitizers = getenv("CLRADIO_SANITIZERS");
        if (!sanitizers || !*sanitizers) /* their shadow is larger than any limit */
            setrlimit(RLIMIT_AS, &memory);
        static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
        for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
            signal(signals[k], SIG_DFL); /* cmocka's would go on with the tests */
        alarm(10);
        if (!freopen("/dev/null", "w", stderr))
            _exit(44);
        _exit(40 + look());
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFSIGNALED(result)) {
        return 3;
    }
    return WEXITSTATUS(result) < 40 ? 3 : WEXITSTATUS(result) - 40;
}

static void good_files_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        if (samples[i].present)
            assert_int_equal(look_apart(samples[i].bytes, samples[i].count), 0);
}

static void files_cut_at_every_byte_are_refused_or_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t n = 0; samples[i].present && n < samples[i].count; n++) {
            if (!samples[i].library)
                look_here(samples[i].bytes, n);
            else if (n < 200 || n % 41 == 0 || test_long())
                assert_true(look_apart(samples[i].bytes, n) % 2 == 1);
        }
}

static void every_byte_takes_extreme_values(void **state)
{
    (void)state;
    static const unsigned char extremes[] = { 0, 1, '9', 0x7f, 0x80, 0xff };
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t at = 0; samples[i].present && !samples[i].library && at < samples[i].count;
             at++) {
            unsigned char kept = samples[i].bytes[at];
            for (size_t v = 0; v < sizeof extremes; v++) {
                samples[i].bytes[at] = extremes[v];
                look_here(samples[i].bytes, samples[i].count);
            }
            samples[i].bytes[at] = kept;
        }
}

/* A few changes: bits, bytes, runs filled, cut out or doubled. */
static size_t mutate(unsigned char *bytes, size_t count, uint64_t *seed)
{
    for (int64_t left = test_random_between(seed, 1, 6); left > 0 && count > 1; left--) {
        size_t at = (size_t)(test_random(seed) % count);
        size_t run = (size_t)test_random_between(seed, 1, 40);
        run = run > count - at ? count - at : run;
        switch (test_random_between(seed, 0, 6)) {
        case 0: bytes[at] ^= (unsigned char)(1u << (test_random(seed) % 8)); break;
        case 1: bytes[at] = (unsigned char)test_random(seed); break;
        case 2: memset(bytes + at, test_random(seed) % 2 ? 0 : 0xff, run); break;
        case 3:
            memmove(bytes + at, bytes + at + run, count - at - run);
            count -= run;
            break;
        case 4:
            memmove(bytes + at + run, bytes + at, count - at);
            count += run;
            break;
        case 5: bytes[at] = (unsigned char)"0123456789(),'<>f{}L "[test_random(seed) % 21]; break;
        default: count -= test_random(seed) % 8 ? 0 : (size_t)(test_random(seed) % count); break;
        }
    }
    return count;
}

static void mutations_of_good_files_are_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        int answers[4] = { 0 };
        int rounds = test_long() ? 10000 : samples[i].library ? 300 : 2000;
        unsigned char *changed = malloc(samples[i].count + 1024);
        uint64_t seed = 100 + i;
        for (int round = 0; samples[i].present && round < rounds; round++) {
            memcpy(changed, samples[i].bytes, samples[i].count);
            size_t count = mutate(changed, samples[i].count, &seed);
            if (!samples[i].library) {
                look_here(changed, count);
                continue;
            }
            int answer = look_apart(changed, count);
            assert_int_not_equal(answer, 2);
            answers[answer & 3]++;
        }
        if (samples[i].present && samples[i].library)
            print_message(
                "# %d mutations of %s: %d read, %d refused, %d crashed or hung inside the "
                "library\n",
                rounds, samples[i].name, answers[0], answers[1], answers[3]);
        assert_true(answers[3] * 10 <= rounds);
        free(changed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_are_read),
        cmocka_unit_test(files_cut_at_every_byte_are_refused_or_survived),
        cmocka_unit_test(every_byte_takes_extreme_values),
        cmocka_unit_test(mutations_of_good_files_are_survived),
    };
    return cmocka_run_group_tests_name("arrays_hostile", tests, make_samples, drop_samples);
}
