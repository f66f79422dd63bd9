/* Writing .npy (version 1.0, or 2.0 for long headers) and .npz (members stored, with 64-bit sizes).
 */
#include "base/checked.h"
#include "base/text.h"
#include "io/arrays_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_ZLIB
#include <zlib.h>
#endif

static const char *descr(clr_element element)
{
    static const uint16_t one = 1;
    int little = *(const unsigned char *)&one;
    switch (element) {
    case CLR_ELEMENT_I8: return "|i1";
    case CLR_ELEMENT_U8: return "|u1";
    case CLR_ELEMENT_I16: return little ? "<i2" : ">i2";
    case CLR_ELEMENT_U16: return little ? "<u2" : ">u2";
    case CLR_ELEMENT_I32: return little ? "<i4" : ">i4";
    case CLR_ELEMENT_U32: return little ? "<u4" : ">u4";
    case CLR_ELEMENT_I64: return little ? "<i8" : ">i8";
    case CLR_ELEMENT_U64: return little ? "<u8" : ">u8";
    case CLR_ELEMENT_F32: return little ? "<f4" : ">f4";
    case CLR_ELEMENT_F64: return little ? "<f8" : ">f8";
    case CLR_ELEMENT_CF32: return little ? "<c8" : ">c8";
    default: return little ? "<c16" : ">c16";
    }
}

clradio_status clr_npy_header(const clr_arrays_layout *layout, unsigned char **bytes, size_t *count)
{
    clr_text text = { 0 };
    clr_text_add_bytes(&text, "\x93NUMPY\1\0\0\0", 10); /* 16 axes fit version 1 */
    clr_text_add(&text, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr(layout->element),
                 layout->fortran ? "True" : "False");
    for (unsigned k = 0; k < layout->rank; k++)
        clr_text_add(&text, "%llu,%s", (unsigned long long)layout->size[k],
                     k + 1 < layout->rank ? " " : "");
    clr_text_add(&text, "), }");
    while (!text.failed && (text.length + 1) % 64 != 0)
        clr_text_add(&text, " ");
    clr_text_add(&text, "\n");
    *bytes = (unsigned char *)text.bytes;
    *count = text.length;
    if (text.failed) {
        clr_text_free(&text);
        *bytes = NULL;
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a header");
    }
    (*bytes)[8] = (unsigned char)((text.length - 10) & 255);
    (*bytes)[9] = (unsigned char)((text.length - 10) >> 8);
    return CLRADIO_OK;
}

static clradio_status put(clr_arrays_writer *writer, const void *bytes, uint64_t count)
{
    errno = 0;
    if (fwrite(bytes, 1, (size_t)count, writer->file.stream) == count)
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->path,
                    errno ? strerror(errno) : "no reason given");
}

static clradio_status npy_create(clr_arrays_writer *writer)
{
    return clr_new_file_begin(writer->path, 0644, &writer->file);
}

static clradio_status npy_begin(clr_arrays_writer *writer)
{
    unsigned char *header;
    size_t count;
    clradio_status status = clr_npy_header(&writer->layout, &header, &count);
    if (!status)
        status = put(writer, header, count);
    free(header);
    return status;
}

static clradio_status npy_append(clr_arrays_writer *writer, const void *elements, uint64_t count)
{
    return put(writer, elements, count * clr_element_bytes(writer->layout.element));
}

static clradio_status npy_end(clr_arrays_writer *writer)
{
    (void)writer;
    return CLRADIO_OK;
}

static clradio_status npy_close(clr_arrays_writer *writer, int keep)
{
    if (keep)
        return clr_new_file_commit(&writer->file);
    clr_new_file_abandon(&writer->file);
    return CLRADIO_OK;
}

const clr_arrays_writer_format clr_npy_writer = { "npy",      npy_create, npy_begin,
                                                  npy_append, npy_end,    npy_close };

#if HAVE_ZLIB

/* What is known of the members so far: the directory, and the one being written. */
typedef struct npz_state {
    clr_text directory;
    uint64_t members, local_at, bytes;
    uint32_t sum;
    char name[CLR_ARRAYS_NAME_BYTES + 4];
} npz_state;

/* Little endian. */
static void add_bytes(clr_text *text, uint64_t value, unsigned bytes)
{
    unsigned char at[8];
    for (unsigned b = 0; b < bytes; b++, value >>= 8)
        at[b] = (unsigned char)(value & 255);
    clr_text_add_bytes(text, at, bytes);
}

/* The header in front of a member; sizes and sum are those known at the end, 0 before. */
static void local_header(const npz_state *state, clr_text *text)
{
    size_t length = strlen(state->name);
    clr_text_add_bytes(text, "PK\3\4", 4);
    add_bytes(text, 45, 2);         /* version that 64-bit sizes need */
    add_bytes(text, 0, 2);          /* flags */
    add_bytes(text, 0, 2);          /* stored */
    add_bytes(text, 0, 2);          /* midnight of */
    add_bytes(text, 1 << 5 | 1, 2); /* 1980-01-01: the same bytes every time */
    add_bytes(text, state->sum, 4);
    add_bytes(text, UINT32_MAX, 4);
    add_bytes(text, UINT32_MAX, 4);
    add_bytes(text, length, 2);
    add_bytes(text, 20, 2);
    clr_text_add_bytes(text, state->name, length);
    add_bytes(text, 1, 2);
    add_bytes(text, 16, 2);
    add_bytes(text, state->bytes, 8);
    add_bytes(text, state->bytes, 8);
}

static clradio_status put_text(clr_arrays_writer *writer, clr_text *text)
{
    clradio_status status = text->failed ? clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a header")
                                         : put(writer, text->bytes, text->length);
    clr_text_free(text);
    return status;
}

static clradio_status npz_create(clr_arrays_writer *writer)
{
    writer->state = calloc(1, sizeof(npz_state));
    if (!writer->state)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to write '%s'", writer->path);
    return clr_new_file_begin(writer->path, 0644, &writer->file);
}

static clradio_status npz_put(clr_arrays_writer *writer, const void *bytes, uint64_t count)
{
    npz_state *state = writer->state;
    for (uint64_t done = 0; done < count;) {
        uInt n = (uInt)clr_min_u64(count - done, 1 << 30);
        state->sum = (uint32_t)crc32(state->sum, (const Bytef *)bytes + done, n);
        done += n;
    }
    state->bytes += count;
    return put(writer, bytes, count);
}

static clradio_status npz_begin(clr_arrays_writer *writer)
{
    npz_state *state = writer->state;
    unsigned char *header = NULL;
    size_t count;
    clr_text local = { 0 };
    off_t at = ftello(writer->file.stream);
    snprintf(state->name, sizeof state->name, "%s.npy", writer->name);
    state->bytes = 0;
    state->sum = 0;
    state->local_at = (uint64_t)at;
    if (at < 0)
        return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->path, strerror(errno));
    local_header(state, &local);
    clradio_status status = put_text(writer, &local);
    if (!status)
        status = clr_npy_header(&writer->layout, &header, &count);
    if (!status)
        status = npz_put(writer, header, count);
    free(header);
    return status;
}

static clradio_status npz_append(clr_arrays_writer *writer, const void *elements, uint64_t count)
{
    return npz_put(writer, elements, count * clr_element_bytes(writer->layout.element));
}

/* Size and sum are known now: the header is written again, and the directory gets its line. */
static clradio_status npz_end(clr_arrays_writer *writer)
{
    npz_state *state = writer->state;
    clr_text local = { 0 };
    local_header(state, &local);
    clradio_status status = CLRADIO_OK;
    if (fseeko(writer->file.stream, (off_t)state->local_at, SEEK_SET))
        status = clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->path, strerror(errno));
    if (!local.failed) {
        clr_text_add_bytes(&state->directory, "PK\1\2", 4);
        add_bytes(&state->directory, 45, 2);
        clr_text_add_bytes(&state->directory, local.bytes + 4, 22); /* version to sizes */
        add_bytes(&state->directory, strlen(state->name), 2);
        add_bytes(&state->directory, 28, 2);
        add_bytes(&state->directory, 0, 2); /* comment */
        add_bytes(&state->directory, 0, 2); /* disk */
        add_bytes(&state->directory, 0, 2);
        add_bytes(&state->directory, 0, 4);
        add_bytes(&state->directory, UINT32_MAX, 4);
        clr_text_add(&state->directory, "%s", state->name);
        add_bytes(&state->directory, 1, 2);
        add_bytes(&state->directory, 24, 2);
        add_bytes(&state->directory, state->bytes, 8);
        add_bytes(&state->directory, state->bytes, 8);
        add_bytes(&state->directory, state->local_at, 8);
    }
    if (!status)
        status = put_text(writer, &local);
    clr_text_free(&local);
    if (!status && fseeko(writer->file.stream, 0, SEEK_END))
        status = clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->path, strerror(errno));
    state->members++;
    return status;
}

/* The directory, and both ends of the archive. */
static clradio_status put_directory(clr_arrays_writer *writer)
{
    npz_state *state = writer->state;
    off_t place = ftello(writer->file.stream);
    uint64_t at = (uint64_t)place, bytes = state->directory.length;
    clr_text end = { 0 };
    clr_text_add_bytes(&end, "PK\6\6", 4);
    add_bytes(&end, 44, 8);
    add_bytes(&end, 45, 2);
    add_bytes(&end, 45, 2);
    add_bytes(&end, 0, 8); /* disks */
    add_bytes(&end, state->members, 8);
    add_bytes(&end, state->members, 8);
    add_bytes(&end, bytes, 8);
    add_bytes(&end, at, 8);
    clr_text_add_bytes(&end, "PK\6\7", 4);
    add_bytes(&end, 0, 4);
    add_bytes(&end, at + bytes, 8);
    add_bytes(&end, 1, 4);
    clr_text_add_bytes(&end, "PK\5\6", 4);
    add_bytes(&end, 0, 4);
    add_bytes(&end, clr_min_u64(state->members, UINT16_MAX), 2);
    add_bytes(&end, clr_min_u64(state->members, UINT16_MAX), 2);
    add_bytes(&end, clr_min_u64(bytes, UINT32_MAX), 4);
    add_bytes(&end, UINT32_MAX, 4);
    add_bytes(&end, 0, 2);
    clradio_status status = place < 0 ? clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s",
                                                 writer->path, strerror(errno))
                                      : put_text(writer, &state->directory);
    if (!status)
        status = put_text(writer, &end);
    clr_text_free(&end);
    return status;
}

static clradio_status npz_close(clr_arrays_writer *writer, int keep)
{
    npz_state *state = writer->state;
    clradio_status status = keep ? put_directory(writer) : CLRADIO_OK;
    clradio_status closed = npy_close(writer, keep && !status);
    if (state)
        clr_text_free(&state->directory);
    free(state);
    return status ? status : closed;
}

#else

static clradio_status npz_create(clr_arrays_writer *writer)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot write '%s': this clradio was built without zlib, which .npz files need",
                    writer->path);
}

static clradio_status npz_close(clr_arrays_writer *writer, int keep)
{
    (void)writer, (void)keep;
    return CLRADIO_OK;
}

#define npz_begin npy_begin
#define npz_append npy_append
#define npz_end npy_end
#endif

const clr_arrays_writer_format clr_npz_writer = { "npz",      npz_create, npz_begin,
                                                  npz_append, npz_end,    npz_close };
