/* What the test programs share: one test a device, a seeded generator, scratch folders. */
#ifndef CLR_TESTS_SUPPORT_H
#define CLR_TESTS_SUPPORT_H

#include <clradio/clradio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A test that is run on every usable device found; its TAP line carries the device. state is a
 * clradio_device **. */
#define DEVICE_TEST(function)                                                                      \
    {                                                                                              \
#function, function, 0                                                                     \
    }
/* The same, left out on simulators such as Oclgrind, which are too slow for it. */
#define DEVICE_TEST_SLOW(function)                                                                 \
    {                                                                                              \
#function, function, 1                                                                     \
    }
typedef struct device_test {
    const char *name;
    CMUnitTestFunction function;
    int slow;
} device_test;

/*
 * Runs plain tests once and device tests on each device (those whose id or name contains
 * $CLRADIO_TEST_DEVICE when it is set). Returns the number of failures. No device: the device tests
 * are reported as skipped.
 */
int run_device_tests(const char *name, const struct CMUnitTest *plain, size_t n_plain,
                     const device_test *tests, size_t n_tests);

/* Leaves the test out on a device that is not OpenCL's: for what only OpenCL has (user events). */
void only_on_opencl(void **state);

/* An event of any back end that is incomplete until the gate opens. What allocates or builds comes
 * before the gate is shut; free it after what waited for it. */
typedef struct test_gate test_gate;
test_gate *test_gate_shut(clradio_device *device, clradio_event **event);
void test_gate_open(test_gate *gate);
void test_gate_free(test_gate *gate);
int is_opencl(clradio_device *device);
/* Whether kernels can launch kernels there. Where it should be so but something is missing, the
 * reason is printed once. */
int has_children(clradio_device *device);

/* The device under test. */
clradio_device *device_under_test(void **state);

/* Fails with clradio_last_error() when status is not CLRADIO_OK. */
#define assert_ok(status) assert_ok_at((status), #status, __FILE__, __LINE__)
void assert_ok_at(clradio_status status, const char *text, const char *file, int line);

/* A checker that does not know cmocka must hear that these do not return. */
#if defined(__clang_analyzer__)
#include <stdlib.h>
#undef assert_true
#undef assert_non_null
#undef skip
#undef assert_ok
#define assert_true(condition) ((condition) ? (void)0 : abort())
#define assert_non_null(pointer) ((pointer) ? (void)0 : abort())
#define assert_ok(status) ((status) ? abort() : (void)0)
#define skip() abort()
#endif

/* CLRADIO_TEST_SMALL: sizes for a simulator. CLRADIO_TEST_LONG: many more random cases. Set to
 * anything but 0. */
int test_small(void);
int test_long(void);

/* splitmix64: the same numbers everywhere. */
uint64_t test_random(uint64_t *seed);
/* Uniform in [low, high]. */
int64_t test_random_between(uint64_t *seed, int64_t low, int64_t high);

/* A new empty folder under $TMPDIR or /tmp; removed with everything in it by remove_folder.
 * malloc'ed. */
char *scratch_folder(void);
void remove_folder(char *path);

/* The scratch folder of a group of tests: set-up and tear-down for cmocka_run_group_tests_name. */
extern char *group_folder;
int make_group_folder(void **state);
int remove_group_folder(void **state);

#endif
