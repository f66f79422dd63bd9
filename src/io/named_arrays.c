/* Arrays by name over several files. */
#include "io/named_arrays.h"

#include "base/text.h"

#include <string.h>

static const char *stem_of(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    *length = dot ? (size_t)(dot - name) : strlen(name);
    return name;
}

/* The files of one array are named by their stems: of two alike one would not be read. */
static clradio_status check_stems(char *const *paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            size_t length, other;
            const char *stem = stem_of(paths[i], &length), *before = stem_of(paths[j], &other);
            if (!strcmp(stem, before) && length > 0 && !strcmp(stem + length, ".npy"))
                return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' and '%s' are both the array '%.*s'",
                                paths[j], paths[i], (int)length, stem);
        }
    return CLRADIO_OK;
}

int clr_named_find(const clr_named_files *files, const char *name, clr_named_array *array)
{
    for (size_t f = 0; f < files->count; f++) {
        size_t index = 0, length;
        const char *stem = stem_of(files->path[f], &length);
        int nameless = !strcmp(clr_arrays_format_name(files->file[f]), "npy");
        if (nameless ? strlen(name) != length || strncmp(stem, name, length) != 0
                     : !clr_arrays_find(files->file[f], name, &index))
            continue;
        const clr_arrays_info *info = clr_arrays_get(files->file[f], index);
        *array = (clr_named_array){
            .file = files->file[f], .index = index, .rank = info->rank, .count = info->count
        };
        memcpy(array->size, info->size, sizeof array->size);
        for (unsigned k = 0; k < info->rank; k++)
            array->axis[k] = info->axis[k];
        return 1;
    }
    return 0;
}

void clr_named_close(clr_named_files *files)
{
    for (size_t f = 0; f < files->count; f++)
        clr_arrays_close(files->file[f]);
    files->count = 0;
}

clradio_status clr_named_open(char *const *paths, size_t n, clr_named_files *files)
{
    *files = (clr_named_files){ .count = 0 };
    if (n > CLR_NAMED_MOST_FILES)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "at most %d files are read together",
                        CLR_NAMED_MOST_FILES);
    clradio_status status = check_stems(paths, n);
    for (size_t f = 0; f < n && !status; f++) {
        status = clr_arrays_open(paths[f], &files->file[f]);
        if (status) {
            clr_named_close(files);
            return status;
        }
        files->path[files->count++] = paths[f];
    }
    return status;
}

/* "there is no array 'tau' among a, b" */
clradio_status clr_named_missing(const clr_named_files *files, const char *name)
{
    clr_text all = { 0 };
    for (size_t f = 0; f < files->count; f++)
        for (size_t i = 0; i < clr_arrays_count(files->file[f]) && all.length < 300; i++) {
            size_t length;
            const char *stem = stem_of(files->path[f], &length);
            const char *own = clr_arrays_get(files->file[f], i)->name;
            clr_text_add(&all, "%s", all.length ? ", " : "");
            clr_text_add(&all, "%.*s", *own ? 100 : (int)length, *own ? own : stem);
        }
    clr_fail(CLRADIO_ERROR_ARGUMENT, "there is no array '%s'; the files hold: %s", name,
             all.length ? all.bytes : "none");
    clr_text_free(&all);
    return CLRADIO_ERROR_ARGUMENT;
}

clradio_status clr_named_read(const clr_named_array *array, clr_element as, void **values)
{
    return clr_arrays_read_all(array->file, array->index, as, values);
}
