/* Small tables of text: CSV with a line of column names; lines that begin with # are comments. */
#ifndef CLR_IO_CSV_H
#define CLR_IO_CSV_H

#include "base/error.h"

#include <stddef.h>

typedef struct clr_csv {
    char *text;
    char **cells; /* [row][column]; row 0 has the names */
    size_t rows, columns;
} clr_csv;

/* Cells may stand between double quotes, on one line. Errors: IO, FORMAT (a row with more or fewer
 * cells than names, an open quote, no names), MEMORY. */
clradio_status clr_csv_read(const char *path, clr_csv *csv);
/* The column of that name, letters compared without case; csv->columns when there is none. */
size_t clr_csv_column(const clr_csv *csv, const char *name);
/* row >= 1. */
const char *clr_csv_cell(const clr_csv *csv, size_t row, size_t column);
void clr_csv_free(clr_csv *csv);

#endif
