/* The UVH5 writer: what is appended comes back through the reader under the right labels, in every
 * type. */
#include "uvh5_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* label (pol of ant_1 = j, pol of ant_2 = i): XX, YY, XY, YX. */
static const size_t pol_i_of[4] = { 0, 1, 1, 0 }, pol_j_of[4] = { 0, 1, 0, 1 };

static void assert_row(clr_uvh5_reader *reader, uint64_t row, int64_t salt, double divisor)
{
    const clr_uvh5_info *info = clr_uvh5_get_info(reader);
    const clr_uvh5_layout layout = small_layout(CLRADIO_CF64, 1);
    double values[CHANNELS * 4 * 2], nsamples[CHANNELS * 4];
    unsigned char flags[CHANNELS * 4];
    assert_ok(clr_uvh5_read_row(reader, row, values, flags, nsamples));
    size_t i = (size_t)info->antenna_2[row], j = (size_t)info->antenna_1[row];
    assert_true(i >= j && i < STATIONS);
    for (size_t c = 0; c < CHANNELS; c++)
        for (size_t label = 0; label < info->labels; label++) {
            size_t p = pol_i_of[label], q = pol_j_of[label], at = c * info->labels + label;
            double want = (double)expected(c, i * (i + 1) / 2 + j, p, q, salt);
            assert_true(values[2 * at] == want / divisor);
            assert_true(values[2 * at + 1] == (-want - 1) / divisor);
            assert_true(nsamples[at] == 1 && flags[at] == 0);
        }
    for (size_t axis = 0; axis < 3; axis++)
        assert_true(info->uvw_m[row][axis] ==
                    layout.antenna_enu_m[i][axis] - layout.antenna_enu_m[j][axis]);
}

static void labels_antennas_and_uvw_follow_the_sky_rule(void **state)
{
    (void)state;
    char *folder = scratch_folder(), *path = path_in(folder, "out.uvh5");
    for (uint32_t pols = 1; pols <= 2; pols++) {
        clr_uvh5_layout layout = small_layout(CLRADIO_CI32, pols);
        clr_uvh5 *file;
        assert_ok(clr_uvh5_create(path, &layout, &file));
        for (int t = 0; t < 3; t++) {
            int64_t *values = numbered(pols, 100000 * t);
            clr_uvh5_integration integration = integration_of(values, CLRADIO_CI64);
            integration.julian_date += t * 0.25;
            assert_ok(clr_uvh5_append(file, &integration));
            free(values);
        }
        assert_int_equal(clr_uvh5_integrations(file), 3);
        assert_ok(clr_uvh5_commit(file));
        assert_int_equal(entries_in(folder), 1);
        clr_uvh5_reader *reader;
        assert_ok(clr_uvh5_open(path, &reader));
        const clr_uvh5_info *info = clr_uvh5_get_info(reader);
        assert_int_equal(info->rows, 3 * BASELINES);
        assert_int_equal(info->times, 3);
        assert_int_equal(info->channels, CHANNELS);
        assert_int_equal(info->labels, pols * pols);
        assert_int_equal(info->type, CLRADIO_CI32);
        assert_string_equal(info->version, "1.2");
        assert_string_equal(info->telescope_name, "test array");
        assert_non_null(strstr(info->history, "a test\n"));
        assert_true(info->latitude_deg == -30.5 && info->longitude_deg == 21.25);
        for (size_t i = 0; i < STATIONS; i++) {
            assert_int_equal(info->antenna_number[i], i);
            assert_string_equal(info->antenna_name[i], layout.antenna_names[i]);
            assert_memory_equal(info->antenna_ecef_m[i], layout.antenna_ecef_m[i],
                                sizeof layout.antenna_ecef_m[i]);
        }
        static const int64_t labels[4] = { -5, -6, -7, -8 };
        assert_memory_equal(info->label, labels, pols * pols * sizeof *labels);
        assert_memory_equal(info->frequency_hz, layout.frequency_hz, CHANNELS * sizeof(double));
        for (uint64_t row = 0; row < info->rows; row++) {
            assert_true(info->julian_date[row] == 2460000.5 + 0.25 * (double)(row / BASELINES));
            assert_true(info->integration_time_s[row] == 2);
            assert_row(reader, row, 100000 * (int64_t)(row / BASELINES), 1);
        }
        uint64_t rows[4];
        int reversed;
        assert_int_equal(clr_uvh5_find_rows(info, 2, 0, rows, 4, &reversed), 3);
        assert_int_equal(reversed, 1);
        assert_int_equal(info->antenna_2[rows[1]], 2);
        clr_uvh5_close(reader);
        unlink(path);
    }
    remove_folder(folder);
}

/* int64 -> float64, int32 -> int32, float -> float, double -> double, means in both. */
static void every_type_keeps_its_values(void **state)
{
    (void)state;
    enum { N = CHANNELS * BASELINES * 4 * 2 };
    char *folder = scratch_folder(), *path = path_in(folder, "out.uvh5");
    int64_t *values = numbered(2, 0);
    int32_t as_int32[N];
    float as_float[N];
    double as_double[N];
    for (size_t k = 0; k < N; k++) {
        as_int32[k] = (int32_t)values[k];
        as_float[k] = (float)values[k];
        as_double[k] = (double)values[k];
    }
    const struct {
        const void *values;
        clradio_type from, to;
        int normalise;
    } cases[] = {
        { values, CLRADIO_CI64, CLRADIO_CF64, 0 },    { as_int32, CLRADIO_CI32, CLRADIO_CI32, 0 },
        { as_int32, CLRADIO_CI32, CLRADIO_CF64, 0 },  { as_float, CLRADIO_CF32, CLRADIO_CF32, 0 },
        { as_double, CLRADIO_CF64, CLRADIO_CF64, 0 }, { as_float, CLRADIO_CF32, CLRADIO_CI32, 0 },
        { values, CLRADIO_CI64, CLRADIO_CF64, 1 },    { as_double, CLRADIO_CF64, CLRADIO_CF32, 1 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        clr_uvh5_layout layout = small_layout(cases[k].to, 2);
        layout.normalise = cases[k].normalise;
        layout.compression = k % 3;
        clr_uvh5 *file;
        assert_ok(clr_uvh5_create(path, &layout, &file));
        clr_uvh5_integration integration = integration_of(cases[k].values, cases[k].from);
        assert_ok(clr_uvh5_append(file, &integration));
        assert_ok(clr_uvh5_commit(file));
        clr_uvh5_reader *reader;
        assert_ok(clr_uvh5_open(path, &reader));
        assert_int_equal(clr_uvh5_get_info(reader)->type, cases[k].to);
        /* the mean over 8 spectra: division by a power of two is exact in float, too */
        for (uint64_t row = 0; row < BASELINES; row++)
            assert_row(reader, row, 0, cases[k].normalise ? 8 : 1);
        clr_uvh5_close(reader);
    }
    free(values);
    remove_folder(folder);
}

static void missing_spectra_are_weighted_and_flagged(void **state)
{
    (void)state;
    char *folder = scratch_folder(), *path = path_in(folder, "out.uvh5");
    clr_uvh5_layout layout = small_layout(CLRADIO_CF64, 2);
    layout.normalise = 1;
    clr_uvh5 *file;
    assert_ok(clr_uvh5_create(path, &layout, &file));
    int64_t *values = numbered(2, 0);
    uint64_t present[BASELINES * 4];
    for (size_t k = 0; k < BASELINES * 4; k++)
        present[k] = 8;
    present[1 * 4 + 2] = 0; /* baseline (1, 0), pol_i = Y, pol_j = X: the label XY */
    present[1 * 4 + 1] = 6; /* pol_i = X, pol_j = Y: the label YX */
    clr_uvh5_integration integration = integration_of(values, CLRADIO_CI64);
    integration.present = present;
    assert_ok(clr_uvh5_append(file, &integration));
    present[0] = 9;
    assert_int_equal(clr_uvh5_append(file, &integration), CLRADIO_ERROR_ARGUMENT);
    assert_ok(clr_uvh5_commit(file));
    clr_uvh5_reader *reader;
    assert_ok(clr_uvh5_open(path, &reader));
    double got[CHANNELS * 4 * 2], nsamples[CHANNELS * 4];
    unsigned char flags[CHANNELS * 4];
    assert_ok(clr_uvh5_read_row(reader, 1, got, flags, nsamples));
    for (size_t c = 0; c < CHANNELS; c++) {
        const double want[4] = { 1, 1, 0, 0.75 };
        for (size_t label = 0; label < 4; label++) {
            assert_true(nsamples[c * 4 + label] == want[label]);
            assert_int_equal(flags[c * 4 + label], label == 2);
        }
        assert_true(got[2 * (c * 4 + 2)] == 0);
        assert_true(got[2 * (c * 4 + 3)] == (double)expected(c, 1, 0, 1, 0) / 6);
        assert_true(got[2 * (c * 4)] == (double)expected(c, 1, 0, 0, 0) / 8);
    }
    clr_uvh5_close(reader);
    free(values);
    remove_folder(folder);
}

/* Unknown positions and place are zeros, and the history says so; names become numbers. */
static void what_is_not_known_is_said(void **state)
{
    (void)state;
    char *folder = scratch_folder(), *path = path_in(folder, "out.uvh5");
    clr_uvh5_layout layout = small_layout(CLRADIO_CF32, 1);
    layout.antenna_enu_m = layout.antenna_ecef_m = NULL;
    layout.antenna_names = NULL;
    layout.telescope_name = layout.history = NULL;
    layout.location_known = 0;
    clr_uvh5 *file;
    float values[CHANNELS * BASELINES * 2] = { 0 };
    assert_ok(clr_uvh5_create(path, &layout, &file));
    clr_uvh5_integration integration = integration_of(values, CLRADIO_CF32);
    assert_ok(clr_uvh5_append(file, &integration));
    assert_ok(clr_uvh5_commit(file));
    clr_uvh5_reader *reader;
    assert_ok(clr_uvh5_open(path, &reader));
    const clr_uvh5_info *info = clr_uvh5_get_info(reader);
    assert_non_null(strstr(info->history, "positions are not known"));
    assert_non_null(strstr(info->history, "location of the telescope is not known"));
    assert_string_equal(info->telescope_name, "unknown");
    assert_string_equal(info->antenna_name[2], "2");
    assert_true(info->latitude_deg == 0 && info->antenna_ecef_m[2][1] == 0);
    clr_uvh5_close(reader);
    remove_folder(folder);
}

/* Sizes around the chunk and block limits: every value is where it belongs. */
static void large_integrations_are_written_in_blocks(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = { { 1, 1 }, { 1, 70000 }, { 40, 300 }, { 150, 3 } };
    char *folder = scratch_folder(), *path = path_in(folder, "out.uvh5");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint32_t stations = sizes[k][0], channels = sizes[k][1];
        size_t baselines = (size_t)stations * (stations + 1) / 2;
        double *frequency = malloc(channels * sizeof *frequency);
        double *width = malloc(channels * sizeof *width);
        for (uint32_t c = 0; c < channels; c++)
            frequency[c] = 1e8 + c, width[c] = 1;
        int32_t *values = malloc(channels * baselines * 8 * sizeof *values);
        for (size_t at = 0; at < channels * baselines * 8; at++)
            values[at] = (int32_t)at;
        clr_uvh5_layout layout = { .stations = stations,
                                   .polarisations = 2,
                                   .channels = channels,
                                   .frequency_hz = frequency,
                                   .channel_width_hz = width,
                                   .type = CLRADIO_CI32 };
        clr_uvh5 *file;
        assert_ok(clr_uvh5_create(path, &layout, &file));
        clr_uvh5_integration integration = integration_of(values, CLRADIO_CI32);
        assert_ok(clr_uvh5_append(file, &integration));
        assert_ok(clr_uvh5_append(file, &integration));
        assert_ok(clr_uvh5_commit(file));
        clr_uvh5_reader *reader;
        assert_ok(clr_uvh5_open(path, &reader));
        double *row = malloc(channels * 8 * sizeof *row);
        for (size_t b = 0; b < 2 * baselines; b += 1 + b / 7) {
            assert_ok(clr_uvh5_read_row(reader, b, row, NULL, NULL));
            for (size_t c = 0; c < channels; c++)
                assert_true(row[(c * 4 + 2) * 2 + 1] ==
                            (double)((c * baselines + b % baselines) * 8 + 2 * 2 + 1));
        }
        clr_uvh5_close(reader);
        free(row);
        free(values);
        free(width);
        free(frequency);
    }
    remove_folder(folder);
}

static void the_type_is_chosen_from_the_bound(void **state)
{
    (void)state;
    assert_int_equal(clr_uvh5_choose_type(1, 2147483647.0), CLRADIO_CI32);
    assert_int_equal(clr_uvh5_choose_type(1, 2147483648.0), CLRADIO_CF64);
    assert_int_equal(clr_uvh5_choose_type(0, 1), CLRADIO_CF32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_antennas_and_uvw_follow_the_sky_rule),
        cmocka_unit_test(every_type_keeps_its_values),
        cmocka_unit_test(missing_spectra_are_weighted_and_flagged),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(large_integrations_are_written_in_blocks),
        cmocka_unit_test(the_type_is_chosen_from_the_bound),
    };
#if !HAVE_HDF5
    printf("1..0 # SKIP built without HDF5\n");
    return 0;
#endif
    return cmocka_run_group_tests_name("uvh5", tests, NULL, NULL);
}
