/* The program cache's folder: where it is, who may use it, its files, what is deleted first. */
#include "device/cache.h"

#include "base/file.h"
#include "base/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_LIMIT_BYTES = 256 << 20, ABANDONED_S = 60 * 60 };
static const uint64_t largest_file = (uint64_t)1 << 31;

const char *clr_cache_mode_name(clr_cache_mode mode)
{
    static const char *const names[] = { "off", "ro", "rw", "verify" };
    return names[mode];
}

static void trouble(clr_cache *cache, const char *format, ...) CLR_PRINTF(2, 3);
static void trouble(clr_cache *cache, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cache->trouble, sizeof cache->trouble, format, arguments);
    va_end(arguments);
    cache->mode = CLR_CACHE_OFF;
}

static void read_environment(clr_cache *cache)
{
    const char *mode = getenv("CLRADIO_CACHE");
    cache->mode = CLR_CACHE_READ_WRITE;
    for (clr_cache_mode m = CLR_CACHE_OFF; mode && *mode; m++) {
        if (m > CLR_CACHE_VERIFY) {
            trouble(cache, "CLRADIO_CACHE is '%s', not off, ro, rw or verify", mode);
            break;
        }
        if (!strcmp(mode, clr_cache_mode_name(m))) {
            cache->mode = m;
            break;
        }
    }
    const char *size = getenv("CLRADIO_CACHE_SIZE");
    cache->limit_bytes = DEFAULT_LIMIT_BYTES;
    if (size && *size && !clr_parse_bytes(size, &cache->limit_bytes))
        trouble(cache, "CLRADIO_CACHE_SIZE is '%s', not a number of bytes such as 64M", size);
}

/* A relative $XDG_CACHE_HOME is to be ignored (XDG base directory specification). */
static char *folder_name(void)
{
    const char *own = getenv("CLRADIO_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    clr_text path = { 0 };
    if (own && *own)
        clr_text_add(&path, "%s", own);
    else if (xdg && *xdg == '/')
        clr_text_add(&path, "%s/clradio", xdg);
    else if (home && *home)
        clr_text_add(&path, "%s/.cache/clradio", home);
    if (path.failed)
        clr_text_free(&path);
    return path.bytes;
}

/* A binary runs with our rights: it comes only from a folder that nobody else could fill. */
static void check_folder(clr_cache *cache)
{
    struct stat status;
    int writes = cache->mode != CLR_CACHE_READ;
    const char *folder = cache->folder;
    if (stat(folder, &status)) {
        if (errno == ENOENT && !writes)
            return;
        trouble(cache, "the folder '%s' cannot be used: %s", folder, strerror(errno));
    } else if (!S_ISDIR(status.st_mode)) {
        trouble(cache, "'%s' is not a folder", folder);
    } else if (status.st_uid != geteuid() && status.st_uid != 0) {
        trouble(cache, "the folder '%s' belongs to another user", folder);
    } else if (status.st_mode & S_IWOTH) {
        trouble(cache, "everybody may write into the folder '%s'", folder);
    } else if (access(folder, R_OK | X_OK) || (writes && access(folder, W_OK))) {
        trouble(cache, "the folder '%s' cannot be %s: %s", folder, writes ? "written" : "read",
                strerror(errno));
    }
}

void clr_cache_open(clr_cache *cache)
{
    *cache = (clr_cache){ 0 };
    read_environment(cache);
    cache->folder = folder_name();
    if (cache->mode == CLR_CACHE_OFF)
        return;
    if (!cache->folder) {
        trouble(cache, "none of CLRADIO_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder");
        return;
    }
    struct stat status;
    if (cache->mode != CLR_CACHE_READ && stat(cache->folder, &status) &&
        clr_make_directories(cache->folder, 0700)) {
        trouble(cache, "%s", clradio_last_error());
        return;
    }
    check_folder(cache);
}

void clr_cache_close(clr_cache *cache)
{
    free(cache->folder);
    *cache = (clr_cache){ 0 };
}

void clr_cache_name(const char *key, size_t key_bytes, const char *suffix,
                    char name[CLR_CACHE_NAME_BYTES])
{
    unsigned char digest[32];
    char hex[65];
    clr_sha256_of(key, key_bytes, digest);
    clr_sha256_hex(digest, hex);
    memcpy(name, hex, 64);
    clr_copy_text(name + 64, CLR_CACHE_NAME_BYTES - 64, suffix);
}

char *clr_cache_path(const clr_cache *cache, const char *name)
{
    clr_text path = { 0 };
    clr_text_add(&path, "%s/%s", cache->folder, name);
    if (path.failed)
        clr_text_free(&path);
    return path.bytes;
}

static const char *read_all(int descriptor, unsigned char *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t got = read(descriptor, bytes + done, count - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got ? "it cannot be read" : "it ends early";
        done += (size_t)got;
    }
    return NULL;
}

unsigned char *clr_cache_slurp(const char *path, size_t *count, int *missing, const char **reason)
{
    /* Not blocking: somebody could have put a FIFO there. */
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (missing)
        *missing = descriptor < 0 && errno == ENOENT;
    if (descriptor < 0) {
        *reason = errno == ENOENT ? NULL : "it cannot be opened";
        return NULL;
    }
    struct stat status;
    unsigned char *bytes = NULL;
    if (fstat(descriptor, &status) || !S_ISREG(status.st_mode))
        *reason = "it is not a regular file";
    else if (status.st_uid != geteuid() && status.st_uid != 0)
        *reason = "it belongs to another user";
    else if ((uint64_t)status.st_size > largest_file)
        *reason = "it is larger than any entry";
    else if (!(bytes = malloc((size_t)status.st_size + 1)))
        *reason = "there is no memory to read it";
    else
        *reason = read_all(descriptor, bytes, *count = (size_t)status.st_size);
    close(descriptor);
    if (*reason) {
        free(bytes);
        return NULL;
    }
    bytes[*count] = '\0';
    return bytes;
}

int clr_cache_spill(const char *path, const clr_text *content)
{
    clr_new_file file;
    if (content->failed)
        return 0;
    clradio_status status = clr_new_file_begin(path, 0600, &file);
    if (!status && fwrite(content->bytes, 1, content->length, file.stream) != content->length) {
        status = clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
        clr_new_file_abandon(&file);
    } else if (!status) {
        status = clr_new_file_commit(&file);
    }
    if (status)
        clr_log(CLRADIO_LOG_INFO, "cache", "not stored: %s", clradio_last_error());
    return !status;
}

/* ---- the files in the folder ---- */

int clr_cache_file_kind(const char *name)
{
    enum { DIGITS = 64, SUFFIX = 4 };
    int temporary = *name == '.';
    const char *suffix = name + temporary + DIGITS;
    size_t length = strlen(name);
    if (length != (temporary ? 1 + DIGITS + SUFFIX + 7u : DIGITS + SUFFIX + 0u) ||
        strchr(name, '/'))
        return 0;
    int program = !memcmp(suffix, CLR_CACHE_PROGRAM_SUFFIX, SUFFIX);
    if (!program && memcmp(suffix, CLR_CACHE_SELF_TEST_SUFFIX, SUFFIX))
        return 0;
    if (temporary)
        return suffix[SUFFIX] == '.' ? CLR_CACHE_TEMPORARY : 0;
    return program ? CLR_CACHE_PROGRAMS : CLR_CACHE_SELF_TESTS;
}

static int older_first(const void *a, const void *b)
{
    const clr_cache_file *x = a, *y = b;
    if (x->modified.tv_sec != y->modified.tv_sec)
        return x->modified.tv_sec < y->modified.tv_sec ? -1 : 1;
    if (x->modified.tv_nsec != y->modified.tv_nsec)
        return x->modified.tv_nsec < y->modified.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int grow(clr_cache_file **files, size_t count, size_t *room)
{
    if (count < *room)
        return 1;
    size_t larger = *room ? 2 * *room : 64;
    clr_cache_file *moved = realloc(*files, larger * sizeof *moved);
    if (!moved)
        return 0;
    *files = moved;
    *room = larger;
    return 1;
}

clradio_status clr_cache_files(const clr_cache *cache, int kinds, clr_cache_file **files,
                               size_t *count)
{
    *files = NULL;
    *count = 0;
    DIR *folder = cache->folder ? opendir(cache->folder) : NULL;
    if (!folder)
        return !cache->folder || errno == ENOENT
                   ? CLRADIO_OK
                   : clr_fail(CLRADIO_ERROR_IO, "cannot read the folder '%s': %s", cache->folder,
                              strerror(errno));
    clradio_status status = CLRADIO_OK;
    size_t room = 0;
    struct dirent *item;
    struct stat facts;
    while ((item = readdir(folder))) {
        /* A file that vanishes meanwhile is left out. */
        if (!(clr_cache_file_kind(item->d_name) & kinds) ||
            fstatat(dirfd(folder), item->d_name, &facts, AT_SYMLINK_NOFOLLOW))
            continue;
        if (!grow(files, *count, &room)) {
            status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory to list the cache");
            break;
        }
        clr_cache_file *file = &(*files)[(*count)++];
        clr_copy_text(file->name, sizeof file->name, item->d_name);
        file->bytes = (uint64_t)facts.st_size;
        file->modified = facts.st_mtim;
    }
    closedir(folder);
    if (*count)
        qsort(*files, *count, sizeof **files, older_first);
    return status;
}

int clr_cache_delete(const clr_cache *cache, const char *name)
{
    char *path = clr_cache_path(cache, name);
    int deleted = path && !unlink(path);
    free(path);
    return deleted;
}

void clr_cache_evict(const clr_cache *cache)
{
    clr_cache_file *files;
    size_t count;
    uint64_t total = 0;
    if (clr_cache_files(cache, CLR_CACHE_PROGRAMS, &files, &count))
        count = 0;
    for (size_t i = 0; i < count; i++)
        total += files[i].bytes;
    for (size_t i = 0; i < count && total > cache->limit_bytes; i++) {
        if (clr_cache_delete(cache, files[i].name))
            clr_log(CLRADIO_LOG_INFO, "cache", "the entry %.12s, the oldest, made room",
                    files[i].name);
        total -= files[i].bytes;
    }
    free(files);
    if (clr_cache_files(cache, CLR_CACHE_TEMPORARY, &files, &count))
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (files[i].modified.tv_sec + ABANDONED_S < time(NULL))
            clr_cache_delete(cache, files[i].name);
    free(files);
}
