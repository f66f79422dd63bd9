/*
 * NumPy's .npz: a zip archive of .npy members, stored or deflated (PKWARE's APPNOTE 6.3, with the
 * 64-bit sizes that NumPy writes). Members are found by the archive's central directory. A deflated
 * one is inflated whole when it is first read; its size was compared with what deflate can do.
 */
#include "base/checked.h"
#include "base/text.h"
#include "io/arrays_internal.h"

#include <stdlib.h>
#include <string.h>

#if HAVE_ZLIB

#include <zlib.h>

enum { END_BYTES = 22, END64_BYTES = 56, LOCATOR_BYTES = 20, CENTRAL_BYTES = 46, LOCAL_BYTES = 30 };

static uint64_t number(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

/* Where the central directory is. */
static clradio_status find_directory(clr_arrays_file *file, uint64_t *at, uint64_t *bytes)
{
    unsigned char tail[END_BYTES + 1024 + LOCATOR_BYTES];
    uint64_t count = clr_min_u64(file->bytes, sizeof tail);
    clradio_status status = clr_arrays_read_bytes(file, file->bytes - count, count, tail);
    if (status)
        return status;
    for (uint64_t back = END_BYTES; back <= count; back++) {
        const unsigned char *end = tail + count - back;
        if (memcmp(end, "PK\5\6", 4) != 0)
            continue;
        *bytes = number(end + 12, 4);
        *at = number(end + 16, 4);
        uint64_t end_at = file->bytes - back;
        unsigned char end64[END64_BYTES];
        const unsigned char *locator = end - LOCATOR_BYTES;
        if (locator >= tail && !memcmp(locator, "PK\6\7", 4)) {
            uint64_t place = number(locator + 8, 8);
            if (place > file->bytes || file->bytes - place < END64_BYTES)
                break;
            status = clr_arrays_read_bytes(file, place, END64_BYTES, end64);
            if (status)
                return status;
            if (memcmp(end64, "PK\6\6", 4) != 0)
                break;
            *bytes = number(end64 + 40, 8);
            *at = number(end64 + 48, 8);
        }
        if (*at <= end_at && *bytes <= end_at - *at)
            return CLRADIO_OK;
        break;
    }
    return clr_arrays_damaged(file, "the directory at the end of the zip archive is not there");
}

/* The 64-bit sizes of a member, where the 32-bit ones say so; returns 0 when they are missing. */
static int extra_sizes(const unsigned char *extra, uint64_t count, uint64_t *sizes[3])
{
    int wanted = 0;
    for (int i = 0; i < 3; i++)
        wanted += *sizes[i] == UINT32_MAX;
    while (wanted && count >= 4) {
        uint64_t length = number(extra + 2, 2);
        if (length > count - 4)
            return 0;
        if (number(extra, 2) == 1) {
            const unsigned char *at = extra + 4;
            for (int i = 0; i < 3; i++) {
                if (*sizes[i] != UINT32_MAX)
                    continue;
                if (extra + 4 + length - at < 8)
                    return 0;
                *sizes[i] = number(at, 8);
                at += 8;
            }
            return 1;
        }
        extra += 4 + length;
        count -= 4 + length;
    }
    return !wanted;
}

/* Inflates at most count bytes of the member; *got: how many there were. check: the checksum must
 * be that of the directory, and the end must be reached. */
static clradio_status inflate_member(clr_arrays_file *file, clr_arrays_entry *entry,
                                     const char *name, unsigned char *to, uint64_t count,
                                     uint64_t *got)
{
    unsigned char packed[4096];
    z_stream stream = { 0 };
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to inflate '%s'", file->path);
    clradio_status status = CLRADIO_OK;
    uint64_t taken = 0;
    int answer = Z_OK;
    *got = 0;
    while (!status && answer == Z_OK && *got < count) {
        if (!stream.avail_in && taken < entry->packed_bytes) {
            uint64_t n = clr_min_u64(sizeof packed, entry->packed_bytes - taken);
            status = clr_arrays_read_bytes(file, entry->packed_at + taken, n, packed);
            stream.next_in = packed;
            stream.avail_in = (uInt)n;
            taken += n;
        }
        uInt room = (uInt)clr_min_u64(count - *got, 1 << 30);
        stream.next_out = to + *got;
        stream.avail_out = room;
        if (!status)
            answer = inflate(&stream, Z_NO_FLUSH);
        *got += room - stream.avail_out;
    }
    inflateEnd(&stream);
    if (!status && answer != Z_OK && answer != Z_STREAM_END)
        status = clr_arrays_damaged(file, "member '%s' cannot be inflated", name);
    return status;
}

/* The .npy header of a member, and what it says. */
static clradio_status parse_member(clr_arrays_file *file, clr_arrays_entry *entry)
{
    char what[CLR_ARRAYS_NAME_BYTES + 16];
    snprintf(what, sizeof what, "member '%s': ", entry->info.name);
    size_t count = (size_t)clr_min_u64(entry->bytes, CLR_NPY_MOST_HEADER + 12);
    unsigned char *bytes = malloc(count ? count : 1);
    if (!bytes)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", file->path);
    uint64_t got = count;
    clradio_status status = entry->deflated
                                ? inflate_member(file, entry, entry->info.name, bytes, count, &got)
                                : clr_arrays_read_bytes(file, entry->packed_at, count, bytes);
    if (!status)
        status = clr_npy_parse(file, bytes, (size_t)got, entry->bytes, what, entry);
    free(bytes);
    return status;
}

/* One line of the directory; a member that is no .npy file is left out. */
static clradio_status add_member(clr_arrays_file *file, const unsigned char *line,
                                 uint64_t name_bytes, uint64_t extra_bytes)
{
    uint64_t packed = number(line + 20, 4), bytes = number(line + 24, 4);
    uint64_t local_at = number(line + 42, 4);
    uint64_t *sizes[3] = { &bytes, &packed, &local_at };
    const char *name = (const char *)line + CENTRAL_BYTES;
    unsigned method = (unsigned)number(line + 10, 2);
    unsigned char local[LOCAL_BYTES];
    if (name_bytes < 4 || memcmp(name + name_bytes - 4, ".npy", 4) != 0)
        return CLRADIO_OK;
    if (name_bytes - 4 >= CLR_ARRAYS_NAME_BYTES || memchr(name, '\0', (size_t)name_bytes))
        return clr_arrays_damaged(file, "a member's name is too long");
    if (!extra_sizes(line + CENTRAL_BYTES + name_bytes, extra_bytes, sizes) ||
        local_at > file->bytes || file->bytes - local_at < LOCAL_BYTES)
        return clr_arrays_damaged(file, "a member lies outside of the file");
    clradio_status status = clr_arrays_read_bytes(file, local_at, LOCAL_BYTES, local);
    if (status)
        return status;
    uint64_t begin = local_at + LOCAL_BYTES + number(local + 26, 2) + number(local + 28, 2);
    if (memcmp(local, "PK\3\4", 4) != 0 || begin > file->bytes || packed > file->bytes - begin)
        return clr_arrays_damaged(file, "a member lies outside of the file");
    if (number(line + 8, 2) & 1 || (method != 0 && method != 8))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "'%s': a member is encrypted or packed by method %u; stored and deflated "
                        "ones are read",
                        file->path, method);
    if (method == 0 ? bytes != packed : bytes / CLR_ARRAYS_MOST_EXPANSION > packed + 64)
        return clr_arrays_damaged(file, "a member's sizes cannot be");
    clr_arrays_entry *entry = clr_arrays_new_entry(file);
    if (!entry)
        return CLRADIO_ERROR_MEMORY;
    memcpy(entry->info.name, name, (size_t)name_bytes - 4);
    entry->packed_at = begin;
    entry->packed_bytes = packed;
    entry->bytes = bytes;
    entry->deflated = method == 8;
    return parse_member(file, entry);
}

static clradio_status npz_open(clr_arrays_file *file)
{
    uint64_t at = 0, bytes = 0;
    clradio_status status = find_directory(file, &at, &bytes);
    if (status)
        return status;
    unsigned char *directory = malloc(bytes ? (size_t)bytes : 1);
    if (!directory)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", file->path);
    status = clr_arrays_read_bytes(file, at, bytes, directory);
    for (uint64_t done = 0; !status && done < bytes;) {
        const unsigned char *line = directory + done;
        uint64_t left = bytes - done;
        uint64_t name = left >= CENTRAL_BYTES ? number(line + 28, 2) : 0;
        uint64_t extra = left >= CENTRAL_BYTES ? number(line + 30, 2) : 0;
        uint64_t length =
            left >= CENTRAL_BYTES ? CENTRAL_BYTES + name + extra + number(line + 32, 2) : left + 1;
        if (length > left || memcmp(line, "PK\1\2", 4) != 0)
            status = clr_arrays_damaged(file, "the directory of the zip archive is damaged");
        else
            status = add_member(file, line, name, extra);
        done += length;
    }
    free(directory);
    return status;
}

static clradio_status npz_read(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                               uint64_t count, void *to)
{
    size_t size = clr_element_bytes(entry->info.element);
    uint64_t at = entry->offset + first * size;
    if (!entry->deflated)
        return clr_arrays_read_bytes(file, entry->packed_at + at, count * size, to);
    if (!entry->content) {
        uint64_t got = 0;
        unsigned char *content = malloc(entry->bytes ? (size_t)entry->bytes : 1);
        if (!content)
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for '%s' of '%s'", entry->info.name,
                            file->path);
        clradio_status status =
            inflate_member(file, entry, entry->info.name, content, entry->bytes, &got);
        if (!status && got != entry->bytes)
            status = clr_arrays_damaged(file, "member '%s' ends too early", entry->info.name);
        if (status) {
            free(content);
            return status;
        }
        entry->content = content;
    }
    memcpy(to, entry->content + at, (size_t)(count * size));
    return CLRADIO_OK;
}

#else

static clradio_status npz_open(clr_arrays_file *file)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot read '%s': this clradio was built without zlib, which .npz files need",
                    file->path);
}

static clradio_status npz_read(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                               uint64_t count, void *to)
{
    (void)entry, (void)first, (void)count, (void)to;
    return npz_open(file);
}

#endif

static void npz_close(clr_arrays_file *file)
{
    (void)file;
}

const clr_arrays_format clr_npz_format = { "npz", npz_open, npz_read, npz_close };
