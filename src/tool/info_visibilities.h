/* What clradio info says of UVH5 files. */
#ifndef CLR_TOOL_INFO_VISIBILITIES_H
#define CLR_TOOL_INFO_VISIBILITIES_H

#include "tool/exit_codes.h"
#include "tool/json.h"

/* files: JSON, or NULL for text. */
clr_exit clr_info_visibilities(const char *path, clr_json *files);

#endif
