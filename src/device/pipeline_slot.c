/*
 * A slot of the pipeline: its arrays, and one trip in -> compute -> out. Over a link the arrays are
 * pinned host memory and a buffer each; where host and device share memory an array is one piece,
 * handed to and fro by mapping. A trip there ends with input and mask mapped again, so that the
 * next one begins without waiting for the queue.
 */
#include "device/pipeline_slot.h"

#include <inttypes.h>
#include <string.h>

static clradio_status make_array(slot_array *array, clradio_device *device, uint64_t bytes,
                                 int shared)
{
    if (!bytes)
        return CLRADIO_OK;
    array->bytes = bytes;
    if (bytes > device->info.max_allocation_bytes)
        return clr_fail(CLRADIO_ERROR_DEVICE_MEMORY,
                        "an array of %" PRIu64 " bytes is above the largest that %s allows, "
                        "%" PRIu64,
                        bytes, device->info.id, device->info.max_allocation_bytes);
    clradio_status status =
        clr_host_memory_create(device, bytes, &array->host, &array->host_handle);
    if (status)
        return status;
    if (!shared)
        return clradio_buffer_create(device, bytes, &array->buffer);
    status = clr_buffer_on_host(device, &array->host, bytes, &array->buffer);
    array->given = !status;
    return status;
}

static void free_array(slot_array *array, clradio_device *device)
{
    clradio_buffer_destroy(array->buffer);
    if (!array->given)
        clr_host_memory_destroy(device, array->host, array->host_handle);
    *array = (slot_array){ 0 };
}

void clr_slot_drop_events(pipeline_slot *slot)
{
    clradio_event **const events[] = { &slot->in_first, &slot->in_last, &slot->computed,
                                       &slot->out_first, &slot->out_last };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        clradio_event_destroy(*events[i]);
        *events[i] = NULL;
    }
}

/* Shared memory: the device's turn. */
static clradio_status unmap(slot_array *array, clradio_queue *queue, clradio_event **event)
{
    void *handle = NULL;
    const clr_backend *backend = queue->device->backend;
    clradio_status status =
        backend->unmap(queue, array->buffer->handle, array->host, 0, NULL, event ? &handle : NULL);
    if (status)
        return status;
    array->mapped = 0;
    if (!event)
        return CLRADIO_OK;
    status = clr_event_wrap(queue->device, handle, event);
    return status ? status : backend->queue_flush(queue->handle);
}

/* Shared memory: the host's turn, when the event is complete. */
static clradio_status map(slot_array *array, clradio_queue *queue, int to_write,
                          clradio_event *after, clradio_event **event)
{
    void *handle = NULL;
    void *const wait = after ? after->handle : NULL;
    const clr_backend *backend = queue->device->backend;
    clradio_status status = backend->map(queue, array->buffer->handle, array->host, array->bytes,
                                         to_write, after != NULL, &wait, &handle);
    if (status)
        return status;
    array->mapped = 1;
    status = clr_event_wrap(queue->device, handle, event);
    return status ? status : backend->queue_flush(queue->handle);
}

static clradio_status map_now(slot_array *array, clradio_queue *queue)
{
    clradio_event *event = NULL;
    if (!array->buffer || array->mapped)
        return CLRADIO_OK;
    clradio_status status = map(array, queue, 1, NULL, &event);
    if (!status)
        status = clradio_event_wait(event);
    clradio_event_destroy(event);
    return status;
}

/* Gives input and mask to the host. */
static clradio_status open_slot(pipeline_slot *slot, const slot_queues *queues)
{
    if (!queues->shared)
        return CLRADIO_OK;
    clradio_status status = map_now(&slot->input, queues->in);
    return status ? status : map_now(&slot->valid, queues->in);
}

/* Nothing may be mapped when the memory under it goes. */
void clr_slot_close(pipeline_slot *slot, const slot_queues *queues)
{
    slot_array *const arrays[] = { &slot->input, &slot->valid, &slot->output, &slot->overflow };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (arrays[i]->mapped)
            unmap(arrays[i], queues->compute, NULL);
}

void clr_slot_destroy(pipeline_slot *slot, clradio_device *device)
{
    clr_slot_drop_events(slot);
    free_array(&slot->input, device);
    free_array(&slot->valid, device);
    free_array(&slot->output, device);
    free_array(&slot->overflow, device);
}

clradio_status clr_slot_create(pipeline_slot *slot, const clradio_plan *plan,
                               const slot_queues *queues)
{
    int shared = queues->shared;
    clradio_status status = make_array(&slot->input, plan->device, plan->input_bytes, shared);
    if (!status)
        status = make_array(&slot->valid, plan->device, plan->valid_bytes, shared);
    if (!status)
        status = make_array(&slot->output, plan->device, plan->output_bytes, shared);
    if (!status)
        status = make_array(&slot->overflow, plan->device, sizeof(uint32_t), shared);
    /* a call of fewer than the plan's most writes a part of it, and all of it goes to the host */
    if (!status && !shared && slot->output.buffer)
        status = clradio_buffer_fill(queues->compute, (clradio_span){ slot->output.buffer, 0 }, 0,
                                     slot->output.bytes, 0, NULL, NULL);
    return status ? status : open_slot(slot, queues);
}

static clradio_status array_in(slot_array *array, uint64_t bytes, const slot_queues *queues,
                               clradio_event **event)
{
    if (queues->shared)
        return unmap(array, queues->in, event);
    return clradio_buffer_write(queues->in, (clradio_span){ array->buffer, 0 }, array->host, bytes,
                                0, NULL, event);
}

/* *event becomes that of one more command behind the others: the queue is in-order. */
static clradio_status array_back(slot_array *array, const slot_queues *queues, clradio_event *after,
                                 clradio_event **event)
{
    clradio_event_destroy(*event);
    *event = NULL;
    return map(array, queues->out, 1, after, event);
}

static clradio_status array_out(slot_array *array, const slot_queues *queues, clradio_event *after,
                                clradio_event **event)
{
    if (queues->shared)
        return map(array, queues->out, 0, after, event);
    return clradio_buffer_read(queues->out, (clradio_span){ array->buffer, 0 }, array->host,
                               array->bytes, 1, &after, event);
}

static clradio_status way_in(pipeline_slot *slot, const slot_queues *queues)
{
    clradio_status status = array_in(&slot->input, slot->used_bytes, queues, &slot->in_first);
    if (status)
        return status;
    if (slot->shown.use_valid)
        return array_in(&slot->valid, slot->valid.bytes, queues, &slot->in_last);
    slot->in_last = clr_event_retain(slot->in_first);
    return CLRADIO_OK;
}

static clradio_status compute(pipeline_slot *slot, const clradio_plan *plan,
                              const slot_queues *queues)
{
    clradio_event *cleared = NULL;
    clr_plan_call call = { .input = { slot->input.buffer, 0 },
                           .count = slot->shown.count,
                           .flags = slot->shown.flags };
    clradio_status status = CLRADIO_OK;
    if (slot->shown.use_valid)
        call.valid.buffer = slot->valid.buffer;
    if (slot->output.mapped)
        status = unmap(&slot->output, queues->compute, NULL);
    if (!status && slot->overflow.mapped)
        status = unmap(&slot->overflow, queues->compute, NULL);
    if (!status && slot->dumps) {
        call.output.buffer = slot->output.buffer;
        call.overflow.buffer = slot->overflow.buffer;
        status = clradio_buffer_fill(queues->compute, call.overflow, 0, slot->overflow.bytes, 0,
                                     NULL, &cleared);
    }
    clradio_event_destroy(cleared); /* in-order: nothing has to wait for it */
    if (!status)
        status =
            plan->enqueue(plan->engine, queues->compute, &call, 1, &slot->in_last, &slot->computed);
    if (!status && !slot->computed)
        status = clr_fail(CLRADIO_ERROR_INTERNAL, "a plan gave no event");
    return status;
}

static clradio_status way_out(pipeline_slot *slot, const slot_queues *queues)
{
    clradio_status status = CLRADIO_OK;
    clradio_event *after = slot->computed;
    if (slot->dumps) {
        status = array_out(&slot->output, queues, after, &slot->out_first);
        if (!status)
            status = array_out(&slot->overflow, queues, after, &slot->out_last);
    }
    if (queues->shared && !status)
        status = array_back(&slot->input, queues, after, &slot->out_last);
    if (queues->shared && !status && !slot->valid.mapped && slot->valid.buffer)
        status = array_back(&slot->valid, queues, after, &slot->out_last);
    if (!status && slot->out_last && !slot->out_first)
        slot->out_first = clr_event_retain(slot->out_last);
    return status;
}

clradio_status clr_slot_send(pipeline_slot *slot, const clradio_plan *plan,
                             const slot_queues *queues)
{
    clradio_status status = way_in(slot, queues);
    if (!status)
        status = compute(slot, plan, queues);
    if (!status)
        status = way_out(slot, queues);
    if (!status)
        return CLRADIO_OK;
    /* Whatever was enqueued ends before the host has the slot again; the reason stays the last
     * error. */
    char why[1024];
    clr_copy_text(why, sizeof why, clradio_last_error());
    clradio_queue_finish(queues->in);
    clradio_queue_finish(queues->compute);
    clradio_queue_finish(queues->out);
    clr_slot_drop_events(slot);
    open_slot(slot, queues);
    return clr_fail(status, "%s", why);
}

clradio_status clr_slot_wait(pipeline_slot *slot)
{
    clradio_status status = clradio_event_wait(slot->in_last);
    if (!status)
        status = clradio_event_wait(slot->computed);
    if (!status && slot->out_first)
        status = clradio_event_wait(slot->out_first);
    if (!status && slot->out_last)
        status = clradio_event_wait(slot->out_last);
    return status;
}
