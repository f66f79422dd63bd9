/* See cache_fixture.h. */
#include "cache_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char key_text[] =
    "clradio program 1\nprogram a.cl\nmacros W=1\ndevice made up\nsource\nkernel void a(void) {}\n";

void reopen_cache(fixture *f, const char *mode)
{
    clr_cache_close(&f->cache);
    setenv("CLRADIO_CACHE", mode, 1);
    clr_cache_open(&f->cache);
}

int cache_begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->base = scratch_folder();
    snprintf(f->folder, sizeof f->folder, "%s/cache", f->base);
    setenv("CLRADIO_CACHE_DIR", f->folder, 1);
    unsetenv("CLRADIO_CACHE_SIZE");
    reopen_cache(f, "rw");
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof f->payload; i++)
        f->payload[i] = (unsigned char)test_random(&seed);
    *state = f;
    return 0;
}

int cache_end(void **state)
{
    fixture *f = *state;
    clr_cache_close(&f->cache);
    chmod(f->folder, 0700);
    remove_folder(f->base);
    free(f);
    return 0;
}

char *path_of(const fixture *f, const char *key)
{
    static char path[PATH_BYTES + 128];
    char name[CLR_CACHE_NAME_BYTES];
    clr_cache_name(key, strlen(key), CLR_CACHE_PROGRAM_SUFFIX, name);
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    return path;
}

int exists(const char *path)
{
    struct stat status;
    return !lstat(path, &status);
}

int store(const fixture *f, const char *key)
{
    return clr_cache_write(&f->cache, key, strlen(key), f->payload, sizeof f->payload);
}

int reads(const fixture *f, const char *key)
{
    unsigned char *bytes;
    size_t count;
    if (!clr_cache_read(&f->cache, key, strlen(key), &bytes, &count))
        return 0;
    assert_int_equal(count, sizeof f->payload);
    assert_memory_equal(bytes, f->payload, count);
    free(bytes);
    return 1;
}

size_t files_in(const char *folder, int kinds)
{
    clr_cache cache = { .mode = CLR_CACHE_READ, .folder = (char *)folder };
    clr_cache_file *files;
    size_t count;
    assert_ok(clr_cache_files(&cache, kinds, &files, &count));
    free(files);
    return count;
}

void assert_given_up(const fixture *f)
{
    assert_false(reads(f, key_text));
    assert_false(exists(path_of(f, key_text)));
}
