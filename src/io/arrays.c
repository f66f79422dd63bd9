/* Array files: opened by content, read in any piece of the first axis. What differs between formats
 * is behind a table of functions. */
#include "io/arrays.h"

#include "base/checked.h"
#include "base/text.h"
#include "io/arrays_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

clradio_status clr_arrays_damaged(const clr_arrays_file *file, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' cannot be read: %s", file->path, text);
}

clr_arrays_entry *clr_arrays_new_entry(clr_arrays_file *file)
{
    if (file->entries == file->room) {
        size_t room = file->room ? 2 * file->room : 4;
        clr_arrays_entry *larger =
            room <= CLR_ARRAYS_MOST_ENTRIES ? realloc(file->entry, room * sizeof *larger) : NULL;
        if (!larger) {
            clr_fail(CLRADIO_ERROR_MEMORY, "'%s' holds too many arrays: there is room for %d",
                     file->path, CLR_ARRAYS_MOST_ENTRIES);
            return NULL;
        }
        file->entry = larger;
        file->room = room;
    }
    clr_arrays_entry *entry = &file->entry[file->entries++];
    *entry = (clr_arrays_entry){ .handle = -1 };
    return entry;
}

int clr_arrays_set_count(clr_arrays_info *info)
{
    /* Without the zeros: sizes that cannot be must not hide behind one. */
    uint64_t product = 1, bytes;
    info->count = 1;
    for (unsigned axis = 0; axis < info->rank; axis++) {
        if (info->size[axis] && !clr_mul_u64(product, info->size[axis], &product))
            return 0;
        info->count *= info->size[axis];
    }
    return clr_mul_u64(product, 16, &bytes) && bytes < UINT64_C(1) << 62;
}

clradio_status clr_arrays_read_bytes(clr_arrays_file *file, uint64_t at, uint64_t count, void *to)
{
    errno = 0;
    if (fseeko(file->stream, (off_t)at, SEEK_SET) ||
        fread(to, 1, (size_t)count, file->stream) != count)
        return clr_fail(errno ? CLRADIO_ERROR_IO : CLRADIO_ERROR_FORMAT, "cannot read '%s': %s",
                        file->path, errno ? strerror(errno) : "it ends too early");
    return CLRADIO_OK;
}

/* ---- opening ---- */

static const unsigned char hdf5_signature[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };

/* HDF5 begins at 0, or behind a user block of 512 bytes or a power of two more. */
static int is_hdf5(clr_arrays_file *file)
{
    unsigned char found[8];
    for (uint64_t at = 0; at + 8 <= file->bytes && at <= 1 << 20; at = at ? 2 * at : 512)
        if (!clr_arrays_read_bytes(file, at, 8, found) && !memcmp(found, hdf5_signature, 8))
            return 1;
    return 0;
}

/* MATLAB's text at the beginning of its files, of which a short one has nothing else. */
static int is_matlab(const unsigned char *first, size_t count, int version)
{
    static const char *const texts[] = { "MATLAB 5.0 MAT-file", "MATLAB 7.3 MAT-file" };
    return count >= 19 && !memcmp(first, texts[version == 7], 19);
}

static clradio_status recognise(clr_arrays_file *file)
{
    unsigned char first[128] = { 0 };
    size_t count = (size_t)clr_min_u64(file->bytes, sizeof first);
    clradio_status status = clr_arrays_read_bytes(file, 0, count, first);
    if (status)
        return status;
    int mat5 = count == 128 && ((first[126] == 'I' && first[127] == 'M' && first[125] == 1) ||
                                (first[126] == 'M' && first[127] == 'I' && first[124] == 1));
    if (count >= 6 && !memcmp(first, "\x93NUMPY", 6))
        file->format = &clr_npy_format;
    else if (count >= 4 && (!memcmp(first, "PK\3\4", 4) || !memcmp(first, "PK\5\6", 4)))
        file->format = &clr_npz_format;
    else if (is_hdf5(file) || is_matlab(first, count, 7))
        file->format = &clr_hdf5_format;
    else if (mat5 || is_matlab(first, count, 5))
        file->format = &clr_mat_format;
    else if (clr_apsm_recognise(first, count))
        file->format = &clr_apsm_format;
    else
        return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' is no .npy, .npz, HDF5 or .mat file: %s",
                        file->path, count ? "its first bytes are of none" : "it is empty");
    file->matlab = is_matlab(first, count, 7);
    return CLRADIO_OK;
}

int clr_arrays_is_one(const char *path)
{
    struct stat about;
    clr_arrays_file file = { .path = (char *)path };
    if (stat(path, &about) || !S_ISREG(about.st_mode) || !(file.stream = fopen(path, "rb")))
        return 0;
    file.bytes = (uint64_t)about.st_size;
    /* A capture has no signature, and a voltage file may begin like one. */
    int answer = !recognise(&file) && file.format != &clr_apsm_format;
    fclose(file.stream);
    return answer;
}

clradio_status clr_arrays_open(const char *path, clr_arrays_file **result)
{
    *result = NULL;
    struct stat about;
    if (stat(path, &about))
        return clr_fail(CLRADIO_ERROR_IO, "cannot open '%s': %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return clr_fail(CLRADIO_ERROR_IO, "cannot open '%s': it is not a regular file", path);
    clr_arrays_file *file = calloc(1, sizeof *file);
    if (!file || !(file->path = strdup(path))) {
        free(file);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", path);
    }
    file->bytes = (uint64_t)about.st_size;
    file->handle = -1;
    clradio_status status = CLRADIO_OK;
    if (!(file->stream = fopen(path, "rb")))
        status = clr_fail(CLRADIO_ERROR_IO, "cannot open '%s': %s", path, strerror(errno));
    if (!status)
        status = recognise(file);
    if (!status)
        status = file->format->open(file);
    if (status) {
        clr_arrays_close(file);
        return status;
    }
    *result = file;
    return CLRADIO_OK;
}

void clr_arrays_close(clr_arrays_file *file)
{
    if (!file)
        return;
    if (file->format)
        file->format->close(file);
    for (size_t i = 0; i < file->entries; i++)
        free(file->entry[i].content);
    if (file->stream)
        fclose(file->stream);
    free(file->entry);
    free(file->path);
    free(file);
}

const char *clr_arrays_format_name(const clr_arrays_file *file)
{
    return file->matlab ? "mat7.3" : file->format->name;
}

size_t clr_arrays_count(const clr_arrays_file *file)
{
    return file->entries;
}

const clr_arrays_info *clr_arrays_get(const clr_arrays_file *file, size_t index)
{
    return index < file->entries ? &file->entry[index].info : NULL;
}

int clr_arrays_find(const clr_arrays_file *file, const char *name, size_t *index)
{
    size_t found = 0;
    for (size_t i = 0; i < file->entries; i++)
        if (!strcmp(file->entry[i].info.name, name)) {
            *index = i;
            return 1;
        }
    for (size_t i = 0; i < file->entries; i++) {
        const char *whole = file->entry[i].info.name;
        size_t length = strlen(whole), tail = strlen(name);
        if (tail && length > tail && strchr("/.", whole[length - tail - 1]) &&
            !strcmp(whole + length - tail, name)) {
            *index = i;
            found++;
        }
    }
    return found == 1;
}

/* ---- reading ---- */

enum { PIECE = 4096 }; /* elements at a time */

/* Elements [first, first + count) of the file's order, converted, one after another. */
static clradio_status read_run(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                               uint64_t count, clr_element as, void *to)
{
    unsigned char piece[PIECE * 16];
    size_t bytes = clr_element_bytes(as);
    int direct = entry->info.element == as && !entry->swapped;
    for (uint64_t done = 0; done < count;) {
        uint64_t n = direct ? count - done : clr_min_u64(count - done, PIECE);
        unsigned char *place = (unsigned char *)to + done * bytes;
        clradio_status status =
            file->format->read(file, entry, first + done, n, direct ? place : piece);
        if (!status && !direct)
            status = clr_arrays_convert(piece, entry->info.element, entry->swapped, (size_t)n,
                                        place, as);
        if (status)
            return status;
        done += n;
    }
    return CLRADIO_OK;
}

/* One run of the file, the first axis fastest, to where C order has its elements. index: of the
 * run's first element, over all axes; moved on. */
static void scatter(const clr_arrays_info *info, uint64_t first, uint64_t rows, uint64_t count,
                    size_t bytes, const unsigned char *from, uint64_t *index, unsigned char *to)
{
    uint64_t step[CLR_ARRAYS_MOST_RANK] = { 0 };
    uint64_t row = 1, place = 0;
    for (unsigned axis = info->rank; axis-- > 0; row *= info->size[axis])
        step[axis] = row;
    for (unsigned axis = 0; axis < info->rank; axis++)
        place += (index[axis] - (axis ? 0 : first)) * step[axis];
    for (uint64_t e = 0; e < count; e++) {
        memcpy(to + place * bytes, from + e * bytes, bytes);
        index[0]++;
        place += step[0];
        for (unsigned axis = 0; index[axis] == (axis ? info->size[axis] : first + rows); axis++) {
            place -= (axis ? info->size[axis] : rows) * step[axis];
            index[axis] = axis ? 0 : first;
            if (axis + 1 == info->rank)
                break;
            index[axis + 1]++;
            place += step[axis + 1];
        }
    }
}

static clradio_status read_fortran(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                                   uint64_t rows, clr_element as, void *to)
{
    const clr_arrays_info *info = &entry->info;
    uint64_t index[CLR_ARRAYS_MOST_RANK] = { first };
    uint64_t columns = info->count / info->size[0];
    size_t bytes = clr_element_bytes(as);
    unsigned char piece[PIECE * 16];
    /* Whole columns follow one another, so a run may be longer than one. */
    uint64_t run = rows == info->size[0] ? rows * columns : rows;
    for (uint64_t c = 0; c * run < rows * columns; c++)
        for (uint64_t done = 0; done < run;) {
            uint64_t n = clr_min_u64(run - done, PIECE);
            uint64_t at = c * info->size[0] + first + done;
            clradio_status status = read_run(file, entry, at, n, as, piece);
            if (status)
                return status;
            scatter(info, first, rows, n, bytes, piece, index, to);
            done += n;
        }
    return CLRADIO_OK;
}

static clradio_status check_types(const clr_arrays_file *file, const clr_arrays_entry *entry,
                                  clr_element as)
{
    if (as != CLR_ELEMENT_F32 && as != CLR_ELEMENT_F64 && as != CLR_ELEMENT_CF32 &&
        as != CLR_ELEMENT_CF64 && as != CLR_ELEMENT_I64)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "arrays are not read as %s", clr_element_name(as));
    if (clr_element_is_complex(entry->info.element) && !clr_element_is_complex(as))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s': '%s' is complex, real numbers are needed",
                        file->path, entry->info.name);
    return CLRADIO_OK;
}

clradio_status clr_arrays_read(clr_arrays_file *file, size_t which, uint64_t first, uint64_t rows,
                               clr_element as, void *to)
{
    clr_arrays_entry *entry = which < file->entries ? &file->entry[which] : NULL;
    uint64_t all = !entry ? 0 : entry->info.rank ? entry->info.size[0] : 1;
    if (first > all || rows > all - first || !entry)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' has no rows %llu to %llu of array %zu",
                        file->path, (unsigned long long)first, (unsigned long long)(first + rows),
                        which);
    clradio_status status = check_types(file, entry, as);
    if (status || !rows || !entry->info.count)
        return status;
    uint64_t row = entry->info.count / all;
    status = entry->fortran && entry->info.rank > 1
                 ? read_fortran(file, entry, first, rows, as, to)
                 : read_run(file, entry, first * row, rows * row, as, to);
    if (status == CLRADIO_ERROR_OVERFLOW)
        return clr_fail_in(status, "'%s': '%s'", file->path, entry->info.name);
    return status;
}

clradio_status clr_arrays_read_elements(clr_arrays_file *file, size_t index, uint64_t first,
                                        uint64_t count, clr_element as, void *to)
{
    clr_arrays_entry *entry = index < file->entries ? &file->entry[index] : NULL;
    uint64_t all = entry ? entry->info.count : 0;
    if (first > all || count > all - first || !entry)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' has no elements %llu to %llu of array %zu",
                        file->path, (unsigned long long)first, (unsigned long long)(first + count),
                        index);
    if (entry->fortran && entry->info.rank > 1)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "'%s' has its first axis fastest", file->path);
    clradio_status status = check_types(file, entry, as);
    return status || !count ? status : read_run(file, entry, first, count, as, to);
}

clradio_status clr_arrays_read_all(clr_arrays_file *file, size_t index, clr_element as, void **to)
{
    *to = NULL;
    const clr_arrays_info *info = clr_arrays_get(file, index);
    uint64_t count = info ? info->count : 0; /* 16 bytes each were counted at the opening */
    void *values = malloc(count ? (size_t)count * clr_element_bytes(as) : 1);
    if (!values)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %llu numbers of '%s'",
                        (unsigned long long)count, file->path);
    clradio_status status =
        clr_arrays_read(file, index, 0, info && info->rank ? info->size[0] : 1, as, values);
    if (status)
        free(values);
    else
        *to = values;
    return status;
}
