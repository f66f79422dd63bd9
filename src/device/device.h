/*
 * What engines may know of a device: programs, kernels, launches, chains of commands. Includes no
 * vendor's header. An engine takes a clradio_device and never asks which back end is behind it.
 */
#ifndef CLR_DEVICE_DEVICE_H
#define CLR_DEVICE_DEVICE_H

#include "base/error.h"

#include <clradio/device.h>

/* ---- programs
 * -------------------------------------------------------------------------------------------------
 */

typedef struct clr_program clr_program;
typedef struct clr_kernel clr_kernel;

/* One build-time macro. The host's own (CLR_OPENCL, HAVE_FP64, ...) are added by clr_program_get.
 * REGISTERS caps the registers of a work-item where the compiler takes such an option (0: it does
 * as it likes). CHILDREN=1 is for kernels that launch kernels: see clr_device_children. */
typedef struct clr_macro {
    const char *name;
    int64_t value;
} clr_macro;

/*
 * The program of a kernel file with these macros: from memory, from the cache on disk, or built.
 * source: "xengine_tile.cl". Sizes that users vary are kernel arguments, never macros. Released
 * with clr_program_release. Errors: BUILD (with numbered source and the vendor's log), ARGUMENT (no
 * such file).
 */
clradio_status clr_program_get(clradio_device *device, const char *source, const clr_macro *macros,
                               size_t n_macros, clr_program **program);
/*
 * Tells the cache that the program was launched and gave right answers: only now is its binary
 * fetched and stored (PoCL's is final only after the first launch). Does nothing for a program that
 * came from the cache. Called by an engine after its self-test.
 */
void clr_program_proved(clr_program *program);
void clr_program_release(clr_program *program);
/* 64 hexadecimal digits that stand for everything that made the program: source, macros, compiler,
 * driver. Goes into the key of its self-test. */
const char *clr_program_hash(const clr_program *program);

/* A kernel object of the caller's own (argument state is not shared). */
clradio_status clr_kernel_create(clr_program *program, const char *entry, clr_kernel **kernel);
/* The largest work-group that this kernel takes on its device, and what it uses. */
clradio_status clr_kernel_limits(clr_kernel *kernel, size_t *max_group_size, uint64_t *local_bytes,
                                 uint64_t *private_bytes);
/* Registers of a work-item; 0 where the back end does not say. */
uint32_t clr_kernel_registers(clr_kernel *kernel);
void clr_kernel_release(clr_kernel *kernel);

/* ---- launches
 * -------------------------------------------------------------------------------------------------
 */

enum { CLR_MOST_ARGUMENTS = 48 };

typedef enum clr_argument_kind { CLR_ARGUMENT_SPAN, CLR_ARGUMENT_VALUE } clr_argument_kind;

/* A SPAN is two kernel parameters (base, byte offset: cl/common.cl); span.buffer may be NULL (a
 * null pointer arrives). */
typedef struct clr_argument {
    clr_argument_kind kind;
    clradio_span span;
    unsigned char value[8];
    size_t value_bytes;
} clr_argument;

typedef struct clr_launch {
    size_t groups[3]; /* work-groups in x, y, z; all >= 1. More than a back end's grid limit is its
                         own affair: see clr_device_limits */
    size_t group[3];  /* work-items of a group */
    clr_argument arguments[CLR_MOST_ARGUMENTS];
    size_t n_arguments;
    size_t large_local_bytes; /* of the kernel's LOCAL_LARGE array (cl/common.cl); 0: it has none */
} clr_launch;

/* Fill in the arguments in order. */
void clr_launch_span(clr_launch *launch, clradio_span span);
void clr_launch_u32(clr_launch *launch, uint32_t value);
void clr_launch_u64(clr_launch *launch, uint64_t value);
void clr_launch_i32(clr_launch *launch, int32_t value);
void clr_launch_f32(clr_launch *launch, float value);

/*
 * A chain: several commands on one queue that follow one another, on an in-order or an out-of-order
 * queue, seen from outside as one: the caller's wait list holds back the first, the event covers
 * the last. A chain is also what serialises the calls of a plan: give the event of the previous
 * call as `after` (may be NULL).
 *
 * Every command has an event of its own: cheaper than a marker at the end, and the times of the
 * first and the last command are then exact. On an in-order queue only the first command carries
 * the wait list; on an out-of-order queue each waits for the one before it. A wait list longer than
 * `wait` is gathered by a marker. Nothing here waits on the host; the end of a chain flushes the
 * queue, so that an event which another queue waits for belongs to work that was handed over.
 */
typedef struct clr_chain {
    clradio_queue *queue;
    clradio_event *wait[64]; /* what the next command must wait for; retained */
    size_t n_wait;
    clradio_event *last; /* of the command enqueued last; NULL while there is none */
    void *first;         /* handle of the first command's event, for clradio_event_duration */
    uint64_t commands;
} clr_chain;

/* On failure the chain is empty, and clr_chain_end with that status is harmless. */
clradio_status clr_chain_begin(clr_chain *chain, clradio_queue *queue, clradio_event *after,
                               size_t n_wait, clradio_event *const *wait);
/* The next command waits for this too, which may belong to another queue. */
void clr_chain_wait(clr_chain *chain, clradio_event *event);
clradio_status clr_chain_launch(clr_chain *chain, clr_kernel *kernel, const clr_launch *launch);
/* One of many launches, none of them the chain's last: without an event on an in-order queue. */
clradio_status clr_chain_launch_quiet(clr_chain *chain, clr_kernel *kernel,
                                      const clr_launch *launch);
clradio_status clr_chain_copy(clr_chain *chain, clradio_span from, clradio_span to, uint64_t bytes);
clradio_status clr_chain_fill(clr_chain *chain, clradio_span to, unsigned char value,
                              uint64_t bytes);
/*
 * A command of somebody else's library (clFFT, CLBlast) in the chain: begin gives the events that
 * it must wait for (they belong to the chain), end takes the one that it returned (the reference
 * too, also on failure). The vendor's objects are reached through
 * clradio/opencl.h by the engine's own *_opencl.c file.
 */
clradio_status clr_chain_foreign_begin(clr_chain *chain, clradio_event *const **wait,
                                       size_t *n_wait);
clradio_status clr_chain_foreign_end(clr_chain *chain, clradio_event *event);
/*
 * Ends the chain: *event (may be NULL) covers everything in it; an empty chain gives an event that
 * completes with the wait list. Also on failure: call it to let go of what the chain holds (status
 * in = the failure; *event is then NULL).
 */
clradio_status clr_chain_end(clr_chain *chain, clradio_status status, clradio_event **event);
/* The same, and on success the event takes the place of *last, which a plan's next call comes
 * after; *done, where done is not NULL, is another reference to it. */
clradio_status clr_chain_end_call(clr_chain *chain, clradio_status status, clradio_event **last,
                                  clradio_event **done);

/*
 * Commands of an in-order queue that are recorded once and done as often as wanted, by one call to
 * the driver (CUDA graphs). Between begin and end nothing may wait for a command from outside, and
 * the events of what is recorded are of no use; what the commands read and write must stay.
 * clr_replay_end with replay NULL throws the record away; do that also after a failure between.
 */
typedef struct clr_replay clr_replay;
/* UNSUPPORTED with a sentence where there is no such thing. */
clradio_status clr_device_replays(clradio_device *device);
clradio_status clr_replay_begin(clradio_queue *queue);
clradio_status clr_replay_end(clradio_queue *queue, clr_replay **replay);
/* Enqueues them; *event covers the last. */
clradio_status clr_replay_enqueue(clr_replay *replay, clradio_queue *queue, clradio_event **event);
/* Once nothing of it is in flight. */
void clr_replay_destroy(clr_replay *replay);

clradio_event *clr_event_retain(clradio_event *event);
clradio_device *clr_device_retain(clradio_device *device);

/* ---- facts
 * ----------------------------------------------------------------------------------------------------
 */

/* Filled once when the device is opened, features probed. */
const clradio_device_info *clr_device_info(const clradio_device *device);
/*
 * How many rounds all loops of a work-item together may take in one launch; UINT64_MAX: any number.
 * Some drivers end the loops of an invocation, without a word, after a total (65,535 on Mesa's
 * llvmpipe): engines split what takes more into several launches. A loop costs its rounds and one
 * more, whether the compiler unrolls it or not; work-items that run in step cost what the longest
 * of them does.
 */
uint64_t clr_device_loop_rounds(const clradio_device *device);
/* Whether kernels can launch kernels there; UNSUPPORTED with a sentence that says what is missing.
 */
clradio_status clr_device_children(clradio_device *device);
/* "sm_90"-style key of self-test records: UUID, else PCI address, else name and driver. */
const char *clr_device_identity(const clradio_device *device);

/*
 * Known-answer self-tests, once per process, device and key ("xengine/tile/W=16..."): *known is 1
 * when a verdict is there. Kept on disk beside the cache, under the device's identity, driver and
 * the program's hash in the key, so that a test runs once per installation.
 */
void clr_self_test_lookup(clradio_device *device, const char *key, int *known, int *passed);
void clr_self_test_record(clradio_device *device, const char *key, int passed);

/* Host memory that copies fast: pinned where the back end can. Plain malloc where that is no gain.
 */
clradio_status clr_host_memory_create(clradio_device *device, uint64_t bytes, void **memory,
                                      void **handle);
void clr_host_memory_destroy(clradio_device *device, void *memory, void *handle);

clradio_device *clr_queue_device(const clradio_queue *queue);
clradio_device *clr_buffer_device(const clradio_buffer *buffer);
/* What a call of an engine is given (call.c); ARGUMENT with a sentence. device: the plan's, NULL
 * where the plan is; struct_size: io's, NULL where io is. */
clradio_status clr_call_check(const clradio_device *device, const clradio_queue *queue,
                              const size_t *struct_size, size_t expected);
/* The array io.name; bytes from its offset, which is a multiple of `alignment`. */
clradio_status clr_call_span(const clradio_device *device, const char *name, clradio_span span,
                             uint64_t bytes, uint64_t alignment);
/* The same where nothing is asked of an array without bytes. */
clradio_status clr_call_span_used(const clradio_device *device, const char *name, clradio_span span,
                                  uint64_t bytes, uint64_t alignment);
/* ARGUMENT when two arrays of a call share bytes: what is written must lie apart from what is read.
 * One without a buffer lies apart from everything. */
clradio_status clr_spans_apart(clradio_span written, uint64_t written_bytes,
                               const char *written_name, clradio_span other, uint64_t other_bytes,
                               const char *other_name);

#endif
