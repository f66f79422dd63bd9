/* Strings: a growing one, parsing of numbers that refuses rubbish, the closest of several names. */
#ifndef CLR_BASE_TEXT_H
#define CLR_BASE_TEXT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* A growing string. Starts as { 0 }; bytes is NUL-terminated once something was added. failed:
 * memory ran out, the content is short. */
typedef struct clr_text {
    char *bytes;
    size_t length;
    size_t room;
    int failed;
} clr_text;

void clr_text_add(clr_text *text, const char *format, ...) CLR_PRINTF(2, 3);
void clr_text_add_bytes(clr_text *text, const void *bytes, size_t count);
void clr_text_free(clr_text *text);

/* Whole-string numbers in the C locale: 1 and the value, or 0 for anything else (empty, trailing
 * text, out of range, nan, inf). */
int clr_parse_u64(const char *text, uint64_t *value);
int clr_parse_i64(const char *text, int64_t *value);
int clr_parse_double(const char *text, double *value);
/* As clr_parse_u64, with an optional suffix: K M G T (powers of 1024, with or without B or iB). */
int clr_parse_bytes(const char *text, uint64_t *value);

/* Edit distance (insert, delete, replace, each 1), letters compared without case. */
size_t clr_edit_distance(const char *a, const char *b);
/* The index of the name closest to word, or n when none is near enough to be a misspelling of it.
 */
size_t clr_closest(const char *word, const char *const *names, size_t n);

/* Copies at most room - 1 bytes and terminates. Returns to. */
char *clr_copy_text(char *to, size_t room, const char *from);
/* 1 when needle occurs in hay, letters compared without case. */
int clr_contains(const char *hay, const char *needle);

#endif
