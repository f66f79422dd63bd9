/*
 * OpenCL devices: the list, what each is, opening one. What drivers claim is copied into the
 * record, features excepted (probe.c finds them out by building). A platform that fails gives one
 * record that says why; platforms without devices give none.
 */
#include "device/opencl_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PCI_BUS_NV = 0x4008, /* cl_nv_device_attribute_query, the part that headers leave out */
    PCI_SLOT_NV = 0x4009,
    PCI_DOMAIN_NV = 0x400A,
    TOPOLOGY_AMD = 0x4037, /* cl_amd_device_attribute_query */
    PLATFORM_NOT_FOUND = -1001
};

static void device_text(cl_device_id id, cl_device_info what, char *to, size_t room)
{
    char text[1024] = "";
    size_t size = 0;
    to[0] = '\0';
    if (clGetDeviceInfo(id, what, 0, NULL, &size) || size > sizeof text ||
        clGetDeviceInfo(id, what, sizeof text, text, NULL))
        return;
    text[sizeof text - 1] = '\0';
    const char *from = text;
    while (isspace((unsigned char)*from))
        from++;
    clr_copy_text(to, room, from);
    for (size_t n = strlen(to); n && isspace((unsigned char)to[n - 1]); n--)
        to[n - 1] = '\0';
}

static void platform_text(cl_platform_id platform, cl_platform_info what, char *to, size_t room)
{
    char text[1024] = "";
    to[0] = '\0';
    if (!clGetPlatformInfo(platform, what, sizeof text, text, NULL))
        clr_copy_text(to, room, text);
}

int clr_opencl_has_extension(cl_device_id id, const char *name)
{
    size_t size = 0, length = strlen(name);
    int found = 0;
    if (clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) || !size)
        return 0;
    char *list = calloc(size + 1, 1);
    if (list && !clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, size, list, NULL))
        for (const char *at = list; !found && (at = strstr(at, name)); at += length)
            found = (at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]);
    free(list);
    return found;
}

static cl_uint device_uint(cl_device_id id, cl_device_info what)
{
    cl_uint value = 0;
    return clGetDeviceInfo(id, what, sizeof value, &value, NULL) ? 0 : value;
}

static uint64_t device_ulong(cl_device_id id, cl_device_info what)
{
    cl_ulong value = 0;
    return clGetDeviceInfo(id, what, sizeof value, &value, NULL) ? 0 : value;
}

/* "sm_90" by the vendor's query; "gfx90a" where the name holds it (ROCm: the whole name, Mesa: in
 * parentheses). */
static void describe_architecture(cl_device_id id, clradio_device_info *info)
{
    if (clr_opencl_has_extension(id, "cl_nv_device_attribute_query")) {
        cl_uint major = device_uint(id, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
        cl_uint minor = device_uint(id, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
        if (major)
            snprintf(info->architecture, sizeof info->architecture, "sm_%u%u", (unsigned)major,
                     (unsigned)minor);
        return;
    }
    const char *at = strstr(info->name, "gfx");
    size_t n = 3;
    while (at && isxdigit((unsigned char)at[n]))
        n++;
    if (at && n > 3 && n < sizeof info->architecture)
        snprintf(info->architecture, sizeof info->architecture, "%.*s", (int)n, at);
}

static void describe_place(cl_device_id id, clradio_device_info *info)
{
    cl_device_pci_bus_info_khr khr = { 0, 0, 0, 0 };
    unsigned char amd[24] = { 0 };
    cl_uint bus = 0;
    if (clr_opencl_has_extension(id, "cl_khr_pci_bus_info") &&
        !clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof khr, &khr, NULL))
        snprintf(info->pci_address, sizeof info->pci_address, "%04x:%02x:%02x.%x",
                 (unsigned)khr.pci_domain & 0xffff, (unsigned)khr.pci_bus & 0xff,
                 (unsigned)khr.pci_device & 0xff, (unsigned)khr.pci_function & 0xf);
    else if (clr_opencl_has_extension(id, "cl_nv_device_attribute_query") &&
             !clGetDeviceInfo(id, PCI_BUS_NV, sizeof bus, &bus, NULL)) {
        cl_uint slot = device_uint(id, PCI_SLOT_NV); /* device * 8 + function */
        snprintf(info->pci_address, sizeof info->pci_address, "%04x:%02x:%02x.%x",
                 (unsigned)device_uint(id, PCI_DOMAIN_NV) & 0xffff, (unsigned)bus & 0xff,
                 (unsigned)(slot >> 3) & 0xff, (unsigned)slot & 7);
    } else if (clr_opencl_has_extension(id, "cl_amd_device_attribute_query") &&
               !clGetDeviceInfo(id, TOPOLOGY_AMD, sizeof amd, amd, NULL))
        snprintf(info->pci_address, sizeof info->pci_address, "0000:%02x:%02x.%x", amd[21], amd[22],
                 amd[23] & 0xf);
    unsigned char uuid[CL_UUID_SIZE_KHR];
    if (clr_opencl_has_extension(id, "cl_khr_device_uuid") &&
        !clGetDeviceInfo(id, CL_DEVICE_UUID_KHR, sizeof uuid, uuid, NULL))
        for (size_t i = 0; i < sizeof uuid; i++)
            snprintf(info->uuid + 2 * i, 3, "%02x", uuid[i]);
}

static int shares_memory(cl_device_id id, const clradio_device_info *info)
{
    cl_bool unified = CL_FALSE;
    if (info->kind == CLRADIO_DEVICE_CPU)
        return 1;
    if (clr_opencl_has_extension(id, "cl_nv_device_attribute_query"))
        return device_uint(id, CL_DEVICE_INTEGRATED_MEMORY_NV) != 0;
    clGetDeviceInfo(id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    return unified == CL_TRUE;
}

/* Why the device is of no use before anything was built; empty when nothing speaks against it. */
static void describe_usability(cl_device_id id, clradio_device_info *info)
{
    cl_bool available = CL_FALSE, compiler = CL_FALSE, little = CL_TRUE;
    cl_int code = clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
    clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
    clGetDeviceInfo(id, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
    const char *why = NULL;
    if (code)
        why = clr_opencl_code_name(code);
    else if (!available)
        why = "the driver says that it is not available";
    else if (!compiler)
        why = "its driver has no compiler";
    else if (!little)
        why = "it is big-endian";
    else if (!info->max_group_size || !info->max_allocation_bytes)
        why = "the driver reports no work-group size or no memory";
    clr_copy_text(info->unusable, sizeof info->unusable, why ? why : "");
}

void clr_opencl_describe(cl_platform_id platform, cl_device_id id, clradio_device_info *info)
{
    cl_device_type type = 0;
    size_t group = 0;
    *info = (clradio_device_info)CLRADIO_DEVICE_INFO_INIT;
    clr_copy_text(info->back_end, sizeof info->back_end, "opencl");
    platform_text(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    platform_text(platform, CL_PLATFORM_VERSION, info->platform_version,
                  sizeof info->platform_version);
    device_text(id, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(id, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    device_text(id, CL_DEVICE_VERSION, info->version, sizeof info->version);
    device_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    info->kind = type & CL_DEVICE_TYPE_GPU           ? CLRADIO_DEVICE_GPU
                 : type & CL_DEVICE_TYPE_ACCELERATOR ? CLRADIO_DEVICE_ACCELERATOR
                 : type & CL_DEVICE_TYPE_CPU         ? CLRADIO_DEVICE_CPU
                                                     : CLRADIO_DEVICE_OTHER;
    info->compute_units = device_uint(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->clock_mhz = device_uint(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->memory_bytes = device_ulong(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_allocation_bytes = device_ulong(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_memory_bytes = device_ulong(id, CL_DEVICE_LOCAL_MEM_SIZE);
    clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    info->max_group_size = group;
    describe_architecture(id, info);
    describe_place(id, info);
    info->unified_memory = shares_memory(id, info);
    describe_usability(id, info);
}

/* The platforms, malloc'ed. None is no failure: a machine without an ICD has none. */
static clradio_status platforms_of(cl_platform_id **platforms, cl_uint *n)
{
    *platforms = NULL;
    *n = 0;
    cl_int code = clGetPlatformIDs(0, NULL, n);
    if (code == PLATFORM_NOT_FOUND || (!code && !*n)) {
        *n = 0;
        return CLRADIO_OK;
    }
    if (code)
        return clr_opencl_fail(code, "clGetPlatformIDs");
    *platforms = calloc(*n, sizeof **platforms);
    if (!*platforms)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the list of platforms");
    code = clGetPlatformIDs(*n, *platforms, NULL);
    if (code) {
        free(*platforms);
        *platforms = NULL;
        return clr_opencl_fail(code, "clGetPlatformIDs");
    }
    return CLRADIO_OK;
}

/* The devices of a platform, malloc'ed; *n = 0 and CL_SUCCESS when it has none. */
static cl_int devices_of(cl_platform_id platform, cl_device_id **ids, cl_uint *n)
{
    cl_uint found = 0;
    *ids = NULL;
    *n = 0;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &found);
    if (code == CL_DEVICE_NOT_FOUND || (!code && !found))
        return CL_SUCCESS;
    if (code)
        return code;
    *ids = calloc(found, sizeof **ids);
    if (!*ids)
        return CL_OUT_OF_HOST_MEMORY;
    code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, found, *ids, NULL);
    if (code) {
        free(*ids);
        *ids = NULL;
        return code;
    }
    *n = found;
    return CL_SUCCESS;
}

static void broken_platform(cl_platform_id platform, cl_uint p, cl_int code,
                            clradio_device_info *info)
{
    *info = (clradio_device_info)CLRADIO_DEVICE_INFO_INIT;
    clr_copy_text(info->back_end, sizeof info->back_end, "opencl");
    snprintf(info->id, sizeof info->id, "opencl:%u.0", (unsigned)p);
    platform_text(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    platform_text(platform, CL_PLATFORM_VERSION, info->platform_version,
                  sizeof info->platform_version);
    snprintf(info->unusable, sizeof info->unusable,
             "its platform cannot list devices: clGetDeviceIDs gives %s (%d)",
             clr_opencl_code_name(code), (int)code);
}

clradio_status clr_opencl_list(clradio_device_info *infos, size_t capacity, size_t *count)
{
    cl_platform_id *platforms;
    cl_uint n_platforms;
    *count = 0;
    clradio_status status = platforms_of(&platforms, &n_platforms);
    for (cl_uint p = 0; !status && p < n_platforms; p++) {
        cl_device_id *ids;
        cl_uint n;
        cl_int code = devices_of(platforms[p], &ids, &n);
        if (code) {
            if (*count < capacity)
                broken_platform(platforms[p], p, code, &infos[*count]);
            ++*count;
        }
        for (cl_uint d = 0; d < n; d++, ++*count) {
            if (*count >= capacity)
                continue;
            clr_opencl_describe(platforms[p], ids[d], &infos[*count]);
            snprintf(infos[*count].id, sizeof infos[*count].id, "opencl:%u.%u", (unsigned)p,
                     (unsigned)d);
        }
        free(ids);
    }
    free(platforms);
    return status;
}

static clradio_status make_context(cl_platform_id platform, cl_device_id id, void **handle)
{
    cl_context_properties properties[] = { CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                           0 };
    cl_int code;
    clr_opencl_device *opencl = calloc(1, sizeof *opencl);
    if (!opencl)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a device");
    opencl->context = clCreateContext(properties, 1, &id, NULL, NULL, &code);
    if (!opencl->context || code) {
        free(opencl);
        return clr_opencl_fail_memory(code, "clCreateContext");
    }
    opencl->id = id;
    opencl->platform = platform;
    clRetainDevice(id);
    *handle = opencl;
    return CLRADIO_OK;
}

clradio_status clr_opencl_open(const clradio_device_info *info, void **handle)
{
    cl_platform_id *platforms;
    cl_device_id *ids = NULL;
    cl_uint n_platforms, n = 0;
    unsigned p, d;
    clradio_status status = platforms_of(&platforms, &n_platforms);
    if (status)
        return status;
    if (sscanf(info->id, "opencl:%u.%u", &p, &d) == 2 && p < n_platforms)
        devices_of(platforms[p], &ids, &n);
    if (n && d < n)
        status = make_context(platforms[p], ids[d], handle);
    else
        status = clr_fail(CLRADIO_ERROR_NO_DEVICE, "%s is no longer there", info->id);
    free(ids);
    free(platforms);
    return status;
}

void clr_opencl_close(void *handle)
{
    clr_opencl_device *opencl = handle;
    clReleaseDevice(opencl->id);
    clReleaseContext(opencl->context);
    free(opencl);
}

void clr_opencl_key_lines(clradio_device *device, struct clr_text *text)
{
    const clradio_device_info *info = &device->info;
    char vendor[128], language[128];
    platform_text(clr_opencl_of(device)->platform, CL_PLATFORM_VENDOR, vendor, sizeof vendor);
    device_text(clr_opencl_of(device)->id, CL_DEVICE_OPENCL_C_VERSION, language, sizeof language);
    clr_text_add(text, "platform %s\nplatform-vendor %s\nplatform-version %s\n", info->platform,
                 vendor, info->platform_version);
    clr_text_add(text, "device %s\ndevice-vendor %s\ndevice-version %s\n", info->name, info->vendor,
                 info->version);
    clr_text_add(text, "architecture %s\ndriver %s\nlanguage %s\n", info->architecture,
                 info->driver, language);
}

int clr_opencl_may_have(clradio_device *device, const char *feature)
{
    cl_device_id id = clr_opencl_of(device)->id;
    if (!strcmp(feature, "fp64"))
        return clr_opencl_has_extension(id, "cl_khr_fp64");
    if (!strcmp(feature, "fp16"))
        return clr_opencl_has_extension(id, "cl_khr_fp16");
    int vendor = clr_opencl_has_extension(id, "cl_nv_device_attribute_query") ||
                 !strncmp(device->info.architecture, "gfx", 3);
    if (!strcmp(feature, "packed_dot"))
        return vendor || clr_opencl_has_extension(id, "cl_khr_integer_dot_product");
    return vendor || clr_opencl_has_extension(id, "cl_intel_subgroup_matrix_multiply_accumulate");
}
