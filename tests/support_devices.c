/* Runs the device tests of a program on every usable device found. */
#include "support.h"

#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 16, NAME_BYTES = 256 };

static clradio_device
    *open_device; /* the one under test: tests of a device run one after another */

clradio_device *device_under_test(void **state)
{
    return *(clradio_device **)*state;
}

int is_opencl(clradio_device *device)
{
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    return !clradio_device_describe(device, &info) && !strcmp(info.back_end, "opencl");
}

void only_on_opencl(void **state)
{
    if (!is_opencl(device_under_test(state)))
        skip();
}

static int open_for_test(void **state)
{
    if (clradio_device_open(*(const char **)state, &open_device)) {
        fprintf(stderr, "# %s\n", clradio_last_error());
        return -1;
    }
    *state = &open_device;
    return 0;
}

static int close_after_test(void **state)
{
    (void)state;
    clradio_device_close(open_device);
    open_device = NULL;
    return 0;
}

static int wanted(const clradio_device_info *info)
{
    const char *filter = getenv("CLRADIO_TEST_DEVICE");
    return !info->unusable[0] && (!filter || !*filter || strstr(info->id, filter) ||
                                  strstr(info->name, filter) || strstr(info->platform, filter));
}

static void skipped(void **state)
{
    (void)state;
    skip();
}

int run_device_tests(const char *name, const struct CMUnitTest *plain, size_t n_plain,
                     const device_test *tests, size_t n_tests)
{
    static clradio_device_info infos[MOST_DEVICES];
    size_t devices = 0;
    for (size_t i = 0; i < MOST_DEVICES; i++)
        infos[i] = (clradio_device_info)CLRADIO_DEVICE_INFO_INIT;
    if (n_tests && clradio_device_list(infos, MOST_DEVICES, &devices))
        fprintf(stderr, "# no devices: %s\n", clradio_last_error());
    if (devices > MOST_DEVICES)
        devices = MOST_DEVICES;
    size_t room = n_plain + n_tests * (devices ? devices : 1);
    struct CMUnitTest *all = calloc(room + 1, sizeof *all);
    char(*names)[NAME_BYTES] = calloc(room + 1, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < n_plain; i++)
        all[n++] = plain[i];
    size_t used = 0;
    for (size_t d = 0; d < devices; d++) {
        if (!wanted(&infos[d]))
            continue;
        used++;
        int simulator = strstr(infos[d].platform, "Oclgrind") || strstr(infos[d].name, "Oclgrind");
        for (size_t t = 0; t < n_tests; t++) {
            if (tests[t].slow && simulator)
                continue;
            snprintf(names[n], NAME_BYTES, "%s on %s (%s)", tests[t].name, infos[d].id,
                     infos[d].name);
            all[n] = (struct CMUnitTest){ names[n], tests[t].function, open_for_test,
                                          close_after_test, infos[d].id };
            n++;
        }
    }
    for (size_t t = 0; !used && t < n_tests; t++) {
        snprintf(names[n], NAME_BYTES, "%s (no OpenCL device)", tests[t].name);
        all[n] = (struct CMUnitTest){ names[n], skipped, NULL, NULL, NULL };
        n++;
    }
    int failures = _cmocka_run_group_tests(name, all, n, NULL, NULL);
    free(all);
    free(names);
    return failures;
}

int has_children(clradio_device *device)
{
    static int told;
    if (!clr_device_children(device))
        return 1;
    if (!is_opencl(device) && !told++)
        fprintf(stderr, "# children left out: %s\n", clradio_last_error());
    return 0;
}
