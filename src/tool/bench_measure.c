/* What the benchmarks share: lists in options, statistics of repeated runs. */
#include "base/progress.h"
#include "base/text.h"
#include "tool/bench.h"
#include "tool/options.h"
#include "tool/say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double seconds_of(uint64_t nanoseconds, double waited)
{
    const double seconds = (double)nanoseconds * 1e-9;
    return seconds > 0.01 * waited ? seconds : waited;
}

clradio_status clr_bench_wait(clradio_status status, clradio_event *event, double start,
                              double *seconds)
{
    uint64_t nanoseconds = 0;
    if (!status)
        status = clradio_event_wait(event);
    const double waited = clr_steady_seconds() - start;
    if (!status)
        status = clradio_event_duration(event, &nanoseconds);
    clradio_event_destroy(event);
    *seconds = seconds_of(nanoseconds, waited);
    return status;
}

static clradio_status enqueue_all(clr_bench_call call, void *what, clradio_event **events,
                                  size_t repeats)
{
    clradio_status status = CLRADIO_OK;
    for (size_t n = 0; !status && n < repeats; n++)
        status = call(what, &events[n]);
    return status;
}

clradio_status clr_bench_time(clr_bench_call call, void *what, size_t first, size_t repeats,
                              clr_bench_times *times)
{
    clradio_event *events[CLR_BENCH_MOST_REPEATS] = { NULL };
    double seconds[CLR_BENCH_MOST_REPEATS];
    clradio_status status = CLRADIO_OK;
    for (size_t n = 0; !status && n < first; n++) {
        clradio_event *event = NULL;
        status = call(what, &event);
        status = clr_bench_wait(status, event, clr_steady_seconds(), &seconds[0]);
    }
    const double start = clr_steady_seconds();
    if (!status)
        status = enqueue_all(call, what, events, repeats);
    /* each that was enqueued is waited for, also when a later one could not be */
    for (size_t n = 0; n < repeats && events[n]; n++) {
        const clradio_status ended = clradio_event_wait(events[n]);
        status = status ? status : ended;
    }
    const double waited = (clr_steady_seconds() - start) / (double)repeats;
    for (size_t n = 0; n < repeats; n++) {
        uint64_t nanoseconds = 0;
        if (!status)
            status = clradio_event_duration(events[n], &nanoseconds);
        seconds[n] = seconds_of(nanoseconds, waited);
        clradio_event_destroy(events[n]);
    }
    if (!status)
        clr_bench_summarise(seconds, repeats, times);
    return status;
}

clr_exit clr_bench_write(clr_json *json, const char *path, clr_exit answer)
{
    const clr_exit written = json ? clr_json_write(json, path) : CLR_EXIT_OK;
    return answer == CLR_EXIT_OK ? written : answer;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

void clr_bench_summarise(double *seconds, size_t count, clr_bench_times *times)
{
    memset(times, 0, sizeof *times);
    if (!count)
        return;
    qsort(seconds, count, sizeof *seconds, compare);
    times->count = count;
    times->median = median_of(seconds, count);
    times->least = seconds[0];
    times->most = seconds[count - 1];
    for (size_t i = 0; i < count; i++)
        seconds[i] = fabs(seconds[i] - times->median);
    qsort(seconds, count, sizeof *seconds, compare);
    times->mad = median_of(seconds, count);
}

size_t clr_bench_list(const char *text, int (*take)(const char *word, void *to), void *to,
                      size_t item_bytes, size_t capacity)
{
    for (size_t n = 0; n < capacity;) {
        char word[32];
        const size_t length = strcspn(text, ",");
        if (!length || length >= sizeof word)
            return 0;
        memcpy(word, text, length);
        word[length] = 0;
        if (!take(word, (char *)to + n * item_bytes))
            return 0;
        n++;
        if (!text[length])
            return n;
        text += length + 1;
    }
    return 0;
}

static int take_number(const char *word, void *to)
{
    uint64_t *number = to;
    return clr_parse_u64(word, number) && *number;
}

size_t clr_bench_numbers(const char *option, const char *text, uint64_t most, uint64_t *numbers,
                         size_t capacity)
{
    const size_t count = clr_bench_list(text, take_number, numbers, sizeof *numbers, capacity);
    size_t good = 0;
    while (good < count && numbers[good] <= most)
        good++;
    if (count && good == count)
        return count;
    clr_say(CLR_EXIT_USAGE,
            "--%s takes up to %zu numbers from 1 to %llu with commas between them, not '%s'",
            option, capacity, (unsigned long long)most, text);
    return 0;
}

void clr_bench_say_fault(clr_bench_faults *faults, clradio_status status)
{
    const int unsupported = status == CLRADIO_ERROR_UNSUPPORTED;
    printf("%s: %s\n", unsupported ? "unsupported" : "failed", clradio_last_error());
    const int refused = status == CLRADIO_ERROR_ARGUMENT || status == CLRADIO_ERROR_LIMIT;
    faults->refused += refused;
    faults->wrong += !refused && !unsupported;
}

clr_exit clr_bench_answer(const clr_bench_faults *faults)
{
    return faults->wrong ? CLR_EXIT_FAILED : faults->refused ? CLR_EXIT_USAGE : CLR_EXIT_OK;
}
