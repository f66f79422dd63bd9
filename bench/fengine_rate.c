/*
 * The F-engine's and the whole chain's rate on a device: `make bench/fengine_rate`, then
 * `bench/fengine_rate [DEVICE]`. Voltages are random ci8 of 16 stations with two polarisations, on
 * the device before the clock starts; the median of three calls after two, each some 2^23 samples.
 */
#include <clradio/clradio.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STATIONS = 16, INPUTS = 2 * STATIONS, CALLS = 5, WARM = 2, SAMPLES = 1 << 18 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(clradio_status status)
{
    if (status) {
        fprintf(stderr, "%s: %s\n", clradio_status_name(status), clradio_last_error());
        exit(1);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static clradio_buffer *voltages_on(clradio_device *device, clradio_queue *queue, uint64_t bytes)
{
    clradio_buffer *buffer;
    unsigned char *host = malloc(bytes);
    uint64_t state = 88172645463325252u;
    for (uint64_t i = 0; host && i < bytes; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        host[i] = (unsigned char)(state >> 32);
    }
    check(clradio_buffer_create(device, bytes, &buffer));
    check(clradio_buffer_write(queue, (clradio_span){ buffer, 0 }, host, bytes, 0, NULL, NULL));
    free(host);
    return buffer;
}

/* One of the two plans, made ready for its calls. */
typedef struct rated {
    clradio_fengine *fengine;
    clradio_correlator *correlator;
    clradio_fengine_io fengine_io;
    clradio_correlator_io correlator_io;
} rated;

static void call(rated *r, clradio_queue *queue)
{
    if (r->fengine)
        check(clradio_fengine_enqueue(r->fengine, queue, &r->fengine_io, 0, NULL, NULL));
    else
        check(clradio_correlator_enqueue(r->correlator, queue, &r->correlator_io, 0, NULL, NULL));
    check(clradio_queue_finish(queue));
}

/* Million complex samples a second, all inputs together. */
static double rate_of(rated *r, clradio_queue *queue, uint32_t channels)
{
    double times[CALLS];
    for (int i = 0; i < CALLS; i++) {
        double start = seconds_now();
        call(r, queue);
        times[i] = seconds_now() - start;
    }
    qsort(times + WARM, CALLS - WARM, sizeof *times, by_value);
    return 1e-6 * (SAMPLES / channels) * channels * INPUTS / times[WARM + (CALLS - WARM) / 2];
}

static clradio_window window_of(uint32_t taps)
{
    return taps > 1 ? CLRADIO_WINDOW_HAMMING : CLRADIO_WINDOW_RECTANGULAR;
}

static double fengine_rate(clradio_device *device, clradio_queue *queue, clradio_buffer *voltages,
                           uint32_t channels, uint32_t taps)
{
    clradio_fengine_config config = CLRADIO_FENGINE_CONFIG_INIT;
    clradio_fengine_info info = CLRADIO_FENGINE_INFO_INIT;
    rated r = { .fengine_io = CLRADIO_FENGINE_IO_INIT };
    config.stations = STATIONS;
    config.polarisations = 2;
    config.channels = channels;
    config.taps = taps;
    config.window = window_of(taps);
    config.spectra = r.fengine_io.spectra_count = SAMPLES / channels;
    check(clradio_fengine_create(device, &config, &r.fengine));
    check(clradio_fengine_get_info(r.fengine, &info));
    check(clradio_buffer_create(device, info.spectra_bytes, &r.fengine_io.spectra.buffer));
    r.fengine_io.voltages.buffer = voltages;
    double rate = rate_of(&r, queue, channels);
    clradio_buffer_destroy(r.fengine_io.spectra.buffer);
    clradio_fengine_destroy(r.fengine);
    return rate;
}

static double chain_rate(clradio_device *device, clradio_queue *queue, clradio_buffer *voltages,
                         uint32_t channels, uint32_t taps)
{
    clradio_correlator_config config = CLRADIO_CORRELATOR_CONFIG_INIT;
    clradio_correlator_info info = CLRADIO_CORRELATOR_INFO_INIT;
    rated r = { .correlator_io = CLRADIO_CORRELATOR_IO_INIT };
    clradio_correlator_io *io = &r.correlator_io;
    config.stations = STATIONS;
    config.polarisations = 2;
    config.channels = channels;
    config.taps = taps;
    config.window = window_of(taps);
    config.spectra = io->spectra_count = SAMPLES / channels;
    check(clradio_correlator_create(device, &config, &r.correlator));
    check(clradio_correlator_get_info(r.correlator, &info));
    check(clradio_buffer_create(device, info.visibilities_bytes, &io->visibilities.buffer));
    io->voltages.buffer = voltages;
    double rate = rate_of(&r, queue, channels);
    clradio_buffer_destroy(io->visibilities.buffer);
    clradio_correlator_destroy(r.correlator);
    return rate;
}

int main(int argc, char **argv)
{
    static const uint32_t channels[] = { 16, 1024, 4096 };
    clradio_device *device;
    clradio_queue *queue;
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    check(clradio_device_open(argc > 1 ? argv[1] : NULL, &device));
    check(clradio_device_describe(device, &info));
    check(clradio_queue_create(device, 0, &queue));
    clradio_buffer *voltages = voltages_on(device, queue, (uint64_t)SAMPLES * INPUTS * 2);
    printf("%s (%s), %d dual-polarisation stations, ci8; million complex samples a second\n",
           info.name, info.platform, STATIONS);
    printf("%8s %5s %10s %10s\n", "channels", "taps", "F", "F and X");
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        for (uint32_t taps = 1; taps <= 8; taps += taps == 1 ? 3 : 4) {
            printf("%8u %5u %10.1f", channels[i], taps,
                   fengine_rate(device, queue, voltages, channels[i], taps));
            printf(" %10.1f\n", chain_rate(device, queue, voltages, channels[i], taps));
            fflush(stdout);
        }
    clradio_buffer_destroy(voltages);
    clradio_queue_destroy(queue);
    clradio_device_close(device);
    return 0;
}
