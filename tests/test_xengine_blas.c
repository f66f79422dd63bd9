/* X-engine: the variant blas against the plain reference, where CLBlast or cuBLAS is there. */
#include "xengine_support.h"

#include <stdlib.h>
#include <string.h>

/* A back end without its library says which one that is. */
static void skip_without_blas(clradio_device *device)
{
    clradio_xengine_config config = xengine_config(CLRADIO_CF32, 2, 1, 1, 1);
    clradio_xengine *plan;
    config.variant = "blas";
    const clradio_status status = clradio_xengine_create(device, &config, &plan);
    if (!status) {
        clradio_xengine_destroy(plan);
        return;
    }
    assert_int_equal(status, CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), is_opencl(device) ? "CLBlast" : "cuBLAS"));
    assert_false(is_opencl(device) && HAVE_CLBLAST);
    skip();
}

static void blas_gives_the_same_as_the_reference(void **state)
{
    static const uint64_t spectra[] = { 1, 255, 256, 257, 700 };
    clradio_device *device = device_under_test(state);
    skip_without_blas(device);
    for (uint32_t polarisations = 1; polarisations <= 2; polarisations++)
        for (size_t s = 0; s < sizeof spectra / sizeof *spectra; s++) {
            clradio_xengine_config config =
                xengine_config(CLRADIO_CF32, (uint32_t)(3 + 4 * s), polarisations, 3, spectra[s]);
            config.variant = "blas";
            config.flags = s % 2 ? CLRADIO_XENGINE_SINGLE_CALL : 0;
            config.order = s == 3 ? CLRADIO_ORDER_FULL : CLRADIO_ORDER_BASELINE;
            xengine_expect_reference(device, &config, s);
        }
}

static void blas_calls_add_up(void **state)
{
    static const uint64_t lengths[] = { 20, 0, 30 };
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CF32, 5, 2, 2, 30);
    clradio_xengine *plan;
    skip_without_blas(device);
    config.variant = "blas";
    config.parameters = "RUN=16";
    void *spectra = xengine_random(&config, 50, 2);
    assert_ok(clradio_xengine_create(device, &config, &plan));
    void *sums = xengine_calls(device, plan, &config, spectra, lengths, 3, NULL);
    xengine_compare(&config, spectra, 50, sums, 0);
    clradio_xengine_destroy(plan);
    free(sums);
    free(spectra);
}

static void blas_refuses_integers(void **state)
{
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 5, 2, 2, 30);
    clradio_xengine *plan;
    config.variant = "blas";
    assert_int_equal(clradio_xengine_create(device_under_test(state), &config, &plan),
                     CLRADIO_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clradio_last_error(), "cf32"));
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST_SLOW(blas_gives_the_same_as_the_reference),
        DEVICE_TEST_SLOW(blas_calls_add_up),
        DEVICE_TEST(blas_refuses_integers),
    };
    return run_device_tests("xengine_blas", NULL, 0, tests, sizeof tests / sizeof *tests);
}
