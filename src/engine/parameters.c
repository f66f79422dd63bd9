/* Parameter strings: strict reading against a table of names, and writing. Knows no device. */
#include "engine/parameters.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 64 };

static clradio_status unknown(const clr_parameter *table, size_t n, const char *name)
{
    const char *names[CLR_MOST_PARAMETERS];
    for (size_t i = 0; i < n; i++)
        names[i] = table[i].name;
    size_t closest = clr_closest(name, names, n);
    if (closest < n)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "there is no parameter '%s'; did you mean '%s'?",
                        name, names[closest]);
    char all[256] = "";
    for (size_t i = 0; i < n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "there is no parameter '%s'; there are %s", name, all);
}

static clradio_status read_one(const clr_parameter *table, size_t n, char *word, int64_t *values,
                               int *given)
{
    char *equals = strchr(word, '=');
    if (!equals)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "parameter '%s' needs a value: NAME=NUMBER", word);
    *equals = 0;
    size_t i = 0;
    while (i < n && strcmp(table[i].name, word) != 0)
        i++;
    if (i == n)
        return unknown(table, n, word);
    if (given[i])
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "parameter %s is given twice", word);
    int64_t value;
    if (!clr_parse_i64(equals + 1, &value))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s=%s: that is not a whole number", word,
                        equals + 1);
    if (value < table[i].least || value > table[i].most)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%s=%" PRId64 " is out of range: %" PRId64 " to %" PRId64, word, value,
                        table[i].least, table[i].most);
    values[i] = value;
    given[i] = 1;
    return CLRADIO_OK;
}

clradio_status clr_parameters_read(const clr_parameter *table, size_t n, const char *text,
                                   int64_t *values, int *given)
{
    static const char blank[] = " \t\n,";
    memset(given, 0, n * sizeof *given);
    while (text && *(text += strspn(text, blank))) {
        size_t length = strcspn(text, blank);
        char word[WORD_BYTES];
        if (length >= sizeof word)
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "parameter '%.*s...' is too long", 32, text);
        memcpy(word, text, length);
        word[length] = 0;
        clradio_status status = read_one(table, n, word, values, given);
        if (status)
            return status;
        text += length;
    }
    return CLRADIO_OK;
}

int clr_parameters_given(const char *text)
{
    return text && text[strspn(text, " ")];
}

char *clr_parameters_write(const clr_parameter *table, size_t n, const int64_t *values,
                           const int *shown, char *text, size_t room)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (shown && !shown[i])
            continue;
        int wrote = snprintf(text + length, room - length, "%s%s=%" PRId64, length ? " " : "",
                             table[i].name, values[i]);
        if (wrote < 0 || (size_t)wrote >= room - length)
            break;
        length += (size_t)wrote;
    }
    return text;
}
