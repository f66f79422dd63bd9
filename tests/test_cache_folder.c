/*
 * The program cache's folder: modes, who may use it, what cannot be written, what is deleted first,
 * and what the list says.
 */
#include "cache_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void off_touches_nothing(void **state)
{
    fixture *f = *state;
    assert_true(store(f, key_text));
    reopen_cache(f, "off");
    assert_false(reads(f, key_text));
    assert_false(store(f, "another key"));
    assert_int_equal(clr_cache_clear(&f->cache, NULL, NULL), CLRADIO_ERROR_STATE);
    assert_int_equal(files_in(f->folder, CLR_CACHE_ANY), 1);
    char elsewhere[PATH_BYTES + 16];
    snprintf(elsewhere, sizeof elsewhere, "%s/none", f->base);
    setenv("CLRADIO_CACHE_DIR", elsewhere, 1);
    reopen_cache(f, "off");
    assert_string_equal(f->cache.trouble, "");
    assert_false(exists(elsewhere));
}

static void ro_reads_and_changes_nothing(void **state)
{
    fixture *f = *state;
    assert_true(store(f, key_text));
    reopen_cache(f, "ro");
    assert_true(reads(f, key_text));
    assert_false(store(f, "another key"));
    assert_int_equal(truncate(path_of(f, key_text), 100), 0);
    assert_false(reads(f, key_text));
    assert_true(exists(path_of(f, key_text))); /* damaged, and left alone */
    assert_int_equal(files_in(f->folder, CLR_CACHE_ANY), 1);
    char elsewhere[PATH_BYTES + 16];
    snprintf(elsewhere, sizeof elsewhere, "%s/none", f->base);
    setenv("CLRADIO_CACHE_DIR", elsewhere, 1);
    reopen_cache(f, "ro");
    assert_false(reads(f, key_text));
    assert_false(exists(elsewhere));
}

static void a_word_that_means_nothing_turns_it_off_with_a_sentence(void **state)
{
    fixture *f = *state;
    reopen_cache(f, "yes");
    assert_int_equal(f->cache.mode, CLR_CACHE_OFF);
    assert_non_null(strstr(f->cache.trouble, "'yes', not off, ro, rw or verify"));
    setenv("CLRADIO_CACHE_SIZE", "many", 1);
    reopen_cache(f, "rw");
    assert_int_equal(f->cache.mode, CLR_CACHE_OFF);
    assert_non_null(strstr(f->cache.trouble, "many"));
}

static void assert_unusable(fixture *f, const char *folder, const char *why)
{
    setenv("CLRADIO_CACHE_DIR", folder, 1);
    reopen_cache(f, "rw");
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
    reopen_cache(f, "rw");
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
    reopen_cache(f, "rw");
    if (f->cache.mode != CLR_CACHE_OFF || !strstr(f->cache.trouble, "cannot be written"))
        return 3;
    if (clr_cache_write(&f->cache, "new", 3, f->payload, 10))
        return 4;
    reopen_cache(f, "ro");
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
    reopen_cache(f, "rw");
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
    reopen_cache(f, "ro");
    assert_true(reads(f, "key 1")); /* changes nothing, not even the time */
    setenv("CLRADIO_CACHE_SIZE", "3200", 1);
    reopen_cache(f, "rw");
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
    const char *home_now = getenv("HOME"), *xdg_now = getenv("XDG_CACHE_HOME");
    char *home = home_now ? strdup(home_now) : NULL;
    char *xdg = xdg_now ? strdup(xdg_now) : NULL;
    unsetenv("CLRADIO_CACHE_DIR");
    setenv("HOME", f->base, 1);
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    reopen_cache(f, "rw");
    snprintf(expected, sizeof expected, "%s/.cache/clradio", f->base);
    assert_string_equal(f->cache.folder, expected);
    assert_int_equal(f->cache.mode, CLR_CACHE_READ_WRITE);
    snprintf(expected, sizeof expected, "%s/xdg", f->base);
    setenv("XDG_CACHE_HOME", expected, 1);
    reopen_cache(f, "rw");
    snprintf(expected, sizeof expected, "%s/xdg/clradio", f->base);
    assert_string_equal(f->cache.folder, expected);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    reopen_cache(f, "rw");
    assert_int_equal(f->cache.mode, CLR_CACHE_OFF);
    assert_non_null(strstr(f->cache.trouble, "HOME"));
    if (home)
        setenv("HOME", home, 1);
    if (xdg)
        setenv("XDG_CACHE_HOME", xdg, 1);
    free(home);
    free(xdg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CACHE_TEST(off_touches_nothing),
        CACHE_TEST(ro_reads_and_changes_nothing),
        CACHE_TEST(a_word_that_means_nothing_turns_it_off_with_a_sentence),
        CACHE_TEST(a_folder_that_cannot_be_made_means_no_cache),
        CACHE_TEST(a_folder_of_others_means_no_cache),
        CACHE_TEST(a_read_only_folder_is_read_when_asked_and_never_written),
        CACHE_TEST(a_full_disk_leaves_what_was_there_and_nothing_more),
        CACHE_TEST(beyond_the_limit_the_oldest_goes_first),
        CACHE_TEST(an_entry_that_is_used_counts_as_young),
        CACHE_TEST(what_interrupted_writers_left_is_cleared_after_an_hour),
        CACHE_TEST(the_list_names_program_device_and_damage),
        CACHE_TEST(clear_takes_what_is_ours_and_leaves_the_rest),
        CACHE_TEST(the_folder_follows_the_environment),
    };
    return cmocka_run_group_tests_name("cache folder", tests, NULL, NULL);
}
