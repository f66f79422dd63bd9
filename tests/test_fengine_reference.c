/* The F-engine's double reference against FFTW where it is there, and against the plain sum. */
#include "fengine_support.h"

#include "engine/fengine_reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef double complex complex_double;

static complex_double *random_line(uint64_t length)
{
    complex_double *line = malloc(length * sizeof *line);
    uint64_t seed = length;
    for (uint64_t i = 0; i < length; i++)
        line[i] = (double)test_random_between(&seed, -1000, 1000) +
                  I * (double)test_random_between(&seed, -1000, 1000);
    return line;
}

static double largest_error(const complex_double *a, const complex_double *b, uint64_t length)
{
    double worst = 0.0;
    for (uint64_t k = 0; k < length; k++)
        worst = fmax(worst, cabs(a[k] - b[k]));
    /* The values' rms is 816.7 sqrt(length); a double transform is good to some 1e-15 of it. */
    return worst / (816.7 * sqrt((double)length));
}

static void the_reference_transform_is_the_sum_of_its_definition(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= 70; length++) {
        complex_double *line = random_line(length), *plain = calloc(length, sizeof *plain);
        for (uint64_t k = 0; k < length; k++)
            for (uint64_t n = 0; n < length; n++)
                plain[k] += line[n] * cexp(-2.0 * 3.14159265358979323846 * I *
                                           (double)(k * n % length) / (double)length);
        assert_ok(clr_reference_transform((double *)line, length));
        assert_true(largest_error(line, plain, length) < 1e-13);
        free(line);
        free(plain);
    }
}

#if HAVE_FFTW
#include <fftw3.h>

static void the_reference_transform_is_that_of_fftw(void **state)
{
    static const uint64_t lengths[] = { 1, 2, 97, 343, 1000, 1024, 2310, 4096, 6007, 65536 };
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint64_t length = lengths[i];
        complex_double *line = random_line(length), *other = malloc(length * sizeof *other);
        fftw_plan plan = fftw_plan_dft_1d((int)length, (fftw_complex *)line, (fftw_complex *)other,
                                          FFTW_FORWARD, FFTW_ESTIMATE);
        fftw_execute(plan);
        assert_ok(clr_reference_transform((double *)line, length));
        assert_true(largest_error(line, other, length) < 1e-12);
        fftw_destroy_plan(plan);
        free(line);
        free(other);
    }
    fftw_cleanup();
}
#else
static void the_reference_transform_is_that_of_fftw(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest plain[] = {
        cmocka_unit_test(the_reference_transform_is_the_sum_of_its_definition),
        cmocka_unit_test(the_reference_transform_is_that_of_fftw),
    };
    return run_device_tests("fengine reference", plain, sizeof plain / sizeof *plain, NULL, 0);
}
