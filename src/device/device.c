/*
 * Devices as every back end sees them: the list, opening by name, lifetime, counters. Which record
 * a name stands for is device_name.c's affair, what a device can is probe.c's.
 */
#include "device/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which `auto` takes a card that several of them see. */
static const clr_backend *const backends[] = { &clr_backend_opencl, &clr_backend_cuda };
enum { BACKENDS = sizeof backends / sizeof *backends };

/* One back end that fails to list hides no other; all failing is a failure. */
clradio_status clr_device_list(clradio_device_info **infos, size_t *count)
{
    clradio_status status = CLRADIO_OK;
    clr_text why = { 0 };
    size_t failed = 0;
    *infos = NULL;
    *count = 0;
    for (size_t b = 0; b < BACKENDS; b++) {
        size_t n = 0, found = 0;
        status = backends[b]->list(NULL, 0, &n);
        if (status) {
            clr_log(CLRADIO_LOG_INFO, "device", "%s: %s", backends[b]->name, clradio_last_error());
            clr_text_add(&why, "%s%s", failed ? "; " : "", clradio_last_error());
            failed++;
            continue;
        }
        clradio_device_info *more = realloc(*infos, (*count + n + 1) * sizeof *more);
        if (!more) {
            free(*infos);
            *infos = NULL;
            *count = 0;
            clr_text_free(&why);
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the list of devices");
        }
        *infos = more;
        if (!backends[b]->list(more + *count, n, &found))
            *count += found < n ? found : n;
    }
    status = failed < BACKENDS
                 ? CLRADIO_OK
                 : clr_fail(CLRADIO_ERROR_NO_DEVICE, "%s", why.bytes ? why.bytes : "no device");
    clr_text_free(&why);
    return status;
}

clradio_status clradio_device_list(clradio_device_info *infos, size_t capacity, size_t *count)
{
    clradio_device_info *found;
    size_t n;
    if (!count || (capacity && !infos))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "count is NULL, or infos is with a capacity");
    *count = 0;
    for (size_t i = 0; i < capacity; i++)
        if (infos[i].struct_size != sizeof *infos)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "infos[%zu].struct_size is not set: use CLRADIO_DEVICE_INFO_INIT", i);
    clradio_status status = clr_device_list(&found, &n);
    if (status)
        return status;
    for (size_t i = 0; i < n && i < capacity; i++)
        infos[i] = found[i];
    *count = n;
    free(found);
    return CLRADIO_OK;
}

static void set_identity(clradio_device *device)
{
    const clradio_device_info *info = &device->info;
    if (info->uuid[0])
        snprintf(device->identity, sizeof device->identity, "%s", info->uuid);
    else if (info->pci_address[0])
        snprintf(device->identity, sizeof device->identity, "%s", info->pci_address);
    else
        snprintf(device->identity, sizeof device->identity, "%s, %s", info->name, info->driver);
}

static void device_free(clradio_device *device)
{
    if (device->self_tests_free)
        device->self_tests_free(device->self_tests);
    device->backend->close(device->handle);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

clradio_status clr_device_adopt(const clr_backend *backend, const clradio_device_info *info,
                                void *handle, clradio_device **device)
{
    clradio_device *made = calloc(1, sizeof *made);
    *device = NULL;
    if (!made || pthread_mutex_init(&made->lock, NULL)) {
        free(made);
        backend->close(handle);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a device");
    }
    made->backend = backend;
    made->handle = handle;
    made->info = *info;
    atomic_init(&made->references, 1);
    set_identity(made);
    clr_device_probe(made);
    if (made->info.unusable[0]) {
        clr_fail(CLRADIO_ERROR_DRIVER, "%s (%s) cannot be used: %s", info->id, info->name,
                 made->info.unusable);
        device_free(made);
        return CLRADIO_ERROR_DRIVER;
    }
    *device = made;
    return CLRADIO_OK;
}

static clradio_status open_record(const clradio_device_info *info, clradio_device **device)
{
    void *handle = NULL;
    if (info->unusable[0])
        return clr_fail(CLRADIO_ERROR_DRIVER, "%s (%s) cannot be used: %s", info->id,
                        info->name[0] ? info->name : info->platform, info->unusable);
    for (size_t b = 0; b < BACKENDS; b++) {
        if (strcmp(backends[b]->name, info->back_end))
            continue;
        clradio_status status = backends[b]->open(info, &handle);
        return status ? clr_fail_in(status, "%s (%s)", info->id, info->name)
                      : clr_device_adopt(backends[b], info, handle, device);
    }
    return clr_fail(CLRADIO_ERROR_INTERNAL, "no back end is called %s", info->back_end);
}

/* The first that opens of the best kind there is. */
static clradio_status open_best(const clradio_device_info *infos, size_t count,
                                clradio_device **device)
{
    static const clradio_device_kind order[] = { CLRADIO_DEVICE_GPU, CLRADIO_DEVICE_ACCELERATOR,
                                                 CLRADIO_DEVICE_CPU, CLRADIO_DEVICE_OTHER };
    clr_text why = { 0 };
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < count; i++) {
            if (infos[i].kind != order[k])
                continue;
            if (!open_record(&infos[i], device)) {
                clr_text_free(&why);
                return CLRADIO_OK;
            }
            clr_text_add(&why, "; %s", clradio_last_error());
        }
    if (count)
        clr_fail(CLRADIO_ERROR_NO_DEVICE, "none of the devices found can be used%s",
                 why.bytes ? why.bytes : "");
    else
        clr_fail(CLRADIO_ERROR_NO_DEVICE,
                 "no device was found: install an OpenCL driver (a GPU's, or PoCL for the "
                 "processor); PoCL shows none where HOME cannot be written");
    clr_text_free(&why);
    return CLRADIO_ERROR_NO_DEVICE;
}

/* A device that was asked for by its back end's name: when that back end is not there, its reason
 * says more than a list of other names. */
static clradio_status explain_absence(const char *name, clradio_status status)
{
    for (size_t b = 0; b < BACKENDS; b++) {
        size_t length = strlen(backends[b]->name), n;
        if (!strncmp(name, backends[b]->name, length) && (!name[length] || name[length] == ':') &&
            backends[b]->list(NULL, 0, &n))
            return clr_fail_in(CLRADIO_ERROR_NO_DEVICE, "%s", name);
    }
    return status;
}

clradio_status clradio_device_open(const char *name, clradio_device **device)
{
    clradio_device_info *infos;
    size_t count, chosen;
    if (!device)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "device is NULL");
    *device = NULL;
    if (!name || !*name)
        name = getenv("CLRADIO_DEVICE");
    if (!name || !*name)
        name = "auto";
    clradio_status status = clr_device_list(&infos, &count);
    if (status)
        return status;
    status = clr_device_find(name, infos, count, &chosen);
    if (status)
        status = explain_absence(name, status);
    else
        status =
            chosen == count ? open_best(infos, count, device) : open_record(&infos[chosen], device);
    free(infos);
    return status;
}

clradio_status clradio_device_describe(clradio_device *device, clradio_device_info *info)
{
    if (!device || !info || info->struct_size != sizeof *info)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "device or info is NULL, or info.struct_size is not set");
    *info = device->info;
    return CLRADIO_OK;
}

clradio_device *clr_device_retain(clradio_device *device)
{
    atomic_fetch_add(&device->references, 1);
    return device;
}

void clradio_device_close(clradio_device *device)
{
    if (device && atomic_fetch_sub(&device->references, 1) == 1)
        device_free(device);
}

void clradio_device_build_count(clradio_device *device, uint64_t *built, uint64_t *loaded)
{
    pthread_mutex_lock(&device->lock);
    if (built)
        *built = device->built;
    if (loaded)
        *loaded = device->loaded;
    pthread_mutex_unlock(&device->lock);
}

void clradio_device_memory_used(clradio_device *device, uint64_t *now, uint64_t *peak)
{
    pthread_mutex_lock(&device->lock);
    if (now)
        *now = device->memory_now;
    if (peak)
        *peak = device->memory_peak;
    pthread_mutex_unlock(&device->lock);
}

const clradio_device_info *clr_device_info(const clradio_device *device)
{
    return &device->info;
}

clradio_status clr_device_children(clradio_device *device)
{
    const char *option;
    return device->backend->children
               ? device->backend->children(device, &option)
               : clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                          "kernels cannot launch kernels on %s: CUDA's dynamic parallelism can",
                          device->info.id);
}

/* An eighth is kept back, so that whoever counts need not count to the last comparison. */
uint64_t clr_device_loop_rounds(const clradio_device *device)
{
    const uint64_t limit = device->loop_limit;
    return limit ? limit - limit / 8 : UINT64_MAX;
}

const char *clr_device_identity(const clradio_device *device)
{
    return device->identity;
}

clradio_status clr_host_memory_create(clradio_device *device, uint64_t bytes, void **memory,
                                      void **handle)
{
    *memory = NULL;
    *handle = NULL;
    return device->backend->host_memory_create(device, bytes, memory, handle);
}

void clr_host_memory_destroy(clradio_device *device, void *memory, void *handle)
{
    if (memory)
        device->backend->host_memory_destroy(device, memory, handle);
}
