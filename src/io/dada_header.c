/* DADA headers: finding keywords where lines begin, never inside other words or comments. */
#include "io/dada_header.h"

#include "base/checked.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_HEADER = 4096, LARGEST_HEADER = 64 << 20 };

/* The line of a keyword: its value begins there; NULL when no line begins with it. */
static const char *find(const char *text, const char *keyword)
{
    size_t length = strlen(keyword);
    for (const char *line = text; *line;) {
        const char *at = line + strspn(line, " \t\r");
        if (!strncmp(at, keyword, length) &&
            (at[length] == ' ' || at[length] == '\t' || at[length] == '='))
            return at + length + (at[length] == '=');
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}

/* The length of a value that begins at *at, which moves to its first character. */
static size_t value_length(const char **at)
{
    *at += strspn(*at, " \t");
    size_t length = strcspn(*at, "#\r\n");
    while (length && isspace((unsigned char)(*at)[length - 1]))
        length--;
    return length;
}

int clr_dada_looks_like_header(const unsigned char *bytes, size_t count)
{
    char text[DEFAULT_HEADER + 1];
    if (count > DEFAULT_HEADER)
        count = DEFAULT_HEADER;
    memcpy(text, bytes, count);
    text[count] = '\0';
    size_t length = strlen(text);
    if (length < 16)
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 32 && !isspace((unsigned char)text[i]))
            return 0;
    const char *marker = find(text, "HEADER");
    return (marker && value_length(&marker) == 4 && !strncmp(marker, "DADA", 4)) ||
           (find(text, "NBIT") && (find(text, "HDR_SIZE") || find(text, "UTC_START")));
}

clradio_status clr_dada_header_read(clr_bytes *bytes, uint64_t offset, uint64_t size,
                                    clr_dada_header *header)
{
    *header = (clr_dada_header){ 0 };
    uint64_t count = clr_min_u64(size, DEFAULT_HEADER);
    for (;;) {
        char *text = realloc(header->text, (size_t)count + 1);
        if (!text)
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a header of %llu bytes",
                            (unsigned long long)count);
        header->text = text;
        clradio_status status = clr_bytes_read(bytes, offset, text, (size_t)count);
        if (status)
            return status;
        text[count] = '\0';
        status = clr_dada_count(header, "HDR_SIZE", DEFAULT_HEADER, &header->bytes);
        if (status)
            return status;
        if (header->bytes == 0 || header->bytes > size || header->bytes > LARGEST_HEADER)
            return clr_fail(CLRADIO_ERROR_FORMAT,
                            "HDR_SIZE is %llu, but the file has %llu bytes (and no header more "
                            "than %d)",
                            (unsigned long long)header->bytes, (unsigned long long)size,
                            LARGEST_HEADER);
        if (header->bytes <= count) {
            text[header->bytes] = '\0';
            return CLRADIO_OK;
        }
        count = header->bytes;
    }
}

void clr_dada_header_free(clr_dada_header *header)
{
    free(header->text);
    *header = (clr_dada_header){ 0 };
}

int clr_dada_text(const clr_dada_header *header, const char *keyword, char *value, size_t room)
{
    const char *at = find(header->text, keyword);
    *value = '\0';
    if (!at)
        return 0;
    size_t length = value_length(&at);
    if (length >= room)
        length = room - 1;
    for (size_t i = 0; i < length; i++)
        value[i] = isprint((unsigned char)at[i]) ? at[i] : '?';
    value[length] = '\0';
    return length > 0;
}

clradio_status clr_dada_number(const clr_dada_header *header, const char *keyword, double fallback,
                               double *value)
{
    char text[128];
    *value = fallback;
    if (clr_dada_text(header, keyword, text, sizeof text) && !clr_parse_double(text, value))
        return clr_fail(CLRADIO_ERROR_FORMAT, "%s is '%s', which is no number", keyword, text);
    return CLRADIO_OK;
}

clradio_status clr_dada_count(const clr_dada_header *header, const char *keyword, uint64_t fallback,
                              uint64_t *value)
{
    char text[128];
    *value = fallback;
    if (!clr_dada_text(header, keyword, text, sizeof text) || clr_parse_u64(text, value))
        return CLRADIO_OK;
    /* Values have no type: 4e6 and 8.0 are counts too. */
    double number;
    if (!clr_parse_double(text, &number) || number < 0 || number > 9e15 ||
        number != (double)(uint64_t)number)
        return clr_fail(CLRADIO_ERROR_FORMAT, "%s is '%s', which is no count", keyword, text);
    *value = (uint64_t)number;
    return CLRADIO_OK;
}

void clr_dada_add_rows(clr_source *source, const clr_dada_header *header)
{
    enum { MOST_ROWS = 1000 };
    size_t rows = 0;
    for (const char *line = header->text; *line && rows < MOST_ROWS;) {
        const char *at = line + strspn(line, " \t\r");
        size_t length = strcspn(at, " \t=\r\n#");
        char keyword[64], value[256];
        if (length && length < sizeof keyword) {
            memcpy(keyword, at, length);
            keyword[length] = '\0';
            if (isalpha((unsigned char)*keyword) &&
                clr_dada_text(header, keyword, value, sizeof value)) {
                clr_source_add_row(source, keyword, "%s", value);
                rows++;
            }
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}
