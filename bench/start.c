/*
 * How long a process takes from nothing to its first visibilities: with an empty program cache, and
 * with one that has the programs. Each start is a process of its own. Vendors' caches must be off
 * for the cold figures to mean anything; this program turns off PoCL's, NVIDIA's and Mesa's.
 *
 * usage: bench/start [DEVICE [STARTS]]
 */
#include <clradio/clradio.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHANNELS = 16, SPECTRA = 512, STATIONS = 20, MOST_STARTS = 99, CALLS = 20 };

/* Milliseconds; call: the fastest of CALLS after the first. */
typedef struct start {
    double open, create, first, call;
    uint64_t built, loaded;
} start;

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void check(clradio_status status)
{
    if (status) {
        fprintf(stderr, "%s\n", clradio_last_error());
        _exit(1);
    }
}

static double call_ms(clradio_xengine *plan, clradio_queue *queue, const clradio_xengine_io *io)
{
    double before = now_ms();
    check(clradio_xengine_enqueue(plan, queue, io, 0, NULL, NULL));
    check(clradio_queue_finish(queue));
    return now_ms() - before;
}

/* One whole start, in a child. */
static start run(const char *name)
{
    start times = { 0 };
    clradio_device *device;
    clradio_xengine *plan;
    clradio_queue *queue;
    clradio_buffer *in, *out;
    uint64_t bytes = (uint64_t)SPECTRA * CHANNELS * STATIONS * 2 * 2;
    clradio_xengine_config config = CLRADIO_XENGINE_CONFIG_INIT;
    config.stations = STATIONS;
    config.polarisations = 2;
    config.channels = CHANNELS;
    config.spectra = SPECTRA;
    config.input = CLRADIO_CI8;
    double begin = now_ms();
    check(clradio_device_open(name, &device));
    times.open = now_ms() - begin;
    check(clradio_xengine_create(device, &config, &plan));
    times.create = now_ms() - begin - times.open;
    check(clradio_queue_create(device, 0, &queue));
    check(clradio_buffer_create(device, bytes, &in));
    check(clradio_buffer_create(device, clradio_xengine_visibilities_bytes(&config), &out));
    check(clradio_buffer_fill(queue, (clradio_span){ in, 0 }, 1, bytes, 0, NULL, NULL));
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    io.spectra = (clradio_span){ in, 0 };
    io.visibilities = (clradio_span){ out, 0 };
    io.spectra_count = SPECTRA;
    times.first = call_ms(plan, queue, &io);
    for (int i = 0; i < CALLS; i++) {
        double ms = call_ms(plan, queue, &io);
        times.call = i && times.call < ms ? times.call : ms;
    }
    clradio_device_build_count(device, &times.built, &times.loaded);
    clradio_xengine_destroy(plan);
    clradio_buffer_destroy(in);
    clradio_buffer_destroy(out);
    clradio_queue_destroy(queue);
    clradio_device_close(device);
    return times;
}

static start run_in_a_child(const char *name)
{
    int ends[2], status = -1;
    start times = { 0 };
    fflush(NULL);
    if (pipe(ends))
        exit(1);
    pid_t process = fork();
    if (!process) {
        times = run(name);
        _exit(write(ends[1], &times, sizeof times) != sizeof times);
    }
    close(ends[1]);
    int whole = read(ends[0], &times, sizeof times) == sizeof times;
    close(ends[0]);
    if (waitpid(process, &status, 0) != process || status || !whole)
        exit(1);
    return times;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const start *starts, int n, size_t field)
{
    double values[MOST_STARTS];
    for (int i = 0; i < n; i++)
        memcpy(&values[i], (const char *)&starts[i] + field, sizeof values[i]);
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

static void print_row(const char *what, const start *starts, int n)
{
    printf("| %s | %.0f | %.0f | %.2f | %.2f | %d | %d |\n", what,
           median(starts, n, offsetof(start, open)), median(starts, n, offsetof(start, create)),
           median(starts, n, offsetof(start, first)), median(starts, n, offsetof(start, call)),
           (int)starts[0].built, (int)starts[0].loaded);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "auto";
    int n = argc > 2 ? atoi(argv[2]) : 5;
    if (n < 1 || n > MOST_STARTS)
        n = 5;
    char folder[] = "/tmp/clradio-start-XXXXXX", command[128];
    if (!mkdtemp(folder))
        return 1;
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    setenv("CLRADIO_CACHE_DIR", folder, 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    static start cold[MOST_STARTS], off[MOST_STARTS], cached[MOST_STARTS];
    for (int i = 0; i < n; i++) {
        setenv("CLRADIO_CACHE", "off", 1);
        off[i] = run_in_a_child(name);
        setenv("CLRADIO_CACHE", "rw", 1);
        if (system(command))
            return 1;
        cold[i] = run_in_a_child(name);
        cached[i] = run_in_a_child(name);
    }
    printf("medians of %d starts, ms\n\n", n);
    printf("| start | open | create | first call | a call | built | loaded |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    print_row("without a cache", off, n);
    print_row("empty cache, stored for the next", cold, n);
    print_row("cached", cached, n);
    return system(command) || rmdir(folder);
}
