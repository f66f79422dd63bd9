/* Kernel sources: the embedded table, the development folder, includes resolved on the host. */
#include "device/flatten.h"

#include "base/file.h"
#include "device/kernels.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 16, LARGEST = 4 << 20, LONGEST_NAME = 64 };

/* The chain of files that include one another, innermost first. */
typedef struct place {
    const char *name;
    unsigned line;
    unsigned depth;
    const struct place *parent;
} place;

static int letter(int c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* File names are plain: no folders, nothing hidden, nothing that needs quoting. */
static int plain_name(const char *name)
{
    size_t length = strlen(name);
    if (!length || length >= LONGEST_NAME || *name == '.')
        return 0;
    for (; *name; name++)
        if (!letter(*name) && *name != '.' && *name != '-')
            return 0;
    return 1;
}

static const clr_kernel_source *embedded(const char *name)
{
    for (unsigned i = 0; i < clr_kernel_source_count; i++)
        if (!strcmp(clr_kernel_sources[i].name, name))
            return &clr_kernel_sources[i];
    return NULL;
}

static clradio_status unknown_file(const char *name, const place *from)
{
    const char **names = malloc((clr_kernel_source_count + 1) * sizeof *names);
    size_t n = 0;
    for (; names && n < clr_kernel_source_count; n++)
        names[n] = clr_kernel_sources[n].name;
    size_t near = names ? clr_closest(name, names, n) : n;
    const char *hint = near < n ? names[near] : NULL;
    clradio_status status = CLRADIO_ERROR_ARGUMENT;
    if (from)
        clr_fail(status, "%s:%u includes '%s', and there is no such kernel file%s%s%s", from->name,
                 from->line, name, hint ? "; did you mean '" : "", hint ? hint : "",
                 hint ? "'?" : "");
    else
        clr_fail(status, "there is no kernel file '%s'%s%s%s", name, hint ? "; did you mean '" : "",
                 hint ? hint : "", hint ? "'?" : "");
    free(names);
    return status;
}

/* *owned is what to free afterwards, NULL for an embedded file. */
static clradio_status find_source(const char *name, const place *from, const char **bytes,
                                  size_t *count, unsigned char **owned)
{
    *owned = NULL;
    const char *folder = getenv("CLRADIO_KERNEL_DIR");
    if (folder && *folder && plain_name(name)) {
        clr_text path = { 0 };
        clr_text_add(&path, "%s/%s", folder, name);
        if (path.failed) {
            clr_text_free(&path);
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a file name");
        }
        clradio_status status = CLRADIO_OK;
        int there = !access(path.bytes, F_OK);
        /* A folder may have some of the files; one that is not there was meant to have them. */
        if (!there && access(folder, R_OK | X_OK))
            status = clr_fail(CLRADIO_ERROR_IO, "CLRADIO_KERNEL_DIR names '%s': %s", folder,
                              strerror(errno));
        if (there) {
            clr_log(CLRADIO_LOG_DEBUG, "build", "%s is read from %s", name, folder);
            status = clr_file_read(path.bytes, LARGEST, owned, count);
            *bytes = (const char *)*owned;
        }
        clr_text_free(&path);
        if (there || status)
            return status;
    }
    const clr_kernel_source *source = embedded(name);
    if (!source)
        return unknown_file(name, from);
    *bytes = (const char *)source->bytes;
    *count = source->count;
    return CLRADIO_OK;
}

/* Whether the next character stands in a block comment after this line. Text in quotes and line
 * comments hides the marks. */
static int comment_after(const char *line, size_t length, int inside)
{
    char quote = 0;
    for (size_t i = 0; i < length; i++) {
        char c = line[i], next = i + 1 < length ? line[i + 1] : 0;
        if (inside) {
            if (c == '*' && next == '/')
                inside = 0, i++;
        } else if (quote) {
            if (c == '\\')
                i++;
            else if (c == quote)
                quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '/' && next == '/') {
            break;
        } else if (c == '/' && next == '*') {
            inside = 1, i++;
        }
    }
    return inside;
}

/* Where `#include` ends in the line, or NULL when the line is something else. */
static const char *include_directive(const char *line, const char *end)
{
    static const char word[] = "include";
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (line == end || *line++ != '#')
        return NULL;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    size_t length = sizeof word - 1;
    if ((size_t)(end - line) < length || memcmp(line, word, length))
        return NULL;
    line += length;
    return line < end && letter(*line) ? NULL : line;
}

static int included_name(const char *at, const char *end, char name[LONGEST_NAME])
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == end || *at++ != '"')
        return 0;
    const char *close = memchr(at, '"', (size_t)(end - at));
    if (!close || close - at >= LONGEST_NAME)
        return 0;
    memcpy(name, at, (size_t)(close - at));
    name[close - at] = '\0';
    return plain_name(name);
}

static clradio_status add_file(const char *name, const place *from, clr_text *text);

static clradio_status add_include(const char *at, const char *end, const place *here,
                                  clr_text *text)
{
    char name[LONGEST_NAME];
    if (!included_name(at, end, name))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%s:%u: an include must be of the form #include \"file.cl\"", here->name,
                        here->line);
    clradio_status status = add_file(name, here, text);
    if (!status)
        clr_text_add(text, "#line %u \"%s\"\n", here->line + 1, here->name);
    return status;
}

static clradio_status add_lines(const char *bytes, size_t count, place *here, clr_text *text)
{
    const char *end = bytes + count;
    int comment = 0;
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = newline ? newline : end;
        const char *include = comment ? NULL : include_directive(bytes, stop);
        if (include) {
            clradio_status status = add_include(include, stop, here, text);
            if (status)
                return status;
        } else {
            size_t kept = (size_t)(stop - bytes);
            if (kept && bytes[kept - 1] == '\r')
                kept--;
            comment = comment_after(bytes, kept, comment);
            clr_text_add_bytes(text, bytes, kept);
            clr_text_add_bytes(text, "\n", 1);
        }
        here->line++;
        bytes = newline ? newline + 1 : end;
    }
    return CLRADIO_OK;
}

static clradio_status check_place(const char *name, const place *from)
{
    for (const place *above = from; above; above = above->parent)
        if (!strcmp(above->name, name))
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s:%u: '%s' includes itself", from->name,
                            from->line, name);
    if (from && from->depth + 1 >= DEEPEST)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s:%u: includes are nested deeper than %d",
                        from->name, from->line, DEEPEST);
    return CLRADIO_OK;
}

static clradio_status add_file(const char *name, const place *from, clr_text *text)
{
    clradio_status status = check_place(name, from);
    if (status)
        return status;
    const char *bytes = NULL;
    size_t count = 0;
    unsigned char *owned;
    status = find_source(name, from, &bytes, &count, &owned);
    if (status)
        return status;
    if (!bytes || memchr(bytes, '\0', count)) {
        status = clr_fail(CLRADIO_ERROR_ARGUMENT, "the kernel file '%s' is not text", name);
        free(owned);
        return status;
    }
    char guard[LONGEST_NAME];
    for (size_t i = 0;; i++) {
        guard[i] = (char)(!name[i] || letter(name[i]) ? name[i] : '_');
        if (!name[i])
            break;
    }
    clr_text_add(text,
                 "#line 1 \"guards\"\n#ifndef CLR_INCLUDED_%s\n#define CLR_INCLUDED_%s\n"
                 "#line 1 \"%s\"\n",
                 guard, guard, name);
    place here = { name, 1, from ? from->depth + 1 : 0, from };
    status = add_lines(bytes, count, &here, text);
    clr_text_add(text, "#line 3 \"guards\"\n#endif\n");
    free(owned);
    if (!status && text->length > LARGEST)
        status = clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' with its includes is larger than %d bytes",
                          name, LARGEST);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const clr_macro *const *)a)->name, (*(const clr_macro *const *)b)->name);
}

static clradio_status check_macro(const clr_macro *macro, const clr_macro *next)
{
    const char *name = macro->name;
    int good = name && *name && !isdigit((unsigned char)*name);
    for (const char *c = name; good && *c; c++)
        good = letter(*c);
    if (!good)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' is no name for a macro", name ? name : "");
    if (next && !strcmp(name, next->name))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the macro '%s' is given twice", name);
    return CLRADIO_OK;
}

static clradio_status add_macros(const clr_macro *macros, size_t n_macros, clr_text *text)
{
    const clr_macro **sorted = malloc((n_macros + 1) * sizeof *sorted);
    if (!sorted)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu macros", n_macros);
    for (size_t i = 0; i < n_macros; i++)
        sorted[i] = &macros[i];
    clradio_status status = CLRADIO_OK;
    for (size_t i = 0; i < n_macros && !status; i++)
        status = check_macro(sorted[i], NULL);
    if (!status)
        qsort(sorted, n_macros, sizeof *sorted, by_name);
    clr_text_add(text, "#line 1 \"macros\"\n");
    for (size_t i = 0; i < n_macros && !status; i++) {
        status = check_macro(sorted[i], i + 1 < n_macros ? sorted[i + 1] : NULL);
        /* Written out, the most negative value would be an overflowing constant with a minus. */
        if (sorted[i]->value == INT64_MIN)
            clr_text_add(text, "#define %s (-9223372036854775807 - 1)\n", sorted[i]->name);
        else if (sorted[i]->value < 0)
            clr_text_add(text, "#define %s (%" PRId64 ")\n", sorted[i]->name, sorted[i]->value);
        else
            clr_text_add(text, "#define %s %" PRId64 "\n", sorted[i]->name, sorted[i]->value);
    }
    free(sorted);
    return status;
}

clradio_status clr_flatten(const char *name, const clr_macro *macros, size_t n_macros,
                           clr_text *text)
{
    clradio_status status = add_macros(macros, n_macros, text);
    if (!status)
        status = add_file(name, NULL, text);
    if (!status && text->failed)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the source of '%s'", name);
    return status;
}
