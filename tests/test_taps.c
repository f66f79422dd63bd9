/*
 * Channel taps from the files of other tools: each layout by the names of its arrays, every gain
 * and delay where the channel DFT expects it, and what does not belong together refused.
 */
#include "support.h"

#include "io/taps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char file_path[4200];
static clr_arrays_writer *writer;

/* Gains that say where they come from: element e of the array is e + i/2. */
static void add_gains(const char *name, unsigned rank, const uint64_t *size,
                      const char *const *axis)
{
    clr_arrays_layout layout = { .name = name, .element = CLR_ELEMENT_CF32, .rank = rank };
    uint64_t count = 1;
    for (unsigned k = 0; k < rank; k++) {
        layout.size[k] = size[k];
        layout.axis[k] = axis ? axis[k] : NULL;
        count *= size[k];
    }
    float *values = malloc(count * 8 + 1);
    for (uint64_t e = 0; e < count; e++) {
        values[2 * e] = (float)e;
        values[2 * e + 1] = 0.5f;
    }
    assert_ok(clr_arrays_add(writer, &layout, values));
    free(values);
}

/* Element e is e times 1e-9 s. */
static void add_delays(const char *name, unsigned rank, const uint64_t *size)
{
    clr_arrays_layout layout = { .name = name, .element = CLR_ELEMENT_F64, .rank = rank };
    uint64_t count = 1;
    for (unsigned k = 0; k < rank; k++)
        count *= layout.size[k] = size[k];
    double *values = malloc(count * 8 + 1);
    for (uint64_t e = 0; e < count; e++)
        values[e] = (double)e * 1e-9;
    assert_ok(clr_arrays_add(writer, &layout, values));
    free(values);
}

static void add_offsets(const char *name, uint64_t n, const int64_t *values)
{
    clr_arrays_layout layout = {
        .name = name, .element = CLR_ELEMENT_I64, .rank = 1, .size = { n }
    };
    assert_ok(clr_arrays_add(writer, &layout, values));
}

static const char *suffix = ".npz";

static void begin(void)
{
    snprintf(file_path, sizeof file_path, "%s/taps%s", group_folder, suffix);
    assert_ok(clr_arrays_create(file_path, NULL, &writer));
}

static clradio_status read_back(const clr_taps_options *how, clr_taps *taps)
{
    static const clr_taps_options normal = { .absent_negative = -1 };
    char *paths[] = { file_path };
    assert_ok(clr_arrays_commit(writer));
    return clr_taps_read(paths, 1, how ? how : &normal, taps);
}

static float gain(const clr_taps *taps, uint64_t at)
{
    assert_true(at < taps->gain_count);
    assert_true(((float *)taps->gains)[2 * at + 1] == 0.5f);
    return ((float *)taps->gains)[2 * at];
}

static void assert_delay(const clr_taps *taps, uint64_t at, uint64_t element)
{
    assert_true(at < taps->delay_count);
    assert_true(taps->delays[at] == (double)element * 1e-9);
}

static void assert_axes(const clr_taps *taps, const char *axes)
{
    char text[400] = "";
    for (unsigned k = 0; k < taps->rank; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s=%llu", k ? " " : "",
                 taps->axis[k], (unsigned long long)taps->size[k]);
    assert_string_equal(text, axes);
}

/* a [batch 2][rx 3][rx_ant 2][tx 2][tx_ant 4][path 5][time 3], tau [2][3][2][5]. */
static void sionna_with_delays_of_links(void **state)
{
    (void)state;
    static const uint64_t a[] = { 2, 3, 2, 2, 4, 5, 3 }, tau[] = { 2, 3, 2, 5 };
    for (int whole = 0; whole < 2; whole++) {
        clr_taps taps;
        begin();
        add_gains("a", 7, a, NULL);
        add_delays("tau", 4, tau);
        assert_ok(
            read_back(&(clr_taps_options){ .absent_negative = -1, .whole_links = whole }, &taps));
        assert_string_equal(taps.layout, "sionna");
        assert_string_equal(taps.response, "h");
        assert_true(taps.absent_negative && !taps.per_path && !taps.subcarrier_first);
        assert_axes(&taps, whole ? "batch=2 rx=3 tx=2 rx_ant=2 tx_ant=4 time=3"
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
            assert_true(gain(&taps, e) == (float)from);
            uint64_t link = e / 5 / taps.paths_per_link;
            assert_delay(&taps, link * 5 + p, ((b * 3 + r) * 2 + tx) * 5 + p);
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
    begin();
    add_gains("a", 6, a, NULL);
    add_delays("tau", 5, tau);
    assert_ok(read_back(NULL, &taps));
    assert_axes(&taps, "rx=3 rx_ant=2 tx=1 tx_ant=2 time=2");
    assert_int_equal(taps.per_path, 0); /* a link an antenna pair, its times the paths */
    assert_int_equal(taps.links, 12);
    for (uint64_t e = 0; e < taps.gain_count; e++) {
        uint64_t p = e % 4, t = e / 4 % 2, pair = e / 8;
        assert_true(gain(&taps, e) == (float)((pair * 4 + p) * 2 + t));
        assert_delay(&taps, pair * 4 + p, pair * 4 + p);
    }
    clr_taps_free(&taps);
}

/* coeff [rx 2][tx 3][path 4][snapshot 5] in MATLAB's sense; delay of antennas, or [path][snapshot].
 */
static void quadriga_with_delays_of_antennas_and_shared(void **state)
{
    (void)state;
    static const uint64_t coeff[] = { 2, 3, 4, 5 }, shared[] = { 4, 5 };
    for (int own = 0; own < 2; own++) {
        clr_taps taps;
        suffix = HAVE_HDF5 ? ".mat" : ".npz";
        begin();
        suffix = ".npz";
        add_gains("coeff", 4, coeff, NULL);
        add_delays("delay", own ? 4 : 2, own ? coeff : shared);
        assert_ok(read_back(NULL, &taps));
        assert_string_equal(taps.layout, "quadriga");
        assert_axes(&taps, "snapshot=5 tx=3 rx=2");
        assert_true(taps.subcarrier_first && taps.per_path == own && taps.links == 5);
        for (uint64_t e = 0; e < taps.gain_count; e++) {
            uint64_t p = e % 4, rx = e / 4 % 2, tx = e / 8 % 3, s = e / 24;
            uint64_t from = ((rx * 3 + tx) * 4 + p) * 5 + s;
            assert_true(gain(&taps, e) == (float)from);
            if (own)
                assert_delay(&taps, e, from);
            else
                assert_delay(&taps, s * 4 + p, p * 5 + s);
        }
        clr_taps_free(&taps);
    }
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
    begin();
    for (int k = 0; k < 3; k++) {
        clr_arrays_layout layout = {
            .name = names[k], .element = CLR_ELEMENT_F64, .rank = 2, .size = { 2, 3 }
        };
        assert_ok(clr_arrays_add(writer, &layout, values[k]));
    }
    assert_ok(read_back(&(clr_taps_options){ .absent_negative = -1, .cf64 = 1 }, &taps));
    assert_string_equal(taps.response, "channel");
    assert_axes(&taps, "user=2");
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
        begin();
        add_gains("gain", rank, size + 4 - rank, NULL);
        add_delays("delay", 1, size + 3);
        assert_ok(read_back(NULL, &taps));
        assert_int_equal(taps.links, 1); /* one list of delays for all */
        assert_int_equal(taps.taps_per_link, 4);
        assert_true(gain(&taps, taps.gain_count - 1) == (float)(taps.gain_count - 1));
        assert_delay(&taps, 3, 3);
        clr_taps_free(&taps);
    }
    begin();
    add_gains("gain", 4, size, NULL);
    add_delays("delay", 2, of_link);
    assert_ok(read_back(NULL, &taps));
    assert_axes(&taps, "link=3 rx=2 tx=2");
    assert_true(taps.links == 3 && taps.paths_per_link == 4 && !taps.per_path);
    assert_delay(&taps, 11, 11);
    clr_taps_free(&taps);
    begin();
    add_gains("gain", 4, size, NULL);
    add_delays("delay", 4, size);
    add_delays("rate", 2, of_link);
    assert_ok(read_back(NULL, &taps));
    assert_true(taps.per_path && taps.links == 3 && taps.rates && taps.rates_per_path);
    assert_true(taps.rates[16 + 5] == 5e-9); /* link 1, path 1, tap 1: element 4 + 1 */
    clr_taps_free(&taps);
    if (!HAVE_HDF5)
        return;
    static const char *const axes[] = { "tap", "antenna", "cell" };
    static const uint64_t turned[] = { 4, 2, 3 };
    suffix = ".h5";
    begin();
    suffix = ".npz";
    add_gains("gain", 3, turned, axes);
    add_delays("delay", 1, size + 3);
    assert_ok(read_back(NULL, &taps));
    assert_axes(&taps, "antenna=2 cell=3");
    assert_true(gain(&taps, 5) == 1 * 6 + 1); /* antenna 0, cell 1, tap 1 */
    clr_taps_free(&taps);
}

static void ragged_links_by_offsets(void **state)
{
    (void)state;
    static const int64_t paths[] = { 0, 2, 2, 3 }, taps_[] = { 0, 3, 4, 6 }, beams[] = { 0, 0, 3 };
    static const uint64_t gains[] = { 2 * 3 + 0 + 1 * 2 }, delays[] = { 6 };
    clr_taps taps;
    begin();
    add_gains("gain", 1, gains, NULL);
    add_delays("delay", 1, delays);
    add_offsets("link_paths", 4, paths);
    add_offsets("link_taps", 4, taps_);
    add_offsets("beam_links", 3, beams);
    assert_ok(read_back(NULL, &taps));
    assert_true(taps.links == 3 && taps.beams == 2 && taps.paths == 3 && taps.taps == 3);
    assert_axes(&taps, "path=3");
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
    begin();
    add_gains("a", 7, a, NULL);
    add_delays("tau", 4, tau); /* 6 paths against 5 */
    assert_int_equal(read_back(NULL, &taps), CLRADIO_ERROR_FORMAT);
    begin();
    add_gains("a", 3, a, NULL);
    add_delays("tau", 4, tau);
    assert_int_equal(read_back(NULL, &taps), CLRADIO_ERROR_FORMAT);
    begin();
    add_gains("a", 7, a, NULL);
    assert_int_equal(read_back(NULL, &taps), CLRADIO_ERROR_ARGUMENT);
    assert_non_null(strstr(clradio_last_error(), "the files hold: a"));
    begin();
    add_delays("gain", 1, one); /* real gains are legal, complex delays are not */
    add_gains("delay", 1, one, NULL);
    assert_int_equal(read_back(NULL, &taps), CLRADIO_ERROR_ARGUMENT);
    const int64_t *const offsets[] = { falling, late, good };
    for (int k = 0; k < 3; k++) {
        begin();
        add_gains("gain", 1, one, NULL);
        add_delays("delay", 1, one);
        add_offsets("link_paths", 4, offsets[k]);
        add_offsets("link_taps", 4, good);
        assert_int_equal(read_back(NULL, &taps), CLRADIO_ERROR_FORMAT);
    }
    assert_null(taps.gains);
}

/* ---- JSON lines ---- */

static clradio_status read_rays(const char *text, clr_taps *taps)
{
    char *paths[] = { file_path };
    snprintf(file_path, sizeof file_path, "%s/rays.json", group_folder);
    FILE *file = fopen(file_path, "w");
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
        char *paths[] = { file_path };
        snprintf(file_path, sizeof file_path, "%s/mimo/qd-realization/%s_qdOutput.json", folder,
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
