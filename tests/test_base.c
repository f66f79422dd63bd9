/* The room base: hashes, parsing, misspellings, checked arithmetic, atomic files. */
#include "support.h"

#include "base/checked.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FIPS 180-4 examples: "abc", the empty message, the 56-letter message, and a million letters a. */
static void sha256_gives_the_published_digests(void **state)
{
    (void)state;
    static const struct {
        const char *message, *digest;
    } cases[] = {
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    };
    unsigned char digest[32];
    char text[65];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clr_sha256_of(cases[i].message, strlen(cases[i].message), digest);
        clr_sha256_hex(digest, text);
        assert_string_equal(text, cases[i].digest);
    }
    clr_sha256 hash;
    clr_sha256_begin(&hash);
    for (int i = 0; i < 100000; i++)
        clr_sha256_add(&hash, "aaaaaaaaaa", 10);
    clr_sha256_end(&hash, digest);
    clr_sha256_hex(digest, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void numbers_are_whole_or_refused(void **state)
{
    (void)state;
    uint64_t u;
    double d;
    assert_true(clr_parse_u64("18446744073709551615", &u) && u == UINT64_MAX);
    static const char *const bad[] = { "",     "-1",  "1x", " 1", "18446744073709551616",
                                       "0x10", "1.5", "nan" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(clr_parse_u64(bad[i], &u));
    assert_true(clr_parse_double("-1.5e3", &d) && d == -1500.0);
    assert_false(clr_parse_double("inf", &d));
    assert_false(clr_parse_double("1e999", &d));
    assert_false(clr_parse_double("1 ", &d));
    assert_true(clr_parse_bytes("64M", &u) && u == 64u << 20);
    assert_true(clr_parse_bytes("2GiB", &u) && u == 2ull << 30);
    assert_false(clr_parse_bytes("99999999999T", &u));
    assert_false(clr_parse_bytes("12Q", &u));
}

static void a_misspelling_finds_its_word_and_rubbish_does_not(void **state)
{
    (void)state;
    static const char *const names[] = { "correlate", "devices", "simulate" };
    assert_int_equal(clr_closest("corelate", names, 3), 0);
    assert_int_equal(clr_closest("device", names, 3), 1);
    assert_int_equal(clr_closest("zzzzzz", names, 3), 3);
    assert_int_equal(clr_edit_distance("kitten", "sitting"), 3);
}

static void sizes_that_wrap_are_noticed(void **state)
{
    (void)state;
    uint64_t product, factors[3] = { 1u << 31, 1u << 31, 4 };
    assert_true(clr_product_u64(factors, 2, &product) && product == 1ull << 62);
    assert_false(clr_product_u64(factors, 3, &product));
    assert_false(clr_add_u64(UINT64_MAX, 1, &product));
    assert_int_equal(clr_ceil_div(10, 3), 4);
    assert_int_equal(clr_ceil_div(9, 3), 3);
}

/* Until the commit nothing stands under the final name; an abandoned file leaves the old content
 * and nothing else. */
static void a_new_file_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    char *folder = scratch_folder();
    char path[4200];
    snprintf(path, sizeof path, "%s/result", folder);
    clr_new_file file;
    assert_ok(clr_new_file_begin(path, 0644, &file));
    fputs("first", file.stream);
    assert_int_equal(access(path, F_OK), -1);
    assert_ok(clr_new_file_commit(&file));
    assert_ok(clr_new_file_begin(path, 0644, &file));
    fputs("second", file.stream);
    clr_new_file_abandon(&file);
    unsigned char *bytes;
    size_t count;
    assert_ok(clr_file_read(path, 100, &bytes, &count));
    assert_string_equal((char *)bytes, "first");
    free(bytes);
    assert_int_equal(clr_file_read(path, 4, &bytes, &count), CLRADIO_ERROR_IO);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* empty: no temporary was left */
    free(folder);
}

/* As a signal's handler does it while files are being written; more of them than its table holds
 * stay, and are abandoned as ever. */
static void files_being_written_are_deleted_at_once(void **state)
{
    (void)state;
    enum { FILES = 20, IN_THE_TABLE = 16 };
    char *folder = scratch_folder();
    char path[4200];
    snprintf(path, sizeof path, "%s/result", folder);
    clr_new_file file[FILES];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < FILES; i++)
            assert_ok(clr_new_file_begin(path, 0644, &file[i]));
        clr_temporary_remove_all();
        for (int i = 0; i < FILES; i++)
            assert_int_equal(access(file[i].temporary, F_OK), i < IN_THE_TABLE ? -1 : 0);
        assert_int_equal(clr_new_file_commit(&file[0]), CLRADIO_ERROR_IO); /* it is gone */
        assert_ok(clr_new_file_commit(&file[FILES - 1]));
        clr_temporary_remove_all();
        assert_int_equal(access(path, F_OK), 0); /* what was whole stays */
        for (int i = 1; i < FILES - 1; i++)
            clr_new_file_abandon(&file[i]);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

/* What an open for writing would reach: the end of the links. The links stay what they are. */
static void a_new_file_is_written_where_its_links_lead(void **state)
{
    (void)state;
    char *folder = scratch_folder();
    char path[4200], link[4200], loop[4200], pipe[4200];
    snprintf(path, sizeof path, "%s/result", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(loop, sizeof loop, "%s/loop", folder);
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    assert_int_equal(symlink("result", link), 0); /* to nothing yet */
    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (int i = 0; i < 2; i++) {
        clr_new_file file;
        assert_ok(clr_new_file_begin(link, 0644, &file));
        fputs(i ? "second" : "first", file.stream);
        assert_ok(clr_new_file_commit(&file));
        unsigned char *bytes;
        size_t count;
        assert_ok(clr_file_read(path, 100, &bytes, &count));
        assert_string_equal((char *)bytes, i ? "second" : "first");
        free(bytes);
    }
    struct stat facts;
    assert_int_equal(lstat(link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    const char *const refused[] = { loop, pipe, folder };
    for (size_t i = 0; i < 3; i++) {
        clr_new_file file;
        assert_int_equal(clr_new_file_begin(refused[i], 0644, &file), CLRADIO_ERROR_IO);
        assert_null(file.path);
    }
    assert_int_equal(lstat(pipe, &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
    assert_int_equal(unlink(path) | unlink(link) | unlink(loop) | unlink(pipe), 0);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_gives_the_published_digests),
        cmocka_unit_test(numbers_are_whole_or_refused),
        cmocka_unit_test(a_misspelling_finds_its_word_and_rubbish_does_not),
        cmocka_unit_test(sizes_that_wrap_are_noticed),
        cmocka_unit_test(a_new_file_appears_whole_or_not_at_all),
        cmocka_unit_test(files_being_written_are_deleted_at_once),
        cmocka_unit_test(a_new_file_is_written_where_its_links_lead),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
