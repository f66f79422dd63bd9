/*
 * A stand-in for libcuda: memory is the host's, copies are memcpy, programs load and do nothing,
 * but for the probe of loops, whose arithmetic is done here. With the real NVRTC it carries the
 * CUDA back end up to the first launch on a machine without a card (tests/test_cuda.sh).
 * STAND_IN_CAPABILITY: 90 when unset; STAND_IN_LOAD: what loading a program answers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long pointer;

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static int make(void **object)
{
    *object = malloc(1);
    return *object ? 0 : 2;
}

static void *host(pointer at)
{
    return (void *)(uintptr_t)at;
}

/* Copies and fills, at once or, while a stream is captured, when the graph of them is launched. */
typedef struct step {
    void *to;
    const void *from; /* NULL: filled with value */
    size_t n;
    unsigned char value;
} step;
typedef struct graph {
    int count;
    step steps[64];
} graph;
static graph *recorded;
static void *captured;

static void do_step(const step *one)
{
    if (one->from)
        memcpy(one->to, one->from, one->n);
    else
        memset(one->to, one->value, one->n);
}

static int perform(void *stream, void *to, const void *from, size_t n, unsigned char value)
{
    const step one = { to, from, n, value };
    if (!captured || stream != captured)
        do_step(&one);
    else if (recorded->count == 64)
        return 901;
    else
        recorded->steps[recorded->count++] = one;
    return 0;
}

/* clang-format off */
int cuInit(unsigned flags) { return (int)flags; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuGetErrorName(int error, const char **text) { *text = error ? "CUDA_STAND_IN" : "CUDA_SUCCESS"; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGet(int *device, int index) { *device = index; return index ? 101 : 0; }
int cuDeviceGetName(char *name, int room, int device) { (void)device; strncpy(name, "Stand-in", (size_t)room); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = 1u << 30; return 0; }
int cuDeviceGetUuid(unsigned char *uuid, int device) { (void)device; memset(uuid, 7, 16); return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; return make(context); }
int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return 0; }
int cuCtxPushCurrent_v2(void *context) { return context ? 0 : 1; }
int cuCtxPopCurrent_v2(void **context) { *context = NULL; return 0; }
int cuCtxGetDevice(int *device) { *device = 0; return 0; }
int cuModuleUnload(void *module) { free(module); return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { (void)module; *function = strdup(name); return 0; }
int cuFuncGetAttribute(int *value, int which, void *function) { (void)function; *value = which ? 0 : 1024; return 0; }
int cuFuncSetAttribute(void *function, int which, int value) { (void)function; (void)which; (void)value; return 0; }
int cuMemAlloc_v2(pointer *at, size_t bytes) { *at = (pointer)(uintptr_t)malloc(bytes); return *at ? 0 : 2; }
int cuMemFree_v2(pointer at) { free(host(at)); return 0; }
int cuMemHostAlloc(void **at, size_t bytes, unsigned flags) { (void)flags; *at = malloc(bytes); return *at ? 0 : 2; }
int cuMemFreeHost(void *at) { free(at); return 0; }
int cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t n, void *stream) { return perform(stream, host(to), from, n, 0); }
int cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t n, void *stream) { return perform(stream, to, host(from), n, 0); }
int cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t n, void *stream) { return perform(stream, host(to), host(from), n, 0); }
int cuMemsetD8Async(pointer to, unsigned char value, size_t n, void *stream) { return perform(stream, host(to), NULL, n, value); }
int cuStreamCreate(void **stream, unsigned flags) { (void)flags; return make(stream); }
int cuStreamDestroy_v2(void *stream) { free(stream); return 0; }
int cuStreamSynchronize(void *stream) { return stream ? 0 : 1; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { (void)flags; return stream && event ? 0 : 1; }
int cuStreamBeginCapture_v2(void *stream, int mode)
{
    captured = stream;
    recorded = calloc(1, sizeof *recorded);
    return recorded && mode == 2 ? 0 : 1;
}
int cuStreamEndCapture(void *stream, void **made) { *made = stream == captured ? recorded : NULL; captured = NULL; return *made ? 0 : 1; }
int cuGraphInstantiateWithFlags(void **made, void *from, unsigned long long flags)
{
    *made = malloc(sizeof(graph));
    if (*made)
        memcpy(*made, from, sizeof(graph));
    return *made ? (int)flags : 2;
}
int cuGraphLaunch(void *made, void *stream)
{
    for (int i = 0; i < ((graph *)made)->count; i++)
        do_step(&((graph *)made)->steps[i]);
    return stream ? 0 : 1;
}
int cuGraphExecDestroy(void *made) { free(made); return 0; }
int cuGraphDestroy(void *made) { free(made); return 0; }
int cuEventCreate(void **event, unsigned flags) { (void)flags; return make(event); }
int cuEventDestroy_v2(void *event) { free(event); return 0; }
int cuEventRecord(void *event, void *stream) { return event && stream ? 0 : 1; }
int cuEventSynchronize(void *event) { return event ? 0 : 1; }
int cuEventQuery(void *event) { return event ? 0 : 1; }
int cuEventElapsedTime(float *milliseconds, void *start, void *end) { *milliseconds = 1; return start && end ? 0 : 1; }
/* clang-format on */

int cuDeviceGetAttribute(int *value, int which, int device)
{
    (void)device;
    const int capability = number("STAND_IN_CAPABILITY", 90);
    *value = which == 75   ? capability / 10
             : which == 76 ? capability % 10
             : which == 1  ? 1024
             : which == 8  ? 49152
                           : 4;
    return 0;
}

int cuModuleLoadData(void **module, const void *image)
{
    const int answer = number("STAND_IN_LOAD", 0);
    return answer ? answer : image ? make(module) : 1;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **arguments, void **extra)
{
    (void)shared, (void)extra;
    if (!stream || !(grid_x && grid_y && grid_z && block_x && block_y && block_z))
        return 1;
    if (!strcmp(function, "probe")) {
        uint32_t *numbers = (uint32_t *)host(*(pointer *)arguments[0]) + *(uint64_t *)arguments[1];
        for (uint32_t k = 0; k < numbers[1]; k++)
            numbers[0] = numbers[0] * 1664525u + 1013904223u;
    }
    return 0;
}
