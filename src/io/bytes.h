/* The bytes of one file, or of several parts one after the other, read at any place. */
#ifndef CLR_IO_BYTES_H
#define CLR_IO_BYTES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct clr_bytes_part {
    int descriptor;
    uint64_t first; /* where it stands in the whole */
    uint64_t size;
    char *path;
} clr_bytes_part;

typedef struct clr_bytes {
    clr_bytes_part *part;
    size_t parts;
    uint64_t size;
    unsigned char *window; /* a piece kept for small reads */
    uint64_t window_first;
    size_t window_count;
} clr_bytes;

enum { CLR_BYTES_WINDOW = 128 << 10 };

/* path: one file, or "a,b" when no file has that name. Errors: IO, MEMORY. */
clradio_status clr_bytes_open(const char *path, clr_bytes *bytes);
void clr_bytes_close(clr_bytes *bytes);
/* Exactly count bytes; short or failed reads are IO. */
clradio_status clr_bytes_read(clr_bytes *bytes, uint64_t offset, void *to, size_t count);
/* count (at most CLR_BYTES_WINDOW) bytes at offset, good until the next call; NULL when they are
 * not there (past the end, or a failed read, which has then failed with IO). */
const unsigned char *clr_bytes_view(clr_bytes *bytes, uint64_t offset, size_t count);

#endif
