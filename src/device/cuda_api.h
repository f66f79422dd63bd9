/*
 * What is used of CUDA's driver interface and of NVRTC: our own prototypes, so that no toolkit is
 * needed to build, and the lists of symbols that are looked up at run time. Names are the exact
 * ones that the libraries export (_v2 where the interface changed its arguments). Only
 * src/device/cuda*.c include this.
 */
#ifndef CLR_DEVICE_CUDA_API_H
#define CLR_DEVICE_CUDA_API_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct clr_cuda_uuid {
    unsigned char bytes[16];
} clr_cuda_uuid;
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef int nvJitLinkResult;
typedef struct nvJitLink *nvJitLinkHandle;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_NOT_READY = 600
};
/* CUdevice_attribute */
enum {
    CLR_CU_MAX_THREADS_PER_BLOCK = 1,
    CLR_CU_SHARED_MEMORY_PER_BLOCK = 8,
    CLR_CU_CLOCK_KHZ = 13,
    CLR_CU_MULTIPROCESSORS = 16,
    CLR_CU_INTEGRATED = 18,
    CLR_CU_PCI_BUS = 33,
    CLR_CU_PCI_DEVICE = 34,
    CLR_CU_PCI_DOMAIN = 50,
    CLR_CU_CAPABILITY_MAJOR = 75,
    CLR_CU_CAPABILITY_MINOR = 76,
    CLR_CU_SHARED_MEMORY_OPTIN = 97
};
/* CUfunction_attribute */
enum {
    CLR_CU_FUNC_MAX_THREADS = 0,
    CLR_CU_FUNC_SHARED_BYTES = 1,
    CLR_CU_FUNC_LOCAL_BYTES = 3,
    CLR_CU_FUNC_REGISTERS = 4,
    CLR_CU_FUNC_MAX_DYNAMIC_SHARED = 8
};
enum { CLR_CU_CAPTURE_RELAXED = 2 }; /* other calls of the thread go on as ever */
enum { CLR_CU_STREAM_NON_BLOCKING = 1, CLR_CU_EVENT_NO_TIMING = 2, CLR_CU_HOST_PORTABLE = 1 };

/* nvJitLinkInputType */
enum { CLR_NVJITLINK_CUBIN = 1, CLR_NVJITLINK_LIBRARY = 6 };

/* SYMBOL(result type, name, (arguments)) */
#define CLR_CUDA_SYMBOLS(SYMBOL)                                                                   \
    SYMBOL(CUresult, cuInit, (unsigned flags))                                                     \
    SYMBOL(CUresult, cuDriverGetVersion, (int *version))                                           \
    SYMBOL(CUresult, cuGetErrorName, (CUresult error, const char **text))                          \
    SYMBOL(CUresult, cuDeviceGetCount, (int *count))                                               \
    SYMBOL(CUresult, cuDeviceGet, (CUdevice * device, int index))                                  \
    SYMBOL(CUresult, cuDeviceGetName, (char *name, int room, CUdevice device))                     \
    SYMBOL(CUresult, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                       \
    SYMBOL(CUresult, cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))           \
    SYMBOL(CUresult, cuDeviceGetUuid, (clr_cuda_uuid * uuid, CUdevice device))                     \
    SYMBOL(CUresult, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))             \
    SYMBOL(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                              \
    SYMBOL(CUresult, cuCtxPushCurrent_v2, (CUcontext context))                                     \
    SYMBOL(CUresult, cuCtxPopCurrent_v2, (CUcontext * context))                                    \
    SYMBOL(CUresult, cuCtxGetDevice, (CUdevice * device))                                          \
    SYMBOL(CUresult, cuModuleLoadData, (CUmodule * module, const void *image))                     \
    SYMBOL(CUresult, cuModuleUnload, (CUmodule module))                                            \
    SYMBOL(CUresult, cuModuleGetFunction,                                                          \
           (CUfunction * function, CUmodule module, const char *name))                             \
    SYMBOL(CUresult, cuFuncGetAttribute, (int *value, int attribute, CUfunction function))         \
    SYMBOL(CUresult, cuFuncSetAttribute, (CUfunction function, int attribute, int value))          \
    SYMBOL(CUresult, cuLaunchKernel,                                                               \
           (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,           \
            CUstream stream, void **arguments, void **extra))                                      \
    SYMBOL(CUresult, cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes))                         \
    SYMBOL(CUresult, cuMemFree_v2, (CUdeviceptr pointer))                                          \
    SYMBOL(CUresult, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))               \
    SYMBOL(CUresult, cuMemFreeHost, (void *pointer))                                               \
    SYMBOL(CUresult, cuMemcpyHtoDAsync_v2,                                                         \
           (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                      \
    SYMBOL(CUresult, cuMemcpyDtoHAsync_v2,                                                         \
           (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                            \
    SYMBOL(CUresult, cuMemcpyDtoDAsync_v2,                                                         \
           (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                      \
    SYMBOL(CUresult, cuMemsetD8Async,                                                              \
           (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))                   \
    SYMBOL(CUresult, cuStreamCreate, (CUstream * stream, unsigned flags))                          \
    SYMBOL(CUresult, cuStreamDestroy_v2, (CUstream stream))                                        \
    SYMBOL(CUresult, cuStreamSynchronize, (CUstream stream))                                       \
    SYMBOL(CUresult, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))          \
    SYMBOL(CUresult, cuEventCreate, (CUevent * event, unsigned flags))                             \
    SYMBOL(CUresult, cuEventDestroy_v2, (CUevent event))                                           \
    SYMBOL(CUresult, cuEventRecord, (CUevent event, CUstream stream))                              \
    SYMBOL(CUresult, cuEventSynchronize, (CUevent event))                                          \
    SYMBOL(CUresult, cuEventQuery, (CUevent event))                                                \
    SYMBOL(CUresult, cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end))

/* From CUDA 11.4 on; the driver does without. */
#define CLR_CUDA_GRAPH_SYMBOLS(SYMBOL)                                                             \
    SYMBOL(CUresult, cuStreamBeginCapture_v2, (CUstream stream, int mode))                         \
    SYMBOL(CUresult, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                       \
    SYMBOL(CUresult, cuGraphInstantiateWithFlags,                                                  \
           (CUgraphExec * made, CUgraph graph, unsigned long long flags))                          \
    SYMBOL(CUresult, cuGraphLaunch, (CUgraphExec graph, CUstream stream))                          \
    SYMBOL(CUresult, cuGraphExecDestroy, (CUgraphExec graph))                                      \
    SYMBOL(CUresult, cuGraphDestroy, (CUgraph graph))

#define CLR_NVRTC_SYMBOLS(SYMBOL)                                                                  \
    SYMBOL(const char *, nvrtcGetErrorString, (nvrtcResult result))                                \
    SYMBOL(nvrtcResult, nvrtcVersion, (int *major, int *minor))                                    \
    SYMBOL(nvrtcResult, nvrtcGetNumSupportedArchs, (int *count))                                   \
    SYMBOL(nvrtcResult, nvrtcGetSupportedArchs, (int *architectures))                              \
    SYMBOL(nvrtcResult, nvrtcCreateProgram,                                                        \
           (nvrtcProgram * program, const char *source, const char *name, int n_headers,           \
            const char *const *headers, const char *const *header_names))                          \
    SYMBOL(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram * program))                             \
    SYMBOL(nvrtcResult, nvrtcCompileProgram,                                                       \
           (nvrtcProgram program, int n_options, const char *const *options))                      \
    SYMBOL(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t * bytes))            \
    SYMBOL(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char *log))                     \
    SYMBOL(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, size_t * bytes))                   \
    SYMBOL(nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char *ptx))                            \
    SYMBOL(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, size_t * bytes))                 \
    SYMBOL(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))

#define CLR_NVJITLINK_SYMBOLS(SYMBOL)                                                              \
    SYMBOL(nvJitLinkResult, nvJitLinkCreate,                                                       \
           (nvJitLinkHandle * handle, uint32_t n_options, const char **options))                   \
    SYMBOL(nvJitLinkResult, nvJitLinkDestroy, (nvJitLinkHandle * handle))                          \
    SYMBOL(nvJitLinkResult, nvJitLinkAddData,                                                      \
           (nvJitLinkHandle handle, int type, const void *data, size_t bytes, const char *name))   \
    SYMBOL(nvJitLinkResult, nvJitLinkAddFile,                                                      \
           (nvJitLinkHandle handle, int type, const char *path))                                   \
    SYMBOL(nvJitLinkResult, nvJitLinkComplete, (nvJitLinkHandle handle))                           \
    SYMBOL(nvJitLinkResult, nvJitLinkGetLinkedCubinSize, (nvJitLinkHandle handle, size_t * bytes)) \
    SYMBOL(nvJitLinkResult, nvJitLinkGetLinkedCubin, (nvJitLinkHandle handle, void *cubin))        \
    SYMBOL(nvJitLinkResult, nvJitLinkGetErrorLogSize, (nvJitLinkHandle handle, size_t * bytes))    \
    SYMBOL(nvJitLinkResult, nvJitLinkGetErrorLog, (nvJitLinkHandle handle, char *log))

#define CLR_DECLARE_MEMBER(result, name, arguments) result(*name) arguments;

/* The driver. */
typedef struct clr_cuda_driver {
    CLR_CUDA_SYMBOLS(CLR_DECLARE_MEMBER)
    CLR_CUDA_GRAPH_SYMBOLS(CLR_DECLARE_MEMBER)
    int has_graphs;
    int version;     /* 13000 is 13.0 */
    int connections; /* CUDA_DEVICE_MAX_CONNECTIONS when it was started; 8 is the driver's own */
} clr_cuda_driver;

/* The run-time compiler. */
typedef struct clr_nvrtc {
    CLR_NVRTC_SYMBOLS(CLR_DECLARE_MEMBER)
    int major, minor;
    int *architectures; /* 75, 80, ...: what it compiles for, rising */
    int n_architectures;
} clr_nvrtc;

/* The linker of relocatable code, and the device's run-time library that kernels which launch
 * kernels are linked with. */
typedef struct clr_nvjitlink {
    CLR_NVJITLINK_SYMBOLS(CLR_DECLARE_MEMBER)
    char run_time_library[1024]; /* the path of libcudadevrt.a */
} clr_nvjitlink;

/*
 * Loaded on the first call, kept for the life of the process; NULL when it is not there, with a
 * sentence of its own as the last error (NO_DEVICE: no driver; UNSUPPORTED: no NVRTC). Any thread.
 */
const clr_cuda_driver *clr_cuda_driver_get(void);
const clr_nvrtc *clr_nvrtc_get(void);
/* As those; UNSUPPORTED also when libcudadevrt.a is nowhere. */
const clr_nvjitlink *clr_nvjitlink_get(void);

/* "CUDA_ERROR_OUT_OF_MEMORY" for a driver result. */
const char *clr_cuda_error_name(const clr_cuda_driver *driver, CUresult result);

#endif
