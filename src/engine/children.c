/* Launches by the device itself: names, parameters, macros. */
#include "engine/children.h"

#include <stdlib.h>
#include <string.h>

enum { REFUSED_GROUP = 2048 }; /* more work-items than any group has */

static const clr_parameter common[CLR_CHILDREN_PARAMETERS] = {
    [CLR_CHILDREN_PENDING] = { "PENDING", 1, 2000 }, /* with 4,000 an H200 hung, with 2,000 not */
    [CLR_CHILDREN_WALKERS] = { "WALKERS", 1, 256 },  [CLR_CHILDREN_TAIL] = { "TAIL", 0, 2 },
    [CLR_CHILDREN_FORGET] = { "FORGET", 0, 1 },      [CLR_CHILDREN_FAIL] = { "FAIL", 0, INT32_MAX },
    [CLR_CHILDREN_REFUSE] = { "REFUSE", 0, 1 },
};
static const int64_t defaults[CLR_CHILDREN_PARAMETERS] = {
    [CLR_CHILDREN_PENDING] = 1024,
    [CLR_CHILDREN_FORGET] = 1,
};

static void table_with(const clr_parameter *unit, clr_parameter *table)
{
    memcpy(table, common, sizeof common);
    table[CLR_CHILDREN_UNIT] = *unit;
}

const char *clr_launch_name(clradio_launch launch)
{
    static const char *const names[] = { "flat", "host", "children", "emulated" };
    return (unsigned)launch < sizeof names / sizeof *names ? names[launch] : "?";
}

int clr_launch_walks(clradio_launch launch)
{
    return launch == CLRADIO_LAUNCH_CHILDREN || launch == CLRADIO_LAUNCH_EMULATED;
}

/* Before that the end of a parent grid closes a chunk, and the host launches the next. */
static int has_tail_launch(const clradio_device_info *device)
{
    return !strncmp(device->architecture, "sm_", 3) &&
           strtol(device->architecture + 3, NULL, 10) >= 90;
}

clradio_status clr_launch_settle(clradio_device *device, clradio_launch launch,
                                 const clr_parameter *unit, int64_t usual, int64_t walkers,
                                 const char *text, int64_t values[CLR_CHILDREN_PARAMETERS])
{
    int given[CLR_CHILDREN_PARAMETERS];
    clr_parameter table[CLR_CHILDREN_PARAMETERS];
    table_with(unit, table);
    memcpy(values, defaults, sizeof defaults);
    values[CLR_CHILDREN_UNIT] = usual;
    values[CLR_CHILDREN_WALKERS] = walkers;
    values[CLR_CHILDREN_TAIL] = has_tail_launch(clr_device_info(device));
    if (launch == CLRADIO_LAUNCH_FLAT)
        return clr_parameters_given(text)
                   ? clr_fail(CLRADIO_ERROR_ARGUMENT,
                              "a flat launch has no parameters such as '%s'", text)
                   : CLRADIO_OK;
    clradio_status status =
        clr_parameters_read(table, CLR_CHILDREN_PARAMETERS, text, values, given);
    if (!status && launch == CLRADIO_LAUNCH_CHILDREN)
        status = clr_device_children(device);
    return status;
}

void clr_launch_write(clradio_launch launch, const clr_parameter *unit, const int64_t *values,
                      char *text, size_t room)
{
    const int shown[CLR_CHILDREN_PARAMETERS] = { [CLR_CHILDREN_UNIT] = 1 };
    clr_parameter table[CLR_CHILDREN_PARAMETERS];
    table_with(unit, table);
    *text = '\0';
    if (launch != CLRADIO_LAUNCH_FLAT)
        clr_parameters_write(table, CLR_CHILDREN_PARAMETERS, values,
                             clr_launch_walks(launch) ? NULL : shown, text, room);
}

void clr_launch_macros(clradio_launch launch, const int64_t *values,
                       clr_macro macros[CLR_CHILDREN_MACROS])
{
    const int emulated = launch == CLRADIO_LAUNCH_EMULATED;
    const clr_macro all[CLR_CHILDREN_MACROS] = { { "CHILDREN", !emulated },
                                                 { "EMULATED", emulated },
                                                 { "WALKERS", values[CLR_CHILDREN_WALKERS] },
                                                 { "TAIL", values[CLR_CHILDREN_TAIL] },
                                                 { "FORGET", values[CLR_CHILDREN_FORGET] } };
    memcpy(macros, all, sizeof all);
}

uint32_t clr_launch_refused_group(const int64_t *values)
{
    return values[CLR_CHILDREN_REFUSE] ? REFUSED_GROUP : 0;
}
