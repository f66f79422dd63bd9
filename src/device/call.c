/*
 * What every engine asks of a call's arguments: objects that are there and of one device; arrays
 * that are large enough, aligned and apart.
 */
#include "base/checked.h"
#include "device/device.h"

#include <inttypes.h>

clradio_status clr_call_check(const clradio_device *device, const clradio_queue *queue,
                              const size_t *struct_size, size_t expected)
{
    if (!device || !queue || !struct_size)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL",
                        !device  ? "plan"
                        : !queue ? "queue"
                                 : "io");
    if (*struct_size != expected)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.struct_size is %zu, not %zu", *struct_size,
                        expected);
    if (clr_queue_device(queue) != device)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the queue belongs to another device");
    return CLRADIO_OK;
}

clradio_status clr_call_span(const clradio_device *device, const char *name, clradio_span span,
                             uint64_t bytes, uint64_t alignment)
{
    uint64_t end;
    if (!span.buffer)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.%s has no buffer", name);
    if (clr_buffer_device(span.buffer) != device)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the buffer of io.%s belongs to another device",
                        name);
    if (span.offset % alignment)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the offset of io.%s is %" PRIu64 ", no multiple of %" PRIu64 " bytes",
                        name, span.offset, alignment);
    if (!clr_add_u64(span.offset, bytes, &end) || end > clradio_buffer_bytes(span.buffer))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.%s needs %" PRIu64 " bytes from offset %" PRIu64
                        "; its buffer has %" PRIu64,
                        name, bytes, span.offset, clradio_buffer_bytes(span.buffer));
    return CLRADIO_OK;
}

clradio_status clr_call_span_used(const clradio_device *device, const char *name, clradio_span span,
                                  uint64_t bytes, uint64_t alignment)
{
    return bytes ? clr_call_span(device, name, span, bytes, alignment) : CLRADIO_OK;
}

clradio_status clr_spans_apart(clradio_span written, uint64_t written_bytes,
                               const char *written_name, clradio_span other, uint64_t other_bytes,
                               const char *other_name)
{
    if (!written.buffer || written.buffer != other.buffer || !written_bytes || !other_bytes)
        return CLRADIO_OK;
    /* Both are known to end in the buffer: nothing wraps. */
    if (written.offset + written_bytes <= other.offset ||
        other.offset + other_bytes <= written.offset)
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.%s and io.%s overlap in their buffer", written_name,
                    other_name);
}
