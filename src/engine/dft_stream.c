/* The streams of clradio_dft_run: each a queue, pinned memory and buffers for the batch that it
 * carries. */
#include "engine/dft_stream.h"

#include <stdlib.h>
#include <string.h>

static clradio_status make_array(clradio_device *device, uint64_t bytes,
                                 clr_dft_stream_array *array)
{
    array->bytes = bytes;
    if (!bytes)
        return CLRADIO_OK;
    clradio_status status = clr_host_memory_create(device, bytes, &array->host, &array->handle);
    return status ? status : clradio_buffer_create(device, bytes, &array->device.buffer);
}

static void free_array(clradio_device *device, clr_dft_stream_array *array)
{
    clradio_buffer_destroy(array->device.buffer);
    if (array->host)
        clr_host_memory_destroy(device, array->host, array->handle);
}

static clradio_status make_stream(clr_dft_stream *s, clradio_device *device,
                                  const clr_dft_cut_bytes *most, uint64_t offsets)
{
    clradio_status status = clradio_queue_create(device, 0, &s->queue);
    if (!status)
        status = make_array(device, most->gains, &s->gains);
    if (!status)
        status = make_array(device, most->delays, &s->delays);
    if (!status)
        status = make_array(device, most->rates, &s->rates);
    if (!status)
        status = make_array(device, most->response, &s->response);
    if (!status)
        status = make_array(device, most->status, &s->status);
    if (!status)
        status = make_array(device, most->report, &s->report);
    for (size_t i = 0; !status && offsets && i < 3; i++) {
        s->offsets[i] = malloc(offsets * sizeof *s->offsets[i]);
        if (!s->offsets[i])
            status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a batch's sizes");
    }
    return status;
}

/* What is in flight is waited for. */
static void rest(clr_dft_stream *s)
{
    if (s->queue && s->busy)
        clradio_queue_finish(s->queue);
    clradio_event_destroy(s->done);
    clr_replay_destroy(s->replay); /* knows the run's layout */
    if (s->own_layout)
        clradio_dft_layout_destroy(s->layout);
    s->done = NULL;
    s->replay = NULL;
    s->layout = NULL;
    s->busy = s->own_layout = 0;
}

void clr_dft_streams_rest(clr_dft_streams *streams)
{
    for (unsigned n = 0; streams && n < streams->count; n++)
        rest(&streams->stream[n]);
}

void clr_dft_streams_destroy(clr_dft_streams *streams)
{
    if (!streams)
        return;
    clr_dft_streams_rest(streams);
    for (unsigned n = 0; n < streams->count; n++) {
        clr_dft_stream *s = &streams->stream[n];
        clr_dft_stream_array *const arrays[] = { &s->gains,    &s->delays, &s->rates,
                                                 &s->response, &s->status, &s->report };
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
            free_array(streams->device, arrays[i]);
        for (size_t i = 0; i < 3; i++)
            free(s->offsets[i]);
        clradio_queue_destroy(s->queue);
    }
    free(streams);
}

clradio_status clr_dft_streams_get(clradio_dft *plan, unsigned count, const clr_dft_cut_bytes *most,
                                   uint64_t offsets)
{
    clr_dft_streams *streams = plan->streams;
    if (streams && streams->count == count && streams->offsets == offsets &&
        memcmp(&streams->most, most, sizeof *most) == 0)
        return CLRADIO_OK;
    clr_dft_streams_destroy(streams);
    plan->streams = streams = calloc(1, sizeof *streams);
    if (!streams)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a run of the channel DFT");
    streams->device = plan->device;
    streams->count = count;
    streams->most = *most;
    streams->offsets = offsets;
    clradio_status status = CLRADIO_OK;
    for (unsigned n = 0; !status && n < count; n++)
        status = make_stream(&streams->stream[n], plan->device, most, offsets);
    return status;
}

clradio_status clr_dft_stream_send(clr_dft_stream *s, clr_dft_stream_array *array, uint64_t bytes)
{
    clradio_event *event = NULL;
    if (!bytes)
        return CLRADIO_OK;
    clradio_status status =
        clradio_buffer_write(s->queue, array->device, array->host, bytes, 0, NULL, &event);
    clradio_event_destroy(event);
    return status;
}

clradio_status clr_dft_stream_fetch(clr_dft_stream *s, clr_dft_stream_array *array, uint64_t bytes)
{
    clradio_event *event = NULL;
    if (!bytes)
        return CLRADIO_OK;
    clradio_status status =
        clradio_buffer_read(s->queue, array->device, array->host, bytes, 0, NULL, &event);
    clradio_event_destroy(s->done);
    s->done = event;
    return status;
}

const uint64_t *clr_dft_rebased(uint64_t *to, const uint64_t *from, uint64_t first, uint64_t count)
{
    if (!from)
        return NULL;
    for (uint64_t n = 0; n <= count; n++)
        to[n] = from[first + n] - from[first];
    return to;
}
