/* Buffers, what clradio holds of a device's memory, and copies between host and device. */
#include "device/backend.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdlib.h>

static void count_memory(clradio_device *device, uint64_t more, uint64_t less)
{
    pthread_mutex_lock(&device->lock);
    device->memory_now += more;
    device->memory_now -= less;
    if (device->memory_now > device->memory_peak)
        device->memory_peak = device->memory_now;
    pthread_mutex_unlock(&device->lock);
}

clradio_status clr_buffer_wrap(clradio_device *device, void *handle, uint64_t bytes, int owned,
                               clradio_buffer **buffer)
{
    clradio_buffer *made = calloc(1, sizeof *made);
    *buffer = NULL;
    if (!made) {
        device->backend->buffer_release(handle);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a buffer");
    }
    *made = (clradio_buffer){ clr_device_retain(device), handle, bytes, owned };
    if (owned)
        count_memory(device, bytes, 0);
    *buffer = made;
    return CLRADIO_OK;
}

static clradio_status check_size(const clradio_device *device, uint64_t bytes)
{
    if (!bytes)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "a buffer of 0 bytes");
    if (bytes > device->info.max_allocation_bytes || bytes > SIZE_MAX)
        return clr_fail(CLRADIO_ERROR_DEVICE_MEMORY,
                        "a buffer of %" PRIu64 " bytes is above the largest that %s allows, "
                        "%" PRIu64,
                        bytes, device->info.id, device->info.max_allocation_bytes);
    return CLRADIO_OK;
}

clradio_status clradio_buffer_create(clradio_device *device, uint64_t bytes,
                                     clradio_buffer **buffer)
{
    void *handle = NULL;
    if (buffer)
        *buffer = NULL;
    if (!device || !buffer)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "device or buffer is NULL");
    clradio_status status = check_size(device, bytes);
    if (!status)
        status = device->backend->buffer_create(device, bytes, &handle);
    return status ? status : clr_buffer_wrap(device, handle, bytes, 1, buffer);
}

clradio_status clr_buffer_on_host(clradio_device *device, void **memory, uint64_t bytes,
                                  clradio_buffer **buffer)
{
    void *handle = NULL, *place = *memory;
    *buffer = NULL;
    clradio_status status = check_size(device, bytes);
    if (!status)
        status = device->backend->buffer_on_host(device, place, bytes, &handle);
    if (status)
        return status;
    *memory = NULL;
    status = clr_buffer_wrap(device, handle, bytes, 1, buffer);
    if (!status)
        *memory = place;
    return status;
}

uint64_t clradio_buffer_bytes(const clradio_buffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

void clradio_buffer_destroy(clradio_buffer *buffer)
{
    if (!buffer)
        return;
    clradio_device *device = buffer->device;
    device->backend->buffer_release(buffer->handle);
    if (buffer->owned)
        count_memory(device, 0, buffer->bytes);
    free(buffer);
    clradio_device_close(device);
}

clradio_device *clr_buffer_device(const clradio_buffer *buffer)
{
    return buffer->device;
}

clradio_status clr_span_check(const clradio_device *device, clradio_span span, uint64_t bytes,
                              const char *what)
{
    uint64_t end;
    if (!span.buffer)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s has no buffer", what);
    if (span.buffer->device->backend != device->backend)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is a buffer of %s, not of %s", what,
                        span.buffer->device->info.id, device->info.id);
    if (!clr_add_u64(span.offset, bytes, &end) || end > span.buffer->bytes)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%s: %" PRIu64 " bytes from offset %" PRIu64
                        " do not fit the buffer of %" PRIu64,
                        what, bytes, span.offset, span.buffer->bytes);
    return CLRADIO_OK;
}

typedef enum transfer_kind { WRITE, READ, FILL } transfer_kind;

typedef struct transfer {
    transfer_kind kind;
    clradio_span span;
    const void *from;
    void *to;
    unsigned char value;
    uint64_t bytes;
} transfer;

/* Enqueues it; *event is NULL for one that has ended on return. */
static clradio_status enqueue(clradio_queue *queue, const transfer *t, const clr_waits *waits,
                              void **event)
{
    const clr_backend *backend = queue->device->backend;
    if (!t->bytes)
        return backend->marker(queue, waits->n, waits->handles, event);
    switch (t->kind) {
    case WRITE:
        return backend->write(queue, t->span, t->from, t->bytes, waits->n, waits->handles, event);
    case READ:
        return backend->read(queue, t->span, t->to, t->bytes, waits->n, waits->handles, event);
    default:
        return backend->fill(queue, t->span, t->value, t->bytes, waits->n, waits->handles, event);
    }
}

/* Without an event of the caller's one is made and waited for: the one way that every driver and
 * command have in common. With one the work is handed to the device before returning. */
static clradio_status make_transfer(clradio_queue *queue, const transfer *t, size_t n_wait,
                                    clradio_event *const *wait, clradio_event **event)
{
    void *handle = NULL;
    clr_waits waits;
    if (event)
        *event = NULL;
    if (!queue)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "queue is NULL");
    if (t->bytes && t->kind != FILL && !(t->kind == READ ? t->to : t->from))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "host is NULL");
    clradio_device *device = queue->device;
    clradio_status status = clr_span_check(device, t->span, t->bytes, "the span");
    if (status)
        return status;
    status = clr_waits_begin(&waits, device, n_wait, wait);
    if (!status)
        status = enqueue(queue, t, &waits, &handle);
    clr_waits_end(&waits);
    if (status)
        return status;
    if (event) {
        status = clr_event_wrap(device, handle, event);
        if (status)
            return status;
        (*event)->untimed = !queue->profiling;
        return device->backend->queue_flush(queue->handle);
    }
    status = device->backend->event_wait(handle);
    device->backend->event_release(handle);
    return status;
}

clradio_status clradio_buffer_write(clradio_queue *queue, clradio_span to, const void *host,
                                    uint64_t bytes, size_t n_wait, clradio_event *const *wait,
                                    clradio_event **event)
{
    transfer t = { .kind = WRITE, .span = to, .from = host, .bytes = bytes };
    return make_transfer(queue, &t, n_wait, wait, event);
}

clradio_status clradio_buffer_read(clradio_queue *queue, clradio_span from, void *host,
                                   uint64_t bytes, size_t n_wait, clradio_event *const *wait,
                                   clradio_event **event)
{
    transfer t = { .kind = READ, .span = from, .to = host, .bytes = bytes };
    return make_transfer(queue, &t, n_wait, wait, event);
}

clradio_status clradio_buffer_fill(clradio_queue *queue, clradio_span to, unsigned char value,
                                   uint64_t bytes, size_t n_wait, clradio_event *const *wait,
                                   clradio_event **event)
{
    transfer t = { .kind = FILL, .span = to, .value = value, .bytes = bytes };
    return make_transfer(queue, &t, n_wait, wait, event);
}
