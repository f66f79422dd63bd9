/*
 * The channel DFT on host arrays: batches of whole beams travel through several streams, each a
 * queue with pinned memory and buffers of its own, so that copies both ways, kernels and the
 * caller's work on a finished batch overlap. Batches finish in order.
 */
#include "base/checked.h"
#include "engine/dft_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_STREAMS = 4 };
static const uint64_t usual_batch_bytes = (uint64_t)64 << 20;

typedef struct host_run {
    clradio_dft *plan;
    const clradio_dft_host_io *io;
    clradio_dft_counts counts;
    clr_dft_cutter cutter;
    unsigned n_streams;
    clr_dft_stream *streams;
    uint64_t most_bytes;       /* that a batch may be made to have */
    clradio_dft_layout *usual; /* uniform sizes: of a batch of usual_beams */
    uint64_t usual_beams, bad_paths, failed_launches;
} host_run;

static int ragged(const clradio_dft_sizes *sizes)
{
    return sizes->beam_links || sizes->link_paths || sizes->link_taps;
}

/* ---- before ---- */

static clradio_status check_replay(const clradio_dft *plan)
{
    const char *const variant = plan->candidate.variant->name;
    if (plan->candidate.variant->prepare || clr_dft_walks(plan))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "batches of the variant %s launched %s cannot be replayed", variant,
                        clr_launch_name(plan->config.launch));
    return clr_device_replays(plan->device);
}

static clradio_status check(host_run *run)
{
    const clradio_dft_host_io *io = run->io;
    const clradio_dft_config *config = &run->plan->config;
    uint64_t values;
    if (io->struct_size != sizeof *io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.struct_size is %zu, not %zu", io->struct_size,
                        sizeof *io);
    if (!io->sizes)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.sizes is NULL");
    if (io->streams > CLR_DFT_MOST_STREAMS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.streams is %u: 0 to %d are possible",
                        io->streams, CLR_DFT_MOST_STREAMS);
    if (!io->time_steps || io->time_steps > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.time_steps is %" PRIu64 ": 1 to %d are possible", io->time_steps,
                        INT32_MAX);
    run->counts = (clradio_dft_counts)CLRADIO_DFT_COUNTS_INIT;
    clradio_status status = io->replay ? check_replay(run->plan) : CLRADIO_OK;
    if (status)
        return status;
    status = clr_dft_count_values(run->plan->grid.values, io->sizes, &run->counts);
    if (status)
        return status;
    if (!clr_mul_u64(run->counts.response * 16, io->time_steps, &values) ||
        !clr_mul_u64(run->counts.gains * 16, io->time_steps, &values))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%" PRIu64 " time steps do not fit 64 bits",
                        io->time_steps);
    if (run->counts.response && !io->response && !io->finished)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.response and io.finished are NULL");
    if (run->counts.gains &&
        (!io->gains || (!io->delays && config->delay != CLRADIO_DELAY_CONSECUTIVE) ||
         (!io->rates && config->rates)))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.gains, io.delays or io.rates is NULL");
    return CLRADIO_OK;
}

/* What the memory limit leaves to a batch of each stream. */
static uint64_t room_of_batch(const host_run *run)
{
    const uint64_t limit = run->plan->config.memory_limit, held = run->plan->memory_bytes;
    if (!limit)
        return INT64_MAX;
    /* the layout that uniform batches share is one more set of tables */
    return (limit > held ? limit - held : 0) / (run->n_streams + 1);
}

static void set_limits(host_run *run)
{
    const clradio_device_info *device = clr_device_info(run->plan->device);
    run->n_streams = run->io->streams ? run->io->streams : USUAL_STREAMS;
    run->most_bytes = room_of_batch(run);
    run->cutter =
        (clr_dft_cutter){ .plan = run->plan,
                          .sizes = run->io->sizes,
                          .time_steps = run->io->time_steps,
                          .most_beams = UINT64_MAX,
                          .most_bytes = clr_min_u64(usual_batch_bytes, run->most_bytes),
                          .most_array = device->max_allocation_bytes ? device->max_allocation_bytes
                                                                     : INT64_MAX };
    if (run->io->batch_beams) {
        run->cutter.most_beams = run->io->batch_beams;
        run->cutter.most_bytes = run->most_bytes;
    }
}

/* A beam does not fit: larger batches than is usual, then fewer streams. 0: there is no more. */
static int grow(host_run *run)
{
    if (run->cutter.most_bytes >= run->most_bytes) {
        if (run->io->streams || run->n_streams == 1 || !run->plan->config.memory_limit)
            return 0;
        run->n_streams /= 2;
        run->most_bytes = room_of_batch(run);
    }
    run->cutter.most_bytes = clr_min_u64(2 * run->cutter.most_bytes, run->most_bytes);
    return 1;
}

/* The largest batch: what a stream's arrays must hold. */
static clradio_status look_ahead(host_run *run, clr_dft_cut_bytes *most, uint64_t *most_links,
                                 uint64_t *batches)
{
    clr_dft_cut cut;
    int there = 0;
    clradio_status status = CLRADIO_OK;
    memset(most, 0, sizeof *most);
    *most_links = *batches = 0;
    clr_dft_cutter_start(&run->cutter);
    while (!status) {
        status = clr_dft_next_cut(&run->cutter, &cut, &there);
        if (status == CLRADIO_ERROR_LIMIT && grow(run)) {
            clr_dft_cutter_start(&run->cutter);
            memset(most, 0, sizeof *most);
            *most_links = *batches = 0;
            status = CLRADIO_OK;
            continue;
        }
        if (status || !there)
            break;
        const clr_dft_cut_bytes bytes = clr_dft_bytes_of(&run->cutter, &cut);
        most->gains = clr_max_u64(most->gains, bytes.gains);
        most->delays = clr_max_u64(most->delays, bytes.delays);
        most->rates = clr_max_u64(most->rates, bytes.rates);
        most->response = clr_max_u64(most->response, bytes.response);
        most->status = clr_max_u64(most->status, bytes.status);
        most->report = clr_max_u64(most->report, bytes.report);
        *most_links = clr_max_u64(*most_links, clr_max_u64(cut.links, cut.beams));
        ++*batches;
        if (*batches == 1)
            run->usual_beams = cut.beams;
    }
    return status;
}

/* ---- a batch ---- */

static clradio_status get_layout(host_run *run, clr_dft_stream *s)
{
    clradio_dft_sizes sizes = *run->io->sizes;
    const clr_dft_cut *cut = &s->cut;
    const int is_usual = !ragged(&sizes) && cut->beams == run->usual_beams;
    if (s->own_layout)
        clradio_dft_layout_destroy(s->layout);
    s->own_layout = 0;
    s->layout = NULL;
    if (is_usual && run->usual) {
        s->layout = run->usual;
        return CLRADIO_OK;
    }
    sizes.beams = cut->beams;
    sizes.beam_links =
        clr_dft_rebased(s->offsets[0], sizes.beam_links, cut->first_beam, cut->beams);
    sizes.link_paths =
        clr_dft_rebased(s->offsets[1], sizes.link_paths, cut->first_link, cut->links);
    sizes.link_taps = clr_dft_rebased(s->offsets[2], sizes.link_taps, cut->first_link, cut->links);
    clradio_status status = clradio_dft_layout_create(run->plan, &sizes, &s->layout);
    if (status)
        return status;
    if (is_usual)
        run->usual = s->layout;
    else
        s->own_layout = 1;
    return CLRADIO_OK;
}

/* Copies the batch's part of the caller's arrays into pinned memory. */
static void gather(host_run *run, clr_dft_stream *s, const clr_dft_cut_bytes *bytes)
{
    const clradio_dft_config *config = &run->plan->config;
    const clr_dft_cut *cut = &s->cut;
    const uint64_t element = clradio_type_bytes(config->type);
    const uint64_t steps = config->rates ? 1 : run->io->time_steps;
    for (uint64_t time = 0; cut->gains && time < steps; time++)
        memcpy((char *)s->gains.host + time * cut->gains * element,
               (const char *)run->io->gains +
                   (time * run->counts.gains + cut->first_gain) * element,
               cut->gains * element);
    const uint64_t first_delay =
        config->delays == CLRADIO_PER_PATH ? cut->first_gain : cut->first_tap;
    const uint64_t delay_bytes = config->delay == CLRADIO_DELAY_SECONDS ? 8 : 4;
    if (bytes->delays)
        memcpy(s->delays.host, (const char *)run->io->delays + first_delay * delay_bytes,
               bytes->delays);
    const uint64_t first_rate =
        config->rates == CLRADIO_PER_PATH ? cut->first_gain : cut->first_tap;
    if (bytes->rates)
        memcpy(s->rates.host, run->io->rates + first_rate, bytes->rates);
}

/* The commands of a batch, s->done its last. */
static clradio_status enqueue_batch(const host_run *run, clr_dft_stream *s,
                                    const clr_dft_cut_bytes *bytes)
{
    clradio_dft_io io = CLRADIO_DFT_IO_INIT;
    clradio_status status = clr_dft_stream_send(s, &s->gains, bytes->gains);
    if (!status)
        status = clr_dft_stream_send(s, &s->delays, bytes->delays);
    if (!status)
        status = clr_dft_stream_send(s, &s->rates, bytes->rates);
    io.layout = s->layout;
    io.time_steps = run->io->time_steps;
    io.gains = s->gains.device;
    io.delays = s->delays.device;
    io.rates = s->rates.device;
    io.response = s->response.device;
    io.status = s->status.device;
    io.launch_report = s->report.device;
    if (!status)
        status = clr_dft_enqueue_apart(run->plan, s->queue, &io);
    if (!status)
        status = clr_dft_stream_fetch(s, &s->status, bytes->status);
    if (!status && bytes->report)
        status = clr_dft_stream_fetch(s, &s->report, sizeof(uint32_t)); /* how many failed */
    if (!status)
        status = clr_dft_stream_fetch(s, &s->response, bytes->response);
    return status;
}

/* Batches of the usual size share a layout, and a stream's memory stays: all their commands are the
 * same. */
static clradio_status replay_batch(const host_run *run, clr_dft_stream *s,
                                   const clr_dft_cut_bytes *bytes)
{
    if (!s->replay) {
        clradio_status status = clr_replay_begin(s->queue);
        if (status)
            return status;
        status = enqueue_batch(run, s, bytes);
        clradio_event_destroy(s->done); /* one that never is complete */
        s->done = NULL;
        if (status)
            clr_replay_end(s->queue, NULL);
        else
            status = clr_replay_end(s->queue, &s->replay);
        if (status)
            return status;
    }
    return clr_replay_enqueue(s->replay, s->queue, &s->done);
}

static clradio_status submit(host_run *run, clr_dft_stream *s)
{
    const clr_dft_cut_bytes bytes = clr_dft_bytes_of(&run->cutter, &s->cut);
    clradio_status status = get_layout(run, s);
    if (status)
        return status;
    gather(run, s, &bytes);
    s->busy = 1;
    status = run->io->replay && s->layout == run->usual ? replay_batch(run, s, &bytes)
                                                        : enqueue_batch(run, s, &bytes);
    return status ? status : clradio_queue_flush(s->queue);
}

/* Waits for the stream's batch and hands it over. */
static clradio_status collect(host_run *run, clr_dft_stream *s)
{
    const clr_dft_cut *cut = &s->cut;
    const uint64_t element = clradio_type_bytes(run->plan->config.type);
    const uint64_t values = run->plan->grid.values, row = cut->paths * values * element;
    const uint32_t *marks = s->status.host;
    clradio_status status = s->done ? clradio_event_wait(s->done) : CLRADIO_OK;
    clradio_event_destroy(s->done);
    s->done = NULL;
    s->busy = 0;
    if (status)
        return status;
    for (uint64_t n = 0; n < cut->paths; n++)
        run->bad_paths += marks[n];
    if (s->report.host)
        run->failed_launches += *(const uint32_t *)s->report.host;
    if (run->io->status && cut->paths)
        memcpy(run->io->status + cut->first_path, marks, cut->paths * sizeof *marks);
    for (uint64_t time = 0; run->io->response && row && time < run->io->time_steps; time++)
        memcpy((char *)run->io->response +
                   (time * run->counts.response + cut->first_path * values) * element,
               (const char *)s->response.host + time * row, row);
    if (!run->io->finished)
        return CLRADIO_OK;
    const clradio_dft_batch batch = { .first_beam = cut->first_beam,
                                      .beams = cut->beams,
                                      .first_link = cut->first_link,
                                      .links = cut->links,
                                      .first_path = cut->first_path,
                                      .paths = cut->paths,
                                      .response = s->response.host,
                                      .response_bytes = row * run->io->time_steps,
                                      .status = marks };
    return run->io->finished(run->io->user, &batch)
               ? clr_fail(CLRADIO_ERROR_INTERRUPTED,
                          "the caller ended the run behind beam %" PRIu64,
                          cut->first_beam + cut->beams - 1)
               : CLRADIO_OK;
}

static clradio_status run_batches(host_run *run)
{
    clradio_status status = CLRADIO_OK;
    unsigned next = 0, oldest = 0, in_flight = 0;
    clr_dft_cutter_start(&run->cutter);
    while (!status) {
        int there;
        clr_dft_cut cut;
        status = clr_dft_next_cut(&run->cutter, &cut, &there);
        if (status || !there)
            break;
        if (in_flight == run->n_streams) {
            status = collect(run, &run->streams[oldest]);
            oldest = (oldest + 1) % run->n_streams; /* NOLINT(clang-analyzer-core.DivideZero) */
            in_flight--;
        }
        if (!status) {
            run->streams[next].cut = cut;
            status = submit(run, &run->streams[next]);
            next = (next + 1) % run->n_streams;
            in_flight++;
        }
    }
    for (; !status && in_flight; in_flight--) {
        status = collect(run, &run->streams[oldest]);
        oldest = (oldest + 1) % run->n_streams;
    }
    return status;
}

clradio_status clradio_dft_run(clradio_dft *plan, const clradio_dft_host_io *io)
{
    clr_dft_cut_bytes most;
    uint64_t most_links, batches;
    if (!plan || !io)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", plan ? "io" : "plan");
    host_run *run = calloc(1, sizeof *run);
    if (!run)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a run of the channel DFT");
    run->plan = plan;
    run->io = io;
    clradio_status status = check(run);
    if (!status) {
        set_limits(run);
        status = look_ahead(run, &most, &most_links, &batches);
    }
    if (!status && batches < run->n_streams)
        run->n_streams = batches ? (unsigned)batches : 1;
    if (!status)
        status = clr_dft_streams_get(plan, run->n_streams, &most,
                                     ragged(io->sizes) ? most_links + 1 : 0);
    if (!status) {
        run->streams = plan->streams->stream;
        status = run_batches(run);
    }
    char why[512] = "";
    if (status)
        strncpy(why, clradio_last_error(), sizeof why - 1);
    clr_dft_streams_rest(plan->streams);
    if (status) {
        clr_dft_streams_destroy(plan->streams);
        plan->streams = NULL;
    }
    clradio_dft_layout_destroy(run->usual);
    if (!status && io->bad_paths)
        *io->bad_paths = run->bad_paths;
    if (!status && io->failed_launches)
        *io->failed_launches = run->failed_launches;
    if (!status && run->failed_launches)
        clr_log(CLRADIO_LOG_WARNING, "launch",
                "channel DFT: %" PRIu64 " launches on the device failed; what they would have done "
                "was done behind them",
                run->failed_launches);
    free(run);
    return status ? clr_fail(status, "%s", why) : CLRADIO_OK;
}
