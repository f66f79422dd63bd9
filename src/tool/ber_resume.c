/*
 * The state of clradio ber in a text file: the link in one line, then a line a point, and a
 * checksum of all that. What is read is checked like any input: a file that was altered, of another
 * link, or with numbers that cannot be, is refused.
 */
#include "tool/ber.h"

#include "base/file.h"
#include "base/sha256.h"
#include "tool/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char first_line[] = "clradio ber state 2";
static const char without_sum[] = "clradio ber state 1"; /* of an earlier clradio */

enum { WHOLE_NUMBERS = 11, FIELDS = WHOLE_NUMBERS + 4, MOST_BYTES = 1 << 22 };

/* "sha256=", 64 digits, the line's end, a terminating zero: of all bytes before it, the last line.
 */
enum { SUM_LINE = 7 + 64 + 1 };

static void write_sum(const char *bytes, size_t count, char line[SUM_LINE + 1])
{
    unsigned char digest[32];
    char digits[65];
    clr_sha256_of(bytes, count, digest);
    clr_sha256_hex(digest, digits);
    snprintf(line, SUM_LINE + 1, "sha256=%s\n", digits);
}

/* The whole numbers of a line in their order. */
static void numbers_of(clradio_montecarlo_counts *counts, uint64_t *numbers[WHOLE_NUMBERS])
{
    uint64_t *all[WHOLE_NUMBERS] = { &counts->vectors,       &counts->bits,
                                     &counts->bit_errors,    &counts->symbol_errors,
                                     &counts->vector_errors, &counts->squares,
                                     &counts->by_status[0],  &counts->by_status[1],
                                     &counts->by_status[2],  &counts->by_status[3],
                                     &counts->by_status[4] };
    memcpy(numbers, all, sizeof all);
}

static void write_state(const clr_ber *ber, clr_text *to)
{
    char sum[SUM_LINE + 1];
    clr_text_add(to, "%s\n%s\nmin-errors=%" PRIu64 " max-vectors=%" PRIu64 "\n", first_line,
                 ber->about.bytes, ber->request->min_errors, ber->request->max_vectors);
    for (size_t i = 0; i < ber->count; i++) {
        clradio_montecarlo_point state = ber->points[i].state;
        uint64_t *numbers[WHOLE_NUMBERS];
        if (!state.counts.vectors)
            continue;
        numbers_of(&state.counts, numbers);
        clr_text_add(to, "%" PRIu32 " %" PRIu64, state.point, state.counts.nodes);
        for (int k = 0; k < WHOLE_NUMBERS; k++)
            clr_text_add(to, " %" PRIu64, *numbers[k]);
        clr_text_add(to, " %.17g %s\n", state.seconds, clradio_montecarlo_end_name(state.end));
    }
    if (ber->kept.length)
        clr_text_add_bytes(to, ber->kept.bytes, ber->kept.length);
    if (to->failed)
        return;
    write_sum(to->bytes, to->length, sum);
    clr_text_add_bytes(to, sum, SUM_LINE);
}

clradio_status clr_ber_save(const clr_ber *ber, const char *path)
{
    clr_text text = { 0 };
    clr_new_file file;
    write_state(ber, &text);
    clradio_status status = text.failed || ber->kept.failed
                                ? clr_fail(CLRADIO_ERROR_MEMORY, "no memory for '%s'", path)
                                : clr_new_file_begin(path, 0644, &file);
    if (status) {
        clr_text_free(&text);
        return status;
    }
    fputs(text.bytes, file.stream);
    clr_text_free(&text);
    if (fflush(file.stream) || ferror(file.stream)) {
        clr_new_file_abandon(&file);
        return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    }
    return clr_new_file_commit(&file);
}

/* Cuts text at its next separator; NULL at the end. */
static char *next_part(char **text, const char *separators)
{
    char *part = *text;
    if (!part || !*part)
        return NULL;
    char *end = part + strcspn(part, separators);
    *text = *end ? end + 1 : end;
    *end = '\0';
    return part;
}

/* Numbers that one another allow. */
static int counts_can_be(const clr_ber *ber, const clradio_montecarlo_counts *c)
{
    uint64_t sum = 0;
    for (int i = 0; i < 5; i++) {
        if (c->by_status[i] > c->vectors)
            return 0;
        sum += c->by_status[i];
    }
    return c->vectors && c->vectors <= UINT64_MAX / ber->bits / ber->bits &&
           c->bits == c->vectors * ber->bits && c->bit_errors <= c->bits && sum == c->vectors &&
           c->symbol_errors <= c->bit_errors && c->vector_errors <= c->symbol_errors &&
           c->vector_errors <= c->vectors && c->squares >= c->bit_errors &&
           c->squares <= c->bit_errors * ber->bits;
}

static int read_end(const char *word, clradio_montecarlo_end *end)
{
    for (int i = CLRADIO_MONTECARLO_RUNNING; i <= CLRADIO_MONTECARLO_STOPPED; i++)
        if (strcmp(word, clradio_montecarlo_end_name((clradio_montecarlo_end)i)) == 0) {
            *end = (clradio_montecarlo_end)i;
            return 1;
        }
    return 0;
}

static int read_point(clr_ber *ber, char *line)
{
    char *field[FIELDS];
    int n = 0;
    uint64_t number, *numbers[WHOLE_NUMBERS];
    clradio_montecarlo_counts counts = { 0 };
    double seconds;
    clradio_montecarlo_end end;
    for (char *part; (part = next_part(&line, " ")) != NULL; n++) {
        if (n == FIELDS)
            return 0;
        field[n] = part;
    }
    if (n != FIELDS || !clr_parse_u64(field[0], &number) || number > UINT32_MAX ||
        !clr_parse_u64(field[1], &counts.nodes))
        return 0;
    numbers_of(&counts, numbers);
    for (int k = 0; k < WHOLE_NUMBERS; k++)
        if (!clr_parse_u64(field[2 + k], numbers[k]))
            return 0;
    if (!clr_parse_double(field[FIELDS - 2], &seconds) || seconds < 0 ||
        !read_end(field[FIELDS - 1], &end) || !counts_can_be(ber, &counts))
        return 0;
    for (size_t i = 0; i < ber->count; i++)
        if (ber->points[i].state.point == (uint32_t)number) {
            ber->points[i].state.counts = counts;
            ber->points[i].state.seconds = seconds;
            ber->points[i].state.end = end;
            return 1;
        }
    for (int k = 0; k < FIELDS; k++)
        clr_text_add(&ber->kept, "%s%s", field[k], k + 1 < FIELDS ? " " : "\n");
    return 1;
}

/* "name=number" */
static int read_named(const char *part, const char *name, uint64_t *number)
{
    const size_t length = strlen(name);
    return part && strncmp(part, name, length) == 0 && part[length] == '=' &&
           clr_parse_u64(part + length + 1, number);
}

static clr_exit read_rule(const clr_ber *ber, char *line, const char *path)
{
    uint64_t errors, vectors;
    const char *first = next_part(&line, " "), *second = next_part(&line, " ");
    if (!read_named(first, "min-errors", &errors) || !read_named(second, "max-vectors", &vectors) ||
        next_part(&line, " "))
        return clr_say(CLR_EXIT_DAMAGED, "'%s' is damaged: line 3 is no rule", path);
    if (errors > ber->request->min_errors || vectors > ber->request->max_vectors)
        return clr_say(CLR_EXIT_USAGE,
                       "'%s' was counted with --min-errors %" PRIu64 " --max-vectors %" PRIu64
                       ": going on takes at least as many",
                       path, errors, vectors);
    return CLR_EXIT_OK;
}

/* Whether the file is one and whole: the first line and the last, which is cut off. */
static clr_exit check_whole(char *text, size_t count, const char *path)
{
    const size_t head = sizeof first_line - 1;
    char sum[SUM_LINE + 1];
    if (strlen(text) != count || !count || text[count - 1] != '\n')
        return clr_say(CLR_EXIT_DAMAGED, "'%s' is damaged: it is no whole text", path);
    if (strncmp(text, without_sum, head) == 0 && text[head] == '\n')
        return clr_say(CLR_EXIT_DAMAGED,
                       "'%s' is the state of an earlier clradio, without a checksum: give --resume "
                       "another name and count anew",
                       path);
    if (strncmp(text, first_line, head) != 0 || text[head] != '\n')
        return clr_say(CLR_EXIT_DAMAGED,
                       "'%s' is no state of clradio ber: give --resume a name of its own", path);
    if (count < SUM_LINE || text[count - SUM_LINE - 1] != '\n' ||
        strncmp(text + count - SUM_LINE, "sha256=", 7) != 0)
        return clr_say(CLR_EXIT_DAMAGED, "'%s' is damaged: its last line is no checksum", path);
    write_sum(text, count - SUM_LINE, sum);
    if (strcmp(text + count - SUM_LINE, sum) != 0)
        return clr_say(CLR_EXIT_DAMAGED, "'%s' is damaged: its checksum is that of another text",
                       path);
    text[count - SUM_LINE] = '\0';
    return CLR_EXIT_OK;
}

static clr_exit read_state(clr_ber *ber, char *text, const char *path)
{
    (void)next_part(&text, "\n"); /* the first line */
    const char *about = next_part(&text, "\n");
    if (!about || strcmp(about, ber->about.bytes) != 0)
        return clr_say(CLR_EXIT_USAGE,
                       "'%s' is the state of another link, detector or seed: %.200s", path,
                       about ? about : "");
    clr_exit answer = read_rule(ber, next_part(&text, "\n"), path);
    unsigned line = 3;
    for (char *part; !answer && (part = next_part(&text, "\n")) != NULL;) {
        line++;
        if (!read_point(ber, part))
            answer = clr_say(CLR_EXIT_DAMAGED, "'%s' is damaged: line %u has no counts that can be",
                             path, line);
    }
    return answer;
}

clr_exit clr_ber_load(clr_ber *ber, const char *path)
{
    unsigned char *bytes;
    size_t count;
    if (access(path, F_OK) != 0)
        return CLR_EXIT_OK;
    clradio_status status = clr_file_read(path, MOST_BYTES, &bytes, &count);
    if (status)
        return clr_say_status(status);
    clr_exit answer = check_whole((char *)bytes, count, path);
    if (!answer)
        answer = read_state(ber, (char *)bytes, path);
    free(bytes);
    return answer;
}
