/* X-engine: more than 2^32 output values. Opt-in (CLRADIO_TEST_HUGE=1): needs a device with some 80
 * GB of memory. */
#include "xengine_support.h"

#include <stdio.h>
#include <stdlib.h>

enum { STATIONS = 1024, SPECTRA = 8, SAMPLES = 4000 };

/*
 * 1024 stations with 2 polarisations have 2,099,200 products; 2,049 channels of them are
 * 4,301,260,800 values, more than 2^32 = 4,294,967,296. As cf32 that is 34.4 GB.
 */
static void an_output_beyond_32_bits_of_values_is_right(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, STATIONS, 2, 2049, SPECTRA);
    const char *wanted = getenv("CLRADIO_TEST_HUGE");
    if (!wanted || !*wanted)
        skip();
    config.output = CLRADIO_CI32;
    config.flags = CLRADIO_XENGINE_SINGLE_CALL;
    const uint64_t bytes = clradio_xengine_visibilities_bytes(&config);
    assert_true(bytes / 8 > UINT32_MAX);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    if (info.memory_bytes < bytes + ((uint64_t)2 << 30))
        skip();
    clradio_xengine *plan;
    clradio_queue *queue;
    clradio_buffer *in, *out;
    clradio_xengine_info plan_info = CLRADIO_XENGINE_INFO_INIT;
    void *spectra = xengine_random(&config, SPECTRA, 3);
    assert_ok(clradio_xengine_create(device, &config, &plan));
    assert_ok(clradio_xengine_get_info(plan, &plan_info));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, plan_info.input_bytes, &in));
    assert_ok(clradio_buffer_create(device, bytes, &out));
    assert_ok(clradio_buffer_write(queue, (clradio_span){ in, 0 }, spectra, plan_info.input_bytes,
                                   0, NULL, NULL));
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    io.spectra.buffer = in;
    io.visibilities.buffer = out;
    io.spectra_count = SPECTRA;
    assert_ok(clradio_xengine_enqueue(plan, queue, &io, 0, NULL, NULL));
    assert_ok(clradio_queue_finish(queue));
    /* values drawn by a seed, half of them behind 2^32, fetched one by one */
    uint64_t seed = 12;
    for (int n = 0; n < SAMPLES; n++) {
        clr_xengine_element element;
        clr_xengine_product product;
        int32_t got[2];
        const uint64_t all = bytes / 8;
        uint64_t at = test_random(&seed) % all;
        if (n % 2)
            at = UINT32_MAX + test_random(&seed) % (all - UINT32_MAX);
        if (n < 2)
            at = n ? all - 1 : 0;
        assert_ok(clradio_buffer_read(queue, (clradio_span){ out, at * 8 }, got, 8, 0, NULL, NULL));
        clr_xengine_element_at(&config, at, &element);
        clr_xengine_reference(&config, spectra, SPECTRA, element.channel, element.a, element.b,
                              &product);
        assert_int_equal(got[0], product.whole[0]);
        assert_int_equal(got[1], product.whole[1]);
    }
    clradio_xengine_destroy(plan);
    clradio_buffer_destroy(in);
    clradio_buffer_destroy(out);
    clradio_queue_destroy(queue);
    free(spectra);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(an_output_beyond_32_bits_of_values_is_right),
    };
    return run_device_tests("xengine_huge", NULL, 0, tests, 1);
}
