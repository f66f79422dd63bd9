/*
 * What is remembered of a device from one process to the next, with a back end that is made up: its
 * features, and the verdicts of self-tests.
 */
#include "fake_back_end.h"

#include "device/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- features ---- */

static int fake_may_have(clradio_device *device, const char *feature)
{
    (void)device;
    return !strncmp(feature, "fp", 2);
}

/* The least that runs the probe of loops: two numbers of memory, and a kernel that steps a[0] along
 * the generator a[1] times, or until its loops end. */
static uint32_t fake_memory[2];
static uint32_t fake_rounds; /* rounds; 0: never */
static int fake_wrong;       /* the kernel computes rubbish */

static clradio_status fake_queue(clradio_device *device, unsigned *flags, void **queue)
{
    (void)device, (void)flags;
    *queue = fake_memory;
    return CLRADIO_OK;
}

static clradio_status fake_buffer(clradio_device *device, uint64_t bytes, void **buffer)
{
    (void)device;
    assert_int_equal(bytes, sizeof fake_memory);
    *buffer = fake_memory;
    return CLRADIO_OK;
}

static void fake_let_go(void *handle)
{
    (void)handle;
}

static clradio_status fake_write(clradio_queue *queue, clradio_span to, const void *host,
                                 uint64_t bytes, size_t n, void *const *wait, void **event)
{
    (void)queue, (void)to, (void)n, (void)wait, (void)event;
    memcpy(fake_memory, host, bytes);
    return CLRADIO_OK;
}

static clradio_status fake_read(clradio_queue *queue, clradio_span from, void *host, uint64_t bytes,
                                size_t n, void *const *wait, void **event)
{
    (void)queue, (void)from, (void)n, (void)wait, (void)event;
    memcpy(host, fake_memory, bytes);
    return CLRADIO_OK;
}

static clradio_status fake_launch(clradio_queue *queue, void *kernel, const clr_launch *launch,
                                  size_t n, void *const *wait, void **event)
{
    (void)queue, (void)kernel, (void)launch, (void)n, (void)wait, (void)event;
    for (uint32_t k = 0; k < fake_memory[1] && (!fake_rounds || k < fake_rounds); k++)
        fake_memory[0] = fake_memory[0] * 1664525u + 1013904223u;
    fake_memory[0] += (uint32_t)fake_wrong;
    return CLRADIO_OK;
}

/* A process of its own: within one, answers are remembered. Exits with 100 fp64 + 10 fp16 + builds,
 * 5 more when loops end after 65,535 rounds; 200 + builds when the device is unusable. */
static int probe_in_a_child(fixture *f)
{
    clr_backend back_end = fake_back_end;
    back_end.may_have = fake_may_have;
    back_end.queue_create = fake_queue;
    back_end.buffer_create = fake_buffer;
    back_end.queue_release = back_end.buffer_release = fake_let_go;
    back_end.write = fake_write;
    back_end.read = fake_read;
    back_end.launch = fake_launch;
    fflush(NULL);
    pid_t process = fork();
    if (!process) {
        f->device.backend = &back_end;
        f->device.info.fp64 = f->device.info.fp16 = 0;
        clr_device_probe(&f->device);
        int unusable = f->device.info.unusable[0] != '\0';
        int limited = f->device.loop_limit == 65535;
        assert_true(limited || f->device.loop_limit == 0);
        _exit(unusable ? 200 + fake.builds
                       : 100 * f->device.info.fp64 + 10 * f->device.info.fp16 + 5 * limited +
                             fake.builds);
    }
    int status = -1;
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Four builds: whether anything compiles, loops, fp64, fp16. */
static void features_are_probed_once_per_compiler(void **state)
{
    fixture *f = *state;
    fake.refuse_build = 1;
    assert_int_equal(probe_in_a_child(f), 201); /* unusable, and not remembered */
    fake.refuse_build = 0;
    assert_int_equal(probe_in_a_child(f), 114);
    assert_int_equal(probe_in_a_child(f), 110);
    strcpy(f->device.info.driver, "1.1");
    assert_int_equal(probe_in_a_child(f), 114);
    setenv("CLRADIO_CACHE", "off", 1);
    assert_int_equal(probe_in_a_child(f), 114);
}

/* Nothing but running a loop finds out; the answer is kept with the others. */
static void loops_that_the_driver_ends_are_noticed(void **state)
{
    fixture *f = *state;
    fake_wrong = 1;
    assert_int_equal(probe_in_a_child(f), 202); /* unusable: it cannot count at all */
    fake_wrong = 0;
    fake_rounds = 65535;
    assert_int_equal(probe_in_a_child(f), 119);
    assert_int_equal(probe_in_a_child(f), 115);
    fake_rounds = 0;
    assert_int_equal(probe_in_a_child(f), 115); /* remembered */
    strcpy(f->device.info.driver, "1.1");
    assert_int_equal(probe_in_a_child(f), 114);
}

/* ---- self-test records ---- */

static void assert_verdict(fixture *f, const char *key, int known, int passed)
{
    int found_known = -1, found_passed = -1;
    clr_self_test_lookup(&f->device, key, &found_known, &found_passed);
    assert_int_equal(found_known, known);
    assert_int_equal(found_passed, passed);
}

static void verdicts_outlive_the_process_for_this_card_and_driver(void **state)
{
    fixture *f = *state;
    assert_verdict(f, "xengine/tile", 0, 0);
    clr_self_test_record(&f->device, "xengine/tile", 1);
    clr_self_test_record(&f->device, "xengine/blas", 0);
    assert_verdict(f, "xengine/tile", 1, 1);
    restart(f);
    assert_verdict(f, "xengine/tile", 1, 1);
    assert_verdict(f, "xengine/blas", 1, 0);
    assert_verdict(f, "xengine/tile2", 0, 0);
    clr_self_test_record(&f->device, "xengine/tile", 0); /* the later verdict holds */
    assert_verdict(f, "xengine/tile", 1, 0);
    restart(f);
    assert_verdict(f, "xengine/tile", 1, 0);
    restart(f);
    strcpy(f->device.info.driver, "1.1");
    assert_verdict(f, "xengine/tile", 0, 0);
    strcpy(f->device.info.driver, "1.0");
    strcpy(f->device.identity, "card 8");
    assert_verdict(f, "xengine/tile", 0, 0);
}

static void a_damaged_verdict_is_none(void **state)
{
    fixture *f = *state;
    clr_self_test_record(&f->device, "key", 0);
    clr_cache cache;
    clr_cache_file *files;
    size_t count;
    clr_cache_open(&cache);
    assert_ok(clr_cache_files(&cache, CLR_CACHE_ANY, &files, &count));
    assert_int_equal(count, 1);
    char *path = clr_cache_path(&cache, files[0].name);
    for (uint64_t at = 0; at < files[0].bytes; at++) {
        FILE *file = fopen(path, "r+b");
        assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
        int byte = fgetc(file);
        fseek(file, (long)at, SEEK_SET);
        fputc(byte ^ 4, file);
        fclose(file);
        restart(f);
        assert_verdict(f, "key", 0, 0);
        clr_self_test_record(&f->device, "key", 0);
    }
    assert_int_equal(truncate(path, 30), 0);
    restart(f);
    assert_verdict(f, "key", 0, 0);
    free(path);
    free(files);
    clr_cache_close(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(features_are_probed_once_per_compiler),
        FAKE_TEST(loops_that_the_driver_ends_are_noticed),
        FAKE_TEST(verdicts_outlive_the_process_for_this_card_and_driver),
        FAKE_TEST(a_damaged_verdict_is_none),
    };
    return cmocka_run_group_tests_name("self-test records", tests, NULL, NULL);
}
