/*
 * Verdicts of known-answer self-tests: a list per device in memory, a small file each beside the
 * program cache. A record is text that holds its whole key and a checksum; one that does not fit is
 * as good as none.
 */
#include "device/backend.h"

#include "base/sha256.h"
#include "device/cache.h"

#include <stdlib.h>
#include <string.h>

typedef struct verdict {
    struct verdict *next;
    int passed;
    char key[];
} verdict;

static void free_verdicts(void *list)
{
    while (list) {
        verdict *next = ((verdict *)list)->next;
        free(list);
        list = next;
    }
}

/* With the device locked. */
static verdict *find(const clradio_device *device, const char *key)
{
    verdict *at = device->self_tests;
    while (at && strcmp(at->key, key))
        at = at->next;
    return at;
}

static void remember(clradio_device *device, const char *key, int passed)
{
    size_t length = strlen(key) + 1;
    verdict *made = malloc(sizeof *made + length);
    if (!made)
        return; /* the test runs once more */
    memcpy(made->key, key, length);
    made->passed = passed;
    pthread_mutex_lock(&device->lock);
    verdict *there = find(device, key);
    if (there) {
        there->passed = passed;
    } else {
        made->next = device->self_tests;
        device->self_tests = made;
        device->self_tests_free = free_verdicts;
    }
    pthread_mutex_unlock(&device->lock);
    if (there)
        free(made);
}

/* The head of the record, which is also what its name is made from. */
static void add_key(clradio_device *device, const char *key, clr_text *text)
{
    clr_text_add(text, "clradio self-test 1\ndevice %s\ndriver %s\nkey %s\n",
                 clr_device_identity(device), device->info.driver, key);
}

static void add_verdict(clr_text *text, int passed)
{
    unsigned char digest[32];
    char hex[65];
    clr_text_add(text, "verdict %s\n", passed ? "passed" : "failed");
    clr_sha256_of(text->bytes ? text->bytes : "", text->length, digest);
    clr_sha256_hex(digest, hex);
    clr_text_add(text, "sha256 %s\n", hex);
}

static char *record_path(const clr_cache *cache, const clr_text *key)
{
    char name[CLR_CACHE_NAME_BYTES];
    clr_cache_name(key->bytes, key->length, CLR_CACHE_SELF_TEST_SUFFIX, name);
    return clr_cache_path(cache, name);
}

/* 1 when the record on disk is one of the two that could be there. */
static int read_record(const clr_cache *cache, clradio_device *device, const char *key, int *passed)
{
    int known = 0;
    clr_text head = { 0 };
    add_key(device, key, &head);
    char *path = head.failed ? NULL : record_path(cache, &head);
    size_t count = 0;
    const char *reason = NULL;
    unsigned char *bytes = path ? clr_cache_slurp(path, &count, NULL, &reason) : NULL;
    for (int verdict = 0; bytes && verdict < 2 && !known; verdict++) {
        clr_text whole = { 0 };
        clr_text_add_bytes(&whole, head.bytes, head.length);
        add_verdict(&whole, verdict);
        if (!whole.failed && whole.length == count && !memcmp(whole.bytes, bytes, count)) {
            known = 1;
            *passed = verdict;
        }
        clr_text_free(&whole);
    }
    if ((bytes && !known) || reason)
        clr_log(CLRADIO_LOG_INFO, "cache", "the record of the self-test %s is damaged", key);
    free(bytes);
    free(path);
    clr_text_free(&head);
    return known;
}

void clr_self_test_lookup(clradio_device *device, const char *key, int *known, int *passed)
{
    *known = *passed = 0;
    pthread_mutex_lock(&device->lock);
    verdict *there = find(device, key);
    if (there) {
        *known = 1;
        *passed = there->passed;
    }
    pthread_mutex_unlock(&device->lock);
    if (*known)
        return;
    clr_cache cache;
    clr_cache_open(&cache);
    if (cache.mode == CLR_CACHE_READ || cache.mode == CLR_CACHE_READ_WRITE)
        *known = read_record(&cache, device, key, passed);
    clr_cache_close(&cache);
    if (*known)
        remember(device, key, *passed);
}

void clr_self_test_record(clradio_device *device, const char *key, int passed)
{
    passed = passed != 0;
    remember(device, key, passed);
    clr_cache cache;
    clr_cache_open(&cache);
    if (cache.mode == CLR_CACHE_READ_WRITE || cache.mode == CLR_CACHE_VERIFY) {
        clr_text record = { 0 };
        add_key(device, key, &record);
        char *path = record.failed ? NULL : record_path(&cache, &record);
        add_verdict(&record, passed);
        if (path)
            clr_cache_spill(path, &record);
        free(path);
        clr_text_free(&record);
    }
    clr_cache_close(&cache);
}
