/* Parameter strings such as "W=16 Bx=8 SPLIT_T=4": a table of names, strict parsing, writing back.
 * Knows no device. */
#ifndef CLR_ENGINE_PARAMETERS_H
#define CLR_ENGINE_PARAMETERS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { CLR_MOST_PARAMETERS = 20 };

typedef struct clr_parameter {
    const char *name;
    int64_t least, most;
} clr_parameter;

/*
 * Reads text into values (one a parameter, in the table's order) and given (1 where the text names
 * it). Both are left alone for names that the text does not mention. text may be NULL. ARGUMENT for
 * an unknown name (the closest is suggested), a name given twice, something that is no number, or
 * one out of range.
 */
clradio_status clr_parameters_read(const clr_parameter *table, size_t n, const char *text,
                                   int64_t *values, int *given);
/* Whether text names any: NULL and spaces alone do not. */
int clr_parameters_given(const char *text);
/* "A=1 B=2" of the parameters whose shown is not 0 (shown may be NULL: all). Returns text. */
char *clr_parameters_write(const clr_parameter *table, size_t n, const int64_t *values,
                           const int *shown, char *text, size_t room);

#endif
