/* Runs gnuplot on a script. */
#include "tool/gnuplot.h"

#include "base/file.h"
#include "tool/same_file.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends_in(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length > tail && strcmp(text + length - tail, suffix) == 0;
}

clradio_status clr_gnuplot_begin(clr_text *script, const char *picture, unsigned width,
                                 unsigned height)
{
    if (ends_in(picture, ".svg"))
        clr_text_add(script, "set terminal svg size %u,%u font 'sans,13' background rgb 'white'\n",
                     width, height);
    else if (ends_in(picture, ".png") || ends_in(picture, ".gp"))
        clr_text_add(script,
                     "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
                     "set terminal pngcairo size %u,%u font 'sans,11' background rgb 'white'\n"
                     "} else {\nset terminal png size %u,%u\n}\n",
                     width, height, width, height);
    else
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "'%s' is no picture name: it must end in .png, .svg or .gp", picture);
    clr_text_add(script, "set linetype 5 lc rgb '#777777'\n"); /* gnuplot's is yellow */
    return CLRADIO_OK;
}

static int is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

void clr_gnuplot_quote(clr_text *script, const char *text)
{
    clr_text_add(script, "'");
    /* The end of a line would end the string, and what follows would be a command: names come from
     * files. */
    for (; *text; text++)
        clr_text_add(script, *text == '\'' ? "''" : "%c", is_control(*text) ? '?' : *text);
    clr_text_add(script, "'");
}

/* The first line of what gnuplot said that is not a picture of the place of the error. */
static void first_words(FILE *said, char *text, size_t room)
{
    char line[256];
    *text = '\0';
    rewind(said);
    while (fgets(line, sizeof line, said)) {
        line[strcspn(line, "\n")] = '\0';
        const char *words = line + strspn(line, " \t^");
        if (*words) {
            clr_copy_text(text, room, words);
            if (strstr(words, "line "))
                return;
        }
    }
}

static clradio_status run(FILE *script, FILE *said)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions))
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to start gnuplot");
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    char name[] = "gnuplot";
    char *arguments[] = { name, NULL };
    pid_t child = 0;
    int failed = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    int state = 0;
    if (!failed)
        while (waitpid(child, &state, 0) < 0 && errno == EINTR)
            ;
    if (failed == ENOENT || (!failed && WIFEXITED(state) && WEXITSTATUS(state) == 127))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "drawing needs gnuplot, which is not installed (Debian's package is "
                        "gnuplot-nox)");
    if (failed)
        return clr_fail(CLRADIO_ERROR_IO, "cannot start gnuplot: %s", strerror(failed));
    if (!WIFEXITED(state) || WEXITSTATUS(state)) {
        char words[256];
        first_words(said, words, sizeof words);
        return clr_fail(CLRADIO_ERROR_IO, "gnuplot failed: %s",
                        *words ? words : "it did not say why");
    }
    return CLRADIO_OK;
}

clr_exit clr_gnuplot_checked(const char *picture)
{
    clr_text script = { 0 };
    clradio_status status = clr_gnuplot_begin(&script, picture, 1, 1);
    clr_text_free(&script);
    FILE *nothing = tmpfile(), *said = tmpfile();
    if (!status && !ends_in(picture, ".gp") && nothing && said)
        status = run(nothing, said);
    if (nothing)
        fclose(nothing);
    if (said)
        fclose(said);
    return status ? clr_say_status(status) : clr_writable(picture);
}

/* gnuplot does not look whether what it writes arrives: a picture that has its end is whole. */
static clradio_status check_end(const char *name, const char *picture)
{
    const char *end = ends_in(picture, ".svg") ? "</svg>" : "IEND";
    char tail[64] = "";
    FILE *file = fopen(name, "rb");
    size_t count = 0;
    if (file && (!fseek(file, -(long)sizeof tail, SEEK_END) || !fseek(file, 0, SEEK_SET)))
        count = fread(tail, 1, sizeof tail, file);
    if (file)
        fclose(file);
    if (memmem(tail, count, end, strlen(end)))
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_IO,
                    "cannot write '%s': the picture is cut short; is the disk full?", picture);
}

/* Draws into the file of that name. */
static clradio_status draw_into(const char *name, const clr_text *script)
{
    FILE *input = tmpfile(), *said = tmpfile();
    clr_text head = { 0 };
    clradio_status status = CLRADIO_OK;
    clr_text_add(&head, "set output ");
    clr_gnuplot_quote(&head, name);
    clr_text_add(&head, "\n");
    if (!input || !said || script->failed || head.failed)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no room for the drawing's script");
    if (!status && (fwrite(head.bytes, 1, head.length, input) != head.length ||
                    fwrite(script->bytes, 1, script->length, input) != script->length ||
                    fflush(input) || fseek(input, 0, SEEK_SET)))
        status =
            clr_fail(CLRADIO_ERROR_IO, "cannot write the drawing's script: %s", strerror(errno));
    if (!status)
        status = run(input, said);
    if (input)
        fclose(input);
    if (said)
        fclose(said);
    clr_text_free(&head);
    return status;
}

/* The script with the name of the picture that it draws. */
static clradio_status write_script(const char *path, const clr_text *script)
{
    clr_text whole = { 0 };
    clr_new_file file;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    clr_text_add(&whole, "set output ");
    clr_text picture = { 0 };
    clr_text_add(&picture, "%.*spng", (int)(strlen(base) - strlen("gp")), base);
    clradio_status status = CLRADIO_OK;
    if (!picture.failed)
        clr_gnuplot_quote(&whole, picture.bytes);
    clr_text_add(&whole, "\n");
    clr_text_add_bytes(&whole, script->bytes, script->length);
    if (picture.failed || whole.failed || script->failed)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no room for the drawing's script");
    if (!status)
        status = clr_new_file_begin(path, 0644, &file);
    if (!status) {
        fwrite(whole.bytes, 1, whole.length, file.stream);
        status = clr_new_file_commit(&file);
    }
    clr_text_free(&picture);
    clr_text_free(&whole);
    return status;
}

clradio_status clr_gnuplot_draw(const clr_text *script, const char *picture)
{
    char *temporary = NULL, *final = NULL;
    for (const char *at = picture; *at; at++)
        if (is_control(*at))
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "gnuplot takes no picture name with control "
                                                    "characters such as the end of a line");
    if (ends_in(picture, ".gp"))
        return write_script(picture, script);
    clradio_status status = clr_final_name(picture, &final);
    if (!status)
        status = clr_temporary_name(final, 0644, &temporary);
    if (!status) {
        status = draw_into(temporary, script);
        if (!status)
            status = check_end(temporary, final);
        if (!status)
            status = clr_temporary_keep(&temporary, final);
        clr_temporary_drop(&temporary);
    }
    free(final);
    return status;
}
