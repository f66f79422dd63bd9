/* What a UVH5 file shows, in sentences: for the demonstration. */
#ifndef CLR_TOOL_DEMO_LOOK_H
#define CLR_TOOL_DEMO_LOOK_H

#include "io/uvh5_read.h"

/* Says which pairs of antennas correlate, at which delay, against what noise alone would give. */
clradio_status clr_demo_say_pairs(clr_uvh5_reader *reader);
/*
 * Compares with a point source at a place fixed to the ground: removes the phase that the antennas'
 * positions give it, says what is left and the delay of the longest baseline. *agrees: 1 when the
 * phases left are those of a source there.
 */
clradio_status clr_demo_say_source(clr_uvh5_reader *reader, double azimuth_deg,
                                   double elevation_deg, int *agrees);

#endif
