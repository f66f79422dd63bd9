/* The picture of a UVH5 file. */
#ifndef CLR_TOOL_PLOT_DRAW_H
#define CLR_TOOL_PLOT_DRAW_H

#include "io/uvh5_read.h"

typedef struct clr_plot {
    int64_t antenna_1, antenna_2; /* of the baseline; equal: chosen */
    uint64_t time;                /* 0-based */
    const char *picture;          /* ends in .png or .svg */
    const char *title;            /* in front of what is known of the file */
} clr_plot;

/*
 * Draws what the file has: against frequency when there are several channels, else against time
 * when there are several integrations, else the matrix of correlation coefficients. Errors: as the
 * reader and gnuplot; ARGUMENT: no such baseline or time.
 */
clradio_status clr_plot_draw(clr_uvh5_reader *reader, const clr_plot *plot);

#endif
