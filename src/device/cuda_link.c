/*
 * Kernels that launch kernels: nvJitLink joins NVRTC's relocatable code with the device's run-time
 * library, libcudadevrt.a. Both come with the toolkit or with the wheels of PyPI, and are looked
 * for beside NVRTC first, since the three of one toolkit belong together; without them only such
 * kernels cannot be.
 */
#include "device/cuda_internal.h"

#include "base/text.h"
#include "device/cuda_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clr_nvjitlink linker;
static char linker_missing[512];

static const char *load_symbols(void *library, clr_nvjitlink *table)
{
    const char *missing = NULL;
    CLR_NVJITLINK_SYMBOLS(CLR_CUDA_LOOK_UP)
    return missing;
}

/*
 * Every place where a file of the toolkit may be, one after the other: beside NVRTC, in the
 * neighbouring wheel, where CUDA_PATH and CUDA_HOME say, in the usual folders. 0 behind the last.
 */
static int place_at(unsigned number, const char *nvrtc, const char *wheel, const char *name,
                    char *path, size_t room)
{
    const char *roots[] = { getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda" };
    static const char *const folders[] = { "lib64", "lib", "targets/x86_64-linux/lib" };
    *path = '\0';
    if (number == 0 && *nvrtc)
        snprintf(path, room, "%s%s", nvrtc, name);
    else if (number == 1 && *nvrtc)
        snprintf(path, room, "%s../../%s/lib/%s", nvrtc, wheel, name);
    else if (number >= 2 && number < 11 && roots[(number - 2) / 3])
        snprintf(path, room, "%s/%s/%s", roots[(number - 2) / 3], folders[(number - 2) % 3], name);
    else if (number == 11)
        snprintf(path, room, "/usr/lib/x86_64-linux-gnu/%s", name);
    else if (number == 12)
        snprintf(path, room, "/usr/lib/aarch64-linux-gnu/%s", name);
    return number < 13;
}

static int find_run_time_library(const char *nvrtc, char *path, size_t room)
{
    const char *asked = clr_cuda_asked_file("CLRADIO_CUDADEVRT");
    if (asked) {
        snprintf(path, room, "%s", asked);
        return access(path, R_OK) == 0;
    }
    for (unsigned n = 0; place_at(n, nvrtc, "cuda_runtime", "libcudadevrt.a", path, room); n++)
        if (*path && access(path, R_OK) == 0)
            return 1;
    return 0;
}

/* Of NVRTC's own generation: an older linker does not know what a newer compiler writes. */
static void *open_linker(const clr_nvrtc *nvrtc, const char *folder)
{
    char name[40], path[1024];
    const char *asked = clr_cuda_asked_file("CLRADIO_NVJITLINK");
    if (asked)
        return dlopen(asked, RTLD_NOW | RTLD_LOCAL);
    snprintf(name, sizeof name, "libnvJitLink.so.%d", nvrtc->major);
    void *library = NULL;
    for (unsigned n = 0; !library && place_at(n, folder, "nvjitlink", name, path, sizeof path); n++)
        if (*path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static void load_linker(void)
{
    char folder[768];
    const clr_nvrtc *nvrtc = clr_nvrtc_get();
    if (!nvrtc) {
        snprintf(linker_missing, sizeof linker_missing, "%s", clradio_last_error());
        return;
    }
    clr_cuda_folder_of(&nvrtc->nvrtcVersion, folder, sizeof folder);
    void *library = open_linker(nvrtc, folder);
    const char *missing = library ? load_symbols(library, &linker) : NULL;
    if (!library && clr_cuda_asked_file("CLRADIO_NVJITLINK"))
        snprintf(linker_missing, sizeof linker_missing,
                 "kernels that launch kernels need nvJitLink, which was not found where "
                 "CLRADIO_NVJITLINK says: %s",
                 dlerror());
    else if (!library)
        snprintf(linker_missing, sizeof linker_missing,
                 "kernels that launch kernels need nvJitLink (libnvJitLink.so.%d), which was not "
                 "found: install it, or name it in CLRADIO_NVJITLINK",
                 nvrtc->major);
    else if (missing)
        snprintf(linker_missing, sizeof linker_missing,
                 "this nvJitLink is too old for kernels that launch kernels: it has no %s",
                 missing);
    else if (!find_run_time_library(folder, linker.run_time_library,
                                    sizeof linker.run_time_library))
        snprintf(linker_missing, sizeof linker_missing,
                 "kernels that launch kernels need CUDA's libcudadevrt.a, which was not found%s",
                 clr_cuda_asked_file("CLRADIO_CUDADEVRT")
                     ? " where CLRADIO_CUDADEVRT says"
                     : ": install the CUDA run-time's development files, or name it in "
                       "CLRADIO_CUDADEVRT");
}

const clr_nvjitlink *clr_nvjitlink_get(void)
{
    pthread_once(&once, load_linker);
    if (!linker_missing[0])
        return &linker;
    clr_fail(CLRADIO_ERROR_UNSUPPORTED, "%s", linker_missing);
    return NULL;
}

/* The step that failed, and what the linker wrote. */
static clradio_status link_failed(const clr_nvjitlink *with, nvJitLinkHandle handle,
                                  const char *step, nvJitLinkResult result)
{
    size_t bytes = 0;
    char *log = NULL;
    if (handle && !with->nvJitLinkGetErrorLogSize(handle, &bytes) && bytes > 1)
        log = calloc(bytes + 1, 1);
    if (log && with->nvJitLinkGetErrorLog(handle, log))
        *log = '\0';
    clradio_status status = clr_fail(CLRADIO_ERROR_BUILD, "nvJitLink, %s: error %d%s%s", step,
                                     result, log && *log ? ": " : "", log ? log : "");
    free(log);
    return status;
}

clradio_status clr_cuda_link(const char *architecture, const clr_binary *object, clr_binary *image)
{
    const clr_nvjitlink *with = clr_nvjitlink_get();
    nvJitLinkHandle handle = NULL;
    char target[32];
    const char *options[] = { target };
    const char *step = "starting";
    if (!with)
        return CLRADIO_ERROR_UNSUPPORTED;
    snprintf(target, sizeof target, "-arch=sm_%s", architecture);
    nvJitLinkResult result = with->nvJitLinkCreate(&handle, 1, options);
    if (!result) {
        step = "reading the program";
        result = with->nvJitLinkAddData(handle, CLR_NVJITLINK_CUBIN, object->bytes, object->count,
                                        "clradio");
    }
    if (!result) {
        step = "reading libcudadevrt.a";
        result = with->nvJitLinkAddFile(handle, CLR_NVJITLINK_LIBRARY, with->run_time_library);
    }
    if (!result) {
        step = "linking";
        result = with->nvJitLinkComplete(handle);
    }
    if (!result)
        result = with->nvJitLinkGetLinkedCubinSize(handle, &image->count);
    image->bytes = result ? NULL : malloc(image->count + 1);
    if (image->bytes)
        result = with->nvJitLinkGetLinkedCubin(handle, image->bytes);
    clradio_status status = CLRADIO_OK;
    if (result)
        status = link_failed(with, handle, step, result);
    else if (!image->bytes)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a program");
    if (handle)
        with->nvJitLinkDestroy(&handle);
    if (status) {
        free(image->bytes);
        *image = (clr_binary){ 0 };
    }
    return status;
}

clradio_status clr_cuda_children(clradio_device *device, const char **option)
{
    const clr_cuda_device *cuda = device->handle;
    int architecture = 0, exact = 0;
    clradio_status status =
        clr_cuda_choose_architecture(cuda->nvrtc, cuda->capability, &architecture, &exact);
    if (status)
        return status;
    if (!exact)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "kernels that launch kernels need an NVRTC that knows this card (sm_%d); "
                        "this one's newest is sm_%d",
                        cuda->capability, architecture);
    if (!clr_nvjitlink_get())
        return CLRADIO_ERROR_UNSUPPORTED;
    *option = CLR_CUDA_RELOCATABLE;
    return CLRADIO_OK;
}
