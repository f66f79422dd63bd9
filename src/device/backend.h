/*
 * What a back end is: a table of functions. Only files of src/device include this. opencl.c fills
 * one table; a CUDA one stands beside it without a change anywhere else. Objects of the room embed
 * a `void *` handle that only the back end understands.
 *
 * The common parts (names, choice of device, flattening, caching, chains, memory accounting,
 * self-test records) are written once, above this table.
 */
#ifndef CLR_DEVICE_BACKEND_H
#define CLR_DEVICE_BACKEND_H

#include "base/text.h"
#include "device/device.h"

#include <pthread.h>

typedef struct clr_backend clr_backend;

struct clradio_device {
    const clr_backend *backend;
    void *handle; /* the back end's: context, device id */
    clradio_device_info info;
    int references;
    pthread_mutex_t lock; /* guards the counters, the program table and the self-test table */
    uint64_t built, loaded, memory_now, memory_peak;
    struct clr_program *programs; /* in-memory table of live programs */
    void *self_tests;             /* selftest.c's */
    void (*self_tests_free)(void *self_tests); /* set by selftest.c together with self_tests */
    int cache_told; /* the log has heard why there is no cache on disk */
};

struct clradio_queue {
    clradio_device *device;
    void *handle;
    int out_of_order, profiling;
};

struct clradio_buffer {
    clradio_device *device;
    void *handle;
    uint64_t bytes;
    int owned; /* allocated by clradio: counted */
};

struct clradio_event {
    clradio_device *device;
    void *handle;
    void *first; /* handle of the first command of a chain, for the duration; may be NULL */
    int references;
};

/* What a build yields. kind: "opencl", "cubin", "ptx". */
typedef struct clr_binary {
    unsigned char *bytes; /* malloc */
    size_t count;
} clr_binary;

/* A kernel as program.c makes it: the back end's object, and the program that it keeps. */
struct clr_kernel {
    struct clr_program *program;
    void *handle;
    int launched; /* set by whoever launches it: the program's binary is then final */
};

struct clr_backend {
    const char *name;    /* "opencl" */
    const char *macro;   /* defined as 1 in every program: "CLR_OPENCL" */
    const char *options; /* passed to every build: "-cl-std=CL1.2"; never relaxed mathematics */

    /* Devices. list fills infos (no probing: fp64.. stay 0) and counts; a broken platform yields a
     * record with `unusable`. */
    clradio_status (*list)(clradio_device_info *infos, size_t capacity, size_t *count);
    clradio_status (*open)(const clradio_device_info *info, void **handle);
    void (*close)(void *handle);
    /* Lines for the cache's key that identify compiler, driver, platform and device (not the UUID).
     */
    void (*key_lines)(clradio_device *device, struct clr_text *text);

    /* Programs. source is flattened; options are the whole option string. *log is malloc'ed text or
     * NULL. */
    clradio_status (*build)(clradio_device *device, const char *source, size_t bytes,
                            const char *options, void **program, char **log);
    clradio_status (*load)(clradio_device *device, const clr_binary *binary, const char *options,
                           void **program);
    clradio_status (*fetch)(clradio_device *device, void *program, clr_binary *binary);
    void (*program_release)(void *program);
    clradio_status (*kernel_create)(void *program, const char *entry, void **kernel);
    clradio_status (*kernel_limits)(clradio_device *device, void *kernel, size_t *max_group_size,
                                    uint64_t *local_bytes, uint64_t *private_bytes);
    void (*kernel_release)(void *kernel);

    /* Queues, buffers, events. An event out-parameter may be NULL. Waits are back-end event
     * handles. */
    clradio_status (*queue_create)(clradio_device *device, unsigned flags, void **queue);
    clradio_status (*queue_finish)(void *queue);
    clradio_status (*queue_flush)(void *queue);
    void (*queue_release)(void *queue);
    clradio_status (*buffer_create)(clradio_device *device, uint64_t bytes, void **buffer);
    void (*buffer_release)(void *buffer);
    clradio_status (*launch)(clradio_queue *queue, void *kernel, const clr_launch *launch, size_t n,
                             void *const *wait, void **event);
    clradio_status (*write)(clradio_queue *queue, clradio_span to, const void *host, uint64_t bytes,
                            size_t n, void *const *wait, void **event);
    clradio_status (*read)(clradio_queue *queue, clradio_span from, void *host, uint64_t bytes,
                           size_t n, void *const *wait, void **event);
    clradio_status (*copy)(clradio_queue *queue, clradio_span from, clradio_span to, uint64_t bytes,
                           size_t n, void *const *wait, void **event);
    clradio_status (*fill)(clradio_queue *queue, clradio_span to, unsigned char value,
                           uint64_t bytes, size_t n, void *const *wait, void **event);
    /* An event that completes when the waits have (n = 0: when everything enqueued before has). */
    clradio_status (*marker)(clradio_queue *queue, size_t n, void *const *wait, void **event);
    clradio_status (*event_wait)(void *event);
    int (*event_complete)(void *event);
    clradio_status (*event_times)(void *event, uint64_t *start, uint64_t *end);
    void *(*event_retain)(void *event);
    void (*event_release)(void *event);
    clradio_status (*host_memory_create)(clradio_device *device, uint64_t bytes, void **memory,
                                         void **handle);
    void (*host_memory_destroy)(clradio_device *device, void *memory, void *handle);
};

/* The list of back ends: one line each. */
extern const clr_backend clr_backend_opencl;

#endif
