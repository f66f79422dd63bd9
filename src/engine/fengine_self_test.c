/*
 * The F-engine's known-answer test: a small plan of the same kernels, length and FFT library
 * against the double reference, before a plan like it serves on a device for the first time.
 */
#include "engine/fengine.h"
#include "engine/fengine_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Both polarisations of one station, two blocks and what the taps need before them. */
static clradio_fengine_config small_config(const clradio_fengine_config *config)
{
    clradio_fengine_config small = *config;
    small.stations = 1;
    small.polarisations = 2;
    small.bands = 1;
    small.taps = config->taps > 1 ? 2 : 1;
    small.spectra = small.taps;
    small.memory_limit = 0;
    return small;
}

/* Pseudo-random values within +-100. */
static void fill(clradio_type type, void *voltages, uint64_t bytes)
{
    uint64_t state = 0x2545f4914f6cdd1du;
    uint64_t width = type == CLRADIO_I8 || type == CLRADIO_CI8     ? 1
                     : type == CLRADIO_I16 || type == CLRADIO_CI16 ? 2
                                                                   : 4;
    for (uint64_t i = 0; i < bytes / width; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        int value = (int)(state >> 40) % 201 - 100;
        if (width == 1)
            ((int8_t *)voltages)[i] = (int8_t)value;
        else if (width == 2)
            ((int16_t *)voltages)[i] = (int16_t)value;
        else
            ((float *)voltages)[i] = (float)value;
    }
}

/* A float transform's error grows with the root of log2 P around 1e-7 of the spectrum's rms; the
 * worst of many channels is some five times that. */
static int agrees(const float *spectra, const double *expected, uint64_t count, uint32_t length)
{
    double power = 0.0, worst = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        double difference = fabs((double)spectra[i] - expected[i]);
        if (!(difference <= worst)) /* not a number counts */
            worst = difference;
        power += expected[i] * expected[i];
    }
    double rms = sqrt(2.0 * power / (double)count);
    return worst <= 3e-7 * (4.0 + log2((double)length)) * rms;
}

static clradio_status run(clradio_fengine *plan, clradio_queue *queue, const void *voltages,
                          float *spectra)
{
    clradio_fengine_io io = CLRADIO_FENGINE_IO_INIT;
    io.spectra_count = plan->config.spectra;
    clradio_status status =
        clradio_buffer_create(plan->device, plan->sizes.voltages_bytes, &io.voltages.buffer);
    if (!status)
        status =
            clradio_buffer_create(plan->device, plan->sizes.spectrum_bytes, &io.spectra.buffer);
    if (!status)
        status = clradio_buffer_write(queue, io.voltages, voltages, plan->sizes.voltages_bytes, 0,
                                      NULL, NULL);
    if (!status)
        status = clradio_fengine_enqueue(plan, queue, &io, 0, NULL, NULL);
    if (!status)
        status = clradio_buffer_read(queue, io.spectra, spectra, plan->sizes.spectrum_bytes, 0,
                                     NULL, NULL);
    clradio_buffer_destroy(io.voltages.buffer);
    clradio_buffer_destroy(io.spectra.buffer);
    return status;
}

static clradio_status compare(clradio_fengine *plan, clradio_queue *queue, int *passed)
{
    uint64_t values = plan->sizes.spectrum_bytes / sizeof(float);
    void *voltages = malloc((size_t)plan->sizes.voltages_bytes);
    float *spectra = malloc((size_t)values * sizeof *spectra);
    double *expected = malloc((size_t)values * sizeof *expected);
    clradio_status status = CLRADIO_OK;
    if (!voltages || !spectra || !expected)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the F-engine's self-test");
    if (!status) {
        fill(plan->config.input, voltages, plan->sizes.voltages_bytes);
        status =
            clr_fengine_reference(&plan->config, voltages, plan->config.spectra, NULL, expected);
    }
    if (!status)
        status = run(plan, queue, voltages, spectra);
    if (!status)
        *passed = agrees(spectra, expected, values, plan->sizes.length);
    free(voltages);
    free(spectra);
    free(expected);
    return status;
}

clradio_status clr_fengine_self_test(const clradio_fengine *plan, clradio_queue *queue)
{
    char key[256];
    int known = 0, passed = 0;
    clradio_status status = CLRADIO_OK;
    const clradio_fengine_config *config = &plan->config;
    snprintf(key, sizeof key, "fengine/%s/N=%u/%s/%s/%.16s/%.16s", clradio_type_name(config->input),
             config->channels, config->taps > 1 ? "taps" : "tap",
             clr_fft_library_name(plan->device), clr_program_hash(plan->pfb_program),
             clr_program_hash(plan->order_program));
    clr_self_test_lookup(plan->device, key, &known, &passed);
    if (!known) {
        clradio_fengine_config small = small_config(config);
        clradio_fengine *tested;
        status = clr_fengine_make(plan->device, &small, 0, &tested);
        if (!status)
            status = compare(tested, queue, &passed);
        clradio_fengine_destroy(tested);
        if (status)
            return clr_fail_in(status, "the F-engine's self-test");
        clr_self_test_record(plan->device, key, passed);
        if (passed) {
            clr_program_proved(plan->pfb_program);
            clr_program_proved(plan->order_program);
        }
    }
    if (passed)
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_SELF_TEST,
                    "%s or the F-engine's kernels do not give the known answer for %u channels of "
                    "%s on %s",
                    clr_fft_library_name(plan->device), config->channels,
                    clradio_type_name(config->input), clr_device_info(plan->device)->name);
}
