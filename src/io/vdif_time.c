/*
 * The times of VDIF frames. A header gives the second and the number within it; how many numbers
 * make a second follows from the sample rate (the user's, or of EDV 1 and 3) or from numbers that
 * are seen to restart.
 */
#include "io/vdif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MASK = 0xffffff };

static int64_t second_of(const clr_frame *frame)
{
    return frame->index >> 24;
}

static uint32_t number_of(const clr_frame *frame)
{
    return (uint32_t)(frame->index & NUMBER_MASK);
}

/* What the restarts of the frame number say: the largest last number + 1 of a second followed by
 * number 0 of the next one; how often, and whether all agree. Frames sorted by input. */
static uint32_t count_by_restarts(const clr_frames *frames, uint64_t *restarts, int *agreed)
{
    uint32_t most = 0;
    const clr_frame *last = NULL;
    *restarts = 0;
    *agreed = 1;
    for (size_t i = 0; i < frames->count; i++) {
        const clr_frame *frame = &frames->frame[i];
        if (frame->invalid)
            continue;
        if (last && last->input == frame->input && number_of(frame) == 0 &&
            second_of(frame) == second_of(last) + 1) {
            uint32_t count = number_of(last) + 1;
            *agreed = *agreed && (!most || count == most);
            most = count > most ? count : most;
            ++*restarts;
        }
        last = frame;
    }
    return most;
}

static uint64_t numbers_past(const clr_frames *frames, uint32_t per_second)
{
    uint64_t past = 0;
    for (size_t i = 0; i < frames->count; i++)
        past += !frames->frame[i].invalid && number_of(&frames->frame[i]) >= per_second;
    return past;
}

/* Frames a second of a rate, 0 when that is no whole number that a header can count. */
static uint32_t whole_frames(double rate_hz, uint64_t samples)
{
    double count = rate_hz / (double)samples;
    double near = floor(count + 0.5);
    return near >= 1 && near <= 16777216 && fabs(count - near) <= 1e-9 * count ? (uint32_t)near : 0;
}

static int one_second(const clr_frames *frames)
{
    const clr_frame *first = NULL;
    for (size_t i = 0; i < frames->count; i++) {
        const clr_frame *frame = &frames->frame[i];
        if (frame->invalid)
            continue;
        if (first && second_of(first) != second_of(frame))
            return 0;
        first = frame;
    }
    return 1;
}

static clradio_status use_users_rate(clr_source *source, clr_vdif *vdif)
{
    clr_source_info *info = &source->info;
    double rate = source->options.sample_rate_hz;
    uint64_t samples = vdif->frames.samples;
    info->sample_rate_hz = rate;
    vdif->frames_per_second = whole_frames(rate, samples);
    if (!vdif->frames_per_second && !one_second(&vdif->frames))
        return clr_fail(
            CLRADIO_ERROR_ARGUMENT,
            "a sample rate of %.12g Hz is no whole number of frames (of %llu samples) a "
            "second, and the file spans several seconds",
            rate, (unsigned long long)samples);
    uint64_t past =
        vdif->frames_per_second ? numbers_past(&vdif->frames, vdif->frames_per_second) : 0;
    if (past * 100 > vdif->frames.count)
        return clr_fail(
            CLRADIO_ERROR_ARGUMENT,
            "a sample rate of %.12g Hz means %u frames a second, but %llu of %zu frames "
            "are numbered above that",
            rate, (unsigned)vdif->frames_per_second, (unsigned long long)past, vdif->frames.count);
    return CLRADIO_OK;
}

/* The header's rate, unless the numbers of the frames contradict it; else what the numbers say. */
static clradio_status find_rate(clr_source *source, clr_vdif *vdif)
{
    clr_source_info *info = &source->info;
    uint64_t samples = vdif->frames.samples, restarts;
    int agreed;
    uint32_t counted = count_by_restarts(&vdif->frames, &restarts, &agreed);
    double rate = clr_vdif_header_rate(&vdif->header);
    uint32_t said = whole_frames(rate, samples);
    if (rate > 0 && !said)
        clr_source_add_remark(source,
                              "the header's sample rate, %.12g Hz, is no whole number of frames a "
                              "second and is not used",
                              rate);
    uint64_t past = said ? numbers_past(&vdif->frames, said) : 0;
    int contradicted =
        past * 100 > vdif->frames.count || (said && restarts >= 2 && agreed && counted != said);
    if (contradicted)
        clr_source_add_remark(source,
                              "the header's sample rate, %.12g Hz, means %u frames a second; the "
                              "numbers of the frames contradict it",
                              rate, (unsigned)said);
    if (said && !contradicted) {
        info->sample_rate_hz = rate;
        vdif->frames_per_second = said;
    } else if (counted) {
        info->sample_rate_hz = (double)counted * (double)samples;
        vdif->frames_per_second = counted;
        clr_source_add_remark(source,
                              "the sample rate, %.12g Hz, follows from %u frames a second: their "
                              "numbers are seen to restart",
                              info->sample_rate_hz, (unsigned)counted);
    } else if (!one_second(&vdif->frames)) {
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the frames span several seconds and neither the header nor a full second "
                        "says how many make one: a sample rate must be given");
    }
    return CLRADIO_OK;
}

static void to_grid(clr_source *source, clr_vdif *vdif)
{
    clr_frames *frames = &vdif->frames;
    uint32_t per_second = vdif->frames_per_second;
    size_t kept = 0;
    for (size_t i = 0; i < frames->count; i++) {
        clr_frame frame = frames->frame[i];
        if (per_second && number_of(&frame) >= per_second && !frame.invalid)
            continue;
        if (per_second)
            frame.index = second_of(&frame) * (int64_t)per_second + number_of(&frame);
        frames->frame[kept++] = frame;
    }
    if (kept < frames->count)
        clr_source_add_damage(source, "%zu frames have a number above the %u a second; left out",
                              frames->count - kept, (unsigned)per_second);
    frames->count = kept;
}

static clr_time time_of(const clr_vdif *vdif, int64_t index)
{
    int64_t per_second = vdif->frames_per_second;
    if (per_second)
        return clr_time_from_elapsed(index / per_second,
                                     (double)(index % per_second) / (double)per_second);
    return clr_time_from_elapsed(index >> 24, 0);
}

/* Threads whose times lie whole seconds apart carry wrong headers: no grid can be trusted. Frames
 * sorted by input. */
static clradio_status check_threads(const clr_vdif *vdif)
{
    const clr_frames *frames = &vdif->frames;
    int64_t latest_start = INT64_MIN, earliest_end = INT64_MAX;
    uint32_t early = 0, late = 0;
    for (size_t i = 0; i < frames->count;) {
        /* The median is not moved by single frames with a wrong time. */
        size_t end = i, valid = 0;
        for (; end < frames->count && frames->frame[end].input == frames->frame[i].input; end++)
            valid += !frames->frame[end].invalid;
        size_t low = (valid - 1) / 4, high = valid - 1 - low, seen = 0;
        for (; i < end; i++) {
            const clr_frame *frame = &frames->frame[i];
            if (frame->invalid)
                continue;
            if (seen == low && frame->index > latest_start) {
                latest_start = frame->index;
                late = frame->input;
            }
            if (seen++ == high && frame->index < earliest_end) {
                earliest_end = frame->index;
                early = frame->input;
            }
        }
    }
    int64_t second = vdif->frames_per_second ? vdif->frames_per_second : NUMBER_MASK + 1;
    if (latest_start == INT64_MIN || latest_start - earliest_end < second)
        return CLRADIO_OK;
    char one[40], other[40];
    return clr_fail(
        CLRADIO_ERROR_FORMAT,
        "the seconds in the headers disagree: thread %u is at %s when thread %u is at "
        "%s; there is no common time to correlate",
        (unsigned)vdif->identity[early] & 1023, clr_time_text(time_of(vdif, earliest_end), one),
        (unsigned)vdif->identity[late] & 1023, clr_time_text(time_of(vdif, latest_start), other));
}

static void report(clr_source *source, const clr_vdif *vdif, const clr_frames_report *found,
                   uint64_t late)
{
    char from[40], to[40];
    uint64_t wanted = found->grid * vdif->inputs;
    uint64_t missing = wanted - vdif->frames.count;
    if (vdif->invalid)
        clr_source_add_remark(source, "%llu of %llu frames are marked invalid: no data",
                              (unsigned long long)vdif->invalid, (unsigned long long)vdif->total);
    if (found->outliers)
        clr_source_add_damage(
            source, "%llu frames with times from %s to %s, far from the rest, are left out",
            (unsigned long long)found->outliers,
            clr_time_text(time_of(vdif, found->outlier_first), from),
            clr_time_text(time_of(vdif, found->outlier_last), to));
    if (found->repeated)
        clr_source_add_remark(source, "%llu repeated frames: the first of each counts",
                              (unsigned long long)found->repeated);
    if (late)
        clr_source_add_remark(source,
                              "%llu frames stand out of order in the file and are put in "
                              "their place",
                              (unsigned long long)late);
    if (missing)
        clr_source_add_damage(source, "%llu of %llu frames are missing or invalid",
                              (unsigned long long)missing, (unsigned long long)wanted);
}

static void set_start(clr_source *source, const clr_vdif *vdif, int64_t first)
{
    clr_source_info *info = &source->info;
    info->start = time_of(vdif, first);
    info->start_known = 1;
    uint32_t number = (uint32_t)(first & NUMBER_MASK);
    if (!vdif->frames_per_second && info->sample_rate_hz > 0)
        info->start = clr_time_add_samples(info->start, (int64_t)(number * vdif->frames.samples),
                                           info->sample_rate_hz);
    info->start_exact = vdif->frames_per_second || info->sample_rate_hz > 0 || !number;
    if (!info->start_exact)
        clr_source_add_remark(source,
                              "the file begins with frame %u of the second, whose place in it is "
                              "unknown without a sample rate: the start is given as the second's",
                              (unsigned)number);
}

clradio_status clr_vdif_place(clr_source *source, clr_vdif *vdif)
{
    uint64_t strays, late;
    clr_frames *frames = &vdif->frames;
    clr_frames_sort_by_input(frames);
    clradio_status status =
        clr_frames_number_inputs(frames, &vdif->identity, &vdif->inputs, &strays);
    if (status)
        return status;
    if (strays)
        clr_source_add_damage(source,
                              "%llu frames of threads or stations that hardly occur are left out",
                              (unsigned long long)strays);
    late = clr_frames_late(frames);
    status =
        source->options.sample_rate_hz > 0 ? use_users_rate(source, vdif) : find_rate(source, vdif);
    if (status)
        return status;
    to_grid(source, vdif);
    if ((status = check_threads(vdif)))
        return status;
    clr_frames_report found;
    int64_t second = vdif->frames_per_second ? vdif->frames_per_second : 4096;
    clr_frames_arrange(frames, vdif->inputs, second, &found);
    if (!frames->count)
        return clr_fail(CLRADIO_ERROR_FORMAT, "all %llu frames are marked invalid",
                        (unsigned long long)vdif->total);
    report(source, vdif, &found, late);
    set_start(source, vdif, found.first);
    return clr_frames_count(source, frames, found.grid);
}
