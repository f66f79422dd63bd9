/* What clradio info says of array files. */
#ifndef CLR_TOOL_INFO_ARRAYS_H
#define CLR_TOOL_INFO_ARRAYS_H

#include "tool/exit_codes.h"
#include "tool/json.h"

/* Says what an array file holds, or a UVH5 file (files: JSON, or NULL for text). CLR_EXIT_CARRY_ON:
 * it is none. */
clr_exit clr_info_arrays(const char *path, clr_json *files);

#endif
