/*
 * NumPy's .npy format, versions 1 to 3 (numpy.lib.format): a magic string, a Python dictionary with
 * descr, fortran_order and shape, then the elements.
 */
#include "base/checked.h"
#include "base/text.h"
#include "io/arrays_internal.h"

#include <stdlib.h>
#include <string.h>

/* A place in the header's text. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->at < c->end && strchr(" \t\n\r", *c->at) && *c->at)
        c->at++;
}

static int take(cursor *c, char wanted)
{
    skip_space(c);
    if (c->at == c->end || *c->at != wanted)
        return 0;
    c->at++;
    return 1;
}

static int take_word(cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return 0;
    c->at += length;
    return 1;
}

/* 'text' or "text", without escapes. */
static int take_text(cursor *c, char *text, size_t room)
{
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return 0;
    char quote = *c->at++;
    size_t length = 0;
    while (c->at < c->end && *c->at != quote && *c->at != '\\' && length + 1 < room)
        text[length++] = *c->at++;
    text[length] = '\0';
    return take(c, quote);
}

/* (3, 4), (3,), (); Python 2 wrote 3L. */
static int take_shape(cursor *c, clr_arrays_info *info, const char **why)
{
    *why = "its shape is no list of numbers";
    if (!take(c, '('))
        return 0;
    while (!take(c, ')')) {
        uint64_t size = 0;
        skip_space(c);
        if (c->at == c->end || *c->at < '0' || *c->at > '9')
            return 0;
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
            if (!clr_mul_u64(size, 10, &size) ||
                !clr_add_u64(size, (uint64_t)(*c->at - '0'), &size))
                return 0;
        if (c->at < c->end && *c->at == 'L')
            c->at++;
        if (info->rank == CLR_ARRAYS_MOST_RANK)
            return *why = "it has more than 16 axes", 0;
        info->size[info->rank++] = size;
        if (!take(c, ',')) {
            if (!take(c, ')'))
                return 0;
            break;
        }
    }
    *why = "its header is no dictionary of descr, fortran_order and shape";
    return 1;
}

static int little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first;
}

/* "<f4" and its like. */
static int set_type(const char *descr, clr_arrays_entry *entry)
{
    static const struct {
        const char *code;
        clr_element element;
    } codes[] = {
        { "b1", CLR_ELEMENT_U8 },   { "i1", CLR_ELEMENT_I8 },    { "i2", CLR_ELEMENT_I16 },
        { "i4", CLR_ELEMENT_I32 },  { "i8", CLR_ELEMENT_I64 },   { "u1", CLR_ELEMENT_U8 },
        { "u2", CLR_ELEMENT_U16 },  { "u4", CLR_ELEMENT_U32 },   { "u8", CLR_ELEMENT_U64 },
        { "f2", CLR_ELEMENT_F16 },  { "f4", CLR_ELEMENT_F32 },   { "f8", CLR_ELEMENT_F64 },
        { "c8", CLR_ELEMENT_CF32 }, { "c16", CLR_ELEMENT_CF64 },
    };
    char order = *descr;
    if (!order || !strchr("<>=|", order))
        return 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(descr + 1, codes[i].code)) {
            entry->info.element = codes[i].element;
            entry->swapped = clr_element_bytes(codes[i].element) > 1 &&
                             (order == '<' ? !little_endian() : order == '>' && little_endian());
            return 1;
        }
    return 0;
}

/* The dictionary; why: what is wrong. */
static clradio_status parse_dictionary(const clr_arrays_file *file, const char *what, cursor *c,
                                       clr_arrays_entry *entry)
{
    char key[32], descr[64] = "";
    const char *why = "its header is no dictionary of descr, fortran_order and shape";
    int seen = 0, good = take(c, '{');
    while (good && !take(c, '}')) {
        good = take_text(c, key, sizeof key) && take(c, ':');
        int bit = !strcmp(key, "descr") ? 1 : !strcmp(key, "fortran_order") ? 2 : 4;
        if (good && bit == 1) {
            skip_space(c);
            if (c->at < c->end && *c->at == '[')
                return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                                "'%s': %sarrays of records (structured types) are not read",
                                file->path, what);
            good = take_text(c, descr, sizeof descr);
        } else if (good && bit == 2) {
            entry->fortran = take_word(c, "True");
            good = entry->fortran || take_word(c, "False");
        } else if (good) {
            good = !strcmp(key, "shape") && !(seen & 4) && take_shape(c, &entry->info, &why);
        }
        good = good && !(seen & bit);
        seen |= bit;
        if (good && !take(c, ',')) {
            good = take(c, '}');
            break;
        }
    }
    skip_space(c);
    if (!good || seen != 7 || c->at != c->end)
        return clr_arrays_damaged(file, "%s%s", what, why);
    if (!set_type(descr, entry)) {
        for (char *p = descr; *p; p++)
            *p = *p < ' ' || *p > '~' ? '?' : *p;
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "'%s': %selements of the type '%s' are not read",
                        file->path, what, descr);
    }
    return CLRADIO_OK;
}

clradio_status clr_npy_parse(const clr_arrays_file *file, const unsigned char *bytes, size_t count,
                             uint64_t total, const char *what, clr_arrays_entry *entry)
{
    if (count < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return clr_arrays_damaged(file, "%sit does not begin as a .npy file", what);
    unsigned major = bytes[6];
    if (major < 1 || major > 3)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "'%s': %sversion %u of .npy is not known",
                        file->path, what, major);
    size_t begin = major == 1 ? 10 : 12;
    uint64_t length = (uint64_t)bytes[8] | (uint64_t)bytes[9] << 8;
    if (major > 1 && count >= 12)
        length |= (uint64_t)bytes[10] << 16 | (uint64_t)bytes[11] << 24;
    if (count < begin || length > CLR_NPY_MOST_HEADER || begin + length > total)
        return clr_arrays_damaged(file, "%sits header of %llu bytes does not fit", what,
                                  (unsigned long long)length);
    if (begin + length > count)
        return clr_arrays_damaged(file, "%sits header ends too early", what);
    cursor c = { (const char *)bytes + begin, (const char *)bytes + begin + length };
    clradio_status status = parse_dictionary(file, what, &c, entry);
    if (status)
        return status;
    entry->offset = begin + length;
    if (!clr_arrays_set_count(&entry->info))
        return clr_arrays_damaged(file, "%sits shape cannot be counted", what);
    uint64_t needed = entry->info.count * clr_element_bytes(entry->info.element);
    if (needed > total - entry->offset)
        return clr_arrays_damaged(
            file,
            "%sit is cut short: its shape needs %llu bytes of elements, there "
            "are %llu",
            what, (unsigned long long)needed, (unsigned long long)(total - entry->offset));
    return CLRADIO_OK;
}

static clradio_status npy_open(clr_arrays_file *file)
{
    size_t count = (size_t)clr_min_u64(file->bytes, CLR_NPY_MOST_HEADER + 12);
    unsigned char *bytes = malloc(count);
    clr_arrays_entry *entry = clr_arrays_new_entry(file);
    if (!bytes || !entry) {
        free(bytes);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", file->path);
    }
    clradio_status status = clr_arrays_read_bytes(file, 0, count, bytes);
    if (!status)
        status = clr_npy_parse(file, bytes, count, file->bytes, "", entry);
    free(bytes);
    return status;
}

static clradio_status npy_read(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                               uint64_t count, void *to)
{
    size_t bytes = clr_element_bytes(entry->info.element);
    return clr_arrays_read_bytes(file, entry->offset + first * bytes, count * bytes, to);
}

static void npy_close(clr_arrays_file *file)
{
    (void)file;
}

const clr_arrays_format clr_npy_format = { "npy", npy_open, npy_read, npy_close };
