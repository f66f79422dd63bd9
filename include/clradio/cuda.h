/*
 * Bring your own CUDA context, stream, memory and events. CUDA's types appear as what they are in
 * its ABI, pointers and integers, so that this header needs no cuda.h: a CUcontext, CUstream,
 * CUevent (or the runtime API's cudaStream_t, cudaEvent_t) is passed as void *, a CUdeviceptr (or
 * device pointer) as uint64_t.
 *
 * CUDA counts no references: what is brought must live until its wrapper, and every plan that uses
 * it, is destroyed.
 */
#ifndef CLRADIO_CUDA_H
#define CLRADIO_CUDA_H

#include <clradio/device.h>

CLRADIO_BEGIN_DECLS

/**
 * A device by CUDA's ordinal in the caller's context; context NULL: the primary context, which the
 * runtime API uses (that one is retained until the device is closed). The caller's current context
 * is left as it was by every call. Errors: ARGUMENT (no such ordinal, a context of another device),
 * NO_DEVICE (no driver), UNSUPPORTED (no NVRTC).
 */
CLRADIO_API clradio_status clradio_device_from_cuda(int ordinal, void *context,
                                                    clradio_device **device);
/** The caller's stream (not the legacy default stream, NULL, which serialises all others). */
CLRADIO_API clradio_status clradio_queue_from_cuda(clradio_device *device, void *stream,
                                                   clradio_queue **wrapped);
/** Device memory that begins at pointer, a multiple of 16 bytes (as all that CUDA allocates is),
 * and is bytes long; what lies elsewhere is named by an offset. */
CLRADIO_API clradio_status clradio_buffer_from_cuda(clradio_device *device, uint64_t pointer,
                                                    uint64_t bytes, clradio_buffer **buffer);
/** An event that the caller has recorded. */
CLRADIO_API clradio_status clradio_event_from_cuda(clradio_device *device, void *event,
                                                   clradio_event **wrapped);

/** CUDA's objects inside; NULL or 0 when the object belongs to another back end. */
CLRADIO_API void *clradio_device_cuda_context(const clradio_device *device);
CLRADIO_API void *clradio_queue_cuda(const clradio_queue *queue);
CLRADIO_API uint64_t clradio_buffer_cuda(const clradio_buffer *buffer);
CLRADIO_API void *clradio_event_cuda(const clradio_event *event);

CLRADIO_END_DECLS

#endif
