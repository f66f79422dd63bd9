/*
 * Hostile files: empty, cut at every byte of their headers, random, with wrong sizes and absurd
 * counts, and thousands of mutations of good ones. Nothing may crash, hang, or allocate beyond a
 * small multiple of the file; every refusal has a documented status and a sentence.
 *
 * 2,000 mutations of each sample; 10,000 with CLRADIO_TEST_LONG=1. The files of $CLRADIO_DATA join
 * in when it is set.
 */
#include "counted_memory.h"
#include "voltage_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *folder;
static char path[4200];

/* 16 times the file and 512 KiB: a window of 128 KiB, the index, headers, sentences. */
static size_t fair_memory(size_t file_bytes)
{
    return 16 * file_bytes + (512 << 10);
}

static void assert_documented(clradio_status status)
{
    assert_true(status == CLRADIO_ERROR_FORMAT || status == CLRADIO_ERROR_ARGUMENT ||
                status == CLRADIO_ERROR_UNSUPPORTED);
    assert_true(strlen(clradio_last_error()) > 20);
}

/* Reads at the beginning, the end, past it and at a random place. */
static void read_some(clr_source *source, uint64_t *seed)
{
    static unsigned char to[1 << 20];
    static uint64_t present[1 << 16];
    const clr_source_info *info = clr_source_get_info(source);
    uint64_t each = (uint64_t)info->channels * info->inputs * 16;
    uint64_t count = each && each <= sizeof to ? sizeof to / each : 0;
    count = count > 3000 ? 3000 : count;
    while (count && (count + 63) / 64 * info->inputs > sizeof present / sizeof *present)
        count /= 2;
    uint64_t firsts[] = { 0, info->samples - (count < info->samples ? count : info->samples),
                          info->samples ? test_random(seed) % info->samples : 0, UINT64_MAX - 10 };
    for (int i = 0; count && i < 4; i++) {
        clradio_status status = clr_source_read(source, firsts[i], count, i % 2, to, present);
        if (status)
            assert_documented(status);
    }
}

/* Opens what is stored under names (count bytes in all), and looks at everything. */
static void look_at_names(const char *names, size_t count, const clr_source_options *options,
                          uint64_t *seed)
{
    size_t before = counted_begin(fair_memory(count));
    clr_source *source = NULL;
    clradio_status status = clr_source_open(names, options, &source);
    clr_text text = { 0 };
    if (!status) {
        const clr_source_info *info = clr_source_get_info(source);
        uint64_t wanted = info->samples * info->inputs;
        assert_true(info->samples >= 1 && info->inputs >= 1 && info->channels >= 1);
        assert_true(info->samples < 1ull << 60 && info->samples_present <= wanted);
        assert_true(info->bytes_lost <= count);
        for (uint32_t i = 0; i < info->inputs; i++)
            assert_true(info->input[i].station_index < info->stations &&
                        info->input[i].polarisation < info->polarisations);
        read_some(source, seed);
        clr_source_describe(source, &text);
        assert_true(text.length > 100 && !text.failed);
    } else {
        assert_documented(status);
        assert_null(source);
    }
    clr_text_free(&text);
    clr_source_close(source);
    size_t most = counted_most();
    if (most > fair_memory(count))
        print_error("more than %zu bytes for a file of %zu: %s\n", fair_memory(count), count,
                    clradio_last_error());
    assert_true(most <= fair_memory(count));
    assert_int_equal(counted_living(), before);
}

static void look_at(const unsigned char *bytes, size_t count, const clr_source_options *options,
                    uint64_t *seed)
{
    store_file(path, bytes, count);
    look_at_names(path, count, options, seed);
}

/* The formats by name too, so that a reader sees what recognition would keep from it. */
static void look_in_all_ways(const unsigned char *bytes, size_t count, uint64_t *seed)
{
    static const char *const formats[] = { NULL, "vdif", "dada", "tbn" };
    for (int i = 0; i < 4; i++) {
        clr_source_options options = { .format = formats[i], .strict = (int)(*seed % 2) };
        options.sample_rate_hz = *seed % 5 == 0 ? 3200 : 0;
        look_at(bytes, count, &options, seed);
    }
}

static void random_fill(void *to, size_t count, uint64_t *seed)
{
    unsigned char *bytes = to;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)test_random(seed);
}

enum { SAMPLES = 9 };
static test_bytes sample[SAMPLES];

static void make_vdif(int which, unsigned edv, uint32_t threads, uint32_t channels, unsigned bits,
                      int complex_samples)
{
    clr_vdif_writer_config config = { .path = path,
                                      .sample_rate_hz = 32000,
                                      .start = { 60000, 5, 0.998 },
                                      .threads = threads,
                                      .channels = channels,
                                      .bits = bits,
                                      .complex_samples = complex_samples,
                                      .edv = edv < 4 ? edv : 0,
                                      .legacy = edv == 4,
                                      .samples_per_frame = 64 / channels };
    free(write_vdif(&config, 5 * 64 / channels, 1));
    sample[which] = load_file(path);
}

static void make_dada(int which, unsigned bits, uint32_t channels)
{
    uint64_t seed = 1;
    clr_dada_writer_config config = { .path = path,
                                      .sample_rate_hz = 1e6,
                                      .start = { 60000, 5, 0.998 },
                                      .channels = channels,
                                      .polarisations = 2,
                                      .bits = bits,
                                      .complex_samples = 1,
                                      .header_bytes = 600 };
    void *values = random_components(&seed, bits, 64 * channels * 4);
    clr_dada_writer *writer;
    assert_ok(clr_dada_writer_open(&config, &writer));
    assert_ok(clr_dada_writer_write(writer, values, 64));
    assert_ok(clr_dada_writer_close(writer));
    free(values);
    sample[which] = load_file(path);
}

static void make_tbn(int which)
{
    uint64_t seed = 1;
    clr_tbn_writer_config config = {
        .path = path, .inputs = 3, .tags_per_sample = 1960, .first_tag = 1ull << 58
    };
    void *values = random_components(&seed, 8, 1024 * 6);
    clr_tbn_writer *writer;
    assert_ok(clr_tbn_writer_open(&config, &writer));
    assert_ok(clr_tbn_writer_write(writer, values, 1024));
    assert_ok(clr_tbn_writer_close(writer));
    free(values);
    sample[which] = load_file(path);
}

static int make_samples(void **state)
{
    (void)state;
    folder = scratch_folder();
    snprintf(path, sizeof path, "%s/file", folder);
    make_vdif(0, 0, 2, 1, 2, 0);
    make_vdif(1, 1, 3, 2, 8, 1);
    make_vdif(2, 3, 1, 16, 4, 1);
    make_vdif(3, 4, 2, 4, 16, 0);
    make_vdif(4, 0, 5, 1, 32, 1);
    make_dada(5, 8, 1);
    make_dada(6, 16, 3);
    make_dada(7, 32, 2);
    make_tbn(8);
    return 0;
}

static int drop_samples(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        free(sample[i].at);
    remove_folder(folder);
    return 0;
}

static void good_samples_are_read(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        clr_source *source;
        store_file(path, sample[i].at, sample[i].count);
        assert_ok(clr_source_open(path, NULL, &source));
        const clr_source_info *info = clr_source_get_info(source);
        assert_int_equal(info->samples_present, info->samples * info->inputs);
        clr_source_close(source);
    }
}

static void an_empty_file_and_things_that_are_no_file_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 1;
    clr_source *source;
    look_in_all_ways((const unsigned char *)"", 0, &seed);
    assert_int_equal(clr_source_open(path, NULL, &source), CLRADIO_ERROR_FORMAT);
    assert_int_equal(clr_source_open(folder, NULL, &source), CLRADIO_ERROR_IO);
    assert_int_equal(clr_source_open("", NULL, &source), CLRADIO_ERROR_IO);
    assert_int_equal(clr_source_open("/dev/zero", NULL, &source), CLRADIO_ERROR_IO);
    assert_int_equal(clr_source_open(",,,", NULL, &source), CLRADIO_ERROR_IO);
    clr_source_options options = { .format = "vdiff" };
    store_file(path, sample[0].at, sample[0].count);
    assert_int_equal(clr_source_open(path, &options, &source), CLRADIO_ERROR_ARGUMENT);
}

/* Every length through the first frames or the whole text header. */
static void a_file_cut_at_every_byte_of_its_header_is_survived(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < SAMPLES; i++)
        for (size_t count = 0; count <= 700 && count <= sample[i].count; count++, seed++)
            look_at(sample[i].at, count, &(clr_source_options){ .strict = (int)(count % 2) },
                    &seed);
}

static void every_header_byte_takes_extreme_values(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
    for (int i = 0; i < SAMPLES; i++)
        for (size_t at = 0; at < (i >= 5 && i < 8 ? 320u : 32u); at++) {
            unsigned char kept = sample[i].at[at];
            for (size_t v = 0; v < sizeof values; v++) {
                sample[i].at[at] = values[v];
                look_at(sample[i].at, sample[i].count, NULL, &seed);
            }
            sample[i].at[at] = kept;
        }
}

static void random_bytes_are_refused_or_survived(void **state)
{
    (void)state;
    uint64_t seed = 4;
    unsigned char bytes[8192];
    for (int round = 0; round < 300; round++) {
        size_t count = (size_t)test_random_between(&seed, 1, round % 3 ? 200 : sizeof bytes);
        random_fill(bytes, count, &seed);
        if (round % 4 == 1) /* all frames tiny: word 2 says 24 or 40 bytes */
            for (size_t at = 0; at + 16 <= count; at += 24)
                memcpy(bytes + at + 8, "\x03\0\0", 3);
        look_in_all_ways(bytes, count, &seed);
    }
}

static void sizes_and_counts_that_are_absurd_allocate_nothing(void **state)
{
    (void)state;
    uint64_t seed = 5;
    static const char *const lines[] = {
        "NCHAN 16777216\nNPOL 65536\nNBIT 32\n",
        "NCHAN 4294967297\nNPOL 1\nNBIT 8\n",
        "NCHAN 1e308\nNPOL 1\nNBIT 8\n",
        "HDR_SIZE 18446744073709551615\nNBIT 8\n",
        "HDR_SIZE 67108864\nNBIT 8\n",
        "HDR_SIZE 0\nNBIT 8\n",
        "HDR_SIZE -1\nNBIT 8\n",
        "NBIT 8\nFILE_SIZE 18446744073709551615\n",
        "NBIT 8\nTSAMP 1e-300\n",
        "NBIT 8\nTSAMP 1e300\nOBS_OFFSET 1000\n",
        "NBIT 8\nTSAMP 0\nBW 1e300\nFREQ -1e300\n",
        "NBIT 8\nMJD_START 99999999.99999\n",
        "NBIT 8\nUTC_START 9999-12-31-23:59:60\nTSAMP 1e6\nOBS_OFFSET 4611686018427387903\n",
        "NBIT 8\nPICOSECONDS 18446744073709551615\nUTC_START 2000-01-01-00:00:00\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        unsigned char bytes[5000] = { 0 };
        snprintf((char *)bytes, sizeof bytes, "HEADER DADA\n%s", lines[i]);
        look_in_all_ways(bytes, sizeof bytes, &seed);
    }
    /* Each of 200 frames from another thread and station, each a day after the last. */
    unsigned char many[200 * 24];
    for (int i = 0; i < 200; i++) {
        unsigned char *at = many + 24 * i;
        memset(at, i, 24);
        uint32_t words[4] = { 1u << 30 | (uint32_t)i * 86400, (uint32_t)i, 3,
                              7u << 26 | i * 65537u };
        for (int b = 0; b < 16; b++)
            at[b] = (unsigned char)(words[b / 4] >> (8 * (b % 4)));
    }
    look_in_all_ways(many, sizeof many, &seed);
}

/* A few changes: bits, bytes, runs moved, cut out or doubled, numbers of text turned. */
static size_t mutate(unsigned char *bytes, size_t count, uint64_t *seed)
{
    int changes = (int)test_random_between(seed, 1, 6);
    for (int i = 0; i < changes && count > 1; i++) {
        size_t front = test_random(seed) % 2 && count > 600 ? 600 : count;
        size_t at = (size_t)(test_random(seed) % front);
        size_t run = (size_t)test_random_between(seed, 1, 40);
        run = run > count - at ? count - at : run;
        switch (test_random_between(seed, 0, 7)) {
        case 0: bytes[at] ^= (unsigned char)(1u << (test_random(seed) % 8)); break;
        case 1: bytes[at] = (unsigned char)test_random(seed); break;
        case 2: random_fill(bytes + at, run, seed); break;
        case 3: memset(bytes + at, test_random(seed) % 2 ? 0 : 0xff, run); break;
        case 4: /* out */
            memmove(bytes + at, bytes + at + run, count - at - run);
            count -= run;
            break;
        case 5: /* doubled: the buffer has room */
            memmove(bytes + at + run, bytes + at, count - at);
            count += run;
            break;
        case 6: bytes[at] = (unsigned char)"0123456789-+.eE \n#"[test_random(seed) % 18]; break;
        default: count -= test_random(seed) % 8 ? 0 : (size_t)(test_random(seed) % count); break;
        }
    }
    return count;
}

static void mutate_often(const unsigned char *bytes, size_t count, uint64_t seed)
{
    const int rounds = test_long() ? 10000 : 2000;
    unsigned char *changed = malloc(count + 1024);
    for (int round = 0; round < rounds; round++) {
        memcpy(changed, bytes, count);
        size_t left = mutate(changed, count, &seed);
        clr_source_options options = { .strict = round % 8 == 7,
                                       .sample_rate_hz = round % 16 == 3 ? 32000 : 0,
                                       .real_high = round % 32 == 9 };
        look_at(changed, left, &options, &seed);
        if (round % 16 == 5) { /* the whole file and the damaged one as two parts */
            char names[8600], whole[4300];
            snprintf(whole, sizeof whole, "%s-whole", path);
            snprintf(names, sizeof names, "%s,%s", whole, path);
            store_file(whole, bytes, count);
            look_at_names(names, count + left, &options, &seed);
        }
    }
    free(changed);
}

static void mutations_of_good_files_are_survived(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        mutate_often(sample[i].at, sample[i].count, 100 + (uint64_t)i);
}

static void mutations_of_real_files_are_survived(void **state)
{
    (void)state;
    static const char *const names[] = { "sample.vdif",          "sample_vlbi.vdif",
                                         "sample_arochime.vdif", "sample_bps1.vdif",
                                         "sample.dada",          "tbn-test.dat" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *real = data_file(names[i]);
        if (!real)
            skip();
        test_bytes bytes = load_file(real);
        mutate_often(bytes.at, bytes.count, 200 + i);
        free(bytes.at);
    }
}

int main(void)
{
    alarm(3000); /* a hang ends the test */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_samples_are_read),
        cmocka_unit_test(an_empty_file_and_things_that_are_no_file_are_refused),
        cmocka_unit_test(a_file_cut_at_every_byte_of_its_header_is_survived),
        cmocka_unit_test(every_header_byte_takes_extreme_values),
        cmocka_unit_test(random_bytes_are_refused_or_survived),
        cmocka_unit_test(sizes_and_counts_that_are_absurd_allocate_nothing),
        cmocka_unit_test(mutations_of_good_files_are_survived),
        cmocka_unit_test(mutations_of_real_files_are_survived),
    };
    return cmocka_run_group_tests_name("hostile", tests, make_samples, drop_samples);
}
