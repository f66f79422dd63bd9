/* The F-engine against its double reference: types, windows, taps, lengths, history, masks. */
#include "fengine_support.h"

#include "engine/fengine_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const clradio_type types[] = { CLRADIO_I8,  CLRADIO_I16,  CLRADIO_F32,
                                      CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF32 };
enum { TYPES = sizeof types / sizeof *types };

static clradio_fengine_config config_of(clradio_type input, uint32_t channels, uint32_t taps)
{
    clradio_fengine_config config = CLRADIO_FENGINE_CONFIG_INIT;
    config.stations = 3;
    config.polarisations = 2;
    config.channels = channels;
    config.taps = taps;
    config.window = CLRADIO_WINDOW_HAMMING;
    config.input = input;
    config.spectra = 40;
    return config;
}

static void assert_close(clradio_device *device, const clradio_fengine_config *config,
                         uint64_t blocks)
{
    double error = error_of(device, config, blocks, config->channels * 31 + config->taps);
    if (!(error <= error_bound(config)))
        fail_msg("%s, %u channels, %u taps, %u bands, window %d: error %g above %g",
                 clradio_type_name(config->input), config->channels, config->taps, config->bands,
                 (int)config->window, error, error_bound(config));
}

static void every_type_of_voltage_agrees_with_the_double_reference(void **state)
{
    for (size_t i = 0; i < TYPES; i++) {
        clradio_fengine_config config = config_of(types[i], 16, 4);
        assert_close(device_under_test(state), &config, 12);
    }
}

int main(void)
{
    const device_test tests[] = {
        DEVICE_TEST(every_type_of_voltage_agrees_with_the_double_reference),
    };
    return run_device_tests("fengine", NULL, 0, tests, sizeof tests / sizeof *tests);
}
