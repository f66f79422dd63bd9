/* What is wrong with the name of an output. */
#include "tool/same_file.h"

#include "base/file.h"
#include "base/text.h"

#include <string.h>
#include <sys/stat.h>

clr_exit clr_refuse_input_as_output(const char *command, const char *output, char *const *inputs,
                                    size_t n_inputs)
{
    struct stat one, other;
    if (!output || stat(output, &one))
        return CLR_EXIT_CARRY_ON;
    for (size_t i = 0; i < n_inputs; i++)
        if (!stat(inputs[i], &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino)
            return clr_say(CLR_EXIT_USAGE, "%s: '%s' is an input, it is not overwritten", command,
                           output);
    return CLR_EXIT_CARRY_ON;
}

/* The folder that a name lies in, and the name in it. */
static const char *split_name(const char *path, struct stat *folder)
{
    const char *slash = strrchr(path, '/');
    clr_text text = { 0 };
    clr_text_add(&text, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    if (text.failed || stat(text.bytes, folder))
        memset(folder, 0, sizeof *folder);
    clr_text_free(&text);
    return slash ? slash + 1 : path;
}

static int one_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (!stat(a, &of_a) && !stat(b, &of_b))
        return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    const char *name_a = split_name(a, &of_a), *name_b = split_name(b, &of_b);
    return !strcmp(name_a, name_b) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

clr_exit clr_refuse_one_output(const char *command, const char *const *outputs, size_t n_outputs)
{
    for (size_t i = 0; i < n_outputs; i++)
        for (size_t j = 0; j < i; j++)
            if (outputs[i] && outputs[j] && strcmp(outputs[i], "-") != 0 &&
                one_file(outputs[i], outputs[j]))
                return clr_say(CLR_EXIT_USAGE, "%s: '%s' is named for two outputs", command,
                               outputs[i]);
    return CLR_EXIT_CARRY_ON;
}

clr_exit clr_writable(const char *path)
{
    clr_new_file file;
    if (path && !strcmp(path, "-"))
        return clr_say(CLR_EXIT_USAGE, "standard output has the table: name a file, not '-'");
    clradio_status status = path ? clr_new_file_begin(path, 0644, &file) : CLRADIO_OK;
    if (status)
        return clr_say_status(status);
    if (path)
        clr_new_file_abandon(&file);
    return CLR_EXIT_CARRY_ON;
}
