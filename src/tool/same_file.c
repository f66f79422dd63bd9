/* What is wrong with the name of an output. */
#include "tool/same_file.h"

#include "base/file.h"

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
