/*
 * Entries of the program cache on disk, without a device: keys and payloads are made up. Whatever
 * happens to a file, a reader gets the payload that was stored under exactly this key, or nothing.
 */
#include "cache_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void what_is_stored_comes_back_and_nothing_else(void **state)
{
    fixture *f = *state;
    assert_false(reads(f, key_text));
    assert_true(store(f, key_text));
    assert_true(reads(f, key_text));
    assert_false(reads(f, "another key"));
    unsigned char *bytes;
    size_t count = 1;
    assert_true(clr_cache_write(&f->cache, "empty", 5, f->payload, 0));
    assert_true(clr_cache_read(&f->cache, "empty", 5, &bytes, &count));
    assert_int_equal(count, 0);
    free(bytes);
    struct stat status;
    assert_int_equal(stat(f->folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(stat(path_of(f, key_text), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void an_entry_cut_at_any_64_bytes_is_given_up(void **state)
{
    fixture *f = *state;
    assert_true(store(f, key_text));
    struct stat status;
    assert_int_equal(stat(path_of(f, key_text), &status), 0);
    assert_true(status.st_size > PAYLOAD_BYTES);
    for (off_t length = 0; length < status.st_size; length += 64) {
        assert_true(store(f, key_text));
        assert_int_equal(truncate(path_of(f, key_text), length), 0);
        assert_given_up(f);
    }
    assert_true(store(f, key_text));
    assert_int_equal(truncate(path_of(f, key_text), status.st_size - 1), 0);
    assert_given_up(f);
    assert_true(store(f, key_text));
    assert_int_equal(truncate(path_of(f, key_text), status.st_size + 1), 0);
    assert_given_up(f);
}

/* The header is 64 bytes, then the key text: every byte of both; the payload in steps of 7. */
static void an_entry_with_one_flipped_bit_is_given_up(void **state)
{
    fixture *f = *state;
    uint64_t seed = 2;
    off_t size = 64 + (off_t)strlen(key_text) + PAYLOAD_BYTES;
    for (off_t at = 0; at < size; at += at < size - PAYLOAD_BYTES ? 1 : 7) {
        assert_true(store(f, key_text));
        int file = open(path_of(f, key_text), O_RDWR);
        unsigned char byte;
        assert_int_equal(pread(file, &byte, 1, at), 1);
        byte ^= (unsigned char)(1u << test_random_between(&seed, 0, 7));
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
        close(file);
        assert_given_up(f);
    }
}

static void random_bytes_in_the_header_are_given_up(void **state)
{
    fixture *f = *state;
    uint64_t seed = 3;
    for (int round = 0; round < 500; round++) {
        assert_true(store(f, key_text));
        int file = open(path_of(f, key_text), O_RDWR);
        unsigned char bytes[16];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)test_random(&seed);
        /* the two lengths: absurd ones must not be believed */
        assert_int_equal(pwrite(file, bytes, sizeof bytes, 16), sizeof bytes);
        close(file);
        assert_given_up(f);
    }
}

static void an_entry_under_another_keys_name_is_given_up(void **state)
{
    fixture *f = *state;
    assert_true(store(f, "another key"));
    char *from = strdup(path_of(f, "another key"));
    assert_int_equal(rename(from, path_of(f, key_text)), 0);
    free(from);
    assert_given_up(f);
}

static void what_is_no_regular_file_is_given_up_without_waiting(void **state)
{
    fixture *f = *state;
    assert_int_equal(mkfifo(path_of(f, key_text), 0600), 0);
    assert_given_up(f);
    /* a link to a sound entry of ours: still not followed */
    assert_true(store(f, key_text));
    char moved[PATH_BYTES + 16];
    snprintf(moved, sizeof moved, "%s/moved", f->folder);
    assert_int_equal(rename(path_of(f, key_text), moved), 0);
    assert_int_equal(symlink(moved, path_of(f, key_text)), 0);
    assert_given_up(f);
    assert_true(exists(moved));
    /* a folder cannot be deleted like a file: it stays, and nothing can be stored there */
    assert_int_equal(mkdir(path_of(f, key_text), 0700), 0);
    assert_false(reads(f, key_text));
    assert_false(store(f, key_text));
    assert_int_equal(files_in(f->folder, CLR_CACHE_TEMPORARY), 0);
}

/* Readers, writers and one in eight who spoils the entry, all on one key. */
static int busy_child(fixture *f)
{
    uint64_t seed = (uint64_t)getpid();
    for (int round = 0; round < 60; round++) {
        unsigned char *bytes;
        size_t count;
        if (clr_cache_read(&f->cache, key_text, strlen(key_text), &bytes, &count)) {
            int same = count == sizeof f->payload && !memcmp(bytes, f->payload, count);
            free(bytes);
            if (!same)
                return 1;
        } else if (!store(f, key_text)) {
            return 2;
        }
        int64_t luck = test_random_between(&seed, 0, 7);
        if (luck == 0 && truncate(path_of(f, key_text), 700) && errno != ENOENT)
            return 3;
        if (luck == 1 && !store(f, key_text))
            return 4;
    }
    return 0;
}

static void eight_processes_on_one_key_get_the_payload_or_nothing(void **state)
{
    fixture *f = *state;
    pid_t processes[8];
    fflush(NULL);
    for (int i = 0; i < 8; i++) {
        processes[i] = fork();
        if (!processes[i])
            _exit(busy_child(f));
    }
    for (int i = 0; i < 8; i++) {
        int status = -1;
        assert_int_equal(waitpid(processes[i], &status, 0), processes[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    assert_int_equal(files_in(f->folder, CLR_CACHE_TEMPORARY), 0);
    assert_true(store(f, key_text));
    assert_true(reads(f, key_text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CACHE_TEST(what_is_stored_comes_back_and_nothing_else),
        CACHE_TEST(an_entry_cut_at_any_64_bytes_is_given_up),
        CACHE_TEST(an_entry_with_one_flipped_bit_is_given_up),
        CACHE_TEST(random_bytes_in_the_header_are_given_up),
        CACHE_TEST(an_entry_under_another_keys_name_is_given_up),
        CACHE_TEST(what_is_no_regular_file_is_given_up_without_waiting),
        CACHE_TEST(eight_processes_on_one_key_get_the_payload_or_nothing),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
