/*
 * Sources made into one string, and what a failed build says about it. No device: files come from a
 * folder that the test writes, logs are made up in the forms of the compilers that exist.
 */
#include "support.h"

#include "device/build_report.h"
#include "device/flatten.h"
#include "device/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int begin(void **state)
{
    char *folder = scratch_folder();
    setenv("CLRADIO_KERNEL_DIR", folder, 1);
    *state = folder;
    return 0;
}

static int end(void **state)
{
    unsetenv("CLRADIO_KERNEL_DIR");
    remove_folder(*state);
    return 0;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static clr_text flatten(const char *name)
{
    clr_text text = { 0 };
    assert_ok(clr_flatten(name, NULL, 0, &text));
    return text;
}

static void assert_refused(const char *name, const char *sentence)
{
    clr_text text = { 0 };
    assert_int_equal(clr_flatten(name, NULL, 0, &text), CLRADIO_ERROR_ARGUMENT);
    if (!strstr(clradio_last_error(), sentence))
        fail_msg("'%s' does not say '%s'", clradio_last_error(), sentence);
    clr_text_free(&text);
}

/* Lines of the files keep their names and numbers: line 3 of main.cl stands after the include. */
static void an_include_is_spliced_in_under_line_marks(void **state)
{
    write_file(*state, "main.cl", "one\n  # include \"part.cl\" // why\nthree\n");
    write_file(*state, "part.cl", "inner");
    clr_text text = flatten("main.cl");
    assert_string_equal(text.bytes, "#line 1 \"macros\"\n"
                                    "#line 1 \"guards\"\n"
                                    "#ifndef CLR_INCLUDED_main_cl\n"
                                    "#define CLR_INCLUDED_main_cl\n"
                                    "#line 1 \"main.cl\"\n"
                                    "one\n"
                                    "#line 1 \"guards\"\n"
                                    "#ifndef CLR_INCLUDED_part_cl\n"
                                    "#define CLR_INCLUDED_part_cl\n"
                                    "#line 1 \"part.cl\"\n"
                                    "inner\n"
                                    "#line 3 \"guards\"\n"
                                    "#endif\n"
                                    "#line 3 \"main.cl\"\n"
                                    "three\n"
                                    "#line 3 \"guards\"\n"
                                    "#endif\n");
    clr_text_free(&text);
}

static void an_include_in_a_comment_is_none(void **state)
{
    write_file(*state, "main.cl",
               "/* a comment\n#include \"absent.cl\"\n*/ int a; // #include \"absent.cl\"\n"
               "char *b = \"/*\";\n#include \"part.cl\"\n#includes\n");
    write_file(*state, "part.cl", "inner\r\n");
    clr_text text = flatten("main.cl");
    assert_non_null(strstr(text.bytes, "/* a comment\n#include \"absent.cl\"\n*/ int a;"));
    assert_non_null(strstr(text.bytes, "#line 1 \"part.cl\"\ninner\n#line 3 \"guards\"\n#endif\n"));
    clr_text_free(&text);
}

static void bad_includes_are_refused_with_file_and_line(void **state)
{
    assert_refused("absent.cl", "there is no kernel file 'absent.cl'");
    assert_refused("comon.cl", "did you mean 'common.cl'?");
    assert_refused("../common.cl", "there is no kernel file '../common.cl'");
    write_file(*state, "a.cl", "\n\n#include \"comon.cl\"\n");
    assert_refused("a.cl", "a.cl:3 includes 'comon.cl', and there is no such kernel file; "
                           "did you mean 'common.cl'?");
    write_file(*state, "a.cl", "#include <math.h>\n");
    assert_refused("a.cl", "a.cl:1: an include must be of the form #include \"file.cl\"");
    write_file(*state, "a.cl", "#include \"../b.cl\"\n");
    assert_refused("a.cl", "a.cl:1: an include must be");
    write_file(*state, "a.cl", "#include \"b.cl\"\n");
    write_file(*state, "b.cl", "x\n#include \"a.cl\"\n");
    assert_refused("a.cl", "b.cl:2: 'a.cl' includes itself");
    write_file(*state, "a.cl", "#include \"a.cl\"\n");
    assert_refused("a.cl", "a.cl:1: 'a.cl' includes itself");
}

static void a_long_chain_of_includes_ends_with_a_sentence(void **state)
{
    char name[32], text[64];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "f%d.cl", i);
        snprintf(text, sizeof text, "#include \"f%d.cl\"\n", i + 1);
        write_file(*state, name, text);
    }
    assert_refused("f0.cl", "f15.cl:1: includes are nested deeper than 16");
}

/* 16 levels that each include the next twice would be 65,536 copies of 100 bytes: refused. */
static void includes_that_double_stop_at_the_size_limit(void **state)
{
    char name[32], text[256];
    for (int i = 0; i < 15; i++) {
        snprintf(name, sizeof name, "f%d.cl", i);
        snprintf(text, sizeof text, "#include \"f%d.cl\"\n#include \"f%d.cl\"\n", i + 1, i + 1);
        write_file(*state, name, text);
    }
    memset(text, 'x', 200);
    text[200] = '\0';
    write_file(*state, "f15.cl", text);
    assert_refused("f0.cl", "larger than");
}

static void macros_come_first_and_sorted(void **state)
{
    write_file(*state, "a.cl", "x\n");
    const clr_macro one[] = { { "W", 16 }, { "A", -3 }, { "MIN", INT64_MIN }, { "_b1", 0 } };
    const clr_macro two[] = { { "_b1", 0 }, { "MIN", INT64_MIN }, { "W", 16 }, { "A", -3 } };
    clr_text first = { 0 }, second = { 0 };
    assert_ok(clr_flatten("a.cl", one, 4, &first));
    assert_ok(clr_flatten("a.cl", two, 4, &second));
    assert_string_equal(first.bytes, second.bytes);
    static const char expected[] = "#line 1 \"macros\"\n#define A (-3)\n"
                                   "#define MIN (-9223372036854775807 - 1)\n#define W 16\n"
                                   "#define _b1 0\n#line 1 \"guards\"\n#ifndef";
    assert_memory_equal(first.bytes, expected, strlen(expected));
    clr_text_free(&first);
    clr_text_free(&second);
    static const clr_macro bad[][2] = {
        { { "W", 1 }, { "W", 2 } },
        { { "2W", 1 }, { "B", 1 } },
        { { "", 1 }, { "B", 1 } },
        { { NULL, 1 }, { "B", 1 } },
        { { "B", 1 }, { "A B\n#error", 1 } },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        clr_text text = { 0 };
        assert_int_equal(clr_flatten("a.cl", bad[i], 2, &text), CLRADIO_ERROR_ARGUMENT);
        clr_text_free(&text);
    }
}

/* The folder overrides one file; the others still come from the embedded table. */
static void the_development_folder_goes_before_the_table(void **state)
{
    write_file(*state, "a.cl", "#include \"common.cl\"\nmine\n");
    clr_text text = flatten("a.cl");
    assert_non_null(strstr(text.bytes, "SPAN_AT"));
    clr_text_free(&text);
    write_file(*state, "common.cl", "edited\n");
    text = flatten("a.cl");
    assert_null(strstr(text.bytes, "SPAN_AT"));
    assert_non_null(strstr(text.bytes, "edited\n"));
    clr_text_free(&text);
}

/* A folder that is not there is a slip of the pen: what it was meant to have is not taken from the
 * table. */
static void a_development_folder_that_is_not_there_is_refused(void **state)
{
    char absent[4300];
    snprintf(absent, sizeof absent, "%s/absent", (const char *)*state);
    setenv("CLRADIO_KERNEL_DIR", absent, 1);
    clr_text text = { 0 };
    assert_int_equal(clr_flatten("common.cl", NULL, 0, &text), CLRADIO_ERROR_IO);
    assert_non_null(strstr(clradio_last_error(), "CLRADIO_KERNEL_DIR names"));
    clr_text_free(&text);
    setenv("CLRADIO_KERNEL_DIR", *state, 1);
}

/* Whatever is in the tree flattens, with its own name and numbers. */
static void every_embedded_file_flattens(void **state)
{
    (void)state;
    unsetenv("CLRADIO_KERNEL_DIR");
    assert_true(clr_kernel_source_count > 0);
    for (unsigned i = 0; i < clr_kernel_source_count; i++) {
        clr_text text = flatten(clr_kernel_sources[i].name);
        assert_null(strstr(text.bytes, "\n#include"));
        assert_int_equal(strlen(text.bytes), text.length);
        clr_text_free(&text);
    }
}

/* ---- reports ---- */

static clr_text report(const char *log)
{
    clr_text source = flatten("main.cl"), text = { 0 };
    clr_build_report(source.bytes, log, &text);
    clr_text_free(&source);
    return text;
}

static void write_numbered(const char *folder)
{
    write_file(folder, "main.cl", "m1\nm2\n#include \"part.cl\"\nm4\nm5\nm6\nm7\nm8\nm9\n");
    write_file(folder, "part.cl", "p1\np2\np3\np4\np5\np6\np7\np8\n");
}

/* Line 6 of main.cl, with three lines before (line 3 is the include) and after it. */
static const char around_main_6[] = "main.cl, around line 6:\n"
                                    "     4 | m4\n     5 | m5\n>    6 | m6\n"
                                    "     7 | m7\n     8 | m8\n     9 | m9\n";
static const char around_part_2[] = "part.cl, around line 2:\n     1 | p1\n>    2 | p2\n"
                                    "     3 | p3\n     4 | p4\n     5 | p5\n";

static void a_report_shows_the_log_and_the_lines_it_names(void **state)
{
    write_numbered(*state);
    static const char *const logs[] = {
        "part.cl:2:7: error: use of undeclared identifier 'p2'\n"
        "main.cl:8:1: warning: something else\n"
        "main.cl:6:1: error: expected ';'\n",                                         /* clang */
        "<kernel>:1:1: note: main\nerror: part.cl:2:7: no\nerror: main.cl:6:1: no\n", /* PoCL */
        "part.cl(2): error: identifier \"p2\" is undefined\nmain.cl(6): error: expected\n",
        "part.cl:2:7: p2 is not right\nxmain.cl:4:1: not ours\nmain.cl:6:1: nor this\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        clr_text text = report(logs[i]);
        assert_memory_equal(text.bytes, logs[i], strlen(logs[i]));
        const char *part = strstr(text.bytes, around_part_2);
        assert_non_null(part);
        assert_non_null(strstr(part, around_main_6));
        assert_null(strstr(text.bytes, "around line 8"));
        assert_null(strstr(text.bytes, "around line 4"));
        clr_text_free(&text);
    }
}

/* The number of the first line that is this text, every line of the flattened source counted. */
static int physical_line(const char *source, const char *wanted)
{
    int line = 1;
    size_t length = strlen(wanted);
    for (; *source; source += strcspn(source, "\n"), source += *source == '\n', line++)
        if (!strncmp(source, wanted, length) && source[length] == '\n')
            return line;
    return 0;
}

/* NVIDIA's OpenCL compiler does not heed #line. */
static void a_report_finds_lines_of_the_flattened_source(void **state)
{
    write_numbered(*state);
    clr_text source = flatten("main.cl"), log = { 0 };
    clr_text_add(&log, "<kernel>:%d:7: error: p2 is not right\n<kernel>:%d:1: error: nor this\n",
                 physical_line(source.bytes, "p2"), physical_line(source.bytes, "m6"));
    clr_text text = report(log.bytes);
    const char *part = strstr(text.bytes, around_part_2);
    assert_non_null(part);
    assert_non_null(strstr(part, around_main_6));
    clr_text_free(&text);
    clr_text_free(&log);
    clr_text_free(&source);
}

static void a_report_without_a_place_or_a_log_says_so(void **state)
{
    write_numbered(*state);
    clr_text text = report("ptxas fatal: out of registers\n\n");
    assert_string_equal(text.bytes, "ptxas fatal: out of registers\n");
    clr_text_free(&text);
    text = report(" \n");
    assert_string_equal(text.bytes, "(the compiler gave no log)\n");
    clr_text_free(&text);
    text = report("main.cl:77:1: error: beyond the end\nmain.cl:99999999999999:1: error\n");
    assert_null(strstr(text.bytes, "around"));
    clr_text_free(&text);
}

static void a_report_stays_short_however_long_the_log_is(void **state)
{
    write_numbered(*state);
    clr_text log = { 0 };
    for (int i = 0; i < 100000; i++)
        clr_text_add(&log, "main.cl:%d:1: error: number %d\n", i % 9 + 1, i);
    clr_text text = report(log.bytes);
    assert_true(text.length < 8000);
    assert_non_null(strstr(text.bytes, " bytes more)\n"));
    assert_non_null(strstr(text.bytes, "main.cl, around line 1:\n>    1 | m1\n"));
    clr_text_free(&text);
    clr_text_free(&log);
}

#define FOLDER_TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(an_include_is_spliced_in_under_line_marks),
        FOLDER_TEST(an_include_in_a_comment_is_none),
        FOLDER_TEST(bad_includes_are_refused_with_file_and_line),
        FOLDER_TEST(a_long_chain_of_includes_ends_with_a_sentence),
        FOLDER_TEST(includes_that_double_stop_at_the_size_limit),
        FOLDER_TEST(macros_come_first_and_sorted),
        FOLDER_TEST(the_development_folder_goes_before_the_table),
        FOLDER_TEST(a_development_folder_that_is_not_there_is_refused),
        FOLDER_TEST(every_embedded_file_flattens),
        FOLDER_TEST(a_report_shows_the_log_and_the_lines_it_names),
        FOLDER_TEST(a_report_finds_lines_of_the_flattened_source),
        FOLDER_TEST(a_report_without_a_place_or_a_log_says_so),
        FOLDER_TEST(a_report_stays_short_however_long_the_log_is),
    };
    return cmocka_run_group_tests_name("flatten", tests, NULL, NULL);
}
