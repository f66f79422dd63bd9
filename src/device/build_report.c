/* Finds the places that a compiler's log names, and shows the source around them. */
#include "device/build_report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 4, LINES_AROUND = 3, MOST_LOG_BYTES = 4096, LONGEST_LINE = 160 };
enum { NAME_BYTES = 64, MOST_FILES = 64 };

typedef struct place {
    const char *file;
    unsigned line;
} place;

/* Walks a flattened source line by line and knows where each came from. */
typedef struct walk {
    const char *next; /* the next line */
    const char *text; /* this one */
    size_t length;
    char file[NAME_BYTES];
    unsigned line;
    unsigned physical; /* counted from the start of the flattened source, marks included */
} walk;

/* `#line N "file"`: 1 and the place of the line that follows. */
static int line_mark(walk *at)
{
    unsigned line = 0;
    char file[NAME_BYTES];
    if (strncmp(at->text, "#line ", 6) ||
        sscanf(at->text, "#line %u \"%63[^\"\n]\"", &line, file) != 2)
        return 0;
    clr_copy_text(at->file, sizeof at->file, file);
    at->line = line - 1;
    return 1;
}

static int next_line(walk *at)
{
    while (*at->next) {
        at->text = at->next;
        at->length = strcspn(at->text, "\n");
        at->next = at->text + at->length + (at->text[at->length] == '\n');
        at->physical++;
        if (line_mark(at))
            continue;
        at->line++;
        return 1;
    }
    return 0;
}

static walk begin(const char *source)
{
    return (walk){ .next = source };
}

/* The names in the marks, each once. */
static size_t list_files(const char *source, char files[MOST_FILES][NAME_BYTES])
{
    size_t n = 0;
    for (walk at = begin(source); next_line(&at);) {
        size_t i = 0;
        while (i < n && strcmp(files[i], at.file))
            i++;
        if (i == n && n < MOST_FILES && at.file[0])
            clr_copy_text(files[n++], NAME_BYTES, at.file);
    }
    return n;
}

/* The file:line or file(line) at a place in the log; 0 when there is none. */
static unsigned line_after(const char *log, const char *file)
{
    size_t length = strlen(file);
    if (strncmp(log, file, length) || (log[length] != ':' && log[length] != '(') ||
        !isdigit((unsigned char)log[length + 1]))
        return 0;
    unsigned long line = strtoul(log + length + 1, NULL, 10);
    return line < 10000000 ? (unsigned)line : 0;
}

/* NVIDIA's OpenCL compiler ignores #line: it names lines of the flattened source, "<kernel>:282".
 */
static place place_of_physical(const char *source, char files[MOST_FILES][NAME_BYTES],
                               size_t n_files, unsigned physical)
{
    for (walk at = begin(source); physical && next_line(&at);)
        for (size_t f = 0; at.physical == physical && f < n_files; f++)
            if (!strcmp(files[f], at.file))
                return (place){ files[f], at.line };
    return (place){ 0 };
}

/* The place that one line of a log names; .line is 0 when it names none. */
static place place_on_line(const char *shown, const char *source,
                           char files[MOST_FILES][NAME_BYTES], size_t n_files)
{
    for (size_t at = 0; shown[at]; at++) {
        unsigned physical = line_after(shown + at, "<kernel>");
        if (physical)
            return place_of_physical(source, files, n_files, physical);
        for (size_t f = 0; f < n_files; f++) {
            unsigned line = line_after(shown + at, files[f]);
            if (line && (at == 0 || !isalnum((unsigned char)shown[at - 1])))
                return (place){ files[f], line };
        }
    }
    return (place){ 0 };
}

/* Places named on lines of the log that speak of an error (or on any, when errors is 0). */
static size_t find_places(const char *log, const char *source, char files[MOST_FILES][NAME_BYTES],
                          size_t n_files, int errors, place places[MOST_PLACES])
{
    size_t n = 0;
    for (const char *line = log; *line && n < MOST_PLACES;) {
        size_t length = strcspn(line, "\n");
        char shown[1024];
        clr_copy_text(shown, length + 1 < sizeof shown ? length + 1 : sizeof shown, line);
        place found = place_on_line(shown, source, files, n_files);
        int wanted = found.line && (!errors || clr_contains(shown, "error"));
        for (size_t i = 0; i < n; i++)
            if (places[i].file == found.file && places[i].line == found.line)
                wanted = 0;
        if (wanted)
            places[n++] = found;
        line += length + (line[length] == '\n');
    }
    return n;
}

static void show_place(const char *source, const place *at, clr_text *text)
{
    unsigned first = at->line > LINES_AROUND ? at->line - LINES_AROUND : 1, shown = 0;
    for (walk line = begin(source); next_line(&line);) {
        if (strcmp(line.file, at->file) || line.line < first || line.line > at->line + LINES_AROUND)
            continue;
        if (line.line < first + shown) /* the second copy of a file that is included twice */
            break;
        if (!shown++)
            clr_text_add(text, "%s, around line %u:\n", at->file, at->line);
        int length = line.length < LONGEST_LINE ? (int)line.length : LONGEST_LINE;
        clr_text_add(text, "%c%5u | %.*s\n", line.line == at->line ? '>' : ' ', line.line, length,
                     line.text);
    }
}

void clr_build_report(const char *source, const char *log, clr_text *text)
{
    while (log && isspace((unsigned char)*log))
        log++;
    if (!log || !*log) {
        clr_text_add(text, "(the compiler gave no log)\n");
        return;
    }
    size_t length = strlen(log), kept = length;
    while (kept && isspace((unsigned char)log[kept - 1]))
        kept--;
    if (kept > MOST_LOG_BYTES) {
        kept = MOST_LOG_BYTES;
        clr_text_add(text, "%.*s\n(... %zu bytes more)\n", (int)kept, log, length - kept);
    } else {
        clr_text_add(text, "%.*s\n", (int)kept, log);
    }
    char(*files)[NAME_BYTES] = malloc(MOST_FILES * sizeof *files);
    if (!files)
        return;
    size_t n_files = list_files(source, files);
    place places[MOST_PLACES];
    size_t n = find_places(log, source, files, n_files, 1, places);
    if (!n)
        n = find_places(log, source, files, n_files, 0, places);
    for (size_t i = 0; i < n; i++)
        show_place(source, &places[i], text);
    free(files);
}
