/* What is wrong with the name of an output: said before anything is computed. */
#ifndef CLR_TOOL_SAME_FILE_H
#define CLR_TOOL_SAME_FILE_H

#include "tool/say.h"

#include <stddef.h>

/* CLR_EXIT_CARRY_ON, or a usage error when output (may be NULL) is one of the inputs. */
clr_exit clr_refuse_input_as_output(const char *command, const char *output, char *const *inputs,
                                    size_t n_inputs);
/* CLR_EXIT_CARRY_ON, or a usage error when two of the outputs (NULL: none; "-") are one file, of
 * which only the later would be left. Files that are not there yet count. */
clr_exit clr_refuse_one_output(const char *command, const char *const *outputs, size_t n_outputs);
/* CLR_EXIT_CARRY_ON when a file of that name can be made beside what a command prints; path may be
 * NULL. "-" would be one. */
clr_exit clr_writable(const char *path);

#endif
