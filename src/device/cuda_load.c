/*
 * Finds libcuda and NVRTC at run time. A machine without either is a normal machine: the sentences
 * say what is missing and what it would take, and OpenCL goes on working.
 */
#include "device/cuda_api.h"

#include "base/text.h"
#include "device/cuda_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clr_cuda_driver driver;
static char driver_missing[512];
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

static clr_nvrtc nvrtc;
static char nvrtc_missing[512];
static pthread_once_t nvrtc_once = PTHREAD_ONCE_INIT;

static const char *load_driver_symbols(void *library, clr_cuda_driver *table)
{
    const char *missing = NULL;
    CLR_CUDA_SYMBOLS(CLR_CUDA_LOOK_UP)
    return missing;
}

static int load_graph_symbols(void *library, clr_cuda_driver *table)
{
    const char *missing = NULL;
    CLR_CUDA_GRAPH_SYMBOLS(CLR_CUDA_LOOK_UP)
    return !missing;
}

/* As the driver reads it: 8 unless the environment says 1 to 32. */
static int connections(void)
{
    uint64_t asked;
    const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    return text && clr_parse_u64(text, &asked) && asked >= 1 && asked <= 32 ? (int)asked : 8;
}

static const char *load_nvrtc_symbols(void *library, clr_nvrtc *table)
{
    const char *missing = NULL;
    CLR_NVRTC_SYMBOLS(CLR_CUDA_LOOK_UP)
    return missing;
}

static void load_driver(void)
{
    static const char *const names[] = { "libcuda.so.1", "libcuda.so",
                                         "/usr/lib/wsl/lib/libcuda.so.1" };
    const char *asked = clr_cuda_asked_file("CLRADIO_CUDA");
    void *library = asked ? dlopen(asked, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (asked && !library) {
        snprintf(driver_missing, sizeof driver_missing,
                 "there is no CUDA driver where CLRADIO_CUDA says: %s", dlerror());
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(driver_missing, sizeof driver_missing,
                 "there is no CUDA driver (libcuda.so.1): install NVIDIA's driver");
        return;
    }
    const char *missing = load_driver_symbols(library, &driver);
    if (missing) {
        snprintf(driver_missing, sizeof driver_missing,
                 "the CUDA driver is too old: it has no %s; install a newer one", missing);
        return;
    }
    driver.has_graphs = load_graph_symbols(library, &driver);
    driver.connections = connections();
    CUresult result = driver.cuInit(0);
    if (result) {
        snprintf(driver_missing, sizeof driver_missing, "the CUDA driver does not start: %s",
                 clr_cuda_error_name(&driver, result));
        return;
    }
    driver.cuDriverGetVersion(&driver.version);
}

const clr_cuda_driver *clr_cuda_driver_get(void)
{
    pthread_once(&driver_once, load_driver);
    if (!driver_missing[0])
        return &driver;
    clr_fail(CLRADIO_ERROR_NO_DEVICE, "%s", driver_missing);
    return NULL;
}

/*
 * NVRTC opens libnvrtc-builtins.so.X.Y by itself and ignores our search path: open it first, by its
 * full path in NVRTC's own folder, so that the one found is the one that belongs to it.
 */
static void preload_builtins(const clr_nvrtc *of)
{
    char folder[1024];
    clr_text path = { 0 };
    clr_cuda_folder_of(&of->nvrtcVersion, folder, sizeof folder);
    if (!*folder)
        return;
    clr_text_add(&path, "%slibnvrtc-builtins.so.%d.%d", folder, of->major, of->minor);
    if (!path.failed)
        dlopen(path.bytes, RTLD_NOW | RTLD_GLOBAL);
    clr_text_free(&path);
}

static void *open_nvrtc(void)
{
    static const char *const names[] = { "libnvrtc.so.13",   "libnvrtc.so.12",   "libnvrtc.so.11.2",
                                         "libnvrtc.so.11.1", "libnvrtc.so.11.0", "libnvrtc.so" };
    const char *asked = clr_cuda_asked_file("CLRADIO_NVRTC");
    if (asked) {
        void *library = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            snprintf(nvrtc_missing, sizeof nvrtc_missing,
                     "NVRTC (libnvrtc.so) was not found where CLRADIO_NVRTC says: %s", dlerror());
        return library;
    }
    return clr_cuda_open_library(names, sizeof names / sizeof *names);
}

static void load_nvrtc(void)
{
    void *library = open_nvrtc();
    if (nvrtc_missing[0])
        return;
    if (!library) {
        snprintf(
            nvrtc_missing, sizeof nvrtc_missing,
            "NVRTC (libnvrtc.so) was not found: install CUDA's run-time compiler, or name it in "
            "CLRADIO_NVRTC");
        return;
    }
    const char *missing = load_nvrtc_symbols(library, &nvrtc);
    if (missing) {
        snprintf(nvrtc_missing, sizeof nvrtc_missing,
                 "this NVRTC is too old: it has no %s (11.2 or newer is needed)", missing);
        return;
    }
    nvrtc.nvrtcVersion(&nvrtc.major, &nvrtc.minor);
    preload_builtins(&nvrtc);
    int count = 0;
    if (!nvrtc.nvrtcGetNumSupportedArchs(&count) && count > 0)
        nvrtc.architectures = calloc((size_t)count, sizeof *nvrtc.architectures);
    if (nvrtc.architectures && !nvrtc.nvrtcGetSupportedArchs(nvrtc.architectures))
        nvrtc.n_architectures = count;
}

const clr_nvrtc *clr_nvrtc_get(void)
{
    pthread_once(&nvrtc_once, load_nvrtc);
    if (!nvrtc_missing[0])
        return &nvrtc;
    clr_fail(CLRADIO_ERROR_UNSUPPORTED, "%s", nvrtc_missing);
    return NULL;
}

const char *clr_cuda_error_name(const clr_cuda_driver *library, CUresult result)
{
    const char *name = NULL;
    if (library->cuGetErrorName(result, &name) || !name)
        return "an unknown CUDA error";
    return name;
}
