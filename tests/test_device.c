/* The room device: names, opening, a context of the caller's own, buffers, memory counts. */
#include "support.h"

#include "device/backend.h"

#include <clradio/opencl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two cards of one kind, one of them seen through a second platform, a processor, a broken card. */
enum { CARD, TWIN, AGAIN, PROCESSOR, BROKEN, RECORDS };
static void make_records(clradio_device_info *infos)
{
    static const char *const ids[] = { "opencl:0.0", "opencl:0.1", "opencl:1.0", "opencl:2.0",
                                       "opencl:3.0" };
    static const char *const names[] = { "Acme Rocket 9", "Acme Rocket 9", "rocket9 (mesa)",
                                         "Plain Processor", "Acme Rocket 10" };
    static const char *const platforms[] = { "Acme OpenCL", "Acme OpenCL", "Open Driver",
                                             "Portable Language", "Broken Platform" };
    static const char *const places[] = { "0000:01:00.0", "0000:02:00.0", "0000:01:00.0", "",
                                          "0000:03:00.0" };
    for (size_t i = 0; i < RECORDS; i++) {
        infos[i] = (clradio_device_info)CLRADIO_DEVICE_INFO_INIT;
        strcpy(infos[i].id, ids[i]);
        strcpy(infos[i].back_end, "opencl");
        strcpy(infos[i].name, names[i]);
        strcpy(infos[i].platform, platforms[i]);
        strcpy(infos[i].pci_address, places[i]);
    }
    strcpy(infos[BROKEN].unusable, "it is broken");
}

static void a_device_is_found_by_id_number_and_part_of_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t record;
    } cases[] = {
        { "opencl:0.1", TWIN },    { "OPENCL:2.0", PROCESSOR }, { "opencl:0", CARD },
        { "opencl:3", PROCESSOR }, { "processor", PROCESSOR },  { "plain proc", PROCESSOR },
        { "portable", PROCESSOR }, { "mesa", AGAIN },           { "rocket 10", BROKEN },
        { "auto", RECORDS },       { "Auto", RECORDS },
    };
    clradio_device_info infos[RECORDS];
    size_t chosen;
    make_records(infos);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(clr_device_find(cases[i].name, infos, RECORDS, &chosen));
        assert_int_equal(chosen, cases[i].record);
    }
}

/* "rocket9" is the mesa record alone; "rocket" fits the two cards, and the mesa record is the first
 * of them once more, so that it is not named; the broken one is no match beside usable ones. */
static void a_part_that_fits_several_devices_is_refused_and_names_them(void **state)
{
    (void)state;
    clradio_device_info infos[RECORDS];
    size_t chosen;
    make_records(infos);
    assert_ok(clr_device_find("rocket9", infos, RECORDS, &chosen));
    assert_int_equal(chosen, AGAIN);
    assert_int_equal(clr_device_find("rocket", infos, RECORDS, &chosen), CLRADIO_ERROR_NO_DEVICE);
    assert_non_null(strstr(clradio_last_error(), "fits 2 devices"));
    assert_non_null(strstr(clradio_last_error(), "opencl:0.0"));
    assert_non_null(strstr(clradio_last_error(), "opencl:0.1"));
    assert_null(strstr(clradio_last_error(), "opencl:1.0"));
    assert_null(strstr(clradio_last_error(), "opencl:3.0"));
}

static void a_misspelt_name_is_answered_with_the_closest(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "procesor", "\"Processor\"" },
        { "rokcet", "\"Rocket\"" },
        { "opencl:0.7", "\"opencl:0.0\"" },
        { "atuo", "\"auto\"" },
        { "plain processr", "\"Plain Processor\"" },
    };
    clradio_device_info infos[RECORDS];
    size_t chosen;
    make_records(infos);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(clr_device_find(cases[i][0], infos, RECORDS, &chosen),
                         CLRADIO_ERROR_NO_DEVICE);
        assert_non_null(strstr(clradio_last_error(), "did you mean"));
        assert_non_null(strstr(clradio_last_error(), cases[i][1]));
    }
    assert_int_equal(clr_device_find("xylophone", infos, RECORDS, &chosen),
                     CLRADIO_ERROR_NO_DEVICE);
    assert_null(strstr(clradio_last_error(), "did you mean"));
    assert_int_equal(clr_device_find("opencl:99999999999999999999", infos, RECORDS, &chosen),
                     CLRADIO_ERROR_NO_DEVICE);
    assert_int_equal(clr_device_find("anything", NULL, 0, &chosen), CLRADIO_ERROR_NO_DEVICE);
}

static void bad_arguments_give_a_status_and_a_sentence(void **state)
{
    (void)state;
    clradio_device_info info = { 0 };
    size_t count;
    clradio_device *device;
    assert_int_equal(clradio_device_list(NULL, 1, &count), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_device_list(&info, 1, &count), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_device_list(NULL, 0, NULL), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_device_open("auto", NULL), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_device_from_opencl(NULL, NULL, &device), CLRADIO_ERROR_ARGUMENT);
    assert_null(device);
    assert_true(clradio_last_error()[0]);
    clradio_device_close(NULL);
    clradio_queue_destroy(NULL);
    clradio_buffer_destroy(NULL);
    clradio_event_destroy(NULL);
}

/* The environment stands in for a NULL name. */
static void no_name_means_the_environment(void **state)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT, again = CLRADIO_DEVICE_INFO_INIT;
    clradio_device *device;
    assert_ok(clradio_device_describe(device_under_test(state), &info));
    assert_int_equal(setenv("CLRADIO_DEVICE", info.id, 1), 0);
    clradio_status status = clradio_device_open(NULL, &device);
    unsetenv("CLRADIO_DEVICE");
    assert_ok(status);
    assert_ok(clradio_device_describe(device, &again));
    clradio_device_close(device);
    assert_string_equal(again.id, info.id);
    assert_memory_equal(&info, &again, sizeof info);
    assert_true(info.max_allocation_bytes > 0 && info.max_group_size > 0 && info.compute_units > 0);
    assert_true(clr_device_identity(device_under_test(state))[0]);
}

static void memory_is_counted_and_the_largest_allocation_kept(void **state)
{
    clradio_device *device = device_under_test(state);
    uint64_t now, peak;
    clradio_buffer *a, *b, *c;
    assert_ok(clradio_buffer_create(device, 1000, &a));
    assert_ok(clradio_buffer_create(device, 500, &b));
    clradio_buffer_destroy(a);
    clradio_device_memory_used(device, &now, &peak);
    assert_int_equal(now, 500);
    assert_int_equal(peak, 1500);
    assert_int_equal(clradio_buffer_bytes(b), 500);
    assert_int_equal(clradio_buffer_create(device, 0, &c), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(
        clradio_buffer_create(device, clr_device_info(device)->max_allocation_bytes + 1, &c),
        CLRADIO_ERROR_DEVICE_MEMORY);
    assert_null(c);
    clradio_buffer_destroy(b);
    clradio_device_memory_used(device, &now, NULL);
    assert_int_equal(now, 0);
}

/* Queue and buffer outlive the caller's own reference to the device. */
static void a_buffer_keeps_its_device_alive(void **state)
{
    clradio_device *device;
    clradio_queue *queue;
    clradio_buffer *buffer;
    unsigned char byte = 77, back = 0;
    assert_ok(clradio_device_open(clr_device_info(device_under_test(state))->id, &device));
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, 1, &buffer));
    clradio_device_close(device);
    clradio_span span = { buffer, 0 };
    assert_ok(clradio_buffer_write(queue, span, &byte, 1, 0, NULL, NULL));
    assert_ok(clradio_buffer_read(queue, span, &back, 1, 0, NULL, NULL));
    assert_int_equal(back, 77);
    clradio_queue_destroy(queue);
    clradio_buffer_destroy(buffer);
}

/*
 * 300 random writes, fills and copies at any offset and length, against the same on a host array;
 * on an out-of-order queue each waits for the one before. Copies go between two buffers.
 */
static void random_transfers(clradio_device *device, unsigned flags, uint64_t seed)
{
    enum { BYTES = 5000, STEPS = 300 };
    unsigned char *mirror[2] = { calloc(1, BYTES), calloc(1, BYTES) }, *back = malloc(BYTES);
    unsigned char data[BYTES];
    clradio_buffer *buffers[2];
    clradio_queue *queue;
    clradio_event *last = NULL, *next;
    assert_ok(clradio_queue_create(device, flags, &queue));
    for (int b = 0; b < 2; b++) {
        assert_ok(clradio_buffer_create(device, BYTES, &buffers[b]));
        assert_ok(
            clradio_buffer_fill(queue, (clradio_span){ buffers[b], 0 }, 0, BYTES, 0, NULL, NULL));
    }
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (unsigned char)test_random(&seed);
    for (int step = 0; step < STEPS; step++) {
        int b = (int)(test_random(&seed) & 1), kind = (int)test_random_between(&seed, 0, 2);
        size_t at = (size_t)test_random_between(&seed, 0, BYTES);
        size_t from = (size_t)test_random_between(&seed, 0, BYTES);
        size_t most = BYTES - (at > from ? at : from);
        size_t n = (size_t)test_random_between(&seed, 0, (int64_t)most);
        clradio_span to = { buffers[b], at };
        if (kind == 0) {
            assert_ok(clradio_buffer_write(queue, to, data + from, n, last != NULL, &last, &next));
            memcpy(mirror[b] + at, data + from, n);
        } else if (kind == 1) {
            assert_ok(
                clradio_buffer_fill(queue, to, data[from % BYTES], n, last != NULL, &last, &next));
            memset(mirror[b] + at, data[from % BYTES], n);
        } else {
            clr_chain chain;
            clradio_status status = clr_chain_begin(&chain, queue, NULL, last != NULL, &last);
            if (!status)
                status = clr_chain_copy(&chain, (clradio_span){ buffers[!b], from }, to, n);
            assert_ok(clr_chain_end(&chain, status, &next));
            memcpy(mirror[b] + at, mirror[!b] + from, n);
        }
        clradio_event_destroy(last);
        last = next;
    }
    for (int b = 0; b < 2; b++) {
        memset(back, 0xee, BYTES);
        assert_ok(clradio_buffer_read(queue, (clradio_span){ buffers[b], 0 }, back, BYTES, 1, &last,
                                      NULL));
        assert_memory_equal(back, mirror[b], BYTES);
        clradio_buffer_destroy(buffers[b]);
        free(mirror[b]);
    }
    clradio_event_destroy(last);
    clradio_queue_destroy(queue);
    free(back);
}

static void random_transfers_in_order_give_what_memory_gives(void **state)
{
    random_transfers(device_under_test(state), 0, 11);
}

static void random_transfers_out_of_order_give_what_memory_gives(void **state)
{
    random_transfers(device_under_test(state), CLRADIO_QUEUE_OUT_OF_ORDER, 12);
}

static void spans_outside_a_buffer_are_refused(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_buffer *buffer;
    clradio_queue *queue;
    clradio_event *event;
    unsigned char bytes[16] = { 0 };
    assert_ok(clradio_queue_create(device, 0, &queue));
    assert_ok(clradio_buffer_create(device, 16, &buffer));
    static const uint64_t bad[][2] = { { 0, 17 },         { 16, 1 },         { 17, 0 },
                                       { UINT64_MAX, 1 }, { UINT64_MAX, 2 }, { 1, UINT64_MAX } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        clradio_span span = { buffer, bad[i][0] };
        assert_int_equal(clradio_buffer_read(queue, span, bytes, bad[i][1], 0, NULL, &event),
                         CLRADIO_ERROR_ARGUMENT);
        assert_null(event);
        assert_int_equal(clradio_buffer_write(queue, span, bytes, bad[i][1], 0, NULL, NULL),
                         CLRADIO_ERROR_ARGUMENT);
        assert_int_equal(clradio_buffer_fill(queue, span, 0, bad[i][1], 0, NULL, NULL),
                         CLRADIO_ERROR_ARGUMENT);
    }
    event = NULL;
    assert_int_equal(
        clradio_buffer_read(queue, (clradio_span){ buffer, 0 }, bytes, 1, 1, &event, NULL),
        CLRADIO_ERROR_ARGUMENT); /* a NULL event in the list */
    clradio_buffer_destroy(buffer);
    clradio_queue_destroy(queue);
    assert_int_equal(clradio_queue_create(device, 1u << 20, &queue), CLRADIO_ERROR_ARGUMENT);
}

/* Host memory of any size is writable from end to end, whatever kind it is. */
static void host_memory_is_whole(void **state)
{
    clradio_device *device = device_under_test(state);
    static const uint64_t sizes[] = { 1, 4095, 4097, 1000000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *memory, *handle;
        assert_ok(clr_host_memory_create(device, sizes[i], &memory, &handle));
        memset(memory, 0x5a, (size_t)sizes[i]);
        clr_host_memory_destroy(device, memory, handle);
    }
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(a_device_is_found_by_id_number_and_part_of_a_name),
        cmocka_unit_test(a_part_that_fits_several_devices_is_refused_and_names_them),
        cmocka_unit_test(a_misspelt_name_is_answered_with_the_closest),
        cmocka_unit_test(bad_arguments_give_a_status_and_a_sentence),
    };
    static const device_test tests[] = {
        DEVICE_TEST(no_name_means_the_environment),
        DEVICE_TEST(memory_is_counted_and_the_largest_allocation_kept),
        DEVICE_TEST(a_buffer_keeps_its_device_alive),
        DEVICE_TEST(random_transfers_in_order_give_what_memory_gives),
        DEVICE_TEST(random_transfers_out_of_order_give_what_memory_gives),
        DEVICE_TEST(spans_outside_a_buffer_are_refused),
        DEVICE_TEST(host_memory_is_whole),
    };
    return run_device_tests("device", plain, sizeof plain / sizeof *plain, tests,
                            sizeof tests / sizeof *tests);
}
