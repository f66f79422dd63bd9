/* Files as one row of bytes: pread through a window for small reads, straight for large ones. */
#include "io/bytes.h"

#include "base/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static clradio_status open_part(clr_bytes *bytes, char *path)
{
    clr_bytes_part *larger = realloc(bytes->part, (bytes->parts + 1) * sizeof *larger);
    if (!larger) {
        free(path);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the parts of a file");
    }
    bytes->part = larger;
    clr_bytes_part *part = &bytes->part[bytes->parts];
    *part = (clr_bytes_part){ -1, bytes->size, 0, path };
    bytes->parts++;
    part->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (part->descriptor < 0 || fstat(part->descriptor, &facts))
        return clr_fail(CLRADIO_ERROR_IO, "cannot open '%s': %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return clr_fail(CLRADIO_ERROR_IO, "'%s' is not a regular file", path);
    part->size = (uint64_t)facts.st_size;
    bytes->size += part->size;
    return CLRADIO_OK;
}

clradio_status clr_bytes_open(const char *path, clr_bytes *bytes)
{
    *bytes = (clr_bytes){ 0 };
    clradio_status status = CLRADIO_OK;
    int whole = access(path, F_OK) == 0;
    for (const char *at = path; !status;) {
        size_t length = whole ? strlen(at) : strcspn(at, ",");
        char *name = strndup(at, length);
        status = name ? open_part(bytes, name)
                      : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a file name");
        at += length;
        if (!*at)
            break;
        at++;
    }
    if (!status && !(bytes->window = malloc(CLR_BYTES_WINDOW)))
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", path);
    if (status)
        clr_bytes_close(bytes);
    return status;
}

void clr_bytes_close(clr_bytes *bytes)
{
    for (size_t i = 0; i < bytes->parts; i++) {
        if (bytes->part[i].descriptor >= 0)
            close(bytes->part[i].descriptor);
        free(bytes->part[i].path);
    }
    free(bytes->part);
    free(bytes->window);
    *bytes = (clr_bytes){ 0 };
}

clradio_status clr_bytes_read(clr_bytes *bytes, uint64_t offset, void *to, size_t count)
{
    unsigned char *at = to;
    for (size_t i = 0; i < bytes->parts && count; i++) {
        const clr_bytes_part *part = &bytes->part[i];
        while (count && offset >= part->first && offset - part->first < part->size) {
            uint64_t inside = offset - part->first;
            size_t wanted = (size_t)clr_min_u64(count, part->size - inside);
            ssize_t got = pread(part->descriptor, at, wanted, (off_t)inside);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return clr_fail(CLRADIO_ERROR_IO, "cannot read '%s' at byte %llu: %s", part->path,
                                (unsigned long long)inside,
                                got < 0 ? strerror(errno) : "the file became shorter");
            at += got;
            offset += (uint64_t)got;
            count -= (size_t)got;
        }
    }
    if (count)
        return clr_fail(CLRADIO_ERROR_IO, "cannot read past the end of the file, at byte %llu",
                        (unsigned long long)offset);
    return CLRADIO_OK;
}

const unsigned char *clr_bytes_view(clr_bytes *bytes, uint64_t offset, size_t count)
{
    if (count > CLR_BYTES_WINDOW || offset > bytes->size || count > bytes->size - offset)
        return NULL;
    uint64_t inside = offset - bytes->window_first;
    if (offset < bytes->window_first || inside > bytes->window_count ||
        count > bytes->window_count - inside) {
        size_t wanted = (size_t)clr_min_u64(CLR_BYTES_WINDOW, bytes->size - offset);
        bytes->window_count = 0;
        if (clr_bytes_read(bytes, offset, bytes->window, wanted))
            return NULL;
        bytes->window_first = offset;
        bytes->window_count = wanted;
        inside = 0;
    }
    return bytes->window + inside;
}
