/* A stream of clradio_dft_run: a queue, pinned memory and buffers for the batch that it carries. */
#ifndef CLR_ENGINE_DFT_STREAM_H
#define CLR_ENGINE_DFT_STREAM_H

#include "engine/dft_batch.h"

/* An array on host and device. */
typedef struct clr_dft_stream_array {
    void *host, *handle;
    clradio_span device;
    uint64_t bytes;
} clr_dft_stream_array;

typedef struct clr_dft_stream {
    clradio_queue *queue;
    clr_dft_stream_array gains, delays, rates, response, status, report;
    clradio_dft_layout *layout;
    int own_layout;
    uint64_t *offsets[3]; /* of the batch: beam_links, link_paths, link_taps */
    clr_dft_cut cut;
    clr_replay *replay; /* of a batch of the usual size */
    clradio_event *done;
    int busy;
} clr_dft_stream;

enum { CLR_DFT_MOST_STREAMS = 32 };

/* The streams of a run, and for what they were made. */
struct clr_dft_streams {
    clradio_device *device;
    unsigned count;
    clr_dft_cut_bytes most;
    uint64_t offsets;
    clr_dft_stream stream[CLR_DFT_MOST_STREAMS];
};

/* The plan's streams in plan->streams: those of the run before where they were made for the same,
 * since to pin memory takes longer than many a run. most: the largest batch; offsets: elements of
 * each of the three offset arrays, 0 where sizes are uniform. */
clradio_status clr_dft_streams_get(clradio_dft *plan, unsigned count, const clr_dft_cut_bytes *most,
                                   uint64_t offsets);
/* After a run: waits for what is in flight and lets go of what belongs to the run alone. */
void clr_dft_streams_rest(clr_dft_streams *streams);
/* NULL is fine. */
void clr_dft_streams_destroy(clr_dft_streams *streams);
/* Enqueues a copy to the device. */
clradio_status clr_dft_stream_send(clr_dft_stream *s, clr_dft_stream_array *array, uint64_t bytes);
/* Enqueues a copy to the host; s->done becomes its event. */
clradio_status clr_dft_stream_fetch(clr_dft_stream *s, clr_dft_stream_array *array, uint64_t bytes);
/* Part of an offset array, beginning with 0; NULL for NULL. */
const uint64_t *clr_dft_rebased(uint64_t *to, const uint64_t *from, uint64_t first, uint64_t count);

#endif
