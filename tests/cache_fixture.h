/* A program cache in a folder of its own, made-up keys and payloads: for the tests of the cache. */
#ifndef CLR_TESTS_CACHE_FIXTURE_H
#define CLR_TESTS_CACHE_FIXTURE_H

#include "support.h"

#include "device/cache.h"

enum { PATH_BYTES = 4600, PAYLOAD_BYTES = 1500 };

/* A cache in a folder of its own. */
typedef struct fixture {
    char *base, folder[PATH_BYTES];
    clr_cache cache;
    unsigned char payload[PAYLOAD_BYTES];
} fixture;

extern const char key_text[];

int cache_begin(void **state);
int cache_end(void **state);
#define CACHE_TEST(function) cmocka_unit_test_setup_teardown(function, cache_begin, cache_end)

/* Opens it again under CLRADIO_CACHE = mode and what the environment says now. */
void reopen_cache(fixture *f, const char *mode);
/* The path of a key's entry: one static buffer. */
char *path_of(const fixture *f, const char *key);
int exists(const char *path);
/* Stores the payload under a key. */
int store(const fixture *f, const char *key);
/* 1: the payload came back whole; 0: nothing came; anything else fails the test. */
int reads(const fixture *f, const char *key);
/* Damaged: it is not read, and deleted. */
void assert_given_up(const fixture *f);
size_t files_in(const char *folder, int kinds);

#endif
