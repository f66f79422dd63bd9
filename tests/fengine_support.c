/* What the F-engine's tests share. */
#include "fengine_support.h"

#include "engine/fengine_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_complex(clradio_type type)
{
    return type == CLRADIO_CI8 || type == CLRADIO_CI16 || type == CLRADIO_CF32;
}

uint32_t length_of(const clradio_fengine_config *config)
{
    return config->channels * (is_complex(config->input) ? 1 : 2);
}

uint64_t signals_of(const clradio_fengine_config *config)
{
    return (uint64_t)config->bands * config->stations * config->polarisations;
}

uint64_t elements_of(const clradio_fengine_config *config, uint64_t blocks)
{
    return blocks * length_of(config) * signals_of(config);
}

uint64_t values_of(const clradio_fengine_config *config, uint64_t spectra)
{
    return spectra * config->channels * signals_of(config);
}

void set_voltage(clradio_type type, void *voltages, uint64_t element, double re, double im)
{
    uint64_t at = is_complex(type) ? 2 * element : element;
    int parts = is_complex(type) ? 2 : 1;
    double values[2] = { re, im };
    for (int i = 0; i < parts; i++) {
        if (type == CLRADIO_I8 || type == CLRADIO_CI8)
            ((int8_t *)voltages)[at + (uint64_t)i] = (int8_t)lrint(values[i]);
        else if (type == CLRADIO_I16 || type == CLRADIO_CI16)
            ((int16_t *)voltages)[at + (uint64_t)i] = (int16_t)lrint(values[i]);
        else
            ((float *)voltages)[at + (uint64_t)i] = (float)values[i];
    }
}

void *random_voltages(const clradio_fengine_config *config, uint64_t blocks, uint64_t seed)
{
    uint64_t elements = elements_of(config, blocks);
    void *voltages = malloc(elements * clradio_type_bytes(config->input) + 1);
    int64_t most = config->input == CLRADIO_I8 || config->input == CLRADIO_CI8     ? 127
                   : config->input == CLRADIO_I16 || config->input == CLRADIO_CI16 ? 32767
                                                                                   : 99;
    for (uint64_t i = 0; i < elements; i++)
        set_voltage(config->input, voltages, i, (double)test_random_between(&seed, -most - 1, most),
                    (double)test_random_between(&seed, -most - 1, most));
    return voltages;
}

enum { GUARD_BYTES = 64 };

/* What lies past the spectra must still be poison. */
static void check_guard(clradio_queue *queue, clradio_buffer *buffer, uint64_t used)
{
    unsigned char guard[GUARD_BYTES];
    assert_ok(clradio_buffer_read(queue, (clradio_span){ buffer, used }, guard, sizeof guard, 0,
                                  NULL, NULL));
    for (size_t i = 0; i < sizeof guard; i++)
        assert_int_equal(guard[i], 0xff);
}

float *run_calls(clradio_device *device, const clradio_fengine_config *config, const void *voltages,
                 const uint8_t *valid, const uint64_t *counts, size_t calls, uint64_t *out)
{
    uint64_t blocks = 0, done = 0, element = clradio_type_bytes(config->input);
    for (size_t i = 0; i < calls; i++)
        blocks += counts[i];
    uint64_t in_bytes = elements_of(config, blocks) * element;
    uint64_t most = values_of(config, blocks) * 8, block_bytes = elements_of(config, 1) * element;
    uint64_t spectrum_bytes = values_of(config, 1) * 8;
    uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    clradio_fengine *plan;
    clradio_queue *queue;
    clradio_buffer *in, *spectra, *mask = NULL;
    assert_ok(clradio_fengine_create(device, config, &plan));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, 3 * element + in_bytes + 1, &in));
    assert_ok(clradio_buffer_create(device, most + GUARD_BYTES, &spectra));
    assert_ok(clradio_buffer_fill(queue, (clradio_span){ spectra, 0 }, 0xff, most + GUARD_BYTES, 0,
                                  NULL, NULL));
    if (in_bytes)
        assert_ok(clradio_buffer_write(queue, (clradio_span){ in, 3 * element }, voltages, in_bytes,
                                       0, NULL, NULL));
    if (valid) {
        assert_ok(clradio_buffer_create(device, (blocks + 1) * inputs, &mask));
        assert_ok(clradio_buffer_write(queue, (clradio_span){ mask, 0 }, valid, blocks * inputs, 0,
                                       NULL, NULL));
    }
    *out = 0;
    for (size_t i = 0; i < calls; i++) {
        clradio_fengine_io io = CLRADIO_FENGINE_IO_INIT;
        io.voltages = (clradio_span){ in, 3 * element + done * block_bytes };
        io.spectra = (clradio_span){ spectra, *out * spectrum_bytes };
        if (valid)
            io.valid = (clradio_span){ mask, *out * inputs };
        io.spectra_count = counts[i];
        uint64_t expected = clradio_fengine_spectra_out(plan, counts[i]);
        assert_ok(clradio_fengine_enqueue(plan, queue, &io, 0, NULL, NULL));
        done += counts[i];
        *out += expected;
    }
    assert_int_equal(*out, blocks >= config->taps ? blocks - config->taps + 1 : 0);
    float *result = malloc(*out * spectrum_bytes + 1);
    if (*out)
        assert_ok(clradio_buffer_read(queue, (clradio_span){ spectra, 0 }, result,
                                      *out * spectrum_bytes, 0, NULL, NULL));
    check_guard(queue, spectra, *out * spectrum_bytes);
    clradio_buffer_destroy(in);
    clradio_buffer_destroy(spectra);
    clradio_buffer_destroy(mask);
    clradio_queue_destroy(queue);
    clradio_fengine_destroy(plan);
    return result;
}

double error_of(clradio_device *device, const clradio_fengine_config *config, uint64_t blocks,
                uint64_t seed)
{
    uint64_t out;
    void *voltages = random_voltages(config, blocks, seed);
    float *spectra = run_calls(device, config, voltages, NULL, &blocks, 1, &out);
    uint64_t numbers = 2 * values_of(config, out);
    double *expected = malloc(numbers * sizeof *expected + 1), worst = 0.0, power = 0.0;
    assert_ok(clr_fengine_reference(config, voltages, blocks, NULL, expected));
    for (uint64_t i = 0; i < numbers; i++) {
        double error = fabs((double)spectra[i] - expected[i]);
        if (!(error <= worst))
            worst = error;
        power += expected[i] * expected[i];
    }
    free(voltages);
    free(spectra);
    free(expected);
    return worst / sqrt(2.0 * power / (double)numbers);
}

double error_bound(const clradio_fengine_config *config)
{
    return 3e-7 * (2.0 + log2((double)length_of(config)));
}
