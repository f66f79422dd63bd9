/*
 * Devices, and the queues, buffers and events of a device. They wrap OpenCL's (and, later, CUDA's)
 * objects; a program that already has those brings them (clradio/opencl.h).
 *
 * Threads: different objects may be used from different threads at will; one object from one thread
 * at a time. What is brought in is retained, and released when its wrapper is destroyed.
 */
#ifndef CLRADIO_DEVICE_H
#define CLRADIO_DEVICE_H

#include <clradio/status.h>
#include <clradio/types.h>

CLRADIO_BEGIN_DECLS

typedef struct clradio_device clradio_device;
typedef struct clradio_queue clradio_queue;
typedef struct clradio_buffer clradio_buffer;
typedef struct clradio_event clradio_event;

/** A place in a buffer: every array that an engine reads or writes. offset in bytes, a multiple of
 * the element's size. */
typedef struct clradio_span {
    clradio_buffer *buffer;
    uint64_t offset;
} clradio_span;

/** How a part of an engine's work reaches the device. What comes out is the same, bit for bit; FLAT
 * is what is chosen, and the engine's manual says when the others can pay. */
typedef enum clradio_launch {
    CLRADIO_LAUNCH_FLAT = 0, /**< one launch for all */
    CLRADIO_LAUNCH_HOST = 1, /**< a launch for each unit of work, from the host */
    /** CUDA's dynamic parallelism: one launch for all, whose grid starts a grid for each unit. A
     * unit that could not be started is computed by a launch behind, and counted. */
    CLRADIO_LAUNCH_CHILDREN = 2,
    CLRADIO_LAUNCH_EMULATED =
        3 /**< CHILDREN's walk on any device, without child grids: for tests */
} clradio_launch;

typedef enum clradio_device_kind {
    CLRADIO_DEVICE_OTHER = 0,
    CLRADIO_DEVICE_CPU = 1,
    CLRADIO_DEVICE_GPU = 2,
    CLRADIO_DEVICE_ACCELERATOR = 3
} clradio_device_kind;

/** What a device is and can. Features are probed by building small programs, not taken from what
 * drivers claim. */
typedef struct clradio_device_info {
    size_t struct_size;
    char id[32];       /**< "opencl:0.0" (platform.device) */
    char back_end[16]; /**< "opencl" */
    char name[128];
    char vendor[128];
    char platform[128];
    char platform_version[128];
    char version[128]; /**< of the device: "OpenCL 3.0 ..." */
    char driver[128];
    char architecture[64]; /**< "sm_90", "gfx90a", or empty */
    char uuid[40];         /**< 32 hexadecimal digits, or empty */
    char pci_address[24];  /**< "0000:3b:00.0", or empty */
    clradio_device_kind kind;
    uint32_t compute_units;
    uint32_t clock_mhz;
    uint64_t memory_bytes;
    uint64_t max_allocation_bytes;
    uint64_t local_memory_bytes;
    uint64_t max_group_size;
    /** hardware queues that streams are spread over: CUDA_DEVICE_MAX_CONNECTIONS as the CUDA driver
     * found it when it was started, 8 when it is not set; 0: not known */
    uint32_t connections;
    int unified_memory; /**< host and device share memory: mapping is cheaper than copying */
    int fp64, fp16;     /**< probed by a build, 0 or 1 */
    int packed_dot;     /**< an 8-bit dot product instruction that builds: 0 none, 1 dp4a, 2 sdot4,
                           3 sudot4, 4 cl_khr_integer_dot_product */
    int matrix_unit;    /**< an int8 matrix instruction that builds: 0 none, 1 NVIDIA's, 2 AMD's
                           (CDNA), 3 Intel's, 4 AMD's
                           (RDNA 3) */
    char unusable[256]; /**< why it cannot be used; empty when it can */
} clradio_device_info;
#define CLRADIO_DEVICE_INFO_INIT                                                                   \
    {                                                                                              \
        .struct_size = sizeof(clradio_device_info)                                                 \
    }

/**
 * Describes every device found. infos: room for capacity records, each with struct_size set; may be
 * NULL when capacity is 0. count: how many devices there are.
 */
CLRADIO_API clradio_status clradio_device_list(clradio_device_info *infos, size_t capacity,
                                               size_t *count);

/**
 * Opens a device by name: "auto" (a GPU, else an accelerator, else a CPU), "opencl:P.D" (platform
 * and device as listed), "opencl:N" (the N-th OpenCL device), or a part of a device's or platform's
 * name. NULL means $CLRADIO_DEVICE, else "auto". Errors: NO_DEVICE (the sentence names the
 * closest), DRIVER.
 */
CLRADIO_API clradio_status clradio_device_open(const char *name, clradio_device **device);
CLRADIO_API clradio_status clradio_device_describe(clradio_device *device,
                                                   clradio_device_info *info);
/** Drops the caller's reference; plans, queues and buffers of the device keep it alive while they
 * need it. */
CLRADIO_API void clradio_device_close(clradio_device *device);

/** How many programs were compiled, and how many came from the cache, since the device was opened.
 */
CLRADIO_API void clradio_device_build_count(clradio_device *device, uint64_t *built,
                                            uint64_t *loaded);
/** Device memory that clradio holds on this device now, and the most it ever held, in bytes. */
CLRADIO_API void clradio_device_memory_used(clradio_device *device, uint64_t *now, uint64_t *peak);

enum { CLRADIO_QUEUE_OUT_OF_ORDER = 1, CLRADIO_QUEUE_PROFILING = 2 };
CLRADIO_API clradio_status clradio_queue_create(clradio_device *device, unsigned flags,
                                                clradio_queue **queue);
/** Waits until everything in the queue has ended. */
CLRADIO_API clradio_status clradio_queue_finish(clradio_queue *queue);
CLRADIO_API clradio_status clradio_queue_flush(clradio_queue *queue);
CLRADIO_API void clradio_queue_destroy(clradio_queue *queue);

CLRADIO_API clradio_status clradio_buffer_create(clradio_device *device, uint64_t bytes,
                                                 clradio_buffer **buffer);
CLRADIO_API uint64_t clradio_buffer_bytes(const clradio_buffer *buffer);
CLRADIO_API void clradio_buffer_destroy(clradio_buffer *buffer);

/**
 * Copies between host and device. Returns at once when event is not NULL (the host memory must then
 * stay until the event is complete), else when the copy has ended.
 */
CLRADIO_API clradio_status clradio_buffer_write(clradio_queue *queue, clradio_span to,
                                                const void *host, uint64_t bytes, size_t n_wait,
                                                clradio_event *const *wait, clradio_event **event);
CLRADIO_API clradio_status clradio_buffer_read(clradio_queue *queue, clradio_span from, void *host,
                                               uint64_t bytes, size_t n_wait,
                                               clradio_event *const *wait, clradio_event **event);
/** Fills with one byte value. */
CLRADIO_API clradio_status clradio_buffer_fill(clradio_queue *queue, clradio_span to,
                                               unsigned char value, uint64_t bytes, size_t n_wait,
                                               clradio_event *const *wait, clradio_event **event);

CLRADIO_API clradio_status clradio_event_wait(clradio_event *event);
/** 1 when complete, 0 when not yet, negative: a clradio_status of the failure. */
CLRADIO_API int clradio_event_complete(clradio_event *event);
/** Nanoseconds on the device from the start of the first to the end of the last command; needs
 * CLRADIO_QUEUE_PROFILING. */
CLRADIO_API clradio_status clradio_event_duration(clradio_event *event, uint64_t *nanoseconds);
CLRADIO_API void clradio_event_destroy(clradio_event *event);

CLRADIO_END_DECLS

#endif
