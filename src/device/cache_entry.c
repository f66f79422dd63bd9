/*
 * Entries of the program cache: their form, reading and writing one. Numbers are little-endian:
 *
 *    0  8 bytes   magic "clradioP"
 *    8  uint32    version of this form
 *   12  uint32    0
 *   16  uint64    bytes of the key text
 *   24  uint64    bytes of the payload
 *   32  32 bytes  SHA-256 of the payload
 *   64  the key text, then the payload, then the end of the file
 */
#include "device/cache.h"

#include "base/sha256.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEADER_BYTES = 64, ENTRY_VERSION = 1, DAY_S = 24 * 60 * 60 };
static const char magic[] = "clradioP";

static uint64_t get_number(const unsigned char *bytes, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void put_number(unsigned char *bytes, unsigned n, uint64_t value)
{
    for (unsigned i = 0; i < n; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

const char *clr_cache_entry_parse(const unsigned char *bytes, size_t count, const char **key,
                                  size_t *key_bytes, const unsigned char **payload,
                                  size_t *payload_bytes)
{
    if (count < HEADER_BYTES)
        return "it is shorter than its header";
    if (memcmp(bytes, magic, 8))
        return "it is not an entry of this cache";
    if (get_number(bytes + 8, 4) != ENTRY_VERSION || get_number(bytes + 12, 4))
        return "it has another version's form";
    uint64_t key_length = get_number(bytes + 16, 8), payload_length = get_number(bytes + 24, 8);
    uint64_t rest = count - HEADER_BYTES;
    if (key_length > rest || payload_length != rest - key_length)
        return "its lengths do not fit the file";
    const unsigned char *content = bytes + HEADER_BYTES + key_length;
    unsigned char digest[32];
    clr_sha256_of(content, (size_t)payload_length, digest);
    if (memcmp(digest, bytes + 32, sizeof digest))
        return "its checksum is wrong";
    *key = (const char *)bytes + HEADER_BYTES;
    *key_bytes = (size_t)key_length;
    *payload = content;
    *payload_bytes = (size_t)payload_length;
    return NULL;
}

static void delete_entry(const clr_cache *cache, const char *path, const char *name,
                         const char *reason)
{
    int deleted = cache->mode != CLR_CACHE_READ && !unlink(path);
    clr_log(CLRADIO_LOG_INFO, "cache", "the entry %.12s is not used: %s; it is %s", name, reason,
            deleted ? "deleted and built again" : "left alone");
}

/* Marks the entry as used, so that it is not the first to be evicted; at most once a day. */
static void touch(const clr_cache *cache, const char *path)
{
    struct stat status;
    if (cache->mode == CLR_CACHE_READ_WRITE && !stat(path, &status) &&
        status.st_mtime + DAY_S < time(NULL))
        utimensat(AT_FDCWD, path, NULL, 0);
}

int clr_cache_read(const clr_cache *cache, const char *key, size_t key_bytes,
                   unsigned char **payload, size_t *payload_bytes)
{
    *payload = NULL;
    *payload_bytes = 0;
    if (cache->mode == CLR_CACHE_OFF)
        return 0;
    char name[CLR_CACHE_NAME_BYTES];
    clr_cache_name(key, key_bytes, CLR_CACHE_PROGRAM_SUFFIX, name);
    char *path = clr_cache_path(cache, name);
    if (!path)
        return 0;
    size_t count = 0, found_key_bytes, found_bytes = 0;
    int missing = 0;
    const char *reason = NULL, *found_key;
    const unsigned char *found = NULL;
    unsigned char *bytes = clr_cache_slurp(path, &count, &missing, &reason);
    if (bytes) {
        reason =
            clr_cache_entry_parse(bytes, count, &found_key, &found_key_bytes, &found, &found_bytes);
        if (!reason && (found_key_bytes != key_bytes || memcmp(found_key, key, key_bytes)))
            reason = "it belongs to another key";
    }
    if (reason) {
        delete_entry(cache, path, name, reason);
    } else if (bytes) {
        memmove(bytes, found, found_bytes);
        *payload = bytes;
        *payload_bytes = found_bytes;
        touch(cache, path);
    }
    if (!*payload)
        free(bytes);
    free(path);
    return *payload != NULL;
}

int clr_cache_write(const clr_cache *cache, const char *key, size_t key_bytes,
                    const unsigned char *payload, size_t payload_bytes)
{
    if (cache->mode != CLR_CACHE_READ_WRITE && cache->mode != CLR_CACHE_VERIFY)
        return 0;
    unsigned char header[HEADER_BYTES] = { 0 };
    memcpy(header, magic, 8);
    put_number(header + 8, 4, ENTRY_VERSION);
    put_number(header + 16, 8, key_bytes);
    put_number(header + 24, 8, payload_bytes);
    clr_sha256_of(payload, payload_bytes, header + 32);
    char name[CLR_CACHE_NAME_BYTES];
    clr_cache_name(key, key_bytes, CLR_CACHE_PROGRAM_SUFFIX, name);
    clr_text entry = { 0 };
    clr_text_add_bytes(&entry, header, sizeof header);
    clr_text_add_bytes(&entry, key, key_bytes);
    clr_text_add_bytes(&entry, payload, payload_bytes);
    int stored = 0;
    if (entry.failed || entry.length > cache->limit_bytes) {
        clr_log(CLRADIO_LOG_INFO, "cache", "the entry %.12s is not stored: it is larger than %s",
                name, entry.failed ? "the memory left" : "the whole cache may be");
    } else {
        char *path = clr_cache_path(cache, name);
        stored = path && clr_cache_spill(path, &entry);
        free(path);
    }
    clr_text_free(&entry);
    if (stored)
        clr_cache_evict(cache);
    return stored;
}

void clr_cache_reject(const clr_cache *cache, const char *key, size_t key_bytes, const char *reason)
{
    if (cache->mode == CLR_CACHE_OFF)
        return;
    char name[CLR_CACHE_NAME_BYTES];
    clr_cache_name(key, key_bytes, CLR_CACHE_PROGRAM_SUFFIX, name);
    char *path = clr_cache_path(cache, name);
    if (path)
        delete_entry(cache, path, name, reason);
    free(path);
}
