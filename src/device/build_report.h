/* What a failed build says: the compiler's log, and numbered source around the lines it names. */
#ifndef CLR_DEVICE_BUILD_REPORT_H
#define CLR_DEVICE_BUILD_REPORT_H

#include "base/text.h"

/*
 * Appends to text, in a few kilobytes: the log (cut when long), then for the first places that it
 * names as FILE:LINE or FILE(LINE), files being those of the source's #line marks, the lines around
 * them. source is a flattened one, NUL-terminated; log may be NULL.
 */
void clr_build_report(const char *source, const char *log, clr_text *text);

#endif
