/*
 * Programs of the CUDA back end: NVRTC makes a CUBIN for the card's own architecture (no driver
 * compilation, no question of PTX versions); only a card that is newer than NVRTC gets PTX.
 * Registers and spills come out of the log. Kernels that launch kernels are linked (cuda_link.c).
 */
#include "device/cuda_internal.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 64 };

clradio_status clr_cuda_choose_architecture(const clr_nvrtc *nvrtc, int capability,
                                            int *architecture, int *exact)
{
    int best = 0;
    for (int i = 0; i < nvrtc->n_architectures; i++)
        if (nvrtc->architectures[i] <= capability && nvrtc->architectures[i] > best)
            best = nvrtc->architectures[i];
    if (!best)
        return clr_fail(
            CLRADIO_ERROR_UNSUPPORTED,
            "NVRTC %d.%d no longer compiles for this card (sm_%d); its oldest is sm_%d: "
            "name an older NVRTC in CLRADIO_NVRTC, or use OpenCL",
            nvrtc->major, nvrtc->minor, capability,
            nvrtc->n_architectures ? nvrtc->architectures[0] : 0);
    *architecture = best;
    *exact = best == capability;
    return CLRADIO_OK;
}

static clradio_status load_module(clr_cuda_device *device, clr_cuda_program *program)
{
    clradio_status status = clr_cuda_enter(device);
    if (status)
        return status;
    CUresult result = device->driver->cuModuleLoadData(&program->module, program->image.bytes);
    clr_cuda_leave(device);
    if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
        return clr_fail(CLRADIO_ERROR_DRIVER,
                        "NVRTC %d.%d writes PTX that the driver (CUDA %d.%d) does not read: update "
                        "the driver, name an older NVRTC in CLRADIO_NVRTC, or use OpenCL",
                        device->nvrtc->major, device->nvrtc->minor, device->driver->version / 1000,
                        device->driver->version % 1000 / 10);
    return result ? clr_cuda_fail(device->driver, result, "loading a program") : CLRADIO_OK;
}

/* Splits the option string at spaces; the words point into text. *specific: our own word was among
 * them. */
static int split_options(char *text, const char **words, int room, int *specific)
{
    int n = 0;
    char *rest = NULL;
    *specific = 0;
    for (char *word = strtok_r(text, " ", &rest); word && n < room;
         word = strtok_r(NULL, " ", &rest))
        if (!strcmp(word, CLR_CUDA_SPECIFIC))
            *specific = 1;
        else
            words[n++] = word;
    return n;
}

static char *read_log(const clr_nvrtc *nvrtc, nvrtcProgram compiled)
{
    size_t bytes = 0;
    if (nvrtc->nvrtcGetProgramLogSize(compiled, &bytes) || bytes <= 1)
        return NULL;
    char *log = calloc(bytes + 1, 1);
    if (log)
        nvrtc->nvrtcGetProgramLog(compiled, log);
    return log;
}

static clradio_status read_image(const clr_nvrtc *nvrtc, nvrtcProgram compiled, int cubin,
                                 clr_binary *image)
{
    size_t count = 0;
    nvrtcResult result = cubin ? nvrtc->nvrtcGetCUBINSize(compiled, &count)
                               : nvrtc->nvrtcGetPTXSize(compiled, &count);
    image->bytes = result ? NULL : malloc(count + 1);
    if (image->bytes)
        result = cubin ? nvrtc->nvrtcGetCUBIN(compiled, (char *)image->bytes)
                       : nvrtc->nvrtcGetPTX(compiled, (char *)image->bytes);
    if (result)
        return clr_fail(CLRADIO_ERROR_DRIVER, "NVRTC gave no program: %s",
                        nvrtc->nvrtcGetErrorString(result));
    if (!image->bytes)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a program");
    image->count = count;
    return CLRADIO_OK;
}

static clradio_status compile(const clr_nvrtc *nvrtc, int capability, const char *source,
                              const char *options, clr_binary *image, char **log)
{
    int architecture = 0, exact = 0; /* gcc does not see that success sets both */
    clradio_status status = clr_cuda_choose_architecture(nvrtc, capability, &architecture, &exact);
    char *text = status ? NULL : strdup(options);
    if (status || !text)
        return status ? status : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for build options");
    char target[40];
    /* c++17, for hexadecimal floating-point constants: the default from CUDA 12 on */
    const char *words[MOST_OPTIONS + 5] = { target, "--device-as-default-execution-space",
                                            "--ptxas-options=-v", "--fmad=true", "--std=c++17" };
    int specific;
    int n = 5 + split_options(text, words + 5, MOST_OPTIONS, &specific);
    snprintf(target, sizeof target, "--gpu-architecture=%s_%d%s", exact ? "sm" : "compute",
             architecture, exact && specific ? "a" : "");
    nvrtcProgram compiled = NULL;
    nvrtcResult result = nvrtc->nvrtcCreateProgram(&compiled, source, "clradio.cu", 0, NULL, NULL);
    if (!result)
        result = nvrtc->nvrtcCompileProgram(compiled, n, words);
    if (compiled && log)
        *log = read_log(nvrtc, compiled);
    if (result)
        status = clr_fail(CLRADIO_ERROR_BUILD, "NVRTC: %s", nvrtc->nvrtcGetErrorString(result));
    else
        status = read_image(nvrtc, compiled, exact, image);
    if (compiled)
        nvrtc->nvrtcDestroyProgram(&compiled);
    free(text);
    return status;
}

/* Relocatable code becomes a program. */
static clradio_status link_children(const clr_cuda_device *device, clr_cuda_program *program)
{
    clr_binary linked = { 0 };
    char architecture[16];
    snprintf(architecture, sizeof architecture, "%d", device->capability);
    clradio_status status = clr_cuda_link(architecture, &program->image, &linked);
    if (status)
        return status;
    free(program->image.bytes);
    program->image = linked;
    return CLRADIO_OK;
}

clradio_status clr_cuda_build(clradio_device *device, const char *source, size_t bytes,
                              const char *options, void **program, char **log)
{
    (void)bytes; /* the source is NUL-terminated */
    clr_cuda_device *cuda = device->handle;
    clr_cuda_program *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a program");
    made->device = cuda;
    clradio_status status =
        compile(cuda->nvrtc, cuda->capability, source, options, &made->image, log);
    if (!status && strstr(options, CLR_CUDA_RELOCATABLE))
        status = link_children(cuda, made);
    if (!status)
        status = load_module(cuda, made);
    if (status)
        clr_cuda_program_release(made);
    else
        *program = made;
    return status;
}

clradio_status clr_cuda_load(clradio_device *device, const clr_binary *binary, const char *options,
                             void **program)
{
    (void)options;
    clr_cuda_program *made = calloc(1, sizeof *made);
    if (made)
        made->image.bytes = malloc(binary->count + 1);
    if (!made || !made->image.bytes) {
        free(made);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a program");
    }
    memcpy(made->image.bytes, binary->bytes, binary->count);
    made->image.bytes[binary->count] = 0; /* PTX is text */
    made->image.count = binary->count;
    made->device = device->handle;
    clradio_status status = load_module(device->handle, made);
    if (status)
        clr_cuda_program_release(made);
    else
        *program = made;
    return status;
}

clradio_status clr_cuda_fetch(clradio_device *device, void *program, clr_binary *binary)
{
    (void)device;
    const clr_cuda_program *from = program;
    binary->bytes = malloc(from->image.count + 1);
    if (!binary->bytes)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a program");
    memcpy(binary->bytes, from->image.bytes, from->image.count);
    binary->count = from->image.count;
    return CLRADIO_OK;
}

void clr_cuda_program_release(void *program)
{
    clr_cuda_program *gone = program;
    if (gone->module && !clr_cuda_enter(gone->device)) {
        gone->device->driver->cuModuleUnload(gone->module);
        clr_cuda_leave(gone->device);
    }
    free(gone->image.bytes);
    free(gone);
}

clradio_status clr_cuda_kernel_create(void *program, const char *entry, void **kernel)
{
    clr_cuda_program *from = program;
    clr_cuda_kernel *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a kernel");
    made->device = from->device;
    clradio_status status = clr_cuda_enter(from->device);
    if (!status) {
        CUresult result =
            from->device->driver->cuModuleGetFunction(&made->function, from->module, entry);
        if (result)
            status = clr_cuda_fail(from->device->driver, result, entry);
        clr_cuda_leave(from->device);
    }
    if (status)
        free(made);
    else
        *kernel = made;
    return status;
}

clradio_status clr_cuda_kernel_limits(clradio_device *device, void *kernel, size_t *max_group_size,
                                      uint64_t *local_bytes, uint64_t *private_bytes)
{
    clr_cuda_device *cuda = device->handle;
    const clr_cuda_kernel *of = kernel;
    int threads = 0, shared = 0, local = 0;
    clradio_status status = clr_cuda_enter(cuda);
    if (status)
        return status;
    const clr_cuda_driver *driver = cuda->driver;
    CUresult result = driver->cuFuncGetAttribute(&threads, CLR_CU_FUNC_MAX_THREADS, of->function);
    if (!result)
        result = driver->cuFuncGetAttribute(&shared, CLR_CU_FUNC_SHARED_BYTES, of->function);
    if (!result)
        result = driver->cuFuncGetAttribute(&local, CLR_CU_FUNC_LOCAL_BYTES, of->function);
    clr_cuda_leave(cuda);
    if (result)
        return clr_cuda_fail(driver, result, "asking for a kernel's limits");
    if (max_group_size)
        *max_group_size = (size_t)threads;
    if (local_bytes)
        *local_bytes = (uint64_t)shared;
    if (private_bytes)
        *private_bytes = (uint64_t)local;
    return CLRADIO_OK;
}

uint32_t clr_cuda_kernel_registers(clradio_device *device, void *kernel)
{
    clr_cuda_device *cuda = device->handle;
    const clr_cuda_kernel *of = kernel;
    int registers = 0;
    if (clr_cuda_enter(cuda))
        return 0;
    if (cuda->driver->cuFuncGetAttribute(&registers, CLR_CU_FUNC_REGISTERS, of->function))
        registers = 0;
    clr_cuda_leave(cuda);
    return (uint32_t)registers;
}

void clr_cuda_kernel_release(void *kernel)
{
    free(kernel);
}
