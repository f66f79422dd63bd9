/* The CUDA back end: devices, and the table of functions. Finds driver and compiler at run time
 * (cuda_load.c). */
#include "device/cuda_internal.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

clradio_status clr_cuda_fail(const clr_cuda_driver *driver, CUresult result, const char *doing)
{
    return clr_fail(result == CUDA_ERROR_OUT_OF_MEMORY ? CLRADIO_ERROR_DEVICE_MEMORY
                                                       : CLRADIO_ERROR_DRIVER,
                    "%s: %s", doing, clr_cuda_error_name(driver, result));
}

clradio_status clr_cuda_enter(const clr_cuda_device *device)
{
    CUresult result = device->driver->cuCtxPushCurrent_v2(device->context);
    return result ? clr_cuda_fail(device->driver, result, "entering a CUDA context") : CLRADIO_OK;
}

void clr_cuda_leave(const clr_cuda_device *device)
{
    CUcontext ours;
    device->driver->cuCtxPopCurrent_v2(&ours);
}

static int attribute(const clr_cuda_driver *driver, CUdevice device, int which)
{
    int value = 0;
    return driver->cuDeviceGetAttribute(&value, which, device) ? 0 : value;
}

/* Why the card cannot be used, or nothing. */
static void check_compiler(clradio_device_info *info, int capability)
{
    const clr_nvrtc *nvrtc = clr_nvrtc_get();
    int architecture, exact;
    if (!nvrtc || clr_cuda_choose_architecture(nvrtc, capability, &architecture, &exact))
        clr_copy_text(info->unusable, sizeof info->unusable, clradio_last_error());
}

void clr_cuda_describe(const clr_cuda_driver *driver, int index, CUdevice device,
                       clradio_device_info *info)
{
    *info = (clradio_device_info){ .struct_size = sizeof *info, .kind = CLRADIO_DEVICE_GPU };
    snprintf(info->id, sizeof info->id, "cuda:%d", index);
    snprintf(info->back_end, sizeof info->back_end, "cuda");
    /* Through a text of our own: the driver leaves rubbish behind the name's end. */
    char name[sizeof info->name] = "";
    driver->cuDeviceGetName(name, sizeof name - 1, device);
    clr_copy_text(info->name, sizeof info->name, name);
    snprintf(info->vendor, sizeof info->vendor, "NVIDIA Corporation");
    snprintf(info->platform, sizeof info->platform, "NVIDIA CUDA");
    snprintf(info->platform_version, sizeof info->platform_version, "CUDA %d.%d",
             driver->version / 1000, driver->version % 1000 / 10);
    snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", driver->version / 1000,
             driver->version % 1000 / 10);
    int capability = 10 * attribute(driver, device, CLR_CU_CAPABILITY_MAJOR) +
                     attribute(driver, device, CLR_CU_CAPABILITY_MINOR);
    snprintf(info->version, sizeof info->version, "compute capability %d.%d", capability / 10,
             capability % 10);
    snprintf(info->architecture, sizeof info->architecture, "sm_%d", capability);
    clr_cuda_uuid uuid;
    if (!driver->cuDeviceGetUuid(&uuid, device))
        for (int i = 0; i < 16; i++)
            snprintf(info->uuid + 2 * i, 3, "%02x", uuid.bytes[i]);
    snprintf(info->pci_address, sizeof info->pci_address, "%04x:%02x:%02x.0",
             (unsigned)attribute(driver, device, CLR_CU_PCI_DOMAIN) & 0xffffu,
             (unsigned)attribute(driver, device, CLR_CU_PCI_BUS) & 0xffu,
             (unsigned)attribute(driver, device, CLR_CU_PCI_DEVICE) & 0xffu);
    info->compute_units = (uint32_t)attribute(driver, device, CLR_CU_MULTIPROCESSORS);
    info->clock_mhz = (uint32_t)attribute(driver, device, CLR_CU_CLOCK_KHZ) / 1000;
    size_t bytes = 0;
    driver->cuDeviceTotalMem_v2(&bytes, device);
    info->memory_bytes = bytes;
    info->max_allocation_bytes = bytes;
    info->local_memory_bytes = (uint64_t)attribute(driver, device, CLR_CU_SHARED_MEMORY_PER_BLOCK);
    info->max_group_size = (uint64_t)attribute(driver, device, CLR_CU_MAX_THREADS_PER_BLOCK);
    info->connections = (uint32_t)driver->connections;
    info->unified_memory = attribute(driver, device, CLR_CU_INTEGRATED);
    check_compiler(info, capability);
}

static clradio_status list(clradio_device_info *infos, size_t capacity, size_t *count)
{
    *count = 0;
    const clr_cuda_driver *driver = clr_cuda_driver_get();
    if (!driver)
        return CLRADIO_ERROR_NO_DEVICE;
    int devices = 0;
    CUresult result = driver->cuDeviceGetCount(&devices);
    if (result)
        return clr_cuda_fail(driver, result, "counting CUDA devices");
    for (int i = 0; i < devices; i++) {
        CUdevice device;
        if (driver->cuDeviceGet(&device, i))
            continue;
        if (*count < capacity)
            clr_cuda_describe(driver, i, device, &infos[*count]);
        ++*count;
    }
    return CLRADIO_OK;
}

/* The header comment of an empty program's PTX names the exact build of the compiler; two NVRTC of
 * one version can differ. */
static void identify_compiler(clr_cuda_device *device)
{
    const clr_nvrtc *nvrtc = device->nvrtc;
    snprintf(device->compiler, sizeof device->compiler, "NVRTC %d.%d", nvrtc->major, nvrtc->minor);
    nvrtcProgram program = NULL;
    size_t bytes = 0;
    if (nvrtc->nvrtcCreateProgram(&program, "", "empty.cu", 0, NULL, NULL))
        return;
    if (!nvrtc->nvrtcCompileProgram(program, 0, NULL) && !nvrtc->nvrtcGetPTXSize(program, &bytes)) {
        char *ptx = calloc(bytes + 1, 1);
        const char *mark = NULL;
        if (ptx && !nvrtc->nvrtcGetPTX(program, ptx))
            mark = strstr(ptx, "Compiler Build ID:");
        if (mark) {
            size_t length = strcspn(mark, "\r\n");
            size_t held = strlen(device->compiler);
            snprintf(device->compiler + held, sizeof device->compiler - held, ", %.*s", (int)length,
                     mark);
        }
        free(ptx);
    }
    nvrtc->nvrtcDestroyProgram(&program);
}

/* The origin of event_times, on a stream of its own so that nobody's default stream is touched. */
static CUresult record_zero(clr_cuda_device *device)
{
    CUstream stream;
    CUcontext ours;
    const clr_cuda_driver *driver = device->driver;
    CUresult result = driver->cuCtxPushCurrent_v2(device->context);
    if (result)
        return result;
    result = driver->cuEventCreate(&device->zero, 0);
    if (!result && !(result = driver->cuStreamCreate(&stream, CLR_CU_STREAM_NON_BLOCKING))) {
        result = driver->cuEventRecord(device->zero, stream);
        if (!result)
            result = driver->cuStreamSynchronize(stream);
        driver->cuStreamDestroy_v2(stream);
    }
    driver->cuCtxPopCurrent_v2(&ours);
    return result;
}

static void close_device(void *handle)
{
    clr_cuda_device *gone = handle;
    if (gone->zero && !clr_cuda_enter(gone)) {
        gone->driver->cuEventDestroy_v2(gone->zero);
        clr_cuda_leave(gone);
    }
    if (gone->primary)
        gone->driver->cuDevicePrimaryCtxRelease_v2(gone->device);
    free(gone);
}

clradio_status clr_cuda_open(const clradio_device_info *info, CUcontext context, void **handle)
{
    const clr_cuda_driver *driver = clr_cuda_driver_get();
    const clr_nvrtc *nvrtc = driver ? clr_nvrtc_get() : NULL;
    if (!driver || !nvrtc)
        return driver ? CLRADIO_ERROR_UNSUPPORTED : CLRADIO_ERROR_NO_DEVICE;
    clr_cuda_device *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a device");
    made->driver = driver;
    made->nvrtc = nvrtc;
    uint64_t index = 0;
    clr_parse_u64(info->id + strlen("cuda:"), &index);
    CUresult result = driver->cuDeviceGet(&made->device, (int)index);
    made->context = context;
    if (!result && !context) {
        result = driver->cuDevicePrimaryCtxRetain(&made->context, made->device);
        made->primary = !result;
    }
    if (!result && (result = record_zero(made)))
        close_device(made);
    else if (result)
        free(made);
    if (result)
        return clr_cuda_fail(driver, result, "opening a CUDA device");
    made->capability = 10 * attribute(driver, made->device, CLR_CU_CAPABILITY_MAJOR) +
                       attribute(driver, made->device, CLR_CU_CAPABILITY_MINOR);
    identify_compiler(made);
    *handle = made;
    return CLRADIO_OK;
}

static clradio_status open_device(const clradio_device_info *info, void **handle)
{
    return clr_cuda_open(info, NULL, handle);
}

static void key_lines(clradio_device *device, clr_text *text)
{
    const clr_cuda_device *cuda = device->handle;
    int architecture = 0, exact = 0;
    clr_cuda_choose_architecture(cuda->nvrtc, cuda->capability, &architecture, &exact);
    clr_text_add(text, "device architecture: sm_%d\ncompiler: %s\nbinary: %s_%d\n",
                 cuda->capability, cuda->compiler, exact ? "cubin sm" : "ptx compute",
                 architecture);
    if (!exact)
        clr_text_add(text, "driver: %d\n", cuda->driver->version);
}

/* The architecture says it: fp64 and fp16 everywhere, dp4a from sm_61, int8 mma from sm_75. */
static int may_have(clradio_device *device, const char *feature)
{
    const clr_cuda_device *cuda = device->handle;
    int from = !strcmp(feature, "packed_dot") ? 61 : !strcmp(feature, "matrix_unit") ? 75 : 0;
    return cuda->capability >= from ? 2 : 0;
}

const clr_backend clr_backend_cuda = {
    .name = "cuda",
    .macro = "CLR_CUDA",
    .options = "",
    .may_have = may_have,
    .children = clr_cuda_children,
    .specific_option = CLR_CUDA_SPECIFIC,
    .trivial = "extern \"C\" __global__ void probe(unsigned *a, unsigned long long offset)\n"
               "{ a[threadIdx.x] = (unsigned)offset; }\n",
    .list = list,
    .open = open_device,
    .close = close_device,
    .key_lines = key_lines,
    .build = clr_cuda_build,
    .load = clr_cuda_load,
    .fetch = clr_cuda_fetch,
    .program_release = clr_cuda_program_release,
    .kernel_create = clr_cuda_kernel_create,
    .kernel_limits = clr_cuda_kernel_limits,
    .kernel_registers = clr_cuda_kernel_registers,
    .kernel_release = clr_cuda_kernel_release,
    .queue_create = clr_cuda_queue_create,
    .queue_finish = clr_cuda_queue_finish,
    .queue_flush = clr_cuda_queue_flush,
    .queue_release = clr_cuda_queue_release,
    .buffer_create = clr_cuda_buffer_create,
    .buffer_release = clr_cuda_buffer_release,
    .launch = clr_cuda_launch,
    .write = clr_cuda_write,
    .read = clr_cuda_read,
    .copy = clr_cuda_copy,
    .fill = clr_cuda_fill,
    .marker = clr_cuda_marker,
    .capture_begin = clr_cuda_capture_begin,
    .capture_end = clr_cuda_capture_end,
    .replay_launch = clr_cuda_replay_launch,
    .replay_release = clr_cuda_replay_release,
    .event_wait = clr_cuda_event_wait,
    .event_complete = clr_cuda_event_complete,
    .event_times = clr_cuda_event_times,
    .event_elapsed = clr_cuda_event_elapsed,
    .event_retain = clr_cuda_event_retain,
    .event_release = clr_cuda_event_release,
    .host_memory_create = clr_cuda_host_memory_create,
    .host_memory_destroy = clr_cuda_host_memory_destroy,
};
