/* Files: whole reads with a limit, and writes that appear under their final name only when whole.
 */
#ifndef CLR_BASE_FILE_H
#define CLR_BASE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reads a whole regular file of at most limit bytes into *bytes (malloc, one NUL behind the
 * content); a FIFO or a device is refused, not waited for. Errors: IO (the sentence names the
 * file), MEMORY. */
clradio_status clr_file_read(const char *path, size_t limit, unsigned char **bytes, size_t *count);

/* A file being written under a temporary name in the same directory. Commit syncs and renames it;
 * abandon deletes it. */
typedef struct clr_new_file {
    FILE *stream;
    char *path;
    char *temporary;
} clr_new_file;

/* mode: permission bits. The stream is open for writing (and reading). */
clradio_status clr_new_file_begin(const char *path, unsigned mode, clr_new_file *file);
clradio_status clr_new_file_commit(clr_new_file *file);
void clr_new_file_abandon(clr_new_file *file);
/* Where a new file has to be renamed to: the end of symbolic links, as an open would follow them (a
 * rename onto a link would replace the link, /dev/stdout for one). What is there must be a regular
 * file, or nothing. malloc'ed. Errors: IO, MEMORY. */
clradio_status clr_final_name(const char *path, char **final);
/* For writers that open the file themselves (HDF5): "dir/.name.XXXXXX", created empty. Keep syncs
 * it and renames it to path, drop deletes it (NULL: nothing to do); either sets *temporary to NULL.
 * A keep that failed leaves it to drop. */
clradio_status clr_temporary_name(const char *path, unsigned mode, char **temporary);
clradio_status clr_temporary_keep(char **temporary, const char *path);
void clr_temporary_drop(char **temporary);
/* Deletes every such file of this process, for a signal's handler that ends it: nothing but unlink
 * is called. */
void clr_temporary_remove_all(void);

/* mkdir -p; new directories get mode. */
clradio_status clr_make_directories(const char *path, unsigned mode);

#endif
