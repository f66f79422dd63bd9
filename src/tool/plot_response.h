/* The picture of a frequency response. */
#ifndef CLR_TOOL_PLOT_RESPONSE_H
#define CLR_TOOL_PLOT_RESPONSE_H

#include "io/arrays.h"

typedef struct clr_response_plot {
    uint64_t first, count; /* paths to draw, counted over all axes but the subcarrier's */
    const char *picture, *title;
} clr_response_plot;

/* Whether the file holds a response: one of the arrays response, h or channel, or one complex array
 * alone. */
int clr_plot_is_response(const clr_arrays_file *file);
/* Magnitude and phase over frequency, and the delay profile. Errors: as the file's and gnuplot's;
 * ARGUMENT: no such path. */
clradio_status clr_plot_response(clr_arrays_file *file, const clr_response_plot *plot);

#endif
