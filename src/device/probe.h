/* The part of the probes that runs a kernel. */
#ifndef CLR_DEVICE_PROBE_H
#define CLR_DEVICE_PROBE_H

#include "device/backend.h"

/* The source of a kernel `probe` for clr_probe_loop. */
extern const char *const clr_probe_loop_source;

/* How many times all loops of a work-item together may go round before the driver ends them; 0:
 * there is no such limit. Errors: DRIVER (the kernel does not run, or computes wrongly), MEMORY. */
clradio_status clr_probe_loop(clradio_device *device, void *kernel, uint32_t *limit);

#endif
