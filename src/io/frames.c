/* The index of frames: its order, its outliers, and reads through it. */
#include "io/frames.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

clradio_status clr_frames_add(clr_frames *frames, const clr_frame *frame)
{
    if (frames->count == frames->room) {
        size_t room = frames->room ? frames->room + frames->room / 2 : 64;
        clr_frame *larger = realloc(frames->frame, room * sizeof *larger);
        if (!larger)
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for an index of %zu frames", room);
        frames->frame = larger;
        frames->room = room;
    }
    frames->frame[frames->count++] = *frame;
    return CLRADIO_OK;
}

void clr_frames_free(clr_frames *frames)
{
    free(frames->frame);
    *frames = (clr_frames){ 0 };
}

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_input(const void *left, const void *right)
{
    const clr_frame *a = left, *b = right;
    if (a->input != b->input)
        return a->input < b->input ? -1 : 1;
    return a->index != b->index ? order(a->index, b->index) : (a->offset < b->offset ? -1 : 1);
}

static int by_index(const void *left, const void *right)
{
    const clr_frame *a = left, *b = right;
    if (a->index != b->index)
        return order(a->index, b->index);
    if (a->input != b->input)
        return a->input < b->input ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void clr_frames_sort_by_input(clr_frames *frames)
{
    qsort(frames->frame, frames->count, sizeof *frames->frame, by_input);
}

uint64_t clr_frames_late(const clr_frames *frames)
{
    uint64_t late = 0, lowest = 0;
    /* From behind: a frame is late when an earlier place in the file holds a later time. */
    for (size_t i = frames->count; i-- > 0;) {
        const clr_frame *frame = &frames->frame[i];
        if (i + 1 == frames->count || frame[1].input != frame->input)
            lowest = UINT64_MAX;
        int same_time = i + 1 < frames->count && frame[1].input == frame->input &&
                        frame[1].index == frame->index;
        late += frame->offset > lowest && !same_time;
        lowest = clr_min_u64(lowest, frame->offset);
    }
    return late;
}

static size_t end_of_input(const clr_frames *frames, size_t from)
{
    size_t end = from;
    while (end < frames->count && frames->frame[end].input == frames->frame[from].input)
        end++;
    return end;
}

clradio_status clr_frames_number_inputs(clr_frames *frames, uint32_t **identity, uint32_t *inputs,
                                        uint64_t *strays)
{
    size_t most = 0, kinds = 0, end;
    for (size_t i = 0; i < frames->count; i = end, kinds++) {
        end = end_of_input(frames, i);
        most = end - i > most ? end - i : most;
    }
    *strays = 0;
    *inputs = 0;
    *identity = malloc((kinds ? kinds : 1) * sizeof **identity);
    if (!*identity)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu inputs", kinds);
    size_t kept = 0;
    for (size_t i = 0; i < frames->count; i = end) {
        end = end_of_input(frames, i);
        if ((end - i) * 100 < most) {
            *strays += end - i;
            continue;
        }
        (*identity)[*inputs] = frames->frame[i].input;
        for (size_t k = i; k < end; k++) {
            frames->frame[kept] = frames->frame[k];
            frames->frame[kept++].input = *inputs;
        }
        ++*inputs;
    }
    frames->count = kept;
    return CLRADIO_OK;
}

/* The run [*from, *end) with the most frames among those without a gap above max_gap. */
static void largest_group(const clr_frames *frames, int64_t max_gap, size_t *from, size_t *end)
{
    *from = *end = 0;
    size_t start = 0;
    for (size_t i = 1; i <= frames->count; i++) {
        if (i < frames->count &&
            (uint64_t)frames->frame[i].index - (uint64_t)frames->frame[i - 1].index <=
                (uint64_t)max_gap)
            continue;
        if (i - start > *end - *from) {
            *from = start;
            *end = i;
        }
        start = i;
    }
}

static void drop_invalid(clr_frames *frames)
{
    size_t kept = 0;
    for (size_t i = 0; i < frames->count; i++)
        if (!frames->frame[i].invalid)
            frames->frame[kept++] = frames->frame[i];
    frames->count = kept;
}

static void note_outliers(const clr_frames *frames, size_t from, size_t end,
                          clr_frames_report *report)
{
    report->outliers = frames->count - (end - from);
    for (size_t i = 0; i < frames->count; i++) {
        if (i >= from && i < end)
            continue;
        if (i == 0 || (i == end && from == 0))
            report->outlier_first = frames->frame[i].index;
        report->outlier_last = frames->frame[i].index;
    }
}

void clr_frames_arrange(clr_frames *frames, uint32_t inputs, int64_t second,
                        clr_frames_report *report)
{
    *report = (clr_frames_report){ 0 };
    drop_invalid(frames);
    qsort(frames->frame, frames->count, sizeof *frames->frame, by_index);
    if (!frames->count)
        return;
    /* What a file may ask of its reader in gaps follows from what it holds. */
    uint64_t each = frames->count / (inputs ? inputs : 1) + 1;
    int64_t gap = (int64_t)each * 100 + (second < 4096 ? second : 4096);
    uint64_t budget = 4 * (uint64_t)gap;
    size_t from, end;
    for (;; gap = gap / 4 + 1) {
        largest_group(frames, gap, &from, &end);
        uint64_t span =
            (uint64_t)frames->frame[end - 1].index - (uint64_t)frames->frame[from].index + 1;
        if (span <= budget || gap <= 2)
            break;
    }
    note_outliers(frames, from, end, report);
    report->first = frames->frame[from].index;
    report->grid = (uint64_t)(frames->frame[end - 1].index - report->first) + 1;
    size_t kept = 0;
    for (size_t i = from; i < end; i++) {
        clr_frame frame = frames->frame[i];
        frame.index -= report->first;
        const clr_frame *last = kept ? &frames->frame[kept - 1] : NULL;
        if (last && last->index == frame.index && last->input == frame.input)
            report->repeated++;
        else
            frames->frame[kept++] = frame;
    }
    frames->count = kept;
}

clradio_status clr_frames_count(clr_source *source, const clr_frames *frames, uint64_t grid)
{
    uint64_t bits = UINT64_MAX;
    clr_source_info *info = &source->info;
    if (!clr_mul_u64(grid, frames->samples, &info->samples) ||
        !clr_mul_u64(frames->count, frames->samples, &info->samples_present) ||
        !clr_mul_u64(info->samples, 16, &bits))
        return clr_fail(CLRADIO_ERROR_FORMAT, "the file claims more than 2^60 samples");
    return CLRADIO_OK;
}

/* n elements of one size, from a row to every inputs-th place. */
static void spread(unsigned char *to, size_t stride, const unsigned char *from, size_t size,
                   size_t n)
{
    switch (size) {
    case 1:
        for (size_t i = 0; i < n; i++, to += stride)
            *to = from[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++, to += stride)
            memcpy(to, from + 2 * i, 2);
        break;
    case 4:
        for (size_t i = 0; i < n; i++, to += stride)
            memcpy(to, from + 4 * i, 4);
        break;
    default:
        for (size_t i = 0; i < n; i++, to += stride)
            memcpy(to, from + 8 * i, 8);
        break;
    }
}

static clradio_status read_frame(clr_source *source, const clr_frames *frames,
                                 const clr_frame *frame, const clr_read *read)
{
    enum { PIECE = 16384 }; /* components; a multiple of every byte's and sample's worth */
    unsigned char packed[PIECE * 4];
    float values[PIECE]; /* or int16, int8 */
    const clr_source_info *info = &source->info;
    const clr_coding *coding = &frames->coding;
    uint64_t start = (uint64_t)frame->index * frames->samples;
    uint64_t a = clr_max_u64(read->first, start);
    uint64_t b = clr_min_u64(read->first + read->count, start + frames->samples);
    size_t parts = coding->complex_samples ? 2 : 1;
    size_t from_bytes = clr_coding_component_bytes(coding) * parts;
    size_t to_bytes = from_bytes * (read->complex_output ? 2 : 1);
    uint64_t component = (a - start) * info->channels * parts;
    uint64_t end = component + (b - a) * info->channels * parts;
    uint64_t element = (a - read->first) * info->channels * info->inputs + frame->input;
    while (component < end) {
        size_t n = (size_t)clr_min_u64(PIECE - component % 8, end - component);
        uint64_t byte = component * coding->bits / 8;
        size_t inside = (size_t)(component - byte * 8 / coding->bits);
        size_t bytes = ((inside + n) * coding->bits + 7) / 8;
        uint64_t offset = frame->offset + frames->header_bytes + byte;
        const unsigned char *at = packed;
        clradio_status status = CLRADIO_OK;
        if (bytes <= 4096)
            at = clr_bytes_view(&source->bytes, offset, bytes);
        else
            status = clr_bytes_read(&source->bytes, offset, packed, bytes);
        if (status || !at)
            return CLRADIO_ERROR_IO;
        clr_unpack(coding, at, inside, n, values);
        spread(read->to + element * to_bytes, info->inputs * to_bytes, (unsigned char *)values,
               from_bytes, n / parts);
        element += n / parts * info->inputs;
        component += n;
    }
    if (read->present)
        clr_mask_set(read->present + frame->input * read->words, a - read->first, b - a);
    return CLRADIO_OK;
}

clradio_status clr_frames_read(clr_source *source, const clr_frames *frames, const clr_read *read)
{
    int64_t first = (int64_t)(read->first / frames->samples);
    int64_t last = (int64_t)((read->first + read->count - 1) / frames->samples);
    size_t low = 0, high = frames->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frames->frame[middle].index < first)
            low = middle + 1;
        else
            high = middle;
    }
    clradio_status status = CLRADIO_OK;
    for (; !status && low < frames->count && frames->frame[low].index <= last; low++)
        status = read_frame(source, frames, &frames->frame[low], read);
    return status;
}
