/*
 * The LWA TBN reader: frames of 1048 bytes, big-endian headers, 512 complex 8-bit samples of one
 * polarisation of one stand. Times are ticks of the array's 196 MHz clock; how many ticks make a
 * sample is not in the header and follows from the tags of successive frames.
 */
#include "io/tbn.h"

#include "base/checked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tbn {
    clr_frames frames;
    uint64_t total;
    uint32_t *identity; /* [inputs]: 2 (stand - 1) + polarisation */
    uint32_t inputs, tuning_word;
    int64_t step; /* ticks from frame to frame; 0: not known, all tags are equal */
} tbn;

static uint32_t big32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The header at offset: 1 and its fields, or 0. */
static int frame_at(clr_bytes *bytes, uint64_t offset, clr_frame *frame, uint32_t *word)
{
    const unsigned char *at = clr_bytes_view(bytes, offset, CLR_TBN_HEADER);
    if (!at || big32(at) != CLR_TBN_SYNC)
        return 0;
    uint32_t id = (uint32_t)at[12] << 8 | at[13];
    uint64_t tag = (uint64_t)big32(at + 16) << 32 | big32(at + 20);
    /* Bit 15 marks the wide-band format of the same sync word; tags reach the year 3490. */
    if (!(id & 0x3fff) || id & 0x8000 || (id & 0x3fff) > CLR_TBN_MOST_INPUTS || tag >> 63)
        return 0;
    *word = big32(at + 8);
    *frame = (clr_frame){ .index = (int64_t)tag, .offset = offset, .input = (id & 0x3fff) - 1 };
    return 1;
}

static int recognise(clr_bytes *bytes)
{
    clr_frame frame;
    uint32_t word;
    for (uint64_t at = 0; at <= CLR_TBN_FRAME; at++)
        if (frame_at(bytes, at, &frame, &word) &&
            (bytes->size - at < CLR_TBN_FRAME + CLR_TBN_HEADER ||
             frame_at(bytes, at + CLR_TBN_FRAME, &frame, &word)))
            return bytes->size - at >= CLR_TBN_FRAME;
    return 0;
}

static clradio_status scan(clr_source *source, tbn *state)
{
    clr_bytes *bytes = &source->bytes;
    uint64_t offset = 0, junk = 0, junk_at = 0, tail = 0;
    clradio_status status = CLRADIO_OK;
    while (!status && offset < bytes->size) {
        clr_frame frame;
        uint32_t word;
        if (!frame_at(bytes, offset, &frame, &word)) {
            junk_at = junk ? junk_at : offset;
            junk++;
            offset++;
            continue;
        }
        if (bytes->size - offset < CLR_TBN_FRAME) {
            tail = bytes->size - offset;
            break;
        }
        if (!state->total++)
            state->tuning_word = word;
        status = clr_frames_add(&state->frames, &frame);
        offset += CLR_TBN_FRAME;
    }
    source->info.bytes_lost = junk + tail;
    if (!status && !state->total)
        return clr_fail(CLRADIO_ERROR_FORMAT, "no whole TBN frame was found");
    if (!status && junk)
        clr_source_add_damage(source,
                              "%llu bytes that are no frame were skipped, the first at byte "
                              "%llu",
                              (unsigned long long)junk, (unsigned long long)junk_at);
    if (!status && tail)
        clr_source_add_damage(source, "the last %llu bytes are a frame that was cut short",
                              (unsigned long long)tail);
    return status;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* The most frequent of n values (the smallest of equals); sorts them. */
static int64_t most_frequent(int64_t *value, size_t n)
{
    int64_t best = 0;
    size_t most = 0;
    qsort(value, n, sizeof *value, compare);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && value[end] == value[i]; end++)
            ;
        if (end - i > most) {
            most = end - i;
            best = value[i];
        }
    }
    return best;
}

/* The ticks of the user's rate. */
static clradio_status step_of_rate(double rate, int64_t *step)
{
    double ticks = CLR_TBN_CLOCK_HZ * CLR_TBN_SAMPLES / rate;
    if (!(ticks < 1e15) || ticks < 1 || fabs(ticks - floor(ticks + 0.5)) > 1e-6)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "a sample rate of %.12g Hz is no division of the 196 MHz clock", rate);
    *step = (int64_t)floor(ticks + 0.5);
    return CLRADIO_OK;
}

/* The most frequent gap between tags of one input; where no input has two, the smallest between
 * any; 0 when all are equal. gap: room for one a frame. Frames sorted by input. */
static int64_t step_of_tags(const clr_frames *frames, int64_t *gap, int *of_one_input)
{
    size_t n = 0;
    int64_t step = 0;
    for (size_t i = 1; i < frames->count; i++)
        if (frames->frame[i].input == frames->frame[i - 1].input &&
            frames->frame[i].index > frames->frame[i - 1].index)
            gap[n++] = frames->frame[i].index - frames->frame[i - 1].index;
    *of_one_input = n > 0;
    if (n)
        return most_frequent(gap, n);
    for (size_t i = 0; i < frames->count; i++)
        gap[i] = frames->frame[i].index;
    qsort(gap, frames->count, sizeof *gap, compare);
    for (size_t i = 1; i < frames->count; i++)
        if (gap[i] > gap[i - 1] && (!step || gap[i] - gap[i - 1] < step))
            step = gap[i] - gap[i - 1];
    return step;
}

static clradio_status find_step(clr_source *source, tbn *state)
{
    double rate = source->options.sample_rate_hz;
    int64_t *room = malloc((state->frames.count + 1) * sizeof *room), wish = 0;
    if (!room)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu time tags", state->frames.count);
    int of_one_input;
    state->step = step_of_tags(&state->frames, room, &of_one_input);
    free(room);
    clradio_status status = rate > 0 ? step_of_rate(rate, &wish) : CLRADIO_OK;
    if (status)
        return status;
    double counted = CLR_TBN_CLOCK_HZ * CLR_TBN_SAMPLES / (double)state->step;
    /* Where frames are missing the gaps are whole multiples of the step. */
    if (wish && of_one_input && state->step % wish)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "a sample rate of %.12g Hz contradicts the time tags, which say %.12g Hz",
                        rate, counted);
    if (wish)
        state->step = wish;
    else if (state->step)
        clr_source_add_remark(
            source,
            "the sample rate, %.12g Hz, follows from time tags that are %lld ticks "
            "of 196 MHz apart%s",
            counted, (long long)state->step, of_one_input ? "" : " between different inputs");
    return CLRADIO_OK;
}

/* Tags to places on the grid; tags beside the grid of the others are left out. */
static clradio_status to_grid(clr_source *source, tbn *state, int64_t *phase)
{
    clr_frames *frames = &state->frames;
    int64_t step = state->step ? state->step : 1;
    int64_t *rest = malloc(frames->count * sizeof *rest);
    if (!rest)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu time tags", frames->count);
    for (size_t i = 0; i < frames->count; i++)
        rest[i] = frames->frame[i].index % step;
    *phase = most_frequent(rest, frames->count);
    free(rest);
    size_t kept = 0;
    for (size_t i = 0; i < frames->count; i++) {
        clr_frame frame = frames->frame[i];
        if (frame.index % step != *phase)
            continue;
        frame.index /= step;
        frames->frame[kept++] = frame;
    }
    if (kept < frames->count)
        clr_source_add_damage(source,
                              "%zu frames have time tags beside those of the others; left "
                              "out",
                              frames->count - kept);
    frames->count = kept;
    return CLRADIO_OK;
}

static clr_time time_of_tag(int64_t tag)
{
    int64_t clock = (int64_t)CLR_TBN_CLOCK_HZ, seconds = tag / clock;
    clr_time day = { 40587 + seconds / 86400, (double)(seconds % 86400),
                     (double)(tag % clock) / CLR_TBN_CLOCK_HZ };
    return day;
}

static clradio_status place(clr_source *source, tbn *state)
{
    clr_frames *frames = &state->frames;
    clr_source_info *info = &source->info;
    uint64_t strays, late;
    int64_t phase = 0;
    clr_frames_sort_by_input(frames);
    clradio_status status =
        clr_frames_number_inputs(frames, &state->identity, &state->inputs, &strays);
    if (status)
        return status;
    if (strays)
        clr_source_add_damage(source, "%llu frames of stands that hardly occur are left out",
                              (unsigned long long)strays);
    late = clr_frames_late(frames);
    if ((status = find_step(source, state)) || (status = to_grid(source, state, &phase)))
        return status;
    clr_frames_report found;
    int64_t second = state->step ? (int64_t)(CLR_TBN_CLOCK_HZ / (double)state->step) + 1 : 1;
    clr_frames_arrange(frames, state->inputs, second, &found);
    if (state->step)
        info->sample_rate_hz = CLR_TBN_CLOCK_HZ * CLR_TBN_SAMPLES / (double)state->step;
    info->start = time_of_tag(found.first * (state->step ? state->step : 1) + phase);
    info->start_known = info->start_exact = 1;
    if (late)
        clr_source_add_remark(source,
                              "%llu frames stand out of order in the file and are put in "
                              "their place",
                              (unsigned long long)late);
    if (found.outliers)
        clr_source_add_damage(source, "%llu frames with time tags far from the rest are left out",
                              (unsigned long long)found.outliers);
    if (found.repeated)
        clr_source_add_remark(source, "%llu repeated frames: the first of each counts",
                              (unsigned long long)found.repeated);
    uint64_t wanted = found.grid * state->inputs;
    if (wanted > frames->count)
        clr_source_add_damage(source, "%llu of %llu frames are missing",
                              (unsigned long long)(wanted - frames->count),
                              (unsigned long long)wanted);
    return clr_frames_count(source, frames, found.grid);
}

/* Stands to stations in their order; a stand with one polarisation keeps it. */
static void map_inputs(clr_source *source, const tbn *state)
{
    clr_source_info *info = &source->info;
    uint32_t stations = 0, most = 1;
    for (uint32_t i = 0; i < state->inputs; i++) {
        clr_source_input *input = &info->input[i];
        unsigned stand = state->identity[i] / 2 + 1, polarisation = state->identity[i] % 2;
        int same = i && state->identity[i - 1] / 2 + 1 == stand;
        stations += !same;
        most = polarisation || same ? 2 : most;
        input->station_index = stations - 1;
        input->polarisation = polarisation;
        snprintf(input->name, sizeof input->name, "stand %u %c", stand, "XY"[polarisation]);
        snprintf(input->station, sizeof input->station, "stand%u", stand);
    }
    info->stations = stations;
    info->polarisations = most;
    if (stations * most != state->inputs)
        clr_source_add_remark(source, "some stands have one polarisation only");
}

static void frequency(clr_source *source, const tbn *state)
{
    clr_source_info *info = &source->info;
    double hertz = state->tuning_word * CLR_TBN_CLOCK_HZ / 4294967296.0;
    double seconds = clr_time_difference(info->start, (clr_time){ 40587, 0, 0 });
    clr_source_add_row(source, "tuning word", "%u", (unsigned)state->tuning_word);
    clr_source_add_row(source, "frames", "%llu of %d bytes", (unsigned long long)state->total,
                       CLR_TBN_FRAME);
    if (state->step)
        clr_source_add_row(source, "ticks from frame to frame", "%lld", (long long)state->step);
    /* Early headers count seconds where later ones have the tuning word. */
    if (fabs(seconds - state->tuning_word) < 60)
        clr_source_add_remark(source,
                              "the tuning word, %u (%.6g Hz), is the number of seconds of the time "
                              "tag: an early header, which does not say its frequency",
                              (unsigned)state->tuning_word, hertz);
    else
        info->frequency_hz = hertz;
}

static clradio_status open_tbn(clr_source *source)
{
    clr_source_info *info = &source->info;
    clr_copy_text(info->format, sizeof info->format, "TBN");
    tbn *state = calloc(1, sizeof *state);
    if (!state)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a TBN reader");
    source->state = state;
    if (source->options.real_high || source->options.twos_complement)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the coding of a TBN file cannot be overridden");
    state->frames.samples = CLR_TBN_SAMPLES;
    state->frames.header_bytes = CLR_TBN_HEADER;
    state->frames.coding =
        (clr_coding){ .bits = 8, .complex_samples = 1, .kind = CLR_TWOS_COMPLEMENT };
    clr_coding_prepare(&state->frames.coding);
    clr_source_set_coding(source, &state->frames.coding);
    info->channels = 1;
    clradio_status status = scan(source, state);
    if (!status)
        status = place(source, state);
    if (!status)
        status = clr_source_make_inputs(source, state->inputs);
    if (status)
        return status;
    map_inputs(source, state);
    frequency(source, state);
    return CLRADIO_OK;
}

static clradio_status read_tbn(clr_source *source, const clr_read *read)
{
    const tbn *state = source->state;
    return clr_frames_read(source, &state->frames, read);
}

static void close_tbn(clr_source *source)
{
    tbn *state = source->state;
    if (!state)
        return;
    clr_frames_free(&state->frames);
    free(state->identity);
    free(state);
}

const clr_reader clr_tbn_reader = { "tbn", recognise, open_tbn, read_tbn, close_tbn };
