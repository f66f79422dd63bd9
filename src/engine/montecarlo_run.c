/*
 * The measurement of one point: batches of vectors are made, detected and counted, two in flight,
 * and their counts added in the order of the index. Batches grow while they are short; where the
 * point ends does not depend on that, because the rule looks at whole blocks only.
 */
#include "base/checked.h"
#include "base/progress.h"
#include "engine/montecarlo_internal.h"

#include <inttypes.h>

/* A batch this long or longer is long enough, and one three times as long is too long: the caller's
 * stop and the limit of time are looked at between batches. */
static const double enough_seconds = 0.1;

typedef struct batch {
    clr_montecarlo_batch on_device;
    uint64_t vectors;
    clradio_event *read;
} batch;

typedef struct run {
    clradio_montecarlo *plan;
    clradio_montecarlo_point *point;
    batch batches[CLR_MONTECARLO_IN_FLIGHT];
    uint64_t submitted, taken;
    uint64_t next;  /* the first vector that is in no batch yet */
    uint64_t size;  /* vectors of the next batch */
    double started; /* of this call */
    double before;  /* seconds of earlier calls */
    double last_taken;
    int stopped, late; /* while the host finished a row: the caller's word, the limit of time */
} run;

/* ---- one batch in ---- */

static clradio_status detect(clradio_montecarlo *plan, double noise_variance, unsigned slot,
                             uint64_t vectors)
{
    const clr_montecarlo_buffers *b = &plan->buffers;
    clradio_detector_io io = CLRADIO_DETECTOR_IO_INIT;
    io.received.buffer = b->received;
    io.channel.buffer = b->estimate ? b->estimate : b->channel;
    io.symbols.buffer = b->decided[slot];
    io.status.buffer = b->status[slot];
    io.nodes.buffer = b->nodes;
    io.noise_variance = noise_variance + plan->link.transmit * plan->link.estimation_error;
    io.vectors_count = vectors;
    return clradio_detector_enqueue(plan->detector, plan->queue, &io, 0, NULL, NULL);
}

static clradio_status submit(run *r)
{
    clradio_montecarlo *plan = r->plan;
    const clr_montecarlo_buffers *b = &plan->buffers;
    const unsigned slot = r->submitted % CLR_MONTECARLO_IN_FLIGHT;
    batch *to = &r->batches[slot];
    const uint64_t in_block = r->next % CLRADIO_MONTECARLO_BLOCK;
    uint64_t vectors = clr_min_u64(r->size, r->point->max_vectors - r->next);
    if (in_block) /* rows of counts are blocks: a batch begins with one, or stays inside of one */
        vectors = clr_min_u64(vectors, CLRADIO_MONTECARLO_BLOCK - in_block);
    clradio_montecarlo_io io = CLRADIO_MONTECARLO_IO_INIT;
    io.symbols.buffer = b->symbols;
    io.channel.buffer = b->channel;
    io.estimate.buffer = b->estimate;
    io.received.buffer = b->received;
    io.point = r->point->point;
    io.noise_variance = r->point->noise_variance;
    io.first_vector = r->next;
    io.vectors_count = vectors;
    clradio_status status = clradio_montecarlo_enqueue(plan, plan->queue, &io, 0, NULL, NULL);
    if (!status)
        status = detect(plan, io.noise_variance, slot, vectors);
    const clradio_span rows = { b->rows[slot], 0 };
    if (!status)
        status = clr_montecarlo_enqueue_count(
            plan, io.symbols, (clradio_span){ b->decided[slot], 0 },
            (clradio_span){ b->status[slot], 0 }, (clradio_span){ b->nodes, 0 }, rows, vectors);
    const uint64_t bytes =
        clr_ceil_div(vectors, CLRADIO_MONTECARLO_BLOCK) * CLR_MONTECARLO_SUMS * sizeof(uint64_t);
    *to = (batch){ { slot, io.point, io.noise_variance, r->next }, vectors, NULL };
    if (!status)
        status = clradio_buffer_read(plan->queue, rows, plan->host_rows[slot], bytes, 0, NULL,
                                     &to->read);
    if (status)
        return status;
    clradio_queue_flush(plan->queue);
    r->next += vectors;
    r->submitted++;
    return CLRADIO_OK;
}

/* ---- one batch out ---- */

static void add_row(clradio_montecarlo_counts *counts, const uint64_t *row, uint64_t vectors,
                    uint32_t bits)
{
    counts->vectors += vectors;
    counts->bits += vectors * bits;
    counts->bit_errors += row[0];
    counts->symbol_errors += row[1];
    counts->vector_errors += row[2];
    counts->squares += row[3];
    counts->nodes += row[4];
    for (unsigned i = 0; i < 5; i++)
        counts->by_status[i] += row[5 + i];
}

/* The rule, in the order of the index: errors at the end of a block, vectors anywhere. */
static clradio_montecarlo_end rule(const clradio_montecarlo_point *point)
{
    const clradio_montecarlo_counts *counts = &point->counts;
    const int whole = counts->vectors % CLRADIO_MONTECARLO_BLOCK == 0;
    const int last = counts->vectors >= point->max_vectors;
    if ((whole || last) && counts->vectors && counts->bit_errors >= point->min_errors)
        return CLRADIO_MONTECARLO_ERRORS;
    return last ? CLRADIO_MONTECARLO_VECTORS : CLRADIO_MONTECARLO_RUNNING;
}

static void adapt(run *r, double seconds)
{
    if (seconds < enough_seconds)
        r->size = clr_min_u64(2 * r->size, r->plan->vectors);
    if (r->size > CLRADIO_MONTECARLO_BLOCK)
        r->size -= r->size % CLRADIO_MONTECARLO_BLOCK;
    if (seconds > 3 * enough_seconds && r->size > 1)
        r->size /= 2;
    if (r->size > CLRADIO_MONTECARLO_BLOCK)
        r->size -= r->size % CLRADIO_MONTECARLO_BLOCK;
}

static double seconds_of(const run *r)
{
    return r->before + clr_steady_seconds() - r->started;
}

/* While the host finishes vectors: 0 ends it. */
static int goes_on(void *user)
{
    run *r = user;
    const clradio_montecarlo_point *point = r->point;
    r->late = point->max_seconds > 0.0 && seconds_of(r) >= point->max_seconds;
    r->stopped = !r->late && point->stop && point->stop(point->user, &point->counts);
    return !r->late && !r->stopped;
}

/*
 * Counts one row of a batch. One that the clock cut is counted as far as it was finished, and ends
 * the point; one that the caller stopped is not counted: who goes on later begins with it.
 */
static clradio_status take_row(run *r, const batch *from, uint64_t done)
{
    clradio_montecarlo_point *point = r->point;
    uint64_t *row = r->plan->host_rows[from->on_device.slot] +
                    done / CLRADIO_MONTECARLO_BLOCK * CLR_MONTECARLO_SUMS;
    const uint64_t vectors = clr_min_u64(from->vectors - done, CLRADIO_MONTECARLO_BLOCK);
    int cut = 0;
    clradio_status status =
        clr_montecarlo_finish(r->plan, &from->on_device, done, vectors, row, goes_on, r, &cut);
    if (status)
        return status;
    if (cut && r->stopped) {
        point->end = CLRADIO_MONTECARLO_STOPPED;
        return CLRADIO_OK;
    }
    add_row(&point->counts, row, vectors, r->plan->link.bits);
    point->end = cut ? CLRADIO_MONTECARLO_SECONDS : rule(point);
    return CLRADIO_OK;
}

static clradio_status take(run *r)
{
    batch *from = &r->batches[r->taken++ % CLR_MONTECARLO_IN_FLIGHT];
    clradio_montecarlo_point *point = r->point;
    clradio_status status = clradio_event_wait(from->read);
    clradio_event_destroy(from->read);
    from->read = NULL;
    if (status)
        return status;
    for (uint64_t done = 0; done < from->vectors && !status && !point->end;
         done += CLRADIO_MONTECARLO_BLOCK)
        status = take_row(r, from, done);
    const double now = clr_steady_seconds();
    adapt(r, now - r->last_taken);
    r->last_taken = now;
    point->seconds = seconds_of(r);
    return status;
}

/* ---- the loop ---- */

static clradio_status check(const clradio_montecarlo *plan, const clradio_montecarlo_point *point)
{
    if (!plan || !point)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan or point is NULL");
    if (point->struct_size != sizeof *point)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "point.struct_size is %zu: start from CLRADIO_MONTECARLO_POINT_INIT",
                        point->struct_size);
    if (!plan->detector)
        return clr_fail(CLRADIO_ERROR_STATE, "the plan was made with GENERATE_ONLY");
    if (!point->min_errors || !point->max_vectors)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "min_errors and max_vectors must be at least 1 (they are %" PRIu64
                        " and %" PRIu64 ")",
                        point->min_errors, point->max_vectors);
    if (!(point->max_seconds >= 0.0) || !(point->seconds >= 0.0))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "max_seconds is %g and seconds %g",
                        point->max_seconds, point->seconds);
    if (!(point->noise_variance >= 0.0 && point->noise_variance <= 1e30))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "noise_variance is %g, it must be 0 to 1e30",
                        point->noise_variance);
    if (point->counts.bits != point->counts.vectors * plan->link.bits)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%" PRIu64 " vectors with %" PRIu64
                        " bits are not counts of this plan, whose vectors have %u",
                        point->counts.vectors, point->counts.bits, plan->link.bits);
    return CLRADIO_OK;
}

static clradio_status loop(run *r)
{
    clradio_montecarlo_point *point = r->point;
    clradio_status status = CLRADIO_OK;
    while (!status && !point->end) {
        while (!status && r->submitted - r->taken < CLR_MONTECARLO_IN_FLIGHT &&
               r->next < point->max_vectors)
            status = submit(r);
        if (!status)
            status = take(r);
        if (!status && !point->end && point->max_seconds > 0.0 &&
            point->seconds >= point->max_seconds)
            point->end = CLRADIO_MONTECARLO_SECONDS;
        if (!status && point->stop && point->stop(point->user, &point->counts) && !point->end)
            point->end = CLRADIO_MONTECARLO_STOPPED;
    }
    return status;
}

clradio_status clradio_montecarlo_run(clradio_montecarlo *plan, clradio_montecarlo_point *point)
{
    clradio_status status = check(plan, point);
    if (status)
        return status;
    const double now = clr_steady_seconds();
    run r = { .plan = plan,
              .point = point,
              .next = point->counts.vectors,
              .size = clr_min_u64(plan->vectors, CLR_MONTECARLO_GROUP_VECTORS),
              .started = now,
              .last_taken = now,
              .before = point->seconds };
    point->end = rule(point);
    status = loop(&r);
    /* What is in flight still writes into the plan's memory. */
    if (r.submitted) {
        clradio_status ended = clradio_queue_finish(plan->queue);
        status = status ? status : ended;
    }
    for (unsigned i = 0; i < CLR_MONTECARLO_IN_FLIGHT; i++)
        clradio_event_destroy(r.batches[i].read);
    return status;
}
