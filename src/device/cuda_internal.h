/* What the files of the CUDA back end share: the handles behind the room's objects, and the context
 * discipline. */
#ifndef CLR_DEVICE_CUDA_INTERNAL_H
#define CLR_DEVICE_CUDA_INTERNAL_H

#include "device/backend.h"
#include "device/cuda_api.h"

/* A word of our own among a program's options, which NVRTC never sees: compiled for sm_90a, not
 * sm_90. */
#define CLR_CUDA_SPECIFIC "architecture-specific"

/* Behind clradio_device.handle. */
typedef struct clr_cuda_device {
    const clr_cuda_driver *driver;
    const clr_nvrtc *nvrtc;
    CUdevice device;
    CUcontext context;  /* the primary one, shared with the runtime API, or the caller's */
    int primary;        /* retained by us */
    CUevent zero;       /* recorded when the device was opened: the origin of event_times */
    int capability;     /* 90 */
    char compiler[192]; /* identifies the exact build of the compiler, for the cache's key */
} clr_cuda_device;

/* Behind a program. The image is kept: the cache fetches it after the first launch. */
typedef struct clr_cuda_program {
    clr_cuda_device *device;
    CUmodule module;
    clr_binary image;
} clr_cuda_program;

typedef struct clr_cuda_kernel {
    clr_cuda_device *device;
    CUfunction function;
    size_t large_local_bytes; /* that the function was allowed to take */
} clr_cuda_kernel;

typedef struct clr_cuda_queue {
    clr_cuda_device *device;
    CUstream stream;
    int owned;
} clr_cuda_queue;

/* Behind an event: where a command began and ended in its stream. begin is NULL without profiling.
 */
typedef struct clr_cuda_event {
    clr_cuda_device *device;
    CUevent begin, end;
    int foreign; /* end belongs to the caller */
    int references;
} clr_cuda_event;

/* A buffer's handle. */
typedef struct clr_cuda_buffer {
    clr_cuda_device *device;
    CUdeviceptr pointer;
    int owned;
} clr_cuda_buffer;

/*
 * A context is current only inside our own calls: push at the start, pop at the end, so that an
 * embedding program's context is as it was.
 */
clradio_status clr_cuda_enter(const clr_cuda_device *device);
void clr_cuda_leave(const clr_cuda_device *device);

/* DRIVER (or DEVICE_MEMORY) with "doing: CUDA_ERROR_...". */
clradio_status clr_cuda_fail(const clr_cuda_driver *driver, CUresult result, const char *doing);

/* cuda.c: a device's record, and an opened device in the caller's context (NULL: the primary one,
 * retained). */
void clr_cuda_describe(const clr_cuda_driver *driver, int ordinal, CUdevice device,
                       clradio_device_info *info);
clradio_status clr_cuda_open(const clradio_device_info *info, CUcontext context, void **handle);

/* cuda_program.c */
clradio_status clr_cuda_build(clradio_device *device, const char *source, size_t bytes,
                              const char *options, void **program, char **log);
clradio_status clr_cuda_load(clradio_device *device, const clr_binary *binary, const char *options,
                             void **program);
clradio_status clr_cuda_fetch(clradio_device *device, void *program, clr_binary *binary);
void clr_cuda_program_release(void *program);
clradio_status clr_cuda_kernel_create(void *program, const char *entry, void **kernel);
clradio_status clr_cuda_kernel_limits(clradio_device *device, void *kernel, size_t *max_group_size,
                                      uint64_t *local_bytes, uint64_t *private_bytes);
uint32_t clr_cuda_kernel_registers(clradio_device *device, void *kernel);
void clr_cuda_kernel_release(void *kernel);
/* The highest architecture that the compiler takes and the card runs; *exact: the card's own
 * (CUBIN), else PTX. */
clradio_status clr_cuda_choose_architecture(const clr_nvrtc *nvrtc, int capability,
                                            int *architecture, int *exact);

/* cuda_link.c: links relocatable code (a CUBIN for an architecture: "90a") with the device's
 * run-time library. image->bytes is malloc'ed. Errors: UNSUPPORTED, BUILD with the linker's log,
 * MEMORY. */
clradio_status clr_cuda_link(const char *architecture, const clr_binary *object, clr_binary *image);
/* The compiler's option for kernels that launch kernels; UNSUPPORTED where they cannot be built. */
clradio_status clr_cuda_children(clradio_device *device, const char **option);
#define CLR_CUDA_RELOCATABLE "--relocatable-device-code=true"

/* cuda_queue.c */
clradio_status clr_cuda_queue_create(clradio_device *device, unsigned *flags, void **queue);
clradio_status clr_cuda_queue_finish(void *queue);
clradio_status clr_cuda_queue_flush(void *queue);
void clr_cuda_queue_release(void *queue);
clradio_status clr_cuda_buffer_create(clradio_device *device, uint64_t bytes, void **buffer);
void clr_cuda_buffer_release(void *buffer);
clradio_status clr_cuda_launch(clradio_queue *queue, void *kernel, const clr_launch *launch,
                               size_t n, void *const *wait, void **event);
clradio_status clr_cuda_write(clradio_queue *queue, clradio_span to, const void *host,
                              uint64_t bytes, size_t n, void *const *wait, void **event);
clradio_status clr_cuda_read(clradio_queue *queue, clradio_span from, void *host, uint64_t bytes,
                             size_t n, void *const *wait, void **event);
clradio_status clr_cuda_copy(clradio_queue *queue, clradio_span from, clradio_span to,
                             uint64_t bytes, size_t n, void *const *wait, void **event);
clradio_status clr_cuda_fill(clradio_queue *queue, clradio_span to, unsigned char value,
                             uint64_t bytes, size_t n, void *const *wait, void **event);
clradio_status clr_cuda_marker(clradio_queue *queue, size_t n, void *const *wait, void **event);

/* cuda_graph.c: recording what goes into a stream, and playing it. */
clradio_status clr_cuda_capture_begin(clradio_queue *queue);
clradio_status clr_cuda_capture_end(clradio_queue *queue, void **replay);
clradio_status clr_cuda_replay_launch(clradio_queue *queue, void *replay, void **event);
void clr_cuda_replay_release(void *replay);

/* cuda_event.c */
clradio_status clr_cuda_event_create(clr_cuda_device *device, clr_cuda_event **event);
clradio_status clr_cuda_event_wait(void *event);
int clr_cuda_event_complete(void *event);
clradio_status clr_cuda_event_times(void *event, uint64_t *start, uint64_t *end);
clradio_status clr_cuda_event_elapsed(void *first, void *last, uint64_t *nanoseconds);
void *clr_cuda_event_retain(void *event);
void clr_cuda_event_release(void *event);
clradio_status clr_cuda_host_memory_create(clradio_device *device, uint64_t bytes, void **memory,
                                           void **handle);
void clr_cuda_host_memory_destroy(clradio_device *device, void *memory, void *handle);

#endif
