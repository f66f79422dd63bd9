/* The commands: one line each in commands.c, one file each beside it. */
#ifndef CLR_TOOL_COMMANDS_H
#define CLR_TOOL_COMMANDS_H

#include "tool/exit_codes.h"

#include <stddef.h>

/* argv[0] is the command's name. Answers --help (clr_options_read does), says its own errors. */
typedef clr_exit clr_command_function(int argc, char **argv);

typedef struct clr_command {
    const char *name;
    const char *summary; /* one line of `clradio help` */
    clr_command_function *run;
} clr_command;

extern const clr_command clr_commands[];
extern const size_t clr_command_count;

#endif
