/* What the X-engine's test programs share. */
#include "xengine_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Padding of blocks included. */
static uint64_t samples_of(const clradio_xengine_config *config, uint64_t count)
{
    return clradio_xengine_spectra_bytes(config, count) / clradio_type_bytes(config->input);
}

void *xengine_zeros(const clradio_xengine_config *config, uint64_t count)
{
    const uint64_t samples = samples_of(config, count);
    void *spectra = calloc(samples + 1, clradio_type_bytes(config->input));
    assert_non_null(spectra);
    if (config->input == CLRADIO_CI4 && (config->ci4_coding & CLRADIO_CI4_OFFSET_BINARY))
        memset(spectra, 0x88, samples);
    return spectra;
}

void *xengine_random(const clradio_xengine_config *config, uint64_t count, uint64_t seed)
{
    const uint64_t samples = samples_of(config, count);
    const size_t bytes = samples * clradio_type_bytes(config->input);
    unsigned char *spectra = xengine_zeros(config, count);
    if (config->input == CLRADIO_CF32) {
        for (uint64_t n = 0; n < 2 * samples; n++)
            ((float *)(void *)spectra)[n] = (float)((double)(int64_t)test_random(&seed) * 0x1p-63);
        return spectra;
    }
    for (size_t n = 0; n < bytes; n++)
        spectra[n] = (unsigned char)(test_random(&seed) >> 32);
    if (config->input == CLRADIO_CF16) {
        for (uint64_t n = 0; n < 2 * samples; n++) /* exponents of 2^-14 to 1, zero and tiny ones */
            ((uint16_t *)(void *)spectra)[n] &= 0xbfff;
        return spectra;
    }
    /* the corners come up even in short runs */
    for (uint64_t n = 0; n < samples; n += 7)
        if (config->input == CLRADIO_CI16)
            ((int16_t *)(void *)spectra)[2 * n] = ((int16_t *)(void *)spectra)[2 * n + 1] =
                INT16_MIN;
        else if (config->input == CLRADIO_CI8)
            spectra[2 * n] = spectra[2 * n + 1] = 0x80;
        else
            spectra[n] = config->ci4_coding & CLRADIO_CI4_OFFSET_BINARY ? 0 : 0x88;
    return spectra;
}

void xengine_set(const clradio_xengine_config *config, void *spectra, uint64_t time,
                 uint32_t channel, uint32_t input, int re, int im)
{
    const clr_xengine_layout layout = clr_xengine_layout_of_config(config, config->spectra);
    const uint64_t n = clr_xengine_sample_at(&layout, time, channel, input);
    if (config->input == CLRADIO_CI16) {
        ((int16_t *)spectra)[2 * n] = (int16_t)re;
        ((int16_t *)spectra)[2 * n + 1] = (int16_t)im;
    } else if (config->input == CLRADIO_CI8) {
        ((int8_t *)spectra)[2 * n] = (int8_t)re;
        ((int8_t *)spectra)[2 * n + 1] = (int8_t)im;
    } else {
        const unsigned flip = config->ci4_coding & CLRADIO_CI4_OFFSET_BINARY ? 8 : 0;
        const unsigned a = ((unsigned)re & 15) ^ flip, b = ((unsigned)im & 15) ^ flip;
        ((uint8_t *)spectra)[n] =
            (uint8_t)(config->ci4_coding & CLRADIO_CI4_REAL_HIGH ? a << 4 | b : b << 4 | a);
    }
}

void xengine_fill_output(clradio_xengine_config *config)
{
    if (config->output == CLRADIO_TYPE_NONE)
        config->output = config->input == CLRADIO_CF32 || config->input == CLRADIO_CF16
                             ? CLRADIO_CF32
                             : CLRADIO_CI64;
}

clradio_xengine_config xengine_config_of(const char *variant, const char *parameters,
                                         clradio_type input, uint32_t stations,
                                         uint32_t polarisations, uint32_t channels,
                                         uint64_t spectra)
{
    clradio_xengine_config config =
        xengine_config(input, stations, polarisations, channels, spectra);
    config.variant = variant;
    config.parameters = parameters;
    return config;
}

int xengine_takes(clradio_device *device, const clradio_xengine_config *config)
{
    clradio_xengine *plan = NULL;
    const clradio_status status = clradio_xengine_create(device, config, &plan);
    clradio_xengine_destroy(plan);
    if (status != CLRADIO_ERROR_UNSUPPORTED)
        assert_ok(status);
    return !status;
}

int xengine_serves(clradio_device *device, const char *variant, clradio_type input)
{
    const clradio_xengine_config config = xengine_config_of(variant, NULL, input, 2, 1, 1, 1);
    return xengine_takes(device, &config);
}

void xengine_expect_refused(clradio_device *device, const char *variant, clradio_type input,
                            const char *parameters, clradio_status status, const char *words)
{
    const clradio_xengine_config config =
        xengine_config_of(variant, parameters, input, 4, 2, 1, 10);
    clradio_xengine *plan = NULL;
    assert_int_equal(clradio_xengine_create(device, &config, &plan), status);
    assert_null(plan);
    assert_non_null(strstr(clradio_last_error(), words));
}

int xengine_loops_end(clradio_device *device)
{
    return clr_device_loop_rounds(device) != UINT64_MAX;
}

void xengine_small_tiles(clradio_xengine_config *config)
{
    if (test_small() && !config->parameters && !config->variant)
        config->parameters = "W=4 Bx=2 By=2 Dx=2 Dy=2 T_STAGE=4";
}

const char *xengine_emulation(const clr_xengine_variant *variant)
{
    for (size_t p = 0; p < variant->n_parameters; p++)
        if (strcmp(variant->parameters[p].name, "EMULATED") == 0)
            return "EMULATED=1";
    return NULL;
}

clradio_xengine_config xengine_config(clradio_type input, uint32_t stations, uint32_t polarisations,
                                      uint32_t channels, uint64_t spectra)
{
    clradio_xengine_config config = CLRADIO_XENGINE_CONFIG_INIT;
    config.input = input;
    config.stations = stations;
    config.polarisations = polarisations;
    config.channels = channels;
    config.spectra = spectra;
    xengine_fill_output(&config);
    return config;
}

/* The device's output array between two guards: "the array starts at an odd multiple of its
 * element". */
static void read_guarded(clradio_queue *queue, clradio_buffer *buffer, size_t offset, size_t bytes,
                         unsigned char poison, void **visibilities)
{
    unsigned char *all = malloc(offset + bytes + XENGINE_GUARD);
    assert_non_null(all);
    assert_ok(clradio_buffer_read(queue, (clradio_span){ buffer, 0 }, all,
                                  offset + bytes + XENGINE_GUARD, 0, NULL, NULL));
    for (size_t n = 0; n < offset; n++)
        assert_int_equal(all[n], poison);
    for (size_t n = 0; n < XENGINE_GUARD; n++)
        assert_int_equal(all[offset + bytes + n], poison);
    memmove(all, all + offset, bytes);
    *visibilities = all;
}

size_t xengine_input_offset = 3;

void *xengine_calls(clradio_device *device, clradio_xengine *plan,
                    const clradio_xengine_config *config, const void *spectra,
                    const uint64_t *lengths, size_t n, uint32_t *overflow)
{
    const size_t bytes = clradio_xengine_visibilities_bytes(config);
    const size_t element = clradio_type_bytes(config->input);
    const size_t offset = clradio_type_bytes(config->output) * 3;
    uint64_t all = 0, done = 0;
    void *visibilities = NULL;
    clradio_queue *queue;
    clradio_buffer *in, *out, *counter;
    const size_t skipped =
        xengine_input_offset * element * (config->block_times ? config->block_times : 1);
    uint64_t input_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        all += lengths[i];
        input_bytes += clradio_xengine_spectra_bytes(config, lengths[i]);
    }
    unsigned char *calls = malloc(input_bytes + 1), *at = calls;
    assert_non_null(calls);
    memset(calls, 0x7b, input_bytes + 1); /* what pads the blocks */
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, input_bytes + skipped, &in));
    assert_ok(clradio_buffer_create(device, offset + bytes + XENGINE_GUARD, &out));
    assert_ok(clradio_buffer_create(device, sizeof *overflow, &counter));
    for (size_t i = 0; i < n; done += lengths[i++]) {
        if (lengths[i])
            clr_xengine_copy_times(config, spectra, all, done, lengths[i], at);
        at += clradio_xengine_spectra_bytes(config, lengths[i]);
    }
    if (input_bytes)
        assert_ok(clradio_buffer_write(queue, (clradio_span){ in, skipped }, calls, input_bytes, 0,
                                       NULL, NULL));
    done = skipped;
    assert_ok(clradio_buffer_fill(queue, (clradio_span){ out, 0 }, 0x5a,
                                  offset + bytes + XENGINE_GUARD, 0, NULL, NULL));
    assert_ok(clradio_buffer_fill(queue, (clradio_span){ counter, 0 }, 0, sizeof *overflow, 0, NULL,
                                  NULL));
    for (size_t i = 0; i < n; i++) {
        clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
        io.spectra = (clradio_span){ in, done };
        io.spectra_count = lengths[i];
        io.flags = (i ? CLRADIO_ACCUMULATE : 0) | (i + 1 == n ? CLRADIO_DUMP : 0);
        if (i + 1 == n)
            io.visibilities = (clradio_span){ out, offset };
        io.overflow = (clradio_span){ overflow ? counter : NULL, 0 };
        assert_ok(clradio_xengine_enqueue(plan, queue, &io, 0, NULL, NULL));
        done += clradio_xengine_spectra_bytes(config, lengths[i]);
    }
    assert_ok(clradio_queue_finish(queue));
    free(calls);
    read_guarded(queue, out, offset, bytes, 0x5a, &visibilities);
    if (overflow)
        assert_ok(clradio_buffer_read(queue, (clradio_span){ counter, 0 }, overflow,
                                      sizeof *overflow, 0, NULL, NULL));
    clradio_buffer_destroy(in);
    clradio_buffer_destroy(out);
    clradio_buffer_destroy(counter);
    clradio_queue_destroy(queue);
    return visibilities;
}

void xengine_compare_at(const clradio_xengine_config *config, const void *spectra, uint64_t count,
                        const void *visibilities, uint64_t samples, const char *file, int line)
{
    clr_xengine_verdict verdict;
    clr_xengine_check(config, spectra, count, visibilities, samples, 99, &verdict);
    if (!verdict.wrong)
        return;
    fprintf(stderr,
            "# %s, %u stations, %u pol, %u channels, %llu spectra, output %s, order %d, conjugate "
            "%d, coding %u, layout %d.%u, variant %s, parameters %s: %llu of %llu wrong: %s\n",
            clradio_type_name(config->input), config->stations, config->polarisations,
            config->channels, (unsigned long long)count, clradio_type_name(config->output),
            (int)config->order, config->conjugate, config->ci4_coding, (int)config->layout,
            config->block_times, config->variant ? config->variant : "chosen",
            config->parameters ? config->parameters : "chosen", (unsigned long long)verdict.wrong,
            (unsigned long long)verdict.checked, verdict.sentence);
    _fail(file, line);
}

/*
 * PoCL 5.0 makes wrong sums of a few shapes that are nobody's default (Bx=8 By=4 Dx=2 Dy=8
 * STRIDED=0): with POCL_WORK_GROUP_METHOD=cbs, which forms the loops over work-items otherwise,
 * they are right, as they are on every other device. The self-test refuses them, which is all that
 * is asked for.
 */
static int compiles_some_shapes_wrongly(clradio_device *device)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    return strstr(info.platform, "Portable Computing Language") &&
           strncmp(info.driver, "5.", 2) == 0;
}

int xengine_expect_reference(clradio_device *device, const clradio_xengine_config *config,
                             uint64_t seed)
{
    clradio_xengine *plan;
    const clradio_status status = clradio_xengine_create(device, config, &plan);
    if (status == CLRADIO_ERROR_UNSUPPORTED && (config->parameters || config->variant) &&
        (strstr(clradio_last_error(), "in work-groups of at most") ||
         strstr(clradio_last_error(), "longer loops than")))
        return 0;
    if (status == CLRADIO_ERROR_SELF_TEST && config->parameters &&
        compiles_some_shapes_wrongly(device))
        return 0;
    if (status)
        fprintf(stderr, "# %s, %u stations, %u polarisations, %s\n",
                clradio_type_name(config->input), config->stations, config->polarisations,
                config->parameters ? config->parameters : "parameters chosen");
    assert_ok(status);
    void *spectra = xengine_random(config, config->spectra, seed);
    void *visibilities = xengine_calls(device, plan, config, spectra, &config->spectra, 1, NULL);
    xengine_compare(config, spectra, config->spectra, visibilities, 0);
    clradio_xengine_destroy(plan);
    free(visibilities);
    free(spectra);
    return 1;
}

static clradio_xengine_config in_shape(clradio_xengine_config config, const char *variant,
                                       const char *shape)
{
    config.variant = variant;
    config.parameters = shape;
    if (config.layout == CLRADIO_LAYOUT_BLOCKED)
        config.block_times = clr_xengine_usual_block_times(config.input);
    return config;
}

int xengine_expect_shape(clradio_device *device, clradio_xengine_config config, const char *variant,
                         const char *shape, uint64_t seed)
{
    config = in_shape(config, variant, shape);
    return xengine_expect_reference(device, &config, seed);
}

int xengine_expect_emulated(clradio_device *device, clradio_xengine_config config,
                            const char *variant, const char *shape, uint64_t seed)
{
    char parameters[256];
    snprintf(parameters, sizeof parameters, "%s EMULATED=1", shape);
    config = in_shape(config, variant, parameters);
    return xengine_takes(device, &config) && xengine_expect_reference(device, &config, seed);
}
