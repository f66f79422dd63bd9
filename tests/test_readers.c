/*
 * Readers against writers: what went into a file comes out of it, for every coding and shape; times
 * are exact; parts are one file; a read of a piece is that piece of a whole read.
 */
#include "voltage_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *file(const char *name)
{
    static char path[2][4200];
    static int turn;
    turn ^= 1;
    snprintf(path[turn], sizeof path[turn], "%s/%s", group_folder, name);
    return path[turn];
}

/* 2021-06-30T23:59:59 + fraction: the next second lies in another half-year. */
static clr_time start_at(double fraction)
{
    return (clr_time){ clr_time_mjd(2021, 6, 30), 86399, fraction };
}

/* Everything in one read equals the samples, all of it present. */
static void assert_content(clr_source *source, const void *samples, size_t bytes)
{
    const clr_source_info *info = clr_source_get_info(source);
    size_t words = (size_t)(info->samples + 63) / 64;
    unsigned char *read = malloc(bytes);
    uint64_t *present = malloc(words * info->inputs * sizeof *present);
    memset(read, 0x5a, bytes);
    memset(present, 0x5a, words * info->inputs * sizeof *present);
    assert_ok(clr_source_read(source, 0, info->samples, 0, read, present));
    assert_memory_equal(read, samples, bytes);
    for (uint32_t i = 0; i < info->inputs; i++)
        for (size_t t = 0; t < words * 64; t++)
            assert_int_equal(present[i * words + t / 64] >> (t % 64) & 1, t < info->samples);
    free(read);
    free(present);
}

/* Three frames that begin in the last frame of a second: 1000 frames of 64 samples make one, which
 * EDV 0 and legacy headers do not say and the restart of the numbers does. */
static void one_vdif_shape(unsigned bits, int complex_samples, uint32_t threads, uint32_t channels,
                           int edv)
{
    const char *path = file("shape.vdif");
    clr_vdif_writer_config config = { .path = path,
                                      .sample_rate_hz = 64000,
                                      .start = start_at(0.999),
                                      .threads = threads,
                                      .channels = channels,
                                      .bits = bits,
                                      .complex_samples = complex_samples,
                                      .edv = edv < 0 ? 0 : (unsigned)edv,
                                      .legacy = edv < 0,
                                      .samples_per_frame = 64 };
    void *samples = write_vdif(&config, 192, bits * 1000 + threads);
    clr_source *source;
    assert_ok(clr_source_open(path, NULL, &source));
    const clr_source_info *info = clr_source_get_info(source);
    static const clradio_type types[2][3] = { { CLRADIO_I8, CLRADIO_I16, CLRADIO_F32 },
                                              { CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF32 } };
    assert_string_equal(info->format, "VDIF");
    assert_int_equal(info->natural, types[complex_samples][bits <= 8 ? 0 : bits / 16]);
    assert_int_equal(info->bits, bits);
    assert_int_equal(info->inputs, threads);
    assert_int_equal(info->channels, channels);
    assert_int_equal(info->samples, 192);
    assert_int_equal(info->samples_present, 192 * threads);
    assert_int_equal(info->bytes_lost, 0);
    assert_true(info->sample_rate_hz == 64000);
    assert_true(info->start_known && info->start.mjd == start_at(0).mjd &&
                info->start.seconds == 86399 && info->start.fraction == 0.999);
    /* One or two threads are polarisations of one station, more are stations. */
    assert_int_equal(info->polarisations, threads == 2 ? 2 : 1);
    assert_int_equal(info->stations, threads <= 2 ? 1 : threads);
    assert_content(source, samples,
                   (size_t)192 * threads * channels * component_bytes(bits) *
                       (complex_samples ? 2 : 1));
    clr_source_close(source);
    free(samples);
}

static void vdif_gives_back_every_coding_shape_and_header(void **state)
{
    (void)state;
    static const uint32_t threads[] = { 1, 2, 3, 8 }, channels[] = { 1, 2, 16 };
    static const int edvs[] = { 0, 1, 3, -1 };
    for (unsigned bits = 1; bits <= 32; bits *= 2)
        for (int complex_samples = 0; complex_samples <= 1; complex_samples++)
            for (size_t t = 0; t < 4; t++)
                for (size_t c = 0; c < 3; c++)
                    for (size_t e = 0; e < 4; e++)
                        one_vdif_shape(bits, complex_samples, threads[t], channels[c], edvs[e]);
}

static void vdif_codings_against_the_standard_are_read_with_their_option(void **state)
{
    (void)state;
    const char *path = file("coding.vdif");
    for (unsigned bits = 1; bits <= 16; bits *= 2)
        for (int high = 0; high <= (bits == 4); high++) {
            clr_vdif_writer_config config = { .path = path,
                                              .sample_rate_hz = 6400,
                                              .start = start_at(0),
                                              .threads = 2,
                                              .channels = 1,
                                              .bits = bits,
                                              .complex_samples = 1,
                                              .samples_per_frame = 32,
                                              .twos_complement = 1,
                                              .real_high = high };
            void *samples = write_vdif(&config, 96, bits);
            clr_source_options options = { .twos_complement = 1, .real_high = high };
            clr_source *source;
            assert_ok(clr_source_open(path, &options, &source));
            assert_content(source, samples, (size_t)96 * 4 * component_bytes(bits));
            clr_source_close(source);
            free(samples);
        }
}

static void real_samples_come_as_complex_with_zero_imaginary_part(void **state)
{
    (void)state;
    const char *path = file("real.vdif");
    for (unsigned bits = 2; bits <= 32; bits *= 4) {
        clr_vdif_writer_config config = { .path = path,
                                          .sample_rate_hz = 6400,
                                          .start = start_at(0),
                                          .threads = 3,
                                          .channels = 2,
                                          .bits = bits,
                                          .samples_per_frame = 64 };
        unsigned char *samples = write_vdif(&config, 128, bits);
        clr_source *source;
        assert_ok(clr_source_open(path, NULL, &source));
        size_t size = component_bytes(bits), n = 128 * 6;
        unsigned char *read = malloc(2 * n * size), zero[4] = { 0 };
        assert_ok(clr_source_read(source, 0, 128, 1, read, NULL));
        for (size_t i = 0; i < n; i++) {
            assert_memory_equal(read + 2 * i * size, samples + i * size, size);
            assert_memory_equal(read + (2 * i + 1) * size, zero, size);
        }
        free(read);
        clr_source_close(source);
        free(samples);
    }
}

/* Stations AB (threads 0, 1) and 7 (thread 2): sorted by their number, 7 comes first. */
static void threads_of_one_station_are_its_polarisations(void **state)
{
    (void)state;
    const char *path = file("stations.vdif");
    static const char *const names[] = { "AB", "AB", "7" };
    clr_vdif_writer_config config = { .path = path,
                                      .sample_rate_hz = 6400,
                                      .start = start_at(0),
                                      .threads = 3,
                                      .channels = 1,
                                      .bits = 8,
                                      .samples_per_frame = 64,
                                      .stations = names };
    free(write_vdif(&config, 64, 1));
    clr_source *source;
    assert_ok(clr_source_open(path, NULL, &source));
    const clr_source_info *info = clr_source_get_info(source);
    assert_int_equal(info->stations, 2);
    assert_int_equal(info->polarisations, 2);
    assert_string_equal(info->input[0].station, "7");
    assert_string_equal(info->input[1].station, "AB");
    assert_int_equal(info->input[1].station_index, 1);
    assert_int_equal(info->input[2].station_index, 1);
    assert_int_equal(info->input[2].polarisation, 1);
    clr_source_close(source);
}

static void *write_dada(const clr_dada_writer_config *config, uint64_t samples, uint64_t seed)
{
    size_t n = (size_t)samples * config->channels * config->polarisations *
               (config->complex_samples ? 2 : 1);
    void *values = random_components(&seed, config->bits, n);
    clr_dada_writer *writer;
    assert_ok(clr_dada_writer_open(config, &writer));
    assert_ok(clr_dada_writer_write(writer, values, samples));
    assert_ok(clr_dada_writer_close(writer));
    return values;
}

/* 100 MHz in 3 channels down from 450 MHz: the first is centred at 400 + 50 - 100/6 MHz. */
static void dada_gives_back_every_coding_and_shape(void **state)
{
    (void)state;
    const char *path = file("shape.dada");
    for (unsigned bits = 8; bits <= 32; bits *= 2)
        for (int complex_samples = 0; complex_samples <= 1; complex_samples++)
            for (uint32_t polarisations = 1; polarisations <= 3; polarisations++)
                for (uint32_t channels = 1; channels <= 3; channels += 2) {
                    clr_dada_writer_config config = { .path = path,
                                                      .sample_rate_hz = 1e8 / 3,
                                                      .start = start_at(0.123456789),
                                                      .channels = channels,
                                                      .polarisations = polarisations,
                                                      .bits = bits,
                                                      .complex_samples = complex_samples,
                                                      .frequency_mhz = 400,
                                                      .bandwidth_mhz = -100,
                                                      .offset_samples = 123456789012,
                                                      .header_bytes = channels == 3 ? 8192 : 0,
                                                      .telescope = "Test",
                                                      .object = "a source" };
                    void *samples = write_dada(&config, 1001, bits);
                    clr_source *source;
                    assert_ok(clr_source_open(path, NULL, &source));
                    const clr_source_info *info = clr_source_get_info(source);
                    assert_string_equal(info->format, "DADA");
                    assert_string_equal(info->telescope, "Test");
                    assert_string_equal(info->object, "a source");
                    assert_int_equal(info->samples, 1001);
                    assert_int_equal(info->inputs, polarisations);
                    assert_true(info->reversed);
                    double step = -100e6 / channels;
                    assert_true(fabs(info->channel_step_hz - step) < 1e-3);
                    double first = 450e6 + (complex_samples ? step / 2 : 0);
                    assert_true(fabs(info->frequency_hz - first) < 1e-3);
                    assert_true(fabs(clr_time_difference(info->start, config.start)) < 1e-9);
                    assert_content(source, samples,
                                   (size_t)1001 * channels * polarisations * component_bytes(bits) *
                                       (complex_samples ? 2 : 1));
                    clr_source_close(source);
                    free(samples);
                }
}

/* Inputs 1 to 13 are 7 stands; 1960 ticks a sample is 100 kHz; a word of 2^30 is a quarter of 196
 * MHz. */
static void tbn_gives_back_its_samples_rate_and_frequency(void **state)
{
    (void)state;
    const char *path = file("array.tbn");
    uint64_t seed = 5;
    clr_tbn_writer_config config = { .path = path,
                                     .inputs = 13,
                                     .tags_per_sample = 1960,
                                     .first_tag = 1400000000ull * 196000000 + 98000000,
                                     .tuning_word = 1u << 30 };
    void *samples = random_components(&seed, 8, 3 * 512 * 13 * 2);
    clr_tbn_writer *writer;
    assert_ok(clr_tbn_writer_open(&config, &writer));
    assert_ok(clr_tbn_writer_write(writer, samples, 3 * 512));
    assert_ok(clr_tbn_writer_close(writer));
    clr_source *source;
    assert_ok(clr_source_open(path, NULL, &source));
    const clr_source_info *info = clr_source_get_info(source);
    char text[40];
    assert_string_equal(info->format, "TBN");
    assert_int_equal(info->inputs, 13);
    assert_int_equal(info->stations, 7);
    assert_int_equal(info->input[11].station_index, 5);
    assert_int_equal(info->input[11].polarisation, 1);
    assert_string_equal(info->input[11].name, "stand 6 Y");
    assert_true(info->sample_rate_hz == 100000 && info->frequency_hz == 49e6);
    /* 1400000000 s after 1970 */
    assert_string_equal(clr_time_text(info->start, text), "2014-05-13T16:53:20.500000000");
    assert_content(source, samples, 3 * 512 * 13 * 2);
    clr_source_close(source);
    free(samples);
}

static void tbn_tags_overrule_rates_and_show_what_is_missing(void **state)
{
    (void)state;
    const char *path = file("tags.tbn");
    uint64_t seed = 6;
    clr_tbn_writer_config config = { .path = path, .inputs = 13, .tags_per_sample = 1960 };
    void *samples = random_components(&seed, 8, 3 * 512 * 13 * 2);
    clr_tbn_writer *writer;
    clr_source *source;
    assert_ok(clr_tbn_writer_open(&config, &writer));
    assert_ok(clr_tbn_writer_write(writer, samples, 3 * 512));
    assert_ok(clr_tbn_writer_close(writer));
    clr_source_options options = { .sample_rate_hz = 50000 };
    assert_int_equal(clr_source_open(path, &options, &source), CLRADIO_ERROR_ARGUMENT);
    options.sample_rate_hz = 99999;
    assert_int_equal(clr_source_open(path, &options, &source), CLRADIO_ERROR_ARGUMENT);
    /* The first time alone says no rate; its frames are there all the same. */
    test_bytes bytes = load_file(path);
    store_file(path, bytes.at, 13 * 1048);
    assert_ok(clr_source_open(path, NULL, &source));
    const clr_source_info *info = clr_source_get_info(source);
    assert_true(info->sample_rate_hz == 0 && info->samples == 512);
    assert_content(source, samples, 512 * 13 * 2);
    clr_source_close(source);
    /* The frame of stand 2 X of the second time is gone. */
    memmove(bytes.at + 15 * 1048, bytes.at + 16 * 1048, 23 * 1048);
    store_file(path, bytes.at, 38 * 1048);
    assert_ok(clr_source_open(path, NULL, &source));
    info = clr_source_get_info(source);
    assert_true(info->sample_rate_hz == 100000 && info->samples == 3 * 512);
    assert_int_equal(info->samples_present, 38 * 512);
    signed char read[512 * 26];
    uint64_t present[13 * 8];
    assert_ok(clr_source_read(source, 512, 512, 0, read, present));
    for (int i = 0; i < 13; i++)
        for (int t = 0; t < 512; t++) {
            signed char *expected = (signed char *)samples + ((512 + t) * 13 + i) * 2;
            assert_int_equal(read[(t * 13 + i) * 2], i == 2 ? 0 : expected[0]);
            assert_int_equal(read[(t * 13 + i) * 2 + 1], i == 2 ? 0 : expected[1]);
            assert_int_equal(present[i * 8 + t / 64] >> (t % 64) & 1, i != 2);
        }
    clr_source_close(source);
    free(bytes.at);
    free(samples);
}

static void a_piece_that_is_read_is_that_piece_of_the_whole(void **state)
{
    (void)state;
    const char *path = file("pieces.vdif");
    uint64_t seed = 9;
    clr_vdif_writer_config config = { .path = path,
                                      .sample_rate_hz = 96000,
                                      .start = start_at(0.5),
                                      .threads = 3,
                                      .channels = 2,
                                      .bits = 2,
                                      .samples_per_frame = 96 };
    unsigned char *samples = write_vdif(&config, 96 * 20, 9);
    clr_source *source;
    assert_ok(clr_source_open(path, NULL, &source));
    unsigned char read[2100 * 6];
    uint64_t present[3 * 33];
    for (int round = 0; round < 500; round++) {
        uint64_t first = (uint64_t)test_random_between(&seed, 0, 1950);
        uint64_t count = (uint64_t)test_random_between(&seed, 0, round % 2 ? 130 : 2050);
        uint64_t words = (count + 63) / 64;
        memset(read, 0x5a, sizeof read);
        assert_ok(clr_source_read(source, first, count, 0, read, present));
        for (uint64_t t = 0; t < count; t++)
            for (int k = 0; k < 6; k++) {
                int there = first + t < 1920;
                assert_int_equal(read[t * 6 + k], there ? samples[(first + t) * 6 + k] : 0);
                assert_int_equal(present[k % 3 * words + t / 64] >> (t % 64) & 1, there);
            }
    }
    clr_source_close(source);
    free(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vdif_gives_back_every_coding_shape_and_header),
        cmocka_unit_test(vdif_codings_against_the_standard_are_read_with_their_option),
        cmocka_unit_test(real_samples_come_as_complex_with_zero_imaginary_part),
        cmocka_unit_test(threads_of_one_station_are_its_polarisations),
        cmocka_unit_test(dada_gives_back_every_coding_and_shape),
        cmocka_unit_test(tbn_gives_back_its_samples_rate_and_frequency),
        cmocka_unit_test(tbn_tags_overrule_rates_and_show_what_is_missing),
        cmocka_unit_test(a_piece_that_is_read_is_that_piece_of_the_whole),
    };
    return cmocka_run_group_tests_name("readers", tests, make_group_folder, remove_group_folder);
}
