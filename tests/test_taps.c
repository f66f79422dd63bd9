/*
 * Channel taps from the files of other tools: each layout by the names of its arrays, every gain
 * and delay where the channel DFT expects it, and what does not belong together refused.
 */
#include "taps_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a [batch 2][rx 3][rx_ant 2][tx 2][tx_ant 4][path 5][time 3], tau [2][3][2][5]. */
static void sionna_with_delays_of_links(void **state)
{
    (void)state;
    static const uint64_t a[] = { 2, 3, 2, 2, 4, 5, 3 }, tau[] = { 2, 3, 2, 5 };
    for (int whole = 0; whole < 2; whole++) {
        clr_taps taps;
        taps_begin();
        taps_add_gains("a", 7, a, NULL);
        taps_add_delays("tau", 4, tau);
        assert_ok(taps_read_back(&(clr_taps_options){ .absent_negative = -1, .whole_links = whole },
                                 &taps));
        assert_string_equal(taps.layout, "sionna");
        assert_string_equal(taps.response, "h");
        assert_true(taps.absent_negative && !taps.per_path && !taps.subcarrier_first);
        assert_taps_axes(&taps, whole ? "batch=2 rx=3 tx=2 rx_ant=2 tx_ant=4 time=3"
                                      : "batch=2 rx=3 rx_ant=2 tx=2 tx_ant=4 time=3");
        assert_int_equal(taps.links, whole ? 12 : 24);
        assert_int_equal(taps.paths_per_link, whole ? 24 : 12);
        assert_int_equal(taps.taps_per_link, 5);
        for (uint64_t e = 0; e < taps.gain_count; e++) {
            uint64_t p = e % 5, t = e / 5 % 3, ta = e / 15 % 4, x = e / 60, tx, ra;
            tx = whole ? x / 2 % 2 : x % 2;
            ra = whole ? x % 2 : x / 2 % 2;
            uint64_t r = x / 4 % 3, b = x / 12;
            uint64_t from = (((((b * 3 + r) * 2 + ra) * 2 + tx) * 4 + ta) * 5 + p) * 3 + t;
            assert_true(taps_gain(&taps, e) == (float)from);
            uint64_t link = e / 5 / taps.paths_per_link;
            assert_taps_delay(&taps, link * 5 + p, ((b * 3 + r) * 2 + tx) * 5 + p);
        }
        clr_taps_free(&taps);
    }
}

/* Delays of every antenna: links are the receivers' batch, delays belong to paths; times share. */
static void sionna_with_delays_of_antennas(void **state)
{
    (void)state;
    static const uint64_t a[] = { 3, 2, 1, 2, 4, 2 }, tau[] = { 3, 2, 1, 2, 4 };
    clr_taps taps;
    taps_begin();
    taps_add_gains("a", 6, a, NULL);
    taps_add_delays("tau", 5, tau);
    assert_ok(taps_read_back(NULL, &taps));
    assert_taps_axes(&taps, "rx=3 rx_ant=2 tx=1 tx_ant=2 time=2");
    assert_int_equal(taps.per_path, 0); /* a link an antenna pair, its times the paths */
    assert_int_equal(taps.links, 12);
    for (uint64_t e = 0; e < taps.gain_count; e++) {
        uint64_t p = e % 4, t = e / 4 % 2, pair = e / 8;
        assert_true(taps_gain(&taps, e) == (float)((pair * 4 + p) * 2 + t));
        assert_taps_delay(&taps, pair * 4 + p, pair * 4 + p);
    }
    clr_taps_free(&taps);
}

/* One transmitter, one antenna, one time and so on in all combinations: a simulation of one
 * transmitter is Sionna's usual one. Delays belong to (batch, rx, tx), however many there are. */
static void one_of_anything_in_sionna_s_arrays(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 256; bits++) {
        int whole = bits >> 7;
        const uint64_t a[] = { 1 + (bits & 1),      1 + (bits >> 1 & 1), 1 + (bits >> 2 & 1),
                               1 + (bits >> 3 & 1), 1 + (bits >> 4 & 1), 1 + (bits >> 5 & 1),
                               1 + (bits >> 6 & 1) };
        const uint64_t tau[] = { a[0], a[1], a[3], a[5] };
        clr_taps taps;
        taps_begin();
        taps_add_gains("a", 7, a, NULL);
        taps_add_delays("tau", 4, tau);
        assert_ok(taps_read_back(&(clr_taps_options){ .absent_negative = -1, .whole_links = whole },
                                 &taps));
        assert_false(taps.per_path);
        int turned = !strcmp(taps.axis[2], "tx");
        assert_int_equal(taps.links * taps.paths_per_link, a[0] * a[1] * a[2] * a[3] * a[4] * a[6]);
        for (uint64_t e = 0; e < taps.gain_count; e++) {
            uint64_t p = e % a[5], x = e / a[5], t = x % a[6], ta = x / a[6] % a[4];
            uint64_t y = x / a[6] / a[4], tx = turned ? y / a[2] % a[3] : y % a[3];
            uint64_t ra = turned ? y % a[2] : y / a[3] % a[2], br = y / a[2] / a[3];
            uint64_t from = (((br * a[2] + ra) * a[3] + tx) * a[4] + ta) * a[5] + p;
            assert_true(taps_gain(&taps, e) == (float)(from * a[6] + t));
            uint64_t link = x / taps.paths_per_link;
            assert_taps_delay(&taps, link * a[5] + p, (br * a[3] + tx) * a[5] + p);
        }
        clr_taps_free(&taps);
    }
}

static void one_of_anything_in_quadriga_s_and_our_own_arrays(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 32; bits++) {
        const uint64_t size[] = { 1 + (bits & 1), 1 + (bits >> 1 & 1), 1 + (bits >> 2 & 1),
                                  1 + (bits >> 3 & 1) };
        int own = bits >> 4;
        clr_taps taps;
        taps_begin();
        taps_add_gains(own ? "gain" : "coeff", 4, size, NULL);
        taps_add_delays("delay", 4, size);
        assert_ok(taps_read_back(NULL, &taps));
        uint64_t taps_a_path = size[own ? 3 : 2], paths = taps.gain_count / taps_a_path;
        assert_int_equal(paths, size[0] * size[1] * size[own ? 2 : 3]);
        for (uint64_t e = 0; e < taps.gain_count; e++) {
            uint64_t path = e / taps_a_path, link = path / taps.paths_per_link;
            /* A delay stands at the place of its gain, in the file and in what is made of it. */
            uint64_t at = taps.per_path ? e : link * taps_a_path + e % taps_a_path;
            assert_taps_delay(&taps, at, (uint64_t)taps_gain(&taps, e));
        }
        clr_taps_free(&taps);
    }
}

/* coeff [rx][tx][path][snapshot] in MATLAB's sense; delay the same, or [path][snapshot], also where
 * that looks like [rx][tx]. */
static void quadriga_of(const uint64_t *coeff, int own)
{
    const uint64_t rxs = coeff[0], txs = coeff[1], paths = coeff[2], snapshots = coeff[3];
    clr_taps taps;
    char axes[80];
    taps_suffix = HAVE_HDF5 ? ".mat" : ".npz";
    taps_begin();
    taps_suffix = ".npz";
    taps_add_gains("coeff", 4, coeff, NULL);
    taps_add_delays("delay", own ? 4 : 2, own ? coeff : coeff + 2);
    assert_ok(taps_read_back(NULL, &taps));
    assert_string_equal(taps.layout, "quadriga");
    snprintf(axes, sizeof axes, "snapshot=%u tx=%u rx=%u", (unsigned)snapshots, (unsigned)txs,
             (unsigned)rxs);
    assert_taps_axes(&taps, axes);
    assert_true(taps.subcarrier_first && taps.per_path == own && taps.links == snapshots);
    for (uint64_t e = 0; e < taps.gain_count; e++) {
        uint64_t p = e % paths, rx = e / paths % rxs, tx = e / paths / rxs % txs;
        uint64_t s = e / paths / rxs / txs;
        uint64_t from = ((rx * txs + tx) * paths + p) * snapshots + s;
        assert_true(taps_gain(&taps, e) == (float)from);
        if (own)
            assert_taps_delay(&taps, e, from);
        else
            assert_taps_delay(&taps, s * paths + p, p * snapshots + s);
    }
    clr_taps_free(&taps);
}

static void quadriga_with_delays_of_antennas_and_shared(void **state)
{
    (void)state;
    static const uint64_t coeff[][4] = {
        { 2, 3, 4, 5 }, { 2, 4, 2, 4 }, { 2, 2, 2, 2 }, { 4, 1, 4, 1 }, { 1, 3, 1, 3 }
    };
    for (size_t k = 0; k < sizeof coeff / sizeof *coeff; k++)
        for (int own = 0; own < 2; own++)
            quadriga_of(coeff[k], own);
}

static void deepmimo_from_powers_and_phases(void **state)
{
    (void)state;
    static const double power[] = { 0, -20, NAN, -40, NAN, NAN },
                        phase[] = { 0, 90, NAN, 180, NAN, NAN };
    static const double delay[] = { 1e-9, 2e-9, NAN, 3e-9, NAN, NAN };
    static const char *const names[] = { "power", "phase", "delay" };
    const double *const values[] = { power, phase, delay };
    clr_taps taps;
    taps_begin();
    for (int k = 0; k < 3; k++) {
        clr_arrays_layout layout = {
            .name = names[k], .element = CLR_ELEMENT_F64, .rank = 2, .size = { 2, 3 }
        };
        assert_ok(clr_arrays_add(taps_writer, &layout, values[k]));
    }
    assert_ok(taps_read_back(&(clr_taps_options){ .absent_negative = -1, .cf64 = 1 }, &taps));
    assert_string_equal(taps.response, "channel");
    assert_taps_axes(&taps, "user=2");
    const double *g = taps.gains;
    static const double wanted[] = { 1, 0, 0, 0.1, 0, 0, -0.01, 0, 0, 0, 0, 0 };
    for (int e = 0; e < 12; e++)
        assert_true(fabs(g[e] - wanted[e]) < 1e-15);
    assert_true(taps.absent_negative && taps.delays[1] == 2e-9 && taps.delays[2] == -1);
    clr_taps_free(&taps);
}

static void our_own_layout_by_rank_and_by_names(void **state)
{
    (void)state;
    static const uint64_t size[] = { 3, 2, 2, 4 };
    static const uint64_t of_link[] = { 3, 4 };
    clr_taps taps;
    for (unsigned rank = 1; rank <= 4; rank++) {
        taps_begin();
        taps_add_gains("gain", rank, size + 4 - rank, NULL);
        taps_add_delays("delay", 1, size + 3);
        assert_ok(taps_read_back(NULL, &taps));
        assert_int_equal(taps.links, 1); /* one list of delays for all */
        assert_int_equal(taps.taps_per_link, 4);
        assert_true(taps_gain(&taps, taps.gain_count - 1) == (float)(taps.gain_count - 1));
        assert_taps_delay(&taps, 3, 3);
        clr_taps_free(&taps);
    }
    taps_begin();
    taps_add_gains("gain", 4, size, NULL);
    taps_add_delays("delay", 2, of_link);
    assert_ok(taps_read_back(NULL, &taps));
    assert_taps_axes(&taps, "link=3 rx=2 tx=2");
    assert_true(taps.links == 3 && taps.paths_per_link == 4 && !taps.per_path);
    assert_taps_delay(&taps, 11, 11);
    clr_taps_free(&taps);
    taps_begin();
    taps_add_gains("gain", 4, size, NULL);
    taps_add_delays("delay", 4, size);
    taps_add_delays("rate", 2, of_link);
    assert_ok(taps_read_back(NULL, &taps));
    assert_true(taps.per_path && taps.links == 3 && taps.rates && taps.rates_per_path);
    assert_true(taps.rates[16 + 5] == 5e-9); /* link 1, path 1, tap 1: element 4 + 1 */
    clr_taps_free(&taps);
    if (!HAVE_HDF5)
        return;
    static const char *const axes[] = { "tap", "antenna", "cell" };
    static const uint64_t turned[] = { 4, 2, 3 };
    taps_suffix = ".h5";
    taps_begin();
    taps_suffix = ".npz";
    taps_add_gains("gain", 3, turned, axes);
    taps_add_delays("delay", 1, size + 3);
    assert_ok(taps_read_back(NULL, &taps));
    assert_taps_axes(&taps, "antenna=2 cell=3");
    assert_true(taps_gain(&taps, 5) == 1 * 6 + 1); /* antenna 0, cell 1, tap 1 */
    clr_taps_free(&taps);
}

static void ragged_links_by_offsets(void **state)
{
    (void)state;
    static const int64_t paths[] = { 0, 2, 2, 3 }, taps_[] = { 0, 3, 4, 6 }, beams[] = { 0, 0, 3 };
    static const uint64_t gains[] = { 2 * 3 + 0 + 1 * 2 }, delays[] = { 6 };
    clr_taps taps;
    taps_begin();
    taps_add_gains("gain", 1, gains, NULL);
    taps_add_delays("delay", 1, delays);
    taps_add_offsets("link_paths", 4, paths);
    taps_add_offsets("link_taps", 4, taps_);
    taps_add_offsets("beam_links", 3, beams);
    assert_ok(taps_read_back(NULL, &taps));
    assert_true(taps.links == 3 && taps.beams == 2 && taps.paths == 3 && taps.taps == 3);
    assert_taps_axes(&taps, "path=3");
    assert_true(taps.link_taps[3] == 6 && !taps.per_path);
    clr_taps_free(&taps);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    (void)state;
    static const uint64_t a[] = { 2, 3, 2, 2, 4, 5, 3 }, tau[] = { 2, 3, 2, 6 }, one[] = { 8 };
    static const int64_t falling[] = { 0, 3, 2, 5 }, late[] = { 1, 2, 3, 4 },
                         good[] = { 0, 1, 2, 3 };
    clr_taps taps;
    taps_begin();
    taps_add_gains("a", 7, a, NULL);
    taps_add_delays("tau", 4, tau); /* 6 paths against 5 */
    assert_int_equal(taps_read_back(NULL, &taps), CLRADIO_ERROR_FORMAT);
    taps_begin();
    taps_add_gains("a", 3, a, NULL);
    taps_add_delays("tau", 4, tau);
    assert_int_equal(taps_read_back(NULL, &taps), CLRADIO_ERROR_FORMAT);
    taps_begin();
    taps_add_gains("a", 7, a, NULL);
    assert_int_equal(taps_read_back(NULL, &taps), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "the files hold: a"));
    taps_begin();
    taps_add_delays("gain", 1, one); /* real gains are legal, complex delays are not */
    taps_add_gains("delay", 1, one, NULL);
    assert_int_equal(taps_read_back(NULL, &taps), CLRADIO_ERROR_ARGUMENT);
    const int64_t *const offsets[] = { falling, late, good };
    for (int k = 0; k < 3; k++) {
        taps_begin();
        taps_add_gains("gain", 1, one, NULL);
        taps_add_delays("delay", 1, one);
        taps_add_offsets("link_paths", 4, offsets[k]);
        taps_add_offsets("link_taps", 4, good);
        assert_int_equal(taps_read_back(NULL, &taps), CLRADIO_ERROR_FORMAT);
    }
    if (HAVE_HDF5) {
        static const char *const twice[] = { "rx", "rx", "tap" };
        taps_suffix = ".h5";
        taps_begin();
        taps_suffix = ".npz";
        taps_add_gains("gain", 3, a, twice);
        taps_add_delays("delay", 1, a + 2);
        assert_int_equal(taps_read_back(NULL, &taps), CLRADIO_ERROR_FORMAT);
        assert_non_null(strstr(clradio_last_error(), "two axes of the gains are called 'rx'"));
    }
    assert_null(taps.gains);
}

/* ---- JSON lines ---- */

static clradio_status read_rays(const char *text, clr_taps *taps)
{
    char *paths[] = { taps_file };
    snprintf(taps_file, sizeof taps_file, "%s/rays.json", group_folder);
    FILE *file = fopen(taps_file, "w");
    fputs(text, file);
    fclose(file);
    return clr_taps_read(paths, 1, &(clr_taps_options){ .absent_negative = -1 }, taps);
}

static void json_lines_become_ragged_links(void **state)
{
    (void)state;
    if (!HAVE_JANSSON)
        skip();
    clr_taps taps;
    assert_ok(read_rays("{\"TX\":0,\"Delay\":[[1e-9,2E-9],[],[3e-9]],\"Gain\":[[0,-20],[],[-40]],"
                        "\"Phase\":[[0,1.5707963267948966],[],[3.141592653589793]]}\n\n"
                        "{\"Delay\":[4e-9],\"Gain\":[0],\"Phase\":[0]}",
                        &taps));
    assert_string_equal(taps.layout, "rays");
    assert_true(taps.links == 4 && taps.taps == 2 && taps.gain_count == 4);
    static const uint64_t offsets[] = { 0, 2, 2, 3, 4 };
    assert_memory_equal(taps.link_taps, offsets, sizeof offsets);
    static const float wanted[] = { 1, 0, 0, 0.1f, -0.01f, 0, 1, 0 };
    for (int e = 0; e < 8; e++)
        assert_true(fabsf(((float *)taps.gains)[e] - wanted[e]) < 1e-8f);
    assert_true(taps.delays[3] == 4e-9);
    clr_taps_free(&taps);
    static const char *const bad[] = { "{",
                                       "{}",
                                       "{\"Delay\":[1],\"Gain\":[1,2],\"Phase\":[1]}",
                                       "{\"Delay\":[[1]],\"Gain\":[[\"a\"]],\"Phase\":[[1]]}",
                                       "{\"Delay\":[[1],2],\"Gain\":[[1],2],\"Phase\":[[1],2]}",
                                       "{\"Delay\":[],\"Gain\":[],\"Phase\":[]}",
                                       "{\"Delay\":[1],\"Gain\":[1],\"Phase\":[1]} x" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_rays(bad[i], &taps), CLRADIO_ERROR_FORMAT);
}

/* The published ray traces: 169 to 361 paths, 8 times of 2 pairs, 6 pairs of 1 time. */
static void published_ray_traces_are_read(void **state)
{
    (void)state;
    const char *folder = getenv("CLRADIO_DATA");
    static const char *const names[] = { "CityBlock", "ConferenceRoom" };
    if (!folder || !HAVE_JANSSON)
        skip();
    for (int k = 0; k < 2; k++) {
        clr_taps taps;
        char *paths[] = { taps_file };
        snprintf(taps_file, sizeof taps_file, "%s/mimo/qd-realization/%s_qdOutput.json", folder,
                 names[k]);
        clradio_status status =
            clr_taps_read(paths, 1, &(clr_taps_options){ .absent_negative = -1 }, &taps);
        if (status == CLRADIO_ERROR_IO)
            skip();
        assert_ok(status);
        assert_int_equal(taps.links, k ? 6 : 16);
        assert_int_equal(taps.link_taps[1], k ? 361 : 4);
        for (uint64_t i = 0; i < taps.delay_count; i++)
            assert_true(taps.delays[i] > 0 && taps.delays[i] < 1e-6);
        clr_taps_free(&taps);
    }
}

int main(void)
{
    if (!HAVE_ZLIB) {
        puts("1..0 # SKIP built without zlib, which .npz files need");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sionna_with_delays_of_links),
        cmocka_unit_test(sionna_with_delays_of_antennas),
        cmocka_unit_test(one_of_anything_in_sionna_s_arrays),
        cmocka_unit_test(one_of_anything_in_quadriga_s_and_our_own_arrays),
        cmocka_unit_test(quadriga_with_delays_of_antennas_and_shared),
        cmocka_unit_test(deepmimo_from_powers_and_phases),
        cmocka_unit_test(our_own_layout_by_rank_and_by_names),
        cmocka_unit_test(ragged_links_by_offsets),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(json_lines_become_ragged_links),
        cmocka_unit_test(published_ray_traces_are_read),
    };
    return cmocka_run_group_tests_name("taps", tests, make_group_folder, remove_group_folder);
}
