/* Whether two names lead to one file. */
#ifndef CLR_TOOL_SAME_FILE_H
#define CLR_TOOL_SAME_FILE_H

#include "tool/say.h"

#include <stddef.h>

/* CLR_EXIT_CARRY_ON, or a usage error when output (may be NULL) is one of the inputs. */
clr_exit clr_refuse_input_as_output(const char *command, const char *output, char *const *inputs,
                                    size_t n_inputs);

#endif
