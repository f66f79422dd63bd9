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
#include <stdatomic.h>

typedef struct clr_backend clr_backend;

struct clradio_device {
    const clr_backend *backend;
    void *handle; /* the back end's: context, device id */
    clradio_device_info info;
    uint32_t loop_limit;   /* rounds after which the driver ends a work-item's loops, 0: never */
    char identity[264];    /* clr_device_identity */
    atomic_int references; /* the caller's, and one of each queue, buffer, event, program, plan */
    pthread_mutex_t lock;  /* guards the counters, the program table and the self-test table */
    uint64_t built, loaded, memory_now, memory_peak;
    struct clr_program *programs; /* in-memory table of live programs (program.c); each program
                                     keeps the device alive, so it is empty when the device goes */
    void *self_tests;             /* selftest.c's */
    void (*self_tests_free)(void *self_tests); /* set by selftest.c together with self_tests */
    int cache_told;                            /* the log has heard why there is no cache on disk */
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
    int untimed; /* its queue takes no times (some drivers then answer with rubbish) */
    atomic_int references;
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

    /* Whether a feature ("fp64", "fp16", "packed_dot", "matrix_unit") is surely absent (0), surely
     * there (2: the architecture says so), or has to be probed by a build (1). */
    int (*may_have)(clradio_device *device, const char *feature);
    /* The compiler option that caps the registers of a work-item; NULL: it has none (CUDA's has no
     * effect beside the size of a work-group, so kernels say how many groups shall fit). */
    const char *(*register_option)(clradio_device *device);
    /* The compiler option for kernels that launch kernels (dynamic parallelism); UNSUPPORTED with
     * what is missing. NULL: no device of this back end does. */
    clradio_status (*children)(clradio_device *device, const char **option);
    /* For a program with a macro ARCHITECTURE_SPECIFIC: the word among the options of `build` that
     * asks for instructions which the device's architecture has and no later one (NULL: the back
     * end has no such thing). */
    const char *specific_option;
    const char *trivial; /* the source of a kernel `probe` that any device compiles */

    /* Programs. source is flattened; options are the whole option string (OpenCL: -cl-std=CL1.2 is
     * put in front when it names no -cl-std). *log (log may be NULL) is malloc'ed text or NULL, set
     * on failure and on success with warnings. */
    clradio_status (*build)(clradio_device *device, const char *source, size_t bytes,
                            const char *options, void **program, char **log);
    clradio_status (*load)(clradio_device *device, const clr_binary *binary, const char *options,
                           void **program);
    clradio_status (*fetch)(clradio_device *device, void *program, clr_binary *binary);
    void (*program_release)(void *program);
    clradio_status (*kernel_create)(void *program, const char *entry, void **kernel);
    clradio_status (*kernel_limits)(clradio_device *device, void *kernel, size_t *max_group_size,
                                    uint64_t *local_bytes, uint64_t *private_bytes);
    uint32_t (*kernel_registers)(clradio_device *device, void *kernel); /* NULL: cannot be asked */
    void (*kernel_release)(void *kernel);

    /* Queues, buffers, events. An event out-parameter may be NULL; write and read then return when
     * the copy has ended. Waits are back-end event handles. queue_create takes what is wanted in
     * *flags and leaves what the queue has: a device without out-of-order queues gives an in-order
     * one. */
    clradio_status (*queue_create)(clradio_device *device, unsigned *flags, void **queue);
    clradio_status (*queue_finish)(void *queue);
    clradio_status (*queue_flush)(void *queue);
    void (*queue_release)(void *queue);
    clradio_status (*buffer_create)(clradio_device *device, uint64_t bytes, void **buffer);
    void (*buffer_release)(void *buffer);
    /* A buffer that is this host memory (host_memory_create's), for devices that share it. The
     * device sees what the host wrote after unmap; the host sees what the device wrote after map,
     * at the same address. On success the memory is the buffer's and goes when the driver has let
     * go of it: a kernel whose argument it was may keep it longer than we do. */
    clradio_status (*buffer_on_host)(clradio_device *device, void *memory, uint64_t bytes,
                                     void **buffer);
    clradio_status (*map)(clradio_queue *queue, void *buffer, void *memory, uint64_t bytes,
                          int to_write, size_t n, void *const *wait, void **event);
    clradio_status (*unmap)(clradio_queue *queue, void *buffer, void *memory, size_t n,
                            void *const *wait, void **event);
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
    /* Optional: between the two, what is enqueued is kept and not done. replay NULL: thrown away.
     * An event of what was kept is never complete. */
    clradio_status (*capture_begin)(clradio_queue *queue);
    clradio_status (*capture_end)(clradio_queue *queue, void **replay);
    clradio_status (*replay_launch)(clradio_queue *queue, void *replay, void **event);
    void (*replay_release)(void *replay);
    clradio_status (*event_wait)(void *event);
    int (*event_complete)(void *event);
    /* When a command started and ended, in nanoseconds of a clock of the device's; coarser than
     * event_elapsed where the back end only measures differences. */
    clradio_status (*event_times)(void *event, uint64_t *start, uint64_t *end);
    /* From the start of first's command to the end of last's; first == last is one command. */
    clradio_status (*event_elapsed)(void *first, void *last, uint64_t *nanoseconds);
    void *(*event_retain)(void *event);
    void (*event_release)(void *event);
    clradio_status (*host_memory_create)(clradio_device *device, uint64_t bytes, void **memory,
                                         void **handle);
    void (*host_memory_destroy)(clradio_device *device, void *memory, void *handle);
};

/* The list of back ends: one line each. */
extern const clr_backend clr_backend_opencl;
extern const clr_backend clr_backend_cuda;

/* ---- for the files of this room */

/* A device around an open handle, which it takes over also on failure. Probes it: DRIVER when it
 * turns out to be unusable. */
clradio_status clr_device_adopt(const clr_backend *backend, const clradio_device_info *info,
                                void *handle, clradio_device **device);
/* Probes fp64, fp16, packed_dot, matrix_unit, the loop limit and whether a kernel compiles at all;
 * fills device->info and device->loop_limit. Once per process and kind of device, then from memory.
 */
void clr_device_probe(clradio_device *device);
/* All devices of all back ends, malloc'ed. */
clradio_status clr_device_list(clradio_device_info **infos, size_t *count);
/* The record that a name stands for. AUTO: *chosen = count, the caller goes through them by kind.
 */
clradio_status clr_device_find(const char *name, const clradio_device_info *infos, size_t count,
                               size_t *chosen);

/* Wrappers around handles, which they take over also on failure. */
clradio_status clr_queue_wrap(clradio_device *device, void *handle, unsigned flags,
                              clradio_queue **queue);
clradio_status clr_buffer_wrap(clradio_device *device, void *handle, uint64_t bytes, int owned,
                               clradio_buffer **buffer);
clradio_status clr_event_wrap(clradio_device *device, void *handle, clradio_event **event);
/* A buffer that takes over this host memory (see buffer_on_host above). On failure *memory is still
 * the caller's, or NULL when it is gone. */
clradio_status clr_buffer_on_host(clradio_device *device, void **memory, uint64_t bytes,
                                  clradio_buffer **buffer);

/* A caller's wait list as the back end's handles (not retained). Errors: ARGUMENT (a NULL event, an
 * event of another back end), MEMORY. End also after a failure. */
typedef struct clr_waits {
    void *few[16];
    void **handles;
    size_t n;
} clr_waits;
clradio_status clr_waits_begin(clr_waits *waits, const clradio_device *device, size_t n,
                               clradio_event *const *wait);
void clr_waits_end(clr_waits *waits);

/* ARGUMENT unless [offset, offset + bytes) lies in the buffer, which is of the device's back end.
 * what names the span in the sentence. */
clradio_status clr_span_check(const clradio_device *device, clradio_span span, uint64_t bytes,
                              const char *what);

#endif
