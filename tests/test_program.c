/* Programs: every way through memory, cache and build, with a back end that is made up. */
#include "fake_back_end.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clr_program *get(fixture *f, int64_t w)
{
    clr_program *program;
    assert_ok(clr_program_get(&f->device, "main.cl", &(clr_macro){ "W", w }, 1, &program));
    return program;
}

/* Gets, proves and drops it; what was done for it. */
static void use(fixture *f, int64_t w)
{
    clr_program *program = get(f, w);
    clr_program_proved(program);
    clr_program_release(program);
}

static void assert_counts(const fixture *f, uint64_t built, uint64_t loaded)
{
    assert_int_equal(f->device.built, built);
    assert_int_equal(f->device.loaded, loaded);
    assert_int_equal(fake.loads, loaded);
}

static void a_program_is_built_once_and_then_loaded(void **state)
{
    fixture *f = *state;
    clr_program *first = get(f, 1), *second = get(f, 1);
    assert_ptr_equal(first, second);
    assert_counts(f, 1, 0);
    clr_program_release(second);
    clr_program_proved(first);
    clr_program_proved(first);
    assert_int_equal(fake.fetches, 1);
    clr_program_release(first);
    restart(f);
    use(f, 1);
    assert_counts(f, 0, 1);
    assert_int_equal(fake.fetches, 0); /* it is there already */
}

static void the_host_tells_the_kernel_what_the_device_has(void **state)
{
    fixture *f = *state;
    f->device.info.fp64 = 1;
    clr_program *program = get(f, 7);
    clr_kernel *kernel;
    assert_ok(clr_kernel_create(program, "run", &kernel));
    const char *source = ((fake_program *)kernel->handle)->source;
    assert_non_null(strstr(source, "#define CLR_FAKE 1\n#define HAVE_FP16 0\n#define HAVE_FP64 1\n"
                                   "#define HAVE_MATRIX_UNIT 0\n#define HAVE_PACKED_DOT 0\n"
                                   "#define W 7\n"));
    clr_program_release(program);
    clr_kernel_release(kernel);
}

static void another_macro_driver_or_include_is_another_program(void **state)
{
    fixture *f = *state;
    use(f, 1);
    use(f, 2);
    assert_counts(f, 2, 0);
    strcpy(f->device.info.driver, "1.1");
    use(f, 1);
    assert_counts(f, 3, 0);
    setenv("POCL_VECTORIZER_REMARKS", "1", 1);
    use(f, 1);
    unsetenv("POCL_VECTORIZER_REMARKS");
    assert_counts(f, 4, 0);
    write_kernel(f, "part.cl", "int part ;\n"); /* one blank in an included file */
    use(f, 1);
    assert_counts(f, 5, 0);
    write_kernel(f, "part.cl", "int part;\n");
    use(f, 1); /* the one from before the edit */
    assert_counts(f, 5, 1);
    /* what names the card, and where vendors keep their own caches, is no part of it */
    strcpy(f->device.identity, "card 8");
    strcpy(f->device.info.uuid, "123");
    setenv("POCL_CACHE_DIR", "/nowhere", 1);
    use(f, 1);
    unsetenv("POCL_CACHE_DIR");
    assert_counts(f, 5, 2);
}

static void the_order_of_macros_does_not_matter(void **state)
{
    fixture *f = *state;
    const clr_macro one[] = { { "A", 1 }, { "B", 2 } }, two[] = { { "B", 2 }, { "A", 1 } };
    clr_program *first, *second;
    assert_ok(clr_program_get(&f->device, "main.cl", one, 2, &first));
    assert_ok(clr_program_get(&f->device, "main.cl", two, 2, &second));
    assert_ptr_equal(first, second);
    assert_int_equal(strlen(clr_program_hash(first)), 64);
    clr_program *other = get(f, 1);
    assert_string_not_equal(clr_program_hash(first), clr_program_hash(other));
    clr_program_release(first);
    clr_program_release(second);
    clr_program_release(other);
}

static void an_unproved_program_is_not_stored_unless_it_was_launched(void **state)
{
    fixture *f = *state;
    clr_program_release(get(f, 1));
    assert_int_equal(fake.fetches, 0);
    restart(f);
    clr_program *program = get(f, 1);
    assert_counts(f, 1, 0);
    clr_kernel *kernel;
    assert_ok(clr_kernel_create(program, "run", &kernel));
    clr_program_release(program);
    kernel->launched = 1;
    clr_kernel_release(kernel);
    assert_int_equal(fake.fetches, 1);
    restart(f);
    use(f, 1);
    assert_counts(f, 0, 1);
}

static void a_failed_build_is_reported_and_never_stored(void **state)
{
    fixture *f = *state;
    clr_program *program = (clr_program *)f;
    fake.refuse_build = 1;
    assert_int_equal(clr_program_get(&f->device, "main.cl", &(clr_macro){ "W", 5 }, 1, &program),
                     CLRADIO_ERROR_BUILD);
    assert_null(program);
    static const char expected[] =
        "'main.cl' does not build for made up with W=5: FAKE_BUILD_FAILURE\n"
        "main.cl:2:5: error: refused\nmain.cl, around line 2:\n>    2 | kernel void run(void);\n";
    assert_string_equal(clradio_last_error(), expected);
    assert_counts(f, 0, 0);
    fake.refuse_build = 0;
    use(f, 5);
    assert_counts(f, 1, 0);
    assert_int_equal(fake.builds, 2);
}

static void an_entry_that_the_driver_refuses_is_built_again_and_replaced(void **state)
{
    fixture *f = *state;
    use(f, 1);
    restart(f);
    fake.refuse_load = 1;
    use(f, 1);
    assert_counts(f, 1, 0);
    fake.refuse_load = 0;
    restart(f);
    use(f, 1);
    assert_counts(f, 0, 1);
}

static void an_entry_without_its_kernels_is_built_again_and_replaced(void **state)
{
    fixture *f = *state;
    use(f, 1);
    restart(f);
    fake.refuse_kernel_of_loaded = 1;
    clr_program *program = get(f, 1);
    clr_kernel *kernel;
    assert_ok(clr_kernel_create(program, "run", &kernel));
    assert_counts(f, 1, 1);
    clr_program_proved(program);
    assert_int_equal(fake.fetches, 1);
    clr_kernel_release(kernel);
    clr_program_release(program);
    fake.refuse_kernel_of_loaded = 0;
    restart(f);
    use(f, 1);
    assert_counts(f, 0, 1);
}

typedef struct worker {
    fixture *f;
    pthread_t thread;
    clr_program *program;
    clradio_status status;
    int text_is_right;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    w->status = clr_program_get(&w->f->device, "main.cl", &(clr_macro){ "W", 3 }, 1, &w->program);
    w->text_is_right = strstr(clradio_last_error(), "error: refused") != NULL;
    return NULL;
}

static void run_workers(fixture *f, worker *workers, int n)
{
    for (int i = 0; i < n; i++) {
        workers[i] = (worker){ .f = f };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < n; i++)
        pthread_join(workers[i].thread, NULL);
}

static void eight_threads_that_want_one_program_build_it_once(void **state)
{
    fixture *f = *state;
    worker workers[8];
    run_workers(f, workers, 8);
    assert_counts(f, 1, 0);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(workers[i].status, CLRADIO_OK);
        assert_ptr_equal(workers[i].program, workers[0].program);
    }
    for (int i = 0; i < 8; i++)
        clr_program_release(workers[i].program);
    /* and each of them hears of a failure */
    fake.refuse_build = 1;
    run_workers(f, workers, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(workers[i].status, CLRADIO_ERROR_BUILD);
        assert_true(workers[i].text_is_right);
        assert_null(workers[i].program);
    }
}

static void off_and_ro_store_nothing(void **state)
{
    fixture *f = *state;
    setenv("CLRADIO_CACHE", "off", 1);
    use(f, 1);
    use(f, 1);
    assert_counts(f, 2, 0);
    assert_int_equal(fake.fetches, 0);
    setenv("CLRADIO_CACHE", "rw", 1);
    use(f, 1);
    setenv("CLRADIO_CACHE", "ro", 1);
    use(f, 1);
    assert_counts(f, 3, 1);
    use(f, 2);
    use(f, 2);
    assert_counts(f, 5, 1);
}

static struct {
    int warnings, infos;
    char last[512];
} heard;

static void hear(void *user, clradio_log_level level, const char *topic, const char *message)
{
    (void)user;
    if (strcmp(topic, "cache"))
        return;
    heard.warnings += level == CLRADIO_LOG_WARNING;
    heard.infos += level == CLRADIO_LOG_INFO;
    snprintf(heard.last, sizeof heard.last, "%s", message);
}

static void listen(void)
{
    memset(&heard, 0, sizeof heard);
    clradio_log_set(hear, NULL, CLRADIO_LOG_INFO);
}

static void verify_builds_compares_and_replaces_what_differs(void **state)
{
    fixture *f = *state;
    use(f, 1);
    setenv("CLRADIO_CACHE", "verify", 1);
    restart(f);
    listen();
    use(f, 1);
    assert_counts(f, 1, 0);
    assert_int_equal(heard.warnings, 0);
    fake.prefix = "2";
    use(f, 1);
    assert_int_equal(heard.warnings, 1);
    use(f, 1); /* replaced: no difference any more */
    clradio_log_set(NULL, NULL, CLRADIO_LOG_ERROR);
    assert_int_equal(heard.warnings, 1);
    assert_counts(f, 3, 0);
}

static void without_a_folder_it_works_and_says_so_once(void **state)
{
    fixture *f = *state;
    char path[4300];
    snprintf(path, sizeof path, "%s/main.cl/cache", f->folder);
    setenv("CLRADIO_CACHE_DIR", path, 1);
    listen();
    use(f, 1);
    use(f, 1);
    clradio_log_set(NULL, NULL, CLRADIO_LOG_ERROR);
    assert_counts(f, 2, 0);
    assert_int_equal(heard.infos + heard.warnings, 1);
    assert_non_null(strstr(heard.last, "there is no program cache"));
    assert_non_null(strstr(heard.last, "main.cl/cache"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(a_program_is_built_once_and_then_loaded),
        FAKE_TEST(the_host_tells_the_kernel_what_the_device_has),
        FAKE_TEST(another_macro_driver_or_include_is_another_program),
        FAKE_TEST(the_order_of_macros_does_not_matter),
        FAKE_TEST(an_unproved_program_is_not_stored_unless_it_was_launched),
        FAKE_TEST(a_failed_build_is_reported_and_never_stored),
        FAKE_TEST(an_entry_that_the_driver_refuses_is_built_again_and_replaced),
        FAKE_TEST(an_entry_without_its_kernels_is_built_again_and_replaced),
        FAKE_TEST(eight_threads_that_want_one_program_build_it_once),
        FAKE_TEST(off_and_ro_store_nothing),
        FAKE_TEST(verify_builds_compares_and_replaces_what_differs),
        FAKE_TEST(without_a_folder_it_works_and_says_so_once),
    };
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
