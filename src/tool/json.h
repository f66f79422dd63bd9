/* JSON output through Jansson. In a build without it, clr_json_ready says so and the rest does
 * nothing. Memory failures show at the end, in clr_json_print. */
#ifndef CLR_TOOL_JSON_H
#define CLR_TOOL_JSON_H

#include "tool/exit_codes.h"

#include <stdint.h>
#include <stdio.h>

typedef struct clr_json clr_json; /* an object or an array */

/* CLR_EXIT_CARRY_ON, or the exit code after saying that this build has no JSON. */
clr_exit clr_json_ready(void);
/* The same for JSON that will go to a file: whether it can be created is said before the work. */
clr_exit clr_json_writable(const char *path);

clr_json *clr_json_object(void);
/* A new object or array under key of an object (key is NULL in an array); belongs to its parent. */
clr_json *clr_json_add_object(clr_json *parent, const char *key);
clr_json *clr_json_add_array(clr_json *parent, const char *key);
void clr_json_add_text(clr_json *parent, const char *key, const char *text);
void clr_json_add_whole(clr_json *parent, const char *key, int64_t value);
void clr_json_add_real(clr_json *parent, const char *key, double value);
void clr_json_add_truth(clr_json *parent, const char *key, int value);

/* Prints and frees an object made by clr_json_object. */
clr_exit clr_json_print(clr_json *root, FILE *stream);
/* The same into a file, which appears when it is whole. */
clr_exit clr_json_write(clr_json *root, const char *path);

#endif
