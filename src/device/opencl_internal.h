/* What the files of the OpenCL back end share. Nothing else includes this. */
#ifndef CLR_DEVICE_OPENCL_INTERNAL_H
#define CLR_DEVICE_OPENCL_INTERNAL_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "device/backend.h"

/* first: it says which version of CL/cl.h is meant */
#include <clradio/opencl.h>

#include <CL/cl_ext.h>

/* clradio_device.handle */
typedef struct clr_opencl_device {
    cl_context context; /* retained */
    cl_device_id id;    /* retained (a sub-device may be the caller's own) */
    cl_platform_id platform;
} clr_opencl_device;

static inline clr_opencl_device *clr_opencl_of(const clradio_device *device)
{
    return device->handle;
}

/* "CL_OUT_OF_RESOURCES", or "unknown OpenCL code". */
const char *clr_opencl_code_name(cl_int code);
/* Fails with "what: CODE (number)" and the status that the code stands for. */
clradio_status clr_opencl_fail(cl_int code, const char *what, ...) CLR_PRINTF(2, 3);
/* The same where a refusal means that the device's memory is short. */
clradio_status clr_opencl_fail_memory(cl_int code, const char *what, ...) CLR_PRINTF(2, 3);
#if defined(__clang_analyzer__) /* as in base/error.h */
#define clr_opencl_fail(code, ...) (clr_opencl_fail(code, __VA_ARGS__), CLRADIO_ERROR_DRIVER)
#endif

/* opencl_device.c */
clradio_status clr_opencl_list(clradio_device_info *infos, size_t capacity, size_t *count);
clradio_status clr_opencl_open(const clradio_device_info *info, void **handle);
void clr_opencl_close(void *handle);
void clr_opencl_key_lines(clradio_device *device, struct clr_text *text);
int clr_opencl_may_have(clradio_device *device, const char *feature);
/* A record for a device id; .id is found by looking it up in the platform's list. */
void clr_opencl_describe(cl_platform_id platform, cl_device_id id, clradio_device_info *info);
/* 1 when the space-separated extension list of the device has that name. */
int clr_opencl_has_extension(cl_device_id id, const char *name);

/* opencl_program.c */
clradio_status clr_opencl_build(clradio_device *device, const char *source, size_t bytes,
                                const char *options, void **program, char **log);
clradio_status clr_opencl_load(clradio_device *device, const clr_binary *binary,
                               const char *options, void **program);
clradio_status clr_opencl_fetch(clradio_device *device, void *program, clr_binary *binary);
void clr_opencl_program_release(void *program);
clradio_status clr_opencl_kernel_create(void *program, const char *entry, void **kernel);
clradio_status clr_opencl_kernel_limits(clradio_device *device, void *kernel,
                                        size_t *max_group_size, uint64_t *local_bytes,
                                        uint64_t *private_bytes);
/* The most work-items of a kernel's work-group, by what the driver answers and the size that the
 * kernel was compiled for (0: any): NVIDIA's answers with a power of two, 256 for a kernel that is
 * for work-groups of 384 and runs in them. */
size_t clr_opencl_most_of_group(size_t answered, const size_t required[3]);
void clr_opencl_kernel_release(void *kernel);

/* opencl_specific.c: our own word among the options, for a program with ARCHITECTURE_SPECIFIC */
#define CLR_OPENCL_SPECIFIC "architecture-specific"
/* Takes the word out; returns whether it was there. */
int clr_opencl_take_specific(char *options);
/* Turns NVIDIA's binary of a program (PTX) into one with the architecture's own instructions and
 * kernels' caps of registers; UNSUPPORTED where it is none, has no such instructions, or a cap is
 * of no kernel, and then unchanged. */
clradio_status clr_opencl_make_specific(clr_binary *binary);

/* opencl_queue.c */
clradio_status clr_opencl_queue_create(clradio_device *device, unsigned *flags, void **queue);
clradio_status clr_opencl_queue_finish(void *queue);
clradio_status clr_opencl_queue_flush(void *queue);
void clr_opencl_queue_release(void *queue);
clradio_status clr_opencl_launch(clradio_queue *queue, void *kernel, const clr_launch *launch,
                                 size_t n, void *const *wait, void **event);
clradio_status clr_opencl_marker(clradio_queue *queue, size_t n, void *const *wait, void **event);
clradio_status clr_opencl_event_wait(void *event);
int clr_opencl_event_complete(void *event);
clradio_status clr_opencl_event_times(void *event, uint64_t *start, uint64_t *end);
clradio_status clr_opencl_event_elapsed(void *first, void *last, uint64_t *nanoseconds);
void *clr_opencl_event_retain(void *event);
void clr_opencl_event_release(void *event);

/* opencl_memory.c */
clradio_status clr_opencl_buffer_create(clradio_device *device, uint64_t bytes, void **buffer);
void clr_opencl_buffer_release(void *buffer);
clradio_status clr_opencl_buffer_on_host(clradio_device *device, void *memory, uint64_t bytes,
                                         void **buffer);
clradio_status clr_opencl_map(clradio_queue *queue, void *buffer, void *memory, uint64_t bytes,
                              int to_write, size_t n, void *const *wait, void **event);
clradio_status clr_opencl_unmap(clradio_queue *queue, void *buffer, void *memory, size_t n,
                                void *const *wait, void **event);
clradio_status clr_opencl_write(clradio_queue *queue, clradio_span to, const void *host,
                                uint64_t bytes, size_t n, void *const *wait, void **event);
clradio_status clr_opencl_read(clradio_queue *queue, clradio_span from, void *host, uint64_t bytes,
                               size_t n, void *const *wait, void **event);
clradio_status clr_opencl_copy(clradio_queue *queue, clradio_span from, clradio_span to,
                               uint64_t bytes, size_t n, void *const *wait, void **event);
clradio_status clr_opencl_fill(clradio_queue *queue, clradio_span to, unsigned char value,
                               uint64_t bytes, size_t n, void *const *wait, void **event);
clradio_status clr_opencl_host_memory_create(clradio_device *device, uint64_t bytes, void **memory,
                                             void **handle);
void clr_opencl_host_memory_destroy(clradio_device *device, void *memory, void *handle);

#endif
