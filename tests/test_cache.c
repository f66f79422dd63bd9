/*
 * The program cache on disk, without a device: keys and payloads are made up. Whatever happens to a
 * file, a reader gets the payload that was stored under exactly this key, or nothing.
 */
#include "support.h"

#include "base/file.h"
#include "device/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4600, PAYLOAD_BYTES = 1500 };

/* A cache in a folder of its own. */
typedef struct fixture {
    char *base, folder[PATH_BYTES];
    clr_cache cache;
    unsigned char payload[PAYLOAD_BYTES];
} fixture;

static void reopen(fixture *f, const char *mode)
{
    clr_cache_close(&f->cache);
    setenv("CLRADIO_CACHE", mode, 1);
    clr_cache_open(&f->cache);
}

static int begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->base = scratch_folder();
    snprintf(f->folder, sizeof f->folder, "%s/cache", f->base);
    setenv("CLRADIO_CACHE_DIR", f->folder, 1);
    unsetenv("CLRADIO_CACHE_SIZE");
    reopen(f, "rw");
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof f->payload; i++)
        f->payload[i] = (unsigned char)test_random(&seed);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    clr_cache_close(&f->cache);
    chmod(f->folder, 0700);
    remove_folder(f->base);
    free(f);
    return 0;
}

static char *path_of(const fixture *f, const char *key)
{
    static char path[PATH_BYTES + 128];
    char name[CLR_CACHE_NAME_BYTES];
    clr_cache_name(key, strlen(key), CLR_CACHE_PROGRAM_SUFFIX, name);
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    return path;
}

static int exists(const char *path)
{
    struct stat status;
    return !lstat(path, &status);
}

static int store(const fixture *f, const char *key)
{
    return clr_cache_write(&f->cache, key, strlen(key), f->payload, sizeof f->payload);
}

/* 1: the payload came back whole; 0: nothing came; anything else fails the test. */
static int reads(const fixture *f, const char *key)
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

static size_t files_in(const char *folder, int kinds)
{
    clr_cache cache = { .mode = CLR_CACHE_READ, .folder = (char *)folder };
    clr_cache_file *files;
    size_t count;
    assert_ok(clr_cache_files(&cache, kinds, &files, &count));
    free(files);
    return count;
}

static const char key_text[] =
    "clradio program 1\nprogram a.cl\nmacros W=1\ndevice made up\nsource\nkernel void a(void) {}\n";

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

/* Each damaged file is given up, deleted, and can be stored again. */
static void assert_given_up(const fixture *f)
{
    assert_false(reads(f, key_text));
    assert_false(exists(path_of(f, key_text)));
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

static void off_touches_nothing(void **state)
{
    fixture *f = *state;
    assert_true(store(f, key_text));
    reopen(f, "off");
    assert_false(reads(f, key_text));
    assert_false(store(f, "another key"));
    assert_int_equal(clr_cache_clear(&f->cache, NULL, NULL), CLRADIO_ERROR_STATE);
    assert_int_equal(files_in(f->folder, CLR_CACHE_ANY), 1);
    char elsewhere[PATH_BYTES + 16];
    snprintf(elsewhere, sizeof elsewhere, "%s/none", f->base);
    setenv("CLRADIO_CACHE_DIR", elsewhere, 1);
    reopen(f, "off");
    assert_string_equal(f->cache.trouble, "");
    assert_false(exists(elsewhere));
}

static void ro_reads_and_changes_nothing(void **state)
{
    fixture *f = *state;
    assert_true(store(f, key_text));
    reopen(f, "ro");
    assert_true(reads(f, key_text));
    assert_false(store(f, "another key"));
    assert_int_equal(truncate(path_of(f, key_text), 100), 0);
    assert_false(reads(f, key_text));
    assert_true(exists(path_of(f, key_text))); /* damaged, and left alone */
    assert_int_equal(files_in(f->folder, CLR_CACHE_ANY), 1);
    char elsewhere[PATH_BYTES + 16];
    snprintf(elsewhere, sizeof elsewhere, "%s/none", f->base);
    setenv("CLRADIO_CACHE_DIR", elsewhere, 1);
    reopen(f, "ro");
    assert_false(reads(f, key_text));
    assert_false(exists(elsewhere));
}

static void a_word_that_means_nothing_turns_it_off_with_a_sentence(void **state)
{
    fixture *f = *state;
    reopen(f, "yes");
    assert_int_equal(f->cache.mode, CLR_CACHE_OFF);
    assert_non_null(strstr(f->cache.trouble, "'yes', not off, ro, rw or verify"));
    setenv("CLRADIO_CACHE_SIZE", "many", 1);
    reopen(f, "rw");
    assert_int_equal(f->cache.mode, CLR_CACHE_OFF);
    assert_non_null(strstr(f->cache.trouble, "many"));
}

static void assert_unusable(fixture *f, const char *folder, const char *why)
{
    setenv("CLRADIO_CACHE_DIR", folder, 1);
    reopen(f, "rw");
    assert_int_equal(f->cache.mode, CLR_CACHE_OFF);
    if (!strstr(f->cache.trouble, why))
        fail_msg("'%s' does not say '%s'", f->cache.trouble, why);
    assert_false(store(f, key_text));
    assert_false(reads(f, key_text));
}

/* Root passes permission bits, so: a file where the folder should be, and a file system in which
 * nobody makes folders. */
static void a_folder_that_cannot_be_made_means_no_cache(void **state)
{
    fixture *f = *state;
    char path[PATH_BYTES + 256];
    assert_true(store(f, key_text));
    assert_unusable(f, path_of(f, key_text), "is not a folder");
    snprintf(path, sizeof path, "%s/below", path_of(f, key_text));
    assert_unusable(f, path, "Not a directory");
    assert_unusable(f, "/proc/clradio-cache", "/proc/clradio-cache");
}

static void a_folder_of_others_means_no_cache(void **state)
{
    fixture *f = *state;
    assert_true(store(f, key_text));
    assert_int_equal(chmod(f->folder, 0777), 0);
    assert_unusable(f, f->folder, "everybody may write");
    assert_int_equal(chmod(f->folder, 0700), 0);
    if (geteuid() != 0)
        return; /* only root can give a folder away; the rest was tested */
    assert_int_equal(chown(f->folder, 12345, (gid_t)-1), 0);
    assert_unusable(f, f->folder, "belongs to another user");
    assert_int_equal(chown(f->folder, 0, (gid_t)-1), 0);
    reopen(f, "rw");
    assert_true(reads(f, key_text));
    assert_int_equal(chown(path_of(f, key_text), 12345, (gid_t)-1), 0);
    assert_given_up(f); /* somebody else's entry in our folder */
}

/* As nobody, in a child: for root the bits mean nothing. 0 when all is as it should be. */
static int read_only_child(fixture *f)
{
    if (geteuid() == 0 &&
        (chown(f->base, 65534, 65534) || chown(f->folder, 65534, 65534) ||
         chown(path_of(f, key_text), 65534, 65534) || setgid(65534) || setuid(65534)))
        return 1;
    if (chmod(f->folder, 0500))
        return 2;
    reopen(f, "rw");
    if (f->cache.mode != CLR_CACHE_OFF || !strstr(f->cache.trouble, "cannot be written"))
        return 3;
    if (clr_cache_write(&f->cache, "new", 3, f->payload, 10))
        return 4;
    reopen(f, "ro");
    unsigned char *bytes = NULL;
    size_t count = 0;
    if (!clr_cache_read(&f->cache, key_text, strlen(key_text), &bytes, &count) ||
        count != sizeof f->payload)
        return 5;
    return 0;
}

static int run_child(fixture *f, int (*child)(fixture *f))
{
    fflush(NULL);
    pid_t process = fork();
    if (!process)
        _exit(child(f));
    int status = -1;
    assert_int_equal(waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void a_read_only_folder_is_read_when_asked_and_never_written(void **state)
{
    fixture *f = *state;
    assert_true(store(f, key_text));
    assert_int_equal(run_child(f, read_only_child), 0);
    assert_int_equal(chmod(f->folder, 0700), 0);
}

/* No byte beyond 1,000 can be written: the same as a full disk, with EFBIG for ENOSPC. */
static int full_child(fixture *f)
{
    struct rlimit limit = { 1000, 1000 };
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit))
        return 1;
    if (clr_cache_write(&f->cache, "new", 3, f->payload, sizeof f->payload))
        return 2;
    /* and over one that is there */
    if (clr_cache_write(&f->cache, key_text, strlen(key_text), f->payload, sizeof f->payload))
        return 3;
    return 0;
}

static void a_full_disk_leaves_what_was_there_and_nothing_more(void **state)
{
    fixture *f = *state;
    assert_true(store(f, key_text));
    assert_int_equal(run_child(f, full_child), 0);
    assert_int_equal(files_in(f->folder, CLR_CACHE_ANY), 1);
    assert_true(reads(f, key_text));
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

static void set_age(const char *path, time_t seconds)
{
    struct timespec times[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Entries of 64 + 5 + 1500 bytes, and room for four of them: the fifth drives out the oldest. */
static void beyond_the_limit_the_oldest_goes_first(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *key;
        time_t age_s;
    } entries[] = { { "key 1", 3000 }, { "key 2", 9000 }, { "key 3", 1000 }, { "key 4", 6000 } };
    setenv("CLRADIO_CACHE_SIZE", "6300", 1);
    reopen(f, "rw");
    for (int i = 0; i < 4; i++) {
        assert_true(store(f, entries[i].key));
        set_age(path_of(f, entries[i].key), entries[i].age_s);
    }
    assert_true(store(f, "key 5"));
    assert_false(exists(path_of(f, "key 2")));
    assert_int_equal(files_in(f->folder, CLR_CACHE_ANY), 4);
    assert_true(store(f, "key 6"));
    assert_false(exists(path_of(f, "key 4")));
    assert_true(exists(path_of(f, "key 1")) && exists(path_of(f, "key 3")));
    /* one that is larger than the whole cache may be drives nothing out */
    unsigned char *large = calloc(1, 7000);
    assert_false(clr_cache_write(&f->cache, "large", 5, large, 7000));
    free(large);
    assert_int_equal(files_in(f->folder, CLR_CACHE_ANY), 4);
}

static void an_entry_that_is_used_counts_as_young(void **state)
{
    fixture *f = *state;
    assert_true(store(f, "key 1"));
    assert_true(store(f, "key 2"));
    set_age(path_of(f, "key 1"), 5 * 86400);
    set_age(path_of(f, "key 2"), 3 * 86400);
    reopen(f, "ro");
    assert_true(reads(f, "key 1")); /* changes nothing, not even the time */
    setenv("CLRADIO_CACHE_SIZE", "3200", 1);
    reopen(f, "rw");
    assert_true(reads(f, "key 2"));
    assert_true(store(f, "key 3"));
    assert_false(exists(path_of(f, "key 1")));
    assert_true(exists(path_of(f, "key 2")));
    struct stat status;
    assert_int_equal(stat(path_of(f, "key 2"), &status), 0);
    assert_true(status.st_mtime > time(NULL) - 3600);
}

static void what_interrupted_writers_left_is_cleared_after_an_hour(void **state)
{
    fixture *f = *state;
    char old[PATH_BYTES + 128], young[PATH_BYTES + 128];
    char name[CLR_CACHE_NAME_BYTES];
    clr_cache_name("x", 1, CLR_CACHE_PROGRAM_SUFFIX, name);
    snprintf(old, sizeof old, "%s/.%s.AAAAAA", f->folder, name);
    snprintf(young, sizeof young, "%s/.%s.BBBBBB", f->folder, name);
    close(open(old, O_CREAT | O_WRONLY, 0600));
    close(open(young, O_CREAT | O_WRONLY, 0600));
    set_age(old, 2 * 3600);
    assert_true(store(f, key_text));
    assert_false(exists(old));
    assert_true(exists(young));
}

static void the_list_names_program_device_and_damage(void **state)
{
    fixture *f = *state;
    clr_cache_entry *entries;
    size_t count;
    assert_ok(clr_cache_list(&f->cache, &entries, &count));
    assert_int_equal(count, 0);
    assert_null(entries);
    assert_true(store(f, key_text));
    assert_true(store(f, "clradio program 1\nprogram b.cl\ndevice the other\nsource\ndevice no\n"));
    assert_true(store(f, "damaged"));
    set_age(path_of(f, "damaged"), 50);
    set_age(path_of(f, key_text), 100);
    assert_int_equal(truncate(path_of(f, "damaged"), 80), 0);
    set_age(path_of(f, "damaged"), 50);
    assert_ok(clr_cache_list(&f->cache, &entries, &count));
    assert_int_equal(count, 3);
    assert_string_equal(entries[0].program, "a.cl");
    assert_string_equal(entries[0].macros, "W=1");
    assert_string_equal(entries[0].device, "made up");
    assert_string_equal(entries[0].problem, "");
    assert_int_equal(entries[0].bytes, 64 + strlen(key_text) + PAYLOAD_BYTES);
    assert_string_equal(entries[1].problem, "its lengths do not fit the file");
    assert_string_equal(entries[2].program, "b.cl");
    assert_string_equal(entries[2].device, "the other");
    /* a sound entry under a wrong name is found out although no key is at hand */
    char *from = strdup(path_of(f, key_text));
    assert_int_equal(rename(from, path_of(f, "damaged")), 0);
    free(from);
    free(entries);
    assert_ok(clr_cache_list(&f->cache, &entries, &count));
    assert_int_equal(count, 2);
    assert_string_equal(entries[0].problem, "its key text belongs to another name");
    assert_ok(clr_cache_remove(&f->cache, entries[0].file));
    assert_false(exists(path_of(f, "damaged")));
    free(entries);
    assert_int_equal(clr_cache_remove(&f->cache, "../outside"), CLRADIO_ERROR_ARGUMENT);
}

static void clear_takes_what_is_ours_and_leaves_the_rest(void **state)
{
    fixture *f = *state;
    char mine[PATH_BYTES + 16], test[CLR_CACHE_NAME_BYTES], path[PATH_BYTES + 128];
    assert_true(store(f, key_text));
    snprintf(mine, sizeof mine, "%s/notes.txt", f->folder);
    close(open(mine, O_CREAT | O_WRONLY, 0600));
    clr_cache_name("t", 1, CLR_CACHE_SELF_TEST_SUFFIX, test);
    snprintf(path, sizeof path, "%s/%s", f->folder, test);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    size_t removed;
    uint64_t bytes;
    assert_ok(clr_cache_clear(&f->cache, &removed, &bytes));
    assert_int_equal(removed, 2);
    assert_int_equal(bytes, 64 + strlen(key_text) + PAYLOAD_BYTES);
    assert_int_equal(files_in(f->folder, CLR_CACHE_ANY), 0);
    assert_true(exists(mine));
}

static void the_folder_follows_the_environment(void **state)
{
    fixture *f = *state;
    char expected[PATH_BYTES + 64];
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    char *xdg = getenv("XDG_CACHE_HOME") ? strdup(getenv("XDG_CACHE_HOME")) : NULL;
    unsetenv("CLRADIO_CACHE_DIR");
    setenv("HOME", f->base, 1);
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    reopen(f, "rw");
    snprintf(expected, sizeof expected, "%s/.cache/clradio", f->base);
    assert_string_equal(f->cache.folder, expected);
    assert_int_equal(f->cache.mode, CLR_CACHE_READ_WRITE);
    snprintf(expected, sizeof expected, "%s/xdg", f->base);
    setenv("XDG_CACHE_HOME", expected, 1);
    reopen(f, "rw");
    snprintf(expected, sizeof expected, "%s/xdg/clradio", f->base);
    assert_string_equal(f->cache.folder, expected);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    reopen(f, "rw");
    assert_int_equal(f->cache.mode, CLR_CACHE_OFF);
    assert_non_null(strstr(f->cache.trouble, "HOME"));
    if (home)
        setenv("HOME", home, 1);
    if (xdg)
        setenv("XDG_CACHE_HOME", xdg, 1);
    free(home);
    free(xdg);
}

#define CACHE_TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CACHE_TEST(what_is_stored_comes_back_and_nothing_else),
        CACHE_TEST(an_entry_cut_at_any_64_bytes_is_given_up),
        CACHE_TEST(an_entry_with_one_flipped_bit_is_given_up),
        CACHE_TEST(random_bytes_in_the_header_are_given_up),
        CACHE_TEST(an_entry_under_another_keys_name_is_given_up),
        CACHE_TEST(what_is_no_regular_file_is_given_up_without_waiting),
        CACHE_TEST(off_touches_nothing),
        CACHE_TEST(ro_reads_and_changes_nothing),
        CACHE_TEST(a_word_that_means_nothing_turns_it_off_with_a_sentence),
        CACHE_TEST(a_folder_that_cannot_be_made_means_no_cache),
        CACHE_TEST(a_folder_of_others_means_no_cache),
        CACHE_TEST(a_read_only_folder_is_read_when_asked_and_never_written),
        CACHE_TEST(a_full_disk_leaves_what_was_there_and_nothing_more),
        CACHE_TEST(eight_processes_on_one_key_get_the_payload_or_nothing),
        CACHE_TEST(beyond_the_limit_the_oldest_goes_first),
        CACHE_TEST(an_entry_that_is_used_counts_as_young),
        CACHE_TEST(what_interrupted_writers_left_is_cleared_after_an_hour),
        CACHE_TEST(the_list_names_program_device_and_damage),
        CACHE_TEST(clear_takes_what_is_ours_and_leaves_the_rest),
        CACHE_TEST(the_folder_follows_the_environment),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
