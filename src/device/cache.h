/*
 * The cache of built programs on disk. It never fails a caller: what cannot be read is built again,
 * what cannot be written is not kept. One file an entry, named by the SHA-256 of its key text, so
 * equal keys of several processes meet in one name and the last rename wins with the same content.
 *
 *   CLRADIO_CACHE_DIR   the folder; else $XDG_CACHE_HOME/clradio, else ~/.cache/clradio
 *   CLRADIO_CACHE       off, ro (read, never write or delete), rw (the default), verify (build
 *                       always, compare with what is stored, replace what differs)
 *   CLRADIO_CACHE_SIZE  how much the entries may take together, such as 64M; 256M when not set
 */
#ifndef CLR_DEVICE_CACHE_H
#define CLR_DEVICE_CACHE_H

#include "base/text.h"

#include <time.h>

typedef enum clr_cache_mode {
    CLR_CACHE_OFF,
    CLR_CACHE_READ,
    CLR_CACHE_READ_WRITE,
    CLR_CACHE_VERIFY
} clr_cache_mode;

typedef struct clr_cache {
    clr_cache_mode mode; /* what can be done, after a look at the folder */
    char *folder;        /* NULL when none could be named */
    uint64_t limit_bytes;
    char trouble[512]; /* why it is not what was asked for; empty when it is */
} clr_cache;

/* Reads the environment, makes the folder (0700) when it is to be written. Always leaves a usable
 * record; trouble that turned the cache off is a sentence in it. */
void clr_cache_open(clr_cache *cache);
void clr_cache_close(clr_cache *cache);
/* "off", "ro", "rw", "verify". */
const char *clr_cache_mode_name(clr_cache_mode mode);

/*
 * The payload stored under a key text: 1 and malloc'ed bytes, or 0 when there is none. The whole
 * key text, the lengths and the checksum are compared; an entry that fails is deleted (not in mode
 * ro) and the reason logged.
 */
int clr_cache_read(const clr_cache *cache, const char *key, size_t key_bytes,
                   unsigned char **payload, size_t *payload_bytes);
/* Stores a payload and deletes the oldest entries beyond the limit. 1 when it is stored. */
int clr_cache_write(const clr_cache *cache, const char *key, size_t key_bytes,
                    const unsigned char *payload, size_t payload_bytes);
/* Deletes the entry of a key, because of something only the caller could notice. */
void clr_cache_reject(const clr_cache *cache, const char *key, size_t key_bytes,
                      const char *reason);

/* One file of the cache, for people. */
typedef struct clr_cache_entry {
    char file[80];     /* its name in the folder */
    char program[64];  /* "xengine_tile.cl" */
    char macros[256];  /* "DX=4 DY=4", cut when long */
    char device[128];  /* the device's name */
    char problem[128]; /* why it is no use, empty when it is sound */
    uint64_t bytes;
    int64_t modified_s; /* seconds since 1970: when it was stored, or used (to a day) */
} clr_cache_entry;

/*
 * Every entry in the folder, oldest first, each read whole and checked: lengths, checksum, and that
 * its name belongs to its key. *entries is malloc'ed; NULL with 0 entries. Errors: IO (the folder
 * cannot be read), MEMORY. No folder is no error: there are no entries.
 */
clradio_status clr_cache_list(const clr_cache *cache, clr_cache_entry **entries, size_t *count);
/* Deletes one entry, by its file name. Errors: IO, STATE (mode off or ro). */
clradio_status clr_cache_remove(const clr_cache *cache, const char *file);
/* Deletes every entry, every self-test record and what interrupted writers left. removed and bytes
 * (may be NULL) count them. Errors: IO, STATE (mode off or ro). */
clradio_status clr_cache_clear(const clr_cache *cache, size_t *removed, uint64_t *bytes);

/* ---- between cache.c, cache_entry.c, cache_list.c and selftest.c ---- */

typedef struct clr_cache_file {
    char name[96];
    uint64_t bytes;
    struct timespec modified;
} clr_cache_file;

enum {
    CLR_CACHE_PROGRAMS = 1,
    CLR_CACHE_SELF_TESTS = 2,
    CLR_CACHE_TEMPORARY = 4, /* a writer's, unfinished */
    CLR_CACHE_ANY = 7
};
/* What a file name is: one of the above, or 0 for a file that is not ours. */
int clr_cache_file_kind(const char *name);
/* The files of these kinds, oldest first; malloc'ed. Errors: IO, MEMORY. */
clradio_status clr_cache_files(const clr_cache *cache, int kinds, clr_cache_file **files,
                               size_t *count);
/* 1 when it is gone by this call. */
int clr_cache_delete(const clr_cache *cache, const char *name);

enum { CLR_CACHE_NAME_BYTES = 64 + 5 }; /* hexadecimal digits, suffix, zero */
#define CLR_CACHE_PROGRAM_SUFFIX ".clp"
#define CLR_CACHE_SELF_TEST_SUFFIX ".clt"

void clr_cache_name(const char *key, size_t key_bytes, const char *suffix,
                    char name[CLR_CACHE_NAME_BYTES]);
/* "folder/name", malloc'ed, or NULL. */
char *clr_cache_path(const clr_cache *cache, const char *name);
/* The bytes of a regular file that belongs to us or to root; NULL and a reason otherwise. missing
 * (may be NULL) is 1 when there is no such file. malloc'ed. */
unsigned char *clr_cache_slurp(const char *path, size_t *count, int *missing, const char **reason);
/* Writes a file whole or not at all; 1 when it stands. */
int clr_cache_spill(const char *path, const clr_text *content);
/* Deletes the oldest entries until all together fit the limit, and old temporary files. */
void clr_cache_evict(const clr_cache *cache);

/* Takes an entry's bytes apart. key and payload point into bytes. NULL when sound, else what is
 * wrong with it. */
const char *clr_cache_entry_parse(const unsigned char *bytes, size_t count, const char **key,
                                  size_t *key_bytes, const unsigned char **payload,
                                  size_t *payload_bytes);

#endif
