/* Tables of text: names, quotes, comments, and what is refused. */
#include "support.h"

#include "io/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes text into a file of the group's folder and reads it. */
static clradio_status read_text(const char *text, size_t bytes, clr_csv *csv)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/table.csv", group_folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
    return clr_csv_read(path, csv);
}

static void cells_are_found_by_row_and_name(void **state)
{
    (void)state;
    static const char text[] =
        "# a comment\nName, value ,\"x,y\"\r\n one ,2,\"a \"\"b\"\"\"\n\n# more\n,,\n";
    clr_csv csv;
    assert_ok(read_text(text, sizeof text - 1, &csv));
    assert_int_equal(csv.columns, 3);
    assert_int_equal(csv.rows, 3);
    assert_int_equal(clr_csv_column(&csv, "VALUE"), 1);
    assert_int_equal(clr_csv_column(&csv, "x,y"), 2);
    assert_int_equal(clr_csv_column(&csv, "z"), 3);
    assert_string_equal(clr_csv_cell(&csv, 1, 0), "one");
    assert_string_equal(clr_csv_cell(&csv, 1, 2), "a \"b\"");
    assert_string_equal(clr_csv_cell(&csv, 2, 0), "");
    assert_string_equal(clr_csv_cell(&csv, 2, 2), "");
    clr_csv_free(&csv);
}

static void many_rows_and_no_last_line_end_are_read(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    char *text = malloc(ROWS * 16 + 16);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "a,b");
    for (int i = 0; i < ROWS; i++)
        at += (size_t)sprintf(text + at, "\n%d,%d", i, -i);
    clr_csv csv;
    assert_ok(read_text(text, at, &csv));
    assert_int_equal(csv.rows, ROWS + 1);
    assert_string_equal(clr_csv_cell(&csv, ROWS, 1), "-4999");
    clr_csv_free(&csv);
    free(text);
}

static void what_is_no_table_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bytes;
        const char *word;
    } bad[] = {
        { "", 0, "no line" },           { "# only\n", 7, "no line" },
        { "a,b\n1\n", 6, "line 2" },    { "a,b\n1,2,3\n", 10, "line 2" },
        { "a,\"b\n1,2\n", 9, "quote" }, { "a,\"b\"c\n", 7, "quote" },
        { "a\0b\n", 4, "no text" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        clr_csv csv;
        assert_int_equal(read_text(bad[i].text, bad[i].bytes, &csv), CLRADIO_ERROR_FORMAT);
        assert_non_null(strstr(clradio_last_error(), bad[i].word));
        assert_null(csv.text);
        assert_null(csv.cells);
    }
    clr_csv csv;
    assert_int_equal(clr_csv_read("/nowhere/at/all.csv", &csv), CLRADIO_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_found_by_row_and_name),
        cmocka_unit_test(many_rows_and_no_last_line_end_are_read),
        cmocka_unit_test(what_is_no_table_is_refused),
    };
    return cmocka_run_group_tests_name("csv", tests, make_group_folder, remove_group_folder);
}
