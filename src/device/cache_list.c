/* The program cache for people: what is in it, and whether each entry is sound. */
#include "device/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Copies what follows "word " on a line of the key text's head (which ends at "source"). */
static void copy_line(const char *key, size_t key_bytes, const char *word, char *to, size_t room)
{
    size_t length = strlen(word);
    const char *end = key + key_bytes;
    while (key < end) {
        const char *newline = memchr(key, '\n', (size_t)(end - key));
        const char *stop = newline ? newline : end;
        size_t line = (size_t)(stop - key);
        if (line == 6 && !memcmp(key, "source", 6))
            return;
        if (line > length && !memcmp(key, word, length) && key[length] == ' ') {
            size_t kept = line - length - 1 < room - 1 ? line - length - 1 : room - 1;
            memcpy(to, key + length + 1, kept);
            to[kept] = '\0';
            /* A damaged entry may hold anything; a terminal obeys some of it. */
            for (size_t i = 0; i < kept; i++)
                if (to[i] < ' ' || to[i] > '~')
                    to[i] = '?';
            return;
        }
        key = newline ? newline + 1 : end;
    }
}

/* 0 when the file is gone meanwhile. */
static int describe(const clr_cache *cache, const char *name, clr_cache_entry *entry)
{
    char *path = clr_cache_path(cache, name);
    if (!path)
        return 0;
    size_t count = 0, key_bytes = 0, payload_bytes = 0;
    int missing = 0;
    const char *reason = NULL, *key = NULL;
    const unsigned char *payload;
    unsigned char *bytes = clr_cache_slurp(path, &count, &missing, &reason);
    free(path);
    if (missing)
        return 0;
    clr_copy_text(entry->file, sizeof entry->file, name);
    if (bytes)
        reason = clr_cache_entry_parse(bytes, count, &key, &key_bytes, &payload, &payload_bytes);
    if (bytes && !reason) {
        char right[CLR_CACHE_NAME_BYTES];
        clr_cache_name(key, key_bytes, CLR_CACHE_PROGRAM_SUFFIX, right);
        if (strcmp(right, name))
            reason = "its key text belongs to another name";
        copy_line(key, key_bytes, "program", entry->program, sizeof entry->program);
        copy_line(key, key_bytes, "macros", entry->macros, sizeof entry->macros);
        copy_line(key, key_bytes, "device", entry->device, sizeof entry->device);
    }
    if (reason)
        clr_copy_text(entry->problem, sizeof entry->problem, reason);
    free(bytes);
    return 1;
}

clradio_status clr_cache_list(const clr_cache *cache, clr_cache_entry **entries, size_t *count)
{
    *entries = NULL;
    *count = 0;
    clr_cache_file *files;
    size_t n;
    clradio_status status = clr_cache_files(cache, CLR_CACHE_PROGRAMS, &files, &n);
    if (!status && n && !(*entries = calloc(n, sizeof **entries)))
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory to list %zu entries", n);
    for (size_t i = 0; i < n && !status; i++) {
        clr_cache_entry *entry = &(*entries)[*count];
        *entry =
            (clr_cache_entry){ .bytes = files[i].bytes, .modified_s = files[i].modified.tv_sec };
        *count += (size_t)describe(cache, files[i].name, entry);
    }
    free(files);
    if (!*count) {
        free(*entries);
        *entries = NULL;
    }
    return status;
}

static clradio_status may_delete(const clr_cache *cache)
{
    if (cache->mode == CLR_CACHE_OFF || cache->mode == CLR_CACHE_READ)
        return clr_fail(CLRADIO_ERROR_STATE, "nothing is deleted while the cache is %s%s%s",
                        cache->mode == CLR_CACHE_OFF ? "off" : "read-only",
                        *cache->trouble ? ": " : "", cache->trouble);
    return CLRADIO_OK;
}

clradio_status clr_cache_remove(const clr_cache *cache, const char *file)
{
    clradio_status status = may_delete(cache);
    if (status)
        return status;
    if (clr_cache_file_kind(file) != CLR_CACHE_PROGRAMS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' is no entry of the cache", file);
    if (!clr_cache_delete(cache, file))
        return clr_fail(CLRADIO_ERROR_IO, "cannot delete '%s' in '%s': %s", file, cache->folder,
                        strerror(errno));
    return CLRADIO_OK;
}

clradio_status clr_cache_clear(const clr_cache *cache, size_t *removed, uint64_t *bytes)
{
    size_t count = 0, gone = 0;
    uint64_t total = 0;
    clr_cache_file *files = NULL;
    clradio_status status = may_delete(cache);
    if (!status)
        status = clr_cache_files(cache, CLR_CACHE_ANY, &files, &count);
    for (size_t i = 0; i < count; i++) {
        if (!clr_cache_delete(cache, files[i].name)) {
            status = clr_fail(CLRADIO_ERROR_IO, "cannot delete '%s' in '%s': %s", files[i].name,
                              cache->folder, strerror(errno));
            continue;
        }
        gone++;
        total += files[i].bytes;
    }
    free(files);
    if (removed)
        *removed = gone;
    if (bytes)
        *bytes = total;
    return status;
}
