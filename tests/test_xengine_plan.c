/* X-engine plans: calls that add up, slices of the time, memory, builds, overflow, errors. */
#include "xengine_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clradio_xengine *plan_of(clradio_device *device, const clradio_xengine_config *config)
{
    clradio_xengine *plan;
    assert_ok(clradio_xengine_create(device, config, &plan));
    return plan;
}

static void calls_that_accumulate_equal_one_long_call(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t lengths[] = { 5, 0, 33, 1, 40 }, all = 79;
    for (int type = 0; type < 2; type++) {
        clradio_xengine_config config =
            xengine_config(type ? CLRADIO_CI8 : CLRADIO_CF32, 7, 2, 3, 40);
        clradio_xengine *plan = plan_of(device, &config);
        void *spectra = xengine_random(&config, all, 5);
        void *sums = xengine_calls(device, plan, &config, spectra, lengths, 5, NULL);
        xengine_compare(&config, spectra, all, sums, 0);
        free(sums);
        /* a call without ACCUMULATE starts anew, also after a dump */
        sums = xengine_calls(device, plan, &config, spectra, lengths, 3, NULL);
        xengine_compare(&config, spectra, 38, sums, 0);
        free(sums);
        free(spectra);
        clradio_xengine_destroy(plan);
    }
}

/* Dumps do not end an integration: sums go on until a call starts a new one. */
static void sums_go_on_after_a_dump_and_end_at_a_reset(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 3, 1, 2, 10);
    const uint64_t bytes = clradio_xengine_visibilities_bytes(&config);
    clradio_xengine *plan = plan_of(device, &config);
    int8_t *spectra = xengine_random(&config, 20, 8);
    void *sums = malloc(bytes);
    clradio_xengine_host_io io = CLRADIO_XENGINE_HOST_IO_INIT;
    io.visibilities = sums;
    io.spectra_count = 10;
    io.flags = CLRADIO_ACCUMULATE | CLRADIO_DUMP; /* nothing is there yet: starts at zero */
    io.spectra = spectra;
    assert_ok(clradio_xengine_run(plan, &io));
    xengine_compare(&config, spectra, 10, sums, 0);
    io.spectra = spectra + 10 * 2 * 3 * 2;
    assert_ok(clradio_xengine_run(plan, &io));
    xengine_compare(&config, spectra, 20, sums, 0);
    assert_ok(clradio_xengine_reset(plan));
    assert_ok(clradio_xengine_run(plan, &io));
    xengine_compare(&config, io.spectra, 10, sums, 0);
    /* no spectra and no accumulation: zeros */
    io.spectra_count = 0;
    io.flags = CLRADIO_DUMP;
    assert_ok(clradio_xengine_run(plan, &io));
    xengine_compare(&config, spectra, 0, sums, 0);
    clradio_xengine_destroy(plan);
    free(sums);
    free(spectra);
}

static void host_arrays_of_any_length_are_cut_into_calls(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI16, 4, 2, 3, 16);
    clradio_xengine *plan = plan_of(device, &config);
    void *spectra = xengine_random(&config, 117, 6);
    void *sums = malloc(clradio_xengine_visibilities_bytes(&config));
    clradio_xengine_host_io io = CLRADIO_XENGINE_HOST_IO_INIT;
    io.spectra = spectra;
    io.visibilities = sums;
    io.spectra_count = 117;
    assert_ok(clradio_xengine_run(plan, &io));
    xengine_compare(&config, spectra, 117, sums, 0);
    clradio_xengine_destroy(plan);
    free(sums);
    free(spectra);
}

/* Slices only regroup integer sums: the same bits. Repeats of float sums too. */
static void slices_of_the_time_give_the_same_integers(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 10, 2, 2, test_small() ? 40 : 400);
    const uint64_t bytes = clradio_xengine_visibilities_bytes(&config);
    static const char *const splits[] = { "SPLIT_T=1", "SPLIT_T=2", "SPLIT_T=7", "SPLIT_T=64" };
    void *spectra = xengine_random(&config, config.spectra, 4), *first = NULL;
    for (size_t s = 0; s < 4; s++) {
        config.parameters = splits[s];
        clradio_xengine *plan = plan_of(device, &config);
        void *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
        if (first)
            assert_memory_equal(first, sums, bytes);
        else
            xengine_compare(&config, spectra, config.spectra, sums, 0);
        clradio_xengine_destroy(plan);
        if (first)
            free(sums);
        else
            first = sums;
    }
    free(first);
    free(spectra);
}

static void the_same_input_gives_the_same_bits_every_run(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CF32, 9, 2, 2, test_small() ? 30 : 700);
    const uint64_t bytes = clradio_xengine_visibilities_bytes(&config);
    void *spectra = xengine_random(&config, config.spectra, 9), *first = NULL;
    for (int n = 0; n < 5; n++) {
        clradio_xengine *plan = plan_of(device, &config);
        void *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
        if (first)
            assert_memory_equal(first, sums, bytes);
        clradio_xengine_destroy(plan);
        if (n)
            free(sums);
        else
            first = sums;
    }
    free(first);
    free(spectra);
}

/* cf32 over many runs, random and (the worst for rounding, which then goes one way) constant. */
static void float_errors_stay_in_their_bound_however_long(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t counts[] = { 1, 2, 1000, 1024, 1025, 20000 };
    for (size_t n = 0; n < (test_small() ? 2 : 6); n++)
        for (int constant = 0; constant < 2; constant++) {
            clradio_xengine_config config = xengine_config(CLRADIO_CF32, 5, 2, 1, counts[n]);
            config.parameters = "SPLIT_T=1";
            clradio_xengine *plan = plan_of(device, &config);
            float *spectra = xengine_random(&config, counts[n], n);
            for (uint64_t k = 0; constant && k < counts[n] * 20; k++)
                spectra[k] = k % 2 ? 0.7f : 0.1f;
            void *sums = xengine_calls(device, plan, &config, spectra, &config.spectra, 1, NULL);
            xengine_compare(&config, spectra, counts[n], sums, 0);
            clradio_xengine_destroy(plan);
            free(sums);
            free(spectra);
        }
}

/* 100,000 spectra of 127+127i: 3,225,800,000 does not fit int32. Saturated, counted, said. */
static void a_value_that_does_not_fit_is_saturated_and_counted(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint64_t count = 100000;
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 2, 1, 1, count);
    config.output = CLRADIO_CI32;
    int8_t *spectra = xengine_zeros(&config, count);
    for (uint64_t t = 0; t < count; t++) { /* the second station is the first's negative */
        spectra[4 * t] = spectra[4 * t + 1] = 127;
        spectra[4 * t + 2] = spectra[4 * t + 3] = -127;
    }
    clradio_xengine *plan = plan_of(device, &config);
    uint32_t overflow = 0;
    int32_t *sums = xengine_calls(device, plan, &config, spectra, &count, 1, &overflow);
    assert_int_equal(overflow, 3);
    assert_int_equal(sums[0], INT32_MAX);
    assert_int_equal(sums[2], INT32_MIN);
    assert_int_equal(sums[4], INT32_MAX);
    assert_int_equal(sums[1] | sums[3] | sums[5], 0);
    clradio_xengine_host_io io = CLRADIO_XENGINE_HOST_IO_INIT;
    io.spectra = spectra;
    io.spectra_count = count;
    io.visibilities = sums;
    assert_int_equal(clradio_xengine_run(plan, &io), CLRADIO_ERROR_OVERFLOW);
    assert_non_null(strstr(clradio_last_error(), "3 visibilities do not fit ci32"));
    assert_int_equal(sums[2], INT32_MIN);
    clradio_xengine_destroy(plan);
    free(sums);
    free(spectra);
}

/* Of the same class of sizes: few and many inputs may have tiles of their own, and so may inputs
 * whose bytes do not fill whole units of 16. */
static void a_second_plan_of_other_sizes_builds_nothing(void **state)
{
    clradio_device *device = device_under_test(state);
    uint64_t built, loaded, built_then, loaded_then;
    for (int many = 0; many < 2; many++) {
        clradio_xengine_config config = xengine_config(CLRADIO_CI8, many ? 151 : 5, 2, 3, 9);
        clradio_xengine_destroy(plan_of(device, &config));
        clradio_xengine *kept = plan_of(device, &config);
        clradio_device_build_count(device, &built, &loaded);
        for (uint32_t n = 1; n < 20; n += 6) {
            config.stations = many ? 152 + n : 4 + n; /* inputs that fill no tile stay many */
            config.channels = n;
            config.spectra = 100 * n;
            config.order = (clradio_order)(n % 6);
            config.conjugate = (int)(n / 6 % 2);
            clradio_xengine_destroy(plan_of(device, &config));
        }
        clradio_device_build_count(device, &built_then, &loaded_then);
        assert_int_equal(built, built_then);
        assert_int_equal(loaded, loaded_then);
        clradio_xengine_destroy(kept);
    }
}

/* Also where no verdict is remembered: the problems of a self-test have the plan's programs. */
static void a_self_test_builds_nothing_of_its_own(void **state)
{
    static const char *const variants[][2] = {
        { "mma", "EMULATED=1" },
        { "wgmma", "EMULATED=1 WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=3" },
        { "wgmma", NULL },
    };
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    clradio_device *device;
    assert_ok(clradio_device_describe(device_under_test(state), &info));
    char *const mode = getenv("CLRADIO_CACHE") ? strdup(getenv("CLRADIO_CACHE")) : NULL;
    setenv("CLRADIO_CACHE", "off", 1);
    assert_ok(clradio_device_open(info.id, &device));
    for (int v = 0; v < 3; v++)
        for (int kind = 0; kind < 3; kind++) { /* spectra of 16 and of 20 bytes, alone and of 32 */
            clradio_xengine_config config =
                xengine_config(CLRADIO_CI8, kind ? 5 : 4, 2, kind == 2 ? 32 : 1, 9);
            clradio_xengine *plan = NULL;
            uint64_t before, built, loaded;
            config.variant = variants[v][0];
            config.parameters = variants[v][1];
            config.order = CLRADIO_ORDER_FULL; /* of no other test here */
            clradio_device_build_count(device, &before, &loaded);
            const clradio_status status = clradio_xengine_create(device, &config, &plan);
            clradio_xengine_destroy(plan);
            clradio_device_build_count(device, &built, &loaded);
            assert_true(built - before <= 3); /* products, sums, rows into blocks */
            if (v == 0 || status != CLRADIO_ERROR_UNSUPPORTED) /* instructions, local memory */
                assert_ok(status);
        }
    clradio_device_close(device);
    mode ? setenv("CLRADIO_CACHE", mode, 1) : unsetenv("CLRADIO_CACHE");
    free(mode);
}

/* 16 stations, 2 polarisations: a channel's sums are 136 * 4 * 16 = 8704 bytes. Only a variant that
 * writes no visibilities itself needs them in every call. */
static void memory_limits_are_kept_and_the_least_is_said(void **state)
{
    clradio_device *device = device_under_test(state);
    const uint64_t each = 136 * 4 * 16, spectra = 20;
    uint64_t before, now, peak;
    for (unsigned flags = 0; flags < 2; flags++) {
        clradio_xengine_config config = xengine_config(CLRADIO_CI8, 16, 2, 12, spectra);
        config.flags = flags;
        config.variant = "tile";
        clradio_xengine_destroy(plan_of(device, &config)); /* programs are there, and proved */
        const uint64_t least = flags ? each : 12 * each;
        config.memory_limit = least - 1;
        clradio_xengine *plan = NULL;
        assert_int_equal(clradio_xengine_create(device, &config, &plan), CLRADIO_ERROR_LIMIT);
        assert_null(plan);
        char expected[32];
        snprintf(expected, sizeof expected, "at least %llu", (unsigned long long)least);
        assert_non_null(strstr(clradio_last_error(), expected));
        for (uint64_t limit = least; limit < 12 * 5 * each; limit += each * 5 + 77) {
            clradio_xengine_info info = CLRADIO_XENGINE_INFO_INIT;
            config.memory_limit = limit;
            clradio_device_memory_used(device, &before, &peak);
            plan = plan_of(device, &config);
            clradio_device_memory_used(device, &now, &peak);
            assert_ok(clradio_xengine_get_info(plan, &info));
            assert_int_equal(now - before, info.memory_bytes);
            assert_true(info.memory_bytes <= limit);
            void *input = xengine_random(&config, spectra, limit);
            void *sums = xengine_calls(device, plan, &config, input, &spectra, 1, NULL);
            xengine_compare(&config, input, spectra, sums, 0);
            free(sums);
            free(input);
            clradio_xengine_destroy(plan);
        }
    }
}

static void info_says_what_was_chosen_and_counts_useful_work(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_xengine_config config = xengine_config(CLRADIO_CI8, 10, 2, 3, 100);
    clradio_xengine_info info = CLRADIO_XENGINE_INFO_INIT;
    clradio_xengine *plan = plan_of(device, &config);
    assert_ok(clradio_xengine_get_info(plan, &info));
    assert_true(info.variant[0] != 0);
    assert_non_null(strstr(info.reason, "default"));
    assert_int_equal(info.operations, 8ull * 3 * 100 * 55 * 4); /* 55 baselines, 4 products */
    assert_int_equal(info.input_bytes, 100 * 3 * 20 * 2);
    assert_int_equal(info.visibilities_count, 3 * 55 * 4);
    assert_int_equal(info.visibilities_bytes, 3 * 55 * 4 * 16);
    assert_int_equal(info.output, CLRADIO_CI64);
    /* CUDA says its registers and the tile's staged spectra; OpenCL drivers may not. */
    assert_true(info.local_bytes >= 64 || is_opencl(device));
    assert_int_equal(info.registers > 0, !is_opencl(device));
    clradio_xengine_destroy(plan);
    /* what info says can be given back */
    config.variant = info.variant;
    config.parameters = info.parameters;
    clradio_xengine_info again = CLRADIO_XENGINE_INFO_INIT;
    plan = plan_of(device, &config);
    assert_ok(clradio_xengine_get_info(plan, &again));
    assert_string_equal(again.variant, info.variant);
    assert_string_equal(again.parameters, info.parameters);
    assert_string_equal(again.reason, "explicit parameters");
    clradio_xengine_destroy(plan);
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(calls_that_accumulate_equal_one_long_call),
        DEVICE_TEST(sums_go_on_after_a_dump_and_end_at_a_reset),
        DEVICE_TEST(host_arrays_of_any_length_are_cut_into_calls),
        DEVICE_TEST(slices_of_the_time_give_the_same_integers),
        DEVICE_TEST_SLOW(the_same_input_gives_the_same_bits_every_run),
        DEVICE_TEST_SLOW(float_errors_stay_in_their_bound_however_long),
        DEVICE_TEST_SLOW(a_value_that_does_not_fit_is_saturated_and_counted),
        DEVICE_TEST_SLOW(a_second_plan_of_other_sizes_builds_nothing),
        DEVICE_TEST_SLOW(a_self_test_builds_nothing_of_its_own),
        DEVICE_TEST_SLOW(memory_limits_are_kept_and_the_least_is_said),
        DEVICE_TEST_SLOW(info_says_what_was_chosen_and_counts_useful_work),
    };
    return run_device_tests("xengine_plan", NULL, 0, tests, sizeof tests / sizeof *tests);
}
