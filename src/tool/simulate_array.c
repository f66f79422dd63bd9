/* clradio simulate array: the voltages of the model, quantised, into VDIF or DADA files. */
#include "tool/simulate.h"

#include "base/progress.h"
#include "base/text.h"
#include "io/voltage_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE_SAMPLES = 4096 };

/* One file: some stations, from first on. */
typedef struct target {
    clr_text path;
    clr_vdif_writer *vdif;
    clr_dada_writer *dada;
    uint32_t first, stations;
} target;

typedef struct work {
    const clr_simulation *simulation;
    target *targets;
    size_t count;
    clr_array *array;
    double *voltages; /* [time][station][pol][part] of a piece */
    void *samples;    /* the same of one target, quantised */
    uint64_t clipped; /* components at the ends of the range of 8 and 16 bits */
} work;

int clr_simulate_per_station(const char *output)
{
    const char *found = strchr(output, '%');
    if (!found)
        return 0;
    return found[1] == 'd' && !strchr(found + 1, '%') ? 1 : -1;
}

static clradio_status open_vdif(const clr_simulation *simulation, target *to)
{
    const clr_array_config *array = &simulation->array;
    uint32_t pols = array->polarisations, threads = to->stations * pols;
    char(*text)[16] = calloc(threads, sizeof *text);
    const char **stations = calloc(threads, sizeof *stations);
    if (!text || !stations) {
        free(text);
        free(stations);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %u threads", threads);
    }
    for (uint32_t k = 0; k < threads; k++) {
        snprintf(text[k], sizeof text[k], "%u", to->first + k / pols);
        stations[k] = text[k];
    }
    /* The extended header can say whole kHz of the complex rate. */
    double complex_rate = array->sample_rate_hz / (array->complex_samples ? 1 : 2);
    int sayable = fmod(complex_rate, 1e3) == 0 && complex_rate < 8.3e9;
    clr_vdif_writer_config config = { .path = to->path.bytes,
                                      .sample_rate_hz = array->sample_rate_hz,
                                      .start = { simulation->mjd, 0, 0 },
                                      .threads = threads,
                                      .channels = 1,
                                      .bits = simulation->bits,
                                      .complex_samples = array->complex_samples,
                                      .edv = sayable ? 1 : 0,
                                      .stations = stations };
    clradio_status status = clr_vdif_writer_open(&config, &to->vdif);
    free(text);
    free(stations);
    return status;
}

static clradio_status open_dada(const clr_simulation *simulation, target *to)
{
    const clr_array_config *array = &simulation->array;
    double band_hz = array->sample_rate_hz / (array->complex_samples ? 1 : 2);
    clr_dada_writer_config config = { .path = to->path.bytes,
                                      .sample_rate_hz = array->sample_rate_hz,
                                      .start = { simulation->mjd, 0, 0 },
                                      .channels = 1,
                                      .polarisations = array->polarisations,
                                      .bits = simulation->bits,
                                      .complex_samples = array->complex_samples,
                                      .frequency_mhz = array->frequency_hz / 1e6,
                                      .bandwidth_mhz =
                                          (array->lower_sideband ? -band_hz : band_hz) / 1e6,
                                      .telescope = "simulated" };
    return clr_dada_writer_open(&config, &to->dada);
}

static clradio_status open_targets(work *work)
{
    const clr_simulation *simulation = work->simulation;
    const char *marker = strchr(simulation->output, '%');
    uint32_t stations = simulation->array.stations;
    work->count = marker ? stations : 1;
    work->targets = calloc(work->count, sizeof *work->targets);
    if (!work->targets)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu files", work->count);
    for (size_t k = 0; k < work->count; k++) {
        target *to = &work->targets[k];
        to->first = marker ? (uint32_t)k : 0;
        to->stations = marker ? 1 : stations;
        if (marker)
            clr_text_add(&to->path, "%.*s%zu%s", (int)(marker - simulation->output),
                         simulation->output, k, marker + 2);
        else
            clr_text_add(&to->path, "%s", simulation->output);
        if (to->path.failed)
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a file's name");
        clradio_status status = simulation->format == CLR_SIMULATE_VDIF ? open_vdif(simulation, to)
                                                                        : open_dada(simulation, to);
        if (status)
            return status;
    }
    return CLRADIO_OK;
}

/* The stations of one target out of a piece. */
static void quantise(work *work, const target *to, size_t count)
{
    const clr_simulation *simulation = work->simulation;
    const clr_array_config *array = &simulation->array;
    size_t parts = (size_t)array->polarisations * (array->complex_samples ? 2 : 1);
    size_t row = array->stations * parts, kept = to->stations * parts;
    int32_t most = simulation->bits >= 8 ? (1 << (simulation->bits - 1)) - 1 : INT32_MAX;
    for (size_t t = 0; t < count; t++) {
        const double *from = work->voltages + t * row + to->first * parts;
        for (size_t k = 0; k < kept; k++) {
            int32_t level = clr_quantise(from[k], simulation->bits);
            work->clipped += level >= most || level < -most;
            if (simulation->bits <= 8)
                ((int8_t *)work->samples)[t * kept + k] = (int8_t)level;
            else
                ((int16_t *)work->samples)[t * kept + k] = (int16_t)level;
        }
    }
}

static clradio_status write_piece(work *work, uint64_t first, size_t count)
{
    clradio_status status = clr_array_voltages(work->array, (int64_t)first, count, work->voltages);
    for (size_t k = 0; !status && k < work->count; k++) {
        target *to = &work->targets[k];
        quantise(work, to, count);
        status = to->vdif ? clr_vdif_writer_write(to->vdif, work->samples, count)
                          : clr_dada_writer_write(to->dada, work->samples, count);
    }
    return status;
}

static clradio_status write_all(work *work, uint64_t samples)
{
    size_t row = (size_t)work->simulation->array.stations * work->simulation->array.polarisations *
                 (work->simulation->array.complex_samples ? 2 : 1);
    work->voltages = malloc(PIECE_SAMPLES * row * sizeof *work->voltages);
    work->samples = malloc(PIECE_SAMPLES * row * sizeof(int16_t));
    if (!work->voltages || !work->samples)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %d samples of the array",
                        PIECE_SAMPLES);
    clr_progress progress;
    clr_progress_begin(&progress, "simulating", "samples", samples);
    clradio_status status = CLRADIO_OK;
    for (uint64_t done = 0; !status && done < samples; done += PIECE_SAMPLES) {
        size_t count = samples - done < PIECE_SAMPLES ? (size_t)(samples - done) : PIECE_SAMPLES;
        status = clr_interrupted()
                     ? clr_fail(CLRADIO_ERROR_INTERRUPTED, "interrupted: no file was written")
                     : write_piece(work, done, count);
        clr_progress_update(&progress, done + count);
    }
    clr_progress_end(&progress);
    return status;
}

/* The files appear together, when the last sample is in the last of them. */
static clradio_status close_targets(work *work, int keep)
{
    clradio_status status = CLRADIO_OK;
    for (size_t k = 0; k < work->count && work->targets; k++) {
        target *to = &work->targets[k];
        if (keep && !status && to->vdif)
            status = clr_vdif_writer_close(to->vdif);
        else if (keep && !status && to->dada)
            status = clr_dada_writer_close(to->dada);
        else {
            clr_vdif_writer_abandon(to->vdif);
            clr_dada_writer_abandon(to->dada);
        }
        to->vdif = NULL;
        to->dada = NULL;
    }
    return status;
}

/* The output's name with .antennas in place of its extension and of %d. Free with clr_text_free. */
static clr_text antenna_path(const char *output)
{
    clr_text path = { 0 };
    const char *slash = strrchr(output, '/'), *dot = strrchr(output, '.');
    size_t length = dot && (!slash || dot > slash + 1) && dot != output ? (size_t)(dot - output)
                                                                        : strlen(output);
    for (size_t k = 0; k < length; k++)
        if (output[k] == '%')
            k++; /* and the d behind it */
        else
            clr_text_add_bytes(&path, output + k, 1);
    clr_text_add(&path, ".antennas");
    return path;
}

static void report(const work *work, const char *antennas, uint64_t samples)
{
    const clr_simulation *simulation = work->simulation;
    const clr_array_config *array = &simulation->array;
    double band = array->sample_rate_hz / (array->complex_samples ? 1 : 2);
    int vdif = simulation->format == CLR_SIMULATE_VDIF;
    printf("%s: %u stations x %u polarisations, %u-bit %s samples, %.10g Hz of band around %.10g "
           "Hz%s, %llu samples\n",
           simulation->output, array->stations, array->polarisations, simulation->bits,
           array->complex_samples ? "complex" : "real", band, array->frequency_hz,
           array->lower_sideband ? " (lower sideband)" : "", (unsigned long long)samples);
    if (work->clipped)
        printf("%llu values were cut off at the end of their range\n",
               (unsigned long long)work->clipped);
    printf("%s: the antennas\n", antennas);
    printf("next: clradio correlate");
    for (size_t k = 0; k < work->count && k < 4; k++)
        printf(" %s", work->targets[k].path.bytes);
    if (work->count > 4)
        printf(" ...");
    printf(" -o array.uvh5 --antennas %s", antennas);
    /* VDIF says nothing about the sky; its frequency is that at zero baseband frequency. */
    double reference = array->frequency_hz;
    if (!array->complex_samples)
        reference += array->lower_sideband ? band / 2 : -band / 2;
    if (vdif)
        printf(" --frequency %.15g%s", reference, array->lower_sideband ? " --sideband lower" : "");
    if (vdif && fmod(band, 1e3) != 0)
        printf(" --sample-rate %.15g", array->sample_rate_hz);
    printf("\n");
}

static clradio_status run(work *work, uint64_t *samples)
{
    clradio_status status = clr_array_create(&work->simulation->array, &work->array);
    if (!status)
        status = open_targets(work);
    if (status)
        return status;
    uint64_t frame =
        work->targets[0].vdif ? clr_vdif_writer_samples_per_frame(work->targets[0].vdif) : 1;
    uint64_t rest = *samples % frame;
    if (rest)
        *samples += frame - rest;
    return write_all(work, *samples);
}

/* Voltages must not take the place of the positions, nor the other way round. */
static clradio_status check_names(const char *voltages, const char *antennas)
{
    struct stat one, other;
    int same =
        !strcmp(voltages, antennas) || (!stat(voltages, &one) && !stat(antennas, &other) &&
                                        one.st_dev == other.st_dev && one.st_ino == other.st_ino);
    if (same)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "'%s' cannot hold the voltages: the positions of the antennas stand there",
                        voltages);
    return CLRADIO_OK;
}

clr_exit clr_simulate_array_run(clr_simulation *simulation)
{
    work work = { .simulation = simulation };
    uint64_t samples = simulation->samples;
    clr_text antennas = { 0 };
    clr_interrupt_watch();
    if (simulation->antenna_file)
        clr_text_add(&antennas, "%s", simulation->antenna_file);
    else
        antennas = antenna_path(simulation->output);
    if (!strcmp(simulation->output, "-")) {
        clr_text_free(&antennas);
        return clr_say(CLR_EXIT_USAGE, "simulate array: voltages cannot go to standard output");
    }
    clradio_status status = antennas.failed
                                ? clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a file's name")
                                : check_names(simulation->output, antennas.bytes);
    if (!status)
        status = run(&work, &samples);
    if (!status && !simulation->antenna_file)
        status = clr_antennas_write(antennas.bytes, &simulation->antennas);
    clradio_status closed = close_targets(&work, !status);
    status = status ? status : closed;
    if (!status)
        report(&work, antennas.bytes, samples);
    clr_array_destroy(work.array);
    for (size_t k = 0; k < work.count && work.targets; k++)
        clr_text_free(&work.targets[k].path);
    free(work.targets);
    free(work.voltages);
    free(work.samples);
    clr_text_free(&antennas);
    return status ? clr_say_status(status) : CLR_EXIT_OK;
}
