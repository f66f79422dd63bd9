/*
 * Programs: from the table of live ones, from the cache on disk, or built; and their kernels. The
 * table is guarded by the device's lock. A program enters it before it is built, so that a second
 * thread that wants the same one waits instead of building it too; a failed build leaves it again.
 */
#include "device/backend.h"

#include "base/progress.h"
#include "base/sha256.h"
#include "device/build_report.h"
#include "device/cache.h"
#include "device/program_key.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum program_state { STATE_BUILDING, STATE_READY, STATE_FAILED } program_state;

struct clr_program {
    struct clr_program *next;
    clradio_device *device; /* retained */
    char name[64];
    char options[96]; /* of its build */
    clr_text key;
    size_t source; /* where the flattened source starts in the key text */
    char hash[65];
    int references;
    program_state state;
    pthread_cond_t changed;
    clradio_status failure;
    char *failure_text;
    void *handle;        /* the back end's */
    void *replaced;      /* one from the cache that turned out to be no use, until the end */
    int from_cache;      /* handle was loaded */
    int stored;          /* it is in the cache, or need not be */
    atomic_int launched; /* a kernel of it was: the binary is final */
};

/* ---- the cache around one program ---- */

static void open_cache(clradio_device *device, clr_cache *cache)
{
    clr_cache_open(cache);
    if (!cache->trouble[0])
        return;
    pthread_mutex_lock(&device->lock);
    int told = device->cache_told;
    device->cache_told = 1;
    pthread_mutex_unlock(&device->lock);
    if (!told)
        clr_log(CLRADIO_LOG_INFO, "cache", "there is no program cache: %s", cache->trouble);
}

static void count(clradio_device *device, uint64_t *counter)
{
    pthread_mutex_lock(&device->lock);
    ++*counter;
    pthread_mutex_unlock(&device->lock);
}

/* 1 when it was loaded. */
static int load(clr_program *program)
{
    clradio_device *device = program->device;
    clr_cache cache;
    clr_binary binary = { 0 };
    open_cache(device, &cache);
    double start = clr_steady_seconds();
    if (cache.mode != CLR_CACHE_VERIFY &&
        clr_cache_read(&cache, program->key.bytes, program->key.length, &binary.bytes,
                       &binary.count)) {
        if (device->backend->load(device, &binary, program->options, &program->handle)) {
            program->handle = NULL;
            clr_cache_reject(&cache, program->key.bytes, program->key.length, clradio_last_error());
        } else {
            program->from_cache = program->stored = 1;
            count(device, &device->loaded);
            clr_log(CLRADIO_LOG_INFO, "cache", "%s: loaded %.12s in %.1f ms", program->name,
                    program->hash, 1e3 * (clr_steady_seconds() - start));
        }
    }
    free(binary.bytes);
    clr_cache_close(&cache);
    return program->from_cache;
}

/* In verify mode, says whether the stored binary is what was built now. */
static void compare(const clr_program *program, const clr_cache *cache, const clr_binary *built)
{
    clr_binary old;
    if (!clr_cache_read(cache, program->key.bytes, program->key.length, &old.bytes, &old.count))
        return;
    int equal = old.count == built->count && !memcmp(old.bytes, built->bytes, old.count);
    clr_log(equal ? CLRADIO_LOG_INFO : CLRADIO_LOG_WARNING, "cache",
            equal ? "%s: the entry %.12s is what the compiler makes now"
                  : "%s: the entry %.12s differs from what the compiler makes now; it is replaced",
            program->name, program->hash);
    free(old.bytes);
}

static void store(clr_program *program)
{
    clradio_device *device = program->device;
    clr_cache cache;
    clr_binary binary = { 0 };
    open_cache(device, &cache);
    double start = clr_steady_seconds();
    if (cache.mode == CLR_CACHE_READ_WRITE || cache.mode == CLR_CACHE_VERIFY) {
        if (device->backend->fetch(device, program->handle, &binary)) {
            clr_log(CLRADIO_LOG_INFO, "cache", "%s: not stored: %s", program->name,
                    clradio_last_error());
        } else {
            if (cache.mode == CLR_CACHE_VERIFY)
                compare(program, &cache, &binary);
            if (clr_cache_write(&cache, program->key.bytes, program->key.length, binary.bytes,
                                binary.count))
                clr_log(CLRADIO_LOG_INFO, "cache", "%s: stored %.12s, %zu bytes, in %.1f ms",
                        program->name, program->hash, binary.count,
                        1e3 * (clr_steady_seconds() - start));
        }
    }
    free(binary.bytes);
    clr_cache_close(&cache);
}

/* Once a program, whoever asks first. */
static void store_once(clr_program *program)
{
    pthread_mutex_lock(&program->device->lock);
    int wanted = program->state == STATE_READY && !program->stored;
    program->stored = 1;
    pthread_mutex_unlock(&program->device->lock);
    if (wanted)
        store(program);
}

void clr_program_proved(clr_program *program)
{
    if (program)
        store_once(program);
}

/* ---- building ---- */

/* The macros line of the key text. */
static void add_macros(const clr_program *program, clr_text *text)
{
    const char *line = strstr(program->key.bytes, "\nmacros");
    if (line && line[7] == ' ')
        clr_text_add(text, " with %.*s", (int)strcspn(line + 8, "\n"), line + 8);
}

static clradio_status build_failed(const clr_program *program, clradio_status status,
                                   const char *log)
{
    clr_text text = { 0 };
    clr_text_add(&text, "'%s' does not build for %s", program->name, program->device->info.name);
    add_macros(program, &text);
    clr_text_add(&text, ": %s\n", clradio_last_error());
    clr_build_report(program->key.bytes + program->source, log, &text);
    if (!text.failed)
        clr_fail(status, "%s", text.bytes);
    clr_text_free(&text);
    return status;
}

static clradio_status build(clr_program *program)
{
    clradio_device *device = program->device;
    char *log = NULL;
    double start = clr_steady_seconds();
    clradio_status status = device->backend->build(device, program->key.bytes + program->source,
                                                   program->key.length - program->source,
                                                   program->options, &program->handle, &log);
    if (status) {
        program->handle = NULL;
        status = build_failed(program, status, log);
    } else {
        program->from_cache = program->stored = 0;
        count(device, &device->built);
        clr_log(CLRADIO_LOG_INFO, "build", "%s: built %.12s in %.1f ms", program->name,
                program->hash, 1e3 * (clr_steady_seconds() - start));
        if (log)
            clr_log(CLRADIO_LOG_DEBUG, "build", "%s: %s", program->name, log);
    }
    free(log);
    return status;
}

/* ---- the table ---- */

static void destroy(clr_program *program)
{
    const clr_backend *backend = program->device->backend;
    if (program->handle)
        backend->program_release(program->handle);
    if (program->replaced)
        backend->program_release(program->replaced);
    pthread_cond_destroy(&program->changed);
    clradio_device_close(program->device);
    clr_text_free(&program->key);
    free(program->failure_text);
    free(program);
}

/* With the device locked. */
static void take_out(clr_program *program)
{
    clr_program **at = &program->device->programs;
    while (*at && *at != program)
        at = &(*at)->next;
    if (*at)
        *at = program->next;
}

static clradio_status new_program(clradio_device *device, const char *name, const clr_macro *macros,
                                  size_t n_macros, clr_program **made)
{
    clr_program *program = calloc(1, sizeof *program);
    if (!program)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a program");
    clradio_status status =
        clr_program_key(device, name, macros, n_macros, &program->key, &program->source);
    if (status) {
        clr_text_free(&program->key);
        free(program);
        return status;
    }
    unsigned char digest[32];
    clr_sha256_of(program->key.bytes, program->key.length, digest);
    clr_sha256_hex(digest, program->hash);
    clr_copy_text(program->name, sizeof program->name, name);
    pthread_cond_init(&program->changed, NULL);
    program->device = clr_device_retain(device);
    clr_program_write_options(device, macros, n_macros, program->options, sizeof program->options);
    program->references = 1;
    *made = program;
    return CLRADIO_OK;
}

/* With the device locked. */
static clr_program *find(clradio_device *device, const clr_program *like)
{
    clr_program *program = device->programs;
    while (program && (program->key.length != like->key.length ||
                       memcmp(program->key.bytes, like->key.bytes, like->key.length)))
        program = program->next;
    return program;
}

/* Another thread's: waits until it is ready or has failed. With the device locked. */
static clradio_status wait_for(clr_program *program)
{
    while (program->state == STATE_BUILDING)
        pthread_cond_wait(&program->changed, &program->device->lock);
    if (program->state == STATE_READY)
        return CLRADIO_OK;
    return clr_fail(program->failure, "%s", program->failure_text ? program->failure_text : "");
}

/* This thread's: loads or builds it, then tells those who wait. */
static clradio_status make(clr_program *program)
{
    clradio_device *device = program->device;
    clradio_status status = load(program) ? CLRADIO_OK : build(program);
    pthread_mutex_lock(&device->lock);
    program->state = status ? STATE_FAILED : STATE_READY;
    if (status) {
        program->failure = status;
        program->failure_text = strdup(clradio_last_error());
        take_out(program);
    }
    pthread_cond_broadcast(&program->changed);
    pthread_mutex_unlock(&device->lock);
    return status;
}

clradio_status clr_program_get(clradio_device *device, const char *source, const clr_macro *macros,
                               size_t n_macros, clr_program **program)
{
    *program = NULL;
    clr_program *mine = NULL;
    clradio_status status = new_program(device, source, macros, n_macros, &mine);
    if (status)
        return status;
    pthread_mutex_lock(&device->lock);
    clr_program *there = find(device, mine);
    if (there) {
        there->references++;
        status = wait_for(there);
    } else {
        mine->next = device->programs;
        device->programs = mine;
    }
    pthread_mutex_unlock(&device->lock);
    if (there) {
        destroy(mine);
        mine = there;
    } else {
        status = make(mine);
    }
    if (status)
        clr_program_release(mine);
    else
        *program = mine;
    return status;
}

void clr_program_release(clr_program *program)
{
    if (!program)
        return;
    clradio_device *device = program->device;
    pthread_mutex_lock(&device->lock);
    int last = --program->references == 0;
    if (last)
        take_out(program);
    pthread_mutex_unlock(&device->lock);
    if (!last)
        return;
    /* Also without clr_program_proved: the verdict was known, but the entry had been lost. */
    if (program->launched)
        store_once(program);
    destroy(program);
}

const char *clr_program_hash(const clr_program *program)
{
    return program->hash;
}

/* ---- kernels ---- */

/* What the driver took for a program may still lack its kernels: then the entry is no use. */
static clradio_status build_instead(clr_program *program)
{
    clr_cache cache;
    open_cache(program->device, &cache);
    clr_cache_reject(&cache, program->key.bytes, program->key.length, clradio_last_error());
    clr_cache_close(&cache);
    program->replaced = program->handle;
    return build(program);
}

clradio_status clr_kernel_create(clr_program *program, const char *entry, clr_kernel **kernel)
{
    *kernel = NULL;
    clr_kernel *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a kernel");
    clradio_device *device = program->device;
    clradio_status status = device->backend->kernel_create(program->handle, entry, &made->handle);
    if (status && program->from_cache && !program->replaced) {
        status = build_instead(program);
        if (!status)
            status = device->backend->kernel_create(program->handle, entry, &made->handle);
    }
    if (status) {
        free(made);
        return clr_fail_in(status, "%s", program->name);
    }
    pthread_mutex_lock(&device->lock);
    program->references++;
    pthread_mutex_unlock(&device->lock);
    made->program = program;
    *kernel = made;
    return CLRADIO_OK;
}

clradio_status clr_kernel_limits(clr_kernel *kernel, size_t *max_group_size, uint64_t *local_bytes,
                                 uint64_t *private_bytes)
{
    clradio_device *device = kernel->program->device;
    return device->backend->kernel_limits(device, kernel->handle, max_group_size, local_bytes,
                                          private_bytes);
}

uint32_t clr_kernel_registers(clr_kernel *kernel)
{
    clradio_device *device = kernel->program->device;
    const clr_backend *backend = device->backend;
    return backend->kernel_registers ? backend->kernel_registers(device, kernel->handle) : 0;
}

void clr_kernel_release(clr_kernel *kernel)
{
    if (!kernel)
        return;
    if (kernel->launched)
        kernel->program->launched = 1;
    kernel->program->device->backend->kernel_release(kernel->handle);
    clr_program_release(kernel->program);
    free(kernel);
}
