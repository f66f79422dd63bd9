/* What clradio info says of array files. */
#ifndef CLR_TOOL_INFO_ARRAYS_H
#define CLR_TOOL_INFO_ARRAYS_H

#include "tool/json.h"

/* Says what an array file holds (files: JSON, or NULL for text): 1; 0 when it is none, or a UVH5
 * file, which has a reader of its own. */
int clr_info_arrays(const char *path, clr_json *files);

#endif
