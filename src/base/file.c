/* Whole reads and atomic writes. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static clradio_status fail_errno(const char *doing, const char *path)
{
    return clr_fail(CLRADIO_ERROR_IO, "cannot %s '%s': %s", doing, path, strerror(errno));
}

static const char *kind_of(const struct stat *facts)
{
    return S_ISDIR(facts->st_mode) ? "a directory" : "not a regular file";
}

/* Not blocking: a FIFO without a writer would hold the process for ever. */
static clradio_status open_regular(const char *path, FILE **stream)
{
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return fail_errno("open", path);
    clradio_status status = CLRADIO_OK;
    if (fstat(descriptor, &facts))
        status = fail_errno("open", path);
    else if (!S_ISREG(facts.st_mode))
        status = clr_fail(CLRADIO_ERROR_IO, "cannot read '%s': it is %s", path, kind_of(&facts));
    else if (!(*stream = fdopen(descriptor, "rb")))
        status = fail_errno("open", path);
    if (status)
        close(descriptor);
    return status;
}

clradio_status clr_file_read(const char *path, size_t limit, unsigned char **bytes, size_t *count)
{
    *bytes = NULL;
    *count = 0;
    FILE *stream = NULL;
    clradio_status opened = open_regular(path, &stream);
    if (opened)
        return opened;
    clradio_status status = CLRADIO_OK;
    size_t room = 0, length = 0;
    unsigned char *content = NULL;
    for (;;) {
        if (length + 1 >= room) {
            room = room ? room * 2 : 4096;
            unsigned char *larger = realloc(content, room);
            if (!larger) {
                status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", path);
                break;
            }
            content = larger;
        }
        size_t got = fread(content + length, 1, room - 1 - length, stream);
        length += got;
        if (length > limit) {
            status = clr_fail(CLRADIO_ERROR_IO, "'%s' is larger than %zu bytes", path, limit);
            break;
        }
        if (!got) {
            if (ferror(stream))
                status = fail_errno("read", path);
            break;
        }
    }
    fclose(stream);
    if (status) {
        free(content);
        return status;
    }
    content[length] = '\0';
    *bytes = content;
    *count = length;
    return CLRADIO_OK;
}

/* Where a link leads when it is followed by one step; malloc, NULL without memory. */
static char *one_step(const char *path)
{
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return strdup(path);
    target[length] = '\0';
    const char *slash = strrchr(path, '/');
    size_t folder = *target == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    char *next = malloc(folder + (size_t)length + 1);
    if (next) {
        memcpy(next, path, folder);
        memcpy(next + folder, target, (size_t)length + 1);
    }
    return next;
}

clradio_status clr_final_name(const char *path, char **final)
{
    enum { MOST_STEPS = 40 };
    struct stat facts;
    char *name = strdup(path);
    for (int i = 0; name && i < MOST_STEPS && !lstat(name, &facts) && S_ISLNK(facts.st_mode); i++) {
        char *next = one_step(name);
        free(name);
        name = next;
    }
    *final = NULL;
    if (!name)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a file name");
    if (!lstat(name, &facts) && !S_ISREG(facts.st_mode)) {
        free(name);
        return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': it is %s", path,
                        S_ISLNK(facts.st_mode) ? "a link that never ends" : kind_of(&facts));
    }
    *final = name;
    return CLRADIO_OK;
}

clradio_status clr_new_file_begin(const char *path, unsigned mode, clr_new_file *file)
{
    *file = (clr_new_file){ 0 };
    clradio_status status = clr_final_name(path, &file->path);
    if (!status)
        status = clr_temporary_name(file->path, mode, &file->temporary);
    if (!status && !(file->stream = fopen(file->temporary, "r+b")))
        status = fail_errno("create", path);
    if (status)
        clr_new_file_abandon(file);
    return status;
}

clradio_status clr_new_file_commit(clr_new_file *file)
{
    clradio_status status = CLRADIO_OK;
    const int failed_before = ferror(file->stream);
    if (fflush(file->stream))
        status = fail_errno("write", file->path);
    else if (failed_before) /* and what was said of it then is lost */
        status =
            clr_fail(CLRADIO_ERROR_IO,
                     "cannot write '%s': an earlier write failed; is the disk full?", file->path);
    if (fclose(file->stream) && !status)
        status = fail_errno("write", file->path);
    file->stream = NULL;
    if (!status)
        status = clr_temporary_keep(&file->temporary, file->path);
    clr_new_file_abandon(file);
    return status;
}

void clr_new_file_abandon(clr_new_file *file)
{
    if (file->stream)
        fclose(file->stream);
    clr_temporary_drop(&file->temporary);
    free(file->path);
    *file = (clr_new_file){ 0 };
}

clradio_status clr_make_directories(const char *path, unsigned mode)
{
    char *partial = strdup(path);
    if (!partial)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a path");
    clradio_status status = CLRADIO_OK;
    for (char *end = partial + (*partial == '/');; end++) {
        if (*end && *end != '/')
            continue;
        char kept = *end;
        *end = '\0';
        if (*partial && mkdir(partial, mode) && errno != EEXIST) {
            status = fail_errno("create the directory", partial);
            break;
        }
        *end = kept;
        if (!kept)
            break;
    }
    free(partial);
    return status;
}
