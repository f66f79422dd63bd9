/*
 * VDIF files as they are found: frames in any order, missing, repeated, invalid, with junk between
 * them and a cut end; rates that must be worked out; headers that contradict each other.
 */
#include "voltage_support.h"

#include "io/vdif_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[4200];

static clr_vdif_writer_config plain_config(void)
{
    clr_vdif_writer_config config = { .path = path,
                                      .sample_rate_hz = 3200,
                                      .start = { clr_time_mjd(2022, 3, 4), 7200, 0.96 },
                                      .threads = 3,
                                      .channels = 2,
                                      .bits = 4,
                                      .complex_samples = 1,
                                      .samples_per_frame = 32 };
    return config;
}

static clr_source *open_it(void)
{
    clr_source *source;
    assert_ok(clr_source_open(path, NULL, &source));
    return source;
}

/* The remark that holds words, or NULL. */
static const char *remark_with(const clr_source *source, const char *words)
{
    const char *remark;
    for (size_t i = 0; (remark = clr_source_remark(source, i)); i++)
        if (strstr(remark, words))
            return remark;
    return NULL;
}

enum { TIMES = 40, THREADS = 3, FRAMES = TIMES * THREADS, SAMPLES = 32, CHANNELS = 2 };

/* A whole file and what was done to it. */
typedef struct damaged {
    test_bytes whole;
    unsigned char *samples; /* [time][channel][thread][2] */
    unsigned char *bytes;   /* the damaged file */
    size_t count, junk;
    int gone[FRAMES]; /* by place in the whole file: time * THREADS + thread */
    int missing, repeated, invalid;
} damaged;

static void append(damaged *file, const void *bytes, size_t count)
{
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
}

/* Frames of the first and the last time stay whole, so that the file keeps its length. */
static void damage(damaged *file, uint64_t seed, size_t frame_bytes)
{
    int order[FRAMES];
    for (int i = 0; i < FRAMES; i++)
        order[i] = i;
    /* Frames move by a few places, some by many. */
    for (int i = 0; i < FRAMES; i++) {
        int k = (int)test_random_between(&seed, 0, seed % 16 ? 6 : FRAMES);
        int other = i + k < FRAMES ? i + k : i, kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int i = 0; i < FRAMES; i++) {
        unsigned char frame[4096], junk[64];
        memcpy(frame, file->whole.at + (size_t)order[i] * frame_bytes, frame_bytes);
        int inner = order[i] >= THREADS && order[i] < FRAMES - THREADS;
        switch (test_random_between(&seed, 0, 11)) {
        case 0:
            file->gone[order[i]] = inner;
            file->missing += inner;
            if (!inner)
                append(file, frame, frame_bytes);
            break;
        case 1:
            if (inner) {
                frame[3] |= 0x80; /* invalid */
                memset(frame + 32, 0xee, 5);
                if (test_random(&seed) % 2) /* a wrong time, as invalid frames may have */
                    frame[1] ^= 0x55;
                file->gone[order[i]] = 1;
                file->invalid++;
            }
            append(file, frame, frame_bytes);
            break;
        case 2: /* repeated with another content: the first counts */
            append(file, frame, frame_bytes);
            frame[40] ^= 0xff;
            append(file, frame, frame_bytes);
            file->repeated++;
            break;
        case 3: {
            size_t n = (size_t)test_random_between(&seed, 1, sizeof junk);
            for (size_t b = 0; b < n; b++)
                junk[b] = (unsigned char)test_random(&seed);
            append(file, junk, n);
            file->junk += n;
            append(file, frame, frame_bytes);
            break;
        }
        default: append(file, frame, frame_bytes); break;
        }
    }
    size_t tail = (size_t)test_random_between(&seed, 0, (int64_t)frame_bytes - 1);
    append(file, file->whole.at, tail);
    file->junk += tail;
}

static void assert_damaged_content(clr_source *source, const damaged *file, uint64_t first,
                                   uint64_t count)
{
    unsigned char *read = malloc((size_t)count * CHANNELS * THREADS * 2 + 1);
    uint64_t words = (count + 63) / 64, *present = malloc((size_t)words * THREADS * 8 + 1);
    assert_ok(clr_source_read(source, first, count, 0, read, present));
    for (uint64_t t = 0; t < count; t++)
        for (size_t i = 0; i < THREADS; i++) {
            uint64_t time = first + t;
            int there = !file->gone[time / SAMPLES * THREADS + i];
            assert_int_equal(present[i * words + t / 64] >> (t % 64) & 1, there);
            for (size_t c = 0; c < CHANNELS; c++)
                for (size_t d = 0; d < 2; d++) {
                    int expected = file->samples[((time * CHANNELS + c) * THREADS + i) * 2 + d];
                    assert_int_equal(read[((t * CHANNELS + c) * THREADS + i) * 2 + d],
                                     there ? expected : 0);
                }
        }
    free(read);
    free(present);
}

static void a_damaged_file_gives_what_is_whole_at_its_place(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        clr_vdif_writer_config config = plain_config();
        config.edv = (unsigned)(seed % 2);
        config.sample_rate_hz = 32000; /* 1000 frames a second */
        config.start.fraction = 0.98;
        uint64_t places = seed;
        damaged file = { 0 };
        file.samples = write_vdif(&config, TIMES * SAMPLES, seed);
        file.whole = load_file(path);
        size_t frame_bytes = file.whole.count / FRAMES;
        file.bytes = malloc(file.whole.count * 3);
        damage(&file, seed, frame_bytes);
        store_file(path, file.bytes, file.count);
        clr_source_options options = { .sample_rate_hz = seed % 2 ? 0 : 32000 };
        clr_source *source;
        assert_ok(clr_source_open(path, &options, &source));
        const clr_source_info *info = clr_source_get_info(source);
        assert_int_equal(info->samples, TIMES * SAMPLES);
        assert_int_equal(info->inputs, THREADS);
        assert_int_equal(info->samples_present, (FRAMES - file.missing - file.invalid) * SAMPLES);
        assert_int_equal(info->bytes_lost, file.junk);
        assert_true(!remark_with(source, "repeated") == !file.repeated);
        assert_true(!remark_with(source, "marked invalid") == !file.invalid);
        assert_damaged_content(source, &file, 0, info->samples);
        for (int round = 0; round < 10; round++) {
            uint64_t first = (uint64_t)test_random_between(&places, 0, TIMES * SAMPLES - 1);
            assert_damaged_content(source, &file, first,
                                   (TIMES * SAMPLES - first) / (uint64_t)(round + 1));
        }
        clr_source_close(source);
        /* The same file, strictly: refused. */
        options.strict = 1;
        assert_int_equal(clr_source_open(path, &options, &source), CLRADIO_ERROR_FORMAT);
        free(file.samples);
        free(file.whole.at);
        free(file.bytes);
    }
}

static void put_word(unsigned char *frame, int word, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        frame[4 * word + i] = (unsigned char)(value >> (8 * i));
}

/* Thread 1 says another second than the others: 1000 s apart there is no common time. */
static void threads_whose_seconds_disagree_are_refused(void **state)
{
    (void)state;
    clr_vdif_writer_config config = plain_config();
    free(write_vdif(&config, 64, 1));
    test_bytes file = load_file(path);
    size_t frame_bytes = file.count / 6;
    for (int t = 0; t < 2; t++) {
        clr_vdif_header header;
        unsigned char *frame = file.at + (size_t)(3 * t + 1) * frame_bytes;
        clr_vdif_header_decode(frame, 32, &header);
        header.seconds += 1000;
        clr_vdif_header_encode(&header, frame);
    }
    store_file(path, file.at, file.count);
    clr_source *source;
    for (int rate = 0; rate <= 3200; rate += 3200) {
        clr_source_options options = { .sample_rate_hz = rate };
        clradio_status status = clr_source_open(path, &options, &source);
        assert_true(status == CLRADIO_ERROR_FORMAT || (!rate && status == CLRADIO_ERROR_ARGUMENT));
        if (rate)
            assert_non_null(strstr(clradio_last_error(), "disagree"));
    }
    free(file.at);
}

/* One frame of 300 carries a time in another year: it is left out, the rest stays. */
static void a_frame_with_a_wild_time_is_left_out(void **state)
{
    (void)state;
    clr_vdif_writer_config config = plain_config();
    config.sample_rate_hz = 64000;
    config.edv = 1;
    free(write_vdif(&config, 3200, 1));
    test_bytes file = load_file(path);
    size_t frame_bytes = file.count / 300;
    put_word(file.at + 150 * frame_bytes, 0, 0x3fffffff);
    store_file(path, file.at, file.count);
    clr_source *source = open_it();
    const clr_source_info *info = clr_source_get_info(source);
    assert_int_equal(info->samples, 3200);
    assert_int_equal(info->samples_present, 299 * 32);
    assert_non_null(remark_with(source, "far from the rest"));
    clr_source_close(source);
    free(file.at);
}

/* EDV 0: within one second no rate is known; over the end of one it is counted; 100 frames a second
 * of 32 samples are 3200 Hz. A rate that is given places the start. */
static void the_rate_is_given_or_counted_or_unknown(void **state)
{
    (void)state;
    clr_vdif_writer_config config = plain_config();
    clr_source *source;
    config.start.fraction = 0.25;
    free(write_vdif(&config, 64, 1));
    source = open_it();
    assert_true(clr_source_get_info(source)->sample_rate_hz == 0);
    assert_true(clr_source_get_info(source)->start_known);
    assert_false(clr_source_get_info(source)->start_exact);
    assert_non_null(remark_with(source, "sample rate"));
    clr_source_close(source);
    clr_source_options options = { .sample_rate_hz = 3200 };
    assert_ok(clr_source_open(path, &options, &source));
    assert_true(clr_source_get_info(source)->start.fraction == 0.25);
    assert_true(clr_source_get_info(source)->start_exact);
    clr_source_close(source);
    /* Frames 25 and 26 cannot be at 10 frames a second. */
    options.sample_rate_hz = 320;
    assert_int_equal(clr_source_open(path, &options, &source), CLRADIO_ERROR_ARGUMENT);

    config.start.fraction = 0.98;
    free(write_vdif(&config, 128, 1));
    source = open_it();
    assert_true(clr_source_get_info(source)->sample_rate_hz == 3200);
    assert_true(clr_source_get_info(source)->start.fraction == 0.98);
    clr_source_close(source);
}

/* One frame a second is the slowest rate there is: all frame numbers are 0. */
static void one_frame_a_second_is_a_rate(void **state)
{
    (void)state;
    clr_vdif_writer_config config = plain_config();
    config.sample_rate_hz = 32;
    config.start.fraction = 0;
    free(write_vdif(&config, 96, 1));
    clr_source *source = open_it();
    assert_true(clr_source_get_info(source)->sample_rate_hz == 32);
    assert_int_equal(clr_source_get_info(source)->samples, 96);
    clr_source_close(source);
}

/* EDV 1 says twice the rate that the frames have: three seconds of them show it. */
static void the_frames_overrule_a_wrong_rate_in_the_header(void **state)
{
    (void)state;
    clr_vdif_writer_config config = plain_config();
    config.edv = 1;
    config.sample_rate_hz = 32000;
    config.start.fraction = 0;
    free(write_vdif(&config, 96000, 1));
    test_bytes file = load_file(path);
    size_t frame_bytes = file.count / 9000;
    for (size_t i = 0; i < 9000; i++)
        put_word(file.at + i * frame_bytes, 4, 1u << 24 | 64);
    store_file(path, file.at, file.count);
    clr_source *source = open_it();
    assert_true(clr_source_get_info(source)->sample_rate_hz == 32000);
    assert_non_null(remark_with(source, "contradict"));
    clr_source_close(source);
    free(file.at);
}

/* A recording cut at any byte into parts is one recording. */
static void parts_of_a_file_are_read_as_one(void **state)
{
    (void)state;
    clr_vdif_writer_config config = plain_config();
    void *samples = write_vdif(&config, 320, 4);
    test_bytes file = load_file(path);
    char a[4300], b[4300], c[4300], list[16000];
    snprintf(a, sizeof a, "%s/a", group_folder);
    snprintf(b, sizeof b, "%s/b", group_folder);
    snprintf(c, sizeof c, "%s/c", group_folder);
    snprintf(list, sizeof list, "%s,%s,%s", a, b, c);
    for (size_t cut = 1; cut < 400; cut += 7) {
        store_file(a, file.at, cut);
        store_file(b, file.at + cut, 2 * cut);
        store_file(c, file.at + 3 * cut, file.count - 3 * cut);
        clr_source *source;
        assert_ok(clr_source_open(list, NULL, &source));
        unsigned char read[320 * 12];
        assert_int_equal(clr_source_get_info(source)->samples, 320);
        assert_ok(clr_source_read(source, 0, 320, 0, read, NULL));
        assert_memory_equal(read, samples, sizeof read);
        clr_source_close(source);
    }
    clr_source *source;
    snprintf(list, sizeof list, "%s,%s/absent", a, group_folder);
    assert_int_equal(clr_source_open(list, NULL, &source), CLRADIO_ERROR_IO);
    free(file.at);
    free(samples);
}

static void what_the_format_cannot_say_is_not_written(void **state)
{
    (void)state;
    clr_vdif_writer *writer;
    clr_vdif_writer_config config = plain_config();
    config.start.fraction = 0.005; /* half a frame */
    assert_int_equal(clr_vdif_writer_open(&config, &writer), CLRADIO_ERROR_ARGUMENT);
    config = plain_config();
    config.channels = 3;
    assert_int_equal(clr_vdif_writer_open(&config, &writer), CLRADIO_ERROR_ARGUMENT);
    config = plain_config();
    assert_ok(clr_vdif_writer_open(&config, &writer));
    signed char loud[32 * 12] = { 8 }; /* 4 bits end at 7 */
    assert_int_equal(clr_vdif_writer_write(writer, loud, 32), CLRADIO_ERROR_ARGUMENT);
    clr_vdif_writer_abandon(writer);
    assert_int_equal(clr_quantise(100, 4), 7);
    assert_int_equal(clr_quantise(-1.2, 2), -1);
    assert_int_equal(clr_quantise(-2.2, 2), -3);
    assert_int_equal(clr_quantise(-0.1, 1), -1);
    assert_int_equal(clr_quantise(5, 1), 1);
}

static int make_folder(void **state)
{
    int failed = make_group_folder(state);
    snprintf(path, sizeof path, "%s/file.vdif", group_folder);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_file_gives_what_is_whole_at_its_place),
        cmocka_unit_test(threads_whose_seconds_disagree_are_refused),
        cmocka_unit_test(a_frame_with_a_wild_time_is_left_out),
        cmocka_unit_test(the_rate_is_given_or_counted_or_unknown),
        cmocka_unit_test(one_frame_a_second_is_a_rate),
        cmocka_unit_test(the_frames_overrule_a_wrong_rate_in_the_header),
        cmocka_unit_test(parts_of_a_file_are_read_as_one),
        cmocka_unit_test(what_the_format_cannot_say_is_not_written),
    };
    return cmocka_run_group_tests_name("vdif", tests, make_folder, remove_group_folder);
}
