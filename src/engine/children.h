/*
 * Launches by the device itself, what engines that have them share: the ways of launching by name,
 * the parameters of cl/children.cl, and its macros. An engine says what a unit of its work is.
 */
#ifndef CLR_ENGINE_CHILDREN_H
#define CLR_ENGINE_CHILDREN_H

#include "device/device.h"
#include "engine/parameters.h"

enum {
    CLR_CHILDREN_UNIT, /* how large a unit is, by the engine's own name and limits */
    CLR_CHILDREN_PENDING,
    CLR_CHILDREN_WALKERS,
    CLR_CHILDREN_TAIL,
    CLR_CHILDREN_FORGET,
    CLR_CHILDREN_FAIL,
    CLR_CHILDREN_REFUSE,
    CLR_CHILDREN_PARAMETERS
};
enum { CLR_CHILDREN_MACROS = 5 };

/* "flat", "host", "children", "emulated". */
const char *clr_launch_name(clradio_launch launch);
/* Whether a grid on the device starts the units, or the walk is emulated. */
int clr_launch_walks(clradio_launch launch);

/*
 * The parameters of a way of launching from a text such as "LINKS=1 PENDING=100"; usual is a
 * unit's size, walkers the parent's work-items where the text does not say. ARGUMENT for a flat
 * launch with parameters; UNSUPPORTED for children where the device cannot.
 */
clradio_status clr_launch_settle(clradio_device *device, clradio_launch launch,
                                 const clr_parameter *unit, int64_t usual, int64_t walkers,
                                 const char *text, int64_t values[CLR_CHILDREN_PARAMETERS]);
/* "LINKS=1 PENDING=..."; nothing for flat. */
void clr_launch_write(clradio_launch launch, const clr_parameter *unit, const int64_t *values,
                      char *text, size_t room);
/* The macros of cl/children.cl. */
void clr_launch_macros(clradio_launch launch, const int64_t *values,
                       clr_macro macros[CLR_CHILDREN_MACROS]);
/* Work-items of a group that no device takes, for units that are to be refused; 0: none is. */
uint32_t clr_launch_refused_group(const int64_t *values);

#endif
