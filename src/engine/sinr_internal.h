/* What the files of the signal to interference and noise ratios share. */
#ifndef CLR_ENGINE_SINR_INTERNAL_H
#define CLR_ENGINE_SINR_INTERNAL_H

#include "base/error.h"

#include <clradio/sinr.h>

enum { CLR_SINR_MOST = 16 }; /* antennas, streams */

/* Checks a configuration; checked has the strides that all 0 stand for, given the inner count. */
clradio_status clr_sinr_check(const clradio_sinr_config *config, uint64_t inner,
                              clradio_sinr_config *checked);

#endif
