/* What the detector's files share. */
#ifndef CLR_ENGINE_DETECTOR_INTERNAL_H
#define CLR_ENGINE_DETECTOR_INTERNAL_H

#include "device/device.h"
#include "engine/modulation.h"
#include "engine/parameters.h"

#include <clradio/detector.h>

enum {
    CLR_MOST_TRANSMIT = 16,
    CLR_MOST_RECEIVE = 64,
    CLR_MOST_CANDIDATES = 64,
    CLR_MOST_PATHS = 4096,
    CLR_MOST_BUDGET = 0x7fffffff,
    CLR_MOST_VECTORS = 0x7fffffff
};

/* detector_config.c: checks a configuration and fills in what 0 stands for. */
clradio_status clr_detector_check_config(const clradio_detector_config *config,
                                         clradio_detector_config *checked);
clradio_modulation clr_detector_modulation(const clradio_detector_config *config, uint32_t stream);
uint32_t clr_detector_stream_bits(const clradio_detector_config *config, uint32_t stream);
uint32_t clr_detector_stream_points(const clradio_detector_config *config, uint32_t stream);

/* detector_statistics.c: the bin of the histogram of nodes, as cl/detector_statistics.cl has it. */
uint32_t clr_detector_bin(uint64_t nodes);

#endif
