/*
 * One string from a kernel file: host macros first, then the file with its includes spliced in,
 * under #line marks. The same string goes to every compiler and into the cache's key, so an edited
 * include or a changed macro is another program.
 */
#ifndef CLR_DEVICE_FLATTEN_H
#define CLR_DEVICE_FLATTEN_H

#include "base/text.h"
#include "device/device.h"

/*
 * Appends to text: one #define a macro, sorted by name, under the file name "macros"; then the file
 * `name`. Includes are `#include "x.cl"`, found in the embedded table, or first in
 * $CLRADIO_KERNEL_DIR when that is set. A file takes effect once however often it is included (a
 * guard is put around each copy). Errors: ARGUMENT for an unknown file, an include of any other
 * form, a file that includes itself, a macro given twice or with a name that is no identifier;
 * MEMORY; IO.
 */
clradio_status clr_flatten(const char *name, const clr_macro *macros, size_t n_macros,
                           clr_text *text);

#endif
