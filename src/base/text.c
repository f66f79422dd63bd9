/* Strings: growing ones, strict parsing, misspellings. */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int grow(clr_text *text, size_t more)
{
    if (text->failed)
        return 0;
    if (more >= SIZE_MAX / 2 - text->length)
        return text->failed = 1, 0;
    size_t need = text->length + more + 1;
    if (need <= text->room)
        return 1;
    size_t room = text->room * 2 > need ? text->room * 2 : need + 64;
    char *bytes = realloc(text->bytes, room);
    if (!bytes)
        return text->failed = 1, 0;
    text->bytes = bytes;
    text->room = room;
    return 1;
}

void clr_text_add_bytes(clr_text *text, const void *bytes, size_t count)
{
    if (!grow(text, count))
        return;
    if (count)
        memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
}

void clr_text_add(clr_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !grow(text, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void clr_text_free(clr_text *text)
{
    free(text->bytes);
    *text = (clr_text){ 0 };
}

int clr_parse_u64(const char *text, uint64_t *value)
{
    if (!text || !isdigit((unsigned char)*text))
        return 0;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || *end)
        return 0;
    *value = number;
    return 1;
}

int clr_parse_i64(const char *text, int64_t *value)
{
    if (!text || !(isdigit((unsigned char)*text) ||
                   ((*text == '-' || *text == '+') && isdigit((unsigned char)text[1]))))
        return 0;
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || *end)
        return 0;
    *value = number;
    return 1;
}

int clr_parse_double(const char *text, double *value)
{
    if (!text || !*text || isspace((unsigned char)*text))
        return 0;
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    if (*end || end == text || !isfinite(number) || (errno && fabs(number) > 1))
        return 0;
    *value = number;
    return 1;
}

int clr_parse_bytes(const char *text, uint64_t *value)
{
    if (!text || !isdigit((unsigned char)*text))
        return 0;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno)
        return 0;
    static const char suffixes[] = "KMGT";
    const char *found = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
    unsigned shift = found ? 10u * (unsigned)(found - suffixes + 1) : 0;
    end += found != NULL;
    if (found && *end == 'i')
        end++;
    if (*end == 'B')
        end++;
    if (*end || (shift && number >> (64 - shift)))
        return 0;
    *value = (uint64_t)number << shift;
    return 1;
}

size_t clr_edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 255 };
    size_t row[LONGEST + 1];
    size_t n = strlen(b) < LONGEST ? strlen(b) : LONGEST;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t replace =
                diagonal + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]));
            diagonal = row[j + 1];
            size_t best = row[j] + 1 < row[j + 1] + 1 ? row[j] + 1 : row[j + 1] + 1;
            row[j + 1] = replace < best ? replace : best;
        }
    }
    return row[n];
}

size_t clr_closest(const char *word, const char *const *names, size_t n)
{
    size_t best = n;
    size_t limit = strlen(word) / 3 + 2;
    for (size_t i = 0; i < n; i++) {
        size_t distance = clr_edit_distance(word, names[i]);
        if (distance < limit) {
            limit = distance;
            best = i;
        }
    }
    return best;
}

char *clr_copy_text(char *to, size_t room, const char *from)
{
    size_t length = strlen(from);
    if (length >= room)
        length = room - 1;
    memcpy(to, from, length);
    to[length] = '\0';
    return to;
}

int clr_contains(const char *hay, const char *needle)
{
    size_t length = strlen(needle);
    for (; *hay; hay++) {
        size_t i = 0;
        while (i < length && hay[i] &&
               tolower((unsigned char)hay[i]) == tolower((unsigned char)needle[i]))
            i++;
        if (i == length)
            return 1;
    }
    return length == 0;
}
