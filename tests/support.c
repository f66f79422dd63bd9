/* What the test programs share, without a device. */
#include "support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void assert_ok_at(clradio_status status, const char *text, const char *file, int line)
{
    if (status != CLRADIO_OK) {
        fprintf(stderr, "# %s gave %s: %s\n", text, clradio_status_name(status),
                clradio_last_error());
        _fail(file, line);
    }
}

static int is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0") != 0;
}

int test_small(void)
{
    return is_set("CLRADIO_TEST_SMALL");
}

int test_long(void)
{
    return is_set("CLRADIO_TEST_LONG");
}

uint64_t test_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t test_random_between(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)(test_random(seed) % (uint64_t)(high - low + 1));
}

char *scratch_folder(void)
{
    const char *base = getenv("TMPDIR");
    char *path = malloc(4096);
    snprintf(path, 4096, "%s/clradio-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path)) {
        perror(path);
        abort();
    }
    return path;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

void remove_folder(char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}

char *group_folder;

int make_group_folder(void **state)
{
    (void)state;
    group_folder = scratch_folder();
    return 0;
}

int remove_group_folder(void **state)
{
    (void)state;
    remove_folder(group_folder);
    return 0;
}
