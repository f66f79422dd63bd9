/* Reads a CSV table whole. */
#include "io/csv.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_BYTES = 1 << 24 };

static clradio_status add_cell(clr_csv *csv, size_t *count, size_t *room, char *cell)
{
    if (*count == *room) {
        const size_t wanted = *room ? 2 * *room : 64;
        char **larger = realloc(csv->cells, wanted * sizeof *larger);
        if (!larger)
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a table");
        csv->cells = larger;
        *room = wanted;
    }
    csv->cells[(*count)++] = cell;
    return CLRADIO_OK;
}

/* Ends the cell at *at, takes its quotes away; *at: the next cell, or NULL behind the last. 0: an
 * open quote, or something behind a closed one. */
static int next_cell(char **at, char **cell)
{
    char *from = *at + strspn(*at, " \t");
    *cell = from;
    if (*from == '"') {
        char *to = ++*cell;
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        if (!*from)
            return 0;
        char *behind = from + 1 + strspn(from + 1, " \t");
        if (*behind && *behind != ',')
            return 0;
        *to = '\0';
        *at = *behind ? behind + 1 : NULL;
        return 1;
    }
    char *end = from + strcspn(from, ",");
    *at = *end ? end + 1 : NULL;
    *end = '\0';
    while (end > from && strchr(" \t", end[-1]))
        *--end = '\0';
    return 1;
}

static clradio_status add_line(clr_csv *csv, size_t *count, size_t *room, char *line,
                               const char *path, unsigned number)
{
    size_t cells = 0;
    for (char *at = line, *cell; at; cells++) {
        if (!next_cell(&at, &cell))
            return clr_fail(CLRADIO_ERROR_FORMAT, "'%s', line %u: a quote that does not end", path,
                            number);
        clradio_status status = add_cell(csv, count, room, cell);
        if (status)
            return status;
    }
    if (!csv->rows)
        csv->columns = cells;
    if (cells != csv->columns)
        return clr_fail(CLRADIO_ERROR_FORMAT, "'%s', line %u: %zu cells, there are %zu columns",
                        path, number, cells, csv->columns);
    csv->rows++;
    return CLRADIO_OK;
}

clradio_status clr_csv_read(const char *path, clr_csv *csv)
{
    unsigned char *bytes;
    size_t bytes_count, count = 0, room = 0;
    *csv = (clr_csv){ 0 };
    clradio_status status = clr_file_read(path, MOST_BYTES, &bytes, &bytes_count);
    if (status)
        return status;
    csv->text = (char *)bytes;
    if (strlen(csv->text) != bytes_count)
        status = clr_fail(CLRADIO_ERROR_FORMAT, "'%s' is no text", path);
    unsigned number = 0;
    for (char *at = csv->text; !status && at;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = '\0';
        number++;
        const size_t length = strlen(at);
        if (length && at[length - 1] == '\r')
            at[length - 1] = '\0';
        if (*at && *at != '#')
            status = add_line(csv, &count, &room, at, path, number);
        at = end ? end + 1 : NULL;
    }
    if (!status && !csv->rows)
        status = clr_fail(CLRADIO_ERROR_FORMAT, "'%s' has no line of column names", path);
    if (status)
        clr_csv_free(csv);
    return status;
}

size_t clr_csv_column(const clr_csv *csv, const char *name)
{
    size_t column = 0;
    while (column < csv->columns && strcasecmp(csv->cells[column], name) != 0)
        column++;
    return column;
}

const char *clr_csv_cell(const clr_csv *csv, size_t row, size_t column)
{
    return csv->cells[row * csv->columns + column];
}

void clr_csv_free(clr_csv *csv)
{
    free(csv->text);
    free(csv->cells);
    *csv = (clr_csv){ 0 };
}
