/*
 * A back end that is made up: it counts what it is asked, takes its time over a build, and can
 * refuse. So that every way through memory, cache and build is seen exactly. Its "binary" is the
 * text of the source.
 */
#ifndef CLR_TESTS_FAKE_BACK_END_H
#define CLR_TESTS_FAKE_BACK_END_H

#include "support.h"

#include "device/backend.h"

extern struct fake {
    atomic_int builds, loads, fetches, live;
    int refuse_build, refuse_load, refuse_kernel_of_loaded;
    const char *prefix; /* of its binaries: another compiler version that does not tell */
} fake;

typedef struct fake_program {
    int loaded;
    size_t bytes;
    char source[];
} fake_program;

extern const clr_backend fake_back_end;

/* A folder with kernels (main.cl includes part.cl) and an empty cache, and a device. */
typedef struct fixture {
    char *folder, kernels[4200];
    clradio_device device;
} fixture;

int fake_begin(void **state);
/* Fails when a program or a reference to the device was left. */
int fake_end(void **state);
#define FAKE_TEST(function) cmocka_unit_test_setup_teardown(function, fake_begin, fake_end)

void write_kernel(const fixture *f, const char *name, const char *text);
/* As a new process would find it: the same device, nothing in memory, counters at 0. */
void restart(fixture *f);

#endif
