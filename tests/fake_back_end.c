/* The made-up back end and the fixture around it: see fake_back_end.h. */
#include "fake_back_end.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fake fake;

static fake_program *new_fake(const char *source, size_t bytes, int loaded)
{
    fake_program *made = malloc(sizeof *made + bytes + 1);
    memcpy(made->source, source, bytes);
    made->source[bytes] = '\0';
    made->bytes = bytes;
    made->loaded = loaded;
    fake.live++;
    return made;
}

static clradio_status fake_build(clradio_device *device, const char *source, size_t bytes,
                                 const char *options, void **program, char **log)
{
    (void)device;
    assert_string_equal(options, "-made-up");
    struct timespec pause = { 0, 50000000 };
    nanosleep(&pause, NULL);
    fake.builds++;
    if (fake.refuse_build) {
        *log = strdup("main.cl:2:5: error: refused");
        return clr_fail(CLRADIO_ERROR_BUILD, "FAKE_BUILD_FAILURE");
    }
    *program = new_fake(source, bytes, 0);
    return CLRADIO_OK;
}

static clradio_status fake_load(clradio_device *device, const clr_binary *binary,
                                const char *options, void **program)
{
    (void)device, (void)options;
    if (fake.refuse_load)
        return clr_fail(CLRADIO_ERROR_DRIVER, "FAKE_INVALID_BINARY");
    fake.loads++;
    *program = new_fake((const char *)binary->bytes, binary->count, 1);
    return CLRADIO_OK;
}

static clradio_status fake_fetch(clradio_device *device, void *program, clr_binary *binary)
{
    (void)device;
    fake.fetches++;
    clr_text text = { 0 };
    clr_text_add(&text, "%s%s", fake.prefix ? fake.prefix : "", ((fake_program *)program)->source);
    *binary = (clr_binary){ (unsigned char *)text.bytes, text.length };
    return CLRADIO_OK;
}

static void fake_release(void *program)
{
    fake.live--;
    free(program);
}

static clradio_status fake_kernel(void *program, const char *entry, void **kernel)
{
    if (fake.refuse_kernel_of_loaded && ((fake_program *)program)->loaded)
        return clr_fail(CLRADIO_ERROR_DRIVER, "FAKE_INVALID_KERNEL_NAME %s", entry);
    *kernel = program;
    return CLRADIO_OK;
}

static void fake_kernel_release(void *kernel)
{
    (void)kernel;
}

static void fake_key_lines(clradio_device *device, struct clr_text *text)
{
    clr_text_add(text, "driver %s\n", device->info.driver);
}

const clr_backend fake_back_end = {
    .name = "fake",
    .macro = "CLR_FAKE",
    .options = "-made-up",
    .trivial = "void probe(void);",
    .key_lines = fake_key_lines,
    .build = fake_build,
    .load = fake_load,
    .fetch = fake_fetch,
    .program_release = fake_release,
    .kernel_create = fake_kernel,
    .kernel_release = fake_kernel_release,
};

void write_kernel(const fixture *f, const char *name, const char *text)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", f->kernels, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

void restart(fixture *f)
{
    assert_null(f->device.programs);
    if (f->device.self_tests_free)
        f->device.self_tests_free(f->device.self_tests);
    f->device.self_tests = NULL;
    f->device.built = f->device.loaded = 0;
    fake.builds = fake.loads = fake.fetches = 0;
}

int fake_begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = scratch_folder();
    char cache[4200];
    snprintf(cache, sizeof cache, "%s/cache", f->folder);
    snprintf(f->kernels, sizeof f->kernels, "%s", f->folder);
    setenv("CLRADIO_CACHE_DIR", cache, 1);
    setenv("CLRADIO_KERNEL_DIR", f->kernels, 1);
    setenv("CLRADIO_CACHE", "rw", 1);
    f->device.backend = &fake_back_end;
    f->device.references = 1;
    pthread_mutex_init(&f->device.lock, NULL);
    strcpy(f->device.info.name, "made up");
    strcpy(f->device.info.driver, "1.0");
    strcpy(f->device.identity, "card 7");
    memset(&fake, 0, sizeof fake);
    write_kernel(f, "main.cl", "#include \"part.cl\"\nkernel void run(void);\n");
    write_kernel(f, "part.cl", "int part;\n");
    *state = f;
    return 0;
}

int fake_end(void **state)
{
    fixture *f = *state;
    restart(f);
    unsetenv("CLRADIO_KERNEL_DIR");
    int bad = fake.live != 0 || f->device.references != 1;
    pthread_mutex_destroy(&f->device.lock);
    remove_folder(f->folder);
    free(f);
    return bad ? -1 : 0; /* a program or a device reference was left */
}
