/*
 * Programs on real devices: built, launched, stored, loaded by what stands for a new process (the
 * device opened again), damaged and mended, and what a compile error says.
 */
#include "support.h"

#include "device/cache.h"
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROUP = 32, ITEMS = 4 * GROUP };

static char *folder;

static void write_file(const char *name, const char *text)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* out[i] = FACTOR i + PLUS; PLUS comes from an included file. */
static void begin(void)
{
    char path[4400];
    folder = scratch_folder();
    snprintf(path, sizeof path, "%s/cache", folder);
    setenv("CLRADIO_CACHE_DIR", path, 1);
    setenv("CLRADIO_CACHE", "rw", 1);
    setenv("CLRADIO_KERNEL_DIR", folder, 1);
    write_file("numbers.cl", "#include \"common.cl\"\n"
                             "#include \"plus.cl\"\n"
                             "KERNEL REQD_GROUP(32, 1, 1) numbers(SPAN(int, out), const uint n)\n"
                             "{\n"
                             "    const uint i = GROUP_ID(0) * 32u + LOCAL_ID(0);\n"
                             "    if (i < n)\n"
                             "        SPAN_AT(int, out)[i] = FACTOR * (int)i + PLUS;\n"
                             "}\n");
    write_file("plus.cl", "#define PLUS 1\n");
}

static void end(void)
{
    unsetenv("CLRADIO_KERNEL_DIR");
    remove_folder(folder);
}

static void run_numbers(clradio_device *device, clr_program *program, int factor, int plus)
{
    clradio_queue *queue;
    clradio_buffer *buffer;
    clr_kernel *kernel;
    clr_chain chain;
    int32_t out[ITEMS];
    size_t most = 0;
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, sizeof out, &buffer));
    clradio_span span = { buffer, 0 };
    assert_ok(clradio_buffer_fill(queue, span, 0xa5, sizeof out, 0, NULL, NULL));
    assert_ok(clr_kernel_create(program, "numbers", &kernel));
    assert_ok(clr_kernel_limits(kernel, &most, NULL, NULL));
    assert_true(most >= GROUP);
    clr_launch launch = { .groups = { ITEMS / GROUP, 1, 1 }, .group = { GROUP, 1, 1 } };
    clr_launch_span(&launch, span);
    clr_launch_u32(&launch, ITEMS);
    assert_ok(clr_chain_begin(&chain, queue, NULL, 0, NULL));
    assert_ok(clr_chain_end(&chain, clr_chain_launch(&chain, kernel, &launch), NULL));
    assert_ok(clradio_queue_finish(queue));
    assert_ok(clradio_buffer_read(queue, span, out, sizeof out, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], factor * i + plus);
    clr_kernel_release(kernel);
    clradio_buffer_destroy(buffer);
    clradio_queue_destroy(queue);
}

/* Opens the device anew, runs, proves; asserts what had to be built and loaded for it. */
static void start(const char *id, int factor, int plus, uint64_t built, uint64_t loaded)
{
    clradio_device *device;
    clr_program *program;
    uint64_t found_built, found_loaded;
    assert_ok(clradio_device_open(id, &device));
    assert_ok(clr_program_get(device, "numbers.cl", &(clr_macro){ "FACTOR", factor }, 1, &program));
    run_numbers(device, program, factor, plus);
    clr_program_proved(program);
    clr_program_release(program);
    clradio_device_build_count(device, &found_built, &found_loaded);
    assert_int_equal(found_built, built);
    assert_int_equal(found_loaded, loaded);
    clradio_device_close(device);
}

static void a_second_start_loads_and_an_edit_builds(void **state)
{
    begin();
    const char *id = clr_device_info(device_under_test(state))->id;
    start(id, 3, 1, 1, 0);
    start(id, 3, 1, 0, 1);
    start(id, -5, 1, 1, 0); /* another macro */
    write_file("plus.cl", "#define PLUS 2\n");
    start(id, 3, 2, 1, 0); /* an edited include */
    start(id, 3, 2, 0, 1);
    setenv("CLRADIO_CACHE", "off", 1);
    start(id, 3, 2, 1, 0);
    setenv("CLRADIO_CACHE", "verify", 1);
    start(id, 3, 2, 1, 0);
    setenv("CLRADIO_CACHE", "rw", 1);
    start(id, 3, 2, 0, 1);
    end();
}

/* The path of the one program in the cache, beside what opening a device may keep there. */
static char *only_entry(void)
{
    clr_cache cache;
    clr_cache_entry *entries;
    size_t n;
    char *path = NULL;
    clr_cache_open(&cache);
    assert_ok(clr_cache_list(&cache, &entries, &n));
    for (size_t i = 0; i < n; i++)
        if (!strcmp(entries[i].program, "numbers.cl")) {
            assert_null(path);
            path = clr_cache_path(&cache, entries[i].file);
        }
    free(entries);
    clr_cache_close(&cache);
    assert_non_null(path);
    return path;
}

static void a_damaged_entry_is_built_again(void **state)
{
    begin();
    const char *id = clr_device_info(device_under_test(state))->id;
    start(id, 3, 1, 1, 0);
    char *path = only_entry();
    assert_int_equal(truncate(path, 1000), 0);
    start(id, 3, 1, 1, 0);
    start(id, 3, 1, 0, 1);
    free(path);
    end();
}

/* An entry whose form is right and whose payload no driver can take. */
static void an_entry_that_the_driver_refuses_is_built_again(void **state)
{
    /* Mesa's rusticl ends the process ("unknown version"). It is never given one: an entry of the
     * cache is loaded when its checksum holds and driver and platform are those that made it. */
    if (!strcmp(clr_device_info(device_under_test(state))->platform, "rusticl"))
        skip();
    begin();
    const char *id = clr_device_info(device_under_test(state))->id;
    start(id, 3, 1, 1, 0);
    char *path = only_entry();
    size_t count, key_bytes, payload_bytes;
    const char *reason = NULL, *key;
    const unsigned char *payload;
    unsigned char *bytes = clr_cache_slurp(path, &count, NULL, &reason);
    assert_null(clr_cache_entry_parse(bytes, count, &key, &key_bytes, &payload, &payload_bytes));
    clr_cache cache;
    clr_cache_open(&cache);
    static const unsigned char rubbish[] = "this was never a program";
    assert_true(clr_cache_write(&cache, key, key_bytes, rubbish, sizeof rubbish));
    clr_cache_close(&cache);
    start(id, 3, 1, 1, 0);
    start(id, 3, 1, 0, 1);
    free(bytes);
    free(path);
    end();
}

static void a_compile_error_shows_the_line_and_the_vendors_words(void **state)
{
    begin();
    clr_program *program;
    write_file("plus.cl", "/* line one */\n#define PLUS 1\nINLINE int wrong(void)\n{\n"
                          "    return undeclared_name;\n}\n");
    assert_int_equal(clr_program_get(device_under_test(state), "numbers.cl",
                                     &(clr_macro){ "FACTOR", 2 }, 1, &program),
                     CLRADIO_ERROR_BUILD);
    const char *text = clradio_last_error();
    assert_non_null(strstr(text, "'numbers.cl' does not build for "));
    assert_non_null(strstr(text, "FACTOR=2"));
    assert_non_null(strstr(text, "undeclared_name")); /* the vendor's */
    assert_non_null(strstr(text, "plus.cl, around line 5:\n"));
    assert_non_null(strstr(text, ">    5 |     return undeclared_name;\n"));
    assert_non_null(strstr(text, "     2 | #define PLUS 1\n"));
    end();
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(a_second_start_loads_and_an_edit_builds),
        DEVICE_TEST(a_damaged_entry_is_built_again),
        DEVICE_TEST(an_entry_that_the_driver_refuses_is_built_again),
        DEVICE_TEST(a_compile_error_shows_the_line_and_the_vendors_words),
    };
    return run_device_tests("program on devices", NULL, 0, tests, sizeof tests / sizeof *tests);
}
