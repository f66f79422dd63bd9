/* What the variants that call CLBlast share: it takes no wait list, so a barrier carries the
 * chain's; it allocates scratch memory of its own in each call. */
#ifndef CLR_ENGINE_CLBLAST_OPENCL_H
#define CLR_ENGINE_CLBLAST_OPENCL_H

#include "device/device.h"

#include <clradio/opencl.h>

/* The chain's queue, in which what follows is held back until the chain's events are complete. */
clradio_status clr_clblast_begin(clr_chain *chain, cl_command_queue *queue);
/* What a function gave: the chain goes on after its event; code 0 is CLBlast's success. */
clradio_status clr_clblast_end(clr_chain *chain, const char *function, int code, cl_event event);

#endif
